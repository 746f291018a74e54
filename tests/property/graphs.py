"""Random requests by seed: every feature of flat graphs, alone and together."""
import random

from graphs_attached import chance, dress, tie
from graphs_started import loop, start

ENGINES = ["AIcoreEngine"] * 5 + ["VectorEngine", "DNN_HCCL", "DNN_VM_AICPU", "DNN_VM_AICPU_ASCEND", "DSAEngine", "DNN_VM_RTS", "DNN_VM_GE_LOCAL",
                                 "DNN_VM_DVPP", "DNN_VM_CUSTOM", "DNN_VM_HOST_CPU", "ffts_plus"]
TYPES = {"DNN_HCCL": ["HcomAllReduce", "HcomAllReduce", "HcomAllGather"], "DNN_VM_GE_LOCAL": ["Reshape"], "DNN_VM_RTS": ["MemcpyAsync"]}
IDLE = ("DNN_VM_GE_LOCAL", "DNN_VM_HOST_CPU", "ffts_plus")
SIZES = [1, 2, 4, 8, 15, 30, 60, 120]


def inputs_of(r, before):
    """Edges from the nearer nodes: data, control, doubled, unconnected slots."""
    near = before[-r.choice([2, 6, 20]):]
    out = []
    for _ in range(r.choice([1, 1, 1, 2, 2, 3])):
        out.append(f"{r.choice(near)}:{r.randrange(2)}" if chance(r, .8) else r.choice(near))
    if chance(r, .1):
        out.append(out[0])
    if chance(r, .08):
        out.insert(r.randrange(len(out) + 1), "")
    if chance(r, .15):
        out.append(r.choice(["^{}", "{}:-1"]).format(r.choice(near)))
    return out


def attrs_of(r, engine, op_type, mix):
    a = {}
    if chance(r, mix["label"]):
        a["_stream_label"] = r.choice(["L", "M", "N"])
    if chance(r, mix["user"]):
        a["_user_stream_label"] = r.choice(["u0", "u1"])
        if chance(r, .5):
            a["_enable_inner_parallel"] = chance(r, .7)
    if chance(r, mix["group"]):
        a["_parallel_group"] = r.choice(["g0", "g1", "-1"])
    if chance(r, mix["new"]):
        a["NewStreamId"] = r.choice([1, 2, 7])
    if op_type == "HcomAllReduce" and chance(r, .6):
        a["fusion"] = r.choice([0, 1, 2])
    if op_type.startswith("Hcom"):
        a["group"] = r.choice(["hccl_world_group", "tp"])
    if engine == "DNN_VM_AICPU" and chance(r, .15):
        a["_force_attach_stream"] = True
    if chance(r, .1):
        a["kernel_size"] = [r.randrange(4), 3]
    if chance(r, .05):
        a["note"] = r.choice(["", "x", 2.5, [[1], [2, 3]]])
    return a


def operator(r, name, before, mix):
    engine = r.choice(ENGINES)
    op_type = r.choice(TYPES.get(engine, ["MatMulV2", "Relu", "Add"]))
    node = {"name": name, "op_type": op_type, "engine": engine, "inputs": inputs_of(r, before)}
    attrs = attrs_of(r, engine, op_type, mix)
    if attrs:
        node["attrs"] = attrs
    if chance(r, .15):
        node["task_count"] = r.choice([0, 1, 2, 5])
    if chance(r, .1):
        node["outputs"] = [{"bytes": r.randrange(1 << 20), "shape": [r.randrange(1, 9), 4], "dtype": "float16"}]
    if chance(r, .1):
        node["duration_ns"] = r.randrange(1, 10 ** 6)
    return node


