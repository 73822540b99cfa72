#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Runs tests of rdma-core's own suite by name and prints KTAP.

  suite.py DEVICE GID_INDEX

The names are in tests.txt; the suite is the one that Debian's python3-pyverbs
brings.  A test that skips itself fails: on stock rxe each of them runs.
"""

import argparse
import faulthandler
import glob
import gzip
import importlib
import os
import shutil
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SUITE = "/usr/share/doc/rdma-core/tests"

# Seconds a test waits for a completion, and the queue pairs' timeout, by which an SA may
# take 17 seconds to be made. As they come (10 and 14) they are for machines that have
# little else to do.
POLL_SECONDS = 50
QP_TIMEOUT = 19

# A test that hangs ends the program; the reader misses the rest and fails.
TEST_SECONDS = 120


def names():
    """The tests to run: module.Class.method."""
    with open(os.path.join(HERE, "tests.txt"), encoding="utf-8") as stream:
        return [line.strip() for line in stream if line.strip() and line[0] != "#"]


def unpack(directory):
    """Copies the suite, which Debian ships partly compressed, to a package "tests"."""
    if not os.path.isdir(SUITE):
        sys.exit(f"Bail out! no {SUITE} (package python3-pyverbs): run 'make setup'")
    target = os.path.join(directory, "tests")
    shutil.copytree(SUITE, target)
    for path in glob.glob(os.path.join(target, "*.gz")):
        with gzip.open(path) as source, open(path[: -len(".gz")], "wb") as unpacked:
            shutil.copyfileobj(source, unpacked)
    # The package would load all modules; those of other vendors' devices only
    # cost time.
    with open(os.path.join(target, "__init__.py"), "w", encoding="utf-8"):
        pass
    sys.path[:0] = [directory, target]


class Ktap(unittest.TestResult):
    """Prints each result as it comes."""

    def startTest(self, test):
        super().startTest(test)
        faulthandler.dump_traceback_later(TEST_SECONDS, exit=True, file=sys.stdout)

    def stopTest(self, test):
        faulthandler.cancel_dump_traceback_later()
        super().stopTest(test)

    def addSuccess(self, test):
        self._print("ok", test)

    def addFailure(self, test, err):
        self._print("not ok", test, self._exc_info_to_string(err, test))

    def addError(self, test, err):
        self.addFailure(test, err)

    def addSkip(self, test, reason):
        self._print("not ok", test, f"skipped itself: {reason}")

    def addSubTest(self, test, subtest, err):
        if err:
            print(f"# {subtest}: {err[1]}")

    def _print(self, word, test, text=""):
        for line in text.splitlines():
            print(f"# {line}")
        name = test.id()
        name = name[len("tests."):] if name.startswith("tests.") else name
        print(f"{word} {self.testsRun} {name}", flush=True)


def main():
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("device")
    parser.add_argument("gid_index")
    options = parser.parse_args()
    chosen = names()
    with tempfile.TemporaryDirectory() as directory:
        unpack(directory)
        sys.argv[1:] = ["--dev", options.device, "--gid", options.gid_index]
        importlib.import_module("args_parser").parser.parse_args()
        importlib.import_module("tests.utils").POLL_CQ_TIMEOUT = POLL_SECONDS
        importlib.import_module("tests.base").TIMEOUT = QP_TIMEOUT
        suite = unittest.defaultTestLoader.loadTestsFromNames(f"tests.{name}" for name in chosen)
        print(f"KTAP version 1\n1..{len(chosen)}", flush=True)
        result = suite.run(Ktap())
    return 0 if result.testsRun == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
