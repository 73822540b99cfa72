#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every operation of RC and UC in every mode with every suite, data compared end to
# end; IPv6, other MTUs, the PSN's wrap, a new connection for every case.
# srxe-test: kernels=debian,debug guests=1 timeout=900 cost=200
. "${0%/*}/../lib/srxe-lib.sh"
. "${0%/*}/../lib/traffic.sh"

# The work of a cell: connection and operations.
declare -A OPS=(
	[rc-send-write]="send,send_imm,send_inv,write,write_imm,flush"
	[rc-read-atomic]="read,cas,fadd,atomic_write"
	[uc-send-write]="send,send_imm,write,write_imm"
)
WORK="rc-send-write rc-read-atomic uc-send-write"

# cells: MODE SUITE WORK of each case; a selection in which each two of them meet.
cells() {
	local mode suite work n=0 works

	read -r -a works <<< "$WORK"
	for mode in $MODES; do
		for suite in $SUITES; do
			if [ "$SRXE_TEST_LEVEL" = pairwise ]; then
				echo "$mode $suite ${works[n++ % 3]}"
				continue
			fi
			for work in $WORK; do
				echo "$mode $suite $work"
			done
		done
	done
}

# moves MODE SUITE WORK
moves() {
	protect "$1" "$2" || fail "cannot set mode $1, suite $2"
	traffic --qp "${3%%-*}" --op "${OPS[$3]}" --mtu 1024
}

# all_of RC|UC MODE [OPTION ...]
all_of() {
	local qp=$1

	protect "$2" aes256-gcm || fail "cannot set mode $2"
	shift 2
	traffic --qp "$qp" "$@"
}

over_ipv6() {
	FAMILY=6 all_of "$@"
}

mtus=256,512,2048,4096
many=320
if [ "$SRXE_TEST_LEVEL" = pairwise ]; then
	mtus=512,4096
	many=96
fi
mapfile -t list <<< "$(cells)"
ktap_plan $((${#list[@]} + 9))
topo_direct
protected_links
ktap_cases "${list[@]/#/moves }"
ktap_case over_ipv6 rc encrypt
ktap_case over_ipv6 uc header
ktap_case all_of rc encrypt --mtu "$mtus"
ktap_case all_of uc packet --mtu 256,4096
ktap_case all_of rc header --psn 0xfffff0 --size 3000 --iters 32
ktap_case all_of uc encrypt --psn 0xfffff0 --size 3000 --iters 32
ktap_case all_of rc encrypt --reconnect --size 0,4097
ktap_case all_of rc packet --size 1048577 --op send,write,read --iters 4
ktap_case all_of rc encrypt --depth 32 --iters "$many" --size 64
ktap_end
