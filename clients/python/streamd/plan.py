"""A plan, with the names of the request that it is for."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterator, Optional

from . import streamd_pb2 as pb


@dataclass(frozen=True)
class Stream:
    """A stream, and what runs on it in order, as people read it."""
    id: int
    label: str
    priority: int
    flags: int
    task_count: int
    huge: bool
    attached: bool
    initially_active: bool
    commands: tuple[str, ...]


@dataclass(frozen=True)
class Sync:
    """One record and the wait for it."""
    kind: str
    id: int
    record_node: str
    record_stream: int
    wait_node: str
    wait_stream: int
    cause: str


def _node_names(request: dict) -> list[str]:
    graph = request["graph"]
    return [n["name"] for part in [graph] + graph.get("subgraphs", []) for n in part.get("nodes", [])]


def _label_of(request: dict, node: int) -> str:
    nodes = [n for part in [request["graph"]] + request["graph"].get("subgraphs", []) for n in part.get("nodes", [])]
    attrs = nodes[node].get("attrs", {}) if node < len(nodes) else {}
    return attrs.get("_user_stream_label") or attrs.get("_stream_label") or ""


class Plan:
    """What the planner answers. `message` is the whole of it, `request` what was asked."""

    def __init__(self, request: dict, answer: "pb.PlanAnswer"):
        self.request, self.message, self.from_cache = request, answer.plan, answer.from_cache
        names = _node_names(request)
        self._names = names + [f"{names[starter]}_switch" for starter in self.message.inserted]
        self.stream_count, self.event_count = self.message.stream_count, self.message.event_count
        self.notify_count, self.key = self.message.notify_count, self.message.plan_key.hex()
        self.streams = [self._stream(i, s) for i, s in enumerate(self.message.streams)]
        self.syncs = [self._sync(s) for s in self.message.syncs]

    def _command(self, command: "pb.Command") -> str:
        what = command.WhichOneof("what")
        if what == "launch":
            return f"launch {self._names[command.launch]}" + (" (attached)" if command.attached else "")
        if what == "activate":
            return "activate " + " ".join(map(str, self.message.activations[command.activate].streams))
        return f"{what.replace('_', ' ')} {getattr(command, what)}"

    def _stream(self, number: int, stream: "pb.Stream") -> Stream:
        label = _label_of(self.request, stream.label_node_plus1 - 1) if stream.label_node_plus1 else ""
        return Stream(number, label, stream.priority, stream.flags, stream.task_count, stream.huge, stream.attached, stream.initially_active,
                      tuple(self._command(c) for c in stream.commands))

    def _sync(self, sync: "pb.Sync") -> Sync:
        return Sync(pb.Sync.Kind.Name(sync.kind).lower(), sync.id, self._names[sync.record_node], sync.record_stream, self._names[sync.wait_node],
                    sync.wait_stream, pb.Sync.Cause.Name(sync.cause).lower())

    def stream_of(self, node: Any) -> Optional[Stream]:
        """The stream that a node (or its name) runs on; None where it is not launched."""
        name = getattr(getattr(node, "node", node), "name", node)
        placed = self.message.nodes[self._names.index(name)].stream
        return self.streams[placed] if placed >= 0 else None

    @property
    def mode(self) -> str:
        """static, single or dynamic."""
        return pb.Plan.Mode.Name(self.message.mode).lower()

    @property
    def diagnostics(self) -> list[tuple[str, str]]:
        """(code, node) of what the planner warns of; the node may be empty."""
        return [(d.code, self._names[d.node_plus1 - 1] if d.node_plus1 else "") for d in self.message.diagnostics]

    def _lines(self) -> Iterator[str]:
        yield f"{self.stream_count} streams, {self.event_count} events, {self.notify_count} notifies ({self.mode})"
        for stream in self.streams:
            label = f" [{stream.label}]" if stream.label else ""
            yield f"stream {stream.id}{label}: " + "; ".join(stream.commands)

    def __str__(self) -> str:
        return "\n".join(self._lines())
