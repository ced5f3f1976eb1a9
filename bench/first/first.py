# SPDX-License-Identifier: GPL-3.0-or-later
"""first.py LIBRARY [PART...]: kernels as somebody new writes them (kernels.c) beside the best peer of the run (bench/run
first); parts: products, convolutions, rows, streams, attention.

A line for each: us of ours and of the fastest peer, the ratio above 1 where ours is faster; medians of 15 rounds in
turn. What moves memory alone is compared with a copy of as many bytes, too. The last column says what bounds ours, as
measured in the same run: bytes, the rate of a copy; tensor, that of a product of 8192; launch, an empty kernel's time;
what takes less than 0.8 of the nearest of them waits for instructions or latency. The last line has the geometric mean
and the least.
"""
import ctypes
import math
import sys

import torch

F = torch.nn.functional
ROUNDS = 15
PIECE = 2e-3  # seconds that a sample takes, or so
library = ctypes.CDLL(sys.argv[1])
good = True
ratios = {}


def argument(x):
    if torch.is_tensor(x):
        return ctypes.c_void_p(x.data_ptr())
    return ctypes.c_float(x) if isinstance(x, float) else ctypes.c_long(x)


def ours(name, *arguments):
    function, values = getattr(library, name), [argument(x) for x in arguments]
    return lambda _arrays=arguments: function(*values)  # which live as long as this


def half(*shape, scale=1.0):
    return (torch.randn(*shape, device="cuda") * scale).half()


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
    last_place = torch.finfo(got.dtype).eps if got.dtype.is_floating_point else 0
    want = want.double()
    error = ((got.double() - want).abs() - last_place * want.abs()).max().item()
    if not error <= tolerance:
        print(f"{work}: {error:.3g} more than it may be off  WRONG")
        good = False


def compiled(function):
    return torch.compile(function, dynamic=False)


