#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rdma-core's own suite in mode header, with a key for the link's own address.
# srxe-test: kernels=debian timeout=600 cost=15
. "${0%/*}/../lib/srxe-lib.sh"
. "${0%/*}/../rdma-core/run.sh"

suite_link secure-rxe
suite_keyed header
