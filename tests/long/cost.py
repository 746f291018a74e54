#!/usr/bin/env python3
"""What planning costs as graphs grow: instructions of sd_plan_make a node, counted by callgrind, on random graphs of 1,000, 10,000 and 100,000 nodes.

A planner of O((V + E) log V) grows by the ratio of the logarithms; the bound leaves a tenth above it. Cut streams, bodies and attached
streams are measured at one size and at eight times that; there a node may cost 1.3 times as much.
"""
import math

from big import BUILD, bench, graph, instructions
from tap import Tap

SIZES = (1000, 10000, 100000)
EIGHTFOLD = (("rand", 1000, 256), ("ifs", 250, None), ("attached", 1000, None))     # kind, size, tasks a stream holds


def planning(path):
    """Instructions of one run of the planner."""
    return instructions("sd_plan_make", [BUILD / "tests/bench/plan_bench", path, 1])


def measure(tap, what, **options):
    cost = {}
    print(f"#  nodes  instructions/node  arena bytes/node  plan ms  verify ms   ({what})")
    for size in SIZES:
        path = graph(f"rand:{size}", **options)
        cost[size] = planning(path) / size
        wall = bench("plan_bench", path, 5)
        print(f"# {size:6} {cost[size]:18.0f} {wall['peak_bytes'] / wall['nodes']:17.0f} {wall['plan_ns'] / 1e6:8.2f} {wall['verify_ns'] / 1e6:10.2f}")
    for small, large in zip(SIZES, SIZES[1:]):
        bound = 1.1 * math.log(large) / math.log(small)
        grows = cost[large] / cost[small]
        tap.case(f"{what}: from {small} to {large} nodes a node costs {grows:.2f} times as much, at most {bound:.2f}",
                 [] if grows <= bound else [f"{cost[small]:.0f} instructions a node, then {cost[large]:.0f}"])


def measure_eightfold(tap, kind, size, limit):
    what = f"{kind}:{size}" + (f" --limit {limit}" if limit else "")
    small, large = (planning(graph(f"{kind}:{n}", limit)) / n for n in (size, 8 * size))
    tap.case(f"{what}: eight times as large, a part costs {large / small:.2f} times as much, at most 1.3",
             [] if large <= 1.3 * small else [f"{small:.0f} instructions a part, then {large:.0f}"])


def main():
    tap = Tap()
    for row in EIGHTFOLD:
        measure_eightfold(tap, *row)
    measure(tap, "as it stands")
    measure(tap, "explained", explain=True)
    tap.end()


if __name__ == "__main__":
    main()
