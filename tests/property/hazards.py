#!/usr/bin/env python3
"""Hazards against brute force, on random requests (random/gen.h, kind hazards; --bodies: kind hazards-bodies).

usage: hazards.py [--streamctl PATH] [--bodies] [--count N] [--first SEED] [--law NAME]
What is told must be so: the two nodes are not ordered, by clocks over the command lists of the plan (plancheck.py), and what makes that a hazard holds for them.
Bodies make several runs: two nodes are a hazard if some run has both and does not order them; of two bodies of one choice none has both.
What is not told must not be: every pair that is a hazard by its definition has a node that is told of, or stands in a group (a communicator, a buffer) where one is.
"""
import argparse
import collections
import itertools
import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))
sys.path.insert(0, str(HERE.parent / "random"))
sys.path.insert(0, str(HERE))
import laws
import made
from plancheck import Plan
from plangraph import Graph, parse_input
from tap import Tap

FIRST, LAST = "SD3020", "SD3031"
CODES = {"collectives": ["SD3020"], "readers": ["SD3021"], "overwriters": ["SD3022"], "writes": ["SD3023"], "cores": ["SD3024", "SD3025", "SD3026", "SD3027"],
         "gang": ["SD3028"], "tags": ["SD3029"], "labels": ["SD3030"], "host": ["SD3031"]}
HOST = "DNN_VM_HOST_CPU"
COLLECTIVE = ("HcomAllReduce", "HcomAllGather")
LOOP_ENDS = ("NextIteration", "RefNextIteration")
LOOPS = ("While", "_While", "StatelessWhile", "For")


class Case:
    """A request, its plan, and who is ordered with whom."""

    def __init__(self, req):
        self.req, self.plan = req, laws.plan(req)
        if "error" in self.plan:
            return
        self.nodes = {n["name"]: n for n in laws.nodes_of(req)}
        bodies = {b["name"]: b["nodes"] for b in req["graph"].get("subgraphs", [])}
        self.bodies = {n: [bodies[b] for b in node.get("subgraphs", [])] for n, node in self.nodes.items()}
        self.parent = {m["name"]: n for n, inner in self.bodies.items() for body in inner for m in body}
        self.placed = {n["name"]: n for n in self.plan["nodes"]}
        self.launched = [n for n in self.nodes if self.placed[n]["stream"] >= 0]
        self.clocks = Plan(self.plan, req)
        self.told = collections.defaultdict(list)      # code -> (node, the other one)
        for d in self.plan["diagnostics"]:
            quoted = re.findall(r"'([^']*)'", d["message"])
            self.told[d["code"]].append((d["node"], next((q for q in quoted if q != d["node"] and q in self.nodes), None)))

    def pairs(self, kind):
        return [p for code in CODES[kind] for p in self.told[code]]

    def before(self, a, b):
        """In every run that has both."""
        return self.clocks.before(a, b)

    def beside(self, run, a):
        """The launches that a run has and does not order with this one."""
        return [m for m in self.launched if m != a and m in run.clock and not run.before(a, m) and not run.before(m, a)] if a in run.clock else []

    def unordered(self, a, b):
        """In some run that has both."""
        return any(a in r.clock and b in r.clock and not r.before(a, b) and not r.before(b, a) for r in self.clocks.runs)

    def together(self, a, b):
        return any(a in r.clock and b in r.clock for r in self.clocks.runs)

    def attr(self, n, key):
        return self.nodes[n].get("attrs", {}).get(key)

    def inputs(self, n):
        """(producer, output) of data inputs as listed; None where nothing is connected."""
        for t in self.nodes[n].get("inputs", []):
            if not t or parse_input(t)[1] == "data":
                yield (parse_input(t)[0], int(t.rpartition(":")[2]) if parse_input(t)[0] != t else 0) if t else None

    def input(self, n, number):
        return next(iter(list(self.inputs(n))[number:number + 1]), None)

    def from_outside(self, n):
        """What a Data of a body stands for."""
        number = self.attr(n, "_parent_node_index")
        if n not in self.parent or n in self.launched or self.nodes[n]["op_type"] != "Data" or not isinstance(number, int):
            return None
        return self.input(self.parent[n], number)

    def reads(self, n):
        """(producer, output) of data edges, of a body's Data that of the input it stands for."""
        for e in [self.from_outside(n), *self.inputs(n)]:
            if e and self.nodes[e[0]]["op_type"] not in LOOP_ENDS:
                yield e

    def gives(self, n, port):
        """What a node that launches nothing gives at an output: what it reads; with bodies what their outputs read there."""
        if not self.bodies[n]:
            yield from self.reads(n)
            return
        for body in self.bodies[n]:
            out = next((m["name"] for m in body if m["op_type"] == "NetOutput"), None)
            yield from filter(None, [out and self.input(out, port)])
        if self.nodes[n]["op_type"] in LOOPS and len(self.bodies[n]) > 1:
            yield from filter(None, [self.input(n, port)])


