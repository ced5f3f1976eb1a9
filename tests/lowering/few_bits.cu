#include <wsrt.cuh>

// few_bits.ir:3: few_bits
struct few_bits_params {
    ws::tensor<float, 2> x;
    ws::tensor<ws::f16, 2> y;
    ws::tensor<float, 2> z;
    ws::tensor<float, 1> s;
    ws::grid<1> grid;
};

template <ws::layout ws_rows>
static WS_DEVICE void few_bits_all(const few_bits_params &p, int group)
{
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // few_bits.ir:3
        const int i = t.at(0);
        const auto v = ws::load<16, 256, ws_rows>(p.x, i, 0);
        const auto top = ws::row_max(v);
        const auto d = ws::sub(v, top);
        const auto p_2 = ws::exp_fast(d);
        const auto h = ws::cast<ws::f16>(p_2);
        ws::store(p.y, i, 0, h);  // few_bits.ir:15
        const auto r = ws::row_sum(p_2);
        const auto v2 = ws::mul(v, v);
        const auto d2 = ws::sub(v2, top);
        const auto e = ws::exp(d2);
        const auto r2 = ws::row_sum(e);
        const auto t_2 = ws::add(r, r2);
        const auto n = ws::neg(d);
        const auto f = ws::exp(n);
        ws::store(p.z, i, 0, f);  // few_bits.ir:24
        ws::store_col(p.s, i, t_2);  // few_bits.ir:25
    }
}

static WS_KERNEL(128, 2) void few_bits_kernel_in_vectors(WS_PARAMS(few_bits_params) p)
{
    ws::start();
    few_bits_params q = p;
    ws::know_vectors(q.x, q.y, q.z);
    ws::know_step(q.grid, 0, 0, 16);
    few_bits_all<ws::lines_4>(q, 0);
}

static WS_KERNEL(128, 1) void few_bits_kernel(WS_PARAMS(few_bits_params) p)
{
    ws::start();
    few_bits_all<ws::narrow(ws::lines_2)>(p, 0);
}

extern "C" void ws_launch_few_bits(int M, const void *X, const void *Y, const void *Z, const void *S)
{
    ws::launch call("few_bits");
    few_bits_params p;
    call.tensor(p.x, "x", X, {M, 256}, {256, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, 256}, {256, 1}, ws::stored);
    call.tensor(p.z, "z", Z, {M, 256}, {256, 1}, ws::stored);
    call.tensor(p.s, "s", S, {M}, {1}, ws::stored);
    call.place();
    call.grid(p.grid, {{0, M, 16}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.x, p.y, p.z) ? few_bits_kernel_in_vectors : few_bits_kernel, p, 128, 0, ws::one_tile);
}
