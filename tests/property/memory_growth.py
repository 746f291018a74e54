#!/usr/bin/env python3
"""What planning holds as graphs grow: bytes of a job's memory a node, at one size and at eight times that, at most 1.3 times as many.

The figure is `peak_bytes` of `streamctl plan --timing`, the same in every run. Graphs are those of tools/biggraph.py, and bodies by the
hundred, each with what one rule looks at (a label, a reduction): what a pass takes for one graph must not add up over all of them.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))
from tap import Tap

STREAMCTL = os.environ.get("STREAMCTL", "build/clients/streamctl")
BOUND = 1.3
NAMED = (("rand", 500), ("train", 50), ("attached", 500), ("ifs", 125))
OPTIONS = ({}, {"hcom_parallel": True}, {"auto_multi_stream": "LoadBalance:4"}, {"explain": True}, {"simulate": True}, {"single_stream": True})


def named(kind, size):
    program = HERE.parent / "tools/biggraph.py"
    return json.loads(subprocess.run([sys.executable, program, f"{kind}:{size}"], capture_output=True, check=True).stdout)


SPECIAL = {"labelled": {"op_type": "Relu", "engine": "AIcoreEngine"}, "chosen": {"op_type": "Relu", "engine": "AIcoreEngine"},
           "reducing": {"op_type": "HcomAllReduce", "engine": "DNN_HCCL", "attrs": {"fusion": 1}}}


def body(kind, name):
    """Four operators; the second is of the kind. Bodies of a choice are labelled as a whole."""
    chain = [{"name": f"{name}a", "op_type": "Relu", "engine": "AIcoreEngine"}, dict(SPECIAL[kind], name=f"{name}b", inputs=[f"{name}a:0"]),
             {"name": f"{name}c", "op_type": "Relu", "engine": "AIcoreEngine", "inputs": [f"{name}b:0"]},
             {"name": f"{name}o", "op_type": "NetOutput", "engine": "DNN_VM_RTS", "inputs": [f"{name}c:0"]}]
    for node in {"labelled": chain[1:2], "chosen": chain, "reducing": []}[kind]:
        node["attrs"] = {"_user_stream_label": name}
    return {"name": name, "nodes": chain}


def bodies(kind, size):
    """`size` nodes in a row that launch nothing but what stands in their bodies."""
    nodes, subgraphs = [], []
    for k in range(size):
        names = [f"c{k}s", f"c{k}t"] if kind == "chosen" else [f"c{k}s"]
        subgraphs += [body(kind, name) for name in names]
        nodes.append({"name": f"c{k}", "op_type": "If" if kind == "chosen" else "PartitionedCall", "inputs": [f"c{k - 1}:0"] if k else [], "subgraphs": names})
    return {"graph": {"nodes": nodes, "subgraphs": subgraphs}, "device": {"limits": {"max_streams": 65536}}}


def bytes_a_node(request, options, folder):
    path = pathlib.Path(folder) / "request.json"
    path.write_text(json.dumps(dict(request, options=dict(request.get("options", {}), **options))))
    p = subprocess.run([STREAMCTL, "plan", path, "--local", "--format", "json", "--timing"], capture_output=True, text=True)
    if p.returncode:
        raise SystemExit(p.stderr)
    return json.loads(p.stderr)["peak_bytes"] / len(json.loads(p.stdout)["nodes"])


def measure(tap, make, kind, size, options_tried, folder):
    small, large = make(kind, size), make(kind, 8 * size)
    for options in options_tried:
        few, many = (bytes_a_node(request, options, folder) for request in (small, large))
        words = " ".join(f"{k}={v}" for k, v in options.items()) or "as it stands"
        tap.case(f"{kind}:{size}, {words}: eight times as large, a node takes {many / few:.2f} times as much, at most {BOUND}",
                 [] if many <= BOUND * few else [f"{few:.0f} bytes a node, then {many:.0f}"])


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        for kind, size in NAMED:
            measure(tap, named, kind, size, OPTIONS, folder)
        for kind in SPECIAL:
            measure(tap, bodies, kind, 125, OPTIONS[:4], folder)
    tap.end()


if __name__ == "__main__":
    main()
