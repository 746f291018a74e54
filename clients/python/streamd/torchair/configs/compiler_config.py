"""The settings of the graph mode that concern streams, and the backend that is made of them."""
from __future__ import annotations

import os
import time
from typing import Any, ContextManager, Optional

from ... import scope
from ...dump import WRITERS
from ...errors import GraphError
from ...graph import Graph

CUBE_CORES, VECTOR_CORES = 24, 48     # more than the platform has is cut to what it has
SORTING = {"BFS": "bfs", "DFS": "dfs", "RDFS": "rdfs", "StableRDFS": "stable"}


class _Settings:
    """Only what is known can be set, so that a setting that would do nothing is an error."""

    def __init__(self, **defaults: Any):
        self.__dict__.update(defaults)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.__dict__:
            raise AttributeError(f"there is no setting {name} here; there are {', '.join(sorted(self.__dict__))}")
        self.__dict__[name] = value


class CompilerConfig(_Settings):
    """debug.graph_dump.type and .path · ge_config.aicore_num, .enable_single_stream · experimental_config.topology_sorting_strategy, .cc_parallel_enable."""

    def __init__(self) -> None:
        super().__init__(debug=_Settings(graph_dump=_Settings(type=None, path=".")), ge_config=_Settings(aicore_num=None, enable_single_stream=False),
                         experimental_config=_Settings(topology_sorting_strategy=None, enable_single_stream=False, cc_parallel_enable=False))


def _cores(text: Optional[str]) -> dict[str, str]:
    """"24|48", "24|" or "24" as attributes."""
    if text is None:
        return {}
    cube, _, vector = str(text).partition("|")
    if not cube.isdigit() or vector and not vector.isdigit():
        raise GraphError(f"aicore_num is {text!r}; it must be two numbers of cores with a | between them, like \"24|48\"")
    caps = {"_op_aicore_num": str(min(int(cube), CUBE_CORES))}
    if vector:
        caps["_op_vectorcore_num"] = str(min(int(vector), VECTOR_CORES))
    return caps


class Backend:
    """What get_npu_backend() gives."""

    def __init__(self, config: CompilerConfig):
        self.config = config
        self._dumps = 0

    def scopes(self) -> ContextManager[None]:
        """What every operator gets that no scope says otherwise of."""
        return scope.everywhere(_cores(self.config.ge_config.aicore_num))

    def options(self) -> dict[str, Any]:
        """Options of the request."""
        config, found = self.config, {}
        if config.ge_config.enable_single_stream or config.experimental_config.enable_single_stream:
            found["single_stream"] = True
        strategy = config.experimental_config.topology_sorting_strategy
        if strategy is not None:
            if strategy not in SORTING:
                raise GraphError(f"topology_sorting_strategy is {strategy!r}; it must be one of {', '.join(SORTING)}")
            found["topo_sorting"] = SORTING[strategy]
        if config.experimental_config.cc_parallel_enable:
            found["hcom_parallel"] = True
        return found

    def dump(self, graph: Graph) -> None:
        """Writes the graph where the settings ask for it."""
        wanted = self.config.debug.graph_dump
        if wanted.type is None:
            return
        if wanted.type not in WRITERS:
            raise GraphError(f"graph_dump.type is {wanted.type!r}; it must be one of {', '.join(WRITERS)}")
        name = f"dynamo_original_graph_{self._dumps}_rank_{os.environ.get('RANK', '0')}_pid_{os.getpid()}_ts_{time.time_ns() // 1000}.{wanted.type}"
        self._dumps += 1
        with open(os.path.join(wanted.path, name), "w", encoding="utf-8") as out:
            out.write(WRITERS[wanted.type](graph))
