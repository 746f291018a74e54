#!/usr/bin/env python3
"""Sessions from C: a model is planned, its streams are leased, it runs in them, all goes back; and what may go wrong on the way."""
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from pool_client import *
from waits import HeldUp

SECONDS = LONG
BRANCHES, NOTIFIES = (str(ROOT / f"tests/data/run/{name}.json") for name in ("four_branches", "two_branches_by_notify"))
ONNX = str(ROOT / "tests/data/onnx/light_squeezenet.onnx")
ACL, CUDA = (f"{name}:{pathlib.Path(STREAMCTL).resolve().parent.parent}/tests/standin/{library}.so" for name, library in (("acl", "libascendcl"), ("cuda", "libcuda")))
WIDE = json.dumps({"cluster": "none", "max_parallel_num": {"AIcoreEngine": 4}})


class Steps:
    """A process with a session; a call answers its figures, or raises Refused with the code."""

    class Refused(Exception):
        pass

    def __init__(self, socket, **environment):
        program = pathlib.Path(os.environ.get("BUILD", ROOT / "build")) / "tests/e2e/session_steps"
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "STREAMD_SOCKET": socket, **environment})
        try:
            self.hear()
        except Steps.Refused:
            self.end()
            raise

    def hear(self):
        line = self.process.stdout.readline().rstrip("\n")
        if not line.startswith("ok"):
            raise Steps.Refused(line)
        self.slots = [tuple(map(int, word[5:].split(":"))) for word in line.split() if word.startswith("slot=")]
        return {key: float(value) for key, value in (word.split("=") for word in line.split()[1:]) if key != "slot"}

    def say(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return self.hear()

    def end(self):
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait(SECONDS)


class Case(unittest.TestCase):
    settings = {}

    def setUp(self):
        self.daemon = Daemon(**self.settings)
        self.addCleanup(self.daemon.__exit__, None)
        self.observer = PoolClient(self.daemon.path)
        self.addCleanup(self.observer.close)

    def steps(self, **environment):
        steps = Steps(self.daemon.path, **environment)
        self.addCleanup(lambda: steps.process.stdin.closed or self.assertEqual(steps.end(), 0))
        return steps

    def refused(self, code, steps, *words):
        with self.assertRaises(Steps.Refused) as caught:
            steps.say(*words)
        self.assertRegex(str(caught.exception), f"^{code} ")
        return str(caught.exception)

    def leased(self):
        s = self.steps()
        s.say("plan", NOTIFIES)
        s.say("lease", 0)
        return s

    def held(self):
        return self.observer.stats()["live_leases"]


class Good(Case):
    def test_a_model_is_planned_leased_run_and_given_back(self):
        s = self.steps()
        plan = s.say("plan", BRANCHES)
        self.assertEqual((plan["streams"] >= 4, plan["from_cache"]), (True, 0))
        lease = s.say("lease", 0)
        self.assertGreaterEqual(lease["streams"], plan["streams"])
        self.assertEqual((lease["new_streams"], lease["events"]), (lease["streams"], plan["events"]))
        self.assertEqual(self.held(), lease["streams"])
        ran = s.say("run", "host", 4)
        self.assertEqual(ran["runs"], 4)
        self.assertTrue(ran["edges"] > 0 and ran["orders"] > 0 and 0 <= ran["overlap"] <= 1, ran)
        self.assertEqual(len(s.slots), plan["streams"])
        self.assertTrue({slot for slot, _ in s.slots} <= {slot for _, slot, _ in self.observer.leases()})
        self.assertEqual(s.say("close"), {})
        self.assertEqual(self.held(), 0)

    def test_events_that_keep_turns_of_a_loop_apart_are_leased_too(self):
        """A node in front makes the loop one of two turns; the plan itself has a notify and no event."""
        lagging = json.loads((ROOT / "tests/data/run/lagging_notifies.json").read_text())
        lagging["graph"]["nodes"].insert(0, {"name": "first", "op_type": "Const"})
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(lagging, file)
            file.flush()
            s = self.steps()
            plan = s.say("plan", file.name)
            self.assertEqual((plan["events"], plan["notifies"]), (0, 1))
            lease = s.say("lease", 0)
            self.assertEqual((lease["events"], lease["notifies"]), (1, 1))
            s.say("run", "sim", 1)

    def test_the_figures_are_those_of_streamctl(self):
        """On the simulated device they are the same every time."""
        s = self.steps()
        s.say("plan", BRANCHES)
        s.say("lease", 0)
        ran = s.say("run", "sim", 3)
        told = json.loads(subprocess.run([STREAMCTL, "run", BRANCHES, "--local", "--device", "sim", "--format", "json"], capture_output=True, text=True, check=True).stdout)
        seen = told["measured"]
        self.assertEqual((ran["span_ns"], ran["busy_ns"], ran["edges"], ran["orders"]), (seen["span_ns"], seen["busy_ns"], told["edges"], told["orders"]))
        self.assertEqual(ran["overlap_ns"], sum(stream["overlap_ns"] for stream in seen["streams"]))
        self.assertEqual([tasks for _, tasks in s.slots], [stream["tasks"] for stream in seen["streams"]])

    def test_a_collective_runs_beside_a_kernel_on_the_host(self):
        """It takes time and no core, so that they overlap on any machine."""
        node = lambda name, op_type, **more: {"name": name, "op_type": op_type, "inputs": ["x"], "duration_ns": 200_000_000, **more}
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"graph": {"nodes": [{"name": "x", "op_type": "Data"}, node("a", "MatMul"), node("b", "HcomAllReduce", attrs={"_user_stream_label": "side"})]}}, file)
            file.flush()
            s = self.steps()
            self.assertEqual(s.say("plan", file.name)["streams"], 2)
            s.say("lease", 0)
            self.assertGreater(s.say("run", "host", 2)["overlap_ns"], 10_000_000)   # of 400; a core may be had late

    def test_runs_use_the_same_streams_on_one_device_and_new_ones_on_another(self):
        s = self.steps()
        s.say("plan", NOTIFIES)
        streams = s.say("lease", 0)["streams"]
        made = lambda device: s.say("run", device, 1)["made_streams"]
        self.assertEqual([made(device) for device in ("host", "host", "sim", "sim", "host")], [streams, 0, streams, 0, streams])

    def test_devices_of_vendors(self):
        """Over their stand-ins, one after the other in the same lease."""
        s = self.steps()
        s.say("plan", BRANCHES)
        streams = s.say("lease", 0)["streams"]
        for device in ACL, CUDA, ACL:
            ran = s.say("run", device, 2)
            self.assertEqual((ran["runs"], ran["made_streams"]), (2, streams))

    def test_an_onnx_model_with_options_and_then_another_model(self):
        s = self.steps()
        self.assertEqual(s.say("plan", ONNX)["streams"], 1)
        wide = s.say("plan", ONNX, WIDE)
        self.assertEqual(wide["streams"], 4)
        s.say("lease", 0)
        s.say("run", "sim", 1)
        self.assertEqual(s.say("plan", NOTIFIES)["notifies"] > 0, True)
        self.assertEqual(self.held(), 0)                                 # the streams of the model before
        lease = s.say("lease", 0)
        self.assertEqual(self.held(), lease["streams"])
        s.say("run")
        self.assertEqual(s.say("plan", ONNX, WIDE)["from_cache"], 1)

    def test_settings_of_the_runtime_are_heard(self):
        s = self.steps(STREAMD_LAUNCH_AGGREGATION="1", STREAMD_MEM_CHECK="1", STREAMD_STREAM_PRIORITY="3")
        s.say("plan", BRANCHES)
        s.say("lease", 0)
        s.say("run", "host", 2)
        self.assertEqual({number(slot, 3) for slot in self.observer.list()[1]}, {3})


