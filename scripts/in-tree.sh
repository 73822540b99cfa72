#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Put the driver into an unpacked kernel tree, as drivers/infiniband/sw/secure_rxe
# with Kconfig and Makefile lines (CONFIG_RDMA_SECURE_RXE, CONFIG_SECURE_RXE_DEBUG,
# CONFIG_SECURE_RXE_KUNIT_TEST). Done again, it brings the tree up to date.
#
#   in-tree.sh TREE
set -eu

if [ $# -ne 1 ] || [ ! -e "$1/drivers/infiniband/sw/rxe/rxe.c" ]; then
	echo "usage: in-tree.sh TREE, an unpacked kernel source with rxe in it" >&2
	exit 2
fi
tree=$(cd "$1" && pwd)
top=$(cd "$(dirname "$0")/.." && pwd)
sw=$tree/drivers/infiniband/sw
netlink=$(mktemp -d)
trap 'rm -rf "$netlink"' EXIT

# put FILE DIR: copy, but leave a file that is the same alone
put() {
	mkdir -p "$2"
	cmp -s "$1" "$2/$(basename "$1")" || cp "$1" "$2/"
}

# after FILE LINE NEW: add a line after another, once
after() {
	grep -qF "$3" "$1" && return
	grep -qF "$2" "$1" || {
		echo "in-tree: $1 has no line '$2'" >&2
		exit 1
	}
	sed -i "\\|$2|a\\$3" "$1"
}

version=$(awk '$2 == "=" && $1 ~ /^(VERSION|PATCHLEVEL|SUBLEVEL)$/ { v = v s $3; s = "." }
	       END { print v }' "$tree/Makefile")

SRC=$tree "$top/scripts/gen-netlink.sh" "$netlink"
"$top/scripts/compose.py" --rxe "$sw/rxe" --kernel "$version" --variant secure \
	--out "$sw/secure_rxe" --kunit \
	--file "srxe_nl.c=$netlink/srxe_nl.c" --file "srxe_nl.h=$netlink/srxe_nl.h"
for header in "$top"/include/uapi/rdma/*.h "$netlink"/include/uapi/rdma/*.h; do
	put "$header" "$tree/include/uapi/rdma"
done

tab=$(printf '\t')
# shellcheck disable=SC2016 # make's variables
after "$sw/Makefile" 'obj-$(CONFIG_RDMA_RXE)' \
	"obj-\$(CONFIG_RDMA_SECURE_RXE)${tab}${tab}+= secure_rxe/"
after "$tree/drivers/infiniband/Kconfig" 'source "drivers/infiniband/sw/rxe/Kconfig"' \
	'source "drivers/infiniband/sw/secure_rxe/Kconfig"'
