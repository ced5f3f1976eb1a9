#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every obligation of verify, on final programs as plan leaves them: one thing spoiled, and the words that say so.

. "$(dirname "$0")/../tap.sh"
lower=$top_builddir/wsc-lower
cases=$top_srcdir/tests/lowering
cd "$work" || exit 99

accepted() { "$lower" --quiet --dump=sched-barriers "$cases/$1.ir" >"$1.plan" 2>/dev/null && "$lower" --quiet --verify "$1.plan";
    }

# spoiled CASE MESSAGE SCRIPT: the final programs of CASE changed by the sed script are refused with the message
spoiled() {
    sed -e "$3" "$1.plan" >changed.plan
    if cmp -s "$1.plan" changed.plan; then
        echo "the script changes nothing"
        return 1
    fi
    if "$lower" --quiet --verify changed.plan >messages 2>&1; then
        echo "accepted"
        return 1
    fi
    grep -q "$2" messages || { cat messages; return 1; }
}

for name in gemm attention arms by_tiles while_around operands reload ring_between product_in_arms one_for_all rounded \
    carried_operand in_place cluster gather pairs transposed prepared parts resident widths clipped uniform blocks \
    chain blocks_wide streams shares beside spread powers turned_store flat task_rows shifted \
    gemm_bias_gelu prints two_scratches two_exchanges same_rows wide_rows softmax_rows; do
    ok "$name is accepted" accepted "$name"
done
producer='/program producer/,/program consumer/'
consumer='/program consumer/,$'
all='/program all/,$'

