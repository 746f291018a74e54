#!/usr/bin/python3
"""PlanBatch: many plans in one call, over frames and over gRPC, and what is done to those who overdo it.

It runs on the system's Python, for which Debian packages grpcio.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from grpc_client import *
from streamd_wire import *


def batch(*requests):
    return b"".join(field(1, r) for r in requests)


class Answers:
    """What came back on the framed socket: plans and error codes by index, the order of arrival, and the last word."""

    def __init__(self):
        self.plans, self.errors, self.cached, self.order, self.end, self.failed = {}, {}, {}, [], None, None

    def take(self, frame):
        """True when that was the last one."""
        if frame.kind == ERROR:
            self.failed = frame
            return True
        message = frame.message()
        if 4 in message:
            end = parse(message[4][0])
            self.end = (number(end, 1), number(end, 2))
            return True
        index = number(message, 1)
        assert index not in self.order, f"item {index} twice"
        self.order.append(index)
        if 2 in message:
            answer = parse(message[2][0])
            self.plans[index], self.cached[index] = answer[1][0], number(answer, 2)
        else:
            self.errors[index] = parse(message[3][0])
        return False

    def codes(self):
        return {i: text(e, 1) for i, e in self.errors.items()}


def collect(client, request_id, got=None):
    got = got or Answers()
    while True:
        frame = client.receive()
        if frame.request_id == request_id and frame.kind in (ANSWER, ERROR) and got.take(frame):
            return got


def stands_still(daemon):
    """Nothing of its batches begins or ends for a while."""
    look = lambda: (daemon.metric("batch_items_total"), daemon.metric("batch_jobs"))
    before = look()
    time.sleep(0.5)
    return before == look() and before[1] == 0


def ask(client, *requests, deadline_ms=0):
    return collect(client, client.submit(PLAN_BATCH, batch(*requests), deadline_ms))


class Framed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(gated=True, jobs__workers=2)
        cls.addClassCleanup(cls.daemon.__exit__, None)

    def setUp(self):
        self.client = self.daemon.client()
        self.addCleanup(self.client.close)
        self.gate = self.daemon.gate()
        self.addCleanup(self.gate.open)
        self.assertTrue(wait_for(lambda: self.daemon.metric("connections") == 1))       # those of the test before are gone

    def test_each_is_answered_as_plan_answers_it(self):
        requests = [chain(10 + i, op_type=f"Each{i}") for i in range(40)]
        got = ask(self.client, *requests)
        self.assertEqual((got.end, sorted(got.order), got.errors), ((40, 0), list(range(40)), {}))
        for i, r in enumerate(requests):
            self.assertEqual(self.client.call(PLAN, r).plan(), got.plans[i])
        with Daemon(gated=True) as other, other.client() as c:
            for i, r in enumerate(requests):
                self.assertEqual(c.call(PLAN, r).plan(), got.plans[i])

    def test_a_failure_is_its_own(self):
        requests = [chain(5), cycle("a"), b"", b"\x0a\xff\xff\xff\xff\x0f", chain(6), cycle("b"), field(1, field(2, field(2, "x") + b"\x0a\x7f"))]
        got = ask(self.client, *requests)
        self.assertEqual((got.end, sorted(got.plans)), ((7, 5), [0, 4]))
        for i in (1, 2, 3, 5, 6):
            alone = self.client.call(PLAN, requests[i])
            self.assertEqual(alone.message(), got.errors[i], i)

    def test_nothing_and_unknown_fields(self):
        for body in (b"", field(7, b"later"), field(9, 3)):
            got = collect(self.client, self.client.submit(PLAN_BATCH, body))
            self.assertEqual((got.end, got.order), ((0, 0), []))
        got = collect(self.client, self.client.submit(PLAN_BATCH, field(7, b"later") + field(1, chain(3)) + field(9, 3)))
        self.assertEqual(got.end, (1, 0))

    def test_what_is_no_batch_is_refused_whole(self):
        for body in (b"\x0a\x05ab", field(1, 7), b"\x0b", field(1, chain(3)) + b"\x0a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02", b"\xff" * 30):
            got = collect(self.client, self.client.submit(PLAN_BATCH, body))
            self.assertEqual((got.failed.code(), got.order), ("SD0101", []), body)

    def test_too_many_are_refused_before_there_is_memory_for_them(self):
        before = self.daemon.memory()
        for body in (b"\x0a\x00" * 1000000, batch(*[b""] * 1025)):
            got = collect(self.client, self.client.submit(PLAN_BATCH, body))
            self.assertEqual((got.failed.code(), got.order), ("SD2020", []))
            self.assertIn("1024 are allowed", text(got.failed.message(), 3))
        self.assertEqual(ask(self.client, *[b""] * 1024).end, (1024, 1024))
        if PATIENCE == 1:
            self.assertLess(self.daemon.memory() - before, 16 << 20)

    def test_too_many_bytes_are_refused_by_their_head(self):
        with Daemon(batch__bytes_max="64 KiB") as daemon, daemon.client() as c:
            got = collect(c, c.submit(PLAN_BATCH, batch(b"\x12\x00" * 40000)))
            self.assertEqual(got.failed.code(), "SD2012")
            self.assertEqual(c.call(PLAN, chain(5000)).kind, ANSWER)
            limits = c.call(LIMITS).message()
            self.assertEqual((number(limits, 12), number(limits, 13)), (1024, 65536))

    def test_one_huge_item(self):
        self.assertEqual((ask(self.client, slow("huge")).end), (1, 0))

    def test_who_is_done_earlier_is_answered_earlier(self):
        rid = self.client.submit(PLAN_BATCH, batch(chain(5, op_type="H"), self.gate.graph(), chain(6, op_type="H")))
        got = Answers()
        while len(got.order) < 2:
            got.take(self.client.receive())
        self.gate.open()
        collect(self.client, rid, got)
        self.assertEqual((got.end, set(got.order[:2]), got.order[2:]), ((3, 0), {0, 2}, [1]))

    def test_same_ones_are_planned_once(self):
        with Daemon(gated=True, jobs__workers=2, batch__jobs_max=12) as daemon, daemon.client() as c:
            gate = daemon.gate()
            rid = c.submit(PLAN_BATCH, batch(*[gate.graph()] * 12))
            self.assertTrue(wait_for(lambda: daemon.metric("joins_total") == 11))
            gate.open()
            got = collect(c, rid)
            self.assertEqual((got.end, len(set(got.plans.values())), sum(got.cached.values())), ((12, 0), 1, 0))
            got = ask(c, *[gate.graph()] * 12)
            self.assertEqual((got.end, sum(got.cached.values())), ((12, 0), 12))
            self.assertEqual((daemon.metric("plans_total"), daemon.metric("joins_total")), (1, 11))

    def test_those_that_join_one_that_fails_get_errors_of_their_own(self):
        ring = [node("{}0", "Add", ["{}%d" % (20000 // PATIENCE - 1)])] + [node("{}%d" % i, "Add", ["{}%d" % (i - 1)]) for i in range(1, 20000 // PATIENCE)]
        template = request(ring)
        names = [chr(ord("a") + i) * 2 for i in range(6)]
        got = ask(self.client, *[template.replace(b"{}", n.encode()) for n in names])
        self.assertEqual(got.end, (6, 6))
        for i, name in enumerate(names):
            self.assertTrue(text(got.errors[i], 4).startswith(name))

    def listed(self, client):
        """The jobs that run of batches."""
        jobs = [parse(j) for j in client.call(JOBS).message().get(1, [])]
        return [j for j in jobs if (text(j, 2), text(j, 3)) == ("PlanBatch", "running")]

    def is_quiet(self):
        return self.daemon.metric("jobs_running") == self.daemon.metric("batches_open") == self.daemon.metric("request_bytes_held") == 0

    def test_cancel_ends_what_is_not_done_and_only_that(self):
        requests = [chain(20 + i, op_type="C") for i in range(6)] + [self.gate.graph(i) for i in range(20)] + [chain(4, op_type="C")]
        rid = self.client.submit(PLAN_BATCH, batch(*requests))
        got = Answers()
        while len(got.order) < 6:
            got.take(self.client.receive())
        self.client.cancel(rid)
        collect(self.client, rid, got)
        self.assertEqual((got.failed.code(), sorted(got.plans)), ("SD4008", list(range(6))))
        self.assertTrue(wait_for(self.is_quiet))                                # the gate is still shut
        self.assertEqual(self.client.call(PLAN, requests[0]).plan(), got.plans[0])

    def test_deadline_ends_what_is_not_done_and_only_that(self):
        self.client.call(PLAN, chain(5, op_type="D"))                           # known: is answered however slow the machine is
        got = ask(self.client, chain(5, op_type="D"), *[self.gate.graph(i) for i in range(8)], deadline_ms=3000)
        self.assertEqual((got.failed.code(), got.order, got.errors), ("SD4007", [0], {}))
        self.assertTrue(wait_for(self.is_quiet))

    def test_jobs_are_listed_and_one_can_be_cancelled(self):
        with self.daemon.client() as other:
            rid = self.client.submit(PLAN_BATCH, batch(*[self.gate.graph(i) for i in range(6)]))
            self.assertTrue(wait_for(lambda: len(self.listed(other)) == 2))
            jobs = self.listed(other)
            self.assertTrue(all(number(j, 6) < 400 for j in jobs))              # each has the bytes of its item
            self.assertEqual(other.call(CANCEL_JOB, field(1, number(jobs[0], 1))).kind, ANSWER)
            got = Answers()
            got.take(self.client.receive())
            self.assertEqual(list(got.codes().values()), ["SD4008"])
            self.gate.open()
            collect(self.client, rid, got)
            self.assertEqual((got.end, len(got.plans)), ((6, 1), 5))

    def test_others_wait_behind_what_runs_not_behind_the_batch(self):
        gates = [self.daemon.gate() for _ in range(28)]
        rid = self.client.submit(PLAN_BATCH, batch(*[gate.graph() for gate in gates]))
        with self.daemon.client() as other:
            self.assertTrue(wait_for(lambda: len(self.listed(other)) == 2))
            asked = [other.submit(PLAN, chain(5, op_type=f"Other{i}")) for i in range(3)]
            self.assertTrue(wait_for(lambda: self.daemon.metric("jobs_queued") == 3))     # and none of the batch
            gates[0].open()
            self.assertEqual([other.answer(i).code() for i in asked], [None] * 3)
            self.assertEqual(self.daemon.metric("batches_open"), 1)
        self.client.cancel(rid)
        self.assertEqual(collect(self.client, rid).order, [0])

    def test_many_batches_leave_the_queue_to_others(self):
        with Daemon(gated=True, jobs__workers=1, jobs__queue_jobs_max=8, batch__jobs_max=8) as daemon:
            clients, gate = [daemon.client() for _ in range(6)], daemon.gate()
            ids = []
            for k, c in enumerate(clients):                         # one of the first runs and one waits, and those that find what is in the others
                ids.append(c.submit(PLAN_BATCH, batch(*[gate.graph(f"{k}.{i}") for i in range(8)])))
                self.assertTrue(wait_for(lambda: daemon.metric("jobs_running") == 1 and daemon.metric("jobs_queued") == k + 1))
            self.assertEqual(daemon.metric("batch_jobs"), 2)
            with daemon.client() as other:
                asked = [other.submit(PLAN, chain(5, op_type=f"Q{i}")) for i in range(2)]
                self.assertTrue(wait_for(lambda: daemon.metric("jobs_queued") == 8))
                gate.open()
                self.assertEqual([other.answer(i).code() for i in asked], [None] * 2)
            for c, i in zip(clients, ids):
                self.assertEqual(collect(c, i).end, (8, 0))
                c.close()
            self.assertTrue(wait_for(daemon.is_quiet))

    def test_a_peer_that_stops_reading_stops_its_batch(self):
        with Daemon(jobs__workers=2, socket__owed_bytes_max="64 KiB", socket__stall_timeout="10 min") as daemon, daemon.client() as c:
            rid = c.submit(PLAN_BATCH, batch(*[chain(6000, op_type=f"R{i}") for i in range(60)]))
            self.assertTrue(wait_for(lambda: stands_still(daemon)))
            self.assertTrue(1 < daemon.metric("batch_items_total") < 30)
            self.assertEqual(collect(c, rid).end, (60, 0))          # reads again: goes on
        with Daemon(jobs__workers=2, socket__owed_bytes_max="64 KiB", socket__stall_timeout="1 s") as daemon, daemon.client() as c:
            c.submit(PLAN_BATCH, batch(*[chain(6000, op_type=f"S{i}") for i in range(60)]))
            self.assertTrue(wait_for(lambda: daemon.metric("connections_stalled_total") == 1))
            self.assertTrue(wait_for(lambda: daemon.is_quiet() and daemon.metric("batches_open") == 0))

    def test_a_peer_that_is_gone_leaves_nothing(self):
        for moment in ("sent", "runs", "goes on"):
            c = self.daemon.client()
            c.submit(PLAN_BATCH, batch(*[chain(5, op_type=moment)] * 3, *[self.gate.graph(f"{moment}{i}") for i in range(30)]))
            if moment == "runs":
                self.assertTrue(wait_for(lambda: len(self.listed(self.client)) == 2))
            elif moment == "goes on":
                c.receive()
            c.close()
            self.assertTrue(wait_for(lambda: self.daemon.is_quiet(1) and self.daemon.metric("batches_open") == 0), moment)

    def test_drain_finishes_what_runs_and_refuses_the_rest(self):
        with Daemon(gated=True, jobs__workers=1) as daemon, daemon.client() as c:
            gate = daemon.gate()
            rid = c.submit(PLAN_BATCH, batch(chain(5, op_type="First"), *[gate.graph(i) for i in range(10)]))
            got = Answers()
            got.take(c.receive())
            self.assertTrue(wait_for(lambda: daemon.metric("jobs_running") == 1))
            daemon.signal()
            self.assertTrue(wait_for(lambda: "draining" in daemon.log()))
            gate.open()
            collect(c, rid, got)
            self.assertEqual((got.end, sorted(got.plans)), ((11, 9), [0, 1]))
            self.assertEqual(set(got.codes().values()), {"SD4006"})
            self.assertTrue(all(number(e, 6) for e in got.errors.values()))      # may be tried again
            self.assertEqual(daemon.process.wait(LONG), 0)

    def test_one_worker_and_one_job_at_a_time(self):
        with Daemon(jobs__workers=1, batch__jobs_max=1) as daemon, daemon.client() as c:
            got = ask(c, *[chain(5 + i) for i in range(50)])
            self.assertEqual((got.end, got.order), ((50, 0), list(range(50))))

    def test_under_load_a_known_plan_is_answered_and_others_are_refused(self):
        with Daemon(jobs__workers=1, jobs__queue_bytes_max="1 MiB", socket__frame_bytes_max="1 MiB") as daemon, daemon.client() as c:
            known = chain(5, op_type="Known")
            c.call(PLAN, known)
            held = daemon.client()
            held.send(frame(REQUEST, field(60, b"x" * 970000), PLAN, 1)[:-1])      # never whole
            self.assertTrue(wait_for(lambda: 960000 < daemon.metric("request_bytes_held") < 980000))
            got = ask(c, known, chain(5, op_type="New"), known)
            self.assertEqual((got.end, got.codes(), sorted(got.plans)), ((3, 1), {1: "SD2017"}, [0, 2]))
            held.close()

    def test_a_batch_of_failures_has_no_more_of_the_log_than_its_peer(self):
        with Daemon() as daemon, daemon.client() as c, daemon.client() as other:
            began = time.monotonic()
            self.assertEqual(ask(c, *[b""] * 1024).end, (1024, 1024))
            seconds = time.monotonic() - began
            told = lambda method: sum(f'"method":"{method}"' in line for line in daemon.log().splitlines())
            other.call(PLAN, cycle())
            self.assertTrue(wait_for(lambda: told("Plan") == 1))
            self.assertTrue(0 < told("PlanBatch") <= 10 * (seconds + 2), told("PlanBatch"))      # so many a second

    def test_counts(self):
        before = self.daemon.metrics()
        ask(self.client, chain(5), cycle(), chain(7))
        after = self.daemon.metrics()
        self.assertEqual([after[n] - before[n] for n in ("batch_items_total", "batch_errors_total", 'requests_total{method="PlanBatch",status="OK"}')], [3, 1, 1])


class CommandLine(unittest.TestCase):
    RUN = ROOT / "tests/data/run"
    FILES = sorted(RUN.glob("*.json")) + sorted((ROOT / "tests/data/onnx").glob("*.onnx"))

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="streamd-test-")))

    def ctl(self, *arguments, daemon=None):
        where = ["--socket", daemon.path] if daemon else []
        return subprocess.run([STREAMCTL, "plan", *map(str, arguments), *where], capture_output=True, text=True)

    def cyclic(self):
        path = self.folder / "cyclic.json"
        path.write_text(json.dumps({"graph": {"nodes": [{"name": "a", "op_type": "Relu", "inputs": ["b"]}, {"name": "b", "op_type": "Relu", "inputs": ["a"]}]}}))
        return path

    def test_a_line_for_each_in_their_order_here_and_by_the_daemon(self):
        bad, none, big = self.cyclic(), self.folder / "none.json", self.folder / "big.pb"
        big.write_bytes(slow("line", 20000))
        files = [big, *self.FILES, bad, none, *self.FILES[:3]]
        with Daemon(http=False) as daemon, Daemon(http=False, batch__items_max=2, batch__bytes_max="64 KiB", jobs__workers=1) as narrow:
            here = self.ctl("--batch", *files, "--local")
            there = self.ctl("--batch", *files, daemon=daemon)
            self.assertEqual((here.returncode, there.returncode), (1, 1))
            lines = there.stdout.splitlines()
            self.assertEqual((here.stdout == there.stdout, here.stderr, len(lines)), (True, there.stderr, len(files)))
            for path, line in zip(files, lines):
                alone = self.ctl(path, daemon=daemon)
                self.assertEqual(json.loads(alone.stdout), json.loads(line), path)
            self.assertRegex(there.stderr, r"^streamctl: E18888: .*cyclic.json: the graph has a cycle.*\nstreamctl: SD0119: .*none.json: ")
            # Two calls and more: what is too large for one is refused alone.
            tight = [json.loads(line) for line in self.ctl("--batch", *files, daemon=narrow).stdout.splitlines()]
            self.assertEqual(tight[0]["error"]["code"], "SD2012")
            fits = [i for i, f in enumerate(files) if f not in (big, none) and "error" not in tight[i]]
            self.assertGreater(len(fits), 4)
            for i in fits:
                self.assertEqual(tight[i], json.loads(lines[i]))

    def test_options_go_for_all_and_output_goes_to_a_file(self):
        with Daemon(http=False) as daemon:
            done = self.ctl("--batch", *self.FILES[-3:], "--option", "event=notify", "--option", "single_stream=true", "-o", self.folder / "out", daemon=daemon)
            self.assertEqual((done.stdout, done.stderr, done.returncode), ("", "", 0))
            self.assertEqual([p["mode"] for p in map(json.loads, (self.folder / "out").read_text().splitlines())], ["single"] * 3)

    def test_no_daemon_and_misuse(self):
        done = self.ctl("--batch", *self.FILES[:2], "--socket", self.folder / "none.sock")
        self.assertEqual((done.returncode, [json.loads(line)["error"]["code"] for line in done.stdout.splitlines()]), (3, ["SD4010"] * 2))
        for wrong in (["--batch"], ["--batch", "x.json", "--format", "text"], ["--batch", "x.json", "--timing"], [*self.FILES[:2]]):
            self.assertEqual(self.ctl(*wrong).returncode, 2, wrong)

    def at_gate(self, gate, count):
        paths = [self.folder / f"{i}.pb" for i in range(count)]
        for i, path in enumerate(paths):
            path.write_bytes(gate.graph(i))
        return paths

    def test_a_command_that_is_killed_leaves_nothing(self):
        with Daemon(gated=True, jobs__workers=2) as daemon:
            paths = self.at_gate(daemon.gate(), 12)
            command = subprocess.Popen([STREAMCTL, "plan", "--batch", *map(str, paths), "--socket", daemon.path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.assertTrue(wait_for(lambda: daemon.metric("batches_open") == 1 and daemon.metric("jobs_running") == 2))
            command.kill()
            command.wait()
            self.assertTrue(wait_for(lambda: daemon.is_quiet() and daemon.metric("batches_open") == 0))

    def test_a_deadline_is_told_for_each_that_has_no_plan(self):
        with Daemon(gated=True, http=False, jobs__workers=1) as daemon:
            done = self.ctl("--batch", *self.at_gate(daemon.gate(), 6), "--deadline", 250, daemon=daemon)
            self.assertEqual(([json.loads(line)["error"]["code"] for line in done.stdout.splitlines()], done.returncode), (["SD4007"] * 6, 1))


class Grpc(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(gated=True, jobs__workers=2)
        cls.addClassCleanup(cls.daemon.__exit__, None)

    def setUp(self):
        self.channel = channel(self.daemon)
        self.addCleanup(self.channel.close)
        self.planner = stubs.PlannerStub(self.channel)

    @staticmethod
    def request(*encoded):
        return pb.PlanBatchRequest(requests=[plan_request(e) for e in encoded])

    @staticmethod
    def raw(channel, *encoded, **options):
        """A call whose request is not taken apart and put together again, which takes Python seconds."""
        method = channel.unary_stream("/streamd.v1.Planner/PlanBatch", response_deserializer=pb.PlanBatchAnswer.FromString)
        return method(batch(*encoded), **options)

    def test_the_stream_is_that_of_the_frames(self):
        requests = [chain(10 + i, op_type=f"G{i}") for i in range(20)] + [cycle()]
        answers = list(self.planner.PlanBatch(self.request(*requests)))
        self.assertEqual((answers[-1].end.items, answers[-1].end.errors, len(answers)), (21, 1, 22))
        with self.daemon.client() as c:
            got = ask(c, *requests)
        for a in answers[:-1]:
            if a.HasField("answer"):
                self.assertEqual(a.answer.plan, pb.Plan.FromString(got.plans[a.index]))
            else:
                self.assertEqual((a.index, a.error.code), (20, "E18888"))

    def test_packed_batches_and_their_bounds(self):
        requests = self.request(*[chain(500, op_type=f"P{i}") for i in range(10)])
        answers = list(self.planner.PlanBatch(requests, compression=grpc.Compression.Gzip))
        self.assertEqual((answers[-1].end.items, answers[-1].end.errors), (10, 0))
        self.assertTrue(wait_for(lambda: self.daemon.metric("request_bytes_held") == 0))
        with Daemon(batch__bytes_max="64 KiB", socket__frame_bytes_max="64 KiB", jobs__queue_bytes_max="80 KiB") as daemon, channel(daemon) as ch:
            tight = stubs.PlannerStub(ch)
            self.assertEqual(failure(lambda: list(tight.PlanBatch(requests, compression=grpc.Compression.Gzip))).code(), grpc.StatusCode.INVALID_ARGUMENT)
            fits = self.request(*[chain(400, op_type="F")] * 3)
            self.assertEqual(list(tight.PlanBatch(fits, compression=grpc.Compression.Gzip))[-1].end.items, 3)
            self.assertTrue(wait_for(lambda: daemon.metric("request_bytes_held") == 0))

    def test_deadline_and_cancel(self):
        gate = self.daemon.gate()
        self.addCleanup(gate.open)
        for way in ("deadline", "cancel"):
            stream = self.raw(self.channel, chain(5), *[gate.graph(f"{way}{i}") for i in range(8)], timeout=3 if way == "deadline" else None)
            self.assertEqual(next(stream).index, 0)
            if way == "cancel":
                stream.cancel()
            self.assertEqual(failure(lambda: list(stream)).code(), grpc.StatusCode.DEADLINE_EXCEEDED if way == "deadline" else grpc.StatusCode.CANCELLED)
            self.assertTrue(wait_for(lambda: self.daemon.metric("batches_open") == self.daemon.metric("jobs_running") == 0))       # the gate is still shut

    def test_who_does_not_read_holds_up_its_batch_alone(self):
        with Daemon(jobs__workers=2, socket__owed_bytes_max="64 KiB") as daemon, channel(daemon, ("grpc.http2.lookahead_bytes", 65536), ("grpc.http2.bdp_probe", 0)) as ch:
            stream = self.raw(ch, *[chain(6000, op_type=f"W{i}") for i in range(80)])
            next(stream)
            self.assertTrue(wait_for(lambda: stands_still(daemon)))
            self.assertLess(daemon.metric("batch_items_total"), 60)
            with channel(daemon, ("grpc.use_local_subchannel_pool", 1)) as beside:
                self.assertEqual(stubs.PlannerStub(beside).Plan(plan_request(chain(5, op_type="beside")), timeout=LONG).plan.stream_count, 1)
            self.assertEqual(list(stream)[-1].end.items, 80)

    def test_answers_that_are_not_read_cost_each_the_same(self):
        """Four times as many are looked through four times as long, not sixteen times."""
        with Daemon(batch__items_max=65536, batch__jobs_max=64, socket__owed_bytes_max="32 MiB") as daemon, \
                channel(daemon, ("grpc.http2.lookahead_bytes", 65536), ("grpc.http2.bdp_probe", 0)) as ch:
            spent = []
            for count in (10000, 40000):
                before, items = daemon.cpu_seconds(), daemon.metric("batch_items_total")
                stream = self.raw(ch, *[b""] * count)
                next(stream)
                self.assertTrue(wait_for(lambda: daemon.metric("batch_items_total") == items + count))
                spent.append(daemon.cpu_seconds() - before)
                stream.cancel()
            self.assertLess(spent[1], 12 * max(spent[0], 0.05))

    def test_drain_does_what_came(self):
        with Daemon(gated=True, jobs__workers=1) as daemon, channel(daemon) as ch:
            gate = daemon.gate()
            stream = self.raw(ch, chain(5), *[gate.graph(i) for i in range(5)])
            next(stream)
            daemon.signal()
            self.assertTrue(wait_for(lambda: "draining" in daemon.log()))
            gate.open()
            answers = list(stream)
            self.assertEqual((answers[-1].end.items, answers[-1].end.errors), (6, 0))
            self.assertEqual(daemon.process.wait(LONG), 0)


if __name__ == "__main__":
    e2e.main()
