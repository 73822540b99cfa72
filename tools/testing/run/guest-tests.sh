#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs tests in a guest, one after the other, between lines the runner reads:
#
#   # srxe-run: begin NAME SECONDS
#   ... what the test prints ...
#   # srxe-run: end NAME STATUS
#
# usage: guest-tests.sh NAME:SECONDS:COMMAND ...

# kmemleak reports an object only when it is older than this.
KMEMLEAK_AGE=6

run_test() {
	local name=$1 seconds=$2 command=$3 status

	echo "# srxe-run: begin $name $seconds"
	echo "srxe-run: $name" > /dev/kmsg
	timeout -k 10 "$seconds" bash -c "$command" < /dev/null 2>&1
	status=$?
	printf '\n'
	[ "$status" -ne 124 ] || echo "# ended after $seconds s"
	echo "# srxe-run: end $name $status"
}

# What was allocated before the tests is not theirs.
forget_leaks() {
	[ ! -e /sys/kernel/debug/kmemleak ] || echo clear > /sys/kernel/debug/kmemleak
}

find_leaks() {
	local file=/sys/kernel/debug/kmemleak leaks

	[ -e "$file" ] || return 0
	echo "# srxe-run: begin kmemleak 120"
	echo "KTAP version 1"
	echo "1..1"
	echo scan > "$file"
	sleep "$KMEMLEAK_AGE"
	echo scan > "$file"
	leaks=$(cat "$file")
	if [ -z "$leaks" ]; then
		echo "ok 1 no memory leaked"
	else
		sed 's/^/# /' <<< "$leaks"
		echo "not ok 1 no memory leaked"
	fi
	echo "# srxe-run: end kmemleak 0"
}

forget_leaks
for entry in "$@"; do
	name=${entry%%:*} entry=${entry#*:}
	run_test "$name" "${entry%%:*}" "${entry#*:}"
done
find_leaks
