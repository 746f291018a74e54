#!/usr/bin/env python3
"""Streams of a device through the socket: whose they are, how they come back, and what is said when there are too few."""
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from pool_client import *


class Case(unittest.TestCase):
    settings = {}

    def setUp(self):
        self.daemon = Daemon(**self.settings)
        self.addCleanup(self.daemon.__exit__, None)
        self.a, self.b = self.client(), self.client()

    def client(self):
        client = PoolClient(self.daemon.path)
        self.addCleanup(client.close)
        return client

    def refused(self, code, do, *arguments, **more):
        with self.assertRaises(Refused) as caught:
            do(*arguments, **more)
        self.assertEqual(caught.exception.code, code, caught.exception)
        return caught.exception

    def left(self, **expected):
        """Waits until the figures are these."""
        ok = wait_for(lambda: all(self.b.stats()[key] == value for key, value in expected.items()))
        self.assertTrue(ok, self.b.stats())


class Ownership(Case):
    settings = {"pool__streams_max": 8, "pool__mode": "shared"}

    def test_what_a_connection_has_is_nobody_elses(self):
        model = self.a.register()
        got = self.a.acquire(model, want(2))
        for do, arguments in ((self.b.release, got.ids[:1]), (self.b.unload, [model]), (self.b.acquire, [model, want()]), (self.b.heartbeat, [model]),
                              (self.b.reserve, [2, 1, model])):
            self.assertEqual(self.refused("SD5130", do, *arguments).status, "PERMISSION_DENIED")
        self.assertEqual(self.b.stats()["live_leases"], 2)
        self.assertEqual(self.a.release(*got.ids), (2, 0, []))

    def test_calls_in_the_wrong_order(self):
        self.assertEqual(self.refused("SD5101", self.a.acquire, 5, want()).status, "NOT_FOUND")
        self.assertEqual(self.refused("SD5101", self.a.acquire, 0, want()).status, "NOT_FOUND")
        self.refused("SD5103", self.a.release, 1)
        self.refused("SD5105", self.a.describe, 77)
        model = self.a.register()
        self.refused("SD5103", self.a.release, model)
        lease = self.a.acquire(model, want()).leases[0]
        self.refused("SD5101", self.a.unload, lease.lease)
        self.refused("SD5103", self.a.release, lease.slot)
        self.assertEqual(self.a.unload(model), (1, []))
        self.assertEqual(self.refused("SD5102", self.a.unload, model).status, "FAILED_PRECONDITION")
        self.refused("SD5102", self.a.acquire, model, want())
        self.assertEqual(self.refused("SD5106", self.a.describe, lease.lease).status, "FAILED_PRECONDITION")
        self.assertEqual(self.a.release(lease.lease), (0, 1, []))

    def test_release_is_all_or_nothing_too(self):
        model = self.a.register()
        got = self.a.acquire(model, want(3), events=2)
        self.refused("SD5103", self.a.release, got.ids[0], 12345)
        self.refused("SD5108", self.a.release, got.ids[0], model=model, events=3)
        self.refused("SD5101", self.a.release, got.ids[0], model=9, events=1)
        self.assertEqual(self.a.stats()["live_leases"], 3)
        self.assertEqual(self.a.release(got.ids[0], got.ids[0], got.ids[1], model=model, events=2), (2, 1, []))
        self.assertEqual(self.a.stats()["events"], 0)

    def test_domains_do_not_share_and_processes_are_domains(self):
        one, two = self.a.register("x", "one"), self.a.register("y", "two")
        plain, beside = self.a.register("z"), self.b.register("z")
        first = self.a.acquire(one, want()).slots
        self.assertNotEqual(self.a.acquire(two, want()).slots, first)
        mine = self.a.acquire(plain, want()).slots
        self.assertEqual(self.b.acquire(beside, want()).slots, mine)        # the same process behind another connection
        # Nobody gets into the domain of a process by its name.
        for name in ("process", f"#{os.getuid()}.{os.getpid()}", f"{os.getuid()}.{os.getpid()}"):
            self.assertTrue(self.b.acquire(self.b.register("thief", name), want()).leases[0].create)

    def test_names_come_back_as_they_were_and_are_escaped_where_they_are_told(self):
        name = 'q"\n\x01\u00fc'
        model = self.a.register(name, "d\u00fc")
        self.a.acquire(model, want(8))
        models, slots, waiting = self.b.list()
        self.assertEqual((text(models[0], 2), text(models[0], 3), number(models[0], 5), number(models[0], 7)), (name, "d\u00fc", os.getpid(), 8))
        self.assertEqual((len(slots), text(slots[0], 2), waiting), (8, "d\u00fc", []))
        x = self.refused("SD5110", self.b.acquire, self.b.register(), want())
        self.assertTrue(x.retryable)
        self.assertIn("held by 'q\\\"\\u000a\\u0001\u00fc'", x.message)
        self.assertIn(f"(uid {os.getuid()}, pid {os.getpid()}): 8", x.message)
        self.refused("SD5135", self.a.register, "n" * 513)
        self.refused("SD5135", self.a.register, "n", "d" * 513)
        self.refused("SD5135", self.a.register, b"\xc3\x28")
        self.refused("SD5135", self.a.register, "n", b"half\xc3")
        self.assertNotIn("\n\x01", self.daemon.log())

    def test_flags_of_both_spaces(self):
        model = self.a.register()
        got = self.a.acquire(model, want(flags=0x4, flag_space=1), want(flags=0x1))
        self.assertEqual([lease.flags for lease in got.leases], [1, 1])
        slot = self.a.describe(got.ids[0])[0]
        self.assertEqual([name.decode() for name in slot[8]], ["PERSISTENT"])
        self.assertEqual(self.refused("SD5001", self.a.acquire, model, want(flags=0x40)).status, "INVALID_ARGUMENT")

    def test_no_such_device(self):
        for do in (lambda: self.a.register(device=1), lambda: self.a.stats(1), lambda: self.a.list(1), lambda: self.a.budget(1, device=7),
                   lambda: self.a.ask(WATCH, field(1, 4000000000))):
            self.assertEqual(self.refused("SD5131", do).status, "NOT_FOUND")


