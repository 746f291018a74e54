#!/usr/bin/python3
"""Modules that torch.fx traces, as graphs: with the torch that Debian packages, on the system's Python."""
import os
import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("BUILD", "build")).resolve()
sys.path[:0] = [str(BUILD / "clients/python"), str(TESTS / "lib"), str(TESTS / "tools")]
import torch
import torch.fx

import streamd
from streamd.fx import from_fx
from streamd_wire import Daemon
from tap import Tap


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down, self.act = torch.nn.Linear(8, 16), torch.nn.Linear(16, 8), torch.nn.ReLU()

    def forward(self, x):
        h = self.act(self.up(x))
        return self.down(h).view(x.size(0), -1) + torch.sigmoid(x)


def scope_enter(keys, values):
    """As torchair's operators of that name: no tensor goes in or out."""


def scope_exit():
    """The other end."""


def npu_wait_tensor(tensor, dependency):
    return tensor


def scoped(is_left):
    """A module as a front end hands it over that has traced scopes into it."""
    graph = torch.fx.Graph()
    x, y = graph.placeholder("x"), graph.placeholder("y")
    a = graph.call_function(torch.relu, (x,))
    graph.call_function(scope_enter, (["_user_stream_label", "_user_stream_priority"], ["side", "0"]))
    b = graph.call_function(torch.mm, (graph.call_function(npu_wait_tensor, (y, a)), y))
    if is_left:
        graph.call_function(scope_exit)
    graph.output(graph.call_function(torch.add, (a, b)))
    return torch.fx.GraphModule(torch.nn.Module(), graph)


def names(graph, key):
    return [n[key] for n in graph.to_json()["graph"]["nodes"]]


def main():
    tap = Tap()
    block = from_fx(torch.fx.symbolic_trace(Block()), "block")
    tap.case("modules, functions and methods are operators", () if names(block, "op_type") == ["Data", "MatMul", "Relu", "MatMul", "Reshape", "Sigmoid", "Add", "NetOutput"]
             else [str(names(block, "op_type"))])
    with Daemon(http=False) as daemon, streamd.Client(daemon.path) as client:
        plan = client.plan(from_fx(scoped(True)))
        tap.case("scopes and waits arrive in the plan", () if (plan.stream_count, plan.event_count) == (2, 2) and plan.stream_of("mm").label == "side" else [str(plan)])
        tap.case("a plan of a traced module is proved", client.verify(client.plan(block)))
    try:
        from_fx(scoped(False))
        tap.case("a scope that is not left is an error", ["it is none"])
    except streamd.GraphError as problem:
        tap.case("a scope that is not left is an error", () if "1 scopes are entered" in str(problem) else [str(problem)])
    tap.case("no scope is left over", () if streamd.scope.attributes() == {} else [str(streamd.scope.attributes())])
    tap.end()


main()
