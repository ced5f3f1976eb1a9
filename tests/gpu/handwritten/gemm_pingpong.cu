/* SPDX-License-Identifier: MIT */
/* gemm_pingpong.cu - a product whose two consumer groups take whole 128x192 tiles in turn (D = 5, P = 2): one group's
   epilogue runs under the other's products.  */
#include <wsrt.cuh>

// gemm_pingpong.c:13: gemm_pingpong
struct gemm_pingpong_params {
    ws::tensor<ws::f16, 2> a;
    ws::tensor<ws::f16, 2> b;
    ws::tensor<ws::f16, 2> c;
    ws::map a_map;                       // tiles of 128 rows
    ws::map b_map;                       // tiles of 192 rows
    ws::map c_map;
    int K;
    ws::grid<2> grid;
};

struct gemm_pingpong_shared {
    ws::shared_tile<ws::f16, 128, 64> ta[5];
    ws::shared_tile<ws::f16, 192, 64> tb[5];
    ws::output<ws::f16, 64, 1> c_out[2]; // 64 rows, 1 block of 128 bytes; one for each group
    ws::ring<5> ta_tb;
    ws::pingpong<2> turn;
};

template <bool TMA>
static WS_DEVICE void gemm_pingpong_producer(const gemm_pingpong_params &p, gemm_pingpong_shared &s, int group)
{
    ws::producer<5, TMA> ta_tb(s.ta_tb);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < p.K; k += 64) {
            const int slot = ta_tb.put();
            ws::copy_in(ta_tb, s.ta[slot], p.a, p.a_map, i, k);
            ws::copy_in(ta_tb, s.tb[slot], p.b, p.b_map, j, k);
            ta_tb.put_done();
        }
    }
}

static WS_DEVICE void gemm_pingpong_consumer(const gemm_pingpong_params &p, gemm_pingpong_shared &s, int group)
{
    ws::consumer<5> ta_tb(s.ta_tb);
    ws::warp_output c_out(s.c_out[group]);
    const int puts = (p.K + 63) / 64;    // of one tile
    s.turn.begin(group);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {
        if (t.ordinal() % 2 != group) {
            ta_tb.skip(puts);
            continue;
        }
        const int i = t.at(0);
        const int j = t.at(1);
        auto acc = ws::full<float, 128, 192, ws::frag>(0);
        s.turn.take(group);
        for (int k = 0; k < p.K; k += 64) {
            const int slot = ta_tb.get();
            ws::mma(acc, ws::view(s.ta[slot]), ws::trans(ws::view(s.tb[slot])));
            ws::commit();
            ws::wait<1>(acc);
            ta_tb.consumed<1>();
        }
        s.turn.pass(group);
        ws::wait<0>(acc);
        ta_tb.consumed<0>();
        WS_UNROLL
        for (int strip = 0; strip < 192; strip += 64) {
            const auto x = ws::cast<ws::f16>(ws::columns<64>(acc, strip));
            ws::store_wait<0>();
            const auto upper = ws::stage<0>(c_out, x);
            ws::fence();
            ws::store(c_out, p.c, p.c_map, i, j + strip, upper);
            ws::store_wait<0>();
            const auto lower = ws::stage<1>(c_out, x);
            ws::fence();
            ws::store(c_out, p.c, p.c_map, i, j + strip, lower);
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void gemm_pingpong_kernel(WS_PARAMS(gemm_pingpong_params) p)
{
    gemm_pingpong_shared &s = ws::shared<gemm_pingpong_shared>();
    if (ws::first_thread()) {
        s.ta_tb.init("ta_tb", 1);        // one group releases each slot
        s.turn.init("turn");
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.a_map, p.b_map))
                gemm_pingpong_producer<true>(p, s, 0);
            else
                gemm_pingpong_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        gemm_pingpong_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_gemm_pingpong(int M, int N, int K, const void *A, const void *B, const void *C)
{
    ws::launch call("gemm_pingpong");
    gemm_pingpong_params p;
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.b, "b", B, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.a_map, p.a, 128);
    call.map(p.b_map, p.b, 192);
    call.map(p.c_map, p.c, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 128}, {0, N, 192}}, ws::order_auto, 0);
    call.run(gemm_pingpong_kernel, p, 384, sizeof(gemm_pingpong_shared), ws::persistent);
}
