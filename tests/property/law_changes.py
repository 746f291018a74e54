"""What one changed thing of a request may change: a table of all options, fields and steering attributes.

Every row says how to change a request in one thing, and where the plan may be another one because of it; elsewhere nothing of it may differ but
its keys. plan_key differs in any case, graph_hash exactly where the graph does. `only` names the fields of the plan in which
the difference may show; `keeps` what of KEEPS is the same all the same, where it may show in many; `uncut` such fields for plans that no limit cuts.
In a whole run each row that may change a plan must have changed one.
"""
import collections
import copy
import json

import plancheck
from plangraph import Graph

REDUCES = ("HcomAllReduce", "HorovodAllreduce")
LOOPS = ("While", "_While", "StatelessWhile", "For")
EDGES = ("data", "control", "subgraph")
HAZARDS = ("SD302", "SD303")
ATTACHED = ("_attached_stream_info", "_attached_stream_info_list", "_attached_notify_info", "_attached_sync_res_info", "_attached_sync_res_info_list")
KEYS = ("plan_key", "graph_hash", "explanations")

DEFAULTS = {"compat": "native", "event": "event", "auto_multi_stream": "", "ac_parallel": "", "topo_sorting": "submitted", "cluster": "merge", "unknown_op": "aicore"}

Row = collections.namedtuple("Row", "what change where only graph must refused keeps uncut")
ROWS = []


def nodes_of(req):
    return req["graph"]["nodes"] + [n for body in req["graph"].get("subgraphs", []) for n in body["nodes"]]


def always(req, other, plan):
    return True


def never(req, other, plan):
    return False


def of_nodes(*fields):
    """These fields of the nodes of the request."""
    def found(req, plan):
        names = {n["name"] for n in nodes_of(req)}
        return [[n[k] for k in fields] for n in plan["nodes"] if n["name"] in names]
    return found


def launches(req, plan):
    """(logical stream, node, whether it is attached there), piece after piece; nodes put behind a StreamSwitch have streams of their own."""
    names = {n["name"] for n in nodes_of(req)}
    return [(s["logical_id"], c["launch"], bool(c.get("attached"))) for s in sorted(plan["streams"], key=lambda s: s["id"]) for c in s["commands"] if c.get("launch") in names]


def lane_orders(req, plan):
    """What is launched on each logical stream, in order, its pieces one after the other."""
    return sorted(launches(req, plan), key=lambda x: x[0])


def launched_nodes(req, plan):
    return sorted(name for _, name, attached in launches(req, plan) if not attached)


# What may be the same although a plan is another one.
KEEPS = {
    "nodes": of_nodes("name"),
    "mode": lambda req, plan: plan["mode"],
    "cores": of_nodes("cube_cores", "vector_cores"),
    "host waits": of_nodes("host_wait"),
    "launched nodes": launched_nodes,
    "main streams": of_nodes("logical_stream"),
    "attached streams": of_nodes("attached_logical_streams"),
    "orders of logical streams": lane_orders,
}
# Who chooses streams anew keeps this alone: a stream more or less gives others other numbers, and syncs, starts and pieces follow from them.
CHOSEN = ("nodes", "mode", "cores", "host waits", "launched nodes")
# Who only cuts streams elsewhere, or starts them otherwise, keeps the logical ones; syncs of bodies that are cut have ends on more pieces, or on fewer.
CUT = CHOSEN + ("main streams", "attached streams", "orders of logical streams")
SIZES = ("task_count", "huge", "diagnostics", "simulation")


def without(*names):
    return tuple(k for k in CHOSEN if k not in names)


def row(what, change, where=always, only=None, graph=True, must=None, refused=(), keeps=CHOSEN, uncut=None):
    """`must`: some plan of a whole run must differ; by itself where the row may change a plan at all."""
    ROWS.append(Row(what, change, where, only, graph, where is not never if must is None else must, refused, () if only else keeps, uncut))


# ---- how to change ----

def option(key, *values):
    """Another value of an option; None where it has the only one."""
    def change(req, r):
        others = [v for v in values if v != req["options"].get(key, DEFAULTS.get(key, False))]
        return dict(req, options=dict(req["options"], **{key: r.choice(others)})) if others else None
    return change


def option_unless_set(key, *values):
    change = option(key, *values)
    return lambda req, r: None if key in req["options"] else change(req, r)


