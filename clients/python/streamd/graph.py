"""A graph as it is built: nodes, tensors between them, and what the scopes around them say."""
from __future__ import annotations

from typing import Any, Iterable, Mapping, Optional, Sequence, Union

from . import scope as scopes
from .errors import DanglingWait, GraphError

Attr = Union[str, int, float, bool, list, dict]
CONTROL = -1


class Node:
    """An operator. `inputs` are (node, output) pairs, output -1 for a control edge."""

    def __init__(self, graph: "Graph", name: str, op_type: str):
        self.graph, self.name, self.op_type = graph, name, op_type
        self.engine = ""
        self.inputs: list[tuple["Node", int]] = []
        self.attrs: dict[str, Attr] = {}
        self.fields: dict[str, Any] = {}
        self.is_wait = False

    def after(self, *nodes: Union["Node", "Tensor"]) -> "Node":
        """Control edges: this node runs behind those."""
        for other in nodes:
            edge = (other.node if isinstance(other, Tensor) else other, CONTROL)
            if edge not in self.inputs:
                self.inputs.append(edge)
        return self

    def out(self, index: int = 0) -> "Tensor":
        """Output `index` of the node."""
        return Tensor(self, index)

    def __repr__(self) -> str:
        return f"<{self.op_type} {self.name}>"


class Tensor:
    """One output of a node."""

    def __init__(self, node: Node, index: int = 0):
        self.node, self.index = node, index

    def __repr__(self) -> str:
        return f"<{self.node.name}:{self.index}>"


class Graph:
    """A model under construction. Nodes take the attributes of the scopes that are open (streamd.scope)."""

    def __init__(self, name: str = "graph", dynamic: bool = False, **attrs: Attr):
        self.name, self.dynamic, self.attrs = name, dynamic, attrs
        self.nodes: list[Node] = []
        self.options: dict[str, Any] = {}
        self.device: dict[str, Any] = {}
        self._names: dict[str, int] = {}
        self._by_name: dict[str, Node] = {}
        self._next: dict[str, list[Node]] = {}     # by label: what the next operator of that stream waits for
        self._last: dict[str, Node] = {}           # by label: the last operator
        self._output: Optional[Node] = None

    # ---- nodes ----

    def _free_name(self, wanted: str) -> str:
        while wanted in self._by_name:
            self._names[wanted] = self._names.get(wanted, 0) + 1
            if f"{wanted}_{self._names[wanted]}" not in self._by_name:
                return f"{wanted}_{self._names[wanted]}"
        return wanted

    def _add(self, node: Node) -> Node:
        self._by_name[node.name] = node
        self.nodes.append(node)
        return node

    def data(self, name: Optional[str] = None) -> Tensor:
        """An input of the model."""
        return self._add(Node(self, self._free_name(name or "data"), "Data")).out()

    def const(self, name: Optional[str] = None) -> Tensor:
        """A weight."""
        return self._add(Node(self, self._free_name(name or "const"), "Const")).out()

    def op(self, op_type: str, *inputs: Union[Tensor, Node], name: Optional[str] = None, engine: str = "", after: Sequence[Union[Node, Tensor]] = (),
           attrs: Optional[Mapping[str, Attr]] = None, **fields: Any) -> Tensor:
        """An operator that reads `inputs`; answers its output 0, others are `.node.out(k)`.

        `fields` are those of the message Node: task_count, duration_ns, outputs, comm, ... A `name` that is taken gets a number.
        """
        node = Node(self, self._free_name(name or op_type.lower()), op_type)
        node.engine, node.fields = engine, dict(fields)
        node.attrs = {**scopes.attributes(), **(attrs or {})}
        for given in inputs:
            tensor = scopes.rebound(self, given.out() if isinstance(given, Node) else given)
            if tensor.node.graph is not self:
                raise GraphError(f"{node.name}: its input {tensor.node.name} belongs to graph {tensor.node.graph.name}; build it in this graph")
            node.inputs.append((tensor.node, tensor.index))
        node.after(*after)
        self._add(node)
        self._follow(node)
        return node.out()

    def _follow(self, node: Node) -> None:
        """What was asked of the next operator of this stream."""
        stream = scopes.current_label()
        node.after(*self._next.pop(stream, []))
        self._last[stream] = node

    def last(self, label: Optional[str] = None) -> Optional[Node]:
        """The last operator of stream `label` (None: the current one, '': the default one); None where it has none yet."""
        return self._last.get(scopes.current_label() if label is None else label)

    def before_next(self, nodes: Iterable[Node], label: Optional[str] = None) -> None:
        """The next operator of that stream runs behind these."""
        waiting = list(nodes)
        if waiting:
            self._next.setdefault(scopes.current_label() if label is None else label, []).extend(waiting)

    def stream_ends(self) -> list[Node]:
        """The last operator of each stream but the default one, in the order of their first operators."""
        return [node for label, node in self._last.items() if label]

    def output(self, *results: Union[Tensor, Node]) -> Node:
        """Ends the graph: what the model gives back. Everything is checked here."""
        if self._output:
            raise GraphError(f"graph {self.name} has an output already")
        node = Node(self, self._free_name("netoutput"), "NetOutput")
        for given in results:
            tensor = scopes.rebound(self, given.out() if isinstance(given, Node) else given)
            node.inputs.append((tensor.node, tensor.index))
        node.after(*self._next.pop("", []))
        self._check_waits(node)
        self._output = self._add(node)
        return node

    def join(self, *nodes: Node) -> None:
        """The output waits for these, too."""
        if not self._output:
            raise GraphError(f"graph {self.name} has no output yet")
        self._output.after(*nodes)

    def _check_waits(self, output: Node) -> None:
        read = {producer for node in self.nodes + [output] for producer, index in node.inputs if index != CONTROL}
        for node in self.nodes:
            if node.is_wait and node not in read:
                raise DanglingWait(f"nothing reads what the wait {node.name} gives back, so that it would hold up nothing; use its result, or take the wait away")
        for label, waiting in self._next.items():
            raise DanglingWait(f"a wait for {waiting[0].name} has no operator behind it on stream {label}; take the wait away, or put an operator behind it")

    # ---- the request ----

    def _node_json(self, node: Node) -> dict:
        row: dict[str, Any] = {"name": node.name, "op_type": node.op_type}
        if node.engine:
            row["engine"] = node.engine
        if node.inputs:
            row["inputs"] = [f"^{p.name}" if index == CONTROL else f"{p.name}:{index}" for p, index in node.inputs]
        if node.attrs:
            row["attrs"] = dict(node.attrs)
        return {**row, **node.fields}

    def to_json(self, **options: Any) -> dict:
        """The request, as `streamctl plan` reads it."""
        graph: dict[str, Any] = {"name": self.name, "nodes": [self._node_json(n) for n in self.nodes]}
        if self.dynamic:
            graph["dynamic"] = True
        if self.attrs:
            graph["attrs"] = dict(self.attrs)
        request: dict[str, Any] = {"graph": graph}
        merged = {**self.options, **options}
        if merged:
            request["options"] = merged
        if self.device:
            request["device"] = self.device
        return request