class Limits(Case):
    settings = {"pool__streams_max": 16, "pool__events_max": 10, "pool__uid_streams_max": 12, "pool__conn_streams_max": 8, "pool__conn_models_max": 3}

    def test_user_and_connection_have_limits_of_their_own(self):
        mine, theirs = self.a.register(), self.b.register()
        self.a.acquire(mine, want(8))
        x = self.refused("SD5115", self.a.acquire, mine, want())
        self.assertFalse(x.retryable)
        x = self.refused("SD5114", self.b.acquire, theirs, want(5))
        self.assertTrue(x.retryable)
        self.assertIn("13", x.message)
        self.b.acquire(theirs, want(4))
        self.assertEqual(self.b.stats()["live_leases"], 12)
        self.assertEqual(self.daemon.metric('requests_total{method="Acquire",status="RESOURCE_EXHAUSTED"}'), 2)

    def test_models_of_a_connection_are_counted(self):
        models = [self.a.register() for _ in range(3)]
        self.refused("SD5116", self.a.register)
        self.a.unload(models[1])
        self.a.register()

    def test_hostile_counts(self):
        model = self.a.register()
        huge = (1 << 64) - 1
        self.refused("SD5115", self.a.acquire, model, want((1 << 32) - 1))
        self.refused("SD5115", self.a.acquire, model, *[want((1 << 32) - 1)] * 256)
        self.refused("SD5119", self.a.acquire, model, *[want()] * 257)
        self.refused("SD5109", self.a.acquire, model, want(task_count=1 << 63))
        self.refused("SD5109", self.a.acquire, model, want(task_count=huge))
        self.refused("SD5122", self.a.acquire, model, events=huge)
        self.refused("SD5123", self.a.acquire, model, notifies=1 << 32)
        self.refused("SD5122", self.a.reserve, 2, huge)
        self.refused("SD5133", self.a.reserve, 0, 1)
        self.refused("SD5133", self.a.reserve, 99, 1)
        self.refused("SD5108", self.a.release, model=model, events=huge)
        self.refused("SD5134", self.a.budget)
        self.assertEqual(number(self.a.budget(huge), 1), 0)
        self.assertEqual(self.a.acquire(model, want(0)).new_streams, 1)     # no count is one
        self.assertEqual(self.a.acquire(model).leases, [])
        for method in range(REGISTER_MODEL, WATCH + 1):
            self.assertEqual(self.a.call(method, b"\x0a\xff\xff\xff\xff\x0f").code(), "SD4004")
        self.assertEqual(self.a.stats()["live_leases"], 1)

    def test_what_is_lacking_is_told_by_resource(self):
        model = self.a.register()
        self.a.acquire(model, want(3), events=9)
        for code, events in (("SD5112", 2), ("SD5122", 11)):
            x = self.refused(code, self.a.acquire, model, events=events)
            for word in ("resource event", f"{events} needed", "1 available", "limit 10", "held by 'm'"):
                self.assertIn(word, x.message)
            self.assertEqual(x.retryable, code == "SD5112")
        self.assertEqual(self.daemon.metric('pool_refused_total{resource="event"}'), 2)
        self.assertEqual(self.daemon.metric('pool_refused_total{resource="stream"}'), 0)

    def test_budget_counts_what_is_left(self):
        self.a.acquire(self.a.register(), want(6), events=5)
        answer = self.a.budget(2, 2)
        self.assertEqual((number(answer, 1), number(answer, 2)), (2, 2))    # five events are left, two each
        self.assertEqual((number(answer, 3), number(answer, 4), number(answer, 5)), (10, 5, 1024))
        self.assertEqual(number(self.a.budget(3), 1), 3)

    def test_reserve_without_a_model_has_one_of_its_own(self):
        answer = self.a.reserve(2, 4)
        again = self.a.reserve(2, 1)
        self.assertEqual(number(answer, 1), number(again, 1))
        self.assertEqual((number(again, 2), number(again, 3)), (5, 5))
        self.a.release(model=number(again, 1), events=5)
        self.assertEqual(self.a.stats()["events"], 0)

    def test_a_dry_run_changes_nothing(self):
        model = self.a.register()
        got = self.a.acquire(model, want(5), dry_run=1)
        self.assertEqual((got.new_streams, got.leases), (5, []))
        self.refused("SD5115", self.a.acquire, model, want(9), dry_run=1)
        self.refused("SD5122", self.a.acquire, model, events=11, dry_run=1)
        self.assertEqual(self.a.stats()["live"], 0)

    def test_a_token_answers_the_same_again(self):
        model = self.a.register()
        first = self.a.acquire(model, want(2), token=7)
        again = self.a.acquire(model, want(2), token=7)
        self.assertEqual(first.ids, again.ids)
        self.assertNotEqual(self.a.acquire(model, want(2), token=8).ids, first.ids)
        self.assertEqual(self.a.stats()["live_leases"], 4)
        other = self.a.register()                                           # tokens are those of a model
        self.assertNotEqual(self.a.acquire(other, want(2), token=7).ids, first.ids)
        self.a.unload(model)
        self.refused("SD5102", self.a.acquire, model, want(2), token=7)


