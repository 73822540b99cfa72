#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Namespaces that do not share RDMA devices: a link is made in the initial one's and
# handed over. The core takes it from all of its users for that, and all of it works
# where it is then: datagrams, the connection manager and connections.
# srxe-test: kernels=debian,debug guests=1 timeout=600 cost=40
. "${0%/*}/../lib/srxe-lib.sh"
. "${0%/*}/../lib/traffic.sh"
. "${0%/*}/../lib/hold.sh"
. "${0%/*}/../lib/programs.sh"

# hand_over FROM TO DEVICE: to another namespace; the device
# is there then, and nowhere else.
hand_over() {
	ip netns exec "$1" rdma dev set "$3" netns "$2" || fail "cannot hand $3 over to $2"
	wait_for 10 link_active "$2" "$3" || fail "$3 is not there"
}

all_works() {
	traffic --qp ud --op send --size 64 --iters 2 || fail "no datagrams"
	traffic --qp rc --op send --size 64 --iters 2 || fail "no connection"
	run_rping || fail "rping failed"
}

handed_over() {
	all_works
}

# With SAs that stand, there and back again. Both ends: one alone would send under an
# SA that the other has lost, for some seconds.
handed_on() {
	hand_over "$NS_B" "$NS_A" "$DEV_B"
	hand_over "$NS_A" "$NS_B" "$DEV_A"
	hand_over "$NS_A" "$NS_B" "$DEV_B"
	hand_over "$NS_B" "$NS_A" "$DEV_A"
	all_works
}

shared() {
	rdma system set netns shared
}

ktap_plan 2
modprobe rdma_ucm || bail "no rdma_ucm"
# not while there are others than the initial one, which take a moment to go
wait_for 20 rdma system set netns exclusive 2> /dev/null || bail "namespaces are left"
at_exit wait_for 20 shared
module_load secure-rxe
topo_direct
for end in A B; do
	ns=NS_$end dev=DEV_$end
	ip netns exec "${!ns}" rdma link add "${!dev}" type "$TYPE" netdev net0 || bail "no link"
	at_exit ip netns exec "${!ns}" rdma link del "${!dev}"
	rdma dev set "${!dev}" netns "${!ns}" || bail "cannot hand over ${!dev}"
	wait_for 10 link_active "${!ns}" "${!dev}" || bail "${!dev} is not there"
done
psk_pair
ktap_case handed_over
ktap_case handed_on
ktap_end
