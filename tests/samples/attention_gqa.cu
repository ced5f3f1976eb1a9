#include <wsrt.cuh>

// attention_gqa.c:22: attention_gqa
struct attention_gqa_params {
    ws::tensor<ws::bf16, 3> q;
    ws::tensor<ws::bf16, 3> k;
    ws::tensor<ws::bf16, 3> v;
    ws::tensor<ws::bf16, 3> o;
    ws::edge_map q_map;                  // tiles of 128 rows, the last as it is
    ws::map k_map;                       // tiles of 128 rows
    ws::map v_map;                       // tiles of 128 rows
    ws::map o_map;
    int share;
    int keys;
    int causal;
    int offset;
    float power;
    int i;
    ws::grid<2> grid;
};

struct attention_gqa_shared {
    ws::shared_tile<ws::bf16, 128, 128> tq[2];
    ws::shared_tile<ws::bf16, 128, 128> tk[2];
    ws::shared_tile<ws::bf16, 128, 128> tv[2];
    ws::output<ws::bf16, 64, 2> o_out[2];  // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<2> tq_ring;
    ws::ring<2> tk_ring;
    ws::ring<2> tv_ring;
    ws::pingpong<2> pingpong;
    ws::tile_scheduler scheduler;
};
static_assert(offsetof(attention_gqa_shared, tq) == 0);
static_assert(offsetof(attention_gqa_shared, tk) == 65536);
static_assert(offsetof(attention_gqa_shared, tv) == 131072);
static_assert(offsetof(attention_gqa_shared, o_out) == 196608);
static_assert(sizeof(attention_gqa_shared) == 230400);

template <bool TMA>
static WS_DEVICE void attention_gqa_producer(const attention_gqa_params &p, attention_gqa_shared &s, int group)
{
    ws::producer<2, TMA> tq_ring(s.tq_ring);
    ws::producer<2, TMA> tk_ring(s.tk_ring);
    ws::producer<2, TMA> tv_ring(s.tv_ring);
    for (ws::scheduling_tiles<2> t(p.grid, s.scheduler); t.more(); t.next()) {  // attention_gqa.c:22
        const int h = t.at(0);
        const int n = t.at(1);
        const int i = p.i - n * 128;
        const int seen = p.causal == 0 ? p.keys : p.offset + i;
        const int last = ws::min(p.keys, seen + 128);
        const int tq_slot = tq_ring.put();
        ws::copy_in(tq_ring, s.tq[tq_slot], p.q, p.q_map, h, i, 0);
        tq_ring.put_done();
        for (int j = 0; j < last; j += 128) {  // attention_gqa.c:31
            const int n_2 = h / p.share;
            const int tk_slot = tk_ring.put();
            ws::copy_in(tk_ring, s.tk[tk_slot], p.k, p.k_map, n_2, j, 0);
            tk_ring.put_done();
            const int tv_slot = tv_ring.put();
            ws::copy_in(tv_ring, s.tv[tv_slot], p.v, p.v_map, n_2, j, 0);
            tv_ring.put_done();
        }
    }
}

