#!/usr/bin/env python3
"""Unmodified clients of two more libraries, libgrpc++ and grpc-js: by Unix socket, TCP and TCP with certificates; grpc-js under two restarts.

Where npm cannot install grpc-js, its cases say so and are passed over.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from certificates import Authority
from streamd_wire import *

STOCK = ROOT / "tests/stock"
NODES_MAX = 70000


def install_js(folder):
    """Why grpc-js is not there; None: it is."""
    if not shutil.which("npm"):
        return "npm is not installed"
    run = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "@grpc/grpc-js", "@grpc/proto-loader"], cwd=folder,
                         capture_output=True, text=True, timeout=300)
    if run.returncode:
        return f"npm cannot install it: {run.stderr.strip().splitlines()[-1:]}"
    shutil.copy(STOCK / "stock_client.js", folder)
    return None


class Stock(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="streamd-stock-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.at = pathlib.Path(cls.folder.name)
        cls.ca = Authority(cls.folder.name)
        cls.server, cls.loader = cls.ca.issue("server", "localhost"), cls.ca.issue("loader", "loader")
        cls.no_js = install_js(cls.folder.name)

    def start(self, certificates=False):
        port = free_port()
        settings = {"grpc__tcp_port": port, "limits__nodes_max": NODES_MAX}
        if certificates:
            settings.update(tls__certificate=self.server[0], tls__key=self.server[1], tls__client_ca=self.ca.certificate)
        daemon = Daemon(**settings)
        self.addCleanup(daemon.__exit__, None)
        return daemon, port

    def targets(self):
        """(where, its certificates) for each way in."""
        daemon, port = self.start()
        yield f"unix:{daemon.folder.name}/grpc.sock", ()
        yield f"localhost:{port}", ()
        daemon, port = self.start(certificates=True)
        yield f"localhost:{port}", (self.ca.certificate, *self.loader)

    def check(self, command, target, certificates):
        run = subprocess.run([*map(str, command), target, str(NODES_MAX), *map(str, certificates)], capture_output=True, text=True, timeout=300)
        print(run.stdout)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertNotIn("not ok", run.stdout)
        self.assertGreaterEqual(run.stdout.count("ok "), 8)

    def test_cpp(self):
        built = os.environ.get("STOCK")                       # a folder with what build.sh made already
        if not built:
            built = self.at / "cpp"
            subprocess.run(["sh", STOCK / "build.sh", built], check=True, timeout=1800)
        for target, certificates in self.targets():
            with self.subTest(target):
                self.check([f"{built}/stock_client"], target, certificates)

    def js(self):
        if self.no_js:
            self.skipTest(f"grpc-js: {self.no_js}")
        return ["node", self.at / "stock_client.js", ROOT / "proto"]

    def test_js(self):
        command = self.js() + ["check"]
        for target, certificates in self.targets():
            with self.subTest(target):
                self.check(command, target, certificates)

    def restart_under_js(self, daemon, target, certificates):
        load = subprocess.Popen([*map(str, self.js()), "load", target, "0", *map(str, certificates)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        pings = lambda: daemon.metric('grpc_requests_total{method="Ping",status="OK"}')
        for _ in range(2):
            self.assertTrue(wait_for(lambda: pings() > 2000, 60))
            self.assertEqual(daemon.stop(), 0)
            daemon.log_file.close()
            daemon.start()
        self.assertTrue(wait_for(lambda: pings() > 2000, 60))
        out, _ = load.communicate(timeout=120)
        print(out)
        done, failed = map(int, re.match(r"(\d+) done, (\d+) failed", out).groups())
        self.assertGreater(done, 4000)
        self.assertEqual(failed, 0, out)

    def test_js_restarts(self):
        daemon, port = self.start()
        self.restart_under_js(daemon, f"unix:{daemon.folder.name}/grpc.sock", ())
        self.restart_under_js(daemon, f"localhost:{port}", ())

    def test_js_restarts_with_certificates(self):
        daemon, port = self.start(certificates=True)
        self.restart_under_js(daemon, f"localhost:{port}", (self.ca.certificate, *self.loader))


if __name__ == "__main__":
    e2e.main()
