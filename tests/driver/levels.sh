#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The passes see one program, whatever the host compiler's optimization level: what the language phase leaves is the
# same text at each.

. "$(dirname "$0")/../tap.sh"
cd "$work" || exit 99

program_at() { # source, options
    source=$1
    shift
    "$wscc" "$@" -w --ws-target=sequential --ws-dump=simplify-2 -I"$top_srcdir/samples" -I"$top_srcdir/tests/programs" \
        -c "$source" -o o.o
}

# -O0 beside two of the others, which take turns from program to program.
turn=0
same_at_each_level() {
    program_at "$1" -O0 >at-0 || return 1
    test -s at-0 || { echo 'nothing was dumped'; return 1; }
    case $turn in
    0) set -- "$1" -O1 '-O3 -g' ;;
    *) set -- "$1" -O2 -Os ;;
    esac
    source=$1
    shift
    for options; do
        program_at "$source" $options >at-other || return 1
        diff -u at-0 at-other || { echo "with $options"; return 1; }
    done
}

# What these ask about the addresses of locals is dropped with the addresses.
same_sanitized() {
    program_at "$1" -O0 >at-0 && program_at "$1" -O2 "$2" >at-other && diff -u at-0 at-other
}

if has_plugin; then
    for case in handed_back helpers config; do
        for checks in address undefined address,undefined; do
            ok "$case.c, -fsanitize=$checks" same_sanitized "$top_srcdir/tests/programs/$case.c" "-fsanitize=$checks"
        done
    done
    for source in "$top_srcdir"/samples/*.c "$top_srcdir"/tests/product/product_forms.c \
        "$top_srcdir"/tests/programs/*.c; do
        grep -qE '#pragma ws|^PRODUCT' "$source" || continue
        ok "$(basename "$source")" same_at_each_level "$source"
        turn=$((1 - turn))
    done
else
    skip 'the IR at each -O' 'no plugin'
fi
done_testing
