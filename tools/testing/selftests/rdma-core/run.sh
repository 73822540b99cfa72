# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# For the tests rdma-core-*.sh: a link in a namespace of its own, and the suite
# on it.  All its connections are of the device with itself.

# suite_link TYPE
suite_link() {
	module_load "$1"
	topo_direct
	link_add "$NS_A" "$DEV_A" || bail "no link of type $1"
	at_exit link_del "$NS_A" "$DEV_A"
	wait_for 10 gid_index "$DEV_A" "$IP4_A" > /dev/null || bail "no GID"
}

# suite_run: prints the suite's KTAP, ends with its status.
suite_run() {
	a "$SRXE_TOP/tools/testing/selftests/rdma-core/suite.py" "$DEV_A" \
		"$(gid_index "$DEV_A" "$IP4_A")"
	exit
}

# suite_keyed MODE: the same in that mode, with a key for the link's own address.
suite_keyed() {
	a "$SRXE" link set "$DEV_A" mode "$1" || bail "cannot set mode $1"
	psk_add "$NS_A" "$DEV_A" "peer:$IP4_A" "$(psk_file)" || bail "no key"
	suite_run
}
