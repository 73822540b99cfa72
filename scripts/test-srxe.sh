#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of the srxe tool that need no kernel module. Prints KTAP.
#
#   test-srxe.sh BUILD
set -u -o pipefail

build=$1
top=$(cd "$(dirname "$0")/.." && pwd)
tests=$top/tools/testing/selftests/tools
number=0

# subtest NAME COMMAND ...: its KTAP, and one result for all of it.
subtest() {
	local name=$1 ok=ok

	shift
	number=$((number + 1))
	echo "    # Subtest: $name"
	"$@" | sed 's/^/    /' || ok="not ok"
	echo "$ok $number $name"
}

echo "KTAP version 1"
make -s -C "$top/tools/srxe" O="$build" all "$build/tools/srxe/srxe_parse" >&2 || {
	echo "Bail out! srxe cannot be built"
	exit 1
}
echo "1..2"
subtest srxe_parse "$build/tools/srxe/srxe_parse"
subtest srxe_args env SRXE="$build/srxe" "$tests/srxe_args.sh"
