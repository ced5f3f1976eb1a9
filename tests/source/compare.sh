#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs as region IR of both front ends do what the compiled ones do; all of them in tests/source/all-compare.sh.

. "$(dirname "$0")/../tap.sh"
export top_srcdir top_builddir

compare() { sh "$top_srcdir/tests/source/compare" "$@"; }

# An addition that the interpreter takes for a subtraction, and an operation that is not defined, are seen.
wrong_operation() {
    WSC_EDIT='s/= mul\.i32/= sub.i32/' sh "$top_srcdir/tests/source/compare" "$top_srcdir/tests/source/kinds.c" \
        >"$work/out"
    test $? = 1 && grep -q 'status' "$work/out"
}
undefined_operation() {
    WSC_EDIT='s/= neg\.i32 [^ ]*/= neg.i32 -2147483648/' sh "$top_srcdir/tests/source/compare" \
        "$top_srcdir/tests/source/kinds.c" >"$work/out"
    test $? = 1 && grep -q 'signed overflow in neg.i32' "$work/out"
}

if has_plugin; then
    ok_plain 'kinds of statements and expressions' compare "$top_srcdir/tests/source/kinds.c"
    ok_plain 'a program with tiles' compare "$top_srcdir/samples/copy.c"
    ok_plain 'another operation is seen' wrong_operation
    ok_plain 'an operation that is not defined is seen' undefined_operation
else
    skip 'programs as region IR' 'the plugin is not built'
fi
done_testing
