#!/usr/bin/env python3
"""Spoil the plans of all vectors in every way that judge_selftest knows; the judge must find each.

usage: judge_selftest.py    (environment: BUILD, the build folder)

Each vector is planned twice, as `native` and as `ge`. One TAP line a request, and one for each kind of change: it must have been made.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from tap import ROOT, Tap

COUNTS = re.compile(r"^# (\w+) +(\d+) refused +(\d+) equally good$")


def write_requests(folder):
    """Request files of all vectors for both modes, in a fixed order."""
    for path in sorted((ROOT / "tests/data/vectors").rglob("*.json")):
        request = json.loads(path.read_text())["request"]
        for compat in ("native", "ge"):
            file = folder / f"{path.parent.name}-{path.stem}-{compat}.json"
            file.write_text(json.dumps(dict(request, options=dict(request.get("options", {}), compat=compat))))
            yield file.name


def main():
    tap, problems = Tap(), []
    program = ROOT / os.environ.get("BUILD", "build") / "tests/property/judge_selftest"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        done = subprocess.run([program, *write_requests(folder)], cwd=folder, capture_output=True, text=True)
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