def options_of(r, mix):
    o = {"compat": r.choice(["native", "ge"])}
    if chance(r, .4): o["hcom_parallel"] = True
    if chance(r, .2): o["memory_priority"] = True
    if chance(r, .4): o["max_parallel_num"] = {e: r.choice([1, 2, 3, 4]) for e in r.sample(["AIcoreEngine", "VectorEngine", "DNN_VM_AICPU_ASCEND"], r.choice([1, 2]))}
    if chance(r, .3): o["cluster"] = r.choice(["topo", "none"])
    if chance(r, .5): o["topo_sorting"] = r.choice(["bfs", "dfs", "rdfs", "stable"])
    if mix["single"]: o["single_stream"] = True
    return o


def partition(r, nodes):
    """Launched nodes dealt to streams at random; within a stream in the order of the list, which is topological."""
    launched = [n["name"] for n in nodes if n.get("task_count", 0 if n.get("engine") in IDLE else 1) > 0]
    streams = [[] for _ in range(r.choice([1, 2, 3, 5]))]
    for name in launched:
        r.choice(streams).append(name)
    return [s for s in streams if s]


def take_turns(r, nodes):
    """Events that are declared to share numbers, as nodes that have inputs and their producers say it."""
    for n in nodes:
        names = [t.lstrip("^").split(":")[0] for t in n.get("inputs", []) if t]
        if names and chance(r, .3):
            n.setdefault("attrs", {})["_event_multiplexing"] = [f"{r.choice(['RecvFrom', 'SendTo'])};{r.choice(names)};{r.randrange(3)}" for _ in range(r.choice([1, 2]))]


def request(seed):
    """The request of this seed; the same for everyone."""
    r = random.Random(f"streamd {seed}")
    heavy = lambda p, q: p if chance(r, q) else 0
    mix = {"label": heavy(.12, .3), "user": heavy(.15, .3), "group": heavy(.1, .25), "new": heavy(.05, .15), "single": chance(r, .07)}
    if mix["single"]:
        mix.update(label=0, user=0)
    nodes = [{"name": f"d{i}", "op_type": "Data", "engine": "DNN_VM_GE_LOCAL"} for i in range(r.choice([1, 1, 2]))]
    for i in range(r.choice(SIZES)):
        if chance(r, .05):
            nodes.append({"name": f"c{i}", "op_type": "Const", "engine": "DNN_VM_GE_LOCAL"})
        nodes.append(operator(r, f"n{i}", [n["name"] for n in nodes], mix))
    if chance(r, .8):
        used = {t.lstrip("^").split(":")[0] for n in nodes for t in n.get("inputs", [])}
        nodes.append({"name": "out", "op_type": "NetOutput", "engine": "DNN_VM_RTS", "inputs": [n["name"] for n in nodes if n["name"] not in used] or [nodes[-1]["name"]]})
    options = options_of(r, mix)
    if chance(r, .1) and not mix["single"]:
        parts = partition(r, nodes)
        if parts:
            options["explicit_streams"] = parts
    shuffled = chance(r, .25)
    more = random.Random(f"streamd more {seed}")
    if chance(more, .35):
        # Which writer of a variable is the last one is known without the planner only where nodes keep their order.
        dress(more, nodes, not shuffled and options.get("topo_sorting", "stable") == "stable")
    if chance(more, .2):
        tie(more, nodes)
    if chance(more, .1):
        options["event"] = "notify"
    if not mix["single"] and "explicit_streams" not in options:
        if chance(more, .25):
            start(more, nodes)
        if chance(more, .1):
            loop(more, nodes)
    turns = random.Random(f"streamd turns {seed}")
    if chance(turns, .15):
        take_turns(turns, nodes)
    if shuffled:
        r.shuffle(nodes)
    limits = {"max_streams": r.choice([0, 1024]), "max_tasks_per_stream": r.choice([1024, 1024, 64, 40, 28])}
    return {"graph": {"name": f"random{seed}", "nodes": nodes}, "options": options, "device": {"limits": limits}}


if __name__ == "__main__":
    import json
    import sys
    json.dump(request(int(sys.argv[1])), sys.stdout, indent=1)
