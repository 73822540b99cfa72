#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Tests the test harness: what goes wrong in a guest, and every kind of broken
output, must end as a failure.  Prints KTAP.
"""

import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "vm")]

# pylint: disable=wrong-import-position
import batch
import guest
import kernels
import ktap

GOOD = "KTAP version 1\n1..1\nok 1 a\n"
NESTED = """KTAP version 1
1..1
    KTAP version 1
    # Subtest: inner
    1..2
    ok 1 a
    not ok 2 b
not ok 1 inner
"""

# Output, exit status, and the outcomes of the cases that must come of it.
OUTPUTS = [
    ("all is well", GOOD, 0, [ktap.PASS]),
    ("a failed case", "KTAP version 1\n1..1\nnot ok 1 a\n", 1, [ktap.FAIL]),
    ("a skipped case", "KTAP version 1\n1..1\nok 1 a # SKIP no\n", 0, [ktap.SKIP]),
    ("subtests count, their sum does not", NESTED, 1, [ktap.PASS, ktap.FAIL]),
    ("nothing at all", "", 0, [ktap.FAIL]),
    ("no plan", "KTAP version 1\nok 1 a\n", 0, [ktap.PASS, ktap.FAIL]),
    ("a plan for nothing", "KTAP version 1\n1..0\n", 0, [ktap.FAIL]),
    ("fewer than planned", "KTAP version 1\n1..2\nok 1 a\n", 0, [ktap.PASS, ktap.FAIL]),
    ("a number left out", "KTAP version 1\n1..2\nok 2 a\n", 0, [ktap.FAIL, ktap.PASS]),
    ("bad exit status", GOOD, 3, [ktap.PASS, ktap.FAIL]),
    ("bail out", "KTAP version 1\n1..1\nBail out! no\n", 1, [ktap.FAIL, ktap.FAIL]),
]

ECHO_GOOD = "printf 'KTAP version 1\\n1..1\\nok 1 a\\n'"

# Test commands for a guest and what must be said of the guest's end; how many seconds the
# test may take and after how many without a sign of life the guest is given up, if other
# than usual.
ENDS = [
    ("a splat", f"echo 'BUG: sleeping' > /dev/kmsg; {ECHO_GOOD}", "complained"),
    ("a panic", "echo c > /proc/sysrq-trigger", "died before it reported"),
    ("a silent death", "echo b > /proc/sysrq-trigger", "died before it reported"),
    ("a hang", "kill -STOP $(pgrep -f srxe-vm/agent) $$", "no sign of life", 60, 12),
    (
        "a clock that runs ahead",
        "echo 999999 0 > /tmp/uptime; mount --bind /tmp/uptime /proc/uptime; sleep 1000",
        "runs ahead",
    ),
    ("no end, and none to end it", "kill -STOP $PPID; sleep 1000", "bad took too long", 5),
]


class Collector:
    """Stands in for the report."""

    def __init__(self):
        self.cases = []

    def progress(self, text):
        """Not of interest here."""

    def add(self, cases):
        """Keeps the cases."""
        self.cases += cases

    def passed(self, name):
        """Keeps a case that passed."""
        self.cases.append(ktap.Case(name, ktap.PASS))

    def failed(self, name, reason, diagnostics=()):
        """Keeps a case that failed."""
        self.cases.append(ktap.Case(name, ktap.FAIL, reason, list(diagnostics)))

    def outcomes(self, test):
        """The outcomes of a test's cases, each once."""
        return {case.outcome for case in self.cases if f": {test}" in case.name}

    def failed_in(self, test):
        """True if a test's cases failed, all of them."""
        return self.outcomes(test) == {ktap.FAIL}

    def reason(self):
        """Why the kernel's case failed, if it did."""
        return "".join(case.reason for case in self.cases if "the kernel had" in case.name)


def judge_output(output, status):
    """The outcomes that the parser makes of a test's output."""
    parser = ktap.Parser("test")
    for line in output.splitlines():
        parser.feed(line)
    return [case.outcome for case in parser.end(status)]


def run_batch(kernel, entries, **options):
    """Runs commands as tests in guests."""
    collector = Collector()
    with tempfile.TemporaryDirectory() as logs:
        settings = guest.Options(kernel=kernel, **options)
        batch.Batch("x", settings, entries, collector, logs).run()
    return collector


def judge_end(kernel, command, reason, seconds=60, silence=90):
    """True if a guest that runs the command ends as a failure for that reason."""
    collector = run_batch(kernel, [("bad", seconds, command)], silence=silence)
    return reason in collector.reason()


def main():
    """Entry point."""
    kernel = kernels.find_debian()
    batch.GRACE = 10
    results = [(name, judge_output(*case) == wanted) for name, *case, wanted in OUTPUTS]
    print(f"KTAP version 1\n1..{len(OUTPUTS) + len(ENDS) + 2}", flush=True)
    number = 0

    def show(name, good):
        nonlocal number
        number += 1
        print(f"{'ok' if good else 'not ok'} {number} {name}", flush=True)
        return good

    good = all([show(f"output: {name}", result) for name, result in results])
    for name, *end in ENDS:
        good &= show(f"guest: {name}", judge_end(kernel, *end))
    entries = [("slow", 2, "sleep 1000"), ("bad", 9, "echo b > /proc/sysrq-trigger")]
    collector = run_batch(kernel, [*entries, ("next", 9, ECHO_GOOD)])
    good &= show("guest: a test that takes too long fails", collector.failed_in("slow"))
    rest = collector.failed_in("bad") and collector.outcomes("next") == {ktap.PASS}
    good &= show("guest: the test after one that killed its guest runs", rest)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
