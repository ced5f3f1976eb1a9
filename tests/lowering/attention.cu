#include <wsrt.cuh>

// attention.ir:2: attention
struct attention_params {
    ws::tensor<ws::f16, 2> q;
    ws::tensor<ws::f16, 2> k;
    ws::tensor<ws::f16, 2> v;
    ws::tensor<ws::f16, 2> o;
    ws::edge_map q_map;                  // tiles of 128 rows, the last as it is
    ws::map k_map;                       // tiles of 128 rows
    ws::map v_map;                       // tiles of 128 rows
    ws::map o_map;
    int L;
    float scale;
    ws::grid<1> grid;
};

struct attention_shared {
    ws::shared_tile<ws::f16, 128, 128> tq[2];
    ws::shared_tile<ws::f16, 128, 128> tk[2];
    ws::shared_tile<ws::f16, 128, 128> tv[2];
    ws::output<ws::f16, 64, 2> o_out[2];  // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<2> tq_ring;
    ws::ring<2> tk_ring;
    ws::ring<2> tv_ring;
    ws::pingpong<2> pingpong;
};
static_assert(offsetof(attention_shared, tq) == 0);
static_assert(offsetof(attention_shared, tk) == 65536);
static_assert(offsetof(attention_shared, tv) == 131072);
static_assert(offsetof(attention_shared, o_out) == 196608);
static_assert(sizeof(attention_shared) == 230400);

template <bool TMA>
static WS_DEVICE void attention_producer(const attention_params &p, attention_shared &s, int group)
{
    ws::producer<2, TMA> tq_ring(s.tq_ring);
    ws::producer<2, TMA> tk_ring(s.tk_ring);
    ws::producer<2, TMA> tv_ring(s.tv_ring);
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // attention.ir:2
        const int i = t.at(0);
        const int tq_slot = tq_ring.put();
        ws::copy_in(tq_ring, s.tq[tq_slot], p.q, p.q_map, i, 0);
        tq_ring.put_done();
        for (int j = 0; j < p.L; j += 128) {  // attention.ir:13
            const int tk_slot = tk_ring.put();
            ws::copy_in(tk_ring, s.tk[tk_slot], p.k, p.k_map, j, 0);
            tk_ring.put_done();
            const int tv_slot = tv_ring.put();
            ws::copy_in(tv_ring, s.tv[tv_slot], p.v, p.v_map, j, 0);
            tv_ring.put_done();
        }
    }
}

