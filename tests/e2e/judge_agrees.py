#!/usr/bin/env python3
"""The judge and the outside checker, written apart from each other, say the same of the same plans.

usage: judge_agrees.py [--plans N]    (environment: STREAMCTL, TIER)

Four kinds of plans are put before `streamctl verify` and before plancheck.py: those of the vectors with something changed at random (a
sync taken away, added or put elsewhere, launches exchanged or moved to another stream); plans with attached streams or activations, where
a sync is left out, or a stream is started otherwise; plans for random graphs with random placements, whose syncs are found here by
the definition, as they are and changed likewise; and stored plans of graphs with bodies, as they are and with a sync taken away, added
or put elsewhere.
What the checker refuses the judge must refuse, and what it lets pass the judge must let pass, but for one thing: a sync whose order is more
than anybody asked for, though some asked order hangs on it, is refused by the judge alone.
One TAP line a request.
"""
import argparse
import copy
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
import plancheck
import bodychanges
from bodydraft import BodyDraft
from plandraft import Draft, plain, smallest
from tap import ROOT, Tap

STREAMCTL = os.environ.get("STREAMCTL", str(ROOT / "build/clients/streamctl"))
LONG = os.environ.get("TIER") == "long"
CHANGES_OF_A_PLAN = 8 if LONG else 4
STARTED = ("attached", "switch")       # folders of vectors whose plans tell more than launches, lanes and events
STRICTER = "a sync orders what nobody asks for"


def run(*arguments):
    return subprocess.run([STREAMCTL, *arguments], capture_output=True, text=True, timeout=60)


class Court:
    def __init__(self, folder):
        self.request_file, self.plan_file = folder / "request.json", folder / "plan.json"
        self.counts = {"both refuse": 0, "both let pass": 0, "stricter": 0}

    def plan(self, request):
        """What the planner answers; None for a refusal."""
        self.request_file.write_text(json.dumps(request))
        answer = json.loads(run("plan", str(self.request_file), "--local", "--format", "json").stdout)
        return None if "error" in answer else answer

    def hear(self, request, plan, what):
        """Problem, if the two differ."""
        self.request_file.write_text(json.dumps(request))
        self.plan_file.write_text(json.dumps(plan))
        judge = run("verify", str(self.request_file), str(self.plan_file))
        lines = judge.stdout.splitlines()
        if judge.returncode not in (0, 1) or not lines:
            return [f"{what}: verify ends with {judge.returncode}: {judge.stderr[-200:]}"]
        bad, figures = plancheck.check(request, plan)
        refused = bool(bad or figures["redundant"] or figures["unneeded"])
        if refused == (judge.returncode == 1):
            self.counts["both refuse" if refused else "both let pass"] += 1
        elif not refused and all(line.startswith(STRICTER) for line in lines):
            self.counts["stricter"] += 1
        else:
            return [f"{what}: the checker says {(bad or [figures])[0]}, the judge says {lines[0]}"]
        return []


def sync_removed(draft, rng):
    draft.syncs.pop(rng.randrange(len(draft.syncs)))


def sync_added(draft, rng):
    a, b = rng.sample(sorted(draft.stream_of()), 2)
    if [a, b] not in draft.syncs:
        draft.syncs.append([a, b])


def sync_put_elsewhere(draft, rng):
    sync, end = draft.syncs[rng.randrange(len(draft.syncs))], rng.randrange(2)
    to = rng.choice([n for n in draft.stream_of() if n != sync[1 - end]])
    if (sync[:end] + [to] + sync[end + 1:]) not in draft.syncs:
        sync[end] = to


def neighbours_exchanged(draft, rng):
    names = rng.choice([s for s in draft.streams if len(s) > 1])
    i = rng.randrange(len(names) - 1)
    names[i], names[i + 1] = names[i + 1], names[i]


def launch_moved(draft, rng):
    source = rng.choice([s for s in draft.streams if len(s) > 1])
    name = source.pop(rng.randrange(len(source)))
    target = rng.choice([s for s in draft.streams if s is not source] or [source])
    target.insert(rng.randint(0, len(target)), name)


CHANGES = (sync_removed, sync_removed, sync_added, sync_added, sync_put_elsewhere, neighbours_exchanged, launch_moved)


def changed(draft, rng):
    """A plan with one change, or two; and what was changed. None where that is not possible."""
    new, done = Draft(draft.request, draft.plan), []
    new.streams, new.lane, new.syncs = [list(s) for s in draft.streams], list(draft.lane), [list(y) for y in draft.syncs]
    for change in rng.sample(CHANGES, rng.choice((1, 1, 2))):
        try:
            change(new, rng)
        except (IndexError, ValueError):
            return None, None
        done.append(change.__name__)
    return new.write(), " and ".join(done)


def hear_changes(court, draft, rng):
    problems = []
    for _ in range(CHANGES_OF_A_PLAN):
        plan, what = changed(draft, rng)
        if plan:
            problems += court.hear(draft.request, plan, what)
    return problems


