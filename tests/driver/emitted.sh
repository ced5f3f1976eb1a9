#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Emitted code in the user's hands: a .cu that was kept, maybe edited, compiled by wscc.

. "$(dirname "$0")/../tap.sh"
if ! has_plugin; then
    skip 'emitted code' 'no plugin'
    done_testing
fi
mkdir "$work/src" && cd "$work/src" || exit 99

cat >scale.c <<'END'
#include <ws.h>
void scale(int n, float *y, const float *x);
void scale(int n, float *y, const float *x)
{
    ws_tensor tx = ws_tensor_2d(x, WS_F32, 16, n), ty = ws_tensor_2d(y, WS_F32, 16, n);
    #pragma ws grid(1)
    for (int j = 0; j < n; j += 32) {
        ws_tile t = ws_load(tx, 0, j, 16, 32);
        ws_store(ty, 0, j, ws_mul(t, 2));
    }
}
END
cat >main.c <<'END'
#include <stdio.h>
void scale(int n, float *y, const float *x);
int main(void)
{
    static float x[16 * 40], y[16 * 40];
    for (int i = 0; i < 16 * 40; i++)
        x[i] = 1;
    scale(40, y, x);
    printf("%g\n", y[100]);
    return 0;
}
END

# The host part alone, and the emitted code, of which lab.cu is an edited copy.
"$wscc" --ws-target=emulate -S scale.c -o scale.s --ws-keep >../text 2>&1 || cat ../text
sed 's/, 2))/, FACTOR))/' scale.cu >lab.cu

program() { "$wscc" --ws-target=emulate "$@" -o p && test "$(./p)" = "$value"; }
value=2
ok 'a kept .cu, with the host part, in one go' program scale.s scale.cu main.c
value=7
ok 'an edited one' program -DFACTOR=7 scale.s lab.cu main.c
by_object() {
    rm -f lab.o
    "$wscc" --ws-target=emulate -DFACTOR=7 -MD -c lab.cu && program scale.s lab.o main.c &&
        grep -q '^lab.o: lab.cu' lab.d &&
        grep -q 'wsrt\.cuh' lab.d
}
ok 'through an object' by_object
debugged() { "$wscc" --ws-target=emulate -g -fPIC -DFACTOR=7 -c lab.cu -o lab.o && program scale.s lab.o main.c; }
ok '-g -fPIC' debugged

# An error is at the user's line, and nothing is left.
refused() {
    words=$1
    shift
    rm -f wrong.o
    ! "$wscc" "$@" >../text 2>&1 || return 1
    cat ../text
    grep -qE -e "$words" ../text && ! test -e wrong.o && ! grep -q 'please report' ../text
}
sed 's/ws::mul(/ws::mull(/' scale.cu >wrong.cu
line=$(grep -n 'mull' wrong.cu | sed 's/:.*//')
ok 'emulate: an error is at the line of the .cu' refused "^wrong.cu:$line:.*mull" --ws-target=emulate -c wrong.cu
ok 'not for sequential' refused 'scale.cu is for a GPU or its emulation' --ws-target=sequential -c scale.cu -o wrong.o
ok 'not to text' refused 'scale.cu is compiled to an object or a program' --ws-target=emulate -E scale.cu
ok 'not to assembly' refused 'scale.cu is compiled to an object or a program' --ws-target=emulate -S scale.cu -o wrong.o
echo '__global__ void mine() {}' >mine.cu
ok 'emulate: CUDA that was not emitted' refused 'mine.cu does not include <wsrt.cuh>' --ws-target=emulate -c mine.cu \
    -o wrong.o
# Under -g: gdb stops at the user's line and shows what is there; what is kept stays readable.
cat >stop.gdb <<'END'
set pagination off
break scale.c:9 if j == 0
run
info locals
print t_2
ws-tile t_2 12 30
END
stops() {
    "$wscc" --ws-target=emulate -g scale.c main.c -o p --ws-keep &&
        gdb -nx -batch -x "$("$wscc" --ws-print=gdb)" -x stop.gdb ./p >../text 2>&1
    cat ../text
    grep -q 'scale_all<.*> (.*) at .*scale\.c:9' ../text && grep -q '^9.*ws_store(ty, 0, j, ws_mul(t, 2))' ../text &&
        grep -q '^j = 0$' ../text && grep -q 'float, 16 x 32' ../text &&
            grep -q '^ *\[7,0\] 1 1 1 1 1 1 1 1$' ../text &&
        grep -q '^ *\[15,30\] 1 1$' ../text
}
kept_readable() { "$wscc" --ws-target=emulate -O2 -c scale.c --ws-keep && mv scale.cu plain.cu &&
    "$wscc" --ws-target=emulate -g -c scale.c --ws-keep && cmp plain.cu scale.cu; }
level() { "$wscc" --ws-target=emulate -v -c scale.c "$@" 2>&1 | grep -- '-x c++' | grep -o -- ' -O[^ ]*'; }
strange() { # a path that a string literal cannot hold as it is
    mkdir -p 'a "b\c' && cp scale.c 'a "b\c' && "$wscc" --ws-target=emulate -g 'a "b\c/scale.c' main.c -o p &&
        test "$(./p)" = 2 &&
        readelf --debug-dump=decodedline p | grep -F 'a "b\c/scale.c' | grep -v CU:
}
mapped() { # both halves of the object are from the folder that the user has said
    "$wscc" --ws-target=emulate -g -ffile-prefix-map="$PWD"=/home -c scale.c -o m.o &&
        readelf --debug-dump=info m.o >../text &&
        test "$(grep -c 'DW_AT_comp_dir.*: /home$' ../text)" = 2 && test "$(grep -c 'DW_AT_comp_dir' ../text)" = 2
}
levels() { test "$(level -g)" = ' -O0' && test "$(level -g -O2)" = ' -O2' && test "$(level -O0)" = ' -O2' &&
    test "$(level -Og -g)" = ' -Og'; }
ok 'a kept .cu is the same under -g' kept_readable
ok '-O0 is honoured under -g' levels
ok '-g: any path of a source' strange
ok '-g: -ffile-prefix-map' mapped
if command -v gdb >/dev/null 2>&1 && ! sanitized; then
    ok 'gdb stops at a line of the source and shows tiles' stops
else
    skip 'gdb stops at a line of the source and shows tiles' 'no gdb, or sanitizers'
fi

cuda() { "$wscc" --ws-target=cuda -DFACTOR=7 -c lab.cu && nm lab.o | grep -q ' T ws_launch_scale' && ! ls |
    grep -qE '\.(ii|cubin|ptx)$'; }
cuda_plain() { "$wscc" --ws-target=cuda -c mine.cu; }
if test -n "${NVCC-}"; then
    ok 'cuda: an edited .cu' cuda
    ok 'cuda: any .cu' cuda_plain
    ok 'cuda: an error is at the line of the .cu' refused "^wrong.cu\($line\):.*mull" --ws-target=cuda -c wrong.cu
else
    skip 'cuda: an edited .cu' 'no nvcc'
fi
done_testing
