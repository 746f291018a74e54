#!/usr/bin/env python3
"""Laws that every plan keeps, tried on the graphs of the random run (kind flat; --bodies: kind bodies).

usage: laws.py [--streamctl PATH] [--bodies] [--count N] [--first SEED] [--law NAME]
A failure names the law and the seed; `laws.py --first SEED --count 1 --law NAME` replays it, `random_graphs --kind flat --print SEED` its request.
"""
import argparse
import concurrent.futures
import copy
import json
import os
import pathlib
import random
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))
sys.path.insert(0, str(HERE.parent / "random"))
sys.path.insert(0, str(HERE))
import law_explained
import made
import plancheck
from tap import Tap

STREAMCTL = os.environ.get("STREAMCTL", "build/clients/streamctl")
NAME_RULES = ("bfs", "rdfs")
# Limits of the device; labels that contradict single_stream; streams that cannot be started as the option says, or that labels let run into a body or behind a jump;
# notifies of one key and two types
REFUSED = ("SD2", "E10055", "SD030", "SD031", "E19999")


def plan_bytes(req, *more, env=None):
    p = subprocess.run([STREAMCTL, "plan", "-", "--local", "--format", "json", *more], input=json.dumps(req).encode(), capture_output=True, timeout=120,
                       env=dict(os.environ, **(env or {})))
    if p.returncode not in (0, 1):
        raise RuntimeError(f"streamctl ended with {p.returncode}: {p.stderr.decode(errors='replace')[:200]}")
    return p.stdout


def plan(req):
    return json.loads(plan_bytes(req))


def nodes_of(req):
    """The nodes of the root, then those of the bodies."""
    return req["graph"]["nodes"] + [n for body in req["graph"].get("subgraphs", []) for n in body["nodes"]]


def compares_names(req):
    o = req["options"]
    return o.get("topo_sorting") in NAME_RULES or o.get("memory_priority")


def rename_items(attrs, names):
    """Attributes, with the names in items of _event_multiplexing put through `names`."""
    if "_event_multiplexing" not in attrs:
        return attrs
    items = [item.split(";") for item in attrs["_event_multiplexing"]]
    return dict(attrs, _event_multiplexing=[";".join([verb, names[name], number]) for verb, name, number in items])


def rename(value, names):
    """Every node name in a plan or request, put through `names` (edges too)."""
    if isinstance(value, dict):
        return {k: rename_items(v, names) if k == "attrs" else v if k in ("label", "graph_name", "op_type", "engine") else rename(v, names)
                for k, v in value.items()}
    if isinstance(value, list):
        return [rename(v, names) for v in value]
    if isinstance(value, str):
        mark = "^" if value.startswith("^") else ""
        name, colon, port = value[len(mark):].rpartition(":")
        if colon and name in names:
            return mark + names[name] + ":" + port
        return mark + names.get(value[len(mark):], value[len(mark):])
    return value


def law_proved(req, r):
    """A plan is answered and holds what it promises, by an independent checker; or it is refused for a limit."""
    got = plan(req)
    if "error" in got:
        code = got["error"]["code"]
        return [] if code.startswith(REFUSED) else [f"refused: {code} {got['error']['message']}"]
    bad, figures = plancheck.check(req, got)
    return bad + [f"{figures[k]} syncs are {k}" for k in ("redundant", "unneeded") if figures.get(k)]


def law_repeats(req, r):
    """The same request gives the same bytes in every process, whatever the environment says."""
    first = plan_bytes(req)
    again = plan_bytes(req, env={"LC_ALL": "C.UTF-8", "TZ": "Asia/Tokyo", "MALLOC_PERTURB_": "165", "PADDING": "x" * r.randrange(4000)})
    return [] if first == again else ["a second process answers other bytes"]


def law_names_do_not_matter(req, r):
    """Renamed nodes change the names in the plan and nothing else, the keys included, save where a rule compares names."""
    old = [n["name"] for n in nodes_of(req)]
    new = [f"{r.choice('abyz')}/{k}.{r.randrange(10 ** 6)}" for k in range(len(old))]
    if compares_names(req):
        new = [f"q{sorted(old).index(n):05}" for n in old]      # the same ranks
    names = dict(zip(old, new))
    a, b = plan(req), plan(rename(req, names))
    if "error" in a or "error" in b:
        return [] if a.get("error", {}).get("code") == b.get("error", {}).get("code") else ["only one of the two is refused"]
    names.update({f"{was}_StreamActive_0": f"{now}_StreamActive_0" for was, now in names.items()})     # inserted nodes
    a["diagnostics"] = b["diagnostics"] = [d["code"] for d in a["diagnostics"]]
    return [] if rename(a, names) == b else [f"{k} differs" for k in a if rename(a[k], names) != b[k]]