class ComingBack(Case):
    settings = {"pool__streams_max": 4, "pool__ttl": "300 s"}
    TTL_MS = 600

    def test_a_closed_connection_gives_everything_back(self):
        self.a.acquire(self.a.register(), want(4), events=3, notifies=2)
        self.a.close()
        self.left(models=0, live_leases=0, events=0, notifies=0, live=0)
        self.assertEqual(self.b.acquire(self.b.register(), want(4)).new_streams, 4)

    def test_a_goodbye_gives_everything_back(self):
        self.a.acquire(self.a.register(), want(4))
        self.a.send(frame(GOODBYE))
        self.left(models=0, live_leases=0)

    def test_a_killed_process_gives_everything_back(self):
        code = ("import sys, time; sys.path.insert(0, sys.argv[1]); from pool_client import *; c = PoolClient(sys.argv[2]);"
                "c.acquire(c.register('doomed'), want(4), events=7); print('has', flush=True); time.sleep(60)")
        child = subprocess.Popen([sys.executable, "-c", code, str(ROOT / "tests/lib"), self.daemon.path], stdout=subprocess.PIPE, text=True)
        self.assertEqual(child.stdout.readline(), "has\n")
        self.assertEqual(self.b.stats()["live_leases"], 4)
        x = self.refused("SD5110", self.b.acquire, self.b.register(), want())
        self.assertIn(f"'doomed' (uid {os.getuid()}, pid {child.pid}): 4", x.message)
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
        self.left(live_leases=0, events=0, live=0)

    def test_a_silent_model_expires_and_its_leases_are_stale(self):
        began = []

        def acquire():
            began[:] = [time.monotonic(), self.a.register("silent", ttl_ms=self.TTL_MS)]
            return self.a.acquire(began[1], want()).ids[0]
        lease = until_in_time(acquire, LONG)
        self.left(models=0, live_leases=0)
        self.assertGreater(time.monotonic() - began[0], self.TTL_MS / 1000)
        self.assertIn('"why":"expired"', self.daemon.log())
        self.assertEqual(self.daemon.metric("pool_expired_total"), self.b.stats()["expired"])
        self.assertGreater(self.b.stats()["expired"], 0)
        self.refused("SD5102", self.a.acquire, began[1], want())
        self.refused("SD5106", self.a.describe, lease)
        self.assertEqual(self.a.release(lease), (0, 1, []))

    def keep(self, do):
        """A model outlives its time while this is done again and again, each time before it is over; a test that is held up for that long begins anew."""
        model = self.a.register("kept", ttl_ms=self.TTL_MS)
        last, end = time.monotonic(), time.monotonic() + self.TTL_MS * 2 / 1000
        while time.monotonic() < end:
            before = time.monotonic()
            try:
                do(model)
                failed = None
            except (AssertionError, Refused) as x:
                failed = x
            if time.monotonic() - last > self.TTL_MS * 0.9 / 1000:
                self.left(models=0)
                return self.keep(do)
            if failed:
                raise failed
            last = before
            time.sleep(self.TTL_MS / 5000)
        self.left(models=0)

    def test_heartbeats_and_pings_and_calls_keep_a_model(self):
        def ping(_):
            self.a.send(frame(PING, b"x", request_id=9))
            self.assertEqual(self.a.receive().kind, PONG)
            self.assertEqual(self.b.stats()["models"], 1)

        self.keep(lambda _: self.assertEqual(self.a.heartbeat(), (1, [])))
        self.keep(lambda model: self.assertEqual(self.a.heartbeat(model), (1, [])))
        self.keep(ping)
        self.keep(lambda model: self.a.acquire(model))
        model = self.a.register(ttl_ms=self.TTL_MS)
        self.assertTrue(wait_for(lambda: self.a.stats()["models"] == 0))    # asks again and again, and names no model
        self.refused("SD5102", self.a.heartbeat, model)
        self.assertEqual(self.a.heartbeat(), (0, []))

    def test_a_model_may_ask_for_less_time_and_not_for_more(self):
        answer = self.a.ask(REGISTER_MODEL, field(1, "m") + field(5, 50))
        self.assertEqual(number(answer, 2), 50)
        self.assertEqual(number(self.a.ask(REGISTER_MODEL, field(1, "m") + field(5, 1 << 31)), 2), 300000)
        self.left(expired=1, models=1)

    def test_broken_streams_are_not_given_again(self):
        model = self.a.register("m", "d")
        first = self.a.acquire(model, want(2))
        self.assertEqual(self.a.release(first.ids[0], broken=1), (1, 0, [first.slots[0]]))
        self.a.release(first.ids[1])
        got = self.a.acquire(model, want(2))
        self.assertEqual([lease.create for lease in got.leases], [False, True])
        self.assertNotIn(first.slots[0], got.slots)
        self.assertEqual(self.a.stats()["created"], 2)

    def test_idle_streams_make_room_for_other_keys(self):
        one, two = self.a.register("m", "one"), self.b.register("m", "two")
        mine = self.a.acquire(one, want(3))
        self.a.release(*mine.ids)
        x = self.refused("SD5110", self.b.acquire, two, want(2))            # another's, who may want them back
        self.assertIn("3 idle", x.message)
        got = self.a.acquire(one, want(2, priority=1))                      # its own: told to destroy one
        self.assertEqual((got.new_streams, len(got.destroy)), (2, 1))
        self.assertIn(got.destroy[0], mine.slots)
        self.a.unload(one)
        got = self.b.acquire(two, want(4))                                  # nobody's any more
        self.assertEqual((got.new_streams, got.destroy), (4, []))

    def test_a_process_takes_its_idle_streams_with_it(self):
        model = self.a.register()
        self.a.release(*self.a.acquire(model, want(3)).ids)
        self.left(live=3, idle=3)
        self.a.close()
        self.left(live=0, models=0)


