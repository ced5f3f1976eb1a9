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
    "$wscc" --ws-target=$1 -O2 -c kernel.c main.c &&
        $host_cc kernel.o main.o $("$wscc" --ws-target=$1 --ws-print=libs) -o p &&
        test "$(./p)" = good
}
for target in $targets; do
    ok "$target: a kernel with ws_fma links" links $target
    ok_plain "$target: the same by cc and --ws-print=libs" links_by_cc $target
done

# Nothing of the library has the name of a launcher.
launcher_names() {
    for word in $(grep -rhoE 'ws_launch_[a-z_]+ *\(' "$top_srcdir/runtime/include" "$top_srcdir/runtime/host" \
        "$top_srcdir/runtime/emulate"); do
        echo "$word"
        return 1
    done
}
ok 'no function of the library has the name of a launcher' launcher_names

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
    "$wscc" --ws-target=$target -O2 -c kernel.c && "$wscc" --ws-target=$target caller.cc kernel.o -o p &&
        test "$(./p)" = good
}
ok 'a kernel in a .cpp' cxx_kernel kernel.cpp
ok 'a kernel with -x c++' cxx_kernel -x c++ kernel.c
# Without ws.h it is the pragma that says so; ignored, the loops would run on the host and nobody would know.
cxx_plain() {
    cat >plain.cpp <<'END'
int sums[64];
int main()
{
    #pragma ws grid(1) tile(64)
    for (int i = 0; i < 64; i++)
        sums[i] = i;
    return sums[3] != 3;
}
END
    says 'kernels are C' "$wscc" --ws-target=$target "$@" plain.cpp -o plain && test ! -e plain
}
if has_plugin; then
    ok_plain 'plain loops in a .cpp, compiled' cxx_plain -c
    ok_plain 'plain loops in a .cpp, linked' cxx_plain
fi
ok_plain 'a caller in a .cc' cxx_caller

# The plugin is GCC's.
by_clang() { env WSCC_CC=clang "$wscc" "$@"; }
clang_refused() { says 'the emulate target needs GCC, and WSCC_CC=clang is Clang' by_clang --ws-frontend=gcc \
    --ws-target=emulate -c kernel.c && once; }
clangxx_refused() {
    says 'the emulate target needs GCC, and WSCC_CXX=clang++ is Clang' env WSCC_CXX=clang++ "$wscc" \
        --ws-target=emulate -c kernel.c && once
}
clang_sequential() { by_clang --ws-target=sequential kernel.c main.c -o p && test "$(./p)" = good; }
if command -v clang >/dev/null 2>&1; then
    if has_plugin; then
        ok 'WSCC_CC=clang: emulate needs GCC' clang_refused
        ok 'WSCC_CXX=clang++: emulate needs GCC' clangxx_refused
    fi
    ok_plain 'WSCC_CC=clang: sequential' clang_sequential
else
    skip 'WSCC_CC=clang' 'no clang'
fi

# Of the clang front end the object is machine code; the pragmas are known to it.
frontend_lto() { # OPTION WSCC...
    option=$1
    shift
    for target_ in emulate sequential; do
        "$@" --ws-frontend=clang --ws-target=$target_ -O2 -Wall -Werror "$option" kernel.c main.c -o p &&
            test "$(./p)" = good || return 1
    done
}
if grep -q '^clang-frontend = .' "$top_builddir/wscc.conf"; then
    ok_plain 'the clang front end: -Wall -Werror -flto' frontend_lto -flto=1 "$wscc"
    if command -v clang >/dev/null 2>&1; then
        ok_plain 'the clang front end, WSCC_CC=clang: -Wall -Werror -flto' frontend_lto -flto by_clang
    fi
fi

