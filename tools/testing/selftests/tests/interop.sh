#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A second machine with the distribution's own rdma_rxe: where unkeyed peers are
# allowed the two talk, whoever asks; one that has a key, or had one, is neither
# spoken to in clear nor heard.
# srxe-test: kernels=debian guests=2 timeout=600 cost=150
. "${0%/*}/../lib/srxe-lib.sh"
. "${0%/*}/../lib/traffic.sh"
. "${0%/*}/../lib/guests.sh"

HERE_4=$IP4_A THERE_4=$IP4_B
DEV_HERE=$DEV_A DEV_THERE=rxe_b
PORT=22000

here() {
	bash -c "$1"
}

# waits_at here|there: a server does, by a socket or by rdma_cm.
waits_at() {
	"$1" "[ -n \"\$(ss -Hltn 'sport = :$PORT')\" ] ||
		rdma resource show cm_id | grep -q 'LISTEN .*:$PORT '" > /dev/null
}

# Both programs as shell text, for the guest that serves and for the other one.
programs() {
	local ip=$THERE_4 server=$DEV_THERE client=$DEV_HERE at=$1

	[ "$at" = there ] || ip=$HERE_4 server=$DEV_HERE client=$DEV_THERE
	PORT=$((PORT + 1))
	case $2 in
	rping)
		serve="rping -s -a $ip -p $PORT -C 10 -V"
		ask="rping -c -a $ip -p $PORT -C 10 -V"
		;;
	pingpong)
		serve="ibv_rc_pingpong -e -n 100 -d $server -g ${index[$server]} -p $PORT"
		ask="ibv_rc_pingpong -e -n 100 -d $client -g ${index[$client]} -p $PORT $ip"
		;;
	*)
		serve="$TRAFFIC --dev $server --addr $ip --port $PORT"
		ask="$TRAFFIC --dev $client --port $PORT --qp $2 $ip"
		;;
	esac
	other=here
	[ "$at" = there ] || other=there
}

# start here|there PROGRAM: both; $server_pid and $client_pid.
start() {
	programs "$1" "$2"
	background server "$1" "timeout -k 5 100 $serve"
	server_pid=$background_pid
	wait_for 30 waits_at "$1" || fail "no server: $(cat "$(scratch)/server")"
	background client "$other" "timeout -k 5 90 $ask"
	client_pid=$background_pid
}

# talks here|there PROGRAM: it serves at that end, and all goes well.
talks() {
	start "$@"
	wait "$client_pid" && wait "$server_pid" && return
	cat "$(scratch)/client" "$(scratch)/server"
	fail "$2 does not work"
}

drops() {
	rdma -j statistic show link "$DEV_HERE/1" | python3 -S -c 'import json, sys
print(sum(v for k, v in json.load(sys.stdin)[0].items()
	if k.startswith(("rx_drop_", "tx_drop_")) or k == "hs_failed"))'
}

plain() {
	rdma -j statistic show link "$DEV_HERE/1" | python3 -S -c 'import json, sys
link = json.load(sys.stdin)[0]
print(link["tx_plain"], link["rx_plain"])'
}

# over PID DROPS: the program has ended, or that many packets were dropped.
over() {
	! kill -0 "$1" 2> /dev/null || [ "$(drops)" -ge "$2" ]
}

# refused here|there PROGRAM: nothing gets through in clear.
refused() {
	local before at_first status

	before=$(plain) at_first=$(drops)
	start "$@"
	wait_for 40 over "$client_pid" $((at_first + 2)) || fail "nothing happens"
	if kill -0 "$client_pid" 2> /dev/null; then
		here "pkill -KILL 'rping|ibv_rc_pingpong'"
		there "pkill -KILL 'rping|ibv_rc_pingpong'"
	fi
	wait "$client_pid"
	status=$?
	[ "$status" -ne 0 ] || fail "$2 works"
	[ "$(plain)" = "$before" ] || fail "plain packets: $before, then $(plain)"
	[ "$(drops)" -gt "$at_first" ] || [ "$status" -lt 124 ] || fail "no reason was counted"
}

# each talks|refused: by both programs, in both directions.
each() {
	local end program

	for end in there here; do
		for program in pingpong rping; do
			ktap_case "$1" "$end" "$program"
		done
	done
}

ktap_plan 17
set_up secure-rxe "$DEV_HERE" "$HERE_4" "$IP6_A"
there_set_up rxe "$DEV_THERE" "$THERE_4" "$IP6_B"
if ! modprobe rdma_ucm || ! there "modprobe rdma_ucm"; then
	bail "no rdma_ucm"
fi
declare -A index=([$DEV_HERE]=$(gid_index "$DEV_HERE" "$HERE_4")
	[$DEV_THERE]=$(there "gid_index $DEV_THERE $THERE_4"))
wait_for 20 ping -qc1 -W1 "$THERE_4" > /dev/null || bail "no network between the guests"
"$SRXE" link set "$DEV_HERE" unkeyed allow || bail "unkeyed allow refused"

each talks
ktap_case talks there rc
ktap_case talks there uc
ktap_case talks here ud
"$SRXE" psk add dev "$DEV_HERE" "peer:$THERE_4" < "$(psk_file)" || bail "no key"
each refused
"$SRXE" psk revoke dev "$DEV_HERE" "peer:$THERE_4" || bail "cannot revoke the key"
ktap_case refused there rping
ktap_case refused here rping
ktap_case refused there pingpong
ktap_case refused here pingpong
"$SRXE" psk del dev "$DEV_HERE" "peer:$THERE_4" || bail "cannot delete the key"
"$SRXE" psk clear dev "$DEV_HERE" "$THERE_4"
ktap_case talks there rping
ktap_case talks here pingpong
ktap_end
