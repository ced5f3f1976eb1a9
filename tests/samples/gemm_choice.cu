#include <wsrt.cuh>

// gemm_choice.c:20: gemm_choice
struct gemm_choice_params {
    ws::tensor<ws::f16, 2> b;
    ws::tensor<ws::f16, 2> a;
    ws::tensor<ws::f16, 2> c;
    ws::edge_map b_map;                  // tiles of 256 rows, the last as it is
    ws::edge_map a_map;                  // tiles of 128 rows, the last as it is
    ws::map c_map;
    int K;
    ws::grid<2> grid;
};

struct gemm_choice_shared {
    ws::shared_tile<ws::f16, 256, 64> b_tile[4];
    ws::shared_tile<ws::f16, 128, 64> a_tile[4];
    ws::output<ws::f16, 64, 2> c_out[2];  // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<4> b_tile_a_tile;
};
static_assert(offsetof(gemm_choice_shared, b_tile) == 0);
static_assert(offsetof(gemm_choice_shared, a_tile) == 131072);
static_assert(offsetof(gemm_choice_shared, c_out) == 196608);
static_assert(sizeof(gemm_choice_shared) == 230400);

template <bool TMA>
static WS_DEVICE void gemm_choice_producer(const gemm_choice_params &p, gemm_choice_shared &s, int group)
{
    ws::producer<4, TMA> b_tile_a_tile(s.b_tile_a_tile);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // gemm_choice.c:20
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < p.K; k += 64) {  // gemm_choice.c:26
            const int slot = b_tile_a_tile.put();
            ws::copy_in(b_tile_a_tile, s.b_tile[slot], p.b, p.b_map, j, k);
            ws::copy_in(b_tile_a_tile, s.a_tile[slot], p.a, p.a_map, i, k);
            b_tile_a_tile.put_done();
        }
    }
}

static WS_DEVICE void gemm_choice_consumer(const gemm_choice_params &p, gemm_choice_shared &s, int group)
{
    ws::consumer<4> b_tile_a_tile(s.b_tile_a_tile);
    ws::warp_output c_out(s.c_out[group]);
    const long first_row = (long)group * 64;
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // gemm_choice.c:20
        const int i = t.at(0);
        const int j = t.at(1);
        auto acc = ws::full<float, 64, 256, ws::frag>(0);
        for (int k = 0; k < p.K; k += 64) {  // gemm_choice.c:26
            const int slot = b_tile_a_tile.get();
            ws::mma(acc, ws::window<64, 64>(s.a_tile[slot], first_row, 0), ws::trans(ws::view(s.b_tile[slot])));
            ws::commit();
            ws::wait<1>(acc);
            b_tile_a_tile.consumed<1>();
        }
        ws::wait<0>(acc);
        b_tile_a_tile.consumed<0>();
        WS_UNROLL
        for (int subtile = 0; subtile < 256; subtile += 64) {  // gemm_choice.c:28
            const int column = j + subtile;
            ws::store_wait<1>();
            const auto box = ws::stage(c_out, ws::cast<ws::f16>(ws::columns<64>(acc, subtile)));
            ws::fence();
            ws::store(c_out, p.c, p.c_map, i + first_row, column, box);  // gemm_choice.c:28
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void gemm_choice_kernel(WS_PARAMS(gemm_choice_params) p)
{
    gemm_choice_shared &s = ws::shared<gemm_choice_shared>();
    if (ws::first_thread()) {
        s.b_tile_a_tile.init("b_tile_a_tile", 2);  // two groups release each slot
        ws::prefetch(p.b_map);
        ws::prefetch(p.a_map);
        ws::prefetch(p.c_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.b_map, p.a_map))
                gemm_choice_producer<true>(p, s, 0);
            else
                gemm_choice_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        gemm_choice_consumer(p, s, ws::warp_group() - 1);
    }
}

static void ws_launch_gemm_choice__128x256x64x4(int M, int N, int K, const void *A, const void *B, const void *C)
{
    if (ws::is_estimated({{0, (long)M, 128}, {0, (long)N, 256}}, {1, 1, 1, false, 0},
                         {{1, 0, 0, 0, 0, 0},
                          {ws::times(0, (long)K, 64), 3, 1024, 0, 0, 256 * ws::asks((long)K * 2) + 128
                           * ws::asks((long)K * 2)}, {ws::times(0, 256, 64), 0, 0, 64, 341, 0}}))
        return;
    ws::launch call("gemm_choice");
    gemm_choice_params p;
    call.tensor(p.b, "b", B, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.b_map, p.b, 256);
    call.map(p.a_map, p.a, 128);
    call.map(p.c_map, p.c, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 128}, {0, N, 256}}, ws::order_auto, 0);
    call.run(gemm_choice_kernel, p, 384, sizeof(gemm_choice_shared), ws::persistent);
}

