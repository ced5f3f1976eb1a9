#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Variables of the environment: one table of them, which the manual shows; values and names that it does not have are
# warnings, said once in a process, and count as none.

. "$(dirname "$0")/../tap.sh"
cd "$work" || exit 99
table=$top_srcdir/runtime/host/environment.def

sed -n 's/^SETTING(\([A-Z_]*\), [A-Z_]*, "\([^"]*\)", "\([^"]*\)", "\([^"]*\)")$/| `\1` | \2 | \3 | \4 |/p' "$table" >rows
complete() { test "$(wc -l <rows)" = "$(grep -c '^SETTING' "$table")" && test "$(wc -l <rows)" -ge 15; }
ok 'each row of the table is read' complete
manual() {
    sed -n '/^| variable | value | read by | meaning |$/,/^$/p' "$top_srcdir/docs/reference.md" | grep '^| `WS_' | diff rows -
}
ok 'the manual shows them' manual
# What starts processes has names of its own (host/team.c), which go the same way.
one_place() { ! grep -rn 'getenv *(' "$top_srcdir/runtime" "$top_srcdir/tests/interpret" | grep -v '/host/environment\.c:'; }
ok 'nothing else of the runtime looks at the environment' one_place
named() {
    grep -rhoE 'ws_environment_\(\\?"[A-Z_]*' "$top_srcdir/runtime" "$top_srcdir/tests/interpret" | sed 's/.*"//' | sort -u >used
    sed -n 's/^| `\([A-Z_]*\)`.*/\1/p' rows | sort >known
    echo WS_SCHEDULES >>used # of interpret.c, by a function
    sort -u used | diff known -
}
ok 'and it looks at these alone' named

cat >kernel.c <<'END'
#include <ws.h>
void shift(long rows, const float *x, float *y);
void shift(long rows, const float *x, float *y)
{
    ws_tensor tx = ws_tensor_2d(x, WS_F32, rows, 32), ty = ws_tensor_2d(y, WS_F32, rows, 32);
    #pragma ws grid(1)
    for (int j = 0; j < 32; j += 32)
        ws_store(ty, 0, j, ws_add(ws_load(tx, 0, j, 16, 32), 1));
}
END
# An argument: threads; with it the variable of the second is set before the second round of launches.
cat >main.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <ws.h>
void shift(long rows, const float *x, float *y);
static float x[16 * 32];
static void *several(void *of)
{
    for (int i = 0; i < 3; i++)
        shift(16, x, of);
    return of;
}
int main(int argc, char **argv)
{
    static float y[8][16 * 32];
    const int threads = argc > 1 ? atoi(argv[1]) : 0;
    pthread_t thread[8];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < threads; i++)
            pthread_create(&thread[i], NULL, several, y[i]);
        several(y[7]);
        for (int i = 0; i < threads; i++)
            pthread_join(thread[i], NULL);
        if (argc > 2)
            setenv(argv[2], argv[3], 1);
    }
    printf("%g\n", y[7][511]);
    return 0;
}
END

