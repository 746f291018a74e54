"""A client of the framed socket that can also do what no good client does, and a daemon to try it on.

Standard library only. Messages are dicts {field number: [values]}, with ints and bytes as values.
"""
import os
import pathlib
import random
import re
import select
import signal
import socket
import struct
import subprocess
import tempfile
import time
import urllib.request

HELLO, REQUEST, ANSWER, ERROR, CANCEL, PING, PONG, GOODBYE = range(8)
PLAN, VERIFY, STATUS, LIMITS, CACHE_STATS, CACHE_FLUSH, DRAIN, PING_METHOD, JOBS, CANCEL_JOB, EXPLAIN = range(1, 12)
REGISTER_MODEL, ACQUIRE, RELEASE, HEARTBEAT, DESCRIBE, UNLOAD, BUDGET, RESERVE, POOL_STATS, LIST, WATCH, PLAN_BATCH, REPORT, SIMULATE = range(12, 26)
HEADER = struct.Struct("<IHBBQI")
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STREAMD = os.environ.get("STREAMD", str(ROOT / "build/daemon/streamd"))
STREAMCTL = os.environ.get("STREAMCTL", str(ROOT / "build/clients/streamctl"))
GATED_STREAMD, GATED_STREAMCTL = (str(pathlib.Path(STREAMD).parent.parent / f"tests/site/gated_{name}") for name in ("streamd", "streamctl"))
# Sanitizers make everything slower; times in the tests are multiples of this.
PATIENCE = 4 if "asan" in STREAMD or "tsan" in STREAMD else 1
# What is waited for in vain is a failure after so many seconds: many, since a machine may do much else.
LONG = 120


# ---- protobuf ----

def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7f | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def take_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def parse(data):
    fields, at = {}, 0
    while at < len(data):
        tag, at = take_varint(data, at)
        if tag & 7 == 0:
            value, at = take_varint(data, at)
        elif tag & 7 == 2:
            length, at = take_varint(data, at)
            value, at = bytes(data[at:at + length]), at + length
        else:
            raise ValueError(f"wire type {tag & 7}")
        fields.setdefault(tag >> 3, []).append(value)
    return fields


def number(message, which):
    return message.get(which, [0])[0]


def text(message, which):
    return message.get(which, [b""])[0].decode()


# ---- requests ----

def node(name, op_type="Add", inputs=()):
    return field(1, name) + field(2, op_type) + b"".join(field(4, i) for i in inputs)


def request(nodes):
    """A PlanRequest from encoded nodes."""
    return field(1, field(1, "g") + b"".join(field(2, n) for n in nodes))


def chain(count, prefix="n", op_type="Add"):
    """count nodes in a row. op_type tells one graph from another; the prefix, being part of names, does not."""
    nodes = [node(f"{prefix}0", op_type)]
    nodes += [node(f"{prefix}{i}", "Add", [f"{prefix}{i - 1}"]) for i in range(1, count)]
    return request(nodes)


def cycle(prefix="n"):
    """A graph that is refused with an error that names a node."""
    return request([node(f"{prefix}0", "Add", [f"{prefix}1"]), node(f"{prefix}1", "Add", [f"{prefix}0"])])


_ladders = {}


def slow(tag, count=60000):
    """A large graph, whose planning takes long: a ladder of two rows. One for each tag."""
    count //= PATIENCE
    if count not in _ladders:
        rows = [node(f"n{i}", "Add", [f"n{j}" for j in (i - 2, i - 3) if j >= 0]) for i in range(1, count)]
        _ladders[count] = b"".join(field(2, n) for n in rows)
    first = field(2, node("n0", f"T{tag}"))
    return field(1, field(1, "g") + first + _ladders[count])


