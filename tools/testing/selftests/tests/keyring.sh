#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A link's keyring by plain keyctl: what it takes in and from whom, what can be
# done with its keys, and what is left when they, the link and the module go.
# srxe-test: kernels=debian,debug guests=1 timeout=900 cost=90 level=full
. "${0%/*}/../lib/srxe-lib.sh"

HEX=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
# What PROTOCOL's vectors say of it
HEX_ID=c7ee2b0014d762dda87e9d48145e2eb8

# random: a new key, raw.
random() {
	head -c 32 /dev/urandom
}

# state DESCRIPTION: of that key, as srxe tells it; empty if there is none.
state() {
	a "$SRXE" psk show "$DEV_A" | awk -v desc="$1" '$3 == desc && $4 == "state" { print $5 }'
}

# is DESCRIPTION STATE
is() {
	[ "$(state "$1")" = "$2" ]
}

expect() {
	is "$@" || fail "$1 is \"$(state "$1")\", not \"$2\""
}

# add DESCRIPTION: puts a new key into the ring, prints its serial.
add() {
	random | keyctl padd rdma_psk "$1" "$ring" || fail "keyctl does not add $1"
}

# forget: no keys, no remains of keys; what a case begins with.
forget() {
	keyctl clear "$ring"
	wait_for 20 gone || fail "keys stay: $(a "$SRXE" psk show "$DEV_A")"
	a "$SRXE" psk clear dev "$DEV_A" all
	[ -z "$(a "$SRXE" psk show "$DEV_A")" ] ||
		fail "something is left: $(a "$SRXE" psk show "$DEV_A")"
}

gone() {
	! a "$SRXE" psk show "$DEV_A" | grep -q "state live"
}

# refused ERROR COMMAND ...: it fails, for that reason.  Input is passed on.
refused() {
	local reason=$1 said

	shift
	said=$("$@" 2>&1) && fail "done, but should not be: $*"
	grep -q "$reason" <<< "$said" || fail "$*: says \"$said\", not \"$reason\""
}

# weak COMMAND ...: as uid 0 without CAP_NET_ADMIN.
weak() {
	setpriv --bounding-set -net_admin --inh-caps -net_admin "$@"
}

# nobody COMMAND ...: as another user.
nobody() {
	setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}

# in_session COMMAND ...: with the link's keyring possessed, by the session's.
in_session() {
	# shellcheck disable=SC2016 # expanded by the inner shell
	keyctl session - bash -c 'keyctl link "$0" @s; "$@"' "$ring" "$@"
}

keyring_is_there() {
	keyctl describe "$ring" | grep -q -- "-lswrv-lswrv-.* 0 .* 0 keyring: secure_rxe:$DEV_A" ||
		fail "$(keyctl describe "$ring")"
	[ "$(keyctl search @s keyring "secure_rxe:$DEV_A" 2> /dev/null)" != "$ring" ] ||
		fail "it is in a session's keyring"
}

takes_keys() {
	local serial

	forget
	random | keyctl padd rdma_psk peer:10.1.0.1 "$ring" || fail "raw"
	random | od -An -v -tx1 | tr -d ' \n' | keyctl padd rdma_psk peer:fd00::/64#hex "$ring" || fail "hex"
	random | base64 | keyctl padd rdma_psk default "$ring" || fail "base64"
	serial=$(echo $HEX | keyctl padd rdma_psk "peer:10.1.0.0/16" "$ring") || fail "known"
	expect peer:10.1.0.1 live
	expect peer:fd00::/64#hex live
	expect default live
	a "$SRXE" psk show "$DEV_A" | grep -q "serial $serial id $HEX_ID" ||
		fail "not the known key's id: $(a "$SRXE" psk show "$DEV_A")"
}

refuses_descriptions() {
	local desc

	forget
	for desc in peer:10.1.0.1/32 peer:10.1.0.1/16 peer:FD00::1 peer:::ffff:10.1.0.1 me ""; do
		refused "Invalid argument" keyctl padd rdma_psk "$desc" "$ring" < <(random)
	done
	[ "$(keyctl rlist "$ring")" = "" ] || fail "something is in it"
}

