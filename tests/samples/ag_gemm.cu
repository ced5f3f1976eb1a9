#include <wsrt.cuh>

// ag_gemm.c:50: in_one_round
struct in_one_round_2_params {
    ws::tensor<ws::bf16, 2> w;
    ws::tensor<ws::bf16, 2> x;
    ws::tensor<ws::bf16, 2> y;
    ws::edge_map w_map;                  // tiles of 128 rows, the last as it is
    ws::edge_map x_map;                  // tiles of 128 rows, the last as it is
    ws::map y_map;
    int K;
    ws::grid<2> grid;
    ws::together together;
};

struct in_one_round_2_shared {
    ws::shared_tile<ws::bf16, 128, 64> w_tile[6];
    ws::shared_tile<ws::bf16, 128, 64> x_tile[6];
    ws::output<ws::bf16, 64, 2> y_out[2];  // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<6> w_tile_x_tile;
    ws::tile_scheduler scheduler;
};
static_assert(offsetof(in_one_round_2_shared, w_tile) == 0);
static_assert(offsetof(in_one_round_2_shared, x_tile) == 98304);
static_assert(offsetof(in_one_round_2_shared, y_out) == 196608);
static_assert(sizeof(in_one_round_2_shared) == 230400);

template <bool TMA>
static WS_DEVICE void in_one_round_2_producer(const in_one_round_2_params &p, in_one_round_2_shared &s, int group)
{
    ws::producer<6, TMA> w_tile_x_tile(s.w_tile_x_tile);
    for (ws::scheduling_tiles<2> t(p.grid, s.scheduler); t.more(); t.next()) {  // ag_gemm.c:50
        const int i = t.at(0);
        const int j = t.at(1);
        ws::await_tiles<TMA>(p.together, t);
        for (int k = 0; k < p.K; k += 64) {  // ag_gemm.c:50
            const int slot = w_tile_x_tile.put();
            ws::copy_in(w_tile_x_tile, s.w_tile[slot], p.w, p.w_map, j, k);
            ws::copy_in(w_tile_x_tile, s.x_tile[slot], p.x, p.x_map, i, k);
            w_tile_x_tile.put_done();
        }
    }
}

static WS_DEVICE void in_one_round_2_consumer(const in_one_round_2_params &p, in_one_round_2_shared &s, int group)
{
    ws::consumer<6> w_tile_x_tile(s.w_tile_x_tile);
    ws::warp_output y_out(s.y_out[group]);
    ws::telling telling;
    const long first_row = (long)group * 64;
    for (ws::dynamic_tiles<2> t(p.grid, s.scheduler); t.more(); t.next()) {  // ag_gemm.c:50
        const int i = t.at(0);
        const int j = t.at(1);
        auto acc = ws::full<float, 64, 128, ws::frag>(0);
        for (int k = 0; k < p.K; k += 64) {  // ag_gemm.c:50
            const int slot = w_tile_x_tile.get();
            ws::mma(acc, ws::window<64, 64>(s.x_tile[slot], first_row, 0), ws::trans(ws::view(s.w_tile[slot])));
            ws::commit();
            ws::wait<0>(acc);
            w_tile_x_tile.consumed<0>();
        }
        telling.tell(p.together);
        WS_UNROLL
        for (int subtile = 0; subtile < 128; subtile += 64) {  // ag_gemm.c:50
            const int column = j + subtile;
            ws::store_wait<1>();
            const auto box = ws::stage(y_out, ws::cast<ws::bf16>(ws::columns<64>(acc, subtile)));
            ws::fence();
            ws::store(y_out, p.y, p.y_map, i + first_row, column, box);  // ag_gemm.c:50
        }
        telling.tile_done(p.together, t);
    }
    telling.tell(p.together);
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void in_one_round_2_kernel(WS_PARAMS(in_one_round_2_params) p)
{
    in_one_round_2_shared &s = ws::shared<in_one_round_2_shared>();
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
                in_one_round_2_producer<true>(p, s, 0);
            else
                in_one_round_2_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        in_one_round_2_consumer(p, s, ws::warp_group() - 1);
    }
    ws::leave(p.together);
}

