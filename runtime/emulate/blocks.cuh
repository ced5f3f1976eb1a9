/* SPDX-License-Identifier: MIT */
/*
 * blocks.cuh - what all CTAs of a cluster have of a sum, a largest or a smallest: each gets the same.
 *
 * They sync as those that sum parts do (parts.cuh).
 */
#ifndef WS_EMULATE_BLOCKS_CUH
#define WS_EMULATE_BLOCKS_CUH

#include "parts.cuh"

namespace ws {

/* As large as on the GPU.  */
template <typename T, int P, int WORDS> struct alignas(16) shares {
    static_assert(sizeof(T) == 4, "words");
    T from[P][(WORDS + 3) / 4 * 4];
    uint64_t number; /* of the role_barrier; the first CTA's counts */
    uint64_t unused;

    void init(const char *name)
    {
        number = (uint64_t)ws_sched_turns(ws_sched_current(), name, P);
    }
};

inline float largest_of(float x, float y)
{
    return ws_f32_max(x, y);
}
inline int largest_of(int x, int y)
{
    return ws_i32_max(x, y);
}
inline float smallest_of(float x, float y)
{
    return ws_f32_min(x, y);
}
inline int smallest_of(int x, int y)
{
    return ws_i32_min(x, y);
}

/* Which one it is of, its constructor finds out.  */
template <typename B> struct exchange {
    void *mine;

    template <typename S> explicit exchange(S &s) : mine(&s)
    {
    }
};

template <typename B, typename F, typename T, int R, int C, layout L>
tile<T, R, C, L> over_blocks(F f, exchange<B> &which, const tile<T, R, C, L> &x, const tile<T, R, C, L> &first)
{
    typedef shares<T, B::y, R *(C == 1 ? 1 : (C + 1) / 2 * 2)> S;
    const exchanged<B, S> s = {(S *)which.mine};
    ws_sched *scheduler = ws_sched_current();
    x.check("reads");
    first.check("reads");
    s.sync();
    for (int other = 0; other < B::y; other++) {
        T *to = s.there(other)->from[B::place(along_y)];
        ws_sched_point(scheduler);
        ws_sched_write_apart(scheduler, {to, R * C * sizeof(T)});
        memcpy(to, x.at, R * C * sizeof(T));
    }
    s.sync();
    tile<T, R, C, L> y = first;
    for (int part = 0; part < B::y; part++) {
        ws_sched_read(scheduler, {s.mine->from[part], R * C * sizeof(T)});
        for (int i = 0; i < R * C; i++)
            y.at[i] = f(y.at[i], s.mine->from[part][i]);
    }
    return y;
}

template <typename B, typename X> WS_DEVICE X sum_blocks(exchange<B> &s, const X &x, const X &first)
{
    return over_blocks([](auto p, auto q) { return add_words(p, q); }, s, x, first);
}
template <typename B, typename X> WS_DEVICE X max_blocks(exchange<B> &s, const X &x, const X &first)
{
    return over_blocks([](auto p, auto q) { return largest_of(p, q); }, s, x, first);
}
template <typename B, typename X> WS_DEVICE X min_blocks(exchange<B> &s, const X &x, const X &first)
{
    return over_blocks([](auto p, auto q) { return smallest_of(p, q); }, s, x, first);
}

} // namespace ws

#endif