// gemm_choice.c:20: gemm_choice
struct gemm_choice__128x128x64x3_params {
    ws::tensor<ws::f16, 2> b;
    ws::tensor<ws::f16, 2> a;
    ws::tensor<ws::f16, 2> c;
    ws::edge_map b_map;                  // tiles of 128 rows, the last as it is
    ws::edge_map a_map;                  // tiles of 128 rows, the last as it is
    ws::map c_map;
    int K;
    ws::grid<2> grid;
};

struct gemm_choice__128x128x64x3_shared {
    ws::shared_tile<ws::f16, 128, 64> b_tile[3];
    ws::shared_tile<ws::f16, 128, 64> a_tile[3];
    ws::output<ws::f16, 64, 2> c_out[2];  // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<3> b_tile_a_tile;
};
static_assert(offsetof(gemm_choice__128x128x64x3_shared, b_tile) == 0);
static_assert(offsetof(gemm_choice__128x128x64x3_shared, a_tile) == 49152);
static_assert(offsetof(gemm_choice__128x128x64x3_shared, c_out) == 98304);
static_assert(sizeof(gemm_choice__128x128x64x3_shared) == 132096);

template <bool TMA>
static WS_DEVICE void gemm_choice__128x128x64x3_producer(const gemm_choice__128x128x64x3_params &p,
                                                         gemm_choice__128x128x64x3_shared &s, int group)
{
    ws::producer<3, TMA> b_tile_a_tile(s.b_tile_a_tile);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // gemm_choice.c:20
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < p.K; k += 64) {  // gemm_choice.c:26
            const int slot = b_tile_a_tile.put();
            ws::copy_in(b_tile_a_tile, s.b_tile[slot], p.b, p.b_map, j, k);
            ws::copy_in(b_tile_a_tile, s.a_tile[slot], p.a, p.a_map, i, k);
            b_tile_a_tile.put_done();
        }
    }
}

