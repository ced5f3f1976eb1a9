#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs with many constructs of a kind are right, or refused in one error; of `make check-all`. WSC_SIZES says how
# many random programs there are for each front end, WSC_SEED the first of them.

. "$(dirname "$0")/../tap.sh"
here=$top_srcdir/tests/fuzz
export top_srcdir top_builddir

agree() { # FRONTEND [COUNT SEED]
    frontend=$1
    shift
    frontend=${frontend#gcc} sh "$here/sizes" "$@"
}

for frontend in gcc clang; do
    setting=plugin
    test $frontend = gcc || setting=clang-frontend
    grep -q "^$setting = ." "$top_builddir/wscc.conf" || continue
    ok_plain "each kind in each size, by $frontend" agree $frontend
    ok_plain "random kinds and sizes, by $frontend" agree $frontend "${WSC_SIZES:-1000}" "${WSC_SEED:-1}"
done
done_testing
