#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Of the final programs of products, alone and in clusters, every mistake of these kinds is noticed, by verify and by
# the interpreter alike.

. "$(dirname "$0")/../tap.sh"
export top_srcdir top_builddir

noticed() { awk -v name="$1" '$1 == name { good = $2 > 0 && $3 == $2 && $4 == $2 } END { exit !good }' "$work/score"; }

# By verify alone. The interpreter has all blocks meet before they send (sync_blocks in tests/interpret/product.c). On
# the GPU a block waits until what it sent before in the same exchange was read (blocks.cuh). So two exchanges that
# share memory race there, and the interpreter has no order that shows it.
refused() { awk -v name="$1" '$1 == name { good = $2 > 0 && $3 == $2 } END { exit !good }' "$work/score"; }

if ! has_plugin; then
    skip 'mutants' 'no plugin'
    done_testing
    exit
fi
sh "$top_srcdir/tests/mutation/run" "$top_srcdir/samples/gemm.c" >"$work/score"
not_ok 'the unspoiled program is refused' grep '^not ok' "$work/score"
for name in drop-put drop-put-done drop-copy drop-get drop-release drop-commit drop-wait twice-get release-at-get \
    keep-less \
    wait-less fewer-arrivals more-arrivals only-engine fixed-slot next-slot first-rows other-phase; do
    ok "$name" noticed "$name"
done
sh "$top_srcdir/tests/mutation/run" --operator first-columns "$top_srcdir/tests/programs/flat.c" >"$work/score"
not_ok 'the unspoiled columns and rows of slots are refused' grep '^not ok' "$work/score"
ok 'first-columns' noticed first-columns
sh "$top_srcdir/tests/mutation/run" "$top_srcdir/tests/mutation/cluster.c" >"$work/score"
not_ok 'the unspoiled clusters are refused' grep '^not ok' "$work/score"
for name in release-here release-across copy-across share-less share-more; do
    ok "$name" noticed "$name"
done
sh "$top_srcdir/tests/mutation/run" "$top_srcdir/tests/programs/boxes.c" >"$work/score"
not_ok 'the unspoiled boxes are refused' grep '^not ok' "$work/score"
for name in moved-box transposed-box; do
    ok "$name" noticed "$name"
done
sh "$top_srcdir/tests/mutation/run" "$top_srcdir/tests/mutation/tasks.c" >"$work/score"
not_ok 'the unspoiled tasks are refused' grep '^not ok' "$work/score"
for name in drop-put drop-put-done drop-put-tile twice-put-tile drop-get drop-release first-part \
    fewer-fillers more-fillers fewer-arrivals more-arrivals other-phase fixed-slot drop-store; do
    ok "$name, of tasks" noticed "$name"
done
# A group of the interpreter is one thread: a release between its fence and its put orders more than that of warps.
for name in drop-barrier drop-fence release-at-get fewer-slots; do
    ok "$name, of tasks" refused "$name"
done
sh "$top_srcdir/tests/mutation/run" "$top_srcdir/tests/mutation/parts.c" >"$work/score"
not_ok 'the unspoiled sums of parts are refused' grep '^not ok' "$work/score"
for name in other-start aliased fewer-storage-slots; do
    ok "$name, of parts" noticed "$name"
done
sh "$top_srcdir/tests/mutation/run" "$top_srcdir/tests/mutation/blocks.c" >"$work/score"
not_ok 'the unspoiled loops over blocks are refused' grep '^not ok' "$work/score"
for name in other-start aliased; do
    ok "$name, of blocks" refused "$name"
done
ok 'fewer-storage-slots, of blocks' noticed fewer-storage-slots
sh "$top_srcdir/tests/mutation/run" "$top_srcdir/tests/mutation/resident.c" >"$work/score"
not_ok 'the unspoiled resident tiles are refused' grep '^not ok' "$work/score"
for name in said-resident not-resident resident-less resident-more writes-resident; do
    ok "$name" noticed "$name"
