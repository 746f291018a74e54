"""torchair.scope: the scopes of streamd, for tensors of streamd.torch."""
from __future__ import annotations

import functools
from typing import Any, Callable

from .. import scope, tracing
from ..scope import limit_core_num, op_never_timeout, super_kernel  # noqa: F401
from ..scope import data_dump as data_dump


def _of_graph_mode(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    @functools.wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        tracing.needed(name, tracing.GRAPH_MODE)
        return function(*args, **kwargs)
    return checked


npu_stream_switch = _of_graph_mode(scope.stream_switch, "npu_stream_switch")


def npu_wait_tensor(self: Any, dependency: Any) -> Any:
    """`self`, for those who run behind `dependency`."""
    tracing.needed("npu_wait_tensor", tracing.GRAPH_MODE)
    return type(self)(self.shape, self.dtype, scope.wait_tensor(self.symbol, dependency.symbol))
