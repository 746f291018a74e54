#!/usr/bin/env python3
"""Streams written back into requests and dumps: planned again they are placed alike, and nothing else of them changes."""
import json
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from dump_text import as_onnx, as_proto
from streamd_wire import *

DATA = ROOT / "tests/data"
FLAT = ["cases/A01-torchair-three-streams", "cases/B07-fan-out-three", "cases/C24-qkv-fork-join", "cases/A02-moe-shared-expert-ep", "vectors/chain/alternate_AH", "vectors/diamond/ladder_5"]
BODIES = ["vectors/auto_multi/if_subgraphs", "run/branches_and_loops", "run/four_branches"]


def request_of(path):
    told = json.loads(path.read_text())
    told = told.get("request", told)
    return {key: told[key] for key in ("graph", "options", "device") if key in told} if "graph" in told else None


REQUESTS = {str(path.relative_to(DATA))[:-5]: request_of(path) for folder in ("cases", "vectors", "run", "bodies") for path in sorted((DATA / folder).rglob("*.json"))}


class Annotated(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="streamctl-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_on(self, name, content, *arguments):
        path = self.folder / name
        path.write_text(content)
        done = subprocess.run([STREAMCTL, "plan", path, "--local", *arguments], capture_output=True, timeout=LONG)
        self.assertNotIn(b"Sanitizer", done.stderr)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def good(self, name, content, *arguments):
        status, out, error = self.run_on(name, content, *arguments)
        self.assertEqual(status, 0, error)
        return out

    def places(self, plan, key="stream"):
        return {node["name"]: node[key] for node in json.loads(plan)["nodes"]}

    def partition(self, plan):
        together = {}
        for name, stream in self.places(plan, "logical_stream").items():
            if self.places(plan)[name] >= 0:
                together.setdefault(stream, set()).add(name)
        return sorted(map(sorted, together.values()))

    def test_every_request_is_placed_alike(self):
        looked_at = 0
        for name in sorted(REQUESTS)[::4]:
            if not REQUESTS[name] or len(REQUESTS[name]["graph"]["nodes"]) > 500:
                continue
            content = json.dumps(REQUESTS[name])
            status, plan, _ = self.run_on("request.json", content)
            if status:
                continue
            annotated = self.good("request.json", content, "--format", "annotated")
            again = self.good("annotated.json", annotated)
            launched = [n for n, stream in self.places(plan).items() if stream >= 0]
            if all(self.places(plan, "logical_stream")[n] >= 0 for n in launched):
                self.assertEqual(self.places(again), self.places(plan), name)
                self.assertEqual(self.places(again, "logical_stream"), self.places(plan, "logical_stream"), name)
            self.assertEqual(self.good("annotated.json", annotated, "--format", "annotated"), annotated, name)
            looked_at += 1
        self.assertGreater(looked_at, 80)

    def test_a_request_keeps_all_else(self):
        content = json.dumps(REQUESTS["cases/A01-torchair-three-streams"])
        before = self.good("request.json", content)
        annotated = json.loads(self.good("request.json", content, "--format", "annotated"))
        for node in annotated["graph"]["nodes"]:
            self.assertEqual(node["attrs"].pop("stream_id"), self.places(before)[node["name"]])
            if self.places(before, "logical_stream")[node["name"]] >= 0:
                self.assertEqual(node["attrs"].pop("_logic_stream_id"), self.places(before, "logical_stream")[node["name"]])
            if re.fullmatch(r"stream_\d+", node["attrs"].get("_user_stream_label", "")):
                node["attrs"].pop("_user_stream_label")
        del annotated["options"]["explicit_streams"]
        again = json.loads(self.good("again.json", json.dumps(annotated)))
        self.assertEqual(again, json.loads(before))

    def test_labels_alone_bring_the_placement_about(self):
        """What a framework does that knows nothing but labels."""
        for name in FLAT:
            content = json.dumps(REQUESTS[name])
            annotated = json.loads(self.good("request.json", content, "--format", "annotated"))
            del annotated["options"]["explicit_streams"]
            plan = self.good("request.json", content)
            self.assertEqual(self.partition(self.good("labels.json", json.dumps(annotated))), self.partition(plan), name)
            self.assertGreater(len(self.partition(plan)), 1, name)

    def test_no_labels_where_they_would_not_do(self):
        status, out, error = self.run_on("request.json", json.dumps(REQUESTS["run/branches_and_loops"]), "--format", "annotated")
        self.assertIn("no labels are written", error)
        self.assertNotIn('"stream_', out.replace('"stream_id', ""))

    def test_labels_of_ours_are_no_label_of_the_request(self):
        nodes = [{"name": "x", "op_type": "Data"}, {"name": "a", "op_type": "Relu", "inputs": ["x:0"], "attrs": {"_stream_label": "__stream_0"}},
                 {"name": "b", "op_type": "Relu", "inputs": ["x:0"]}]
        out = json.loads(self.good("request.json", json.dumps({"graph": {"nodes": nodes}}), "--format", "annotated"))
        self.assertEqual([node["attrs"].get("_user_stream_label") for node in out["graph"]["nodes"]], [None, "__stream_0", "___stream_1"])

    def dumps(self):
        for name in FLAT + BODIES:
            if "device" in REQUESTS[name]:
                continue
            graph, options = REQUESTS[name]["graph"], [f"--option={key}={json.dumps(value)}" for key, value in REQUESTS[name].get("options", {}).items()]
            yield f"{name}.txt", as_proto(graph), options
            if name in FLAT:
                yield f"{name}.pbtxt", as_onnx(graph), options

    def test_dumps_are_placed_alike(self):
        for name, text, options in self.dumps():
            name = name.replace("/", "-")
            plan = self.good(name, text, *options)
            annotated = self.good(name, text, "--format", "annotated", *options)
            trusted = self.good(name, annotated, "--stream-ids", "trust", *options)
            self.assertEqual(self.partition(trusted), self.partition(plan), name)
            self.assertEqual(self.places(trusted), self.places(plan), name)
            if not any(body.split("/")[-1] in name for body in BODIES):
                self.assertEqual(self.partition(self.good(name, annotated, *options)), self.partition(plan), name)
            self.assertEqual(self.good(name, annotated, "--format", "annotated", "--stream-ids", "trust", *options), annotated, name)

    def test_a_dump_keeps_all_else(self):
        """Without what was put, and without the streams that stood there before, the text is what it was."""
        put = re.compile(r'\n    (?:stream_id: -?\d+|attr(?:ibute)? \{ (?:key|name): "(?:_logic_stream_id|_user_stream_label|stream_id)" [^\n]*)'
                         r'|\nattr \{ key: "(?:stream|event|notify)_num"[^\n]*')
        before = re.compile(r', stream_id: -1; # not assigned|\n    attribute \{ name: "stream_id" i: -1 type: INT \}|\nattr \{ key: "event_num" value \{ i: 77 \} \}')
        for name, text, options in self.dumps():
            own = [node["attrs"]["_user_stream_label"] for node in REQUESTS[name.rsplit(".", 1)[0]]["graph"]["nodes"] if "_user_stream_label" in node.get("attrs", {})]
            if own:
                continue
            left = put.sub("", self.good(name.replace("/", "-"), text, "--format", "annotated", *options))
            self.assertEqual(re.sub(r"[\s,]+", " ", left).replace("# not assigned", "").split(), re.sub(r"[\s,]+", " ", before.sub("", text)).split(), name)

    def test_published_dumps(self):
        for path in sorted((DATA / "ge_dumps").iterdir()):
            plan = self.good(path.name, path.read_text())
            annotated = self.good(path.name, path.read_text(), "--format", "annotated")
            self.assertEqual(self.places(self.good(path.name, annotated, "--stream-ids", "trust")), self.places(plan), path.name)
            kept = set(annotated.splitlines())
            gone = {line.strip() for line in path.read_text().splitlines() if line not in kept}
            self.assertLessEqual(gone, {'name: "stream_id"', "i: -1", 'key: "stream_num"', 'key: "event_num"', 'key: "notify_num"'}, path.name)

    def test_trust_is_for_dumps(self):
        status, out, error = self.run_on("request.json", json.dumps(REQUESTS[FLAT[0]]), "--stream-ids", "trust")
        self.assertEqual(status, 1)
        self.assertIn("--stream-ids trust is for dumps", error)
        text = as_proto(REQUESTS[FLAT[0]]["graph"]).replace("stream_id: -1; # not assigned", "stream_id: -1")
        status, out, error = self.run_on("dump.txt", re.sub(r"(    id: \d+)\n", r"\1 stream_id: -1\n", text), "--stream-ids", "trust")
        self.assertEqual(status, 1)
        self.assertIn("no operator has a stream in it", error)

    def test_an_onnx_model_becomes_a_request(self):
        model = DATA / "onnx/light_squeezenet.onnx"
        done = subprocess.run([STREAMCTL, "plan", model, "--local", "--format", "annotated"], capture_output=True, timeout=LONG)
        plan = subprocess.run([STREAMCTL, "plan", model, "--local"], capture_output=True, timeout=LONG).stdout.decode()
        self.assertEqual(self.places(self.good("model.json", done.stdout.decode())), self.places(plan))


if __name__ == "__main__":
    e2e.main()
