"""Plans that run on a device of this machine."""
from __future__ import annotations

import json
import pathlib
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterator

from .tool import call

if TYPE_CHECKING:
    from .plan import Plan


@dataclass(frozen=True)
class Run:
    """What running a plan showed: `report` is what `streamctl run --format json` says."""
    report: dict

    @property
    def device(self) -> str:
        """What figures are told apart by: the device's kind and number, without the library between them."""
        kind, at, number = self.report["device"].partition("@")
        return kind.partition(":")[0] + at + number

    def overlap_of(self, stream: int, which: str = "measured") -> float:
        """Of the time in which a stream was busy, the part in which another one was, too. which: measured, expected (of this machine), chip (simulated)."""
        return next(s["overlap"] for s in self.report[which]["streams"] if s["id"] == stream)

    @property
    def overlap(self) -> float:
        """The same over all streams."""
        streams = self.report["measured"]["streams"]
        return sum(s["overlap_ns"] for s in streams) / max(1, sum(s["busy_ns"] for s in streams))

    @property
    def edges(self) -> int:
        """Edges of the graph that the runs were held against; all of them were kept."""
        return self.report["edges"]

    def _lines(self) -> Iterator[str]:
        measured = self.report["measured"]
        yield f"{self.report['runs']} runs on {self.report['device']}: {measured['span_ns'] / 1000:.0f} us each, {measured['streams_at_work']:.2f} streams at work, overlap {self.overlap:.1%}"
        for stream in measured["streams"]:
            yield f"stream {stream['id']}: {stream['tasks']} tasks, busy {stream['busy_ns'] / 1000:.0f} us, overlap {stream['overlap']:.1%}, expected {self.overlap_of(stream['id'], 'expected'):.1%}"

    def __str__(self) -> str:
        return "\n".join(self._lines())


def run(plan: "Plan", device: str = "host", runs: int = 3, **flags: Any) -> Run:
    """Runs a plan on `device` (host: threads of this machine; sim: a simulated one). StreamdError where an edge is not kept.

    flags are those of `streamctl run`: seed=7 draws lengths and bodies.
    """
    with tempfile.TemporaryDirectory() as folder:
        request = pathlib.Path(folder) / "request.json"
        request.write_text(json.dumps(plan.request))
        more = [text for key, value in flags.items() for text in (f"--{key}", str(value))]
        return Run(json.loads(call(["run", str(request), "--local", "--device", device, "--runs", str(runs), "--format", "json", *more])))
