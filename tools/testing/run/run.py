#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Builds everything and runs every test; the last line is the sum.

Standard output is KTAP: a case for each case of each test, "# [SECONDS s] ..." in
between says what goes on.  Exit status 0 only if something passed and nothing
failed.

  run.py [--only STAGES] [--tests REGEX] [--all] [--build DIR]

Stages: build (the module, both variants, both kernels), scripts (tests of the
build and of this harness), kunit, debug (selftests on the debug kernel), debian (selftests on
Debian's own).
"""

import argparse
import concurrent.futures
import glob
import os
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "vm")]

# pylint: disable=wrong-import-position
import batch
import guest
import kernels
import ktap
import report as reports
import selftest

STAGES = ["build", "scripts", "kunit", "debug", "debian"]
SELFTESTS = os.path.join(TOP, "tools", "testing", "selftests", "tests")
LEVEL = {"debian": "full", "debug": "pairwise"}
LEVEL_OF_ALL = {"debian": "all", "debug": "pairwise"}

# How much longer a test may take than it says, which is for Debian's kernel and a machine
# that has little else to do.
PATIENCE = {"debian": 2, "debug": 4}

# Guests have one processor each.  Tests on Debian's kernel wait half the time, for
# timers and for each other, so one guest more than there are processors; the debug
# kernel keeps a processor busy.
PROCESSORS = min(os.cpu_count() or 1, 4)
LANES = {"debian": PROCESSORS + 1, "debug": PROCESSORS}


class StageFailed(Exception):
    """What a later stage stands on is not there; the report has it."""


class Run:
    """One run of the tests."""

    def __init__(self, options):
        self._options = options
        self._build = os.path.abspath(options.build)
        self._debug = os.path.join(self._build, "debug-kernel")
        self._logs = os.path.join(self._build, "test-logs")
        self._report = reports.Report()
        self._kernel = None
        self._pool = concurrent.futures.ThreadPoolExecutor(max(LANES.values()))
        self._jobs = []

    def run(self):
        """Runs the stages; returns the exit status."""
        os.makedirs(self._logs, exist_ok=True)
        try:
            self._kernel = kernels.find_debian()
            self._stages()
        except StageFailed:
            pass
        except (kernels.NoKernel, selftest.BadDeclaration) as error:
            self._report.failed("set-up", str(error))
        return self._report.finish()

    def _stages(self):
        on_debug = self._wants("kunit") or self._wants("debug")
        with concurrent.futures.ThreadPoolExecutor(1) as background:
            self._make("build: module, plain variant and tools", "all", "plain", "test-tools")
            # Guests have the right of way: the kernel's build is niced.
            kernel = background.submit(self._debug_kernel) if on_debug else None
            if self._wants("kunit"):
                self._jobs.append(background.submit(self._kunit, kernel))
            if self._wants("debian"):
                self._make("build: module with test-only parameters", "knobs")
            if self._wants("build") or self._wants("debian"):
                root = os.path.join(self._build, "root")
                self._make("build: make install", "install", f"INSTALL_MOD_PATH={root}")
            if self._wants("build"):
                self._make("build: composes and compiles for 6.1", "other-kernel")
            if self._wants("scripts"):
                self._scripts()
            if self._wants("debian"):
                self._submit_selftests(self._kernel)
            if self._wants("debug"):
                kernel.result()
                self._submit_selftests(kernels.find_debug(self._debug))
        self._pool.shutdown()
        for job in self._jobs:
            job.result()

    def _wants(self, stage):
        return stage in self._options.only

    def _make(self, name, *targets):
        """Runs make; its end is a case, its output a log."""
        log = os.path.join(self._logs, name.replace(" ", "-").replace(":", "") + ".log")
        self._report.progress(name)
        with open(log, "w", encoding="utf-8") as stream:
            command = ["make", "-C", TOP, f"O={self._build}", f"KVER={self._kernel.release}", *targets]
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream)
        if done.returncode == 0:
            self._report.passed(name)
            return
        with open(log, encoding="utf-8", errors="replace") as stream:
            tail = stream.read().splitlines()[-40:]
        self._report.failed(name, f"{' '.join(command)}: see {log}", tail)
        raise StageFailed

    def _debug_kernel(self):
        self._make("build: debug kernel", "debug-kernel")
        self._make("build: module and KUnit tests for the debug kernel", "debug-modules")

    def _scripts(self):
        for path in self._script_tests():
            name = os.path.splitext(os.path.basename(path))[0]
            self._report.progress(name)
            parser = ktap.Parser(name)
            with subprocess.Popen(
                [path, self._build],
                cwd=TOP,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            ) as process:
                for line in process.stdout:
                    parser.feed(line.rstrip("\n"))
            self._report.add(parser.end(process.returncode))

    @staticmethod
    def _script_tests():
        """Tests that run on the host; they take the build directory."""
        found = glob.glob(os.path.join(TOP, "scripts", "test-*.sh"))
        found += glob.glob(os.path.join(TOP, "tools", "testing", "*", "test-*.py"))
        return sorted(path for path in found if os.access(path, os.X_OK))

    def _batch(self, label, kernel, guests, entries):
        environment = {
            "SRXE_BUILD": self._build,
            "SRXE_TEST_LEVEL": (LEVEL_OF_ALL if self._options.all else LEVEL)[kernel.kind],
            "SRXE_PATIENCE": str(PATIENCE[kernel.kind]),
        }
        options = guest.Options(kernel=kernel, guests=guests, environment=environment)
        return batch.Batch(label, options, entries, self._report, self._logs)

    def _kunit(self, built):
        """Beside the selftests on Debian's kernel, as soon as there is a kernel for it."""
        built.result()
        kernel = kernels.find_debug(self._debug)
        modules = os.path.join(self._build, kernel.release, "kunit")
        entries = [("kunit", 600 * PATIENCE["debug"], f"bash {HERE}/kunit.sh {modules}")]
        self._batch("debug kernel 0", kernel, 1, entries).run()

    def _submit_selftests(self, kernel):
        level = LEVEL[kernel.kind]
        tests = [
            test
            for test in selftest.find(SELFTESTS, self._options.tests)
            if kernel.kind in test.kernels
            and (self._options.all or test.level in ("pairwise", level))
        ]
        number = 0
        for guests in (2, 1):
            chosen = [test for test in tests if test.guests == guests]
            for part in selftest.share_out(chosen, 1 if guests == 2 else LANES[kernel.kind]):
                number += 1
                patience = PATIENCE[kernel.kind]
                entries = [(test.name, test.timeout * patience, test.path) for test in part]
                work = self._batch(f"{kernel.kind} kernel {number}", kernel, guests, entries)
                self._jobs.append(self._pool.submit(work.run))


def main():
    """Entry point."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default_build = os.environ.get("SRXE_BUILD", os.path.join(TOP, "build"))
    parser.add_argument("--build", default=default_build, metavar="DIR", help="make's O=")
    parser.add_argument("--tests", default="", metavar="REGEX", help="selftests of that name")
    parser.add_argument(
        "--all",
        action="store_true",
        help="every selftest on the debug kernel too, every combination on Debian's",
    )
    parser.add_argument("--only", default=",".join(STAGES), metavar="STAGES")
    options = parser.parse_args()
    options.only = options.only.split(",")
    options.all |= bool(options.tests)
    if set(options.only) - set(STAGES):
        parser.error(f"stages are: {', '.join(STAGES)}")
    for number in (signal.SIGINT, signal.SIGTERM):
        # At once: guests die with their runner.
        signal.signal(number, lambda *_: os._exit(130))
    return Run(options).run()


if __name__ == "__main__":
    sys.exit(main())
