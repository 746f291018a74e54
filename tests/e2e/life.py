#!/usr/bin/env python3
"""Start and stop: settings, socket and lock, second instance, drain, signals, reload."""
import pathlib
import stat
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from streamd_wire import *


def run(*arguments, env=None, cwd=None):
    environment = {key: value for key, value in os.environ.items() if key not in ("STREAMD_SOCKET", "XDG_RUNTIME_DIR")}
    environment.update(env or {})
    done = subprocess.run([STREAMD, *arguments], capture_output=True, text=True, timeout=LONG, env=environment, cwd=cwd)
    return done.returncode, done.stdout, done.stderr


class Settings(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="streamd-test-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, content):
        path = f"{self.folder}/streamd.conf"
        pathlib.Path(path).write_text(content)
        return path

    def test_check_config(self):
        self.assertEqual(run("--check-config")[0], 0)
        self.assertEqual(run("--check-config", "--config", self.write("jobs.workers = 3 # three\n\n"))[0], 0)
        status, _, error = run("--check-config", "--config", self.write("\njobs.workers = 3\njobs.wokers = 4\n"))
        self.assertEqual(status, 1)
        self.assertIn("streamd.conf:3: unknown key 'jobs.wokers'", error)
        status, _, error = run("--check-config", "--config", self.write("http.port = 70000\n"))
        self.assertEqual(status, 1)
        self.assertRegex(error, r"streamd.conf:1: http.port = 70000: must be between 0 and 65535")
        self.assertIn("cannot be opened", run("--check-config", "--config", f"{self.folder}/none")[2])

    def test_what_wins(self):
        path = self.write("socket.path = /from/file\nhttp.port = 1\n")
        for arguments, env, at in ((["--config", path], {}, "/from/file"), (["--config", path], {"STREAMD_SOCKET": "/from/env"}, "/from/env"),
                                   (["--config", path, "--set", "socket.path=/from/set"], {"STREAMD_SOCKET": "/from/env"}, "/from/set")):
            error = run(*arguments, "--set", "http.port=0", env=env)[2]
            self.assertIn(f"{at}.lock", error)

    def test_shipped_file_is_the_printed_default_and_is_right(self):
        printed = run("--print-config")[1]
        self.assertEqual(printed, (ROOT / "deploy/streamd.conf").read_text())
        self.assertEqual(run("--check-config", "--config", self.write(printed))[0], 0)
        stated = "\n".join(line[1:] if re.match(r"#[a-z]+\.", line) else line for line in printed.splitlines())
        self.assertEqual(run("--check-config", "--config", self.write(stated + "\n"))[0], 0)

    def test_help_and_version_and_usage(self):
        self.assertIn("limits.nodes_max", run("--help")[1])
        self.assertRegex(run("--version")[1], r"^streamd \d+\.\d+\.\d+\n$")
        self.assertEqual(run("--nonsense")[0], 2)
        self.assertEqual(run("argument")[0], 2)

    def test_taken_http_port_is_named(self):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            s.listen()
            port = s.getsockname()[1]
            status, _, error = run("--set", f"http.port={port}", "--set", f"socket.path={self.folder}/s")
            self.assertEqual(status, 1)
            self.assertIn(f"http.port = {port}", error)
            self.assertFalse(os.path.exists(f"{self.folder}/s"))

    def test_path_that_does_not_fit(self):
        status, _, error = run("--set", "http.port=0", env={"XDG_RUNTIME_DIR": self.make("x" * 100)})
        self.assertEqual(status, 1)
        self.assertIn("longer than", error)

    def make(self, name):
        path = f"{self.folder}/{name}"
        os.mkdir(path)
        return path


class Socket(unittest.TestCase):
    def test_runs_without_an_argument_in_the_user_s_folder(self):
        with tempfile.TemporaryDirectory(prefix="streamd-test-") as folder:
            env = dict(os.environ, XDG_RUNTIME_DIR=folder)
            env.pop("STREAMD_SOCKET", None)
            process = subprocess.Popen([STREAMD], env=env, stderr=subprocess.PIPE, text=True)
            self.addCleanup(process.stderr.close)
            path, told = f"{folder}/streamd/streamd.sock", process.stderr.readline()
            if "9190" in told and "listening" not in told:
                process.wait(LONG)
                self.skipTest("port 9190 is taken on this machine")
            try:
                self.assertIn("listening", told)
                self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
                self.assertEqual(stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode), 0o700)
                with Client(path) as c:
                    self.assertEqual(c.call(PLAN, chain(3)).kind, ANSWER)
            finally:
                process.terminate()
                self.assertEqual(process.wait(LONG), 0)
            self.assertFalse(os.path.exists(path))

    def test_second_instance_refuses_and_the_first_goes_on(self):
        with Daemon() as daemon:
            status, _, error = run("--set", f"socket.path={daemon.path}", "--set", "http.port=0")
            self.assertEqual(status, 1)
            self.assertIn(f"another streamd serves {daemon.path}", error)
            with daemon.client() as c:
                self.assertEqual(c.call(STATUS).kind, ANSWER)

    def test_socket_of_a_killed_daemon_is_taken_over(self):
        with Daemon() as daemon:
            for _ in range(5):
                daemon.signal(signal.SIGKILL)
                daemon.process.wait()
                self.assertTrue(os.path.exists(daemon.path))
                daemon.log_file.close()
                daemon.start()
                with daemon.client() as c:
                    self.assertEqual(c.call(PLAN, chain(3)).kind, ANSWER)

    def test_what_is_no_socket_is_left_alone(self):
        with tempfile.TemporaryDirectory(prefix="streamd-test-") as folder:
            path = pathlib.Path(folder, "precious")
            path.write_text("data")
            status, _, error = run("--set", f"socket.path={path}", "--set", "http.port=0")
            self.assertEqual(status, 1)
            self.assertIn("is no socket", error)
            self.assertEqual(path.read_text(), "data")

    def test_clients_that_connect_before_it_is_ready_are_served(self):
        with tempfile.TemporaryDirectory(prefix="streamd-test-") as folder:
            path, failures = f"{folder}/s.sock", []

            def one():
                try:
                    while True:
                        try:
                            with Client(path) as c:
                                assert c.call(PLAN, chain(3)).kind == ANSWER
                            return
                        except (FileNotFoundError, ConnectionRefusedError):      # before it is bound, or listens
                            time.sleep(0.001)
                except Exception as x:
                    failures.append(x)

            threads = [threading.Thread(target=one) for _ in range(100)]
            for t in threads:
                t.start()
            process = subprocess.Popen([STREAMD, "--set", f"socket.path={path}", "--set", "http.port=0"], stderr=subprocess.DEVNULL)
            for t in threads:
                t.join()
            process.terminate()
            self.assertEqual(process.wait(LONG), 0)
            self.assertEqual(failures, [])


