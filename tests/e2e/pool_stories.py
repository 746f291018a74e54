#!/usr/bin/env python3
"""Stories of loaders that share a device, as they were met in the field, played against a real daemon.

Each file of tests/data/pool is a sequence of calls and what must hold. A loader here makes its
streams itself: where the story lets a creation fail, it gives that lease back as broken.
"""
import json
import pathlib
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from pool_client import *

STORIES = ROOT / "tests/data/pool"
SETTINGS = {"capacity": "pool__streams_max", "reserve": "pool__streams_reserved", "events": "pool__events_max", "notifies": "pool__notifies_max"}
RESOURCES = {"event": 2, "notify": 3}
CLASSES = {"STALE_HANDLE": ("SD5106", "FAILED_PRECONDITION")}
JUDGED = {"checks", "distinct", "subset", "stats", "alive", "errors", "results", "no_null", "more_urgent"}


class CannotCreate(Exception):
    """The loader's device made no stream."""


class Loader:
    """One client of a story, with its models."""

    def __init__(self, player):
        self.player, self.wire, self.models, self.held = player, PoolClient(player.daemon.path), {}, {}

    def model(self, name):
        if name not in self.models:
            self.models[name] = self.wire.register(name, domain="story")
            self.held[name] = set()
        return self.models[name]

    def acquire(self, call):
        got = self.wire.acquire(self.model(call["model"]), want(call["count"], call["priority"], call["flags"], call["task_num"]))
        mine = self.held[call["model"]]
        self.player.check(not mine & set(got.slots) and len(set(got.slots)) == len(got.slots), f"{call['model']} holds a stream twice")
        for lease in got.leases:
            if lease.create and self.player.creation_fails():
                self.wire.release(*got.ids, broken=1)
                raise CannotCreate("the device makes no stream")
        mine.update(got.slots)
        return got.leases

    def unload(self, name):
        self.wire.unload(self.models.pop(name))
        self.held.pop(name)


