#include <wsrt.cuh>

// product_in_arms.ir:2: product_in_arms
struct product_in_arms_params {
    ws::tensor<ws::f16, 2> a;
    ws::tensor<ws::f16, 2> b;
    ws::tensor<float, 2> c;
    ws::edge_map a_map;                  // tiles of 64 rows, the last as it is
    ws::map b_map;                       // tiles of 32 rows
    ws::map c_map;
    int K;
    ws::grid<1> grid;
};

struct product_in_arms_shared {
    ws::shared_tile<ws::f16, 64, 32> ta[3];
    ws::shared_tile<ws::f16, 32, 64> tb[3];
    ws::shared_tile<ws::f16, 32, 64> tb_2[3];
    ws::output<float, 64, 2> c_out;      // 64 rows, 2 blocks of 128 bytes
    ws::ring<3> ta_ring;
    ws::ring<3> tb_ring;
    ws::ring<3> tb_2_ring;
};
static_assert(offsetof(product_in_arms_shared, ta) == 0);
static_assert(offsetof(product_in_arms_shared, tb) == 24576);
static_assert(offsetof(product_in_arms_shared, tb_2) == 36864);
static_assert(offsetof(product_in_arms_shared, c_out) == 49152);
static_assert(sizeof(product_in_arms_shared) == 66560);

template <bool TMA>
static WS_DEVICE void product_in_arms_producer(const product_in_arms_params &p, product_in_arms_shared &s, int group)
{
    ws::producer<3, TMA> ta_ring(s.ta_ring);
    ws::producer<3, TMA> tb_ring(s.tb_ring);
    ws::producer<3, TMA> tb_2_ring(s.tb_2_ring);
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // product_in_arms.ir:2
        const int i = t.at(0);
        for (int k = 0; k < p.K; k += 32) {  // product_in_arms.ir:9
            const int ta_slot = ta_ring.put();
            ws::copy_in(ta_ring, s.ta[ta_slot], p.a, p.a_map, i, k);
            ta_ring.put_done();
            const bool low = k < i;
            if (low) {  // product_in_arms.ir:12
                const int tb_slot = tb_ring.put();
                ws::copy_in(tb_ring, s.tb[tb_slot], p.b, p.b_map, k, 0);
                tb_ring.put_done();
            } else {
                const bool same = k == i;
                if (same) {  // product_in_arms.ir:18
                    const int tb_2_slot = tb_2_ring.put();
                    ws::copy_in(tb_2_ring, s.tb_2[tb_2_slot], p.b, p.b_map, k, 0);
                    tb_2_ring.put_done();
                }
            }
        }
    }
}

static WS_DEVICE void product_in_arms_consumer(const product_in_arms_params &p, product_in_arms_shared &s, int group)
{
    ws::consumer<3> ta_ring(s.ta_ring);
    ws::consumer<3> tb_ring(s.tb_ring);
    ws::consumer<3> tb_2_ring(s.tb_2_ring);
    ws::warp_output c_out(s.c_out);
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // product_in_arms.ir:2
        const int i = t.at(0);
        auto acc = ws::full<float, 64, 64, ws::frag>(0);
        for (int k = 0; k < p.K; k += 32) {  // product_in_arms.ir:9
            const int ta_slot = ta_ring.get();
            const bool low = k < i;
            if (low) {  // product_in_arms.ir:12
                const int tb_slot = tb_ring.get();
                ws::mma(acc, ws::view(s.ta[ta_slot]), ws::view(s.tb[tb_slot]));
                ws::commit();
            } else {
                const bool same = k == i;
                if (same) {  // product_in_arms.ir:18
                    const int tb_2_slot = tb_2_ring.get();
                    ws::mma(acc, ws::view(s.ta[ta_slot]), ws::view(s.tb_2[tb_2_slot]));
                    ws::mma(acc, ws::view(s.ta[ta_slot]), ws::view(s.tb_2[tb_2_slot]));
                    ws::commit();
                } else {
                    ws::commit_nothing();
                }
            }
            ws::wait<1>(acc);
            ta_ring.consumed<1>();
            tb_ring.consumed<1>();
            tb_2_ring.consumed<1>();
        }
        ws::wait<0>(acc);
        ta_ring.consumed<0>();
        tb_ring.consumed<0>();
        tb_2_ring.consumed<0>();
        ws::store_wait<1>();
        const auto box = ws::stage<0>(c_out, acc);
        ws::fence();
        ws::store(c_out, p.c, p.c_map, i, 0, box);  // product_in_arms.ir:30
        ws::store_wait<1>();
        const auto box_2 = ws::stage<1>(c_out, acc);
        ws::fence();
        ws::store(c_out, p.c, p.c_map, i, 0, box_2);  // product_in_arms.ir:30
    }
    ws::store_wait<0>();
}

static WS_KERNEL(256, 1) void product_in_arms_kernel(WS_PARAMS(product_in_arms_params) p)
{
    product_in_arms_shared &s = ws::shared<product_in_arms_shared>();
    if (ws::first_thread()) {
        s.ta_ring.init("ta_ring", 1);    // one group releases each slot
        s.tb_ring.init("tb_ring", 1);    // one group releases each slot
        s.tb_2_ring.init("tb_2_ring", 1);  // one group releases each slot
        ws::prefetch(p.a_map);
        ws::prefetch(p.b_map);
        ws::prefetch(p.c_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        if (ws::first_warp()) {
            if (ws::by_tma(p.a_map, p.b_map))
                product_in_arms_producer<true>(p, s, 0);
            else
                product_in_arms_producer<false>(p, s, 0);
        }
    } else {
        product_in_arms_consumer(p, s, 0);
    }
}

extern "C" void ws_launch_product_in_arms(int M, int N, int K, const void *A, const void *B, const void *C)
{
    ws::launch call("product_in_arms");
    product_in_arms_params p;
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.b, "b", B, {K, N}, {N, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.a_map, p.a, 64);
    call.map(p.b_map, p.b, 32);
    call.map(p.c_map, p.c, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 64}}, ws::order_auto, 0);
    call.run(product_in_arms_kernel, p, 256, sizeof(product_in_arms_shared), ws::persistent);
}
