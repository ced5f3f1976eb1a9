#include <wsrt.cuh>

// kept.ir:2: kept
struct kept_params {
    ws::tensor<ws::f16, 2> a;
    ws::tensor<ws::f16, 2> b;
    ws::tensor<ws::f16, 2> c;
    ws::edge_map a_map;                  // tiles of 64 rows, the last as it is
    ws::edge_map b_map;                  // tiles of 256 rows, the last as it is
    ws::map c_map;
    ws::grid<2> grid;
};

struct kept_shared {
    ws::shared_tile<ws::f16, 64, 64> ta[8];
    ws::shared_tile<ws::f16, 256, 64> tb[4];
    ws::output<ws::f16, 64, 2> c_out[2];  // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<8> ta_tb;
    ws::turns<2> turns;
    ws::dealer dealer;
};

template <bool ENGINE>
static WS_DEVICE void kept_producer(const kept_params &p, kept_shared &s, int group)
{
    ws::keeping<8, 4, 2, ENGINE> ta_tb(s.ta_tb);
    for (ws::dealing<2> t(p.grid, s.dealer); t.more(); t.next()) {  // kept.ir:2
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < 256; k += 64) {  // kept.ir:10
            const int slot = ta_tb.put();
            ws::copy_in(ta_tb, s.ta[slot], p.a, p.a_map, i, k);
            if (ta_tb.wants(j, k))
                ws::copy_in(ta_tb, s.tb[slot % 4], p.b, p.b_map, j, k);
            ta_tb.put_done();
        }
    }
}

static WS_DEVICE void kept_consumer(const kept_params &p, kept_shared &s, int group)
{
    ws::consumer<8> ta_tb(s.ta_tb);
    ws::outlet c_out(s.c_out[group]);
    s.turns.begin(group);
    for (ws::dealt<2> t(p.grid, s.dealer); t.more(); t.next()) {  // kept.ir:2
        const int i = t.at(0);
        const int j = t.at(1);
        if (t.ordinal() % 2 == group) {  // kept.ir:2
            auto acc = ws::full<float, 64, 256, ws::frag>(0);
            s.turns.take(group);
            for (int k = 0; k < 256; k += 64) {  // kept.ir:10
                const int slot = ta_tb.get();
                ws::mma(acc, ws::view(s.ta[slot]), ws::trans(ws::view(s.tb[slot % 4])));
                ws::commit();
                ws::wait<1>(acc);
                ta_tb.consumed<1>();
            }
            s.turns.pass(group);
            ws::wait<0>(acc);
            ta_tb.consumed<0>();
            WS_UNROLL
            for (int strip = 0; strip < 256; strip += 64) {  // kept.ir:18
                const auto half = ws::cast<ws::f16>(ws::columns<64>(acc, strip));
                const int column = j + strip;
                ws::store_wait<1>();
                const auto box = ws::stage(c_out, half);
                ws::fence();
                ws::store(c_out, p.c, p.c_map, i, column, box);  // kept.ir:18
            }
        } else {
            ta_tb.skip(4);
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void kept_kernel(WS_PARAMS(kept_params) p)
{
    kept_shared &s = ws::shared<kept_shared>();
    if (ws::first_thread()) {
        s.ta_tb.init("ta_tb", 1);        // one group releases each slot
        s.turns.init("turns");
        s.dealer.init("dealer", 2);
        ws::prefetch(p.a_map);
        ws::prefetch(p.b_map);
        ws::prefetch(p.c_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_engine(p.a_map, p.b_map))
                kept_producer<true>(p, s, 0);
            else
                kept_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        kept_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_kept(int M, int N, int K, const void *A, const void *B, const void *C)
{
    ws::launch call("kept");
    kept_params p;
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.b, "b", B, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.a_map, p.a, 64);
    call.map(p.b_map, p.b, 256);
    call.map(p.c_map, p.c, 64);
    call.grid(p.grid, {{0, M, 64}, {0, N, 256}}, ws::order_column, 0);
    call.deal(p.grid);
    call.run(kept_kernel, p, 384, sizeof(kept_shared), ws::persistent);
}
