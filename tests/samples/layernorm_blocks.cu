#include <wsrt.cuh>

// layernorm_blocks.c:24: layernorm_blocks
typedef ws::cluster<1, 8, ws::meeting> layernorm_blocks_cluster;  // blocks side by side, iterations of a loop

struct layernorm_blocks_params {
    ws::tensor<ws::f16, 2> t;
    ws::tensor<float, 1> b;
    ws::tensor<float, 1> g;
    ws::tensor<ws::f16, 2> y;
    int N;
    float epsilon;
    ws::grid<2, layernorm_blocks_cluster> grid;
};

struct layernorm_blocks_shared {
    ws::shares<float, 8, 4> sum_shares;
    ws::shares<float, 8, 4> squares_shares;
};
static_assert(offsetof(layernorm_blocks_shared, sum_shares) == 0);
static_assert(offsetof(layernorm_blocks_shared, squares_shares) == 144);
static_assert(sizeof(layernorm_blocks_shared) == 288);

template <ws::layout ws_rows>
static WS_DEVICE void layernorm_blocks_all(const layernorm_blocks_params &p, layernorm_blocks_shared &s, int group)
{
    ws::exchange<layernorm_blocks_cluster> sum_shares(s.sum_shares);
    ws::exchange<layernorm_blocks_cluster> squares_shares(s.squares_shares);
    for (ws::tiles<2, layernorm_blocks_cluster> t(p.grid); t.more(); t.next()) {  // layernorm_blocks.c:24
        const int i = t.at(0);
        const int s_2 = t.at(1);
        auto sum = ws::full<float, 4, 1, ws_rows>(0);
        auto squares = ws::full<float, 4, 1, ws_rows>(0);
        const int n = s_2 * 1024;
        const auto x = ws::load<4, 1024, ws_rows>(p.t, i, n);
        sum = ws::sum_blocks(sum_shares, ws::row_sum(ws::cast<float>(x)), sum);
        const auto mean = ws::div(sum, p.N);
        const auto inside_2 = ws::lt(ws::add(ws::col_index<1, 1024, ws_rows>(), n), p.N);
        auto d = ws::select(inside_2, ws::sub(ws::cast<float>(x), mean), 0.0f);
        squares = ws::sum_blocks(squares_shares, ws::row_sum(ws::mul(d, d)), squares);
        const auto r = ws::rsqrt(ws::add(ws::div(squares, p.N), p.epsilon));
        d = ws::mul(ws::sub(ws::cast<float>(x), mean), r);
        d = ws::fma(d, ws::load_row<1024, ws_rows>(p.g, n), ws::load_row<1024, ws_rows>(p.b, n));
        if (t.inside())
            ws::store(p.y, i, n, ws::cast<ws::f16>(d));  // layernorm_blocks.c:47
    }
}

static WS_KERNEL(128, 4) void layernorm_blocks_kernel_in_vectors(WS_PARAMS(layernorm_blocks_params) p)
{
    layernorm_blocks_shared &s = ws::shared<layernorm_blocks_shared>();
    if (ws::first_thread()) {
        s.sum_shares.init("sum_shares");
        s.squares_shares.init("squares_shares");
    }
    ws::start<layernorm_blocks_cluster>();
    layernorm_blocks_params q = p;
    ws::know_vectors(q.t, q.b, q.g, q.y);
    layernorm_blocks_all<ws::lines>(q, s, 0);
    ws::finish<layernorm_blocks_cluster>();
}

static WS_KERNEL(128, 3) void layernorm_blocks_kernel(WS_PARAMS(layernorm_blocks_params) p)
{
    layernorm_blocks_shared &s = ws::shared<layernorm_blocks_shared>();
    if (ws::first_thread()) {
        s.sum_shares.init("sum_shares");
        s.squares_shares.init("squares_shares");
    }
    ws::start<layernorm_blocks_cluster>();
    layernorm_blocks_all<ws::narrow(ws::lines)>(p, s, 0);
    ws::finish<layernorm_blocks_cluster>();
}

extern "C" void ws_launch_layernorm_blocks(int M, int N, float epsilon, const void *X, const void *scale,
                                           const void *shift, const void *Y)
{
    ws::launch call("layernorm_blocks");
    layernorm_blocks_params p;
    call.tensor(p.t, "t", X, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.b, "b", shift, {N}, {1}, ws::loaded);
    call.tensor(p.g, "g", scale, {N}, {1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, N}, {N, 1}, ws::stored);
    call.place();
    p.N = N;
    p.epsilon = epsilon;
    call.grid(p.grid, {{0, M, 4}, {0, 8, 1}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.t, p.b, p.g, p.y) ? layernorm_blocks_kernel_in_vectors : layernorm_blocks_kernel, p, 128,
             sizeof(layernorm_blocks_shared), ws::one_tile, layernorm_blocks_cluster::size);
}
