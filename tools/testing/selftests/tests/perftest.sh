#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Unmodified programs: perftest in every mode with every suite.
# srxe-test: kernels=debian,debug guests=1 timeout=900 cost=110 level=full
. "${0%/*}/../lib/srxe-lib.sh"
. "${0%/*}/../lib/traffic.sh"

# Each with its options; -e sleeps for completions instead of polling. In a guest
# with one processor a poller starves the other end: few messages do.
WORK=(
	"ib_send_bw -e -N -n 100 -s 4096"
	"ib_write_bw -n 20 -s 65536"
	"ib_read_bw -e -N -n 20 -s 65536"
	"ib_atomic_bw -n 50"
	"ib_send_bw -e -N -c UC -n 100 -s 4096"
	"ib_write_bw -c UC -n 20 -s 65536"
)

# runs MODE SUITE PROGRAM [OPTION ...]
runs() {
	protect "$1" "$2" || fail "cannot set mode $1, suite $2"
	shift 2
	perftest "$@" > "$(scratch)/out" || {
		cat "$(scratch)/out"
		fail "$* failed"
	}
	grep -v '^ *[#-]\|^$' "$(scratch)/out" | tail -n 1
}

# Every mode meets every suite and every work, and every suite every work; on the
# debug kernel each mode and suite meet once.
plan() {
	local mode suite n=0 k each=3

	[ "$SRXE_TEST_LEVEL" != pairwise ] || each=1
	for mode in $MODES; do
		for suite in $SUITES; do
			for ((k = 0; k < each; k++)); do
				echo "$mode $suite ${WORK[(n + 2 * k) % ${#WORK[@]}]}"
			done
			n=$((n + 1))
		done
		n=$((n + 1))
	done
}

mapfile -t list <<< "$(plan)"
ktap_plan ${#list[@]}
topo_direct
protected_links
ktap_cases "${list[@]/#/runs }"
ktap_end
