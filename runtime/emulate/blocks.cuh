/* SPDX-License-Identifier: MIT */
/*
 * blocks.cuh - sums, maxima and minima over all CTAs of a cluster; each CTA gets the result.
 *
 * The CTAs synchronize as in parts.cuh.
 */
#ifndef WS_EMULATE_BLOCKS_CUH
#define WS_EMULATE_BLOCKS_CUH

#include "parts.cuh"

namespace ws {

/* As large as on the GPU.  */
template <typename T, int P, int WORDS> struct alignas(16) shares {
    static_assert(sizeof(T) == 4, "words");
    T from[P][(WORDS + 3) / 4 * 4];
    uint64_t number; /* of the role_barrier; the number in the first CTA is valid */
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

template <typename T, int P, int WORDS, int GROUPS> using team_shares = shares<T, P, WORDS>;
template <typename T, int WORDS, int GROUPS> using lone_shares = shares<T, 1, WORDS>;

/* A CTA that has whole rows, and no cluster.  */
struct lone_cta {
    static constexpr int y = 1;

    static int place(along)
    {
        return 0;
    }
};

/* Memory for words of each CTA, `apart` bytes apart.  */
template <typename B> struct exchange {
    char *mine;
    size_t apart;
    const uint64_t *number;
    bool sent = false; /* and not received */

    template <typename T, int P, int WORDS>
    explicit exchange(shares<T, P, WORDS> &s) : mine((char *)&s), apart(sizeof s.from[0]), number(&s.number)
    {
        static_assert(P == B::y, "shares are those of a cluster's CTAs along y");
    }
    template <typename T> const T *from(int part) const
    {
        return (const T *)(mine + part * apart);
    }
};
template <typename B, int GROUPS, int NUMBER> using team_exchange = exchange<B>;
template <int GROUPS> using lone_exchange = exchange<lone_cta>;

/* On the GPU a second exchange waits until all CTAs have received the first.  */
template <typename B> void begin(exchange<B> &which)
{
    if (which.sent)
        ws_sched_fail(ws_sched_current(), "an exchange begins in memory of another one that is not received yet");
    which.sent = true;
}

/* Sends `count` numbers to all CTAs; returns when the numbers of all have arrived.  */
template <typename T> void send_to_all(exchange<lone_cta> &which, const T *from, int count)
{
    ws_sched *scheduler = ws_sched_current();
    begin(which);
    group_barrier(); /* replaces the two slots of the GPU, which take turns */
    ws_sched_point(scheduler);
    ws_sched_write_apart(scheduler, {which.mine, count * sizeof(T)});
    memcpy(which.mine, from, count * sizeof(T));
}
template <typename B, typename T> void send_to_all(exchange<B> &which, const T *from, int count)
{
    const exchanged<B> s = {which.number};
    ws_sched *scheduler = ws_sched_current();
    begin(which);
    s.sync();
    for (int other = 0; other < B::y; other++) {
        char *to = s.there(other, which.mine + B::place(along_y) * which.apart);
        ws_sched_point(scheduler);
        ws_sched_write_apart(scheduler, {to, count * sizeof(T)});
        memcpy(to, from, count * sizeof(T));
    }
}
template <typename T, typename B> void receive(exchange<B> &which, int count)
{
    which.sent = false;
    if constexpr (B::y > 1)
        exchanged<B>{which.number}.sync();
    else
        group_barrier();
    for (int part = 0; part < B::y; part++)
        ws_sched_read(ws_sched_current(), {which.template from<T>(part), count * sizeof(T)});
}

template <typename B, typename F, typename T, int R, int C, layout L>
tile<T, R, C, L> over_blocks(F f, exchange<B> &which, const tile<T, R, C, L> &x, const tile<T, R, C, L> &first)
{
    x.check("reads");
    first.check("reads");
    send_to_all(which, x.at, R * C);
    receive<T>(which, R * C);
    tile<T, R, C, L> y = first;
    for (int part = 0; part < B::y; part++)
        for (int i = 0; i < R * C; i++)
            y.at[i] = f(y.at[i], which.template from<T>(part)[i]);
    return y;
}

/* Sums of rows, PIECE columns at a time, in the order of the loop whose iterations the CTAs share.  */
template <typename F, typename B, int PIECES, typename Y> struct sent;
template <typename F, typename B, int PIECES, typename T, int R, layout L> struct sent<F, B, PIECES, tile<T, R, 1, L>> {
    exchange<B> &which;
    F f;

    tile<T, R, 1, L> received(const tile<T, R, 1, L> &first) const
    {
        first.check("reads");
        receive<T>(which, R * PIECES);
        tile<T, R, 1, L> y = first;
        for (int part = 0; part < B::y; part++)
            for (int i = 0; i < R * PIECES; i++)
                y.at[i / PIECES] = f(y.at[i / PIECES], which.template from<T>(part)[i]);
        return y;
    }
};
template <typename ALONG, int PIECE, typename F, typename B, typename T, int R, int C, layout L>
auto send_rows(F f, exchange<B> &which, const tile<T, R, C, L> &x)
{
    constexpr int pieces = C / PIECE;
    const sent<F, B, pieces, tile<T, R, 1, L>> s = {which, f};
    T parts[R * pieces];
    x.check("reads");
    for (int r = 0; r < R; r++)
        for (int i = 0; i < pieces; i++)
            parts[r * pieces + i] = ALONG::apply(PIECE, x.at + r * C + i * PIECE, 1);
    ws_sched_work("reduce", R * C);
    send_to_all(which, parts, R * pieces);
    return s;
}

/* Sums of powers below the running maximum, PIECE columns at a time, in the loop's order.  The CTAs exchange the maxima
   of all pieces first, and then the sums below the maximum up to each piece.  */
template <typename F, bool FUSED, int PIECE, typename B, int R, int C, layout L> struct sent_powers {
    static constexpr int pieces = C / PIECE, count = R * pieces;
    typedef tile<float, R, 1, L> column;
    exchange<B> &which;
    float at[R * C];

    /* Relative to the maximum of all pieces.  */
    tile<float, R, C, L> powers(const column &largest) const
    {
        tile<float, R, C, L> y;
        largest.check("reads");
        for (int i = 0; i < R * C; i++)
            y.at[i] = F::of(at[i] - largest.at[i / C]);
        ws_sched_work("powers", R * C);
        return y;
    }

    column received(const column &first, const column &largest) const
    {
        float parts[count], now[B::y * count], e[PIECE];
        first.check("reads");
        largest.check("reads");
        receive<float>(which, count);
        for (int r = 0; r < R; r++)
            for (int i = 0; i < B::y * pieces; i++)
                now[r * B::y * pieces + i] =
                    largest_of(i ? now[r * B::y * pieces + i - 1] : largest.at[r],
                               which.template from<float>(i / pieces)[r * pieces + i % pieces]);
        for (int i = 0; i < count; i++) {
            const int mine = i / pieces * B::y * pieces + B::place(along_y) * pieces + i % pieces;
            for (int c = 0; c < PIECE; c++)
                e[c] = F::of(at[i / pieces * C + i % pieces * PIECE + c] - now[mine]);
            parts[i] = one::along::sum::apply(PIECE, e, 1);
        }
        send_to_all(which, parts, count);
        receive<float>(which, count);
        column y = first;
        for (int r = 0; r < R; r++)
            for (int i = 0; i < B::y * pieces; i++) {
                const float *here = now + r * B::y * pieces + i;
                const float shrink = F::of((i ? here[-1] : largest.at[r]) - here[0]);
                const float part = which.template from<float>(i / pieces)[r * pieces + i % pieces];
                y.at[r] = FUSED ? fmaf(y.at[r], shrink, part) : y.at[r] * shrink + part;
            }
        ws_sched_work("reduce", R * C);
        return y;
    }
};
struct by_exp {
    static float of(float x)
    {
        return expf(x);
    }
};
struct by_exp2 {
    static float of(float x)
    {
        return exp2f(x);
    }
};
template <typename F, bool FUSED, int PIECE, typename B, int R, int C, layout L>
auto send_powers(exchange<B> &which, const tile<float, R, C, L> &x)
{
    typedef sent_powers<F, FUSED, PIECE, B, R, C, L> powers;
    powers s{which, {}};
    float parts[powers::count];
    x.check("reads");
    memcpy(s.at, x.at, sizeof s.at);
    for (int i = 0; i < powers::count; i++)
        parts[i] = one::along::max::apply(PIECE, s.at + i / powers::pieces * C + i % powers::pieces * PIECE, 1);
    send_to_all(which, parts, powers::count);
    return s;
}

template <int PIECE, bool FUSED, typename B, typename X> WS_DEVICE auto send_sum_exp(exchange<B> &s, const X &x)
{
    return send_powers<by_exp, FUSED, PIECE>(s, x);
}
template <int PIECE, bool FUSED, typename B, typename X> WS_DEVICE auto send_sum_exp_fast(exchange<B> &s, const X &x)
{
    return send_sum_exp<PIECE, FUSED>(s, x);
}
template <int PIECE, bool FUSED, typename B, typename X> WS_DEVICE auto send_sum_exp2(exchange<B> &s, const X &x)
{
    return send_powers<by_exp2, FUSED, PIECE>(s, x);
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

template <int PIECE, typename B, typename X> WS_DEVICE auto send_sum(exchange<B> &s, const X &x)
{
    return send_rows<one::along::sum, PIECE>([](auto p, auto q) { return add_words(p, q); }, s, x);
}
template <int PIECE, typename B, typename X> WS_DEVICE auto send_max(exchange<B> &s, const X &x)
{
    return send_rows<one::along::max, PIECE>([](auto p, auto q) { return largest_of(p, q); }, s, x);
}
template <int PIECE, typename B, typename X> WS_DEVICE auto send_min(exchange<B> &s, const X &x)
{
    return send_rows<one::along::min, PIECE>([](auto p, auto q) { return smallest_of(p, q); }, s, x);
}

} // namespace ws

#endif
