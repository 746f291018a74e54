#!/usr/bin/python3
"""streamctl with too few or too many arguments: what was wrong and what would be right is said, with exit status 2."""
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from streamd_wire import *


class Usage(unittest.TestCase):
    def said(self, *arguments):
        done = subprocess.run([STREAMCTL, *arguments], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        return done.stderr

    def test_a_batch_of_nothing(self):
        for more in ((), ("--local",), ("-o", "/dev/null")):
            self.assertIn("plan --batch needs its INPUTs, one or more, as in: streamctl plan --batch models/*.onnx", self.said("plan", "--batch", *more))

    def test_too_few(self):
        self.assertIn("too few arguments; usage: streamctl verify REQUEST PLAN", self.said("verify", "a.json"))

    def test_too_many(self):
        self.assertIn("'b.json' is one argument too many (--batch takes any number); usage: streamctl plan INPUT", self.said("plan", "a.json", "b.json"))
        self.assertIn("'now' is one argument too many; usage: streamctl status\n", self.said("status", "now"))


if __name__ == "__main__":
    e2e.main()
