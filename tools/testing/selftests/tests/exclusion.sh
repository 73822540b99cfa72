#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Stock rdma_rxe and ours share a driver id and must never be loaded together:
# whoever comes second is refused with an errno and a line that says what to do.
# srxe-test: kernels=debian guests=1 timeout=600 cost=20
. "${0%/*}/../lib/srxe-lib.sh"

ours_first() {
	local mark output

	module_load "$1"
	mark=$(log_mark)
	output=$(modprobe rdma_rxe 2>&1) && fail "rdma_rxe was loaded"
	[[ $output == *"Address already in use"* ]] || fail "modprobe said: $output"
	log_since "$mark" | grep -q "rdma_rxe cannot be loaded beside.*rmmod $(module_name "$1")" ||
		fail "the log does not say what to do"
	module_unload "$(module_name "$1")"
	# nothing of it is left
	modprobe rdma_rxe || fail "rdma_rxe cannot be loaded after us"
	rmmod rdma_rxe
}

stock_first() {
	local mark output name

	name=$(module_name "$1")
	module_load "$1"
	module_unload "$name"
	modprobe rdma_rxe || fail "no rdma_rxe"
	ip netns exec "$NS_A" rdma link add stock type rxe netdev net0 || fail "no link of stock's"
	mark=$(log_mark)
	output=$(insmod "$SRXE_BUILD/$(uname -r)/$name.ko" 2>&1) && fail "$name was loaded"
	[[ $output == *"Address already in use"* ]] || fail "insmod said: $output"
	log_since "$mark" | grep -q "UDP port 4791 is in use.*rmmod rdma_rxe" ||
		fail "the log does not say what to do"
	link_active "$NS_A" stock || fail "stock's link suffered"
	ip netns exec "$NS_A" rdma link del stock
	rmmod rdma_rxe || fail "rdma_rxe is stuck"
	module_load "$1"
	module_unload "$name"
}

each_other() {
	local mark output

	module_load rxe-plain
	mark=$(log_mark)
	output=$(insmod "$SRXE_BUILD/$(uname -r)/secure_rxe.ko" 2>&1) && fail "both were loaded"
	[[ $output == *"Address already in use"* ]] || fail "insmod said: $output"
	module_unload secure_rxe_plain
}

ktap_plan 5
topo_direct
ktap_case ours_first rxe-plain
ktap_case ours_first secure-rxe
ktap_case stock_first rxe-plain
ktap_case stock_first secure-rxe
ktap_case each_other
ktap_end
