#!/usr/bin/python3
"""gRPC's rules on the wire of HTTP/2, as seen by a client that breaks them: what is refused and how, and what is let be."""
import gzip
import pathlib
import subprocess
import sys
import time
import unittest
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from h2_wire import *
from streamd_wire import *

OK, CANCELLED, INVALID_ARGUMENT, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNIMPLEMENTED, UNAVAILABLE = 0, 1, 3, 4, 8, 12, 14
PING_BODY = field(1, b"x" * 64)


class Case(unittest.TestCase):
    settings = {}

    def setUp(self):
        self.daemon = Daemon(gated=True, **self.settings)
        self.addCleanup(self.daemon.__exit__, None)
        self.path = f"{self.daemon.folder.name}/grpc.sock"

    def client(self, **arguments):
        client = H2Client(self.path, **arguments)
        self.addCleanup(client.socket.close)
        return client

    def assert_well(self):
        """Others are served as ever, and nothing is left over of those before."""
        with H2Client(self.path) as c:
            self.assertEqual(c.call(PING_PATH, PING_BODY).status, OK)


class Requests(Case):
    def test_answer_has_headers_message_and_trailers(self):
        got = self.client().call(PING_PATH, PING_BODY)
        self.assertEqual(got.headers, [(":status", "200"), ("content-type", "application/grpc"), ("grpc-accept-encoding", "identity,gzip"),
                                       ("grpc-status", "0")])
        self.assertEqual(got.messages(), [PING_BODY])

    def test_bytes_one_by_one(self):
        c = self.client(greet=False)
        body = message(PING_BODY)
        data = PREFACE + h2_frame(SETTINGS) + h2_frame(HEADERS, END_HEADERS, 1, c.headers()) + b"".join(
            h2_frame(DATA, END_STREAM if i + 1 == len(body) else 0, 1, body[i:i + 1]) for i in range(len(body)))
        c.streams[1] = Response()
        for i in range(len(data)):
            c.send(data[i:i + 1])
        self.assertEqual((c.response(1).status, c.streams[1].messages()), (OK, [PING_BODY]))

    def test_not_post_and_not_grpc(self):
        c = self.client()
        for extra, status in (((":method", "GET"), "405"), (("content-type", "text/html"), "415"), (("content-type", "application/grpc-web"), "415")):
            got = c.response(c.begin(PING_PATH, [extra], END_HEADERS | END_STREAM))
            self.assertEqual((got.header(":status"), got.status), (status, None))
        for extra in ("application/grpc+proto", "application/grpc; charset=utf-8"):
            self.assertEqual(c.call(PING_PATH, PING_BODY, [("content-type", extra)]).status, OK)

    def test_te_is_missing(self):
        c = self.client()
        got = c.response(c.begin(without=["te"]))
        self.assertEqual(got.status, INVALID_ARGUMENT)
        self.assertIn("te: trailers", got.header("grpc-message"))

    def test_unknown_paths(self):
        c = self.client()
        for path in ("/", "", "/streamd.v1.Planner/", "/streamd.v1.Planner/ping", "/streamd.v1.Pool/Plan", "/x" * 5000):
            self.assertEqual(c.response(c.begin(path)).status, UNIMPLEMENTED, path)
        self.assertEqual(c.response(c.begin(without=[":path"])).status, INVALID_ARGUMENT)

    def test_error_before_the_end_of_the_request_comes_whole_and_stops_it(self):
        c = self.client()
        stream = c.begin("/no.Such/Method")
        while c.streams[stream].reset is None:
            c.read()
        self.assertEqual((c.streams[stream].status, c.streams[stream].is_ended, c.streams[stream].reset), (UNIMPLEMENTED, True, NO_ERROR))

    def test_number_of_messages(self):
        c = self.client()
        for data in (b"", message(PING_BODY) * 2, message(PING_BODY) + b"\0", b"\0\0", message(PING_BODY)[:-1], b"\1" + message(PING_BODY)[1:],
                     b"\2" + message(PING_BODY)[1:]):
            stream = c.begin()
            c.body(stream, data)
            self.assertEqual(c.response(stream).status, INVALID_ARGUMENT, data[:20])
        self.assert_well()

    def test_body_that_is_no_message(self):
        c = self.client()
        self.assertEqual(c.call(PING_PATH, b"\xff").status, INVALID_ARGUMENT)
        self.assertEqual(c.call(PLAN_PATH, b"\xff").status, INVALID_ARGUMENT)

    def test_length_that_never_comes(self):
        c = self.client()
        stream = c.begin(PLAN_PATH)
        c.body(stream, b"\0\xff\xff\xff\xff", last=False)
        self.assertEqual(c.response(stream).status, RESOURCE_EXHAUSTED)
        self.assert_well()

    def test_timeouts(self):
        c = self.client()
        for value in ("", "1", "S", "123456789S", "-1S", "1.5S", "1s", "1 S"):
            self.assertEqual(c.response(c.begin(PING_PATH, [("grpc-timeout", value)])).status, INVALID_ARGUMENT, value)
        for value in ("1H", "99999999H", "20M", "10S", "9000m"):
            self.assertEqual(c.call(PING_PATH, PING_BODY, [("grpc-timeout", value)]).status, OK, value)

    def test_raw_path_as_authority(self):
        self.assertEqual(self.client().call(PING_PATH, PING_BODY, [(":authority", self.path)]).status, OK)
        self.assertEqual(self.client().call(PING_PATH, PING_BODY, [(":authority", "")]).status, OK)

    def test_metadata(self):
        c = self.client()
        extra = [(f"key-{i}", "v" * 900) for i in range(30)] + [("trace-bin", "AAECAw")]
        self.assertEqual(self.big_headers(c, extra).status, OK)
        self.assertEqual(self.big_headers(c, extra * 3).status, RESOURCE_EXHAUSTED)
        self.assert_well()

    def big_headers(self, c, extra):
        block = c.headers(PING_PATH, extra)
        pieces = [block[i:i + 16000] for i in range(0, len(block), 16000)]
        c.last_id += 2
        c.streams[c.last_id] = Response()
        for i, piece in enumerate(pieces):
            c.send(h2_frame(CONTINUATION if i else HEADERS, END_HEADERS if i + 1 == len(pieces) else 0, c.last_id, piece))
        c.body(c.last_id, message(PING_BODY))
        return c.response(c.last_id)

    def test_gzip(self):
        c = self.client()
        for extra, data, status in (("gzip", message(gzip.compress(PING_BODY), 1), OK), ("gzip", message(PING_BODY), OK),
                                    ("identity", message(PING_BODY), OK), ("identity", message(gzip.compress(PING_BODY), 1), INVALID_ARGUMENT),
                                    ("br", message(PING_BODY), UNIMPLEMENTED), ("gzip", message(gzip.compress(PING_BODY)[:-1], 1), INVALID_ARGUMENT),
                                    ("gzip", message(gzip.compress(PING_BODY)[:-4] + b"\1\0\0\0", 1), INVALID_ARGUMENT),
                                    ("gzip", message(zlib.compress(PING_BODY), 1), INVALID_ARGUMENT), ("gzip", message(b"", 1), INVALID_ARGUMENT),
                                    ("gzip", message(gzip.compress(PING_BODY) * 2, 1), INVALID_ARGUMENT)):
            for path in (PING_PATH, "/grpc.health.v1.Health/Check") if extra == "gzip" and status == INVALID_ARGUMENT else (PING_PATH,):
                stream = c.begin(path, [("grpc-encoding", extra)])
                c.body(stream, data)
                self.assertEqual(c.response(stream).status, status, (path, extra, data[:30]))

    def test_gzip_bomb_takes_no_memory(self):
        c = self.client()
        before = self.daemon.memory()
        for bomb in (gzip.compress(bytes(60 << 20)), gzip.compress(b"x")[:-4] + struct.pack("<I", 60 << 20)):
            for path in (PING_PATH, PLAN_PATH):
                stream = c.begin(path, [("grpc-encoding", "gzip")])
                c.body(stream, message(bomb, 1))
                self.assertIn(c.response(stream).status, (INVALID_ARGUMENT, RESOURCE_EXHAUSTED))
        self.assertLess(self.daemon.memory() - before, (40 << 20) * PATIENCE)       # a sanitizer keeps what was freed for a while
        self.assert_well()