class Devices(Case):
    settings = {"pool__devices": 2, "pool__streams_max": 4, "pool__keep_idle": 0}

    def test_devices_are_apart(self):
        here, there = self.a.register(device=0), self.a.register(device=1)
        first, second = self.a.acquire(here, want(4)), self.a.acquire(there, want(3))
        self.assertFalse(set(first.ids) & set(second.ids) or set(first.slots) & set(second.slots))
        self.assertEqual((self.a.stats(0)["live_leases"], self.a.stats(1)["live_leases"]), (4, 3))
        self.refused("SD5110", self.a.acquire, here, want())
        self.assertEqual(self.a.release(second.ids[0], first.ids[0]), (2, 0, [second.slots[0], first.slots[0]]))
        self.assertEqual((self.a.stats(0)["live"], self.a.stats(1)["live"]), (3, 2))
        self.assertEqual(self.daemon.metric("pool_leases"), 5)
        self.assertEqual(number(self.a.describe(second.ids[1])[0], 1), second.slots[1])

    def test_idle_streams_are_destroyed_where_they_are_not_kept(self):
        model = self.a.register()
        got = self.a.acquire(model, want(3))
        self.assertEqual(self.a.release(got.ids[0])[2], got.slots[:1])
        self.assertEqual(self.a.unload(model), (2, got.slots[1:]))
        self.assertEqual(self.a.stats()["destroyed"], 3)