class Gate:
    """Keeps back the plans of its graphs, from when it is made until it is opened; where tests/site/gate_pass.c is, as in a Daemon that is gated."""

    def __init__(self, folder):
        handle, name = tempfile.mkstemp(prefix="gate-", dir=folder)
        os.close(handle)
        self.file = pathlib.Path(name)
        self.reached = self.file.with_name(self.file.name + ".reached")

    def graph(self, tag="", count=3):
        """A chain that waits at the gate. One for each tag and gate."""
        where = field(6, field(1, "_gate") + field(2, field(1, str(self.file))))
        return request([node("n0", f"T{tag}") + where] + [node(f"n{i}", "Add", [f"n{i - 1}"]) for i in range(1, count)])

    def is_reached(self):
        return self.reached.exists()

    def shut(self):
        self.reached.unlink(missing_ok=True)
        self.file.touch()

    def open(self):
        self.file.unlink(missing_ok=True)


# ---- client ----

class Closed(OSError):
    """The daemon closed the connection."""


class Frame:
    def __init__(self, header, body):
        _, self.method, self.kind, self.flags, self.request_id, self.deadline_ms = HEADER.unpack(header)
        self.body = body

    def message(self):
        return parse(self.body)

    def code(self):
        """Code of the error, or of nothing."""
        return text(self.message(), 1) if self.kind == ERROR else None

    def plan(self):
        """The bytes of the plan in a PlanAnswer."""
        return self.message()[1][0]


def frame(kind, body=b"", method=0, request_id=0, deadline_ms=0):
    return HEADER.pack(HEADER.size - 4 + len(body), method, kind, 0, request_id, deadline_ms) + body


def hello(protocol=1):
    return frame(HELLO, field(1, protocol) + field(2, "test"))


class Client:
    def __init__(self, path, greet=True, timeout=LONG):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(timeout)
        self.socket.connect(path)
        self.buffer = bytearray()
        self.is_ended = False
        self.last_id = 0
        self.others = {}
        if greet:
            self.send(hello())
            self.server = self.receive().message()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, data):
        """Sends, and reads meanwhile what is answered: else both sides could wait for the other to read."""
        view, end = memoryview(data), time.monotonic() + self.socket.gettimeout()
        while view:
            readable, writable, _ = select.select([] if self.is_ended else [self.socket], [self.socket], [], max(0, end - time.monotonic()))
            if not readable and not writable:
                raise TimeoutError("nothing can be sent")
            if readable:
                self.read_some()
            if writable:
                try:
                    view = view[self.socket.send(view, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL):]
                except BlockingIOError:
                    pass

    def read_some(self):
        try:
            more = self.socket.recv(1 << 20)
        except ConnectionResetError:
            more = b""
        self.is_ended = not more
        self.buffer += more

    def submit(self, method, body=b"", deadline_ms=0, request_id=None):
        self.last_id = request_id or self.last_id + 1
        self.send(frame(REQUEST, body, method, self.last_id, deadline_ms))
        return self.last_id

    def cancel(self, request_id):
        self.send(frame(CANCEL, request_id=request_id))

    def exactly(self, count):
        while len(self.buffer) < count:
            if self.is_ended:
                raise Closed()
            self.read_some()
        data = bytes(self.buffer[:count])
        del self.buffer[:count]
        return data

    def receive(self):
        header = self.exactly(HEADER.size)
        return Frame(header, self.exactly(HEADER.unpack(header)[0] - HEADER.size + 4))

    def answer(self, request_id):
        """The answer to that request; others are kept until they are asked for."""
        while request_id not in self.others:
            got = self.receive()
            if got.kind in (ANSWER, ERROR):
                self.others[got.request_id] = got
        return self.others.pop(request_id)

    def call(self, method, body=b"", deadline_ms=0):
        return self.answer(self.submit(method, body, deadline_ms))

    def is_closed(self, within=LONG):
        """Whether the daemon closes within this time; what it still says is read over."""
        if self.is_ended:
            return True
        end = time.monotonic() + within
        while time.monotonic() < end:
            if select.select([self.socket], [], [], end - time.monotonic())[0]:
                try:
                    if not self.socket.recv(1 << 20):
                        return True
                except ConnectionResetError:
                    return True
        return False


