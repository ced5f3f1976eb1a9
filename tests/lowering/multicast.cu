#include <wsrt.cuh>

// multicast.ir:3: product
typedef ws::cluster<2, 1> product_in_2x1_cluster;  // blocks side by side, which share what they load

struct product_in_2x1_params {
    ws::tensor<ws::f16, 2> a;
    ws::tensor<ws::f16, 2> b;
    ws::tensor<float, 2> c;
    ws::edge_map a_map;                  // tiles of 64 rows, the last as it is
    ws::edge_map b_map;                  // tiles of 64 rows, the last as it is
    ws::map c_map;
    int K;
    ws::grid<2, product_in_2x1_cluster> grid;
};

struct product_in_2x1_shared {
    ws::shared_tile<ws::f16, 64, 64> ta[8];
    ws::shared_tile<ws::f16, 128, 64> tb[8];
    ws::output<float, 64, 2> c_out[2];   // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<8> ta_tb;
    ws::pingpong<2> pingpong;
};
static_assert(offsetof(product_in_2x1_shared, ta) == 0);
static_assert(offsetof(product_in_2x1_shared, tb) == 65536);
static_assert(offsetof(product_in_2x1_shared, c_out) == 196608);
static_assert(sizeof(product_in_2x1_shared) == 230400);

template <bool TMA>
static WS_DEVICE void product_in_2x1_producer(const product_in_2x1_params &p, product_in_2x1_shared &s, int group)
{
    ws::sharer<8, TMA> ta_tb(s.ta_tb);
    for (ws::tiles<2, product_in_2x1_cluster> t(p.grid); t.more(); t.next()) {  // multicast.ir:3
        const int i = t.at(0);
        const int j = t.at(1);
        const bool inside = t.inside();
        for (int k = 0; k < p.K; k += 64) {  // multicast.ir:11
            const int slot = ta_tb.put();
            if (inside)
                ws::copy_in(ta_tb, s.ta[slot], p.a, p.a_map, i, k);
            ws::copy_share<product_in_2x1_cluster, ws::along_x>(ta_tb, s.tb[slot], p.b, p.b_map, j, k);
            ta_tb.put_done();
        }
    }
}

static WS_DEVICE void product_in_2x1_consumer(const product_in_2x1_params &p, product_in_2x1_shared &s, int group)
{
    ws::consumer<8, product_in_2x1_cluster, ws::along_x> ta_tb(s.ta_tb);
    ws::warp_output c_out(s.c_out[group]);
    s.pingpong.begin(group);
    for (ws::tiles<2, product_in_2x1_cluster> t(p.grid); t.more(); t.next()) {  // multicast.ir:3
        const int i = t.at(0);
        const int j = t.at(1);
        if (t.ordinal() % 2 == group) {  // multicast.ir:3
            auto acc = ws::full<float, 64, 128, ws::frag>(0);
            s.pingpong.take(group);
            for (int k = 0; k < p.K; k += 64) {  // multicast.ir:11
                const int slot = ta_tb.get();
                ws::mma(acc, ws::view(s.ta[slot]), ws::trans(ws::view(s.tb[slot])));
                ws::commit();
                ws::wait<1>(acc);
                ta_tb.consumed<1>();
            }
            s.pingpong.pass(group);
            ws::wait<0>(acc);
            ta_tb.consumed<0>();
            ws::store_wait<1>();
            const auto box = ws::stage<0>(c_out, acc);
            ws::fence();
            if (t.inside())
                ws::store(c_out, p.c, p.c_map, i, j, box);  // multicast.ir:18
            ws::store_wait<1>();
            const auto box_2 = ws::stage<1>(c_out, acc);
            ws::fence();
            if (t.inside())
                ws::store(c_out, p.c, p.c_map, i, j, box_2);  // multicast.ir:18
            ws::store_wait<1>();
            const auto box_3 = ws::stage<2>(c_out, acc);
            ws::fence();
            if (t.inside())
                ws::store(c_out, p.c, p.c_map, i, j, box_3);  // multicast.ir:18
            ws::store_wait<1>();
            const auto box_4 = ws::stage<3>(c_out, acc);
            ws::fence();
            if (t.inside())
                ws::store(c_out, p.c, p.c_map, i, j, box_4);  // multicast.ir:18
        } else {
            ta_tb.skip(ws::max((p.K + 63) / 64, 0));
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void product_in_2x1_kernel(WS_PARAMS(product_in_2x1_params) p)
{
    product_in_2x1_shared &s = ws::shared<product_in_2x1_shared>();
    if (ws::first_thread()) {
        s.ta_tb.init<product_in_2x1_cluster, ws::along_x>("ta_tb", 2);  // two groups release each slot
        s.pingpong.init("pingpong");
        ws::prefetch(p.a_map);
        ws::prefetch(p.b_map);
        ws::prefetch(p.c_map);
    }
    ws::start<product_in_2x1_cluster>();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.a_map, p.b_map))
                product_in_2x1_producer<true>(p, s, 0);
            else
                product_in_2x1_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        product_in_2x1_consumer(p, s, ws::warp_group() - 1);
    }
    ws::finish<product_in_2x1_cluster>();
}

