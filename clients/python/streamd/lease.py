"""Streams of a device, leased from the daemon."""
from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, Any, Iterator, Optional

from . import streamd_pb2 as pb
from .errors import StreamdError

if TYPE_CHECKING:
    from .client import Client
    from .plan import Plan


# As the runtime numbers the flags of streams: a model's tasks stay on them; arguments are copied, for collectives; a deeper queue.
PERSISTENT, FORCE_COPY, HUGE = 0x1, 0x2, 0x4


def wants_of(plan: "Plan") -> list["pb.StreamWant"]:
    """The streams that loading a plan takes: the plan's own, then those which its collectives use besides."""
    streams = plan.message.streams
    wants = [pb.StreamWant(priority=s.priority, flags=s.flags | PERSISTENT | (HUGE if s.huge else 0), task_count=s.task_count, count=1) for s in streams]
    for row in plan.message.summary:
        if row.hccl_followed_stream_num:
            tasks = max((s.task_count for s in streams if s.logical_id == row.logic_stream_id), default=0)
            wants.append(pb.StreamWant(flags=FORCE_COPY | PERSISTENT, task_count=tasks, count=row.hccl_followed_stream_num))
    return wants


def events_of(plan: "Plan") -> int:
    """Events for any run of a plan: its own, and one for each notify. Where a notify is recorded again in the next turn of a loop, who
    loads the plan may have to wait by an event of its own until the last turn has seen it."""
    return plan.event_count + plan.notify_count


class Leases:
    """The streams, events and notifies that loading a plan takes; given back by close() or the end of a `with`.

    A thread sends heartbeats meanwhile, so that the lease does not run out.
    """

    def __init__(self, client: "Client", plan: "Plan", name: str, device: int, domain: str, priority: int, wait_ms: int):
        self._client, self._stop = client, threading.Event()
        self.lost: Optional[StreamdError] = None      # why the streams are no longer this one's, once that is so
        self.streams: list["pb.StreamLease"] = []
        model = client.call("RegisterModel", pb.RegisterModelRequest(name=name, device=device, domain=domain, priority=priority))
        self.model, self._beat_s = model.model, model.ttl_ms / 3000
        client.keep(self._beat_s)
        self._thread = threading.Thread(target=self._beat, daemon=True)
        self._thread.start()
        try:
            answer = client.call("Acquire", pb.AcquireRequest(model=self.model, wants=wants_of(plan), events=events_of(plan), notifies=plan.notify_count, wait_ms=wait_ms),
                                 deadline_s=wait_ms / 1000 + 60)
        except BaseException:
            self._give_up()
            raise
        self.streams = list(answer.leases)
        self.new_streams, self.events, self.notifies = answer.new_streams, answer.events, answer.notifies

    def _beat(self) -> None:
        while not self.lost and not self._stop.wait(self._beat_s):
            try:
                answer = self._client.call("Heartbeat", pb.HeartbeatRequest(models=[self.model]))
            except StreamdError as problem:
                self.lost = problem
                return
            self._client.taken.update(answer.taken)      # told once a connection, which other leases may share
            if any(s.lease in self._client.taken for s in self.streams):
                self.lost = StreamdError("SD5085", "FAILED_PRECONDITION", "the lease is lost: an operator took streams of it away; lease the streams again")

    def _give_up(self) -> None:
        """Gives back what there is, when something else has gone wrong already."""
        self._stop.set()
        with contextlib.suppress(StreamdError):
            self._client.call("Unload", pb.UnloadRequest(model=self.model))
        self._thread.join()

    def close(self) -> None:
        """Gives everything back. Raises what went wrong meanwhile, if the lease was lost."""
        if self._stop.is_set():
            return
        self._stop.set()
        self._thread.join()
        if self.lost:
            self._give_up()
            raise self.lost
        self._client.call("Unload", pb.UnloadRequest(model=self.model))

    def __enter__(self) -> "Leases":
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None:
            self.close()
        else:
            self._give_up()

    def __len__(self) -> int:
        return len(self.streams)

    def __iter__(self) -> Iterator["pb.StreamLease"]:
        return iter(self.streams)

    def __str__(self) -> str:
        return "\n".join(f"slot {s.slot}: {'make a stream' if s.create else 'use its stream again'} (priority {s.priority}, flags {s.flags:#x}, {s.task_count} tasks)"
                         for s in self.streams)
