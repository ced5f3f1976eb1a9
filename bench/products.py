# SPDX-License-Identifier: GPL-3.0-or-later
"""products.py - batched and grouped products, and softmax, beside PyTorch's and cuBLASLt's, in the same run.

products.py [rounds=15] [json=FILE]: 8 x n^3 in f16; groups of rows in bf16, N = K = 4096, of equal and of drawn sizes; softmax of
rows of 1024 in f16.  Printed are TFLOP/s (softmax: TB/s), and the median of the rounds' ratios to the fastest peer of the run
with the 95% interval of its resamplings.  Results are checked against float64: the largest error as a share of the largest value.
"""
import ctypes
import os
import sys

import torch

from rounds import in_turns, interval, options, recorded, report


def pointers(*tensors):
    return [ctypes.c_void_p(t.data_ptr()) for t in tensors]


def cublaslt(a, b, c):
    """One product, or one for each matrix of a batch: the fastest of 32 heuristics."""
    batch, m = (a.shape[0], a.shape[1]) if a.dim() == 3 else (1, a.shape[0])
    plan = library.library_cublaslt(int(a.dtype == torch.bfloat16), batch, m, b.shape[-2], b.shape[-1], *pointers(a, b, c))
    return ctypes.c_void_p(plan)


def run_plans(plans, c):
    def call():
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        for plan in plans:
            library.cublaslt_run(plan, stream)
        return c

    return call


def batched(n):
    a, b = (torch.randn(8, n, n, device="cuda", dtype=torch.float16) for _ in range(2))
    c, d, e = (torch.empty_like(a) for _ in range(3))

    def ours():
        library.library_batched(8, n, n, n, *pointers(a, b, c))
        return c

    calls = {"torch.bmm": lambda: torch.bmm(a, b.transpose(1, 2), out=d), "cuBLASLt": run_plans([cublaslt(a, b, e)], e),
             "WSC": ours}
    want = a[7, -64:].double() @ b[7].double().T
    return {"row": f"8 x {n}x{n}x{n}", "type": "f16"}, {"tflops": 16 * n**3}, calls, lambda c: c[7, -64:], want


def grouped(groups, ragged):
    rows, n, k = 8192, 4096, 4096
    ends = [rows // 512 * (g + 1) // groups * 512 - (37 * g % 101 if ragged and g + 1 < groups else 0) for g in range(groups)]
    a, b = (torch.randn(*shape, device="cuda", dtype=torch.bfloat16) for shape in ((rows, k), (groups, n, k)))
    c, d = (torch.empty(rows, n, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    first = torch.tensor([0] + ends, device="cuda", dtype=torch.int32)
    tiles = sum(-(-(y - x) // 128) for x, y in zip([0] + ends, ends))
    offsets = first[1:].clone()
    plans = [cublaslt(a[x:y], b[g], d[x:y]) for g, (x, y) in enumerate(zip([0] + ends, ends))]

    def ours():
        library.library_grouped(groups, rows, tiles, n, k, *pointers(a, b, c, first))
        return c

    calls = {"torch grouped": lambda: torch._grouped_mm(a, b.transpose(-2, -1), offs=offsets),
             "cuBLASLt": run_plans(plans, d), "WSC": ours}
    want = a[-64:].double() @ b[-1].double().T
    row = f"{groups} {'ragged ' if ragged else ''}groups, {rows}x{n}x{k}"
    return {"row": row, "type": "bf16"}, {"tflops": 2 * rows * n * k}, calls, lambda c: c[-64:], want


def softmax():
    x = torch.randn(1 << 20, 1024, device="cuda", dtype=torch.float16)
    y = torch.empty_like(x)

    def ours():
        library.softmax(*x.shape, *pointers(x, y))
        return y

    calls = {"torch.softmax": lambda: torch.softmax(x, -1), "WSC": ours}
    want = torch.softmax(x[-64:].double(), -1)
    return {"row": "softmax, 1048576x1024", "type": "f16"}, {"tbs": 4 * x.numel()}, calls, lambda y: y[-64:], want


def compare(work, amount, calls, part, want, rounds, out):
    (unit, size), = amount.items()
    errors, graphs, repeats = {}, {}, max(1, int(4e12 / size)) if unit == "tflops" else 4
    for name, call in calls.items():
        try:
            got = call()
            errors[name] = ((part(got).double() - want).abs().max() / want.abs().max()).item()
            del got
            graphs[name] = recorded(library, call, repeats)
        except (AttributeError, RuntimeError) as problem:
            print(f"{name}: {str(problem).splitlines()[0]}", file=sys.stderr)
    times = in_turns(graphs, rounds, repeats)
    # The fastest peer stands last among the peers, and before ours: the tables take it from there.
    order = sorted((name for name in times if name != "WSC"), key=lambda name: -interval(times[name])[0]) + ["WSC"]
    line = f'{work["type"]} {work["row"]}'
    for name in order:
        middle, low, high = interval([a / b for a, b in zip(times[order[-2]], times[name])])
        speed = size / interval(times[name])[0] * 1e-9
        line += f" | {name} {speed:.{0 if unit == 'tflops' else 2}f} {middle:.3f} [{low:.3f} {high:.3f}] error {errors[name]:.0e}"
        out.append({"suite": "torch" if unit == "tflops" else "torch-softmax", **work, "candidate": name, "form": "", "us": interval(times[name])[0] * 1e3,
                    unit: round(speed, 2), "ratio": round(middle, 4), "low": round(low, 4), "high": round(high, 4),
                    "error": errors[name]})
    print(line, flush=True)
    return not errors["WSC"] < 4e-3


def main():
    global library
    given = options()
    rounds = int(given.get("rounds", "15"))
    library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "libproducts.so"))
    library.library_cublaslt.restype = ctypes.c_void_p
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, {rounds} rounds")
    about = {"device": torch.cuda.get_device_name(), "pytorch": torch.__version__, "rounds": rounds}
    work = [lambda n=n: batched(n) for n in (1024, 2048, 4096, 8192)]
    work += [lambda g=g, r=r: grouped(g, r) for r in (False, True) for g in (2, 4, 8, 16)]
    return report(given.get("json"), about, [lambda out, make=make: compare(*make(), rounds, out) for make in work + [softmax]])


if __name__ == "__main__":
    sys.exit(main())
