#include <wsrt.cuh>

// whole_tiles.c:11: in_place
struct in_place_params {
    ws::tensor<ws::f16, 2> b;
    ws::tensor<ws::f16, 2> a;
    ws::tensor<ws::f16, 2> c;
    ws::edge_map c_map;                  // tiles of 128 rows, the last as it is
    ws::edge_map b_map;                  // tiles of 64 rows, the last as it is
    ws::edge_map a_map;                  // tiles of 128 rows, the last as it is
    int K;
    ws::grid<2> grid;
};

struct in_place_shared {
    ws::shared_tile<ws::f16, 64, 32> b_tile[3];
    ws::shared_tile<ws::f16, 128, 32> a_tile[3];
    ws::shared_tile<ws::f16, 128, 64> c_tile[2];
    ws::ring<3> b_tile_a_tile;
    ws::ring<2> c_tile_ring;
};
static_assert(offsetof(in_place_shared, b_tile) == 0);
static_assert(offsetof(in_place_shared, a_tile) == 24576);
static_assert(offsetof(in_place_shared, c_tile) == 73728);
static_assert(sizeof(in_place_shared) == 107520);

template <bool TMA>
static WS_DEVICE void in_place_producer(const in_place_params &p, in_place_shared &s, int group)
{
    ws::producer<3, TMA> b_tile_a_tile(s.b_tile_a_tile);
    ws::producer<2, TMA> c_tile_ring(s.c_tile_ring);
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // whole_tiles.c:11
        const int i = t.at(0);
        const int j = t.at(1);
        ws::pace<1> c_tile_pace(ws::trips(0, p.K, 32));
        for (int k = 0; k < p.K; k += 32) {  // whole_tiles.c:16
            ws::bring(c_tile_pace, c_tile_ring, s.c_tile, p.c, p.c_map, i, j);
            const int b_tile_a_tile_slot = b_tile_a_tile.put();
            ws::copy_in(b_tile_a_tile, s.b_tile[b_tile_a_tile_slot], p.b, p.b_map, j, k);
            ws::copy_in(b_tile_a_tile, s.a_tile[b_tile_a_tile_slot], p.a, p.a_map, i, k);
            b_tile_a_tile.put_done();
        }
        ws::bring_rest(c_tile_pace, c_tile_ring, s.c_tile, p.c, p.c_map, i, j);
    }
}

static WS_DEVICE void in_place_consumer(const in_place_params &p, in_place_shared &s, int group)
{
    ws::consumer<3> b_tile_a_tile(s.b_tile_a_tile);
    ws::consumer<2> c_tile_ring(s.c_tile_ring);
    const long first_row = (long)group * 64;
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // whole_tiles.c:11
        const int i = t.at(0);
        const int j = t.at(1);
        auto acc = ws::full<float, 64, 64, ws::frag>(0);
        for (int k = 0; k < p.K; k += 32) {  // whole_tiles.c:16
            const int b_tile_a_tile_slot = b_tile_a_tile.get();
            ws::mma(acc, ws::window<64, 32>(s.a_tile[b_tile_a_tile_slot], first_row, 0),
                    ws::trans(ws::view(s.b_tile[b_tile_a_tile_slot])));
            ws::commit();
            ws::wait<1>(acc);
            b_tile_a_tile.consumed<1>();
        }
        ws::wait<0>(acc);
        b_tile_a_tile.consumed<0>();
        const int c_tile_slot = c_tile_ring.get();
        const auto x = ws::read<ws::frag>(ws::window<64, 64>(s.c_tile[c_tile_slot], first_row, 0));
        ws::fence();
        c_tile_ring.consumed<0>();
        acc = ws::add(acc, ws::cast<float>(x));
        ws::store(p.c, i + first_row, j, ws::cast<ws::f16>(acc));  // whole_tiles.c:19
    }
}

