#!/usr/bin/env python3
"""Mutants: faults of one line in the passes, each of which the judge or a property must catch.

usage: run.py [--quick] [--sample N] [--only WORD] [--all] [--tries N] [--build FOLDER] [--jobs N]

Builds the option `mutants` in a folder of its own. Each mutant of list.h is switched on in turn; the plans that it changes, of a corpus of requests
(corpus.py), are refused by the planner's own judge (SD9001), or are held against what suites know: restated tables, answers of Graph Engine, cases, hazards by
brute force, counts of pieces, laws, the checker outside. What a kept plan says counts for nothing: any change changes it.

A row a mutant tells what caught it first, with --all everything that does. Who only ends the process is told apart, and not caught. --quick: one mutant of
SAMPLED, and a smaller corpus. Fails below LEAST, and where list and code differ.
"""
import argparse
import collections
import multiprocessing
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))
from tap import ROOT, Tap

LEAST = .95
REFUSED = "SD9001"       # the judge says no
NONE = "-"               # no code at all
TARGETS = ["clients/streamctl", "tests/site/streamctl", "tests/random/random_graphs", "tests/mutants/answers"]
ROW = re.compile(r'^MUTANT\((\w+), (\w+), "([^"]+)"\)$', re.M)
SWITCH = re.compile(r"SD_MUTANT\((\w+)\)")
PASS = re.compile(r"^\tROW\((\w+),", re.M)
EACH_PASS, EACH_AREA = 2, 3
AREAS = {
    "reduction": r"reduce\w*\.c|clock\.c|columns\.c",
    "scopes": r"pass/find_scopes\.c|scopes\.c|body_starts\.c|ways\.c",
    "split": r"split\.c|pass/(split_streams|fork_pieces|start_pieces|order_pieces|order_loop_pieces|reduce_splits|check_jumps)\.c",
    "attached streams": r"reuse\.c|pass/(attached_streams|attached_resources|order_attached)\.c",
}
SAMPLED = 4         # of the quick run
Mutant = collections.namedtuple("Mutant", "name where breaks")


# ---- the list ----

def read_list():
    return [Mutant(*row) for row in ROW.findall((HERE / "list.h").read_text())]


def places():
    """Name -> files of allocator, by their names there, in which its switch stands."""
    found = collections.defaultdict(set)
    folder = ROOT / "allocator"
    for path in sorted(folder.rglob("*.c")):
        for name in SWITCH.findall(path.read_text()):
            found[name].add(str(path.relative_to(folder)))
    return found


def check_list(tap, mutants):
    names, where = [m.name for m in mutants], places()
    rows = (HERE / "list.h").read_text().count("\nMUTANT(")
    tap.case("every mutant of the list has its switch, and every switch its row",
             [f"{n}: no switch" for n in names if n not in where] + [f"{n} in {sorted(where[n])}: no row in list.h" for n in where if n not in names] +
             [f"{n}: two rows" for n in set(names) if names.count(n) > 1] + ([f"{rows} rows, {len(names)} can be read"] if rows != len(names) else []))
    by_pass = collections.Counter(m.where for m in mutants)
    passes = PASS.findall((ROOT / "allocator/chain.c").read_text())
    tap.case(f"every pass has {EACH_PASS} mutants", [f"{p}: {by_pass[p]}" for p in passes if by_pass[p] < EACH_PASS] + [f"{p} is no pass" for p in by_pass if p not in passes])
    by_area = {area: sum(any(re.fullmatch(files, f) for f in where[n]) for n in names) for area, files in AREAS.items()}
    tap.case(f"every area has {EACH_AREA}: " + ", ".join(f"{a} {n}" for a, n in by_area.items()), [f"{a}: {n}" for a, n in by_area.items() if n < EACH_AREA])


# ---- building ----

