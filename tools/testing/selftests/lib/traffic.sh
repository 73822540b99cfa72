# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Traffic compared end to end, protection of both links, attacks.

TRAFFIC=$SRXE_BUILD/srxe_traffic
ATTACK=$SRXE_TOP/tools/testing/attack
TRAFFIC_PORT=19000
MODES="header packet encrypt"
# shellcheck disable=SC2034 # for tests
SUITES="aes256-gcm aes128-gcm chacha20-poly1305 aegis128"

# traffic [OPTION ...]: srxe_traffic between a and b; prints what failed and the
# sum, and fails unless both ends say all was right.  FAMILY=6 has it use IPv6.
traffic() {
	local to=$IP4_B server status

	[ "${FAMILY:-4}" = 4 ] || to=$IP6_B
	TRAFFIC_PORT=$((TRAFFIC_PORT + 1))
	background traffic-server b timeout -k 5 "$(patient "${TRAFFIC_SECONDS:-120}")" "$TRAFFIC" \
		--dev "$DEV_B" --addr "$to" --port "$TRAFFIC_PORT"
	server=$background_pid
	a timeout -k 5 "$(patient "${TRAFFIC_SECONDS:-120}")" "$TRAFFIC" --dev "$DEV_A" \
		--port "$TRAFFIC_PORT" "$@" "$to" > "$(scratch)/traffic" 2>&1
	status=$?
	grep -vE ': (ok( \(.*\))?|skip .*)$' "$(scratch)/traffic"
	[ "$status" -eq 0 ] || background_end "$server"
	if ! wait "$server" || [ "$status" -ne 0 ]; then
		echo "srxe_traffic: client's status $status; the server said:"
		cat "$(scratch)/traffic-server"
		return 1
	fi
}

# protect MODE SUITE[,SUITE ...]: what both links ask for.
protect() {
	a "$SRXE" link set "$DEV_A" mode "$1" suites "$2" &&
		b "$SRXE" link set "$DEV_B" mode "$1" suites "$2"
}

# allow_unkeyed: peers without a key may talk plain.
allow_unkeyed() {
	a "$SRXE" link set "$DEV_A" unkeyed allow && b "$SRXE" link set "$DEV_B" unkeyed allow
}

# deny_unkeyed: the reverse.
deny_unkeyed() {
	a "$SRXE" link set "$DEV_A" unkeyed deny && b "$SRXE" link set "$DEV_B" unkeyed deny
}

# may_be_unkeyed: the first, while the case lasts.
may_be_unkeyed() {
	allow_unkeyed || fail "cannot allow unkeyed peers"
	at_case_end deny_unkeyed
}

# scenario NAME falls|holds [OPTION ...]: an attack, from the middle.
scenario() {
	local name=$1 expect=$2 ip_a=$IP4_A ip_b=$IP4_B

	shift 2
	[ "${FAMILY:-4}" = 4 ] || ip_a=$IP6_A ip_b=$IP6_B
	m timeout -k 5 "$(patient 300)" "$ATTACK/srxe-scenario" "$name" \
		--expect "$expect" --ns-a "$NS_A" --ns-b "$NS_B" --dev-a "$DEV_A" \
		--dev-b "$DEV_B" --ip-a "$ip_a" --ip-b "$ip_b" --traffic "$TRAFFIC" "$@"
}

# controls NAME ...: the attacks succeed on links without protection.  Where a
# selection is run they are left out: they are about rxe, and Debian's kernel
# shows them.
controls() {
	local name

	[ "$SRXE_TEST_LEVEL" != pairwise ] || return 0
	module_load rxe-plain
	link_pair
	for name; do
		ktap_case control "$name"
	done
	link_del "$NS_A" "$DEV_A"
	link_del "$NS_B" "$DEV_B"
	module_unload secure_rxe_plain
}

control() {
	scenario "$1" falls
}

# controls_count N: how many cases N controls are.
controls_count() {
	if [ "$SRXE_TEST_LEVEL" = pairwise ]; then
		echo 0
	else
		echo "$1"
	fi
}

# protected_links: links of ours with keys for each other.
protected_links() {
	module_load secure-rxe
	link_pair
	psk_pair
}

# attack MODE NAME: it fails on links that ask for that mode.
attack() {
	protect "$1" aes256-gcm || fail "cannot set mode $1"
	scenario "$2" holds
}

# attack_modes: the modes to try an attack in.  The weakest and the strongest, unless
# all are asked for; what is between them differs in what the tag covers only.
attack_modes() {
	case $SRXE_TEST_LEVEL in
	pairwise) echo encrypt ;;
	full) echo header encrypt ;;
	*) echo "$MODES" ;;
	esac
}

# attacks_hold NAME ...: each in each of those modes.
attacks_hold() {
	local name mode

	for name; do
		for mode in $(attack_modes); do
			ktap_case attack "$mode" "$name"
		done
	done
}

# attacks_count N: how many cases N attacks are.
attacks_count() {
	local modes

	read -r -a modes <<< "$(attack_modes)"
	echo $(($1 * ${#modes[@]}))
}

# attack_test CONTROLS ATTACKS: a whole test, both lists of names.
attack_test() {
	local controls attacks

	read -r -a controls <<< "$1"
	read -r -a attacks <<< "$2"
	ktap_plan $(($(controls_count ${#controls[@]}) + $(attacks_count ${#attacks[@]})))
	topo_path
	[ ${#controls[@]} -eq 0 ] || controls "${controls[@]}"
	protected_links
	attacks_hold "${attacks[@]}"
	ktap_end
}

# new_keys [4|6 ...]: another key for the two of them, for the addresses of that
# family or of both; whatever stood under the old one ends. The key is in a file $key.
new_keys() {
	local families=("$@") family at_a at_b

	[ $# -gt 0 ] || families=(4 6)
	key=$(psk_file)
	for family in "${families[@]}"; do
		at_a=$IP4_B at_b=$IP4_A
		[ "$family" = 4 ] || at_a=$IP6_B at_b=$IP6_A
		a "$SRXE" psk del dev "$DEV_A" "peer:$at_a" 2> /dev/null
		b "$SRXE" psk del dev "$DEV_B" "peer:$at_b" 2> /dev/null
		psk_add "$NS_A" "$DEV_A" "peer:$at_a" "$key" &&
			psk_add "$NS_B" "$DEV_B" "peer:$at_b" "$key" || return 1
	done
}
