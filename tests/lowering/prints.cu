#include <wsrt.cuh>

// prints.ir:2: prints
struct prints_params {
    ws::tensor<ws::f16, 2> a;
    ws::tensor<ws::f16, 2> b;
    ws::tensor<ws::f16, 2> c;
    ws::map a_map;                       // tiles of 128 rows
    ws::map b_map;                       // tiles of 256 rows
    ws::map b_map_1;                     // tiles of 1 rows
    ws::map c_map;
    int K;
    ws::grid<2> grid;
};

struct prints_shared {
    ws::shared_tile<ws::f16, 128, 64> ta[4];
    ws::shared_tile<ws::f16, 256, 64> tb[4];
    ws::shared_tile<ws::f16, 1, 64> top[4];
    ws::output<ws::f16, 64, 1> c_out[2];  // 64 rows, 1 block of 128 bytes; one for each group
    ws::ring<4> ta_tb_top;
    ws::role_barrier<2> role_barrier;
};
static_assert(offsetof(prints_shared, ta) == 0);
static_assert(offsetof(prints_shared, tb) == 65536);
static_assert(offsetof(prints_shared, top) == 196608);
static_assert(offsetof(prints_shared, c_out) == 200704);
static_assert(sizeof(prints_shared) == 218112);

template <bool TMA>
static WS_DEVICE void prints_producer(const prints_params &p, prints_shared &s, int group)
{
    ws::producer<4, TMA> ta_tb_top(s.ta_tb_top);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // prints.ir:2
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < p.K; k += 64) {  // prints.ir:10
            const int slot = ta_tb_top.put();
            ws::copy_in(ta_tb_top, s.ta[slot], p.a, p.a_map, i, k);
            ws::copy_in(ta_tb_top, s.tb[slot], p.b, p.b_map, j, k);
            ws::copy_in(ta_tb_top, s.top[slot], p.b, p.b_map_1, j, k);
            ta_tb_top.put_done();
        }
    }
}

static WS_DEVICE void prints_consumer(const prints_params &p, prints_shared &s, int group)
{
    ws::consumer<4> ta_tb_top(s.ta_tb_top);
    ws::warp_output c_out(s.c_out[group]);
    const long first_row = (long)group * 64;
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // prints.ir:2
        const int i = t.at(0);
        const int j = t.at(1);
        auto acc = ws::full<float, 64, 256, ws::frag>(0);
        for (int k = 0; k < p.K; k += 64) {  // prints.ir:10
            const int slot = ta_tb_top.get();
            const auto ta = ws::read<ws::frag>(ws::window<64, 64>(s.ta[slot], first_row, 0));
            const auto top = ws::read<ws::frag>(ws::view(s.top[slot]));
            ws::sync(s.role_barrier, group);
            ws::print_rows(s.role_barrier, group, "ta", ta);
            if (group == 0) {  // prints.ir:15
                ws::print("top", top);
            }
            ws::mma(acc, ws::window<64, 64>(s.ta[slot], first_row, 0), ws::trans(ws::view(s.tb[slot])));
            ws::commit();
            ws::wait<1>(acc);
            ws::fence();
            ta_tb_top.consumed<1>();
        }
        ws::wait<0>(acc);
        ws::fence();
        ta_tb_top.consumed<0>();
        ws::sync(s.role_barrier, group);
        ws::print_rows(s.role_barrier, group, "acc", acc);
        WS_UNROLL
        for (int subtile = 0; subtile < 256; subtile += 64) {  // prints.ir:22
            const auto half = ws::cast<ws::f16>(ws::columns<64>(acc, subtile));
            const int column = j + subtile;
            ws::store_wait<0>();
            const auto box = ws::stage(c_out, half);
            ws::fence();
            ws::store(c_out, p.c, p.c_map, i + first_row, column, box);  // prints.ir:22
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void prints_kernel(WS_PARAMS(prints_params) p)
{
    prints_shared &s = ws::shared<prints_shared>();
    if (ws::first_thread()) {
        s.ta_tb_top.init("ta_tb_top", 2);  // two groups release each slot
        s.role_barrier.init("role_barrier");
        ws::prefetch(p.a_map);
        ws::prefetch(p.b_map);
        ws::prefetch(p.b_map_1);
        ws::prefetch(p.c_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<40>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.a_map, p.b_map, p.b_map_1))
                prints_producer<true>(p, s, 0);
            else
                prints_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<232>();
        prints_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_prints(int M, int N, int K, const void *A, const void *B, const void *C)
{
    ws::launch call("prints");
    prints_params p;
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.b, "b", B, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.a_map, p.a, 128);
    call.map(p.b_map, p.b, 256);
    call.map(p.b_map_1, p.b, 1);
    call.map(p.c_map, p.c, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 128}, {0, N, 256}}, ws::order_auto, 0);
    call.run(prints_kernel, p, 384, sizeof(prints_shared), ws::persistent);
}