static void ws_launch_product_in_2x1(int M, int N, int K, const void *A, const void *B, const void *C)
{
    ws::launch call("product");
    product_in_2x1_params p;
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.b, "b", B, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.a_map, p.a, 64);
    call.map(p.b_map, p.b, 64);
    call.map(p.c_map, p.c, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 64}, {0, N, 128}}, ws::order_auto, 0);
    call.run(product_in_2x1_kernel, p, 384, sizeof(product_in_2x1_shared), ws::persistent,
             product_in_2x1_cluster::size);
}

// multicast.ir:3: product
typedef ws::cluster<2, 2> product_in_2x2_cluster;  // blocks side by side, which share what they load

struct product_in_2x2_params {
    ws::tensor<ws::f16, 2> a;
    ws::tensor<ws::f16, 2> b;
    ws::tensor<float, 2> c;
    ws::edge_map a_map;                  // tiles of 32 rows, the last as it is
    ws::edge_map b_map;                  // tiles of 64 rows, the last as it is
    ws::map c_map;
    int K;
    ws::grid<2, product_in_2x2_cluster> grid;
};

struct product_in_2x2_shared {
    ws::shared_tile<ws::f16, 64, 64> ta[8];
    ws::shared_tile<ws::f16, 128, 64> tb[8];
    ws::output<float, 64, 2> c_out[2];   // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<8> ta_tb;
    ws::pingpong<2> pingpong;
};
static_assert(offsetof(product_in_2x2_shared, ta) == 0);
static_assert(offsetof(product_in_2x2_shared, tb) == 65536);
static_assert(offsetof(product_in_2x2_shared, c_out) == 196608);
static_assert(sizeof(product_in_2x2_shared) == 230400);

template <bool TMA>
static WS_DEVICE void product_in_2x2_producer(const product_in_2x2_params &p, product_in_2x2_shared &s, int group)
{
    ws::sharer<8, TMA> ta_tb(s.ta_tb);
    for (ws::tiles<2, product_in_2x2_cluster> t(p.grid); t.more(); t.next()) {  // multicast.ir:3
        const int i = t.nearest(0);
        const int j = t.nearest(1);
        for (int k = 0; k < p.K; k += 64) {  // multicast.ir:11
            const int slot = ta_tb.put();
            ws::copy_share<product_in_2x2_cluster, ws::along_y>(ta_tb, s.ta[slot], p.a, p.a_map, i, k);
            ws::copy_share<product_in_2x2_cluster, ws::along_x>(ta_tb, s.tb[slot], p.b, p.b_map, j, k);
            ta_tb.put_done();
        }
    }
}