extern "C" void ws_launch_in_one_round_2_2500e179(int K, int rows, int cols, const void *value, const void *value_2,
                                                  const void *value_3)
{
    ws::launch call("in_one_round");
    in_one_round_2_params p;
    call.tensor(p.w, "w", value, {cols, K}, {K, 1}, ws::loaded);
    call.tensor(p.x, "x", value_2, {rows, K}, {K, 1}, ws::loaded);
    call.tensor(p.y, "y", value_3, {rows, cols}, {cols, 1}, ws::stored);
    call.grid(p.grid, {{0, rows, 128}, {0, cols, 128}}, ws::order_auto, 0);
    call.touches(p.w, ws::loaded, {{0, 128, {0, 1}}});
    call.touches(p.x, ws::loaded, {{0, 128, {1, 0}}});
    call.touches(p.y, ws::stored, {{0, 128, {1, 0}}});
    call.together(p.together, p.grid, 2, ws::tiles_wait);
    call.place();
    call.map(p.w_map, p.w, 128);
    call.map(p.x_map, p.x, 128);
    call.map(p.y_map, p.y, 64);
    p.K = K;
    call.schedule(p.grid);
    call.run(in_one_round_2_kernel, p, 384, sizeof(in_one_round_2_shared), ws::persistent);
}

// ag_gemm.c:50: in_one_round
struct in_one_round_params {
    ws::tensor<ws::bf16, 2> there;
    ws::tensor<ws::bf16, 2> here;
    ws::edge_map there_map;              // tiles of 128 rows, the last as it is
    int K;
    ws::grid<2> grid;
    ws::together together;
};

struct in_one_round_shared {
    ws::shared_tile<ws::bf16, 128, 128> there_tile[6];
    ws::ring<6> there_tile_ring;
    ws::tile_scheduler scheduler;
};
static_assert(offsetof(in_one_round_shared, there_tile) == 0);
static_assert(sizeof(in_one_round_shared) == 197632);

template <bool TMA>
static WS_DEVICE void in_one_round_producer(const in_one_round_params &p, in_one_round_shared &s, int group)
{
    ws::producer<6, TMA> there_tile_ring(s.there_tile_ring);
    for (ws::scheduling_tiles<2> t(p.grid, s.scheduler); t.more(); t.next()) {  // ag_gemm.c:50
        const int i = t.at(0);
        const int j = t.at(1);
        const int end = ws::min(p.K, j + 1024);
        ws::await_tiles<TMA>(p.together, t);
        for (int k = j; k < end; k += 128) {  // ag_gemm.c:50
            const int slot = there_tile_ring.put();
            ws::copy_in(there_tile_ring, s.there_tile[slot], p.there, p.there_map, i, k);
            there_tile_ring.put_done();
        }
    }
}

static WS_DEVICE void in_one_round_consumer(const in_one_round_params &p, in_one_round_shared &s, int group)
{
    ws::consumer<6> there_tile_ring(s.there_tile_ring);
    ws::telling telling;
    const long first_row = (long)group * 32;
    for (ws::dynamic_tiles<2> t(p.grid, s.scheduler); t.more(); t.next()) {  // ag_gemm.c:50
        const int i = t.at(0);
        const int j = t.at(1);
        telling.tell(p.together);
        const int end = ws::min(p.K, j + 1024);
        for (int k = j; k < end; k += 128) {  // ag_gemm.c:50
            const int slot = there_tile_ring.get();
            const auto x = ws::read<ws::lines_2>(ws::window<32, 128>(s.there_tile[slot], first_row, 0));
            ws::fence();
            there_tile_ring.consumed<0>();
            ws::store(p.here, i + first_row, k, x);  // ag_gemm.c:50
        }
        telling.tile_done(p.together, t);
    }
    telling.tell(p.together);
}

static WS_KERNEL(640, 1) void in_one_round_kernel(WS_PARAMS(in_one_round_params) p)
{
    in_one_round_shared &s = ws::shared<in_one_round_shared>();
    if (ws::first_thread()) {
        s.there_tile_ring.init("there_tile_ring", 4);  // four groups release each slot
        s.scheduler.init("scheduler", 4);
        ws::prefetch(p.there_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<32>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.there_map))
                in_one_round_producer<true>(p, s, 0);
            else
                in_one_round_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<112>();
        in_one_round_consumer(p, s, ws::warp_group() - 1);
    }
    ws::leave(p.together);
}

