#!/usr/bin/python3
"""Two restarts under load lose no call of stock clients that wait until they are connected: by Unix socket, TCP, TCP with certificates."""
import pathlib
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from certificates import Authority
from grpc_client import *
from streamd_wire import *

CALLERS = 12
LEAST = 40 // PATIENCE      # calls of each caller before, between and after the restarts
OWN = LARGE + RETRY_SOON + [("grpc.use_local_subchannel_pool", 1)]
PING = pb.PingRequest(payload=b"x" * 64)


class Load:
    """Callers that call again as soon as they are answered; each third plans, each graph but once."""

    def __init__(self, channels):
        self.stop, self.done, self.failed, self.count = threading.Event(), [0] * CALLERS, [], 0
        self.threads = [threading.Thread(target=self.run, args=(i, stubs.PlannerStub(channels[i % len(channels)]))) for i in range(CALLERS)]
        for thread in self.threads:
            thread.start()

    def run(self, which, planner):
        while not self.stop.is_set():
            try:
                if which % 3 == 0:
                    request = plan_request(chain(300, op_type=f"T{which}.{self.done[which]}"))
                    assert len(planner.Plan(request, timeout=2 * LONG, wait_for_ready=True).plan.nodes) == 300
                else:
                    assert planner.Ping(PING, timeout=2 * LONG, wait_for_ready=True).payload == PING.payload
                self.done[which] += 1
            except (grpc.RpcError, AssertionError) as error:
                self.failed.append(error)

    def end(self):
        self.stop.set()
        for thread in self.threads:
            thread.join()


class Restarts(unittest.TestCase):
    def restart_under(self, daemon, channels):
        load = Load(channels)
        try:
            self.wait_calls(load)
            for _ in range(2):
                self.assertEqual(daemon.stop(), 0)
                daemon.log_file.close()
                daemon.start()
                self.wait_calls(load)
        finally:
            load.end()
        print(f"{sum(load.done)} calls, {len(load.failed)} failed")
        self.assertEqual([str(e) for e in load.failed[:3]], [])
        self.assertTrue(wait_for(lambda: daemon.is_quiet(connections=len(channels))))
        for c in channels:
            c.close()

    def wait_calls(self, load):
        before = list(load.done)
        self.assertTrue(wait_for(lambda: all(b - a >= LEAST for a, b in zip(before, load.done))))

    def test_unix(self):
        with Daemon() as daemon:
            self.restart_under(daemon, [grpc.insecure_channel(f"unix:{socket_of(daemon)}", options=OWN) for _ in range(4)])

    def test_tcp(self):
        port = free_port()
        with Daemon(grpc__tcp_port=port) as daemon:
            self.restart_under(daemon, [grpc.insecure_channel(f"127.0.0.1:{port}", options=OWN) for _ in range(4)])

    def test_certificates(self):
        port = free_port()
        with tempfile.TemporaryDirectory() as folder:
            ca = Authority(folder)
            server, loader = ca.issue("server", "localhost"), ca.issue("loader", "loader")
            credentials = grpc.ssl_channel_credentials(*(p.read_bytes() for p in (ca.certificate, loader[1], loader[0])))
            with Daemon(grpc__tcp_port=port, tls__certificate=server[0], tls__key=server[1], tls__client_ca=ca.certificate) as daemon:
                self.restart_under(daemon, [grpc.secure_channel(f"localhost:{port}", credentials, options=OWN) for _ in range(4)])


if __name__ == "__main__":
    e2e.main()
