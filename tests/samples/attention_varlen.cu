#include <wsrt.cuh>

// attention_varlen.c:25: attention_varlen
struct attention_varlen_params {
    ws::tensor<int, 1> at;
    ws::tensor<ws::f16, 3> q;
    ws::tensor<ws::f16, 3> k;
    ws::tensor<ws::f16, 3> v;
    ws::tensor<ws::f16, 3> o;
    ws::map q_map;                       // tiles of 128 rows
    ws::map k_map;                       // tiles of 128 rows
    ws::map v_map;                       // tiles of 128 rows
    ws::map o_map;
    float power;
    ws::grid<3> grid;
};

struct attention_varlen_shared {
    ws::shared_tile<ws::f16, 128, 64> tq[2];
    ws::shared_tile<ws::f16, 128, 64> tk[2];
    ws::shared_tile<ws::f16, 128, 64> tv[2];
    ws::output<ws::f16, 64, 1> o_out[2];  // 64 rows, 1 block of 128 bytes; one for each group
    ws::ring<2> tq_ring;
    ws::ring<2> tk_ring;
    ws::ring<2> tv_ring;
    ws::pingpong<2> pingpong;
    ws::tile_scheduler scheduler;
};
static_assert(offsetof(attention_varlen_shared, tq) == 0);
static_assert(offsetof(attention_varlen_shared, tk) == 32768);
static_assert(offsetof(attention_varlen_shared, tv) == 65536);
static_assert(offsetof(attention_varlen_shared, o_out) == 98304);
static_assert(sizeof(attention_varlen_shared) == 115712);

template <bool TMA>
static WS_DEVICE void attention_varlen_producer(const attention_varlen_params &p, attention_varlen_shared &s, int group)
{
    ws::producer<2, TMA> tq_ring(s.tq_ring);
    ws::producer<2, TMA> tk_ring(s.tk_ring);
    ws::producer<2, TMA> tv_ring(s.tv_ring);
    for (ws::scheduling_tiles<3> t(p.grid, s.scheduler); t.more(); t.next()) {  // attention_varlen.c:25
        const int n = t.at(0);
        const int h = t.at(1);
        const int i = t.at(2);
        const int begin = ws::fixed_at(p.at, n);
        const int end = ws::fixed_at(p.at, n + 1);
        const int length = end - begin;
        if (i < length) {  // attention_varlen.c:30
            const auto part = ws::slice<1>(p.q, begin, end);
            const int tq_slot = tq_ring.put();
            ws::copy_in(tq_ring, s.tq[tq_slot], part, p.q_map, h, i, 0);
            tq_ring.put_done();
            const int last = ws::min(i + 128, length);
            for (int j = 0; j < last; j += 128) {  // attention_varlen.c:38
                const auto part_2 = ws::slice<1>(p.k, begin, end);
                const int tk_slot = tk_ring.put();
                ws::copy_in(tk_ring, s.tk[tk_slot], part_2, p.k_map, h, j, 0);
                tk_ring.put_done();
                const auto part_3 = ws::slice<1>(p.v, begin, end);
                const int tv_slot = tv_ring.put();
                ws::copy_in(tv_ring, s.tv[tv_slot], part_3, p.v_map, h, j, 0);
                tv_ring.put_done();
            }
        }
    }
}

