#!/usr/bin/python3
"""More watchers than there are places for: each is answered, none is reset, and no more than so many are held."""
import concurrent.futures
import pathlib
import select
import socket
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from streamd_wire import *

PLACES, LEAVING = 64, 32


class Crowd(unittest.TestCase):
    def setUp(self):
        self.daemon = Daemon()
        self.addCleanup(self.daemon.__exit__, None)
        self.peers = []

    def connect(self):
        s = socket.create_connection(("127.0.0.1", self.daemon.port), timeout=LONG)
        self.addCleanup(s.close)
        self.peers.append(s)
        return s

    def ask(self, much=0):
        """Asks for healthz with as much behind it; all that is answered until the daemon closes. ConnectionResetError: it did not close in order."""
        s = self.connect()
        s.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" + b"x" * much)
        got = b""
        while more := s.recv(4096):
            got += more
        s.close()
        return got

    def crowd(self, look=lambda: None):
        """What is seen while silent peers have all places, and these peers. They lose them after five seconds: a test that was held up for so long looks again."""
        while True:
            began, idle = time.monotonic(), [self.connect() for _ in range(PLACES)]
            if wait_for(lambda: b" 503 " in self.ask() or time.monotonic() - began > 4) and time.monotonic() - began < 4:
                seen = look()
                if time.monotonic() - began < 4.5:
                    return seen, idle
            self.leave(self.peers)

    def leave(self, idle):
        for s in idle:
            s.close()
        self.assertTrue(wait_for(lambda: self.ask().startswith(b"HTTP/1.1 200 OK\r\n")))

    def test_who_is_one_too_many_is_told_when_to_come_again(self):
        answers, idle = self.crowd(lambda: [self.ask(much) for much in (0, 0, 1000, 20000)])
        for got in answers:
            head, _, body = got.partition(b"\r\n\r\n")
            self.assertTrue(head.startswith(b"HTTP/1.1 503 Service Unavailable\r\n"), got)
            self.assertIn(b"\r\nRetry-After: 1\r\n", head)
            self.assertIn(b"all 64 connections for watchers are taken; come again in a second", body)
        self.leave(idle)
        self.assertNotIn(b"Retry-After", self.ask())

    def test_a_flood_is_answered_or_waits_and_nobody_is_reset(self):
        self.crowd()
        with concurrent.futures.ThreadPoolExecutor(120) as pool:
            answers = list(pool.map(lambda _: self.ask(500), range(400)))
        self.assertEqual({a.split(b"\r\n")[0] for a in answers} - {b"HTTP/1.1 503 Service Unavailable", b"HTTP/1.1 200 OK"}, set())

    def test_who_waits_in_the_socket_is_served_once_there_is_a_place(self):
        def look():
            lingering = [self.connect() for _ in range(LEAVING)]             # refused, and they do not close
            told = [s.recv(4096) for s in lingering]
            late = self.connect()
            late.sendall(b"GET /healthz HTTP/1.1\r\n\r\n")
            return lingering, told, late, select.select([late], [], [], 0.3)[0]
        (lingering, told, late, heard), idle = self.crowd(look)
        self.assertEqual((len([t for t in told if b" 503 " in t]), heard), (LEAVING, []))
        for s in idle:
            s.close()
        self.assertTrue(late.recv(4096).startswith(b"HTTP/1.1 200 OK\r\n"))
        for s in lingering:
            s.close()
        self.assertTrue(self.ask().startswith(b"HTTP/1.1 200 OK\r\n"))

    def test_it_stops_with_one_waiting(self):
        self.crowd()
        lingering = [self.connect() for _ in range(LEAVING + 5)]
        self.assertEqual(self.daemon.stop(), 0)
        self.assertEqual(len(lingering), LEAVING + 5)


if __name__ == "__main__":
    e2e.main()
