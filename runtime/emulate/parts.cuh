/* SPDX-License-Identifier: MIT */
/*
 * parts.cuh - a tile as partial sums of several CTAs of a cluster: each CTA gets the total of some columns.
 *
 * If there are fewer shares of columns than CTAs, the first CTAs get them.  The groups of one number in these CTAs
 * synchronize twice: before they send, when all have read the last exchange, and after it.
 */
#ifndef WS_EMULATE_PARTS_CUH
#define WS_EMULATE_PARTS_CUH

#include "grid.cuh"

namespace ws {

/* As large as on the GPU.  */
template <typename T, int P, int R, int C> struct alignas(16) parts {
    static_assert(sizeof(T) == 4 && C % (8 * P) == 0, "words, and each CTA gets a multiple of eight columns");
    static constexpr int words = (R + 63) / 64 * 64 * (C / P);
    T from[P][words];
    uint64_t number; /* of the barrier; the number in the first CTA is valid */
    uint64_t unused;

    void init(const char *name)
    {
        number = (uint64_t)ws_sched_turns(ws_sched_current(), name, P);
    }
};

/* Shared memory of the groups of one number in all CTAs along y.  */
template <typename B> struct exchanged {
    const uint64_t *number;

    /* The address of the same object in another CTA.  */
    template <typename S> static S *there(int other, S *here)
    {
        const int block = ws_sched_block(ws_sched_current()) / B::y * B::y + other;
        return (S *)((char *)cta_of(block).shared + ((char *)here - (char *)this_cta().shared));
    }

    /* Two rounds of turns, as for groups of one CTA.  */
    void sync() const
    {
        ws_sched *s = ws_sched_current();
        const int number = (int)*there(0, this->number), place = B::place(along_y);
        group_barrier();
        for (int round = 0; round < 2; round++) {
            ws_sched_take(s, number, place);
            ws_sched_pass(s, number, place);
        }
        group_barrier();
    }
};

inline float add_words(float x, float y)
{
    return x + y;
}
inline int add_words(int x, int y)
{
    return ws_i32_add(x, y);
}

/* The constructor deduces the element type and the shape.  */
template <typename B> struct part_sum {
    void *mine;

    template <typename T, int P, int R, int C> explicit part_sum(parts<T, P, R, C> &s) : mine(&s)
    {
        static_assert(P == B::y, "the parts are those of a cluster's CTAs along y");
    }
};

/* Columns of a share, for C columns; SHARE is 0 for one share for each CTA.  */
template <typename B, int C, int SHARE> constexpr int share_of()
{
    return SHARE ? SHARE : C / B::y;
}

template <int SHARE = 0, typename B, typename T, int R, int C, layout L>
WS_DEVICE tile<T, R, share_of<B, C, SHARE>(), L> sum_parts(part_sum<B> &which, const tile<T, R, C, L> &x, double first)
{
    constexpr int share = share_of<B, C, SHARE>(), holders = C / share;
    typedef parts<T, B::y, R, share * B::y> memory;
    memory *mine = (memory *)which.mine;
    const exchanged<B> s = {&mine->number};
    ws_sched *scheduler = ws_sched_current();
    x.check("reads");
    s.sync();
    for (int other = 0; other < holders; other++) {
        T *to = s.there(other, mine)->from[B::place(along_y)];
        ws_sched_point(scheduler);
        ws_sched_write_apart(scheduler, {to, R * share * sizeof(T)});
        for (int r = 0; r < R; r++)
            memcpy(to + r * share, x.at + r * C + other * share, share * sizeof(T));
    }
    s.sync();
    tile<T, R, share, L> y;
    for (int i = 0; i < R * share; i++)
        y.at[i] = (T)first;
    for (int part = 0; part < B::y && B::place(along_y) < holders; part++) {
        ws_sched_read(scheduler, {mine->from[part], R * share * sizeof(T)});
        for (int i = 0; i < R * share; i++)
            y.at[i] = add_words(y.at[i], mine->from[part][i]);
    }
    return y;
}

} // namespace ws

#endif