refuses_payloads() {
	local payload mark

	forget
	mark=$(log_mark)
	for payload in "" short ${HEX}00 ${HEX%?} "correct horse battery staple now" \
		"$(printf '%064d' 0)"; do
		refused "Invalid argument" keyctl padd rdma_psk peer:10.1.0.1 "$ring" \
			< <(printf %s "$payload")
	done
	log_since "$mark" | grep -q "rdma_psk: expected 32 random bytes" || fail "says nothing"
	! log_since "$mark" | grep -q "horse" || fail "says the key"
}

refuses_other_types() {
	forget
	refused "not supported" keyctl padd user peer:10.1.0.1 "$ring" < <(random)
	refused "not supported" keyctl newring inner "$ring"
}

not_to_be_read() {
	local serial

	forget
	serial=$(add peer:10.1.0.1)
	refused "Permission denied" keyctl pipe "$serial"
	refused "not supported" in_session keyctl pipe "$serial"
	refused "Permission denied" keyctl pupdate "$serial" < <(random)
	refused "not supported\|Permission denied" in_session keyctl pupdate "$serial" < <(random)
}

searched_exactly() {
	local serial found

	forget
	serial=$(add "peer:10.1.0.1#x")
	found=$(in_session keyctl search @s rdma_psk "peer:10.1.0.1#x")
	[ "$found" = "$serial" ] || fail "found $found, not $serial"
	refused "not available" in_session keyctl search @s rdma_psk peer:10.1.0.1
	refused "not available" in_session keyctl search @s rdma_psk "*"
}

# Without possession the owner may not; in a session that links the keyring it may.
revoked() {
	local serial

	forget
	serial=$(add peer:10.1.0.1)
	expect peer:10.1.0.1 live
	refused "Permission denied" keyctl revoke "$serial"
	in_session keyctl revoke "$serial" || fail "keyctl does not revoke"
	expect peer:10.1.0.1 revoked
	sleep 1.2
	expect peer:10.1.0.1 revoked
}

timed_out() {
	local serial

	forget
	serial=$(add peer:10.1.0.1)
	in_session keyctl timeout "$serial" 1 || fail "keyctl does not set the time limit"
	wait_for 20 is peer:10.1.0.1 expired || fail "it is $(state peer:10.1.0.1)"
	sleep 1.2
	expect peer:10.1.0.1 expired
}

unlinked() {
	local serial

	forget
	serial=$(add peer:10.1.0.1)
	expect peer:10.1.0.1 live
	keyctl unlink "$serial" "$ring" || fail "keyctl does not unlink"
	wait_for 20 is peer:10.1.0.1 "" || fail "it is $(state peer:10.1.0.1)"
}

# An alternative stands beside what is left of a key; the same name takes the key's place.
replaced() {
	local first second

	forget
	first=$(add peer:10.1.0.1)
	in_session keyctl revoke "$first" || fail "keyctl does not revoke"
	add "peer:10.1.0.1#2" > /dev/null
	expect peer:10.1.0.1 revoked
	expect "peer:10.1.0.1#2" live
	first=$(add default)
	second=$(add default)
	[ "$first" != "$second" ] || fail "the same object"
	expect default live
	keyctl rlist "$ring" | grep -qw "$second" || fail "the new one is not there"
	! keyctl rlist "$ring" | grep -qw "$first" || fail "the old one is still there"
}

# P1
without_net_admin() {
	forget
	refused "Operation not permitted" weak keyctl padd rdma_psk default "$ring" < <(random)
	refused "Operation not permitted" weak keyctl padd rdma_psk peer:10.1.0.1 "$ring" \
		< <(random)
	# shellcheck disable=SC2016 # expanded by the inner shell
	refused "Operation not permitted" weak keyctl session - bash -c \
		'keyctl link $(head -c 32 /dev/urandom | keyctl padd rdma_psk peer:10.1.0.1 @s) "$0"' \
		"$ring"
	# shellcheck disable=SC2016
	refused "Operation not permitted" weak keyctl session - bash -c \
		'keyctl move $(head -c 32 /dev/urandom | keyctl padd rdma_psk peer:10.1.0.1 @s) @s "$0"' \
		"$ring"
	expect peer:10.1.0.1 ""
	expect default ""
	refused "CAP_NET_ADMIN\|not permitted" weak ip netns exec "$NS_A" "$SRXE" psk show "$DEV_A"
}

