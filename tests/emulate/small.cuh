/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * small.cuh - a product in the emitted form with small tiles, into which mistakes can be planted.
 *
 * C = A B^T as gemm.cu, 128x32x16, ring of DEPTH slots, IN_FLIGHT groups in flight, two consumer groups.
 */
#ifndef TESTS_EMULATE_SMALL_CUH
#define TESTS_EMULATE_SMALL_CUH

#include <wsrt.cuh>

enum mistake {
    no_mistake,
    missing_consumed,
    missing_last_consumed,
    missing_wait,
    missing_last_wait,
    wait_without_name,
    missing_store_wait,
    one_arrival,
    three_arrivals,
    missing_put_done,
    missing_put,
    one_trip_less,
    read_after_release,
    dropped_accumulator,
    missing_start,
    stores_overlap,
    load_of_another_tile,
    load_of_a_pending_store,
    only_tma,
    one_scratch
};

template <int DEPTH, int IN_FLIGHT, mistake M> struct small {
    struct params {
        ws::tensor<ws::f16, 2> a;
        ws::tensor<ws::f16, 2> b;
        ws::tensor<float, 2> c;
        ws::map a_map;
        ws::map b_map;
        ws::map c_map;
        int K;
        ws::grid<2> grid;
    };

    struct shared {
        ws::shared_tile<ws::f16, 128, 16> ta[DEPTH];
        ws::shared_tile<ws::f16, 32, 16> tb[DEPTH];
        ws::output<float, 64, 1> c_out[2];
        ws::scratch<4 * 32 * 4> scratch[2];
        ws::ring<DEPTH> ta_tb;
    };

    static void producer(const params &p, shared &s)
    {
        ws::producer<DEPTH, M == only_tma> ta_tb(s.ta_tb);
        for (ws::tiles<2> t(p.grid); t.more(); t.next()) {
            const int i = t.at(0);
            const int j = t.at(1);
            for (int k = 0; k < p.K - (M == one_trip_less ? 16 : 0); k += 16) {
                const int slot = M == missing_put && k == 16 ? 1 : ta_tb.put();
                ws::copy_in(ta_tb, s.ta[slot], p.a, p.a_map, i, k);
                ws::copy_in(ta_tb, s.tb[slot], p.b, p.b_map, j, k);
                if (M == missing_put_done && k == 16)
                    ta_tb.index++;
                else
                    ta_tb.put_done();
            }
        }
    }

    static void step(ws::tile<float, 64, 32, ws::frag> &acc, ws::consumer<DEPTH> &ta_tb, shared &s, int group, int k)
    {
        const int slot = ta_tb.get();
        ws::mma(acc, ws::view<64>(s.ta[slot], group * 64), ws::trans(ws::view(s.tb[slot])));
        ws::commit();
        if (!(M == missing_wait && k == 16))
            ws::wait<IN_FLIGHT - 1>(acc);
        if (!(M == missing_consumed))
            ta_tb.template consumed<IN_FLIGHT - 1>();
        if (M == read_after_release && k == 16) {
            ws::wait<0>(acc);
            ta_tb.template consumed<0>();
            ws::read<ws::lines>(ws::view(s.tb[slot]));
        }
    }

    static void store(const params &p, shared &s, ws::warp_output<float, 64, 1> &c_out, int group, int i, int j,
                      const ws::tile<float, 64, 32, ws::frag> &acc)
    {
        if (M == load_of_another_tile)
            ws::load<8, 8, ws::lines>(p.c, i + 128, j);
        ws::store(c_out, p.c, p.c_map, i + group * 64 - (M == stores_overlap && group == 0 ? 8 : 0), j, acc);
        if (M == load_of_a_pending_store)
            ws::load<8, 8, ws::lines>(p.c, i + group * 64, j);
    }

    static void consumer(const params &p, shared &s, int group)
    {
        ws::consumer<DEPTH> ta_tb(s.ta_tb);
        ws::warp_output c_out(s.c_out[group]);
        for (ws::tiles<2> t(p.grid); t.more(); t.next()) {
            const int i = t.at(0);
            const int j = t.at(1);
            auto acc = ws::full<float, 64, 32, ws::frag>(0);
            for (int k = 0; k < p.K; k += 16)
                step(acc, ta_tb, s, group, k);
            if (M == dropped_accumulator)
                return;
            if (M == wait_without_name)
                ws::wait<0>();
            else if (M != missing_last_wait)
                ws::wait<0>(acc);
            if (M != missing_consumed && M != missing_last_consumed)
                ta_tb.template consumed<0>();
            ws::col_max(acc, s.scratch[M == one_scratch ? 0 : group]);
            store(p, s, c_out, group, i, j, acc);
        }
        if (M != missing_store_wait)
            ws::store_wait<0>();
    }

    static WS_KERNEL(384, 1) void kernel(WS_PARAMS(params) p)
    {
        shared &s = ws::shared<shared>();
        if (ws::first_thread())
            s.ta_tb.init("ta_tb", M == one_arrival ? 1 : M == three_arrivals ? 3 : 2);
        if (!(M == missing_start && ws::warp_group() == 2))
            ws::start();
        else
            return;
        if (ws::warp_group() == 0)
            producer(p, s);
        else
            consumer(p, s, ws::warp_group() - 1);
    }

    static void launch(int rows, int cols, int K, const void *A, const void *B, const void *C)
    {
        ws::launch call("small");
        params p;
        call.tensor(p.a, "a", A, {rows, K}, {K, 1}, ws::loaded);
        call.tensor(p.b, "b", B, {cols, K}, {K, 1}, ws::loaded);
        call.tensor(p.c, "c", C, {rows, cols}, {cols, 1}, ws::stored);
        call.place();
        call.map(p.a_map, p.a, 128);
        call.map(p.b_map, p.b, 32);
        call.map(p.c_map, p.c, 64);
        p.K = K;
        call.grid(p.grid, {{0, rows, 128}, {0, cols, 32}}, ws::order_auto, 0);
        call.run(kernel, p, 384, sizeof(shared), ws::persistent);
    }
};

#endif
