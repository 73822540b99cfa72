# SPDX-License-Identifier: GPL-2.0
"""Runs a list of tests in a guest; a test that takes the guest down with it
fails, and the rest go on in a fresh guest."""

import dataclasses
import os
import re
import shlex
import time

import guest
import initramfs
import ktap

HERE = os.path.dirname(os.path.abspath(__file__))
BEGIN = re.compile(r"# srxe-run: begin (\S+) (\d+)$")
END = re.compile(r"# srxe-run: end (\S+) (\d+)$")

# Added to a test's own limit before the guest counts as hung.
GRACE = 60


class Batch:
    """Tests for one kernel and one number of guests, run one after the other."""

    def __init__(self, label, options, entries, report, logs):
        """Prepares a run.

        :param label: name of the run, before every case
        :param options: guest.Options
        :param entries: (name, seconds, command) of each test
        :param report: report.Report to add cases to
        :param logs: directory for consoles and outputs
        """
        self._label = label
        self._options = options
        self._left = list(entries)
        self._report = report
        self._logs = logs
        self._session = None
        self._parser = None
        self._current = ""
        self._started = (0, 0)
        self._begun = False
        self._output = None

    def run(self):
        """Runs all tests, in as many guests as it takes."""
        boot = 0
        while self._left:
            boot += 1
            name = f"{self._label} boot {boot}".replace(" ", "-")
            directory = os.path.join(self._logs, name)
            os.makedirs(directory, exist_ok=True)
            self._report.progress(f"{self._label}: booting for {len(self._left)} tests")
            with open(os.path.join(directory, "output"), "w", encoding="utf-8") as self._output:
                result = self._boot(directory)
            self._judge(result)

    def _boot(self, directory):
        entries = [f"{name}:{seconds}:{command}" for name, seconds, command in self._left]
        script = shlex.join(["bash", os.path.join(HERE, "guest-tests.sh"), *entries])
        seconds = sum(entry[1] + GRACE for entry in self._left) + 2 * GRACE
        options = dataclasses.replace(self._options, timeout=seconds)
        self._session = guest.Session(options, directory)
        self._begun = False
        try:
            return self._session.run(f"cd {shlex.quote(guest.TOP)}\n{script}\n", self._take)
        except (guest.GuestError, initramfs.InitramfsError) as error:
            return guest.Result(status=1, reason=str(error))

    def _take(self, line):
        self._output.write(line + "\n")
        self._output.flush()
        begin, end = BEGIN.match(line), END.match(line)
        if begin:
            self._begun = True
            self._current = begin.group(1)
            self._started = (time.monotonic(), self._session.processor_seconds())
            self._session.limit(self._current, int(begin.group(2)) + GRACE)
            self._parser = ktap.Parser(f"{self._label}: {self._current}")
        elif end and self._parser:
            self._session.limit("", 0)
            self._finish(int(end.group(2)))
        elif self._parser:
            self._parser.feed(line)

    def _finish(self, status, reason=""):
        self._report.add(self._parser.end(status, reason))
        seconds = time.monotonic() - self._started[0]
        processor = self._session.processor_seconds() - self._started[1]
        self._report.progress(
            f"{self._label}: {self._current} took {seconds:.0f} s, {processor:.0f} s of processor time"
        )
        self._parser = None
        self._left = [entry for entry in self._left if entry[0] != self._current]

    def _judge(self, result):
        """What the guest's end means for the test under way and for the rest."""
        if self._parser:
            self._finish(1, result.reason or "the guest ended within the test")
        kernel = f"{self._label}: the kernel had nothing to complain about"
        if result.ok():
            self._report.passed(kernel)
        else:
            reason = result.reason or f"the tests' runner ended with status {result.status}"
            self._report.failed(kernel, reason, result.excerpt)
        if not self._begun or (result.ok() and self._left):
            for name, _, _ in self._left:
                self._report.failed(f"{self._label}: {name}", "did not run")
            self._left = []
