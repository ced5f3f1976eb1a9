#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# verify accepts what the passes make, and refuses every program in which one step of the protocol was changed.

. "$(dirname "$0")/../tap.sh"
lower=$top_builddir/wsc-lower
cases=$top_srcdir/tests/lowering
cd "$work" || exit 99

# The programs of the roles as they are before plan; plan and verify follow.
programs() { "$lower" --quiet --dump=peel "$cases/$1.ir" >"$1.peel"; }

accepted() { programs "$1" && "$lower" --quiet --start-at=plan --dump=verify "$1.peel" >"$1.verify" &&
    ! grep -q fails "$1.verify"; }

# refused CASE MESSAGE SCRIPT: the programs of CASE changed by the sed script are refused with the message
refused() {
    sed -e "$3" "$1.peel" >changed.peel
    if cmp -s "$1.peel" changed.peel; then
        echo "the script changes nothing"
        return 1
    fi
    if "$lower" --quiet --start-at=plan --stop-after=verify changed.peel >messages 2>&1; then
        echo "accepted"
        return 1
    fi
    grep -q "$2" messages || { cat messages; return 1; }
}

for name in gemm attention nested arms while_around softmax_rows operands ring_between; do
    ok "$name is accepted" accepted "$name"
done

ok 'a slot released one product early' refused gemm 'still read' 's/consumed keep=1/consumed/'
ok 'a wait that leaves one group more' refused gemm 'still read' 's/pending=1/pending=2/'
ok 'a release left out' refused gemm 'without a release of 1 slots' '/^ *consumed |/d'
ok 'a release left out in the loop' refused gemm \
    'would deadlock at .put.: slot 0 of .ta_tb. is released by 0 of 2 groups after put 0' '/consumed keep=1/d'
ok 'a wait left out' refused gemm 'looks at a product in flight\|takes a product' \
    's/= wait \(%[a-z0-9.]*\)$/= wait \1 pending=1/'
ok 'a commit left out' refused gemm 'takes a product in flight\|still read' '/^ *commit/d'
ok 'fewer slots than iterations in flight' refused gemm 'would deadlock' 's/slots=4/slots=1/'
ok 'one arrival expected of two' refused gemm 'expects 1 arrivals' 's/arrivals=2/arrivals=1/'
ok 'three arrivals expected of two' refused gemm 'expects 3 arrivals' 's/arrivals=2/arrivals=3/'
ok 'too few bytes expected' refused gemm 'expects 16384 bytes' 's/bytes=49152/bytes=16384/'
ok 'a copy left out' refused gemm "without a copy into 'tb'" '/copy_in %slot, %b/d'
ok 'a copy twice' refused gemm "copies twice into one slot of 'tb'" '/copy_in %slot, %b/p'
ok 'a put that does not end' refused gemm "puts into 'ta_tb' before its last put is done" '/put_done/d'
ok 'a producer that runs short' refused gemm 'has another first value than the loop of line' \
    '/program producer/,/program consumer/s/%k: i32 = 0, </%k: i32 = 64, </'
ok 'a consumer that runs short' refused gemm 'has another first value than the loop of line' \
    '/program consumer/,$s/%k: i32\(.*\)= 0, </%k: i32\1= 64, </'
ok 'rings got in the other order' refused attention 'tk_ring\|tv_ring' \
    '/program consumer/,$s/aref=tk_ring/aref=tv_ring/'
ok 'staged memory written before it was read' refused operands 'after it was written again' \
    's/storage=operand_staged_2/storage=et_staged/'

# How much the proof looks at, of programs whose proofs are the largest: time follows from that, and is not the
# machine's.
sized() {
    "$lower" --quiet --dump=verify "$cases/$1.ir" >"$1.sized" || return 1
    awk -v terms="$2" -v steps="$3" '/^# verify size/ { seen = 1; if ($4 > terms || $14 > steps) { print; bad = 1 } }
        END { exit bad || !seen }' "$1.sized"
}

# A dump is read back whatever the memory in it, up to what a multiprocessor has.
large_scratch() {
    "$lower" --quiet --dump=plan "$cases/operands.ir" | sed 's/scratch tile<i8,1x[0-9]*>/scratch tile<i8,1x98304>/' >large
    grep -q 1x98304 large || return 1
    "$lower" --quiet --start-at=verify --dump=verify large >again 2>messages
    grep -q 1x98304 again || { cat messages; return 1; }
}
ok 'scratch memory of more than 64 KiB is read back' large_scratch

ok 'the size of the proof of gemm' sized gemm 100 60
ok 'the size of the proof of attention' sized attention 300 350
ok 'the size of the proof of clusters' sized cluster 100 60
ok 'the size of the proof of tiles in turn' sized by_tiles 100 300
ok 'the size of the proof of products in arms' sized product_in_arms 120 450
ok 'the size of the proof of rings under branches' sized gated 150 550
ok 'the size of the proof of a cluster of eight' sized cluster_of_eight 100 500
ok 'the size of the proof of blocks with ways of their own' sized own_ways 150 2000
done_testing