# ---- daemon ----

_reserved = []


def free_port():
    """A port that nobody else is given until this process ends: none that the kernel gives to who asks for any, and no two processes of tests have the same."""
    lowest = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    choice = range(10000, lowest if lowest > 12000 else 60000)
    for port in random.sample(choice, len(choice)):
        name = socket.socket(socket.AF_UNIX)
        try:
            name.bind(f"\0streamd-test-port-{port}")
            with socket.socket() as s:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                s.bind(("127.0.0.1", port))
            _reserved.append(name)
            return port
        except OSError:
            name.close()
    raise AssertionError("no port is free")


def wait_for(what, within=LONG, every=0.02):
    """Waits until what() is true; as long as it takes, so that a machine that does much else is no failure."""
    end = time.monotonic() + within
    while time.monotonic() < end:
        if what():
            return True
        time.sleep(every)
    return bool(what())


# Times that no test means unless it states them.
PATIENT = {"socket.hello_timeout": "1 min", "socket.frame_timeout": "10 min", "jobs.deadline_default": "10 min", "pool.ttl": "10 min", "drain.timeout": "10 min"}


class Daemon:
    """A daemon of its own in a folder of its own. Settings: section__key=value. gated: with tests/site/gate_pass.c."""

    def __init__(self, http=True, gated=False, **settings):
        self.program = GATED_STREAMD if gated else STREAMD
        self.folder = tempfile.TemporaryDirectory(prefix="streamd-test-")
        self.path = f"{self.folder.name}/s.sock"
        self.port = free_port() if http else 0
        self.settings = {"socket.path": self.path, "http.port": self.port, **PATIENT}
        self.status = 0         # what it is to end with
        self.settings.update({key.replace("__", "."): value for key, value in settings.items()})
        self.start()

    def arguments(self):
        return [self.program] + [a for key, value in self.settings.items() for a in ("--set", f"{key}={value}")]

    def start(self):
        """Starts it, again if it has ended; it has the same paths and ports then."""
        self.log_file = open(f"{self.folder.name}/log", "wb")
        self.process = subprocess.Popen(self.arguments(), stderr=self.log_file, stdout=self.log_file)
        wait_for(lambda: "listening" in self.log() or self.process.poll() is not None)
        if self.process.poll() is not None:
            self.log_file.close()
            raise AssertionError(f"the daemon does not start: {self.log()}")

    def log(self):
        return pathlib.Path(f"{self.folder.name}/log").read_text(errors="replace")

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        for gate in pathlib.Path(self.folder.name).glob("gate-*"):
            gate.unlink()
        status = self.stop() if self.process.poll() is None else self.process.returncode
        log = self.log()
        self.log_file.close()
        self.folder.cleanup()
        if kind is None and (status not in (self.status, -signal.SIGKILL) or "Sanitizer" in log or "runtime error" in log):
            raise AssertionError(f"the daemon ended with {status}: {log[-4000:]}")

    def gate(self):
        return Gate(self.folder.name)

    def signal(self, which=signal.SIGTERM):
        self.process.send_signal(which)

    def stop(self, within=LONG):
        self.signal()
        try:
            return self.process.wait(within)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return "no end"

    def client(self, **arguments):
        return Client(self.path, **arguments)

    def http(self, path="/metrics"):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=LONG) as answer:
            return answer.read().decode()

    def metrics(self):
        """{series without its streamd_: value}"""
        return {name: float(value) for name, value in re.findall(r"^streamd_(\S+) (\S+)$", self.http(), re.M)}

    def metric(self, name):
        return self.metrics()[name]

    def memory(self):
        """Resident bytes."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) * 1024

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def open_files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    GAUGES = ("connections", "requests_open", "request_bytes_held", "jobs_running", "jobs_queued")

    def is_quiet(self, connections=0):
        """Nothing is open but so many connections."""
        seen = self.metrics()
        return seen["connections"] == connections and not any(seen[g] for g in self.GAUGES[1:])
