#!/usr/bin/env python3
"""The status page and /status.json: what they tell, beside what the methods tell; what they refuse; that they are bounded, and cost little."""
import base64
import hashlib
import json
import pathlib
import re
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from busy import HOSTILE, Busy
from pool_client import *
from status_reader import *
from waits import Waits

KEYS = ["time_ms", "page", "status", "jobs", "cache", "errors", "devices", "bounds_us", "methods", "stages", "gauges", "counters"]
CUT = 64            # bytes of a name that are told
ROWS = 20           # of a kind


class Served(unittest.TestCase):
    """What a browser gets."""

    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon()
        cls.addClassCleanup(cls.daemon.__exit__, None)

    def test_the_page_is_one_and_may_run_nothing_else(self):
        got = fetch(self.daemon, "/")
        page = got.body.decode()
        self.assertEqual((got.status, got.headers["content-type"]), (200, "text/html; charset=utf-8"))
        self.assertEqual(len(got.body), int(got.headers["content-length"]))
        policy = dict(part.strip().split(" ", 1) for part in got.headers["content-security-policy"].split(";"))
        for element in ("script", "style"):
            inside = re.findall(rf"(?s)<{element}[^>]*>(.*?)</{element}>", page)
            self.assertEqual(len(inside), 1)
            digest = base64.b64encode(hashlib.sha256(inside[0].encode()).digest()).decode()
            self.assertEqual(policy[f"{element}-src"], f"'sha256-{digest}'")
        self.assertEqual({key: policy[key] for key in ("default-src", "connect-src", "base-uri", "form-action", "frame-ancestors")},
                         {"default-src": "'none'", "connect-src": "'self'", "base-uri": "'none'", "form-action": "'none'", "frame-ancestors": "'none'"})
        self.assertNotIn("unsafe", got.headers["content-security-policy"])
        self.assertEqual(re.findall(r"(?:src|href|action)=\"([^\"]*)\"", page), ["data:,", "/status.json", "/metrics"])
        self.assertNotRegex(page, r"(?i)https?:|//[a-z]+\.|@import|url\(| on[a-z]+=|innerHTML|insertAdjacentHTML|document\.write|eval\(")
        self.assertNotIn("{{", page)

    def test_headers(self):
        for path in ("/", "/status.json", "/metrics", "/healthz", "/nothing"):
            got = fetch(self.daemon, path)
            self.assertEqual(got.headers["x-content-type-options"], "nosniff", path)
            self.assertEqual(got.headers["cache-control"], "no-store", path)
            self.assertEqual(got.headers["cross-origin-resource-policy"], "same-origin", path)
            self.assertEqual(got.headers["referrer-policy"], "no-referrer", path)
            self.assertTrue(got.headers["content-security-policy"].startswith("default-src 'none'; "), path)
            self.assertFalse({"set-cookie", "access-control-allow-origin", "location"} & got.headers.keys(), path)
        self.assertEqual(fetch(self.daemon, "/status.json").headers["content-type"], "application/json")

    def test_only_what_changes_nothing(self):
        before = read(self.daemon)
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "get"):
            for path in ("/", "/status.json", "/status.json?drain=1"):
                got = fetch(self.daemon, path, method)
                self.assertEqual((got.status, got.headers["allow"]), (405, "GET, HEAD"))
        after = read_fresh(self.daemon, before)
        self.assertFalse(after["status"]["draining"])
        self.assertEqual([key for key in before["counters"] if key != "scrapes" and before["counters"][key] != after["counters"][key]], [])

    def test_head(self):
        for path in ("/", "/status.json"):
            got, whole = fetch(self.daemon, path, "HEAD"), fetch(self.daemon, path)
            self.assertEqual((got.status, got.body), (200, b""))
            self.assertLess(abs(int(got.headers["content-length"]) - len(whole.body)), 200)
            self.assertEqual(got.headers.keys(), whole.headers.keys())

    def test_names_that_lead_here_from_elsewhere(self):
        for host in ("evil.example", "evil.example:9190", "localhost.evil.example", "127.0.0.1.nip.example", "[::1].x", "", "x\r\nHost: localhost"):
            for path in ("/", "/status.json"):
                got = fetch(self.daemon, path, host=host)
                self.assertEqual(got.status, 421, host)
                self.assertNotIn(b"uptime", got.body)
            self.assertEqual(fetch(self.daemon, "/metrics", host=host).status, 200)
        for host in ("localhost", f"LOCALHOST:{self.daemon.port}", "127.0.0.1", "10.0.0.7:80", "[::1]:9190", None):
            self.assertEqual(fetch(self.daemon, "/status.json", host=host).status, 200, host)

    def test_the_order_of_keys_is_fixed(self):
        one, other = read(self.daemon), read_fresh(self.daemon, read(self.daemon))
        self.assertEqual(list(one), KEYS)
        self.assertEqual(paths(one["status"]) + paths(one["gauges"]) + paths(one["devices"]), paths(other["status"]) + paths(other["gauges"]) + paths(other["devices"]))
        self.assertEqual(one["page"], re.search(r'name="page" content="(\w+)"', fetch(self.daemon, "/").body.decode())[1])
        self.assertEqual(len(one["bounds_us"]) + 1, len(one["stages"][0]["buckets"]))

    def test_one_answer_a_connection_whatever_else_is_sent(self):
        ask = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n"
        for more in (b"", ask * 3, b"x" * 30000):
            got = parse_answer(raw(self.daemon, ask + more))
            self.assertEqual(got.headers["connection"], "close")
            self.assertEqual(len(got.body), int(got.headers["content-length"]))

    def test_slow_readers_get_every_byte(self):
        with socket.socket() as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            s.settimeout(LONG)
            s.connect(("127.0.0.1", self.daemon.port))
            s.sendall(b"GET / HTTP/1.1\r\n\r\n")
            got, slowly = b"", 20                                               # and then quickly: what takes 5 s is cut off
            while more := s.recv(500):
                got += more
                slowly -= 1
                time.sleep(0.005 if slowly > 0 else 0)
        whole = parse_answer(got)
        self.assertEqual(whole.body, fetch(self.daemon, "/").body)

    def test_readers_that_read_nothing_keep_nobody_out_for_long(self):
        idle = [socket.create_connection(("127.0.0.1", self.daemon.port)) for _ in range(64)]
        for s in idle:
            s.sendall(b"GET /status.json HTTP/1.1\r\n\r\n")

        def is_served():
            try:
                return fetch(self.daemon, "/healthz").status == 200
            except OSError:                                             # one too many: what it asks is not read
                return False
        self.assertTrue(wait_for(is_served))
        for s in idle:
            s.close()


