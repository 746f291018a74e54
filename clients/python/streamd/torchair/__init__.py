"""Takes the place of torchair: scopes, waits and configuration of the graph mode, for models that streamd.torch traces."""
from __future__ import annotations

from . import ops, scope
from .configs.compiler_config import Backend, CompilerConfig


def get_npu_backend(compiler_config: CompilerConfig | None = None) -> Backend:
    """What torch.compile() takes as its backend."""
    return Backend(compiler_config or CompilerConfig())


__all__ = ["Backend", "CompilerConfig", "get_npu_backend", "ops", "scope"]
