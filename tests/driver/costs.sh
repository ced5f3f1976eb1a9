#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Numbers of a GPU stand in machines/*.machine alone, each with its source, and the tables of C agree with them.

. "$(dirname "$0")/../tap.sh"
here=$top_srcdir/tests/driver table=$top_srcdir/machines/table.awk
machines=$top_srcdir/machines built=$top_builddir/lowering/target
awk=${AWK:-awk}

# ---- no number elsewhere ---------------------------------------------------------------------------------------------

# Files, and words of them that are no cost: shapes of instructions and layouts, bits, limits of a reader or a search.
# lowering/source/ has the C of both front ends, and no GPU.
sources='lowering runtime/common/choice.cuh runtime/common/estimate.h runtime/cuda/launch.cuh runtime/cuda/aref.cuh
    runtime/emulate/launch.cuh runtime/emulate/emulate.c lib/product/choose.h'
cat >"$work/allowed" <<'END'
lowering/cost/cost.c INSTRUCTION_BYTES
lowering/cost/cost.c INSTRUCTION_ROWS
lowering/cost/gpu.h LEFT_IN_REGISTERS
lowering/ir/parse.c 1000
lowering/language/blocks.c MOST_POWERS
lowering/language/swap-operands.c MOST_COLUMNS
lowering/machine/layout.c 16
lowering/schedule/choose-prepare.c 128
lowering/schedule/choose.c TRANSPOSED_COLUMNS
lowering/schedule/choose.c TRANSPOSED_ROWS
lowering/schedule/graph.c CYCLES
lowering/schedule/schedule.c 32
END
numbers_of() { # FOLDER: lines "FILE WORD"
    (cd "$1" && find $sources -path lowering/source -prune -o \( -name '*.[ch]' -o -name '*.cuh' \) -print | sort |
        xargs $awk -f "$here/costs.awk") |
        sed 's/:[0-9]*: / /' | sort -u
}
no_number_elsewhere() {
    numbers_of "$1" >"$work/found"
    comm -23 "$work/found" "$work/allowed" >"$work/new"
    sed 's/$/: a number of a GPU belongs to machines\/hopper.machine/' "$work/new"
    test ! -s "$work/new"
}
nothing_allowed_in_vain() { comm -13 "$work/found" "$work/allowed" >"$work/vain" && cat "$work/vain" &&
    test ! -s "$work/vain"; }
ok 'no number of a GPU outside of its table' no_number_elsewhere "$top_srcdir"
ok 'the list of exceptions has no other lines' nothing_allowed_in_vain

