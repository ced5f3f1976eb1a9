#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Loops over devices: what launches refuse where iterations would not be independent, or memory is another device's. The
# programs that are right: tests/programs/devices.c and samples.

. "$(dirname "$0")/../tap.sh"
cd "$work" || exit 99

cat >kernel.c <<'END'
#include <ws.h>
/* Y[r] = X[r + step], in a loop of `most` iterations over n devices from `first` on. */
void shift(int n, int most, int first, int step, const float *const X[], float *const Y[])
{
    #pragma ws devices(n)
    for (int r = first; r < most; r++) {
        ws_tensor x = ws_tensor_2d(X[r + step], WS_F32, 16, 32), y = ws_tensor_2d(Y[r], WS_F32, 16, 32);
        #pragma ws grid(1)
        for (int j = 0; j < 32; j += 32)
            ws_store(y, 0, j, ws_load(x, 0, j, 16, 32));
    }
}
/* Y[r] = the sum of the first `count` of X, with no loop over devices around the call of it. */
void sum(int n, int count, const float *const X[], float *const Y[])
{
    #pragma ws devices(n)
    for (int r = 0; r < n; r++) {
        #pragma ws grid(1)
        for (int j = 0; j < 32; j += 32) {
            ws_tile s = ws_zeros(WS_F32, 16, 32);
            for (int p = 0; p < count; p++)
                s = ws_add(s, ws_load(ws_tensor_2d(X[p], WS_F32, 16, 32), 0, j, 16, 32));
            ws_store(ws_tensor_2d(Y[r], WS_F32, 16, 32), 0, j, s);
        }
    }
}
void plain(const float *X, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, 16, 32), y = ws_tensor_2d(Y, WS_F32, 16, 32);
    #pragma ws grid(1)
    for (int j = 0; j < 32; j += 32)
        ws_store(y, 0, j, ws_load(x, 0, j, 16, 32));
}
END

cat >main.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ws.h>
void shift(int n, int most, int first, int step, const float *const X[], float *const Y[]);
void sum(int n, int count, const float *const X[], float *const Y[]);
void plain(const float *X, float *Y);
int main(int argc, char **argv)
{
    enum { BYTES = 16 * 32 * 4 };
    const char *what = argc > 1 ? argv[1] : "";
    float *X[16], *Y[16];
    for (int r = 0; r < 16; r++) {
        X[r] = ws_alloc_on(r, BYTES);
        Y[r] = ws_alloc_on(r, BYTES);
        for (int i = 0; i < BYTES / 4; i++)
            X[r][i] = (float)r, Y[r][i] = -1;
    }
    const float *const *x = (const float *const *)X;
    if (!strcmp(what, "good"))
        shift(3, 3, 0, 1, x, Y);
    else if (!strcmp(what, "good-sum"))
        sum(2, 2, x, Y);
    else if (!strcmp(what, "race"))
        shift(3, 3, 0, 1, x, X);
    else if (!strcmp(what, "twice"))
        Y[1] = Y[0], shift(2, 2, 0, 0, x, Y);
    else if (!strcmp(what, "part"))
        Y[1] = Y[0] + 64, shift(2, 2, 0, 0, x, Y);
    else if (!strcmp(what, "push"))
        shift(2, 2, 0, 0, x, Y + 1);
    else if (!strcmp(what, "more"))
        shift(2, 3, 0, 0, x, Y);
    else if (!strcmp(what, "first"))
        shift(3, 3, 1, 0, x, Y);
    else if (!strcmp(what, "negative"))
        shift(-1, 2, 0, 0, x, Y);
    else if (!strcmp(what, "none"))
        shift(0, 0, 0, 0, x, Y);
    else if (!strcmp(what, "outside"))
        plain(X[1], Y[0]);
    else if (!strcmp(what, "outside-good"))
        plain(X[0], Y[0]);
    else if (!strcmp(what, "own"))
        sum(2, 2, (const float *const *)(float *[]){Y[0], Y[1]}, Y);
    else if (!strcmp(what, "many"))
        sum(9, 2, x, Y);
    else if (!strcmp(what, "beyond"))
        sum(2, 3, x, Y);
    else if (!strcmp(what, "null"))
        sum(2, 2, NULL, Y);
    ws_status status = ws_last_error();
    printf("%d %s\n", status, status ? ws_error_message() : "");
    /* And a good loop works afterwards. */
    shift(3, 3, 0, 1, x, Y + 3 - 3);
    return !strcmp(what, "twice") || !strcmp(what, "part") ? ws_last_error() == WS_OK : ws_last_error() != WS_OK;
}
END

