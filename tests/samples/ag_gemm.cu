#include <wsrt.cuh>

// ag_gemm.c:27: ag_gemm
struct ag_gemm_params {
    ws::tensor<ws::bf16, 2> x;
    ws::tensor<ws::bf16, 2> a;
    ws::edge_map x_map;                  // tiles of 64 rows, the last as it is
    int K;
    ws::grid<2> grid;
    ws::together together;
};

struct ag_gemm_shared {
    ws::shared_tile<ws::bf16, 64, 128> x_tile[6];
    ws::ring<6> x_tile_ring;
    ws::pingpong<2> pingpong;
};
static_assert(offsetof(ag_gemm_shared, x_tile) == 0);
static_assert(sizeof(ag_gemm_shared) == 99328);

template <bool TMA>
static WS_DEVICE void ag_gemm_producer(const ag_gemm_params &p, ag_gemm_shared &s, int group)
{
    ws::producer<6, TMA> x_tile_ring(s.x_tile_ring);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // ag_gemm.c:27
        const int i = t.at(0);
        const int j = t.at(1);
        const int end = ws::min(j + 1024, p.K);
        ws::await_tiles<TMA>(p.together, t);
        for (int k = j; k < end; k += 128) {  // ag_gemm.c:32
            const int slot = x_tile_ring.put();
            ws::copy_in(x_tile_ring, s.x_tile[slot], p.x, p.x_map, i, k);
            x_tile_ring.put_done();
        }
    }
}

static WS_DEVICE void ag_gemm_consumer(const ag_gemm_params &p, ag_gemm_shared &s, int group)
{
    ws::consumer<6> x_tile_ring(s.x_tile_ring);
    s.pingpong.begin(group);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // ag_gemm.c:27
        const int i = t.at(0);
        const int j = t.at(1);
        if (t.ordinal() % 2 == group) {  // ag_gemm.c:27
            const int end = ws::min(j + 1024, p.K);
            s.pingpong.take(group);
            for (int k = j; k < end; k += 128) {  // ag_gemm.c:32
                const int slot = x_tile_ring.get();
                const auto x = ws::read<ws::lines_2>(ws::view(s.x_tile[slot]));
                ws::fence();
                x_tile_ring.consumed<0>();
                ws::store(p.a, i, k, x);  // ag_gemm.c:33
            }
            s.pingpong.pass(group);
        } else {
            const int end = ws::min(j + 1024, p.K);
            x_tile_ring.skip(ws::max((end - j + 127) / 128, 0));
        }
        ws::tile_done(p.together, t);
    }
}

static WS_KERNEL(384, 1) void ag_gemm_kernel(WS_PARAMS(ag_gemm_params) p)
{
    ag_gemm_shared &s = ws::shared<ag_gemm_shared>();
    if (ws::first_thread()) {
        s.x_tile_ring.init("x_tile_ring", 1);  // one group releases each slot
        s.pingpong.init("pingpong");
        ws::prefetch(p.x_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.x_map))
                ag_gemm_producer<true>(p, s, 0);
            else
                ag_gemm_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        ag_gemm_consumer(p, s, ws::warp_group() - 1);
    }
    ws::leave(p.together);
}

extern "C" void ws_launch_ag_gemm(int K, int rows, const void *value, const void *value_2)
{
    ws::launch call("ag_gemm");
    ag_gemm_params p;
    call.share(8);
    call.tensor(p.x, "x", value, {rows, K}, {K, 1}, ws::loaded);
    call.tensor(p.a, "a", value_2, {rows, K}, {K, 1}, ws::stored);
    call.grid(p.grid, {{0, rows, 64}, {0, K, 1024}}, ws::order_auto, 0);
    call.touches(p.x, ws::loaded, {{0, 64, {1, 0}}});
    call.touches(p.a, ws::stored, {{0, 64, {1, 0}}});
    call.together(p.together, p.grid, 2, ws::tiles_wait);
    call.place();
    call.map(p.x_map, p.x, 64);
    p.K = K;
    call.run(ag_gemm_kernel, p, 384, sizeof(ag_gemm_shared), ws::persistent);
}

// ag_gemm.c:42: ag_gemm
struct ag_gemm_2_params {
    ws::tensor<ws::bf16, 2> w;
    ws::tensor<ws::bf16, 2> x;
    ws::tensor<ws::bf16, 2> y;
    ws::edge_map w_map;                  // tiles of 256 rows, the last as it is
    ws::edge_map x_map;                  // tiles of 128 rows, the last as it is
    ws::map y_map;
    int K;
    ws::grid<2> grid;
    ws::together together;
};

