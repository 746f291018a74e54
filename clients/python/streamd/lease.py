"""Streams of a device, leased from the daemon."""
from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Iterator, Optional

from . import streamd_pb2 as pb

if TYPE_CHECKING:
    from .client import Client
    from .plan import Plan


PERSISTENT, HUGE = 0x1, 0x4     # as the runtime numbers the flags of streams: a model's tasks stay on them; a deeper queue


class Leases:
    """The streams, events and notifies that a plan needs; given back by close() or the end of a `with`.

    A thread sends heartbeats meanwhile, so that the lease does not run out.
    """

    def __init__(self, client: "Client", plan: "Plan", name: str, device: int, domain: str, priority: int, wait_ms: int):
        self._client, self._stop = client, threading.Event()
        self._lost: Optional[Exception] = None
        model = client.call("RegisterModel", pb.RegisterModelRequest(name=name, device=device, domain=domain, priority=priority))
        self.model, self._beat_s = model.model, model.ttl_ms / 3000
        wants = [pb.StreamWant(priority=s.priority, flags=s.flags | PERSISTENT | (HUGE if s.huge else 0), task_count=s.task_count, count=1) for s in plan.streams]
        try:
            answer = client.call("Acquire", pb.AcquireRequest(model=self.model, wants=wants, events=plan.event_count, notifies=plan.notify_count, wait_ms=wait_ms),
                                 deadline_s=wait_ms / 1000 + 60)
        except Exception:
            client.call("Unload", pb.UnloadRequest(model=self.model))
            raise
        self.streams: list["pb.StreamLease"] = list(answer.leases)
        self.new_streams = answer.new_streams
        self._thread = threading.Thread(target=self._beat, daemon=True)
        self._thread.start()

    def _beat(self) -> None:
        while not self._stop.wait(self._beat_s):
            try:
                self._client.call("Heartbeat", pb.HeartbeatRequest(models=[self.model]))
            except Exception as problem:      # told to whoever closes
                self._lost = problem
                return

    def close(self) -> None:
        """Gives everything back. Raises what went wrong meanwhile, if the lease was lost."""
        if self._stop.is_set():
            return
        self._stop.set()
        self._thread.join()
        if self._lost:
            raise self._lost
        self._client.call("Unload", pb.UnloadRequest(model=self.model))

    def __enter__(self) -> "Leases":
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None:
            self.close()
        else:
            self._stop.set()
            self._client.call("Unload", pb.UnloadRequest(model=self.model))

    def __len__(self) -> int:
        return len(self.streams)

    def __iter__(self) -> Iterator["pb.StreamLease"]:
        return iter(self.streams)

    def __str__(self) -> str:
        return "\n".join(f"slot {s.slot}: {'make a stream' if s.create else 'use its stream again'} (priority {s.priority}, flags {s.flags:#x}, {s.task_count} tasks)"
                         for s in self.streams)