extern "C" void ws_launch_in_one_round_2500e179(int K, int coming, const void *value, const void *value_2)
{
    ws::launch call("in_one_round");
    in_one_round_params p;
    call.share(8);
    call.tensor(p.there, "there", value, {coming, K}, {K, 1}, ws::loaded);
    call.tensor(p.here, "here", value_2, {coming, K}, {K, 1}, ws::stored);
    call.grid(p.grid, {{0, coming, 128}, {0, K, 1024}}, ws::order_auto, 0);
    call.touches(p.there, ws::loaded, {{0, 128, {1, 0}}});
    call.touches(p.here, ws::stored, {{0, 128, {1, 0}}});
    call.together(p.together, p.grid, 4, ws::tiles_wait);
    call.place();
    call.map(p.there_map, p.there, 128);
    p.K = K;
    call.schedule(p.grid);
    call.run(in_one_round_kernel, p, 640, sizeof(in_one_round_shared), ws::persistent);
}

// ag_gemm.c:51: in_rounds
struct in_rounds_2_params {
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

struct in_rounds_2_shared {
    ws::shared_tile<ws::bf16, 256, 64> w_tile[4];
    ws::shared_tile<ws::bf16, 128, 64> x_tile[4];
    ws::output<ws::bf16, 64, 2> y_out[2];  // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<4> w_tile_x_tile;
    ws::tile_scheduler scheduler;
};
static_assert(offsetof(in_rounds_2_shared, w_tile) == 0);
static_assert(offsetof(in_rounds_2_shared, x_tile) == 131072);
static_assert(offsetof(in_rounds_2_shared, y_out) == 196608);
static_assert(sizeof(in_rounds_2_shared) == 230400);

template <bool TMA>
static WS_DEVICE void in_rounds_2_producer(const in_rounds_2_params &p, in_rounds_2_shared &s, int group)
{
    ws::producer<4, TMA> w_tile_x_tile(s.w_tile_x_tile);
    for (ws::scheduling_tiles<2> t(p.grid, s.scheduler); t.more(); t.next()) {  // ag_gemm.c:51
        const int i = t.at(0);
        const int j = t.at(1);
        ws::await_tiles<TMA>(p.together, t);
        for (int k = 0; k < p.K; k += 64) {  // ag_gemm.c:51
            const int slot = w_tile_x_tile.put();
            ws::copy_in(w_tile_x_tile, s.w_tile[slot], p.w, p.w_map, j, k);
            ws::copy_in(w_tile_x_tile, s.x_tile[slot], p.x, p.x_map, i, k);
            w_tile_x_tile.put_done();
        }
    }
}

static WS_DEVICE void in_rounds_2_consumer(const in_rounds_2_params &p, in_rounds_2_shared &s, int group)
{
    ws::consumer<4> w_tile_x_tile(s.w_tile_x_tile);
    ws::warp_output y_out(s.y_out[group]);
    ws::telling telling;
    const long first_row = (long)group * 64;
    for (ws::dynamic_tiles<2> t(p.grid, s.scheduler); t.more(); t.next()) {  // ag_gemm.c:51
        const int i = t.at(0);
        const int j = t.at(1);
        auto acc = ws::full<float, 64, 256, ws::frag>(0);
        for (int k = 0; k < p.K; k += 64) {  // ag_gemm.c:51
            const int slot = w_tile_x_tile.get();
            ws::mma(acc, ws::window<64, 64>(s.x_tile[slot], first_row, 0), ws::trans(ws::view(s.w_tile[slot])));
            ws::commit();
            ws::wait<0>(acc);
            w_tile_x_tile.consumed<0>();
        }
        telling.tell(p.together);
        WS_UNROLL
        for (int subtile = 0; subtile < 256; subtile += 64) {  // ag_gemm.c:51
            const int column = j + subtile;
            ws::store_wait<1>();
            const auto box = ws::stage(y_out, ws::cast<ws::bf16>(ws::columns<64>(acc, subtile)));
            ws::fence();
            ws::store(y_out, p.y, p.y_map, i + first_row, column, box);  // ag_gemm.c:51
        }
        telling.tile_done(p.together, t);
    }
    telling.tell(p.together);
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void in_rounds_2_kernel(WS_PARAMS(in_rounds_2_params) p)
{
    in_rounds_2_shared &s = ws::shared<in_rounds_2_shared>();
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
                in_rounds_2_producer<true>(p, s, 0);
            else
                in_rounds_2_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        in_rounds_2_consumer(p, s, ws::warp_group() - 1);
    }
    ws::leave(p.together);
}

extern "C" void ws_launch_in_rounds_2_2500e179(int K, int rows, int cols, const void *value, const void *value_2,
                                               const void *value_3)
{
    ws::launch call("in_rounds");
    in_rounds_2_params p;
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
    call.run(in_rounds_2_kernel, p, 384, sizeof(in_rounds_2_shared), ws::persistent);
}

// ag_gemm.c:51: in_rounds
struct in_rounds_params {
    ws::tensor<ws::bf16, 2> there;
    ws::tensor<ws::bf16, 2> here;
    ws::edge_map there_map;              // tiles of 128 rows, the last as it is
    int K;
    ws::grid<2> grid;
    ws::together together;
};

struct in_rounds_shared {
    ws::shared_tile<ws::bf16, 128, 128> there_tile[6];
    ws::ring<6> there_tile_ring;
    ws::tile_scheduler scheduler;
};
static_assert(offsetof(in_rounds_shared, there_tile) == 0);
static_assert(sizeof(in_rounds_shared) == 197632);

template <bool TMA>
static WS_DEVICE void in_rounds_producer(const in_rounds_params &p, in_rounds_shared &s, int group)
{
    ws::producer<6, TMA> there_tile_ring(s.there_tile_ring);
    for (ws::scheduling_tiles<2> t(p.grid, s.scheduler); t.more(); t.next()) {  // ag_gemm.c:51
        const int i = t.at(0);
        const int j = t.at(1);
        const int end = ws::min(p.K, j + 1024);
        ws::await_tiles<TMA>(p.together, t);
        for (int k = j; k < end; k += 128) {  // ag_gemm.c:51
            const int slot = there_tile_ring.put();
            ws::copy_in(there_tile_ring, s.there_tile[slot], p.there, p.there_map, i, k);
            there_tile_ring.put_done();
        }
    }
}

static WS_DEVICE void in_rounds_consumer(const in_rounds_params &p, in_rounds_shared &s, int group)
{
    ws::consumer<6> there_tile_ring(s.there_tile_ring);
    ws::telling telling;
    const long first_row = (long)group * 32;
    for (ws::dynamic_tiles<2> t(p.grid, s.scheduler); t.more(); t.next()) {  // ag_gemm.c:51
        const int i = t.at(0);
        const int j = t.at(1);
        telling.tell(p.together);
        const int end = ws::min(p.K, j + 1024);
        for (int k = j; k < end; k += 128) {  // ag_gemm.c:51
            const int slot = there_tile_ring.get();
            const auto x = ws::read<ws::lines_2>(ws::window<32, 128>(s.there_tile[slot], first_row, 0));
            ws::fence();
            there_tile_ring.consumed<0>();
            ws::store(p.here, i + first_row, k, x);  // ag_gemm.c:51
        }
        telling.tile_done(p.together, t);
    }
    telling.tell(p.together);
}

static WS_KERNEL(640, 1) void in_rounds_kernel(WS_PARAMS(in_rounds_params) p)
{
    in_rounds_shared &s = ws::shared<in_rounds_shared>();
    if (ws::first_thread()) {
        s.there_tile_ring.init("there_tile_ring", 4);  // four groups release each slot
        s.scheduler.init("scheduler", 4);
        ws::prefetch(p.there_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<32>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.there_map))
                in_rounds_producer<true>(p, s, 0);
            else
                in_rounds_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<112>();
        in_rounds_consumer(p, s, ws::warp_group() - 1);
    }
    ws::leave(p.together);
}