# says VARIABLE=VALUE... -- LINE...: exactly these lines on standard error, and the program does what it does
says() {
    set -- "$@" ''
    given=
    while test "$1" != --; do given="$given '$1'" && shift; done
    shift
    printf '%s\n' "$@" | sed '/^$/d' | sort >want
    eval "env -i LD_LIBRARY_PATH='${LD_LIBRARY_PATH-}' $given ${program-./emulate} ${steps-0}" >out 2>err ||
        { cat err; return 1; }
    test "$(cat out)" = 1 && sort err | diff want -
}
all_bad() {
    says WS_ERRORS=abrot WS_TARGET=gpu WS_SEED=7x WS_SCHEDULES=0 WS_ORDER='0:1(2' WS_CHOICE=64x WS_TUNE=yes \
        WS_TEAM=team WS_WATCHDOG=4000 WS_FAULT=lots:shift -- \
        'ws: WS_ERRORS=abrot is not known: it is abort, print or quiet' \
        'ws: WS_TARGET=gpu is not known: it is cuda or emulate' \
        'ws: WS_SEED=7x is not known: it is a whole number' \
        'ws: WS_SCHEDULES=0 is not known: it is a whole number, or all' \
        'ws: WS_ORDER=0:1(2 is not known: it is a block and its choices, as in 0:0102(11)3' \
        'ws: WS_CHOICE=64x is not known: it is numbers as in 64x128, or an index' \
        'ws: WS_TUNE=yes is not known: it is 0 or 1' \
        'ws: WS_TEAM=team is not known: it is NAME:RANK:SIZE' \
        'ws: WS_WATCHDOG=4000 is not known: it is seconds, from 1 to 3999' \
        'ws: WS_FAULT=lots:shift is not known: it is silent:KERNEL#2@1 or lost:KERNEL, with commas between'
}
more_bad() {
    says WS_ERRORS=or WS_TARGET='cuda or emulate' WS_SEED=-1 WS_SCHEDULES=al WS_ORDER=x WS_CHOICE=x64 WS_TUNE=01 \
        WS_TEAM=a:b:2 WS_WATCHDOG=5s WS_FAULT='lost:a,' -- \
        'ws: WS_ERRORS=or is not known: it is abort, print or quiet' \
        'ws: WS_TARGET=cuda or emulate is not known: it is cuda or emulate' \
        'ws: WS_SEED=-1 is not known: it is a whole number' \
        'ws: WS_SCHEDULES=al is not known: it is a whole number, or all' \
        'ws: WS_ORDER=x is not known: it is a block and its choices, as in 0:0102(11)3' \
        'ws: WS_CHOICE=x64 is not known: it is numbers as in 64x128, or an index' \
        'ws: WS_TUNE=01 is not known: it is 0 or 1' \
        'ws: WS_TEAM=a:b:2 is not known: it is NAME:RANK:SIZE' \
        'ws: WS_WATCHDOG=5s is not known: it is seconds, from 1 to 3999' \
        'ws: WS_FAULT=lost:a, is not known: it is silent:KERNEL#2@1 or lost:KERNEL, with commas between'
}
good() {
    says WS_ERRORS=print WS_TARGET=emulate WS_SEED=0x7 WS_SCHEDULES=all WS_ORDER='0:0102(11)3' WS_CHOICE=64x128 \
        WS_TUNE=0 WS_TEAM=a.b-c:0:1 WS_WATCHDOG=3999 WS_FAULT='silent:gather#2@1,lost:product' WS_TRACE=trace \
        WS_TIMELINE=line WS_TUNED=tuned WS_MACHINE="$top_srcdir/machines/hopper.machine" -- &&
        says WS_ERRORS=quiet WS_TUNE=1 WS_SCHEDULES=20 WS_CHOICE=3 WS_ORDER=1:0 WS_FAULT=lost:x@1 -- &&
        says WS_ERRORS= WS_TARGET= WS_SEED= WS_SCHEDULES= WS_ORDER= WS_CHOICE= WS_TUNE= WS_TEAM= WS_WATCHDOG= \
            WS_FAULT= WS_TRACE= WS_TIMELINE= WS_TUNED= WS_MACHINE= WS_STEP= --
}
# Each name with a letter more, a letter less, another one, and two exchanged: where these are no names themselves.
misspelt() {
    for name in $(cat known); do
        short=${name%?}
        swapped=$(echo "$name" | sed 's/\(.\)\(.\)$/\2\1/')
        for wrong in "${name}X" "$short" "${short}_" "WS_${name#WS_?}" "SW_${name#WS_}" "$swapped" "WSX${name#WS}" \
            "S${name#W}" "${name#W}"; do
            case " $(tr '\n' ' ' <known) " in *" $wrong "*) continue ;; esac
            echo "$wrong"
        done
    done | sort -u >wrongs
    set --
    while read -r wrong; do set -- "$@" "$wrong=7"; done <wrongs
    env -i LD_LIBRARY_PATH="${LD_LIBRARY_PATH-}" "$@" ./emulate >out 2>err
    cut -d' ' -f2 err | sort | comm -3 - wrongs | sed 's/^\t//' >left
    cat left
    test "$(wc -l <wrongs)" -gt 90 && ! test -s left && ! grep -v '^ws: [A-Z_]* is not known: did you mean WS_[A-Z]*?$' err
}
foreign() { says WS_FOO=1 WS_HOME=/ WS_SEDDD=1 WSEED=1 SEED=x WS=1 WS_=2 ws_seed=3 WS_ESEDD=4 XWS_SEEDX=5 HOME=/ --; }
later() { steps='2 WS_SEED odd' says -- 'ws: WS_SEED=odd is not known: it is a whole number'; }
one_says() { says WS_SEDD=7 WS_WATCHDOG=x -- 'ws: WS_SEDD is not known: did you mean WS_SEED?' \
    'ws: WS_WATCHDOG=x is not known: it is seconds, from 1 to 3999'; }
threads() { for n in 1 2 3; do steps='7 WS_SEED odd' says WS_SEDD=$n WS_SEED=odd -- \
    'ws: WS_SEDD is not known: did you mean WS_SEED?' 'ws: WS_SEED=odd is not known: it is a whole number' || return 1; done; }
# The status is that of the program, and the one of an error that nobody read.
quiet() { says WS_ERRORS=quiet WS_SEDD=7 -- 'ws: WS_SEDD is not known: did you mean WS_SEED?'; }

"$wscc" -O1 --ws-target=emulate kernel.c main.c -lm -lpthread -o emulate || exit 99
ok 'a bad value of each' all_bad
ok 'other bad values' more_bad
ok 'good values, and none' good
ok 'each name with one letter wrong' misspelt
ok 'names of others' foreign
ok 'a value that the program sets' later
ok 'once, whatever threads launch' threads
ok 'quiet is about errors' quiet
counts_as_none() { # the order of seed 1 is that without a seed
    for seed in 1 '' 1x; do WS_SEED=$seed WS_TRACE=trace.$seed ./emulate 2>/dev/null || return 1; done
    cmp trace.1 trace. && cmp trace.1 trace.1x && WS_SEED=2 WS_TRACE=trace.2 ./emulate && ! cmp -s trace.1 trace.2
}
ok_plain 'a bad value counts as none' counts_as_none
on_sequential() {
    "$wscc" -O1 --ws-target=sequential kernel.c main.c -lm -lpthread -o sequential && program=./sequential one_says
}
ok 'sequential' on_sequential
library() {
    "$wscc" -O1 --ws-target=emulate -fPIC -shared kernel.c -lm -o libkernel.so &&
        $host_cc -I"$top_srcdir/runtime/include" main.c -L. -lkernel -lpthread -Wl,-rpath,"$PWD" -o shared && program=./shared one_says
}
ok_plain 'kernels in a shared library' library
static() { "$wscc" -O1 -static --ws-target=emulate kernel.c main.c -lm -lpthread -o static && program=./static one_says; }
if echo 'int main(void) { return 0; }' | $host_cc -x c - -static -o none 2>/dev/null; then
    ok_plain 'a static program' static
else
    skip 'a static program' 'no static libc'
fi
done_testing
