#!/usr/bin/env python3
"""The client that allocates nothing, in nano_model, which dies where it allocates: plans of the daemon, and daemons that misbehave.

usage: run.py [--count N]   N random requests
"""
import argparse
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
from random import Random

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "lib"), str(ROOT / "tools"), str(ROOT / "random")]
import made
from streamd_wire import *
from tap import Tap

BUILD = pathlib.Path(os.environ.get("BUILD", "build"))
MODEL, EXAMPLE = BUILD / "tests/nano/nano_model", BUILD / "clients/nano/example"
OPTIONS = {"compat": "ge", "event": "notify", "hcom_parallel": True, "single_stream": True, "dynamic_multi_stream": True}
KEPT = ("name", "op_type", "engine", "inputs", "subgraphs", "task_count", "duration_ns", "attrs")
RESIDENT_MAX = 2000  # KiB
LARGE = (4, 25000)   # lanes, nodes of each


# ---- requests ----

def kind_of(value):
    return {bool: "b", int: "i", float: "f", str: "s"}.get(type(value))


def is_plain(text):
    return not set(text) & set("\t\n\0")


def simplified(request):
    """What nano_model can say of a request, as a request."""
    def node(n):
        n = {key: value for key, value in n.items() if key in KEPT}
        n["attrs"] = {k: v for k, v in n.get("attrs", {}).items() if kind_of(v) and is_plain(k + str(v))}
        return n

    def graph(g):
        return {"name": g.get("name", ""), "dynamic": g.get("dynamic", False), "nodes": [node(n) for n in g["nodes"]]}

    root = graph(request["graph"])
    root["subgraphs"] = [graph(s) for s in request["graph"].get("subgraphs", [])]
    stated = request.get("options", {})
    options = {k: v for k, v in stated.items() if v == OPTIONS.get(k, object()) or k == "auto_multi_stream" and is_plain(v)}
    return {"graph": root, "options": options}


def described(request):
    """The same in the lines of nano_model."""
    root = request["graph"]
    for graph in [root] + root["subgraphs"]:
        yield "G", graph["name"], graph["dynamic"]
        for n in graph["nodes"]:
            yield "N", n["name"], n["op_type"], n.get("engine", "")
            yield from (("I", i) for i in n.get("inputs", []))
            yield from (("B", b) for b in n.get("subgraphs", []))
            yield from (("T", n[k]) for k in ("task_count",) if k in n)
            yield from (("D", n[k]) for k in ("duration_ns",) if k in n)
            yield from (("A", k, kind_of(v), v) for k, v in n["attrs"].items())
    for name, value in request["options"].items():
        yield "O", name, value if name == "auto_multi_stream" else 1


def written(part):
    return {True: "1", False: "0"}[part] if isinstance(part, bool) else repr(part) if isinstance(part, float) else str(part)


# ---- plans ----

def unzigzag(n):
    return n >> 1 ^ -(n & 1)


def numbers(message, which):
    """A repeated number, packed or not."""
    for value in message.get(which, []):
        if isinstance(value, int):
            yield value
            continue
        at = 0
        while at < len(value):
            one, at = take_varint(value, at)
            yield one


def lines_of(plan):
    """What nano_model prints of a plan, from its bytes."""
    top = parse(plan)
    for s, data in enumerate(top.get(13, [])):
        stream = parse(data)
        for c in stream.get(9, []):
            command = parse(c)
            what = next((k for k in range(1, 7) if k in command), 0)
            yield f"command {s} {what} {number(command, what)} {number(command, 7)} {number(command, 8)}"
        yield f"stream {s} {number(stream, 1)} {number(stream, 5)} {number(stream, 7)} {number(stream, 8)}"
    for n, data in enumerate(top.get(14, [])):
        placement = parse(data)
        yield from (f"attached {n} {unzigzag(a)}" for a in numbers(placement, 4))
        yield f"placed {n} {unzigzag(number(placement, 1))} {unzigzag(number(placement, 2))}"
    for y, data in enumerate(top.get(15, [])):
        sync = parse(data)
        yield f"sync {y} " + " ".join(str(number(sync, k)) for k in range(1, 8))
    for a, data in enumerate(top.get(16, [])):
        activation = parse(data)
        yield from (f"started {a} {s}" for s in numbers(activation, 2))
        yield f"activation {a} {number(activation, 1)}"
    for data in top.get(18, []):
        diagnostic = parse(data)
        yield f"diagnostic {text(diagnostic, 1)} {number(diagnostic, 2)}"
    yield from (f"inserted {n}" for n in numbers(top, 19))
    yield "plan " + " ".join(str(number(top, k)) for k in (9, 10, 11, 7))


