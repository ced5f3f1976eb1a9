#include <wsrt.cuh>

// kept_rows.c:12: softmax
struct softmax_to_128_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<float, 2> y;
    int N;
    ws::grid<1> grid;
};

static WS_DEVICE void softmax_to_128_all(const softmax_to_128_params &p, int group)
{
    auto ws_ahead_1 = ws::load_ahead(ws::tiles<1>(p.grid), [&](const auto &t) {
        const int i = t.at(0);
        return ws::load_or<4, 32, ws::lines>(-INFINITY, p.x, i, 0);
    });
    auto ws_ahead_2 = ws::load_ahead(ws::tiles<1>(p.grid), [&](const auto &t) {
        const int i = t.at(0);
        return ws::load_or<4, 32, ws::lines>(-INFINITY, p.x, i, 32);
    });
    auto ws_ahead_3 = ws::load_ahead(ws::tiles<1>(p.grid), [&](const auto &t) {
        const int i = t.at(0);
        return ws::load_or<4, 32, ws::lines>(-INFINITY, p.x, i, 64);
    });
    auto ws_ahead_4 = ws::load_ahead(ws::tiles<1>(p.grid), [&](const auto &t) {
        const int i = t.at(0);
        return ws::load_or<4, 32, ws::lines>(-INFINITY, p.x, i, 96);
    });
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // kept_rows.c:12
        const int i = t.at(0);
        auto most = ws::full<float, 4, 1, ws::lines>(-1e+30);
        auto sum = ws::full<float, 4, 1, ws::lines>(0);
        const auto x = ws_ahead_1.take(t);
        const auto x_2 = ws_ahead_2.take(t);
        const auto x_3 = ws_ahead_3.take(t);
        const auto x_4 = ws_ahead_4.take(t);
        auto part = ws::cast<float>(x);
        const auto now = ws::max(most, ws::row_max(part));
        sum = ws::fma(sum, ws::exp(ws::sub(most, now)), ws::row_part(ws::exp_rounded(ws::sub(part, now))));
        part = ws::cast<float>(x_2);
        const auto now_2 = ws::max(now, ws::row_max(part));
        sum = ws::fma(sum, ws::exp(ws::sub(now, now_2)), ws::row_part(ws::exp_rounded(ws::sub(part, now_2))));
        part = ws::cast<float>(x_3);
        const auto now_3 = ws::max(now_2, ws::row_max(part));
        sum = ws::fma(sum, ws::exp(ws::sub(now_2, now_3)), ws::row_part(ws::exp_rounded(ws::sub(part, now_3))));
        const bool condition = p.N > 96;
        if (condition) {  // kept_rows.c:16
            const auto part_2 = ws::cast<float>(x_4);
            most = ws::max(now_3, ws::row_max(part_2));
            sum = ws::fma(sum, ws::exp(ws::sub(now_3, most)), ws::row_part(ws::exp_rounded(ws::sub(part_2, most))));
        } else {
            most = now_3;
        }
        sum = ws::row_total(sum);
        part = ws::cast<float>(x);
        ws::store(p.y, i, 0, ws::div(ws::exp(ws::sub(part, most)), sum));  // kept_rows.c:25
        part = ws::cast<float>(x_2);
        ws::store(p.y, i, 32, ws::div(ws::exp(ws::sub(part, most)), sum));  // kept_rows.c:25
        part = ws::cast<float>(x_3);
        ws::store(p.y, i, 64, ws::div(ws::exp(ws::sub(part, most)), sum));  // kept_rows.c:25
        if (condition) {  // kept_rows.c:23
            const auto part_2 = ws::cast<float>(x_4);
            ws::store(p.y, i, 96, ws::div(ws::exp(ws::sub(part_2, most)), sum));  // kept_rows.c:25
        }
    }
}

static WS_KERNEL(128, 8) void softmax_to_128_kernel_in_vectors(WS_PARAMS(softmax_to_128_params) p)
{
    ws::start();
    softmax_to_128_params q = p;
    ws::know_vectors(q.x, q.y);
    softmax_to_128_all(q, 0);
}

static WS_KERNEL(128, 8) void softmax_to_128_kernel(WS_PARAMS(softmax_to_128_params) p)
{
    ws::start();
    softmax_to_128_all(p, 0);
}

static void ws_launch_softmax_1544c568_to_128(int M, int N, const void *X, const void *Y)
{
    ws::launch call("softmax");
    softmax_to_128_params p;
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, N}, {N, 1}, ws::stored);
    call.place();
    p.N = N;
    call.grid(p.grid, {{0, M, 4}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.x, p.y) ? softmax_to_128_kernel_in_vectors : softmax_to_128_kernel, p, 128, 0,
             ws::persistent);
}

// kept_rows.c:12: softmax
typedef ws::cluster<1, 8> softmax_to_131072_cluster;  // blocks side by side, which make iterations of a loop

struct softmax_to_131072_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<float, 2> y;
    ws::grid<2, softmax_to_131072_cluster> grid;
};

struct softmax_to_131072_shared {
    ws::team_shares<float, 8, 512, 2> most_shares;
    ws::team_shares<float, 8, 512, 2> sum_shares;
};
static_assert(offsetof(softmax_to_131072_shared, most_shares) == 0);
static_assert(offsetof(softmax_to_131072_shared, sum_shares) == 16400);
static_assert(sizeof(softmax_to_131072_shared) == 32800);

static WS_DEVICE void softmax_to_131072_all(const softmax_to_131072_params &p, softmax_to_131072_shared &s, int group)
{
    ws::team_exchange<softmax_to_131072_cluster, 2, 0> most_shares(s.most_shares);
    ws::team_exchange<softmax_to_131072_cluster, 2, 1> sum_shares(s.sum_shares);
    auto ws_ahead_1 = ws::load_ahead(ws::tiles<2, softmax_to_131072_cluster>(p.grid), [&](const auto &t) {
        const int i = t.at(0);
        const int j = t.at(1);
        const int n = j * 16384;
        return ws::load_or<1, 16384, ws::wide_2>(-INFINITY, p.x, i, n);
    });
    for (ws::tiles<2, softmax_to_131072_cluster> t(p.grid); t.more(); t.next()) {  // kept_rows.c:12
        const int i = t.at(0);
        const int j = t.at(1);
        const auto most = ws::full<float, 1, 1, ws::wide_2>(-1e+30);
        auto sum = ws::full<float, 1, 1, ws::wide_2>(0);
        const int n = j * 16384;
        const auto part = ws::cast<float>(ws_ahead_1.take(t));
        const auto ws_sent_most_shares = ws::send_max<32>(most_shares, part);
        const auto ws_sent_sum_shares = ws::send_sum_exp<32, true>(sum_shares, part);
        const auto most_2 = ws_sent_most_shares.received(most);
        sum = ws_sent_sum_shares.received(sum, most);
        if (t.inside())
            ws::store(p.y, i, n, ws::div(ws_sent_sum_shares.powers(most_2), sum));  // kept_rows.c:25
    }
}

static WS_KERNEL(256, 2) void softmax_to_131072_kernel_in_vectors(WS_PARAMS(softmax_to_131072_params) p)
{
    softmax_to_131072_shared &s = ws::shared<softmax_to_131072_shared>();
    if (ws::first_thread()) {
        s.most_shares.init("most_shares");
        s.sum_shares.init("sum_shares");
    }
    ws::start<softmax_to_131072_cluster>();
    softmax_to_131072_params q = p;
    ws::know_vectors(q.x, q.y);
    softmax_to_131072_all(q, s, 0);
    ws::finish<softmax_to_131072_cluster>();
}

