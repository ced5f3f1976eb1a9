# SPDX-License-Identifier: GPL-3.0-or-later
"""rows.py FIRST [LIBRARY FORM:WIDTH:ROWS...]: rows beside PyTorch and a copy of as many bytes (bench/run rows).

FIRST: the kernels of bench/first, LayerNorm of 1152 rows, then all kinds of rows with 1 GiB in, whole vectors and not.
LIBRARY: samples/layernorm_blocks.c in those forms.  A line for each: us, TB/s read and written, and their share of 4.2
TB/s, of a copy and of PyTorch; medians of 15 rounds in turn.
"""
import ctypes
import sys

import torch

F = torch.nn.functional
ROUNDS = 15
GIB = 1 << 30
FEW = slice(-64, None)  # rows that are checked
good = True


def half(*shape):
    return torch.randn(*shape, device="cuda").half()


def argument(x):
    if torch.is_tensor(x):
        return ctypes.c_void_p(x.data_ptr())
    return ctypes.c_float(x) if isinstance(x, float) else ctypes.c_long(x)


def ours(function, *arguments):
    values = [argument(x) for x in arguments]
    return lambda _arrays=arguments: function(*values)  # which live as long as this


def microseconds(calls, count):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for i in range(count):
        calls[i % len(calls)]()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) / count * 1e3


def check(work, run, got, want, tolerance):
    """A result is rounded once: it may be off by its own last place, and by the tolerance."""
    global good
    got.zero_()
    run()
    want = want.double()
    error = ((got[FEW].double() - want).abs() - torch.finfo(got.dtype).eps * want.abs()).max().item()
    if not error <= tolerance:
        print(f"{work}: {error:.3g} more than it may be off  WRONG")
        good = False


def median(values):
    return sorted(values)[len(values) // 2]


def compare(work, moved, forms, peer, copy=None):
    """Each is a list of calls that take turns; forms: by name."""
    if not copy:
        source = torch.empty(moved // 2, device="cuda", dtype=torch.uint8)
        copied = torch.empty_like(source)
        copy = [lambda: copied.copy_(source)]
    runs = {"copy": copy, "torch": peer, **forms}
    times = {name: [] for name in runs}
    for calls in runs.values():
        microseconds(calls, 2)
    for _ in range(ROUNDS):
        for name, calls in runs.items():
            times[name].append(microseconds(calls, max(3, int(8e9 / moved))))
    for name in forms:
        us = median(times[name])
        of = {peer: median([y / x for x, y in zip(times[name], times[peer])]) for peer in ("copy", "torch")}
        print(f"{work:24s} {name:8s} {us:8.1f} us {moved / us / 1e6:5.2f} TB/s  {moved / us / 4.2e6:5.3f} of 4.2 TB/s"
              f"  {of['copy']:5.3f} of a copy  {of['torch']:5.2f} of PyTorch", flush=True)


def layernorm_of_few(library):
    """As many pairs of arrays in turn as hold 1 GiB."""
    m = 1152
    for n in 16384, 65536, 131072:
        pairs = [(half(m, n), half(m, n)) for _ in range(-(-GIB // (4 * m * n)))]
        scale, shift = half(n), half(n)
        runs = [ours(library.layernorm_long, m, n, 1e-5, x, scale, shift, y) for x, y in pairs]
        want = F.layer_norm(pairs[0][0][FEW].float(), (n,), scale.float(), shift.float())
        check(f"LayerNorm of {m} x {n}", runs[0], pairs[0][1], want, 1e-3)
        compare(f"LayerNorm {m} x {n}", 4 * m * n, {"": runs},
                [lambda x=x: F.layer_norm(x, (n,), scale, shift) for x, _ in pairs],
                [lambda x=x, y=y: y.copy_(x) for x, y in pairs])


def all_kinds(library, n):
    m, kind = GIB // 2 // n, "short" if n <= 1024 else "long"
    x, y, scale, shift = half(m, n), half(m, n), half(n), half(n)
    z, out, factor = x.bfloat16(), y.bfloat16(), scale.bfloat16()
    target, loss = torch.randint(0, n, (m,), device="cuda"), torch.empty(m, device="cuda")
    exact = x[FEW].float()
    for name, moved, function, arguments, got, want, tolerance, peer in (
            ("LayerNorm", 4, f"layernorm_{kind}", (1e-5, x, scale, shift, y), y,
             F.layer_norm(exact, (n,), scale.float(), shift.float()), 1e-3,
             lambda: F.layer_norm(x, (n,), scale, shift)),
            ("RMSNorm, bf16", 4, f"rmsnorm_{kind}", (1e-5, z, factor, out), out,
             F.rms_norm(z[FEW].float(), (n,), factor.float(), 1e-5), 1e-3, lambda: F.rms_norm(z, (n,), factor, 1e-5)),
            ("softmax", 4, f"softmax_{kind}", (x, y), y, torch.softmax(exact, 1), 1e-6, lambda: torch.softmax(x, 1)),
            ("cross entropy", 2, "cross_entropy", (x, target.int(), loss), loss,
             F.cross_entropy(exact, target[FEW], reduction="none"), 1e-4,
             lambda: F.cross_entropy(x, target, reduction="none"))):
        run = ours(getattr(library, function), m, n, *arguments)
        check(f"{name} of {n}", run, got, want, tolerance)
        compare(f"{name} {n}", moved * m * n, {"": [run]}, [peer])


def in_forms(library, forms, m, n):
    x, y = half(m, n), half(m, n)
    scale, shift = torch.randn(n, device="cuda"), torch.randn(n, device="cuda")
    halves = scale.half(), shift.half()
    runs = {}
    for name, width, _ in forms:
        if int(width) * 4 < n <= int(width) * 8 and hasattr(library, name):
            run = ours(getattr(library, name), m, n, 1e-5, x, scale, shift, y)
            check(f"{name} of {m} x {n}", run, y, F.layer_norm(x[FEW].float(), (n,), scale, shift), 0.05)
            runs[name] = [run]
    compare(f"in blocks {m} x {n}", 4 * m * n, runs, [lambda: F.layer_norm(x, (n,), *halves)])


def main():
    first = ctypes.CDLL(sys.argv[1])
    layernorm_of_few(first)
    for n in 256, 1024, 4096, 16384, 65536, 262144:
        all_kinds(first, n)
    for n in 100, 250, 999, 5001, 50257:  # rows that are no vectors
        all_kinds(first, n)
    if sys.argv[2:]:
        library, forms = ctypes.CDLL(sys.argv[2]), [form.split(":") for form in sys.argv[3:]]
        for shape in (32768, 4096), (16384, 8192), (1152, 8192), (8192, 16384), (1152, 16384):
            in_forms(library, forms, *shape)
    sys.exit(not good)


main()