class Broken(Case):
    def test_streams_that_a_run_damaged_are_not_run_in_again(self):
        """The second launch fails: the lease is of no use, the next one has other slots."""
        s = self.steps(STANDIN_FAIL="cuLaunchHostFunc:2:719")
        s.say("plan", NOTIFIES)
        s.say("lease", 0)
        before = {slot for _, slot, _ in self.observer.leases()}
        self.assertIn("719", self.refused("SD50\\d\\d", s, "run", CUDA, 1))
        self.assertIn("damaged", self.refused("SD5085", s, "run", CUDA, 1))
        s.say("lease", 0)
        self.assertFalse(before & {slot for _, slot, _ in self.observer.leases()})
        s.say("run", CUDA, 1)

    def test_a_stream_that_cannot_be_made(self):
        s = self.steps(STANDIN_FAIL="cuStreamCreateWithPriority:2:2")
        s.say("plan", NOTIFIES)
        s.say("lease", 0)
        self.refused("SD50\\d\\d", s, "run", CUDA, 1)
        self.refused("SD5085", s, "run", CUDA, 1)
        s.say("lease", 0)
        s.say("run", CUDA, 1)


class Short(Case):
    settings = {"pool__streams_max": 6}

    def test_all_or_nothing(self):
        holder = self.observer.register()
        self.observer.acquire(holder, want(5))
        s = self.steps()
        s.say("plan", BRANCHES)
        self.assertIn("out of resource stream", self.refused("SD5110", s, "lease", 0))
        self.assertEqual(self.held(), 5)
        self.refused("SD5084", s, "run")
        self.assertEqual(len(self.observer.list()[0]), 1)            # that of the refused lease is gone
        self.observer.unload(holder)
        self.assertGreaterEqual(s.say("lease", 0)["streams"], 4)
        s.say("run", "sim", 1)


