#include <wsrt.cuh>

// prepared.ir:2: prepared
struct prepared_params {
    ws::tensor<ws::f16, 2> a;
    ws::tensor<signed char, 2> w;
    ws::tensor<float, 2> c;
    ws::tensor<float, 2> s;
    ws::edge_map a_map;                  // tiles of 128 rows, the last as it is
    ws::edge_map w_map_lines_64;         // tiles of 64 rows, the last as it is
    ws::map c_map;
    int K;
    ws::grid<2> grid;
};

struct prepared_shared {
    ws::shared_tile<ws::f16, 128, 64> ta[8];
    ws::shared_tile<ws::lined<signed char, 64>, 64, 64> tw[8];
    ws::shared_tile<ws::f16, 64, 64> halves[3];
    ws::output<float, 64, 2> c_out[2];   // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<8> ta_ring;
    ws::ring<8> tw_ring;
    ws::ring<3> halves_ring;
};
static_assert(offsetof(prepared_shared, ta) == 0);
static_assert(offsetof(prepared_shared, tw) == 131072);
static_assert(offsetof(prepared_shared, halves) == 163840);
static_assert(offsetof(prepared_shared, c_out) == 188416);
static_assert(sizeof(prepared_shared) == 222208);

template <bool TMA>
static WS_DEVICE void prepared_producer(const prepared_params &p, prepared_shared &s, int group)
{
    ws::producer<8, TMA> ta_ring(s.ta_ring);
    ws::producer<8, TMA> tw_ring(s.tw_ring);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // prepared.ir:2
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < p.K; k += 64) {  // prepared.ir:11
            const int ta_slot = ta_ring.put();
            ws::copy_in(ta_ring, s.ta[ta_slot], p.a, p.a_map, i, k);
            ta_ring.put_done();
            const int tw_slot = tw_ring.put();
            ws::copy_in(tw_ring, s.tw[tw_slot], p.w, p.w_map_lines_64, j, k);
            tw_ring.put_done();
        }
    }
}

static WS_DEVICE void prepared_consumer(const prepared_params &p, prepared_shared &s, int group)
{
    ws::consumer<8> ta_ring(s.ta_ring);
    ws::consumer<3> halves_ring(s.halves_ring);
    ws::warp_output c_out(s.c_out[group]);
    const long first_row = (long)group * 64;
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // prepared.ir:2
        const int i = t.at(0);
        const int j = t.at(1);
        auto acc = ws::full<float, 64, 64, ws::frag>(0);
        for (int k = 0; k < p.K; k += 64) {  // prepared.ir:11
            const int ta_slot = ta_ring.get();
            const int halves_slot = halves_ring.get();
            ws::mma(acc, ws::window<64, 64>(s.ta[ta_slot], first_row, 0), ws::trans(ws::view(s.halves[halves_slot])));
            ws::commit();
            ws::wait<0>(acc);
            halves_ring.consumed<0>();
            ta_ring.consumed<0>();
        }
        const long n = i + first_row;
        ws::store_wait<1>();
        const auto box = ws::stage<0>(c_out, acc);
        ws::fence();
        ws::store(c_out, p.c, p.c_map, n, j, box);  // prepared.ir:23
        ws::store_wait<1>();
        const auto box_2 = ws::stage<1>(c_out, acc);
        ws::fence();
        ws::store(c_out, p.c, p.c_map, n, j, box_2);  // prepared.ir:23
    }
    ws::store_wait<0>();
}

static WS_DEVICE void prepared_preparer(const prepared_params &p, prepared_shared &s, int group)
{
    ws::producer<3> halves_ring(s.halves_ring);
    ws::consumer<8> tw_ring(s.tw_ring);
    const long first_row = (long)group * 32;
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // prepared.ir:2
        const int i = t.at(0);
        const int j = t.at(1);
        const auto ws_held_1 = ws::hold_column<32, ws::lines_4>(p.s, j + first_row);
        auto ws_prefetch_1 = ws::load_prefetched<int>(0, p.K, 64, [&](const int k) {
            const int group_2 = k / 64;
            return ws_held_1.at(group_2);
        });
        for (int k = 0; k < p.K; k += 64) {  // prepared.ir:11
            const int tw_slot = tw_ring.get();
            const auto tw = ws::read<ws::lines_4>(ws::window<32, 64>(s.tw[tw_slot], first_row, 0));
            const int group_2 = k / 64;
            const auto ts = ws_prefetch_1.take(k);
            const auto wide = ws::cast<float>(tw);
            const auto scaled = ws::mul(wide, ts);
            const auto halves = ws::cast<ws::f16>(scaled);
            const int halves_slot = halves_ring.put();
            ws::put_rows(s.halves[halves_slot], halves, first_row);
            ws::fence();
            tw_ring.consumed<0>();
            ws::group_barrier();
            halves_ring.put_done();
        }
    }
}

static WS_KERNEL(640, 1) void prepared_kernel(WS_PARAMS(prepared_params) p)
{
    prepared_shared &s = ws::shared<prepared_shared>();
    if (ws::first_thread()) {
        s.ta_ring.init("ta_ring", 2);    // two groups release each slot
        s.tw_ring.init("tw_ring", 2);    // two groups release each slot
        s.halves_ring.init("halves_ring", 2, 2);  // two groups fill, two groups release each slot
        ws::prefetch(p.a_map);
        ws::prefetch(p.w_map_lines_64);
        ws::prefetch(p.c_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<40>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.a_map, p.w_map_lines_64))
                prepared_producer<true>(p, s, 0);
            else
                prepared_producer<false>(p, s, 0);
        }
    } else if (ws::warp_group() < 3) {
        ws::registers_up<120>();
        prepared_consumer(p, s, ws::warp_group() - 1);
    } else {
        ws::registers_down<96>();
        prepared_preparer(p, s, ws::warp_group() - 3);
    }
}

extern "C" void ws_launch_prepared(int M, int N, int K, const void *A, const void *W, const void *S, const void *C)
{
    ws::launch call("prepared");
    prepared_params p;
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.w, "w", W, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.tensor(p.s, "s", S, {K, N}, {N, 1}, ws::loaded);
    call.place();
    call.map(p.a_map, p.a, 128);
    call.map<ws::lined<signed char, 64>>(p.w_map_lines_64, p.w, 64);
    call.map(p.c_map, p.c, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 128}, {0, N, 64}}, ws::order_auto, 0);
    call.run(prepared_kernel, p, 640, sizeof(prepared_shared), ws::persistent);
}
