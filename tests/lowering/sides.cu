#include <wsrt.cuh>

// sides.ir:2: sides
struct sides_params {
    ws::tensor<ws::f16, 2> a;
    ws::tensor<signed char, 2> w;
    ws::tensor<float, 1> s;
    ws::tensor<ws::f16, 2> c;
    ws::edge_map w_map_lines_64;         // tiles of 128 rows, the last as it is
    ws::edge_map a_map;                  // tiles of 256 rows, the last as it is
    ws::map c_map;
    int K;
    ws::grid<2> grid;
};

struct sides_shared {
    ws::shared_tile<ws::lined<signed char, 64>, 128, 64> tw[5];
    ws::shared_tile<ws::f16, 256, 64> ta[5];
    ws::output<ws::f16, 64, 1> c_out[2];  // 64 rows, 1 block of 128 bytes; one for each group
    ws::ring<5> tw_ring;
    ws::ring<5> ta_ring;
    ws::pingpong<2> pingpong;
};
static_assert(offsetof(sides_shared, tw) == 0);
static_assert(offsetof(sides_shared, ta) == 40960);
static_assert(offsetof(sides_shared, c_out) == 204800);
static_assert(sizeof(sides_shared) == 222208);

template <bool TMA>
static WS_DEVICE void sides_producer(const sides_params &p, sides_shared &s, int group)
{
    ws::producer<5, TMA> tw_ring(s.tw_ring);
    ws::producer<5, TMA> ta_ring(s.ta_ring);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // sides.ir:2
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < p.K; k += 64) {  // sides.ir:11
            const int tw_slot = tw_ring.put();
            ws::copy_in(tw_ring, s.tw[tw_slot], p.w, p.w_map_lines_64, j, k);
            tw_ring.put_done();
            const int ta_slot = ta_ring.put();
            ws::copy_in(ta_ring, s.ta[ta_slot], p.a, p.a_map, i, k);
            ta_ring.put_done();
        }
    }
}

static WS_DEVICE void sides_consumer(const sides_params &p, sides_shared &s, int group)
{
    ws::consumer<5> tw_ring(s.tw_ring);
    ws::consumer<5> ta_ring(s.ta_ring);
    ws::warp_output c_out(s.c_out[group]);
    s.pingpong.begin(group);
    const long first_row = (long)group * 64;
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // sides.ir:2
        const int i = t.at(0);
        const int j = t.at(1);
        auto acc = ws::full<float, 64, 256, ws::frag>(0);
        for (int k = 0; k < p.K; k += 64) {  // sides.ir:11
            const int tw_slot = tw_ring.get();
            const auto tw = ws::read<ws::frag>(ws::window<64, 64>(s.tw[tw_slot], first_row, 0));
            ws::fence();
            tw_ring.consumed<0>();
            const auto halves = ws::cast<ws::f16>(tw);
            const int ta_slot = ta_ring.get();
            s.pingpong.take(group);
            ws::mma(acc, halves, ws::trans(ws::view(s.ta[ta_slot])));
            ws::commit();
            s.pingpong.pass(group);
            ws::wait<0>(acc);
            ta_ring.consumed<0>();
        }
        const long n = j + first_row;
        const auto ts = ws::load_col<64, ws::frag>(p.s, n);
        WS_UNROLL
        for (int subtile = 0; subtile < 256; subtile += 64) {  // sides.ir:22
            const auto scaled = ws::mul(ws::columns<64>(acc, subtile), ts);
            const auto short_2 = ws::cast<ws::f16>(scaled);
            const auto x = ws::transposed(short_2);
            const int column = i + subtile;
            ws::store_wait<0>();
            const auto box = ws::stage(c_out, x);
            ws::fence();
            ws::store(c_out, p.c, p.c_map, column, n, box);  // sides.ir:22
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void sides_kernel(WS_PARAMS(sides_params) p)
{
    sides_shared &s = ws::shared<sides_shared>();
    if (ws::first_thread()) {
        s.tw_ring.init("tw_ring", 2);    // two groups release each slot
        s.ta_ring.init("ta_ring", 2);    // two groups release each slot
        s.pingpong.init("pingpong");
        ws::prefetch(p.w_map_lines_64);
        ws::prefetch(p.a_map);
        ws::prefetch(p.c_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<40>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.w_map_lines_64, p.a_map))
                sides_producer<true>(p, s, 0);
            else
                sides_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<232>();
        sides_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_sides(int M, int N, int K, const void *A, const void *W, const void *S, const void *C)
{
    ws::launch call("sides");
    sides_params p;
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.w, "w", W, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.s, "s", S, {N}, {1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map<ws::lined<signed char, 64>>(p.w_map_lines_64, p.w, 128);
    call.map(p.a_map, p.a, 256);
    call.map(p.c_map, p.c, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 256}, {0, N, 128}}, ws::order_auto, 0);
    call.run(sides_kernel, p, 384, sizeof(sides_shared), ws::persistent);
}
