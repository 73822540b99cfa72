#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Security associations as srxe shows them: both ends tell the same, settings and
# keys count them, and what ends a key ends them.
# srxe-test: kernels=debian,debug guests=1 timeout=900 cost=110 level=full
. "${0%/*}/../lib/srxe-lib.sh"
. "${0%/*}/../lib/traffic.sh"
. "${0%/*}/../lib/hold.sh"

both_ends() {
	local now

	connected
	now=$(date +%s)
	json "$(sas a "$DEV_A")" "$(sas b "$DEV_B")" \
		'len(x) == 1 and len(y) == 1' \
		'x[0]["id"] == y[0]["id"] and len(bytes.fromhex(x[0]["id"])) == 16' \
		'x[0]["key-id"] == y[0]["key-id"] and x[0]["key-serial"] != y[0]["key-serial"]' \
		'x[0]["local"] == y[0]["peer"] == "'"$IP4_A"'"' \
		'x[0]["peer"] == y[0]["local"] == "'"$IP4_B"'"' \
		'x[0]["local-qpn"] == y[0]["peer-qpn"] and x[0]["peer-qpn"] == y[0]["local-qpn"]' \
		'x[0]["local-spi"] == y[0]["peer-spi"] and x[0]["peer-spi"] == y[0]["local-spi"]' \
		'x[0]["initiator"] != y[0]["initiator"]' \
		'all(s["kind"] == "rc" and s["state"] == "standing" for s in x + y)' \
		'all(s["mode"] == "encrypt" and s["suite"] == "aes256-gcm" for s in x + y)' \
		'all("gcm" in s["driver"] and s["key-match"] == "host" for s in x + y)' \
		'x[0]["key-description"] == "peer:'"$IP4_B"'"' \
		'all(s["tx-epoch"] == s["rx-epoch"] == 0 for s in x + y)' \
		'all(s["tx-pn"] > 3 and s["rx-pn"] > 3 for s in x + y)' \
		'x[0]["tx-pn"] >= y[0]["rx-pn"] and y[0]["tx-pn"] >= x[0]["rx-pn"]' \
		'all(abs(s["established"] - '"$now"') < 60 for s in x + y)'
	a "$SRXE" sa show | grep -q "rc local $IP4_A qpn [0-9]* peer $IP4_B" || fail "as text"
	disconnected
}

numbers_grow() {
	local before after

	connected
	before=$(sas a "$DEV_A")
	ctl "$end_a" write 64 0 20 || fail "no traffic: $answer"
	after=$(sas a "$DEV_A")
	json "$before" "$after" 'y[0]["id"] == x[0]["id"]' \
		'y[0]["tx-pn"] >= x[0]["tx-pn"] + 20 and y[0]["rx-pn"] > x[0]["rx-pn"]'
	disconnected
}

modes_and_suites() {
	local mode suite suites next=

	for mode in $MODES; do
		suites="aes128-gcm chacha20-poly1305 aegis128"
		if [ "$SRXE_TEST_LEVEL" = pairwise ]; then
			suites=${next:-$suites}
			next=${suites#* }
			suites=${suites%% *}
		fi
		for suite in $suites; do
			protect "$mode" "$suite" || fail "cannot set $mode, $suite"
			qp=uc connected
			json "$(sas a "$DEV_A")" "$(sas b "$DEV_B")" \
				"all(s['mode'] == '$mode' and s['suite'] == '$suite' for s in x + y)" \
				'all(s["kind"] == "uc" for s in x + y)'
			disconnected
		done
	done
	protect encrypt aes256-gcm
}

stronger_mode_wins() {
	a "$SRXE" link set "$DEV_A" mode header
	connected
	json "$(sas a "$DEV_A")" "$(sas b "$DEV_B")" 'all(s["mode"] == "encrypt" for s in x + y)'
	disconnected
	a "$SRXE" link set "$DEV_A" mode encrypt
}

counted_everywhere() {
	connected
	json "$(a "$SRXE" -j link show "$DEV_A")" "$(a "$SRXE" -j psk show "$DEV_A")" \
		'x[0]["sas"] == 1' \
		'{k["description"]: k["sas"] for k in y if "serial" in k} ==
			{"peer:'"$IP4_B"'": 1, "peer:'"$IP6_B"'": 0}' \
		'[k for k in y if k["state"] == "tombstone" and k["peers"] == "'"$IP4_B"'" and
			not k["denied"] and k["match"] == "host"]'
	disconnected
	json "$(a "$SRXE" -j link show "$DEV_A")" '[]' 'x[0]["sas"] == 0'
}

no_mode_above_a_connection() {
	local said

	protect header aes256-gcm
	connected
	said=$(a "$SRXE" link set "$DEV_A" mode packet 2>&1)
	[ $? -eq 2 ] || fail "mode was raised above a connection: $said"
	grep -q "connections below that mode stand" <<< "$said" || fail "said: $said"
	ctl "$end_a" write 64 0 3 || fail "and it ended: $answer"
	disconnected
	protect encrypt aes256-gcm || fail "not even afterwards"
}

revoked_key() {
	local mark

	connected
	mark=$(log_mark)
	a "$SRXE" psk revoke dev "$DEV_A" "peer:$IP4_B" || fail "cannot revoke"
	no_sa a "$DEV_A" || fail "the SA outlives its key"
	! ctl "$end_a" write 64 0 1 || fail "traffic after that: $answer"
	log_since "$mark" | grep -q "$DEV_A: qp [0-9]*: key for $IP4_B was revoked" ||
		fail "the reason is not told"
	json "$(a "$SRXE" -j psk show "$DEV_A")" '[]' \
		'[k for k in x if k.get("description") == "peer:'"$IP4_B"'" and
			k["state"] == "revoked" and k["sas"] == 0]' \
		'[k for k in x if k["state"] == "tombstone" and k["peers"] == "'"$IP4_B"'" and
			k["denied"]]'
	let_go
	new_key
}

