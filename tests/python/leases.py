#!/usr/bin/python3
"""Leases from Python: what they ask for is what loading a plan takes, they are kept while calls take long, and who loses them is told.

It runs on the system's Python, for which Debian packages protobuf and grpcio.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from python_case import BUILD, TESTS, streamd
from streamd_wire import STREAMCTL, Daemon, wait_for
from waits import HeldUp

pb = streamd.client.pb


def lagging():
    """A loop whose turns the loader keeps apart by an event of its own: the plan itself has a notify and no event."""
    request = json.loads((TESTS / "data/run/lagging_notifies.json").read_text())
    request["graph"]["nodes"].insert(0, {"name": "first", "op_type": "Const"})
    return request


def follows():
    """Collectives that use streams besides their own."""
    nodes = [{"name": "x", "op_type": "Data"}, {"name": "m", "op_type": "MatMul", "inputs": ["x"]},
             {"name": "r", "op_type": "HcomAllReduce", "inputs": ["m"], "attrs": {"used_stream_num": 3}}, {"name": "s", "op_type": "Relu", "inputs": ["r"]}]
    return {"graph": {"name": "follows", "nodes": nodes}}


class WhatIsAskedFor(unittest.TestCase):
    def setUp(self):
        self.daemon = Daemon(http=False)
        self.addCleanup(self.daemon.__exit__, None)
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="streamd-test-")))
        self.client = self.enterContext(streamd.Client(self.daemon.path))

    def file(self, request):
        (self.folder / "r.json").write_text(json.dumps(request))
        return self.folder / "r.json"

    def session_takes(self, request):
        """Streams, events and notifies that a session leases, which are those that its loader takes."""
        done = subprocess.run([BUILD / "tests/e2e/session_steps"], input=f"plan {self.file(request)}\nlease 0\n", capture_output=True, text=True,
                              env={**os.environ, "STREAMD_SOCKET": self.daemon.path})
        told = dict(word.split("=") for word in done.stdout.splitlines()[2].split()[1:] if not word.startswith("slot"))
        return tuple(int(told[key]) for key in ("streams", "events", "notifies"))

    def example_takes(self, request):
        subprocess.run([STREAMCTL, "convert", self.file(request), "-o", self.folder / "r.pb"], check=True)
        done = subprocess.run([BUILD / "clients/example_lease", self.folder / "r.pb"], capture_output=True, text=True, env={"STREAMD_SOCKET": self.daemon.path}, check=True)
        words = done.stdout.split()
        return int(words[1]), int(words[7])

    def test_what_loading_takes_is_leased(self):
        for request, streams, extra in ((lagging(), 0, 1), (follows(), 3, 0)):
            plan = self.client.plan(request)
            takes = self.session_takes(request)
            self.assertEqual(takes, (plan.stream_count + streams, plan.event_count + extra, plan.notify_count))
            with self.client.lease(plan) as leases:
                self.assertEqual((len(leases), leases.notifies), (takes[0], takes[2]))
                self.assertEqual(leases.events, plan.event_count + plan.notify_count)      # enough for any choice of bodies and turns
                self.assertGreaterEqual(leases.events, takes[1])
                counts = (len(leases), leases.events)
            self.assertEqual(self.example_takes(request), counts)

    def test_streams_of_collectives_copy_arguments(self):
        with self.client.lease(self.client.plan(follows())) as leases:
            self.assertEqual([s.flags for s in leases][-3:], [0x3] * 3)


class Kept(unittest.TestCase):
    TTL_MS = 3000

    def setUp(self):
        self.daemon = Daemon(http=False, pool__ttl=f"{self.TTL_MS} ms", pool__streams_max=2)
        self.addCleanup(self.daemon.__exit__, None)

    def graph(self):
        graph = streamd.Graph("one")
        graph.output(graph.op("Relu", graph.data("x")))
        return graph

    def clients(self):
        return (("framed", self.daemon.path), ("gRPC", f"unix:{pathlib.Path(self.daemon.path).with_name('grpc.sock')}"))

    def stats(self, client):
        return client.call("PoolStats", pb.PoolStatsRequest())


class WhatIsKept(Kept):
    def test_a_call_that_is_late_takes_no_lease_with_it(self):
        with streamd.Client(self.daemon.path) as client, streamd.Client(self.daemon.path) as other:
            plan = other.plan(self.graph())
            held = [other.lease(plan, name="a", domain="a"), client.lease(plan, name="b", domain="b")]
            os.kill(self.daemon.process.pid, signal.SIGSTOP)
            try:
                with self.assertRaises(streamd.StreamdError) as caught:
                    client.call("Status", deadline_s=0.1)
            finally:
                os.kill(self.daemon.process.pid, signal.SIGCONT)
            self.assertEqual(caught.exception.status, "DEADLINE_EXCEEDED")
            self.assertEqual(client.call("Status").draining, False)      # the late answer is not taken for this one
            self.assertEqual(self.stats(other).live_leases, 2)
            for lease in held:
                lease.close()

    def test_who_loses_a_lease_is_told(self):
        with streamd.Client(self.daemon.path) as client:
            plan = client.plan(self.graph())
            for what in ("lease", "model"):
                first, second = client.lease(plan, name="first", domain="a"), client.lease(plan, name="second", domain="b")
                number = first.streams[0].lease if what == "lease" else first.model
                subprocess.run([STREAMCTL, "pool", "release", f"{what}={number}", "force=true", "--socket", self.daemon.path], check=True, capture_output=True)
                self.assertTrue(wait_for(lambda: first.lost))
                self.assertIsNone(second.lost)
                second.close()
                with self.assertRaises(streamd.StreamdError) as caught:
                    first.close()
                self.assertIs(caught.exception, first.lost)
                self.assertEqual(self.stats(client).live_leases, 0)
                self.assertEqual(self.stats(client).models, 0)
                self.daemon.stop()
                self.daemon.start()
                client.close()

    def test_what_went_wrong_inside_is_what_is_told(self):
        with streamd.Client(self.daemon.path) as client:
            with self.assertRaises(ZeroDivisionError), client.lease(client.plan(self.graph())):
                self.daemon.stop()
                raise ZeroDivisionError()
            self.daemon.start()
            with self.assertRaises(streamd.StreamdError) as caught, client.lease(client.plan(self.graph())):
                self.daemon.stop()
            self.assertEqual(caught.exception.code, "SD4010")
            self.daemon.start()


class KeptForLong(Kept):
    """With a time to live that is much shorter than what is waited for."""
    TTL_MS = 600

    def wait_in_line(self, target):
        with streamd.Client(target) as client, streamd.Client(self.daemon.path) as other:
            plan = other.plan(self.graph())
            holds, mine = other.lease(plan, name="holds", domain="d"), client.lease(plan, name="mine", domain="m")
            later = threading.Timer(3 * self.TTL_MS / 1000, holds.close)
            later.start()
            try:
                with client.lease(plan, name="waits", domain="w", wait_ms=600000) as got:
                    self.assertEqual((len(got), got.lost, mine.lost), (1, None, None))
                    self.assertEqual(self.stats(client).live_leases, 2)
                mine.close()
            finally:
                later.join()

    def test_while_an_acquire_waits_in_line(self):
        """Where this process had no core for a third of the time, its heartbeats may have come too late: that says nothing."""
        for kind, target in self.clients():
            is_done = False
            while not is_done:
                held_up = HeldUp("self", self.TTL_MS / 3000)
                try:
                    self.wait_in_line(target)
                    is_done = True
                except (AssertionError, streamd.StreamdError):
                    if not held_up:
                        raise AssertionError(f"{kind}: nothing held it up")


if __name__ == "__main__":
    e2e.main()
