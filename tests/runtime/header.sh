#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ws.h with plain compilers: no warning in any standard, one sentence for a wrong operand, kernels as C, callers as C++;
# and the sequential library as one file.

. "$(dirname "$0")/../tap.sh"
cd "$work" || exit 99
header=$top_srcdir/runtime/include

compilers=
for cc in "$host_cc" gcc clang; do
    case " $compilers " in *" $cc "*) continue ;; esac
    command -v "$cc" >/dev/null 2>&1 && compilers="$compilers $cc"
done

cat >kernel.c <<'END'
#include <ws.h>
enum { ROWS = 8 };
static inline ws_tile gelu(ws_tile x)
{
    return ws_mul(ws_mul(x, 0.5), ws_add(1, ws_erf(ws_mul(x, 0.70710678f))));
}
void kernel(int M, long K, const ws_bf16 *A, float *B, const int *begin, unsigned char flag);
void kernel(int M, long K, const ws_bf16 *A, float *B, const int *begin, unsigned char flag)
{
    ws_tensor a = ws_tensor_2d(A, WS_BF16, M, K), b = ws_tensor_2d_ld(B, WS_F32, M, K, K);
    ws_tensor s = ws_tensor_strided(A, WS_BF16, 3, (const long[]){1, M, K}, (const long[]){M * K, K, 1});
    const ws_tensor starts = ws_tensor_1d(begin, WS_I32, M);
    #pragma ws grid(1) persistent
    for (int i = 0; i < M; i += ROWS) {
        ws_tile m = ws_full(WS_F32, ROWS, 1, -1e30), deep = m;
        #pragma ws pipeline(3)
        for (long k = ws_at(starts, i); k < K; k += 64) {
            ws_tile x = ws_cast(ws_load(a, i, k, ROWS, 64), WS_F32), y = ws_cast(ws_load_3d(s, 0, i, k, ROWS, 64), WS_F32);
            m = ws_max(m, ws_row_max(ws_select(ws_and(ws_lt(ws_col_index(ROWS, 64), K - k), ws_ne(y, flag)), gelu(x), -1)));
            deep = ws_add(ws_add(ws_add(ws_add(ws_add(ws_add(ws_add(ws_add(deep, 1), 2L), 3u), 4ull), 5.f), 'c'), flag), M);
        }
        ws_store(b, i, 0, ws_fma(m, 2, deep));
    }
}
END
cat >caller.cc <<'END'
#include <ws.h>
#ifdef ws_add
#error "a kernel's name in C++"
#endif
int main()
{
    ws_f16 *p = static_cast<ws_f16 *>(ws_alloc(2));
    *p = ws_f16_from(1.5f);
    float x = ws_f16_to(*p) + ws_e4m3_to(ws_e4m3_from(2)) + ws_bf16_to(ws_bf16_from(3)) + ws_e5m2_to(ws_e5m2_from(4));
    ws_or_die(ws_sync());
    ws_free(p);
    return x == 10.5f && ws_last_error() == WS_OK ? 0 : 1;
}
END

silent() {
    "$@" >output 2>&1 && ! test -s output || { cat output; return 1; }
}

# wrong COMPILER EXPRESSION SENTENCE: at most one error, which is on the user's line and holds the sentence.
minds() { test "$1" != clang || test "$(clang -dumpversion | sed 's/\..*//')" -ge 15; }

wrong() {
    cat >wrong.c <<END
#include <ws.h>
void f(ws_tensor t, ws_tile x, float *p, ws_f16 h, void (*g)(void));
void f(ws_tensor t, ws_tile x, float *p, ws_f16 h, void (*g)(void))
{
    (void)t, (void)x, (void)p, (void)h, (void)g;
    ws_print("x", $2);
}
END
    ! "$1" -I"$header" -c wrong.c -o wrong.o >output 2>&1 && grep -q "^wrong.c:6:.*error: .*$3" output &&
        test "$(grep -c 'error: ' output)" = 1 && test "$(wc -l <output)" -le 24 && ! test -e wrong.o || { cat output;
            return 1; }
}

