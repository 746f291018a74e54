"""What can go wrong, by who says so."""


class StreamdError(Exception):
    """A refusal by the planner or the daemon. The fields are those of the message Error."""

    def __init__(self, code: str, status: str, message: str, node: str = "", retryable: bool = False, retry_after_ms: int = 0):
        super().__init__(f"{code}: {message}")
        self.code, self.status, self.message, self.node = code, status, message, node
        self.retryable, self.retry_after_ms = retryable, retry_after_ms


class Unreachable(StreamdError):
    """No daemon answers."""

    def __init__(self, where: str, why: str):
        super().__init__("SD4010", "UNAVAILABLE", f"no daemon answers at {where}: {why}; start streamd or set STREAMD_SOCKET", retryable=True)


class GraphError(ValueError):
    """The graph cannot be built as it is described."""


class DanglingWait(GraphError):
    """A wait that holds up nothing: Graph Engine would take it away without a word."""


class MixedFrontEnds(GraphError):
    """Scopes of the graph mode and streams of the captured mode in one graph."""
