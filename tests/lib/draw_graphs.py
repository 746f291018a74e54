"""Graphs whose plans are drawn: a branching network, a large graph, and one whose names try to break out."""
import random


def branching():
    """A network of nine blocks with four branches each, as published image classifiers have them; 139 operators that compute."""
    nodes, before = [{"name": "image", "op_type": "Data"}], "image"

    def add(name, op_type, *inputs, duration=None):
        nodes.append({"name": name, "op_type": op_type, "inputs": [f"{i}:0" for i in inputs], **({"duration_ns": duration} if duration else {})})
        return name

    for k in range(3):
        before = add(f"stem/conv{k}", "Conv2D", before, duration=60000 - 15000 * k)
    for block in range(9):
        ends, head = [], f"inception_{'abcdefghi'[block]}"
        for branch, depth in enumerate((1, 2, 3, 2)):
            last = before
            for step in range(depth):
                last = add(f"{head}/branch{branch}/conv{step}", "Conv2D", last, duration=9000 + 4000 * step + 1500 * branch)
                last = add(f"{head}/branch{branch}/relu{step}", "Relu", last)
            ends.append(last)
        before = add(f"{head}/output", "ConcatD", *ends)
    add("out", "NetOutput", add("prob", "SoftmaxV2", add("loss/classifier", "MatMulV2", before, duration=7000)))
    return {"graph": {"name": "branching", "nodes": nodes}, "options": {"auto_multi_stream": "LoadBalance:4", "explain": True}}


def large(count=5000, seed=5):
    """Layers of one to six operators on four engines, a third of them with a stream label."""
    rng = random.Random(seed)
    nodes, before = [{"name": "x", "op_type": "Data"}], ["x"]
    for at in range(count):
        if at % 4 == 0:
            ready = before
            before = []
        node = {"name": f"layer{at // 100}/block{at % 100}/operator_{at}", "op_type": rng.choice(["MatMulV2", "Add", "SoftmaxV2", "Cast"]),
                "engine": rng.choice(["AIcoreEngine", "VectorEngine", "DNN_HCCL", "DNN_VM_AICPU"]), "duration_ns": rng.randint(2000, 90000),
                "inputs": [f"{name}:0" for name in rng.sample(ready, min(len(ready), rng.randint(1, 3)))]}
        if rng.random() < 0.3:
            node["attrs"] = {"_stream_label": f"side{rng.randint(0, 9)}"}
        nodes.append(node)
        before.append(node["name"])
    nodes.append({"name": "out", "op_type": "NetOutput", "inputs": [f"{name}:0" for name in before]})
    return {"graph": {"name": "large", "nodes": nodes}, "options": {"max_parallel_num": {"AIcoreEngine": 4}}}


def hostile():
    """Names that would end a script, an element or an attribute, that no XML may hold, or that are wide."""
    names = ["</script><script>throw 1</script>", "<!--", "]]>&amp;\"'", "\u7b97\u5b50" * 40, "\ufffe\uffff", "tab\tline\nbell\u0007", "{{data}}", "a/" * 60, "e\u0301\U0001f600"]
    nodes = [{"name": "x", "op_type": "Data"}]
    for i, name in enumerate(names):
        nodes.append({"name": name, "op_type": "<b>Add</b>", "inputs": [f"{nodes[-1]['name']}:0"],
                      "attrs": {"_stream_label": names[-i] if i % 2 else "side & back", "_x": 1}})
    return {"graph": {"name": "</title><script>throw 2</script>", "nodes": nodes}, "options": {"explain": True}}
