# SPDX-License-Identifier: GPL-3.0-or-later
"""peers.py - what devices.c times, by others: NCCL and cuBLAS one after the other, and PyTorch's forms on symmetric
memory.  One process for each GPU, which this file starts itself; no multicast.

    python3 bench/devices/peers.py [N [ag_gemm|gemm_rs|both [MxNxK...]]]"""
import os
import sys
import time

os.environ["NCCL_NVLS_ENABLE"] = "0"
os.environ["TORCH_SYMM_MEM_DISABLE_MULTICAST"] = "1"
import torch
import torch.distributed as dist

TLX = ["8192x2048x16384", "8192x8192x16384", "4096x8192x16384", "16384x4096x8192"]
GATHERED = ["1024x8192x8192", "4096x8192x8192", "8192x8192x8192", "8192x28672x8192", *TLX]
SCATTERED = ["1024x8192x8192", "4096x8192x8192", "8192x8192x8192", "8192x8192x28672", *TLX]


def microseconds(call, repeats):
    torch.cuda.synchronize()
    dist.barrier()
    torch.cuda.synchronize()
    start = time.monotonic()
    for _ in range(repeats):
        call()
    torch.cuda.synchronize()
    taken = torch.tensor([(time.monotonic() - start) / repeats * 1e6], device="cuda")
    dist.all_reduce(taken, dist.ReduceOp.MAX)
    return taken.item()


def flag(here):
    """True if it is true of the first process, which decides for all."""
    word = torch.tensor([here], device="cuda")
    dist.broadcast(word, 0)
    return bool(word.item())


def median(call):
    try:
        microseconds(call, 3)
        repeats = int(40e3 / microseconds(call, 10)) + 1
        start = time.monotonic()
        while flag(time.monotonic() - start < 1):  # until the clock stands
            microseconds(call, repeats)
        samples = sorted(microseconds(call, repeats) for _ in range(9))
        return f"{samples[4]:.1f}"
    except Exception as error:  # a form that this PyTorch has not
        return f"none ({str(error).splitlines()[0][:80]})"


def gathered(rank, n, group, m, k, total):
    import torch.distributed._symmetric_memory as symm

    x = symm.empty((m // n, k), dtype=torch.bfloat16, device="cuda")
    x.normal_()
    symm.rendezvous(x, group.group_name)
    w = torch.randn(total // n, k, dtype=torch.bfloat16, device="cuda").t()
    whole = torch.randn(m, k, dtype=torch.bfloat16, device="cuda")  # a product of zeros takes less power, and time
    y = torch.empty(m, total // n, dtype=torch.bfloat16, device="cuda")

    def sequence():
        dist.all_gather_into_tensor(whole, x)
        torch.mm(whole, w, out=y)

    return {
        "product": lambda: torch.mm(whole, w, out=y),
        "NCCL all-gather": lambda: dist.all_gather_into_tensor(whole, x),
        "NCCL + cuBLAS": sequence,
        "symmetric": lambda: torch.ops.symm_mem.fused_all_gather_matmul(x, [w], 0, group.group_name),
    }


def scattered(rank, n, group, m, k, total):
    x = torch.randn(m, k // n, dtype=torch.bfloat16, device="cuda")
    w = torch.randn(total, k // n, dtype=torch.bfloat16, device="cuda").t()
    p = torch.empty(m, total, dtype=torch.bfloat16, device="cuda")
    y = torch.empty(m // n, total, dtype=torch.bfloat16, device="cuda")

    def sequence():
        torch.mm(x, w, out=p)
        dist.reduce_scatter_tensor(y, p)

    return {
        "product": lambda: torch.mm(x, w, out=p),
        "NCCL reduce-scatter": lambda: dist.reduce_scatter_tensor(y, p),
        "NCCL + cuBLAS": sequence,
        "symmetric": lambda: torch.ops.symm_mem.fused_matmul_reduce_scatter(x, w, "sum", 0, group.group_name),
    }


def process(rank, n, work, given):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29517", RANK=str(rank), WORLD_SIZE=str(n))
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=n, device_id=torch.device("cuda", rank))
    import torch.distributed._symmetric_memory as symm

    group = dist.group.WORLD
    try:
        symm.enable_symm_mem_for_group(group.group_name)
    except Exception:
        pass
    for name, make, shapes in ("ag_gemm", gathered, GATHERED), ("gemm_rs", scattered, SCATTERED):
        for shape in (given or shapes) if work in (name, "both") else []:
            m, total, k = map(int, shape.split("x"))
            forms = make(rank, n, group, m, k, total)
            line = ", ".join(f"{form} {median(call)}" for form, call in forms.items())
            if rank == 0:
                print(f"{name} n={n} {shape}: {line} us", flush=True)
            del forms
            torch.cuda.empty_cache()
    dist.destroy_process_group()


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else torch.cuda.device_count()
    work = sys.argv[2] if len(sys.argv) > 2 else "both"
    torch.multiprocessing.spawn(process, (count, work, sys.argv[3:]), count)
