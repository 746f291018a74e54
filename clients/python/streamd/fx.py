"""Graphs of torch.fx, where torch is installed: a traced module becomes a graph, its functions operators."""
from __future__ import annotations

import operator
from typing import Any, Callable

from . import scope
from .errors import GraphError
from .graph import Graph, Tensor
from .torch import op_type_of

OPERATORS = {operator.add: "add", operator.sub: "sub", operator.mul: "mul", operator.truediv: "div", operator.matmul: "matmul", operator.iadd: "add", operator.imul: "mul"}
MODULES = {"Linear": "matmul", "Conv2d": "conv2d", "ReLU": "relu", "BatchNorm2d": "batch_norm", "MaxPool2d": "max_pool", "Sigmoid": "sigmoid", "Softmax": "softmax"}
LAYOUT = ("getitem", "getattr", "size", "shape", "dim")     # ask for shapes and parts; no operator of the device


def _name_of(target: Any) -> str:
    """torch.nn.functional.relu -> relu; aten::add.Tensor -> add."""
    if target in OPERATORS:
        return OPERATORS[target]
    name = target if isinstance(target, str) else getattr(target, "__name__", str(target))
    return name.partition(".")[0].strip("_")


class _Importer:
    def __init__(self, module: Any, name: str):
        self.module, self.graph = module, Graph(name)
        self.made: dict[Any, Any] = {}
        self.open: list[Any] = []

    def inputs(self, node: Any) -> list[Tensor]:
        found = (self.made.get(source) for source in node.all_input_nodes)
        return [t for t in found if t is not None]

    def enter(self, node: Any) -> None:
        """A scope as torchair writes it: keys and texts side by side."""
        keys, values = node.args[0], node.args[1]
        entered = scope.everywhere(dict(zip(keys, values)))
        entered.__enter__()
        self.open.append(entered)

    def leave(self, _: Any) -> None:
        if not self.open:
            raise GraphError("a scope is left that was not entered")
        self.open.pop().__exit__(None, None, None)

    def operator(self, node: Any, name: str) -> None:
        if "scope_enter" in name:
            self.enter(node)
        elif "scope_exit" in name:
            self.leave(node)
        elif name in LAYOUT:
            self.made[node] = (self.inputs(node) or [None])[0]
        elif "wait_tensor" in name:
            tensor, dependency = self.inputs(node)
            self.made[node] = scope.wait_tensor(tensor, dependency)
        else:
            self.made[node] = self.graph.op(op_type_of(name), *self.inputs(node), name=node.name)

    def module_type(self, node: Any) -> str:
        kind = type(self.module.get_submodule(node.target)).__name__
        return MODULES.get(kind, kind)

    def run(self) -> Graph:
        steps: dict[str, Callable[[Any], None]] = {
            "placeholder": lambda n: self.made.__setitem__(n, self.graph.data(n.name)),
            "get_attr": lambda n: self.made.__setitem__(n, self.graph.const(n.name)),
            "call_function": lambda n: self.operator(n, _name_of(n.target)),
            "call_method": lambda n: self.operator(n, _name_of(n.target)),
            "call_module": lambda n: self.operator(n, self.module_type(n)),
            "output": lambda n: self.graph.output(*self.inputs(n)),
        }
        try:
            for node in self.module.graph.nodes:
                steps[node.op](node)
            if self.open:
                raise GraphError(f"{len(self.open)} scopes are entered and not left")
        finally:
            while self.open:
                self.leave(None)
        return self.graph


def from_fx(module: Any, name: str = "") -> Graph:
    """The graph of a torch.fx.GraphModule."""
    return _Importer(module, name or type(module).__name__).run()
