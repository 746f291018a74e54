"""Reading the HTTP listener byte by byte, and what /status.json should say of a pool, worked out from the answers of List."""
import collections
import json
import socket

from streamd_wire import LONG, number, text, wait_for

Answer = collections.namedtuple("Answer", "status headers body")


def raw(daemon, data):
    """All that is answered to these bytes, up to the end of the connection; a reset is an error."""
    with socket.create_connection(("127.0.0.1", daemon.port), timeout=LONG) as s:
        s.sendall(data)
        got = b""
        while more := s.recv(1 << 16):
            got += more
        return got


def parse_answer(data):
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = [line.split(": ", 1) for line in lines]
    assert len({name.lower() for name, _ in headers}) == len(headers), f"a header stands twice: {lines}"
    return Answer(int(first.split()[1]), {name.lower(): value for name, value in headers}, body)


def fetch(daemon, path, method="GET", host="localhost"):
    """`host`: None for no such header."""
    named = "" if host is None else f"Host: {host}\r\n"
    return parse_answer(raw(daemon, f"{method} {path} HTTP/1.1\r\n{named}\r\n".encode()))


def read(daemon):
    return json.loads(fetch(daemon, "/status.json").body)


def read_fresh(daemon, before):
    """One that was made after `before` was read."""
    found = {}

    def is_fresh():
        found.update(read(daemon))
        return found["time_ms"] > before["time_ms"]
    assert wait_for(is_fresh), "it is not made anew"
    return found


def paths(value, at=""):
    """Every key of a JSON value, in its order."""
    if isinstance(value, dict):
        return [p for key, inside in value.items() for p in [f"{at}/{key}"] + paths(inside, f"{at}/{key}")]
    return [p for inside in value for p in paths(inside, at)] if isinstance(value, list) else []


def cut(name, most):
    """As names are cut: between characters, with an ellipsis."""
    data = name.encode()
    if len(data) <= most:
        return name
    return data[:most - 3].decode(errors="ignore") + "\u2026"


def keys_of(told):
    return [(k["priority"], k["flags"], k["slots"], k["idle"]) for k in told["shown"]], told["rest_slots"], told["rest_idle"]


def keys_of_slots(slots, rows):
    """The same from the slots of List: 3 priority, 4 flags, 6 tenants."""
    count = collections.Counter((number(s, 3), number(s, 4)) for s in slots)
    idle = collections.Counter((number(s, 3), number(s, 4)) for s in slots if not number(s, 6))
    every = [(*key, count[key], idle[key]) for key in sorted(count)]
    return every[:rows], sum(k[2] for k in every[rows:]), sum(k[3] for k in every[rows:])


def holders_of(told):
    return ([(h["model"], h["name"], h["domain"], h["uid"], h["pid"], h["connection"], h["leases"], h["events"], h["notifies"]) for h in told["shown"]],
            told["rest"], told["rest_leases"])


def holders_of_models(models, rows, most):
    """The same from the models of List, which come by age."""
    ranked = sorted(models, key=lambda m: -number(m, 7))
    shown = [(number(m, 1), cut(text(m, 2), most), cut(text(m, 3), most), *(number(m, i) for i in range(4, 10))) for m in ranked[:rows]]
    return shown, max(len(models) - rows, 0), sum(number(m, 7) for m in ranked[rows:])
