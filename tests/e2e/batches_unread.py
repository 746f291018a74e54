#!/usr/bin/python3
"""Many batches on one gRPC connection whose answers are not read: what is kept for it is bounded, who reads gets on, and a refusal names the limit.

It runs on the system's Python, for which Debian packages grpcio.
"""
import pathlib
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from grpc_client import *
from streamd_wire import *

NARROW = (("grpc.http2.lookahead_bytes", 65536), ("grpc.http2.bdp_probe", 0))


def requests(batch, items, nodes):
    """Requests that all differ, with answers many times as large as they are."""
    def one(item):
        names = [f"n{batch}_{item}_{i}" for i in range(nodes)]
        return pb.PlanRequest(graph=pb.Graph(name="g", nodes=[pb.Node(name=n, op_type="Relu", inputs=names[max(0, i - 1):i]) for i, n in enumerate(names)]),
                              options=pb.Options(explain=True))
    return pb.PlanBatchRequest(requests=[one(i) for i in range(items)])


class Unread(unittest.TestCase):
    def daemon(self, **settings):
        daemon = Daemon(jobs__workers=8, cache__bytes_max="0", **settings)
        self.addCleanup(daemon.__exit__, None)
        return daemon

    def begin(self, ch, batches, items, nodes):
        """The first one leaves much unread, and no further call of its connection begins; once it is read, all others do at once."""
        asks = [requests(b, items, nodes) for b in range(batches)]
        return [stubs.PlannerStub(ch).PlanBatch(ask, timeout=120 * PATIENCE) for ask in asks]

    def test_who_reads_one_after_the_other_gets_all(self):
        daemon = self.daemon(socket__owed_bytes_max="64 KiB", socket__unread_bytes_max="1 MiB")
        with channel(daemon, *NARROW) as ch:
            for stream in self.begin(ch, 40, 12, 400):
                answers = list(stream)
                self.assertEqual((len(answers), answers[-1].end.errors), (13, 0))

    def test_who_reads_all_at_once_is_not_held_up(self):
        daemon = self.daemon()
        with channel(daemon) as ch:
            counts = []
            readers = [threading.Thread(target=lambda s=s: counts.append(len(list(s)))) for s in self.begin(ch, 20, 20, 100)]
            for reader in readers:
                reader.start()
            for reader in readers:
                reader.join()
            self.assertEqual(counts, [21] * 20)

    def test_what_is_kept_is_bounded(self):
        daemon = self.daemon(socket__owed_bytes_max="64 KiB", socket__unread_bytes_max="1 MiB")
        with channel(daemon, *NARROW) as ch:
            before = daemon.memory()
            streams = self.begin(ch, 30, 60, 200)
            requests_bytes = 30 * len(requests(0, 60, 200).SerializeToString())
            self.assertTrue(wait_for(lambda: daemon.metric("request_bytes_held") > 0.9 * requests_bytes, 30 * PATIENCE))
            self.assertEqual(list(streams[0])[-1].end.items, 60)
            self.assertTrue(wait_for(lambda: daemon.metric("batches_open") == 29, 30 * PATIENCE))
            self.assertFalse(wait_for(lambda: daemon.metric("batch_items_total") > 60 + 29 * 8, 2), daemon.metric("batch_items_total"))
            self.assertLess(daemon.memory(), before + 2 * requests_bytes + (16 << 20))
            for stream in streams:
                stream.cancel()
        self.assertTrue(wait_for(lambda: daemon.metric("request_bytes_held") == daemon.metric("batches_open") == 0))

    def test_a_refusal_names_the_limit(self):
        daemon = self.daemon(socket__owed_bytes_max="4 KiB", socket__unread_bytes_max="64 KiB", socket__open_requests_max=64)
        with channel(daemon, *NARROW) as ch:
            streams = self.begin(ch, 40, 8, 300)
            said = set()
            list(streams[0])
            for stream in streams[1:]:
                try:
                    list(stream)
                except grpc.RpcError as problem:
                    said.add((problem.code(), problem.details().partition(" bytes")[2]))
            self.assertTrue(said)
            self.assertEqual(said, {(grpc.StatusCode.RESOURCE_EXHAUSTED,
                                     " of answers are unread on this connection, and socket.unread_bytes_max = 65536 are kept; read them, or ask on another connection")})
            self.assertEqual(stubs.PlannerStub(ch).Plan(requests(99, 1, 3).requests[0], timeout=20 * PATIENCE).plan.stream_count, 1)


if __name__ == "__main__":
    e2e.main()
