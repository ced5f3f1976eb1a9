#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What fits the cost model of lib/product, on times that a model with other numbers makes up: it finds that model, on
# shapes that it was not fitted to, too.

. "$(dirname "$0")/../tap.sh"
cd "$work" || exit 99
fit=$top_builddir/lib/product/fit

# figure LINE WORD: the percentage behind that word
figure() { sed -n "s/^# $1:.*$2 \([0-9.]*\)%.*/\1/p" fitted; }
below() { awk "BEGIN { exit !($1 + 0 > 0 && $1 + 0 < $2) }"; }
above() { awk "BEGIN { exit !($1 + 0 > $2) }"; }

finds_the_model() {
    "$top_builddir/tests/bench/timings" >times.json && "$fit" times.json >fitted 2>/dev/null || return 1
    grep -q ' [0-9]* times of 15 shapes' fitted && above "$(figure before error)" 4 &&
        below "$(figure 'shapes left out' error)" 1.5 && below "$(figure 'fitted to all' error)" 1.5 &&
        below "$(figure 'shapes left out' regret)" "$(figure before regret)" || { head -n 12 fitted; return 1; }
}

# The rows that it prints make another numbers.def; with it, these times are no news.
prints_numbers() {
    mkdir lib && cp "$top_srcdir"/lib/product/*.[ch] lib && grep '^fixed' "$top_srcdir/machines/hopper.machine" >>fitted &&
        ${AWK:-awk} -v rows=fitted -f "$top_srcdir/machines/table.awk" fitted >lib/numbers.def &&
        ${CC:-gcc} -O1 lib/fit.c -o again -lm && ./again --check times.json >fitted &&
            below "$(figure before error)" 1.5 ||
        { cat fitted; return 1; }
}

# Words alone, of the runs whose tables are in bench/README.md.
reads_results() { "$fit" --check "$top_srcdir/bench/results/h200.json" >fitted &&
    grep -q ' [0-9]* times of 8[0-9] shapes' fitted; }

asks_for_more() {
    head -n 60 times.json >few.json
    ! "$fit" few.json >out 2>err && grep -q 'times of 1 shapes, which are too few' err && test ! -s out &&
        ! "$fit" nothing.json 2>err && grep -q 'cannot read nothing.json' err
}

ok 'the numbers behind given times' finds_the_model
ok 'what it prints makes numbers.def' prints_numbers
ok 'a run that names choices in words' reads_results
ok 'too few shapes, and no file' asks_for_more
done_testing