def median(values):
    return sorted(values)[len(values) // 2]


def rate_of_products():
    """Of f16, 8192 x 8192 x 8192: operations in a microsecond."""
    a, b = half(8192, 8192), half(8192, 8192)
    torch.mm(a, b)
    return 2 * 8192**3 / median([microseconds(lambda: torch.mm(a, b), 2) for _ in range(5)])


def time_of_launch():
    one = torch.zeros(1, device="cuda")
    one.zero_()
    return median([microseconds(one.zero_, 20) for _ in range(5)])


def bound(us, copy, operations):
    """What takes most of the time: its share, in words."""
    shares = {"bytes": copy / us, "tensor": operations / RATE / us, "launch": LAUNCH / us}
    most = max(shares, key=shares.get)
    return f"{most} {shares[most]:4.2f}" if shares[most] >= 0.8 else f"instructions ({most} {shares[most]:4.2f})"


def compare(work, run, peers, moved=0, operations=0):
    """peers: by name; moved: bytes that a copy would move in as much time; operations: of the tensor core."""
    runs = {"ours": run, **peers}
    if moved:
        copied = torch.empty(moved // 2, device="cuda", dtype=torch.uint8)
        source = torch.empty_like(copied)
        runs["copy"] = lambda: copied.copy_(source)
    times = {name: [] for name in runs}
    counts = {}
    for name, one in list(runs.items()):
        try:
            one()
            torch.cuda.synchronize()
            counts[name] = max(2, int(PIECE * 1e6 / microseconds(one, 2)))
        except Exception as error:  # a peer that is not there
            print(f"{work}: no {name}: {str(error).splitlines()[0][:80]}")
            del runs[name]
    for _ in range(ROUNDS):
        for name, one in runs.items():
            times[name].append(microseconds(one, counts[name]))
    best = min((name for name in runs if name not in ("ours", "copy")), key=lambda name: median(times[name]))
    ratio = median([y / x for x, y in zip(times["ours"], times[best])])
    ratios[work] = ratio
    copy = f"  {median([y / x for x, y in zip(times['ours'], times['copy'])]):5.3f} of a copy" if moved else ""
    us = median(times["ours"])
    why = bound(us, median(times["copy"]) if moved else 0, operations)
    print(f"{work:34s} {us:9.1f} us  {best:8s} {median(times[best]):9.1f} us  {ratio:6.3f}{copy or ' ' * 18}  {why}",
          flush=True)


def products():
    for m, n, k in (4096, 4096, 4096), (8192, 8192, 2048):
        a, b, c = half(m, k), half(n, k), half(m, n)
        run = ours("product", m, n, k, a, b, c)
        run()
        check("product", c, a.float() @ b.float().T, 0.05)
        compare(f"product {m} x {n} x {k}", run, {"torch": lambda: torch.mm(a, b.T, out=c)},
                operations=2 * m * n * k)
    m, n, k = 64, 8192, 8192
    a, b, c = half(m, k), half(n, k), half(m, n)
    compare(f"product {m} x {n} x {k}", ours("product_small_m", m, n, k, a, b, c), {"torch": lambda: a @ b.T},
            b.nbytes, 2 * m * n * k)
    m = n = k = 4096
    a, c, s = half(m, k), half(m, n), torch.rand(n, device="cuda")
    w = torch.randint(-127, 127, (n, k), device="cuda", dtype=torch.int8)
    run = ours("product_w8", m, n, k, a, w, s, c)
    run()
    check("product_w8", c, (a.float() @ w.float().T) * s, 4.0)
    both = compiled(lambda: (a @ w.half().T) * s.half())
    compare("product of int8 weights 4096", run, {"torch": lambda: (a @ w.half().T) * s.half(), "compiled": both},
            operations=2 * m * n * k)
    compare("A A^T 4096", ours("product_with_itself", m, k, a, c), {"torch": lambda: a @ a.T},
            operations=2 * m * m * k)
    a, b, c = (half(16384, 64, 64) for _ in range(3))
    run = ours("product_batch_64", 16384, a, b, c)
    compare("16384 products of 64", run, {"torch": lambda: torch.bmm(a, b.transpose(1, 2), out=c)}, 3 * a.nbytes)


def convolutions():
    b, h, w, c, f = 32, 56, 56, 128, 128
    x, weights, y = half(b, h, w, c), half(f, 3, 3, c, scale=0.05), half(b, h, w, f)
    image = x.permute(0, 3, 1, 2)
    filters = weights.permute(0, 3, 1, 2)
    run = ours("convolution_3x3", b, h, w, c, f, x, weights, y)
    run()
    check("convolution", y, F.conv2d(image.float(), filters.float(), padding=1).permute(0, 2, 3, 1), 0.05)
    compare("convolution 3 x 3", run, {"cuDNN": lambda: F.conv2d(image, filters, padding=1)},
            2 * x.nbytes, 18 * x.numel() * f)
    one = half(f, c)
    compare("convolution 1 x 1", ours("convolution_1x1", b, h, w, c, f, x, one, y),
            {"cuDNN": lambda: F.conv2d(image, one.view(f, c, 1, 1))}, 2 * x.nbytes, 2 * x.numel() * f)
    own = half(9, c)
    each = own.T.reshape(c, 1, 3, 3).contiguous(memory_format=torch.channels_last)
    compare("convolution of each channel", ours("convolution_depthwise", b, h, w, c, x, own, x.clone()),
            {"cuDNN": lambda: F.conv2d(image, each, padding=1, groups=c)}, 2 * x.nbytes)


def rows():
    for n, long in (256, False), (1024, False), (4096, True), (16384, True), (65536, True), (131072, True), (262144, True):
        m = (1 << 29) // n
        x, y = half(m, n), torch.empty(m, n, device="cuda", dtype=torch.half)
        z, out = x.bfloat16(), torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
        scale, shift = half(n), half(n)
        factor = scale.bfloat16()
        kind, few = "long" if long else "short", slice(0, 64)
        softmax = lambda: torch.softmax(x, 1)
        layernorm = lambda: F.layer_norm(x, (n,), scale, shift)
        rmsnorm = lambda: F.rms_norm(z, (n,), factor, 1e-5)
        for name, run, got, want, peer, tolerance in (
                ("softmax", ours(f"softmax_{kind}", m, n, x, y), y, torch.softmax(x[few].float(), 1), softmax, 1e-6),
                ("layernorm", ours(f"layernorm_{kind}", m, n, 1e-5, x, scale, shift, y), y,
                 F.layer_norm(x[few].float(), (n,), scale.float(), shift.float()), layernorm, 1e-3),
                ("rmsnorm", ours(f"rmsnorm_{kind}", m, n, 1e-5, z, factor, out), out,
                 F.rms_norm(z[few].float(), (n,), factor.float(), 1e-5), rmsnorm, 1e-3)):
            run()
            check(f"{name} {n}", got[few], want, tolerance)
            compare(f"{name} of {n}", run, {"torch": peer, "compiled": compiled(peer)}, 4 * m * n)
    for n in 4096, 131072:
        m = (1 << 28) // n
        x, loss = half(m, n), torch.empty(m, device="cuda")
        target = torch.randint(0, n, (m,), device="cuda")
        run = ours("cross_entropy", m, n, x, target.int(), loss)
        run()
        check("cross entropy", loss, F.cross_entropy(x.float(), target, reduction="none"), 1e-4)
        peer = lambda: F.cross_entropy(x, target, reduction="none")
        compare(f"cross entropy of {n}", run, {"torch": peer, "compiled": compiled(peer)}, 2 * m * n)
    m, n = 1 << 18, 1024
    x, r, q = half(m, n), half(m, n), torch.empty(m, n, device="cuda", dtype=torch.int8)
    step = torch.empty(m, device="cuda")

    def quantized():
        y = F.rms_norm((x + r).float(), (n,))
        s = y.abs().amax(1, keepdim=True) / 127
        return x + r, (y / s).round().to(torch.int8), s

    compare("residual, norm, quantize", ours("residual_norm_quantize", m, n, 1e-5, x, r, q, step),
            {"torch": quantized, "compiled": compiled(quantized)}, 7 * m * n)
    x = torch.randn(65536, 4096, device="cuda")
    at, sums = torch.empty(65536, device="cuda", dtype=torch.int32), torch.empty_like(x)
    run = ours("argmax", 65536, 4096, x, at)
    run()
    check("argmax", at, torch.argmax(x, 1), 0)
    compare("argmax", run, {"torch": lambda: torch.argmax(x, 1)}, x.nbytes)
    compare("scan", ours("scan", 65536, 4096, x, sums), {"torch": lambda: torch.cumsum(x, 1)}, 2 * x.nbytes)


def streams():
    n = 1 << 26
    p, g, m, v = (torch.rand(n, device="cuda") for _ in range(4))
    state = torch.ones((), device="cuda")

    def adamw():
        torch._fused_adamw_([p], [g], [m], [v], [], [state], lr=1e-3, beta1=0.9, beta2=0.99, weight_decay=0.01,
                            eps=1e-8, amsgrad=False, maximize=False)

    compare("AdamW", ours("adamw", n, 1e-3, 0.9, 0.99, 0.01, 1e-8, 10.0, 100.0, p, g, m, v), {"torch": adamw}, 28 * n)
    for rows_, columns in (16384, 8192), (4096, 4096):
        a, x = half(rows_, columns), half(columns)
        y = torch.empty(rows_, device="cuda", dtype=torch.half)
        compare(f"matrix x vector {rows_} x {columns}", ours("matrix_vector", rows_, columns, a, x, y),
                {"cuBLAS": lambda: torch.mv(a, x)}, a.nbytes)
    a, b = half(16384, 16384), half(16384, 16384)
    run = ours("transpose", 16384, 16384, a, b)
    run()
    check("transpose", b, a.T, 0)
    compare("transpose", run, {"torch": lambda: b.copy_(a.T)}, 2 * a.nbytes)
    x, cosine, sine = half(8192, 32, 128), torch.rand(8192, 64, device="cuda"), torch.rand(8192, 64, device="cuda")

    def rope():
        low, high = x[..., :64].float(), x[..., 64:].float()
        c, s = cosine[:, None], sine[:, None]
        return torch.cat((low * c - high * s, high * c + low * s), 2).half()

    compare("rope", ours("rope", 8192, 32, x, cosine, sine, torch.empty_like(x)),
            {"torch": rope, "compiled": compiled(rope)}, 2 * x.nbytes)
    data = torch.randint(0, 256, (1 << 26,), device="cuda", dtype=torch.uint8)
    counts = torch.zeros(256, device="cuda", dtype=torch.int32)
    compare("histogram", ours("histogram", 1 << 26, data, counts),
            {"torch": lambda: torch.bincount(data, minlength=256)}, data.nbytes)
    table, index = half(65536, 1024), torch.randint(0, 65536, (1 << 17,), device="cuda")
    y, gradient = half(1 << 17, 1024), torch.randn(1 << 17, 1024, device="cuda")
    sums = torch.zeros(65536, 1024, device="cuda")
    compare("embedding", ours("embedding", 1 << 17, 65536, 1024, table, index.int(), y),
            {"torch": lambda: F.embedding(index, table)}, 2 * y.nbytes)
    compare("embedding's gradient", ours("embedding_gradient", 1 << 17, 65536, 1024, gradient, index.int(), sums),
            {"torch": lambda: sums.index_add_(0, index, gradient)})


def attention():
    heads, length = 128, 4096
    q, k, v = (half(heads, length, 64) for _ in range(3))
    o = torch.empty_like(q)
    run = ours("attention_64", heads, length, 0.125, q, k, v, o)
    run()
    four = [x.view(4, 32, length, 64) for x in (q, k, v)]
    check("attention", o[:2], torch.softmax(q[:2].float() @ k[:2].float().transpose(1, 2) / 8, 2) @ v[:2].float(), 2e-3)
    compare("attention, lines of 64", run, {"torch": lambda: F.scaled_dot_product_attention(*four)},
            operations=4 * heads * length**2 * 64)
    state = half(heads, 64, 64)
    compare("linear attention", ours("linear_attention", heads, length, q, k, v, state, o),
            {"torch": lambda: q @ (k.transpose(1, 2) @ v)}, 4 * q.nbytes)
    x, c, found = half(262144, 128), half(4096, 128), torch.empty(262144, device="cuda", dtype=torch.int32)
    norms = c.float().square().sum(1) / 2
    compare("nearest", ours("nearest", 262144, 4096, 128, x, c, norms, found),
            {"torch": lambda: (x @ c.T - norms.half()).argmax(1)}, operations=2 * 262144 * 4096 * 128)


RATE, LAUNCH = rate_of_products(), time_of_launch()
parts = {part.__name__: part for part in (products, convolutions, rows, streams, attention)}
for name in sys.argv[2:] or parts:
    parts[name]()
mean = math.exp(sum(math.log(x) for x in ratios.values()) / len(ratios))
least = min(ratios, key=ratios.get)
print(f"{len(ratios)} kernels: geometric mean {mean:.3f} of the best peer; least {ratios[least]:.3f}, {least}")
sys.exit(not good)
