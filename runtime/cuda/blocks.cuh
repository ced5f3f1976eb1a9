/* SPDX-License-Identifier: MIT */
/*
 * blocks.cuh - sums, maxima and minima over all CTAs of a cluster; each CTA gets the result.
 *
 *   exchange<cluster<1, 8>> sum_shares(s.sum_shares[group]);    once, at a role's start
 *   sum = sum_blocks(sum_shares, part, zero)                    zero + part of CTA 0 + part of CTA 1 ..., in all CTAs
 *
 * Each CTA sends its part to all CTAs including itself, and combines the received parts in the order of the CTAs.  The
 * barriers are those of parts.cuh.  full counts received bytes; empty counts the warps of all CTAs that have read the
 * last exchange.
 *
 *   const auto sent = send_sum<1024>(sum_shares, x)             of the rows of x, which are summed first
 *   sum = sent.received(zero)
 *
 * If all warps share a row, each warp sends its share, and all CTAs combine the shares of all warps.  The pieces of
 * 1024 columns determine the order of the emulator's sums.
 */
#ifndef WS_CUDA_BLOCKS_CUH
#define WS_CUDA_BLOCKS_CUH

#include "parts.cuh"

namespace ws {

/* Received words of one group, by sender.  Pairs of columns are contiguous; so is a column of its own.  */
template <typename T, int P, int WORDS> struct alignas(16) shares {
    static_assert(sizeof(T) == 4, "words");
    u32 from[P][(WORDS + 3) / 4 * 4];
    u64 full, empty;

    WS_DEVICE void init(const char *)
    {
        ptx::mbarrier_init(ptx::shared_address(&full), 1);
        ptx::mbarrier_init(ptx::shared_address(&empty), 4 * P);
    }
};

WS_CONSTANT int shared_columns(int cols)
{
    return cols == 1 ? 1 : (cols + 1) / 2 * 2;
}

/* A group's access to the exchange.  B: the cluster, whose CTAs along y hold the parts.  */
template <typename B> struct exchange {
    u32 from, full, empty; /* addresses */
    u32 parity;

    template <typename S>
    explicit WS_DEVICE exchange(S &s)
        : from(ptx::shared_address(s.from)), full(ptx::shared_address(&s.full)), empty(ptx::shared_address(&s.empty)),
          parity(0)
    {
    }

    /* Waits until the other CTAs have read this CTA's words.  */
    WS_DEVICE ~exchange()
    {
        ptx::mbarrier_wait(empty, parity ^ 1);
    }

    static WS_DEVICE u32 in(u32 address, int other)
    {
        return ptx::address_in(address, (u32)B::template member<along_y>(other));
    }
};

/* Each lane that holds the row sends to one CTA, or to several if there are fewer lanes.  */
template <typename B, typename T, int R, layout L>
static WS_DEVICE void send_to_all(const exchange<B> &s, const tile<T, R, 1, L> &x, u32 mine)
{
    typedef spread<R, 1, L> S;
    constexpr int sharers = sharing<L>::row_last * 2;
    if (!is_wide<L> && R == 1 && threadIdx.x % 128 >= sharers)
        return;
    WS_FOR_SLOTS(S, slot)
    {
        const int row = S::row(slot);
        if (is_wide<L> ? row % 4 == (int)(threadIdx.x / 32 % 4) : row < R)
#pragma unroll
            for (int other = 0; other < B::y; other += sharers) {
                const int to = other + (int)ptx::lane() % sharers;
                if (B::y % sharers == 0 || to < B::y)
                    ptx::store_there(s.in(mine + row * 4, to), s.in(s.full, to), word_of(x.get(slot, 0).low));
            }
    }
}
template <typename B, typename T, int R, int C, layout L>
static WS_DEVICE void send_to_all(const exchange<B> &s, const tile<T, R, C, L> &x, u32 mine)
{
    typedef spread<R, C, L> S;
    if (!S::speaks())
        return;
#pragma unroll
    for (int other = 0; other < B::y; other++) {
        const u32 there = s.in(mine, other), barrier = s.in(s.full, other);
        WS_FOR_CELLS(S, slot, j)
        {
            const int row = S::row(slot), col = S::col(j);
            const auto p = x.get(slot, j);
            if (row < R && col < C)
                ptx::store_there(there + (row * shared_columns(C) + col) * 4, barrier,
                                 uint2{word_of(p.low), word_of(p.high)});
        }
    }
}

template <typename F, typename T, int R, int C, layout L>
static WS_DEVICE void combine(F f, tile<T, R, C, L> &y, u32 from)
{
    typedef spread<R, C, L> S;
    WS_FOR_CELLS(S, slot, j)
    {
        const int row = S::row(slot), col = S::col(j);
        if (!has_row<S, R>(slot) || !has_col<S, C>(j))
            continue;
        const u32 at = from + (row * shared_columns(C) + col) * 4;
        const auto old = y.get(slot, j);
        T low, high;
        if constexpr (C == 1) {
            of_word(low, ptx::load_shared_4(at));
            high = low;
        } else {
            const uint2 words = ptx::load_shared_8(at);
            of_word(low, words.x), of_word(high, words.y);
        }
        y.set(slot, j, f(old.low, low), f(old.high, high));
    }
}

/* Waits until the other CTAs have read the last exchange; then `words` words are expected.  */
template <typename B> static WS_DEVICE void expect(const exchange<B> &s, int words)
{
    ptx::mbarrier_wait(s.empty, s.parity ^ 1); /* in the first round nothing was sent before */
    if (group_leader()) {
        ptx::mbarrier_expect_tx(s.full, words * 4);
        ptx::mbarrier_arrive(s.full);
    }
}
template <typename B> static WS_DEVICE void have_read(exchange<B> &s)
{
    __syncwarp();
    if (ptx::lane() < B::y)
        ptx::mbarrier_arrive_there(s.in(s.empty, (int)ptx::lane()));
    s.parity ^= 1;
}

template <typename F, typename B, typename T, int R, int C, layout L>
static WS_DEVICE tile<T, R, C, L> over_blocks(F f, exchange<B> &s, const tile<T, R, C, L> &x,
                                              const tile<T, R, C, L> &first)
{
    constexpr int words = R * shared_columns(C), apart = (words + 3) / 4 * 16;
    expect(s, B::y * words);
    send_to_all(s, x, s.from + (u32)B::template place<along_y>() * apart);
    ptx::mbarrier_wait(s.full, s.parity);
    tile<T, R, C, L> y = first;
#pragma unroll
    for (int part = 0; part < B::y; part++)
        combine(f, y, s.from + part * apart);
    have_read(s);
    return y;
}

/* Rows that are reduced and sent.  The results are received later, so that several exchanges overlap.  Y: a column.  */
template <typename F, typename B, typename Y> struct sent {
    exchange<B> &s;

    WS_DEVICE Y received(const Y &first) const;
};

/* For rows within a warp.  For rows that all warps share, a row has four words: a lane sends its warp's word of one row
   to one CTA.  */
template <typename F, typename B, typename T, int R, int C, layout L>
static WS_DEVICE auto send_rows(F f, exchange<B> &s, const tile<T, R, C, L> &x)
{
    if constexpr (wide_groups(L) != 1) {
        const tile<T, R, 1, L> y = row_reduce(f, x);
        expect(s, B::y * R);
        send_to_all(s, y, s.from + (u32)B::template place<along_y>() * ((R + 3) / 4 * 16));
    } else {
        constexpr int at_once = 32 / B::y;
        const int to = (int)ptx::lane() % B::y, warp = (int)(threadIdx.x / 32 % 4);
        const u32 mine = s.in(s.from + (u32)B::template place<along_y>() * (R * 16) + warp * 4, to),
                  full = s.in(s.full, to);
        T all[R];
#pragma unroll
        for (int r = 0; r < R; r++)
            all[r] = across<1, 16>(f, share_of_row(f, x, r));
        expect(s, B::y * R * 4);
#pragma unroll
        for (int r = 0; r < R; r++)
            if ((int)ptx::lane() / B::y == r % at_once)
                ptx::store_there(mine + r * 16, full, word_of(all[r]));
    }
    return sent<F, B, tile<T, R, 1, L>>{s};
}

template <typename F, typename T, int R, layout L>
static WS_DEVICE void combine_rows(F f, tile<T, R, 1, L> &y, u32 from, int part)
{
    if constexpr (wide_groups(L) != 1) {
        combine(f, y, from + part * ((R + 3) / 4 * 16));
    } else {
#pragma unroll
        for (int r = 0; r < R; r++) {
            const uint4 words = ptx::load_shared_16(from + (part * R + r) * 16);
            T of[4];
            of_word(of[0], words.x), of_word(of[1], words.y), of_word(of[2], words.z), of_word(of[3], words.w);
            const T all = f(y.get(r, 0).low, f(f(of[0], of[1]), f(of[2], of[3])));
            y.set(r, 0, all, all);
        }
    }
}

template <typename F, typename B, typename Y> WS_DEVICE Y sent<F, B, Y>::received(const Y &first) const
{
    Y y = first;
    ptx::mbarrier_wait(s.full, s.parity);
#pragma unroll
    for (int part = 0; part < B::y; part++)
        combine_rows(F(), y, s.from, part);
    have_read(s);
    return y;
}

/* ---- sums of powers below the maximum ---------------------------------------------------------------------------- */

struct by_exp {
    static WS_DEVICE float of(float x)
    {
        return expf(x);
    }
};
struct by_exp_fast { /* lowering/machine/fast-math.c */
    static WS_DEVICE float of(float x)
    {
        return one::exp_fast()(x);
    }
};
struct by_exp2 {
    static WS_DEVICE float of(float x)
    {
        return ptx::exp2_approx(x);
    }
};

/* Replaces x by its powers below the maximum of its row.  If the maximum is -infinity, so are all elements, and their
   powers are 0.  */
template <typename F, int R, int C, layout L>
static WS_DEVICE void to_powers(tile<float, R, C, L> &x, const tile<float, R, 1, L> &most)
{
    typedef spread<R, C, L> S;
    WS_FOR_SLOTS(S, slot)
    {
        const float own = most.get(slot, 0).low, below = own == -INFINITY ? 0 : own;
        WS_FOR_PAIRS(S, j)
        {
            const pair<float> p = x.get(slot, j);
            x.set(slot, j, F::of(p.low - below), F::of(p.high - below));
        }
    }
}

/* Rescales powers below a thread's maximum to powers below the maximum of all.  */
template <typename F, int R, int C, layout L>
static WS_DEVICE tile<float, R, C, L> below(const tile<float, R, C, L> &powers, const tile<float, R, 1, L> &most,
                                            const tile<float, R, 1, L> &largest)
{
    typedef spread<R, C, L> S;
    tile<float, R, C, L> y;
    WS_FOR_SLOTS(S, slot)
    {
        const float shrink = F::of(most.get(slot, 0).low - largest.get(slot, 0).low);
        WS_FOR_PAIRS(S, j)
        {
            const pair<float> p = powers.get(slot, j);
            y.set(slot, j, p.low * shrink, p.high * shrink);
        }
    }
    return y;
}

/* The sum of earlier powers, rescaled to the new maximum, and of new powers.  */
template <typename F, bool FUSED> static WS_DEVICE float with_powers(float before, float most, float now, float powers)
{
    const float shrink = F::of(most - now);
    return FUSED ? fmaf(before, shrink, powers) : before * shrink + powers;
}

template <typename F, bool FUSED, typename B, typename X, bool WIDE = wide_groups(X::kind) == 1> struct sent_powers;

/* For rows that all warps share: each warp sends its maximum and its sum below that.  */
template <typename F, bool FUSED, typename B, int R, int C, layout L>
struct sent_powers<F, FUSED, B, tile<float, R, C, L>, true> {
    typedef tile<float, R, 1, L> column;
    exchange<B> &s;
    tile<float, R, C, L> own;
    column most; /* of a warp's share */

