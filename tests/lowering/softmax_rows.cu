#include <wsrt.cuh>

// softmax_rows.ir:2: softmax_rows
struct softmax_rows_params {
    ws::tensor<float, 2> x;
    ws::tensor<float, 2> y;
    ws::filled_map x_map;                // tiles of 64 rows
    ws::edge_map x_map_present;          // tiles of 64 rows, the last as it is
    int N;
    ws::grid<1> grid;
};

struct softmax_rows_shared {
    ws::shared_tile<float, 64, 128> t[2];
    ws::shared_tile<float, 64, 128> t_2[2];
    ws::ring<2> t_ring;
    ws::ring<2> t_2_ring;
};
static_assert(offsetof(softmax_rows_shared, t) == 0);
static_assert(offsetof(softmax_rows_shared, t_2) == 65536);
static_assert(sizeof(softmax_rows_shared) == 132096);

template <bool TMA>
static WS_DEVICE void softmax_rows_producer(const softmax_rows_params &p, softmax_rows_shared &s, int group)
{
    ws::producer<2, TMA> t_ring(s.t_ring);
    ws::producer<2, TMA> t_2_ring(s.t_2_ring);
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // softmax_rows.ir:2
        const int i = t.at(0);
        for (int j = 0; j < p.N; j += 128) {  // softmax_rows.ir:9
            const int t_slot = t_ring.put();
            ws::copy_in_or(-INFINITY, t_ring, s.t[t_slot], p.x, p.x_map, i, j);
            t_ring.put_done();
        }
        for (int j = 0; j < p.N; j += 128) {  // softmax_rows.ir:21
            const int t_2_slot = t_2_ring.put();
            ws::copy_in(t_2_ring, s.t_2[t_2_slot], p.x, p.x_map_present, i, j);
            t_2_ring.put_done();
        }
    }
}

static WS_DEVICE void softmax_rows_consumer(const softmax_rows_params &p, softmax_rows_shared &s, int group)
{
    ws::consumer<2> t_ring(s.t_ring);
    ws::consumer<2> t_2_ring(s.t_2_ring);
    const long first_row = (long)group * 32;
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // softmax_rows.ir:2
        const int i = t.at(0);
        auto largest = ws::full<float, 32, 1, ws::lines>(-1e+30);
        auto sum = ws::full<float, 32, 1, ws::lines>(0);
        for (int j = 0; j < p.N; j += 128) {  // softmax_rows.ir:9
            const int t_slot = t_ring.get();
            const auto t_2 = ws::read<ws::lines>(ws::window<32, 128>(s.t[t_slot], first_row, 0));
            ws::fence();
            t_ring.consumed<0>();
            const auto m = ws::row_max(t_2);
            const auto now = ws::max(largest, m);
            const auto less = ws::sub(largest, now);
            const auto scale = ws::exp(less);
            const auto d = ws::sub(t_2, now);
            const auto e = ws::exp_fast(d);
            const auto s_2 = ws::row_part(e);
            sum = ws::fma(sum, scale, s_2);
            largest = now;
        }
        sum = ws::row_total(sum);
        for (int j = 0; j < p.N; j += 128) {  // softmax_rows.ir:21
            const int t_2_slot = t_2_ring.get();
            const auto t_2 = ws::read<ws::lines>(ws::window<32, 128>(s.t_2[t_2_slot], first_row, 0));
            ws::fence();
            t_2_ring.consumed<0>();
            const auto d = ws::sub(t_2, largest);
            const auto e = ws::exp(d);
            const auto p_2 = ws::div(e, sum);
            ws::store(p.y, i + first_row, j, p_2);  // softmax_rows.ir:26
        }
    }
}

static WS_KERNEL(384, 1) void softmax_rows_kernel(WS_PARAMS(softmax_rows_params) p)
{
    softmax_rows_shared &s = ws::shared<softmax_rows_shared>();
    if (ws::first_thread()) {
        s.t_ring.init("t_ring", 2);      // two groups release each slot
        s.t_2_ring.init("t_2_ring", 2);  // two groups release each slot
        ws::prefetch(p.x_map);
        ws::prefetch(p.x_map_present);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<40>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.x_map, p.x_map_present))
                softmax_rows_producer<true>(p, s, 0);
            else
                softmax_rows_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<232>();
        softmax_rows_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_softmax_rows(int M, int N, const void *X, const void *Y)
{
    ws::launch call("softmax_rows");
    softmax_rows_params p;
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.x_map, p.x, 64);
    call.map(p.x_map_present, p.x, 64);
    p.N = N;
    call.grid(p.grid, {{0, M, 64}}, ws::order_auto, 0);
    call.run(softmax_rows_kernel, p, 384, sizeof(softmax_rows_shared), ws::persistent);
}
