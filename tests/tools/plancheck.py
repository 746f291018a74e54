#!/usr/bin/env python3
"""Check a stream plan against the graph it was made for, knowing nothing of how it was made.

usage: plancheck.py REQUEST.json PLAN.json [EXPECT.json]

REQUEST  {"graph": {...}, "options": {...}, "device": {...}}     (spec/contract.md, Request)
PLAN     what the planner answered                              (proto/streamd.proto, Plan, as JSON)
EXPECT   optional; any of
         {"streams": {node: id}, "stream_count": n, "stream_count_max": n, "event_count": n, "event_count_max": n,
          "notify_count": n, "ordered": [[a, b]], "concurrent": [[a, b]], "same_stream": [[a, b]],
          "different_stream": [[a, b]], "error": "CODE"}

Prints one line a violation, then figures; exits 1 where anything is violated.

The order that a plan promises is computed from its command lists alone: the commands of one stream run in order, a wait runs after its
record, a stream that is not initially active starts after an activate naming it (of several activates, after the earliest: only what all of
them know counts). Control flow is judged once for each way to take it (a *run*): one body of every If and Case, the body of every While once
or not at all; the commands of what is not taken do not happen. In a graph lowered to labels a LabelSwitchByIndex or LabelGotoEx leaves its
stream and execution goes on at the LabelSet, on whatever stream that is; every StreamSwitch is taken, and a StreamSwitchN for each of its labels.
What a command belongs to is said by its `in`, and by the plan's syncs for the label nodes that always run.
Clocks count launches: clock[s] = how many launches of stream s are known to have finished.
"""
import json
import sys
from collections import defaultdict

from planclock import Plan, Run    # Plan is for callers of this module
from plancommands import Commands
import planswitches
import planturns
from plangraph import NO_SYNC_FROM, SWITCHES, VARIABLES, Graph, parse_input, task_count


MAYBE = ""        # why an order is asked for that perhaps is not: where it holds it counts as such


