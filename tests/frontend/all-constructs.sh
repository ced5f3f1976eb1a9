#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# All of constructs.txt in loops of all kinds: accepted and right, or refused in one error; of `make check-all`.

. "$(dirname "$0")/../tap.sh"
export top_srcdir top_builddir

right() { frontend=$1 mode=$2 sh "$top_srcdir/tests/frontend/constructs"; }

if has_plugin; then
    ok_plain 'all constructs, interpreted' right gcc interpret
    ok_plain 'all constructs' right gcc emulate
    if grep -q '^clang-frontend = .' "$top_builddir/wscc.conf"; then
        ok_plain 'all constructs, by clang' right clang emulate
    fi
else
    skip 'all constructs' 'the plugin is not built'
fi
done_testing
