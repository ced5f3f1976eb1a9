#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# WS_TRACE: what the emulation writes is a trace that viewers read, whole behind each launch, and true to the protocol.

. "$(dirname "$0")/../tap.sh"

if ! has_plugin; then
    skip 'the emulation' 'no plugin'
    done_testing
fi
cd "$work" || exit 99

"$wscc" --ws-target=emulate -O1 -w "$top_srcdir/samples/gemm.c" -lm -o gemm >log 2>&1 || cat log
traced() { WS_TRACE=$work/$1.json WS_SEED=$2 ./gemm 200 296 "$3" >/dev/null; }
is_json() { python3 -c 'import json, sys; json.load(open(sys.argv[1]))["traceEvents"]' "$1.json"; }
# field NAME of a line of the trace, for awk
field='function f(name,  at) { at = index($0, "\"" name "\":"); if (!at) return ""; at = substr($0, at + length(name) + 3)
    sub(/^"/, "", at); sub(/["},].*/, "", at); return at }'

ok 'a program writes its trace' traced gemm 3 400
if python3 -c '' 2>/dev/null; then ok 'it is JSON' is_json gemm; else skip 'it is JSON' 'no python3'; fi
same_seed_same_trace() {
    traced again 3 400 && cmp gemm.json again.json && traced other 4 400 && ! cmp -s gemm.json other.json
}
ok 'a seed has one trace, another seed another' same_seed_same_trace

# A slot is being filled or full, one after the other, and its index goes up by D.
slots_take_turns() {
    awk "$field"' f("cat") == "slot" { split(f("name"), word, " "); track = f("pid") " " f("tid"); index_ = f("index") + 0
        if (f("ts") + 0 < last[track]) { print "overlap", $0; exit 1 }
        last[track] = f("ts") + f("dur")
        if (word[1] == "full" && (state[track] != "put" || index_ != at[track])) { print "no put", $0; exit 1 }
        if (word[1] == "put" && (state[track] == "put" || (track in at && index_ != at[track] + 4))) {
            print "put", $0; exit 1 }
        if (f("slot") != index_ % 4 || f("phase") != int(index_ / 4) % 2) { print "slot or phase", $0; exit 1 }
        state[track] = word[1]; at[track] = index_; count++ }
        END { exit count != 2 * 4 * 7 }' gemm.json
}
ok 'slots fill and drain in turn' slots_take_turns
# 4 CTAs of one tile, 7 iterations, two groups that multiply.
counts() {
    awk "$field"' /"ph":"[Xb]"/ { n[f("name")]++ } END {
        print n["get"], n["mma"], n["product"], n["copy in"], n["copy"]
        exit n["put_done"] != 28 || n["get"] != 56 || n["consumed"] != 56 || n["product"] != 56 || n["mma"] != 56 ||
            n["copy in"] != 56 || n["copy out"] != n["store"] }' gemm.json
}
ok 'every put, get, release, product and copy is there' counts
# A group waits for a slot until it is full, and a put until all have released it.
gets_behind_fills() {
    awk "$field"' f("cat") == "slot" && f("name") ~ /^full/ { full[f("pid") " " f("index")] = f("ts") + 0 }
        f("name") == "get" && f("cat") == "wait" { got[f("pid") " " f("index")] = f("ts") + f("dur"); n++ }
        END { for (i in got) if (!(i in full) || got[i] < full[i]) { print i, got[i], full[i]; exit 1 }
            exit n < 50 }' gemm.json
}
ok 'no get ends before its slot is full' gets_behind_fills

cat >two.c <<'END'
#include <ws.h>
static void twice(int n, const float *x, float *y)
{
    ws_tensor tx = ws_tensor_2d(x, WS_F32, 16, n), ty = ws_tensor_2d(y, WS_F32, 16, n);
    #pragma ws grid(1)
    for (int j = 0; j < n; j += 32)
        ws_store(ty, 0, j, ws_add(ws_load(tx, 0, j, 16, 32), ws_load(tx, 0, j, 16, 32)));
}
int main(void)
{
    static float x[16 * 32], y[16 * 32];
    twice(32, x, y);
    twice(32, x, y);
    return 0;
}
END
two_launches() {
    "$wscc" --ws-target=emulate -O1 two.c -lm -o two && WS_TRACE=two.json ./two &&
        test "$(grep -c process_name two.json)" = 2 && { ! python3 -c '' 2>/dev/null || is_json two; }
}
ok 'launches stand one behind the other' two_launches

# A program that breaks the protocol: the trace goes up to the report.
"$wscc" --ws-target=emulate --ws-keep -O1 -w -S "$top_srcdir/samples/gemm.c" -o gemm.s >/dev/null 2>&1
broken() {
    sed 's/consumed<1>/consumed<0>/' gemm.cu >lab.cu && ! cmp -s gemm.cu lab.cu &&
        "$wscc" --ws-target=emulate gemm.s lab.cu -lm -o lab || return 1
    WS_TRACE=lab.json ./lab >out 2>&1
    grep '"cat":"report"' lab.json && grep -q 'a product in flight reads it' lab.json &&
        { ! python3 -c '' 2>/dev/null || is_json lab; }
}
ok 'a broken program has its report in the trace' broken
unwritable() { WS_TRACE=/nowhere/x ./two 2>err; grep -q 'WS_TRACE: cannot write /nowhere/x' err; }
ok 'a file that cannot be written is said' unwritable
# Of 15 blocks of 10 iterations: a trace grows with the events, each of which is a line.
in_proportion() {
    WS_TRACE=long.json ./gemm 600 600 600 >/dev/null || return 1
    lines=$(wc -l <long.json) bytes=$(wc -c <long.json)
    echo "$lines lines, $bytes bytes"
    test "$lines" -gt 1000 && test "$lines" -lt 6000 && test "$bytes" -lt $((250 * lines))
}
ok 'a trace is no longer than its events' in_proportion
done_testing
