#!/usr/bin/env python3
"""streamctl: every command, what it prints, how it ends; what the README shows."""
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from streamd_wire import *

NETWORKS = sorted((ROOT / "tests/data/onnx").glob("*.onnx"))
NODES = {"light_bvlc_alexnet": 59, "light_densenet121": 2596, "light_shufflenet": 729, "light_squeezenet": 159}
FORK = {"graph": {"name": "fork", "nodes": [
    {"name": "x", "op_type": "Data"},
    {"name": "a", "op_type": "Relu", "inputs": ["x:0"], "attrs": {"_stream_label": "side"}},
    {"name": "b", "op_type": "Relu", "inputs": ["x:0"]},
    {"name": "c", "op_type": "Add", "inputs": ["a:0", "b:0"]}]}}
CYCLE = {"graph": {"nodes": [{"name": "a", "op_type": "Relu", "inputs": ["b:0"]}, {"name": "b", "op_type": "Relu", "inputs": ["a:0"]}]}}
ERROR_KEYS = ["code", "status", "message", "node", "pass", "retryable", "retry_after_ms"]


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="streamctl-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.fork = self.file("fork.json", FORK)
        self.socket = f"{self.folder}/none.sock"

    def file(self, name, content):
        path = self.folder / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return str(path)

    def run_raw(self, *arguments, given=None, env=None):
        environment = dict(os.environ, STREAMD_SOCKET=self.socket, **(env or {}))
        done = subprocess.run([STREAMCTL, *map(str, arguments)], input=given, capture_output=True, timeout=LONG, env=environment)
        self.assertNotIn(b"Sanitizer", done.stderr)
        self.assertNotIn(b"runtime error", done.stderr)
        return done.returncode, done.stdout, done.stderr.decode()

    def good(self, *arguments, **more):
        status, out, error = self.run_raw(*arguments, **more)
        self.assertEqual(status, 0, error)
        return out.decode()

    def refused(self, status, code, *arguments, **more):
        """The error object on standard output, its line on standard error, the exit status."""
        got, out, error = self.run_raw(*arguments, **more)
        self.assertEqual(got, status, error)
        told = json.loads(out)["error"]
        self.assertEqual(list(told), ERROR_KEYS)
        self.assertEqual(told["code"], code, told)
        self.assertEqual(error, f"streamctl: {code}: {told['message']}\n")
        return told

    def misused(self, *arguments):
        status, out, error = self.run_raw(*arguments)
        self.assertEqual((status, out), (2, b""))
        self.assertTrue(error.startswith("streamctl: ") and error.count("\n") == 1, error)
        return error


