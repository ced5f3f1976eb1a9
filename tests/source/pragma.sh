#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The grammar of pragmas without a host compiler: the directive or the error of each line of tests/source/pragmas, and
# broken ones of these lines, which have one error or none.
#
#   UPDATE=1 sh ../tests/source/pragma.sh       rewrites the golden

. "$(dirname "$0")/../tap.sh"
here="$top_srcdir/tests/source"
program="$top_builddir/tests/source/pragma"

lines() { sed '/^#/d' "$here/pragmas"; }

golden() {
    lines | "$program" >"$work/out" || return 1
    test -z "$UPDATE" || cp "$work/out" "$here/pragmas.out"
    diff -u "$here/pragmas.out" "$work/out"
}

# Thousands of levels are one error, too.
deep() {
    for text in '(' '-' '- (' 'ws_choice('; do
        yes -- "$text" | head -n 1000 | tr -d '\n' | sed 's/^/grid(/' | "$program" | grep -c ': error: ' >"$work/count"
        test "$(cat "$work/count")" = 1 || { echo "$text: $(cat "$work/count") errors"; return 1; }
    done
}

# Each row of the grammar stands in a line.
rows() {
    status=0
    for word in $(sed -n 's/^\(DIRECTIVE\|CLAUSE\) ([^"]*"\([a-z]*\)".*/\2/p' "$top_srcdir/lowering/source/clauses.def"); do
        lines | grep -qw "$word" || { echo "no line has $word"; status=1; }
    done
    return $status
}

ok 'directives and errors' golden
ok 'every row' rows
ok 'deep expressions' deep
ok 'broken lines' sh -c "sed '/^#/d' '$here/pragmas' | '$program' 10000 7"
done_testing
