#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Some of constructs.txt in loops of all kinds: accepted and right, or refused in one error. all-constructs.sh has all.
# Some programs with many constructs of a kind, too.

. "$(dirname "$0")/../tap.sh"
export top_srcdir top_builddir

some='goto-computed union-cast anonymous-union elvis-side logical-side designated-nested switch-range do-once-continue
compound-literal-index string-element pointer-choice static-local-read static-local-const flexible-array
conditional-void constant-without-sign cut-off-behind-a-sign array-in-a-loop array-handed-over-in-a-loop
array-pointed-to-in-a-loop array-cast-in-a-loop bytes-from-zero bytes-from-a-string while-with-a-condition'

right() { frontend=$1 sh "$top_srcdir/tests/frontend/constructs" $some; }

answered() { frontend=$1 sh "$top_srcdir/tests/fuzz/sizes" 10 "$2"; }

if has_plugin; then
    ok_plain 'some constructs' right gcc
    ok_plain 'some sizes' answered '' 20
    if grep -q '^clang-frontend = .' "$top_builddir/wscc.conf"; then
        ok_plain 'some constructs, by clang' right clang
        ok_plain 'some sizes, by clang' answered clang 60
    fi
else
    skip 'some constructs' 'the plugin is not built'
fi
done_testing
