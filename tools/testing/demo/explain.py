#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Says in words what a scenario found (one JSON object on standard input)."""

import json
import sys


def forged_write(expect, found):
    """A1a: what became of b's memory."""
    for kind, seen in found.items():
        if expect == "falls":
            print(f"   {kind.upper()}: b's memory now holds the forger's bytes: {seen['memory'][:32]}...")
        else:
            drops = ", ".join(f"{name} {count}" for name, count in seen.items())
            print(f"   {kind.upper()}: b's memory is unchanged, its queue pair undisturbed; dropped: {drops}")


def capture(_expect, found):
    """E1: what a listener saw."""
    for kind, seen in found.items():
        print(f"   {kind.upper()}: {seen['sealed']} sealed packets captured, {seen['plain']} plain ones, "
              f"payload found in {seen['payload_in']}")


SAY = {"A1a": forged_write, "E1": capture}


def main():
    """One result."""
    result = json.load(sys.stdin)
    SAY[result["scenario"]](result["expect"], result["evidence"])


if __name__ == "__main__":
    main()
