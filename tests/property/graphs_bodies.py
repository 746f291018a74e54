"""Random requests with bodies, by seed: If, Case, While and calls, structured and lowered to labels, in each other up to three deep."""
import random

from graphs_attached import chance

ENGINES = ["AIcoreEngine"] * 5 + ["VectorEngine", "DNN_HCCL", "DNN_VM_AICPU_ASCEND", "DSAEngine", "DNN_VM_DVPP", "DNN_VM_RTS", "DNN_VM_GE_LOCAL"]
TYPES = {"DNN_HCCL": "HcomAllReduce", "DNN_VM_GE_LOCAL": "Reshape", "DNN_VM_RTS": "MemcpyAsync"}
FEATURES = ["label", "user", "attached", "continuous", "launched"]
BODIES = {"If": [2], "Case": [1, 2, 3], "While": [2], "PartitionedCall": [1]}
FIXED = ("LabelSet", "LabelSwitchByIndex", "LabelGotoEx", "StreamActive")


def runtime(name, op_type, *inputs, **attrs):
    """A label node, or the StreamActive of a body."""
    return {"name": name, "op_type": op_type, "engine": "DNN_VM_RTS", "task_count": 1, "inputs": list(inputs), "attrs": dict(attrs, _rts_label_node=True)}


def data(name, inside=False):
    return {"name": name, "op_type": "Data", "engine": "DNN_VM_GE_LOCAL", "task_count": 0, **({"attrs": {"_parent_node_index": 0}} if inside else {})}


def loose_ends(nodes):
    """Names that no node of the list reads."""
    used = {i.strip("^").rsplit(":", 1)[0] for n in nodes for i in n.get("inputs", [])}
    return [n["name"] for n in nodes if n["name"] not in used]


