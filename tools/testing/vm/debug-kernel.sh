#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Builds the debug kernel from Debian's linux-source-6.12 and debug.config.
#
#   debug-kernel.sh OUTPUT
#
# OUTPUT gets vmlinux, the tree to build modules against (make KDIR=OUTPUT) and
# install/lib/modules.  Nothing of ours is in it: it is built again only when the
# source or the configuration changes, not when the driver does.

set -euo pipefail

series=6.12
tarball=/usr/src/linux-source-$series.tar.xz
here=$(cd "$(dirname "$0")" && pwd)
config=$here/debug.config
[ $# -eq 1 ] || { echo "usage: $0 OUTPUT" >&2; exit 2; }
mkdir -p "$1"
output=$(cd "$1" && pwd)
source=$output/source-tree
jobs=${JOBS:-$(nproc)}

# Sources that no configuration of ours compiles; their Kconfig files must be
# there, the rest need not be unpacked.
unused=(
	arch/{alpha,arc,arm,arm64,csky,hexagon,loongarch,m68k,microblaze,mips,nios2}
	arch/{openrisc,parisc,powerpc,riscv,s390,sh,sparc,um,xtensa}
	drivers/{gpu,media,staging,iio,scsi,ata,usb,clk,pinctrl,hwmon,mtd,mmc,sound}
	drivers/net/{ethernet,wireless,can,phy,dsa,usb} drivers/infiniband/{hw,ulp}
	fs/{bcachefs,btrfs,xfs,ext4,f2fs,ocfs2,gfs2,smb,nfs,nfsd,ntfs3,ceph,ubifs}
	sound net/{wireless,mac80211,bluetooth,netfilter} tools/{testing,perf} samples
)

say() {
	echo "debug-kernel: $*" >&2
}

die() {
	say "$*"
	exit 1
}

run_make() {
	make -C "$source" O="$output" "$@"
}

unpack() {
	local pattern excludes=()

	for pattern in "${unused[@]}"; do
		excludes+=(--exclude "linux-source-$series/$pattern/*.[chS]")
	done
	excludes+=(--exclude "linux-source-$series/Documentation/[a-mo-z]*/*" --exclude "*.dts*")
	say "unpacking $tarball"
	rm -rf "$source"
	mkdir -p "$source"
	tar -C "$source" -xJf "$tarball" --strip-components=1 "${excludes[@]}"
}

# Kconfig drops silently what it does not know or what misses a dependency.
configure() {
	local line lost=0

	run_make KCONFIG_ALLCONFIG="$config" allnoconfig > "$output/configure.log" ||
		die "the configuration failed, see $output/configure.log"
	while read -r line; do
		grep -qxF "$line" "$output/.config" || { say "did not survive: $line"; lost=1; }
	done < <(grep '^CONFIG_' "$config")
	[ "$lost" -eq 0 ] || die "debug.config and this source do not go together"
}

build() {
	local log=$output/build.log pid

	say "building with $jobs jobs (once; about 6 minutes on two cores), log in $log"
	nice -n 5 make -C "$source" O="$output" -j "$jobs" vmlinux modules > "$log" 2>&1 &
	pid=$!
	while kill -0 "$pid" 2> /dev/null; do
		sleep 1
		[ $((SECONDS % 30)) -ne 0 ] || say "$(grep -c '^  CC' "$log") files after $SECONDS s"
	done
	wait "$pid" || { tail -n 30 "$log" >&2; die "the build failed, see $log"; }
	rm -rf "$output/install"
	run_make INSTALL_MOD_PATH="$output/install" modules_install >> "$log" 2>&1 ||
		die "modules_install failed, see $log"
}

[ -e "$tarball" ] || die "no $tarball: run 'make setup'"
source_id=$(dpkg-query -W -f '${Version}' "linux-source-$series" 2> /dev/null || sha256sum "$tarball")
stamp=$(echo "$source_id" | cat - "$config" "$0" | sha256sum)
if [ -e "$output/stamp" ] && [ "$stamp" = "$(cat "$output/stamp")" ]; then
	exit 0
fi
rm -f "$output/stamp"
if [ "$(cat "$source/.id" 2> /dev/null)" != "$source_id" ]; then
	unpack
	echo "$source_id" > "$source/.id"
fi
configure
build
echo "$stamp" > "$output/stamp"
say "done after $SECONDS s: $output/vmlinux"