class Settings(unittest.TestCase):
    def test_settings_are_read_again(self):
        with tempfile.NamedTemporaryFile("w", suffix=".conf") as conf:
            conf.write("pool.streams_max = 2\npool.devices = 1\n")
            conf.flush()
            daemon = Daemon()
            daemon.stop()
            daemon.arguments = lambda: [STREAMD, "--config", conf.name, "--set", f"socket.path={daemon.path}", "--set", f"http.port={daemon.port}"]
            daemon.start()
            with daemon, PoolClient(daemon.path) as c:
                model = c.register()
                c.acquire(model, want(2))
                with self.assertRaises(Refused):
                    c.acquire(model, want())
                conf.write("pool.streams_max = 3\npool.mode = shared\n")
                conf.flush()
                waiting = c.begin_acquire(model, want(), wait_ms=20000)
                daemon.signal(signal.SIGHUP)
                self.assertEqual(c.end_acquire(waiting).new_streams, 1)     # who waited is served by the new limit
                limits = parse(c.ask(POOL_STATS)[13][0])
                self.assertEqual((number(limits, 1), number(limits, 8)), (3, 2))

    def test_settings_that_cannot_be_are_refused(self):
        for setting, word in (("pool.profile=moon", "moon"), ("pool.mode=some", "exclusive or shared"), ("pool.streams_reserved=1024", "1024"),
                              ("pool.devices=65", "64")):
            p = subprocess.run([STREAMD, "--check-config", "--set", setting], capture_output=True, text=True)
            self.assertEqual(p.returncode, 1)
            self.assertIn(word, p.stderr)

    def test_a_profile_gives_the_limits(self):
        with Daemon(pool__profile="nano", pool__tasks_max=77) as daemon, PoolClient(daemon.path) as c:
            limits = parse(c.ask(REGISTER_MODEL, field(1, "m"))[3][0])
            self.assertEqual([number(limits, i) for i in (1, 4, 5, 6, 8)], [56, 512, 1024, 77, 1])

    def test_no_device_at_all(self):
        with Daemon(pool__devices=0) as daemon, PoolClient(daemon.path) as c:
            with self.assertRaises(Refused) as caught:
                c.register()
            self.assertEqual(caught.exception.code, "SD5131")

    @unittest.skipIf(os.geteuid() != 0, "needs another user")
    def test_only_the_group_holds_leases_where_one_is_named(self):
        with Daemon(pool__group="daemon") as daemon:
            os.chmod(daemon.folder.name, 0o755)
            os.chmod(daemon.path, 0o666)
            for groups, codes in (([], ["SD4013", None]), ([1], [None, None])):
                self.assertEqual(self.codes_as(65534, groups, daemon), codes)

    def codes_as(self, uid, groups, daemon):
        """What RegisterModel and PoolStats answer another user."""
        here, there = os.pipe()
        child = os.fork()
        if child == 0:
            os.setgroups(groups)
            os.setgid(uid)
            os.setuid(uid)
            with Client(daemon.path) as c:
                os.write(there, repr([c.call(REGISTER_MODEL).code(), c.call(POOL_STATS).code()]).encode())
            os._exit(0)
        os.waitpid(child, 0)
        os.close(there)
        with os.fdopen(here) as answer:
            return eval(answer.read())


if __name__ == "__main__":
    e2e.main()
