#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# All programs of the tree as region IR do what the compiled ones do; of `make check-all`.

. "$(dirname "$0")/../tap.sh"
export top_srcdir top_builddir

compare() { sh "$top_srcdir/tests/source/compare" "$@"; }

if has_plugin; then
    ok_plain 'programs after reports' compare "$top_srcdir"/tests/reports/*.c
    ok_plain 'samples' compare "$top_srcdir"/samples/*.c
    ok_plain 'programs' compare "$top_srcdir"/tests/programs/*.c
else
    skip 'programs as region IR' 'the plugin is not built'
fi
done_testing
