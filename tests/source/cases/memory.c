/* Addressed parameters, arrays of variable length, volatile objects, unions. */
int variable(int n, int i)
{
    int a[n][4];
    a[i][1] = n;
    return a[i][1];
}

int addressed(int x, volatile int *p)
{
    int *q = &x;
    *q += *p;
    *p = x;
    return x;
}

unsigned bits(float f)
{
    union {
        float f;
        unsigned u;
    } word = {f};
    return word.u;
}
