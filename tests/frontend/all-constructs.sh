#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# All of constructs.txt in loops of all kinds: accepted and right, or refused in one error; of `make check-all`. And the
# programs of the file `apart` by the clang front end: they check what they compute.

. "$(dirname "$0")/../tap.sh"
export top_srcdir top_builddir

runs() { # source
    "$wscc" --ws-frontend=clang -O1 --ws-target=emulate -w "$top_srcdir/$1" -o "$work/program" -lm -lpthread &&
        "$work/program"
}
right() { frontend=$1 mode=$2 sh "$top_srcdir/tests/frontend/constructs"; }

if has_plugin; then
    ok_plain 'all constructs, interpreted' right gcc interpret
    ok_plain 'all constructs' right gcc emulate
    if grep -q '^clang-frontend = .' "$top_builddir/wscc.conf"; then
        ok_plain 'all constructs, by clang' right clang emulate
        for name in $(sed '/^#/d; s/:.*//' "$top_srcdir/tests/frontend/apart"); do ok_plain "$name" runs "$name"; done
    fi
else
    skip 'all constructs' 'the plugin is not built'
fi
done_testing