extern "C" void ws_launch_in_rounds_2500e179(int K, int coming, const void *value, const void *value_2)
{
    ws::launch call("in_rounds");
    in_rounds_params p;
    call.share(6);
    call.tensor(p.there, "there", value, {coming, K}, {K, 1}, ws::loaded);
    call.tensor(p.here, "here", value_2, {coming, K}, {K, 1}, ws::stored);
    call.grid(p.grid, {{0, coming, 128}, {0, K, 1024}}, ws::order_auto, 0);
    call.touches(p.there, ws::loaded, {{0, 128, {1, 0}}});
    call.touches(p.here, ws::stored, {{0, 128, {1, 0}}});
    call.together(p.together, p.grid, 4, ws::tiles_wait);
    call.place();
    call.map(p.there_map, p.there, 128);
    p.K = K;
    call.schedule(p.grid);
    call.run(in_rounds_kernel, p, 640, sizeof(in_rounds_shared), ws::persistent);
}

// ag_gemm.c:52: in_many_rounds
struct in_many_rounds_2_params {
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

struct in_many_rounds_2_shared {
    ws::shared_tile<ws::bf16, 256, 64> w_tile[4];
    ws::shared_tile<ws::bf16, 128, 64> x_tile[4];
    ws::output<ws::bf16, 64, 2> y_out[2];  // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<4> w_tile_x_tile;
    ws::tile_scheduler scheduler;
};
static_assert(offsetof(in_many_rounds_2_shared, w_tile) == 0);
static_assert(offsetof(in_many_rounds_2_shared, x_tile) == 131072);
static_assert(offsetof(in_many_rounds_2_shared, y_out) == 196608);
static_assert(sizeof(in_many_rounds_2_shared) == 230400);

template <bool TMA>
static WS_DEVICE void in_many_rounds_2_producer(const in_many_rounds_2_params &p, in_many_rounds_2_shared &s, int group)
{
    ws::producer<4, TMA> w_tile_x_tile(s.w_tile_x_tile);
    for (ws::scheduling_tiles<2> t(p.grid, s.scheduler); t.more(); t.next()) {  // ag_gemm.c:52
        const int i = t.at(0);
        const int j = t.at(1);
        ws::await_tiles<TMA>(p.together, t);
        for (int k = 0; k < p.K; k += 64) {  // ag_gemm.c:52
            const int slot = w_tile_x_tile.put();
            ws::copy_in(w_tile_x_tile, s.w_tile[slot], p.w, p.w_map, j, k);
            ws::copy_in(w_tile_x_tile, s.x_tile[slot], p.x, p.x_map, i, k);
            w_tile_x_tile.put_done();
        }
    }
}

static WS_DEVICE void in_many_rounds_2_consumer(const in_many_rounds_2_params &p, in_many_rounds_2_shared &s, int group)
{
    ws::consumer<4> w_tile_x_tile(s.w_tile_x_tile);
    ws::warp_output y_out(s.y_out[group]);
    ws::telling telling;
    const long first_row = (long)group * 64;
    for (ws::dynamic_tiles<2> t(p.grid, s.scheduler); t.more(); t.next()) {  // ag_gemm.c:52
        const int i = t.at(0);
        const int j = t.at(1);
        auto acc = ws::full<float, 64, 256, ws::frag>(0);
        for (int k = 0; k < p.K; k += 64) {  // ag_gemm.c:52
            const int slot = w_tile_x_tile.get();
            ws::mma(acc, ws::window<64, 64>(s.x_tile[slot], first_row, 0), ws::trans(ws::view(s.w_tile[slot])));
            ws::commit();
            ws::wait<0>(acc);
            w_tile_x_tile.consumed<0>();
        }
        telling.tell(p.together);
        WS_UNROLL
        for (int subtile = 0; subtile < 256; subtile += 64) {  // ag_gemm.c:52
            const int column = j + subtile;
            ws::store_wait<1>();
            const auto box = ws::stage(y_out, ws::cast<ws::bf16>(ws::columns<64>(acc, subtile)));
            ws::fence();
            ws::store(y_out, p.y, p.y_map, i + first_row, column, box);  // ag_gemm.c:52
        }
        telling.tile_done(p.together, t);
    }
    telling.tell(p.together);
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void in_many_rounds_2_kernel(WS_PARAMS(in_many_rounds_2_params) p)
{
    in_many_rounds_2_shared &s = ws::shared<in_many_rounds_2_shared>();
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
                in_many_rounds_2_producer<true>(p, s, 0);
            else
                in_many_rounds_2_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        in_many_rounds_2_consumer(p, s, ws::warp_group() - 1);
    }
    ws::leave(p.together);
}

extern "C" void ws_launch_in_many_rounds_2_2500e179(int K, int rows, int cols, const void *value, const void *value_2,
                                                    const void *value_3)
{
    ws::launch call("in_many_rounds");
    in_many_rounds_2_params p;
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
    call.run(in_many_rounds_2_kernel, p, 384, sizeof(in_many_rounds_2_shared), ws::persistent);
}

// ag_gemm.c:52: in_many_rounds
struct in_many_rounds_params {
    ws::tensor<ws::bf16, 2> there;
    ws::tensor<ws::bf16, 2> here;
    ws::edge_map there_map;              // tiles of 64 rows, the last as it is
    int K;
    ws::grid<2> grid;
    ws::together together;
};

struct in_many_rounds_shared {
    ws::shared_tile<ws::bf16, 64, 128> there_tile[6];
    ws::ring<6> there_tile_ring;
    ws::pingpong<2> pingpong;
};
static_assert(offsetof(in_many_rounds_shared, there_tile) == 0);
static_assert(sizeof(in_many_rounds_shared) == 99328);

template <bool TMA>
static WS_DEVICE void in_many_rounds_producer(const in_many_rounds_params &p, in_many_rounds_shared &s, int group)
{
    ws::producer<6, TMA> there_tile_ring(s.there_tile_ring);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // ag_gemm.c:52
        const int i = t.at(0);
        const int j = t.at(1);
        const int end = ws::min(p.K, j + 1024);
        ws::await_tiles<TMA>(p.together, t);
        for (int k = j; k < end; k += 128) {  // ag_gemm.c:52
            const int slot = there_tile_ring.put();
            ws::copy_in(there_tile_ring, s.there_tile[slot], p.there, p.there_map, i, k);
            there_tile_ring.put_done();
        }
    }
}

