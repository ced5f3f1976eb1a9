#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Passes over the region IR: the text that they make of tests/source/passes/CASE.in is that of CASE.PASS+PASS, and
# random functions give the same results before and after them. --update writes the texts again.

. "$(dirname "$0")/../tap.sh"
cases=$top_srcdir/tests/source/passes
tools=$top_builddir/tests/source

passes_of() { basename "$1" | sed 's/^[^.]*\.//' | tr + ,; }

same_text() {
    "$tools/pass" -p "$(passes_of "$1")" <"${1%%.*}.in" >"$work/text" && diff -u "$1" "$work/text"
}

cd "$cases" || exit 99
for golden in *.*; do
    case $golden in *.in) continue ;; esac
    if test "$1" = --update; then
        "$tools/pass" -p "$(passes_of "$golden")" <"${golden%%.*}.in" >"$golden"
    else
        ok "$golden" same_text "$golden"
    fi
done
test "$1" = --update && exit 0
cd "$work" || exit 99
ok 'each rule of the normal form' "$tools/rules" 700 1
ok 'inlined functions' "$tools/random" 150 1 inline-all
ok 'simplified functions' "$tools/random" 250 1000 simplify
ok 'inlined and simplified functions' "$tools/random" 250 2000 inline-all,simplify
ok 'unrolled and promoted functions' "$tools/random" 250 3000 inline-all,simplify,unroll,promote,simplify
ok 'structured functions' "$tools/random" 250 4000 simplify,structure
ok 'functions with derived counters' "$tools/random" 250 5000 inline-all,simplify,unroll,promote,simplify,induction
done_testing
