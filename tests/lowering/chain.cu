#include <wsrt.cuh>

// chain.ir:2: chain
struct chain_params {
    ws::tensor<ws::f16, 2> q;
    ws::tensor<ws::f16, 2> k;
    ws::tensor<ws::f16, 2> v;
    ws::tensor<ws::f16, 2> w;
    ws::tensor<float, 2> o;
    ws::edge_map q_map;                  // tiles of 128 rows, the last as it is
    ws::map k_map;                       // tiles of 64 rows
    ws::map v_map;                       // tiles of 64 rows
    ws::map w_map;                       // tiles of 64 rows
    ws::map o_map;
    int L;
    ws::grid<1> grid;
};

struct chain_shared {
    ws::shared_tile<ws::f16, 128, 64> tq[2];
    ws::shared_tile<ws::f16, 64, 64> tk[4];
    ws::shared_tile<ws::f16, 64, 64> tv[4];
    ws::shared_tile<ws::f16, 64, 64> tw[4];
    ws::output<float, 64, 2> o_out[2];   // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<2> tq_ring;
    ws::ring<4> tk_ring;
    ws::ring<4> tv_ring;
    ws::ring<4> tw_ring;
    ws::pingpong<2> pingpong;
};
static_assert(offsetof(chain_shared, tq) == 0);
static_assert(offsetof(chain_shared, tk) == 32768);
static_assert(offsetof(chain_shared, tv) == 65536);
static_assert(offsetof(chain_shared, tw) == 98304);
static_assert(offsetof(chain_shared, o_out) == 131072);
static_assert(sizeof(chain_shared) == 164864);

template <bool TMA>
static WS_DEVICE void chain_producer(const chain_params &p, chain_shared &s, int group)
{
    ws::producer<2, TMA> tq_ring(s.tq_ring);
    ws::producer<4, TMA> tk_ring(s.tk_ring);
    ws::producer<4, TMA> tv_ring(s.tv_ring);
    ws::producer<4, TMA> tw_ring(s.tw_ring);
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // chain.ir:2
        const int i = t.at(0);
        const int tq_slot = tq_ring.put();
        ws::copy_in(tq_ring, s.tq[tq_slot], p.q, p.q_map, i, 0);
        tq_ring.put_done();
        for (int j = 0; j < p.L; j += 64) {  // chain.ir:12
            const int tk_slot = tk_ring.put();
            ws::copy_in(tk_ring, s.tk[tk_slot], p.k, p.k_map, j, 0);
            tk_ring.put_done();
            const int tv_slot = tv_ring.put();
            ws::copy_in(tv_ring, s.tv[tv_slot], p.v, p.v_map, j, 0);
            tv_ring.put_done();
            const int tw_slot = tw_ring.put();
            ws::copy_in(tw_ring, s.tw[tw_slot], p.w, p.w_map, j, 0);
            tw_ring.put_done();
        }
    }
}

