/* Functions that have no region IR, and why. */
#include <stdarg.h>

long double wide(double x)
{
    return x;
}

int listed(int n, ...)
{
    va_list list;
    va_start(list, n);
    int x = va_arg(list, int);
    va_end(list);
    return x + n;
}

void machine(int x)
{
    __asm__ volatile("" : : "r"(x));
}

int computed(int x)
{
    void *to = x ? &&one : &&two;
    goto *to;
one:
    return 1;
two:
    return 2;
}

typedef int four __attribute__((vector_size(16)));
four added(four x, four y)
{
    return x + y;
}

int nested(int x)
{
    int inner(int y)
    {
        return x + y;
    }
    return inner(2);
}

__int128 longest(__int128 x)
{
    return x * x;
}

void moved(__int128 *to, const __int128 *from, long double *x)
{
    long double y = *x;
    *to = *from;
    *x = y;
}
