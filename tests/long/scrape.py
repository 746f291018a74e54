#!/usr/bin/env python3
"""The metrics page: promtool finds nothing to say against it, and being scraped 20,000 times costs no memory."""
import subprocess

import big  # noqa: F401  puts tests/tools on the path
from framed import Daemon
from tap import Tap

SCRAPES = 20000


def main():
    tap = Tap()
    with Daemon() as daemon:
        text = daemon.metrics()
        p = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
        tap.case("promtool accepts /metrics", (p.stdout + p.stderr).splitlines() if p.returncode or p.stdout + p.stderr else [])
        for _ in range(500):
            daemon.metrics()
        before = daemon.resident()
        for _ in range(SCRAPES):
            daemon.metrics()
        grown = daemon.resident() - before
        print(f"# resident {before / 2 ** 20:.1f} MiB, {grown / 2 ** 10:.0f} KiB more after {SCRAPES} scrapes")
        tap.case(f"{SCRAPES} scrapes leave the daemon as large as it was", [] if grown < 512 << 10 else [f"{grown} bytes more"])
    tap.end()


if __name__ == "__main__":
    main()
