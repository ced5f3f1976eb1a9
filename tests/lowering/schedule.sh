#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Schedules as text: what is written reads back as it was; what is edited is carried out and proved, or refused in its
# words.

. "$(dirname "$0")/../tap.sh"
lower=$top_builddir/wsc-lower
cases=$top_srcdir/tests/lowering
cd "$work" || exit 99

write() { "$lower" --quiet --dump=schedule "$cases/$1.ir" >"$1.schedule" && test -s "$1.schedule"; }

reads_back() {
    write "$1" && "$lower" --quiet --emit "$cases/$1.ir" >chosen.cu &&
        "$lower" --quiet --emit --schedule="$1.schedule" "$cases/$1.ir" >read.cu && cmp chosen.cu read.cu &&
        "$lower" --quiet --dump=schedule --schedule="$1.schedule" "$cases/$1.ir" >again && diff "$1.schedule" again
}
for name in gemm attention prepared gated nested copy uneven chain; do
    ok "$name reads back" reads_back "$name"
done

edit() { # CASE SCRIPT
    write "$1" || return 1
    sed -e "$2" "$1.schedule" >edited
    ! cmp -s "$1.schedule" edited || { echo 'the script changes nothing'; return 1; }
}

# carried_out CASE SCRIPT [PATTERN]: another program, which verify accepts and in which alone the pattern is found
carried_out() {
    edit "$1" "$2" && "$lower" --quiet --emit "$cases/$1.ir" >chosen.cu &&
        "$lower" --quiet --emit --schedule=edited "$cases/$1.ir" >edited.cu && ! cmp -s chosen.cu edited.cu || return 1
    test $# = 2 || { grep -q "$3" edited.cu && ! grep -q "$3" chosen.cu; }
}
ok 'other depths' carried_out gemm 's/ring=4/ring=3/' 'ring<3>'
ok 'one product in flight' carried_out gemm 's/in-flight=2/in-flight=1/'
ok 'no turns' carried_out attention 's/pingpong=yes/pingpong=no/'
ok 'one group' carried_out gated 's/groups=2 split=tiles/groups=2 split=rows/; s/pingpong=yes/pingpong=no/' 'first_row'
ok 'one stage' carried_out attention '/^op acc.50/d; /^op tv.22/d; s/stage=0//; s/coarse/fine/
s/^op ph.49.*/&\nop tv.22 ring=2 release=end from=producer\nop acc.50/'
# A loop of one stage, too, is issued in the order of its lines.
in_order() {
    edit attention '/^op acc.50/d; /^op tv.22/d; s/stage=0//; s/coarse/fine/
s/^op ph.49.*/&\nop tv.22 ring=2 release=end from=producer\nop acc.50/' && sed '/^op rescaled/{h;d}
/^op ph.49/{p;x}' edited >other && ! cmp -s edited other || return 1
    for file in edited other; do
        "$lower" --quiet --emit --schedule=$file "$cases/attention.ir" >$file.cu || return 1
    done
    ! cmp -s edited.cu other.cu
}
ok 'one stage, in another order' in_order
as_chosen() { edit "$1" "$2" && "$lower" --quiet --emit "$cases/$1.ir" >chosen.cu &&
    "$lower" --quiet --emit --schedule=edited "$cases/$1.ir" | cmp - chosen.cu; }
ok 'what is not listed stands before its reader' as_chosen attention \
    '/^op trans\|^op kt\|^op splat\|^op const\|^op scalar_ge/d; s/^op l.47.*/# /'
ok 'cycles' carried_out attention 's/coarse/coarse interval=90/; /^op [a-z]*.[0-9]* stage=0/d
s/^op tv.22.*/op s.25 at=0\nop now.41 at=20\nop p.45 at=30\nop rescaled.48 at=50\nop ph.49 at=60/
    s/^op acc.50.*/op acc.50 at=91/'