static WS_DEVICE void product_in_2x2_consumer(const product_in_2x2_params &p, product_in_2x2_shared &s, int group)
{
    ws::consumer<8, product_in_2x2_cluster, ws::along_x_and_y> ta_tb(s.ta_tb);
    ws::warp_output c_out(s.c_out[group]);
    s.pingpong.begin(group);
    for (ws::tiles<2, product_in_2x2_cluster> t(p.grid); t.more(); t.next()) {  // multicast.ir:3
        const int i = t.nearest(0);
        const int j = t.nearest(1);
        if (t.ordinal() % 2 == group) {  // multicast.ir:3
            auto acc = ws::full<float, 64, 128, ws::frag>(0);
            s.pingpong.take(group);
            for (int k = 0; k < p.K; k += 64) {  // multicast.ir:11
                const int slot = ta_tb.get();
                ws::mma(acc, ws::view(s.ta[slot]), ws::trans(ws::view(s.tb[slot])));
                ws::commit();
                ws::wait<1>(acc);
                ta_tb.consumed<1>();
            }
            s.pingpong.pass(group);
            ws::wait<0>(acc);
            ta_tb.consumed<0>();
            ws::store_wait<1>();
            const auto box = ws::stage<0>(c_out, acc);
            ws::fence();
            if (t.inside())
                ws::store(c_out, p.c, p.c_map, i, j, box);  // multicast.ir:18
            ws::store_wait<1>();
            const auto box_2 = ws::stage<1>(c_out, acc);
            ws::fence();
            if (t.inside())
                ws::store(c_out, p.c, p.c_map, i, j, box_2);  // multicast.ir:18
            ws::store_wait<1>();
            const auto box_3 = ws::stage<2>(c_out, acc);
            ws::fence();
            if (t.inside())
                ws::store(c_out, p.c, p.c_map, i, j, box_3);  // multicast.ir:18
            ws::store_wait<1>();
            const auto box_4 = ws::stage<3>(c_out, acc);
            ws::fence();
            if (t.inside())
                ws::store(c_out, p.c, p.c_map, i, j, box_4);  // multicast.ir:18
        } else {
            ta_tb.skip(ws::max((p.K + 63) / 64, 0));
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void product_in_2x2_kernel(WS_PARAMS(product_in_2x2_params) p)
{
    product_in_2x2_shared &s = ws::shared<product_in_2x2_shared>();
    if (ws::first_thread()) {
        s.ta_tb.init<product_in_2x2_cluster, ws::along_x_and_y>("ta_tb", 3);  // three groups release each slot
        s.pingpong.init("pingpong");
        ws::prefetch(p.a_map);
        ws::prefetch(p.b_map);
        ws::prefetch(p.c_map);
    }
    ws::start<product_in_2x2_cluster>();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.a_map, p.b_map))
                product_in_2x2_producer<true>(p, s, 0);
            else
                product_in_2x2_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        product_in_2x2_consumer(p, s, ws::warp_group() - 1);
    }
    ws::finish<product_in_2x2_cluster>();
}

static void ws_launch_product_in_2x2(int M, int N, int K, const void *A, const void *B, const void *C)
{
    ws::launch call("product");
    product_in_2x2_params p;
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.b, "b", B, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.a_map, p.a, 32);
    call.map(p.b_map, p.b, 64);
    call.map(p.c_map, p.c, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 64}, {0, N, 128}}, ws::order_auto, 0);
    call.run(product_in_2x2_kernel, p, 384, sizeof(product_in_2x2_shared), ws::persistent,
             product_in_2x2_cluster::size);
}

// multicast.ir:3: product
struct product_params {
    ws::tensor<ws::f16, 2> a;
    ws::tensor<ws::f16, 2> b;
    ws::tensor<float, 2> c;
    ws::edge_map a_map;                  // tiles of 64 rows, the last as it is
    ws::edge_map b_map;                  // tiles of 128 rows, the last as it is
    ws::map c_map;
    int K;
    ws::grid<2> grid;
};

