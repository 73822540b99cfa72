#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Crypto that always completes later: cryptd forced, as an accelerator would be.
# srxe-test: kernels=debian,debug guests=1 timeout=900 cost=170
. "${0%/*}/../lib/srxe-lib.sh"
. "${0%/*}/../lib/traffic.sh"
. "${0%/*}/../lib/hold.sh"

GCM="cryptd(gcm_base(ctr(aes-generic),ghash-generic))"
declare -A DRIVER=(
	[aes256-gcm]=$GCM
	[aes128-gcm]=$GCM
	[chacha20-poly1305]="cryptd(rfc7539(chacha20-generic,poly1305-generic))"
	[aegis128]="cryptd(aegis128-generic)"
)

# forced MODE SUITE: both links ask for that, and for cryptd.
forced() {
	local end dev=$DEV_A

	for end in a b; do
		"$end" "$SRXE" link set "$dev" mode "$1" suites "$2" driver "${DRIVER[$2]}" ||
			fail "cannot set mode $1, suite $2, driver ${DRIVER[$2]}"
		dev=$DEV_B
	done
}

# later COMMAND ...: it works, and all crypto of the time was completed later.
later() {
	local seen=()

	mapfile -t seen < <(figures)
	"$@" || fail "$* failed"
	figures | python3 -S -c 'import sys
was = [int(word) for word in sys.argv[1:]]
now = [int(word) for word in sys.stdin.read().split()]
for at in (0, 3):
	asynchronous, sealed, opened = (now[at + i] - was[at + i] for i in range(3))
	print(f"{sealed} sealed, {opened} opened, {asynchronous} of them later")
	if not sealed or not opened or asynchronous < sealed + opened:
		sys.exit("some crypto was not asynchronous, or there was none")' "${seen[@]}" ||
		fail "after $*"
}

figures() {
	counter "$NS_A" "$DEV_A" crypto_async tx_sealed rx_opened
	counter "$NS_B" "$DEV_B" crypto_async tx_sealed rx_opened
}

# shown SUITE: the link says what it was given, and its SA what it uses.
shown() {
	forced encrypt "$1"
	a "$SRXE" -j link show "$DEV_A" | grep -qF "\"driver\":\"${DRIVER[$1]}\"" ||
		fail "the link: $(a "$SRXE" -j link show "$DEV_A")"
	later connected
	json "$(sas a "$DEV_A")" "$(sas b "$DEV_B")" \
		"all(s['driver'] == '${DRIVER[$1]}' and s['suite'] == '$1' for s in x + y)" \
		'len(x) == len(y) == 1'
	disconnected
}

# refused WORD ...: settings that are, and say so; nothing changes.
refused() {
	local said before

	before=$(a "$SRXE" -j link show "$DEV_A")
	said=$(a "$SRXE" link set "$DEV_A" "$@" 2>&1) && fail "taken: $*"
	grep -q "driver must exist and implement every suite" <<< "$said" || fail "said: $said"
	[ "$(a "$SRXE" -j link show "$DEV_A")" = "$before" ] || fail "something changed"
}

# One driver for all suites of the link, or none.
not_for_every_suite() {
	forced encrypt aes256-gcm
	refused suites aes256-gcm,chacha20-poly1305
	refused suites chacha20-poly1305
	refused driver "${DRIVER[aegis128]}"
	refused driver "cryptd(no-such-thing)"
	refused driver "cryptd(ctr(aes-generic))"
	a "$SRXE" link set "$DEV_A" suites aes256-gcm,aes128-gcm || fail "both GCM suites are refused"
}

# copies: R4, of one packet, in crypto at the same time.
copies() {
	forced encrypt aes256-gcm
	scenario R4 holds
}

# back: with no driver asked for, the kernel's best is taken again.
back() {
	a "$SRXE" link set "$DEV_A" suites aes256-gcm driver auto &&
		b "$SRXE" link set "$DEV_B" suites aes256-gcm driver auto || fail "cannot set"
	connected
	json "$(sas a "$DEV_A")" "$(sas b "$DEV_B")" \
		'all(not s["driver"].startswith("cryptd(") for s in x + y)'
	disconnected
}

# moves MODE SUITE [OPTION ...]
moves() {
	forced "$1" "$2"
	later traffic "${@:3}"
}

# reordered MODE RC|UC
reordered() {
	local port status

	forced "$1" aes256-gcm
	for port in to_a to_b; do
		m tc qdisc replace dev $port root netem limit 10000 delay 1ms reorder 20% 25% ||
			skip "no netem here"
	done
	if [ "$2" = rc ]; then
		later traffic --qp-timeout 13 --iters 24 --mtu 1024 --op send,write,read --size 64,5000
	else
		later traffic --qp uc --loss --grace 100 --mtu 1024 --iters 24 --op send --size 64,3000
	fi
	status=$?
	m tc qdisc del dev to_a root
	m tc qdisc del dev to_b root
	return $status
}

