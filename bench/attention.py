# SPDX-License-Identifier: GPL-3.0-or-later
"""attention.py - the attention of samples/ beside cuDNN's and PyTorch's own, in the same run.

attention.py [rounds=15] [head=64,128,256,backward] [length=1024,...] [json=FILE]: batch 4, 4096 / head heads, f16, full and
causal, forward or, with heads of 128, backward.  Rounds alternate; printed are TFLOP/s (causal: of the half that counts), the
median of the rounds' ratios to cuDNN with the 95% interval of its resamplings, and the error against float64 as a share of the
largest value.
"""
import ctypes
import json
import math
import os
import sys

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from rounds import in_turns, interval, recorded

BATCH = 4
PEERS = {"cuDNN": SDPBackend.CUDNN_ATTENTION, "PyTorch flash": SDPBackend.FLASH_ATTENTION}


def reference(q, k, v, causal):
    scores = q.double() @ k.double().T / math.sqrt(q.shape[-1])
    if causal:
        scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), -math.inf)
    return torch.softmax(scores, -1) @ v.double()


def compiled(library, head, causal, q, k, v, o):
    run = getattr(library, f"attention_{head}")
    heads, length = q.shape[0] * q.shape[1], q.shape[2]
    arguments = (ctypes.c_int(heads), ctypes.c_int(length), ctypes.c_int(causal), ctypes.c_float(1 / math.sqrt(head)),
                 *(ctypes.c_void_p(t.data_ptr()) for t in (q, k, v, o)))

    def call():
        run(*arguments)
        return o

    return call


def peer(backend, causal, q, k, v):
    def call():
        with sdpa_kernel(backend):
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=bool(causal))

    return call


def forward_work(head, length, causal):
    """What is computed, the calls, what of their results is looked at, and what that should be."""
    heads = 4096 // head
    q, k, v = (torch.randn(BATCH, heads, length, head, device="cuda", dtype=torch.float16) for _ in range(3))
    o = torch.empty_like(q)
    calls = {name: peer(backend, causal, q, k, v) for name, backend in PEERS.items()}
    calls["WSC"] = compiled(library, head, causal, q, k, v, o)
    want = reference(q[1, 3], k[1, 3], v[1, 3], causal)
    return 4 * BATCH * heads * length * length * head, calls, lambda o: [o[1, 3]], [want]


def backward_work(_, length, causal):
    """The same for the gradients of heads of 128; cuDNN's call is what PyTorch's autograd makes."""
    head, heads = 128, 32
    q, k, v, grad = (torch.randn(BATCH, heads, length, head, device="cuda", dtype=torch.float16) for _ in range(4))
    o, lse, *state = torch.ops.aten._scaled_dot_product_cudnn_attention(q, k, v, None, True, 0.0, bool(causal), False)
    rows, flat = lse.reshape(BATCH, heads, length).contiguous(), o.contiguous()
    room = torch.empty(BATCH * heads * length * (head + 2), device="cuda")
    results = [torch.empty_like(q) for _ in range(3)]
    arguments = (ctypes.c_int(BATCH * heads), ctypes.c_int(length), ctypes.c_int(causal),
                 ctypes.c_float(1 / math.sqrt(head)),
                 *(ctypes.c_void_p(t.data_ptr()) for t in (q, k, v, flat, grad, rows, room, *results)))

    def cudnn():
        return torch.ops.aten._scaled_dot_product_cudnn_attention_backward(
            grad, q, k, v, o, lse, state[4], state[5], None, *state[:4], 0.0, bool(causal))

    def ours():
        library.attention_bwd(*arguments)
        return results

    inputs = [t[1, 3].double().requires_grad_() for t in (q, k, v)]
    reference(*inputs, causal).backward(grad[1, 3].double())
    return (10 * BATCH * heads * length * length * head, {"cuDNN": cudnn, "WSC": ours},
            lambda gradients: [t[1, 3] for t in gradients[:3]], [t.grad for t in inputs])


def compare(head, length, causal, rounds, out):
    torch.manual_seed(1)
    make = backward_work if head == "backward" else forward_work
    work, calls, part, want = make(head, length, causal)
    work /= 2 if causal else 1
    errors, graphs, repeats = {}, {}, max(1, int(3e12 / work))
    for name, call in list(calls.items()):
        try:
            got = [t.double() for t in part(call())]
            graphs[name] = recorded(library, call, repeats)
        except RuntimeError as problem:
            print(f"{name}: {str(problem).splitlines()[0]}", file=sys.stderr)
            continue
        errors[name] = max(((g - w).abs().max() / w.abs().max()).item() for g, w in zip(got, want))
    times = in_turns(graphs, rounds, repeats)
    row = (head if head == "backward" else f"head {head}") + f" L {length}" + (" causal" if causal else "")
    line = f"{row:24s}"
    for name, ms in times.items():
        middle, low, high = interval([a / b for a, b in zip(times.get("cuDNN", ms), ms)])
        tera = work / interval(ms)[0] * 1e-9
        line += f" | {name} {tera:4.0f} {middle:.3f} [{low:.3f} {high:.3f}] error {errors[name]:.0e}"
        out.append({"suite": "attention", "row": row, "type": "f16",
                    "candidate": name, "form": "", "us": interval(ms)[0] * 1e3, "tflops": round(tera, 1),
                    "ratio": round(middle, 4), "low": round(low, 4), "high": round(high, 4), "error": errors[name]})
    print(line, flush=True)
    return not errors.get("WSC", 1) < 4e-3


def main():
    global library
    options = dict(word.split("=", 1) for word in sys.argv[1:])
    library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "libattention.so"))
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}")
    number = lambda word: int(word) if word.isdigit() else word
    numbers = lambda name, otherwise: [number(x) for x in options.get(name, otherwise).split(",")]
    out, wrong = [{"device": torch.cuda.get_device_name(), "pytorch": torch.__version__,
                   "cudnn": torch.backends.cudnn.version(), "rounds": numbers("rounds", "15")[0]}], False
    for head in numbers("head", "128,64,256,backward"):
        for causal in (0, 1):
            for length in numbers("length", "1024,2048,4096,8192,16384"):
                wrong |= compare(head, length, causal, numbers("rounds", "15")[0], out)
                torch.cuda.empty_cache()
    if "json" in options:
        with open(options["json"], "w", encoding="ascii") as file:
            file.writelines(json.dumps(row) + "\n" for row in out)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
