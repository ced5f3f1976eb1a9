/* SPDX-License-Identifier: MIT */
/* kernels.h - the kernels of kernels.c, as their callers see them. */
#ifndef BENCH_KERNELS_H
#define BENCH_KERNELS_H

#ifdef __cplusplus
extern "C" {
#endif

void product_rows(int M, int N, int K, const void *A, const void *B, void *C);
void product_tiles(int M, int N, int K, const void *A, const void *B, void *C);
void attend(int heads, int L, float scale, const void *Q, const void *K, const void *V, void *O);
void softmax(int M, int N, const void *X, void *Y); /* N at most 1024 */

#ifdef __cplusplus
}
#endif
#endif
