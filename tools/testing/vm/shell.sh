#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A guest with secure_rxe loaded and two namespaces, a and b, linked and keyed:
# a shell in it, or with CMD set that command.  Variables: CMD, KERNEL (debian,
# debug or a release), TYPE of the links (secure-rxe, rxe-plain), MODE.

set -eu

here=$(cd "$(dirname "$0")" && pwd)
export SRXE_BUILD="${SRXE_BUILD:-$here/../../../build}"

options=(--kernel "${KERNEL:-debian}" --env "TYPE=${TYPE:-secure-rxe}" --env "MODE=${MODE:-}")
if [ -n "${CMD:-}" ]; then
	exec "$here/vm.py" "${options[@]}" -- bash -c ". $here/shell-rc && $CMD"
fi
if [ ! -t 0 ]; then
	echo "make vm: a shell needs a terminal; without one: make vm CMD='...'" >&2
	exit 2
fi
exec "$here/vm.py" "${options[@]}" --shell "$here/shell-rc"
