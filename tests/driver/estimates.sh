#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What launchers choose by estimates, for extents of which measurements say what is faster (bench/notes/clusters.md,
# bench/notes/devices.md): the emitted conditions, without launches.
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/tap.sh"

has_plugin || { echo '1..0 # SKIP no plugin'; exit 0; }
top_srcdir=$(cd "$top_srcdir" && pwd) wscc=$(cd "$top_builddir" && pwd)/wscc
cd "$work" || exit 99

# ---- clusters that share loads ---------------------------------------------------------------------------------------

cat >product.c <<'END'
#include <ws.h>
void product(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, ws_f16 *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F16, M, N);
#pragma ws grid(2)
    for (int i = 0; i < M; i += 128)
        for (int j = 0; j < N; j += 128) {
            ws_tile acc = ws_zeros(WS_F32, 128, 128);
#pragma ws pipeline(auto)
            for (int k = 0; k < K; k += 64)
                acc = ws_dot(ws_load(a, i, k, 128, 64), ws_trans(ws_load(b, j, k, 128, 64)), acc);
            ws_store(c, i, j, ws_cast(acc, WS_F16));
        }
}
END
ok 'compiles' sh -c "'$wscc' --ws-target=emulate --ws-keep -O2 --ws-show -S product.c -o product.s 2>remarks"
ok 'remarks on both clusters' sh -c "grep -c 'in clusters of .x2 where' remarks | grep -qx 2"

# the conditions of the launcher, each of which names its form
{
    cat <<'END'
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <ws/backend.h>
namespace ws {
static long choice_multiprocessors() { return 132; }
static const char *choice_device() { return "none"; }
static int choice_may_measure() { return 0; }
}
#include "common/choice.cuh"
extern "C" {
enum ws_choosing ws_choosing(void) { return WS_CHOOSING_NOTHING; }
void ws_choice_tell(double) {}
int ws_choice_next(struct ws_choice *) { return 0; }
int ws_together_open(void) { return 0; }
}
END
    sed -n '/^extern "C" void ws_launch_product(/,/ws::launch call/p' product.cu |
        sed -e '/ws::launch call/d' -e 's/^ *ws_launch_product_in_\([0-9x]*\)(.*/puts("\1");/'
    cat <<'END'
    puts("alone");
}
int main(int argc, char **argv)
{
    ws_launch_product(atoi(argv[1]), atoi(argv[2]), atoi(argv[argc - 1]), nullptr, nullptr, nullptr);
}
END
} >which.cc
ok 'the launcher' $host_cxx -std=c++17 -I "$top_srcdir/runtime" -I "$top_srcdir/runtime/include" which.cc -o which
takes() { # FORM M N K
    ok "$2 x $3 x $4: $1" test "$(./which "$2" "$3" "$4")" = "$1"
}
takes alone 4096 4096 4096
takes alone 8192 8192 2048
takes alone 8192 8192 8192
takes alone 1024 1024 8192
takes alone 100352 128 128
takes 1x2 4096 4096 4128
takes 1x2 4096 4096 4112
takes 2x2 4096 4096 4104
takes 2x2 11736 2424 8408
takes 1x2 2048 2048 2056
takes 1x2 128 8192 4104
takes alone 128 128 4104
takes 2x2 1024 1024 1032
takes 1x2 512 512 4104
takes 2x2 256 4096 4104
takes 2x2 3000 3000 3000

# ---- tiles of a product over devices ---------------------------------------------------------------------------------

# The launcher says what it takes, and the program ends there.
cat >gathered.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ws.h>
void gathered(int n, int M, int N, int K, const ws_bf16 *const X[], const ws_bf16 *const W[], ws_bf16 *const Y[])
{
    int rows = M / n, cols = N / n;
    const long shape = ws_choice_shape(ws_shape(128, 128, 0), ws_shape(128, 256, 0));
    const int high = ws_shape_m(shape), wide = ws_shape_n(shape);
#pragma ws devices(n)
    for (int r = 0; r < n; r++) {
#pragma ws together
        ws_tensor w = ws_tensor_2d(W[r], WS_BF16, cols, K);
        for (int o = 0; o < n; o++) {
            int from = (r + o) % n;
            ws_tensor x = ws_tensor_2d(X[from], WS_BF16, rows, K);
            ws_tensor y = ws_tensor_2d(Y[r] + (size_t)from * rows * cols, WS_BF16, rows, cols);
#pragma ws grid(2)
            for (int i = 0; i < rows; i += high)
                for (int j = 0; j < cols; j += wide) {
                    ws_tile acc = ws_zeros(WS_F32, high, wide);
#pragma ws pipeline(auto)
                    for (int k = 0; k < K; k += 64)
                        acc = ws_dot(ws_load(x, i, k, high, 64), ws_trans(ws_load(w, j, k, wide, 64)), acc);
                    ws_store(y, i, j, ws_cast(acc, WS_BF16));
                }
        }
    }
}
static void say(const char *text, void *user)
{
    const char *takes = strstr(text, " takes ");
    (void)user;
    if (takes) {
        printf("%.7s\n", takes + 7);
        exit(0);
    }
}
int main(int argc, char **argv)
{
    const int n = 2, M = atoi(argv[1]), N = atoi(argv[argc - 2]), K = atoi(argv[argc - 1]);
    ws_bf16 *X[2], *W[2], *Y[2];
    for (int r = 0; r < n; r++) {
        X[r] = malloc(sizeof *X[r] * M / n * K);
        W[r] = malloc(sizeof *W[r] * N / n * K);
        Y[r] = malloc(sizeof *Y[r] * M * (N / n));
    }
    ws_set_log(say, NULL);
    gathered(n, M, N, K, (const ws_bf16 *const *)X, (const ws_bf16 *const *)W, Y);
    return 1;
}
END
ok 'compiles over devices' "$wscc" --ws-target=emulate -O2 gathered.c -o gathered
gathers() { # TILE M N K
    ok "$2 x $3 x $4 over two devices: $1" test "$(./gathered "$2" "$3" "$4")" = "$1"
}
gathers 128x128 1024 8192 8192
gathers 128x256 4096 8192 8192
gathers 128x256 8192 8192 8192
gathers 128x256 8192 28672 8192
done_testing
