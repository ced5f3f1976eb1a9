#include <wsrt.cuh>

// gemm_batched.c:16: gemm_batched
struct gemm_batched_params {
    ws::tensor<ws::f16, 3> a;
    ws::tensor<ws::f16, 3> b;
    ws::tensor<float, 3> c;
    ws::edge_map a_map;                  // tiles of 64 rows, the last as it is
    ws::edge_map b_map;                  // tiles of 128 rows, the last as it is
    ws::map c_map;
    int K;
    ws::grid<3> grid;
};

struct gemm_batched_shared {
    ws::shared_tile<ws::f16, 64, 64> ta[4];
    ws::shared_tile<ws::f16, 128, 64> tb[4];
    ws::output<float, 64, 4> c_out;      // 64 rows, 4 blocks of 128 bytes
    ws::ring<4> ta_tb;
};
static_assert(offsetof(gemm_batched_shared, ta) == 0);
static_assert(offsetof(gemm_batched_shared, tb) == 32768);
static_assert(offsetof(gemm_batched_shared, c_out) == 98304);
static_assert(sizeof(gemm_batched_shared) == 132096);

template <bool TMA>
static WS_DEVICE void gemm_batched_producer(const gemm_batched_params &p, gemm_batched_shared &s, int group)
{
    ws::producer<4, TMA> ta_tb(s.ta_tb);
    for (ws::tiles<3> t(p.grid); t.more(); t.next()) {  // gemm_batched.c:16
        const int n = t.at(0);
        const int i = t.at(1);
        const int j = t.at(2);
        for (int k = 0; k < p.K; k += 64) {  // gemm_batched.c:23
            const int slot = ta_tb.put();
            ws::copy_in(ta_tb, s.ta[slot], p.a, p.a_map, n, i, k);
            ws::copy_in(ta_tb, s.tb[slot], p.b, p.b_map, n, j, k);
            ta_tb.put_done();
        }
    }
}

static WS_DEVICE void gemm_batched_consumer(const gemm_batched_params &p, gemm_batched_shared &s, int group)
{
    ws::consumer<4> ta_tb(s.ta_tb);
    ws::warp_output c_out(s.c_out);
    for (ws::tiles<3> t(p.grid); t.more(); t.next()) {  // gemm_batched.c:16
        const int n = t.at(0);
        const int i = t.at(1);
        const int j = t.at(2);
        auto acc = ws::full<float, 64, 128, ws::frag>(0);
        for (int k = 0; k < p.K; k += 64) {  // gemm_batched.c:23
            const int slot = ta_tb.get();
            ws::mma(acc, ws::view(s.ta[slot]), ws::trans(ws::view(s.tb[slot])));
            ws::commit();
            ws::wait<1>(acc);
            ta_tb.consumed<1>();
        }
        ws::wait<0>(acc);
        ta_tb.consumed<0>();
        ws::store_wait<3>();
        const auto box = ws::stage<0>(c_out, acc);
        ws::fence();
        ws::store(c_out, p.c, p.c_map, n, i, j, box);  // gemm_batched.c:28
        ws::store_wait<3>();
        const auto box_2 = ws::stage<1>(c_out, acc);
        ws::fence();
        ws::store(c_out, p.c, p.c_map, n, i, j, box_2);  // gemm_batched.c:28
        ws::store_wait<3>();
        const auto box_3 = ws::stage<2>(c_out, acc);
        ws::fence();
        ws::store(c_out, p.c, p.c_map, n, i, j, box_3);  // gemm_batched.c:28
        ws::store_wait<3>();
        const auto box_4 = ws::stage<3>(c_out, acc);
        ws::fence();
        ws::store(c_out, p.c, p.c_map, n, i, j, box_4);  // gemm_batched.c:28
    }
    ws::store_wait<0>();
}

static WS_KERNEL(256, 1) void gemm_batched_kernel(WS_PARAMS(gemm_batched_params) p)
{
    gemm_batched_shared &s = ws::shared<gemm_batched_shared>();
    if (ws::first_thread()) {
        s.ta_tb.init("ta_tb", 1);        // one group releases each slot
        ws::prefetch(p.a_map);
        ws::prefetch(p.b_map);
        ws::prefetch(p.c_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        if (ws::first_warp()) {
            if (ws::by_tma(p.a_map, p.b_map))
                gemm_batched_producer<true>(p, s, 0);
            else
                gemm_batched_producer<false>(p, s, 0);
        }
    } else {
        gemm_batched_consumer(p, s, 0);
    }
}

extern "C" void ws_launch_gemm_batched(int batch, int M, int N, int K, const void *A, const void *B, const void *C)
{
    ws::launch call("gemm_batched");
    gemm_batched_params p;
    call.tensor(p.a, "a", A, {batch, M, K}, {(long)M * (long)K, K, 1}, ws::loaded);
    call.tensor(p.b, "b", B, {batch, N, K}, {(long)N * (long)K, K, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {batch, M, N}, {(long)M * (long)N, N, 1}, ws::stored);
    call.place();
    call.map(p.a_map, p.a, 64);
    call.map(p.b_map, p.b, 128);
    call.map(p.c_map, p.c, 64);
    p.K = K;
    call.grid(p.grid, {{0, batch, 1}, {0, M, 64}, {0, N, 128}}, ws::order_auto, 0);
    call.run(gemm_batched_kernel, p, 256, sizeof(gemm_batched_shared), ws::persistent);
}
