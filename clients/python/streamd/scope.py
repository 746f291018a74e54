"""Scopes: what is built inside one carries its attributes. The inner scope wins where two set the same one; different ones add up.

The names, kinds and texts of the attributes are TorchAir's. A stack belongs to a thread.
"""
from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, Any, Iterator, Optional, Union

from .errors import GraphError

if TYPE_CHECKING:
    from .graph import Graph, Node, Tensor

LABEL, PRIORITY, INNER = "_user_stream_label", "_user_stream_priority", "_enable_inner_parallel"
LABEL_BYTES_MAX = 255
_state = threading.local()


class _Frame:
    def __init__(self, attrs: dict[str, Any], is_captured: bool = False):
        self.attrs, self.is_captured = attrs, is_captured
        self.rebound: dict[tuple[int, int], "Tensor"] = {}     # by node and output: what stands for it in here


def _stack() -> list[_Frame]:
    if not hasattr(_state, "frames"):
        _state.frames = [_Frame({})]
    return _state.frames


@contextlib.contextmanager
def _scope(attrs: dict[str, Any], is_captured: bool = False) -> Iterator[None]:
    frame, stack = _Frame(attrs, is_captured), _stack()
    stack.append(frame)
    try:
        yield
    finally:
        if stack[-1] is not frame:
            raise RuntimeError(f"the scope {attrs} is left while another one inside it is open")
        stack.pop()


def attributes() -> dict[str, Any]:
    """What a node that is built now gets; an attribute that a scope sets to None it does not get."""
    merged: dict[str, Any] = {}
    for frame in _stack():
        merged.update(frame.attrs)
    return {key: value for key, value in merged.items() if value is not None}


def label() -> str:
    """The stream that an operator built now runs on; empty: the default one."""
    return attributes().get(LABEL, "")


def current_label() -> str:
    """The stream that is current for records and waits: of the graph mode's scopes the outermost one, of the captured mode's streams the inner one."""
    if any(frame.is_captured for frame in _stack()):
        return label()
    return next((frame.attrs[LABEL] for frame in _stack() if frame.attrs.get(LABEL)), "")


def rebound(graph: "Graph", tensor: "Tensor") -> "Tensor":
    """What stands for a tensor here: the result of a wait in a scope that is open, else the tensor."""
    for frame in reversed(_stack()):
        found = frame.rebound.get((id(tensor.node), tensor.index))
        if found is not None and found.node.graph is graph:
            return found
    return tensor


def _label_of(tag: Union[str, int]) -> str:
    text = str(tag)
    if not 0 < len(text.encode()) <= LABEL_BYTES_MAX or "\0" in text:
        raise GraphError(f"the stream tag {text[:40]!r} must have 1 to {LABEL_BYTES_MAX} bytes and no NUL")
    return text


def stream_switch(stream_tag: Union[str, int], stream_priority: int = 0, enable_inner_parallel: bool = True):
    """Operators inside run on the stream `stream_tag`; the same tag is the same stream in the whole model."""
    return _scope({LABEL: _label_of(stream_tag), PRIORITY: str(int(stream_priority)), INNER: bool(enable_inner_parallel)})


def limit_core_num(op_aicore_num: int, op_vectorcore_num: int):
    """Operators inside take at most so many cores of each kind; 0: not limited."""
    for given in (op_aicore_num, op_vectorcore_num):
        if isinstance(given, bool) or not isinstance(given, int) or given < 0:
            raise GraphError(f"a number of cores is {given!r}; it must be an integer from 0 on")
    return _scope({"_op_aicore_num": str(op_aicore_num), "_op_vectorcore_num": str(op_vectorcore_num)})


def super_kernel(scope: Optional[str], options: str = ""):
    """Operators inside are one super kernel; None or '' cuts a hole into one around it."""
    return _scope({"_super_kernel_scope": scope or None, "_super_kernel_options": options if scope else None})


def op_never_timeout(flag: bool):
    """Operators inside are never stopped for taking too long."""
    if not isinstance(flag, bool):
        raise TypeError(f"op_never_timeout takes True or False, not {flag!r}")
    return _scope({"_op_exec_never_timeout": flag})


def data_dump():
    """What operators inside give is dumped."""
    return _scope({"torchair_enable_data_dump": "True"})


def wait_tensor(tensor: "Tensor", dependency: Union["Tensor", "Node"]) -> "Tensor":
    """`tensor`, but for those who run behind `dependency`: an Identity with a control edge, on the stream of the scope.

    Until the scope ends, `tensor` means the result, so that a call whose result is not taken does what it says. If nobody reads it at all,
    the graph is refused when it ends (DanglingWait).
    """
    node = dependency if not hasattr(dependency, "node") else dependency.node
    waiting = tensor.node.graph.op("Identity", tensor, after=[node], name="wait").node
    waiting.is_wait = True
    _stack()[-1].rebound[(id(tensor.node), tensor.index)] = waiting.out()
    return waiting.out()


# TorchAir's own names.
npu_stream_switch = stream_switch
npu_wait_tensor = wait_tensor


def captured_stream(stream_label: str, priority: int):
    """Operators inside run on a stream of the captured mode."""
    return _scope({LABEL: stream_label, PRIORITY: str(priority)}, is_captured=True)


def default_stream():
    """Operators inside run on the default stream, whatever is around."""
    return _scope({LABEL: None, PRIORITY: None, INNER: None}, is_captured=True)


def everywhere(attrs: dict[str, Any]):
    """What every operator inside gets that no inner scope says otherwise of."""
    return _scope(dict(attrs))