struct product_shared {
    ws::shared_tile<ws::f16, 64, 64> ta[8];
    ws::shared_tile<ws::f16, 128, 64> tb[8];
    ws::output<float, 64, 2> c_out[2];   // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<8> ta_tb;
    ws::pingpong<2> pingpong;
};
static_assert(offsetof(product_shared, ta) == 0);
static_assert(offsetof(product_shared, tb) == 65536);
static_assert(offsetof(product_shared, c_out) == 196608);
static_assert(sizeof(product_shared) == 230400);

template <bool TMA>
static WS_DEVICE void product_producer(const product_params &p, product_shared &s, int group)
{
    ws::producer<8, TMA> ta_tb(s.ta_tb);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // multicast.ir:3
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < p.K; k += 64) {  // multicast.ir:11
            const int slot = ta_tb.put();
            ws::copy_in(ta_tb, s.ta[slot], p.a, p.a_map, i, k);
            ws::copy_in(ta_tb, s.tb[slot], p.b, p.b_map, j, k);
            ta_tb.put_done();
        }
    }
}

static WS_DEVICE void product_consumer(const product_params &p, product_shared &s, int group)
{
    ws::consumer<8> ta_tb(s.ta_tb);
    ws::warp_output c_out(s.c_out[group]);
    s.pingpong.begin(group);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // multicast.ir:3
        const int i = t.at(0);
        const int j = t.at(1);
        if (t.ordinal() % 2 == group) {  // multicast.ir:3
            auto acc = ws::full<float, 64, 128, ws::frag>(0);
            s.pingpong.take(group);
            for (int k = 0; k < p.K; k += 64) {  // multicast.ir:11
                const int slot = ta_tb.get();
                ws::mma(acc, ws::view(s.ta[slot]), ws::trans(ws::view(s.tb[slot])));
                ws::commit();
                ws::wait<1>(acc);
                ta_tb.consumed<1>();
            }
            s.pingpong.pass(group);
            ws::wait<0>(acc);
            ta_tb.consumed<0>();
            ws::store_wait<1>();
            const auto box = ws::stage<0>(c_out, acc);
            ws::fence();
            ws::store(c_out, p.c, p.c_map, i, j, box);  // multicast.ir:18
            ws::store_wait<1>();
            const auto box_2 = ws::stage<1>(c_out, acc);
            ws::fence();
            ws::store(c_out, p.c, p.c_map, i, j, box_2);  // multicast.ir:18
            ws::store_wait<1>();
            const auto box_3 = ws::stage<2>(c_out, acc);
            ws::fence();
            ws::store(c_out, p.c, p.c_map, i, j, box_3);  // multicast.ir:18
            ws::store_wait<1>();
            const auto box_4 = ws::stage<3>(c_out, acc);
            ws::fence();
            ws::store(c_out, p.c, p.c_map, i, j, box_4);  // multicast.ir:18
        } else {
            ta_tb.skip(ws::max((p.K + 63) / 64, 0));
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void product_kernel(WS_PARAMS(product_params) p)
{
    product_shared &s = ws::shared<product_shared>();
    if (ws::first_thread()) {
        s.ta_tb.init("ta_tb", 1);        // one group releases each slot
        s.pingpong.init("pingpong");
        ws::prefetch(p.a_map);
        ws::prefetch(p.b_map);
        ws::prefetch(p.c_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.a_map, p.b_map))
                product_producer<true>(p, s, 0);
            else
                product_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        product_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_product(int M, int N, int K, const void *A, const void *B, const void *C)
{
    if (ws::is_faster({{0, (long)M, 64}, {0, (long)N, 128}}, {1, 2, 1, true, 0},
                      {{1, 0, 0, 0, 683, 0},
                       {ws::times(0, (long)K, 64), 7, 256, 0, 0, 64 * ws::asks((long)K * 2) + 64
                        * ws::asks((long)K * 2)}}, {1, 1, 1, true, 0},
                      {{1, 0, 0, 0, 683, 0},
                       {ws::times(0, (long)K, 64), 7, 256, 0, 0, 64 * ws::asks((long)K * 2) + 128
                        * ws::asks((long)K * 2)}})
        && !ws::is_faster({{0, (long)M, 64}, {0, (long)N, 128}}, {1, 2, 2, true, 0},
                          {{1, 0, 0, 0, 683, 0},
                           {ws::times(0, (long)K, 64), 7, 256, 0, 0, 32 * ws::asks((long)K * 2) + 64
                            * ws::asks((long)K * 2)}}, {1, 2, 1, true, 0},
                          {{1, 0, 0, 0, 683, 0},
                           {ws::times(0, (long)K, 64), 7, 256, 0, 0, 64 * ws::asks((long)K * 2) + 64
                            * ws::asks((long)K * 2)}})) {
        ws_launch_product_in_2x1(M, N, K, A, B, C);
        return;
    }
    if (ws::is_faster({{0, (long)M, 64}, {0, (long)N, 128}}, {1, 2, 2, true, 0},
                      {{1, 0, 0, 0, 683, 0},
                       {ws::times(0, (long)K, 64), 7, 256, 0, 0, 32 * ws::asks((long)K * 2) + 64
                        * ws::asks((long)K * 2)}}, {1, 1, 1, true, 0},
                      {{1, 0, 0, 0, 683, 0},
                       {ws::times(0, (long)K, 64), 7, 256, 0, 0, 64 * ws::asks((long)K * 2) + 128
                        * ws::asks((long)K * 2)}})) {
        ws_launch_product_in_2x2(M, N, K, A, B, C);
        return;
    }
    ws::launch call("product");
    product_params p;
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.b, "b", B, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.a_map, p.a, 64);
    call.map(p.b_map, p.b, 128);
    call.map(p.c_map, p.c, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 64}, {0, N, 128}}, ws::order_auto, 0);
    call.run(product_kernel, p, 384, sizeof(product_shared), ws::persistent);
}

