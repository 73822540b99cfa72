# SPDX-License-Identifier: GPL-2.0
"""Finds the selftests and what they say about themselves.

A test is an executable selftests/tests/*.sh with a line

  # srxe-test: kernels=debian,debug guests=1 timeout=300 cost=20 level=full

All of it may be left out; these are the defaults, but for the level.  timeout is
in seconds on Debian's kernel, others get more; cost is how long the test takes,
on the slower of its kernels, to share the work out evenly; level=full leaves a
test out where a selection is run, that is, on the debug kernel, unless all are
asked for.
"""

import glob
import os
import re
from dataclasses import dataclass

DECLARATION = re.compile(r"^# srxe-test:(.*)$", re.MULTILINE)
KEYS = {"kernels", "guests", "timeout", "cost", "level"}


class BadDeclaration(Exception):
    """A test declares what nobody knows."""


@dataclass(frozen=True)
class Selftest:
    """One test script."""

    name: str
    path: str
    kernels: tuple = ("debian", "debug")
    guests: int = 1
    timeout: int = 300
    cost: int = 20
    level: str = "pairwise"

    def entry(self):
        """The test as guest-tests.sh takes it."""
        return f"{self.name}:{self.timeout}:{self.path}"


def read(path):
    """Reads a test's declaration."""
    with open(path, encoding="utf-8") as stream:
        match = DECLARATION.search(stream.read())
    pairs = [word.partition("=") for word in match.group(1).split()] if match else []
    values = {key: value for key, _, value in pairs}
    if set(values) - KEYS:
        raise BadDeclaration(f"{path}: unknown {', '.join(set(values) - KEYS)}")
    for key in ("guests", "timeout", "cost"):
        if key in values:
            values[key] = int(values[key])
    if "kernels" in values:
        values["kernels"] = tuple(values["kernels"].split(","))
    return Selftest(os.path.basename(path)[: -len(".sh")], path, **values)


def find(directory, pattern=""):
    """The tests in a directory whose names match a regular expression."""
    tests = [read(path) for path in sorted(glob.glob(os.path.join(directory, "*.sh")))]
    return [test for test in tests if re.search(pattern, test.name)]


def share_out(tests, parts):
    """Divides tests into at most that many lists of about the same cost."""
    lists = [[] for _ in range(parts)]
    for test in sorted(tests, key=lambda test: -test.cost):
        min(lists, key=lambda entries: sum(entry.cost for entry in entries)).append(test)
    ordered = [sorted(entries, key=lambda entry: entry.name) for entries in lists]
    return [entries for entries in ordered if entries]
