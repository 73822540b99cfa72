#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Malformed packets of every kind (M1), over IPv4 and IPv6, to links with a key
# for the sender: dropped and counted, no answer, no splat; to links that let peers
# without a key in: no splat.  There is no control: some of them crash plain rxe.
# srxe-test: kernels=debian,debug guests=1 timeout=1200 cost=150
. "${0%/*}/../lib/srxe-lib.sh"
. "${0%/*}/../lib/traffic.sh"

# malformed MODE FAMILY [KINDS]
malformed() {
	protect "$1" aes256-gcm || fail "cannot set mode $1"
	FAMILY=$2 scenario M1 holds ${3:+--kinds "$3"}
}

# unkeyed FAMILY [KINDS]
unkeyed() {
	FAMILY=$1 scenario M1plain holds ${2:+--kinds "$2"} --count "$count"
}

# All kinds, or where a selection is run, what version of IP carries which: each comes
# once; options are IPv4's or IPv6's extension headers, so both.
in_4='' in_6='' count=2000
more=("malformed packet 4 truncations" "malformed packet 6 noise")
if [ "$SRXE_TEST_LEVEL" = pairwise ]; then
	in_4=truncations,opcodes,pads,addresses,options,noise
	in_6=udp,versions,headers,options,fragments
	count=120
	more=()
fi
ktap_plan $((4 + ${#more[@]}))
topo_path
module_load secure-rxe
link_pair
allow_unkeyed || bail "cannot allow peers without a key"
ktap_cases "unkeyed 4 $in_4" "unkeyed 6 $in_6"
psk_pair
ktap_cases "malformed encrypt 4 $in_4" "malformed header 6 $in_6" "${more[@]}"
ktap_end
