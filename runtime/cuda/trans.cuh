/* SPDX-License-Identifier: MIT */
/*
 * trans.cuh - the transposition of a register tile through scratch memory (R * C elements).
 *
 * A barrier of the group precedes the writes.
 */
#ifndef WS_CUDA_TRANS_CUH
#define WS_CUDA_TRANS_CUH

#include "reduce.cuh"

namespace ws {

/* 16-bit tiles are written and read as matrices of 8 x 8, 128 contiguous bytes each, without bank conflicts.  F gets
   the first of each two by two matrices that this warp holds of an R x C tile.  It also gets the address of its lane's
   row. The matrices of a column (or BY_ROWS, of a row) are contiguous in memory.  */
template <int R, int C, bool BY_ROWS, typename F> static WS_DEVICE void each_four_matrices(u32 base, F f)
{
    const int warp_row = (int)(threadIdx.x / 32 % 4) * 16, lane = (int)ptx::lane(), below = lane / 8 % 2,
              right = lane / 16;
#pragma unroll
    for (int block = 0; block < (R + 63) / 64; block++)
        if (R % 64 == 0 || block * 64 + warp_row < R)
#pragma unroll
            for (int j = 0; j < C / 8; j += 2) {
                const int row = block * 8 + warp_row / 8 + below, col = j + right;
                f(2 * block, j,
                  base + (u32)((BY_ROWS ? row * (C / 8) + col : col * (R / 8) + row) * 8 + lane % 8) * 16);
            }
}

template <typename T, int R, int C, int BYTES>
static WS_DEVICE tile<T, C, R, frag> trans_by_matrices(const tile<T, R, C, frag> &x, scratch<BYTES> &s)
{
    typedef spread<R, C, frag> S;
    typedef spread<C, R, frag> Y;
    const u32 base = ptx::shared_address(s.bytes);
    tile<T, C, R, frag> y;
    group_barrier();
    each_four_matrices<R, C, false>(base, [&](int slot, int j, u32 to) {
        ptx::stmatrix_x4(to, x.cell.v[S::index(slot, j)], x.cell.v[S::index(slot + 1, j)],
                         x.cell.v[S::index(slot, j + 1)], x.cell.v[S::index(slot + 1, j + 1)]);
    });
    group_barrier();
    each_four_matrices<C, R, true>(base, [&](int slot, int j, u32 from) {
        ptx::ldmatrix_x4_trans(from, y.cell.v[Y::index(slot, j)], y.cell.v[Y::index(slot + 1, j)],
                               y.cell.v[Y::index(slot, j + 1)], y.cell.v[Y::index(slot + 1, j + 1)]);
    });
    return y;
}

/* Eight rows of a warp side by side, four lanes each.  A lane writes 16 bytes at a time, in an order without bank
   conflicts among writes or among the rows of a matrix.  ldmatrix transposes four matrices of one row of the result.
   Each lane of a quad takes 16 bytes of one of them.  */
template <int C> static WS_DEVICE u32 place_of_eight(int row, int eight)
{
    const int transposed = C % 64 == 0 ? row % 2 * 4 + row / 2 % 2 * 2 + row / 4 % 2 : row / 2 % 4;
    return (u32)(row * (C / 8) + (eight ^ transposed)) * 16;
}
template <typename T, int R, int C, int BYTES>
static WS_DEVICE tile<T, C, R, lines_8> trans_by_vectors(const tile<T, R, C, lines_8> &x, scratch<BYTES> &s)
{
    typedef spread<R, C, lines_8> S;
    typedef spread<C, R, lines_8> Y;
    static_assert(S::vector == 8 && Y::vector == 8 && S::whole_rows && Y::whole_rows, "whole matrices of 8 x 8");
    const u32 base = ptx::shared_address(s.bytes);
    const int lane = (int)ptx::lane();
    tile<T, C, R, lines_8> y;
    group_barrier();
    WS_FOR_SLOTS(S, slot)
    {
#pragma unroll
        for (int v = 0; v < S::vectors; v++) {
            const u32 *w = &x.cell.v[S::index(slot, v * 4)];
            ptx::store_shared_16(base + place_of_eight<C>(S::row(slot), v * 4 + lane % 4),
                                 uint4{w[0], w[1], w[2], w[3]});
        }
    }
    group_barrier();
    WS_FOR_SLOTS(Y, slot)
    {
#pragma unroll
        for (int v = 0; v < Y::vectors; v++) {
            u32 w[4];
            ptx::ldmatrix_x4_trans(base + place_of_eight<C>(v * 32 + lane, slot * 4 + (int)(threadIdx.x / 32 % 4)),
                                   w[0], w[1], w[2], w[3]);
            turn_over(w);
#pragma unroll
            for (int i = 0; i < 4; i++)
                y.cell.v[Y::index(slot, v * 4 + i)] = w[i];
        }
    }
    return y;
}

/* Elements pass through scratch in their stored type, masks as bytes.  */
template <typename T, int R, int C, layout L, int BYTES>
static WS_DEVICE tile<T, C, R, L> trans(const tile<T, R, C, L> &x, scratch<BYTES> &s)
{
    typedef spread<R, C, L> S;
    typedef spread<C, R, L> Y;
    static_assert(BYTES >= R * C * (int)sizeof(T), "scratch of a transposition: R * C elements");
    if constexpr (sizeof(T) == 2 && L == frag && R % 16 == 0 && C % 16 == 0) {
        return trans_by_matrices(x, s);
    } else if constexpr (sizeof(T) == 2 && L == lines_8 && R % 32 == 0 && C % 32 == 0) {
        return trans_by_vectors(x, s);
    } else {
        const skewed<T, R, C> all{reinterpret_cast<T *>(s.bytes)};
        tile<T, C, R, L> y;
        group_barrier();
        WS_FOR_CELLS(S, slot, j)
        {
            int r = S::row(slot), c = S::col(j);
            pair<math_of<T>> p = x.get(slot, j);
            if (has_row<S, R>(slot) && has_col<S, C>(j, 0))
                all.at(r, c) = number<T>::narrow(p.low);
            if (C > 1 && has_row<S, R>(slot) && has_col<S, C>(j, 1))
                all.at(r, c + 1) = number<T>::narrow(p.high);
        }
        group_barrier();
        WS_FOR_CELLS(Y, slot, j)
        {
            int r = has_row<Y, C>(slot) ? Y::row(slot) : 0, c = has_col<Y, R>(j, 0) ? Y::col(j) : 0;
            int d = R > 1 && has_col<Y, R>(j, 1) ? c + 1 : c;
            y.set(slot, j, widen(all.at(c, r)), widen(all.at(d, r)));
        }
        return y;
    }
}

} // namespace ws

#endif
