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
stream and execution goes on at the LabelSet, on whatever stream that is; every StreamSwitch is taken.
What a command belongs to is said by its `in`, and by the plan's syncs for the label nodes that always run.
Clocks count launches: clock[s] = how many launches of stream s are known to have finished.
"""
import itertools
import json
import math
import sys
from collections import Counter, defaultdict

NO_STREAM = -1
EXCLUSIVE = ("If", "_If", "StatelessIf", "Case", "StatelessCase")   # exactly one of their bodies runs
LOOPS = ("While", "_While", "StatelessWhile", "For")                # condition (body 0) at least once, body 1 any number of times
MAX_RUNS = 128                                                      # beyond, every choice is tried, but not every combination
COMMANDS = {"record": ("event", "record"), "wait": ("event", "wait"), "notify_record": ("notify", "record"), "notify_wait": ("notify", "wait")}
IDLE_ENGINES = ("DNN_VM_GE_LOCAL", "DNN_VM_HOST_CPU", "ffts_plus")   # nothing is launched there unless task_count says so
DEFAULT_LIMITS = {"max_streams": 1024, "max_tasks_per_stream": 1024, "max_huge_streams": 8192, "max_tasks_per_huge_stream": 8192, "max_events": 65536, "max_notifies": 1024}
VARIABLES = ("Variable", "VariableV2", "RefData")
NO_SYNC_FROM = ("Data", "Const", "Constant", "ConstPlaceHolder")


def walk_graphs(request):
    graph = request["graph"]
    yield "", graph
    stack = [(s["name"], s) for s in graph.get("subgraphs", [])]
    while stack:
        name, sub = stack.pop()
        yield name, sub
        stack.extend((s["name"], s) for s in sub.get("subgraphs", []))


def parse_input(text):
    if text.startswith("^"):
        return text[1:], "control"
    name, _, idx = text.rpartition(":")
    if name and idx.lstrip("-").isdigit():
        return name, "control" if idx == "-1" else "data"
    return text, "data"


def task_count(node):
    idle = node.get("engine") in IDLE_ENGINES or node["op_type"] in EXCLUSIVE + LOOPS or "PartitionedCall" in node["op_type"]
    return node.get("task_count", 1 if node["op_type"] == "NetOutput" or not idle else 0)


class Graph:
    """The request: nodes, edges, and for every node the scope it runs in: a tuple of (parent, body number); () always runs."""

    def __init__(self, request):
        self.nodes, self.edges, self.parent_of_graph, self.graph_of = {}, [], {}, {}
        self.members = defaultdict(list)
        for gname, g in walk_graphs(request):
            for n in g.get("nodes", []):
                if n["name"] in self.nodes:
                    raise SystemExit(f"request: node {n['name']} twice")
                self.nodes[n["name"]] = n
                self.graph_of[n["name"]] = gname
                self.members[gname].append(n["name"])
        for n in self.nodes.values():
            for k, sub in enumerate(n.get("subgraphs", [])):
                self.parent_of_graph[sub] = (n["name"], k)
            for i in n.get("inputs", []):
                if i:
                    src, kind = parse_input(i)
                    self.edges.append((src, n["name"], kind))
        self.preds, self.succs = defaultdict(list), defaultdict(list)
        for s, d, _ in self.edges:
            self.preds[d].append(s)
            self.succs[s].append(d)
        self.find_scopes()
        self.find_labels()

    def attr(self, name, key):
        return self.nodes.get(name, {}).get("attrs", {}).get(key)

    def conditional(self, name):
        n = self.nodes[name]
        return len(n.get("subgraphs", [])) > 1 and n["op_type"] in EXCLUSIVE + LOOPS

    def find_scopes(self):
        known = {"": ()}

        def scope(g):
            if g not in known:
                if g not in self.parent_of_graph:
                    return ()
                parent, k = self.parent_of_graph[g]
                up = scope(self.graph_of[parent])
                known[g] = up + ((parent, k),) if self.conditional(parent) else up
            return known[g]
        self.scope_of_graph = {g: scope(g) for g in set(self.graph_of.values()) | {""}}
        self.runs_in = {n: scope(g) for n, g in self.graph_of.items()}
        self.waits_in = dict(self.runs_in)      # scope of the waits in front of a node, where it is another one (None: nothing can wait there)

    def find_labels(self):
        """Bodies that are lowered to labels: which label nodes always run, and where jumps lead."""
        self.lowered, self.jumps, self.targets = set(), [], set()
        for p in self.nodes:
            bodies = [self.members.get(s, []) for s in self.nodes[p].get("subgraphs", [])]
            of = lambda b, t: [m for m in b if self.nodes[m]["op_type"] == t]
            if not self.conditional(p) or not any(of(b, "LabelSet") for b in bodies):
                continue
            self.lowered.add(p)
            up = self.runs_in[p]
            ends = [m for b in bodies for m in of(b, "LabelSet") if self.attr(m, "_subgraph_end_node")]
            heads = [next((m for m in of(b, "LabelSet") if m not in ends), None) for b in bodies]
            switches = [m for b in bodies for m in of(b, "LabelSwitchByIndex")]
            gotos = [(k, m) for k, b in enumerate(bodies) for m in of(b, "LabelGotoEx")]
            for e in ends:
                self.runs_in[e] = up            # its waits stay in the body that falls through to it
            loop = self.nodes[p]["op_type"] in LOOPS
            if not loop:
                for s in switches:
                    self.runs_in[s] = self.waits_in[s] = up
            elif heads[0]:
                self.waits_in[heads[0]] = up    # passed once on the way in; later rounds jump behind those waits
            for k, h in enumerate(heads):
                if h and not (loop and k == 0):
                    self.waits_in[h] = None
                    self.jumps += [(s, h, (p, k), True) for s in switches]
            for k, m in gotos:
                same = [e for e in ends if loop or self.attr(e, "_label_switch_index") == self.attr(m, "_label_switch_index")]
                self.jumps += [(m, e, (p, k), True) for e in same]
            if loop:
                self.jumps += [(s, e, (p, 1), False) for s in switches for e in ends]
        self.leaves = {a for a, _, _, _ in self.jumps}

    def choices(self):
        """Every way to take the branches: parent -> body number (None: the body of a loop is not run)."""
        options = [(n, list(range(len(self.nodes[n]["subgraphs"]))) if self.nodes[n]["op_type"] in EXCLUSIVE else [1, None])
                   for n in self.nodes if self.conditional(n)]
        if math.prod(len(o) for _, o in options) <= MAX_RUNS:
            return [dict(zip((n for n, _ in options), pick)) for pick in itertools.product(*(o for _, o in options))]
        picks = [{n: o[k % len(o)] for n, o in options} for k in range(max(len(o) for _, o in options))]
        for n, o in options:
            way = {p: k for p, k in self.scope_of_graph[self.graph_of[n]] if k or self.nodes[p]["op_type"] in EXCLUSIVE}    # so that n itself runs
            picks += [dict({m: q[rest] for m, q in options}, **way, **{n: k}) for k in o for rest in (0, -1)]
        return picks

    def taken(self, scope, choice):
        return scope is not None and all(choice[p] == k or (k == 0 and self.nodes[p]["op_type"] in LOOPS) for p, k in scope)

    def needed_orders(self, placed):
        """Pairs (a, b), both launched, where a must have finished before b starts: the edges, through nodes that are not launched
        (constants, parents of subgraphs) included, and the functional node itself before its bodies."""
        # a node that is not launched hands its predecessors on; a parent's subgraph members stand for it
        def below(name, seen):
            out = set()
            for sub in self.nodes[name].get("subgraphs", []):
                for m in self.members.get(sub, []):
                    if not self.preds[m] or self.nodes[m]["op_type"] == "Data":
                        if m in placed:
                            out |= entries(m, seen)
                        elif not self.nodes[m].get("subgraphs"):
                            for s in self.succs[m]:
                                out |= entries(s, seen)
                        else:
                            out |= entries(m, seen)
            return out

        def entries(name, seen):
            if name in seen:
                return set()
            seen.add(name)
            out = {name} if name in placed else set()
            if self.nodes[name].get("subgraphs"):
                return out | below(name, seen)
            if not out:
                for s in self.succs[name]:
                    out |= entries(s, seen)
            return out

        def exits(name, seen):
            if name in seen or name not in self.nodes:
                return set()
            seen.add(name)
            out = {name} if name in placed else set()
            subs = self.nodes[name].get("subgraphs", [])
            for sub in subs:
                members = self.members.get(sub, [])
                ends = [m for m in members if self.nodes[m]["op_type"] == "NetOutput"] or [m for m in members if not self.succs[m]]
                for m in ends:
                    out |= exits(m, seen)
            if name not in placed:
                for p in self.preds[name]:
                    out |= exits(p, seen)
            return out

        pairs = {}
        for s, d, kind in self.edges:
            if s not in self.nodes or self.nodes[s]["op_type"] in ("NextIteration", "RefNextIteration"):
                continue
            if s in placed and d in placed and not self.nodes[s].get("subgraphs") and not self.nodes[d].get("subgraphs"):
                pairs[s, d] = kind
                continue
            for a in exits(s, set()):
                for b in entries(d, set()):
                    if a != b:
                        pairs.setdefault((a, b), kind)
        for p in self.nodes:
            if self.conditional(p) and p in placed:
                for b in below(p, set()):
                    pairs.setdefault((p, b), "subgraph")
        return pairs

    def flat(self, g=""):
        for n in self.members[g]:
            yield n
            for s in self.nodes[n].get("subgraphs", []):
                yield from self.flat(s)


class Commands:
    """The plan's command lists: who owns each command, in which scope it happens."""

    def __init__(self, graph, plan):
        self.graph, self.plan, self.bad = graph, plan, []
        self.streams = {s["id"]: s for s in plan["streams"]}
        self.ids = sorted(self.streams)
        if self.ids != list(range(len(self.ids))):
            self.bad.append(f"stream ids are not 0..{len(self.ids) - 1}: {self.ids[:20]}")
        self.index = {s: k for k, s in enumerate(self.ids)}
        self.commands = {s: self.streams[s].get("commands", []) for s in self.ids}
        self.logical = {}                       # (node, stream) -> logical stream of that launch
        self.sync_ids = defaultdict(set)
        self.own()
        self.count()

    def scope(self, body, node, waits=False):
        """The scope of a command with `in` = body at this node: the body's, but for a label node of that body the one that it runs or waits in."""
        if self.graph.graph_of.get(node) == body:
            return (self.graph.waits_in if waits else self.graph.runs_in)[node]
        return self.graph.scope_of_graph.get(body, ())

    def own(self):
        """Give every record and wait its sync, and every command its scope. A command belongs to the sync of the plan that names its id and
        stream; where an id is used again (gears), to the one whose node is in the same body, then to the one launched next to it."""
        ends = defaultdict(list)
        for y in self.plan.get("syncs", []):
            ends[y["kind"], y["id"], "record", y["record_stream"]].append(y)
            ends[y["kind"], y["id"], "wait", y["wait_stream"]].append(y)
        self.sync_of, self.end_of = {}, defaultdict(dict)
        for s in self.ids:
            for i, c in enumerate(self.commands[s]):
                for key in COMMANDS.keys() & c.keys():
                    kind, end = COMMANDS[key]
                    self.sync_ids[kind].add(c[key])
                    fits = [y for y in ends[kind, c[key], end, s] if end not in self.end_of[id(y)]]
                    fits = [y for y in fits if self.graph.graph_of.get(y[end + "_node"]) == c.get("in", "")] or fits
                    if len(fits) > 1:
                        near = self.launch_before(s, i, {y["record_node"] for y in fits}) if end == "record" else self.launch_after(s, i, {y["wait_node"] for y in fits})
                        fits = [y for y in fits if y[end + "_node"] == near] or fits
                    if not fits:
                        self.bad.append(f"stream {s}: {key} {c[key]} is named by no sync of the plan")
                        continue
                    self.sync_of[s, i] = fits[0]
                    self.end_of[id(fits[0])][end] = (s, i)
        names = {n["name"] for n in self.plan["nodes"]}
        for y in self.plan.get("syncs", []):
            for end in ("record", "wait"):
                if y[end + "_node"] not in names:
                    self.bad.append(f"{y['kind']} {y['id']}: {end}_node {y[end + '_node']} is no node of the plan")
                if end not in self.end_of[id(y)]:
                    self.bad.append(f"{y['kind']} {y['id']} ({y['record_node']} -> {y['wait_node']}) has no {end} command on stream {y[end + '_stream']}")
        self.scope_of = {}
        for s in self.ids:
            for i, c in enumerate(self.commands[s]):
                body, y = c.get("in", ""), self.sync_of.get((s, i))
                if body and body not in self.graph.parent_of_graph:
                    self.bad.append(f"stream {s}: command {i} is in {body}, which is no body")
                waits = "wait" in c or "notify_wait" in c
                node = c.get("launch") or (y["wait_node" if waits else "record_node"] if y else self.launch_before(s, i))
                if "launch" in c and body != self.graph.graph_of.get(node, body):
                    self.bad.append(f"stream {s}: the launch of {node} says it is in '{body}'")
                for target in c.get("activate", []) if not self.graph.attr(node, "is_loop_active") else ():
                    if self.streams.get(target, {}).get("initially_active"):
                        self.bad.append(f"stream {target} starts with the model, though {node} activates it")
                self.scope_of[s, i] = self.scope(body, node, waits)
                if self.scope_of[s, i] is None:
                    self.bad.append(f"stream {s}: {c} stands before a label that is only jumped to")
        for y in self.plan.get("syncs", []):
            ends = self.end_of[id(y)]
            if len(ends) == 2 and self.scope_of[ends["record"]] != self.scope_of[ends["wait"]]:
                self.bad.append(f"{y['kind']} {y['id']}: {y['record_node']} and {y['wait_node']} do not always run together")

    def launch_before(self, s, i, among=None):
        c = self.commands[s]
        return next((c[k]["launch"] for k in range(i - 1, -1, -1) if "launch" in c[k] and (not among or c[k]["launch"] in among)), None)

    def launch_after(self, s, i, among=None):
        c = self.commands[s]
        return next((c[k]["launch"] for k in range(i + 1, len(c)) if "launch" in c[k] and (not among or c[k]["launch"] in among)), None)

    def count(self):
        """Dense ids, true counts, limits, activations told twice the same."""
        for n in self.plan["nodes"]:            # ids of an operator's own attached resources have no command
            self.sync_ids["event"].update(n.get("attached_events", []))
            self.sync_ids["notify"].update(n.get("attached_notifies", []))
        for kind, have in self.sync_ids.items():
            if have != set(range(len(have))):
                self.bad.append(f"{kind} ids are not 0..{len(have) - 1}: {sorted(have)[:20]}")
        for key, n in (("stream_count", len(self.ids)), ("event_count", len(self.sync_ids["event"])), ("notify_count", len(self.sync_ids["notify"]))):
            if self.plan.get(key) != n:
                self.bad.append(f"{key} says {self.plan.get(key)}, there are {n}")
        self.bad += [f"stream {s} does not say whether it is initially_active" for s in self.ids if "initially_active" not in self.streams[s]]
        placed = {n["name"]: n for n in self.plan["nodes"]}
        started = {t for s in self.ids for c in self.commands[s] for t in c.get("activate", [])}
        told = {a["node"]: sorted(a["streams"]) for a in self.plan.get("activations", []) if a["streams"]}
        done, seen = {}, Counter()
        for s in self.ids:
            for i, c in enumerate(self.commands[s]):
                if "activate" in c:
                    done[self.launch_before(s, i)] = sorted(c["activate"])
                if len({"launch", "record", "wait", "notify_record", "notify_wait", "activate"} & c.keys()) != 1:
                    self.bad.append(f"stream {s}: a command with no meaning, or with two: {c}")
                before = self.launch_before(s, i)
                if self.graph.nodes.get(before, {}).get("op_type") == "StreamSwitch" and done.get(before) and "activate" not in c:
                    self.bad.append(f"stream {s}: {c} stands behind {before}, which leaves the stream")
                if "launch" not in c:
                    continue
                name, extra = c["launch"], bool(c.get("attached"))
                seen[name, extra, s] += 1
                p = placed.get(name, {})
                if not extra and p.get("stream") != s:
                    self.bad.append(f"{name} is launched on stream {s}, the plan places it on {p.get('stream')}")
                if extra and s not in p.get("attached_streams", []):
                    self.bad.append(f"{name} has an attached launch on stream {s}, the plan attaches it to {p.get('attached_streams', [])}")
                logical = p.get("logical_stream") if not extra else dict(zip(p.get("attached_streams", []), p.get("attached_logical_streams", []))).get(s)
                self.logical[name, s] = 0 if logical == NO_STREAM else logical
                if name not in placed or (name not in self.graph.nodes and s not in started):
                    self.bad.append(f"stream {s} launches {name}, which is no node")
                if logical == NO_STREAM and self.streams[s].get("logical_id", 0) != 0:
                    self.bad.append(f"{name} has no logical stream and must run on stream 0, not {s}")
                if logical not in (None, NO_STREAM) and self.streams[s].get("logical_id", logical) != logical:
                    self.bad.append(f"{name}: logical stream {logical}, stream {s} is a piece of {self.streams[s]['logical_id']}")
        self.bad += [f"{n} is launched {k} times on stream {s}" for (n, _, s), k in seen.items() if k > 1]
        for name, p in placed.items():
            launched = name not in self.graph.nodes or task_count(self.graph.nodes[name]) > 0
            if launched != (p["stream"] != NO_STREAM):
                self.bad.append(f"{name} has {'tasks but no stream' if launched else 'no task but stream ' + str(p['stream'])}")
            if launched and not seen[name, False, p["stream"]]:
                self.bad.append(f"{name} is on stream {p['stream']} but never launched")
            for s in p.get("attached_streams", []):
                if not seen[name, True, s]:
                    self.bad.append(f"{name} is attached to stream {s} but never launched there")
            if launched and len(p.get("attached_streams", [])) != len(p.get("attached_logical_streams", [])):
                self.bad.append(f"{name}: {len(p.get('attached_logical_streams', []))} attached logical streams, {len(p.get('attached_streams', []))} streams")
        if "activations" in self.plan and told != done:
            self.bad.append(f"activations differ from the activate commands: {sorted(set(map(str, told.items())) ^ set(map(str, done.items())))[:4]}")

    def over_limit(self, request):
        """Promise 4. A stream that holds a single node may be as long as that node."""
        limits = dict({} if request.get("device", {}).get("profile") else DEFAULT_LIMITS, **request.get("device", {}).get("limits", {}))
        for key, have in (("max_streams", len(self.ids)), ("max_events", len(self.sync_ids["event"])), ("max_notifies", len(self.sync_ids["notify"]))):
            if limits.get(key) and have > limits[key]:
                yield f"{have} exceed the limit {key} = {limits[key]}"
        if limits.get("unlimited_depth") or request["graph"].get("dynamic"):
            return
        for s in self.ids:
            top = limits.get("max_tasks_per_huge_stream" if self.streams[s].get("huge") else "max_tasks_per_stream")
            tasks = launches = 0
            for c in self.commands[s]:
                if "launch" in c:
                    n = self.graph.nodes.get(c["launch"], {"op_type": "StreamActive"})
                    tasks += n.get("attached_task_count", task_count(n)) if c.get("attached") else task_count(n)
                    launches += 1
                else:
                    tasks += 2 if "wait" in c else len(c["activate"]) - 1 if "activate" in c else 1
            if top and tasks > top and launches > 1:
                yield f"stream {s} holds {tasks} tasks, the limit is {top}"