static WS_DEVICE void chain_consumer(const chain_params &p, chain_shared &s, int group)
{
    ws::consumer<2> tq_ring(s.tq_ring);
    ws::consumer<4> tk_ring(s.tk_ring);
    ws::consumer<4> tv_ring(s.tv_ring);
    ws::consumer<4> tw_ring(s.tw_ring);
    ws::warp_output o_out(s.o_out[group]);
    s.pingpong.begin(group);
    const long first_row = (long)group * 64;
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // chain.ir:2
        const int i = t.at(0);
        const int tq_slot = tq_ring.get();
        const auto zero = ws::full<float, 64, 64, ws::frag>(0);
        ws::tile<float, 64, 64, ws::frag> acc;
        if (p.L > 0) {  // chain.ir:12
            const int tk_slot = tk_ring.get();
            auto s_2 = ws::full<float, 64, 64, ws::frag>(0);
            s.pingpong.take(group);
            ws::mma(s_2, ws::window<64, 64>(s.tq[tq_slot], first_row, 0), ws::trans(ws::view(s.tk[tk_slot])));
            ws::commit();
            s.pingpong.pass(group);
            ws::wait<0>(s_2);
            tk_ring.consumed<0>();
            const auto c = ws::mul(s_2, 0.5);
            auto p_2 = ws::cast<ws::f16>(c);
            if (p.L > 64) {  // chain.ir:12
                const int tk_slot_2 = tk_ring.get();
                auto s_3 = ws::full<float, 64, 64, ws::frag>(0);
                s.pingpong.take(group);
                auto t_2 = ws::full_now<float, 64, 64, ws::frag>(0);
                ws::mma(s_3, ws::window<64, 64>(s.tq[tq_slot], first_row, 0), ws::trans(ws::view(s.tk[tk_slot_2])));
                ws::commit();
                const int tv_slot = tv_ring.get();
                ws::mma(t_2, p_2, ws::view(s.tv[tv_slot]));
                ws::commit();
                s.pingpong.pass(group);
                ws::wait<1>(s_3);
                tk_ring.consumed<0>();
                const auto c_2 = ws::mul(s_3, 0.5);
                ws::wait<0>(t_2);
                tv_ring.consumed<0>();
                p_2 = ws::cast<ws::f16>(c_2);
                const auto g = ws::max(t_2, zero);
                auto h = ws::cast<ws::f16>(g);
                acc = zero;
                for (int j = 128; j < p.L; j += 64) {  // chain.ir:12
                    const int tk_slot_3 = tk_ring.get();
                    auto s_4 = ws::full<float, 64, 64, ws::frag>(0);
                    s.pingpong.take(group);
                    auto t_3 = ws::full_now<float, 64, 64, ws::frag>(0);
                    ws::mma(s_4, ws::window<64, 64>(s.tq[tq_slot], first_row, 0), ws::trans(ws::view(s.tk[tk_slot_3])));
                    ws::commit();
                    const int tv_slot_2 = tv_ring.get();
                    ws::mma(t_3, p_2, ws::view(s.tv[tv_slot_2]));
                    ws::commit();
                    const int tw_slot = tw_ring.get();
                    ws::mma(acc, h, ws::view(s.tw[tw_slot]));
                    ws::commit();
                    s.pingpong.pass(group);
                    ws::wait<2>(s_4);
                    tk_ring.consumed<0>();
                    const auto c_3 = ws::mul(s_4, 0.5);
                    ws::wait<1>(t_3);
                    tv_ring.consumed<0>();
                    p_2 = ws::cast<ws::f16>(c_3);
                    const auto g_2 = ws::max(t_3, zero);
                    ws::wait<0>(acc);
                    tw_ring.consumed<0>();
                    h = ws::cast<ws::f16>(g_2);
                }
                const int tw_slot_2 = tw_ring.get();
                ws::mma(acc, h, ws::view(s.tw[tw_slot_2]));
                ws::commit();
                ws::wait<0>(acc);
                tw_ring.consumed<0>();
            } else {
                acc = zero;
            }
            const int tv_slot_3 = tv_ring.get();
            auto t_4 = ws::full<float, 64, 64, ws::frag>(0);
            ws::mma(t_4, p_2, ws::view(s.tv[tv_slot_3]));
            ws::commit();
            ws::wait<0>(t_4);
            tv_ring.consumed<0>();
            const auto g_3 = ws::max(t_4, zero);
            const auto h_2 = ws::cast<ws::f16>(g_3);
            const int tw_slot_3 = tw_ring.get();
            ws::mma(acc, h_2, ws::view(s.tw[tw_slot_3]));
            ws::commit();
            ws::wait<0>(acc);
            tw_ring.consumed<0>();
        } else {
            acc = zero;
        }
        tq_ring.consumed<0>();
        const long n = i + first_row;
        ws::store_wait<1>();
        const auto box = ws::stage<0>(o_out, acc);
        ws::fence();
        ws::store(o_out, p.o, p.o_map, n, 0, box);  // chain.ir:29
        ws::store_wait<1>();
        const auto box_2 = ws::stage<1>(o_out, acc);
        ws::fence();
        ws::store(o_out, p.o, p.o_map, n, 0, box_2);  // chain.ir:29
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void chain_kernel(WS_PARAMS(chain_params) p)
{
    chain_shared &s = ws::shared<chain_shared>();
    if (ws::first_thread()) {
        s.tq_ring.init("tq_ring", 2);    // two groups release each slot
        s.tk_ring.init("tk_ring", 2);    // two groups release each slot
        s.tv_ring.init("tv_ring", 2);    // two groups release each slot
        s.tw_ring.init("tw_ring", 2);    // two groups release each slot
        s.pingpong.init("pingpong");
        ws::prefetch(p.q_map);
        ws::prefetch(p.k_map);
        ws::prefetch(p.v_map);
        ws::prefetch(p.w_map);
        ws::prefetch(p.o_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<40>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.q_map, p.k_map, p.v_map, p.w_map))
                chain_producer<true>(p, s, 0);
            else
                chain_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<232>();
        chain_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_chain(int L, const void *Q, const void *K, const void *V, const void *W, const void *O)
{
    ws::launch call("chain");
    chain_params p;
    call.tensor(p.q, "q", Q, {L, 64}, {64, 1}, ws::loaded);
    call.tensor(p.k, "k", K, {L, 64}, {64, 1}, ws::loaded);
    call.tensor(p.v, "v", V, {L, 64}, {64, 1}, ws::loaded);
    call.tensor(p.w, "w", W, {L, 64}, {64, 1}, ws::loaded);
    call.tensor(p.o, "o", O, {L, 64}, {64, 1}, ws::stored);
    call.place();
    call.map(p.q_map, p.q, 128);
    call.map(p.k_map, p.k, 64);
    call.map(p.v_map, p.v, 64);
    call.map(p.w_map, p.w, 64);
    call.map(p.o_map, p.o, 64);
    p.L = L;
    call.grid(p.grid, {{0, L, 128}}, ws::order_auto, 0);
    call.run(chain_kernel, p, 384, sizeof(chain_shared), ws::persistent);
}
