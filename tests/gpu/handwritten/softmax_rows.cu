/* SPDX-License-Identifier: MIT */
/* softmax_rows.cu - a row softmax of matrices of at most 1024 columns: whole rows in registers, no matrix product; the
   producer keeps a ring of 8-row tiles full, from which three groups
   take tiles in turn.  */
#include <wsrt.cuh>

// softmax_rows.c:13: softmax_rows
struct softmax_rows_params {
    ws::tensor<ws::f16, 2> x;
    ws::tensor<ws::f16, 2> y;
    ws::map x_map;                       // tiles of 8 rows
    ws::grid<1> grid;
};

struct softmax_rows_shared {
    ws::shared_tile<ws::f16, 8, 1024> tx[8];
    ws::ring<8> tx_ring;
};

static WS_DEVICE void softmax_rows_producer(const softmax_rows_params &p, softmax_rows_shared &s, int group)
{
    ws::producer<8> tx(s.tx_ring);
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {
        const int i = t.at(0);
        const int slot = tx.put();
        ws::copy_in_or(-INFINITY, tx, s.tx[slot], p.x, p.x_map, i, 0);
        tx.put_done();
    }
}

static WS_DEVICE void softmax_rows_consumer(const softmax_rows_params &p, softmax_rows_shared &s, int group)
{
    ws::consumer<8> tx(s.tx_ring);
    tx.skip(group);
    for (ws::tiles<1> t(p.grid, group, 3); t.more(); t.next()) {
        const int i = t.at(0);
        const int slot = tx.get();
        auto x = ws::cast<float>(ws::read<ws::lines>(ws::view(s.tx[slot])));
        tx.consumed<0>();
        tx.skip(2);
        auto e = ws::exp(ws::sub(x, ws::row_max(x)));
        ws::store(p.y, i, 0, ws::cast<ws::f16>(ws::div(e, ws::row_sum(e))));
    }
}

static WS_KERNEL(512, 1) void softmax_rows_kernel(WS_PARAMS(softmax_rows_params) p)
{
    softmax_rows_shared &s = ws::shared<softmax_rows_shared>();
    if (ws::first_thread())
        s.tx_ring.init("tx", 1);         // one group releases each slot
    ws::start();
    if (ws::warp_group() == 0) {
        if (ws::first_warp())
            softmax_rows_producer(p, s, 0);
    } else {
        softmax_rows_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_softmax_rows(int M, int N, const void *X, const void *Y)
{
    ws::launch call("softmax_rows");
    softmax_rows_params p;
    call.tensor(p.x, "x", X, {M, N}, {N, 1}, ws::loaded);
    call.tensor(p.y, "y", Y, {M, N}, {N, 1}, ws::stored);
    call.place();
    call.map(p.x_map, p.x, 8);
    call.grid(p.grid, {{0, M, 8}}, ws::order_auto, 0);
    call.run(softmax_rows_kernel, p, 512, sizeof(softmax_rows_shared), ws::persistent);
}
