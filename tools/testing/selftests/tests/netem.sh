#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A network that loses, reorders, doubles and damages packets: RC delivers all of
# it, UC nothing wrong.
# srxe-test: kernels=debian,debug guests=1 timeout=900 cost=170 level=full
. "${0%/*}/../lib/srxe-lib.sh"
. "${0%/*}/../lib/traffic.sh"

# rxe waits for its timer after most losses: keep that short.
QUICK="--qp-timeout 13 --iters 24 --mtu 1024"

declare -A HARM=(
	[loss]="loss 2%"
	[reorder]="delay 1ms reorder 20% 25%"
	[duplicate]="duplicate 10%"
	[corrupt]="corrupt 2%"
)

# harm WHAT: to what leaves the middle, both ways.
harm() {
	local port

	for port in to_a to_b; do
		# shellcheck disable=SC2086 # words
		m tc qdisc replace dev $port root netem limit 10000 ${HARM[$1]} ||
			skip "no netem here"
	done
}

heal() {
	m tc qdisc del dev to_a root
	m tc qdisc del dev to_b root
}

# survives MODE RC|UC HARM
survives() {
	local status

	protect "$1" aes256-gcm || fail "cannot set mode $1"
	harm "$3"
	if [ "$2" = rc ]; then
		# shellcheck disable=SC2086 # words
		traffic $QUICK --op send,send_imm,write,write_imm,read,cas,fadd --size 64,5000
	else
		# rxe's UC receiver does not find back into step after part of a WRITE
		# shellcheck disable=SC2086 # words
		traffic $QUICK --qp uc --loss --grace 100 --op send,send_imm --size 0,64,3000 &&
			traffic $QUICK --qp uc --loss --grace 100 --op write,write_imm --size 64,1024
	fi
	status=$?
	heal
	return $status
}

# Answers come later than the requester waits, and in another order: requests are
# sent again from the middle, and are answered meanwhile (hooks/fix_retry.cocci).
answered_late() {
	local status round

	protect encrypt aes256-gcm || fail "cannot set the mode"
	harm reorder
	for round in 1 2 3 4; do
		traffic --qp-timeout 9 --iters 24 --mtu 1024 --op send,write --size 5000
		status=$?
		[ $status -eq 0 ] || {
			echo "in round $round"
			break
		}
	done
	heal
	return $status
}

if [ "$SRXE_TEST_LEVEL" = pairwise ]; then
	list=("encrypt rc loss" "encrypt uc reorder" "packet uc loss" "packet rc duplicate"
		"header rc reorder" "header uc duplicate" "encrypt rc corrupt" "packet uc corrupt")
else
	mapfile -t list < <(for mode in $MODES; do
		for qp in rc uc; do
			printf "$mode $qp %s\n" loss reorder duplicate corrupt
		done
	done)
fi
ktap_plan $((${#list[@]} + 1))
topo_path
protected_links
ktap_cases "${list[@]/#/survives }"
ktap_case answered_late
ktap_end