class Maker:
    def __init__(self, r):
        self.r, self.bodies, self.count, self.labels = r, [], 0, 0
        self.lowered, self.depth = chance(r, .5), r.choice([1, 1, 2, 2, 3])
        self.features = {f for f in FEATURES if chance(r, .3)}

    def name(self, kind):
        self.count += 1
        return f"{kind}{self.count}"

    def label(self):
        self.labels += 1
        return self.labels - 1

    def attrs(self, scope, launched):
        r, a = self.r, {}
        if "label" in self.features and chance(r, .07):
            a["_stream_label"] = r.choice("LM") + (scope if chance(r, .8) else "")
        if "user" in self.features and chance(r, .05):
            a["_user_stream_label"] = r.choice(["u1", "u2"])
        if "attached" in self.features and launched and chance(r, .12):
            a["_attached_stream_info_list"] = [{"_attached_resource_name": "x", "_attached_resource_reuse_key": r.choice("jk"),
                                                "_attached_resource_required_flag": True, "_attached_resource_force_reuse": chance(r, .3)}]
        if "continuous" in self.features and chance(r, .1):
            a["_continuous_stream_label"] = r.choice("cd")
        return a

    def operator(self, before, scope):
        r = self.r
        engine = r.choice(ENGINES)
        tasks = 0 if engine == "DNN_VM_GE_LOCAL" else r.choice([1, 1, 1, 3])
        near = dict.fromkeys(r.choice(before[-7:]) for _ in range(r.randint(1, 3))) if before and chance(r, .95) else {}
        node = {"name": self.name("n"), "op_type": TYPES.get(engine, "Relu"), "engine": engine, "task_count": tasks,
                "inputs": [f"{i}:0" if chance(r, .8) else f"^{i}" for i in near]}
        attrs = self.attrs(scope, tasks > 0)
        return dict(node, attrs=attrs) if attrs else node

    def fill(self, nodes, depth, scope, start):
        """Puts operators and functional nodes behind `nodes`; what hangs on nothing of the body waits for `start`."""
        r, new = self.r, []
        for _ in range(r.choice([0, 1, 2, 3, 4]) if depth else r.choice([2, 3, 5, 8])):
            before = [n["name"] for n in nodes if n["op_type"] not in FIXED]
            nested = depth < self.depth and before and chance(r, .25)
            node = self.functional(before, depth, scope) if nested else self.operator(before, scope)
            inputs = {n["name"] for n in nodes if n["op_type"] == "Data"}
            if all(i.strip("^").rsplit(":", 1)[0] in inputs for i in node["inputs"]):
                node["inputs"] = node["inputs"] + start
            nodes.append(node)
            new.append(node)
        return new

    def functional(self, before, depth, scope):
        r = self.r
        op_type = r.choice(["If", "If", "Case", "Case", "While", "PartitionedCall"])
        name, bodies = self.name("f"), r.choice(BODIES[op_type])
        inputs = list(dict.fromkeys(r.choice(before[-6:]) for _ in range(r.randint(1, 2)))) if chance(r, .95) else []
        node = {"name": name, "op_type": op_type, "engine": "DNN_VM_GE_LOCAL", "task_count": 0, "inputs": [f"{i}:0" for i in inputs],
                "subgraphs": [f"{name}b{k}" for k in range(bodies)]}
        if op_type == "Case" and bodies > 1 and chance(r, .3):
            node["attrs"] = {"_batch_num": bodies}
        if "launched" in self.features and chance(r, .15):
            node.update(engine="AIcoreEngine", task_count=1)
        end = self.label()
        for k in range(bodies):
            self.body(node, k, end, depth, bool(inputs))
        return node

    def enter(self, node, k, nodes):
        """What a lowered body begins with; the inputs of those that start in it."""
        name, body = node["name"], node["subgraphs"][k]
        if len(node["subgraphs"]) == 1:
            nodes.append(runtime(f"{body}_active", "StreamActive", subgraph_first_active=True))
            return [f"^{body}_active"]
        switch = k == 0 and node["op_type"] != "While"
        if switch:
            nodes.append(runtime(f"{name}_switch", "LabelSwitchByIndex"))
        nodes.append(runtime(f"{body}_label", "LabelSet", *([f"^{name}_switch"] if switch else []), _label_switch_index=self.label()))
        nodes.append(runtime(f"{body}_active", "StreamActive", f"^{body}_label", subgraph_first_active=True))
        return [f"^{body}_active"]

    def leave(self, node, k, end, nodes, gate):
        """What a lowered body ends with."""
        name, body = node["name"], node["subgraphs"][k]
        loop, last = node["op_type"] == "While", k == len(node["subgraphs"]) - 1
        if loop and k == 0:
            nodes.append(runtime(f"{name}_switch", "LabelSwitchByIndex", gate))
            return
        if loop or not last:
            nodes.append(runtime(f"{body}_goto", "LabelGotoEx", gate, _label_switch_index=0 if loop else end))
            gate = f"^{body}_goto"
        if last:
            nodes.append(runtime(f"{name}_end", "LabelSet", gate, _label_switch_index=end, _subgraph_end_node=True))
        elif chance(self.r, .15):       # listed behind the jump, where it would never be reached
            nodes.append(self.operator([n["name"] for n in nodes if n["op_type"] in ("Data", "StreamActive")], body))

    def body(self, node, k, end, depth, fed):
        r, body, nodes = self.r, node["subgraphs"][k], []
        several = len(node["subgraphs"]) > 1
        self.bodies.append({"name": body, "nodes": nodes})
        if chance(r, .9):
            nodes.append(data(f"{body}_in", fed))
        start = self.enter(node, k, nodes) if self.lowered and node["op_type"] != "PartitionedCall" else []
        new = self.fill(nodes, depth + 1, body, start)
        lowered = self.lowered and several
        if lowered or chance(r, .85):
            loose = set(loose_ends(nodes))
            last = [n["name"] for n in new] or [n["name"] for n in nodes if n["op_type"] == "Data"]
            ends = [n for n in last if n in loose] if chance(r, .7) else last[-1:]
            nodes.append({"name": f"{body}_out", "op_type": "NetOutput", "engine": "DNN_VM_RTS", "task_count": 1 if lowered or chance(r, .7) else 0,
                          "inputs": [f"{n}:0" for n in ends] or start})
        if lowered:
            self.leave(node, k, end, nodes, f"^{body}_out")


def options_of(r):
    o = {"compat": r.choice(["ge", "native"])}
    if chance(r, .2): o["event"] = "notify"
    if chance(r, .2): o["hcom_parallel"] = True
    if chance(r, .3): o["max_parallel_num"] = {"AIcoreEngine": r.choice([2, 3])}
    if chance(r, .15): o["cluster"] = "none"
    if chance(r, .1): o["single_stream"] = True
    return o


def request(seed):
    """The request of this seed; the same for everyone."""
    r = random.Random(f"streamd bodies {seed}")
    maker, nodes = Maker(r), [data("d1"), data("d2")]
    maker.fill(nodes, 0, "", [])
    if not maker.bodies:
        nodes.append(maker.functional([n["name"] for n in nodes], 0, ""))
    ends = [n for n in loose_ends(nodes) if n not in ("d1", "d2")] or [nodes[-1]["name"]]
    nodes.append({"name": "out", "op_type": "NetOutput", "engine": "DNN_VM_RTS", "task_count": 1, "inputs": [f"{n}:0" for n in ends]})
    limit = r.choice([1024, 1024, 1024, 64, 40, 36, 32, 30])
    return {"graph": {"name": f"bodies{seed}", "nodes": nodes, "subgraphs": maker.bodies}, "options": options_of(r),
            "device": {"limits": {"max_tasks_per_stream": limit, "max_streams": 0}}}


if __name__ == "__main__":
    import json
    import sys
    json.dump(request(int(sys.argv[1])), sys.stdout, indent=1)
