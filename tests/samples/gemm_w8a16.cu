#include <wsrt.cuh>

// gemm_w8a16.c:20: gemm_w8a16
struct gemm_w8a16_params {
    ws::tensor<ws::f16, 2> a;
    ws::tensor<signed char, 2> w;
    ws::tensor<float, 1> s;
    ws::tensor<ws::f16, 2> c;
    ws::edge_map w_map_lines_64;         // tiles of 128 rows, the last as it is
    ws::edge_map a_map;                  // tiles of 256 rows, the last as it is
    ws::map c_map;
    int K;
    ws::grid<2> grid;
};

struct gemm_w8a16_shared {
    ws::shared_tile<ws::lined<signed char, 64>, 128, 64> w_tile[5];
    ws::shared_tile<ws::f16, 256, 64> x[5];
    ws::output<ws::f16, 64, 1> c_out[2];  // 64 rows, 1 block of 128 bytes; one for each group
    ws::ring<5> w_tile_ring;
    ws::ring<5> x_ring;
    ws::pingpong<2> pingpong;
};
static_assert(offsetof(gemm_w8a16_shared, w_tile) == 0);
static_assert(offsetof(gemm_w8a16_shared, x) == 40960);
static_assert(offsetof(gemm_w8a16_shared, c_out) == 204800);
static_assert(sizeof(gemm_w8a16_shared) == 222208);

template <bool TMA>
static WS_DEVICE void gemm_w8a16_producer(const gemm_w8a16_params &p, gemm_w8a16_shared &s, int group)
{
    ws::producer<5, TMA> w_tile_ring(s.w_tile_ring);
    ws::producer<5, TMA> x_ring(s.x_ring);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // gemm_w8a16.c:20
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < p.K; k += 64) {  // gemm_w8a16.c:26
            const int w_tile_slot = w_tile_ring.put();
            ws::copy_in(w_tile_ring, s.w_tile[w_tile_slot], p.w, p.w_map_lines_64, j, k);
            w_tile_ring.put_done();
            const int x_slot = x_ring.put();
            ws::copy_in(x_ring, s.x[x_slot], p.a, p.a_map, i, k);
            x_ring.put_done();
        }
    }
}

static WS_DEVICE void gemm_w8a16_consumer(const gemm_w8a16_params &p, gemm_w8a16_shared &s, int group)
{
    ws::consumer<5> w_tile_ring(s.w_tile_ring);
    ws::consumer<5> x_ring(s.x_ring);
    ws::warp_output c_out(s.c_out[group]);
    s.pingpong.begin(group);
    const long first_row = (long)group * 64;
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // gemm_w8a16.c:20
        const int i = t.at(0);
        const int j = t.at(1);
        auto acc = ws::full<float, 64, 256, ws::frag>(0);
        for (int k = 0; k < p.K; k += 64) {  // gemm_w8a16.c:26
            const int w_tile_slot = w_tile_ring.get();
            const auto x = ws::read<ws::frag>(ws::window<64, 64>(s.w_tile[w_tile_slot], first_row, 0));
            ws::fence();
            w_tile_ring.consumed<0>();
            const auto halves = ws::cast<ws::f16>(x);
            const int x_slot = x_ring.get();
            s.pingpong.take(group);
            ws::mma(acc, halves, ws::trans(ws::view(s.x[x_slot])));
            ws::commit();
            s.pingpong.pass(group);
            ws::wait<0>(acc);
            x_ring.consumed<0>();
        }
        const long n = j + first_row;
        const auto x_2 = ws::load_col<64, ws::frag>(p.s, n);
        WS_UNROLL
        for (int subtile = 0; subtile < 256; subtile += 64) {  // gemm_w8a16.c:31
            const auto x = ws::transposed(ws::cast<ws::f16>(ws::mul(ws::columns<64>(acc, subtile), x_2)));
            const int column = i + subtile;
            ws::store_wait<0>();
            const auto box = ws::stage(c_out, x);
            ws::fence();
            ws::store(c_out, p.c, p.c_map, column, n, box);  // gemm_w8a16.c:31
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void gemm_w8a16_kernel(WS_PARAMS(gemm_w8a16_params) p)
{
    gemm_w8a16_shared &s = ws::shared<gemm_w8a16_shared>();
    if (ws::first_thread()) {
        s.w_tile_ring.init("w_tile_ring", 2);  // two groups release each slot
        s.x_ring.init("x_ring", 2);      // two groups release each slot
        s.pingpong.init("pingpong");
        ws::prefetch(p.w_map_lines_64);
        ws::prefetch(p.a_map);
        ws::prefetch(p.c_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<40>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.w_map_lines_64, p.a_map))
                gemm_w8a16_producer<true>(p, s, 0);
            else
                gemm_w8a16_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<232>();
        gemm_w8a16_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_gemm_w8a16(int M, int N, int K, const void *A, const void *W, const void *S, const void *C)
{
    ws::launch call("gemm_w8a16");
    gemm_w8a16_params p;
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.w, "w", W, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.s, "s", S, {N}, {1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map<ws::lined<signed char, 64>>(p.w_map_lines_64, p.w, 128);
    call.map(p.a_map, p.a, 256);
    call.map(p.c_map, p.c, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 256}, {0, N, 128}}, ws::order_auto, 0);
    call.run(gemm_w8a16_kernel, p, 384, sizeof(gemm_w8a16_shared), ws::persistent);
}

// gemm_w8a16.c:42: gemm_w8a16_left
struct gemm_w8a16_left_params {
    ws::tensor<signed char, 2> w;
    ws::tensor<ws::f16, 2> a;
    ws::tensor<float, 1> s;
    ws::tensor<ws::f16, 2> c;
    ws::edge_map w_map_lines_64;         // tiles of 128 rows, the last as it is
    ws::edge_map a_map;                  // tiles of 256 rows, the last as it is
    ws::map c_map;
    int K;
    ws::grid<2> grid;
};

struct gemm_w8a16_left_shared {
    ws::shared_tile<ws::lined<signed char, 64>, 128, 64> w_tile[5];
    ws::shared_tile<ws::f16, 256, 64> a_tile[5];
    ws::output<ws::f16, 64, 1> c_out[2];  // 64 rows, 1 block of 128 bytes; one for each group
    ws::ring<5> w_tile_ring;
    ws::ring<5> a_tile_ring;
    ws::pingpong<2> pingpong;
};
static_assert(offsetof(gemm_w8a16_left_shared, w_tile) == 0);
static_assert(offsetof(gemm_w8a16_left_shared, a_tile) == 40960);
static_assert(offsetof(gemm_w8a16_left_shared, c_out) == 204800);
static_assert(sizeof(gemm_w8a16_left_shared) == 222208);

template <bool TMA>
static WS_DEVICE void gemm_w8a16_left_producer(const gemm_w8a16_left_params &p, gemm_w8a16_left_shared &s, int group)
{
    ws::producer<5, TMA> w_tile_ring(s.w_tile_ring);
    ws::producer<5, TMA> a_tile_ring(s.a_tile_ring);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // gemm_w8a16.c:42
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < p.K; k += 64) {  // gemm_w8a16.c:48
            const int w_tile_slot = w_tile_ring.put();
            ws::copy_in(w_tile_ring, s.w_tile[w_tile_slot], p.w, p.w_map_lines_64, j, k);
            w_tile_ring.put_done();
            const int a_tile_slot = a_tile_ring.put();
            ws::copy_in(a_tile_ring, s.a_tile[a_tile_slot], p.a, p.a_map, i, k);
            a_tile_ring.put_done();
        }
    }
}