class Player:
    def __init__(self, test, story):
        self.test, self.story = test, story
        self.loaders, self.saved, self.results, self.errors, self.described = {}, {}, [], {}, {}
        self.created, self.lock = 0, threading.Lock()
        pool = story["input"]["pool"]
        settings = {SETTINGS[key]: value for key, value in pool.items() if key in SETTINGS}
        self.fails_at = pool.get("fault", {}).get("create_fails_at", [])
        self.daemon = Daemon(http=False, pool__mode="shared", **settings)

    def check(self, holds, what):
        self.test.assertTrue(holds, f"{self.story['id']}: {what}")

    def creation_fails(self):
        with self.lock:
            self.created += 1
            return self.created in self.fails_at

    def loader(self, name):
        with self.lock:
            if name not in self.loaders:
                self.loaders[name] = Loader(self)
            return self.loaders[name]

    # ---- calls ----

    def do_acquire(self, call):
        leases = self.loader(call["client"]).acquire(call)
        if call.get("save"):
            self.saved[call["save"]] = leases

    def lease_of(self, stream):
        return stream["raw"] if isinstance(stream, dict) else self.saved[stream][0].lease

    def do_release(self, call):
        self.loader(call["client"]).wire.release(self.lease_of(call["stream"]))

    def do_disconnect(self, call):
        before = self.loader("observer").wire.stats()["models"]
        gone = self.loaders.pop(call["client"])
        gone.wire.close()
        self.check(wait_for(lambda: self.loader("observer").wire.stats()["models"] == before - len(gone.models)), "a dead client keeps its models")

    def do_unload_model(self, call):
        self.loader(call["client"]).unload(call["model"])

    def do_check_alive(self, call):
        self.loader(call["client"]).wire.describe(self.saved[call["stream"]][0].lease)

    def do_use(self, call):
        self.loader(call["client"]).wire.describe(self.lease_of(call["stream"]))

    def do_describe(self, call):
        self.described[call["stream"]] = self.loader("observer").wire.describe(self.lease_of(call["stream"]))

    def do_budget(self, call):
        self.results.append(number(self.loader("observer").wire.budget(call["streams_per_graph"]), 1))

    def do_reserve(self, call):
        self.loader("reserver").wire.reserve(RESOURCES[call["what"]], call["count"])

    def do_stats(self, call):
        self.stats = self.loader("observer").wire.stats()

    # ---- play ----

    def play_all(self, calls, i=""):
        for call in calls:
            self.play(None, json.loads(json.dumps(call).replace("$i", str(i))))

    def play_beside(self, call):
        troubles = []

        def rounds(i):
            try:
                for _ in range(call["rounds"] // PATIENCE):
                    self.play_all(call["body"], i)
            except Exception as x:
                troubles.append(x)

        threads = [threading.Thread(target=rounds, args=(i,)) for i in range(call["parallel"])]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.check(not troubles, f"in parallel: {troubles[:3]}")

    def play(self, index, call):
        if "loop" in call:
            for i in range(call["loop"]):
                self.play_all(call["body"], i)
            return
        if "parallel" in call:
            self.play_beside(call)
            return
        try:
            getattr(self, f"do_{call['call']}")(call)
            self.check(call.get("expect") != "error", f"call {index} is granted")
        except (Refused, CannotCreate) as x:
            self.check("error" in call.get("expect", ""), f"call {index} is refused: {x}")
            self.errors[index] = x

    # ---- what must hold ----

    def slots(self, name):
        return [lease.slot for lease in self.saved[name]]

    def judge_errors(self, expected):
        for wanted in expected:
            got = self.errors[wanted["index"]]
            code, status = CLASSES.get(wanted["class"], (got.code, wanted["class"]))
            self.check((got.code, got.status) == (code, status), f"call {wanted['index']} ends with {got}")
            for word in wanted.get("message_contains", []):
                self.check(word in got.message, f"{got.message!r} does not tell {word}")

    def judge_stats(self, expected):
        for key, value in expected.items():
            holds = self.stats[key[:-4]] <= value if key.endswith("_max") else self.stats[key] == value
            self.check(holds, f"{key} is to be {value}: {self.stats}")

    def judge(self, expected):
        self.check(set(expected) <= JUDGED, f"nobody judges {set(expected) - JUDGED}")
        for names in expected.get("distinct", []):
            together = sum((self.slots(name) for name in names), [])
            self.check(len(set(together)) == len(together), f"{names} are not distinct")
        for inner, outer in expected.get("subset", []):
            self.check(set(self.slots(inner)) <= set(self.slots(outer)), f"{inner} is not within {outer}")
        for name in expected.get("alive", []):
            self.loader("observer").wire.describe(self.saved[name][0].lease)
        for high, low in expected.get("more_urgent", []):
            limits = self.described[high][1]
            self.check(number(self.described[high][0], 3) < number(self.described[low][0], 3), f"{high} is not more urgent than {low}")
            self.check((number(limits, 9), number(limits, 10)) == (0, 7), "the range of priorities is told wrongly")
        if expected.get("no_null"):
            self.check(all(lease.lease and lease.slot for leases in self.saved.values() for lease in leases), "a null handle")
        self.check(self.results == expected.get("results", []), f"results {self.results}")
        self.judge_errors(expected.get("errors", []))
        self.judge_stats(expected.get("stats", {}))

    def run(self):
        with self.daemon:
            for index, call in enumerate(self.story["input"]["calls"]):
                self.play(index, call)
            self.judge(self.story["expect"])
            for loader in self.loaders.values():
                loader.wire.close()


class Stories(unittest.TestCase):
    pass


def add(path):
    story = json.loads(path.read_text())
    setattr(Stories, "test_" + path.stem.replace("-", "_"), lambda self: Player(self, story).run())


for path in sorted(STORIES.glob("*.json")):
    add(path)

if __name__ == "__main__":
    e2e.main()