class Kept(Case):
    settings = {"pool__ttl": "5 s"}

    def test_what_an_operator_takes_away_is_told(self):
        s = self.leased()
        self.observer.unload(number(self.observer.list()[0][0], 1), force=1)
        lost = lambda: self.is_refused(s, "SD5085")
        self.assertTrue(wait_for(lost, LONG, 0.3))
        s.say("lease", 0)                                                # anew
        s.say("run", "sim", 1)

    def is_refused(self, s, code):
        try:
            s.say("run", "sim", 1)
        except Steps.Refused as error:
            return str(error).startswith(code)
        return False

    def test_a_daemon_that_is_gone(self):
        s = self.leased()
        self.assertEqual(self.daemon.stop(), 0)
        self.assertTrue(wait_for(lambda: self.is_refused(s, "SD5085"), LONG, 0.3))
        self.assertRegex(self.refused("SD5085", s, "close"), "lease is lost")

    def test_a_killed_process_leaves_nothing(self):
        s = self.leased()
        s.process.send_signal(signal.SIGKILL)
        self.assertEqual(s.end(), -signal.SIGKILL)
        self.assertTrue(wait_for(lambda: self.held() == 0))


class Alive(Case):
    settings = {"pool__ttl": "2 s"}

    def test_heartbeats_keep_the_lease(self):
        s = self.leased()
        held, expired, held_up = self.held(), self.observer.stats()["expired"], HeldUp(s.process.pid, 0.4)
        wait_for(lambda: self.held() != held, 3.2)
        if self.observer.stats()["expired"] != expired and held_up:
            return self.test_heartbeats_keep_the_lease()                 # by no fault of its own
        self.assertEqual(self.held(), held)
        s.say("run", "sim", 1)
        self.assertEqual(s.say("close"), {})


class Refused(Case):
    def test_calls_out_of_order(self):
        s = self.steps()
        self.assertIn("sd_session_plan()", self.refused("SD5084", s, "lease", 0))
        self.assertIn("sd_session_lease()", self.refused("SD5084", s, "run"))
        s.say("plan", NOTIFIES)
        self.assertIn("sd_session_lease()", self.refused("SD5084", s, "run"))

    def test_models_that_cannot_be_planned(self):
        s = self.steps()
        self.assertIn("/nowhere.onnx", self.refused("SD0119", s, "plan", "/nowhere.onnx"))
        self.assertIn("did you mean cluster?", self.refused("SD0115", s, "plan", ONNX, '{"clustre": "none"}'))
        self.assertIn("options", self.refused("SD0115", s, "plan", ONNX, "{"))
        self.assertIn("options", self.refused("SD0115", s, "plan", ONNX, "[]"))
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"graph": {"nodes": [{"name": "a", "op_type": "Add", "inputs": ["b"]}, {"name": "b", "op_type": "Add", "inputs": ["a"]}]}}, file)
            file.flush()
            self.refused("SD\\d+|E\\d+", s, "plan", file.name)
        self.refused("SD5084", s, "lease", 0)
        s.say("plan", NOTIFIES)

    def test_devices_that_are_none(self):
        s = self.steps()
        s.say("plan", NOTIFIES)
        s.say("lease", 0)
        for name in ("moon", "npu", "host@"):
            self.assertIn("host, sim, or acl or cuda", self.refused("SD5013", s, "run", name))
        s.say("run", "host", 1)

    def test_no_daemon(self):
        with self.assertRaises(Steps.Refused) as caught:
            Steps("/tmp/nobody-is-here.sock")
        self.assertTrue(str(caught.exception).startswith("SD4010 UNAVAILABLE"), caught.exception)

    def test_a_setting_that_cannot_be(self):
        s = self.steps(STREAMD_STREAM_PRIORITY="9")
        s.say("plan", NOTIFIES)
        self.refused("SD5042", s, "lease", 0)


if __name__ == "__main__":
    e2e.main()
