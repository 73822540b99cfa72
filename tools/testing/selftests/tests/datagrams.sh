#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Datagrams: what is sent to whom, protected how, when keys, modes and addresses come
# and go; the connection manager after its peer has started again.
# srxe-test: kernels=debian,debug guests=1 timeout=900 cost=230
. "${0%/*}/../lib/srxe-lib.sh"
. "${0%/*}/../lib/traffic.sh"
. "${0%/*}/../lib/hold.sh"
. "${0%/*}/../lib/programs.sh"
. "${0%/*}/../lib/datagrams.sh"

GSI_QKEY=0x80010000
GROUP=239.1.2.3

# moves MODE SUITE FAMILY: every size, with and without immediate, both ways.
moves() {
	local FAMILY=$3 depth=8

	[ "$SRXE_TEST_LEVEL" = pairwise ] || depth=32
	# in that order: an SA that is left would be made anew, and be refused for b's suite
	new_keys "$3" || fail "no keys"
	protect "$1" "$2" || fail "cannot set mode $1, suite $2"
	traffic --qp ud --iters "$depth" --depth "$depth" || fail "not what was sent"
	nothing_plain
	wait_for 20 ud_sa "$1" "$2" || fail "a has $(sas a "$DEV_A"), b $(sas b "$DEV_B")"
}

# ud_sa MODE SUITE: a has one with b, that of datagrams, and both say the same of it.
ud_sa() {
	json_is "$(sas a "$DEV_A")" "$(sas b "$DEV_B")" \
		'[(s["kind"], s["mode"], s["suite"]) for s in x if s["peer"] == "'"$(at_b)"'"] ==
			[("ud", "'"$1"'", "'"$2"'")]' \
		'sorted(s["id"] for s in x if s["state"] == "standing") ==
			sorted(s["id"] for s in y if s["state"] == "standing")' \
		'not any("local-qpn" in s or "peer-qpn" in s for s in x + y)' > /dev/null
}

# All that may wait for a first handshake does, and arrives.
first_contact() {
	new_keys 4 || fail "no keys"
	ud_held
	arrive "$end_a" "$end_b" 32
	arrive "$end_b" "$end_a" 32
	nothing_plain
	let_go
}

kinds_shown() {
	ud_held
	arrive "$end_a" "$end_b" 1
	run_rping || fail "rping failed"
	a "$SRXE" sa show | grep -q "$DEV_A: ud local $IP4_A peer $IP4_B " ||
		fail "no datagram SA in: $(a "$SRXE" sa show)"
	a "$SRXE" sa show | grep -q "$DEV_A: gsi local $IP4_A peer $IP4_B " ||
		fail "no connection manager's SA in: $(a "$SRXE" sa show)"
	let_go
}

# Nobody is spoken to without a key, nor listened to; the queue pairs live on, and
# others are of no concern.
no_key() {
	no_keys 4
	ud_held
	lost_at "$end_a" "$NS_A" "$DEV_A" tx_drop_unprotected
	in_state "$end_a" RTS
	at_case_end deny_unkeyed
	a "$SRXE" link set "$DEV_A" unkeyed allow
	lost_at "$end_a" "$NS_B" "$DEV_B" rx_drop_unprotected
	in_state "$end_a" RTS
	in_state "$end_b" RTS
	let_go
	FAMILY=6 traffic --qp rc --op send --size 64 --iters 1 ||
		fail "a peer with a key is not reached"
}

# Plain peers may become keyed ones while they talk.
key_added() {
	no_keys 4
	may_be_unkeyed
	ud_held
	arrive "$end_a" "$end_b" 2
	arrive "$end_b" "$end_a" 2
	[ "$(counter "$NS_A" "$DEV_A" tx_plain)" -ge 2 ] || fail "nothing went plain"
	new_keys 4 || fail "no keys"
	plain=$(plain_packets)
	arrive "$end_a" "$end_b" 2
	arrive "$end_b" "$end_a" 2
	nothing_plain
	let_go
}

