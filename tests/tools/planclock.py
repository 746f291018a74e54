"""Plays a plan for plancheck.py: what is known to be finished when each launch starts, for every way to take the branches."""
from collections import defaultdict

from plancommands import COMMANDS, Commands
from plangraph import Graph


class Run:
    """One way to take the branches: what happens, and what is then known to be finished when each launch starts."""

    def __init__(self, plan, choice):
        self.plan, self.graph, self.choice, self.bad = plan, plan.graph, choice, []
        self.live = {s: [i for i in range(len(plan.commands[s])) if self.graph.taken(plan.scope_of[s, i], choice)] for s in plan.ids}
        self.position = {s: {i: k + 1 for k, i in enumerate(j for j, c in enumerate(plan.commands[s]) if "launch" in c)} for s in plan.ids}
        self.jumps = defaultdict(list)          # label -> what jumps to it in this run
        for a, b, (p, k), wanted in self.graph.jumps:
            if (choice[p] == k) == wanted and self.graph.taken(self.graph.runs_in[a], choice):
                self.jumps[b].append(a)
        start = {s: None for s in plan.ids if not plan.streams[s].get("initially_active", True)}
        for _ in range(2 * len(start) + 2):     # start clocks only ever fall
            again = self.simulate(dict(start))
            if again == start:
                break
            start = again
        self.check_reached()

    def simulate(self, start):
        """Run all streams; start[s] is the clock that stream s starts with (None: not known yet, the first activate decides). Answers the
        start clocks that the activates of this simulation allow."""
        plan, n = self.plan, len(self.plan.ids)
        clock = {s: [0] * n for s in plan.ids}
        active = {s: plan.streams[s].get("initially_active", True) for s in plan.ids}
        allowed, pos, recorded, waited = {s: None for s in start}, {s: 0 for s in plan.ids}, {}, set()
        self.clock, self.attached, self.at, self.bad, self.redundant, self.useful = {}, {}, {}, [], set(), set()
        self.behind = {}                        # (stream, command) -> clock behind it
        progress = True
        while progress:
            progress = False
            for s in plan.ids:
                live, commands, me = self.live[s], plan.commands[s], plan.index[s]
                while pos[s] < len(live):
                    i = live[pos[s]]
                    c = commands[i]
                    came = [self.clock.get(j) for j in self.jumps.get(c.get("launch"), ()) if "launch" in c]
                    if came and pos[s] == 0 and None not in came:
                        active[s] = True        # entered by a jump
                    if not active[s] or None in came:
                        break
                    if COMMANDS.keys() & c.keys() and COMMANDS[next(iter(COMMANDS.keys() & c.keys()))][1] == "wait":
                        # all waits in front of one launch, or of a node with bodies, are one join
                        end, group = pos[s], []
                        while end < len(live) and {"wait", "notify_wait"} & commands[live[end]].keys() and self.waits_for(s, live[end]) == self.waits_for(s, i):
                            key = next(iter({"wait", "notify_wait"} & commands[live[end]].keys()))
                            group.append(((COMMANDS[key][0], commands[live[end]][key]), live[end]))
                            end += 1
                        if any(k not in recorded for k, _ in group):
                            break
                        self.join(s, clock, recorded, waited, group)
                        self.behind[s, live[end - 1]] = list(clock[s])
                        pos[s] = end
                        progress = True
                        continue
                    pos[s] += 1
                    progress = True
                    if "launch" in c:
                        for j in came:
                            clock[s] = [max(a, b) for a, b in zip(clock[s], j[2])]
                        clock[s][me] = self.position[s][i]
                        what = (me, self.position[s][i], list(clock[s]))
                        if c.get("attached"):
                            self.attached[c["launch"], s] = what
                        elif c["launch"] in self.clock:
                            self.bad.append(f"{c['launch']} is launched twice")
                        else:
                            self.clock[c["launch"]] = what
                        self.at[s, i] = what
                        self.behind[s, i] = what[2]
                    elif "activate" in c:
                        self.activate(s, c["activate"], clock, active, allowed, start)
                    else:
                        key = next(iter(COMMANDS.keys() & c.keys()))
                        k = (COMMANDS[key][0], c[key])
                        if k in recorded:
                            self.bad.append(f"{k[0]} {k[1]} is recorded twice")
                        recorded[k] = self.behind[s, i] = list(clock[s])
        for s in plan.ids:
            if pos[s] < len(self.live[s]):
                why = "is never activated" if not active[s] else f"waits for ever at command {self.live[s][pos[s]]}: {plan.commands[s][self.live[s][pos[s]]]}"
                self.bad.append(f"deadlock: stream {s} {why}")
        self.bad += [f"{kind} {k} is recorded and never waited for" for kind, k in sorted(recorded.keys() - waited)]
        return allowed

    def waits_for(self, s, i):
        """The node, and the body, for which a wait stands here."""
        y = self.plan.sync_of.get((s, i))
        return y and (y["wait_node"], self.plan.commands[s][i].get("in", ""))

    def join(self, s, clock, recorded, waited, group):
        """A run of waits on stream s: group lists ((kind, id), command); each is useful or implied by the others."""
        for k, j in group:
            rest = list(clock[s])
            for other, _ in group:
                if other != k:
                    rest = [max(a, b) for a, b in zip(rest, recorded[other])]
            y = id(self.plan.sync_of.get((s, j)))
            (self.redundant if all(a <= b for a, b in zip(recorded[k], rest)) else self.useful).add(y)
            if k in waited:
                self.bad.append(f"{k[0]} {k[1]} is waited for twice")
            waited.add(k)
        for k, _ in group:
            clock[s] = [max(a, b) for a, b in zip(clock[s], recorded[k])]

    def activate(self, s, targets, clock, active, allowed, start):
        """Stream s starts `targets`; of several activates only what all of them know counts."""
        for t in targets:
            if t not in clock:
                self.bad.append(f"stream {s} activates {t}, which is none")
            elif t in allowed:
                allowed[t] = list(clock[s]) if allowed[t] is None else [min(a, b) for a, b in zip(allowed[t], clock[s])]
                if not active[t]:
                    active[t] = True
                    known = allowed[t] if start[t] is None else start[t]
                    clock[t] = [max(a, b) for a, b in zip(clock[t], known)]

    def check_reached(self):
        """Lowered bodies: a device does not skip commands, so what is not taken must lie behind a jump, on a stream that nobody starts, or
        on a stream that is entered by a jump; what is taken must be reached."""
        if not self.graph.lowered:
            return
        plan, live = self.plan, {s: set(v) for s, v in self.live.items()}
        started = {t for s in plan.ids for i in self.live[s] if "activate" in plan.commands[s][i] for t in plan.commands[s][i]["activate"]}
        for s in plan.ids:
            going = plan.streams[s].get("initially_active", True) or s in started
            for i, c in enumerate(plan.commands[s]):
                name = c.get("launch")
                if name in self.jumps and i in live[s]:
                    going = True
                lowered = plan.scope_of[s, i] is None or self.passed_over(plan.scope_of[s, i])
                if going and i not in live[s] and lowered:
                    self.bad.append(f"stream {s} runs into command {i} {c} of a body that is not taken")
                    break
                if not going and i in live[s]:
                    self.bad.append(f"stream {s} never reaches command {i} {c}")
                    break
                if name in self.graph.leaves and i in live[s] and any(name in v for v in self.jumps.values()):
                    going = False

    def passed_over(self, scope):
        """Whether a jump would have to pass something over in this run: of structured bodies what is not chosen is not issued, lowered bodies in it neither."""
        not_taken = next((p for k, (p, _) in enumerate(scope) if not self.graph.taken(scope[:k + 1], self.choice)), None)
        return not_taken in self.graph.lowered or (not_taken is None and any(p in self.graph.lowered for p, _ in scope))

    def before(self, a, b):
        ia, pa, _ = self.clock[a]
        return self.clock[b][2][ia] >= pa and a != b

    def chains(self):
        """The launches of each logical stream, in the order that the plan promises; two that are not ordered are told."""
        lanes, bad = defaultdict(list), []
        for s in self.plan.ids:
            for i in self.live[s]:
                c = self.plan.commands[s][i]
                if "launch" in c and (s, i) in self.at and self.plan.logical.get((c["launch"], s)) is not None:
                    lanes[self.plan.logical[c["launch"], s]].append((sum(self.at[s, i][2]), s, i))
        for lane, items in lanes.items():
            items.sort()
            for (_, s, i), (_, t, j) in zip(items, items[1:]):
                if s != t and self.at[t, j][2][self.plan.index[s]] < self.at[s, i][1]:
                    bad.append(f"logical stream {lane}: {self.plan.commands[s][i]['launch']} (stream {s}) and "
                               f"{self.plan.commands[t][j]['launch']} (stream {t}) are not ordered")
        return lanes, bad


class Plan:
    """What a plan orders, for callers that only ask about pairs of nodes. Without a request all bodies are taken to run."""

    def __init__(self, plan, request=None):
        graph = Graph(request or {"graph": {"nodes": []}})
        commands = Commands(graph, plan)
        self.runs = [Run(commands, choice) for choice in graph.choices()]
        self.clock = {n: w for r in self.runs for n, w in r.clock.items()}

    def before(self, a, b):
        return all(r.before(a, b) for r in self.runs if a in r.clock and b in r.clock)
