#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Answers forged in the peer's name (D1 to D3): NAKs, ACKs, READ response data.
# srxe-test: kernels=debian,debug guests=1 timeout=600 cost=110 level=full
. "${0%/*}/../lib/srxe-lib.sh"
. "${0%/*}/../lib/traffic.sh"

attack_test "D1 D2 D3" "D1 D2 D3"
