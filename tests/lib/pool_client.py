"""The pool's messages as plain values, over a Client of streamd_wire."""
from streamd_wire import *

UNLIMITED = (1 << 64) - 1


class Refused(Exception):
    def __init__(self, frame):
        message = frame.message()
        self.code, self.status, self.message = text(message, 1), text(message, 2), text(message, 3)
        self.retryable = bool(number(message, 6))
        super().__init__(f"{self.code} {self.status}: {self.message}")


def packed(message, which):
    """A repeated number, however it was written."""
    found = []
    for value in message.get(which, []):
        if isinstance(value, int):
            found.append(value)
            continue
        at = 0
        while at < len(value):
            one, at = take_varint(value, at)
            found.append(one)
    return found


def want(count=1, priority=0, flags=0, task_count=0, flag_space=0):
    return field(1, priority) + field(2, flags) + field(3, flag_space) + field(4, task_count) + field(5, count)


class Lease:
    def __init__(self, data):
        message = parse(data)
        self.lease, self.slot, self.create = number(message, 1), number(message, 2), bool(number(message, 3))
        self.priority, self.flags, self.task_count = number(message, 4), number(message, 5), number(message, 6)
        self.shared_with, self.want = number(message, 7), number(message, 8)


class Acquired:
    def __init__(self, message):
        self.leases = [Lease(data) for data in message.get(1, [])]
        self.events, self.notifies, self.new_streams, self.waited_ms = (number(message, i) for i in range(2, 6))
        self.destroy = packed(message, 6)
        self.ids = [lease.lease for lease in self.leases]
        self.slots = [lease.slot for lease in self.leases]


STATS = ("created", "reused", "destroyed", "live", "idle", "live_leases", "models", "events", "notifies", "waiting", "refused", "expired")


def stats_of(message):
    return {name: number(message, i + 1) for i, name in enumerate(STATS)}


class PoolClient(Client):
    def __init__(self, path, **arguments):
        super().__init__(path, **arguments)

    def ask(self, method, body=b"", deadline_ms=0):
        return self.take(self.submit(method, body, deadline_ms))

    def take(self, request_id):
        got = self.answer(request_id)
        if got.kind == ERROR:
            raise Refused(got)
        return got.message()

    def register(self, name="m", domain="", device=0, priority=0, ttl_ms=0):
        return number(self.ask(REGISTER_MODEL, field(1, name) + field(2, domain) + field(3, device) + field(4, priority) + field(5, ttl_ms)), 1)

    def begin_acquire(self, model, *wants, events=0, notifies=0, wait_ms=0, token=0, dry_run=0, deadline_ms=0):
        body = field(1, model) + b"".join(field(2, w) for w in wants)
        return self.submit(ACQUIRE, body + field(3, events) + field(4, notifies) + field(5, wait_ms) + field(6, token) + field(7, dry_run), deadline_ms)

    def end_acquire(self, request_id):
        return Acquired(self.take(request_id))

    def acquire(self, model, *wants, **more):
        return self.end_acquire(self.begin_acquire(model, *wants, **more))

    def release(self, *leases, broken=0, model=0, events=0, notifies=0, force=0):
        """(released, already released, slots to destroy)"""
        body = b"".join(field(1, lease) for lease in leases)
        answer = self.ask(RELEASE, body + field(2, broken) + field(3, model) + field(4, events) + field(5, notifies) + field(6, force))
        return number(answer, 1), number(answer, 2), packed(answer, 3)

    def heartbeat(self, *models):
        answer = self.ask(HEARTBEAT, b"".join(field(1, model) for model in models))
        return number(answer, 1), packed(answer, 3)

    def taken(self):
        """Leases that an operator took away since the last heartbeat, and the slots to destroy."""
        answer = self.ask(HEARTBEAT)
        return packed(answer, 4), packed(answer, 3)

    def describe(self, which):
        answer = self.ask(DESCRIBE, field(1, which))
        return parse(answer[1][0]), parse(answer[2][0])

    def unload(self, model, force=0):
        """(released, slots to destroy)"""
        answer = self.ask(UNLOAD, field(1, model) + field(2, force))
        return number(answer, 1), packed(answer, 2)

    def budget(self, streams=0, events=0, notifies=0, device=0):
        return self.ask(BUDGET, field(1, device) + field(2, streams) + field(3, events) + field(4, notifies))

    def reserve(self, what, count, model=0, device=0):
        return self.ask(RESERVE, field(1, model) + field(2, what) + field(3, count) + field(4, device))

    def stats(self, device=0):
        return stats_of(self.ask(POOL_STATS, field(1, device)))

    def leases(self, device=0):
        """[(lease, slot, model)]"""
        return [tuple(number(parse(data), i) for i in (1, 2, 3)) for data in self.ask(LIST, field(1, device)).get(4, [])]

    def list(self, device=0):
        """(models, slots, waiting)"""
        answer = self.ask(LIST, field(1, device))
        return tuple([parse(data) for data in answer.get(i, [])] for i in (1, 2, 3))


def until_in_time(do, seconds):
    """Does something again until it took less than that, or was not refused by a daemon that had given up what it was about: only then does what comes
    after it say something. A machine that does much else may hold a test up for longer than a model lives without a sign."""
    while True:
        began = time.monotonic()
        try:
            got = do()
        except Refused as refused:
            if refused.code != "SD5102":
                raise
            continue
        if time.monotonic() - began < seconds:
            return got
