#!/usr/bin/env python3
"""Spoil the plans of all vectors in every way that judge_selftest knows; the judge must find each.

usage: judge_selftest.py    (environment: BUILD, the build folder)

Each vector is planned twice, as `native` and as `ge`. One TAP line a request, and one for each kind of change: it must have been made.
Stored plans of graphs with bodies, and those of random ones, must be proved as they are, and each of a number of changes of them must be found.
"""
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "random"))
import bodychanges
import made
from bodydraft import BodyDraft
from tap import ROOT, Tap

STREAMCTL = str(pathlib.Path(os.environ.get("STREAMCTL", str(ROOT / os.environ.get("BUILD", "build") / "clients/streamctl"))).resolve())
PROGRAMS = ROOT / os.environ.get("BUILD", "build") / "tests/property"
RANDOM_BODIES = 300 if os.environ.get("TIER") == "long" else 40      # graphs
TIMES = 6 if os.environ.get("TIER") == "long" else 1    # each change of a stored plan
COUNTS = re.compile(r"^# (\w+) +(\d+) refused +(\d+) equally good$")


def write_requests(folder):
    """Request files of all vectors for both modes, and of random graphs with bodies, in a fixed order."""
    for number in range(RANDOM_BODIES):
        file = folder / f"random-{number}.json"
        file.write_text(json.dumps(made.request(number, "bodies")))
        yield file.name
    for path in sorted((ROOT / "tests/data/vectors").rglob("*.json")):
        request = json.loads(path.read_text())["request"]
        for compat in ("native", "ge"):
            file = folder / f"{path.parent.name}-{path.stem}-{compat}.json"
            file.write_text(json.dumps(dict(request, options=dict(request.get("options", {}), compat=compat))))
            yield file.name


class Judge:
    """The judge in one process for all plans."""

    def __init__(self, folder):
        self.files = [folder / "request.json", folder / "plan.json"]
        self.program = subprocess.Popen([PROGRAMS / "judge_each"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def refused(self, request, plan):
        """What it says of a plan: lines of violations, and whether it refuses it."""
        for file, value in zip(self.files, (request, plan)):
            file.write_text(json.dumps(value))
        print(*self.files, sep="\t", file=self.program.stdin, flush=True)
        lines = []
        while (line := self.program.stdout.readline())[:2] not in ("= ", "! ", ""):
            lines.append(line.rstrip("\n"))
        if not line:
            return ["it is gone"], False
        return lines + [line.strip()], line != "= 0\n"          # a plan that cannot be read is refused, too

    def end(self):
        """How it ended: what a sanitizer found comes at the end."""
        _, told = self.program.communicate(timeout=600)
        return [] if self.program.returncode == 0 else [f"it ended with {self.program.returncode}", told[-300:]]


def stored_plans():
    for path in sorted((ROOT / "tests/data/bodies").glob("*.json")):
        stored = json.loads(path.read_text())
        yield path.stem, stored["request"], stored["plan"]


def random_plans():
    """Plans of random graphs with bodies as the planner makes them; not those that a draft writes otherwise, nor refusals."""
    for number in range(RANDOM_BODIES):
        request = made.request(number, "bodies")
        request["options"].pop("explain", None)
        done = subprocess.run([STREAMCTL, "plan", "-", "--local", "--format", "json"], input=json.dumps(request), capture_output=True, text=True)
        plan = json.loads(done.stdout)
        if "error" not in plan and BodyDraft(request, plan).write() == plan:
            yield f"random {number}", request, plan


def spoil_bodies(tap, judge):
    """Plans of graphs with bodies, stored and random, as they are and with each change."""
    made = {change.__name__: 0 for change in bodychanges.ALWAYS}
    for name, request, plan in (*stored_plans(), *random_plans()):
        rng, problems = random.Random(name), []
        for whole, what in ((plan, "as stored"), (BodyDraft(request, plan).write(), "as written anew")):
            lines, found = judge.refused(request, whole)
            problems += [f"{what}: {lines[0]}"] if found else []
        for change in bodychanges.ALWAYS * TIMES:
            draft = BodyDraft(request, plan)
            if not change(draft, rng):
                continue
            made[change.__name__] += 1
            lines, found = judge.refused(request, draft.write())
            problems += [] if found else [f"{change.__name__}: {lines[0]}"]
        tap.case(f"bodies/{name}", problems)
    for name, times in made.items():
        tap.case(f"{name} in plans with bodies: {times} refused", () if times else ["it was never made"])


def main():
    tap, problems = Tap(), []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        done = subprocess.run([PROGRAMS / "judge_selftest", *write_requests(folder)], cwd=folder, capture_output=True, text=True)
        judge = Judge(folder)
        spoil_bodies(tap, judge)
        tap.case("the judge of all of them ends well", judge.end())
    for line in done.stdout.splitlines():
        counts = COUNTS.match(line)
        if counts:
            tap.case(f"{counts[1]}: {counts[2]} refused, {counts[3]} equally good", () if int(counts[2]) + int(counts[3]) else ["it was never made"])
        elif line.startswith("#   "):
            problems.append(line[4:])
        elif " - " in line:
            failed = line.startswith("not ok")
            tap.case(line.split(" - ", 1)[1], problems if failed else ())
            problems = []
    if done.returncode and not tap.failed:
        tap.case("the program ends well", [f"it ended with {done.returncode}", done.stderr[-300:]])
    tap.end()


if __name__ == "__main__":
    main()
