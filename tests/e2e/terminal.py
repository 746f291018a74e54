#!/usr/bin/env python3
"""streamctl at a terminal and away from it: progress, colours, hints, --quiet, help."""
import errno
import json
import pathlib
import pty
import re
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from streamd_wire import *

DUMP = ROOT / "tests/data/ge_dumps/ge_onnx_00000001_graph_11_Build.pbtxt"       # reading it brings notes
NODES = 40000 if PATIENCE > 1 else 160000      # planning them takes longer than what is told of
SLOW = {"graph": {"nodes": [{"name": f"n{i}", "op_type": "Relu", "engine": ["AIcoreEngine", "DNN_VM_AICPU", "DNN_HCCL"][i % 3],
                             "inputs": [f"n{j}:0" for j in range(max(0, i - 5), i)]} for i in range(NODES)]}, "device": {"limits": {"max_events": 0}}}


class Terminal(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="streamctl-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = {"PATH": os.environ["PATH"], "TERM": "xterm", "STREAMD_SOCKET": f"{folder.name}/none.sock"}

    def at_terminal(self, *arguments, **env):
        """Exit status, standard output, and what a terminal as standard error got."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen([STREAMCTL, *map(str, arguments)], stdout=subprocess.PIPE, stderr=theirs, env=dict(self.environment, **env))
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
        os.close(ours)
        reader.join()
        return process.wait(timeout=60 * PATIENCE), self.out.decode(), told.decode()

    def away(self, *arguments, **env):
        done = subprocess.run([STREAMCTL, *map(str, arguments)], capture_output=True, env=dict(self.environment, **env), timeout=60 * PATIENCE)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def slow(self):
        path = self.folder / "slow.json"
        path.write_text(json.dumps(SLOW))
        return path

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
        path = self.slow()
        status, out, told = self.at_terminal("plan", path, "--local", "--option", "explain=true")
        self.assertEqual(status, 0, told)
        self.assertRegex(told, rf"planning {NODES} nodes: [a-z_]+ is done, \d+\.\d s")
        self.assertTrue(told.endswith("\r\033[K"), told[-80:])
        self.assertEqual(self.at_terminal("plan", path, "--local", "--option", "explain=true", "-q"), (0, out, ""))
        self.assertEqual(self.away("plan", path, "--local", "--option", "explain=true"), (0, out, ""))

    def test_progress_while_the_daemon_plans(self):
        with Daemon() as daemon:
            status, out, told = self.at_terminal("plan", self.slow(), "--socket", daemon.path, "--option", "explain=true")
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
