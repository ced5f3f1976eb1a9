#include <wsrt.cuh>

// in_place.ir:2: in_place
struct in_place_params {
    ws::tensor<float, 2> x;
    ws::tensor<float, 2> y;
    ws::grid<2> grid;
};

static WS_DEVICE void in_place_all(const in_place_params &p, int group)
{
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // in_place.ir:2
        const int i = t.at(0);
        const int j = t.at(1);
        const auto t_2 = ws::load<16, 64, ws::lines>(p.x, i, j);
        const auto v = ws::add(t_2, t_2);
        ws::store(p.x, i, j, v);  // in_place.ir:10
        const auto r = ws::load<1, 64, ws::lines>(p.y, i, j);
        const auto w = ws::add(r, r);
        ws::group_barrier();
        ws::store(p.y, i, j, w);  // in_place.ir:13
        ws::group_barrier();
    }
}

static WS_KERNEL(128, 7) void in_place_kernel_in_vectors(WS_PARAMS(in_place_params) p)
{
    ws::start();
    in_place_params q = p;
    ws::know_vectors(q.x, q.y);
    ws::know_step(q.grid, 0, 0, 16);
    ws::know_step(q.grid, 1, 0, 64);
    in_place_all(q, 0);
}

static WS_KERNEL(128, 7) void in_place_kernel(WS_PARAMS(in_place_params) p)
{
    ws::start();
    in_place_all(p, 0);
}

extern "C" void ws_launch_in_place(int M, int N, const void *X, const void *Y)
{
    ws::launch call("in_place");
    in_place_params p;
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded_and_stored);
    call.tensor(p.y, "y", Y, {M, N}, {N, 1}, ws::loaded_and_stored);
    call.place();
    call.grid(p.grid, {{0, M, 16}, {0, N, 64}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.x, p.y) ? in_place_kernel_in_vectors : in_place_kernel, p, 128, 0, ws::one_tile);
}
