# SPDX-License-Identifier: GPL-3.0-or-later
"""roles.py LIBRARY [WORK...]: what roles that prepare an operand cost, and loops that a product shares with what is
computed from it: samples/ and kernels.c beside our other products and PyTorch (bench/run roles).

A line for each: the time of ours, its rate, and of each peer its time and the peer's time over ours (above 1: ours is
faster) with the interval that holds 95% of its resamplings. Medians of 15 rounds in turn; launches are captured in
graphs. Where M is small weights are cold: calls take turns among copies that the L2 cache does not hold. Each result is
checked before.
"""
import ctypes
import itertools
import sys

import torch

from rounds import in_turns, interval, recorded

ROUNDS = 15
COLD = 256 << 20  # bytes of copies that calls take turns among
library = ctypes.CDLL(sys.argv[1])
F = torch.nn.functional
half, wide, small = torch.float16, torch.float32, torch.int8
good = True


def argument(x):
    if torch.is_tensor(x):
        return ctypes.c_void_p(x.data_ptr())
    return ctypes.c_float(x) if isinstance(x, float) else ctypes.c_long(x)


def ours(name, *arguments):
    function, values = getattr(library, name), [argument(x) for x in arguments]
    return lambda _arrays=arguments: function(*values)  # which live as long as this


def normal(*shape, scale=1.0, kind=half):
    return (torch.randn(*shape, device="cuda") * scale).to(kind)


def in_turn(runs):
    turns = itertools.cycle(runs)
    return lambda: next(turns)()


def check(work, got, want, tolerance):
    """One rounding to the type of the result, and the tolerance."""
    global good
    got, want = got.double(), want.double()
    error = ((got - want).abs() - 2**-10 * want.abs()).max().item()
    if not error <= tolerance:
        print(f"{work}: off by {error:.3g}, {tolerance:.3g} is allowed  WRONG")
        good = False