class Local(Case):
    def test_plans_each_published_network(self):
        self.assertLessEqual(set(NODES), {path.stem for path in NETWORKS})
        for path in NETWORKS:
            plan = json.loads(self.good("plan", path, "--local"))
            self.assertEqual(len(plan["nodes"]), NODES.get(path.stem, len(plan["nodes"])))
            if path.stem in NODES:
                self.assertEqual((plan["logical_stream_count"], plan["event_count"]), (1, 0))
            self.assertRegex(self.good("verify", path, self.file("plan.json", plan)), r"^ok streams=")

    def test_every_kind_of_input_gives_the_same_plan(self):
        for kind in ("json", "pb"):
            self.good("convert", self.fork, "-o", self.folder / f"same.{kind}")
        plan = self.good("plan", self.fork, "--local")
        self.assertEqual(self.good("plan", self.folder / "same.json", "--local"), plan)
        self.assertEqual(self.good("plan", self.folder / "same.pb", "--local"), plan)
        for path in (self.fork, self.folder / "same.pb"):
            self.assertEqual(self.good("plan", "-", "--local", given=pathlib.Path(path).read_bytes()), plan)

    def test_convert_is_stable(self):
        for path in NETWORKS:
            first = self.good("convert", path, "-o", "-")
            again = self.file("again.json", first)
            self.assertEqual(self.good("convert", again, "-o", "-"), first)
            self.assertEqual(self.good("plan", again, "--local"), self.good("plan", path, "--local"))

    def test_options_device_and_limits(self):
        plan = json.loads(self.good("plan", self.fork, "--local", "--option", "strict=true", "--option", "topo_sorting=stable",
                                    "--option", 'max_parallel_num={"AIcoreEngine": 2}', "--device", "ascend910b", "--limit", "max_events=9"))
        self.assertEqual(plan["stream_count"], 2)
        told = self.refused(1, "SD2001", "plan", self.fork, "--local", "--limit", "max_streams=1")
        self.assertEqual(told["status"], "RESOURCE_EXHAUSTED")
        device = self.file("device.json", {"limits": {"max_streams": 1}})
        self.assertIn("max_streams = 1", self.refused(1, "SD2001", "plan", self.fork, "--local", "--device", device)["message"])
        self.refused(1, "SD0113", "plan", self.fork, "--local", "--device", "pear")

    def test_values_that_do_not_parse_are_strings(self):
        told = self.refused(1, "E10001", "plan", self.fork, "--local", "--option", "auto_multi_stream=pear")
        self.assertIn("'pear'", told["message"])

    def test_unknown_keys_of_the_command_line_are_named(self):
        self.assertIn("options.strct: unknown key; did you mean strict?",
                      self.refused(2, "SD0115", "plan", self.fork, "--local", "--option", "strct=true")["message"])
        self.assertIn("device.limits.max_stream", self.refused(2, "SD0115", "plan", self.fork, "--local", "--limit", "max_stream=1")["message"])

    def test_refusals_name_the_node(self):
        told = self.refused(1, "E18888", "plan", self.file("cycle.json", CYCLE), "--local")
        self.assertEqual(told["status"], "INVALID_ARGUMENT")
        self.assertIn(told["node"], ("a", "b"))
        told = self.refused(1, "SD0115", "plan", self.file("typo.json", '{"graph": {"nodes": [{}, {"inptus": 1}]}}'), "--local")
        self.assertIn("graph.nodes[1].inptus", told["message"])

    def test_files_that_cannot_be_used(self):
        self.refused(2, "SD0119", "plan", self.folder / "none.json", "--local")
        self.refused(2, "SD0120", "plan", self.fork, "--local", "-o", self.folder / "none" / "plan.json")
        self.refused(2, "SD0120", "plan", self.fork, "--local", "-o", "/dev/full")
        self.refused(1, "SD0116", "plan", self.file("bad.onnx", "pear"), "--local")
        self.refused(1, "SD0116", "plan", self.file("ge_proto_1_Build.txt", "graph {"), "--local")

    def test_output_goes_into_the_file(self):
        self.assertEqual(self.good("plan", self.fork, "--local", "-o", self.folder / "plan.json"), "")
        self.assertEqual((self.folder / "plan.json").read_text(), self.good("plan", self.fork, "--local"))

    def test_timing_is_one_line_beside_the_plan(self):
        status, out, error = self.run_raw("plan", self.fork, "--local", "--timing")
        timing = json.loads(error)
        self.assertEqual(list(timing), ["read_ns", "decode_ns", "plan_ns", "verify_ns", "encode_ns", "passes", "peak_bytes"])
        self.assertEqual(sum(timing["passes"].values()), timing["plan_ns"])
        self.assertGreater(timing["peak_bytes"], 0)
        self.assertEqual(out.decode(), self.good("plan", self.fork, "--local"))

    def test_text_and_dot(self):
        text = self.good("plan", self.fork, "--local", "--format", "text")
        self.assertIn("graph fork: 4 nodes, 3 launched", text)
        self.assertIn("label side", text)
        self.assertIn("\nsummary\n  logic_stream_id: 0, user_stream_label: , is_assigned_by_user_stream_pass: false, attached_stream_ids: , ", text)
        self.assertTrue(self.good("plan", self.fork, "--local", "--format", "dot").startswith('digraph "fork" {'))
        status, out, error = self.run_raw("plan", self.folder / "none.json", "--local", "--format", "text")
        self.assertEqual((status, out), (2, b""))
        self.assertIn("SD0119", error)

    def test_verify(self):
        plan = self.file("plan.json", self.good("plan", self.fork, "--local"))
        self.assertRegex(self.good("verify", self.fork, plan), r"^ok streams=2 syncs=\d+\n$")
        spoilt = json.loads(pathlib.Path(plan).read_text())
        spoilt["streams"][0]["commands"].reverse()
        status, out, _ = self.run_raw("verify", self.fork, self.file("spoilt.json", spoilt))
        self.assertEqual(status, 1)
        self.assertTrue(out)
        self.assertNotIn(b"ok ", out)
        status, out, error = self.run_raw("verify", self.fork, self.file("no.json", {"steams": []}))
        self.assertEqual((status, out), (1, b""))
        self.assertIn("SD4011: the plan cannot be read: steams: unknown key; did you mean streams?", error)

    def test_explain(self):
        story = self.good("explain", self.fork, "c", "--local")
        self.assertTrue(story.startswith("'c': logical stream 1, runs on stream 1\n"), story)
        self.assertRegex(story, r"(?m)^  by_dependency +stream none -> 1: cannot follow 'a', which has a stream label, ")
        self.assertRegex(story, r"(?m)^  reduce_orders +needs no sync with 'b', which runs before it on the same stream$")
        self.assertRegex(story, r"(?m)^  reduce_orders +waits for 'a', whose output it reads \(event 0\)$")
        whole = self.good("explain", self.fork, "--local")
        self.assertEqual([line.split(":")[0] for line in whole.splitlines() if line.startswith("'")], ["'x'", "'a'", "'b'", "'c'"])
        self.assertIn(story, whole)
        rows = json.loads(self.good("explain", self.fork, "c", "--local", "--format", "json"))["explanations"]
        self.assertEqual({row["node"] for row in rows}, {"c"})
        told = self.refused(1, "SD0112", "explain", self.fork, "pear", "--local", "--format", "json")
        self.assertEqual(told["message"], "NODE names 'pear', which is no node of the request")
        self.refused(1, "E18888", "explain", self.file("cycle.json", CYCLE), "--local", "--format", "json")

    def test_explanations_are_part_of_the_plan_when_asked_for(self):
        bare = json.loads(self.good("plan", self.fork, "--local"))
        self.assertNotIn("explanations", bare)
        for form, where in (("text", "explanations\n'"), ("dot", 'tooltip="place_engines: ')):
            self.assertIn(where, self.good("plan", self.fork, "--local", "--option", "explain=true", "--format", form))
            self.assertNotIn("place_engines", self.good("plan", self.fork, "--local", "--format", form))
        self.assertIn(self.good("explain", self.fork, "--local"), self.good("plan", self.fork, "--local", "--option", "explain=true", "--format", "text"))
        told = self.good("plan", self.fork, "--local", "--option", "explain=true")
        plan = json.loads(told)
        self.assertEqual(plan["explanations"], json.loads(self.good("explain", self.fork, "--local", "--format", "json"))["explanations"])
        self.assertNotEqual(plan.pop("plan_key"), bare.pop("plan_key"))
        self.assertEqual({k: v for k, v in plan.items() if k != "explanations"}, bare)
        self.assertRegex(self.good("verify", self.fork, self.file("told.json", told)), r"^ok streams=2 ")
        plan["explanations"][0]["node"] = "pear"
        status, _, error = self.run_raw("verify", self.fork, self.file("odd.json", plan))
        self.assertEqual(status, 1)
        self.assertIn("explanations[0].node: names no node of the request", error)

    def test_diff(self):
        one = self.file("one.json", self.good("plan", self.fork, "--local", "--option", "explain=true"))
        parted = self.file("parted.json", json.dumps(FORK).replace('"_stream_label": "side"', '"NewStreamId": 7'))
        two = self.file("two.json", self.good("plan", parted, "--local", "--option", "explain=true"))
        self.assertEqual(self.good("diff", one, one), "equal\n")
        self.assertEqual(json.loads(self.good("diff", one, one, "--format", "json")), {"equal": True, "notes": [], "differences": []})
        status, out, error = self.run_raw("diff", one, two)
        text = out.decode()
        self.assertEqual((status, error), (1, ""))
        self.assertIn("note: the graphs are not the same: ", text)
        self.assertIn("\nnode 'a': logical stream 0, now 1\n  before, by by_label: carries the stream label", text)
        self.assertIn("\n  now, by new_stream_attr: asks for a stream of its own by NewStreamId\n", text)
        self.assertRegex(text, r"\n\d+ differences\n$")
        status, out, _ = self.run_raw("diff", one, two, "--format", "json")
        told = json.loads(out)
        self.assertEqual((status, told["equal"], list(told)), (1, False, ["equal", "notes", "differences"]))
        self.assertEqual(told["differences"], [line for line in text.splitlines()[:-1] if not line.startswith("note: ")])
        for bad in (self.folder / "none.json", self.file("bad.json", "{"), self.fork):
            status, out, error = self.run_raw("diff", one, bad)
            self.assertEqual((status, out), (2, b""), bad)
            self.assertIn("streamctl: SD", error)

    def test_compare(self):
        rows = json.loads(self.good("compare", self.fork, "--local", "--format", "json", "--option", "auto_multi_stream=LoadBalance:3",
                                    "--option", "single_stream=true", "--option", '{"event": "notify", "strict": true}'))
        self.assertEqual([row["option"] for row in rows], ["", "auto_multi_stream=LoadBalance:3", "single_stream=true", '{"event": "notify", "strict": true}'])
        base = json.loads(self.good("plan", self.fork, "--local"))
        self.assertEqual((rows[0]["streams"], rows[0]["syncs"], rows[0]["moved"]), (base["stream_count"], len(base["syncs"]), 0))
        self.assertEqual(set(rows[0]["against_base"].values()), {0})
        self.assertEqual(rows[2]["refused"]["code"], "E10055")
        self.assertEqual((rows[3]["notifies"], rows[3]["against_base"]["notifies"], rows[3]["against_base"]["events"]), (1, 1, -1))
        text = self.good("compare", self.fork, "--local", "--option", "event=notify", "--option", "single_stream=true").splitlines()
        self.assertEqual(text[0].split(), ["options", "streams", "logical", "attached", "longest", "syncs", "events", "notifies",
                                           "activations", "commands", "tasks", "moved"])
        self.assertTrue(text[1].startswith("as it stands"))
        self.assertIn("0 (-1)", text[2])
        self.assertIn("refused: E10055: ", text[3])
        self.refused(1, "E18888", "compare", self.file("cycle.json", CYCLE), "--local", "--option", "strict=true", "--format", "json")
        self.refused(2, "SD0115", "compare", self.fork, "--local", "--option", "strct=true", "--format", "json")
        given = pathlib.Path(self.fork).read_bytes()
        again = self.good("compare", "-", "--local", "--option", "event=notify", given=given).splitlines()
        self.assertEqual([line.split() for line in again], [line.split() for line in text[:3]])

    def test_error(self):
        text = self.good("error", "207005")
        self.assertIn("207005: the device is out of streams and their queues (not of memory); ", text)
        for word in ("RESOURCE_EXHAUSTED", "ran out of   streams", "who looks    runtime", "may help"):
            self.assertIn(word, text)
        self.assertIn("who looks    operator", self.good("error", "507015"))
        self.assertIn("who looks    compile", self.good("error", "EE1017"))
        row, = json.loads(self.good("error", "CUDA_ERROR_OUT_OF_MEMORY", "--format", "json"))
        self.assertEqual(list(row), ["code", "number", "status", "retryable", "resource", "layer", "message"])
        self.assertEqual((row["number"], row["resource"], row["retryable"]), (2, "memory", True))
        self.assertEqual([row["code"] for row in json.loads(self.good("error", "2", "--format", "json"))], ["CUDA_ERROR_OUT_OF_MEMORY"])
        ours = json.loads(self.good("error", "SD5010", "--format", "json"))
        self.assertEqual([(row["status"], row["layer"]) for row in ours], [("RESOURCE_EXHAUSTED", "runtime")])
        self.assertEqual(len(json.loads(self.good("error", "E10001", "--format", "json"))), 2)     # one code, two messages
        for code in ("SD9999x", "", "0", "123456", "SD"):
            self.assertIn("no error is called", self.misused("error", code))

    def test_device(self):
        standins = pathlib.Path(STREAMCTL).resolve().parent.parent / "tests/standin"
        keys = ["device", "streams_max", "streams_used", "events_max", "events_used", "notifies_max", "notifies_used", "tasks_per_stream_max", "memory_bytes",
                "memory_free_bytes", "cube_cores", "vector_cores", "most_urgent", "least_urgent", "launch_ns", "copy_bytes", "copy_ns", "keeps_order", "copies_right"]
        for name, cores in (("sim", 24), ("host", os.cpu_count()), (f"acl:{standins}/libascendcl.so", 24), (f"cuda:{standins}/libcuda.so@1", 132)):
            told = json.loads(self.good("device", name, "--format", "json"))
            self.assertEqual(list(told), keys)
            self.assertEqual((told["device"], told["cube_cores"], told["keeps_order"], told["copies_right"]), (name.split(":")[0], cores, True, True))
            self.assertEqual((told["most_urgent"], told["least_urgent"], told["streams_used"]), (0, 7, 0))
        text = self.good("device", f"cuda:{standins}/libcuda.so")
        self.assertIn("device cuda\n", text)
        self.assertRegex(text, r"an event orders +yes\n")
        self.assertIn("libnowhere.so", self.refused(1, "SD5050", "device", "cuda:libnowhere.so", "--format", "json")["message"])
        self.assertIn("101", self.refused(1, "SD5021", "device", f"cuda:{standins}/libcuda.so@9", "--format", "json")["message"])
        for name in ("gpu", "sim@1", "cuda@", "cuda@x", "acl@-1", "", "hostile"):
            self.assertIn("no device is called", self.misused("device", name))

    def test_settings(self):
        names = ["launch_aggregation", "stream_priority", "event_log", "mem_check"]
        self.assertEqual([line.split()[0] for line in self.good("settings").splitlines()[:4]], names)
        env = {"ASCEND_STREAM_PRIORITY": "5", "STREAMD_MEM_CHECK": "on", "ASCEND_MEM_CHECK": "0"}
        rows = json.loads(self.good("settings", "--format", "json", env=env))
        self.assertEqual([(row["name"], row["value"], row["set_by"]) for row in rows], [
            ("launch_aggregation", 1, ""), ("stream_priority", 5, "ASCEND_STREAM_PRIORITY"), ("event_log", 0, ""), ("mem_check", 1, "STREAMD_MEM_CHECK")])
        self.assertIn("stream_priority 5, by ASCEND_STREAM_PRIORITY\n", self.good("settings", env=env))
        status, out, error = self.run_raw("settings", env={"ASCEND_LOG_EVENT_ENABLE": "yes"})
        self.assertNotEqual(status, 0)
        self.assertIn("ASCEND_LOG_EVENT_ENABLE", error)

    def test_passes(self):
        table = self.good("passes").splitlines()
        self.assertRegex(table[0], r"^name +rev +when +needs +gives$")
        rows = json.loads(self.good("passes", "--format", "json"))
        self.assertEqual([line.split()[0] for line in table[1:]], [row["name"] for row in rows])


