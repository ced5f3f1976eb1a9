#include <wsrt.cuh>

// gemm_bias_gelu.c:24: gemm_bias_gelu
struct gemm_bias_gelu_params {
    ws::tensor<ws::f16, 2> w;
    ws::tensor<ws::f16, 2> x;
    ws::tensor<float, 1> v;
    ws::tensor<ws::f16, 2> y;
    ws::edge_map w_map;                  // tiles of 128 rows, the last as it is
    ws::edge_map x_map;                  // tiles of 128 rows, the last as it is
    ws::map y_map;
    int K;
    ws::grid<2> grid;
};

struct gemm_bias_gelu_shared {
    ws::shared_tile<ws::f16, 128, 64> w_tile[4];
    ws::shared_tile<ws::f16, 128, 64> x_tile[4];
    ws::output<ws::f16, 64, 2> y_out[2];  // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<4> w_tile_x_tile;
};
static_assert(offsetof(gemm_bias_gelu_shared, w_tile) == 0);
static_assert(offsetof(gemm_bias_gelu_shared, x_tile) == 65536);
static_assert(offsetof(gemm_bias_gelu_shared, y_out) == 131072);
static_assert(sizeof(gemm_bias_gelu_shared) == 164864);

template <bool TMA>
static WS_DEVICE void gemm_bias_gelu_producer(const gemm_bias_gelu_params &p, gemm_bias_gelu_shared &s, int group)
{
    ws::producer<4, TMA> w_tile_x_tile(s.w_tile_x_tile);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // gemm_bias_gelu.c:24
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < p.K; k += 64) {  // gemm_bias_gelu.c:30
            const int slot = w_tile_x_tile.put();
            ws::copy_in(w_tile_x_tile, s.w_tile[slot], p.w, p.w_map, j, k);
            ws::copy_in(w_tile_x_tile, s.x_tile[slot], p.x, p.x_map, i, k);
            w_tile_x_tile.put_done();
        }
    }
}

static WS_DEVICE void gemm_bias_gelu_consumer(const gemm_bias_gelu_params &p, gemm_bias_gelu_shared &s, int group)
{
    ws::consumer<4> w_tile_x_tile(s.w_tile_x_tile);
    ws::warp_output y_out(s.y_out[group]);
    const long first_row = (long)group * 64;
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // gemm_bias_gelu.c:24
        const int i = t.at(0);
        const int j = t.at(1);
        auto acc = ws::full<float, 64, 128, ws::frag>(0);
        for (int k = 0; k < p.K; k += 64) {  // gemm_bias_gelu.c:30
            const int slot = w_tile_x_tile.get();
            ws::mma(acc, ws::window<64, 64>(s.x_tile[slot], first_row, 0), ws::trans(ws::view(s.w_tile[slot])));
            ws::commit();
            ws::wait<1>(acc);
            w_tile_x_tile.consumed<1>();
        }
        ws::wait<0>(acc);
        w_tile_x_tile.consumed<0>();
        WS_UNROLL
        for (int subtile = 0; subtile < 128; subtile += 64) {  // gemm_bias_gelu.c:32
            const int column = j + subtile;
            const auto x = ws::add(ws::columns<64>(acc, subtile), ws::load_row<64, ws::frag>(p.v, column));
            const auto phi = ws::add(ws::erf(ws::mul(x, 0.70710677f)), 1.0f);
            const auto x_2 = ws::cast<ws::f16>(ws::mul(ws::mul(x, 0.5f), phi));
            ws::store_wait<1>();
            const auto box = ws::stage(y_out, x_2);
            ws::fence();
            ws::store(y_out, p.y, p.y_map, i + first_row, column, box);  // gemm_bias_gelu.c:32
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void gemm_bias_gelu_kernel(WS_PARAMS(gemm_bias_gelu_params) p)
{
    gemm_bias_gelu_shared &s = ws::shared<gemm_bias_gelu_shared>();
    if (ws::first_thread()) {
        s.w_tile_x_tile.init("w_tile_x_tile", 2);  // two groups release each slot
        ws::prefetch(p.w_map);
        ws::prefetch(p.x_map);
        ws::prefetch(p.y_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.w_map, p.x_map))
                gemm_bias_gelu_producer<true>(p, s, 0);
            else
                gemm_bias_gelu_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        gemm_bias_gelu_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_gemm_bias_gelu(int M, int N, int K, const void *X, const void *W, const void *bias,
                                         const void *Y)
{
    ws::launch call("gemm_bias_gelu");
    gemm_bias_gelu_params p;
    call.tensor(p.w, "w", W, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.x, "x", X, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.v, "v", bias, {N}, {1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.w_map, p.w, 128);
    call.map(p.x_map, p.x, 128);
    call.map(p.y_map, p.y, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 128}, {0, N, 128}}, ws::order_auto, 0);
    call.run(gemm_bias_gelu_kernel, p, 384, sizeof(gemm_bias_gelu_shared), ws::persistent);
}
