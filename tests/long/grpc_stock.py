#!/usr/bin/env python3
"""Unmodified gRPC clients of four libraries: a case for each client, each way in (Unix socket, TCP, TCP with certificates) and each ability.

grpc-js, grpcio (python3-grpcio) and libgrpc++ also go through two restarts under load on each way, and no call may fail. The Go client is `buf curl`
(go_client.py). Where the certificate is wrong, out of date or missing nobody gets anything. What npm cannot install is told at the end and counts
as no case; STOCK is a folder with what build.sh made already, CLIENTS names the clients to try.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

for folder in ("lib", "tools", "stock"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / folder))
import go_client
from certificates import Authority
from streamd_wire import *
from tap import Tap

STOCK = ROOT / "tests/stock"
NODES_MAX = 70000
CALLS = 2000            # pings before, between and after the restarts
ABILITIES = [name for name, _ in go_client.Go.ABILITIES]
WAYS = ("Unix socket", "TCP", "TCP with certificates")


def npm(folder, *packages):
    """Why they cannot be installed; None: they are."""
    if not shutil.which("npm"):
        return "npm is not installed"
    run = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", *packages], cwd=folder, capture_output=True, text=True, timeout=300)
    return f"npm cannot install it: {run.stderr.strip().splitlines()[-1:]}" if run.returncode else None


class Bench:
    """A folder with clients, certificates, and daemons as they are asked for."""

    def __init__(self, folder):
        self.at = pathlib.Path(folder)
        self.ca, self.other = Authority(folder), Authority(folder, "other")
        self.server, self.loader = self.ca.issue("server", "localhost"), self.ca.issue("loader", "loader")
        self.stranger, self.old = self.other.issue("stranger", "loader"), self.ca.issue("old", "loader", days=-1)

    def daemon(self, way):
        """(daemon, target, certificates); a worker alone, for who keeps it busy."""
        port = free_port()
        settings = {"grpc__tcp_port": port, "limits__nodes_max": NODES_MAX, **go_client.SETTINGS}
        if way == WAYS[2]:
            settings.update(tls__certificate=self.server[0], tls__key=self.server[1], tls__client_ca=self.ca.certificate)
        daemon = Daemon(**settings)
        certificates = (self.ca.certificate, *self.loader) if way == WAYS[2] else ()
        return daemon, f"unix:{daemon.folder.name}/grpc.sock" if way == WAYS[0] else f"localhost:{port}", certificates

    def wrong(self):
        """(what is wrong, certificates) of whoever must get nothing."""
        trusts = self.ca.certificate
        return [("without a certificate", (trusts,)), ("with another authority's certificate", (trusts, *self.stranger)), ("with an expired certificate", (trusts, *self.old)),
                ("in the clear", ()), ("that trusts another authority", (self.other.certificate, *self.loader))]


class Program:
    """A client that is one of our programs over its library: `check`, `load` or `ping`, a target, certificates."""

    def __init__(self, name, command):
        self.name, self.command = name, [str(word) for word in command]

    def words(self, mode, target, certificates):
        return [*self.command, mode, target, str(NODES_MAX), *map(str, certificates)]

    def abilities(self, daemon, target, certificates):
        """Yields (ability, problems)."""
        run = subprocess.run(self.words("check", target, certificates), capture_output=True, text=True, timeout=600)
        told = {what: bad for bad, what in re.findall(r"(?m)^(not )?ok \d+ - (.*)$", run.stdout)}
        for ability in ABILITIES + [what for what in told if what not in ABILITIES]:
            bad = told.get(ability, "was not tried ")
            yield ability, [f"{bad}: {(run.stdout + run.stderr)[-600:]}"] if bad else []

    def restarts(self, daemon, target, certificates):
        """Two restarts under load; answers (calls, problems)."""
        pings = lambda: daemon.metric('grpc_requests_total{method="Ping",status="OK"}')
        before = pings()
        load = subprocess.Popen(self.words("load", target, certificates), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        ready = lambda: pings() >= before + CALLS and daemon.metric('grpc_requests_total{method="Plan",status="OK"}') > 0
        problems = [] if wait_for(ready, 120) else ["the load does not begin"]
        for turn in ("first", "second"):
            if daemon.stop() != 0:
                problems.append(f"the daemon did not end well before the {turn} restart")
            daemon.log_file.close()
            daemon.start()
            before = 0
            if not wait_for(ready, 120):
                problems.append(f"no calls after the {turn} restart")
        out, _ = load.communicate(timeout=180)
        told = re.search(r"(?m)^(\d+) done, (\d+) failed", out)
        if not told or int(told[2]) or int(told[1]) < 3 * CALLS:
            problems.append(out[-600:])
        return told and told[1], problems

    def ping(self, target, certificates):
        run = subprocess.run(self.words("ping", target, certificates), capture_output=True, text=True, timeout=120)
        return int(run.stdout) if run.stdout.strip().isdigit() else run.stdout + run.stderr


class GoProgram:
    """The Go client, which has no load of its own and goes through no restarts."""
    name = go_client.NAME

    def __init__(self, folder):
        self.folder = folder

    def abilities(self, daemon, target, certificates):
        client = go_client.Go(self.folder, target, certificates)
        for ability, do in client.ABILITIES:
            yield ability, do(client, daemon, NODES_MAX)

    restarts = None

    def ping(self, target, certificates):
        return go_client.Go(self.folder, target, certificates).ping()


def clients(bench):
    """(client, why it is not there) for each; one of the two is None."""
    cpp = pathlib.Path(os.environ.get("STOCK") or bench.at / "cpp")
    if "STOCK" not in os.environ:
        subprocess.run(["sh", STOCK / "build.sh", cpp], check=True, timeout=1800)
    yield Program("libgrpc++", [cpp / "stock_client"]), None
    yield Program("grpcio", ["/usr/bin/python3", STOCK / "stock_client.py"]), None
    shutil.copy(STOCK / "stock_client.js", bench.at)
    yield Program("grpc-js", ["node", bench.at / "stock_client.js", ROOT / "proto"]), npm(bench.at, "@grpc/grpc-js", "@grpc/proto-loader")
    yield GoProgram(bench.at), npm(bench.at, "@bufbuild/buf")


def try_way(tap, bench, client, way):
    daemon, target, certificates = bench.daemon(way)
    with daemon:
        for ability, problems in client.abilities(daemon, target, certificates):
            tap.case(f"{client.name}, {way}: {ability}", problems)
        quiet = wait_for(lambda: daemon.is_quiet(), 60)
        tap.case(f"{client.name}, {way}: nothing is left of it", [] if quiet else [str(daemon.metrics())[:600]])
        if client.restarts:
            calls, problems = client.restarts(daemon, target, certificates)
            tap.case(f"{client.name}, {way}: two restarts under load, none of {calls} calls fails", problems)


def try_wrong(tap, bench, client):
    daemon, target, certificates = bench.daemon(WAYS[2])
    with daemon:
        got = client.ping(target, certificates)
        tap.case(f"{client.name}, {WAYS[2]}: who shows a good one is answered", [] if got == 0 else [f"{got}"])
        for what, wrong in bench.wrong():
            got = client.ping(target, wrong)
            answered = daemon.metric('grpc_requests_total{method="Ping",status="OK"}') - 1
            tap.case(f"{client.name}, {WAYS[2]}: a client {what} gets nothing ({got if isinstance(got, str) else f'status {got}'})",
                     [] if got != 0 and not answered else [f"{got}, {answered} answered"])


def main():
    tap, missing, wanted = Tap(), [], os.environ.get("CLIENTS", "").split(",")
    with tempfile.TemporaryDirectory(prefix="streamd-stock-") as folder:
        bench = Bench(folder)
        for client, why in clients(bench):
            if wanted != [""] and not any(word in client.name for word in wanted):
                continue
            if why:
                missing.append(f"# {client.name}: not tried on {', '.join(WAYS)}: {why}")
                continue
            for way in WAYS:
                try_way(tap, bench, client, way)
            try_wrong(tap, bench, client)
    print("\n".join(missing))
    tap.end()


if __name__ == "__main__":
    main()
