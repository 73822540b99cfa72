#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Unmodified programs between hosts with a key that talk to nobody without: rdma_cm's
# own, datagrams, perftest, qperf, a file copied. In every mode; nothing goes plain.
# srxe-test: kernels=debian,debug guests=1 timeout=900 cost=150 level=full
. "${0%/*}/../lib/srxe-lib.sh"
. "${0%/*}/../lib/traffic.sh"
. "${0%/*}/../lib/hold.sh"
. "${0%/*}/../lib/programs.sh"
. "${0%/*}/../lib/datagrams.sh"

# What each runs, its address family, and which kinds of SAs must stand after it.
WORK=(
	"rping 4 gsi"
	"rping 6 gsi"
	"ucmatose 4 gsi"
	"ucmatose 6 gsi"
	"cmtime 4 gsi"
	"udaddy 4 gsi,ud"
	"udaddy 6 gsi,ud"
	"ud_pingpong 4 ud"
	"send_bw 4 ud"
	"write_bw_cm 4 gsi"
	"qperf 4 gsi rc_bw"
	"qperf 4 gsi rc_lat"
	"rcopy 4 gsi"
	"riostream 4 gsi"
)

# runs PROGRAM FAMILY KINDS MODE [ARGUMENT ...]
runs() {
	# shellcheck disable=SC2034 # the programs want it
	local FAMILY=$2 kinds=$3 mode=$4

	"run_$1" "${@:5}" || fail "$1 failed"
	nothing_plain
	json "$(sas a "$DEV_A")" "$(sas b "$DEV_B")" \
		'all(any(s["kind"] == kind for s in ends)
			for ends in (x, y) for kind in "'"$kinds"'".split(","))' \
		'all(s["mode"] == ("packet" if (s["kind"], "'"$mode"'") == ("gsi", "header") else "'"$mode"'")
			for s in x + y)'
}

[ -x "$(command -v qperf)" ] || bail "no qperf: make setup"
ktap_plan $((3 * ${#WORK[@]}))
topo_direct
protected_links
modprobe rdma_ucm || bail "no rdma_ucm"
read -r -a suites <<< "$SUITES"
number=0
for mode in $MODES; do
	protect "$mode" "${suites[number]},${suites[number + 1]}" || bail "cannot set mode $mode"
	number=$((number + 1))
	new_keys || bail "no keys"
	for work in "${WORK[@]}"; do
		read -r program family kinds more <<< "$work"
		# shellcheck disable=SC2086 # words
		ktap_case runs "$program" "$family" "$kinds" "$mode" $more
	done
done
ktap_end
