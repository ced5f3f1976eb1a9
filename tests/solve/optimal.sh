#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# schedule(optimal): solved, kept beside the object, read back without a solver, proved, and the same program.

. "$(dirname "$0")/../tap.sh"
solve=$top_builddir/wsc-solve lower=$top_builddir/wsc-lower
test -x "$solve" || { echo '1..0 # SKIP no libcadical'; exit 0; }
cd "$work" || exit 99
mkdir kept
sed 's/\(pipeline([^)]*)\)/\1 schedule(optimal)/' "$top_srcdir/tests/lowering/attention.ir" >optimal.ir

lowered() { "$lower" --schedules=kept "$@" optimal.ir; }
# A machine that does not say what things take: nothing is predicted, and what is solved is taken.
grep -v '^timeline' "$top_srcdir/machines/hopper.machine" >plain.machine
with_solver() { lowered --solver="$solve" --machine=plain.machine "$@"; }

says() { cat messages && grep -q "$1" messages; } # what the last run said

solved() {
    with_solver --emit >solved.cu 2>messages && says 'm.20 is solved, for at most 4 stages: interval' || return 1
    ls kept/attention-????????????????.schedule &&
        "$lower" --quiet --emit "$top_srcdir/tests/lowering/attention.ir" >chosen.cu && ! cmp -s chosen.cu solved.cu
}
ok 'solved, kept and proved' solved
others() {
    n=0
    for file in kept/attention-*.[2-5].schedule; do
        "$lower" --quiet --emit --schedule="$file" optimal.ir >other.cu 2>messages ||
            { says 'registers of each thread' && continue || return 1; }
        cmp -s other.cu solved.cu && return 1
        n=$((n + 1))
    done
    test $n -ge 2
}
ok 'others are kept beside it, and proved where they are asked for' others
again() {
    lowered --emit >again.cu 2>messages && says 'scheduled by kept/attention-' && cmp solved.cu again.cu
}
ok 'read back without a solver' again
tables() {
    lowered --quiet --dump=schedule >dump && grep -q '^# modular reservation table' dump && grep -q 'stage=1' dump &&
        grep -q '^# interval .* is needed: unit TC is busy' dump && grep -q 'clauses, cadical' dump
}
ok 'the dump has the tables and why' tables
other_clauses() {
    sed 's/pipeline(2)/pipeline(1)/' optimal.ir >other.ir
    "$lower" --schedules=kept --emit other.ir 2>messages >out.cu || return 1
    says 'neither wsc-solve nor kept/attention-' && test -s out.cu
}
ok 'another loop is not taken for it' other_clauses
no_answer() {
    rm kept/*
    printf '#! /bin/sh\nexit 3\n' >late && chmod +x late
    lowered --solver=./late --machine=none --emit 2>messages >out.cu || return 1
    says '4 stages gave no answer in time' && test -s out.cu && ! ls kept/*
}
ok 'no answer in time' no_answer
broken() {
    with_solver --quiet --emit >solved.cu && sed -i '/^digest/d; s/^op s.25 at=0/op s.25 at=43/' kept/*.schedule
    ! lowered --quiet --emit 2>messages >out.cu || return 1
    says "schedule:[0-9]*:1: error: '.*' needs the result of 's.25', and comes before it"
}
ok 'an edit that breaks a dependence' broken

# What is predicted to take as long as the chosen schedule, or longer, is not taken.
compared() {
    rm -f kept/*
    lowered --solver="$solve" --machine="$top_srcdir/machines/hopper.machine" --emit >compared.cu 2>messages &&
        says 'predicted are [0-9]* clocks an iteration, and [0-9]* as chosen: that one stays' || return 1
    for file in compared chosen; do sed 's/optimal.ir/attention.ir/' $file.cu >$file.code; done
    cmp compared.code chosen.code && grep -q '^# [0-9]* clocks .* as chosen it stays' kept/attention-????????????????.schedule
}
ok 'the chosen schedule stays where none is predicted to be better' compared

# Groups that take turns as chosen do so in a solved order of one stage, too.
turns() {
    sed 's/\(pipeline([^)]*)\)/\1 schedule(optimal)/' "$top_srcdir/tests/lowering/turns.ir" >turns.ir
    "$lower" --schedules=kept --solver="$solve" --machine=plain.machine --emit turns.ir >turns.cu 2>messages &&
        says 'is solved' && says 'fine schedule, products in ping-pong' && grep -q 'pingpong.take' turns.cu
}
ok 'groups take turns in a solved order' turns

# schedule(optimal, 5): what was solved and what is chosen are variants, the former first.
variants() {
    rm -f kept/*
    sed 's/schedule(optimal)/schedule(optimal, 5)/' optimal.ir >five.ir
    "$lower" --schedules=kept --solver="$solve" --machine=plain.machine --emit five.ir >five.cu 2>messages &&
        says "'attention' has [3-6] variants, of which each launch takes one: 1, .*, 0\$" &&
        grep -q '{"1", 0x' five.cu && grep -q '{"0", 0x' five.cu && test "$(grep -c '^struct attention.*_params' five.cu)" -ge 3 || return 1
    grep -o '{"[0-9]", 0x[0-9a-f]*' five.cu | cut -d'"' -f3 | sort | uniq -d >twice && ! test -s twice
}
ok 'the best five are variants' variants
fewer() {
    sed 's/schedule(optimal)/schedule(optimal, 1)/' optimal.ir >one.ir
    lowered1() { "$lower" --schedules=kept --emit one.ir >one.cu 2>messages; }
    lowered1 && says "'attention' has 2 variants, of which each launch takes one: 1, 0\$"
}
ok 'fewer of them' fewer
none_fits() { # the second cannot be carried out, the others are left
    ls kept/attention-*.2.schedule >file && sed -i '/^op s.25 at=/s/at=[0-9]*/at=43/' "$(cat file)" || return 1
    "$lower" --schedules=kept --emit five.ir >five.cu 2>messages &&
        says "no variant 2 of 'attention': .* needs the result of 's.25', and comes before it" && ! grep -q '{"2", 0x' five.cu
}
ok 'a variant that cannot be carried out is left out' none_fits
same_again() { # the third is the first's
    first=$(echo kept/attention-????????????????.schedule) && cp "$first" "${first%.schedule}.3.schedule" &&
        "$lower" --schedules=kept --emit five.ir >five.cu 2>messages &&
        says "no variant 3 of 'attention': its schedule is that of 1"
}
ok 'and one that is another' same_again
stays() { # the chosen one is the first where it is predicted to be
    rm -f kept/*
    "$lower" --schedules=kept --solver="$solve" --machine="$top_srcdir/machines/hopper.machine" --emit five.ir \
        >five.cu 2>messages && says "'attention' has [2-6] variants, of which each launch takes one: 0, 2"
}
ok 'the chosen schedule is the first where it stays' stays
only_one() {
    rm kept/attention-*.[2-6].schedule && "$lower" --schedules=kept --emit five.ir >five.cu 2>messages &&
        says "'attention' has 1 variant, " && sed 's/five.ir/attention.ir/' five.cu >five.code && cmp five.code chosen.code
}
ok 'a single one is no variant' only_one

program() {
    sed 's/#pragma ws pipeline(3)/& schedule(optimal)/' "$top_srcdir/samples/attention_decode.c" >decode.c &&
        "$wscc" --ws-target=emulate --ws-show -I"$top_srcdir/samples" -O1 decode.c -o kept/decode -lm 2>messages
    says 'is solved' && ls kept/attend_parts-*.schedule && grep -q 'coarse schedule' messages || return 1
    for seed in 1 2 3; do WS_SEED=$seed kept/decode || return 1; done
}
if has_plugin; then ok_plain 'a program, under seeds' program; else skip 'a program' 'no plugin'; fi

# Each variant computes the same, and tuning takes the fastest.
tuned() {
    sed 's/#pragma ws pipeline(3)/& schedule(optimal, 5)/; s/ROWS = 256/ROWS = 128/' \
        "$top_srcdir/samples/softmax_gemm.c" >tuned.c &&
        "$wscc" --ws-target=emulate --ws-show -I"$top_srcdir/samples" -O1 tuned.c -o kept/tuned -lm 2>messages || return 1
    labels=$(sed -n "s/.*'softmax_gemm' has .* takes one: //p" messages | tr -d ,)
    case $labels in '1 '*0) ;; *) return 1 ;; esac
    kept/tuned >first && WS_TUNE=1 kept/tuned >measured 2>messages && cmp first measured || return 1
    for label in $labels; do
        WS_CHOICE=$label kept/tuned >other && cmp first other && grep -q "^softmax_gemm .* $label [0-9]" kept/tuned.tuned ||
            return 1
    done
    cp kept/tuned.tuned table && kept/tuned >again && cmp first again
    # of another schedule a line does not count
    sed -i 's/^\(op [^ ]* at=\)0/\19/' kept/softmax_gemm-????????????????.schedule
    "$wscc" --ws-target=emulate -I"$top_srcdir/samples" -O1 tuned.c -o kept/tuned -lm 2>/dev/null || return 0
    kept/tuned 2>&1 >/dev/null | grep -q 'of another build'
}
if has_plugin; then ok_plain 'variants compute the same, and are measured' tuned; else skip 'variants' 'no plugin'; fi

# Where registers do not hold what was solved the kernel is as chosen, and no error.
no_room() {
    sed 's/#pragma ws pipeline([^)]*)/& schedule(optimal)/' "$top_srcdir/samples/attention_fp8.c" >fp8.c &&
        "$wscc" --ws-target=emulate --ws-show -I"$top_srcdir/samples" -O1 fp8.c -o kept/fp8 -lm 2>messages || return 1
    says 'the default schedule is used, since the solved one was refused: the tiles that live here take [0-9]* registers' && kept/fp8
}
if has_plugin; then ok_plain 'registers do not hold what was solved: as chosen' no_room; else skip 'no room' 'no plugin'; fi

# What a step stores is of the step before: other rows than in any other step, those behind the loop included.
late() {
    sed 's/#pragma ws pipeline(2)/& schedule(optimal)/' "$top_srcdir/tests/programs/linear_attention.c" >linear.c &&
        "$wscc" --ws-target=emulate --ws-keep -I"$top_srcdir/tests/programs" -O1 linear.c -o kept/linear -lm || return 1
    grep 'ws::store(' kept/linear.cu && grep -q 'store(o_out, p.o, p.o_map, b, t_., 0, box)' kept/linear.cu &&
        ! grep -q 'store(p\.o,' kept/linear.cu || return 1
    for seed in 1 2 3; do WS_SEED=$seed kept/linear || return 1; done
}
if has_plugin; then ok_plain 'a store of the step before is one of TMA' late; else skip 'a late store' 'no plugin'; fi
done_testing