# what is no program
ok 'a role without a program' spoiled gemm "'producer' has no program" '/^  program producer/,/^  program consumer/{/^  program consumer/!d;}'
ok 'a role of no group' spoiled gemm "'consumer' has a program, 0 groups" 's/replicas=2/replicas=0/'
ok 'a view of no slot' spoiled gemm 'view.*0 operands' 's/= view %slot, .* |/= view |/'
ok 'an operation that makes a value for nobody' spoiled gemm 'no result' 's/^\( *\)put_done.*/\1put aref=ta_tb/'
ok 'two copies into a slot' spoiled gemm 'copies twice into one slot' '0,/copy_in/{/copy_in/p;}'
ok 'more slots of a storage than of its ring' spoiled gemm "has 4 slots, its storage 'ta' 8" '0,/slots=4/s//slots=8/'
ok 'a slot of another ring' spoiled gemm 'a slot of another ring' "$consumer"'s/= view %slot/= view %i/'
ok 'a view of a number' spoiled gemm "error: kernel 'gemm'" 's/trans_view %tb/trans_view %i/'
edited() { "$top_builddir/tests/fuzz/plans" 2000 "$1" ./*.plan; }
for seed in 1 3; do ok "edited at random, seed $seed" edited $seed; done

# machine
ok 'threads of another number of groups' spoiled gemm '384 groups\|256 threads for 3 groups' \
    's/threads=384/threads=256/'
ok 'more registers than the launch gives out' spoiled gemm '504 of 504\|registers' 's/registers=24$/registers=240/'
ok 'a number of registers that cannot be asked for' spoiled gemm "'producer' has 1 warps and 25 registers" \
    's/registers=24$/registers=25/'
ok 'a role without all warps of its group' spoiled gemm "'producer' has 3 warps" \
    's/role producer may=copy warps=1/role producer may=copy warps=3/'
ok 'a role that stores and may not' spoiled reload "'all' does what it may not" \
    's/may=copy,compute,store/may=copy,compute/'
ok 'a role that copies and may not' spoiled gemm "'producer' does what it may not" 's/may=copy/may=compute/'
ok 'a role that computes and may not' spoiled transposed "'transposer' does what it may not" \
    '/role transposer/s/may=compute/may=store/'

# reads
ok 'a slot is released to TMA before threads fenced what they read' spoiled ring_between \
    "releases a slot of 'tx_ring' while it is still read: threads have read the slot without a fence" '/read/{n;/fence/d}'
ok 'and in front of the fence of what is put next' spoiled prepared \
    "'preparer' releases a slot of 'tw_ring' while it is still read: threads have read the slot without a fence" \
    '/put_tile/{n;N;s/\(.*\)\n\(.*\)/\2\n\1/}'
ok 'and where the fence stands behind the release' spoiled transposed \
    "releases a slot of .* while it is still read: threads have read the slot without a fence" \
    '/put_tile/{n;N;s/\(.*\)\n\(.*\)/\2\n\1/}'

# windows
ok 'rows that stay lie further apart than the loads' spoiled shifted \
    "'load' takes its tile out of rows that do not have it" 's/apart=1/apart=2/'
ok 'rows that stay in runs that do not divide the loop' spoiled shifted \
    "'load' takes its tile out of rows that stay, and not in runs of its loop" 's/window=9/window=2/'
ok 'rows that stay of a tensor that is stored' spoiled shifted \
    "'load' takes its tile out of rows that are stored" 's/store %y/store %x/'
ok 'rows that stay while the counter counts by two' spoiled shifted \
    "'load' takes its tile out of rows that stay, and not in runs of its loop" 's/= 0, < 9, 1/= 0, < 9, 2/'

# memory
ok 'what is resident and written by others' spoiled resident "storage 'tb' keeps in 4 of 8 slots what others write" \
    '1,/^  program/s/store %c, /store %b, /'
ok 'slots that are resident and have no turn each' spoiled resident "storage 'tb' keeps in 3 of 8 slots" \
    's/resident=4/resident=3/'
ok 'slots that share memory, filled by threads that do not wait for all of them' spoiled transposed \
    "storage 'tb_transposed' keeps in 1 of" '/storage tb_transposed ring/s/slots=\([0-9]*\)/slots=\1 resident=1/'
ok 'slots that overlap' spoiled gemm "storage 'ta' has 4 slots of 8192 bytes, and its tile takes 16384" \
    's/bytes=16384 offset=0/bytes=8192 offset=0/'
ok 'storages that overlap' spoiled gemm "share memory, and .* is not ordered before" \
    's/offset=65536/offset=64512/'
ok 'storages that share memory' spoiled gemm "share memory, and .* is not ordered before" \
    's/offset=65536/offset=0/'
ok 'slots that are kept, in memory of others' spoiled resident "storages '[a-z_]*' and '[a-z_]*' overlap" \
    '/^  storage/s/offset=[0-9]*/offset=0/'
ok 'a storage behind the end' spoiled gemm "storage 'c_out' lies at" 's/shared=230400/shared=229000/'
ok 'a storage that is not aligned' spoiled gemm "storage 'tb' lies at 65600" \
    's/offset=65536/offset=65600/; s/offset=196608/offset=197632/; s/shared=230400/shared=231424/'
ok 'more slots in a ring than in its storage' spoiled gemm "ring 'ta_tb' has 5 slots, its storage 'ta' 4" \
    's/aref ta_tb slots=4/aref ta_tb slots=5/'
ok 'two rings in one storage' spoiled attention "or that is not its own" \
    's/storages=tv$/storages=tk/; s/storage=tv$/storage=tk/'
ok 'too little scratch memory' spoiled reload 'less scratch memory than it exchanges' \
    's/tile<i8,1x1024> slots=1 bytes=1024/tile<i8,1x512> slots=1 bytes=512/'
ok 'no scratch memory' spoiled reload 'has no scratch memory of its own' '/program/,$s/ storage=scratch//'
ok 'scratch memory of another role' spoiled two_scratches "'one' and 'two' both use storage 'scratch'" \
    '/storage scratch_2 /d; s/scratch_2/scratch/'
ok 'an exchange in memory of one that is not received yet' spoiled two_exchanges \
    'sends into memory of an exchange that is not received yet' '/storage squares_shares/d; s/squares_shares/sum_shares/'
ok 'a transpose that nobody makes' spoiled turned_store 'has no scratch memory of its own' 's/ transposed=1//'
ok 'a look at what is transposed in staging' spoiled turned_store "transposed in a store's staging alone" \
    's/^\( *\)\(%out: .* transposed=1\)$/\1\2\n\1%q: tile<f16,64x64> = neg %out | order=26/'
ok 'operands in memory of another shape' spoiled operands 'writes to memory of another shape' \
    "$consumer"'s/storage=et_staged$/storage=h_staged/'
ok 'f32 that a product wants rounded' spoiled rounded 'reads f32 that nobody has rounded' 's/ tf32=1//'
ok 'rounded f32 that others read' spoiled rounded 'reads f32 that was rounded for a product' \
    '/storage ta ring/s/$/ tf32=1/'
ok 'bytes in registers against bytes in their own order' spoiled transposed \
    'has bytes in registers on the left, and on the right another order' 's/ interleaved=1//'
ok 'bytes in the order of registers that others read' spoiled transposed \
    'reads bytes in the order of registers as if they were in their own' '/storage ta ring/s/$/ interleaved=1/'
ok 'a product of short lines' spoiled prepared 'reads lines of less than 128 bytes as if they were whole' \
    '/storage halves ring/{s/bytes=8192/bytes=4096/;s/$/ line=64/}'
ok 'rows that are longer than their lines' spoiled prepared 'copies rows that their lines do not hold' \
    '/storage tw ring/{s/line=64/line=32/;s/bytes=4096/bytes=2048/;s/offset=[0-9]*/& stride=2048/}'
ok 'a column that its lines do not hold' spoiled task_rows 'writes rows that their lines do not hold' \
    '/storage shrink ring/{s/line=4/line=32/;s/bytes=512/bytes=4096/}'
ok 'a tile that is put without the column beside it' spoiled task_rows \
    "ends a put of 'shrink_p' without a copy into 'shrink'" '/put_tile .*storage=shrink/d'
ok 'shares of a sum that nobody adds up' spoiled task_rows \
    "'probabilities': 'cast' takes a thread's share of a row's sum for the sum" '/program prob/,$s/= row_total/= cast/'
ok 'shares that begin with a number in each thread' spoiled task_rows \
    "'for' takes a thread's share of a row's sum for the sum" '/program prob/,$s/\(%sum: .*\) = full 0/\1 = full 1/'
ok 'a ring that is filled from none' spoiled transposed "ring 'tb_transposed_ring' lacks" 's/ from=tb_ring//'
ok 'an output in memory of another use' spoiled gemm 'copies its tile out of memory of another use' \
    "$consumer"'s/\(store %c.*\)storage=c_out/\1storage=ta/'
ok 'a box in memory of another use' spoiled gemm 'has no memory of its own to write to' \
    "$consumer"'s/\(stage .*\)storage=c_out/\1storage=ta/'
ok 'a tile copied out that was not staged' spoiled carried_operand \
    'copies its tile out of memory that it was not staged in' \
    's/store %y, %i, 0, %[0-9]* | \(.*\)storage=y_out/store %y, %i, 0, %sum | \1storage=y_out/'
ok 'more boxes than buffers' spoiled carried_operand 'has no buffer for each box' 's/\(stage %sum.*\)box=2/\1box=3/'

ok 'slots that alternate and overlap' spoiled pairs "slots of storage 'tb' overlap\|overlap" \
    's/stride=16384 /stride=8192 /'
ok 'one instruction of products that add to one sum' spoiled pairs 'is one instruction with a product that cannot be' \
    "$consumer"'s/= mma %ta3, %wb, %w.2/& paired=1/'
ok 'one instruction of operands that lie apart' spoiled pairs 'whose right operand lies elsewhere' \
    's/storage tb ring\(.*\) offset=16384 stride=16384/storage tb ring\1 offset=16384/; s/offset=24576 stride=16384 beside=tb/offset=32768/'

# ends and arrivals
ok 'a ring that nobody fills' spoiled gemm "ring 'ta_tb': 0 roles fill it and 1 read it" \
    "$producer"'{/= put |/d; /copy_in/d; /put_done/d;}'
ok 'fewer slots than iterations in flight' spoiled gemm 'would deadlock' \
    's/slots=4/slots=1/; s/bytes=16384 offset=0/bytes=16384 offset=0/'
ok 'an arrival too few' spoiled gemm 'expects 1 arrivals' 's/arrivals=2/arrivals=1/'

# widths
ok 'a width that is taken for a number' spoiled widths "'for' takes a width for a number" \
    "$consumer"'s/< %K, 64;/< %K, %width;/'
ok 'fewer columns than the step' spoiled clipped 'stores what the source does not store\|carries' \
    "$consumer"'s/= narrow %width.2: i32\(.*\) = %width;/= narrow %width.2: i32\1 = 64;/'

# two bodies
ok 'bodies that part at another bound' spoiled attention \
    'has two bodies that part where no branch of line [0-9]* does' "$consumer"'s/edge %edge;/edge %L;/'
ok 'a mask that the second body turns round' spoiled attention 'carries\|stores what' \
    '/beyond {/,/yield/s/select \(%inside[.0-9]*\), \(%[a-z0-9.]*\), \(%[0-9]*\)/select \1, \3, \2/'
ok 'a wait left out of the second body alone' spoiled attention 'in flight' \
    '/beyond {/,/^      }/s/pending=1/pending=2/'

# versions
ok 'a program for tensors that the TMA can load, and none for others' spoiled gemm \
    "'producer' has no program for tensors that the TMA cannot load" 's/versions=any,tma/versions=tma/'
ok 'one warp for more than copies' spoiled gemm "'consumer' has one warp, and more to do than to issue copies" \
    's/role consumer may=compute,store warps=4/role consumer may=compute,store warps=1/'
ok 'four warps that issue copies by the TMA' spoiled gemm \
    "'producer' has a program for tensors that the TMA can load, and 4 warps to run it" \
    's/\(role producer.*\) warps=1/\1 warps=4/'
ok 'registers by a number that is not known' spoiled gemm \
    "'columns' takes registers by the counter of a loop that is not unrolled" 's/ unroll=1//'

# computed
ok 'what holds a wait back, when something else is in its variable' spoiled attention \
    "reads 'l', which holds another value by then" \
    "$consumer"'{/= row_total/{p;s/.*= row_total \(%[a-z0-9.]*\).*/computed \1/;};}'

# beside
ok 'a tile that loads and has not waited' spoiled beside "'producer' loads, and does not wait" '/await_tiles/d'
ok 'a tile that waits behind its loads' spoiled beside "'producer' waits for tiles 1 times" \
    '/await_tiles/d;/put_done/s/$/\n        await_tiles/'
told="'consumer' does not tell once of each tile that it has stored"
ok 'a tile that is said to be done twice' spoiled beside "$told" 's/^\( *\)tile_done/&\n\1tile_done/'
ok 'a tile that is said to be done in a loop' spoiled beside "$told" \
    '/tile_done/d;s/^\( *\)consumed.*/&\n\1tile_done/'
ok 'tiles of which nobody is told in the grid' spoiled beside "$told" '/^      tell_tiles/d'
ok 'a last tile of which nobody is told' spoiled beside "$told" '/^    tell_tiles/d'
ok 'a last tile that is told of before the grid' spoiled beside "$told" \
    '/^    tell_tiles/d;'"$consumer"'s/^    grid/    tell_tiles\n&/'

# types
typed="has a result of another type than its operands give it"
ok 'a maximum of fewer rows' spoiled softmax_rows "'consumer': 'row_max' $typed" \
    "$consumer"'s/%m: tile<f32,32x1>/%m: tile<f32,16x1>/'
ok 'a difference of another type' spoiled softmax_rows "'consumer': 'sub' $typed" \
    "$consumer"'s/%d: tile<f32,32x128>/%d: tile<f64,32x128>/'

ok 'a view that is called a tile' spoiled gemm "'consumer': 'trans_view' $typed" \
    "$consumer"'s/: view\(<[^>]*>\) = trans_view/: tile\1 = trans_view/'
ok 'a number for rows that blocks exchange' spoiled powers "'all': 'max_blocks' $typed" 's/max_blocks %w/max_blocks %i/'
ok 'a parameter of another type' spoiled gemm "variable 'A' is a parameter of another type" \
    's/variable A: ptr<f16>/variable A: ptr<f32>/'
ok 'no block on a processor' spoiled gemm '0 blocks on a processor' 's/ blocks=1$//'

# fast
ok 'a power whose low bits are stored' spoiled softmax_rows "'exp' is approximated, and a result shows its low bits" \
    "$consumer"'s/\(= exp %d.2 .*\)/\1 fast=1/'
ok 'a power that shrinks a sum' spoiled attention "'exp' is approximated, and a result shows its low bits" \
    "$consumer"'s/\(= exp %less.2 .*\)/\1 fast=1/'
ok 'powers that are added and may be large' spoiled softmax_rows "'exp' is approximated, and a result shows its low bits" \
    "$consumer"'s/%d\(: .*\) = sub %t.2, %now/%d\1 = sub %t.2, %largest.2/'
ok 'a quotient in all bits' spoiled softmax_rows "'div' is approximated, and a result shows its low bits" \
    "$consumer"'s/\(= div %e.2, %sum.4 .*\)/\1 fast=1/'

# pace
paced='comes while a loop runs, which it may not'
ok 'operands that come while a loop runs' spoiled gemm_bias_gelu "'ta' $paced" \
    '/copy_in.*storage=ta$/s/skip_oob=1/& paced=1/'
ok 'a tile that comes while groups wait for it in front of the loop' spoiled gemm_bias_gelu "'old' $paced" \
    "$consumer"'{/= get .*aref=old_ring/d;s/^\( *\)%zero.*/&\n\1%slot.2: i32 var=old_slot = get | order=22 aref=old_ring/;}'

# uniform
ok 'a uniform branch that goes by what the kernel writes' spoiled uniform \
    "threads of 'consumer' may read different numbers here" \
    "$consumer"'{s/%v: \(.*\) = tensor %V/%v: \1 = tensor %C/;s/ prefetch=3//;}'
ok 'and a number that comes an iteration early' spoiled uniform \
    "'at' is made before its tile or iteration, on which it depends, or which another one writes" \
    "$consumer"'s/%v: \(.*\) = tensor %V/%v: \1 = tensor %C/'

# values: columns that rows of a transpose become
ok 'each group stores all columns' spoiled turned_store "'consumer', at 'store': stores what the source does not store" \
    "$consumer"'s/store %c, %column, %3, %4/store %c, %column, %j, %4/'
ok 'each group stores at rows of its own' spoiled turned_store \
    "'consumer', at 'store': stores what the source does not store" \
    "$consumer"'s/store %c, %column, %3, %4/store %c, %3, %column, %4/'
ok 'a transpose of other rows' spoiled turned_store "'consumer', at 'store': stores what the source does not store" \
    "$consumer"'s/scalar_add %2, %first_row/scalar_add %2, %1/'

# values: what goes into rings and comes out of them
ok 'another tile is loaded' spoiled gemm "copies something else into 'ta' than the source loads" \
    "$producer"'s/copy_in %slot, %a, %i, %k/copy_in %slot, %a, %j, %k/'
ok 'another fill' spoiled gemm "copies something else into 'tb'" \
    "$producer"'s/copy_in %slot, %b, %j, %k/copy_in %slot, %b, %j, %k fill=1/'
ok 'rows left out that are looked at' spoiled attention "leaves out rows of 'tv' that are looked at" \
    "$producer"'s/\(copy_in .*\)storage=tv/\1skip_oob=1 storage=tv/'
ok 'rows that a sum sees' spoiled attention "rows that 'k' does not have are looked at" \
    's/\(= load %k, .*\)| /\1| skip_oob=1 /'
ok 'rows beyond a step left out that are looked at' spoiled attention "leaves out rows of 'tv' that are looked at" \
    "$producer"'s/\(copy_in .*\)storage=tv/\1skip_step=1 storage=tv/'
ok 'rows beyond a step that a sum sees' spoiled attention "rows that 'k' does not have are looked at" \
    's/\(= load %k, .*\)| /\1| skip_step=1 /'
ok 'columns left out that a sum sees' spoiled attention 'columns that a product may leave out are looked at' \
    's/= dot %tq, %kt, %clean/&, 64:i32/'
ok 'more columns left out than lie behind the end' spoiled widths 'columns that a product may leave out are looked at' \
    's/scalar_min %2, 256:i64 | tag/scalar_min %2, 128:i64 | tag/'
ok 'fewer columns than the source says' spoiled widths 'stores what the source does not store\|carries' \
    "$consumer"'s/scalar_min %3, 256:i64/scalar_min %3, 128:i64/'
ok 'a width that is another number' spoiled widths 'stores what the source does not store\|carries' \
    "$consumer"'s/\(= narrow .*\) = %seen/\1 = %last/'
ok 'a copy left out' spoiled gemm "without a copy into 'tb'" '/copy_in %slot, %b/d'
ok 'a copy twice' spoiled gemm "copies twice into one slot of 'ta'" '/copy_in %slot, %a/p'
ok 'a put too many' spoiled gemm "a put of 'ta_tb' that no iteration of the source has" \
    "$producer"'s/^\( *\)put_done.*/&\n\1%s2: i32 var=slot = put | aref=ta_tb\n\1copy_in %s2, %a, %i, %k | aref=ta_tb storage=ta\n\1copy_in %s2, %b, %j, %k | aref=ta_tb storage=tb\n\1put_done %s2 | aref=ta_tb/'
ok 'a get too many' spoiled gemm "a get of 'ta_tb' that no iteration of the source has" \
    "$consumer"'s/^\( *\)commit.*/&\n\1%s2: i32 var=slot = get | aref=ta_tb/'
ok 'rows of another group' spoiled gemm "a window of 'ta' that is not this group's" \
    "$consumer"'s/view %slot, %first_row/view %slot, 0:i64/'
ok 'half of the groups' spoiled gemm "a window of 'ta' that is not this group's" \
    "$consumer"'s/= scalar_mul %1, 64:i64/= scalar_mul %1, 32:i64/'
ok 'another column of a slot' spoiled flat "carries '[a-z]*' over an iteration" \
    "$consumer"'s/\(view<f32,1x1> = view %slot.2, 0:i64, \)%[0-9]*/\11:i64/'
ok 'a column of the rows of another slot' spoiled flat "with a slot of another ring" \
    "$consumer"'s/\(view<f32,1x1> = view %slot\).2/\1/'
ok 'two columns for one' spoiled flat "another type than its view" \
    "$consumer"'s/\(%[0-9]*\): view<f32,1x1> = \(view %slot.2\), 0:i64, %[0-9]*/\1: view<f32,1x2> = \2, 0:i64, 0:i64/'
ok 'a ring for another' spoiled attention "with a slot of another ring" \
    "$consumer"'s/view %slot.2 | \(.*\) aref=tk_ring storage=tk/view %slot | \1 aref=tk_ring storage=tk/'

# values: what is computed
ok 'another operation' spoiled attention "carries '[a-z]*' over an iteration" \
    "$consumer"'s/= exp \(%d.2.*\) fast=1/= exp2 \1/'
ok 'another constant' spoiled gemm "carries 'acc' over an iteration\|stores what the source does not store" \
    "$consumer"'s/= full 0/= full 1/'
ok 'operands in another order' spoiled attention 'stores what\|carries' \
    "$consumer"'s/sub %less/sub %less/; s/= sub %m.3, %now.2/= sub %now.2, %m.3/'
ok 'the first iteration instead of the last' spoiled attention "reads 'ph', which holds another value by then" \
    "$consumer"'s/mma %ph.3, %tv/mma %ph, %tv/'
ok 'an accumulator that is not the last one' spoiled operands 'holds another value by then' \
    "$consumer"'s/= mma %ta, %3, %acc.2/= mma %ta, %3, %zero/'

ok 'rows of another group gathered' spoiled gather "gathers in 'x_gathered' what is not this group's rows" \
    "$consumer"'s/gather %x, %first_row/gather %x, 0:i64/'

# values: stores
ok 'another value is stored' spoiled reload 'stores what the source does not store' \
    '/program/,$s/store %z, %i, 0, %w/store %z, %i, 0, %v/'
ok 'in another place' spoiled gemm 'stores what the source does not store' \
    "$consumer"'s/scalar_add %\([0-9]*\), %first_row/scalar_add %\1, 64:i64/'
ok 'a store left out' spoiled operands 'no roles make the stores to one memory' "$consumer"'{/store %d,/d;}'
ok 'a store twice' spoiled reload 'stores what the source does not store' '/program/,${/store %z,/p;}'
ok 'a sum of fewer rows' spoiled same_rows 'stores what the source does not store' \
    "$consumer"'s/tile<f32,128x64>/tile<f32,64x64>/; s/variable same: tile<f32,128x64>/variable same: tile<f32,64x64>/'
ok 'a product in fewer bits' spoiled wide_rows 'computes a number in fewer bits than the source' \
    "$producer"'{s/: i64\(.*\) = scalar_mul \(.*\):i64/: i32\1 = scalar_mul \2/; s/: i64 = scalar_convert/: i32 = scalar_convert/;}; s/variable row: i64/variable row: i32/'
ok 'rows that begin elsewhere' spoiled wide_rows 'stores what the source does not store' "$consumer"'s/= row_index/= row_index 64/'
ok 'a slot taken for bytes of another type' spoiled two_scratches 'another type than its storage' \
    's/view<f16,64x32> = view/view<bf16,64x32> = view/'
ok 'half of a slot' spoiled two_scratches 'another shape than its storage' 's/view<f16,64x32> = view/view<f16,32x32> = view/'
ok 'a transpose of half' spoiled two_scratches 'not the transpose' 's/view<f16,32x64> = trans_view/view<f16,16x64> = trans_view/'
ok 'fewer rows than are read' spoiled two_scratches 'another type than its view' 's/tile<f32,32x64>\(.*\) = read/tile<f32,16x64>\1 = read/'
ok 'a variable of another type' spoiled gemm "variable 'k' holds a value of another type" 's/variable k: i32/variable k: i8/'
ok "a launcher's variable that a role sets" spoiled gemm "is the launcher's" 's/variable i: i32 role=consumer/variable i: i32 field/'
ok 'a variable of no role' spoiled gemm "variable 'slot' is not the role's that sets it" 's/variable slot: i32 role=producer/variable slot: i32/'
ok 'a copy out twice' spoiled operands 'memory that is stored again, in no order' "$consumer"'{/store %d,/p;}'
ok 'a load of what a copy out stores' spoiled gemm 'memory that is loaded, too' \
    "$consumer"'s/^\( *\)store %c, %3, %column, .*/&\n\1%again: tile<f32,64x64> = load %c, %3, %column/'
ok 'stores to one place in another order' spoiled reload 'stores what the source does not store' \
    '/program/,${/store %y, %i, 0, %t/d; s/^\( *\)store %y, %i, 0, %v/&\n\1barrier\n\1store %y, %i, 0, %t/;}'
ok 'a load before the store that it wants to see' spoiled reload 'stores what the source does not store' \
    '/program/,${/%u: tile/d; s/^\( *\)%t: tile.*/&\n\1%u: tile<f32,64x64> var=u = load %y, %i, 0/;}'

ok 'a store by every group' spoiled one_for_all 'every group stores what one should store for all' \
    "$consumer"'s/^\( *%6: i1 var=condition = scalar_eq\) %group, 0/\1 0, 0/'
ok 'a store by no group' spoiled one_for_all 'no roles make the stores to one memory' "$consumer"'{/store_row %s/d;}'
ok 'a store by the last group' spoiled one_for_all 'has a branch that the source does not have here' \
    "$consumer"'s/^\( *%6: i1 var=condition = scalar_eq\) %group, 0/\1 %group, 1/'
ok 'all rows are shown as those of one group' spoiled prints 'shows the rows of one group as all rows, or all' \
    "$consumer"'s/ divided=1//'
ok 'rows are shown in turn by groups that have not met' spoiled prints 'shows rows in turn where the groups have not met' \
    "$consumer"'{/role_barrier/d;}'
ok 'prints in another order' spoiled one_for_all 'prints before, or otherwise than, the source prints' \
    "$consumer"'{s/print %twice "twice"/print %other "other"/; s/print %bias "bias"/print %twice "twice"/; s/print %other "other"/print %bias "bias"/;}'
ok 'another name is printed' spoiled one_for_all 'prints before, or otherwise than, the source prints' \
    "$consumer"'s/print %bias "bias"/print %bias "bass"/'

ok 'two variables of one name' spoiled gemm "two variables that are seen together are called 'acc' and 'acc.2'" \
    "$consumer"'s/%slot\(.*\) var=slot = get/%slot\1 var=acc$2 = get/; s/variable acc: \(.*\)/&\n  variable acc$2: i32 role=consumer/'

# values: control flow
ok 'another bound' spoiled gemm 'has another bound than the loop of line' "$producer"'s/< %K, 64/< %N, 64/'
ok 'another comparison' spoiled gemm 'is a loop that the source does not have here' \
    "$producer"'s/0, < %K, 64/0, <= %K, 64/'
ok 'another grid' spoiled gemm 'walks over another grid than the source' \
    "$producer"'s/%i: i32 var=i = 0, < %M, 128/%i: i32 var=i = 0, < %M, 64/'
ok 'another branch' spoiled arms 'has a branch that the source does not have here' \
    "$producer"'s/= scalar_lt %i, %j/= scalar_lt %j, %i/'
ok 'a while under another condition' spoiled while_around 'goes on under another condition' \
    "$producer"'s/= scalar_lt %begin.2, %wide/= scalar_le %begin.2, %wide/'
ok 'a guard that asks for another iteration' spoiled chain 'has a branch that the source does not have here' \
    "$consumer"'s/= scalar_gt %L, 64/= scalar_gt %L, 128/'
ok 'a steady loop that leaves one out' spoiled chain 'is a loop that the source does not have here' \
    "$consumer"'s/ = 128, < %L, 64; %p/ = 192, < %L, 64; %p/'
ok 'what another iteration made' spoiled chain "reads 'p_2', which holds another value" \
    "$consumer"'s/yield %p.4, %acc.8/yield %p, %acc.8/'
ok 'nothing of a later stage, where the guard fails' spoiled chain "carries 'acc' over an iteration" \
    "$consumer"'s/yield %p, %zero/yield %p, %s.2/'
ok 'an iteration that is not ended' spoiled chain "without the get of 'tw_ring'" \
    "$consumer"'{/%slot.8: i32/,/consumed/d;s/yield %p.4, %acc.8/yield %p.4, %acc.3/;}'
ok 'a guard without the iterations behind it' spoiled chain 'peels an iteration off a loop that does not follow' \
    "$consumer"'{/%p.4: tile.* = for /,/^ *yield %p.6/d;s/^          }$//;s/%h.2/%h/;s/%acc.3$/%zero/;s/%acc.3 |/%zero |/;s/yield %p.4/yield %p.3/;}'
ok 'pieces in another order' spoiled while_around 'goes on under another condition\|carries' \
    "$producer"'s/= at %pieces, %piece.3/= at %pieces, 0:i64/'
ok 'the wrong turn' spoiled by_tiles 'has a branch that the source does not have here' \
    "$consumer"'s/= scalar_rem %ordinal, 2/= scalar_rem %ordinal, 3/'
ok 'puts of another number passed over' spoiled by_tiles 'passes over another number of puts' \
    "$consumer"'s/= scalar_add %K, 63/= scalar_add %K, 64/'
ok 'puts passed over twice' spoiled by_tiles 'passes over another number of puts' "$consumer"'{/skip %/p;}'
ok 'puts not passed over' spoiled by_tiles "passes over puts of 'ta_tb' that no other group takes" \
    "$consumer"'s/\(skip %[0-9]*\) count=1/\1 count=0/'
ok 'an epilogue left out' spoiled attention "leaves out the\|without the get of 'tv_ring'" \
    "$consumer"'{/%slot.7: i32/,/consumed.*tv_ring/d; s/yield %m.2, %l.3, %acc.7/yield %m.2, %l.3, %rescaled.2/;}'

# values: variables
ok 'a variable written before it was read' spoiled operands 'holds another value by then' \
    "$consumer"'s/var=acc6 /var=acc5 /'
ok 'an accumulator put where an operand is' spoiled carried_operand "reads 'sum', which holds another value by then" \
    's/var=sum_2/var=sum/'
ok 'a counter written in the loop' spoiled gemm 'holds another value by then' \
    "$producer"'s/%slot: i32 var=slot = put/%slot: i32 var=k = put/'

# protocol
ok 'an accumulator copied in flight' spoiled gemm "copies 'acc' to 'other' while a product is adding to it" \
    "$consumer"'s/%acc.4: token<f32,64x256> split var=acc/%acc.4: token<f32,64x256> split var=other/; s/variable acc: \(.*\)/&\n  variable other: \1/'
ok 'a release too early' spoiled gemm "a product in flight reads slot 0 (put 0)" 's/consumed keep=1/consumed/'
ok 'a wait too short' spoiled gemm "a product in flight reads slot" 's/pending=1/pending=2/'
ok 'a result looked at in flight' spoiled operands 'takes a product in flight for finished' \
    "$consumer"'s/= wait %acc5$/= wait %acc5 pending=1/'
ok 'no release' spoiled gemm \
    "would deadlock at 'put': slot 0 of 'ta_tb' is released by 0 of 2 groups after put 0, iteration 5" \
    '/consumed keep=1/d'
ok 'no release at the end' spoiled gemm 'ends without a release of 1 slots\|would deadlock' '/^ *consumed |/d'
ok 'a ring that nobody reads' spoiled ring_between "ring 'tz_ring': 1 roles fill it and 0 read it" \
    "$consumer"'s/= get | \(.*\)aref=tz_ring/= get | \1aref=tx_ring/'
ok 'a slot looked at behind its release' spoiled operands "reads slot 0 of 'ta_tb' (put 0) that it does not hold" \
    "$consumer"'{/^ *consumed/d; s/^\( *\)%ta: view.*/&\n\1consumed | aref=ta_tb/;}'
ok 'copies out of memory that is given back' spoiled gemm 'ends while copies out of shared memory may be under way' \
    '/store_wait$/d'
ok 'a buffer that a copy out still reads' spoiled gemm \
    "writes to 'c_out' while TMA may read it: of 2 buffers the newest 2 are not waited for" '/store_wait pending/d'
ok 'a copy out too many that still reads' spoiled gemm "writes to 'c_out' while TMA may read it" \
    's/store_wait pending=1/store_wait pending=2/'
ok 'staged before the wait' spoiled gemm "writes to 'c_out' while TMA may read it" \
    '/store_wait pending/{N;s/^\([^\n]*\)\n\(.*\)/\2\n\1/;}'
ok 'a load through a buffer that a copy out reads' spoiled carried_operand "writes to 'y_out' while TMA may read it" \
    '/store_wait pending/{N;/= load/s/^[^\n]*\n//;}'
ok 'a load over a box that was staged' spoiled carried_operand \
    "copies out of 'y_out' what is not, or no longer, staged there" \
    '/stage .*box=1/s/^\( *\).*/&\n\1%over: tile<f32,64x64> var=c0 = load %c, 0, 0 | storage=y_out/; s/role=all declared=c0/&/'
ok 'copied out without a fence' spoiled gemm "lets TMA read 'c_out', which was written, without a fence between" \
    "$consumer"'{/^ *fence/d;}'
ok 'fenced before it is written' spoiled gemm "lets TMA read 'c_out', which was written, without a fence between" \
    "$consumer"'{/= stage/{N;s/^\([^\n]*\)\n\(.*\)/\2\n\1/;};}'
ok 'a box left out' spoiled carried_operand 'stores box 2 of a tile of which 0 boxes are stored' \
    '/stage .*box=1/{n;n;d;}'
ok 'the last box left out' spoiled carried_operand "leaves out the 'store'" '/stage .*box=2/{n;n;d;}'
ok 'a box twice' spoiled carried_operand 'stores box 1 of a tile of which 1 boxes are stored' \
    's/\(stage %sum.*\)box=2/\1box=1/'
ok 'operands staged without a barrier' spoiled operands "writes 'operand_staged' without a barrier" \
    "$consumer"'{/^ *barrier/{N;/= stage/s/^[^\n]*\n//;};}'
ok 'operands staged without a fence' spoiled operands \
    "lets a product read '[a-z]*_staged', which was written, without a fence between" "$consumer"'{/^ *fence/d;}'
ok 'a fence behind the barrier' spoiled operands \
    "reads '[a-z]*_staged', which other threads of it wrote and fenced, without a barrier between" \
    "$consumer"'{/^ *fence/{N;s/^\([^\n]*\)\n\(.*\)/\2\n\1/;};}'
ok 'no barrier behind the fence' spoiled operands \
    "reads '[a-z]*_staged', which other threads of it wrote and fenced, without a barrier between" \
    "$consumer"'{/^ *fence/{n;/barrier/d;};}'
ok 'staged memory written over' spoiled operands \
    'after it was written again\|while a product in flight reads it\|another shape' \
    "$consumer"'s/storage=h_staged_3$/storage=h_staged_2/'
ok 'a load without a barrier behind the store' spoiled reload 'loads what other threads of it stored' \
    '/program/,${/store %y, %i, 0, %t/{n;d;};}'
ok 'a store without a barrier behind the load' spoiled reload 'stores what other threads of it loaded' \
    '/program/,${/%v: tile/{n;d;};}'
ok 'a store without a barrier behind loads of other threads' spoiled in_place 'stores what other threads of it loaded' \
    's/load %x, %i, %j/load %x, %i, %i/'
ok 'a load made before its tile, of what the kernel stores' spoiled in_place 'is made before its tile' \
    '/program/,$s/load %x, %i, %j.*/& prefetch=1/'
ok 'a load of each tile made once' spoiled blocks_wide 'is made before its tile' 's/prefetch=1/prefetch=2/'
ok 'a load made an iteration before, of what the kernel stores' spoiled streams 'is made before its tile' \
    's/store_col %y, /store_col %x, /'
ok 'a load of an iteration made once' spoiled streams 'is made before its tile' 's/prefetch=3/prefetch=2/'
ok 'a sum of warps that have no memory to meet in' spoiled blocks_wide 'has no scratch memory of its own' \
    '/program/,$s/ storage=scratch//'
ok 'a row that all warps have loaded' spoiled in_place 'stores what other threads of it loaded' \
    '/program/,${/%w: tile/{n;d;};}'
ok 'gathered where a product reads' spoiled gather "gathers in 'x_gathered' while a product in flight reads it" \
    "$consumer"'s/^\( *\)%share: token.*/&\n\1%again: view<f16,128x64> var=x_gathered_view = gather %x, %first_row | storage=x_gathered\n\1%more: view<f16,128x64> var=x_gathered_view = gather %x, %first_row | storage=x_gathered/'
ok 'a gathering to which not all come' spoiled gather \
    "'consumer 0' waits at 'role_barrier': not all groups of 'consumer' come to their barrier" \
    "$consumer"'s/^\( *\)atomic_add.*/&\n\1%f: i1 = scalar_eq %group, 0\n\1if %f {\n\1role_barrier\n\1yield\n\1} else {\n\1yield\n\1}/'
ok 'gathered without a fence' spoiled gather \
    "lets a product read 'x_gathered', which 'consumer 0' wrote, without a fence between" \
    "$consumer"'{/^ *fence/{N;/role_barrier/s/^[^\n]*\n//;};}'
ok 'a fence behind the role barrier' spoiled gather \
    "which 'consumer [01]' wrote, without a fence between\|wrote, and no role barrier stands between" \
    "$consumer"'{/^ *fence/{N;/role_barrier/s/^\([^\n]*\)\n\(.*\)/\2\n\1/;};}'
ok 'gathered without a role barrier' spoiled gather \
    "reads 'x_gathered' where 'consumer 1' has written nothing yet\|and no role barrier stands between" \
    "$consumer"'{/^ *role_barrier/d;}'
ok 'one slot, and no role barrier before' spoiled gather \
    "gathers in 'x_gathered' where 'consumer [01]' may still look at what was there: no role barrier stands between" \
    's/\(x_gathered .*\)slots=2/\1slots=1/'
ok 'a turn that is not taken' spoiled by_tiles 'passes on a turn that it has not taken' '/pingpong_take/d'
ok 'a turn that is not passed on' spoiled by_tiles \
    'would deadlock at .pingpong_take.\|takes its turn twice\|does not pass on\|ends without passing on its turn' \
    '/pingpong_pass/d'
ok 'a turn passed on twice' spoiled by_tiles 'passes on a turn that it has not taken' '/pingpong_pass/p'
ok 'rounds of a slot that a group may take for each other' spoiled by_tiles \
    "may come to the get of put [0-9]* of 'ta_tb' before put [0-9]*, the same slot's last, is done" '/pingpong_/d'
ok 'bytes that do not arrive' spoiled gemm 'expects 65536 bytes for each slot and gets 49152' \
    's/bytes=49152/bytes=65536/'

# what is transposed on its way
transposer='/program transposer/,$'
ok 'a tile that is not transposed' spoiled transposed \
    "ends a put of 'tb_transposed_ring' without a copy into 'tb_transposed'" '/ put_tile /d'
ok 'two tiles in one slot' spoiled transposed "writes two tiles to one slot of 'tb_transposed'" '/ put_tile /p'
ok 'a tile transposed into another ring' spoiled transposed \
    "writes a tile to 'tb_transposed' with a slot of another ring" 's/put_tile %slot.2/put_tile %slot/'
ok 'a tile of another ring' spoiled transposed 'has no way to write its tile' \
    's/put_tile %slot.2, %tb | \(.*\)storage=tb_transposed/put_tile %slot.2, %tb | \1storage=tb/'
ok 'a tile that is handed on unfenced' spoiled transposed \
    "hands on 'tb_transposed', which its threads wrote, without a fence" "$transposer"'{/ fence /d;}'
ok 'a tile that is handed on before all have written' spoiled transposed \
    "hands on 'tb_transposed', which its threads wrote, without a barrier behind" "$transposer"'{/ barrier /d;}'
ok 'a slot released before it is transposed' spoiled transposed \
    "reads slot 0 of 'tb_ring' (put 0) that it does not hold at 'put_tile'" \
    "$transposer"'{/ consumed /d; s/ put_tile /consumed | aref=tb_ring\n&/;}'
ok 'a slot transposed and not released' spoiled transposed \
    "ring 'tb_ring' expects 1 arrivals for each slot and gets 0" "$transposer"'{/ consumed /d;}'

# what a role computes for others
preparer='/program preparer/,$'
ok 'a computed tile that is not put' spoiled prepared "ring 'halves_ring': 1 groups fill a slot, and its barrier expects 2" \
    '/ put_tile /d'
ok 'a computed tile put twice' spoiled prepared "writes two tiles to one slot of 'halves'" '/ put_tile /p'
ok 'a tile of another type' spoiled prepared 'writes to memory of another shape' \
    's/put_tile %slot.2, %[a-z.0-9]*/put_tile %slot.2, %tw.2/'
ok 'another tile than the source has' spoiled prepared "writes something else to 'halves' than the source has there" \
    "$preparer"'s/mul %wide, %ts/mul %wide, %wide/'
ok 'a computed tile of other scales' spoiled prepared "writes something else to 'halves' than the source has there" \
    "$preparer"'s/load_col %s, %\([a-z.0-9]*\), %3/load_col %s, %\1, %2/'
sed 's/grid(2)/grid(2) consumers(1)/' "$cases/prepared.ir" >alone.ir
"$lower" --quiet --dump=sched-barriers alone.ir >alone.plan 2>/dev/null
ok 'a direct load of what another role stores' spoiled alone 'loads what another role stores' \
    's/%s: tensor<f32,2>\(.*\) = tensor %S,/%s: tensor<f32,2>\1 = tensor %C,/; s/ prefetch=3//'
ok 'a load of the next iteration that another role stores' spoiled alone 'is made before its tile or iteration' \
    's/%s: tensor<f32,2>\(.*\) = tensor %S,/%s: tensor<f32,2>\1 = tensor %C,/'
ok 'a computed tile that is not fenced' spoiled prepared "hands on 'halves', which its threads wrote, without a fence" \
    "$preparer"'{/ fence/d;}'
ok 'a computed tile that not all have written' spoiled prepared \
    "hands on 'halves', which its threads wrote, without a barrier behind" "$preparer"'{/ barrier/d;}'
ok 'a put of a computed tile that does not arrive' spoiled prepared \
    "puts into 'halves_ring' before its last put is done" "$preparer"'{/ put_done/d;}'
ok 'a computed tile that no role puts' spoiled prepared "ring 'halves_ring': 0 roles fill it" \
    "$preparer"'{s/= put |/= get |/;}'
ok 'a computed tile released before its product' spoiled prepared "halves_ring" \
    "$consumer"'{/consumed.*aref=halves_ring/d; s/^\( *\)%\([a-z.0-9]*\).*= get | .*aref=halves_ring/&\n\1consumed | aref=halves_ring/;}'

# clusters
ok 'a share of another size' spoiled cluster "brings 32 of 128 rows of 'ta', and 2 blocks do so" \
    "$producer"'s/share=64/share=32/'
ok 'a part without the others' spoiled cluster "brings a part of 'ta' alone" \
    "s/arrivals=6 along=x_and_y/arrivals=4 along=x/; $producer"'s/along=y //'
ok 'a tile that the others do not load' spoiled cluster "shares 'ta' with blocks that load another tile" \
    "$producer"'{s/along=y /along=& /; s/along=x /along=y /; s/along=along=y /along=x /;}'
ok 'a tile that some blocks load more often' spoiled cluster "shares 'tb' with blocks that load another tile" \
    's/\(for %k: i32.* = 0, \)< %K, 64/\1< %i, 64/'
ok 'copies to blocks whose releases do not come' spoiled cluster \
    "ring 'ta_tb' is filled along x_and_y, and released along x" 's/arrivals=6 along=x_and_y/arrivals=4 along=x/'
ok 'releases that stay in the block' spoiled cluster "ring 'ta_tb' is filled along x_and_y, and released along none" \
    's/arrivals=6 along=x_and_y/arrivals=2/'
ok 'releases of other blocks that are not waited for' spoiled cluster 'expects 2 arrivals for each slot and gets 6' \
    's/arrivals=6/arrivals=2/'
ok 'releases to blocks that bring nothing' spoiled cluster \
    "ring 'ta_tb' is filled along x, and released along x_and_y" "$producer"'s/along=y share=64//'

# parts of sums
ok 'parts that other groups write, too' spoiled parts 'has no memory of its own for parts' \
    's/\(storage sum_parts parts.*\) slots=2/\1 slots=1/'
ok 'parts in less memory than they take' spoiled parts "exchanges parts in memory of another shape" \
    's/\(storage sum_parts parts tile<f32,64x\)128>/\164>/; s/bytes=32784/bytes=16400/'
ok 'blocks that are not said to sum' spoiled parts 'does not share out the columns' \
    's/ parts cluster(1,4)/ cluster(1,4)/'
ok 'columns for fewer blocks' spoiled parts 'exchanges parts in memory of another shape' \
    's/ parts cluster(1,4)/ parts cluster(1,2)/'
ok 'a sum from another start' spoiled parts 'stores what the source does not store' \
    "$consumer"'s/= sum_parts %part.5/& start=1/'
ok 'a sum to which not all groups come' spoiled parts "not all groups of 'consumer' sum in 'sum_parts'" \
    "$consumer"'s/^\( *\)%2: i64.*/&\n\1%f: i1 = scalar_eq %group, 0\n\1if %f {\n\1%again: tile<f32,64x32> split var=sum = sum_parts %part.5 | storage=sum_parts\n\1yield\n\1} else {\n\1yield\n\1}/'
ok 'a sum in each iteration' spoiled parts 'they do not execute line [0-9]* equally often' \
    "$consumer"'s/^\( *\)yield %part.4.*/\1%again: tile<f32,64x32> split var=again = sum_parts %part.4 | storage=sum_parts\n&/; s/^  variable M: i32$/&\n  variable again: tile<f32,64x32> role=consumer/'

# what all blocks have
ok 'tiles of blocks in less memory than they take' spoiled blocks "exchanges tiles in memory of another shape" \
    's/\(storage sum_shares shares tile<f32,\)4x16> slots=1 bytes=272/\14x8> slots=1 bytes=144/'
ok 'tiles of blocks in memory of another use' spoiled blocks 'has no memory of its own for what other blocks send' \
    's/storage=sum_shares/storage=other/; s/^  storage sum_shares.*/&\n  storage other scratch tile<i8,1x16> slots=1 bytes=16 offset=544/; s/shared=544/shared=560/'
ok 'blocks that are not said to make iterations' spoiled blocks 'does not give each block of a cluster what all have' \
    's/ parts cluster(1,4)/ cluster(1,4)/'
ok 'a sum of blocks from another start' spoiled blocks 'stores what the source does not store' \
    "$all"'s/= sum_blocks %part, %zero/= sum_blocks %part, %low/'
ok 'the largest in place of the sum' spoiled blocks 'stores what the source does not store' \
    "$all"'s/= sum_blocks %part/= max_blocks %part/'
ok 'a sum that some blocks do not come to' spoiled blocks 'they do not execute line [0-9]* equally often' \
    "$all"'{s/^\( *\)store_col %m.*/&\n\1%again: tile<f32,16x1> var=again = sum_blocks %part, %zero | storage=sum_shares/;}; s/^  variable M: i32$/&\n  variable again: tile<f32,16x1> role=all/'

ok 'rows that are reduced in other pieces' spoiled spread 'stores what the source does not store' \
    's/\(var=.* = sum_blocks .*\)piece=1024/\1piece=2048/'
ok 'rows that are not reduced' spoiled spread "exchanges tiles in memory of another shape" 's/\(var=.* = sum_blocks .*\) piece=1024/\1/'
ok 'pieces that are no part of the row' spoiled spread 'does not give each block of a cluster what all have' \
    's/\(var=.* = sum_blocks .*\)piece=1024/\1piece=1000/'
ok 'rows of blocks in less memory than their pieces take' spoiled spread \
    "exchanges tiles in memory of another shape" 's/\(storage s_shares shares tile<f32,8x\)8> slots=1 bytes=272/\14> slots=1 bytes=144/'

ok 'powers of another sum' spoiled powers 'takes powers that no sum has made' \
    's/\(var=.* = powers_sent %w, %most, \)%sum/\1%zero/'
ok 'powers below what is not the largest' spoiled powers 'takes powers that no sum has made' \
    's/\(var=.* = powers_sent %w, \)%most/\1%low/'
ok 'a sum of powers below another largest' spoiled powers 'stores what the source does not store' \
    's/\(var=.* = sum_exp_blocks %w, %zero, \)%low\(.*storage\)/\1%zero\2/; s/\(var=.* = max_blocks %w, \)%low\(.*storage\)/\1%zero\2/'
ok 'sums of powers in memory for sums alone' spoiled powers 'exchanges tiles in memory of another shape' \
    's/\(storage sum_shares shares tile<f32,8x\)8> slots=1 bytes=272/\14> slots=1 bytes=144/'

# what is kept in place of registers
ok 'a tile kept with another one' spoiled powers 'keeps its tile in memory that is not its own' \
    's/^\( *\)%scale\(: tile<f32,1x8192> var=\)scale\( = load_row .*\)$/&\n\1%again\2again\3/; /^kernel powers_to_/,/^  program/s/^  variable M: i32$/&\n  variable again: tile<f32,1x8192> role=all/'
ok 'a tile kept in memory of another shape' spoiled powers 'keeps its tile in memory of another shape' \
    's/\(storage g_cached row_cache tile<f32,1x\)8192>/\14096>/; s/bytes=32768/bytes=16384/'
ok 'a tile kept that comes with each tile' spoiled powers 'keeps what it does not load before its tile' \
    's/prefetch=2 storage=g_cached/storage=g_cached/'
ok 'a next tile in place of this one' spoiled powers 'brings its next tile where this one is read' \
    's/prefetch=2 storage=g_cached/prefetch=1 storage=g_cached/'

# memory that is used in turn
ring='1,/^kernel staged/'
staged='/^kernel staged/,$'
ok 'a slot that a group looks at while another stages over it' spoiled shares \
    "'tq' and 'out' share memory, and the last look of 'consumer 1' at 'tq' is not ordered before the next write" \
    's/role_barrier/barrier/'
ok 'a slot that is given back while the copy out of it is under way' spoiled shares \
    "'out' and 'tq' share memory, and the store's copy out is not ordered before the next put of 'tq'" \
    "$ring"'{/store_wait/{N;/consumed/s/.*\n//;}}'
ok 'a slot that is given back before what lies over it is written' spoiled shares \
    "the store's copy out is not ordered before the next put of 'tq'" \
    "$ring"'{/consumed .*aref=tq_ring/d;s/^\( *\)role_barrier/&\n\1consumed | aref=tq_ring/;}'
ok 'an operand written while the copy out of its memory is under way' spoiled shares \
    "the store.s copy out is not ordered before the next write to .x_staged." \
    "$staged"'{/consumed .*q_tile_ring/,/stage %x/{/store_wait/d;};}'
ok 'a staging over an operand that other threads may look at' spoiled shares \
    "the last look of .consumer. at .x_staged. is not ordered before the next write to .out." "$staged"'{/store_wait/{N;s/\n *barrier//;}}'
ok 'more slots than lie apart' spoiled shares "'tq' and 'a_tile' share memory" '/storage a_tile/s/offset=16384/offset=8192/'

# Where: the line of the statement that is to blame.
at_its_line() {
    line=$(sed -e "$3" "$1.plan" | grep -n "$2" | head -n 1 | cut -d: -f1)
    spoiled "$1" "^changed.plan:$line:.*$4" "$3"
}
ok 'a store is named by its line' at_its_line reload 'store %z, %i, 0, %v' \
    '/program/,$s/store %z, %i, 0, %w/store %z, %i, 0, %v/' 'stores what the source does not store'
ok 'an operand is named by its line' at_its_line rounded '= mma' 's/ tf32=1//' 'reads f32 that nobody has rounded'
done_testing
