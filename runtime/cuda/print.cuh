/* SPDX-License-Identifier: MIT */
/*
 * print.cuh - the elements of a tile as text.
 */
#ifndef WS_CUDA_PRINT_CUH
#define WS_CUDA_PRINT_CUH

#include <stdio.h>
#include <ws/backend.h>

#include "memory.cuh"

namespace ws {

template <typename T> struct type_name;
#define WS_TYPE_NAME(T, text)              \
    template <> struct type_name<T> {      \
        static WS_DEVICE const char *get() \
        {                                  \
            return text;                   \
        }                                  \
    };
WS_TYPE_NAME(float, "f32")
WS_TYPE_NAME(double, "f64")
WS_TYPE_NAME(f16, "f16")
WS_TYPE_NAME(bf16, "bf16")
WS_TYPE_NAME(e4m3, "e4m3")
WS_TYPE_NAME(e5m2, "e5m2")
WS_TYPE_NAME(signed char, "i8")
WS_TYPE_NAME(int, "i32")
WS_TYPE_NAME(long, "i64")
WS_TYPE_NAME(unsigned char, "u8")
WS_TYPE_NAME(short, "i16")
WS_TYPE_NAME(bool, "mask")
#undef WS_TYPE_NAME

static WS_DEVICE void print_number(double x, bool wide)
{
    if (x != x)
        printf(" nan");
    else if (wide)
        printf(" %.17g", x);
    else
        printf(" %.9g", x);
}

static WS_DEVICE void print_number(long x, bool)
{
    printf(" %ld", x);
}

static __device__ int printing; /* a group is printing */

static WS_DEVICE void print_begin()
{
    while (atomicCAS(&printing, 0, 1))
        ;
}

static WS_DEVICE void print_end()
{
    __threadfence();
    atomicExch(&printing, 0);
}

/* `format` has a %ld for each number of `at`.  */
template <typename T, typename... I>
static WS_DEVICE void print_head(const char *format, int rows, int columns, I... at)
{
    if constexpr (sizeof...(I) > 0)
        printf(format, (long)at...);
    else
        printf("%s", format);
    printf(": %s (%d,%d)\n", type_name<T>::get(), rows, columns);
}

/* Prints the elements in order; the thread that holds an element prints it.  */
template <typename T, int R, int C, layout L> static WS_DEVICE void print_elements(const tile<T, R, C, L> &x)
{
    typedef spread<R, C, L> S;
#pragma unroll 1
    for (int r = 0; r < R; r++) {
#pragma unroll 1
        for (int c = 0; c < C; c++) {
            if (warp_of_group<L>() == S::warp_of(r, c)) {
                if ((int)ptx::lane() == S::lane_of(r, c)) {
                    pair<math_of<T>> p = x.get(S::slot_of(r), S::pair_of(c));
                    printf(c ? "" : " ");
                    if constexpr (same_type<T, long>)
                        print_number(c % 2 ? p.high : p.low, true);
                    else
                        print_number((double)(c % 2 ? p.high : p.low), sizeof(T) == 8);
                    printf(c + 1 < C ? "" : "\n");
                }
                __syncwarp();
            }
            if (is_wide<L>)
                meet_group<L>();
        }
        meet_group<L>();
    }
}

/* One group of the grid prints at a time.  */
template <typename T, int R, int C, layout L, typename... I>
static WS_DEVICE void print(const char *format, const tile<T, R, C, L> &x, I... at)
{
    meet_group<L>();
    if (threadIdx.x % group_threads<L> == 0) {
        print_begin();
        print_head<T>(format, R, C, at...);
    }
    meet_group<L>();
    print_elements(x);
    if (threadIdx.x % group_threads<L> == 0)
        print_end();
}

/* One role of the grid prints at a time; its groups print their rows in order.  All groups have arrived before, so that
   none waits for pending work of the others.  */
template <int N, int FIRST, typename T, int R, int C, layout L, typename... I>
static WS_DEVICE void print_rows(role_barrier<N, FIRST> &groups, int group, const char *format,
                                 const tile<T, R, C, L> &x, I... at)
{
    const bool first = threadIdx.x % group_threads<L> == 0;
    if (group == 0 && first) {
        print_begin();
        print_head<T>(format, R * N, C, at...);
    }
#pragma unroll 1
    for (int turn = 0; turn < N; turn++) {
        groups.all();
        if (turn == group)
            print_elements(x);
    }
    if (group == N - 1 && first)
        print_end();
}

/* ---- lines of numbers -------------------------------------------------------------------------------------------- */

/* Number of a launch among the concurrent ones of a file.  */
struct prints {
    int number;
};

enum { MOST_PRINTING = 64 };
struct printed {
    u32 lines, ended;
};
static __device__ printed lines_of[MOST_PRINTING];

/* The last of the ending groups prints the count.  */
static WS_DEVICE void end_prints(const prints &p, const char *kernel)
{
    const u32 groups = gridDim.x * gridDim.y * gridDim.z * ((blockDim.x + 127) / 128);
    printed &of = lines_of[p.number];
    if (threadIdx.x % 128)
        return;
    __threadfence();
    if (atomicAdd(&of.ended, 1) + 1 < groups)
        return;
    const u32 lines = atomicExch(&of.lines, 0);
    atomicExch(&of.ended, 0);
    if (lines > WS_MOST_LINES)
        printf("%s: %u more lines\n", kernel, lines - WS_MOST_LINES);
}

template <typename T> static WS_DEVICE long line_number(T x)
{
    return (long)x;
}

/* The sign of NaN has no meaning.  */
static WS_DEVICE double line_number(double x)
{
    return x != x ? __longlong_as_double(0x7ff8000000000000) : x;
}

static WS_DEVICE double line_number(float x)
{
    return line_number((double)x);
}

template <typename T, int R, int C, layout L>
static WS_DEVICE math_of<T> element_at(const tile<T, R, C, L> &x, int row, int column)
{
    typedef spread<R, C, L> S;
    pair<math_of<T>> both = x.get(S::slot_of(row), S::pair_of(column));
    return column % 2 ? both.high : both.low;
}

template <typename V, typename... I>
static WS_DEVICE void print_line(const prints &p, const char *format, V value, I... at)
{
    if (atomicAdd(&lines_of[p.number].lines, 1) < WS_MOST_LINES)
        printf(format, line_number(at)..., line_number(value));
}

/* `format` has a conversion for each number of `at`, and one for the value.  */
template <layout L, typename V, typename... I>
static WS_DEVICE void print_each(const prints &p, const char *format, bool holds, V value, I... at)
{
    if (holds && threadIdx.x % group_threads<L> == 0)
        print_line(p, format, value, at...);
}

template <layout L, typename T, int R, int C, layout M, typename... I>
static WS_DEVICE void print_each(const prints &p, const char *format, const tile<bool, R, C, M> &holds,
                                 const tile<T, R, C, M> &value, const I &...at)
{
    typedef spread<R, C, M> S;
#pragma unroll 1
    for (int r = 0; r < R; r++)
#pragma unroll 1
        for (int c = 0; c < C; c++)
            if (warp_of_group<M>() == S::warp_of(r, c) && (int)ptx::lane() == S::lane_of(r, c) &&
                element_at(holds, r, c))
                print_line(p, format, element_at(value, r, c), element_at(at, r, c)...);
    __syncwarp();
}

} // namespace ws

#endif
