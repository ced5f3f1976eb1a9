#include <wsrt.cuh>

// pairs.ir:3: pairs
struct pairs_params {
    ws::tensor<ws::bf16, 2> a;
    ws::tensor<ws::bf16, 2> b;
    ws::tensor<ws::bf16, 2> c;
    ws::tensor<ws::bf16, 2> bt;
    ws::tensor<ws::bf16, 2> ct;
    ws::tensor<ws::bf16, 2> e;
    ws::edge_map a_map;                  // tiles of 64 rows, the last as it is
    ws::edge_map b_map;                  // tiles of 64 rows, the last as it is
    ws::edge_map c_map;                  // tiles of 64 rows, the last as it is
    ws::map bt_map;                      // tiles of 32 rows
    ws::map ct_map;                      // tiles of 32 rows
    ws::map e_map;
    int K;
    ws::grid<2> grid;
};

struct pairs_shared {
    ws::shared_tile<ws::bf16, 64, 64> ta[2];
    struct {
        ws::shared_tile<ws::bf16, 64, 64> tb;
        ws::shared_tile<ws::bf16, 64, 64> tc;
    } tb_and_tc[2];                      // side by side: one operand of a wide product
    ws::shared_tile<ws::bf16, 64, 32> ta2[2];
    struct {
        ws::shared_tile<ws::bf16, 32, 64> ub;
        ws::shared_tile<ws::bf16, 32, 64> uc;
    } ub_and_uc[2];                      // side by side: one operand of a wide product
    ws::shared_tile<ws::bf16, 64, 32> ta3[2];
    ws::shared_tile<ws::bf16, 32, 64> wb[2];
    ws::shared_tile<ws::bf16, 32, 64> wc[2];
    ws::output<ws::bf16, 64, 1> e_out;   // 64 rows, 1 block of 128 bytes
    ws::ring<2> ta_tb_tc;
    ws::ring<2> ta2_ub_uc;
    ws::ring<2> ta3_wb_wc;
};
static_assert(offsetof(pairs_shared, ta) == 0);
static_assert(offsetof(pairs_shared, tb_and_tc) == 16384);
static_assert(offsetof(pairs_shared, ta2) == 49152);
static_assert(offsetof(pairs_shared, ub_and_uc) == 65536);
static_assert(offsetof(pairs_shared, ta3) == 81920);
static_assert(offsetof(pairs_shared, wb) == 98304);
static_assert(offsetof(pairs_shared, wc) == 106496);
static_assert(offsetof(pairs_shared, e_out) == 114688);
static_assert(sizeof(pairs_shared) == 123904);

template <bool TMA>
static WS_DEVICE void pairs_producer(const pairs_params &p, pairs_shared &s, int group)
{
    ws::producer<2, TMA> ta_tb_tc(s.ta_tb_tc);
    ws::producer<2, TMA> ta2_ub_uc(s.ta2_ub_uc);
    ws::producer<2, TMA> ta3_wb_wc(s.ta3_wb_wc);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // pairs.ir:3
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < p.K; k += 64) {  // pairs.ir:14
            const int ta_tb_tc_slot = ta_tb_tc.put();
            ws::copy_in(ta_tb_tc, s.ta[ta_tb_tc_slot], p.a, p.a_map, i, k);
            ws::copy_in(ta_tb_tc, s.tb_and_tc[ta_tb_tc_slot].tb, p.b, p.b_map, j, k);
            ws::copy_in(ta_tb_tc, s.tb_and_tc[ta_tb_tc_slot].tc, p.c, p.c_map, j, k);
            ta_tb_tc.put_done();
        }
        for (int k2 = 0; k2 < p.K; k2 += 32) {  // pairs.ir:24
            const int ta2_ub_uc_slot = ta2_ub_uc.put();
            ws::copy_in(ta2_ub_uc, s.ta2[ta2_ub_uc_slot], p.a, p.a_map, i, k2);
            ws::copy_in(ta2_ub_uc, s.ub_and_uc[ta2_ub_uc_slot].ub, p.bt, p.bt_map, k2, j);
            ws::copy_in(ta2_ub_uc, s.ub_and_uc[ta2_ub_uc_slot].uc, p.ct, p.ct_map, k2, j);
            ta2_ub_uc.put_done();
        }
        for (int k3 = 0; k3 < p.K; k3 += 32) {  // pairs.ir:32
            const int ta3_wb_wc_slot = ta3_wb_wc.put();
            ws::copy_in(ta3_wb_wc, s.ta3[ta3_wb_wc_slot], p.a, p.a_map, i, k3);
            ws::copy_in(ta3_wb_wc, s.wb[ta3_wb_wc_slot], p.bt, p.bt_map, k3, j);
            ws::copy_in(ta3_wb_wc, s.wc[ta3_wb_wc_slot], p.ct, p.ct_map, k3, j);
            ta3_wb_wc.put_done();
        }
    }
}