# One object for cuda and for emulation.
cat >more.c <<'END'
#include <ws.h>
void shift(int n, float *y, const float *x);
static void scale(int n, float *y, const float *x) /* a kernel of this name is in kernel.c, too */
{
    ws_tensor tx = ws_tensor_1d(x, WS_F32, n), ty = ws_tensor_1d(y, WS_F32, n);
    #pragma ws grid(1)
    for (int j = 0; j < n; j += 32)
        ws_store_row(ty, j, ws_add(ws_load_row(tx, j, 32), 3));
}
void shift(int n, float *y, const float *x) { scale(n, y, x); }
END
cat >both.c <<'END'
#include <stdio.h>
#include <string.h>
#include <ws.h>
void scale(int n, float *y, const float *x);
void shift(int n, float *y, const float *x);
static void line(const char *text, void *user) { printf("%s %s\n", (char *)user, text); }
int main(int argc, char **argv)
{
    static float host[16 * 40];
    if (argc > 1)
        ws_set_log(line, argv[1]);
    float *x = ws_alloc(sizeof host), *y = ws_alloc(sizeof host);
    for (int i = 0; i < 16 * 40; i++)
        host[i] = i;
    ws_copy(x, host, sizeof host);
    scale(40, y, x);
    shift(16 * 40, x, y);
    ws_copy(host, x, sizeof host);
    ws_or_die(ws_last_error());
    for (int i = 0; i < 16 * 40; i++)
        if (host[i] != 2 * i + 4)
            return printf("%d is %g\n", i, host[i]);
    puts("good");
    return 0;
}
END
both() { "$wscc" --ws-target=cuda,emulate "$@"; }
works() { test "$(WS_TARGET=emulate ./p)" = good; }
both_objects() { both -O2 -MD -c kernel.c more.c both.c && both kernel.o more.o both.o -o p && works &&
    grep -q cuda/ kernel.d && grep -q emulate/ kernel.d; }
both_lto() { both -O2 -flto=1 kernel.c more.c both.c -o p && works; }
both_unoptimized() { both -O0 -g kernel.c more.c both.c -o p && works; }
both_shared() {
    both -O2 -fPIC -shared kernel.c -o libk.so && both -O2 -fPIC -shared more.c -o libm2.so &&
        both both.c -L. -lk -lm2 -Wl,-rpath,"$PWD" -o p && works
}
both_kept() { both -O2 -S kernel.c -o kernel.s --ws-keep && both kernel.s kernel.cu more.c both.c -o p && works; }
# Of the emulated version only the launcher is seen from outside.
both_apart() {
    both -O2 -c kernel.c && "$wscc" --ws-target=emulate -O0 -g -c kernel.c -o e.o && nm e.o | grep ' [A-Z] ' |
        grep -v ' U ' >../text
    grep -v ' T scale$' ../text | grep -v ' T ws_launch_scale$' | grep . && return 1
    test "$(nm kernel.o | grep -c ' T ws_.*_launch_scale$')" = 2
}
falls() { # said once, and on standard error unless the program has a log
    ./p >../text 2>../said && cat ../said && grep -q good ../text && test "$(wc -l <../said)" = 1 &&
        grep -q 'emulated on the CPU' ../said &&
        ./p log >../text 2>../said && ! test -s ../said && test "$(grep -c '^log ws: kernels are emulated' ../text)" = 1
}
asked() { WS_TARGET=emulate ./p >../text 2>&1 && test "$(cat ../text)" = good; }
misspelt() { WS_TARGET=gpu ./p 2>&1 | grep -q 'WS_TARGET=gpu is not known: it is cuda or emulate'; }
cuda_asked() { ! WS_TARGET=cuda ./p >../text 2>&1 && grep -qiE 'device|memory' ../text; }
if has_plugin && test -n "${NVCC-}" && ! sanitized; then
    ok 'cuda,emulate: symbols of the two do not meet' both_apart
    ok 'cuda,emulate: shared libraries' both_shared
    ok 'cuda,emulate: -flto' both_lto
    ok 'cuda,emulate: -O0 -g' both_unoptimized
    ok 'cuda,emulate: a kept .cu' both_kept
    ok 'cuda,emulate: objects' both_objects
    ok 'cuda,emulate: WS_TARGET=emulate says nothing' asked
    ok 'cuda,emulate: WS_TARGET has two values' misspelt
    if nvidia-smi -L >/dev/null 2>&1; then
        on_device() { ./p log >../text 2>&1 && cat ../text && test "$(cat ../text)" = good; }
        ok 'cuda,emulate: with a GPU kernels run on it' on_device
    else
        ok 'cuda,emulate: without a GPU kernels are emulated' falls
        ok 'cuda,emulate: WS_TARGET=cuda takes cuda, GPU or not' cuda_asked
    fi
else
    skip 'cuda,emulate' 'no nvcc, or sanitizers'
fi
done_testing
