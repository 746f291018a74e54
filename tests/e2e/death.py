#!/usr/bin/env python3
"""Clients that are killed in every state of their connection: afterwards nothing of them is left."""
import pathlib
import random
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from streamd_wire import *

TURNS = 1000 if os.environ.get("TIER") == "long" else 30


def silent(path):
    return Client(path, greet=False)


def half_a_hello(path):
    c = Client(path, greet=False)
    c.send(hello()[:9])
    return c


def greeted(path):
    return Client(path)


def half_a_header(path):
    c = Client(path)
    c.send(frame(REQUEST, chain(5), PLAN, 1)[:11])
    return c


def half_a_body(path):
    c = Client(path)
    c.send(frame(REQUEST, chain(5000), PLAN, 1)[:40000])
    return c


def queued(path):
    c = Client(path)
    for i in range(5):
        c.submit(PLAN, slow(f"death{i}", 20000))
    return c


def one_running(path):
    c = Client(path)
    c.submit(PLAN, slow(f"run{time.monotonic_ns()}", 60000))
    return c


def in_a_flight(path):
    c = Client(path)
    c.submit(PLAN, slow("same", 60000))
    return c


def at_its_bound(path):
    c = Client(path)
    for i in range(40):
        c.submit(PLAN, slow(f"bound{i}", 5000))
    return c


def not_reading(path):
    c = Client(path)
    for i in range(5):      # more would keep the client in send()
        c.socket.sendall(frame(REQUEST, field(1, bytes(60000)), PING_METHOD, i + 1))
    return c


def goodbye_said(path):
    c = Client(path)
    c.submit(PLAN, slow("bye", 20000))
    c.send(frame(GOODBYE))
    return c


def cancelled(path):
    c = Client(path)
    c.cancel(c.submit(PLAN, slow(f"c{time.monotonic_ns()}", 20000)))
    return c


STATES = (silent, half_a_hello, greeted, half_a_header, half_a_body, queued, one_running, in_a_flight, at_its_bound, not_reading, goodbye_said, cancelled)


def killed_child(state, path, chance):
    """Forks a client that reaches its state; kills it there, or a little later."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            client = state(path)
            os.write(writer, b"x")
            time.sleep(600)
            client.close()
        finally:
            os._exit(0)
    os.close(writer)
    os.read(reader, 1)
    os.close(reader)
    time.sleep(chance.choice((0, 0, 0.001, 0.01)))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


class Death(unittest.TestCase):
    def check(self, state):
        for count in (60000, 20000, 5000):
            slow("", count)     # made once, for all children
        chance = random.Random(5)
        with Daemon(jobs__workers=1, socket__owed_bytes_max="64 KiB") as daemon:
            files = daemon.open_files()
            with daemon.client() as c:
                for _ in range(max(2, TURNS // len(STATES))):
                    killed_child(state, daemon.path, chance)
                self.assertEqual(c.call(STATUS).kind, ANSWER)
                self.assertEqual(c.call(PLAN, chain(4)).kind, ANSWER)
            self.assertTrue(wait_for(daemon.is_quiet), daemon.metrics())
            self.assertEqual(daemon.metric("request_bytes_held"), 0)
            self.assertTrue(wait_for(lambda: daemon.open_files() == files), (daemon.open_files(), files))


for _state in STATES:
    setattr(Death, f"test_{_state.__name__}", lambda self, state=_state: self.check(state))


class AllAtOnce(unittest.TestCase):
    def test_many_clients_die_in_random_states(self):
        chance = random.Random(11)
        with Daemon(jobs__workers=2, socket__owed_bytes_max="64 KiB") as daemon:
            for _ in range(TURNS):
                killed_child(chance.choice(STATES), daemon.path, chance)
            self.assertTrue(wait_for(daemon.is_quiet), daemon.metrics())


if __name__ == "__main__":
    e2e.main()