class Setting(unittest.TestCase):
    def test_off(self):
        with Daemon(http__page=0) as daemon:
            self.assertEqual([fetch(daemon, path).status for path in ("/", "/status.json", "/metrics", "/healthz")], [404, 404, 200, 200])
            self.assertNotIn(b"<script", fetch(daemon, "/").body)

    def test_draining_is_told(self):
        with Daemon(gated=True, jobs__workers=1) as daemon, daemon.client() as client:
            gate = daemon.gate()
            before, request = read(daemon), client.submit(PLAN, gate.graph())
            self.assertTrue(wait_for(lambda: daemon.metric("jobs_running") == 1))
            daemon.signal()
            self.assertTrue(wait_for(lambda: "draining" in daemon.log()))
            self.assertEqual(read_fresh(daemon, before)["status"]["draining"], True)
            gate.open()
            self.assertEqual(client.answer(request).kind, ANSWER)
            self.assertEqual(daemon.process.wait(LONG), 0)


class Told(unittest.TestCase):
    """The same as the methods say, of a daemon that has much to say."""

    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(pool__devices=2, pool__streams_max=200, pool__ttl="600 s")
        cls.addClassCleanup(cls.daemon.__exit__, None)
        cls.busy = Busy(cls.daemon, jobs=0, asks=False)
        cls.addClassCleanup(cls.busy.end)
        cls.client = PoolClient(cls.daemon.path)
        cls.addClassCleanup(cls.client.close)

    def json(self):
        return read_fresh(self.daemon, read(self.daemon))

    def test_status_and_cache(self):
        told, status, cache = self.json(), self.client.ask(STATUS), self.client.ask(CACHE_STATS)
        names = list(told["status"])
        for name in ("workers", "connections", "jobs_running", "jobs_queued", "plans", "errors"):
            self.assertEqual(told["status"][name], number(status, names.index(name) + 1), name)
        self.assertEqual((told["status"]["version"], told["status"]["planner"]), (text(status, 1), text(status, 2)))
        self.assertEqual(list(told["cache"].values()), [number(cache, i) for i in range(1, 9)])

    def test_pools(self):
        told = self.json()["devices"]
        for device in (0, 1):
            stats = self.client.stats(device)
            self.assertEqual({name: told[device]["stats"][name] for name in STATS}, stats)
            models, slots, waiting = self.client.list(device)
            self.assertEqual(keys_of(told[device]["keys"]), keys_of_slots(slots, ROWS))
            self.assertEqual(holders_of(told[device]["holders"]), holders_of_models(models, ROWS, CUT))
            names = {number(m, 1): cut(text(m, 2), CUT) for m in models}
            self.assertEqual([(w["model"], w["name"], w["streams"]) for w in told[device]["waiting"]["shown"]],
                             [(number(w, 1), names[number(w, 1)], number(w, 2)) for w in waiting][:ROWS])
            self.assertEqual(told[device]["waiting"]["rest"], max(len(waiting) - ROWS, 0))

    def test_hostile_names_are_told_whole_or_cut_and_nothing_else(self):
        body = fetch(self.daemon, "/status.json").body
        self.assertNotRegex(body.decode(), r"[\x00-\x09\x0b-\x1f\x7f]")
        shown = [h["name"] for h in json.loads(body)["devices"][0]["holders"]["shown"]]
        for name in HOSTILE[1:9]:
            self.assertIn(cut(name, CUT), shown)
        self.assertTrue(all(len(name.encode()) <= CUT for name in shown))

    def test_methods_are_counted_as_in_metrics(self):
        told, metrics = self.json()["methods"], self.daemon.metrics()
        self.assertIn("Acquire", [row["method"] for row in told])
        for row in told:
            self.assertEqual(row["count"], sum(row["buckets"]))
            self.assertEqual(row["count"], sum(row["statuses"].values()))
            if row["method"] in ("Acquire", "RegisterModel", "Plan"):
                self.assertEqual(row["count"], metrics[f'request_seconds_count{{method="{row["method"]}"}}'])
                for status, count in row["statuses"].items():
                    self.assertEqual(count, metrics[f'requests_total{{method="{row["method"]}",status="{status}"}}'])


