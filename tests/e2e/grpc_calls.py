#!/usr/bin/python3
"""gRPC with a stock client: every method, statuses and their details, deadlines, cancelling, sizes, leases, health and reflection."""
import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from grpc_client import *
from streamd_wire import *

SERVICES = {"streamd.v1.Planner", "streamd.v1.Pool", "grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection",
            "grpc.reflection.v1alpha.ServerReflection"}


class Case(unittest.TestCase):
    settings = {}

    def setUp(self):
        self.daemon = Daemon(gated=True, **self.settings)
        self.addCleanup(self.end)
        self.channel = channel(self.daemon)
        self.planner, self.pool = stubs.PlannerStub(self.channel), stubs.PoolStub(self.channel)

    def end(self):
        self.channel.close()
        self.daemon.__exit__(None)

    def ended(self, method, status):
        return self.daemon.metric(f'grpc_requests_total{{method="{method}",status="{status}"}}')


class Calls(Case):
    def test_plan_is_that_of_the_framed_socket(self):
        request = chain(40)
        with self.daemon.client() as framed:
            expected = framed.call(PLAN, request).plan()
        answer = self.planner.Plan(plan_request(request))
        self.assertEqual(answer.plan, pb.Plan.FromString(expected))
        self.assertTrue(answer.from_cache)
        self.assertEqual(self.ended("Plan", "OK"), 1)
        self.assertEqual(self.daemon.metric('requests_total{method="Plan",status="OK"}'), 2)

    def test_every_method_of_the_table_is_there(self):
        for service, stub in (("Planner", self.planner), ("Pool", self.pool)):
            for method in pb.DESCRIPTOR.services_by_name[service].methods:
                if method.name == "Drain":
                    continue
                try:
                    answer = getattr(stub, method.name)(getattr(pb, method.input_type.name)(), timeout=LONG)
                    if method.server_streaming:
                        self.assertTrue(next(answer))
                        answer.cancel()
                except grpc.RpcError as error:                # of what an empty message does not say
                    self.assertIn(error.code(), (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.NOT_FOUND), method.name)
        listed = {line.split()[1] for line in self.help().splitlines() if re.match(r" +\d+ \w+ ", line)}
        known = {m.name for s in ("Planner", "Pool") for m in pb.DESCRIPTOR.services_by_name[s].methods}
        self.assertEqual(listed, known)

    def help(self):
        return subprocess.run([STREAMD, "--help"], capture_output=True, text=True, check=True).stdout

    def test_refusal_tells_status_message_and_details(self):
        error = failure(self.planner.Plan, plan_request(cycle()))
        self.assertEqual(error.code(), grpc.StatusCode.INVALID_ARGUMENT)
        status, told = details(error)
        self.assertEqual(error.details(), told.message)
        self.assertEqual((number(status, 1), status[2][0].decode()), (3, told.message))
        self.assertEqual((told.code, told.status, told.node), ("E18888", "INVALID_ARGUMENT", "n0"))
        self.assertEqual(self.ended("Plan", "INVALID_ARGUMENT"), 1)

    def test_message_with_any_character_comes_whole(self):
        strange = "ä % \u20ac \U0001f600 \n\x7f"
        request = plan_request(request_of(node(strange, "Add", [strange])))
        error = failure(self.planner.Plan, request)
        self.assertEqual(error.details(), details(error)[1].message)
        self.assertIn("\u20ac", error.details())

    def test_unknown_method(self):
        error = failure(self.channel.unary_unary("/streamd.v1.Planner/Nothing"), b"", timeout=LONG)
        self.assertEqual(error.code(), grpc.StatusCode.UNIMPLEMENTED)
        self.assertEqual(self.ended("unknown", "UNIMPLEMENTED"), 1)

    def test_empty_and_largest_payload(self):
        for size in (0, 1, 65536 - 64):
            payload = os.urandom(size)
            self.assertEqual(self.planner.Ping(pb.PingRequest(payload=payload)).payload, payload)
        error = failure(self.planner.Ping, pb.PingRequest(payload=bytes(1 << 17)))
        self.assertEqual((error.code(), details(error)[1].code), (grpc.StatusCode.RESOURCE_EXHAUSTED, "SD2012"))

    def test_many_calls_on_one_channel(self):
        calls = [self.planner.Plan.future(plan_request(chain(20 + i % 7, op_type=f"T{i}"))) for i in range(500)]
        self.assertEqual({len(c.result().plan.nodes) for c in calls}, set(range(20, 27)))
        self.assertTrue(wait_for(lambda: self.daemon.is_quiet(connections=1)))

    def test_gzip_requests(self):
        stub = self.planner
        large = plan_request(chain(20000))
        self.assertEqual(len(stub.Plan(large, compression=grpc.Compression.Gzip).plan.nodes), 20000)
        self.assertEqual(stub.Ping(pb.PingRequest(payload=b"x" * 5000), compression=grpc.Compression.Gzip).payload, b"x" * 5000)
        self.assertTrue(stub.Plan(large).from_cache)                # the same bytes, packed or not
        self.assertTrue(wait_for(lambda: self.daemon.is_quiet(connections=1)))

    def test_deflate_is_refused_and_gzip_named(self):
        error = failure(self.planner.Ping, pb.PingRequest(payload=b"x" * 5000), compression=grpc.Compression.Deflate)
        self.assertEqual(error.code(), grpc.StatusCode.UNIMPLEMENTED)
        self.assertIn("gzip", error.details())