ok 'four stages, one without a product' carried_out chain \
    's/stage=2/stage=3/; s/^\(op [gh].*\)stage=1/\1stage=2/; /^op tq/!s/ring=4/ring=3/' 'p.L > 128'
gathers() { sed "s/pipeline(2)/& schedule(coarse)$1/" "$cases/gather.ir" >gathers.ir &&
    "$lower" --quiet --emit gathers.ir 2>messages >gathers.cu; }
no_turns() { gathers '' && grep -q 'p.N > 0' gathers.cu && ! grep -q pingpong gathers.cu; }
ok 'groups that gather an operand take no turns' no_turns
turns() { ! gathers ' pingpong' && cat messages && grep -q 'error: pingpong cannot be applied' messages; }
ok 'and cannot be asked to' turns

# refused CASE SCRIPT MESSAGE
refused() {
    edit "$1" "$2" || return 1
    if "$lower" --quiet --emit --schedule=edited "$cases/$1.ir" >out.cu 2>messages; then echo accepted; return 1; fi
    cat messages
    test "$(grep -c ' error: ' messages)" = 1 && grep -q "$3" messages
}
ok 'another program' refused gemm 's/^digest ./&0/' \
    "^edited:2:1: error: the schedule has digest .*, and the kernel 'gemm' has digest"
ok 'another machine' refused gemm 's/Hopper/Volta/' \
    "^edited:3:1: error: 'Volta' in a schedule: the kernel is for Hopper"
ok 'no such kernel' refused gemm 's/^schedule gemm/schedule gems/' \
    "^edited:1:1: error: the schedule names a kernel 'gems' that this source does not have"
ok 'no such value' refused gemm 's/^op acc/op cca/' "^edited:11:1: error: 'gemm' has no operation 'cca.15'"
ok 'no such number' refused gemm 's/^op acc.15/op acc.99/' "'gemm' has no operation 'acc.99'"
ok 'no such role' refused gemm 's/from=producer/from=nobody/' "'from=nobody' in a schedule: the kernel has no such role"
ok 'another role' refused gemm 's/^role producer copies/role producer computes/' 'this role is another one here'
ok 'a role that stores' refused gemm 's/^role producer copies/&\nrole more stores/' 'a role that is added computes'
ok 'what a role may not' refused gemm 's/^role producer copies/& sleeps/' "'sleeps' in a schedule"
ok 'no statement' refused gemm 's/^op acc.15/opera acc.15/' "'opera' in a schedule: lines begin with"
ok 'no word of an operation' refused gemm 's/^op acc.15/& color=red/' "'color=red' in a schedule"
ok 'no word of a loop' refused gemm 's/in-flight=2/outside=2/' "'outside=2' in a schedule"
ok 'no word of a block' refused gemm 's/groups=2/gruppen=2/' "'gruppen=2' in a schedule"
ok 'no number' refused gemm 's/ring=4/ring=four/' "'ring=four' in a schedule: a number from 0 to 16 is meant"
ok 'neither yes nor no' refused gemm 's/pingpong=no/pingpong=maybe/' "'yes' or 'no' is meant"
ok 'many words' refused gemm 's/^op acc.15/op acc.15 a a a a a a a a a a a a a a a a a a a a a a a a/' 'too many words'
ok 'a stage out of range' refused attention 's/^op acc.50 stage=1/op acc.50 stage=99/' \
    "'stage=99' in a schedule: a number from 0 to 15 is meant"
ok 'a cycle without an interval' refused attention 's/^op acc.50 stage=1/op acc.50 at=91/' "the loop has no 'interval'"
ok 'twice' refused gemm 's/^op acc.15/op ta.12/' "^edited:11:1: error: 'ta.12' in a schedule: line 8 has it already"
ok 'in another loop' refused gemm 's/^op acc.15/&\nop zero.9/' 'not of this loop'
ok 'no loop' refused gemm 's/^loop acc.11/loop acc.15/' 'it is no pipelined loop'
ok 'before what it needs' refused attention 's/stage=1/stage=0/' \
    "^edited:14:1: error: 'acc.50' needs the result of '[a-z]*.[0-9]*', and comes before it"