static WS_KERNEL(256, 1) void softmax_to_131072_kernel(WS_PARAMS(softmax_to_131072_params) p)
{
    softmax_to_131072_shared &s = ws::shared<softmax_to_131072_shared>();
    if (ws::first_thread()) {
        s.most_shares.init("most_shares");
        s.sum_shares.init("sum_shares");
    }
    ws::start<softmax_to_131072_cluster>();
    softmax_to_131072_all(p, s, 0);
    ws::finish<softmax_to_131072_cluster>();
}

static void ws_launch_softmax_1544c568_to_131072(int M, int N, const void *X, const void *Y)
{
    ws::launch call("softmax");
    softmax_to_131072_params p;
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.grid(p.grid, {{0, M, 1}, {0, 8, 1}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.x, p.y) ? softmax_to_131072_kernel_in_vectors : softmax_to_131072_kernel, p, ws::team(2),
             sizeof(softmax_to_131072_shared), ws::persistent, softmax_to_131072_cluster::size);
}

// kept_rows.c:12: softmax
typedef ws::cluster<1, 2> softmax_to_16384_cluster;  // blocks side by side, which make iterations of a loop

struct softmax_to_16384_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<float, 2> y;
    ws::grid<2, softmax_to_16384_cluster> grid;
};

struct softmax_to_16384_shared {
    ws::shares<float, 2, 256> most_shares;
    ws::shares<float, 2, 256> sum_shares;
};
static_assert(offsetof(softmax_to_16384_shared, most_shares) == 0);
static_assert(offsetof(softmax_to_16384_shared, sum_shares) == 2064);
static_assert(sizeof(softmax_to_16384_shared) == 4128);

static WS_DEVICE void softmax_to_16384_all(const softmax_to_16384_params &p, softmax_to_16384_shared &s, int group)
{
    ws::exchange<softmax_to_16384_cluster> most_shares(s.most_shares);
    ws::exchange<softmax_to_16384_cluster> sum_shares(s.sum_shares);
    auto ws_ahead_1 = ws::load_ahead(ws::tiles<2, softmax_to_16384_cluster>(p.grid), [&](const auto &t) {
        const int i = t.at(0);
        const int j = t.at(1);
        const int n = j * 8192;
        return ws::load_or<1, 8192, ws::wide>(-INFINITY, p.x, i, n);
    });
    for (ws::tiles<2, softmax_to_16384_cluster> t(p.grid); t.more(); t.next()) {  // kept_rows.c:12
        const int i = t.at(0);
        const int j = t.at(1);
        const auto most = ws::full<float, 1, 1, ws::wide>(-1e+30);
        auto sum = ws::full<float, 1, 1, ws::wide>(0);
        const int n = j * 8192;
        const auto part = ws::cast<float>(ws_ahead_1.take(t));
        const auto ws_sent_most_shares = ws::send_max<32>(most_shares, part);
        const auto ws_sent_sum_shares = ws::send_sum_exp<32, true>(sum_shares, part);
        const auto most_2 = ws_sent_most_shares.received(most);
        sum = ws_sent_sum_shares.received(sum, most);
        if (t.inside())
            ws::store(p.y, i, n, ws::div(ws_sent_sum_shares.powers(most_2), sum));  // kept_rows.c:25
    }
}

static WS_KERNEL(128, 3) void softmax_to_16384_kernel_in_vectors(WS_PARAMS(softmax_to_16384_params) p)
{
    softmax_to_16384_shared &s = ws::shared<softmax_to_16384_shared>();
    if (ws::first_thread()) {
        s.most_shares.init("most_shares");
        s.sum_shares.init("sum_shares");
    }
    ws::start<softmax_to_16384_cluster>();
    softmax_to_16384_params q = p;
    ws::know_vectors(q.x, q.y);
    softmax_to_16384_all(q, s, 0);
    ws::finish<softmax_to_16384_cluster>();
}

static WS_KERNEL(128, 3) void softmax_to_16384_kernel(WS_PARAMS(softmax_to_16384_params) p)
{
    softmax_to_16384_shared &s = ws::shared<softmax_to_16384_shared>();
    if (ws::first_thread()) {
        s.most_shares.init("most_shares");
        s.sum_shares.init("sum_shares");
    }
    ws::start<softmax_to_16384_cluster>();
    softmax_to_16384_all(p, s, 0);
    ws::finish<softmax_to_16384_cluster>();
}

static void ws_launch_softmax_1544c568_to_16384(int M, int N, const void *X, const void *Y)
{
    ws::launch call("softmax");
    softmax_to_16384_params p;
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.grid(p.grid, {{0, M, 1}, {0, 2, 1}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.x, p.y) ? softmax_to_16384_kernel_in_vectors : softmax_to_16384_kernel, p, 128,
             sizeof(softmax_to_16384_shared), ws::persistent, softmax_to_16384_cluster::size);
}

// kept_rows.c:12: softmax
typedef ws::cluster<1, 16> softmax_to_262144_cluster;  // blocks side by side, which make iterations of a loop

struct softmax_to_262144_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<float, 2> y;
    ws::grid<2, softmax_to_262144_cluster> grid;
};

struct softmax_to_262144_shared {
    ws::team_shares<float, 16, 512, 2> most_shares;
    ws::team_shares<float, 16, 512, 2> sum_shares;
};
static_assert(offsetof(softmax_to_262144_shared, most_shares) == 0);
static_assert(offsetof(softmax_to_262144_shared, sum_shares) == 32784);
static_assert(sizeof(softmax_to_262144_shared) == 65568);

static WS_DEVICE void softmax_to_262144_all(const softmax_to_262144_params &p, softmax_to_262144_shared &s, int group)
{
    ws::team_exchange<softmax_to_262144_cluster, 2, 0> most_shares(s.most_shares);
    ws::team_exchange<softmax_to_262144_cluster, 2, 1> sum_shares(s.sum_shares);
    auto ws_ahead_1 = ws::load_ahead(ws::tiles<2, softmax_to_262144_cluster>(p.grid), [&](const auto &t) {
        const int i = t.at(0);
        const int j = t.at(1);
        const int n = j * 16384;
        return ws::load_or<1, 16384, ws::wide_2>(-INFINITY, p.x, i, n);
    });
    for (ws::tiles<2, softmax_to_262144_cluster> t(p.grid); t.more(); t.next()) {  // kept_rows.c:12
        const int i = t.at(0);
        const int j = t.at(1);
        const auto most = ws::full<float, 1, 1, ws::wide_2>(-1e+30);
        auto sum = ws::full<float, 1, 1, ws::wide_2>(0);
        const int n = j * 16384;
        const auto part = ws::cast<float>(ws_ahead_1.take(t));
        const auto ws_sent_most_shares = ws::send_max<32>(most_shares, part);
        const auto ws_sent_sum_shares = ws::send_sum_exp<32, true>(sum_shares, part);
        const auto most_2 = ws_sent_most_shares.received(most);
        sum = ws_sent_sum_shares.received(sum, most);
        if (t.inside())
            ws::store(p.y, i, n, ws::div(ws_sent_sum_shares.powers(most_2), sum));  // kept_rows.c:25
    }
}

static WS_KERNEL(256, 2) void softmax_to_262144_kernel_in_vectors(WS_PARAMS(softmax_to_262144_params) p)
{
    softmax_to_262144_shared &s = ws::shared<softmax_to_262144_shared>();
    if (ws::first_thread()) {
        s.most_shares.init("most_shares");
        s.sum_shares.init("sum_shares");
    }
    ws::start<softmax_to_262144_cluster>();
    softmax_to_262144_params q = p;
    ws::know_vectors(q.x, q.y);
    softmax_to_262144_all(q, s, 0);
    ws::finish<softmax_to_262144_cluster>();
}

