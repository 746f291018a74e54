#!/usr/bin/python3
"""Wrong usage: what was wrong and what would be right is said, with exit status 2 of streamctl and 1 of the daemon."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from streamd_wire import *


class Usage(unittest.TestCase):
    def said(self, *arguments):
        done = subprocess.run([STREAMCTL, *arguments], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        return done.stderr

    def test_a_batch_of_nothing(self):
        for more in ((), ("--local",), ("-o", "/dev/null")):
            self.assertIn("plan --batch needs its INPUTs, one or more, as in: streamctl plan --batch models/*.onnx", self.said("plan", "--batch", *more))

    def test_too_few(self):
        self.assertIn("too few arguments; usage: streamctl verify REQUEST PLAN", self.said("verify", "a.json"))

    def test_too_many(self):
        self.assertIn("'b.json' is one argument too many (--batch takes any number); usage: streamctl plan INPUT", self.said("plan", "a.json", "b.json"))
        self.assertIn("'now' is one argument too many; usage: streamctl status\n", self.said("status", "now"))

    def test_jobs(self):
        self.assertIn("jobs cancel needs the number of a job, which streamctl jobs lists; usage: streamctl jobs [cancel ID]", self.said("jobs", "cancel"))
        self.assertIn("jobs lists what there is, or takes cancel ID, not stop", self.said("jobs", "stop"))

    def test_a_device_that_is_not_there(self):
        self.assertEqual(self.said("plan", "-", "--device", "./none.json"), "streamctl: --device: unable to open ./none.json: No such file or directory\n")

    def test_what_stands_in_a_file_of_settings_does_not_steer_the_terminal(self):
        with tempfile.NamedTemporaryFile("wb", suffix=".conf") as file:
            for line in (b"a\x1b[31mred\n", b"a\x1b[31m.b = \x07\n", b"socket.connections_max = 7\x1b[31m\n"):
                file.seek(0)
                file.truncate()
                file.write(line)
                file.flush()
                done = subprocess.run([STREAMD, "--config", file.name, "--check-config"], capture_output=True)
                self.assertEqual(done.returncode, 1)
                self.assertIn(b"?[31m", done.stderr)
                self.assertNotRegex(done.stderr.rstrip(b"\n"), rb"[\x00-\x1f\x7f]")

    def test_bounds_of_settings_are_told_with_their_unit(self):
        for setting, bounds in (("pool.ttl=5", "between 10 and 86400000 ms"), ("socket.owed_bytes_max=1", "between 4096 and 2147483648 bytes"), ("http.port=70000", "between 0 and 65535")):
            done = subprocess.run([STREAMD, "--check-config", "--set", setting], capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertTrue(done.stderr.endswith(f"must be {bounds}\n"), done.stderr)

    def test_two_sockets_with_one_path(self):
        with tempfile.TemporaryDirectory(prefix="streamd-test-") as folder:
            for settings in (("socket.path={}/one.sock", "grpc.path={}/one.sock"), ("socket.path={}/grpc.sock",)):
                done = subprocess.run([STREAMD, "--set", "http.port=0", *(word for s in settings for word in ("--set", s.format(folder)))], capture_output=True, text=True, timeout=20 * PATIENCE)
                self.assertEqual(done.returncode, 1)
                self.assertIn("the framed socket and that of gRPC have one path; choose another with --set grpc.path=PATH", done.stderr)


if __name__ == "__main__":
    e2e.main()
