"""The plan as plancheck.py sees it: command lists, who owns each command, counts and limits."""
from collections import Counter, defaultdict

from plangraph import DEFAULT_LIMITS, ENDLESS_PROFILES, NO_STREAM, SWITCHES, task_count

COMMANDS = {"record": ("event", "record"), "wait": ("event", "wait"), "notify_record": ("notify", "record"), "notify_wait": ("notify", "wait")}


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
        stream; where an id is used again (gears), to the one whose node is in the same body or owns it, then to the one launched next to it."""
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
                    fits = [y for y in fits if self.graph.graph_of.get(y[end + "_node"]) == c.get("in", "")] or \
                           [y for y in fits if c.get("in") in self.graph.nodes.get(y[end + "_node"], {}).get("subgraphs", [])] or fits
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
            gone = None         # the StreamSwitch that has left this stream; its attached launches leave none
            for i, c in enumerate(self.commands[s]):
                if gone and "activate" not in c:
                    self.bad.append(f"stream {s}: {c} stands behind {gone}, which leaves the stream")
                if "activate" in c:
                    starter = self.launch_before(s, i)
                    done[starter] = sorted(c["activate"])
                    if c["activate"] and self.graph.nodes.get(starter, {}).get("op_type") in SWITCHES:
                        gone = starter
                if len({"launch", "record", "wait", "notify_record", "notify_wait", "activate"} & c.keys()) != 1:
                    self.bad.append(f"stream {s}: a command with no meaning, or with two: {c}")
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
        endless = request.get("device", {}).get("profile") in ENDLESS_PROFILES
        if limits.get("unlimited_depth", endless) or request["graph"].get("dynamic"):
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
