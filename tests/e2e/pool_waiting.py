#!/usr/bin/env python3
"""Acquires that wait in line, and peers that watch a device."""
import pathlib
import select
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from pool_client import *


class Case(unittest.TestCase):
    settings = {"pool__streams_max": 4, "pool__keep_idle": 0}

    def setUp(self):
        self.daemon = Daemon(gated=True, **self.settings)
        self.addCleanup(self.daemon.__exit__, None)
        self.a, self.b, self.c = self.client(), self.client(), self.client()
        self.owner = self.a.register("owner", "d")

    def client(self):
        client = PoolClient(self.daemon.path)
        self.addCleanup(client.close)
        return client

    def refused(self, code, do, *arguments, **more):
        with self.assertRaises(Refused) as caught:
            do(*arguments, **more)
        self.assertEqual(caught.exception.code, code, caught.exception)
        return caught.exception

    def waiting(self, count):
        self.assertTrue(wait_for(lambda: self.a.stats()["waiting"] == count), self.a.stats())

    def is_silent(self, client, within=0.1):
        return not client.buffer and not select.select([client.socket], [], [], within)[0]

    def wait_with(self, client, count, priority=0, wait_ms=600000, **more):
        """A new model that waits: its number and that of the request."""
        before = self.a.stats()["waiting"]
        model = client.register("waiter", "d", priority=priority)
        request = client.begin_acquire(model, want(count), wait_ms=wait_ms, **more)
        self.waiting(before + 1)
        return model, request


