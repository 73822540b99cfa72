#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What make install leaves: a module that modprobe and rdma find by name and by
# link type, the tool and its manual page; and modprobe -r takes the module away.
# srxe-test: kernels=debian guests=1 timeout=600 cost=80
. "${0%/*}/../lib/srxe-lib.sh"

# shellcheck disable=SC2034 # for link_add
TYPE=secure-rxe

# make install put it all below a root of its own; the guest's is its own, too, and
# nothing of it is left afterwards.
installs() {
	local root=$SRXE_BUILD/root

	[ -d "$root" ] || skip "nothing there: make install INSTALL_MOD_PATH=$root"
	# /lib may be a link
	cp -r "$root/lib/." /lib/ && cp -r "$root/usr/." /usr/ && depmod ||
		fail "cannot copy it from $root"
	modinfo -n secure_rxe | grep -q '/updates/' || fail "modinfo finds $(modinfo -n secure_rxe)"
	[ "$(modinfo -F alias secure_rxe)" = rdma-link-secure-rxe ] || fail "no alias"
	hash -r
	[[ $(type -P srxe) == /usr/* ]] || fail "srxe is not in the path"
	srxe help > /dev/null 2>&1 || fail "srxe help: $?"
	[ -s /usr/local/share/man/man8/srxe.8 ] || fail "no manual page"
}

by_name() {
	modprobe secure_rxe || fail "modprobe"
	[ -d /sys/module/secure_rxe ] || fail "not loaded"
	modprobe -r secure_rxe || fail "modprobe -r"
	[ ! -d /sys/module/secure_rxe ] || fail "still loaded"
}

# rdma link add alone has the kernel load the module.
by_link_type() {
	link_add "$NS_A" "$DEV_A" || fail "rdma link add"
	[ -d /sys/module/secure_rxe ] || fail "not loaded"
	a srxe link show "$DEV_A" | grep -q "mode encrypt" || fail "srxe link show"
}

busy_while_linked() {
	local said

	said=$(modprobe -r secure_rxe 2>&1) && fail "removed under a link"
	grep -qi "in use" <<< "$said" || fail "said: $said"
	link_active "$NS_A" "$DEV_A" || fail "the link is gone"
}

leaves_nothing() {
	link_del "$NS_A" "$DEV_A" || fail "rdma link del"
	wait_for 20 modprobe -r secure_rxe || fail "modprobe -r"
	[ ! -d /sys/module/secure_rxe ] || fail "still loaded"
	! rdma link show | grep -q . || fail "links are left: $(rdma link show)"
	! grep -q rdma_psk /proc/keys || fail "keys are left: $(grep rdma_psk /proc/keys)"
	! ss -Hlun 'sport = 4791' | grep -q . || fail "the port is still taken"
	# It loads again, and rdma_rxe is not kept out any longer.
	modprobe secure_rxe && modprobe -r secure_rxe || fail "not a second time"
	modprobe rdma_rxe && modprobe -r rdma_rxe || fail "rdma_rxe is kept out"
}

ktap_plan 5
topo_direct
at_exit module_unload secure_rxe
ktap_case installs
ktap_case by_name
ktap_case by_link_type
ktap_case busy_while_linked
ktap_case leaves_nothing
ktap_end
