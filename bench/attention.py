# SPDX-License-Identifier: GPL-3.0-or-later
"""attention.py - the attention of samples/ beside cuDNN's and PyTorch's own, in the same run.

attention.py [rounds=15] [head=128,bf16,fp8,backward,64,256,96,192] [length=1024,...] [json=FILE]: batch 4, 4096 / head heads,
full and causal; f16, but for `bf16` and `fp8` (e4m3, full), which are heads of 128; forward, but for `backward`, which is the
gradients of heads of 128.  Beside fp8 the peers have f16, of the same numbers: none here takes e4m3.
FlashAttention-3 runs beside them where Python finds its module `flash_attn_interface`.
Rounds alternate; printed are TFLOP/s (causal: of the half that counts), the median of the rounds' ratios to cuDNN with the 95%
interval of its resamplings, and the error against float64 as a share of the largest value.
"""
import ctypes
import math
import os
import sys

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from rounds import in_turns, interval, options, recorded, report

try:
    import flash_attn_interface as flash_3
except ImportError:
    flash_3 = None

BATCH = 4
LENGTHS = [1024, 2048, 4096, 8192, 16384]
PEERS = {"cuDNN": SDPBackend.CUDNN_ATTENTION, "PyTorch flash": SDPBackend.FLASH_ATTENTION}

# TFLOP/s that FlashAttention-3 reached on an H200 with CUDA 13.0 in a run of its own, by row and `causal`, for LENGTHS, to be
# printed where it is not installed.  What another run reached tells less than it seems: clocks follow what runs between.
FLASH_3 = {("128", 0): [546, 600, 637, 657, 667], ("128", 1): [416, 516, 573, 614, 630],
           ("fp8", 0): [720, 774, 867, 914, 926], ("bf16", 0): [560, 623, 652, 684, 679], ("bf16", 1): [433, 538, 598, 638, 639],
           ("backward", 0): [441, 511, 544, 582, 581], ("backward", 1): [335, 431, 511, 556, 565]}


def reference(q, k, v, causal):
    scores = q.double() @ k.double().T / math.sqrt(q.shape[-1])
    if causal:
        scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), -math.inf)
    return torch.softmax(scores, -1) @ v.double()


def compiled(name, causal, tensors, results, scales=None):
    """A call of ours; it keeps the tensors, of which it passes addresses only, and reports what ours complains about."""
    heads, length, head = tensors[0].shape[0] * tensors[0].shape[1], *tensors[0].shape[2:]
    run, message = getattr(library, name), library.ws_error_message
    message.restype = ctypes.c_char_p

    def call():
        flags = [] if causal is None else [ctypes.c_int(causal)]
        given = [*tensors, *results] if scales is None else [scales, *tensors, *results]
        run(ctypes.c_int(heads), ctypes.c_int(length), *flags, ctypes.c_float(1 / math.sqrt(head)),
            *(ctypes.c_void_p(t.data_ptr()) for t in given))
        text = message()
        if library.ws_last_error():
            raise RuntimeError(text.decode())
        return results

    return call


def peer(backend, causal, q, k, v):
    def call():
        with sdpa_kernel(backend):
            return [torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=bool(causal))]

    return call


def flash_3_forward(causal, q, k, v):
    """FlashAttention-3's own call; its tensors are (batch, length, head, ...)."""
    turned = [t.transpose(1, 2) for t in (q, k, v)]

    def call():
        got = flash_3.flash_attn_func(*turned, causal=bool(causal))
        return [(got[0] if isinstance(got, tuple) else got).transpose(1, 2)]

    return call


def flash_3_backward(causal, q, k, v, o, grad, rows):
    turned = [t.transpose(1, 2) for t in (grad, q, k, v, o)]
    results = [torch.empty_like(q) for _ in range(3)]
    dq, dk, dv = (t.transpose(1, 2) for t in results)

    def call():
        flash_3._flash_attn_backward(*turned, rows, dq=dq, dk=dk, dv=dv, softmax_scale=1 / math.sqrt(q.shape[-1]),
                                     is_causal=bool(causal))
        return results

    return call


def peers(causal, tensors, given):
    """All of them on these tensors, but for FlashAttention-3, which takes what ours is given."""
    calls = {name: peer(backend, causal, *tensors) for name, backend in PEERS.items()}
    if flash_3:
        calls["FlashAttention-3"] = flash_3_forward(causal, *given)
    return calls


def forward_work(row, length, causal):
    """What is computed, the calls, what of their results is looked at, and what that should be."""
    head, dtype = (128, torch.bfloat16) if row == "bf16" else (int(row), torch.float16)
    heads = 4096 // head
    q, k, v = (torch.randn(BATCH, heads, length, head, device="cuda", dtype=dtype) for _ in range(3))
    calls = peers(causal, (q, k, v), (q, k, v))
    calls["WSC"] = compiled(f"attention_{row}", causal, (q, k, v), [torch.empty_like(q)])
    want = reference(q[1, 3], k[1, 3], v[1, 3], causal)
    return 4 * BATCH * heads * length * length * head, calls, lambda o: [o[0][1, 3]], [want]


