#!/usr/bin/env python3
"""Makes a request that fails smaller, as long as it fails in the same way.

usage: shrink.py REQUEST.json [OUT.json]

What fails is told by `random_graphs --try` (a crash and a hang too), and where that finds nothing, by
plancheck.py; BUILD is the build folder. Taken away are nodes with their bodies, then inputs, attributes, items of lists, options,
limits; what is left is written to OUT (default: REQUEST with .small in its name), whose path is printed.
"""
import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))
sys.path.insert(0, str(HERE))
import plancheck
from made import PROGRAM

KEEP = ("name", "op_type", "nodes", "graph")      # keys without which it would be another fault


def plancheck_class(sample):
    """The first thing that plancheck.py says against a plan, without names and numbers; "" if nothing."""
    try:
        bad, figures = plancheck.check(sample["request"], sample["plan"])
    except Exception as x:          # a checker that stumbles has not proved anything
        bad, figures = [f"{type(x).__name__} {x}"], {}
    bad = bad + [f"a sync is {k}" for k in ("redundant", "unneeded") if figures.get(k)]
    names = {n["name"] for n in sample["plan"]["nodes"]}
    words = [("*" if w.strip("'(),.:;") in names else w) for w in bad[0].split()] if bad else []
    return "plancheck: " + re.sub(r"\d+", "#", " ".join(words)) if words else ""


class Judge:
    """Asks one process after another request what is wrong with its answer."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.sample = pathlib.Path(self.folder.name) / "sample.json"
        self.program = subprocess.Popen([PROGRAM, "--try", "-", "--samples", self.sample], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)

    def failure(self, request, by_plancheck):
        """One line, without what differs from graph to graph; "" where nothing is wrong."""
        self.sample.unlink(missing_ok=True)
        self.program.stdin.write(json.dumps(request) + "\n")
        self.program.stdin.flush()
        word, _, told = self.program.stdout.readline().strip().partition(" ")
        if word != "ok":
            return told
        return plancheck_class(json.loads(self.sample.read_text())) if by_plancheck and self.sample.exists() else ""

    def end(self):
        self.program.stdin.close()
        self.program.wait()
        self.folder.cleanup()


def node_lists(request):
    graph = request.get("graph", {})
    return [graph.get("nodes", [])] + [b["nodes"] for b in graph.get("subgraphs", [])]


def source_of(text):
    name, colon, port = text.lstrip("^").rpartition(":")
    return name if colon and port.lstrip("-").isdigit() else text.lstrip("^")


def drop_bodies(request, names):
    """Takes bodies away, and those in them."""
    bodies = request["graph"].get("subgraphs", [])
    while names:
        gone = [b for b in bodies if b["name"] in names]
        bodies = [b for b in bodies if b["name"] not in names]
        names = {s for b in gone for n in b["nodes"] for s in n.get("subgraphs", [])}
    request["graph"]["subgraphs"] = bodies


def without_nodes(request, gone):
    """The request without these nodes; what they read is read by who read them."""
    out = copy.deepcopy(request)
    inputs = {n["name"]: [t for t in n.get("inputs", []) if t] for nodes in node_lists(out) for n in nodes}
    drop_bodies(out, {s for nodes in node_lists(out) for n in nodes if n["name"] in gone for s in n.get("subgraphs", [])})

    def through(text, depth=0):
        if source_of(text) not in gone:
            return [text]
        return [t for up in inputs[source_of(text)] for t in through(up, depth + 1)][:4] if depth < 20 else []
    for nodes in node_lists(out):
        nodes[:] = [n for n in nodes if n["name"] not in gone]
        for n in nodes:
            n["inputs"] = list(dict.fromkeys(t for text in n.get("inputs", []) for t in ([text] if not text else through(text))))
            if "overwrites" in n:
                n["overwrites"] = [o for o in n["overwrites"] if o not in gone]
    streams = out.get("options", {}).get("explicit_streams")
    if streams:
        out["options"]["explicit_streams"] = [s for s in ([n for n in stream if n not in gone] for stream in streams) if s]
    return out


def fewer_nodes(request, fails):
    """Takes away runs of nodes, long ones first."""
    size = max(1, sum(map(len, node_lists(request))) // 2)
    while size:
        at = 0
        while True:
            names = [n["name"] for nodes in node_lists(request) for n in nodes]
            if at >= len(names):
                break
            smaller = without_nodes(request, set(names[at:at + size]))
            if fails(smaller):
                request = smaller
            else:
                at += size
        size //= 2
    return request


def places(value, path=()):
    """Paths of everything that can be taken out of a JSON value, the largest first."""
    if isinstance(value, dict):
        for k in list(value):
            if k not in KEEP:
                yield path + (k,)
            yield from places(value[k], path + (k,))
    elif isinstance(value, list):
        for k in range(len(value) - 1, -1, -1):
            if path[-1:] not in (("nodes",), ("subgraphs",)):
                yield path + (k,)
            yield from places(value[k], path + (k,))


def without_place(request, path):
    out = copy.deepcopy(request)
    at = out
    for k in path[:-1]:
        at = at[k]
    del at[path[-1]]
    return out


def fewer_places(request, fails):
    """Takes out one key or item after the other; after each that goes, all are looked at once more from there."""
    todo = list(places(request))
    for path in todo:
        try:
            smaller = without_place(request, path)
        except (KeyError, IndexError, TypeError):        # gone with something else
            continue
        if fails(smaller):
            request = smaller
    return request


def plainer_types(request, fails):
    for k, nodes in enumerate(node_lists(request)):
        for i, n in enumerate(nodes):
            if n["op_type"] != "Relu":
                smaller = copy.deepcopy(request)
                node_lists(smaller)[k][i]["op_type"] = "Relu"
                request = smaller if fails(smaller) else request
    return request


def shrink(request, seconds=60):
    """The smallest request found in so many seconds, and the class of its failure; None where it does not fail."""
    judge, until, before = Judge(), time.monotonic() + seconds, None
    wanted = judge.failure(request, True)

    def fails(smaller):
        return time.monotonic() < until and judge.failure(smaller, wanted.startswith("plancheck")) == wanted
    while wanted and before != json.dumps(request):
        before = json.dumps(request)
        for step in (fewer_nodes, fewer_places, plainer_types):
            request = step(request, fails)
    judge.end()
    return (request, wanted) if wanted else (None, "")


def write_small(request, path):
    """One node a line."""
    text = json.dumps(request)
    pathlib.Path(path).write_text(text.replace('{"name"', '\n{"name"') + "\n")


def main():
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    path = pathlib.Path(sys.argv[1])
    small, found = shrink(json.loads(path.read_text()))
    if small is None:
        raise SystemExit(f"{path} does not fail")
    out = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else path.with_suffix(".small.json")
    write_small(small, out)
    print(f"{found}\n{sum(map(len, node_lists(small)))} nodes in {out}")


if __name__ == "__main__":
    main()
