#include <wsrt.cuh>

// operands.ir:2: stage
struct stage_params {
    ws::tensor<float, 2> a;
    ws::tensor<float, 2> b;
    ws::tensor<float, 2> c;
    ws::tensor<ws::e4m3, 2> d;
    ws::map a_map_tf32;                  // tiles of 64 rows
    ws::map b_map_tf32;                  // tiles of 32 rows
    ws::map c_map;
    ws::map d_map;
    int K;
    ws::grid<2> grid;
};

struct stage_shared {
    ws::shared_tile<ws::tf32, 64, 32> ta[3];
    ws::shared_tile<ws::tf32, 32, 64> tb[3];
    ws::shared_tile<ws::tf32, 64, 32> operand_staged;
    ws::shared_tile<ws::e4m3, 64, 64> et_staged;
    ws::shared_tile<ws::e4m3, 64, 64> operand_staged_2;
    ws::shared_tile<ws::f16, 64, 64> h_staged;
    ws::shared_tile<ws::f16, 64, 64> h_staged_2;
    ws::shared_tile<ws::f16, 64, 64> h_staged_3;
    ws::shared_tile<float, 64, 64> acc6_staged;
    ws::shared_tile<float, 64, 64> acc5_staged;
    ws::scratch<4096> scratch;
    ws::output<float, 64, 2> c_out;      // 64 rows, 2 blocks of 128 bytes
    ws::output<ws::e4m3, 64, 1> d_out;   // 64 rows, 1 block of 128 bytes
    ws::ring<3> ta_tb;
};
static_assert(offsetof(stage_shared, ta) == 0);
static_assert(offsetof(stage_shared, tb) == 24576);
static_assert(offsetof(stage_shared, operand_staged) == 49152);
static_assert(offsetof(stage_shared, et_staged) == 57344);
static_assert(offsetof(stage_shared, operand_staged_2) == 65536);
static_assert(offsetof(stage_shared, h_staged) == 73728);
static_assert(offsetof(stage_shared, h_staged_2) == 81920);
static_assert(offsetof(stage_shared, h_staged_3) == 90112);
static_assert(offsetof(stage_shared, acc6_staged) == 98304);
static_assert(offsetof(stage_shared, acc5_staged) == 114688);
static_assert(offsetof(stage_shared, scratch) == 131072);
static_assert(offsetof(stage_shared, c_out) == 135168);
static_assert(offsetof(stage_shared, d_out) == 151552);
static_assert(sizeof(stage_shared) == 160768);

template <bool TMA>
static WS_DEVICE void stage_producer(const stage_params &p, stage_shared &s, int group)
{
    ws::producer<3, TMA> ta_tb(s.ta_tb);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // operands.ir:2
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < p.K; k += 32) {  // operands.ir:11
            const int slot = ta_tb.put();
            ws::copy_in(ta_tb, s.ta[slot], p.a, p.a_map_tf32, i, k);
            ws::copy_in(ta_tb, s.tb[slot], p.b, p.b_map_tf32, k, j);
            ta_tb.put_done();
        }
    }
}

static WS_DEVICE void stage_consumer(const stage_params &p, stage_shared &s, int group)
{
    ws::consumer<3> ta_tb(s.ta_tb);
    ws::warp_output c_out(s.c_out);
    ws::warp_output d_out(s.d_out);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // operands.ir:2
        const int i = t.at(0);
        const int j = t.at(1);
        auto acc = ws::full<float, 64, 64, ws::frag>(0);
        for (int k = 0; k < p.K; k += 32) {  // operands.ir:11
            const int slot = ta_tb.get();
            ws::group_barrier();
            const auto operand_staged_view = ws::stage(s.operand_staged, ws::trans(ws::view(s.tb[slot])));
            ws::fence();
            ws::group_barrier();
            ws::mma(acc, ws::view(s.ta[slot]), ws::trans(operand_staged_view));
            ws::commit();
            ws::wait<0>(acc);
            ta_tb.consumed<0>();
        }
        const auto e = ws::cast<ws::e4m3>(acc);
        const auto et = ws::trans(e, s.scratch);
        ws::group_barrier();
        const auto et_staged_view = ws::stage(s.et_staged, et);
        const auto x = ws::trans(e, s.scratch);
        const auto operand_staged_2_view = ws::stage(s.operand_staged_2, x);
        ws::fence();
        ws::group_barrier();
        auto acc5 = acc;
        ws::mma(acc5, et_staged_view, ws::trans(operand_staged_2_view));
        ws::commit();
        const auto h = ws::cast<ws::f16>(acc);
        ws::wait<0>(acc5);
        ws::group_barrier();
        const auto h_staged_view = ws::stage(s.h_staged, h);
        ws::fence();
        ws::group_barrier();
        auto acc6 = acc5;
        ws::mma(acc6, h, ws::trans(h_staged_view));
        ws::commit();
        ws::wait<0>(acc6);
        ws::group_barrier();
        const auto h_staged_2_view = ws::stage(s.h_staged_2, h);
        const auto h_staged_3_view = ws::stage(s.h_staged_3, h);
        ws::fence();
        ws::group_barrier();
        auto acc7 = acc6;
        ws::mma(acc7, ws::trans(h_staged_2_view), h_staged_3_view);
        ws::commit();
        ws::wait<0>(acc7);
        ws::group_barrier();
        const auto acc6_staged_view = ws::stage(s.acc6_staged, acc6);
        const auto acc5_staged_view = ws::stage(s.acc5_staged, acc5);
        ws::group_barrier();
        ws::dot_f32(acc7, acc6_staged_view, acc5_staged_view);
        ws::store_wait<1>();
        const auto box = ws::stage<0>(c_out, acc7);
        ws::fence();
        ws::store(c_out, p.c, p.c_map, i, j, box);  // operands.ir:25
        ws::store_wait<1>();
        const auto box_2 = ws::stage<1>(c_out, acc7);
        ws::fence();
        ws::store(c_out, p.c, p.c_map, i, j, box_2);  // operands.ir:25
        ws::store_wait<0>();
        const auto box_3 = ws::stage(d_out, e);
        ws::fence();
        ws::store(d_out, p.d, p.d_map, i, j, box_3);  // operands.ir:26
    }
    ws::store_wait<0>();
}

static WS_KERNEL(256, 1) void stage_kernel(WS_PARAMS(stage_params) p)
{
    stage_shared &s = ws::shared<stage_shared>();
    if (ws::first_thread()) {
        s.ta_tb.init("ta_tb", 1);        // one group releases each slot
        ws::prefetch(p.a_map_tf32);
        ws::prefetch(p.b_map_tf32);
        ws::prefetch(p.c_map);
        ws::prefetch(p.d_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        if (ws::first_warp()) {
            if (ws::by_tma(p.a_map_tf32, p.b_map_tf32))
                stage_producer<true>(p, s, 0);
            else
                stage_producer<false>(p, s, 0);
        }
    } else {
        stage_consumer(p, s, 0);
    }
}

extern "C" void ws_launch_stage(int M, int N, int K, const void *A, const void *B, const void *C, const void *D)
{
    ws::launch call("stage");
    stage_params p;
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.b, "b", B, {K, N}, {N, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.tensor(p.d, "d", D, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map<ws::tf32>(p.a_map_tf32, p.a, 64);
    call.map<ws::tf32>(p.b_map_tf32, p.b, 32);
    call.map(p.c_map, p.c, 64);
    call.map(p.d_map, p.d, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 64}, {0, N, 64}}, ws::order_auto, 0);
    call.run(stage_kernel, p, 256, sizeof(stage_shared), ws::persistent);
}