def told_unordered(case, kind):
    return [f"{a} and {b} are told of as {kind}, but are ordered" for a, b in case.pairs(kind) if not case.unordered(a, b)]


def communicators(case):
    """Node -> (what its communicator is known by, its ranks or None)."""
    known, ranks = {}, {}
    for n in case.launched:
        node = case.nodes[n]
        if not (node["op_type"] in COLLECTIVE or node.get("engine") == "DNN_HCCL" or "comm" in node):
            continue
        stated = node.get("comm", {})
        known[n] = stated.get("group") or case.attr(n, "group") or tuple(stated.get("ranks", []))
        if stated.get("ranks"):
            ranks.setdefault(known[n], set(stated["ranks"]))
    # Of several lists the first in the order in which nodes run would count: the groups here state one each.
    return {n: (k, ranks.get(k)) for n, k in known.items()}


def share(a, b):
    if a[0] == b[0]:
        return a[1] is None or len(a[1]) > 1
    return bool(a[1] and b[1] and len(a[1] & b[1]) > 1)


def law_collectives(case):
    of = communicators(case)
    told = {n for n, _ in case.pairs("collectives")}
    bad = told_unordered(case, "collectives") + [f"{a} and {b} share no ranks" for a, b in case.pairs("collectives") if not share(of[a], of[b])]
    loud = {of[n][0] for n in told}
    return bad + [f"{a} and {b} share ranks and are not ordered: nothing is told" for a, b in itertools.combinations(of, 2)
                  if share(of[a], of[b]) and case.unordered(a, b) and not {of[a][0], of[b][0]} & loud]


def stand_for(case, n):
    """Whose outputs that of a node is: its own, or those that it hands on."""
    if case.placed[n]["stream"] >= 0 or case.bodies[n]:
        return {n}
    return set().union(*(stand_for(case, src) for src, _ in case.reads(n))) or {n}


def origins(case, n):
    """(producer, output) that a node reads, through nodes that launch nothing."""
    todo, seen = list(case.reads(n)), set()
    while todo:
        src, port = at = todo.pop()
        if at in seen or case.nodes[src]["op_type"] in LOOP_ENDS:
            continue
        seen.add(at)
        yield at
        if case.placed[src]["stream"] < 0:
            todo += case.gives(src, port)


def overwriters(case):
    """Overwriter -> producers, as the names stand for them."""
    return {n: [root for p in case.nodes[n]["overwrites"] for root in sorted(stand_for(case, p))] for n in case.launched if case.nodes[n].get("overwrites")}


def buffers(case, over):
    """Producer or overwriter -> its buffer, as sets joined by who overwrites what."""
    parent = {n: n for n in case.nodes}

    def find(n):
        while parent[n] != n:
            n = parent[n]
        return n
    for n, producers in over.items():
        for p in producers:
            parent[find(n)] = find(p)
    return find


def law_inplace(case):
    over = overwriters(case)
    find = buffers(case, over)
    bad = [f"{r} is told to read what {w} overwrites, but is done before" for r, w in case.pairs("readers") if case.before(r, w)]
    bad += [f"{w} overwrites nothing that {r} reads" for r, w in case.pairs("readers") if find(w) not in {find(p) for p, _ in origins(case, r)}]
    bad += told_unordered(case, "overwriters")
    loud = {find(p) for r, _ in case.pairs("readers") for p, _ in origins(case, r)} | {find(w) for w, _ in case.pairs("overwriters")}
    for w, producers in over.items():
        for p in set(producers) - {w}:
            silent = find(p) not in loud
            if silent and p in case.launched and case.unordered(p, w):
                bad.append(f"{w} overwrites {p} and is not ordered with it: nothing is told")
            bad += [f"{r} reads {p}, which {w} overwrites, and need not be first: nothing is told" for r in case.launched
                    if silent and not {r, p} & {w} and p not in over and p in {o for o, _ in origins(case, r)} and not case.before(r, w) and not case.before(w, p)]
    for a, b in itertools.combinations(over, 2):
        if set(over[a]) & set(over[b]) - {a, b} and case.unordered(a, b) and find(a) not in loud:
            bad.append(f"{a} and {b} overwrite one buffer and are not ordered: nothing is told")
    return bad


