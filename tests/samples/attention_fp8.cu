#include <wsrt.cuh>

// attention_fp8.c:20: attention_fp8
struct attention_fp8_params {
    ws::tensor<ws::e4m3, 3> q;
    ws::tensor<ws::e4m3, 3> k;
    ws::tensor<ws::e4m3, 3> v;
    ws::tensor<float, 1> each;
    ws::tensor<ws::f16, 3> o;
    ws::edge_map q_map;                  // tiles of 128 rows, the last as it is
    ws::map k_map;                       // tiles of 192 rows
    ws::map v_map;                       // tiles of 192 rows
    ws::map o_map;
    int L;
    float scale;
    ws::grid<2> grid;
};

struct attention_fp8_shared {
    ws::shared_tile<ws::e4m3, 128, 128> tq[2];
    ws::shared_tile<ws::e4m3, 192, 128> k_tile[2];
    ws::shared_tile<ws::e4m3, 192, 128> v_tile[2];
    ws::shared_tile<ws::interleaved<ws::e4m3>, 128, 192> v_tile_transposed[2];
    ws::output<ws::f16, 64, 2> o_out[2];  // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<2> tq_ring;
    ws::ring<2> k_tile_ring;
    ws::ring<2> v_tile_ring;
    ws::ring<2> v_tile_transposed_ring;
};
static_assert(offsetof(attention_fp8_shared, tq) == 0);
static_assert(offsetof(attention_fp8_shared, k_tile) == 32768);
static_assert(offsetof(attention_fp8_shared, v_tile) == 81920);
static_assert(offsetof(attention_fp8_shared, v_tile_transposed) == 131072);
static_assert(offsetof(attention_fp8_shared, o_out) == 196608);
static_assert(sizeof(attention_fp8_shared) == 230400);

template <bool TMA>
static WS_DEVICE void attention_fp8_producer(const attention_fp8_params &p, attention_fp8_shared &s, int group)
{
    ws::producer<2, TMA> tq_ring(s.tq_ring);
    ws::producer<2, TMA> k_tile_ring(s.k_tile_ring);
    ws::producer<2, TMA> v_tile_ring(s.v_tile_ring);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // attention_fp8.c:20
        const int h = t.at(0);
        const int i = t.at(1);
        const int tq_slot = tq_ring.put();
        ws::copy_in(tq_ring, s.tq[tq_slot], p.q, p.q_map, h, i, 0);
        tq_ring.put_done();
        for (int j = 0; j < p.L; j += 192) {  // attention_fp8.c:29
            const int k_tile_slot = k_tile_ring.put();
            ws::copy_in(k_tile_ring, s.k_tile[k_tile_slot], p.k, p.k_map, h, j, 0);
            k_tile_ring.put_done();
            const int v_tile_slot = v_tile_ring.put();
            ws::copy_in(v_tile_ring, s.v_tile[v_tile_slot], p.v, p.v_map, h, j, 0);
            v_tile_ring.put_done();
        }
    }
}

