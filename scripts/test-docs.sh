#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Does the documentation say what the code does? Every counter, reason of a
# failure, command, setting and source file is in it, and none that does not exist.
# Prints KTAP.
#
#   test-docs.sh BUILD
set -u

cd "$(dirname "$0")/.." || exit
counters=Documentation/counters.rst
man=tools/srxe/srxe.8
number=0
failed=0

# same NAME: both ends of the comparison come by file descriptors 3 and 4, a word a line.
same() {
	local difference

	number=$((number + 1))
	if difference=$(diff <(sort -u <&3) <(sort -u <&4)); then
		echo "ok $number $1"
	else
		echo "$difference" | sed 's/^/# /'
		echo "not ok $number $1"
		failed=1
	fi
}

echo "KTAP version 1"
echo "1..9"

same "counters" \
	3< <(grep -oE '"[a-z_]+"' drivers/infiniband/sw/secure_rxe/srxe_stats.h | tr -d '"') \
	4< <(grep -oE '^``[a-z_]+``' $counters | tr -d '`')

same "vendor errors" \
	3< <(sed -nE 's/^\t(SRXE_VERR_[A-Z_]+)\t*= (0x[0-9a-f]+),/\2 \1/p' \
		include/uapi/rdma/srxe_wire.h) \
	4< <(sed -nE 's/^``(0x[0-9a-f]+)`` *``(SRXE_VERR_[A-Z_]+)``.*/\1 \2/p' $counters)

same "commands of srxe" \
	3< <(for object in link sa psk; do
		sed -nE "s/^\t\{ \"([a-z]+)\", .*/$object \1/p" tools/srxe/$object.c
	done | grep -vE ' (help|list)$') \
	4< <(sed -nE 's/^\.B srxe (link|sa|psk) ([a-z]+).*/\1 \2/p' $man)

same "events" \
	3< <(sed -nE 's/.*\{ SRXE_CMD_[A-Z_]+, "([a-z-]+)" \},/\1/p' tools/srxe/args.c; echo lost) \
	4< <(sed -nE 's/^``(sa-up|sa-down|lost|[a-z]+-(gone|failed))`` .*/\1/p' \
		Documentation/admin-guide.rst)

same "events in the specification" \
	3< <(sed -nE 's/.*\{ SRXE_CMD_[A-Z_]+, "([a-z-]+)" \},/\1/p' tools/srxe/args.c) \
	4< <(sed -n '/^operations:/,$p' Documentation/netlink/specs/secure-rxe.yaml |
		awk '$1 == "name:" { name = $2 } $1 == "event:" { print name }')

# A field is one of some tracepoint.
same "fields of tracepoints" \
	3< <(sed -nE 's/^\t\t__(field|array|string)\(([a-z0-9]+, )?([a-z]+)[,)].*/\3/p' \
		drivers/infiniband/sw/secure_rxe/srxe_trace.h) \
	4< <(sed -nE 's/^([a-z]+)  +[^ ].*/\1/p' Documentation/tracing.rst)

same "settings of a link" \
	3< <(sed -nE 's/.*settings\[\] = \{ (.*) \};/\1/p' tools/srxe/link.c | tr -d '", ' |
		grep -oE 'mode|suites|unkeyed|driver') \
	4< <(sed -nE 's/^``(mode|suites|unkeyed|driver)`` .*/\1/p' Documentation/admin-guide.rst)

same "suites" \
	3< <(sed -nE 's/.*\{ SRXE_SUITE_[A-Z0-9_]+, "([a-z0-9-]+)" \},/\1/p' tools/srxe/args.c) \
	4< <(sed -nE 's/^[0-9] +``([a-z0-9-]+)`` .*/\1/p' Documentation/wire-format.rst)

same "source files" \
	3< <(basename -a drivers/infiniband/sw/secure_rxe/srxe_*.c) \
	4< <(sed -nE 's/^``(srxe_[a-z_]+\.c)`` .*/\1/p' Documentation/design.rst)

exit $failed