    WS_DEVICE auto powers(const column &largest) const
    {
        return below<F>(own, most, largest);
    }

    /* Sums within each lane first, and then across lanes: the order is the same in all CTAs.  */
    WS_DEVICE column received(const column &first, const column &largest) const
    {
        constexpr int pairs = 4 * B::y, each = (pairs + 31) / 32;
        column y;
        ptx::mbarrier_wait(s.full, s.parity);
#pragma unroll
        for (int r = 0; r < R; r++) {
            const float before = largest.get(r, 0).low;
            float now = before, of_warp[each], sum[each], all = -0.0f;
#pragma unroll
            for (int i = 0; i < each; i++) {
                const int n = (int)ptx::lane() + 32 * i;
                const uint2 words = ptx::load_shared_8(s.from + (n % pairs / 4 * R + r) * 32 + n % 4 * 8);
                of_word(of_warp[i], words.x), of_word(sum[i], n < pairs ? words.y : 0);
                now = one::maximum()(now, of_warp[i]);
            }
            now = across<1, 16>(one::maximum(), now);
#pragma unroll
            for (int i = 0; i < each; i++)
                all += sum[i] * F::of(of_warp[i] - now);
            all = across<1, 16>(one::add(), all);
            all = with_powers<F, FUSED>(first.get(r, 0).low, before, now, all);
            y.set(r, 0, all, all);
        }
        have_read(s);
        return y;
    }
};
template <typename F, bool FUSED, typename B, int R, int C, layout L, typename only_if<wide_groups(L) == 1>::type = 0>
static WS_DEVICE auto send_powers(exchange<B> &s, const tile<float, R, C, L> &x)
{
    constexpr int at_once = 32 / B::y;
    const int to = (int)ptx::lane() % B::y, warp = (int)(threadIdx.x / 32 % 4);
    const u32 mine = s.in(s.from + (u32)B::template place<along_y>() * (R * 32) + warp * 8, to),
              full = s.in(s.full, to);
    sent_powers<F, FUSED, B, tile<float, R, C, L>> sent{s, x};
    float sum[R];
#pragma unroll
    for (int r = 0; r < R; r++) {
        const float most = across<1, 16>(one::maximum(), share_of_row(one::maximum(), x, r));
        sent.most.set(r, 0, most, most);
    }
    to_powers<F>(sent.own, sent.most);
#pragma unroll
    for (int r = 0; r < R; r++)
        sum[r] = across<1, 16>(one::add(), share_of_row(one::add(), sent.own, r));
    expect(s, B::y * R * 8);
#pragma unroll
    for (int r = 0; r < R; r++)
        if ((int)ptx::lane() / B::y == r % at_once)
            ptx::store_there(mine + r * 32, full, uint2{word_of(sent.most.get(r, 0).low), word_of(sum[r])});
    return sent;
}

/* For rows within a warp: words of the maximum, followed by words of sums.  */
template <typename F, bool FUSED, typename B, int R, int C, layout L>
struct sent_powers<F, FUSED, B, tile<float, R, C, L>, false> {
    typedef tile<float, R, 1, L> column;
    static constexpr int apart = (R + 3) / 4 * 16;
    exchange<B> &s;
    tile<float, R, C, L> own;
    column most;