ok 'before what the iteration before makes' refused attention '/^op acc.50/d; s/^op ph.49.*/&\nop acc.50 stage=1/' \
    "error: 'rescaled.48' needs the result of 'acc.50' in the iteration before, and comes before it"
ok 'given back too early' refused attention 's/release=yield.51/release=read/' \
    "^edited:13:1: error: the slot of 'tv.22' is released before 'acc.50' has read it"
ok 'too few slots' refused gemm 's/in-flight=2/in-flight=5/' \
    "products of 5 iterations in flight read 'ta.12', and its ring has 4 slots"
ok 'a product through a ring' refused attention 's/^op d.44/& ring=2/' "'d.44' cannot come through a ring"
ok 'nobody copies it' refused gemm 's/from=producer/from=consumer/' "the role that puts 'ta.12' into its ring issues no copies"
ok 'dynamic' refused gemm 's/dynamic=no/dynamic=yes/' 'cannot be scheduled dynamically'
ok 'rows that are not divided' refused attention 's/groups=2/groups=3/' \
    'the rows cannot be divided among 3 consumer groups'
between() {
    sed 's/^\( *\)store .*/&\n&/' "$cases/copy.ir" >between.ir && "$lower" --quiet --dump=schedule between.ir >edited &&
        sed -i 's/^\(op store.9\).*/op store.10\n\1/; /^op store.10 #/d' edited &&
            ! "$lower" --quiet --emit --schedule=edited between.ir 2>messages >out.cu
    cat messages
    grep -q "error: 'store.10' was moved across 'store.9', and both access the same memory" messages
}
ok 'a store passes a store' between

# ---- through the compiler --------------------------------------------------------------------------------------------

same_code() {
    sample=$top_srcdir/samples/$1.c
    "$wscc" --ws-target=cuda --ws-dump=schedule --ws-keep -O2 -S "$sample" -o chosen.s >written 2>/dev/null &&
        "$wscc" --ws-target=cuda --ws-schedule=written --ws-keep -O2 -S "$sample" -o read.s &&
            grep -q '^loop\|^block' written && cmp chosen.cu read.cu
}
wrong_line() {
    "$wscc" --ws-target=emulate --ws-dump=schedule -O2 -S "$top_srcdir/samples/gemm.c" -o gemm.s >written &&
        sed -i '/^loop/s/in-flight/flight/' written
    line=$(sed -n '/^loop/=' written | head -n 1)
    ! "$wscc" --ws-target=emulate --ws-schedule=written -O2 -c "$top_srcdir/samples/gemm.c" -o gemm.o 2>messages &&
        cat messages &&
        grep -q "^written:$line:1: error: 'flight=" messages && test ! -f gemm.o
}
depends() {
    "$wscc" --ws-target=emulate --ws-dump=schedule -O2 -S "$top_srcdir/samples/copy.c" -o copy.s >written &&
        "$wscc" --ws-target=emulate --ws-schedule=written -O2 -MD -c "$top_srcdir/samples/copy.c" -o copy.o &&
            grep -q ' written' copy.d
}
missing() { ! "$wscc" --ws-target=emulate --ws-schedule=nothing -O2 -c "$top_srcdir/samples/copy.c" -o copy.o \
    2>messages && grep -q 'nothing' messages; }
if has_plugin; then
    for sample in "$top_srcdir"/samples/*.c; do
        name=$(basename "$sample" .c)
        case $name in product*) continue ;; esac
        ok_plain "samples/$name.c: the same code" same_code "$name"
    done
    ok 'an error at its line' wrong_line
    ok_plain 'make knows of the file' depends
    ok 'no such file' missing
else
    skip 'samples' 'no plugin'
fi
done_testing