class Order(Case):
    settings = {"jobs__workers": 1, "grpc__streams_max": 8}

    def test_server_keeps_the_deadline_itself(self):
        c, gate = self.client(), self.daemon.gate()
        began = time.monotonic()
        blocked = c.submit(PLAN_PATH, gate.graph())
        late = c.submit(PLAN_PATH, chain(3), [("grpc-timeout", "200m")])
        got = c.response(late)
        self.assertEqual(got.status, DEADLINE_EXCEEDED)
        self.assertGreater(time.monotonic() - began, 0.19)
        self.assertFalse(c.streams[blocked].is_ended)
        c.reset(blocked)
        unsent = c.begin(PLAN_PATH, [("grpc-timeout", "100m")])
        self.assertEqual(c.response(unsent).status, DEADLINE_EXCEEDED)
        self.assertTrue(wait_for(lambda: self.daemon.is_quiet(connections=1)))

    def test_limits_are_announced_and_kept(self):
        c = self.client()
        self.assertEqual(c.call(PING_PATH, PING_BODY).status, OK)
        self.assertEqual(c.settings[3], 8)
        for _ in range(9):
            c.begin(PLAN_PATH)
        self.assertTrue(c.read_to_end())
        self.assertEqual(c.goaways[-1][1], PROTOCOL_ERROR)
        self.assert_well()

    def test_reset_calls_hold_their_place_until_their_work_has_ended(self):
        c, gate = self.client(), self.daemon.gate()
        first = c.submit(PLAN_PATH, gate.graph())
        self.assertTrue(wait_for(lambda: self.daemon.metric("jobs_running") == 1))
        for _ in range(300):
            c.reset(c.submit(PLAN_PATH, chain(3, op_type="Q")))
        self.assertTrue(wait_for(lambda: self.daemon.metric("grpc_resets_total") == 300))
        seen = self.daemon.metrics()
        self.assertLessEqual(seen["jobs_running"], 1)
        self.assertLessEqual(seen["jobs_queued"], 8)
        self.assertLessEqual(seen["requests_open"], 8)
        c.reset(first)
        self.assertEqual(c.call(PING_PATH, PING_BODY).status, OK)
        self.assertTrue(wait_for(lambda: self.daemon.is_quiet(connections=1)))

    def test_messages_of_streams_mixed(self):
        c = self.client()
        streams = [c.begin() for _ in range(8)]
        body = message(PING_BODY)
        for i, byte in enumerate(body):
            for stream in streams:
                c.send(h2_frame(DATA, END_STREAM if i + 1 == len(body) else 0, stream, bytes([byte])))
        self.assertEqual([c.response(s).messages() for s in streams], [[PING_BODY]] * 8)


