#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Requests to the netlink family, by its spec and the kernel's own library.

  genl.py < REQUESTS

Each line is a request and a Python expression that must be true of its answer:

  do|dump OPERATION JSON => EXPRESSION

JSON are the attributes; the expression knows the answer as x and, of a request
that was refused, what the kernel said as said.  {dev} stands for the first
link's name and {index} for its index.  Prints the answers that are not as they
must be; exit status 1 if there is one.
"""

import json
import os
import sys

TOP = os.environ["SRXE_TOP"]
BUILD = os.environ["SRXE_BUILD"]
SPEC = os.path.join(TOP, "Documentation/netlink/specs/secure-rxe.yaml")


def open_family():
    """The family, with what scripts/gen-netlink.sh unpacked: library and schema."""
    tree = os.path.join(BUILD, "netlink/ynl")
    library = os.path.join(tree, "tools/net/ynl")
    if not os.path.isdir(library):
        sys.exit(f"no {library}: scripts/gen-netlink.sh makes it")
    sys.dont_write_bytecode = True
    sys.path.insert(0, library)
    import lib  # pylint: disable=import-outside-toplevel,import-error

    schema = os.path.join(tree, "Documentation/netlink/genetlink-legacy.yaml")
    return lib.YnlFamily(SPEC, schema), lib.NlError


def check(family, error, line, names):
    """Makes one request; returns whether the answer was as it must be."""
    request, expression = line.split("=>")
    how, operation, attributes = request.split(None, 2)
    for name, value in names.items():
        attributes = attributes.replace("{%s}" % name, str(value))
    answer, said = None, ""
    try:
        call = family.dump if how == "dump" else family.do
        answer = call(operation, json.loads(attributes))
    except error as refusal:
        said = (refusal.nl_msg.extack or {}).get("msg", "") or "refused"
    # pylint: disable-next=eval-used
    if (said and "said" not in expression) or not eval(expression, {"x": answer, "said": said}):
        print(f"{line.strip()}: answer {answer}, said: {said}")
        return False
    return True


def main():
    """Entry point."""
    family, error = open_family()
    links = family.dump("link-get", {})
    names = {"dev": links[0]["dev-name"], "index": links[0]["dev-index"]} if links else {}
    results = [check(family, error, line, names) for line in sys.stdin if line.strip()]
    sys.exit(not all(results))


main()