class Stop(unittest.TestCase):
    def busy(self, daemon, client, more=0):
        """Keeps the one worker of a daemon busy: the gate, what runs behind it, and what waits."""
        gate = daemon.gate()
        running = client.submit(PLAN, gate.graph())
        self.assertTrue(wait_for(lambda: daemon.metric("jobs_running") == 1))
        waiting = [client.submit(PLAN, chain(9, op_type=f"W{i}")) for i in range(more)]
        self.assertTrue(wait_for(lambda: daemon.metric("jobs_queued") == more))
        return gate, running, waiting

    def test_drain_finishes_what_runs_refuses_what_waits_and_removes_the_socket(self):
        for way in ("signal", "method"):
            with Daemon(gated=True, jobs__workers=1) as daemon:
                c, d = daemon.client(), daemon.client()
                gate, running, (waiting,) = self.busy(daemon, c, 1)
                if way == "signal":
                    daemon.signal()
                else:
                    message = d.call(DRAIN).message()
                    self.assertEqual((number(message, 1), number(message, 2)), (1, 1))
                got = c.answer(waiting)
                self.assertEqual((got.code(), text(got.message(), 2), number(got.message(), 6)), ("SD4006", "UNAVAILABLE", 1))
                got = d.call(PLAN, chain(3))
                self.assertEqual(got.code(), "SD4006")
                gate.open()
                self.assertEqual(c.answer(running).kind, ANSWER)
                self.assertEqual(daemon.process.wait(LONG), 0)
                self.assertFalse(os.path.exists(daemon.path))
                self.assertTrue(c.is_closed() and d.is_closed())

    def test_draining_daemon_says_goodbye_and_is_not_ready(self):
        with Daemon(gated=True, jobs__workers=1) as daemon, daemon.client() as c, daemon.client() as idle:
            self.assertEqual(daemon.http("/readyz"), "ready\n")
            gate, _, _ = self.busy(daemon, c)
            daemon.signal()
            self.assertEqual(idle.receive().kind, GOODBYE)
            with self.assertRaises(urllib.error.HTTPError) as caught:
                daemon.http("/readyz")
            self.assertEqual(caught.exception.code, 503)
            caught.exception.close()
            with self.assertRaises((FileNotFoundError, ConnectionRefusedError)):
                daemon.client()
            self.assertFalse(os.path.exists(daemon.path))
            gate.open()
            self.assertEqual(daemon.process.wait(LONG), 0)

    def test_drain_is_given_up_after_its_time(self):
        with Daemon(gated=True, jobs__workers=1, drain__timeout="200 ms") as daemon, daemon.client() as c:
            self.busy(daemon, c, 2)
            daemon.signal()
            self.assertEqual(daemon.process.wait(LONG), 0)                      # the gate is still shut
            self.assertFalse(os.path.exists(daemon.path))

    def test_second_signal_ends_at_once(self):
        with Daemon(gated=True, jobs__workers=1) as daemon, daemon.client() as c:
            daemon.status = 1
            self.busy(daemon, c, 20)
            daemon.signal()
            self.assertTrue(wait_for(lambda: "draining" in daemon.log()))
            daemon.signal(signal.SIGINT)
            self.assertEqual(daemon.process.wait(LONG), 1)                      # the gate is still shut
            self.assertFalse(os.path.exists(daemon.path))

    def test_start_and_stop_under_load(self):
        with Daemon() as daemon:
            for turn in range(200 if os.environ.get("TIER") == "long" else 10):
                clients = [daemon.client() for _ in range(5)]
                ids = [c.submit(PLAN, slow(f"{turn}-{i}", 3000 * i + 10)) for i, c in enumerate(clients)]
                daemon.signal()
                for c, i in zip(clients, ids):
                    try:
                        self.assertIn(c.answer(i).code(), (None, "SD4006"))
                    except Closed:
                        self.fail("a request that was sent before the drain got no answer")
                    c.close()
                self.assertEqual(daemon.process.wait(LONG), 0)
                daemon.log_file.close()
                daemon.start()


