# SPDX-License-Identifier: GPL-3.0-or-later
"""gpus.py times|cycles LIBRARY...: products and attention of the libraries that bench/gpus/gpus builds, beside cuBLAS,
FlashAttention-2 and cuDNN in PyTorch. Operands of products are -1, 0 and 1, so that every sum is exact."""
import ctypes
import math
import os
import sys

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

CYCLES = sys.argv[1] == "cycles"
ROUNDS = 7
profiler = torch.cuda.cudart()


def pointers(*tensors):
    return [ctypes.c_void_p(x.data_ptr()) for x in tensors]


def run(label, launch, operations):
    launch()
    torch.cuda.synchronize()
    if CYCLES:
        print(label, flush=True)
        profiler.cudaProfilerStart()
        launch()
        torch.cuda.synchronize()
        profiler.cudaProfilerStop()
        return
    times = []
    for _ in range(ROUNDS):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        launch()
        launch()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) / 2)
    time = sorted(times)[ROUNDS // 2]
    print(f"{label:40s} {time:8.3f} ms {operations / time / 1e9:7.1f} TFLOPS", flush=True)


def products(libraries, n=8192):
    a, b = (torch.randint(-1, 2, (n, n), device="cuda").half() for _ in range(2))
    c = torch.empty_like(a)
    want = torch.mm(a, b.t())
    run("cuBLAS", lambda: torch.mm(a, b.t(), out=c), 2 * n**3)
    for name, library in libraries:
        library.gemm.argtypes = [ctypes.c_int] * 3 + [ctypes.c_void_p] * 3
        launch = lambda: library.gemm(n, n, n, *pointers(a, b, c))
        wrong = 0
        for _ in range(8):
            c.zero_()
            launch()
            torch.cuda.synchronize()
            wrong += (c != want).sum().item()
        run(name + (f" WRONG {wrong}" if wrong else ""), launch, 2 * n**3)


def attention(libraries, heads=32, length=8192, head=128):
    q, k, v = (torch.randn(heads, length, head, device="cuda").half() for _ in range(3))
    o = torch.empty_like(q)
    scale = ctypes.c_float(1 / math.sqrt(head))
    for causal in (0, 1):
        operations = 4 * heads * length * length * head / (1 + causal)
        for name, backend in (("FlashAttention-2", SDPBackend.FLASH_ATTENTION), ("cuDNN", SDPBackend.CUDNN_ATTENTION)):

            def peer():
                with sdpa_kernel(backend):
                    return torch.nn.functional.scaled_dot_product_attention(
                        q[None], k[None], v[None], is_causal=bool(causal)
                    )

            want = peer()[0]
            run(f"{name} causal {causal}", peer, operations)
        for name, library in libraries:
            library.attention.argtypes = [ctypes.c_int] * 3 + [ctypes.c_float] + [ctypes.c_void_p] * 4
            launch = lambda: library.attention(heads, length, causal, scale, *pointers(q, k, v, o))
            o.zero_()
            launch()
            torch.cuda.synchronize()
            good = (o.float() - want.float()).abs().max().item() < 0.01
            run(f"{name} causal {causal}" + ("" if good else " WRONG"), launch, operations)


loaded = [(os.path.basename(x)[:-3], ctypes.CDLL(os.path.abspath(x))) for x in sorted(sys.argv[2:]) if "libwsrt" not in x]
products([x for x in loaded if "gemm" in x[0]])
attention([x for x in loaded if "attention" in x[0]])
