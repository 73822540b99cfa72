#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Datagrams and the connection manager: forged, changed, cut and copied on the path
# (A1, G2, M3, D5, R1, R4u), sent by who may not (N2), under an SA that does not entitle
# to it (N3).
# srxe-test: kernels=debian,debug guests=1 timeout=900 cost=180 level=full
. "${0%/*}/../lib/srxe-lib.sh"
. "${0%/*}/../lib/traffic.sh"

# later NAME: with crypto that completes later, so that packets meet there.
later() {
	local driver="cryptd(gcm_base(ctr(aes-generic),ghash-generic))"

	a "$SRXE" link set "$DEV_A" driver "$driver" && b "$SRXE" link set "$DEV_B" driver "$driver" ||
		fail "cannot set the driver"
	new_keys || fail "no keys"
	attack encrypt "$1"
}

ktap_plan $(($(controls_count 5) + 13))
modprobe rdma_ucm || bail "no rdma_ucm"
topo_path
controls A1u M3 R4u D5 N2
protected_links
# in the order of their strength: SAs of a lower one are ended by the next
for name in A1u G2u M3 N3 D5 N2; do
	ktap_case attack header "$name"
done
for name in A1u G2u N3 D5 N2; do
	ktap_case attack packet "$name"
done
ktap_case attack encrypt G2u
ktap_case later R4u
ktap_end
