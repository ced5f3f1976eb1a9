#include <wsrt.cuh>

// plain.c:7: linear_relu
struct linear_relu_params {
    ws::tensor<float, 2> x;
    ws::tensor<float, 2> w;
    ws::tensor<float, 1> bias;
    ws::tensor<float, 2> y;
    ws::edge_map x_map;                  // tiles of 128 rows, the last as it is
    ws::edge_map w_map;                  // tiles of 64 rows, the last as it is
    ws::map y_map;
    int K;
    int value;
    ws::grid<2> grid;
};

struct linear_relu_shared {
    ws::shared_tile<float, 128, 32> x_tile[7];
    ws::shared_tile<float, 64, 32> w_tile[7];
    ws::shared_tile<float, 64, 32> rest[3];
    ws::output<float, 64, 2> y_out[2];   // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<7> x_tile_ring;
    ws::ring<7> w_tile_ring;
    ws::ring<3> rest_ring;
};
static_assert(offsetof(linear_relu_shared, x_tile) == 0);
static_assert(offsetof(linear_relu_shared, w_tile) == 114688);
static_assert(offsetof(linear_relu_shared, rest) == 172032);
static_assert(offsetof(linear_relu_shared, y_out) == 196608);
static_assert(sizeof(linear_relu_shared) == 230400);

template <bool TMA>
static WS_DEVICE void linear_relu_producer(const linear_relu_params &p, linear_relu_shared &s, int group)
{
    ws::producer<7, TMA> x_tile_ring(s.x_tile_ring);
    ws::producer<7, TMA> w_tile_ring(s.w_tile_ring);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // plain.c:7
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < p.K; k += 32) {  // plain.c:12
            const int x_tile_slot = x_tile_ring.put();
            ws::copy_in(x_tile_ring, s.x_tile[x_tile_slot], p.x, p.x_map, i, k);
            x_tile_ring.put_done();
            const int w_tile_slot = w_tile_ring.put();
            ws::copy_in(w_tile_ring, s.w_tile[w_tile_slot], p.w, p.w_map, j, k);
            w_tile_ring.put_done();
        }
    }
}

static WS_DEVICE void linear_relu_consumer(const linear_relu_params &p, linear_relu_shared &s, int group)
{
    ws::consumer<7> x_tile_ring(s.x_tile_ring);
    ws::consumer<7> w_tile_ring(s.w_tile_ring);
    ws::consumer<3> rest_ring(s.rest_ring);
    ws::warp_output y_out(s.y_out[group]);
    const long first_row = (long)group * 64;
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // plain.c:7
        const int i = t.at(0);
        const int j = t.at(1);
        ws::tile<float, 1, 64, ws::frag> s_2;
        if (p.value != 0) {  // plain.c:10
            s_2 = ws::load_row<64, ws::frag>(p.bias, j);
        } else {
            s_2 = ws::full<float, 1, 64, ws::frag>(0);
        }
        auto s_3 = ws::add(ws::full<float, 64, 64, ws::frag>(-0.0), s_2);
        for (int k = 0; k < p.K; k += 32) {  // plain.c:12
            const int x_tile_slot = x_tile_ring.get();
            const int w_tile_slot = w_tile_ring.get();
            const int rest_slot = rest_ring.get();
            ws::dot_f32(s_3, ws::window<64, 32>(s.x_tile[x_tile_slot], first_row, 0),
                        ws::trans(ws::view(s.w_tile[w_tile_slot])), ws::trans(ws::view(s.rest[rest_slot])));
            rest_ring.consumed<0>();
            ws::fence();
            w_tile_ring.consumed<0>();
            x_tile_ring.consumed<0>();
        }
        const auto x = ws::select(ws::gt(s_3, 0.0f), s_3, ws::full<float, 1, 1, ws::frag>(0));
        const long n = i + first_row;
        ws::store_wait<1>();
        const auto box = ws::stage<0>(y_out, x);
        ws::fence();
        ws::store(y_out, p.y, p.y_map, n, j, box);  // plain.c:14
        ws::store_wait<1>();
        const auto box_2 = ws::stage<1>(y_out, x);
        ws::fence();
        ws::store(y_out, p.y, p.y_map, n, j, box_2);  // plain.c:14
    }
    ws::store_wait<0>();
}

static WS_DEVICE void linear_relu_preparer(const linear_relu_params &p, linear_relu_shared &s, int group)
{
    ws::producer<3> rest_ring(s.rest_ring);
    ws::consumer<7> w_tile_ring(s.w_tile_ring);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // plain.c:7
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < p.K; k += 32) {  // plain.c:12
            const int w_tile_slot = w_tile_ring.get();
            const auto x = ws::read<ws::lines_4>(ws::view(s.w_tile[w_tile_slot]));
            const auto rest = ws::tf32_residual(x);
            const int rest_slot = rest_ring.put();
            ws::stage(s.rest[rest_slot], rest);
            ws::fence();
            w_tile_ring.consumed<0>();
            ws::group_barrier();
            rest_ring.put_done();
        }
    }
}