class Usage(Case):
    def test_help_and_version(self):
        self.assertIn("streamctl COMMAND", self.good("--help"))
        self.assertRegex(self.good("--version"), r"^streamctl \d+\.\d+\.\d+\n$")

    def test_wrong_usage(self):
        for arguments, words in (([], "name a command"), (["plna"], "did you mean plan?"), (["plan"], "usage: streamctl plan INPUT"),
                                 (["plan", "a", "b"], "usage"), (["plan", self.fork, "--pear"], "no flag --pear"),
                                 (["plan", self.fork, "--format"], "--format needs a value"),
                                 (["plan", self.fork, "--format", "pdf"], "json, text, dot, svg, html, trace or annotated, not pdf"),
                                 (["status", "--format", "dot"], "json or text, not dot"),
                                 (["status", "--local"], "status does not take --local"),
                                 (["plan", self.fork, "--option", "strict"], "KEY=VALUE"),
                                 (["plan", self.fork, "--deadline", "-1"], "--deadline takes milliseconds"),
                                 (["plan", self.fork, "--local", "--socket", "x"], "leave out --socket"),
                                 (["plan", self.fork, "--device", "none.json"], "none.json"),
                                 (["convert", self.fork], "needs -o FILE"), (["explain"], "usage"), (["diff", "a"], "usage"),
                                 (["explain", self.fork, "--local", "--deadline", "5"], "leave out --deadline"),
                                 (["compare", self.fork, "--local"], "compare needs an --option"),
                                 (["compare", self.fork, "--local", "--option", "{"], "KEY=VALUE or a JSON object"),
                                 (["compare", self.fork, *["--option", "strict=true"] * 65], "at most 64 --option"),
                                 (["diff", "a", "b", "--local"], "diff does not take --local"), (["jobs", "cancel"], "usage"),
                                 (["jobs", "cancel", "x"], "the number of a job, not x"), (["cache", "pear"], "stats or flush, not pear")):
            self.assertIn(words, self.misused(*arguments))

    def test_no_daemon(self):
        for arguments in (["plan", self.fork], ["explain", self.fork], ["compare", self.fork, "--option", "strict=true"], ["status"], ["ping"], ["jobs"], ["cache", "stats"], ["drain"]):
            told = self.refused(3, "SD4010", *arguments, "--format", "json")
            self.assertEqual(told["status"], "UNAVAILABLE")
            self.assertIn(self.socket, told["message"])


