#!/usr/bin/env python3
"""What the daemon manages with 1, 8 and 64 clients: answers a second and their times, from the cache and planned.

Clients are threads of one Python process on the same machine, so that they take a good part of it: the figures are lower bounds.
"""
import json
import pathlib
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/tools"), str(ROOT / "tests/lib"), str(ROOT / "tests/long")]
from big import LOGS, as_bytes
from streamd_wire import ANSWER, PLAN, Daemon
from tap import Tap

SECONDS = 5


def variants(case, count):
    """The request of a case with `count` different durations: as many different plans."""
    request = json.loads((ROOT / "tests/data/cases" / case).read_text())["request"]
    request["options"] = {"max_parallel_num": {"AIcoreEngine": 4}, "cluster": "none"}
    for k in range(count):
        request["graph"]["nodes"][0]["duration_ns"] = k + 1
        path = LOGS / f"load-{k}-{case}"
        path.write_text(json.dumps(request))
        yield as_bytes(path).read_bytes()


class Client(threading.Thread):
    def __init__(self, path, number, bodies, until):
        super().__init__()
        self.path, self.number, self.bodies, self.until, self.took, self.wrong = path, number, bodies, until, [], []

    def run(self):
        from streamd_wire import Client as Connection
        try:
            with Connection(self.path) as c:
                k = self.number
                while time.monotonic() < self.until:
                    k += 1
                    began = time.monotonic()
                    answer = c.call(PLAN, self.bodies[k % len(self.bodies)])
                    self.took.append(time.monotonic() - began)
                    if answer.kind != ANSWER:
                        self.wrong.append(f"client {self.number}: {answer.code()}")
        except Exception as x:
            self.wrong.append(f"client {self.number}: {type(x).__name__} {x}")


def measure(tap, what, count, bodies, **settings):
    with Daemon(**settings) as daemon:
        until = time.monotonic() + SECONDS
        clients = [Client(daemon.path, n, bodies, until) for n in range(count)]
        for c in clients:
            c.start()
        for c in clients:
            c.join()
        took = sorted(t * 1e3 for c in clients for t in c.took)
        at = lambda q: took[min(len(took) - 1, int(len(took) * q))]
        print(f"# {what:12} {count:3} clients: {len(took) / SECONDS:6.0f}/s, median {at(.5):7.2f} ms, p99 {at(.99):7.2f} ms, longest {at(1):7.1f} ms, "
              f"resident {daemon.memory() >> 20} MiB")
        fewest = min(len(c.took) for c in clients)
        tap.case(f"{what}, {count} clients: all are served, none starves",
                 [w for c in clients for w in c.wrong] + ([] if fewest * count * 10 > len(took) else [f"one client got {fewest} answers of {len(took)}"]))


def main():
    tap, bodies = Tap(), list(variants("R03-onnx-squeezenet.json", 16))
    for count in (1, 8, 64):
        measure(tap, "from cache", count, bodies)
        measure(tap, "planned", count, bodies, cache__bytes_max=0, jobs__queue_jobs_max=1000)
    tap.end()


if __name__ == "__main__":
    main()
