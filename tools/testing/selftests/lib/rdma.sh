# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Modules, links, keys, counters and traffic.

DEV_A=srxe_a
DEV_B=srxe_b
TYPE=${TYPE:-secure-rxe}
SRXE=$SRXE_BUILD/srxe

# --- modules ---------------------------------------------------------------

# module_name TYPE: the module behind a link type.
module_name() {
	case $1 in
	secure-rxe) echo secure_rxe ;;
	rxe-plain) echo secure_rxe_plain ;;
	rxe) echo rdma_rxe ;;
	*) bail "no such link type: $1" ;;
	esac
}

# module_load TYPE [PARAMETER=VALUE ...]: loads the module for that link type,
# the one just built before an installed one; links are of that type from now on.
module_load() {
	local name dependency file

	TYPE=$1
	name=$(module_name "$1")
	shift
	file=$SRXE_BUILD/$(uname -r)/$name.ko
	at_exit module_unload "$name"
	if [ ! -e "$file" ]; then
		modprobe "$name" "$@" || bail "no module $name for $(uname -r)"
		return
	fi
	for dependency in $(modinfo -F depends "$file" | tr , ' '); do
		modprobe "$dependency" || bail "$name needs $dependency"
	done
	insmod "$file" "$@" || bail "cannot load $file"
}

# module_load_knobs: ours, with the parameters that only tests may set.  Those for
# the debug kernel have them anyway.
module_load_knobs() {
	local SRXE_BUILD=$SRXE_BUILD

	[ ! -d "$SRXE_BUILD/knobs/$(uname -r)" ] || SRXE_BUILD=$SRXE_BUILD/knobs
	module_load secure-rxe
	[ -e /sys/module/secure_rxe/parameters/epoch_packets ] ||
		bail "the module has no test-only parameters: make knobs"
}

# link_types: the types of link to try what is about links and not protection.
# Where a selection is run, ours.
link_types() {
	[ "$SRXE_TEST_LEVEL" = pairwise ] || echo rxe-plain
	echo secure-rxe
}

# module_unload NAME: removes it if it is there; what its last users left may take
# a moment.
module_unload() {
	[ -d "/sys/module/$1" ] || return 0
	wait_for 20 rmmod "$1"
}

# --- links -----------------------------------------------------------------

# link_add NAMESPACE NAME [NETDEV]: makes a link and waits until it is up.
link_add() {
	ip netns exec "$1" rdma link add "$2" type "$TYPE" netdev "${3:-net0}" || return 1
	wait_for 10 link_active "$1" "$2"
}

link_active() {
	ip netns exec "$1" rdma link show "$2/1" | grep -q "state ACTIVE"
}

# link_del NAMESPACE NAME
link_del() {
	ip netns exec "$1" rdma link del "$2"
}

# link_pair: a link at each end, with the GIDs of the addresses there; while the case
# lasts, if within one.
link_pair() {
	link_add "$NS_A" "$DEV_A" && link_add "$NS_B" "$DEV_B" || bail "no links of type $TYPE"
	at_case_end link_del "$NS_B" "$DEV_B"
	at_case_end link_del "$NS_A" "$DEV_A"
	wait_for 10 gid_index "$DEV_A" "$IP4_A" > /dev/null &&
		wait_for 10 gid_index "$DEV_A" "$IP6_A" > /dev/null &&
		wait_for 10 gid_index "$DEV_B" "$IP4_B" > /dev/null &&
		wait_for 10 gid_index "$DEV_B" "$IP6_B" > /dev/null || bail "no GIDs"
}

# gid_of ADDRESS: the GID of an IP address, as sysfs prints it.
gid_of() {
	local head tail groups group zeros gid=''

	case $1 in
	*.*)
		# shellcheck disable=SC2046,SC2183 # the four numbers apart
		printf '0000:0000:0000:0000:0000:ffff:%02x%02x:%02x%02x\n' $(echo "$1" | tr . ' ')
		return
		;;
	*::*)
		head=${1%%::*} tail=${1#*::}
		groups=$(echo "$head:$tail" | tr : '\n' | grep -c .)
		zeros=$(printf '0:%.0s' $(seq $((8 - groups))))
		groups="$head:$zeros$tail"
		;;
	*) groups=$1 ;;
	esac
	for group in ${groups//:/ }; do
		gid+=$(printf ':%04x' "0x$group")
	done
	echo "${gid#:}"
}

