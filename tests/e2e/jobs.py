#!/usr/bin/env python3
"""Requests that run as jobs: queue, deadline, cancel, back-pressure, and what stands beside a large one."""
import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from streamd_wire import *
from waits import Waits


def jobs_of(client):
    """[(id, method, state, requests)]"""
    listed = [parse(j) for j in client.call(JOBS).message().get(1, [])]
    return [(number(j, 1), text(j, 2), text(j, 3), number(j, 7)) for j in listed]


class OneWorker(unittest.TestCase):
    """One worker, which a graph at a gate keeps busy for as long as that is shut."""

    def setUp(self):
        self.daemon = Daemon(gated=True, jobs__workers=1, jobs__queue_jobs_max=8, socket__open_requests_max=12)
        self.addCleanup(self.daemon.__exit__, None)
        self.client = self.daemon.client()
        self.addCleanup(self.client.close)
        self.gate = self.daemon.gate()

    def is_running(self):
        return self.daemon.metric("jobs_running") == 1 and self.daemon.metric("jobs_queued") == 0

    def keep_busy(self, more=0):
        """A request that runs, and so many behind it."""
        ids = [self.client.submit(PLAN, self.gate.graph())]
        self.assertTrue(wait_for(self.is_running))
        ids += [self.client.submit(PLAN, chain(9, op_type=f"W{i}")) for i in range(more)]
        self.assertTrue(wait_for(lambda: self.daemon.metric("jobs_queued") == more))
        return ids

    def test_deadline_of_a_queued_request_is_kept(self):
        with self.daemon.client() as c:
            ids = self.keep_busy(3)
            began = time.monotonic()
            got = c.call(PLAN, chain(5, op_type="Mul"), deadline_ms=50)         # answered while the worker is still busy
            self.assertGreater(time.monotonic() - began, 0.04)
            self.assertEqual((got.code(), text(got.message(), 2)), ("SD4007", "DEADLINE_EXCEEDED"))
            self.assertIn("50 ms", text(got.message(), 3))
            self.assertEqual(self.daemon.metric("jobs_queued"), 3)
        self.gate.open()
        self.assertEqual([self.client.answer(i).code() for i in ids], [None] * 4)
        self.assertEqual(self.daemon.metric("plans_total"), 4)

    def test_deadline_of_a_running_request_is_kept_and_its_job_stops(self):
        got = self.client.call(PLAN, self.gate.graph(), deadline_ms=100)
        self.assertEqual(got.code(), "SD4007")
        self.assertTrue(wait_for(lambda: self.daemon.is_quiet(1)))              # the gate is still shut
        self.assertEqual(self.daemon.metric("plans_total"), 0)

    def test_cancelled_queued_request_never_runs(self):
        ids = self.keep_busy(1)
        doomed = self.client.submit(PLAN, chain(7, op_type="Mul"))
        self.client.cancel(doomed)
        self.assertEqual(self.client.answer(doomed).code(), "SD4008")
        self.gate.open()
        for i in ids:
            self.assertEqual(self.client.answer(i).kind, ANSWER)
        self.assertEqual(self.daemon.metric("plans_total"), 2)
        self.assertEqual(self.daemon.metric('requests_total{method="Plan",status="CANCELLED"}'), 1)
        self.assertTrue(wait_for(lambda: self.daemon.is_quiet(1)))

    def test_cancelled_running_request_stops(self):
        doomed, = self.keep_busy()
        self.client.cancel(doomed)
        self.assertEqual(self.client.answer(doomed).code(), "SD4008")
        with self.daemon.client() as c:
            self.assertTrue(wait_for(lambda: not jobs_of(c)))                   # the gate is still shut
        self.assertEqual(self.daemon.metric("plans_total"), 0)

    def test_flood_of_cancels_starts_no_more_jobs_than_there_are_workers(self):
        with self.daemon.client() as watcher:
            for i in range(1000):
                self.client.cancel(self.client.submit(PLAN, chain(300, op_type=f"F{i}")))
                if i % 50 == 0:
                    self.assertLessEqual(len([j for j in jobs_of(watcher) if j[2] == "running"]), 1)
                    self.assertLessEqual(self.daemon.metric("requests_open"), 12)
        seen = {self.client.answer(i).code() for i in range(1, 1001)}
        self.assertLessEqual(seen, {None, "SD4008", "SD2013"})
        self.assertTrue(wait_for(lambda: self.daemon.is_quiet(1)))

    def test_full_queue_refuses_and_says_when_to_come_back(self):
        with self.daemon.client() as c:
            self.keep_busy()
            ids = [c.submit(PLAN, chain(9, op_type=f"Q{i}")) for i in range(11)]
            refused = [c.answer(i).message() for i in ids[8:]]
            for message in refused:
                self.assertEqual((text(message, 1), text(message, 2)), ("SD2013", "RESOURCE_EXHAUSTED"))
                self.assertTrue(number(message, 6) == 1 and number(message, 7) > 0)
            for i in ids[:8]:
                c.cancel(i)
            for i in ids[:8]:
                self.assertEqual(c.answer(i).code(), "SD4008")

    def test_jobs_are_listed_and_can_be_cancelled(self):
        ids = self.keep_busy(2)
        with self.daemon.client() as c:
            listed = jobs_of(c)
            self.assertEqual([(m, s, r) for _, m, s, r in listed], [("Plan", "running", 1), ("Plan", "queued", 1), ("Plan", "queued", 1)])
            self.assertEqual(c.call(CANCEL_JOB, field(1, listed[2][0])).kind, ANSWER)
            self.assertEqual(self.client.answer(ids[2]).code(), "SD4008")
            self.assertEqual(c.call(CANCEL_JOB, field(1, listed[0][0])).kind, ANSWER)
            self.assertEqual(self.client.answer(ids[0]).code(), "SD4008")
            self.assertEqual(self.client.answer(ids[1]).kind, ANSWER)
            self.assertEqual(c.call(CANCEL_JOB, field(1, 12345)).code(), "SD4009")

    def test_connection_with_all_requests_open_is_not_read_until_one_is_done(self):
        ids = self.keep_busy(8)                                                 # as many as are let in
        ids += [self.client.submit(PLAN, chain(4, op_type=f"P{i}")) for i in range(3)]
        self.assertEqual([self.client.answer(i).code() for i in ids[9:]], ["SD2013"] * 3)
        with Daemon(gated=True, jobs__workers=1, socket__open_requests_max=12) as daemon, daemon.client() as c:
            gate = daemon.gate()
            ids = [c.submit(PLAN, gate.graph())] + [c.submit(PLAN, chain(4, op_type=f"P{i}")) for i in range(29)]
            self.assertTrue(wait_for(lambda: daemon.metric("requests_open") == 12))
            c.send(frame(PING, request_id=1 << 40))                             # behind what is not read
            self.assertFalse(select.select([c.socket], [], [], 0.1)[0])
            self.assertEqual(daemon.metric("requests_open"), 12)
            gate.open()
            self.assertEqual({c.answer(i).code() for i in ids}, {None})
            self.assertTrue(wait_for(lambda: daemon.is_quiet(1)))

    def test_answers_come_in_any_order(self):
        with self.daemon.client() as c:
            first = c.submit(PLAN, self.gate.graph())
            second = c.submit(PING_METHOD, field(1, b"quick"))
            self.assertEqual(c.receive().request_id, second)
            self.gate.open()
            self.assertEqual(c.receive().request_id, first)

    def test_large_request_does_not_hold_others_up(self):
        name = "model/layer/of/a/network/with/long/names/as/exporters/write/them/n%d"
        big = request([node(name % i, "Add", [name % j for j in (i - 1, i - 2) if j >= 0]) for i in range(60000)])
        self.assertGreater(len(big), 13_000_000)
        waits = Waits(self.daemon)
        with self.daemon.client() as c:
            for turn in range(3):
                large = self.client.submit(PLAN, big)
                while not select.select([self.client.socket], [], [], 0)[0]:
                    waits.time(lambda: c.call(PING_METHOD, field(1, b"x")))
                self.assertEqual(self.client.answer(large).kind, ANSWER)
                if turn == 0:
                    c.call(CACHE_FLUSH)
        print(f"{len(big) >> 20} MiB beside {len(waits.seconds)} pings: {waits}")
        turns = {key: int(value) for key, value in self.daemon.metrics().items() if key.startswith("loop_turn_seconds_bucket")}
        print("turns of the loop:", " ".join(f"{re.search('le=.(.*?).}', key)[1]}:{value}" for key, value in turns.items()))
        self.assertLess(waits.at(99), 0.05 * PATIENCE)


