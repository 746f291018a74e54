#!/usr/bin/env python3
"""Sessions of damaged and random bytes: the daemon goes on, answers others, and keeps nothing.

usage: garbage.py   (SEED and TURNS in the environment repeat or lengthen a run)
"""
import pathlib
import random
import sys
import unittest
import urllib.error

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from streamd_wire import *

SEED = int(os.environ.get("SEED", random.SystemRandom().randrange(1 << 30)))
TURNS = int(os.environ.get("TURNS", 20000 if os.environ.get("TIER") == "long" else 800))
METHODS = [m for m in range(13) if m != DRAIN]


def good_frames(chance):
    bodies = [chain(chance.randrange(1, 30)), cycle(), field(1, bytes(chance.randrange(200))), b""]
    for _ in range(chance.randrange(1, 8)):
        kind = chance.choice((REQUEST, REQUEST, REQUEST, CANCEL, PING, GOODBYE, HELLO, ANSWER, chance.randrange(256)))
        yield frame(kind, chance.choice(bodies), chance.choice(METHODS), chance.randrange(6), chance.choice((0, 1, 50, 1 << 31)))


def damage(chance, data):
    data = bytearray(data)
    for _ in range(chance.choice((0, 1, 1, 2, 8))):
        at = chance.randrange(len(data))
        action = chance.randrange(4)
        if action == 0:
            data[at] ^= 1 << chance.randrange(8)
        elif action == 1:
            data[at] = chance.randrange(256)
        elif action == 2:
            del data[at:at + chance.randrange(1, 40)]
        else:
            data[at:at] = bytes(chance.randrange(256) for _ in range(chance.randrange(1, 40)))
        if not data:
            break
    return bytes(data)


def session(daemon, chance):
    data = (hello() if chance.randrange(10) else b"") + b"".join(good_frames(chance))
    data = damage(chance, data) if chance.randrange(20) else bytes(chance.randrange(256) for _ in range(chance.randrange(300)))
    c = daemon.client(greet=False)
    try:
        at = 0
        while at < len(data):
            step = chance.choice((1, 7, 100, len(data)))
            c.send(data[at:at + step])
            at += step
        if chance.randrange(3) == 0:
            c.socket.shutdown(socket.SHUT_WR)
            while c.socket.recv(1 << 16):
                pass
    except OSError:
        pass
    c.close()


def is_healthy(daemon):
    try:
        return daemon.http("/healthz") == "ok\n"
    except urllib.error.HTTPError as refused:
        refused.close()
        return False


class Garbage(unittest.TestCase):
    def test_frames(self):
        print(f"SEED={SEED}")
        chance, daemon, turn = random.Random(SEED), self.start(), 0
        while turn < TURNS:
            try:
                with daemon.client() as witness:
                    self.assertEqual(witness.call(PLAN, chain(5)).kind, ANSWER, f"SEED={SEED}")
                    for _ in range(50):
                        turn += 1
                        session(daemon, chance)
                self.assertTrue(wait_for(daemon.is_quiet), (SEED, daemon.metrics()))
            except (AssertionError, OSError, Closed):
                if '"draining"' not in daemon.log():
                    raise
                self.assertEqual(daemon.process.wait(30 * PATIENCE), 0)      # a damaged frame asked for it
                daemon = self.start()

    def start(self):
        daemon = Daemon(log__level="debug", socket__hello_timeout="1 s", socket__frame_timeout="1 s")
        self.addCleanup(daemon.__exit__, None)
        return daemon

    def test_http(self):
        chance = random.Random(SEED + 1)
        with Daemon() as daemon:
            for _ in range(TURNS // 2):
                data = damage(chance, b"GET /metrics?a=b HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n")
                with socket.create_connection(("127.0.0.1", daemon.port)) as s:
                    s.sendall(data)
            self.assertTrue(wait_for(lambda: is_healthy(daemon)))      # once those that never ended their request are gone


if __name__ == "__main__":
    e2e.main()
