#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Command lines of srxe: what is understood, what is refused, and how. Needs no
# kernel module and no privilege: what is understood ends at a link that does
# not exist, or earlier, for want of the module.

. "${0%/*}/../lib/ktap.sh"

srxe=${SRXE:-${SRXE_BUILD:-${0%/*}/../../../../build}/srxe}
none=no-such-link

# run ARGUMENT ...: output in $out and $err, status in $status.
run() {
	out=$("$srxe" "$@" 2> "$errors" < /dev/null)
	status=$?
	err=$(cat "$errors")
}

result() {
	if [ "$1" -eq 0 ]; then
		ktap_result pass "$2"
	else
		printf '%s\n' "status $status, out: $out" "err: $err" | sed 's/^/# /'
		ktap_result fail "$2"
	fi
}

# prints STATUS PATTERN ARGUMENT ...: that status, and the pattern on stdout.
prints() {
	local want=$1 pattern=$2

	shift 2
	run "$@"
	[ "$status" -eq "$want" ] && grep -q -- "$pattern" <<< "$out" && [ -z "$err" ]
	result $? "srxe $* prints $pattern"
}

# refused PATTERN ARGUMENT ...: status 1, nothing on stdout, the pattern on stderr.
refused() {
	local pattern=$1

	shift
	run "$@"
	[ "$status" -eq 1 ] && [ -z "$out" ] && grep -q -- "$pattern" <<< "$err"
	result $? "srxe $* is refused"
}

# taken ARGUMENT ...: it was understood, and then there is no such link.
taken() {
	run "$@"
	[ "$status" -eq 2 ] && grep -q "modprobe secure_rxe\|no such secure-rxe link\|CAP_NET_ADMIN" \
		<<< "$err"
	result $? "srxe $* is understood"
}

errors=$(mktemp)
at_exit rm -f "$errors"
ktap_plan 77

prints 0 "^Usage: srxe " help
prints 0 "^Usage: srxe " -h
prints 0 "^Usage: srxe " --help
prints 0 "^srxe " -V
prints 0 "^srxe " -Version
prints 0 "^Usage: srxe link " link help
prints 0 "^Usage: srxe link " l h
prints 0 "^Usage: srxe sa " sa help
prints 0 "^Usage: srxe psk " psk help

refused "Usage: srxe"
refused "unknown object" links
refused "unknown option" -x sa
refused "unknown option" - sa
refused "unknown link command" link sett
refused "unknown psk command" psk x

taken link
taken link show
taken link show $none
taken link show dev $none
taken li sh $none
taken -j link list
taken -jp sa
taken --json --pretty --details sa show
taken sa sh dev $none
taken psk
taken psk show $none
refused "One device at most" link show a b
refused "needs a value" sa show dev

taken link set $none mode packet
taken link set dev $none mode packet
taken l se mode header dev $none
taken link set $none suites all unkeyed allow driver auto
taken link set $none suites aes256-gcm,aegis128
taken link set $none driver "generic-gcm-aesni"
taken link set $none mode conceal
refused "which link" link set mode packet
refused "nothing to set" link set $none
refused "needs a value" link set $none mode
refused "no mode \"pack\", one of: header packet encrypt$" link set $none mode pack
refused "no suite \"des\"" link set $none suites aes256-gcm,des
refused "no suite \"\"" link set $none suites aes256-gcm,
refused "no suite" link set $none suites ""
refused "deny allow" link set $none unkeyed yes
refused "what is" link set $none other

taken psk add dev $none peer:10.0.0.2
taken psk a peer:10.0.0.0/24#a dev $none
taken psk add dev $none default
taken psk add dev $none default#new --generate
taken psk add dev $none peer:fd00::/64 file /dev/null
refused "which link" psk add peer:10.0.0.2
refused "\"dev NAME\" is missing" psk add $none peer:10.0.0.2
refused "which peer" psk add dev $none
refused "neither peer" psk add dev $none 10.0.0.2
refused "not an IP address" psk add dev $none peer:host
refused "bits set behind /24" psk add dev $none peer:10.0.0.2/24
refused "prefix length must be 0 to 32" psk add dev $none peer:10.0.0.2/33
refused "a tag is" psk add dev $none "peer:10.0.0.2#a b"
refused "either read from a file or generated" psk add dev $none default file f --generate
refused "never an argument" psk add dev $none default \
	000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
grep -q 0102030405 <<< "$err"
result $((!$?)) "a key among the arguments is not repeated"

refused "\"dev NAME\" is missing" psk del $none peer:10.0.0.2
taken psk revoke dev $none 12345
taken psk r dev $none peer:10.0.0.2#a
taken psk del dev $none default
taken psk t dev $none peer:10.0.0.2 60
taken psk timeout dev $none 12345 never
taken psk clear dev $none all
taken psk clear dev $none fd00::1
taken psk clear dev $none peer:10.0.0.0/8
taken psk clear dev $none 10.0.0.0/8
taken psk clear dev $none default
refused "tag tells keys apart" psk clear dev $none 10.0.0.1#a
refused "not an IP address" psk clear dev $none everyone
refused "neither a key's serial" psk revoke dev $none name
refused "neither a key's serial" psk del dev $none 0x123
refused "number of seconds" psk timeout dev $none 12345 -1
refused "missing" psk clear dev $none

ktap_end
