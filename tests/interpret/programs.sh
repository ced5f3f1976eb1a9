#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Interpreted, every program under tests/programs and tests/fuzz/cases prints what it prints sequentially, under several
# orders, and verify accepts its final IR as it is printed; programs whose final IR was changed by a step are found out.
# With thorough=yes, which `make check-all` sets, the programs run under every order, too.

. "$(dirname "$0")/../tap.sh"
here=$top_srcdir/tests/interpret
programs=$top_srcdir/tests/programs
export top_srcdir top_builddir
cd "$work" || exit 99

if ! has_plugin; then
    skip 'interpreted programs' 'no plugin'
    done_testing
    exit
fi

options_of() { sed -n 's/^.*options: *\([^*]*\).*/\1/p' "$1" | head -n 1; }

agrees() {
    options="-O1 -w -I$programs $(options_of "$1")"
    "$wscc" --ws-target=sequential $options "$1" -o sequential -lm && ./sequential >wanted || return 1
    edit='tee final.ir' sh "$here/cc" $options "$1" -o interpreted && WS_SCHEDULES=3 ./interpreted >got &&
        diff wanted got
}

# Two milliseconds of proof for a kernel are 500 terms and 10,000 steps; what a loop carries are terms, too.
is_proved_soon() { # FILE [TERMS]
    awk -v terms="${2:-500}" '
        /^# verify size/ { seen = 1; if ($4 > terms || $14 > 10000) { print; bad = 1 } } END { exit bad || !seen }' "$1"
}

sample_is_proved_soon() {
    stop_after=ir sh "$here/cc" -O1 -w -I"$top_srcdir/samples" "$1" -o sample.ir && is_proved_soon sample.ir &&
        reads_back sample.ir
}

# What was proved holds of the text, too.
reads_back() { "$top_builddir/wsc-lower" --quiet --verify "$1"; }

# The few orders that stand for all, of each CTA by itself. Too many steps for that have those that run long.
in_every_order() {
    WS_SCHEDULES=all ./interpreted >got 2>orders && diff wanted got && grep -q 'orders of .* stand for all' orders
}

# again CASE MESSAGE EDIT: what some order ends with is found by trying all, and the report's order ends with it again
again() {
    edit=$3 sh "$here/cc" -O1 -w -I"$top_srcdir/samples" "$top_srcdir/samples/$1.c" -o changed || return 1
    WS_SCHEDULES=all ./changed >said 2>&1
    order=$(sed -n "s/.*WS_ORDER='\([^']*\)'.*/\1/p" said | head -n 1)
    test -n "$order" && WS_ORDER=$order ./changed >same 2>&1
    grep -q "$2" said && grep -q "$2" same || { cat said same; return 1; }
}

# found CASE MESSAGE EDIT: with its final IR edited, the sample or program ends with that error
found() {
    file=$top_srcdir/samples/$1.c
    test -f "$file" || file=$programs/$1.c
    edit=$3 sh "$here/cc" -O1 -w -I"${file%/*}" "$file" -o changed || return 1
    if WS_SCHEDULES=10 ./changed >said 2>&1; then
        echo 'no error'
        return 1
    fi
    grep -q "$2" said || { cat said; return 1; }
}

# Every operation that lowered programs may hold.
knows_all() {
    missing=0
    known=0
    for name in $(sed -n 's/^OP (\([A-Z0-9_]*\), *[a-z0-9_]*, *\(TILE\|LOAD\|STORE\|SYNC\|READ\),.*/\1/p' \
        "$top_srcdir/runtime/common/ops.def"); do
        case $name in
        DOT | DOT_F32 | RING_*) continue ;;
        LOAD* | STORE | STORE_ROW | STORE_COL | AT* | ELEMENT | SET_ELEMENT | TILE_AT) continue ;;
        esac
        known=$((known + 1))
        grep -qE "OP_$name\\b|X\($name,|MATHS(_OF_TWO)? \($name," "$here"/*.c "$top_srcdir/runtime/common/maths.def" ||
            { echo "the interpreter does not know $name"; missing=1; }
    done
    test $known -gt 50 || { echo "ops.def has only $known of these"; missing=1; }
    return $missing
}

ok 'every operation is known' knows_all
for file in "$programs"/*.c "$top_srcdir"/tests/fuzz/cases/*.c; do
    program=$(basename "$file" .c)
    # Not those of several sources, and not what would print under each order.
    case $program in print | print_*) continue ;; esac
    grep -q 'int main' "$file" || continue
    case $(options_of "$file") in *.c*) continue ;; esac
    ok "$program" agrees "$file"
    case ${thorough-}$program in yesmany_tiles | yesproduct_in_arms) ;; yes*) ok "$program, every order" in_every_order ;; esac
    case $program in many_values) terms=1000 ;; plain_llm) terms=600 ;; *) terms=500 ;; esac
    ok "$program, the time of its proof" is_proved_soon final.ir $terms
    ok "$program, read back" reads_back final.ir
done
for file in "$top_srcdir"/samples/*.c "$top_srcdir"/tests/product/product_forms.c; do
    ok "$(basename "$file" .c), the time of its proof" sample_is_proved_soon "$file"
done

ok 'a commit left out' found gemm 'in flight' "sed '/^ *commit/d'"
ok 'a slot released one product early' found gemm 'a product in flight reads it' "sed 's/consumed keep=1/consumed/'"
ok 'fewer arrivals than groups' found gemm 'arrivals' "sed 's/arrivals=2/arrivals=1/'"
ok 'more arrivals than groups' found gemm 'of 3 groups' "sed 's/arrivals=2/arrivals=3/'"
ok 'staging that two groups share' again gemm 'staging that is still read by a copy out\|another result' \
    "sed 's/\(storage c_out output.*\) slots=2/\1 slots=1/'"
ok 'scratch memory in a slot of a ring' found tasks_rows 'it is not full' \
    "sed 's/\(storage scratch.*\) offset=[0-9]*/\1 offset=0/'"
ok 'an exchange in memory of another one' found long_rows 'of another one that is not received yet' \
    "sed 's/storage=squares_shares/storage=sum_shares/'"
ok 'rows left out that a sum sees' found attention 'FAILED' \
    "sed 's/\(copy_in .*\)storage=v_tile/\1skip_oob=1 storage=v_tile/'"
ok 'a variable that two values share' found softmax_rows '' "sed 's/var=now = max/var=largest = max/'"
done_testing
