#include <wsrt.cuh>

// attention.c:44: attention
struct attention_params {
    ws::tensor<ws::f16, 3> q;
    ws::tensor<ws::f16, 3> k;
    ws::tensor<ws::f16, 3> v;
    ws::tensor<ws::f16, 3> o;
    ws::edge_map q_map;                  // tiles of 192 rows, the last as it is
    ws::map k_map;                       // tiles of 80 rows
    ws::map v_map;                       // tiles of 80 rows
    ws::map o_map;
    int heads;
    int L;
    int causal;
    float power;
    int i;
    ws::grid<3> grid;
};

struct attention_shared {
    ws::shared_tile<ws::f16, 192, 128> tq[2];
    ws::shared_tile<ws::f16, 80, 128> k_tile[2];
    ws::shared_tile<ws::f16, 80, 128> v_tile[2];
    ws::output<ws::f16, 64, 2> o_out[3];  // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<2> tq_ring;
    ws::ring<2> k_tile_ring;
    ws::ring<2> v_tile_ring;
    ws::pingpong<3> pingpong;
    ws::tile_scheduler scheduler;
};
static_assert(offsetof(attention_shared, tq) == 0);
static_assert(offsetof(attention_shared, k_tile) == 98304);
static_assert(offsetof(attention_shared, v_tile) == 139264);
static_assert(offsetof(attention_shared, o_out) == 180224);
static_assert(sizeof(attention_shared) == 230400);

template <bool TMA>
static WS_DEVICE void attention_producer(const attention_params &p, attention_shared &s, int group)
{
    ws::producer<2, TMA> tq_ring(s.tq_ring);
    ws::producer<2, TMA> k_tile_ring(s.k_tile_ring);
    ws::producer<2, TMA> v_tile_ring(s.v_tile_ring);
    for (ws::scheduling_tiles<3> t(p.grid, s.scheduler); t.more(); t.next()) {  // attention.c:44
        const int first = t.at(0);
        const int n = t.at(1);
        const int m = t.at(2);
        const int i = p.i - n * 192;
        const int h = first + m;
        const int last = p.causal == 0 ? p.L : i + 192;
        if (h < p.heads) {  // attention.c:49
            const int tq_slot = tq_ring.put();
            ws::copy_in(tq_ring, s.tq[tq_slot], p.q, p.q_map, h, i, 0);
            tq_ring.put_done();
            for (int j = 0; j < last; j += 80) {  // attention.c:56
                const int k_tile_slot = k_tile_ring.put();
                ws::copy_in(k_tile_ring, s.k_tile[k_tile_slot], p.k, p.k_map, h, j, 0);
                k_tile_ring.put_done();
                const int v_tile_slot = v_tile_ring.put();
                ws::copy_in(v_tile_ring, s.v_tile[v_tile_slot], p.v, p.v_map, h, j, 0);
                v_tile_ring.put_done();
            }
        }
    }
}

