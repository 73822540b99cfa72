#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Unpack rxe's source, of the very kernel that is built for.
#
#   rxe-source.sh KDIR OUT
#
# KDIR is the kernel's build directory (headers, or the output of a kernel
# build). OUT gets drivers/infiniband/sw/rxe and the Makefile from
# /usr/src/linux-source-X.Y.tar.xz (Debian package linux-source-X.Y), nothing
# else. A source of another version than the kernel's is used, but said, loudly.
set -eu

kdir=$1 out=$2
rxe=drivers/infiniband/sw/rxe

die() {
	echo "rxe-source: $*" >&2
	exit 1
}

# "LINUX_VERSION_MAJOR 6" and its like are in the headers of every kernel.
header=$kdir/include/generated/uapi/linux/version.h
[ -e "$header" ] || die "$kdir is no kernel build directory (no $header)"
field() {
	awk -v f="LINUX_VERSION_$1" '$2 == f { print $3 }' "$header"
}
series=$(field MAJOR).$(field PATCHLEVEL)
version=$series.$(field SUBLEVEL)

tarball=/usr/src/linux-source-$series.tar.xz
[ -e "$tarball" ] ||
	die "no source of kernel $series: apt install linux-source-$series, or give RXE_SRC=DIR"

tmp=$out.tmp
rm -rf "$tmp"
mkdir -p "$tmp"
echo "rxe-source: unpacking $rxe from $tarball" >&2
tar -C "$tmp" -xJf "$tarball" --strip-components=1 \
	"linux-source-$series/$rxe" "linux-source-$series/Makefile"

source=$(awk '$2 == "=" && $1 ~ /^(VERSION|PATCHLEVEL|SUBLEVEL)$/ { v = v s $3; s = "." }
	      END { print v }' "$tmp/Makefile")
echo "$version" >"$tmp/version"

differs=
[ "$source" = "$version" ] || differs="source $source, kernel $version"

# Debian changes rxe within one upstream version too: compare package versions.
release=$(cat "$kdir/include/config/kernel.release")
package() {
	dpkg-query -W -f '${source:Version}' "$1" 2>/dev/null || :
}
headers=$(package "linux-headers-$release")
sources=$(package "linux-source-$series")
if [ -z "$differs" ] && [ -n "$headers" ] && [ "$headers" != "$sources" ]; then
	differs="package linux-source-$series $sources, linux-headers-$release $headers"
fi
if [ -n "$differs" ]; then
	cat >&2 <<-END
	********************************************************************
	* rxe's source is NOT of the version that is built for:
	*   $differs
	* Fixes may be missing. Install the same version of both packages,
	* or point RXE_SRC= at rxe's source of that very kernel.
	********************************************************************
	END
	echo "$differs" >"$tmp/differs"
fi
rm -rf "$out"
mv "$tmp" "$out"
