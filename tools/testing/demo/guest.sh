#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The demonstration, in a guest: two hosts (network namespaces) and a forger on
# the wire between them, first with plain Soft-RoCE, then with secure-rxe.
#
#	guest.sh		all of it
#	guest.sh plain|secure	one half; each loads its own module

. "${0%/*}/../selftests/lib/srxe-lib.sh"

# srxe-scenario reads these.
export NS_A NS_B DEV_A DEV_B IP_A=$IP4_A IP_B=$IP4_B SRXE_TRAFFIC=$SRXE_BUILD/srxe_traffic
SCENARIO=$SRXE_TOP/tools/testing/attack/srxe-scenario

say() { printf '\n\033[1m== %s\033[0m\n' "$*"; }
show() { printf '   %s\n' "$*"; }
# run COMMAND ...: shows it, then does it.
run() { show "\$ $*" && "$@"; }

# forge EXPECTATION: the forged WRITE, and what became of the memory it aims at.
forge() {
	local result

	result=$(m "$SCENARIO" A1a --expect "$1") || {
		echo "$result"
		bail "the forged WRITE did not end as expected ($1)"
	}
	echo "$result" | python3 "${0%/*}/explain.py"
}

plain() {
	say "Plain Soft-RoCE: host a ($IP4_A), host b ($IP4_B), and somebody on the path"
	module_load rxe-plain
	topo_path
	link_pair
	show "a and b are connected; the one between them knows what it sees: QPN, PSN, rkey, address"
	show "it sends b one RDMA WRITE in a's name ..."
	forge falls
}

# speed MODE: perftest in that mode; prints its figure.
speed() {
	local dev ns

	for ns in a b; do
		[ "$ns" = a ] && dev=$DEV_A || dev=$DEV_B
		"$ns" "$SRXE" link set "$dev" mode "$1" || return 1
	done
	perftest ib_send_bw -e -N -s 65536 -n "${2:-1000}" |
		awk -v mode="$1" '$1 == 65536 {
			printf "   %-8s ib_send_bw 64 KiB: %7.1f MB/s (%s iterations)\n", mode, $4, $2
			found = 1
		} END { exit !found }'
}

# add_key NAMESPACE DEVICE PEER HEX: by plain keyctl, as any key.
add_key() {
	local ring

	ring=$("$1" "$SRXE" -j link show "$2" | python3 -c '
import json, sys
print(json.load(sys.stdin)[0]["keyring"])') || return 1
	show "\$ keyctl padd rdma_psk peer:$3 $ring < key		# on $1"
	echo -n "$4" | "$1" keyctl padd rdma_psk "peer:$3" "$ring" > /dev/null
}

secure() {
	local key mode

	say "secure-rxe: links and a key"
	module_load secure-rxe
	topo_path
	show "\$ rdma link add $DEV_A type secure-rxe netdev net0	# on a; the same on b"
	link_pair
	key=$(head -c 32 /dev/urandom | od -An -vtx1 | tr -d ' \n')
	add_key a "$DEV_A" "$IP4_B" "$key" && add_key b "$DEV_B" "$IP4_A" "$key" ||
		bail "the key was not taken"
	run a "$SRXE" link show "$DEV_A"

	say "Unmodified perftest in the three modes (emulated CPU: compare, do not quote)"
	for mode in header packet encrypt; do
		speed "$mode" || bail "no traffic in mode $mode"
	done

	say "A listener on the path, mode encrypt: every RDMA operation, captured"
	m "$SCENARIO" E1 --expect holds > /tmp/e1 || {
		cat /tmp/e1
		bail "the capture shows payload"
	}
	python3 "${0%/*}/explain.py" < /tmp/e1

	say "The same forger, the same packet"
	forge holds
	show "counters of b:"
	b rdma statistic show link "$DEV_B/1" | tr ' ' '\n' | paste - - |
		grep -E 'rx_opened|rx_drop_unprotected|tx_sealed' | sed 's/^/     /'
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