class Errors(unittest.TestCase):
    def setUp(self):
        self.daemon = Daemon(gated=True)
        self.addCleanup(self.daemon.__exit__, None)
        self.client = self.daemon.client()
        self.addCleanup(self.client.close)
        self.start = read(self.daemon)

    def errors(self):
        return read_fresh(self.daemon, self.start)["errors"]

    def test_each_is_told_as_it_was_sent(self):
        sent = [("Plan", self.client.call(PLAN, cycle("<i>"))), ("Describe", self.client.call(DESCRIBE, field(1, 7))), ("unknown", self.client.call(99)),
                ("Plan", self.client.call(PLAN, cycle("w" * 900)))]
        told = self.errors()
        self.assertEqual((len(told["shown"]), told["rest"]), (4, 0))
        for row, (method, frame) in zip(told["shown"], reversed(sent)):
            self.assertEqual(row["method"], method)
            self.assertEqual([row["code"], row["status"]], [text(frame.message(), 1), text(frame.message(), 2)])
            self.assertEqual(row["message"], cut(text(frame.message(), 3), 400))
            self.assertEqual(row["node"], cut(text(frame.message(), 4), CUT))
            self.assertEqual((row["request"], row["times"]), (frame.request_id, 1))
            self.assertGreater(row["connection"], 0)
            self.assertLess(abs(row["time_ms"] / 1000 - time.time()), 60)

    def test_a_flood_does_not_wash_out_the_rest(self):
        self.client.call(PLAN, cycle("first"))
        for _ in range(300):
            self.client.call(DESCRIBE, field(1, 7))
        told = self.errors()
        self.assertEqual([(row["method"], row["times"]) for row in told["shown"]], [("Describe", 300), ("Plan", 1)])
        for i in range(100):
            self.client.call(DESCRIBE, field(1, 1000 + i))
        time.sleep(0.3)
        told = self.errors()
        self.assertEqual((len(told["shown"]), told["rest"]), (32, 401 - 32))
        self.assertIn("1099", told["shown"][0]["message"])

    def test_who_is_no_client_is_told_and_who_cancels_is_not(self):
        with socket.socket(socket.AF_UNIX) as rude:
            rude.connect(self.daemon.path)
            rude.sendall(frame(PING))
            rude.recv(100)
        request = self.client.submit(PLAN, self.daemon.gate().graph())
        self.client.cancel(request)
        self.assertEqual(self.client.answer(request).code(), "SD4008")
        self.assertEqual([(row["method"], row["request"]) for row in self.errors()["shown"]], [("connection", 0)])

    def test_peers_that_are_turned_away(self):
        with Daemon(socket__connections_max=1) as daemon, daemon.client():
            before = read(daemon)
            with Client(daemon.path, greet=False) as other:
                self.assertEqual(other.receive().kind, ERROR)
            self.assertEqual([row["status"] for row in read_fresh(daemon, before)["errors"]["shown"]], ["RESOURCE_EXHAUSTED"])


