#!/usr/bin/env python3
"""64 clients at once: every answer is the right one, and what the daemon manages in that time.

usage: load.py [--clients N] [--seconds S]
Half of the requests repeat what was asked before, half are new (one duration differs), so that the cache and the planner both work. An answer's
plan must be the bytes that the same request got when nothing else ran.
"""
import argparse
import json
import threading
import time

from big import LOGS, ROOT
from framed import ANSWER, PLAN, Connection, Daemon, fields, request_bytes
from tap import Tap


def variants(path, count):
    """The request of a case with `count` different durations, as bytes."""
    request = json.loads(path.read_text())["request"]
    for k in range(count):
        request["graph"]["nodes"][0]["duration_ns"] = k + 1
        out = LOGS / "load.json"
        out.write_text(json.dumps(request))
        yield request_bytes(out, "--option", "cluster=none", "--option", 'max_parallel_num={"AIcoreEngine": 4}')


def plan_of(body):
    return dict(fields(body)).get(1, b"")


class Client(threading.Thread):
    def __init__(self, path, number, requests, expected, until):
        super().__init__()
        self.path, self.number, self.requests, self.expected, self.until = path, number, requests, expected, until
        self.took, self.wrong = [], []

    def run(self):
        try:
            connection = Connection(self.path)
            k = self.number
            while time.monotonic() < self.until:
                k = (k * 31 + 7) % len(self.requests)
                began = time.monotonic()
                kind, body = connection.call(PLAN, self.requests[k])
                self.took.append(time.monotonic() - began)
                if kind != ANSWER or plan_of(body) != self.expected[k]:
                    self.wrong.append(f"client {self.number}: request {k} is answered with kind {kind}, {len(body)} bytes")
            connection.close()
        except Exception as x:
            self.wrong.append(f"client {self.number}: {type(x).__name__} {x}")


def main():
    a = argparse.ArgumentParser(usage=__doc__)
    a.add_argument("--clients", type=int, default=64)
    a.add_argument("--seconds", type=float, default=20)
    a = a.parse_args()
    tap, cases = Tap(), sorted((ROOT / "tests/data/cases").glob("R0[35]*.json"))
    requests = [b for case in cases for b in variants(case, 24)]
    with Daemon("cache.bytes_max=256 KiB") as daemon:           # too small for all of them
        alone = Connection(daemon.socket)
        expected = [plan_of(alone.call(PLAN, b)[1]) for b in requests]
        tap.case(f"{len(requests)} requests are planned one after the other", [f"request {k} has no plan" for k, e in enumerate(expected) if not e])
        until = time.monotonic() + a.seconds
        clients = [Client(daemon.socket, n, requests, expected, until) for n in range(a.clients)]
        for c in clients:
            c.start()
        for c in clients:
            c.join()
        took = sorted(t for c in clients for t in c.took)
        at = lambda q: took[min(len(took) - 1, int(len(took) * q))] * 1e3
        print(f"# {a.clients} clients, {len(took)} answers in {a.seconds:g} s: {len(took) / a.seconds:.0f}/s, median {at(.5):.2f} ms, p99 {at(.99):.2f} ms, "
              f"longest {at(1):.1f} ms; resident {daemon.resident() / 2 ** 20:.0f} MiB")
        tap.case(f"every answer to {a.clients} clients is right", [w for c in clients for w in c.wrong] + ([] if took else ["no answer"]))
        tap.case("no client starves", [f"client {c.number} got {len(c.took)} answers" for c in clients if len(c.took) * a.clients * 10 < len(took)])
        tap.case("the daemon ends well", [f"status {s}: {daemon.said()}" for s in [daemon.stop()] if s])
    tap.end()


if __name__ == "__main__":
    main()