static WS_DEVICE void attention_fp8_consumer(const attention_fp8_params &p, attention_fp8_shared &s, int group)
{
    ws::consumer<2> tq_ring(s.tq_ring);
    ws::consumer<2> k_tile_ring(s.k_tile_ring);
    ws::consumer<2> v_tile_transposed_ring(s.v_tile_transposed_ring);
    ws::warp_output o_out(s.o_out[group]);
    const long first_row = (long)group * 64;
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // attention_fp8.c:20
        const int h = t.at(0);
        const int i = t.at(1);
        const float power = p.scale * (float)(ws::fixed_at_float(p.each, 0) * ws::fixed_at_float(p.each, 1))
            * 1.442695f;
        const int tq_slot = tq_ring.get();
        auto acc = ws::full<float, 64, 128, ws::frag>(0);
        auto top = ws::full<float, 64, 1, ws::frag>(-1e+30);
        auto sum = ws::full<float, 64, 1, ws::frag>(0);
        const int edge = ws::max(ws::min((long)p.L - 191, (long)p.L), 0l);
        if (p.L > 0) {  // attention_fp8.c:29
            auto s_2 = ws::full<float, 64, 192, ws::frag>(0);
            const int k_tile_slot = k_tile_ring.get();
            ws::mma(s_2, ws::window<64, 128>(s.tq[tq_slot], first_row, 0), ws::trans(ws::view(s.k_tile[k_tile_slot])));
            ws::commit();
            ws::wait<0>(s_2);
            k_tile_ring.consumed<0>();
            if (edge <= 0) {  // attention_fp8.c:31
                s_2 = ws::select(ws::lt(ws::col_index<1, 192, ws::frag>(), p.L), s_2, -1e+30);
            }
            const auto now = ws::max(top, ws::mul(ws::row_max(s_2), power));
            const auto p_2 = ws::exp2(ws::fma(s_2, power, ws::sub(8, now)));
            const auto shrink = ws::exp2(ws::sub(top, now));
            sum = ws::fma(sum, shrink, ws::row_part(p_2));
            top = now;
            auto x = ws::cast<ws::e4m3>(p_2);
            acc = ws::rescale(acc, shrink);
            int j = 192;
            for (; j < ws::min(edge, p.L); j += 192) {  // attention_fp8.c:29
                auto s_3 = ws::full<float, 64, 192, ws::frag>(0);
                const int k_tile_slot_2 = k_tile_ring.get();
                ws::mma(s_3, ws::window<64, 128>(s.tq[tq_slot], first_row, 0),
                        ws::trans(ws::view(s.k_tile[k_tile_slot_2])));
                ws::commit();
                const int v_tile_transposed_slot = v_tile_transposed_ring.get();
                ws::mma(acc, x, ws::trans(ws::view(s.v_tile_transposed[v_tile_transposed_slot])));
                ws::commit();
                ws::wait<1>(s_3);
                k_tile_ring.consumed<0>();
                const auto now_2 = ws::max(top, ws::mul(ws::row_max(s_3), power));
                const auto x_2 = ws::fma(s_3, power, ws::sub(8, now_2));
                ws::computed(now_2);
                ws::wait<0>(acc);
                v_tile_transposed_ring.consumed<0>();
                const auto p_3 = ws::exp2(x_2);
                const auto shrink_2 = ws::exp2(ws::sub(top, now_2));
                sum = ws::fma(sum, shrink_2, ws::row_part(p_3));
                acc = ws::rescale(acc, shrink_2);
                x = ws::cast<ws::e4m3>(p_3);
                top = now_2;
            }
            for (; j < p.L; j += 192) {  // attention_fp8.c:29
                auto s_3 = ws::full<float, 64, 192, ws::frag>(0);
                const int k_tile_slot_2 = k_tile_ring.get();
                ws::mma(s_3, ws::window<64, 128>(s.tq[tq_slot], first_row, 0),
                        ws::trans(ws::view(s.k_tile[k_tile_slot_2])));
                ws::commit();
                const int v_tile_transposed_slot = v_tile_transposed_ring.get();
                ws::mma(acc, x, ws::trans(ws::view(s.v_tile_transposed[v_tile_transposed_slot])));
                ws::commit();
                ws::wait<1>(s_3);
                k_tile_ring.consumed<0>();
                s_3 = ws::select(ws::lt(ws::col_index<1, 192, ws::frag>(), p.L - j), s_3, -1e+30);
                const auto now_2 = ws::max(top, ws::mul(ws::row_max(s_3), power));
                const auto x_2 = ws::fma(s_3, power, ws::sub(8, now_2));
                ws::computed(now_2);
                ws::wait<0>(acc);
                v_tile_transposed_ring.consumed<0>();
                const auto p_3 = ws::exp2(x_2);
                const auto shrink_2 = ws::exp2(ws::sub(top, now_2));
                sum = ws::fma(sum, shrink_2, ws::row_part(p_3));
                acc = ws::rescale(acc, shrink_2);
                x = ws::cast<ws::e4m3>(p_3);
                top = now_2;
            }
            const int v_tile_transposed_slot_2 = v_tile_transposed_ring.get();
            ws::mma(acc, x, ws::trans(ws::view(s.v_tile_transposed[v_tile_transposed_slot_2])));
            ws::commit();
            ws::computed(sum);
            ws::wait<0>(acc);
            v_tile_transposed_ring.consumed<0>();
        }
        tq_ring.consumed<0>();
        sum = ws::row_total(sum);
        const auto x_3 = ws::div((float)ws::fixed_at_float(p.each, 2), sum);
        WS_UNROLL
        for (int subtile = 0; subtile < 128; subtile += 64) {  // attention_fp8.c:40
            const auto done = ws::mul(ws::columns<64>(acc, subtile), x_3);
            ws::store_wait<1>();
            const auto box = ws::stage(o_out, ws::cast<ws::f16>(done));
            ws::fence();
            ws::store(o_out, p.o, p.o_map, h, i + first_row, subtile, box);  // attention_fp8.c:40
        }
    }
    ws::store_wait<0>();
}

