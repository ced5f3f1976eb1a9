/* SPDX-License-Identifier: MIT */
/*
 * teams.cuh - blocks.cuh for rows that the threads of several groups share: one warp sends for the whole CTA.
 *
 *      team_exchange<cluster<1, 8>, 4, 0> sum_shares(s.sum_shares);     four groups, warp 0 sends
 *      const auto sent = send_sum<1024>(sum_shares, x)                  x is wide_4
 *      sum = sent.received(zero)
 *
 * Each warp leaves its share in the CTA's memory and goes on.  One warp waits for all shares, combines them, and sends
 * the result to all CTAs.  Two slots alternate.  A slot's words arrive from a CTA after all its warps have left their
 * shares, and thus have read the other slot.  When all words of one slot have arrived, the other slot is free.  So no
 * release of a slot is needed, and a CTA may end when it has received all words.
 */
#ifndef WS_CUDA_TEAMS_CUH
#define WS_CUDA_TEAMS_CUH

namespace ws {

/* WORDS words for each CTA: two slots of received words, the shares of the warps, and a barrier.  */
template <typename T, int P, int WORDS, int GROUPS> struct alignas(16) team_shares {
    static_assert(sizeof(T) == 4, "words");
    static constexpr int words = P * ((WORDS + 3) / 4 * 4);
    u32 word[words];
    u64 full[2];

    static WS_DEVICE u32 met(u32 address)
    {
        return address + words * 4 - 8;
    }
    WS_DEVICE void init(const char *)
    {
        ptx::mbarrier_init(ptx::shared_address(&full[0]), 1);
        ptx::mbarrier_init(ptx::shared_address(&full[1]), 1);
        ptx::mbarrier_init(met(ptx::shared_address(word)), 4 * GROUPS);
    }
};

/* NUMBER: the warp that sends.  */
template <typename B, int GROUPS, int NUMBER> struct team_exchange {
    static constexpr int parts = B::y, warps = 4 * GROUPS, apart = (parts + 3) / 4 * 16;
    u32 from, full, met; /* addresses */
    u32 turn;

    template <typename T, int WORDS>
    explicit WS_DEVICE team_exchange(team_shares<T, parts, WORDS, GROUPS> &s)
        : from(ptx::shared_address(s.word)), full(ptx::shared_address(s.full)), met(s.met(from)), turn(0)
    {
    }

    static WS_DEVICE u32 in(u32 address, int other)
    {
        return ptx::address_in(address, (u32)B::template member<along_y>(other));
    }
    WS_DEVICE u32 barrier() const
    {
        return full + (turn & 1) * 8;
    }
    WS_DEVICE void wait() const
    {
        ptx::mbarrier_wait(barrier(), turn >> 1 & 1);
    }
    WS_DEVICE void have_read()
    {
        turn++;
    }
};

/* WORDS words that each CTA sends in a turn.  */
template <int WORDS, typename E> struct team_words {
    const E &s;

    /* The address of the received copies of one word.  */
    WS_DEVICE u32 slot(int word) const
    {
        return s.from + ((s.turn & 1) * WORDS + word) * E::apart;
    }
    WS_DEVICE u32 own(int word) const
    {
        return s.from + 2 * WORDS * E::apart + word * (E::warps * 4);
    }

    WS_DEVICE void leave(int word, u32 x) const
    {
        if (ptx::lane() == 0)
            ptx::store_shared_4(own(word) + threadIdx.x / 32 % E::warps * 4, x);
    }
    WS_DEVICE u32 left(int word) const
    {
        return ptx::load_shared_4(own(word) + ptx::lane() % E::warps * 4);
    }
    /* A warp has left its share.  In the sending warp it waits for all shares and returns true.  */
    WS_DEVICE bool have_left(int number) const
    {
        if (ptx::lane() == 0)
            ptx::mbarrier_arrive(s.met);
        if (ptx::uniform(threadIdx.x / 32 % E::warps) != number)
            return false;
        if (ptx::lane() == 0) {
            ptx::mbarrier_expect_tx(s.barrier(), E::parts * WORDS * 4);
            ptx::mbarrier_arrive(s.barrier());
        }
        ptx::mbarrier_wait(s.met, s.turn & 1);
        return true;
    }
    /* Each lane sends to one CTA.  */
    template <typename B> WS_DEVICE void send(int word, u32 x) const
    {
        const int to = (int)ptx::lane();
        if (to < E::parts)
            ptx::store_there(s.in(slot(word) + (u32)B::template place<along_y>() * 4, to), s.in(s.barrier(), to), x);
    }
};

template <typename F, typename E, typename Y> struct sent_by_team;

template <typename F, typename E, typename T, int R, layout L> struct sent_by_team<F, E, tile<T, R, 1, L>> {
    typedef tile<T, R, 1, L> column;
    E &s;

    /* In the order of the CTAs.  */
    WS_DEVICE column received(const column &first) const
    {
        const team_words<R, E> here{s};
        column y;
        s.wait();
#pragma unroll
        for (int r = 0; r < R; r++) {
            T all = first.get(r, 0).low;
#pragma unroll
            for (int part = 0; part < E::parts; part += 4) {
                const uint4 words = ptx::load_shared_16(here.slot(r) + part * 4);
                const u32 word[4] = {words.x, words.y, words.z, words.w};
#pragma unroll
                for (int i = 0; i < 4 && part + i < E::parts; i++) {
                    T x;
                    of_word(x, word[i]);
                    all = F()(all, x);
                }
            }
            y.set(r, 0, all, all);
        }
        s.have_read();
        return y;
    }
};

template <typename F, typename B, int GROUPS, int NUMBER, typename T, int R, int C, layout L>
static WS_DEVICE auto send_rows(F f, team_exchange<B, GROUPS, NUMBER> &s, const tile<T, R, C, L> &x)
{
    typedef team_exchange<B, GROUPS, NUMBER> E;
    static_assert(wide_groups(L) == GROUPS, "rows that all groups of the team share");
    const team_words<R, E> here{s};
#pragma unroll
    for (int r = 0; r < R; r++)
        here.leave(r, word_of(across<1, 16>(f, share_of_row(f, x, r))));
    if (here.have_left(NUMBER))
#pragma unroll
        for (int r = 0; r < R; r++) {
            T all;
            of_word(all, here.left(r));
            here.template send<B>(r, word_of(across<1, 2 * GROUPS>(f, all)));
        }
    return sent_by_team<F, E, tile<T, R, 1, L>>{s};
}

/* ---- one CTA ----------------------------------------------------------------------------------------------------- */

/* For a CTA that has whole rows: its warps synchronize once for each row.  Two slots alternate.  A warp that writes a
   slot has passed a barrier after the last reads of that slot.  */
template <typename T, int WORDS, int GROUPS> struct alignas(16) lone_shares {
    static_assert(sizeof(T) == 4, "words");
    u32 word[(WORDS + 3) / 4 * 4];
    u64 unused[2];
};

template <int GROUPS> struct lone_exchange {
    static constexpr int warps = 4 * GROUPS;
    u32 from, turn;

    template <typename T, int WORDS>
    explicit WS_DEVICE lone_exchange(lone_shares<T, WORDS, GROUPS> &s) : from(ptx::shared_address(s.word)), turn(0)
    {
    }
    WS_DEVICE void have_read()
    {
        turn++;
    }
};

template <int WORDS, int GROUPS> struct lone_words {
    const lone_exchange<GROUPS> &s;

    WS_DEVICE u32 own(int word) const
    {
        return s.from + ((s.turn & 1) * WORDS + word) * (s.warps * 4);
    }
    WS_DEVICE void leave(int word, u32 x) const
    {
        if (ptx::lane() == 0)
            ptx::store_shared_4(own(word) + threadIdx.x / 32 % s.warps * 4, x);
    }
    WS_DEVICE u32 left(int word) const
    {
        return ptx::load_shared_4(own(word) + ptx::lane() % s.warps * 4);
    }
};

template <typename F, int GROUPS, typename T, int R, layout L>
struct sent_by_team<F, lone_exchange<GROUPS>, tile<T, R, 1, L>> {
    typedef tile<T, R, 1, L> column;
    lone_exchange<GROUPS> &s;

