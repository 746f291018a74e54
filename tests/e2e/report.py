#!/usr/bin/python3
"""Report: what plans took where they ran, told by loaders and by streamctl run, asked for over frames, gRPC and the command line.

It runs on the system's Python, for which Debian packages grpcio.
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

KEY, OTHER = bytes(range(32)), bytes(range(1, 33))
RUN = ROOT / "tests/data/run"


def report(key=KEY, device="sim", runs=(1000,), expected=0, streams=()):
    packed = b"".join(varint(r) for r in runs)
    told = b"".join(field(5, field(1, busy) + field(2, overlap)) for busy, overlap in streams)
    return field(1, key) + field(2, device) + (field(3, packed) if runs else b"") + field(4, expected) + told


def rows(frame):
    return [pb.PlanRuns.FromString(row) for row in frame.message().get(1, [])]


class Reports(unittest.TestCase):
    def setUp(self):
        self.daemon = Daemon(report__plans_max=8)
        self.addCleanup(self.daemon.__exit__, None)
        self.client = self.daemon.client()
        self.addCleanup(self.client.close)

    def report(self, **what):
        return rows(self.client.call(REPORT, report(**what)))

    def ask(self, body=b""):
        return rows(self.client.call(REPORT, body))

    def test_figures_so_far_are_answered(self):
        self.assertEqual(self.ask(), [])
        self.report(runs=(300, 100), expected=210, streams=((100, 60), (100, 40)))
        row, = self.report(runs=(200,))
        self.assertEqual((row.plan_key, row.device, row.reports, row.runs), (KEY, "sim", 2, 3))
        self.assertEqual((row.last_ns, row.min_ns, row.median_ns, row.mean_ns, row.max_ns, row.expected_ns), (200, 100, 200, 200, 300, 210))
        self.assertEqual((row.against, row.overlap_permille, row.overlap, [s.busy_ns for s in row.streams]), ("as_expected", 500, "real", [100, 100]))
        self.report(device="host")
        self.report(key=OTHER, streams=((5, 0), (0, 0)))
        self.assertEqual([(r.plan_key, r.device, len(r.streams)) for r in self.ask()], [(OTHER, "sim", 0), (KEY, "host", 0), (KEY, "sim", 0)])
        self.assertEqual([(r.device, len(r.streams)) for r in self.ask(field(1, KEY))], [("host", 0), ("sim", 2)])
        self.assertEqual([r.runs for r in self.ask(field(1, KEY) + field(2, "sim"))], [3])
        self.assertEqual([r.overlap for r in self.ask(field(1, OTHER))], ["unknown"])     # one busy stream has nothing to overlap with
        self.assertEqual(self.ask(field(1, bytes(32))), [])

    def test_rows_are_bounded_and_the_oldest_goes(self):
        for i in range(30):
            self.report(key=bytes([i]) * 32)
        self.assertEqual([r.plan_key[0] for r in self.ask()], list(range(29, 21, -1)))
        self.assertEqual(number(self.client.call(REPORT).message(), 2), 22)
        self.assertEqual(self.daemon.metric("report_rows"), 8)
        with Daemon(report__plans_max=0) as daemon, daemon.client() as c:
            self.assertEqual((rows(c.call(REPORT, report())), rows(c.call(REPORT))), ([], []))
            self.assertEqual(daemon.metric("reports_total"), 1)

    def test_asking_for_all_costs_the_same_however_often_they_ran(self):
        """Both in turn, so that whatever makes the machine slow does it to both."""
        runs, spent = (1, 64), [0, 0]
        with Daemon(http=False) as few, Daemon(http=False) as many, few.client() as a, many.client() as b:
            for k, c in enumerate((a, b)):
                for i in range(1024):
                    c.call(REPORT, report(key=i.to_bytes(32, "big"), runs=[n * 7919 % 64 for n in range(runs[k])]))
            for _ in range(20):
                for k, (daemon, c) in enumerate(((few, a), (many, b))):
                    before = daemon.cpu_seconds()
                    for _ in range(10):
                        c.call(REPORT)
                    spent[k] += daemon.cpu_seconds() - before
        self.assertLess(spent[1], 2 * spent[0] + 0.05)

    def test_metrics_have_no_label_of_a_peer(self):
        names = sorted(self.daemon.metrics())
        self.report(key=OTHER, device="some-device", runs=(50, 100, 150, 300), expected=100, streams=((10, 0), (10, 0)))
        after = self.daemon.metrics()
        self.assertEqual(sorted(after), names)
        self.assertEqual([after[f'reported_runs_total{{against="{w}"}}'] for w in ("unknown", "faster", "as_expected", "slower", "much_slower")], [0, 1, 1, 1, 1])
        self.assertEqual((after['reported_overlaps_total{overlap="fake"}'], after["reported_run_seconds_count"]), (1, 4))

    def test_what_makes_no_sense_is_refused(self):
        for words, body in (("32 bytes", report(key=b"short")), ("plan_key or device is missing", report(key=b"")), ("plan_key or device is missing", report(device="")),
                            ("printable ASCII", report(device="a b")), ("printable ASCII", report(device="\u00e9")), ("63 bytes", report(device="x" * 64)),
                            ("1,024 runs", report(runs=[1] * 1025)), ("eleven days", report(runs=(10 ** 15 + 1,))), ("eleven days", report(expected=2 ** 63)),
                            ("eleven days", report(streams=((2 ** 60, 0),))), ("part of its busy_ns", report(streams=((5, 6),))), ("cannot be decoded", b"\x0a\x7f")):
            got = self.client.call(REPORT, body)
            self.assertEqual(got.code(), "SD4004", words)
            self.assertIn(words, text(got.message(), 3))
        self.assertEqual(self.client.call(REPORT, report(streams=[(1, 1)] * 20000)).code(), "SD2012")
        self.assertEqual(self.ask(), [])
        row, = self.report(runs=[10 ** 15] * 1024, expected=10 ** 15, streams=[(10 ** 15, 10 ** 15)] * 2000)
        self.assertEqual((row.mean_ns, row.against, row.overlap_permille, len(row.streams)), (10 ** 15, "as_expected", 1000, 256))

    def test_who_may_not_hold_streams_may_only_ask(self):
        if os.getuid() != 0:
            self.skipTest("only root can become somebody else")
        with Daemon(pool__group="nobody-is-in-it") as daemon:
            os.chmod(daemon.path, 0o666)
            os.chmod(daemon.folder.name, 0o755)
            code = ("import sys; sys.path.insert(0, 'tests/lib'); import os; os.setuid(65534)\n"
                    "from streamd_wire import *\n"
                    f"with Client({daemon.path!r}) as c:\n"
                    f"    print(c.call(REPORT, bytes.fromhex({report().hex()!r})).code(), c.call(REPORT).code())")
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
            self.assertEqual(done.stdout.strip(), "SD4013 None", done.stderr)

    def test_plans_do_not_depend_on_it(self):
        before = self.client.call(PLAN, chain(50)).plan()
        key = pb.Plan.FromString(before).plan_key
        self.report(key=key, runs=(10 ** 9,), expected=1)
        self.client.call(CACHE_FLUSH)
        self.assertEqual(self.client.call(PLAN, chain(50)).plan(), before)

    def test_a_restart_forgets(self):
        self.report()
        self.daemon.stop()
        self.daemon.start()
        with self.daemon.client() as c:
            self.assertEqual(rows(c.call(REPORT)), [])

    def test_the_same_by_grpc(self):
        with channel(self.daemon) as ch:
            planner = stubs.PlannerStub(ch)
            told = planner.Report(pb.ReportRequest(plan_key=KEY, device="cuda@1", run_ns=[5, 7], expected_ns=6))
            self.assertEqual([(r.device, r.runs, r.against) for r in told.plans], [("cuda@1", 2, "faster")])
            self.assertEqual([r.device for r in planner.Report(pb.ReportRequest()).plans], ["cuda@1"])
            self.assertEqual(failure(planner.Report, pb.ReportRequest(plan_key=b"x")).code(), grpc.StatusCode.INVALID_ARGUMENT)


class CommandLine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(http=False)
        cls.addClassCleanup(cls.daemon.__exit__, None)

    def ctl(self, *arguments, status=0):
        done = subprocess.run([STREAMCTL, *map(str, arguments), "--socket", self.daemon.path], capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def listed(self, *arguments):
        return json.loads(self.ctl("report", *arguments, "--format", "json").stdout)["plans"]

    def test_a_run_is_reported_and_listed(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="streamd-test-")))
        branches, plan = RUN / "four_branches.json", folder / "plan.json"
        self.assertEqual(self.ctl("report").stdout, "no reports\n")
        told = json.loads(self.ctl("run", branches, "--device", "sim", "--runs", 4, "--seed", 3, "--report", "--format", "json").stdout)
        self.ctl("plan", branches, "-o", plan)
        key = json.loads(plan.read_text())["plan_key"]
        row, = self.listed()
        self.assertEqual((row["plan_key"], row["device"], row["runs"], row["reports"]), (key, "sim", 4, 1))
        runs = told["measured"]["run_ns"]
        self.assertEqual((row["min_ns"], row["max_ns"], row["last_ns"], row["median_ns"]), (min(runs), max(runs), runs[-1], sorted(runs)[1]))
        self.assertEqual((sum(runs) // 4, row["expected_ns"]), (told["measured"]["span_ns"], told["expected"]["span_ns"]))
        # A plan that was given, planned here, alone: the same plan.
        noted = self.ctl("run", branches, plan, "--device", "sim", "--report").stderr
        self.assertRegex(noted, r"^streamctl: note: reported: of 7 runs on sim the median is [0-9.]+ us, [0-9.]+ us were expected\n$")
        self.ctl("run", plan, "--device", "host", "--report")
        self.ctl("run", branches, "--local", "--device", "sim", "--report")
        self.assertEqual([(r["device"], r["runs"]) for r in self.listed(key)], [("sim", 10), ("host", 3)])
        self.assertEqual([len(r["streams"]) for r in self.listed(key[:6])], [5, 5])
        self.ctl("run", RUN / "moe_shared_expert.json", "--device", "sim", "--report")
        self.assertEqual(len(self.listed()), 3)
        self.assertEqual(self.listed("0" * 64), [])
        text = self.ctl("report", key).stdout
        self.assertRegex(text, rf"(?m)^{key[:12]}  sim +10 ")
        self.assertIn("sim, by stream:\nstream      busy us   overlap\n", text)

    def test_misuse(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="streamd-test-")))
        self.assertIn("up to 64 of 0-9 and a-f", self.ctl("report", "XY", status=2).stderr)
        self.ctl("plan", RUN / "four_branches.json", "-o", folder / "plan.json")
        plan = json.loads((folder / "plan.json").read_text())
        (folder / "anonymous.json").write_text(json.dumps({**plan, "plan_key": ""}))
        self.assertIn("which this plan does not state", self.ctl("run", RUN / "four_branches.json", folder / "anonymous.json", "--report", status=2).stderr)
        done = subprocess.run([STREAMCTL, "run", RUN / "four_branches.json", "--local", "--device", "sim", "--report", "--socket", folder / "none"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 3)
        self.assertIn("order: all kept", done.stdout)


if __name__ == "__main__":
    e2e.main()
