"""The daemon, as a Python object."""
from __future__ import annotations

import os
import pathlib
from typing import Any, Iterable, Iterator, Optional, Union

from . import streamd_pb2 as pb
from .encode import encode
from .errors import StreamdError
from .graph import Graph
from .lease import Leases
from .plan import Plan
from .run import Run
from .tool import read_request
from .transport import DEADLINE_S, Framed, Grpc, error_of

STREAMS_TOLD = 256      # of a report, one by one; the daemon keeps no more, and of the others their sums

Input = Union[Graph, dict, str, "os.PathLike[str]"]


def request_of(model: Input, options: dict[str, Any]) -> dict:
    """A graph, a request or a file that streamctl reads, as a request."""
    if isinstance(model, Graph):
        return model.to_json(**options)
    request = model if isinstance(model, dict) else read_request(pathlib.Path(model))
    return {**request, "options": {**request.get("options", {}), **options}} if options else request


class Client:
    """A connection to the daemon. Close it, or use it in a `with`; leases end with it.

    target: None for the framed socket where it usually is; a path of a framed socket; or, for gRPC, "unix:PATH" or "HOST:PORT", with
    `credentials` (grpc.ssl_channel_credentials(...)) for TLS.
    """

    def __init__(self, target: Optional[str] = None, credentials: Any = None):
        is_grpc = target is not None and not target.startswith("/") and ":" in target
        self._transport = Grpc(target, credentials) if is_grpc else Framed(target)
        self.taken: set[int] = set()      # leases of this connection that an operator took away

    def call(self, method: str, request: Any = None, deadline_s: float = DEADLINE_S) -> Any:
        """Any method by name: message in, message out (streamd.streamd_pb2). StreamdError when it is refused."""
        return self._transport.call(method, pb.Empty() if request is None else request, deadline_s)

    def keep(self, beat_s: float) -> None:
        """Leases of this connection are kept alive at least so often, also while a call takes longer."""
        self._transport.beat_s = min(beat_s, self._transport.beat_s or beat_s)

    def plan(self, model: Input, deadline_s: float = DEADLINE_S, **options: Any) -> Plan:
        """Plans a graph, a request or a file, with the options of the contract by their names."""
        request = request_of(model, options)
        return Plan(request, self.call("Plan", encode(request), deadline_s))

    def plan_all(self, models: Iterable[Input], deadline_s: float = DEADLINE_S, **options: Any) -> Iterator[tuple[int, Union[Plan, StreamdError]]]:
        """Plans many in one call: (place in `models`, plan), each as soon as it is ready. What is refused has its StreamdError in place of a
        plan, and does not keep the others from being planned; what keeps all of them from it is raised. Leaving the loop ends the call."""
        requests = [request_of(model, options) for model in models]
        for answer in self._transport.stream("PlanBatch", pb.PlanBatchRequest(requests=[encode(r) for r in requests]), deadline_s):
            if answer.HasField("end"):
                return
            yield answer.index, Plan(requests[answer.index], answer.answer) if answer.HasField("answer") else error_of(answer.error)

    def verify(self, plan: Plan, deadline_s: float = DEADLINE_S) -> list[str]:
        """What is wrong with a plan; nothing where it is right."""
        answer = self.call("Verify", pb.VerifyRequest(request=encode(plan.request), plan=plan.message), deadline_s)
        return list(answer.violations)

    def report(self, plan: Plan, ran: Run) -> Optional["pb.PlanRuns"]:
        """Tells the daemon what a plan took where it ran; answers with the figures so far, None where it keeps none."""
        measured = ran.report["measured"]
        streams, others = measured["streams"][:STREAMS_TOLD], measured["streams"][STREAMS_TOLD:]
        request = pb.ReportRequest(plan_key=bytes.fromhex(plan.key), device=ran.device, run_ns=measured["run_ns"][-1024:],
                                   expected_ns=ran.report["expected"]["span_ns"],
                                   streams=[pb.StreamBusy(busy_ns=s["busy_ns"], overlap_ns=s["overlap_ns"]) for s in streams])
        if others:
            request.others.MergeFrom(pb.OtherStreams(count=len(others), busy_ns=sum(s["busy_ns"] for s in others), overlap_ns=sum(s["overlap_ns"] for s in others)))
        told = self.call("Report", request)
        return told.plans[0] if told.plans else None

    def reports(self, plan: Optional[Plan] = None) -> list["pb.PlanRuns"]:
        """What was reported of a plan, or of all: a row for each plan and device, the last one first."""
        return list(self.call("Report", pb.ReportRequest(plan_key=bytes.fromhex(plan.key) if plan else b"")).plans)

    def lease(self, plan: Plan, name: str = "", device: int = 0, domain: str = "", priority: int = 4, wait_ms: int = 0) -> Leases:
        """The streams that the plan needs, all of them or StreamdError; wait_ms: how long to wait in line for them."""
        return Leases(self, plan, name or plan.request["graph"].get("name") or "model", device, domain, priority, wait_ms)

    def status(self) -> "pb.StatusAnswer":
        """How the daemon is."""
        return self.call("Status")

    def close(self) -> None:
        """Ends the connection, and with it the leases that it holds."""
        self._transport.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


__all__ = ["Client", "StreamdError", "request_of"]
