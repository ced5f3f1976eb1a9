/* SPDX-License-Identifier: MIT */
/*
 * machine.cu - measures what machines/hopper.machine says of a multiprocessor, and prints the lines with these figures.
 *
 *   nvcc -gencode arch=compute_90a,code=sm_90a -O2 machine.cu -o machine
 *   ./machine hopper.machine >measured.machine
 *
 * Rates are of one block, in elements a clock: with one group (ISSUE), and with four, which fill the unit.  Each
 * figure is the middle of 15 runs; behind it stand the lowest and the highest.
 */
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 64, LANES = 32, RUNS = 15, GROUP = 128, COPY = 16384, COPIES = 8 };

/* ---- operations of one element ----------------------------------------------------------------------------------- */

struct fma_op {
    static constexpr int elements = 1;
    static __device__ float run(float x, float, uint32_t)
    {
        float z;
        asm volatile("fma.rn.f32 %0, %1, %1, %1;" : "=f"(z) : "f"(x));
        return z;
    }
};
struct exp2_op {
    static constexpr int elements = 1;
    static __device__ float run(float x, float, uint32_t)
    {
        float y;
        asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
        return y;
    }
};
struct max_op {
    static constexpr int elements = 1;
    static __device__ float run(float x, float y, uint32_t)
    {
        return fmaxf(x, y);
    }
};
struct cast_op {
    static constexpr int elements = 2;
    static __device__ float run(float x, float y, uint32_t)
    {
        uint32_t packed;
        asm volatile("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(x), "f"(y));
        return __uint_as_float(packed);
    }
};
struct shared_op {
    static constexpr int elements = 1;
    static __device__ float run(float x, float, uint32_t address)
    {
        float y;
        asm volatile("st.shared.f32 [%1], %2; ld.shared.f32 %0, [%1];" : "=f"(y) : "r"(address), "f"(x) : "memory");
        return y;
    }
};

/* Independent operations of each thread, one round behind the other.  */
template <class op> static __global__ void elementwise(long long *clocks, float *out)
{
    __shared__ float memory[4 * GROUP];
    const uint32_t address = (uint32_t)__cvta_generic_to_shared(&memory[threadIdx.x]);
    float x[LANES];
    for (int i = 0; i < LANES; i++)
        x[i] = (float)(threadIdx.x + i) * 1e-3f;
    __syncthreads();
    const long long begin = clock64();
#pragma unroll 4
    for (int r = 0; r < ROUNDS; r++)
#pragma unroll
        for (int i = 0; i < LANES; i++)
            x[i] = op::run(x[i], x[(i + 1) % LANES], address);
    __syncthreads();
    const long long end = clock64();
    float sum = 0;
    for (int i = 0; i < LANES; i++)
        sum += x[i];
    out[threadIdx.x] = sum;
    if (threadIdx.x == 0)
        *clocks = end - begin;
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

static __device__ void product(float (&d)[64], uint64_t a, uint64_t b)
{
#define D4(i)  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define D16(i) D4(i), D4(i + 4), D4(i + 8), D4(i + 12)
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, "
                 "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, "
                 "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, "
                 "%53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
                 "}, %64, %65, 1, 1, 1, 0, 0;"
                 : D16(0), D16(16), D16(32), D16(48)
                 : "l"(a), "l"(b));
}

/* `count` products of 64 x 128 x 16 in a row, waited for together, `rounds` times.  */
static __global__ void products(long long *clocks, float *out, int count, int rounds)
{
    extern __shared__ __align__(1024) char memory[];
    for (int i = threadIdx.x; i < 32768 / 4; i += blockDim.x)
        ((float *)memory)[i] = 0;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    const uint64_t address = (uint32_t)__cvta_generic_to_shared(memory) >> 4;
    const uint64_t a = address | 1ull << 16 | 64ull << 32 | 1ull << 62, b = a + (16384 >> 4);
    float d[64] = {0};
    const long long begin = clock64();
    for (int r = 0; r < rounds; r++) {
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int i = 0; i < count; i++)
            product(d, a, b);
        asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
    }
    __syncthreads();
    const long long end = clock64();
    for (int i = 0; i < 64; i++)
        out[threadIdx.x] += d[i];
    if (threadIdx.x == 0)
        *clocks = end - begin;
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

/* `count` copies of 16 KB always under way, each block from memory of its own, `rounds` times.  */
static __global__ void copies(long long *clocks, const char *from, int count, int rounds)
{
    extern __shared__ __align__(1024) char memory[];
    __shared__ uint64_t barrier[COPIES];
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(memory), full = (uint32_t)__cvta_generic_to_shared(barrier);
    const char *own = from + (size_t)blockIdx.x * COPY * COPIES;
    if (threadIdx.x)
        return;
    for (int i = 0; i < count; i++)
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(full + 8 * i) : "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
    const long long begin = clock64();
    for (int r = 0; r <= rounds; r++)
        for (int i = 0; i < count; i++) {
            int done = r == 0;
            while (!done)
                asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
                             : "=r"(done)
                             : "r"(full + 8 * i), "r"((r - 1) & 1)
                             : "memory");
            if (r == rounds)
                continue;
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(full + 8 * i), "r"(COPY) : "memory");
            asm volatile(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                    at + i * COPY),
                "l"(own + i * COPY), "r"(COPY), "r"(full + 8 * i)
                : "memory");
        }
    if (blockIdx.x == 0)
        *clocks = clock64() - begin;
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

