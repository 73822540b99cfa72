# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Tests in two guests: the one that runs the test, and the one it is connected to.
#
#	. "${0%/*}/../lib/guests.sh"
#	there "uname -r"	# in the second guest, which has the library too
#	set_up TYPE LINK IPV4 IPV6
#	there_set_up TYPE LINK IPV4 IPV6

# there COMMANDS: without a clean-up of the library's own; there_set_up() sees to that.
there() {
	peer ". $SRXE_TOP/tools/testing/selftests/lib/srxe-lib.sh; trap - EXIT; $1"
}

# link_on_data TYPE LINK IPV4 IPV6, in either guest: a link on data0, the module is there.
link_on_data() {
	ip link set data0 mtu 9000 up &&
		ip addr add "$3/24" dev data0 && ip addr add "$4/64" dev data0 nodad &&
		rdma link add "$2" type "$1" netdev data0 &&
		wait_for 10 gid_index "$2" "$3" > /dev/null
}

# no_link_on_data LINK, in either guest: what comes next finds data0 as it was.
no_link_on_data() {
	rdma link del "$1"
	ip addr flush dev data0
}

set_up() {
	module_load "$1"
	at_exit no_link_on_data "$2"
	link_on_data "$@" || bail "no link here"
}

there_set_up() {
	local module

	module=$(module_name "$1")
	at_exit there "$(declare -f no_link_on_data); no_link_on_data $2; module_unload $module"
	there "module_load $1; $(declare -f link_on_data); link_on_data $*" || bail "no link there"
}

[ "${SRXE_VM_GUESTS:-1}" = 2 ] || bail "needs two guests"