def check(tap, good, name, detail):
    tap.case(name, () if good else [str(detail)])


class Model:
    """nano_model on a socket."""

    def __init__(self, folder, path):
        self.file, self.path = f"{folder}/model", path

    def run(self, request, *arguments, deadline_ms=60000):
        with open(self.file, "w", encoding="utf-8") as out:
            for line in described(request):
                out.write("\t".join(written(p) for p in line) + "\n")
        got = subprocess.run([MODEL, self.file, str(deadline_ms), *arguments], capture_output=True, env={**os.environ, "STREAMD_SOCKET": self.path}, timeout=2 * LONG)
        return got.stdout.decode(errors="replace").splitlines() + got.stderr.decode(errors="replace").splitlines()


def difference(got, wanted):
    for g, w in zip(got, wanted):
        if g != w:
            return f"{g!r}, not {w!r}"
    return None if len(got) == len(wanted) else f"{len(got)} lines, not {len(wanted)}"


def encoded(folder, request):
    source, target = f"{folder}/request.json", f"{folder}/request.pb"
    pathlib.Path(source).write_text(json.dumps(request))
    done = subprocess.run([STREAMCTL, "convert", source, "-o", target], capture_output=True)
    return pathlib.Path(target).read_bytes() if done.returncode == 0 else None


def compare(daemon, folder, request):
    """None, or what differs between what the client says and what the daemon answers; and how it was answered."""
    bytes_ = encoded(folder, request)
    if bytes_ is None:
        return None, "unwritten"
    with daemon.client() as c:
        answer = c.call(PLAN, bytes_)
    got = Model(folder, daemon.path).run(request)
    if answer.kind == ERROR:
        wanted = f"error {text(answer.message(), 2)} {answer.code()} {number(answer.message(), 6)} "
        return None if got and got[0].startswith(wanted) and len(got) == 1 else f"{got[:1]}, not {wanted!r}", "refused"
    return difference(got, list(lines_of(answer.plan()))), "planned"