static WS_KERNEL(256, 1) void softmax_to_262144_kernel(WS_PARAMS(softmax_to_262144_params) p)
{
    softmax_to_262144_shared &s = ws::shared<softmax_to_262144_shared>();
    if (ws::first_thread()) {
        s.most_shares.init("most_shares");
        s.sum_shares.init("sum_shares");
    }
    ws::start<softmax_to_262144_cluster>();
    softmax_to_262144_all(p, s, 0);
    ws::finish<softmax_to_262144_cluster>();
}

static void ws_launch_softmax_1544c568_to_262144(int M, int N, const void *X, const void *Y)
{
    ws::launch call("softmax");
    softmax_to_262144_params p;
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.grid(p.grid, {{0, M, 1}, {0, 16, 1}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.x, p.y) ? softmax_to_262144_kernel_in_vectors : softmax_to_262144_kernel, p, ws::team(2),
             sizeof(softmax_to_262144_shared), ws::persistent, softmax_to_262144_cluster::size);
}

// kept_rows.c:12: softmax
struct softmax_to_32_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<float, 2> y;
    ws::grid<1> grid;
};

static WS_DEVICE void softmax_to_32_all(const softmax_to_32_params &p, int group)
{
    auto ws_ahead_1 = ws::load_ahead(ws::tiles<1>(p.grid), [&](const auto &t) {
        const int i = t.at(0);
        return ws::load_or<4, 32, ws::lines>(-INFINITY, p.x, i, 0);
    });
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // kept_rows.c:12
        const int i = t.at(0);
        const auto most = ws::full<float, 4, 1, ws::lines>(-1e+30);
        auto sum = ws::full<float, 4, 1, ws::lines>(0);
        const auto x = ws_ahead_1.take(t);
        auto part = ws::cast<float>(x);
        const auto now = ws::max(most, ws::row_max(part));
        sum = ws::fma(sum, ws::exp(ws::sub(most, now)), ws::row_part(ws::exp_rounded(ws::sub(part, now))));
        sum = ws::row_total(sum);
        part = ws::cast<float>(x);
        ws::store(p.y, i, 0, ws::div(ws::exp(ws::sub(part, now)), sum));  // kept_rows.c:25
    }
}

static WS_KERNEL(128, 8) void softmax_to_32_kernel_in_vectors(WS_PARAMS(softmax_to_32_params) p)
{
    ws::start();
    softmax_to_32_params q = p;
    ws::know_vectors(q.x, q.y);
    softmax_to_32_all(q, 0);
}

static WS_KERNEL(128, 8) void softmax_to_32_kernel(WS_PARAMS(softmax_to_32_params) p)
{
    ws::start();
    softmax_to_32_all(p, 0);
}

static void ws_launch_softmax_1544c568_to_32(int M, int N, const void *X, const void *Y)
{
    ws::launch call("softmax");
    softmax_to_32_params p;
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.grid(p.grid, {{0, M, 4}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.x, p.y) ? softmax_to_32_kernel_in_vectors : softmax_to_32_kernel, p, 128, 0,
             ws::persistent);
}

// kept_rows.c:12: softmax
typedef ws::cluster<1, 4> softmax_to_32768_cluster;  // blocks side by side, which make iterations of a loop

struct softmax_to_32768_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<float, 2> y;
    ws::grid<2, softmax_to_32768_cluster> grid;
};

struct softmax_to_32768_shared {
    ws::shares<float, 4, 256> most_shares;
    ws::shares<float, 4, 256> sum_shares;
};
static_assert(offsetof(softmax_to_32768_shared, most_shares) == 0);
static_assert(offsetof(softmax_to_32768_shared, sum_shares) == 4112);
static_assert(sizeof(softmax_to_32768_shared) == 8224);

static WS_DEVICE void softmax_to_32768_all(const softmax_to_32768_params &p, softmax_to_32768_shared &s, int group)
{
    ws::exchange<softmax_to_32768_cluster> most_shares(s.most_shares);
    ws::exchange<softmax_to_32768_cluster> sum_shares(s.sum_shares);
    auto ws_ahead_1 = ws::load_ahead(ws::tiles<2, softmax_to_32768_cluster>(p.grid), [&](const auto &t) {
        const int i = t.at(0);
        const int j = t.at(1);
        const int n = j * 8192;
        return ws::load_or<1, 8192, ws::wide>(-INFINITY, p.x, i, n);
    });
    for (ws::tiles<2, softmax_to_32768_cluster> t(p.grid); t.more(); t.next()) {  // kept_rows.c:12
        const int i = t.at(0);
        const int j = t.at(1);
        const auto most = ws::full<float, 1, 1, ws::wide>(-1e+30);
        auto sum = ws::full<float, 1, 1, ws::wide>(0);
        const int n = j * 8192;
        const auto part = ws::cast<float>(ws_ahead_1.take(t));
        const auto ws_sent_most_shares = ws::send_max<32>(most_shares, part);
        const auto ws_sent_sum_shares = ws::send_sum_exp<32, true>(sum_shares, part);
        const auto most_2 = ws_sent_most_shares.received(most);
        sum = ws_sent_sum_shares.received(sum, most);
        if (t.inside())
            ws::store(p.y, i, n, ws::div(ws_sent_sum_shares.powers(most_2), sum));  // kept_rows.c:25
    }
}

static WS_KERNEL(128, 3) void softmax_to_32768_kernel_in_vectors(WS_PARAMS(softmax_to_32768_params) p)
{
    softmax_to_32768_shared &s = ws::shared<softmax_to_32768_shared>();
    if (ws::first_thread()) {
        s.most_shares.init("most_shares");
        s.sum_shares.init("sum_shares");
    }
    ws::start<softmax_to_32768_cluster>();
    softmax_to_32768_params q = p;
    ws::know_vectors(q.x, q.y);
    softmax_to_32768_all(q, s, 0);
    ws::finish<softmax_to_32768_cluster>();
}

static WS_KERNEL(128, 3) void softmax_to_32768_kernel(WS_PARAMS(softmax_to_32768_params) p)
{
    softmax_to_32768_shared &s = ws::shared<softmax_to_32768_shared>();
    if (ws::first_thread()) {
        s.most_shares.init("most_shares");
        s.sum_shares.init("sum_shares");
    }
    ws::start<softmax_to_32768_cluster>();
    softmax_to_32768_all(p, s, 0);
    ws::finish<softmax_to_32768_cluster>();
}

static void ws_launch_softmax_1544c568_to_32768(int M, int N, const void *X, const void *Y)
{
    ws::launch call("softmax");
    softmax_to_32768_params p;
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.grid(p.grid, {{0, M, 1}, {0, 4, 1}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.x, p.y) ? softmax_to_32768_kernel_in_vectors : softmax_to_32768_kernel, p, 128,
             sizeof(softmax_to_32768_shared), ws::persistent, softmax_to_32768_cluster::size);
}

// kept_rows.c:12: softmax
struct softmax_to_4096_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<float, 2> y;
    ws::grid<1> grid;
};

struct softmax_to_4096_shared {
    ws::lone_shares<float, 128, 2> most_shares;
    ws::lone_shares<float, 128, 2> sum_shares;
};
static_assert(offsetof(softmax_to_4096_shared, most_shares) == 0);
static_assert(offsetof(softmax_to_4096_shared, sum_shares) == 528);
static_assert(sizeof(softmax_to_4096_shared) == 1056);