def field(make, fits=lambda n: True):
    """Some node that fits gets the fields that `make` answers for it."""
    def change(req, r):
        other = copy.deepcopy(req)
        near = [n for n in nodes_of(other) if fits(n)]
        if not near:
            return None
        node = r.choice(near)
        node.update(make(node, r))
        return other
    return change


def attribute(key, *values, fits=lambda n: True):
    def make(node, r):
        others = [v for v in values if json.dumps(v) != json.dumps(attrs(node).get(key))]
        return {"attrs": dict(attrs(node), **{key: r.choice(others)})} if others else {}
    return field(make, fits)


def device(**what):
    def change(req, r):
        now = req.get("device", {})
        return dict(req, device=dict(now, **{k: dict(now.get(k, {}), **v) if isinstance(v, dict) else v for k, v in what.items()}))
    return change


def attrs(node):
    return node.get("attrs", {})


def changed(req, other):
    """The node in which two requests differ."""
    return next(b for a, b in zip(nodes_of(req), nodes_of(other)) if a != b)


# ---- where it matters ----

def is_dynamic(req, other, plan):
    return bool(req["graph"].get("dynamic"))


def is_placed_here(req, other, plan):
    """Whether streams are chosen by the planner; else by the request."""
    return not is_partitioned(req)


def is_static(req, other, plan):
    return not is_dynamic(req, other, plan)


def is_partitioned(req):
    return "explicit_streams" in req["options"]


def fuses(req, other, plan):
    """What hcom_parallel and fusion move: consumers of fused all-reduces."""
    both = [n for q in (req, other) for n in nodes_of(q)]
    on = req["options"].get("hcom_parallel") or other["options"].get("hcom_parallel")
    return bool(on) and is_static(req, other, plan) and not is_partitioned(req) and any(n["op_type"] in REDUCES and attrs(n).get("fusion") for n in both)


def has_edge_syncs(req, other, plan):
    return is_static(req, other, plan) and any(s["cause"] in EDGES for s in plan["syncs"])


def is_placed(req, other, plan):
    name = changed(req, other)["name"]
    return any(n["name"] == name and n["logical_stream"] >= 0 for n in plan["nodes"])


def is_launched(req, other, plan):
    name = changed(req, other)["name"]
    return any(n["name"] == name and n["stream"] >= 0 for n in plan["nodes"])


def has_user_label(req, other, plan):
    return bool(attrs(changed(req, other)).get("_user_stream_label"))


def label_counts(req, other, plan):
    """A user's label hides an operator's, unless both are to count."""
    a = attrs(changed(req, other))
    return not a.get("_user_stream_label") or a.get("_enable_inner_parallel") is True


def engine_is_used(req, other, plan):
    return is_static(req, other, plan) and not is_partitioned(req)


def makes_clusters(req, other, plan):
    """Static or of unknown shape, but not on one stream."""
    return not is_partitioned(req) and (is_static(req, other, plan) or bool(req["options"].get("dynamic_multi_stream")))


def asks_for_attached(req, other, plan):
    return any(k in attrs(changed(req, other)) for k in ATTACHED)


def is_cut(req, other, plan):
    return len({s["logical_id"] for s in plan["streams"]}) < len(plan["streams"])


def has_bodies(req, other, plan):
    return bool(req["graph"].get("subgraphs"))


def weighs(req, other, plan):
    """Streams are chosen by what they take: times and the device model are no matter of the simulation alone."""
    return "Weighted" in req["options"].get("auto_multi_stream", "") + str(req["graph"].get("attrs", {}).get("ge.autoMultistreamParallelMode", ""))


def was_instant(req, other, plan):
    """What takes no time is placed by no automatic mode."""
    return next(a for a, b in zip(nodes_of(req), nodes_of(other)) if a != b).get("duration_ns") == 0


def is_simulated(req, other, plan):
    return bool(req["options"].get("simulate"))


def unless(fits, change):
    return lambda req, r: None if fits(req, None, None) else change(req, r)


def saves_memory(req, other, plan):
    """Nodes are sorted by what their outputs take."""
    return req["options"].get("memory_priority", False) and req["options"].get("topo_sorting") == "dfs"


def is_label(node):
    return node["op_type"] in ("LabelSet", "LabelGotoEx")


def has_attached(req, other, plan):
    return any(n["attached_streams"] for n in plan["nodes"])


# ---- options ----

