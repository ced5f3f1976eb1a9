int slot_of(long i, int D)
{
    return (int)(i % D);
}
int phase_of(long i, int D)
{
    return (int)(i / D % 2);
}
int empty_phase_of(long i, int D)
{
    return (int)(i / D % 2) ^ 1;
}
long puts_at_most(long released, int D)
{
    return released + D;
}
long released_by(long i, int P)
{
    return i >= P - 1 ? i - (P - 1) : -1;
}
int smallest_depth(int P)
{
    return P;
}
