#!/usr/bin/env python3
"""Mixed load: many clients, two workers, good and bad requests, cancels and pings; each good answer is the right one."""
import json
import pathlib
import random
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from streamd_wire import *

CLIENTS = 64
TURNS = 200 if os.environ.get("TIER") == "long" else 25 // PATIENCE


def requests_of_cases(folder):
    """PlanRequests of the bundled cases that state one, as files."""
    made = []
    for case in sorted((ROOT / "tests/data/cases").glob("*.json")):
        source, target = pathlib.Path(folder, case.name), pathlib.Path(folder, case.stem + ".pb")
        request = json.loads(case.read_text()).get("request")
        if request is None:                                                # it is about reading a file
            continue
        source.write_text(json.dumps(request))
        if subprocess.run([STREAMCTL, "convert", str(source), "-o", str(target)], capture_output=True).returncode == 0:
            made.append(target)
    return made


def planned(path, *where):
    done = subprocess.run([STREAMCTL, "plan", str(path), "--format", "json", *where], capture_output=True, text=True, timeout=LONG)
    return done.returncode, done.stdout


class Worker(threading.Thread):
    def __init__(self, path, bodies, expected, seed):
        super().__init__()
        self.path, self.bodies, self.expected, self.chance, self.wrong = path, bodies, expected, random.Random(seed), []

    def one_turn(self, c):
        which = self.chance.randrange(len(self.bodies))
        kind = self.chance.randrange(10)
        if kind == 0:
            got = c.call(PLAN, cycle())
            return None if got.code() == "E18888" else f"cycle: {got.code()}"
        if kind == 1:
            i = c.submit(PLAN, self.bodies[which])
            c.cancel(i)
            got = c.answer(i)
            return None if got.code() in (self.expected[which][0], "SD4008") else f"cancelled: {got.code()}"
        if kind == 2:
            return None if c.call(PING_METHOD, field(1, b"x")).message() == {1: [b"x"]} else "ping"
        if kind == 3:
            return None if c.call(500, b"x" * which).code() == "SD4001" else "unknown method"
        ids = [(w, c.submit(PLAN, self.bodies[w])) for w in (which, (which * 7 + 1) % len(self.bodies))]
        for w, i in ids:
            got = c.answer(i)
            if got.code() not in (self.expected[w][0], "SD2013") or got.code() is None and got.plan() != self.expected[w][1]:
                return f"request {w}: {got.code()} instead of {self.expected[w][0]}"
        return None

    def run(self):
        try:
            with Client(self.path) as c:
                for _ in range(TURNS):
                    wrong = self.one_turn(c)
                    if wrong:
                        self.wrong.append(wrong)
        except Exception as x:
            self.wrong.append(f"{type(x).__name__}: {x}")


class Load(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="streamd-test-")
        self.addCleanup(folder.cleanup)
        self.files = requests_of_cases(folder.name)
        self.assertGreater(len(self.files), 10)
        self.bodies = [f.read_bytes() for f in self.files]

    def test_daemon_and_local_plan_the_same(self):
        with Daemon() as daemon:
            for path in self.files:
                local = planned(path, "--local")
                for _ in range(2):      # planned, and from the cache
                    self.assertEqual(planned(path, "--socket", daemon.path), local, path.name)

    def test_many_clients_on_two_workers(self):
        with Daemon(http=False, jobs__workers=1, cache__bytes_max=0) as alone, alone.client() as c:
            answers = [c.call(PLAN, body) for body in self.bodies]
            expected = [(a.code(), a.plan() if a.kind == ANSWER else None) for a in answers]
        self.assertGreater(sum(code is None for code, _ in expected), len(expected) // 2)
        with Daemon(jobs__workers=2, cache__bytes_max="192 KiB", jobs__queue_jobs_max=1000) as daemon:
            workers = [Worker(daemon.path, self.bodies, expected, seed) for seed in range(CLIENTS)]
            for w in workers:
                w.start()
            for w in workers:
                w.join()
            self.assertEqual([x for w in workers for x in w.wrong], [])
            self.assertTrue(wait_for(daemon.is_quiet), daemon.metrics())
            seen = daemon.metrics()
            self.assertEqual(seen['requests_total{method="Plan",status="INTERNAL"}'], 0)
            print(f"{CLIENTS} clients: {int(seen['plans_total'])} plans, {int(seen['cache_hits_total'])} hits, {int(seen['joins_total'])} joins, "
                  f"{int(seen['cache_evictions_total'])} evictions")


if __name__ == "__main__":
    e2e.main()
