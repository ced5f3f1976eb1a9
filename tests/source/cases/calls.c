/* options: -std=gnu17 -fwrapv */
/* Calls of functions with any arguments, by pointers, without prototypes; arithmetic that wraps; overflow. */
int printf(const char *, ...);
int other();

int called(int (*f)(short), int x, double y)
{
    printf("%d\n", x);
    return f(x) + other(x, y);
}

int old(f, c)
float f;
char c;
{
    return f + c;
}

_Bool over(int a, int b, int *sum)
{
    return __builtin_add_overflow(a, b, sum);
}
