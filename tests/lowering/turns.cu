#include <wsrt.cuh>

// turns.ir:3: turns
struct turns_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<ws::f16, 2> c;
    ws::tensor<float, 1> y;
    ws::edge_map x_map;                  // tiles of 128 rows, the last as it is
    ws::map c_map;                       // tiles of 128 rows
    int M;
    ws::grid<1> grid;
};

struct turns_shared {
    ws::shared_tile<ws::f16, 128, 64> points[2];
    ws::shared_tile<ws::f16, 128, 64> centres[3];
    ws::ring<2> points_ring;
    ws::ring<3> centres_ring;
    ws::pingpong<2> pingpong;
};
static_assert(offsetof(turns_shared, points) == 0);
static_assert(offsetof(turns_shared, centres) == 32768);
static_assert(sizeof(turns_shared) == 82944);

template <bool TMA>
static WS_DEVICE void turns_producer(const turns_params &p, turns_shared &s, int group)
{
    ws::producer<2, TMA> points_ring(s.points_ring);
    ws::producer<3, TMA> centres_ring(s.centres_ring);
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // turns.ir:3
        const int i = t.at(0);
        const int points_slot = points_ring.put();
        ws::copy_in(points_ring, s.points[points_slot], p.x, p.x_map, i, 0);
        points_ring.put_done();
        for (int j = 0; j < p.M; j += 128) {  // turns.ir:11
            const int centres_slot = centres_ring.put();
            ws::copy_in(centres_ring, s.centres[centres_slot], p.c, p.c_map, j, 0);
            centres_ring.put_done();
        }
    }
}

static WS_DEVICE void turns_consumer(const turns_params &p, turns_shared &s, int group)
{
    ws::consumer<2> points_ring(s.points_ring);
    ws::consumer<3> centres_ring(s.centres_ring);
    s.pingpong.begin(group);
    const long first_row = (long)group * 64;
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // turns.ir:3
        const int i = t.at(0);
        const int points_slot = points_ring.get();
        auto best = ws::full<float, 64, 1, ws::frag>(-1e+30);
        for (int j = 0; j < p.M; j += 128) {  // turns.ir:11
            const int centres_slot = centres_ring.get();
            auto near = ws::full<float, 64, 128, ws::frag>(0);
            s.pingpong.take(group);
            ws::mma(near, ws::window<64, 64>(s.points[points_slot], first_row, 0),
                    ws::trans(ws::view(s.centres[centres_slot])));
            ws::commit();
            ws::wait<0>(near);
            s.pingpong.pass(group);
            centres_ring.consumed<0>();
            const auto largest = ws::row_max(near);
            best = ws::max(best, largest);
        }
        points_ring.consumed<0>();
        ws::store_col(p.y, i + first_row, best);  // turns.ir:20
    }
}

static WS_KERNEL(384, 1) void turns_kernel(WS_PARAMS(turns_params) p)
{
    turns_shared &s = ws::shared<turns_shared>();
    if (ws::first_thread()) {
        s.points_ring.init("points_ring", 2);  // two groups release each slot
        s.centres_ring.init("centres_ring", 2);  // two groups release each slot
        s.pingpong.init("pingpong");
        ws::prefetch(p.x_map);
        ws::prefetch(p.c_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<40>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.x_map, p.c_map))
                turns_producer<true>(p, s, 0);
            else
                turns_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<232>();
        turns_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_turns(int N, int M, const void *X, const void *C, const void *Y)
{
    ws::launch call("turns");
    turns_params p;
    call.tensor(p.x, "x", X, {N, 64}, {64, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {M, 64}, {64, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {N}, {1}, ws::stored);
    call.place();
    call.map(p.x_map, p.x, 128);
    call.map(p.c_map, p.c, 128);
    p.M = M;
    call.grid(p.grid, {{0, N, 128}}, ws::order_auto, 0);
    call.run(turns_kernel, p, 384, sizeof(turns_shared), ws::persistent);
}
