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
failed=0

# made_of NAME BODY EXPECTED STATUS: what a test whose case "it" has that body prints
# contains no more and no less than that, and it ends so.
made_of() {
	local name=$1 body=$2 expected=$3 ends=$4 got status

	: > "$log"
	cat > "$trial" <<-END
		. "$lib/ktap.sh"
		. "$lib/net.sh"
		log=$log
		SRXE_PATIENCE=1
		dmesg() { cat "\$log"; }
		log_mark() { echo "srxe-test \$ktap_count" | tee -a "\$log"; }
		kernel() { echo "\$*" >> "\$log"; }
		it() { $body; }
		kernel "WARNING: of before"
		ktap_plan 1
		ktap_case it
		ktap_end
	END
	got=$(bash "$trial" 2>&1)
	status=$?
	number=$((number + 1))
	if [ "$got" = "KTAP version 1"$'\n'"1..1"$'\n'"$expected" ] && [ "$status" -eq "$ends" ]; then
		echo "ok $number $name"
	else
		printf '%s\n' "printed:" "$got" "with status $status, instead of $ends and:" \
			"$expected" | sed 's/^/# /'
		echo "not ok $number $name"
		failed=1
	fi
}

complained=$'# the kernel complained:\n# '

echo "KTAP version 1"
echo "1..9"
made_of "passes, with what it prints" \
	'echo "a # b"; printf "no end"; kernel fine' $'# a # b\n# no end\nok 1 it' 0
made_of "fails" \
	'fail "a reason"; echo never' $'# a reason\nnot ok 1 it' 1
made_of "skips for a reason" \
	'skip "not here"' $'# not here\nok 1 it # SKIP not here' 0
made_of "a splat fails its case" \
	'kernel "WARNING: of now"; kernel next' "$complained"$'WARNING: of now\n# next\nnot ok 1 it' 1
made_of "so does one after which the mark is lost" \
	'echo "BUG: KASAN: x" > "$log"' "$complained"$'BUG: KASAN: x\nnot ok 1 it' 1
made_of "and one of its clean-up" \
	'at_case_end eval "kernel \"WARNING: in the end\""' \
	"$complained"$'WARNING: in the end\nnot ok 1 it' 1
made_of "waits for what is there" \
	'wait_for 1 true && echo there' $'# there\nok 1 it' 0
made_of "waits for what comes later" \
	'n=0; second() { ((++n > 2)); }; wait_for 20 second && echo "$n"' $'# 3\nok 1 it' 0
made_of "waits no longer than it may" \
	'wait_for 1 false || fail over' $'# waited in vain for: false\n# over\nnot ok 1 it' 1
exit "$failed"
