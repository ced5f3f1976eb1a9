# SPDX-License-Identifier: GPL-3.0-or-later
title='proof and counterexample: repair the roles of a product'
answer=product.plan
given=product.c
start_file() { plan_of "$1" | sed -f "$1/break.sed"; }
plan_of() {
    test -n "${plugin-1}" && "$wscc" --ws-target=emulate --ws-dump=plan -O1 -w -S "$1/product.c" -o /dev/null 2>/dev/null
}
grade() {
    plan_of "$home" >right.plan
    test -s right.plan || { echo "lab $lab: the compiler has no plugin here" >&2; exit 2; }
    test -x "$tools/wsc-lower" || { echo "lab $lab: no wsc-lower beside wscc" >&2; exit 2; }
    sed '/^  program/,$d' right.plan | grep -v '^  \(aref\|storage\) ' >source
    sed '/^  program/,$d' answer.plan | grep -v '^  \(aref\|storage\) ' >theirs
    cmp -s source theirs || mistake source-changed \
        'What stands above the first program is the source as the proof takes it: the roles have to be repaired, not what they are compared with.'
    "$tools/wsc-lower" --quiet --verify answer.plan >said 2>&1 ||
        explain refused 'The proof refuses these roles.'
}
