# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages of wscc --ws-python with arrays of a GPU; tests/gpu/python runs it."""
import sys
import time

import numpy as np

count = failed = 0


def case(name, needs=()):
    """Runs the function that follows; one that needs a package which is not here is skipped."""
    def run(function):
        global count, failed
        count += 1
        for package in needs:
            try:
                __import__(package)
            except ImportError:
                print("ok %d - %s # SKIP no %s" % (count, name, package))
                return
        try:
            said = function()
            print("ok %d - %s%s" % (count, name, " # " + said if said else ""))
        except Exception as mistake:
            failed += 1
            print("not ok %d - %s\n# %s: %s" % (count, name, type(mistake).__name__, mistake))
        sys.stdout.flush()
    return run


def refused(kind, words, call, *given, **named):
    try:
        call(*given, **named)
    except kind as mistake:
        assert words in str(mistake), str(mistake)
        return mistake
    raise AssertionError("it was not refused: " + words)


import gemm
import rows


@case("tensors of PyTorch", ["torch"])
def _():
    import torch
    a, b = torch.randn(300, 192, device="cuda").half(), torch.randn(264, 192, device="cuda").half()
    c = torch.empty(300, 264, device="cuda", dtype=torch.float16)
    gemm.gemm(a, b, c)
    error = (c.float() - a.float() @ b.float().T).abs().max().item()
    assert error < 0.1, error
    x, y = torch.randn(40, 160, device="cuda"), torch.empty(40, 50, device="cuda")
    rows.scale(x[:, :50], y, factor=2)
    assert torch.equal(y, 2 * x[:, :50])


def late(wait, fill, launch):
    """Work of its own stream, which takes a while, fills x; the call behind it must see that, and not wait itself:
    the caller finds the stream still busy."""
    begin = time.perf_counter()
    wait()
    fill()
    launch()
    took = time.perf_counter() - begin
    return "%.2f ms until the call was back" % (1e3 * took)


@case("PyTorch's current stream, and no waiting", ["torch"])
def _():
    import torch
    x, y = torch.zeros(4096, 160, device="cuda"), torch.zeros(4096, 160, device="cuda")
    rows.scale(x, y, factor=3)
    torch.cuda._sleep(1000)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        said = late(lambda: torch.cuda._sleep(200_000_000), lambda: x.fill_(5), lambda: rows.scale(x, y, factor=3))
    assert not stream.query(), "the call waited: the stream was empty before it was back"
    stream.synchronize()
    assert (y == 15).all()
    return said


@case("stream=, a number", ["torch"])
def _():
    import torch
    x, y = torch.zeros(4096, 160, device="cuda"), torch.zeros(4096, 160, device="cuda")
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(100_000_000)
        x.fill_(7)
    rows.scale(x, y, factor=2, stream=stream.cuda_stream)
    stream.synchronize()
    assert (y == 14).all()


@case("arrays of CuPy, on CuPy's current stream", ["cupy", "torch"])
def _():
    import cupy
    import torch
    x, y = cupy.zeros((4096, 160), cupy.float32), cupy.zeros((4096, 160), cupy.float32)
    rows.scale(x[:, :96], y.reshape(-1)[:4096 * 96].reshape(4096, 96), factor=3)
    torch.cuda.synchronize()
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        with torch.cuda.stream(torch.cuda.ExternalStream(stream.ptr)):
            torch.cuda._sleep(100_000_000)
        x.fill(5)
        rows.scale(x, y, factor=3)
    stream.synchronize()
    assert (y == 15).all()
    a, b = cupy.random.rand(128, 64).astype(cupy.float16), cupy.random.rand(96, 64).astype(cupy.float16)
    c = cupy.empty((128, 96), cupy.float16)
    gemm.gemm(a, b, c)
    assert abs(c.astype(cupy.float32) - a.astype(cupy.float32) @ b.astype(cupy.float32).T).max() < 0.1


