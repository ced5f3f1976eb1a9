#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What wsc-solve says of the loops of "Optimal Software Pipelining and Warp Specialization for Tensor Core GPUs", and of
# small ones in which the paper's own system is wrong or says nothing. Many schedules are the best: tested are
# properties, not one schedule.

. "$(dirname "$0")/../tap.sh"
. "$top_srcdir/tests/solve/graphs.sh"
solve=$top_builddir/wsc-solve
test -x "$solve" || { echo '1..0 # SKIP no libcadical'; exit 0; }
cd "$work" || exit 99

# yes|no GRAPH OPTION...: there is a schedule, which the checker takes, or there is none
yes() { file=$1; shift; "$solve" --first --output=out "$@" "$file" && "$solve" --check=out "$@" "$file"; }
best() { file=$1; shift; "$solve" --table --output=out "$@" "$file" && "$solve" --check=out "$@" "$file"; }
no() { file=$1; shift; "$solve" --first "$@" "$file" 2>err; status=$?; cat err; test $status = 2; }
has() { cat out; for line; do grep -qx "$line" out || { echo "no line '$line'"; return 1; }; done; }

field() { sed -n "s/^op $1 at=\([0-9]*\) group=\([0-9]*\)/\\$2/p" out; } # OPERATION 1 or 2: its cycle or its group

# ---- Figures 1 and 3

figure_1 0 0 >fig1
figure_1_best() {
    best fig1 && has 'interval 2' 'length 4' 'op S at=0 group=0' 'op P at=2 group=0' 'op O at=3 group=0' \
        '#         0  S   P'"'" \
        "#         1  O'  -" '# group 0: S(i+1) P(i) O(i)'
}
ok 'Figure 1: I = 2, L = 4, S at 0, P at 2, O at 3' figure_1_best
reason() { grep -q "$1" err; }
t1() { for length in 3 4 5 6; do no fig1 --interval=1 --length=$length || return 1; done;
    reason 'impossible with unit TC'; }
ok 'T1: I = 1 is impossible, and unit TC is why' t1
t1_short() { no fig1 --interval=2 --length=3; }
ok 'T1: I = 2 needs 4 cycles' t1_short
other_p() {
    sed 's/^op P at=2/op P at=1/' out >other && "$solve" --check=other fig1 &&
        sed 's/^op O at=3/op O at=2/' out >other &&
        ! "$solve" --check=other fig1
}
ok 'T1: P at 1 would do, too, and O at 2 would not' other_p

figure_1 0 0 blocking >fig1b
figure_1 1 0 blocking >fig1b1
t2() { for length in 4 5 6 7; do no fig1b --interval=2 --length=$length || return 1; done; reason 'wait before P'; }
ok 'T2: no single group where P waits for S' t2
t2_two() { yes fig1b --interval=2 --length=4 --groups=2 && yes fig1b1 --interval=2 --length=4 --groups=2; }
ok 'T2: two groups' t2_two
figure_1 1 0 | sed '/^op P/s/$/ alone/' >fig1c
t3() { no fig1c --groups=2 --interval=2 --length=4 && no fig1c --groups=2 --interval=2 --length=5 &&
    yes fig1c --groups=2 --interval=2 --length=6; }
ok 'T3: S and O in one group, P in another: 6 cycles' t3
figure_1 0 1 >fig1r
t4() { no fig1r --registers=2 --interval=2 --length=4 && reason 'registers' &&
    yes fig1r --registers=3 --interval=2 --length=4; }
ok 'T4: values of iterations before count: 3 registers' t4
cat >t5 <<'END'
unit X
unit Y
unit Z
op a cycles=1 unit=X alone
op b cycles=1 unit=Y spill=3
op c cycles=2 unit=Z
edge a -> b
edge b -> a distance=1
END
t5() { no t5 --groups=2 --interval=2 --length=2 && reason spill; }
ok 'T5: a value that spills beyond the iteration is late' t5

# ---- Hopper

hopper A >h1
hopper 'A B' >h2
hopper 'A B C' >h3
h1() {
    for interval in 16 17 18; do no h1 --registers=240 --stages=2 --interval=$interval || return 1; done
    yes h1 --registers=240 --stages=2 --interval=19
}
ok 'H1: one sub-tile, one group: 19' h1
h1_best() { best h1 --registers=240 --stages=2 && has 'interval 19' 'length 35'; }
ok 'H1: found by itself' h1_best
# One group has all of an iteration in one stage, the other begins the next before it ends this one.
h2() {
    best h2 --groups=2 --registers=240 --crossings=0 && has 'interval 32' 'length 48' 'stages 2' 'crossings 0' ||
        return 1
    test "$(field SA 2)" = "$(field OA 2)" && test "$(field SB 2)" = "$(field OB 2)" &&
        test "$(field SA 2)" != "$(field SB 2)" &&
        test $(($(field OB 1) - $(field OA 1))) = 16
}
ok 'H2: two sub-tiles in two groups: 32, and they take turns' h2
h3() {
    for interval in 32 33 34; do no h2 --registers=1000 --interval=$interval --stages=4 || return 1; done
    no h2 --registers=1000 --interval=37 --stages=3
}
ok 'H3: two sub-tiles in one group: not below 38' h3
h3_reason() { no h2 --registers=1000 --interval=32 --stages=4 && grep -q 'unit TC' err && grep -q 'wait before ' err; }
ok 'H3: the tensor cores and a wait are why' h3_reason
h3_yes() { yes h2 --registers=1000 --interval=38 --stages=1; }
ok 'H3: 38' h3_yes
h4() { best h3 --groups=3 --registers=160 --crossings=0 --stages=1 && has 'interval 48' 'length 48'; }
ok 'H4: three sub-tiles in three groups: 48, one stage' h4
h4_registers() {
    yes h3 --groups=3 --registers=132 --crossings=0 --interval=48 &&
        no h3 --groups=3 --registers=130 --crossings=0 --interval=48 &&
        reason registers
}
ok 'H4: 132 registers do, 130 do not' h4_registers
h5() {
    no h3 --groups=2 --registers=240 --crossings=0 --interval=48 --stages=1 &&
        best h3 --groups=2 --registers=240 --crossings=0 --interval=48 --stages=2 && has 'length 72'
}
ok 'H5: three sub-tiles in two groups: two stages' h5