class Line(Case):
    def test_who_waits_is_served_as_soon_as_there_is_enough(self):
        held = self.a.acquire(self.owner, want(4)).ids
        model, request = self.wait_with(self.b, 2)
        self.a.release(held[0])
        self.assertTrue(self.is_silent(self.b))
        self.a.release(held[1])
        got = self.b.end_acquire(request)
        self.assertEqual(len(got.leases), 2)
        self.assertGreaterEqual(got.waited_ms, 90)
        self.waiting(0)
        self.assertEqual(self.daemon.metric("pool_wait_seconds_count"), 1)

    def test_nobody_overtakes_the_first_in_line(self):
        held = self.a.acquire(self.owner, want(4)).ids
        _, large = self.wait_with(self.b, 4)
        small_model, small = self.wait_with(self.c, 1)
        self.a.release(*held[:3])
        self.assertTrue(self.is_silent(self.c))                            # three are free, and the first wants four
        self.refused("SD5117", self.a.acquire, self.owner, want())
        self.refused("SD5117", self.a.reserve, 2, 1)
        self.assertEqual([number(w, 2) for w in self.a.list()[2]], [4, 1])
        self.a.release(held[3])
        got = self.b.end_acquire(large)
        self.assertTrue(self.is_silent(self.c))
        self.b.release(*got.ids)
        self.assertEqual(len(self.c.end_acquire(small).leases), 1)

    def test_the_more_urgent_go_first_and_among_equals_the_earlier(self):
        held = self.a.acquire(self.owner, want(4)).ids
        waiters = [self.wait_with(self.client(), 1, priority) for priority in (5, 2, 5, 0)]
        listed = [number(w, 1) for w in self.a.list()[2]]
        self.assertEqual(listed, [waiters[i][0] for i in (3, 1, 0, 2)])
        for i, lease in enumerate(held):
            self.a.release(lease)
            self.waiting(3 - i)
            self.assertEqual([number(w, 1) for w in self.a.list()[2]], listed[i + 1:])

    def test_the_more_urgent_need_not_wait_where_there_is_enough(self):
        self.a.acquire(self.owner, want(2))
        self.wait_with(self.b, 3, priority=4)
        urgent = self.c.register("urgent", "d", priority=1)
        self.assertEqual(len(self.c.acquire(urgent, want(2)).leases), 2)

    def test_time_is_kept_and_the_refusal_tells_why(self):
        self.a.acquire(self.owner, want(4))
        model = self.b.register()
        for more in ({"wait_ms": 150}, {"wait_ms": 60000, "deadline_ms": 150}):
            began = time.monotonic()
            x = self.refused("SD5110", self.b.acquire, model, want(), **more)
            self.assertIn("'owner'", x.message)
            self.assertTrue(0.14 < time.monotonic() - began < 50)                    # not as long as the other of both times
        self.waiting(0)
        began = time.monotonic()
        self.refused("SD5120", self.b.acquire, model, want(5), wait_ms=60000)       # never: no use in waiting
        self.assertLess(time.monotonic() - began, 50)

    def test_who_gives_up_lets_the_next_go_on(self):
        held = self.a.acquire(self.owner, want(4)).ids
        self.a.release(held[0])
        for leave in ("cancel", "close", "unload"):
            client = self.client()
            model, request = self.wait_with(client, 3, wait_ms=600000)
            follower = self.client()
            _, small = self.wait_with(follower, 1, wait_ms=600000)
            self.assertTrue(self.is_silent(follower, 0.05))
            if leave == "cancel":
                client.cancel(request)
                self.refused("SD4008", client.end_acquire, request)
            elif leave == "close":
                client.close()
            else:
                client.unload(model)
                self.refused("SD5102", client.end_acquire, request)
            got = follower.end_acquire(small)
            follower.release(*got.ids)
            follower.close()
        client, follower = self.client(), self.client()                              # and who has waited long enough
        model, other = client.register(), follower.register()
        request = client.begin_acquire(model, want(3), wait_ms=300)
        self.assertEqual(len(follower.acquire(other, want(1), wait_ms=600000).leases), 1)
        self.refused("SD5110", client.end_acquire, request)
        self.waiting(0)
        follower.close()
        self.assertTrue(wait_for(lambda: self.a.stats()["live_leases"] == 3))

    def test_an_expired_model_leaves_the_line(self):
        self.a.acquire(self.owner, want(4))
        model = self.b.register("brief", "d", ttl_ms=200)
        request = self.b.begin_acquire(model, want(), wait_ms=600000)
        self.refused("SD5102", self.b.end_acquire, request)
        self.waiting(0)

    def test_all_or_nothing_waits_for_events_too(self):
        self.a.acquire(self.owner, notifies=1020)
        model = self.b.register()
        request = self.b.begin_acquire(model, want(1), notifies=10, wait_ms=600000)
        self.waiting(1)
        self.assertEqual(self.a.stats()["live_leases"], 0)
        self.a.release(model=self.owner, notifies=6)
        self.assertEqual(self.b.end_acquire(request).notifies, 10)

    def test_a_token_that_waits_is_not_asked_for_twice(self):
        self.a.acquire(self.owner, want(4))
        model = self.b.register()
        request = self.b.begin_acquire(model, want(), token=5, wait_ms=600000)
        self.waiting(1)
        self.refused("SD5132", self.b.acquire, model, want(), token=5, wait_ms=600000)
        self.a.unload(self.owner)
        self.assertEqual(self.b.end_acquire(request).ids, self.b.acquire(model, want(), token=5).ids)

    def test_a_drain_ends_the_waiting_and_leases_end_with_it(self):
        held = self.a.acquire(self.owner, want(4)).ids
        _, request = self.wait_with(self.b, 1)
        watching = self.c.submit(WATCH)
        self.c.receive()
        self.daemon.signal()
        self.refused("SD4006", self.b.end_acquire, request)
        self.refused("SD4006", self.c.take, watching)
        self.assertEqual(self.daemon.process.wait(LONG), 0)
        self.assertIn('"why":"connection","released":4', self.daemon.log())

    def test_no_new_leases_while_draining_but_old_ones_may_go(self):
        held = self.a.acquire(self.owner, want(2)).ids
        gate = self.daemon.gate()
        with self.daemon.client() as busy:
            busy.submit(PLAN, gate.graph())
            self.assertTrue(wait_for(lambda: self.daemon.metric("jobs_running") == 1))
            self.daemon.signal()
            self.assertTrue(wait_for(lambda: "draining" in self.daemon.log()))
            for do in (lambda: self.a.acquire(self.owner, want()), self.a.register, lambda: self.a.reserve(2, 1), lambda: self.a.ask(WATCH)):
                self.refused("SD4006", do)
            self.assertEqual(self.a.release(*held)[0], 2)
            self.assertEqual(self.a.heartbeat()[0], 1)
            gate.open()
            self.assertEqual(busy.receive().kind, GOODBYE)
            self.assertEqual(busy.receive().kind, ANSWER)
        self.assertEqual(self.daemon.process.wait(LONG), 0)