static WS_DEVICE void attention_consumer(const attention_params &p, attention_shared &s, int group)
{
    ws::consumer<2> tq_ring(s.tq_ring);
    ws::consumer<2> k_tile_ring(s.k_tile_ring);
    ws::consumer<2> v_tile_ring(s.v_tile_ring);
    ws::warp_output o_out(s.o_out[group]);
    s.pingpong.begin(group);
    const long first_row = (long)group * 64;
    for (ws::dynamic_tiles<3> t(p.grid, s.scheduler); t.more(); t.next()) {  // attention.c:44
        const int first = t.at(0);
        const int n = t.at(1);
        const int m = t.at(2);
        const int i = p.i - n * 192;
        const int h = first + m;
        const bool condition = p.causal == 0;
        const int last = condition ? p.L : i + 192;
        if (h < p.heads) {  // attention.c:49
            const int tq_slot = tq_ring.get();
            auto acc = ws::full<float, 64, 128, ws::frag>(0);
            auto top = ws::full<float, 64, 1, ws::frag>(-1e+30);
            auto sum = ws::full<float, 64, 1, ws::frag>(0);
            const long n_2 = (long)p.L - 79;
            const long n_3 = (long)i + 191;
            const int edge = ws::max(ws::min((condition ? (long)p.L + 191 <= 2147483647 : n_3 <= 2147483647
                                              && n_3 - (long)last <= 2147483647)
                                             ? ws::min(n_2, condition ? (n_2 >= 0 ? (long)last : 0) : (long)i - 78)
                                             : 0, (long)last), 0l);
            if (last > 0) {  // attention.c:56
                auto s_2 = ws::full<float, 64, 80, ws::frag>(0);
                const int k_tile_slot = k_tile_ring.get();
                s.pingpong.take(group);
                ws::mma(s_2, ws::window<64, 128>(s.tq[tq_slot], first_row, 0),
                        ws::trans(ws::view(s.k_tile[k_tile_slot])));
                ws::commit();
                s.pingpong.pass(group);
                ws::wait<0>(s_2);
                k_tile_ring.consumed<0>();
                if (edge <= 0) {  // attention.c:60
                    const auto col = ws::col_index<1, 80, ws::frag>();
                    const auto row = ws::row_index<64, 1, ws::frag>(first_row);
                    const auto seen = ws::le(col,
                                             ws::min(ws::max(p.L, -2147483647) - 1, ws::add(row, condition ? p.L : i)));
                    s_2 = ws::select(seen, s_2, -1e+30);
                }
                const auto now = ws::max(top, ws::mul(ws::row_max(s_2), p.power));
                const auto p_2 = ws::exp2(ws::fma(s_2, p.power, ws::neg(now)));
                const auto shrink = ws::exp2(ws::sub(top, now));
                sum = ws::fma(sum, shrink, ws::row_part(p_2));
                top = now;
                auto x = ws::cast<ws::f16>(p_2);
                acc = ws::rescale(acc, shrink);
                int j = 80;
                for (; j < ws::min(edge, last); j += 80) {  // attention.c:56
                    auto s_3 = ws::full<float, 64, 80, ws::frag>(0);
                    const int k_tile_slot_2 = k_tile_ring.get();
                    s.pingpong.take(group);
                    ws::mma(s_3, ws::window<64, 128>(s.tq[tq_slot], first_row, 0),
                            ws::trans(ws::view(s.k_tile[k_tile_slot_2])));
                    ws::commit();
                    const int v_tile_slot = v_tile_ring.get();
                    ws::mma(acc, x, ws::view(s.v_tile[v_tile_slot]));
                    ws::commit();
                    s.pingpong.pass(group);
                    ws::wait<1>(s_3);
                    k_tile_ring.consumed<0>();
                    const auto now_2 = ws::max(top, ws::mul(ws::row_max(s_3), p.power));
                    const auto x_2 = ws::fma(s_3, p.power, ws::neg(now_2));
                    ws::computed(now_2);
                    ws::wait<0>(acc);
                    v_tile_ring.consumed<0>();
                    const auto p_3 = ws::exp2(x_2);
                    const auto shrink_2 = ws::exp2(ws::sub(top, now_2));
                    sum = ws::fma(sum, shrink_2, ws::row_part(p_3));
                    acc = ws::rescale(acc, shrink_2);
                    x = ws::cast<ws::f16>(p_3);
                    top = now_2;
                }
                for (; j < last; j += 80) {  // attention.c:56
                    auto s_3 = ws::full<float, 64, 80, ws::frag>(0);
                    const int k_tile_slot_2 = k_tile_ring.get();
                    s.pingpong.take(group);
                    ws::mma(s_3, ws::window<64, 128>(s.tq[tq_slot], first_row, 0),
                            ws::trans(ws::view(s.k_tile[k_tile_slot_2])));
                    ws::commit();
                    const int v_tile_slot = v_tile_ring.get();
                    ws::mma(acc, x, ws::view(s.v_tile[v_tile_slot]));
                    ws::commit();
                    s.pingpong.pass(group);
                    ws::wait<1>(s_3);
                    k_tile_ring.consumed<0>();
                    const auto col = ws::col_index<1, 80, ws::frag>();
                    const auto row = ws::row_index<64, 1, ws::frag>(first_row);
                    const auto seen = ws::le(col,
                                             ws::min(ws::max(p.L - j, -2147483647) - 1,
                                                     ws::add(row, condition ? p.L : i - j)));
                    s_3 = ws::select(seen, s_3, -1e+30);
                    const auto now_2 = ws::max(top, ws::mul(ws::row_max(s_3), p.power));
                    const auto x_2 = ws::fma(s_3, p.power, ws::neg(now_2));
                    ws::computed(now_2);
                    ws::wait<0>(acc);
                    v_tile_ring.consumed<0>();
                    const auto p_3 = ws::exp2(x_2);
                    const auto shrink_2 = ws::exp2(ws::sub(top, now_2));
                    sum = ws::fma(sum, shrink_2, ws::row_part(p_3));
                    acc = ws::rescale(acc, shrink_2);
                    x = ws::cast<ws::f16>(p_3);
                    top = now_2;
                }
                const int v_tile_slot_2 = v_tile_ring.get();
                ws::mma(acc, x, ws::view(s.v_tile[v_tile_slot_2]));
                ws::commit();
                ws::computed(sum);
                ws::wait<0>(acc);
                v_tile_ring.consumed<0>();
            }
            tq_ring.consumed<0>();
            sum = ws::row_total(sum);
            const auto x_3 = ws::div(1, sum);
            WS_UNROLL
            for (int subtile = 0; subtile < 128; subtile += 64) {  // attention.c:69
                ws::store_wait<1>();
                const auto box = ws::stage(o_out, ws::cast<ws::f16>(ws::mul(ws::columns<64>(acc, subtile), x_3)));
                ws::fence();
                ws::store(o_out, p.o, p.o_map, h, i + first_row, subtile, box);  // attention.c:69
            }
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(512, 1) void attention_kernel(WS_PARAMS(attention_params) p)
{
    attention_shared &s = ws::shared<attention_shared>();
    if (ws::first_thread()) {
        s.tq_ring.init("tq_ring", 3);    // three groups release each slot
        s.k_tile_ring.init("k_tile_ring", 3);  // three groups release each slot
        s.v_tile_ring.init("v_tile_ring", 3);  // three groups release each slot
        s.pingpong.init("pingpong");
        s.scheduler.init("scheduler", 3);
        ws::prefetch(p.q_map);
        ws::prefetch(p.k_map);
        ws::prefetch(p.v_map);
        ws::prefetch(p.o_map);
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
        ws::registers_up<160>();
        attention_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_attention(int heads, int L, int causal, const void *Q, const void *K, const void *V,
                                    const void *O, int section, float power)
{
    ws::launch call("attention");
    attention_params p;
    p.i = L - 192;
    call.tensor(p.q, "q", Q, {heads, L, 128}, {(long)L * 128, 128, 1}, ws::loaded);
    call.tensor(p.k, "k", K, {heads, L, 128}, {(long)L * 128, 128, 1}, ws::loaded);
    call.tensor(p.v, "v", V, {heads, L, 128}, {(long)L * 128, 128, 1}, ws::loaded);
    call.tensor(p.o, "o", O, {heads, L, 128}, {(long)L * 128, 128, 1}, ws::stored);
    call.place();
    call.map(p.q_map, p.q, 192);
    call.map(p.k_map, p.k, 80);
    call.map(p.v_map, p.v, 80);
    call.map(p.o_map, p.o, 64);
    p.heads = heads;
    p.L = L;
    p.causal = causal;
    p.power = power;
    call.grid(p.grid, {{0, heads, section}, {0, (L + 191) / 192, 1}, {0, section, 1}}, ws::order_auto, 0);
    call.schedule(p.grid);
    call.run(attention_kernel, p, 512, sizeof(attention_shared), ws::persistent);
}

// attention.c:44: attention
struct attention_2_params {
    ws::tensor<ws::f16, 3> q;
    ws::tensor<ws::f16, 3> k;
    ws::tensor<ws::f16, 3> v;
    ws::tensor<ws::f16, 3> o;
    ws::edge_map q_map;                  // tiles of 128 rows, the last as it is
    ws::map k_map;                       // tiles of 128 rows
    ws::map v_map;                       // tiles of 128 rows
    ws::map o_map;
    int heads;
    int L;
    int causal;
    float power;
    int i;
    ws::grid<3> grid;
};

struct attention_2_shared {
    ws::shared_tile<ws::f16, 128, 128> tq[2];
    ws::shared_tile<ws::f16, 128, 128> k_tile[2];
    ws::shared_tile<ws::f16, 128, 128> v_tile[2];
    ws::output<ws::f16, 64, 2> o_out[2];  // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<2> tq_ring;
    ws::ring<2> k_tile_ring;
    ws::ring<2> v_tile_ring;
    ws::pingpong<2> pingpong;
    ws::tile_scheduler scheduler;
};
static_assert(offsetof(attention_2_shared, tq) == 0);
static_assert(offsetof(attention_2_shared, k_tile) == 65536);
static_assert(offsetof(attention_2_shared, v_tile) == 131072);
static_assert(offsetof(attention_2_shared, o_out) == 196608);
static_assert(sizeof(attention_2_shared) == 230400);

template <bool TMA>
static WS_DEVICE void attention_2_producer(const attention_2_params &p, attention_2_shared &s, int group)
{
    ws::producer<2, TMA> tq_ring(s.tq_ring);
    ws::producer<2, TMA> k_tile_ring(s.k_tile_ring);
    ws::producer<2, TMA> v_tile_ring(s.v_tile_ring);
    for (ws::scheduling_tiles<3> t(p.grid, s.scheduler); t.more(); t.next()) {  // attention.c:44
        const int first = t.at(0);
        const int n = t.at(1);
        const int m = t.at(2);
        const int i = p.i - n * 128;
        const int h = first + m;
        const int last = p.causal == 0 ? p.L : i + 128;
        if (h < p.heads) {  // attention.c:49
            const int tq_slot = tq_ring.put();
            ws::copy_in(tq_ring, s.tq[tq_slot], p.q, p.q_map, h, i, 0);
            tq_ring.put_done();
            for (int j = 0; j < last; j += 128) {  // attention.c:56
                const int k_tile_slot = k_tile_ring.put();
                ws::copy_in(k_tile_ring, s.k_tile[k_tile_slot], p.k, p.k_map, h, j, 0);
                k_tile_ring.put_done();
                const int v_tile_slot = v_tile_ring.put();
                ws::copy_in(v_tile_ring, s.v_tile[v_tile_slot], p.v, p.v_map, h, j, 0);
                v_tile_ring.put_done();
            }
        }
    }
}

static WS_DEVICE void attention_2_consumer(const attention_2_params &p, attention_2_shared &s, int group)
{
    ws::consumer<2> tq_ring(s.tq_ring);
    ws::consumer<2> k_tile_ring(s.k_tile_ring);
    ws::consumer<2> v_tile_ring(s.v_tile_ring);
    ws::warp_output o_out(s.o_out[group]);
    s.pingpong.begin(group);
    const long first_row = (long)group * 64;
    for (ws::dynamic_tiles<3> t(p.grid, s.scheduler); t.more(); t.next()) {  // attention.c:44
        const int first = t.at(0);
        const int n = t.at(1);
        const int m = t.at(2);
        const int i = p.i - n * 128;
        const int h = first + m;
        const bool condition = p.causal == 0;
        const int last = condition ? p.L : i + 128;
        if (h < p.heads) {  // attention.c:49
            const int tq_slot = tq_ring.get();
            auto acc = ws::full<float, 64, 128, ws::frag>(0);
            auto top = ws::full<float, 64, 1, ws::frag>(-1e+30);
            auto sum = ws::full<float, 64, 1, ws::frag>(0);
            const long n_2 = (long)p.L - 127;
            const long n_3 = (long)i + 127;
            const int edge = ws::max(ws::min((condition ? (long)p.L + 127 <= 2147483647 : n_3 <= 2147483647
                                              && n_3 - (long)last <= 2147483647)
                                             ? ws::min(n_2, condition ? (n_2 >= 0 ? (long)last : 0) : (long)i - 126)
                                             : 0, (long)last), 0l);
            if (last > 0) {  // attention.c:56
                auto s_2 = ws::full<float, 64, 128, ws::frag>(0);
                const int k_tile_slot = k_tile_ring.get();
                s.pingpong.take(group);
                ws::mma(s_2, ws::window<64, 128>(s.tq[tq_slot], first_row, 0),
                        ws::trans(ws::view(s.k_tile[k_tile_slot])));
                ws::commit();
                s.pingpong.pass(group);
                ws::wait<0>(s_2);
                k_tile_ring.consumed<0>();
                if (edge <= 0) {  // attention.c:60
                    const auto col = ws::col_index<1, 128, ws::frag>();
                    const auto row = ws::row_index<64, 1, ws::frag>(first_row);
                    const auto seen = ws::le(col,
                                             ws::min(ws::max(p.L, -2147483647) - 1, ws::add(row, condition ? p.L : i)));
                    s_2 = ws::select(seen, s_2, -1e+30);
                }
                const auto now = ws::max(top, ws::mul(ws::row_max(s_2), p.power));
                const auto p_2 = ws::exp2(ws::fma(s_2, p.power, ws::neg(now)));
                const auto shrink = ws::exp2(ws::sub(top, now));
                sum = ws::fma(sum, shrink, ws::row_part(p_2));
                top = now;
                auto x = ws::cast<ws::f16>(p_2);
                acc = ws::rescale(acc, shrink);
                int j = 128;
                for (; j < ws::min(edge, last); j += 128) {  // attention.c:56
                    auto s_3 = ws::full<float, 64, 128, ws::frag>(0);
                    const int k_tile_slot_2 = k_tile_ring.get();
                    s.pingpong.take(group);
                    ws::mma(s_3, ws::window<64, 128>(s.tq[tq_slot], first_row, 0),
                            ws::trans(ws::view(s.k_tile[k_tile_slot_2])));
                    ws::commit();
                    const int v_tile_slot = v_tile_ring.get();
                    ws::mma(acc, x, ws::view(s.v_tile[v_tile_slot]));
                    ws::commit();
                    s.pingpong.pass(group);
                    ws::wait<1>(s_3);
                    k_tile_ring.consumed<0>();
                    const auto now_2 = ws::max(top, ws::mul(ws::row_max(s_3), p.power));
                    const auto x_2 = ws::fma(s_3, p.power, ws::neg(now_2));
                    ws::computed(now_2);
                    ws::wait<0>(acc);
                    v_tile_ring.consumed<0>();
                    const auto p_3 = ws::exp2(x_2);
                    const auto shrink_2 = ws::exp2(ws::sub(top, now_2));
                    sum = ws::fma(sum, shrink_2, ws::row_part(p_3));
                    acc = ws::rescale(acc, shrink_2);
                    x = ws::cast<ws::f16>(p_3);
                    top = now_2;
                }
                for (; j < last; j += 128) {  // attention.c:56
                    auto s_3 = ws::full<float, 64, 128, ws::frag>(0);
                    const int k_tile_slot_2 = k_tile_ring.get();
                    s.pingpong.take(group);
                    ws::mma(s_3, ws::window<64, 128>(s.tq[tq_slot], first_row, 0),
                            ws::trans(ws::view(s.k_tile[k_tile_slot_2])));
                    ws::commit();
                    const int v_tile_slot = v_tile_ring.get();
                    ws::mma(acc, x, ws::view(s.v_tile[v_tile_slot]));
                    ws::commit();
                    s.pingpong.pass(group);
                    ws::wait<1>(s_3);
                    k_tile_ring.consumed<0>();
                    const auto col = ws::col_index<1, 128, ws::frag>();
                    const auto row = ws::row_index<64, 1, ws::frag>(first_row);
                    const auto seen = ws::le(col,
                                             ws::min(ws::max(p.L - j, -2147483647) - 1,
                                                     ws::add(row, condition ? p.L : i - j)));
                    s_3 = ws::select(seen, s_3, -1e+30);
                    const auto now_2 = ws::max(top, ws::mul(ws::row_max(s_3), p.power));
                    const auto x_2 = ws::fma(s_3, p.power, ws::neg(now_2));
                    ws::computed(now_2);
                    ws::wait<0>(acc);
                    v_tile_ring.consumed<0>();
                    const auto p_3 = ws::exp2(x_2);
                    const auto shrink_2 = ws::exp2(ws::sub(top, now_2));
                    sum = ws::fma(sum, shrink_2, ws::row_part(p_3));
                    acc = ws::rescale(acc, shrink_2);
                    x = ws::cast<ws::f16>(p_3);
                    top = now_2;
                }
                const int v_tile_slot_2 = v_tile_ring.get();
                ws::mma(acc, x, ws::view(s.v_tile[v_tile_slot_2]));
                ws::commit();
                ws::computed(sum);
                ws::wait<0>(acc);
                v_tile_ring.consumed<0>();
            }
            tq_ring.consumed<0>();
            sum = ws::row_total(sum);
            const auto x_3 = ws::div(1, sum);
            WS_UNROLL
            for (int subtile = 0; subtile < 128; subtile += 64) {  // attention.c:69
                ws::store_wait<1>();
                const auto box = ws::stage(o_out, ws::cast<ws::f16>(ws::mul(ws::columns<64>(acc, subtile), x_3)));
                ws::fence();
                ws::store(o_out, p.o, p.o_map, h, i + first_row, subtile, box);  // attention.c:69
            }
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void attention_2_kernel(WS_PARAMS(attention_2_params) p)
{
    attention_2_shared &s = ws::shared<attention_2_shared>();
    if (ws::first_thread()) {
        s.tq_ring.init("tq_ring", 2);    // two groups release each slot
        s.k_tile_ring.init("k_tile_ring", 2);  // two groups release each slot
        s.v_tile_ring.init("v_tile_ring", 2);  // two groups release each slot
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
                attention_2_producer<true>(p, s, 0);
            else
                attention_2_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<232>();
        attention_2_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_attention_2(int heads, int L, int causal, const void *Q, const void *K, const void *V,
                                      const void *O, int section, float power)
{
    ws::launch call("attention");
    attention_2_params p;
    p.i = L - 128;
    call.tensor(p.q, "q", Q, {heads, L, 128}, {(long)L * 128, 128, 1}, ws::loaded);
    call.tensor(p.k, "k", K, {heads, L, 128}, {(long)L * 128, 128, 1}, ws::loaded);
    call.tensor(p.v, "v", V, {heads, L, 128}, {(long)L * 128, 128, 1}, ws::loaded);
    call.tensor(p.o, "o", O, {heads, L, 128}, {(long)L * 128, 128, 1}, ws::stored);
    call.place();
    call.map(p.q_map, p.q, 128);
    call.map(p.k_map, p.k, 128);
    call.map(p.v_map, p.v, 128);
    call.map(p.o_map, p.o, 64);
    p.heads = heads;
    p.L = L;
    p.causal = causal;
    p.power = power;
    call.grid(p.grid, {{0, heads, section}, {0, (L + 127) / 128, 1}, {0, section, 1}}, ws::order_auto, 0);
    call.schedule(p.grid);
    call.run(attention_2_kernel, p, 384, sizeof(attention_2_shared), ws::persistent);
}
