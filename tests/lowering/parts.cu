#include <wsrt.cuh>

// parts.ir:2: parts
typedef ws::cluster<1, 4> parts_cluster;  // blocks side by side, which sum the parts of a tile

struct parts_params {
    ws::tensor<ws::f16, 2> a;
    ws::tensor<ws::f16, 2> b;
    ws::tensor<ws::f16, 2> c;
    ws::tensor<float, 1> v;
    ws::edge_map a_map;                  // tiles of 128 rows, the last as it is
    ws::edge_map b_map;                  // tiles of 128 rows, the last as it is
    ws::map c_map;
    int K;
    ws::grid<3, parts_cluster> grid;
};

struct parts_shared {
    ws::shared_tile<ws::f16, 128, 64> ta[3];
    ws::shared_tile<ws::f16, 128, 64> tb[3];
    ws::parts<float, 4, 64, 128> sum_parts[2];
    ws::output<ws::f16, 64, 1> c_out[2];  // 64 rows, 1 block of 128 bytes; one for each group
    ws::ring<3> ta_tb;
};
static_assert(offsetof(parts_shared, ta) == 0);
static_assert(offsetof(parts_shared, tb) == 49152);
static_assert(offsetof(parts_shared, sum_parts) == 98304);
static_assert(offsetof(parts_shared, c_out) == 164864);
static_assert(sizeof(parts_shared) == 182272);

template <bool TMA>
static WS_DEVICE void parts_producer(const parts_params &p, parts_shared &s, int group)
{
    ws::producer<3, TMA> ta_tb(s.ta_tb);
    for (ws::tiles<3, parts_cluster> t(p.grid); t.more(); t.next()) {  // parts.ir:2
        const int i = t.at(0);
        const int j = t.at(1);
        const int s_2 = t.at(2);
        const int first = s_2 * 64;
        for (int k = first; k < p.K; k += 256) {  // parts.ir:14
            const int slot = ta_tb.put();
            ws::copy_in(ta_tb, s.ta[slot], p.a, p.a_map, i, k);
            ws::copy_in(ta_tb, s.tb[slot], p.b, p.b_map, j, k);
            ta_tb.put_done();
        }
    }
}

static WS_DEVICE void parts_consumer(const parts_params &p, parts_shared &s, int group)
{
    ws::consumer<3> ta_tb(s.ta_tb);
    ws::warp_output c_out(s.c_out[group]);
    ws::part_sum<parts_cluster> sum_parts(s.sum_parts[group]);
    const long first_row = (long)group * 64;
    for (ws::tiles<3, parts_cluster> t(p.grid); t.more(); t.next()) {  // parts.ir:2
        const int i = t.at(0);
        const int j = t.at(1);
        const int s_2 = t.at(2);
        const int first = s_2 * 64;
        auto part = ws::full<float, 64, 128, ws::frag>(0);
        for (int k = first; k < p.K; k += 256) {  // parts.ir:14
            const int slot = ta_tb.get();
            ws::mma(part, ws::window<64, 64>(s.ta[slot], first_row, 0), ws::trans(ws::view(s.tb[slot])));
            ws::commit();
            ws::wait<1>(part);
            ta_tb.consumed<1>();
        }
        ws::wait<0>(part);
        ta_tb.consumed<0>();
        const auto sum = ws::sum_parts(sum_parts, part, 0);
        const long n = j + (long)s_2 * 32;
        const auto row = ws::load_row<32, ws::frag>(p.v, n);
        const auto y = ws::add(sum, row);
        const auto x = ws::cast<ws::f16>(y);
        ws::store_wait<0>();
        const auto box = ws::stage(c_out, x);
        ws::fence();
        if (t.inside())
            ws::store(c_out, p.c, p.c_map, i + first_row, n, box);  // parts.ir:27
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void parts_kernel(WS_PARAMS(parts_params) p)
{
    parts_shared &s = ws::shared<parts_shared>();
    if (ws::first_thread()) {
        s.ta_tb.init("ta_tb", 2);        // two groups release each slot
        s.sum_parts[0].init("sum_parts");
        s.sum_parts[1].init("sum_parts");
        ws::prefetch(p.a_map);
        ws::prefetch(p.b_map);
        ws::prefetch(p.c_map);
    }
    ws::start<parts_cluster>();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.a_map, p.b_map))
                parts_producer<true>(p, s, 0);
            else
                parts_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        parts_consumer(p, s, ws::warp_group() - 1);
    }
    ws::finish<parts_cluster>();
}

extern "C" void ws_launch_parts(int M, int N, int K, const void *A, const void *B, const void *C, const void *V)
{
    ws::launch call("parts");
    parts_params p;
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.b, "b", B, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.tensor(p.v, "v", V, {N}, {1}, ws::loaded);
    call.place();
    call.map(p.a_map, p.a, 128);
    call.map(p.b_map, p.b, 128);
    call.map(p.c_map, p.c, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 128}, {0, N, 128}, {0, 4, 1}}, ws::order_auto, 0);
    call.run(parts_kernel, p, 384, sizeof(parts_shared), ws::persistent, parts_cluster::size);
}
