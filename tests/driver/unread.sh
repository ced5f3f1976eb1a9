#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Errors that nobody reads are said on standard error, and give the program a status.

. "$(dirname "$0")/../tap.sh"
cd "$work" || exit 99

cat >kernel.c <<'END'
#include <ws.h>
void shift(long rows, const float *x, float *y);
void race(const float *x, float *y);
void shift(long rows, const float *x, float *y)
{
    ws_tensor tx = ws_tensor_2d(x, WS_F32, rows, 32), ty = ws_tensor_2d(y, WS_F32, rows, 32);
    #pragma ws grid(1)
    for (int j = 0; j < 32; j += 32)
        ws_store(ty, 0, j, ws_add(ws_load(tx, 0, j, 16, 32), 1));
}
void race(const float *x, float *y)
{
    ws_tensor tx = ws_tensor_2d(x, WS_F32, 16, 32), ty = ws_tensor_2d(y, WS_F32, 16, 32);
    #pragma ws grid(1)
    for (int j = 0; j < 64; j += 32)
        ws_store(ty, 0, 0, ws_add(ws_load(tx, 0, 0, 16, 32), j));
}
END
# What the program does is its first argument: a letter for each step.
cat >main.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <ws.h>
void shift(long rows, const float *x, float *y);
void race(const float *x, float *y);
static float x[16 * 32], y[16 * 32];
static void *in_thread(void *unused) { race(x, y); shift(-1, x, y); return unused; }
static void *failing(void *unused) { shift(-2, x, y); return unused; }
static void goodbye(void) { puts("goodbye"); }
int main(int argc, char **argv)
{
    atexit(goodbye);
    for (const char *step = argc > 1 ? argv[1] : ""; *step; step++) {
        pthread_t thread;
        if (*step == 'r') race(x, y);
        if (*step == 'e') shift(-1, x, y);
        if (*step == 'f') shift(-2, x, y);
        if (*step == 'g') shift(16, x, y);
        if (*step == 'l') (void)ws_last_error();
        if (*step == 'm') (void)ws_error_message();
        if (*step == 'd') ws_or_die(ws_last_error());
        if (*step == 't') pthread_create(&thread, NULL, in_thread, NULL), pthread_join(thread, NULL);
        if (*step == 'u') pthread_create(&thread, NULL, failing, NULL), pthread_join(thread, NULL);
        if (*step == 's') ws_sync();
        if (*step == 'c' && fork() == 0) exit(0);
        if (*step == 'w') { int status = 99; wait(&status); _exit(WEXITSTATUS(status)); }
        if (*step == '1') return 1;
        if (*step == '3') return 3;
        if (*step == '_') _exit(0);
        if (*step == '.') fputs("here\n", stderr);
    }
    printf("done "); /* and no line's end, that would flush it */
    return 0;
}
END
cat >load.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    static float x[16 * 32], y[16 * 32];
    void *library = dlopen("./libkernel.so", RTLD_NOW);
    void (*race)(const float *, float *) = library ? (void (*)(const float *, float *))dlsym(library, "race") : 0;
    if (!race)
        return fprintf(stderr, "%s\n", dlerror()), 4;
    race(x, y);
    dlclose(library);
    puts("done");
    return 0;
}
END

# The order of the run: which block of a pair reports depends on it.
order='s/CTA [0-9]*, seed [0-9]*/CTA N, seed N/'

# says STEPS STATUS LINE...: exactly these lines on standard error
says() {
    steps=$1 status=$2
    shift 2
    printf '%s\n' "$@" | sed '/^$/d' >want
    (ulimit -c 0; exec "${program-./emulate}" "$steps") >out 2>err
    got=$?
    sed "$order" err | diff want - && test $got = "$status" || { echo "status $got"; return 1; }
    case $steps in *_* | *w* | *d* | *a*) ;; *) test "$status" -gt 99 || grep -q goodbye out ;; esac
}
with() { (export WS_ERRORS="$1"; shift; says "$@"); }