static WS_DEVICE void gemm_choice__128x128x64x3_consumer(const gemm_choice__128x128x64x3_params &p,
                                                         gemm_choice__128x128x64x3_shared &s, int group)
{
    ws::consumer<3> b_tile_a_tile(s.b_tile_a_tile);
    ws::warp_output c_out(s.c_out[group]);
    const long first_row = (long)group * 64;
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // gemm_choice.c:20
        const int i = t.at(0);
        const int j = t.at(1);
        auto acc = ws::full<float, 64, 128, ws::frag>(0);
        for (int k = 0; k < p.K; k += 64) {  // gemm_choice.c:26
            const int slot = b_tile_a_tile.get();
            ws::mma(acc, ws::window<64, 64>(s.a_tile[slot], first_row, 0), ws::trans(ws::view(s.b_tile[slot])));
            ws::commit();
            ws::wait<1>(acc);
            b_tile_a_tile.consumed<1>();
        }
        ws::wait<0>(acc);
        b_tile_a_tile.consumed<0>();
        WS_UNROLL
        for (int subtile = 0; subtile < 128; subtile += 64) {  // gemm_choice.c:28
            const int column = j + subtile;
            ws::store_wait<1>();
            const auto box = ws::stage(c_out, ws::cast<ws::f16>(ws::columns<64>(acc, subtile)));
            ws::fence();
            ws::store(c_out, p.c, p.c_map, i + first_row, column, box);  // gemm_choice.c:28
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void gemm_choice__128x128x64x3_kernel(WS_PARAMS(gemm_choice__128x128x64x3_params) p)
{
    gemm_choice__128x128x64x3_shared &s = ws::shared<gemm_choice__128x128x64x3_shared>();
    if (ws::first_thread()) {
        s.b_tile_a_tile.init("b_tile_a_tile", 2);  // two groups release each slot
        ws::prefetch(p.b_map);
        ws::prefetch(p.a_map);
        ws::prefetch(p.c_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.b_map, p.a_map))
                gemm_choice__128x128x64x3_producer<true>(p, s, 0);
            else
                gemm_choice__128x128x64x3_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        gemm_choice__128x128x64x3_consumer(p, s, ws::warp_group() - 1);
    }
}

static void ws_launch_gemm_choice__128x128x64x3(int M, int N, int K, const void *A, const void *B, const void *C)
{
    if (ws::is_estimated({{0, (long)M, 128}, {0, (long)N, 128}}, {1, 1, 1, false, 0},
                         {{1, 0, 0, 0, 0, 0},
                          {ws::times(0, (long)K, 64), 2, 512, 0, 0, 128 * ws::asks((long)K * 2) + 128
                           * ws::asks((long)K * 2)}, {ws::times(0, 128, 64), 0, 0, 64, 341, 0}}))
        return;
    ws::launch call("gemm_choice");
    gemm_choice__128x128x64x3_params p;
    call.tensor(p.b, "b", B, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.b_map, p.b, 128);
    call.map(p.a_map, p.a, 128);
    call.map(p.c_map, p.c, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 128}, {0, N, 128}}, ws::order_auto, 0);
    call.run(gemm_choice__128x128x64x3_kernel, p, 384, sizeof(gemm_choice__128x128x64x3_shared), ws::persistent);
}

// gemm_choice.c:20: gemm_choice
struct gemm_choice__128x128x64x4_params {
    ws::tensor<ws::f16, 2> b;
    ws::tensor<ws::f16, 2> a;
    ws::tensor<ws::f16, 2> c;
    ws::edge_map b_map;                  // tiles of 128 rows, the last as it is
    ws::edge_map a_map;                  // tiles of 128 rows, the last as it is
    ws::map c_map;
    int K;
    ws::grid<2> grid;
};

struct gemm_choice__128x128x64x4_shared {
    ws::shared_tile<ws::f16, 128, 64> b_tile[4];
    ws::shared_tile<ws::f16, 128, 64> a_tile[4];
    ws::output<ws::f16, 64, 2> c_out[2];  // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<4> b_tile_a_tile;
};
static_assert(offsetof(gemm_choice__128x128x64x4_shared, b_tile) == 0);
static_assert(offsetof(gemm_choice__128x128x64x4_shared, a_tile) == 65536);
static_assert(offsetof(gemm_choice__128x128x64x4_shared, c_out) == 131072);
static_assert(sizeof(gemm_choice__128x128x64x4_shared) == 164864);

template <bool TMA>
static WS_DEVICE void gemm_choice__128x128x64x4_producer(const gemm_choice__128x128x64x4_params &p,
                                                         gemm_choice__128x128x64x4_shared &s, int group)
{
    ws::producer<4, TMA> b_tile_a_tile(s.b_tile_a_tile);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // gemm_choice.c:20
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < p.K; k += 64) {  // gemm_choice.c:26
            const int slot = b_tile_a_tile.put();
            ws::copy_in(b_tile_a_tile, s.b_tile[slot], p.b, p.b_map, j, k);
            ws::copy_in(b_tile_a_tile, s.a_tile[slot], p.a, p.a_map, i, k);
            b_tile_a_tile.put_done();
        }
    }
}

