"""What a line of a table may expect of a plan. Every function takes the answer and the rest of its line, and gives sentences on what is wrong.

    streams  a:0 b,c:1 d:-      logical streams ('-': none); names may be patterns
    placed   0 0 1 -            logical streams of all nodes, in order
    physical a:0                streams of the device
    attached a:2,3 b:-          logical attached streams     attached_physical a:4    the device's
    events_of a:0 b:-           events that a node asked for     notifies_of a:0
    together a b | c d          on one logical stream     apart a b | c d     all on different ones
    apart_pieces a b            on different streams of the device
    apart_attached a b          no attached stream in common     together_attached a b
    counts   main=2 events<=3   keys: main attached logical streams events notifies
    syncs    a>b b@1>c@0:data#0 exactly these; stream numbers, cause and number of a sync may be told ('-': none)
    sync     a>b                among others     no_sync a>b
    causes   cover=1 split=1    so many of a cause
    activates a:2,3 b:-         what a node activates     activates -    nobody activates anything
    started  0 1                exactly these streams start with the model
    notify_types 0 1            of the notifies, in order
    tasks    0:45               tasks of a stream     pieces 0:0 3:2    logical stream of a stream     huge 0
    priority 0:-2               of a stream     labels 0:x 1:-    its stream label
    commands 5: launch a; wait 0; record 1; activate 2 3
    before   a b                b cannot start before a is done     free a b    neither waits for the other
    summary  0: KEY=VALUE...    fields of the summary's entry     summaries 4    so many entries
    warns    CODE [words]       quiet: no diagnostic at all
    error    CODE [words]       refused, and the message has the words
    same     the plan of the request before, but for names and keys
    prints   FORMAT words       --format FORMAT prints these
    timing   KEY...             --timing tells these; 'none': without it nothing is told; 'refused': nor of a refusal; 'beside': the plan is the same with it
    refutes  sync N             without its record and wait the plan is not proved; 'each': so for every one
    refutes  wait N             without this one command; likewise record N
"""
import collections
import copy
import fnmatch
import json
import re

import plancheck

COUNTS = {"main": "main_stream_count", "attached": "attached_stream_count", "logical": "logical_stream_count", "streams": "stream_count",
          "events": "event_count", "notifies": "notify_count"}
SYNC = re.compile(r"([^@>]+)(?:@(\d+))?>([^@:#]+)(?:@(\d+))?(?::(\w+))?(?:#(\d+))?")
KEYS = ("graph_hash", "plan_key", "planner", "graph_name")


class Answer:
    """A plan with what helps to look things up in it."""

    def __init__(self, request, plan, printed, proof, before):
        self.request, self.plan, self.printed, self.proof, self.before = request, plan, printed, proof, before
        self.place = {n["name"]: n for n in plan.get("nodes", [])}
        self.activated = {a["node"]: a["streams"] for a in plan.get("activations", [])}

    def names(self, text):
        for pattern in text.split(","):
            found = [pattern] if pattern in self.place else fnmatch.filter(self.place, pattern)
            yield from found or [f"{pattern}, which is in no plan"]


def told(text):
    """(names, value) of every 'names:value'."""
    for word in text.split():
        names, _, value = word.rpartition(":")
        yield names, value


def groups(text):
    return [part.split() for part in text.split("|")]


def numbers(text):
    return [] if text == "-" else [int(n) for n in text.split(",")]


def placed(answer, text):
    have = [n["logical_stream"] for n in answer.plan["nodes"]]
    if have != [one(w) for w in text.split()]:
        yield f"nodes are on logical streams {' '.join(map(str, have))}"


def of_nodes(key, read):
    def check(answer, text):
        for names, value in told(text):
            for name in answer.names(names):
                have = answer.place.get(name, {}).get(key)
                if have != read(value):
                    yield f"{key} of {name} is {have}, not {read(value)}"
    return check


def one(text):
    return -1 if text == "-" else int(text)


def together(answer, text):
    for group in groups(text):
        where = {answer.place[n]["logical_stream"] for g in group for n in answer.names(g)}
        if len(where) > 1:
            yield f"{' '.join(group)} are on logical streams {sorted(where)}"


def apart(answer, text):
    for group in groups(text):
        where = [answer.place[n]["logical_stream"] for n in group]
        if len(set(where)) < len(where):
            yield f"{' '.join(group)} are on logical streams {where}"


def apart_pieces(answer, text):
    for group in groups(text):
        where = [answer.place[n]["stream"] for n in group]
        if len(set(where)) < len(where):
            yield f"{' '.join(group)} are on streams {where}"


def attached_sets(answer, text):
    return [[set(answer.place[n]["attached_streams"]) for n in group] for group in groups(text)]


