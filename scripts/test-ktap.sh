#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of the selftests' shell library: what it makes of cases that pass, fail, skip,
# or have the kernel complain, and how it waits. A file stands in for the kernel's
# log. Prints KTAP.
#
#   test-ktap.sh BUILD (which it does not need)
#
# What is in single quotes is for the trial to expand:
# shellcheck disable=SC2016
set -u

SRXE_TOP=$(cd "$(dirname "$0")/.." && pwd)
export SRXE_TOP
lib=$SRXE_TOP/tools/testing/selftests/lib
log=$(mktemp) && trial=$(mktemp) || exit 1
trap 'rm -f "$log" "$trial"' EXIT
number=0

# verdict NAME STATUS: status 0 is a pass.
verdict() {
	local ok="not ok"

	number=$((number + 1))
	[ "$2" -ne 0 ] || ok=ok
	echo "$ok $number $1"
}

# made_of BODY EXPECTED STATUS: what a test whose case "it" has that body prints
# contains no more and no less than that, and it ends so.
made_of() {
	local got status

	: > "$log"
	cat > "$trial" <<-END
		. "$lib/ktap.sh"
		. "$lib/net.sh"
		log=$log
		SRXE_PATIENCE=1
		dmesg() { cat "\$log"; }
		log_mark() { log_marked="srxe-test \$ktap_count"; echo "\$log_marked" >> "\$log"; }
		kernel() { echo "\$*" >> "\$log"; }
		it() { $1; }
		kernel "WARNING: of before"
		ktap_plan 1
		ktap_case it
		ktap_end
	END
	got=$(bash "$trial" 2>&1)
	status=$?
	[ "$got" = "KTAP version 1"$'\n'"1..1"$'\n'"$2" ] && [ "$status" -eq "$3" ] && return
	printf '%s\n' "printed:" "$got" "with status $status, instead of $3 and:" "$2" | sed 's/^/# /'
	return 1
}

complained=$'# the kernel complained:\n# '

echo "KTAP version 1"
echo "1..9"
made_of 'echo "a # b"; printf "no end"; kernel fine' $'# a # b\n# no end\nok 1 it' 0
verdict "passes, with what it prints" $?
made_of 'fail "a reason"; echo never' $'# a reason\nnot ok 1 it' 1
verdict "fails" $?
made_of 'skip "not here"' $'# not here\nok 1 it # SKIP not here' 0
verdict "skips for a reason" $?
made_of 'kernel "WARNING: of now"; kernel next' "$complained"$'WARNING: of now\n# next\nnot ok 1 it' 1
verdict "a splat fails its case" $?
made_of 'echo "BUG: KASAN: x" > "$log"' "$complained"$'BUG: KASAN: x\nnot ok 1 it' 1
verdict "so does one after which the mark is lost" $?
made_of 'at_case_end eval "kernel \"WARNING: in the end\""' \
	"$complained"$'WARNING: in the end\nnot ok 1 it' 1
verdict "and one of its clean-up" $?
made_of 'wait_for 1 true && echo there' $'# there\nok 1 it' 0
verdict "waits for what is there" $?
made_of 'n=0; second() { ((++n > 2)); }; wait_for 20 second && echo "$n"' $'# 3\nok 1 it' 0
verdict "waits for what comes later" $?
made_of 'wait_for 1 false || fail over' $'# waited in vain for: false\n# over\nnot ok 1 it' 1
verdict "waits no longer than it may" $?
