#include <wsrt.cuh>

// floats.ir:2: floats
struct floats_params {
    ws::tensor<float, 2> a;
    ws::tensor<float, 2> b;
    ws::tensor<float, 2> c;
    ws::edge_map a_map;                  // tiles of 128 rows, the last as it is
    ws::edge_map b_map;                  // tiles of 128 rows, the last as it is
    ws::map c_map;
    int K;
    ws::grid<2> grid;
};

struct floats_shared {
    ws::shared_tile<float, 128, 32> ta[5];
    ws::shared_tile<float, 128, 32> tb[5];
    ws::shared_tile<float, 128, 32> tb_rest[3];
    ws::output<float, 64, 1> c_out[2];   // 64 rows, 1 block of 128 bytes; one for each group
    ws::ring<5> ta_ring;
    ws::ring<5> tb_ring;
    ws::ring<3> tb_rest_ring;
};
static_assert(offsetof(floats_shared, ta) == 0);
static_assert(offsetof(floats_shared, tb) == 81920);
static_assert(offsetof(floats_shared, tb_rest) == 163840);
static_assert(offsetof(floats_shared, c_out) == 212992);
static_assert(sizeof(floats_shared) == 230400);

template <bool TMA>
static WS_DEVICE void floats_producer(const floats_params &p, floats_shared &s, int group)
{
    ws::producer<5, TMA> ta_ring(s.ta_ring);
    ws::producer<5, TMA> tb_ring(s.tb_ring);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // floats.ir:2
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < p.K; k += 32) {  // floats.ir:10
            const int ta_slot = ta_ring.put();
            ws::copy_in(ta_ring, s.ta[ta_slot], p.a, p.a_map, i, k);
            ta_ring.put_done();
            const int tb_slot = tb_ring.put();
            ws::copy_in(tb_ring, s.tb[tb_slot], p.b, p.b_map, j, k);
            tb_ring.put_done();
        }
    }
}

static WS_DEVICE void floats_consumer(const floats_params &p, floats_shared &s, int group)
{
    ws::consumer<5> ta_ring(s.ta_ring);
    ws::consumer<5> tb_ring(s.tb_ring);
    ws::consumer<3> tb_rest_ring(s.tb_rest_ring);
    ws::warp_output c_out(s.c_out[group]);
    const long first_row = (long)group * 64;
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // floats.ir:2
        const int i = t.at(0);
        const int j = t.at(1);
        auto acc = ws::full<float, 64, 128, ws::frag>(0);
        for (int k = 0; k < p.K; k += 32) {  // floats.ir:10
            const int ta_slot = ta_ring.get();
            const int tb_slot = tb_ring.get();
            const int tb_rest_slot = tb_rest_ring.get();
            ws::dot_f32(acc, ws::window<64, 32>(s.ta[ta_slot], first_row, 0), ws::trans(ws::view(s.tb[tb_slot])),
                        ws::trans(ws::view(s.tb_rest[tb_rest_slot])));
            tb_rest_ring.consumed<0>();
            ws::fence();
            tb_ring.consumed<0>();
            ta_ring.consumed<0>();
        }
        const long n = i + first_row;
        ws::store_wait<0>();
        const auto box = ws::stage<0>(c_out, acc);
        ws::fence();
        ws::store(c_out, p.c, p.c_map, n, j, box);  // floats.ir:17
        ws::store_wait<0>();
        const auto box_2 = ws::stage<1>(c_out, acc);
        ws::fence();
        ws::store(c_out, p.c, p.c_map, n, j, box_2);  // floats.ir:17
        ws::store_wait<0>();
        const auto box_3 = ws::stage<2>(c_out, acc);
        ws::fence();
        ws::store(c_out, p.c, p.c_map, n, j, box_3);  // floats.ir:17
        ws::store_wait<0>();
        const auto box_4 = ws::stage<3>(c_out, acc);
        ws::fence();
        ws::store(c_out, p.c, p.c_map, n, j, box_4);  // floats.ir:17
    }
    ws::store_wait<0>();
}

static WS_DEVICE void floats_preparer(const floats_params &p, floats_shared &s, int group)
{
    ws::producer<3> tb_rest_ring(s.tb_rest_ring);
    ws::consumer<5> tb_ring(s.tb_ring);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // floats.ir:2
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < p.K; k += 32) {  // floats.ir:10
            const int tb_slot = tb_ring.get();
            const auto tb = ws::read<ws::lines_4>(ws::view(s.tb[tb_slot]));
            const auto tb_rest = ws::tf32_residual(tb);
            const int tb_rest_slot = tb_rest_ring.put();
            ws::stage(s.tb_rest[tb_rest_slot], tb_rest);
            ws::fence();
            tb_ring.consumed<0>();
            ws::group_barrier();
            tb_rest_ring.put_done();
        }
    }
}

static WS_KERNEL(512, 1) void floats_kernel(WS_PARAMS(floats_params) p)
{
    floats_shared &s = ws::shared<floats_shared>();
    if (ws::first_thread()) {
        s.ta_ring.init("ta_ring", 2);    // two groups release each slot
        s.tb_ring.init("tb_ring", 3);    // three groups release each slot
        s.tb_rest_ring.init("tb_rest_ring", 2);  // two groups release each slot
        ws::prefetch(p.a_map);
        ws::prefetch(p.b_map);
        ws::prefetch(p.c_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<40>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.a_map, p.b_map))
                floats_producer<true>(p, s, 0);
            else
                floats_producer<false>(p, s, 0);
        }
    } else if (ws::warp_group() < 3) {
        ws::registers_up<192>();
        floats_consumer(p, s, ws::warp_group() - 1);
    } else {
        ws::registers_down<88>();
        floats_preparer(p, s, 0);
    }
}

extern "C" void ws_launch_floats(int M, int N, int K, const void *A, const void *B, const void *C)
{
    ws::launch call("floats");
    floats_params p;
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.b, "b", B, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.a_map, p.a, 128);
    call.map(p.b_map, p.b, 128);
    call.map(p.c_map, p.c, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 128}, {0, N, 128}}, ws::order_auto, 0);
    call.run(floats_kernel, p, 512, sizeof(floats_shared), ws::persistent);
}
