#include <wsrt.cuh>

// gather.ir:2: shares
struct shares_params {
    ws::tensor<ws::f16, 2> a;
    ws::tensor<ws::f16, 2> b;
    ws::tensor<float, 2> y;
    ws::map a_map;                       // tiles of 128 rows
    ws::edge_map b_map;                  // tiles of 64 rows, the last as it is
    ws::map y_map;
    int N;
    ws::grid<1> grid;
};

struct shares_shared {
    ws::shared_tile<ws::f16, 128, 128> ta[2];
    ws::shared_tile<ws::f16, 64, 128> tb[2];
    ws::shared_tile<ws::f16, 128, 64> x_gathered[2];
    ws::output<float, 64, 2> y_out[2];   // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<2> ta_ring;
    ws::ring<2> tb_ring;
    ws::role_barrier<2> role_barrier;
};
static_assert(offsetof(shares_shared, ta) == 0);
static_assert(offsetof(shares_shared, tb) == 65536);
static_assert(offsetof(shares_shared, x_gathered) == 98304);
static_assert(offsetof(shares_shared, y_out) == 131072);
static_assert(sizeof(shares_shared) == 164864);

template <bool TMA>
static WS_DEVICE void shares_producer(const shares_params &p, shares_shared &s, int group)
{
    ws::producer<2, TMA> ta_ring(s.ta_ring);
    ws::producer<2, TMA> tb_ring(s.tb_ring);
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // gather.ir:2
        const int i = t.at(0);
        const int ta_slot = ta_ring.put();
        ws::copy_in(ta_ring, s.ta[ta_slot], p.a, p.a_map, i, 0);
        ta_ring.put_done();
        for (int j = 0; j < p.N; j += 64) {  // gather.ir:9
            const int tb_slot = tb_ring.put();
            ws::copy_in(tb_ring, s.tb[tb_slot], p.b, p.b_map, j, 0);
            tb_ring.put_done();
        }
    }
}

static WS_DEVICE void shares_consumer(const shares_params &p, shares_shared &s, int group)
{
    ws::consumer<2> ta_ring(s.ta_ring);
    ws::consumer<2> tb_ring(s.tb_ring);
    ws::warp_output y_out(s.y_out[group]);
    int x_gathered_turn = 0;
    const long first_row = (long)group * 64;
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // gather.ir:2
        const int i = t.at(0);
        const int ta_slot = ta_ring.get();
        for (int j = 0; j < p.N; j += 64) {  // gather.ir:9
            const int tb_slot = tb_ring.get();
            auto s_2 = ws::full<float, 64, 64, ws::frag>(0);
            ws::mma(s_2, ws::window<64, 128>(s.ta[ta_slot], first_row, 0), ws::trans(ws::view(s.tb[tb_slot])));
            ws::commit();
            ws::wait<0>(s_2);
            tb_ring.consumed<0>();
            const auto x = ws::cast<ws::f16>(s_2);
            auto share = ws::full<float, 64, 64, ws::frag>(0);
            const auto x_gathered_view = ws::gather(s.x_gathered, x_gathered_turn, x, first_row);
            ws::fence();
            ws::sync(s.role_barrier, group);
            ws::mma(share, ws::trans(ws::window<128, 64>(s.ta[ta_slot], 0, first_row)), x_gathered_view);
            ws::commit();
            ws::wait<0>(share);
            ws::store_wait<0>();
            const auto box = ws::stage(y_out, share);
            ws::fence();
            ws::atomic_add(y_out, p.y, p.y_map, first_row, j, box);  // gather.ir:18
        }
        ta_ring.consumed<0>();
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void shares_kernel(WS_PARAMS(shares_params) p)
{
    shares_shared &s = ws::shared<shares_shared>();
    if (ws::first_thread()) {
        s.ta_ring.init("ta_ring", 2);    // two groups release each slot
        s.tb_ring.init("tb_ring", 2);    // two groups release each slot
        s.role_barrier.init("role_barrier");
        ws::prefetch(p.a_map);
        ws::prefetch(p.b_map);
        ws::prefetch(p.y_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<40>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.a_map, p.b_map))
                shares_producer<true>(p, s, 0);
            else
                shares_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<232>();
        shares_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_shares(int M, int N, const void *A, const void *B, const void *Y)
{
    ws::launch call("shares");
    shares_params p;
    call.tensor(p.a, "a", A, {M, 128}, {128, 1}, ws::loaded);
    call.tensor(p.b, "b", B, {N, 128}, {128, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {128, N}, {N, 1}, ws::loaded_and_stored);
    call.place();
    call.map(p.a_map, p.a, 128);
    call.map(p.b_map, p.b, 64);
    call.map(p.y_map, p.y, 64);
    p.N = N;
    call.grid(p.grid, {{0, M, 128}}, ws::order_auto, 0);
    call.run(shares_kernel, p, 384, sizeof(shares_shared), ws::persistent);
}