static WS_DEVICE void softmax_to_4096_all(const softmax_to_4096_params &p, softmax_to_4096_shared &s, int group)
{
    ws::lone_exchange<2> most_shares(s.most_shares);
    ws::lone_exchange<2> sum_shares(s.sum_shares);
    auto ws_ahead_1 = ws::load_ahead(ws::tiles<1>(p.grid), [&](const auto &t) {
        const int i = t.at(0);
        return ws::load_or<1, 4096, ws::wide_2>(-INFINITY, p.x, i, 0);
    });
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // kept_rows.c:12
        const int i = t.at(0);
        const auto most = ws::full<float, 1, 1, ws::wide_2>(-1e+30);
        auto sum = ws::full<float, 1, 1, ws::wide_2>(0);
        const auto part = ws::cast<float>(ws_ahead_1.take(t));
        const auto ws_sent_most_shares = ws::send_max<32>(most_shares, part);
        const auto ws_sent_sum_shares = ws::send_sum_exp<32, true>(sum_shares, part);
        const auto most_2 = ws_sent_most_shares.received(most);
        sum = ws_sent_sum_shares.received(sum, most);
        ws::store(p.y, i, 0, ws::div(ws_sent_sum_shares.powers(most_2), sum));  // kept_rows.c:25
    }
}

static WS_KERNEL(256, 4) void softmax_to_4096_kernel_in_vectors(WS_PARAMS(softmax_to_4096_params) p)
{
    softmax_to_4096_shared &s = ws::shared<softmax_to_4096_shared>();
    ws::start();
    softmax_to_4096_params q = p;
    ws::know_vectors(q.x, q.y);
    softmax_to_4096_all(q, s, 0);
}

static WS_KERNEL(256, 1) void softmax_to_4096_kernel(WS_PARAMS(softmax_to_4096_params) p)
{
    softmax_to_4096_shared &s = ws::shared<softmax_to_4096_shared>();
    ws::start();
    softmax_to_4096_all(p, s, 0);
}

static void ws_launch_softmax_1544c568_to_4096(int M, int N, const void *X, const void *Y)
{
    ws::launch call("softmax");
    softmax_to_4096_params p;
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.grid(p.grid, {{0, M, 1}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.x, p.y) ? softmax_to_4096_kernel_in_vectors : softmax_to_4096_kernel, p, ws::team(2),
             sizeof(softmax_to_4096_shared), ws::persistent);
}

// kept_rows.c:12: softmax
struct softmax_to_64_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<float, 2> y;
    ws::grid<1> grid;
};

static WS_DEVICE void softmax_to_64_all(const softmax_to_64_params &p, int group)
{
    auto ws_ahead_1 = ws::load_ahead(ws::tiles<1>(p.grid), [&](const auto &t) {
        const int i = t.at(0);
        return ws::load_or<4, 32, ws::lines>(-INFINITY, p.x, i, 0);
    });
    auto ws_ahead_2 = ws::load_ahead(ws::tiles<1>(p.grid), [&](const auto &t) {
        const int i = t.at(0);
        return ws::load_or<4, 32, ws::lines>(-INFINITY, p.x, i, 32);
    });
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // kept_rows.c:12
        const int i = t.at(0);
        const auto most = ws::full<float, 4, 1, ws::lines>(-1e+30);
        auto sum = ws::full<float, 4, 1, ws::lines>(0);
        const auto x = ws_ahead_1.take(t);
        const auto x_2 = ws_ahead_2.take(t);
        auto part = ws::cast<float>(x);
        const auto now = ws::max(most, ws::row_max(part));
        sum = ws::fma(sum, ws::exp(ws::sub(most, now)), ws::row_part(ws::exp_rounded(ws::sub(part, now))));
        part = ws::cast<float>(x_2);
        const auto now_2 = ws::max(now, ws::row_max(part));
        sum = ws::fma(sum, ws::exp(ws::sub(now, now_2)), ws::row_part(ws::exp_rounded(ws::sub(part, now_2))));
        sum = ws::row_total(sum);
        part = ws::cast<float>(x);
        ws::store(p.y, i, 0, ws::div(ws::exp(ws::sub(part, now_2)), sum));  // kept_rows.c:25
        part = ws::cast<float>(x_2);
        ws::store(p.y, i, 32, ws::div(ws::exp(ws::sub(part, now_2)), sum));  // kept_rows.c:25
    }
}

static WS_KERNEL(128, 8) void softmax_to_64_kernel_in_vectors(WS_PARAMS(softmax_to_64_params) p)
{
    ws::start();
    softmax_to_64_params q = p;
    ws::know_vectors(q.x, q.y);
    softmax_to_64_all(q, 0);
}

static WS_KERNEL(128, 8) void softmax_to_64_kernel(WS_PARAMS(softmax_to_64_params) p)
{
    ws::start();
    softmax_to_64_all(p, 0);
}

static void ws_launch_softmax_1544c568_to_64(int M, int N, const void *X, const void *Y)
{
    ws::launch call("softmax");
    softmax_to_64_params p;
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.grid(p.grid, {{0, M, 4}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.x, p.y) ? softmax_to_64_kernel_in_vectors : softmax_to_64_kernel, p, 128, 0,
             ws::persistent);
}

// kept_rows.c:12: softmax
typedef ws::cluster<1, 8> softmax_to_65536_cluster;  // blocks side by side, which make iterations of a loop

struct softmax_to_65536_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<float, 2> y;
    ws::grid<2, softmax_to_65536_cluster> grid;
};

struct softmax_to_65536_shared {
    ws::shares<float, 8, 256> most_shares;
    ws::shares<float, 8, 256> sum_shares;
};
static_assert(offsetof(softmax_to_65536_shared, most_shares) == 0);
static_assert(offsetof(softmax_to_65536_shared, sum_shares) == 8208);
static_assert(sizeof(softmax_to_65536_shared) == 16416);

static WS_DEVICE void softmax_to_65536_all(const softmax_to_65536_params &p, softmax_to_65536_shared &s, int group)
{
    ws::exchange<softmax_to_65536_cluster> most_shares(s.most_shares);
    ws::exchange<softmax_to_65536_cluster> sum_shares(s.sum_shares);
    auto ws_ahead_1 = ws::load_ahead(ws::tiles<2, softmax_to_65536_cluster>(p.grid), [&](const auto &t) {
        const int i = t.at(0);
        const int j = t.at(1);
        const int n = j * 8192;
        return ws::load_or<1, 8192, ws::wide>(-INFINITY, p.x, i, n);
    });
    for (ws::tiles<2, softmax_to_65536_cluster> t(p.grid); t.more(); t.next()) {  // kept_rows.c:12
        const int i = t.at(0);
        const int j = t.at(1);
        const auto most = ws::full<float, 1, 1, ws::wide>(-1e+30);
        auto sum = ws::full<float, 1, 1, ws::wide>(0);
        const int n = j * 8192;
        const auto part = ws::cast<float>(ws_ahead_1.take(t));
        const auto ws_sent_most_shares = ws::send_max<32>(most_shares, part);
        const auto ws_sent_sum_shares = ws::send_sum_exp<32, true>(sum_shares, part);
        const auto most_2 = ws_sent_most_shares.received(most);
        sum = ws_sent_sum_shares.received(sum, most);
        if (t.inside())
            ws::store(p.y, i, n, ws::div(ws_sent_sum_shares.powers(most_2), sum));  // kept_rows.c:25
    }
}

static WS_KERNEL(128, 3) void softmax_to_65536_kernel_in_vectors(WS_PARAMS(softmax_to_65536_params) p)
{
    softmax_to_65536_shared &s = ws::shared<softmax_to_65536_shared>();
    if (ws::first_thread()) {
        s.most_shares.init("most_shares");
        s.sum_shares.init("sum_shares");
    }
    ws::start<softmax_to_65536_cluster>();
    softmax_to_65536_params q = p;
    ws::know_vectors(q.x, q.y);
    softmax_to_65536_all(q, s, 0);
    ws::finish<softmax_to_65536_cluster>();
}