class Abuse(Case):
    settings = {"grpc__resets_max": 500, "grpc__resets_per_second": 50}

    def test_rapid_reset_ends_the_connection_alone(self):
        other, c = self.client(), self.client()
        c.closes = False                                                      # the daemon does it then
        self.assertEqual(other.call(PING_PATH, PING_BODY).status, OK)
        try:
            for _ in range(2000):
                c.reset(c.begin())
        except OSError:
            pass
        self.assertTrue(c.read_to_end())
        self.assertEqual(c.goaways[-1][1], INTERNAL_ERROR)
        self.assertEqual(other.call(PING_PATH, PING_BODY).status, OK)
        self.assertTrue(wait_for(lambda: self.daemon.is_quiet(connections=1)))

    def test_honest_resets_are_let_be(self):
        c = self.client()
        for _ in range(400):
            c.reset(c.submit(PING_PATH, PING_BODY))
        self.assertEqual(c.call(PING_PATH, PING_BODY).status, OK)
        self.assertEqual(c.goaways, [])

    def test_pings_alone_are_bounded_and_those_beside_calls_are_not(self):
        c = self.client()
        for _ in range(300):
            c.send(h2_frame(H2_PING, 0, 0, bytes(8)))
            self.assertEqual(c.call(PING_PATH, PING_BODY).status, OK)
        self.assertEqual(c.goaways, [])
        for _ in range(300):
            c.send(h2_frame(H2_PING, 0, 0, bytes(8)))
        self.assertTrue(c.read_to_end())
        self.assertEqual(c.goaways[-1][1:], (ENHANCE_YOUR_CALM, b"too_many_pings"))
        self.assert_well()

    def test_senseless_frames_are_bounded(self):
        for flood in (h2_frame(PRIORITY, 0, 1, bytes(5)), h2_frame(SETTINGS)):
            c = self.client()
            try:
                c.send(flood * 3000)
            except OSError:
                pass
            self.assertTrue(c.read_to_end(), flood)
        c = self.client()
        stream = c.begin(PLAN_PATH)
        try:
            c.send(h2_frame(DATA, 0, stream) * 3000)
        except OSError:
            pass
        self.assertTrue(c.read_to_end())
        self.assertTrue(wait_for(self.daemon.is_quiet))

    def test_continuation_without_end(self):
        c = self.client()
        c.send(h2_frame(HEADERS, 0, 1, c.headers()))
        try:
            for _ in range(1000):
                c.send(h2_frame(CONTINUATION, 0, 1, b""))
        except OSError:
            pass
        self.assertTrue(c.read_to_end())
        self.assert_well()


