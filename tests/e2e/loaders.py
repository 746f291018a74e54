#!/usr/bin/env python3
"""32 processes load, run and unload models on one daemon, and are killed at any moment: nobody is given too much, the same stream twice, or
an earlier turn than who came before; and in the end everything is there again."""
import json
import os
import pathlib
import subprocess
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from pool_client import *

LOADERS, BUDGET = 32, 1984
SEED = int(os.environ.get("SEED", 0)) or int.from_bytes(os.urandom(3), "little") + 1
ROUNDS = int(os.environ.get("ROUNDS", 0)) or (20000 if os.environ.get("TIER") == "long" and PATIENCE == 1 else 500)
PROGRAM = pathlib.Path(os.environ.get("BUILD", ROOT / "build"), "tests/e2e/loaders")
GAUGES = ("pool_slots", "pool_slots_idle", "pool_slots_exclusive", "pool_slots_shared", "pool_leases", "pool_models", "pool_events", "pool_notifies",
          "pool_waiting", "requests_open", "request_bytes_held")


class Observer(threading.Thread):
    """Looks at the daemon's figures again and again."""

    def __init__(self, daemon, leases_max):
        super().__init__()
        self.daemon_process, self.leases_max, self.is_over, self.samples, self.most, self.wrong = daemon, leases_max, False, 0, {}, []

    def look(self, client):
        stats, metrics = client.stats(), self.daemon_process.metrics()
        self.samples += 1
        for name, value, most in (("slots", stats["live"], BUDGET), ("leases", stats["live_leases"], self.leases_max), ("waiting", stats["waiting"], LOADERS),
                                  ("slots by metrics", metrics["pool_slots"], BUDGET), ("leases by metrics", metrics["pool_leases"], self.leases_max)):
            self.most[name] = max(self.most.get(name, 0), value)
            if value > most:
                self.wrong.append(f"{value} {name}, at most {most}")

    def run(self):
        try:
            with PoolClient(self.daemon_process.path) as client:
                while not self.is_over:
                    self.look(client)
                    time.sleep(0.002)
        except Exception as x:
            self.wrong.append(f"{type(x).__name__}: {x}")


class Loaders(unittest.TestCase):
    def load(self, daemon, mode, rounds, leases_max):
        observer = Observer(daemon, leases_max)
        observer.start()
        try:
            done = None
            while not done or done.returncode == 0 and observer.samples <= 3 and not observer.wrong:      # too quick to be looked at
                done = subprocess.run([PROGRAM, daemon.path, str(SEED), str(LOADERS), str(rounds), str(BUDGET), mode], capture_output=True, text=True)
        finally:
            observer.is_over = True
            observer.join()
        print(f"{mode}, {rounds} rounds: {done.stdout}{done.stderr} seen {observer.samples} times, most: {observer.most}", flush=True)
        self.assertEqual((done.returncode, observer.wrong), (0, []), f"SEED={SEED}: {done.stdout}{done.stderr}")
        self.assertGreater(observer.samples, 3)
        return json.loads(done.stdout), observer

    def nothing_is_lost(self, daemon):
        """All of the budget can be had by one, and then nothing is held."""
        with PoolClient(daemon.path) as last:
            self.assertTrue(wait_for(lambda: last.stats()["models"] == 0), last.stats())
            got = last.acquire(last.register("all"), want(BUDGET))
            self.assertEqual(len(set(got.slots)), BUDGET)
        self.assertTrue(wait_for(lambda: not any(daemon.metrics()[gauge] for gauge in GAUGES) and daemon.metrics()["connections"] == 0), daemon.metrics())
        with PoolClient(daemon.path) as last:
            stats = last.stats()
        self.assertEqual((stats["created"], stats["expired"]), (stats["destroyed"], 0))

    def test_a_stream_is_for_one_at_a_time(self):
        with Daemon(pool__streams_max=BUDGET, pool__mode="exclusive") as daemon:
            seen, _ = self.load(daemon, "exclusive", ROUNDS, BUDGET)
            self.assertGreater(daemon.metric("pool_wait_seconds_count"), 0)
            self.nothing_is_lost(daemon)
        self.assertGreater(seen["most_held"], BUDGET * 3 // 4, "nobody had to wait")
        for what in () if ROUNDS < 500 else ("reused", "refused", "broken", "hung_up", "killed", "pairs"):
            self.assertGreater(seen[what], 0, what)

    def test_models_of_a_process_share_streams(self):
        with Daemon(pool__streams_max=BUDGET, pool__mode="shared") as daemon:
            self.load(daemon, "shared", ROUNDS // 2, BUDGET * 256)
            self.nothing_is_lost(daemon)


if __name__ == "__main__":
    print(f"SEED={SEED} ROUNDS={ROUNDS}", flush=True)
    e2e.main()
