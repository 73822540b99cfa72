# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Shell library of the selftests: KTAP output (ktap.sh), namespaces and waiting
# (net.sh), modules, links, keys, counters and traffic (rdma.sh).
#
# A test is a bash script in selftests/tests/ that sources this file:
#
#	#!/bin/bash
#	# SPDX-License-Identifier: GPL-2.0
#	# What the test is about, in a line.
#	# srxe-test: kernels=debian,debug guests=1 timeout=120
#	. "${0%/*}/../lib/srxe-lib.sh"
#
#	write_works() {
#		perftest ib_write_bw -n 100 || fail "ib_write_bw failed"
#	}
#
#	ktap_plan 1
#	module_load secure-rxe
#	topo_direct
#	link_pair
#	psk_pair
#	ktap_case write_works
#	ktap_end

srxe_lib=${BASH_SOURCE[0]%/*}
: "${SRXE_TOP:=$(cd "$srxe_lib/../../../.." && pwd)}"
: "${SRXE_BUILD:=$SRXE_TOP/build}"
: "${SRXE_PATIENCE:=1}"		# factor to every limit in seconds, for slow kernels
: "${SRXE_TEST_LEVEL:=full}"	# or pairwise: a selection that meets each pair; all: no selection

. "$srxe_lib/ktap.sh"
. "$srxe_lib/net.sh"
. "$srxe_lib/rdma.sh"
