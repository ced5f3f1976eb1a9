#include <wsrt.cuh>

// powers.ir:3: powers
struct powers_to_1024_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<float, 1> g;
    ws::tensor<ws::f16, 2> y;
    ws::grid<1> grid;
};

template <ws::layout ws_rows>
static WS_DEVICE void powers_to_1024_all(const powers_to_1024_params &p, int group)
{
    auto ws_prefetch_1 = ws::load_prefetched(ws::tiles<1>(p.grid), [&](const auto &t) {
        const int i = t.at(0);
        return ws::load_or<4, 1024, ws_rows>(-INFINITY, p.x, i, 0);
    });
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // powers.ir:3
        const int i = t.at(0);
        const auto low = ws::full<float, 4, 1, ws_rows>(-1e+30);
        const auto zero = ws::full<float, 4, 1, ws_rows>(0);
        const auto v = ws_prefetch_1.take(t);
        const auto w = ws::cast<float>(v);
        const auto top = ws::row_max(w);
        const auto now = ws::max(low, top);
        const auto d = ws::sub(low, now);
        const auto shrink = ws::exp(d);
        const auto e = ws::sub(w, now);
        const auto p_2 = ws::exp_fast(e);
        const auto q = ws::row_part(p_2);
        const auto t_2 = ws::fma(zero, shrink, q);
        const auto sum = ws::row_total(t_2);
        const auto w2 = ws::cast<float>(v);
        const auto e2 = ws::sub(w2, now);
        const auto p2 = ws::exp_fast(e2);
        const auto scale = ws::load_row<1024, ws_rows>(p.g, 0);
        const auto a = ws::mul(p2, scale);
        const auto b = ws::div_fast(a, sum);
        const auto h = ws::cast<ws::f16>(b);
        ws::store(p.y, i, 0, h);  // powers.ir:33
    }
}

static WS_KERNEL(128, 4) void powers_to_1024_kernel_in_vectors(WS_PARAMS(powers_to_1024_params) p)
{
    ws::start();
    powers_to_1024_params q = p;
    ws::know_vectors(q.x, q.g, q.y);
    powers_to_1024_all<ws::lines>(q, 0);
}

static WS_KERNEL(128, 3) void powers_to_1024_kernel(WS_PARAMS(powers_to_1024_params) p)
{
    ws::start();
    powers_to_1024_all<ws::narrow(ws::lines)>(p, 0);
}

static void ws_launch_powers_to_1024(int M, int N, const void *X, const void *G, const void *Y)
{
    ws::launch call("powers");
    powers_to_1024_params p;
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.g, "g", G, {N}, {1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.grid(p.grid, {{0, M, 4}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.x, p.g, p.y) ? powers_to_1024_kernel_in_vectors : powers_to_1024_kernel, p, 128, 0,
             ws::persistent);
}

// powers.ir:3: powers
typedef ws::cluster<1, 8, ws::meeting> powers_to_131072_cluster;  // blocks side by side, iterations of a loop

struct powers_to_131072_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<float, 1> g;
    ws::tensor<ws::f16, 2> y;
    ws::grid<2, powers_to_131072_cluster> grid;
};

struct powers_to_131072_shared {
    ws::team_shares<float, 8, 16, 2> most_shares;
    ws::team_shares<float, 8, 16, 2> sum_shares;
    ws::cached_tile<float, 1, 16384, ws::wide_2> g_cached;
};
static_assert(offsetof(powers_to_131072_shared, most_shares) == 0);
static_assert(offsetof(powers_to_131072_shared, sum_shares) == 528);
static_assert(offsetof(powers_to_131072_shared, g_cached) == 1056);
static_assert(sizeof(powers_to_131072_shared) == 66592);

static WS_DEVICE void powers_to_131072_all(const powers_to_131072_params &p, powers_to_131072_shared &s, int group)
{
    ws::team_exchange<powers_to_131072_cluster, 2, 0> most_shares(s.most_shares);
    ws::team_exchange<powers_to_131072_cluster, 2, 1> sum_shares(s.sum_shares);
    auto ws_prefetch_1 = ws::load_prefetched(ws::tiles<2, powers_to_131072_cluster>(p.grid), [&](const auto &t) {
        const int i = t.at(0);
        const int j = t.at(1);
        const int n = j * 16384;
        return ws::load_or<1, 16384, ws::wide_2>(-INFINITY, p.x, i, n);
    });
    s.g_cached.keep(ws::load_once(ws::tiles<2, powers_to_131072_cluster>(p.grid), [&](const auto &t) {
        const int j = t.at(1);
        const int n = j * 16384;
        return ws::load_row<16384, ws::wide_2>(p.g, n);
    }));
    for (ws::tiles<2, powers_to_131072_cluster> t(p.grid); t.more(); t.next()) {  // powers.ir:3
        const int i = t.at(0);
        const int j = t.at(1);
        const auto low = ws::full<float, 1, 1, ws::wide_2>(-1e+30);
        const auto zero = ws::full<float, 1, 1, ws::wide_2>(0);
        const int n = j * 16384;
        const auto v = ws_prefetch_1.now();
        const auto w = ws::cast<float>(v);
        const auto ws_sent_most_shares = ws::send_max<1024>(most_shares, w);
        const auto ws_sent_sum_shares = ws::send_sum_exp_fast<1024, true>(sum_shares, w);
        ws_prefetch_1.begin(t);
        const auto most = ws_sent_most_shares.received(low);
        const auto sum = ws_sent_sum_shares.received(zero, low);
        const auto p2 = ws_sent_sum_shares.powers(most);
        const auto scale = s.g_cached.take();
        const auto a = ws::mul(p2, scale);
        const auto b = ws::div_fast(a, sum);
        const auto h = ws::cast<ws::f16>(b);
        if (t.inside())
            ws::store(p.y, i, n, h);  // powers.ir:33
    }
}