static WS_DEVICE void in_many_rounds_consumer(const in_many_rounds_params &p, in_many_rounds_shared &s, int group)
{
    ws::consumer<6> there_tile_ring(s.there_tile_ring);
    s.pingpong.begin(group);
    ws::telling telling;
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // ag_gemm.c:52
        const int i = t.at(0);
        const int j = t.at(1);
        if (t.ordinal() % 2 == group) {  // ag_gemm.c:52
            telling.tell(p.together);
            const int end = ws::min(p.K, j + 1024);
            s.pingpong.take(group);
            for (int k = j; k < end; k += 128) {  // ag_gemm.c:52
                const int slot = there_tile_ring.get();
                const auto x = ws::read<ws::lines_2>(ws::view(s.there_tile[slot]));
                ws::fence();
                there_tile_ring.consumed<0>();
                ws::store(p.here, i, k, x);  // ag_gemm.c:52
            }
            s.pingpong.pass(group);
            telling.tile_done(p.together, t);
        } else {
            const int end = ws::min(p.K, j + 1024);
            there_tile_ring.skip(ws::max((end - j + 127) / 128, 0));
        }
    }
    telling.tell(p.together);
}

static WS_KERNEL(384, 1) void in_many_rounds_kernel(WS_PARAMS(in_many_rounds_params) p)
{
    in_many_rounds_shared &s = ws::shared<in_many_rounds_shared>();
    if (ws::first_thread()) {
        s.there_tile_ring.init("there_tile_ring", 1);  // one group releases each slot
        s.pingpong.init("pingpong");
        ws::prefetch(p.there_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.there_map))
                in_many_rounds_producer<true>(p, s, 0);
            else
                in_many_rounds_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        in_many_rounds_consumer(p, s, ws::warp_group() - 1);
    }
    ws::leave(p.together);
}