static WS_DEVICE void gemm_choice__128x128x64x4_consumer(const gemm_choice__128x128x64x4_params &p,
                                                         gemm_choice__128x128x64x4_shared &s, int group)
{
    ws::consumer<4> b_tile_a_tile(s.b_tile_a_tile);
    ws::warp_output c_out(s.c_out[group]);
    const long first_row = (long)group * 64;
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // gemm_choice.c:20
        const int i = t.at(0);
        const int j = t.at(1);
        auto acc = ws::full<float, 64, 128, ws::frag>(0);
        for (int k = 0; k < p.K; k += 64) {  // gemm_choice.c:26
            const int slot = b_tile_a_tile.get();
            ws::mma(acc, ws::window<64, 64>(s.a_tile[slot], first_row, 0), ws::trans(ws::view(s.b_tile[slot])));
            ws::commit();
            ws::wait<1>(acc);
            b_tile_a_tile.consumed<1>();
        }
        ws::wait<0>(acc);
        b_tile_a_tile.consumed<0>();
        WS_UNROLL
        for (int subtile = 0; subtile < 128; subtile += 64) {  // gemm_choice.c:28
            const int column = j + subtile;
            ws::store_wait<1>();
            const auto box = ws::stage(c_out, ws::cast<ws::f16>(ws::columns<64>(acc, subtile)));
            ws::fence();
            ws::store(c_out, p.c, p.c_map, i + first_row, column, box);  // gemm_choice.c:28
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void gemm_choice__128x128x64x4_kernel(WS_PARAMS(gemm_choice__128x128x64x4_params) p)
{
    gemm_choice__128x128x64x4_shared &s = ws::shared<gemm_choice__128x128x64x4_shared>();
    if (ws::first_thread()) {
        s.b_tile_a_tile.init("b_tile_a_tile", 2);  // two groups release each slot
        ws::prefetch(p.b_map);
        ws::prefetch(p.a_map);
        ws::prefetch(p.c_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.b_map, p.a_map))
                gemm_choice__128x128x64x4_producer<true>(p, s, 0);
            else
                gemm_choice__128x128x64x4_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        gemm_choice__128x128x64x4_consumer(p, s, ws::warp_group() - 1);
    }
}

static void ws_launch_gemm_choice__128x128x64x4(int M, int N, int K, const void *A, const void *B, const void *C)
{
    if (ws::is_estimated({{0, (long)M, 128}, {0, (long)N, 128}}, {1, 1, 1, false, 0},
                         {{1, 0, 0, 0, 0, 0},
                          {ws::times(0, (long)K, 64), 3, 512, 0, 0, 128 * ws::asks((long)K * 2) + 128
                           * ws::asks((long)K * 2)}, {ws::times(0, 128, 64), 0, 0, 64, 341, 0}}))
        return;
    ws::launch call("gemm_choice");
    gemm_choice__128x128x64x4_params p;
    call.tensor(p.b, "b", B, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.b_map, p.b, 128);
    call.map(p.a_map, p.a, 128);
    call.map(p.c_map, p.c, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 128}, {0, N, 128}}, ws::order_auto, 0);
    call.run(gemm_choice__128x128x64x4_kernel, p, 384, sizeof(gemm_choice__128x128x64x4_shared), ws::persistent);
}

// gemm_choice.c:20: gemm_choice
struct gemm_choice__128x256x64x3_params {
    ws::tensor<ws::f16, 2> b;
    ws::tensor<ws::f16, 2> a;
    ws::tensor<ws::f16, 2> c;
    ws::edge_map b_map;                  // tiles of 256 rows, the last as it is
    ws::edge_map a_map;                  // tiles of 128 rows, the last as it is
    ws::map c_map;
    int K;
    ws::grid<2> grid;
};

struct gemm_choice__128x256x64x3_shared {
    ws::shared_tile<ws::f16, 256, 64> b_tile[3];
    ws::shared_tile<ws::f16, 128, 64> a_tile[3];
    ws::output<ws::f16, 64, 4> c_out[2];  // 64 rows, 4 blocks of 128 bytes; one for each group
    ws::ring<3> b_tile_a_tile;
};
static_assert(offsetof(gemm_choice__128x256x64x3_shared, b_tile) == 0);
static_assert(offsetof(gemm_choice__128x256x64x3_shared, a_tile) == 98304);
static_assert(offsetof(gemm_choice__128x256x64x3_shared, c_out) == 147456);
static_assert(sizeof(gemm_choice__128x256x64x3_shared) == 214016);

