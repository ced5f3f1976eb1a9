# SPDX-License-Identifier: GPL-3.0-or-later
"""rows.py LIBRARY FORM:WIDTH:ROWS...: samples/layernorm_blocks.c beside PyTorch's copy_ and layer_norm (bench/run rows).

Prints a line for each shape and form: us, TB/s read and written, share of copy_ and of layer_norm; medians of 15 rounds.
"""
import ctypes
import sys

import torch

ROUNDS = 15
SHAPES = (32768, 4096), (16384, 8192), (1152, 8192), (8192, 16384), (1152, 16384)


def pointer(tensor):
    return ctypes.c_void_p(tensor.data_ptr())


def microseconds(run, count):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(count):
        run()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) / count * 1e3


def compare(library, forms, rows, columns):
    x = torch.randn(rows, columns, device="cuda").half()
    y = torch.empty_like(x)
    scale, shift = torch.randn(columns, device="cuda"), torch.randn(columns, device="cuda")
    want = torch.nn.functional.layer_norm(x.float(), (columns,), scale, shift)
    halves = scale.half(), shift.half()
    runs = {"copy_": lambda: y.copy_(x), "torch": lambda: torch.nn.functional.layer_norm(x, (columns,), *halves)}
    good = True
    for name, width, _ in forms:
        if not int(width) * 4 < columns <= int(width) * 8 or not hasattr(library, name):
            continue

        def run(kernel=getattr(library, name)):
            kernel(rows, columns, ctypes.c_float(1e-5), pointer(x), pointer(scale), pointer(shift), pointer(y))

        y.zero_()
        run()
        torch.cuda.synchronize()
        error = (y.float() - want).abs().max().item()
        good = good and error < 0.05
        print(f"{rows} x {columns} {name}: max error {error:.4f}{'' if error < 0.05 else '  WRONG'}")
        runs[name] = run
    count = max(3, int(2e9 / (rows * columns * 4)))
    times = {name: [] for name in runs}
    for _ in range(ROUNDS):
        for name, run in runs.items():
            times[name].append(microseconds(run, count))
    median = {name: sorted(all_times)[ROUNDS // 2] for name, all_times in times.items()}
    for name, us in median.items():
        print(f"{rows:6d} x {columns:6d} {name:8s} {us:9.1f} us {rows * columns * 4 / us / 1e6:6.2f} TB/s"
              f"  {median['copy_'] / us:5.2f} of copy_  {median['torch'] / us:5.2f} of layer_norm")
    return good


def main():
    library = ctypes.CDLL(sys.argv[1])
    forms = [form.split(":") for form in sys.argv[2:]]
    sys.exit(not all([compare(library, forms, *shape) for shape in SHAPES]))


main()
