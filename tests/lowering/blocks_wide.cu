#include <wsrt.cuh>

// blocks_wide.ir:3: blocks_wide
typedef ws::cluster<1, 4, ws::meeting> blocks_wide_cluster;  // blocks side by side, iterations of a loop

struct blocks_wide_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<float, 1> g;
    ws::tensor<ws::f16, 2> y;
    ws::grid<2, blocks_wide_cluster> grid;
};

struct blocks_wide_shared {
    ws::scratch<32> scratch;
    ws::shares<float, 4, 2> sum_shares;
};
static_assert(offsetof(blocks_wide_shared, scratch) == 0);
static_assert(offsetof(blocks_wide_shared, sum_shares) == 32);
static_assert(sizeof(blocks_wide_shared) == 112);

template <ws::layout ws_rows>
static WS_DEVICE void blocks_wide_all(const blocks_wide_params &p, blocks_wide_shared &s, int group)
{
    ws::exchange<blocks_wide_cluster> sum_shares(s.sum_shares);
    auto ws_prefetch_1 = ws::load_prefetched(ws::tiles<2, blocks_wide_cluster>(p.grid), [&](const auto &t) {
        const int i = t.at(0);
        const int s_2 = t.at(1);
        const int j = s_2 * 2048;
        return ws::load<2, 2048, ws_rows>(p.x, i, j);
    });
    const auto ws_once_2 = ws::load_once(ws::tiles<2, blocks_wide_cluster>(p.grid), [&](const auto &t) {
        const int s_2 = t.at(1);
        const int j = s_2 * 2048;
        return ws::load_row<2048, ws_rows>(p.g, j);
    });
    for (ws::tiles<2, blocks_wide_cluster> t(p.grid); t.more(); t.next()) {  // blocks_wide.ir:3
        const int i = t.at(0);
        const int s_2 = t.at(1);
        const auto zero = ws::full<float, 2, 1, ws_rows>(0);
        const int j = s_2 * 2048;
        const auto h = ws_prefetch_1.take(t);
        const auto v = ws::cast<float>(h);
        const auto part = ws::row_sum(v, s.scratch);
        const auto sum = ws::sum_blocks(sum_shares, part, zero);
        const auto w = ws::cast<float>(h);
        const auto d = ws::mul(w, sum);
        const auto c = ws_once_2;
        const auto e = ws::mul(d, c);
        const auto o = ws::cast<ws::f16>(e);
        if (t.inside())
            ws::store(p.y, i, j, o);  // blocks_wide.ir:27
    }
}

static WS_KERNEL(128, 4) void blocks_wide_kernel_in_vectors(WS_PARAMS(blocks_wide_params) p)
{
    blocks_wide_shared &s = ws::shared<blocks_wide_shared>();
    if (ws::first_thread()) {
        s.sum_shares.init("sum_shares");
    }
    ws::start<blocks_wide_cluster>();
    blocks_wide_params q = p;
    ws::know_vectors(q.x, q.g, q.y);
    blocks_wide_all<ws::wide>(q, s, 0);
    ws::finish<blocks_wide_cluster>();
}

static WS_KERNEL(128, 3) void blocks_wide_kernel(WS_PARAMS(blocks_wide_params) p)
{
    blocks_wide_shared &s = ws::shared<blocks_wide_shared>();
    if (ws::first_thread()) {
        s.sum_shares.init("sum_shares");
    }
    ws::start<blocks_wide_cluster>();
    blocks_wide_all<ws::narrow(ws::wide)>(p, s, 0);
    ws::finish<blocks_wide_cluster>();
}

extern "C" void ws_launch_blocks_wide(int M, const void *X, const void *G, const void *Y)
{
    ws::launch call("blocks_wide");
    blocks_wide_params p;
    call.tensor(p.x, "x", X, {M, 8192}, {8192, 1}, ws::loaded);
    call.tensor(p.g, "g", G, {8192}, {1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, 8192}, {8192, 1}, ws::stored);
    call.place();
    call.grid(p.grid, {{0, M, 2}, {0, 4, 1}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.x, p.g, p.y) ? blocks_wide_kernel_in_vectors : blocks_wide_kernel, p, 128,
             sizeof(blocks_wide_shared), ws::persistent, blocks_wide_cluster::size);
}
