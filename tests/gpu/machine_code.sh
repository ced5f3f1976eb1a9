#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What the assembler made of kernels that ship: the registers stay registers, matrix products stay in flight, nothing
# waits for the memory of the whole GPU, tiles go in and out by TMA, and come in without a loop around each copy; what
# is kept in the multiprocessor since nobody writes it is read behind the wait for the kernel before.

. "$(dirname "$0")/../tap.sh"

# The bench's kernels with something after the loop, and samples with the longest bodies.
sources='bench/kernels-finish.c samples/gemm.c samples/attention.c samples/attention_fp8.c samples/attention_varlen.c
    samples/mlp_fused.c'

disassembler=$(command -v cuobjdump || ls "$(dirname "$(command -v "${NVCC:-nvcc}" || echo .)")/cuobjdump" 2>/dev/null)
if test -z "${NVCC-}"; then
    echo '1..0 # SKIP no nvcc'
    exit 0
fi

# What the assembler says of itself is all that can be seen without a disassembler.
says_no_spill() {
    WSCC_NVCC="$NVCC -Xptxas -v" "$wscc" --ws-target=cuda -O2 -Dmain=unused_main -c "$top_srcdir/$1" \
        -o "$work/kernels.o" \
        >"$work/said" 2>&1 && grep -q 'bytes spill' "$work/said" && ! grep '[1-9][0-9]* bytes spill' "$work/said"
}

if test -z "$disassembler"; then
    for source in $sources; do
        ok "$source: no register is spilled" says_no_spill "$source"
    done
    skip 'the machine code' 'no cuobjdump'
    done_testing
fi
PATH=$(dirname "$disassembler"):$PATH

# A line for each kernel: its name, and how many instructions of each kind it has.
count() {
    awk '
        /Function :/ { kernel = $3; seen[kernel] = 1; flying = waited = 0 }
        /ACQBULK/ { waited = 1 }
        /LDG.*CONSTANT/ { early[kernel] += !waited }
        / (STL|LDL)[. ]/ { spills[kernel]++ }
        / [A-Z]*GMMA[. ]/ { products[kernel]++; flying = 1 }
        /WARPGROUP.DEPBAR/ { waits[kernel]++ }
        /WARPGROUP.DEPBAR.* 0x0 ;/ { flying = 0 }
        /FMNMX/ { largest[kernel]++; under[kernel] += flying }
        /MEMBAR.*\.(GPU|SYS)|ERRBAR/ { fences[kernel]++ }
        /UTMALDG/ { loads[kernel]++; near = NR + 8 } # a line or two for each instruction
        /BRA\.U\.ANY/ && NR < near { circles[kernel]++ }
        /UTMASTG/ { stores[kernel]++ }
        END {
            for (k in seen)
                print k, spills[k] + 0, products[k] + 0, waits[k] + 0, fences[k] + 0, loads[k] + 0, stores[k] + 0,
                    largest[k] + 0,
                    under[k] + 0, circles[k] + 0, early[k] + 0
        }' "$1"
}

disassemble() {
    WSCC_NVCC=$NVCC "$wscc" --ws-target=cuda -O2 -Dmain=unused_main -c "$top_srcdir/$1" -o "$work/kernels.o" &&
        cuobjdump -sass "$work/kernels.o" >"$work/sass" && count "$work/sass" >"$work/counts" && test -s "$work/counts"
}

# none CONDITION: of awk, over kernel, spills, products, waits, fences, loads, stores, comparisons for a largest number,
# those of them that stand between a product and the wait for it, and loops around a load, as the assembler makes them
# where it does not see that one thread is alone; and reads of what nobody writes that come too early.
none() {
    awk "{ kernel = \$1; spills = \$2; products = \$3; waits = \$4; fences = \$5; loads = \$6; stores = \$7
         largest = \$8; under = \$9; circles = \$10; early = \$11 }
         $1 { print; bad = 1 } END { exit bad }" "$work/counts"
}

for source in $sources; do
    ok "$source compiles, and can be disassembled" disassemble "$source"
    ok "$source: no register is spilled" none 'spills'
    ok "$source: products are not waited for one by one" none 'products && waits >= products'
    ok "$source: no fence of the whole GPU" none 'fences'
    ok "$source: TMA loads and stores" none 'products && !(loads && stores)'
    ok "$source: one instruction for each load" none 'circles'
    ok "$source: no read before the wait for the kernel before" none 'early'
    # The first iteration has no product before it to hide behind; all others have, and their exponentials run under
    # another group's.
    case $source in
    *attention.c | *attention_fp8.c) ok "$source: the rows' largest under products" none \
        'products && (!largest || 3 * under < largest)' ;;
    esac
done
done_testing