static WS_KERNEL(384, 1) void in_place_kernel(WS_PARAMS(in_place_params) p)
{
    in_place_shared &s = ws::shared<in_place_shared>();
    if (ws::first_thread()) {
        s.b_tile_a_tile.init("b_tile_a_tile", 2);  // two groups release each slot
        s.c_tile_ring.init("c_tile_ring", 2);  // two groups release each slot
        ws::prefetch(p.c_map);
        ws::prefetch(p.b_map);
        ws::prefetch(p.a_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<40>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.c_map, p.b_map, p.a_map))
                in_place_producer<true>(p, s, 0);
            else
                in_place_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<232>();
        in_place_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_in_place_6ce955fd(int M, int N, int K, const void *A, const void *B, const void *C)
{
    ws::launch call("in_place");
    in_place_params p;
    call.tensor(p.b, "b", B, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.a, "a", A, {M, K}, {K, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, N}, {N, 1}, ws::loaded_and_stored);
    call.place();
    call.map(p.c_map, p.c, 128);
    call.map(p.b_map, p.b, 64);
    call.map(p.a_map, p.a, 128);
    p.K = K;
    call.grid(p.grid, {{0, M, 128}, {0, N, 64}}, ws::order_auto, 0);
    call.run(in_place_kernel, p, 384, sizeof(in_place_shared), ws::persistent);
}

// whole_tiles.c:31: two
struct two_params {
    ws::tensor<ws::f16, 2> b;
    ws::tensor<ws::f16, 3> a;
    ws::tensor<ws::f16, 3> r;
    ws::tensor<float, 3> s;
    ws::tensor<float, 3> c;
    ws::edge_map r_map;                  // tiles of 64 rows, the last as it is
    ws::edge_map s_map;                  // tiles of 64 rows, the last as it is
    ws::edge_map b_map;                  // tiles of 64 rows, the last as it is
    ws::edge_map a_map;                  // tiles of 64 rows, the last as it is
    ws::map c_map;
    int count;
    int K;
    ws::grid<3> grid;
};

struct two_shared {
    ws::shared_tile<ws::f16, 64, 64> b_tile[2];
    ws::shared_tile<ws::f16, 64, 64> a_tile[2];
    ws::shared_tile<ws::f16, 64, 64> r_tile[2];
    ws::shared_tile<float, 64, 64> s_tile[2];
    ws::output<float, 64, 2> c_out;      // 64 rows, 2 blocks of 128 bytes
    ws::ring<2> b_tile_a_tile;
    ws::ring<2> r_tile_s_tile;
};
static_assert(offsetof(two_shared, b_tile) == 0);
static_assert(offsetof(two_shared, a_tile) == 16384);
static_assert(offsetof(two_shared, r_tile) == 32768);
static_assert(offsetof(two_shared, s_tile) == 49152);
static_assert(offsetof(two_shared, c_out) == 81920);
static_assert(sizeof(two_shared) == 99328);

template <bool TMA>
static WS_DEVICE void two_producer(const two_params &p, two_shared &s, int group)
{
    ws::producer<2, TMA> b_tile_a_tile(s.b_tile_a_tile);
    ws::producer<2, TMA> r_tile_s_tile(s.r_tile_s_tile);
    for (ws::tiles<3> t(p.grid); t.more(); t.next()) {  // whole_tiles.c:31
        const int n = t.at(0);
        const int i = t.at(1);
        const int j = t.at(2);
        const int other = p.count - n - 1;
        const int r_tile_s_tile_slot = r_tile_s_tile.put();
        ws::copy_in(r_tile_s_tile, s.r_tile[r_tile_s_tile_slot], p.r, p.r_map, other, i, j);
        ws::copy_in(r_tile_s_tile, s.s_tile[r_tile_s_tile_slot], p.s, p.s_map, n, i, j);
        r_tile_s_tile.put_done();
        for (int k = 0; k < p.K; k += 64) {  // whole_tiles.c:37
            const int b_tile_a_tile_slot = b_tile_a_tile.put();
            ws::copy_in(b_tile_a_tile, s.b_tile[b_tile_a_tile_slot], p.b, p.b_map, j, k);
            ws::copy_in(b_tile_a_tile, s.a_tile[b_tile_a_tile_slot], p.a, p.a_map, n, i, k);
            b_tile_a_tile.put_done();
        }
    }
}

static WS_DEVICE void two_consumer(const two_params &p, two_shared &s, int group)
{
    ws::consumer<2> b_tile_a_tile(s.b_tile_a_tile);
    ws::consumer<2> r_tile_s_tile(s.r_tile_s_tile);
    ws::warp_output c_out(s.c_out);
    for (ws::tiles<3> t(p.grid); t.more(); t.next()) {  // whole_tiles.c:31
        const int n = t.at(0);
        const int i = t.at(1);
        const int j = t.at(2);
        auto acc = ws::full<float, 64, 64, ws::frag>(0);
        for (int k = 0; k < p.K; k += 64) {  // whole_tiles.c:37
            const int b_tile_a_tile_slot = b_tile_a_tile.get();
            ws::mma(acc, ws::view(s.a_tile[b_tile_a_tile_slot]), ws::trans(ws::view(s.b_tile[b_tile_a_tile_slot])));
            ws::commit();
            ws::wait<0>(acc);
            b_tile_a_tile.consumed<0>();
        }
        const int r_tile_s_tile_slot = r_tile_s_tile.get();
        const auto x = ws::read<ws::frag>(ws::view(s.r_tile[r_tile_s_tile_slot]));
        const auto x_2 = ws::read<ws::frag>(ws::view(s.s_tile[r_tile_s_tile_slot]));
        ws::fence();
        r_tile_s_tile.consumed<0>();
        WS_UNROLL
        for (int subtile = 0; subtile < 64; subtile += 32) {  // whole_tiles.c:41
            const auto acc_2 = ws::add(ws::columns<32>(acc, subtile), ws::cast<float>(ws::columns<32>(x, subtile)));
            const auto x_3 = ws::sub(acc_2, ws::columns<32>(x_2, subtile));
            const int column = j + subtile;
            ws::store_wait<1>();
            const auto box = ws::stage(c_out, x_3);
            ws::fence();
            ws::store(c_out, p.c, p.c_map, n, i, column, box);  // whole_tiles.c:41
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(256, 1) void two_kernel(WS_PARAMS(two_params) p)
{
    two_shared &s = ws::shared<two_shared>();
    if (ws::first_thread()) {
        s.b_tile_a_tile.init("b_tile_a_tile", 1);  // one group releases each slot
        s.r_tile_s_tile.init("r_tile_s_tile", 1);  // one group releases each slot
        ws::prefetch(p.r_map);
        ws::prefetch(p.s_map);
        ws::prefetch(p.b_map);
        ws::prefetch(p.a_map);
        ws::prefetch(p.c_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        if (ws::first_warp()) {
            if (ws::by_tma(p.r_map, p.s_map, p.b_map, p.a_map))
                two_producer<true>(p, s, 0);
            else
                two_producer<false>(p, s, 0);
        }
    } else {
        two_consumer(p, s, 0);
    }
}

extern "C" void ws_launch_two_6ce955fd(int count, int M, int N, int K, const void *A, const void *B, const void *R,
                                       const void *S, const void *C)
{
    ws::launch call("two");
    two_params p;
    call.tensor(p.b, "b", B, {N, K}, {K, 1}, ws::loaded);
    call.tensor(p.a, "a", A, {count, M, K}, {(long)M * (long)K, K, 1}, ws::loaded);
    call.tensor(p.r, "r", R, {count, M, N}, {(long)M * (long)N, N, 1}, ws::loaded);
    call.tensor(p.s, "s", S, {count, M, N}, {(long)M * (long)N, N, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {count, M, N}, {(long)M * (long)N, N, 1}, ws::stored);
    call.place();
    call.map(p.r_map, p.r, 64);
    call.map(p.s_map, p.s, 64);
    call.map(p.b_map, p.b, 64);
    call.map(p.a_map, p.a, 64);
    call.map(p.c_map, p.c, 64);
    p.count = count;
    p.K = K;
    call.grid(p.grid, {{0, count, 1}, {0, M, 64}, {0, N, 64}}, ws::order_auto, 0);
    call.run(two_kernel, p, 256, sizeof(two_shared), ws::persistent);
}
