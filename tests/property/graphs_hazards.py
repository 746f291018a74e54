"""Random requests that ask for hazards: ranks, buffers, cores, tagged events, copies to the host. Labels spread them over streams."""
import random

from graphs import request as plain
from graphs_attached import chance, data_inputs

GROUPS = {"tp": [0, 1, 2, 3], "dp": [0, 4, 8], "ep": [3, 2, 6, 2], "pp": [8, 4, 9], "one": [5], "": [0, 1], "unknown": []}


def comm(r):
    group = r.choice(sorted(GROUPS))
    out = {"group": group} if group else {}
    if GROUPS[group] and chance(r, .8):
        out["ranks"] = GROUPS[group]
    return out


def overwrites(r, node, names):
    """Mostly what the node reads, now and then any node in front of it."""
    read = [t.rpartition(":")[0] or t for t in data_inputs(node)]
    return sorted({r.choice(read if read and chance(r, .85) else names) for _ in range(r.choice([1, 1, 2]))})


def cores(r, node, attrs):
    if chance(r, .5):
        attrs["_op_vectorcore_num"] = str(r.choice([0, 8, 16, 24, 40, 99]))
    if chance(r, .3):
        attrs["_op_aicore_num"] = str(r.choice([4, 12, 24]))
    if chance(r, .3):
        node["vector_cores"] = r.choice([4, 20, 48, 60])
    if chance(r, .4):
        node["gang"] = True


def dress(r, nodes, may_label):
    """Each kind of hazard is asked for by some requests only, so that each is met alone too."""
    wants = {k: chance(r, .5) for k in ("comm", "overwrites", "writes", "cores", "tags", "label")}
    names = []
    for n in nodes:
        if n["op_type"] in ("Data", "Const", "NetOutput", "StreamSwitch", "StreamActive"):
            names.append(n["name"])
            continue
        attrs = n.setdefault("attrs", {})
        if wants["comm"] and (n["op_type"].startswith("Hcom") or chance(r, .1)):
            n["comm"] = comm(r)
        if wants["overwrites"] and names and chance(r, .25):
            n["overwrites"] = overwrites(r, n, names)
        if wants["writes"] and chance(r, .2):
            n["writes"] = r.sample(["kv", "state", "log"], r.choice([1, 1, 2]))
        if wants["cores"] and chance(r, .4):
            cores(r, n, attrs)
        if wants["tags"] and chance(r, .25):
            n["op_type"] = r.choice(["npu_tagged_event_record", "npu_tagged_event_wait"])
            attrs["tag"] = r.choice("abc")
            attrs.update({"created_inside": False} if chance(r, .1) else {})
        if wants["label"] and may_label and chance(r, .4):
            attrs["_user_stream_label"] = r.choice(["h0", "h1", "h2"])
        names.append(n["name"])


def request(seed):
    """The request of this seed; the same for everyone."""
    req, r = plain(seed), random.Random(f"hazards {seed}")
    dress(r, req["graph"]["nodes"], not req["options"].get("single_stream"))
    req["device"]["model"] = {"cube_cores": 24, "vector_cores": 48}
    return req


if __name__ == "__main__":
    import json
    import sys
    json.dump(request(int(sys.argv[1])), sys.stdout, indent=1)
