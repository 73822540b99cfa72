#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Malformed packets of every kind (M1), over IPv4 and IPv6, to links with a key
# for the sender: dropped and counted, no answer, no splat; to links that let peers
# without a key in: no splat.  There is no control: some of them crash plain rxe.
# srxe-test: kernels=debian,debug guests=1 timeout=1200 cost=150
. "${0%/*}/../lib/srxe-lib.sh"
. "${0%/*}/../lib/traffic.sh"

KINDS=truncations,udp,opcodes,versions,pads,headers,addresses,options,fragments,noise
# shellcheck disable=SC2034 # scenario wants it
SCENARIO_SECONDS=300

# malformed MODE FAMILY KINDS
malformed() {
	protect "$1" aes256-gcm || fail "cannot set mode $1"
	FAMILY=$2 scenario M1 holds --kinds "$3"
}

# unkeyed FAMILY KINDS
unkeyed() {
	local count=2000

	[ "$SRXE_TEST_LEVEL" != pairwise ] || count=120
	FAMILY=$1 scenario M1plain holds --kinds "$2" --count $count
}

# What version of IP carries which kinds.  Where a selection is run, each kind
# comes once; options are IPv4's or IPv6's extension headers, so both.
in_4=$KINDS
in_6=$KINDS
if [ "$SRXE_TEST_LEVEL" = pairwise ]; then
	in_4=truncations,opcodes,pads,addresses,options,noise
	in_6=udp,versions,headers,options,fragments
fi
list=("encrypt 4 $in_4" "header 6 $in_6")
[ "$SRXE_TEST_LEVEL" = pairwise ] || list+=("packet 4 truncations" "packet 6 noise")
ktap_plan $((2 + ${#list[@]}))
topo_path
module_load secure-rxe
link_pair
allow_unkeyed || bail "cannot allow peers without a key"
ktap_case unkeyed 4 "$in_4"
ktap_case unkeyed 6 "$in_6"
psk_pair
for cell in "${list[@]}"; do
	# shellcheck disable=SC2086 # words
	ktap_case malformed $cell
done
ktap_end
