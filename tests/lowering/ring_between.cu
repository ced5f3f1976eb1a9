#include <wsrt.cuh>

// ring_between.ir:3: ring_between
struct ring_between_params {
    ws::tensor<float, 2> x;
    ws::tensor<float, 2> y;
    ws::tensor<float, 2> z;
    ws::tensor<float, 2> o;
    ws::edge_map x_map;                  // tiles of 8 rows, the last as it is
    ws::edge_map y_map;                  // tiles of 8 rows, the last as it is
    ws::edge_map z_map;                  // tiles of 8 rows, the last as it is
    int K;
    int W;
    ws::grid<1> grid;
};

struct ring_between_shared {
    ws::shared_tile<float, 8, 32> tx[2];
    ws::shared_tile<float, 8, 32> ty[2];
    ws::shared_tile<float, 8, 32> tz[2];
    ws::ring<2> tx_ring;
    ws::ring<2> ty_ring;
    ws::ring<2> tz_ring;
};
static_assert(offsetof(ring_between_shared, tx) == 0);
static_assert(offsetof(ring_between_shared, ty) == 2048);
static_assert(offsetof(ring_between_shared, tz) == 4096);
static_assert(sizeof(ring_between_shared) == 7168);

template <bool TMA>
static WS_DEVICE void ring_between_producer(const ring_between_params &p, ring_between_shared &s, int group)
{
    ws::producer<2, TMA> tx_ring(s.tx_ring);
    ws::producer<2, TMA> ty_ring(s.ty_ring);
    ws::producer<2, TMA> tz_ring(s.tz_ring);
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // ring_between.ir:3
        const int i = t.at(0);
        for (int k = 0; k < p.K; k += 32) {  // ring_between.ir:11
            const int tx_slot = tx_ring.put();
            ws::copy_in(tx_ring, s.tx[tx_slot], p.x, p.x_map, i, k);
            tx_ring.put_done();
            for (int w = 0; w < p.W; w += 32) {  // ring_between.ir:13
                const int ty_slot = ty_ring.put();
                ws::copy_in(ty_ring, s.ty[ty_slot], p.y, p.y_map, i, w);
                ty_ring.put_done();
            }
            const int tz_slot = tz_ring.put();
            ws::copy_in(tz_ring, s.tz[tz_slot], p.z, p.z_map, i, k);
            tz_ring.put_done();
        }
    }
}

static WS_DEVICE void ring_between_consumer(const ring_between_params &p, ring_between_shared &s, int group)
{
    ws::consumer<2> tx_ring(s.tx_ring);
    ws::consumer<2> ty_ring(s.ty_ring);
    ws::consumer<2> tz_ring(s.tz_ring);
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // ring_between.ir:3
        const int i = t.at(0);
        auto sum = ws::full<float, 8, 32, ws::lines_2>(0);
        for (int k = 0; k < p.K; k += 32) {  // ring_between.ir:11
            const int tx_slot = tx_ring.get();
            const auto tx = ws::read<ws::lines_2>(ws::view(s.tx[tx_slot]));
            ws::fence();
            tx_ring.consumed<0>();
            for (int w = 0; w < p.W; w += 32) {  // ring_between.ir:13
                const int ty_slot = ty_ring.get();
                const auto ty = ws::read<ws::lines_2>(ws::view(s.ty[ty_slot]));
                ws::fence();
                ty_ring.consumed<0>();
                sum = ws::add(sum, ty);
            }
            const int tz_slot = tz_ring.get();
            const auto tz = ws::read<ws::lines_2>(ws::view(s.tz[tz_slot]));
            ws::fence();
            tz_ring.consumed<0>();
            const auto product = ws::mul(tx, tz);
            sum = ws::add(sum, product);
        }
        ws::store(p.o, i, 0, sum);  // ring_between.ir:23
    }
}

static WS_KERNEL(256, 3) void ring_between_kernel(WS_PARAMS(ring_between_params) p)
{
    ring_between_shared &s = ws::shared<ring_between_shared>();
    if (ws::first_thread()) {
        s.tx_ring.init("tx_ring", 1);    // one group releases each slot
        s.ty_ring.init("ty_ring", 1);    // one group releases each slot
        s.tz_ring.init("tz_ring", 1);    // one group releases each slot
        ws::prefetch(p.x_map);
        ws::prefetch(p.y_map);
        ws::prefetch(p.z_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        if (ws::first_warp()) {
            if (ws::by_tma(p.x_map, p.y_map, p.z_map))
                ring_between_producer<true>(p, s, 0);
            else
                ring_between_producer<false>(p, s, 0);
        }
    } else {
        ring_between_consumer(p, s, 0);
    }
}

extern "C" void ws_launch_ring_between(int M, int K, int W, const void *X, const void *Y, const void *Z, const void *O)
{
    ws::launch call("ring_between");
    ring_between_params p;
    call.tensor(p.x, "x", X, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, W}, {W, 1}, ws::loaded);
    call.tensor(p.z, "z", Z, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.o, "o", O, {M, 32}, {32, 1}, ws::stored);
    call.place();
    call.map(p.x_map, p.x, 8);
    call.map(p.y_map, p.y, 8);
    call.map(p.z_map, p.z, 8);
    p.K = K;
    p.W = W;
    call.grid(p.grid, {{0, M, 8}}, ws::order_auto, 0);
    call.run(ring_between_kernel, p, 256, sizeof(ring_between_shared), ws::persistent);
}
