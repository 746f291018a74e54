#!/usr/bin/env python3
"""What the daemon makes of frames: in one piece, in many, out of order, too large, senseless."""
import pathlib
import re
import select
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from streamd_wire import *


class Frames(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(socket__hello_timeout="10 min", socket__frame_bytes_max="1 MiB", log__level="debug")
        cls.addClassCleanup(cls.daemon.__exit__, None)

    def test_hello_tells_protocol_version_limits_and_methods(self):
        with self.daemon.client() as c:
            self.assertEqual(number(c.server, 1), 1)
            self.assertTrue(text(c.server, 2))
            self.assertEqual(number(parse(c.server[3][0]), 1), 1 << 20)
            schema = (ROOT / "proto/streamd.proto").read_text()
            self.assertEqual(sorted(map(bytes.decode, c.server[4])), sorted(re.findall(r"^  rpc (\w+)\(", schema, re.M)))

    def test_hello_comes_first(self):
        for first in (frame(REQUEST, b"", STATUS, 1), frame(PING), frame(77), frame(CANCEL)):
            with self.daemon.client(greet=False) as c:
                c.send(first)
                self.assertEqual(c.receive().code(), "SD4003")
                self.assertTrue(c.is_closed())

    def test_hello_is_said_once(self):
        with self.daemon.client() as c:
            c.send(hello())
            self.assertEqual(c.receive().code(), "SD4004")
            self.assertTrue(c.is_closed())

    def test_hello_of_another_protocol_or_of_garbage_is_refused(self):
        for body in (field(1, 2), b"", b"\xff\xff\xff"):
            with self.daemon.client(greet=False) as c:
                c.send(frame(HELLO, body))
                self.assertEqual(c.receive().code(), "SD4004")
                self.assertTrue(c.is_closed())

    def test_stranger_gets_4_kib(self):
        with self.daemon.client(greet=False) as c:
            c.send(HEADER.pack(5000, 0, HELLO, 0, 0, 0))
            self.assertEqual(c.receive().code(), "SD2012")
            self.assertTrue(c.is_closed())

    def test_cut_at_every_byte(self):
        data = frame(REQUEST, field(1, b"payload"), PING_METHOD, 9) + frame(REQUEST, chain(3), PLAN, 10)
        with self.daemon.client() as c:
            plan = c.call(PLAN, chain(3)).plan()
            for cut in range(1, len(data)):
                c.send(data[:cut])
                time.sleep(0.0005)
                c.send(data[cut:])
                self.assertEqual(c.answer(9).message(), {1: [b"payload"]})
                self.assertEqual(c.answer(10).plan(), plan)

    def test_byte_by_byte_from_hello_on(self):
        with self.daemon.client(greet=False) as c:
            for byte in hello() + frame(REQUEST, b"", STATUS, 3):
                c.send(bytes([byte]))
            self.assertEqual(c.receive().kind, HELLO)
            self.assertEqual(c.answer(3).kind, ANSWER)

    def test_glued_frames(self):
        for count in range(1, 65):
            with self.daemon.client(greet=False) as c:
                c.send(hello() + b"".join(frame(REQUEST, field(1, b"%d" % i), PING_METHOD, i) for i in range(1, count + 1)))
                self.assertEqual(c.receive().kind, HELLO)
                for i in range(1, count + 1):
                    self.assertEqual(c.answer(i).message(), {1: [b"%d" % i]})

    def test_unknown_kind_and_method_keep_the_connection(self):
        with self.daemon.client() as c:
            c.send(frame(200, b"some bytes", 5, 41))
            got = c.receive()
            self.assertEqual((got.code(), got.request_id), ("SD4002", 41))
            got = c.call(999, b"whatever" * 1000)
            self.assertEqual((got.code(), text(got.message(), 2)), ("SD4001", "UNIMPLEMENTED"))
            self.assertEqual(c.call(STATUS).kind, ANSWER)

    def test_kinds_of_the_server_are_refused_and_keep_the_connection(self):
        with self.daemon.client() as c:
            for kind in (ANSWER, ERROR, PONG):
                c.send(frame(kind, b"xyz", 1, 5))
                self.assertEqual(c.receive().code(), "SD4004")
            self.assertEqual(c.call(STATUS).kind, ANSWER)

    def test_length_smaller_than_a_header(self):
        with self.daemon.client() as c:
            c.send(struct.pack("<I", 3) + bytes(40))
            self.assertEqual(c.receive().code(), "SD4004")
            self.assertTrue(c.is_closed())

    def test_too_large_a_frame_is_refused_with_both_numbers(self):
        with self.daemon.client() as c:
            c.send(HEADER.pack((1 << 20) + 1, PLAN, REQUEST, 0, 7, 0))
            got = c.receive()
            self.assertEqual((got.code(), got.request_id), ("SD2012", 7))
            self.assertIn("1048576", text(got.message(), 3))
            self.assertTrue(c.is_closed())

    def test_refused_sender_may_go_on_sending_and_reads_the_reason(self):
        with self.daemon.client() as c:
            c.send(HEADER.pack(30 << 20, PLAN, REQUEST, 0, 7, 0) + bytes(20 << 20))
            self.assertEqual(c.receive().code(), "SD2012")

    def test_large_body_of_a_small_method_is_skipped(self):
        with self.daemon.client() as c:
            self.assertEqual(c.call(STATUS, bytes(200000)).code(), "SD2012")
            self.assertEqual(c.call(STATUS).kind, ANSWER)

    def test_request_id_twice(self):
        with Daemon(gated=True, http=False, jobs__workers=1) as daemon, daemon.client() as c:
            gate = daemon.gate()
            c.submit(PLAN, gate.graph(), request_id=5)
            c.submit(PLAN, chain(3), request_id=5)
            self.assertEqual(c.receive().code(), "SD4005")
            gate.open()
            self.assertEqual(c.receive().code(), None)
            self.assertEqual(c.answer(c.submit(PLAN, chain(3), request_id=5)).kind, ANSWER)     # free again

    def test_ping_and_pong(self):
        with self.daemon.client() as c:
            c.send(frame(PING, b"abc", 0, 6))
            got = c.receive()
            self.assertEqual((got.kind, got.request_id, got.body), (PONG, 6, b"abc"))
            c.send(frame(PING, bytes(5000), 0, 7))
            self.assertEqual(c.receive().code(), "SD4004")
            self.assertEqual(c.call(PING_METHOD, field(1, bytes(65536))).message(), {1: [bytes(65536)]})

    def test_goodbye_lets_open_requests_finish(self):
        with self.daemon.client() as c:
            c.submit(PLAN, chain(2000))
            c.send(frame(GOODBYE))
            self.assertEqual(c.receive().kind, ANSWER)
            self.assertTrue(c.is_closed())

    def test_cancel_of_nothing_is_nothing(self):
        with self.daemon.client() as c:
            c.cancel(99)
            self.assertEqual(c.call(STATUS).kind, ANSWER)

    def test_too_many_senseless_frames_end_the_connection(self):
        with self.daemon.client() as c:
            try:
                for _ in range(300):
                    c.send(frame(99))
            except OSError:
                pass
            self.assertTrue(c.is_closed())

    def test_one_peer_cannot_fill_the_log(self):
        with Daemon() as daemon:
            began = time.monotonic()
            for _ in range(4):
                with daemon.client() as c:
                    for i in range(100):
                        c.call(PLAN, cycle())
            for _ in range(300):
                with daemon.client(greet=False) as c:
                    c.send(frame(PING))
                    c.receive()
            seconds = time.monotonic() - began
            told, withheld = daemon.log().count("\n"), daemon.metric("log_lines_withheld_total")
            self.assertLess(told, 100 * (seconds + 2) + 20)              # of all peers so many a second
            self.assertLess(daemon.log().count('"method":"Plan"'), 10 * (seconds + 4 * 2))      # of one so many
            self.assertGreaterEqual(told + withheld, 700)

    def test_malformed_messages_are_errors(self):
        with self.daemon.client() as c:
            self.assertEqual(c.call(PLAN, b"\xff\xff\xff\xff").code(), "SD0101")
            self.assertEqual(c.call(PLAN, b"").code(), "SD0118")
            self.assertEqual(c.call(PING_METHOD, b"\xff\xff").code(), "SD4004")
            self.assertEqual(c.call(CANCEL_JOB, b"\xff\xff").code(), "SD4004")
            self.assertEqual(c.call(STATUS).kind, ANSWER)

    def test_names_in_errors_and_logs_are_text_whatever_they_hold(self):
        with self.daemon.client() as c:
            name = 'bad"\n\x1b[31m'
            got = c.call(PLAN, request([node(name, "Add", ["no\nwhere"])]))
            message = text(got.message(), 3)
            self.assertTrue(got.kind == ERROR and "\n" not in message and "\x1b" not in message, message)
            got = c.call(PLAN, request([field(1, b"\xff\xfe") + field(2, "Add")]))
            self.assertEqual(got.kind, ERROR)
            text(got.message(), 3)
        c = self.daemon.client(greet=False)
        c.send(frame(HELLO, field(1, 1) + field(2, 'x"\n\\')))
        self.assertEqual(c.receive().kind, HELLO)
        c.close()
        for line in self.daemon.log().splitlines():
            json.loads(line)


class Late(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(socket__hello_timeout="1 s", socket__frame_timeout="2 s")
        cls.addClassCleanup(cls.daemon.__exit__, None)

    def client(self):
        """One that said hello in time."""
        while True:
            began, c = time.monotonic(), self.daemon.client(greet=False)
            self.addCleanup(c.close)
            c.send(hello())
            if c.receive().kind == HELLO:
                return c
            self.assertGreater(time.monotonic() - began, 0.9)

    def test_silent_stranger_is_closed_in_time(self):
        began = time.monotonic()
        with self.daemon.client(greet=False) as c:
            self.assertEqual(c.receive().code(), "SD4003")
            self.assertGreater(time.monotonic() - began, 0.9)
            self.assertTrue(c.is_closed())

    def test_drip_feeding_does_not_extend_the_time_of_a_frame(self):
        c, data = self.client(), frame(REQUEST, chain(50), PLAN, 1)
        began, sent = time.monotonic(), 0
        while not select.select([c.socket], [], [], 0.05)[0]:
            c.socket.send(data[sent:sent + 1])
            sent += 1
        self.assertGreater(time.monotonic() - began, 1.9)
        self.assertEqual(c.receive().code(), "SD4004")
        self.assertTrue(c.is_closed())
        self.assertLess(sent, len(data))
        c.close()
        self.assertTrue(wait_for(self.daemon.is_quiet))

    def test_many_frames_are_no_frame_that_takes_long(self):
        """Always inside a frame, for longer than one may take; again where the test was held up for that long."""
        whole = frame(REQUEST, field(1, b"x"), PING_METHOD, 1)
        slowest = 2
        while slowest > 1.8:
            c, slowest = self.client(), 0
            last = time.monotonic()
            c.send(whole[:7])
            for _ in range(30):
                try:
                    c.send(whole[7:] + whole[:7])
                    kind = c.receive().kind
                except OSError:
                    kind = None
                slowest, last = max(slowest, time.monotonic() - last), time.monotonic()
                if slowest > 1.8:
                    break
                self.assertEqual(kind, ANSWER)
                time.sleep(0.1)


if __name__ == "__main__":
    import json
    e2e.main()
