# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Netdevs and links that go while something uses them.

# within SECONDS COMMAND ...: it ends in that time and works.
within() {
	timeout -k 5 "$(patient "$1")" "${@:2}" || fail "status $? of: $*"
}

links_gone() {
	[ -z "$(rdma link show | grep -F -e "$DEV_A/" -e "$DEV_B/")" ]
}

# netdev_goes: a's, and the links with it.
netdev_goes() {
	within 20 ip -n "$NS_A" link del net0
	wait_for 20 links_gone || fail "links are left"
}

# links_go: both.
links_go() {
	within 20 ip netns exec "$NS_A" rdma link del "$DEV_A"
	within 20 ip netns exec "$NS_B" rdma link del "$DEV_B"
}

# clean_up TYPE PROGRAM ...: what a case left; one that failed leaves more.
clean_up() {
	local module program

	module=$(module_name "$1")
	{
		for program in "${@:2}"; do
			pkill -KILL -x "$program"
		done
		ip netns del "$NS_A"
		ip netns del "$NS_B"
		rdma link del "$DEV_A"
		rdma link del "$DEV_B"
		module_unload "$module"
	} > /dev/null 2>&1
}
