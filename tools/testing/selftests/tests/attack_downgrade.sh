#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The security header stripped, changed and cut (G1 to G5), and the honest packet
# after the forgeries.  Peers without a key may talk plain here: one with a key
# must not, all the same.
# srxe-test: kernels=debian,debug guests=1 timeout=900 cost=250 level=full
. "${0%/*}/../lib/srxe-lib.sh"
. "${0%/*}/../lib/traffic.sh"

ktap_plan $(($(controls_count 1) + $(attacks_count 5)))
topo_path
controls G1
protected_links
allow_unkeyed || bail "cannot allow peers without a key"
attacks_hold G1 G2 G3 G4 G5
ktap_end
