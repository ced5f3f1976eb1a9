#include <wsrt.cuh>

// beside.ir:2: beside
struct beside_params {
    ws::tensor<ws::f16, 2> a;
    ws::tensor<ws::f16, 2> b;
    ws::tensor<ws::f16, 2> c;
    ws::edge_map a_map;                  // tiles of 128 rows, the last as it is
    ws::edge_map b_map;                  // tiles of 128 rows, the last as it is
    ws::map c_map;
    int K;
    ws::grid<2> grid;
    ws::together together;
};

struct beside_shared {
    ws::shared_tile<ws::f16, 128, 64> ta[4];
    ws::shared_tile<ws::f16, 128, 64> tb[4];
    ws::output<ws::f16, 64, 2> c_out[2];  // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<4> ta_tb;
    ws::tile_scheduler scheduler;
};
static_assert(offsetof(beside_shared, ta) == 0);
static_assert(offsetof(beside_shared, tb) == 65536);
static_assert(offsetof(beside_shared, c_out) == 131072);
static_assert(sizeof(beside_shared) == 164864);

template <bool TMA>
static WS_DEVICE void beside_producer(const beside_params &p, beside_shared &s, int group)
{
    ws::producer<4, TMA> ta_tb(s.ta_tb);
    for (ws::scheduling_tiles<2> t(p.grid, s.scheduler); t.more(); t.next()) {  // beside.ir:2
        const int i = t.at(0);
        const int j = t.at(1);
        ws::await_tiles<TMA>(p.together, t);
        for (int k = 0; k < p.K; k += 64) {  // beside.ir:10
            const int slot = ta_tb.put();
            ws::copy_in(ta_tb, s.ta[slot], p.a, p.a_map, i, k);
            ws::copy_in(ta_tb, s.tb[slot], p.b, p.b_map, j, k);
            ta_tb.put_done();
        }
    }
}

static WS_DEVICE void beside_consumer(const beside_params &p, beside_shared &s, int group)
{
    ws::consumer<4> ta_tb(s.ta_tb);
    ws::warp_output c_out(s.c_out[group]);
    ws::telling telling;
    const long first_row = (long)group * 64;
    for (ws::dynamic_tiles<2> t(p.grid, s.scheduler); t.more(); t.next()) {  // beside.ir:2
        const int i = t.at(0);
        const int j = t.at(1);
        auto acc = ws::full<float, 64, 128, ws::frag>(0);
        for (int k = 0; k < p.K; k += 64) {  // beside.ir:10
            const int slot = ta_tb.get();
            ws::mma(acc, ws::window<64, 64>(s.ta[slot], first_row, 0), ws::trans(ws::view(s.tb[slot])));
            ws::commit();
            ws::wait<1>(acc);
            ta_tb.consumed<1>();
        }
        ws::wait<0>(acc);
        ta_tb.consumed<0>();
        telling.tell(p.together);
        WS_UNROLL
        for (int subtile = 0; subtile < 128; subtile += 64) {  // beside.ir:18
            const auto half = ws::cast<ws::f16>(ws::columns<64>(acc, subtile));
            const int column = j + subtile;
            ws::store_wait<1>();
            const auto box = ws::stage(c_out, half);
            ws::fence();
            ws::store(c_out, p.c, p.c_map, i + first_row, column, box);  // beside.ir:18
        }
        telling.tile_done(p.together, t);
    }
    telling.tell(p.together);
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void beside_kernel(WS_PARAMS(beside_params) p)
{
    beside_shared &s = ws::shared<beside_shared>();
    if (ws::first_thread()) {
        s.ta_tb.init("ta_tb", 2);        // two groups release each slot
        s.scheduler.init("scheduler", 2);
        ws::prefetch(p.a_map);
        ws::prefetch(p.b_map);
        ws::prefetch(p.c_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.a_map, p.b_map))
                beside_producer<true>(p, s, 0);
            else
                beside_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        beside_consumer(p, s, ws::warp_group() - 1);
    }
    ws::leave(p.together);
}

extern "C" void ws_launch_beside(int M, int N, int K, const void *A, const void *B, const void *C)
{
    ws::launch call("beside");
    beside_params p;
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.b, "b", B, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.grid(p.grid, {{0, M, 128}, {0, N, 128}}, ws::order_auto, 0);
    call.touches(p.a, ws::loaded, {{0, 128, {1, 0}}});
    call.touches(p.b, ws::loaded, {{0, 128, {0, 1}}});
    call.touches(p.c, ws::stored, {{0, 128, {1, 0}}});
    call.together(p.together, p.grid, 2, ws::tiles_wait);
    call.place();
    call.map(p.a_map, p.a, 128);
    call.map(p.b_map, p.b, 128);
    call.map(p.c_map, p.c, 64);
    p.K = K;
    call.schedule(p.grid);
    call.run(beside_kernel, p, 384, sizeof(beside_shared), ws::persistent);
}