template <bool TMA>
static WS_DEVICE void gemm_choice__128x256x64x3_producer(const gemm_choice__128x256x64x3_params &p,
                                                         gemm_choice__128x256x64x3_shared &s, int group)
{
    ws::producer<3, TMA> b_tile_a_tile(s.b_tile_a_tile);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // gemm_choice.c:20
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < p.K; k += 64) {  // gemm_choice.c:26
            const int slot = b_tile_a_tile.put();
            ws::copy_in(b_tile_a_tile, s.b_tile[slot], p.b, p.b_map, j, k);
            ws::copy_in(b_tile_a_tile, s.a_tile[slot], p.a, p.a_map, i, k);
            b_tile_a_tile.put_done();
        }
    }
}

static WS_DEVICE void gemm_choice__128x256x64x3_consumer(const gemm_choice__128x256x64x3_params &p,
                                                         gemm_choice__128x256x64x3_shared &s, int group)
{
    ws::consumer<3> b_tile_a_tile(s.b_tile_a_tile);
    ws::warp_output c_out(s.c_out[group]);
    const long first_row = (long)group * 64;
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // gemm_choice.c:20
        const int i = t.at(0);
        const int j = t.at(1);
        auto acc = ws::full<float, 64, 256, ws::frag>(0);
        for (int k = 0; k < p.K; k += 64) {  // gemm_choice.c:26
            const int slot = b_tile_a_tile.get();
            ws::mma(acc, ws::window<64, 64>(s.a_tile[slot], first_row, 0), ws::trans(ws::view(s.b_tile[slot])));
            ws::commit();
            ws::wait<1>(acc);
            b_tile_a_tile.consumed<1>();
        }
        ws::wait<0>(acc);
        b_tile_a_tile.consumed<0>();
        WS_UNROLL
        for (int subtile = 0; subtile < 256; subtile += 64) {  // gemm_choice.c:28
            const int column = j + subtile;
            ws::store_wait<3>();
            const auto box = ws::stage(c_out, ws::cast<ws::f16>(ws::columns<64>(acc, subtile)));
            ws::fence();
            ws::store(c_out, p.c, p.c_map, i + first_row, column, box);  // gemm_choice.c:28
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void gemm_choice__128x256x64x3_kernel(WS_PARAMS(gemm_choice__128x256x64x3_params) p)
{
    gemm_choice__128x256x64x3_shared &s = ws::shared<gemm_choice__128x256x64x3_shared>();
    if (ws::first_thread()) {
        s.b_tile_a_tile.init("b_tile_a_tile", 2);  // two groups release each slot
        ws::prefetch(p.b_map);
        ws::prefetch(p.a_map);
        ws::prefetch(p.c_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.b_map, p.a_map))
                gemm_choice__128x256x64x3_producer<true>(p, s, 0);
            else
                gemm_choice__128x256x64x3_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        gemm_choice__128x256x64x3_consumer(p, s, ws::warp_group() - 1);
    }
}

static void ws_launch_gemm_choice__128x256x64x3(int M, int N, int K, const void *A, const void *B, const void *C)
{
    if (ws::is_estimated({{0, (long)M, 128}, {0, (long)N, 256}}, {1, 1, 1, false, 0},
                         {{1, 0, 0, 0, 0, 0},
                          {ws::times(0, (long)K, 64), 2, 1024, 0, 0, 256 * ws::asks((long)K * 2) + 128
                           * ws::asks((long)K * 2)}, {ws::times(0, 256, 64), 0, 0, 64, 341, 0}}))
        return;
    ws::launch call("gemm_choice");
    gemm_choice__128x256x64x3_params p;
    call.tensor(p.b, "b", B, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.b_map, p.b, 256);
    call.map(p.a_map, p.a, 128);
    call.map(p.c_map, p.c, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 128}, {0, N, 256}}, ws::order_auto, 0);
    call.run(gemm_choice__128x256x64x3_kernel, p, 384, sizeof(gemm_choice__128x256x64x3_shared), ws::persistent);
}

