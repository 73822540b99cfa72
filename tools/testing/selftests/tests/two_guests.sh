#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Two machines over virtio-net, links in their first network namespaces: data
# compared in each mode, perftest, and a peer without the key.
# srxe-test: kernels=debian guests=2 timeout=600 cost=60
. "${0%/*}/../lib/srxe-lib.sh"
. "${0%/*}/../lib/guests.sh"

TRAFFIC=$SRXE_BUILD/srxe_traffic
HERE_4=$IP4_A THERE_4=$IP4_B
DEV_HERE=$DEV_A DEV_THERE=$DEV_B
PORT=19000

serving() {
	there "[ -n \"\$(ss -Hltn 'sport = :$PORT')\" ]" > /dev/null
}

# between SERVER CLIENT: shell text for each end; fails unless both end well.
between() {
	local server

	there "timeout -k 5 100 $1" > "$(scratch)/server" 2>&1 &
	server=$!
	wait_for 30 serving || { cat "$(scratch)/server"; return 1; }
	if ! timeout -k 5 90 bash -c "$2"; then
		cat "$(scratch)/server"
		return 1
	fi
	wait "$server" || { cat "$(scratch)/server"; return 1; }
}

mode_there() {
	there "\$SRXE link set $DEV_THERE mode $1" && "$SRXE" link set "$DEV_HERE" mode "$1"
}

# compared MODE QP
compared() {
	mode_there "$1" || fail "cannot set mode $1"
	between "$TRAFFIC --dev $DEV_THERE --addr $THERE_4 --port $PORT" \
		"$TRAFFIC --dev $DEV_HERE --port $PORT --qp $2 $THERE_4 | grep -vE ': (ok|skip)'; exit \${PIPESTATUS[0]}" ||
		fail "not what was sent"
}

# measured PROGRAM [OPTION ...]
measured() {
	local here there

	here=$(gid_index "$DEV_HERE" "$HERE_4")
	there=$(there "gid_index $DEV_THERE $THERE_4")
	between "$* -d $DEV_THERE -x $there -p $PORT -F -n 50 -s 16384" \
		"$* -d $DEV_HERE -x $here -p $PORT -F -n 50 -s 16384 $THERE_4" || fail "$1 failed"
}

# Last: the second guest revokes the first's key.
without_key() {
	there "\$SRXE psk revoke dev $DEV_THERE peer:$HERE_4" || fail "cannot revoke the key"
	there "timeout -k 5 60 $TRAFFIC --dev $DEV_THERE --addr $THERE_4 --port $PORT" &
	wait_for 30 serving || fail "no server"
	"$TRAFFIC" --dev "$DEV_HERE" --port "$PORT" --op send --size 64 --timeout 30 "$THERE_4" &&
		fail "connected without a key"
	wait
}

ktap_plan 8
set_up secure-rxe "$DEV_HERE" "$HERE_4" "$IP6_A"
there_set_up secure-rxe "$DEV_THERE" "$THERE_4" "$IP6_B"
key=$(psk_file)
"$SRXE" psk add dev "$DEV_HERE" "peer:$THERE_4" < "$key" || bail "no key here"
there "echo $(base64 -w 0 < "$key") | base64 -d | \$SRXE psk add dev $DEV_THERE peer:$HERE_4" ||
	bail "no key there"
wait_for 20 ping -qc1 -W1 "$THERE_4" > /dev/null || bail "no network between the guests"

for mode in header packet encrypt; do
	ktap_case compared "$mode" rc
done
ktap_case compared encrypt uc
# Waiting for events where perftest can: two processes that poll starve the
# one processor of each guest.
ktap_case measured ib_send_bw -e -N
ktap_case measured ib_write_bw
ktap_case measured ib_read_bw -e -N
ktap_case without_key
ktap_end
