# SPDX-License-Identifier: GPL-3.0-or-later
title='tasks: divide a dequantizing product yourself'
answer=product.c
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
}
