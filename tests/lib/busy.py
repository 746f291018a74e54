"""A daemon that has everything to show: loaders of all kinds hold and wait for streams, jobs run and queue, peers are refused."""
import threading

from pool_client import *

HOSTILE = ["</script><script>hit = 1</script>", "<img src=x onerror='hit = 1'>", "\"'`&lt;&amp;{{data}}${hit = 1}", "line\u2028sep\u2029end", "\u202eright to left\u202c",
           "tab\tbell\u0007\u0001", "\u7b97\u5b50" * 80, "w" * 500, "a b  c", "-", "e\u0301\U0001f600"]


class Busy:
    """`loaders` models on a connection each; of device 0 all streams are taken, and some wait for them."""

    def __init__(self, daemon, loaders=40, waiting=8, jobs=12, asks=True):
        self.daemon, self.clients, self.is_over = daemon, [], threading.Event()
        streams = int(daemon.settings["pool.streams_max"])
        for i in range(loaders):
            client = self.client()
            name = HOSTILE[i] if i < len(HOSTILE) else f"model-{i:03d}"
            model = client.register(name=name, domain=HOSTILE[-1 - i % len(HOSTILE)] if i % 3 == 0 else "", ttl_ms=600000)
            client.acquire(model, want(4 if i < len(HOSTILE) else 1 + i % 3, priority=i % 8, flags=(0, 0, 1, 8, 0x101)[i % 5]), events=i, notifies=i % 4)
            if i % 9 == 0:
                client.unload(model)                                    # leaves its streams idle
        filler = self.client()
        filler.acquire(filler.register(name="the rest", ttl_ms=600000), want(streams - filler.stats()["live"] - 1))
        for i in range(waiting):
            client = self.client()
            client.begin_acquire(client.register(name=HOSTILE[i % len(HOSTILE)], priority=i % 3, ttl_ms=600000), want(5 + i), wait_ms=600000)
        self.refuse()
        self.threads = [threading.Thread(target=self.plan, args=(i, )) for i in range(jobs)] + [threading.Thread(target=self.ask)] * asks
        for thread in self.threads:
            thread.start()

    def client(self):
        self.clients.append(PoolClient(self.daemon.path))
        return self.clients[-1]

    def refuse(self):
        """Errors of some kinds; two of them have hostile names in them."""
        client = self.client()
        for prefix in ("n", "<b onmouseover='hit = 1'>", "\u202e" * 20 + "w" * 100):
            client.call(PLAN, cycle(prefix))
        for method, body in ((DESCRIBE, field(1, 4711)), (PLAN, b"\xff"), (RELEASE, field(1, 1)), (CANCEL_JOB, field(1, 1 << 40)), (99, b"")):
            for _ in range(3):
                client.call(method, body)
        try:
            client.acquire(client.register(name=HOSTILE[1]), want(100000))
        except Refused:
            pass
        with socket.socket(socket.AF_UNIX) as rude:
            rude.connect(self.daemon.path)
            rude.sendall(b"GET / HTTP/1.1\r\n\r\n" * 4)
            rude.recv(4096)

    def plan(self, number):
        """One large graph after the other."""
        turn = 0
        try:
            with Client(self.daemon.path) as client:
                while not self.is_over.is_set():
                    turn += 1
                    client.call(PLAN, slow(f"busy{number}-{turn}", 20000), deadline_ms=300000)
        except OSError:
            pass

    def ask(self):
        """Small calls of many kinds."""
        try:
            with Client(self.daemon.path) as client:
                while not self.is_over.wait(0.02):
                    client.call(STATUS)
                    client.call(PING_METHOD, field(1, "x" * 1000))
                    client.call(JOBS)
        except OSError:
            pass

    def end(self):
        self.is_over.set()
        for client in self.clients:
            client.close()
        for thread in self.threads:
            thread.join()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()
