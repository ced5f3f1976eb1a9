/* SPDX-License-Identifier: MIT */
/* scatter.cu - scatter.c as one writes it at once in CUDA C: a thread for each element, atomics to memory.  */

#define EACH(i, n)                                             \
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x; \
    if (i >= n)                                                 \
        return;

static unsigned blocks(long n)
{
    return (unsigned)((n + 255) / 256);
}

#define KERNEL(name, n, parameters, arguments, statement) \
    static __global__ void name##_kernel parameters       \
    {                                                     \
        EACH(i, n)                                        \
        statement;                                        \
    }                                                     \
    extern "C" void name##_cuda parameters                \
    {                                                     \
        name##_kernel<<<blocks(n), 256>>> arguments;      \
    }

KERNEL(histogram, n, (long n, const unsigned char *x, int *h), (n, x, h), atomicAdd(h + x[i], 1))
KERNEL(histogram_long, n, (long n, const unsigned char *x, unsigned long long *h), (n, x, h), atomicAdd(h + x[i], 1ull))
KERNEL(coordinates, n, (long n, long m, const int *r, const int *c, const float *v, const float *x, float *y),
       (n, m, r, c, v, x, y), atomicAdd(y + r[i], v[i] * x[c[i]]))
KERNEL(edges, n, (long n, long m, const int *from, const int *to, const double *w, const double *x, double *y),
       (n, m, from, to, w, x, y), const double flow = w[i] * (x[from[i]] - x[to[i]]);
       atomicAdd(y + from[i], -flow); atomicAdd(y + to[i], flow))
KERNEL(rows_stored, n *d, (long n, long d, const int *to, const float *x, float *y), (n, d, to, x, y),
       y[to[i / d] * d + i % d] = x[i])
KERNEL(rows_read, n *d, (long n, long d, const int *to, const float *x, float *y), (n, d, to, x, y),
       y[i] = x[to[i / d] * d + i % d])
KERNEL(rows_added, n *d, (long n, long d, const int *to, const float *x, float *y), (n, d, to, x, y),
       atomicAdd(y + to[i / d] * d + i % d, x[i]))
