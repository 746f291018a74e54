#!/usr/bin/python3
"""Sessions of HTTP/2 with damaged, senseless and random frames: the daemon goes on, answers others, and keeps nothing.

usage: grpc_garbage.py   (SEED and TURNS in the environment repeat or lengthen a run)
"""
import gzip
import os
import pathlib
import random
import select
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from h2_wire import *
from streamd_wire import *

SEED = int(os.environ.get("SEED", random.SystemRandom().randrange(1 << 30)))
TURNS = int(os.environ.get("TURNS", 20000 if os.environ.get("TIER") == "long" else 800))
METHODS = ["Planner/" + m for m in ("Plan", "PlanBatch", "Explain", "Verify", "Simulate", "Report", "Status", "Limits", "CacheStats", "CacheFlush", "Ping", "Jobs", "CancelJob")]
METHODS += ["Pool/" + m for m in ("RegisterModel", "Acquire", "Release", "Heartbeat", "Describe", "Unload", "Budget", "Reserve", "PoolStats", "List", "Watch")]
PATHS = ["/streamd.v1." + m for m in METHODS] + ["/grpc.health.v1.Health/Check", "/grpc.health.v1.Health/Watch",
         "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", "/no.Such/Thing", "", "*"]
EXTRAS = [("grpc-timeout", "1m"), ("grpc-timeout", "50m"), ("grpc-timeout", "x"), ("grpc-encoding", "gzip"), ("grpc-encoding", "br"),
          ("te", ""), (":method", "PUT"), ("content-type", "text/plain"), ("x-long", "y" * 3000), ("content-length", "7"), ("UPPER", "case"),
          ("connection", "close"), ("a\0b", "c\nd"), (":unknown", "1"), ("trace-bin", "////")]


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


def noise(chance, most):
    return bytes(chance.randrange(256) for _ in range(chance.randrange(most)))


def bodies(chance):
    good = chance.choice((chain(chance.randrange(1, 30)), cycle(), field(1, noise(chance, 200)), field(7, ""), b""))
    if chance.randrange(4) == 0:
        good = damage(chance, good or b"\0")
    whole = message(good) if chance.randrange(4) else message(gzip.compress(good), 1)
    return chance.choice((whole, whole, whole, whole * 2, whole[:-1], noise(chance, 30), struct.pack(">BI", 0, chance.randrange(1 << 32))))


def calls(chance, client):
    """Frames of some calls, as a client might send them that knows its trade but not when to stop."""
    out, stream = [], -1
    for _ in range(chance.randrange(1, 6)):
        stream += 2
        extra = chance.sample(EXTRAS, chance.choice((0, 0, 1, 2)))
        block = client.headers(chance.choice(PATHS), extra, chance.choice(((), (), (), ("te",), (":path",), (":method",))))
        cut = chance.randrange(len(block)) if chance.randrange(5) == 0 else len(block)
        out.append(h2_frame(HEADERS, END_HEADERS if cut == len(block) else 0, stream, block[:cut]))
        if cut < len(block):
            out.append(h2_frame(CONTINUATION, END_HEADERS, stream, block[cut:]))
        body = bodies(chance)
        while body:
            n = chance.choice((1, 5, len(body)))
            out.append(h2_frame(DATA, END_STREAM if n >= len(body) and chance.randrange(6) else 0, stream, body[:n]))
            body = body[n:]
        if chance.randrange(4) == 0:
            out.append(chance.choice((h2_frame(RST_STREAM, 0, stream, struct.pack(">I", chance.randrange(15))), h2_frame(H2_PING, 0, 0, noise(chance, 8)),
                                      h2_frame(WINDOW_UPDATE, 0, chance.choice((0, stream)), struct.pack(">I", chance.choice((0, 1, (1 << 31) - 1)))),
                                      h2_frame(SETTINGS, 0, 0, struct.pack(">HI", chance.randrange(8), chance.randrange(1 << 32))),
                                      h2_frame(GOAWAY, 0, 0, bytes(8)), h2_frame(PRIORITY, 0, stream, bytes(5)),
                                      h2_frame(HEADERS, END_HEADERS | END_STREAM, stream, client.headers()),
                                      h2_frame(chance.randrange(256), chance.randrange(256), chance.choice((0, stream, 99)), noise(chance, 20)))))
    return b"".join(out)


def session(path, chance):
    with H2Client(path, greet=False) as client:
        data = PREFACE + h2_frame(SETTINGS) + calls(chance, client)
        kind = chance.randrange(10)
        data = damage(chance, data) if kind < 4 else PREFACE + noise(chance, 300) if kind == 4 else noise(chance, 300) if kind == 5 else data
        at = 0
        try:
            while at < len(data):
                step = chance.choice((1, 9, 100, len(data)))
                client.send(data[at:at + step])
                at += step
                if select.select([client.socket], [], [], 0)[0] and not client.socket.recv(1 << 16):
                    break
            if chance.randrange(3) == 0:
                client.socket.shutdown(socket.SHUT_WR)
                while client.socket.recv(1 << 16):
                    pass
        except OSError:
            pass


class Garbage(unittest.TestCase):
    def test_sessions(self):
        print(f"SEED={SEED}")
        chance = random.Random(SEED)
        with Daemon(log__level="debug", socket__hello_timeout="20 s", socket__frame_timeout="20 s", pool__devices=2) as daemon:
            path = f"{daemon.folder.name}/grpc.sock"
            for _ in range(max(1, TURNS // 50)):
                for _ in range(50):
                    session(path, chance)
                with H2Client(path) as witness:
                    self.assertEqual(witness.call(PLAN_PATH, chain(5)).status, 0, f"SEED={SEED}")
                self.assertTrue(wait_for(daemon.is_quiet), (SEED, daemon.metrics()))
            seen = daemon.metrics()
            left = {name: seen[f"pool_{name}"] for name in ("leases", "models", "events", "notifies", "waiting", "watchers")}
            self.assertEqual(set(left.values()), {0}, (SEED, left))
            statuses = {status for status in ("OK", "CANCELLED", "INVALID_ARGUMENT", "UNIMPLEMENTED", "RESOURCE_EXHAUSTED")
                        if any(seen[name] for name in seen if name.startswith("grpc_requests_total") and f'"{status}"' in name)}
            self.assertEqual(len(statuses), 5, statuses)                      # the damage goes deep enough to reach the handlers


if __name__ == "__main__":
    e2e.main()
