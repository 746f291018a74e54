"""Streams that labels start, for random requests: StreamActive, StreamSwitch with one label and with several, an iteration loop."""


def chance(r, p):
    return r.random() < p


def starter(r, name, before, labels):
    """A node that starts the streams of these labels, behind some of the nodes in front of it."""
    kind = r.choice(["StreamActive", "StreamActive", "StreamSwitch", "StreamSwitch", "Relu"])
    node = {"name": name, "op_type": kind, "engine": "AIcoreEngine" if kind == "Relu" else "DNN_VM_RTS",
            "inputs": [r.choice(["^{}", "{}:0"]).format(n) for n in r.sample(before, r.choice([1, 1, 2]) if len(before) > 1 else 1)],
            "attrs": {"_active_label_list": labels}}
    if chance(r, .95 if kind == "StreamSwitch" else .4):    # what shares a stream with a StreamSwitch may stand behind it
        node["attrs"]["_stream_label"] = f"by_{name}"
    return node


def start(r, nodes):
    """Puts starters between the nodes and labels some of those behind them; `nodes` is topological and ends with NetOutput, if it has one."""
    end = len(nodes) - (nodes[-1]["op_type"] == "NetOutput")
    for k in range(r.choice([1, 1, 2, 3])):
        at = r.randint(1, end)
        behind = [n for n in nodes[at:end] if n["op_type"] not in ("Data", "Const", "Variable", "RefData", "StreamSwitch", "StreamActive")]
        if not behind:
            continue
        labels = [f"S{k}{i}" for i in range(r.choice([1, 1, 2, 3]))]
        name = f"start{k}"
        new = starter(r, name, [n["name"] for n in nodes[:at]], labels)
        for n in behind:
            if chance(r, .35):
                n.setdefault("attrs", {})["_stream_label"] = r.choice(labels)
                if chance(r, .4):
                    n["inputs"].append(f"^{name}")
        carried = {n.get("attrs", {}).get("_stream_label") for n in behind}
        new["attrs"]["_active_label_list"] = [x for x in labels if x in carried]
        if not new["attrs"]["_active_label_list"]:
            continue
        nodes.insert(at, new)
        end += 1
        if chance(r, .2):           # a second one that starts the same streams
            nodes.insert(at + 1, dict(new, name=f"{name}b", inputs=[f"^{name}"] if chance(r, .5) else list(new["inputs"]), attrs=dict(new["attrs"], _stream_label=f"by_{name}b")))
            end += 1


def loop(r, nodes):
    """An iteration loop behind all others: a StreamSwitch starts the stream of the node that starts the next turn."""
    last = r.choice([n["name"] for n in nodes if n["op_type"] not in ("NetOutput", "StreamSwitch", "StreamActive")])
    nodes.append({"name": "turn", "op_type": "StreamSwitch", "engine": "DNN_VM_RTS", "inputs": [f"{last}:0"],
                  "attrs": {"_stream_label": "turns", "_active_label_list": ["again"]}})
    if chance(r, .5):
        nodes.append({"name": "count", "op_type": "AssignAdd", "engine": "AIcoreEngine", "inputs": ["^turn"], "attrs": {"_stream_label": "again"}})
    nodes.append({"name": "again", "op_type": "StreamActive", "engine": "DNN_VM_RTS", "inputs": [f"^{nodes[-1]['name']}"],
                  "attrs": {"_stream_label": "again", "is_loop_active": True}})