row("option compat", option("compat", "native", "ge"), graph=False, refused=("SD2", "SD03"))
row("option single_stream", option("single_stream", True, False), graph=False, refused=("SD0107", "E10055", "E10056", "SD2", "SD03"), keeps=without("mode"))      # the mode is another
row("option hcom_parallel", option("hcom_parallel", True, False), fuses, graph=False, must=False, refused=("SD2", "SD03"))
row("option event", option("event", "notify", "event"), has_edge_syncs, graph=False, refused=("SD2", "E19999"), keeps=CUT,
    uncut=("commands", "kind", "id", "event_count", "notify_count", "notify_types", "attached_events", "attached_notifies") + SIZES)
row("option auto_multi_stream", option("auto_multi_stream", "LoadBalance:2", "MainStream:3", "cv", ""), is_placed_here, graph=False, refused=("E10056", "SD2", "SD03"))
row("option dynamic_multi_stream", option("dynamic_multi_stream", True, False), is_dynamic, graph=False, must=False, refused=("SD2", "SD03"))
row("option ac_parallel", option("ac_parallel", "1", "0", ""), is_dynamic, graph=False, must=False, refused=("SD2", "SD03"))
row("option memory_priority", option("memory_priority", True, False), graph=False, refused=("SD2", "SD03"))
row("option max_parallel_num", option_unless_set("max_parallel_num", {"AIcoreEngine": 2}, {"AIcoreEngine": 3, "DNN_HCCL": 2}), engine_is_used, graph=False, refused=("SD2", "SD03"))
row("option max_parallel_num of no engine", option_unless_set("max_parallel_num", {"Nobody": 9}), only=("diagnostics",), graph=False, must=False)
row("option explicit_streams", lambda q, r: dict(q, options={k: v for k, v in dict(q["options"], explicit_streams=[[n["name"] for n in nodes_of(q)]]).items() if k != "auto_multi_stream"}),
    graph=False, must=False, refused=("SD", "E1"))
row("option topo_sorting", option("topo_sorting", "submitted", "bfs", "dfs", "rdfs", "stable"), graph=False, refused=("SD2", "SD03"))
row("option topo_sorting = stable", option_unless_set("topo_sorting", "stable"), lambda q, o, p: plancheck.reordered({}, Graph(q)), graph=False, must=False, refused=("SD2", "SD03"))
row("option cluster", option("cluster", "merge", "topo", "none"), makes_clusters, graph=False, refused=("SD2", "SD03"))
row("option unknown_op", option("unknown_op", "reject"), never, graph=False, refused=("EZ3003",))
row("option strict", option("strict", True), never, graph=False, refused=HAZARDS)
row("option explain", option("explain", True), never, graph=False)
row("option memory_plan", option("memory_plan", True), never, graph=False, refused=("SD0001",))
row("option simulate", option("simulate", True, False), only=("simulation",), graph=False)
row("option search_evaluations", option("search_evaluations", 3), never, graph=False, refused=("SD0001",))

# ---- the device ----

row("device.model.launch_gap_ns", device(model={"launch_gap_ns": 4711}), lambda q, o, p: weighs(q, o, p) or is_simulated(q, o, p), graph=False, must=False, refused=("SD2", "SD03"))
row("device.model.launch_gap_ns of who does not weigh", unless(weighs, device(model={"launch_gap_ns": 4711})), is_simulated, only=("simulation",), graph=False)
row("device.model.cube_cores", device(model={"cube_cores": 3}), only=("diagnostics", "simulation"), graph=False, must=False)
row("device.limits.max_events", device(limits={"max_events": 4321}), never, graph=False, refused=("SD2002",))
row("device.limits.max_notifies", device(limits={"max_notifies": 1023}), never, graph=False, refused=("SD2003",))
row("device.limits.max_streams", device(limits={"max_streams": 1023}), never, graph=False, refused=("SD2001",))
row("device.limits.max_tasks_per_stream", device(limits={"max_tasks_per_stream": 37}), graph=False, refused=("SD2", "SD0314"), keeps=CUT, uncut=SIZES)
row("device.limits.unlimited_depth", device(limits={"unlimited_depth": True}), lambda q, o, p: is_cut(q, o, p) or any(s["huge"] for s in p["streams"]) or bool(p["diagnostics"]), graph=False,
    keeps=CUT, uncut=SIZES)
row("device.engines of nobody", device(engines=[{"name": "Nobody", "priority": 9}]), lambda q, o, p: "engines" in q.get("device", {}), graph=False, must=False, refused=("E19999", "SD2", "SD03"))

# ---- fields of a node ----

row("task_count", field(lambda n, r: {"task_count": n.get("task_count", 1) + 3}), refused=("SD2", "SD03", "SD0111"),
    keeps=without("host waits", "launched nodes") + ("main streams", "attached streams"))     # a node without tasks is launched now, and waits and tells itself
