#!/usr/bin/env python3
"""How streams are cut: graphs of graphs_pieces.py at every limit from 28 to 64, held against a second reading of the rule.

usage: pieces.py [--streamctl PATH] [--graph NAME] [--limit N] [--step N] [--stretch K]
The commands of a logical stream are those of the plan without a limit. They are counted here one by one, and a piece begins wherever the next one
would not fit; the plan with a limit must not have more pieces. No launch may follow, on its piece, one that does not always run when it does, unless
a jump leads to it. And every plan is proved: by the planner itself, a sample by plancheck.py too.
A failure names graph, form and limit; `--graph NAME --limit N` repeats it. --step N takes every Nth limit, --stretch K makes all chains K times as long.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))
sys.path.insert(0, str(HERE))
import graphs_pieces
import plancheck
from plangraph import Graph, task_count
from tap import Tap

STREAMCTL = os.environ.get("STREAMCTL", "build/clients/streamctl")
LIMITS = range(28, 65)
RESERVE, UNCUT = 27, 1 << 20
STRETCH = 1
SAMPLE = 7          # every seventh plan is proved once more
TASKS = {"wait": 2, "notify_wait": 1, "record": 1, "notify_record": 1}
OPTIONS = {"max_parallel_num": {"AIcoreEngine": 2}, "hcom_parallel": True}
# What has no plan: a StreamActive that starts more pieces than a stream can hold; a structured loop of which a condition ends with bodies on several
# pieces, since its body can go on on one only. All other structured graphs have one at every limit.
REFUSED = {False: ("SD2006", "while of an if"), True: ("SD2005", "")}
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
    "while at the begin": [("while", [4], [7])],
    "while in while": [2, ("while", [3], [2, ("while", [5], [4]), 3]), 2],
    "while of an if": [2, ("while", [("if", [3], [5])], [("if", [6], [2]), 4]), 3],
    "while of forks": [2, ("while", [("fork", 2, 3)], [("fork", 3, 6)]), 3],
    "while in if": [2, ("if", [3, ("while", [1], [6]), 2], [5]), 4],
    "if in while": [2, ("while", [2], [3, ("if", [5], [8]), 2]), 4],
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


class Item:
    """One command as it is counted: `group` is the continuous label of its node."""

    def __init__(self, size, group, may_cut=True, tells=False):
        self.size, self.group, self.may_cut, self.tells = size, group, may_cut, tells


def group_of(graph, commands, i):
    """The label of the node to which a wait or record belongs."""
    near = commands[i:] if "wait" in commands[i] or "notify_wait" in commands[i] else commands[i::-1]
    node = next((c["launch"] for c in near if "launch" in c), None)
    return node and graph.attr(node, "_continuous_stream_label")


def items_of(graph, commands, limit, totals):
    for i, c in enumerate(commands):
        if "launch" not in c:
            size = sum(TASKS[k] for k in TASKS if k in c)
            if size:
                yield Item(size, group_of(graph, commands, i), tells="record" in c or "notify_record" in c)
            continue
        node = graph.nodes[c["launch"]]
        size = node.get("attached_task_count", task_count(node)) if c.get("attached") else task_count(node)
        if node["op_type"] == "StreamActive":
            size = sum(-(-totals[s] // limit) for d in commands[i + 1:i + 2] for s in d.get("activate", []))
        stays = node["op_type"].startswith("Label") or node.get("subgraphs") or graph.attr(c["launch"], "subgraph_first_active")
        yield Item(size, graph.attr(c["launch"], "_continuous_stream_label"), not stays)


def count_pieces(items, limit):
    """How many pieces a stream becomes when it is cut wherever the next item, with the reserve, does not fit. In a group the cut falls in front
    of its first item, if the group does not begin the piece and fits; not for what is told behind a node."""
    pieces, held, in_group, group = 1, 0, 0, None
    for item in items:
        in_group, group = in_group if item.group and item.group == group else 0, item.group
        if held and held + item.size + RESERVE > limit and item.may_cut:
            moves = in_group < held and in_group + item.size + RESERVE <= limit and not item.tells
            pieces, held = pieces + 1, in_group if moves else 0
            in_group = held
        held, in_group = held + item.size, in_group + item.size
    return pieces


def too_many(graph, whole, cut, limit):
    """Sentences about logical streams with more pieces than the count gives."""
    totals = {s["id"]: s["task_count"] for s in whole["streams"]}
    loops = sum(graph.nodes[n]["op_type"] == "While" and n not in graph.lowered for n in graph.nodes)
    for s in whole["streams"]:
        most = count_pieces(items_of(graph, s["commands"], limit, totals), limit)
        have = sum(t["logical_id"] == s["id"] for t in cut["streams"])
        # A structured body goes on where its condition ended: the cut between them moves.
        if have > most + loops:
            yield f"stream {s['id']} is cut into {have} pieces, {most} are enough"


def runs_with(graph, body, other):
    """Whether everything in the one body always runs when what is in the other does."""
    mine, theirs = (graph.scope_of_graph[b] for b in (body, other))
    return mine == theirs[:len(mine)]


def stray(graph, cut):
    """Sentences about launches on a piece that was started for less than they run in."""
    for s in cut["streams"]:
        body = "" if s["initially_active"] else None
        for c in s["commands"]:
            if "launch" not in c:
                continue
            inside, jumped = c.get("in", ""), graph.nodes[c["launch"]]["op_type"] == "LabelSet"
            if jumped or body is None:
                body = inside if c["launch"] in graph.runs_in and not graph.attr(c["launch"], "_subgraph_end_node") else graph.graph_of[graph.parent_of_graph[inside][0]]
            elif not runs_with(graph, body, inside):
                yield f"{c['launch']} follows on stream {s['id']} what runs in {body} only"


def case(name, lowered, limit, whole, again):
    """What is wrong with one plan."""
    request = request_of(name, lowered, limit)
    cut, graph = plan(request), Graph(request)
    if "error" in cut:
        code, word = REFUSED[lowered]
        return [] if cut["error"]["code"] == code and word in name else [f"{cut['error']['code']} {cut['error']['message']}"]
    bad = list(too_many(graph, whole, cut, limit)) + list(stray(graph, cut))
    if again:
        wrong, figures = plancheck.check(request, cut)
        bad += wrong + [f"{figures[k]} syncs are {k}" for k in ("redundant", "unneeded") if figures.get(k)]
    return bad


def cases(name, limits):
    """Sentences about a graph in both forms, at all of these limits; how many plans there were."""
    forms = (False, True) if any(k in json.dumps(GRAPHS[name]) for k in ('"if"', '"case"', '"while"')) else (False,)
    bad = []
    for lowered in forms:
        whole = plan(request_of(name, lowered, UNCUT))
        for limit in limits:
            form = "lowered, " if lowered else ""
            bad += [f"{form}limit {limit}: {b}" for b in case(name, lowered, limit, whole, limit % SAMPLE == len(name) % SAMPLE)]
    return bad, len(forms) * len(limits)


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