deleted_key() {
	connected
	a "$SRXE" psk del dev "$DEV_A" "peer:$IP4_B" || fail "cannot delete"
	no_sa a "$DEV_A" || fail "the SA outlives its key"
	! ctl "$end_a" write 64 0 1 || fail "traffic after that: $answer"
	json "$(a "$SRXE" -j psk show "$DEV_A")" '[]' \
		'not [k for k in x if k.get("description") == "peer:'"$IP4_B"'"]' \
		'[k for k in x if k["state"] == "tombstone" and k["peers"] == "'"$IP4_B"'" and
			k["denied"]]'
	a "$SRXE" psk clear dev "$DEV_A" "$IP4_B" || fail "cannot clear"
	json "$(a "$SRXE" -j psk show "$DEV_A")" '[]' \
		'not [k for k in x if k["state"] == "tombstone"]'
	let_go
	new_key
}

# A new key for the two, and no more of the old.
new_key() {
	local key

	key=$(psk_file)
	a "$SRXE" psk del dev "$DEV_A" "peer:$IP4_B" 2> /dev/null
	b "$SRXE" psk del dev "$DEV_B" "peer:$IP4_A" 2> /dev/null
	psk_add "$NS_A" "$DEV_A" "peer:$IP4_B" "$key" &&
		psk_add "$NS_B" "$DEV_B" "peer:$IP4_A" "$key" || fail "no new key"
}

shared_key() {
	local key

	key=$(psk_file)
	a "$SRXE" psk del dev "$DEV_A" "peer:$IP4_B"
	b "$SRXE" psk del dev "$DEV_B" "peer:$IP4_A"
	a "$SRXE" psk clear dev "$DEV_A" all
	b "$SRXE" psk clear dev "$DEV_B" all
	psk_add "$NS_A" "$DEV_A" "peer:${IP4_B%.*}.0/24" "$key" &&
		psk_add "$NS_B" "$DEV_B" default "$key" || fail "no key"
	connected
	json "$(sas a "$DEV_A")" "$(sas b "$DEV_B")" \
		'x[0]["key-match"] == "prefix" and y[0]["key-match"] == "default"' \
		'x[0]["id"] == y[0]["id"]'
	disconnected
	# what is remembered is whom the key was for, and so it is forgotten
	json "$(a "$SRXE" -j psk show "$DEV_A")" "$(b "$SRXE" -j psk show "$DEV_B")" \
		'[(k["peers"], k["match"], k["denied"]) for k in x if k["state"] == "tombstone"] ==
			[("'"${IP4_B%.*}"'.0/24", "prefix", False)]' \
		'[(k["peers"], k["match"], k["denied"]) for k in y if k["state"] == "tombstone"] ==
			[("default", "default", False)]'
	a "$SRXE" psk del dev "$DEV_A" "peer:${IP4_B%.*}.0/24"
	b "$SRXE" psk del dev "$DEV_B" default
	json "$(a "$SRXE" -j psk show "$DEV_A")" "$(b "$SRXE" -j psk show "$DEV_B")" \
		'[k["denied"] for k in x + y if k["state"] == "tombstone"] == [True, True]'
	a "$SRXE" psk clear dev "$DEV_A" "$IP4_B" 2> /dev/null && fail "a part of it is forgotten"
	a "$SRXE" psk clear dev "$DEV_A" "${IP4_B%.*}.0/24" || fail "cannot clear a prefix"
	b "$SRXE" psk clear dev "$DEV_B" default || fail "cannot clear the default"
	json "$(a "$SRXE" -j psk show "$DEV_A")" "$(b "$SRXE" -j psk show "$DEV_B")" \
		'not [k for k in x + y if k["state"] == "tombstone"]'
}

ktap_plan 9
topo_direct
protected_links
ktap_case both_ends
ktap_case numbers_grow
ktap_case modes_and_suites
ktap_case stronger_mode_wins
ktap_case counted_everywhere
ktap_case no_mode_above_a_connection
ktap_case revoked_key
ktap_case deleted_key
ktap_case shared_key
ktap_end
