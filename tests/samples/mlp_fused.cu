#include <wsrt.cuh>

// mlp_fused.c:20: gate
typedef ws::cluster<1, 2> gate_in_1x2_cluster;  // blocks side by side, which share what they load

struct gate_in_1x2_params {
    ws::tensor<ws::bf16, 2> x;
    ws::tensor<ws::bf16, 2> g;
    ws::tensor<ws::bf16, 2> u;
    ws::tensor<ws::bf16, 2> h;
    ws::edge_map x_map;                  // tiles of 64 rows, the last as it is
    ws::edge_map g_map;                  // tiles of 104 rows, the last as it is
    ws::edge_map u_map;                  // tiles of 104 rows, the last as it is
    ws::map h_map;
    int width;
    ws::grid<2, gate_in_1x2_cluster> grid;
};

struct gate_in_1x2_shared {
    ws::shared_tile<ws::bf16, 128, 64> tx[5];
    struct {
        ws::shared_tile<ws::bf16, 104, 64> g_tile;
        ws::shared_tile<ws::bf16, 104, 64> u_tile;
    } g_tile_and_u_tile[5];              // side by side: one operand of a wide product
    ws::output<ws::bf16, 64, 1> h_out[2];  // 64 rows, 1 block of 128 bytes; one for each group
    ws::ring<5> tx_g_tile_u_tile;
    ws::pingpong<2> pingpong;
};
static_assert(offsetof(gate_in_1x2_shared, tx) == 0);
static_assert(offsetof(gate_in_1x2_shared, g_tile_and_u_tile) == 81920);
static_assert(offsetof(gate_in_1x2_shared, h_out) == 215040);
static_assert(sizeof(gate_in_1x2_shared) == 232448);

template <bool TMA>
static WS_DEVICE void gate_in_1x2_producer(const gate_in_1x2_params &p, gate_in_1x2_shared &s, int group)
{
    ws::sharer<5, TMA> tx_g_tile_u_tile(s.tx_g_tile_u_tile);
    for (ws::tiles<2, gate_in_1x2_cluster> t(p.grid); t.more(); t.next()) {  // mlp_fused.c:20
        const int i = t.at(0);
        const int j = t.at(1);
        const bool inside = t.inside();
        for (int k = 0; k < p.width; k += 64) {  // mlp_fused.c:26
            const int slot = tx_g_tile_u_tile.put();
            ws::copy_share<gate_in_1x2_cluster, ws::along_y>(tx_g_tile_u_tile, s.tx[slot], p.x, p.x_map, i, k);
            if (inside)
                ws::copy_in(tx_g_tile_u_tile, s.g_tile_and_u_tile[slot].g_tile, p.g, p.g_map, j, k);
            if (inside)
                ws::copy_in(tx_g_tile_u_tile, s.g_tile_and_u_tile[slot].u_tile, p.u, p.u_map, j, k);
            tx_g_tile_u_tile.put_done();
        }
    }
}

static WS_DEVICE void gate_in_1x2_consumer(const gate_in_1x2_params &p, gate_in_1x2_shared &s, int group)
{
    ws::consumer<5, gate_in_1x2_cluster, ws::along_y> tx_g_tile_u_tile(s.tx_g_tile_u_tile);
    ws::warp_output h_out(s.h_out[group]);
    s.pingpong.begin(group);
    for (ws::tiles<2, gate_in_1x2_cluster> t(p.grid); t.more(); t.next()) {  // mlp_fused.c:20
        const int i = t.at(0);
        const int j = t.at(1);
        if (t.ordinal() % 2 == group) {  // mlp_fused.c:20
            auto gated = ws::full<float, 128, 104, ws::frag>(0);
            auto up = ws::full<float, 128, 104, ws::frag>(0);
            s.pingpong.take(group);
            for (int k = 0; k < p.width; k += 64) {  // mlp_fused.c:26
                const int slot = tx_g_tile_u_tile.get();
                ws::mma(gated, up, ws::view(s.tx[slot]), ws::trans(ws::view(s.g_tile_and_u_tile[slot].g_tile)),
                        ws::trans(ws::view(s.g_tile_and_u_tile[slot].u_tile)));
                ws::commit();
                ws::wait<1>(gated, up);
                tx_g_tile_u_tile.consumed<1>();
            }
            s.pingpong.pass(group);
            ws::wait<0>(gated, up);
            tx_g_tile_u_tile.consumed<0>();
            WS_UNROLL
            for (int subtile = 0; subtile < 64; subtile += 64) {  // mlp_fused.c:31
                const auto x = ws::cast<ws::bf16>(ws::mul(ws::mul(ws::columns<64>(gated, subtile),
                                                                  ws::sigmoid(ws::columns<64>(gated, subtile))),
                                                          ws::columns<64>(up, subtile)));
                const int column = j + subtile;
                ws::store_wait<0>();
                const auto box = ws::stage<0>(h_out, x);
                ws::fence();
                if (t.inside())
                    ws::store(h_out, p.h, p.h_map, i, column, box);  // mlp_fused.c:31
                ws::store_wait<0>();
                const auto box_2 = ws::stage<1>(h_out, x);
                ws::fence();
                if (t.inside())
                    ws::store(h_out, p.h, p.h_map, i, column, box_2);  // mlp_fused.c:31
            }
            WS_UNROLL
            for (int subtile = 64; subtile < 96; subtile += 32) {  // mlp_fused.c:31
                const auto x = ws::cast<ws::bf16>(ws::mul(ws::mul(ws::columns<32>(gated, subtile),
                                                                  ws::sigmoid(ws::columns<32>(gated, subtile))),
                                                          ws::columns<32>(up, subtile)));
                const int column = j + subtile;
                ws::store_wait<0>();
                const auto box = ws::stage<0>(h_out, x);
                ws::fence();
                if (t.inside())
                    ws::store(h_out, p.h, p.h_map, i, column, box);  // mlp_fused.c:31
                ws::store_wait<0>();
                const auto box_2 = ws::stage<1>(h_out, x);
                ws::fence();
                if (t.inside())
                    ws::store(h_out, p.h, p.h_map, i, column, box_2);  // mlp_fused.c:31
            }
            WS_UNROLL
            for (int subtile = 96; subtile < 104; subtile += 8) {  // mlp_fused.c:31
                const int column = j + subtile;
                if (t.inside())
                    ws::store(p.h, i, column,
                              ws::cast<ws::bf16>(ws::mul(ws::mul(ws::columns<8>(gated, subtile),
                                                                 ws::sigmoid(ws::columns<8>(gated, subtile))),
                                                         ws::columns<8>(up, subtile))));  // mlp_fused.c:31
            }
        } else {
            tx_g_tile_u_tile.skip(ws::max((p.width + 63) / 64, 0));
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void gate_in_1x2_kernel(WS_PARAMS(gate_in_1x2_params) p)
{
    gate_in_1x2_shared &s = ws::shared<gate_in_1x2_shared>();
    if (ws::first_thread()) {
        s.tx_g_tile_u_tile.init<gate_in_1x2_cluster, ws::along_y>("tx_g_tile_u_tile",
                                                                  2);  // two groups release each slot
        s.pingpong.init("pingpong");
        ws::prefetch(p.x_map);
        ws::prefetch(p.g_map);
        ws::prefetch(p.u_map);
        ws::prefetch(p.h_map);
    }
    ws::start<gate_in_1x2_cluster>();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.x_map, p.g_map, p.u_map))
                gate_in_1x2_producer<true>(p, s, 0);
            else
                gate_in_1x2_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        gate_in_1x2_consumer(p, s, ws::warp_group() - 1);
    }
    ws::finish<gate_in_1x2_cluster>();
}

static void ws_launch_gate_a6fcaa75_in_1x2(int tokens, int hidden, int width, const void *X, const void *G,
                                           const void *U, const void *H)
{
    ws::launch call("gate");
    gate_in_1x2_params p;
    call.tensor(p.x, "x", X, {tokens, width}, {width, 1}, ws::loaded);
    call.tensor(p.g, "g", G, {hidden, width}, {width, 1}, ws::loaded);
    call.tensor(p.u, "u", U, {hidden, width}, {width, 1}, ws::loaded);
    call.tensor(p.h, "h", H, {tokens, hidden}, {hidden, 1}, ws::stored);
    call.place();
    call.map(p.x_map, p.x, 64);
    call.map(p.g_map, p.g, 104);
    call.map(p.u_map, p.u, 104);
    call.map(p.h_map, p.h, 64);
    p.width = width;
    call.grid(p.grid, {{0, tokens, 128}, {0, hidden, 104}}, ws::order_auto, 0);
    call.run(gate_in_1x2_kernel, p, 384, sizeof(gate_in_1x2_shared), ws::persistent, gate_in_1x2_cluster::size);
}

// mlp_fused.c:20: gate
struct gate_params {
    ws::tensor<ws::bf16, 2> x;
    ws::tensor<ws::bf16, 2> g;
    ws::tensor<ws::bf16, 2> u;
    ws::tensor<ws::bf16, 2> h;
    ws::edge_map x_map;                  // tiles of 128 rows, the last as it is
    ws::edge_map g_map;                  // tiles of 104 rows, the last as it is
    ws::edge_map u_map;                  // tiles of 104 rows, the last as it is
    ws::map h_map;
    int width;
    ws::grid<2> grid;
};

struct gate_shared {
    ws::shared_tile<ws::bf16, 128, 64> tx[5];
    struct {
        ws::shared_tile<ws::bf16, 104, 64> g_tile;
        ws::shared_tile<ws::bf16, 104, 64> u_tile;
    } g_tile_and_u_tile[5];              // side by side: one operand of a wide product
    ws::output<ws::bf16, 64, 1> h_out[2];  // 64 rows, 1 block of 128 bytes; one for each group
    ws::ring<5> tx_g_tile_u_tile;
    ws::pingpong<2> pingpong;
};
static_assert(offsetof(gate_shared, tx) == 0);
static_assert(offsetof(gate_shared, g_tile_and_u_tile) == 81920);
static_assert(offsetof(gate_shared, h_out) == 215040);
static_assert(sizeof(gate_shared) == 232448);

template <bool TMA>
static WS_DEVICE void gate_producer(const gate_params &p, gate_shared &s, int group)
{
    ws::producer<5, TMA> tx_g_tile_u_tile(s.tx_g_tile_u_tile);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // mlp_fused.c:20
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < p.width; k += 64) {  // mlp_fused.c:26
            const int slot = tx_g_tile_u_tile.put();
            ws::copy_in(tx_g_tile_u_tile, s.tx[slot], p.x, p.x_map, i, k);
            ws::copy_in(tx_g_tile_u_tile, s.g_tile_and_u_tile[slot].g_tile, p.g, p.g_map, j, k);
            ws::copy_in(tx_g_tile_u_tile, s.g_tile_and_u_tile[slot].u_tile, p.u, p.u_map, j, k);
            tx_g_tile_u_tile.put_done();
        }
    }
}

