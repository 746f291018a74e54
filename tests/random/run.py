#!/usr/bin/env python3
"""The random run: graphs of all features mixed, each plan proved by the judge, a part of them by plancheck.py too.

usage: run.py [--seed S] [--first K] [--count N] [--least L] [--checked C] [--jobs J]

Prints what random_graphs prints (seed, failures, tables), then TAP lines: no failure, no row of the tables below
L, no plan that plancheck.py doubts. One graph of each class of failure is made smaller; the file is told.
"""
import argparse
import collections
import json
import multiprocessing
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))
sys.path.insert(0, str(HERE))
import shrink
from tap import Tap

SHRUNKEN = 12       # classes that are made smaller; more of them are one defect mostly
SECONDS = 20        # for each of them
PLANNED = .5        # of the graphs, about


def graphs(a, samples):
    """Runs the program; its lines are printed as they come. (class -> numbers of graphs, rows that are too low)"""
    every = max(1, int(a.count * PLANNED / a.checked)) if a.checked else 0
    command = [shrink.PROGRAM, "--seed", a.seed, "--first", a.first, "--count", a.count, "--least", a.least]
    command += ["--samples", samples, "--every", every] if every else []
    failures, low = collections.defaultdict(list), []
    with subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, text=True, errors="replace") as p:
        for line in p.stdout:
            failed = re.match(r"fail (\d+) (.*)", line)
            if failed:
                failures[failed[2]].append(int(failed[1]))
            elif "  BELOW " in line:
                low.append(line.strip())
            print(line, end="", flush=True)
    if p.returncode not in (0, 1):
        failures[f"random_graphs ended with status {p.returncode}"].append(a.first)
    return failures, low


def doubt(line):
    sample = json.loads(line)
    return sample["number"], shrink.plancheck_class(sample)


def checked(path, jobs):
    """(plans looked at, class -> numbers) by the checker that shares no code with the planner."""
    count, doubts = 0, collections.defaultdict(list)
    if path.exists():
        with multiprocessing.Pool(jobs) as pool, open(path) as file:
            for number, found in pool.imap_unordered(doubt, file, 16):
                count += 1
                if found:
                    doubts[found].append(number)
    return count, doubts


def request_of(a, number):
    return json.loads(subprocess.run([shrink.PROGRAM, "--seed", str(a.seed), "--print", str(number)], capture_output=True, check=True).stdout)


def make_smaller(a, failures, folder):
    """Lines about one graph of each class, with the files they are in."""
    lines = []
    for found, numbers in failures.items():
        lines.append(f"{len(numbers)} graphs, the first is {min(numbers)}: {found}")
        if len(lines) > SHRUNKEN:
            continue
        small, _ = shrink.shrink(request_of(a, min(numbers)), SECONDS)
        if small:
            path = folder / f"random-{a.seed}-{min(numbers)}.json"
            shrink.write_small(small, path)
            lines[-1] += f" (smaller: {path})"
    return lines


def main():
    a = argparse.ArgumentParser(usage=__doc__)
    a.add_argument("--seed", type=int, default=1); a.add_argument("--first", type=int, default=0); a.add_argument("--count", type=int, default=1500)
    a.add_argument("--least", type=int, default=1); a.add_argument("--checked", type=int, default=40); a.add_argument("--jobs", type=int, default=1)
    a = a.parse_args()
    folder = pathlib.Path(os.environ.get("LOGS") or tempfile.mkdtemp(prefix="random-"))
    samples = folder / f"random-{a.seed}-{os.getpid()}.jsonl"
    tap = Tap()
    failures, low = graphs(a, samples)
    count, doubts = checked(samples, a.jobs)
    tap.case(f"{a.count} graphs of seed {a.seed} from {a.first}: every plan is proved, every refusal names what to change", make_smaller(a, failures, folder))
    tap.case(f"every pass, attribute, option and code is met {a.least} times", low)
    tap.case(f"plancheck.py proves {count} of the plans", make_smaller(a, doubts, folder) if count or not a.checked else ["no plan was looked at"])
    samples.unlink(missing_ok=True)
    tap.end()


if __name__ == "__main__":
    main()
