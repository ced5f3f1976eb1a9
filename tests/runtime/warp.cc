/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * warp.cc - products that are done at once (runtime/cuda/product.cuh, tf32_split.cuh), on the host: 128 threads are a
 * warp group.
 *
 * Each result is compared with long double, in every orientation; whatever is not finite with a loop of fma.  Padding
 * of shared memory is NaN.  Addresses have to lie inside, and reads of shared memory are counted by banks: where the
 * header says that there are no conflicts, there are none.
 */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include <cuda_runtime.h>
#include <pthread.h>

static thread_local uint3 threadIdx, blockIdx;
static uint3 gridDim;

static struct {
    unsigned char *bytes;
    size_t size;
    void *at(size_t address, size_t count)
    {
        if (address + count > size) {
            printf("# address %zu of %zu\n", address, size);
            abort();
        }
        return bytes + address;
    }
} memory;

struct warp {
    pthread_barrier_t barrier;
    double a64[16][16], b64[16][8];
    float a32[16][8], b32[8][8];
    unsigned address[32];
    int vote[32], conflicts;
    void meet()
    {
        pthread_barrier_wait(&barrier);
    }
};
static warp warps[4];
static warp &own_warp()
{
    return warps[threadIdx.x / 32];
}

/* ---- what CUDA has and C++ has not ------------------------------------------------------------------------------- */

struct one_read {
    unsigned address, size; /* 0: of an element */
};
typedef std::vector<one_read> reads_of_thread;
static thread_local reads_of_thread *reads;

