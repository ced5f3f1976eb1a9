#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Each program of this folder through the emitted code, and sequentially, by both front ends; of `make check-all`.

. "$(dirname "$0")/../tap.sh"
here=$top_srcdir/tests/reports
export top_srcdir top_builddir

agree() { # TARGET FRONTEND
    frontend=${2#gcc} sh "$here/check" "$1" "$here"/*.c
}

for target in emulate sequential; do
    grep -q '^plugin = .' "$top_builddir/wscc.conf" && ok_plain "$target" agree $target gcc
    grep -q '^clang-frontend = .' "$top_builddir/wscc.conf" && ok_plain "$target, by clang" agree $target clang
done
done_testing
