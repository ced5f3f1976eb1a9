# SPDX-License-Identifier: GPL-3.0-or-later
title='tasks: divide a dequantizing product yourself'
answer=product.c
given=run.c
grade() {
    needs tasks-missing '#pragma ws task' 'No task is said: the compiler divides the loop by itself. Put two tasks into it, one that prepares the weights and one that multiplies.'
    test "$(grep -c '#pragma ws task' answer.c)" -ge 2 || mistake task-missing \
        'There is one task: what is in none belongs to the groups that multiply, or is divided by the compiler. Say who prepares and who multiplies.'
    graded_as_kernel
    test -n "$plugin" || return 0
    "$wscc" --ws-target=emulate --ws-dump=schedule -O1 -w -S answer.c -o /dev/null >dump 2>/dev/null
    grep '^role' dump >roles
    : >said
    test "$(grep -vc 'producer' roles)" -ge 2 ||
        mistake one-role "All arithmetic is in one role: $(grep -v producer roles | tr '\n' ';'). One task prepares the weights, another multiplies."
    needs groups-missing '#pragma ws task.*groups\([0-9]' 'The task that multiplies says how many groups do so: groups(2).'
    grep -q '^block.*groups=2' dump || mistake wrong-groups "Two groups are to multiply: $(grep '^block' dump)"
    theirs=$(clocks "$home/product.c" compiler) ours=$(clocks answer.c student)
    test -n "$ours" && test "$ours" -le "$theirs" || mistake slower-than-the-compiler \
        "A tile takes $ours clocks in the predicted timeline, and $theirs as the compiler divides and schedules it by itself (pipeline(auto)). Who waits for whom? Try other depths of the rings, and P."
}

clocks() { # FILE NAME: of one tile, in the predicted timeline
    "$wscc" --ws-target=emulate -O1 -w -I"$course" "$1" "$home/run.c" -o "$2" -lm >/dev/null 2>&1 || return 0
    WS_MACHINE=$course/../machines/hopper.machine WS_TIMELINE="$2.line" "./$2" >/dev/null 2>&1
    sed -n '1s/.*: \([0-9]*\) clocks.*/\1/p' "$2.line"
}
