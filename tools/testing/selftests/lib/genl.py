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

  genl.py events SECONDS

Prints events, as the library understands them, each as a line of JSON.
"""

import json
import os
import select
import sys
import time

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


def listen(family, seconds):
    """Prints what comes within that time."""
    family.ntf_subscribe("events")
    end = time.monotonic() + seconds
    while select.select([family.sock], [], [], max(0, end - time.monotonic()))[0]:
        family.check_ntf()
        for event in family.async_msg_queue:
            print(json.dumps({"event": event["name"], **event["msg"]}), flush=True)
        family.async_msg_queue.clear()


def main():
    """Entry point."""
    family, error = open_family()
    if sys.argv[1:2] == ["events"]:
        listen(family, float(sys.argv[2]))
        return
    links = family.dump("link-get", {})
    names = {"dev": links[0]["dev-name"], "index": links[0]["dev-index"]} if links else {}
    results = [check(family, error, line, names) for line in sys.stdin if line.strip()]
    sys.exit(not all(results))


main()
