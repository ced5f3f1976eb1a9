#include <wsrt.cuh>

// copy.c:15: copy
struct copy_params {
    ws::tensor<float, 2> x;
    ws::tensor<float, 2> y;
    ws::edge_map x_map;                  // tiles of 64 rows, the last as it is
    int N;
    ws::grid<1> grid;
};

struct copy_shared {
    ws::shared_tile<float, 64, 64> x_tile[4];
    ws::ring<4> x_tile_ring;
};
static_assert(offsetof(copy_shared, x_tile) == 0);
static_assert(sizeof(copy_shared) == 66560);

template <bool TMA>
static WS_DEVICE void copy_producer(const copy_params &p, copy_shared &s, int group)
{
    ws::producer<4, TMA> x_tile_ring(s.x_tile_ring);
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // copy.c:15
        const int i = t.at(0);
        for (int j = 0; j < p.N; j += 64) {  // copy.c:18
            const int slot = x_tile_ring.put();
            ws::copy_in(x_tile_ring, s.x_tile[slot], p.x, p.x_map, i, j);
            x_tile_ring.put_done();
        }
    }
}

static WS_DEVICE void copy_consumer(const copy_params &p, copy_shared &s, int group)
{
    ws::consumer<4> x_tile_ring(s.x_tile_ring);
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // copy.c:15
        const int i = t.at(0);
        for (int j = 0; j < p.N; j += 64) {  // copy.c:18
            const int slot = x_tile_ring.get();
            const auto x = ws::read<ws::lines_2>(ws::view(s.x_tile[slot]));
            ws::fence();
            x_tile_ring.consumed<0>();
            ws::store(p.y, i, j, x);  // copy.c:19
        }
    }
}

static WS_KERNEL(256, 2) void copy_kernel(WS_PARAMS(copy_params) p)
{
    copy_shared &s = ws::shared<copy_shared>();
    if (ws::first_thread()) {
        s.x_tile_ring.init("x_tile_ring", 1);  // one group releases each slot
        ws::prefetch(p.x_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        if (ws::first_warp()) {
            if (ws::by_tma(p.x_map))
                copy_producer<true>(p, s, 0);
            else
                copy_producer<false>(p, s, 0);
        }
    } else {
        copy_consumer(p, s, 0);
    }
}

extern "C" void ws_launch_copy(int M, int N, const void *from, const void *to)
{
    ws::launch call("copy");
    copy_params p;
    call.tensor(p.x, "x", from, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.y, "y", to, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.x_map, p.x, 64);
    p.N = N;
    call.grid(p.grid, {{0, M, 64}}, ws::order_auto, 0);
    call.run(copy_kernel, p, 256, sizeof(copy_shared), ws::persistent);
}
