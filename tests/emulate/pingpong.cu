/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <wsrt.cuh>

// C = A B^T; two consumer groups take whole tiles in turn, one's epilogue under the other's products.
struct pingpong_params {
    ws::tensor<ws::f16, 2> a;
    ws::tensor<ws::f16, 2> b;
    ws::tensor<float, 2> c;
    ws::map a_map; // tiles of 64 rows
    ws::map b_map; // tiles of 32 rows
    ws::map c_map;
    int K;
    ws::grid<2> grid;
};

struct pingpong_shared {
    ws::shared_tile<ws::f16, 64, 16> ta[3];
    ws::shared_tile<ws::f16, 32, 16> tb[3];
    ws::output<float, 64, 1> c_out[2];
    ws::ring<3> ta_tb;
    ws::pingpong<2> pingpong;
};

static WS_DEVICE void pingpong_producer(const pingpong_params &p, pingpong_shared &s)
{
    ws::producer<3> ta_tb(s.ta_tb);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < p.K; k += 16) {
            const int slot = ta_tb.put();
            ws::copy_in(ta_tb, s.ta[slot], p.a, p.a_map, i, k);
            ws::copy_in(ta_tb, s.tb[slot], p.b, p.b_map, j, k);
            ta_tb.put_done();
        }
    }
}

static WS_DEVICE void pingpong_consumer(const pingpong_params &p, pingpong_shared &s, int group)
{
    ws::consumer<3> ta_tb(s.ta_tb);
    ws::warp_output c_out(s.c_out[group]);
    s.pingpong.begin(group);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {
        const int i = t.at(0);
        const int j = t.at(1);
        if (t.ordinal() % 2 == group) {
            auto acc = ws::full<float, 64, 32, ws::frag>(0);
            s.pingpong.take(group);
            for (int k = 0; k < p.K; k += 16) {
                const int slot = ta_tb.get();
                ws::mma(acc, ws::view(s.ta[slot]), ws::trans(ws::view(s.tb[slot])));
                ws::commit();
                ws::wait<1>(acc);
                ta_tb.consumed<1>();
            }
            s.pingpong.pass(group);
            ws::wait<0>(acc);
            ta_tb.consumed<0>();
            ws::store(c_out, p.c, p.c_map, i, j, acc);
        } else {
            for (int k = 0; k < p.K; k += 16)
                ta_tb.skip(1);
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void pingpong_kernel(WS_PARAMS(pingpong_params) p)
{
    pingpong_shared &s = ws::shared<pingpong_shared>();
    if (ws::first_thread()) {
        s.ta_tb.init("ta_tb", 1); // one group releases each slot
        s.pingpong.init("pingpong");
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp())
            pingpong_producer(p, s);
    } else {
        ws::registers_up<240>();
        pingpong_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_pingpong(int M, int N, int K, const void *A, const void *B, const void *C)
{
    ws::launch call("pingpong");
    pingpong_params p;
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.b, "b", B, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.a_map, p.a, 64);
    call.map(p.b_map, p.b, 32);
    call.map(p.c_map, p.c, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 64}, {0, N, 32}}, ws::order_auto, 0);
    call.run(pingpong_kernel, p, 384, sizeof(pingpong_shared), ws::persistent);
}