@case("what has __cuda_array_interface__ alone", ["torch"])
def _():
    import torch
    class Array:
        def __init__(self, tensor):
            self.kept, self.__cuda_array_interface__ = tensor, tensor.__cuda_array_interface__
    x, y = torch.rand(33, 64, device="cuda"), torch.empty(33, 64, device="cuda")
    rows.scale(Array(x), Array(y), factor=2)
    assert torch.equal(y, 2 * x)


@case("arrays of JAX are read", ["jax", "torch"])
def _():
    import jax
    import jax.numpy as jnp
    import torch
    if jax.default_backend() != "gpu":
        x, y = jnp.ones((33, 64), jnp.float32), np.empty((33, 64), np.float32)
        rows.scale(x, y, factor=2)
        assert (y == 2).all()
        return "on the CPU: this JAX has no GPU"
    x, y = jnp.ones((33, 64), jnp.float32), torch.empty(33, 64, device="cuda")
    rows.scale(x, y, factor=2)
    assert (y == 2).all()
    refused(ValueError, "read-only", rows.scale, x, x, factor=2)


@case("memory of the host is staged")
def _():
    a, b, c = np.ones((40, 64), np.float16), np.ones((48, 64), np.float16), np.empty((40, 48), np.float16)
    gemm.gemm(a, b, c)
    assert (c == 64).all()


@case("mistakes name the argument", ["torch"])
def _():
    import torch
    a, b = torch.rand(40, 64, device="cuda").half(), torch.rand(48, 64, device="cuda").half()
    c = torch.empty(40, 48, device="cuda", dtype=torch.float16)
    refused(ValueError, "'C': its shape is (48, 40)", gemm.gemm, a, b, c.T.contiguous())
    refused(TypeError, "'B': its type is f32, not f16", gemm.gemm, a, b.float(), c)
    refused(ValueError, "strides", gemm.gemm, a.T.contiguous().T, b, c)
    both = torch.zeros(256, device="cuda")
    mistake = refused(rows.Error, "", rows.shift, both[:128], both[64:192])
    assert mistake.code == "WS_ERR_OVERLAP", mistake.code
    gemm.gemm(a, b, c)  # nothing is left of it
    torch.cuda.synchronize()


@case("PYTHON.md: autograd", ["torch"])
def _():
    import torch
    from page3 import MatmulNT
    a, b = (torch.rand(n, 64, device="cuda").half().requires_grad_() for n in (40, 48))
    MatmulNT.apply(a, b).sum().backward()
    assert (a.grad.float() - b.detach().float().sum(0)).abs().max() < 0.1 and b.grad.shape == b.shape


@case("PYTHON.md: torch.compile", ["torch"])
def _():
    import torch
    from page2 import layer
    a, b = (torch.randn(n, 64, device="cuda").half() for n in (40, 48))
    assert (layer(a, b).float() - torch.relu(a.float() @ b.float().T)).abs().max() < 0.1


@case("in a CUDA graph of PyTorch", ["torch"])
def _():
    import torch
    x, y = torch.zeros(64, 64, device="cuda"), torch.zeros(64, 64, device="cuda")
    rows.scale(x, y, factor=3)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        rows.scale(x, y, factor=3)
    x.fill_(2)
    graph.replay()
    torch.cuda.synchronize()
    assert (y == 6).all()


@case("what a call costs", ["torch"])
def _():
    import torch
    x, y = torch.zeros(64, 64, device="cuda"), torch.zeros(64, 64, device="cuda")
    for _ in range(100):
        rows.scale(x, y, factor=3)
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(1000):
        rows.scale(x, y, factor=3)
    took = time.perf_counter() - begin
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(1000):
        torch.mul(x, 3, out=y)
    other = time.perf_counter() - begin
    return "%.1f us, and torch.mul %.1f us" % (1e3 * took, 1e3 * other)


print("1..%d" % count)
sys.exit(failed != 0)
