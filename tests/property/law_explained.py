"""What explanations must be true of: each is held against the request and the plan that it explains."""
import collections

LOOPS = ("NextIteration", "RefNextIteration")      # their edges lead into the next turn


def edges(req):
    """(producer, consumer, whether it is a control edge) of every input that is connected."""
    for node in req["graph"]["nodes"]:
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
        self.skipped = {n["name"] for n in req["graph"]["nodes"] if n["op_type"] in LOOPS}
        self.switches = {n["name"] for n in req["graph"]["nodes"] if n["op_type"] == "StreamSwitch"}
        self.behind = self.orders()

    def orders(self):
        """Per launch (node, stream) what directly precedes it: on its stream, by a sync, by an activation."""
        behind, recorded, started = collections.defaultdict(set), {}, collections.defaultdict(set)
        for stream in self.plan["streams"]:
            last = None
            for c in stream["commands"]:
                key = next((k for k in ("record", "notify_record") if k in c), None)
                if "launch" in c:
                    last = (c["launch"], stream["id"])
                elif key:
                    recorded[key, c[key]] = last or ("head", stream["id"])
                elif "activate" in c:
                    [started[s].add(last) for s in c["activate"]]
        for stream in self.plan["streams"]:
            last, waits = None, []
            for c in stream["commands"]:
                if "wait" in c or "notify_wait" in c:
                    waits.append(recorded["record", c["wait"]] if "wait" in c else recorded["notify_record", c["notify_wait"]])
                elif "launch" in c:
                    at = (c["launch"], stream["id"])
                    behind[at] |= set(waits) | ({last} if last else started[stream["id"]])
                    last, waits = at, []
        return behind

    def lanes(self, node):
        """The logical streams that a node is on, or, of a StreamSwitch, from whose front it tells."""
        started = {self.plan["streams"][s]["logical_id"] for a in self.plan["activations"] if a["node"] == node for s in a["streams"]} if node in self.switches else set()
        return {max(self.place[node]["logical_stream"], 0), *self.place[node]["attached_logical_streams"], *started}

    def runs_behind(self, node, other):
        """Whether some launch of `node` has a launch of `other` in front of it."""
        todo = [(n, s) for n, s in self.behind if n == node]
        seen = set(todo)
        while todo:
            for at in self.behind.get(todo.pop(), ()):
                if at[0] == other:
                    return True
                if at not in seen:
                    seen.add(at)
                    todo.append(at)
        return False

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
