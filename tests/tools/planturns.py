"""The next turn of a loop whose bodies are not lowered, as plancheck.py sees it.

Whatever starts the next turn on a stream comes behind all ends of the body: on each stream where a body of the loop begins, the last
command in front of the next turn must know them. Syncs that see to it name the loop and wait in its body.
"""
from plangraph import LOOP_ENDS, LOOPS


def loops(graph):
    """(loop, its body that runs any number of times)."""
    return [(n, raw["subgraphs"][1]) for n, raw in graph.nodes.items() if raw["op_type"] in LOOPS and graph.conditional(n) and n not in graph.lowered]


def is_below(graph, body, node):
    while body:
        parent, _ = graph.parent_of_graph[body]
        if parent == node:
            return True
        body = graph.graph_of[parent]
    return False


def waits_of_turns(graph, plan):
    """Syncs (by identity) that wait for the next turn of a loop."""
    body_of = dict(loops(graph))
    return {id(y) for (s, i), y in plan.sync_of.items() if y["wait_node"] in body_of and plan.end_of[id(y)].get("wait") == (s, i) and
            plan.commands[s][i].get("in") == body_of[y["wait_node"]]}


def in_front(graph, name):
    """Nodes that come before a node because an edge says so: what leads into the next turn says nothing of the kind."""
    return [p for p in graph.preds[name] if p in graph.nodes and graph.nodes[p]["op_type"] not in LOOP_ENDS]


def is_fed(graph, name, placed):
    return any(p in placed or graph.nodes[p].get("subgraphs") or is_fed(graph, p, placed) for p in in_front(graph, name))


def entries(graph, node, placed):
    """Launched nodes with which bodies of a node begin."""
    for body in graph.nodes[node].get("subgraphs", []):
        for m in graph.members[body]:
            if is_fed(graph, m, placed):
                continue
            if m in placed:
                yield m
            else:
                yield from entries(graph, m, placed)


def ends(graph, body, placed):
    """Launched nodes with which a body ends."""
    members = graph.members[body]
    todo, out, seen = [m for m in members if graph.nodes[m]["op_type"] == "NetOutput"] or [m for m in members if not graph.succs[m]], set(), set()
    while todo:
        m = todo.pop()
        if m in seen or m not in graph.nodes:
            continue
        seen.add(m)
        out |= {m} & placed
        for inner in graph.nodes[m].get("subgraphs", []):
            out |= ends(graph, inner, placed)
        if m not in placed:
            todo += in_front(graph, m)
    return out


def missing(graph, plan, run, placed, stream_of):
    """Ends of a body that a run does not know where the next turn begins."""
    for loop, body in loops(graph):
        if not graph.taken(graph.scope_of_graph.get(body, ()), run.choice):
            continue
        for s in sorted({stream_of[m] for m in entries(graph, loop, placed)}):
            inside = [i for i in run.live[s] if is_below(graph, plan.commands[s][i].get("in", ""), loop)]
            known = run.behind.get((s, inside[-1])) if inside else None
            for end in sorted(ends(graph, body, placed)):
                if known and end in run.clock and known[run.clock[end][0]] < run.clock[end][1]:
                    yield f"{end} is not ordered before the next turn of {loop} on stream {s}"
