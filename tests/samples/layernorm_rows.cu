#include <wsrt.cuh>

// layernorm_rows.c:17: layernorm_rows
struct layernorm_rows_to_128_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<float, 1> b;
    ws::tensor<float, 1> g;
    ws::tensor<ws::f16, 2> y;
    int N;
    float epsilon;
    ws::grid<1> grid;
};

template <ws::layout ws_rows>
static WS_DEVICE void layernorm_rows_to_128_all(const layernorm_rows_to_128_params &p, int group)
{
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // layernorm_rows.c:17
        const int i = t.at(0);
        const auto t_2 = ws::cast<float>(ws::load<16, 128, ws_rows>(p.x, i, 0));
        const auto inside = ws::lt(ws::col_index<1, 128, ws_rows>(), p.N);
        const auto mean = ws::div(ws::row_sum(t_2), p.N);
        const auto d = ws::select(inside, ws::sub(t_2, mean), 0.0f);
        const auto variance = ws::div(ws::row_sum(ws::mul(d, d)), p.N);
        auto r = ws::mul(d, ws::rsqrt(ws::add(variance, p.epsilon)));
        r = ws::fma(r, ws::load_row<128, ws_rows>(p.g, 0), ws::load_row<128, ws_rows>(p.b, 0));
        ws::store(p.y, i, 0, ws::cast<ws::f16>(r));  // layernorm_rows.c:26
    }
}

static WS_KERNEL(128, 7) void layernorm_rows_to_128_kernel_in_vectors(WS_PARAMS(layernorm_rows_to_128_params) p)
{
    ws::start();
    layernorm_rows_to_128_params q = p;
    ws::know_vectors(q.x, q.b, q.g, q.y);
    ws::know_step(q.grid, 0, 0, 16);
    layernorm_rows_to_128_all<ws::lines>(q, 0);
}

static WS_KERNEL(128, 5) void layernorm_rows_to_128_kernel(WS_PARAMS(layernorm_rows_to_128_params) p)
{
    ws::start();
    layernorm_rows_to_128_all<ws::narrow(ws::lines)>(p, 0);
}

static void ws_launch_layernorm_rows_to_128(int M, int N, float epsilon, const void *X, const void *scale,
                                            const void *shift, const void *Y)
{
    ws::launch call("layernorm_rows");
    layernorm_rows_to_128_params p;
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.b, "b", shift, {N}, {1}, ws::loaded);
    call.tensor(p.g, "g", scale, {N}, {1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, N}, {N, 1}, ws::stored);
    call.place();
    p.N = N;
    p.epsilon = epsilon;
    call.grid(p.grid, {{0, M, 16}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.x, p.b, p.g, p.y) ? layernorm_rows_to_128_kernel_in_vectors
             : layernorm_rows_to_128_kernel, p, 128, 0, ws::one_tile);
}

// layernorm_rows.c:17: layernorm_rows
struct layernorm_rows_to_256_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<float, 1> b;
    ws::tensor<float, 1> g;
    ws::tensor<ws::f16, 2> y;
    int N;
    float epsilon;
    ws::grid<1> grid;
};

template <ws::layout ws_rows>
static WS_DEVICE void layernorm_rows_to_256_all(const layernorm_rows_to_256_params &p, int group)
{
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // layernorm_rows.c:17
        const int i = t.at(0);
        const auto t_2 = ws::cast<float>(ws::load<8, 256, ws_rows>(p.x, i, 0));
        const auto inside = ws::lt(ws::col_index<1, 256, ws_rows>(), p.N);
        const auto mean = ws::div(ws::row_sum(t_2), p.N);
        const auto d = ws::select(inside, ws::sub(t_2, mean), 0.0f);
        const auto variance = ws::div(ws::row_sum(ws::mul(d, d)), p.N);
        auto r = ws::mul(d, ws::rsqrt(ws::add(variance, p.epsilon)));
        r = ws::fma(r, ws::load_row<256, ws_rows>(p.g, 0), ws::load_row<256, ws_rows>(p.b, 0));
        ws::store(p.y, i, 0, ws::cast<ws::f16>(r));  // layernorm_rows.c:26
    }
}

static WS_KERNEL(128, 6) void layernorm_rows_to_256_kernel_in_vectors(WS_PARAMS(layernorm_rows_to_256_params) p)
{
    ws::start();
    layernorm_rows_to_256_params q = p;
    ws::know_vectors(q.x, q.b, q.g, q.y);
    ws::know_step(q.grid, 0, 0, 8);
    layernorm_rows_to_256_all<ws::lines>(q, 0);
}

static WS_KERNEL(128, 4) void layernorm_rows_to_256_kernel(WS_PARAMS(layernorm_rows_to_256_params) p)
{
    ws::start();
    layernorm_rows_to_256_all<ws::narrow(ws::lines)>(p, 0);
}

static void ws_launch_layernorm_rows_to_256(int M, int N, float epsilon, const void *X, const void *scale,
                                            const void *shift, const void *Y)
{
    ws::launch call("layernorm_rows");
    layernorm_rows_to_256_params p;
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.b, "b", shift, {N}, {1}, ws::loaded);
    call.tensor(p.g, "g", scale, {N}, {1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, N}, {N, 1}, ws::stored);
    call.place();
    p.N = N;
    p.epsilon = epsilon;
    call.grid(p.grid, {{0, M, 8}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.x, p.b, p.g, p.y) ? layernorm_rows_to_256_kernel_in_vectors
             : layernorm_rows_to_256_kernel, p, 128, 0, ws::one_tile);
}

// layernorm_rows.c:17: layernorm_rows
struct layernorm_rows_to_512_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<float, 1> b;
    ws::tensor<float, 1> g;
    ws::tensor<ws::f16, 2> y;
    int N;
    float epsilon;
    ws::grid<1> grid;
};

