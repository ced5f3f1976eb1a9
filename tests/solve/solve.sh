#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The command line of wsc-solve: its files, its messages, its time; costs; streaming operations; the machines that are
# installed.

. "$(dirname "$0")/../tap.sh"
. "$top_srcdir/tests/solve/graphs.sh"
solve=$top_builddir/wsc-solve
test -x "$solve" || { echo '1..0 # SKIP no libcadical'; exit 0; }
machines=$top_srcdir/machines
cd "$work" || exit 99

# ---- errors: exactly this line, status 1, nothing on standard output
error() { # LINE INPUT [OPTION...]
    line=$1
    printf "$2" >in
    shift 2
    "$solve" "$@" in >out 2>err
    status=$?
    cat out err
    test $status = 1 && test ! -s out && test "$(cat err)" = "$line"
}
a='op a cycles=1\n'
ok 'an unknown statement' error "in:2: error: there is no statement 'opp'" "# x\nopp a\n"
ok 'an operation twice' error "in:2: error: operation 'a' is there twice" "$a$a"
ok 'an unknown operation' error "in:2: error: there is no operation 'b'" "${a}edge a -> b\n"
ok 'no arrow' error "in:2: error: an edge is: edge NAME -> NAME" "${a}edge a a\n"
ok 'an unknown unit' error "in:1: error: there is no unit 'TC'" 'op a cycles=1 unit=TC\n'
ok 'an unknown attribute' error "in:1: error: an operation has no 'cycle=1'" 'op a cycle=1\n'
ok 'no number' error "in:1: error: 'one' is no whole number from 0 to 1000000" 'op a cycles=one\n'
ok 'a number that is too large' error "in:1: error: '99999999999999999999' is no whole number from 0 to 1000000" \
    'op a cycles=99999999999999999999\n'
ok 'a word too much' error "in:1: error: '3' is too much" 'groups 2 3\n'
ok 'a cycle within an iteration' error \
    "wsc-solve: error: loop: 'a' needs itself in one iteration; an edge of the way lacks a distance" \
    "${a}op b cycles=1\nedge a -> b\nedge b -> a\n"
ok 'an edge twice' error 'wsc-solve: error: loop: the edge a -> a is there twice' \
    "${a}edge a -> a distance=1\nedge a -> a distance=1\n"
ok 'nothing to schedule' error 'wsc-solve: error: there is no operation to schedule' 'unit X\n'
ok 'a streaming operation that depends on something' error \
    "in:3: error: 'b' is streaming, and depends on nothing in the loop" \
    "${a}op b streaming\nedge a -> b\n"
ok 'an unknown kind' error "in:1: error: the machine has no kind 'mma'" 'op a kind=mma\n'
ok 'nothing that can be preferred' error \
    "in:1: error: 'fast' is nothing to prefer: spare, crossings, exposed, group-interval, carried, length, late" \
    'prefer crossings fast\n'
ok 'nothing that --prefer knows' error \
    "--prefer:1: error: 'fast' is nothing to prefer: spare, crossings, exposed, group-interval, carried, length, late" \
    "$a" --prefer=length,fast
ok 'preferred twice' error "in:1: error: 'length' is there twice" 'prefer length length\n'
ok 'no registers left' error 'wsc-solve: error: 8 registers to spare of 8 leave none' "registers 8\nspare 8\n$a"
ok "a unit of each group's own, in no group" error \
    "wsc-solve: error: loop: 'a' is in no group, and each group has a unit X of its own" \
    'unit X each-group\nop a cycles=1 unit=X variable\n'
ok 'an option that is not there' error "wsc-solve: error: there is no option '--grops=2'; wsc-solve --help lists them" \
    "$a" --grops=2
ok 'an option without a number' error 'wsc-solve: error: --groups=: a whole number from 1 on is wanted' "$a" --groups=
ok 'a file that is not there' error 'wsc-solve: error: nowhere: No such file or directory' "$a" nowhere
ok 'no room for the sum' error 'wsc-solve: error: loop: 2 operations do not get a cycle each with normalize 1' \
    "${a}op b cycles=1\nnormalize 1\n"
