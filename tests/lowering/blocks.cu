#include <wsrt.cuh>

// blocks.ir:2: blocks
typedef ws::cluster<1, 4, ws::meeting> blocks_cluster;  // blocks side by side, iterations of a loop

struct blocks_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<ws::f16, 2> y;
    ws::tensor<float, 1> m;
    ws::grid<2, blocks_cluster> grid;
};

struct blocks_shared {
    ws::shares<float, 4, 16> sum_shares;
    ws::shares<float, 4, 16> top_shares;
};
static_assert(offsetof(blocks_shared, sum_shares) == 0);
static_assert(offsetof(blocks_shared, top_shares) == 272);
static_assert(sizeof(blocks_shared) == 544);

template <ws::layout ws_rows>
static WS_DEVICE void blocks_all(const blocks_params &p, blocks_shared &s, int group)
{
    ws::exchange<blocks_cluster> sum_shares(s.sum_shares);
    ws::exchange<blocks_cluster> top_shares(s.top_shares);
    for (ws::tiles<2, blocks_cluster> t(p.grid); t.more(); t.next()) {  // blocks.ir:2
        const int i = t.at(0);
        const int s_2 = t.at(1);
        const auto zero = ws::full<float, 16, 1, ws_rows>(0);
        const auto low = ws::full<float, 16, 1, ws_rows>(-9);
        const int j = s_2 * 128;
        const auto h = ws::load<16, 128, ws_rows>(p.x, i, j);
        const auto v = ws::cast<float>(h);
        const auto part = ws::row_sum(v);
        const auto most = ws::row_max(v);
        const auto sum = ws::sum_blocks(sum_shares, part, zero);
        const auto top = ws::max_blocks(top_shares, most, low);
        if (s_2 == 0) {  // blocks.ir:21
            if (t.inside())
                ws::store_col(p.m, i, sum);  // blocks.ir:21
        }
        const auto d = ws::sub(v, sum);
        const auto e = ws::div_fast(d, top);
        const auto o = ws::cast<ws::f16>(e);
        if (t.inside())
            ws::store(p.y, i, j, o);  // blocks.ir:28
    }
}

static WS_KERNEL(128, 5) void blocks_kernel_in_vectors(WS_PARAMS(blocks_params) p)
{
    blocks_shared &s = ws::shared<blocks_shared>();
    if (ws::first_thread()) {
        s.sum_shares.init("sum_shares");
        s.top_shares.init("top_shares");
    }
    ws::start<blocks_cluster>();
    blocks_params q = p;
    ws::know_vectors(q.x, q.y);
    ws::know_step(q.grid, 0, 0, 16);
    blocks_all<ws::lines_4>(q, s, 0);
    ws::finish<blocks_cluster>();
}

static WS_KERNEL(128, 3) void blocks_kernel(WS_PARAMS(blocks_params) p)
{
    blocks_shared &s = ws::shared<blocks_shared>();
    if (ws::first_thread()) {
        s.sum_shares.init("sum_shares");
        s.top_shares.init("top_shares");
    }
    ws::start<blocks_cluster>();
    blocks_all<ws::narrow(ws::lines_2)>(p, s, 0);
    ws::finish<blocks_cluster>();
}

extern "C" void ws_launch_blocks(int M, const void *X, const void *Y, const void *S)
{
    ws::launch call("blocks");
    blocks_params p;
    call.tensor(p.x, "x", X, {M, 512}, {512, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, 512}, {512, 1}, ws::stored);
    call.tensor(p.m, "m", S, {M}, {1}, ws::stored);
    call.place();
    call.grid(p.grid, {{0, M, 16}, {0, 4, 1}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.x, p.y) ? blocks_kernel_in_vectors : blocks_kernel, p, 128, sizeof(blocks_shared),
             ws::one_tile, blocks_cluster::size);
}