// gemm_choice.c:20: gemm_choice
struct gemm_choice__64x64x128x3_params {
    ws::tensor<ws::f16, 2> b;
    ws::tensor<ws::f16, 2> a;
    ws::tensor<ws::f16, 2> c;
    ws::edge_map b_map;                  // tiles of 64 rows, the last as it is
    ws::edge_map a_map;                  // tiles of 64 rows, the last as it is
    ws::map c_map;
    int K;
    ws::grid<2> grid;
};

struct gemm_choice__64x64x128x3_shared {
    ws::shared_tile<ws::f16, 64, 128> b_tile[3];
    ws::shared_tile<ws::f16, 64, 128> a_tile[3];
    ws::output<ws::f16, 64, 1> c_out;    // 64 rows, 1 block of 128 bytes
    ws::ring<3> b_tile_a_tile;
};
static_assert(offsetof(gemm_choice__64x64x128x3_shared, b_tile) == 0);
static_assert(offsetof(gemm_choice__64x64x128x3_shared, a_tile) == 49152);
static_assert(offsetof(gemm_choice__64x64x128x3_shared, c_out) == 98304);
static_assert(sizeof(gemm_choice__64x64x128x3_shared) == 107520);

template <bool TMA>
static WS_DEVICE void gemm_choice__64x64x128x3_producer(const gemm_choice__64x64x128x3_params &p,
                                                        gemm_choice__64x64x128x3_shared &s, int group)
{
    ws::producer<3, TMA> b_tile_a_tile(s.b_tile_a_tile);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // gemm_choice.c:20
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < p.K; k += 128) {  // gemm_choice.c:26
            const int slot = b_tile_a_tile.put();
            ws::copy_in(b_tile_a_tile, s.b_tile[slot], p.b, p.b_map, j, k);
            ws::copy_in(b_tile_a_tile, s.a_tile[slot], p.a, p.a_map, i, k);
            b_tile_a_tile.put_done();
        }
    }
}

static WS_DEVICE void gemm_choice__64x64x128x3_consumer(const gemm_choice__64x64x128x3_params &p,
                                                        gemm_choice__64x64x128x3_shared &s, int group)
{
    ws::consumer<3> b_tile_a_tile(s.b_tile_a_tile);
    ws::warp_output c_out(s.c_out);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // gemm_choice.c:20
        const int i = t.at(0);
        const int j = t.at(1);
        auto acc = ws::full<float, 64, 64, ws::frag>(0);
        for (int k = 0; k < p.K; k += 128) {  // gemm_choice.c:26
            const int slot = b_tile_a_tile.get();
            ws::mma(acc, ws::view(s.a_tile[slot]), ws::trans(ws::view(s.b_tile[slot])));
            ws::commit();
            ws::wait<1>(acc);
            b_tile_a_tile.consumed<1>();
        }
        ws::wait<0>(acc);
        b_tile_a_tile.consumed<0>();
        ws::store_wait<0>();
        const auto box = ws::stage(c_out, ws::cast<ws::f16>(acc));
        ws::fence();
        ws::store(c_out, p.c, p.c_map, i, j, box);  // gemm_choice.c:28
    }
    ws::store_wait<0>();
}