# The cost model is below all phases.
below_phases() { # FOLDER
    ! grep -n '#include "' "$1"/lowering/cost/*.[ch] | grep -v '"\(\(cost\|ir\)/[a-z-]*\.h\|costs\.h\|estimate\.h\)"'
}
ok 'the cost model includes no phase' below_phases "$top_srcdir"
mkdir -p "$work/phases/lowering/cost" && echo '#include "machine/budget.h"' >"$work/phases/lowering/cost/cost.c"
: >"$work/phases/lowering/cost/cost.h"
not_ok 'seen: an include of a phase' below_phases "$work/phases"

plant() { # NAME TEXT: the check finds the text behind the last line of work.c
    mkdir -p "$work/planted/lowering" && for file in ${sources#lowering}; do
        mkdir -p "$work/planted/$(dirname "$file")" && : >"$work/planted/$file"; done
    printf '%s\n' "$2" >"$work/planted/lowering/planted.c"
    not_ok "seen: $1" no_number_elsewhere "$work/planted"
}
plant 'a constant of clocks' 'enum { WAITING = 600 }; /* clocks in which an iteration waits */'
plant 'a constant of registers' 'enum { MOST_REGISTERS = 176 };'
plant 'a rate' 'static double asks(void) { return 1.58; }'
plant 'a threshold of registers' 'static bool fits(int registers) { return registers <= 208; }'
plant 'the shared memory of a block' 'enum { SHARED_MOST = 232448 };'
plant 'a constant below a comment' '/* Clocks of a launch.  */
enum {
    LAUNCH = 2500
};'
printf '%s\n' '/* 1.58 clocks, 208 registers */ static const char *text = "600 clocks";' >"$work/planted/lowering/planted.c"
ok 'not in comments and texts' no_number_elsewhere "$work/planted"

# ---- the tables ------------------------------------------------------------------------------------------------------

rows() { sed -n "s/^$1 \([a-z0-9_]*\) .*/\1/p" "$2" | sort; }
members() { # the names in a struct, of a header in which `Costs` or `Machine` begins and ends
    sed -n "/^\(typedef \)\{0,1\}struct $1 {/,/^}/p" "$2" | sed 's|/\*.*\*/||; s|/\*.*||' |
        sed -n 's/^    \(int\|double\) \(.*\);.*/\2/p' | tr -d ' ' | tr ',' '\n' | sort
}
same_names() { # MACHINE
    rows cost "$1" >"$work/rows" && members Costs "$top_srcdir/lowering/cost/cost.h" >"$work/members" &&
        test "$(wc -l <"$work/rows")" -gt 50 && diff "$work/rows" "$work/members" &&
        rows limit "$1" >"$work/rows" && members Machine "$top_srcdir/lowering/cost/gpu.h" |
        grep -vx 'box_rows\|nproducts' | diff "$work/rows" -
}
# Each row is in the table that the build made, with its value.
in_table() { # MACHINE KIND TABLE PATTERN
    sed -n "s/^$2 \([a-z0-9_]*\) \([0-9.e]*\) .*/\1 \2/p" "$1" | while read -r name value; do
        grep -q "$(printf "$4" "$name" "$(echo "$value" | sed 's/\./\\./')")" "$3" || { echo "$name is not $value in $3"; exit 1; }
    done
}
same_values() { # MACHINE
    in_table "$1" limit "$built/hopper-limits.h" ' \.%s = %s,$' && in_table "$1" cost "$built/hopper-costs.h" ' \.%s = %s,$' &&
        in_table "$1" fitted "$top_srcdir/lib/product/numbers.def" '^NUMBER(%s, %s, ' &&
        in_table "$1" fixed "$top_srcdir/lib/product/numbers.def" '^FIXED(%s, %s, ' &&
        $awk -v rows=estimate -f "$table" "$1" | cmp - "$top_srcdir/runtime/common/costs.h" &&
        $awk -v rows=fitted -f "$table" "$1" | cmp - "$top_srcdir/lib/product/numbers.def"
}
# Rows that say one thing in two units.
consistent() { # MACHINE
    value() { sed -n "s/^$1 $2 \([0-9.]*\) .*/\1/p" "$machine"; }
    machine=$1
    test "$(value cost product_clock_bytes)" = $((2 * $(sed -n 's/^kind mma_f16 use=TC:\([0-9]*\) .*/\1/p' "$1"))) &&
        test "$(value limit shared_bytes)" = $((1024 * $(sed -n 's/^memory smem capacity=\([0-9]*\) .*/\1/p' "$1"))) &&
        test "$(value limit sm_shared_bytes)" = $(($(value limit shared_bytes) + $(value limit block_shared_bytes))) &&
        test "$(value cost exchange_clock_bytes)" = "$(value fitted sent_bytes | sed 's/\..*//')"
}
tables_agree() { same_names "$1" && same_values "$1" && consistent "$1"; }
ok 'the tables of Hopper agree with its description' tables_agree "$machines/hopper.machine"

change() { # NAME SED: the description with a mistake does not agree
    sed "$2" "$machines/hopper.machine" >"$work/other.machine"
    not_ok "seen: $1" tables_agree "$work/other.machine"
}
change 'another value of a cost' 's/^cost held_registers 208/cost held_registers 200/'
change 'another value of a limit' 's/^limit max_threads 1024/limit max_threads 512/'
change 'another estimate' 's/^estimate launch 2500/estimate launch 2600/'
change 'another number of lib/product' 's/^fitted wide 1.118/fitted wide 1.2/'
change 'a row too many' 's/^\(cost \)held_registers.*/&\n\1other 7 # a number [guess]/'
change 'a row too few' '/^cost held_registers/d'
change 'a rate that disagrees' 's/^kind mma_f16 use=TC:2048/kind mma_f16 use=TC:2000/'

# ---- sources ---------------------------------------------------------------------------------------------------------

# A source is a document, a path of this tree, or says why it is not reprinted.
sources_named() { # MACHINE
    $awk '/^#   \[/ { tag = $2; sub(/^#   \[[a-z0-9]*\] */, ""); text[tag] = $0; next }
        /^#    / && tag { text[tag] = text[tag] " " $0; next }
        { tag = "" }
        END { for (tag in text) print tag, text[tag] }' "$1" >"$work/tags"
    while read -r tag text; do
        case $text in
        'not reprinted: '* | *NVIDIA* | *CUDA* | *'PTX ISA'* | *FlashAttention-4*) continue ;;
        *bench/* | *lib/product/fit*) ;;
        *) echo "$tag is no command, document or note"; return 1 ;;
        esac
        for path in $(printf '%s\n' "$text" | grep -o '\(bench\|lib\)/[a-zA-Z/.-]*[a-z]'); do
            test -e "$top_srcdir/$path" || test "$path" = lib/product/fit || { echo "$tag: no $path"; return 1; }
        done
    done <"$work/tags"
    grep -n '^\(memory\|groups\|registers\|spare\|spill\|processors\|kind\|timeline\|limit\|cost\|estimate\|fitted\|fixed\) ' "$1" |
        grep '[0-9]' | grep -v '^[0-9]*:kind [a-z]* *#' | while read -r line; do
            tag=$(printf '%s\n' "$line" | sed -n 's/.* \(\[[a-z0-9]*\]\)$/\1/p')
            test -n "$tag" && grep -qF "$tag " "$work/tags" || { echo "no source: $line"; exit 1; }
        done
}
ok 'each number of Hopper has a source' sources_named "$machines/hopper.machine"
ok 'each number of Blackwell has a source' sources_named "$machines/blackwell.machine"
ok 'each number of the consumer Blackwell has a source' sources_named "$machines/blackwell-consumer.machine"
ok 'each number of Hopper as sm_90 has a source' sources_named "$machines/hopper-plain.machine"
unsourced() { # NAME SED
    sed "$2" "$machines/hopper.machine" >"$work/other.machine"
    not_ok "seen: $1" sources_named "$work/other.machine"
}
unsourced 'a number without a source' 's/^\(cost held_registers.*\) *\[spill\]/\1/'
unsourced 'a source that is nowhere' 's/^\(cost held_registers.*\)\[spill\]/\1[lost]/'
unsourced 'a note that is gone' 's|bench/notes/clusters.md|bench/notes/gone.md|'
unsourced 'a source that names nothing' 's|^#   \[guess\] .*|#   [guess]   a guess|'

# ---- the generator ---------------------------------------------------------------------------------------------------

refused() { # TEXT
    printf '%s\n' 'machine m' "$1" >"$work/bad.machine"
    ! $awk -v rows=cost -f "$table" "$work/bad.machine" >"$work/out" 2>"$work/err" && grep -q 'bad.machine:2: ' "$work/err"
}
ok 'refused: a value that is no number' refused 'cost lanes many # lanes [guess]'
ok 'refused: a row with two values' refused 'cost lanes 1 2 # lanes [guess]'
twice() { refused 'cost lanes 1 # lanes [guess]
cost lanes 2 # lanes [guess]'; grep -q 'bad.machine:3: .*twice' "$work/err"; }
ok 'refused: a row twice' twice
done_testing
