#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What a listener sees: no payload in encrypt mode (E1); no nonce twice while the
# PSN passes 2^24 (M2).
# srxe-test: kernels=debian,debug guests=1 timeout=600 cost=40 level=full
. "${0%/*}/../lib/srxe-lib.sh"
. "${0%/*}/../lib/traffic.sh"

# payload_hidden SUITE
payload_hidden() {
	protect encrypt "$1" || fail "cannot set suite $1"
	scenario E1 holds
}

# numbers_unique MODE SUITE
numbers_unique() {
	protect "$1" "$2" || fail "cannot set mode $1, suite $2"
	scenario M2 holds
}

ktap_plan $(($(controls_count 1) + 7))
topo_path
controls E1
protected_links
for suite in $SUITES; do
	ktap_case payload_hidden "$suite"
done
ktap_case numbers_unique header aes256-gcm
ktap_case numbers_unique packet aes128-gcm
ktap_case numbers_unique encrypt aegis128
ktap_end
