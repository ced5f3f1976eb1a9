/* SPDX-License-Identifier: MIT */
/*
 * window.cuh - loads of a loop that lie some rows further in each iteration: a thread keeps rows in registers.
 *
 *      row_window<f16, 32, 64, strips, 3> x;                       before the unrolled loop over taps
 *      x.take(tap % 3 == 0, tap % 3, 0, t, b, h + tap / 3, v + tap % 3, c)
 *
 * The first of three takes loads a line of the image, including two rows below the tile.  All three take their tile
 * from these rows.  A thread has consecutive rows (strips), so one tap's rows are rows of the next taps, too.
 */
#ifndef WS_WINDOW_CUH
#define WS_WINDOW_CUH

#include "memory.cuh"

namespace ws {

/* SPAN: one more than the rows between the first tile and the last.  */
template <typename T, int R, int C, layout L, int SPAN> struct row_window {
    typedef spread<R, C, L> S;
    static constexpr int rows = S::slots + SPAN - 1, run = runs<S>::pairs;
    typedef vector<T, run> piece;
    static_assert(S::whole_rows && S::whole_cols, "no thread has a row or column beyond the tile");
    piece held[rows][S::pairs / run];

    /* The first tile's position is `above` rows above this one.  */
    template <typename X, typename... I> WS_DEVICE void load(int above, double fill, const X &t, I... at)
    {
        plane<T> p = plane_at(known(t), at...);
        p.row -= above;
        const T outside = outside_of<T>(fill);
        const int first = S::row(0);
        if (p.aligned(piece::piece) & p.template runs_whole<2 * run, C>()) {
#pragma unroll
            for (int j = 0; j < S::pairs; j += run) {
                const T *from = p.at(first, S::col(j));
                const bool inside = p.col_inside(S::col(j));
#pragma unroll
                for (int r = 0; r < rows; r++, from += p.stride) {
                    held[r][j / run].fill(outside);
                    held[r][j / run].load_if(p.row_inside(first + r) && inside, from);
                }
            }
        } else {
#pragma unroll
            for (int r = 0; r < rows; r++)
#pragma unroll
                for (int j = 0; j < S::pairs; j += run) {
                    held[r][j / run].fill(outside);
#pragma unroll
                    for (int e = 0; e < 2 * run; e++)
                        if (p.row_inside(first + r) && p.col_inside(S::col(j) + e))
                            held[r][j / run].v[e] = *p.at(first + r, S::col(j) + e);
                }
        }
    }
    /* The tile at this position, `below` rows below the last first tile.  */
    template <typename X, typename... I>
    WS_DEVICE tile<T, R, C, L> take(bool is_first, int below, double fill, const X &t, I... at)
    {
        if (is_first)
            load(below, fill, t, at...);
        tile<T, R, C, L> y;
        WS_FOR_RUNS(S, slot, j, run) set_run<run>(y, slot, j, held[slot + below][j / run]);
        return y;
    }
};

} // namespace ws

#endif
