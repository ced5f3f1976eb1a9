#! /bin/sh
# SPDX-License-Identifier: MIT
#
# demo.sh TOP BUILD - samples/gemm.c from C to a checked run on the CPU, each step timed. ./bootstrap demo calls it.

set -eu
top=$1
build=$2
wscc=$build/wscc
out=$build/demo
mkdir -p "$out"
cd "$top/samples"

clock() { date +%s%N; }

# step TEXT COMMAND...: run it, and say how long it took
step() {
    text=$1
    shift
    begin=$(clock)
    "$@"
    end=$(clock)
    printf '  %-52s %6d ms\n' "$text" $(((end - begin) / 1000000))
}

sequential() { "$wscc" --ws-target=sequential -O2 gemm.c -lm -o "$out/gemm-sequential"; }
emulate() { "$wscc" --ws-target=emulate --ws-keep --ws-show --ws-dump=plan -O2 gemm.c -lm -o "$out/gemm" >"$out/plan" 2>"$out/remarks"; }
cuda() { "$wscc" --ws-target=cuda -O2 -c gemm.c -o "$out/gemm-cuda.o"; }
run_sequential() { "$out/gemm-sequential" >"$out/sequential.txt"; }
run_emulate() { "$out/gemm" >"$out/emulate.txt"; }

echo
echo 'samples/gemm.c: C = A B^T of random f16 matrices, 200 x 296 x 168'
echo
step 'compile, sequential (the meaning of the program)' sequential
step 'compile, emulate (roles, rings, asynchronous units)' emulate
if grep -q '^nvcc = .' "$build/wscc.conf"; then
    step 'compile, cuda (sm_90a; to be run on a Hopper GPU)' cuda
fi
step 'run, sequential' run_sequential
step 'run, emulate' run_emulate
echo
sed 's/^/  sequential  /' "$out/sequential.txt"
sed 's/^/  emulate     /' "$out/emulate.txt"
if ! cmp -s "$out/sequential.txt" "$out/emulate.txt"; then
    echo '  THE TWO DIFFER' >&2
    exit 1
fi
echo '  the same, to the last bit'
echo
echo 'What was decided:'
sed -n 's/^\(gemm\.c:[0-9]*\):[0-9]*: note: /  \1: /p' "$out/remarks"
sed -n '/^  \(launch\|role\|storage\|aref\) /p' "$out/plan"
echo
echo "The emitted kernel, to be read: $out/gemm.cu ($(wc -l <"$out/gemm.cu") lines)"
echo
echo "To go on: samples/README.md has the samples in reading order, MANUAL.md the language; a program of your own is"
echo "    $wscc -O2 --ws-target=emulate mine.c -lm -o mine && ./mine"
