#!/usr/bin/env python3
"""The daemon under a service manager: what it tells, and the sockets that it is passed."""
import json
import os
import pathlib
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from streamd_wire import LONG, STREAMCTL, STREAMD, free_port, wait_for

FORK = {"graph": {"nodes": [{"name": "a", "op_type": "Relu"}, {"name": "b", "op_type": "Relu", "inputs": ["a:0"]}]}}
LATER = LONG


class Service(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="streamd-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.socket = str(self.folder / "s.sock")
        self.request = self.folder / "request.json"
        self.request.write_text(json.dumps(FORK))
        self.port = 0

    def start(self, passed=(), environment=(), pid="$$", **settings):
        """The daemon with these sockets as descriptors from 3 on."""
        given = {"socket.path": self.socket, "http.port": self.port, **{key.replace("__", "."): value for key, value in settings.items()}}
        script = f'LISTEN_PID={pid} exec "$@"' if passed else 'exec "$@"'
        arguments = ["sh", "-c", script, "sh", STREAMD] + [a for key, value in given.items() for a in ("--set", f"{key}={value}")]
        fds = tuple(range(3, 3 + len(passed)))
        copies = [os.dup(s.fileno()) for s in passed]            # none of them may lie where another is to be
        while any(fd in fds for fd in copies):
            copies = [os.dup(fd) for fd in copies]

        def place():
            for fd, copy in zip(fds, copies):
                os.dup2(copy, fd)
        environment = dict(os.environ, **dict(environment), **({"LISTEN_FDS": str(len(passed))} if passed else {}))
        log = open(self.folder / "log", "ab")
        process = subprocess.Popen(arguments, stdout=log, stderr=log, pass_fds=fds, preexec_fn=place, env=environment)
        log.close()
        for fd in copies:
            os.close(fd)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process

    def log(self):
        return (self.folder / "log").read_text()

    def notify_socket(self, abstract):
        heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(heard.close)
        heard.settimeout(LATER)
        name = f"\0streamd-test-{os.getpid()}-{self.id()}" if abstract else str(self.folder / "notify")
        heard.bind(name)
        return heard, "@" + name[1:] if abstract else name

    def listening(self, path=None):
        s = socket.socket(socket.AF_UNIX)
        s.bind(path or self.socket)
        s.listen(16)
        self.addCleanup(s.close)
        return s

    def plan(self):
        return subprocess.run([STREAMCTL, "plan", self.request, "--socket", self.socket], capture_output=True, text=True, timeout=LATER)

    def test_it_tells_its_life(self):
        for abstract in (False, True):
            heard, name = self.notify_socket(abstract)
            process = self.start(environment={"NOTIFY_SOCKET": name})
            self.assertEqual(heard.recv(4096), b"READY=1\nSTATUS=serving")
            self.assertEqual(self.plan().returncode, 0)
            process.send_signal(signal.SIGHUP)
            self.assertRegex(heard.recv(4096), rb"^RELOADING=1\nMONOTONIC_USEC=\d+$")
            self.assertEqual(heard.recv(4096), b"READY=1\nSTATUS=serving")
            process.send_signal(signal.SIGTERM)
            self.assertEqual(heard.recv(4096), b"STOPPING=1\nSTATUS=draining")
            self.assertEqual(process.wait(LATER), 0)

    def test_it_tells_that_its_loop_turns(self):
        heard, name = self.notify_socket(False)
        began = time.monotonic()
        process = self.start(environment={"NOTIFY_SOCKET": name, "WATCHDOG_USEC": "200000"})
        self.assertIn(b"READY=1", heard.recv(4096))
        for _ in range(5):
            self.assertEqual(heard.recv(4096), b"WATCHDOG=1")
        self.assertGreater(time.monotonic() - began, 0.3)
        process.send_signal(signal.SIGSTOP)                       # a loop that stands still says nothing
        heard.settimeout(0.5)
        with self.assertRaises(TimeoutError):
            while True:
                heard.recv(4096)
        process.send_signal(signal.SIGCONT)
        heard.settimeout(LATER)
        self.assertEqual(heard.recv(4096), b"WATCHDOG=1")
        process.terminate()
        self.assertEqual(process.wait(LATER), 0)

    def test_no_watchdog_of_another_process(self):
        heard, name = self.notify_socket(False)
        process = self.start(environment={"NOTIFY_SOCKET": name, "WATCHDOG_USEC": "100000", "WATCHDOG_PID": "1"})
        self.assertIn(b"READY=1", heard.recv(4096))
        heard.settimeout(0.5)
        self.assertRaises(TimeoutError, heard.recv, 4096)
        process.terminate()
        self.assertEqual(process.wait(LATER), 0)

    def test_it_serves_the_sockets_that_it_is_passed(self):
        """Nothing is refused between two daemons: who comes meanwhile waits in the socket."""
        framed, grpc, http = self.listening(), self.listening(str(self.folder / "grpc.sock")), socket.socket()
        self.addCleanup(http.close)
        http.bind(("127.0.0.1", 0))
        http.listen(16)
        self.port = http.getsockname()[1]
        for _ in range(2):
            early = subprocess.Popen([STREAMCTL, "plan", self.request, "--socket", self.socket], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual(select.select([framed], [], [], LATER)[0], [framed])     # it waits
            process = self.start([framed, grpc, http])
            out, error = early.communicate(timeout=LATER)
            self.assertEqual((early.returncode, error), (0, b""))
            self.assertEqual(json.loads(out)["stream_count"], 1)
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=LATER) as answer:
                self.assertEqual(answer.read(), b"ready\n")
            process.terminate()
            self.assertEqual(process.wait(LATER), 0)
            self.assertEqual(sorted(path.name for path in self.folder.iterdir() if ".sock" in path.name), ["grpc.sock", "s.sock"])

    def test_sockets_of_another_process_are_not_taken(self):
        self.listening(str(self.folder / "other.sock"))
        process = self.start([self.listening(str(self.folder / "elsewhere.sock"))], pid="1")
        self.assertTrue(wait_for(lambda: "listening" in self.log()))
        self.assertEqual(self.plan().returncode, 0)
        process.terminate()
        self.assertEqual(process.wait(LATER), 0)

    def test_what_nobody_wants_stops_the_start(self):
        tcp = socket.socket()
        self.addCleanup(tcp.close)
        tcp.bind(("127.0.0.1", 0))
        tcp.listen(1)
        idle = socket.socket(socket.AF_UNIX)
        self.addCleanup(idle.close)
        for passed, words in ((self.listening(str(self.folder / "other.sock")), "other.sock, where nothing is to be served; set socket.path to its ListenStream="),
                              (tcp, "make its ListenStream= and http.port the same"), (idle, "is no socket that listens")):
            process = self.start([passed])
            self.assertEqual(process.wait(LATER), 1)
            self.assertIn(words, self.log())
            self.assertFalse(os.path.exists(self.socket))


if __name__ == "__main__":
    e2e.main()
