"""Plans of flat graphs that a test can take apart and put together again, if launches, lanes and events are all that they tell (plain).

A Draft holds what was decided (which launches stand on which stream in which order, which syncs there are) and writes the
whole plan from that: commands, numbers, counts, summary. `smallest` finds the syncs that a placement needs, by the
definition and without any cleverness: so plans can be made here that owe nothing to the planner.
"""
import copy
from collections import Counter

from plangraph import Graph, task_count


def plain(plan):
    """Whether launches, lanes and events are all that a plan tells."""
    counted = any(plan[k] for k in ("activations", "notify_count", "attached_stream_count"))
    return not counted and not any(n[k] for n in plan["nodes"] for k in ("attached_logical_streams", "attached_events", "attached_notifies"))


class Draft:
    def __init__(self, request, plan):
        self.request, self.plan = request, copy.deepcopy(plan)
        self.rank = {n["name"]: i for i, n in enumerate(request["graph"]["nodes"])}
        self.nodes = {n["name"]: n for n in request["graph"]["nodes"]}
        self.streams = [[c["launch"] for c in s["commands"] if "launch" in c] for s in plan["streams"]]
        self.lane = [s["logical_id"] for s in plan["streams"]]
        self.syncs = [[y["record_node"], y["wait_node"]] for y in plan["syncs"]]

    def stream_of(self):
        return {n: s for s, names in enumerate(self.streams) for n in names}

    def places(self):
        """Node -> place in the order in which syncs are told: that of the request where every stream keeps to it, else one in which the plan can run."""
        if all(self.rank[a] < self.rank[b] for s in self.streams for a, b in zip(s, s[1:])):
            return self.rank
        order, at, left = {}, [0] * len(self.streams), Counter(b for _, b in self.syncs)
        while True:
            ready = [s for s, names in enumerate(self.streams) if at[s] < len(names) and not left[names[at[s]]]]
            if not ready:
                break
            s = min(ready, key=lambda s: self.rank[self.streams[s][at[s]]])
            name = self.streams[s][at[s]]
            order[name] = len(order)
            at[s] += 1
            left.subtract(b for a, b in self.syncs if a == name)
        for s, names in enumerate(self.streams):        # what waits for ever
            order.update({n: len(order) + k for k, n in enumerate(names[at[s]:])})
        return order

    def write(self):
        """The plan as told by streams, lanes and syncs."""
        of, plan, place = self.stream_of(), copy.deepcopy(self.plan), self.places()
        syncs = sorted(self.syncs, key=lambda y: (place[y[0]], place[y[1]]))
        waits, records = {}, {}
        for i, (a, b) in enumerate(syncs):
            records.setdefault(a, []).append(i)
            waits.setdefault(b, []).append(i)
        blank = copy.deepcopy(plan["streams"][0])
        plan["streams"] = []
        for s, names in enumerate(self.streams):
            commands, tasks = [], 0
            for n in names:
                commands += [{"wait": i} for i in waits.get(n, [])] + [{"launch": n}] + [{"record": i} for i in records.get(n, [])]
                tasks += 2 * len(waits.get(n, [])) + task_count(self.nodes[n]) + len(records.get(n, []))
            plan["streams"].append(dict(blank, id=s, logical_id=self.lane[s], label="", task_count=tasks, commands=commands))
        for n in plan["nodes"]:
            n["stream"] = of.get(n["name"], -1)
            n["logical_stream"] = self.lane[n["stream"]] if n["stream"] >= 0 else -1
        blank = plan["syncs"][0] if plan["syncs"] else {"kind": "event", "cause": "data"}
        plan["syncs"] = [dict(blank, id=i, record_node=a, record_stream=of[a], wait_node=b, wait_stream=of[b]) for i, (a, b) in enumerate(syncs)]
        lanes = max(self.lane, default=-1) + 1
        plan.update(stream_count=len(self.streams), event_count=len(syncs), logical_stream_count=lanes, main_stream_count=lanes)
        row = plan["summary"][0]
        plan["summary"] = [dict(row, logic_stream_id=k, physical_model_stream_num=self.lane.count(k)) for k in range(lanes)]
        return plan


def orders(request, placed):
    """For each launched node the launched nodes that its edges ask for, through nodes not launched."""
    graph, before = Graph(request), {}
    for a, b in graph.needed_orders(placed):
        before.setdefault(b, set()).add(a)
    return before


def smallest(draft, sequence):
    """The syncs that the placement of a draft needs; `sequence` lists the launches in an order that keeps everything."""
    of = draft.stream_of()
    asked = orders(draft.request, set(sequence))
    last, known, syncs = {}, {}, []     # known[n]: everything that has finished when n starts
    latest = {}
    for n in sequence:
        lane, s = draft.lane[of[n]], of[n]
        have = known[last[s]] | {last[s]} if s in last else set()
        wanted = asked.get(n, set()) | ({latest[lane]} if lane in latest else set())
        for a in sorted(wanted, key=sequence.index, reverse=True):
            if a not in have:
                syncs.append([a, n])
                have |= known[a] | {a}
        known[n], last[s], latest[lane] = have, n, n
    return syncs
