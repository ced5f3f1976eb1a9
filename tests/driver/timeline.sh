#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# WS_MACHINE, WS_TIMELINE, --ws-timeline: the emulation with durations.

. "$(dirname "$0")/../tap.sh"

if ! has_plugin; then
    skip 'a timeline' 'no plugin'
    done_testing
fi
machine=$top_srcdir/machines/hopper.machine
cd "$work" || exit 99
# built NAME DEPTHS: the product of samples/ with that pipeline
built() {
    sed "s/pipeline(4, 2)/pipeline($2)/" "$top_srcdir/samples/gemm.c" >"$1.c" &&
        "$wscc" --ws-target=emulate -O1 -w -I"$top_srcdir/samples" "$1.c" -lm -o "$1"
}
# predicted NAME K: clocks of a tile of 128 x 256
predicted() {
    WS_MACHINE=$machine WS_TIMELINE=$1.txt "./$1" 128 256 "$2" >/dev/null &&
        sed -n 's/.* CTA 0: \([0-9]*\) clocks.*/\1/p' "$1.txt"
}

ok 'a ring of four' built four 4,2
ok 'a ring of one' built one 1,1
# 32 iterations of 128 x 256 x 64 at 2040 products a clock are 32900 clocks; the first loads take 2000.
near_the_bound() {
    clocks=$(predicted four 2048) && echo "$clocks" && test "$clocks" -gt 34000 && test "$clocks" -lt 38000
}
ok 'a product takes what the tensor cores need, and little more' near_the_bound
twice_as_long() {
    short=$(predicted four 2048) && long=$(predicted four 4096) && echo $((long - short)) &&
        test $((long - short)) -ge 32890 && test $((long - short)) -le 33000
}
ok 'twice the sum takes so many iterations more' twice_as_long
# One slot: load, latency and product one behind the other.
one_behind_the_other() { clocks=$(predicted one 2048) && echo "$clocks" && test "$clocks" -gt 85000; }
ok 'a ring of one slot waits for every load' one_behind_the_other
# What a step of a group takes: with 2000 clocks each 32 gets cannot be hidden.
own_machine() {
    sed 's/^timeline get .*/timeline get latency=2000/' "$machine" >slow.machine
    plain=$(predicted four 2048) && slow=$(machine=slow.machine predicted four 2048) && echo "$plain $slow" &&
        test "$slow" -gt $((plain + 30000))
}
ok 'what a get takes holds its group' own_machine
tiles() { # a block has one tile, where the machine has a multiprocessor for each
    WS_MACHINE=$machine WS_TRACE=tiles.json ./four 640 512 64 >/dev/null && test "$(grep -c process_name tiles.json)" -eq 10
}
ok 'as many blocks as the machine has multiprocessors' tiles
seedless() {
    for seed in 1 2; do (WS_SEED=$seed && export WS_SEED && predicted four 512) >"seed-$seed" || return 1; done
    cmp seed-1 seed-2
}
ok 'no seed changes a prediction' seedless
right() { WS_MACHINE=$machine ./four 200 296 168 | grep -q 'ok max error'; }
ok 'values are what they were' right
units() {
    grep -q '^hopper: TC 9[0-9]%, SFU 0%' four.txt && grep -q '^consumer *1 |' four.txt &&
        grep -q '^ *products |.*MMMM' four.txt
}
ok 'the picture says how busy the units are' eval 'predicted four 4096 && units'
traced() {
    WS_MACHINE=$machine WS_TRACE=t.json ./four 128 256 512 >/dev/null && grep -q '"unit":"clock"' t.json &&
        grep -q '"cat":"work","name":"cast"' t.json && { ! python3 -c '' 2>/dev/null || python3 -c \
        'import json; json.load(open("t.json"))'; }
}
ok 'a trace in clocks' traced
by_events() { WS_TIMELINE=e.txt ./four >/dev/null && grep -q ' events, a column' e.txt; }
ok 'without a machine the picture counts events' by_events
broken() {
    "$wscc" --ws-target=emulate --ws-keep -O1 -w -I"$top_srcdir/samples" -S four.c -o four.s >/dev/null 2>&1
    sed 's/consumed<1>/consumed<0>/' four.cu >lab.cu && "$wscc" --ws-target=emulate four.s lab.cu -lm -o lab || return 1
    WS_MACHINE=$machine ./lab >said 2>&1
    grep 'a product in flight reads it' said
}
ok 'what breaks the protocol is reported' broken
printf 'unit TC\nkind mma_f16 use=GPU:3\n' >bad.machine
bad_line() { WS_MACHINE=bad.machine ./four 2>&1 | grep 'bad.machine:2: this is not understood'; }
ok 'a line that is not understood is named' bad_line
no_machine() { WS_MACHINE=none ./four 2>&1 | grep 'WS_MACHINE: cannot read none'; }
ok 'a machine that is not there is said' no_machine
option() {
    "$wscc" --ws-target=emulate --ws-timeline=drawn.txt -w -O1 "$top_srcdir/samples/gemm.c" -lm -o gemm &&
        grep -q '^gemm CTA 0: [0-9]* clocks' drawn.txt
}
ok '--ws-timeline draws at once' option
refused() { ! "$wscc" --ws-target="$1" --ws-timeline=x -w "$top_srcdir/samples/gemm.c" -lm $2 -o g 2>said &&
    grep -q 'ws-timeline runs what is linked for emulate' said; }
ok 'not without a link' refused emulate -c
ok 'not without the emulation' refused sequential ''
done_testing
