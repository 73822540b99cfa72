#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Makes the netlink code from its spec, with the kernel's own generator.
#
#   usage: scripts/gen-netlink.sh OUT
#
#   OUT/include/uapi/rdma/srxe_netlink.h   user API, for -IOUT/include/uapi (tools)
#                                          and -IOUT/include (the module)
#   OUT/srxe_nl.h, OUT/srxe_nl.c           policies and operations table, one more
#                                          object of the module: srxe_nl.o
#
# The files serve every kernel we build for. Unchanged results keep their time
# stamps, so nothing is rebuilt for them.
#
#   SRC      kernel source with the generator, a tree or a tar.xz of one
#            (default: /usr/src/linux-source-6.12.tar.xz)
#   PYTHON   python3 with yaml and jsonschema (default: /usr/bin/python3)

set -eu

family=secure-rxe
top=$(cd "$(dirname "$0")/.." && pwd)
spec=$top/Documentation/netlink/specs/$family.yaml
src=${SRC:-/usr/src/linux-source-6.12.tar.xz}
python=${PYTHON:-/usr/bin/python3}
# What the generator needs; the spec's schema is looked up one directory above it.
needed=(tools/net/ynl/ynl-gen-c.py tools/net/ynl/lib Documentation/netlink/genetlink-legacy.yaml)

die() {
	echo "gen-netlink: $*" >&2
	exit 1
}

# Reading the whole archive takes a while, so what was unpacked is kept.
unpack() {
	local dir=$1 strip
	[ "$(cat "$dir/.done" 2>/dev/null)" = "$src" ] && [ "$dir/.done" -nt "$src" ] && return
	rm -rf "$dir"
	mkdir -p "$dir"
	if [ -d "$src" ]; then
		(cd "$src" && cp -r --parents "${needed[@]}" "$dir")
	else
		strip=$(basename "$src" .tar.xz)
		tar -xJf "$src" -C "$dir" --strip-components=1 "${needed[@]/#/$strip/}"
	fi
	# The generator takes the directory with this file for the kernel's root.
	touch "$dir/MAINTAINERS"
	echo "$src" >"$dir/.done"
}

generate() {
	local out=$1
	shift
	"$python" "$tree/tools/net/ynl/ynl-gen-c.py" --cmp-out \
		--spec "$tree/Documentation/netlink/specs/$family.yaml" -o "$out" "$@" ||
		die "no $out from the spec $spec"
}

[ $# -eq 1 ] || die "usage: $0 OUT"
[ -e "$src" ] || die "$src is missing: install linux-source-6.12 (make setup) or set SRC="
mkdir -p "$1/include/uapi/rdma"
out=$(cd "$1" && pwd)
tree=$out/ynl

unpack "$tree"
mkdir -p "$tree/Documentation/netlink/specs"
cp "$spec" "$tree/Documentation/netlink/specs/"

generate "$out/include/uapi/rdma/srxe_netlink.h" --mode uapi --header
generate "$out/srxe_nl.h" --mode kernel --header
generate "$out/srxe_nl.c" --mode kernel --source
