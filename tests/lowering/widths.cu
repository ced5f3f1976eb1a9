#include <wsrt.cuh>

// widths.ir:2: widths
struct widths_params {
    ws::tensor<ws::f16, 2> a;
    ws::tensor<ws::f16, 2> b;
    ws::tensor<int, 1> ends;
    ws::tensor<ws::f16, 2> c;
    ws::edge_map a_map;                  // tiles of 128 rows, the last as it is
    ws::edge_map b_map;                  // tiles of 256 rows, the last as it is
    ws::map c_map;
    int K;
    ws::grid<2> grid;
};

struct widths_shared {
    ws::shared_tile<ws::f16, 128, 64> ta[4];
    ws::shared_tile<ws::f16, 256, 64> tb[4];
    ws::output<ws::f16, 64, 2> c_out[2];  // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<4> ta_tb;
};
static_assert(offsetof(widths_shared, ta) == 0);
static_assert(offsetof(widths_shared, tb) == 65536);
static_assert(offsetof(widths_shared, c_out) == 196608);
static_assert(sizeof(widths_shared) == 230400);

template <bool TMA>
static WS_DEVICE void widths_producer(const widths_params &p, widths_shared &s, int group)
{
    ws::producer<4, TMA> ta_tb(s.ta_tb);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // widths.ir:2
        const int i = t.at(0);
        const int t_2 = t.at(1);
        const long first = ws::fixed_at(p.ends, t_2);
        const int j = first;
        for (int k = 0; k < p.K; k += 64) {  // widths.ir:15
            const int slot = ta_tb.put();
            ws::copy_in(ta_tb, s.ta[slot], p.a, p.a_map, i, k);
            ws::copy_in(ta_tb, s.tb[slot], p.b, p.b_map, j, k);
            ta_tb.put_done();
        }
    }
}

static WS_DEVICE void widths_consumer(const widths_params &p, widths_shared &s, int group)
{
    ws::consumer<4> ta_tb(s.ta_tb);
    ws::warp_output c_out(s.c_out[group]);
    const long first_row = (long)group * 64;
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // widths.ir:2
        const int i = t.at(0);
        const int t_2 = t.at(1);
        const long first = ws::fixed_at(p.ends, t_2);
        const int j = first;
        const int next = t_2 + 1;
        const long last = ws::fixed_at(p.ends, next);
        auto acc = ws::full<float, 64, 256, ws::frag>(0);
        const long seen = ws::min(last - (long)j, 256l);
        ws::narrowed(acc, seen, [&](auto width) {
            for (int k = 0; k < p.K; k += 64) {  // widths.ir:15
                const int slot = ta_tb.get();
                ws::mma(acc, ws::window<64, 64>(s.ta[slot], first_row, 0), ws::trans(ws::view(s.tb[slot])), width);
                ws::commit();
                ws::wait<1>(acc);
                ta_tb.consumed<1>();
            }
            ws::wait<0>(acc);
        });
        ta_tb.consumed<0>();
        const auto out = ws::slice<1>(p.c, 0, last);
        WS_UNROLL
        for (int subtile = 0; subtile < 256; subtile += 64) {  // widths.ir:24
            const auto half = ws::cast<ws::f16>(ws::columns<64>(acc, subtile));
            const int column = j + subtile;
            ws::store_wait<1>();
            const auto box = ws::stage(c_out, half);
            ws::fence();
            ws::store(c_out, out, p.c_map, i + first_row, column, box);  // widths.ir:24
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void widths_kernel(WS_PARAMS(widths_params) p)
{
    widths_shared &s = ws::shared<widths_shared>();
    if (ws::first_thread()) {
        s.ta_tb.init("ta_tb", 2);        // two groups release each slot
        ws::prefetch(p.a_map);
        ws::prefetch(p.b_map);
        ws::prefetch(p.c_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<40>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.a_map, p.b_map))
                widths_producer<true>(p, s, 0);
            else
                widths_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<232>();
        widths_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_widths(int M, int N, int K, int tiles, const void *A, const void *B, const void *C,
                                 const void *E)
{
    ws::launch call("widths");
    widths_params p;
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.b, "b", B, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.ends, "ends", E, {tiles}, {1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.a_map, p.a, 128);
    call.map(p.b_map, p.b, 256);
    call.map(p.c_map, p.c, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 128}, {0, tiles, 1}}, ws::order_auto, 0);
    call.run(widths_kernel, p, 384, sizeof(widths_shared), ws::persistent);
}
