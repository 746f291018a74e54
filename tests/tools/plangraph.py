"""The request as plancheck.py sees it: nodes, edges, scopes of control flow, the orders that edges ask for."""
import itertools
import math
from collections import defaultdict

NO_STREAM = -1
EXCLUSIVE = ("If", "_If", "StatelessIf", "Case", "StatelessCase")   # exactly one of their bodies runs
LOOPS = ("While", "_While", "StatelessWhile", "For")                # condition (body 0) at least once, body 1 any number of times
MAX_RUNS = 128                                                      # beyond, every choice is tried, but not every combination
IDLE_ENGINES = ("DNN_VM_GE_LOCAL", "DNN_VM_HOST_CPU", "ffts_plus")   # nothing is launched there unless task_count says so
LOCAL_TYPES = ("Data", "AippData", "RefData", "Const", "Constant", "ConstPlaceHolder", "FileConstant", "Variable", "VariableV2", "Reshape", "ExpandDims", "Squeeze",
               "Unsqueeze", "Flatten", "Shape", "Size", "Rank", "IdentityN", "NoOp", "Bitcast")     # of those that DNN_VM_GE_LOCAL runs where no engine is stated
ENDLESS_PROFILES = ("ascend950", "ascend350")                       # their streams hold any number of tasks
DEFAULT_LIMITS = {"max_streams": 1024, "max_tasks_per_stream": 1024, "max_huge_streams": 8192, "max_tasks_per_huge_stream": 8192, "max_events": 65536, "max_notifies": 1024}
SWITCHES = ("StreamSwitch", "StreamSwitchN")                        # they leave their stream for one that they start
LOOP_ENDS = ("NextIteration", "RefNextIteration")                   # no edge out of them asks for an order, through whatever it leads
VARIABLES = ("Variable", "VariableV2", "RefData")
NO_SYNC_FROM = ("Data", "Const", "Constant", "ConstPlaceHolder")


def walk_graphs(request):
    graph = request["graph"]
    yield "", graph
    stack = [(s["name"], s) for s in graph.get("subgraphs", [])]
    while stack:
        name, sub = stack.pop()
        yield name, sub
        stack.extend((s["name"], s) for s in sub.get("subgraphs", []))


def parse_input(text):
    if text.startswith("^"):
        return text[1:], "control"
    name, _, idx = text.rpartition(":")
    if name and idx.lstrip("-").isdigit():
        return name, "control" if idx == "-1" else "data"
    return text, "data"


def placed_by_attrs(node):
    attrs = node.get("attrs", {})
    return any({f"{by}_engine_name", lib} <= set(attrs) for by, lib in (("_lxfusion", "_lxfusion_op_kernel_lib_name"), ("_specified", "_specified_kernel_lib_name")))


def task_count(node):
    engine = node.get("engine") or ("DNN_VM_GE_LOCAL" if node["op_type"] in LOCAL_TYPES and not placed_by_attrs(node) else "")
    idle = engine in IDLE_ENGINES or node["op_type"] in EXCLUSIVE + LOOPS or "PartitionedCall" in node["op_type"]
    return node.get("task_count", 1 if node["op_type"] == "NetOutput" or not idle else 0)