class Reload(unittest.TestCase):
    def test_reload_takes_what_may_change(self):
        with tempfile.TemporaryDirectory(prefix="streamd-test-") as folder:
            conf = pathlib.Path(folder, "c.conf")
            conf.write_text("limits.nodes_max = 5\n")
            path, port = f"{folder}/s.sock", free_port()
            process = subprocess.Popen([STREAMD, "--config", str(conf), "--set", f"socket.path={path}", "--set", f"http.port={port}"],
                                       stderr=subprocess.PIPE, text=True)
            self.assertIn("listening", process.stderr.readline())
            with Client(path) as c:
                self.assertEqual(c.call(PLAN, chain(6)).code(), "SD2010")
                conf.write_text("limits.nodes_max = 7\njobs.workers = 9\n")
                process.send_signal(signal.SIGHUP)
                line = process.stderr.readline()
                while "reload" not in line:
                    line = process.stderr.readline()
                self.assertIn('"need_restart":1', line)
                self.assertEqual(c.call(PLAN, chain(6)).kind, ANSWER)
                conf.write_text("nonsense\n")
                process.send_signal(signal.SIGHUP)
                self.assertIn("c.conf:1", process.stderr.readline())
                self.assertEqual(c.call(PLAN, chain(7)).kind, ANSWER)
            process.terminate()
            process.stderr.read()
            process.stderr.close()
            self.assertEqual(process.wait(LONG), 0)


if __name__ == "__main__":
    import urllib.error
    e2e.main()