static WS_DEVICE void gemm_w8a16_left_consumer(const gemm_w8a16_left_params &p, gemm_w8a16_left_shared &s, int group)
{
    ws::consumer<5> w_tile_ring(s.w_tile_ring);
    ws::consumer<5> a_tile_ring(s.a_tile_ring);
    ws::warp_output c_out(s.c_out[group]);
    s.pingpong.begin(group);
    const long first_row = (long)group * 64;
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // gemm_w8a16.c:42
        const int i = t.at(0);
        const int j = t.at(1);
        auto acc = ws::full<float, 64, 256, ws::frag>(0);
        for (int k = 0; k < p.K; k += 64) {  // gemm_w8a16.c:48
            const int w_tile_slot = w_tile_ring.get();
            const auto x = ws::read<ws::frag>(ws::window<64, 64>(s.w_tile[w_tile_slot], first_row, 0));
            ws::fence();
            w_tile_ring.consumed<0>();
            const auto halves = ws::cast<ws::f16>(x);
            const int a_tile_slot = a_tile_ring.get();
            s.pingpong.take(group);
            ws::mma(acc, halves, ws::trans(ws::view(s.a_tile[a_tile_slot])));
            ws::commit();
            s.pingpong.pass(group);
            ws::wait<0>(acc);
            a_tile_ring.consumed<0>();
        }
        const long n = j + first_row;
        const auto x_2 = ws::load_col<64, ws::frag>(p.s, n);
        WS_UNROLL
        for (int subtile = 0; subtile < 256; subtile += 64) {  // gemm_w8a16.c:52
            const auto x = ws::transposed(ws::cast<ws::f16>(ws::mul(ws::columns<64>(acc, subtile), x_2)));
            const int column = i + subtile;
            ws::store_wait<0>();
            const auto box = ws::stage(c_out, x);
            ws::fence();
            ws::store(c_out, p.c, p.c_map, column, n, box);  // gemm_w8a16.c:52
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void gemm_w8a16_left_kernel(WS_PARAMS(gemm_w8a16_left_params) p)
{
    gemm_w8a16_left_shared &s = ws::shared<gemm_w8a16_left_shared>();
    if (ws::first_thread()) {
        s.w_tile_ring.init("w_tile_ring", 2);  // two groups release each slot
        s.a_tile_ring.init("a_tile_ring", 2);  // two groups release each slot
        s.pingpong.init("pingpong");
        ws::prefetch(p.w_map_lines_64);
        ws::prefetch(p.a_map);
        ws::prefetch(p.c_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<40>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.w_map_lines_64, p.a_map))
                gemm_w8a16_left_producer<true>(p, s, 0);
            else
                gemm_w8a16_left_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<232>();
        gemm_w8a16_left_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_gemm_w8a16_left(int M, int N, int K, const void *A, const void *W, const void *S,
                                          const void *C)
{
    ws::launch call("gemm_w8a16_left");
    gemm_w8a16_left_params p;
    call.tensor(p.w, "w", W, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.s, "s", S, {N}, {1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map<ws::lined<signed char, 64>>(p.w_map_lines_64, p.w, 128);
    call.map(p.a_map, p.a, 256);
    call.map(p.c_map, p.c, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 256}, {0, N, 128}}, ws::order_auto, 0);
    call.run(gemm_w8a16_left_kernel, p, 384, sizeof(gemm_w8a16_left_shared), ws::persistent);
}
