#!/usr/bin/env python3
"""Laws that every plan keeps, tried on the graphs of the random run (kind flat; --bodies: kind bodies).

usage: laws.py [--streamctl PATH] [--bodies] [--count N] [--first SEED] [--law NAME]
A failure names the law and the seed; `laws.py --first SEED --count 1 --law NAME` replays it, `random_graphs --kind flat --print SEED` its request.
"""
import argparse
import collections
import concurrent.futures
import copy
import json
import os
import pathlib
import random
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))
sys.path.insert(0, str(HERE.parent / "random"))
sys.path.insert(0, str(HERE))
import law_changes
import law_explained
import made
import plancheck
from tap import Tap

STREAMCTL = os.environ.get("STREAMCTL", "build/clients/streamctl")
INSERTED = re.compile(r"(.*)(_StreamActive_\d+)")     # nodes that the plan puts behind a StreamSwitch
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
    """Whether a rule compares names: then their ranks go into plan_key."""
    o = req["options"]
    return o.get("topo_sorting") in NAME_RULES or (o.get("memory_priority", False) and o.get("topo_sorting") == "dfs")


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
    return held_against_name(req, rename(req, names), names)


def law_key_order_does_not_matter(req, r):
    """The order of attributes and JSON keys is no part of a request."""
    other = copy.deepcopy(req)
    for n in nodes_of(other):
        if "attrs" in n:
            n["attrs"] = dict(r.sample(sorted(n["attrs"].items(), key=str), len(n["attrs"])))
    other = {k: dict(reversed(v.items())) for k, v in reversed(other.items())}
    return [] if plan_bytes(req) == plan_bytes(other) else ["another order of keys gives another plan"]


def ranks(req):
    names = [n["name"] for n in nodes_of(req)]
    return [sorted(names).index(n) for n in names]


def law_one_name_does_not_matter(req, r):
    """One node with another name: all stays but that name, the keys too; where a rule compares names, as long as their ranks stay, and else the key is another."""
    node = r.choice(nodes_of(req))["name"]
    fresh = f"{r.choice('!az~')}{r.randrange(10 ** 6)}" if r.randrange(3) else node + "!"
    names = {n["name"]: n["name"] for n in nodes_of(req)} | {node: fresh}
    other = rename(req, names)
    return held_against_name(req, other, names)


def held_against_name(req, other, names):
    a, b = plan(req), plan(other)
    if "error" in a or "error" in b:
        return [] if a.get("error", {}).get("code") == b.get("error", {}).get("code") or compares_names(req) else ["only one of the two is refused"]
    if compares_names(req) and ranks(req) != ranks(other):
        return ["plan_key stays, though names have other ranks"] * (a["plan_key"] == b["plan_key"]) + ["graph_hash changes"] * (a["graph_hash"] != b["graph_hash"])
    return same_but_for_names(a, b, names)


def same_but_for_names(a, b, names):
    """What differs between two plans beside the names of their nodes, inserted ones too."""
    names = dict(names, **{n["name"]: INSERTED.sub(lambda m: names[m[1]] + m[2], n["name"]) for n in a["nodes"] if n["name"] not in names})
    a["diagnostics"] = [dict(d, message="") for d in a["diagnostics"]]
    b["diagnostics"] = [dict(d, message="") for d in b["diagnostics"]]
    return [f"{k} differs" for k in a if rename(a[k], names) != b[k]]


TRIED, CHANGED = collections.Counter(), collections.Counter()
ROWS_A_REQUEST, TRIES_TO_CHANGE = 12, 40


def law_changes_change_what_they_must(req, r):
    """One changed option, field or attribute gives another plan_key, another graph_hash exactly where the graph changed, and another plan nowhere but
    where it matters (law_changes.py)."""
    first, bad = plan(req), []
    if "error" in first:
        return []
    for row in r.sample(law_changes.ROWS, ROWS_A_REQUEST):
        found, changed = law_changes.try_row(row, req, first, plan, r)
        bad += found
        TRIED[row.what] += 1
        CHANGED[row.what] += changed
    return bad


def rows_without_effect():
    return [f"{row.what} changed none of {TRIED[row.what]} plans" for row in law_changes.ROWS if row.must and TRIED[row.what] >= TRIES_TO_CHANGE and not CHANGED[row.what]]


def law_explained_truly(req, r):
    """Explanations are true, whole, and change nothing else."""
    bare, explained = plan(req), plan(dict(req, options=dict(req["options"], explain=True)))
    if "error" in bare or "error" in explained:
        return [] if bare == explained else ["only one of the two is refused"]
    return law_explained.problems(req, bare, explained)


LAWS = {f.__name__[4:]: f for f in (law_proved, law_repeats, law_names_do_not_matter, law_one_name_does_not_matter, law_key_order_does_not_matter, law_changes_change_what_they_must,
                                 law_explained_truly)}


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
        for law in [a.law] if a.law else LAWS:
            found = [b for bad in pool.map(lambda s: broken(law, s, request), seeds) for b in bad]
            found += rows_without_effect() if law == "changes_change_what_they_must" else []
            tap.case(f"{law.replace('_', ' ')} ({a.count} requests from seed {a.first})", found)
    tap.end()


if __name__ == "__main__":
    main()
