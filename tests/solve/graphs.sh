# SPDX-License-Identifier: GPL-3.0-or-later
# graphs.sh - sourced: the loops of "Optimal Software Pipelining and Warp Specialization for Tensor Core GPUs" as graphs.
# Cycles of 64 clocks, from peak rates. The machine is paper.machine unless a line here says otherwise.

# Figure 1: S is a product, P an exponential, O a product that adds to the one before. spill and registers are of each value.
figure_1() { # SPILL REGISTERS BLOCKING
    cat <<END
loop figure_1
unit TC
unit SFU
op S cycles=1 unit=TC registers=$2 spill=$1 asynchronous
op P cycles=1 unit=SFU registers=$2 spill=$1
op O cycles=1 unit=TC registers=$2 asynchronous
edge S -> P ${3-}
edge P -> O
edge O -> O distance=1
END
}

# Forward attention on Hopper, for each letter a sub-tile of 64 rows and 128 keys.
hopper() { # LETTERS [CYCLES_OF_GEMM CYCLES_OF_EXP CYCLES_OF_ALU]
    gemm=${2-8} exp=${3-8} alu=${4-1}
    cat <<END
loop hopper_$(echo "$1" | tr -d ' ')
unit TC
unit SFU
unit ALU
memory smem capacity=192
op K variable memory=smem:32
op V variable memory=smem:32
END
    for j in $1; do
        cat <<END
op S$j cycles=$gemm unit=TC registers=64 spill=2 asynchronous
op m$j cycles=$alu unit=ALU registers=2 spill=1
op P$j cycles=$exp use=SFU:0:$exp use=ALU:0:$alu registers=64 spill=2
op l$j cycles=$alu unit=ALU registers=2 spill=1
op C$j cycles=$alu unit=ALU registers=32 spill=2
op R$j cycles=$alu unit=ALU registers=64 spill=2
op O$j cycles=$gemm unit=TC registers=64 spill=2 asynchronous
edge K -> S$j delay=0 hold=$gemm
edge V -> O$j delay=0 hold=$gemm
edge S$j -> m$j blocking
edge S$j -> P$j blocking
edge m$j -> m$j distance=1
edge m$j -> P$j
edge m$j -> R$j
edge m$j -> l$j
edge P$j -> l$j
edge l$j -> l$j distance=1
edge P$j -> C$j
edge C$j -> O$j hold=$gemm
edge O$j -> R$j distance=1 blocking
edge R$j -> O$j
END
    done
}

# Forward attention on Blackwell, for each letter a sub-tile of 128 rows and 128 keys, or twice as many rows with SCALE 2.
blackwell() { # LETTERS GEMM EXP ALU LOAD STORE STORE_P SCALE [ALONE]
    gemm=$2 exp=$3 alu=$4 ld=$5 st=$6 stp=$7 scale=$8 alone=${9-}
    cat <<END
loop blackwell_$(echo "$1" | tr -d ' ')
unit TC
unit SFU
unit ALU
unit TM
memory smem capacity=192
memory tmem capacity=512
op K variable memory=smem:32
op V variable memory=smem:32
END
    for j in $1; do
        cat <<END
op S$j cycles=$gemm unit=TC memory=tmem:$((128 * scale)) asynchronous $alone
op D$j cycles=$ld unit=TM registers=$((128 * scale)) spill=$((4 * scale))
op m$j cycles=$alu unit=ALU registers=2 spill=$scale
op P$j cycles=$exp use=SFU:0:$exp use=ALU:0:$alu registers=$((128 * scale)) spill=$((4 * scale))
op l$j cycles=$alu unit=ALU registers=2 spill=$scale
op C$j cycles=$alu unit=ALU registers=$((64 * scale)) spill=$((2 * scale))
op T$j cycles=$stp unit=TM memory=tmem:$((64 * scale))
op G$j cycles=$ld unit=TM registers=$((128 * scale)) spill=$((4 * scale))
op R$j cycles=$alu unit=ALU registers=$((128 * scale)) spill=$((4 * scale))
op U$j cycles=$st unit=TM
op O$j cycles=$gemm unit=TC memory=tmem:$((128 * scale)) asynchronous $alone
edge K -> S$j delay=0 hold=$gemm
edge V -> O$j delay=0 hold=$gemm
edge S$j -> D$j blocking hold=$ld
edge D$j -> m$j
edge D$j -> P$j
edge m$j -> m$j distance=1
edge m$j -> P$j
edge m$j -> R$j
edge m$j -> l$j
edge P$j -> l$j
edge l$j -> l$j distance=1
edge P$j -> C$j
edge C$j -> T$j hold=$stp
edge T$j -> O$j hold=$gemm
edge O$j -> G$j distance=1 blocking
edge G$j -> R$j
edge R$j -> U$j
edge U$j -> O$j
END
    done
}

