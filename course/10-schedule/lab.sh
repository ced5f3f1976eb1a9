# SPDX-License-Identifier: GPL-3.0-or-later
title='a modulo schedule by hand, against the solver'
answer=attention.schedule
given='loop.loop small.machine'
grade() {
    test -x "$tools/wsc-solve" || { echo "lab $lab: no wsc-solve beside wscc" >&2; exit 2; }
    grep -q '?' answer.schedule && mistake not-begun 'A cycle is still to be filled in.'
    "$tools/wsc-solve" --check=answer.schedule "$home/small.machine" "$home/loop.loop" >said 2>&1 ||
        explain wrong 'The schedule is not right.'
    interval=$(sed -n 's/.*: interval \([0-9]*\),.*/\1/p' said)
    test "$interval" -le 2 || mistake interval-too-large \
        "The schedule is right, with an interval of $interval. The tensor core has two products in each iteration and is free in the other cycles: there is a smaller one."
    length=$(sed -n 's/.*length \([0-9]*\),.*/\1/p' said)
    test "$length" -le 4 || mistake iteration-too-long "The interval is the smallest, but an iteration takes $length cycles, and its values live as long: 4 are enough."
}