class Late(Case):
    settings = {"socket__hello_timeout": "1 s", "socket__frame_timeout": "1 s"}

    def test_wrong_preface(self):
        for first in (b"GET / HTTP/1.1\r\n\r\n", hello(), bytes(24), PREFACE + bytes(9)):
            c = self.client(greet=False)
            c.send(first)
            self.assertTrue(c.read_to_end(), first)
        self.assertTrue(wait_for(self.daemon.is_quiet))

    def test_silence_before_the_preface(self):
        began = time.monotonic()
        c = self.client(greet=False)
        c.send(PREFACE[:10])
        while c.socket.recv(1 << 16):
            pass
        self.assertGreater(time.monotonic() - began, 0.9)
        self.assertEqual(self.daemon.metric("connections_timed_out_total"), 1)

    def test_message_that_drips(self):
        c = self.client()
        stream = c.begin(PLAN_PATH)
        c.body(stream, message(chain(100))[:50], last=False)
        self.assertEqual(c.response(stream).status, INVALID_ARGUMENT)
        self.assertIn("in time", c.streams[stream].header("grpc-message"))
        self.assertEqual(c.call(PING_PATH, PING_BODY).status, OK)
        self.assertTrue(wait_for(lambda: self.daemon.is_quiet(connections=1)))


class Idle(Case):
    settings = {"socket__idle_timeout": "2 s"}

    def test_idle_connection_is_told_goodbye(self):
        c = self.client()
        self.assertEqual(c.call(PING_PATH, PING_BODY).status, OK)
        self.assertTrue(c.read_to_end())
        self.assertEqual([g[:2] for g in c.goaways], [((1 << 31) - 1, NO_ERROR), (1, NO_ERROR)])
        self.assertEqual(self.daemon.metric("grpc_goaways_total"), 1)


class Silence(Case):
    settings = {"grpc__keepalive": "300 ms", "grpc__keepalive_timeout": "700 ms"}

    def test_dead_peer_is_found_by_a_ping(self):
        c = self.client()
        self.assertTrue(wait_for(lambda: self.daemon.metric("connections_timed_out_total") == 1))
        self.assertEqual(self.daemon.metric("connections"), 0)
        self.assertTrue(c.read_to_end())

    def test_peer_that_answers_pings_stays(self):
        """Each was answered in time, unless the test was held up, which says nothing."""
        slowest_turn = 1
        while slowest_turn > 0.5:
            c, slowest_turn, begun = self.client(), 0, time.monotonic()
            c.socket.settimeout(0.2)
            while time.monotonic() < begun + 2.5 and slowest_turn <= 0.5:
                before = time.monotonic()
                try:
                    c.read()
                except TimeoutError:
                    pass
                except Closed:
                    self.assertGreater(time.monotonic() - before, 0.5, "it was closed")
                slowest_turn = max(slowest_turn, time.monotonic() - before)
        c.socket.settimeout(LONG)
        self.assertEqual(c.call(PING_PATH, PING_BODY).status, OK)


class Stall(Case):
    settings = {"socket__stall_timeout": "1 s", "socket__unread_bytes_max": 1 << 20, "socket__owed_bytes_max": 4096}

    def test_peer_that_takes_no_answer(self):
        c = self.client()
        c.send(h2_frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 0)) +           # a window of nothing
               b"".join(h2_frame(HEADERS, END_HEADERS, s, c.headers()) + h2_frame(DATA, END_STREAM, s, message(field(1, b"x" * 500))) for s in range(1, 201, 2)))
        self.assertTrue(c.read_to_end())
        self.assertEqual(self.daemon.metric("connections_stalled_total"), 1)
        self.assertTrue(wait_for(self.daemon.is_quiet))


class Room(Case):
    settings = {"socket__unread_bytes_max": 1 << 20, "socket__owed_bytes_max": 4096}

    def test_calls_that_had_to_wait_for_room_are_served_as_soon_as_there_is(self):
        c = self.client()
        c.replies = False                                                     # nothing of it wakes the daemon
        streams, body = range(1, 61, 2), field(1, b"z" * 1000)
        c.streams = {s: Response() for s in streams}
        c.send(b"".join(h2_frame(HEADERS, END_HEADERS, s, c.headers()) + h2_frame(DATA, END_STREAM, s, message(body)) for s in streams))
        self.assertEqual([c.response(s).messages() for s in streams], [[body]] * 30)

    def test_slow_window_gets_every_byte(self):
        c = self.client()
        c.widens = False
        c.send(h2_frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 1)))
        stream = c.submit(PING_PATH, field(1, b"y" * 300))
        while not c.streams[stream].is_ended:
            if c.read()[0] == DATA:
                c.send(h2_frame(WINDOW_UPDATE, 0, stream, struct.pack(">I", 7)))
        self.assertEqual(c.streams[stream].messages(), [field(1, b"y" * 300)])


