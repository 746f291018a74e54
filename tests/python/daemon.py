#!/usr/bin/python3
"""The Python package against a daemon: plans, leases, runs, gRPC, and what is refused.

It runs on the system's Python, for which Debian packages protobuf and grpcio.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from python_case import BUILD, TESTS, WithDaemon, streamd
from streamd import scope
from streamd_wire import STREAMCTL, Daemon, wait_for


def two_branches():
    graph = streamd.Graph("two")
    x = graph.data("x")
    with scope.stream_switch("side"):
        b = graph.op("MatMul", x, name="b")
    graph.output(graph.op("Add", graph.op("Relu", x, name="a"), b, name="sum"))
    return graph


class Plans(WithDaemon):
    def test_a_plan_has_the_names_of_its_graph(self):
        plan = self.client.plan(two_branches())
        self.assertEqual((plan.stream_count, plan.event_count, plan.mode), (2, 1, "static"))
        self.assertEqual(plan.stream_of("b").label, "side")
        self.assertIn("launch b", plan.stream_of("b").commands)
        self.assertIsNone(plan.stream_of("x"))
        self.assertEqual([(s.record_node, s.wait_node, s.kind, s.cause) for s in plan.syncs], [("b", "sum", "event", "data")])
        self.assertIn("launch a; wait 0; launch sum", str(plan))
        self.assertEqual(self.client.verify(plan), [])

    def test_the_verifier_finds_what_is_broken(self):
        plan = self.client.plan(two_branches())
        del plan.message.streams[plan.stream_of("sum").id].commands[0]
        self.assertNotEqual(self.client.verify(plan), [])

    def test_every_kind_of_option_reaches_the_planner(self):
        graph = two_branches()
        self.assertEqual(self.client.plan(graph, event="notify").notify_count, 1)
        self.assertEqual(self.client.plan(graph, explicit_streams=[["a"], ["b"], ["sum", "netoutput"]]).stream_count, 3)
        many = streamd.Graph("many")
        x = many.data()
        many.output(*(many.op("Relu", x) for _ in range(4)))
        self.assertEqual(self.client.plan(many, max_parallel_num={"AIcoreEngine": 3}).stream_count, 3)
        with self.assertRaisesRegex(streamd.GraphError, "options.evnt: unknown key"):
            self.client.plan(graph, evnt="notify")
        with self.assertRaisesRegex(streamd.GraphError, "options.event is 'both'.*event, notify"):
            self.client.plan(graph, event="both")

    def test_requests_and_files_are_planned_like_graphs(self):
        graph, keys = two_branches(), set()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "g.json"
            path.write_text(json.dumps(graph.to_json()))
            for model in (graph, graph.to_json(), path, str(path)):
                keys.add(self.client.plan(model).key)
        self.assertEqual(len(keys), 1)
        model = TESTS / "data/onnx/light_squeezenet.onnx"
        self.assertGreater(len(self.client.plan(model).streams[0].commands), 40)

    def test_bodies_and_attributes_of_every_kind_arrive(self):
        request = {"graph": {"name": "g", "nodes": [{"name": "c", "op_type": "Data", "attrs": {"s": "x", "i": -3, "f": 0.5, "b": True, "li": [1, 2], "ls": ["p", "q"], "e": [],
                                                     "ll": [[1], [2, 3]], "m": {"k": 1, "l": ["z"]}, "mm": [{"k": "v"}]}},
                                                    {"name": "if", "op_type": "If", "inputs": ["c"], "subgraphs": ["t", "e"]}, {"name": "o", "op_type": "NetOutput", "inputs": ["if"]}],
                             "subgraphs": [{"name": n, "nodes": [{"name": f"{n}_r", "op_type": "Relu"}, {"name": f"{n}_o", "op_type": "NetOutput", "inputs": [f"{n}_r"]}]} for n in "te"]}}
        plan = self.client.plan(request)
        self.assertIn("launch t_r", " ".join(c for s in plan.streams for c in s.commands))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "r.json"
            path.write_text(json.dumps(request))
            theirs = json.loads(subprocess.run([STREAMCTL, "plan", path, "--local", "--format", "json"], capture_output=True, check=True).stdout)
        self.assertEqual(plan.key, theirs["plan_key"])

    def test_refusals_are_errors_with_their_fields(self):
        with self.assertRaises(streamd.StreamdError) as caught:
            self.client.plan({"graph": {"name": "g", "nodes": [{"name": "a", "op_type": "Add", "inputs": ["b"]}, {"name": "b", "op_type": "Add", "inputs": ["a"]}]}})
        self.assertEqual((caught.exception.code, caught.exception.status, caught.exception.retryable), ("E18888", "INVALID_ARGUMENT", False))
        self.assertIn(caught.exception.node, ("a", "b"))
        with scope.stream_switch("s"):
            graph = streamd.Graph()
            graph.output(graph.op("Relu", graph.data()))
        with self.assertRaises(streamd.StreamdError) as caught:
            self.client.plan(graph, single_stream=True)
        self.assertEqual(caught.exception.code, "E10055")

    def test_many_are_planned_in_one_call(self):
        models = [two_branches(), {"graph": {"name": "g", "nodes": [{"name": "a", "op_type": "Add", "inputs": ["a"]}]}}, TESTS / "data/onnx/light_squeezenet.onnx", two_branches()]
        got = dict(self.client.plan_all(models, event="notify"))
        self.assertEqual(sorted(got), [0, 1, 2, 3])
        self.assertEqual((got[1].code, got[1].node), ("E18888", "a"))
        for i in (0, 2, 3):
            self.assertEqual(got[i].message, self.client.plan(models[i], event="notify").message)
            self.assertEqual(self.client.verify(got[i]), [])
        self.assertEqual(list(self.client.plan_all([])), [])

    def test_a_loop_over_plans_may_call_and_may_be_left(self):
        with Daemon() as daemon, streamd.Client(self.target(daemon)) as client:
            for index, plan in client.plan_all([two_branches() for _ in range(50)]):
                self.assertEqual(client.verify(plan), [])
                if index == 3:
                    break
            self.assertTrue(wait_for(lambda: daemon.metric("batches_open") == 0))
            self.assertEqual(len(list(client.plan_all([two_branches()] * 30))), 30)

    @staticmethod
    def target(daemon):
        return daemon.path

    def test_a_daemon_that_is_not_there(self):
        with self.assertRaises(streamd.Unreachable) as caught:
            streamd.Client("/tmp/nobody-is-here.sock").plan(two_branches())
        self.assertTrue(caught.exception.retryable)
        with self.assertRaises(streamd.Unreachable):
            list(streamd.Client("/tmp/nobody-is-here.sock").plan_all([two_branches()]))

    def test_a_client_connects_again(self):
        with Daemon(http=False) as daemon:
            client = streamd.Client(daemon.path)
            key = client.plan(two_branches()).key
            daemon.stop()
            with self.assertRaises(streamd.Unreachable):
                client.plan(two_branches())
            daemon.start()
            self.assertEqual(client.plan(two_branches()).key, key)
            client.close()

    def test_threads_share_a_client(self):
        keys = []
        threads = [threading.Thread(target=lambda: keys.append(self.client.plan(two_branches()).key)) for _ in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual((len(keys), len(set(keys))), (8, 1))


class Grpc(WithDaemon):
    """The same through gRPC, which needs the system's python3-grpcio."""

    def setUp(self):
        self.client = streamd.Client(f"unix:{pathlib.Path(self.daemon.path).parent}/grpc.sock")
        self.addCleanup(self.client.close)

    test_many_are_planned_in_one_call = Plans.test_many_are_planned_in_one_call
    test_a_loop_over_plans_may_call_and_may_be_left = Plans.test_a_loop_over_plans_may_call_and_may_be_left

    @staticmethod
    def target(daemon):
        return f"unix:{pathlib.Path(daemon.path).parent}/grpc.sock"

    def test_plans_and_leases(self):
        plan = self.client.plan(two_branches())
        with streamd.Client() as framed:
            self.assertEqual(framed.plan(two_branches()).message, plan.message)
        self.assertEqual(self.client.verify(plan), [])
        with self.client.lease(plan) as leases:
            self.assertEqual(len(leases), 2)

    def test_refusals_have_all_their_fields(self):
        with self.assertRaises(streamd.StreamdError) as caught:
            self.client.plan({"graph": {"name": "g", "nodes": [{"name": "a", "op_type": "Add", "inputs": ["b"]}, {"name": "b", "op_type": "Add", "inputs": ["a"]}]}})
        self.assertEqual((caught.exception.code, caught.exception.status), ("E18888", "INVALID_ARGUMENT"))
        self.assertIn(caught.exception.node, ("a", "b"))

    def test_changes_are_watched(self):
        from streamd import streamd_pb2 as pb
        watch = self.client._transport.stream("Watch", pb.WatchRequest())
        before = next(watch).stats.live_leases
        with self.client.lease(self.client.plan(two_branches())):
            seen = before
            while seen != before + 2:
                seen = next(watch).stats.live_leases
        watch.close()

    def test_nobody_there(self):
        with self.assertRaises(streamd.Unreachable):
            streamd.Client("unix:/tmp/nobody-is-here.sock").plan(two_branches(), deadline_s=5)
        with self.assertRaises(streamd.Unreachable):
            list(streamd.Client("unix:/tmp/nobody-is-here.sock").plan_all([two_branches()], deadline_s=5))


