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
	FAMILY=$1 scenario M1plain holds
}

# shellcheck disable=SC2086 # words
set -- $KINDS
ktap_plan $((2 * $# + 4))
topo_path
module_load secure-rxe
link_pair
allow_unkeyed || bail "cannot allow peers without a key"
ktap_case unkeyed 4
ktap_case unkeyed 6
psk_pair
for kind; do
	ktap_case malformed encrypt 4 "$kind"
	ktap_case malformed header 6 "$kind"
done
ktap_case malformed packet 4 truncations
ktap_case malformed packet 6 noise
ktap_end
