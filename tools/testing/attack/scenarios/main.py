# SPDX-License-Identifier: GPL-2.0
"""srxe-scenario: an attack from set-up to verdict.

Run it in the namespace in the middle, whose bridge ports lead to a and b. Prints
one JSON object. Exit status: 0 as expected, 1 not, 2 the test could not run.
"""

import argparse
import json
import os
import sys
import time

from . import answers, datagrams, downgrade, handshake, identity, manager, replay, wire_view
from .pair import Broken, Lab, Unmet

SCENARIOS = {
    "A1a": identity.a1a, "A1b": identity.a1b, "A1c": identity.a1c, "A1d": identity.a1d,
    "A2a": identity.a2a, "A2b": identity.a2b,
    "D1": answers.d1, "D2": answers.d2, "D3": answers.d3,
    "R1": replay.r1, "R2": replay.r2, "R3": handshake.r3, "R4": replay.r4, "R5": replay.r5,
    "H1": handshake.h1, "H3": handshake.h3, "H4": handshake.h4, "H5": handshake.h5,
    "G1": downgrade.g1, "G2": downgrade.g2, "G3": downgrade.g3, "G4": downgrade.g4,
    "G5": downgrade.g5,
    "A1u": datagrams.a1u, "G2u": datagrams.g2u, "M3": datagrams.m3, "N3": datagrams.n3,
    "R4u": datagrams.r4, "D5": manager.d5, "N2": manager.n2,
    "M1": wire_view.m1, "M1plain": wire_view.m1_plain, "M2": wire_view.m2, "E1": wire_view.e1,
}


def parse():
    """The command line; what the selftests' library exports are the defaults."""
    env = os.environ.get
    parser = argparse.ArgumentParser(
        prog="srxe-scenario", description=__doc__,
        epilog="\n".join(f"{k}: {(v.__doc__ or '').splitlines()[0]}"
                         for k, v in SCENARIOS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("scenario", choices=SCENARIOS)
    add("--expect", choices=("falls", "holds"), required=True)
    add("--ns-a", default=env("NS_A"))
    add("--ns-b", default=env("NS_B"))
    add("--dev-a", default=env("DEV_A", "srxe_a"))
    add("--dev-b", default=env("DEV_B", "srxe_b"))
    add("--ip-a", default=env("IP_A"))
    add("--ip-b", default=env("IP_B"))
    add("--if-a", default="to_a", help="our port that leads to a")
    add("--if-b", default="to_b")
    add("--netdev", default="net0", help="the device in a and b")
    add("--ns-c", help="H1: a third host, its device, address and our port to it")
    add("--dev-c", default="srxe_c")
    add("--ip-c")
    add("--gid-c", help="its index")
    add("--if-c", default="to_c")
    add("--traffic", default=env("SRXE_TRAFFIC", "srxe_traffic"))
    add("--srxe", default=env("SRXE", "srxe"))
    add("--local", help="H1: verbs_local.py")
    add("--seed", type=int, default=1)
    add("--kinds", help="M1: only these kinds of malformed packets")
    add("--count", type=int, default=2000, help="M1: random packets")
    add("--pcap", help="E1, M2: keep the capture there")
    args = parser.parse_args()
    for name in ("ns_a", "ns_b", "ip_a", "ip_b"):
        if not getattr(args, name):
            parser.error(f"--{name.replace('_', '-')} is missing")
    return args


def main():
    """Runs one."""
    args = parse()
    result = {"scenario": args.scenario, "expect": args.expect}
    start, status, lab = time.monotonic(), 0, None
    try:
        lab = Lab(args)
        result["evidence"] = SCENARIOS[args.scenario](lab)
    except Unmet as err:
        result["unmet"], status = str(err), 1
    except Broken as err:
        result["broken"], status = str(err), 2
    finally:
        if lab:
            lab.close()
    result["ok"] = status == 0
    result["seconds"] = round(time.monotonic() - start, 2)
    print(json.dumps(result))
    return status


if __name__ == "__main__":
    sys.exit(main())