static WS_KERNEL(128, 3) void softmax_to_65536_kernel(WS_PARAMS(softmax_to_65536_params) p)
{
    softmax_to_65536_shared &s = ws::shared<softmax_to_65536_shared>();
    if (ws::first_thread()) {
        s.most_shares.init("most_shares");
        s.sum_shares.init("sum_shares");
    }
    ws::start<softmax_to_65536_cluster>();
    softmax_to_65536_all(p, s, 0);
    ws::finish<softmax_to_65536_cluster>();
}

static void ws_launch_softmax_1544c568_to_65536(int M, int N, const void *X, const void *Y)
{
    ws::launch call("softmax");
    softmax_to_65536_params p;
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.grid(p.grid, {{0, M, 1}, {0, 8, 1}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.x, p.y) ? softmax_to_65536_kernel_in_vectors : softmax_to_65536_kernel, p, 128,
             sizeof(softmax_to_65536_shared), ws::persistent, softmax_to_65536_cluster::size);
}

// kept_rows.c:12: softmax
struct softmax_to_8192_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<float, 2> y;
    ws::grid<1> grid;
};

struct softmax_to_8192_shared {
    ws::lone_shares<float, 256, 4> most_shares;
    ws::lone_shares<float, 256, 4> sum_shares;
};
static_assert(offsetof(softmax_to_8192_shared, most_shares) == 0);
static_assert(offsetof(softmax_to_8192_shared, sum_shares) == 1040);
static_assert(sizeof(softmax_to_8192_shared) == 2080);

static WS_DEVICE void softmax_to_8192_all(const softmax_to_8192_params &p, softmax_to_8192_shared &s, int group)
{
    ws::lone_exchange<4> most_shares(s.most_shares);
    ws::lone_exchange<4> sum_shares(s.sum_shares);
    auto ws_ahead_1 = ws::load_ahead(ws::tiles<1>(p.grid), [&](const auto &t) {
        const int i = t.at(0);
        return ws::load_or<1, 8192, ws::wide_4>(-INFINITY, p.x, i, 0);
    });
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // kept_rows.c:12
        const int i = t.at(0);
        const auto most = ws::full<float, 1, 1, ws::wide_4>(-1e+30);
        auto sum = ws::full<float, 1, 1, ws::wide_4>(0);
        const auto part = ws::cast<float>(ws_ahead_1.take(t));
        const auto ws_sent_most_shares = ws::send_max<32>(most_shares, part);
        const auto ws_sent_sum_shares = ws::send_sum_exp<32, true>(sum_shares, part);
        const auto most_2 = ws_sent_most_shares.received(most);
        sum = ws_sent_sum_shares.received(sum, most);
        ws::store(p.y, i, 0, ws::div(ws_sent_sum_shares.powers(most_2), sum));  // kept_rows.c:25
    }
}

static WS_KERNEL(512, 2) void softmax_to_8192_kernel_in_vectors(WS_PARAMS(softmax_to_8192_params) p)
{
    softmax_to_8192_shared &s = ws::shared<softmax_to_8192_shared>();
    ws::start();
    softmax_to_8192_params q = p;
    ws::know_vectors(q.x, q.y);
    softmax_to_8192_all(q, s, 0);
}

static WS_KERNEL(512, 1) void softmax_to_8192_kernel(WS_PARAMS(softmax_to_8192_params) p)
{
    softmax_to_8192_shared &s = ws::shared<softmax_to_8192_shared>();
    ws::start();
    softmax_to_8192_all(p, s, 0);
}

static void ws_launch_softmax_1544c568_to_8192(int M, int N, const void *X, const void *Y)
{
    ws::launch call("softmax");
    softmax_to_8192_params p;
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.grid(p.grid, {{0, M, 1}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.x, p.y) ? softmax_to_8192_kernel_in_vectors : softmax_to_8192_kernel, p, ws::team(4),
             sizeof(softmax_to_8192_shared), ws::persistent);
}

// kept_rows.c:12: softmax
struct softmax_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<float, 2> y;
    ws::map x_map_lines_64;              // tiles of 4 rows
    int N;
    ws::grid<1> grid;
};

struct softmax_shared {
    ws::shared_tile<ws::lined<ws::f16, 64>, 4, 32> x_tile[16];
    ws::shared_tile<ws::lined<ws::f16, 64>, 4, 32> x_tile_2[16];
    ws::ring<16> x_tile_ring;
    ws::ring<16> x_tile_2_ring;
};
static_assert(offsetof(softmax_shared, x_tile) == 0);
static_assert(offsetof(softmax_shared, x_tile_2) == 16384);
static_assert(sizeof(softmax_shared) == 33792);

template <bool TMA>
static WS_DEVICE void softmax_producer(const softmax_params &p, softmax_shared &s, int group)
{
    ws::producer<16, TMA> x_tile_ring(s.x_tile_ring);
    ws::producer<16, TMA> x_tile_2_ring(s.x_tile_2_ring);
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // kept_rows.c:12
        const int i = t.at(0);
        for (int j = 0; j < p.N; j += 32) {  // kept_rows.c:16
            const int x_tile_slot = x_tile_ring.put();
            ws::copy_in_or(-INFINITY, x_tile_ring, s.x_tile[x_tile_slot], p.x, p.x_map_lines_64, i, j);
            x_tile_ring.put_done();
        }
        for (int j = 0; j < p.N; j += 32) {  // kept_rows.c:23
            const int x_tile_2_slot = x_tile_2_ring.put();
            ws::copy_in_or(-INFINITY, x_tile_2_ring, s.x_tile_2[x_tile_2_slot], p.x, p.x_map_lines_64, i, j);
            x_tile_2_ring.put_done();
        }
    }
}

static WS_DEVICE void softmax_consumer(const softmax_params &p, softmax_shared &s, int group)
{
    ws::consumer<16> x_tile_ring(s.x_tile_ring);
    ws::consumer<16> x_tile_2_ring(s.x_tile_2_ring);
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // kept_rows.c:12
        const int i = t.at(0);
        auto most = ws::full<float, 4, 1, ws::lines>(-1e+30);
        auto sum = ws::full<float, 4, 1, ws::lines>(0);
        for (int j = 0; j < p.N; j += 32) {  // kept_rows.c:16
            const int x_tile_slot = x_tile_ring.get();
            const auto x = ws::read<ws::lines>(ws::view(s.x_tile[x_tile_slot]));
            ws::fence();
            x_tile_ring.consumed<0>();
            const auto part = ws::cast<float>(x);
            const auto now = ws::max(most, ws::row_max(part));
            sum = ws::fma(sum, ws::exp(ws::sub(most, now)), ws::row_part(ws::exp_rounded(ws::sub(part, now))));
            most = now;
        }
        sum = ws::row_total(sum);
        for (int j = 0; j < p.N; j += 32) {  // kept_rows.c:23
            const int x_tile_2_slot = x_tile_2_ring.get();
            const auto x = ws::read<ws::lines>(ws::view(s.x_tile_2[x_tile_2_slot]));
            ws::fence();
            x_tile_2_ring.consumed<0>();
            const auto part = ws::cast<float>(x);
            ws::store(p.y, i, j, ws::div(ws::exp(ws::sub(part, most)), sum));  // kept_rows.c:25
        }
    }
}

static WS_KERNEL(256, 3) void softmax_kernel(WS_PARAMS(softmax_params) p)
{
    softmax_shared &s = ws::shared<softmax_shared>();
    if (ws::first_thread()) {
        s.x_tile_ring.init("x_tile_ring", 1);  // one group releases each slot
        s.x_tile_2_ring.init("x_tile_2_ring", 1);  // one group releases each slot
        ws::prefetch(p.x_map_lines_64);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        if (ws::first_warp()) {
            if (ws::by_tma(p.x_map_lines_64))
                softmax_producer<true>(p, s, 0);
            else
                softmax_producer<false>(p, s, 0);
        }
    } else {
        softmax_consumer(p, s, 0);
    }
}