extern "C" void ws_launch_in_many_rounds_2500e179(int K, int coming, const void *value, const void *value_2)
{
    ws::launch call("in_many_rounds");
    in_many_rounds_params p;
    call.share(8);
    call.tensor(p.there, "there", value, {coming, K}, {K, 1}, ws::loaded);
    call.tensor(p.here, "here", value_2, {coming, K}, {K, 1}, ws::stored);
    call.grid(p.grid, {{0, coming, 64}, {0, K, 1024}}, ws::order_auto, 0);
    call.touches(p.there, ws::loaded, {{0, 64, {1, 0}}});
    call.touches(p.here, ws::stored, {{0, 64, {1, 0}}});
    call.together(p.together, p.grid, 1, ws::tiles_wait);
    call.place();
    call.map(p.there_map, p.there, 64);
    p.K = K;
    call.run(in_many_rounds_kernel, p, 384, sizeof(in_many_rounds_shared), ws::persistent);
}

// ag_gemm.c:53: as_rows_come
struct as_rows_come_2_params {
    ws::tensor<ws::bf16, 2> w;
    ws::tensor<ws::bf16, 2> x;
    ws::tensor<ws::bf16, 2> y;
    ws::edge_map w_map;                  // tiles of 128 rows, the last as it is
    ws::edge_map x_map;                  // tiles of 128 rows, the last as it is
    ws::map y_map;
    int K;
    ws::grid<2> grid;
    ws::together together;
};

