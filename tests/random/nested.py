#!/usr/bin/env python3
"""Small graphs of bodies in bodies on a few lanes, cut at low limits: what the random run meets once in a hundred thousand graphs.

usage: nested.py [--first S] [--count N] [--checked C]

Graph S + i is made of its number alone: choices, loops and calls up to four deep, many bodies empty, lanes drawn for every launch. Each plan is
proved by the planner's judge (`random_graphs --try`), one in C by plancheck.py too. A failure is made smaller, and the file told.
"""
import argparse
import json
import os
import pathlib
import random
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))
sys.path.insert(0, str(HERE))
import shrink
from tap import Tap

BODIES = {"If": (2,), "Case": (1, 2, 2, 3), "PartitionedCall": (1,), "While": (2,), "For": (2,)}
LIMITS = (28, 28, 29, 30, 31, 34, 40)       # 27 of them are kept free: a piece holds one command or a few
SHRUNKEN = 5


class Maker:
    """One request. What is the same for the whole graph is drawn first, so that graphs differ in kind."""

    def __init__(self, number):
        self.rng = random.Random(f"nested {number}")
        self.nodes, self.bodies, self.launched = 0, [], []
        draw = self.rng.choice
        self.most, self.depth, self.functional, self.empty = draw((6, 10, 16, 26)), draw((1, 2, 3, 4)), draw((.2, .35, .5)), draw((.1, .3, .5))
        self.edges, self.ends, self.launching, self.local = draw((.4, .7, 1.2)), draw((0, .2, .5)), draw((0, 0, .2)), draw((0, .15))
        self.types = [t for t in BODIES if t not in ("While", "For")] if self.rng.random() < .3 else list(BODIES)
        self.attached = self.rng.random() < .15

    def chance(self, share):
        return self.rng.random() < share

    def node(self, op_type, inputs):
        self.nodes += 1
        return {"name": f"n{self.nodes}", "op_type": op_type, "inputs": inputs}

    def launch(self, node):
        self.launched.append(node["name"])
        return node

    def attach(self, node):
        """An attached stream, which may read one of the node's data inputs."""
        entry = {"_attached_resource_name": "as", "_attached_resource_reuse_key": self.rng.choice("kq"), "_attached_resource_required_flag": True}
        data = [text for text in node["inputs"] if not text.startswith("^")]
        if data and self.chance(.5):
            entry["_attached_resource_depend_value_list_int"] = [self.rng.randrange(len(data))]
        node["attrs"] = {"_attached_stream_info_list": [entry]}

    def functional_node(self, inputs, depth):
        node = self.node(self.rng.choice(self.types), inputs)
        node["subgraphs"] = [f"{node['name']}b{k}" for k in range(self.rng.choice(BODIES[node["op_type"]]))]
        for name in node["subgraphs"]:
            body = {"name": name, "nodes": []}
            self.bodies.append(body)
            body["nodes"] = [] if self.chance(self.empty) else self.graph(depth + 1)
        if self.chance(self.launching):
            self.launch(node)["task_count"] = 1
        return node

    def plain_node(self, inputs):
        node = self.node("Relu", inputs)
        if self.chance(self.local):
            node["task_count"] = 0
        elif self.attached and self.chance(.3):
            self.attach(self.launch(node))
        else:
            self.launch(node)
        return node

    def graph(self, depth):
        nodes = []
        for _ in range(self.rng.randint(1, 4 if depth else 6)):
            if self.nodes >= self.most:
                break
            inputs = [("^" if self.chance(.2) else "") + n["name"] for n in nodes if self.chance(self.edges / len(nodes))]
            nodes.append(self.functional_node(inputs, depth) if depth < self.depth and self.chance(self.functional) else self.plain_node(inputs))
        if nodes and self.chance(self.ends):
            out = self.node("NetOutput", [n["name"] for n in nodes if self.chance(.6)])
            nodes.append(dict(out, task_count=0) if self.chance(.4) else self.launch(out))
        return nodes

    def request(self):
        nodes, lanes = self.graph(0), self.rng.choice((1, 2, 2, 3, 3, 4, 6))
        streams = [[] for _ in range(lanes)]
        for name in self.launched:
            self.rng.choice(streams).append(name)
        request = {"graph": {"name": "nested", "nodes": nodes, "subgraphs": self.bodies}, "options": {"explicit_streams": [s for s in streams if s]}}
        if self.chance(.6):
            request["device"] = {"limits": {"max_tasks_per_stream": self.rng.choice(LIMITS), "max_streams": 0}}
        if self.chance(.2):
            request["options"]["event"] = "notify"
        return request


def make_smaller(number, request, found, folder):
    small, _ = shrink.shrink(request, 20)
    path = folder / f"nested-{number}.json"
    shrink.write_small(small or request, path)
    return f"graph {number}: {found} (smaller: {path})"


def main():
    a = argparse.ArgumentParser(usage=__doc__)
    a.add_argument("--first", type=int, default=1); a.add_argument("--count", type=int, default=600); a.add_argument("--checked", type=int, default=10)
    a = a.parse_args()
    folder = pathlib.Path(os.environ.get("LOGS") or tempfile.mkdtemp(prefix="nested-"))
    judge, planned, failures = shrink.Judge(), 0, []
    for number in range(a.first, a.first + a.count):
        request = Maker(number).request()
        if not request["options"]["explicit_streams"]:
            continue
        planned += 1
        found = judge.failure(request, number % a.checked == 0)
        if found:
            failures.append(make_smaller(number, request, found, folder) if len(failures) < SHRUNKEN else f"graph {number}: {found}")
    judge.end()
    tap = Tap()
    tap.case(f"{planned} graphs of bodies in bodies from {a.first}: every plan is proved", failures if planned else ["no graph was made"])
    tap.end()


if __name__ == "__main__":
    main()
