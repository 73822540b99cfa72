#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What rxe lacks whatever the mode, on our module: bounds of memory windows, path
# MTU, a full queue, memory in pieces, requests in user rings, data that a packet
# tap shares.
# (Packet info unset on early drops: malformed.sh.)
# srxe-test: kernels=debian,debug guests=1 timeout=900 cost=190
. "${0%/*}/../lib/srxe-lib.sh"

# The peer's index is looked up once: every start of a program costs under TCG.
program() {
	local program=$1 what=$2

	shift 2
	timeout -k 5 "$(patient 400)" "${0%/*}/../lib/$program" "$what" \
		"$DEV_A" "$gid_a" "$DEV_B" "$gid_b" "$@" || fail "$what: status $?"
}

verbs() {
	program verbs_fixes.py "$@"
}

rings() {
	program verbs_rings.py "$@"
}

memory_windows() {
	verbs windows
}

window_states() {
	verbs window-states
}

opcode_in_user_ring() {
	rings opcode
}

reg_mr_in_user_ring() {
	rings reg-mr
}

payload_in_user_ring() {
	rings payload
}

buffers_in_user_ring() {
	rings receive
}

# Responses are under way long enough to change requests meanwhile.
late_change_in_user_ring() {
	b tc qdisc add dev net0 root netem delay 150ms || fail "no netem"
	rings late
	b tc qdisc del dev net0 root
}

window_in_user_ring() {
	rings bind
}

index_of_user_ring() {
	rings index
}

# The netdev's MTU may change at any time; who asks then gets the link's.
path_mtu_above_link() {
	verbs path-mtu 4096 yes
	a ip link set net0 mtu 1500
	b ip link set net0 mtu 1500
	verbs path-mtu 4096 no
	verbs path-mtu 2048 no
	verbs path-mtu 1024 yes
	a ip link set net0 mtu 9000
	b ip link set net0 mtu 9000
	verbs path-mtu 4096 yes
}

reset_under_traffic() {
	verbs reset
}

# A queue of a few packets, slow enough to be full again and again.
full_queue() {
	local dropped

	# Six packets each 200 ms: a message alone has more of them, however slow
	# the machine that makes them.
	a tc qdisc add dev net0 root netem delay 200ms limit 6 || fail "no netem"
	PERFTEST_SECONDS=300 perftest ib_write_bw -N -s 65536 -n 8 -t 8 -u 17 > /dev/null ||
		fail "the queue pair did not survive"
	a tc -s qdisc show dev net0
	dropped=$(a tc -s qdisc show dev net0 | sed -n 's/.*dropped \([0-9]*\),.*/\1/p' | head -n 1)
	a tc qdisc del dev net0 root
	[ "$dropped" -gt 0 ] || fail "the queue was never full"
	echo "$dropped packets dropped"
}

# Packets larger than a page, and no pages in a row to make them of as usual.
memory_in_pieces() {
	local knob

	knob=/sys/module/$(module_name secure-rxe)/parameters/no_large_frags
	echo Y > "$knob"
	PERFTEST_SECONDS=300 perftest ib_write_bw -N -s 65536 -n 40 -t 8 || fail "writes fail"
	PERFTEST_SECONDS=300 perftest ib_read_bw -N -s 65536 -n 40 -t 8 || fail "reads fail"
	echo N > "$knob"
}

shared_with_tap() {
	local fifo

	fifo=$(scratch)/tap-fifo
	mkfifo "$fifo"
	ip netns exec "$NS_B" "${0%/*}/../lib/verbs_fixes.py" tap < "$fifo" > "$(scratch)/tap" 2>&1 &
	exec 8> "$fifo"
	wait_for 20 grep -q ready "$(scratch)/tap" || fail "no tap: $(cat "$(scratch)/tap")"
	verbs plaintext
	exec 8>&-
	wait $! || fail "$(cat "$(scratch)/tap")"
}

ktap_plan 14
modprobe sch_netem
topo_direct
module_load_knobs
link_pair
psk_pair
gid_a=$(gid_index "$DEV_A" "$IP4_A")
gid_b=$(gid_index "$DEV_B" "$IP4_B")
ktap_case memory_windows
ktap_case window_states
ktap_case opcode_in_user_ring
ktap_case reg_mr_in_user_ring
ktap_case payload_in_user_ring
ktap_case buffers_in_user_ring
ktap_case late_change_in_user_ring
ktap_case window_in_user_ring
ktap_case index_of_user_ring
ktap_case path_mtu_above_link
ktap_case reset_under_traffic
ktap_case full_queue
ktap_case memory_in_pieces
ktap_case shared_with_tap
ktap_end