struct as_rows_come_2_shared {
    ws::shared_tile<ws::bf16, 128, 64> w_tile[6];
    ws::shared_tile<ws::bf16, 128, 64> x_tile[6];
    ws::output<ws::bf16, 64, 2> y_out[2];  // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<6> w_tile_x_tile;
    ws::tile_scheduler scheduler;
};
static_assert(offsetof(as_rows_come_2_shared, w_tile) == 0);
static_assert(offsetof(as_rows_come_2_shared, x_tile) == 98304);
static_assert(offsetof(as_rows_come_2_shared, y_out) == 196608);
static_assert(sizeof(as_rows_come_2_shared) == 230400);

template <bool TMA>
static WS_DEVICE void as_rows_come_2_producer(const as_rows_come_2_params &p, as_rows_come_2_shared &s, int group)
{
    ws::producer<6, TMA> w_tile_x_tile(s.w_tile_x_tile);
    for (ws::scheduling_tiles<2> t(p.grid, s.scheduler); t.more(); t.next()) {  // ag_gemm.c:53
        const int i = t.at(0);
        const int j = t.at(1);
        ws::await_tiles<TMA>(p.together, t);
        for (int k = 0; k < p.K; k += 64) {  // ag_gemm.c:53
            const int slot = w_tile_x_tile.put();
            ws::copy_in(w_tile_x_tile, s.w_tile[slot], p.w, p.w_map, j, k);
            ws::copy_in(w_tile_x_tile, s.x_tile[slot], p.x, p.x_map, i, k);
            w_tile_x_tile.put_done();
        }
    }
}

static WS_DEVICE void as_rows_come_2_consumer(const as_rows_come_2_params &p, as_rows_come_2_shared &s, int group)
{
    ws::consumer<6> w_tile_x_tile(s.w_tile_x_tile);
    ws::warp_output y_out(s.y_out[group]);
    ws::telling telling;
    const long first_row = (long)group * 64;
    for (ws::dynamic_tiles<2> t(p.grid, s.scheduler); t.more(); t.next()) {  // ag_gemm.c:53
        const int i = t.at(0);
        const int j = t.at(1);
        auto acc = ws::full<float, 64, 128, ws::frag>(0);
        for (int k = 0; k < p.K; k += 64) {  // ag_gemm.c:53
            const int slot = w_tile_x_tile.get();
            ws::mma(acc, ws::window<64, 64>(s.x_tile[slot], first_row, 0), ws::trans(ws::view(s.w_tile[slot])));
            ws::commit();
            ws::wait<0>(acc);
            w_tile_x_tile.consumed<0>();
        }
        telling.tell(p.together);
        WS_UNROLL
        for (int subtile = 0; subtile < 128; subtile += 64) {  // ag_gemm.c:53
            const int column = j + subtile;
            ws::store_wait<1>();
            const auto box = ws::stage(y_out, ws::cast<ws::bf16>(ws::columns<64>(acc, subtile)));
            ws::fence();
            ws::store(y_out, p.y, p.y_map, i + first_row, column, box);  // ag_gemm.c:53
        }
        telling.tile_done(p.together, t);
    }
    telling.tell(p.together);
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void as_rows_come_2_kernel(WS_PARAMS(as_rows_come_2_params) p)
{
    as_rows_come_2_shared &s = ws::shared<as_rows_come_2_shared>();
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
                as_rows_come_2_producer<true>(p, s, 0);
            else
                as_rows_come_2_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        as_rows_come_2_consumer(p, s, ws::warp_group() - 1);
    }
    ws::leave(p.together);
}

extern "C" void ws_launch_as_rows_come_2_2500e179(int K, int rows, int cols, const void *value, const void *value_2,
                                                  const void *value_3)
{
    ws::launch call("as_rows_come");
    as_rows_come_2_params p;
    call.tensor(p.w, "w", value, {cols, K}, {K, 1}, ws::loaded);
    call.tensor(p.x, "x", value_2, {rows, K}, {K, 1}, ws::loaded);
    call.tensor(p.y, "y", value_3, {rows, cols}, {cols, 1}, ws::stored);
    call.grid(p.grid, {{0, rows, 128}, {0, cols, 128}}, ws::order_auto, 0);
    call.touches(p.w, ws::loaded, {{0, 128, {0, 1}}});
    call.touches(p.x, ws::loaded, {{0, 128, {1, 0}}});
    call.touches(p.y, ws::stored, {{0, 128, {1, 0}}});
    call.together(p.together, p.grid, 2, ws::tiles_wait);
    call.place();
    call.map(p.w_map, p.w, 128);
    call.map(p.x_map, p.x, 128);
    call.map(p.y_map, p.y, 64);
    p.K = K;
    call.schedule(p.grid);
    call.run(as_rows_come_2_kernel, p, 384, sizeof(as_rows_come_2_shared), ws::persistent);
}