# A peer whose key was revoked is not spoken to in clear, nor heard, whatever others may.
revoked() {
	new_keys 4 || fail "no keys"
	ud_held
	arrive "$end_a" "$end_b" 1
	may_be_unkeyed
	a "$SRXE" psk revoke dev "$DEV_A" "peer:$IP4_B" || fail "cannot revoke"
	wait_for 20 no_sa a "$DEV_A" || fail "the SA outlives its key"
	plain=$(plain_packets)
	lost_at "$end_a" "$NS_A" "$DEV_A" tx_drop_key_revoked
	# b talks under its SA, and then, when it has forgotten the key, plain
	no_keys 4 b
	lost_at "$end_b" "$NS_A" "$DEV_A" rx_drop_unprotected
	[ "$(counter "$NS_A" "$DEV_A" tx_plain)" -eq "${plain%% *}" ] || fail "a spoke in clear"
	in_state "$end_a" RTS
	let_go
}

# SAs below a raised minimum make way for others; either end may ask.
raised() {
	protect header aes256-gcm
	new_keys 4 || fail "no keys"
	ud_held
	arrive "$end_a" "$end_b" 1
	a "$SRXE" link set "$DEV_A" mode packet || fail "cannot raise the mode"
	wait_for 20 stands a "$DEV_A" packet || fail "not packet: $(sas a "$DEV_A")"
	arrive "$end_a" "$end_b" 4
	b "$SRXE" link set "$DEV_B" mode encrypt || fail "cannot raise the mode"
	wait_for 20 stands a "$DEV_A" encrypt || fail "not encrypt: $(sas a "$DEV_A")"
	arrive "$end_a" "$end_b" 4
	arrive "$end_b" "$end_a" 4
	nothing_plain
	let_go
	protect encrypt "$SUITE"
}

# stands a|b DEVICE MODE: datagrams have an SA of that mode, and no other.  One that
# has made way is made again when there is something to send.
stands() {
	! no_sa "$1" "$2" || ctl "$end_a" send 64
	json_is "$(sas "$1" "$2")" '[]' 'x and all(s["mode"] == "'"$3"'" for s in x)' > /dev/null
}

address_leaves() {
	ud_held
	arrive "$end_a" "$end_b" 1
	ip -n "$NS_A" addr del "$IP4_A/24" dev net0
	wait_for 10 no_sa a "$DEV_A" || fail "the SA outlives its address"
	let_go
	ip -n "$NS_A" addr add "$IP4_A/24" dev net0
	wait_for 10 gid_index "$DEV_A" "$IP4_A" > /dev/null || fail "the address does not come back"
	ud_held
	arrive "$end_a" "$end_b" 1
	let_go
}

# Nobody could tell who of a group speaks.
multicast() {
	local mark

	ud_held
	mark=$(log_mark)
	! ctl "$end_b" join "$GROUP" || fail "b has joined a group"
	log_since "$mark" | grep -q "$DEV_B: .*multicast.*unkeyed" ||
		fail "the log does not say why: $(log_since "$mark")"
	! run_mckey || fail "mckey works"
	ctl "$end_a" to "$GROUP" || fail "$answer"
	lost_at "$end_a" "$NS_A" "$DEV_A" tx_drop_multicast
	let_go
	# a member with a key would not be heard in clear
	no_keys 4
	may_be_unkeyed
	run_mckey || fail "mckey does not work under allow"
}

# A datagram to one's own address needs a key as any other does.
to_oneself() {
	ud_held
	ctl "$end_a" to "$IP4_A" "$(qpn "$end_a")" || fail "$answer"
	lost_at "$end_a" "$NS_A" "$DEV_A" tx_drop_unprotected
	psk_add "$NS_A" "$DEV_A" "peer:$IP4_A" "$(psk_file)" || fail "no key"
	arrive "$end_a" "$end_a" 4
	nothing_plain
	let_go
	a "$SRXE" psk del dev "$DEV_A" "peer:$IP4_A"
}

