#include <wsrt.cuh>

// convolution.c:14: convolution
typedef ws::cluster<2, 1> convolution_in_2x1_cluster;  // blocks side by side, which share what they load

struct convolution_in_2x1_params {
    ws::tensor<ws::f16, 4> x;
    ws::tensor<ws::f16, 2> w;
    ws::tensor<ws::f16, 4> y;
    ws::map x_map;                       // tiles of 128 rows
    ws::map w_map;                       // tiles of 64 rows
    ws::map y_map;
    int C;
    int n;
    ws::grid<4, convolution_in_2x1_cluster> grid;
};

struct convolution_in_2x1_shared {
    ws::shared_tile<ws::f16, 128, 64> pixels[6];
    ws::shared_tile<ws::f16, 128, 64> w_tile[6];
    ws::output<ws::f16, 64, 2> y_out[2];  // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<6> pixels_w_tile;
    ws::pingpong<2> pingpong;
};
static_assert(offsetof(convolution_in_2x1_shared, pixels) == 0);
static_assert(offsetof(convolution_in_2x1_shared, w_tile) == 98304);
static_assert(offsetof(convolution_in_2x1_shared, y_out) == 196608);
static_assert(sizeof(convolution_in_2x1_shared) == 230400);

template <bool TMA>
static WS_DEVICE void convolution_in_2x1_producer(const convolution_in_2x1_params &p, convolution_in_2x1_shared &s,
                                                  int group)
{
    ws::sharer<6, TMA> pixels_w_tile(s.pixels_w_tile);
    for (ws::tiles<4, convolution_in_2x1_cluster> t(p.grid); t.more(); t.next()) {  // convolution.c:14
        const int b = t.at(0);
        const int h = t.at(1);
        const int v = t.at(2);
        const int f = t.at(3);
        const bool inside = t.inside();
        for (int k = 0; k < p.C * 9; k += 64) {  // convolution.c:21
            const int tap = k / p.C;
            const int c = k % p.C;
            const auto part = ws::box<2, 8, 8>(p.x, b, tap / 3 + h - 1, tap % 3 + v - 1);
            const int slot = pixels_w_tile.put();
            if (inside)
                ws::copy_in(pixels_w_tile, s.pixels[slot], part, p.x_map, 0, c);
            ws::copy_share<convolution_in_2x1_cluster, ws::along_x>(pixels_w_tile, s.w_tile[slot], p.w, p.w_map, f, k);
            pixels_w_tile.put_done();
        }
    }
}

