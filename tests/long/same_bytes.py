#!/usr/bin/env python3
"""Several builds of streamctl answer the same bytes to the same requests.

usage: same_bytes.py [--count N] STREAMCTL STREAMCTL...
"""
import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/tools"), str(ROOT / "tests/random")]
import made
from tap import Tap


def answers(streamctl, count):
    for seed in range(1, count + 1):
        text = json.dumps(made.request(seed)).encode()
        p = subprocess.run([streamctl, "plan", "-", "--local", "--format", "json"], input=text, capture_output=True, timeout=120)
        yield seed, p.returncode, p.stdout


def main():
    a = argparse.ArgumentParser(usage=__doc__)
    a.add_argument("--count", type=int, default=300)
    a.add_argument("streamctl", nargs="+")
    a = a.parse_args()
    tap, first = Tap(), list(answers(a.streamctl[0], a.count))
    plans = sum(status == 0 for _, status, _ in first)
    tap.case(f"{plans} of {a.count} requests are planned by {a.streamctl[0]}", [] if plans > a.count * .7 else ["too few to compare"])
    for other in a.streamctl[1:]:
        differ = [f"seed {x[0]}" for x, y in zip(first, answers(other, a.count)) if x != y]
        tap.case(f"{other} answers the same bytes to {a.count} requests", differ)
    tap.end()


if __name__ == "__main__":
    main()
