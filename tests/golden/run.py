#!/usr/bin/env python3
"""Plans of small requests, kept as printed: NAME.json is the request, NAME.plan what `streamctl plan --local` answers.

usage: run.py [--accept [--form]]

Names begin with the pass that the request is about; those of stream_passes are planned by the program with example passes. Fields that say
nothing about a decision (hashes, planner) are left empty. plancheck.py must have nothing against any of them. FINGERPRINT is that of the planner whose answers are kept: an answer that changes without it means that a pass decides otherwise under its old revision,
so that caches would go on with plans of the old rule. --accept keeps the answers of now, and refuses that case; --form says that only the
form of the answer has changed, no decision.
"""
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))
import plancheck
from tap import ROOT, Tap

STREAMCTL = os.environ.get("STREAMCTL", "build/clients/streamctl")
WITH_PASSES = pathlib.Path(STREAMCTL).parent.parent / "tests/site/streamctl"      # carries those of tests/site/example_passes.c
FINGERPRINT = HERE / "FINGERPRINT"
UNDECIDED = re.compile(r'("(?:graph_hash|plan_key|planner)": )"[^"]*"')
PLANNER = re.compile(r'"planner": "[^"+]*\+([0-9a-f]+)"')
RAISE_REV = "the answer changed, the planner's fingerprint did not: raise `rev` of the pass that decides otherwise in allocator/chain.c, then run.py --accept"


def answer(request):
    custom = request.stem.startswith("stream_passes_")
    done = subprocess.run([WITH_PASSES if custom else STREAMCTL, "plan", str(request), "--local", "--format", "json"], capture_output=True, text=True, cwd=ROOT, timeout=60)
    if done.returncode not in (0, 1):
        return f"exit {done.returncode}: {done.stderr}", None
    planner = PLANNER.search(done.stdout)
    return UNDECIDED.sub(r'\1""', done.stdout), None if custom else planner and planner[1]


def differences(name, old, new):
    return [line for line in difflib.unified_diff(old.splitlines(), new.splitlines(), f"{name}.plan", "now", lineterm="", n=0)]


def accept(answers, fingerprint, form_alone):
    kept = FINGERPRINT.read_text().strip() if FINGERPRINT.exists() else None
    changed = [r for r, text in answers.items() if r.with_suffix(".plan").exists() and r.with_suffix(".plan").read_text() != text]
    if changed and kept == fingerprint and not form_alone:
        sys.exit("\n".join([RAISE_REV, "(--accept --form, if nothing is decided otherwise):"] + [f"  {r.stem}" for r in changed]))
    for request, text in answers.items():
        request.with_suffix(".plan").write_text(text)
    FINGERPRINT.write_text(f"{fingerprint}\n")
    print(f"{len(answers)} answers kept, {len(changed)} of them changed")


def doubts(request, text):
    """What the checker that shares no code with the planner has against a plan."""
    plan = json.loads(text)
    bad, figures = ([], {}) if "error" in plan else plancheck.check(json.loads(request.read_text()), plan)
    return [f"{request.stem}: {line}" for line in bad + [f"a sync is {k}" for k in ("redundant", "unneeded") if figures.get(k)]]


def check(answers, fingerprint):
    tap = Tap()
    kept = FINGERPRINT.read_text().strip()
    for request, text in answers.items():
        plan = request.with_suffix(".plan")
        problems = differences(request.stem, plan.read_text(), text) if plan.exists() else ["there is no plan beside it: run.py --accept"]
        if problems and plan.exists():
            problems.insert(0, RAISE_REV if kept == fingerprint else "the answer changed: read it, then run.py --accept")
        tap.case(request.stem, problems)
    names = [line.split()[0] for line in subprocess.run([STREAMCTL, "passes"], capture_output=True, text=True, cwd=ROOT).stdout.splitlines()[1:]]
    tap.case("every pass has three at least", [n for n in names if sum(r.stem.startswith(n + "_") for r in answers) < 3])
    tap.case("plancheck.py proves every plan", [line for request, text in answers.items() for line in doubts(request, text)])
    stray = [p.name for p in HERE.glob("*.plan") if not p.with_suffix(".json").exists()]
    tap.case("every plan has its request", stray)
    tap.case("the plans kept are those of this planner",
             [] if kept == fingerprint else [f"FINGERPRINT is {kept}, the planner's is {fingerprint}: run.py --accept"])
    tap.end()


def main():
    answers, fingerprints = {}, set()
    for request in sorted(HERE.glob("*.json")):
        answers[request], planner = answer(request)
        fingerprints.add(planner)
    fingerprint, = fingerprints - {None}
    if "--accept" in sys.argv[1:]:
        accept(answers, fingerprint, "--form" in sys.argv[1:])
    else:
        check(answers, fingerprint)


if __name__ == "__main__":
    main()
