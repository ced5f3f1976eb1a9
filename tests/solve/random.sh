#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The interval of small random graphs: wsc-solve, a search through all schedules, and Z3 where it is installed.
#   WSC_GRAPHS=n and WSC_Z3_GRAPHS=n  how many

. "$(dirname "$0")/../tap.sh"
random=$top_builddir/tests/solve/random
test -x "$random" || { echo '1..0 # SKIP no libcadical'; exit 0; }
opinion=$top_srcdir/tests/solve/second_opinion.py

graphs=${WSC_GRAPHS:-1000}
by_hand() {
    "$random" "$graphs" 1 >"$work/out"
    status=$?
    cat "$work/out"
    test $status = 0 && grep -q "^$graphs graphs: .* 0 wrong" "$work/out"
}
ok "$graphs graphs, by hand" by_hand

python=
for one in python3 /usr/bin/python3; do
    test -n "$python" || ! $one -c 'import z3' 2>/dev/null || python=$one
done
z3() { "$random" --text "${WSC_Z3_GRAPHS:-12}" 1 | $python "$opinion"; }
wrong() { "$random" --text 3 1 | awk '/^answer/ { $2++ } { print }' | $python "$opinion" >"$work/out";
    grep -q '3 wrong' "$work/out"; }
if test -n "$python"; then
    ok 'Z3 agrees' z3
    ok 'Z3 does not agree with anything' wrong
else
    skip 'Z3 agrees' 'no Z3 for Python'
fi
done_testing