class Idle(Case):
    settings = {"pool__streams_max": 4, "pool__waiting_max": 2}

    def test_nothing_is_kept_idle_while_others_wait(self):
        held = self.a.acquire(self.owner, want(4))
        self.a.release(*held.ids[:2])                                       # kept for the domain of the owner
        other = self.b.register("other", "elsewhere")
        request = self.b.begin_acquire(other, want(3), wait_ms=600000)
        self.waiting(1)
        self.assertTrue(self.is_silent(self.b))
        renewed, destroy = self.a.heartbeat(self.owner)
        self.assertEqual(sorted(destroy), sorted(held.slots[:2]))
        self.assertTrue(self.is_silent(self.b))
        self.assertEqual(self.a.release(held.ids[2])[2], held.slots[2:3])
        self.assertEqual(len(self.b.end_acquire(request).leases), 3)

    def test_the_line_has_an_end(self):
        self.a.acquire(self.owner, want(4))
        for _ in range(2):
            self.wait_with(self.client(), 1)
        x = self.refused("SD5118", self.b.acquire, self.b.register(), want(), wait_ms=600000)
        self.assertTrue(x.retryable)


class Rush(Case):
    settings = {"pool__streams_max": 6, "pool__mode": "shared"}

    def acquire_patiently(self, client, model, count):
        """Who waits is heard of meanwhile, and is told which of its idle streams others wait for."""
        request = client.begin_acquire(model, want(count), wait_ms=60000)
        while self.is_silent(client, 0.05):
            client.heartbeat()
            if request in client.others:
                break
        return client.end_acquire(request)

    def test_many_loaders_all_get_their_turn(self):
        rounds, troubles = 30 // PATIENCE, []

        def load(i):
            try:
                with PoolClient(self.daemon.path) as c:
                    for n in range(rounds):
                        model = c.register(f"m{i}", f"d{i}")
                        got = self.acquire_patiently(c, model, 1 + (i + n) % 6)
                        self.assertEqual(len(set(got.slots)), 1 + (i + n) % 6)
                        c.unload(model)
            except Exception as x:
                troubles.append(x)

        threads = [threading.Thread(target=load, args=(i,)) for i in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(troubles, [])
        self.assertTrue(wait_for(lambda: self.a.stats()["models"] == 1))
        self.assertEqual([self.a.stats()[key] for key in ("live_leases", "waiting")], [0, 0])


class Watching(Case):
    settings = {"pool__streams_max": 4, "pool__keep_idle": 0, "socket__stall_timeout": "10 min"}

    def told(self, client, request):
        got = client.receive()
        self.assertEqual((got.kind, got.request_id), (ANSWER, request))
        return number(got.message(), 1), stats_of(parse(got.message()[2][0]))

    def test_one_answer_at_once_and_one_for_each_change(self):
        request = self.b.submit(WATCH)
        change, stats = self.told(self.b, request)
        self.assertEqual((stats["models"], stats["live_leases"]), (1, 0))
        self.assertTrue(self.is_silent(self.b))
        lease = self.a.acquire(self.owner, want(2)).ids[0]
        later, stats = self.told(self.b, request)
        self.assertGreater(later, change)
        self.assertEqual(stats["live_leases"], 2)
        self.a.release(lease)
        self.assertEqual(self.told(self.b, request)[1]["live_leases"], 1)
        self.assertEqual(self.daemon.metric("pool_watchers"), 1)
        self.b.cancel(request)
        self.refused("SD4008", self.b.take, request)
        self.a.acquire(self.owner, want())
        self.assertTrue(self.is_silent(self.b))
        self.assertEqual(self.daemon.metric("pool_watchers"), 0)

    def test_a_slow_reader_is_told_the_last_and_holds_nobody_up(self):
        request = self.b.submit(WATCH)
        self.told(self.b, request)
        for _ in range(1500 // PATIENCE):
            self.a.release(*self.a.acquire(self.owner, want()).ids)
        self.a.acquire(self.owner, want(3))
        seen = 0
        while True:
            change, stats = self.told(self.b, request)
            seen += 1
            if stats["live_leases"] == 3:
                break
        self.assertLess(seen, 3000 // PATIENCE)
        self.assertTrue(self.is_silent(self.b))

    def test_a_watch_ends_with_its_deadline_or_its_peer(self):
        request = self.b.submit(WATCH, deadline_ms=100)
        self.told(self.b, request)
        self.assertEqual(self.b.answer(request).code(), "SD4007")
        self.b.submit(WATCH)
        self.c.submit(WATCH)
        self.b.receive()
        self.c.receive()
        self.b.close()
        self.assertTrue(wait_for(lambda: self.daemon.metric("pool_watchers") == 1))
        self.a.acquire(self.owner, want())
        self.assertEqual(stats_of(parse(self.c.receive().message()[2][0]))["live_leases"], 1)


if __name__ == "__main__":
    e2e.main()