static WS_KERNEL(256, 2) void powers_to_131072_kernel_in_vectors(WS_PARAMS(powers_to_131072_params) p)
{
    powers_to_131072_shared &s = ws::shared<powers_to_131072_shared>();
    if (ws::first_thread()) {
        s.most_shares.init("most_shares");
        s.sum_shares.init("sum_shares");
    }
    ws::start<powers_to_131072_cluster>();
    powers_to_131072_params q = p;
    ws::know_vectors(q.x, q.g, q.y);
    powers_to_131072_all(q, s, 0);
    ws::finish<powers_to_131072_cluster>();
}

static WS_KERNEL(256, 1) void powers_to_131072_kernel(WS_PARAMS(powers_to_131072_params) p)
{
    powers_to_131072_shared &s = ws::shared<powers_to_131072_shared>();
    if (ws::first_thread()) {
        s.most_shares.init("most_shares");
        s.sum_shares.init("sum_shares");
    }
    ws::start<powers_to_131072_cluster>();
    powers_to_131072_all(p, s, 0);
    ws::finish<powers_to_131072_cluster>();
}

static void ws_launch_powers_to_131072(int M, int N, const void *X, const void *G, const void *Y)
{
    ws::launch call("powers");
    powers_to_131072_params p;
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.g, "g", G, {N}, {1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.grid(p.grid, {{0, M, 1}, {0, 8, 1}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.x, p.g, p.y) ? powers_to_131072_kernel_in_vectors : powers_to_131072_kernel, p,
             ws::team(2), sizeof(powers_to_131072_shared), ws::persistent, powers_to_131072_cluster::size);
}

// powers.ir:3: powers
typedef ws::cluster<1, 2, ws::meeting> powers_to_16384_cluster;  // blocks side by side, iterations of a loop

struct powers_to_16384_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<float, 1> g;
    ws::tensor<ws::f16, 2> y;
    ws::grid<2, powers_to_16384_cluster> grid;
};

struct powers_to_16384_shared {
    ws::shares<float, 2, 8> most_shares;
    ws::shares<float, 2, 8> sum_shares;
    ws::cached_tile<float, 1, 8192, ws::wide> g_cached;
};
static_assert(offsetof(powers_to_16384_shared, most_shares) == 0);
static_assert(offsetof(powers_to_16384_shared, sum_shares) == 80);
static_assert(offsetof(powers_to_16384_shared, g_cached) == 160);
static_assert(sizeof(powers_to_16384_shared) == 32928);

static WS_DEVICE void powers_to_16384_all(const powers_to_16384_params &p, powers_to_16384_shared &s, int group)
{
    ws::exchange<powers_to_16384_cluster> most_shares(s.most_shares);
    ws::exchange<powers_to_16384_cluster> sum_shares(s.sum_shares);
    auto ws_prefetch_1 = ws::load_prefetched(ws::tiles<2, powers_to_16384_cluster>(p.grid), [&](const auto &t) {
        const int i = t.at(0);
        const int j = t.at(1);
        const int n = j * 8192;
        return ws::load_or<1, 8192, ws::wide>(-INFINITY, p.x, i, n);
    });
    s.g_cached.keep(ws::load_once(ws::tiles<2, powers_to_16384_cluster>(p.grid), [&](const auto &t) {
        const int j = t.at(1);
        const int n = j * 8192;
        return ws::load_row<8192, ws::wide>(p.g, n);
    }));
    for (ws::tiles<2, powers_to_16384_cluster> t(p.grid); t.more(); t.next()) {  // powers.ir:3
        const int i = t.at(0);
        const int j = t.at(1);
        const auto low = ws::full<float, 1, 1, ws::wide>(-1e+30);
        const auto zero = ws::full<float, 1, 1, ws::wide>(0);
        const int n = j * 8192;
        const auto v = ws_prefetch_1.take(t);
        const auto w = ws::cast<float>(v);
        const auto ws_sent_most_shares = ws::send_max<1024>(most_shares, w);
        const auto ws_sent_sum_shares = ws::send_sum_exp_fast<1024, true>(sum_shares, w);
        const auto most = ws_sent_most_shares.received(low);
        const auto sum = ws_sent_sum_shares.received(zero, low);
        const auto p2 = ws_sent_sum_shares.powers(most);
        const auto scale = s.g_cached.take();
        const auto a = ws::mul(p2, scale);
        const auto b = ws::div_fast(a, sum);
        const auto h = ws::cast<ws::f16>(b);
        if (t.inside())
            ws::store(p.y, i, n, h);  // powers.ir:33
    }
}

