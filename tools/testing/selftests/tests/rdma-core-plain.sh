#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rdma-core's own suite on the plain variant: the namespace hooks break nothing.
# srxe-test: kernels=debian timeout=600 cost=15
. "${0%/*}/../lib/srxe-lib.sh"
. "${0%/*}/../rdma-core/run.sh"

suite_link rxe-plain
suite_run
