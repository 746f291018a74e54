"""What the suites of the Python package share: the package of the build, and a daemon for each class of cases."""
import os
import pathlib
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("BUILD", "build")).resolve()
sys.path.insert(0, str(BUILD / "clients/python"))
import streamd
from streamd_wire import Daemon


class WithDaemon(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(http=False)
        os.environ["STREAMD_SOCKET"] = cls.daemon.path

    @classmethod
    def tearDownClass(cls):
        cls.daemon.__exit__(None)

    def setUp(self):
        self.client = streamd.Client()
        self.addCleanup(self.client.close)
