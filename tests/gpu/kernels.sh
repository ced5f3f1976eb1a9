#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The CUDA runtime: the hand-written kernels compile without spills and without serialized matrix products; on a GPU
# they agree with float64, and every operation with scalar code.

. "$(dirname "$0")/../tap.sh"
folder=$top_srcdir/tests/gpu
kernels='gemm gemm_pingpong attention softmax_rows'

cuda() {
    "$NVCC" -std=c++17 -gencode arch=compute_90a,code=sm_90a -O3 -I"$top_srcdir/runtime/cuda" \
        -I"$top_srcdir/runtime/include" "$@"
}

# The numbers are what ptxas says when it ignores setmaxnreg or serializes matrix products.
compiles_well() {
    cuda -Xptxas -v -Xcompiler -fno-exceptions,-fno-threadsafe-statics,-fno-rtti -c -o "$work/$1.o" \
        "$folder/handwritten/$1.cu" >"$work/$1.log" 2>&1 || { cat "$work/$1.log"; return 1; }
    ! grep -E 'C75(08|10|12|14|19)|[1-9][0-9]* bytes (stack frame|spill)' "$work/$1.log"
}

agrees() {
    for part in host error target; do
        $host_cc -O2 -I"$top_srcdir/runtime/include" -c -o "$work/$part.o" "$top_srcdir/runtime/host/$part.c" || return
    done
    cuda -o "$work/check" "$folder/handwritten/check.cu" "$work"/gemm.o "$work"/gemm_pingpong.o \
            "$work"/attention.o "$work"/softmax_rows.o "$work/host.o" "$work/error.o" "$work/target.o" &&
        "$work/check"
}

operations_agree() {
    cuda -o "$work/ops" "$folder/ops.cu" "$work/host.o" "$work/error.o" "$work/target.o" && "$work/ops"
}

if test -z "${NVCC-}"; then
    skip 'kernels' 'no nvcc'
    done_testing
fi
for kernel in $kernels; do
    ok "$kernel compiles without spills and serialization" compiles_well "$kernel"
done
if nvidia-smi -L >/dev/null 2>&1; then
    ok 'the kernels agree with float64' agrees
    ok 'every operation agrees with scalar code' operations_agree
else
    skip 'the kernels agree with float64' 'no GPU'
    skip 'every operation agrees with scalar code' 'no GPU'
fi
done_testing
