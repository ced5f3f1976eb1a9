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
emulate() { "$wscc" --ws-target=emulate --ws-keep --ws-show --ws-dump=plan -O2 gemm.c -lm -o "$out/gemm" >"$out/plan" \
    2>"$out/remarks"; }
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
echo 'What was decided (--ws-show):'
sed -n 's/^\(gemm\.c:[0-9]*\):[0-9]*: note: /  \1: /p' "$out/remarks"
echo
sed -n 's/.*D = \([0-9]*\), P = \([0-9]*\).*/\
  D = \1: the ring has \1 slots; the producer loads until all are full, so up to \1 iterations ahead.\
  P = \2: the tensor cores have products of up to \2 iterations in flight.\
  #pragma ws pipeline(\1, \2) in gemm.c says so; pipeline(auto) chooses both./p' "$out/remarks" | sed 1d
echo
echo 'The plan (--ws-dump=plan), its first lines:'
sed -n '/^  \(launch\|role\|storage\|aref\) /p' "$out/plan"
cat <<'END'

  launch   a block: threads, bytes of shared memory, how many blocks an SM holds at least;
           layout of tiles in registers (mma: as the tensor cores leave an accumulator)
  role     warps that run one program: what they may do (may), warps of each replica (group), replicas, registers of each
           thread; versions: tma is its program where TMA can load all tensors, any the one for others
  storage  shared memory: slots, bytes of one and offset; ring is for what is loaded, output for what is stored
  aref     the mbarriers of a ring with that many slots: one is full when TMA has copied its bytes for the producer, and
           empty when each group of consumers has released it, which makes the arrivals; a release leaves
           products of lag = P - 1 iterations in flight; storages: the buffers that the mbarriers guard
END
echo
echo "The emitted kernel, to be read: $out/gemm.cu ($(wc -l <"$out/gemm.cu") lines)"
echo
echo "To go on: samples/README.md has the samples in reading order, docs/guide.md the language; a program of your own is"
echo "    $wscc -O2 --ws-target=emulate mine.c -lm -o mine && ./mine"