class Graph:
    """The request: nodes, edges, and for every node the scope it runs in: a tuple of (parent, body number); () always runs."""

    def __init__(self, request):
        self.nodes, self.edges, self.parent_of_graph, self.graph_of = {}, [], {}, {}
        self.members = defaultdict(list)
        self.apart = {name for name, g in walk_graphs(request) if request["graph"].get("dynamic") and not g.get("dynamic")}   # requests of their own to a loader
        for gname, g in walk_graphs(request):
            for n in g.get("nodes", []):
                if n["name"] in self.nodes:
                    raise SystemExit(f"request: node {n['name']} twice")
                self.nodes[n["name"]] = n
                self.graph_of[n["name"]] = gname
                self.members[gname].append(n["name"])
        for n in self.nodes.values():
            for k, sub in enumerate(n.get("subgraphs", [])):
                self.parent_of_graph[sub] = (n["name"], k)
            for i in n.get("inputs", []):
                if i:
                    src, kind = parse_input(i)
                    self.edges.append((src, n["name"], kind))
        self.preds, self.succs = defaultdict(list), defaultdict(list)
        for s, d, _ in self.edges:
            self.preds[d].append(s)
            self.succs[s].append(d)
        self.find_scopes()
        self.find_labels()

    def attr(self, name, key):
        return self.nodes.get(name, {}).get("attrs", {}).get(key)

    def conditional(self, name):
        n = self.nodes[name]
        return len(n.get("subgraphs", [])) > 1 and n["op_type"] in EXCLUSIVE + LOOPS

    def find_scopes(self):
        known = {"": ()}

        def scope(g):
            if g not in known:
                if g not in self.parent_of_graph:
                    return ()
                parent, k = self.parent_of_graph[g]
                up = scope(self.graph_of[parent])
                known[g] = up + ((parent, k),) if self.conditional(parent) else up
            return known[g]
        self.scope_of_graph = {g: scope(g) for g in set(self.graph_of.values()) | {""}}
        self.runs_in = {n: scope(g) for n, g in self.graph_of.items()}
        self.waits_in = dict(self.runs_in)      # scope of the waits in front of a node, where it is another one (None: nothing can wait there)

    def find_labels(self):
        """Bodies that are lowered to labels: which label nodes always run, and where jumps lead."""
        self.lowered, self.jumps, self.targets = set(), [], set()
        for p in self.nodes:
            bodies = [self.members.get(s, []) for s in self.nodes[p].get("subgraphs", [])]
            of = lambda b, t: [m for m in b if self.nodes[m]["op_type"] == t]
            if not self.conditional(p) or not any(of(b, "LabelSet") for b in bodies):
                continue
            self.lowered.add(p)
            up = self.runs_in[p]
            ends = [m for b in bodies for m in of(b, "LabelSet") if self.attr(m, "_subgraph_end_node")]
            heads = [next((m for m in of(b, "LabelSet") if m not in ends), None) for b in bodies]
            switches = [m for b in bodies for m in of(b, "LabelSwitchByIndex")]
            gotos = [(k, m) for k, b in enumerate(bodies) for m in of(b, "LabelGotoEx")]
            for e in ends:
                self.runs_in[e] = up            # its waits stay in the body that falls through to it
            loop = self.nodes[p]["op_type"] in LOOPS
            if not loop:
                for s in switches:
                    self.runs_in[s] = self.waits_in[s] = up
            elif heads[0]:
                self.waits_in[heads[0]] = up    # passed once on the way in; later rounds jump behind those waits
            for k, h in enumerate(heads):
                if h and not (loop and k == 0):
                    self.waits_in[h] = None
                    self.jumps += [(s, h, (p, k), True) for s in switches]
            for k, m in gotos:
                same = [e for e in ends if loop or self.attr(e, "_label_switch_index") == self.attr(m, "_label_switch_index")]
                self.jumps += [(m, e, (p, k), True) for e in same]
            if loop:
                self.jumps += [(s, e, (p, 1), False) for s in switches for e in ends]
        self.leaves = {a for a, _, _, _ in self.jumps}

    def options(self):
        """Per conditional node the bodies that it may take (None: the body of a loop is not run)."""
        return [(n, list(range(len(self.nodes[n]["subgraphs"]))) if self.nodes[n]["op_type"] in EXCLUSIVE else [1, None]) for n in self.nodes if self.conditional(n)]

    def tries_all(self):
        """Whether choices() holds every combination: only then is a sync that none of them needs not needed."""
        return math.prod(len(o) for _, o in self.options()) <= MAX_RUNS

    def choices(self):
        """Every way to take the branches: parent -> body number."""
        options = self.options()
        if self.tries_all():
            return [dict(zip((n for n, _ in options), pick)) for pick in itertools.product(*(o for _, o in options))]
        picks = [{n: o[k % len(o)] for n, o in options} for k in range(max(len(o) for _, o in options))]
        for n, o in options:
            way = {p: k for p, k in self.scope_of_graph[self.graph_of[n]] if k or self.nodes[p]["op_type"] in EXCLUSIVE}    # so that n itself runs
            picks += [dict({m: q[rest] for m, q in options}, **way, **{n: k}) for k in o for rest in (0, -1)]
        return picks

    def taken(self, scope, choice):
        return scope is not None and all(choice[p] == k or (k == 0 and self.nodes[p]["op_type"] in LOOPS) for p, k in scope)

    def needed_orders(self, placed):
        """Pairs (a, b), both launched, where a must have finished before b starts: the edges, through nodes that are not launched
        (constants, parents of subgraphs) included, and the functional node itself before its bodies."""
        # a node that is not launched hands its predecessors on; a parent's subgraph members stand for it
        def begins(m):
            """Whether nothing of its body is in front of a node: data is none of it, nor what ends a turn."""
            return self.nodes[m]["op_type"] == "Data" or all(self.nodes[p]["op_type"] in LOOP_ENDS for p in self.preds[m] if p in self.nodes)

        def below(name, seen):
            return set().union(*(entries(m, seen) for sub in self.nodes[name].get("subgraphs", []) for m in self.members.get(sub, []) if begins(m)))

        def entries(name, seen):
            if name in seen:
                return set()
            seen.add(name)
            if name in placed:
                return {name} | below(name, seen)
            out = below(name, seen)
            if not out and self.nodes[name]["op_type"] not in LOOP_ENDS:    # nothing of it is launched: who reads it is next
                for s in self.succs[name]:
                    out |= entries(s, seen)
            return out

        def exits(name, seen):
            if name in seen or name not in self.nodes:
                return set()
            seen.add(name)
            out = {name} if name in placed else set()
            subs = self.nodes[name].get("subgraphs", [])
            for sub in subs:
                members = self.members.get(sub, [])
                ends = [m for m in members if self.nodes[m]["op_type"] == "NetOutput"] or [m for m in members if not self.succs[m]]
                for m in ends:
                    out |= exits(m, seen)
            if name not in placed:
                for p in self.preds[name]:
                    out |= exits(p, seen) if p in self.nodes and self.nodes[p]["op_type"] not in LOOP_ENDS else set()
            return out

        pairs = {}
        for s, d, kind in self.edges:
            if s not in self.nodes or self.nodes[s]["op_type"] in LOOP_ENDS:
                continue
            if s in placed and d in placed and not self.nodes[s].get("subgraphs") and not self.nodes[d].get("subgraphs"):
                pairs[s, d] = kind
                continue
            for a in exits(s, set()):
                for b in entries(d, set()):
                    if a != b:
                        pairs.setdefault((a, b), kind)
        for p in self.nodes:
            if self.nodes[p].get("subgraphs") and p in placed:
                for b in below(p, set()):
                    pairs.setdefault((p, b), "subgraph")
        return pairs

    def flat(self, g=""):
        for n in self.members[g]:
            yield n
            for s in self.nodes[n].get("subgraphs", []):
                yield from self.flat(s)