static WS_KERNEL(256, 1) void gemm_choice__64x64x128x3_kernel(WS_PARAMS(gemm_choice__64x64x128x3_params) p)
{
    gemm_choice__64x64x128x3_shared &s = ws::shared<gemm_choice__64x64x128x3_shared>();
    if (ws::first_thread()) {
        s.b_tile_a_tile.init("b_tile_a_tile", 1);  // one group releases each slot
        ws::prefetch(p.b_map);
        ws::prefetch(p.a_map);
        ws::prefetch(p.c_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        if (ws::first_warp()) {
            if (ws::by_tma(p.b_map, p.a_map))
                gemm_choice__64x64x128x3_producer<true>(p, s, 0);
            else
                gemm_choice__64x64x128x3_producer<false>(p, s, 0);
        }
    } else {
        gemm_choice__64x64x128x3_consumer(p, s, 0);
    }
}

static void ws_launch_gemm_choice__64x64x128x3(int M, int N, int K, const void *A, const void *B, const void *C)
{
    if (ws::is_estimated({{0, (long)M, 64}, {0, (long)N, 64}}, {2, 1, 1, false, 0},
                         {{1, 0, 0, 32, 171, 0},
                          {ws::times(0, (long)K, 128), 2, 256, 0, 0, 128 * ws::asks((long)K * 2) + 128
                           * ws::asks((long)K * 2)}}))
        return;
    ws::launch call("gemm_choice");
    gemm_choice__64x64x128x3_params p;
    call.tensor(p.b, "b", B, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.b_map, p.b, 64);
    call.map(p.a_map, p.a, 64);
    call.map(p.c_map, p.c, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 64}, {0, N, 64}}, ws::order_auto, 0);
    call.run(gemm_choice__64x64x128x3_kernel, p, 256, sizeof(gemm_choice__64x64x128x3_shared), ws::persistent);
}

// gemm_choice.c:20: gemm_choice
struct gemm_choice__64x64x128x4_params {
    ws::tensor<ws::f16, 2> b;
    ws::tensor<ws::f16, 2> a;
    ws::tensor<ws::f16, 2> c;
    ws::edge_map b_map;                  // tiles of 64 rows, the last as it is
    ws::edge_map a_map;                  // tiles of 64 rows, the last as it is
    ws::map c_map;
    int K;
    ws::grid<2> grid;
};

struct gemm_choice__64x64x128x4_shared {
    ws::shared_tile<ws::f16, 64, 128> b_tile[4];
    ws::shared_tile<ws::f16, 64, 128> a_tile[4];
    ws::output<ws::f16, 64, 1> c_out;    // 64 rows, 1 block of 128 bytes
    ws::ring<4> b_tile_a_tile;
};
static_assert(offsetof(gemm_choice__64x64x128x4_shared, b_tile) == 0);
static_assert(offsetof(gemm_choice__64x64x128x4_shared, a_tile) == 65536);
static_assert(offsetof(gemm_choice__64x64x128x4_shared, c_out) == 131072);
static_assert(sizeof(gemm_choice__64x64x128x4_shared) == 140288);

template <bool TMA>
static WS_DEVICE void gemm_choice__64x64x128x4_producer(const gemm_choice__64x64x128x4_params &p,
                                                        gemm_choice__64x64x128x4_shared &s, int group)
{
    ws::producer<4, TMA> b_tile_a_tile(s.b_tile_a_tile);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // gemm_choice.c:20
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < p.K; k += 128) {  // gemm_choice.c:26
            const int slot = b_tile_a_tile.put();
            ws::copy_in(b_tile_a_tile, s.b_tile[slot], p.b, p.b_map, j, k);
            ws::copy_in(b_tile_a_tile, s.a_tile[slot], p.a, p.a_map, i, k);
            b_tile_a_tile.put_done();
        }
    }
}

static WS_DEVICE void gemm_choice__64x64x128x4_consumer(const gemm_choice__64x64x128x4_params &p,
                                                        gemm_choice__64x64x128x4_shared &s, int group)
{
    ws::consumer<4> b_tile_a_tile(s.b_tile_a_tile);
    ws::warp_output c_out(s.c_out);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // gemm_choice.c:20
        const int i = t.at(0);
        const int j = t.at(1);
        auto acc = ws::full<float, 64, 64, ws::frag>(0);
        for (int k = 0; k < p.K; k += 128) {  // gemm_choice.c:26
            const int slot = b_tile_a_tile.get();
            ws::mma(acc, ws::view(s.a_tile[slot]), ws::trans(ws::view(s.b_tile[slot])));
            ws::commit();
            ws::wait<1>(acc);
            b_tile_a_tile.consumed<1>();
        }
        ws::wait<0>(acc);
        b_tile_a_tile.consumed<0>();
        ws::store_wait<0>();
        const auto box = ws::stage(c_out, ws::cast<ws::f16>(acc));
        ws::fence();
        ws::store(c_out, p.c, p.c_map, i, j, box);  // gemm_choice.c:28
    }
    ws::store_wait<0>();
}

