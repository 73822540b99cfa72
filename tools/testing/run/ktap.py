# SPDX-License-Identifier: GPL-2.0
"""Reads KTAP and judges it: what is missing is a failure."""

import re
from dataclasses import dataclass, field

PASS, FAIL, SKIP = "pass", "fail", "skip"

RESULT = re.compile(r"(not )?ok (\d+)(?: (?:- )?(.*?))?(?:\s*# (\w+)\b ?(.*))?$")
PLAN = re.compile(r"1\.\.(\d+)(?:\s*# SKIP\b ?(.*))?$")
SUBTEST = re.compile(r"# Subtest: (.*)$")
MAX_DIAGNOSTICS = 60


@dataclass
class Case:
    """One test case and how it went."""

    name: str
    outcome: str
    reason: str = ""
    diagnostics: list = field(default_factory=list)


@dataclass
class _Level:
    """What was seen of one level of nesting."""

    name: str = ""
    plan: int = -1
    seen: int = 0
    failed: bool = False


class Parser:
    """Turns lines of KTAP into cases, the innermost ones only.

    Results of a test with subtests are the sum of theirs and no cases; but such
    a result that fails where no subtest did is one.
    """

    def __init__(self, name):
        self._name = name
        self._levels = [_Level()]
        self._diagnostics = []
        self._version_seen = False
        self.cases = []

    def feed(self, line):
        """Takes one line of output."""
        text = line.lstrip(" ")
        depth = (len(line) - len(text)) // 4
        if text.startswith("KTAP version") or text.startswith("TAP version"):
            self._version_seen = True
            self._enter(depth)
        elif text.startswith("Bail out!"):
            self._problem(text)
        elif SUBTEST.match(text):
            self._enter(depth)
            self._levels[-1].name = SUBTEST.match(text).group(1)
        elif PLAN.match(text):
            self._plan(depth, PLAN.match(text))
        elif RESULT.match(text):
            self._result(depth, RESULT.match(text))
        elif text:
            self._diagnostics.append(text[2:] if text.startswith("# ") else text)
            del self._diagnostics[:-MAX_DIAGNOSTICS]

    def end(self, status=0, reason=""):
        """The output ended.

        :param status: exit status of what printed it
        :param reason: why it did not end by itself, if so
        :return: the cases
        """
        while len(self._levels) > 1:
            self._leave()
        if reason:
            self._problem(reason)
        elif not self._version_seen:
            self._problem(f"no KTAP; exit status {status}")
        elif self._levels[0].plan < 0:
            self._problem(f"no plan; exit status {status}")
        else:
            self._check_count(self._levels[0])
            if status and not any(case.outcome == FAIL for case in self.cases):
                self._problem(f"exit status {status}")
        if not self.cases:
            self._problem("no test case ran")
        return self.cases

    def _enter(self, depth):
        if depth >= len(self._levels):
            self._levels.append(_Level())

    def _leave(self):
        self._check_count(self._levels[-1])
        return self._levels.pop()

    def _plan(self, depth, match):
        self._enter(depth)
        self._levels[-1].plan = int(match.group(1))
        if match.group(1) == "0" and match.group(2) is not None:
            self._add("all", SKIP, match.group(2))

    def _result(self, depth, match):
        inner = None
        while depth < len(self._levels) - 1:
            inner = self._leave()
        level = self._levels[-1]
        level.seen += 1
        failed, number, name, directive, reason = match.groups()
        if int(number) != level.seen:
            self._problem(f"result {number} where {level.seen} was due")
            level.seen = int(number)
        outcome = FAIL if failed else PASS
        if directive and directive.upper() == "SKIP":
            outcome = SKIP
        if inner is None or not inner.seen:
            self._add(name or number, outcome, reason or "")
        elif outcome == FAIL and not inner.failed:
            self._add(name or number, FAIL, "failed as a whole")
        level.failed |= outcome == FAIL
        self._diagnostics = []

    def _check_count(self, level):
        if level.plan >= 0 and level.plan != level.seen:
            self._problem(f"planned {level.plan} cases, saw {level.seen}")

    def _problem(self, reason):
        self._levels[-1].failed = True
        self._add("ran to its end", FAIL, reason)
        self._diagnostics = []

    def _add(self, name, outcome, reason):
        path = [self._name] + [level.name for level in self._levels if level.name]
        self.cases.append(Case(": ".join(path + [name]), outcome, reason, self._diagnostics[:]))