class Runs(WithDaemon):
    def test_a_plan_runs_and_its_overlap_is_told(self):
        plan = self.client.plan(two_branches())
        for device in ("sim", "host"):
            ran = streamd.run(plan, device, runs=2, seed=5)
            self.assertEqual((ran.report["runs"], ran.report["broken"], ran.edges > 0), (2, 0, True))
            self.assertEqual({s["id"] for s in ran.report["measured"]["streams"]}, {0, 1})
            self.assertIn("stream 1: ", str(ran))
        self.assertEqual(str(streamd.run(plan, "sim", seed=5)), str(streamd.run(plan, "sim", seed=5)))
        self.assertGreater(streamd.run(plan, "sim").overlap, 0.3)
        with self.assertRaises(streamd.StreamdError):
            streamd.run(plan, "moon")

    def test_what_a_run_took_is_reported(self):
        plan = self.client.plan(two_branches())
        ran = streamd.run(plan, "sim", runs=4)
        for turn in (1, 2):
            row = self.client.report(plan, ran)
            self.assertEqual((row.plan_key.hex(), row.device, row.reports, row.runs), (plan.key, "sim", turn, 4 * turn))
            self.assertEqual((row.median_ns, row.expected_ns, row.against), (ran.report["measured"]["run_ns"][0], ran.report["expected"]["span_ns"], "as_expected"))
            self.assertEqual([s.busy_ns for s in row.streams], [s["busy_ns"] for s in ran.report["measured"]["streams"]])
        self.assertEqual([r.runs for r in self.client.reports(plan)], [8])
        self.assertIn(plan.key, [r.plan_key.hex() for r in self.client.reports()])

    def test_the_newcomers_script(self):
        done = subprocess.run([sys.executable, BUILD / "clients/python/newcomer.py"], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(BUILD / "clients/python")})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("2 streams, 1 events", done.stdout)
        self.assertIn("make a stream", done.stdout)
        self.assertRegex(done.stdout, r"runs on host: .* overlap \d+")
        readme = (TESTS.parent / "clients/python/README.md").read_text()
        self.assertIn((TESTS.parent / "clients/python/newcomer.py").read_text(), readme)


