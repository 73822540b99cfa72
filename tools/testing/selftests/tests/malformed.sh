#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Malformed packets of every kind (M1), over IPv4 and IPv6, to links with a key
# for the sender: dropped and counted, no answer, no splat.  There is no control:
# some of them crash plain rxe.
# srxe-test: kernels=debian,debug guests=1 timeout=1200 cost=200
. "${0%/*}/../lib/srxe-lib.sh"
. "${0%/*}/../lib/traffic.sh"

KINDS="truncations udp opcodes versions pads headers addresses options fragments noise"

# malformed MODE FAMILY KIND
malformed() {
	protect "$1" aes256-gcm || fail "cannot set mode $1"
	FAMILY=$2 scenario M1 holds --kinds "$3"
}

# shellcheck disable=SC2086 # words
set -- $KINDS
ktap_plan $((2 * $# + 2))
topo_path
protected_links
for kind; do
	ktap_case malformed encrypt 4 "$kind"
	ktap_case malformed header 6 "$kind"
done
ktap_case malformed packet 4 truncations
ktap_case malformed packet 6 noise
ktap_end
