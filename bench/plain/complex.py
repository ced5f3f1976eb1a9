# SPDX-License-Identifier: GPL-3.0-or-later
"""complex.py LIBRARY: complex.c beside cuBLAS, as PyTorch calls it (bench/run complex).

A line for each type: us with tiles that are chosen, with those that are given, and of cuBLAS, and the ratios to chosen,
above 1 where that is faster; medians of 9 rounds in turn. The results of all are compared.
"""
import ctypes
import sys

import torch

ROUNDS, RUNS = 9, 5
library = ctypes.CDLL(sys.argv[1])
N = 1024


def microseconds(run):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(RUNS):
        run()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) / RUNS * 1e3


def ours(name, tensors):
    function = getattr(library, name)
    values = [ctypes.c_int(N)] + [ctypes.c_void_p(x.data_ptr()) for x in tensors]
    return lambda: function(*values)


good = True
for name, dtype, tolerance in ("double", torch.complex128, 1e-13), ("float", torch.complex64, 1e-5):
    a, b = (torch.randn(N, N, device="cuda", dtype=dtype) for _ in range(2))
    out = {form: torch.zeros_like(a) for form in ("chosen", "given", "cublas")}
    runs = {form: ours(f"{name}_{form}", (a, b, out[form])) for form in ("chosen", "given")}
    runs["cublas"] = lambda a=a, b=b, out=out: torch.mm(a, b, out=out["cublas"])
    for run in runs.values():
        run()
    torch.cuda.synchronize()
    for form in "chosen", "given":
        apart = (out[form] - out["cublas"]).abs().max() / out["cublas"].abs().max()
        if not apart <= tolerance:
            print(f"{name}, {form}: {apart:.3g} apart  WRONG")
            good = False
    times = {form: [] for form in runs}
    for turn in range(ROUNDS):
        for form in sorted(runs, reverse=turn % 2 == 1):
            times[form].append(microseconds(runs[form]))
    middle = {form: sorted(times[form])[ROUNDS // 2] for form in runs}
    ratio = {form: sorted(y / x for x, y in zip(times["chosen"], times[form]))[ROUNDS // 2] for form in runs}
    print(f"{name}: chosen {middle['chosen']:.1f} us, given {middle['given']:.1f} us, {ratio['given']:.3f}, "
          f"cuBLAS {middle['cublas']:.1f} us, {ratio['cublas']:.3f}", flush=True)
sys.exit(not good)
