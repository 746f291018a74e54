#!/usr/bin/env python3
"""streamctl simulate and option simulate: the same figures wherever they are worked out, and what is held against them."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cli import Case, ROOT
from run import COMMUNICATING, COMPUTING, two_chains, without_sync
import e2e
from streamd_wire import Daemon

REQUESTS = sorted((ROOT / "tests/data/run").glob("*.json"))
BRANCHES = ROOT / "tests/data/run/four_branches.json"
FREE = {"launch_gap_ns": 1000, "record_ns": 500, "wait_ns": 500, "event_latency_ns": 1500, "activate_ns": 0}


class Simulated(Case):
    def simulated(self, *arguments):
        return json.loads(self.good("simulate", *arguments, "--format", "json"))["simulation"]

    def test_option_and_command_say_the_same(self):
        for path in REQUESTS:
            plan = json.loads(self.good("plan", path, "--local", "--option", "simulate=true"))
            self.assertEqual(plan["simulation"], self.simulated(path, "--local"))
            self.assertEqual(plan["simulation"], self.simulated(path, self.file("plan.json", plan)))
            self.assertNotIn("simulation", json.loads(self.good("plan", path, "--local")))

    def test_the_simulated_device_takes_the_same_times(self):
        for path in REQUESTS:
            request = json.loads(path.read_text())
            if any(n.get("subgraphs") for n in request["graph"]["nodes"]):
                continue                                        # a run draws its bodies
            request["device"] = {"model": FREE}                 # a run uses its streams not for the first time
            path = self.file("request.json", request)
            told = json.loads(self.good("run", path, "--local", "--device", "sim", "--runs", 1, "--format", "json"))["measured"]
            s = self.simulated(path, "--local")
            self.assertEqual([(x["busy_ns"], x["overlap_ns"]) for x in told["streams"]], [(x["busy_ns"], x["overlap_ns"]) for x in s["streams"]])
            working = [x for x in s["launches"] if x["ended_ns"] > x["began_ns"]]
            self.assertEqual(told["span_ns"], max(x["ended_ns"] for x in working) - min(x["began_ns"] for x in working))

    def test_what_is_told_adds_up(self):
        for side in (COMMUNICATING, COMPUTING):
            s = self.simulated(self.file("two.json", two_chains(side)), "--local")
            self.assertEqual(s["makespan_ns"], max(x["ended_ns"] for x in s["launches"]))
            for i, stream in enumerate(s["streams"]):
                self.assertEqual(stream["busy_ns"], sum(x["ended_ns"] - x["began_ns"] for x in s["launches"] if x["stream"] == i))
            self.assertLess(s["makespan_ns"], 0.6 * s["one_stream_ns"])
            ends = [s["launches"][link["launch"]] for link in s["chain"]]
            self.assertEqual((s["chain"][0]["reason"], ends[-1]["ended_ns"]), ("start", s["makespan_ns"]))
            self.assertEqual([x["began_ns"] for x in ends], sorted(x["began_ns"] for x in ends))

    def test_text(self):
        s = self.simulated(BRANCHES, "--local")
        text = self.good("simulate", BRANCHES, "--local")
        line = f"simulated: {s['makespan_ns'] / 1000:.3f} us, {s['one_stream_ns'] / 1000:.3f} us on one stream, "
        self.assertTrue(text.startswith(line), text)
        self.assertEqual(text.count("needs what it kept busy"), sum(x["reason"] == "engine" for x in s["chain"]))
        self.assertIn(line, self.good("plan", BRANCHES, "--local", "--option", "simulate=true", "--format", "text"))

    def test_the_model_of_the_request_counts(self):
        request = json.loads(BRANCHES.read_text())
        cores = [self.simulated(self.file("r.json", {**request, "device": {"model": {"cube_cores": 24, "event_latency_ns": ns}}}), "--local")["makespan_ns"]
                 for ns in (0, 1500, 100000)]
        self.assertEqual(cores, sorted(set(cores)))

    def test_keys_differ_and_durations_count(self):
        plain, simulated = (json.loads(self.good("plan", BRANCHES, "--local", "--option", f"simulate={value}")) for value in ("false", "true"))
        self.assertEqual(plain["graph_hash"], simulated["graph_hash"])
        self.assertNotEqual(plain["plan_key"], simulated["plan_key"])
        for key in set(simulated) - {"simulation", "plan_key"}:
            self.assertEqual(plain[key], simulated[key], key)

    def test_the_judge_finds_a_simulation_of_another_plan(self):
        plan = json.loads(self.good("plan", BRANCHES, "--local", "--option", "simulate=true"))
        self.assertRegex(self.good("verify", BRANCHES, self.file("plan.json", plan)), r"^ok streams=")
        for spoil in (lambda s: s.update(makespan_ns=s["makespan_ns"] + 1), lambda s: s["streams"][0].update(busy_ns=1), lambda s: s["launches"].pop(),
                      lambda s: s["launches"][0].update(stream=0), lambda s: s["launches"][1].update(began_ns=0), lambda s: s["chain"].pop()):
            spoilt = json.loads(json.dumps(plan))
            spoil(spoilt["simulation"])
            status, out, _ = self.run_raw("verify", BRANCHES, self.file("plan.json", spoilt))
            self.assertEqual(status, 1)
            self.assertIn(b"the simulation is not one of the plan", out)
        plan["simulation"]["chain"][0]["reason"] = "fate"
        self.assertIn("simulation.chain[0].reason", self.refused_text("verify", BRANCHES, self.file("plan.json", plan)))

    def refused_text(self, *arguments):
        status, _, error = self.run_raw(*arguments)
        self.assertEqual(status, 1)
        return error

    def test_a_plan_that_is_not_proved(self):
        plan = json.loads(self.good("plan", BRANCHES, "--local"))
        left, _ = without_sync(plan, 0)
        status, out, error = self.run_raw("simulate", BRANCHES, self.file("left.json", left), "--format", "json")
        self.assertEqual(status, 0)
        self.assertIn("note: the plan is not proved", error)
        self.assertLessEqual(json.loads(out)["simulation"]["makespan_ns"], self.simulated(BRANCHES, "--local")["makespan_ns"])

    def test_misuse(self):
        self.assertIn("--runs", self.misused("simulate", BRANCHES, "--runs", 3))
        self.assertIn("json or text", self.misused("simulate", BRANCHES, "--format", "trace"))


class Remote(Case):
    def test_the_daemon_answers_the_same_bytes(self):
        with Daemon() as daemon:
            self.socket = daemon.path
            for path in REQUESTS:
                for form in ("json", "text"):
                    remote = self.good("plan", path, "--option", "simulate=true", "--format", form)
                    self.assertEqual(remote, self.good("plan", path, "--option", "simulate=true", "--format", form, "--local"))
                    self.assertEqual(remote, self.good("plan", path, "--option", "simulate=true", "--format", form))


if __name__ == "__main__":
    e2e.main()
