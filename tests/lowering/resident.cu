#include <wsrt.cuh>

// resident.ir:2: resident
struct resident_params {
    ws::tensor<ws::f16, 2> a;
    ws::tensor<ws::f16, 2> b;
    ws::tensor<ws::f16, 2> c;
    ws::edge_map a_map;                  // tiles of 64 rows, the last as it is
    ws::edge_map b_map;                  // tiles of 256 rows, the last as it is
    ws::map c_map;
    ws::grid<2> grid;
};

struct resident_shared {
    ws::shared_tile<ws::f16, 64, 64> ta[8];
    ws::shared_tile<ws::f16, 256, 64> tb[4];
    ws::output<ws::f16, 64, 2> c_out[2];  // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<8> ta_tb;
    ws::pingpong<2> pingpong;
    ws::tile_scheduler scheduler;
};
static_assert(offsetof(resident_shared, ta) == 0);
static_assert(offsetof(resident_shared, tb) == 65536);
static_assert(offsetof(resident_shared, c_out) == 196608);
static_assert(sizeof(resident_shared) == 230400);

template <bool TMA>
static WS_DEVICE void resident_producer(const resident_params &p, resident_shared &s, int group)
{
    ws::resident_producer<8, 4, 2, TMA> ta_tb(s.ta_tb);
    for (ws::scheduling_tiles<2> t(p.grid, s.scheduler); t.more(); t.next()) {  // resident.ir:2
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < 256; k += 64) {  // resident.ir:10
            const int slot = ta_tb.put();
            ws::copy_in(ta_tb, s.ta[slot], p.a, p.a_map, i, k);
            if (ta_tb.wants(j, k))
                ws::copy_in(ta_tb, s.tb[slot % 4], p.b, p.b_map, j, k);
            ta_tb.put_done();
        }
    }
}

static WS_DEVICE void resident_consumer(const resident_params &p, resident_shared &s, int group)
{
    ws::consumer<8> ta_tb(s.ta_tb);
    ws::warp_output c_out(s.c_out[group]);
    s.pingpong.begin(group);
    for (ws::dynamic_tiles<2> t(p.grid, s.scheduler); t.more(); t.next()) {  // resident.ir:2
        const int i = t.at(0);
        const int j = t.at(1);
        if (t.ordinal() % 2 == group) {  // resident.ir:2
            auto acc = ws::full<float, 64, 256, ws::frag>(0);
            s.pingpong.take(group);
            for (int k = 0; k < 256; k += 64) {  // resident.ir:10
                const int slot = ta_tb.get();
                ws::mma(acc, ws::view(s.ta[slot]), ws::trans(ws::view(s.tb[slot % 4])));
                ws::commit();
                ws::wait<1>(acc);
                ta_tb.consumed<1>();
            }
            s.pingpong.pass(group);
            ws::wait<0>(acc);
            ta_tb.consumed<0>();
            WS_UNROLL
            for (int subtile = 0; subtile < 256; subtile += 64) {  // resident.ir:18
                const auto half = ws::cast<ws::f16>(ws::columns<64>(acc, subtile));
                const int column = j + subtile;
                ws::store_wait<1>();
                const auto box = ws::stage(c_out, half);
                ws::fence();
                ws::store(c_out, p.c, p.c_map, i, column, box);  // resident.ir:18
            }
        } else {
            ta_tb.skip(4);
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void resident_kernel(WS_PARAMS(resident_params) p)
{
    resident_shared &s = ws::shared<resident_shared>();
    if (ws::first_thread()) {
        s.ta_tb.init("ta_tb", 1);        // one group releases each slot
        s.pingpong.init("pingpong");
        s.scheduler.init("scheduler", 2);
        ws::prefetch(p.a_map);
        ws::prefetch(p.b_map);
        ws::prefetch(p.c_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.a_map, p.b_map))
                resident_producer<true>(p, s, 0);
            else
                resident_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        resident_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_resident(int M, int N, int K, const void *A, const void *B, const void *C)
{
    ws::launch call("resident");
    resident_params p;
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.b, "b", B, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.a_map, p.a, 64);
    call.map(p.b_map, p.b, 256);
    call.map(p.c_map, p.c, 64);
    call.grid(p.grid, {{0, M, 64}, {0, N, 256}}, ws::order_column, 0);
    call.schedule(p.grid);
    call.run(resident_kernel, p, 384, sizeof(resident_shared), ws::persistent);
}
