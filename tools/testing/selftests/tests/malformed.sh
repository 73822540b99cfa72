#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Malformed packets of every kind (M1), over IPv4 and IPv6, to links with a key
# for the sender: dropped and counted, no answer, no splat; to links that let peers
# without a key in: no splat.  There is no control: some of them crash plain rxe.
# srxe-test: kernels=debian,debug guests=1 timeout=1200 cost=200
. "${0%/*}/../lib/srxe-lib.sh"
. "${0%/*}/../lib/traffic.sh"

KINDS="truncations udp opcodes versions pads headers addresses options fragments noise"

# malformed MODE FAMILY KIND
malformed() {
	protect "$1" aes256-gcm || fail "cannot set mode $1"
	FAMILY=$2 scenario M1 holds --kinds "$3"
}

# unkeyed FAMILY
unkeyed() {
	local count=2000

	[ "$SRXE_TEST_LEVEL" != pairwise ] || count=120
	FAMILY=$1 scenario M1plain holds --count $count
}

# plan: mode, version of IP and kind of each case.  Where a selection is run, each
# kind comes once; options are IPv4's or IPv6's extension headers, so both.
plan() {
	local kind turn=0

	for kind in $KINDS; do
		if [ "$SRXE_TEST_LEVEL" != pairwise ] || [ "$kind" = options ]; then
			echo "encrypt 4 $kind"
			echo "header 6 $kind"
		elif ((++turn % 2)); then
			echo "encrypt 4 $kind"
		else
			echo "header 6 $kind"
		fi
	done
	[ "$SRXE_TEST_LEVEL" != pairwise ] || return
	echo "packet 4 truncations"
	echo "packet 6 noise"
}

mapfile -t list < <(plan)
ktap_plan $((2 + ${#list[@]}))
topo_path
module_load secure-rxe
link_pair
allow_unkeyed || bail "cannot allow peers without a key"
ktap_case unkeyed 4
ktap_case unkeyed 6
psk_pair
for cell in "${list[@]}"; do
	# shellcheck disable=SC2086 # words
	ktap_case malformed $cell
done
ktap_end
