#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A netdev, a namespace or a link goes while programs use it: nothing hangs,
# nothing splats, the programs end, and the module can be unloaded after them.
# srxe-test: kernels=debian,debug guests=1 timeout=600 cost=160
. "${0%/*}/../lib/srxe-lib.sh"
. "${0%/*}/../lib/removal.sh"

# traffic_starts: an endless exchange between a and b.
traffic_starts() {
	PERFTEST_PORT=$((PERFTEST_PORT + 1))
	background removal-server b ibv_rc_pingpong -e -d "$DEV_B" -p "$PERFTEST_PORT" \
		-g "$(gid_index "$DEV_B" "$IP4_B")" -n 100000000
	wait_for 20 listening "$NS_B" "$PERFTEST_PORT" || fail "no server"
	background removal-client a ibv_rc_pingpong -e -d "$DEV_A" -p "$PERFTEST_PORT" \
		-g "$(gid_index "$DEV_A" "$IP4_A")" -n 100000000 "$IP4_B"
	wait_for 30 counted "$NS_A" "$DEV_A" sent_pkts 200 || fail "no traffic"
}

programs() {
	pgrep -f "ibv_rc_pingpong.*-p $PERFTEST_PORT"
}

# What was used is gone; programs that still sit there are ended as an
# administrator would, and then nothing may hold the module.
programs_end() {
	pkill -TERM -f "ibv_rc_pingpong.*-p $PERFTEST_PORT"
	for _ in $(seq 200); do
		programs > /dev/null || return 0
		sleep 0.05
	done
	fail "a program does not end: $(ps -o pid,stat,wchan:30,args -C ibv_rc_pingpong)"
}

unloads() {
	module_unload "$(module_name "$TYPE")" || fail "the module is held"
}

setup() {
	module_load "$1"
	topo_direct
	link_pair
	[ "$1" != secure-rxe ] || psk_pair
	traffic_starts
}

netdev_removed() {
	setup "$1"
	netdev_goes
	programs_end
	unloads
}

namespace_removed() {
	setup "$1"
	# the program lives on in a namespace without a name
	within 20 ip netns del "$NS_A"
	programs_end
	wait_for 20 links_gone || fail "links are left"
	unloads
}

# The last process in the namespace is not the one that uses the link: in
# shared mode any program may open any device.
namespace_removed_from_outside() {
	module_load "$1"
	topo_direct
	link_pair
	background outside ibv_rc_pingpong -e -d "$DEV_A" -p 19999 -g "$(gid_index "$DEV_A" "$IP4_A")"
	wait_for 20 pgrep -f "ibv_rc_pingpong.*-p 19999" > /dev/null || fail "no program"
	wait_for 20 sh -c "rdma resource show qp link $DEV_A | grep -q pingpong" || fail "no QP"
	within 20 ip netns del "$NS_A"
	wait_for 20 links_gone || fail "the namespace does not go: $(rdma link)"
	kill -0 "$background_pid" || fail "the program ended by itself"
	kill -TERM "$background_pid"
	wait "$background_pid"
	unloads
}

link_deleted() {
	setup "$1"
	links_go
	programs_end
	unloads
}

# Moved to another namespace, a netdev takes its link with it into nothing.
netdev_moved() {
	setup "$1"
	ip -n "$NS_A" link set net0 netns "$NS_B" name net1
	wait_for 20 sh -c "! rdma link show | grep -qF $DEV_A/" || fail "the link is left"
	programs_end
	link_del "$NS_B" "$DEV_B"
	unloads
}

# Mappings outlive the device; while they do, so does the module.
mapping_pins_module() {
	setup "$1"
	# nothing in the program runs that could end it
	pkill -STOP -f "ibv_rc_pingpong.*-p $PERFTEST_PORT"
	netdev_goes
	rmmod "$(module_name "$1")" 2> /dev/null && fail "unloaded under a mapping"
	pkill -CONT -f "ibv_rc_pingpong.*-p $PERFTEST_PORT"
	programs_end
	unloads
}

cases="netdev_removed namespace_removed namespace_removed_from_outside link_deleted
netdev_moved mapping_pins_module"
# shellcheck disable=SC2086 # words
set -- $cases
mapfile -t types < <(link_types)
ktap_plan $((${#types[@]} * $#))
for type in "${types[@]}"; do
	for one; do
		ktap_case "$one" "$type"
		clean_up "$type" ibv_rc_pingpong
	done
done
ktap_end
