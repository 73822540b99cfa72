# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Keys that come and go, and a path that breaks, between a and b with m in the middle.

# forget a|b
forget() {
	local dev=$DEV_A desc

	[ "$1" = a ] || dev=$DEV_B
	for desc in $("$1" "$SRXE" psk show "$dev" | awk '/ state .* sas / { print $3 }'); do
		"$1" "$SRXE" psk del dev "$dev" "$desc" 2> /dev/null
	done
	"$1" "$SRXE" psk clear dev "$dev" all
}

# keys a|b|both: a new key, for the other.
keys() {
	local key peer=$IP4_B me=$IP4_A

	[ "${FAMILY:-4}" = 4 ] || peer=$IP6_B me=$IP6_A
	key=$(psk_file)
	[ "$1" = b ] || psk_add "$NS_A" "$DEV_A" "peer:$peer" "$key" || fail "no key in a"
	[ "$1" = a ] || psk_add "$NS_B" "$DEV_B" "peer:$me" "$key" || fail "no key in b"
}

# The id of a's key for b.
key_id() {
	a "$SRXE" -j psk show "$DEV_A" | python3 -S -c 'import json, sys
print([k["key-id"] for k in json.load(sys.stdin) if k["state"] == "live"][0])'
}

# cut, mend: nothing gets to b, but what is sent from its port.
cut() {
	m bridge link set dev to_b state 0
}

mend() {
	m bridge link set dev to_b state 3
}