def compare(work, run, operations, peers):
    """peers: by name. The unit of operations is a TFLOP, of bytes, negative, a TB."""
    runs = {"": run, **peers}
    repeats = 1
    for one in runs.values():
        one()
    torch.cuda.synchronize()
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    run()
    end.record()
    torch.cuda.synchronize()
    repeats = max(1, int(4 / begin.elapsed_time(end)))
    graphs = {name: recorded(library, one, repeats) for name, one in runs.items()}
    times = in_turns(graphs, ROUNDS, repeats)
    middle = {name: sorted(times[name])[ROUNDS // 2] for name in times}
    rate = f"{operations / middle[''] * 1e-9:6.1f} TFLOP/s" if operations > 0 else ""
    print(f"{work:38s} {middle[''] * 1e3:9.1f} us {rate}", flush=True)
    for name in peers:
        ratio = interval([y / x for x, y in zip(times[""], times[name])])
        print(f"    {name:34s} {middle[name] * 1e3:9.1f} us  {ratio[0]:.3f} [{ratio[1]:.3f} {ratio[2]:.3f}]")


def product(a, w, s):
    return (a.double() @ w.double().T * s).to(wide)


def w8a16(m, n, k):
    a, w, s = normal(m, k), torch.randint(-128, 128, (n, k), device="cuda", dtype=small), torch.rand(n, device="cuda")
    c, wh, work = normal(m, n), normal(n, k), f"{m} x {n} x {k}"
    for name in "gemm_w8a16", "gemm_w8a16_left":
        run = ours(name, m, n, k, a, w, s * 0.01, c)
        c.zero_()
        run()
        check(name, c[:512], product(a[:512], w, s * 0.01), 0.01)
        compare(f"{name} {work}", run, 2 * m * n * k,
                {"f16, 256 x 128": ours("product_256x128", m, n, k, a, wh, c),
                 "f16, 128 x 256": ours("product_128x256", m, n, k, a, wh, c),
                 "PyTorch f16": lambda: torch.mm(a, wh.T, out=c)})


def few_w8a16(name, m, n=4096, k=4096):
    a, s, c, work = normal(m, k), torch.rand(n, device="cuda") * 0.01, normal(m, n), f"{name}: {m} x {n} x {k}"
    w = [torch.randint(-128, 128, (n, k), device="cuda", dtype=small) for _ in range(COLD // (n * k))]
    wh = [normal(n, k) for _ in range(COLD // (2 * n * k))]
    runs = [ours(name, m, n, k, a, x, s, c) for x in w]
    runs[0]()
    check(work, c, product(a, w[0], s), 0.01)
    compare(work, in_turn(runs), 2 * m * n * k,
            {"PyTorch f16": in_turn([lambda x=x: torch.mm(a, x.T, out=c) for x in wh])})


def unpacked(w, s, n, k):
    """As samples/gemm_w4a16.c has it."""
    both = w.view(n, k // 128, 64).int()
    halves = torch.stack([both % 16 - 8, both // 16 - 8], 2).view(n, k // 128, 128).double()
    return (halves * s.T.double().unsqueeze(2)).view(n, k)


def w4a16(names, m, n=4096, k=4096, copies=1):
    a, s, c = normal(m, k), torch.rand(k // 128, n, device="cuda"), normal(m, n)
    w = [torch.randint(0, 256, (n, k // 2), device="cuda", dtype=torch.uint8) for _ in range(copies)]
    wh = [normal(n, k) for _ in range(min(copies, COLD // (2 * n * k)))]
    want = a[:512].double() @ unpacked(w[0], s, n, k).T
    for name in names:
        work = f"{name}: {m} x {n} x {k}"
        runs = [ours(name, m, n, k, a, x, s, c) for x in w]
        runs[0]()
        check(work, c[:512], want, 0.5)
        peers = {"PyTorch f16": in_turn([lambda x=x: torch.mm(a, x.T, out=c) for x in wh])}
        if m > 1000:
            peers["f16, 128 x 256"] = ours("product_128x256", m, n, k, a, wh[0], c)
        else:
            from_, to = torch.empty(COLD // 4, device="cuda"), torch.empty(n * k // 16, device="cuda")
            turns = itertools.cycle(range(COLD // 4 // (n * k // 16)))
            peers["copy of so many bytes"] = lambda: to.copy_(from_[(i := next(turns)) * to.numel():][:to.numel()])
        compare(work, in_turn(runs), 2 * m * n * k, peers)


def scaled_fp8(m=8192, n=8192, k=8192):
    kind = torch.float8_e4m3fn
    a, b = normal(m, k, kind=kind), normal(n, k, kind=kind)
    sa, sb = torch.rand(k // 128, m, device="cuda"), torch.rand(k // 128, n // 128, device="cuda")
    c = normal(m, n, kind=torch.bfloat16)
    few = slice(0, 256)
    parts = torch.einsum("msk,nsk->smn", a[few].float().view(256, -1, 128), b.float().view(n, -1, 128))
    want = (parts * sa[:, few].unsqueeze(2) * sb.repeat_interleave(128, 1).unsqueeze(1)).sum(0)
    for name in "gemm_scaled_fp8", "gemm_scaled_fp8_tasks":
        run = ours(name, m, n, k, a, b, sa, sb, c)
        run()
        check(name, c[few], want, 0.5 + 2**-7 * want.abs().max().item())
        compare(f"{name} {m}", run, 2 * m * n * k, {"ours, no scales": ours("product_e4m3", m, n, k, a, b, c)})


def nearest(n=262144, m=4096, d=128):
    x, centres, y = normal(n, d), normal(m, d), torch.empty(n, device="cuda", dtype=torch.int32)
    squares = centres.float().square().sum(1) / 2
    run = ours("nearest", n, m, x, centres, squares, y)
    run()
    near = x[:4096].double() @ centres.double().T - squares.double()
    check("nearest", near.gather(1, y[:4096].long().unsqueeze(1)), near.max(1, keepdim=True).values, 1e-3)
    compare(f"nearest {n} x {m} x {d}", run, 2 * n * m * d,
            {"PyTorch": lambda: (torch.mm(x, centres.T).float() - squares).argmax(1)})


def cross_entropy(n=8192, d=4096, words=128256):
    x, v, loss = normal(n, d, scale=0.25), normal(words, d, scale=0.125), torch.empty(n, device="cuda")
    target = torch.randint(0, words, (n,), device="cuda")
    run = ours("cross_entropy", n, words, d, x, v, target.int(), torch.empty(9 * n, device="cuda"), loss)
    run()
    peer = lambda: F.cross_entropy(torch.mm(x, v.T).float(), target, reduction="none")
    less = lambda: F.cross_entropy(torch.mm(x, v.T), target, reduction="none")
    few = slice(0, 512)
    check("cross_entropy", loss[few], F.cross_entropy(x[few].float() @ v.float().T, target[few], reduction="none"), 0.02)
    compare(f"cross_entropy {n} x {d} x {words}", run, 2 * n * d * words, {"PyTorch": peer, "PyTorch, loss of f16": less})


def pairs(i, wide_, narrow):
    return min(i + 1, wide_) * min(i + 1, narrow)


def simplicial(groups=4, length=4096, wide_=1024, narrow=32, heads=128, d=128):
    q, o = (normal(groups, length, heads, d, kind=torch.bfloat16) for _ in range(2))
    k, v, k2, v2 = (normal(groups, length, d, kind=torch.bfloat16) for _ in range(4))
    operations = 4 * groups * heads * d * sum(pairs(i, wide_, narrow) for i in range(length))
    i, g = length - 1, groups - 1
    near, far = slice(i + 1 - narrow, length), slice(i + 1 - wide_, length)
    keys = torch.einsum("nd,jd->njd", k2[g, near].double(), k[g, far].double()).view(-1, d)
    values = torch.einsum("nd,jd->njd", v2[g, near].double(), v[g, far].double()).view(-1, d)
    want = torch.softmax(q[g, i].double() @ keys.T / d**0.5, 1) @ values
    for name in "simplicial_plain", "simplicial_tasks":
        run = ours(name, groups, length, wide_, narrow, d**-0.5, q, k, v, k2, v2, o)
        run()
        check(name, o[g, i], want, 0.001)
        compare(f"{name} L = {length}, {wide_} x {narrow}", run, operations, {})


def attention(heads=128, length=4096, d=64):
    q, k, v, o = (normal(1, heads, length, d) for _ in range(4))
    want = F.scaled_dot_product_attention(q[:, :2], k[:, :2], v[:, :2])
    for name in "attention_plain", "attention_tasks":
        run = ours(name, heads, length, d**-0.5, q, k, v, o)
        run()
        check(name, o[:, :2], want, 0.01)
        compare(f"{name} {length}, head {d}", run, 4 * heads * length * length * d,
                {"PyTorch": lambda: F.scaled_dot_product_attention(q, k, v)})


WORKS = {
    "w8a16": lambda: (w8a16(4096, 4096, 4096), w8a16(8192, 8192, 8192)),
    "few": lambda: (few_w8a16("w8a16_64", 64), few_w8a16("w8a16_256", 256)),
    "w4a16": lambda: w4a16(["gemm_w4a16", "gemm_w4a16_tasks"], 4096),
    "w4few": lambda: (w4a16(["w4a16_16"], 16, copies=32), w4a16(["w4a16_64"], 64, copies=32),
                      w4a16(["w4a16_256"], 256, copies=32)),
    "fp8": scaled_fp8,
    "nearest": nearest,
    "cross_entropy": cross_entropy,
    "simplicial": simplicial,
    "attention": attention,
}

print(torch.cuda.get_device_name(), flush=True)
for word in sys.argv[2:] or WORKS:
    WORKS[word]()
    torch.cuda.empty_cache()
sys.exit(not good)