def extra_orders(graph, plan, options):
    """Orders beside the edges, as ((node, stream), (node, stream), why): declared dependencies of attached streams, every attached stream
    finished when the NetOutput of its graph runs, every stream of an iteration loop finished when its StreamSwitch runs."""
    placed = {n["name"]: n for n in plan.plan["nodes"]}
    on = lambda n: (n, placed[n]["stream"]) if n in placed and placed[n]["stream"] >= 0 else None
    rank, moved = {n: i for i, n in enumerate(graph.flat())}, reordered(options, graph)
    for n in rank:
        infos = graph.attr(n, "_attached_stream_info_list") or []
        old = graph.attr(n, "_attached_stream_info") or []
        text = ",".join(i.get("_attached_stream_depend_value_list", "") for i in (old if isinstance(old, list) else [old]))
        wanted = [d for i in infos for d in i.get("_attached_resource_depend_value_list_int", [])] if infos else [int(x) for x in text.split(",") if x.strip()]
        data = [parse_input(t)[0] for t in graph.nodes[n].get("inputs", []) if t and parse_input(t)[1] == "data"]
        mine = placed.get(n, {}).get("attached_streams", [])
        for d in wanted:
            p = data[d] if d < len(data) else None
            if p is None or p not in placed:
                continue
            stands_for, why = [p], "a declared dependency of an attached stream"
            if graph.nodes[p]["op_type"] in VARIABLES:
                writers = [m for m in graph.succs[p] if graph.attr(m, "reference")]
                if moved and writers:       # which of them is the last in front depends on the planner's order
                    stands_for, why = writers + [p], MAYBE
                else:
                    stands_for = ([m for m in writers if rank[m] < rank[n]] or [p])[-1:]
            for p in stands_for:
                theirs = placed[p].get("attached_streams", [])
                if graph.nodes[p]["op_type"] in NO_SYNC_FROM or len(mine) > 1 or len(theirs) > 1 or mine == theirs:
                    continue
                a, b = (p, theirs[0]) if theirs else on(p), (n, mine[0]) if mine else on(n)
                if a and b and a != b:
                    yield a, b, why
        for s in mine:
            out = next((m for m in graph.members[graph.graph_of[n]] if graph.nodes[m]["op_type"] == "NetOutput"), None) if n in graph.graph_of else None
            if out and on(out):
                yield (n, s), on(out), "an attached stream must be finished at NetOutput"
    act = next((n for n in rank if graph.attr(n, "is_loop_active") and not graph.attr(n, "_active_label_list")), None)
    if act:
        near = [s for s in graph.preds[act] if s in graph.nodes]
        switch = next((m for m in near + [q for m in near for q in graph.preds[m] if q in graph.nodes] if graph.nodes[m]["op_type"] == "StreamSwitch"), None)
        again = {t for s in plan.ids for i, c in enumerate(plan.commands[s]) if "activate" in c and plan.launch_before(s, i) == act for t in c["activate"]}
        for s in plan.ids:
            if plan.streams[s].get("initially_active", True) and not plan.streams[s].get("attached") and s not in again and on(act) != (act, s) and plan.commands[s]:
                plan.bad.append(f"stream {s} starts with the model, but the loop does not start it again ({act})")
        for s in sorted(again & set(plan.ids)) if switch else []:
            pieces = {t: [c["launch"] for c in plan.commands[t] if "launch" in c] for t in plan.ids if t == s or plan.streams[t]["logical_id"] == s}
            switches = lambda t: any(graph.nodes.get(m, {}).get("op_type") in SWITCHES for m in pieces[t])
            last = [t for t in pieces if pieces[t]]
            if last and not moved:          # a body may have started the piece with which the logical stream ends
                last = [max(last, key=lambda t: max(rank.get(m, -1) for m in pieces[t]))]
            for t, why in [(s, "a stream must be finished before the loop starts it again")] + [(t, MAYBE) for t in last if not any(map(switches, pieces))]:
                if pieces[t] and not switches(t) and not graph.graph_of.get(pieces[t][-1]):
                    yield (pieces[t][-1], t), on(switch), why


def reordered(options, graph):
    """Whether nodes may run in another order than they are listed in."""
    rank = {n: i for i, n in enumerate(graph.flat())}
    return options.get("topo_sorting") in ("bfs", "dfs", "rdfs") or options.get("memory_priority") or any(rank[s] > rank[d] for s, d, _ in graph.edges)


def required(run, chains, orders):
    """Clocks of what is asked for (chains of logical streams, orders, activation, jumps) without any sync: (stream, command) -> clock."""
    plan = run.plan
    of, preds, meets = {}, defaultdict(list), {}
    for s in plan.ids:
        for i in run.live[s]:
            c = plan.commands[s][i]
            if "launch" in c:
                of[c["launch"], s] = (s, i)
    main = {n["name"]: (n["name"], n["stream"]) for n in plan.plan["nodes"]}
    for items in chains.values():
        for (_, s, i), (_, t, j) in zip(items, items[1:]):
            preds[t, j].append((s, i))
    for a, b in orders:
        if a in of and b in of:
            preds[of[b]].append(of[a])
    for label, froms in run.jumps.items():
        for a in froms:
            if main.get(a) in of and main.get(label) in of:
                preds[of[main[label]]].append(of[main[a]])
    first = {s: next(((s, i) for i in run.live[s] if "launch" in plan.commands[s][i]), None) for s in plan.ids}
    for s in plan.ids:
        for i in run.live[s]:
            if "activate" in plan.commands[s][i]:
                act = of.get((plan.launch_before(s, i), s))
                for t in plan.commands[s][i]["activate"]:
                    if first.get(t) and act and not plan.streams[t].get("initially_active", True) and plan.commands[t][first[t][1]]["launch"] not in run.jumps:
                        meets.setdefault(first[t], []).append(act)
    clock, todo, n = {}, list(of.values()), len(plan.ids)
    todo.sort(key=lambda k: sum(run.at[k][2]) if k in run.at else 0)
    while todo:
        rest = []
        for k in todo:
            if any(p not in clock for p in preds[k] + meets.get(k, [])):
                rest.append(k)
                continue
            mine = [0] * n
            for p in preds[k]:
                mine = [max(a, b) for a, b in zip(mine, clock[p])]
            if k in meets:
                low = [min(v) for v in zip(*(clock[a] for a in meets[k]))]
                mine = [max(a, b) for a, b in zip(mine, low)]
            me = plan.index[k[0]]
            mine[me] = max(mine[me], run.position[k[0]][k[1]])
            clock[k] = mine
        if len(rest) == len(todo):
            break                               # a cycle: the deadlock is told elsewhere
        todo = rest
    return clock


