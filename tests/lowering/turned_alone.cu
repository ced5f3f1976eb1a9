#include <wsrt.cuh>

// turned_alone.ir:2: turned_alone
struct turned_alone_params {
    ws::tensor<ws::f16, 2> a;
    ws::tensor<ws::f16, 2> b;
    ws::grid<2> grid;
};

struct turned_alone_shared {
    ws::scratch<16384> scratch;
};
static_assert(offsetof(turned_alone_shared, scratch) == 0);
static_assert(sizeof(turned_alone_shared) == 16384);

static WS_DEVICE void turned_alone_all(const turned_alone_params &p, turned_alone_shared &s, int group)
{
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // turned_alone.ir:2
        const int i = t.at(0);
        const int j = t.at(1);
        const auto x = ws::load<128, 64, ws::lines_8>(p.a, i, j);
        const auto t_2 = ws::trans(x, s.scratch);
        ws::store(p.b, j, i, t_2);  // turned_alone.ir:10
    }
}

static WS_KERNEL(128, 5) void turned_alone_kernel_in_vectors(WS_PARAMS(turned_alone_params) p)
{
    turned_alone_shared &s = ws::shared<turned_alone_shared>();
    ws::start();
    turned_alone_params q = p;
    ws::know_vectors(q.a, q.b);
    ws::know_step(q.grid, 0, 0, 128);
    ws::know_step(q.grid, 1, 0, 64);
    turned_alone_all(q, s, 0);
}

static WS_KERNEL(128, 5) void turned_alone_kernel(WS_PARAMS(turned_alone_params) p)
{
    turned_alone_shared &s = ws::shared<turned_alone_shared>();
    ws::start();
    turned_alone_all(p, s, 0);
}

extern "C" void ws_launch_turned_alone(int M, int N, const void *A, const void *B)
{
    ws::launch call("turned_alone");
    turned_alone_params p;
    call.tensor(p.a, "a", A, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.b, "b", B, {N, M}, {M, 1}, ws::stored);
    call.place();
    call.grid(p.grid, {{0, M, 128}, {0, N, 64}}, ws::order_column, 0);
    call.run(ws::in_vectors(p.a, p.b) ? turned_alone_kernel_in_vectors : turned_alone_kernel, p, 128,
             sizeof(turned_alone_shared), ws::one_tile);
}
