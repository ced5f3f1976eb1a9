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
# With frontend=clang Clang reads the source: it is checked by a source that GCC refuses.
by_clang() {
    { printf '#ifndef __clang__\n#error not Clang\n#endif\n' && cat "$here/triangle_select.c"; } >"$work/clang.c" &&
        frontend=clang sh "$top_srcdir/tests/interpret/cc" -w -I"$here" "$work/clang.c" -o "$work/clang" -lm &&
            "$work/clang" && ! sh "$top_srcdir/tests/interpret/cc" -w -I"$here" "$work/clang.c" -o "$work/clang" -lm 2>/dev/null
}
if grep -q '^clang-frontend = .' "$top_builddir/wscc.conf"; then ok_plain 'programs go through Clang' by_clang; else
    skip 'programs go through Clang' 'no clang front end'; fi
done_testing