struct figure {
    double middle, low, high;
};
static long long *clocks;
static float *out;

static int rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

template <class launch> static figure measured(launch once)
{
    double all[RUNS];
    for (int i = -2; i < RUNS; i++) {
        once();
        if (cudaDeviceSynchronize() != cudaSuccess) {
            fprintf(stderr, "machine: %s\n", cudaGetErrorString(cudaGetLastError()));
            exit(1);
        }
        all[i < 0 ? 0 : i] = (double)*clocks;
    }
    qsort(all, RUNS, sizeof *all, rising);
    return {all[RUNS / 2], all[0], all[RUNS - 1]};
}

static figure rate(double work, figure c)
{
    return {work / c.middle, work / c.high, work / c.low};
}

template <class op> static figure elements(int groups)
{
    const figure c = measured([=] { elementwise<op><<<1, groups * GROUP>>>(clocks, out); });
    return rate((double)ROUNDS * LANES * op::elements * GROUP * groups, c);
}

static figure product_clocks(int groups, int count, int rounds)
{
    return measured([=] { products<<<1, groups * GROUP, 32768>>>(clocks, out, count, rounds); });
}

static figure minus(figure x, double y)
{
    return {x.middle - y, x.low - y, x.high - y};
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

struct row {
    const char *kind, *key; /* "use=ALU:", "latency=" */
    figure value;
};

/* A line of the kind with the measured values in place of its own, and what was measured in a comment.  */
static void print_line(char *line, const row *rows, int nrows)
{
    char kind[64] = "", note[512] = "";
    if (sscanf(line, "kind %63s", kind) != 1) {
        fputs(line, stdout);
        return;
    }
    line[strcspn(line, "#\n")] = '\0';
    for (int i = 0; i < nrows; i++) {
        char *at = strcmp(rows[i].kind, kind) ? NULL : strstr(line, rows[i].key), rest[512];
        if (!at)
            continue;
        at += strlen(rows[i].key);
        snprintf(rest, sizeof rest, "%s", at + strspn(at, "0123456789."));
        sprintf(at, "%.0f%s", rows[i].value.middle, rest);
        snprintf(note + strlen(note), sizeof note - strlen(note), " %s%.1f..%.1f", rows[i].key, rows[i].value.low,
                 rows[i].value.high);
    }
    printf("%s#%s %s\n", line, note, *note ? "[measured]" : "[guess]");
}

int main(int argc, char **argv)
{
    FILE *file = fopen(argc > 1 ? argv[1] : "hopper.machine", "r");
    char *memory, line[1024];
    cudaDeviceProp device;
    if (!file || cudaGetDeviceProperties(&device, 0) != cudaSuccess) {
        fprintf(stderr, "usage: machine hopper.machine >measured.machine, on a GPU\n");
        return 1;
    }
    cudaMallocManaged(&clocks, sizeof *clocks);
    cudaMalloc(&out, 4 * GROUP * sizeof *out);
    cudaMalloc(&memory, (size_t)device.multiProcessorCount * COPY * COPIES);
    cudaMemset(memory, 0, (size_t)device.multiProcessorCount * COPY * COPIES);
    cudaFuncSetAttribute(copies, cudaFuncAttributeMaxDynamicSharedMemorySize, COPY * COPIES);
    const int all = device.multiProcessorCount;
    const figure many = product_clocks(2, 256, 4), one = product_clocks(1, 1, 16);
    const double each = 64.0 * 128 * 16, alone = many.middle / (2 * 256 * 4);
    const figure load = measured([=] { copies<<<1, 32, COPY * COPIES>>>(clocks, memory, 1, 1); });
    const figure loads = measured([=] { copies<<<1, 32, COPY * COPIES>>>(clocks, memory, COPIES, 32); });
    const figure shared = measured([=] { copies<<<all, 32, COPY * COPIES>>>(clocks, memory, COPIES, 32); });
    const figure load_rate = rate(32.0 * COPY * COPIES, loads);
    const row rows[] = {
        {"mma_f16", "use=TC:", rate(each * 2 * 256 * 4, many)},
        {"mma_f16", "latency=", minus({one.middle / 16, one.low / 16, one.high / 16}, alone)},
        {"sfu", "use=SFU:", elements<exp2_op>(4)},
        {"sfu", "use=ISSUE:", elements<exp2_op>(1)},
        {"alu", "use=ALU:", elements<fma_op>(4)},
        {"alu", "use=ISSUE:", elements<fma_op>(1)},
        {"reduce", "use=ALU:", elements<max_op>(4)},
        {"reduce", "use=ISSUE:", elements<max_op>(1)},
        {"cast", "use=ALU:", elements<cast_op>(4)},
        {"cast", "use=ISSUE:", elements<cast_op>(1)},
        {"shared", "use=ALU:", elements<shared_op>(4)},
        {"shared", "use=ISSUE:", elements<shared_op>(1)},
        {"load", "use=TMA:", load_rate},
        {"load", "latency=", minus(load, COPY / load_rate.middle)},
    };
    printf("# Measured on an %s by bench/machine; what was not measured is as it was.\n", device.name);
    printf("# Copies by all multiprocessors at once: %.1f bytes a clock each.\n", 32.0 * COPY * COPIES / shared.middle);
    while (fgets(line, sizeof line, file))
        print_line(line, rows, sizeof rows / sizeof *rows);
    fclose(file);
    return 0;
}
