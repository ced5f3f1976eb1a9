/* Loops, switch with ranges, conditions that other blocks read, what has no way to it. */
int chosen(unsigned char c, int x)
{
    switch (c) {
    case 'a' ... 'z':
        return 1;
    case 200:
        x++;
        break;
    default:
        if (x > 3)
            __builtin_unreachable();
    }
    return x;
}

int walked(const int *p, int n, int a[])
{
    int s = 0;
    while (n-- > 0 && *p)
        s += a[*p++];
    return s;
}