static WS_DEVICE void attention_fp8_transposer(const attention_fp8_params &p, attention_fp8_shared &s, int group)
{
    ws::producer<2> v_tile_transposed_ring(s.v_tile_transposed_ring);
    ws::consumer<2> v_tile_ring(s.v_tile_ring);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // attention_fp8.c:20
        const int h = t.at(0);
        const int i = t.at(1);
        for (int j = 0; j < p.L; j += 192) {  // attention_fp8.c:29
            const int v_tile_slot = v_tile_ring.get();
            const int v_tile_transposed_slot = v_tile_transposed_ring.put();
            ws::transpose(s.v_tile_transposed[v_tile_transposed_slot], ws::view(s.v_tile[v_tile_slot]));
            ws::fence();
            v_tile_ring.consumed<0>();
            ws::group_barrier();
            v_tile_transposed_ring.put_done();
        }
    }
}

static WS_KERNEL(512, 1) void attention_fp8_kernel(WS_PARAMS(attention_fp8_params) p)
{
    attention_fp8_shared &s = ws::shared<attention_fp8_shared>();
    if (ws::first_thread()) {
        s.tq_ring.init("tq_ring", 2);    // two groups release each slot
        s.k_tile_ring.init("k_tile_ring", 2);  // two groups release each slot
        s.v_tile_ring.init("v_tile_ring", 1);  // one group releases each slot
        s.v_tile_transposed_ring.init("v_tile_transposed_ring", 2);  // two groups release each slot
        ws::prefetch(p.q_map);
        ws::prefetch(p.k_map);
        ws::prefetch(p.v_map);
        ws::prefetch(p.o_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.q_map, p.k_map, p.v_map))
                attention_fp8_producer<true>(p, s, 0);
            else
                attention_fp8_producer<false>(p, s, 0);
        }
    } else if (ws::warp_group() < 3) {
        ws::registers_up<232>();
        attention_fp8_consumer(p, s, ws::warp_group() - 1);
    } else {
        ws::registers_down<24>();
        attention_fp8_transposer(p, s, 0);
    }
}

extern "C" void ws_launch_attention_fp8(int heads, int L, float scale, const void *scales, const void *Q,
                                        const void *K, const void *V, const void *O)
{
    ws::launch call("attention_fp8");
    attention_fp8_params p;
    call.tensor(p.q, "q", Q, {heads, L, 128}, {(long)L * 128, 128, 1}, ws::loaded);
    call.tensor(p.k, "k", K, {heads, L, 128}, {(long)L * 128, 128, 1}, ws::loaded);
    call.tensor(p.v, "v", V, {heads, L, 128}, {(long)L * 128, 128, 1}, ws::loaded);
    call.tensor(p.each, "each", scales, {3}, {1}, ws::loaded);
    call.tensor(p.o, "o", O, {heads, L, 128}, {(long)L * 128, 128, 1}, ws::stored);
    call.place();
    call.map(p.q_map, p.q, 128);
    call.map(p.k_map, p.k, 192);
    call.map(p.v_map, p.v, 192);
    call.map(p.o_map, p.o, 64);
    p.L = L;
    p.scale = scale;
    call.grid(p.grid, {{0, heads, 1}, {0, L, 128}}, ws::order_auto, 0);
    call.run(attention_fp8_kernel, p, 512, sizeof(attention_fp8_shared), ws::persistent);
}

