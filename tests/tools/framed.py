"""A daemon of one's own and a bare client of its framed socket, for tests that load or measure it."""
import os
import pathlib
import socket
import struct
import subprocess
import tempfile
import time
import urllib.request

BUILD = pathlib.Path(os.environ.get("BUILD", "build"))
STREAMCTL = os.environ.get("STREAMCTL", str(BUILD / "clients/streamctl"))
STREAMD = os.environ.get("STREAMD", str(BUILD / "daemon/streamd"))
HEADER = struct.Struct("<IHBBQI")       # length of what follows, method, kind, flags, request id, deadline
HELLO, REQUEST, ANSWER, ERROR = range(4)
PLAN, STATUS = 1, 3


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Daemon:
    """Runs streamd on a private socket and port; `settings` are section.key=value. Ends it by its pid."""

    def __init__(self, *settings):
        self.folder = tempfile.TemporaryDirectory(prefix="streamd-")
        self.socket = f"{self.folder.name}/streamd.sock"
        self.port = free_port()
        self.log = open(f"{self.folder.name}/log", "w+b")
        sets = [w for s in (f"http.port={self.port}", "log.level=warn") + settings for w in ("--set", s)]
        self.process = subprocess.Popen([STREAMD, *sets], env=dict(os.environ, STREAMD_SOCKET=self.socket), stdout=self.log, stderr=self.log)
        until = time.monotonic() + 30
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"the daemon does not come up: {self.said()}")
            time.sleep(.02)

    def answers(self):
        try:
            Connection(self.socket).close()
            return True
        except OSError:
            return False

    def said(self):
        self.log.flush()
        return pathlib.Path(self.log.name).read_text()[-2000:]

    def metrics(self):
        return urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=10).read().decode()

    def resident(self):
        return int(pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def stop(self):
        """SIGTERM; the exit status."""
        self.process.terminate()
        status = self.process.wait(60)
        self.log.close()
        self.folder.cleanup()
        return status

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.stop()


class Connection:
    def __init__(self, path, timeout=120):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(timeout)
        try:
            self.socket.connect(path)
            self.last = 0
            self.send(0, HELLO, b"\x08\x01", 0)         # protocol 1
            kind, _, body = self.receive()
            if kind != HELLO:
                raise OSError(f"the daemon answers the hello with kind {kind}: {body[:200]!r}")
        except OSError:
            self.socket.close()
            raise

    def send(self, method, kind, body, request_id, deadline_ms=0):
        self.socket.sendall(HEADER.pack(HEADER.size - 4 + len(body), method, kind, 0, request_id, deadline_ms) + body)

    def read(self, count):
        data = bytearray()
        while len(data) < count:
            piece = self.socket.recv(min(count - len(data), 1 << 20))
            if not piece:
                raise OSError("the daemon closed the connection")
            data += piece
        return bytes(data)

    def receive(self):
        """(kind, request id, body) of the next frame."""
        length, _, kind, _, request_id, _ = HEADER.unpack(self.read(HEADER.size))
        return kind, request_id, self.read(length - HEADER.size + 4)

    def call(self, method, body, deadline_ms=60000):
        """Sends a request and waits for its answer: (kind, body)."""
        self.last += 1
        self.send(method, REQUEST, body, self.last, deadline_ms)
        while True:
            kind, request_id, answer = self.receive()
            if request_id == self.last and kind in (ANSWER, ERROR):
                return kind, answer

    def close(self):
        self.socket.close()


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7f) << shift
        at += 1
        if data[at - 1] < 0x80:
            return value, at
        shift += 7


def fields(data):
    """(number, value) of a message's fields: an integer, or bytes."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            raise ValueError(f"wire type {tag & 7}")
        yield tag >> 3, value


def request_bytes(path, *flags):
    """A request of any kind as the bytes that travel."""
    with tempfile.NamedTemporaryFile(suffix=".pb") as out:
        subprocess.run([STREAMCTL, "convert", str(path), "-o", out.name, *flags], check=True, capture_output=True)
        return pathlib.Path(out.name).read_bytes()