def asked_for(run, clock):
    """The syncs of this run whose order is asked for."""
    plan, out = run.plan, set()
    for y in plan.plan.get("syncs", []):
        ends = plan.end_of[id(y)]
        if len(ends) < 2:
            continue
        (s, i), (t, j) = ends["record"], ends["wait"]
        u = next((k for k in reversed(run.live[s]) if k < i and "launch" in plan.commands[s][k]), None)
        v = next((k for k in run.live[t] if k > j and "launch" in plan.commands[t][k]), None)
        if y.get("cause") in ("order", "host") or (u is not None and v is not None and (t, v) in clock and clock[t, v][plan.index[s]] >= run.position[s][u]):
            out.add(id(y))
    return out


def known_of(run, stream_of):
    """(node, stream) -> when its launch there is done, attached ones too."""
    return {**{(n, stream_of[n]): w for n, w in run.clock.items() if n in stream_of}, **run.attached}


def holds(known, a, b):
    return a not in known or b not in known or a == b or known[b][2][known[a][0]] >= known[a][1]


def can_go(graph, plan, sync, needed, more):
    """Whether everything asked for still holds without this sync (tried by taking it out)."""
    ends = set(plan.end_of[id(sync)].values())
    less = dict(plan.plan, syncs=[y for y in plan.plan["syncs"] if y is not sync],
                streams=[dict(s, commands=[c for i, c in enumerate(s.get("commands", [])) if (s["id"], i) not in ends]) for s in plan.plan["streams"]])
    got = Commands(graph, less)
    stream_of = {n["name"]: n["stream"] for n in less["nodes"]}
    for choice in graph.choices():
        r = Run(got, choice)
        known = known_of(r, stream_of)
        if r.bad or r.chains()[1] or any(a in r.clock and b in r.clock and not r.before(a, b) for a, b in needed):
            return False
        if not all(holds(known, a, b) for a, b, _ in more):
            return False
    return True


def held_against(expect, runs, stream_of, figures):
    """What the caller expects beside the promises."""
    bad = []
    for n, s in expect.get("streams", {}).items():
        if stream_of.get(n) != s:
            bad.append(f"{n} is on stream {stream_of.get(n)}, expected {s}")
    for k, mine in (("stream_count", "streams"), ("event_count", "events"), ("notify_count", "notifies")):
        if k in expect and figures[mine] != expect[k]:
            bad.append(f"{k} is {figures[mine]}, expected {expect[k]}")
        if k + "_max" in expect and figures[mine] > expect[k + "_max"]:
            bad.append(f"{k} is {figures[mine]}, expected at most {expect[k + '_max']}")
    for a, b in expect.get("ordered", []):
        if any(a in r.clock and b in r.clock and not r.before(a, b) for r in runs):
            bad.append(f"{a} must be ordered before {b}")
    for a, b in expect.get("concurrent", []):
        if any(a in r.clock and b in r.clock and (r.before(a, b) or r.before(b, a)) for r in runs):
            bad.append(f"{a} and {b} must be able to overlap")
    for a, b in expect.get("same_stream", []):
        if stream_of.get(a) != stream_of.get(b):
            bad.append(f"{a} and {b} must share a stream")
    for a, b in expect.get("different_stream", []):
        if stream_of.get(a) == stream_of.get(b):
            bad.append(f"{a} and {b} must not share a stream")
    return bad