// attention_fp8.c:20: attention_fp8
struct attention_fp8_2_params {
    ws::tensor<ws::e4m3, 3> q;
    ws::tensor<ws::e4m3, 3> k;
    ws::tensor<ws::e4m3, 3> v;
    ws::tensor<float, 1> each;
    ws::tensor<ws::f16, 3> o;
    ws::edge_map q_map;                  // tiles of 128 rows, the last as it is
    ws::map k_map;                       // tiles of 128 rows
    ws::map v_map;                       // tiles of 128 rows
    ws::map o_map;
    int L;
    float scale;
    ws::grid<2> grid;
};

struct attention_fp8_2_shared {
    ws::shared_tile<ws::e4m3, 128, 128> tq[2];
    ws::shared_tile<ws::e4m3, 128, 128> k_tile[2];
    ws::shared_tile<ws::e4m3, 128, 128> v_tile[2];
    ws::shared_tile<ws::interleaved<ws::e4m3>, 128, 128> v_tile_transposed[2];
    ws::output<ws::f16, 64, 2> o_out[2];  // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<2> tq_ring;
    ws::ring<2> k_tile_ring;
    ws::ring<2> v_tile_ring;
    ws::ring<2> v_tile_transposed_ring;
};
static_assert(offsetof(attention_fp8_2_shared, tq) == 0);
static_assert(offsetof(attention_fp8_2_shared, k_tile) == 32768);
static_assert(offsetof(attention_fp8_2_shared, v_tile) == 65536);
static_assert(offsetof(attention_fp8_2_shared, v_tile_transposed) == 98304);
static_assert(offsetof(attention_fp8_2_shared, o_out) == 131072);
static_assert(sizeof(attention_fp8_2_shared) == 164864);

template <bool TMA>
static WS_DEVICE void attention_fp8_2_producer(const attention_fp8_2_params &p, attention_fp8_2_shared &s, int group)
{
    ws::producer<2, TMA> tq_ring(s.tq_ring);
    ws::producer<2, TMA> k_tile_ring(s.k_tile_ring);
    ws::producer<2, TMA> v_tile_ring(s.v_tile_ring);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // attention_fp8.c:20
        const int h = t.at(0);
        const int i = t.at(1);
        const int tq_slot = tq_ring.put();
        ws::copy_in(tq_ring, s.tq[tq_slot], p.q, p.q_map, h, i, 0);
        tq_ring.put_done();
        for (int j = 0; j < p.L; j += 128) {  // attention_fp8.c:29
            const int k_tile_slot = k_tile_ring.put();
            ws::copy_in(k_tile_ring, s.k_tile[k_tile_slot], p.k, p.k_map, h, j, 0);
            k_tile_ring.put_done();
            const int v_tile_slot = v_tile_ring.put();
            ws::copy_in(v_tile_ring, s.v_tile[v_tile_slot], p.v, p.v_map, h, j, 0);
            v_tile_ring.put_done();
        }
    }
}

