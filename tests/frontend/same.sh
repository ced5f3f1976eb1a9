#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Both doors make the same IR, names included, of every program of samples/ and tests/programs/: the text after the pass
# `types`. The file `apart` lists those that do not, each with the reason. It can only shrink: what is listed and the
# same by now is a failure, too. WSC_FILES="a.c b.c" looks at these alone.

. "$(dirname "$0")/../tap.sh"
here=$(cd "$(dirname "$0")" && pwd)
cd "$work" || exit 99

text_by() { # front end, source
    "$wscc" --ws-target=sequential --ws-frontend="$1" --ws-dump=types -S -O0 -w "$2" -o out.s </dev/null
}

both() {
    text_by gcc "$1" >by-gcc || return 1
    test -s by-gcc || return 0
    text_by clang "$1" >by-clang || return 1
    for door in gcc clang; do awk -f "$here/kernels.awk" by-$door >sorted-$door; done
    diff -u sorted-gcc sorted-clang
}

reason() { sed -n "s|^$1: ||p" "$here/apart"; }

still_apart() {
    ! both "$1" >log 2>&1 || { echo "the two doors agree on $2: take it off tests/frontend/apart"; return 1; }
}

listed_exist() {
    status=0
    for name in $(sed -n '/^#/d; s/:.*//p' "$here/apart"); do
        test -f "$top_srcdir/$name" && grep -q "^$name: ." "$here/apart" || { echo "$name"; status=1; }
    done
    return $status
}

if ! has_plugin || ! grep -q '^clang-frontend = ' "$top_builddir/wscc.conf"; then
    skip 'both doors' 'one of them is not built'
    done_testing
fi
ok 'what is listed is there, with a reason' listed_exist
for source in ${WSC_FILES:-"$top_srcdir"/samples/*.c "$top_srcdir"/tests/programs/*.c}; do
    name=$(basename "$(dirname "$source")")/$(basename "$source")
    case $name in programs/*) name=tests/$name ;; esac
    if test -n "$(reason "$name")"; then
        ok "$name is apart: $(reason "$name")" still_apart "$source" "$name"
    else
        ok "$name" both "$source"
    fi
done
done_testing