head -c 3000 /dev/zero >zeros
ok 'no text' error 'wsc-solve: error: zeros: this is no text' "$a" zeros

# ---- out: whole or not at all
figure_1 0 0 >fig1
hopper 'A B' >h2
folder() { mkdir -p there && ! "$solve" --output=there/x/y fig1 2>err && test -z "$(ls there)"; }
ok 'an output that cannot be written' folder
kept() { echo old >kept && ! "$solve" --interval=1 --output=kept fig1 2>/dev/null && test "$(cat kept)" = old; }
ok 'where there is no schedule the old file stays' kept
# Nothing smaller than 38 is possible, which takes long to show.
slow="--registers=1000 --stages=4"
cancelled() {
    echo old >kept
    "$solve" $slow --output=kept h2 2>err &
    pid=$!
    sleep 1
    kill -TERM $pid
    wait $pid
    status=$?
    cat err
    test $status = 143 && test "$(cat kept)" = old && test "$(ls kept*)" = kept && grep -q 'cancelled at interval 3' err
}
ok 'a signal leaves nothing half written' cancelled
out_of_time() { "$solve" $slow --time=0 h2 >out 2>err; test $? = 3 && test ! -s out &&
    grep -q 'out of time (0 s) at interval 32' err; }
ok 'out of time' out_of_time
in_part() { "$solve" $slow --time=4 --output=part h2 && cat part && grep -q '^# intervals from 3[2-7] to' part &&
    "$solve" --registers=1000 --check=part h2; }
ok 'no time to show that there is nothing better: a schedule, and what was not decided' in_part
none() { "$solve" --interval=1 fig1 >out 2>err; test $? = 2 && grep -q 'impossible with unit TC' err; }
ok 'no schedule: status 2, and why' none
progress() { "$solve" --progress fig1 2>&1 >out | grep -q 'I = 2 (bound 2), 3 stages, [0-9]* clauses'; }
ok 'progress' progress

# ---- the checker sees each kind of mistake
"$solve" --groups=2 --registers=240 --crossings=0 --output=good h2
checker() { ! sed "$1" good >bad || ! cmp -s good bad &&
    ! "$solve" --groups=2 --registers=240 --crossings=0 --check=bad h2 2>err && cat err && grep -q "$2" err; }
good() { "$solve" --groups=2 --registers=240 --crossings=0 --check=good h2; }
ok 'the checker takes what is right' good
ok 'a dependence' checker 's/^op PA at=[0-9]*/op PA at=2/' 'is issued .* cycles behind'
ok 'a unit' checker "s/^op SB at=.* g/op SB at=$(sed -n 's/^op SA at=\([0-9]*\).*/\1/p' good) g/" 'unit TC: 2 of 1'
ok 'a crossing' checker 's/^crossings 0/crossings 1/' 'there are 0 crossings, and not 1'
ok 'a group' checker '/^op RB/s/group=1/group=7/' 'RB is in group 7'
ok 'a length' checker 's/^length .*/length 40/' 'is not within 40 cycles'
ok 'another graph' checker 's/^digest .*/digest 0123456789abcdef/' 'of another graph or machine'
ok 'an operation that is missing' checker '/^op RB/d' "operation 'RB' is missing"
registers() { ! sed '/^digest/d' good >bad || ! "$solve" --groups=2 --registers=100 --crossings=0 --check=bad h2 2>err \
    && grep -q 'registers of group' err; }
ok 'registers' registers
memory() { sed 's/capacity=192/capacity=40/' h2 >h2m && sed '/^digest/d' good >bad &&
    ! "$solve" --groups=2 --registers=240 --crossings=0 --check=bad h2m 2>err && grep -q 'memory smem: 64 of 40' err; }
