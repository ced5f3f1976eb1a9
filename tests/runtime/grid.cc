/* SPDX-License-Identifier: GPL-3.0-or-later */
/* grid.cc - the GPU's walk over a tile space, whose divisions are multiplications, against plain arithmetic.  */
#define WS_CUDA_PTX_CUH /* what grid.cuh takes from ptx.cuh */
#define WS_DEVICE
typedef unsigned int u32;
typedef unsigned long long u64;
static struct {
    int x;
} blockIdx, gridDim;
namespace ws {
namespace ptx {
static void touch(u32)
{
}
static void grid_dependency_wait()
{
}
static void grid_dependents_launch()
{
}
} // namespace ptx
} // namespace ws

#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#include "../../runtime/common/steps.h"
#include "../../runtime/common/views.h"
#include "../../runtime/cuda/grid.cuh"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

extern "C" {
#include <cmocka.h>
}

static int random_below(int n)
{
    return (int)((((long)rand() << 16) ^ rand()) % n);
}

static void divides(void **)
{
    static const int numbers[] = {1, 2, 3, 0x3ffffffe, 0x3fffffff, 0x40000000, 0x7ffffffe, 0x7fffffff};
    ws::divisor by;
    for (int number : numbers) {
        by.set(number);
        for (int x : numbers)
            for (long near = x < 3 ? 0 : x - 2; near <= x; near++)
                assert_int_equal(by.quotient((int)near), near / number);
    }
    for (int i = 0; i < 1000000; i++) {
        int number = 1 + random_below(1 << random_below(31)), x = random_below(0x7fffffff);
        by.set(number);
        assert_int_equal(by.quotient(x), x / number);
    }
}

/* Where tile `index` lies, by the definition of the order.  */
template <int N> static void locate(const ws::grid<N> &g, int group, int index, long (&position)[N])
{
    const int rows = N > 1 ? g.count[N > 1 ? N - 2 : 0] : 1, cols = g.count[N - 1];
    int outer = index / (rows * cols), rest = index % (rows * cols);
    for (int d = N - 3; d >= 0; d--) {
        position[d] = outer % g.count[d];
        outer /= g.count[d];
    }
    int first = rest / (group * cols) * group, height = rows - first < group ? rows - first : group;
    rest %= group * cols;
    position[N - 1] = rest / height;
    if (N > 1)
        position[N > 1 ? N - 2 : 0] = first + rest % height;
}

template <int N> static void walks(int group)
{
    ws::grid<N> g;
    g.total = 1;
    g.group = N > 1 ? group : 1;
    for (int d = 0; d < N; d++) {
        g.low[d] = 0;
        g.step[d] = 1;
        g.count[d] = 1 + random_below(12);
        g.total *= g.count[d];
    }
    g.set_divisors();
    gridDim.x = 1 + random_below(5);
    for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++)
        for (ws::tiles<N> t(g); t.more(); t.next()) {
            long want[N];
            locate(g, g.group, t.index, want);
            for (int d = 0; d < N; d++)
                assert_int_equal(t.at(d), want[d]);
        }
}

static void walks_all(void **)
{
    for (int i = 0; i < 2000; i++) {
        walks<1>(1 + random_below(15));
        walks<2>(1 + random_below(15));
        walks<3>(1 + random_below(15));
        walks<4>(1 + random_below(15));
    }
}

/* ---- what a launcher computes ------------------------------------------------------------------------------------ */

static void counts_steps(void **)
{
    assert_int_equal(ws_steps(-30, 20, 64, INT_MAX), 1);
    assert_int_equal(ws_steps(-300, -20, 64, INT_MAX), 5);
    assert_int_equal(ws_steps(-4, -20, 64, INT_MAX), 0);
    assert_int_equal(ws_steps(LONG_MIN, LONG_MIN + 3, 1024, LONG_MAX), 1);
    assert_int_equal(ws_steps(LONG_MIN, LONG_MAX, 1, LONG_MAX), LONG_MAX);
    assert_int_equal(ws_steps(INT_MAX - 100, INT_MAX, 64, INT_MAX), WS_STEPS_WRAP);
    assert_int_equal(ws_steps(INT_MAX - 128, INT_MAX - 64, 64, INT_MAX), 1);
    assert_int_equal(ws_steps(UINT_MAX - 100, UINT_MAX, 64, UINT_MAX), WS_STEPS_WRAP);
    assert_int_equal(ws_steps(LONG_MAX - 3, LONG_MAX, 2, LONG_MAX), WS_STEPS_WRAP);
    assert_int_equal(ws_steps(-3, 4, 0, LONG_MAX), WS_STEPS_ENDLESS);
}

enum { PLACES = 512, MIDDLE = 256 };

/* How often each place is an element, where all lie inside; false: not all do.  */
static bool places_of(const ws_view &v, const char *start, int *times)
{
    long at[WS_VIEW_RANK] = {};
    for (int i = 0; i < PLACES; i++)
        times[i] = 0;
    for (bool more = !ws_view_is_empty(&v); more;) {
        long place = (v.base - start) / v.size;
        int d = 0;
        for (int k = 0; k < v.rank; k++)
            place += at[k] * v.stride[k];
        if (place < 0 || place >= PLACES)
            return false;
        times[place]++;
        for (d = 0; d < v.rank && ++at[d] == v.extent[d]; d++)
            at[d] = 0;
        more = d < v.rank;
    }
    return true;
}

