"""A request's graph as a dump of Graph Engine, of either kind: what its tests read back."""


def quoted(text):
    return '"' + "".join(chr(b) if 32 <= b < 127 and chr(b) not in '"\\' else f"\\{b:03o}" for b in text.encode()) + '"'


def proto_value(value):
    if isinstance(value, bool):
        return f"b: {str(value).lower()}"
    if isinstance(value, int):
        return f"i: {value}"
    if isinstance(value, str):
        return f"s: {quoted(value)}"
    kind = "s" if value and isinstance(value[0], str) else "i"
    return "list { " + " ".join(f"{kind}: {quoted(v) if kind == 's' else v}" for v in value) + " }"


def is_plain(value):
    return isinstance(value, (bool, int, str)) or (isinstance(value, list) and all(type(v) in (int, str) for v in value) and len({type(v) for v in value}) == 1)


def inputs_of(node):
    """Data inputs with their output, control edges behind them."""
    data = [i if ":" in i or not i else f"{i}:0" for i in node.get("inputs", []) if not i.startswith("^") and not i.endswith(":-1")]
    return data + [i if i.endswith(":-1") else f"{i[1:]}:-1" for i in node.get("inputs", []) if i.startswith("^") or i.endswith(":-1")]


def attrs_of(node):
    attrs = {key: value for key, value in node.get("attrs", {}).items() if is_plain(value)}
    if node.get("engine"):
        attrs.setdefault("_specified_engine_name", node["engine"])
        attrs.setdefault("_specified_kernel_lib_name", node["engine"])
    return attrs


def proto_graph(graph):
    lines = ["graph {", f"  name: {quoted(graph.get('name', ''))}"]
    for number, node in enumerate(graph["nodes"]):
        lines += ["  op {", f"    name: {quoted(node['name'])}", f"    type: {quoted(node['op_type'])}"]
        lines += [f"    input: {quoted(i)}" for i in inputs_of(node)]
        lines += [f"    attr {{ key: {quoted(key)} value {{ {proto_value(value)} }} }}" for key, value in attrs_of(node).items()]
        lines += [f"    subgraph_name: {quoted(body)}" for body in node.get("subgraphs", [])]
        lines += [f"    id: {number}"] if number % 3 else [f"    id: {number}, stream_id: -1; # not assigned"]
        lines += ["  }"]
    return lines + ["}"]


def as_proto(graph):
    lines = ['name: "model"']
    for part in [graph] + graph.get("subgraphs", []):
        lines += proto_graph(part)
    return "\n".join(lines) + '\nattr { key: "event_num" value { i: 77 } }\n'


def as_onnx(graph):
    """Of a graph without bodies: this kind does not say whose they are."""
    lines = ["ir_version: 6", "graph {"]
    for number, node in enumerate(graph["nodes"]):
        lines += ["  node {"] + [f"    input: {quoted(i)}" for i in inputs_of(node)]
        lines += [f"    name: {quoted(node['name'])}", f"    op_type: {quoted('ge:' + node['op_type'])}"]
        lines += [f"    attribute {{ name: {quoted(key)} s: {quoted(value)} type: STRING }}" for key, value in attrs_of(node).items() if isinstance(value, str)]
        lines += [f'    attribute {{ name: "id" i: {number} type: INT }}', '    attribute { name: "stream_id" i: -1 type: INT }', "  }"]
    return "\n".join(lines + ["}"]) + "\n"
