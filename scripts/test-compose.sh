#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Run test-compose.py on rxe's source of every kernel whose headers are
# installed and for which there are hooks. Prints KTAP.
#
#   test-compose.sh BUILD
set -eu

build=$1
top=$(cd "$(dirname "$0")/.." && pwd)
hooks=$top/drivers/infiniband/sw/secure_rxe/hooks
set --
for series in $(sed -n 's/^kernels //p' "$hooks/manifest.txt"); do
	kver=$(for d in /lib/modules/"$series".*/build; do
		[ -e "$d/Makefile" ] && basename "$(dirname "$d")"
	done | sort -V | tail -n 1)
	if [ -z "$kver" ]; then
		echo "# no headers of kernel $series here: not tested" >&2
		continue
	fi
	make -s -C "$top" O="$build" KVER="$kver" rxe-source >&2
	set -- "$@" "$(cat "$build/$kver/rxe/version")=$build/$kver/rxe/drivers/infiniband/sw/rxe"
done
exec "$top/scripts/test-compose.py" "$@"
