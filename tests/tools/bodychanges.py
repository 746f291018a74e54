"""Ways to spoil a plan of a graph with bodies: each takes a BodyDraft and a random generator, and answers whether it was possible."""


def sync_removed(draft, rng):
    if draft.syncs:
        draft.drop(rng.randrange(len(draft.syncs)))
    return bool(draft.syncs)


def sync_added(draft, rng):
    """Between two launches of one scope on different streams, forward in the order of the nodes."""
    told = {(y["record_node"], y["wait_node"]) for y in draft.syncs}
    launches = draft.launches()
    pairs = [(a, b) for a in launches for b in launches if a[0] != b[0] and draft.rank[a[2]] < draft.rank[b[2]] and (a[2], b[2]) not in told and
             draft.graph.runs_in[a[2]] == draft.graph.waits_in[b[2]] and a[2] not in draft.graph.leaves]
    if pairs:
        draft.add(*rng.choice(pairs), "data")
    return bool(pairs)


def neighbour(commands, place, step):
    """The next launch in this direction."""
    place += step
    while 0 <= place < len(commands) and "launch" not in commands[place]:
        place += step
    return place if 0 <= place < len(commands) else None


def end_moved(draft, rng, end, step):
    places = [(cs, i) for cs in draft.streams for i, c in enumerate(cs) if c.get("end") == end and neighbour(cs, i, step) is not None]
    if not places:
        return False
    commands, place = rng.choice(places)
    to = neighbour(commands, place, step)
    commands.insert(to, commands.pop(place))
    return True


def record_in_front(draft, rng):
    """A record stands in front of the launch behind which it belongs."""
    return end_moved(draft, rng, "record", -1)


def wait_behind(draft, rng):
    """A wait stands behind the launch in front of which it belongs."""
    return end_moved(draft, rng, "wait", 1)


def end_elsewhere(draft, rng):
    """An end of a sync that an edge asks for goes to another launch of its stream and scope, and is told so."""
    ends = [(s, i, c) for s, cs in enumerate(draft.streams) for i, c in enumerate(cs) if "sync" in c and draft.syncs[c["sync"]]["cause"] in ("data", "control")]
    if not ends:
        return False
    s, place, command = rng.choice(ends)
    waits, sync = command["end"] == "wait", draft.syncs[command["sync"]]
    at = [n for t, _, n in draft.launches() if t == s and n not in (sync["record_node"], sync["wait_node"]) and draft.body_of(n, waits) == command.get("in", "")]
    if not at:
        return False
    del draft.streams[s][place]
    node = rng.choice(at)
    to = next(i for t, i, n in draft.launches() if n == node)
    draft.streams[s].insert(to if waits else draft.behind(s, to), command)
    sync[command["end"] + "_node"] = node
    draft.tell_anew(command["sync"])
    return True


def body_not_told(draft, rng):
    """A command does not say which body it is in."""
    inside = [c for cs in draft.streams for c in cs if "in" in c]
    if inside:
        del rng.choice(inside)["in"]
    return bool(inside)


def start_turned(draft, rng):
    stream = rng.choice(draft.plan["streams"])
    stream["initially_active"] = not stream["initially_active"]
    return True


def stream_not_started(draft, rng):
    """An activation leaves out one of its streams, which starts with the model instead."""
    told = [a for a in draft.plan["activations"] if len(a["streams"]) > 1]
    if not told:
        return False
    activation = rng.choice(told)
    gone = rng.choice(activation["streams"])
    activation["streams"].remove(gone)
    for commands in draft.streams:
        for before, command in zip(commands, commands[1:]):
            if "activate" in command and before.get("launch") == activation["node"]:
                command["activate"] = [s for s in command["activate"] if s != gone]
    if all(gone not in a["streams"] for a in draft.plan["activations"]):
        draft.plan["streams"][gone]["initially_active"] = True
    return True


def sync_of_the_other_kind(draft, rng):
    """An event where the request has notifies, or a notify where it has not."""
    told = [y for y in draft.syncs if y and y["cause"] in ("data", "control", "subgraph")]
    if told:
        sync = rng.choice(told)
        sync["kind"] = "event" if sync["kind"] == "notify" else "notify"
    return bool(told)


def record_elsewhere(draft, rng):
    """A record stands on another stream than it is told to."""
    places = [(cs, i) for cs in draft.streams for i, c in enumerate(cs) if c.get("end") == "record"]
    if not places or len(draft.streams) < 2:
        return False
    commands, place = rng.choice(places)
    rng.choice([cs for cs in draft.streams if cs is not commands]).append(commands.pop(place))
    return True


def number_left_out(draft, rng):
    """The highest number of an event is one too high, wherever it is told."""
    def spoil(plan):
        last = max(y["id"] for y in plan["syncs"] if y["kind"] == "event")
        for place in [c for s in plan["streams"] for c in s["commands"]]:
            place.update({k: last + 1 for k in ("record", "wait") if place.get(k) == last})
        for sync in plan["syncs"]:
            sync["id"] += sync["kind"] == "event" and sync["id"] == last
    draft.spoilers.append(spoil)
    return any(y and y["kind"] == "event" for y in draft.syncs)


def count_wrong(draft, rng):
    def spoil(plan):
        plan[rng.choice(("stream_count", "event_count", "notify_count", "main_stream_count", "logical_stream_count", "attached_stream_count"))] += rng.choice((1, 2))
    draft.spoilers.append(spoil)
    return True


def body_of_another(draft, rng):
    """A record or wait says that it is in another body than it is in."""
    bodies = sorted(draft.graph.parent_of_graph)
    told = [(c, b) for cs in draft.streams for c in cs if "sync" in c for b in bodies if b != c.get("in")]
    if told:
        command, body = rng.choice(told)
        command["in"] = body
    return bool(told)


# What the judge must find, whatever the plan; what only mostly spoils one.
ALWAYS = (sync_removed, sync_added, record_in_front, wait_behind, body_not_told, start_turned, stream_not_started, sync_of_the_other_kind, record_elsewhere,
          number_left_out, count_wrong, body_of_another)
MOSTLY = (sync_removed, sync_added, end_elsewhere)