struct ag_gemm_2_shared {
    ws::shared_tile<ws::bf16, 256, 64> w_tile[4];
    ws::shared_tile<ws::bf16, 128, 64> x_tile[4];
    ws::output<ws::bf16, 64, 2> y_out[2];  // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<4> w_tile_x_tile;
    ws::tile_scheduler scheduler;
};
static_assert(offsetof(ag_gemm_2_shared, w_tile) == 0);
static_assert(offsetof(ag_gemm_2_shared, x_tile) == 131072);
static_assert(offsetof(ag_gemm_2_shared, y_out) == 196608);
static_assert(sizeof(ag_gemm_2_shared) == 230400);

template <bool TMA>
static WS_DEVICE void ag_gemm_2_producer(const ag_gemm_2_params &p, ag_gemm_2_shared &s, int group)
{
    ws::producer<4, TMA> w_tile_x_tile(s.w_tile_x_tile);
    for (ws::scheduling_tiles<2> t(p.grid, s.scheduler); t.more(); t.next()) {  // ag_gemm.c:42
        const int i = t.at(0);
        const int j = t.at(1);
        ws::await_tiles<TMA>(p.together, t);
        for (int k = 0; k < p.K; k += 64) {  // ag_gemm.c:47
            const int slot = w_tile_x_tile.put();
            ws::copy_in(w_tile_x_tile, s.w_tile[slot], p.w, p.w_map, j, k);
            ws::copy_in(w_tile_x_tile, s.x_tile[slot], p.x, p.x_map, i, k);
            w_tile_x_tile.put_done();
        }
    }
}

static WS_DEVICE void ag_gemm_2_consumer(const ag_gemm_2_params &p, ag_gemm_2_shared &s, int group)
{
    ws::consumer<4> w_tile_x_tile(s.w_tile_x_tile);
    ws::warp_output y_out(s.y_out[group]);
    const long first_row = (long)group * 64;
    for (ws::dynamic_tiles<2> t(p.grid, s.scheduler); t.more(); t.next()) {  // ag_gemm.c:42
        const int i = t.at(0);
        const int j = t.at(1);
        auto acc = ws::full<float, 64, 256, ws::frag>(0);
        for (int k = 0; k < p.K; k += 64) {  // ag_gemm.c:47
            const int slot = w_tile_x_tile.get();
            ws::mma(acc, ws::window<64, 64>(s.x_tile[slot], first_row, 0), ws::trans(ws::view(s.w_tile[slot])));
            ws::commit();
            ws::wait<0>(acc);
            w_tile_x_tile.consumed<0>();
        }
        WS_UNROLL
        for (int subtile = 0; subtile < 256; subtile += 64) {  // ag_gemm.c:49
            const int column = j + subtile;
            ws::store_wait<1>();
            const auto box = ws::stage(y_out, ws::cast<ws::bf16>(ws::columns<64>(acc, subtile)));
            ws::fence();
            ws::store(y_out, p.y, p.y_map, i + first_row, column, box);  // ag_gemm.c:49
        }
        ws::tile_done(p.together, t);
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void ag_gemm_2_kernel(WS_PARAMS(ag_gemm_2_params) p)
{
    ag_gemm_2_shared &s = ws::shared<ag_gemm_2_shared>();
    if (ws::first_thread()) {
        s.w_tile_x_tile.init("w_tile_x_tile", 2);  // two groups release each slot
        s.scheduler.init("scheduler", 2);
        ws::prefetch(p.w_map);
        ws::prefetch(p.x_map);
        ws::prefetch(p.y_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.w_map, p.x_map))
                ag_gemm_2_producer<true>(p, s, 0);
            else
                ag_gemm_2_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        ag_gemm_2_consumer(p, s, ws::warp_group() - 1);
    }
    ws::leave(p.together);
}

extern "C" void ws_launch_ag_gemm_2(int K, int rows, int cols, const void *value, const void *value_2,
                                    const void *value_3)
{
    ws::launch call("ag_gemm");
    ag_gemm_2_params p;
    call.tensor(p.w, "w", value, {cols, K}, {K, 1}, ws::loaded);
    call.tensor(p.x, "x", value_2, {rows, K}, {K, 1}, ws::loaded);
    call.tensor(p.y, "y", value_3, {rows, cols}, {cols, 1}, ws::stored);
    call.grid(p.grid, {{0, rows, 128}, {0, cols, 256}}, ws::order_auto, 0);
    call.touches(p.w, ws::loaded, {{0, 256, {0, 1}}});
    call.touches(p.x, ws::loaded, {{0, 128, {1, 0}}});
    call.touches(p.y, ws::stored, {{0, 128, {1, 0}}});
    call.together(p.together, p.grid, 2, ws::tiles_wait);
    call.place();
    call.map(p.w_map, p.w, 256);
    call.map(p.x_map, p.x, 128);
    call.map(p.y_map, p.y, 64);
    p.K = K;
    call.schedule(p.grid);
    call.run(ag_gemm_2_kernel, p, 384, sizeof(ag_gemm_2_shared), ws::persistent);
}
