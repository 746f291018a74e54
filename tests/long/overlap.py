#!/usr/bin/env python3
"""Branches really run beside each other on the host device: how much of the shorter one is saved, of several rounds the median and the upper quartile.

The machine may be shared, and a core that another program has does not compute; so a quarter of the rounds must reach the floor. Where nothing
can overlap, the median must stay at nothing.
"""
import statistics

from big import bench
from tap import Tap

ROUNDS = 15
# (case, least per mille of the upper quartile, most of the median)
CASES = [
    ("compute_beside_communication", 900, None),
    ("compute_beside_compute_two_cores", 600, None),
    ("compute_beside_compute_one_core", None, 50),
    ("one_stream", None, 50),
]


def main():
    tap, figures = Tap(), bench("overlap_bench", ROUNDS)
    for case, least, most in CASES:
        _, median, upper = statistics.quantiles(figures[case])
        print(f"# {case}: median {median / 10:.1f} %, upper quartile {upper / 10:.1f} % of {ROUNDS} rounds")
        if least is not None:
            tap.case(f"{case}: at least {least / 10:.0f} % of the shorter branch", [] if upper >= least else [f"upper quartile {upper / 10:.1f} %"])
        if most is not None:
            tap.case(f"{case}: nothing overlaps", [] if median <= most else [f"median {median / 10:.1f} %"])
    tap.end()


if __name__ == "__main__":
    main()
