# SPDX-License-Identifier: GPL-3.0-or-later
"""rounds.py - calls recorded in graphs, timed in turns: what measure.cu is for the bench in C."""
import ctypes
import json
import math
import os
import sys
import time

import torch


def interval(samples):
    """The median, and the middle 95% of its bootstrap distribution, which is known: see statistics.c."""
    x, n = sorted(samples), len(samples)

    def more_than_half_below(k):
        p = k / n
        return sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(n // 2 + 1, n + 1))

    k = 1
    while k < n // 2 + 1 and more_than_half_below(k) < 0.025:
        k += 1
    return x[n // 2], x[k - 1], x[n - k]


def recorded(library, call, repeats):
    """Many runs in a graph: what counts is the device's time."""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        library.ws_set_stream(ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
        for _ in range(repeats):
            call()
    library.ws_set_stream(ctypes.c_void_p(0))
    return graph


def milliseconds(graph, repeats):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    graph.replay()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / repeats


def settle(graphs, repeats):
    """All in turn until the clock has come down to what the power limit allows: measure.cu says more."""
    begin, before = time.monotonic(), 0
    while True:
        start, taken, turns = time.monotonic(), 0, 0
        while not turns or time.monotonic() - start < 0.2:
            taken += sum(milliseconds(graph, repeats) for graph in graphs.values())
            turns += 1
        now = taken / turns
        if before and (abs(now - before) <= 0.004 * before or time.monotonic() - begin > 3):
            return
        before = now


def in_turns(graphs, rounds, repeats):
    """Milliseconds of a run by name and round, in the order of whose_turn in statistics.c."""
    names, times = list(graphs), {name: [] for name in graphs}
    settle(graphs, repeats)
    for turn in range(rounds):
        first = turn // 2 % len(names)
        order = names[first:] + names[:first]
        for name in reversed(order) if turn % 2 else order:
            times[name].append(milliseconds(graphs[name], repeats))
    return times


def options():
    return dict(word.split("=", 1) for word in sys.argv[1:])


def report(path, about, pieces):
    """Calls each piece of work with a list for its rows, which are lines of JSON in the file, if any, as soon as it is done;
    returns whether one was wrong."""
    wrong = False
    with open(path or os.devnull, "w", encoding="ascii") as file:
        for piece in [lambda rows: rows.append(about), *pieces]:
            rows = []
            wrong |= bool(piece(rows))
            file.writelines(json.dumps(row) + "\n" for row in rows)
            file.flush()
            torch.cuda.empty_cache()
    return wrong
