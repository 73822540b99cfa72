#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Says in words what a scenario found (one JSON object on standard input).

All it says is in that object, or is what the scenario fails without.
"""

import json
import sys

# Bytes of memory to show.
SHOWN = 16


def counted(drops):
    """Counters and by how much they grew."""
    return ", ".join(f"{name} {count}" for name, count in drops.items())


def forged_write(expect, found):
    """A1a: what became of b's memory."""
    for kind, seen in found.items():
        before, after = (seen[when][: 2 * SHOWN] for when in ("before", "memory"))
        print(f"   {kind.upper()}: b's memory before: {before}...")
        if expect == "falls":
            print(f"       and after:          {after}...  the forger's bytes")
        else:
            print(f"       and after:          {after}...  dropped: {counted(seen['dropped'])}")
            print("       then a's own sends, writes and reads go through")


def replay(_expect, found):
    """R1: packets sent again."""
    for kind, drops in found.items():
        print(f"   {kind.upper()}: {sum(drops.values())} sent again, all dropped: {counted(drops)}")


def changed(_expect, found):
    """G2: packets changed one bit or field at a time."""
    for kind, drops in found.items():
        print(f"   {kind.upper()}: {sum(drops.values())} changed ones, all dropped, {len(drops)} reasons "
              f"(rx_drop_bad_tag {drops['rx_drop_bad_tag']}); the one that was not changed is accepted")


def capture(_expect, found):
    """E1: what a listener saw."""
    for kind, seen in found.items():
        print(f"   {kind.upper()}: {seen['packets']} packets, {seen['sealed']} of them sealed, {seen['bare']} of "
              f"the handshake; payload found in {seen['payload_in']}")


SAY = {"A1a": forged_write, "E1": capture, "G2": changed, "R1": replay}


def main():
    """One result."""
    result = json.load(sys.stdin)
    SAY[result["scenario"]](result["expect"], result["evidence"])


if __name__ == "__main__":
    main()
