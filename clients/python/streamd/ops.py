"""TorchAir's `ops`: order between streams, told by what was recorded."""
from __future__ import annotations

from typing import Optional, Sequence

from . import scope
from .errors import GraphError
from .graph import Graph, Node, Tensor


class Recorded:
    """A place in a stream: behind its last operator at that time, or at its begin."""

    def __init__(self, graph: Graph, node: Optional[Node]):
        self.graph, self.node = graph, node


class TaggedEvent:
    """An event with a name that the whole graph knows."""

    def __init__(self, graph: Graph, tag: str):
        self.graph, self.tag = graph, tag
        self.recorded: Optional[Recorded] = None


def record(graph: Graph) -> Recorded:
    """Remembers the last operator of the stream that is current."""
    return Recorded(graph, graph.last())


def wait(places: Sequence[Recorded]) -> None:
    """The next operator of the stream that is current runs behind all of these places."""
    if not places:
        raise ValueError("wait takes at least one record")
    for place in places:
        place.graph.before_next([place.node] if place.node else [])


def create_tagged_event(graph: Graph, tag: str) -> TaggedEvent:
    """An event of that name; a name is taken once in a graph."""
    events = graph.__dict__.setdefault("_tagged_events", {})
    if tag in events:
        raise ValueError(f"the event tag {tag!r} is taken; choose another")
    events[tag] = TaggedEvent(graph, tag)
    return events[tag]


def tagged_event_record(event: TaggedEvent) -> None:
    """Records the event behind the last operator of the stream that is current."""
    event.recorded = record(event.graph)


def tagged_event_wait(event: TaggedEvent) -> None:
    """The next operator of the stream that is current runs behind the event."""
    if event.recorded is None:
        raise GraphError(f"the event {event.tag!r} is waited for and nobody has recorded it; record it before")
    wait([event.recorded])


def record_stream(tensor: Tensor, tag: str = "") -> None:
    """The memory of `tensor` may not be given to others before stream `tag` (empty: the current one) is past this point."""
    kept = tensor.node.attrs.setdefault("_record_stream", [])
    stream = str(tag) or scope.label() or "default"
    if stream not in kept:
        kept.append(stream)


npu_create_tagged_event = create_tagged_event
npu_tagged_event_record = tagged_event_record
npu_tagged_event_wait = tagged_event_wait
npu_record_tagged_stream = record_stream
