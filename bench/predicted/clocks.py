# SPDX-License-Identifier: MIT
"""clocks.py - clocks of a kernel's first block in a trace; predictions beside measurements.

    clocks.py clocks TRACE
    clocks.py compare ROWS DIR
"""
import json
import os
import sys

REPEATED = 3  # launches of the kernel, of which the last one counts


def clocks(path, repeated=1):
    """From the first event of the first block to the last."""
    with open(path) as file:
        events = json.load(file)
    events = events["traceEvents"] if isinstance(events, dict) else events
    first = [e for e in events if e.get("ph") == "M" and e.get("name") == "process_name" and e["args"]["cta"] == 0]
    block = [e["pid"] for e in first[:repeated] if e["args"]["kernel"] == first[0]["args"]["kernel"]][-1]
    spans = [(e["ts"], e["ts"] + e["dur"]) for e in events if e.get("ph") == "X" and e["pid"] == block]
    return max(end for _, end in spans) - min(begin for begin, _ in spans)


def rows(path):
    with open(path) as file:
        return [line.split("|")[0].strip() for line in file if line.strip() and not line.startswith("#")]


def compare(path, folder):
    pairs = []
    for number, name in enumerate(rows(path), 1):
        trace, measured = (os.path.join(folder, f"{number}.{kind}") for kind in ("predicted", "clocks"))
        if not os.path.exists(trace) or not os.path.exists(measured) or not open(measured).read().strip():
            print(f"{name:28} not both")
            continue
        pairs.append((name, clocks(trace), float(open(measured).read())))
        name, guess, truth = pairs[-1]
        print(f"{name:28} predicted {guess:9.0f}  measured {truth:9.0f}  {guess / truth:6.2f}")
    errors = sorted(abs(guess / truth - 1) for _, guess, truth in pairs)
    apart = [(a, b) for i, a in enumerate(pairs) for b in pairs[:i] if abs(a[2] / b[2] - 1) > 0.03]
    right = sum((a[1] < b[1]) == (a[2] < b[2]) for a, b in apart)
    if pairs:
        print(f"{len(pairs)} kernels, median error {100 * errors[len(errors) // 2]:.0f}%,"
              f" {right} of {len(apart)} pairs in the right order")


if sys.argv[1] == "clocks":
    print(f"{clocks(sys.argv[2], REPEATED):.0f}")
else:
    compare(sys.argv[2], sys.argv[3])