# Backward: two groups fill the tensor cores with one stage, that is with overlap inside an iteration only. One group
# alone would need two stages for that, and the registers for them.
{ echo 'wait in-order'; backward 'A B'; } >bw2
{ echo 'wait in-order'; backward A; } >bw1
backward_two() {
    best bw2 --groups=2 --registers=232 --crossings=0 --interval=40 --stages=2 && has 'stages 1' 'length 40' &&
        no bw2 --groups=2 --registers=192 --crossings=0 --interval=40 --stages=2 && reason registers
}
ok 'backward attention: overlap inside an iteration only' backward_two
backward_one() {
    no bw1 --registers=208 --interval=20 --stages=2 && reason registers &&
        yes bw1 --registers=208 --interval=21 --stages=1 &&
        no bw1 --registers=240 --interval=20 --stages=1 && yes bw1 --registers=240 --interval=20 --stages=2
}
ok 'backward attention, one group: two stages, or fewer registers' backward_one

# ---- Blackwell

blackwell 'A B' 8 16 2 4 2 1 1 >b1
blackwell 'A B' 8 16 3 2 2 1 1 >b1alu
blackwell 'A B' 8 16 2 4 2 1 1 alone >b2
blackwell 'A' 16 32 4 4 4 2 2 >b3
blackwell 'A' 16 32 4 8 4 2 2 >b3ld8
blackwell 'A B' 8 16 2 2 2 1 1 >b4
b="--registers=208 --interval=32 --stages=2"
b1() {
    no b1 $b --groups=1 && no b1 $b --groups=2 && yes b1 $b --groups=3 && no b1alu $b --groups=2 &&
        yes b1alu $b --groups=3
}
ok 'B1: three groups' b1
b1_crossings() { for groups in 2 3 4; do no b1 $b --groups=$groups --crossings=0 || return 1; done; reason crossings; }
ok 'B1: not without communication between groups' b1_crossings
# Products; the softmax of A; that of B; and the rescaling of both.
b2() {
    no b2 $b --groups=3 && best b2 $b --groups=4 && has 'interval 32' 'crossings 2' || return 1
    for j in A B; do
        for op in m P l C T; do test "$(field $op$j 2)" = "$(field D$j 2)" || return 1; done
        for op in R U; do test "$(field $op$j 2)" = "$(field GA 2)" || return 1; done
        for op in S O; do test "$(field $op$j 2)" = "$(field SA 2)" || return 1; done
    done
    test "$(for op in SA DA DB GA; do field $op 2; done | sort -u | wc -l)" = 4
}
ok "B2: FlashAttention-4's four groups" b2
b3() {
    for stages in 3 4; do
        for registers in 208 255; do no b3 --registers=$registers --groups=5 --interval=32 --stages=$stages || return 1;
            done
    done
    no b3ld8 --registers=1000 --groups=5 --interval=32 --stages=4 && reason tmem
}
# As the paper counts it, where readers have read when they are issued.
b3_hold() {
    sed 's/ hold=[0-9]*//' b3ld8 >b3n && yes b3n --registers=1000 --groups=5 --interval=32 --stages=4 &&
        no b3n --registers=255 --groups=5 --interval=32 --stages=4
}
ok 'B3: not without sub-tiles' b3
b4() { yes b4 $b --groups=2 && yes b4 $b --groups=2 --crossings=0; }
ok 'B3: with as many registers as one likes, if reads take no time' b3_hold
ok 'B4: two groups at base costs' b4
b4_registers() {
    b="--interval=32 --stages=2"
    no b4 $b --groups=2 --registers=192 && yes b4 $b --groups=3 --registers=192 && yes b4 $b --groups=3 --registers=160
}
ok 'B4: three with fewer registers' b4_registers

# Backward: P and what T left in tensor memory are too much for one group, whatever its registers. Two exchange one
# value. Products that a single thread issues have a group of their own: then there are three, and 128 registers do.
{ echo 'wait in-order'; backward_blackwell 2 4 2 2; } >bwb
{ echo 'wait in-order'; backward_blackwell 2 4 2 2 alone; } >bwb3
b="--interval=40 --stages=2"
backward_spills() {
    no bwb $b --groups=1 --registers=255 && reason registers && no bwb $b --groups=2 --registers=255 --crossings=0 &&
        reason crossings && best bwb $b --groups=2 --registers=208 && has 'interval 40' 'crossings 1'
}
ok 'backward attention on Blackwell: two groups, with spills' backward_spills
backward_three() {
    no bwb3 $b --groups=2 --registers=255 && yes bwb3 $b --groups=3 --registers=128 &&
        no bwb3 $b --groups=3 --registers=120 && no bwb3 $b --groups=4 --registers=255 --crossings=0
}
ok 'and three, with fewer registers' backward_three
done_testing
