#!/usr/bin/env python3
"""What the memory pool costs as it grows: instructions of one allocation and free with 1,000 to 512,000 blocks, counted by callgrind."""
from big import BUILD, bench, instructions
from tap import Tap

SIZES = (1000, 8000, 64000, 512000)
ROUNDS = 2000
BOUND = 1.3     # from one size to the next


def main():
    tap, cost = Tap(), {}
    print("#  blocks  instructions       ns   (of one allocation and free)")
    for size in SIZES:
        cost[size] = instructions("bench_rounds", [BUILD / "tests/bench/memory_bench", size, ROUNDS], fills=True) / ROUNDS
        print(f"# {size:7} {cost[size]:13.0f} {bench('memory_bench', size, 100000)['ns']:8.0f}")
    for small, large in zip(SIZES, SIZES[1:]):
        grows = cost[large] / cost[small]
        tap.case(f"with {large} blocks it costs {grows:.2f} times as much as with {small}, at most {BOUND}",
                 [] if grows <= BOUND else [f"{cost[small]:.0f} instructions, then {cost[large]:.0f}"])
    tap.end()


if __name__ == "__main__":
    main()