// multicast.ir:24: whole_lines
struct whole_lines_params {
    ws::tensor<ws::f16, 2> a;
    ws::tensor<ws::f16, 2> b;
    ws::tensor<float, 2> c;
    ws::edge_map a_map;                  // tiles of 128 rows, the last as it is
    ws::edge_map b_map;                  // tiles of 128 rows, the last as it is
    ws::map c_map;
    ws::grid<2> grid;
};

struct whole_lines_shared {
    ws::shared_tile<ws::f16, 128, 64> ta[6];
    ws::shared_tile<ws::f16, 128, 64> tb[6];
    ws::output<float, 64, 2> c_out[2];   // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<6> ta_tb;
    ws::pingpong<2> pingpong;
};
static_assert(offsetof(whole_lines_shared, ta) == 0);
static_assert(offsetof(whole_lines_shared, tb) == 98304);
static_assert(offsetof(whole_lines_shared, c_out) == 196608);
static_assert(sizeof(whole_lines_shared) == 230400);

template <bool TMA>
static WS_DEVICE void whole_lines_producer(const whole_lines_params &p, whole_lines_shared &s, int group)
{
    ws::producer<6, TMA> ta_tb(s.ta_tb);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // multicast.ir:24
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < 4096; k += 64) {  // multicast.ir:32
            const int slot = ta_tb.put();
            ws::copy_in(ta_tb, s.ta[slot], p.a, p.a_map, i, k);
            ws::copy_in(ta_tb, s.tb[slot], p.b, p.b_map, j, k);
            ta_tb.put_done();
        }
    }
}

