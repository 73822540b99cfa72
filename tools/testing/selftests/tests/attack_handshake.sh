#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Handshake messages sent again (R3, H3, H4), turned round or to a third host that has
# the same key (H1), lost and duplicated (H5).  Plain links have no handshake, so there
# are no controls.
# srxe-test: kernels=debian,debug guests=1 timeout=600 cost=60 level=full
. "${0%/*}/../lib/srxe-lib.sh"
. "${0%/*}/../lib/traffic.sh"

NS_C=srxe-c-$$
DEV_C=srxe_c
IP4_C=10.77.0.4
IP6_C=fd77::4

# third_host: c, on the same bridge.
third_host() {
	ns_add "$NS_C"
	topo_port "$NS_C" to_c 9000
	addr_add "$NS_C" net0 "$IP4_C" "$IP6_C" || bail "no addresses in c"
}

# holds NAME: on links of its own, that count queue pairs alike and whose challenges are
# good for two minutes at least.  The key is one for all three, so that each may be taken
# for any other by it.
holds() {
	link_pair
	psk_add "$NS_A" "$DEV_A" default "$key" && psk_add "$NS_B" "$DEV_B" default "$key" ||
		fail "no keys"
	scenario "$1" holds --ns-c "$NS_C" --dev-c "$DEV_C" --ip-c "$IP4_C" --srxe "$SRXE" \
		--gid-c "$(gid_index "$DEV_C" "$IP4_C")" --local "$srxe_lib/verbs_local.py"
}

cases=(R3 H1 H3 H4 H5)
ktap_plan ${#cases[@]}
topo_path
third_host
module_load secure-rxe
link_add "$NS_C" "$DEV_C" || bail "no link in c"
at_exit link_del "$NS_C" "$DEV_C"
wait_for 10 gid_index "$DEV_C" "$IP4_C" > /dev/null || bail "no GID in c"
key=$(psk_file)
psk_add "$NS_C" "$DEV_C" default "$key" || bail "no key"
ktap_cases "${cases[@]/#/holds }"
ktap_end
