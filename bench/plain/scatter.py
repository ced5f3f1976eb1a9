# SPDX-License-Identifier: GPL-3.0-or-later
"""scatter.py LIBRARY: scatter.c beside scatter.cu (bench/run scatter).

A line for each: us of both, and the ratio, above 1 where the plain loops are faster; medians of 15 rounds in turn.
Both add to the same zeros once, and what they leave is compared: to the bit but for sums of floats, whose order is open.
"""
import ctypes
import sys

import torch

ROUNDS, RUNS = 15, 10
library = ctypes.CDLL(sys.argv[1])
torch.manual_seed(7)


def microseconds(run):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(RUNS):
        run()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) / RUNS * 1e3


def numbers(n, below):
    return torch.randint(0, below, (n,), device="cuda", dtype=torch.int32)


def work():
    n = 1 << 24
    edges, rows, columns = 1 << 24, 1 << 14, 1 << 10
    pixels = numbers(n, 256).to(torch.uint8)
    vector, place = torch.randn(1 << 20, device="cuda"), [numbers(edges, 1 << 20) for _ in range(2)]
    matrix = torch.randn(rows * columns, device="cuda")
    turned, drawn = torch.randperm(rows, device="cuda").int(), numbers(rows, rows)
    yield "histogram", (n,), [pixels], torch.zeros(256, device="cuda", dtype=torch.int32), 0
    yield "histogram_long", (n,), [pixels], torch.zeros(256, device="cuda", dtype=torch.int64), 0
    yield ("coordinates", (n, 1 << 20), [*place, torch.randn(n, device="cuda"), vector], torch.zeros_like(vector), 1e-5)
    yield ("edges", (n, 1 << 20), [*place, torch.randn(n, device="cuda").double(), vector.double()],
           torch.zeros_like(vector).double(), 1e-12)
    yield "rows_stored", (rows, columns), [turned, matrix], torch.zeros_like(matrix), 0
    yield "rows_read", (rows, columns), [drawn, matrix], torch.zeros_like(matrix), 0
    yield "rows_added", (rows, columns), [drawn, matrix], torch.zeros_like(matrix), 1e-5


good = True
for name, sizes, tensors, out in ((*x[:3], x[3:]) for x in work()):
    out, tolerance = out
    result, runs, times = {}, {}, {"ws": [], "cuda": []}
    for form in times:
        function, result[form] = getattr(library, f"{name}_{form}"), torch.zeros_like(out)
        values = [ctypes.c_long(x) for x in sizes] + [ctypes.c_void_p(x.data_ptr()) for x in (*tensors, result[form])]
        runs[form] = lambda function=function, values=values: function(*values)
        runs[form]()
        torch.cuda.synchronize()
    apart = (result["ws"].double() - result["cuda"].double()).abs().max() / result["cuda"].double().abs().max()
    if not apart <= tolerance:
        print(f"{name}: {apart:.3g} apart  WRONG")
        good = False
    for turn in range(ROUNDS):
        for form in sorted(runs, reverse=turn % 2 == 1):
            times[form].append(microseconds(runs[form]))
    ratio = sorted(y / x for x, y in zip(times["ws"], times["cuda"]))[ROUNDS // 2]
    mine, peer = (sorted(times[form])[ROUNDS // 2] for form in ("ws", "cuda"))
    print(f"{name}: ws {mine:.1f} us, cuda {peer:.1f} us, {ratio:.3f}", flush=True)
sys.exit(not good)
