"""The notation of the tables beside this file: text in, cases out, each with its requests and what is expected of their plans.

A table is read by people first. A case is a heading, the request below it, then what its plan must be:

    case U22 of two receivers on one stream the first is told
      nodes   a Relu; b Relu a; c Relu a
      lanes   a | b c
      syncs   a>b

Lines of a request
    nodes   NODE; NODE; ...          NODE: NAME TYPE[@ENGINE] INPUT... KEY=VALUE...   an INPUT is written as in a request ('a', 'a:1', '^a')
    nodes   i=0..9: NODE; [k=0..3: NODE]; NODE    the same for every i; {i}, {i-1} and other sums are put in
            An input '?x' is left out if nobody above is called x; 'x*' stands for all above whose names fit.
    change  NAME... KEY=VALUE...     other values for nodes listed before; KEY=- takes the key away
    graph   NAME [dynamic] [KEY=VALUE...]   the nodes below belong to this body ('root' is the model itself)
    options KEY=VALUE...    limits KEY=VALUE...    profile NAME
    engines NAME[/FLAGS][:COST][%SCHEDULER] ...    FLAGS: a(ttach), s(kipped), i(ndependent)
    lanes   NAME... | NAME... | ...   the caller's own partition; names may be patterns, in the order listed ('x*')
    raw     PATH JSON                puts a value where no line above would ('device.engines null')
    site                             a program plans it that carries the example passes of tests/site
    for     OPTION VALUE...          the case holds for each of these values ('""' is the empty one)
    also                             a further request: as the one before but for the lines that follow
A VALUE is JSON where it parses, else a string; $NAME stands for what a line 'let NAME JSON' has given, $A+$B for lists behind each other.
Keys that are no attributes: tasks, attached_tasks, ns, cube, vector, bytes, bodies (names with commas between), overwrites, writes; every other key is an attribute.
What is expected is told in expect.py.
"""
import copy
import fnmatch
import json
import re

ENGINES = {"AI": "AIcoreEngine", "VEC": "VectorEngine", "DSA": "DSAEngine", "RTS": "DNN_VM_RTS", "HCCL": "DNN_HCCL", "AICPU": "DNN_VM_AICPU",
           "DVPP": "DNN_VM_DVPP", "LOC": "DNN_VM_GE_LOCAL", "CUS": "DNN_VM_CUSTOM", "FFTS": "ffts_plus"}
FIELDS = {"tasks": "task_count", "attached_tasks": "attached_task_count", "ns": "duration_ns", "cube": "cube_cores", "vector": "vector_cores",
          "overwrites": "overwrites", "writes": "writes"}
FLAGS = {"a": "attach", "s": "skip_assign_stream", "i": "independent"}
REPEAT = re.compile(r"([a-z])=(\d+)\.\.(\d+):\s*(.*)")
BLOCK = re.compile(r"\[([a-z]=\d+\.\.\d+:[^\]]*)\]")
SEMICOLON = re.compile(r";\s+|;$")
SUM = re.compile(r"\{([\w+*/%() -]+)\}")
KEY = re.compile(r"([\w.]+)=(.*)")
REQUEST_LINES = {"nodes", "change", "graph", "options", "limits", "profile", "engines", "lanes", "for", "raw", "site"}


class Wrong(Exception):
    """A table that cannot be read."""


def summed(expression):
    """A sum of the table's own text as a number; one with letters left is for a block inside."""
    return "{" + expression + "}" if re.search("[a-z]", expression) else str(eval(expression, {"__builtins__": {}}))


def repeated(text):
    """The text once, or for every value of its letter; blocks in brackets inside have a letter of their own."""
    found = REPEAT.match(text)
    if not found:
        return text
    letter, first, last, inner = found.groups()
    parts = []
    for value in range(int(first), int(last) + 1):
        whole = SUM.sub(lambda m: summed(re.sub(rf"\b{letter}\b", str(value), m[1])), inner)
        parts.append(BLOCK.sub(lambda m: repeated(m[1]), whole))
    return "; ".join(parts)


class Request:
    def __init__(self):
        self.root = {"name": "g", "nodes": []}
        self.bodies, self.options, self.device = [], {}, {}
        self.node = {}
        self.lanes = None
        self.site = False
        self.graph = self.root
        self.variants, self.raw = [], []

    def named(self, pattern):
        """All nodes whose names fit; the pattern itself if there is none."""
        return [pattern] if pattern in self.node else fnmatch.filter(self.node, pattern) or [pattern]

    def partition(self):
        return [[n for pattern in lane.split() for n in self.named(pattern)] for lane in self.lanes.split("|")]

    def built(self):
        """One request for each variant, as JSON values."""
        graph = dict(self.root, **({"subgraphs": self.bodies} if self.bodies else {}))
        options = dict(self.options, **({"explicit_streams": self.partition()} if self.lanes else {}))
        for name, value in self.variants or [(None, None)]:
            request = {"graph": copy.deepcopy(graph), "options": dict(options, **({name: value} if name else {}))}
            if self.device:
                request["device"] = copy.deepcopy(self.device)
            for path, value in self.raw:
                *way, last = path.split(".")
                place = request
                for key in way:
                    place = place.setdefault(key, {})
                place[last] = value
            yield request


