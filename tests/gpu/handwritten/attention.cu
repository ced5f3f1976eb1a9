/* SPDX-License-Identifier: MIT */
/* attention.cu - two products in a loop with a softmax between them, coarse: while the tensor cores work on Q K^T of
   block j and on P V of block j-1, nothing waits but the softmax of block j.  Heads of 128 columns, two consumer groups
   split 128 query rows, rings of 2.  */
#include <wsrt.cuh>

// attention.c:13: attention
struct attention_params {
    ws::tensor<ws::f16, 3> q;
    ws::tensor<ws::f16, 3> k;
    ws::tensor<ws::f16, 3> v;
    ws::tensor<ws::f16, 3> o;
    ws::map q_map;                       // tiles of 128 rows
    ws::map k_map;                       // tiles of 128 rows
    ws::map v_map;                       // tiles of 128 rows
    ws::map o_map;
    int L;
    float scale;                         // of the scores, in powers of 2
    ws::grid<2> grid;
};

struct attention_shared {
    ws::shared_tile<ws::f16, 128, 128> tq[1];
    ws::shared_tile<ws::f16, 128, 128> tk[2];
    ws::shared_tile<ws::f16, 128, 128> tv[2];
    ws::output<ws::f16, 64, 1> o_out[2]; // 64 rows, 1 block of 128 bytes; one for each group
    ws::ring<1> q_ring;
    ws::ring<2> k_ring;
    ws::ring<2> v_ring;
    ws::pingpong<2> turn;
};

template <bool TMA>
static WS_DEVICE void attention_producer(const attention_params &p, attention_shared &s, int group)
{
    ws::producer<1, TMA> tq(s.q_ring);
    ws::producer<2, TMA> tk(s.k_ring);
    ws::producer<2, TMA> tv(s.v_ring);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {
        const int h = t.at(0);
        const int i = t.at(1);
        {
            const int slot = tq.put();
            ws::copy_in(tq, s.tq[slot], p.q, p.q_map, h, i, 0);
            tq.put_done();
        }
        for (int j = 0; j < p.L; j += 128) {
            const int k_slot = tk.put();
            ws::copy_in(tk, s.tk[k_slot], p.k, p.k_map, h, j, 0);
            tk.put_done();
            const int v_slot = tv.put();
            ws::copy_in(tv, s.tv[v_slot], p.v, p.v_map, h, j, 0);
            tv.put_done();
        }
    }
}

static WS_DEVICE void attention_consumer(const attention_params &p, attention_shared &s, int group)
{
    ws::consumer<1> tq(s.q_ring);
    ws::consumer<2> tk(s.k_ring);
    ws::consumer<2> tv(s.v_ring);
    ws::warp_output o_out(s.o_out[group]);
    s.turn.begin(group);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {
        const int h = t.at(0);
        const int i = t.at(1);
        const int q_slot = tq.get();
        auto acc = ws::full<float, 64, 128, ws::frag>(0);
        auto largest = ws::full<float, 64, 1, ws::frag>(-1e30);
        auto sum = ws::full<float, 64, 1, ws::frag>(0);
        if (0 < p.L) {
            // prologue: block 0 up to its softmax
            auto x = ws::full<float, 64, 128, ws::frag>(0);
            const int k_first = tk.get();
            s.turn.take(group);
            ws::mma(x, ws::window<64, 128>(s.tq[q_slot], group * 64, 0), ws::trans(ws::view(s.tk[k_first])));
            ws::commit();
            s.turn.pass(group);
            ws::wait<0>(x);
            tk.consumed<0>();
            if (p.L < 128)
                x = ws::select(ws::lt(ws::col_index<1, 128, ws::frag>(), p.L), x, -1e30);
            auto now = ws::max(largest, ws::row_max(x));
            x = ws::exp2(ws::fma(x, p.scale, ws::mul(now, -p.scale)));
            sum = ws::row_sum(x);
            largest = now;
            auto prob = ws::cast<ws::f16>(x);
            for (int j = 128; j < p.L; j += 128) {
                auto y = ws::full<float, 64, 128, ws::frag>(0);
                const int k_slot = tk.get();
                s.turn.take(group);
                ws::mma(y, ws::window<64, 128>(s.tq[q_slot], group * 64, 0), ws::trans(ws::view(s.tk[k_slot])));
                ws::commit();
                const int v_slot = tv.get();
                ws::mma(acc, prob, ws::view(s.tv[v_slot]));
                ws::commit();
                s.turn.pass(group);
                ws::wait<1>(y);
                tk.consumed<0>();
                if (p.L - j < 128)
                    y = ws::select(ws::lt(ws::col_index<1, 128, ws::frag>(), p.L - j), y, -1e30);
                now = ws::max(largest, ws::row_max(y));
                y = ws::fma(y, p.scale, ws::mul(now, -p.scale));
                ws::computed(now);
                ws::wait<0>(acc);
                tv.consumed<0>();
                y = ws::exp2(y);
                auto shrink = ws::exp2(ws::mul(ws::sub(largest, now), p.scale));
                sum = ws::fma(sum, shrink, ws::row_sum(y));
                largest = now;
                prob = ws::cast<ws::f16>(y);
                acc = ws::rescale(acc, shrink);
            }
            // epilogue: the second product of the last block; the queries were read
            tq.consumed<0>();
            const int v_last = tv.get();
            ws::mma(acc, prob, ws::view(s.tv[v_last]));
            ws::commit();
            ws::wait<0>(acc);
            tv.consumed<0>();
        }
        tq.consumed<0>();
        ws::store(o_out, p.o, p.o_map, h, i + group * 64, 0, ws::cast<ws::f16>(ws::mul(acc, ws::div(1, sum))));
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void attention_kernel(WS_PARAMS(attention_params) p)
{
    attention_shared &s = ws::shared<attention_shared>();
    if (ws::first_thread()) {
        s.q_ring.init("tq", 2);          // two groups release each slot
        s.k_ring.init("tk", 2);
        s.v_ring.init("tv", 2);
        s.turn.init("turn");
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<32>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.q_map, p.k_map, p.v_map))
                attention_producer<true>(p, s, 0);
            else
                attention_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        attention_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_attention(int heads, int L, float scale, const void *Q, const void *K, const void *V,
                                    const void *O)
{
    ws::launch call("attention");
    attention_params p;
    call.tensor(p.q, "q", Q, {heads, L, 128}, {L * 128L, 128, 1}, ws::loaded);
    call.tensor(p.k, "k", K, {heads, L, 128}, {L * 128L, 128, 1}, ws::loaded);
    call.tensor(p.v, "v", V, {heads, L, 128}, {L * 128L, 128, 1}, ws::loaded);
    call.tensor(p.o, "o", O, {heads, L, 128}, {L * 128L, 128, 1}, ws::stored);
    call.place();
    call.map(p.q_map, p.q, 128);
    call.map(p.k_map, p.k, 128);
    call.map(p.v_map, p.v, 128);
    call.map(p.o_map, p.o, 64);
    p.L = L;
    p.scale = scale;
    call.grid(p.grid, {{0, heads, 1}, {0, L, 128}}, ws::order_auto, 0);
    call.run(attention_kernel, p, 384, sizeof(attention_shared), ws::persistent);
}