static ws_view random_view(const char *start)
{
    static const long steps[] = {1, 2, 3, 5, 12, 60, -1, -12};
    long extent[WS_VIEW_RANK], stride[WS_VIEW_RANK];
    const int rank = 1 + random_below(3);
    for (int d = 0; d < rank; d++) {
        extent[d] = random_below(6);
        stride[d] = d + 1 == rank && random_below(2) ? 1 : steps[random_below(8)];
    }
    return ws_view_of(start + 4 * (MIDDLE / 2 + random_below(MIDDLE)), 4, rank, extent, stride);
}

/* An overlap is always found.  What is said to overlap does, where strides nest.  */
static void compares_views(void **)
{
    static const char memory[4 * PLACES] = {};
    static int once[PLACES], other[PLACES];
    long stride, inside, compared = 0, apart = 0;
    for (int n = 0; n < 20000; n++) {
        const ws_view x = random_view(memory), y = random_view(memory);
        if (!places_of(x, memory, once) || !places_of(y, memory, other))
            continue;
        bool meet = false, itself = false, folds = ws_view_overlaps_itself(&x, &stride, &inside);
        for (int i = 0; i < PLACES; i++) {
            meet = meet || (once[i] && other[i]);
            itself = itself || once[i] > 1;
        }
        assert_true(folds || !itself);
        assert_true(ws_views_overlap(&x, &y) || !meet);
        ws_view_dims dims = {};
        ws_view_dims_add(&dims, &x, 0);
        ws_view_dims_add(&dims, &y, 1);
        if (!dims.twice && ws_view_dims_fold(&dims, 0, &inside) < 0 && ws_view_dims_fold(&dims, 1, &inside) < 0) {
            assert_int_equal(ws_views_overlap(&x, &y), meet);
            compared++;
            apart += !meet;
        }
    }
    assert_true(compared > 1000 && apart > 100 && apart < compared - 100);
}

/* The ends of a tensor, in numbers wide enough; false: it reaches where no memory can be.  */
static bool ends_of(const char *base, int size, int rank, const long *extent, const long *stride, long *first,
                    long *last)
{
    __int128 low = 0, high = 0;
    *first = 0;
    *last = -1;
    for (int i = 0; i < rank; i++)
        if (extent[i] <= 0)
            return true;
    for (int i = 0; i < rank; i++) {
        const __int128 way = (__int128)(extent[i] - 1) * stride[i];
        if (way > (__int128)WS_MOST_BYTES << 40 || way < -((__int128)WS_MOST_BYTES << 40))
            return false;
        (stride[i] < 0 ? low : high) += way;
    }
    if ((high - low + 1) * size > WS_MOST_BYTES || (base && low < 0 && (__int128)(uintptr_t)base + low * size < 0) ||
        (base && ((__int128)(uintptr_t)base + (high + 1) * size) >> 64))
        return false;
    *first = (long)low;
    *last = (long)high;
    return true;
}

static void knows_the_ends(void **)
{
    static const long numbers[] = {0,       1,       2,        3,           7,           100,          -1,
                                   -2,      -100,    INT_MAX,  INT_MIN,     1L << 20,    1L << 40,     -(1L << 40),
                                   1L << 5, 1L << 6, 1L << 57, -(1L << 56), LONG_MAX,    LONG_MIN,     LONG_MAX / 2,
                                   1L << 8, 1L << 9, 1L << 62, -(1L << 62), 1 - INT_MAX, LONG_MAX / 4, LONG_MIN + 1};
    static const char memory[8] = {};
    const int count = sizeof numbers / sizeof *numbers;
    int beyond = 0, empty = 0, ways = 0;
    for (int n = 0; n < 200000; n++) {
        long extent[WS_VIEW_RANK], stride[WS_VIEW_RANK], first, last;
        const int rank = 1 + random_below(WS_VIEW_RANK), size = 1 << random_below(4);
        const char *base = random_below(3) ? memory : nullptr;
        for (int d = 0; d < rank; d++) {
            extent[d] = numbers[random_below(random_below(2) ? 6 : count)];
            stride[d] = numbers[random_below(count)];
        }
        const ws_span span = ws_span_of(base, size, rank, extent, stride);
        const bool there = ends_of(base, size, rank, extent, stride, &first, &last);
        assert_int_equal(span.beyond < 0, there);
        const ws_view view = ws_view_of(base, size, rank, extent, stride);
        if (!there) {
            assert_true(extent[span.beyond] > 1 && stride[span.beyond]);
            beyond++;
            continue;
        }
        assert_int_equal(span.first, first);
        assert_int_equal(span.last, last);
        assert_int_equal((uintptr_t)view.base, (uintptr_t)base + (uintptr_t)(first * size));
        assert_int_equal((uintptr_t)ws_view_end(&view), (uintptr_t)base + (uintptr_t)((last + 1) * size));
        empty += last < first;
        ways += first < 0 && last > 0;
    }
    assert_true(beyond > 1000 && empty > 1000 && ways > 1000);
}

int main()
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(divides), cmocka_unit_test(counts_steps),
                                       cmocka_unit_test(compares_views), cmocka_unit_test(knows_the_ends),
                                       cmocka_unit_test(walks_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