static WS_DEVICE void attention_fp8_2_consumer(const attention_fp8_2_params &p, attention_fp8_2_shared &s, int group)
{
    ws::consumer<2> tq_ring(s.tq_ring);
    ws::consumer<2> k_tile_ring(s.k_tile_ring);
    ws::consumer<2> v_tile_transposed_ring(s.v_tile_transposed_ring);
    ws::warp_output o_out(s.o_out[group]);
    const long first_row = (long)group * 64;
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // attention_fp8.c:20
        const int h = t.at(0);
        const int i = t.at(1);
        const float power = p.scale * (float)(ws::fixed_at_float(p.each, 0) * ws::fixed_at_float(p.each, 1))
            * 1.442695f;
        const int tq_slot = tq_ring.get();
        auto acc = ws::full<float, 64, 128, ws::frag>(0);
        auto top = ws::full<float, 64, 1, ws::frag>(-1e+30);
        auto sum = ws::full<float, 64, 1, ws::frag>(0);
        const int edge = ws::max(ws::min((long)p.L - 127, (long)p.L), 0l);
        if (p.L > 0) {  // attention_fp8.c:29
            auto s_2 = ws::full<float, 64, 128, ws::frag>(0);
            const int k_tile_slot = k_tile_ring.get();
            ws::mma(s_2, ws::window<64, 128>(s.tq[tq_slot], first_row, 0), ws::trans(ws::view(s.k_tile[k_tile_slot])));
            ws::commit();
            ws::wait<0>(s_2);
            k_tile_ring.consumed<0>();
            if (edge <= 0) {  // attention_fp8.c:31
                s_2 = ws::select(ws::lt(ws::col_index<1, 128, ws::frag>(), p.L), s_2, -1e+30);
            }
            const auto now = ws::max(top, ws::mul(ws::row_max(s_2), power));
            const auto p_2 = ws::exp2(ws::fma(s_2, power, ws::sub(8, now)));
            const auto shrink = ws::exp2(ws::sub(top, now));
            sum = ws::fma(sum, shrink, ws::row_part(p_2));
            top = now;
            auto x = ws::cast<ws::e4m3>(p_2);
            acc = ws::rescale(acc, shrink);
            int j = 128;
            for (; j < ws::min(edge, p.L); j += 128) {  // attention_fp8.c:29
                auto s_3 = ws::full<float, 64, 128, ws::frag>(0);
                const int k_tile_slot_2 = k_tile_ring.get();
                ws::mma(s_3, ws::window<64, 128>(s.tq[tq_slot], first_row, 0),
                        ws::trans(ws::view(s.k_tile[k_tile_slot_2])));
                ws::commit();
                const int v_tile_transposed_slot = v_tile_transposed_ring.get();
                ws::mma(acc, x, ws::trans(ws::view(s.v_tile_transposed[v_tile_transposed_slot])));
                ws::commit();
                ws::wait<1>(s_3);
                k_tile_ring.consumed<0>();
                const auto now_2 = ws::max(top, ws::mul(ws::row_max(s_3), power));
                const auto x_2 = ws::fma(s_3, power, ws::sub(8, now_2));
                ws::computed(now_2);
                ws::wait<0>(acc);
                v_tile_transposed_ring.consumed<0>();
                const auto p_3 = ws::exp2(x_2);
                const auto shrink_2 = ws::exp2(ws::sub(top, now_2));
                sum = ws::fma(sum, shrink_2, ws::row_part(p_3));
                acc = ws::rescale(acc, shrink_2);
                x = ws::cast<ws::e4m3>(p_3);
                top = now_2;
            }
            for (; j < p.L; j += 128) {  // attention_fp8.c:29
                auto s_3 = ws::full<float, 64, 128, ws::frag>(0);
                const int k_tile_slot_2 = k_tile_ring.get();
                ws::mma(s_3, ws::window<64, 128>(s.tq[tq_slot], first_row, 0),
                        ws::trans(ws::view(s.k_tile[k_tile_slot_2])));
                ws::commit();
                const int v_tile_transposed_slot = v_tile_transposed_ring.get();
                ws::mma(acc, x, ws::trans(ws::view(s.v_tile_transposed[v_tile_transposed_slot])));
                ws::commit();
                ws::wait<1>(s_3);
                k_tile_ring.consumed<0>();
                s_3 = ws::select(ws::lt(ws::col_index<1, 128, ws::frag>(), p.L - j), s_3, -1e+30);
                const auto now_2 = ws::max(top, ws::mul(ws::row_max(s_3), power));
                const auto x_2 = ws::fma(s_3, power, ws::sub(8, now_2));
                ws::computed(now_2);
                ws::wait<0>(acc);
                v_tile_transposed_ring.consumed<0>();
                const auto p_3 = ws::exp2(x_2);
                const auto shrink_2 = ws::exp2(ws::sub(top, now_2));
                sum = ws::fma(sum, shrink_2, ws::row_part(p_3));
                acc = ws::rescale(acc, shrink_2);
                x = ws::cast<ws::e4m3>(p_3);
                top = now_2;
            }
            const int v_tile_transposed_slot_2 = v_tile_transposed_ring.get();
            ws::mma(acc, x, ws::trans(ws::view(s.v_tile_transposed[v_tile_transposed_slot_2])));
            ws::commit();
            ws::computed(sum);
            ws::wait<0>(acc);
            v_tile_transposed_ring.consumed<0>();
        }
        tq_ring.consumed<0>();
        sum = ws::row_total(sum);
        const auto x_3 = ws::div((float)ws::fixed_at_float(p.each, 2), sum);
        WS_UNROLL
        for (int subtile = 0; subtile < 128; subtile += 64) {  // attention_fp8.c:40
            const auto done = ws::mul(ws::columns<64>(acc, subtile), x_3);
            ws::store_wait<1>();
            const auto box = ws::stage(o_out, ws::cast<ws::f16>(done));
            ws::fence();
            ws::store(o_out, p.o, p.o_map, h, i + first_row, subtile, box);  // attention_fp8.c:40
        }
    }
    ws::store_wait<0>();
}