def build(folder):
    """Builds what is needed, once; the rest of the tree is not built with mutants."""
    setup = ["meson", "setup", folder, "-Dmutants=true", "-Dwerror=true"] + (["--reconfigure"] if (folder / "build.ninja").exists() else [])
    for command in (setup, ["ninja", "-C", folder, *TARGETS]):
        done = subprocess.run(list(map(str, command)), cwd=ROOT, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{done.stdout[-4000:]}{done.stderr[-2000:]}\nthe build in {folder} failed\n0 passed, 1 failed")


# ---- one mutant ----

class Trial:
    """Everything that a worker needs; made once, before the workers are."""

    def __init__(self, folder, few, every, tries):
        import corpus
        self.module, self.build, self.every, self.tries = corpus, folder, every, tries
        self.scratch = tempfile.TemporaryDirectory(prefix="mutants-")
        self.requests = pathlib.Path(self.scratch.name) / "requests.json"
        self.corpus = corpus.Corpus(corpus.use(folder, pathlib.Path(self.scratch.name)), few)
        self.corpus.write(self.requests)
        self.plain = self.answers("-", 0, len(self.corpus.requests), NONE)
        self.sound = {}         # check -> whether it has nothing to say without a mutant

    def answers(self, name, first, count, enough):
        """Number -> (hash, code) of so many requests, up to the first one refused with the code that is enough."""
        command = [self.build / "tests/mutants/answers", name, self.requests, first, count, enough]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
        return {int(n): (h, code) for n, h, code in (line.split() for line in done.stdout.splitlines())}

    def problems(self, i, name):
        os.environ["SD_MUTANT"] = name
        try:
            return list(self.corpus.checks[i].problems() or [])
        except Exception as x:      # an answer that lacks what every answer has
            return [f"{type(x).__name__} {x}"]
        finally:
            os.environ["SD_MUTANT"] = ""

    def is_sound(self, i):
        if i not in self.sound:
            self.sound[i] = not self.problems(i, "")
        return self.sound[i]

    def catches(self, name, kind, changed):
        """The first check of a kind that says something about the mutant, and what; None."""
        checks = [i for i, c in enumerate(self.corpus.checks) if c.kind == kind and self.corpus.uses[i] & changed]
        for i in checks[:self.tries]:
            found = self.problems(i, name)
            if found and self.is_sound(i):
                return f"{self.corpus.checks[i].label}: {found[0]}"
        return None

    def try_one(self, mutant):
        """(name, kind -> what was said, how many plans changed, how many requests ended the process, checks that are never silent). One kind
        of checks after the other: plans are made for those that are looked at."""
        changed, crashed, caught = set(), set(), {}
        for kind, (first, count) in self.corpus.ranges.items():
            if caught and not self.every:
                break
            answers = self.answers(mutant.name, first, count, NONE if self.every else REFUSED)
            differ = {n for n in answers if answers[n] != self.plain[n]}
            crashed |= {n for n in differ if answers[n][1] == "crash"}
            changed |= differ
            refused = [n for n in sorted(differ) if answers[n][1] == REFUSED]
            said = "" if refused and not self.every else self.catches(mutant.name, kind, changed - crashed)
            if refused:
                caught.setdefault("judge", f"request {refused[0]} of {kind}")
            if said:
                caught[kind] = said
        return mutant.name, caught, len(changed), len(crashed), [self.corpus.checks[i].label for i, sound in self.sound.items() if not sound]


TRIAL = None


def prepare_worker():
    """Each worker writes to files of its own."""
    folder = pathlib.Path(TRIAL.scratch.name) / str(os.getpid())
    folder.mkdir()
    TRIAL.module.use(TRIAL.build, folder)


def try_one(mutant):
    return TRIAL.try_one(mutant)


# ---- all of them ----

def row(mutant, caught, changed, crashed):
    by = " ".join(caught) or ("crash" if crashed else "NOT CAUGHT")
    return f"# {mutant.where:24} {mutant.name:30} {changed:5} changed  {by}" + (f"  ({crashed} crashed)" if crashed else "")


def main():
    global TRIAL
    a = argparse.ArgumentParser(usage=__doc__)
    a.add_argument("--quick", action="store_true"); a.add_argument("--sample", type=int, default=0, help="one mutant of so many"); a.add_argument("--only", default=""); a.add_argument("--all", action="store_true")
    a.add_argument("--build", type=pathlib.Path, default=ROOT / "build-mutants"); a.add_argument("--jobs", type=int, default=2)
    a.add_argument("--tries", type=int, default=25, help="checks of one kind, where a mutant changes the plans of more")
    a.add_argument("--verbose", action="store_true", help="what was said, too")
    a = a.parse_args()
    tap, mutants = Tap(), read_list()
    check_list(tap, mutants)
    build(a.build)
    TRIAL = Trial(a.build.resolve(), a.quick, a.all, a.tries)
    print(f"# {len(TRIAL.corpus.requests)} requests, {len(TRIAL.corpus.checks)} checks", flush=True)
    refused = [n for n, (_, code) in TRIAL.plain.items() if code in (REFUSED, "crash")]
    tap.case("without a mutant the judge accepts every plan", [f"request {n}" for n in refused])
    by_name = {m.name: m for m in mutants[::a.sample or (SAMPLED if a.quick and not a.only else 1)] if a.only in m.name or a.only == m.where}
    escaped, crashes, unsound, counts = [], [], set(), collections.Counter()
    with multiprocessing.Pool(a.jobs, prepare_worker) as pool:
        for name, caught, changed, crashed, loud in pool.imap(try_one, by_name.values()):
            print(row(by_name[name], caught, changed, crashed), flush=True)
            for kind, said in caught.items() if a.verbose else ():
                print(f"#     {kind}: {said[:200]}")
            counts.update(caught.keys())
            unsound.update(loud)
            escaped += [name] if not caught else []
            crashes += [name] if not caught and crashed else []
    tap.case("checks that caught something say nothing without a mutant", sorted(unsound))
    rate = 1 - len(escaped) / max(1, len(by_name))
    print("# caught by: " + ", ".join(f"{kind} {n}" for kind, n in counts.most_common()) + f"; crash alone {len(crashes)}")
    told = [f"{n} ({by_name[n].where}): {by_name[n].breaks}" for n in escaped]
    print("\n".join(f"# not caught: {t}" for t in told))
    tap.case(f"{len(by_name) - len(escaped)} of {len(by_name)} mutants are caught ({100 * rate:.1f} in 100)", told if rate < LEAST else [])
    tap.end()


if __name__ == "__main__":
    main()
