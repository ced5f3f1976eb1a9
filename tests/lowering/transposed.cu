#include <wsrt.cuh>

// transposed.ir:2: transposed
struct transposed_params {
    ws::tensor<ws::e4m3, 2> a;
    ws::tensor<ws::e4m3, 2> b;
    ws::tensor<float, 2> c;
    ws::edge_map a_map;                  // tiles of 128 rows, the last as it is
    ws::map b_map;                       // tiles of 96 rows
    ws::map c_map;
    int K;
    ws::grid<1> grid;
};

struct transposed_shared {
    ws::shared_tile<ws::e4m3, 128, 96> ta[2];
    ws::shared_tile<ws::e4m3, 96, 64> tb[2];
    ws::shared_tile<ws::interleaved<ws::e4m3>, 64, 96> tb_transposed[2];
    ws::output<float, 64, 2> c_out[2];   // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<2> ta_ring;
    ws::ring<2> tb_ring;
    ws::ring<2> tb_transposed_ring;
};
static_assert(offsetof(transposed_shared, ta) == 0);
static_assert(offsetof(transposed_shared, tb) == 32768);
static_assert(offsetof(transposed_shared, tb_transposed) == 57344);
static_assert(offsetof(transposed_shared, c_out) == 73728);
static_assert(sizeof(transposed_shared) == 107520);

template <bool TMA>
static WS_DEVICE void transposed_producer(const transposed_params &p, transposed_shared &s, int group)
{
    ws::producer<2, TMA> ta_ring(s.ta_ring);
    ws::producer<2, TMA> tb_ring(s.tb_ring);
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // transposed.ir:2
        const int i = t.at(0);
        for (int k = 0; k < p.K; k += 96) {  // transposed.ir:9
            const int ta_slot = ta_ring.put();
            ws::copy_in(ta_ring, s.ta[ta_slot], p.a, p.a_map, i, k);
            ta_ring.put_done();
            const int tb_slot = tb_ring.put();
            ws::copy_in(tb_ring, s.tb[tb_slot], p.b, p.b_map, k, 0);
            tb_ring.put_done();
        }
    }
}

static WS_DEVICE void transposed_consumer(const transposed_params &p, transposed_shared &s, int group)
{
    ws::consumer<2> ta_ring(s.ta_ring);
    ws::consumer<2> tb_transposed_ring(s.tb_transposed_ring);
    ws::warp_output c_out(s.c_out[group]);
    const long first_row = (long)group * 64;
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // transposed.ir:2
        const int i = t.at(0);
        auto acc = ws::full<float, 64, 64, ws::frag>(0);
        for (int k = 0; k < p.K; k += 96) {  // transposed.ir:9
            const int ta_slot = ta_ring.get();
            const auto ta = ws::read<ws::frag>(ws::window<64, 96>(s.ta[ta_slot], first_row, 0));
            ws::fence();
            ta_ring.consumed<0>();
            const int tb_transposed_slot = tb_transposed_ring.get();
            const auto tn = ws::neg(ta);
            ws::mma(acc, tn, ws::trans(ws::view(s.tb_transposed[tb_transposed_slot])));
            ws::commit();
            ws::wait<0>(acc);
            tb_transposed_ring.consumed<0>();
        }
        const long n = i + first_row;
        ws::store_wait<1>();
        const auto box = ws::stage<0>(c_out, acc);
        ws::fence();
        ws::store(c_out, p.c, p.c_map, n, 0, box);  // transposed.ir:16
        ws::store_wait<1>();
        const auto box_2 = ws::stage<1>(c_out, acc);
        ws::fence();
        ws::store(c_out, p.c, p.c_map, n, 0, box_2);  // transposed.ir:16
    }
    ws::store_wait<0>();
}

static WS_DEVICE void transposed_transposer(const transposed_params &p, transposed_shared &s, int group)
{
    ws::producer<2> tb_transposed_ring(s.tb_transposed_ring);
    ws::consumer<2> tb_ring(s.tb_ring);
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // transposed.ir:2
        const int i = t.at(0);
        for (int k = 0; k < p.K; k += 96) {  // transposed.ir:9
            const int tb_slot = tb_ring.get();
            const int tb_transposed_slot = tb_transposed_ring.put();
            ws::transpose(s.tb_transposed[tb_transposed_slot], ws::view(s.tb[tb_slot]));
            ws::fence();
            tb_ring.consumed<0>();
            ws::group_barrier();
            tb_transposed_ring.put_done();
        }
    }
}

static WS_KERNEL(512, 1) void transposed_kernel(WS_PARAMS(transposed_params) p)
{
    transposed_shared &s = ws::shared<transposed_shared>();
    if (ws::first_thread()) {
        s.ta_ring.init("ta_ring", 2);    // two groups release each slot
        s.tb_ring.init("tb_ring", 1);    // one group releases each slot
        s.tb_transposed_ring.init("tb_transposed_ring", 2);  // two groups release each slot
        ws::prefetch(p.a_map);
        ws::prefetch(p.b_map);
        ws::prefetch(p.c_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<40>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.a_map, p.b_map))
                transposed_producer<true>(p, s, 0);
            else
                transposed_producer<false>(p, s, 0);
        }
    } else if (ws::warp_group() < 3) {
        ws::registers_up<224>();
        transposed_consumer(p, s, ws::warp_group() - 1);
    } else {
        ws::registers_down<24>();
        transposed_transposer(p, s, 0);
    }
}

extern "C" void ws_launch_transposed(int M, int K, const void *A, const void *B, const void *C)
{
    ws::launch call("transposed");
    transposed_params p;
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.b, "b", B, {K, 64}, {64, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, 64}, {64, 1}, ws::stored);
    call.place();
    call.map(p.a_map, p.a, 128);
    call.map(p.b_map, p.b, 96);
    call.map(p.c_map, p.c, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 128}}, ws::order_auto, 0);
    call.run(transposed_kernel, p, 512, sizeof(transposed_shared), ws::persistent);
}
