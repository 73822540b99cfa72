#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What programs and administrators are told when a connection cannot be protected,
# or no longer: the oldest request's status and vendor_err, the others flushed, and
# one line in the log that names peer and remedy. And of one that begins in plain,
# and has to be protected when its peer gets a key.
# (Refusals for the mode or for being busy cannot be had by settings: KUnit has them.)
# srxe-test: kernels=debian,debug guests=1 timeout=900 cost=300 level=full
. "${0%/*}/../lib/srxe-lib.sh"
. "${0%/*}/../lib/traffic.sh"
. "${0%/*}/../lib/hold.sh"
. "${0%/*}/../lib/trouble.sh"
. "${0%/*}/../lib/datagrams.sh"

# fresh: no keys, no tombstones, and a path that is whole.
fresh() {
	forget a
	forget b
	mend
	a tc qdisc del dev net0 root 2> /dev/null
	protect encrypt aes256-gcm || fail "cannot set mode and suite"
}

# slow: what a sends takes its time, many times what it takes to withdraw a key.
slow() {
	a tc qdisc replace dev net0 root tbf rate 2mbit burst 32kb limit 10mb || skip "no tbf here"
}

# fails SOCKET STATUS:VENDOR [OP LEN COUNT]: some requests fail, the first that does
# with that status, and the others are flushed.  $OUT more are out already.  All
# completions are in $reqs then.
fails() {
	local all=$((${OUT:-0} + ${5:-6}))

	[ -n "$OUT" ] || ctl "$1" reqs
	[ "${5:-6}" -eq 0 ] || ctl "$1" post "${3:-write}" "${4:-64}" 0 "${5:-6}" ||
		fail "cannot post: $answer"
	ctl "$1" wait "$all" 60000
	ctl "$1" reqs
	reqs=$answer
	json "$reqs" "[\"$2\", $all]" 'len(x["reqs"]) == y[1]' \
		'(lambda bad: [w["status"] + ":" + w["vendor"] for w in bad[:1]] == y[:1] and
			all(w["status"] == "wr-flush" and not w["vendor_err"] for w in bad[1:]))(
			[w for w in x["reqs"] if w["status"] != "success"])' \
		'sorted(x["reqs"], key=lambda w: w["status"] != "success") == x["reqs"]'
	in_error "$1" || fail "the queue pair lives on: $answer"
}

in_error() {
	ctl "$1" state
	grep -q '"state":"ERR"' <<< "$answer"
}

# held_in_vain [OPTION ...]: a connection whose handshake has failed in a, for the first
# time; and what the log says of that it has said.
held_in_vain() {
	local seen mark

	mark=$(log_mark)
	seen=$(counter "$NS_A" "$DEV_A" hs_failed)
	held "$@"
	wait_for 60 counted "$NS_A" "$DEV_A" hs_failed $((seen + 1)) || fail "a has an SA"
	wait_for 20 logged "$mark" "$DEV_A" || fail "the log does not say why"
}

# of_qps MARK DEVICE: what the log has said of queue pairs since then.
of_qps() {
	log_since "$1" | grep "$2: qp [0-9]*: "
}

logged() {
	[ -n "$(of_qps "$@")" ]
}

# said MARK PATTERN [DEVICE]: the link has said that since the mark, once, and nothing
# else about a queue pair.
said() {
	local lines

	wait_for 20 logged "$1" "${3:-$DEV_A}"
	lines=$(of_qps "$1" "${3:-$DEV_A}")
	[ "$(wc -l <<< "$lines")" -eq 1 ] && grep -q "qp [0-9]*: $2\$" <<< "$lines" ||
		fail "the log says: \"$lines\", not: $2"
}

# said_revoked MARK
said_revoked() {
	said "$1" "key for $IP4_B was revoked, .*: srxe psk show dev $DEV_A; add a new key, or psk clear"
}

# no_key 4|6: none here for the peer.
no_key() {
	# shellcheck disable=SC2034 # keys wants it
	local mark peer=$IP4_B FAMILY=$1

	[ "$1" = 4 ] || peer=$IP6_B
	fresh
	keys b
	held_in_vain
	mark=$(log_mark)
	fails "$end_a" loc-qp-op:no-key
	said "$mark" "no key for $peer: srxe psk add dev $DEV_A peer:$peer"
	let_go
}

# There is one, but it was revoked before.
revoked_before() {
	local mark

	fresh
	keys both
	a "$SRXE" psk revoke dev "$DEV_A" "peer:$IP4_B" || fail "cannot revoke"
	held_in_vain
	mark=$(log_mark)
	fails "$end_a" retry-exceeded:key-revoked
	said_revoked "$mark"
	let_go
}

