#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Checks aegis128.py against the vectors of a kernel's crypto/testmgr.h.

  check-aegis128.py FILE
"""

import re
import sys

import aegis128

FIELD = re.compile(r"\.(\w+)\s*=\s*((?:\"(?:[^\"\\]|\\.)*\"\s*)+|\d+)")


def value(text):
    """A C initialiser: adjacent strings, or a number."""
    if not text.startswith('"'):
        return int(text)
    inside = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', text))
    return inside.encode().decode("unicode_escape").encode("latin-1")


def vectors(source):
    """The rows of aegis128_tv_template as dictionaries."""
    body = source.split("aegis128_tv_template[] = {", 1)[1].split("\n};", 1)[0]
    for row in body.split("}, {"):
        yield {name: value(text) for name, text in FIELD.findall(row)}


def check(row):
    """Does the reference give what the row says?"""
    got = aegis128.encrypt(
        row["key"],
        row["iv"],
        row.get("ptext", b"")[: row.get("plen", 0)],
        row.get("assoc", b"")[: row.get("alen", 0)],
    )
    want = row["ctext"][: row["clen"]]
    return got[: len(want)] == want


def main():
    """Entry point."""
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = list(vectors(file.read()))
    # "novrfy" rows hold tags that must not verify.
    good = [check(row) != bool(row.get("novrfy")) for row in rows]
    print(f"{sum(good)} of {len(good)} vectors agree")
    return 0 if good and all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