# request_key() links what it constructs into the keyring it is given, restricted or not.
past_the_restriction() {
	forget
	add peer:10.1.0.2 > /dev/null
	weak keyctl request2 rdma_psk peer:10.1.0.1 $HEX "$ring"
	expect peer:10.1.0.1 ""
	expect peer:10.1.0.2 live
}

other_users() {
	forget
	refused "Permission denied" nobody keyctl padd rdma_psk peer:10.1.0.1 "$ring" < <(random)
	refused "Permission denied" nobody keyctl rlist "$ring"
	refused "Permission denied" nobody keyctl clear "$ring"
	# root there, with all capabilities, but not where the link is
	refused "not permitted\|Permission denied" unshare -Urn \
		keyctl padd rdma_psk peer:10.1.0.1 "$ring" < <(random)
	expect peer:10.1.0.1 ""
}

attributes_stay() {
	refused "Permission denied" keyctl setperm "$ring" 0x3f3f3f3f
	refused "Permission denied" keyctl chown "$ring" 65534
	refused "Permission denied" keyctl restrict_keyring "$ring"
}

# The key, not only its name, decides: a revoked one denies although the default is there.
ends_connections() {
	local serial

	forget
	add default > /dev/null
	serial=$(keyctl padd rdma_psk "peer:$IP4_B" "$ring" < "$key") || fail "no key in a"
	psk_add "$NS_B" "$DEV_B" "peer:$IP4_A" "$key" || fail "no key in b"
	# the first handshake may have to wait for crypto modules
	perftest ib_write_bw -n 1 > /dev/null 2>&1
	perftest ib_write_bw -n 100 || fail "does not work to begin with"
	a "$SRXE" psk show "$DEV_A" | grep -q "$IP4_B.*tombstone" || fail "a does not remember b"
	b "$SRXE" psk show "$DEV_B" | grep -q "$IP4_A.*tombstone" || fail "b does not remember a"
	in_session keyctl revoke "$serial" || fail "keyctl does not revoke"
	PERFTEST_SECONDS=20 perftest ib_write_bw -n 100 && fail "works under a revoked key"
	keyctl padd rdma_psk "peer:$IP4_B#2" "$ring" < "$key" || fail "no second key"
	perftest ib_write_bw -n 100 || fail "does not work with an alternative"
	keyctl clear "$ring"
	add default > /dev/null
	sleep 1.2
	PERFTEST_SECONDS=20 perftest ib_write_bw -n 100 && fail "works under the default"
	a "$SRXE" psk show "$DEV_A" | grep -q "$IP4_B.*denied" || fail "no tombstone"
}

# works [SECONDS]: a talks to b, and b to a.
works() {
	PERFTEST_SECONDS=${1:-60} perftest ib_write_bw -b -n 100
}

# revoked_and_back: of b's keys in a one was revoked, and an alternative came and went
# that nobody used.
revoked_and_back() {
	add "peer:$IP4_B" > /dev/null
	a "$SRXE" psk revoke dev "$DEV_A" "peer:$IP4_B" || fail "does not revoke"
	add "peer:$IP4_B#new" > /dev/null
	expect "peer:$IP4_B" revoked
	expect "peer:$IP4_B#new" live
	a "$SRXE" psk del dev "$DEV_A" "peer:$IP4_B#new" || fail "does not delete"
	expect "peer:$IP4_B" revoked
}

# forget_b: likewise b.
forget_b() {
	keyctl clear "$(b "$SRXE" link show "$DEV_B" | sed -n 's/.* keyring \([0-9]*\) .*/\1/p')"
	b "$SRXE" psk clear dev "$DEV_B" all
}