// ag_gemm.c:53: as_rows_come
struct as_rows_come_params {
    ws::tensor<ws::bf16, 2> there;
    ws::tensor<ws::bf16, 2> here;
    ws::edge_map there_map;              // tiles of 64 rows, the last as it is
    int K;
    ws::grid<2> grid;
    ws::together together;
};

struct as_rows_come_shared {
    ws::shared_tile<ws::bf16, 64, 128> there_tile[6];
    ws::ring<6> there_tile_ring;
    ws::pingpong<2> pingpong;
};
static_assert(offsetof(as_rows_come_shared, there_tile) == 0);
static_assert(sizeof(as_rows_come_shared) == 99328);

template <bool TMA>
static WS_DEVICE void as_rows_come_producer(const as_rows_come_params &p, as_rows_come_shared &s, int group)
{
    ws::producer<6, TMA> there_tile_ring(s.there_tile_ring);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // ag_gemm.c:53
        const int i = t.at(0);
        const int j = t.at(1);
        const int end = ws::min(p.K, j + 1024);
        ws::await_tiles<TMA>(p.together, t);
        for (int k = j; k < end; k += 128) {  // ag_gemm.c:53
            const int slot = there_tile_ring.put();
            ws::copy_in(there_tile_ring, s.there_tile[slot], p.there, p.there_map, i, k);
            there_tile_ring.put_done();
        }
    }
}

static WS_DEVICE void as_rows_come_consumer(const as_rows_come_params &p, as_rows_come_shared &s, int group)
{
    ws::consumer<6> there_tile_ring(s.there_tile_ring);
    s.pingpong.begin(group);
    ws::telling telling;
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // ag_gemm.c:53
        const int i = t.at(0);
        const int j = t.at(1);
        if (t.ordinal() % 2 == group) {  // ag_gemm.c:53
            telling.tell(p.together);
            const int end = ws::min(p.K, j + 1024);
            s.pingpong.take(group);
            for (int k = j; k < end; k += 128) {  // ag_gemm.c:53
                const int slot = there_tile_ring.get();
                const auto x = ws::read<ws::lines_2>(ws::view(s.there_tile[slot]));
                ws::fence();
                there_tile_ring.consumed<0>();
                ws::store(p.here, i, k, x);  // ag_gemm.c:53
            }
            s.pingpong.pass(group);
            telling.tile_done(p.together, t);
        } else {
            const int end = ws::min(p.K, j + 1024);
            there_tile_ring.skip(ws::max((end - j + 127) / 128, 0));
        }
    }
    telling.tell(p.together);
}

static WS_KERNEL(384, 1) void as_rows_come_kernel(WS_PARAMS(as_rows_come_params) p)
{
    as_rows_come_shared &s = ws::shared<as_rows_come_shared>();
    if (ws::first_thread()) {
        s.there_tile_ring.init("there_tile_ring", 1);  // one group releases each slot
        s.pingpong.init("pingpong");
        ws::prefetch(p.there_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.there_map))
                as_rows_come_producer<true>(p, s, 0);
            else
                as_rows_come_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        as_rows_come_consumer(p, s, ws::warp_group() - 1);
    }
    ws::leave(p.together);
}

extern "C" void ws_launch_as_rows_come_2500e179(int K, int coming, const void *value, const void *value_2)
{
    ws::launch call("as_rows_come");
    as_rows_come_params p;
    call.share(12);
    call.tensor(p.there, "there", value, {coming, K}, {K, 1}, ws::loaded);
    call.tensor(p.here, "here", value_2, {coming, K}, {K, 1}, ws::stored);
    call.grid(p.grid, {{0, coming, 64}, {0, K, 1024}}, ws::order_auto, 0);
    call.touches(p.there, ws::loaded, {{0, 64, {1, 0}}});
    call.touches(p.here, ws::stored, {{0, 64, {1, 0}}});
    call.together(p.together, p.grid, 1, ws::tiles_wait);
    call.place();
    call.map(p.there_map, p.there, 64);
    p.K = K;
    call.run(as_rows_come_kernel, p, 384, sizeof(as_rows_come_shared), ws::persistent);
}
