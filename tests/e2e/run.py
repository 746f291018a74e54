#!/usr/bin/env python3
"""streamctl run: plans on threads of this machine and on the simulated device, what is told of them, and what is wrong with them."""
import json
import os
import pathlib
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cli import Case, ROOT, STREAMCTL
import e2e

BRANCHES = ROOT / "tests/data/run/four_branches.json"
BODIES = ROOT / "tests/data/run/branches_and_loops.json"
MOE = ROOT / "tests/data/run/moe_shared_expert.json"
RUN = ROOT / "tests/data/run"


def node(name, *inputs, label=None, **more):
    attrs = {"_stream_label": label} if label else {}
    return {"name": name, "op_type": "Relu", "inputs": list(inputs), "attrs": attrs, **more}


# A chain on each of two streams: computing beside communicating, and computing beside computing.
def two_chains(side, ms=2, long=6):
    nodes = [{"name": "x", "op_type": "Data"}]
    for i in range(long):
        nodes.append(node(f"main{i}", f"main{i - 1}:0" if i else "x:0", duration_ns=ms * 1000000, vector_cores=1))
        nodes.append(node(f"side{i}", f"side{i - 1}:0" if i else "x:0", label="side", duration_ns=ms * 1000000, **side))
    return {"graph": {"name": "two", "nodes": nodes + [node("end", f"main{long - 1}:0", f"side{long - 1}:0", duration_ns=0)]}}


COMMUNICATING = {"op_type": "HcomAllReduce", "engine": "DNN_HCCL", "comm": {"group": "world", "bytes": 1}}
COMPUTING = {"vector_cores": 1}


def without_sync(plan, k):
    """The plan without sync k, all its counts and numbers true."""
    plan = json.loads(json.dumps(plan))
    sync = plan["syncs"].pop(k)
    kinds = ("record", "wait") if sync["kind"] == "event" else ("notify_record", "notify_wait")
    for side, command, tasks in ((sync["record_stream"], kinds[0], 1), (sync["wait_stream"], kinds[1], 2 if sync["kind"] == "event" else 1)):
        plan["streams"][side]["commands"].remove({command: sync["id"]})
        plan["streams"][side]["task_count"] -= tasks
    for command in (c for s in plan["streams"] for c in s["commands"]):
        for key in kinds:
            if command.get(key, -1) > sync["id"]:
                command[key] -= 1
    for other in plan["syncs"]:
        other["id"] -= other["kind"] == sync["kind"] and other["id"] > sync["id"]
    plan[f"{sync['kind']}_count"] -= 1
    return plan, sync


class Running(Case):
    def report(self, *arguments, status=0):
        got, out, error = self.run_raw("run", *arguments, "--format", "json")
        self.assertEqual(got, status, error)
        return json.loads(out)

    def planned(self, request, *options):
        plan = json.loads(self.good("plan", request, "--local", *options))
        return plan, self.file("plan.json", plan)


STANDINS = pathlib.Path(STREAMCTL).resolve().parent.parent / "tests/standin"


