"""torch.npu: streams and events of the captured mode.

A stream is a label; a record is the last operator of its stream at that time, a wait a control edge to the next operator of its stream. Before the
model ends, the default stream waits for the last operator of every other one.
"""
from __future__ import annotations

import contextlib
import itertools
from typing import Any, Iterator, Optional

from . import scope as scopes
from . import tracing
from .errors import GraphError

_numbers = itertools.count()


class Stream:
    """A stream of the user's own."""

    def __init__(self, priority: int = 0):
        self.number, self.priority = next(_numbers), priority

    @property
    def label(self) -> str:
        """Its label in the graph that is being traced: streams are numbered as they are first used there."""
        trace = tracing.needed("a stream", tracing.CAPTURED)
        return trace.events.setdefault(f"stream {self.number}", f"graph_0_stream_{sum(k.startswith('stream ') for k in trace.events)}")

    def wait_event(self, event: "Event") -> None:
        event.wait(self)

    def record_event(self, event: Optional["Event"] = None) -> "Event":
        event = event or Event()
        event.record(self)
        return event

    def wait_stream(self, other: "Stream") -> None:
        other.record_event().wait(self)


class _Labelled(Stream):
    """A stream whose label is known: the default one, or the one that is current."""

    label = ""

    def __init__(self, label: str = ""):
        self.label, self.priority = label, 0


class Event:
    """A place in a stream that others wait for."""

    def __init__(self, **_: Any):
        self._recorded: Optional[tuple[Any, Any]] = None

    def record(self, stream: Optional[Stream] = None) -> None:
        trace = tracing.needed("an event", tracing.CAPTURED)
        self._recorded = (trace, trace.graph.last(_label(stream)))

    def wait(self, stream: Optional[Stream] = None) -> None:
        trace = tracing.needed("an event", tracing.CAPTURED)
        if self._recorded is None or self._recorded[0] is not trace:
            raise GraphError("an event is waited for that nobody has recorded; record it before")
        node = self._recorded[1]
        trace.graph.before_next([node] if node else [], _label(stream))


def _label(stream: Optional[Stream]) -> str:
    return scopes.label() if stream is None else stream.label


class _Npu:
    Stream, Event = Stream, Event

    @staticmethod
    @contextlib.contextmanager
    def stream(stream: Stream) -> Iterator[None]:
        """What is called inside runs on the stream."""
        with scopes.captured_stream(stream.label, stream.priority) if stream.label else scopes.default_stream():
            yield

    @staticmethod
    def current_stream() -> Stream:
        """The stream that is current, to wait for it or to be waited for."""
        return _Labelled(scopes.label())

    @staticmethod
    def default_stream() -> Stream:
        """The stream of what is outside of all others."""
        return _Labelled()


npu = _Npu()
