"""The graph that is being traced, and by whose words."""
from __future__ import annotations

import contextlib
import threading
from typing import Iterator, Optional

from .errors import MixedFrontEnds
from .graph import Graph

GRAPH_MODE, CAPTURED = "torchair", "npugraph_ex"
_state = threading.local()


class Trace:
    """A model that is being traced."""

    def __init__(self, graph: Graph, mode: str):
        self.graph, self.mode = graph, mode
        self.events: dict[str, object] = {}


def current() -> Optional[Trace]:
    """None outside of a trace."""
    return getattr(_state, "trace", None)


def needed(what: str, mode: Optional[str] = None) -> Trace:
    """The trace, for something that has no meaning outside of one, or in the other mode."""
    trace = current()
    if trace is None:
        raise RuntimeError(f"{what} is for models that are compiled; call it inside of one")
    if mode and trace.mode != mode:
        raise MixedFrontEnds(f"{what} belongs to {mode}, and this model is compiled for {trace.mode}; use the words of one of them")
    return trace


@contextlib.contextmanager
def tracing(graph: Graph, mode: str) -> Iterator[Trace]:
    """Traces what happens inside."""
    before = current()
    _state.trace = Trace(graph, mode)
    try:
        yield _state.trace
    finally:
        _state.trace = before


@contextlib.contextmanager
def nothing() -> Iterator[None]:
    """No scope at all."""
    yield
