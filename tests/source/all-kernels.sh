#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# All programs of the tree, and random nests, with kernels that are built from the region IR; of `make check-all`. A
# program that is refused names the reason; it is no failure.

. "$(dirname "$0")/../tap.sh"
export top_srcdir top_builddir

kernels() { sh "$top_srcdir/tests/source/kernels" "$@"; }
nests() { mode=interpret frontend=$1 sh "$top_srcdir/tests/fuzz/plain" 256 1; }

if has_plugin; then
    ok_plain 'programs after reports' kernels "$top_srcdir"/tests/reports/*.c
    ok_plain 'samples' kernels "$top_srcdir"/samples/*.c
    ok_plain 'programs' kernels "$top_srcdir"/tests/programs/*.c
    ok_plain 'random nests' nests ''
else
    skip 'programs' 'the plugin is not built'
fi
if grep -q '^clang-frontend = ' "$top_builddir/wscc.conf"; then
    ok_plain 'random nests through clang' nests clang
else
    skip 'random nests through clang' 'the clang front end is not built'
fi
done_testing