class Remote(Case):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon()
        cls.addClassCleanup(cls.daemon.__exit__, None)

    def setUp(self):
        super().setUp()
        self.socket = self.daemon.path

    def test_the_daemon_answers_the_same_bytes_twice(self):
        for path in [self.fork, *NETWORKS]:
            local = self.good("plan", path, "--local")
            self.assertEqual(self.good("plan", path), local)
            self.assertEqual(self.good("plan", path), local)

    def test_explanations_come_from_the_daemon_too(self):
        for path in [self.fork, NETWORKS[0]]:
            self.assertEqual(self.good("explain", path), self.good("explain", path, "--local"))
            self.assertEqual(self.good("plan", path), self.good("plan", path, "--local"))
        self.assertEqual(self.good("explain", self.fork, "b"), self.good("explain", self.fork, "b", "--local"))
        options = ["--option", "event=notify", "--option", "single_stream=true"]
        self.assertEqual(self.good("compare", self.fork, *options), self.good("compare", self.fork, "--local", *options))
        told = self.file("told.json", self.good("plan", self.fork, "--option", "explain=true"))
        self.assertEqual(self.good("verify", self.fork, told, "--socket", self.socket), self.good("verify", self.fork, told))

    def test_timing_tells_of_the_cache(self):
        renamed = self.file("renamed.json", json.dumps(FORK).replace('"x', '"timing_x'))
        seen = [json.loads(self.run_raw("plan", renamed, "--timing", "--option", "search_evaluations=0")[2]) for _ in range(2)]
        self.assertEqual(list(seen[0]), ["read_ns", "plan_ns", "verify_ns", "round_trip_ns", "from_cache"])
        self.assertTrue(seen[1]["from_cache"])

    def test_refusals_come_back_as_they_are_made_here(self):
        cycle = self.file("cycle.json", CYCLE)
        self.assertEqual(self.refused(1, "E18888", "plan", cycle), self.refused(1, "E18888", "plan", cycle, "--local"))

    def test_verify_by_the_daemon(self):
        plan = self.file("plan.json", self.good("plan", self.fork))
        self.assertEqual(self.good("verify", self.fork, plan, "--socket", self.socket), self.good("verify", self.fork, plan))
        spoilt = json.loads(pathlib.Path(plan).read_text())
        spoilt["streams"][0]["commands"].pop()
        spoilt = self.file("spoilt.json", spoilt)
        self.assertEqual(self.run_raw("verify", self.fork, spoilt, "--socket", self.socket)[:2], self.run_raw("verify", self.fork, spoilt)[:2])

    def test_deadline(self):
        chain = {"graph": {"nodes": [{"name": f"n{i}", "op_type": "Relu", "inputs": [f"n{i - 1}:0"] if i else []} for i in range(60000)]}}
        told = self.refused(1, "SD4007", "plan", self.file("chain.json", chain), "--deadline", "1")
        self.assertEqual(told["status"], "DEADLINE_EXCEEDED")

    def test_operating(self):
        self.assertRegex(self.good("status"), r"(?m)^draining +no$")
        self.assertEqual(json.loads(self.good("status", "--format", "json"))["draining"], False)
        self.assertRegex(self.good("ping"), r"^pong after \d+ us\n$")
        self.assertGreater(json.loads(self.good("ping", "--format", "json"))["round_trip_ns"], 0)
        self.assertEqual(self.good("jobs"), "no jobs\n")
        self.assertEqual(json.loads(self.good("jobs", "--format", "json")), {"jobs": []})
        self.refused(1, "SD4009", "jobs", "cancel", "4711", "--format", "json")
        self.good("plan", self.fork)
        self.assertGreater(json.loads(self.good("cache", "stats", "--format", "json"))["entries"], 0)
        self.good("cache", "flush")
        self.assertEqual(json.loads(self.good("cache", "stats", "--format", "json"))["entries"], 0)

    def test_the_example_of_the_readme(self):
        readme = (ROOT / "clients/README.md").read_text()
        source = (ROOT / "clients/c/example.c").read_text()
        self.assertIn("```c\n" + source + "```\n", readme)
        self.good("convert", self.fork, "-o", self.folder / "fork.pb")
        example = pathlib.Path(STREAMCTL).with_name("example")
        done = subprocess.run([example, self.folder / "fork.pb"], capture_output=True, text=True, env={"STREAMD_SOCKET": self.socket})
        self.assertRegex(done.stdout, r"^2 streams, \d+ events\n$")
        done = subprocess.run([example, self.folder / "fork.pb"], capture_output=True, text=True, env={"STREAMD_SOCKET": "/nowhere"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("SD4010", done.stderr)


class Drain(Case):
    def test_drain_lets_the_daemon_go(self):
        with Daemon() as daemon:
            self.socket = daemon.path
            self.assertEqual(set(json.loads(self.good("drain", "--format", "json"))), {"jobs_running", "jobs_queued"})
            self.assertTrue(wait_for(lambda: daemon.process.poll() is not None))
            self.refused(3, "SD4010", "plan", self.fork)


if __name__ == "__main__":
    e2e.main()
