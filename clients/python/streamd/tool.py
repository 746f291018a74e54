"""What streamctl does for this package."""
from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from .errors import StreamdError


def streamctl_path() -> str:
    """$STREAMCTL, else the one on PATH, else the one of the build that this package lies in."""
    built = pathlib.Path(__file__).resolve().parents[2] / "streamctl"
    found = os.environ.get("STREAMCTL") or shutil.which("streamctl") or (str(built) if built.exists() else None)
    if not found:
        raise FileNotFoundError("streamctl is not on PATH; install it or set STREAMCTL")
    return found


def call(arguments: list[str]) -> str:
    done = subprocess.run([streamctl_path(), *arguments], capture_output=True, text=True)
    if done.returncode == 0:
        return done.stdout
    last = (done.stderr.strip().splitlines() or ["streamctl ended with status %d" % done.returncode])[-1]
    code, _, message = last.removeprefix("streamctl: ").partition(": ")
    raise StreamdError(code if message else "", "UNKNOWN", message or last)


def read_request(path: pathlib.Path) -> dict:
    """A request from request JSON, ONNX, or a dump of Graph Engine."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "request.json"
        call(["convert", str(path), "-o", str(out)])
        return json.loads(out.read_text())
