#!/usr/bin/env python3
"""Cases restated from Graph Engine's public tests and from what its rules lead to: one test a case.

usage: run.py [--only WORD] [TABLE ...]

The tables beside this file are read by notation.py; expect.py says what a line of them expects. Every request is planned by `streamctl plan --local` with both
values of `compat`, unless its case states one; every plan is proved by `streamctl verify`, and then held against the case.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tools")]
import expect
from notation import Table
from tap import ROOT, Tap

STREAMCTL = os.environ.get("STREAMCTL", "build/clients/streamctl")
FOLDER = tempfile.TemporaryDirectory(prefix="restated-")
REQUEST, PLAN = (pathlib.Path(FOLDER.name) / name for name in ("request.json", "plan.json"))


def run(*words, site=False):
    program = pathlib.Path(STREAMCTL).parent.parent / "tests/site/streamctl" if site else STREAMCTL       # the one carries site/example_passes.c
    return subprocess.run([program, *map(str, words)], capture_output=True, text=True, cwd=ROOT, timeout=120)


def proof(plan):
    """What speaks against the plan of REQUEST."""
    PLAN.write_text(json.dumps(plan))
    done = run("verify", REQUEST, PLAN)
    if done.returncode == 0 and done.stdout.startswith("ok "):
        return []
    return [f"verify: {line}" for line in done.stdout.splitlines() + done.stderr.splitlines()] or [f"verify: exit {done.returncode}"]


def answer_to(request, before, site):
    """(answer, what is wrong with it in any case); the answer of a refusal holds the error."""
    REQUEST.write_text(json.dumps(request))
    done = run("plan", REQUEST, "--local", "--format", "json", site=site)
    try:
        plan = json.loads(done.stdout)
    except ValueError:
        return None, [f"exit {done.returncode}: {done.stderr.strip()[:300]}"]

    def printed(form, *words, both=False):
        done = run("plan", REQUEST, "--local", "--format", form, *words, site=site)
        return (done.stdout, done.stderr) if both else done.stdout

    if done.returncode == 1 and "error" in plan:
        return expect.Answer(request, plan["error"], printed, proof, before), []
    return expect.Answer(request, plan, printed, proof, before), proof(plan)


def judge(request, lines, before, site):
    answer, problems = answer_to(request, before, site)
    if not answer:
        return None, problems
    refusal = [rest for word, rest in lines if word == "error"]
    if "code" in answer.plan:
        also = [p for word, rest in lines if word == "timing" for p in expect.timing(answer, rest)]
        return None, also + (list(expect.error(answer, refusal[0])) if refusal else [f"refused: {answer.plan['code']} {answer.plan['message']}"])
    if refusal:
        return answer.plan, [f"a plan, where {refusal[0]} is expected"]
    for word, rest in lines:
        try:
            problems = problems + list(expect.CHECKS[word](answer, rest))
        except (KeyError, IndexError, ValueError, AttributeError) as missing:
            problems = problems + [f"{word} {rest}: {type(missing).__name__} {missing}"]
    return answer.plan, problems


def compats(request):
    return [request["options"]["compat"]] if "compat" in request["options"] else ["native", "ge"]


def unreadable(steps):
    for count, (_, lines) in enumerate(steps, 1):
        if not lines:
            yield f"request {count} expects nothing"
        yield from (f"request {count}: there is no line {word!r}" for word, _ in lines if word != "error" and word not in expect.CHECKS)


def case_problems(steps):
    """What is wrong with the plans of a case."""
    before = {}
    for count, (notes, lines) in enumerate(steps, 1):
        for request in notes.built():
            for compat in compats(request):
                asked = dict(request, options=dict(request["options"], compat=compat))
                plan, problems = judge(asked, lines, before.get(compat, {}), notes.site)
                told = f"request {count}, {compat}" + "".join(f", {name} {asked['options'][name]!r}" for name, _ in notes.variants[:1])
                yield from (f"{told}: {p}" for p in problems)
                before[compat] = plan or {}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tables", nargs="*", type=pathlib.Path)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    tap = Tap()
    for path in asked.tables or sorted(HERE.glob("*.txt")):
        for name, shows, steps in Table(path).cases:
            label = f"{path.stem} {name}: {shows}"
            if asked.only not in label:
                continue
            tap.case(label, list(unreadable(steps)) or case_problems(steps))
    tap.end()


if __name__ == "__main__":
    main()
