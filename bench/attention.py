# SPDX-License-Identifier: GPL-3.0-or-later
"""attention.py - the attention of samples/ beside cuDNN's and PyTorch's own, in the same run.

attention.py [rounds=15] [head=64,128,256] [length=1024,...] [json=FILE]: batch 4, 4096 / head heads, f16, forward, full and
causal.  Rounds alternate; printed are TFLOP/s (causal: of the half that counts), the median of the rounds' ratios to cuDNN
with the 95% interval of its resamplings, and the error against float64 as a share of the largest value.
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


def compare(head, length, causal, rounds, out):
    torch.manual_seed(1)
    heads = 4096 // head
    q, k, v = (torch.randn(BATCH, heads, length, head, device="cuda", dtype=torch.float16) for _ in range(3))
    o = torch.empty_like(q)
    work = 4 * BATCH * heads * length * length * head / (2 if causal else 1)
    want = reference(q[1, 3], k[1, 3], v[1, 3], causal)
    calls = {name: peer(backend, causal, q, k, v) for name, backend in PEERS.items()}
    calls["WSC"] = compiled(library, head, causal, q, k, v, o)
    errors, graphs, repeats = {}, {}, max(1, int(3e12 / work))
    for name, call in list(calls.items()):
        try:
            got = call()[1, 3].double()
            graphs[name] = recorded(library, call, repeats)
        except RuntimeError as problem:
            print(f"{name}: {str(problem).splitlines()[0]}", file=sys.stderr)
            continue
        errors[name] = ((got - want).abs().max() / want.abs().max()).item()
    times = in_turns(graphs, rounds, repeats)
    line = f"head {head:3d} L {length:5d} {'causal' if causal else 'full  '}"
    for name, ms in times.items():
        middle, low, high = interval([a / b for a, b in zip(times.get("cuDNN", ms), ms)])
        tera = work / interval(ms)[0] * 1e-9
        line += f" | {name} {tera:4.0f} {middle:.3f} [{low:.3f} {high:.3f}] error {errors[name]:.0e}"
        out.append({"suite": "attention", "row": f"head {head} L {length}" + (" causal" if causal else ""), "type": "f16",
                    "candidate": name, "form": "", "us": interval(ms)[0] * 1e3, "tflops": round(tera, 1),
                    "ratio": round(middle, 4), "low": round(low, 4), "high": round(high, 4), "error": errors[name]})
    print(line, flush=True)
    return not errors.get("WSC", 1) < 4e-3


def main():
    global library
    options = dict(word.split("=", 1) for word in sys.argv[1:])
    library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "libattention.so"))
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}")
    numbers = lambda name, otherwise: [int(x) for x in options.get(name, otherwise).split(",")]
    out, wrong = [{"device": torch.cuda.get_device_name(), "pytorch": torch.__version__,
                   "cudnn": torch.backends.cudnn.version(), "rounds": numbers("rounds", "15")[0]}], False
    for head in numbers("head", "128,64,256"):
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
