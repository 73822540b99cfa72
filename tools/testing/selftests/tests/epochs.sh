#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Epochs that turn every few packets: nothing is lost or changed by it, whatever the
# network does meanwhile (E2), and a packet that comes after its epoch is dropped (R5).
# Needs the test-only parameter that lowers the number of packets.
# srxe-test: kernels=debian,debug guests=1 timeout=900 cost=180 level=full
. "${0%/*}/../lib/srxe-lib.sh"
. "${0%/*}/../lib/traffic.sh"
. "${0%/*}/../lib/hold.sh"

# every PACKETS: new SAs turn so often.
every() {
	echo "$1" > /sys/module/secure_rxe/parameters/epoch_packets
}

# turned A-TX A-RX: the highest epochs of any connection of a, at its end, are no lower.
turned() {
	python3 -S -c 'import json, sys
shown = [sa for line in sys.stdin for sa in json.loads(line) if sa["kind"] in ("rc", "uc")]
for name, least in zip(("tx-epoch", "rx-epoch"), sys.argv[1:]):
	highest = max((sa[name] for sa in shown), default=None)
	print(f"highest {name} {highest}")
	if highest is None or highest < int(least):
		sys.exit(f"fewer than {least}")' "$@" < "$(scratch)/at-end" || fail "the epochs did not turn"
}

# to_the_end [OPTION ...]: traffic, and the SAs of its connections when all of it is through.
to_the_end() {
	local shown

	shown=$(scratch)/at-end
	: > "$shown"
	traffic --at-end "'$SRXE' -j sa show $DEV_A >> '$shown'" "$@"
}

# turns MODE SUITE A-TX A-RX [OPTION ...]: data of all kinds arrives while they do.
turns() {
	protect "$1" "$2" || fail "cannot set mode $1, suite $2"
	# four times that an epoch may have: what is sent then is lost to UC, as it would be
	# if the workers that make the next one's keys had no time meanwhile
	case " ${*:5} " in
	*" --qp uc "*) every 256 ;;
	*) every 64 ;;
	esac
	to_the_end "${@:5}" || fail "traffic failed"
	turned "$3" "$4"
}

# both_ends RC|UC: what srxe says of them, before and after, on both sides.
both_ends() {
	# shellcheck disable=SC2034 # held wants it
	local qp=$1 before i

	protect encrypt aes256-gcm || fail "cannot set mode"
	every 64
	connected --mtu 1024
	before=$(of_connection a "$DEV_A")
	json "$before" '[]' 'x[0]["tx-epoch"] == x[0]["rx-epoch"] == 0'
	for i in 1 2 3 4 5; do
		ctl "$end_a" fill tx "$i" && ctl "$end_a" write 65536 || fail "no traffic: $answer"
	done
	wait_for 20 arrived || fail "other data arrived: $(sum "$end_a" tx), $(sum "$end_b" rx)"
	json "$before" "$(of_connection a "$DEV_A")" 'x[0]["id"] == y[0]["id"]' 'y[0]["tx-epoch"] >= 3'
	json "$(of_connection a "$DEV_A")" "$(of_connection b "$DEV_B")" 'x[0]["tx-epoch"] == y[0]["rx-epoch"]'
	for i in 1 2 3 4 5; do
		ctl "$end_b" write 65536 || fail "no traffic: $answer"
	done
	json "$(of_connection a "$DEV_A")" "$(of_connection b "$DEV_B")" 'x[0]["rx-epoch"] >= 3' \
		'x[0]["rx-epoch"] == y[0]["tx-epoch"]'
	disconnected
}

# sum SOCKET tx|rx: of that area.
sum() {
	ctl "$1" sum
	sed "s/.*\"$2\":\"\([0-9a-f]*\)\".*/\1/" <<< "$answer"
}

arrived() {
	[ "$(sum "$end_a" tx)" = "$(sum "$end_b" rx)" ]
}

# One SA after another, so that each has its own turn with what is set then; as
# before once nothing is.
as_the_suite_says() {
	every 0
	connected
	ctl "$end_a" write 65536 0 5 || fail "no traffic: $answer"
	json "$(of_connection a "$DEV_A")" '[]' 'x[0]["tx-pn"] > 64 and x[0]["tx-epoch"] == 0'
	disconnected
}

# lost RC|UC PORT ...: nothing at all leaves those ports for two seconds.
lost() {
	local qp=$1 client options="--qp-timeout 13 --iters 1500"

	protect encrypt aes256-gcm || fail "cannot set mode"
	every 64
	[ "$qp" = rc ] || options="--loss --grace 100 --iters 640 --depth 32"
	# shellcheck disable=SC2086 # words
	to_the_end --qp "$qp" --mtu 1024 --size 5000 --op send $options &
	client=$!
	wait_for 20 under_way || fail "no traffic"
	outage "${@:2}"
	wait $client || fail "traffic did not resume"
	turned 8 8
}

under_way() {
	of_connection a "$DEV_A" | grep -q '"tx-epoch": [1-9]'
}

outage() {
	local port status=0

	for port; do
		m tc qdisc replace dev "$port" root netem loss 100% limit 10000 || fail "no netem"
	done
	sleep 2
	kill -0 "$client" || status=1
	for port; do
		m tc qdisc del dev "$port" root
	done
	[ $status -eq 0 ] || fail "traffic was over before"
}

# attack_in MODE
attack_in() {
	every 64
	attack "$1" R5
}

modprobe sch_netem 2> /dev/null
cases=(
	"both_ends rc"
	"as_the_suite_says"
	"turns encrypt aes256-gcm 8 8 --qp rc --size 5000 --iters 32"
	"turns packet aes128-gcm 4 4 --qp uc --iters 32"
	"lost rc to_a to_b"
	"lost uc to_b"
	"attack_in encrypt"
)
[ "$SRXE_TEST_LEVEL" = pairwise ] || cases+=(
	"both_ends uc"
	"turns encrypt aes256-gcm 8 8 --qp rc"
	"turns header aes256-gcm 8 8 --qp rc --op send,write,read --size 5000,65536 --mtu 1024 --iters 32"
	"turns encrypt aegis128 8 8 --qp rc --op send,write,read --size 5000 --mtu 1024 --depth 32 --iters 320"
	# UC: a quarter at a time of what an epoch may have; the next one's key is made meanwhile
	"turns encrypt chacha20-poly1305 8 8 --qp uc --size 5000,65536 --mtu 1024 --depth 1 --iters 32"
	# one way: the other end tells what is ready by control packets only
	"turns packet aes256-gcm 8 0 --qp uc --dir c2s --op write --size 65536 --mtu 1024 --depth 1 --iters 400"
	# past what one byte on the wire can tell
	"turns encrypt aes256-gcm 257 0 --qp rc --dir c2s --op write --size 1048576 --mtu 256 --iters 8 --depth 1"
	"lost rc to_a"
	"lost rc to_b"
	"attack_in packet"
)
ktap_plan $(($(controls_count 1) + ${#cases[@]}))
topo_path
controls R5
module_load_knobs
link_pair
psk_pair
ktap_cases "${cases[@]}"
ktap_end
