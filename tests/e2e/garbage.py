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
METHODS = [m for m in range(25) if m != DRAIN]
POOL_METHODS = range(REGISTER_MODEL, WATCH + 1)
EXTREMES = (0, 0, 1, 2, 3, 5, 7, 8, 200, 2025, (1 << 31) - 1, (1 << 32) - 1, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)


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


def pool_value(chance, known):
    """A number that may mean something to the pool: an id that was answered, or one at an edge."""
    return chance.choice(known) if known and chance.randrange(6) else chance.choice(EXTREMES)


def pool_body(chance, known, depth=0):
    """Fields as the pool's messages have them, with values as they may come."""
    body = b""
    for _ in range(chance.randrange(6)):
        which = chance.randrange(1, 9)
        if chance.randrange(4):
            body += field(which, pool_value(chance, known))
        else:
            body += field(which, pool_body(chance, [], 1) if depth == 0 else bytes(chance.randrange(128) for _ in range(chance.randrange(5))))
    return body


def plausible_body(chance, method, known):
    if method == REGISTER_MODEL:
        return field(1, "m") + field(2, chance.choice(("", "d", "e"))) + field(5, chance.choice((0, 0, 0, 0, 0, 5, 1000)))
    if method == ACQUIRE:
        wants = [field(1, chance.randrange(-1, 9)) + field(2, chance.choice((0, 0, 0, 0, 1, 1, 4, 8, 0x40))) + field(4, chance.choice((0, 0, 0, 10, 10, 30, 30, 5000))) + field(5, chance.randrange(4))
                 for _ in range(chance.randrange(4))]
        model = pool_value(chance, [value for value in known if value & 3 == 1])    # ids of models look like this
        return field(1, model) + b"".join(field(2, w) for w in wants) + field(3, chance.randrange(3)) \
            + field(5, chance.choice((0, 0, 20, 1 << 31))) + field(6, chance.randrange(3)) + field(7, chance.randrange(8) == 0)
    return field(1, pool_value(chance, known))


def numbers_of(got):
    """What an answer holds at its top and one level below: ids among them."""
    if got.kind != ANSWER:
        return []
    found = []
    for values in got.message().values():
        for value in values:
            try:
                found += [value] if isinstance(value, int) else [v for inner in parse(value).values() for v in inner if isinstance(v, int)]
            except (IndexError, ValueError):
                pass
    return [value for value in found if value >= 1 << 32]


class Loaders:
    """Peers that ask the pool for anything, and remember what they were answered."""

    def __init__(self, daemon, chance):
        self.daemon, self.chance, self.clients = daemon, chance, {}
        self.known = [[] for _ in range(4)]

    def client(self):
        i = self.chance.randrange(4)
        if i in self.clients and self.chance.randrange(40) == 0:
            self.clients.pop(i).close()
        if i not in self.clients:
            self.clients[i] = self.daemon.client(timeout=LONG)
        return self.clients[i], i if self.chance.randrange(8) else self.chance.randrange(4)

    def step(self):
        (c, i), method = self.client(), self.chance.choice((REGISTER_MODEL, ACQUIRE, ACQUIRE, *POOL_METHODS))
        body = plausible_body(self.chance, method, self.known[i]) if self.chance.randrange(3) else pool_body(self.chance, self.known[i])
        try:
            request = c.submit(method, body, deadline_ms=30 if method in (WATCH, ACQUIRE) else 0)
        except (BrokenPipeError, ConnectionResetError):                     # closed since its last answer, for the same reason
            self.clients = {i: other for i, other in self.clients.items() if other is not c}
            c.close()
            return
        if self.chance.randrange(8) == 0:
            c.cancel(request)
        got = c.answer(request)
        while method == WATCH and got.kind == ANSWER:
            got = c.answer(request)
        if method in (REGISTER_MODEL, ACQUIRE):
            self.known[i] = (self.known[i] + numbers_of(got))[-20:]

    def close(self):
        for c in self.clients.values():
            c.close()


def is_healthy(daemon):
    try:
        return daemon.http("/healthz") == "ok\n"
    except urllib.error.HTTPError as refused:
        refused.close()
        return False


class Garbage(unittest.TestCase):
    def test_pool_calls(self):
        print(f"SEED={SEED}")
        with Daemon(pool__streams_max=12, pool__mode="shared", pool__devices=2, pool__uid_streams_max=20, pool__conn_streams_max=10) as daemon:
            loaders = Loaders(daemon, random.Random(SEED))
            for turn in range(TURNS):
                try:
                    loaders.step()
                except Closed:                                              # too many senseless frames
                    loaders.clients = {i: c for i, c in loaders.clients.items() if not c.is_ended}
            loaders.close()
            self.assertTrue(wait_for(daemon.is_quiet), (SEED, daemon.metrics()))
            seen = daemon.metrics()
            left = {name: seen[f"pool_{name}"] for name in ("leases", "models", "events", "notifies", "waiting", "watchers")}
            self.assertEqual(set(left.values()), {0}, (SEED, left))
            self.assertGreater(seen["pool_acquired_new_total"], 0, SEED)

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
                self.assertEqual(daemon.process.wait(LONG), 0)      # a damaged frame asked for it
                daemon = self.start()

    def start(self):
        daemon = Daemon(log__level="debug", socket__hello_timeout="20 s", socket__frame_timeout="20 s")
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