def law_writes(case):
    of = {n: set(case.nodes[n].get("writes", [])) for n in case.launched}
    bad = told_unordered(case, "writes") + [f"{a} and {b} write no buffer both" for a, b in case.pairs("writes") if not of[a] & of[b]]
    loud = set().union(*(of[a] for a, _ in case.pairs("writes")))      # a node is told of once, whatever it writes
    return bad + [f"{a} and {b} write one buffer and are not ordered: nothing is told" for a, b in itertools.combinations(of, 2)
                  if of[a] & of[b] - loud and case.unordered(a, b)]


def claims(case, n):
    """(cube, vector) that a node claims, and whether its claim is rigid."""
    node, caps = case.nodes[n], [int(case.attr(n, k) or 0) for k in ("_op_aicore_num", "_op_vectorcore_num")]
    stated, gang = [node.get("cube_cores"), node.get("vector_cores")], node.get("gang", False)
    talks = node["op_type"] in COLLECTIVE or node.get("engine") == "DNN_HCCL" or "comm" in node or bool(case.attr(n, "group"))
    out = []
    for cap, figure in zip(caps, stated):
        figure = None if not (gang or talks) and not cap else figure
        out.append(min([x for x in (cap or None, figure) if x is not None], default=0))
    if gang and not any(caps) and stated == [None, None]:
        out = [10 ** 9] * 2
    return out, gang or talks


def law_cores(case):
    device, bad = [case.req["device"]["model"][k] for k in ("cube_cores", "vector_cores")], told_unordered(case, "cores")
    of = {n: [min(c, d) for c, d in zip(claims(case, n)[0], device)] for n in case.launched}
    rigid = {n for n in case.launched if claims(case, n)[1]}
    told = {n for n, _ in case.pairs("cores")}
    dead = {n for code in ("SD3024", "SD3025") for n, _ in case.told[code]}
    bad += [f"{n} is told of, but nothing beside it asks for so much" for n in told
            if all(sum(of[m][k] for m in [n, *case.beside(r, n)]) <= device[k] for k in (0, 1) for r in case.clocks.runs)]
    bad += [f"{a} and {b} ask for more cores than there are: nothing is told" for a, b in itertools.combinations(of, 2)
            if any(of[a][k] and of[b][k] and of[a][k] + of[b][k] > device[k] for k in (0, 1)) and case.unordered(a, b) and not {a, b} & told]
    bad += [f"{a} and {b} are rigid and too large: no dead-lock is told" for a, b in itertools.combinations(sorted(rigid), 2)
            if any(of[a][k] and of[b][k] and of[a][k] + of[b][k] > device[k] for k in (0, 1)) and case.unordered(a, b) and not {a, b} & dead]
    gang = {n for n in case.launched if case.nodes[n].get("gang") and any(d < c < 10 ** 9 for c, d in zip(claims(case, n)[0], device))}
    return bad + [f"{n}: a gang that is too large is told wrongly" for n in gang ^ {n for n, _ in case.pairs("gang")}]


def label_of(case, n):
    """The label that a user's becomes with the inner one behind it; None where the user has given none."""
    user, inner = case.attr(n, "_user_stream_label"), case.attr(n, "_stream_label")
    return f"{user}_{inner}" if user and inner and case.attr(n, "_enable_inner_parallel") else user


def law_labels(case):
    """Attached launches and streams with several starters may hide an order from the rule, never make one up."""
    told = {label_of(case, n) for n, _ in case.pairs("labels")}
    plain = not case.plan["attached_stream_count"] and not case.plan["activations"] and not case.parent
    bad = []
    for label in {label_of(case, n) for n in case.launched} - {None}:
        beside = [(a, b) for a in case.launched if label_of(case, a) == label for b in case.launched if a != b and case.unordered(a, b)]
        if beside and label in told:
            bad.append(f"{label} is told to bring nothing, but {beside[0]} can run at the same time")
        if plain and not beside and label not in told:
            bad.append(f"{label} brings nothing: nothing is told")
    return bad


