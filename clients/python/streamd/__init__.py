"""streamd from Python: build or import a graph, have it planned, lease the streams, run it.

    import streamd

    graph = streamd.Graph("twin")
    x = graph.data("x")
    with streamd.scope.stream_switch("side"):
        b = graph.op("MatMul", x)
    graph.output(graph.op("Add", graph.op("Relu", x), b))
    with streamd.Client() as daemon:
        print(daemon.plan(graph))

The words of TorchAir are in `streamd.scope` and `streamd.ops`; a model written for torch with torch_npu and torchair is traced by
`streamd.torch`, `streamd.torch_npu` and `streamd.torchair`, which take their places in its import lines. `streamd.fx.from_fx` reads a graph of torch.fx.
"""
from . import ops, scope
try:
    from . import streamd_pb2 as _schema
except ImportError as problem:
    raise ImportError("these are the sources of the package, without the messages of the schema: `ninja -C build` puts it together in build/clients/python, "
                      "`meson install -C build` installs it; and it needs python3-protobuf") from problem
from .client import Client
from .errors import DanglingWait, GraphError, MixedFrontEnds, StreamdError, Unreachable
from .graph import Graph, Node, Tensor
from .plan import Plan
from .lease import Leases
from .run import Run, run

__all__ = ["Client", "DanglingWait", "Graph", "GraphError", "Leases", "MixedFrontEnds", "Node", "Plan", "Run", "StreamdError", "Tensor", "Unreachable", "ops", "run", "scope"]
