#include "roles.h"

/* A ring of D slots that both groups read; P products of each group in flight.  */
enum { D = 3, P = 2 };

void setup(void)
{
    make_ring(D, 1); /* how many releases? */
}

/* Brings tiles 0 to tiles - 1 into the ring.  */
void producer(int tiles)
{
    for (int i = 0; i < tiles; i++) {
    }
}

/* Each of two groups executes this: it adds all tiles to its sum, and brings the sum out.  */
void multiplier(int tiles)
{
    for (int i = 0; i < tiles; i++) {
    }
}