def apart_attached(answer, text):
    for sets in attached_sets(answer, text):
        if not all(sets) or len(set.union(*sets)) < sum(map(len, sets)):
            yield f"attached streams of {text}: {sets}"


def together_attached(answer, text):
    for sets in attached_sets(answer, text):
        if any(s != sets[0] or not s for s in sets):
            yield f"attached streams of {text}: {sets}"


def counts(answer, text):
    for word in text.split():
        name, relation, value = re.fullmatch(r"(\w+)(<=|>=|=)(\d+)", word).groups()
        have, want = answer.plan[COUNTS[name]], int(value)
        if not {"<=": have <= want, ">=": have >= want, "=": have == want}[relation]:
            yield f"{COUNTS[name]} is {have}, not {relation}{want}"


def fits(sync, want):
    keys = ("record_node", "record_stream", "wait_node", "wait_stream", "cause", "id")
    return all(value is None or str(sync[key]) == value for key, value in zip(keys, want))


def written(sync):
    return f"{sync['record_node']}@{sync['record_stream']}>{sync['wait_node']}@{sync['wait_stream']}:{sync['cause']}#{sync['id']}"


def syncs(answer, text):
    left = list(answer.plan["syncs"])
    for word in [] if text == "-" else text.split():
        found = next((s for s in left if fits(s, SYNC.fullmatch(word).groups())), None)
        if found:
            left.remove(found)
        else:
            yield f"there is no sync {word}"
    yield from (f"a sync {written(s)} that is not expected" for s in left)


def sync(answer, text):
    for word in text.split():
        if not any(fits(s, SYNC.fullmatch(word).groups()) for s in answer.plan["syncs"]):
            yield f"there is no sync {word} among {' '.join(map(written, answer.plan['syncs'][:8]))}"


def no_sync(answer, text):
    for word in text.split():
        yield from (f"there is {written(s)}" for s in answer.plan["syncs"] if fits(s, SYNC.fullmatch(word).groups()))


def causes(answer, text):
    have = collections.Counter(s["cause"] for s in answer.plan["syncs"])
    for word in text.split():
        cause, value = word.split("=")
        if have[cause] != int(value):
            yield f"{have[cause]} syncs of cause {cause}, not {value}"


def activates(answer, text):
    if text == "-" and answer.activated:
        yield f"{answer.activated} although nobody activates anything"
    for names, value in told(text) if text != "-" else []:
        for name in answer.names(names):
            if answer.activated.get(name, []) != numbers(value):
                yield f"{name} activates {answer.activated.get(name, [])}, not {numbers(value)}"


def started(answer, text):
    have = [s["id"] for s in answer.plan["streams"] if s["initially_active"]]
    if have != [int(w) for w in text.split()]:
        yield f"streams {have} start with the model"


def notify_types(answer, text):
    if answer.plan["notify_types"] != [int(w) for w in text.split()]:
        yield f"notify_types are {answer.plan['notify_types']}"


def huge(answer, text):
    have = [s["id"] for s in answer.plan["streams"] if s["huge"]]
    if have != [int(w) for w in text.replace("-", "").split()]:
        yield f"huge streams are {have}"


def of_streams(key):
    def check(answer, text):
        for stream, value in told(text):
            have = answer.plan["streams"][int(stream)][key] if int(stream) < len(answer.plan["streams"]) else "missing"
            if have != int(value):
                yield f"{key} of stream {stream} is {have}, not {value}"
    return check


def command_text(command):
    (word, value), = [(k, v) for k, v in command.items() if k not in ("attached", "in")]
    return f"{word} {' '.join(map(str, value)) if isinstance(value, list) else value}"


def labels(answer, text):
    for stream, value in told(text):
        have = answer.plan["streams"][int(stream)]["label"]
        if have != value.replace("-", ""):
            yield f"label of stream {stream} is {have!r}, not {value}"


def commands(answer, text):
    stream, _, rest = text.partition(":")
    have = [command_text(c) for c in answer.plan["streams"][int(stream)]["commands"]]
    if have != [part.strip() for part in rest.split(";")]:
        yield f"commands of stream {stream} are {'; '.join(have[:20])}"


def clocks(answer):
    return plancheck.Plan(answer.plan, answer.request)


def before(answer, text):
    plan = clocks(answer)
    for group in groups(text):
        if not plan.before(*group):
            yield f"{group[1]} may start before {group[0]} is done"


def free(answer, text):
    plan = clocks(answer)
    for group in groups(text):
        if plan.before(*group) or plan.before(*reversed(group)):
            yield f"one of {' '.join(group)} waits for the other"


def summary(answer, text):
    at, _, rest = text.partition(":")
    entry = next((e for e in answer.plan["summary"] if e["logic_stream_id"] == int(at)), None)
    if entry is None:
        yield f"the summary has no entry {at}"
        return
    for word in rest.split():
        key, _, value = word.partition("=")
        if entry[key] != json.loads(value):
            yield f"{key} of entry {at} is {entry[key]}, not {value}"


