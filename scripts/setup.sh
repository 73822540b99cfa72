#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Installs what building and testing secure-rxe needs on Debian 12, and nothing
# that is there already.
#
#   setup.sh [--check]
#
# --check only says what is missing (status 1 then).  SRXE_BUILD names the build
# directory, default: build.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
build=${SRXE_BUILD:-$top/build}
log=$build/setup.log
check_only=no

# Kernel series to run on, and to compile for as well.
run_series=6.12
other_series=6.1

# GiB, measured: packages; sources, debug kernel and products.
need_system=3
need_build=3

packages=(
	# build
	build-essential bc bison flex libelf-dev libssl-dev kmod xz-utils coccinelle
	pkg-config libmnl-dev libkeyutils-dev libibverbs-dev librdmacm-dev
	python3 python3-yaml python3-jsonschema git
	# checks
	sparse perl yamllint shellcheck
	# guests
	qemu-system-x86 procps iproute2 iputils-ping ethtool keyutils tcpdump
	# RDMA programs, and what tests are written with
	rdma-core ibverbs-providers ibverbs-utils rdmacm-utils perftest qperf
	python3-pyverbs python3-scapy python3-cryptography python3-cryptography-vectors
)

say() {
	printf 'setup: %s\n' "$*"
}

die() {
	printf 'setup: %s\n' "$@" >&2
	exit 1
}

installed() {
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2> /dev/null)" = installed ]
}

# headers_of SERIES: packages with headers of Debian's ordinary amd64 kernels of
# that series, oldest first.  Real-time and cloud kernels are named otherwise.
headers_of() {
	local all

	all=$(apt-cache pkgnames "linux-headers-$1."; dpkg-query -W -f '${Package}\n' "linux-headers-$1.*" 2> /dev/null)
	grep -E "^linux-headers-${1//./\\.}\.[0-9]+([-+][a-z0-9]+)?-amd64$" <<< "$all" | sort -uV
}

# versions PACKAGE ...: "package version" of each, the version installed or else
# the one apt would install.
versions() {
	LC_ALL=C apt-cache policy "$@" | awk '
		/^[^ ]/ { package = substr($1, 1, length($1) - 1) }
		$1 == "Installed:" { version = $2 }
		$1 == "Candidate:" {
			if (version == "(none)")
				version = $2
			if (version != "(none)")
				print package, version
		}'
}

# choose_headers SERIES: the headers that fit the source package, else the newest.
choose_headers() {
	local headers package version source='' newest='' fitting=''

	headers=$(headers_of "$1")
	# shellcheck disable=SC2086 # a list
	while read -r package version; do
		if [ "$package" = "linux-source-$1" ]; then
			source=$version
			continue
		fi
		newest="$package $version"
		[ "$version" != "$source" ] || fitting=$package
	done < <(versions "linux-source-$1" $headers)
	[ -n "$newest" ] || return 1
	if [ -z "$fitting" ]; then
		say "no headers of kernel $1 in the version of linux-source-$1 (${source:-none});" \
			"taking $newest: rxe's source will differ" >&2
	fi
	echo "${fitting:-${newest% *}}"
}

check_system() {
	# shellcheck disable=SC1091 # the system's
	. /etc/os-release 2> /dev/null || :
	if [ "${ID:-}" != debian ] || [ "${VERSION_ID:-}" != 12 ] || [ "$(uname -m)" != x86_64 ]; then
		die "this is ${PRETTY_NAME:-an unknown system} on $(uname -m); the set-up knows Debian 12 on x86_64" \
			"elsewhere install by hand what the list in $0 names, then run make with KVER= or KDIR="
	fi
}

# check_space DIRECTORY GIB WHAT
check_space() {
	local dir=$1 free

	while [ ! -d "$dir" ]; do
		dir=$(dirname "$dir")
	done
	free=$(($(df --output=avail -k "$dir" | tail -n 1) / 1024 / 1024))
	[ "$free" -ge "$2" ] ||
		die "$3 need $2 GiB, the file system of $dir has $free GiB left: free some, or set SRXE_BUILD"
}

as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif command -v sudo > /dev/null; then
		sudo "$@"
	else
		die "root is needed and there is no sudo; as root run:" "  $*"
	fi
}

apt() {
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends \
		-o Dpkg::Use-Pty=0 -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 "$@"
}

# Shows one line for every 20 packages, the whole in the log.
show_progress() {
	awk -v start="$(date +%s)" '
		/^Setting up/ { if (++done % 20 == 0) report() }
		/^(Need to get|E:|W:)/ { print "setup:   " $0; fflush() }
		function report() {
			printf "setup:   %d packages set up (%d s)\n", done, systime() - start
			fflush()
		}'
}

install_packages() {
	say "installing ${#missing[@]} packages and what they depend on: ${missing[*]}"
	apt install "${missing[@]}" 2>&1 < /dev/null | tee -a "$log" | show_progress ||
		die "apt-get failed: the end of $log says why; mend that and run again"
}

update_lists() {
	say "fetching package lists"
	apt update >> "$log" 2>&1 < /dev/null ||
		die "apt-get update failed, see $log: is the network there, are the sources right?"
}

find_missing() {
	local package

	missing=()
	for package in "$@"; do
		installed "$package" || missing+=("$package")
	done
}

main() {
	local run_headers other_headers release wanted

	[ "${1:-}" != --check ] || check_only=yes
	check_system
	mkdir -p "$build"
	: > "$log"

	find_missing "${packages[@]}" "linux-source-$run_series" "linux-source-$other_series"
	if [ "${#missing[@]}" -gt 0 ] && [ "$check_only" = no ]; then
		check_space /usr "$need_system" "the packages"
		update_lists
	fi
	run_headers=$(choose_headers "$run_series") ||
		die "apt knows no linux-headers-$run_series.*-amd64:" \
			"is bookworm-security among the sources in /etc/apt? then run apt-get update"
	other_headers=$(choose_headers "$other_series") || die "apt knows no headers of kernel $other_series"
	release=${run_headers#linux-headers-}
	# The guests' kernel; its headers depend on it anyway.
	wanted=("${packages[@]}" "linux-source-$run_series" "$run_headers" "linux-image-$release"
		"linux-source-$other_series" "$other_headers")
	find_missing "${wanted[@]}"

	if [ "$check_only" = yes ]; then
		[ "${#missing[@]}" -eq 0 ] || die "missing: ${missing[*]}"
		say "nothing is missing; kernel $release"
		return
	fi
	check_space "$build" "$need_build" "sources and products"
	if [ "${#missing[@]}" -gt 0 ]; then
		installed "linux-image-$release" ||
			say "the kernel $release comes with its headers: this machine's next boot may take it"
		install_packages
	fi
	say "all there: to run on $release; to compile for ${other_headers#linux-headers-} as well ($SECONDS s)"
}

main "$@"