static WS_KERNEL(256, 1) void gemm_choice__64x64x128x4_kernel(WS_PARAMS(gemm_choice__64x64x128x4_params) p)
{
    gemm_choice__64x64x128x4_shared &s = ws::shared<gemm_choice__64x64x128x4_shared>();
    if (ws::first_thread()) {
        s.b_tile_a_tile.init("b_tile_a_tile", 1);  // one group releases each slot
        ws::prefetch(p.b_map);
        ws::prefetch(p.a_map);
        ws::prefetch(p.c_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        if (ws::first_warp()) {
            if (ws::by_tma(p.b_map, p.a_map))
                gemm_choice__64x64x128x4_producer<true>(p, s, 0);
            else
                gemm_choice__64x64x128x4_producer<false>(p, s, 0);
        }
    } else {
        gemm_choice__64x64x128x4_consumer(p, s, 0);
    }
}

static void ws_launch_gemm_choice__64x64x128x4(int M, int N, int K, const void *A, const void *B, const void *C)
{
    if (ws::is_estimated({{0, (long)M, 64}, {0, (long)N, 64}}, {1, 1, 1, false, 0},
                         {{1, 0, 0, 32, 171, 0},
                          {ws::times(0, (long)K, 128), 3, 256, 0, 0, 128 * ws::asks((long)K * 2) + 128
                           * ws::asks((long)K * 2)}}))
        return;
    ws::launch call("gemm_choice");
    gemm_choice__64x64x128x4_params p;
    call.tensor(p.b, "b", B, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.b_map, p.b, 64);
    call.map(p.a_map, p.a, 64);
    call.map(p.c_map, p.c, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 64}, {0, N, 64}}, ws::order_auto, 0);
    call.run(gemm_choice__64x64x128x4_kernel, p, 256, sizeof(gemm_choice__64x64x128x4_shared), ws::persistent);
}

// gemm_choice.c:20: gemm_choice, one of its variants
extern "C" void ws_launch_gemm_choice(int M, int N, int K, const void *A, const void *B, const void *C)
{
    static const ws_variant variants[] = {
        {"128x256x64x4", 0xc16c46219744b0abull},
        {"128x128x64x3", 0x4b90d2a1de3731f9ull},
        {"128x128x64x4", 0x2b3acab94f28a48cull},
        {"128x256x64x3", 0xd447f7f0b99c4966ull},
        {"64x64x128x3", 0xb8d9f4d701f02649ull},
        {"64x64x128x4", 0x7539dc87d4bf11cull},
    };
    static ws_choices choices = {"gemm_choice", nullptr, 6, variants, 0, nullptr};
    ws::choice choice(choices, {(long)M, (long)N, (long)K});
    while (choice.next())
        switch (choice.variant()) {
        case 0:
            ws_launch_gemm_choice__128x256x64x4(M, N, K, A, B, C);
            break;
        case 1:
            ws_launch_gemm_choice__128x128x64x3(M, N, K, A, B, C);
            break;
        case 2:
            ws_launch_gemm_choice__128x128x64x4(M, N, K, A, B, C);
            break;
        case 3:
            ws_launch_gemm_choice__128x256x64x3(M, N, K, A, B, C);
            break;
        case 4:
            ws_launch_gemm_choice__64x64x128x3(M, N, K, A, B, C);
            break;
        case 5:
            ws_launch_gemm_choice__64x64x128x4(M, N, K, A, B, C);
            break;
        }
}