static WS_KERNEL(128, 2) void powers_to_16384_kernel_in_vectors(WS_PARAMS(powers_to_16384_params) p)
{
    powers_to_16384_shared &s = ws::shared<powers_to_16384_shared>();
    if (ws::first_thread()) {
        s.most_shares.init("most_shares");
        s.sum_shares.init("sum_shares");
    }
    ws::start<powers_to_16384_cluster>();
    powers_to_16384_params q = p;
    ws::know_vectors(q.x, q.g, q.y);
    powers_to_16384_all(q, s, 0);
    ws::finish<powers_to_16384_cluster>();
}

static WS_KERNEL(128, 2) void powers_to_16384_kernel(WS_PARAMS(powers_to_16384_params) p)
{
    powers_to_16384_shared &s = ws::shared<powers_to_16384_shared>();
    if (ws::first_thread()) {
        s.most_shares.init("most_shares");
        s.sum_shares.init("sum_shares");
    }
    ws::start<powers_to_16384_cluster>();
    powers_to_16384_all(p, s, 0);
    ws::finish<powers_to_16384_cluster>();
}

static void ws_launch_powers_to_16384(int M, int N, const void *X, const void *G, const void *Y)
{
    ws::launch call("powers");
    powers_to_16384_params p;
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.g, "g", G, {N}, {1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.grid(p.grid, {{0, M, 1}, {0, 2, 1}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.x, p.g, p.y) ? powers_to_16384_kernel_in_vectors : powers_to_16384_kernel, p, 128,
             sizeof(powers_to_16384_shared), ws::persistent, powers_to_16384_cluster::size);
}

// powers.ir:3: powers
struct powers_to_2048_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<float, 1> g;
    ws::tensor<ws::f16, 2> y;
    ws::grid<1> grid;
};

template <ws::layout ws_rows>
static WS_DEVICE void powers_to_2048_all(const powers_to_2048_params &p, int group)
{
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // powers.ir:3
        const int i = t.at(0);
        const auto low = ws::full<float, 4, 1, ws_rows>(-1e+30);
        const auto zero = ws::full<float, 4, 1, ws_rows>(0);
        const auto v = ws::load_or<4, 1024, ws_rows>(-INFINITY, p.x, i, 0);
        const auto v_2 = ws::load_or<4, 1024, ws_rows>(-INFINITY, p.x, i, 1024);
        auto w = ws::cast<float>(v);
        auto top = ws::row_max(w);
        const auto now = ws::max(low, top);
        auto d = ws::sub(low, now);
        auto shrink = ws::exp(d);
        auto e = ws::sub(w, now);
        auto p_2 = ws::exp_fast(e);
        auto q = ws::row_part(p_2);
        auto t_2 = ws::fma(zero, shrink, q);
        w = ws::cast<float>(v_2);
        top = ws::row_max(w);
        const auto now_2 = ws::max(now, top);
        d = ws::sub(now, now_2);
        shrink = ws::exp(d);
        e = ws::sub(w, now_2);
        p_2 = ws::exp_fast(e);
        q = ws::row_part(p_2);
        t_2 = ws::fma(t_2, shrink, q);
        const auto sum = ws::row_total(t_2);
        auto w2 = ws::cast<float>(v);
        auto e2 = ws::sub(w2, now_2);
        auto p2 = ws::exp_fast(e2);
        auto scale = ws::load_row<1024, ws_rows>(p.g, 0);
        auto a = ws::mul(p2, scale);
        auto b = ws::div_fast(a, sum);
        auto h = ws::cast<ws::f16>(b);
        ws::store(p.y, i, 0, h);  // powers.ir:33
        w2 = ws::cast<float>(v_2);
        e2 = ws::sub(w2, now_2);
        p2 = ws::exp_fast(e2);
        scale = ws::load_row<1024, ws_rows>(p.g, 1024);
        a = ws::mul(p2, scale);
        b = ws::div_fast(a, sum);
        h = ws::cast<ws::f16>(b);
        ws::store(p.y, i, 1024, h);  // powers.ir:33
    }
}

static WS_KERNEL(128, 1) void powers_to_2048_kernel_in_vectors(WS_PARAMS(powers_to_2048_params) p)
{
    ws::start();
    powers_to_2048_params q = p;
    ws::know_vectors(q.x, q.g, q.y);
    powers_to_2048_all<ws::lines>(q, 0);
}

static WS_KERNEL(128, 1) void powers_to_2048_kernel(WS_PARAMS(powers_to_2048_params) p)
{
    ws::start();
    powers_to_2048_all<ws::narrow(ws::lines)>(p, 0);
}

static void ws_launch_powers_to_2048(int M, int N, const void *X, const void *G, const void *Y)
{
    ws::launch call("powers");
    powers_to_2048_params p;
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.g, "g", G, {N}, {1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.grid(p.grid, {{0, M, 4}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.x, p.g, p.y) ? powers_to_2048_kernel_in_vectors : powers_to_2048_kernel, p, 128, 0,
             ws::one_tile);
}

// powers.ir:3: powers
typedef ws::cluster<1, 16, ws::meeting> powers_to_262144_cluster;  // blocks side by side, iterations of a loop

struct powers_to_262144_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<float, 1> g;
    ws::tensor<ws::f16, 2> y;
    ws::grid<2, powers_to_262144_cluster> grid;
};