static WS_DEVICE void attention_fp8_2_transposer(const attention_fp8_2_params &p, attention_fp8_2_shared &s, int group)
{
    ws::producer<2> v_tile_transposed_ring(s.v_tile_transposed_ring);
    ws::consumer<2> v_tile_ring(s.v_tile_ring);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // attention_fp8.c:20
        const int h = t.at(0);
        const int i = t.at(1);
        for (int j = 0; j < p.L; j += 128) {  // attention_fp8.c:29
            const int v_tile_slot = v_tile_ring.get();
            const int v_tile_transposed_slot = v_tile_transposed_ring.put();
            ws::transpose(s.v_tile_transposed[v_tile_transposed_slot], ws::view(s.v_tile[v_tile_slot]));
            ws::fence();
            v_tile_ring.consumed<0>();
            ws::group_barrier();
            v_tile_transposed_ring.put_done();
        }
    }
}

static WS_KERNEL(512, 1) void attention_fp8_2_kernel(WS_PARAMS(attention_fp8_2_params) p)
{
    attention_fp8_2_shared &s = ws::shared<attention_fp8_2_shared>();
    if (ws::first_thread()) {
        s.tq_ring.init("tq_ring", 2);    // two groups release each slot
        s.k_tile_ring.init("k_tile_ring", 2);  // two groups release each slot
        s.v_tile_ring.init("v_tile_ring", 1);  // one group releases each slot
        s.v_tile_transposed_ring.init("v_tile_transposed_ring", 2);  // two groups release each slot
        ws::prefetch(p.q_map);
        ws::prefetch(p.k_map);
        ws::prefetch(p.v_map);
        ws::prefetch(p.o_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.q_map, p.k_map, p.v_map))
                attention_fp8_2_producer<true>(p, s, 0);
            else
                attention_fp8_2_producer<false>(p, s, 0);
        }
    } else if (ws::warp_group() < 3) {
        ws::registers_up<232>();
        attention_fp8_2_consumer(p, s, ws::warp_group() - 1);
    } else {
        ws::registers_down<24>();
        attention_fp8_2_transposer(p, s, 0);
    }
}

extern "C" void ws_launch_attention_fp8_2(int heads, int L, float scale, const void *scales, const void *Q,
                                          const void *K, const void *V, const void *O)
{
    ws::launch call("attention_fp8");
    attention_fp8_2_params p;
    call.tensor(p.q, "q", Q, {heads, L, 128}, {(long)L * 128, 128, 1}, ws::loaded);
    call.tensor(p.k, "k", K, {heads, L, 128}, {(long)L * 128, 128, 1}, ws::loaded);
    call.tensor(p.v, "v", V, {heads, L, 128}, {(long)L * 128, 128, 1}, ws::loaded);
    call.tensor(p.each, "each", scales, {3}, {1}, ws::loaded);
    call.tensor(p.o, "o", O, {heads, L, 128}, {(long)L * 128, 128, 1}, ws::stored);
    call.place();
    call.map(p.q_map, p.q, 128);
    call.map(p.k_map, p.k, 128);
    call.map(p.v_map, p.v, 128);
    call.map(p.o_map, p.o, 64);
    p.L = L;
    p.scale = scale;
    call.grid(p.grid, {{0, heads, 1}, {0, L, 128}}, ws::order_auto, 0);
    call.run(attention_fp8_2_kernel, p, 512, sizeof(attention_fp8_2_shared), ws::persistent);
}
