#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Builds the driver and its KUnit tests in the debug kernel's own tree.
#
#   debug-modules.sh OUTPUT BUILD
#
# OUTPUT is debug-kernel.sh's.  The modules go to BUILD/<release>, where those
# for other kernels go, the KUnit tests to BUILD/<release>/kunit.

set -euo pipefail

top=$(cd "$(dirname "$0")/../../.." && pwd)
output=$(cd "$1" && pwd)
source=$output/source-tree
log=$output/modules.log
release=$(cat "$output/include/config/kernel.release")
target=$2/$release
ours='RDMA_SECURE_RXE|SECURE_RXE_.*'

die() {
	echo "debug-modules: $*" >&2
	exit 1
}

run_make() {
	make -C "$source" O="$output" -j "${JOBS:-$(nproc)}" "$@" >> "$log" 2>&1 || {
		tail -n 30 "$log" >&2
		die "make $* failed, see $log"
	}
}

built_in() {
	grep '=y$' "$output/.config" | grep -vE "^CONFIG_($ours)="
}

: > "$log"
"$top/scripts/in-tree.sh" "$source" >> "$log" 2>&1 || { tail -n 30 "$log" >&2; die "see $log"; }

# The kernel itself is not built again, so nothing we select may be new in it.
before=$(built_in)
"$source/scripts/config" --file "$output/.config" --module RDMA_SECURE_RXE \
	--enable SECURE_RXE_DEBUG --module SECURE_RXE_KUNIT_TEST
run_make olddefconfig
after=$(built_in)
[ "$before" = "$after" ] ||
	die "the driver needs more in the kernel than debug.config has:" \
		"$(diff <(echo "$before") <(echo "$after") | grep '^[<>]')"
run_make modules
run_make INSTALL_MOD_PATH="$output/install" modules_install

built=$output/drivers/infiniband/sw/secure_rxe
mkdir -p "$target/kunit"
cp "$built/secure_rxe.ko" "$target/"
rm -f "$target"/kunit/*
find "$built" -name '*_kunit.ko' -exec cp -t "$target/kunit" {} +