class Limits(Case):
    settings = {"socket__frame_bytes_max": 1 << 20, "limits__nodes_max": 1000, "jobs__workers": 1}

    def test_graph_with_too_many_nodes(self):
        error = failure(self.planner.Plan, plan_request(chain(1001)))
        self.assertEqual((error.code(), details(error)[1].code), (grpc.StatusCode.RESOURCE_EXHAUSTED, "SD2010"))
        self.assertIn("1000", error.details())

    def test_message_over_the_limit_is_refused_before_it_has_come(self):
        error = failure(self.planner.Plan, plan_request(chain(100000)))
        self.assertEqual((error.code(), details(error)[1].code), (grpc.StatusCode.RESOURCE_EXHAUSTED, "SD2012"))
        self.assertEqual(self.planner.Ping(pb.PingRequest(payload=b"on")).payload, b"on")
        self.assertTrue(wait_for(lambda: self.daemon.is_quiet(connections=1)))

    def test_packed_message_that_grows_over_the_limit(self):
        error = failure(self.planner.Plan, plan_request(chain(100000)), compression=grpc.Compression.Gzip)
        self.assertEqual(error.code(), grpc.StatusCode.INVALID_ARGUMENT)
        self.assertTrue(wait_for(lambda: self.daemon.is_quiet(connections=1)))


class Time(Case):
    settings = {"jobs__workers": 1}

    def occupy(self):
        """A call whose plan is kept back by this gate."""
        gate = self.daemon.gate()
        call = self.planner.Plan.future(plan_request(gate.graph()))
        self.assertTrue(wait_for(lambda: self.daemon.metric("jobs_running") == 1))
        return call, gate

    def test_deadline_of_a_queued_call(self):
        running, gate = self.occupy()
        error = failure(self.planner.Plan, plan_request(chain(3)), timeout=0.1)
        self.assertEqual(error.code(), grpc.StatusCode.DEADLINE_EXCEEDED)
        self.assertFalse(running.done())
        # The client needs no word from the daemon for that; which finds it out for itself, or is told.
        self.assertTrue(wait_for(lambda: self.ended("Plan", "DEADLINE_EXCEEDED") + self.ended("Plan", "CANCELLED") == 1))
        gate.open()
        self.assertEqual(len(running.result().plan.nodes), 3)
        self.assertTrue(wait_for(lambda: self.daemon.is_quiet(connections=1)))
        self.assertEqual(self.daemon.metric("plans_total"), 1)

    def test_cancel_stops_what_runs(self):
        running, _ = self.occupy()
        running.cancel()
        self.assertTrue(wait_for(lambda: self.daemon.is_quiet(connections=1)))
        self.assertTrue(wait_for(lambda: self.ended("Plan", "CANCELLED") == 1))
        self.assertEqual(self.daemon.metric("plans_total"), 0)
        self.assertEqual(self.daemon.metric("grpc_resets_total"), 1)

    def test_death_of_the_peer_stops_what_runs(self):
        self.occupy()
        self.channel.close()
        self.assertTrue(wait_for(self.daemon.is_quiet))
        self.assertEqual(self.daemon.metric("plans_total"), 0)