class Run:
    """One way to take the branches: what happens, and what is then known to be finished when each launch starts."""

    def __init__(self, plan, choice):
        self.plan, self.graph, self.choice, self.bad = plan, plan.graph, choice, []
        self.live = {s: [i for i in range(len(plan.commands[s])) if self.graph.taken(plan.scope_of[s, i], choice)] for s in plan.ids}
        self.position = {s: {i: k + 1 for k, i in enumerate(j for j, c in enumerate(plan.commands[s]) if "launch" in c)} for s in plan.ids}
        self.jumps = defaultdict(list)          # label -> what jumps to it in this run
        for a, b, (p, k), wanted in self.graph.jumps:
            if (choice[p] == k) == wanted and self.graph.taken(self.graph.runs_in[a], choice):
                self.jumps[b].append(a)
        start = {s: None for s in plan.ids if not plan.streams[s].get("initially_active", True)}
        for _ in range(2 * len(start) + 2):     # start clocks only ever fall
            again = self.simulate(dict(start))
            if again == start:
                break
            start = again
        self.check_reached()

    def simulate(self, start):
        """Run all streams; start[s] is the clock that stream s starts with (None: not known yet, the first activate decides). Answers the
        start clocks that the activates of this simulation allow."""
        plan, n = self.plan, len(self.plan.ids)
        clock = {s: [0] * n for s in plan.ids}
        active = {s: plan.streams[s].get("initially_active", True) for s in plan.ids}
        allowed, pos, recorded, waited = {s: None for s in start}, {s: 0 for s in plan.ids}, {}, set()
        self.clock, self.attached, self.at, self.bad, self.redundant, self.useful = {}, {}, {}, [], set(), set()
        progress = True
        while progress:
            progress = False
            for s in plan.ids:
                live, commands, me = self.live[s], plan.commands[s], plan.index[s]
                while pos[s] < len(live):
                    i = live[pos[s]]
                    c = commands[i]
                    came = [self.clock.get(j) for j in self.jumps.get(c.get("launch"), ()) if "launch" in c]
                    if came and pos[s] == 0 and None not in came:
                        active[s] = True        # entered by a jump
                    if not active[s] or None in came:
                        break
                    if COMMANDS.keys() & c.keys() and COMMANDS[next(iter(COMMANDS.keys() & c.keys()))][1] == "wait":
                        # the whole run of waits before the next other command is one join
                        end, group = pos[s], []
                        while end < len(live) and {"wait", "notify_wait"} & commands[live[end]].keys():
                            key = next(iter({"wait", "notify_wait"} & commands[live[end]].keys()))
                            group.append(((COMMANDS[key][0], commands[live[end]][key]), live[end]))
                            end += 1
                        if any(k not in recorded for k, _ in group):
                            break
                        for k, j in group:
                            rest = list(clock[s])
                            for other, _ in group:
                                if other != k:
                                    rest = [max(a, b) for a, b in zip(rest, recorded[other])]
                            y = id(plan.sync_of.get((s, j)))
                            (self.redundant if all(a <= b for a, b in zip(recorded[k], rest)) else self.useful).add(y)
                            if k in waited:
                                self.bad.append(f"{k[0]} {k[1]} is waited for twice")
                            waited.add(k)
                        for k, _ in group:
                            clock[s] = [max(a, b) for a, b in zip(clock[s], recorded[k])]
                        pos[s] = end
                        progress = True
                        continue
                    pos[s] += 1
                    progress = True
                    if "launch" in c:
                        for j in came:
                            clock[s] = [max(a, b) for a, b in zip(clock[s], j[2])]
                        clock[s][me] = self.position[s][i]
                        what = (me, self.position[s][i], list(clock[s]))
                        if c.get("attached"):
                            self.attached[c["launch"], s] = what
                        elif c["launch"] in self.clock:
                            self.bad.append(f"{c['launch']} is launched twice")
                        else:
                            self.clock[c["launch"]] = what
                        self.at[s, i] = what
                    elif "activate" in c:
                        for t in c["activate"]:
                            if t not in clock:
                                self.bad.append(f"stream {s} activates {t}, which is none")
                            elif t in allowed:
                                allowed[t] = list(clock[s]) if allowed[t] is None else [min(a, b) for a, b in zip(allowed[t], clock[s])]
                                if not active[t]:
                                    active[t] = True
                                    known = allowed[t] if start[t] is None else start[t]
                                    clock[t] = [max(a, b) for a, b in zip(clock[t], known)]
                    else:
                        key = next(iter(COMMANDS.keys() & c.keys()))
                        k = (COMMANDS[key][0], c[key])
                        if k in recorded:
                            self.bad.append(f"{k[0]} {k[1]} is recorded twice")
                        recorded[k] = list(clock[s])
        for s in plan.ids:
            if pos[s] < len(self.live[s]):
                why = "is never activated" if not active[s] else f"waits for ever at command {self.live[s][pos[s]]}: {plan.commands[s][self.live[s][pos[s]]]}"
                self.bad.append(f"deadlock: stream {s} {why}")
        self.bad += [f"{kind} {k} is recorded and never waited for" for kind, k in sorted(recorded.keys() - waited)]
        return allowed

    def check_reached(self):
        """Lowered bodies: a device does not skip commands, so what is not taken must lie behind a jump, on a stream that nobody starts, or
        on a stream that is entered by a jump; what is taken must be reached."""
        if not self.graph.lowered:
            return
        plan, live = self.plan, {s: set(v) for s, v in self.live.items()}
        started = {t for s in plan.ids for i in self.live[s] if "activate" in plan.commands[s][i] for t in plan.commands[s][i]["activate"]}
        for s in plan.ids:
            going = plan.streams[s].get("initially_active", True) or s in started
            for i, c in enumerate(plan.commands[s]):
                name = c.get("launch")
                if name in self.jumps and i in live[s]:
                    going = True
                lowered = plan.scope_of[s, i] is None or any(p in self.graph.lowered for p, _ in plan.scope_of[s, i])
                if going and i not in live[s] and lowered:
                    self.bad.append(f"stream {s} runs into command {i} {c} of a body that is not taken")
                    break
                if not going and i in live[s]:
                    self.bad.append(f"stream {s} never reaches command {i} {c}")
                    break
                if name in self.graph.leaves and i in live[s] and any(name in v for v in self.jumps.values()):
                    going = False

    def before(self, a, b):
        ia, pa, _ = self.clock[a]
        return self.clock[b][2][ia] >= pa and a != b

    def chains(self):
        """The launches of each logical stream, in the order that the plan promises; two that are not ordered are told."""
        lanes, bad = defaultdict(list), []
        for s in self.plan.ids:
            for i in self.live[s]:
                c = self.plan.commands[s][i]
                if "launch" in c and (s, i) in self.at and self.plan.logical.get((c["launch"], s)) is not None:
                    lanes[self.plan.logical[c["launch"], s]].append((sum(self.at[s, i][2]), s, i))
        for lane, items in lanes.items():
            items.sort()
            for (_, s, i), (_, t, j) in zip(items, items[1:]):
                if s != t and self.at[t, j][2][self.plan.index[s]] < self.at[s, i][1]:
                    bad.append(f"logical stream {lane}: {self.plan.commands[s][i]['launch']} (stream {s}) and "
                               f"{self.plan.commands[t][j]['launch']} (stream {t}) are not ordered")
        return lanes, bad


