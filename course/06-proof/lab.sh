# SPDX-License-Identifier: GPL-3.0-or-later
title='proof and counterexample: repair the roles of a product'
answer=product.plan
given='product.c depth.c run.c'
start_file() {
    printf '# depth P=%s smallest=? fast=?\n' 2 3
    plan_of "$1" | sed -f "$1/break.sed"
}
plan_of() {
    test -n "${plugin-1}" && "$wscc" --ws-target=emulate --ws-dump=plan -O1 -w -S "$1/product.c" -o /dev/null 2>/dev/null
}
grade() {
    plan_of "$home" >right.plan
    test -s right.plan || { echo "lab $lab: the compiler has no plugin here" >&2; exit 2; }
    test -x "$tools/wsc-lower" || { echo "lab $lab: no wsc-lower beside wscc" >&2; exit 2; }
    sed '/^  program/,$d' right.plan | grep -v '^  \(aref\|storage\) ' >source
    sed '/^  program/,$d' answer.plan | grep -v '^  \(aref\|storage\) \|^# depth ' >theirs
    cmp -s source theirs || mistake source-changed \
        'What stands above the first program is the source as the proof takes it: the roles have to be repaired, not what they are compared with.'
    "$tools/wsc-lower" --quiet --verify answer.plan >said 2>&1 ||
        explain refused 'The proof refuses these roles.'
    for p in 2 3; do depths $p; done
}

# The second half: the numbers of a line "# depth P=2 smallest=... fast=...", which the proof takes for a comment.
depths() { # P
    line=$(grep -m 1 "^# depth P=$1 " answer.plan)
    smallest=$(echo "$line" | sed -n 's/.* smallest=\([0-9][0-9]*\).*/\1/p')
    fast=$(echo "$line" | sed -n 's/.* fast=\([0-9][0-9]*\).*/\1/p')
    : >said
    test -n "$smallest" && test -n "$fast" || mistake depths-missing \
        "The proof is content. Now the depths: complete the line '# depth P=$1 smallest=? fast=?' at the head of the file."
    compiled "$smallest" "$1" || explain ring-too-small "With P = $1 a ring of $smallest slots does not run."
    if test "$smallest" -gt 1 && compiled $((smallest - 1)) "$1"; then
        : >said
        mistake not-the-smallest "With P = $1 a ring of $((smallest - 1)) slots runs, too."
    fi
    best=$(clocks 6 "$1") now=$(clocks "$fast" "$1")
    : >said
    test -n "$now" || mistake ring-too-large "With P = $1 a ring of $fast slots is refused: shared memory is full, or it is smaller than P."
    test $((100 * now)) -le $((102 * best)) || mistake loads-too-late \
        "With P = $1 and $fast slots a tile takes $now clocks, with more slots $best: the loads are started too late for the time that they take. Look at the producer's waits in the timeline."
    before=$(clocks $((fast - 1)) "$1")
    if test -n "$before" && test $((100 * before)) -le $((102 * best)); then
        mistake slots-wasted "With P = $1 a ring of $((fast - 1)) slots is as fast ($before clocks): a slot more is shared memory for nothing."
    fi
}
compiled() { # D P
    "$wscc" --ws-target=emulate -O1 -w -DD="$1" -DP="$2" "$home/depth.c" "$home/run.c" -o "depth-$1-$2" -lm >said 2>&1
}
clocks() { # D P: of the predicted timeline; nothing where it does not run
    compiled "$1" "$2" || return 0
    WS_MACHINE=$course/../machines/hopper.machine WS_TIMELINE="line-$1-$2" "./depth-$1-$2" >/dev/null 2>&1
    sed -n '1s/.*: \([0-9]*\) clocks.*/\1/p' "line-$1-$2"
}