struct powers_to_262144_shared {
    ws::team_shares<float, 16, 16, 2> most_shares;
    ws::team_shares<float, 16, 16, 2> sum_shares;
    ws::cached_tile<float, 1, 16384, ws::wide_2> g_cached;
};
static_assert(offsetof(powers_to_262144_shared, most_shares) == 0);
static_assert(offsetof(powers_to_262144_shared, sum_shares) == 1040);
static_assert(offsetof(powers_to_262144_shared, g_cached) == 2080);
static_assert(sizeof(powers_to_262144_shared) == 67616);

static WS_DEVICE void powers_to_262144_all(const powers_to_262144_params &p, powers_to_262144_shared &s, int group)
{
    ws::team_exchange<powers_to_262144_cluster, 2, 0> most_shares(s.most_shares);
    ws::team_exchange<powers_to_262144_cluster, 2, 1> sum_shares(s.sum_shares);
    auto ws_prefetch_1 = ws::load_prefetched(ws::tiles<2, powers_to_262144_cluster>(p.grid), [&](const auto &t) {
        const int i = t.at(0);
        const int j = t.at(1);
        const int n = j * 16384;
        return ws::load_or<1, 16384, ws::wide_2>(-INFINITY, p.x, i, n);
    });
    s.g_cached.keep(ws::load_once(ws::tiles<2, powers_to_262144_cluster>(p.grid), [&](const auto &t) {
        const int j = t.at(1);
        const int n = j * 16384;
        return ws::load_row<16384, ws::wide_2>(p.g, n);
    }));
    for (ws::tiles<2, powers_to_262144_cluster> t(p.grid); t.more(); t.next()) {  // powers.ir:3
        const int i = t.at(0);
        const int j = t.at(1);
        const auto low = ws::full<float, 1, 1, ws::wide_2>(-1e+30);
        const auto zero = ws::full<float, 1, 1, ws::wide_2>(0);
        const int n = j * 16384;
        const auto v = ws_prefetch_1.now();
        const auto w = ws::cast<float>(v);
        const auto ws_sent_most_shares = ws::send_max<1024>(most_shares, w);
        const auto ws_sent_sum_shares = ws::send_sum_exp_fast<1024, true>(sum_shares, w);
        ws_prefetch_1.begin(t);
        const auto most = ws_sent_most_shares.received(low);
        const auto sum = ws_sent_sum_shares.received(zero, low);
        const auto p2 = ws_sent_sum_shares.powers(most);
        const auto scale = s.g_cached.take();
        const auto a = ws::mul(p2, scale);
        const auto b = ws::div_fast(a, sum);
        const auto h = ws::cast<ws::f16>(b);
        if (t.inside())
            ws::store(p.y, i, n, h);  // powers.ir:33
    }
}

static WS_KERNEL(256, 2) void powers_to_262144_kernel_in_vectors(WS_PARAMS(powers_to_262144_params) p)
{
    powers_to_262144_shared &s = ws::shared<powers_to_262144_shared>();
    if (ws::first_thread()) {
        s.most_shares.init("most_shares");
        s.sum_shares.init("sum_shares");
    }
    ws::start<powers_to_262144_cluster>();
    powers_to_262144_params q = p;
    ws::know_vectors(q.x, q.g, q.y);
    powers_to_262144_all(q, s, 0);
    ws::finish<powers_to_262144_cluster>();
}

static WS_KERNEL(256, 1) void powers_to_262144_kernel(WS_PARAMS(powers_to_262144_params) p)
{
    powers_to_262144_shared &s = ws::shared<powers_to_262144_shared>();
    if (ws::first_thread()) {
        s.most_shares.init("most_shares");
        s.sum_shares.init("sum_shares");
    }
    ws::start<powers_to_262144_cluster>();
    powers_to_262144_all(p, s, 0);
    ws::finish<powers_to_262144_cluster>();
}

static void ws_launch_powers_to_262144(int M, int N, const void *X, const void *G, const void *Y)
{
    ws::launch call("powers");
    powers_to_262144_params p;
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.g, "g", G, {N}, {1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.grid(p.grid, {{0, M, 1}, {0, 16, 1}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.x, p.g, p.y) ? powers_to_262144_kernel_in_vectors : powers_to_262144_kernel, p,
             ws::team(2), sizeof(powers_to_262144_shared), ws::persistent, powers_to_262144_cluster::size);
}

// powers.ir:3: powers
typedef ws::cluster<1, 4, ws::meeting> powers_to_32768_cluster;  // blocks side by side, iterations of a loop

struct powers_to_32768_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<float, 1> g;
    ws::tensor<ws::f16, 2> y;
    ws::grid<2, powers_to_32768_cluster> grid;
};

struct powers_to_32768_shared {
    ws::shares<float, 4, 8> most_shares;
    ws::shares<float, 4, 8> sum_shares;
    ws::cached_tile<float, 1, 8192, ws::wide> g_cached;
};
static_assert(offsetof(powers_to_32768_shared, most_shares) == 0);
static_assert(offsetof(powers_to_32768_shared, sum_shares) == 144);
static_assert(offsetof(powers_to_32768_shared, g_cached) == 288);
static_assert(sizeof(powers_to_32768_shared) == 33056);