class Settings(Running):
    def test_acl_and_cuda_run_plans_over_their_stand_ins(self):
        for device in (f"cuda:{STANDINS}/libcuda.so", f"acl:{STANDINS}/libascendcl.so", f"acl:{STANDINS}/libascendcl.so@1"):
            for path in sorted(map(str, RUN.glob("*.json"))):
                told = self.report(path, "--local", "--device", device, "--check", "--seed", "5")
                self.assertEqual((told["broken"], told["faults"], told["races"], told["unproved"]), (0, [], [], ""), told)
                self.assertGreater(told["edges"], 0)
        self.assertIn("or acl or cuda", self.misused("run", BRANCHES, "--local", "--device", "npu"))
        self.refused(1, "SD5050", "run", BRANCHES, "--local", "--device", "acl:/nowhere.so", "--format", "json")

    def test_the_environment_is_heard(self):
        for aggregation in ("0", "1"):
            for device in ("host", "sim"):
                env = {"ASCEND_LAUNCH_TASK_OPTIMIZE": aggregation, "ASCEND_STREAM_PRIORITY": "3", "ASCEND_LOG_EVENT_ENABLE": "1", "ASCEND_MEM_CHECK": "1"}
                status, out, error = self.run_raw("run", BRANCHES, "--local", "--device", device, "--runs", "1", "--format", "json", env=env)
                self.assertEqual(status, 0, error)
                self.assertEqual((json.loads(out)["broken"], json.loads(out)["races"]), (0, []))
                for line in (f"launch_aggregation {aggregation}, by ASCEND_LAUNCH_TASK_OPTIMIZE", "stream_priority 3, by ASCEND_STREAM_PRIORITY",
                             "a stream of priority 3 and flags 0x1 is asked for", " records event ", " waits for event ", "the host waited for stream ",
                             f"device {device}: ", "; last "):
                    self.assertIn(line, error)
        status, out, error = self.run_raw("run", BRANCHES, "--local", "--runs", "1")
        self.assertEqual((status, error), (0, ""))
        self.refused(1, "SD5042", "run", BRANCHES, "--local", "--format", "json", env={"STREAMD_STREAM_PRIORITY": "9"})

    def test_a_missing_sync_is_found_where_the_environment_asks(self):
        plan, _ = self.planned(BRANCHES)
        spoilt, _ = without_sync(plan, 0)
        status, out, error = self.run_raw("run", BRANCHES, self.file("spoilt.json", spoilt), "--device", "sim", "--format", "json", env={"ASCEND_MEM_CHECK": "1"})
        self.assertEqual(status, 1)
        self.assertGreater(len(json.loads(out)["races"]), 0)


class Good(Running):
    def test_every_request_keeps_its_edges_on_both_devices(self):
        for path in (BRANCHES, BODIES, MOE):
            plan, _ = self.planned(path)
            for device in ("host", "sim"):
                for seed in ((), ("--seed", 1), ("--seed", 2)):
                    told = self.report(path, "--local", "--device", device, "--check", *seed)
                    self.assertEqual((told["broken"], told["faults"], told["races"], told["unproved"], told["runs"]), (0, [], [], "", 3), told)
                    self.assertGreater(told["edges"], 0)
                    self.assertGreater(told["orders"], 0)
                    self.assertEqual(len(told["measured"]["streams"]), plan["stream_count"])
                    for part in ("measured", "expected") + (("chip",) if device == "host" else ()):
                        for stream in told[part]["streams"]:
                            self.assertLessEqual(stream["overlap_ns"], stream["busy_ns"])
                            self.assertLessEqual(stream["busy_ns"], told[part]["span_ns"])

    def test_edges_and_tasks_are_those_of_the_graph(self):
        told = self.report(BRANCHES, "--local", "--device", "sim", "--runs", 1)
        nodes = json.loads(BRANCHES.read_text())["graph"]["nodes"]
        self.assertEqual(told["edges"], sum(len(n.get("inputs", [])) for n in nodes))
        plan, _ = self.planned(BRANCHES)
        self.assertEqual(sum(s["tasks"] for s in told["measured"]["streams"]), sum(n["stream"] >= 0 for n in plan["nodes"]))

    def test_sim_is_the_same_byte_for_byte(self):
        for path in (BRANCHES, BODIES):
            for form in ("text", "json", "trace"):
                for seed in ((), ("--seed", 7)):
                    first = self.good("run", path, "--local", "--device", "sim", "--format", form, *seed)
                    self.assertEqual(self.good("run", path, "--local", "--device", "sim", "--format", form, *seed), first)
        self.assertNotEqual(self.good("run", BODIES, "--local", "--device", "sim", "--seed", 8), first)

    def test_seed_chooses_bodies_and_lengths(self):
        taken = {self.report(BODIES, "--local", "--device", "sim", "--seed", seed, "--runs", 1)["edges"] for seed in range(12)}
        self.assertGreater(len(taken), 2)

    def test_a_given_plan_and_one_made_now_are_the_same(self):
        _, plan = self.planned(BRANCHES)
        self.assertEqual(self.good("run", BRANCHES, plan, "--device", "sim"), self.good("run", BRANCHES, "--local", "--device", "sim"))

    def test_a_plan_alone_runs(self):
        plan, path = self.planned(BRANCHES)
        for device in ("host", "sim"):
            told = self.report(path, "--device", device)
            self.assertEqual((told["broken"], "edges" in told), (0, False))
            self.assertEqual(sum(s["tasks"] for s in told["measured"]["streams"]), sum(n["stream"] >= 0 for n in plan["nodes"]))

    def test_text_says_what_json_says(self):
        told = self.report(BRANCHES, "--local", "--device", "sim")
        text = self.good("run", BRANCHES, "--local", "--device", "sim")
        self.assertIn(f"order: all kept: {told['edges']} edges of the graph, {told['orders']} orders of the plan\n", text)
        for s in told["measured"]["streams"]:
            self.assertRegex(text, rf"(?m)^ +{s['id']} +{s['tasks']} +{s['busy_ns'] / 1000:.3f} +{100 * s['overlap']:.1f} %")

    def test_output_goes_to_a_file(self):
        self.good("run", BRANCHES, "--local", "--device", "sim", "-o", self.folder / "report")
        self.assertIn("order: all kept", (self.folder / "report").read_text())