# gid_index DEVICE ADDRESS: the index of the address's RoCEv2 GID.  Without a
# fork: there are a thousand entries.
gid_index() {
	local port=/sys/class/infiniband/$1/ports/1 wanted gid kind index=0

	wanted=$(gid_of "$2")
	while [ -e "$port/gids/$index" ]; do
		gid='' kind=''
		{ read -r gid < "$port/gids/$index"; } 2> /dev/null
		if [ "$gid" = "$wanted" ]; then
			{ read -r kind < "$port/gid_attrs/types/$index"; } 2> /dev/null
			[ "$kind" != "RoCE v2" ] || { echo "$index"; return; }
		fi
		index=$((index + 1))
	done
	return 1
}

# --- keys ------------------------------------------------------------------

# psk_file: makes a new key, readable by its owner only, and prints the file's name.
psk_file() {
	local file

	file=$(mktemp -p "$(scratch)")
	head -c 32 /dev/urandom > "$file"
	echo "$file"
}

# psk_add NAMESPACE DEVICE PEER FILE: installs a key; PEER as in a description.
psk_add() {
	ip netns exec "$1" "$SRXE" psk add dev "$2" "$3" < "$4"
}

# psk_pair: one new key on both links for each other's addresses.
psk_pair() {
	local key

	key=$(psk_file)
	psk_add "$NS_A" "$DEV_A" "peer:$IP4_B" "$key" &&
		psk_add "$NS_A" "$DEV_A" "peer:$IP6_B" "$key" &&
		psk_add "$NS_B" "$DEV_B" "peer:$IP4_A" "$key" &&
		psk_add "$NS_B" "$DEV_B" "peer:$IP6_A" "$key" || bail "no keys"
}

# --- counters --------------------------------------------------------------

# counter NAMESPACE DEVICE NAME ...: their values at one time, a line for each.
counter() {
	ip netns exec "$1" rdma statistic show link "$2/1" | awk -v names="${*:3}" '
		{ for (i = 1; i < NF; i++) value[$i] = $(i + 1) }
		END {
			count = split(names, name, " ")
			for (i = 1; i <= count; i++) {
				if (!(name[i] in value)) exit 1
				print value[name[i]]
			}
		}'
}

# counted NAMESPACE DEVICE NAME FLOOR: true once the counter is at least that.
counted() {
	[ "$(counter "$1" "$2" "$3")" -ge "$4" ]
}

# --- traffic ---------------------------------------------------------------

# perftest PROGRAM [OPTION ...]: server in b, client in a; fails unless both end
# well.  The client's output comes out.  FAMILY=6 has it use IPv6.
perftest() {
	local program=$1 to=$IP4_B from=$IP4_A port=$((20000 + RANDOM % 20000)) server status

	shift
	if [ "${FAMILY:-4}" = 6 ]; then
		to=$IP6_B from=$IP6_A
		set -- --ipv6-addr "$@"
	fi
	background server b "$program" -d "$DEV_B" -x "$(gid_index "$DEV_B" "$to")" \
		-p "$port" -F "$@"
	# shellcheck disable=SC2154 # background sets it
	server=$background_pid
	if ! wait_for 60 ended_or_listening "$server" "$NS_B" "$port"; then
		cat "$(scratch)/server"
		return 1
	fi
	a timeout -k 5 "$(patient "${PERFTEST_SECONDS:-60}")" "$program" -d "$DEV_A" \
		-x "$(gid_index "$DEV_A" "$from")" -p "$port" -F "$@" "$to"
	status=$?
	[ "$status" -eq 0 ] || background_end "$server"
	if ! wait "$server" || [ "$status" -ne 0 ]; then
		echo "$program: client's status $status; the server said:"
		cat "$(scratch)/server"
		return 1
	fi
}

ended_or_listening() {
	[ ! -d "/proc/$1" ] || listening "$2" "$3"
}
