#include <wsrt.cuh>

// operations.ir:2: ops
struct ops_params {
    ws::tensor<float, 2> x;
    ws::tensor<ws::f16, 2> y;
    ws::tensor<float, 1> v;
    ws::tensor<int, 1> o;
    ws::tensor<int, 1> ix;
    int m;
    unsigned int u;
    double root;
    ws::grid<2> grid;
};

struct ops_shared {
    ws::scratch<16384> scratch;
};
static_assert(offsetof(ops_shared, scratch) == 0);
static_assert(sizeof(ops_shared) == 16384);

static WS_DEVICE void ops_all(const ops_params &p, ops_shared &s, int group)
{
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // operations.ir:2
        const long new_2 = t.at(0);
        const int j = t.at(1);
        const long b = ws::fixed_at(p.ix, new_2);
        const long e = ws::fixed_at(p.ix, b);
        const auto part = ws::slice<0>(p.x, b, e);
        const auto t_2 = ws::load_or<64, 64, ws::lines>(-INFINITY, part, new_2, j);
        const auto r = ws::load_row<64, ws::lines>(p.v, j);
        const auto c = ws::load_col<64, ws::lines>(p.v, new_2);
        const auto t1 = ws::mul(t_2, p.root);
        const auto t2 = ws::add(t1, r);
        const auto t3 = ws::sub(t2, c);
        const auto ri = ws::row_index<64, 64, ws::lines>();
        const auto ci = ws::col_index<64, 64, ws::lines>();
        const auto k = ws::lt(ri, ci);
        const auto t4 = ws::select(k, t3, 0.5f);
        const auto cs = ws::col_sum(t4, s.scratch);
        const auto cu = ws::row_cumsum(t4, s.scratch);
        const auto tt = ws::trans(cu, s.scratch);
        const auto am = ws::row_argmax(tt);
        const auto d = ws::sub(tt, cs);
        const auto d2 = ws::fma(d, t_2, r);
        ws::print("d\0422", d2);
        const auto hh = ws::cast<ws::f16>(d2);
        ws::store(p.y, new_2, j, hh);  // operations.ir:36
        ws::store_col(p.o, new_2, am);  // operations.ir:37
        const bool q = p.u < 7;
        const bool q2 = p.m == 3;
        const bool q3 = q || q2;
        const unsigned int sh = p.u << 3;
        const unsigned int sh2 = sh - 1;
        const int cv = sh2;
        const int w = q3 ? cv : 5;
        if (q3) {  // operations.ir:45
            ws::group_barrier();
            ws::atomic_add(p.x, w, w, t_2);  // operations.ir:46
            ws::group_barrier();
        }
        int p0 = 1;
        int p1 = w;
        for (int z9 = 10; z9 > w; z9 -= 2) {  // operations.ir:51
            ws::group_barrier();
            ws::atomic_add(p.x, p0, p1, t_2);  // operations.ir:52
            ws::group_barrier();
            const auto saved_p0 = p1;
            p1 = p0;
            p0 = saved_p0;
        }
        for (;;) {  // operations.ir:55
            const bool more = p0 < 100;
            if (!more)
                break;
            const int a3 = p0 * 2;
            const int a4 = p1 + a3;
            p1 = p0;
            p0 = a4;
        }
        ws::group_barrier();
        ws::atomic_add(p.x, p0, p1, t_2);  // operations.ir:63
        ws::group_barrier();
    }
}

static WS_KERNEL(128, 1) void ops_kernel_in_vectors(WS_PARAMS(ops_params) p)
{
    ops_shared &s = ws::shared<ops_shared>();
    ws::start();
    ops_params q = p;
    ws::know_vectors(q.x, q.y, q.v);
    ws::know_step(q.grid, 0, 0, 64);
    ws::know_step(q.grid, 1, 0, 64);
    ops_all(q, s, 0);
}

static WS_KERNEL(128, 1) void ops_kernel(WS_PARAMS(ops_params) p)
{
    ops_shared &s = ws::shared<ops_shared>();
    ws::start();
    ops_all(p, s, 0);
}

extern "C" void ws_launch_ops(long n, int m, unsigned int u, float f, const void *X, const void *Y, const void *V,
                              const void *O, const void *I)
{
    ws::launch call("ops");
    ops_params p;
    p.root = sqrt((double)f);
    call.tensor(p.x, "x", X, {n, m}, {m, 1}, ws::loaded_and_stored);
    call.tensor(p.y, "y", Y, {n, 64}, {64, 1}, ws::stored);
    call.tensor(p.v, "v", V, {n}, {1}, ws::loaded);
    call.tensor(p.o, "o", O, {n}, {1}, ws::stored);
    call.tensor(p.ix, "ix", I, {n}, {1}, ws::loaded);
    call.place();
    p.m = m;
    p.u = u;
    call.grid(p.grid, {{0, n, 64}, {0, m, 64}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.x, p.y, p.v) ? ops_kernel_in_vectors : ops_kernel, p, 128, sizeof(ops_shared),
             ws::one_tile);
}
