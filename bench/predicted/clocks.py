# SPDX-License-Identifier: MIT
"""clocks.py - clocks of a kernel's first block in a trace; predictions beside measurements.

    clocks.py clocks TRACE
    clocks.py compare ROWS DIR
"""
import json
import os
import sys

def clocks(path, launches=slice(0, 1)):
    """Of the first kernel's first block, from its first tile on: the least of those launches."""
    with open(path) as file:
        events = json.load(file)
    events = events["traceEvents"] if isinstance(events, dict) else events
    blocks = [e for e in events if e.get("ph") == "M" and e.get("name") == "process_name" and e["args"]["cta"] == 0]
    kernel = [(e["args"]["kernel"], len(e["args"]["groups"])) for e in blocks]
    least = None
    for block in [e["pid"] for e, its in zip(blocks[launches], kernel[launches]) if its == kernel[0]]:
        spans = [e for e in events if e.get("ph") == "X" and e["pid"] == block]
        begin = min([e["ts"] for e in spans if e["name"] == "tile"] or [e["ts"] for e in spans])
        taken = max(e["ts"] + e["dur"] for e in spans) - begin
        least = taken if least is None or taken < least else least
    return least


def rows(path):
    with open(path) as file:
        return [line.split("|")[0].strip() for line in file if line.strip() and not line.startswith("#")]


def measured(path, folder):
    """Clocks by row: what was measured in the folder, or else what the file h200 says."""
    by_name = {}
    with open(os.path.join(os.path.dirname(path), "h200")) as file:
        for line in file:
            name, bar, number = line.partition("|")
            by_name.update({name.strip(): float(number)} if bar else {})
    here = {}
    for number, name in enumerate(rows(path), 1):
        own = os.path.join(folder, f"{number}.clocks")
        text = open(own).read().strip() if os.path.exists(own) else ""
        here.update({name: float(text)} if text else {})
    return here or by_name


def in_order(pairs):
    """How many pairs of kernels that differ by 3% there are, and how many of them the prediction has in their order."""
    apart = [(a, b) for i, a in enumerate(pairs) for b in pairs[:i] if abs(a[2] / b[2] - 1) > 0.03]
    return sum((a[1] < b[1]) == (a[2] < b[2]) for a, b in apart), len(apart)


def compare(path, folder):
    pairs, takes = [], measured(path, folder)
    for number, name in enumerate(rows(path), 1):
        trace = os.path.join(folder, f"{number}.predicted")
        if not os.path.exists(trace) or name not in takes:
            print(f"{name:28} not both")
            continue
        guess, truth = clocks(trace), takes[name]
        pairs.append((name, guess, truth))
        print(f"{name:28} predicted {guess:9.0f}  measured {truth:9.0f}  {guess / truth:6.2f}")
    errors = sorted(abs(guess / truth - 1) for _, guess, truth in pairs)
    if not pairs:
        return
    variants = [in_order([p for p in pairs if p[0].split()[0] == first]) for first in {p[0].split()[0] for p in pairs}]
    print(f"{len(pairs)} kernels, median error {100 * errors[len(errors) // 2]:.0f}%; in the right order"
          f" {'%d of %d' % in_order(pairs)} pairs, of variants of one kernel"
          f" {sum(n for n, _ in variants)} of {sum(n for _, n in variants)}")


if sys.argv[1] == "clocks":
    print(f"{clocks(sys.argv[2], slice(1, 3)):.0f}")
else:
    compare(sys.argv[2], sys.argv[3])
