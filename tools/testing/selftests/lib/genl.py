#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""One request to the netlink family, by its spec and the kernel's own library.

  genl.py do|dump OPERATION [JSON]

JSON are the request's attributes.  Prints the answer as JSON and exits with 0,
or prints what the kernel says and exits with 2.
"""

import glob
import json
import os
import sys

TOP = os.environ["SRXE_TOP"]
BUILD = os.environ["SRXE_BUILD"]
SPEC = os.path.join(TOP, "Documentation/netlink/specs/secure-rxe.yaml")


def library():
    """Where scripts/gen-netlink.sh unpacked the kernel's library, with the schema."""
    found = glob.glob(os.path.join(BUILD, "**/ynl/tools/net/ynl/lib"), recursive=True)
    if not found:
        sys.exit(f"no tools/net/ynl under {BUILD}: scripts/gen-netlink.sh makes it")
    return os.path.dirname(found[0])


def plain(value):
    """What JSON cannot hold: bytes become hex, sets become sorted lists."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, set):
        return sorted(value)
    raise TypeError(type(value))


def main():
    sys.dont_write_bytecode = True
    ynl = library()
    sys.path.insert(0, ynl)
    from lib import NlError, YnlFamily  # pylint: disable=import-outside-toplevel

    how, operation = sys.argv[1:3]
    values = json.loads(sys.argv[3]) if len(sys.argv) > 3 else {}
    schema = os.path.join(ynl, "../../../Documentation/netlink/genetlink-legacy.yaml")
    family = YnlFamily(SPEC, schema)
    try:
        call = family.dump if how == "dump" else family.do
        print(json.dumps(call(operation, values), default=plain))
    except NlError as error:
        print(error.nl_msg.extack.get("msg", "") if error.nl_msg.extack else "",
              f"({os.strerror(-error.nl_msg.error)})")
        sys.exit(2)


main()