extern "C" void ws_launch_softmax_1544c568(int M, int N, const void *X, const void *Y)
{
    if (N >= 65 && N <= 128) {
        ws_launch_softmax_1544c568_to_128(M, N, X, Y);
        return;
    }
    if (N >= 65537 && N <= 131072) {
        ws_launch_softmax_1544c568_to_131072(M, N, X, Y);
        return;
    }
    if (N >= 8193 && N <= 16384) {
        ws_launch_softmax_1544c568_to_16384(M, N, X, Y);
        return;
    }
    if (N >= 131073 && N <= 262144
        && ws::places(softmax_to_262144_kernel, ws::team(2), sizeof(softmax_to_262144_shared), 16)) {
        ws_launch_softmax_1544c568_to_262144(M, N, X, Y);
        return;
    }
    if (N >= 1 && N <= 32) {
        ws_launch_softmax_1544c568_to_32(M, N, X, Y);
        return;
    }
    if (N >= 16385 && N <= 32768) {
        ws_launch_softmax_1544c568_to_32768(M, N, X, Y);
        return;
    }
    if (N >= 2049 && N <= 4096) {
        ws_launch_softmax_1544c568_to_4096(M, N, X, Y);
        return;
    }
    if (N >= 33 && N <= 64) {
        ws_launch_softmax_1544c568_to_64(M, N, X, Y);
        return;
    }
    if (N >= 32769 && N <= 65536) {
        ws_launch_softmax_1544c568_to_65536(M, N, X, Y);
        return;
    }
    if (N >= 4097 && N <= 8192) {
        ws_launch_softmax_1544c568_to_8192(M, N, X, Y);
        return;
    }
    ws::launch call("softmax");
    softmax_params p;
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map<ws::lined<ws::f16, 64>>(p.x_map_lines_64, p.x, 4);
    p.N = N;
    call.grid(p.grid, {{0, M, 4}}, ws::order_auto, 0);
    call.run(softmax_kernel, p, 256, sizeof(softmax_shared), ws::persistent);
}

// kept_rows.c:35: normalized
struct normalized_to_128_params {
    ws::tensor<float, 2> g;
    ws::tensor<float, 2> x;
    long N;
    ws::grid<1> grid;
};

static WS_DEVICE void normalized_to_128_all(const normalized_to_128_params &p, int group)
{
    auto ws_ahead_1 = ws::load_ahead(ws::tiles<1>(p.grid), [&](const auto &t) {
        const long i = t.at(0);
        return ws::load<4, 32, ws::lines>(p.g, i, 0);
    });
    auto ws_ahead_2 = ws::load_ahead(ws::tiles<1>(p.grid), [&](const auto &t) {
        const long i = t.at(0);
        return ws::load<4, 32, ws::lines>(p.g, i, 32);
    });
    auto ws_ahead_3 = ws::load_ahead(ws::tiles<1>(p.grid), [&](const auto &t) {
        const long i = t.at(0);
        return ws::load<4, 32, ws::lines>(p.g, i, 64);
    });
    auto ws_ahead_4 = ws::load_ahead(ws::tiles<1>(p.grid), [&](const auto &t) {
        const long i = t.at(0);
        return ws::load<4, 32, ws::lines>(p.g, i, 96);
    });
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // kept_rows.c:35
        const long i = t.at(0);
        auto sum = ws::full<float, 4, 1, ws::lines>(0);
        auto squares = ws::full<float, 4, 1, ws::lines>(0);
        const auto x = ws_ahead_1.take(t);
        const auto x_2 = ws_ahead_2.take(t);
        const auto x_3 = ws_ahead_3.take(t);
        const auto x_4 = ws_ahead_4.take(t);
        sum = ws::add(sum, ws::row_part(ws::mul(ws::load<4, 32, ws::lines>(p.x, i, 0), x)));
        sum = ws::add(sum, ws::row_part(ws::mul(ws::load<4, 32, ws::lines>(p.x, i, 32), x_2)));
        sum = ws::add(sum, ws::row_part(ws::mul(ws::load<4, 32, ws::lines>(p.x, i, 64), x_3)));
        const bool condition = p.N > 96;
        if (condition) {  // kept_rows.c:39
            sum = ws::add(sum, ws::row_part(ws::mul(ws::load<4, 32, ws::lines>(p.x, i, 96), x_4)));
        }
        sum = ws::row_total(sum);
        const auto mean = ws::div(sum, (float)p.N);
        auto d = ws::sub(ws::mul(ws::load<4, 32, ws::lines>(p.x, i, 0), x), mean);
        d = ws::select(ws::lt(ws::add(ws::col_index<1, 32, ws::lines>(), 0), (int)p.N), d, 0.0f);
        squares = ws::add(squares, ws::row_part(ws::mul(d, d)));
        d = ws::sub(ws::mul(ws::load<4, 32, ws::lines>(p.x, i, 32), x_2), mean);
        d = ws::select(ws::lt(ws::add(ws::col_index<1, 32, ws::lines>(), 32), (int)p.N), d, 0.0f);
        squares = ws::add(squares, ws::row_part(ws::mul(d, d)));
        d = ws::sub(ws::mul(ws::load<4, 32, ws::lines>(p.x, i, 64), x_3), mean);
        d = ws::select(ws::lt(ws::add(ws::col_index<1, 32, ws::lines>(), 64), (int)p.N), d, 0.0f);
        squares = ws::add(squares, ws::row_part(ws::mul(d, d)));
        if (condition) {  // kept_rows.c:43
            auto d_2 = ws::sub(ws::mul(ws::load<4, 32, ws::lines>(p.x, i, 96), x_4), mean);
            d_2 = ws::select(ws::lt(ws::add(ws::col_index<1, 32, ws::lines>(), 96), (int)p.N), d_2, 0.0f);
            squares = ws::add(squares, ws::row_part(ws::mul(d_2, d_2)));
        }
        squares = ws::row_total(squares);
        const auto r = ws::rsqrt(ws::add(ws::div(squares, (float)p.N), 0.001f));
        const auto x_5 = ws::mul(ws::sub(ws::mul(ws::load<4, 32, ws::lines>(p.x, i, 0), x), mean), r);
        ws::group_barrier();
        ws::store(p.x, i, 0, x_5);  // kept_rows.c:51
        ws::group_barrier();
        const auto x_6 = ws::mul(ws::sub(ws::mul(ws::load<4, 32, ws::lines>(p.x, i, 32), x_2), mean), r);
        ws::group_barrier();
        ws::store(p.x, i, 32, x_6);  // kept_rows.c:51
        ws::group_barrier();
        const auto x_7 = ws::mul(ws::sub(ws::mul(ws::load<4, 32, ws::lines>(p.x, i, 64), x_3), mean), r);
        ws::group_barrier();
        ws::store(p.x, i, 64, x_7);  // kept_rows.c:51
        ws::group_barrier();
        if (condition) {  // kept_rows.c:50
            const auto x_8 = ws::mul(ws::sub(ws::mul(ws::load<4, 32, ws::lines>(p.x, i, 96), x_4), mean), r);
            ws::group_barrier();
            ws::store(p.x, i, 96, x_8);  // kept_rows.c:51
            ws::group_barrier();
        }
    }
}

static WS_KERNEL(128, 8) void normalized_to_128_kernel_in_vectors(WS_PARAMS(normalized_to_128_params) p)
{
    ws::start();
    normalized_to_128_params q = p;
    ws::know_vectors(q.g, q.x);
    normalized_to_128_all(q, 0);
}

