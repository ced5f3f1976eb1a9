#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What the proof takes for granted of copies that threads make (lowering/proof/protocol.c): on every path of the
# machine's program, what a thread wrote to a slot has landed and is fenced before that thread comes to the barrier that
# hands the slot on. Without wgmma, the same holds for what a warp reads by ldmatrix, before it releases the slot.

. "$(dirname "$0")/../tap.sh"

# Pairs of elements and single ones, tiles that a cluster shares, transposed tiles and prepared operands.
kernels='gemm cluster rounded transposed prepared'
without_wgmma='gpu-90 gpu-120a'

if test -z "${NVCC-}"; then
    skip 'fences of copies by threads' 'no nvcc'
    done_testing
fi

# Two bits run along all ways through a function until nothing changes: 1, a copy of this thread has not landed; 2,
# something that it wrote is not fenced. Names each arrival that a set bit may come to, and counts what there was to
# look at.
cat >"$work/paths.awk" <<'EOF'
function flow(to, bits) {
    if (or_of(in_[to], bits) != in_[to] || !seen[to]) {
        in_[to] = or_of(in_[to], bits)
        seen[to] = changed = 1
    }
}
function or_of(a, b) { return (a % 2 || b % 2) + 2 * (a >= 2 || b >= 2) }
function step(kind, bits) {
    if (kind == "write") return or_of(bits, 2)
    if (kind == "copy") return 3
    if (kind == "land") return bits >= 2 ? 2 : 0
    if (kind == "fence") return bits % 2 ? bits : 0
    return bits
}
function finish(   i, bits) {
    if (!n) return
    flow(1, 0)
    do {
        changed = 0
        for (i = 1; i <= n; i++) {
            if (!seen[i]) continue
            bits = step(what[i], in_[i])
            if (i in jump) flow(at[jump[i]], bits)
            if (!(i in ends)) flow(i + 1, bits)
        }
    } while (changed)
    for (i = 1; i <= n; i++)
        if (what[i] == "arrive" && in_[i]) {
            print "line " line[i] ": " text[i] (in_[i] % 2 ? " before a copy has landed" : " without a fence")
            bad = 1
        }
    split("", what); split("", in_); split("", seen); split("", jump); split("", at); split("", ends)
    n = 0
}
/^\.(visible |weak )*(\.)*(entry|func)/ || /^\.visible/ { finish(); inside = 1 }
!inside { next }
{ n++; line[n] = NR; text[n] = $0 }
/^\$[A-Za-z0-9_]*:/ { name = $1; sub(":.*", "", name); at[name] = n }
/[ \t]bra(\.uni)? / { name = $NF; sub(";", "", name); jump[n] = name; if ($0 !~ /@/) ends[n] = 1 }
/[ \t](ret|exit|trap);/ && !/@/ { ends[n] = 1 }
/[ \t]st(\.[a-z]+)*\.shared/ && !/async/ { what[n] = "write"; writes++ }
/ldmatrix/ && reads { what[n] = "write"; writes++ }
/cp\.async\.(ca|cg)\.shared/ { what[n] = "copy"; copies++ }
/cp\.async\.wait_(all|group 0)/ { what[n] = "land" }
/fence\.proxy\.async/ { what[n] = "fence"; fences++ }
/mbarrier\.arrive/ { what[n] = "arrive"; arrivals++ }
END { finish(); print writes + 0, copies + 0, fences + 0, arrivals + 0 >"counts"; exit bad }
EOF

program_of() {
    case $1 in gpu-*) gpu=${1#gpu-} ;; *) gpu=90a ;; esac
    test -s "$1.ptx" || "$NVCC" -std=c++17 -arch="compute_$gpu" -ptx -O3 -I"$top_srcdir/runtime/cuda" \
        -I"$top_srcdir/runtime/common" -I"$top_srcdir/runtime/include" -o "$1.ptx" "$top_srcdir/tests/lowering/$1.cu"
}

is_fenced() { program_of "$1" && awk -f paths.awk "$1.ptx" && awk '{ exit !($2 + $1 && $3 && $4) }' counts; }

# without PATTERN MESSAGE KERNEL: found, where these lines are taken away
without() {
    sed "/$1/d" "$3.ptx" >less.ptx
    if cmp -s less.ptx "$3.ptx" || awk -f paths.awk less.ptx >said; then
        echo "nothing is found without $1"
        return 1
    fi
    grep -q "$2" said || { cat said; return 1; }
}

reads_end() { program_of "$1" && awk -v reads=1 -f paths.awk "$1.ptx" && grep -q ldmatrix "$1.ptx"; }
# Without any fence more arrivals are found than those behind copies.
reads_found() {
    sed '/fence.proxy.async/d' "$1.ptx" >less.ptx
    awk -f paths.awk less.ptx >copies
    awk -v reads=1 -f paths.awk less.ptx >all
    test "$(wc -l <all)" -gt "$(wc -l <copies)" || { cat all; return 1; }
}

cd "$work" || exit 99
for kernel in $kernels; do
    ok "$kernel: copies by threads land and are fenced before their slot is handed on" is_fenced "$kernel"
    ok "$kernel: a fence left out is found" without 'fence.proxy.async' 'without a fence' "$kernel"
done
for kernel in $without_wgmma; do
    ok "$kernel: reads end before their slot is handed on" reads_end "$kernel"
    ok "$kernel: a fence left out is found" reads_found "$kernel"
done
ok 'a copy that is not waited for is found' without 'cp.async.wait_\(all\|group 0\)' 'before a copy has landed' gemm
done_testing
