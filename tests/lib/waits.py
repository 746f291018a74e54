"""How long a daemon lets somebody wait, without what the machine did meanwhile for others: times that hold on a busy machine, too."""
import pathlib
import time


def delayed_s(pid, thread="schedstat"):
    """For how long so far the first thread of a process, which could have run, had no core; with thread="task/*/schedstat" all of them together."""
    return sum(int(file.read_text().split()[1]) / 1e9 for file in pathlib.Path(f"/proc/{pid}").glob(thread))


class HeldUp:
    """Whether a process that has to do something in time had no core for so long."""

    def __init__(self, pid, seconds):
        self.pid, self.seconds, self.before = pid, seconds, delayed_s(pid, "task/*/schedstat")

    def __bool__(self):
        return delayed_s(self.pid, "task/*/schedstat") - self.before >= self.seconds


class Waits:
    """Of calls that are answered by the daemon's loop, which is its first thread."""

    def __init__(self, daemon):
        self.pids, self.seconds = (daemon.process.pid, "self"), []

    def time(self, do):
        """Does it and notes the time; answers what it answered."""
        before, began = [delayed_s(pid) for pid in self.pids], time.monotonic()
        got = do()
        took = time.monotonic() - began
        self.seconds.append(max(0, took - sum(delayed_s(pid) - b for pid, b in zip(self.pids, before))))
        return got

    def at(self, percent):
        return sorted(self.seconds)[min(len(self.seconds) * percent // 100, len(self.seconds) - 1)]

    def __str__(self):
        return f"p50 {self.at(50) * 1e3:.2f} ms, p99 {self.at(99) * 1e3:.2f} ms, worst {self.at(100) * 1e3:.2f} ms"
