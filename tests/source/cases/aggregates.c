/* Structures by value, results, constants, bytes of static storage. */
struct pair {
    double x;
    int n[2];
};

static struct pair moved(struct pair p)
{
    p.n[1] += 1;
    return p;
}

static const struct {
    const char *name;
    struct pair (*function)(struct pair);
} table[] = {{"moved", moved}, {0}};

double sum(struct pair *q)
{
    static int calls = 3;
    struct pair zero = {0}, some = {1.5, {2, 3}};
    char text[6] = "abc";
    *q = table[0].function(some);
    return zero.x + q->n[calls++] + text[1];
}
