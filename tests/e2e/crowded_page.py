#!/usr/bin/python3
"""More watchers than there are places for: each is answered, none is reset, and no more than so many are held."""
import concurrent.futures
import pathlib
import socket
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from streamd_wire import *

PLACES, LEAVING = 64, 32


class Crowd(unittest.TestCase):
    def setUp(self):
        self.daemon = Daemon()
        self.addCleanup(self.daemon.__exit__, None)

    def connect(self):
        s = socket.create_connection(("127.0.0.1", self.daemon.port), timeout=30 * PATIENCE)
        self.addCleanup(s.close)
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

    def crowd(self, count):
        """Silent peers that have a place: the daemon has looked at all of them once it refuses the next one."""
        idle = [self.connect() for _ in range(count)]
        self.assertTrue(wait_for(lambda: b" 503 " in self.ask()))
        return idle

    def test_who_is_one_too_many_is_told_when_to_come_again(self):
        idle = self.crowd(PLACES)
        for much in (0, 0, 1000, 20000):
            got = self.ask(much)
            head, _, body = got.partition(b"\r\n\r\n")
            self.assertTrue(head.startswith(b"HTTP/1.1 503 Service Unavailable\r\n"), got)
            self.assertIn(b"\r\nRetry-After: 1\r\n", head)
            self.assertIn(b"all 64 connections for watchers are taken; come again in a second", body)
        for s in idle:
            s.close()
        self.assertTrue(wait_for(lambda: self.ask().startswith(b"HTTP/1.1 200 OK\r\n")))
        self.assertNotIn(b"Retry-After", self.ask())

    def test_a_flood_is_answered_or_waits_and_nobody_is_reset(self):
        self.crowd(PLACES)
        with concurrent.futures.ThreadPoolExecutor(120) as pool:
            answers = list(pool.map(lambda _: self.ask(500), range(400)))
        self.assertEqual({a.split(b"\r\n")[0] for a in answers} - {b"HTTP/1.1 503 Service Unavailable", b"HTTP/1.1 200 OK"}, set())

    def test_who_waits_in_the_socket_is_served_once_there_is_a_place(self):
        began = time.monotonic()
        idle = self.crowd(PLACES)
        lingering = []
        for _ in range(LEAVING):                       # refused, and they do not close
            s = self.connect()
            self.assertIn(b" 503 ", s.recv(4096))
            lingering.append(s)
        late = self.connect()
        late.sendall(b"GET /healthz HTTP/1.1\r\n\r\n")
        late.settimeout(0.3)
        if time.monotonic() - began < 4:               # from 5 seconds on the silent ones are closed
            self.assertRaises(TimeoutError, late.recv, 1)
        for s in idle:
            s.close()
        late.settimeout(30 * PATIENCE)
        self.assertTrue(late.recv(4096).startswith(b"HTTP/1.1 200 OK\r\n"))
        for s in lingering:
            s.close()
        self.assertTrue(self.ask().startswith(b"HTTP/1.1 200 OK\r\n"))

    def test_it_stops_with_one_waiting(self):
        self.crowd(PLACES)
        lingering = [self.connect() for _ in range(LEAVING + 5)]
        self.assertEqual(self.daemon.stop(), 0)
        self.assertEqual(len(lingering), LEAVING + 5)


if __name__ == "__main__":
    e2e.main()