ok 'memory' memory
figure_1 0 0 blocking >fig1b
waits() { "$solve" fig1 | sed '/^digest/d' >bad && ! "$solve" --check=bad fig1b 2>err &&
    grep -q 'P waits while . of its group is under way' err; }
ok 'a wait' waits

# ---- costs
ok 'costs as small numbers' "$top_builddir/tests/solve/costs"
ratios() {
    { echo 'unit X'; n=0; for cost in 527 71 548 69 133 75 541 527 71 548 69 133 75 541; do n=$((n + 1));
        echo "op o$n cycles=$cost unit=X"; done; } >costs
    test "$("$solve" --normalize=300 --print=graph costs | sed -n 's/^op .* cycles=\([0-9]*\) .*/\1/p' | tr '\n' ' ')" \
        = \
        '40 5 42 5 10 6 41 40 5 42 5 10 6 41 '
}
ok '--normalize' ratios
clocks() { "$solve" --groups=2 --registers=240 --output=out "$machines/hopper.machine" "$machines/attention.loop" &&
    cat out && grep -q '^interval 32$' out && grep -q 'a cycle is 64 clocks, the interval 2048' out; }
ok 'attention on the Hopper that is installed: bound by its tensor cores' clocks

# ---- streaming operations
cat >stream <<'END'
unit X
memory m capacity=3
op load streaming latency=4 memory=m:1
op use cycles=2 unit=X asynchronous
edge load -> use hold=2
END
ahead() { "$solve" --output=out stream && cat out && grep -qx 'op load at=-4' out && grep -qx 'ring load slots=3' out; }
ok 'a load runs ahead: 4 cycles and 2 of reading are 3 slots of 2' ahead
short() { sed 's/capacity=3/capacity=2/' stream >short && "$solve" --output=out short && cat out &&
    grep -qx 'interval 3' out && grep -q 'interval 2, .* memory m' out; }
ok 'two slots: an interval of 3, and memory is why' short
sed 's/^op load .*/op load streaming latency=400 slots=3/' stream >late
slots() { # nothing is searched for
    "$solve" --output=out late && grep -qx 'interval 134' out && grep '^# interval 134 is needed: recurrence' out |
        grep 'since load has 3 slots and comes 400 cycles behind its issue$'
}
ok 'the slots of a ring bound the interval' slots

# ---- predictions: a product of 8 clocks and what reads it, 4 of them
cat >timed <<'END'
unit TC
unit ALU each-group
kind mma use=TC:1 asynchronous
kind alu use=ALU:1
kind load streaming latency=1
timeline mma use=TC:1 latency=3
timeline put latency=1
loop timed
op tile kind=load slots=2
op s kind=mma work=8 registers=1
op p kind=alu work=4
edge tile -> s hold=all
edge s -> p blocking
END
predicted() { "$solve" --output=out "$@" timed && cat out && sed -n 's/^# predicted: \([0-9]*\) .*/\1/p' out >clocks; }
alone() { predicted --stages=1 && test "$(cat clocks)" = 15; }
ok 'predicted: a product, its latency and what waits for it' alone
beside() {
    printf 'loop timed in-flight=1\nop s\nop p\n' >order && predicted --stages=1 --beside=order &&
        grep -qx '# beside: 15 clocks an iteration, 15 with memory to itself' out
}
ok '--beside: a schedule from the compiler' beside
# In step j the product of j runs under what reads that of j - 1, and is waited for at the end of the step.
overlapped() {
    printf 'loop timed in-flight=1\nop s stage=0\nop p stage=1\n' >order && predicted --beside=order &&
        grep -q '^# beside: 11 clocks' out
}
ok '--beside: a product of the next iteration is in flight' overlapped
# Two groups whose products begin together share the unit: 16 clocks each, 3 and 4. In turn they have it for 8 + 3 each.
shared() {
    sed -e 's/^unit TC/& interleaved/' -e 's/^loop timed/&\nreplicas 2\nturns/' timed >t
    for turns in no yes; do
        printf 'loop timed in-flight=1 pingpong=%s\nop s\nop p\n' $turns >order
        "$solve" --output=out --stages=1 --beside=order t && cat out && sed -n 's/^# beside: \([0-9]*\) .*/\1/p' out
    done >clocks
    cat clocks && grep -qx 23 clocks && grep -qx 22 clocks && grep -qx '# turns: yes; 22 clocks with and 23 without' out
}
ok '--beside: groups share the tensor cores, or take turns' shared
slower() { sed 's/^timeline mma .*/timeline mma use=TC:1 latency=9/' timed >t && mv t timed && predicted --stages=1 &&
    test "$(cat clocks)" = 21; }