def check(request, plan, expect=None):
    bad, figures = [], {}
    expect = expect or {}
    if "error" in plan or plan.get("code"):
        code = plan.get("error", {}).get("code") if isinstance(plan.get("error"), dict) else plan.get("error", plan.get("code"))
        if expect.get("error") != code:
            bad.append(f"answered error {code}, expected {expect.get('error')}")
        return bad, figures
    if expect.get("error"):
        return [f"expected error {expect['error']}, got a plan"], figures
    graph = Graph(request)
    got = Commands(graph, plan)
    runs = [Run(got, choice) for choice in graph.choices()]
    for r in runs:
        taken = ", ".join(f"{p} {k}" for p, k in r.choice.items())
        bad += [f"with {taken} taken: {b}" if taken else b for b in r.bad]
    stream_of = {n["name"]: n["stream"] for n in plan["nodes"]}
    for name in graph.nodes:
        if name not in stream_of:
            bad.append(f"node {name} is not in the plan")
    launched = set().union(*(r.clock for r in runs))
    placed = {n for n in launched if n in graph.nodes}
    for n in graph.nodes:
        if n not in launched and task_count(graph.nodes[n]) > 0:
            bad.append(f"node {n} has tasks, but no way through the plan launches it")
    needed = graph.needed_orders(placed)
    missing = 0
    for a, b in sorted(needed):
        if any(a in r.clock and b in r.clock and not r.before(a, b) for r in runs):
            missing += 1
            if missing <= 20:
                bad.append(f"{a} (stream {stream_of[a]}) is not ordered before {b} (stream {stream_of[b]})")
    more = [m for m in extra_orders(graph, got, request.get("options", {})) if m[2] != MAYBE or all(holds(known_of(r, stream_of), *m[:2]) for r in runs)]
    bad += got.bad + list(got.over_limit(request)) + list(planswitches.wrong(graph, plan))
    asked = planturns.waits_of_turns(graph, got)
    for r in runs:
        chains, loose = r.chains()
        bad += [b for b in loose + list(planturns.missing(graph, got, r, placed, stream_of)) if b not in bad]
        known = known_of(r, stream_of)
        for a, b, why in more:
            if not holds(known, a, b):
                line = f"{a[0]} (stream {a[1]}) is not ordered before {b[0]} (stream {b[1]}): {why}"
                bad += [line] if line not in bad else []
        orders = [((a, stream_of[a]), (b, stream_of[b])) for a, b in needed] + [(a, b) for a, b, _ in more]
        asked |= asked_for(r, required(r, chains, orders))
    useful = set().union(*(r.useful for r in runs))
    redundant = set().union(*(r.redundant for r in runs)) - useful if graph.tries_all() else ()
    doubtful = [y for y in plan.get("syncs", []) if id(y) in useful - asked] if graph.tries_all() else ()
    unneeded = sum(can_go(graph, got, y, needed, more) for y in doubtful) if not bad else 0
    figures.update(streams=len(plan["streams"]), events=len(got.sync_ids["event"]), notifies=len(got.sync_ids["notify"]),
                   redundant=len(redundant), unneeded=unneeded, nodes=len(graph.nodes), unordered=missing)
    return bad + held_against(expect, runs, stream_of, figures), figures


def main():
    if len(sys.argv) not in (3, 4):
        raise SystemExit(__doc__)
    files = [json.load(open(p)) for p in sys.argv[1:]]
    bad, figures = check(*files)
    for line in bad:
        print(line)
    print(" ".join(f"{k}={v}" for k, v in figures.items()))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