row("attached_task_count", field(lambda n, r: {"attached_task_count": n.get("attached_task_count", 1) + 3}), has_attached, must=False, refused=("SD2",), keeps=CUT, uncut=SIZES)
row("duration_ns", field(lambda n, r: {"duration_ns": n.get("duration_ns", 0) + 17}),
    lambda q, o, p: weighs(q, o, p) or is_simulated(q, o, p) or was_instant(q, o, p), must=False, refused=("SD2", "SD03"))
row("duration_ns of who does not weigh", unless(weighs, field(lambda n, r: {"duration_ns": n.get("duration_ns", 0) + 17}, lambda n: n.get("duration_ns") != 0)), is_simulated, only=("simulation",))
row("outputs", field(lambda n, r: {"outputs": [{"bytes": 12345 + len(n.get("outputs", []))}]}), saves_memory, must=False, refused=("SD2", "SD03"))
row("op_type nobody knows", field(lambda n, r: {"op_type": n["op_type"] + "X", "engine": n["engine"]}, lambda n: n.get("engine") == "AIcoreEngine" and n["op_type"] in ("Relu", "MatMulV2", "Conv2D") and not n.get("subgraphs")),
    never)
row("engine", field(lambda n, r: {"engine": "DNN_VM_AICPU" if n.get("engine") != "DNN_VM_AICPU" else "AIcoreEngine"}, lambda n: not n.get("subgraphs")), refused=("SD2", "SD03", "SD0111", "E1"),
    keeps=without("host waits", "launched nodes"))       # an engine may have nothing to launch, or be the host
row("cube_cores", field(lambda n, r: {"cube_cores": n.get("cube_cores", 0) + 1}), only=("diagnostics", "simulation"), must=False)
row("gang", field(lambda n, r: {"gang": not n.get("gang", False)}), only=("diagnostics", "simulation"), must=False)
row("writes", field(lambda n, r: {"writes": n.get("writes", []) + ["a buffer of its own"]}), never)
row("comm.bytes", field(lambda n, r: {"comm": dict(n["comm"], bytes=n["comm"].get("bytes", 0) + 1)}, lambda n: "comm" in n), never)

# ---- attributes ----

row("_stream_label", attribute("_stream_label", "other", "another"), label_counts, refused=("E10055", "SD2", "SD03"))
row("_user_stream_label", attribute("_user_stream_label", "other", "another"), refused=("E10055", "SD2", "SD03"))
row("_enable_inner_parallel", attribute("_enable_inner_parallel", True, False), has_user_label, must=False, refused=("SD2", "SD03"))
row("_user_stream_priority", attribute("_user_stream_priority", 3, 5), is_placed, only=("priority", "simulation"), must=False)
row("_force_attach_stream", attribute("_force_attach_stream", True), engine_is_used, must=False, refused=("SD2", "SD03"))
row("_rts_label_node", attribute("_rts_label_node", True), makes_clusters, must=False, refused=("SD2", "SD03"))
row("_parallel_group", attribute("_parallel_group", "g1", "-1"), engine_is_used, refused=("SD2", "SD03"))
row("NewStreamId", attribute("NewStreamId", 7, 8), engine_is_used, refused=("SD2", "SD03"))
row("fusion", attribute("fusion", 1, 2), fuses, must=False, refused=("SD2", "SD03"))
row("_op_aicore_num", attribute("_op_aicore_num", "2", "3"), only=("cube_cores", "diagnostics", "simulation"))
row("_op_vectorcore_num", attribute("_op_vectorcore_num", "2", "3"), only=("vector_cores", "diagnostics", "simulation"))
row("_node_sqe_num", attribute("_node_sqe_num", 5, 6), is_launched, refused=("SD2",), keeps=CUT, uncut=SIZES)
row("_hccl_task_num", attribute("_hccl_task_num", 5, 6), is_launched, must=False, refused=("SD2",), keeps=CUT, uncut=SIZES)
row("_hccl_attached_task_num", attribute("_hccl_attached_task_num", 5, 6), has_attached, must=False, refused=("SD2",), keeps=CUT, uncut=SIZES)
row("used_stream_num", attribute("used_stream_num", 3, 4), only=("follow_count", "hccl_followed_stream_num", "summary"), must=False)
row("_active_label_list", attribute("_active_label_list", ["nobody has it"]), is_launched, must=False, refused=("SD03",), keeps=CUT)
row("active_stream_list", attribute("active_stream_list", [1], [2]), never)
row("_switch_branch_node_label", attribute("_switch_branch_node_label", "x", "y"), never)
row("subgraph_first_active", attribute("subgraph_first_active", True), lambda q, o, p: has_bodies(q, o, p) or is_cut(q, o, p), must=False, refused=("SD2", "SD03"), keeps=CUT)
row("_label_switch_index", attribute("_label_switch_index", 77, 78, fits=lambda n: not is_label(n)), never)
row("_subgraph_end_node", attribute("_subgraph_end_node", True, fits=lambda n: n["op_type"] not in ("LabelSet", "NetOutput")), never)
row("_continuous_stream_label", attribute("_continuous_stream_label", "c", "d"), is_cut, must=False, refused=("SD2",), keeps=CUT)
row("_event_multiplexing", attribute("_event_multiplexing", []), never)
row("_batch_num", attribute("_batch_num", 2, fits=lambda n: n["op_type"] not in ("Case", "StatelessCase")), never)
row("_thread_scope_id", attribute("_thread_scope_id", 2), never)
row("_parent_node_index", attribute("_parent_node_index", 9, fits=lambda n: n["op_type"] != "Data"), never)
row("_disable_attached_resource", attribute("_disable_attached_resource", True), asks_for_attached, must=False, refused=("SD2", "SD03"), keeps=CHOSEN + ("main streams",))
row("tvm_blockdim", attribute("tvm_blockdim", 2, 3), only=("cube_cores", "vector_cores", "diagnostics", "simulation"), must=False)
row("_is_potential_const", attribute("_is_potential_const", True), must=False, refused=("SD2", "SD03", "SD0111"))
row("_specified_engine_name", field(lambda n, r: {"attrs": dict(attrs(n), _specified_engine_name="DNN_VM_AICPU", _specified_kernel_lib_name="aicpu_tf_kernel")}, lambda n: not n.get("subgraphs") and not n.get("engine")),
    must=False, refused=("SD2", "SD03", "SD0111"), keeps=without("host waits", "launched nodes"))
