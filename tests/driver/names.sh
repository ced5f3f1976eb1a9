#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Each public name of ws.h, and each clause of the pragmas, is in the manual and in a program that runs.

. "$(dirname "$0")/../tap.sh"
cd "$top_srcdir" || exit 99

# Comments, and names that end in _, are for readers of the header.
public_names() {
    sed -e 's|/\*.*\*/||' -e '/^\/\*/,/\*\//d' runtime/include/ws.h | grep -oE '\b(ws|WS)_[A-Za-z0-9_]*[A-Za-z0-9]\b' |
        grep -vxE 'ws_plugin|WS_H' | sort -u
}

clauses() { sed -n 's/^CLAUSE ([A-Z]*, [A-Z]*, "\([a-z]*\)".*/\1/p' lowering/source/clauses.def; }

# Tests of the elementwise operations paste names together: TEST(exp2) is ws_exp2, and one includes the whole of
# maths.def.
used() {
    grep -rqw "$1" lib samples tests/programs tests/runtime tests/gpu --include='*.[ch]' ||
        grep -qw "${1#ws_}" tests/programs/elementwise_*.c ||
        { grep -q '^MATHS ([A-Z0-9]*, *'"${1#ws_}," runtime/common/maths.def &&
            grep -q 'maths\.def' tests/programs/elementwise_unary.c; }
}

all_names() {
    status=0
    test "$(public_names | wc -l)" -gt 100 || { echo 'names were not found'; return 1; }
    for word in $(public_names); do
        cat docs/reference.md docs/compiler.md | grep -qF "\`$word" || { echo "docs/ lack $word"; status=1; }
        case $word in
        WS_ERR_*) grep -rqw "$word" runtime --include='*.c' --include='*.cuh' ;;
        *) used "$word" ;;
        esac || { echo "no program uses $word"; status=1; }
    done
    return $status
}

all_clauses() {
    status=0
    test "$(clauses | wc -l)" -gt 6 || { echo 'clauses were not found'; return 1; }
    for word in $(clauses) 'pipeline(auto)' 'order(column)' 'parts'; do
        grep -qF "$word" docs/reference.md || { echo "docs/reference.md lacks $word"; status=1; }
        grep -rhE '#pragma ws|_Pragma|"ws |(WS|kind|PLAIN_PRAGMA|PRODUCT_[A-Z]+_)\(' lib samples tests/programs \
            --include='*.[ch]' | grep -qF "$word" ||
            { echo "no program uses $word"; status=1; }
    done
    return $status
}

ok 'names of ws.h' all_names
ok 'clauses' all_clauses
done_testing