done
sh "$top_srcdir/tests/mutation/run" "$top_srcdir/tests/mutation/shares.c" >"$work/score"
not_ok 'the unspoiled memory that is used in turn is refused' grep '^not ok' "$work/score"
for name in meet-alone drop-role-barrier drop-release overlapping fewer-storage-slots; do
    ok "$name, of memory that is used in turn" noticed "$name"
done
# By itself, since what it makes is what another operator makes, too, and is counted there.
sh "$top_srcdir/tests/mutation/run" --operator release-unread "$top_srcdir/tests/mutation/shares.c" >"$work/score"
ok 'release-unread, of memory that is used in turn' noticed release-unread
sh "$top_srcdir/tests/mutation/run" "$top_srcdir/tests/mutation/clipped.c" >"$work/score"
not_ok 'the unspoiled steps are refused' grep '^not ok' "$work/score"
for name in rows-beyond-step behind-loop other-phase fewer-columns; do
    ok "$name, of tiles that a step cuts" noticed "$name"
done
sh "$top_srcdir/tests/mutation/run" "$top_srcdir/tests/mutation/widths.c" >"$work/score"
not_ok 'the unspoiled widths are refused' grep '^not ok' "$work/score"
ok 'fewer-columns' noticed fewer-columns
sh "$top_srcdir/tests/mutation/run" --operator fewer-columns "$top_srcdir/tests/mutation/halved.c" >"$work/score"
not_ok 'the unspoiled halves are refused' grep '^not ok' "$work/score"
ok 'fewer-columns, of halves' noticed fewer-columns
sh "$top_srcdir/tests/mutation/run" "$top_srcdir/tests/mutation/uniform.c" >"$work/score"
not_ok 'the unspoiled branch is refused' grep '^not ok' "$work/score"
for name in reads-stored other-arm no-branch; do
    ok "$name, of a uniform branch" noticed "$name"
done
for name in later-edge no-edge other-body; do
    sh "$top_srcdir/tests/mutation/run" --operator "$name" "$top_srcdir/tests/mutation/peeled.c" >"$work/score"
    ok "$name" noticed "$name"
done
sh "$top_srcdir/tests/mutation/run" --operator earlier-edge "$top_srcdir/tests/mutation/peeled.c" >"$work/score"
ok 'earlier-edge, whose mask holds' refused earlier-edge
for name in drop-await-tiles twice-tile-done; do
    sh "$top_srcdir/tests/mutation/run" --operator "$name" "$top_srcdir/tests/mutation/beside.c" >"$work/score"
    ok "$name" noticed "$name"
done
for name in drop-fence drop-store-wait; do
    sh "$top_srcdir/tests/mutation/run" --operator "$name" "$top_srcdir/tests/mutation/odd.c" >"$work/score"
    ok "$name, of an odd number of columns" noticed "$name"
done
sh "$top_srcdir/tests/mutation/run" "$top_srcdir/tests/mutation/plain.c" >"$work/score"
not_ok 'the unspoiled plain loops are refused' grep '^not ok' "$work/score"
for name in drop-put drop-get drop-release twice-store before-loop later trip-less trip-more fixed-slot next-slot \
    other-tile other-start other-phase; do
    ok "$name, of plain loops" noticed "$name"
done
ok 'no mutant of plain loops is missed' awk '$1 == "all" { good = $2 > 100 && $NF == 0 } END { exit !good }' "$work/score"
# Operators know the program.  A hand does not, and most of its edits are refused before they run.
ok 'no edit of the text of tasks is missed' \
    sh "$top_srcdir/tests/mutation/run" --text 100 1 "$top_srcdir/tests/mutation/tasks.c"
for name in next-element last-trip-less; do
    sh "$top_srcdir/tests/mutation/run" --operator "$name" "$top_srcdir/tests/mutation/tasks.c" >"$work/score"
    ok "$name, of tasks" refused "$name"
done
done_testing