    WS_DEVICE column received(const column &first) const
    {
        const lone_words<R, GROUPS> here{s};
        column y;
        meet_group<L>();
#pragma unroll
        for (int r = 0; r < R; r++) {
            T all;
            of_word(all, here.left(r));
            all = F()(first.get(r, 0).low, across<1, 2 * GROUPS>(F(), all));
            y.set(r, 0, all, all);
        }
        s.have_read();
        return y;
    }
};

template <typename F, int GROUPS, typename T, int R, int C, layout L>
static WS_DEVICE auto send_rows(F f, lone_exchange<GROUPS> &s, const tile<T, R, C, L> &x)
{
    static_assert(wide_groups(L) == GROUPS, "rows that all threads share");
    const lone_words<R, GROUPS> here{s};
#pragma unroll
    for (int r = 0; r < R; r++)
        here.leave(r, word_of(across<1, 16>(f, share_of_row(f, x, r))));
    return sent_by_team<F, lone_exchange<GROUPS>, tile<T, R, 1, L>>{s};
}

/* ---- sums of powers below the maximum ---------------------------------------------------------------------------- */

/* The sum of powers below `now` over lanes that each have a maximum and a sum below it; `now` is at least as large.  */
template <typename F, int LAST> static WS_DEVICE float sum_below(float most, float sum, float now)
{
    return across<1, LAST>(one::add(), sum * F::of(most - (now == -INFINITY ? 0 : now)));
}

/* Two words of each row: its maximum, and its sum, R words further.  */
template <typename F, bool FUSED, typename E, typename X> struct powers_of_team;

template <typename F, bool FUSED, typename E, int R, int C, layout L>
struct powers_of_team<F, FUSED, E, tile<float, R, C, L>> {
    typedef tile<float, R, 1, L> column;
    E &s;
    tile<float, R, C, L> own;
    column most; /* of a warp's share */

