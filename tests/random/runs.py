#!/usr/bin/env python3
"""Random graphs are run to their end: on the simulated device, with queues of the usual depth and with short ones, and some on threads of this machine.

usage: runs.py [--seed S] [--first K] [--count N] [--host N]

Of each kind N graphs are planned, with events and with notifies; each plan that is made is run with every body of its choices in turn and
loops of no, one and two turns (`run_plans`): it gets to its end, keeps every edge, and has no race that it does not warn of (in graphs
made for hazards these are looked for by property/hazards.py). Of each kind --host graphs run on threads too.
Prints how many ended how.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))
sys.path.insert(0, str(HERE))
import made
import nested
from tap import Tap

RUN = made.PROGRAM.parents[1] / "property/run_plans"
KINDS = {"sound": (), "flat": (), "bodies": (), "hazards": ("--may-race",), "hazards-bodies": ("--may-race",), "nested": ()}
CORES = 128             # no task of these graphs wants more
RUNS = 6                # of each plan, over its choices
WAYS = {                # how they are run
    "simulated": ("--device", "sim"),
    "simulated, short queues": ("--device", "sim", "--queue", "3"),
    "threads": ("--device", "host"),
}


def request_of(kind, seed, number, event):
    request = nested.Maker(number).request() if kind == "nested" else made.request(number, kind, seed)
    request.setdefault("options", {})["event"] = event
    return request


def write_all(a, kind, event, folder):
    paths = []
    for number in range(a.first, a.first + a.count):
        request = request_of(kind, a.seed, number, event)
        if kind == "nested" and not request["options"]["explicit_streams"]:
            continue
        paths.append(folder / f"{kind}-{event}-{number}.json")
        paths[-1].write_text(json.dumps(request))
    return paths


def run(paths, kind, way, seed):
    """(Counter of endings, lines that are not ok)"""
    ends, bad = collections.Counter(), []
    done = subprocess.run([RUN, "--runs", str(RUNS), "--seed", str(seed), "--cores", str(CORES), *WAYS[way], *KINDS[kind], *paths],
                          capture_output=True, text=True, errors="replace")
    for line in done.stdout.splitlines():
        if line.startswith("not ok"):
            ends["failed"] += 1
            bad.append(f"{way}: {line}")
        elif ": refused with " in line:
            ends["refused"] += 1
        else:
            kept = re.search(r": (\d+) runs of .* kept (\d+) edges", line)
            if kept:
                ends += collections.Counter({"run": 1, "runs": int(kept[1]), "edges": int(kept[2])})
    if done.returncode not in (0, 1) or not re.search(r"^\d+ passed, \d+ failed$", done.stdout, re.M):
        bad.append(f"{way}: run_plans ended with status {done.returncode}: {done.stderr.strip()[-300:]}")
    return ends, bad


def main():
    a = argparse.ArgumentParser(usage=__doc__)
    a.add_argument("--seed", type=int, default=1); a.add_argument("--first", type=int, default=0); a.add_argument("--count", type=int, default=60)
    a.add_argument("--host", type=int, default=8)
    a = a.parse_args()
    tap, total = Tap(), collections.Counter()
    with tempfile.TemporaryDirectory(dir=os.environ.get("LOGS")) as name:
        for kind in KINDS:
            for event in ("event", "notify"):
                paths = write_all(a, kind, event, pathlib.Path(name))
                for way in WAYS:
                    ends, bad = run(paths[:a.host] if way == "threads" else paths, kind, way, a.seed)
                    total += ends
                    if not ends["run"]:
                        bad.append("no graph was run")
                    tap.case(f"{kind}, {event}, {way}: {ends['run']} plans are run, {ends['refused']} graphs refused", bad)
    print(f"# {total['run']} plans kept {total['edges']} edges in {total['runs']} runs; {total['refused']} refused, {total['failed']} failed")
    tap.end()


if __name__ == "__main__":
    main()
