# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Datagrams between a and b.  Needs traffic.sh and hold.sh.

# ud_held [OPTION ...]: as held, with datagrams.
ud_held() {
	# shellcheck disable=SC2034 # held wants it
	local qp=ud

	held --size 64 --recvs 128 "$@"
	plain=$(plain_packets)
}

# plain_packets: how many, sent and received at both ends.
plain_packets() {
	local name

	for name in tx_plain rx_plain; do
		counter "$NS_A" "$DEV_A" "$name"
		counter "$NS_B" "$DEV_B" "$name"
	done | paste -sd ' '
}

# nothing_plain: none since $plain was set to them, by ud_held or otherwise.
nothing_plain() {
	local now

	now=$(plain_packets)
	[ "$now" = "${plain:-0 0 0 0}" ] || fail "plain packets: first $plain, then $now"
}

# received SOCKET: how many datagrams.
received() {
	ctl "$1" recv-count
	sed 's/.*"recv":\([0-9]*\).*/\1/' <<< "$answer"
}

# received_all SOCKET NUMBER
received_all() {
	[ "$(received "$1")" -eq "$2" ]
}

# arrive FROM TO NUMBER: so many datagrams at once arrive, each once.
arrive() {
	local want

	want=$(($(received "$2") + $3))
	ctl "$1" send 64 0 "$3" || fail "cannot send: $answer"
	wait_for 20 received_all "$2" "$want" || fail "$(received "$2") instead of $want arrived"
}

# lost_at FROM NAMESPACE DEVICE COUNTER: datagrams are counted as dropped there, every
# one, and do not arrive at either end.
lost_at() {
	local at_a at_b floor

	at_a=$(received "$end_a") at_b=$(received "$end_b")
	floor=$(($(counter "$2" "$3" "$4") + 3))
	ctl "$1" send 64 0 3 || fail "cannot send: $answer"
	wait_for 20 counted "$2" "$3" "$4" "$floor" || fail "$4 is $(counter "$2" "$3" "$4"), not $floor"
	received_all "$end_a" "$at_a" && received_all "$end_b" "$at_b" || fail "some arrived"
}

# qpn SOCKET: number of its queue pair.
qpn() {
	ctl "$1" info
	sed 's/.*"local":{"qpn":\([0-9]*\).*/\1/' <<< "$answer"
}

# in_state SOCKET STATE: of the queue pair.
in_state() {
	ctl "$1" state
	grep -q "\"state\":\"$2\"" <<< "$answer" || fail "not in $2: $answer"
}

# no_keys 4|6 [a|b]: neither end, or not this one, knows a key, or that there was one.
no_keys() {
	local at_a=$IP4_B at_b=$IP4_A

	[ "$1" = 4 ] || at_a=$IP6_B at_b=$IP6_A
	if [ "${2:-a}" = a ]; then
		a "$SRXE" psk del dev "$DEV_A" "peer:$at_a"
		a "$SRXE" psk clear dev "$DEV_A" "$at_a"
	fi
	if [ "${2:-b}" = b ]; then
		b "$SRXE" psk del dev "$DEV_B" "peer:$at_b"
		b "$SRXE" psk clear dev "$DEV_B" "$at_b"
	fi
	return 0	# there may have been none
}
