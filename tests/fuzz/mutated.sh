#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Changed programs (mutate-cases) agree with the plain C compiler, five seeds; of `make check-all`. WSC_MUTANTS says how
# many of each, 200 if it is not set: of them at least three quarters are accepted.

. "$(dirname "$0")/../tap.sh"
here=$top_srcdir/tests/fuzz
export top_srcdir top_builddir
count=${WSC_MUTANTS:-200}

agree() { # SEED
    mode=interpret keep=$work/kept sh "$here/mutate-cases" "$1" "$count" >"$work/said"
    status=$?
    cat "$work/said"
    accepted=$(sed -n 's/.*programs: \([0-9]*\) agree.*/\1/p' "$work/said")
    test $status = 0 && test $((accepted * 4)) -ge $((count * 3))
}

if grep -q '^plugin = .' "$top_builddir/wscc.conf"; then
    for seed in 100000 200000 300000 400000 500000; do
        ok_plain "changed programs of seed $seed" agree $seed
    done
else
    skip 'changed programs' 'no plugin'
fi
done_testing
