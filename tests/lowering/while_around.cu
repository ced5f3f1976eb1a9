#include <wsrt.cuh>

// while_around.ir:2: while_around
struct while_around_params {
    ws::tensor<ws::f16, 2> a;
    ws::tensor<ws::f16, 2> b;
    ws::tensor<int, 1> pieces;
    ws::tensor<float, 2> c;
    ws::edge_map a_map;                  // tiles of 64 rows, the last as it is
    ws::map b_map;                       // tiles of 64 rows
    ws::map c_map;
    int K;
    ws::grid<1> grid;
};

struct while_around_shared {
    ws::shared_tile<ws::f16, 64, 64> ta[2];
    ws::shared_tile<ws::f16, 64, 64> tb[2];
    ws::output<float, 64, 2> c_out;      // 64 rows, 2 blocks of 128 bytes
    ws::ring<2> ta_tb;
};
static_assert(offsetof(while_around_shared, ta) == 0);
static_assert(offsetof(while_around_shared, tb) == 16384);
static_assert(offsetof(while_around_shared, c_out) == 32768);
static_assert(sizeof(while_around_shared) == 50176);

template <bool TMA>
static WS_DEVICE void while_around_producer(const while_around_params &p, while_around_shared &s, int group)
{
    ws::producer<2, TMA> ta_tb(s.ta_tb);
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // while_around.ir:2
        const int i = t.at(0);
        const long wide = p.K;
        long piece = 0;
        long begin = 0;
        for (;;) {  // while_around.ir:11
            const bool more = begin < wide;
            if (!more)
                break;
            const long end = ws::fixed_at(p.pieces, piece);
            for (long k = begin; k < end; k += 64) {  // while_around.ir:16
                const int slot = ta_tb.put();
                ws::copy_in(ta_tb, s.ta[slot], p.a, p.a_map, i, k);
                ws::copy_in(ta_tb, s.tb[slot], p.b, p.b_map, 0, k);
                ta_tb.put_done();
            }
            piece = piece + 1;
            begin = end;
        }
    }
}

static WS_DEVICE void while_around_consumer(const while_around_params &p, while_around_shared &s, int group)
{
    ws::consumer<2> ta_tb(s.ta_tb);
    ws::warp_output c_out(s.c_out);
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // while_around.ir:2
        const int i = t.at(0);
        auto acc = ws::full<float, 64, 64, ws::frag>(0);
        const long wide = p.K;
        long piece = 0;
        long begin = 0;
        for (;;) {  // while_around.ir:11
            const bool more = begin < wide;
            if (!more)
                break;
            const long end = ws::fixed_at(p.pieces, piece);
            ws::wait<0>(acc);
            for (long k = begin; k < end; k += 64) {  // while_around.ir:16
                const int slot = ta_tb.get();
                ws::mma(acc, ws::view(s.ta[slot]), ws::trans(ws::view(s.tb[slot])));
                ws::commit();
                ws::wait<1>(acc);
                ta_tb.consumed<1>();
            }
            ws::wait<0>(acc);
            ta_tb.consumed<0>();
            piece = piece + 1;
            begin = end;
        }
        ws::store_wait<1>();
        const auto box = ws::stage<0>(c_out, acc);
        ws::fence();
        ws::store(c_out, p.c, p.c_map, i, 0, box);  // while_around.ir:26
        ws::store_wait<1>();
        const auto box_2 = ws::stage<1>(c_out, acc);
        ws::fence();
        ws::store(c_out, p.c, p.c_map, i, 0, box_2);  // while_around.ir:26
    }
    ws::store_wait<0>();
}

static WS_KERNEL(256, 1) void while_around_kernel(WS_PARAMS(while_around_params) p)
{
    while_around_shared &s = ws::shared<while_around_shared>();
    if (ws::first_thread()) {
        s.ta_tb.init("ta_tb", 1);        // one group releases each slot
        ws::prefetch(p.a_map);
        ws::prefetch(p.b_map);
        ws::prefetch(p.c_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        if (ws::first_warp()) {
            if (ws::by_tma(p.a_map, p.b_map))
                while_around_producer<true>(p, s, 0);
            else
                while_around_producer<false>(p, s, 0);
        }
    } else {
        while_around_consumer(p, s, 0);
    }
}

extern "C" void ws_launch_while_around(int M, int K, const void *P, const void *A, const void *B, const void *C)
{
    ws::launch call("while_around");
    while_around_params p;
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.b, "b", B, {64, K}, {K, 1}, ws::loaded);
    call.tensor(p.pieces, "pieces", P, {64}, {1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, 64}, {64, 1}, ws::stored);
    call.place();
    call.map(p.a_map, p.a, 64);
    call.map(p.b_map, p.b, 64);
    call.map(p.c_map, p.c, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 64}}, ws::order_auto, 0);
    call.run(while_around_kernel, p, 256, sizeof(while_around_shared), ws::persistent);
}