# unknown_key none|other: b has none for a, or another.
unknown_key() {
	local mark before_b id

	fresh
	keys a
	[ "$1" = none ] || keys b
	id=$(key_id)
	[ ${#id} -eq 32 ] || fail "no key id: $id"
	before_b=$(counter "$NS_B" "$DEV_B" hs_drop_unknown_key)
	held_in_vain
	mark=$(log_mark)
	fails "$end_a" retry-exceeded:no-answer
	said "$mark" "no answer, or $IP4_B does not know key $id: srxe psk show, there"
	counted "$NS_B" "$DEV_B" hs_drop_unknown_key $((before_b + 1)) ||
		fail "b did not count it"
	let_go
}

# The attempt made when it was connected came to nothing; the request makes another.
silent_peer() {
	local mark

	fresh
	held_in_vain
	cut
	keys both
	mark=$(log_mark)
	fails "$end_a" retry-exceeded:no-answer
	said "$mark" "no answer, or $IP4_B does not know key $(key_id): srxe psk show, there"
	mend
	let_go
}

# b's program stays, but has no device any more.
link_gone() {
	local mark

	fresh
	held_in_vain
	keys both
	link_del "$NS_B" "$DEV_B" || fail "b's link stays"
	mark=$(log_mark)
	fails "$end_a" retry-exceeded:no-answer
	said "$mark" "no answer, or $IP4_B does not know key $(key_id): srxe psk show, there"
	let_go
	link_add "$NS_B" "$DEV_B" || fail "b's link does not come back"
	wait_for 10 gid_index "$DEV_B" "$IP4_B" > /dev/null &&
		wait_for 10 gid_index "$DEV_B" "$IP6_B" > /dev/null || fail "no GIDs"
}

# In the end there is an answer: what waited goes out.
late_answer() {
	fresh
	held_in_vain --qp-timeout 20
	cut
	keys both
	ctl "$end_a" post write 64 0 6 || fail "cannot post: $answer"
	sleep 1
	mend
	ctl "$end_a" wait 6 60000 || fail "$answer"
	json "$answer" '[]' 'x["done"] == 6'
	disconnected
}

# Asked by either side, and answered for both.
refused_suite() {
	local mark seen

	fresh
	keys both
	b "$SRXE" link set "$DEV_B" suites aes128-gcm,chacha20-poly1305 || fail "cannot set suites"
	seen=$(counter "$NS_B" "$DEV_B" hs_failed)
	held_in_vain
	wait_for 30 counted "$NS_B" "$DEV_B" hs_failed $((seen + 1)) || fail "b has an SA"
	mark=$(log_mark)
	fails "$end_a" rem-op:refused-suite
	said "$mark" "$IP4_B refused: suite: .*: srxe link set dev $DEV_A suites"
	counted "$NS_B" "$DEV_B" hs_refuse_sent 1 || fail "b did not refuse"
	# a queue pair in the error state answers nobody
	seen=$(counter "$NS_A" "$DEV_A" hs_failed)
	ctl "$end_a" reset && ctl "$end_a" up || fail "$answer"
	wait_for 30 counted "$NS_A" "$DEV_A" hs_failed $((seen + 1)) || fail "a has an SA"
	mark=$(log_mark)
	fails "$end_b" rem-op:refused-suite
	said "$mark" "$IP4_A refused: suite: .*: srxe link set dev $DEV_B suites" "$DEV_B"
	let_go
}

# An SA is in the making in a.
asking() {
	! no_sa a "$DEV_A"
}

# A minimum raised while a handshake waits: the answer is below it, so it is asked anew.
raised_meanwhile() {
	fresh
	protect header aes256-gcm || fail "cannot set mode"
	held_in_vain --qp-timeout 20
	cut
	keys both
	ctl "$end_a" post write 64 0 6 || fail "cannot post: $answer"
	wait_for 20 asking || fail "no handshake begins"
	a "$SRXE" link set "$DEV_A" mode encrypt || fail "cannot raise the mode"
	mend
	ctl "$end_a" wait 6 60000 || fail "$answer"
	wait_for 20 encrypted || fail "a has $(sas a "$DEV_A"), b $(sas b "$DEV_B")"
	disconnected
}

encrypted() {
	json_is "$(sas a "$DEV_A")" "$(sas b "$DEV_B")" \
		'len(x) == 1 and all(s["mode"] == "encrypt" for s in x + y)' > /dev/null
}

# under_way RC|UC OP LEN COUNT [cut]: the key goes while requests are out, which all
# are if nothing gets to b.
under_way() {
	# shellcheck disable=SC2034 # held wants it
	local mark qp=$1

	fresh
	keys both
	connected
	ctl "$end_a" reqs
	"${5:-slow}"
	ctl "$end_a" post "$2" "$3" 0 "$4" || fail "cannot post: $answer"
	mark=$(log_mark)
	a "$SRXE" psk revoke dev "$DEV_A" "peer:$IP4_B" || fail "cannot revoke"
	OUT=$4 fails "$end_a" retry-exceeded:key-revoked "$2" "$3" 0
	[ -z "$5" ] || json "$reqs" '[]' 'x["reqs"][0]["status"] != "success"'
	said_revoked "$mark"
	let_go
}

# in_plain [OPTION ...]: a connection for which no key is needed, and there is none.
in_plain() {
	fresh
	may_be_unkeyed
	held --size 64 --recvs 128 "$@"
	plain=$(plain_packets)
	arrive "$end_a" "$end_b" 4
	arrive "$end_b" "$end_a" 4
	[ "$(counter "$NS_A" "$DEV_A" tx_plain)" -gt "${plain%% *}" ] || fail "nothing went plain"
	no_sa a "$DEV_A" && no_sa b "$DEV_B" || fail "there are SAs"
}

# protected_now: what is sent arrives, both ways, under one SA; none was plain since
# there are keys.
protected_now() {
	arrive "$end_a" "$end_b" 4
	arrive "$end_b" "$end_a" 4
	nothing_plain
	json "$(sas a "$DEV_A")" "$(sas b "$DEV_B")" 'len(x) == len(y) == 1' \
		'x[0]["id"] == y[0]["id"] and x[0]["kind"] == "'"$qp"'"' \
		'all(s["state"] == "standing" for s in x + y)'
}

# key_added RC|UC: both get a key while they talk plain.  The connection goes on under
# it, with nothing lost, and so does the next.
key_added() {
	local qp=$1

	in_plain
	keys both
	plain=$(plain_packets)
	protected_now
	disconnected
	held --size 64 --recvs 128
	protected_now
	disconnected
}

# The same while requests are out, all of them in plain: they are repeated.
key_added_under_way() {
	local qp=rc seen

	in_plain --retry 7 --qp-timeout 19
	cut
	seen=$(counter "$NS_A" "$DEV_A" tx_plain)
	ctl "$end_a" post write 4096 0 40 || fail "cannot post: $answer"
	wait_for 10 counted "$NS_A" "$DEV_A" tx_plain $((seen + 1)) || fail "nothing is out"
	keys both
	plain=$(plain_packets)
	mend
	ctl "$end_a" wait 40 60000 || fail "$answer"
	json "$answer" '[]' 'x["done"] == 40'
	protected_now
	disconnected
}

# key_added_here: b has none; it is not heard any more, and does not answer.
key_added_here() {
	local mark seen dropped

	in_plain
	ctl "$end_a" reqs
	keys a
	plain=$(counter "$NS_A" "$DEV_A" tx_plain) seen=$(received "$end_a")
	dropped=$(counter "$NS_A" "$DEV_A" rx_drop_unprotected)
	ctl "$end_b" post send 64 0 1 || fail "cannot post: $answer"
	wait_for 10 counted "$NS_A" "$DEV_A" rx_drop_unprotected $((dropped + 1)) ||
		fail "nothing of b's is dropped"
	received_all "$end_a" "$seen" || fail "b is heard"
	mark=$(log_mark)
	fails "$end_a" retry-exceeded:no-answer
	said "$mark" "no answer, or $IP4_B does not know key $(key_id): srxe psk show, there"
	[ "$(counter "$NS_A" "$DEV_A" tx_plain)" = "$plain" ] || fail "a speaks in clear"
	let_go
}

# Nothing is out when the key goes: the first request after it is told.
idle_revoked() {
	# shellcheck disable=SC2034 # held wants it
	local mark qp=$1

	fresh
	keys both
	connected
	ctl "$end_a" reqs
	mark=$(log_mark)
	a "$SRXE" psk revoke dev "$DEV_A" "peer:$IP4_B" || fail "cannot revoke"
	wait_for 20 in_error "$end_a" || fail "the queue pair is in $answer"
	said_revoked "$mark"
	fails "$end_a" wr-flush:key-revoked
	ctl "$end_a" post write 64 && ctl "$end_a" wait 1 5000
	grep -q '"status":"wr-flush","vendor_err":0' <<< "$answer" || fail "told again: $answer"
	let_go
}

idle_expired() {
	fresh
	keys both
	connected
	ctl "$end_a" reqs
	a "$SRXE" psk timeout dev "$DEV_A" "peer:$IP4_B" 1 || fail "cannot set the time limit"
	wait_for 20 in_error "$end_a" || fail "the queue pair is in $answer"
	fails "$end_a" wr-flush:key-revoked
	let_go
}

address_gone() {
	local mark

	fresh
	keys both
	connected
	ctl "$end_a" reqs
	mark=$(log_mark)
	a ip addr del "$IP4_A/24" dev net0 || fail "cannot remove the address"
	wait_for 20 in_error "$end_a" || fail "the queue pair is in $answer"
	said "$mark" "SA with $IP4_B ended: address gone, or machine suspended or copied"
	fails "$end_a" wr-flush:sa-lost
	let_go
	a ip addr add "$IP4_A/24" dev net0 && wait_for 10 gid_index "$DEV_A" "$IP4_A" > /dev/null ||
		fail "the address does not come back"
}

# revoked_there: the peer's key; here that is no more than silence.
revoked_there() {
	fresh
	keys both
	connected --retry 6 --qp-timeout 17
	ctl "$end_a" reqs
	b "$SRXE" psk revoke dev "$DEV_B" "peer:$IP4_A" || fail "cannot revoke"
	fails "$end_a" retry-exceeded:none
	fails "$end_b" wr-flush:key-revoked
	let_go
}

# The peer's queue pair begins anew, which ours cannot follow.
reset_there() {
	local seen

	fresh
	keys both
	connected --retry 6 --qp-timeout 17
	ctl "$end_a" reqs
	seen=$(counter "$NS_A" "$DEV_A" hs_drop_state)
	ctl "$end_b" reset && ctl "$end_b" up || fail "$answer"
	wait_for 10 counted "$NS_A" "$DEV_A" hs_drop_state $((seen + 1)) ||
		fail "b does not ask for a handshake"
	fails "$end_a" retry-exceeded:peer-reset
	let_go
}

# As good as new after a reset, and not a line more than the rate limit lets through.
rate_limited() {
	local mark lines i

	fresh
	held_in_vain
	sysctl -qw net.core.message_cost=60 net.core.message_burst=3
	mark=$(log_mark)
	for i in 1 2 3 4 5 6; do
		fails "$end_a" loc-qp-op:no-key
		ctl "$end_a" reset && ctl "$end_a" up || fail "round $i: $answer"
	done
	lines=$(log_since "$mark" | grep -c "$DEV_A: qp [0-9]*: no key for $IP4_B")
	often
	[ "$lines" -le 3 ] || fail "$lines lines"
	keys both
	ctl "$end_a" reset && ctl "$end_b" reset && ctl "$end_b" up && ctl "$end_a" up ||
		fail "$answer"
	ctl "$end_a" write 64 0 3 || fail "no traffic: $answer"
	disconnected
}

# Cases follow each other faster than the kernel's limit for all lines expects.
often() {
	sysctl -qw net.core.message_cost=5 net.core.message_burst=200
}

cases=(
	"no_key 4"
	revoked_before
	refused_suite
	"under_way rc write 60000 20 cut"
	"under_way uc write 60000 60"
	"idle_revoked uc"
	address_gone
	reset_there
	"key_added rc"
	"key_added uc"
)
[ "$SRXE_TEST_LEVEL" = pairwise ] || cases=(
	"no_key 4"
	"no_key 6"
	revoked_before
	"unknown_key none"
	"unknown_key other"
	silent_peer
	link_gone
	late_answer
	refused_suite
	raised_meanwhile
	"under_way rc write 4096 20 cut"
	"under_way rc write 60000 20 cut"
	"under_way rc read 4096 40 cut"
	"under_way rc write 60000 60"
	"under_way uc write 60000 60"
	"idle_revoked rc"
	"idle_revoked uc"
	idle_expired
	address_gone
	revoked_there
	reset_there
	rate_limited
	"key_added rc"
	"key_added uc"
	key_added_under_way
	key_added_here
)
ktap_plan ${#cases[@]}
topo_path
module_load secure-rxe
link_pair
often
at_exit sysctl -qw net.core.message_cost=5 net.core.message_burst=10
ktap_cases "${cases[@]}"
ktap_end
