#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The walk gives the same IR, names included, at every level, with debugging and with link-time optimization; and where
# the user asks for sanitizers it takes what it takes without them.

. "$(dirname "$0")/../tap.sh"
here=$(cd "$(dirname "$0")" && pwd)
cd "$work" || exit 99
conf() { sed -n "s/^$1 = //p" "$top_builddir/wscc.conf"; }

walk_at() { # source, options
    # shellcheck disable=SC2086
    $(conf cc) $2 -w -fplugin="$(conf plugin)" -fplugin-arg-wsc-target=sequential -fplugin-arg-wsc-dump=walk \
        -I"$(conf include)" -S "$1" -o out.s
}

same() {
    walk_at "$1" "$2" >got || return 1
    diff -u expected got
}

if has_plugin; then
    for source in control constants tensors; do
        ok "$source at -O0" walk_at "$here/$source.c" -O0
        walk_at "$here/$source.c" -O0 >expected
        for options in -O1 -O2 -O3 -Os -Og -Ofast '-O0 -g' '-O2 -g' '-O2 -flto' '-O2 -fno-inline' \
            '-O3 -fno-tree-vectorize -march=native'; do
            ok "$source at $options" same "$here/$source.c" "$options"
        done
        for options in '-O0 -fsanitize=address,undefined' '-O2 -fsanitize=undefined' '-O2 -fsanitize=address'; do
            ok "$source at $options" walk_at "$here/$source.c" "$options"
        done
    done
    for options in '-O0 -fsanitize=address,undefined' '-O2 -fsanitize=address,undefined'; do
        ok "tables at $options" walk_at "$here/../programs/tables.c" "$options -I$here/../programs"
    done
else
    skip 'the walk at each -O' 'no plugin'
fi
done_testing
