#include <wsrt.cuh>

// streams.ir:2: streams
struct streams_params {
    ws::tensor<float, 1> x;
    ws::tensor<ws::f16, 2> a;
    ws::tensor<float, 1> y;
    int N;
    ws::grid<1> grid;
};

template <ws::layout ws_rows>
static WS_DEVICE void streams_all(const streams_params &p, int group)
{
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // streams.ir:2
        const int i = t.at(0);
        auto sum = ws::full<float, 16, 1, ws_rows>(0);
        auto ws_prefetch_1 = ws::load_prefetched<int>(0, p.N, 256, [&](const int k) {
            return ws::load_row<256, ws_rows>(p.x, k);
        });
        auto ws_prefetch_2 = ws::load_prefetched<int>(0, p.N, 256, [&](const int k) {
            const int twice = k * 2;
            return ws::load<16, 256, ws_rows>(p.a, i, twice);
        });
        for (int k = 0; k < p.N; k += 256) {  // streams.ir:9
            const int twice = k * 2;
            sum = ws::add(sum, ws::row_part(ws::mul(ws::cast<float>(ws_prefetch_2.take(k)), ws_prefetch_1.take(k))));
        }
        sum = ws::row_total(sum);
        ws::store_col(p.y, i, sum);  // streams.ir:19
    }
}

static WS_KERNEL(128, 5) void streams_kernel_in_vectors(WS_PARAMS(streams_params) p)
{
    ws::start();
    streams_params q = p;
    ws::know_vectors(q.x, q.a);
    ws::know_step(q.grid, 0, 0, 16);
    streams_all<ws::lines>(q, 0);
}

static WS_KERNEL(128, 3) void streams_kernel(WS_PARAMS(streams_params) p)
{
    ws::start();
    streams_all<ws::narrow(ws::lines)>(p, 0);
}

extern "C" void ws_launch_streams(int M, int N, const void *A, const void *X, const void *Y)
{
    ws::launch call("streams");
    streams_params p;
    call.tensor(p.x, "x", X, {N}, {1}, ws::loaded);
    call.tensor(p.a, "a", A, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M}, {1}, ws::stored);
    call.place();
    p.N = N;
    call.grid(p.grid, {{0, M, 16}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.x, p.a) ? streams_kernel_in_vectors : streams_kernel, p, 128, 0, ws::one_tile);
}