static WS_DEVICE void attention_consumer(const attention_params &p, attention_shared &s, int group)
{
    ws::consumer<2> tq_ring(s.tq_ring);
    ws::consumer<2> tk_ring(s.tk_ring);
    ws::consumer<2> tv_ring(s.tv_ring);
    ws::warp_output o_out(s.o_out[group]);
    s.pingpong.begin(group);
    const long first_row = (long)group * 64;
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // attention.ir:2
        const int i = t.at(0);
        const int tq_slot = tq_ring.get();
        auto m = ws::full<float, 64, 1, ws::frag>(-1e+30);
        auto l = ws::full<float, 64, 1, ws::frag>(0);
        auto acc = ws::full<float, 64, 128, ws::frag>(0);
        const int edge = ws::max(ws::min((long)p.L - 127, (long)p.L), 0l);
        if (p.L > 0) {  // attention.ir:13
            const int tk_slot = tk_ring.get();
            auto s_2 = ws::full<float, 64, 128, ws::frag>(0);
            s.pingpong.take(group);
            ws::mma(s_2, ws::window<64, 128>(s.tq[tq_slot], first_row, 0), ws::trans(ws::view(s.tk[tk_slot])));
            ws::commit();
            s.pingpong.pass(group);
            ws::wait<0>(s_2);
            tk_ring.consumed<0>();
            auto masked = ws::mul(s_2, p.scale);
            if (edge <= 0) {  // attention.ir:23
                const auto col = ws::col_index<1, 128, ws::frag>();
                const auto at = ws::add(col, 0);
                const auto inside = ws::lt(at, p.L);
                masked = ws::select(inside, masked, -1e+30);
            }
            const auto best = ws::row_max(masked);
            const auto now = ws::max(m, best);
            const auto less = ws::sub(m, now);
            const auto shrink = ws::exp(less);
            const auto d = ws::sub(masked, now);
            const auto p_2 = ws::exp_fast(d);
            const auto ps = ws::row_part(p_2);
            l = ws::fma(l, shrink, ps);
            acc = ws::rescale(acc, shrink);
            auto ph = ws::cast<ws::f16>(p_2);
            m = now;
            int j = 128;
            for (; j < ws::min(edge, p.L); j += 128) {  // attention.ir:13
                const int tk_slot_2 = tk_ring.get();
                auto s_3 = ws::full<float, 64, 128, ws::frag>(0);
                s.pingpong.take(group);
                ws::mma(s_3, ws::window<64, 128>(s.tq[tq_slot], first_row, 0), ws::trans(ws::view(s.tk[tk_slot_2])));
                ws::commit();
                const int tv_slot = tv_ring.get();
                ws::mma(acc, ph, ws::view(s.tv[tv_slot]));
                ws::commit();
                s.pingpong.pass(group);
                ws::wait<1>(s_3);
                tk_ring.consumed<0>();
                const auto c = ws::mul(s_3, p.scale);
                const auto best_2 = ws::row_max(c);
                const auto now_2 = ws::max(m, best_2);
                const auto less_2 = ws::sub(m, now_2);
                const auto shrink_2 = ws::exp(less_2);
                const auto d_2 = ws::sub(c, now_2);
                ws::computed(shrink_2);
                ws::wait<0>(acc);
                tv_ring.consumed<0>();
                const auto p_3 = ws::exp_fast(d_2);
                const auto ps_2 = ws::row_part(p_3);
                l = ws::fma(l, shrink_2, ps_2);
                acc = ws::rescale(acc, shrink_2);
                ph = ws::cast<ws::f16>(p_3);
                m = now_2;
            }
            for (; j < p.L; j += 128) {  // attention.ir:13
                const int tk_slot_2 = tk_ring.get();
                auto s_3 = ws::full<float, 64, 128, ws::frag>(0);
                s.pingpong.take(group);
                ws::mma(s_3, ws::window<64, 128>(s.tq[tq_slot], first_row, 0), ws::trans(ws::view(s.tk[tk_slot_2])));
                ws::commit();
                const int tv_slot = tv_ring.get();
                ws::mma(acc, ph, ws::view(s.tv[tv_slot]));
                ws::commit();
                s.pingpong.pass(group);
                ws::wait<1>(s_3);
                tk_ring.consumed<0>();
                const auto c = ws::mul(s_3, p.scale);
                const auto col = ws::col_index<1, 128, ws::frag>();
                const auto at = ws::add(col, j);
                const auto inside = ws::lt(at, p.L);
                const auto masked_2 = ws::select(inside, c, -1e+30);
                const auto best_2 = ws::row_max(masked_2);
                const auto now_2 = ws::max(m, best_2);
                const auto less_2 = ws::sub(m, now_2);
                const auto shrink_2 = ws::exp(less_2);
                const auto d_2 = ws::sub(masked_2, now_2);
                ws::computed(shrink_2);
                ws::wait<0>(acc);
                tv_ring.consumed<0>();
                const auto p_3 = ws::exp_fast(d_2);
                const auto ps_2 = ws::row_part(p_3);
                l = ws::fma(l, shrink_2, ps_2);
                acc = ws::rescale(acc, shrink_2);
                ph = ws::cast<ws::f16>(p_3);
                m = now_2;
            }
            const int tv_slot_2 = tv_ring.get();
            ws::mma(acc, ph, ws::view(s.tv[tv_slot_2]));
            ws::commit();
            ws::computed(l);
            ws::wait<0>(acc);
            tv_ring.consumed<0>();
        }
        tq_ring.consumed<0>();
        l = ws::row_total(l);
        WS_UNROLL
        for (int subtile = 0; subtile < 128; subtile += 64) {  // attention.ir:39
            const auto out = ws::div_fast(ws::columns<64>(acc, subtile), l);
            const auto half = ws::cast<ws::f16>(out);
            ws::store_wait<1>();
            const auto box = ws::stage(o_out, half);
            ws::fence();
            ws::store(o_out, p.o, p.o_map, i + first_row, subtile, box);  // attention.ir:39
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void attention_kernel(WS_PARAMS(attention_params) p)
{
    attention_shared &s = ws::shared<attention_shared>();
    if (ws::first_thread()) {
        s.tq_ring.init("tq_ring", 2);    // two groups release each slot
        s.tk_ring.init("tk_ring", 2);    // two groups release each slot
        s.tv_ring.init("tv_ring", 2);    // two groups release each slot
        s.pingpong.init("pingpong");
        ws::prefetch(p.q_map);
        ws::prefetch(p.k_map);
        ws::prefetch(p.v_map);
        ws::prefetch(p.o_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<40>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.q_map, p.k_map, p.v_map))
                attention_producer<true>(p, s, 0);
            else
                attention_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<232>();
        attention_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_attention(int L, float scale, const void *Q, const void *K, const void *V, const void *O)
{
    ws::launch call("attention");
    attention_params p;
    call.tensor(p.q, "q", Q, {L, 128}, {128, 1}, ws::loaded);
    call.tensor(p.k, "k", K, {L, 128}, {128, 1}, ws::loaded);
    call.tensor(p.v, "v", V, {L, 128}, {128, 1}, ws::loaded);
    call.tensor(p.o, "o", O, {L, 128}, {128, 1}, ws::stored);
    call.place();
    call.map(p.q_map, p.q, 128);
    call.map(p.k_map, p.k, 128);
    call.map(p.v_map, p.v, 128);
    call.map(p.o_map, p.o, 64);
    p.L = L;
    p.scale = scale;
    call.grid(p.grid, {{0, L, 128}}, ws::order_auto, 0);
    call.run(attention_kernel, p, 384, sizeof(attention_shared), ws::persistent);
}