static WS_DEVICE void pairs_consumer(const pairs_params &p, pairs_shared &s, int group)
{
    ws::consumer<2> ta_tb_tc(s.ta_tb_tc);
    ws::consumer<2> ta2_ub_uc(s.ta2_ub_uc);
    ws::consumer<2> ta3_wb_wc(s.ta3_wb_wc);
    ws::warp_output e_out(s.e_out);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // pairs.ir:3
        const int i = t.at(0);
        const int j = t.at(1);
        auto w = ws::full<float, 64, 64, ws::frag>(0);
        auto y = w;
        for (int k = 0; k < p.K; k += 64) {  // pairs.ir:14
            const int ta_tb_tc_slot = ta_tb_tc.get();
            ws::mma(w, y, ws::view(s.ta[ta_tb_tc_slot]), ws::trans(ws::view(s.tb_and_tc[ta_tb_tc_slot].tb)),
                    ws::trans(ws::view(s.tb_and_tc[ta_tb_tc_slot].tc)));
            ws::commit();
            ws::wait<1>(w, y);
            ta_tb_tc.consumed<1>();
        }
        ws::wait<0>(w, y);
        ta_tb_tc.consumed<0>();
        for (int k2 = 0; k2 < p.K; k2 += 32) {  // pairs.ir:24
            const int ta2_ub_uc_slot = ta2_ub_uc.get();
            ws::mma(w, y, ws::view(s.ta2[ta2_ub_uc_slot]), ws::view(s.ub_and_uc[ta2_ub_uc_slot].ub),
                    ws::view(s.ub_and_uc[ta2_ub_uc_slot].uc));
            ws::commit();
            ws::wait<1>(w, y);
            ta2_ub_uc.consumed<1>();
        }
        ws::wait<0>(w, y);
        ta2_ub_uc.consumed<0>();
        for (int k3 = 0; k3 < p.K; k3 += 32) {  // pairs.ir:32
            const int ta3_wb_wc_slot = ta3_wb_wc.get();
            ws::mma(w, ws::view(s.ta3[ta3_wb_wc_slot]), ws::view(s.wb[ta3_wb_wc_slot]));
            ws::mma(w, ws::view(s.ta3[ta3_wb_wc_slot]), ws::view(s.wc[ta3_wb_wc_slot]));
            ws::commit();
            ws::wait<1>(w);
            ta3_wb_wc.consumed<1>();
        }
        ws::wait<0>(w);
        ta3_wb_wc.consumed<0>();
        const auto sum = ws::mul(w, y);
        const auto out = ws::cast<ws::bf16>(sum);
        ws::store_wait<0>();
        const auto box = ws::stage(e_out, out);
        ws::fence();
        ws::store(e_out, p.e, p.e_map, i, j, box);  // pairs.ir:42
    }
    ws::store_wait<0>();
}

static WS_KERNEL(256, 1) void pairs_kernel(WS_PARAMS(pairs_params) p)
{
    pairs_shared &s = ws::shared<pairs_shared>();
    if (ws::first_thread()) {
        s.ta_tb_tc.init("ta_tb_tc", 1);  // one group releases each slot
        s.ta2_ub_uc.init("ta2_ub_uc", 1);  // one group releases each slot
        s.ta3_wb_wc.init("ta3_wb_wc", 1);  // one group releases each slot
        ws::prefetch(p.a_map);
        ws::prefetch(p.b_map);
        ws::prefetch(p.c_map);
        ws::prefetch(p.bt_map);
        ws::prefetch(p.ct_map);
        ws::prefetch(p.e_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        if (ws::first_warp()) {
            if (ws::by_tma(p.a_map, p.b_map, p.c_map, p.bt_map, p.ct_map))
                pairs_producer<true>(p, s, 0);
            else
                pairs_producer<false>(p, s, 0);
        }
    } else {
        pairs_consumer(p, s, 0);
    }
}

extern "C" void ws_launch_pairs(int M, int N, int K, const void *A, const void *B, const void *C, const void *E)
{
    ws::launch call("pairs");
    pairs_params p;
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.b, "b", B, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.bt, "bt", B, {K, N}, {N, 1}, ws::loaded);
    call.tensor(p.ct, "ct", C, {K, N}, {N, 1}, ws::loaded);
    call.tensor(p.e, "e", E, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.a_map, p.a, 64);
    call.map(p.b_map, p.b, 64);
    call.map(p.c_map, p.c, 64);
    call.map(p.bt_map, p.bt, 32);
    call.map(p.ct_map, p.ct, 32);
    call.map(p.e_map, p.e, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 64}, {0, N, 64}}, ws::order_auto, 0);
    call.run(pairs_kernel, p, 256, sizeof(pairs_shared), ws::persistent);
}
