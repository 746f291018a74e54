#!/usr/bin/env python3
"""The HTTP listener: what it serves, what it refuses, and that watching costs no memory."""
import pathlib
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from streamd_wire import *

SCRAPES = 10000


class Http(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon()
        cls.addClassCleanup(cls.daemon.__exit__, None)

    def raw(self, data, wait=True):
        """What is answered to these bytes."""
        with socket.create_connection(("127.0.0.1", self.daemon.port), timeout=LONG) as s:
            s.sendall(data)
            got = b""
            while wait:
                try:
                    more = s.recv(1 << 16)
                except ConnectionResetError:
                    break
                if not more:
                    break
                got += more
            return got

    def status(self, data):
        return self.raw(data).split(b"\r\n")[0].decode()

    def test_pages(self):
        self.assertEqual(self.daemon.http("/healthz"), "ok\n")
        self.assertEqual(self.daemon.http("/readyz"), "ready\n")
        self.assertIn("streamd_build_info", self.daemon.http("/metrics?name=x"))

    def test_what_is_refused(self):
        self.assertEqual(self.status(b"GET /other HTTP/1.1\r\n\r\n"), "HTTP/1.1 404 Not Found")
        self.assertEqual(self.status(b"POST /metrics HTTP/1.1\r\n\r\n"), "HTTP/1.1 405 Method Not Allowed")
        for bad in (b"GET /metrics\r\n\r\n", b"\r\n\r\n", b"GET  HTTP/1.1\r\n\r\n", b"GET /metrics HTTP/2\r\n\r\n", b"\x00\xff\r\n\r\n"):
            self.assertEqual(self.status(bad), "HTTP/1.1 400 Bad Request", bad)
        self.assertEqual(self.status(b"GET /metrics HTTP/1.1\r\nX: " + b"y" * 5000), "HTTP/1.1 431 Request Header Fields Too Large")

    def test_head_has_no_body(self):
        head, body = self.raw(b"HEAD /metrics HTTP/1.1\r\n\r\n").split(b"\r\n\r\n")
        self.assertIn(b"Content-Length: ", head)
        self.assertEqual(body, b"")

    def test_request_in_pieces(self):
        with socket.create_connection(("127.0.0.1", self.daemon.port), timeout=LONG) as s:
            for byte in b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n":
                s.sendall(bytes([byte]))
            self.assertTrue(s.recv(4096).startswith(b"HTTP/1.1 200 OK"))

    def test_silent_peers_are_closed_and_do_not_keep_others_out(self):
        crowd = []

        def one_more():
            crowd.append(socket.create_connection(("127.0.0.1", self.daemon.port)))

        for _ in range(64):
            one_more()
        # Where a peer of the test before was not gone yet, the last of the crowd got no place.
        self.assertTrue(wait_for(lambda: self.status(b"GET /healthz HTTP/1.1\r\n\r\n") == "HTTP/1.1 503 Service Unavailable" or one_more()))
        self.assertLess(len(crowd), 70)
        crowd[0].settimeout(LONG)
        self.assertEqual(crowd[0].recv(10), b"")
        for s in crowd:
            s.close()
        self.assertTrue(wait_for(lambda: self.status(b"GET /healthz HTTP/1.1\r\n\r\n") == "HTTP/1.1 200 OK"))

    @unittest.skipUnless(shutil.which("promtool"), "promtool is not installed")
    def test_promtool_has_nothing_to_say(self):
        with self.daemon.client() as c:
            c.call(PLAN, chain(10))
        done = subprocess.run(["promtool", "check", "metrics"], input=self.daemon.http(), capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_series_do_not_depend_on_what_peers_send(self):
        before = sorted(self.daemon.metrics())
        with self.daemon.client() as c:
            for i in range(30):
                c.call(1000 + i)
                c.call(PLAN, request([node(f"label{i}", f"Type{i}")]))
            c.call(PLAN, cycle())
        self.assertEqual(sorted(self.daemon.metrics()), before)

    def test_requests_are_counted_by_method_and_status(self):
        name = 'requests_total{method="Plan",status="INVALID_ARGUMENT"}'
        before = self.daemon.metric(name)
        with self.daemon.client() as c:
            c.call(PLAN, cycle())
        self.assertEqual(self.daemon.metric(name), before + 1)

    @unittest.skipIf(PATIENCE > 1, "a sanitizer keeps what was freed")
    def test_many_scrapes_cost_no_memory(self):
        for i in range(SCRAPES):
            self.raw(b"GET /metrics HTTP/1.1\r\n\r\n")
            if i == 999:
                before = self.daemon.memory()
        grown = self.daemon.memory() - before
        print(f"{SCRAPES} scrapes: {grown >> 10} KiB more than after 1,000")
        self.assertLessEqual(grown, 64 << 10)


if __name__ == "__main__":
    e2e.main()
