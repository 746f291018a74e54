#!/usr/bin/env python3
"""streamctl at a terminal and away from it: progress, colours, hints, --quiet, help."""
import errno
import json
import pathlib
import pty
import re
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from streamd_wire import *

DUMP = ROOT / "tests/data/ge_dumps/ge_onnx_00000001_graph_11_Build.pbtxt"       # reading it brings notes
QUIET_S = 0.7       # what takes no longer than half a second is not told


class Terminal(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="streamctl-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = {"PATH": os.environ["PATH"], "TERM": "xterm", "STREAMD_SOCKET": f"{folder.name}/none.sock"}

    def at_terminal(self, *arguments, program=STREAMCTL, heard=lambda _: None, **env):
        """Exit status, standard output, and what a terminal as standard error got; `heard` is told what it got so far."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen([program, *map(str, arguments)], stdout=subprocess.PIPE, stderr=theirs, env=dict(self.environment, **env))
        os.close(theirs)
        reader = threading.Thread(target=lambda: self.__dict__.update(out=process.stdout.read()))
        reader.start()
        told = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError as error:
                if error.errno != errno.EIO:
                    raise
                break
            if not part:
                break
            told += part
            heard(told)
        os.close(ours)
        reader.join()
        return process.wait(timeout=LONG), self.out.decode(), told.decode()

    def away(self, *arguments, program=STREAMCTL, **env):
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, env=dict(self.environment, **env), timeout=LONG)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def slow(self):
        """A request whose plan is kept back until the gate is opened."""
        path, gate = self.folder / "slow.json", Gate(self.folder)
        path.write_text(json.dumps({"graph": {"nodes": [{"name": "a", "op_type": "Relu", "attrs": {"_gate": str(gate.file)}}, {"name": "b", "op_type": "Relu", "inputs": ["a:0"]}]}}))
        return path, gate

    def test_errors_are_red_at_a_terminal_only(self):
        for arguments in (["plna"], ["plan", self.folder / "none.json", "--local"], ["status"]):
            status, _, told = self.at_terminal(*arguments)
            self.assertRegex(told, "^\033\\[1;31mstreamctl:\033\\[0m ")
            plain = self.away(*arguments)
            self.assertEqual(plain[0], status)
            self.assertNotIn("\033", plain[2])
            self.assertEqual(plain[2].count("\n"), 1)

    def test_no_color_and_dumb_terminals(self):
        self.assertNotIn("\033", self.at_terminal("plna", NO_COLOR="1")[2])
        self.assertIn("\033", self.at_terminal("plna", NO_COLOR="")[2])
        self.assertNotIn("\033", self.at_terminal("plna", TERM="dumb")[2])

    def test_hints_are_for_people(self):
        fork = self.folder / "fork.json"
        fork.write_text('{"graph": {"nodes": [{"name": "a", "op_type": "Relu"}]}}')
        self.assertIn("hint: streamd & starts a daemon; --local plans without one", self.at_terminal("plan", fork)[2])
        self.assertNotIn("--local", self.at_terminal("ping")[2])
        self.assertNotIn("hint", self.away("plan", fork)[2])
        self.assertNotIn("hint", self.at_terminal("plan", fork, "--quiet")[2])

    def test_quiet_leaves_notes_out_and_errors_in(self):
        status, out, told = self.away("plan", DUMP, "--local")
        self.assertIn("streamctl: note: ", told)
        self.assertEqual(self.away("plan", DUMP, "--local", "--quiet"), (status, out, ""))
        self.assertEqual(self.away("-q", "plan")[0], 2)
        self.assertIn("SD4010", self.away("ping", "-q")[2])

    def test_progress_of_what_takes_long(self):
        path, gate = self.slow()
        arguments = ("plan", path, "--local", "--option", "explain=true")

        def open_late():
            wait_for(gate.is_reached)
            time.sleep(QUIET_S)
            gate.open()
        opener = threading.Thread(target=open_late)
        opener.start()
        status, out, told = self.at_terminal(*arguments, program=GATED_STREAMCTL)
        opener.join()
        self.assertEqual(status, 0, told)
        self.assertRegex(told, r"planning 2 nodes: [a-z_]+ is done, \d+\.\d s")
        self.assertTrue(told.endswith("\r\033[K"), told[-80:])
        for silent in (lambda: self.at_terminal(*arguments, "-q", program=GATED_STREAMCTL), lambda: self.away(*arguments, program=GATED_STREAMCTL)):
            gate.shut()
            opener = threading.Thread(target=open_late)
            opener.start()
            self.assertEqual(silent(), (0, out, ""))
            opener.join()

    def test_progress_while_the_daemon_plans(self):
        path, gate = self.slow()
        with Daemon(gated=True) as daemon:
            status, out, told = self.at_terminal("plan", path, "--socket", daemon.path, "--option", "explain=true", heard=lambda told: b"waiting for the daemon" in told and gate.open())
            self.assertEqual(status, 0, told)
            self.assertRegex(told, r"waiting for the daemon, \d+\.\d s")
            self.assertTrue(told.endswith("\r\033[K"))

    def test_help_of_each_command(self):
        whole = self.away("--help")[1]
        commands = re.findall(r"(?m)^  ([a-z]+) +", whole.split("\n\n")[1])
        self.assertIn("plan", commands)
        flags = set(re.findall(r"(?m)^  (?:-\w, )?(--[a-z-]+)", whole))
        for command in commands:
            status, out, told = self.away(command, "--help")
            self.assertEqual((status, told), (0, ""), command)
            self.assertTrue(out.startswith(f"usage: streamctl {command}"))
            self.assertLessEqual(set(re.findall(r"--[a-z-]+", out.split("tells of:")[1])), flags, command)


if __name__ == "__main__":
    e2e.main()
