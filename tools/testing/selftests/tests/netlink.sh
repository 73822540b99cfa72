#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Settings and keys by netlink and srxe: every command, who may use it, what
# other network namespaces see, and what is said when it is refused.
# srxe-test: kernels=debian,debug guests=1 timeout=900 cost=70 level=full
. "${0%/*}/../lib/srxe-lib.sh"
export SRXE_TOP SRXE_BUILD

genl=${0%/*}/../lib/genl.py
HEX=7d1f3a90c2b4e6581907f3a5bd2c4e6f8091a3b5c7d9ebfd0f2143658799abcd
BASE64=fR86kMK05lgZB/OlvSxOb4CRo7XH2ev9DyFDZYeZq80=
HEX2=aa1f3a90c2b4e6581907f3a5bd2c4e6f8091a3b5c7d9ebfd0f2143658799abcd

# in_a ARGUMENT ...: srxe in a, output in $out, errors in $err.  Status: srxe's.
in_a() {
	local status

	out=$(a "$SRXE" "$@" 2> "$(scratch)/err" < "${stdin:-/dev/null}")
	status=$?
	err=$(cat "$(scratch)/err")
	return "$status"
}

# json EXPRESSION ...: Python expressions about x, the parsed $out, are true.
json() {
	python3 -S -c 'import json, sys
x = json.loads(sys.argv[1])
for expression in sys.argv[2:]:
	if not eval(expression):
		sys.exit("not so: " + expression)' "$out" "$@" 2>&1 || fail "in $out"
}

# value KEY: of the first object in the JSON that is $out.
value() {
	python3 -S -c 'import json, sys
print(json.loads(sys.argv[1])[0][sys.argv[2]])' "$out" "$1"
}

# ok ARGUMENT ...: srxe in a does it, silently on stderr.
ok() {
	in_a "$@" || fail "srxe $*: $err"
	[ -z "$err" ] || fail "srxe $* said: $err"
}

# refused PATTERN ARGUMENT ...: the kernel refuses it and says that.
refused() {
	local pattern=$1 status

	shift
	in_a "$@"
	status=$?
	[ "$status" -eq 2 ] || fail "srxe $*: status $status, not 2: $out $err"
	grep -q -- "$pattern" <<< "$err" || fail "srxe $*: says $err, not $pattern"
}

with_key() {
	printf '%s' "$1" > "$(scratch)/stdin"
	stdin=$(scratch)/stdin
}

defaults() {
	ok link show "$DEV_A"
	grep -q "$DEV_A: mode encrypt suites aes256-gcm unkeyed deny driver auto" <<< "$out" ||
		fail "not the defaults: $out"
	ok -j link show
	json 'len(x) == 1 and x[0]["ifname"] == "'"$DEV_A"'"' \
		'x[0]["mode"] == "encrypt" and x[0]["suites"] == ["aes256-gcm"]' \
		'x[0]["unkeyed"] == "deny" and x[0]["keyring"] > 0 and x[0]["sas"] == 0'
	ok -jpd link
	json 'x[0]["overhead"] == 180 and "rc" in x[0]["kinds-supported"]' \
		'x[0]["modes-supported"] == ["header", "packet", "encrypt"]'
}

settings() {
	local mode

	for mode in header packet encrypt; do
		ok link set "$DEV_A" mode $mode
		ok -j link show "$DEV_A"
		json "x[0]['mode'] == '$mode'"
	done
	ok link set dev "$DEV_A" suites all unkeyed allow
	ok -j link show "$DEV_A"
	json 'len(x[0]["suites"]) == 4 and x[0]["unkeyed"] == "allow"' \
		'x[0]["mode"] == "encrypt"'
	ok link set "$DEV_A" suites chacha20-poly1305,aegis128 unkeyed deny mode packet
	ok -j link show "$DEV_A"
	json 'x[0]["suites"] == ["chacha20-poly1305", "aegis128"] and x[0]["unkeyed"] == "deny"'
	ok link set "$DEV_A" mode encrypt suites aes256-gcm,aes128-gcm
}

driver() {
	local name

	name=$(awk '/^name/ { name = $3 } /^driver/ && name == "gcm(aes)" { print $3; exit }' \
		/proc/crypto)
	[ -n "$name" ] || skip "no driver for gcm(aes) is loaded"
	ok link set "$DEV_A" driver "$name"
	ok -j link show "$DEV_A"
	json "x[0]['driver'] == '$name'"
	refused "every suite" link set "$DEV_A" suites all
	ok link set "$DEV_A" driver auto
	ok -j link show "$DEV_A"
	json 'x[0]["driver"] == "auto" and x[0]["suites"] == ["aes256-gcm", "aes128-gcm"]'
}

settings_refused() {
	local before after

	ok -j link show "$DEV_A"
	before=$out
	refused "conceal is not supported yet" link set "$DEV_A" mode conceal
	refused "driver must exist" link set "$DEV_A" mode header driver no-such-driver
	refused "no such secure-rxe link in this network namespace" link set nosuch mode packet
	refused "no such secure-rxe link in this network namespace" link show nosuch
	refused "no such secure-rxe link in this network namespace" sa show nosuch
	refused "no such secure-rxe link in this network namespace" psk show nosuch
	ok -j link show "$DEV_A"
	after=$out
	[ "$before" = "$after" ] || fail "something changed: $before, now $after"
}

# The spec, the kernel's library and our kernel side agree.
by_spec() {
	a "$genl" <<- 'END' || fail "not as the spec has it"
	dump link-get {} => x[0]["dev-name"] and x[0]["keyring"] > 0 and len(x) == 1
	dump link-get {} => x[0]["suites"] == {"aes128-gcm", "aes256-gcm"} and x[0]["sas"] == 0
	dump link-get {} => x[0]["mode"] == "encrypt" and x[0]["unkeyed"] == "deny"
	dump link-get {} => x[0]["kind-caps"] == {"rc", "uc", "ud", "gsi"} and x[0]["driver"] == ""
	do link-get {"dev-index": {index}} => x["dev-name"]
	do link-get {"dev-index": {index}, "dev-name": "{dev}"} => x["dev-index"] >= 0
	do link-get {"dev-index": {index}, "dev-name": "other"} => "another name" in said
	do link-get {"dev-index": 100000} => "no such secure-rxe link" in said
	do link-get {} => "which link" in said
	do link-set {"mode": "packet"} => "which link" in said
	do link-set {"dev-name": "{dev}"} => "nothing to set" in said
	do link-set {"dev-name": "{dev}", "suites": 16} => said
	do link-set {"dev-name": "{dev}", "suites": 0} => "known suite" in said
	do link-set {"dev-name": "{dev}", "mode": 0} => "out of range" in said
	do link-set {"dev-name": "{dev}", "mode": 5} => "out of range" in said
	do link-set {"dev-name": "{dev}", "unkeyed": 2} => "out of range" in said
	dump sa-get {} => x == []
	dump sa-get {"dev-name": "{dev}"} => x == []
	dump sa-get {"dev-name": "other"} => "no such secure-rxe link" in said
	dump psk-get {"dev-index": {index}} => x == []
	dump psk-get {"dev-index": 100000} => "no such secure-rxe link" in said
	do psk-revoke {"dev-name": "{dev}"} => "which key" in said
	do psk-del {"dev-name": "{dev}", "serial": 1, "description": "default"} => "which key" in said
	do psk-del {"dev-name": "{dev}", "serial": -1} => "above 0" in said
	do psk-del {"dev-name": "{dev}", "description": "me"} => "description is" in said
	do psk-del {"serial": 1} => "which link" in said
	do psk-timeout {"dev-name": "{dev}", "serial": 1} => "when" in said
	do psk-clear {"dev-name": "{dev}"} => "which tombstones" in said
	do psk-clear {"dev-name": "{dev}", "description": "default", "all": true} => "which" in said
	do psk-clear {"dev-name": "{dev}", "description": "10.0.0.1"} => "description of" in said
	do psk-clear {"dev-name": "{dev}", "description": "peer:10.0.0.1#a"} => "tag" in said
	do psk-clear {"dev-name": "{dev}", "description": "peer:10.0.0.0/8"} => "no tombst" in said
	END
}

key_forms() {
	with_key "$HEX"
	ok psk add dev "$DEV_A" peer:10.1.0.1
	with_key "$BASE64"$'\n'
	ok psk add dev "$DEV_A" peer:10.1.0.2
	python3 -c 'import sys; sys.stdout.buffer.write(bytes.fromhex(sys.argv[1]))' "$HEX" \
		> "$(scratch)/raw"
	chmod 600 "$(scratch)/raw"
	ok psk add dev "$DEV_A" peer:10.2.0.0/16 file "$(scratch)/raw"
	with_key "$HEX"
	ok psk add dev "$DEV_A" peer:FD01:0::0/32#a
	ok psk add dev "$DEV_A" default
	ok -j psk show "$DEV_A"
	json 'len(x) == 5 and len({k["key-id"] for k in x}) == 1' \
		'len({k["serial"] for k in x}) == 5 and {k["state"] for k in x} == {"live"}' \
		'{k["description"]: k["match"] for k in x} == {"peer:10.1.0.1": "host",
		"peer:10.1.0.2": "host", "peer:10.2.0.0/16": "prefix",
		"peer:fd01::/32#a": "prefix", "default": "default"}'
	json 'all(k["sas"] == 0 and k["since"] > 0 and "expires" not in k for k in x)'
}

generated() {
	local first

	ok psk add dev "$DEV_A" peer:10.3.0.1 --generate
	grep -Eqx '[0-9a-f]{64}' <<< "$out" || fail "no key but $(wc -c <<< "$out") characters"
	first=$out
	ok -j psk add dev "$DEV_A" peer:10.3.0.2 --generate
	json 'len(x) == 1 and len(bytes.fromhex(x[0]["key"])) == 32' \
		'x[0]["description"] == "peer:10.3.0.2" and x[0]["serial"] > 0'
	[[ $out != *"$first"* ]] || fail "the same key twice"
	# What was printed is the key: the same id results.
	with_key "$first"
	ok psk add dev "$DEV_A" peer:10.3.0.3
	ok -j psk show "$DEV_A"
	json 'len({k["key-id"] for k in x if k["description"][:11] == "peer:10.3.0" and
		k["description"] != "peer:10.3.0.2"}) == 1'
}

unusable_keys() {
	local file text

	for text in "" "${HEX:1}" "${HEX}0" "correct horse battery staple" "$HEX $HEX"; do
		with_key "$text"
		in_a psk add dev "$DEV_A" peer:10.4.0.1
		[ $? -eq 1 ] || fail "status for a key that is none: $out $err"
		grep -q "32 random bytes" <<< "$err" || fail "said: $err"
	done
	# What the tool cannot tell, the kernel does.
	with_key "correct horse battery staple 1234"
	printf '%.32s' "correct horse battery staple 1234" > "$stdin"
	refused "all zeros or one byte repeated is no key" psk add dev "$DEV_A" peer:10.4.0.1
	file=$(scratch)/open
	printf '%s' "$HEX" > "$file"
	chmod 640 "$file"
	in_a psk add dev "$DEV_A" peer:10.4.0.1 file "$file"
	[ $? -eq 1 ] && grep -q "chmod 600" <<< "$err" || fail "a file open to others: $err"
	chmod 600 "$file"
	chown nobody "$file"
	in_a psk add dev "$DEV_A" peer:10.4.0.1 file "$file"
	[ $? -eq 1 ] && grep -q "another user" <<< "$err" || fail "another user's file: $err"
	ok -j psk show "$DEV_A"
	json 'not [k for k in x if k["description"] == "peer:10.4.0.1"]'
}

no_silent_replacement() {
	with_key "$HEX2"
	refused "live key peer:10.1.0.1" psk add dev "$DEV_A" peer:10.1.0.1
	ok psk add dev "$DEV_A" "peer:10.1.0.1#new"
	ok -j psk show "$DEV_A"
	json 'len({k["key-id"] for k in x if k["description"].startswith("peer:10.1.0.1")}) == 2'
}

life_of_keys() {
	ok psk timeout dev "$DEV_A" peer:10.1.0.2 1000
	ok -j psk show "$DEV_A"
	json '[k for k in x if k["description"] == "peer:10.1.0.2" and k["expires"] > k["since"]]'
	ok psk timeout dev "$DEV_A" peer:10.1.0.2 never
	ok -j psk show "$DEV_A"
	json '[k for k in x if k["description"] == "peer:10.1.0.2" and "expires" not in k]'
	ok psk timeout dev "$DEV_A" peer:10.1.0.2 1
	wait_for 10 state_is peer:10.1.0.2 expired || fail "still not expired: $out"
	refused "has expired" psk revoke dev "$DEV_A" peer:10.1.0.2

	ok psk revoke dev "$DEV_A" "$(serial_of peer:10.3.0.2)"
	state_is peer:10.3.0.2 revoked || fail "not revoked: $out"
	refused "revoked already" psk revoke dev "$DEV_A" peer:10.3.0.2
	refused "revoked already" psk timeout dev "$DEV_A" peer:10.3.0.2 5
	# It stays beside a live alternative, which may go.
	ok psk revoke dev "$DEV_A" "peer:10.1.0.1#new"
	state_is peer:10.1.0.1 live || fail "its alternative: $out"
	state_is "peer:10.1.0.1#new" revoked || fail "forgotten: $out"
	ok psk del dev "$DEV_A" "peer:10.1.0.1#new"
	state_is peer:10.1.0.1 live || fail "its alternative is gone too: $out"
	gone "peer:10.1.0.1#new" || fail "still there: $out"

	ok psk del dev "$DEV_A" peer:10.3.0.2
	ok psk del dev "$DEV_A" peer:10.1.0.2
	ok psk del dev "$DEV_A" "$(serial_of default)"
	ok -j psk show "$DEV_A"
	json 'not {"peer:10.3.0.2", "peer:10.1.0.2", "default"} & {k["description"] for k in x}'
	refused "no such key on this link" psk del dev "$DEV_A" default
	refused "no such key on this link" psk revoke dev "$DEV_A" 1
	refused "no such key on this link" psk timeout dev "$DEV_A" peer:10.9.9.9 5
	refused "no tombstone of those" psk clear dev "$DEV_A" 10.9.9.9
	refused "no tombstone of those" psk clear dev "$DEV_A" 10.9.9.0/24
	refused "no tombstone of those" psk clear dev "$DEV_A" default
	ok psk clear dev "$DEV_A" all
	# A key that is dead does not stand in the way of a new one.
	ok psk revoke dev "$DEV_A" peer:10.3.0.1
	with_key "$HEX"
	ok psk add dev "$DEV_A" peer:10.3.0.1
	state_is peer:10.3.0.1 live || fail "not live: $out"
}

# state_is DESCRIPTION STATE
state_is() {
	in_a -j psk show "$DEV_A" &&
		python3 -S -c 'import json, sys
sys.exit(sys.argv[3] not in [k["state"] for k in json.loads(sys.argv[1])
	if k.get("description") == sys.argv[2]])' "$out" "$1" "$2"
}

serial_of() {
	a "$SRXE" -j psk show "$DEV_A" | python3 -S -c 'import json, sys
print(*[k["serial"] for k in json.load(sys.stdin) if k["description"] == sys.argv[1]])' "$1"
}

by_keyctl() {
	local ring serial

	ok -j link show "$DEV_A"
	ring=$(value keyring)
	serial=$(printf '%s' "$HEX2" | a keyctl padd rdma_psk peer:10.5.0.1 "$ring") ||
		fail "keyctl padd"
	[ "$(serial_of peer:10.5.0.1)" = "$serial" ] || fail "not shown: $serial"
	a keyctl unlink "$serial" "$ring" || fail "keyctl unlink"
	wait_for 20 gone peer:10.5.0.1 || fail "still shown"
	! a keyctl add user name value "$ring" 2> /dev/null || fail "a key of another type"
}

gone() {
	[ -z "$(serial_of "$1")" ]
}

# Nothing that can be asked for holds a key, its hex or its base64.
never_shown() {
	local serial text all

	serial=$(serial_of peer:10.1.0.1)
	! a keyctl pipe "$serial" > "$(scratch)/pipe" 2>&1 || fail "keyctl reads it"
	! a keyctl print "$serial" > /dev/null 2>&1 || fail "keyctl prints it"
	all=$(
		a "$SRXE" psk show
		a "$SRXE" -j psk show
		a "$SRXE" -jd link
		a "$genl" <<< 'dump psk-get {} => False'
		a keyctl describe "$serial"
		cat /proc/keys "$(scratch)/pipe"
		dmesg
	)
	[ -n "$all" ] || fail "nothing was shown at all"
	for text in "$HEX" "$BASE64" "${HEX:0:24}" "${HEX:40:24}"; do
		! grep -qiF "$text" <<< "$all" || fail "a key was shown: $text"
	done
}

# Neither another user nor root without the capability gets anywhere.
needs_net_admin() {
	local who command status

	with_key "$HEX"
	for who in "--reuid=nobody --clear-groups --inh-caps=-all" \
		"--inh-caps=-net_admin --bounding-set=-net_admin"; do
		for command in "link show" "link set $DEV_A mode header" "sa show" "psk show" \
			"psk add dev $DEV_A peer:10.6.0.1" "psk revoke dev $DEV_A peer:10.1.0.1" \
			"psk timeout dev $DEV_A peer:10.1.0.1 5" \
			"psk del dev $DEV_A peer:10.1.0.1" "psk clear dev $DEV_A all"; do
			# shellcheck disable=SC2086 # words
			out=$(a setpriv $who "$SRXE" $command 2>&1 < "$stdin")
			status=$?
			[ "$status" -eq 2 ] && grep -q CAP_NET_ADMIN <<< "$out" ||
				fail "$who: $command: status $status: $out"
		done
	done
	# Nor does keyctl let root without the capability in.
	ok -j link show "$DEV_A"
	ring=$(value keyring)
	! printf '%s' "$HEX2" | a setpriv --inh-caps=-net_admin --bounding-set=-net_admin \
		keyctl padd rdma_psk peer:10.6.0.1 "$ring" 2> /dev/null || fail "keyctl let it in"
	state_is peer:10.1.0.1 live || fail "something happened: $out"
	ok -j link show "$DEV_A"
	json 'x[0]["mode"] == "encrypt"'
}

other_namespaces() {
	local command

	out=$(b "$SRXE" -j link show) || fail "in b: $out"
	json 'x == []'
	for command in sa psk; do
		out=$(b "$SRXE" -j $command show)
		json 'x == []'
	done
	for command in "link show $DEV_A" "link set $DEV_A mode header" "sa show $DEV_A" \
		"psk show $DEV_A" "psk add dev $DEV_A default" "psk del dev $DEV_A default" \
		"psk clear dev $DEV_A all"; do
		# shellcheck disable=SC2086 # words
		out=$(b "$SRXE" $command 2>&1 < /dev/null)
		[ $? -eq 2 ] && grep -q "no such secure-rxe link" <<< "$out" || fail "$command: $out"
	done
	# Root of a user namespace of its own has the capability for that one's networks.
	out=$(unshare -Urn "$SRXE" -j link show) || fail "in a user namespace: $out"
	json 'x == []'
	out=$(unshare -Ur nsenter --net="/run/netns/$NS_A" "$SRXE" link show 2>&1)
	[ $? -ne 0 ] || fail "a user namespace reaches into a: $out"
}

two_links() {
	ip -n "$NS_A" link add dummy0 type dummy
	ip -n "$NS_A" link set dummy0 up
	link_add "$NS_A" srxe_two dummy0 || fail "no second link"
	with_key "$HEX2"
	ok psk add dev srxe_two default
	ok -j link show
	json 'sorted(l["ifname"] for l in x) == sorted(["'"$DEV_A"'", "srxe_two"])' \
		'len({l["keyring"] for l in x}) == 2 and len({l["ifindex"] for l in x}) == 2'
	ok -j psk show srxe_two
	json '[k["description"] for k in x] == ["default"]'
	ok -j psk show
	json '{k["ifname"] for k in x} == {"'"$DEV_A"'", "srxe_two"}'
	ok link set srxe_two mode header
	ok -j link show "$DEV_A"
	json 'x[0]["mode"] == "encrypt"'
	link_del "$NS_A" srxe_two || fail "rdma link del"
	refused "no such secure-rxe link" link show srxe_two
}

# More than one message of a dump holds.
many_keys() {
	ok -j link show "$DEV_A"
	a python3 -S -c 'import ctypes, sys
keys = ctypes.CDLL("libkeyutils.so.1")
for i in range(300):
	desc = b"peer:10.200.%d.%d" % (i // 100, i % 100)
	if keys.add_key(b"rdma_psk", desc, sys.argv[2].encode(), 64, int(sys.argv[1])) < 0:
		sys.exit(i)' "$(value keyring)" "$HEX" || fail "key $?"
	ok -j psk show "$DEV_A"
	json 'len([k for k in x if k["description"].startswith("peer:10.200.")]) == 300' \
		'len({k["serial"] for k in x}) == len(x)'
}

full_output() {
	a "$SRXE" link show > /dev/full 2> "$(scratch)/err"
	[ $? -eq 1 ] && grep -q "cannot write" "$(scratch)/err" || fail "$(cat "$(scratch)/err")"
}

# What is left out of a selection is about the tool more than about the kernel.
cases="settings driver by_spec key_forms generated no_silent_replacement life_of_keys
	by_keyctl other_namespaces two_links many_keys"
[ "$SRXE_TEST_LEVEL" = pairwise ] || cases="defaults settings_refused $cases unusable_keys
	never_shown needs_net_admin full_output"

ktap_plan "$(wc -w <<< "$cases")"
module_load secure-rxe
topo_direct
link_add "$NS_A" "$DEV_A" || bail "no link"
at_exit link_del "$NS_A" "$DEV_A"
for case in $cases; do
	ktap_case "$case"
done
ktap_end