static WS_DEVICE void whole_lines_consumer(const whole_lines_params &p, whole_lines_shared &s, int group)
{
    ws::consumer<6> ta_tb(s.ta_tb);
    ws::warp_output c_out(s.c_out[group]);
    s.pingpong.begin(group);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // multicast.ir:24
        const int i = t.at(0);
        const int j = t.at(1);
        if (t.ordinal() % 2 == group) {  // multicast.ir:24
            auto acc = ws::full<float, 128, 128, ws::frag>(0);
            s.pingpong.take(group);
            for (int k = 0; k < 4096; k += 64) {  // multicast.ir:32
                const int slot = ta_tb.get();
                ws::mma(acc, ws::view(s.ta[slot]), ws::trans(ws::view(s.tb[slot])));
                ws::commit();
                ws::wait<1>(acc);
                ta_tb.consumed<1>();
            }
            s.pingpong.pass(group);
            ws::wait<0>(acc);
            ta_tb.consumed<0>();
            ws::store_wait<1>();
            const auto box = ws::stage<0>(c_out, acc);
            ws::fence();
            ws::store(c_out, p.c, p.c_map, i, j, box);  // multicast.ir:39
            ws::store_wait<1>();
            const auto box_2 = ws::stage<1>(c_out, acc);
            ws::fence();
            ws::store(c_out, p.c, p.c_map, i, j, box_2);  // multicast.ir:39
            ws::store_wait<1>();
            const auto box_3 = ws::stage<2>(c_out, acc);
            ws::fence();
            ws::store(c_out, p.c, p.c_map, i, j, box_3);  // multicast.ir:39
            ws::store_wait<1>();
            const auto box_4 = ws::stage<3>(c_out, acc);
            ws::fence();
            ws::store(c_out, p.c, p.c_map, i, j, box_4);  // multicast.ir:39
            ws::store_wait<1>();
            const auto box_5 = ws::stage<4>(c_out, acc);
            ws::fence();
            ws::store(c_out, p.c, p.c_map, i, j, box_5);  // multicast.ir:39
            ws::store_wait<1>();
            const auto box_6 = ws::stage<5>(c_out, acc);
            ws::fence();
            ws::store(c_out, p.c, p.c_map, i, j, box_6);  // multicast.ir:39
            ws::store_wait<1>();
            const auto box_7 = ws::stage<6>(c_out, acc);
            ws::fence();
            ws::store(c_out, p.c, p.c_map, i, j, box_7);  // multicast.ir:39
            ws::store_wait<1>();
            const auto box_8 = ws::stage<7>(c_out, acc);
            ws::fence();
            ws::store(c_out, p.c, p.c_map, i, j, box_8);  // multicast.ir:39
        } else {
            ta_tb.skip(64);
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void whole_lines_kernel(WS_PARAMS(whole_lines_params) p)
{
    whole_lines_shared &s = ws::shared<whole_lines_shared>();
    if (ws::first_thread()) {
        s.ta_tb.init("ta_tb", 1);        // one group releases each slot
        s.pingpong.init("pingpong");
        ws::prefetch(p.a_map);
        ws::prefetch(p.b_map);
        ws::prefetch(p.c_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.a_map, p.b_map))
                whole_lines_producer<true>(p, s, 0);
            else
                whole_lines_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        whole_lines_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_whole_lines(int M, int N, const void *A, const void *B, const void *C)
{
    ws::launch call("whole_lines");
    whole_lines_params p;
    call.tensor(p.a, "a", A, {M, 4096}, {4096, 1}, ws::loaded);
    call.tensor(p.b, "b", B, {N, 4096}, {4096, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.a_map, p.a, 128);
    call.map(p.b_map, p.b, 128);
    call.map(p.c_map, p.c, 64);
    call.grid(p.grid, {{0, M, 128}, {0, N, 128}}, ws::order_auto, 0);
    call.run(whole_lines_kernel, p, 384, sizeof(whole_lines_shared), ws::persistent);
}

// multicast.ir:45: asked
struct asked_params {
    ws::tensor<ws::f16, 2> a;
    ws::tensor<ws::f16, 2> b;
    ws::tensor<float, 2> c;
    ws::edge_map a_map;                  // tiles of 64 rows, the last as it is
    ws::edge_map b_map;                  // tiles of 128 rows, the last as it is
    ws::map c_map;
    int K;
    ws::grid<2> grid;
};

struct asked_shared {
    ws::shared_tile<ws::f16, 64, 64> ta[8];
    ws::shared_tile<ws::f16, 128, 64> tb[8];
    ws::output<float, 64, 2> c_out[2];   // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<8> ta_tb;
    ws::pingpong<2> pingpong;
};
static_assert(offsetof(asked_shared, ta) == 0);
static_assert(offsetof(asked_shared, tb) == 65536);
static_assert(offsetof(asked_shared, c_out) == 196608);
static_assert(sizeof(asked_shared) == 230400);

template <bool TMA>
static WS_DEVICE void asked_producer(const asked_params &p, asked_shared &s, int group)
{
    ws::producer<8, TMA> ta_tb(s.ta_tb);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // multicast.ir:45
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < p.K; k += 64) {  // multicast.ir:53
            const int slot = ta_tb.put();
            ws::copy_in(ta_tb, s.ta[slot], p.a, p.a_map, i, k);
            ws::copy_in(ta_tb, s.tb[slot], p.b, p.b_map, j, k);
            ta_tb.put_done();
        }
    }
}

static WS_DEVICE void asked_consumer(const asked_params &p, asked_shared &s, int group)
{
    ws::consumer<8> ta_tb(s.ta_tb);
    ws::warp_output c_out(s.c_out[group]);
    s.pingpong.begin(group);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // multicast.ir:45
        const int i = t.at(0);
        const int j = t.at(1);
        if (t.ordinal() % 2 == group) {  // multicast.ir:45
            auto acc = ws::full<float, 64, 128, ws::frag>(0);
            s.pingpong.take(group);
            for (int k = 0; k < p.K; k += 64) {  // multicast.ir:53
                const int slot = ta_tb.get();
                ws::mma(acc, ws::view(s.ta[slot]), ws::trans(ws::view(s.tb[slot])));
                ws::commit();
                ws::wait<1>(acc);
                ta_tb.consumed<1>();
            }
            s.pingpong.pass(group);
            ws::wait<0>(acc);
            ta_tb.consumed<0>();
            ws::store_wait<1>();
            const auto box = ws::stage<0>(c_out, acc);
            ws::fence();
            ws::store(c_out, p.c, p.c_map, i, j, box);  // multicast.ir:60
            ws::store_wait<1>();
            const auto box_2 = ws::stage<1>(c_out, acc);
            ws::fence();
            ws::store(c_out, p.c, p.c_map, i, j, box_2);  // multicast.ir:60
            ws::store_wait<1>();
            const auto box_3 = ws::stage<2>(c_out, acc);
            ws::fence();
            ws::store(c_out, p.c, p.c_map, i, j, box_3);  // multicast.ir:60
            ws::store_wait<1>();
            const auto box_4 = ws::stage<3>(c_out, acc);
            ws::fence();
            ws::store(c_out, p.c, p.c_map, i, j, box_4);  // multicast.ir:60
        } else {
            ta_tb.skip(ws::max((p.K + 63) / 64, 0));
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void asked_kernel(WS_PARAMS(asked_params) p)
{
    asked_shared &s = ws::shared<asked_shared>();
    if (ws::first_thread()) {
        s.ta_tb.init("ta_tb", 1);        // one group releases each slot
        s.pingpong.init("pingpong");
        ws::prefetch(p.a_map);
        ws::prefetch(p.b_map);
        ws::prefetch(p.c_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.a_map, p.b_map))
                asked_producer<true>(p, s, 0);
            else
                asked_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        asked_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_asked(int M, int N, int K, const void *A, const void *B, const void *C)
{
    ws::launch call("asked");
    asked_params p;
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.b, "b", B, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.a_map, p.a, 64);
    call.map(p.b_map, p.b, 128);
    call.map(p.c_map, p.c, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 64}, {0, N, 128}}, ws::order_auto, 0);
    call.run(asked_kernel, p, 384, sizeof(asked_shared), ws::persistent);
}