for cc in $compilers; do
    for std in c11 gnu11 c17 c2x; do
        for level in -O0 -O2; do
            ok "$cc -std=$std $level takes a kernel without a warning" silent "$cc" -std=$std $level -Wall -Wextra \
                -Wshadow \
                -Wconversion -pedantic -I"$header" -c kernel.c -o kernel.o
        done
    done
    deep='ws_add(ws_mul(ws_sub(ws_max(ws_add(ws_mul(ws_sub(ws_max(ws_add(x, h), 1), 2), 3), 4), 5), 6), 7), 8)'
    if minds "$cc"; then
        ok "$cc: a tensor as operand" wrong "$cc" 'ws_add(x, t)' \
            'a ws_tensor is memory: read a tile from it with ws_load'
        ok "$cc: a stored number as operand" wrong "$cc" 'ws_mul(h, x)' 'convert it with ws_f16_to'
        ok "$cc: the same nine calls deep" wrong "$cc" "$deep" 'convert it with ws_f16_to'
        ok "$cc: a pointer as operand" wrong "$cc" 'ws_lt(p, x)' 'make a ws_tensor of it'
        ok "$cc: a function as operand" wrong "$cc" 'ws_max(x, g)' 'an operand is a ws_tile or a number'
        ok "$cc: an address of a tile as operand" wrong "$cc" 'ws_select(x, &x, 1)' \
            'an operand is a ws_tile or a number'
    else
        skip "$cc: wrong operands" \
            'before 15 Clang forgets the attribute of a function without a prototype; the linker names it'
    fi
    ok "$cc: an extent for a type" wrong "$cc" 'ws_zeros(128, 64, WS_F32)' 'not an element type'
    ok "$cc: a cast to no type" wrong "$cc" 'ws_cast(x, 16)' 'not an element type'
    ok "$cc: a type that the base has not" wrong "$cc" 'ws_load(ws_tensor_2d(p, WS_F16, 8, 8), 0, 0, 8, 8)' \
        'the element type is not that of the base pointer'
    ok "$cc: a type that the base has not, strided" wrong "$cc" \
        'ws_load(ws_tensor_strided(&h, WS_BF16, 1, (long[]){8}, (long[]){1}), 0, 0, 8, 8)' \
        'the element type is not that of the base pointer'
    ok "$cc: a number for a tile" wrong "$cc" 'ws_exp(1.0)' '.*'
done

# A call may be met once: without the plugin the pragma is silent, with it a misspelt one would not be.
misspelt_omp() {
    printf '#include <ws.h>\n#pragma ws grid(1)\n#pragma opm parallel\nint i;\n' >pragma.c
    $host_cc -Wall -I"$header" -c pragma.c
}
ok 'pragmas of others do not stop a compiler' misspelt_omp

cxx_caller() {
    $host_cxx -std=c++17 -Wall -Wextra -pedantic -I"$header" caller.cc -o caller "$@" -lm -lpthread && ./caller
}
bundle() {
    sources=
    for file in "$top_srcdir"/runtime/common/*.c "$top_srcdir"/runtime/host/*.c \
        "$top_srcdir"/runtime/sequential/*.c; do
        sources="$sources $file"
    done
    mkdir -p bundle
    awk -v path="$header:$top_srcdir/runtime/common" -v keep=ws.h -f "$top_srcdir/runtime/bundle.awk" \
        $sources >bundle/ws.c && cp "$header/ws.h" bundle/
}
# The example of the language with nothing but the two files.
bundled_gemm() {
    "$1" -O2 -Wall -Wextra -Ibundle -c bundle/ws.c -o ws.o 2>output && ! test -s output || { cat output; return 1; }
    "$1" -O2 -Wall -Ibundle "$top_srcdir/samples/gemm.c" ws.o -o gemm -lm -lpthread && ./gemm 70 300 100
}
# Neither vectors nor fused operations of the machine may change a bit.
same_bits() {
    "$1" -O3 -march=native -Ibundle bundle/ws.c "$top_srcdir/samples/gemm.c" -o fast -lm -lpthread &&
        ./fast 70 300 100 >fast.out
    "$1" -O0 -Ibundle bundle/ws.c "$top_srcdir/samples/gemm.c" -o slow -lm -lpthread && ./slow 70 300 100 >slow.out
    cmp fast.out slow.out
}
ok 'the library makes one file' bundle
for cc in $compilers; do
    ok "$cc compiles it and the language's example" bundled_gemm "$cc"
    ok "$cc: -O0 and -O3 -march=native give the same bits" same_bits "$cc"
done
ok 'a C++ program calls the host functions' cxx_caller ws.o
refused() { $host_cc -O2 -ffast-math -Ibundle -c bundle/ws.c -o fast-math.o; }
not_ok '-ffast-math is refused' refused
done_testing
