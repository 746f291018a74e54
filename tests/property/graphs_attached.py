"""Attached streams, events and notifies for random requests: every format, shared and not, with declared dependencies, on variables too."""

KEYS = ["", "k", "k", "m"]


def chance(r, p):
    return r.random() < p


def data_inputs(node):
    return [t for t in node.get("inputs", []) if t and not t.startswith("^") and not t.endswith(":-1")]


def depends(r, node):
    """Numbers of data inputs that the attached stream reads."""
    count = len(data_inputs(node))
    return sorted(r.sample(range(count), r.randint(1, min(2, count)))) if count and chance(r, .5) else []


def newer_entry(r, node):
    e = {"_attached_resource_name": r.choice(["s0", "s1"]), "_attached_resource_required_flag": chance(r, .85)}
    if chance(r, .7):
        e["_attached_resource_reuse_key"] = r.choice(KEYS)
    if chance(r, .4):
        e["_attached_resource_force_reuse"] = True
    numbers = depends(r, node)
    if numbers:
        e["_attached_resource_depend_value_list_int"] = numbers
    return e


def newer(r, node):
    a = {"_attached_stream_info_list": [newer_entry(r, node) for _ in range(r.choice([1, 1, 1, 2, 3]))]}
    if chance(r, .3):
        a["_attached_sync_res_info_list"] = [
            dict({"_attached_resource_type": r.randrange(2), "_attached_resource_name": r.choice(["e", "f"]), "_attached_resource_required_flag": chance(r, .8)},
                 **({"_attached_resource_reuse_key": r.choice(KEYS)} if chance(r, .7) else {})) for _ in range(r.choice([1, 2]))]
    return a


def text_of(r, node):
    numbers = depends(r, node)
    return {"_attached_stream_depend_value_list": ",".join(map(str, numbers))} if numbers else {}


def older(r, node):
    a = {"group": r.choice(["g0", "g1", "g2"])}
    if chance(r, .6):
        a["_attached_stream_info"] = dict({"_attached_stream_policy": "group", "_attached_stream_key": r.choice(["x", "y"])}, **text_of(r, node))
    else:
        a["_attached_stream_info"] = [dict({"_attached_stream_key": r.choice(["x", "y"])}, **text_of(r, node)) for _ in range(r.choice([1, 1, 2]))]
    if chance(r, .3):
        key = r.choice(["n", "o"])
        a["_attached_notify_info"] = {"_attached_notify_policy": "group", "_attached_notify_key": key, "_attached_notify_type": 1 + (key == "o")}
        if chance(r, .5):
            a["_attached_notify_info"]["_attached_notify_num"] = 3
    if chance(r, .3):
        a["_attached_sync_res_info"] = [dict({"_attached_sync_res_type": "event"}, **({"_attached_sync_res_key": "v"} if chance(r, .5) else {}))]
    return a


def add_variables(r, nodes):
    """Some nodes read and some write a variable; it stands in front of all."""
    name = "var"
    nodes.insert(0, {"name": name, "op_type": r.choice(["Variable", "RefData"]), "engine": "DNN_VM_GE_LOCAL"})
    for n in nodes[1:]:
        if n.get("inputs") and n["op_type"] != "NetOutput" and chance(r, .3):
            n["inputs"].insert(0, f"{name}:0")
            if chance(r, .4):
                n.setdefault("attrs", {})["reference"] = True


def dress(r, nodes, variables):
    """Lets some of the nodes ask."""
    if variables and chance(r, .4):
        add_variables(r, nodes)
    style, often = r.choice(["newer", "older", "both"]), r.choice([.1, .3, .7])
    for n in nodes:
        if n["op_type"] in ("Data", "Const", "Variable", "RefData", "NetOutput") or not chance(r, often):
            continue
        asks = newer(r, n) if style == "newer" or style == "both" and chance(r, .5) else older(r, n)
        n.setdefault("attrs", {}).update(asks)
        if chance(r, .05):
            n["attrs"]["_disable_attached_resource"] = True
        if chance(r, .2):
            n["attached_task_count"] = r.choice([1, 2, 4])
        if chance(r, .1):
            n["attrs"][r.choice(["_node_sqe_num", "_hccl_task_num", "_hccl_attached_task_num"])] = r.randrange(6)


def tie(r, nodes):
    """Continuous labels on runs of nodes."""
    at = 0
    while at < len(nodes):
        run = r.randint(1, 6)
        if chance(r, .3):
            for n in nodes[at:at + run]:
                if n["op_type"] not in ("Data", "Const", "NetOutput"):
                    n.setdefault("attrs", {})["_continuous_stream_label"] = r.choice(["C", "D"])
        at += run