class Bounds(unittest.TestCase):
    def test_ten_thousand_of_everything(self):
        count = 10000 // PATIENCE
        with Daemon(gated=True, jobs__workers=1, jobs__queue_jobs_max=30000, socket__open_requests_max=30000, pool__streams_max=1 << 20, pool__conn_streams_max=100000,
                    pool__conn_models_max=20000, pool__ttl="600 s") as daemon, PoolClient(daemon.path) as client, daemon.client() as planner:
            models = [client.register(name=HOSTILE[i % 5] + str(i), ttl_ms=600000) for i in range(count // 10)]
            for i, model in enumerate(models):
                client.acquire(model, want(10, priority=i % 8, flags=i // 8 % 2))
            gate = daemon.gate()
            planner.submit(PLAN, gate.graph())                          # the worker is busy with this while the others queue
            self.assertTrue(wait_for(lambda: daemon.metric("jobs_running") == 1))
            planner.send(b"".join(frame(REQUEST, chain(2, op_type=f"T{i}"), PLAN, 1000 + i, 600000) for i in range(count)))
            self.assertTrue(wait_for(lambda: daemon.metric("jobs_queued") == count))
            waits = Waits(daemon)
            got = waits.time(lambda: fetch(daemon, "/status.json"))
            told = json.loads(got.body)
            device = told["devices"][0]
            self.assertLess(len(got.body), 48 << 10)
            self.assertLess(waits.at(100), 0.3 * PATIENCE)
            self.assertEqual(len(told["jobs"]["shown"]), ROWS)
            self.assertEqual((told["jobs"]["rest"] + ROWS, told["status"]["jobs_running"] + told["status"]["jobs_queued"]), (count + 1, count + 1))
            self.assertEqual((len(device["holders"]["shown"]), device["holders"]["rest"]), (ROWS, count // 10 - ROWS))
            self.assertEqual(device["holders"]["rest_leases"], count - 10 * ROWS)
            self.assertEqual(sum(k["slots"] for k in device["keys"]["shown"]) + device["keys"]["rest_slots"], count)

    def test_every_device_at_its_worst(self):
        worst = "\u0001" * 512
        with Daemon(pool__devices=64, pool__streams_max=8, pool__ttl="600 s", pool__conn_models_max=1000, socket__open_requests_max=1000) as daemon, PoolClient(daemon.path) as client:
            for device in range(64):
                models = [client.register(name=worst, domain=worst, device=device, ttl_ms=600000) for _ in range(4)]
                for i, model in enumerate(models):
                    client.acquire(model, want(2, priority=i, flags=0x701))
                for model in models:
                    client.begin_acquire(model, want(1), wait_ms=600000)
            for i in range(40):
                client.call(PLAN, cycle(f"{i}{worst[:400]}"))
            read_fresh(daemon, read(daemon))
            got = fetch(daemon, "/status.json")
            self.assertLess(len(got.body), 512 << 10)
            self.assertEqual(len(json.loads(got.body)["errors"]["shown"]), 32)
            self.assertEqual([(len(d["holders"]["shown"]), d["holders"]["rest"], d["waiting"]["rest"], d["keys"]["rest_slots"]) for d in json.loads(got.body)["devices"]],
                             [(2, 2, 2, 4)] * 64)

    def test_it_is_made_seldom_however_many_ask(self):
        with Daemon() as daemon:
            started, seen, lock = time.monotonic(), [], threading.Lock()

            def ask():
                for _ in range(60):
                    got = read(daemon)["time_ms"]
                    with lock:
                        seen.append(got)
            threads = [threading.Thread(target=ask) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(len(seen), 480)
            self.assertLessEqual(len(set(seen)), (time.monotonic() - started) / 0.25 + 2)


class Load(unittest.TestCase):
    def test_under_load(self):
        with Daemon(jobs__workers=2, pool__streams_max=200, pool__ttl="600 s") as daemon, Busy(daemon, jobs=6):
            sizes, last = [], 0
            for _ in range(150):
                body = fetch(daemon, "/status.json").body
                told = json.loads(body)
                self.assertEqual(list(told), KEYS)
                self.assertGreaterEqual(told["time_ms"], last)
                last = told["time_ms"]
                sizes.append(len(body))
                time.sleep(0.01)
            self.assertLess(max(sizes), 48 << 10)
            self.assertTrue(wait_for(lambda: any(job["state"] == "running" for job in read(daemon)["jobs"]["shown"])))
            turn = [row for row in told["stages"] if row["stage"] == "loop_turn"][0]
            self.assertGreater(turn["count"], 100)

    @unittest.skipIf(PATIENCE > 1, "a sanitizer keeps what was freed for a while, and tells at the end what was not")
    def test_no_memory_stays_behind(self):
        with Daemon() as daemon:
            for _ in range(500):
                fetch(daemon, "/status.json")
                fetch(daemon, "/")
            before = daemon.memory()
            for _ in range(2000):
                fetch(daemon, "/status.json")
                fetch(daemon, "/")
            self.assertLess(daemon.memory() - before, 2 << 20)


if __name__ == "__main__":
    e2e.main()
