#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Kernels that are built from the region IR, by both front ends, compute what the plain loops do: kernels.c has a
# construct in each function, and tiles.c in calls of ws.h. all-kernels.sh takes the programs of the tree.

. "$(dirname "$0")/../tap.sh"
export top_srcdir top_builddir
here="$top_srcdir/tests/source"

all_same() { # FRONT-END
    frontend=$1 sh "$here/kernels" "$here/kernels.c" "$here/tiles.c" "$here/stepped.c" "$here/tables.c" \
        "$top_srcdir/samples/copy.c" "$top_srcdir/samples/gemm_choice.c" >"$work/out"
    cat "$work/out"
    grep -qx '6 same, 0 refused, 0 wrong' "$work/out"
}

# The program of another kernel differs.
other() { edit="sed s/scalar_mul/scalar_add/" sh "$here/kernels" "$here/kernels.c" >"$work/out"; test $? = 1; }

# Tasks, rings and shares stand at their operations.
clauses() { # FRONT-END
    "$wscc" --ws-frontend="$1" --ws-dump=walk -w -S -O0 "$here/tiles.c" -o "$work/out.s" >"$work/text" || return 1
    sed -n 's/^kernel \([a-z_]*\).*/\1/p; s/^ *\(%[a-z]*\)[^=]* = \([a-z_]*\).* | / \1 \2 /p' "$work/text" |
        sed 's/^ %[ :]* / /' | sort >"$work/clauses"
    diff "$here/tiles.clauses" "$work/clauses"
}

# A kernel for each combination of the choices, with the same parameters.
variants() { # FRONT-END
    "$wscc" --ws-frontend="$1" --ws-target=emulate --ws-dump=walk -w -S -O0 \
        "$top_srcdir/samples/gemm_choice.c" -o "$work/out.s" >"$work/text" || return 1
    grep '^kernel' "$work/text"
    grep -c '^kernel gemm_choice[x_0-9]*(%M: i32, %N: i32, %K: i32, %A: ptr<f16>, %B: ptr<f16>, %C: ptr<f16>)' \
        "$work/text" | grep -qx 6 && grep -q 'pipeline(4,2)' "$work/text" && grep -q 'pipeline(3,2)' "$work/text"
}

# A grid cannot have a call with any arguments: it says so, and at which line.
unknown() { # FRONT-END
    cat >"$work/unknown.c" <<'END'
static int first(int n, ...) { return n; }
void f(int n, float *x)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++)
        x[i] = first(3, i);
}
END
    "$wscc" --ws-frontend="$1" --ws-target=emulate --ws-ids -w -c "$work/unknown.c" \
        -o "$work/unknown.o" 2>"$work/log"
    cat "$work/log"
    grep -q "unknown.c:6.*a grid cannot have .*\[ws:not-in-a-grid\]" "$work/log"
}

# The .cu of a kernel, emulated.
emulated() {
    "$wscc" --ws-target=emulate -O1 "$here/kernels.c" -o "$work/emulated" &&
        "$wscc" --ws-target=sequential -O1 "$here/kernels.c" -o "$work/plain" &&
        "$work/emulated" >"$work/got" && "$work/plain" >"$work/wanted" && cmp "$work/got" "$work/wanted"
}

if has_plugin; then
    ok_plain 'the plugin' all_same gcc
    ok_plain 'tasks, rings and shares' clauses gcc
    ok_plain 'a kernel for each combination of choices' variants gcc
    ok_plain 'another kernel is seen' other
    ok_plain 'the plugin says what it does not take' unknown gcc
    ok_plain 'the emitted kernels' emulated
else
    skip 'the plugin' 'it is not built'
fi
if grep -q '^clang-frontend = ' "$top_builddir/wscc.conf"; then
    ok_plain 'the clang front end' all_same clang
    ok_plain 'tasks, rings and shares by clang' clauses clang
    ok_plain 'a kernel for each combination of choices by clang' variants clang
    ok_plain 'the clang front end says what it does not take' unknown clang
else
    skip 'the clang front end' 'it is not built'
fi
done_testing
