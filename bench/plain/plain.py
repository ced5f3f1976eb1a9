# SPDX-License-Identifier: GPL-3.0-or-later
"""plain.py LIBRARY: plain loops beside the same written with tiles, kernels.c (bench/run plain).

A line for each: us of both, and the ratio, above 1 where the plain loops are faster; medians of 15 rounds in turn. The
last line has the geometric mean and the least. The results of both are compared.
"""
import ctypes
import math
import sys

import torch

ROUNDS, RUNS = 15, 20
library = ctypes.CDLL(sys.argv[1])
WORK = {
    "product": (4096, 4096, 4096), "product_tf32": (4096, 4096, 4096), "jacobi": (8192, 8192, 0),
    "matvec": (16384, 8192, 0), "norms": (16384, 4096, 0),
}


def microseconds(run):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(RUNS):
        run()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) / RUNS * 1e3


def arrays(name, m, n, k):
    rows, cols, out = (m, k, m * n) if k else (m, m if name == "jacobi" else n, m * n)
    other = (n, k) if k else (max(m, n),)
    return [torch.randn(rows, cols, device="cuda"), torch.randn(*other, device="cuda"),
            torch.zeros(m if name == "matvec" else out, device="cuda")]


def ours(name, sizes, tensors):
    function = getattr(library, name)
    values = [ctypes.c_int(x) for x in sizes] + [ctypes.c_void_p(x.data_ptr()) for x in tensors]
    return lambda: function(*values)


ratios, good = {}, True
for name, sizes in WORK.items():
    tensors = arrays(name, *sizes)
    result, runs = {}, {}
    for form in "plain", "tiles":
        mine = tensors[:2] + [torch.zeros_like(tensors[2])]
        runs[form] = ours(f"{name}_{form}", sizes, mine)
        runs[form]()
        torch.cuda.synchronize()
        result[form] = mine[2]
    apart = (result["plain"] - result["tiles"]).abs().max() / result["tiles"].abs().max()
    if not apart <= 1e-5:
        print(f"{name}: {apart:.3g} apart  WRONG")
        good = False
    times = {form: [] for form in runs}
    for turn in range(ROUNDS):
        for form in sorted(runs, reverse=turn % 2 == 1):
            times[form].append(microseconds(runs[form]))
    plain, tiles = (sorted(times[form])[ROUNDS // 2] for form in ("plain", "tiles"))
    ratios[name] = sorted(t / p for p, t in zip(times["plain"], times["tiles"]))[ROUNDS // 2]
    print(f"{name}: plain {plain:.1f} us, tiles {tiles:.1f} us, {ratios[name]:.3f}", flush=True)
mean = math.exp(sum(math.log(x) for x in ratios.values()) / len(ratios))
print(f"geometric mean {mean:.3f}, least {min(ratios.values()):.3f}")
sys.exit(not good)