static WS_KERNEL(512, 1) void linear_relu_kernel(WS_PARAMS(linear_relu_params) p)
{
    linear_relu_shared &s = ws::shared<linear_relu_shared>();
    if (ws::first_thread()) {
        s.x_tile_ring.init("x_tile_ring", 2);  // two groups release each slot
        s.w_tile_ring.init("w_tile_ring", 3);  // three groups release each slot
        s.rest_ring.init("rest_ring", 2);  // two groups release each slot
        ws::prefetch(p.x_map);
        ws::prefetch(p.w_map);
        ws::prefetch(p.y_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<40>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.x_map, p.w_map))
                linear_relu_producer<true>(p, s, 0);
            else
                linear_relu_producer<false>(p, s, 0);
        }
    } else if (ws::warp_group() < 3) {
        ws::registers_up<200>();
        linear_relu_consumer(p, s, ws::warp_group() - 1);
    } else {
        ws::registers_down<72>();
        linear_relu_preparer(p, s, 0);
    }
}

extern "C" void ws_launch_linear_relu(int M, int N, int K, const void *x, const void *w, const void *bias,
                                      const void *y, int value)
{
    ws::launch call("linear_relu");
    linear_relu_params p;
    call.tensor(p.x, "x", x, {ws::max((long)M, 0l), ws::max((long)K, 0l)}, {K, 1}, ws::loaded);
    call.tensor(p.w, "w", w, {ws::max((long)N, 0l), ws::max((long)K, 0l)}, {K, 1}, ws::loaded);
    call.tensor(p.bias, "bias", bias, {value != 0 ? ws::max((long)N, 0l) : 0}, {1}, ws::loaded);
    call.tensor(p.y, "y", y, {ws::max((long)M, 0l), ws::max((long)N, 0l)}, {N, 1}, ws::stored);
    call.place();
    call.map(p.x_map, p.x, 128);
    call.map(p.w_map, p.w, 64);
    call.map(p.y_map, p.y, 64);
    p.K = K;
    p.value = value;
    call.grid(p.grid, {{0, M, 128}, {0, N, 64}}, ws::order_auto, 0);
    call.run(linear_relu_kernel, p, 512, sizeof(linear_relu_shared), ws::persistent);
}

// plain.c:20: smooth
struct smooth_params {
    ws::tensor<double, 2> B;
    ws::tensor<double, 2> A;
    ws::grid<2> grid;
};

static WS_DEVICE void smooth_all(const smooth_params &p, int group)
{
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // plain.c:20
        const int i = t.at(0);
        const int j = t.at(1);
        ws::store(p.B, i, j,
                  ws::mul(ws::add(ws::load<32, 64, ws::lines>(p.A, (long)i - 1, j),
                                  ws::add(ws::load<32, 64, ws::lines>(p.A, (long)i + 1, j),
                                          ws::add(ws::load<32, 64, ws::lines>(p.A, i, (long)j + 1),
                                                  ws::add(ws::load<32, 64, ws::lines>(p.A, i, (long)j - 1),
                                                          ws::load<32, 64, ws::lines>(p.A, i, j))))),
                          0.2));  // plain.c:23
    }
}

static WS_KERNEL(128, 2) void smooth_kernel(WS_PARAMS(smooth_params) p)
{
    ws::start();
    smooth_all(p, 0);
}

extern "C" void ws_launch_smooth(int n, int m, const void *A, const void *B)
{
    ws::launch call("smooth");
    smooth_params p;
    call.tensor(p.B, "B", B, {ws::max((long)n - 1, 0l), ws::max((long)m - 1, 0l)}, {m, 1}, ws::stored);
    call.tensor(p.A, "A", A, {ws::max((long)n, 0l), ws::max((long)m, 0l)}, {m, 1}, ws::loaded);
    call.place();
    call.grid(p.grid, {{1, n - 1, 32}, {1, m - 1, 64}}, ws::order_auto, 0);
    call.run(smooth_kernel, p, 128, 0, ws::one_tile);
}

// plain.c:29: distance
struct distance_params {
    ws::tensor<float, 1> x;
    ws::tensor<float, 1> y;
    ws::tensor<float, 1> total;
    ws::grid<1> grid;
};

static WS_DEVICE void distance_all(const distance_params &p, int group)
{
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // plain.c:29
        const int i = t.at(0);
        const auto x = ws::sub(ws::load_row<256, ws::lines>(p.x, i), ws::load_row<256, ws::lines>(p.y, i));
        const auto total = ws::add(ws::mul(x, x), -0.0f);
        ws::store_row(p.total, (long)i / 256, ws::row_sum(total));  // plain.c:30
    }
}

static WS_KERNEL(128, 6) void distance_kernel(WS_PARAMS(distance_params) p)
{
    ws::start();
    distance_all(p, 0);
}

extern "C" void ws_launch_distance(int n, const void *x, const void *y, const void *total)
{
    ws::launch call("distance");
    distance_params p;
    call.tensor(p.x, "x", x, {ws::max((long)n, 0l)}, {1}, ws::loaded);
    call.tensor(p.y, "y", y, {ws::max((long)n, 0l)}, {1}, ws::loaded);
    call.tensor(p.total, "total", call.numbers(total, ws::max((long)n + 255, 0l) / 256, sizeof(float)),
                {ws::max((long)n + 255, 0l) / 256}, {1}, ws::stored);
    call.place();
    call.grid(p.grid, {{0, n, 256}}, ws::order_auto, 0);
    call.run(distance_kernel, p, 128, 0, ws::one_tile);
}
