/* Constructs of C, each with what it prints: tests/source/execute.sh runs their region IR. */
#include <complex.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static void show(const char *name, double x)
{
    printf("%s %.17g\n", name, x);
}

/* ---- bit-fields ---- */

struct fields {
    unsigned a : 3;
    int b : 5;
    unsigned long long c : 40;
    _Bool d : 1;
    signed char e : 7;
    unsigned : 0;
    unsigned f : 32;
    short g : 11;
};

struct __attribute__((packed)) tight {
    unsigned a : 3;
    unsigned long long b : 61;
    int c : 17;
    unsigned long long d : 47;
};

static struct fields initial = {.a = 5, .b = -3, .c = 0x123456789aull, .d = 1, .e = -60, .f = 0xdeadbeef, .g = -1000};

static void bit_fields(struct fields *p, int v)
{
    p->a = v;
    p->b += v;
    p->c <<= 3;
    p->d = v > 100;
    p->e--;
    p->f ^= 0xffff0000u;
    p->g = p->g * 2 + v;
    printf("fields %d %d %llx %d %d %x %d\n", p->a, p->b, (unsigned long long)p->c, p->d, p->e, p->f, p->g);
    struct tight t = {1, 0x1234567890abcdull, -77, 0x7fffffffffffull};
    t.b -= (unsigned)v;
    t.c = t.c * v;
    t.d++;
    t.a += 7;
    printf("tight %d %llx %d %llx %d\n", t.a, (unsigned long long)t.b, t.c, (unsigned long long)t.d, (int)sizeof t);
    volatile struct fields w = *p;
    w.a++;
    printf("volatile %d %d\n", w.a, p->a == 3 && p->b == -1);
}

/* ---- aggregates ---- */

struct point {
    double x, y;
    int n[3];
};

union word {
    float f;
    uint32_t u;
    unsigned char c[4];
};

static struct point moved(struct point p, double by)
{
    p.x += by;
    p.n[2] = p.n[0] + p.n[1];
    return p;
}

static struct point points[] = {[1] = {1, 2, {3, 4, 5}}, [0].y = 7};
static const struct {
    const char *name;
    struct point (*move)(struct point, double);
    const int *place;
} table[2] = {{"first", moved, &points[1].n[1]}, {"second", 0, (const int *)((char *)points + 8)}};

struct flexible {
    int n;
    short rest[];
};
static struct flexible flexible = {3, {10, -20, 30}};

static void aggregates(int k)
{
    struct point p = moved(points[k], 0.5), q = p, *r = &(struct point){9, 8, {7, 6, 5}};
    q.n[1] = -1;
    points[0] = q;
    *r = k ? p : q;
    printf("point %g %g %d %d %d\n", r->x, r->y, r->n[0], r->n[1], r->n[2]);
    q = table[0].move(*r, 1);
    printf("%s %g %d %d\n", table[0].name, q.x, *table[0].place, table[1].move == 0);
    union word w = {.f = 1.5f};
    w.c[0] = 1;
    printf("union %x %g %d\n", w.u, w.f, flexible.rest[k] + flexible.n);
    char text[12] = "abc", other[] = {'x', 0};
    wchar_t wide[] = L"wide";
    printf("%s%s %d %d\n", text, other, text[11], (int)wcslen(wide));
    struct {
    } nothing = {}, also = nothing;
    (void)also;
    struct point zero = {0};
    printf("zero %g %d\n", zero.y, zero.n[2]);
}

/* ---- complex numbers ---- */

struct wave {
    float complex f;
    double complex d[2];
};

static double complex turned(double complex z, float complex by)
{
    return z * by;
}

static void numbers(struct wave *w, double x)
{
    double complex z = x + 2 * I, y = conj(z) / (1 - I);
    float complex f = (float complex)z * w->f;
    __imag__ y = 0.25;
    w->d[1] = z * y - w->d[0];
    f /= 2;
    w->f = -f;
    double complex t = turned(w->d[1], w->f);
    printf("complex %g %g %g %g %g %g\n", creal(y), cimag(y), crealf(f), cimagf(w->f), creal(t), cimag(t));
    printf("equal %d %d %g\n", z == y, z != y, cabs(z));
    double complex swapped = __builtin_complex(cimag(z), creal(z));
    z = __builtin_complex(cimag(z), creal(z));
    printf("swapped %d\n", z == swapped);
    _Complex int c = 3 + 4i;
    c = c * c + 1;
    printf("integers %d %d\n", __real__ c, __imag__ c);
}

