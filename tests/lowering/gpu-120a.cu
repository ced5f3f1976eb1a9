#include <gpus/sm_120a.h>
#include <wsrt.cuh>

// gpu-120a.ir:3: gemm
struct gemm_params {
    ws::tensor<ws::f16, 2> a;
    ws::tensor<ws::f16, 2> b;
    ws::tensor<ws::f16, 2> c;
    ws::edge_map a_map;                  // tiles of 128 rows, the last as it is
    ws::edge_map b_map;                  // tiles of 256 rows, the last as it is
    int K;
    ws::grid<2> grid;
};

struct gemm_shared {
    ws::shared_tile<ws::f16, 128, 64> ta[2];
    ws::shared_tile<ws::f16, 256, 64> tb[2];
    ws::ring<2> ta_tb;
};
static_assert(offsetof(gemm_shared, ta) == 0);
static_assert(offsetof(gemm_shared, tb) == 32768);
static_assert(sizeof(gemm_shared) == 99328);

template <bool TMA>
static WS_DEVICE void gemm_producer(const gemm_params &p, gemm_shared &s, int group)
{
    ws::producer<2, TMA> ta_tb(s.ta_tb);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // gpu-120a.ir:3
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < p.K; k += 64) {  // gpu-120a.ir:11
            const int slot = ta_tb.put();
            ws::copy_in(ta_tb, s.ta[slot], p.a, p.a_map, i, k);
            ws::copy_in(ta_tb, s.tb[slot], p.b, p.b_map, j, k);
            ta_tb.put_done();
        }
    }
}

static WS_DEVICE void gemm_consumer(const gemm_params &p, gemm_shared &s, int group)
{
    ws::consumer<2> ta_tb(s.ta_tb);
    const long first_row = (long)group * 64;
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // gpu-120a.ir:3
        const int i = t.at(0);
        const int j = t.at(1);
        auto acc = ws::full<float, 64, 256, ws::frag>(0);
        for (int k = 0; k < p.K; k += 64) {  // gpu-120a.ir:11
            const int slot = ta_tb.get();
            ws::mma(acc, ws::window<64, 64>(s.ta[slot], first_row, 0), ws::trans(ws::view(s.tb[slot])));
            ws::commit();
            ws::wait<0>(acc);
            ta_tb.consumed<0>();
        }
        WS_UNROLL
        for (int subtile = 0; subtile < 256; subtile += 64) {  // gpu-120a.ir:19
            const auto half = ws::cast<ws::f16>(ws::columns<64>(acc, subtile));
            const int column = j + subtile;
            ws::store(p.c, i + first_row, column, half);  // gpu-120a.ir:19
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void gemm_kernel(WS_PARAMS(gemm_params) p)
{
    gemm_shared &s = ws::shared<gemm_shared>();
    if (ws::first_thread()) {
        s.ta_tb.init("ta_tb", 2);        // two groups release each slot
        ws::prefetch(p.a_map);
        ws::prefetch(p.b_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.a_map, p.b_map))
                gemm_producer<true>(p, s, 0);
            else
                gemm_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        gemm_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_gemm(int M, int N, int K, const void *A, const void *B, const void *C)
{
    ws::launch call("gemm");
    gemm_params p;
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.b, "b", B, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.a_map, p.a, 128);
    call.map(p.b_map, p.b, 256);
    p.K = K;
    call.grid(p.grid, {{0, M, 128}, {0, N, 256}}, ws::order_auto, 0);
    call.run(gemm_kernel, p, 384, sizeof(gemm_shared), ws::persistent);
}