def sync_left_out(plan, rng):
    """A sync goes, with its commands; the numbers behind it close the gap."""
    sync = plan["syncs"].pop(rng.randrange(len(plan["syncs"])))
    kind, down = sync["kind"], lambda i: i - (i > sync["id"])
    record, wait = ("record", "wait") if kind == "event" else ("notify_record", "notify_wait")
    for stream in plan["streams"]:
        for command in [c for c in stream["commands"] if sync["id"] in (c.get(record), c.get(wait))]:
            stream["task_count"] -= 2 if command.get("wait") == sync["id"] else 1
            stream["commands"].remove(command)
        for command in stream["commands"]:
            command.update({k: down(command[k]) for k in (record, wait) if k in command})
    for other in plan["syncs"]:
        other["id"] = down(other["id"]) if other["kind"] == kind else other["id"]
    for node in plan["nodes"]:
        resources = "attached_events" if kind == "event" else "attached_notifies"
        node[resources] = [down(i) for i in node[resources]]
    plan[f"{kind}_count"] -= 1
    plan["notify_types"] = plan["notify_types"][:plan["notify_count"]]


def start_turned(plan, rng):
    stream = rng.choice(plan["streams"])
    stream["initially_active"] = not stream["initially_active"]


def stream_not_started(plan, rng):
    """An activation leaves out one of its streams."""
    told = rng.choice([a for a in plan["activations"] if len(a["streams"]) > 1])
    gone = rng.choice(told["streams"])
    told["streams"].remove(gone)
    for stream in plan["streams"]:
        for before, command in zip(stream["commands"], stream["commands"][1:]):
            if "activate" in command and before.get("launch") == told["node"]:
                command["activate"].remove(gone)
                stream["task_count"] -= 1


def hear_told_otherwise(court, request, plan, rng):
    problems = []
    for change in (sync_left_out, sync_left_out, start_turned, stream_not_started):
        other = copy.deepcopy(plan)
        try:
            change(other, rng)
        except (IndexError, ValueError):
            continue
        problems += court.hear(request, other, change.__name__)
    return problems


def hear_bodies(court, request, plan, rng):
    problems = court.hear(request, plan, "as stored")
    for change in bodychanges.MOSTLY * (4 if LONG else 1):
        draft = BodyDraft(request, plan)
        if change(draft, rng):
            problems += court.hear(request, draft.write(), change.__name__)
    return problems


def random_request(rng):
    count, nodes = rng.randint(3, 16), []
    for i in range(count):
        inputs = [f"n{k}:0" if rng.random() < 0.8 else f"^n{k}" for k in rng.sample(range(i), min(i, rng.choice((0, 1, 1, 2, 3))))]
        nodes.append({"name": f"n{i}", "op_type": "Relu", "engine": "AIcoreEngine", "inputs": inputs, "task_count": int(rng.random() < 0.8)})
    nodes[0]["task_count"] = 1
    return {"graph": {"nodes": nodes}}


def random_draft(request, plan, rng):
    """The same graph on random streams, some of them in several pieces."""
    draft = Draft(request, plan)
    sequence = [n["name"] for n in request["graph"]["nodes"] if n["task_count"]]
    lanes = rng.randint(1, min(4, len(sequence)))
    pieces = [[k] for k in range(lanes)]
    total = lanes
    draft.lane, draft.streams = list(range(lanes)), [[] for _ in range(lanes)]
    for i, name in enumerate(sequence):
        lane = i if i < lanes else rng.randrange(lanes)
        if draft.streams[pieces[lane][-1]] and rng.random() < 0.15:
            pieces[lane].append(total)
            draft.lane.append(lane)
            draft.streams.append([])
            total += 1
        draft.streams[rng.choice(pieces[lane]) if draft.streams[pieces[lane][-1]] else pieces[lane][-1]].append(name)
    draft.syncs = smallest(draft, sequence)
    return draft


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plans", type=int, default=1500 if LONG else 100, help="random graphs")
    plans, tap = parser.parse_args().plans, Tap()
    vectors = sorted((ROOT / "tests/data/vectors").rglob("*.json"))
    with tempfile.TemporaryDirectory() as name:
        court = Court(pathlib.Path(name))
        for path in vectors if LONG else sorted(set(vectors[::4]) | {v for v in vectors if v.parent.name in STARTED}):
            request = json.loads(path.read_text())["request"]
            plan = court.plan(request)
            if not plan or request["graph"].get("subgraphs") or not plan["nodes"] or not plan["syncs"]:
                continue
            problems, rng = court.hear(request, plan, "as planned"), random.Random(path.stem)
            if plain(plan):
                problems += hear_changes(court, Draft(request, plan), rng)
            else:
                problems += hear_told_otherwise(court, request, plan, rng)
            tap.case(f"{path.parent.name}/{path.stem}", problems)
        bodies = sorted((ROOT / "tests/data/bodies").glob("*.json"))
        for path in bodies if LONG else bodies[::2]:
            stored = json.loads(path.read_text())
            tap.case(f"bodies/{path.stem}", hear_bodies(court, stored["request"], stored["plan"], random.Random(path.stem)))
        for seed in range(plans):
            rng = random.Random(seed)
            request = random_request(rng)
            draft = random_draft(request, court.plan(request), rng)
            tap.case(f"random plan {seed}", court.hear(request, draft.write(), "as made") + hear_changes(court, draft, rng))
    tap.case(", ".join(f"{n} {k}" for k, n in court.counts.items()), [f"never: {k}" for k, n in court.counts.items() if not n])
    tap.end()


if __name__ == "__main__":
    main()