    WS_DEVICE auto powers(const column &largest) const
    {
        return below<F>(own, most, largest);
    }

    WS_DEVICE column received(const column &first, const column &largest) const
    {
        const team_words<2 * R, E> here{s};
        column y;
        s.wait();
#pragma unroll
        for (int r = 0; r < R; r++) {
            const int n = (int)ptx::lane();
            const float before = largest.get(r, 0).low;
            float of_block, sum;
            of_word(of_block, ptx::load_shared_4(here.slot(r) + n % E::parts * 4));
            of_word(sum, n < E::parts ? ptx::load_shared_4(here.slot(R + r) + n * 4) : 0);
            const float now = one::maximum()(before, across<1, 16>(one::maximum(), of_block));
            const float all =
                with_powers<F, FUSED>(first.get(r, 0).low, before, now, sum_below<F, 16>(of_block, sum, now));
            y.set(r, 0, all, all);
        }
        s.have_read();
        return y;
    }
};

/* Leaves a warp's share of each row: its maximum, and the sum of the powers below that.  */
template <typename F, typename H, typename S, int R, int C, layout L>
static WS_DEVICE void leave_powers(const H &here, S &sent, const tile<float, R, C, L> &x)
{
#pragma unroll
    for (int r = 0; r < R; r++) {
        const float most = across<1, 16>(one::maximum(), share_of_row(one::maximum(), x, r));
        sent.most.set(r, 0, most, most);
        here.leave(r, word_of(most));
    }
    to_powers<F>(sent.own, sent.most);
#pragma unroll
    for (int r = 0; r < R; r++)
        here.leave(R + r, word_of(across<1, 16>(one::add(), share_of_row(one::add(), sent.own, r))));
}

template <typename F, bool FUSED, typename B, int GROUPS, int NUMBER, int R, int C, layout L>
static WS_DEVICE auto send_powers(team_exchange<B, GROUPS, NUMBER> &s, const tile<float, R, C, L> &x)
{
    typedef team_exchange<B, GROUPS, NUMBER> E;
    static_assert(wide_groups(L) == GROUPS, "rows that all groups of the team share");
    constexpr int last = 2 * GROUPS;
    const team_words<2 * R, E> here{s};
    powers_of_team<F, FUSED, E, tile<float, R, C, L>> sent{s, x};
    leave_powers<F>(here, sent, x);
    if (here.have_left(NUMBER))
#pragma unroll
        for (int r = 0; r < R; r++) {
            float of_warp, sum;
            of_word(of_warp, here.left(r)), of_word(sum, here.left(R + r));
            const float most = across<1, last>(one::maximum(), of_warp);
            here.template send<B>(r, word_of(most));
            here.template send<B>(R + r, word_of(sum_below<F, last>(of_warp, sum, most)));
        }
    return sent;
}

template <typename F, bool FUSED, int GROUPS, int R, int C, layout L>
struct powers_of_team<F, FUSED, lone_exchange<GROUPS>, tile<float, R, C, L>> {
    typedef tile<float, R, 1, L> column;
    lone_exchange<GROUPS> &s;
    tile<float, R, C, L> own;
    column most; /* of a warp's share */

    WS_DEVICE auto powers(const column &largest) const
    {
        return below<F>(own, most, largest);
    }

    WS_DEVICE column received(const column &first, const column &largest) const
    {
        constexpr int last = 2 * GROUPS;
        const lone_words<2 * R, GROUPS> here{s};
        column y;
        meet_group<L>();
#pragma unroll
        for (int r = 0; r < R; r++) {
            const float before = largest.get(r, 0).low;
            float of_warp, sum;
            of_word(of_warp, here.left(r)), of_word(sum, here.left(R + r));
            const float now = one::maximum()(before, across<1, last>(one::maximum(), of_warp));
            const float all =
                with_powers<F, FUSED>(first.get(r, 0).low, before, now, sum_below<F, last>(of_warp, sum, now));
            y.set(r, 0, all, all);
        }
        s.have_read();
        return y;
    }
};

template <typename F, bool FUSED, int GROUPS, int R, int C, layout L>
static WS_DEVICE auto send_powers(lone_exchange<GROUPS> &s, const tile<float, R, C, L> &x)
{
    static_assert(wide_groups(L) == GROUPS, "rows that all threads share");
    const lone_words<2 * R, GROUPS> here{s};
    powers_of_team<F, FUSED, lone_exchange<GROUPS>, tile<float, R, C, L>> sent{s, x};
    leave_powers<F>(here, sent, x);
    return sent;
}

} // namespace ws

#endif
