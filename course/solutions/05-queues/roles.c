#include "roles.h"

enum { D = 3, P = 2 };

void setup(void)
{
    make_ring(D, 2);
}

void producer(int tiles)
{
    for (int i = 0; i < tiles; i++) {
        wait_empty(i % D, i / D % 2 ^ 1);
        expect_bytes(i % D, BYTES);
        copy_in(i % D, i);
        all_started(i % D);
    }
}

void multiplier(int tiles)
{
    for (int i = 0; i < tiles; i++) {
        wait_full(i % D, i / D % 2);
        multiply(i % D);
        wait_products(P - 1);
        if (i >= P - 1)
            release((i - (P - 1)) % D);
    }
    wait_products(0);
    for (int i = tiles > P - 1 ? tiles - (P - 1) : 0; i < tiles; i++)
        release(i % D);
    stage();
    fence();
    copy_out();
    wait_copies_out();
}