class Plan:
    """What a plan orders, for callers that only ask about pairs of nodes. Without a request all bodies are taken to run."""

    def __init__(self, plan, request=None):
        graph = Graph(request or {"graph": {"nodes": []}})
        commands = Commands(graph, plan)
        self.runs = [Run(commands, choice) for choice in graph.choices()]
        self.clock = {n: w for r in self.runs for n, w in r.clock.items()}

    def before(self, a, b):
        return all(r.before(a, b) for r in self.runs if a in r.clock and b in r.clock)


def extra_orders(graph, plan):
    """Orders beside the edges, as ((node, stream), (node, stream), why): declared dependencies of attached streams, every attached stream
    finished when the NetOutput of its graph runs, every stream of an iteration loop finished when its StreamSwitch runs."""
    placed = {n["name"]: n for n in plan.plan["nodes"]}
    on = lambda n: (n, placed[n]["stream"]) if n in placed and placed[n]["stream"] >= 0 else None
    rank = {n: i for i, n in enumerate(graph.flat())}
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
            if graph.nodes[p]["op_type"] in VARIABLES:
                p = ([m for m in graph.succs[p] if graph.attr(m, "reference") and rank[m] < rank[n]] or [p])[-1]
            theirs = placed[p].get("attached_streams", [])
            if graph.nodes[p]["op_type"] in NO_SYNC_FROM or len(mine) > 1 or len(theirs) > 1 or mine == theirs:
                continue
            a, b = (p, theirs[0]) if theirs else on(p), (n, mine[0]) if mine else on(n)
            if a and b:
                yield a, b, "a declared dependency of an attached stream"
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
            if plan.streams[s].get("initially_active", True) and not plan.streams[s].get("attached") and s not in again and plan.commands[s]:
                plan.bad.append(f"stream {s} starts with the model, but the loop does not start it again ({act})")
        for s in sorted(again & set(plan.ids)):
            names = [c["launch"] for c in plan.commands[s] if "launch" in c]
            if names and switch and not any(graph.nodes.get(m, {}).get("op_type") == "StreamSwitch" for m in names) and not graph.graph_of.get(names[-1]):
                yield (names[-1], s), on(switch), "a stream must be finished before the loop starts it again"


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


