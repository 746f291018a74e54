#!/usr/bin/env python3
"""Branches really run beside each other on the host device: how much of the shorter one is saved, of several rounds the median and the upper quartile.

A core that another program has does not compute, and then two branches cannot overlap, whatever the device does; so a quarter of the rounds must
reach the floor, and on a machine that is busy the whole is measured again, after a pause, up to ATTEMPTS times. Where nothing can overlap, the
median of the same attempt must stay at nothing.
"""
import os
import statistics
import time

from big import bench
from tap import Tap

ROUNDS = 15
ATTEMPTS = 8
PAUSE_S = 15
# (case, least per mille of the upper quartile, most of the median)
CASES = [
    ("compute_beside_communication", 900, None),
    ("compute_beside_compute_two_cores", 600, None),
    ("compute_beside_compute_one_core", None, 100),
    ("one_stream", None, 100),
]


def problems(rounds, least, most):
    _, median, upper = statistics.quantiles(rounds)
    if least is not None and upper < least:
        return [f"upper quartile {upper / 10:.1f} %, at least {least / 10:.0f} %"]
    return [f"median {median / 10:.1f} %, at most {most / 10:.0f} %"] if most is not None and median > most else []


def measure():
    """The figures of one attempt, printed, and what is wrong with them by case."""
    figures = bench("overlap_bench", ROUNDS)
    print(f"# load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores, {ROUNDS} rounds")
    for case, *_ in CASES:
        _, median, upper = statistics.quantiles(figures[case])
        print(f"#   {case}: median {median / 10:.1f} %, upper quartile {upper / 10:.1f} %")
    return {case: problems(figures[case], least, most) for case, least, most in CASES}


def main():
    tap = Tap()
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(PAUSE_S)
        wrong = measure()
        if not any(wrong.values()):
            break
    for case, least, most in CASES:
        tap.case(f"{case}: {f'at least {least / 10:.0f} % of the shorter branch' if least else 'nothing overlaps'}", wrong[case])
    tap.end()


if __name__ == "__main__":
    main()
