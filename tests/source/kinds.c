/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What C has of statements, expressions, initializers and types, one function for each; tests/source/compare. */
#include <complex.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned state = 12345;

static int next(int below)
{
    state = state * 1103515245u + 12345u;
    return (int)(state >> 16) % below;
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

static int jumps(int n)
{
    int sum = 0, i = 0;
again:
    if (i >= n)
        goto done;
    sum += i++ % 3 ? i : -i;
    goto again;
done:
    return sum;
}

static int choices(int x)
{
    int result = 0;
    switch (x) {
    case -3 ... - 1:
        result = 1;
        break;
    case 4:
    case 5:
        result += 10; /* and on */
    case 6:
        result += 100;
        break;
    default:
        for (int i = 0;; i++) {
            if (i == x)
                break;
            if (i > 20)
                goto out;
            if (i & 1)
                continue;
            result += i;
        }
        result++;
        switch (result & 3) {
        case 0:
            result = -result;
        }
    }
    return result;
out:
    return ~result;
}

static int device(const char *from, char *to, int count)
{
    int n = (count + 3) / 4;
    switch (count % 4) { /* into the middle of a loop */
    case 0:
        do {
            *to++ = *from++;
        case 3:
            *to++ = *from++;
        case 2:
            *to++ = *from++;
        case 1:
            *to++ = *from++;
        } while (--n > 0);
    }
    return to[-1];
}

static long loops(int n)
{
    long total = 0;
    int i = 0;
    while (i < n)
        total += i++;
    do
        total -= i, --i;
    while (i > 0 && total > -50);
    for (int j = n, k = 0; j > k; j--, ++k)
        for (;;) {
            if (j % 2 == 0)
                break;
            total += j * k;
            break;
        }
    return total;
}

/* ---- expressions ------------------------------------------------------------------------------------------------- */

static long integers(signed char a, unsigned char b, short c, unsigned short d, int e, unsigned f, long g,
                     unsigned long h)
{
    long r = a + b * c - d;
    r ^= e / (c | 1) + e % (b | 1);
    r += -e + ~a + !b + (a < b) + (f > (unsigned)e) + (g >= (long)h) + (c != d);
    a += 200;
    b -= 7;
    c <<= 3;
    d >>= 1;
    f *= 2654435761u;
    h = h << (e & 31) | h >> (63 - (e & 31));
    a ^= b++;
    c |= --d;
    r += a + b + c + d + (long)(f % 1000) + (long)(h % 1000);
    r += sizeof(int[3]) + sizeof r + _Alignof(double);
    return e ? r : (e, -r);
}

static double floats(float a, double b, int i, unsigned u)
{
    float x = a * i - u / 3.0f;
    double y = b / (a + 1) + i;
    x += y;
    y -= x++;
    y += (a < b) + (int)a + (unsigned char)(fabs(b) * 3) + fabs(y) + sqrtf(x * x) + (isnan(y) ? 1 : 2);
    return -x + y * (float)b + (_Bool)a + 0x1.8p1 + 1e-3f;
}

static int shortcuts(const int *p, int n)
{
    int count = 0, v = p && *p > 1 || n < 0;
    count += (n > 2 && ++count) + (n > 100 || count++ > 0);
    int w = n ?: 77;
    return count + v * 100 + w * (v ? n > 1 ? 3 : 4 : 5) + (p[0] + (n > 1 ? p[1] : p[2])) * 7;
}

struct point {
    int x;
    struct {
        short y, z;
    };
    union {
        float f;
        unsigned bits;
    } u;
    unsigned small : 3;
    int negative : 5;
    unsigned : 2;
    unsigned long wide : 40;
    _Bool flag : 1;
};

static struct point moved(struct point p, int by)
{
    p.x += by;
    p.y = (short)(p.z - by);
    p.u.f *= 2;
    p.small += 3;
    p.negative = p.negative - by;
    p.wide = p.wide * 77 + (unsigned long)by;
    p.flag = !p.flag;
    return p;
}

static long structures(int n)
{
    struct point a = {1, {2, 3}, {4.5f}, 5, -6, 7, 1}, b = {.z = 9, .u.bits = 0x40000000, .small = 9}, *p = &b;
    struct point list[3] = {[1] = a, [2].x = 5, 6, 7};
    long sum = 0;
    a = moved(a, n);
    *p = moved(moved(*p, 2), 3);
    p->u.bits += 1;
    list[0] = n > 3 ? a : b;
    for (p = list; p < list + 3; p++)
        sum = sum * 31 + p->x + p->y + p->z + p->u.bits % 1000 + p->small + p->negative + (long)p->wide + p->flag;
    sum += moved((struct point){.x = n}, 4).x + (p - list) + (int)(p[-1].negative = 40);
    return sum;
}

static int arrays(int n, int m, int a[n][m])
{
    int local[n][2][m], (*row)[m] = a, matrix[2][3] = {1, 2, 3, 4}, ones[6] = {[1 ... 3] = 7, 8};
    char text[8] = "abc", open[] = "x\0y";
    n++;
    for (int i = 0; i < n - 1; i++)
        for (int j = 0; j < m; j++)
            local[i][i & 1][j] = a[i][j] * (j + 1);
    row++;
    int sum = row[0][1] + (int)sizeof local + matrix[1][0] + ones[4] + ones[5] + text[1] + text[7] + (int)sizeof open;
    for (int i = 0; i < n - 1; i++)
        sum = sum * 3 + local[i][i & 1][m - 1] + 1 [a[i]];
    return sum + (int)(&a[2][1] - &a[0][0]) + open[2];
}

static int twice(int x)
{
    return 2 * x;
}

static int thrice(int x)
{
    return 3 * x;
}

static int (*const table[])(int) = {twice, thrice, abs};
static const char *const names[] = {"zero", "one", "two" + 1};
static int numbers[4] = {1, [3] = -4}, *middle = &numbers[2], counter;
static const struct {
    const char *name;
    double value;
    int (*of)(int);
} rows[] = {{"pi", 3.25, twice}, {.value = -1, .name = "e"}};

static int calls(int x)
{
    static int calls_so_far = 5;
    int (*f)(int) = x & 1 ? twice : &thrice;
    calls_so_far += 2;
    *middle += x;
    middle[1]--;
    counter += calls_so_far;
    return f(x) + (*table[x % 3])(-x) + names[x % 3][0] + counter + (rows[0].of ? rows[0].of(x) : 0) + rows[1].name[0];
}

static int sorted(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static double complexes(double x)
{
    double complex z = x + 2 * I, w = conj(z) * z / (1 - z);
    float complex s = (float complex)w;
    __real__ z += 1;
    w *= z;
    s += 3;
    s = -s * 2.0f;
    return creal(w) + cimag(w) * 3 + crealf(s) - __imag__ s + (z == w) + (z != 0) + cabs(z);
}

#define MAX(a, b)               \
    ({                          \
        __typeof__(a) a_ = (a); \
        __typeof__(b) b_ = (b); \
        a_ > b_ ? a_ : b_;      \
    })
#define KIND(x) _Generic((x), int : 1, unsigned : 2, float : 3, double : 4, char * : 5, const char * : 6, default : 7)

static int extensions(int n)
{
    int r = MAX(n, 3) + MAX(n * 2, MAX(n + 1, 4)) + KIND(n) * 10 + KIND(1.0f) * 100 + KIND("x") + KIND(&n) + KIND(1u);
    volatile int v = n;
    v += 2;
    int *p = &(int){n * 2};
    *p += v;
    r += *p + __builtin_popcount((unsigned)n) + __builtin_expect(n > 2, 1) + (int)__builtin_offsetof(struct point, u);
    r += __builtin_choose_expr(sizeof(int) == 4, n, "no") + (int)strlen(__func__) +
         __builtin_types_compatible_p(int, long);
    return r + __builtin_bswap32(0x01000000u);
}

static int bytes(float x)
{
    union {
        float f;
        unsigned char b[4];
    } u = {x};
    unsigned copy;
    memcpy(&copy, &x, sizeof copy);
    return u.b[0] + u.b[1] * 2 + u.b[2] * 3 + u.b[3] * 4 + (int)(copy >> 20);
}

int main(void)
{
    int grid[4][5], list[9];
    for (int i = 0; i < 20; i++)
        grid[i / 5][i % 5] = next(100);
    for (int i = 0; i < 9; i++)
        list[i] = next(50);
    for (int i = 0; i < 12; i++) {
        const int x = next(40) - 8;
        char to[16] = "";
        printf("%d %d %d %ld\n", jumps(i), choices(x), device("abcdefghijklmnop", to, i + 1), loops(i));
        const int a = next(256), b = next(256), c = next(4000), d = next(60000), f = next(30000), g = next(30000);
        printf("%ld", integers((signed char)a, (unsigned char)b, (short)c, (unsigned short)d, x, (unsigned)f, g, 77));
        printf(" %.17g\n", floats((float)i / 3, x, a % 9, (unsigned)b % 9));
        printf("%d %ld %d %d\n", shortcuts(list + i % 6, x % 5), structures(i), arrays(4, 5, grid), calls(i));
        printf("%.17g %d %d\n", complexes(x), extensions(i), bytes((float)x / 7));
    }
    qsort(list, 9, sizeof *list, sorted);
    for (int i = 0; i < 9; i++)
        printf(" %d", list[i]);
    printf("\n%d %d %s\n", numbers[2], numbers[3], rows[1].name);
    return 7;
}
