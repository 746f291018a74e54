#!/usr/bin/env python3
"""What the pool costs as it grows: instructions of one acquire and release with 1,000 to 1,000,000 slots, counted by callgrind.

Half of the slots are full, so that a search that looked at them one by one would show.
"""
import json
import subprocess

from big import BUILD, instructions
from tap import Tap

SIZES = (1000, 8000, 64000, 512000, 1000000)
ROUNDS = 2000
BOUND = 1.3     # from one size to the next


def program(size, mode, rounds=ROUNDS):
    return [str(BUILD / "tests/bench/pool_bench"), str(size), str(rounds)] + ([mode] if mode == "exclusive" else [])


def measure(tap, mode):
    cost = {}
    print(f"#   slots  instructions       ns   ({mode}; of one acquire and release)")
    for size in SIZES:
        cost[size] = instructions("bench_rounds", program(size, mode), fills=True) / ROUNDS
        wall = json.loads(subprocess.run(program(size, mode, 100000), capture_output=True, text=True, check=True).stdout)
        print(f"# {size:7} {cost[size]:13.0f} {wall['ns']:8.0f}")
    for small, large in zip(SIZES, SIZES[1:]):
        grows = cost[large] / cost[small]
        tap.case(f"{mode}: with {large} slots it costs {grows:.2f} times as much as with {small}, at most {BOUND}",
                 [] if grows <= BOUND else [f"{cost[small]:.0f} instructions, then {cost[large]:.0f}"])


def main():
    tap = Tap()
    measure(tap, "shared")
    measure(tap, "exclusive")
    tap.end()


if __name__ == "__main__":
    main()
