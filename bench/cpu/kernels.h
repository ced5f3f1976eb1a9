/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What cpu.c times: each kernel as loops and in tile calls. */
#ifndef CPU_KERNELS_H
#define CPU_KERNELS_H

enum { CPU_COLS = 1024 }; /* of the kernels on whole rows */

/* KERNEL(name, rows, columns): the sizes that it is timed with. */
#define CPU_KERNELS                  \
    KERNEL(axpy, 512, 1024)          \
    KERNEL(gelu, 64, 1024)           \
    KERNEL(adamw, 512, 1024)         \
    KERNEL(relu_mask, 512, 1024)     \
    KERNEL(softmax, 64, CPU_COLS)    \
    KERNEL(layernorm, 256, CPU_COLS) \
    KERNEL(col_sum, 512, 1024)       \
    KERNEL(gemm, 256, 256)           \
    KERNEL(gemm_nt, 256, 256)        \
    KERNEL(gemv, 512, 1024)          \
    KERNEL(transpose, 512, 1024)     \
    KERNEL(stencil, 514, 1024)       \
    KERNEL(half, 512, 1024)

typedef void cpu_kernel(long M, long N, const float *x, const float *y, const float *z, float *out);

#define KERNEL(name, rows, cols) cpu_kernel plain_##name, tiles_##name;
CPU_KERNELS
#undef KERNEL

#endif
