#include <wsrt.cuh>

// task_rows.ir:3: probabilities
struct probabilities_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<ws::f16, 2> w;
    ws::tensor<float, 2> z;
    ws::filled_map x_map;                // tiles of 128 rows
    ws::map w_map;                       // tiles of 64 rows
    ws::map z_map;
    int K;
    ws::grid<2> grid;
};

struct probabilities_shared {
    ws::shared_tile<ws::f16, 128, 64> x_tile[3];
    ws::shared_tile<ws::lined<float, 4>, 128, 1> shrink[3];
    ws::shared_tile<ws::f16, 128, 64> p[3];
    ws::shared_tile<ws::f16, 64, 64> w_tile[3];
    ws::shared_tile<ws::lined<float, 4>, 128, 1> top[2];
    ws::shared_tile<ws::lined<float, 4>, 128, 1> sum[2];
    ws::output<float, 64, 2> z_out[2];   // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<3> x_tile_ring;
    ws::ring<3> shrink_p;
    ws::ring<3> w_tile_ring;
    ws::ring<2> top_sum;
};
static_assert(offsetof(probabilities_shared, x_tile) == 0);
static_assert(offsetof(probabilities_shared, shrink) == 49152);
static_assert(offsetof(probabilities_shared, p) == 51200);
static_assert(offsetof(probabilities_shared, w_tile) == 100352);
static_assert(offsetof(probabilities_shared, top) == 124928);
static_assert(offsetof(probabilities_shared, sum) == 125952);
static_assert(offsetof(probabilities_shared, z_out) == 126976);
static_assert(sizeof(probabilities_shared) == 160768);

template <bool TMA>
static WS_DEVICE void probabilities_producer(const probabilities_params &p, probabilities_shared &s, int group)
{
    ws::producer<3, TMA> x_tile_ring(s.x_tile_ring);
    ws::producer<3, TMA> w_tile_ring(s.w_tile_ring);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // task_rows.ir:10
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < p.K; k += 64) {  // task_rows.ir:14
            const int x_tile_slot = x_tile_ring.put();
            ws::copy_in_or(-INFINITY, x_tile_ring, s.x_tile[x_tile_slot], p.x, p.x_map, i, k);
            x_tile_ring.put_done();
            const int w_tile_slot = w_tile_ring.put();
            ws::copy_in(w_tile_ring, s.w_tile[w_tile_slot], p.w, p.w_map, k, j);
            w_tile_ring.put_done();
        }
    }
}

static WS_DEVICE void probabilities_multiply(const probabilities_params &p, probabilities_shared &s, int group)
{
    ws::consumer<3> shrink_p(s.shrink_p);
    ws::consumer<3> w_tile_ring(s.w_tile_ring);
    ws::consumer<2> top_sum(s.top_sum);
    ws::warp_output z_out(s.z_out[group]);
    const long first_row = (long)group * 64;
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // task_rows.ir:10
        const int i = t.at(0);
        const int j = t.at(1);
        auto acc = ws::full<float, 64, 64, ws::frag>(0);
        for (int k = 0; k < p.K; k += 64) {  // task_rows.ir:14
            const int shrink_p_slot = shrink_p.get();
            const auto shrink = ws::read<ws::frag>(ws::window<64, 1>(s.shrink[shrink_p_slot], first_row, 0));
            acc = ws::rescale(acc, shrink);
            const int w_tile_slot = w_tile_ring.get();
            ws::mma(acc, ws::window<64, 64>(s.p[shrink_p_slot], first_row, 0), ws::view(s.w_tile[w_tile_slot]));
            ws::commit();
            ws::computed(shrink);
            ws::wait<0>(acc);
            shrink_p.consumed<0>();
            w_tile_ring.consumed<0>();
        }
        const int top_sum_slot = top_sum.get();
        const auto top = ws::read<ws::frag>(ws::window<64, 1>(s.top[top_sum_slot], first_row, 0));
        const auto sum = ws::read<ws::frag>(ws::window<64, 1>(s.sum[top_sum_slot], first_row, 0));
        top_sum.consumed<0>();
        WS_UNROLL
        for (int subtile = 0; subtile < 64; subtile += 32) {  // task_rows.ir:33
            const auto x = ws::sub(ws::div(ws::columns<32>(acc, subtile), sum), top);
            const int column = j + subtile;
            ws::store_wait<1>();
            const auto box = ws::stage(z_out, x);
            ws::fence();
            ws::store(z_out, p.z, p.z_map, i + first_row, column, box);  // task_rows.ir:33
        }
    }
    ws::store_wait<0>();
}

