#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Products that are done at once, by a warp group of the host's threads: warp.cc includes runtime/cuda with other
# instructions.

. "$(dirname "$0")/../tap.sh"
cuda=$(dirname "$(dirname "$(command -v "${NVCC:-nvcc}" || echo /none/bin/nvcc)")")/include
if ! test -f "$cuda/cuda_runtime.h" || ! command -v perl >/dev/null; then
    skip 'products on the host' 'no headers of CUDA, or no perl'
    done_testing
fi

# Instructions become calls of what is not here; those of warp.h and unit.h take the place of those in ptx*.cuh and
# wgmma_shapes.cuh.
without_instructions() {
    mkdir "$work/cuda" && cp -r "$top_srcdir/runtime/common" "$work" || return
    cp "$top_srcdir"/runtime/cuda/*.cuh "$work/cuda" || return
    perl -pi -e 's/\basm volatile\("(wgmma\.(fence|commit|wait)[^"]*)?" *:.*\);/;/' "$work"/cuda/ptx.cuh \
        "$work"/cuda/wgmma.cuh
    perl -0pi -e 's/\basm( volatile)?\((?:[^"();]|"(?:[^"\\]|\\.)*"|\((?:[^()]|\([^()]*\))*\))*\);/instruction();/g' \
        "$work"/cuda/ptx*.cuh "$work"/cuda/aref.cuh "$work"/cuda/tensor.cuh "$work"/cuda/elementwise.cuh
    sed -i 's/"wgmma_shapes.cuh"/"unit.h"/' "$work/cuda/wgmma.cuh"
    perl -0pi -e 's/static WS_DEVICE (void|double2?) (mma_f64_k16|mma_f64_k4|mma_tf32|ldmatrix_x4|ldmatrix_x2|load_shared_f64(x2)?)\([^{]*\{.*?\n\}\n//sg;
        s/(static WS_DEVICE void ldmatrix_x4_trans)/#include "warp.h"\n$1/' "$work/cuda/ptx.cuh"
    ! grep -q 'asm' "$work"/cuda/ptx*.cuh
}
builds() {
    ${CXX:-g++} -std=c++17 -O1 -w -fpermissive -include "$top_srcdir/runtime/common/gpus/sm_90a.h" \
        -I"$work/cuda" -I"$top_srcdir/tests/runtime" -I"$cuda" -o "$work/warp" \
        "$top_srcdir/tests/runtime/warp.cc" -lpthread
}

ok 'the instructions of a warp are replaced' without_instructions
ok 'the products compile for the host' builds
ok 'they agree with long double, without conflicts of banks' "$work/warp"
done_testing
