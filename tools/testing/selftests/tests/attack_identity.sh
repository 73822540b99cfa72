#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Requests forged in the peer's name (A1, A2): they succeed on plain links, and
# change nothing on protected ones.
# srxe-test: kernels=debian,debug guests=1 timeout=600 cost=100 level=full
. "${0%/*}/../lib/srxe-lib.sh"
. "${0%/*}/../lib/traffic.sh"

attack_test "A1a A1b A1c A1d A2a A2b" "A1a A1b A1c A1d A2a A2b"
