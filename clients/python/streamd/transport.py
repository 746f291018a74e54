"""Two ways to the daemon: frames on its Unix socket, and gRPC. Both call a method by its name, message in, message out."""
from __future__ import annotations

import functools
import itertools
import os
import pathlib
import select
import socket
import struct
import threading
import time
from typing import Any, Iterator, Optional

from google.protobuf import any_pb2, descriptor_pb2, descriptor_pool, message_factory

from . import streamd_pb2 as pb
from .errors import StreamdError, Unreachable
from .methods import NUMBERS

HELLO, REQUEST, ANSWER, ERROR, CANCEL, PING, PONG, GOODBYE = range(8)
PROTOCOL = 1
HEADER = struct.Struct("<IHBBQI")
DEADLINE_S = 60.0
FRAME_S = 30.0      # for the rest of a frame that has begun


def _methods() -> dict[str, tuple[str, Any]]:
    """Name -> (full name as gRPC says it, descriptor)."""
    return {m.name: (f"/{s.full_name}/{m.name}", m) for s in pb.DESCRIPTOR.services_by_name.values() for m in s.methods}


METHODS = _methods()


def message_class(descriptor: Any) -> Any:
    return getattr(pb, descriptor.name)


def socket_path() -> str:
    """$STREAMD_SOCKET, else $XDG_RUNTIME_DIR/streamd/streamd.sock where that folder exists, else /run/streamd/streamd.sock."""
    stated, runtime = os.environ.get("STREAMD_SOCKET"), os.environ.get("XDG_RUNTIME_DIR")
    if stated:
        return stated
    if runtime and (pathlib.Path(runtime) / "streamd").is_dir():
        return f"{runtime}/streamd/streamd.sock"
    return "/run/streamd/streamd.sock"


def error_of(error: "pb.Error") -> StreamdError:
    return StreamdError(error.code, error.status, error.message, error.node, error.retryable, error.retry_after_ms)


def _raise(error: "pb.Error") -> None:
    raise error_of(error)


class _Late(Exception):
    """The time of a call is over, and nothing of an answer was read: the connection, and what it holds, stays whole."""


class Framed:
    """Frames on a Unix socket. A broken connection is made anew by the next call; what it held is gone with it."""

    def __init__(self, path: Optional[str] = None):
        self.path = path or socket_path()
        self._socket: Optional[socket.socket] = None
        self._numbers: dict[str, int] = {}
        self._ids = itertools.count(1)
        self._lock = threading.Lock()      # one call at a time: heartbeats come from a thread of their own
        self.beat_s: Optional[float] = None   # a call that takes longer has pings beside it, for leases whose heartbeats wait behind it

    def close(self) -> None:
        if self._socket:
            self._socket.close()
        self._socket = None

    def _connect(self, until: float) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(max(0.001, until - time.monotonic()))
        try:
            self._socket.connect(self.path)
            self._send(HELLO, 0, pb.ClientHello(protocol=PROTOCOL, client="python").SerializeToString())
            kind, _, body = self._receive()
        except OSError as problem:
            self.close()
            raise Unreachable(self.path, str(problem)) from problem
        if kind == ERROR:
            self.close()
            _raise(pb.Error.FromString(body))
        hello = pb.ServerHello.FromString(body)
        if kind != HELLO or hello.protocol != PROTOCOL:
            self.close()
            raise StreamdError("SD4011", "INTERNAL", "the daemon speaks another protocol; use a client of its version")

    def _send(self, kind: int, method: int, body: bytes, request_id: int = 0, deadline_ms: int = 0) -> None:
        self._socket.sendall(HEADER.pack(HEADER.size - 4 + len(body), method, kind, 0, request_id, deadline_ms) + body)

    def _exactly(self, count: int) -> bytes:
        data = bytearray()
        while len(data) < count:
            more = self._socket.recv(min(1 << 20, count - len(data)))
            if not more:
                raise ConnectionResetError("it hung up")
            data += more
        return bytes(data)

    def _receive(self) -> tuple[int, int, bytes]:
        length, _, kind, _, request_id, _ = HEADER.unpack(self._exactly(HEADER.size))
        return kind, request_id, self._exactly(length - HEADER.size + 4)

    def _expect(self, until: float) -> None:
        """Waits until something has come."""
        ready = select.poll()
        ready.register(self._socket, select.POLLIN)
        while True:
            left = until - time.monotonic()
            if left <= 0:
                raise _Late()
            if ready.poll(1000 * min(left, self.beat_s or left)):
                return
            if self.beat_s:
                self._send(PING, 0, b"")

    def _await(self, request_id: int, until: float) -> bytes:
        while True:
            self._expect(until)
            self._socket.settimeout(FRAME_S)
            kind, about, body = self._receive()
            if kind == PING:
                self._send(PONG, 0, b"", about)
            elif kind == ERROR and about in (request_id, 0):
                _raise(pb.Error.FromString(body))
            elif kind == ANSWER and about == request_id:
                return body

    def _answers(self, method: str, request: Any, deadline_s: float) -> Iterator[Any]:
        until = time.monotonic() + deadline_s
        answer = message_class(METHODS[method][1].output_type)
        if self._socket is None:
            self._connect(until)
        request_id = next(self._ids)
        try:
            self._socket.settimeout(deadline_s)
            self._send(REQUEST, NUMBERS[method], request.SerializeToString(), request_id, max(1, int(deadline_s * 1000)))
            while True:
                yield answer.FromString(self._await(request_id, until))
        except (TimeoutError, _Late) as problem:
            if not isinstance(problem, _Late):
                self.close()
            raise StreamdError("SD4007", "DEADLINE_EXCEEDED", f"no answer within {deadline_s} s; allow more time or send a smaller graph") from problem
        except OSError as problem:
            self.close()
            raise Unreachable(self.path, str(problem)) from problem

    def call(self, method: str, request: Any, deadline_s: float = DEADLINE_S) -> Any:
        """One answer, or StreamdError."""
        with self._lock:
            return next(self._answers(method, request, deadline_s))

    def stream(self, method: str, request: Any, deadline_s: Optional[float] = None) -> Iterator[Any]:
        """Answers as they come, on a connection of their own: it ends with the iterator, and the call with it."""
        own = Framed(self.path)
        try:
            yield from own._answers(method, request, deadline_s or DEADLINE_S)
        finally:
            own.close()


