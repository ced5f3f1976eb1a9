#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The clang front end as a compiler: programs run on both targets of the CPU, mistakes are said in clang's way at the
# right place, and nothing is left behind them.

. "$(dirname "$0")/../tap.sh"
cd "$work" || exit 99
samples=$top_srcdir/samples

cat >kernel.c <<'END'
#include <ws.h>

void twice(int n, const float *X, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, n, 64);
    ws_tensor y = ws_tensor_2d(Y, WS_F32, n, 64);

    #pragma ws grid(1)
    for (int i = 0; i < n; i += 64)
        ws_store(y, i, 0, ws_mul(ws_load(x, i, 0, 64, 64), 2));
}
END
cat >main.c <<'END'
void twice(int n, const float *X, float *Y);

static float x[64 * 64], y[64 * 64];

int main(void)
{
    for (int i = 0; i < 64 * 64; i++)
        x[i] = (float)i;
    twice(64, x, y);
    for (int i = 0; i < 64 * 64; i++)
        if (y[i] != 2 * x[i])
            return 1;
    return 0;
}
END

by_clang() { "$wscc" --ws-frontend=clang -O1 "$@"; }
says() { # text, command that fails
    text=$1
    shift
    ! "$@" >log 2>&1 && grep -qF -- "$text" log || { cat log; return 1; }
}
runs() { # target, file
    by_clang --ws-target="$1" "$samples/$2.c" -o program -lm && ./program
}
apart_runs() { # source
    by_clang --ws-target=emulate -w "$top_srcdir/$1" -o program -lm -lpthread && ./program
}
by_the_variable() { # the host compiler is clang, and nobody said how kernels are read
    WSCC_CC=$clang "$wscc" -O1 -Wall -Werror --ws-target=emulate kernel.c main.c -o program && ./program
}
warns() { # gcc compiles what is left of the source
    by_clang --ws-target=emulate -Wall -Werror -c kernel.c -o kernel.o
}
warns_once() {
    { cat kernel.c; echo 'int truth(int n) { if (n = 3) return n; return 1; }'; } >assigned.c
    by_clang --ws-target=emulate -Wall -c assigned.c -o assigned.o 2>log
    cat log
    test "$(grep -c 'assigned.c:[0-9:]* warning: .*assignment' log)" = 1
}
emitted() {
    by_clang --ws-target=emulate --ws-keep -c kernel.c -o kernel.o && grep -q 'wsrt.cuh' kernel.cu || return 1
    mv kernel.cu by-clang.cu
    "$wscc" --ws-frontend=gcc -O1 --ws-target=emulate --ws-keep -c kernel.c -o kernel.o && cmp kernel.cu by-clang.cu
}
depends() {
    by_clang --ws-target=emulate -MD -MF deps -c kernel.c -o kernel.o && grep -q '^kernel.o:.* kernel\.c' deps &&
        ! grep -q host deps
}
bad() { # sed script, text
    sed "$1" kernel.c >bad.c && says "$2" by_clang --ws-target=emulate -c bad.c -o bad.o && test ! -e bad.o
}
lines_stay() { # behind a region
    { cat kernel.c; echo 'int after(void) { return undeclared; }'; } >late.c
    says "late.c:$(wc -l <late.c)" by_clang --ws-target=emulate -c late.c -o late.o
}

kernels_are_c() {
    cp kernel.c cxx.cc && WSCC_CC=$clang WSCC_CXX=$clang++ says 'cxx.cc:8:16: error: kernels are C' "$wscc" -c cxx.cc -o cxx.o &&
        test ! -e cxx.o && echo '#include <ws.h>' >caller.cc && echo 'int f() { return ws_last_error(); }' >>caller.cc &&
        WSCC_CC=$clang WSCC_CXX=$clang++ "$wscc" -c caller.cc -o caller.o
}
not_installed() { # it comes in a package of its own
    cp "$top_builddir/wscc" lonely-wscc && mkdir -p lonely && mv lonely-wscc lonely/wscc &&
        sed 's|^clang-frontend = .*|clang-frontend = /nonexistent/wsc-clang|' "$top_builddir/wscc.conf" >lonely/wscc.conf &&
        says 'install wsc-clang' lonely/wscc --ws-frontend=clang -c kernel.c -o kernel.o
}

prints() { # sequential: with counters, and at most 1,000 lines of a launch
    cp "$top_srcdir/tests/programs/print_values.c" prints.c &&
        for frontend in gcc clang; do
            "$wscc" --ws-frontend=$frontend --ws-target=sequential -O1 -w -I"$top_srcdir/tests/programs" prints.c \
                -o prints -lm && ./prints >$frontend.lines || return 1
        done
    grep -q '^inside i=7 k=7: so far: ' clang.lines && diff gcc.lines clang.lines
}

if ! grep -q '^clang-frontend = ' "$top_builddir/wscc.conf"; then
    skip 'the clang front end' 'it is not built'
    done_testing
fi
for target in emulate sequential; do
    for sample in gemm softmax_rows product; do # product: functions with regions become a part of their callers
        ok_plain "$sample on $target" runs "$target" "$sample"
    done
done
# Programs whose text is another: listed as apart. They check what they compute; all of them in all-constructs.sh.
for name in short_circuit turned_store devices; do
    ok_plain "$name on emulate" apart_runs "tests/programs/$name.c"
done
clang=$(for name in clang clang-19 clang-20 clang-18 clang-17; do command -v $name && break; done)
if test -n "$clang"; then
    ok_plain 'WSCC_CC=clang alone' by_the_variable
else
    skip 'WSCC_CC=clang alone' 'no clang'
fi
if has_plugin; then
    ok 'the .cu is that of the plugin' emitted
    ok 'prints on sequential' prints
fi
if test -n "$clang" && command -v "$clang++" >/dev/null 2>&1; then
    ok 'kernels are C' kernels_are_c
else
    skip 'kernels are C' 'no clang++'
fi
ok 'it is not installed' not_installed
ok '-MD' depends
ok 'a clause that is none' bad 's/grid(1)/grid(1) nonsense/' "bad.c:8:24: error: 'nonsense' is not a clause of 'grid'"
ok 'a shape that is not known' bad 's/0, 64, 64)/0, n, 64)/' 'error: the shape of a tile must be a constant'
ok 'a place in the source' bad 's/ws_mul(.*)\();\)/ws_load(x, i, 0, n, 64)\1/' 'bad.c:10:27: error'
ok 'a function without a body' bad 's/ws_store/f(); void f(void); ws_store/' 'error'
ok 'a pragma without a loop' bad 's/for (int i = 0; i < n; i += 64)/int i = 0;/' "stands above a 'for' loop"
ok '-Wall -Werror' warns
ok 'a warning about other lines' warns_once
ok 'lines behind a region keep their numbers' lines_stay
done_testing
