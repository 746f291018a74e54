"""A compiled model: traced when it is called, then planned by the daemon."""
from __future__ import annotations

import inspect
import logging
from typing import Any, Optional

from . import tracing
from .client import Client
from .graph import Graph
from .plan import Plan

logger = logging.getLogger("streamd")
CAPTURE_BACKEND = "npugraph_ex"


def _flat(value: Any) -> list:
    if isinstance(value, (list, tuple)):
        return [t for v in value for t in _flat(v)]
    return [value] if hasattr(value, "symbol") else []


class CompiledModel:
    """`graph` and `plan` are those of the last call."""

    def __init__(self, model: Any, backend: Any, dynamic: bool):
        if backend != CAPTURE_BACKEND and not hasattr(backend, "scopes"):
            raise ValueError(f"there is no backend {backend!r}; take torchair.get_npu_backend() or {CAPTURE_BACKEND!r}")
        self.model, self.backend, self.dynamic = model, backend, dynamic
        self.graph: Optional[Graph] = None
        self.plan: Optional[Plan] = None

    @property
    def _is_captured(self) -> bool:
        return self.backend == CAPTURE_BACKEND

    def trace(self, *args: Any, **kwargs: Any) -> tuple[Graph, Any]:
        """The graph of a call, and what the model gives back."""
        from . import torch
        graph = Graph(type(self.model).__name__, dynamic=self.dynamic)
        bound = inspect.signature(self.model.forward).bind(*args, **kwargs)
        for name, given in bound.arguments.items():
            if isinstance(given, torch.Tensor):
                bound.arguments[name] = torch.Tensor(given.shape, given.dtype, graph.data(name))
        with tracing.tracing(graph, tracing.CAPTURED if self._is_captured else tracing.GRAPH_MODE):
            with self.backend.scopes() if not self._is_captured else tracing.nothing():
                result = self.model(*bound.args, **bound.kwargs)
            graph.output(*(t.symbol for t in _flat(result)))
            if self._is_captured:
                graph.join(*graph.stream_ends())
        if not self._is_captured:
            graph.options.update(self.backend.options())
            self.backend.dump(graph)
        return graph, result

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.graph, result = self.trace(*args, **kwargs)
        with Client() as daemon:
            self.plan = daemon.plan(self.graph)
        logger.debug("%s", self.plan)
        return result