class Both(Case):
    settings = {"jobs__workers": 2}

    def test_identical_calls_of_both_sockets_join(self):
        gate = self.daemon.gate()
        request = plan_request(gate.graph())
        call = self.planner.Plan.future(request)
        self.assertTrue(wait_for(lambda: self.daemon.metric("jobs_running") == 1))
        with self.daemon.client() as framed:
            other = framed.submit(PLAN, request.SerializeToString())
            self.assertTrue(wait_for(lambda: self.daemon.metric("joins_total") == 1))
            gate.open()
            self.assertEqual(pb.Plan.FromString(framed.answer(other).plan()), call.result().plan)
        self.assertEqual(self.daemon.metric("plans_total"), 1)


class Pool(Case):
    settings = {"pool__streams_max": 8, "pool__devices": 2}

    def register(self, stub=None, **more):
        return (stub or self.pool).RegisterModel(pb.RegisterModelRequest(name="m", **more)).model

    def acquire(self, model, count, stub=None, **more):
        return (stub or self.pool).Acquire(pb.AcquireRequest(model=model, wants=[pb.StreamWant(count=count)], **more))

    def test_lease_dies_with_the_connection(self):
        other = channel(self.daemon, ("grpc.use_local_subchannel_pool", 1))
        stub = stubs.PoolStub(other)
        self.acquire(self.register(stub), 8, stub)
        self.assertEqual(self.daemon.metric("pool_leases"), 8)
        error = failure(self.acquire, self.register(), 1)
        self.assertEqual(error.code(), grpc.StatusCode.RESOURCE_EXHAUSTED)
        other.close()
        self.assertTrue(wait_for(lambda: self.daemon.metric("pool_leases") == 0))
        self.assertEqual(len(self.acquire(self.register(), 8).leases), 8)

    def test_lease_of_another_connection_is_not_given_back(self):
        other = channel(self.daemon, ("grpc.use_local_subchannel_pool", 1))
        stub = stubs.PoolStub(other)
        lease = self.acquire(self.register(stub), 1, stub).leases[0].lease
        error = failure(self.pool.Release, pb.ReleaseRequest(leases=[lease]))
        self.assertEqual(error.code(), grpc.StatusCode.PERMISSION_DENIED)
        stub.Release(pb.ReleaseRequest(leases=[lease]))
        other.close()

    def test_acquire_waits_in_line_and_is_served(self):
        first, second = self.register(), self.register()
        lease = [s.lease for s in self.acquire(first, 8).leases]
        waiting = self.pool.Acquire.future(pb.AcquireRequest(model=second, wants=[pb.StreamWant(count=1)], wait_ms=20000))
        self.assertTrue(wait_for(lambda: self.daemon.metric("pool_waiting") == 1))
        self.pool.Release(pb.ReleaseRequest(leases=lease[:1]))
        self.assertEqual(len(waiting.result().leases), 1)

    def test_acquire_that_is_cancelled_leaves_the_line(self):
        first, second = self.register(), self.register()
        self.acquire(first, 8)
        waiting = self.pool.Acquire.future(pb.AcquireRequest(model=second, wants=[pb.StreamWant(count=1)], wait_ms=20000))
        self.assertTrue(wait_for(lambda: self.daemon.metric("pool_waiting") == 1))
        waiting.cancel()
        self.assertTrue(wait_for(lambda: self.daemon.metric("pool_waiting") == 0))

    def test_watch_tells_changes_until_its_deadline(self):
        watch = self.pool.Watch(pb.WatchRequest(device=0))
        seen = [next(watch)]
        self.acquire(self.register(), 3)
        while seen[-1].stats.live_leases != 3:
            seen.append(next(watch))
        changes = [answer.change for answer in seen]
        self.assertEqual(changes, sorted(set(changes)))
        self.assertGreater(len(changes), 1)
        watch.cancel()
        self.assertEqual(failure(lambda: list(self.pool.Watch(pb.WatchRequest(device=0), timeout=0.5))).code(), grpc.StatusCode.DEADLINE_EXCEEDED)
        self.assertTrue(wait_for(lambda: self.daemon.metric("pool_watchers") == 0))

    def test_watch_of_no_device_and_of_many(self):
        error = failure(lambda: next(self.pool.Watch(pb.WatchRequest(device=7))))
        self.assertEqual(error.code(), grpc.StatusCode.NOT_FOUND)
        watches = [self.pool.Watch(pb.WatchRequest(device=i % 2)) for i in range(50)]
        for watch in watches:
            next(watch)
        self.assertEqual(self.daemon.metric("pool_watchers"), 50)
        for watch in watches:
            watch.cancel()
        self.assertTrue(wait_for(lambda: self.daemon.metric("pool_watchers") == 0))