ok 'predicted: another latency' slower
no_timeline() { grep -v ^timeline timed >t && mv t timed && predicted && test ! -s clocks; }
ok 'nothing is predicted where the machine does not say what things take' no_timeline

# ---- the rest
digest() {
    sed 's/  *$//; 1i # a comment' fig1 >other &&
        test "$("$solve" --print=digest other)" = "$("$solve" --print=digest fig1)" &&
        sed 's/^unit SFU$/unit SFU capacity=2/' fig1 >other &&
            test "$("$solve" --print=digest other)" != "$("$solve" --print=digest fig1)"
}
ok 'the digest is of the meaning' digest
again() { "$solve" --print=graph h2 >graph && "$solve" --print=graph graph >graph2 && cmp graph graph2; }
ok 'what --print=graph writes reads back' again
bound() { "$solve" --print=bound h2 | grep -qx 'interval 32 is needed: unit TC is busy 32 cycles an iteration'; }
ok '--print=bound: a unit' bound
printf 'unit X\nop a cycles=2 unit=X\nop b cycles=3\nedge a -> b\nedge b -> a distance=1\n' >recurrence
recurrence() { "$solve" --print=bound recurrence |
    grep -E 'interval 5 is needed: recurrence (a -> b -> a|b -> a -> b)$'; }
ok '--print=bound: a recurrence' recurrence
picture() { "$solve" --print=dot h2 | dot -Tsvg -o dot.svg && test -s dot.svg; }
if command -v dot >/dev/null 2>&1; then ok '--print=dot' picture; else skip '--print=dot' 'no dot'; fi
dot_text() { "$solve" --print=dot fig1 | grep -qx '    "O" -> "O" \[label="1, 1" style=dashed constraint=false\]'; }
ok '--print=dot has delays and distances' dot_text
# The options of --help and of the page: none more, none less.
page() {
    "$solve" --help | grep -o -- '--[a-z]*' | sort -u >help
    sed -n '/^\.SH OPTIONS/,/^\.SH INPUT/s/^\.BI* \\-\\-\([a-z]*\).*/--\1/p' "$top_srcdir/solve/wsc-solve.1" |
        sort -u >page
    test -s page && diff help page
}
ok 'wsc-solve(1) has the options of --help' page
rendered() { test -z "$(groff -man -ww -Tascii "$top_srcdir/solve/wsc-solve.1" 2>&1 >text)" && grep -q CaDiCaL text; }
if command -v groff >/dev/null 2>&1; then ok 'wsc-solve(1) is sound' rendered;
    else skip 'wsc-solve(1) is sound' 'no groff'; fi
# Every number of a machine that exists has a source.
sources() {
    for machine in hopper blackwell; do
        grep -E '^(unit|memory|kind|registers|spill)' "$machines/$machine.machine" | grep -E '[:=][0-9]|^registers' |
            grep -vE '\[(white|guide|bank|bench|ptx|fa4|guess)\]$' && return 1
        "$solve" --print=graph "$machines/$machine.machine" fig1 2>err
        test $? = 1 && grep -q "unit 'TC' is there twice" err || return 1
    done
}
ok 'each number of a machine has its source' sources
done_testing