def law_host(case):
    """Nodes of the host behind launches of the device, and copies among these."""
    def behind(n):
        near = {parse_input(t)[0] for t in case.nodes[n].get("inputs", []) if t and (parse_input(t)[1] == "control" or case.nodes[parse_input(t)[0]]["op_type"] not in LOOP_ENDS)}
        for src in near | {e[0] for e in [case.from_outside(n)] if e}:
            yield from told_by(src)

    def told_by(src):
        if case.nodes[src].get("engine") == HOST:
            return
        yield from [src] if src in case.launched else behind(src)
        for body in case.bodies[src]:
            yield from told_by(next(m["name"] for m in body if m["op_type"] == "NetOutput")) if any(m["op_type"] == "NetOutput" for m in body) else []
    on_host = {n: set(behind(n)) for n in case.nodes if case.nodes[n].get("engine") == HOST}
    bad = [f"{n}: host_wait is {p['host_wait']}" for n, p in case.placed.items() if p["host_wait"] != bool(on_host.get(n))]
    told = {n for n, _ in case.pairs("host")}
    return bad + [f"{n}: a copy in front of the host is told wrongly" for n in told ^ {n for n, b in on_host.items() if any("Memcpy" in case.nodes[m]["op_type"] for m in b)}]


def law_tags(case):
    """Every wait is behind some record of its tag, or nothing has recorded it, which is told."""
    told, bad = {n for n, _ in case.pairs("tags")}, []
    for n in case.launched:
        if case.nodes[n]["op_type"] != "npu_tagged_event_wait":
            continue
        answered = any(case.nodes[m]["op_type"] == "npu_tagged_event_record" and case.attr(m, "tag") == case.attr(n, "tag") and case.before(m, n) for m in case.launched)
        if not answered and n not in told and case.attr(n, "created_inside") is not False:
            bad.append(f"{n} waits for a tag that nobody records before: nothing is told")
        if n in told and case.attr(n, "created_inside") is False:
            bad.append(f"{n} waits for what is recorded outside: told")
    return bad


def law_strict(case):
    """Under strict the first hazard ends the run, with the words of the warning; without one the plan is the same."""
    strict = laws.plan(dict(case.req, options=dict(case.req["options"], strict=True)))
    first = next((d for d in case.plan["diagnostics"] if FIRST <= d["code"] <= LAST), None)
    if first:
        error = strict.get("error", {})
        return [] if (error.get("code"), error.get("message"), error.get("node")) == (first["code"], first["message"], first["node"]) else [f"strict answers {error or 'a plan'}"]
    same = {k: v for k, v in case.plan.items() if k != "plan_key"} == {k: v for k, v in strict.items() if k != "plan_key"}
    return [] if same else ["strict changes a plan without hazards"]


LAWS = {f.__name__[4:]: f for f in (law_collectives, law_inplace, law_writes, law_cores, law_labels, law_host, law_tags, law_strict)}


def main():
    a = argparse.ArgumentParser(usage=__doc__)
    a.add_argument("--streamctl", default=os.environ.get("STREAMCTL", "build/clients/streamctl"))
    a.add_argument("--count", type=int, default=100); a.add_argument("--first", type=int, default=1); a.add_argument("--law", choices=LAWS)
    a.add_argument("--bodies", action="store_true")
    a = a.parse_args()
    laws.STREAMCTL, tap, met, bad = a.streamctl, Tap(), collections.Counter(), collections.defaultdict(list)
    for seed in range(a.first, a.first + a.count):
        req = made.request(seed, "hazards-bodies" if a.bodies else "hazards")
        req["options"].pop("strict", None)
        if not Graph(req).tries_all():      # of more runs only some are tried
            continue
        case = Case(req)
        if "error" in case.plan:
            continue
        met["plan"] += 1
        met.update(kind for kind in CODES if case.pairs(kind))
        for law in [a.law] if a.law else LAWS:
            bad[law] += [f"seed {seed}: {b}" for b in LAWS[law](case)]
    for law in [a.law] if a.law else LAWS:
        tap.case(f"{law} ({met['plan']} plans of {a.count} requests from seed {a.first})", bad[law])
    tap.case("each hazard is met, and each plan without it", [f"{k} in {met[k]} of {met['plan']} plans" for k in CODES if not 0 < met[k] < met["plan"]] if a.count >= 60 else [])
    tap.end()


if __name__ == "__main__":
    main()