static void *read_at(size_t address, unsigned size)
{
    reads->push_back({(unsigned)address, size});
    return memory.at(address, size);
}
static void *__cvta_shared_to_generic(size_t address)
{
    reads->push_back({(unsigned)address, 0});
    return memory.at(address, 4);
}
static size_t __cvta_generic_to_shared(const void *p)
{
    return (size_t)((const unsigned char *)p - memory.bytes);
}
static int __all_sync(unsigned, int yes)
{
    warp &w = own_warp();
    w.vote[threadIdx.x % 32] = yes;
    w.meet();
    int all = 1;
    for (int i = 0; i < 32; i++)
        all &= w.vote[i] != 0;
    w.meet();
    return all;
}
static unsigned __float_as_uint(float x)
{
    unsigned bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static float __uint_as_float(unsigned bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
template <typename T> static T min(T x, T y)
{
    return x < y ? x : y;
}
template <typename T> static T max(T x, T y)
{
    return x > y ? x : y;
}
/* Named in the headers, and not called here. */
#define NOT_HERE(type, name)                        \
    template <typename... X> static type name(X...) \
    {                                               \
        abort();                                    \
    }
NOT_HERE(int, __any_sync)
static void __syncwarp(unsigned = ~0u)
{
    own_warp().meet();
}
NOT_HERE(void, __syncthreads)
NOT_HERE(unsigned, __shfl_sync)
NOT_HERE(unsigned, __byte_perm)
NOT_HERE(float, __double2float_rz)
NOT_HERE(int, __double2int_rz)
NOT_HERE(float, __int2float_rz)
NOT_HERE(int, __float2int_rz)
NOT_HERE(double, __ll2double_rz)
NOT_HERE(long long, __double2ll_rz)
NOT_HERE(long long, __float2ll_rz)
NOT_HERE(double, __longlong_as_double)
NOT_HERE(long long, __double_as_longlong)
NOT_HERE(int, __float_as_int)
NOT_HERE(float, __fsqrt_rn)
NOT_HERE(double, rsqrt)
NOT_HERE(int, __vimax3_s32)
NOT_HERE(unsigned, __vimin3_u32)
NOT_HERE(void, instruction)

#include "product.cuh"
#include "tf32_split.cuh"

/* ---- one product ------------------------------------------------------------------------------------------------- */

enum numbers { plain, not_finite, of_all_sizes, small };
static std::mt19937 generator(1);
static int failures;

template <typename T, int R, int C> static void put(unsigned base, const std::vector<T> &x)
{
    const ws::shared_view<T, R, C, R> view{base, 0, 0};
    for (int r = 0; r < R; r++)
        for (int c = 0; c < C; c++)
            memcpy(memory.at(view.address(r, c), sizeof(T)), &x[(size_t)(r * C + c)], sizeof(T));
}

/* Accesses of a warp that name two words of one bank, 128 bytes' worth of lanes at a time. */
static long conflicts_of(const std::vector<reads_of_thread> &all, unsigned element)
{
    long conflicts = 0;
    for (size_t k = 0; k < all[0].size(); k++) {
        const unsigned size = all[0][k].size ? all[0][k].size : element, lanes = 128 / size;
        for (unsigned first = 0; first < 128; first += lanes) {
            unsigned word[32] = {};
            for (unsigned l = first; l < first + lanes; l++)
                for (unsigned at = all[l].at(k).address; at < all[l].at(k).address + size; at += 4) {
                    unsigned &one = word[at / 4 % 32];
                    conflicts += one && one != at;
                    one = at;
                }
        }
    }
    for (warp &w : warps)
        conflicts += w.conflicts;
    return conflicts;
}

template <typename T, int M, int N, int K, bool A_T, bool B_T, bool REST = false>
static void check(numbers kind, bool free_of_conflicts)
{
    constexpr int AR = A_T ? K : M, AC = A_T ? M : K, BR = B_T ? N : K, BC = B_T ? K : N;
    typedef ws::spread<M, N, ws::frag> S;
    std::uniform_real_distribution<double> draw(-1, 1);
    std::vector<T> a(M * K), b(K * N), c(M * N), got(M * N), turned_a(M * K), turned_b(K * N);
    for (auto x : {&a, &b, &c})
        for (T &one : *x)
            one = (T)draw(generator);
    if (kind == not_finite)
        a[3 * K + 1] = INFINITY, b[(K - 1) * N + 2] = NAN;
    if (kind == of_all_sizes)
        a[5 * K] = (T)1e-40, b[0] = (T)1e38, a[7 * K] = (T)3.4e38, b[3] = 2;
    if (REST && kind == of_all_sizes) /* a sum that is infinite on the way */
        a[28 * K + 1] = (T)0x1p30, a[28 * K + 2] = (T)-0x1p30, b[N + 4] = b[2 * N + 4] = (T)0x1p110;
    for (int k = 0; k < K && kind == small; k++)
        a[40 * K + k] *= (T)0x1p-100, b[k * N + 5] *= (T)0x1p-25, c[40 * N + 5] = 0;
    for (int k = 0; k < K; k++) {
        for (int i = 0; i < M; i++)
            turned_a[(size_t)(A_T ? k * M + i : i * K + k)] = a[(size_t)(i * K + k)];
        for (int j = 0; j < N; j++)
            turned_b[(size_t)(B_T ? j * K + k : k * N + j)] = b[(size_t)(k * N + j)];
    }
    const unsigned at_a = 1024, at_b = at_a + (sizeof(ws::shared_tile<T, AR, AC>) + 1023) / 1024 * 1024;
    const unsigned at_rest = at_b + (sizeof(ws::shared_tile<T, BR, BC>) + 1023) / 1024 * 1024;
    memory.size = at_rest + sizeof(ws::shared_tile<T, BR, BC>);
    memory.bytes = (unsigned char *)aligned_alloc(1024, (memory.size + 1023) / 1024 * 1024);
    memset(memory.bytes, 0xff, memory.size);
    put<T, AR, AC>(at_a, turned_a);
    put<T, BR, BC>(at_b, turned_b);
    if constexpr (REST) {
        for (float &x : turned_b)
            x = ws::one::tf32_residual()(x);
        put<T, BR, BC>(at_rest, turned_b);
    }

    std::vector<reads_of_thread> traces(128);
    std::vector<std::thread> threads;
    for (warp &w : warps)
        w.conflicts = 0;
    for (unsigned i = 0; i < 128; i++)
        threads.emplace_back([&, i] {
            threadIdx.x = i;
            reads = &traces[i];
            ws::tile<T, M, N, ws::frag> acc;
            const ws::shared_view<T, AR, AC, AR> x{at_a, 0, 0};
            const ws::shared_view<T, BR, BC, BR> y{at_b, 0, 0};
            auto element = [&](int r, int col) { return r < M && col < N ? c[(size_t)(r * N + col)] : T(0); };
            WS_FOR_CELLS(S, slot, j)
            acc.set(slot, j, element(S::row(slot), S::col(j)), element(S::row(slot), S::col(j) + 1));
            auto product = [&](auto left, auto right) {
                if constexpr (sizeof(T) == 8)
                    ws::dot(acc, left, right);
                else if constexpr (REST)
                    ws::dot_f32(acc, left, right, ws::trans(ws::shared_view<T, BR, BC, BR>{at_rest, 0, 0}));
                else
                    ws::dot_f32(acc, left, right);
            };
            if constexpr (A_T && B_T)
                product(ws::trans(x), ws::trans(y));
            else if constexpr (A_T)
                product(ws::trans(x), y);
            else if constexpr (B_T)
                product(x, ws::trans(y));
            else
                product(x, y);
            WS_FOR_CELLS(S, slot, j)
            {
                const auto p = acc.get(slot, j);
                const int r = S::row(slot), col = S::col(j);
                if (r < M && col < N)
                    got[(size_t)(r * N + col)] = p.low;
                if (r < M && col + 1 < N)
                    got[(size_t)(r * N + col + 1)] = p.high;
            }
        });
    for (auto &thread : threads)
        thread.join();

    const double unit = sizeof(T) == 8 ? 0x1p-53 : 0x1p-24;
    int wrong = 0;
    for (int i = 0; i < M * N; i++) {
        long double sum = c[i], magnitude = fabsl(sum);
        T loop = c[i];
        for (int k = 0; k < K; k++) {
            const T x = a[i / N * K + k], y = b[k * N + i % N];
            sum += (long double)x * y;
            magnitude += fabsl((long double)x * y);
            loop = std::fma(x, y, loop);
        }
        if (std::isfinite(loop))
            wrong += !(fabsl(got[i] - sum) <= (K + 32) * unit * magnitude);
        else
            wrong += !(std::isnan(loop) ? std::isnan(got[i]) : loop == got[i]);
    }
    const long conflicts = free_of_conflicts ? conflicts_of(traces, sizeof(T)) : 0;
    if (wrong || conflicts) {
        printf("# f%d %dx%dx%d, transposed %d %d, rest %d, numbers %d: %d wrong, %ld conflicts\n",
               (int)sizeof(T) * 8, M, N, K, A_T, B_T, REST, kind, wrong, conflicts);
        failures++;
    }
    free(memory.bytes);
}

/* A of floats across K has conflicts; it is read once for all columns. */
template <typename T, int M, int N, int K> static void check_all(numbers kind = plain, bool free_of_conflicts = false)
{
    check<T, M, N, K, false, false>(kind, free_of_conflicts);
    check<T, M, N, K, false, true>(kind, free_of_conflicts);
    check<T, M, N, K, true, false>(kind, free_of_conflicts && sizeof(T) == 8);
    check<T, M, N, K, true, true>(kind, free_of_conflicts && sizeof(T) == 8);
}

/* B along K, its rest prepared. */
template <int M, int N, int K> static void check_rest(numbers kind = plain)
{
    check<float, M, N, K, false, true, true>(kind, false);
    check<float, M, N, K, true, true, true>(kind, false);
}

int main()
{
    for (warp &w : warps)
        pthread_barrier_init(&w.barrier, nullptr, 32);
    check_all<double, 64, 64, 16>(plain, true);
    check_all<double, 128, 24, 32>(plain, true);
    check_all<double, 64, 8, 48>(plain, true);
    check_all<double, 64, 40, 4>();
    check_all<double, 64, 16, 12>();
    check_all<float, 64, 64, 32>(plain, true);
    check_all<float, 128, 32, 32>(plain, true);
    check_all<float, 128, 72, 16>();
    check_all<float, 32, 40, 24>();
    check_all<float, 24, 24, 5>();
    check_all<float, 192, 16, 40>();
    check_all<float, 8, 32, 16>();
    check_all<float, 64, 1, 16>();
    check_all<float, 1, 64, 16>();
    check_all<float, 64, 64, 32>(not_finite);
    check_all<float, 128, 32, 16>(not_finite);
    check_all<float, 64, 64, 32>(of_all_sizes);
    check_all<float, 128, 32, 16>(of_all_sizes);
    check_rest<64, 64, 32>();
    check_rest<128, 72, 40>();
    check_rest<64, 128, 64>();
    check_rest<64, 192, 16>();
    check_rest<64, 64, 8>();
    check_rest<128, 64, 32>(not_finite);
    check_rest<64, 192, 32>(not_finite);
    check_rest<64, 64, 32>(of_all_sizes);
    check_rest<128, 72, 24>(of_all_sizes);
    check_rest<64, 64, 32>(small);
    return failures != 0;
}