row("_specified_engine_name alone", attribute("_specified_engine_name", "DNN_VM_AICPU", fits=lambda n: "_specified_kernel_lib_name" not in attrs(n)), never)
row("created_inside", attribute("created_inside", True), must=False, refused=("SD2", "SD03", "SD0111"))
row("_enable_cv_parallel", attribute("_enable_cv_parallel", True, False), must=False, refused=("SD2", "SD03"))
row("an attribute nobody knows", attribute("colour", "red", [1, 2]), never)


# ---- the law ----

def stripped(value, names):
    if isinstance(value, dict):
        return {k: stripped(v, names) for k, v in value.items() if k not in names}
    return [stripped(v, names) for v in value] if isinstance(value, list) else value


def differing(a, b):
    return [k for k in a if k not in KEYS and a[k] != b.get(k)]


def try_row(r, req, before, plan_of, random):
    """(what is wrong, whether the plan changed) for one row."""
    other = r.change(req, random)
    if other is None or other == req:
        return [], False
    after = plan_of(other)
    if "error" in after:
        code = after["error"]["code"]
        return ([] if code.startswith(tuple(r.refused)) and r.refused else [f"{r.what}: refused with {code} {after['error']['message']}"]), False
    bad = []
    if after["plan_key"] == before["plan_key"]:
        bad.append(f"{r.what} is not in the plan_key")
    if (after["graph_hash"] != before["graph_hash"]) != r.graph:
        bad.append(f"{r.what}: graph_hash {'stays' if r.graph else 'changes'}")
    where = differing(before, after)
    if where and not r.where(req, other, before):
        bad.append(f"{r.what} changes {', '.join(where)}")
    if where and r.only and differing(stripped(before, r.only), stripped(after, r.only)):
        bad.append(f"{r.what} changes {', '.join(differing(stripped(before, r.only), stripped(after, r.only)))}, beside {', '.join(r.only)}")
    bad += [f"{r.what} changes {k}" for k in r.keeps if KEEPS[k](req, before) != KEEPS[k](other, after)]
    if r.uncut and not is_cut(req, other, before) and not is_cut(req, other, after):
        more = differing(stripped(before, r.uncut), stripped(after, r.uncut))
        bad += [f"{r.what} changes {', '.join(more)}, beside {', '.join(r.uncut)}, though nothing is cut"] if more else []
    return bad, bool(where)
