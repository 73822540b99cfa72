#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rdma-core's own suite encrypted, with a key for the link's own address.
# srxe-test: kernels=debian timeout=600 cost=60
. "${0%/*}/../lib/srxe-lib.sh"
. "${0%/*}/../rdma-core/run.sh"

suite_link secure-rxe
psk_add "$NS_A" "$DEV_A" "peer:$IP4_A" "$(psk_file)" || bail "no key"
suite_run --without-ud
