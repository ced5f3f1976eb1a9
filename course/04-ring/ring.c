/* A ring of D slots. Puts and gets are counted from 0: put i is what get i sees.  */

/* The slot that put i fills.  */
int slot_of(long i, int D)
{
    return -1;
}

/* The phase of the slot's full barrier that get i waits for: the bit that tells the rounds of a slot apart.  */
int phase_of(long i, int D)
{
    return -1;
}

/* A producer keeps one phase bit for its waits on empty barriers. Nobody releases a slot before its first round, yet
   the first D waits are to pass: a wait for phase p is over when the barrier is not in phase p, and barriers begin in
   phase 0. For which phase does put i wait?  */
int empty_phase_of(long i, int D)
{
    return -1;
}

/* Puts 0 to n - 1 may have been begun when gets 0 to released - 1 have been released: what is n at most?  */
long puts_at_most(long released, int D)
{
    return -1;
}

/* Products of P iterations are in flight: the wait of iteration i leaves the newest P - 1, and then the group releases
   what they no longer read. Which get does iteration i release? -1: none yet.  */
long released_by(long i, int P)
{
    return -2;
}

/* The smallest ring with which that loop does not wait for itself.  */
int smallest_depth(int P)
{
    return -1;
}
