# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Unmodified RDMA programs between a and b.  Needs traffic.sh.

PROGRAM_PORT=21000

# tcp_listening PORT, cm_listening PORT: true if a program waits there in b, by a
# socket or by rdma_cm.
tcp_listening() {
	listening "$NS_B" "$1"
}

cm_listening() {
	b rdma resource show cm_id | grep -q "state LISTEN .* src-addr [^ ]*:$1 "
}

# served tcp|cm PORT COMMAND ...: a program in b, and it listens there.
served() {
	background server b "${@:3}"
	wait_for 20 "$1_listening" "$2" && return
	cat "$(scratch)/server"
	return 1
}

# between tcp|cm PORT SERVER ... -- CLIENT ...: a program in b and, once it listens
# there, one in a.  Fails unless the client ends well, and the server too, or with
# ENDLESS=y does not end.
between() {
	local how=$1 port=$2 server=() pid status

	shift 2
	while [ "$1" != -- ]; do
		server+=("$1")
		shift
	done
	shift
	served "$how" "$port" timeout -k 5 "$(patient 90)" "${server[@]}" || return
	pid=$background_pid
	a timeout -k 5 "$(patient 60)" "$@"
	status=$?
	if [ "$status" -ne 0 ] || [ -n "${ENDLESS:-}" ]; then
		background_end "$pid"
		wait "$pid" 2> /dev/null
	else
		wait "$pid" || status=$?
	fi
	[ "$status" -eq 0 ] && return
	echo "$1: status $status; the server said:"
	cat "$(scratch)/server"
	return 1
}

# next_port: in $PROGRAM_PORT, one that nobody has used.
next_port() {
	PROGRAM_PORT=$((PROGRAM_PORT + 1))
}

# at_b: b's address, IPv6 if FAMILY=6.
at_b() {
	if [ "${FAMILY:-4}" = 6 ]; then echo "$IP6_B"; else echo "$IP4_B"; fi
}

# format: the same as an option of rdma_cm's examples.
format() {
	if [ "${FAMILY:-4}" = 6 ]; then echo "-f ip6"; else echo "-f ip"; fi
}

# Programs by the names of test cases.  What they are to show is in their status,
# rping and ibv_ud_pingpong compare data.

run_rping() {
	next_port
	between cm "$PROGRAM_PORT" rping -s -a "$(at_b)" -p "$PROGRAM_PORT" -C 10 -V -- \
		rping -c -a "$(at_b)" -p "$PROGRAM_PORT" -C 10 -V
}

run_ucmatose() {
	next_port
	# shellcheck disable=SC2046 # words
	between cm "$PROGRAM_PORT" ucmatose $(format) -b "$(at_b)" -p "$PROGRAM_PORT" -c 4 -- \
		ucmatose $(format) -s "$(at_b)" -p "$PROGRAM_PORT" -c 4
}

# udaddy knows one port only.  It sends all it has at once and waits for all of it,
# which is no more than may wait for a first SA.
run_udaddy() {
	# shellcheck disable=SC2046 # words
	between cm 7174 udaddy $(format) -b "$(at_b)" -c 3 -C 10 -S 1000 -- \
		udaddy $(format) -s "$(at_b)" -c 3 -C 10 -S 1000
}

run_cmtime() {
	next_port
	ENDLESS=y between cm "$PROGRAM_PORT" cmtime -b "$IP4_B" -p "$PROGRAM_PORT" -- \
		cmtime -s "$IP4_B" -p "$PROGRAM_PORT" -c 20
}

run_ud_pingpong() {
	next_port
	between tcp "$PROGRAM_PORT" ibv_ud_pingpong -d "$DEV_B" -g "$(gid_index "$DEV_B" "$IP4_B")" \
		-p "$PROGRAM_PORT" -n 100 -s 2048 -c -e -- \
		ibv_ud_pingpong -d "$DEV_A" -g "$(gid_index "$DEV_A" "$IP4_A")" \
		-p "$PROGRAM_PORT" -n 100 -s 2048 -c -e "$IP4_B"
}

run_send_bw() {
	perftest ib_send_bw -e -N -c UD -n 200 -s 1024
}

run_write_bw_cm() {
	next_port
	between cm "$PROGRAM_PORT" ib_write_bw -R -F -n 50 -p "$PROGRAM_PORT" -- \
		ib_write_bw -R -F -n 50 -p "$PROGRAM_PORT" "$IP4_B"
}

# By rdma_cm: without, qperf's addresses are LIDs.  The server tells the client of its
# port for a test before it listens there, so a client may be refused.
run_qperf() {
	background qperf b qperf
	wait_for 20 tcp_listening 19765 || return 1
	wait_for 60 qperf_client "$1"
}

qperf_client() {
	a timeout -k 5 "$(patient 30)" qperf "$IP4_B" -cm 1 -t 1 "$1" > "$(scratch)/qperf-client" 2>&1 ||
		{ cat "$(scratch)/qperf-client"; return 1; }
	cat "$(scratch)/qperf-client"
}

# copied FILE COPY: by rcopy, from a to b.  The client is done when it says so: both ends
# then take leave of each other at the same time, and rxe repeats for ever what the one
# that is gone first did not acknowledge.
copied() {
	next_port
	rm -f "$2"
	served cm "$PROGRAM_PORT" rcopy -p "$PROGRAM_PORT" || return
	background client a stdbuf -o0 rcopy "$1" "$IP4_B:$2" -p "$PROGRAM_PORT"
	wait_for 60 grep -q "closing...done" "$(scratch)/client" ||
		{ cat "$(scratch)/client" "$(scratch)/server"; return 1; }
	cmp "$1" "$2"
}

run_rcopy() {
	head -c 3000001 /dev/urandom > "$(scratch)/sent"
	copied "$(scratch)/sent" "$(scratch)/copy"
}

# As with rcopy.
run_riostream() {
	local stream

	next_port
	stream=(stdbuf -oL riostream -p "$PROGRAM_PORT" -S 65536 -I 20 -C 1 -T v)
	served cm "$PROGRAM_PORT" "${stream[@]}" -b "$IP4_B" || return
	background client a "${stream[@]}" -s "$IP4_B"
	wait_for 60 streamed server && wait_for 60 streamed client && return
	cat "$(scratch)/server" "$(scratch)/client"
	return 1
}

# streamed FILE: the end that writes there has printed its figures, and is done.
streamed() {
	grep -q "^custom" "$(scratch)/$1"
}

# A sender and a receiver that joined by rdma_cm; nobody sees the receiver listen, it
# says that it has joined.  The sender does not wait for what it has posted and takes it
# along when it ends, after three seconds of sleep: of four messages one leaves, or none.
# So it posts for so long that some do, and is started again until there is enough.  Its
# status does not tell what became of that.
run_mckey() {
	background mckey b timeout -k 5 "$(patient 90)" stdbuf -oL mckey -b "$IP4_B" -m 239.9.9.9 -C 2
	wait_for 20 grep -q "joined\|error\|fail" "$(scratch)/mckey"
	wait_for 60 mckey_heard "$background_pid"
	grep -q "data transfers complete" "$(scratch)/mckey" && return
	cat "$(scratch)/mckey" "$(scratch)/mckey-sender"
	return 1
}

mckey_heard() {
	a timeout -k 5 "$(patient 20)" mckey -b "$IP4_A" -m 239.9.9.9 -s -C 1000 > "$(scratch)/mckey-sender"
	grep -q "error" "$(scratch)/mckey-sender" || ! kill -0 "$1" 2> /dev/null
}