static WS_DEVICE void powers_to_32768_all(const powers_to_32768_params &p, powers_to_32768_shared &s, int group)
{
    ws::exchange<powers_to_32768_cluster> most_shares(s.most_shares);
    ws::exchange<powers_to_32768_cluster> sum_shares(s.sum_shares);
    auto ws_prefetch_1 = ws::load_prefetched(ws::tiles<2, powers_to_32768_cluster>(p.grid), [&](const auto &t) {
        const int i = t.at(0);
        const int j = t.at(1);
        const int n = j * 8192;
        return ws::load_or<1, 8192, ws::wide>(-INFINITY, p.x, i, n);
    });
    s.g_cached.keep(ws::load_once(ws::tiles<2, powers_to_32768_cluster>(p.grid), [&](const auto &t) {
        const int j = t.at(1);
        const int n = j * 8192;
        return ws::load_row<8192, ws::wide>(p.g, n);
    }));
    for (ws::tiles<2, powers_to_32768_cluster> t(p.grid); t.more(); t.next()) {  // powers.ir:3
        const int i = t.at(0);
        const int j = t.at(1);
        const auto low = ws::full<float, 1, 1, ws::wide>(-1e+30);
        const auto zero = ws::full<float, 1, 1, ws::wide>(0);
        const int n = j * 8192;
        const auto v = ws_prefetch_1.take(t);
        const auto w = ws::cast<float>(v);
        const auto ws_sent_most_shares = ws::send_max<1024>(most_shares, w);
        const auto ws_sent_sum_shares = ws::send_sum_exp_fast<1024, true>(sum_shares, w);
        const auto most = ws_sent_most_shares.received(low);
        const auto sum = ws_sent_sum_shares.received(zero, low);
        const auto p2 = ws_sent_sum_shares.powers(most);
        const auto scale = s.g_cached.take();
        const auto a = ws::mul(p2, scale);
        const auto b = ws::div_fast(a, sum);
        const auto h = ws::cast<ws::f16>(b);
        if (t.inside())
            ws::store(p.y, i, n, h);  // powers.ir:33
    }
}

static WS_KERNEL(128, 2) void powers_to_32768_kernel_in_vectors(WS_PARAMS(powers_to_32768_params) p)
{
    powers_to_32768_shared &s = ws::shared<powers_to_32768_shared>();
    if (ws::first_thread()) {
        s.most_shares.init("most_shares");
        s.sum_shares.init("sum_shares");
    }
    ws::start<powers_to_32768_cluster>();
    powers_to_32768_params q = p;
    ws::know_vectors(q.x, q.g, q.y);
    powers_to_32768_all(q, s, 0);
    ws::finish<powers_to_32768_cluster>();
}

static WS_KERNEL(128, 2) void powers_to_32768_kernel(WS_PARAMS(powers_to_32768_params) p)
{
    powers_to_32768_shared &s = ws::shared<powers_to_32768_shared>();
    if (ws::first_thread()) {
        s.most_shares.init("most_shares");
        s.sum_shares.init("sum_shares");
    }
    ws::start<powers_to_32768_cluster>();
    powers_to_32768_all(p, s, 0);
    ws::finish<powers_to_32768_cluster>();
}

static void ws_launch_powers_to_32768(int M, int N, const void *X, const void *G, const void *Y)
{
    ws::launch call("powers");
    powers_to_32768_params p;
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.g, "g", G, {N}, {1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.grid(p.grid, {{0, M, 1}, {0, 4, 1}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.x, p.g, p.y) ? powers_to_32768_kernel_in_vectors : powers_to_32768_kernel, p, 128,
             sizeof(powers_to_32768_shared), ws::persistent, powers_to_32768_cluster::size);
}

// powers.ir:3: powers
struct powers_to_4096_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<float, 1> g;
    ws::tensor<ws::f16, 2> y;
    ws::grid<1> grid;
};

struct powers_to_4096_shared {
    ws::lone_shares<float, 16, 2> most_shares;
    ws::lone_shares<float, 32, 2> sum_shares;
    ws::cached_tile<float, 1, 4096, ws::wide_2> g_cached;
};
static_assert(offsetof(powers_to_4096_shared, most_shares) == 0);
static_assert(offsetof(powers_to_4096_shared, sum_shares) == 80);
static_assert(offsetof(powers_to_4096_shared, g_cached) == 224);
static_assert(sizeof(powers_to_4096_shared) == 16608);

static WS_DEVICE void powers_to_4096_all(const powers_to_4096_params &p, powers_to_4096_shared &s, int group)
{
    ws::lone_exchange<2> most_shares(s.most_shares);
    ws::lone_exchange<2> sum_shares(s.sum_shares);
    auto ws_prefetch_1 = ws::load_prefetched(ws::tiles<1>(p.grid), [&](const auto &t) {
        const int i = t.at(0);
        return ws::load_or<1, 4096, ws::wide_2>(-INFINITY, p.x, i, 0);
    });
    s.g_cached.keep(ws::load_once(ws::tiles<1>(p.grid), [&](const auto &t) {
        return ws::load_row<4096, ws::wide_2>(p.g, 0);
    }));
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // powers.ir:3
        const int i = t.at(0);
        const auto low = ws::full<float, 1, 1, ws::wide_2>(-1e+30);
        const auto zero = ws::full<float, 1, 1, ws::wide_2>(0);
        const auto v = ws_prefetch_1.take(t);
        const auto w = ws::cast<float>(v);
        const auto ws_sent_most_shares = ws::send_max<1024>(most_shares, w);
        const auto ws_sent_sum_shares = ws::send_sum_exp_fast<1024, true>(sum_shares, w);
        const auto most = ws_sent_most_shares.received(low);
        const auto sum = ws_sent_sum_shares.received(zero, low);
        const auto p2 = ws_sent_sum_shares.powers(most);
        const auto scale = s.g_cached.take();
        const auto a = ws::mul(p2, scale);
        const auto b = ws::div_fast(a, sum);
        const auto h = ws::cast<ws::f16>(b);
        ws::store(p.y, i, 0, h);  // powers.ir:33
    }
}