# Backward attention on Hopper, one group of 64 keys for each letter and 64 queries: S = K Q', P = exp (S - m), dP = V dO',
# D = P (dP - d), dV += P dO, dK += D Q, dQ = D' K, which goes to memory. dQ reads what D left in shared memory.
backward() { # LETTERS
    cat <<END
loop backward_$(echo "$1" | tr -d ' ')
unit TC
unit SFU
unit ALU
unit TMA
memory smem capacity=192
op Q variable memory=smem:16
op G variable memory=smem:16
END
    for j in $1; do
        cat <<END
op S$j cycles=4 unit=TC registers=32 spill=2 asynchronous
op P$j cycles=4 use=SFU:0:4 use=ALU:0:1 registers=32 spill=2
op W$j cycles=1 unit=ALU registers=16 spill=1
op T$j cycles=4 unit=TC registers=32 spill=2 asynchronous
op D$j cycles=1 unit=ALU registers=16 spill=1
op V$j cycles=4 unit=TC registers=64 spill=4 asynchronous
op K$j cycles=4 unit=TC registers=64 spill=4 asynchronous
op X$j cycles=4 unit=TC registers=64 spill=4 asynchronous
op R$j cycles=2 unit=TMA
edge Q -> S$j delay=0 hold=4
edge G -> T$j delay=0 hold=4
edge S$j -> P$j blocking
edge P$j -> W$j
edge P$j -> D$j
edge T$j -> D$j blocking
edge W$j -> V$j hold=4
edge G -> V$j delay=0 hold=4
edge V$j -> V$j distance=1
edge D$j -> K$j hold=4
edge Q -> K$j delay=0 hold=4
edge K$j -> K$j distance=1
edge D$j -> X$j hold=4
edge X$j -> R$j blocking hold=2
END
    done
}

# Backward attention on Blackwell, 128 keys and 128 queries: S and T are the products that P and dP come of, A, B and L load
# from tensor memory, C casts P, which W stores there for dV, V; D and E make dS, which F writes to shared memory for dK, K,
# and dQ, X, which R adds to memory.
backward_blackwell() { # ALU LOAD STORE_P TO_SHARED [ALONE]
    alu=$1 ld=$2 stp=$3 sts=$4 alone=${5-}
    cat <<END
loop backward_blackwell
unit TC
unit SFU
unit ALU
unit TM
unit SM
unit TMA
memory smem capacity=224
memory tmem capacity=512
op Q variable memory=smem:32
op G variable memory=smem:32
op S cycles=8 unit=TC memory=tmem:128 asynchronous $alone
op A cycles=$ld unit=TM registers=128 spill=4
op P cycles=16 use=SFU:0:16 use=ALU:0:$alu registers=128 spill=4
op C cycles=$alu unit=ALU registers=64 spill=2
op W cycles=$stp unit=TM memory=tmem:64
op V cycles=8 unit=TC memory=tmem:128 asynchronous $alone
op T cycles=8 unit=TC memory=tmem:128 asynchronous $alone
op B cycles=$ld unit=TM registers=128 spill=4
op D cycles=$alu unit=ALU registers=128 spill=4
op E cycles=$alu unit=ALU registers=64 spill=2
op F cycles=$sts unit=SM memory=smem:32
op K cycles=8 unit=TC memory=tmem:128 asynchronous $alone
op X cycles=8 unit=TC memory=tmem:128 asynchronous $alone
op L cycles=$ld unit=TM registers=128 spill=4
op R cycles=$((2 * sts)) use=SM:0:$((2 * sts)) use=TMA:0:4
edge Q -> S delay=0 hold=8
edge G -> T delay=0 hold=8
edge S -> A blocking hold=$ld
edge A -> P
edge P -> C
edge C -> W hold=$stp
edge W -> V hold=8
edge G -> V delay=0 hold=8
edge V -> V distance=1
edge T -> B blocking hold=$ld
edge B -> D
edge P -> D
edge D -> E
edge E -> F hold=$sts
edge F -> K hold=8
edge Q -> K delay=0 hold=8
edge K -> K distance=1
edge F -> X hold=8
edge X -> L blocking hold=$ld
edge L -> R hold=$((2 * sts))
END
}
