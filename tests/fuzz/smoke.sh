#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A few random programs of fixed seeds agree on both targets, and the ways that a program can fail are told apart.

. "$(dirname "$0")/../tap.sh"
here=$top_srcdir/tests/fuzz
export top_srcdir top_builddir

if ! grep -q '^plugin = .' "$top_builddir/wscc.conf"; then
    skip 'random programs' 'no plugin'
    done_testing
    exit
fi

replay() {
    "$top_builddir/tests/fuzz/generate" --write "$work/tape" 7 >"$work/made.c" &&
        "$top_builddir/tests/fuzz/generate" --tape "$work/tape" 7 | cmp - "$work/made.c"
}

# A tape of nothing is the simplest program, and any tape makes a valid one.
short_tape() {
    : >"$work/tape"
    for n in 99 3 50 12 88 41 7 63 20 77 91 5; do echo $n >>"$work/tape"; done
    "$top_builddir/tests/fuzz/generate" --tape "$work/tape" 1 >"$work/short.c" &&
        "$wscc" --ws-target=sequential -w -I"$here" "$work/short.c" -o "$work/short" -lm && "$work/short" |
            grep -q '^1 '
}

# A sequential target that computes something else is found out.
finds_difference() {
    cat >"$work/wscc" <<END
#! /bin/sh
case \$1 in
*=sequential) exec '$wscc' "\$@" -Dws_max_=ws_min_ ;;
*) exec '$wscc' "\$@" ;;
esac
END
    chmod +x "$work/wscc"
    keep=$work/kept seeds=1 wscc=$work/wscc sh "$here/run" 4 101 4 >"$work/said"
    test $? = 1 && grep -q '^differed' "$work/said"
}

# Of all random programs that were ever made those with the largest proofs, kept as their generator made them, and what
# they take: 5,000 steps are 2 to 4 ms of a core, and so are 1,500 terms.
is_proved_soon() {
    stop_after=ir sh "$top_srcdir/tests/interpret/cc" -O1 -w -I"$here" "$here/proofs/$1.c" -o "$work/large.ir" &&
        awk -v steps="$2" \
            '/^# verify size/ { seen = 1; if ($4 > 2000 || $14 > steps) { print; bad = 1 } } END { exit bad || !seen }' \
            "$work/large.ir"
}

# The programs of sums.c for tests/fuzz/gpu, and those of them that differ from a GPU whose sums are short by so much.
emit_sums() {
    cat >"$work/generate-sums" <<'END'
#! /bin/sh
echo "#define SEED $1"
echo '#include "sums.c"'
END
    chmod +x "$work/generate-sums"
    generate=$work/generate-sums sh "$here/gpu" emit "$work/sums" 4 1 1 && test -s "$work/sums/batch4.seeds"
}

sequential="$(sed -n 's/^cc = //p' "$top_builddir/wscc.conf") -O1 -w -I$here -I$top_srcdir/runtime/include"
libraries="$top_builddir/.libs/libwsrt.a -lm -lpthread"

sums_of_h200() {
    $sequential "$here/measured.c" "$work/sums/short.o" -Wl,--wrap=ws_dot -o "$work/measured" $libraries &&
        "$work/measured" | tee "$work/said" && grep -qx '6002113 t17 519a6e87c62e54cb' "$work/said"
}

short_by() { # TIMES SEED...: these differ
    for each in 1 2 3 4; do
        $sequential -DSEED=$each -DTIMES="$1" "$here/sums.c" -o "$work/sums/batch$each.gpu" $libraries || return
    done
    shift
    sh "$work/sums/gpu" run "$work/sums" | tee "$work/said"
    grep -q '^4 programs ran' "$work/said" &&
        test "$(sed -n 's/^differed: seed //p' "$work/said" | tr '\n' ' ')" = "${*:+$* }"
}

# Plain loops: the emitted kernels against the functions as they are; then, interpreted, some nests of each kind.
plain_loops() {
    sh "$here/plain" 8 5 >"$work/said" && ! grep -q '^0 agree' "$work/said" || { cat "$work/said"; return 1; }
}

each_kind() {
    ${CC:-gcc} -O1 -w -o "$work/plain" "$here"/plain.c "$here"/plain-*.c || return
    for kind in $("$work/plain" 1 none 2>&1 | sed 's/.*there are: //'); do
        mode=interpret kinds=$kind sh "$here/plain" 2 7 >"$work/said" && ! grep -q '^0 agree' "$work/said" ||
            { echo "$kind:"; cat "$work/said"; return 1; }
    done
}

ok 'a tape gives the program that it was taken from' replay
ok 'any tape gives a program' short_tape
ok_plain 'plain loops agree with their kernels' plain_loops
ok_plain 'nests of each kind agree' each_kind
ok 'random programs agree' env keep="$work/kept" seeds='1 2' sh "$here/run" 12 101 12
ok 'a difference is found' finds_difference
for seed in 24000028 24000427 24001575 24001858 26002717 26007668; do
    ok "the proof of seed $seed" is_proved_soon $seed 6000
done
ok 'the proof of seed 23180391' is_proved_soon 23180391 6500
# Two groups, each in either body of two loops that peel cut: the ways multiply.
ok 'the proof of seed 26006001' is_proved_soon 26006001 45000
ok 'programs for a GPU are emitted' emit_sums
ok 'sums of 8-bit products are those of an H200' sums_of_h200
ok 'a GPU that sums as the sequential target does agrees' short_by 0
ok 'sums of 14 bits agree where Hopper has no longer ones' short_by 1 3 4
ok 'and those that are off ten times as far do not' short_by 10 1 2 3 4
done_testing