static WS_DEVICE void gate_consumer(const gate_params &p, gate_shared &s, int group)
{
    ws::consumer<5> tx_g_tile_u_tile(s.tx_g_tile_u_tile);
    ws::warp_output h_out(s.h_out[group]);
    s.pingpong.begin(group);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // mlp_fused.c:20
        const int i = t.at(0);
        const int j = t.at(1);
        if (t.ordinal() % 2 == group) {  // mlp_fused.c:20
            auto gated = ws::full<float, 128, 104, ws::frag>(0);
            auto up = ws::full<float, 128, 104, ws::frag>(0);
            s.pingpong.take(group);
            for (int k = 0; k < p.width; k += 64) {  // mlp_fused.c:26
                const int slot = tx_g_tile_u_tile.get();
                ws::mma(gated, up, ws::view(s.tx[slot]), ws::trans(ws::view(s.g_tile_and_u_tile[slot].g_tile)),
                        ws::trans(ws::view(s.g_tile_and_u_tile[slot].u_tile)));
                ws::commit();
                ws::wait<1>(gated, up);
                tx_g_tile_u_tile.consumed<1>();
            }
            s.pingpong.pass(group);
            ws::wait<0>(gated, up);
            tx_g_tile_u_tile.consumed<0>();
            WS_UNROLL
            for (int subtile = 0; subtile < 64; subtile += 64) {  // mlp_fused.c:31
                const auto x = ws::cast<ws::bf16>(ws::mul(ws::mul(ws::columns<64>(gated, subtile),
                                                                  ws::sigmoid(ws::columns<64>(gated, subtile))),
                                                          ws::columns<64>(up, subtile)));
                const int column = j + subtile;
                ws::store_wait<0>();
                const auto box = ws::stage<0>(h_out, x);
                ws::fence();
                ws::store(h_out, p.h, p.h_map, i, column, box);  // mlp_fused.c:31
                ws::store_wait<0>();
                const auto box_2 = ws::stage<1>(h_out, x);
                ws::fence();
                ws::store(h_out, p.h, p.h_map, i, column, box_2);  // mlp_fused.c:31
            }
            WS_UNROLL
            for (int subtile = 64; subtile < 96; subtile += 32) {  // mlp_fused.c:31
                const auto x = ws::cast<ws::bf16>(ws::mul(ws::mul(ws::columns<32>(gated, subtile),
                                                                  ws::sigmoid(ws::columns<32>(gated, subtile))),
                                                          ws::columns<32>(up, subtile)));
                const int column = j + subtile;
                ws::store_wait<0>();
                const auto box = ws::stage<0>(h_out, x);
                ws::fence();
                ws::store(h_out, p.h, p.h_map, i, column, box);  // mlp_fused.c:31
                ws::store_wait<0>();
                const auto box_2 = ws::stage<1>(h_out, x);
                ws::fence();
                ws::store(h_out, p.h, p.h_map, i, column, box_2);  // mlp_fused.c:31
            }
            WS_UNROLL
            for (int subtile = 96; subtile < 104; subtile += 8) {  // mlp_fused.c:31
                const int column = j + subtile;
                ws::store(p.h, i, column,
                          ws::cast<ws::bf16>(ws::mul(ws::mul(ws::columns<8>(gated, subtile),
                                                             ws::sigmoid(ws::columns<8>(gated, subtile))),
                                                     ws::columns<8>(up, subtile))));  // mlp_fused.c:31
            }
        } else {
            tx_g_tile_u_tile.skip(ws::max((p.width + 63) / 64, 0));
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void gate_kernel(WS_PARAMS(gate_params) p)
{
    gate_shared &s = ws::shared<gate_shared>();
    if (ws::first_thread()) {
        s.tx_g_tile_u_tile.init("tx_g_tile_u_tile", 1);  // one group releases each slot
        s.pingpong.init("pingpong");
        ws::prefetch(p.x_map);
        ws::prefetch(p.g_map);
        ws::prefetch(p.u_map);
        ws::prefetch(p.h_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.x_map, p.g_map, p.u_map))
                gate_producer<true>(p, s, 0);
            else
                gate_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        gate_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_gate_a6fcaa75(int tokens, int hidden, int width, const void *X, const void *G, const void *U,
                                        const void *H)
{
    if (ws::is_faster({{0, (long)tokens, 128}, {0, (long)hidden, 104}}, {1, 1, 2, true, 0},
                      {{1, 0, 0, 0, 0, 0},
                       {ws::times(0, (long)width, 64), 4, 832, 0, 0, 64 * ws::asks((long)width * 2) + 104
                        * ws::asks((long)width * 2) + 104 * ws::asks((long)width * 2)},
                       {ws::times(0, 64, 64), 0, 0, 704, 341, 0}, {ws::times(64, 96, 32), 0, 0, 352, 171, 0},
                       {ws::times(96, 104, 8), 0, 0, 88, 43, 0}}, {1, 1, 1, true, 0},
                      {{1, 0, 0, 0, 0, 0},
                       {ws::times(0, (long)width, 64), 4, 832, 0, 0, 128 * ws::asks((long)width * 2) + 104
                        * ws::asks((long)width * 2) + 104 * ws::asks((long)width * 2)},
                       {ws::times(0, 64, 64), 0, 0, 704, 341, 0}, {ws::times(64, 96, 32), 0, 0, 352, 171, 0},
                       {ws::times(96, 104, 8), 0, 0, 88, 43, 0}})) {
        ws_launch_gate_a6fcaa75_in_1x2(tokens, hidden, width, X, G, U, H);
        return;
    }
    ws::launch call("gate");
    gate_params p;
    call.tensor(p.x, "x", X, {tokens, width}, {width, 1}, ws::loaded);
    call.tensor(p.g, "g", G, {hidden, width}, {width, 1}, ws::loaded);
    call.tensor(p.u, "u", U, {hidden, width}, {width, 1}, ws::loaded);
    call.tensor(p.h, "h", H, {tokens, hidden}, {hidden, 1}, ws::stored);
    call.place();
    call.map(p.x_map, p.x, 128);
    call.map(p.g_map, p.g, 104);
    call.map(p.u_map, p.u, 104);
    call.map(p.h_map, p.h, 64);
    p.width = width;
    call.grid(p.grid, {{0, tokens, 128}, {0, hidden, 104}}, ws::order_auto, 0);
    call.run(gate_kernel, p, 384, sizeof(gate_shared), ws::persistent);
}

// mlp_fused.c:39: project_128
typedef ws::cluster<1, 2> project_128_in_1x2_cluster;  // blocks side by side, which share what they load

struct project_128_in_1x2_params {
    ws::tensor<ws::bf16, 2> w;
    ws::tensor<ws::bf16, 2> h;
    ws::tensor<ws::bf16, 2> y;
    ws::edge_map w_map;                  // tiles of 128 rows, the last as it is
    ws::edge_map h_map;                  // tiles of 64 rows, the last as it is
    ws::map y_map;
    int hidden;
    ws::grid<2, project_128_in_1x2_cluster> grid;
};

struct project_128_in_1x2_shared {
    ws::shared_tile<ws::bf16, 128, 64> w_tile[6];
    ws::shared_tile<ws::bf16, 128, 64> h_tile[6];
    ws::output<ws::bf16, 64, 2> y_out[2];  // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<6> w_tile_h_tile;
    ws::pingpong<2> pingpong;
};
static_assert(offsetof(project_128_in_1x2_shared, w_tile) == 0);
static_assert(offsetof(project_128_in_1x2_shared, h_tile) == 98304);
static_assert(offsetof(project_128_in_1x2_shared, y_out) == 196608);
static_assert(sizeof(project_128_in_1x2_shared) == 230400);

template <bool TMA>
static WS_DEVICE void project_128_in_1x2_producer(const project_128_in_1x2_params &p, project_128_in_1x2_shared &s,
                                                  int group)
{
    ws::sharer<6, TMA> w_tile_h_tile(s.w_tile_h_tile);
    for (ws::tiles<2, project_128_in_1x2_cluster> t(p.grid); t.more(); t.next()) {  // mlp_fused.c:39
        const int i = t.at(0);
        const int j = t.at(1);
        const bool inside = t.inside();
        for (int k = 0; k < p.hidden; k += 64) {  // mlp_fused.c:45
            const int slot = w_tile_h_tile.put();
            if (inside)
                ws::copy_in(w_tile_h_tile, s.w_tile[slot], p.w, p.w_map, j, k);
            ws::copy_share<project_128_in_1x2_cluster, ws::along_y>(w_tile_h_tile, s.h_tile[slot], p.h, p.h_map, i, k);
            w_tile_h_tile.put_done();
        }
    }
}

static WS_DEVICE void project_128_in_1x2_consumer(const project_128_in_1x2_params &p, project_128_in_1x2_shared &s,
                                                  int group)
{
    ws::consumer<6, project_128_in_1x2_cluster, ws::along_y> w_tile_h_tile(s.w_tile_h_tile);
    ws::warp_output y_out(s.y_out[group]);
    s.pingpong.begin(group);
    for (ws::tiles<2, project_128_in_1x2_cluster> t(p.grid); t.more(); t.next()) {  // mlp_fused.c:39
        const int i = t.at(0);
        const int j = t.at(1);
        if (t.ordinal() % 2 == group) {  // mlp_fused.c:39
            auto acc = ws::full<float, 128, 128, ws::frag>(0);
            s.pingpong.take(group);
            for (int k = 0; k < p.hidden; k += 64) {  // mlp_fused.c:45
                const int slot = w_tile_h_tile.get();
                ws::mma(acc, ws::view(s.h_tile[slot]), ws::trans(ws::view(s.w_tile[slot])));
                ws::commit();
                ws::wait<1>(acc);
                w_tile_h_tile.consumed<1>();
            }
            s.pingpong.pass(group);
            ws::wait<0>(acc);
            w_tile_h_tile.consumed<0>();
            WS_UNROLL
            for (int subtile = 0; subtile < 128; subtile += 64) {  // mlp_fused.c:47
                const auto x = ws::cast<ws::bf16>(ws::columns<64>(acc, subtile));
                const int column = j + subtile;
                ws::store_wait<1>();
                const auto box = ws::stage<0>(y_out, x);
                ws::fence();
                if (t.inside())
                    ws::store(y_out, p.y, p.y_map, i, column, box);  // mlp_fused.c:47
                ws::store_wait<1>();
                const auto box_2 = ws::stage<1>(y_out, x);
                ws::fence();
                if (t.inside())
                    ws::store(y_out, p.y, p.y_map, i, column, box_2);  // mlp_fused.c:47
            }
        } else {
            w_tile_h_tile.skip(ws::max((p.hidden + 63) / 64, 0));
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void project_128_in_1x2_kernel(WS_PARAMS(project_128_in_1x2_params) p)
{
    project_128_in_1x2_shared &s = ws::shared<project_128_in_1x2_shared>();
    if (ws::first_thread()) {
        s.w_tile_h_tile.init<project_128_in_1x2_cluster, ws::along_y>("w_tile_h_tile",
                                                                      2);  // two groups release each slot
        s.pingpong.init("pingpong");
        ws::prefetch(p.w_map);
        ws::prefetch(p.h_map);
        ws::prefetch(p.y_map);
    }
    ws::start<project_128_in_1x2_cluster>();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.w_map, p.h_map))
                project_128_in_1x2_producer<true>(p, s, 0);
            else
                project_128_in_1x2_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        project_128_in_1x2_consumer(p, s, ws::warp_group() - 1);
    }
    ws::finish<project_128_in_1x2_cluster>();
}

static void ws_launch_project_128_a6fcaa75_in_1x2(int from, int to, int tokens, int width, int hidden, const void *H,
                                                  const void *W, const void *Y)
{
    ws::launch call("project_128");
    project_128_in_1x2_params p;
    call.tensor(p.w, "w", W, {width, hidden}, {hidden, 1}, ws::loaded);
    call.tensor(p.h, "h", H, {tokens, hidden}, {hidden, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {tokens, width}, {width, 1}, ws::stored);
    call.place();
    call.map(p.w_map, p.w, 128);
    call.map(p.h_map, p.h, 64);
    call.map(p.y_map, p.y, 64);
    p.hidden = hidden;
    call.grid(p.grid, {{from, to, 128}, {0, width, 128}}, ws::order_auto, 0);
    call.run(project_128_in_1x2_kernel, p, 384, sizeof(project_128_in_1x2_shared), ws::persistent,
             project_128_in_1x2_cluster::size);
}

// mlp_fused.c:39: project_128
typedef ws::cluster<2, 2> project_128_in_2x2_cluster;  // blocks side by side, which share what they load

struct project_128_in_2x2_params {
    ws::tensor<ws::bf16, 2> w;
    ws::tensor<ws::bf16, 2> h;
    ws::tensor<ws::bf16, 2> y;
    ws::edge_map w_map;                  // tiles of 64 rows, the last as it is
    ws::edge_map h_map;                  // tiles of 64 rows, the last as it is
    ws::map y_map;
    int hidden;
    ws::grid<2, project_128_in_2x2_cluster> grid;
};

struct project_128_in_2x2_shared {
    ws::shared_tile<ws::bf16, 128, 64> w_tile[6];
    ws::shared_tile<ws::bf16, 128, 64> h_tile[6];
    ws::output<ws::bf16, 64, 2> y_out[2];  // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<6> w_tile_h_tile;
    ws::pingpong<2> pingpong;
};
static_assert(offsetof(project_128_in_2x2_shared, w_tile) == 0);
static_assert(offsetof(project_128_in_2x2_shared, h_tile) == 98304);
static_assert(offsetof(project_128_in_2x2_shared, y_out) == 196608);
static_assert(sizeof(project_128_in_2x2_shared) == 230400);

template <bool TMA>
static WS_DEVICE void project_128_in_2x2_producer(const project_128_in_2x2_params &p, project_128_in_2x2_shared &s,
                                                  int group)
{
    ws::sharer<6, TMA> w_tile_h_tile(s.w_tile_h_tile);
    for (ws::tiles<2, project_128_in_2x2_cluster> t(p.grid); t.more(); t.next()) {  // mlp_fused.c:39
        const int i = t.nearest(0);
        const int j = t.nearest(1);
        for (int k = 0; k < p.hidden; k += 64) {  // mlp_fused.c:45
            const int slot = w_tile_h_tile.put();
            ws::copy_share<project_128_in_2x2_cluster, ws::along_x>(w_tile_h_tile, s.w_tile[slot], p.w, p.w_map, j, k);
            ws::copy_share<project_128_in_2x2_cluster, ws::along_y>(w_tile_h_tile, s.h_tile[slot], p.h, p.h_map, i, k);
            w_tile_h_tile.put_done();
        }
    }
}

static WS_DEVICE void project_128_in_2x2_consumer(const project_128_in_2x2_params &p, project_128_in_2x2_shared &s,
                                                  int group)
{
    ws::consumer<6, project_128_in_2x2_cluster, ws::along_x_and_y> w_tile_h_tile(s.w_tile_h_tile);
    ws::warp_output y_out(s.y_out[group]);
    s.pingpong.begin(group);
    for (ws::tiles<2, project_128_in_2x2_cluster> t(p.grid); t.more(); t.next()) {  // mlp_fused.c:39
        const int i = t.nearest(0);
        const int j = t.nearest(1);
        if (t.ordinal() % 2 == group) {  // mlp_fused.c:39
            auto acc = ws::full<float, 128, 128, ws::frag>(0);
            s.pingpong.take(group);
            for (int k = 0; k < p.hidden; k += 64) {  // mlp_fused.c:45
                const int slot = w_tile_h_tile.get();
                ws::mma(acc, ws::view(s.h_tile[slot]), ws::trans(ws::view(s.w_tile[slot])));
                ws::commit();
                ws::wait<1>(acc);
                w_tile_h_tile.consumed<1>();
            }
            s.pingpong.pass(group);
            ws::wait<0>(acc);
            w_tile_h_tile.consumed<0>();
            WS_UNROLL
            for (int subtile = 0; subtile < 128; subtile += 64) {  // mlp_fused.c:47
                const auto x = ws::cast<ws::bf16>(ws::columns<64>(acc, subtile));
                const int column = j + subtile;
                ws::store_wait<1>();
                const auto box = ws::stage<0>(y_out, x);
                ws::fence();
                if (t.inside())
                    ws::store(y_out, p.y, p.y_map, i, column, box);  // mlp_fused.c:47
                ws::store_wait<1>();
                const auto box_2 = ws::stage<1>(y_out, x);
                ws::fence();
                if (t.inside())
                    ws::store(y_out, p.y, p.y_map, i, column, box_2);  // mlp_fused.c:47
            }
        } else {
            w_tile_h_tile.skip(ws::max((p.hidden + 63) / 64, 0));
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void project_128_in_2x2_kernel(WS_PARAMS(project_128_in_2x2_params) p)
{
    project_128_in_2x2_shared &s = ws::shared<project_128_in_2x2_shared>();
    if (ws::first_thread()) {
        s.w_tile_h_tile.init<project_128_in_2x2_cluster, ws::along_x_and_y>("w_tile_h_tile",
            3);  // three groups release each slot
        s.pingpong.init("pingpong");
        ws::prefetch(p.w_map);
        ws::prefetch(p.h_map);
        ws::prefetch(p.y_map);
    }
    ws::start<project_128_in_2x2_cluster>();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.w_map, p.h_map))
                project_128_in_2x2_producer<true>(p, s, 0);
            else
                project_128_in_2x2_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        project_128_in_2x2_consumer(p, s, ws::warp_group() - 1);
    }
    ws::finish<project_128_in_2x2_cluster>();
}

static void ws_launch_project_128_a6fcaa75_in_2x2(int from, int to, int tokens, int width, int hidden, const void *H,
                                                  const void *W, const void *Y)
{
    ws::launch call("project_128");
    project_128_in_2x2_params p;
    call.tensor(p.w, "w", W, {width, hidden}, {hidden, 1}, ws::loaded);
    call.tensor(p.h, "h", H, {tokens, hidden}, {hidden, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {tokens, width}, {width, 1}, ws::stored);
    call.place();
    call.map(p.w_map, p.w, 64);
    call.map(p.h_map, p.h, 64);
    call.map(p.y_map, p.y, 64);
    p.hidden = hidden;
    call.grid(p.grid, {{from, to, 128}, {0, width, 128}}, ws::order_auto, 0);
    call.run(project_128_in_2x2_kernel, p, 384, sizeof(project_128_in_2x2_shared), ws::persistent,
             project_128_in_2x2_cluster::size);
}

// mlp_fused.c:39: project_128
struct project_128_params {
    ws::tensor<ws::bf16, 2> w;
    ws::tensor<ws::bf16, 2> h;
    ws::tensor<ws::bf16, 2> y;
    ws::edge_map w_map;                  // tiles of 128 rows, the last as it is
    ws::edge_map h_map;                  // tiles of 128 rows, the last as it is
    ws::map y_map;
    int hidden;
    ws::grid<2> grid;
};

struct project_128_shared {
    ws::shared_tile<ws::bf16, 128, 64> w_tile[6];
    ws::shared_tile<ws::bf16, 128, 64> h_tile[6];
    ws::output<ws::bf16, 64, 2> y_out[2];  // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<6> w_tile_h_tile;
    ws::pingpong<2> pingpong;
};
static_assert(offsetof(project_128_shared, w_tile) == 0);
static_assert(offsetof(project_128_shared, h_tile) == 98304);
static_assert(offsetof(project_128_shared, y_out) == 196608);
static_assert(sizeof(project_128_shared) == 230400);

template <bool TMA>
static WS_DEVICE void project_128_producer(const project_128_params &p, project_128_shared &s, int group)
{
    ws::producer<6, TMA> w_tile_h_tile(s.w_tile_h_tile);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // mlp_fused.c:39
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < p.hidden; k += 64) {  // mlp_fused.c:45
            const int slot = w_tile_h_tile.put();
            ws::copy_in(w_tile_h_tile, s.w_tile[slot], p.w, p.w_map, j, k);
            ws::copy_in(w_tile_h_tile, s.h_tile[slot], p.h, p.h_map, i, k);
            w_tile_h_tile.put_done();
        }
    }
}

static WS_DEVICE void project_128_consumer(const project_128_params &p, project_128_shared &s, int group)
{
    ws::consumer<6> w_tile_h_tile(s.w_tile_h_tile);
    ws::warp_output y_out(s.y_out[group]);
    s.pingpong.begin(group);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // mlp_fused.c:39
        const int i = t.at(0);
        const int j = t.at(1);
        if (t.ordinal() % 2 == group) {  // mlp_fused.c:39
            auto acc = ws::full<float, 128, 128, ws::frag>(0);
            s.pingpong.take(group);
            for (int k = 0; k < p.hidden; k += 64) {  // mlp_fused.c:45
                const int slot = w_tile_h_tile.get();
                ws::mma(acc, ws::view(s.h_tile[slot]), ws::trans(ws::view(s.w_tile[slot])));
                ws::commit();
                ws::wait<1>(acc);
                w_tile_h_tile.consumed<1>();
            }
            s.pingpong.pass(group);
            ws::wait<0>(acc);
            w_tile_h_tile.consumed<0>();
            WS_UNROLL
            for (int subtile = 0; subtile < 128; subtile += 64) {  // mlp_fused.c:47
                const auto x = ws::cast<ws::bf16>(ws::columns<64>(acc, subtile));
                const int column = j + subtile;
                ws::store_wait<1>();
                const auto box = ws::stage<0>(y_out, x);
                ws::fence();
                ws::store(y_out, p.y, p.y_map, i, column, box);  // mlp_fused.c:47
                ws::store_wait<1>();
                const auto box_2 = ws::stage<1>(y_out, x);
                ws::fence();
                ws::store(y_out, p.y, p.y_map, i, column, box_2);  // mlp_fused.c:47
            }
        } else {
            w_tile_h_tile.skip(ws::max((p.hidden + 63) / 64, 0));
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void project_128_kernel(WS_PARAMS(project_128_params) p)
{
    project_128_shared &s = ws::shared<project_128_shared>();
    if (ws::first_thread()) {
        s.w_tile_h_tile.init("w_tile_h_tile", 1);  // one group releases each slot
        s.pingpong.init("pingpong");
        ws::prefetch(p.w_map);
        ws::prefetch(p.h_map);
        ws::prefetch(p.y_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.w_map, p.h_map))
                project_128_producer<true>(p, s, 0);
            else
                project_128_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        project_128_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_project_128_a6fcaa75(int from, int to, int tokens, int width, int hidden, const void *H,
                                               const void *W, const void *Y)
{
    if (ws::is_faster({{(long)from, (long)to, 128}, {0, (long)width, 128}}, {1, 1, 2, true, 0},
                      {{1, 0, 0, 0, 0, 0},
                       {ws::times(0, (long)hidden, 64), 5, 512, 0, 0, 128 * ws::asks((long)hidden * 2) + 64
                        * ws::asks((long)hidden * 2)}, {ws::times(0, 128, 64), 0, 0, 64, 341, 0}}, {1, 1, 1, true, 0},
                      {{1, 0, 0, 0, 0, 0},
                       {ws::times(0, (long)hidden, 64), 5, 512, 0, 0, 128 * ws::asks((long)hidden * 2) + 128
                        * ws::asks((long)hidden * 2)}, {ws::times(0, 128, 64), 0, 0, 64, 341, 0}})
        && !ws::is_faster({{(long)from, (long)to, 128}, {0, (long)width, 128}}, {1, 2, 2, true, 0},
                          {{1, 0, 0, 0, 0, 0},
                           {ws::times(0, (long)hidden, 64), 5, 512, 0, 0, 64 * ws::asks((long)hidden * 2) + 64
                            * ws::asks((long)hidden * 2)}, {ws::times(0, 128, 64), 0, 0, 64, 341, 0}},
                          {1, 1, 2, true, 0},
                          {{1, 0, 0, 0, 0, 0},
                           {ws::times(0, (long)hidden, 64), 5, 512, 0, 0, 128 * ws::asks((long)hidden * 2) + 64
                            * ws::asks((long)hidden * 2)}, {ws::times(0, 128, 64), 0, 0, 64, 341, 0}})) {
        ws_launch_project_128_a6fcaa75_in_1x2(from, to, tokens, width, hidden, H, W, Y);
        return;
    }
    if (ws::is_faster({{(long)from, (long)to, 128}, {0, (long)width, 128}}, {1, 2, 2, true, 0},
                      {{1, 0, 0, 0, 0, 0},
                       {ws::times(0, (long)hidden, 64), 5, 512, 0, 0, 64 * ws::asks((long)hidden * 2) + 64
                        * ws::asks((long)hidden * 2)}, {ws::times(0, 128, 64), 0, 0, 64, 341, 0}}, {1, 1, 1, true, 0},
                      {{1, 0, 0, 0, 0, 0},
                       {ws::times(0, (long)hidden, 64), 5, 512, 0, 0, 128 * ws::asks((long)hidden * 2) + 128
                        * ws::asks((long)hidden * 2)}, {ws::times(0, 128, 64), 0, 0, 64, 341, 0}})) {
        ws_launch_project_128_a6fcaa75_in_2x2(from, to, tokens, width, hidden, H, W, Y);
        return;
    }
    ws::launch call("project_128");
    project_128_params p;
    call.tensor(p.w, "w", W, {width, hidden}, {hidden, 1}, ws::loaded);
    call.tensor(p.h, "h", H, {tokens, hidden}, {hidden, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {tokens, width}, {width, 1}, ws::stored);
    call.place();
    call.map(p.w_map, p.w, 128);
    call.map(p.h_map, p.h, 128);
    call.map(p.y_map, p.y, 64);
    p.hidden = hidden;
    call.grid(p.grid, {{from, to, 128}, {0, width, 128}}, ws::order_auto, 0);
    call.run(project_128_kernel, p, 384, sizeof(project_128_shared), ws::persistent);
}

// mlp_fused.c:39: project_152
typedef ws::cluster<1, 2> project_152_in_1x2_cluster;  // blocks side by side, which share what they load

struct project_152_in_1x2_params {
    ws::tensor<ws::bf16, 2> w;
    ws::tensor<ws::bf16, 2> h;
    ws::tensor<ws::bf16, 2> y;
    ws::edge_map w_map;                  // tiles of 152 rows, the last as it is
    ws::edge_map h_map;                  // tiles of 64 rows, the last as it is
    ws::map y_map;
    int hidden;
    ws::grid<2, project_152_in_1x2_cluster> grid;
};

struct project_152_in_1x2_shared {
    ws::shared_tile<ws::bf16, 152, 64> w_tile[6];
    ws::shared_tile<ws::bf16, 128, 64> h_tile[6];
    ws::output<ws::bf16, 64, 1> y_out[2];  // 64 rows, 1 block of 128 bytes; one for each group
    ws::ring<6> w_tile_h_tile;
    ws::pingpong<2> pingpong;
};
static_assert(offsetof(project_152_in_1x2_shared, w_tile) == 0);
static_assert(offsetof(project_152_in_1x2_shared, h_tile) == 116736);
static_assert(offsetof(project_152_in_1x2_shared, y_out) == 215040);
static_assert(sizeof(project_152_in_1x2_shared) == 232448);

template <bool TMA>
static WS_DEVICE void project_152_in_1x2_producer(const project_152_in_1x2_params &p, project_152_in_1x2_shared &s,
                                                  int group)
{
    ws::sharer<6, TMA> w_tile_h_tile(s.w_tile_h_tile);
    for (ws::tiles<2, project_152_in_1x2_cluster> t(p.grid); t.more(); t.next()) {  // mlp_fused.c:39
        const int i = t.at(0);
        const int j = t.at(1);
        const bool inside = t.inside();
        for (int k = 0; k < p.hidden; k += 64) {  // mlp_fused.c:45
            const int slot = w_tile_h_tile.put();
            if (inside)
                ws::copy_in(w_tile_h_tile, s.w_tile[slot], p.w, p.w_map, j, k);
            ws::copy_share<project_152_in_1x2_cluster, ws::along_y>(w_tile_h_tile, s.h_tile[slot], p.h, p.h_map, i, k);
            w_tile_h_tile.put_done();
        }
    }
}

static WS_DEVICE void project_152_in_1x2_consumer(const project_152_in_1x2_params &p, project_152_in_1x2_shared &s,
                                                  int group)
{
    ws::consumer<6, project_152_in_1x2_cluster, ws::along_y> w_tile_h_tile(s.w_tile_h_tile);
    ws::warp_output y_out(s.y_out[group]);
    s.pingpong.begin(group);
    for (ws::tiles<2, project_152_in_1x2_cluster> t(p.grid); t.more(); t.next()) {  // mlp_fused.c:39
        const int i = t.at(0);
        const int j = t.at(1);
        if (t.ordinal() % 2 == group) {  // mlp_fused.c:39
            auto acc = ws::full<float, 128, 152, ws::frag>(0);
            s.pingpong.take(group);
            for (int k = 0; k < p.hidden; k += 64) {  // mlp_fused.c:45
                const int slot = w_tile_h_tile.get();
                ws::mma(acc, ws::view(s.h_tile[slot]), ws::trans(ws::view(s.w_tile[slot])));
                ws::commit();
                ws::wait<1>(acc);
                w_tile_h_tile.consumed<1>();
            }
            s.pingpong.pass(group);
            ws::wait<0>(acc);
            w_tile_h_tile.consumed<0>();
            WS_UNROLL
            for (int subtile = 0; subtile < 128; subtile += 64) {  // mlp_fused.c:47
                const auto x = ws::cast<ws::bf16>(ws::columns<64>(acc, subtile));
                const int column = j + subtile;
                ws::store_wait<0>();
                const auto box = ws::stage<0>(y_out, x);
                ws::fence();
                if (t.inside())
                    ws::store(y_out, p.y, p.y_map, i, column, box);  // mlp_fused.c:47
                ws::store_wait<0>();
                const auto box_2 = ws::stage<1>(y_out, x);
                ws::fence();
                if (t.inside())
                    ws::store(y_out, p.y, p.y_map, i, column, box_2);  // mlp_fused.c:47
            }
            WS_UNROLL
            for (int subtile = 128; subtile < 152; subtile += 24) {  // mlp_fused.c:47
                const int column = j + subtile;
                if (t.inside())
                    ws::store(p.y, i, column, ws::cast<ws::bf16>(ws::columns<24>(acc, subtile)));  // mlp_fused.c:47
            }
        } else {
            w_tile_h_tile.skip(ws::max((p.hidden + 63) / 64, 0));
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void project_152_in_1x2_kernel(WS_PARAMS(project_152_in_1x2_params) p)
{
    project_152_in_1x2_shared &s = ws::shared<project_152_in_1x2_shared>();
    if (ws::first_thread()) {
        s.w_tile_h_tile.init<project_152_in_1x2_cluster, ws::along_y>("w_tile_h_tile",
                                                                      2);  // two groups release each slot
        s.pingpong.init("pingpong");
        ws::prefetch(p.w_map);
        ws::prefetch(p.h_map);
        ws::prefetch(p.y_map);
    }
    ws::start<project_152_in_1x2_cluster>();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.w_map, p.h_map))
                project_152_in_1x2_producer<true>(p, s, 0);
            else
                project_152_in_1x2_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        project_152_in_1x2_consumer(p, s, ws::warp_group() - 1);
    }
    ws::finish<project_152_in_1x2_cluster>();
}

static void ws_launch_project_152_a6fcaa75_in_1x2(int from, int to, int tokens, int width, int hidden, const void *H,
                                                  const void *W, const void *Y)
{
    ws::launch call("project_152");
    project_152_in_1x2_params p;
    call.tensor(p.w, "w", W, {width, hidden}, {hidden, 1}, ws::loaded);
    call.tensor(p.h, "h", H, {tokens, hidden}, {hidden, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {tokens, width}, {width, 1}, ws::stored);
    call.place();
    call.map(p.w_map, p.w, 152);
    call.map(p.h_map, p.h, 64);
    call.map(p.y_map, p.y, 64);
    p.hidden = hidden;
    call.grid(p.grid, {{from, to, 128}, {0, width, 152}}, ws::order_auto, 0);
    call.run(project_152_in_1x2_kernel, p, 384, sizeof(project_152_in_1x2_shared), ws::persistent,
             project_152_in_1x2_cluster::size);
}

// mlp_fused.c:39: project_152
struct project_152_params {
    ws::tensor<ws::bf16, 2> w;
    ws::tensor<ws::bf16, 2> h;
    ws::tensor<ws::bf16, 2> y;
    ws::edge_map w_map;                  // tiles of 152 rows, the last as it is
    ws::edge_map h_map;                  // tiles of 128 rows, the last as it is
    ws::map y_map;
    int hidden;
    ws::grid<2> grid;
};

struct project_152_shared {
    ws::shared_tile<ws::bf16, 152, 64> w_tile[6];
    ws::shared_tile<ws::bf16, 128, 64> h_tile[6];
    ws::output<ws::bf16, 64, 1> y_out[2];  // 64 rows, 1 block of 128 bytes; one for each group
    ws::ring<6> w_tile_h_tile;
    ws::pingpong<2> pingpong;
};
static_assert(offsetof(project_152_shared, w_tile) == 0);
static_assert(offsetof(project_152_shared, h_tile) == 116736);
static_assert(offsetof(project_152_shared, y_out) == 215040);
static_assert(sizeof(project_152_shared) == 232448);

template <bool TMA>
static WS_DEVICE void project_152_producer(const project_152_params &p, project_152_shared &s, int group)
{
    ws::producer<6, TMA> w_tile_h_tile(s.w_tile_h_tile);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // mlp_fused.c:39
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < p.hidden; k += 64) {  // mlp_fused.c:45
            const int slot = w_tile_h_tile.put();
            ws::copy_in(w_tile_h_tile, s.w_tile[slot], p.w, p.w_map, j, k);
            ws::copy_in(w_tile_h_tile, s.h_tile[slot], p.h, p.h_map, i, k);
            w_tile_h_tile.put_done();
        }
    }
}

static WS_DEVICE void project_152_consumer(const project_152_params &p, project_152_shared &s, int group)
{
    ws::consumer<6> w_tile_h_tile(s.w_tile_h_tile);
    ws::warp_output y_out(s.y_out[group]);
    s.pingpong.begin(group);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // mlp_fused.c:39
        const int i = t.at(0);
        const int j = t.at(1);
        if (t.ordinal() % 2 == group) {  // mlp_fused.c:39
            auto acc = ws::full<float, 128, 152, ws::frag>(0);
            s.pingpong.take(group);
            for (int k = 0; k < p.hidden; k += 64) {  // mlp_fused.c:45
                const int slot = w_tile_h_tile.get();
                ws::mma(acc, ws::view(s.h_tile[slot]), ws::trans(ws::view(s.w_tile[slot])));
                ws::commit();
                ws::wait<1>(acc);
                w_tile_h_tile.consumed<1>();
            }
            s.pingpong.pass(group);
            ws::wait<0>(acc);
            w_tile_h_tile.consumed<0>();
            WS_UNROLL
            for (int subtile = 0; subtile < 128; subtile += 64) {  // mlp_fused.c:47
                const auto x = ws::cast<ws::bf16>(ws::columns<64>(acc, subtile));
                const int column = j + subtile;
                ws::store_wait<0>();
                const auto box = ws::stage<0>(y_out, x);
                ws::fence();
                ws::store(y_out, p.y, p.y_map, i, column, box);  // mlp_fused.c:47
                ws::store_wait<0>();
                const auto box_2 = ws::stage<1>(y_out, x);
                ws::fence();
                ws::store(y_out, p.y, p.y_map, i, column, box_2);  // mlp_fused.c:47
            }
            WS_UNROLL
            for (int subtile = 128; subtile < 152; subtile += 24) {  // mlp_fused.c:47
                const int column = j + subtile;
                ws::store(p.y, i, column, ws::cast<ws::bf16>(ws::columns<24>(acc, subtile)));  // mlp_fused.c:47
            }
        } else {
            w_tile_h_tile.skip(ws::max((p.hidden + 63) / 64, 0));
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void project_152_kernel(WS_PARAMS(project_152_params) p)
{
    project_152_shared &s = ws::shared<project_152_shared>();
    if (ws::first_thread()) {
        s.w_tile_h_tile.init("w_tile_h_tile", 1);  // one group releases each slot
        s.pingpong.init("pingpong");
        ws::prefetch(p.w_map);
        ws::prefetch(p.h_map);
        ws::prefetch(p.y_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.w_map, p.h_map))
                project_152_producer<true>(p, s, 0);
            else
                project_152_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        project_152_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_project_152_a6fcaa75(int from, int to, int tokens, int width, int hidden, const void *H,
                                               const void *W, const void *Y)
{
    if (ws::is_faster({{(long)from, (long)to, 128}, {0, (long)width, 152}}, {1, 1, 2, true, 0},
                      {{1, 0, 0, 0, 0, 0},
                       {ws::times(0, (long)hidden, 64), 5, 608, 0, 0, 152 * ws::asks((long)hidden * 2) + 64
                        * ws::asks((long)hidden * 2)}, {ws::times(0, 128, 64), 0, 0, 64, 341, 0},
                       {ws::times(128, 152, 24), 0, 0, 24, 128, 0}}, {1, 1, 1, true, 0},
                      {{1, 0, 0, 0, 0, 0},
                       {ws::times(0, (long)hidden, 64), 5, 608, 0, 0, 152 * ws::asks((long)hidden * 2) + 128
                        * ws::asks((long)hidden * 2)}, {ws::times(0, 128, 64), 0, 0, 64, 341, 0},
                       {ws::times(128, 152, 24), 0, 0, 24, 128, 0}})) {
        ws_launch_project_152_a6fcaa75_in_1x2(from, to, tokens, width, hidden, H, W, Y);
        return;
    }
    ws::launch call("project_152");
    project_152_params p;
    call.tensor(p.w, "w", W, {width, hidden}, {hidden, 1}, ws::loaded);
    call.tensor(p.h, "h", H, {tokens, hidden}, {hidden, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {tokens, width}, {width, 1}, ws::stored);
    call.place();
    call.map(p.w_map, p.w, 152);
    call.map(p.h_map, p.h, 128);
    call.map(p.y_map, p.y, 64);
    p.hidden = hidden;
    call.grid(p.grid, {{from, to, 128}, {0, width, 152}}, ws::order_auto, 0);
    call.run(project_152_kernel, p, 384, sizeof(project_152_shared), ws::persistent);
}

// mlp_fused.c:39: project_160
typedef ws::cluster<2, 1> project_160_in_2x1_cluster;  // blocks side by side, which share what they load

struct project_160_in_2x1_params {
    ws::tensor<ws::bf16, 2> w;
    ws::tensor<ws::bf16, 2> h;
    ws::tensor<ws::bf16, 2> y;
    ws::edge_map w_map;                  // tiles of 80 rows, the last as it is
    ws::edge_map h_map;                  // tiles of 128 rows, the last as it is
    ws::map y_map;
    int hidden;
    ws::grid<2, project_160_in_2x1_cluster> grid;
};

struct project_160_in_2x1_shared {
    ws::shared_tile<ws::bf16, 160, 64> w_tile[5];
    ws::shared_tile<ws::bf16, 128, 64> h_tile[5];
    ws::output<ws::bf16, 64, 2> y_out[2];  // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<5> w_tile_h_tile;
    ws::pingpong<2> pingpong;
};
static_assert(offsetof(project_160_in_2x1_shared, w_tile) == 0);
static_assert(offsetof(project_160_in_2x1_shared, h_tile) == 102400);
static_assert(offsetof(project_160_in_2x1_shared, y_out) == 184320);
static_assert(sizeof(project_160_in_2x1_shared) == 218112);

template <bool TMA>
static WS_DEVICE void project_160_in_2x1_producer(const project_160_in_2x1_params &p, project_160_in_2x1_shared &s,
                                                  int group)
{
    ws::sharer<5, TMA> w_tile_h_tile(s.w_tile_h_tile);
    for (ws::tiles<2, project_160_in_2x1_cluster> t(p.grid); t.more(); t.next()) {  // mlp_fused.c:39
        const int i = t.at(0);
        const int j = t.at(1);
        const bool inside = t.inside();
        for (int k = 0; k < p.hidden; k += 64) {  // mlp_fused.c:45
            const int slot = w_tile_h_tile.put();
            ws::copy_share<project_160_in_2x1_cluster, ws::along_x>(w_tile_h_tile, s.w_tile[slot], p.w, p.w_map, j, k);
            if (inside)
                ws::copy_in(w_tile_h_tile, s.h_tile[slot], p.h, p.h_map, i, k);
            w_tile_h_tile.put_done();
        }
    }
}

static WS_DEVICE void project_160_in_2x1_consumer(const project_160_in_2x1_params &p, project_160_in_2x1_shared &s,
                                                  int group)
{
    ws::consumer<5, project_160_in_2x1_cluster, ws::along_x> w_tile_h_tile(s.w_tile_h_tile);
    ws::warp_output y_out(s.y_out[group]);
    s.pingpong.begin(group);
    for (ws::tiles<2, project_160_in_2x1_cluster> t(p.grid); t.more(); t.next()) {  // mlp_fused.c:39
        const int i = t.at(0);
        const int j = t.at(1);
        if (t.ordinal() % 2 == group) {  // mlp_fused.c:39
            auto acc = ws::full<float, 128, 160, ws::frag>(0);
            s.pingpong.take(group);
            for (int k = 0; k < p.hidden; k += 64) {  // mlp_fused.c:45
                const int slot = w_tile_h_tile.get();
                ws::mma(acc, ws::view(s.h_tile[slot]), ws::trans(ws::view(s.w_tile[slot])));
                ws::commit();
                ws::wait<1>(acc);
                w_tile_h_tile.consumed<1>();
            }
            s.pingpong.pass(group);
            ws::wait<0>(acc);
            w_tile_h_tile.consumed<0>();
            WS_UNROLL
            for (int subtile = 0; subtile < 128; subtile += 64) {  // mlp_fused.c:47
                const auto x = ws::cast<ws::bf16>(ws::columns<64>(acc, subtile));
                const int column = j + subtile;
                ws::store_wait<1>();
                const auto box = ws::stage<0>(y_out, x);
                ws::fence();
                if (t.inside())
                    ws::store(y_out, p.y, p.y_map, i, column, box);  // mlp_fused.c:47
                ws::store_wait<1>();
                const auto box_2 = ws::stage<1>(y_out, x);
                ws::fence();
                if (t.inside())
                    ws::store(y_out, p.y, p.y_map, i, column, box_2);  // mlp_fused.c:47
            }
            WS_UNROLL
            for (int subtile = 128; subtile < 160; subtile += 32) {  // mlp_fused.c:47
                const auto x = ws::cast<ws::bf16>(ws::columns<32>(acc, subtile));
                const int column = j + subtile;
                ws::store_wait<1>();
                const auto box = ws::stage<0>(y_out, x);
                ws::fence();
                if (t.inside())
                    ws::store(y_out, p.y, p.y_map, i, column, box);  // mlp_fused.c:47
                ws::store_wait<1>();
                const auto box_2 = ws::stage<1>(y_out, x);
                ws::fence();
                if (t.inside())
                    ws::store(y_out, p.y, p.y_map, i, column, box_2);  // mlp_fused.c:47
            }
        } else {
            w_tile_h_tile.skip(ws::max((p.hidden + 63) / 64, 0));
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void project_160_in_2x1_kernel(WS_PARAMS(project_160_in_2x1_params) p)
{
    project_160_in_2x1_shared &s = ws::shared<project_160_in_2x1_shared>();
    if (ws::first_thread()) {
        s.w_tile_h_tile.init<project_160_in_2x1_cluster, ws::along_x>("w_tile_h_tile",
                                                                      2);  // two groups release each slot
        s.pingpong.init("pingpong");
        ws::prefetch(p.w_map);
        ws::prefetch(p.h_map);
        ws::prefetch(p.y_map);
    }
    ws::start<project_160_in_2x1_cluster>();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.w_map, p.h_map))
                project_160_in_2x1_producer<true>(p, s, 0);
            else
                project_160_in_2x1_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        project_160_in_2x1_consumer(p, s, ws::warp_group() - 1);
    }
    ws::finish<project_160_in_2x1_cluster>();
}

static void ws_launch_project_160_a6fcaa75_in_2x1(int from, int to, int tokens, int width, int hidden, const void *H,
                                                  const void *W, const void *Y)
{
    ws::launch call("project_160");
    project_160_in_2x1_params p;
    call.tensor(p.w, "w", W, {width, hidden}, {hidden, 1}, ws::loaded);
    call.tensor(p.h, "h", H, {tokens, hidden}, {hidden, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {tokens, width}, {width, 1}, ws::stored);
    call.place();
    call.map(p.w_map, p.w, 80);
    call.map(p.h_map, p.h, 128);
    call.map(p.y_map, p.y, 64);
    p.hidden = hidden;
    call.grid(p.grid, {{from, to, 128}, {0, width, 160}}, ws::order_auto, 0);
    call.run(project_160_in_2x1_kernel, p, 384, sizeof(project_160_in_2x1_shared), ws::persistent,
             project_160_in_2x1_cluster::size);
}

// mlp_fused.c:39: project_160
typedef ws::cluster<2, 2> project_160_in_2x2_cluster;  // blocks side by side, which share what they load

struct project_160_in_2x2_params {
    ws::tensor<ws::bf16, 2> w;
    ws::tensor<ws::bf16, 2> h;
    ws::tensor<ws::bf16, 2> y;
    ws::edge_map w_map;                  // tiles of 80 rows, the last as it is
    ws::edge_map h_map;                  // tiles of 64 rows, the last as it is
    ws::map y_map;
    int hidden;
    ws::grid<2, project_160_in_2x2_cluster> grid;
};

struct project_160_in_2x2_shared {
    ws::shared_tile<ws::bf16, 160, 64> w_tile[5];
    ws::shared_tile<ws::bf16, 128, 64> h_tile[5];
    ws::output<ws::bf16, 64, 2> y_out[2];  // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<5> w_tile_h_tile;
    ws::pingpong<2> pingpong;
};
static_assert(offsetof(project_160_in_2x2_shared, w_tile) == 0);
static_assert(offsetof(project_160_in_2x2_shared, h_tile) == 102400);
static_assert(offsetof(project_160_in_2x2_shared, y_out) == 184320);
static_assert(sizeof(project_160_in_2x2_shared) == 218112);

template <bool TMA>
static WS_DEVICE void project_160_in_2x2_producer(const project_160_in_2x2_params &p, project_160_in_2x2_shared &s,
                                                  int group)
{
    ws::sharer<5, TMA> w_tile_h_tile(s.w_tile_h_tile);
    for (ws::tiles<2, project_160_in_2x2_cluster> t(p.grid); t.more(); t.next()) {  // mlp_fused.c:39
        const int i = t.nearest(0);
        const int j = t.nearest(1);
        for (int k = 0; k < p.hidden; k += 64) {  // mlp_fused.c:45
            const int slot = w_tile_h_tile.put();
            ws::copy_share<project_160_in_2x2_cluster, ws::along_x>(w_tile_h_tile, s.w_tile[slot], p.w, p.w_map, j, k);
            ws::copy_share<project_160_in_2x2_cluster, ws::along_y>(w_tile_h_tile, s.h_tile[slot], p.h, p.h_map, i, k);
            w_tile_h_tile.put_done();
        }
    }
}

static WS_DEVICE void project_160_in_2x2_consumer(const project_160_in_2x2_params &p, project_160_in_2x2_shared &s,
                                                  int group)
{
    ws::consumer<5, project_160_in_2x2_cluster, ws::along_x_and_y> w_tile_h_tile(s.w_tile_h_tile);
    ws::warp_output y_out(s.y_out[group]);
    s.pingpong.begin(group);
    for (ws::tiles<2, project_160_in_2x2_cluster> t(p.grid); t.more(); t.next()) {  // mlp_fused.c:39
        const int i = t.nearest(0);
        const int j = t.nearest(1);
        if (t.ordinal() % 2 == group) {  // mlp_fused.c:39
            auto acc = ws::full<float, 128, 160, ws::frag>(0);
            s.pingpong.take(group);
            for (int k = 0; k < p.hidden; k += 64) {  // mlp_fused.c:45
                const int slot = w_tile_h_tile.get();
                ws::mma(acc, ws::view(s.h_tile[slot]), ws::trans(ws::view(s.w_tile[slot])));
                ws::commit();
                ws::wait<1>(acc);
                w_tile_h_tile.consumed<1>();
            }
            s.pingpong.pass(group);
            ws::wait<0>(acc);
            w_tile_h_tile.consumed<0>();
            WS_UNROLL
            for (int subtile = 0; subtile < 128; subtile += 64) {  // mlp_fused.c:47
                const auto x = ws::cast<ws::bf16>(ws::columns<64>(acc, subtile));
                const int column = j + subtile;
                ws::store_wait<1>();
                const auto box = ws::stage<0>(y_out, x);
                ws::fence();
                if (t.inside())
                    ws::store(y_out, p.y, p.y_map, i, column, box);  // mlp_fused.c:47
                ws::store_wait<1>();
                const auto box_2 = ws::stage<1>(y_out, x);
                ws::fence();
                if (t.inside())
                    ws::store(y_out, p.y, p.y_map, i, column, box_2);  // mlp_fused.c:47
            }
            WS_UNROLL
            for (int subtile = 128; subtile < 160; subtile += 32) {  // mlp_fused.c:47
                const auto x = ws::cast<ws::bf16>(ws::columns<32>(acc, subtile));
                const int column = j + subtile;
                ws::store_wait<1>();
                const auto box = ws::stage<0>(y_out, x);
                ws::fence();
                if (t.inside())
                    ws::store(y_out, p.y, p.y_map, i, column, box);  // mlp_fused.c:47
                ws::store_wait<1>();
                const auto box_2 = ws::stage<1>(y_out, x);
                ws::fence();
                if (t.inside())
                    ws::store(y_out, p.y, p.y_map, i, column, box_2);  // mlp_fused.c:47
            }
        } else {
            w_tile_h_tile.skip(ws::max((p.hidden + 63) / 64, 0));
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void project_160_in_2x2_kernel(WS_PARAMS(project_160_in_2x2_params) p)
{
    project_160_in_2x2_shared &s = ws::shared<project_160_in_2x2_shared>();
    if (ws::first_thread()) {
        s.w_tile_h_tile.init<project_160_in_2x2_cluster, ws::along_x_and_y>("w_tile_h_tile",
            3);  // three groups release each slot
        s.pingpong.init("pingpong");
        ws::prefetch(p.w_map);
        ws::prefetch(p.h_map);
        ws::prefetch(p.y_map);
    }
    ws::start<project_160_in_2x2_cluster>();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.w_map, p.h_map))
                project_160_in_2x2_producer<true>(p, s, 0);
            else
                project_160_in_2x2_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        project_160_in_2x2_consumer(p, s, ws::warp_group() - 1);
    }
    ws::finish<project_160_in_2x2_cluster>();
}

static void ws_launch_project_160_a6fcaa75_in_2x2(int from, int to, int tokens, int width, int hidden, const void *H,
                                                  const void *W, const void *Y)
{
    ws::launch call("project_160");
    project_160_in_2x2_params p;
    call.tensor(p.w, "w", W, {width, hidden}, {hidden, 1}, ws::loaded);
    call.tensor(p.h, "h", H, {tokens, hidden}, {hidden, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {tokens, width}, {width, 1}, ws::stored);
    call.place();
    call.map(p.w_map, p.w, 80);
    call.map(p.h_map, p.h, 64);
    call.map(p.y_map, p.y, 64);
    p.hidden = hidden;
    call.grid(p.grid, {{from, to, 128}, {0, width, 160}}, ws::order_auto, 0);
    call.run(project_160_in_2x2_kernel, p, 384, sizeof(project_160_in_2x2_shared), ws::persistent,
             project_160_in_2x2_cluster::size);
}

// mlp_fused.c:39: project_160
struct project_160_params {
    ws::tensor<ws::bf16, 2> w;
    ws::tensor<ws::bf16, 2> h;
    ws::tensor<ws::bf16, 2> y;
    ws::edge_map w_map;                  // tiles of 160 rows, the last as it is
    ws::edge_map h_map;                  // tiles of 128 rows, the last as it is
    ws::map y_map;
    int hidden;
    ws::grid<2> grid;
};

struct project_160_shared {
    ws::shared_tile<ws::bf16, 160, 64> w_tile[5];
    ws::shared_tile<ws::bf16, 128, 64> h_tile[5];
    ws::output<ws::bf16, 64, 2> y_out[2];  // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<5> w_tile_h_tile;
    ws::pingpong<2> pingpong;
};
static_assert(offsetof(project_160_shared, w_tile) == 0);
static_assert(offsetof(project_160_shared, h_tile) == 102400);
static_assert(offsetof(project_160_shared, y_out) == 184320);
static_assert(sizeof(project_160_shared) == 218112);

template <bool TMA>
static WS_DEVICE void project_160_producer(const project_160_params &p, project_160_shared &s, int group)
{
    ws::producer<5, TMA> w_tile_h_tile(s.w_tile_h_tile);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // mlp_fused.c:39
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < p.hidden; k += 64) {  // mlp_fused.c:45
            const int slot = w_tile_h_tile.put();
            ws::copy_in(w_tile_h_tile, s.w_tile[slot], p.w, p.w_map, j, k);
            ws::copy_in(w_tile_h_tile, s.h_tile[slot], p.h, p.h_map, i, k);
            w_tile_h_tile.put_done();
        }
    }
}

static WS_DEVICE void project_160_consumer(const project_160_params &p, project_160_shared &s, int group)
{
    ws::consumer<5> w_tile_h_tile(s.w_tile_h_tile);
    ws::warp_output y_out(s.y_out[group]);
    s.pingpong.begin(group);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // mlp_fused.c:39
        const int i = t.at(0);
        const int j = t.at(1);
        if (t.ordinal() % 2 == group) {  // mlp_fused.c:39
            auto acc = ws::full<float, 128, 160, ws::frag>(0);
            s.pingpong.take(group);
            for (int k = 0; k < p.hidden; k += 64) {  // mlp_fused.c:45
                const int slot = w_tile_h_tile.get();
                ws::mma(acc, ws::view(s.h_tile[slot]), ws::trans(ws::view(s.w_tile[slot])));
                ws::commit();
                ws::wait<1>(acc);
                w_tile_h_tile.consumed<1>();
            }
            s.pingpong.pass(group);
            ws::wait<0>(acc);
            w_tile_h_tile.consumed<0>();
            WS_UNROLL
            for (int subtile = 0; subtile < 128; subtile += 64) {  // mlp_fused.c:47
                const auto x = ws::cast<ws::bf16>(ws::columns<64>(acc, subtile));
                const int column = j + subtile;
                ws::store_wait<1>();
                const auto box = ws::stage<0>(y_out, x);
                ws::fence();
                ws::store(y_out, p.y, p.y_map, i, column, box);  // mlp_fused.c:47
                ws::store_wait<1>();
                const auto box_2 = ws::stage<1>(y_out, x);
                ws::fence();
                ws::store(y_out, p.y, p.y_map, i, column, box_2);  // mlp_fused.c:47
            }
            WS_UNROLL
            for (int subtile = 128; subtile < 160; subtile += 32) {  // mlp_fused.c:47
                const auto x = ws::cast<ws::bf16>(ws::columns<32>(acc, subtile));
                const int column = j + subtile;
                ws::store_wait<1>();
                const auto box = ws::stage<0>(y_out, x);
                ws::fence();
                ws::store(y_out, p.y, p.y_map, i, column, box);  // mlp_fused.c:47
                ws::store_wait<1>();
                const auto box_2 = ws::stage<1>(y_out, x);
                ws::fence();
                ws::store(y_out, p.y, p.y_map, i, column, box_2);  // mlp_fused.c:47
            }
        } else {
            w_tile_h_tile.skip(ws::max((p.hidden + 63) / 64, 0));
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void project_160_kernel(WS_PARAMS(project_160_params) p)
{
    project_160_shared &s = ws::shared<project_160_shared>();
    if (ws::first_thread()) {
        s.w_tile_h_tile.init("w_tile_h_tile", 1);  // one group releases each slot
        s.pingpong.init("pingpong");
        ws::prefetch(p.w_map);
        ws::prefetch(p.h_map);
        ws::prefetch(p.y_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.w_map, p.h_map))
                project_160_producer<true>(p, s, 0);
            else
                project_160_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        project_160_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_project_160_a6fcaa75(int from, int to, int tokens, int width, int hidden, const void *H,
                                               const void *W, const void *Y)
{
    if (ws::is_faster({{(long)from, (long)to, 128}, {0, (long)width, 160}}, {1, 2, 1, true, 0},
                      {{1, 0, 0, 0, 0, 0},
                       {ws::times(0, (long)hidden, 64), 4, 640, 0, 0, 80 * ws::asks((long)hidden * 2) + 128
                        * ws::asks((long)hidden * 2)}, {ws::times(0, 128, 64), 0, 0, 64, 341, 0},
                       {ws::times(128, 160, 32), 0, 0, 32, 171, 0}}, {1, 1, 1, true, 0},
                      {{1, 0, 0, 0, 0, 0},
                       {ws::times(0, (long)hidden, 64), 4, 640, 0, 0, 160 * ws::asks((long)hidden * 2) + 128
                        * ws::asks((long)hidden * 2)}, {ws::times(0, 128, 64), 0, 0, 64, 341, 0},
                       {ws::times(128, 160, 32), 0, 0, 32, 171, 0}})
        && !ws::is_faster({{(long)from, (long)to, 128}, {0, (long)width, 160}}, {1, 2, 2, true, 0},
                          {{1, 0, 0, 0, 0, 0},
                           {ws::times(0, (long)hidden, 64), 4, 640, 0, 0, 80 * ws::asks((long)hidden * 2) + 64
                            * ws::asks((long)hidden * 2)}, {ws::times(0, 128, 64), 0, 0, 64, 341, 0},
                           {ws::times(128, 160, 32), 0, 0, 32, 171, 0}}, {1, 2, 1, true, 0},
                          {{1, 0, 0, 0, 0, 0},
                           {ws::times(0, (long)hidden, 64), 4, 640, 0, 0, 80 * ws::asks((long)hidden * 2) + 128
                            * ws::asks((long)hidden * 2)}, {ws::times(0, 128, 64), 0, 0, 64, 341, 0},
                           {ws::times(128, 160, 32), 0, 0, 32, 171, 0}})) {
        ws_launch_project_160_a6fcaa75_in_2x1(from, to, tokens, width, hidden, H, W, Y);
        return;
    }
    if (ws::is_faster({{(long)from, (long)to, 128}, {0, (long)width, 160}}, {1, 2, 2, true, 0},
                      {{1, 0, 0, 0, 0, 0},
                       {ws::times(0, (long)hidden, 64), 4, 640, 0, 0, 80 * ws::asks((long)hidden * 2) + 64
                        * ws::asks((long)hidden * 2)}, {ws::times(0, 128, 64), 0, 0, 64, 341, 0},
                       {ws::times(128, 160, 32), 0, 0, 32, 171, 0}}, {1, 1, 1, true, 0},
                      {{1, 0, 0, 0, 0, 0},
                       {ws::times(0, (long)hidden, 64), 4, 640, 0, 0, 160 * ws::asks((long)hidden * 2) + 128
                        * ws::asks((long)hidden * 2)}, {ws::times(0, 128, 64), 0, 0, 64, 341, 0},
                       {ws::times(128, 160, 32), 0, 0, 32, 171, 0}})) {
        ws_launch_project_160_a6fcaa75_in_2x2(from, to, tokens, width, hidden, H, W, Y);
        return;
    }
    ws::launch call("project_160");
    project_160_params p;
    call.tensor(p.w, "w", W, {width, hidden}, {hidden, 1}, ws::loaded);
    call.tensor(p.h, "h", H, {tokens, hidden}, {hidden, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {tokens, width}, {width, 1}, ws::stored);
    call.place();
    call.map(p.w_map, p.w, 160);
    call.map(p.h_map, p.h, 128);
    call.map(p.y_map, p.y, 64);
    p.hidden = hidden;
    call.grid(p.grid, {{from, to, 128}, {0, width, 160}}, ws::order_auto, 0);
    call.run(project_160_kernel, p, 384, sizeof(project_160_shared), ws::persistent);
}

// mlp_fused.c:39: project_200
typedef ws::cluster<1, 2> project_200_in_1x2_cluster;  // blocks side by side, which share what they load

struct project_200_in_1x2_params {
    ws::tensor<ws::bf16, 2> w;
    ws::tensor<ws::bf16, 2> h;
    ws::tensor<ws::bf16, 2> y;
    ws::edge_map w_map;                  // tiles of 200 rows, the last as it is
    ws::edge_map h_map;                  // tiles of 64 rows, the last as it is
    ws::map y_map;
    int hidden;
    ws::grid<2, project_200_in_1x2_cluster> grid;
};

struct project_200_in_1x2_shared {
    ws::shared_tile<ws::bf16, 200, 64> w_tile[5];
    ws::shared_tile<ws::bf16, 128, 64> h_tile[5];
    ws::output<ws::bf16, 64, 1> y_out[2];  // 64 rows, 1 block of 128 bytes; one for each group
    ws::ring<5> w_tile_h_tile;
    ws::pingpong<2> pingpong;
};
static_assert(offsetof(project_200_in_1x2_shared, w_tile) == 0);
static_assert(offsetof(project_200_in_1x2_shared, h_tile) == 128000);
static_assert(offsetof(project_200_in_1x2_shared, y_out) == 209920);
static_assert(sizeof(project_200_in_1x2_shared) == 227328);

template <bool TMA>
static WS_DEVICE void project_200_in_1x2_producer(const project_200_in_1x2_params &p, project_200_in_1x2_shared &s,
                                                  int group)
{
    ws::sharer<5, TMA> w_tile_h_tile(s.w_tile_h_tile);
    for (ws::tiles<2, project_200_in_1x2_cluster> t(p.grid); t.more(); t.next()) {  // mlp_fused.c:39
        const int i = t.at(0);
        const int j = t.at(1);
        const bool inside = t.inside();
        for (int k = 0; k < p.hidden; k += 64) {  // mlp_fused.c:45
            const int slot = w_tile_h_tile.put();
            if (inside)
                ws::copy_in(w_tile_h_tile, s.w_tile[slot], p.w, p.w_map, j, k);
            ws::copy_share<project_200_in_1x2_cluster, ws::along_y>(w_tile_h_tile, s.h_tile[slot], p.h, p.h_map, i, k);
            w_tile_h_tile.put_done();
        }
    }
}

static WS_DEVICE void project_200_in_1x2_consumer(const project_200_in_1x2_params &p, project_200_in_1x2_shared &s,
                                                  int group)
{
    ws::consumer<5, project_200_in_1x2_cluster, ws::along_y> w_tile_h_tile(s.w_tile_h_tile);
    ws::warp_output y_out(s.y_out[group]);
    s.pingpong.begin(group);
    for (ws::tiles<2, project_200_in_1x2_cluster> t(p.grid); t.more(); t.next()) {  // mlp_fused.c:39
        const int i = t.at(0);
        const int j = t.at(1);
        if (t.ordinal() % 2 == group) {  // mlp_fused.c:39
            auto acc = ws::full<float, 128, 200, ws::frag>(0);
            s.pingpong.take(group);
            for (int k = 0; k < p.hidden; k += 64) {  // mlp_fused.c:45
                const int slot = w_tile_h_tile.get();
                ws::mma(acc, ws::view(s.h_tile[slot]), ws::trans(ws::view(s.w_tile[slot])));
                ws::commit();
                ws::wait<1>(acc);
                w_tile_h_tile.consumed<1>();
            }
            s.pingpong.pass(group);
            ws::wait<0>(acc);
            w_tile_h_tile.consumed<0>();
            WS_UNROLL
            for (int subtile = 0; subtile < 192; subtile += 64) {  // mlp_fused.c:47
                const auto x = ws::cast<ws::bf16>(ws::columns<64>(acc, subtile));
                const int column = j + subtile;
                ws::store_wait<0>();
                const auto box = ws::stage<0>(y_out, x);
                ws::fence();
                if (t.inside())
                    ws::store(y_out, p.y, p.y_map, i, column, box);  // mlp_fused.c:47
                ws::store_wait<0>();
                const auto box_2 = ws::stage<1>(y_out, x);
                ws::fence();
                if (t.inside())
                    ws::store(y_out, p.y, p.y_map, i, column, box_2);  // mlp_fused.c:47
            }
            WS_UNROLL
            for (int subtile = 192; subtile < 200; subtile += 8) {  // mlp_fused.c:47
                const int column = j + subtile;
                if (t.inside())
                    ws::store(p.y, i, column, ws::cast<ws::bf16>(ws::columns<8>(acc, subtile)));  // mlp_fused.c:47
            }
        } else {
            w_tile_h_tile.skip(ws::max((p.hidden + 63) / 64, 0));
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void project_200_in_1x2_kernel(WS_PARAMS(project_200_in_1x2_params) p)
{
    project_200_in_1x2_shared &s = ws::shared<project_200_in_1x2_shared>();
    if (ws::first_thread()) {
        s.w_tile_h_tile.init<project_200_in_1x2_cluster, ws::along_y>("w_tile_h_tile",
                                                                      2);  // two groups release each slot
        s.pingpong.init("pingpong");
        ws::prefetch(p.w_map);
        ws::prefetch(p.h_map);
        ws::prefetch(p.y_map);
    }
    ws::start<project_200_in_1x2_cluster>();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.w_map, p.h_map))
                project_200_in_1x2_producer<true>(p, s, 0);
            else
                project_200_in_1x2_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        project_200_in_1x2_consumer(p, s, ws::warp_group() - 1);
    }
    ws::finish<project_200_in_1x2_cluster>();
}

static void ws_launch_project_200_a6fcaa75_in_1x2(int from, int to, int tokens, int width, int hidden, const void *H,
                                                  const void *W, const void *Y)
{
    ws::launch call("project_200");
    project_200_in_1x2_params p;
    call.tensor(p.w, "w", W, {width, hidden}, {hidden, 1}, ws::loaded);
    call.tensor(p.h, "h", H, {tokens, hidden}, {hidden, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {tokens, width}, {width, 1}, ws::stored);
    call.place();
    call.map(p.w_map, p.w, 200);
    call.map(p.h_map, p.h, 64);
    call.map(p.y_map, p.y, 64);
    p.hidden = hidden;
    call.grid(p.grid, {{from, to, 128}, {0, width, 200}}, ws::order_auto, 0);
    call.run(project_200_in_1x2_kernel, p, 384, sizeof(project_200_in_1x2_shared), ws::persistent,
             project_200_in_1x2_cluster::size);
}

// mlp_fused.c:39: project_200
struct project_200_params {
    ws::tensor<ws::bf16, 2> w;
    ws::tensor<ws::bf16, 2> h;
    ws::tensor<ws::bf16, 2> y;
    ws::edge_map w_map;                  // tiles of 200 rows, the last as it is
    ws::edge_map h_map;                  // tiles of 128 rows, the last as it is
    ws::map y_map;
    int width;
    int hidden;
    ws::grid<2> grid;
};

struct project_200_shared {
    ws::shared_tile<ws::bf16, 200, 64> w_tile[5];
    ws::shared_tile<ws::bf16, 128, 64> h_tile[5];
    ws::output<ws::bf16, 64, 1> y_out[2];  // 64 rows, 1 block of 128 bytes; one for each group
    ws::ring<5> w_tile_h_tile;
    ws::pingpong<2> pingpong;
    ws::tile_scheduler scheduler;
};
static_assert(offsetof(project_200_shared, w_tile) == 0);
static_assert(offsetof(project_200_shared, h_tile) == 128000);
static_assert(offsetof(project_200_shared, y_out) == 209920);
static_assert(sizeof(project_200_shared) == 227328);

template <bool TMA>
static WS_DEVICE void project_200_producer(const project_200_params &p, project_200_shared &s, int group)
{
    ws::producer<5, TMA> w_tile_h_tile(s.w_tile_h_tile);
    for (ws::scheduling_tiles<2> t(p.grid, s.scheduler); t.more(); t.next()) {  // mlp_fused.c:39
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < p.hidden; k += 64) {  // mlp_fused.c:45
            const int slot = w_tile_h_tile.put();
            ws::copy_in(w_tile_h_tile, s.w_tile[slot], p.w, p.w_map, j, k);
            ws::copy_in(w_tile_h_tile, s.h_tile[slot], p.h, p.h_map, i, k);
            w_tile_h_tile.put_done();
        }
    }
}

static WS_DEVICE void project_200_consumer(const project_200_params &p, project_200_shared &s, int group)
{
    ws::consumer<5> w_tile_h_tile(s.w_tile_h_tile);
    ws::warp_output y_out(s.y_out[group]);
    s.pingpong.begin(group);
    for (ws::dynamic_tiles<2> t(p.grid, s.scheduler); t.more(); t.next()) {  // mlp_fused.c:39
        const int i = t.at(0);
        const int j = t.at(1);
        if (t.ordinal() % 2 == group) {  // mlp_fused.c:39
            auto acc = ws::full<float, 128, 200, ws::frag>(0);
            ws::halved(acc, p.width - j, [&](auto width) {
                s.pingpong.take(group);
                for (int k = 0; k < p.hidden; k += 64) {  // mlp_fused.c:45
                    const int slot = w_tile_h_tile.get();
                    ws::mma(acc, ws::view(s.h_tile[slot]), ws::trans(ws::view(s.w_tile[slot])), width);
                    ws::commit();
                    ws::wait<1>(acc);
                    w_tile_h_tile.consumed<1>();
                }
                s.pingpong.pass(group);
                ws::wait<0>(acc);
            });
            w_tile_h_tile.consumed<0>();
            WS_UNROLL
            for (int subtile = 0; subtile < 192; subtile += 64) {  // mlp_fused.c:47
                const auto x = ws::cast<ws::bf16>(ws::columns<64>(acc, subtile));
                const int column = j + subtile;
                ws::store_wait<0>();
                const auto box = ws::stage<0>(y_out, x);
                ws::fence();
                ws::store(y_out, p.y, p.y_map, i, column, box);  // mlp_fused.c:47
                ws::store_wait<0>();
                const auto box_2 = ws::stage<1>(y_out, x);
                ws::fence();
                ws::store(y_out, p.y, p.y_map, i, column, box_2);  // mlp_fused.c:47
            }
            WS_UNROLL
            for (int subtile = 192; subtile < 200; subtile += 8) {  // mlp_fused.c:47
                const int column = j + subtile;
                ws::store(p.y, i, column, ws::cast<ws::bf16>(ws::columns<8>(acc, subtile)));  // mlp_fused.c:47
            }
        } else {
            w_tile_h_tile.skip(ws::max((p.hidden + 63) / 64, 0));
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void project_200_kernel(WS_PARAMS(project_200_params) p)
{
    project_200_shared &s = ws::shared<project_200_shared>();
    if (ws::first_thread()) {
        s.w_tile_h_tile.init("w_tile_h_tile", 1);  // one group releases each slot
        s.pingpong.init("pingpong");
        s.scheduler.init("scheduler", 2);
        ws::prefetch(p.w_map);
        ws::prefetch(p.h_map);
        ws::prefetch(p.y_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.w_map, p.h_map))
                project_200_producer<true>(p, s, 0);
            else
                project_200_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        project_200_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_project_200_a6fcaa75(int from, int to, int tokens, int width, int hidden, const void *H,
                                               const void *W, const void *Y)
{
    if (ws::is_faster({{(long)from, (long)to, 128}, {0, (long)width, 200}}, {1, 1, 2, true, 0},
                      {{1, 0, 0, 0, 0, 0},
                       {ws::times(0, (long)hidden, 64), 4, 800, 0, 0, 200 * ws::asks((long)hidden * 2) + 64
                        * ws::asks((long)hidden * 2)}, {ws::times(0, 192, 64), 0, 0, 64, 341, 0},
                       {ws::times(192, 200, 8), 0, 0, 8, 43, 0}}, {1, 1, 1, true, 0},
                      {{1, 0, 0, 0, 0, 0},
                       {ws::times(0, (long)hidden, 64), 4, 800, 0, 0, 200 * ws::asks((long)hidden * 2) + 128
                        * ws::asks((long)hidden * 2)}, {ws::times(0, 192, 64), 0, 0, 64, 341, 0},
                       {ws::times(192, 200, 8), 0, 0, 8, 43, 0}})) {
        ws_launch_project_200_a6fcaa75_in_1x2(from, to, tokens, width, hidden, H, W, Y);
        return;
    }
    ws::launch call("project_200");
    project_200_params p;
    call.tensor(p.w, "w", W, {width, hidden}, {hidden, 1}, ws::loaded);
    call.tensor(p.h, "h", H, {tokens, hidden}, {hidden, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {tokens, width}, {width, 1}, ws::stored);
    call.place();
    call.map(p.w_map, p.w, 200);
    call.map(p.h_map, p.h, 128);
    call.map(p.y_map, p.y, 64);
    p.width = width;
    p.hidden = hidden;
    call.grid(p.grid, {{from, to, 128}, {0, width, 200}}, ws::order_auto, 0);
    call.schedule(p.grid);
    call.run(project_200_kernel, p, 384, sizeof(project_200_shared), ws::persistent);
}
