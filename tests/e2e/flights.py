#!/usr/bin/env python3
"""Identical requests: one job for all of them while it runs, the cache afterwards."""
import pathlib
import random
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from streamd_wire import *

RING = 60000 // PATIENCE


class Flights(unittest.TestCase):
    def setUp(self):
        self.daemon = Daemon(gated=True, jobs__workers=2)
        self.addCleanup(self.daemon.__exit__, None)
        self.gate = self.daemon.gate()

    def stats(self, client):
        names = ("entries", "bytes", "bytes_max", "hits", "raw_hits", "joins", "misses", "evictions")
        message = client.call(CACHE_STATS).message()
        return {name: number(message, i + 1) for i, name in enumerate(names)}

    def crowd(self, count):
        clients = [self.daemon.client() for _ in range(count)]
        for c in clients:
            self.addCleanup(c.close)
        return clients

    def joined(self, count):
        self.assertTrue(wait_for(lambda: self.daemon.metric("joins_total") == count), self.daemon.metric("joins_total"))

    def test_same_bytes_are_answered_from_the_cache_without_decoding(self):
        with self.daemon.client() as c:
            first, second = c.call(PLAN, chain(50)), c.call(PLAN, chain(50))
            self.assertEqual(first.plan(), second.plan())
            self.assertEqual((number(first.message(), 2), number(second.message(), 2)), (0, 1))
            self.assertGreater(number(first.message(), 3), 0)
            self.assertEqual(number(second.message(), 3), 0)
            stats = self.stats(c)
            self.assertEqual((stats["entries"], stats["hits"], stats["raw_hits"], stats["misses"]), (1, 1, 1, 1))

    def test_renamed_graph_gets_the_same_bytes(self):
        with self.daemon.client() as c:
            first = c.call(PLAN, chain(50, "a"))
            for turn in range(2):
                again = c.call(PLAN, chain(50, "other"))
                self.assertEqual(first.plan(), again.plan())
                self.assertEqual(number(again.message(), 2), 1)
            stats = self.stats(c)
            self.assertEqual((stats["entries"], stats["hits"], stats["raw_hits"], stats["misses"]), (1, 2, 1, 1))
            self.assertEqual(self.daemon.metric("plans_total"), 1)

    def test_the_same_bytes_ask_for_two_plans(self):
        with self.daemon.client() as c:
            bare, told = c.call(PLAN, chain(50)), c.call(EXPLAIN, chain(50))
            self.assertGreater(len(told.plan()), len(bare.plan()))
            self.assertEqual(c.call(PLAN, chain(50)).plan(), bare.plan())
            self.assertEqual(c.call(EXPLAIN, chain(50)).plan(), told.plan())
            self.assertEqual(c.call(EXPLAIN, chain(50, "other")).plan(), told.plan())
            stats = self.stats(c)
            self.assertEqual((stats["entries"], stats["hits"], stats["raw_hits"], stats["misses"]), (2, 3, 2, 2))

    def test_a_simulation_is_asked_for_by_method_or_by_option(self):
        simulated = chain(50) + field(2, field(19, 1))
        with self.daemon.client() as c:
            bare, told = c.call(PLAN, chain(50)), c.call(SIMULATE, chain(50))
            self.assertEqual((22 in parse(bare.plan()), 22 in parse(told.plan())), (False, True))
            self.assertEqual(c.call(PLAN, simulated).plan(), told.plan())
            self.assertEqual(c.call(PLAN, chain(50)).plan(), bare.plan())
            self.assertEqual((c.call(SIMULATE, chain(50)).plan(), c.call(SIMULATE, simulated).plan()), (told.plan(), told.plan()))
            self.assertEqual(self.daemon.metric("plans_total"), 2)
            self.assertEqual(self.daemon.metric('requests_total{method="Simulate",status="OK"}'), 3)

    def test_flush_forgets(self):
        with self.daemon.client() as c:
            c.call(PLAN, chain(50))
            self.assertEqual(number(c.call(CACHE_FLUSH).message(), 1), 1)
            self.assertEqual(self.stats(c)["bytes"], 0)
            self.assertEqual(number(c.call(PLAN, chain(50)).message(), 2), 0)

    def test_budget_is_kept_and_the_oldest_goes_first(self):
        with Daemon(cache__bytes_max="64 KiB") as daemon, daemon.client() as c:
            for i in range(200):
                self.assertEqual(c.call(PLAN, chain(40, op_type=f"T{i}")).kind, ANSWER)
                c.call(PLAN, chain(40, op_type="T0"))       # used all the time: stays
            stats = self.stats(c)
            self.assertLessEqual(stats["bytes"], 65536)
            self.assertGreater(stats["evictions"], 0)
            self.assertEqual(number(c.call(PLAN, chain(40, op_type="T0")).message(), 2), 1)
            self.assertEqual(number(c.call(PLAN, chain(40, op_type="T1")).message(), 2), 0)
            self.assertEqual(c.call(PLAN, chain(5000)).kind, ANSWER)      # too large for the cache
            self.assertEqual(number(c.call(PLAN, chain(5000)).message(), 2), 0)

    def test_crowd_is_one_run(self):
        clients = self.crowd(50)
        for name, c in enumerate(clients):
            c.submit(PLAN, self.gate.graph() if name % 2 else self.gate.graph() + field(3, b""))
        self.joined(49)
        self.gate.open()
        answers = [c.receive() for c in clients]
        self.assertEqual(len({a.plan() for a in answers}), 1)
        self.assertEqual(self.daemon.metric("plans_total"), 1)
        with self.daemon.client() as c:
            stats = self.stats(c)
            self.assertEqual((stats["misses"], stats["hits"], stats["joins"]), (1, 0, 49))

    @unittest.skipUnless(os.environ.get("TIER") == "long", "takes long")
    def test_crowd_of_many_hundred_is_one_run(self):
        with Daemon(jobs__workers=2, jobs__queue_jobs_max=1000, socket__stall_timeout="10 min") as daemon:
            clients = [daemon.client() for _ in range(800)]
            for c in clients:
                c.submit(PLAN, slow("many", 6000))
            self.assertEqual(len({c.receive().plan() for c in clients}), 1)
            self.assertEqual(daemon.metric("plans_total"), 1)
            for c in clients:
                c.close()
            self.assertTrue(wait_for(daemon.is_quiet))

    def test_leader_leaves_and_the_others_get_their_plan(self):
        for leave in ("cancel", "deadline", "close"):
            leader, *others = self.crowd(6)
            gate, joins = self.daemon.gate(), self.daemon.metric("joins_total")
            doomed = leader.submit(PLAN, gate.graph(), deadline_ms=1000 if leave == "deadline" else 0)
            self.assertTrue(wait_for(lambda: self.daemon.metric("jobs_running") == 1))
            ids = [c.submit(PLAN, gate.graph()) for c in others]
            if leave == "deadline":
                self.assertEqual(leader.answer(doomed).code(), "SD4007")
            else:
                self.joined(joins + 5)
            if leave == "cancel":
                leader.cancel(doomed)
                self.assertEqual(leader.answer(doomed).code(), "SD4008")
            elif leave == "close":
                leader.close()
            gate.open()
            for c, i in zip(others, ids):
                self.assertEqual(c.answer(i).kind, ANSWER, leave)
        self.assertTrue(wait_for(lambda: self.daemon.metric("requests_open") == 0))

    def test_all_but_one_cancel(self):
        clients = self.crowd(60)
        ids = [c.submit(PLAN, self.gate.graph()) for c in clients]
        self.joined(59)
        chosen = random.Random(7).randrange(60)
        for i, c in enumerate(clients):
            if i != chosen:
                c.cancel(ids[i])
                self.assertEqual(c.answer(ids[i]).code(), "SD4008")
        self.gate.open()
        self.assertEqual(clients[chosen].answer(ids[chosen]).kind, ANSWER)
        self.assertEqual(self.daemon.metric("plans_total"), 1)
        self.assertTrue(wait_for(lambda: self.daemon.is_quiet(60)))

    def test_everybody_leaves_and_the_job_stops(self):
        clients = self.crowd(8)
        ids = [c.submit(PLAN, self.gate.graph()) for c in clients]
        self.joined(7)
        for c, i in zip(clients, ids):
            c.cancel(i)
        for c, i in zip(clients, ids):
            self.assertEqual(c.answer(i).code(), "SD4008")
        self.assertTrue(wait_for(lambda: self.daemon.is_quiet(8)))              # the gate is still shut
        self.assertEqual(self.daemon.metric("plans_total"), 0)

    def test_errors_name_the_nodes_of_their_own_request(self):
        clients = self.crowd(20)
        ring = [node("{}0", "Add", ["{}%d" % (RING - 1)])] + [node("{}%d" % i, "Add", ["{}%d" % (i - 1)]) for i in range(1, RING)]
        template = request(ring)
        names = [chr(ord("a") + i) * 2 for i in range(20)]
        bodies = [template.replace(b"{}", n.encode()) for n in names]
        ids = [c.submit(PLAN, body) for c, body in zip(clients, bodies)]
        for c, i, name in zip(clients, ids, names):
            got = c.answer(i).message()
            self.assertEqual(text(got, 1), "E18888")
            self.assertTrue(text(got, 4).startswith(name), (text(got, 4), name))
            self.assertIn(name, text(got, 3))

    def test_one_worker_serves_a_crowd(self):
        with Daemon(jobs__workers=1) as daemon:
            clients = [daemon.client() for _ in range(40)]
            for turn, c in enumerate(clients):
                c.submit(PLAN, chain(2000, op_type=f"one{turn % 3}"))
            for c in clients:
                self.assertEqual(c.receive().kind, ANSWER)
                c.close()
            self.assertEqual(daemon.metric("plans_total"), 3)
            self.assertTrue(wait_for(daemon.is_quiet))


if __name__ == "__main__":
    e2e.main()
