"""torchair.ops: records and waits of the graph that is traced."""
from __future__ import annotations

from typing import Any, Sequence

from .. import ops, tracing
from ..ops import tagged_event_record as npu_tagged_event_record  # noqa: F401
from ..ops import tagged_event_wait as npu_tagged_event_wait  # noqa: F401


def record() -> ops.Recorded:
    """Remembers the last operator of the stream that is current."""
    return ops.record(tracing.needed("record").graph)


def wait(places: Sequence[ops.Recorded]) -> None:
    """The next operator of the stream that is current runs behind all of these places."""
    ops.wait(places)


def npu_create_tagged_event(tag: str) -> ops.TaggedEvent:
    """An event of that name."""
    return ops.create_tagged_event(tracing.needed("npu_create_tagged_event").graph, str(tag))


def npu_record_tagged_stream(tensor: Any, tag: Any) -> None:
    """The memory of `tensor` is not given to others before stream `tag` is past this point."""
    ops.record_stream(tensor.symbol, str(tag))