    WS_DEVICE auto powers(const column &largest) const
    {
        return below<F>(own, most, largest);
    }

    WS_DEVICE column received(const column &first, const column &largest) const
    {
        typedef spread<R, 1, L> S;
        column all_most = largest, y = first;
        ptx::mbarrier_wait(s.full, s.parity);
#pragma unroll
        for (int part = 0; part < B::y; part++)
            combine(one::maximum(), all_most, s.from + part * 2 * apart);
        WS_FOR_SLOTS(S, slot)
        {
            const float now = all_most.get(slot, 0).low;
            float all = -0.0f;
#pragma unroll
            for (int part = 0; part < B::y; part++) {
                if (!has_row<S, R>(slot))
                    continue;
                const u32 at = s.from + part * 2 * apart + S::row(slot) * 4;
                float of_block, sum;
                of_word(of_block, ptx::load_shared_4(at)), of_word(sum, ptx::load_shared_4(at + apart));
                all += sum * F::of(of_block - now);
            }
            all = with_powers<F, FUSED>(first.get(slot, 0).low, largest.get(slot, 0).low, now, all);
            y.set(slot, 0, all, all);
        }
        have_read(s);
        return y;
    }
};
template <typename F, bool FUSED, typename B, int R, int C, layout L, typename only_if<wide_groups(L) != 1>::type = 0>
static WS_DEVICE auto send_powers(exchange<B> &s, const tile<float, R, C, L> &x)
{
    typedef sent_powers<F, FUSED, B, tile<float, R, C, L>> sent_here;
    sent_here sent{s, x, row_reduce(one::maximum(), x)};
    to_powers<F>(sent.own, sent.most);
    const auto sum = row_reduce(one::add(), sent.own);
    const u32 mine = s.from + (u32)B::template place<along_y>() * 2 * sent_here::apart;
    expect(s, B::y * R * 2);
    send_to_all(s, sent.most, mine);
    send_to_all(s, sum, mine + sent_here::apart);
    return sent;
}

template <int PIECE, bool FUSED, typename E, typename X> static WS_DEVICE auto send_sum_exp(E &s, const X &x)
{
    return send_powers<by_exp, FUSED>(s, x);
}
template <int PIECE, bool FUSED, typename E, typename X> static WS_DEVICE auto send_sum_exp_fast(E &s, const X &x)
{
    return send_powers<by_exp_fast, FUSED>(s, x);
}
template <int PIECE, bool FUSED, typename E, typename X> static WS_DEVICE auto send_sum_exp2(E &s, const X &x)
{
    return send_powers<by_exp2, FUSED>(s, x);
}

/* ---- functions of the emitted code ------------------------------------------------------------------------------- */

template <typename B, typename X> static WS_DEVICE X sum_blocks(exchange<B> &s, const X &x, const X &first)
{
    return over_blocks(one::add(), s, x, first);
}
template <typename B, typename X> static WS_DEVICE X max_blocks(exchange<B> &s, const X &x, const X &first)
{
    return over_blocks(one::maximum(), s, x, first);
}
template <typename B, typename X> static WS_DEVICE X min_blocks(exchange<B> &s, const X &x, const X &first)
{
    return over_blocks(one::minimum(), s, x, first);
}

template <int PIECE, typename E, typename X> static WS_DEVICE auto send_sum(E &s, const X &x)
{
    return send_rows(one::add(), s, x);
}
template <int PIECE, typename E, typename X> static WS_DEVICE auto send_max(E &s, const X &x)
{
    return send_rows(one::maximum(), s, x);
}
template <int PIECE, typename E, typename X> static WS_DEVICE auto send_min(E &s, const X &x)
{
    return send_rows(one::minimum(), s, x);
}

} // namespace ws

#include "teams.cuh"

#endif
