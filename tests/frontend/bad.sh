#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What the plugin refuses the clang front end refuses, too: each case of tests/bad with an error, on emulate. No object
# is left, and the front end ends by itself. Sentences and places are mostly the same; how many are is a remark. Errors
# of the grammar of pragmas are the same, with line and column.

. "$(dirname "$0")/../tap.sh"
cd "$work" || exit 99

if ! grep -q '^clang-frontend = ' "$top_builddir/wscc.conf"; then
    skip 'refusals' 'the clang front end is not built'
    done_testing
fi
# Sentences of lowering/source; an error within a macro stands where the host has it.
grammar="expected .|' is not (a|an) |given twice|is from [0-9]* to|has no clauses|neither a pointer|made of integers"
grammar="$grammar|is not declared|names no array|how long its array|only the first subscript|have one order"
grammar="$grammar|sides of a tile than|memory with itself|kernels are C|stands outside every function"

place_and_text() { sed -n 's/^[^:]*:\([0-9]*:[0-9]*: error: .*\)/\1/p' "$1" | head -n 1; }

same=0
placed=0
all=0
status=0
for source in "$top_srcdir"/tests/bad/*.c; do
    case=$(basename "$source" .c)
    want=$(grep -m 1 ': error: ' "${source%.c}.err" 2>/dev/null) || continue
    all=$((all + 1))
    rm -f out.o
    gpu=$(sed -n '1,12s/.*options:.*\(--ws-gpu=[0-9a-z]*\).*/\1/p' "$source")
    if "$wscc" --ws-frontend=clang --ws-target=emulate ${gpu:+"$gpu"} -c "$source" -o out.o >log 2>&1 || test -e out.o; then
        echo "# $case is accepted: $want"
        status=1
    elif ! grep -q ': error: ' log || grep -q 'ended by signal' log; then
        echo "# $case has no error:"
        sed 's/^/# /' log
        status=1
    elif echo "${want#*: error: }" | grep -qE "$grammar" &&
        test "$(sed 's|^.*/||' log >seen; place_and_text seen)" != "$(place_and_text "${source%.c}.err")"; then
        echo "# $case differs in words or place: $want"
        sed 's/^/# /' log
        status=1
    elif test "$(sed -n 's/.*: error: //p' log | head -n 1)" = "${want#*: error: }"; then
        same=$((same + 1))
        echo "${want#*: error: }" | grep -qE "$grammar" && placed=$((placed + 1))
    fi
done
ok "what is wrong is refused ($same of $all in the same words, $placed of the grammar)" \
    test $status = 0 -a $all -gt 200 -a $placed -gt 40

cat >static.c <<'END'
static int last;
void keep(int n, const int *x, int *y)
{
    #pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        y[i] = x[i];
        last = x[i];
    }
}
END
cat >column.c <<'END'
#include <ws.h>
#define TWICE(x) ((x) + (x))
volatile int flag;
void f(int M, float *C)
{
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, 64);
    #pragma ws grid(1)
    for (int i = 0; i < M; i += 64)
        ws_store(c, i, 0, ws_mul(ws_zeros(WS_F32, 64, 64),
                                 TWICE(flag)));
}
END
"$wscc" --ws-frontend=clang --ws-target=emulate -c column.c -o column.o 2>column.log
ok 'a message stands at the place of the file, not of the expanded line' \
    grep -q '^column.c:10:40: error: a volatile object is read in a grid' column.log

"$wscc" --ws-frontend=clang --ws-target=emulate -c static.c -o static.o 2>log
ok 'a message names the static variable that changes' grep -q "all iterations of 'i' write the same element: last\$" log
done_testing