static WS_KERNEL(256, 4) void powers_to_4096_kernel_in_vectors(WS_PARAMS(powers_to_4096_params) p)
{
    powers_to_4096_shared &s = ws::shared<powers_to_4096_shared>();
    ws::start();
    powers_to_4096_params q = p;
    ws::know_vectors(q.x, q.g, q.y);
    powers_to_4096_all(q, s, 0);
}

static WS_KERNEL(256, 1) void powers_to_4096_kernel(WS_PARAMS(powers_to_4096_params) p)
{
    powers_to_4096_shared &s = ws::shared<powers_to_4096_shared>();
    ws::start();
    powers_to_4096_all(p, s, 0);
}

static void ws_launch_powers_to_4096(int M, int N, const void *X, const void *G, const void *Y)
{
    ws::launch call("powers");
    powers_to_4096_params p;
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.g, "g", G, {N}, {1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.grid(p.grid, {{0, M, 1}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.x, p.g, p.y) ? powers_to_4096_kernel_in_vectors : powers_to_4096_kernel, p, ws::team(2),
             sizeof(powers_to_4096_shared), ws::persistent);
}

// powers.ir:3: powers
typedef ws::cluster<1, 8, ws::meeting> powers_to_65536_cluster;  // blocks side by side, iterations of a loop

struct powers_to_65536_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<float, 1> g;
    ws::tensor<ws::f16, 2> y;
    ws::grid<2, powers_to_65536_cluster> grid;
};

struct powers_to_65536_shared {
    ws::shares<float, 8, 8> most_shares;
    ws::shares<float, 8, 8> sum_shares;
    ws::cached_tile<float, 1, 8192, ws::wide> g_cached;
};
static_assert(offsetof(powers_to_65536_shared, most_shares) == 0);
static_assert(offsetof(powers_to_65536_shared, sum_shares) == 272);
static_assert(offsetof(powers_to_65536_shared, g_cached) == 544);
static_assert(sizeof(powers_to_65536_shared) == 33312);

static WS_DEVICE void powers_to_65536_all(const powers_to_65536_params &p, powers_to_65536_shared &s, int group)
{
    ws::exchange<powers_to_65536_cluster> most_shares(s.most_shares);
    ws::exchange<powers_to_65536_cluster> sum_shares(s.sum_shares);
    auto ws_prefetch_1 = ws::load_prefetched(ws::tiles<2, powers_to_65536_cluster>(p.grid), [&](const auto &t) {
        const int i = t.at(0);
        const int j = t.at(1);
        const int n = j * 8192;
        return ws::load_or<1, 8192, ws::wide>(-INFINITY, p.x, i, n);
    });
    s.g_cached.keep(ws::load_once(ws::tiles<2, powers_to_65536_cluster>(p.grid), [&](const auto &t) {
        const int j = t.at(1);
        const int n = j * 8192;
        return ws::load_row<8192, ws::wide>(p.g, n);
    }));
    for (ws::tiles<2, powers_to_65536_cluster> t(p.grid); t.more(); t.next()) {  // powers.ir:3
        const int i = t.at(0);
        const int j = t.at(1);
        const auto low = ws::full<float, 1, 1, ws::wide>(-1e+30);
        const auto zero = ws::full<float, 1, 1, ws::wide>(0);
        const int n = j * 8192;
        const auto v = ws_prefetch_1.take(t);
        const auto w = ws::cast<float>(v);
        const auto ws_sent_most_shares = ws::send_max<1024>(most_shares, w);
        const auto ws_sent_sum_shares = ws::send_sum_exp_fast<1024, true>(sum_shares, w);
        const auto most = ws_sent_most_shares.received(low);
        const auto sum = ws_sent_sum_shares.received(zero, low);
        const auto p2 = ws_sent_sum_shares.powers(most);
        const auto scale = s.g_cached.take();
        const auto a = ws::mul(p2, scale);
        const auto b = ws::div_fast(a, sum);
        const auto h = ws::cast<ws::f16>(b);
        if (t.inside())
            ws::store(p.y, i, n, h);  // powers.ir:33
    }
}

static WS_KERNEL(128, 2) void powers_to_65536_kernel_in_vectors(WS_PARAMS(powers_to_65536_params) p)
{
    powers_to_65536_shared &s = ws::shared<powers_to_65536_shared>();
    if (ws::first_thread()) {
        s.most_shares.init("most_shares");
        s.sum_shares.init("sum_shares");
    }
    ws::start<powers_to_65536_cluster>();
    powers_to_65536_params q = p;
    ws::know_vectors(q.x, q.g, q.y);
    powers_to_65536_all(q, s, 0);
    ws::finish<powers_to_65536_cluster>();
}