def summaries(answer, text):
    if len(answer.plan["summary"]) != int(text):
        yield f"the summary has {len(answer.plan['summary'])} entries"


def warns(answer, text):
    code, _, words = text.partition(" ")
    if not any(d["code"] == code and words in d["message"] for d in answer.plan["diagnostics"]):
        yield f"no warning {text} among {[(d['code'], d['message']) for d in answer.plan['diagnostics']]}"


def quiet(answer, text):
    if answer.plan["diagnostics"]:
        yield f"diagnostics: {[(d['code'], d['message']) for d in answer.plan['diagnostics']]}"


def without_keys(plan):
    return {k: v for k, v in plan.items() if k not in KEYS}


def same(answer, text):
    if without_keys(answer.plan) != without_keys(answer.before):
        changed = [k for k in answer.plan if k not in KEYS and answer.plan[k] != answer.before.get(k)]
        yield f"{', '.join(changed)} differ from the plan before"


def prints(answer, text):
    form, _, words = text.partition(" ")
    if words not in answer.printed(form):
        yield f"--format {form} does not print {words!r}"


def timing(answer, text):
    plain, timed = answer.printed("json", both=True), answer.printed("json", "--timing", both=True)
    lines = timed[1].splitlines()
    if text in ("none", "refused"):
        told = plain[1] if text == "none" else "".join(line for line in lines if line.startswith("{"))
        if told:
            yield f"on standard error: {told[:200]}"
        return
    if len(lines) != 1:
        yield f"{len(lines)} lines on standard error"
        return
    record = json.loads(lines[0], object_pairs_hook=lambda pairs: collections.Counter(k for k, _ in pairs) if any(k == "place_engines" for k, _ in pairs) else dict(pairs))
    if text == "beside":
        if timed[0] != plain[0]:
            yield "the plan is another one with --timing"
        yield from (f"pass {name} stands there {n} times" for name, n in record["passes"].items() if n != 1)
    elif list(record) != text.split():
        yield f"the record tells {' '.join(record)}"


def without(plan, event, words):
    """The plan without these commands of an event; without both it is as if it had never been."""
    plan = copy.deepcopy(plan)
    for stream in plan["streams"]:
        left = [c for c in stream["commands"] if not any(c.get(word) == event for word in words)]
        stream["task_count"] -= sum({"wait": 2, "record": 1}[w] for c in stream["commands"] if c not in left for w in words if w in c)
        stream["commands"] = left
    if len(words) == 2:
        plan["syncs"] = [s for s in plan["syncs"] if s["id"] != event]
        plan["event_count"] -= 1
        for entry, key in [(s, "id") for s in plan["syncs"]] + [(c, w) for s in plan["streams"] for c in s["commands"] for w in words if w in c]:
            entry[key] -= entry[key] > event
    return plan


def refutes(answer, text):
    word, _, event = text.partition(" ")
    events = [s["id"] for s in answer.plan["syncs"]] if word == "each" else [int(event)]
    for event in events:
        if not answer.proof(without(answer.plan, event, ["record", "wait"] if word in ("sync", "each") else [word])):
            yield f"without {word} {event} the plan is proved too"


def error(answer, text):
    """Of an answer without plan: `plan` is then the error."""
    code, _, words = text.partition(" ")
    if answer.plan.get("code") != code or words not in answer.plan.get("message", ""):
        yield f"refused with {answer.plan.get('code')} {answer.plan.get('message')!r}"


CHECKS = {
    "placed": placed,
    "streams": of_nodes("logical_stream", one), "physical": of_nodes("stream", one), "attached": of_nodes("attached_logical_streams", numbers),
    "attached_physical": of_nodes("attached_streams", numbers), "events_of": of_nodes("attached_events", numbers),
    "notifies_of": of_nodes("attached_notifies", numbers), "cube_cores": of_nodes("cube_cores", one), "vector_cores": of_nodes("vector_cores", one),
    "together": together, "apart": apart, "apart_pieces": apart_pieces, "notify_types": notify_types, "apart_attached": apart_attached, "together_attached": together_attached, "counts": counts,
    "syncs": syncs, "sync": sync, "no_sync": no_sync, "causes": causes, "activates": activates, "started": started,
    "tasks": of_streams("task_count"), "pieces": of_streams("logical_id"), "priority": of_streams("priority"), "labels": labels, "huge": huge, "commands": commands, "before": before, "free": free,
    "summary": summary, "summaries": summaries, "warns": warns, "quiet": quiet, "same": same, "prints": prints, "refutes": refutes, "timing": timing,
}
