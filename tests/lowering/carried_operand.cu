#include <wsrt.cuh>

// carried_operand.ir:2: horner
struct horner_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<float, 2> c;
    ws::tensor<float, 2> y;
    ws::map x_map;                       // tiles of 64 rows
    ws::map y_map;
    int n;
    ws::grid<1> grid;
};

struct horner_shared {
    ws::shared_tile<ws::f16, 64, 64> tx[1];
    ws::output<float, 64, 2> y_out;      // 64 rows, 2 blocks of 128 bytes
    ws::ring<1> tx_ring;
};
static_assert(offsetof(horner_shared, tx) == 0);
static_assert(offsetof(horner_shared, y_out) == 8192);
static_assert(sizeof(horner_shared) == 25600);

static WS_DEVICE void horner_all(const horner_params &p, horner_shared &s, int group)
{
    ws::producer<1> tx_ring_in(s.tx_ring);
    ws::consumer<1> tx_ring(s.tx_ring);
    ws::warp_output y_out(s.y_out);
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // carried_operand.ir:2
        const int i = t.at(0);
        const int slot = tx_ring_in.put();
        ws::copy_in(tx_ring_in, s.tx[slot], p.x, p.x_map, i, 0);
        tx_ring_in.put_done();
        const int slot_2 = tx_ring.get();
        auto sum = ws::full<float, 64, 64, ws::frag>(0);
        for (int k = 0; k < p.n; k += 1) {  // carried_operand.ir:10
            ws::store_wait<1>();
            const auto c0 = ws::load<64, 64, ws::frag>(y_out, p.c, k, 0);
            auto sum_2 = ws::mul(c0, c0);
            const auto h = ws::cast<ws::f16>(sum);
            ws::mma(sum_2, h, ws::view(s.tx[slot_2]));
            ws::commit();
            ws::wait<0>(sum_2);
            sum = sum_2;
        }
        tx_ring.consumed<0>();
        ws::store_wait<1>();
        const auto box = ws::stage<0>(y_out, sum);
        ws::fence();
        ws::store(y_out, p.y, p.y_map, i, 0, box);  // carried_operand.ir:17
        ws::store_wait<1>();
        const auto box_2 = ws::stage<1>(y_out, sum);
        ws::fence();
        ws::store(y_out, p.y, p.y_map, i, 0, box_2);  // carried_operand.ir:17
    }
    ws::store_wait<0>();
}

static WS_KERNEL(128, 1) void horner_kernel(WS_PARAMS(horner_params) p)
{
    horner_shared &s = ws::shared<horner_shared>();
    if (ws::first_thread()) {
        s.tx_ring.init("tx_ring", 1);    // one group releases each slot
        ws::prefetch(p.x_map);
        ws::prefetch(p.y_map);
    }
    ws::start();
    horner_all(p, s, 0);
}

extern "C" void ws_launch_horner(int n, const void *X, const void *C, const void *Y)
{
    ws::launch call("horner");
    horner_params p;
    call.tensor(p.x, "x", X, {n, 64}, {64, 1}, ws::loaded);
    call.tensor(p.c, "c", C, {n, 64}, {64, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {n, 64}, {64, 1}, ws::stored);
    call.place();
    call.map(p.x_map, p.x, 64);
    call.map(p.y_map, p.y, 64);
    p.n = n;
    call.grid(p.grid, {{0, n, 64}}, ws::order_auto, 0);
    call.run(horner_kernel, p, 128, sizeof(horner_shared), ws::one_tile);
}