def fp8_work(_, length, causal):
    """The same in e4m3, with scales of 1; the result is f16."""
    head, heads = 128, 32
    bytes8 = [torch.randn(BATCH, heads, length, head, device="cuda").to(torch.float8_e4m3fn) for _ in range(3)]
    q, k, v = (t.to(torch.float16) for t in bytes8)
    scales = torch.ones(3, device="cuda")
    calls = peers(causal, (q, k, v), bytes8)
    calls["WSC"] = compiled("attention_fp8", None, bytes8, [torch.empty_like(q)], scales)
    want = reference(q[1, 3], k[1, 3], v[1, 3], causal)
    return 4 * BATCH * heads * length * length * head, calls, lambda o: [o[0][1, 3]], [want]


def backward_work(_, length, causal):
    """The same for the gradients of heads of 128; cuDNN's call is what PyTorch's autograd makes."""
    head, heads = 128, 32
    q, k, v, grad = (torch.randn(BATCH, heads, length, head, device="cuda", dtype=torch.float16) for _ in range(4))
    o, lse, *state = torch.ops.aten._scaled_dot_product_cudnn_attention(q, k, v, None, True, 0.0, bool(causal), False)
    rows, flat = lse.reshape(BATCH, heads, length).contiguous(), o.contiguous()
    room = torch.empty(BATCH * heads * length * (head + 2), device="cuda")
    ours = compiled("attention_bwd", causal, (q, k, v, flat, grad, rows, room), [torch.empty_like(q) for _ in range(3)])

    def cudnn():
        return torch.ops.aten._scaled_dot_product_cudnn_attention_backward(
            grad, q, k, v, o, lse, state[4], state[5], None, *state[:4], 0.0, bool(causal))

    inputs = [t[1, 3].double().requires_grad_() for t in (q, k, v)]
    reference(*inputs, causal).backward(grad[1, 3].double())
    calls = {"cuDNN": cudnn, "WSC": ours}
    if flash_3:
        calls["FlashAttention-3"] = flash_3_backward(causal, q, k, v, flat, grad, rows)
    return (10 * BATCH * heads * length * length * head, calls,
            lambda gradients: [t[1, 3] for t in gradients[:3]], [t.grad for t in inputs])


def compare(row, length, causal, rounds, out):
    torch.manual_seed(1)
    make = {"backward": backward_work, "fp8": fp8_work}.get(row, forward_work)
    work, calls, part, want = make(row, length, causal)
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
    kind = {"bf16": "bf16", "fp8": "e4m3"}.get(row, "f16")
    title = "backward" if row == "backward" else f"head {row if row.isdigit() else 128}"
    title += f" L {length}" + (" causal" if causal else "")
    entry = {"suite": "attention", "row": title, "type": kind, "candidate": "", "form": "", "us": "", "tflops": "",
             "ratio": "", "low": "", "high": "", "error": ""}
    line = f"{kind} {title}".ljust(30)
    for name, ms in times.items():
        middle, low, high = interval([a / b for a, b in zip(times.get("cuDNN", ms), ms)])
        tera = work / interval(ms)[0] * 1e-9
        line += f" | {name} {tera:4.0f} {middle:.3f} [{low:.3f} {high:.3f}] error {errors[name]:.0e}"
        out.append({**entry, "candidate": name, "us": interval(ms)[0] * 1e3, "tflops": round(tera, 1),
                    "ratio": round(middle, 4), "low": round(low, 4), "high": round(high, 4), "error": errors[name]})
    if "WSC" in times and "FlashAttention-3" in times:
        middle, low, high = interval([a / b for a, b in zip(times["FlashAttention-3"], times["WSC"])])
        line += f" | WSC of FlashAttention-3 {middle:.3f} [{low:.3f} {high:.3f}]"
        ours = next(row for row in reversed(out) if row["candidate"] == "WSC")
        ours |= {"of_flash_3": round(middle, 4), "of_flash_3_low": round(low, 4), "of_flash_3_high": round(high, 4)}
    elif length in LENGTHS and (row, causal) in FLASH_3:
        then = FLASH_3[row, causal][LENGTHS.index(length)]
        line += f" | FlashAttention-3, another run {then}"
        out.append({**entry, "candidate": "FlashAttention-3, another run", "tflops": then})
    print(line, flush=True)
    return not errors.get("WSC", 1) < {"e4m3": 6e-2, "bf16": 3e-2, "f16": 4e-3}[kind]


def main():
    global library
    given = options()
    library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "libattention.so"))
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}")
    rounds = int(given.get("rounds", "15"))
    lengths = [int(x) for x in given["length"].split(",")] if "length" in given else LENGTHS
    about = {"device": torch.cuda.get_device_name(), "pytorch": torch.__version__,
             "cudnn": torch.backends.cudnn.version(), "rounds": rounds}
    work = [(row, length, causal) for row in given.get("head", "128,bf16,fp8,backward,64,256,96,192").split(",")
            for causal in ((0,) if row == "fp8" else (0, 1)) for length in lengths]
    return report(given.get("json"), about, [lambda out, one=one: compare(*one, rounds, out) for one in work])


if __name__ == "__main__":
    sys.exit(main())
