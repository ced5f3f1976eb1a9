#include <wsrt.cuh>

// shares.ir:2: turns
struct turns_params {
    ws::tensor<ws::f16, 2> q;
    ws::tensor<ws::f16, 2> a;
    ws::tensor<ws::f16, 2> o;
    ws::edge_map q_map;                  // tiles of 128 rows, the last as it is
    ws::map a_map;                       // tiles of 64 rows
    ws::map o_map;
    int K;
    ws::grid<1> grid;
};

struct turns_shared {
    union {
        ws::shared_tile<ws::f16, 128, 64> tq[1];
        ws::output<ws::f16, 64, 1> out[2];  // 64 rows, 1 block of 128 bytes; one for each group
    };                                   // used in turn
    ws::shared_tile<ws::f16, 64, 64> a_tile[2];
    ws::ring<1> tq_ring;
    ws::ring<2> a_tile_ring;
    ws::role_barrier<2> role_barrier;
};
static_assert(offsetof(turns_shared, tq) == 0);
static_assert(offsetof(turns_shared, a_tile) == 16384);
static_assert(offsetof(turns_shared, out) == 0);
static_assert(sizeof(turns_shared) == 33792);

template <bool TMA>
static WS_DEVICE void turns_producer(const turns_params &p, turns_shared &s, int group)
{
    ws::producer<1, TMA> tq_ring(s.tq_ring);
    ws::producer<2, TMA> a_tile_ring(s.a_tile_ring);
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // shares.ir:2
        const int i = t.at(0);
        const int tq_slot = tq_ring.put();
        ws::copy_in(tq_ring, s.tq[tq_slot], p.q, p.q_map, i, 0);
        tq_ring.put_done();
        for (int k = 0; k < p.K; k += 64) {  // shares.ir:11
            const int a_tile_slot = a_tile_ring.put();
            ws::copy_in(a_tile_ring, s.a_tile[a_tile_slot], p.a, p.a_map, k, 0);
            a_tile_ring.put_done();
        }
    }
}

static WS_DEVICE void turns_consumer(const turns_params &p, turns_shared &s, int group)
{
    ws::consumer<1> tq_ring(s.tq_ring);
    ws::consumer<2> a_tile_ring(s.a_tile_ring);
    ws::warp_output out(s.out[group]);
    const long first_row = (long)group * 64;
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // shares.ir:2
        const int i = t.at(0);
        const int tq_slot = tq_ring.get();
        auto acc = ws::full<float, 64, 64, ws::frag>(0);
        for (int k = 0; k < p.K; k += 64) {  // shares.ir:11
            const int a_tile_slot = a_tile_ring.get();
            ws::mma(acc, ws::window<64, 64>(s.tq[tq_slot], first_row, 0), ws::trans(ws::view(s.a_tile[a_tile_slot])));
            ws::commit();
            ws::wait<0>(acc);
            a_tile_ring.consumed<0>();
        }
        const auto out_2 = ws::cast<ws::f16>(acc);
        ws::store_wait<0>();
        ws::sync(s.role_barrier, group);
        const auto box = ws::stage(out, out_2);
        ws::fence();
        ws::store(out, p.o, p.o_map, i + first_row, 0, box);  // shares.ir:18
        ws::store_wait<0>();
        tq_ring.consumed<0>();
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void turns_kernel(WS_PARAMS(turns_params) p)
{
    turns_shared &s = ws::shared<turns_shared>();
    if (ws::first_thread()) {
        s.tq_ring.init("tq_ring", 2);    // two groups release each slot
        s.a_tile_ring.init("a_tile_ring", 2);  // two groups release each slot
        s.role_barrier.init("role_barrier");
        ws::prefetch(p.q_map);
        ws::prefetch(p.a_map);
        ws::prefetch(p.o_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<40>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.q_map, p.a_map))
                turns_producer<true>(p, s, 0);
            else
                turns_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<232>();
        turns_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_turns(int M, int K, const void *Q, const void *A, const void *O)
{
    ws::launch call("turns");
    turns_params p;
    call.tensor(p.q, "q", Q, {M, 64}, {64, 1}, ws::loaded);
    call.tensor(p.a, "a", A, {K, 64}, {64, 1}, ws::loaded);
    call.tensor(p.o, "o", O, {M, 64}, {64, 1}, ws::stored);
    call.place();
    call.map(p.q_map, p.q, 128);
    call.map(p.a_map, p.a, 64);
    call.map(p.o_map, p.o, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 128}}, ws::order_auto, 0);
    call.run(turns_kernel, p, 384, sizeof(turns_shared), ws::persistent);
}

// shares.ir:22: staged
struct staged_params {
    ws::tensor<ws::f16, 2> a;
    ws::tensor<ws::f16, 2> q;
    ws::tensor<ws::f16, 3> o;
    ws::map a_map;                       // tiles of 64 rows
    ws::map q_map;                       // tiles of 64 rows
    ws::map o_map;
    int K;
    ws::grid<1> grid;
};

