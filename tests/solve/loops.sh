#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Loops as the compiler prints them (--ws-dump=graph), solved on the Hopper that is described: as fast as their bound
# allows.

. "$(dirname "$0")/../tap.sh"
solve=$top_builddir/wsc-solve
test -x "$solve" || { echo '1..0 # SKIP no libcadical'; exit 0; }
machine=$top_srcdir/machines/hopper.machine
cd "$work" || exit 99

bounded() { # GRAPH
    "$solve" --first --output=out "$machine" "$1" && "$solve" --check=out "$machine" "$1" || return 1
    cat out
    grep -q "^# interval $(sed -n 's/^interval //p' out) is needed" out
}
for graph in gemm gated uneven attention; do ok "$graph" bounded "$top_srcdir/tests/lowering/$graph.graph"; done

# While a group waits for the scores the product of the iteration before is in flight, and what is carried over to it is
# in 16 bits: 32 registers of it, 64 of the sum, 2 each of the maximum, of the sum of a row and of the factor.
covered() {
    "$solve" --stages=4 --output=out "$machine" "$top_srcdir/tests/lowering/attention.graph" &&
        "$solve" --check=out "$machine" "$top_srcdir/tests/lowering/attention.graph" && cat out &&
        grep -qx 'stages 2' out && grep -qx 'exposed 0' out && grep -qx 'carried 102' out
}
ok 'attention: waits are covered, and P is carried in 16 bits' covered
# A group's products leave room for those of the other, half an interval later.
ping_pong() {
    value() { sed -n "s/^op $1 at=\([0-9]*\) .*/\1/p" out; }
    half=$(($(sed -n 's/^interval //p' out) / 2)) s=$(value s.25) acc=$(value acc.50)
    test "$half" -gt 0 && test $((s % half)) != $((acc % half)) && grep -q '^stages 2' out
}
ok 'attention: two groups in turn' ping_pong
worse() { # SED: the same schedule changed is not taken for one that a group keeps alone
    sed "$1" out >changed && ! "$solve" --check=changed "$machine" "$top_srcdir/tests/lowering/attention.graph" 2>err &&
        grep -q "$2" err
}
shorter() { least=$(sed -n 's/^group-interval //p' out); worse "s/^group-interval .*/group-interval $((least - 1))/" 'a group alone'; }
ok 'a group alone: a shorter interval' shorter
ok 'a group alone: another order' worse 's/^\(op acc.50 .*\) alone=.*/\1 alone=45/' 'acc.50'

# The best schedule, its proof included, is one formula, asked once whether it holds and once for each of seven aims.
one_formula() {
    "$solve" --stages=4 --progress "$machine" "$top_srcdir/tests/lowering/attention.graph" 2>steps && cat steps &&
        test "$(grep -c ' clauses, ' steps)" = 8 && test "$(grep -c 'I = 32 (bound 32), 4 stages, ' steps)" = 8 &&
        test "$(sed -n 's/.* \([0-9]*\) clauses, .*/\1/p' steps | sort -n | tail -n 1)" -lt 250000
}
ok 'attention: one formula, of less than 250,000 clauses' one_formula

# The solved schedule, read by the compiler in place of its own, is proved.
carried_out() {
    "$solve" --stages=2 --output=out "$machine" "$top_srcdir/tests/lowering/attention.graph" &&
        "$solve" --check=out "$machine" "$top_srcdir/tests/lowering/attention.graph" || return 1
    echo 'schedule attention' >solved
    sed -n 's/^interval /loop m.20 interval=/p; s/^\(op .*\) group=0.*/\1/p' out >>solved
    "$top_builddir/wsc-lower" --quiet --emit --schedule=solved "$top_srcdir/tests/lowering/attention.ir" >out.cu &&
        test -s out.cu
}
ok 'attention: carried out and proved' carried_out

compiled() {
    "$top_builddir/wscc" --ws-target=emulate --ws-dump=graph -O2 -S "$top_srcdir/samples/gemm.c" -o gemm.s >graph &&
        cat graph && bounded graph
}
if has_plugin; then ok_plain 'samples/gemm.c' compiled; else skip 'samples/gemm.c' 'no plugin'; fi

# Every loop of a sample has the interval of its lower bound, or what is in the way of the interval before is named.
all_bounded() { # SAMPLE
    "$top_builddir/wscc" --ws-target=emulate --ws-dump=graph -O2 -w -S "$top_srcdir/samples/$1.c" -o "$1.s" >graphs || return 1
    loops=$(sed -n 's/^loop //p' graphs)
    test -n "$loops" && for loop in $loops; do
        "$solve" --first --loop="$loop" --output=out "$machine" graphs || return 1
        interval=$(sed -n 's/^interval //p' out)
        grep -Eq "^# interval ($interval is needed|$((interval - 1)), at most .*: impossible with)" out ||
            { cat out; return 1; }
    done
}
for sample in mlp_fused softmax_gemm gemm_w8a16 linear_attention nearest; do
    if has_plugin; then ok_plain "samples/$sample.c: the bound" all_bounded "$sample"; else skip "$sample" 'no plugin'; fi
done

two() {
    cat "$top_srcdir/tests/lowering/gemm.graph" "$top_srcdir/tests/lowering/gated.graph" >both
    ! "$solve" "$machine" both 2>err && cat err || return 1
    grep -q 'there is more than one loop; --loop=gated.* takes this one' err &&
        "$solve" --loop="$(sed -n 's/^loop \(gated.*\)/\1/p' both)" "$machine" both >out &&
        grep -q '^schedule gated:' out &&
        ! "$solve" --loop=none "$machine" both 2>err && grep -q "there is no loop 'none'" err
}
ok 'one of two loops' two
done_testing
