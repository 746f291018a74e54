#!/usr/bin/python3
"""Report at its bounds: plans of more streams than are told one by one, and users who report more plans than there are rows.

It runs on the system's Python, for which Debian packages protobuf.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from grpc_client import *
from streamd_wire import *

sys.path.insert(0, str(pathlib.Path(os.environ.get("BUILD", ROOT / "build")).resolve() / "clients/python"))
import streamd

KEY = bytes(range(32))
WIDE = 12000      # streams of which a report, one by one, would be longer than a small message may be


def wide(streams):
    nodes = [{"name": f"a{i}", "op_type": "MatMul", "duration_ns": 3000000, "attrs": {"_user_stream_label": f"l{i}"}} for i in range(streams)]
    return {"graph": {"name": "wide", "nodes": nodes}, "device": {"limits": {"max_streams": streams}}}


class ManyStreams(unittest.TestCase):
    def setUp(self):
        self.daemon = Daemon(http=False)
        self.addCleanup(self.daemon.__exit__, None)
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="streamd-test-")))

    def ctl(self, *arguments):
        done = subprocess.run([STREAMCTL, *map(str, arguments), "--socket", self.daemon.path], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def request(self, streams):
        (self.folder / "wide.json").write_text(json.dumps(wide(streams)))
        return self.folder / "wide.json"

    def test_a_run_of_a_wide_plan_is_reported(self):
        self.assertIn("reported: of 1 runs on sim", self.ctl("run", self.request(WIDE), "--device", "sim", "--runs", 1, "--report").stderr)
        key = json.loads(self.ctl("report", "--format", "json").stdout)["plans"][0]["plan_key"]
        row, = json.loads(self.ctl("report", key, "--format", "json").stdout)["plans"]
        self.assertEqual((len(row["streams"]), row["others"]["count"]), (256, WIDE - 256))
        self.assertEqual(row["others"]["busy_ns"], 3000000 * (WIDE - 256))
        self.assertRegex(self.ctl("report", key).stdout, rf"(?m)^the other {WIDE - 256} streams together: busy \d+\.\d{{3}} us, overlap [0-9.]+ %$")

    def test_as_many_as_are_kept_have_no_others(self):
        for streams, others in ((256, None), (257, 1)):
            self.ctl("run", self.request(streams), "--device", "sim", "--runs", 1, "--report")
            key = json.loads(self.ctl("report", "--format", "json").stdout)["plans"][0]["plan_key"]
            row, = json.loads(self.ctl("report", key, "--format", "json").stdout)["plans"]
            self.assertEqual(len(row["streams"]), 256)
            self.assertEqual(row.get("others", {}).get("count"), others)

    def test_from_python_it_is_the_same(self):
        streams = [{"busy_ns": 10 ** 6, "overlap_ns": 10 ** 6}] * WIDE
        ran = streamd.Run({"device": "acl:/opt/one.so@3", "measured": {"run_ns": [5], "streams": streams}, "expected": {"span_ns": 5}})
        with streamd.Client(self.daemon.path) as client:
            row = client.report(client.plan(wide(2)), ran)
        self.assertEqual((row.device, len(row.streams), row.others.count, row.others.busy_ns), ("acl@3", 256, WIDE - 256, 10 ** 6 * (WIDE - 256)))
        self.assertEqual((row.overlap, row.overlap_permille), ("real", 1000))

    def test_sums_are_those_of_all(self):
        with channel(self.daemon) as ch:
            report = stubs.PlannerStub(ch).Report
            told = report(pb.ReportRequest(plan_key=KEY, device="a", run_ns=[1], streams=[pb.StreamBusy(busy_ns=10, overlap_ns=1)] * 300,
                                           others=pb.OtherStreams(count=3, busy_ns=1000, overlap_ns=700))).plans[0]
            self.assertEqual((len(told.streams), told.others.count, told.others.busy_ns, told.others.overlap_ns), (256, 47, 1440, 744))
            self.assertEqual(told.overlap_permille, 1000 * (300 + 700) // (3000 + 1000))
            told = report(pb.ReportRequest(plan_key=KEY, device="a", run_ns=[1], streams=[pb.StreamBusy(busy_ns=10)])).plans[0]
            self.assertFalse(told.HasField("others"))
            told = report(pb.ReportRequest(plan_key=KEY, device="b", run_ns=[1], others=pb.OtherStreams(count=1, busy_ns=10))).plans[0]
            self.assertEqual((told.overlap, told.others.count), ("unknown", 1))
            for words, others in (("1,000,000 streams", pb.OtherStreams(count=10 ** 6 + 1)), ("10,000 streams", pb.OtherStreams(count=1, busy_ns=10 ** 19 + 1)), ("cannot be more", pb.OtherStreams(count=1, busy_ns=1, overlap_ns=2)),
                                  ("count is 0", pb.OtherStreams(busy_ns=1))):
                self.assertIn(words, failure(report, pb.ReportRequest(plan_key=KEY, device="a", run_ns=[1], others=others)).details())


class ManyUsers(unittest.TestCase):
    def test_a_flood_takes_no_row_of_another_user(self):
        if os.getuid() != 0:
            self.skipTest("only root can become somebody else")
        with Daemon(http=False, report__plans_max=16) as daemon, channel(daemon) as ch:
            os.chmod(daemon.path, 0o666)
            os.chmod(daemon.folder.name, 0o755)
            report = stubs.PlannerStub(ch).Report
            for i in range(4):
                report(pb.ReportRequest(plan_key=bytes([i]) * 32, device="mine", run_ns=[7]))
            code = ("import sys; sys.path.insert(0, 'tests/lib'); import os; os.setuid(65534)\n"
                    "from streamd_wire import *\n"
                    f"with Client({daemon.path!r}) as c:\n"
                    "    print(*{c.call(REPORT, field(1, bytes([i]) * 32) + field(2, 'theirs') + field(3, varint(5))).code() for i in range(100)})")
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
            self.assertEqual(done.stdout.strip(), "None", done.stderr)
            rows = report(pb.ReportRequest()).plans
            self.assertEqual(sorted(r.plan_key[0] for r in rows if r.device == "mine"), [0, 1, 2, 3])
            self.assertEqual(sorted(r.plan_key[0] for r in rows if r.device == "theirs"), list(range(88, 100)))


if __name__ == "__main__":
    e2e.main()
