#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What each target asks of the compilers, libraries and machine around it, and what is said where that is missing.

. "$(dirname "$0")/../tap.sh"
mkdir "$work/src" && cd "$work/src" || exit 99

cat >kernel.c <<'END'
#include <ws.h>
void scale(int n, float *y, const float *x);
void scale(int n, float *y, const float *x)
{
    ws_tensor tx = ws_tensor_2d(x, WS_F32, 16, n), ty = ws_tensor_2d(y, WS_F32, 16, n);
    #pragma ws grid(1)
    for (int j = 0; j < n; j += 32) {
        ws_tile t = ws_load(tx, 0, j, 16, 32);
        ws_store(ty, 0, j, ws_fma(t, 2, ws_exp(ws_mul(t, 0))));
    }
}
END
cat >main.c <<'END'
#include <stdio.h>
#include <ws.h>
void scale(int n, float *y, const float *x);
int main(void)
{
    static float x[16 * 40], y[16 * 40];
    for (int i = 0; i < 16 * 40; i++)
        x[i] = i;
    scale(40, y, x);
    ws_or_die(ws_last_error());
    for (int i = 0; i < 16 * 40; i++)
        if (y[i] != 2 * x[i] + 1)
            return printf("%d is %g\n", i, y[i]);
    puts("good");
    return 0;
}
END
{ printf 'extern "C" {\n'; cat kernel.c; echo '}'; } >kernel.cpp

# says WORDS COMMAND...: fails with these words, in one message, and leaves nothing
says() {
    words=$1
    shift
    rm -f kernel.o
    if "$@" >../text 2>&1; then echo 'it ends with 0'; return 1; fi
    cat ../text
    grep -qF -e "$words" ../text && ! test -e kernel.o
}

targets=sequential
if has_plugin; then targets='sequential emulate'; fi

# The mathematical functions, without -lm.
links() {
    "$wscc" --ws-target=$1 -O2 kernel.c main.c -o p && test "$(./p)" = good
}
links_by_cc() {
    "$wscc" --ws-target=$1 -O2 -c kernel.c main.c && cc kernel.o main.o $("$wscc" --ws-target=$1 --ws-print=libs) -o p &&
        test "$(./p)" = good
}
for target in $targets; do
    ok "$target: a kernel with ws_fma links" links $target
    ok_plain "$target: the same by cc and --ws-print=libs" links_by_cc $target
done

# A compiler that is not there is one message.
once() { ! grep -q 'please report' ../text && test "$(wc -l <../text)" = 1; }
no_nvcc() { says 'cannot run /nowhere/nvcc' env WSCC_NVCC=/nowhere/nvcc "$wscc" --ws-target=cuda -c kernel.c && once; }
no_cxx() { says 'cannot run /nowhere/c++' env WSCC_CXX=/nowhere/c++ "$wscc" --ws-target=emulate -c kernel.c && once; }
if has_plugin; then
    ok 'an nvcc that is not there' no_nvcc
    ok 'a C++ compiler that is not there' no_cxx
fi

# Kernels are C.
sentence='kernels are C: move this function to a .c file'
cxx_kernel() { says "$sentence" "$wscc" --ws-target=$target -c "$@"; }
cxx_caller() {
    sed 's/^void scale/extern "C" void scale/' main.c >caller.cc
    "$wscc" --ws-target=$target -O2 -c kernel.c && "$wscc" --ws-target=$target caller.cc kernel.o -o p && test "$(./p)" = good
}
ok 'a kernel in a .cpp' cxx_kernel kernel.cpp
ok 'a kernel with -x c++' cxx_kernel -x c++ kernel.c
ok_plain 'a caller in a .cc' cxx_caller

# The plugin is GCC's.
clang() { env WSCC_CC=clang "$wscc" "$@"; }
clang_refused() { says 'the emulate target needs GCC, and WSCC_CC=clang is Clang' clang --ws-target=emulate -c kernel.c && once; }
clang_sequential() { clang --ws-target=sequential kernel.c main.c -o p && test "$(./p)" = good; }
if command -v clang >/dev/null 2>&1; then
    if has_plugin; then ok 'WSCC_CC=clang: emulate needs GCC' clang_refused; fi
    ok_plain 'WSCC_CC=clang: sequential' clang_sequential
else
    skip 'WSCC_CC=clang' 'no clang'
fi
done_testing