static WS_DEVICE void attention_varlen_consumer(const attention_varlen_params &p, attention_varlen_shared &s, int group)
{
    ws::consumer<2> tq_ring(s.tq_ring);
    ws::consumer<2> tk_ring(s.tk_ring);
    ws::consumer<2> tv_ring(s.tv_ring);
    ws::warp_output o_out(s.o_out[group]);
    s.pingpong.begin(group);
    const long first_row = (long)group * 64;
    for (ws::dynamic_tiles<3> t(p.grid, s.scheduler); t.more(); t.next()) {  // attention_varlen.c:25
        const int n = t.at(0);
        const int h = t.at(1);
        const int i = t.at(2);
        const int begin = ws::fixed_at(p.at, n);
        const int end = ws::fixed_at(p.at, n + 1);
        const int length = end - begin;
        if (i < length) {  // attention_varlen.c:30
            const int tq_slot = tq_ring.get();
            auto acc = ws::full<float, 64, 64, ws::frag>(0);
            auto top = ws::full<float, 64, 1, ws::frag>(-1e+30);
            auto sum = ws::full<float, 64, 1, ws::frag>(0);
            const int last = ws::min(i + 128, length);
            const long n_2 = (long)i + 127;
            const int edge = ws::max(ws::min(n_2 <= 2147483647 && n_2 - (long)last <= 2147483647 ? (long)i - 126 : 0,
                                             (long)last), 0l);
            if (last > 0) {  // attention_varlen.c:38
                const int tk_slot = tk_ring.get();
                auto s_2 = ws::full<float, 64, 128, ws::frag>(0);
                s.pingpong.take(group);
                ws::mma(s_2, ws::window<64, 64>(s.tq[tq_slot], first_row, 0), ws::trans(ws::view(s.tk[tk_slot])));
                ws::commit();
                s.pingpong.pass(group);
                ws::wait<0>(s_2);
                tk_ring.consumed<0>();
                if (edge <= 0) {  // attention_varlen.c:43
                    const auto col = ws::col_index<1, 128, ws::frag>();
                    const auto row = ws::row_index<64, 1, ws::frag>(first_row);
                    s_2 = ws::select(ws::le(col, ws::add(row, i)), s_2, -1e+30);
                }
                const auto now = ws::max(top, ws::mul(ws::row_max(s_2), p.power));
                const auto p_2 = ws::exp2(ws::fma(s_2, p.power, ws::neg(now)));
                const auto shrink = ws::exp2(ws::sub(top, now));
                sum = ws::fma(sum, shrink, ws::row_part(p_2));
                top = now;
                auto x = ws::cast<ws::f16>(p_2);
                acc = ws::rescale(acc, shrink);
                int j = 128;
                for (; j < ws::min(edge, last); j += 128) {  // attention_varlen.c:38
                    const int tk_slot_2 = tk_ring.get();
                    auto s_3 = ws::full<float, 64, 128, ws::frag>(0);
                    s.pingpong.take(group);
                    ws::mma(s_3, ws::window<64, 64>(s.tq[tq_slot], first_row, 0), ws::trans(ws::view(s.tk[tk_slot_2])));
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
                    x = ws::cast<ws::f16>(p_3);
                    top = now_2;
                }
                for (; j < last; j += 128) {  // attention_varlen.c:38
                    const int tk_slot_2 = tk_ring.get();
                    auto s_3 = ws::full<float, 64, 128, ws::frag>(0);
                    s.pingpong.take(group);
                    ws::mma(s_3, ws::window<64, 64>(s.tq[tq_slot], first_row, 0), ws::trans(ws::view(s.tk[tk_slot_2])));
                    ws::commit();
                    const int tv_slot = tv_ring.get();
                    ws::mma(acc, x, ws::view(s.tv[tv_slot]));
                    ws::commit();
                    s.pingpong.pass(group);
                    ws::wait<1>(s_3);
                    tk_ring.consumed<0>();
                    const auto col = ws::col_index<1, 128, ws::frag>();
                    const auto row = ws::row_index<64, 1, ws::frag>(first_row);
                    s_3 = ws::select(ws::le(col, ws::add(row, i - j)), s_3, -1e+30);
                    const auto now_2 = ws::max(top, ws::mul(ws::row_max(s_3), p.power));
                    const auto x_2 = ws::fma(s_3, p.power, ws::neg(now_2));
                    ws::computed(now_2);
                    ws::wait<0>(acc);
                    tv_ring.consumed<0>();
                    const auto p_3 = ws::exp2(x_2);
                    const auto shrink_2 = ws::exp2(ws::sub(top, now_2));
                    sum = ws::fma(sum, shrink_2, ws::row_part(p_3));
                    acc = ws::rescale(acc, shrink_2);
                    x = ws::cast<ws::f16>(p_3);
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
            const auto done = ws::cast<ws::f16>(ws::mul(acc, ws::div(1, sum)));
            const auto part = ws::slice<1>(p.o, begin, end);
            ws::store_wait<0>();
            const auto box = ws::stage(o_out, done);
            ws::fence();
            ws::store(o_out, part, p.o_map, h, i + first_row, 0, box);  // attention_varlen.c:53
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void attention_varlen_kernel(WS_PARAMS(attention_varlen_params) p)
{
    attention_varlen_shared &s = ws::shared<attention_varlen_shared>();
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
                attention_varlen_producer<true>(p, s, 0);
            else
                attention_varlen_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<232>();
        attention_varlen_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_attention_varlen(int count, int longest, int total, int heads, const void *starts,
                                           const void *Q, const void *K, const void *V, const void *O, float power)
{
    ws::launch call("attention_varlen");
    attention_varlen_params p;
    call.tensor(p.at, "at", starts, {count + 1}, {1}, ws::loaded);
    call.tensor(p.q, "q", Q, {heads, total, 64}, {64, (long)heads * 64, 1}, ws::loaded);
    call.tensor(p.k, "k", K, {heads, total, 64}, {64, (long)heads * 64, 1}, ws::loaded);
    call.tensor(p.v, "v", V, {heads, total, 64}, {64, (long)heads * 64, 1}, ws::loaded);
    call.tensor(p.o, "o", O, {heads, total, 64}, {64, (long)heads * 64, 1}, ws::stored);
    call.place();
    call.map(p.q_map, p.q, 128);
    call.map(p.k_map, p.k, 128);
    call.map(p.v_map, p.v, 128);
    call.map(p.o_map, p.o, 64);
    p.power = power;
    call.grid(p.grid, {{0, count, 1}, {0, heads, 1}, {0, longest, 128}}, ws::order_auto, 0);
    call.schedule(p.grid);
    call.run(attention_varlen_kernel, p, 384, sizeof(attention_varlen_shared), ws::persistent);
}