template <ws::layout ws_rows>
static WS_DEVICE void layernorm_rows_to_512_all(const layernorm_rows_to_512_params &p, int group)
{
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // layernorm_rows.c:17
        const int i = t.at(0);
        const auto t_2 = ws::cast<float>(ws::load<8, 512, ws_rows>(p.x, i, 0));
        const auto inside = ws::lt(ws::col_index<1, 512, ws_rows>(), p.N);
        const auto mean = ws::div(ws::row_sum(t_2), p.N);
        const auto d = ws::select(inside, ws::sub(t_2, mean), 0.0f);
        const auto variance = ws::div(ws::row_sum(ws::mul(d, d)), p.N);
        auto r = ws::mul(d, ws::rsqrt(ws::add(variance, p.epsilon)));
        r = ws::fma(r, ws::load_row<512, ws_rows>(p.g, 0), ws::load_row<512, ws_rows>(p.b, 0));
        ws::store(p.y, i, 0, ws::cast<ws::f16>(r));  // layernorm_rows.c:26
    }
}

static WS_KERNEL(128, 5) void layernorm_rows_to_512_kernel_in_vectors(WS_PARAMS(layernorm_rows_to_512_params) p)
{
    ws::start();
    layernorm_rows_to_512_params q = p;
    ws::know_vectors(q.x, q.b, q.g, q.y);
    ws::know_step(q.grid, 0, 0, 8);
    layernorm_rows_to_512_all<ws::lines>(q, 0);
}

static WS_KERNEL(128, 3) void layernorm_rows_to_512_kernel(WS_PARAMS(layernorm_rows_to_512_params) p)
{
    ws::start();
    layernorm_rows_to_512_all<ws::narrow(ws::lines)>(p, 0);
}

static void ws_launch_layernorm_rows_to_512(int M, int N, float epsilon, const void *X, const void *scale,
                                            const void *shift, const void *Y)
{
    ws::launch call("layernorm_rows");
    layernorm_rows_to_512_params p;
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.b, "b", shift, {N}, {1}, ws::loaded);
    call.tensor(p.g, "g", scale, {N}, {1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, N}, {N, 1}, ws::stored);
    call.place();
    p.N = N;
    p.epsilon = epsilon;
    call.grid(p.grid, {{0, M, 8}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.x, p.b, p.g, p.y) ? layernorm_rows_to_512_kernel_in_vectors
             : layernorm_rows_to_512_kernel, p, 128, 0, ws::one_tile);
}

// layernorm_rows.c:17: layernorm_rows
struct layernorm_rows_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<float, 1> b;
    ws::tensor<float, 1> g;
    ws::tensor<ws::f16, 2> y;
    int N;
    float epsilon;
    ws::grid<1> grid;
};

template <ws::layout ws_rows>
static WS_DEVICE void layernorm_rows_all(const layernorm_rows_params &p, int group)
{
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // layernorm_rows.c:17
        const int i = t.at(0);
        const auto t_2 = ws::cast<float>(ws::load<8, 1024, ws_rows>(p.x, i, 0));
        const auto inside = ws::lt(ws::col_index<1, 1024, ws_rows>(), p.N);
        const auto mean = ws::div(ws::row_sum(t_2), p.N);
        const auto d = ws::select(inside, ws::sub(t_2, mean), 0.0f);
        const auto variance = ws::div(ws::row_sum(ws::mul(d, d)), p.N);
        auto r = ws::mul(d, ws::rsqrt(ws::add(variance, p.epsilon)));
        r = ws::fma(r, ws::load_row<1024, ws_rows>(p.g, 0), ws::load_row<1024, ws_rows>(p.b, 0));
        ws::store(p.y, i, 0, ws::cast<ws::f16>(r));  // layernorm_rows.c:26
    }
}

static WS_KERNEL(128, 3) void layernorm_rows_kernel_in_vectors(WS_PARAMS(layernorm_rows_params) p)
{
    ws::start();
    layernorm_rows_params q = p;
    ws::know_vectors(q.x, q.b, q.g, q.y);
    ws::know_step(q.grid, 0, 0, 8);
    layernorm_rows_all<ws::lines>(q, 0);
}

static WS_KERNEL(128, 2) void layernorm_rows_kernel(WS_PARAMS(layernorm_rows_params) p)
{
    ws::start();
    layernorm_rows_all<ws::narrow(ws::lines)>(p, 0);
}

extern "C" void ws_launch_layernorm_rows(int M, int N, float epsilon, const void *X, const void *scale,
                                         const void *shift, const void *Y)
{
    if (N >= 1 && N <= 128) {
        ws_launch_layernorm_rows_to_128(M, N, epsilon, X, scale, shift, Y);
        return;
    }
    if (N >= 129 && N <= 256) {
        ws_launch_layernorm_rows_to_256(M, N, epsilon, X, scale, shift, Y);
        return;
    }
    if (N >= 257 && N <= 512) {
        ws_launch_layernorm_rows_to_512(M, N, epsilon, X, scale, shift, Y);
        return;
    }
    ws::launch call("layernorm_rows");
    layernorm_rows_params p;
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.b, "b", shift, {N}, {1}, ws::loaded);
    call.tensor(p.g, "g", scale, {N}, {1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, N}, {N, 1}, ws::stored);
    call.place();
    p.N = N;
    p.epsilon = epsilon;
    call.grid(p.grid, {{0, M, 8}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.x, p.b, p.g, p.y) ? layernorm_rows_kernel_in_vectors : layernorm_rows_kernel, p, 128, 0,
             ws::one_tile);
}