def try_random(tap, count):
    with tempfile.TemporaryDirectory() as folder, Daemon(http=False) as daemon:
        seen = {"planned": 0, "refused": 0, "unwritten": 0}
        wrong = []
        for i in range(count):
            kind = ("flat", "bodies")[i % 2]
            problem, how = compare(daemon, folder, simplified(made.request(i + 1, kind)))
            seen[how] += 1
            if problem:
                wrong.append(f"{kind} {i + 1}: {problem}")
        check(tap, not wrong and seen["planned"] >= count // 3, f"{count} random requests: what the client says is what the daemon answers", f"{seen} " + "; ".join(wrong[:3]))


# ---- a graph of 100,000 nodes ----

def try_large(tap):
    with Daemon(http=False) as daemon:
        got = subprocess.run([EXAMPLE, *map(str, LARGE)], capture_output=True, text=True, env={**os.environ, "STREAMD_SOCKET": daemon.path}, timeout=300)
    resident = re.search(r"resident at most:\s*(\d+) kB", got.stdout)
    launched = re.search(r"(\d+) launches", got.stdout)
    check(tap, bool(launched) and int(launched[1]) == LARGE[0] * LARGE[1], f"a graph of {LARGE[0] * LARGE[1] + 1} nodes is planned", got.stdout + got.stderr)
    if "asan" not in str(BUILD):
        check(tap, bool(resident) and int(resident[1]) < RESIDENT_MAX, f"and takes less than {RESIDENT_MAX} KiB of resident memory: {resident and resident[1]} KiB", got.stdout)


# ---- daemons that misbehave ----

SMALL = {"graph": {"name": "g", "dynamic": False, "subgraphs": [], "nodes": [{"name": "a", "op_type": "Add", "attrs": {}}, {"name": "b", "op_type": "Add", "inputs": ["a"], "attrs": {}}]}, "options": {}}
WIDE = {"graph": {"name": "g", "dynamic": False, "subgraphs": [], "nodes": [{"name": f"node_of_a_wide_graph_{i}", "op_type": "Add", "attrs": {}} for i in range(60000)]}, "options": {}}
GREETING = frame(HELLO, field(1, 1) + field(2, "9.9"))
PLAN_OF_NOTHING = field(1, field(1, 1) + field(9, 3))


def error_body(code, status, retryable=False, message="because", node=""):
    return field(1, code) + field(2, status) + field(3, message) + field(4, node) + field(6, int(retryable))


class Scripted:
    """A daemon that greets, reads some of a request, and then does what it is told to do; gone with the `with`."""

    def __init__(self, folder, act, greeting=GREETING, reads=True):
        self.path, self.act, self.greeting, self.reads = f"{folder}/s.sock", act, greeting, reads
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(1)
        self.done = threading.Event()
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def exactly(self, peer, count):
        data = b""
        while len(data) < count:
            more = peer.recv(count - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    def request(self, peer):
        header = self.exactly(peer, HEADER.size)
        length, _, kind, _, request_id, _ = HEADER.unpack(header)
        if kind == HELLO or self.reads:
            self.exactly(peer, length - HEADER.size + 4)
        return kind, request_id

    def serve(self):
        peer, _ = self.listener.accept()
        try:
            self.request(peer)
            peer.sendall(self.greeting)
            if self.act:
                self.act(self, peer, self.request(peer)[1])
            self.done.wait(20)
        except (EOFError, OSError):
            pass
        finally:
            peer.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()
        self.listener.close()
        os.unlink(self.path)


def saying(*frames):
    """Sends frames; their request id is that of the request where it is 1."""
    def act(server, peer, request_id):
        for kind, body, about in frames:
            peer.sendall(frame(kind, body, request_id=request_id if about == 1 else about))
    return act


def cut(server, peer, request_id):
    peer.sendall(frame(ANSWER, PLAN_OF_NOTHING, request_id=request_id)[:-2])
    server.done.set()


def pings(server, peer, request_id):
    peer.sendall(frame(PING, b"abc", request_id=7) + frame(GOODBYE))
    kind, about = server.request(peer)
    good = kind == PONG and about == 7
    peer.sendall(frame(ANSWER, PLAN_OF_NOTHING, request_id=request_id) if good else frame(ERROR, error_body("SD9999", "INTERNAL"), request_id=request_id))


STORIES = [
    ("an answer behind one to somebody else", SMALL, saying((ANSWER, b"\xff\xff", 77), (ANSWER, PLAN_OF_NOTHING, 1)), {}, [], "plan 3 0 0 0"),
    ("a ping is answered, a goodbye passed over", SMALL, pings, {}, [], "plan 3 0 0 0"),
    ("an error", SMALL, saying((ERROR, error_body("E18888", "INVALID_ARGUMENT", node="conv"), 1)), {}, [], "error INVALID_ARGUMENT E18888 0 [conv] because"),
    ("an error that may pass", SMALL, saying((ERROR, error_body("SD2013", "RESOURCE_EXHAUSTED", True), 1)), {}, [], "error RESOURCE_EXHAUSTED SD2013 1 [] because"),
    ("an error with a long text is cut", SMALL, saying((ERROR, error_body("SD2013", "RESOURCE_EXHAUSTED", message="m" * 4000, node="n" * 500), 1)), {}, [],
     f"error RESOURCE_EXHAUSTED SD2013 0 [{'n' * 127}] {'m' * 255}"),
    ("an error before the request is read", WIDE, saying((ERROR, error_body("SD2012", "RESOURCE_EXHAUSTED"), 1)), {"reads": False}, [], "error RESOURCE_EXHAUSTED SD2012 0 [] because"),
    ("an error instead of a greeting", SMALL, None, {"greeting": frame(ERROR, error_body("SD2014", "RESOURCE_EXHAUSTED", True))}, [], "error RESOURCE_EXHAUSTED SD2014 1 [] because"),
    ("another protocol", SMALL, None, {"greeting": frame(HELLO, field(1, 9))}, [], "error INTERNAL SD4011 "),
    ("no frame", SMALL, None, {"greeting": b"HTTP/1.1 400 Bad Request\r\n\r\n"}, [], "error INTERNAL SD4011 "),
    ("an answer that breaks off", SMALL, cut, {}, [], "error "),
    ("an answer that is none", SMALL, saying((ANSWER, b"\x0a\xff\xff\xff", 1)), {}, [], "error CANCELLED SD4008 "),
    ("an error that is none", SMALL, saying((ERROR, b"\x0a\xff\xff\xff", 1)), {}, [], "error INTERNAL SD4011 "),
    ("no answer by the deadline", SMALL, lambda *_: None, {}, ["300"], "error DEADLINE_EXCEEDED SD4007 "),
    ("a request that nobody reads", WIDE, lambda *_: None, {"reads": False}, ["300"], "error DEADLINE_EXCEEDED SD4007 "),
]
FAULTS = [("stop-sending", "error CANCELLED SD4008 "), ("fickle", "error CANCELLED SD4008 "), ("stop-reading", "error CANCELLED SD4008 ")]


def try_stories(tap):
    for name, request, act, how, deadline, wanted in STORIES:
        with tempfile.TemporaryDirectory() as folder, Scripted(folder, act, **how) as server:
            got = Model(folder, server.path).run(request, deadline_ms=int(deadline[0]) * PATIENCE if deadline else 60000)
        last = got[-1] if got else ""
        check(tap, last == wanted or wanted.endswith(" ") and last.startswith(wanted), name, f"{got[-2:]}, not {wanted!r}")


def try_mutants(tap, count):
    """Answers of a daemon with bytes changed: the client ends by itself, whatever it makes of them."""
    random = Random(7)
    with tempfile.TemporaryDirectory() as folder:
        with Daemon(http=False) as daemon, daemon.client() as c:
            answer = c.call(PLAN, encoded(folder, simplified(made.request(3, "bodies")))).body
        wrong = []
        for i in range(count):
            bytes_ = bytearray(answer)
            for _ in range(random.randint(1, 4)):
                bytes_[random.randrange(len(bytes_))] = random.randrange(256)
            with Scripted(folder, saying((ANSWER, bytes(bytes_), 1))) as server:
                got = Model(folder, server.path).run(SMALL, deadline_ms=20000)
            if not got or not got[-1].startswith(("plan ", "error ")):
                wrong.append(f"mutant {i}: {got[-1:]}")
    tap.case(f"{count} answers with bytes changed", wrong)


def try_faults(tap):
    with tempfile.TemporaryDirectory() as folder, Daemon(http=False) as daemon:
        model = Model(folder, daemon.path)
        for fault, wanted in FAULTS:
            got = model.run(SMALL, fault)
            check(tap, bool(got) and got[-1].startswith(wanted), f"{fault} ends the call", got[-2:])
        check(tap, model.run(SMALL)[-1].startswith("plan 1 "), "the daemon minds none of it", "it gives no plan any more")
    got = Model("/tmp", "/tmp/nobody-listens-here.sock").run(SMALL)
    check(tap, got[-1].startswith("error UNAVAILABLE SD4010 1 "), "nobody listens", got)
    got = Model("/tmp", "/tmp/" + "x" * 200).run(SMALL)
    check(tap, got[-1] == "nano_model: the socket's path is too long", "a path that no socket can have", got)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=60)
    arguments = parser.parse_args()
    tap = Tap()
    if not MODEL.exists():
        check(tap, False, "nano_model is built", "nanopb and its generator are missing (deploy/packages.txt)")
    else:
        try_random(tap, arguments.count)
        try_large(tap)
        try_stories(tap)
        try_mutants(tap, arguments.count)
        try_faults(tap)
    tap.end()


if __name__ == "__main__":
    main()
