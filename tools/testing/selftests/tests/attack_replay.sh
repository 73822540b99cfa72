#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Captured packets sent again (R1, R2): to the same QP, and to one made again with
# the same QPN and PSN.
# srxe-test: kernels=debian,debug guests=1 timeout=600 cost=70
. "${0%/*}/../lib/srxe-lib.sh"
. "${0%/*}/../lib/traffic.sh"

attack_test "R1 R2" "R1 R2"