class Overlap(Running):
    """On cores of a machine that others use too only the expectation is exact."""
    def shares(self, side, device, **more):
        path = self.file("two.json", two_chains(side, **more))
        told = self.report(path, "--local", "--device", device)
        return {part: [s["overlap"] for s in told[part]["streams"] if s["busy_ns"]] for part in ("measured", "expected")}

    def test_what_is_expected_is_exact(self):
        for side in (COMMUNICATING, COMPUTING):
            self.assertEqual(self.shares(side, "sim")["measured"], self.shares(side, "sim")["expected"])
            self.assertGreater(min(self.shares(side, "sim")["measured"]), 0.9)

    def test_communicating_overlaps_computing_on_the_host(self):
        self.assertGreater(max(self.shares(COMMUNICATING, "host", ms=50)["measured"]), 0.5)

    def test_one_stream_overlaps_nothing(self):
        for device in ("host", "sim"):
            told = self.report(self.file("one.json", self.one_stream()), "--local", "--device", device)
            self.assertEqual([s["overlap_ns"] for s in told["measured"]["streams"]], [0])

    @staticmethod
    def one_stream():
        request = two_chains(COMPUTING)
        for n in request["graph"]["nodes"]:
            n.pop("attrs", None)
        return {**request, "options": {"single_stream": True}}


class Trace(Running):
    """The rules of the trace-event format, as far as readers hold one to them."""
    def check(self, path, device, runs):
        plan, _ = self.planned(path)
        events = json.loads(self.good("run", path, "--local", "--device", device, "--format", "trace", "--runs", runs))["traceEvents"]
        lanes, arrows, slices = {}, {}, {}
        for e in events:
            self.assertIn(e["ph"], ("M", "X", "s", "f"))
            self.assertIsInstance(e["pid"], int)
            if e["ph"] == "M":
                if e["name"] == "thread_name":
                    lanes[e["pid"], e["tid"]] = e["args"]["name"]
                continue
            self.assertIn((e["pid"], e["tid"]), lanes)
            self.assertGreaterEqual(e["ts"], 0)
            if e["ph"] == "X":
                self.assertGreaterEqual(e["dur"], 0)
                slices.setdefault((e["pid"], e["tid"]), []).append(e)
            else:
                arrows.setdefault((e["pid"], e["id"]), []).append(e)
        for pid in {pid for pid, _ in lanes}:
            self.assertEqual([lanes[pid, s["id"] + 1].split(" (")[0] for s in plan["streams"]], [f"stream {s['id']}" for s in plan["streams"]])
        for (pid, tid), lane in slices.items():
            lane.sort(key=lambda e: e["ts"])
            for a, b in zip(lane, lane[1:]):
                self.assertLessEqual(a["ts"] + a["dur"], b["ts"] + 0.001, "slices of a lane do not overlap")
        for pair in arrows.values():
            self.assertEqual(sorted(e["ph"] for e in pair), ["f", "s"])
            start, end = sorted(pair, key=lambda e: e["ph"], reverse=True)
            self.assertEqual((start["name"], start["cat"], end["bp"]), (end["name"], end["cat"], "e"))
            self.assertLessEqual(start["ts"], end["ts"])
            for e in pair:
                self.assertTrue(any(s["ts"] <= e["ts"] <= s["ts"] + s["dur"] for s in slices[e["pid"], e["tid"]]), e)
        return plan, lanes, arrows, slices

    def test_trace_keeps_the_rules(self):
        for path in (BRANCHES, BODIES, MOE):
            for device, parts in (("host", 3), ("sim", 1)):
                plan, lanes, arrows, slices = self.check(path, device, 2)
                self.assertEqual(len({pid for pid, _ in lanes}), parts)

    def test_a_slice_for_each_task_and_an_arrow_for_each_sync(self):
        plan, _, arrows, slices = self.check(BRANCHES, "sim", 2)
        self.assertEqual(len(arrows), 2 * len(plan["syncs"]))
        self.assertEqual(sorted(e["name"] for lane in slices.values() for e in lane if e["args"]["run"] == 1),
                         sorted(n["name"] for n in plan["nodes"] if n["stream"] >= 0))


