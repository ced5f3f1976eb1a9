#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Random small protocols get one verdict from the search of lowering/proof/ and from a naive one of all executions, and
# PROOF.md has the rules that the search reads.

. "$(dirname "$0")/../tap.sh"
rules=$top_srcdir/lowering/proof/rules.def

table_is() {
    awk -f "$top_srcdir/tests/proof/table.awk" "$1" >"$work/table" && grep '^| `[a-z_]*` |' "$top_srcdir/PROOF.md" | diff - "$work/table"
}
rules_are_used() {
    status=0
    for rule in $(sed -n 's/^RULE (\([A-Z_]*\), [A-Z_]*, ".*/\1/p' "$1"); do
        grep -qw "RULE_$rule" "$top_srcdir"/lowering/proof/protocol*.c || { echo "no code has $rule"; status=1; }
    done
    return $status
}

ok 'the table of PROOF.md' table_is "$rules"
sed 's/is held; i grows/is held; i shrinks/' "$rules" >"$work/other.def"
not_ok 'another effect is found' table_is "$work/other.def"
ok 'each rule is used' rules_are_used "$rules"
{ cat "$rules"; echo 'RULE (OF_NOBODY, GET, "reads")'; } >"$work/more.def"
not_ok 'a rule that no code has is found' rules_are_used "$work/more.def"
for seed in 1 2; do ok "random protocols, seed $seed" "$top_builddir/tests/proof/protocols" 250 $seed 3000; done
done_testing
