"""Takes the place of torch in a model that is to be traced: tensors are symbols, and calls become operators.

Of the library it has what models with several streams are made of. `torch.NAME(...)` that is not in the table below becomes an operator of that
name (`torch.rms_norm` is RmsNorm). A model that is compiled is traced and planned when it is called.
"""
from __future__ import annotations

from typing import Any, Optional, Sequence

from . import graph as graphs
from . import tracing
from .compiled import CompiledModel
from .npu import npu  # noqa: F401  (torch.npu)

OP_TYPES = {"add": "Add", "sub": "Sub", "mul": "Mul", "div": "RealDiv", "mm": "MatMul", "matmul": "MatMul", "bmm": "BatchMatMul", "relu": "Relu", "sigmoid": "Sigmoid",
            "silu": "Swish", "gelu": "Gelu", "softmax": "SoftmaxV2", "cat": "ConcatD", "reshape": "Reshape", "view": "Reshape", "transpose": "Transpose", "sum": "ReduceSum",
            "all_reduce": "HcomAllReduce", "all_gather": "HcomAllGather", "clone": "Identity", "to": "Cast"}


class dtype:
    """A type of elements."""

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"


float16, bfloat16, float32, int8, int32, int64 = map(dtype, ("float16", "bfloat16", "float32", "int8", "int32", "int64"))


class Tensor:
    """A symbol: a shape, and in a trace the output of a node."""

    def __init__(self, shape: Sequence[int], dtype: dtype = float32, symbol: Optional[graphs.Tensor] = None):
        self.shape, self.dtype, self.symbol = tuple(shape), dtype, symbol

    def npu(self) -> "Tensor":
        return self

    cuda = cpu = contiguous = npu

    def to(self, *_: Any, **__: Any) -> "Tensor":
        return self

    def record_stream(self, stream: Any) -> None:
        """Its memory is not given to others before the stream is past this point."""
        tracing.needed("record_stream", tracing.CAPTURED)
        from . import ops
        ops.record_stream(self.symbol, stream.label)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **kwargs: _call(name, (self, *args))

    def __repr__(self) -> str:
        return f"tensor({self.symbol or 'no graph'}, shape={list(self.shape)}, dtype={self.dtype})"


def _binary(name: str, swapped: bool = False):
    def method(self: Tensor, other: Any) -> Tensor:
        return _call(name, (other, self) if swapped else (self, other))
    return method


for _name, _function in (("add", "add"), ("sub", "sub"), ("mul", "mul"), ("truediv", "div"), ("matmul", "matmul")):
    setattr(Tensor, f"__{_name}__", _binary(_function))
    setattr(Tensor, f"__r{_name}__", _binary(_function, True))


def _shape_of(name: str, tensors: Sequence[Tensor]) -> Sequence[int]:
    if name in ("mm", "matmul", "bmm") and len(tensors) == 2 and min(len(t.shape) for t in tensors) >= 2:
        return (*tensors[0].shape[:-1], tensors[1].shape[-1])
    return max((t.shape for t in tensors), key=len)


def _flat(args: Sequence[Any]) -> list[Tensor]:
    return [t for a in args for t in (_flat(a) if isinstance(a, (list, tuple)) else [a] if isinstance(a, Tensor) else [])]


def op_type_of(name: str) -> str:
    """The operator type of a function, by the table or by its name."""
    return OP_TYPES.get(name) or "".join(part.capitalize() for part in name.split("_") if part)


def _call(name: str, args: Sequence[Any], **fields: Any) -> Tensor:
    trace, tensors = tracing.needed(f"torch.{name}"), _flat(args)
    if not tensors:
        raise TypeError(f"torch.{name} was given no tensor")
    symbol = trace.graph.op(op_type_of(name), *(t.symbol for t in tensors), name=name, **fields)
    return Tensor(_shape_of(name, tensors), tensors[0].dtype, symbol)


def randn(*shape: int, dtype: dtype = float32, **_: Any) -> Tensor:
    """An input of that shape; it has no numbers."""
    return Tensor(shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape, dtype)


zeros = ones = empty = rand = randn


class Module:
    """A part of a model."""

    def __init__(self) -> None:
        pass

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.forward(*args, **kwargs)

    def to(self, *_: Any, **__: Any) -> "Module":
        return self

    npu = eval = to


class Linear(Module):
    """A product with a weight."""

    def __init__(self, in_features: int, out_features: int, bias: bool = False):
        super().__init__()
        self.shape = (in_features, out_features)

    def forward(self, x: Tensor) -> Tensor:
        weight = Tensor(self.shape, x.dtype, tracing.needed("Linear").graph.const("weight"))
        return _call("matmul", (x, weight))


class _Namespace:
    """Functions by name, in nn.functional and beside the classes of nn."""

    Module, Linear = Module, Linear

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **kwargs: _call(name, args)


nn = _Namespace()
nn.functional = _Namespace()


def compile(model: Any, backend: Any = None, dynamic: bool = False, fullgraph: bool = True) -> CompiledModel:
    """A model that is traced and planned when it is called. backend: what torchair.get_npu_backend() gave, or "npugraph_ex"."""
    return CompiledModel(model, backend, bool(dynamic))


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return lambda *args, **kwargs: _call(name, args)