class Wrong(Running):
    def test_a_plan_without_a_sync_is_noticed(self):
        """Who ends what another one has to wait for takes long, so that the other one begins before, on the busiest machine."""
        syncs, noticed = self.planned(BRANCHES)[0]["syncs"], 0
        for k, sync in enumerate(syncs):
            request = json.loads(BRANCHES.read_text())
            for n in request["graph"]["nodes"]:
                n["duration_ns"] = 100_000_000 if n["name"] == sync["record_node"] else 1000
            request = self.file("request.json", request)
            path = self.file("left.json", without_sync(self.planned(request)[0], k)[0])
            for device in ("host", "sim"):
                told = self.report(request, path, "--device", device, "--runs", 1, status=1)
                self.assertRegex(told["unproved"], r"^the plan is not proved: (an edge|the order of a logical stream) is not kept")
                noticed += any(f"{sync['wait_node']} began" in fault and f"before {sync['record_node']} had ended" in fault for fault in told["faults"])
        self.assertGreaterEqual(noticed, len(syncs) // 2, "most are seen in the runs themselves")

    def test_what_is_broken_is_named_on_standard_error(self):
        plan, _ = self.planned(BRANCHES)
        last = next(k for k, s in enumerate(plan["syncs"]) if s["wait_node"] == "join" and s["record_node"] == "b3_2")
        status, out, error = self.run_raw("run", BRANCHES, self.file("left.json", without_sync(plan, last)[0]), "--device", "sim", "--runs", 1)
        self.assertEqual(status, 1)
        self.assertRegex(error, r"(?m)^streamctl: run 1: join began [0-9.]+ us before b3_2 had ended: the plan does not keep the edges of the graph$")
        self.assertIn("order: 1 broken\n", out.decode())

    def test_a_wait_alone_taken_out_is_refused(self):
        plan, _ = self.planned(BRANCHES)
        sync = plan["syncs"][0]
        plan["streams"][sync["wait_stream"]]["commands"].remove({"wait": sync["id"]})
        told = self.refused(1, "SD5071", "run", BRANCHES, self.file("left.json", plan), "--format", "json")
        self.assertIn(f"event {sync['id']} on stream {sync['wait_stream']}", told["message"])

    def test_check_names_both_accesses_and_the_order_that_is_missing(self):
        plan, _ = self.planned(BRANCHES)
        for k in range(len(plan["syncs"])):
            left, sync = without_sync(plan, k)
            for device in ("host", "sim"):
                told = self.report(BRANCHES, self.file("left.json", left), "--device", device, "--check", status=1)
                for word in (f"{sync['record_node']} (stream {sync['record_stream']}) writes", f"{sync['wait_node']} (stream {sync['wait_stream']}) reads",
                             f"recorded behind {sync['record_node']} is missing, waited for in front of {sync['wait_node']}"):
                    self.assertTrue(any(word in race for race in told["races"]), (word, told["races"]))

    def test_a_plan_of_another_graph(self):
        plan, path = self.planned(BRANCHES)
        told = self.refused(1, "SD4011", "run", MOE, path, "--format", "json")
        self.assertIn("names no node", told["message"])
        request = json.loads(BRANCHES.read_text())
        request["graph"]["nodes"][1]["attrs"] = {"_stream_label": "elsewhere"}
        told = self.refused(1, "SD5081", "run", self.file("other.json", request), path, "--format", "json")
        self.assertIn(plan["graph_hash"][:32], told["message"])

    def test_limits_of_the_device(self):
        plan, path = self.planned(BRANCHES)
        for device in ("host", "sim"):
            told = self.refused(1, "SD5074", "run", BRANCHES, path, "--limit", "max_streams=2", "--device", device, "--format", "json")
            self.assertIn(f"needs {plan['stream_count']} streams", told["message"])
            told = self.refused(1, "SD5076", "run", path, "--limit", "max_events=3", "--device", device, "--format", "json")
            self.assertIn(f"needs {plan['event_count']} events, the device has 3 left", told["message"])

    def test_a_plan_with_bodies_alone(self):
        _, path = self.planned(BODIES)
        told = self.refused(1, "SD5082", "run", path, "--format", "json")
        self.assertIn("name its request in front of the plan", told["message"])

    def test_numbers_that_are_not_there(self):
        def spoil(change):
            plan = json.loads(json.dumps(whole))
            change(plan)
            return self.file("spoilt.json", plan)
        whole, _ = self.planned(BRANCHES)
        stream = next(s["id"] for s in whole["streams"] if any("record" in c for c in s["commands"]))
        at = next(i for i, c in enumerate(whole["streams"][stream]["commands"]) if "record" in c)
        launch = next(i for i, c in enumerate(whole["streams"][stream]["commands"]) if "launch" in c)
        name = whole["streams"][stream]["commands"][launch]["launch"]
        placed = next(i for i, n in enumerate(whole["nodes"]) if n["name"] == name)
        for code, words, change in (
                ("SD5079", "no event 99", lambda p: p["streams"][stream]["commands"][at].update(record=99)),
                ("SD5079", "no stream 77", lambda p: p["syncs"][0].update(wait_stream=77)),
                ("SD5079", "no stream 9", lambda p: p["streams"][stream]["commands"].append({"activate": [9]})),
                ("SD5079", "no activation 0, which a command makes", lambda p: p["streams"][stream]["commands"].append({"activate": [0]})),
                ("SD5080", "is not launched on the stream", lambda p: p["nodes"][placed].update(stream=55)),
                ("SD5080", "placed on a stream and never launched", lambda p: p["streams"][stream]["commands"].pop(launch)),
                ("SD5080", "launched twice", lambda p: p["streams"][stream]["commands"].append({"launch": name})),
                ("SD5080", "launched and has no stream", lambda p: p["nodes"][placed].update(stream=-1))):
            path = spoil(change)
            for given in ((BRANCHES, path), (path,)):
                self.assertIn(words, self.refused(1, code, "run", *given, "--format", "json")["message"])

    def test_misuse(self):
        _, path = self.planned(BRANCHES)
        self.assertIn("host or sim", self.misused("run", BRANCHES, "--device", "ascend910b"))
        self.assertIn("needs the request", self.misused("run", path, "--check"))
        for word in ("0", "x", "10001", "-1"):
            self.assertIn("--runs takes", self.misused("run", BRANCHES, "--runs", word))
        self.assertIn("--seed takes", self.misused("run", BRANCHES, "--seed", "18446744073709551616"))
        self.assertIn("text, json or trace", self.misused("run", BRANCHES, "--format", "dot"))
        self.assertIn("does not take --check", self.misused("plan", BRANCHES, "--check"))
        self.assertIn("usage:", self.misused("run"))

    def test_no_daemon_and_none_needed(self):
        _, path = self.planned(BRANCHES)
        self.refused(3, "SD4010", "run", BRANCHES, "--format", "json")
        self.good("run", BRANCHES, path, "--device", "sim")


if __name__ == "__main__":
    e2e.main()