/* ---- arrays of variable length ---- */

static long of_length(int n, int m, long a[n][m])
{
    long sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            sum += a[i][j];
    return sum;
}

static void lengths(int n)
{
    long total = 0;
    for (int k = 1; k < n; k++) {
        long a[k][k + 1];
        for (int i = 0; i < k; i++)
            for (int j = 0; j <= k; j++)
                a[i][j] = i * 10 + j;
        total += of_length(k, k + 1, a) + (long)sizeof a;
    }
    char *bytes = __builtin_alloca((size_t)n);
    memset(bytes, 7, (size_t)n);
    printf("lengths %ld %d\n", total, bytes[n - 1]);
}

/* ---- control ---- */

enum color { RED = -3, GREEN = 5, BLUE };

static int chosen(long long x)
{
    switch (x) {
    case 0:
        x = 7; /* fall through */
    case 10 ... 19:
        return (int)x + 1;
    case -9000000000ll:
        return 2;
    default:
        if (x & 1)
            break;
    case 100:
        return 3;
    }
    return 4;
}

static int small(unsigned char c, enum color e)
{
    switch (c) {
    case 'a' ... 'z':
        return 1;
    case 200 ... 255:
        return e == RED ? 2 : 3;
    }
    switch (e) {
    case RED:
        return 4;
    case GREEN:
        return 5;
    default:
        return 6;
    }
}

static void control(int n)
{
    int i = 0, sum = 0, j;
    do {
        if (i == 3)
            continue;
        for (j = i; j; j >>= 1)
            if (j == 5)
                goto out;
        sum += i;
    } while (++i < n);
out:
    printf("control %d %d %d\n", i, j, sum);
    const long long values[] = {0, 15, -9000000000ll, 6, 100, 9};
    for (i = 0; i < 6; i++)
        printf("switch %d %d\n", chosen(values[i]), small((unsigned char)(i * 50), (enum color)(i - 3)));
    int a = 1, b = a++ + 2 * a++ * 0, c = (a > 1 && b++ > 0) || b++;
    printf("order %d %d %d\n", a, b, c);
}

/* ---- numbers ---- */

static void widths(int x, unsigned y, signed char s, unsigned short h)
{
    signed char narrow = (signed char)(s * 3);
    unsigned char byte = (unsigned char)(y + 250);
    short product = (short)(h * h);
    printf("narrow %d %d %d %d\n", narrow, byte, product, (unsigned short)(h << 9));
    printf("divide %d %d %u %d %d\n", x / 7, x % 7, y / 7u, x / -3, (-x) % 5);
    printf("shift %d %u %d %d\n", x >> 3, y >> 3, (int)(y << 5), s >> 1);
    printf("rotate %x %x\n", (y << 7) | (y >> 25), (unsigned short)((h >> 3) | (h << 13)));
    printf("least %d %d %d %u\n", x < 5 ? x : 5, x > 5 ? x : 5, x < 0 ? -x : x, (unsigned)abs(x));
    _Bool t = x, u = 0.5f * (float)x, v = t & u, w = t ^ 1;
    printf("bool %d %d %d %d %d\n", t, u, v, w, t + u);
    printf("to %d %u %lld %g %g\n", (int)-3.99, (unsigned)3e9, (long long)1e15, (double)(float)0.1, (float)x / 3);
    printf("sign %d %d %llx\n", (unsigned)x > y, s < h, (unsigned long long)(long)x);
}

