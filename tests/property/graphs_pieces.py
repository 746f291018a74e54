"""Requests with long streams and bodies, written as nested lists: what tests/property/pieces.py cuts at every limit.

A graph is a list of parts, one behind the other:
    n                       a chain of n operators
    ("fork", k, n)          k chains of n operators each, on engines in turn, that meet again
    ("heavy", t)            one operator of t tasks
    ("attached", n)         a chain whose operators have a second stream
    ("group", n)            a chain with one continuous label
    ("call", [...])         a body that is called
    ("if" | "case", [...], [...], ...)   one body of several
    ("while", [...], [...]) a condition and a body
    ("loop", [...], [...])  the same, with nothing launched at the end of either
Bodies are structured, or lowered to labels, for a whole graph.
"""
ENGINES = ["AIcoreEngine", "VectorEngine", "DSAEngine", "DNN_HCCL", "DNN_VM_AICPU_ASCEND"]
TYPES = {"if": "If", "case": "Case", "while": "While", "call": "PartitionedCall"}
ATTACHED = {"_attached_resource_name": "x", "_attached_resource_reuse_key": "k", "_attached_resource_required_flag": True}


def stretched(parts, by):
    """The same graph with chains `by` times as long."""
    def part(p):
        if isinstance(p, int):
            return p * by
        if p[0] == "heavy":
            return p
        return (p[0], p[1], p[2] * by) if p[0] == "fork" else (p[0], *(stretched(x, by) if isinstance(x, list) else x * by for x in p[1:]))
    return [part(p) for p in parts]


class Maker:
    def __init__(self, lowered):
        self.lowered, self.bodies, self.count, self.labels = lowered, [], 0, 0

    def number(self):
        self.count += 1
        return self.count

    def label(self):
        self.labels += 1
        return self.labels - 1

    def node(self, nodes, name, op_type, engine, tasks, inputs, **attrs):
        nodes.append({"name": name, "op_type": op_type, "engine": engine, "task_count": tasks, "inputs": inputs, "attrs": attrs})
        return name

    def runtime(self, nodes, name, op_type, *inputs, **attrs):
        return self.node(nodes, name, op_type, "DNN_VM_RTS", 1, list(inputs), _rts_label_node=True, **attrs)

    def chain(self, nodes, after, length, engine=ENGINES[0], **attrs):
        for _ in range(length):
            k = self.number()
            op_type = "HcomAllReduce" if engine == "DNN_HCCL" else "Relu"
            after = [self.node(nodes, f"n{k}", op_type, engine, 1 + k % 3, [f"{a}:0" for a in after], **attrs)]
        return after

    def part(self, nodes, after, part):
        """Puts a part behind the nodes `after`; answers what the next one stands behind."""
        if isinstance(part, int):
            return self.chain(nodes, after, part)
        kind, *rest = part
        if kind == "fork":
            return [end for k in range(rest[0]) for end in self.chain(nodes, after, rest[1], ENGINES[k % len(ENGINES)])]
        if kind == "heavy":
            return [self.node(nodes, f"n{self.number()}", "Relu", ENGINES[0], rest[0], [f"{a}:0" for a in after])]
        if kind == "attached":
            return self.chain(nodes, after, rest[0], _attached_stream_info_list=[ATTACHED])
        if kind == "group":
            return self.chain(nodes, after, rest[0], _continuous_stream_label="together")
        return [self.functional(nodes, after, kind, rest)]

    def parts(self, nodes, after, parts):
        for part in parts:
            after = self.part(nodes, after, part)
        return after

    def functional(self, nodes, after, kind, bodies):
        tasks, kind = (0, "while") if kind == "loop" else (1, kind)
        name = f"{kind}{self.number()}"
        self.node(nodes, name, TYPES[kind], "DNN_VM_GE_LOCAL", 0, [f"{a}:0" for a in after])
        nodes[-1]["subgraphs"] = [f"{name}_{k}" for k in range(len(bodies))]
        end = self.label()
        for k, body in enumerate(bodies):
            inside = [{"name": f"{name}_{k}_in", "op_type": "Data", "engine": "DNN_VM_GE_LOCAL", "task_count": 0, "attrs": {"_parent_node_index": 0}}]
            self.bodies.append({"name": f"{name}_{k}", "nodes": inside})
            enter = self.enter(inside, name, kind, k) if self.lowered and kind != "call" else []
            last = self.parts(inside, [f"{name}_{k}_in"], body)
            for n in inside:
                if enter and f"{name}_{k}_in:0" in n.get("inputs", []):
                    n["inputs"] = n["inputs"] + enter
            out = self.node(inside, f"{name}_{k}_out", "NetOutput", "DNN_VM_RTS", tasks, [f"{n}:0" for n in last if n != f"{name}_{k}_in"] or enter)
            if enter:
                self.leave(inside, name, kind, k, len(bodies), end, f"^{out}")
        return name

    def enter(self, nodes, name, kind, k):
        """What a lowered body begins with; who starts in it waits for what is answered."""
        switch = k == 0 and kind != "while"
        if switch:
            self.runtime(nodes, f"{name}_switch", "LabelSwitchByIndex")
        self.runtime(nodes, f"{name}_{k}_label", "LabelSet", *([f"^{name}_switch"] if switch else []), _label_switch_index=self.label())
        return ["^" + self.runtime(nodes, f"{name}_{k}_active", "StreamActive", f"^{name}_{k}_label", subgraph_first_active=True)]

    def leave(self, nodes, name, kind, k, bodies, end, gate):
        if kind == "while" and k == 0:
            self.runtime(nodes, f"{name}_switch", "LabelSwitchByIndex", gate)
            return
        if kind == "while" or k < bodies - 1:
            gate = "^" + self.runtime(nodes, f"{name}_{k}_goto", "LabelGotoEx", gate, _label_switch_index=0 if kind == "while" else end)
        if k == bodies - 1:
            self.runtime(nodes, f"{name}_end", "LabelSet", gate, _label_switch_index=end, _subgraph_end_node=True)


def request(name, parts, lowered, limit, **options):
    maker, nodes = Maker(lowered), [{"name": "in", "op_type": "Data", "engine": "DNN_VM_GE_LOCAL", "task_count": 0}]
    last = maker.parts(nodes, ["in"], parts)
    maker.node(nodes, "out", "NetOutput", "DNN_VM_RTS", 1, [f"{n}:0" for n in last])
    return {"graph": {"name": name, "nodes": nodes, "subgraphs": maker.bodies}, "options": dict(options),
            "device": {"limits": {"max_streams": 0, "max_tasks_per_stream": limit}}}
