"""Where a stream is cut, worked out from the commands of the uncut one: a second reading of the rule, for tests/property/pieces.py.

Commands are counted one by one, and a cut falls in front of the one that would not fit with the reserve. It takes effect at a slot: the waits, launch and
records of one node. Nothing may exceed the limit itself.
"""
from plangraph import LOOPS, task_count
from planturns import is_below

RESERVE, WAIT, FOR_TURN = 27, 2, 8
TASKS = {"wait": WAIT, "notify_wait": 1, "record": 1, "notify_record": 1}


class Slot:
    """What one node does on one stream. `gate`: in front of its bodies, or between two turns of a loop; `end`: with this slot the condition ended, if the
    body of a structured loop goes on here."""

    def __init__(self, node, where, group):
        self.node, self.where, self.group, self.end = node, where, group, None
        self.waits, self.launch, self.tasks, self.records, self.stays, self.gate = [], None, 0, 0, False, False

    @property
    def size(self):
        return sum(self.waits) + self.tasks + self.records

    def up_to_launch(self):
        """(items, whether a cut may fall in front of it)"""
        return [(w, True) for w in self.waits] + ([(self.launch, not self.stays)] if self.launch is not None else [])


def owners(plan):
    """(kind of command, number) -> the node that it is for."""
    kinds = {"event": ("record", "wait"), "notify": ("notify_record", "notify_wait")}
    return {(key, y["id"]): y[key.split("_")[-1] + "_node"] for y in plan["syncs"] for key in kinds[y["kind"]]}


def slots_of(graph, plan, stream, limit):
    """The slots of one stream of an uncut plan, in order."""
    totals, owner, slots, commands = {s["id"]: s["task_count"] for s in plan["streams"]}, owners(plan), [], stream["commands"]
    for i, c in enumerate(commands):
        key = next((k for k in ("launch", *TASKS) if k in c), None)
        if not key:
            continue
        node, where, last = c["launch"] if key == "launch" else owner[key, c[key]], c.get("in", ""), slots[-1] if slots else None
        told = last and (last.launch is not None or last.records)
        gate = key != "launch" and graph.nodes[node].get("subgraphs")
        if not last or last.node != node or (told and "record" not in key) or (gate and last.where != where):
            slots.append(Slot(node, where, graph.attr(node, "_continuous_stream_label") and (graph.attr(node, "_continuous_stream_label"), graph.runs_in[node])))
        now = slots[-1]
        if key == "launch":
            launch(graph, now, c, commands[i + 1:i + 2], totals, limit)
            now.end = end_of_condition(graph, slots)
        elif "wait" in key:
            now.waits.append(TASKS[key])
        else:
            now.records += 1
        now.gate |= bool(gate) and (is_below(graph, where, node) or not any(is_below(graph, s.where, node) for s in slots))
    return slots


