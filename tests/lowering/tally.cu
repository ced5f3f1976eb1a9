#include <wsrt.cuh>

// tally.ir:2: tally
struct tally_params {
    ws::tensor<unsigned char, 2> x;
    ws::tensor<int, 2> c;
    ws::grid<1> grid;
};

struct tally_shared {
    ws::scratch<1024> scratch;
};
static_assert(offsetof(tally_shared, scratch) == 0);
static_assert(sizeof(tally_shared) == 1024);

static WS_DEVICE void tally_all(const tally_params &p, tally_shared &s, int group)
{
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // tally.ir:2
        const int i = t.at(0);
        auto z = ws::full<int, 1, 256, ws::wide>(0);
        for (int j = 0; j < 256; j += 256) {  // tally.ir:8
            const auto v = ws::load<1, 256, ws::wide>(p.x, i, j);
            const auto n = ws::cast<int>(v);
            const auto q = ws::histogram<256>(n, s.scratch);
            z = ws::add(z, q);
        }
        ws::atomic_add(p.c, 0, 0, z);  // tally.ir:21
    }
}

static WS_KERNEL(128, 3) void tally_kernel_in_vectors(WS_PARAMS(tally_params) p)
{
    tally_shared &s = ws::shared<tally_shared>();
    ws::start();
    tally_params q = p;
    ws::know_vectors(q.x, q.c);
    tally_all(q, s, 0);
}

static WS_KERNEL(128, 3) void tally_kernel(WS_PARAMS(tally_params) p)
{
    tally_shared &s = ws::shared<tally_shared>();
    ws::start();
    tally_all(p, s, 0);
}

extern "C" void ws_launch_tally(int M, const void *X, const void *C)
{
    ws::launch call("tally");
    tally_params p;
    call.tensor(p.x, "x", X, {M, 256}, {256, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {1, 256}, {256, 1}, ws::loaded_and_stored);
    call.place();
    call.grid(p.grid, {{0, M, 1}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.x, p.c) ? tally_kernel_in_vectors : tally_kernel, p, 128, sizeof(tally_shared),
             ws::one_tile);
}
