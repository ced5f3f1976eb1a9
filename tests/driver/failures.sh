#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What can go wrong around a compile: a compiler that is killed, a full disk, no memory, no folder for temporaries. wscc
# says so in a sentence, ends with a status other than 0, and leaves neither half an object nor temporaries. And what
# launches refuse that the sequential target cannot tell (the rest: tests/programs/launch_errors.c,
# tests/driver/options.sh).

. "$(dirname "$0")/../tap.sh"
cd "$work" || exit 99
mkdir src temporaries && cd src || exit 99
TMPDIR=$work/temporaries
export TMPDIR

cat >kernel.c <<'END'
#include <ws.h>
void twice(int n, float *y, const float *x);
void twice(int n, float *y, const float *x)
{
    ws_tensor tx = ws_tensor_2d(x, WS_F32, 16, n), ty = ws_tensor_2d(y, WS_F32, 16, n);
    #pragma ws grid(1)
    for (int j = 0; j < n; j += 32)
        ws_store(ty, 0, j, ws_mul(ws_load(tx, 0, j, 16, 32), 2));
}
END
cat >main.c <<'END'
#include <stdio.h>
#include <ws.h>
void twice(int n, float *y, const float *x);
int main(void)
{
    static float x[16 * 40], y[16 * 40];
    twice(40, y, x);
    ws_status status = ws_last_error();
    printf("%d %s\n", status, status ? ws_error_message() : "");
    return 0;
}
END

cat >launches.c <<'END'
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <ws.h>

static void shift(long rows, long cols, const float *x, float *y)
{
    ws_tensor tx = ws_tensor_2d(x, WS_F32, rows, cols), ty = ws_tensor_2d(y, WS_F32, rows, cols);
    #pragma ws grid(1)
    for (int j = 0; j < 32; j += 32)
        ws_store(ty, 0, j, ws_add(ws_load(tx, 0, j, 16, 32), 1));
}

/* A count that the step may not fit.  */
static void walk(int first, int n, long step, const float *x, float *y)
{
    ws_tensor tx = ws_tensor_2d(x, WS_F32, 16, 32), ty = ws_tensor_2d(y, WS_F32, 16, 32);
    #pragma ws grid(1)
    for (int j = first; j < n; j += step)
        ws_store(ty, 0, j, ws_add(ws_load(tx, 0, j, 16, 32), 1));
}

static void say(const char *what)
{
    ws_status status = ws_last_error();
    printf("%s: %d %s\n", what, status, status ? ws_error_message() : "");
}