static WS_DEVICE void convolution_in_2x1_consumer(const convolution_in_2x1_params &p, convolution_in_2x1_shared &s,
                                                  int group)
{
    ws::consumer<6, convolution_in_2x1_cluster, ws::along_x> pixels_w_tile(s.pixels_w_tile);
    ws::warp_output y_out(s.y_out[group]);
    s.pingpong.begin(group);
    for (ws::tiles<4, convolution_in_2x1_cluster> t(p.grid); t.more(); t.next()) {  // convolution.c:14
        const int b = t.at(0);
        const int h = t.at(1);
        const int v = t.at(2);
        const int f = t.at(3);
        if (t.ordinal() % 2 == group) {  // convolution.c:14
            auto acc = ws::full<float, 128, 128, ws::frag>(0);
            s.pingpong.take(group);
            for (int k = 0; k < p.n; k += 64) {  // convolution.c:21
                const int slot = pixels_w_tile.get();
                ws::mma(acc, ws::view(s.pixels[slot]), ws::trans(ws::view(s.w_tile[slot])));
                ws::commit();
                ws::wait<1>(acc);
                pixels_w_tile.consumed<1>();
            }
            s.pingpong.pass(group);
            ws::wait<0>(acc);
            pixels_w_tile.consumed<0>();
            const auto part = ws::box<2, 8, 8>(p.y, b, h, v);
            WS_UNROLL
            for (int subtile = 0; subtile < 128; subtile += 64) {  // convolution.c:26
                const auto x = ws::cast<ws::f16>(ws::columns<64>(acc, subtile));
                const int column = f + subtile;
                ws::store_wait<1>();
                const auto box = ws::stage<0>(y_out, x);
                ws::fence();
                if (t.inside())
                    ws::store(y_out, part, p.y_map, 0, column, box);  // convolution.c:26
                ws::store_wait<1>();
                const auto box_2 = ws::stage<1>(y_out, x);
                ws::fence();
                if (t.inside())
                    ws::store(y_out, part, p.y_map, 0, column, box_2);  // convolution.c:26
            }
        } else {
            pixels_w_tile.skip(ws::max((p.n + 63) / 64, 0));
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void convolution_in_2x1_kernel(WS_PARAMS(convolution_in_2x1_params) p)
{
    convolution_in_2x1_shared &s = ws::shared<convolution_in_2x1_shared>();
    if (ws::first_thread()) {
        s.pixels_w_tile.init<convolution_in_2x1_cluster, ws::along_x>("pixels_w_tile",
                                                                      2);  // two groups release each slot
        s.pingpong.init("pingpong");
        ws::prefetch(p.x_map);
        ws::prefetch(p.w_map);
        ws::prefetch(p.y_map);
    }
    ws::start<convolution_in_2x1_cluster>();
    if (ws::warp_group() == 0) {
        ws::registers_down<40>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.x_map, p.w_map))
                convolution_in_2x1_producer<true>(p, s, 0);
            else
                convolution_in_2x1_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<232>();
        convolution_in_2x1_consumer(p, s, ws::warp_group() - 1);
    }
    ws::finish<convolution_in_2x1_cluster>();
}

static void ws_launch_convolution_f9dfbc00_in_2x1(int B, int H, int W, int C, int F, const void *X,
                                                  const void *weights, const void *Y)
{
    ws::launch call("convolution");
    convolution_in_2x1_params p;
    p.n = C * 9;
    call.tensor(p.x, "x", X, {B, H, W, C}, {H * ((long)W * (long)C), (long)W * (long)C, C, 1}, ws::loaded);
    call.tensor(p.w, "w", weights, {F, C * 9}, {C * 9, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {B, H, W, F}, {H * ((long)W * (long)F), (long)W * (long)F, F, 1}, ws::stored);
    call.place();
    call.map(p.x_map, p.x, ws::extents<2, 8, 8>());
    call.map(p.w_map, p.w, 64);
    call.map(p.y_map, p.y, ws::extents<2, 8, 8>());
    p.C = C;
    call.grid(p.grid, {{0, B, 2}, {0, H, 8}, {0, W, 8}, {0, F, 128}}, ws::order_auto, 0);
    call.run(convolution_in_2x1_kernel, p, 384, sizeof(convolution_in_2x1_shared), ws::persistent,
             convolution_in_2x1_cluster::size);
}

// convolution.c:14: convolution
struct convolution_params {
    ws::tensor<ws::f16, 4> x;
    ws::tensor<ws::f16, 2> w;
    ws::tensor<ws::f16, 4> y;
    ws::map x_map;                       // tiles of 128 rows
    ws::map w_map;                       // tiles of 128 rows
    ws::map y_map;
    int C;
    int n;
    ws::grid<4> grid;
};

struct convolution_shared {
    ws::shared_tile<ws::f16, 128, 64> pixels[6];
    ws::shared_tile<ws::f16, 128, 64> w_tile[6];
    ws::output<ws::f16, 64, 2> y_out[2];  // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<6> pixels_w_tile;
    ws::pingpong<2> pingpong;
};
static_assert(offsetof(convolution_shared, pixels) == 0);
static_assert(offsetof(convolution_shared, w_tile) == 98304);
static_assert(offsetof(convolution_shared, y_out) == 196608);
static_assert(sizeof(convolution_shared) == 230400);

template <bool TMA>
static WS_DEVICE void convolution_producer(const convolution_params &p, convolution_shared &s, int group)
{
    ws::producer<6, TMA> pixels_w_tile(s.pixels_w_tile);
    for (ws::tiles<4> t(p.grid); t.more(); t.next()) {  // convolution.c:14
        const int b = t.at(0);
        const int h = t.at(1);
        const int v = t.at(2);
        const int f = t.at(3);
        for (int k = 0; k < p.C * 9; k += 64) {  // convolution.c:21
            const int tap = k / p.C;
            const int c = k % p.C;
            const auto part = ws::box<2, 8, 8>(p.x, b, tap / 3 + h - 1, tap % 3 + v - 1);
            const int slot = pixels_w_tile.put();
            ws::copy_in(pixels_w_tile, s.pixels[slot], part, p.x_map, 0, c);
            ws::copy_in(pixels_w_tile, s.w_tile[slot], p.w, p.w_map, f, k);
            pixels_w_tile.put_done();
        }
    }
}

static WS_DEVICE void convolution_consumer(const convolution_params &p, convolution_shared &s, int group)
{
    ws::consumer<6> pixels_w_tile(s.pixels_w_tile);
    ws::warp_output y_out(s.y_out[group]);
    s.pingpong.begin(group);
    for (ws::tiles<4> t(p.grid); t.more(); t.next()) {  // convolution.c:14
        const int b = t.at(0);
        const int h = t.at(1);
        const int v = t.at(2);
        const int f = t.at(3);
        if (t.ordinal() % 2 == group) {  // convolution.c:14
            auto acc = ws::full<float, 128, 128, ws::frag>(0);
            s.pingpong.take(group);
            for (int k = 0; k < p.n; k += 64) {  // convolution.c:21
                const int slot = pixels_w_tile.get();
                ws::mma(acc, ws::view(s.pixels[slot]), ws::trans(ws::view(s.w_tile[slot])));
                ws::commit();
                ws::wait<1>(acc);
                pixels_w_tile.consumed<1>();
            }
            s.pingpong.pass(group);
            ws::wait<0>(acc);
            pixels_w_tile.consumed<0>();
            const auto part = ws::box<2, 8, 8>(p.y, b, h, v);
            WS_UNROLL
            for (int subtile = 0; subtile < 128; subtile += 64) {  // convolution.c:26
                const auto x = ws::cast<ws::f16>(ws::columns<64>(acc, subtile));
                const int column = f + subtile;
                ws::store_wait<1>();
                const auto box = ws::stage<0>(y_out, x);
                ws::fence();
                ws::store(y_out, part, p.y_map, 0, column, box);  // convolution.c:26
                ws::store_wait<1>();
                const auto box_2 = ws::stage<1>(y_out, x);
                ws::fence();
                ws::store(y_out, part, p.y_map, 0, column, box_2);  // convolution.c:26
            }
        } else {
            pixels_w_tile.skip(ws::max((p.n + 63) / 64, 0));
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void convolution_kernel(WS_PARAMS(convolution_params) p)
{
    convolution_shared &s = ws::shared<convolution_shared>();
    if (ws::first_thread()) {
        s.pixels_w_tile.init("pixels_w_tile", 1);  // one group releases each slot
        s.pingpong.init("pingpong");
        ws::prefetch(p.x_map);
        ws::prefetch(p.w_map);
        ws::prefetch(p.y_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<40>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.x_map, p.w_map))
                convolution_producer<true>(p, s, 0);
            else
                convolution_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<232>();
        convolution_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_convolution_f9dfbc00(int B, int H, int W, int C, int F, const void *X, const void *weights,
                                               const void *Y)
{
    if (ws::is_faster({{0, (long)B, 2}, {0, (long)H, 8}, {0, (long)W, 8}, {0, (long)F, 128}}, {1, 2, 1, true, 0},
                      {{1, 0, 0, 0, 0, 0},
                       {ws::times(0, ((long)C * 9), 64), 5, 512, 0, 0, 128 * ws::asks((long)C * 2) + 64
                        * ws::asks(((long)C * 9) * 2)}, {ws::times(0, 128, 64), 0, 0, 64, 341, 0}}, {1, 1, 1, true, 0},
                      {{1, 0, 0, 0, 0, 0},
                       {ws::times(0, ((long)C * 9), 64), 5, 512, 0, 0, 128 * ws::asks((long)C * 2) + 128
                        * ws::asks(((long)C * 9) * 2)}, {ws::times(0, 128, 64), 0, 0, 64, 341, 0}})) {
        ws_launch_convolution_f9dfbc00_in_2x1(B, H, W, C, F, X, weights, Y);
        return;
    }
    ws::launch call("convolution");
    convolution_params p;
    p.n = C * 9;
    call.tensor(p.x, "x", X, {B, H, W, C}, {H * ((long)W * (long)C), (long)W * (long)C, C, 1}, ws::loaded);
    call.tensor(p.w, "w", weights, {F, C * 9}, {C * 9, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {B, H, W, F}, {H * ((long)W * (long)F), (long)W * (long)F, F, 1}, ws::stored);
    call.place();
    call.map(p.x_map, p.x, ws::extents<2, 8, 8>());
    call.map(p.w_map, p.w, 128);
    call.map(p.y_map, p.y, ws::extents<2, 8, 8>());
    p.C = C;
    call.grid(p.grid, {{0, B, 2}, {0, H, 8}, {0, W, 8}, {0, F, 128}}, ws::order_auto, 0);
    call.run(convolution_kernel, p, 384, sizeof(convolution_shared), ws::persistent);
}