class Leased(WithDaemon):
    def test_streams_are_leased_and_given_back(self):
        plan = self.client.plan(two_branches())
        with self.client.lease(plan, name="first", domain="d") as leases:
            self.assertEqual((len(leases), leases.new_streams), (2, 2))
            self.assertTrue(all(s.create for s in leases))
            self.assertIn("make a stream", str(leases))
            with streamd.Client() as other:
                self.assertEqual(other.call("PoolStats", streamd.client.pb.PoolStatsRequest()).live_leases, 2)
        with self.client.lease(plan, name="second", domain="d") as leases:
            self.assertEqual(leases.new_streams, 0)
        self.assertEqual(self.client.call("PoolStats", streamd.client.pb.PoolStatsRequest()).live_leases, 0)

    def test_a_lease_is_kept_alive(self):
        with Daemon(http=False, pool__ttl="1 s") as daemon, streamd.Client(daemon.path) as client:
            with client.lease(client.plan(two_branches())) as leases:
                self.assertFalse(wait_for(lambda: leases.lost or client.call("PoolStats", streamd.client.pb.PoolStatsRequest()).live_leases != 2, within=3))

    def test_what_is_too_much_is_refused_whole(self):
        with Daemon(http=False, pool__streams_max=1) as daemon, streamd.Client(daemon.path) as client:
            plan = client.plan(two_branches())
            with self.assertRaises(streamd.StreamdError) as caught:
                client.lease(plan)
            self.assertEqual(caught.exception.status, "RESOURCE_EXHAUSTED")
            stats = client.call("PoolStats", streamd.client.pb.PoolStatsRequest())
            self.assertEqual((stats.live_leases, stats.models), (0, 0))

    def test_an_error_inside_gives_the_streams_back(self):
        with self.assertRaises(KeyError):
            with self.client.lease(self.client.plan(two_branches())):
                raise KeyError
        self.assertEqual(self.client.call("PoolStats", streamd.client.pb.PoolStatsRequest()).live_leases, 0)


if __name__ == "__main__":
    e2e.main()
