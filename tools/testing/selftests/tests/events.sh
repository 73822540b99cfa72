#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What is seen of protection at work: events by srxe monitor, rdma resource, and
# tracepoints; each provoked, and nothing seen where nothing is to be.
# srxe-test: kernels=debian,debug guests=1 timeout=1200 cost=240 level=full
. "${0%/*}/../lib/srxe-lib.sh"
. "${0%/*}/../lib/traffic.sh"
. "${0%/*}/../lib/hold.sh"
. "${0%/*}/../lib/trouble.sh"
export SRXE_TOP SRXE_BUILD

genl=${0%/*}/../lib/genl.py
tracing=/sys/kernel/tracing
HEX=7d1f3a90c2b4e6581907f3a5bd2c4e6f8091a3b5c7d9ebfd0f2143658799abcd

# fresh: no keys, no tombstones, nobody who watches, and a path that is whole.
fresh() {
	local left

	left=$(pidof srxe)
	# shellcheck disable=SC2086 # words
	[ -z "$left" ] || kill -KILL $left
	forget a
	forget b
	mend
	protect encrypt aes256-gcm || fail "cannot set mode and suite"
}

# watch FILE NAMESPACE [ARGUMENT ...]: srxe monitor there, listening.  Its process in
# $watcher.
watch() {
	background "$1" ip netns exec "$2" "${@:3}"
	watcher=$background_pid
	wait_for 20 waits "$watcher" || fail "it does not listen: $(cat "$(scratch)/$1")"
}

# What it waits for is an event: answers are there when they are read.
waits() {
	grep -q skb_wait "/proc/$1/wchan"
}

# watch_both: JSON of a's events in file a, of b's in b, and a's as text in text.
watch_both() {
	watch a "$NS_A" "$SRXE" -j monitor
	watch b "$NS_B" "$SRXE" -j monitor
	watch text "$NS_A" "$SRXE" monitor
}

# seen SECONDS FILE EXPRESSION ...: Python expressions about x, the events in the file,
# come true within that time.
seen() {
	python3 -S -c 'import json, sys, time
true, false = True, False
end = time.monotonic() + float(sys.argv[1])
what = lambda name, **have: [e for e in x if e["event"] == name and
	all(e.get(k.replace("_", "-")) == v for k, v in have.items())]
def holds(expression):
	try:
		return eval("(" + expression + ")")
	except (IndexError, KeyError):
		return False
while True:
	x = [json.loads(line) for line in open(sys.argv[2]).read().split("\n")[:-1]]
	wrong = [expression for expression in sys.argv[3:] if not holds(expression)]
	if not wrong or time.monotonic() >= end:
		break
	time.sleep(0.1)
if wrong:
	sys.exit("not so: " + "; ".join(wrong) + " in " + json.dumps(x))' "$1" "$(scratch)/$2" \
		"${@:3}" 2>&1
}

# told FILE EXPRESSION ...: they come true.
told() {
	seen "$(patient 30)" "$@" || exit
}

# told_text PATTERN: a line of the text is all that.
told_text() {
	wait_for 20 grep -Eqx "[0-9]+: $DEV_A: $1" "$(scratch)/text" ||
		fail "no line $1 in $(cat "$(scratch)/text")"
}

# up_and_down RC|UC 4|6: what is told is what srxe sa show shows.
up_and_down() {
	# shellcheck disable=SC2034 # held wants them
	local qp=$1 FAMILY=$2 a=$IP4_A b=$IP4_B sa id

	fresh
	[ "$2" = 4 ] || a=$IP6_A b=$IP6_B
	psk_pair
	protect packet aes128-gcm || fail "cannot set mode"
	watch_both
	connected
	sa=$(sas a "$DEV_A")
	id=$(id_of "$sa")
	told a "len(what('sa-up', id='$id')) == 1 and not what('sa-down', id='$id')" \
		"all(what('sa-up', id='$id')[0][k] == v for k, v in ${sa}[0].items() if k not in
			('state', 'initiator', 'driver', 'established', 'tx-epoch', 'tx-pn',
			'rx-epoch', 'rx-pn', 'key-match'))" \
		"what('sa-up', ifname='$DEV_A', kind='$1', local='$a', peer='$b', mode='packet',
			suite='aes128-gcm', key_description='peer:$b')"
	told b "what('sa-up', ifname='$DEV_B', kind='$1', local='$b', peer='$a', mode='packet')"
	told_text "sa-up $1 local $a qpn [0-9]+ peer $b qpn [0-9]+ mode packet suite aes128-gcm id [0-9a-f]{32} spi 0x[0-9a-f]{8} peer-spi 0x[0-9a-f]{8} key peer:$b serial [0-9]+ key-id [0-9a-f]{32}"
	disconnected
	told a "[e['event'] for e in x if e['id'] == '$id'] == ['sa-up', 'sa-down']" \
		"{**what('sa-up', id='$id')[0], 'event': 'sa-down'} in x" \
		"len(what('sa-up')) == len(what('sa-down'))"
	told b "[e['event'] for e in x if e['id'] == '$id'] == ['sa-up', 'sa-down']"
	told_text "sa-down $1 local $a qpn [0-9]+ peer $b .*"
}

# id_of SAS
id_of() {
	python3 -S -c 'import json, sys; print(json.loads(sys.argv[1])[0]["id"])' "$1"
}

# So does what rdma_cm asks for, whose datagrams are dropped.
no_key_cm() {
	fresh
	keys b
	watch_both
	background rping a rping -c -a "$IP4_B" -C 1
	told a "what('handshake-failed', reason='no-key', kind='gsi', local='$IP4_A', peer='$IP4_B')" \
		"all(e['kind'] == 'gsi' for e in what('handshake-failed'))" \
		"'key-id' not in what('handshake-failed')[0] and not what('sa-up')"
	background_end "$background_pid"
}

# A handshake without a key fails at once, and is told.
no_key() {
	fresh
	keys b
	watch_both
	held
	told a "what('handshake-failed', reason='no-key', kind='rc', local='$IP4_A', peer='$IP4_B',
		count=1)" "len(what('handshake-failed')) == 1" \
		"'key-id' not in what('handshake-failed')[0] and not what('sa-up')"
	told_text "handshake-failed reason no-key count 1 rc local $IP4_A qpn [0-9]+ peer $IP4_B qpn [0-9]+"
	let_go
}

# wrong_key: another than b's.  The one who asks gets no answer, the other says why.
wrong_key() {
	local key

	fresh
	keys a
	keys b
	key=$(a "$SRXE" -j psk show "$DEV_A" | python3 -S -c 'import json, sys
print(json.load(sys.stdin)[0]["key-id"])')
	watch_both
	held
	told b "what('auth-failed', reason='unknown-key', kind='rc', local='$IP4_B', peer='$IP4_A')"
	told a "what('auth-failed', reason='unknown-key', kind='rc', peer='$IP4_B')" \
		"what('handshake-failed', reason='no-answer', kind='rc', peer='$IP4_B',
			key_id='$key')" "not what('sa-up')"
	told_text "handshake-failed reason no-answer count [0-9]+ rc local .* key-id $key"
	told_text "auth-failed reason unknown-key count [0-9]+ rc local $IP4_A qpn [0-9]+ peer $IP4_B qpn [0-9]+"
	let_go
}

refused() {
	fresh
	keys both
	b "$SRXE" link set "$DEV_B" suites aes128-gcm || fail "cannot set suites"
	watch_both
	held
	told a "what('handshake-failed', reason='refused-suite', peer='$IP4_B')" "what(
		'handshake-failed')[0]['key-id']"
	told b "what('handshake-failed', reason='refused-suite', peer='$IP4_A')"
	let_go
}

# gone REASON COMMAND ...: that is done to a's key; it is told, and the SA's end.
gone() {
	local id

	fresh
	keys both
	watch_both
	connected
	id=$(id_of "$(sas a "$DEV_A")")
	a "$SRXE" psk "${@:2}" || fail "srxe psk ${*:2}"
	told a "what('key-gone', reason='$1', ifname='$DEV_A', key_description='peer:$IP4_B',
			key_id=x[0]['key-id'], key_serial=x[0]['key-serial'])" \
		"what('sa-down', id='$id', peer='$IP4_B')" \
		"len(what('key-gone')) == len(what('sa-down', id='$id')) == 1" "not what('auth-failed')"
	told_text "key-gone reason $1 key peer:$IP4_B serial [0-9]+ key-id [0-9a-f]{32}"
	let_go
}

revoked() {
	gone revoked revoke dev "$DEV_A" "peer:$IP4_B"
}

expired() {
	gone expired timeout dev "$DEV_A" "peer:$IP4_B" 1
}

removed() {
	gone removed del dev "$DEV_A" "peer:$IP4_B"
}

# forge COUNT: as many packets under b's SA with a wrong tag, under numbers not seen.
forge() {
	m "$ATTACK/srxe-attack" flip --iface to_b --pcap "$(scratch)/sealed.pcap" --to "$IP4_B" \
		--groups icv --count "$1" || fail "nothing is forged"
}

# capture COUNT: packets that a has sealed and b has not seen.
capture() {
	background capture ip netns exec "$NS_M" "$ATTACK/srxe-attack" capture --iface to_a \
		--out "$(scratch)/sealed.pcap" --seconds "$(patient 20)" --count "$1"
	wait_for 20 grep -q capturing "$(scratch)/capture" || fail "$(cat "$(scratch)/capture")"
	cut
	ctl "$end_a" post write 64 0 "$1" || fail "cannot post: $answer"
	wait "$background_pid" || fail "no capture: $(cat "$(scratch)/capture")"
}

dropped() {
	counted "$NS_B" "$DEV_B" rx_drop_bad_tag "$1"
}

# told_at_most FILE NUMBER EVENT SINCE: so often, and once for each ten seconds since then:
# the first failure is told after a second, and every ten seconds how many there were more.
told_at_most() {
	seen 0 "$1" "len(what('$3')) <= $2 + $(((SECONDS - $4) / 10))" || exit
}

# Hundreds of forged packets are one event, and what comes of more of them one more.
forged() {
	local before now start

	fresh
	keys both
	watch_both
	connected --retry 7 --qp-timeout 20
	capture 12
	start=$SECONDS
	before=$(counter "$NS_B" "$DEV_B" rx_drop_bad_tag)
	forge 12
	# each with every byte of its tag changed, all of them 0 and all 0xff
	now=$((before + 12 * 18))
	wait_for 20 dropped "$now" ||
		fail "only $(($(counter "$NS_B" "$DEV_B" rx_drop_bad_tag) - before)) were dropped for their tag"
	told b "what('auth-failed', reason='bad-tag', kind='rc', local='$IP4_B', peer='$IP4_A')" \
		"sum(e['count'] for e in what('auth-failed')) == $now - $before"
	told_at_most b 2 auth-failed "$start"
	forge 12
	wait_for 20 dropped $((2 * now - before)) || fail "they were not dropped"
	told b "sum(e['count'] for e in what('auth-failed')) == 2 * ($now - $before)"
	told_at_most b 3 auth-failed "$start"
	seen 0 a "not what('auth-failed')" || exit
	let_go
}

# Failures in a row are not told one by one.
counted_together() {
	local i seen start

	fresh
	keys b
	watch_both
	start=$SECONDS
	held
	for i in 1 2 3 4 5 6 7 8 9; do
		seen=$(counter "$NS_A" "$DEV_A" hs_failed)
		ctl "$end_a" reset && ctl "$end_a" up || fail "round $i: $answer"
		wait_for 20 counted "$NS_A" "$DEV_A" hs_failed $((seen + 1)) ||
			fail "round $i: no handshake fails"
	done
	told a "sum(e['count'] for e in what('handshake-failed', reason='no-key')) == 10"
	told_at_most a 3 handshake-failed "$start"
	let_go
}

# Events of a are a's alone, and of a link those of that link.
elsewhere() {
	fresh
	watch_both
	watch m "$NS_M" "$SRXE" monitor
	background host "$SRXE" monitor
	wait_for 20 waits "$background_pid" || fail "it does not listen: $(cat "$(scratch)/host")"
	watch one "$NS_A" "$SRXE" -j monitor dev "$DEV_A"
	watch other "$NS_A" "$SRXE" -j monitor srxe_two
	ip -n "$NS_A" link add dummy0 type dummy && ip -n "$NS_A" link set dummy0 up ||
		fail "no second netdev"
	link_add "$NS_A" srxe_two dummy0 || fail "no second link"
	psk_add "$NS_A" srxe_two peer:10.200.0.1 "$(psk_file)" &&
		a "$SRXE" psk revoke dev srxe_two peer:10.200.0.1 || fail "no key"
	keys a
	a "$SRXE" psk revoke dev "$DEV_A" "peer:$IP4_B" || fail "cannot revoke"
	told a "{e['ifname'] for e in what('key-gone')} == {'$DEV_A', 'srxe_two'}" \
		"len({e['ifindex'] for e in x}) == 2"
	told one "{e['ifname'] for e in x} == {'$DEV_A'}"
	told other "{e['ifname'] for e in x} == {'srxe_two'}"
	link_del "$NS_A" srxe_two || fail "rdma link del"
	ip -n "$NS_A" link del dummy0
	[ ! -s "$(scratch)/b" ] && [ ! -s "$(scratch)/m" ] && [ ! -s "$(scratch)/host" ] ||
		fail "seen elsewhere: $(cat "$(scratch)"/{b,m,host})"
}

needs_net_admin() {
	local who said status

	for who in "--reuid=nobody --clear-groups --inh-caps=-all" \
		"--inh-caps=-net_admin --bounding-set=-net_admin"; do
		# shellcheck disable=SC2086 # words
		said=$(a timeout 10 setpriv $who "$SRXE" monitor 2>&1)
		status=$?
		[ "$status" -eq 2 ] && grep -q CAP_NET_ADMIN <<< "$said" ||
			fail "$who: status $status: $said"
	done
	a timeout 10 "$SRXE" monitor a b 2> /dev/null
	[ $? -eq 1 ] || fail "two links"
	a "$SRXE" monitor help | grep -q "srxe monitor" || fail "no help"
}

# Whoever is not quick enough hears that there was more.
lost() {
	local max slow

	fresh
	max=$(sysctl -n net.core.rmem_max)
	sysctl -qw net.core.rmem_max=2304
	watch slow "$NS_A" "$SRXE" -j monitor
	slow=$watcher
	watch text "$NS_A" "$SRXE" monitor
	sysctl -qw net.core.rmem_max="$max"
	kill -STOP "$slow" "$watcher"
	many_keys 60 || fail "no keys"
	set -- "$watcher"
	watch a "$NS_A" "$SRXE" -j monitor
	a keyctl clear "$(ring)"
	told a "len(what('key-gone', reason='removed')) == 60" "not what('lost')"
	kill -CONT "$slow" "$1"
	told slow "what('lost') and 0 < len(what('key-gone', reason='removed')) < 60"
	wait_for 20 grep -q '^lost events: ' "$(scratch)/text" || fail "$(cat "$(scratch)/text")"
}

ring() {
	a "$SRXE" -j link show "$DEV_A" | python3 -S -c 'import json, sys
print(json.load(sys.stdin)[0]["keyring"])'
}

many_keys() {
	a python3 -S -c 'import ctypes, sys
keys = ctypes.CDLL("libkeyutils.so.1")
for i in range(int(sys.argv[3])):
	desc = b"peer:10.200.0.%d" % (1 + i)
	if keys.add_key(b"rdma_psk", desc, sys.argv[2].encode(), 64, int(sys.argv[1])) < 0:
		sys.exit(1)' "$(ring)" "$HEX" "$1"
	a "$SRXE" psk show "$DEV_A" > /dev/null
}

# The spec, the kernel's library and our kernel side agree on every event.
by_spec() {
	fresh
	keys both
	watch_both
	background spec ip netns exec "$NS_A" "$genl" events "$(patient 300)"
	watcher=$background_pid
	wait_for 120 polls "$watcher" || fail "it does not listen: $(cat "$(scratch)/spec")"
	connected
	a "$SRXE" psk revoke dev "$DEV_A" "peer:$IP4_B" || fail "cannot revoke"
	let_go
	a "$SRXE" psk del dev "$DEV_A" "peer:$IP4_B"
	a "$SRXE" psk clear dev "$DEV_A" all
	held
	told spec "what('sa-up', dev_name='$DEV_A', kind='rc', mode='encrypt', suite='aes256-gcm',
			key_description='peer:$IP4_B')" \
		"what('sa-down') and what('key-gone', key_end='revoked')" \
		"what('handshake-failed', failure='no-key', count=1)" \
		"what('auth-failed', auth_cause='unknown-key', kind='rc')" \
		"what('sa-up')[0]['local-gid'].startswith('::ffff:')"
	kill -KILL "$watcher"
	let_go
}

polls() {
	grep -q poll "/proc/$1/wchan" || grep -q select "/proc/$1/wchan"
}

# None of them holds a key, and a reader that is gone is no success.
output() {
	local status

	fresh
	with_hex
	watch_both
	background full ip netns exec "$NS_A" bash -c 'exec "$1" monitor > /dev/full' - "$SRXE"
	watcher=$background_pid
	wait_for 20 waits "$watcher" || fail "it does not listen"
	connected
	a "$SRXE" psk revoke dev "$DEV_A" "peer:$IP4_B" || fail "cannot revoke"
	told a "what('sa-down')"
	! grep -qiE "${HEX:0:24}|${HEX:40:24}" "$(scratch)"/{a,b,text} || fail "a key was shown"
	wait "$watcher"
	status=$?
	[ "$status" -eq 1 ] && grep -q "cannot write" "$(scratch)/full" || fail "status $status"
	let_go
}

with_hex() {
	printf '%s' "$HEX" > "$(scratch)/hex"
	psk_add "$NS_A" "$DEV_A" "peer:$IP4_B" "$(scratch)/hex" &&
		psk_add "$NS_B" "$DEV_B" "peer:$IP4_A" "$(scratch)/hex" || fail "no key"
}

# resource DEVICE: what rdma shows of its queue pairs, as JSON.
resource() {
	rdma -j resource show qp link "$1" -dd
}

resources() {
	local shown sa

	fresh
	keys both
	connected
	sa=$(sas a "$DEV_A")
	shown=$(resource "$DEV_A")
	json "$shown" "$sa" 'len([q for q in x if "drv_mode" in q]) == 1' \
		'(lambda q, s: q["drv_mode"] == s["mode"] and q["drv_suite"] == s["suite"] and
			q["drv_crypto_driver"] == s["driver"] and q["drv_peer"] == s["peer"] and
			q["drv_key_id"] == s["key-id"] and q["drv_sa_id"] == s["id"] and
			q["drv_tx_epoch"] == s["tx-epoch"] and q["drv_rx_epoch"] == s["rx-epoch"] and
			q["lqpn"] == s["local-qpn"])([q for q in x if "drv_mode" in q][0], y[0])'
	rdma resource show qp link "$DEV_A" | grep -q encrypt && fail "shown without -dd"
	a "$SRXE" psk revoke dev "$DEV_A" "peer:$IP4_B" || fail "cannot revoke"
	json "$(resource "$DEV_A")" '[]' 'x and not [q for q in x if "drv_mode" in q]'
	let_go
}

# Asked for all the time while queue pairs and their SAs come and go.
resources_in_a_hurry() {
	local asked i

	fresh
	keys both
	background asked bash -c 'n=0
while [ ! -e "$1" ]; do
	rdma -j resource show qp -dd > "$2" || exit
	n=$((n + 1))
done
echo $n' - "$(scratch)/enough" "$(scratch)/shown"
	asked=$background_pid
	for i in 1 2 3 4; do
		connected
		if ((i % 2)); then
			ctl "$end_a" reset && ctl "$end_b" reset && ctl "$end_b" up &&
				ctl "$end_a" up || fail "$answer"
		fi
		let_go
	done
	touch "$(scratch)/enough"
	wait "$asked" || fail "rdma failed: $(cat "$(scratch)/asked")"
	[ "$(cat "$(scratch)/asked")" -gt 4 ] || fail "it was not asked often: $(cat "$(scratch)/asked")"
}

# trace EVENT ...: that is traced from now on, and nothing else.
trace() {
	local event

	echo 0 > $tracing/events/enable
	echo > $tracing/trace
	for event; do
		echo 1 > "$tracing/events/secure_rxe/$event/enable" || fail "no tracepoint $event"
	done
}

# traced PATTERN: a line of the trace, which a worker may be about to write.
traced() {
	wait_for 20 grep -Eq "$1" $tracing/trace || fail "no $1 in $(tail -n 20 $tracing/trace)"
}

tracepoints() {
	local a="::ffff:$IP4_A" b="::ffff:$IP4_B" qpns

	[ -d $tracing/events/secure_rxe ] || skip "no tracing in this kernel"
	fresh
	with_hex
	trace srxe_seal srxe_open srxe_drop srxe_handshake
	connected
	qpns="lqpn=[0-9]+ rqpn=[0-9]+"
	traced "srxe_handshake: dev=srxe_[ab] step=init-sent kind=rc local=($a|$b) peer=($a|$b) $qpns"
	traced "srxe_handshake: dev=srxe_[ab] step=init-received kind=rc local=($a|$b) peer=($a|$b) $qpns"
	traced "srxe_handshake: dev=srxe_[ab] step=resp-sent kind=rc"
	traced "srxe_handshake: dev=srxe_[ab] step=resp-received kind=rc"
	traced "srxe_handshake: dev=$DEV_A step=established kind=rc local=$a peer=$b"
	traced "srxe_handshake: dev=$DEV_B step=established kind=rc local=$b peer=$a"
	traced "srxe_seal: dev=$DEV_A kind=rc peer=$b $qpns mode=encrypt suite=aes256-gcm opcode=0x0a spi=0x$(spi_to_b) epoch=0 pn=[0-9]+ len=[0-9]+"
	traced "srxe_open: dev=$DEV_B kind=rc peer=$a $qpns mode=encrypt suite=aes256-gcm opcode=0x0a spi=0x$(spi_to_b) epoch=0 pn=[0-9]+ len=[0-9]+"
	capture 1
	forge 1
	traced "srxe_drop: dev=$DEV_B reason=rx_drop_bad_tag saddr=$a daddr=$b opcode=0x0a qpn=[0-9]+ spi=0x$(spi_to_b) len=[0-9]+"
	mend
	no_key_traced
	trace srxe_drop srxe_handshake
	a "$SRXE" psk del dev "$DEV_A" "peer:$IP4_B"
	let_go
	a "$SRXE" psk clear dev "$DEV_A" all
	held
	traced "srxe_handshake: dev=$DEV_A step=failed kind=rc local=$a peer=$b"
	wait_for 10 grep -q "srxe_drop: dev=$DEV_A reason=hs_drop_unknown_key saddr=$b daddr=$a" \
		$tracing/trace || fail "no handshake's message is dropped"
	no_key_traced
	trace
	let_go
}

no_key_traced() {
	! grep -qiE "${HEX:0:24}|${HEX:40:24}" $tracing/trace || fail "a key was traced"
}

# The SPI that packets to b carry, as traced.
spi_to_b() {
	python3 -S -c 'import json, sys
print("%08x" % json.loads(sys.argv[1])[0]["peer-spi"])' "$(sas a "$DEV_A")"
}

cases=(
	"up_and_down rc 4"
	"up_and_down uc 6"
	no_key
	no_key_cm
	wrong_key
	refused
	revoked
	expired
	removed
	forged
	counted_together
	elsewhere
	needs_net_admin
	lost
	by_spec
	output
	resources
	resources_in_a_hurry
	tracepoints
)
[ "$SRXE_TEST_LEVEL" != pairwise ] || cases=("up_and_down rc 4" wrong_key resources_in_a_hurry revoked
	forged tracepoints)
ktap_plan ${#cases[@]}
modprobe rdma_ucm || bail "no rdma_ucm"
topo_path
module_load secure-rxe
link_pair
ktap_cases "${cases[@]}"
ktap_end