class Bounds(unittest.TestCase):
    def test_unread_answers_stop_the_reading_and_stay_bounded(self):
        with Daemon(socket__owed_bytes_max="64 KiB") as daemon, daemon.client() as c, daemon.client() as other:
            c.socket.setblocking(False)
            sent, data = 0, frame(REQUEST, field(1, bytes(60000)), PING_METHOD, 1)
            while select.select([], [c.socket], [], 0.5)[1]:     # until nothing goes any more
                sent += c.socket.send(data[sent % len(data):])
            self.assertLess(sent, 4 << 20)      # what fits buffers of the kernel and the bound
            self.assertEqual(other.call(STATUS).kind, ANSWER)
            before = daemon.memory()
            c.socket.settimeout(LONG)
            count = 0
            while count < sent // len(data):    # every answer is still there
                self.assertEqual(c.receive().kind, ANSWER)
                count += 1
            self.assertLess(daemon.memory(), before + (4 << 20))

    def test_peer_that_does_not_read_is_closed(self):
        with Daemon(socket__owed_bytes_max="64 KiB", socket__stall_timeout="1 s") as daemon:
            with daemon.client() as c:
                with self.assertRaises(OSError):
                    for i in range(1000):
                        c.socket.sendall(frame(REQUEST, field(1, bytes(60000)), PING_METHOD, i + 1))
                self.assertTrue(wait_for(daemon.is_quiet))
                self.assertEqual(daemon.metric("connections_stalled_total"), 1)

    def test_slow_reader_gets_every_byte(self):
        with Daemon(socket__stall_timeout="2 s") as daemon, daemon.client() as c:
            c.submit(PING_METHOD, field(1, bytes(range(256)) * 256))
            got = b""
            while len(got) < 65536 + 20 + 4:
                got += c.socket.recv(2048)
                time.sleep(0.02)
            self.assertEqual(got[24:], bytes(range(256)) * 256)

    def test_held_bytes_are_bounded(self):
        with Daemon(socket__frame_bytes_max="1 MiB", jobs__queue_bytes_max="1 MiB") as daemon, daemon.client() as a, daemon.client() as b:
            a.send(HEADER.pack(900_000, PLAN, REQUEST, 0, 1, 0) + bytes(1000))
            self.assertTrue(wait_for(lambda: daemon.metric("request_bytes_held") == 900_000 - 16))
            got = b.call(PLAN, bytes(300_000))
            self.assertEqual((got.code(), number(got.message(), 6)), ("SD2016", 1))
            self.assertEqual(b.call(PLAN, chain(3)).kind, ANSWER)
            a.close()
            self.assertTrue(wait_for(lambda: daemon.metric("request_bytes_held") == 0))

    def test_limits_of_the_graph_name_the_limit(self):
        with Daemon(limits__nodes_max=10, limits__edges_max=20, http=False) as daemon, daemon.client() as c:
            got = c.call(PLAN, chain(11))
            self.assertEqual(got.code(), "SD2010")
            self.assertIn("10", text(got.message(), 3))
            self.assertEqual(c.call(PLAN, chain(10)).kind, ANSWER)

    @unittest.skipIf(PATIENCE > 1, "a sanitizer keeps what was freed")
    def test_memory_of_a_large_job_goes_back_to_the_system(self):
        with Daemon(jobs__workers=1, cache__bytes_max=0) as daemon, daemon.client() as c:
            c.call(PLAN, chain(100))
            before = daemon.memory()
            self.assertEqual(c.call(PLAN, slow("m", 150000)).kind, ANSWER)
            self.assertTrue(wait_for(lambda: daemon.memory() < before + (16 << 20)), (before, daemon.memory()))

    def test_ceiling_of_connections_refuses_with_a_frame(self):
        with Daemon(socket__connections_max=5) as daemon:
            inside = [daemon.client() for _ in range(5)]
            with daemon.client(greet=False) as c:
                got = c.receive()
                self.assertEqual((got.kind, got.code(), number(got.message(), 6)), (ERROR, "SD2014", 1))
                self.assertTrue(c.is_closed())
            for c in inside:
                self.assertEqual(c.call(STATUS).kind, ANSWER)
                c.close()
            self.assertEqual(daemon.metric("connections_refused_total"), 1)
            self.assertTrue(wait_for(daemon.is_quiet))

    def test_flood_of_connections_at_the_limit_of_open_files(self):
        import resource
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (256, soft[1]))
            daemon = Daemon()
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, soft)
        with daemon:
            files = daemon.open_files()
            with daemon.client() as inside:
                crowd = []
                for _ in range(400):
                    s = socket.socket(socket.AF_UNIX)
                    s.connect(daemon.path)
                    crowd.append(s)
                self.assertEqual(inside.call(STATUS).kind, ANSWER)
                before = daemon.cpu_seconds()
                time.sleep(1)
                self.assertLess(daemon.cpu_seconds() - before, 0.1 * PATIENCE)
                for s in crowd:
                    s.close()
            self.assertTrue(wait_for(daemon.is_quiet))
            self.assertTrue(wait_for(lambda: daemon.open_files() == files), (daemon.open_files(), files))


if __name__ == "__main__":
    e2e.main()
