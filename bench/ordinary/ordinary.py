# SPDX-License-Identifier: GPL-3.0-or-later
"""ordinary.py LIBRARY: the kernels of kernels.c beside a copy of as many bytes and PyTorch (bench/run ordinary).

A line for each: us, TB/s read and written, share of the copy's rate and of PyTorch's; medians of 15 rounds in turn.
"""
import ctypes
import sys

import torch

ROUNDS = 15
PIECE = 2e-3  # seconds that a sample takes, or so
library = ctypes.CDLL(sys.argv[1])
good = True


def argument(x):
    if torch.is_tensor(x):
        return ctypes.c_void_p(x.data_ptr())
    return ctypes.c_float(x) if isinstance(x, float) else ctypes.c_long(x)


def ours(name, *arguments):
    function, values = getattr(library, name), [argument(x) for x in arguments]
    return lambda: function(*values)


def microseconds(run, count):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(count):
        run()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) / count * 1e3


def check(work, got, want, tolerance):
    """A result is rounded once: it may be off by its own last place, and by the tolerance."""
    global good
    last_place = torch.finfo(got.dtype).eps
    want = want.float()
    error = ((got.float() - want).abs() - last_place * want.abs()).max().item()
    if not error <= tolerance:
        print(f"{work}: {error:.3g} more than it may be off  WRONG")
        good = False


def median(values):
    return sorted(values)[len(values) // 2]


def compare(work, moved, runs):
    """runs: ours, PyTorch's, and a copy with the bytes that it moves."""
    bytes_of = {name: moved for name in runs}
    copied = torch.empty(1 << 28, device="cuda", dtype=torch.uint8)
    source = torch.empty_like(copied)
    runs = {"copy_": lambda: copied.copy_(source), **runs}
    bytes_of["copy_"] = 2 * copied.numel()
    times = {name: [] for name in runs}
    for _ in range(ROUNDS):
        for name, run in runs.items():
            count = max(2, int(PIECE / (bytes_of[name] / 3e12)))
            times[name].append(microseconds(run, count))
    rates = {name: [bytes_of[name] / us / 1e6 for us in all_times] for name, all_times in times.items()}
    for name in runs:
        ratios = "".join(
            f"  {median([x / y for x, y in zip(rates[name], rates[peer])]):5.3f} of {peer}"
            for peer in ("copy_", "torch") if peer != name)
        print(f"{work:24s} {name:6s} {median(times[name]):9.1f} us {median(rates[name]):6.3f} TB/s{ratios}", flush=True)


def adamw(n):
    p, g, m, v = (torch.randn(n, device="cuda") for _ in range(4))
    v.abs_()
    rate, beta1, beta2, decay, epsilon = 1e-3, 0.9, 0.99, 0.01, 1e-8
    state = torch.ones((), device="cuda")
    peer = [x.clone() for x in (p, g, m, v)]

    def step():
        torch._fused_adamw_([peer[0]], [peer[1]], [peer[2]], [peer[3]], [], [state], lr=rate, beta1=beta1, beta2=beta2,
                            weight_decay=decay, eps=epsilon, amsgrad=False, maximize=False)

    run = ours("adamw", n, rate, beta1, beta2, decay, epsilon, 1 / (1 - beta1), 1 / (1 - beta2), p, g, m, v)
    run()
    step()
    check("adamw", p, peer[0], 1e-4)
    compare(f"adamw {n}", 28 * n, {"ours": run, "torch": step})


def gemv(m, n):
    a, x = torch.randn(m, n, device="cuda").half() / 64, torch.randn(n, device="cuda").half()
    copies = [a] + [a.clone() for _ in range(max(1, (1 << 28) // a.nbytes))]  # more than L2 holds
    y = torch.empty(m, device="cuda", dtype=torch.half)
    turn = [0, 0]

    def each(which, runs):
        turn[which] = (turn[which] + 1) % len(runs)
        runs[turn[which]]()

    mine = [ours("gemv", m, n, a, x, y) for a in copies]
    mine[0]()
    check("gemv", y, a.float() @ x.float(), 1e-3)
    peer = [lambda a=a: torch.mv(a, x) for a in copies]
    compare(f"gemv {m} x {n}", a.nbytes, {"ours": lambda: each(0, mine), "torch": lambda: each(1, peer)})


def transpose(n):
    a, b = torch.randn(n, n, device="cuda").half(), torch.empty(n, n, device="cuda", dtype=torch.half)
    run = ours("transpose", n, n, a, b)
    run()
    check("transpose", b, a.t(), 0)
    compare(f"transpose {n}", 4 * n * n, {"ours": run, "torch": lambda: b.copy_(a.t())})


def rows(work, name, m, n, dtype, torch_run, *more):
    x = torch.randn(m, n, device="cuda").to(dtype)
    y = torch.empty_like(x)
    run = ours(name, m, n, *more[:1], x, *more[1:], y)
    run()
    check(work, y, torch_run(x.float()), 1e-6)
    compare(f"{work} {m} x {n}", 4 * m * n, {"ours": run, "torch": lambda: torch_run(x)})


def main():
    adamw(1 << 27)
    gemv(16384, 8192)
    gemv(4096, 4096)
    transpose(16384)
    rows("softmax", "softmax_1k", 1 << 18, 1024, torch.half, lambda x: torch.softmax(x, 1))
    rows("softmax", "softmax_4k", 1 << 16, 4096, torch.half, lambda x: torch.softmax(x, 1))
    scale = torch.randn(4096, device="cuda")
    rows("rmsnorm twice", "rmsnorm", 65536, 4096, torch.bfloat16,
         lambda x: torch.nn.functional.rms_norm(x, (4096,), scale.to(x.dtype), 1e-5), 1e-5, scale)
    sys.exit(not good)


main()
