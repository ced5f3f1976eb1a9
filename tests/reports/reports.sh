#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Each program of this folder agrees with the plain C compiler's, or is refused with one error where `refused` lists it.

. "$(dirname "$0")/../tap.sh"
here=$top_srcdir/tests/reports
export top_srcdir top_builddir

if ! grep -q '^plugin = .' "$top_builddir/wscc.conf"; then
    skip 'programs after reports' 'no plugin'
    done_testing
    exit
fi
for file in "$here"/*.c; do
    ok_plain "$(basename "$file" .c)" sh "$here/check" interpret "$file"
done
done_testing
