#include <wsrt.cuh>

// rounded.ir:2: rounded
struct rounded_params {
    ws::tensor<float, 2> a;
    ws::tensor<float, 2> b;
    ws::tensor<float, 2> c;
    ws::tensor<float, 2> s;
    ws::edge_map a_map;                  // tiles of 64 rows, the last as it is
    ws::map b_map_tf32;                  // tiles of 64 rows
    ws::map c_map;
    int K;
    ws::grid<1> grid;
};

struct rounded_shared {
    ws::shared_tile<float, 64, 32> ta[2];
    ws::shared_tile<ws::tf32, 64, 32> tb[2];
    ws::shared_tile<ws::tf32, 64, 32> ta_staged;
    ws::output<float, 64, 2> c_out;      // 64 rows, 2 blocks of 128 bytes
    ws::ring<2> ta_tb;
};
static_assert(offsetof(rounded_shared, ta) == 0);
static_assert(offsetof(rounded_shared, tb) == 16384);
static_assert(offsetof(rounded_shared, ta_staged) == 32768);
static_assert(offsetof(rounded_shared, c_out) == 40960);
static_assert(sizeof(rounded_shared) == 58368);

template <bool TMA>
static WS_DEVICE void rounded_producer(const rounded_params &p, rounded_shared &s, int group)
{
    ws::producer<2, TMA> ta_tb(s.ta_tb);
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // rounded.ir:2
        const int i = t.at(0);
        for (int k = 0; k < p.K; k += 32) {  // rounded.ir:11
            const int slot = ta_tb.put();
            ws::copy_in(ta_tb, s.ta[slot], p.a, p.a_map, i, k);
            ws::copy_in(ta_tb, s.tb[slot], p.b, p.b_map_tf32, 0, k);
            ta_tb.put_done();
        }
    }
}

static WS_DEVICE void rounded_consumer(const rounded_params &p, rounded_shared &s, int group)
{
    ws::consumer<2> ta_tb(s.ta_tb);
    ws::warp_output c_out(s.c_out);
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // rounded.ir:2
        const int i = t.at(0);
        auto acc = ws::full<float, 64, 64, ws::frag>(0);
        auto sum = ws::full<float, 64, 1, ws::frag>(0);
        for (int k = 0; k < p.K; k += 32) {  // rounded.ir:11
            const int slot = ta_tb.get();
            const auto ta = ws::read<ws::frag>(ws::view(s.ta[slot]));
            ws::wait<0>();
            ws::group_barrier();
            const auto ta_staged_view = ws::stage(s.ta_staged, ws::view(s.ta[slot]));
            ws::fence();
            ws::group_barrier();
            ws::mma(acc, ta_staged_view, ws::trans(ws::view(s.tb[slot])));
            ws::commit();
            const auto part = ws::row_part(ta);
            sum = ws::add(sum, part);
            ws::computed(sum);
            ws::wait<1>(acc);
            ws::fence();
            ta_tb.consumed<1>();
        }
        ws::wait<0>(acc);
        ws::fence();
        ta_tb.consumed<0>();
        sum = ws::row_total(sum);
        ws::store_wait<1>();
        const auto box = ws::stage<0>(c_out, acc);
        ws::fence();
        ws::store(c_out, p.c, p.c_map, i, 0, box);  // rounded.ir:20
        ws::store_wait<1>();
        const auto box_2 = ws::stage<1>(c_out, acc);
        ws::fence();
        ws::store(c_out, p.c, p.c_map, i, 0, box_2);  // rounded.ir:20
        ws::store(p.s, i, 0, sum);  // rounded.ir:21
    }
    ws::store_wait<0>();
}

static WS_KERNEL(256, 1) void rounded_kernel(WS_PARAMS(rounded_params) p)
{
    rounded_shared &s = ws::shared<rounded_shared>();
    if (ws::first_thread()) {
        s.ta_tb.init("ta_tb", 1);        // one group releases each slot
        ws::prefetch(p.a_map);
        ws::prefetch(p.b_map_tf32);
        ws::prefetch(p.c_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        if (ws::first_warp()) {
            if (ws::by_tma(p.a_map, p.b_map_tf32))
                rounded_producer<true>(p, s, 0);
            else
                rounded_producer<false>(p, s, 0);
        }
    } else {
        rounded_consumer(p, s, 0);
    }
}

extern "C" void ws_launch_rounded(int M, int K, const void *A, const void *B, const void *C, const void *S)
{
    ws::launch call("rounded");
    rounded_params p;
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.b, "b", B, {64, K}, {K, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, 64}, {64, 1}, ws::stored);
    call.tensor(p.s, "s", S, {M, 1}, {1, 1}, ws::stored);
    call.place();
    call.map(p.a_map, p.a, 64);
    call.map<ws::tf32>(p.b_map_tf32, p.b, 64);
    call.map(p.c_map, p.c, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 64}}, ws::order_auto, 0);
    call.run(rounded_kernel, p, 256, sizeof(rounded_shared), ws::persistent);
}
