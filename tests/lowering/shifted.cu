#include <wsrt.cuh>

// shifted.ir:2: shifted
struct shifted_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<ws::f16, 2> w;
    ws::tensor<ws::f16, 2> y;
    int N;
    ws::grid<1> grid;
};

static WS_DEVICE void shifted_all(const shifted_params &p, int group)
{
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // shifted.ir:2
        const int i = t.at(0);
        auto z = ws::full<float, 16, 64, ws::strips>(0);
        ws::row_window<ws::f16, 16, 64, ws::strips, 9> ws_window_1;
        WS_UNROLL
        for (int a = 0; a < 9; a += 1) {  // shifted.ir:9
            const int r = i + a;
            const auto v = ws_window_1.take(a == 0, a, 0, p.x, r, 0);
            const auto v2 = ws::cast<float>(v);
            z = ws::add(z, v2);
        }
        for (int b = 0; b < 17; b += 1) {  // shifted.ir:16
            const int r2 = i + b;
            const auto q = ws::load<16, 64, ws::strips>(p.w, r2, 0);
            const auto q2 = ws::cast<float>(q);
            z = ws::mul(z, q2);
        }
        for (int c = 0; c < p.N; c += 1) {  // shifted.ir:23
            const int r3 = i + c;
            const auto p_2 = ws::load<16, 64, ws::strips>(p.w, r3, 0);
            const auto p2 = ws::cast<float>(p_2);
            z = ws::sub(z, p2);
        }
        const auto h = ws::cast<ws::f16>(z);
        ws::store(p.y, i, 0, h);  // shifted.ir:31
    }
}

static WS_KERNEL(128, 6) void shifted_kernel_in_vectors(WS_PARAMS(shifted_params) p)
{
    ws::start();
    shifted_params q = p;
    ws::know_vectors(q.x, q.w, q.y);
    ws::know_step(q.grid, 0, 0, 16);
    shifted_all(q, 0);
}

static WS_KERNEL(128, 6) void shifted_kernel(WS_PARAMS(shifted_params) p)
{
    ws::start();
    shifted_all(p, 0);
}

extern "C" void ws_launch_shifted(int M, int N, const void *X, const void *W, const void *Y)
{
    ws::launch call("shifted");
    shifted_params p;
    call.tensor(p.x, "x", X, {M, 64}, {64, 1}, ws::loaded);
    call.tensor(p.w, "w", W, {N, 64}, {64, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, 64}, {64, 1}, ws::stored);
    call.place();
    p.N = N;
    call.grid(p.grid, {{0, M, 16}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.x, p.w, p.y) ? shifted_kernel_in_vectors : shifted_kernel, p, 128, 0, ws::one_tile);
}