struct staged_shared {
    ws::shared_tile<ws::f16, 64, 64> ta[2];
    ws::shared_tile<ws::f16, 64, 64> q_tile[2];
    union {
        ws::shared_tile<ws::f16, 64, 64> x_staged;
        ws::output<ws::f16, 64, 1> out;  // 64 rows, 1 block of 128 bytes
    };                                   // used in turn
    ws::ring<2> ta_ring;
    ws::ring<2> q_tile_ring;
};
static_assert(offsetof(staged_shared, ta) == 0);
static_assert(offsetof(staged_shared, q_tile) == 16384);
static_assert(offsetof(staged_shared, x_staged) == 32768);
static_assert(offsetof(staged_shared, out) == 32768);
static_assert(sizeof(staged_shared) == 41984);

template <bool TMA>
static WS_DEVICE void staged_producer(const staged_params &p, staged_shared &s, int group)
{
    ws::producer<2, TMA> ta_ring(s.ta_ring);
    ws::producer<2, TMA> q_tile_ring(s.q_tile_ring);
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // shares.ir:22
        const int i = t.at(0);
        for (int k = 0; k < p.K; k += 64) {  // shares.ir:33
            const int ta_slot = ta_ring.put();
            ws::copy_in(ta_ring, s.ta[ta_slot], p.a, p.a_map, k, 0);
            ta_ring.put_done();
            const int q_tile_slot = q_tile_ring.put();
            ws::copy_in(q_tile_ring, s.q_tile[q_tile_slot], p.q, p.q_map, i, 0);
            q_tile_ring.put_done();
        }
    }
}

static WS_DEVICE void staged_consumer(const staged_params &p, staged_shared &s, int group)
{
    ws::consumer<2> ta_ring(s.ta_ring);
    ws::consumer<2> q_tile_ring(s.q_tile_ring);
    ws::warp_output out(s.out);
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // shares.ir:22
        const int i = t.at(0);
        auto sum = ws::full<float, 64, 64, ws::frag>(0);
        for (int k = 0; k < p.K; k += 64) {  // shares.ir:33
            const int ta_slot = ta_ring.get();
            auto acc = ws::full<float, 64, 64, ws::frag>(0);
            const int q_tile_slot = q_tile_ring.get();
            ws::mma(acc, ws::view(s.q_tile[q_tile_slot]), ws::trans(ws::view(s.ta[ta_slot])));
            ws::commit();
            ws::wait<0>(acc);
            q_tile_ring.consumed<0>();
            const auto x = ws::cast<ws::f16>(acc);
            ws::group_barrier();
            ws::store_wait<0>();
            ws::group_barrier();
            const auto x_staged_view = ws::stage(s.x_staged, x);
            ws::fence();
            ws::group_barrier();
            ws::mma(sum, ws::trans(x_staged_view), ws::view(s.ta[ta_slot]));
            ws::commit();
            ws::wait<0>(sum);
            ta_ring.consumed<0>();
            const auto out_2 = ws::cast<ws::f16>(sum);
            ws::store_wait<0>();
            ws::group_barrier();
            const auto box = ws::stage(out, out_2);
            ws::fence();
            ws::store(out, p.o, p.o_map, i / 64, k, 0, box);  // shares.ir:44
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(256, 1) void staged_kernel(WS_PARAMS(staged_params) p)
{
    staged_shared &s = ws::shared<staged_shared>();
    if (ws::first_thread()) {
        s.ta_ring.init("ta_ring", 1);    // one group releases each slot
        s.q_tile_ring.init("q_tile_ring", 1);  // one group releases each slot
        ws::prefetch(p.a_map);
        ws::prefetch(p.q_map);
        ws::prefetch(p.o_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        if (ws::first_warp()) {
            if (ws::by_tma(p.a_map, p.q_map))
                staged_producer<true>(p, s, 0);
            else
                staged_producer<false>(p, s, 0);
        }
    } else {
        staged_consumer(p, s, 0);
    }
}

extern "C" void ws_launch_staged(int M, int K, const void *Q, const void *A, const void *O)
{
    ws::launch call("staged");
    staged_params p;
    call.tensor(p.a, "a", A, {K, 64}, {64, 1}, ws::loaded);
    call.tensor(p.q, "q", Q, {M, 64}, {64, 1}, ws::loaded);
    call.tensor(p.o, "o", O, {M / 64, K, 64}, {(long)K * 64, 64, 1}, ws::stored);
    call.place();
    call.map(p.a_map, p.a, 64);
    call.map(p.q_map, p.q, 64);
    call.map(p.o_map, p.o, 64);
    p.K = K;
    call.grid(p.grid, {{0, M, 64}}, ws::order_auto, 0);
    call.run(staged_kernel, p, 256, sizeof(staged_shared), ws::persistent);
}
