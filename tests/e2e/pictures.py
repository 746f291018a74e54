#!/usr/bin/env python3
"""Pictures of plans: well-formed, whole, the same bytes each time, in need of nothing from outside.

How the page looks and works in a browser is seen by tests/long/pages.py.
"""
import json
import pathlib
import re
import sys
import unittest
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from draw_graphs import branching, hostile, large
from streamd_wire import *

SVG = "{http://www.w3.org/2000/svg}"
BODIES = json.loads((ROOT / "tests/data/run/branches_and_loops.json").read_text())
EMPTY = {"graph": {"name": "", "nodes": []}}
REQUESTS = {"branching": branching(), "large": large(1500), "hostile": hostile(), "bodies": BODIES, "empty": EMPTY}


class Pictures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="streamctl-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def drawn(self, name, form):
        request = self.folder / f"{name}.json"
        request.write_text(json.dumps(REQUESTS[name]))
        done = [subprocess.run([STREAMCTL, "plan", request, "--local", "--format", form], capture_output=True, timeout=LONG) for _ in range(2)]
        self.assertEqual((done[0].returncode, done[0].stderr), (0, b""))
        self.assertEqual(done[0].stdout, done[1].stdout, f"{name} as {form}")
        return done[0].stdout.decode()

    def plan(self, name):
        request = self.folder / "plan.json"
        request.write_text(json.dumps(REQUESTS[name]))
        return json.loads(subprocess.run([STREAMCTL, "plan", request, "--local"], capture_output=True, check=True, timeout=LONG).stdout)

    def page(self, name):
        text = self.drawn(name, "html")
        return text, json.loads(re.search(r'<script type="application/json" id="plan">(.*?)</script>', text, re.S)[1])

    @staticmethod
    def launches(plan):
        return [command["launch"] for stream in plan["streams"] for command in stream["commands"] if "launch" in command]

    def boxes(self, root):
        """Of each text its place, as wide as it says that it is."""
        return [(float(t.get("x")), float(t.get("y")) - 9, float(t.get("x")) + float(t.get("textLength")), float(t.get("y")) + 2, t.text) for t in root.iter(f"{SVG}text")]

    def test_svg_shows_each_stream_launch_and_sync(self):
        for name in ("branching", "large", "hostile"):
            root, plan = xml.etree.ElementTree.fromstring(self.drawn(name, "svg")), self.plan(name)
            self.assertEqual([g.get("id") for g in root.iter(f"{SVG}g") if g.get("class") == "stream"], [f"s{s['id']}" for s in plan["streams"]])
            titles = [g.find(f"{SVG}title").text for g in root.iter(f"{SVG}g") if g.get("class").startswith("op")]
            self.assertEqual(len(titles), len(self.launches(plan)))
            if name != "hostile":
                self.assertEqual(sorted(title.split("\n")[0] for title in titles), sorted(self.launches(plan)))
            arrows = [path.find(f"{SVG}title").text for path in root.iter(f"{SVG}path") if path.get("class", "").startswith("arrow")]
            self.assertEqual(sorted(arrows), sorted(f"{s['kind']} {s['id']} ({s['cause']})" for s in plan["syncs"]))

    def test_no_two_texts_of_an_svg_overlap(self):
        for name in REQUESTS:
            root = xml.etree.ElementTree.fromstring(self.drawn(name, "svg"))
            boxes = sorted(self.boxes(root))
            open_boxes = []
            self.assertTrue(boxes)
            for box in boxes:
                open_boxes = [other for other in open_boxes if other[2] > box[0]]
                for other in open_boxes:
                    self.assertFalse(other[1] < box[3] and box[1] < other[3], f"{name}: {other} and {box}")
                open_boxes.append(box)
                self.assertLessEqual(box[2], float(root.get("width")))

    def test_svg_tells_why(self):
        self.assertRegex(self.drawn("branching", "svg"), r"waits for 'inception_a/branch\d/relu\d', whose output it reads")

    def test_page_holds_the_whole_plan(self):
        for name in ("branching", "large", "hostile", "bodies"):
            _, told = self.page(name)
            plan = self.plan(name)
            self.assertEqual([node[0] for node in told["nodes"]], [node["name"] for node in plan["nodes"]])
            self.assertEqual([node[3] for node in told["nodes"]], [node["stream"] for node in plan["nodes"]])
            self.assertEqual([stream[:2] for stream in told["streams"]], [[stream["logical_id"], stream["label"]] for stream in plan["streams"]])
            if name != "bodies":
                self.assertEqual(len(told["spans"]), len(self.launches(plan)))
                self.assertEqual(sorted((told["ties"][a[0]], a[1], told["causes"][a[2]]) for a in told["arrows"]),
                                 sorted((s["kind"], s["id"], s["cause"]) for s in plan["syncs"]))
            reasons = {}
            for row in plan.get("explanations", []):
                reasons.setdefault(row["node"], []).append(row["message"])
            self.assertEqual([node[8] for node in told["nodes"]], [reasons.get(node[0], []) for node in told["nodes"]])

    def test_times_keep_the_plan(self):
        """On a stream one after the other, behind each sync, and the critical chain leads to the end without a break."""
        for name in ("branching", "large", "bodies"):
            _, told = self.page(name)
            ended = {}
            for node, stream, begin, end, flags, behind, tie, number in told["spans"]:
                self.assertGreaterEqual(begin, ended.get(stream, 0))
                self.assertGreaterEqual(end, begin)
                ended[stream] = end
            self.assertEqual(told["end"], max(ended.values()))
            for tie, number, cause, source, target, *_ in told["arrows"]:
                if source >= 0 and target >= 0:
                    self.assertGreater(told["spans"][target][2], told["spans"][source][3])
            chain, at = [], told["last"]
            while at >= 0:
                chain.append(at)
                before = told["spans"][at][5]
                self.assertTrue(before < 0 or told["spans"][before][3] <= told["spans"][at][2])
                at = before
            self.assertEqual(sorted(chain), [i for i, span in enumerate(told["spans"]) if span[4] & 2])

    def test_pages_need_nothing_from_outside(self):
        for name in REQUESTS:
            for form in ("html", "svg"):
                text = self.drawn(name, form).replace("http://www.w3.org/2000/svg", "")
                self.assertIsNone(re.search(r"https?://|@import|<link(?! rel=\"icon\" href=\"data:)|src=", text), f"{name} as {form}")
            self.assertEqual(self.drawn(name, "html").count("<script"), 2)

    def test_trace(self):
        for name in ("branching", "large", "hostile"):
            events = json.loads(self.drawn(name, "trace"))["traceEvents"]
            plan = self.plan(name)
            by_phase = {}
            for event in events:
                by_phase.setdefault(event["ph"], []).append(event)
            self.assertEqual(sorted((e["name"], e["tid"]) for e in by_phase["X"]),
                             sorted((c["launch"], s["id"]) for s in plan["streams"] for c in s["commands"] if "launch" in c))
            self.assertEqual(len([e for e in by_phase["M"] if e["name"] == "thread_name"]), plan["stream_count"])
            slices = {}
            for e in by_phase["X"]:
                slices.setdefault(e["tid"], []).append((e["ts"], e["ts"] + e["dur"]))
            for end in by_phase.get("s", []) + by_phase.get("f", []):
                self.assertTrue(any(begin <= end["ts"] <= finish for begin, finish in slices[end["tid"]]), end)
            self.assertEqual([e["id"] for e in by_phase.get("s", [])], [e["id"] for e in by_phase.get("f", [])])

    def test_the_daemons_plan_is_drawn_alike(self):
        request = self.folder / "r.json"
        request.write_text(json.dumps(REQUESTS["branching"]))
        with Daemon() as daemon:
            there = subprocess.run([STREAMCTL, "plan", request, "--format", "html", "--socket", daemon.path], capture_output=True, check=True, timeout=LONG).stdout
        self.assertEqual(there.decode(), self.drawn("branching", "html"))


if __name__ == "__main__":
    e2e.main()