class Health(Case):
    def test_check(self):
        health = health_pb2_grpc.HealthStub(self.channel)
        for service in SERVICES | {""}:
            self.assertEqual(health.Check(health_pb2.HealthCheckRequest(service=service)).status, health_pb2.HealthCheckResponse.SERVING)
        error = failure(health.Check, health_pb2.HealthCheckRequest(service="no.Such"))
        self.assertEqual(error.code(), grpc.StatusCode.NOT_FOUND)
        self.assertEqual(self.ended("Health", "OK"), 6)

    def test_watch_tells_the_drain(self):
        health = health_pb2_grpc.HealthStub(self.channel)
        watch, unknown = (health.Watch(health_pb2.HealthCheckRequest(service=s)) for s in ("streamd.v1.Pool", "no.Such"))
        self.assertEqual(next(watch).status, health_pb2.HealthCheckResponse.SERVING)
        self.assertEqual(next(unknown).status, health_pb2.HealthCheckResponse.SERVICE_UNKNOWN)
        self.daemon.signal()
        self.assertEqual(next(watch).status, health_pb2.HealthCheckResponse.NOT_SERVING)
        self.assertEqual(failure(lambda: next(watch)).code(), grpc.StatusCode.UNAVAILABLE)
        self.assertEqual(self.daemon.process.wait(LONG), 0)


class Reflection(Case):
    def ask(self, *asked, stub=reflection_pb2_grpc):
        requests = [reflection_pb2.ServerReflectionRequest(**a) for a in asked]
        call = self.channel.stream_stream(
            f"/grpc.reflection.{'v1' if stub is reflection_pb2_grpc else 'v1alpha'}.ServerReflection/ServerReflectionInfo",
            request_serializer=lambda m: m.SerializeToString(), response_deserializer=reflection_pb2.ServerReflectionResponse.FromString)
        return list(call(iter(requests), timeout=LONG))

    def test_services_of_both_versions(self):
        for stub in (reflection_pb2_grpc, reflection_alpha_grpc):
            answer, = self.ask({"list_services": ""}, stub=stub)
            self.assertEqual({s.name for s in answer.list_services_response.service}, SERVICES)

    def test_files_and_symbols_give_the_schema(self):
        asked = [{"file_by_filename": "streamd.proto"}] + [{"file_containing_symbol": s} for s in (
            "streamd.v1.Planner", "streamd.v1.Planner.Plan", "streamd.v1.Graph", "streamd.v1.Graph.nodes")]
        answers = self.ask(*asked)
        self.assertEqual([a.original_request for a in answers], [reflection_pb2.ServerReflectionRequest(**a) for a in asked])
        for answer in answers:
            self.assertEqual(len(answer.file_descriptor_response.file_descriptor_proto), 1)
            self.assertEqual(answer.file_descriptor_response.file_descriptor_proto[0], answers[0].file_descriptor_response.file_descriptor_proto[0])
        from google.protobuf import descriptor_pb2
        proto = descriptor_pb2.FileDescriptorProto.FromString(answers[0].file_descriptor_response.file_descriptor_proto[0])
        self.assertEqual({s.name for s in proto.service}, {"Planner", "Pool"})
        self.assertEqual({m.name for m in proto.message_type}, set(pb.DESCRIPTOR.message_types_by_name))

    def test_what_is_not_there(self):
        answers = self.ask({"file_by_filename": "no.proto"}, {"file_containing_symbol": "streamd.v1.Graph.nothing"},
                           {"file_containing_symbol": "streamd.v1"}, {"all_extension_numbers_of_type": "streamd.v1.Graph"}, {})
        self.assertEqual([a.error_response.error_code for a in answers], [5, 5, 5, 5, 3])


def request_of(*nodes):
    return request(nodes)


if __name__ == "__main__":
    e2e.main()
