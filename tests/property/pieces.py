#!/usr/bin/env python3
"""How streams are cut: graphs of graphs_pieces.py at every limit from 28 to 64, held against a second reading of the rule.

usage: pieces.py [--streamctl PATH] [--graph NAME] [--limit N] [--step N] [--stretch K]
piece_counts.py cuts the commands of each logical stream of the plan without a limit; the plan with a limit must launch the same on each piece, no more
pieces and no fewer. What it refuses, the rule must refuse: a StreamActive that starts more pieces than a stream can hold; the body of a structured loop that
cannot go on where its condition ended. No launch may follow, on its piece, one that does not always run when it does, unless a jump leads to it. And
every plan is proved: by the planner itself, a sample by plancheck.py too.
A failure names graph, form and limit; `--graph NAME --limit N` repeats it. --step N takes every Nth limit, --stretch K makes all chains K times as long.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))
sys.path.insert(0, str(HERE))
import graphs_pieces
import plancheck
from piece_counts import Cutter, slots_of
from plangraph import Graph
from tap import Tap

STREAMCTL = os.environ.get("STREAMCTL", "build/clients/streamctl")
LIMITS = range(28, 65)
UNCUT = 1 << 20
STRETCH = 1
JOINED = 4          # tasks of the syncs that join a piece to others
SAMPLE = 7          # every seventh plan is proved once more
OPTIONS = {"max_parallel_num": {"AIcoreEngine": 2}, "hcom_parallel": True}
GRAPHS = {
    "chain": [40],
    "long chain": [90],
    "fork": [3, ("fork", 4, 9), 5],
    "forks": [("fork", 3, 4), ("fork", 5, 3), 2, ("fork", 2, 12)],
    "attached": [4, ("attached", 14), 6],
    "attached in a body": [2, ("if", [("attached", 7)], [3]), ("attached", 4)],
    "groups": [5, ("group", 6), 4, ("group", 9), ("fork", 2, 5), ("group", 30)],
    "if": [9, ("if", [8], [12]), 7],
    "if of one body": [3, ("if", [22], []), 9],
    "case of forks": [2, ("case", [("fork", 3, 4)], [5], [("fork", 2, 6)]), 4],
    "ifs": [("if", [4], [9]), ("if", [1], [3]), 3, ("if", [14], [2])],
    "if in if": [3, ("if", [2, ("if", [9], [4]), 5], [6]), 4],
    "if at the ends of if": [1, ("if", [("if", [7], [9])], [("if", [3], [8])]), 2],
    "while": [4, ("while", [2], [2]), 12],
    "while of one node each": [3, ("while", [1], [1]), 2],
    "while of long bodies": [3, ("while", [9], [14]), 5],
    "while behind forks": [3, ("fork", 3, 4), ("while", [2], [3]), 2],
    "whiles of forks between forks": [3, ("fork", 4, 9), ("while", [("fork", 3, 2)], [("fork", 3, 3)]), ("fork", 2, 3), ("while", [2], [3]), 2],
    "while at the begin": [("while", [4], [7])],
    "while in while": [2, ("while", [3], [2, ("while", [5], [4]), 3]), 2],
    "while of an if": [2, ("while", [("if", [3], [5])], [("if", [6], [2]), 4]), 3],
    "while of forks": [2, ("while", [("fork", 2, 3)], [("fork", 3, 6)]), 3],
    "while in if": [2, ("if", [3, ("while", [1], [6]), 2], [5]), 4],
    "if in while": [2, ("while", [2], [3, ("if", [5], [8]), 2]), 4],
    "while of ifs on both sides": [2, ("while", [2, ("if", [9], [])], [("if", [5], []), 6]), 3],
    "while of an if that is passed by": [2, ("while", [("if", [3], [])], [4]), 3],
    "while of ifs only": [("while", [("if", [12], [11])], [("if", [9], [12])])],
    "while of an if of forks": [2, ("while", [("fork", 3, 4), ("if", [("fork", 4, 5)], [("fork", 2, 5)])], [("if", [("fork", 4, 3)], [2]), ("fork", 5, 3)]), 2],
    "while of an if of an if": [2, ("while", [("if", [("if", [7], [3])], [5])], [("if", [("if", [6], []), 4], [2]), 4]), 3],
    "while of an if with attached": [2, ("while", [("attached", 5), ("if", [("attached", 9)], [3])], [("if", [("attached", 9)], [2]), ("attached", 4)]), 2],
    "while of whiles": [2, ("while", [("while", [3], [8])], [("while", [5], [("if", [3], [4])])]), 3],
    "while of whiles of ifs": [2, ("while", [("while", [("if", [12], [11])], [("if", [9], [12])])], [("if", [9], [12])]), 2],
    "while of groups": [2, ("while", [3, ("group", 5)], [("group", 9), 2]), 2],
    "while of a group in an if": [2, ("while", [("if", [("group", 14)], [3])], [("group", 9), 3]), 2],
    "loop of ifs": [2, ("loop", [2, ("if", [9], [3])], [("if", [5], [4]), 3]), 3],
    "loop of ifs that are passed by": [2, ("loop", [2, ("if", [6], [])], [4, ("if", [5], [])]), 3],
    "loop of ifs only": [("loop", [("if", [12], [("if", [5], [])])], [("if", [9], [12])])],
    "loop of an if of forks": [2, ("loop", [("if", [("fork", 3, 5)], [("fork", 2, 5)])], [("fork", 3, 6)]), 2],
    "loop of loops": [2, ("loop", [("loop", [3], [("if", [8], [2])])], [("loop", [("if", [5], [3])], [4])]), 2],
    "loop of an if with attached": [2, ("loop", [("if", [("attached", 9)], [("attached", 4)])], [("attached", 7)]), 2],
    "loop of a heavy if": [2, ("loop", [2, ("if", [("heavy", 12)], [4])], [("heavy", 22), 3]), 2],
    "while of a heavy end": [2, ("while", [3, ("heavy", 20)], [("heavy", 14), 3]), 2],
    "while of a heavy begin": [2, ("while", [("heavy", 3), 2], [("heavy", 26), 3]), 2],
    "while of a heavy if": [2, ("while", [2, ("if", [("heavy", 12)], [4])], [("heavy", 12), ("if", [3], [2])]), 2],
    "call": [6, ("call", [14]), 8],
    "call in if": [2, ("if", [("call", [9]), 3], [("fork", 2, 5)]), 6],
    "group in if": [2, ("if", [4, ("group", 7), 3], [("group", 4), 6]), ("group", 5)],
}


def plan(request):
    p = subprocess.run([STREAMCTL, "plan", "-", "--local", "--format", "json"], input=json.dumps(request).encode(), capture_output=True, timeout=120)
    if p.returncode not in (0, 1):
        raise RuntimeError(f"streamctl ended with {p.returncode}: {p.stderr.decode(errors='replace')[:200]}")
    return json.loads(p.stdout)


def request_of(name, lowered, limit):
    return graphs_pieces.request(name, graphs_pieces.stretched(GRAPHS[name], STRETCH), lowered, limit, **OPTIONS)


def cutters(graph, whole, limit):
    """Number of a logical stream -> how it is cut."""
    return {s["id"]: Cutter(slots_of(graph, whole, s, limit), limit) for s in whole["streams"]}


def other_cuts(expected, cut):
    """Sentences about logical streams that are cut elsewhere than where the rule cuts them."""
    for number, cutter in expected.items():
        have = [[c["launch"] for c in t["commands"] if "launch" in c] for t in sorted(cut["streams"], key=lambda t: t["id"]) if t["logical_id"] == number]
        want = cutter.launches()
        if have != want:
            at = next((k for k, (h, w) in enumerate(zip(have, want)) if h != w), min(len(have), len(want)))
            yield f"stream {number} is cut into {len(have)} pieces, the rule makes {len(want)}; the first other one is piece {at}: {have[at:at + 1]} for {want[at:at + 1]}"


def started_in(graph, cut):
    """Stream -> scopes of those that start it."""
    scopes = {}
    for s in cut["streams"]:
        for before, c in zip(s["commands"], s["commands"][1:]):
            for t in c.get("activate", []):
                scopes.setdefault(t, []).append(graph.runs_in[before["launch"]])
    return scopes


def stray(graph, cut, lowered):
    """Sentences about launches that stand where what runs in front does not always run: on a stream that somebody starts, or enters by a jump, for something
    else. On a device that skips nothing it must run just as often; of structured bodies what is chosen is issued alone."""
    scopes = started_in(graph, cut)
    for s in cut["streams"]:
        now = [()] if s["initially_active"] else scopes.get(s["id"], [])
        for name in (c["launch"] for c in s["commands"] if "launch" in c):
            mine = graph.runs_in[name]
            if graph.nodes[name]["op_type"] == "LabelSet":
                now = [mine]
            if not any(mine == n if lowered else mine[:len(n)] == n for n in now):
                yield f"{name} follows on stream {s['id']} what does not always run when it does, or runs without it"
            now = [] if name in graph.leaves else now


def starts_in(graph, slot):
    """The scope from which a piece that begins with the slot is started; None: it is entered by a jump."""
    parent = graph.parent_of_graph.get(graph.graph_of[slot.node], (None,))[0]
    leaves_loop = graph.attr(slot.node, "_subgraph_end_node") and graph.nodes[parent]["op_type"] == "While"
    return None if leaves_loop else graph.waits_in[slot.node]


def starts(graph, whole, expected, name):
    """How many streams a StreamActive starts: those of the uncut plan, and the pieces that begin where it runs."""
    later = sum(starts_in(graph, c.slots[k]) == graph.runs_in[name] for c in expected.values() for k in c.begins[1:])
    return later + sum(len(d.get("activate", [])) for s in whole["streams"] for c, d in zip(s["commands"], s["commands"][1:]) if c.get("launch") == name)


def starter_tasks(graph, whole, expected, name):
    """What the piece with a StreamActive holds: of each there a task for each stream that it starts."""
    piece = next(c.slots[a:b] for c in expected.values() for a, b in zip(c.begins, c.begins[1:] + [len(c.slots)]) if name in [s.node for s in c.slots[a:b]])
    return sum(starts(graph, whole, expected, s.node) if graph.nodes[s.node]["op_type"] == "StreamActive" else s.size for s in piece)


def refused_rightly(error, graph, whole, expected, lowered, limit):
    """Whether the rule has no plan either."""
    if error["code"] == "SD2006":
        return not lowered and any(c.refused for c in expected.values())
    if not lowered:
        return error["code"] == "SD2005" and any(c.tight for c in expected.values())
    held = re.search(r"would hold (\d+) tasks", error["message"])
    return error["code"] == "SD2005" and int(held[1]) > limit and 0 <= int(held[1]) - starter_tasks(graph, whole, expected, error["node"]) <= JOINED


def case(name, lowered, limit, whole, again):
    """What is wrong with one plan."""
    request = request_of(name, lowered, limit)
    cut, graph = plan(request), Graph(request)
    expected = cutters(graph, whole, limit)
    if "error" in cut:
        return [] if refused_rightly(cut["error"], graph, whole, expected, lowered, limit) else [f"{cut['error']['code']} {cut['error']['message']}"]
    bad = list(other_cuts(expected, cut)) + list(stray(graph, cut, lowered))
    bad += ["the body of a loop cannot go on where its condition ended, and there is a plan"] if any(c.refused for c in expected.values()) else []
    if again:
        wrong, figures = plancheck.check(request, cut)
        bad += wrong + [f"{figures[k]} syncs are {k}" for k in ("redundant", "unneeded") if figures.get(k)]
    return bad


def forms(name):
    """Bodies can be lowered; in a flat graph there are none."""
    return (False, True) if any(f'"{k}"' in json.dumps(GRAPHS[name]) for k in ("if", "case", "while", "loop")) else (False,)


def cases(name, limits):
    """Sentences about a graph in both forms, at all of these limits; how many plans there were."""
    bad = []
    for lowered in forms(name):
        whole = plan(request_of(name, lowered, UNCUT))
        for limit in limits:
            form = "lowered, " if lowered else ""
            bad += [f"{form}limit {limit}: {b}" for b in case(name, lowered, limit, whole, limit % SAMPLE == len(name) % SAMPLE)]
    return bad, len(forms(name)) * len(limits)


def main():
    global STREAMCTL, STRETCH
    a = argparse.ArgumentParser(usage=__doc__)
    a.add_argument("--streamctl", default=STREAMCTL); a.add_argument("--graph", choices=GRAPHS); a.add_argument("--limit", type=int)
    a.add_argument("--step", type=int, default=1); a.add_argument("--stretch", type=int, default=1); a.add_argument("--jobs", type=int, default=2)
    a = a.parse_args()
    STREAMCTL, STRETCH, tap = a.streamctl, a.stretch, Tap()
    names = [a.graph] if a.graph else list(GRAPHS)
    of = lambda i: [a.limit] if a.limit else LIMITS[i % a.step::a.step]
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for name, (bad, count) in zip(names, pool.map(lambda i: cases(names[i], of(i)), range(len(names)))):
            tap.case(f"{name} ({count} plans)", bad)
    tap.end()


if __name__ == "__main__":
    main()
