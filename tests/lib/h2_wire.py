"""A client of HTTP/2 that says exactly what a test wants it to, and reads what comes: frames in, frames out.

Needs Debian's python3-hpack, so tests that import it run with /usr/bin/python3.
"""
import socket
import ssl
import struct
import time

import hpack

from streamd_wire import LONG, Closed

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, H2_PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, ACK, END_HEADERS = 1, 1, 4
NO_ERROR, PROTOCOL_ERROR, INTERNAL_ERROR = 0, 1, 2
ENHANCE_YOUR_CALM, CANCEL_STREAM = 11, 8
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
PLAN_PATH, PING_PATH = "/streamd.v1.Planner/Plan", "/streamd.v1.Planner/Ping"


def h2_frame(kind, flags=0, stream=0, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def message(data, packed=0):
    return struct.pack(">BI", packed, len(data)) + data


class Response:
    """What came on one stream."""

    def __init__(self):
        self.headers, self.data, self.is_ended, self.reset = [], b"", False, None

    def header(self, name):
        return dict(self.headers).get(name)

    @property
    def status(self):
        """Of gRPC; None while it is not known."""
        value = self.header("grpc-status")
        return None if value is None else int(value)

    def messages(self):
        at, found = 0, []
        while at < len(self.data):
            length = struct.unpack(">I", self.data[at + 1:at + 5])[0]
            found.append(self.data[at + 5:at + 5 + length])
            at += 5 + length
        return found


class H2Client:
    def __init__(self, target, greet=True, timeout=LONG):
        self.socket = target if isinstance(target, socket.socket) else socket.socket(socket.AF_UNIX)
        self.socket.settimeout(timeout)
        if self.socket is not target:
            self.socket.connect(target)
        self.encoder, self.decoder = hpack.Encoder(), hpack.Decoder()
        self.decoder.max_header_list_size = 1 << 20
        self.streams, self.last_id, self.goaways, self.pongs, self.is_ended, self.buffer = {}, -1, [], 0, False, b""
        self.settings, self.widens, self.replies = {}, True, True      # opens the windows of streams too; answers frames
        self.closes = True
        self.kept = None                                               # what is to be sent in one piece
        if greet:
            self.send(PREFACE + h2_frame(SETTINGS))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        if self.kept is None:
            self.socket.sendall(data)
        else:
            self.kept += data

    def reply(self, data):
        """What the other side may have ceased to wait for."""
        try:
            self.replies and self.send(data)
        except OSError:
            pass

    def headers(self, path=PING_PATH, extra=(), without=()):
        fields = [(":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "localhost"), ("te", "trailers"),
                  ("content-type", "application/grpc")]
        names = {name for name, _ in extra} | set(without)
        return self.encoder.encode([f for f in fields if f[0] not in names] + list(extra))

    def begin(self, path=PING_PATH, extra=(), flags=END_HEADERS, without=()):
        """A request's headers; answers its stream."""
        self.last_id += 2
        self.streams[self.last_id] = Response()
        self.send(h2_frame(HEADERS, flags, self.last_id, self.headers(path, extra, without)))
        return self.last_id

    def body(self, stream, data, last=True):
        while len(data) > 65535 and not self.settings:      # the window that the daemon allows is known and agreed to
            self.read()
        for at in range(0, max(len(data), 1), 16384):
            end = END_STREAM if last and at + 16384 >= len(data) else 0
            self.send(h2_frame(DATA, end, stream, data[at:at + 16384]))

    def submit(self, path=PING_PATH, data=b"", extra=()):
        """A whole call; if it is not large, in one piece: nothing of the daemon can come between its frames."""
        self.kept = b"" if len(data) < 60000 else None
        stream = self.begin(path, extra)
        self.body(stream, message(data))
        whole, self.kept = self.kept, None
        if whole:
            self.send(whole)
        return stream

    def reset(self, stream, code=CANCEL_STREAM):
        self.send(h2_frame(RST_STREAM, 0, stream, struct.pack(">I", code)))

    def exactly(self, count):
        while len(self.buffer) < count:
            try:
                more = self.socket.recv(1 << 16)
            except ConnectionResetError:
                more = b""
            if not more:
                self.is_ended = True
                self.end()
                raise Closed()
            self.buffer += more
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def end(self):
        """Ends its side, too, as the daemon waits for a while."""
        if self.closes and not isinstance(self.socket, ssl.SSLSocket):
            self.socket.close()

    def read(self):
        """One frame: (kind, flags, stream, payload)."""
        head = self.exactly(9)
        kind, flags, stream = struct.unpack(">BBI", head[3:])
        payload = self.exactly(int.from_bytes(head[:3], "big"))
        self.take(kind, flags, stream, payload)
        return kind, flags, stream, payload

    def take(self, kind, flags, stream, payload):
        if kind in (HEADERS, DATA):
            response = self.streams.setdefault(stream, Response())
            if kind == HEADERS:
                response.headers += self.decoder.decode(payload)
            else:
                response.data += payload
                if payload:
                    self.reply(h2_frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", len(payload))))
                if payload and self.widens:
                    self.reply(h2_frame(WINDOW_UPDATE, 0, stream, struct.pack(">I", len(payload))))
            response.is_ended |= bool(flags & END_STREAM)
        elif kind == RST_STREAM:
            self.streams.setdefault(stream, Response()).reset = struct.unpack(">I", payload)[0]
        elif kind == SETTINGS and not flags & ACK:
            self.settings.update(struct.unpack(">HI", payload[i:i + 6]) for i in range(0, len(payload), 6))
            self.reply(h2_frame(SETTINGS, ACK))
        elif kind == H2_PING:
            self.pongs += bool(flags & ACK)
            if not flags & ACK:
                self.reply(h2_frame(H2_PING, ACK, 0, payload))
        elif kind == GOAWAY:
            self.goaways.append(struct.unpack(">II", payload[:8]) + (payload[8:],))

    def response(self, stream):
        """Reads until the stream is over."""
        while not (self.streams[stream].is_ended or self.streams[stream].reset is not None):
            self.read()
        return self.streams[stream]

    def call(self, path=PING_PATH, data=b"", extra=()):
        return self.response(self.submit(path, data, extra))

    def read_to_end(self, within=LONG):
        """Reads until the daemon closes; False: it does not."""
        end = time.monotonic() + within
        try:
            while time.monotonic() < end:
                self.socket.settimeout(max(0.01, end - time.monotonic()))
                self.read()
        except Closed:
            return True
        except TimeoutError:
            pass
        return False
