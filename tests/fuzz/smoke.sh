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
        "$wscc" --ws-target=sequential -w -I"$here" "$work/short.c" -o "$work/short" -lm && "$work/short" | grep -q '^1 '
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

ok 'a tape gives the program that it was taken from' replay
ok 'any tape gives a program' short_tape
ok 'random programs agree' env keep="$work/kept" seeds='1 2' sh "$here/run" 12 101 12
ok 'a difference is found' finds_difference
done_testing
