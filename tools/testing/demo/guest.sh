#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The demonstration, in a guest: two hosts (network namespaces) and a forger on
# the wire between them, first with plain Soft-RoCE, then with secure-rxe.
#
#	guest.sh		all of it
#	guest.sh plain|secure	one half; each loads its own module

. "${0%/*}/../selftests/lib/srxe-lib.sh"
. "${0%/*}/../selftests/lib/programs.sh"

# srxe-scenario reads these.
export NS_A NS_B DEV_A DEV_B IP_A=$IP4_A IP_B=$IP4_B SRXE_TRAFFIC=$SRXE_BUILD/srxe_traffic
SCENARIO=$SRXE_TOP/tools/testing/attack/srxe-scenario

say() { printf '\n\033[1m== %s\033[0m\n' "$*"; }
show() { printf '   %s\n' "$*"; }

# attack NAME EXPECTATION: an attack, or a look from the middle, and what came of it.
attack() {
	local result

	result=$(m "$SCENARIO" "$1" --expect "$2") || {
		echo "$result"
		bail "$1 did not end as expected ($2)"
	}
	echo "$result" | python3 "${0%/*}/explain.py"
}

plain() {
	say "Plain Soft-RoCE (the same rxe without protection): host a ($IP4_A), host b ($IP4_B)"
	show "two network namespaces of this guest, joined by a bridge in a third: somebody on the path"
	module_load rxe-plain
	topo_path
	link_pair
	speed plain || bail "no traffic"
	show "a listener on the path looks for 16 bytes of what a and b send each other:"
	attack E1 falls
	show "it knows what it sees (QPN, PSN, rkey, address) and sends b one RDMA WRITE in a's name:"
	attack A1a falls
}

# speed plain|MODE: perftest in that mode; prints its figure.
speed() {
	local dev ns

	[ "$1" = plain ] || for ns in a b; do
		[ "$ns" = a ] && dev=$DEV_A || dev=$DEV_B
		"$ns" "$SRXE" link set "$dev" mode "$1" || return 1
	done
	perftest ib_send_bw -e -N -s 65536 -n "${2:-1000}" |
		awk -v mode="$1" '$1 == 65536 {
			printf "   %-8s ib_send_bw 64 KiB: %7.1f MB/s (%s iterations)\n", mode, $4, $2
			found = 1
		} END { exit !found }'
}

# rping_demo: connection manager, SENDs, READs and WRITEs, data compared.
rping_demo() {
	show "\$ rping -s -a $IP4_B -C 10 -V				# on b"
	show "\$ rping -c -a $IP4_B -C 10 -V				# on a"
	run_rping > /dev/null 2>&1 || return 1
	show "10 pings through b's memory and back, compared; the connection manager's messages have an SA"
	show "of their own, kind gsi:"
	a "$SRXE" sa show | sed -n 's/^[0-9]*: \(.* \(ud\|gsi\) .*\)/     \1/p'
}

# volume_demo: what a storage server does, without a disk: a file is written to b.
volume_demo() {
	local volume copy before after

	volume=$(scratch)/volume copy=$(scratch)/copy
	show "a volume of 8 MiB, from a to b's memory by RDMA WRITEs of rsockets, as storage would send it:"
	head -c 8M /dev/urandom > "$volume"
	before=$(counter "$NS_B" "$DEV_B" rx_opened)
	show "\$ rcopy						# on b"
	show "\$ rcopy volume $IP4_B:copy				# on a"
	copied "$volume" "$copy" || return 1
	after=$(counter "$NS_B" "$DEV_B" rx_opened)
	show "sha256 on a: $(sha256sum < "$volume" | cut -c -32)..."
	show "sha256 on b: $(sha256sum < "$copy" | cut -c -32)..."
	show "b has opened $((after - before)) sealed packets, and taken $(counter "$NS_B" "$DEV_B" rx_plain) plain ones"
	[ "$(counter "$NS_B" "$DEV_B" rx_plain)" -eq 0 ]
}

# add_keys: one key for both, kept in a file only for as long.
add_keys() {
	local key

	key=$(psk_file)
	show "\$ srxe psk add dev $DEV_A peer:$IP4_B < key		# on a"
	psk_add "$NS_A" "$DEV_A" "peer:$IP4_B" "$key" || return 1
	show "\$ keyctl padd rdma_psk peer:$IP4_A RING < key		# on b, where RING is the link's keyring"
	b keyctl padd rdma_psk "peer:$IP4_A" "$(ring b "$DEV_B")" < "$key" > /dev/null
}

# ring NAMESPACE DEVICE: the serial number of the link's keyring.
ring() {
	"$1" "$SRXE" -j link show "$2" | python3 -c '
import json, sys
print(json.load(sys.stdin)[0]["keyring"])'
}

secure() {
	local mode

	say "secure-rxe: links and a key"
	module_load secure-rxe
	topo_path
	show "\$ rdma link add $DEV_A type secure-rxe netdev net0	# on a; the same on b"
	link_pair
	add_keys || bail "the key was not taken"
	show "\$ srxe link show $DEV_A				# on a"
	a "$SRXE" link show "$DEV_A" | sed 's/^/   /'

	say "Unmodified perftest in the three modes"
	show "(the CPU is emulated: neither figures nor ratios are a real machine's)"
	for mode in header packet encrypt; do
		speed "$mode" || bail "no traffic in mode $mode"
	done

	say "Unmodified rdma_cm programs, mode encrypt: nothing of them goes in clear"
	modprobe rdma_ucm
	rping_demo || bail "rping failed"
	volume_demo || bail "the copy is not the file"

	say "The same listener, mode encrypt: every RDMA operation"
	attack E1 holds

	say "The same forger, the same packet, mode encrypt"
	attack A1a holds
	show "it sends b packets of a's, which it has captured, once more:"
	attack R1 holds
	show "it changes packets of a's, one bit or field at a time, before b has seen them:"
	attack G2 holds
	show "\$ rdma statistic show link $DEV_B/1			# on b"
	b rdma statistic show link "$DEV_B/1" | tr ' ' '\n' | paste - - |
		grep -E 'tx_sealed|rx_opened|rx_drop_(unprotected|replayed|bad_tag)' | sed 's/^/     /'
}

case ${1:-all} in
plain) plain ;;
secure) secure ;;
all)
	"$0" plain && "$0" secure || exit 1
	say "Done: everything went as it should."
	;;
*)
	echo "usage: $0 [plain|secure]" >&2
	exit 1
	;;
esac