static void order(double x, double y)
{
    printf("order %d%d%d%d%d%d ", x<y, x <= y, x> y, x >= y, x == y, x != y);
    printf("%d%d%d%d %d%d%d%d\n", !(x < y), !(x <= y), !(x > y), !(x >= y), isless(x, y), islessgreater(x, y),
           isunordered(x, y), isgreaterequal(x, y));
    show("least", fmin(x, y));
    show("absolute", fabs(x) + fabsf((float)y));
    show("root", sqrt(fabs(x)) + floor(y));
}

#define OVERFLOWS(T, x, y)                        \
    do {                                          \
        T a = (T)(x), b = (T)(y), r;              \
        int o = __builtin_add_overflow(a, b, &r); \
        printf(#T " %d %lld", o, (long long)r);   \
        o = __builtin_sub_overflow(a, b, &r);     \
        printf(" %d %lld", o, (long long)r);      \
        o = __builtin_mul_overflow(a, b, &r);     \
        printf(" %d %lld\n", o, (long long)r);    \
    } while (0)

static void overflows(long long x, long long y)
{
    OVERFLOWS(signed char, x, y);
    OVERFLOWS(unsigned short, x, y);
    OVERFLOWS(int, x, y);
    OVERFLOWS(unsigned, x, y);
    OVERFLOWS(long long, x, y);
    OVERFLOWS(unsigned long long, x, y);
    int r;
    unsigned char c;
    int o = __builtin_add_overflow(x, (short)y, &r);
    printf("mixed %d %d", o, r);
    o = __builtin_sub_overflow((unsigned)x, (unsigned)y, &r);
    printf(" %d %d", o, r);
    o = __builtin_mul_overflow((int)x, (int)y, &c);
    printf(" %d %d\n", o, c);
}

/* ---- functions ---- */

static int counted(void)
{
    static int count = 5;
    return count++;
}

static int counted_too(void)
{
    static int count;
    return ++count;
}

static double old_style(x, f, c)
int x;
float f;
char c;
{
    int *p = &x;
    *p += c;
    return x * f;
}

static int apply(int (*f)(int), int x)
{
    return f(x) + (*f)(1);
}

static int twice(int x)
{
    return 2 * x;
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void changed(int v, int *p, volatile int *q)
{
    int *self = &v;
    *self += *p;
    *p = v;
    *q += 1;
    *q = *q * 2;
}

static int unreachable_behind(unsigned x)
{
    if (x > 3)
        __builtin_unreachable();
    return __builtin_expect(x == 2, 1) ? 20 : (int)x;
}

static void functions(void)
{
    int values[] = {5, -1, 9, 3}, v = 4;
    volatile int q = 3;
    char text[40];
    qsort(values, 4, sizeof *values, compare);
    changed(3, &v, &q);
    int length = sprintf(text, "%c%s%ld", 'a', "bc", 123456789012l);
    printf("calls %d %d %d %g %d\n", counted() + counted(), counted_too(), apply(twice, 21), old_style(3, 1.5f, 'a'),
           unreachable_behind(2));
    printf("sorted %d %d %d %d %d %d %s %d\n", values[0], values[3], v, q, length, (int)(&values[3] - values), text,
           (int)offsetof(struct point, n));
    int counter = 3;
    __atomic_fetch_add(&counter, 4, __ATOMIC_SEQ_CST);
    __sync_fetch_and_or(&counter, 16);
    printf("bits %d %d %d %x %d\n", counter, __builtin_popcount(0xf0f0u), __builtin_clz(1u), __builtin_bswap32(0x1234),
           __builtin_ctzll(1ull << 40));
}

int main(void)
{
    struct wave wave = {1 + 2 * I, {3 - I, 4}};
    struct fields fields = initial;
    bit_fields(&initial, 3);
    bit_fields(&fields, 117);
    aggregates(1);
    aggregates(0);
    numbers(&wave, 1.5);
    lengths(6);
    control(9);
    widths(-23, 4000000001u, -77, 60000);
    widths(1000, 5, 100, 7);
    order(1, 2);
    order(NAN, 2);
    order(-0.0, 0.0);
    overflows(100, 50);
    overflows(-9000000000000000000ll, 4);
    overflows(INT64_MIN, -1);
    overflows(70000, 70000);
    functions();
    return 0;
}
