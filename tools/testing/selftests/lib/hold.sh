# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Connections between a and b that stay, with their ends as programs that take
# commands (srxe_traffic --hold), and their SAs.  Needs traffic.sh.

# hold_end NAMESPACE DEVICE SOCKET [OPTION ...]: one end of a connection.
hold_end() {
	background "${3##*/}.out" ip netns exec "$1" "$TRAFFIC" --dev "$2" --hold --control "$3" \
		--port "$TRAFFIC_PORT" --qp "${qp:-rc}" "${@:4}"
}

# held [OPTION ...]: a connection from a to b; options are of both ends.  FAMILY=6
# has it use IPv6, qp=uc UC.  Its ends' sockets are in $end_a and $end_b.
held() {
	local left to=$IP4_B

	[ "${FAMILY:-4}" = 4 ] || to=$IP6_B
	# of a case that failed; others may be there to watch
	left=$(pidof "${TRAFFIC##*/}")
	# shellcheck disable=SC2086 # words
	[ -z "$left" ] || kill -KILL $left
	TRAFFIC_PORT=$((TRAFFIC_PORT + 1))
	end_a=$(scratch)/a.$TRAFFIC_PORT end_b=$(scratch)/b.$TRAFFIC_PORT
	rm -f "$end_a" "$end_b"
	hold_end "$NS_B" "$DEV_B" "$end_b" --addr "$to" "$@"
	wait_for 20 listening "$NS_B" "$TRAFFIC_PORT" || fail "no server"
	hold_end "$NS_A" "$DEV_A" "$end_a" "$@" "$to"
	wait_for 30 test -S "$end_a" && wait_for 30 test -S "$end_b" ||
		fail "no connection: $(cat "$end_a.out" "$end_b.out")"
}

# connected [OPTION ...]: the same, with traffic over it both ways.
connected() {
	held "$@"
	ctl "$end_a" write 64 0 3 && ctl "$end_b" write 64 0 3 || fail "no traffic: $answer"
}

# ctl SOCKET COMMAND ...: the answer in $answer; status 0 if all went well, the
# last request too.
ctl() {
	answer=$("$TRAFFIC" ctl "$1" "${*:2}") && grep -q '"ok":true' <<< "$answer" &&
		! grep '"status":' <<< "$answer" | grep -qv '"status":"success"'
}

# let_go: both programs end.
let_go() {
	ctl "$end_a" quit
	ctl "$end_b" quit
	return 0	# there is no answer to that
}

# disconnected: the same, and with them what protected their connection.
disconnected() {
	let_go
	wait_for 10 unconnected a "$DEV_A" && wait_for 10 unconnected b "$DEV_B" || fail "SAs are left"
}

unconnected() {
	[ "$(of_connection "$1" "$2")" = "[]" ]
}

# sas a|b DEVICE: JSON of the SAs that are not on their way out
sas() {
	"$1" "$SRXE" -j sa show "$2" | python3 -S -c 'import json, sys
print(json.dumps([s for s in json.load(sys.stdin) if s["state"] != "dead"]))'
}

# of_connection a|b DEVICE: those of connections; datagrams' outlive what they were for.
of_connection() {
	sas "$@" | python3 -S -c 'import json, sys
print(json.dumps([s for s in json.load(sys.stdin) if s["kind"] in ("rc", "uc")]))'
}

no_sa() {
	[ "$(sas "$1" "$2")" = "[]" ]
}

# json X Y EXPRESSION ...: Python expressions about x and y are true.
json() {
	json_is "$@" || fail "in $1 and $2"
}

# json_is X Y EXPRESSION ...: are they?  Says which is not.
json_is() {
	python3 -S -c 'import json, sys
x, y = json.loads(sys.argv[1]), json.loads(sys.argv[2])
for expression in sys.argv[3:]:
	if not eval("(" + expression + ")"):
		sys.exit("not so: " + expression)' "$@" 2>&1
}
