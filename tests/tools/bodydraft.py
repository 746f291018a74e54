"""Plans of graphs with bodies that a test can spoil: commands are moved, added and taken away, numbers and counts follow.

A BodyDraft holds the command lists as they are; a record or wait holds the index of its sync instead of a number, and its end. `write`
gives the numbers out anew (gears of one Case share theirs), sorts what must stand in the order of numbers, and counts tasks.
"""
import copy

from plancommands import Commands
from plangraph import Graph, task_count

KINDS = {"record": ("event", "record"), "wait": ("event", "wait"), "notify_record": ("notify", "record"), "notify_wait": ("notify", "wait")}
KEYS = {v: k for k, v in KINDS.items()}


class BodyDraft:
    def __init__(self, request, plan):
        self.request, self.plan, self.graph = request, copy.deepcopy(plan), Graph(request)
        commands = Commands(self.graph, self.plan)
        index = {id(y): i for i, y in enumerate(self.plan["syncs"])}
        self.syncs = [dict(y) for y in self.plan["syncs"]]      # None: taken away
        self.order = list(range(len(self.syncs)))               # in which they are told
        self.spoilers = []                                      # what is done to the plan once it is written
        self.rank = {n: i for i, n in enumerate(self.graph.flat())}
        self.streams = [[self.take(c, commands.sync_of.get((s["id"], i)), index) for i, c in enumerate(s["commands"])] for s in self.plan["streams"]]

    def take(self, command, sync, index):
        key = next((k for k in KINDS if k in command), None)
        return dict(command) if key is None else {"sync": index[id(sync)], "end": KINDS[key][1], **{k: v for k, v in command.items() if k != key}}

    def ends(self, sync):
        """(stream, place) of its record and of its wait."""
        return {c["end"]: (s, i) for s, cs in enumerate(self.streams) for i, c in enumerate(cs) if c.get("sync") == sync}

    def launches(self):
        """(stream, place, node) of launches on main streams."""
        return [(s, i, c["launch"]) for s, cs in enumerate(self.streams) for i, c in enumerate(cs) if c.get("launch") in self.graph.nodes and not c.get("attached")]

    def behind(self, stream, place):
        """Where a record of the launch at this place would stand."""
        after = self.streams[stream][place + 1:place + 2]
        return place + 1 + bool(after and "activate" in after[0])

    def body_of(self, node, waits=False):
        """`in` of a record or wait of this node; None: nothing can wait there."""
        scope, body = (self.graph.waits_in if waits else self.graph.runs_in)[node], self.graph.graph_of[node]
        if scope is None:
            return None
        return body if self.graph.scope_of_graph[body] == scope else self.graph.graph_of[self.graph.parent_of_graph[body][0]]

    def told_at(self, node):
        """The place where a node tells: behind its bodies if it is not launched itself."""
        if task_count(self.graph.nodes[node]):
            return self.rank[node]
        below = [self.told_at(m) for body in self.graph.nodes[node].get("subgraphs", []) for m in self.graph.members[body]]
        return max(below, default=self.rank[node])

    def tell_anew(self, sync):
        """The sync stands in the list where its nodes do."""
        key = lambda y: (self.told_at(self.syncs[y]["record_node"]), self.rank[self.syncs[y]["wait_node"]])
        rest = [y for y in self.order if y != sync and self.syncs[y]]
        place = max((i + 1 for i, y in enumerate(rest) if key(y) <= key(sync)), default=0)
        self.order = rest[:place] + [sync] + rest[place:]

    def drop(self, sync):
        for stream, place in sorted(self.ends(sync).values(), reverse=True):
            del self.streams[stream][place]
        self.syncs[sync] = None

    def add(self, sender, receiver, cause):
        """A sync from one launch to another, each (stream, place, node), on different streams."""
        (a, i, u), (b, j, v) = sender, receiver
        kind = "notify" if cause == "data" and self.request.get("options", {}).get("event") == "notify" else "event"
        self.syncs.append({"id": 0, "kind": kind, "record_node": u, "record_stream": a, "wait_node": v, "wait_stream": b, "cause": cause})
        y, bodies = len(self.syncs) - 1, {"record": self.body_of(u), "wait": self.body_of(v, True)}
        inside = {end: {"in": body} if body else {} for end, body in bodies.items()}
        self.streams[a].insert(self.behind(a, i), {"sync": y, "end": "record", **inside["record"]})
        self.streams[b].insert(j, {"sync": y, "end": "wait", **inside["wait"]})
        self.tell_anew(y)

    def bodies_around(self, body):
        """(node, which of its bodies), outermost first."""
        out = []
        while body:
            out.append(self.graph.parent_of_graph[body])
            body = self.graph.graph_of[out[-1][0]]
        return out[::-1]

    def numbers(self, kind):
        """Sync -> number, and how many numbers there are."""
        mine = [y for y in self.order if self.syncs[y] and self.syncs[y]["kind"] == kind]
        body = {c["sync"]: c.get("in", "") for cs in self.streams for c in cs if c.get("end") == "record"}
        number, base = {}, 0
        for node in self.graph.flat():
            n = self.graph.nodes[node]
            if n["op_type"] not in ("Case", "StatelessCase") or "_batch_num" not in n.get("attrs", {}) or not self.graph.conditional(node):
                continue
            gears = [[y for y in mine if y not in number and (node, k) in self.bodies_around(body.get(y, ""))] for k in range(len(n["subgraphs"]))]
            for gear in gears:
                number.update({y: base + i for i, y in enumerate(gear)})
            base += max(map(len, gears))
        rest = [y for y in mine if y not in number]
        number.update({y: base + i for i, y in enumerate(rest)})
        return number, base + len(rest)

    def tasks(self, command):
        if "launch" in command:
            node = self.graph.nodes.get(command["launch"], {"op_type": "StreamActive"})
            return node.get("attached_task_count", task_count(node)) if command.get("attached") else task_count(node)
        return len(command["activate"]) - 1 if "activate" in command else 2 if "wait" in command else 1

    def written(self, commands, number):
        """The list with numbers; neighbours that belong to one end of one node stand in their order."""
        out, run, of = [], [], None
        for c in commands + [{}]:
            sync = self.syncs[c["sync"]] if "sync" in c else None
            group = sync and (c["end"], sync[c["end"] + "_node"], c.get("in"))
            if group != of:
                out += [{KEYS[k, e]: n, **rest} for k, n, e, rest in sorted(run, key=lambda r: r[:2])]
                run, of = [], group
            if sync:
                run.append((sync["kind"], number[c["sync"]], c["end"], {k: v for k, v in c.items() if k not in ("sync", "end")}))
            elif c:
                out.append(dict(c))
        return out

    def write(self):
        plan = copy.deepcopy(self.plan)
        number = {}
        for kind, resource in (("event", "attached_events"), ("notify", "attached_notifies")):
            given, count = self.numbers(kind)
            number.update(given)
            ids = sorted({i for n in plan["nodes"] for i in n.get(resource, [])})
            for n in plan["nodes"]:
                n[resource] = [count + ids.index(i) for i in n.get(resource, [])]
            plan[f"{kind}_count"] = count + len(ids)
        plan["notify_types"] = [0] * plan["notify_count"]
        plan["syncs"] = [dict(self.syncs[y], id=number[y]) for y in self.order if self.syncs[y]]
        for stream, commands in zip(plan["streams"], self.streams):
            stream["commands"] = self.written(commands, number)
            stream["task_count"] = sum(map(self.tasks, stream["commands"]))
        for spoil in self.spoilers:
            spoil(plan)
        return plan