static WS_DEVICE void probabilities_probabilities(const probabilities_params &p, probabilities_shared &s, int group)
{
    ws::producer<3> shrink_p(s.shrink_p);
    ws::producer<2> top_sum(s.top_sum);
    ws::consumer<3> x_tile_ring(s.x_tile_ring);
    const long first_row = (long)group * 64;
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // task_rows.ir:10
        const int i = t.at(0);
        const int j = t.at(1);
        auto top = ws::full<float, 64, 1, ws::frag>(-1e+30);
        auto sum = ws::full<float, 64, 1, ws::frag>(0);
        for (int k = 0; k < p.K; k += 64) {  // task_rows.ir:14
            const int x_tile_slot = x_tile_ring.get();
            const auto x = ws::read<ws::frag>(ws::window<64, 64>(s.x_tile[x_tile_slot], first_row, 0));
            const auto s_2 = ws::cast<float>(x);
            const auto now = ws::max(top, ws::row_max(s_2));
            const auto e = ws::exp_fast(ws::sub(s_2, now));
            const auto shrink = ws::exp(ws::sub(top, now));
            const int shrink_p_slot = shrink_p.put();
            ws::put_rows(s.shrink[shrink_p_slot], shrink, first_row);
            sum = ws::fma(sum, shrink, ws::row_part(e));
            const auto p_2 = ws::cast<ws::f16>(e);
            ws::put_rows(s.p[shrink_p_slot], p_2, first_row);
            ws::fence();
            x_tile_ring.consumed<0>();
            ws::group_barrier();
            shrink_p.put_done();
            top = now;
        }
        top = ws::cast<float>(top);
        const int top_sum_slot = top_sum.put();
        ws::put_rows(s.top[top_sum_slot], top, first_row);
        sum = ws::row_total(sum);
        ws::put_rows(s.sum[top_sum_slot], sum, first_row);
        ws::fence();
        ws::group_barrier();
        top_sum.put_done();
    }
}

static WS_KERNEL(640, 1) void probabilities_kernel(WS_PARAMS(probabilities_params) p)
{
    probabilities_shared &s = ws::shared<probabilities_shared>();
    if (ws::first_thread()) {
        s.x_tile_ring.init("x_tile_ring", 2);  // two groups release each slot
        s.shrink_p.init("shrink_p", 2, 2);  // two groups fill, two groups release each slot
        s.w_tile_ring.init("w_tile_ring", 2);  // two groups release each slot
        s.top_sum.init("top_sum", 2, 2);  // two groups fill, two groups release each slot
        ws::prefetch(p.x_map);
        ws::prefetch(p.w_map);
        ws::prefetch(p.z_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<40>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.x_map, p.w_map))
                probabilities_producer<true>(p, s, 0);
            else
                probabilities_producer<false>(p, s, 0);
        }
    } else if (ws::warp_group() < 3) {
        ws::registers_up<112>();
        probabilities_multiply(p, s, ws::warp_group() - 1);
    } else {
        ws::registers_up<104>();
        probabilities_probabilities(p, s, ws::warp_group() - 3);
    }
}

extern "C" void ws_launch_probabilities(int M, int N, int K, const void *X, const void *W, const void *Z)
{
    ws::launch call("probabilities");
    probabilities_params p;
    call.tensor(p.x, "x", X, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.w, "w", W, {K, N}, {N, 1}, ws::loaded);
    call.tensor(p.z, "z", Z, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.x_map, p.x, 128);
    call.map(p.w_map, p.w, 64);
    call.map(p.z_map, p.z, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 128}, {0, N, 64}}, ws::order_auto, 0);
    call.run(probabilities_kernel, p, 640, sizeof(probabilities_shared), ws::persistent);
}
