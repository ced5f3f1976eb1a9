#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# --ws-trace for cuda: kernels with it compile and spill nothing, those without it are as they were, and the file of
# made-up records is a trace as that of the emulation. What a GPU writes: bench/traced/trace.

. "$(dirname "$0")/../tap.sh"
if test -z "${NVCC-}"; then
    echo '1..0 # SKIP no nvcc'
    exit 0
fi
cd "$work" || exit 99
folder=$top_srcdir/runtime/cuda
compiled() { $NVCC -std=c++17 -gencode arch=compute_90a,code=sm_90a -I"$folder" -I"$top_srcdir/runtime/common" \
    -I"$top_srcdir/runtime/include" "$top_srcdir/tests/gpu/trace_file.cu" -o trace_file >log 2>&1 || { cat log; return 1; }; }
ok 'the writer compiles' compiled
written() { ./trace_file >trace.json && { ! python3 -c '' 2>/dev/null || python3 - <<'END'
import json
events = json.load(open("trace.json"))["traceEvents"]
head = events[0]["args"]
assert head["unit"] == "clock" and [g["role"] for g in head["groups"]] == ["producer", "consumer"], head
assert head["rings"] == [{"ring": 1, "name": "ta_tb", "block": 0, "slots": 2, "arrivals": 1, "track": 4000}], head
named = lambda n: [e for e in events if e.get("name") == n and e["ph"] == "X"]
assert [(e["ts"], e["dur"], e["args"]["slot"], e["args"]["phase"]) for e in named("put")] == \
    [(12, 8, 0, 0), (112, 8, 1, 0), (212, 8, 0, 1), (312, 8, 1, 1)]
assert [e["ts"] + e["dur"] for e in named("get")] == [80, 180, 280, 380] and named("get")[0]["args"]["tile"] == 7
assert [(e["ts"], e["dur"]) for e in named("full 2")] == [(280, 32)] and [e["ts"] for e in named("put 3")] == [320]
assert [(e["ts"], e["ts"] + e["dur"]) for e in named("product")] == [(82, 110), (182, 310), (310, 410), (410, 600)], named("product")
assert len(named("store")) == 1 and named("store")[0]["ts"] == 600
assert all(e["dur"] >= 0 for e in events if e["ph"] == "X")
END
}; }
ok 'and writes a trace that is true to the records' written
sources='samples/gemm.c samples/attention.c samples/gemm_scaled_fp8.c samples/layernorm_blocks.c' # of wider ones a few bytes are
with() { WSCC_NVCC="$NVCC -Xptxas -v" "$wscc" --ws-target=cuda --ws-trace -O2 -w -Dmain=unused_main -c "$top_srcdir/$1" \
    -o o.o >said 2>&1 && grep -q 'bytes spill' said && ! grep -E '[1-9][0-9]* bytes spill|C7510' said; }
for source in $sources; do ok "$source: traced, and no register is spilled" with "$source"; done
nothing_new() {
    "$wscc" --ws-target=cuda -O2 -w -Dmain=unused_main -c "$top_srcdir/samples/gemm.c" -o plain.o &&
        ! strings plain.o | grep WS_TRACE && "$wscc" --ws-target=cuda --ws-trace -O2 -w -Dmain=unused_main -c \
        "$top_srcdir/samples/gemm.c" -o traced.o && strings traced.o | grep -q WS_TRACE
}
ok 'without the option nothing of it is there' nothing_new
done_testing
