#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A local user without rights makes a queue pair aimed at the remote end of somebody
# else's connection (N1), or gets the very number that the remote end expects (N1b).
# Plain links take what he sends for the other's; on protected ones he gets nothing
# through, and the remote end's SA is as it was.
# srxe-test: kernels=debian,debug guests=1 timeout=600 cost=60 level=full
. "${0%/*}/../lib/srxe-lib.sh"
. "${0%/*}/../lib/traffic.sh"
. "${0%/*}/../lib/hold.sh"

# field SOCKET COMMAND EXPRESSION: of its answer x.
field() {
	ctl "$1" "$2" || fail "$2: $answer"
	python3 -S -c 'import json, sys
x = json.loads(sys.argv[1])
print(eval(sys.argv[2]))' "$answer" "$3"
}

# take [OWN-QPN]: a local user's queue pair in a sends to b's, at the PSN that b expects.
take() {
	local qpn psn

	qpn=$(field "$end_b" info 'x["local"]["qpn"]')
	psn=$(field "$end_b" state 'x["rq_psn"]')
	a setpriv --reuid 65534 --regid 65534 --clear-groups \
		python3 "$(scratch)/verbs_local.py" take "$DEV_A" "$gid" "::ffff:$IP4_B" "$qpn" "$psn" \
		"$@" || fail "the attacker gives up"
}

received() {
	field "$end_b" recv-count 'x["recv"]'
}

received_more() {
	[ "$(received)" -gt "$1" ]
}

# links TYPE: of that type.  Their queue pairs have numbers from the beginning again.
links() {
	module_load "$1"
	link_pair
	gid=$(gid_index "$DEV_A" "$IP4_A")
	[ "$1" = rxe-plain ] || same_key
	chmod 666 /dev/infiniband/uverbs*
}

same_key() {
	psk_add "$NS_A" "$DEV_A" "peer:$IP4_B" "$key" && psk_add "$NS_B" "$DEV_B" "peer:$IP4_A" "$key" ||
		bail "no keys"
}

# falls, holds N1|N1b
falls() {
	local before

	connected
	before=$(received)
	"$1"
	wait_for 10 received_more "$before" || fail "b has received nothing: $answer"
}

holds() {
	local before sa seen said

	connected
	before=$(received)
	sa=$(sas b "$DEV_B")
	seen=$(counter "$NS_B" "$DEV_B" hs_drop_state)
	said=$("$1") || fail "$said"
	echo "$said"
	# retry-exceeded
	json "$said" '[]' 'x["status"] == 12'
	counted "$NS_B" "$DEV_B" hs_drop_state $((seen + 1)) || fail "b was not asked"
	[ "$(received)" = "$before" ] || fail "b has received something: $answer"
	json "$sa" "$(sas b "$DEV_B")" 'len(x) == len(y) == 1' 'x[0]["id"] == y[0]["id"]' \
		'x[0]["rx-pn"] == y[0]["rx-pn"] and y[0]["state"] == "standing"'
	# the victim itself is gone then
	[ "$1" = N1b ] && return
	ctl "$end_a" write 64 0 3 && ctl "$end_b" write 64 0 3 || fail "the connection is broken: $answer"
}

# Another queue pair of the same host.
N1() {
	take
}

# The one whose number b expects: the other's link went, and with it the other's.
N1b() {
	local own

	own=$(field "$end_a" info 'x["local"]["qpn"]')
	link_del "$NS_A" "$DEV_A" || fail "a's link stays"
	# shellcheck disable=SC2046 # words
	kill -KILL $(ip netns pids "$NS_A")
	link_add "$NS_A" "$DEV_A" || fail "a's link does not come back"
	wait_for 10 gid_index "$DEV_A" "$IP4_A" > /dev/null || fail "no GID"
	chmod 666 /dev/infiniband/uverbs*
	[ "$TYPE" = rxe-plain ] ||
		psk_add "$NS_A" "$DEV_A" "peer:$IP4_B" "$key" || fail "no key"
	take "$own"
}

unlinked() {
	link_del "$NS_A" "$DEV_A"
	link_del "$NS_B" "$DEV_B"
	module_unload "$(module_name "$1")"
}

controls=("falls N1" "falls N1b")
[ "$SRXE_TEST_LEVEL" != pairwise ] || controls=()
cases=("holds N1" "holds N1b")
ktap_plan $((${#controls[@]} + ${#cases[@]}))
topo_direct
key=$(psk_file)
chmod 755 "$(scratch)"
cp "$srxe_lib/verbs_local.py" "$(scratch)" || bail "no copy"
if [ ${#controls[@]} -gt 0 ]; then
	links rxe-plain
	ktap_cases "${controls[@]}"
	# shellcheck disable=SC2046 # words
	kill -KILL $(ip netns pids "$NS_A") $(ip netns pids "$NS_B")
	unlinked rxe-plain
fi
links secure-rxe
ktap_cases "${cases[@]}"
ktap_end
