# SPDX-License-Identifier: GPL-3.0-or-later
"""offload.py FOLDER [KERNEL ...]: kernels after PolyBench under #pragma ws beside OpenMP's (bench/run offload).

FOLDER has offload.c in each form. A line for each kernel: milliseconds of a run, arrays on the device, of `ws`; of
`omp`, the textbook's directives; of `simd`, those that use all lanes; and how much faster ws is than the faster of
the two, the median of ROUNDS rounds in turn. A form that takes 4 times as long as the fastest of OpenMP's has one
turn. The last line has the geometric mean and the least. Before that every form is compared with long double at a
tenth of the extents, and simd with ws at all of them: the largest difference, over the largest number of its array,
is at most 1e-11. What FOLDER has of further forms, offload-ws-*, is timed as well.
"""
import glob
import math
import os
import subprocess
import sys

ROUNDS, MILLISECONDS, BOUND, PEERS = 7, 40, 1e-11, ("omp", "simd")
folder = os.path.abspath(sys.argv[1])
others = sorted(path.rsplit("/offload-", 1)[1] for path in glob.glob(f"{folder}/offload-ws-*"))
FORMS = ["ws", *PEERS, *others]
environment = dict(os.environ, OMP_TARGET_OFFLOAD=os.environ.get("OMP_TARGET_OFFLOAD", "MANDATORY"))
kernels = sys.argv[2:]


class Form:
    """One form, at work as long as it answers."""

    def __init__(self, name):
        self.name = name
        self.process = subprocess.Popen([f"{folder}/offload-{name}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=environment, text=True)

    def ask(self, line):
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        answer = self.process.stdout.readline().strip()
        if not answer:
            print(f"{self.name} ended with {self.process.wait()} at '{line}'", flush=True)
            self.__init__(self.name)
        return answer


def ask_number(form, line):
    answer = form.ask(line)
    return float(answer) if answer else math.inf


def check(kernel):
    """The largest difference; None, and a line, where one is too large."""
    worst = 0
    for size, reference, names in ("reduced", "exact", FORMS), ("full", "ws", ["simd", *others]):
        file = f"{folder}/{kernel}-{size}"
        forms[reference].ask(f"write {kernel} {size} {file}")
        for name in names:
            apart = ask_number(forms[name], f"compare {kernel} {size} {file}")
            if not apart <= BOUND:
                print(f"{kernel}: {name} is {apart:.3g} from {reference}, {size}  WRONG", flush=True)
                worst = math.inf
            worst = max(worst, apart)
        os.remove(file)
    return worst if worst <= BOUND else None


def measure(kernel):
    """Microseconds of each form, by round."""
    once = {name: ask_number(forms[name], f"time {kernel} 1") for name in FORMS}
    fastest = min(once[name] for name in PEERS)
    times = {name: [us] * ROUNDS if us > 4 * fastest else [] for name, us in once.items()}
    for turn in range(ROUNDS):
        for name in sorted(times, reverse=turn % 2 == 1):
            if len(times[name]) < ROUNDS:
                runs = max(1, int(MILLISECONDS * 1e3 / once[name]))
                times[name].append(ask_number(forms[name], f"time {kernel} {runs}"))
    return times


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


forms = {name: Form(name) for name in [*FORMS, "exact"]}
good, ratios, textbook = True, [], []
for kernel in kernels or forms["exact"].ask("names").split():
    apart = check(kernel)
    good = good and apart is not None
    times = measure(kernel)
    middle = {name: sorted(of)[ROUNDS // 2] for name, of in times.items()}
    ratio = {name: sorted(x / y for x, y in zip(times[name], times["ws"]))[ROUNDS // 2] for name in times}
    peer = min(PEERS, key=middle.get)
    print(f"{kernel}: " + ", ".join(f"{name} {us / 1e3:.4g} ms" for name, us in middle.items()) +
          f"; {ratio[peer]:.2f} x {peer}" + (f"; apart {apart:.2g}" if apart is not None else ""), flush=True)
    if not all(math.isfinite(middle[name]) for name in ("ws", peer)):
        good = False
        continue
    ratios.append(ratio[peer])
    textbook.append(ratio["omp"])
if ratios:
    print(f"geometric mean {mean(ratios):.2f}, least {min(ratios):.2f}; beside omp alone {mean(textbook):.2f}")
sys.exit(not good)
