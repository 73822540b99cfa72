#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Links of both variants: made and deleted in any network namespace, their UDP
# port, what is refused and how it is said, MTU, the module's pins and its end.
# srxe-test: kernels=debian,debug guests=1 timeout=600 cost=80 level=full
. "${0%/*}/../lib/srxe-lib.sh"

# said TEXT MARK: the kernel's log says so since the mark.
said() {
	log_since "$2" | grep -qF "$1" || fail "the log does not say '$1'"
}

# refused ERRNO_TEXT COMMAND ...: it fails, and says so.
refused() {
	local text=$1 output

	shift
	output=$("$@" 2>&1) && fail "worked: $*"
	[[ $output == *"$text"* ]] || fail "said '$output', not '$text'"
}

# port_taken NAMESPACE: nobody else can have UDP port 4791 there.
port_taken() {
	! ip netns exec "$1" python3 -S -c 'import socket
for family in socket.AF_INET, socket.AF_INET6:
	s = socket.socket(family, socket.SOCK_DGRAM)
	if family == socket.AF_INET6:
		s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
	s.bind(("", 4791))' 2> /dev/null
}

mtu_of() {
	ip netns exec "$1" ibv_devinfo -d "$2" | awk '$1 == "active_mtu:" { print $2 }'
}

add_and_delete() {
	for _ in 1 2 3; do
		link_add "$NS_A" "$DEV_A" || fail "not made"
		port_taken "$NS_A" || fail "UDP port 4791 is free with a link there"
		! port_taken "$NS_B" || fail "UDP port 4791 is taken without a link there"
		link_del "$NS_A" "$DEV_A" || fail "not deleted"
		! port_taken "$NS_A" || fail "UDP port 4791 is taken after the last link"
	done
}

init_net_port() {
	python3 -S -c 'import socket
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).bind(("", 4791))' 2> /dev/null &&
		fail "UDP port 4791 of the first namespace is free while the module is loaded"
	return 0
}

two_links_one_port() {
	a ip link add d0 type dummy
	a ip link set d0 up
	link_add "$NS_A" "$DEV_A" || fail "not made"
	a rdma link add srxe_d type "$TYPE" netdev d0 || fail "no second link"
	link_del "$NS_A" "$DEV_A"
	port_taken "$NS_A" || fail "the port is free with a link left"
	link_del "$NS_A" srxe_d
	! port_taken "$NS_A" || fail "the port is taken after the last link"
	a ip link del d0
}

refusals() {
	local mark

	link_add "$NS_A" "$DEV_A" || fail "not made"
	mark=$(log_mark)
	refused "File exists" a rdma link add srxe_x type "$TYPE" netdev net0
	said "already configured on net0" "$mark"
	mark=$(log_mark)
	refused "File exists" b rdma link add "$DEV_A" type "$TYPE" netdev net0
	said "there is an RDMA device $DEV_A already" "$mark"
	a ip link add link net0 name net0.5 type vlan id 5
	mark=$(log_mark)
	refused "not permitted" a rdma link add srxe_x type "$TYPE" netdev net0.5
	said "real device only" "$mark"
	a ip link del net0.5
	refused "No such device" a rdma link add srxe_x type "$TYPE" netdev nothing
	link_del "$NS_A" "$DEV_A"
}

port_in_use() {
	local mark

	background holder ip netns exec "$NS_A" python3 -S -u -c 'import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("", 4791))
print("bound")
time.sleep(600)'
	wait_for 10 grep -q bound "$(scratch)/holder" || fail "no socket"
	mark=$(log_mark)
	refused "Address already in use" a rdma link add "$DEV_A" type "$TYPE" netdev net0
	said "UDP port 4791 is in use" "$mark"
	kill -KILL "$background_pid"
	wait "$background_pid"
	link_add "$NS_A" "$DEV_A" || fail "not made after the other is gone"
	link_del "$NS_A" "$DEV_A"
}

# Two at once on one netdev: one of them is made.
race() {
	local links

	for _ in 1 2 3 4 5; do
		a rdma link add srxe_x type "$TYPE" netdev net0 &
		a rdma link add srxe_y type "$TYPE" netdev net0 &
		wait
		links=$(a rdma link show | grep -c 'srxe_[xy]')
		[ "$links" -eq 1 ] || fail "$links links on one netdev"
		a rdma link del srxe_x || a rdma link del srxe_y || fail "not deleted"
	done
}

# mtu NETDEV_MTU PLAIN SECURE: what a link on such a netdev offers
mtu_follows() {
	local want got

	link_add "$NS_A" "$DEV_A" || fail "not made"
	while read -r netdev plain secure; do
		want=$secure
		[ "$TYPE" = secure-rxe ] || want=$plain
		a ip link set net0 mtu "$netdev"
		got=$(mtu_of "$NS_A" "$DEV_A")
		[ "$got" = "$want" ] || fail "netdev $netdev: MTU $got, not $want"
	done <<- END
		9000 4096 4096
		4356 4096 4096
		4355 4096 2048
		1500 1024 1024
		1284 1024 1024
		1283 1024 512
	END
	a ip link set net0 mtu 9000
	link_del "$NS_A" "$DEV_A"
}

up_and_down() {
	link_add "$NS_A" "$DEV_A" || fail "not made"
	b ip link set net0 down
	wait_for 10 a sh -c "rdma link show $DEV_A/1 | grep -q 'state DOWN'" || fail "not down"
	b ip link set net0 up
	wait_for 10 link_active "$NS_A" "$DEV_A" || fail "not up again"
	link_del "$NS_A" "$DEV_A"
}

busy() {
	link_add "$NS_A" "$DEV_A" || fail "not made"
	refused "in use" rmmod "$(module_name "$TYPE")"
	link_del "$NS_A" "$DEV_A"
}

reload() {
	local name

	name=$(module_name "$TYPE")
	rmmod "$name" || fail "not unloaded"
	[ ! -e "/sys/module/$name" ] || fail "still there"
	[ -z "$(ip netns exec "$NS_A" rdma link show | grep -F "$DEV_A")" ] || fail "a link is left"
	python3 -S -c 'import socket
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).bind(("", 4791))' || fail "the port is not free"
	module_load "$TYPE"
}

# What a case that failed left.
links_away() {
	local link

	for link in "$DEV_A" "$DEV_B" srxe_d srxe_x srxe_y; do
		rdma link del "$link" 2> /dev/null
	done
}

cases="add_and_delete init_net_port two_links_one_port refusals port_in_use race
mtu_follows up_and_down busy reload"

# shellcheck disable=SC2086 # words
set -- $cases
mapfile -t types < <(link_types)
ktap_plan $((${#types[@]} * $#))
modprobe dummy
modprobe 8021q
topo_direct
for type in "${types[@]}"; do
	module_load "$type"
	for one; do
		ktap_case "$one"
		links_away
	done
	module_unload "$(module_name "$type")"
done
ktap_end