# What is in crypto when its queue pair, program or key goes is waited for.
gone_meanwhile() {
	local round

	forced encrypt aes256-gcm
	for round in 1 2 3; do
		connected
		ctl "$end_a" post write 60000 0 60 && ctl "$end_b" post write 60000 0 60 ||
			fail "cannot post: $answer"
		case $round in
		1) kill_ends ;;
		2)
			a "$SRXE" psk revoke dev "$DEV_A" "peer:$IP4_B" || fail "cannot revoke"
			kill_ends
			renew_key
			;;
		3)
			ctl "$end_a" reset && ctl "$end_b" reset && ctl "$end_b" up && ctl "$end_a" up ||
				fail "$answer"
			ctl "$end_a" write 60000 || fail "after a reset: $answer"
			kill_ends
			;;
		esac
		wait_for 20 no_sa a "$DEV_A" && wait_for 20 no_sa b "$DEV_B" || fail "SAs are left"
	done
}

kill_ends() {
	# shellcheck disable=SC2046 # words
	kill -KILL $(ip netns pids "$NS_A") $(ip netns pids "$NS_B")
}

renew_key() {
	local key

	key=$(psk_file)
	a "$SRXE" psk clear dev "$DEV_A" all
	b "$SRXE" psk del dev "$DEV_B" "peer:$IP4_A"
	b "$SRXE" psk clear dev "$DEV_B" all
	psk_add "$NS_A" "$DEV_A" "peer:$IP4_B" "$key" &&
		psk_add "$NS_B" "$DEV_B" "peer:$IP4_A" "$key" || fail "no new key"
}

# A crypto queue that is far too short: what finds it full is dropped and counted,
# and RC repairs it.
full_queue() {
	[ "$(modinfo -F filename cryptd)" != "(builtin)" ] || skip "cryptd is no module here"
	links_away || fail "the module stays"
	unload cryptd || skip "cryptd is in use"
	modprobe cryptd cryptd_max_cpu_qlen=8 || fail "no cryptd"
	protected_links
	forced encrypt aes256-gcm
	traffic --qp-timeout 12 --mtu 1024 --iters 32 --depth 16 --op send,write --size 5000 ||
		fail "RC does not repair it"
	counted "$NS_A" "$DEV_A" tx_drop_crypto_busy 1 || fail "the queue was never full"
	echo "a: $(counter "$NS_A" "$DEV_A" tx_drop_crypto_busy) not sent," \
		"$(counter "$NS_A" "$DEV_A" rx_drop_crypto_busy) not received"
	links_away && unload cryptd || fail "cryptd stays as it is"
	protected_links
}

links_away() {
	link_del "$NS_A" "$DEV_A" && link_del "$NS_B" "$DEV_B" &&
		module_unload "$(module_name "$TYPE")"
}

# unload MODULE: and what stands on it.
unload() {
	local holder

	for holder in /sys/module/"$1"/holders/*; do
		[ ! -e "$holder" ] || unload "${holder##*/}" || return 1
	done
	[ ! -d "/sys/module/$1" ] || rmmod "$1"
}

cases=(
	"shown aes256-gcm"
	"moves encrypt aes256-gcm --qp rc --size 64,5000"
	"moves packet aes128-gcm --qp uc --size 64,5000"
	"reordered encrypt rc"
	copies
	gone_meanwhile
	back
)
[ "$SRXE_TEST_LEVEL" = pairwise ] || cases=(
	"shown aes256-gcm"
	"shown aes128-gcm"
	"shown chacha20-poly1305"
	"shown aegis128"
	not_for_every_suite
	"moves encrypt aes256-gcm --qp rc"
	"moves encrypt aes128-gcm --qp uc"
	"moves packet aes128-gcm --qp rc"
	"moves packet aes256-gcm --qp uc"
	"moves header aes256-gcm --qp rc --size 64,5000"
	"moves encrypt chacha20-poly1305 --qp rc --size 64,5000"
	"moves packet aegis128 --qp uc --size 64,5000"
	"moves encrypt aes256-gcm --qp rc --depth 32 --iters 320 --size 64"
	"moves encrypt aes256-gcm --qp uc --depth 32 --iters 320 --size 64"
	"moves packet aes256-gcm --qp rc --depth 32 --iters 64 --size 65536 --op write,read,send"
	"reordered encrypt rc"
	"reordered packet uc"
	"reordered encrypt uc"
	copies
	gone_meanwhile
	back
	full_queue
)
ktap_plan $(($(controls_count 1) + ${#cases[@]}))
topo_path
controls R4
protected_links
ktap_cases "${cases[@]}"
ktap_end
