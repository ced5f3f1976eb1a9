/* SPDX-License-Identifier: MIT */
/*
 * transpose.cuh - transposition of a tile of bytes, from one ring's slot to another's.
 *
 *   from: R x C, C along lines      to: C x R, R along lines, so that lines run along the tensor core's K
 *
 * ldmatrix transposes pairs of bytes, a byte permutation separates the pairs, and stmatrix writes each column as a
 * line.
 */
#ifndef WS_CUDA_TRANSPOSE_CUH
#define WS_CUDA_TRANSPOSE_CUH

#include "tensor.cuh"

namespace ws {

/* The row of 32 whose address a lane gives to ldmatrix.  After the transposition by pairs of bytes, two registers of
   two 8 x 8 matrices hold four bytes of each of two columns.  This order makes those four bytes consecutive.  */
template <typename T, typename M> struct transposed_order {
    static WS_DEVICE int row(int lane)
    {
        return lane / 16 * 16 + lane % 8 / 2 * 4 + lane / 8 % 2 * 2 + lane % 2;
    }
};
template <typename T> struct transposed_order<T, interleaved<T>> {
    static WS_DEVICE int row(int lane)
    {
        return lane;
    }
};

/* 32 rows and 16 columns of bytes, by one warp.  */
struct transposed_piece {
    u32 word[4];

    WS_DEVICE void load(u32 address)
    {
        ptx::ldmatrix_x4_trans(address, word[0], word[1], word[2], word[3]);
    }
    WS_DEVICE void store(u32 address, u32 first, u32 second) const
    {
        ptx::stmatrix_x4(address, __byte_perm(word[0], word[1], first), __byte_perm(word[0], word[1], second),
                         __byte_perm(word[2], word[3], first), __byte_perm(word[2], word[3], second));
    }
};

/* A lane has columns 2 n and 2 n + 1, n = lane / 4.  Lanes with n >= 4 give the second column first, so that the eight
   rows of a matrix lie in eight places of the swizzle.  The caller emits fences and barriers.  */
template <typename M, typename T, int R, int C>
static WS_DEVICE void transpose(shared_tile<M, C, R> &to, const shared_view<T, R, C, R> &from)
{
    static_assert(sizeof(T) == 1 && R % 32 == 0 && C % 16 == 0, "pieces of 32 x 16 bytes");
    const int lane = (int)ptx::lane(), row = transposed_order<T, M>::row(lane);
    const int second = (lane % 8 / 4) ^ (lane / 8 % 2);
    const u32 selector = lane < 16 ? 0x6420 : 0x7531;
    const shared_view<M, C, R, C> target = view(to);
#pragma unroll 1
    for (int col = (int)(threadIdx.x / 32 % 4) * 16; col < C; col += 64) {
        const u32 source = from.address(row, col), first = target.address(col + lane % 8 * 2 + second, lane / 16 * 16);
#pragma unroll
        for (int i = 0; i < R / 32; i++) {
            transposed_piece piece;
            piece.load(source + i * 32 * 128);
            piece.store((first ^ i % 4 * 32) + i / 4 * block_bytes(C), selector, selector ^ 0x1111);
        }
    }
}

} // namespace ws

#endif
