"""What explanations must be true of: each is held against the request and the plan that it explains."""
import collections

from plancommands import Commands
from plangraph import Graph

LOOPS = ("NextIteration", "RefNextIteration")      # their edges lead into the next turn


def nodes_of(req):
    """The nodes of the root, then those of the bodies."""
    return req["graph"]["nodes"] + [n for body in req["graph"].get("subgraphs", []) for n in body["nodes"]]


def edges(req):
    """(producer, consumer, whether it is a control edge) of every input that is connected."""
    for node in nodes_of(req):
        for text in node.get("inputs", []):
            name, colon, port = text.rpartition(":")
            if text.startswith("^"):
                yield text[1:], node["name"], True
            elif colon and (port.isdigit() or port == "-1"):
                yield name, node["name"], port == "-1"
            elif text:
                yield text, node["name"], False


class Story:
    def __init__(self, req, plan):
        self.plan, self.bad = plan, []
        self.of = collections.defaultdict(list)
        for e in plan["explanations"]:
            self.of[e["node"]].append(e)
        self.place = {n["name"]: n for n in plan["nodes"]}
        self.edge = collections.defaultdict(set)
        for a, b, control in edges(req):
            self.edge[a, b].add(control)
        self.skipped = {n["name"] for n in nodes_of(req) if n["op_type"] in LOOPS}
        self.switches = {n["name"] for n in nodes_of(req) if n["op_type"] == "StreamSwitch"}
        self.graph, self.reached = Graph(req), {}
        self.commands = Commands(self.graph, plan)
        self.behind, self.own = self.orders()

    def orders(self):
        """Per command (stream, place) the commands that directly come behind it: on its stream, by a sync, by an activation, by a jump. And per
        node its commands; to one with bodies belong those of its bodies too."""
        behind, own, launch, end = collections.defaultdict(list), collections.defaultdict(list), {}, {}
        for stream in self.plan["streams"]:
            for i, c in enumerate(stream["commands"]):
                at = (stream["id"], i)
                if i + 1 < len(stream["commands"]):
                    behind[at].append((stream["id"], i + 1))
                for started in c.get("activate", []):
                    if self.plan["streams"][started]["commands"]:
                        behind[at].append((started, 0))
                sync = self.commands.sync_of.get(at)
                ends = sync and self.commands.end_of[id(sync)]
                if ends and ends.get("record") == at and "wait" in ends:
                    behind[at].append(ends["wait"])
                node = c.get("launch") or (sync and sync["record_node" if ends.get("record") == at else "wait_node"])
                self.give(own, at, node, c.get("in", ""))
                if "launch" in c and not c.get("attached"):
                    launch[c["launch"]] = at
        for a, b, _, _ in self.graph.jumps:
            if a in launch and b in launch:
                behind[launch[a]].append(launch[b])
        return behind, own

    def give(self, own, at, node, body):
        if node:
            own[node].append(at)
        while body:
            parent = self.graph.parent_of_graph[body][0]
            own[parent].append(at)
            body = self.graph.graph_of[parent]

    def lanes(self, node):
        """The logical streams that a node is on, or, of a StreamSwitch, from whose front it tells; of a node with bodies, those that they use."""
        started = {self.plan["streams"][s]["logical_id"] for a in self.plan["activations"] if a["node"] == node for s in a["streams"]} if node in self.switches else set()
        inside = {self.plan["streams"][s]["logical_id"] for s, _ in self.own[node]} if self.graph.nodes.get(node, {}).get("subgraphs") else set()
        return {max(self.place[node]["logical_stream"], 0), *self.place[node]["attached_logical_streams"], *started, *inside}

    def reached_from(self, other):
        """The commands behind some command of a node."""
        if other not in self.reached:
            todo = list(self.own[other])
            seen = set()
            while todo:
                for at in self.behind[todo.pop()]:
                    if at not in seen:
                        seen.add(at)
                        todo.append(at)
            self.reached[other] = seen
        return self.reached[other]

    def runs_behind(self, node, other):
        """Whether some command of `node` has a command of `other` in front of it."""
        return not self.reached_from(other).isdisjoint(self.own[node])

    def claim(self, holds, e, what):
        if not holds:
            self.bad.append(f"{e['node']} {e['reason']} {e['other']} {e['through']}: {what}")

    def check_ends(self):
        for name, node in self.place.items():
            moves = [e for e in self.of[name] if (e["from_stream"], e["to_stream"]) != (-1, -1) and e["reason"] not in ("piece", "attached", "attached_shared")]
            end = moves[-1]["to_stream"] if moves else -1
            if end != node["logical_stream"] and not any(e["reason"] == "inserted" for e in self.of[name]):
                self.bad.append(f"{name}: the story ends on stream {end}, the node is on {node['logical_stream']}")
            for a, b in zip(moves, moves[1:]):
                self.claim(a["to_stream"] == b["from_stream"], b, f"begins on {b['from_stream']}, {a['pass']} left it on {a['to_stream']}")

    def check_syncs(self):
        told = collections.Counter(e["number"] for e in self.plan["explanations"] if e["reason"].startswith("sync_"))
        if told != collections.Counter(range(len(self.plan["syncs"]))):
            self.bad.append(f"not every sync is told once: {told}")
        for e in self.plan["explanations"]:
            if not e["reason"].startswith("sync_"):
                continue
            sync, direct = self.plan["syncs"][e["number"]], self.edge.get((e["other"], e["node"]), set())
            self.claim((sync["record_node"], sync["wait_node"]) == (e["other"], e["node"]), e, "is another sync")
            if e["reason"] in ("sync_data", "sync_control"):
                self.claim((e["reason"] == "sync_control") in direct, e, "there is no such edge")
            elif e["reason"] == "sync_through":
                self.claim(self.place[e["through"]]["stream"] == -1 and self.edge[e["other"], e["through"]] and self.edge[e["through"], e["node"]], e, "feeds it otherwise")
            elif e["reason"] != "sync_through_many":
                self.claim(e["reason"] == "sync_" + sync["cause"], e, f"is for {sync['cause']}")

    def check_implied(self):
        syncs = {(s["record_node"], s["wait_node"]) for s in self.plan["syncs"]}
        for e in self.plan["explanations"]:
            if e["reason"] in ("same_stream", "later_producer", "implied_by_stream", "implied_by_sync", "implied_by_start", "implied_by_starter"):
                self.claim(self.runs_behind(e["node"], e["other"]), e, "is not behind it")
            if e["reason"] in ("later_producer", "implied_by_stream", "implied_by_sync", "implied_by_start"):
                self.claim(e["through"] == e["other"] or self.runs_behind(e["through"], e["other"]), e, "through is not behind other")
                self.claim(self.runs_behind(e["node"], e["through"]), e, "node is not behind through")
            if e["reason"] == "implied_by_sync":
                self.claim((e["through"], e["node"]) in syncs, e, "there is no such sync")
            if e["reason"] == "implied_by_stream":
                self.claim(self.lanes(e["through"]) & self.lanes(e["node"]), e, "is not on its stream")

    def check_edges(self):
        """Every edge between launched nodes is either a sync's, or is told to need none."""
        for a, b in self.edge:
            if self.place[a]["stream"] == -1 or self.place[b]["stream"] == -1 or a in self.skipped:
                continue
            said = [e["reason"] for e in self.of[b] if e["other"] == a]
            if not any(r.startswith(("sync_", "implied_", "same_", "later_")) for r in said):
                self.bad.append(f"nothing is said of the edge {a} -> {b}")


def problems(req, bare, explained):
    """Of a plan without explanations and the same one with them."""
    story = Story(req, explained)
    story.check_ends()
    story.check_syncs()
    story.check_implied()
    story.check_edges()
    rest = {k: v for k, v in explained.items() if k not in ("explanations", "plan_key")}
    if rest != {k: v for k, v in bare.items() if k != "plan_key"}:
        story.bad.append("the plan is another one with explanations")
    return story.bad
