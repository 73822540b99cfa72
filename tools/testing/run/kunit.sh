#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Loads the KUnit modules in a directory and prints their suites' results as one
# nested KTAP listing.
#
# usage: kunit.sh DIRECTORY

results=/sys/kernel/debug/kunit

load() {
	local dependency

	for dependency in $(modinfo -F depends "$1" | tr , ' '); do
		[ -e "/sys/module/$dependency" ] || modprobe "$dependency" || insmod "${1%/*}/$dependency.ko" || return 1
	done
	insmod "$1"
}

[ -d "$results" ] || { echo "Bail out! this kernel has no KUnit"; exit 1; }
loaded=()
for module in "$1"/*_kunit.ko; do
	[ -e "$module" ] || { echo "Bail out! no KUnit module in $1"; exit 1; }
	load "$module" || { echo "Bail out! $module does not load"; exit 1; }
	name=${module##*/}
	loaded+=("${name%.ko}")
done

set -- "$results"/*/results
[ -e "$1" ] || { echo "Bail out! no suite ran"; exit 1; }
echo "KTAP version 1"
echo "1..$#"
number=0
for file in "$@"; do
	number=$((number + 1))
	# Each file is a listing of one suite with a plan of its own.
	grep -v -e '^KTAP version' -e '^1\.\.1$' "$file" | sed "s/^\\(not \\)\\?ok 1 /\\1ok $number /"
done
for name in "${loaded[@]}"; do
	rmmod "$name" || exit 1
done