class Grpc:
    """gRPC on `target`: unix:PATH or HOST:PORT, with or without TLS (a grpc.ChannelCredentials)."""

    def __init__(self, target: str, credentials: Any = None):
        import grpc
        self._grpc, self.path = grpc, target
        self.beat_s: Optional[float] = None      # of no use here: heartbeats go beside other calls
        self._channel = grpc.secure_channel(target, credentials) if credentials else grpc.insecure_channel(target)

    def close(self) -> None:
        self._channel.close()

    def call(self, method: str, request: Any, deadline_s: float = DEADLINE_S) -> Any:
        """One answer, or StreamdError."""
        path, descriptor = METHODS[method]
        answer = message_class(descriptor.output_type)
        try:
            return self._channel.unary_unary(path, type(request).SerializeToString, answer.FromString)(request, timeout=deadline_s)
        except self._grpc.RpcError as problem:
            raise self._error(problem) from problem

    def stream(self, method: str, request: Any, deadline_s: Optional[float] = None) -> Iterator[Any]:
        """Answers as they come; the call ends with the iterator."""
        path, descriptor = METHODS[method]
        answer = message_class(descriptor.output_type)
        call = self._channel.unary_stream(path, type(request).SerializeToString, answer.FromString)(request, timeout=deadline_s)
        try:
            yield from call
        except self._grpc.RpcError as problem:
            raise self._error(problem) from problem
        finally:
            call.cancel()

    def _error(self, problem: Any) -> StreamdError:
        for key, value in problem.trailing_metadata() or ():
            if key == "grpc-status-details-bin":
                for detail in _rpc_status().FromString(value).details:
                    told = pb.Error()
                    if detail.Unpack(told):
                        return StreamdError(told.code, told.status, told.message, told.node, told.retryable, told.retry_after_ms)
        status, said = problem.code().name, problem.details() or ""
        if status == "UNAVAILABLE":
            return Unreachable(self.path, said)
        return StreamdError("SD4007" if status == "DEADLINE_EXCEEDED" else "", status, said)


@functools.lru_cache(None)
def _rpc_status() -> Any:
    """google.rpc.Status: code 1, message 2, details 3, which grpc does not bring along."""
    file = descriptor_pb2.FileDescriptorProto(name="streamd/rpc_status.proto", package="streamd.rpc", syntax="proto3", dependency=[any_pb2.DESCRIPTOR.name])
    status = file.message_type.add(name="Status")
    status.field.add(name="code", number=1, type=5, label=1)
    status.field.add(name="message", number=2, type=9, label=1)
    status.field.add(name="details", number=3, type=11, label=3, type_name=".google.protobuf.Any")
    pool = descriptor_pool.Default()
    pool.AddSerializedFile(file.SerializeToString())
    found = pool.FindMessageTypeByName("streamd.rpc.Status")
    made = getattr(message_factory, "GetMessageClass", None)      # of later versions
    return made(found) if made else message_factory.MessageFactory(pool).GetPrototype(found)
