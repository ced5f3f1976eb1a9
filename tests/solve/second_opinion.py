# SPDX-License-Identifier: GPL-3.0-or-later
"""second_opinion.py - Z3 on graphs that `random --text` prints: is the interval that wsc-solve found the smallest?

Integers for cycles and groups, and sums over all iterations that can be under way: nothing of model.c is in it.
The status is 77 without Z3.
"""
import sys

try:
    from z3 import And, Bool, If, Implies, Int, Not, Or, Solver, Sum, sat
except ImportError:
    sys.exit(77)

STAGES, MORE = 2, 2


class Graph:
    def __init__(self):
        self.units, self.each, self.memory, self.ops, self.edges = {}, set(), {}, {}, []
        self.groups, self.registers, self.crossings, self.wait, self.reader = 1, 0, None, "strict", False

    def line(self, words):
        what, rest = words[0], words[1:]
        options = dict(w.split("=") for w in rest if "=" in w and not w.startswith("use"))
        if what == "unit":
            self.units[rest[0]] = int(options.get("capacity", 1))
            if "each-group" in rest:
                self.each.add(rest[0])
        elif what == "memory":
            self.memory[rest[0]] = int(options["capacity"])
        elif what in ("groups", "registers", "crossings"):
            setattr(self, what, int(rest[0]))
        elif what == "wait":
            self.wait = rest[0]
        elif what == "reader-registers":
            self.reader = True
        elif what == "op":
            uses = [w[4:].split(":") for w in rest if w.startswith("use=")]
            space, _, amount = options.get("memory", "m:0").partition(":")
            self.ops[rest[0]] = dict(
                cycles=int(options.get("cycles", 0)), uses=[(u, int(o), int(c)) for u, o, c in uses], space=space,
                memory=int(amount), registers=int(options.get("registers", 0)), spill=int(options.get("spill", 0)),
                latency=int(options.get("latency", 0)), slots=int(options.get("slots", 0)), **{f: f in rest for f in ("asynchronous", "variable", "streaming", "alone")})
        elif what == "edge":
            u, blocking = self.ops[rest[0]], "blocking" in rest
            seen = u["latency"] if blocking and u["asynchronous"] and not u["streaming"] else 0
            self.edges.append(dict(u=rest[0], v=rest[2], delay=int(options.get("delay", u["cycles"])) + seen,
                                   distance=int(options.get("distance", 0)), hold=int(options.get("hold", 0)),
                                   blocking=blocking))

    def in_group(self, v):
        return not (self.ops[v]["variable"] or self.ops[v]["streaming"])

    def may_cross(self, u, v):
        return u != v and self.ops[u]["spill"] > 0 and self.in_group(u) and self.in_group(v)

    def bound(self):
        most = 1
        for unit, capacity in self.units.items():
            capacity *= self.groups if unit in self.each else 1
            busy = sum(c for o in self.ops.values() for u, _, c in o["uses"] if u == unit)
            most = max(most, -(-busy // capacity))
        while True:  # no cycle of edges that takes longer than it may
            start = dict.fromkeys(self.ops, 0)
            for _ in range(len(self.ops) + 1):
                changed = False
                for e in self.edges:
                    at = start[e["u"]] + e["delay"] - e["distance"] * most
                    if not self.ops[e["u"]]["streaming"] and at > start[e["v"]]:
                        start[e["v"]], changed = at, True
                if not changed:
                    return most
            most += 1

    def feasible(self, interval):
        s, length = Solver(), STAGES * interval
        at = {v: Int("at_" + v) for v in self.ops}
        group = {v: Int("group_" + v) for v in self.ops}
        readers = {v: [(e, at[e["v"]] + e["distance"] * interval) for e in self.edges if e["u"] == v] for v in self.ops}
        for v, op in self.ops.items():
            if op["streaming"]:
                for _, when in readers[v]:
                    s.add(at[v] <= when - op["latency"])
                if readers[v]:
                    s.add(Or([at[v] == when - op["latency"] for _, when in readers[v]]))
                for e, when in readers[v] if op["slots"] else ():
                    s.add(when + e["hold"] - at[v] <= op["slots"] * interval)
            else:
                s.add(at[v] >= 0, at[v] <= length - op["cycles"])
            s.add(group[v] >= 0, group[v] < self.groups)
        differ = {(u, v): group[u] != group[v] for u in self.ops for v in self.ops}
        crossing = {}
        for e in self.edges:
            u, v = e["u"], e["v"]
            if self.ops[u]["streaming"]:
                continue
            s.add(at[v] + e["distance"] * interval >= at[u] + e["delay"])
            if self.may_cross(u, v):
                crossing[u, v] = differ[u, v]
                s.add(Implies(differ[u, v], at[v] + e["distance"] * interval >= at[u] + e["delay"] + self.ops[u]["spill"]))
        if self.crossings is not None and crossing:
            s.add(Sum([If(x, 1, 0) for x in crossing.values()]) <= self.crossings)
        for u in self.ops:
            for v in self.ops:
                if u != v and self.in_group(u) and self.in_group(v) and self.ops[u]["alone"] and not self.ops[v]["alone"]:
                    s.add(differ[u, v])
        span = range(-3 * STAGES - 8, 3 * STAGES + 9)
        for slot in range(interval):  # cycle `slot` of a steady interval, with all iterations that can be there
            def times(begin, end):
                return Sum([If(And(begin + i * interval <= slot, slot < end + i * interval), 1, 0) for i in span])
            for unit, capacity in self.units.items():
                for g in range(self.groups) if unit in self.each else [None]:
                    uses = [times(at[v] + o, at[v] + o + c) if g is None else
                            If(group[v] == g, times(at[v] + o, at[v] + o + c), 0) for v, op in self.ops.items()
                            if not op["streaming"] and (g is None or self.in_group(v))
                            for u, o, c in op["uses"] if u == unit]
                    if uses:
                        s.add(Sum(uses) <= capacity)
            lives = {}
            for v in self.ops:
                if readers[v] and (self.ops[v]["memory"] or self.ops[v]["registers"]):
                    last = Int("last_" + v)
                    for e, when in readers[v]:
                        s.add(last >= when + e["hold"])
                    s.add(Or([last == when + e["hold"] for e, when in readers[v]]))
                    lives[v] = times(at[v], last)
            for space, capacity in self.memory.items():
                held = [x * self.ops[v]["memory"] for v, x in lives.items() if self.ops[v]["memory"]]
                if held:
                    s.add(Sum(held) <= capacity)
            for g in range(self.groups if self.registers else 0):
                held = [If(group[v] == g, x * self.ops[v]["registers"], 0) for v, x in lives.items() if self.in_group(v)]
                for u, v in crossing if self.reader else ():
                    cycles = min(max(self.ops[v]["cycles"], 1), interval)
                    held.append(If(And(differ[u, v], group[v] == g), times(at[v], at[v] + cycles) * self.ops[u]["registers"], 0))
                if held:
                    s.add(Sum(held) <= self.registers)
        for e in self.edges if self.wait != "free" else ():
            u, v = e["u"], e["v"]
            if u == v or not self.in_group(v) or not (e["blocking"] or (u, v) in crossing):
                continue
            waits = True if e["blocking"] else differ[u, v]
            for o, op in self.ops.items():
                if o == v or not self.in_group(o) or (self.wait == "in-order" and op["asynchronous"]):
                    continue
                for i in span:
                    begin = at[o] + i * interval
                    s.add(Not(And(waits, Not(differ[o, v]), begin <= at[v], at[v] < begin + op["cycles"])))
        return s.check() == sat


def main():
    graph, text, graphs, wrong = Graph(), [], 0, 0
    for line in sys.stdin:
        words = line.split()
        if words and words[0] == "answer":
            first = graph.bound()
            found = next((i for i in range(first, first + MORE + 1) if graph.feasible(i)), 0)
            if found != int(words[1]):
                wrong += 1
                print("wsc-solve says", words[1], "and Z3", found, "of\n" + "".join(text))
            graphs += 1
            graph, text = Graph(), []
        elif words:
            text.append(line)
            graph.line(words)
    print(graphs, "graphs,", wrong, "wrong")
    return wrong != 0 or graphs == 0


sys.exit(main())
