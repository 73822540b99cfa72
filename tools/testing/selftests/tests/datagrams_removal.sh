#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A netdev, a namespace or a link goes while SAs of datagrams and of the connection
# manager stand, and datagrams wait for one: nothing hangs, nothing is left.
# srxe-test: kernels=debian,debug guests=1 timeout=600 cost=120
. "${0%/*}/../lib/srxe-lib.sh"
. "${0%/*}/../lib/traffic.sh"
. "${0%/*}/../lib/hold.sh"
. "${0%/*}/../lib/programs.sh"
. "${0%/*}/../lib/datagrams.sh"
. "${0%/*}/../lib/removal.sh"

SILENT=10.77.0.9

# set_up: both kinds of SAs stand, a program listens, and datagrams wait for a peer
# that is not there.
set_up() {
	module_load secure-rxe
	topo_direct
	link_pair
	psk_pair
	psk_add "$NS_A" "$DEV_A" "peer:$SILENT" "$(psk_file)" || fail "no key"
	ip -n "$NS_A" neigh add "$SILENT" lladdr 02:00:00:00:00:09 dev net0
	run_rping || fail "rping failed"
	background listener b rping -s -a "$IP4_B" -p 21999
	wait_for 20 cm_listening 21999 || fail "no listener"
	ud_held
	arrive "$end_a" "$end_b" 1
	ctl "$end_a" to "$SILENT" 17 && ctl "$end_a" send 64 0 8 || fail "cannot send: $answer"
	[ "$(sas a "$DEV_A")" != "[]" ] || fail "no SA"
}

# Programs end as an administrator would have them, and then nothing holds the module.
unloads() {
	pkill -TERM -x srxe_traffic
	pkill -TERM -x rping
	wait_for 10 no_programs || fail "a program does not end"
	module_unload secure_rxe || fail "the module is held"
}

no_programs() {
	! pgrep -x srxe_traffic > /dev/null && ! pgrep -x rping > /dev/null
}

netdev_removed() {
	set_up
	netdev_goes
	unloads
}

namespace_removed() {
	set_up
	within 20 ip netns del "$NS_A"
	unloads
	wait_for 20 links_gone || fail "links are left"
}

link_deleted() {
	set_up
	links_go
	unloads
}

ktap_plan 3
modprobe rdma_ucm || bail "no rdma_ucm"
for one in netdev_removed namespace_removed link_deleted; do
	ktap_case "$one"
	clean_up secure-rxe srxe_traffic rping
done
ktap_end
