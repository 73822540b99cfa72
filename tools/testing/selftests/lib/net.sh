# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Network namespaces joined by veth, and waiting for events.
#
#   topo_direct [MTU]   a -- b
#   topo_path [MTU]     a -- m -- b, m bridges: there one can listen, inject,
#                       lose, delay and change packets
#
# In a and b the device is net0; in m they are to_a and to_b, ports of br0.

NS_A=srxe-a-$$
NS_B=srxe-b-$$
NS_M=srxe-m-$$
IP4_A=10.77.0.1
IP4_B=10.77.0.2
IP4_M=10.77.0.3
IP6_A=fd77::1
IP6_B=fd77::2
IP6_M=fd77::3

# a, b, m COMMAND ...: runs it in that namespace.
a() { ip netns exec "$NS_A" "$@"; }
b() { ip netns exec "$NS_B" "$@"; }
m() { ip netns exec "$NS_M" "$@"; }

# patient SECONDS: how long that is on this kernel.
patient() {
	echo $(($1 * SRXE_PATIENCE))
}

# A pipe that nobody writes to: a read of it with a limit sleeps, without a program.
exec {net_never}<> <(:)

# wait_for SECONDS COMMAND ...: until the command succeeds.  A machine that has stood
# still has not waited: the limit is not reached before it has been asked some times.
wait_for() {
	local end=$((${EPOCHREALTIME/./} + $(patient "$1") * 1000000)) pause=0.05 asked=0

	shift
	until "$@"; do
		asked=$((asked + 1))
		if [ "$asked" -ge 10 ] && [ "${EPOCHREALTIME/./}" -ge "$end" ]; then
			echo "waited in vain for: $*" >&2
			return 1
		fi
		read -rt "$pause" -u "$net_never"
		# from then on less often: asking takes time from what is waited for
		pause=0.2
	done
	return 0
}

# listening NAMESPACE PORT: true if a TCP server waits there.
listening() {
	[ -n "$(ip netns exec "$1" ss -Hltn "sport = :$2")" ]
}

# ns_add NAMESPACE: makes it, with loopback up, and has it removed at exit.
ns_add() {
	ip netns add "$1" || bail "no namespace $1"
	at_exit ns_del "$1"
	ip -n "$1" link set lo up
	# Addresses are there at once and no router is asked.
	ip netns exec "$1" sysctl -qw net.ipv6.conf.all.accept_dad=0 \
		net.ipv6.conf.default.accept_dad=0 \
		net.ipv6.conf.default.router_solicitations=0
}

# ns_del NAMESPACE: ends the programs in it and removes it.
ns_del() {
	local pids

	pids=$(ip netns pids "$1" 2> /dev/null)
	[ -z "$pids" ] || kill -KILL $pids
	ip netns del "$1"
}

# addr_add NAMESPACE DEVICE IPV4 IPV6: gives both addresses.
addr_add() {
	ip -n "$1" link set "$2" up &&
		ip -n "$1" addr add "$3/24" dev "$2" &&
		ip -n "$1" addr add "$4/64" dev "$2" nodad
}

# topo_direct [MTU]: two namespaces joined by one veth pair.
topo_direct() {
	ns_add "$NS_A"
	ns_add "$NS_B"
	ip link add net0 netns "$NS_A" mtu "${1:-9000}" type veth \
		peer name net0 netns "$NS_B" mtu "${1:-9000}" || bail "no veth pair"
	topo_addresses
}

# topo_path [MTU]: two namespaces joined through a bridge in a third.
topo_path() {
	ns_add "$NS_A"
	ns_add "$NS_B"
	ns_add "$NS_M"
	ip -n "$NS_M" link add br0 mtu "${1:-9000}" type bridge mcast_snooping 0 ||
		bail "no bridge"
	topo_port "$NS_A" to_a "${1:-9000}"
	topo_port "$NS_B" to_b "${1:-9000}"
	addr_add "$NS_M" br0 "$IP4_M" "$IP6_M" || bail "no addresses in the middle"
	topo_addresses
}

topo_port() {
	ip link add net0 netns "$1" mtu "$3" type veth peer name "$2" netns "$NS_M" mtu "$3" &&
		ip -n "$NS_M" link set "$2" master br0 &&
		ip -n "$NS_M" link set "$2" up || bail "no port $2"
}

topo_addresses() {
	addr_add "$NS_A" net0 "$IP4_A" "$IP6_A" &&
		addr_add "$NS_B" net0 "$IP4_B" "$IP6_B" || bail "no addresses"
	wait_for 10 a ping -qc1 -W1 "$IP4_B" > /dev/null || bail "no IPv4 between a and b"
	wait_for 10 a ping -qc1 -W1 "$IP6_B" > /dev/null || bail "no IPv6 between a and b"
}

# background NAME COMMAND ...: starts it, output in a file NAME of the scratch
# directory; its process id in $background_pid.  It is ended with the case, or with
# the test.
background() {
	local output

	output=$(scratch)/$1
	shift
	# the program itself is to be the child, not a shell that waits for it
	case $1 in
	a) set -- ip netns exec "$NS_A" "${@:2}" ;;
	b) set -- ip netns exec "$NS_B" "${@:2}" ;;
	m) set -- ip netns exec "$NS_M" "${@:2}" ;;
	esac
	"$@" > "$output" 2>&1 < /dev/null &
	background_pid=$!
	at_case_end background_end "$background_pid"
}

# background_end PID: ends it and what it has started, if it is there yet.
background_end() {
	local child

	kill -STOP "$1" 2> /dev/null || return 0
	for child in $(pgrep -P "$1"); do
		background_end "$child"
	done
	kill -KILL "$1"
}

# scratch: a directory of the test's own.
scratch() {
	echo "/tmp/srxe-test-$$"
}
mkdir -p "$(scratch)"
at_exit rm -rf "$(scratch)"

# peer SCRIPT: runs it with bash in the second guest and passes on what it prints
# and its status (see vm/peer-server).
peer() {
	local line status=1 end=$'\4'

	wait_for 120 peer_connect || return 1
	printf '%s' "$1" | base64 -w 0 >&7
	echo >&7
	while IFS= read -r line <&7; do
		case $line in
		*"$end"*)
			printf '%s' "${line%"$end"*}"
			status=${line#*"$end"}
			;;
		*) printf '%s\n' "$line" ;;
		esac
	done
	exec 7>&-
	return "$status"
}

peer_connect() {
	{ exec 7<> /dev/tcp/10.255.255.2/4790; } 2> /dev/null
}
