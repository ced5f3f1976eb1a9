#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# --ws-page: one file, small, whose controls do what they say, in headless Chromium where it is.

. "$(dirname "$0")/../tap.sh"

if ! has_plugin; then
    skip 'a page' 'no plugin'
    done_testing
fi
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
cd "$work" || exit 99
page() { "$wscc" --ws-target=emulate --ws-page="$1.html" -O1 -w "$2" -lm -o "$1" >log 2>&1 || { cat log; return 1; }; }
small() { size=$(wc -c <"$1.html") && echo "$size" && test "$size" -gt 30000 && test "$size" -lt 3000000; }
alone() { ! grep -nE '(src|href) *= *"?(http|//|\.)|@import|fetch\(|XMLHttp' "$top_srcdir/driver/page.html"; }

ok 'a page of a product' page gemm "$top_srcdir/samples/gemm.c"
ok 'less than 3 MB' small gemm
ok 'nothing is fetched' alone
same_twice() { cp gemm.html first.html && page gemm "$top_srcdir/samples/gemm.c" && cmp gemm.html first.html; }
ok 'the same page again' same_twice
object_alone() {
    "$wscc" --ws-target=emulate --ws-page=object.html -w -c "$top_srcdir/samples/gemm.c" -o o.o &&
        grep -q '"trace":\[\],' object.html
}
ok 'a page without a run' object_alone
given_trace() {
    WS_SEED=9 WS_TRACE=seed.json ./gemm >/dev/null && "$wscc" --ws-target=emulate --ws-page=seed.html \
        --ws-trace=seed.json -w -c "$top_srcdir/samples/gemm.c" -o o.o && grep -q '"seed":9' seed.html
}
ok 'a page of another run' given_trace
two_traces() {
    WS_MACHINE=$top_srcdir/machines/hopper.machine WS_TRACE=clocks.json ./gemm >/dev/null && "$wscc" \
        --ws-target=emulate --ws-page=two.html --ws-trace=seed.json --ws-trace=clocks.json -w -c \
        "$top_srcdir/samples/gemm.c" -o o.o && grep -q '"more":\[\[' two.html && grep -q '"unit":"clock"' two.html
}
ok 'a page of two runs' two_traces
refused() { "$wscc" "$@" >said 2>&1; test $? = 1 && cat said && grep -q 'ws-page' said; }
ok 'the sequential target has no roles' refused --ws-target=sequential --ws-page=x.html -c "$top_srcdir/samples/gemm.c"
ok 'nothing to compile' refused --ws-target=emulate --ws-page=x.html gemm
no_trace_there() { ! "$wscc" --ws-target=emulate --ws-page=x.html --ws-trace=none.json -w -c \
    "$top_srcdir/samples/gemm.c" -o o.o 2>said && grep -q 'cannot read none.json' said && test ! -f x.html; }
ok 'a trace that is not there' no_trace_there

# A program that breaks the protocol: the page ends at the report.
"$wscc" --ws-target=emulate --ws-keep -O1 -w -S "$top_srcdir/samples/gemm.c" -o gemm.s >/dev/null 2>&1
sed 's/consumed<1>/consumed<0>/' gemm.cu >lab.cu && "$wscc" --ws-target=emulate gemm.s lab.cu -lm -o lab &&
    WS_TRACE=lab.json ./lab >/dev/null 2>&1
"$wscc" --ws-target=emulate --ws-page=lab.html --ws-trace=lab.json -w -c "$top_srcdir/samples/gemm.c" -o o.o
page attention "$top_srcdir/samples/attention.c"
# The largest programs of tests/programs that have rings and several blocks, which the controls are for.
products=$(grep -l 'ws_dot(' "$top_srcdir"/tests/programs/*.c)
# shellcheck disable=SC2012,SC2086
largest="$top_srcdir/tests/programs/first_kernels.c $(ls -S $products | head -n 2)"
largest_names=
for source in $largest; do
    program=$(basename "$source" .c)
    largest_names="$largest_names $program"
    ok "a page of $program" page "$program" "$source"
    ok "$program: less than 3 MB" small "$program"
done
ok 'attention: less than 3 MB' small attention

# The script goes in front of the page's own.
driven() {
    awk 'NR == FNR { script = script $0 "\n"; next } { print } /<head>/ { print "<script>" script "</script>" }' \
        "$top_srcdir/tests/driver/page.js" "$1.html" >"$1-driven.html"
    timeout 120 "$chromium" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
        --user-data-dir="$work/profile" --virtual-time-budget=5000 --dump-dom \
        "file://$work/$1-driven.html" >"$1.dom" 2>browser
    sed -n '/<pre id="driven">/,/^driven/p' "$1.dom"
    grep -q '^driven' "$1.dom" && ! sed -n '/<pre id="driven">/,/^driven/p' "$1.dom" | grep -E '^WRONG|^Uncaught'
}
for case_ in gemm attention lab $largest_names; do
    if test -n "$chromium"; then
        ok "$case_: every control is driven in a browser" driven "$case_"
    else
        skip "$case_: every control is driven in a browser" 'no chromium'
    fi
done
done_testing
