#include <wsrt.cuh>

// roles.ir:2: roles
struct roles_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<ws::f16, 2> y;
    ws::map x_map;                       // tiles of 64 rows
    int N;
    ws::grid<1> grid;
};

struct roles_shared {
    ws::shared_tile<ws::f16, 64, 64> t[3];
    ws::ring<3> ring;
};
static_assert(offsetof(roles_shared, t) == 0);
static_assert(sizeof(roles_shared) == 25600);

template <bool TMA>
static WS_DEVICE void roles_producer(const roles_params &p, roles_shared &s, int group)
{
    ws::producer<3, TMA> ring(s.ring);
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // roles.ir:20
        const int i = t.at(0);
        for (int j = 0; j < p.N; j += 64) {  // roles.ir:21
            const int slot = ring.put();
            ws::copy_in(ring, s.t[slot], p.x, p.x_map, i, j);
            ring.put_done();
        }
    }
}

static WS_DEVICE void roles_consumer(const roles_params &p, roles_shared &s, int group)
{
    ws::consumer<3> ring(s.ring);
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // roles.ir:30
        const int i = t.at(0);
        for (int j = 0; j < p.N; j += 64) {  // roles.ir:31
            const int slot = ring.get();
            const auto u = ws::read<ws::lines>(ws::view(s.t[slot]));
            ws::fence();
            ring.consumed<0>();
            ws::store(p.y, i, j, u);  // roles.ir:37
        }
    }
}

static WS_KERNEL(256, 3) void roles_kernel(WS_PARAMS(roles_params) p)
{
    roles_shared &s = ws::shared<roles_shared>();
    if (ws::first_thread()) {
        s.ring.init("ring", 1);          // one group releases each slot
        ws::prefetch(p.x_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        if (ws::first_warp()) {
            if (ws::by_tma(p.x_map))
                roles_producer<true>(p, s, 0);
            else
                roles_producer<false>(p, s, 0);
        }
    } else {
        roles_consumer(p, s, 0);
    }
}

extern "C" void ws_launch_roles(int M, int N, const void *X, const void *Y)
{
    ws::launch call("roles");
    roles_params p;
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.x_map, p.x, 64);
    p.N = N;
    call.grid(p.grid, {{0, M, 64}}, ws::order_auto, 0);
    call.run(roles_kernel, p, 256, sizeof(roles_shared), ws::persistent);
}
