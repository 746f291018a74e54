"""The requests that every mutant is tried on, and the checks that look at their plans.

A check is one case of a suite: what it plans, and a function that tells what is wrong with the plans of the streamctl in use. Which mutant that one carries out
is told by SD_MUTANT in its environment.
"""
import collections
import importlib.util
import json
import os
import pathlib
import random
import sys

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parent
EXPLAINED = "explained_truly"
LAWS = ("proved", "names_do_not_matter", EXPLAINED)     # those that look at what is planned; the others look at caches and repeat
PIECES_STEP = 2

Check = collections.namedtuple("Check", "kind label requests problems site", defaults=[False])      # site: requests are planned with a site's own passes


def load(name, path):
    """A suite as a module; some have one name."""
    spec = importlib.util.spec_from_file_location(name, TESTS / path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


sys.path[:0] = [str(TESTS / folder) for folder in ("tools", "random", "property", "restated")]
import hazards
import laws
import made
import notation
import pieces
import run_cases
import run_vectors
import shrink
restated = load("restated_run", "restated/run.py")


def use(build, folder):
    """Suites plan with the streamctl of this build, and keep what they write in this folder."""
    streamctl = str(build / "clients/streamctl")
    for module in (restated, pieces, laws):
        module.STREAMCTL = streamctl
    restated.REQUEST, restated.PLAN = folder / "request.json", folder / "plan.json"
    made.PROGRAM = build / "tests/random/random_graphs"
    return streamctl


def with_compat(request, compat):
    return dict(request, options=dict(request.get("options", {}), compat=compat))


def of_restated():
    for path in sorted((TESTS / "restated").glob("*.txt")):
        for name, shows, steps in notation.Table(path).cases:
            requests = [with_compat(r, c) for notes, _ in steps for r in notes.built() for c in restated.compats(r)]
            yield Check("restated", f"{path.stem} {name}", requests, lambda steps=steps: restated.case_problems(steps), steps[0][0].site)


def of_vectors(streamctl):
    for path in sorted((TESTS / "data/vectors").rglob("*.json")):
        vector = json.loads(path.read_text())
        if "peer" in vector and not vector.get("skip"):
            yield Check("vectors", f"{vector['category']}/{vector['id']}", [with_compat(vector["request"], "ge")], lambda v=vector: run_vectors.judge_safely(streamctl, v))


def of_cases(streamctl):
    where = TESTS / "data/cases"
    for path in sorted(where.glob("*.json")):
        case = json.loads(path.read_text())
        if "request" not in case or case.get("input", {}).get("option_values"):
            continue
        request = with_compat(case["request"], "ge") if case["confidence"] == "exact" else case["request"]
        yield Check("cases", case["id"], [request], lambda c=case: run_cases.judge(streamctl, c, where, collections.Counter()))


def of_pieces(step):
    for i, name in enumerate(pieces.GRAPHS):
        for lowered in pieces.forms(name):
            whole = pieces.request_of(name, lowered, pieces.UNCUT)
            for limit in pieces.LIMITS[i % step::step]:
                yield Check("pieces", f"{name}{', lowered' if lowered else ''}, limit {limit}", [whole, pieces.request_of(name, lowered, limit)],
                            lambda n=name, f=lowered, at=limit, w=whole: pieces.case(n, f, at, pieces.plan(w), True))


def hazard_problems(request):
    case = hazards.Case(request)
    return [] if "error" in case.plan else [f"{law}: {bad}" for law in hazards.LAWS for bad in hazards.LAWS[law](case)]


def of_hazards(count):
    for seed in range(1, count + 1):
        request = made.request(seed, "hazards")
        request["options"].pop("strict", None)
        yield Check("hazards", f"seed {seed}", [request], lambda r=request: hazard_problems(r))


def of_laws(kind, count):
    for seed in range(1, count + 1):
        request = made.request(seed, kind)
        for option in ("explain", "strict", "unknown_op"):
            request["options"].pop(option, None)
        for law in LAWS:
            asked = [request, dict(request, options=dict(request["options"], explain=True))] if law == EXPLAINED else [request]
            yield Check("laws", f"{law}, {kind} {seed}", asked, lambda w=law, r=request, s=seed: laws.LAWS[w](r, random.Random(f"{w} {s}")))


def checked_problems(request):
    plan = laws.plan(request)
    found = None if "error" in plan else shrink.plancheck_class({"request": request, "plan": plan})
    return [found] if found else []


def of_graphs(count):
    """Whatever there is of requests, proved by the checker that shares no code with the planner."""
    files = [p for folder in ("golden", "data/bodies", "data/run") for p in sorted((TESTS / folder).glob("*.json"))]
    named = [(p.stem, json.loads(p.read_text())) for p in files]
    named = [(name, found.get("request", found)) for name, found in named]
    for seed in (2026, 7):
        named += [(f"random {seed}/{k}", made.request(k, "all", seed)) for k in range(count // 2)]
    for name, request in named:
        yield Check("plancheck", name, [request], lambda r=request: checked_problems(r))


class Corpus:
    """All checks; `requests` holds each of theirs once, as text, `uses` the numbers of each check's, `ranges` where those of a kind begin that no kind in
    front has, and how many they are."""

    def __init__(self, streamctl, few):
        self.checks, self.requests, self.uses, self.ranges, number = [], [], [], {}, {}
        sources = [of_restated(), of_vectors(streamctl), of_cases(streamctl), of_pieces(PIECES_STEP * (3 if few else 1)), of_hazards(80 if few else 200),
                   of_laws("flat", 40 if few else 120), of_laws("bodies", 40 if few else 120), of_graphs(400 if few else 2000)]
        for check in (c for source in sources for c in source):
            uses, before = set(), len(self.requests)
            for request in check.requests:
                text = ("S" if check.site else "") + json.dumps(request)
                if text not in number:
                    number[text] = len(self.requests)
                    self.requests.append(text)
                uses.add(number[text])
            self.checks.append(check)
            self.uses.append(uses)
            first = self.ranges.get(check.kind, (before,))[0]
            self.ranges[check.kind] = first, len(self.requests) - first

    def write(self, path):
        path.write_text("\n".join(self.requests) + "\n")