built() { "$wscc" --ws-target=$1 -O1 -w kernel.c main.c -o program-$1 -lm; }

# says WHAT TEXT
says() {
    ./program-emulate "$1" >said 2>&1 || { cat said; return 1; }
    grep -qF "$2" said || { cat said; return 1; }
}

if ! has_plugin; then
    skip 'loops over devices' 'no plugin'
    done_testing
    exit
fi
ok 'built' built emulate
ok 'three devices' says good '0 '
ok 'pointers that the grid chooses' says good-sum '0 '
ok 'no devices' says none '0 '
ok 'memory of device 0 outside such loops' says outside-good '0 '
ok 'what another iteration stores is loaded' says race \
    'shift: y: is stored by iteration 1 of a loop over devices, and overlaps x, which iteration 0 loads'
ok 'one tensor is stored by two' says twice 'y: is stored by device 1, and is memory of device 0'
ok 'one lies in the other' says part 'y: is stored by device 1, and is memory of device 0'
ok 'memory of another device is stored' says push 'y: is stored by device 0, and is memory of device 1'
ok 'more iterations than devices' says more 'devices(2): the loop has an iteration 2'
ok 'it does not begin at 0' says first 'a loop over devices counts 0, 1, 2 and so on'
ok 'less than no devices' says negative 'devices(-1)'
ok 'memory of device 1 outside such loops' says outside \
    'plain: x: is memory of device 1, and the launch is in no loop over devices'
ok 'a table that holds what is stored' says own 'overlaps'
ok 'more pointers than a kernel takes' says many '9 pointers'
ok 'a pointer behind the last' says beyond 'pointer 2 of an array of 2'
ok 'no pointers' says null 'the array of pointers is null'

# A loop right behind another one, and one behind a call.
cat >loops <<'END'
#include <ws.h>
void meet(int n, const float *const X[], float *const Y[], float *const Z[])
{
    int rows = 16;
    #pragma ws devices(n)
    for (int r = 0; r < n; r++)
        #pragma ws grid(1)
        for (int j = 0; j < 32; j += 32)
            ws_store(ws_tensor_2d(Y[r], WS_F32, rows, 32), 0, j,
                     ws_load(ws_tensor_2d(X[r], WS_F32, 16, 32), 0, j, 16, 32));
    BETWEEN

    #pragma ws devices(n)
    for (int r = 0; r < n; r++)
        #pragma ws grid(1)
        for (int j = 0; j < 32; j += 32)
            ws_store(ws_tensor_2d(Z[r], WS_F32, rows, 32), 0, j,
                     ws_load(ws_tensor_2d(Y[(r + 1) % n], WS_F32, 16, 32), 0, j, 16, 32));
}
END

# meets DOOR LEVEL HOW-OFTEN-THEY-MEET BETWEEN
meets() {
    door=$1 level=$2 count=$3
    sed "s|BETWEEN|$4|" loops >meet.c
    "$wscc" --ws-frontend=$door --ws-target=emulate -w $level -c meet.c -o meet.o || return
    nm -u meet.o >symbols
    test "$(grep -c ws_devices_again_ symbols)" = "$count" && grep -q ws_devices_end_ symbols || { cat symbols; return 1; }
}
for level in -O0 -O2; do
    ok "loops that follow each other meet, $level" meets gcc $level 1 ''
    ok "not with a call between them, $level" meets gcc $level 0 'ws_copy(Z[0], X[0], 4);'
done
if grep -q '^clang-frontend = ' "$top_builddir/wscc.conf"; then
    ok 'the same by clang' meets clang -O1 1 ''
    ok 'and with a call' meets clang -O1 0 'ws_copy(Z[0], X[0], 4);'
else
    skip 'the same by clang' 'no clang front end'
fi

# The samples on as many devices as one has, bit for bit.
same_sample() {
    for target in sequential emulate; do
        "$wscc" --ws-target=$target -O1 "$top_srcdir/samples/$1.c" -o "$1-$target" -lm || return
    done
    for n in 1 2 3 4 8; do
        ./$1-sequential $n >expected && WS_SEED=$n ./$1-emulate $n >seen && cmp expected seen || { cat seen; return 1; }
    done
}
for sample in all_gather ag_gemm gemm_rs tensor_mlp moe_dispatch; do
    ok "$sample on 1, 2, 3, 4 and 8 devices" same_sample $sample
done
done_testing
