#include <wsrt.cuh>

// turned_store.ir:2: turned_store
struct turned_store_params {
    ws::tensor<ws::f16, 2> a;
    ws::tensor<ws::f16, 2> w;
    ws::tensor<float, 1> s;
    ws::tensor<ws::f16, 2> c;
    ws::edge_map a_map;                  // tiles of 192 rows, the last as it is
    ws::edge_map w_map;                  // tiles of 128 rows, the last as it is
    ws::map c_map;
    int K;
    ws::grid<2> grid;
};

struct turned_store_shared {
    ws::shared_tile<ws::f16, 192, 64> ta[3];
    ws::shared_tile<ws::f16, 128, 64> tw[3];
    ws::output<ws::f16, 64, 3> c_out[2];  // 64 rows, 3 blocks of 128 bytes; one for each group
    ws::ring<3> ta_tw;
};
static_assert(offsetof(turned_store_shared, ta) == 0);
static_assert(offsetof(turned_store_shared, tw) == 73728);
static_assert(offsetof(turned_store_shared, c_out) == 122880);
static_assert(sizeof(turned_store_shared) == 173056);

template <bool TMA>
static WS_DEVICE void turned_store_producer(const turned_store_params &p, turned_store_shared &s, int group)
{
    ws::producer<3, TMA> ta_tw(s.ta_tw);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // turned_store.ir:2
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < p.K; k += 64) {  // turned_store.ir:11
            const int slot = ta_tw.put();
            ws::copy_in(ta_tw, s.ta[slot], p.a, p.a_map, i, k);
            ws::copy_in(ta_tw, s.tw[slot], p.w, p.w_map, j, k);
            ta_tw.put_done();
        }
    }
}

static WS_DEVICE void turned_store_consumer(const turned_store_params &p, turned_store_shared &s, int group)
{
    ws::consumer<3> ta_tw(s.ta_tw);
    ws::warp_output c_out(s.c_out[group]);
    const long first_row = (long)group * 64;
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // turned_store.ir:2
        const int i = t.at(0);
        const int j = t.at(1);
        auto acc = ws::full<float, 64, 192, ws::frag>(0);
        for (int k = 0; k < p.K; k += 64) {  // turned_store.ir:11
            const int slot = ta_tw.get();
            ws::mma(acc, ws::window<64, 64>(s.tw[slot], first_row, 0), ws::trans(ws::view(s.ta[slot])));
            ws::commit();
            ws::wait<1>(acc);
            ta_tw.consumed<1>();
        }
        ws::wait<0>(acc);
        ta_tw.consumed<0>();
        const long n = j + first_row;
        const auto ts = ws::load_col<64, ws::frag>(p.s, n);
        WS_UNROLL
        for (int subtile = 0; subtile < 192; subtile += 64) {  // turned_store.ir:22
            const auto scaled = ws::mul(ws::columns<64>(acc, subtile), ts);
            const auto halves = ws::cast<ws::f16>(scaled);
            const auto out = ws::transposed(halves);
            const int column = i + subtile;
            ws::store_wait<2>();
            const auto box = ws::stage(c_out, out);
            ws::fence();
            ws::store(c_out, p.c, p.c_map, column, n, box);  // turned_store.ir:22
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void turned_store_kernel(WS_PARAMS(turned_store_params) p)
{
    turned_store_shared &s = ws::shared<turned_store_shared>();
    if (ws::first_thread()) {
        s.ta_tw.init("ta_tw", 2);        // two groups release each slot
        ws::prefetch(p.a_map);
        ws::prefetch(p.w_map);
        ws::prefetch(p.c_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.a_map, p.w_map))
                turned_store_producer<true>(p, s, 0);
            else
                turned_store_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        turned_store_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_turned_store(int M, int N, int K, const void *A, const void *W, const void *S, const void *C)
{
    ws::launch call("turned_store");
    turned_store_params p;
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.w, "w", W, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.s, "s", S, {N}, {1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.a_map, p.a, 192);
    call.map(p.w_map, p.w, 128);
    call.map(p.c_map, p.c, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 192}, {0, N, 128}}, ws::order_auto, 0);
    call.run(turned_store_kernel, p, 384, sizeof(turned_store_shared), ws::persistent);
}
