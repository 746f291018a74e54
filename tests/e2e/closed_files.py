#!/usr/bin/env python3
"""Programs that are started without standard input, output and error: what they would say there goes into nothing else that they open."""
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from streamd_wire import *

REQUEST = {"graph": {"name": "g", "nodes": [{"name": "a", "op_type": "Add"}, {"name": "b", "op_type": "Add", "inputs": ["a"]}]}}
CLOSED = ("<&-", ">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-")


def is_served(path):
    """A socket is a file before it listens; what the daemon says of that is not heard here."""
    with socket.socket(socket.AF_UNIX) as peer:
        return peer.connect_ex(str(path)) == 0


class Closed(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="streamd-test-")))

    def test_the_daemon_serves_and_ends_well(self):
        for closed in CLOSED:
            path = self.folder / "s.sock"
            process = subprocess.Popen(["sh", "-c", f'exec "$0" "$@" {closed}', STREAMD, "--set", f"socket.path={path}", "--set", "http.port=0"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                self.assertTrue(wait_for(lambda: is_served(path)))
                with Client(str(path)) as client:
                    for _ in range(20):                               # each is a line of the log
                        self.assertEqual(client.call(CANCEL_JOB, field(1, 99)).code(), "SD4009")
                    self.assertIsNone(client.call(STATUS).code())
            finally:
                process.terminate()
            self.assertEqual((closed, process.wait(20 * PATIENCE)), (closed, 0))
            self.assertEqual([f.read_bytes() for f in self.folder.glob("*.lock")], [b"", b""])

    def test_what_streamctl_writes_is_what_it_was_asked_for(self):
        (self.folder / "r.json").write_text(json.dumps(REQUEST))
        for closed in CLOSED:
            done = subprocess.run(["sh", "-c", f'exec "$0" "$@" {closed}', STREAMCTL, "plan", self.folder / "r.json", "--local", "--timing", "-o", self.folder / "plan.json"], capture_output=True)
            self.assertEqual((closed, done.returncode), (closed, 0))
            self.assertEqual(len(json.loads((self.folder / "plan.json").read_text())["streams"]), 1)

    def test_an_answer_that_nobody_can_get_is_an_error(self):
        done = subprocess.run(["sh", "-c", 'exec "$0" passes >&-', STREAMCTL], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("'standard output' cannot be written: Bad file descriptor", done.stderr)


if __name__ == "__main__":
    e2e.main()