# unanswered: how often a has dropped what b asked for: for its key, or because the queue
# pair that it asked has failed for want of one.
unanswered() {
	echo $(($(counter "$NS_A" "$DEV_A" hs_drop_unknown_key) + \
		$(counter "$NS_A" "$DEV_A" hs_drop_state)))
}

# refused_there UNANSWERED PLAIN: b has asked since, and did not get in, nor talk plain.
refused_there() {
	[ "$(unanswered)" -gt "$1" ] || fail "b did not ask, or got in"
	[ "$(counter "$NS_A" "$DEV_A" rx_plain)" = "$2" ] || fail "b talks plain"
	[ "$(a "$SRXE" -j sa show "$DEV_A")" = "[]" ] || fail "a has SAs: $(a "$SRXE" sa show "$DEV_A")"
}

# L2: what was revoked denies until it is taken away by name, whatever else there is:
# the default, which b knows as well ...
denied_beside_default() {
	local asked plain

	forget
	forget_b
	keyctl padd rdma_psk default "$ring" < "$key" > /dev/null || fail "no default in a"
	psk_add "$NS_B" "$DEV_B" "peer:$IP4_A" "$key" || fail "no key in b"
	works || fail "does not work to begin with"
	revoked_and_back
	asked=$(unanswered) plain=$(counter "$NS_A" "$DEV_A" rx_plain)
	works 20 && fail "works under the default"
	refused_there "$asked" "$plain"
	a "$SRXE" psk del dev "$DEV_A" "peer:$IP4_B" || fail "does not forget"
	works || fail "does not work under the default after that"
}

# ... or that peers without a key may talk plain.
denied_beside_plain() {
	local plain

	forget
	forget_b
	a "$SRXE" link set "$DEV_A" unkeyed allow
	b "$SRXE" link set "$DEV_B" unkeyed allow
	works || fail "does not work to begin with"
	revoked_and_back
	plain=$(counter "$NS_A" "$DEV_A" rx_plain)
	works 20 && fail "works in plain"
	[ "$(counter "$NS_A" "$DEV_A" rx_plain)" = "$plain" ] || fail "b talks plain"
	a "$SRXE" psk clear dev "$DEV_A" "$IP4_B" || fail "does not forget"
	works || fail "does not work in plain after that"
	a "$SRXE" link set "$DEV_A" unkeyed deny
	b "$SRXE" link set "$DEV_B" unkeyed deny
}

# Whoever holds on to the keyring and to a key holds nothing that works.
link_and_module_go() {
	local held

	held=$(random | keyctl padd rdma_psk peer:10.1.0.9 @u) || fail "no key in @u"
	keyctl link "$ring" @u || fail "no link to the keyring"
	link_del "$NS_A" "$DEV_A" && link_del "$NS_B" "$DEV_B" || fail "the links stay"
	refused "revoked" keyctl padd rdma_psk peer:10.1.0.1 "$ring" < <(random)
	module_unload "$(module_name "$TYPE")" || fail "the module stays"
	! grep -q "rdma_psk" /proc/keys || fail "keys stay: $(grep rdma_psk /proc/keys)"
	refused "revoked" keyctl padd user a "$ring" < <(random)
	refused "revoked\|not available\|Permission denied" keyctl describe "$held"
	keyctl clear @u
}

cases=(
	keyring_is_there
	takes_keys
	not_to_be_read
	revoked
	timed_out
	unlinked
	replaced
	ends_connections
	denied_beside_plain
	link_and_module_go
)
[ "$SRXE_TEST_LEVEL" = pairwise ] || cases=(
	keyring_is_there
	takes_keys
	refuses_descriptions
	refuses_payloads
	refuses_other_types
	not_to_be_read
	searched_exactly
	revoked
	timed_out
	unlinked
	replaced
	without_net_admin
	past_the_restriction
	other_users
	attributes_stay
	ends_connections
	denied_beside_default
	denied_beside_plain
	link_and_module_go
)
ktap_plan ${#cases[@]}
module_load secure-rxe
topo_direct
link_pair
key=$(psk_file)
ring=$(a "$SRXE" link show "$DEV_A" | sed -n 's/.* keyring \([0-9]*\) .*/\1/p')
ktap_cases "${cases[@]}"
ktap_end
