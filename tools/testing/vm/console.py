# SPDX-License-Identifier: GPL-2.0
"""Reads a guest's console and notices what a healthy kernel never prints."""

import collections
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))

LINES_BEFORE = 3
LINES_AFTER = 40
MAX_SPLATS = 5


def load_patterns():
    """The expressions in the file "splats", as one compiled expression."""
    with open(os.path.join(HERE, "splats"), encoding="utf-8") as stream:
        lines = [line.rstrip("\n") for line in stream]
    return re.compile("|".join(f"(?:{line})" for line in lines if line and line[0] != "#"))


class LineReader:
    """Cuts a stream of bytes into lines."""

    def __init__(self):
        self._rest = b""

    def feed(self, data):
        """Yields the lines that data completes."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            yield line.decode("utf-8", "replace").rstrip("\r")

    def rest(self):
        """What came after the last newline."""
        return self._rest.decode("utf-8", "replace")


class Console:
    """Keeps the console's log and the excerpts around each splat."""

    PATTERNS = load_patterns()

    def __init__(self, log):
        self._log = log
        self._lines = LineReader()
        self._recent = collections.deque(maxlen=LINES_AFTER)
        self._open = 0
        self.splats = []

    def feed(self, data):
        """Takes what the guest wrote."""
        self._log.write(data)
        self._log.flush()
        for line in self._lines.feed(data):
            self._take(line)

    def tail(self, lines=25):
        """The last lines, for the report of a guest that died or hung."""
        return list(self._recent)[-lines:] + ([self._lines.rest()] if self._lines.rest() else [])

    def _take(self, line):
        if self._open:
            self._open -= 1
            self.splats[-1].append(line)
        elif self.PATTERNS.search(line) and len(self.splats) < MAX_SPLATS:
            self.splats.append(list(self._recent)[-LINES_BEFORE:] + [line])
            self._open = LINES_AFTER
        self._recent.append(line)
