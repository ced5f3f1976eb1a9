#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ./bootstrap demo: both targets agree, and every word of the plan that it shows is explained.

. "$(dirname "$0")/../tap.sh"

if ! has_plugin; then
    skip 'the demo' 'no plugin'
    done_testing
fi

demo() { sh "$top_srcdir/samples/demo.sh" "$top_srcdir" "$top_builddir" >"$work/text" &&
    grep -q 'the same, to the last bit' "$work/text"; }
numbers() { grep -q 'D = 4: the ring has 4 slots' "$work/text" && grep -q 'P = 2: .* 2 iterations' "$work/text"; }
# The names before "=" and the first words of the plan's lines, each in the text behind them.
words() {
    sed -n '/^The plan/,/^$/p' "$work/text" | sed 1d | tr ' ' '\n' | sed -n 's/=.*//p' | sort -u >"$work/names"
    test "$(wc -l <"$work/names")" -gt 10 || return 1
    printf '%s\n' launch role storage aref ring output mma >>"$work/names"
    sed '1,/^The plan/d' "$work/text" | sed '1,/^$/d' >"$work/prose"
    for word in $(cat "$work/names"); do
        grep -qw "$word" "$work/prose" || { echo "'$word' is not explained"; return 1; }
    done
}

ok_plain 'sequential and emulate agree' demo
ok_plain 'D and P are explained' numbers
ok_plain 'and so is each word of the plan' words
done_testing