# Whose queue pair it is decides, not the qkey that it asks for: instead of one with
# the highest bit it sends its own, which here is b's as well.
only_gsi_to_gsi() {
	ud_held
	arrive "$end_a" "$end_b" 1
	ctl "$end_a" to "$IP4_B" "$(qpn "$end_b")" 0x80000001 || fail "$answer"
	arrive "$end_a" "$end_b" 1
	ctl "$end_a" to "$IP4_B" 1 "$GSI_QKEY" || fail "$answer"
	lost_at "$end_a" "$NS_A" "$DEV_A" tx_drop_qp1
	ctl "$end_a" to || fail "$answer"
	arrive "$end_a" "$end_b" 1
	let_go
}

# Its link gone and made again, b knows of no SA; the next connection a asks for is
# made nevertheless (L1), and datagrams find their way.
peer_starts_again() {
	plain=$(plain_packets)
	new_keys 4 || fail "no keys"
	run_rping || fail "rping failed"
	link_del "$NS_B" "$DEV_B"
	link_add "$NS_B" "$DEV_B" || fail "b does not start again"
	wait_for 10 gid_index "$DEV_B" "$IP4_B" > /dev/null || fail "no GID"
	psk_add "$NS_B" "$DEV_B" "peer:$IP4_A" "$key" || fail "no key"
	run_rping || fail "rping failed after that"
	# b's counters began anew as well
	[ "$(plain_packets | cut -d ' ' -f 1,3)" = "$(cut -d ' ' -f 1,3 <<< "$plain")" ] ||
		fail "a had plain packets: first $plain, then $(plain_packets)"
	psk_add "$NS_B" "$DEV_B" "peer:$IP6_A" "$key" || fail "no key"
}

over_ipv6() {
	# shellcheck disable=SC2034 # rping wants it
	local FAMILY=6

	plain=$(plain_packets)
	new_keys 6 || fail "no keys"
	run_rping || fail "rping failed"
	nothing_plain
}

# many_peers N: N addresses at each end, all of which talk to each other.
many_peers() {
	local n

	plain=$(plain_packets)
	for n in $(seq "$1"); do
		echo "addr add 10.78.0.$n/16 dev net0" >&3
		echo "addr add 10.78.1.$n/16 dev net0" >&4
	done 3> "$(scratch)/at_a" 4> "$(scratch)/at_b"
	ip -n "$NS_A" -b "$(scratch)/at_a" && ip -n "$NS_B" -b "$(scratch)/at_b" ||
		fail "no addresses"
	wait_for 20 gid_index "$DEV_A" "10.78.0.$1" > /dev/null &&
		wait_for 20 gid_index "$DEV_B" "10.78.1.$1" > /dev/null || fail "no GIDs"
	psk_add "$NS_A" "$DEV_A" peer:10.78.0.0/16 "$key" &&
		psk_add "$NS_B" "$DEV_B" peer:10.78.0.0/16 "$key" || fail "no keys"
	"$SRXE_BUILD/srxe_peers" "$DEV_A" "$DEV_B" 10.78 10.78 "$(patient 300)" || fail "some are lost"
	nothing_plain
}

SUITE=aes256-gcm
peers=32
cells=(
	"header aes256-gcm 4"
	"packet aegis128 6"
	"encrypt chacha20-poly1305 4"
	"encrypt aes128-gcm 6"
	"header chacha20-poly1305 6"
	"packet aes128-gcm 4"
	"header aegis128 4"
	"packet aes256-gcm 6"
)
cases=(
	first_contact
	kinds_shown
	to_oneself
	only_gsi_to_gsi
	address_leaves
	raised
	multicast
	no_key
	key_added
	revoked
	over_ipv6
	peer_starts_again
)
if [ "$SRXE_TEST_LEVEL" = pairwise ]; then
	peers=6
	cells=("${cells[@]:0:2}")
	cases=(
		to_oneself
		address_leaves
		raised
		key_added
		revoked
		peer_starts_again
	)
fi
ktap_plan $((${#cells[@]} + ${#cases[@]} + 1))
topo_direct
protected_links
modprobe rdma_ucm || bail "no rdma_ucm"
ktap_cases "${cells[@]/#/moves }"
protect encrypt "$SUITE" && new_keys || bail "cannot set the mode"
ktap_cases "${cases[@]}"
new_keys || bail "no keys"
ktap_case many_peers "$peers"
ktap_end
