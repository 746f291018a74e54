"""An unmodified Go client: `buf curl` of npm's @bufbuild/buf, in gRPC with what server reflection tells it.

Its status of exit is the code of gRPC times eight. What takes time is asked while the daemon's one worker is busy, so that a deadline
passes and a signal comes while the call is under way, whatever the machine.
"""
import json
import os
import pathlib
import signal
import subprocess
import threading
import time

from streamd_wire import JOBS, PLAN, ROOT, field, number, parse, slow, wait_for

NAME = "Go (buf curl)"
DEADLINE_S, BUSY_JOBS = 4, 60
SETTINGS = {"jobs__workers": 1, "socket__open_requests_max": BUSY_JOBS}     # of a daemon whose worker can be kept busy
SLOWER = field(2, field(18, 1) + field(19, 1))      # explained and simulated
SMALL_BYTES = 100000       # of a request, unlike those that keep the worker busy
DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED = 4, 8


class Busy:
    """Keeps the worker of a daemon busy: as soon as one large request of many is answered another one is sent."""

    def __init__(self, daemon):
        self.daemon, self.stop = daemon, threading.Event()

    def __enter__(self):
        self.thread = threading.Thread(target=self.keep)
        self.thread.start()
        assert wait_for(lambda: self.daemon.metric("jobs_queued") >= BUSY_JOBS - 5, 120)
        return self

    def keep(self):
        with self.daemon.client() as client:
            ids = []
            while not self.stop.is_set():
                ids.append(client.submit(PLAN, slow(f"busy{time.monotonic_ns()}") + SLOWER))
                if len(ids) == BUSY_JOBS:
                    client.answer(ids.pop(0))

    def waits(self):
        """Whether a small graph of somebody else waits, too."""
        with self.daemon.client() as client:
            return any(number(parse(job), 6) < SMALL_BYTES for job in client.call(JOBS).message().get(1, []))

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()


def graph(count, kind="Add"):
    nodes = [{"name": f"n{i}", "opType": "Add" if i else kind, "inputs": [f"n{j}" for j in (i - 2, i - 3) if j >= 0]} for i in range(count)]
    return {"graph": {"name": "g", "nodes": nodes}}


class Go:
    def __init__(self, folder, target, certificates=()):
        """`target` as gRPC writes it; certificates: authority, chain, key, or the first alone."""
        self.folder = pathlib.Path(folder)
        socket = target.removeprefix("unix:") if target.startswith("unix:") else None
        self.url = f"{'https' if certificates else 'http'}://{'localhost' if socket else target}"
        self.flags = ["--unix-socket", socket] if socket else []
        for flag, path in zip(("--cacert", "--cert", "--key"), certificates):
            self.flags += [flag, str(path)]
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "BUF_CACHE_DIR": f"{folder}/buf-cache"}

    def command(self, *words, method="", data=None):
        more = []
        if data is not None:
            file = self.folder / "request.json"
            file.write_text(json.dumps(data))
            more = ["-d", f"@{file}"]
        return [str(self.folder / "node_modules/.bin/buf"), "curl", "--protocol", "grpc", *self.flags, *words, *more, self.url + method]

    def run(self, *words, within=120, **call):
        """(code of gRPC, or -1 where it is none; what it printed)"""
        done = subprocess.run(self.command(*words, **call), capture_output=True, text=True, env=self.environment, timeout=within)
        return done.returncode >> 3 if done.returncode >= 8 else -(done.returncode != 0), done.stdout + done.stderr

    # ---- what it can do: each answers problems ----

    def plan(self, daemon, nodes_max):
        code, told = self.run(method="/streamd.v1.Planner/Plan", data=graph(100, "First"))
        return [] if code == 0 and len(json.loads(told)["plan"]["nodes"]) == 100 else [f"{code}: {told[:300]}"]

    def deadline(self, daemon, nodes_max):
        ended = lambda: sum(daemon.metric(f'grpc_requests_total{{method="Plan",status="{status}"}}') for status in ("DEADLINE_EXCEEDED", "CANCELLED"))
        before, began = ended(), time.monotonic()
        with Busy(daemon) as busy:
            code, told = self.run("--timeout", f"{DEADLINE_S}s", method="/streamd.v1.Planner/Plan", data=graph(50, "Late"))
            was_busy, took = daemon.metric("jobs_queued") > 0, time.monotonic() - began
        heard = wait_for(lambda: ended() == before + 1)
        return [] if code == DEADLINE_EXCEEDED and was_busy and heard and took >= DEADLINE_S else \
            [f"{code}: {told[:300]}; the worker was busy: {was_busy}; the daemon heard of it: {heard}; it took {took:.1f} s"]

    def cancel(self, daemon, nodes_max):
        cancelled = lambda: daemon.metric('grpc_requests_total{method="Plan",status="CANCELLED"}')
        before = cancelled()
        with Busy(daemon) as busy:
            process = subprocess.Popen(self.command(method="/streamd.v1.Planner/Plan", data=graph(50, "Cancelled")), env=self.environment, stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT, text=True, start_new_session=True)
            under_way = wait_for(busy.waits, 30)
            os.killpg(process.pid, signal.SIGINT)      # as Ctrl-C at a terminal: npm's program starts the one in Go
            told = process.communicate(timeout=60)[0]
            heard = wait_for(lambda: cancelled() == before + 1) and not busy.waits()
        quiet = wait_for(lambda: daemon.metric("jobs_running") + daemon.metric("jobs_queued") == 0, 60)
        return [] if under_way and process.returncode and heard and quiet else \
            [f"under way: {under_way}; status {process.returncode}: {told[:300]}; the daemon heard of it: {heard}; no job is left: {quiet}"]

    def oversize(self, daemon, nodes_max):
        code, told = self.run(method="/streamd.v1.Planner/Plan", data=graph(nodes_max + 1, "Large"))
        return [] if code == RESOURCE_EXHAUSTED and str(nodes_max) in told and "streamd.v1.Error" in told else [f"{code}: {told[:300]}"]

    def health(self, daemon, nodes_max):
        code, told = self.run(method="/grpc.health.v1.Health/Check", data={"service": "streamd.v1.Planner"})
        return [] if code == 0 and json.loads(told) == {"status": "SERVING"} else [f"{code}: {told[:300]}"]

    def reflection(self, daemon, nodes_max):
        services, methods = self.run("--list-services")[1].split(), self.run("--list-methods")[1].split()
        asked = {"streamd.v1.Planner", "streamd.v1.Pool"} - set(services) | {"streamd.v1.Planner/Plan", "streamd.v1.Pool/Acquire"} - set(methods)
        return [f"{name} is not listed in {(services + methods)[:20]}" for name in asked]

    ABILITIES = (("a graph is planned", plan), ("a deadline is met", deadline), ("a call is cancelled", cancel),
                 ("an oversized graph is refused, with the limit and details", oversize), ("health is told", health), ("services are listed", reflection))

    def ping(self):
        """What one call brought: 0, or the code of gRPC (-1: none) and what was said."""
        code, told = self.run("--schema", str(ROOT / "proto/streamd.proto"), "--timeout", "20s", method="/streamd.v1.Planner/Ping", data={"payload": "eHh4"})
        return code if code == 0 else f"{code}: {' '.join(told.split())[:160]}"