static WS_KERNEL(128, 2) void powers_to_65536_kernel(WS_PARAMS(powers_to_65536_params) p)
{
    powers_to_65536_shared &s = ws::shared<powers_to_65536_shared>();
    if (ws::first_thread()) {
        s.most_shares.init("most_shares");
        s.sum_shares.init("sum_shares");
    }
    ws::start<powers_to_65536_cluster>();
    powers_to_65536_all(p, s, 0);
    ws::finish<powers_to_65536_cluster>();
}

static void ws_launch_powers_to_65536(int M, int N, const void *X, const void *G, const void *Y)
{
    ws::launch call("powers");
    powers_to_65536_params p;
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.g, "g", G, {N}, {1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.grid(p.grid, {{0, M, 1}, {0, 8, 1}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.x, p.g, p.y) ? powers_to_65536_kernel_in_vectors : powers_to_65536_kernel, p, 128,
             sizeof(powers_to_65536_shared), ws::persistent, powers_to_65536_cluster::size);
}

// powers.ir:3: powers
struct powers_to_8192_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<float, 1> g;
    ws::tensor<ws::f16, 2> y;
    ws::grid<1> grid;
};

struct powers_to_8192_shared {
    ws::lone_shares<float, 32, 4> most_shares;
    ws::lone_shares<float, 64, 4> sum_shares;
    ws::cached_tile<float, 1, 8192, ws::wide_4> g_cached;
};
static_assert(offsetof(powers_to_8192_shared, most_shares) == 0);
static_assert(offsetof(powers_to_8192_shared, sum_shares) == 144);
static_assert(offsetof(powers_to_8192_shared, g_cached) == 416);
static_assert(sizeof(powers_to_8192_shared) == 33184);

static WS_DEVICE void powers_to_8192_all(const powers_to_8192_params &p, powers_to_8192_shared &s, int group)
{
    ws::lone_exchange<4> most_shares(s.most_shares);
    ws::lone_exchange<4> sum_shares(s.sum_shares);
    auto ws_prefetch_1 = ws::load_prefetched(ws::tiles<1>(p.grid), [&](const auto &t) {
        const int i = t.at(0);
        return ws::load_or<1, 8192, ws::wide_4>(-INFINITY, p.x, i, 0);
    });
    s.g_cached.keep(ws::load_once(ws::tiles<1>(p.grid), [&](const auto &t) {
        return ws::load_row<8192, ws::wide_4>(p.g, 0);
    }));
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // powers.ir:3
        const int i = t.at(0);
        const auto low = ws::full<float, 1, 1, ws::wide_4>(-1e+30);
        const auto zero = ws::full<float, 1, 1, ws::wide_4>(0);
        const auto v = ws_prefetch_1.take(t);
        const auto w = ws::cast<float>(v);
        const auto ws_sent_most_shares = ws::send_max<1024>(most_shares, w);
        const auto ws_sent_sum_shares = ws::send_sum_exp_fast<1024, true>(sum_shares, w);
        const auto most = ws_sent_most_shares.received(low);
        const auto sum = ws_sent_sum_shares.received(zero, low);
        const auto p2 = ws_sent_sum_shares.powers(most);
        const auto scale = s.g_cached.take();
        const auto a = ws::mul(p2, scale);
        const auto b = ws::div_fast(a, sum);
        const auto h = ws::cast<ws::f16>(b);
        ws::store(p.y, i, 0, h);  // powers.ir:33
    }
}

static WS_KERNEL(512, 2) void powers_to_8192_kernel_in_vectors(WS_PARAMS(powers_to_8192_params) p)
{
    powers_to_8192_shared &s = ws::shared<powers_to_8192_shared>();
    ws::start();
    powers_to_8192_params q = p;
    ws::know_vectors(q.x, q.g, q.y);
    powers_to_8192_all(q, s, 0);
}

static WS_KERNEL(512, 1) void powers_to_8192_kernel(WS_PARAMS(powers_to_8192_params) p)
{
    powers_to_8192_shared &s = ws::shared<powers_to_8192_shared>();
    ws::start();
    powers_to_8192_all(p, s, 0);
}

static void ws_launch_powers_to_8192(int M, int N, const void *X, const void *G, const void *Y)
{
    ws::launch call("powers");
    powers_to_8192_params p;
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.g, "g", G, {N}, {1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.grid(p.grid, {{0, M, 1}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.x, p.g, p.y) ? powers_to_8192_kernel_in_vectors : powers_to_8192_kernel, p, ws::team(4),
             sizeof(powers_to_8192_shared), ws::persistent);
}

// powers.ir:3: powers
struct powers_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<float, 1> g;
    ws::tensor<ws::f16, 2> y;
    ws::filled_map x_map;                // tiles of 4 rows
    int N;
    ws::grid<1> grid;
};

struct powers_shared {
    ws::shared_tile<ws::f16, 4, 1024> v[3];
    ws::shared_tile<ws::f16, 4, 1024> v2[3];
    ws::ring<3> v_ring;
    ws::ring<3> v2_ring;
};
static_assert(offsetof(powers_shared, v) == 0);
static_assert(offsetof(powers_shared, v2) == 49152);
static_assert(sizeof(powers_shared) == 99328);

