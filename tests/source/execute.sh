#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The region IR of a program does what the program does: constructs.c has all of C that it knows, at several levels.

. "$(dirname "$0")/../tap.sh"
here="$top_srcdir/tests/source"

if ! grep -q '^plugin = .' "$top_builddir/wscc.conf"; then
    skip 'constructs' 'no plugin'
    done_testing
    exit 0
fi
for level in -O0 '-O2 -g' '-O1 -fwrapv'; do
    ok_plain "constructs $level" env WSC_LEVEL="$level" sh "$here/execute" "$here/constructs.c"
done
ok_plain 'constructs behind all passes' env WSC_PASSES=inline-all,simplify,unroll,promote,simplify,induction \
    sh "$here/execute" "$here/constructs.c"
broken() { WSC_BREAK="$1" sh "$here/execute" "$here/constructs.c" >"$work/out"; test $? = 1 && grep -q "$2" "$work/out"; }
ok_plain 'another operation is seen' broken 's/= ge.f64/= gt.f64/' 'differs'
ok_plain 'an operand of another type is seen' broken 's/= add.i32 \(t[0-9]*\), /= add.i64 \1, /' 'is read as'
done_testing