static WS_KERNEL(128, 8) void normalized_to_128_kernel(WS_PARAMS(normalized_to_128_params) p)
{
    ws::start();
    normalized_to_128_all(p, 0);
}

static void ws_launch_normalized_1544c568_to_128(long M, long N, const void *X, const void *scale)
{
    ws::launch call("normalized");
    normalized_to_128_params p;
    call.tensor(p.g, "g", scale, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded_and_stored);
    call.place();
    p.N = N;
    call.grid(p.grid, {{0, M, 4}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.g, p.x) ? normalized_to_128_kernel_in_vectors : normalized_to_128_kernel, p, 128, 0,
             ws::persistent);
}

// kept_rows.c:35: normalized
struct normalized_to_32_params {
    ws::tensor<float, 2> g;
    ws::tensor<float, 2> x;
    long N;
    ws::grid<1> grid;
};

static WS_DEVICE void normalized_to_32_all(const normalized_to_32_params &p, int group)
{
    auto ws_ahead_1 = ws::load_ahead(ws::tiles<1>(p.grid), [&](const auto &t) {
        const long i = t.at(0);
        return ws::load<4, 32, ws::lines>(p.g, i, 0);
    });
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // kept_rows.c:35
        const long i = t.at(0);
        auto sum = ws::full<float, 4, 1, ws::lines>(0);
        auto squares = ws::full<float, 4, 1, ws::lines>(0);
        const auto x = ws_ahead_1.take(t);
        sum = ws::add(sum, ws::row_part(ws::mul(ws::load<4, 32, ws::lines>(p.x, i, 0), x)));
        sum = ws::row_total(sum);
        const auto mean = ws::div(sum, (float)p.N);
        auto d = ws::sub(ws::mul(ws::load<4, 32, ws::lines>(p.x, i, 0), x), mean);
        d = ws::select(ws::lt(ws::add(ws::col_index<1, 32, ws::lines>(), 0), (int)p.N), d, 0.0f);
        squares = ws::add(squares, ws::row_part(ws::mul(d, d)));
        squares = ws::row_total(squares);
        const auto r = ws::rsqrt(ws::add(ws::div(squares, (float)p.N), 0.001f));
        ws::store(p.x, i, 0,
                  ws::mul(ws::sub(ws::mul(ws::load<4, 32, ws::lines>(p.x, i, 0), x), mean), r));  // kept_rows.c:51
    }
}

static WS_KERNEL(128, 8) void normalized_to_32_kernel_in_vectors(WS_PARAMS(normalized_to_32_params) p)
{
    ws::start();
    normalized_to_32_params q = p;
    ws::know_vectors(q.g, q.x);
    normalized_to_32_all(q, 0);
}

static WS_KERNEL(128, 8) void normalized_to_32_kernel(WS_PARAMS(normalized_to_32_params) p)
{
    ws::start();
    normalized_to_32_all(p, 0);
}

static void ws_launch_normalized_1544c568_to_32(long M, long N, const void *X, const void *scale)
{
    ws::launch call("normalized");
    normalized_to_32_params p;
    call.tensor(p.g, "g", scale, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded_and_stored);
    call.place();
    p.N = N;
    call.grid(p.grid, {{0, M, 4}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.g, p.x) ? normalized_to_32_kernel_in_vectors : normalized_to_32_kernel, p, 128, 0,
             ws::persistent);
}

// kept_rows.c:35: normalized
struct normalized_to_64_params {
    ws::tensor<float, 2> g;
    ws::tensor<float, 2> x;
    long N;
    ws::grid<1> grid;
};

static WS_DEVICE void normalized_to_64_all(const normalized_to_64_params &p, int group)
{
    auto ws_ahead_1 = ws::load_ahead(ws::tiles<1>(p.grid), [&](const auto &t) {
        const long i = t.at(0);
        return ws::load<4, 32, ws::lines>(p.g, i, 0);
    });
    auto ws_ahead_2 = ws::load_ahead(ws::tiles<1>(p.grid), [&](const auto &t) {
        const long i = t.at(0);
        return ws::load<4, 32, ws::lines>(p.g, i, 32);
    });
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // kept_rows.c:35
        const long i = t.at(0);
        auto sum = ws::full<float, 4, 1, ws::lines>(0);
        auto squares = ws::full<float, 4, 1, ws::lines>(0);
        const auto x = ws_ahead_1.take(t);
        const auto x_2 = ws_ahead_2.take(t);
        sum = ws::add(sum, ws::row_part(ws::mul(ws::load<4, 32, ws::lines>(p.x, i, 0), x)));
        sum = ws::add(sum, ws::row_part(ws::mul(ws::load<4, 32, ws::lines>(p.x, i, 32), x_2)));
        sum = ws::row_total(sum);
        const auto mean = ws::div(sum, (float)p.N);
        auto d = ws::sub(ws::mul(ws::load<4, 32, ws::lines>(p.x, i, 0), x), mean);
        d = ws::select(ws::lt(ws::add(ws::col_index<1, 32, ws::lines>(), 0), (int)p.N), d, 0.0f);
        squares = ws::add(squares, ws::row_part(ws::mul(d, d)));
        d = ws::sub(ws::mul(ws::load<4, 32, ws::lines>(p.x, i, 32), x_2), mean);
        d = ws::select(ws::lt(ws::add(ws::col_index<1, 32, ws::lines>(), 32), (int)p.N), d, 0.0f);
        squares = ws::add(squares, ws::row_part(ws::mul(d, d)));
        squares = ws::row_total(squares);
        const auto r = ws::rsqrt(ws::add(ws::div(squares, (float)p.N), 0.001f));
        const auto x_3 = ws::mul(ws::sub(ws::mul(ws::load<4, 32, ws::lines>(p.x, i, 0), x), mean), r);
        ws::group_barrier();
        ws::store(p.x, i, 0, x_3);  // kept_rows.c:51
        ws::group_barrier();
        const auto x_4 = ws::mul(ws::sub(ws::mul(ws::load<4, 32, ws::lines>(p.x, i, 32), x_2), mean), r);
        ws::group_barrier();
        ws::store(p.x, i, 32, x_4);  // kept_rows.c:51
        ws::group_barrier();
    }
}

static WS_KERNEL(128, 8) void normalized_to_64_kernel_in_vectors(WS_PARAMS(normalized_to_64_params) p)
{
    ws::start();
    normalized_to_64_params q = p;
    ws::know_vectors(q.g, q.x);
    normalized_to_64_all(q, 0);
}

static WS_KERNEL(128, 8) void normalized_to_64_kernel(WS_PARAMS(normalized_to_64_params) p)
{
    ws::start();
    normalized_to_64_all(p, 0);
}

static void ws_launch_normalized_1544c568_to_64(long M, long N, const void *X, const void *scale)
{
    ws::launch call("normalized");
    normalized_to_64_params p;
    call.tensor(p.g, "g", scale, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded_and_stored);
    call.place();
    p.N = N;
    call.grid(p.grid, {{0, M, 4}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.g, p.x) ? normalized_to_64_kernel_in_vectors : normalized_to_64_kernel, p, 128, 0,
             ws::persistent);
}

// kept_rows.c:35: normalized
struct normalized_params {
    ws::tensor<float, 2> g;
    ws::tensor<float, 2> x;
    ws::edge_map g_map;                  // tiles of 4 rows, the last as it is
    ws::edge_map x_map;                  // tiles of 4 rows, the last as it is
    long N;
    ws::grid<1> grid;
};