static WS_DEVICE void attention_gqa_consumer(const attention_gqa_params &p, attention_gqa_shared &s, int group)
{
    ws::consumer<2> tq_ring(s.tq_ring);
    ws::consumer<2> tk_ring(s.tk_ring);
    ws::consumer<2> tv_ring(s.tv_ring);
    ws::warp_output o_out(s.o_out[group]);
    s.pingpong.begin(group);
    const long first_row = (long)group * 64;
    for (ws::dynamic_tiles<2> t(p.grid, s.scheduler); t.more(); t.next()) {  // attention_gqa.c:22
        const int h = t.at(0);
        const int n = t.at(1);
        const int i = p.i - n * 128;
        const int seen = p.causal == 0 ? p.keys : p.offset + i;
        const int last = ws::min(p.keys, seen + 128);
        const int tq_slot = tq_ring.get();
        auto acc = ws::full<float, 64, 128, ws::frag>(0);
        auto top = ws::full<float, 64, 1, ws::frag>(-1e+30);
        auto sum = ws::full<float, 64, 1, ws::frag>(0);
        const long n_2 = (long)seen + 127;
        const int edge = ws::max(ws::min(n_2 <= 2147483647 && n_2 - (long)last <= 2147483647
                                         ? ws::min((long)p.keys - 127, (long)seen - 126) : 0, (long)last), 0l);
        if (last > 0) {  // attention_gqa.c:31
            const int tk_slot = tk_ring.get();
            auto s_2 = ws::full<float, 64, 128, ws::frag>(0);
            s.pingpong.take(group);
            ws::mma(s_2, ws::window<64, 128>(s.tq[tq_slot], first_row, 0), ws::trans(ws::view(s.tk[tk_slot])));
            ws::commit();
            s.pingpong.pass(group);
            ws::wait<0>(s_2);
            tk_ring.consumed<0>();
            if (edge <= 0) {  // attention_gqa.c:35
                const auto col = ws::col_index<1, 128, ws::frag>();
                const auto row = ws::row_index<64, 1, ws::frag>(first_row);
                s_2 = ws::select(ws::le(col, ws::min(ws::max(p.keys, -2147483647) - 1, ws::add(row, seen))), s_2,
                                 -1e+30);
            }
            const auto now = ws::max(top, ws::mul(ws::row_max(s_2), p.power));
            const auto p_2 = ws::exp2(ws::fma(s_2, p.power, ws::neg(now)));
            const auto shrink = ws::exp2(ws::sub(top, now));
            sum = ws::fma(sum, shrink, ws::row_part(p_2));
            top = now;
            auto x = ws::cast<ws::bf16>(p_2);
            acc = ws::rescale(acc, shrink);
            int j = 128;
            for (; j < ws::min(edge, last); j += 128) {  // attention_gqa.c:31
                const int tk_slot_2 = tk_ring.get();
                auto s_3 = ws::full<float, 64, 128, ws::frag>(0);
                s.pingpong.take(group);
                ws::mma(s_3, ws::window<64, 128>(s.tq[tq_slot], first_row, 0), ws::trans(ws::view(s.tk[tk_slot_2])));
                ws::commit();
                const int tv_slot = tv_ring.get();
                ws::mma(acc, x, ws::view(s.tv[tv_slot]));
                ws::commit();
                s.pingpong.pass(group);
                ws::wait<1>(s_3);
                tk_ring.consumed<0>();
                const auto now_2 = ws::max(top, ws::mul(ws::row_max(s_3), p.power));
                const auto x_2 = ws::fma(s_3, p.power, ws::neg(now_2));
                ws::computed(now_2);
                ws::wait<0>(acc);
                tv_ring.consumed<0>();
                const auto p_3 = ws::exp2(x_2);
                const auto shrink_2 = ws::exp2(ws::sub(top, now_2));
                sum = ws::fma(sum, shrink_2, ws::row_part(p_3));
                acc = ws::rescale(acc, shrink_2);
                x = ws::cast<ws::bf16>(p_3);
                top = now_2;
            }
            for (; j < last; j += 128) {  // attention_gqa.c:31
                const int tk_slot_2 = tk_ring.get();
                auto s_3 = ws::full<float, 64, 128, ws::frag>(0);
                s.pingpong.take(group);
                ws::mma(s_3, ws::window<64, 128>(s.tq[tq_slot], first_row, 0), ws::trans(ws::view(s.tk[tk_slot_2])));
                ws::commit();
                const int tv_slot = tv_ring.get();
                ws::mma(acc, x, ws::view(s.tv[tv_slot]));
                ws::commit();
                s.pingpong.pass(group);
                ws::wait<1>(s_3);
                tk_ring.consumed<0>();
                const auto col = ws::col_index<1, 128, ws::frag>();
                const auto row = ws::row_index<64, 1, ws::frag>(first_row);
                s_3 = ws::select(ws::le(col, ws::min(ws::max(p.keys - j, -2147483647) - 1, ws::add(row, seen - j))),
                                 s_3, -1e+30);
                const auto now_2 = ws::max(top, ws::mul(ws::row_max(s_3), p.power));
                const auto x_2 = ws::fma(s_3, p.power, ws::neg(now_2));
                ws::computed(now_2);
                ws::wait<0>(acc);
                tv_ring.consumed<0>();
                const auto p_3 = ws::exp2(x_2);
                const auto shrink_2 = ws::exp2(ws::sub(top, now_2));
                sum = ws::fma(sum, shrink_2, ws::row_part(p_3));
                acc = ws::rescale(acc, shrink_2);
                x = ws::cast<ws::bf16>(p_3);
                top = now_2;
            }
            const int tv_slot_2 = tv_ring.get();
            ws::mma(acc, x, ws::view(s.tv[tv_slot_2]));
            ws::commit();
            ws::computed(sum);
            ws::wait<0>(acc);
            tv_ring.consumed<0>();
        }
        tq_ring.consumed<0>();
        sum = ws::row_total(sum);
        const auto x_3 = ws::div(1, sum);
        WS_UNROLL
        for (int subtile = 0; subtile < 128; subtile += 64) {  // attention_gqa.c:44
            ws::store_wait<1>();
            const auto box = ws::stage(o_out, ws::cast<ws::bf16>(ws::mul(ws::columns<64>(acc, subtile), x_3)));
            ws::fence();
            ws::store(o_out, p.o, p.o_map, h, i + first_row, subtile, box);  // attention_gqa.c:44
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void attention_gqa_kernel(WS_PARAMS(attention_gqa_params) p)
{
    attention_gqa_shared &s = ws::shared<attention_gqa_shared>();
    if (ws::first_thread()) {
        s.tq_ring.init("tq_ring", 2);    // two groups release each slot
        s.tk_ring.init("tk_ring", 2);    // two groups release each slot
        s.tv_ring.init("tv_ring", 2);    // two groups release each slot
        s.pingpong.init("pingpong");
        s.scheduler.init("scheduler", 2);
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
                attention_gqa_producer<true>(p, s, 0);
            else
                attention_gqa_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<232>();
        attention_gqa_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_attention_gqa(int heads, int share, int queries, int keys, int causal, const void *Q,
                                        const void *K, const void *V, const void *O, int offset, float power)
{
    ws::launch call("attention_gqa");
    attention_gqa_params p;
    p.i = (queries - 1) / 128 * 128;
    call.tensor(p.q, "q", Q, {heads, queries, 128}, {(long)queries * 128, 128, 1}, ws::loaded);
    call.tensor(p.k, "k", K, {heads / share, keys, 128}, {(long)keys * 128, 128, 1}, ws::loaded);
    call.tensor(p.v, "v", V, {heads / share, keys, 128}, {(long)keys * 128, 128, 1}, ws::loaded);
    call.tensor(p.o, "o", O, {heads, queries, 128}, {(long)queries * 128, 128, 1}, ws::stored);
    call.place();
    call.map(p.q_map, p.q, 128);
    call.map(p.k_map, p.k, 128);
    call.map(p.v_map, p.v, 128);
    call.map(p.o_map, p.o, 64);
    p.share = share;
    p.keys = keys;
    p.causal = causal;
    p.offset = offset;
    p.power = power;
    call.grid(p.grid, {{0, heads, 1}, {0, (p.i + 128) / 128, 1}}, ws::order_auto, 0);
    call.schedule(p.grid);
    call.run(attention_gqa_kernel, p, 384, sizeof(attention_gqa_shared), ws::persistent);
}
