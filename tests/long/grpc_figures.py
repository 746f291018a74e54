#!/usr/bin/env python3
"""Ping with 64 bytes beside a stock libgrpc++ server, with its callback and its sync interface, in one run, turn by turn.

h2load, 8 connections with 16 calls in flight each, by TCP on loopback and by Unix socket. The median of the rounds counts; p99 is over all
calls of the median's round. Fails when the daemon answers less than twice as many as the better of the two.
"""
import pathlib
import statistics
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from streamd_wire import *
from tap import Tap

ROUNDS, CALLS, WARM = 5, 100000, 5000
PATH = "/streamd.v1.Planner/Ping"


class StockServer:
    def __init__(self, program, kind, address):
        self.process = subprocess.Popen([program, kind, address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == "listening\n"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.communicate(timeout=30)


def run(base, folder, calls=CALLS):
    """(calls a second, p99 in us)"""
    log = pathlib.Path(folder) / "log"
    log.unlink(missing_ok=True)
    command = ["h2load", f"-n{calls}", "-c8", "-m16", f"-d{folder}/body", "-Hcontent-type: application/grpc", "-Hte: trailers", f"--log-file={log}"]
    command += [f"--base-uri={base}", f"http://localhost{PATH}"] if base.startswith("unix:") else [base + PATH]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert f"{calls} succeeded, 0 failed, 0 errored" in out and f"status codes: {calls} 2xx" in out, out
    times = sorted(int(line.split("\t")[2]) for line in log.read_text().splitlines())
    return float(re.search(r"([\d.]+) req/s", out)[1]), times[len(times) * 99 // 100]


def compare(servers, folder):
    """{name: (median calls a second, p99 us of that round)}, the servers taking turns."""
    seen = {name: [] for name in servers}
    for base in servers.values():
        run(base, folder, WARM)
    for _ in range(ROUNDS):
        for name, base in servers.items():
            seen[name].append(run(base, folder))
    return {name: statistics.median_low(rounds) for name, rounds in seen.items()}


def main():
    tap, port, sync_port, callback_port = Tap(), free_port(), free_port(), free_port()
    with tempfile.TemporaryDirectory(prefix="streamd-figures-") as folder:
        stock = os.environ.get("STOCK") or folder
        if "STOCK" not in os.environ:
            subprocess.run(["sh", ROOT / "tests/stock/build.sh", folder], check=True)
        body = field(1, b"x" * 64)
        (pathlib.Path(folder) / "body").write_bytes(struct.pack(">BI", 0, len(body)) + body)
        server = f"{stock}/stock_server"
        with Daemon(grpc__tcp_port=port) as daemon, StockServer(server, "sync", f"127.0.0.1:{sync_port}"), \
                StockServer(server, "callback", f"127.0.0.1:{callback_port}"), StockServer(server, "sync", f"unix:{folder}/sync"), \
                StockServer(server, "callback", f"unix:{folder}/callback"):
            ways = {"TCP": {"streamd": f"http://127.0.0.1:{port}", "sync": f"http://127.0.0.1:{sync_port}", "callback": f"http://127.0.0.1:{callback_port}"},
                    "Unix": {"streamd": f"unix:{daemon.folder.name}/grpc.sock", "sync": f"unix:{folder}/sync", "callback": f"unix:{folder}/callback"}}
            for way, servers in ways.items():
                got = compare(servers, folder)
                for name, (rate, p99) in got.items():
                    print(f"# {way:5} {name:9} {rate:10.0f} calls/s   p99 {p99 / 1000:8.2f} ms")
                times = got["streamd"][0] / max(got["sync"][0], got["callback"][0])
                tap.case(f"{way}: {times:.1f} times the calls of a stock server; p99 {got['streamd'][1] / 1000:.2f} ms", [] if times >= 2 else [f"{times:.2f}"])
            print(f"# resident: streamd {daemon.memory() / 2 ** 20:.1f} MB")
    tap.end()


if __name__ == "__main__":
    main()
