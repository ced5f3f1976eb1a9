#include <wsrt.cuh>

// softmax_gemm.c:17: softmax_gemm
struct softmax_gemm_params {
    ws::tensor<ws::f16, 2> a;
    ws::tensor<ws::f16, 2> b;
    ws::tensor<float, 2> c;
    ws::filled_map a_map;                // tiles of 256 rows
    ws::map b_map;                       // tiles of 64 rows
    ws::map c_map;
    int K;
    ws::grid<2> grid;
};

struct softmax_gemm_shared {
    ws::shared_tile<ws::f16, 256, 64> a_tile[3];
    ws::shared_tile<ws::f16, 64, 128> b_tile[3];
    ws::output<float, 64, 2> c_out[4];   // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<3> a_tile_ring;
    ws::ring<3> b_tile_ring;
    ws::pingpong<4> pingpong;
};
static_assert(offsetof(softmax_gemm_shared, a_tile) == 0);
static_assert(offsetof(softmax_gemm_shared, b_tile) == 98304);
static_assert(offsetof(softmax_gemm_shared, c_out) == 147456);
static_assert(sizeof(softmax_gemm_shared) == 214016);

template <bool TMA>
static WS_DEVICE void softmax_gemm_producer(const softmax_gemm_params &p, softmax_gemm_shared &s, int group)
{
    ws::producer<3, TMA> a_tile_ring(s.a_tile_ring);
    ws::producer<3, TMA> b_tile_ring(s.b_tile_ring);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // softmax_gemm.c:17
        const int i = t.at(0);
        const int j = t.at(1);
        for (int k = 0; k < p.K; k += 64) {  // softmax_gemm.c:24
            const int a_tile_slot = a_tile_ring.put();
            ws::copy_in_or(-INFINITY, a_tile_ring, s.a_tile[a_tile_slot], p.a, p.a_map, i, k);
            a_tile_ring.put_done();
            const int b_tile_slot = b_tile_ring.put();
            ws::copy_in(b_tile_ring, s.b_tile[b_tile_slot], p.b, p.b_map, k, j);
            b_tile_ring.put_done();
        }
    }
}

static WS_DEVICE void softmax_gemm_consumer(const softmax_gemm_params &p, softmax_gemm_shared &s, int group)
{
    ws::consumer<3> a_tile_ring(s.a_tile_ring);
    ws::consumer<3> b_tile_ring(s.b_tile_ring);
    ws::warp_output c_out(s.c_out[group]);
    s.pingpong.begin(group);
    const long first_row = (long)group * 64;
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // softmax_gemm.c:17
        const int i = t.at(0);
        const int j = t.at(1);
        auto acc = ws::full<float, 64, 128, ws::frag>(0);
        auto top = ws::full<float, 64, 1, ws::frag>(-1e+30);
        auto sum = ws::full<float, 64, 1, ws::frag>(0);
        for (int k = 0; k < p.K; k += 64) {  // softmax_gemm.c:24
            const int a_tile_slot = a_tile_ring.get();
            const auto x = ws::read<ws::frag>(ws::window<64, 64>(s.a_tile[a_tile_slot], first_row, 0));
            ws::fence();
            a_tile_ring.consumed<0>();
            const auto x_2 = ws::cast<float>(x);
            const auto now = ws::max(top, ws::row_max(x_2));
            const auto p_2 = ws::exp_fast(ws::sub(x_2, now));
            const auto added = ws::row_part(p_2);
            const auto shrink = ws::exp(ws::sub(top, now));
            acc = ws::rescale(acc, shrink);
            const auto half = ws::cast<ws::f16>(p_2);
            const int b_tile_slot = b_tile_ring.get();
            s.pingpong.take(group);
            ws::mma(acc, half, ws::view(s.b_tile[b_tile_slot]));
            ws::commit();
            s.pingpong.pass(group);
            sum = ws::fma(sum, shrink, added);
            ws::computed(sum);
            ws::wait<0>(acc);
            b_tile_ring.consumed<0>();
            top = now;
        }
        sum = ws::row_total(sum);
        WS_UNROLL
        for (int subtile = 0; subtile < 128; subtile += 32) {  // softmax_gemm.c:33
            const int column = j + subtile;
            ws::store_wait<1>();
            const auto box = ws::stage(c_out, ws::div(ws::columns<32>(acc, subtile), sum));
            ws::fence();
            ws::store(c_out, p.c, p.c_map, i + first_row, column, box);  // softmax_gemm.c:33
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(640, 1) void softmax_gemm_kernel(WS_PARAMS(softmax_gemm_params) p)
{
    softmax_gemm_shared &s = ws::shared<softmax_gemm_shared>();
    if (ws::first_thread()) {
        s.a_tile_ring.init("a_tile_ring", 4);  // four groups release each slot
        s.b_tile_ring.init("b_tile_ring", 4);  // four groups release each slot
        s.pingpong.init("pingpong");
        ws::prefetch(p.a_map);
        ws::prefetch(p.b_map);
        ws::prefetch(p.c_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<32>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.a_map, p.b_map))
                softmax_gemm_producer<true>(p, s, 0);
            else
                softmax_gemm_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<112>();
        softmax_gemm_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_softmax_gemm(int M, int N, int K, const void *A, const void *B, const void *C)
{
    ws::launch call("softmax_gemm");
    softmax_gemm_params p;
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.b, "b", B, {K, N}, {N, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.a_map, p.a, 256);
    call.map(p.b_map, p.b, 64);
    call.map(p.c_map, p.c, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 256}, {0, N, 128}}, ws::order_auto, 0);
    call.run(softmax_gemm_kernel, p, 640, sizeof(softmax_gemm_shared), ws::persistent);
}