class Table:
    """Reads one table; `cases` are (name, what it shows, [(Request, [expectation lines])])."""

    def __init__(self, path):
        self.values, self.cases = {}, []
        for count, line in enumerate(path.read_text().splitlines(), 1):
            try:
                self.line(line.split(" #")[0].rstrip() if not line.startswith("#") else "")
            except (Wrong, ValueError, KeyError, StopIteration) as wrong:
                raise Wrong(f"{path.name}:{count}: {type(wrong).__name__}: {wrong}") from wrong

    def line(self, line):
        word, _, rest = line.strip().partition(" ")
        rest = rest.strip()
        if not word:
            return
        if word == "case":
            name, _, shows = rest.partition(" ")
            self.cases.append((name, shows, [(Request(), [])]))
        elif word == "let":
            name, _, text = rest.partition(" ")
            self.values[name] = json.loads(text)
        elif word == "also":
            steps = self.cases[-1][2]
            request = copy.deepcopy(steps[-1][0])
            request.variants = []
            request.graph = request.root
            steps.append((request, []))
        elif word in REQUEST_LINES:
            getattr(self, "read_" + word)(self.cases[-1][2][-1][0], rest)
        else:
            self.cases[-1][2][-1][1].append((word, rest))

    def value(self, text):
        if text.startswith("$"):
            parts = [self.values[p[1:]] for p in text.split("+")]
            return parts[0] if len(parts) == 1 else [item for p in parts for item in p]
        try:
            return json.loads(text)
        except ValueError:
            return text

    def pairs(self, text):
        for word in text.split():
            found = KEY.match(word)
            if not found:
                raise Wrong(f"{word!r} is no KEY=VALUE")
            yield found[1], self.value(found[2])

    def set(self, node, key, value):
        if key == "bodies":
            node["subgraphs"] = value.split(",")
        elif key == "bytes":
            node["outputs"] = [{"bytes": value}]
        elif key in FIELDS:
            node[FIELDS[key]] = value
        elif value == "-":
            node["attrs"].pop(key)
        else:
            node.setdefault("attrs", {})[key] = value

    def read_nodes(self, request, text):
        for part in [p for p in SEMICOLON.split(repeated(text)) if p.strip()]:
            name, kind, *words = part.split()
            kind, _, engine = kind.partition("@")
            node = {"name": name, "op_type": kind, "inputs": []}
            if engine:
                node["engine"] = ENGINES.get(engine, engine)
            for word in words:
                found = KEY.match(word)
                if found:
                    self.set(node, found[1], self.value(found[2]))
                elif "*" in word:
                    node["inputs"] += fnmatch.filter([n["name"] for n in request.graph["nodes"]], word)
                elif not word.startswith("?"):
                    node["inputs"].append("" if word == "-" else word)
                elif word[1:].lstrip("^").split(":")[0] in request.node:
                    node["inputs"].append(word[1:])
            if name in request.node:
                request.node[name].clear()
                request.node[name].update(node)
            else:
                request.graph["nodes"].append(node)
                request.node[name] = node

    def read_change(self, request, text):
        words = text.split()
        for name in [n for w in words if not KEY.match(w) for n in request.named(w)]:
            for key, value in self.pairs(" ".join(w for w in words if KEY.match(w))):
                self.set(request.node[name], key, value)

    def read_graph(self, request, text):
        name, *words = text.split()
        found = [g for g in [request.root] + request.bodies if g["name"] == name]
        request.graph = request.root if name == "root" else found[0] if found else {"name": name, "nodes": []}
        if request.graph not in [request.root] + request.bodies:
            request.bodies.append(request.graph)
        if "dynamic" in words:
            request.graph["dynamic"] = True
        for key, value in self.pairs(" ".join(w for w in words if w != "dynamic")):
            request.graph.setdefault("attrs", {})[key] = value

    def read_options(self, request, text):
        request.options.update(self.pairs(text))
        for key in [k for k, v in request.options.items() if v == "-"]:
            del request.options[key]

    def read_limits(self, request, text):
        request.device.setdefault("limits", {}).update(self.pairs(text))

    def read_profile(self, request, text):
        request.device["profile"] = text

    def read_engines(self, request, text):
        for word in text.split():
            name, flags, cost, scheduler = re.fullmatch(r"(\w+)(?:/(\w+))?(?::(\d+))?(?:%(\w+))?", word).groups()
            row = {"name": ENGINES.get(name, name), **{FLAGS[f]: True for f in flags or ""}}
            row.update({"priority": int(cost)} if cost else {}, **({"scheduler_id": scheduler} if scheduler else {}))
            request.device.setdefault("engines", []).append(row)

    def read_lanes(self, request, text):
        request.lanes = None if text == "-" else text

    def read_raw(self, request, text):
        path, _, value = text.partition(" ")
        request.raw.append((path, json.loads(value)))

    def read_site(self, request, text):
        request.site = True

    def read_for(self, request, text):
        name, *values = text.split()
        request.variants += [(name, self.value(v)) for v in values]
