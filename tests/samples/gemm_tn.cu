#include <wsrt.cuh>

// gemm_tn.c:19: gemm_tn
struct gemm_tn_params {
    ws::tensor<ws::bf16, 2> a;
    ws::tensor<ws::bf16, 2> b;
    ws::tensor<float, 2> c;
    ws::map a_map;                       // tiles of 64 rows
    ws::map b_map;                       // tiles of 64 rows
    ws::map c_map;
    int K;
    ws::grid<2> grid;
};

struct gemm_tn_shared {
    ws::shared_tile<ws::bf16, 64, 128> ta[3];
    ws::shared_tile<ws::bf16, 64, 128> tb[3];
    ws::output<float, 64, 4> c_out[2];   // 64 rows, 4 blocks of 128 bytes; one for each group
    ws::ring<3> ta_tb;
};
static_assert(offsetof(gemm_tn_shared, ta) == 0);
static_assert(offsetof(gemm_tn_shared, tb) == 49152);
static_assert(offsetof(gemm_tn_shared, c_out) == 98304);
static_assert(sizeof(gemm_tn_shared) == 164864);

template <bool TMA>
static WS_DEVICE void gemm_tn_producer(const gemm_tn_params &p, gemm_tn_shared &s, int group)
{
    ws::producer<3, TMA> ta_tb(s.ta_tb);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // gemm_tn.c:19
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < p.K; k += 64) {  // gemm_tn.c:25
            const int slot = ta_tb.put();
            ws::copy_in(ta_tb, s.ta[slot], p.a, p.a_map, k, i);
            ws::copy_in(ta_tb, s.tb[slot], p.b, p.b_map, k, j);
            ta_tb.put_done();
        }
    }
}

static WS_DEVICE void gemm_tn_consumer(const gemm_tn_params &p, gemm_tn_shared &s, int group)
{
    ws::consumer<3> ta_tb(s.ta_tb);
    ws::warp_output c_out(s.c_out[group]);
    const long first_row = (long)group * 64;
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // gemm_tn.c:19
        const int i = t.at(0);
        const int j = t.at(1);
        auto acc = ws::full<float, 64, 128, ws::frag>(0);
        for (int k = 0; k < p.K; k += 64) {  // gemm_tn.c:25
            const int slot = ta_tb.get();
            ws::mma(acc, ws::trans(ws::window<64, 64>(s.ta[slot], 0, first_row)), ws::view(s.tb[slot]));
            ws::commit();
            ws::wait<1>(acc);
            ta_tb.consumed<1>();
        }
        ws::wait<0>(acc);
        ta_tb.consumed<0>();
        const long n = i + first_row;
        ws::store_wait<3>();
        const auto box = ws::stage<0>(c_out, acc);
        ws::fence();
        ws::store(c_out, p.c, p.c_map, n, j, box);  // gemm_tn.c:30
        ws::store_wait<3>();
        const auto box_2 = ws::stage<1>(c_out, acc);
        ws::fence();
        ws::store(c_out, p.c, p.c_map, n, j, box_2);  // gemm_tn.c:30
        ws::store_wait<3>();
        const auto box_3 = ws::stage<2>(c_out, acc);
        ws::fence();
        ws::store(c_out, p.c, p.c_map, n, j, box_3);  // gemm_tn.c:30
        ws::store_wait<3>();
        const auto box_4 = ws::stage<3>(c_out, acc);
        ws::fence();
        ws::store(c_out, p.c, p.c_map, n, j, box_4);  // gemm_tn.c:30
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void gemm_tn_kernel(WS_PARAMS(gemm_tn_params) p)
{
    gemm_tn_shared &s = ws::shared<gemm_tn_shared>();
    if (ws::first_thread()) {
        s.ta_tb.init("ta_tb", 2);        // two groups release each slot
        ws::prefetch(p.a_map);
        ws::prefetch(p.b_map);
        ws::prefetch(p.c_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.a_map, p.b_map))
                gemm_tn_producer<true>(p, s, 0);
            else
                gemm_tn_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        gemm_tn_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_gemm_tn(int M, int N, int K, const void *A, const void *B, const void *C)
{
    ws::launch call("gemm_tn");
    gemm_tn_params p;
    call.tensor(p.a, "a", A, {K, M}, {M, 1}, ws::loaded);
    call.tensor(p.b, "b", B, {K, N}, {N, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.a_map, p.a, 64);
    call.map(p.b_map, p.b, 64);
    call.map(p.c_map, p.c, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 128}, {0, N, 128}}, ws::order_auto, 0);
    call.run(gemm_tn_kernel, p, 384, sizeof(gemm_tn_shared), ws::persistent);
}
