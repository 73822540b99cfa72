#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Print the kernel to build for: the running one if its headers are installed,
# else the newest 6.12, else the newest whose headers are.
set -eu

headers() {
	for d in /lib/modules/*/build/Makefile; do
		[ -e "$d" ] && basename "$(dirname "$(dirname "$d")")"
	done | sort -V
}

running=$(uname -r)
if [ -e "/lib/modules/$running/build/Makefile" ]; then
	echo "$running"
	exit
fi
newest=$(headers | grep '^6\.12\.' | tail -n 1)
[ -n "$newest" ] || newest=$(headers | tail -n 1)
if [ -z "$newest" ]; then
	echo "kernel.sh: no kernel headers are installed (make setup, or apt install linux-headers-...)" >&2
	exit 1
fi
echo "$newest"