class Unread(Case):
    settings = {"socket__unread_bytes_max": 1 << 16, "socket__owed_bytes_max": 1 << 16, "socket__stall_timeout": "10 min",
                "jobs__workers": 1}

    def test_answers_above_what_is_kept_are_refused_one_by_one(self):
        c = self.client()
        alone = c.call(PLAN_PATH, chain(10000))
        self.assertEqual(alone.status, OK)
        self.assertGreater(len(alone.data), 1 << 16)
        c.widens = False
        c.send(h2_frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 0)))
        blocker, requests = self.client(), [chain(10000, op_type=f"T{i}") for i in range(3)]
        blocked = blocker.submit(PLAN_PATH, self.daemon.gate().graph())
        self.assertTrue(wait_for(lambda: self.daemon.metric("jobs_running") == 1))
        streams = [c.submit(PLAN_PATH, r) for r in requests]
        self.assertTrue(wait_for(lambda: self.daemon.metric("jobs_queued") == 3))
        blocker.reset(blocked)
        while [c.streams[s].status for s in streams].count(RESOURCE_EXHAUSTED) < 2:
            c.read()
        waiting, = (s for s in streams if c.streams[s].status is None)
        c.send(h2_frame(WINDOW_UPDATE, 0, waiting, struct.pack(">I", 1 << 30)))
        self.assertEqual(c.response(waiting).status, OK)


class Socket(Case):
    settings = {"socket__connections_max": 1}

    def test_one_too_many_is_told_so(self):
        c = self.client()
        self.assertEqual(c.call(PING_PATH, PING_BODY).status, OK)
        other = self.client(greet=False)
        other.reply(PREFACE + h2_frame(SETTINGS))                              # it may have been told already
        self.assertTrue(other.read_to_end())
        self.assertEqual(other.goaways[-1][:2], (0, ENHANCE_YOUR_CALM))
        self.assertEqual(c.call(PING_PATH, PING_BODY).status, OK)
        self.assertEqual(self.daemon.metric("connections_refused_total"), 1)

    def begin(self, *more):
        sets = [f"socket.path={self.daemon.folder.name}/other.sock", "http.port=0", *more]
        return subprocess.Popen([STREAMD] + [a for s in sets for a in ("--set", s)], stderr=subprocess.PIPE, text=True)

    def test_two_daemons_do_not_share_a_socket(self):
        second = self.begin()
        self.assertEqual(second.wait(LONG), 1)
        self.assertIn("--set grpc.path=PATH", second.stderr.read())
        second.stderr.close()
        self.assertFalse(pathlib.Path(f"{self.daemon.folder.name}/other.sock").exists())
        self.assert_well()
        for more, there in (("grpc.unix=0", False), (f"grpc.path={self.daemon.folder.name}/another", True)):
            with self.begin(more) as other:
                self.addCleanup(lambda process=other: process.poll() is None and process.kill())
                told = other.stderr.readline()
                is_there = pathlib.Path(f"{self.daemon.folder.name}/another").exists()
                other.terminate()
            self.assertIn("listening", told)
            self.assertEqual((is_there, other.returncode), (there, 0))

    def test_socket_of_a_daemon_that_was_killed_is_taken_over(self):
        self.daemon.process.kill()
        self.daemon.process.wait()
        self.daemon.log_file.close()
        self.assertTrue(pathlib.Path(self.path).is_socket())
        self.daemon.start()
        self.assert_well()
        self.assertEqual(self.daemon.stop(), 0)
        self.assertFalse(pathlib.Path(self.path).exists())


class Age(Case):
    settings = {"grpc__age": "1 s"}

    def test_old_connection_is_told_goodbye_and_finishes_what_is_open(self):
        """Unless the test was held up and heard of it too late."""
        took = 1
        while took > 0.8:
            c = self.client()
            stream = c.begin()
            c.socket.settimeout(0.05)
            while not c.goaways:
                before = time.monotonic()
                try:
                    c.read()
                except TimeoutError:
                    pass
            c.socket.settimeout(LONG)
            late = c.submit(PING_PATH, PING_BODY)                             # it has not heard yet
            c.body(stream, message(PING_BODY))
            took = time.monotonic() - before
        self.assertTrue(c.read_to_end())
        self.assertEqual([c.streams[s].status for s in (stream, late)], [OK, OK])


if __name__ == "__main__":
    e2e.main()
