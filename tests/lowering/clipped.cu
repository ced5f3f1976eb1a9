#include <wsrt.cuh>

// clipped.ir:2: clipped
typedef ws::cluster<2, 1> clipped_cluster;  // blocks side by side, which share what they load

struct clipped_params {
    ws::tensor<ws::f16, 2> a;
    ws::tensor<ws::f16, 2> b;
    ws::tensor<ws::f16, 2> c;
    ws::edge_map a_map;                  // tiles of 128 rows, the last as it is
    ws::step_map b_map;                  // tiles of 128 rows, as many as the grid's step
    ws::map c_map;
    int K;
    int width;
    ws::grid<2, clipped_cluster> grid;
};

struct clipped_shared {
    ws::shared_tile<ws::f16, 128, 64> ta[4];
    ws::shared_tile<ws::f16, 256, 64> tb[4];
    ws::output<ws::f16, 64, 2> c_out[2];  // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<4> ta_tb;
};
static_assert(offsetof(clipped_shared, ta) == 0);
static_assert(offsetof(clipped_shared, tb) == 65536);
static_assert(offsetof(clipped_shared, c_out) == 196608);
static_assert(sizeof(clipped_shared) == 230400);

template <bool TMA>
static WS_DEVICE void clipped_producer(const clipped_params &p, clipped_shared &s, int group)
{
    ws::sharer<4, TMA> ta_tb(s.ta_tb);
    for (ws::tiles<2, clipped_cluster> t(p.grid); t.more(); t.next()) {  // clipped.ir:2
        const int i = t.at(0);
        const int j = t.at(1);
        const bool inside = t.inside();
        for (int k = 0; k < p.K; k += 64) {  // clipped.ir:10
            const int slot = ta_tb.put();
            if (inside)
                ws::copy_in(ta_tb, s.ta[slot], p.a, p.a_map, i, k);
            ws::copy_share<clipped_cluster, ws::along_x>(ta_tb, s.tb[slot], p.b, p.b_map, j, k);
            ta_tb.put_done();
        }
    }
}

static WS_DEVICE void clipped_consumer(const clipped_params &p, clipped_shared &s, int group)
{
    ws::consumer<4, clipped_cluster, ws::along_x> ta_tb(s.ta_tb);
    ws::warp_output c_out(s.c_out[group]);
    const long first_row = (long)group * 64;
    for (ws::tiles<2, clipped_cluster> t(p.grid); t.more(); t.next()) {  // clipped.ir:2
        const int i = t.at(0);
        const int j = t.at(1);
        auto acc = ws::full<float, 64, 256, ws::frag>(0);
        ws::narrowed(acc, p.width, [&](auto width) {
            for (int k = 0; k < p.K; k += 64) {  // clipped.ir:10
                const int slot = ta_tb.get();
                ws::mma(acc, ws::window<64, 64>(s.ta[slot], first_row, 0), ws::trans(ws::view(s.tb[slot])), width);
                ws::commit();
                ws::wait<1>(acc);
                ta_tb.consumed<1>();
            }
            ws::wait<0>(acc);
        });
        ta_tb.consumed<0>();
        const int end = j + p.width;
        const auto out = ws::slice<1>(p.c, 0, end);
        WS_UNROLL
        for (int subtile = 0; subtile < 256; subtile += 64) {  // clipped.ir:20
            const auto half = ws::cast<ws::f16>(ws::columns<64>(acc, subtile));
            const int column = j + subtile;
            ws::store_wait<1>();
            const auto box = ws::stage(c_out, half);
            ws::fence();
            if (t.inside())
                ws::store(c_out, out, p.c_map, i + first_row, column, box);  // clipped.ir:20
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void clipped_kernel(WS_PARAMS(clipped_params) p)
{
    clipped_shared &s = ws::shared<clipped_shared>();
    if (ws::first_thread()) {
        s.ta_tb.init<clipped_cluster, ws::along_x>("ta_tb", 4);  // four groups release each slot
        ws::prefetch(p.a_map);
        ws::prefetch(p.b_map);
        ws::prefetch(p.c_map);
    }
    ws::start<clipped_cluster>();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.a_map, p.b_map))
                clipped_producer<true>(p, s, 0);
            else
                clipped_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        clipped_consumer(p, s, ws::warp_group() - 1);
    }
    ws::finish<clipped_cluster>();
}

extern "C" void ws_launch_clipped(int M, int N, int K, int width, const void *A, const void *B, const void *C)
{
    ws::launch call("clipped");
    clipped_params p;
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.b, "b", B, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.a_map, p.a, 128);
    call.map(p.b_map, p.b, 128, width, 2);
    call.map(p.c_map, p.c, 64);
    p.K = K;
    p.width = width;
    call.grid(p.grid, {{0, M, 128}, {0, N, width}}, ws::order_auto, 0);
    call.run(clipped_kernel, p, 384, sizeof(clipped_shared), ws::persistent, clipped_cluster::size);
}
