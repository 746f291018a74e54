#!/usr/bin/env python3
"""Requests that run as jobs: queue, deadline, cancel, back-pressure, and what stands beside a large one."""
import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from streamd_wire import *


def jobs_of(client):
    """[(id, method, state, requests)]"""
    listed = [parse(j) for j in client.call(JOBS).message().get(1, [])]
    return [(number(j, 1), text(j, 2), text(j, 3), number(j, 7)) for j in listed]


class OneWorker(unittest.TestCase):
    """One worker, kept busy by the first of some large requests."""

    def setUp(self):
        self.daemon = Daemon(jobs__workers=1, jobs__queue_jobs_max=8, jobs__deadline_default="20 s", socket__open_requests_max=12)
        self.addCleanup(self.daemon.__exit__, None)
        self.client = self.daemon.client()
        self.addCleanup(self.client.close)

    def keep_busy(self, count=3):
        """Large requests in a row; the first is running when this returns."""
        ids = [self.client.submit(PLAN, slow(i)) for i in range(count)]
        wait_for(lambda: any(state == "running" for _, _, state, _ in jobs_of(self.client)))
        return ids

    def test_deadline_of_a_queued_request_is_kept(self):
        with self.daemon.client() as c:
            self.keep_busy(4)
            began = time.monotonic()
            got = c.call(PLAN, chain(5, op_type="Mul"), deadline_ms=50)
            took = time.monotonic() - began
            self.assertEqual((got.code(), text(got.message(), 2)), ("SD4007", "DEADLINE_EXCEEDED"))
            self.assertIn("50 ms", text(got.message(), 3))
            self.assertTrue(0.04 < took < 0.3 * PATIENCE, took)

    def test_deadline_of_a_running_request_is_kept_and_its_job_stops(self):
        began = time.monotonic()
        got = self.client.call(PLAN, slow("x", 150000), deadline_ms=100)
        took = time.monotonic() - began
        self.assertEqual(got.code(), "SD4007")
        self.assertLess(took, 0.5 * PATIENCE)
        self.assertTrue(wait_for(lambda: self.daemon.is_quiet(1), 3 * PATIENCE))

    def test_cancelled_queued_request_never_runs(self):
        ids = self.keep_busy(2)
        doomed = self.client.submit(PLAN, chain(7, op_type="Mul"))
        self.client.cancel(doomed)
        self.assertEqual(self.client.answer(doomed).code(), "SD4008")
        for i in ids:
            self.assertEqual(self.client.answer(i).kind, ANSWER)
        self.assertEqual(self.daemon.metric("plans_total"), 2)
        self.assertEqual(self.daemon.metric('requests_total{method="Plan",status="CANCELLED"}'), 1)
        self.assertTrue(self.daemon.is_quiet(1))

    def test_cancelled_running_request_stops(self):
        with self.daemon.client() as c:
            doomed = self.client.submit(PLAN, slow("x", 150000))
            self.assertTrue(wait_for(lambda: jobs_of(c) and jobs_of(c)[0][2] == "running"))
            self.client.cancel(doomed)
            began = time.monotonic()
            self.assertEqual(self.client.answer(doomed).code(), "SD4008")
            self.assertLess(time.monotonic() - began, 0.3 * PATIENCE)
            self.assertTrue(wait_for(lambda: not jobs_of(c), 2 * PATIENCE))
        self.assertEqual(self.daemon.metric("plans_total"), 0)

    def test_flood_of_cancels_starts_no_more_jobs_than_there_are_workers(self):
        with self.daemon.client() as watcher:
            waits = []
            for i in range(1000):
                self.client.cancel(self.client.submit(PLAN, chain(300, op_type=f"F{i}")))
                if i % 50 == 0:
                    began = time.monotonic()
                    running = [j for j in jobs_of(watcher) if j[2] == "running"]
                    waits.append(time.monotonic() - began)
                    self.assertLessEqual(len(running), 1)
                    self.assertLessEqual(self.daemon.metric("requests_open"), 12)
            self.assertLess(max(waits), 0.5 * PATIENCE)
        seen = {self.client.answer(i).code() for i in range(1, 1001)}
        self.assertLessEqual(seen, {None, "SD4008", "SD2013"})
        self.assertTrue(wait_for(lambda: self.daemon.is_quiet(1)))

    def test_full_queue_refuses_and_says_when_to_come_back(self):
        with self.daemon.client() as c:
            self.keep_busy(1)
            ids = [c.submit(PLAN, slow(100 + i)) for i in range(11)]
            refused = [c.answer(i).message() for i in ids[8:]]
            for message in refused:
                self.assertEqual((text(message, 1), text(message, 2)), ("SD2013", "RESOURCE_EXHAUSTED"))
                self.assertTrue(number(message, 6) == 1 and number(message, 7) > 0)
            for i in ids[:8]:
                c.cancel(i)
            for i in ids[:8]:
                self.assertIn(c.answer(i).code(), ("SD4008", None))

    def test_jobs_are_listed_and_can_be_cancelled(self):
        ids = self.keep_busy(3)
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
        ids = [self.client.submit(PLAN, slow(i, 20000)) for i in range(9)]
        for i in range(9, 30):
            ids.append(self.client.submit(PLAN, chain(4, op_type=f"P{i}")))
        wait_for(lambda: self.daemon.metric("requests_open") > 1)
        self.assertLessEqual(self.daemon.metric("requests_open"), 12)
        kinds = {self.client.answer(i).code() for i in ids}
        self.assertLessEqual(kinds, {None, "SD2013"})
        self.assertTrue(wait_for(lambda: self.daemon.is_quiet(1)))

    def test_answers_come_in_any_order(self):
        with self.daemon.client() as c:
            first = c.submit(PLAN, slow(1))
            second = c.submit(PING_METHOD, field(1, b"quick"))
            self.assertEqual([c.receive().request_id, c.receive().request_id], [second, first])

    def test_large_request_does_not_hold_others_up(self):
        name = "model/layer/of/a/network/with/long/names/as/exporters/write/them/n%d"
        big = request([node(name % i, "Add", [name % j for j in (i - 1, i - 2) if j >= 0]) for i in range(60000)])
        self.assertGreater(len(big), 13_000_000)
        waits = []
        with self.daemon.client() as c:
            for turn in range(3):
                large = self.client.submit(PLAN, big)
                while large not in self.client.others:
                    began = time.monotonic()
                    c.call(PING_METHOD, field(1, b"x"))
                    waits.append(time.monotonic() - began)
                    if select.select([self.client.socket], [], [], 0)[0]:
                        self.client.answer(large)
                        break
                if turn == 0:
                    c.call(CACHE_FLUSH)
        waits.sort()
        print(f"{len(big) >> 20} MiB beside {len(waits)} pings: p50 {waits[len(waits) // 2] * 1e3:.2f} ms, "
              f"p99 {waits[len(waits) * 99 // 100] * 1e3:.2f} ms, worst {waits[-1] * 1e3:.2f} ms")
        turns = {key: int(value) for key, value in self.daemon.metrics().items() if key.startswith("loop_turn_seconds_bucket")}
        print("turns of the loop:", " ".join(f"{re.search('le=.(.*?).}', key)[1]}:{value}" for key, value in turns.items()))
        self.assertLess(waits[len(waits) * 99 // 100], 0.05 * PATIENCE)


class Bounds(unittest.TestCase):
    def test_unread_answers_stop_the_reading_and_stay_bounded(self):
        with Daemon(socket__owed_bytes_max="64 KiB") as daemon, daemon.client() as c, daemon.client() as other:
            c.socket.setblocking(False)
            sent, data = 0, frame(REQUEST, field(1, bytes(60000)), PING_METHOD, 1)
            end = time.monotonic() + 1
            while time.monotonic() < end:
                try:
                    sent += c.socket.send(data[sent % len(data):])
                except BlockingIOError:
                    time.sleep(0.01)
            self.assertLess(sent, 4 << 20)      # what fits buffers of the kernel and the bound
            self.assertEqual(other.call(STATUS).kind, ANSWER)
            before = daemon.memory()
            c.socket.settimeout(10 * PATIENCE)
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
            self.assertTrue(wait_for(lambda: daemon.memory() < before + (16 << 20), 3), (before, daemon.memory()))

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