int main(int argc, char **argv)
{
    static float x[64 * 32], y[64 * 32];
    (void)argv;
    float *vast = mmap(NULL, 1L << 38, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    shift(16, 32, x, x + 32);
    say("overlap");
    shift(16, 1L << 31, x, y);
    say("extent");
    if (argc > 1 && vast != MAP_FAILED) {
        shift(1L << 16, 1L << 20, vast, vast);
        say("vast");
    }
    walk(0, 32, 0, x, y);
    say("no step");
    walk(0, 32, -32, x, y);
    say("step away");
    walk(0, 32, 0x7fffffffL + 1, x, y);
    say("step beyond");
    walk(32, 64, 0x7fffffffL - 31, x, y);
    say("step behind");
    walk(32, 0, -32, x, y);
    say("nothing to do");
    walk(32, 64, 0x7fffffffL - 32, x, y);
    say("step to the end");
    shift(16, 32, x, x);
    say("in place");
    shift(16, 32, x, y);
    say("good");
    printf("%g %g\n", x[0], y[0]);
    return 0;
}
END

cat >equal.c <<'END'
#include <stdio.h>
#include <ws.h>

static void put(int n, const int *at, const float *x, float *y)
{
    ws_tensor k = ws_tensor_1d(at, WS_I32, n), tx = ws_tensor_1d(x, WS_F32, n), ty = ws_tensor_1d(y, WS_F32, n);
    #pragma ws grid(1)
    for (int i = 0; i < n; i += 8)
        ws_store_at(ty, ws_load_row(k, i, 8), ws_load_row(tx, i, 8));
}

int main(void)
{
    int at[16] = {1, 0, 3, 2, -1, -1, 5, 40};
    float x[16], y[16];
    for (int i = 0; i < 16; i++) {
        x[i] = i;
        at[i] = i < 8 ? at[i] : i;
    }
    put(16, at, x, y);
    printf("apart: %d\n", ws_last_error());
    at[2] = 0;
    put(16, at, x, y);
    ws_status status = ws_last_error();
    printf("equal: %d %s\n", status, status ? ws_error_message() : "");
    at[2] = 8;
    put(16, at, x, y);
    status = ws_last_error();
    printf("two tiles: %d %s\n", status, status ? ws_error_message() : "");
    return 0;
}
END

# A command that does what $1 says in the place of the first compiler of a run, or of the second.
cat >killed <<'END'
#! /bin/sh
kill -KILL $$
END
cat >full <<END
#! /bin/sh
trap '' XFSZ
ulimit -f 1
exec $host_cc "\$@"
END
cat >full++ <<END
#! /bin/sh
trap '' XFSZ
ulimit -f 1
exec $host_cxx "\$@"
END
cat >poor++ <<END
#! /bin/sh
ulimit -v 60000
exec $host_cxx "\$@"
END
chmod +x killed full full++ poor++

left() { find . "$TMPDIR" -mindepth 1 ! -name '*.c' ! -name killed ! -name full ! -name full++ ! -name poor++; }

# fails WORDS COMMAND...: with these words on standard error, nothing left behind
fails() {
    words=$1
    shift
    if "$@" >"$work/said" 2>&1; then
        echo 'it ends with 0'
        return 1
    fi
    cat "$work/said"
    test -z "$(left)" || { left; return 1; }
    grep -qiE "$words" "$work/said"
}

compile() { "$wscc" --ws-target="$target" -c kernel.c -o kernel.o; }

target=sequential
ok 'the host compiler is killed' fails 'kill|signal' env WSCC_CC="$PWD/killed" "$wscc" --ws-target=sequential \
    -c kernel.c -o kernel.o
ok_plain 'the disk is full' fails 'file|space|large|write' env WSCC_CC="$PWD/full" "$wscc" --ws-target=sequential \
    -c kernel.c -o kernel.o
not_a_folder() { TMPDIR=$work/nowhere "$wscc" --ws-target=emulate -c kernel.c -o kernel.o; }
if has_plugin; then
    target=emulate
    ok 'the compiler of the emitted code is killed' fails 'kill|signal' env WSCC_CXX="$PWD/killed" "$wscc" \
        --ws-target=emulate -c kernel.c -o kernel.o
    ok 'the disk is full when the emitted code is compiled' fails 'file|space|large|write' env WSCC_CXX="$PWD/full++" \
        "$wscc" --ws-target=emulate -c kernel.c -o kernel.o
    ok 'no memory for the emitted code' fails 'memory|kill|signal|alloc' env WSCC_CXX="$PWD/poor++" "$wscc" \
        --ws-target=emulate -c kernel.c -o kernel.o
    ok 'no folder for temporaries' fails 'nowhere' not_a_folder
    # An object from before stays as it was.
    kept() { compile && cp kernel.o "$work/before.o" && ! WSCC_CXX="$PWD/killed" compile 2>/dev/null; }
    unchanged() {
        kept || return 1
        test ! -f kernel.o || cmp kernel.o "$work/before.o"
        status=$?
        rm -f kernel.o
        return $status
    }
    ok 'no half of an object after one that was there' unchanged
fi

# An object has its kernels or is not there, and is another compile's or this one's.
whole() { nm "$1" | grep -q 'T ws_launch_twice$' || { echo "$1: no kernel"; return 1; }; }
cat >"$work/dies++" <<'END'
#! /bin/sh
kill -KILL $PPID
END
cat >"$work/twice++" <<END
#! /bin/sh
(cd "$PWD" && env -u WSCC_CXX "$wscc" --ws-target=emulate -MD -c kernel.c -o kernel.o) || exit
test -z "\$fails" || exit 1
exec $host_cxx "\$@"
END
chmod +x "$work/dies++" "$work/twice++"
dies() {
    (WSCC_CXX=$work/dies++ "$wscc" --ws-target=emulate -MD -c kernel.c -o kernel.o)
    test ! -f kernel.o && ls "$TMPDIR" && rm -rf "$TMPDIR"/*
}
two() {
    rm -f kernel.o kernel.d
    WSCC_CXX=$work/twice++ "$wscc" --ws-target=emulate -MD -c kernel.c -o kernel.o && whole kernel.o || return 1
    test "$(grep -c '^kernel.o:' kernel.d)" = 2
}
other() { rm -f kernel.o && ! fails=1 WSCC_CXX=$work/twice++ compile 2>/dev/null && whole kernel.o; }
linked() { touch "$work/actual.o" && ln -sf "$work/actual.o" link.o && "$wscc" --ws-target=emulate -c kernel.c -o link.o &&
    test -L link.o && whole "$work/actual.o"; }
itself() { cp kernel.c self.c && ! "$wscc" --ws-target=emulate -c self.c -o self.c && cmp kernel.c self.c; }

# Files that GCC makes beside an object are called what GCC calls them.
beside() { # OPTION...
    mkdir -p a/b a/c && rm -f a/b/* a/c/*
    (cd a && $host_cc -I"$top_srcdir/runtime/include" -Wno-unknown-pragmas "$@" -c ../kernel.c -o b/made.x.o &&
        "$wscc" --ws-target=emulate "$@" -c ../kernel.c -o c/made.x.o) || return 1
    (cd a/b && ls) >"$work/b" && (cd a/c && ls) | diff "$work/b" -
}

# Names that mean something to GCC's options, a shell, sed or a line marker.
cat >words <<'END'
a=b
-x
sp ace
it's
q"uo\te
$(touch pwned)`touch pwned`
e;touch pwned
END
each_name() { # OPTION...: as source, object, folder, and folder of temporaries
    while IFS= read -r odd; do
        mkdir -p "names/$odd" && cp kernel.c "names/$odd.c" || return 1
        (cd names && "$wscc" --ws-target=emulate "$@" -c "./$odd.c" && whole "./$odd.o" && rm "./$odd.o" &&
            "$wscc" --ws-target=emulate "$@" -c ../kernel.c -o "./$odd.o" && whole "./$odd.o" && rm "./$odd.o" &&
            "$wscc" --ws-target=emulate "$@" -MD -c ../kernel.c -o "./$odd/k.o" && whole "./$odd/k.o" &&
            test -s "./$odd/k.d" &&
            TMPDIR=$PWD/$odd "$wscc" --ws-target=emulate "$@" -c ../kernel.c -o k.o && whole k.o && rm k.o &&
            "$wscc" --ws-target=emulate "$@" "./$odd.c" ../main.c -lm -o "./$odd/program" &&
            test "$("./$odd/program")" = '0 ') || { echo "name: $odd"; return 1; }
    done <words
    test -z "$(find . "$TMPDIR" -name pwned)"
}
if has_plugin; then
    ok 'SIGKILL leaves no object without its kernel' dies
    ok 'two compiles of one object at the same time' two
    ok 'of which one fails' other
    ok 'an object behind a symbolic link' linked
    ok 'a source that is its own object' itself
    ok 'an object of no file' "$wscc" --ws-target=emulate -c kernel.c -o /dev/null
    ok_plain 'files beside the object' beside -g -gsplit-dwarf -ftest-coverage -fstack-usage -fdump-tree-optimized -MD
    ok 'names of files' each_name -O1
    ok 'names of files, for a debugger' each_name -g
    if "$wscc" --ws-frontend=clang --ws-target=emulate -c kernel.c -o kernel.o 2>/dev/null; then
        ok 'names of files, through Clang' each_name --ws-frontend=clang
    else
        skip 'names of files, through Clang' 'no Clang'
    fi
fi
# nvcc has a shell of its own, between whose double quotes names stand.
for_nvcc() {
    odd='$(touch pwned)'
    mkdir -p "$odd" && cp kernel.c "$odd.c" && TMPDIR=$PWD/$odd "$wscc" --ws-target=cuda --ws-keep -c "$odd.c" && whole "$odd.o" || return 1
    if "$wscc" --ws-target=cuda -c "$odd.cu" -o k.o 2>said; then return 1; fi
    grep -F "$odd.cu: nvcc passes names through a shell" said && test -z "$(find . "$TMPDIR" -name pwned)"
}
if has_plugin && test -n "${NVCC-}"; then
    ok 'names of files, for nvcc' for_nvcc
else
    skip 'names of files, for nvcc' 'no nvcc'
fi
rm -f ./*.o ./*.d

# 1: an argument; 3: overlap; 4: memory, on a GPU. What was refused leaves the next launch alone.
launches() {
    "$wscc" --ws-target="$1" launches.c -o "$work/launches" -lm || return 1
    "$work/launches" $2 | tee "$work/said"
    grep -q '^overlap: 3 .*overlap' "$work/said" && grep -q '^extent: 1 .*extent' "$work/said" &&
        grep -q '^no step: 1 .*walk.*would not end' "$work/said" &&
            grep -q '^step away: 1 .*would not end' "$work/said" &&
        grep -q '^step beyond: 1 .*wrap' "$work/said" && grep -q '^step behind: 1 .*wrap' "$work/said" &&
        grep -q '^nothing to do: 0' "$work/said" && grep -q '^step to the end: 0' "$work/said" &&
        grep -q '^in place: 0' "$work/said" && grep -q '^good: 0' "$work/said" && grep -q '^1 2$' "$work/said" &&
        { test "$1" = emulate || grep -q '^vast: 4 .*memory' "$work/said"; }
}
# Indices that stand twice.
equal_indices() {
    "$wscc" --ws-target="$1" equal.c -o "$work/equal" -lm || return 1
    "$work/equal" 2>/dev/null | tee "$work/said"
    grep -q '^apart: 0' "$work/said" && grep -q '^equal: [1-9].*index 0' "$work/said" &&
        { test "$1" = sequential || grep -q '^two tiles: [1-9].*both store ty.8' "$work/said"; }
}
ok 'a tile stores an element twice' equal_indices sequential
if has_plugin; then
    ok 'launches that are refused, emulated' launches emulate
    ok 'a tile stores an element twice, or two do, emulated' equal_indices emulate
fi
if has_plugin && test -n "${NVCC-}" && nvidia-smi -L >/dev/null 2>&1; then
    ok 'launches that are refused, on a GPU' launches cuda vast
else
    skip 'launches that are refused, on a GPU' 'no nvcc, or no GPU'
fi

no_gpu() {
    "$wscc" --ws-target=cuda kernel.c main.c -o "$work/program" -lm || return 1
    "$work/program" 2>"$work/errors" | tee "$work/said"
    grep -qiE '^5 .*(device|gpu|driver)' "$work/said" && test ! -s "$work/errors" || { cat "$work/errors"; return 1; }
    sed '/status/d' main.c >"$work/careless.c" # reads no errors
    "$wscc" --ws-target=cuda kernel.c "$work/careless.c" -o "$work/program" -lm || return 1
    "$work/program" 2>"$work/errors"
    test $? = 3 || return 1
    cat "$work/errors"
    grep -qiE '^ws: twice: .*(device|gpu|driver)' "$work/errors" && test "$(wc -l <"$work/errors")" = 1
}
if has_plugin && test -n "${NVCC-}" && ! nvidia-smi -L >/dev/null 2>&1; then
    ok 'a launch without a GPU' no_gpu
else
    skip 'a launch without a GPU' 'no nvcc, or a GPU'
fi
done_testing