def can_go(graph, plan, sync, needed, more):
    """Whether everything asked for still holds without this sync (tried by taking it out)."""
    ends = set(plan.end_of[id(sync)].values())
    less = dict(plan.plan, syncs=[y for y in plan.plan["syncs"] if y is not sync],
                streams=[dict(s, commands=[c for i, c in enumerate(s.get("commands", [])) if (s["id"], i) not in ends]) for s in plan.plan["streams"]])
    got = Commands(graph, less)
    stream_of = {n["name"]: n["stream"] for n in less["nodes"]}
    for choice in graph.choices():
        r = Run(got, choice)
        known = {**{(n, stream_of[n]): w for n, w in r.clock.items() if n in stream_of}, **r.attached}
        if r.bad or r.chains()[1] or any(a in r.clock and b in r.clock and not r.before(a, b) for a, b in needed):
            return False
        if any(a in known and b in known and a != b and known[b][2][known[a][0]] < known[a][1] for a, b, _ in more):
            return False
    return True


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
    more = list(extra_orders(graph, got))
    bad += got.bad + list(got.over_limit(request))
    asked = set()
    for r in runs:
        chains, loose = r.chains()
        bad += [b for b in loose if b not in bad]
        known = {**{(n, stream_of[n]): w for n, w in r.clock.items() if n in stream_of}, **r.attached}
        for a, b, why in more:
            if a in known and b in known and a != b and known[b][2][known[a][0]] < known[a][1]:
                line = f"{a[0]} (stream {a[1]}) is not ordered before {b[0]} (stream {b[1]}): {why}"
                bad += [line] if line not in bad else []
        orders = [((a, stream_of[a]), (b, stream_of[b])) for a, b in needed] + [(a, b) for a, b, _ in more]
        asked |= asked_for(r, required(r, chains, orders))
    useful = set().union(*(r.useful for r in runs))
    redundant = set().union(*(r.redundant for r in runs)) - useful
    doubtful = [y for y in plan.get("syncs", []) if id(y) in useful - asked]
    unneeded = sum(can_go(graph, got, y, needed, more) for y in doubtful) if not bad else 0
    figures.update(streams=len(plan["streams"]), events=len(got.sync_ids["event"]), notifies=len(got.sync_ids["notify"]),
                   redundant=len(redundant), unneeded=unneeded, nodes=len(graph.nodes), unordered=missing)
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
    return bad, figures


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
