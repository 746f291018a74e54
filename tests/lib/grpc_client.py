"""Stock gRPC clients in Python: stubs made of the schema when a test starts, and channels to a daemon.

Needs Debian's python3-grpcio and python3-protobuf, so tests that import it run with /usr/bin/python3.
"""
import atexit
import pathlib
import subprocess
import sys
import tempfile

import grpc

from streamd_wire import ROOT, parse

GRPC_PROTO = "/usr/share/grpc-proto"
FILES = ("streamd.proto", "grpc/health/v1/health.proto", "grpc/reflection/v1/reflection.proto", "grpc/reflection/v1alpha/reflection.proto")


def make_stubs():
    folder = tempfile.TemporaryDirectory(prefix="streamd-stubs-")
    atexit.register(folder.cleanup)
    subprocess.run(["protoc", "-I", str(ROOT / "proto"), "-I", GRPC_PROTO, f"--python_out={folder.name}", f"--grpc_out={folder.name}",
                    "--plugin=protoc-gen-grpc=/usr/bin/grpc_python_plugin", *FILES], check=True)
    # `grpc` is the library's own package: it lends its name to the generated ones.
    grpc.__path__.append(str(pathlib.Path(folder.name) / "grpc"))
    sys.path.insert(0, folder.name)


make_stubs()
import streamd_pb2 as pb
import streamd_pb2_grpc as stubs
from grpc.health.v1 import health_pb2, health_pb2_grpc
from grpc.reflection.v1 import reflection_pb2, reflection_pb2_grpc
from grpc.reflection.v1alpha import reflection_pb2_grpc as reflection_alpha_grpc

LARGE = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
RETRY_SOON = [("grpc.initial_reconnect_backoff_ms", 50), ("grpc.max_reconnect_backoff_ms", 200)]


def socket_of(daemon):
    return f"{daemon.folder.name}/grpc.sock"


def channel(daemon, *options):
    return grpc.insecure_channel(f"unix:{socket_of(daemon)}", options=LARGE + RETRY_SOON + list(options))


def plan_request(encoded):
    return pb.PlanRequest.FromString(encoded)


def failure(call, *arguments, **options):
    """The RpcError that a call ends with."""
    try:
        call(*arguments, **options)
    except grpc.RpcError as error:
        return error
    raise AssertionError("the call did not fail")


def details(error):
    """The streamd Error in the details of a status, and the status beside it."""
    packed = dict(error.trailing_metadata())["grpc-status-details-bin"]
    status = parse(packed)
    wrapped = parse(status[3][0])
    assert wrapped[1][0] == b"type.googleapis.com/streamd.v1.Error", wrapped
    return status, pb.Error.FromString(wrapped[2][0])
