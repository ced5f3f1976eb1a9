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

int main()
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(divides), cmocka_unit_test(walks_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