def law_key_order_does_not_matter(req, r):
    """The order of attributes and JSON keys is no part of a request."""
    other = copy.deepcopy(req)
    for n in nodes_of(other):
        if "attrs" in n:
            n["attrs"] = dict(r.sample(sorted(n["attrs"].items(), key=str), len(n["attrs"])))
    other = {k: dict(reversed(v.items())) for k, v in reversed(other.items())}
    return [] if plan_bytes(req) == plan_bytes(other) else ["another order of keys gives another plan"]


def changes(req, r):
    """Requests that differ in one thing a plan may depend on: (what, request, whether the graph is another one)."""
    nodes = nodes_of(req)
    at = r.randrange(len(nodes))

    def with_node(**what):
        other = copy.deepcopy(req)
        nodes_of(other)[at].update(what)
        return other

    def with_option(**what):
        return dict(req, options=dict(req["options"], **what))
    yield "task_count", with_node(task_count=nodes[at].get("task_count", 1) + 3), True
    yield "duration_ns", with_node(duration_ns=nodes[at].get("duration_ns", 0) + 17), True
    yield "an attribute", with_node(attrs=dict(nodes[at].get("attrs", {}), _stream_label="other")), True
    yield "an unknown attribute", with_node(attrs=dict(nodes[at].get("attrs", {}), colour=[1, 2])), True
    yield "op_type", with_node(op_type=nodes[at]["op_type"] + "X"), True
    yield "outputs", with_node(outputs=[{"bytes": 12345}]), True
    yield "hcom_parallel", with_option(hcom_parallel=not req["options"].get("hcom_parallel", False)), False
    yield "max_parallel_num", with_option(max_parallel_num={"AIcoreEngine": 9}), False
    yield "a limit", dict(req, device={"limits": dict(req["device"]["limits"], max_events=4321)}), False
    yield "an engine", dict(req, device=dict(req["device"], engines=[{"name": "AIcoreEngine", "priority": 9}])), False


def law_changes_change_the_key(req, r):
    """One changed field gives another plan_key, and another graph_hash exactly where the graph changed."""
    first, bad = plan(req), []
    if "error" in first:
        return []
    for what, other, graph_too in changes(req, r):
        got = plan(other)
        if "error" in got:
            continue
        if got["plan_key"] == first["plan_key"]:
            bad.append(f"{what} is not in the plan_key")
        if (got["graph_hash"] != first["graph_hash"]) != graph_too:
            bad.append(f"{what}: graph_hash {'stays' if graph_too else 'changes'}")
    return bad


def law_explained_truly(req, r):
    """Explanations are true, whole, and change nothing else."""
    bare, explained = plan(req), plan(dict(req, options=dict(req["options"], explain=True)))
    if "error" in bare or "error" in explained:
        return [] if bare == explained else ["only one of the two is refused"]
    return law_explained.problems(req, bare, explained)


LAWS = {f.__name__[4:]: f for f in (law_proved, law_repeats, law_names_do_not_matter, law_key_order_does_not_matter, law_changes_change_the_key,
                                 law_explained_truly)}


FLAT_ONLY = ("explained_truly",)        # what holds explanations against a plan reads the edges of flat graphs alone


def request_of(number, kind):
    """Graph `number` without what laws ask for themselves, and without what refuses much."""
    req = made.request(number, kind)
    for option in ("explain", "strict", "unknown_op"):
        req["options"].pop(option, None)
    return req


def broken(law, seed, request):
    try:
        return [f"seed {seed}: {b}" for b in LAWS[law](request(seed), random.Random(f"{law} {seed}"))]
    except Exception as x:          # a plan that lacks a key, no JSON, no answer
        return [f"seed {seed}: {type(x).__name__} {x}"]


def main():
    global STREAMCTL
    a = argparse.ArgumentParser(usage=__doc__)
    a.add_argument("--streamctl", default=STREAMCTL); a.add_argument("--count", type=int, default=100)
    a.add_argument("--first", type=int, default=1); a.add_argument("--law", choices=LAWS); a.add_argument("--jobs", type=int, default=2)
    a.add_argument("--bodies", action="store_true")
    a = a.parse_args()
    STREAMCTL, tap = a.streamctl, Tap()
    request = lambda number: request_of(number, "bodies" if a.bodies else "flat")
    seeds = range(a.first, a.first + a.count)
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for law in [a.law] if a.law else [law for law in LAWS if not a.bodies or law not in FLAT_ONLY]:
            found = [b for bad in pool.map(lambda s: broken(law, s, request), seeds) for b in bad]
            tap.case(f"{law.replace('_', ' ')} ({a.count} requests from seed {a.first})", found)
    tap.end()


if __name__ == "__main__":
    main()
