#!/usr/bin/env python3
"""Too much to do: what is refused first, and that nobody loses what it has by it."""
import multiprocessing
import pathlib
import signal
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from pool_client import *

VERIFY_NOTHING = field(1, chain(1)) + field(2, b"")


class Case(unittest.TestCase):
    settings = {}

    def setUp(self):
        self.daemon = Daemon(gated=True, jobs__workers=1, **self.settings)
        self.addCleanup(self.daemon.__exit__, None)
        self.gate = self.daemon.gate()
        self.loader, self.other, self.busy = self.client(), self.client(), self.client()

    def client(self):
        client = PoolClient(self.daemon.path)
        self.addCleanup(client.close)
        return client

    def occupy(self):
        """The one worker has a job until the gate is opened."""
        request = self.busy.submit(PLAN, self.gate.graph())
        self.assertTrue(wait_for(lambda: self.daemon.metric("jobs_running") == 1 and self.daemon.metric("jobs_queued") == 0))
        return request

    def queue(self, bodies, client=None):
        """Requests that wait behind it, in this order."""
        requests = [(client or self.busy).submit(PLAN, body) for body in bodies]
        self.assertTrue(wait_for(lambda: self.daemon.metric("jobs_queued") == len(bodies), every=0.005), self.daemon.metrics()["jobs_queued"])
        return requests

    def codes(self, requests, client=None):
        return [(client or self.busy).answer(request).code() for request in requests]

    def refused(self, code, do, *arguments, **more):
        with self.assertRaises(Refused) as caught:
            do(*arguments, **more)
        self.assertEqual(caught.exception.code, code, caught.exception)
        return caught.exception

    def still_serves_its_own(self, model, got):
        """What a peer has it can keep and give back."""
        self.assertEqual(self.loader.heartbeat()[0], 1)
        self.loader.send(frame(PING, b"x", request_id=1 << 40))
        self.assertEqual(self.loader.receive().kind, PONG)
        self.assertEqual(self.loader.release(got.ids[0]), (1, 0, []))
        self.assertEqual(self.loader.unload(model)[0], len(got.ids) - 1)


def distinct(count, tag="t"):
    return [chain(3, op_type=f"{tag}{i}") for i in range(count)]


class Queue(Case):
    settings = {"jobs__queue_jobs_max": 20, "socket__open_requests_max": 64}

    def test_extras_go_first(self):
        first = self.occupy()
        requests = self.queue(distinct(15))
        explained = self.other.submit(EXPLAIN, chain(3))                     # 75 %: taken
        self.assertTrue(wait_for(lambda: self.daemon.metric("jobs_queued") == 16))
        for method, body in ((EXPLAIN, chain(2)), (VERIFY, VERIFY_NOTHING)):
            got = self.other.call(method, body).message()
            self.assertEqual((text(got, 1), text(got, 2), number(got, 6)), ("SD2017", "UNAVAILABLE", 1))
            self.assertIn("80 % of the queue of jobs", text(got, 3))
            self.assertGreater(number(got, 7), 0)
        self.assertEqual(self.daemon.metric("shed_stage"), 1)
        model = self.loader.register()                                       # leases have nothing to do with the queue
        self.still_serves_its_own(model, self.loader.acquire(model, want(3)))
        more = self.other.submit(PLAN, chain(4))                             # and plans are taken
        self.assertTrue(wait_for(lambda: self.daemon.metric("jobs_queued") == 17))
        self.gate.open()
        self.assertEqual(self.codes([first] + requests), [None] * 16)
        self.assertEqual(self.codes([explained, more], self.other), [None] * 2)
        self.assertEqual(self.daemon.metric("shed_extras_total"), 2)
        self.assertTrue(wait_for(lambda: self.daemon.metric("shed_stage") == 0))

    def test_then_plans_that_are_not_known(self):
        known = distinct(2, "known")
        for body in known:
            self.assertIsNone(self.busy.call(PLAN, body).code())
        first = self.occupy()
        new = distinct(18)
        requests = self.queue([known[0], new[0], known[1]] + new[1:])        # 20: the queue is full
        self.assertEqual(self.other.call(PLAN, chain(4)).code(), "SD2013")
        self.assertEqual(self.daemon.metric("shed_stage"), 2)
        self.gate.open()
        codes = self.codes([first] + requests)
        # When their turn comes 19, 18 and 17 others are waiting, and so on: 95 %, 90 % and less.
        self.assertEqual(codes, [None, None, "SD2017"] + [None] * 18)
        self.assertEqual(self.daemon.metric("shed_misses_total"), 1)
        self.assertEqual(self.daemon.metric('requests_total{method="Plan",status="UNAVAILABLE"}'), 1)


