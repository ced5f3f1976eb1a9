/* SPDX-License-Identifier: MIT */
/*
 * plain_bits.c - variables of an iteration read and written as another type: through cast pointers, unions and memcpy,
 * whole, by halves and by bytes; elements of arrays likewise.
 */
#include <stdio.h>
#include <string.h>

enum { N = 37 };

static float inverse_root(float number)
{
    float y = number;
    int i = *(int *)&y;
    i = 0x5f3759df - (i >> 1);
    y = *(float *)&i;
    return y * (1.5f - number * 0.5f * y * y);
}

static unsigned bits(float f)
{
    union {
        float f;
        unsigned u;
    } v;
    v.f = f;
    return v.u;
}

static void read_whole(int n, float *y, unsigned *z, const float *x)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        float t = x[i] + 1;
        int b = *(int *)&t;
        y[i] = inverse_root(x[i] * x[i] + 1) + (b > 0 ? t : 0);
        z[i] = bits(x[i]) >> 23 & 255;
    }
}

static void read_parts(int n, int *y, const float *x, const int *k)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        float v = x[i] * 2;
        int w = k[i] + 1;
        const unsigned char *p = (const unsigned char *)&w;
        const signed char *q = (const signed char *)&w;
        const short *h = (const short *)&w;
        y[i] = ((unsigned char *)&v)[3] + 7 * p[0] + 256 * p[1] - 3 * q[2] + h[1] * 5;
    }
}

static void write_parts(int n, int *y, float *z, const int *k, const float *x)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        int v;
        unsigned char *p = (unsigned char *)&v;
        for (int r = 0; r < 2; r++)
            v = k[i] + r;
        p[0] = (unsigned char)k[n - 1 - i];
        p[3] = 5;
        if (k[i] & 4)
            p[1] ^= 0x5a;
        y[i] = v;
        float f = x[i];
        ((unsigned short *)&f)[0] = 0;
        *(unsigned *)&f ^= 0x80000000u;
        z[i] = f;
    }
}

/* All bytes of it one by one, which no iteration has from the one before.  */
static void write_all(int n, int *y, const int *k)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        int v;
        ((unsigned char *)&v)[0] = (unsigned char)(k[i] >> 24);
        ((unsigned char *)&v)[1] = (unsigned char)(k[i] >> 16);
        ((unsigned char *)&v)[2] = (unsigned char)(k[i] >> 8);
        ((unsigned char *)&v)[3] = (unsigned char)k[i];
        y[i] = v;
    }
}

static void wide(int n, long *y, double *z, const double *x, const long *k)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        double v = x[i] + 1;
        long b = *(long *)&v;
        union {
            double d;
            long l;
            unsigned u[2];
        } m;
        m.l = k[i] * 3;
        m.u[1] = ((unsigned *)&v)[1];
        y[i] = (b >> 52) + m.u[0];
        z[i] = m.d;
    }
}

static void copies(int n, unsigned *y, float *z, const float *x, const unsigned *k)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        unsigned b, c = k[i] << 3;
        float t;
        memcpy(&b, &x[i], sizeof b);
        memcpy(&t, &c, 4);
        y[i] = b >> 23 & 255;
        z[i] = t == t ? t * 2 : 0;
    }
}

/* In a loop that carries it.  */
static void carried(int n, unsigned *y, const float *x)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        unsigned h = 2166136261u;
        for (int k = 0; k < 4; k++) {
            float f = x[i] + (float)k;
            const unsigned char *p = (const unsigned char *)&f;
            h = (h ^ p[0]) * 16777619u;
            h = (h ^ p[1]) * 16777619u;
            h = (h ^ p[2]) * 16777619u;
            h = (h ^ p[3]) * 16777619u;
        }
        y[i] = h;
    }
}

static void elements(int n, int *y, const int *k, const float *x)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        y[i] = ((const unsigned char *)&k[i])[1] + ((const unsigned *)x)[i] % 1000;
    }
}

/* The same for all iterations.  */
static void before(int n, int *y, float scale, const int *k)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        float s = scale;
        y[i] = k[i] + *(int *)&s;
    }
}

static void show(const char *name, const void *x, int bytes)
{
    unsigned sum = 0;
    for (int i = 0; i < bytes; i++)
        sum = sum * 31 + ((const unsigned char *)x)[i];
    printf("%s %08x\n", name, sum);
}

int main(void)
{
    static float x[N], y[N];
    static double d[N], e[N];
    static int k[N], z[N];
    static unsigned u[N], v[N];
    static long l[N], m[N];
    for (int i = 0; i < N; i++) {
        x[i] = (float)(i * 29 % 17 - 8) * 0.37f;
        d[i] = (i * 31 % 19 - 9) * 1.7;
        k[i] = (i * 7919 - 40000) * 1733;
        u[i] = (unsigned)k[i] * 77u;
        l[i] = k[i] * 123456789L;
    }
    read_whole(N, y, v, x);
    show("whole", y, sizeof y);
    show("whole", v, sizeof v);
    read_parts(N, z, x, k);
    show("parts", z, sizeof z);
    write_parts(N, z, y, k, x);
    show("written", z, sizeof z);
    show("written", y, sizeof y);
    write_all(N, z, k);
    show("all", z, sizeof z);
    wide(N, m, e, d, l);
    show("wide", m, sizeof m);
    show("wide", e, sizeof e);
    copies(N, v, y, x, u);
    show("copies", v, sizeof v);
    show("copies", y, sizeof y);
    carried(N, v, x);
    show("carried", v, sizeof v);
    elements(N, z, k, x);
    show("elements", z, sizeof z);
    before(N, z, 0.3f, k);
    show("before", z, sizeof z);
    return 0;
}
