#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Random nests of each kind (plain.c) agree with the plain functions, through both front ends; of `make check-all`.
# WSC_NESTS says how many of each, WSC_SEED the first of them.

. "$(dirname "$0")/../tap.sh"
here=$top_srcdir/tests/fuzz
export top_srcdir top_builddir

agree() { # FRONTEND KIND
    frontend=${1#gcc} mode=interpret kinds=$2 sh "$here/plain" "${WSC_NESTS:-200}" "${WSC_SEED:-31000000}"
}

${CC:-gcc} -O1 -w -o "$work/generate" "$here"/plain.c "$here"/plain-*.c || exit 99
for kind in $("$work/generate" 1 none 2>&1 | sed 's/.*there are: //'); do
    grep -q '^plugin = .' "$top_builddir/wscc.conf" && ok_plain "$kind" agree gcc "$kind"
    grep -q '^clang-frontend = .' "$top_builddir/wscc.conf" && ok_plain "$kind, by clang" agree clang "$kind"
done
done_testing
