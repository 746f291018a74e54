#!/usr/bin/env python3
"""What an acquire with its release costs through the daemon's socket: beside a bare echo on a socket of the same kind, in the same run.

Both are measured in turns, so that whatever else the machine does meets both alike; what counts is the median of the shares.
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/tools"), str(ROOT / "tests/lib"), str(ROOT / "tests/long")]
from big import BUILD
from streamd_wire import Daemon
from tap import Tap

PROCESSES, RUNS, PAIRS = 5, 15, 2000
LEAST = 0.25    # pairs a second, of the echo's round trips a second


def main():
    tap, shares = Tap(), []
    print("#  echo us   pair us   share   (medians of one process)")
    with Daemon(http=False) as daemon:
        for _ in range(PROCESSES):
            done = subprocess.run([BUILD / "tests/bench/socket_bench", daemon.path, str(RUNS), str(PAIRS)], capture_output=True, text=True, check=True)
            seen = json.loads(done.stdout)
            shares.append(seen["share"])
            print(f"# {seen['echo_us']:8.2f} {seen['pair_us']:9.2f} {seen['share']:7.1%}")
    share = sorted(shares)[PROCESSES // 2]
    tap.case(f"an acquire with its release comes to {share:.1%} of the round trips of a bare echo, at least {LEAST:.0%}",
             [] if share >= LEAST else [f"shares {shares}"])
    tap.end()


if __name__ == "__main__":
    main()
