#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# wscc --ws-step, WS_STEP: the emulation step by step, by commands of a file and in a terminal.

. "$(dirname "$0")/../tap.sh"

if ! has_plugin; then
    skip 'stepping' 'no plugin'
    done_testing
fi
cd "$work" || exit 99
cp "$top_srcdir/samples/gemm.c" "$top_srcdir/samples/check.h" .
ok 'a program that is stepped' "$wscc" --ws-step -O1 -w gemm.c -lm -o gemm
# stepped COMMAND...: what is said under these commands
stepped() {
    printf '%s\n' "$@" >commands
    WS_STEP=commands ./gemm 128 256 512 >said 2>&1
    status=$?
    cat said
    return $status
}

columns() { stepped 'step 60' quit && grep -q '^  producer 0  *consumer 1  *consumer 2' said &&
    grep -q 'ring ta_tb:  \[0: ' said && grep -q '^products: ' said && grep -q '^copies in: ' said; }
ok 'roles are columns, slots have phases, queues are shown' columns
goes_to_the_end() { stepped 'step 5' end && grep -q '^gemm: ok max error' said; }
ok 'the program ends as it would' goes_to_the_end
no_more_commands() { stepped step && grep -q '^gemm: ok max error' said; }
ok 'where commands end it runs on' no_more_commands
# The order is the seed's: choices of a whole run are those of the same run again.
same_order() { stepped 'break iteration 5' continue 'save one' quit && stepped restart 'break iteration 5' continue \
    'save two' quit && cmp one two && test "$(wc -l <one)" -gt 20; }
ok 'a seed replays' same_order
another_seed() { stepped 'step 20' 'save one' 'seed 9' 'step 20' 'save two' quit && ! cmp -s one two; }
ok 'another seed is another order' another_seed
# Back: the state is what it was.
back_same() {
    stepped 'step 40' quit && sed -n '/^(step) step 40/,/^(step) quit/p' said | sed '1d' >there
    stepped 'step 40' 'step 25' 'back 25' quit && sed -n '/^(step) back/,/^(step) quit/p' said | sed '1d' >again
    test -s there && cmp there again
}
ok 'back is where it was' back_same
# Memory, too: the kernel adds to what is there.
cat >adds.c <<'END'
#include <ws.h>
#include <stdio.h>
static void adds(int n, const float *x, float *y)
{
    ws_tensor tx = ws_tensor_2d(x, WS_F32, 16, n), ty = ws_tensor_2d(y, WS_F32, 16, n);
    #pragma ws grid(1)
    for (int j = 0; j < n; j += 32)
        ws_atomic_add(ty, 0, j, ws_load(tx, 0, j, 16, 32));
}
int main(void)
{
    static float x[16 * 32], y[16 * 32];
    for (int i = 0; i < 16 * 32; i++)
        x[i] = 1;
    adds(32, x, y);
    printf("sum %g\n", (double)y[5]);
    return 3;
}
END
memory_back() {
    "$wscc" --ws-step -O1 adds.c -lm -o adds || return 1
    printf 'continue\nback 1\ncontinue\nback 2\nend\n' >commands
    WS_STEP=commands ./adds >said
    test $? = 3 && cat said && grep -q '^sum 1$' said
}
ok 'back undoes what was stored, and the status is that of the program' memory_back
# Number 2 in place of what the seed would take.
chosen() {
    stepped 'step 40' 'save one' 2 'save two' quit && tail -n 1 two | grep -qx 2 && test "$(wc -l <two)" = 41
}
ok 'what is next can be chosen' chosen
too_many() { stepped 99 quit && grep -q 'there are [0-9]* possibilities' said; }
ok 'but not what is not possible' too_many
to_line() {
    line=$(grep -n 'acc = ws_dot' gemm.c | cut -d: -f 1)
    stepped "line $line" quit && grep "^stopped: gemm.c:$line (consumer" said && grep -q "$line: acc = ws_dot" said
}
ok 'run to a line' to_line
break_slot() { stepped 'break slot 1 ta_tb' continue continue quit && grep '^stopped: slot 1 of ta_tb is full' said &&
    grep '^stopped: slot 1 of ta_tb is empty' said; }
ok 'stop at a slot' break_slot
break_iteration() { stepped 'break iteration 6' continue quit && grep '^stopped: put 6 of ta_tb' said; }
ok 'stop at an iteration' break_iteration
held() { # nothing of the tensor cores, until nothing else is left
    stepped 'hold products' 'step 45' quit && grep -q '^products: .*; .*; ' said &&
        stepped 'step 45' quit && ! grep -q '^products: .*; .*; ' said
}
ok 'hold an engine' held
played() {
    stepped 'step 30' 'save one' quit && stepped 'seed 4' 'play one' 'save two' quit && cmp one two
}
ok 'choices are played again' played
refused() { stepped 'jump' 'break' 'step x' 'hold nothing' 'seed' 'break slot 1 none' quit &&
    test "$(grep -c 'help lists\|break slot J\|hold a group\|there is no' said)" -ge 6; }
ok 'what is no command is said' refused
another_block() {
    printf 'block 2\nstep 3\nend\n' >commands
    WS_STEP=commands ./gemm 256 512 512 >said 2>&1 && grep -q '^gemm: block 2, .*step 3' said
}
ok 'another block' another_block
no_lines() {
    "$wscc" --ws-target=emulate -O1 -w gemm.c -lm -o plain && printf 'step 50\nquit\n' >commands &&
        WS_STEP=commands ./plain 128 256 512 >said 2>&1 && grep -q 'step 50' said
}
ok 'a program that was not compiled for it' no_lines
switched_off() { WS_STEP='' ./gemm 128 256 128 </dev/null | grep -q 'ok max error'; }
ok 'WS_STEP with nothing in it switches it off' switched_off
unreadable() { WS_STEP=nowhere ./gemm 128 256 128 2>&1 | grep -q 'WS_STEP: cannot read nowhere'; }
ok 'commands that cannot be read' unreadable

# A student breaks the program: with the tensor cores held, a release too early meets a product in flight.
broken() {
    "$wscc" --ws-target=emulate --ws-keep -O1 -w -S gemm.c -o gemm.s >/dev/null 2>&1
    sed 's/consumed<1>/consumed<0>/' gemm.cu >lab.cu && "$wscc" --ws-step gemm.s lab.cu -lm -o lab || return 1
    printf 'hold products\ncontinue\nback 1\nstep\nend\n' >commands
    WS_STEP=commands ./lab 128 256 512 >said 2>&1
    cat said
    test "$(grep -c 'a report, behind' said)" = 2 && grep -q 'a product in flight reads it' said
}
ok 'a report can be gone back from' broken

sequential() { ! "$wscc" --ws-step --ws-target=sequential gemm.c -lm -o g 2>err && grep -q 'ws-step is for the emul' err; }
ok 'the sequential target has no steps' sequential

# In a terminal: the screen is cleared, commands come from it.
in_terminal() {
    printf 'step 12\nback 2\nq\n' | script -qec './gemm 128 256 512' /dev/null >said 2>&1
    tr -d '\r' <said | sed 's/\x1b\[[0-9]*[HJ]/@/g' >text
    cat text
    grep -q '@@gemm: block 0, seed 1, step 12' text && grep -q '@@gemm: block 0, seed 1, step 10' text
}
if command -v script >/dev/null 2>&1; then
    ok 'in a terminal' in_terminal
else
    skip 'in a terminal' 'no script'
fi
done_testing
