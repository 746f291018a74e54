"""Runs the test cases of a file, and says how many passed in the last line."""
import os
import sys
import time
import unittest

from streamd_wire import STREAMD


class Result(unittest.TextTestResult):
    def startTest(self, test):
        super().startTest(test)
        self.began = time.monotonic()
        sys.stderr.flush()

    def stopTest(self, test):
        super().stopTest(test)
        seconds[test.id().split(".", 1)[1]] = time.monotonic() - self.began


seconds = {}      # of each test


def main(module="__main__"):
    if not os.path.exists(STREAMD):
        print(f"{STREAMD} is not there; build first")
        sys.exit(1)
    program = unittest.main(module, exit=False, verbosity=2, testRunner=unittest.TextTestRunner(resultclass=Result, verbosity=2))
    print("the slowest:", ", ".join(f"{name} {seconds[name]:.1f} s" for name in sorted(seconds, key=seconds.get)[:-4:-1]))
    bad = len(program.result.failures) + len(program.result.errors)
    print(f"{program.result.testsRun - bad} passed, {bad} failed")
    sys.exit(1 if bad or not program.result.testsRun else 0)
