#include <wsrt.cuh>

// resident_operand.c:10: kernel
struct kernel_params {
    ws::tensor<ws::f16, 2> b;
    ws::tensor<ws::f16, 2> a;
    ws::tensor<ws::f16, 2> c;
    ws::edge_map b_map;                  // tiles of 64 rows, the last as it is
    ws::edge_map a_map;                  // tiles of 128 rows, the last as it is
    ws::map c_map;
    int M;
    int strips;
    ws::grid<2> grid;
};

struct kernel_shared {
    ws::shared_tile<ws::f16, 64, 128> b_tile[2];
    ws::shared_tile<ws::f16, 128, 128> a_tile[2];
    ws::output<ws::f16, 64, 1> c_out[2];  // 64 rows, 1 block of 128 bytes; one for each group
    ws::ring<2> b_tile_ring;
    ws::ring<2> a_tile_ring;
    ws::tile_scheduler scheduler;
};
static_assert(offsetof(kernel_shared, b_tile) == 0);
static_assert(offsetof(kernel_shared, a_tile) == 32768);
static_assert(offsetof(kernel_shared, c_out) == 98304);
static_assert(sizeof(kernel_shared) == 115712);

template <bool TMA>
static WS_DEVICE void kernel_producer(const kernel_params &p, kernel_shared &s, int group)
{
    ws::producer<2, TMA> b_tile_ring(s.b_tile_ring);
    ws::producer<2, TMA> a_tile_ring(s.a_tile_ring);
    for (ws::scheduling_tiles<2> t(p.grid, s.scheduler); t.more(); t.next()) {  // resident_operand.c:10
        const int s_2 = t.at(0);
        const int j = t.at(1);
        const int b_tile_slot = b_tile_ring.put();
        ws::copy_in(b_tile_ring, s.b_tile[b_tile_slot], p.b, p.b_map, j, 0);
        b_tile_ring.put_done();
        const int i = s_2 * 128;
        for (int i_2 = i; i_2 < p.M; i_2 += p.strips * 128) {  // resident_operand.c:16
            const int a_tile_slot = a_tile_ring.put();
            ws::copy_in(a_tile_ring, s.a_tile[a_tile_slot], p.a, p.a_map, i_2, 0);
            a_tile_ring.put_done();
        }
    }
}

static WS_DEVICE void kernel_consumer(const kernel_params &p, kernel_shared &s, int group)
{
    ws::consumer<2> b_tile_ring(s.b_tile_ring);
    ws::consumer<2> a_tile_ring(s.a_tile_ring);
    ws::warp_output c_out(s.c_out[group]);
    const long first_row = (long)group * 64;
    for (ws::dynamic_tiles<2> t(p.grid, s.scheduler); t.more(); t.next()) {  // resident_operand.c:10
        const int s_2 = t.at(0);
        const int j = t.at(1);
        const int b_tile_slot = b_tile_ring.get();
        const int i = s_2 * 128;
        for (int i_2 = i; i_2 < p.M; i_2 += p.strips * 128) {  // resident_operand.c:16
            auto acc = ws::full<float, 64, 64, ws::frag>(0);
            const int a_tile_slot = a_tile_ring.get();
            ws::mma(acc, ws::window<64, 128>(s.a_tile[a_tile_slot], first_row, 0),
                    ws::trans(ws::view(s.b_tile[b_tile_slot])));
            ws::commit();
            ws::wait<0>(acc);
            a_tile_ring.consumed<0>();
            ws::store_wait<0>();
            const auto box = ws::stage(c_out, ws::cast<ws::f16>(acc));
            ws::fence();
            ws::store(c_out, p.c, p.c_map, i_2 + first_row, j, box);  // resident_operand.c:17
        }
        b_tile_ring.consumed<0>();
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void kernel_kernel(WS_PARAMS(kernel_params) p)
{
    kernel_shared &s = ws::shared<kernel_shared>();
    if (ws::first_thread()) {
        s.b_tile_ring.init("b_tile_ring", 2);  // two groups release each slot
        s.a_tile_ring.init("a_tile_ring", 2);  // two groups release each slot
        s.scheduler.init("scheduler", 2);
        ws::prefetch(p.b_map);
        ws::prefetch(p.a_map);
        ws::prefetch(p.c_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<40>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.b_map, p.a_map))
                kernel_producer<true>(p, s, 0);
            else
                kernel_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<232>();
        kernel_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_kernel_f2d48d78(int M, int N, int K, int strips, const void *A, const void *B, const void *C)
{
    ws::launch call("kernel");
    kernel_params p;
    call.tensor(p.b, "b", B, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.b_map, p.b, 64);
    call.map(p.a_map, p.a, 128);
    call.map(p.c_map, p.c, 64);
    p.M = M;
    p.strips = strips;
    call.grid(p.grid, {{0, strips, 1}, {0, N, 64}}, ws::order_auto, 0);
    call.schedule(p.grid);
    call.run(kernel_kernel, p, 384, sizeof(kernel_shared), ws::persistent);
}
