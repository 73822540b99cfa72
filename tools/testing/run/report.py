# SPDX-License-Identifier: GPL-2.0
"""One listing of everything that ran: KTAP on standard output as it happens."""

import threading
import time

import ktap


class Report:
    """Collects cases from several threads."""

    def __init__(self):
        self._lock = threading.Lock()
        self._start = time.monotonic()
        self._count = {ktap.PASS: 0, ktap.FAIL: 0, ktap.SKIP: 0}
        self._failed = []
        print("KTAP version 1", flush=True)

    def progress(self, text):
        """Says what goes on."""
        with self._lock:
            print(f"# [{time.monotonic() - self._start:5.0f} s] {text}", flush=True)

    def add(self, cases):
        """Lists cases; of those that failed also what they printed."""
        with self._lock:
            for case in cases:
                self._print(case)

    def passed(self, name):
        """Lists one case that passed."""
        self.add([ktap.Case(name, ktap.PASS)])

    def failed(self, name, reason, diagnostics=()):
        """Lists one case that failed."""
        self.add([ktap.Case(name, ktap.FAIL, reason, list(diagnostics))])

    def finish(self):
        """Prints plan and sum; returns the exit status."""
        with self._lock:
            total = sum(self._count.values())
            print(f"1..{total}")
            for name in self._failed:
                print(f"# failed: {name}")
            print(
                f"{self._count[ktap.PASS]} passed, {self._count[ktap.FAIL]} failed, "
                f"{self._count[ktap.SKIP]} skipped",
                flush=True,
            )
            return 0 if self._count[ktap.PASS] and not self._count[ktap.FAIL] else 1

    def _print(self, case):
        self._count[case.outcome] += 1
        number = sum(self._count.values())
        name = case.name.replace("#", "")
        if case.outcome == ktap.FAIL:
            self._failed.append(name)
            for line in [case.reason, *case.diagnostics]:
                if line:
                    print(f"# {line}")
            print(f"not ok {number} {name}", flush=True)
        elif case.outcome == ktap.SKIP:
            print(f"ok {number} {name} # SKIP {case.reason}", flush=True)
        else:
            print(f"ok {number} {name}", flush=True)
