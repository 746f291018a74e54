"""Large named graphs for the long tier: made once by tools/biggraph.py, kept beside the logs."""
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/tools"))
BUILD = pathlib.Path(os.environ.get("BUILD", "build"))
LOGS = pathlib.Path(os.environ.get("LOGS", "build-logs"))


def graph(name, limit=None, **options):
    """Path of the request of graph `name` with these options added; `limit`: tasks that a stream holds."""
    path = LOGS / ("big-" + "-".join([name.replace(":", "_")] + ([str(limit)] if limit else []) + [f"{k}" for k in options]) + ".json")
    if not path.exists():
        words = [name] + (["--limit", str(limit)] if limit else [])
        text = subprocess.run([sys.executable, str(ROOT / "tests/tools/biggraph.py"), *words], capture_output=True, check=True).stdout
        request = json.loads(text)
        request.setdefault("options", {}).update(options)
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(request))
    return path


def as_bytes(path):
    """Path of the same request as the bytes that travel."""
    out = path.with_suffix(".pb")
    if not out.exists():
        subprocess.run([str(BUILD / "clients/streamctl"), "convert", str(path), "-o", str(out)], check=True)
    return out


def bench(program, *arguments):
    """The JSON line of a program of tests/bench."""
    p = subprocess.run([str(BUILD / "tests/bench" / program), *map(str, arguments)], capture_output=True, text=True)
    if p.returncode:
        raise RuntimeError(f"{program} {' '.join(map(str, arguments))}: {p.stderr.strip()[:300]}")
    return json.loads(p.stdout)


def instructions(function, command, fills=False):
    """Instructions that callgrind counts within `function` of a program; one that fills something first says from where on it counts (counted.h)."""
    out = LOGS / "callgrind.out"
    p = subprocess.run(["valgrind", "--tool=callgrind", "--collect-atstart=no", f"--toggle-collect={function}", f"--callgrind-out-file={out}"]
                       + ["--instr-atstart=no"] * fills + [str(word) for word in command], capture_output=True, text=True)
    if p.returncode:
        raise RuntimeError(p.stderr[-400:])
    count = int(re.search(r"^summary: (\d+)", out.read_text(), re.M)[1])
    if not count:
        raise RuntimeError(f"{function} was not counted" + (": is valgrind/callgrind.h installed where this was built?" if fills else ""))
    return count
