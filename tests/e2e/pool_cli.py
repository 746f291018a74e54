#!/usr/bin/env python3
"""streamctl pool: leases that are held from a shell, and what operators take away from others."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from pool_client import *
from waits import HeldUp

SECONDS = LONG
TTL_MS = 900


class Case(unittest.TestCase):
    settings = {"pool__streams_max": 8, "pool__mode": "exclusive"}

    def setUp(self):
        self.daemon = Daemon(**self.settings)
        self.addCleanup(self.daemon.__exit__, None)
        self.observer = self.client()

    def client(self):
        client = PoolClient(self.daemon.path)
        self.addCleanup(client.close)
        return client

    def run_pool(self, *words, socket=None, stdin=""):
        return subprocess.run([STREAMCTL, "pool", *words, "--socket", socket or self.daemon.path], input=stdin, capture_output=True, text=True,
                              timeout=SECONDS)

    def hold(self, *words):
        """A streamctl pool acquire that goes on until its input ends."""
        process = subprocess.Popen([STREAMCTL, "pool", "acquire", *words, "--socket", self.daemon.path], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        if process.returncode is None:
            process.kill()
            process.communicate()

    def figures(self, **expected):
        ok = wait_for(lambda: all(self.observer.stats()[key] == value for key, value in expected.items()))
        self.assertTrue(ok, self.observer.stats())

    def refused(self, code, do, *arguments, **more):
        with self.assertRaises(Refused) as caught:
            do(*arguments, **more)
        self.assertEqual(caught.exception.code, code, caught.exception)
        return caught.exception


class Holding(Case):
    def test_leases_last_until_the_input_ends(self):
        process = self.hold("model=srv", "priority=3", "flags=PERSISTENT|FORCE_COPY", "count=2", "events=5", "task_count=7")
        head = process.stdout.readline()
        self.assertRegex(head, r"^model \d+ on device 0: 2 streams \(2 to create\), 5 events, 0 notifies, waited 0 ms$")
        for _ in range(2):
            self.assertRegex(process.stdout.readline(),
                             r"^lease \d+: create slot \d+, priority 3, flags PERSISTENT\|FORCE_COPY, 7 tasks, shared with 0$")
        self.figures(live_leases=2, events=5, models=1)
        out, err = process.communicate("what is said here matters not\n", timeout=SECONDS)
        self.assertEqual((out, err, process.returncode), ("2 leases given back\n", "", 0))
        self.figures(live_leases=0, events=0, models=0)

    def test_json_is_one_object_and_a_signal_ends_it(self):
        for number_of in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            process = self.hold("model=srv", "count=2", "--format", "json")
            grant = json.loads(process.stdout.readline())
            self.assertEqual([lease["create"] for lease in grant["leases"]], [True, True])
            self.assertEqual((grant["new_streams"], grant["events"], grant["leases"][0]["flag_names"]), (2, 0, []))
            self.assertEqual({lease[:2] for lease in self.observer.leases()}, {(l["lease"], l["slot"]) for l in grant["leases"]})
            process.send_signal(number_of)
            out, err = process.communicate(timeout=SECONDS)
            self.assertEqual((out, err, process.returncode), ("", "", 0))
            self.figures(live_leases=0, models=0)

    def kept(self):
        """A holder that lived for longer than its model's time; one that the machine held up for a third of it says nothing."""
        while True:
            process = self.hold("model=srv", f"ttl_ms={TTL_MS}")
            held_up = HeldUp(process.pid, TTL_MS / 3000)
            process.stdout.readline()
            time.sleep(TTL_MS * 2.5 / 1000)
            if self.observer.stats()["live_leases"] == 1:
                return process
            self.assertTrue(held_up, "its model expired")
            process.communicate(timeout=SECONDS)
            self.figures(models=0)

    def test_heartbeats_keep_what_is_held(self):
        process = self.kept()
        expired = self.observer.stats()["expired"]
        process.send_signal(signal.SIGSTOP)
        self.figures(live_leases=0, expired=expired + 1)
        process.send_signal(signal.SIGCONT)
        process.wait(SECONDS)
        self.assertIn("the model is no more", process.stderr.read())
        self.assertEqual(process.returncode, 1)

    def test_a_killed_one_gives_all_back(self):
        process = self.hold("model=srv", "count=3")
        process.stdout.readline()
        process.kill()
        process.wait()
        self.figures(live_leases=0, models=0)

    def test_a_refusal_tells_who_holds_what(self):
        process = self.hold("model=greedy", "count=6")
        process.stdout.readline()
        done = self.run_pool("acquire", "model=late", "count=3")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, rf"^streamctl: SD5110: .*2 available, limit 8, held by 'greedy' \(uid {os.getuid()}, pid {process.pid}\): 6")
        done = self.run_pool("acquire", "model=late", "count=3", "--format", "json")
        self.assertEqual(json.loads(done.stdout)["error"]["code"], "SD5110")

    def test_who_waits_gets_what_the_other_gives_back(self):
        first = self.hold("model=first", "count=8", "domain=d")
        first.stdout.readline()
        second = self.hold("model=second", "count=8", "domain=d", "wait_ms=600000", f"ttl_ms={TTL_MS}")
        self.figures(waiting=1)
        time.sleep(TTL_MS * 1.5 / 1000)                 # longer than its time: the wait keeps its model
        listed = self.run_pool("list").stdout
        self.assertRegex(listed, r"waiting: 1\n  1\. model \d+ 'second': 8 streams, \d+ ms left\n")
        first.communicate(timeout=SECONDS)
        self.assertRegex(second.stdout.readline(), r"8 streams \(8 to create\).*waited [1-9]\d* ms")
        self.assertEqual(second.communicate(timeout=SECONDS)[0].splitlines()[-1], "8 leases given back")

    def test_wrong_use_is_told_with_a_hint(self):
        for words, hint in ((["acquire"], "needs model=NAME"), (["acquire", "modl=x"], "did you mean model?"), (["acquire", "model"], "takes KEY=VALUE"),
                            (["acquire", "model=x", "count=many"], "count takes a number"), (["acquire", "model=x", "flags=PERSISTNT"], "PERSISTENT|HUGE"),
                            (["acquire", "model=x", "count=-1"], "count takes a number"), (["acquire", "model=x", "count=4294967296"], "4294967295"),
                            (["release"], "lease=ID[,ID] or model=ID"), (["release", "lease=1", "model=2"], "lease=ID[,ID] or model=ID"),
                            (["release", "lease=1,x"], "numbers of leases"), (["release", "lease=1", "force=maybe"], "true or false"),
                            (["release", "model=srv"], "the number of a model"), (["list", "count=1"], "it takes device"),
                            (["give"], "acquire, release or list")):
            done = self.run_pool(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn(hint, done.stderr, words)
        self.assertEqual(self.observer.stats()["models"], 0)

    def test_nobody_there(self):
        for words in (["acquire", "model=x"], ["list"], ["release", "lease=1"]):
            done = self.run_pool(*words, socket="/nowhere/s.sock")
            self.assertEqual(done.returncode, 3)
            self.assertIn("SD4010", done.stderr)

    def test_a_daemon_that_dies_is_told(self):
        process = self.hold("model=srv", f"ttl_ms={TTL_MS}")
        process.stdout.readline()
        self.daemon.process.kill()
        process.wait(SECONDS)
        err = process.stderr.read()
        self.assertEqual(process.returncode, 3)
        self.assertIn("SD4010", err)

    def test_the_example_plans_and_leases(self):
        request = pathlib.Path(self.daemon.folder.name, "r.json")
        request.write_text(json.dumps(json.loads((ROOT / "tests/data/cases/R03-onnx-squeezenet.json").read_text())["request"] |
                                      {"options": {"max_parallel_num": {"AIcoreEngine": 4}, "cluster": "none"}}))
        subprocess.run([STREAMCTL, "convert", request, "-o", request.with_suffix(".pb")], check=True)
        example = pathlib.Path(STREAMCTL).with_name("example_lease")
        done = subprocess.run([example, request.with_suffix(".pb")], capture_output=True, text=True, env={"STREAMD_SOCKET": self.daemon.path})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        half = len(lines) // 2
        self.assertRegex(lines[0], r"^first: [2-9] streams, ([2-9]) of them new, \d+ events$")
        self.assertTrue(all("create slot" in line for line in lines[1:half - 1]), lines)
        self.assertRegex(lines[half], r"^second: [2-9] streams, 0 of them new")
        self.assertTrue(all("reuse slot" in line for line in lines[half + 1:-1]), lines)
        self.figures(models=0, live_leases=0, events=0)


class Taking(Case):
    """What an operator takes away from others."""

    def test_list_tells_who_holds_what(self):
        model = self.observer.register("srv", "d")
        got = self.observer.acquire(model, want(2, priority=1, flags=3), events=4)
        done = self.run_pool("list")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, rf"holders: 1\n  model {model} 'srv', domain 'd', uid {os.getuid()}, pid {os.getpid()}: 2 leases, 4 events, 0 notifies")
        for lease in got.leases:
            self.assertIn(f"    lease {lease.lease} of slot {lease.slot}\n", done.stdout)
            self.assertIn(f"  slot {lease.slot}: domain 'd', priority 1, flags PERSISTENT|FORCE_COPY, 0 tasks, held by 1\n", done.stdout)
        listed = json.loads(self.run_pool("list", "--format", "json").stdout)
        self.assertEqual([lease["model"] for lease in listed["leases"]], [model, model])
        self.assertEqual(listed["slots"][0]["flag_names"], ["PERSISTENT", "FORCE_COPY"])
        done = self.run_pool("list", "device=3")
        self.assertEqual(done.returncode, 1)
        self.assertIn("SD5131", done.stderr)

    def test_without_force_nothing_is_taken(self):
        model = self.observer.register()
        lease = self.observer.acquire(model, want()).ids[0]
        for word in (f"lease={lease}", f"model={model}"):
            done = self.run_pool("release", word)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, "SD5130: .*operators who say force")
        self.figures(live_leases=1, models=1)

    def test_a_lease_is_taken_and_its_holder_is_told(self):
        holder = self.client()
        model = holder.register("srv", "d")
        got = holder.acquire(model, want(3))
        done = self.run_pool("release", f"lease={got.ids[0]},{got.ids[2]}", "force=true")
        self.assertEqual((done.returncode, done.stdout.split()[:2]), (0, ["released", "2"]))
        self.figures(live_leases=1)
        self.assertEqual(holder.taken(), ([got.ids[0], got.ids[2]], [got.slots[0], got.slots[2]]))
        self.assertEqual(holder.taken(), ([], []))
        self.refused("SD5106", holder.describe, got.ids[0])
        self.assertEqual(holder.release(got.ids[0]), (0, 1, []))
        # Its stream may still be running: nobody is given the slot again.
        again = holder.acquire(model, want(2))
        self.assertEqual([lease.create for lease in again.leases], [True, True])
        self.assertFalse(set(again.slots) & set(got.slots))
        # The number is that of one lease, whoever has its place now.
        done = self.run_pool("release", f"lease={got.ids[0]}", "force=true")
        self.assertEqual(done.stdout.split()[:4], ["released", "0", "already_released", "1"])
        self.figures(live_leases=3)
        self.assertEqual(self.daemon.metric("pool_forced_total"), 2)
        lines = [json.loads(line) for line in self.daemon.log().splitlines() if '"pool_forced"' in line]
        self.assertEqual([(line["level"], line["method"], line["lease"], line["model"], line["name"], line["holder_pid"], line["uid"]) for line in lines],
                         [("warn", "Release", got.ids[i], model, "srv", os.getpid(), os.getuid()) for i in (0, 2)])

    def test_all_or_nothing_holds_for_operators_too(self):
        model = self.observer.register()
        lease = self.observer.acquire(model, want()).ids[0]
        done = self.run_pool("release", f"lease={lease},12345", "force=true")
        self.assertEqual(done.returncode, 1)
        self.assertIn("SD5103", done.stderr)
        self.figures(live_leases=1)

    def test_a_model_is_taken(self):
        process = self.hold("model=srv", "count=4", "events=3", f"ttl_ms={TTL_MS}", "--format", "json")
        model = json.loads(process.stdout.readline())["model"]
        done = self.run_pool("release", f"model={model}", "force=true", "--format", "json")
        self.assertEqual(json.loads(done.stdout)["released"], 4)
        self.figures(models=0, live_leases=0, events=0, live=0)
        process.wait(SECONDS)
        err = process.stderr.read()
        self.assertEqual(process.returncode, 1)
        self.assertEqual(err.count("was taken away by an operator"), 4)
        self.assertIn("the model is no more", err)
        self.assertEqual(self.daemon.metric("pool_forced_total"), 4)
        done = self.run_pool("release", f"model={model}", "force=true")
        self.assertEqual(done.returncode, 1)
        self.assertIn("SD5102", done.stderr)

    def test_who_waits_gets_what_is_taken(self):
        holder, other = self.client(), self.client()
        model = holder.register("srv", "d")
        got = holder.acquire(model, want(8))
        waiting = other.begin_acquire(other.register("next", "d"), want(2), wait_ms=60000)
        self.figures(waiting=1)
        self.run_pool("release", f"lease={got.ids[0]},{got.ids[1]}", "force=true")
        self.assertEqual(len(other.end_acquire(waiting).leases), 2)

    @unittest.skipIf(os.geteuid() != 0, "needs another user")
    def test_others_may_not(self):
        os.chmod(self.daemon.folder.name, 0o755)
        os.chmod(self.daemon.path, 0o666)
        model = self.observer.register("srv")
        lease = self.observer.acquire(model, want()).ids[0]
        here, there = os.pipe()
        child = os.fork()
        if child == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            with PoolClient(self.daemon.path) as c:
                own = c.register("mine")
                mine = c.acquire(own, want()).ids[0]
                codes = [c.call(method, body).code() for method, body in
                         ((RELEASE, field(1, lease) + field(6, 1)), (UNLOAD, field(1, model) + field(2, 1)), (RELEASE, field(1, mine) + field(6, 1)),
                          (RELEASE, field(1, lease)), (RELEASE, field(1, mine)))]
                os.write(there, json.dumps(codes).encode())
            os._exit(0)
        os.waitpid(child, 0)
        os.close(there)
        with os.fdopen(here) as answer:
            self.assertEqual(json.loads(answer.read()), ["SD4014", "SD4014", "SD4014", "SD5130", None])
        self.figures(live_leases=1)
        self.assertEqual(self.daemon.metric("pool_forced_total"), 0)


if __name__ == "__main__":
    e2e.main()