struct normalized_shared {
    ws::shared_tile<float, 4, 32> g_tile[16];
    ws::shared_tile<float, 4, 32> x_tile[16];
    ws::shared_tile<float, 4, 32> g_tile_2[16];
    ws::shared_tile<float, 4, 32> x_tile_2[16];
    ws::shared_tile<float, 4, 32> g_tile_3[16];
    ws::shared_tile<float, 4, 32> x_tile_3[16];
    ws::ring<16> g_tile_x_tile;
    ws::ring<16> g_tile_2_x_tile_2;
    ws::ring<16> g_tile_3_x_tile_3;
};
static_assert(offsetof(normalized_shared, g_tile) == 0);
static_assert(offsetof(normalized_shared, x_tile) == 16384);
static_assert(offsetof(normalized_shared, g_tile_2) == 32768);
static_assert(offsetof(normalized_shared, x_tile_2) == 49152);
static_assert(offsetof(normalized_shared, g_tile_3) == 65536);
static_assert(offsetof(normalized_shared, x_tile_3) == 81920);
static_assert(sizeof(normalized_shared) == 99328);

template <bool TMA>
static WS_DEVICE void normalized_producer(const normalized_params &p, normalized_shared &s, int group)
{
    ws::producer<16, TMA> g_tile_x_tile(s.g_tile_x_tile);
    ws::producer<16, TMA> g_tile_2_x_tile_2(s.g_tile_2_x_tile_2);
    ws::producer<16, TMA> g_tile_3_x_tile_3(s.g_tile_3_x_tile_3);
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // kept_rows.c:35
        const long i = t.at(0);
        for (long j = 0; j < p.N; j += 32) {  // kept_rows.c:39
            const int g_tile_x_tile_slot = g_tile_x_tile.put();
            ws::copy_in(g_tile_x_tile, s.g_tile[g_tile_x_tile_slot], p.g, p.g_map, i, j);
            ws::copy_in(g_tile_x_tile, s.x_tile[g_tile_x_tile_slot], p.x, p.x_map, i, j);
            g_tile_x_tile.put_done();
        }
        for (long j = 0; j < p.N; j += 32) {  // kept_rows.c:43
            const int g_tile_2_x_tile_2_slot = g_tile_2_x_tile_2.put();
            ws::copy_in(g_tile_2_x_tile_2, s.g_tile_2[g_tile_2_x_tile_2_slot], p.g, p.g_map, i, j);
            ws::copy_in(g_tile_2_x_tile_2, s.x_tile_2[g_tile_2_x_tile_2_slot], p.x, p.x_map, i, j);
            g_tile_2_x_tile_2.put_done();
        }
        for (long j = 0; j < p.N; j += 32) {  // kept_rows.c:50
            const int g_tile_3_x_tile_3_slot = g_tile_3_x_tile_3.put();
            ws::copy_in(g_tile_3_x_tile_3, s.g_tile_3[g_tile_3_x_tile_3_slot], p.g, p.g_map, i, j);
            ws::copy_in(g_tile_3_x_tile_3, s.x_tile_3[g_tile_3_x_tile_3_slot], p.x, p.x_map, i, j);
            g_tile_3_x_tile_3.put_done();
        }
    }
}

static WS_DEVICE void normalized_consumer(const normalized_params &p, normalized_shared &s, int group)
{
    ws::consumer<16> g_tile_x_tile(s.g_tile_x_tile);
    ws::consumer<16> g_tile_2_x_tile_2(s.g_tile_2_x_tile_2);
    ws::consumer<16> g_tile_3_x_tile_3(s.g_tile_3_x_tile_3);
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // kept_rows.c:35
        const long i = t.at(0);
        auto sum = ws::full<float, 4, 1, ws::lines>(0);
        auto squares = ws::full<float, 4, 1, ws::lines>(0);
        for (long j = 0; j < p.N; j += 32) {  // kept_rows.c:39
            const int g_tile_x_tile_slot = g_tile_x_tile.get();
            const auto x = ws::read<ws::lines>(ws::view(s.g_tile[g_tile_x_tile_slot]));
            const auto x_2 = ws::read<ws::lines>(ws::view(s.x_tile[g_tile_x_tile_slot]));
            ws::fence();
            g_tile_x_tile.consumed<0>();
            sum = ws::add(sum, ws::row_part(ws::mul(x_2, x)));
        }
        sum = ws::row_total(sum);
        const auto mean = ws::div(sum, (float)p.N);
        for (long j = 0; j < p.N; j += 32) {  // kept_rows.c:43
            const int g_tile_2_x_tile_2_slot = g_tile_2_x_tile_2.get();
            const auto x = ws::read<ws::lines>(ws::view(s.g_tile_2[g_tile_2_x_tile_2_slot]));
            const auto x_2 = ws::read<ws::lines>(ws::view(s.x_tile_2[g_tile_2_x_tile_2_slot]));
            ws::fence();
            g_tile_2_x_tile_2.consumed<0>();
            auto d = ws::sub(ws::mul(x_2, x), mean);
            d = ws::select(ws::lt(ws::add(ws::col_index<1, 32, ws::lines>(), (int)j), (int)p.N), d, 0.0f);
            squares = ws::add(squares, ws::row_part(ws::mul(d, d)));
        }
        squares = ws::row_total(squares);
        const auto r = ws::rsqrt(ws::add(ws::div(squares, (float)p.N), 0.001f));
        for (long j = 0; j < p.N; j += 32) {  // kept_rows.c:50
            const int g_tile_3_x_tile_3_slot = g_tile_3_x_tile_3.get();
            const auto x = ws::read<ws::lines>(ws::view(s.g_tile_3[g_tile_3_x_tile_3_slot]));
            const auto x_2 = ws::read<ws::lines>(ws::view(s.x_tile_3[g_tile_3_x_tile_3_slot]));
            ws::fence();
            g_tile_3_x_tile_3.consumed<0>();
            ws::store(p.x, i, j, ws::mul(ws::sub(ws::mul(x_2, x), mean), r));  // kept_rows.c:51
        }
    }
}

static WS_KERNEL(256, 2) void normalized_kernel(WS_PARAMS(normalized_params) p)
{
    normalized_shared &s = ws::shared<normalized_shared>();
    if (ws::first_thread()) {
        s.g_tile_x_tile.init("g_tile_x_tile", 1);  // one group releases each slot
        s.g_tile_2_x_tile_2.init("g_tile_2_x_tile_2", 1);  // one group releases each slot
        s.g_tile_3_x_tile_3.init("g_tile_3_x_tile_3", 1);  // one group releases each slot
        ws::prefetch(p.g_map);
        ws::prefetch(p.x_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        if (ws::first_warp()) {
            if (ws::by_tma(p.g_map, p.x_map))
                normalized_producer<true>(p, s, 0);
            else
                normalized_producer<false>(p, s, 0);
        }
    } else {
        normalized_consumer(p, s, 0);
    }
}

extern "C" void ws_launch_normalized_1544c568(long M, long N, const void *X, const void *scale)
{
    if (N >= 65 && N <= 128) {
        ws_launch_normalized_1544c568_to_128(M, N, X, scale);
        return;
    }
    if (N >= 1 && N <= 32) {
        ws_launch_normalized_1544c568_to_32(M, N, X, scale);
        return;
    }
    if (N >= 33 && N <= 64) {
        ws_launch_normalized_1544c568_to_64(M, N, X, scale);
        return;
    }
    ws::launch call("normalized");
    normalized_params p;
    call.tensor(p.g, "g", scale, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded_and_stored);
    call.place();
    call.map(p.g_map, p.g, 4);
    call.map(p.x_map, p.x, 4);
    p.N = N;
    call.grid(p.grid, {{0, M, 4}}, ws::order_auto, 0);
    call.run(normalized_kernel, p, 256, sizeof(normalized_shared), ws::persistent);
}