def launch(graph, slot, command, behind, totals, limit):
    """A StreamActive counts one for each piece that it is going to start."""
    raw = graph.nodes[slot.node]
    slot.where = command.get("in", "")
    slot.tasks = slot.launch = raw.get("attached_task_count", task_count(raw)) if command.get("attached") else task_count(raw)
    if raw["op_type"] == "StreamActive":
        slot.launch = sum(-(-totals[s] // limit) for d in behind for s in d.get("activate", []))
    slot.stays = bool(raw["op_type"].startswith("Label") or raw.get("subgraphs") or graph.attr(slot.node, "subgraph_first_active"))


def end_of_condition(graph, slots):
    """The number of the slot with which a condition ended, if the last slot is the first of the body that belongs to it: -1 if bodies inside ended there.
    What is deeper stands behind a gate, which tells it where the condition ended."""
    mine = graph.scope_of_graph[slots[-1].where]
    before = next((k for k in range(len(slots) - 2, -1, -1) if slots[k].launch is not None), None)
    if not mine or before is None or mine[-1][1] == 0 or mine[-1][0] in graph.lowered or graph.nodes[mine[-1][0]]["op_type"] not in LOOPS:
        return None
    theirs = graph.scope_of_graph[slots[before].where]
    if theirs[:len(mine)] != mine[:-1] + ((mine[-1][0], 0),):
        return None
    return before if len(theirs) == len(mine) else -1


class Cutter:
    """Cuts a stream; `begins` lists the slots with which its pieces begin. `refused`: the body of a loop cannot go on where its condition ended; `tight`: it
    does, but there is little room for the syncs of the loop."""

    def __init__(self, slots, limit):
        self.slots, self.limit, self.refused, self.tight = slots, limit, False, False
        self.begins, self.items, self.held, self.filled, self.pending = [0], 0, 0, 0, False
        self.first, self.inside = 0, 0          # the group of the slot at hand: where it begins, its items
        for k, slot in enumerate(slots):
            self.place(k, slot)

    def new_piece(self, begin, upto):
        """Whole slots from `begin` on, which have been counted before `upto`, go to a new piece."""
        moved = self.slots[begin:upto]
        self.begins.append(begin)
        self.held, self.filled, self.pending = WAIT + sum(m.size for m in moved), len(moved), False

    def fits(self, items, more):
        return not items or items + more + RESERVE <= self.limit

    def add(self, size):
        self.items += size
        self.inside += size

    def count(self, k, slot, stays):
        """Counts up to the launch; answers whether the slot must begin a piece."""
        must = False
        for size, movable in slot.up_to_launch():
            if self.fits(self.items, size) or not movable or stays:
                self.add(size)
            elif slot.group and self.first < k and self.may_move() and self.fits(self.inside, size):
                self.new_piece(self.first, k)
                self.inside += size
                self.items = self.inside
            else:
                must, self.items, self.inside, self.first = True, size, size, k
        return must

    def may_move(self):
        """Whether the group at hand can begin a piece."""
        return self.inside != self.items and any(not s.gate for s in self.slots[self.begins[-1]:self.first]) and self.slots[self.first].end is None

    def place(self, k, slot):
        if not k or not slot.group or slot.group != self.slots[k - 1].group:
            self.first, self.inside = k, 0
        room = self.held + slot.size + 1 <= self.limit      # a record for the next piece, too
        turn, begins = self.turn(k, slot) if slot.end is not None else None, slot.waits or slot.launch is not None
        stays = slot.gate or turn == k
        must = self.count(k, slot, stays) or (self.pending and not stays and begins)
        if not must and not stays and self.filled and begins and not room:
            self.items = self.inside = 0
            self.first, must = k, True
            self.count(k, slot, stays)
        if must and self.filled:
            self.cut(k, turn)
        for _ in range(slot.records):
            if self.fits(self.items, 1) or slot.gate:
                self.add(1)
            else:
                self.pending, self.items, self.inside, self.first = True, 1, 1, k
        self.held += slot.size
        self.filled += bool(slot.size or slot.launch is not None) and not slot.gate

    def turn(self, k, slot):
        """The body of a loop begins with this slot. Answers k: it stays; a slot in front: the launch with which the condition ended, which begins a piece with
        it; None: it cannot go on. Where it can stay, there is room for syncs of the loop."""
        begins = next((i for i in range(self.begins[-1], k) if self.slots[i].launch is not None), k)
        along = WAIT + sum(s.size for s in self.slots[slot.end:k]) if slot.end > begins else self.limit
        for where, held, room in ((k, self.held, FOR_TURN), (slot.end, along, 1), (k, self.held, 1)):
            self.tight |= held + slot.size + FOR_TURN > self.limit and where != k or room == 1 and where == k
            if held + slot.size + room <= self.limit:
                return where
        return None

    def cut(self, k, turn):
        """In front of a slot, or of what it takes along."""
        self.refused |= self.slots[k].end is not None and turn is None
        begin = k if turn is None else turn
        self.items += sum(s.size for s in self.slots[begin:k])
        self.new_piece(begin, k)

    def launches(self):
        """What is launched on each piece."""
        ends = self.begins[1:] + [len(self.slots)]
        return [[s.node for s in self.slots[a:b] if s.launch is not None] for a, b in zip(self.begins, ends)]