template <bool TMA>
static WS_DEVICE void powers_producer(const powers_params &p, powers_shared &s, int group)
{
    ws::producer<3, TMA> v_ring(s.v_ring);
    ws::producer<3, TMA> v2_ring(s.v2_ring);
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // powers.ir:3
        const int i = t.at(0);
        for (int j = 0; j < p.N; j += 1024) {  // powers.ir:11
            const int v_slot = v_ring.put();
            ws::copy_in_or(-INFINITY, v_ring, s.v[v_slot], p.x, p.x_map, i, j);
            v_ring.put_done();
        }
        for (int k = 0; k < p.N; k += 1024) {  // powers.ir:24
            const int v2_slot = v2_ring.put();
            ws::copy_in_or(-INFINITY, v2_ring, s.v2[v2_slot], p.x, p.x_map, i, k);
            v2_ring.put_done();
        }
    }
}

static WS_DEVICE void powers_consumer(const powers_params &p, powers_shared &s, int group)
{
    ws::consumer<3> v_ring(s.v_ring);
    ws::consumer<3> v2_ring(s.v2_ring);
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // powers.ir:3
        const int i = t.at(0);
        auto low = ws::full<float, 4, 1, ws::lines>(-1e+30);
        auto sum = ws::full<float, 4, 1, ws::lines>(0);
        for (int j = 0; j < p.N; j += 1024) {  // powers.ir:11
            const int v_slot = v_ring.get();
            const auto v = ws::read<ws::lines>(ws::view(s.v[v_slot]));
            ws::fence();
            v_ring.consumed<0>();
            const auto w = ws::cast<float>(v);
            const auto top = ws::row_max(w);
            const auto now = ws::max(low, top);
            const auto d = ws::sub(low, now);
            const auto shrink = ws::exp(d);
            const auto e = ws::sub(w, now);
            const auto p_2 = ws::exp_fast(e);
            const auto q = ws::row_part(p_2);
            sum = ws::fma(sum, shrink, q);
            low = now;
        }
        sum = ws::row_total(sum);
        for (int k = 0; k < p.N; k += 1024) {  // powers.ir:24
            const int v2_slot = v2_ring.get();
            const auto v2 = ws::read<ws::lines>(ws::view(s.v2[v2_slot]));
            ws::fence();
            v2_ring.consumed<0>();
            const auto w2 = ws::cast<float>(v2);
            const auto e2 = ws::sub(w2, low);
            const auto p2 = ws::exp_fast(e2);
            const auto scale = ws::load_row<1024, ws::lines>(p.g, k);
            const auto a = ws::mul(p2, scale);
            const auto b = ws::div_fast(a, sum);
            const auto h = ws::cast<ws::f16>(b);
            ws::store(p.y, i, k, h);  // powers.ir:33
        }
    }
}

static WS_KERNEL(256, 1) void powers_kernel(WS_PARAMS(powers_params) p)
{
    powers_shared &s = ws::shared<powers_shared>();
    if (ws::first_thread()) {
        s.v_ring.init("v_ring", 1);      // one group releases each slot
        s.v2_ring.init("v2_ring", 1);    // one group releases each slot
        ws::prefetch(p.x_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        if (ws::first_warp()) {
            if (ws::by_tma(p.x_map))
                powers_producer<true>(p, s, 0);
            else
                powers_producer<false>(p, s, 0);
        }
    } else {
        powers_consumer(p, s, 0);
    }
}

extern "C" void ws_launch_powers(int M, int N, const void *X, const void *G, const void *Y)
{
    if (N >= 1 && N <= 1024) {
        ws_launch_powers_to_1024(M, N, X, G, Y);
        return;
    }
    if (N >= 65537 && N <= 131072) {
        ws_launch_powers_to_131072(M, N, X, G, Y);
        return;
    }
    if (N >= 8193 && N <= 16384) {
        ws_launch_powers_to_16384(M, N, X, G, Y);
        return;
    }
    if (N >= 1025 && N <= 2048) {
        ws_launch_powers_to_2048(M, N, X, G, Y);
        return;
    }
    if (N >= 131073 && N <= 262144
        && ws::places(powers_to_262144_kernel, ws::team(2), sizeof(powers_to_262144_shared), 16)) {
        ws_launch_powers_to_262144(M, N, X, G, Y);
        return;
    }
    if (N >= 16385 && N <= 32768) {
        ws_launch_powers_to_32768(M, N, X, G, Y);
        return;
    }
    if (N >= 2049 && N <= 4096) {
        ws_launch_powers_to_4096(M, N, X, G, Y);
        return;
    }
    if (N >= 32769 && N <= 65536) {
        ws_launch_powers_to_65536(M, N, X, G, Y);
        return;
    }
    if (N >= 4097 && N <= 8192) {
        ws_launch_powers_to_8192(M, N, X, G, Y);
        return;
    }
    ws::launch call("powers");
    powers_params p;
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.g, "g", G, {N}, {1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.x_map, p.x, 4);
    p.N = N;
    call.grid(p.grid, {{0, M, 4}}, ws::order_auto, 0);
    call.run(powers_kernel, p, 256, sizeof(powers_shared), ws::persistent);
}
