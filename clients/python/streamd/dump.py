"""Graphs as text: what torchair dumps before a graph is compiled."""
from __future__ import annotations

import json
from typing import Any, Iterator

from .graph import CONTROL, Graph, Node


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _pbtxt_node(node: Node) -> Iterator[str]:
    yield "node {"
    yield f"  name: {_quoted(node.name)}"
    yield f"  op: {_quoted(node.op_type)}"
    for producer, index in node.inputs:
        yield f"  input: {_quoted(f'^{producer.name}' if index == CONTROL else f'{producer.name}:{index}')}"
    for key, value in node.attrs.items():
        yield f"  attr {{ key: {_quoted(key)} value {{ s: {_quoted(str(value))} }} }}"
    yield "}"


def as_pbtxt(graph: Graph) -> str:
    """Like TensorFlow's: control inputs as ^name, every value a text; for viewers."""
    return "".join(line + "\n" for node in graph.nodes for line in _pbtxt_node(node))


def _ge_value(value: Any) -> str:
    if isinstance(value, bool):
        return f"b: {str(value).lower()}"
    if isinstance(value, int):
        return f"i: {value}"
    if isinstance(value, float):
        return f"f: {value!r}"
    if isinstance(value, list):
        return "list { " + " ".join(f"{_ge_value(v)}" for v in value) + " }"
    return f"s: {_quoted(str(value))}"


def _ge_op(node: Node) -> Iterator[str]:
    yield "op {"
    yield f"  name: {_quoted(node.name)}"
    yield f"  type: {_quoted(node.op_type)}"
    for producer, index in node.inputs:
        yield f"  input: {_quoted(f'{producer.name}:{index}')}"
    for key, value in node.attrs.items():
        yield f"  attr {{ key: {_quoted(key)} value {{ {_ge_value(value)} }} }}"
    yield "}"


def as_ge_text(graph: Graph) -> str:
    """The text of a ge.proto.GraphDef: attributes keep their kinds."""
    return f"name: {_quoted(graph.name)}\n" + "".join(line + "\n" for node in graph.nodes for line in _ge_op(node))


WRITERS = {"pbtxt": as_pbtxt, "txt": as_ge_text}
