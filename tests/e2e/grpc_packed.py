#!/usr/bin/python3
"""Answers that go out packed with gzip: to whom, which, and that they are the same."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from grpc_client import *
from streamd_wire import *

ABOVE = 2048
NO_GZIP = ("grpc.compression_enabled_algorithms_bitset", 1)     # identity alone: so says grpc-accept-encoding then
OWN = ("grpc.use_local_subchannel_pool", 1)


class Packed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(jobs__workers=2, grpc__compress_above=ABOVE)
        cls.addClassCleanup(cls.daemon.__exit__, None)

    def call(self, body, *options, method="Plan"):
        """Raw answer, and how many were packed and how many bytes of answers went out for it."""
        before = self.daemon.metrics()
        with channel(self.daemon, OWN, *options) as ch:
            got = ch.unary_unary(f"/streamd.v1.Planner/{method}")(body)
        after = self.daemon.metrics()
        return got, after["answers_packed_total"] - before["answers_packed_total"], after["answer_bytes_total"] - before["answer_bytes_total"]

    def test_large_ones_are_and_are_the_same(self):
        for count in (500, 5000, 60000):
            made, packed, wire = self.call(slow(f"same{count}", count * PATIENCE))
            self.assertEqual(packed, 1)
            self.assertLess(wire, len(made) / 2)
            plain, unpacked, _ = self.call(slow(f"same{count}", count * PATIENCE), NO_GZIP)
            self.assertEqual(unpacked, 0)
            self.assertEqual(parse(made)[1], parse(plain)[1])
            self.assertEqual((number(parse(made), 2), number(parse(plain), 2)), (0, 1))
            again, packed, _ = self.call(slow(f"same{count}", count * PATIENCE))        # from the cache
            self.assertEqual((again, packed), (plain, 1))

    def test_small_ones_and_errors_are_not(self):
        for body in (chain(3), chain(100)):
            self.assertEqual(self.call(body)[1], 0)
        with channel(self.daemon) as ch:
            error = failure(ch.unary_unary("/streamd.v1.Planner/Plan"), cycle())
            self.assertEqual(details(error)[1].code, "E18888")
        self.assertEqual(self.call(b"", method="Status")[1], 0)

    def test_explanations_are(self):
        got, packed, _ = self.call(chain(500), method="Explain")
        self.assertEqual(packed, 1)
        self.assertEqual(parse(self.call(chain(500), NO_GZIP, method="Explain")[0])[1], parse(got)[1])
        self.assertGreater(len(pb.PlanAnswer.FromString(got).plan.explanations), 0)

    def test_streams_are_item_by_item(self):
        sizes = (3, 2000, 5, 3000, 100, 2500)
        body = b"".join(field(1, chain(n, op_type="S")) for n in sizes) + field(1, cycle())
        before = self.daemon.metric("answers_packed_total")
        with channel(self.daemon) as ch:
            answers = [pb.PlanBatchAnswer.FromString(a) for a in ch.unary_stream("/streamd.v1.Planner/PlanBatch")(body)]
        self.assertEqual(self.daemon.metric("answers_packed_total") - before, 3)
        self.assertEqual((answers[-1].end.items, answers[-1].end.errors), (7, 1))
        with self.daemon.client() as c:
            for a in answers[:-1]:
                if a.index < len(sizes):
                    self.assertEqual(a.answer.plan, pb.Plan.FromString(c.call(PLAN, chain(sizes[a.index], op_type="S")).plan()))

    def test_who_joins_gets_it_as_it_takes_it(self):
        body = slow("join", 60000)
        with channel(self.daemon, OWN) as takes, channel(self.daemon, OWN, NO_GZIP) as plain, self.daemon.client() as framed:
            calls = [ch.unary_unary("/streamd.v1.Planner/Plan").future(body) for ch in (takes, plain, takes, plain)]
            rid = framed.submit(PLAN, body)
            plans = {parse(call.result())[1][0] for call in calls} | {framed.answer(rid).plan()}
            self.assertEqual(len(plans), 1)

    def test_it_is_off_unless_asked_for_and_can_be_switched(self):
        with Daemon() as daemon, channel(daemon) as ch:
            ch.unary_unary("/streamd.v1.Planner/Plan")(chain(5000))
            self.assertEqual(daemon.metric("answers_packed_total"), 0)

    def test_without_memory_for_it_answers_go_out_as_they_are(self):
        with Daemon(jobs__workers=1, grpc__compress_above=ABOVE, limits__job_bytes_max="256 KiB") as daemon, channel(daemon) as ch:
            self.assertGreater(len(parse(ch.unary_unary("/streamd.v1.Planner/Plan")(chain(400)))[1][0]), ABOVE)
            self.assertEqual(daemon.metric("answers_packed_total"), 0)


if __name__ == "__main__":
    e2e.main()