shift1='ws: shift: tensor tx: extent -1 of dimension 0 is below 0, or a subscript is: let the pointer be that of the first element'
shift2='ws: shift: tensor tx: extent -2 of dimension 0 is below 0, or a subscript is: let the pointer be that of the first element'
if ! has_plugin; then
    skip 'unread errors' 'no plugin'
    done_testing
fi
build() { "$wscc" -O2 --ws-target=emulate kernel.c main.c -lm -lpthread -o emulate; }
ok 'the program is built' build
race=$(./emulate r 2>&1 >/dev/null | sed "$order")
named() { echo "$race" | grep '^ws: race: .*independent.* ty\[0\]\[0\]$'; }
ok 'a finding names kernel, reason and tensor' named
ok 'nothing to say' says gg 0 ''
ok 'a launch that failed, at the end of the program' says e. 3 here "$shift1"
ok 'when the next launch begins' says eg. 3 "$shift1" here
ok 'when the next ws_sync begins' says es. 3 "$shift1" here
ok '_exit leaves its status, too' says eg_ 0 "$shift1"
ok 'the status of a program that fails behind an error stays' says e1 1 "$shift1"
ok 'of a thread that has ended, an error' says u. 3 "$shift2" here
ok 'of two threads: the one that is not read' says uel 3 "$shift2"
ok 'messages are read all along' says mem 0 ''
ok 'but not the last' says mf 3 "$shift2"
ok 'the message of the first was read' says emf 3 "$shift2"
ok 'each one' says efge. 3 "$shift1" "$shift2" "$shift1" here
ok 'not a line for each of many' says eeeeeeeeeeee 3 "$shift1" "$shift1" "$shift1" "$shift1" "$shift1" "$shift1" \
    "$shift1" \
    "$shift1" 'ws: and 4 more errors that nobody read'
ok 'nothing where the program reads its errors' says elfleml 0 ''
ok 'nor at the next launch, where it reads later' says lefgl 0 ''
ok 'what it left unread, at its end' says lefg. 3 here "$shift1"
ok 'the message counts as read' says em 0 ''
ok 'ws_or_die says it once' says ed 1 "$shift1"
ok 'a finding is said at once, and makes the status 1' says r. 1 "$race" here
ok 'the status of a program that fails anyway stays' says r3 3 "$race"
ok 'a finding that was read is no failure' says rl 0 "$race"
ok 'nor is it said where the program reads its errors' says lrl. 0 here
ok 'said once by ws_or_die, too' says rd 1 "$race"
ok 'behind an error of another launch' says er 1 "$shift1" "$race"
ok '_exit ends as the program says' says r_ 0 "$race"
ok 'of a thread that has ended' says t. 1 "$race" "$shift1" here
ok 'of a thread, in a program that reads its own' says lt. 1 "$race" here
ok 'a child does not say it again' says ec 3 "$shift1"
ok 'nor does it end with a status for it' says ecw 0 ''
ok 'nor for that of a thread' says ucw 0 "$shift2"
ok 'quiet: neither lines nor a status' with quiet er 0 ''
ok 'quiet, an error alone' with quiet egs. 0 here
ok 'print: those that are read, too' with print le.lf 3 "$shift1" here "$shift2"
ok_plain 'abort' with abort lea 134 "$shift1"
ok 'a value that is not known' with abrot ge. 3 'ws: WS_ERRORS=abrot is not known: it is abort, print or quiet' here \
    "$shift1"
whole() { test "$(./emulate r 2>/dev/null)" = 'done goodbye'; }
ok 'what was printed is there' whole

library() {
    "$wscc" -O2 --ws-target=emulate -fPIC -shared kernel.c -lm -o libkernel.so && $host_cc load.c -ldl -o load &&
        program=./load says _ 1 "$race" && grep -q done out
}
ok_plain 'from a library that is gone by then' library
static() {
    "$wscc" -O2 -static --ws-target=emulate kernel.c main.c -lm -lpthread -o static &&
        program=./static says r. 1 "$race" here
}
if echo 'int main(void) { return 0; }' | $host_cc -x c - -static -o none 2>/dev/null; then
    ok_plain 'in a static program' static
else
    skip 'in a static program' 'no static libc'
fi
done_testing