class Memory(Case):
    settings = {"jobs__queue_bytes_max": "1 MiB", "socket__frame_bytes_max": "1 MiB", "pool__streams_max": 2000}

    def fill(self, percent):
        """A request that holds so much of the memory: its end does not come."""
        self.busy.send(HEADER.pack((1 << 20) * percent // 100 + HEADER.size - 4, PLAN, REQUEST, 0, 1, 0))
        self.assertTrue(wait_for(lambda: self.daemon.metric("request_bytes_held") > 0))

    def test_new_leases_wait_and_old_ones_are_kept(self):
        model = self.loader.register()
        got = self.loader.acquire(model, want(3))
        self.fill(82)
        for do in (self.other.register, lambda: self.loader.acquire(model, want()), lambda: self.other.reserve(2, 1)):
            x = self.refused("SD2017", do)
            self.assertTrue(x.retryable)
            self.assertRegex(x.message, "8[12] % of the memory for requests")
        self.assertEqual(self.other.call(EXPLAIN, chain(2)).code(), "SD2017")
        self.assertIsNone(self.other.call(PLAN, chain(2)).code())
        self.assertEqual((self.daemon.metric("shed_leases_total"), self.daemon.metric("shed_stage")), (3, 1))
        self.still_serves_its_own(model, got)
        self.busy.close()
        self.assertTrue(wait_for(lambda: self.daemon.metric("shed_stage") == 0))
        self.other.register()

    def test_then_plans_that_are_not_known(self):
        self.assertIsNone(self.other.call(PLAN, chain(2)).code())
        self.fill(91)
        self.assertIsNone(self.other.call(PLAN, chain(2)).code())
        self.assertEqual(self.other.call(PLAN, chain(3)).code(), "SD2017")

    def test_no_connection_is_taken_when_memory_is_all_but_gone(self):
        model = self.loader.register()
        got = self.loader.acquire(model, want(3))
        self.fill(96)
        with Client(self.daemon.path, greet=False) as late:
            told = late.receive()
            self.assertEqual((told.kind, told.code()), (ERROR, "SD2017"))
            self.assertTrue(late.is_closed())
        self.assertEqual(self.daemon.metric("shed_stage"), 3)
        self.assertEqual((self.daemon.metric("shed_connections_total"), self.daemon.metric("connections_refused_total")), (1, 1))
        self.assertEqual(self.other.call(PLAN, chain(2) + b"\x7a\xff\xff\x03" + bytes(65535)).code(), "SD2016")
        self.still_serves_its_own(model, got)

    def test_a_large_release_fits_where_nothing_does(self):
        model = self.loader.register()
        got = self.loader.acquire(model, want(2000))                         # 14 KB to give back
        self.fill(99)
        self.assertEqual(self.loader.release(*got.ids)[0], 2000)


class Behind(Case):
    settings = {"socket__open_requests_max": 2, "pool__streams_max": 8}
    TTL_MS = 500

    def test_a_heartbeat_that_came_while_the_daemon_was_late_counts(self):
        lease = until_in_time(self.hold_up, self.TTL_MS / 1000)
        beat, described = self.loader.submit(HEARTBEAT), self.loader.submit(DESCRIBE, field(1, lease))
        time.sleep(self.TTL_MS * 1.5 / 1000)
        expired = self.daemon.log().count('"why":"expired"')
        self.daemon.signal(signal.SIGCONT)
        self.assertEqual(number(self.loader.take(beat), 1), 1)
        self.loader.take(described)
        # Who is silent goes all the same.
        self.assertTrue(wait_for(lambda: self.other.stats()["expired"] == expired + 1))

    def hold_up(self):
        """A model that has a lease, of a daemon that stands still."""
        self.daemon.signal(signal.SIGCONT)
        self.assertTrue(wait_for(lambda: self.other.stats()["models"] == 0))
        lease = self.loader.acquire(self.loader.register(ttl_ms=self.TTL_MS), want()).ids[0]
        self.daemon.signal(signal.SIGSTOP)
        return lease

    def wait_twice(self):
        """The loader has as many requests open as it may: two acquires that wait."""
        self.others = self.other.register("others")
        self.other.acquire(self.others, want(8))

        def begin():
            model = self.loader.register("ours", ttl_ms=self.TTL_MS)
            waiting = [self.loader.begin_acquire(model, want(), wait_ms=600000) for _ in range(2)]
            self.loader.send(frame(PING, request_id=1 << 40))
            if self.loader.receive().kind == PONG:                           # so that none is refused
                return waiting
            return until_in_time(begin, LONG)
        waiting = until_in_time(begin, LONG)
        self.assertEqual(self.other.stats()["waiting"], 2)
        return waiting

    def test_what_is_answered_at_once_waits_for_no_other_request(self):
        waiting = self.wait_twice()
        self.assertEqual(self.loader.heartbeat()[0], 1)
        self.assertEqual(self.loader.stats()["waiting"], 2)
        plan = self.loader.submit(PLAN, chain(2))                            # this one waits
        self.other.unload(self.others)
        self.assertEqual([len(self.loader.end_acquire(request).leases) for request in waiting], [1, 1])
        self.assertIsNone(self.loader.answer(plan).code())

    def test_a_heartbeat_behind_a_request_that_waits_counts(self):
        waiting = self.wait_twice()
        plan = self.loader.submit(PLAN, chain(2))
        beat = self.loader.submit(HEARTBEAT)
        time.sleep(self.TTL_MS * 2.5 / 1000)
        self.assertEqual((self.other.stats()["expired"], self.other.stats()["waiting"]), (0, 2))
        self.other.unload(self.others)
        self.assertEqual([len(self.loader.end_acquire(request).leases) for request in waiting], [1, 1])
        self.assertIsNone(self.loader.answer(plan).code())
        self.assertEqual(number(self.loader.take(beat), 1), 1)
        self.assertTrue(wait_for(lambda: self.other.stats()["expired"] == 1))


def storm(path, number_of, seconds, told):
    """One process that always has eight requests open; says which codes it was answered, and how often."""
    body, seen = chain(4000 // PATIENCE, op_type=f"s{number_of}"), {}
    until = time.monotonic() + seconds
    with PoolClient(path) as c:
        while time.monotonic() < until:
            for r in [c.submit(EXPLAIN if k == 1 else PLAN, body + field(15, k)) for k in range(8)]:
                code = c.answer(r).code()
                seen[code] = seen.get(code, 0) + 1
    told.put(seen)


class Storm(Case):
    """More than the daemon can do, for a while."""
    settings = {"jobs__queue_jobs_max": 16, "pool__ttl": f"{3000 * PATIENCE} ms", "cache__bytes_max": 0}
    SECONDS, CLIENTS = 5 * PATIENCE, 8

    def blow(self):
        told = multiprocessing.SimpleQueue()
        crowd = [multiprocessing.Process(target=storm, args=(self.daemon.path, n, self.SECONDS, told)) for n in range(self.CLIENTS)]
        for process in crowd:
            process.start()
        return crowd, told

    def settle(self, crowd, told):
        codes = {}
        for _ in crowd:
            for code, count in told.get().items():
                codes[code] = codes.get(code, 0) + count
        for process in crowd:
            process.join()
        return codes

    def test_loaders_keep_what_they_have(self):
        model = self.loader.register()
        got = self.loader.acquire(model, want(1000))
        first = self.occupy()
        crowd, told = self.blow()
        self.assertTrue(wait_for(lambda: self.daemon.metric("shed_extras_total") > 0))      # more than fits has come
        self.gate.open()
        self.assertIsNone(self.busy.answer(first).code())
        released, slowest, until = 0, 0, time.monotonic() + self.SECONDS
        while time.monotonic() < until:
            began = time.monotonic()
            self.assertEqual(self.loader.heartbeat()[0], 1)
            self.assertEqual(self.loader.release(got.ids[released])[0], 1)
            released += 1
            slowest = max(slowest, time.monotonic() - began)
            time.sleep(0.02)
        codes = self.settle(crowd, told)
        print(f"storm: {codes}; {released} heartbeats and releases, the slowest pair {slowest * 1e3:.0f} ms", flush=True)
        self.assertLessEqual(set(codes), {None, "SD2013", "SD2017"})
        self.assertGreater(codes.get("SD2017", 0), 0, "there was no overload")
        self.assertGreater(codes.get(None, 0), 0)
        self.assertEqual((self.loader.stats()["expired"], self.loader.stats()["live_leases"]), (0, 1000 - released))
        self.assertEqual(self.loader.unload(model)[0], 1000 - released)
        self.assertTrue(wait_for(lambda: self.daemon.is_quiet(3)), self.daemon.metrics())
        self.assertEqual(self.daemon.metric("shed_stage"), 0)


if __name__ == "__main__":
    e2e.main()
