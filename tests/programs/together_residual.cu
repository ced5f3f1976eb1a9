#include <wsrt.cuh>

// together_residual.c:12: residual
struct residual_params {
    ws::tensor<ws::bf16, 2> z;
    ws::tensor<ws::bf16, 2> r;
    ws::grid<2> grid;
    ws::together together;
};

static WS_DEVICE void residual_all(const residual_params &p, int group)
{
    ws::telling telling;
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // together_residual.c:12
        const int i = t.at(0);
        const int j = t.at(1);
        telling.tell(p.together);
        ws::await_tiles<true>(p.together, t);
        ws::store(p.r, i, j, ws::mul(ws::load<32, 64, ws::lines_4>(p.z, i, j), 2));  // together_residual.c:15
        telling.tile_done(p.together, t);
    }
    telling.tell(p.together);
}

static WS_KERNEL(128, 8) void residual_kernel(WS_PARAMS(residual_params) p)
{
    ws::start();
    residual_all(p, 0);
    ws::leave(p.together);
}

extern "C" void ws_launch_residual_e11afc70(int M, int N, const void *Z, const void *R)
{
    ws::launch call("residual");
    residual_params p;
    call.share(2);
    call.tensor(p.z, "z", Z, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.r, "r", R, {M, N}, {N, 1}, ws::stored);
    call.grid(p.grid, {{0, M, 32}, {0, N, 64}}, ws::order_auto, 0);
    call.touches(p.z, ws::loaded, {{0, 32, {1, 0}}});
    call.touches(p.r, ws::stored, {{0, 32, {1, 0}}});
    call.together(p.together, p.grid, 1, ws::tiles_wait);
    call.place();
    call.run(residual_kernel, p, 128, 0, ws::persistent);
}

// together_residual.c:17: residual
struct residual_2_params {
    ws::tensor<ws::bf16, 2> w;
    ws::tensor<ws::bf16, 2> x;
    ws::tensor<ws::bf16, 2> r;
    ws::tensor<ws::bf16, 2> y;
    ws::edge_map w_map;                  // tiles of 64 rows, the last as it is
    ws::edge_map x_map;                  // tiles of 64 rows, the last as it is
    ws::map y_map;
    int K;
    ws::grid<2> grid;
    ws::together together;
};

struct residual_2_shared {
    ws::shared_tile<ws::bf16, 64, 64> w_tile[2];
    ws::shared_tile<ws::bf16, 64, 64> x_tile[2];
    ws::output<ws::bf16, 64, 1> y_out;   // 64 rows, 1 block of 128 bytes
    ws::ring<2> w_tile_x_tile;
    ws::tile_scheduler scheduler;
};
static_assert(offsetof(residual_2_shared, w_tile) == 0);
static_assert(offsetof(residual_2_shared, x_tile) == 16384);
static_assert(offsetof(residual_2_shared, y_out) == 32768);
static_assert(sizeof(residual_2_shared) == 41984);

template <bool TMA>
static WS_DEVICE void residual_2_producer(const residual_2_params &p, residual_2_shared &s, int group)
{
    ws::producer<2, TMA> w_tile_x_tile(s.w_tile_x_tile);
    for (ws::scheduling_tiles<2> t(p.grid, s.scheduler); t.more(); t.next()) {  // together_residual.c:17
        const int i = t.at(0);
        const int j = t.at(1);
        ws::await_tiles<TMA, 1>(p.together, t);
        for (int k = 0; k < p.K; k += 64) {  // together_residual.c:22
            const int slot = w_tile_x_tile.put();
            ws::copy_in(w_tile_x_tile, s.w_tile[slot], p.w, p.w_map, j, k);
            ws::copy_in(w_tile_x_tile, s.x_tile[slot], p.x, p.x_map, i, k);
            w_tile_x_tile.put_done();
        }
    }
}

static WS_DEVICE void residual_2_consumer(const residual_2_params &p, residual_2_shared &s, int group)
{
    ws::consumer<2> w_tile_x_tile(s.w_tile_x_tile);
    ws::warp_output y_out(s.y_out);
    ws::telling telling;
    for (ws::dynamic_tiles<2> t(p.grid, s.scheduler); t.more(); t.next()) {  // together_residual.c:17
        const int i = t.at(0);
        const int j = t.at(1);
        auto acc = ws::full<float, 64, 64, ws::frag>(0);
        for (int k = 0; k < p.K; k += 64) {  // together_residual.c:22
            const int slot = w_tile_x_tile.get();
            ws::mma(acc, ws::view(s.x_tile[slot]), ws::trans(ws::view(s.w_tile[slot])));
            ws::commit();
            ws::wait<0>(acc);
            w_tile_x_tile.consumed<0>();
        }
        telling.tell(p.together);
        ws::await_tiles<true, 2>(p.together, t);
        ws::store_wait<0>();
        const auto x = ws::load<64, 64, ws::frag>(y_out, p.r, i, j);
        const auto x_2 = ws::cast<ws::bf16>(ws::add(acc, ws::cast<float>(x)));
        ws::store_wait<0>();
        const auto box = ws::stage(y_out, x_2);
        ws::fence();
        ws::store(y_out, p.y, p.y_map, i, j, box);  // together_residual.c:24
        telling.tile_done(p.together, t);
    }
    telling.tell(p.together);
    ws::store_wait<0>();
}

static WS_KERNEL(256, 1) void residual_2_kernel(WS_PARAMS(residual_2_params) p)
{
    residual_2_shared &s = ws::shared<residual_2_shared>();
    if (ws::first_thread()) {
        s.w_tile_x_tile.init("w_tile_x_tile", 1);  // one group releases each slot
        s.scheduler.init("scheduler", 1);
        ws::prefetch(p.w_map);
        ws::prefetch(p.x_map);
        ws::prefetch(p.y_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        if (ws::first_warp()) {
            if (ws::by_tma(p.w_map, p.x_map))
                residual_2_producer<true>(p, s, 0);
            else
                residual_2_producer<false>(p, s, 0);
        }
    } else {
        residual_2_consumer(p, s, 0);
    }
    ws::leave(p.together);
}

extern "C" void ws_launch_residual_2_e11afc70(int M, int N, int K, const void *X, const void *W, const void *R,
                                              const void *Y)
{
    ws::launch call("residual");
    residual_2_params p;
    call.tensor(p.w, "w", W, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.x, "x", X, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.r, "r", R, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, N}, {N, 1}, ws::stored);
    call.grid(p.grid, {{0, M, 64}, {0, N, 64}}, ws::order_auto, 0);
    call.touches(p.w, ws::loaded, {{0, 64, {0, 1}}}, 1);
    call.touches(p.x, ws::loaded, {{0, 64, {1, 0}}}, 1);
    call.touches(p.r, ws::loaded, {{0, 64, {1, 0}}}, 2);
    call.touches(p.y, ws::stored, {{0, 64, {1, 0}}});
    call.together(p.together, p.grid, 1, ws::tiles_wait);
    call.place();
    call.map(p.w_map, p.w, 64);
    call.map(p.x_map, p.x, 64);
    call.map(p.y_map, p.y, 64);
    p.K = K;
    call.schedule(p.grid);
    call.run(residual_2_kernel, p, 256, sizeof(residual_2_shared), ws::persistent);
}
