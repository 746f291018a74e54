#!/usr/bin/env python3
"""Programs that carry a site's stream passes: STREAMD and STREAMCTL are built with tests/site/example_passes.c, PLAIN is a streamctl without."""
import json
import os
import subprocess
import sys

import cli
from streamd_wire import Daemon

PLAIN = os.environ["PLAIN"]


def node(name, op_type, *inputs, **more):
    return {"name": name, "op_type": op_type, "inputs": list(inputs), **more}


def collective(prefix="", relu1=None):
    """Two inputs, a collective, two consumers; relu1 gets these attributes."""
    p = prefix
    return {"graph": {"name": p + "g", "nodes": [
        node(p + "d1", "Data"), node(p + "d2", "Data"),
        node(p + "i1", "Identity", p + "d1", engine="DNN_VM_RTS"), node(p + "i2", "Identity", p + "d2", engine="DNN_VM_RTS"),
        node(p + "h", "HcomAllReduce", p + "i1", p + "i2", attrs={"fusion": 1}),
        node(p + "relu1", "Relu", p + "h", attrs=relu1 or {}), node(p + "relu2", "Relu", p + "h"),
        node(p + "o", "NetOutput", p + "relu1", p + "relu2", engine="AIcoreEngine")]}}


class SitePasses(cli.Case):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon()
        cls.addClassCleanup(cls.daemon.__exit__, None)

    def setUp(self):
        super().setUp()
        self.socket = self.daemon.path
        self.own = self.file("own.json", collective(relu1={"_own_stream": True}))

    def plain(self, *arguments):
        return subprocess.run([PLAIN, *arguments], capture_output=True, text=True, timeout=60, check=True).stdout

    def test_the_summary_tells_the_stream_of_the_pass(self):
        plan = json.loads(self.good("plan", self.own))
        streams = {n["name"]: n["logical_stream"] for n in plan["nodes"]}
        self.assertEqual([streams[n] for n in ("h", "relu2", "o", "i1", "i2", "relu1")], [0, 1, 1, 2, 2, 3])
        self.assertEqual([s["is_assigned_by_user_stream_pass"] for s in plan["summary"]], [False, False, False, True])
        self.assertIn("logic_stream_id: 3, user_stream_label: , is_assigned_by_user_stream_pass: true, attached_stream_ids: , "
                      "physical_model_stream_num: 1, hccl_followed_stream_num: 0.\n", self.good("plan", self.own, "--format", "text"))

    def test_the_daemon_and_the_command_line_run_the_same_passes(self):
        self.assertEqual(self.good("plan", self.own), self.good("plan", self.own, "--local"))

    def test_without_the_passes_it_is_another_plan_of_another_planner(self):
        here, plain = json.loads(self.good("plan", self.own, "--local")), json.loads(self.plain("plan", self.own, "--local"))
        self.assertEqual(here["graph_hash"], plain["graph_hash"])
        self.assertNotEqual(here["planner"], plain["planner"])
        self.assertNotEqual(here["plan_key"], plain["plan_key"])
        self.assertEqual((here["main_stream_count"], plain["main_stream_count"]), (4, 3))
        self.assertIn(here["planner"], self.good("status"))

    def test_the_judge_takes_any_programs_plan(self):
        for plan in (self.good("plan", self.own), self.plain("plan", self.own, "--local")):
            self.assertRegex(self.good("verify", self.own, self.file("plan.json", plan)), r"^ok streams=")

    def test_a_renamed_graph_is_found_in_the_cache(self):
        one = self.file("one.json", collective("one/", {"_own_stream": True}))
        two = self.file("two.json", collective("two/", {"_own_stream": True}))
        self.good("plan", one)
        before = self.daemon.metric("plans_total")
        plan = json.loads(self.good("plan", two))
        self.assertEqual(plan["plan_key"], json.loads(self.good("plan", one))["plan_key"])
        self.assertTrue(all(n["name"].startswith("two/") for n in plan["nodes"]))
        self.assertEqual(self.daemon.metric("plans_total"), before)

    def test_a_refusal_names_the_pass(self):
        path = self.file("lone.json", {"graph": {"nodes": [node("a", "Relu", attrs={"_follow_producer": True})]}})
        for where in ((), ("--local",)):
            told = self.refused(1, "E13028", "plan", path, *where)
            self.assertEqual((told["status"], told["pass"]), ("FAILED_PRECONDITION", "stream_passes"))
            self.assertIn("'follow_producer' refuses the graph with code 2: 'a node with _follow_producer needs", told["message"])

    def test_passes_are_listed(self):
        rows = json.loads(self.good("passes", "--format", "json"))
        self.assertEqual([(r["name"], r["rev"]) for r in rows[-2:]], [("own_stream", 1), ("follow_producer", 1)])
        self.assertEqual(len(self.good("passes").splitlines()), len(self.plain("passes").splitlines()) + 2)


if __name__ == "__main__":
    cli.e2e.main()
