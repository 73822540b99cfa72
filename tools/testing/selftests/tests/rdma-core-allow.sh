#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rdma-core's own suite without keys, on a link that allows unkeyed peers.
# srxe-test: kernels=debian timeout=600 cost=15
. "${0%/*}/../lib/srxe-lib.sh"
. "${0%/*}/../rdma-core/run.sh"

suite_link secure-rxe
a "$SRXE" link set dev "$DEV_A" unkeyed allow || bail "unkeyed allow refused"
suite_run
