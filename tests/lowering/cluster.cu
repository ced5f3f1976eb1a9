#include <wsrt.cuh>

// cluster.ir:2: cluster
typedef ws::cluster<2, 2> cluster_cluster;  // blocks side by side, which share what they load

struct cluster_params {
    ws::tensor<ws::f16, 2> a;
    ws::tensor<ws::f16, 2> b;
    ws::tensor<ws::f16, 2> c;
    ws::edge_map a_map;                  // tiles of 64 rows, the last as it is
    ws::edge_map b_map;                  // tiles of 128 rows, the last as it is
    ws::map c_map;
    int K;
    ws::grid<2, cluster_cluster> grid;
};

struct cluster_shared {
    ws::shared_tile<ws::f16, 128, 64> ta[4];
    ws::shared_tile<ws::f16, 256, 64> tb[4];
    ws::output<ws::f16, 64, 2> c_out[2];  // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::ring<4> ta_tb;
};
static_assert(offsetof(cluster_shared, ta) == 0);
static_assert(offsetof(cluster_shared, tb) == 65536);
static_assert(offsetof(cluster_shared, c_out) == 196608);
static_assert(sizeof(cluster_shared) == 230400);

template <bool TMA>
static WS_DEVICE void cluster_producer(const cluster_params &p, cluster_shared &s, int group)
{
    ws::sharer<4, TMA> ta_tb(s.ta_tb);
    for (ws::tiles<2, cluster_cluster> t(p.grid); t.more(); t.next()) {  // cluster.ir:2
        const int i = t.nearest(0);
        const int j = t.nearest(1);
        for (int k = 0; k < p.K; k += 64) {  // cluster.ir:10
            const int slot = ta_tb.put();
            ws::copy_share<cluster_cluster, ws::along_y>(ta_tb, s.ta[slot], p.a, p.a_map, i, k);
            ws::copy_share<cluster_cluster, ws::along_x>(ta_tb, s.tb[slot], p.b, p.b_map, j, k);
            ta_tb.put_done();
        }
    }
}

static WS_DEVICE void cluster_consumer(const cluster_params &p, cluster_shared &s, int group)
{
    ws::consumer<4, cluster_cluster, ws::along_x_and_y> ta_tb(s.ta_tb);
    ws::warp_output c_out(s.c_out[group]);
    const long first_row = (long)group * 64;
    for (ws::tiles<2, cluster_cluster> t(p.grid); t.more(); t.next()) {  // cluster.ir:2
        const int i = t.nearest(0);
        const int j = t.nearest(1);
        auto acc = ws::full<float, 64, 256, ws::frag>(0);
        for (int k = 0; k < p.K; k += 64) {  // cluster.ir:10
            const int slot = ta_tb.get();
            ws::mma(acc, ws::window<64, 64>(s.ta[slot], first_row, 0), ws::trans(ws::view(s.tb[slot])));
            ws::commit();
            ws::wait<1>(acc);
            ta_tb.consumed<1>();
        }
        ws::wait<0>(acc);
        ta_tb.consumed<0>();
        WS_UNROLL
        for (int subtile = 0; subtile < 256; subtile += 64) {  // cluster.ir:18
            const auto half = ws::cast<ws::f16>(ws::columns<64>(acc, subtile));
            const int column = j + subtile;
            ws::store_wait<1>();
            const auto box = ws::stage(c_out, half);
            ws::fence();
            if (t.inside())
                ws::store(c_out, p.c, p.c_map, i + first_row, column, box);  // cluster.ir:18
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void cluster_kernel(WS_PARAMS(cluster_params) p)
{
    cluster_shared &s = ws::shared<cluster_shared>();
    if (ws::first_thread()) {
        s.ta_tb.init<cluster_cluster, ws::along_x_and_y>("ta_tb", 6);  // six groups release each slot
        ws::prefetch(p.a_map);
        ws::prefetch(p.b_map);
        ws::prefetch(p.c_map);
    }
    ws::start<cluster_cluster>();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.a_map, p.b_map))
                cluster_producer<true>(p, s, 0);
            else
                cluster_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        cluster_consumer(p, s, ws::warp_group() - 1);
    }
    ws::finish<cluster_cluster>();
}

extern "C" void ws_launch_cluster(int M, int N, int K, const void *A, const void *B, const void *C)
{
    ws::launch call("cluster");
    cluster_params p;
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.b, "b", B, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.a_map, p.a, 64);
    call.map(p.b_map, p.b, 128);
    call.map(p.c_map, p.c, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 128}, {0, N, 256}}, ws::order_auto, 0);
    call.run(cluster_kernel, p, 384, sizeof(cluster_shared), ws::persistent, cluster_cluster::size);
}
