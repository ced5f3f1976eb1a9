#include <wsrt.cuh>

// attention_decode.c:23: attend_parts
struct attend_parts_params {
    ws::tensor<ws::f16, 3> q;
    ws::tensor<ws::f16, 3> k;
    ws::tensor<ws::f16, 3> v;
    ws::tensor<float, 4> o;
    ws::tensor<float, 2> tops;
    ws::tensor<float, 2> sums;
    ws::edge_map q_map;                  // tiles of 64 rows, the last as it is
    ws::map k_map;                       // tiles of 128 rows
    ws::map v_map;                       // tiles of 128 rows
    ws::map o_map;
    int L;
    int parts;
    int length;
    float power;
    ws::grid<2> grid;
};

struct attend_parts_shared {
    ws::shared_tile<ws::f16, 64, 128> tq[1];
    ws::shared_tile<ws::f16, 128, 128> k_tile[3];
    ws::shared_tile<ws::f16, 128, 128> v_tile[3];
    ws::output<float, 64, 2> o_out;      // 64 rows, 2 blocks of 128 bytes
    ws::ring<1> tq_ring;
    ws::ring<3> k_tile_ring;
    ws::ring<3> v_tile_ring;
    ws::tile_scheduler scheduler;
};
static_assert(offsetof(attend_parts_shared, tq) == 0);
static_assert(offsetof(attend_parts_shared, k_tile) == 16384);
static_assert(offsetof(attend_parts_shared, v_tile) == 114688);
static_assert(offsetof(attend_parts_shared, o_out) == 212992);
static_assert(sizeof(attend_parts_shared) == 230400);

template <bool TMA>
static WS_DEVICE void attend_parts_producer(const attend_parts_params &p, attend_parts_shared &s, int group)
{
    ws::producer<1, TMA> tq_ring(s.tq_ring);
    ws::producer<3, TMA> k_tile_ring(s.k_tile_ring);
    ws::producer<3, TMA> v_tile_ring(s.v_tile_ring);
    for (ws::scheduling_tiles<2> t(p.grid, s.scheduler); t.more(); t.next()) {  // attention_decode.c:23
        const int g = t.at(0);
        const int part = t.at(1);
        const int first = p.length * part;
        const int last = ws::min(p.L, p.length + first);
        const int tq_slot = tq_ring.put();
        ws::copy_in(tq_ring, s.tq[tq_slot], p.q, p.q_map, g, 0, 0);
        tq_ring.put_done();
        for (int j = first; j < last; j += 128) {  // attention_decode.c:31
            const int k_tile_slot = k_tile_ring.put();
            ws::copy_in(k_tile_ring, s.k_tile[k_tile_slot], p.k, p.k_map, g, j, 0);
            k_tile_ring.put_done();
            const int v_tile_slot = v_tile_ring.put();
            ws::copy_in(v_tile_ring, s.v_tile[v_tile_slot], p.v, p.v_map, g, j, 0);
            v_tile_ring.put_done();
        }
    }
}

static WS_DEVICE void attend_parts_consumer(const attend_parts_params &p, attend_parts_shared &s, int group)
{
    ws::consumer<1> tq_ring(s.tq_ring);
    ws::consumer<3> k_tile_ring(s.k_tile_ring);
    ws::consumer<3> v_tile_ring(s.v_tile_ring);
    ws::warp_output o_out(s.o_out);
    for (ws::dynamic_tiles<2> t(p.grid, s.scheduler); t.more(); t.next()) {  // attention_decode.c:23
        const int g = t.at(0);
        const int part = t.at(1);
        const int first = p.length * part;
        const int last = ws::min(p.L, p.length + first);
        const int tq_slot = tq_ring.get();
        auto acc = ws::full<float, 64, 128, ws::frag>(0);
        auto m = ws::full<float, 64, 1, ws::frag>(-1e+30);
        auto l = ws::full<float, 64, 1, ws::frag>(0);
        const int edge = ws::max(ws::min((long)last - 127, (long)last), (long)first);
        if (first < last) {  // attention_decode.c:31
            auto s_2 = ws::full<float, 64, 128, ws::frag>(0);
            const int k_tile_slot = k_tile_ring.get();
            ws::mma(s_2, ws::view(s.tq[tq_slot]), ws::trans(ws::view(s.k_tile[k_tile_slot])));
            ws::commit();
            ws::wait<0>(s_2);
            k_tile_ring.consumed<0>();
            if (first >= edge) {  // attention_decode.c:33
                s_2 = ws::select(ws::lt(ws::col_index<1, 128, ws::frag>(), last - first), s_2, -1e+30);
            }
            const auto now = ws::max(m, ws::mul(ws::row_max(s_2), p.power));
            const auto p_2 = ws::exp2(ws::fma(s_2, p.power, ws::neg(now)));
            const auto shrink = ws::exp2(ws::sub(m, now));
            l = ws::fma(l, shrink, ws::row_part(p_2));
            m = now;
            auto x = ws::cast<ws::f16>(p_2);
            acc = ws::rescale(acc, shrink);
            int j = first + 128;
            for (; j < ws::min(edge, last); j += 128) {  // attention_decode.c:31
                auto s_3 = ws::full<float, 64, 128, ws::frag>(0);
                const int k_tile_slot_2 = k_tile_ring.get();
                ws::mma(s_3, ws::view(s.tq[tq_slot]), ws::trans(ws::view(s.k_tile[k_tile_slot_2])));
                ws::commit();
                const int v_tile_slot = v_tile_ring.get();
                ws::mma(acc, x, ws::view(s.v_tile[v_tile_slot]));
                ws::commit();
                ws::wait<1>(s_3);
                k_tile_ring.consumed<0>();
                const auto now_2 = ws::max(m, ws::mul(ws::row_max(s_3), p.power));
                const auto p_3 = ws::exp2(ws::fma(s_3, p.power, ws::neg(now_2)));
                const auto shrink_2 = ws::exp2(ws::sub(m, now_2));
                l = ws::fma(l, shrink_2, ws::row_part(p_3));
                ws::computed(l);
                ws::wait<0>(acc);
                v_tile_ring.consumed<0>();
                acc = ws::rescale(acc, shrink_2);
                x = ws::cast<ws::f16>(p_3);
                m = now_2;
            }
            for (; j < last; j += 128) {  // attention_decode.c:31
                auto s_3 = ws::full<float, 64, 128, ws::frag>(0);
                const int k_tile_slot_2 = k_tile_ring.get();
                ws::mma(s_3, ws::view(s.tq[tq_slot]), ws::trans(ws::view(s.k_tile[k_tile_slot_2])));
                ws::commit();
                const int v_tile_slot = v_tile_ring.get();
                ws::mma(acc, x, ws::view(s.v_tile[v_tile_slot]));
                ws::commit();
                ws::wait<1>(s_3);
                k_tile_ring.consumed<0>();
                s_3 = ws::select(ws::lt(ws::col_index<1, 128, ws::frag>(), last - j), s_3, -1e+30);
                const auto now_2 = ws::max(m, ws::mul(ws::row_max(s_3), p.power));
                const auto p_3 = ws::exp2(ws::fma(s_3, p.power, ws::neg(now_2)));
                const auto shrink_2 = ws::exp2(ws::sub(m, now_2));
                l = ws::fma(l, shrink_2, ws::row_part(p_3));
                ws::computed(l);
                ws::wait<0>(acc);
                v_tile_ring.consumed<0>();
                acc = ws::rescale(acc, shrink_2);
                x = ws::cast<ws::f16>(p_3);
                m = now_2;
            }
            const int v_tile_slot_2 = v_tile_ring.get();
            ws::mma(acc, x, ws::view(s.v_tile[v_tile_slot_2]));
            ws::commit();
            ws::computed(l);
            ws::wait<0>(acc);
            v_tile_ring.consumed<0>();
        }
        tq_ring.consumed<0>();
        l = ws::row_total(l);
        ws::store_wait<1>();
        const auto box = ws::stage<0>(o_out, acc);
        ws::fence();
        ws::store(o_out, p.o, p.o_map, g, part, 0, 0, box);  // attention_decode.c:40
        ws::store_wait<1>();
        const auto box_2 = ws::stage<1>(o_out, acc);
        ws::fence();
        ws::store(o_out, p.o, p.o_map, g, part, 0, 0, box_2);  // attention_decode.c:40
        ws::store_wait<1>();
        const auto box_3 = ws::stage<2>(o_out, acc);
        ws::fence();
        ws::store(o_out, p.o, p.o_map, g, part, 0, 0, box_3);  // attention_decode.c:40
        ws::store_wait<1>();
        const auto box_4 = ws::stage<3>(o_out, acc);
        ws::fence();
        ws::store(o_out, p.o, p.o_map, g, part, 0, 0, box_4);  // attention_decode.c:40
        const long n = (long)p.parts * (long)g + (long)part;
        ws::store_col(p.tops, n, 0, m);  // attention_decode.c:41
        ws::store_col(p.sums, n, 0, l);  // attention_decode.c:42
    }
    ws::store_wait<0>();
}

static WS_KERNEL(256, 1) void attend_parts_kernel(WS_PARAMS(attend_parts_params) p)
{
    attend_parts_shared &s = ws::shared<attend_parts_shared>();
    if (ws::first_thread()) {
        s.tq_ring.init("tq_ring", 1);    // one group releases each slot
        s.k_tile_ring.init("k_tile_ring", 1);  // one group releases each slot
        s.v_tile_ring.init("v_tile_ring", 1);  // one group releases each slot
        s.scheduler.init("scheduler", 1);
        ws::prefetch(p.q_map);
        ws::prefetch(p.k_map);
        ws::prefetch(p.v_map);
        ws::prefetch(p.o_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        if (ws::first_warp()) {
            if (ws::by_tma(p.q_map, p.k_map, p.v_map))
                attend_parts_producer<true>(p, s, 0);
            else
                attend_parts_producer<false>(p, s, 0);
        }
    } else {
        attend_parts_consumer(p, s, 0);
    }
}

extern "C" void ws_launch_attend_parts_83cdc421(int groups, int L, int parts, int length, const void *Q, const void *K,
                                                const void *V, const void *O, const void *top, const void *sum,
                                                float power)
{
    ws::launch call("attend_parts");
    attend_parts_params p;
    call.tensor(p.q, "q", Q, {groups, 16, 128}, {2048, 128, 1}, ws::loaded);
    call.tensor(p.k, "k", K, {groups, L, 128}, {(long)L * 128, 128, 1}, ws::loaded);
    call.tensor(p.v, "v", V, {groups, L, 128}, {(long)L * 128, 128, 1}, ws::loaded);
    call.tensor(p.o, "o", O, {groups, parts, 16, 128}, {(long)parts * 2048, 2048, 128, 1}, ws::stored);
    call.tensor(p.tops, "tops", top, {(long)groups * (long)parts, 16}, {16, 1}, ws::stored);
    call.tensor(p.sums, "sums", sum, {(long)groups * (long)parts, 16}, {16, 1}, ws::stored);
    call.place();
    call.map(p.q_map, p.q, 64);
    call.map(p.k_map, p.k, 128);
    call.map(p.v_map, p.v, 128);
    call.map(p.o_map, p.o, 64);
    p.L = L;
    p.parts = parts;
    p.length = length;
    p.power = power;
    call.grid(p.grid, {{0, groups, 1}, {0, parts, 1}}, ws::order_auto, 0);
    call.schedule(p.grid);
    call.run(attend_parts_kernel, p, 256, sizeof(attend_parts_shared), ws::persistent);
}

// attention_decode.c:52: add_parts
struct add_parts_params {
    ws::tensor<float, 2> tops;
    ws::tensor<float, 2> sums;
    ws::tensor<float, 4> o;
    ws::tensor<ws::f16, 3> r;
    int parts;
    ws::grid<1> grid;
};

template <ws::layout ws_rows>
static WS_DEVICE void add_parts_all(const add_parts_params &p, int group)
{
    for (ws::tiles<1> t(p.grid); t.more(); t.next()) {  // attention_decode.c:52
        const int g = t.at(0);
        auto acc = ws::full<float, 16, 128, ws_rows>(0);
        auto m = ws::full<float, 16, 1, ws_rows>(-1e+30);
        auto l = ws::full<float, 16, 1, ws_rows>(0);
        for (int part = 0; part < p.parts; part += 1) {  // attention_decode.c:57
            const long n = (long)p.parts * (long)g + (long)part;
            const auto mine = ws::load_col<16, ws_rows>(p.tops, n, 0);
            const auto now = ws::max(m, mine);
            const auto old = ws::exp2(ws::sub(m, now));
            const auto new_2 = ws::exp2(ws::sub(mine, now));
            l = ws::fma(l, old, ws::mul(ws::load_col<16, ws_rows>(p.sums, n, 0), new_2));
            acc = ws::fma(acc, old, ws::rescale(ws::load<16, 128, ws_rows>(p.o, g, part, 0, 0), new_2));
            m = now;
        }
        ws::store(p.r, g, 0, 0, ws::cast<ws::f16>(ws::div_fast(acc, l)));  // attention_decode.c:64
    }
}

static WS_KERNEL(128, 5) void add_parts_kernel_in_vectors(WS_PARAMS(add_parts_params) p)
{
    ws::start();
    add_parts_params q = p;
    ws::know_vectors(q.o, q.r);
    add_parts_all<ws::lines>(q, 0);
}

static WS_KERNEL(128, 3) void add_parts_kernel(WS_PARAMS(add_parts_params) p)
{
    ws::start();
    add_parts_all<ws::narrow(ws::lines)>(p, 0);
}

extern "C" void ws_launch_add_parts_83cdc421(int groups, int parts, const void *O, const void *top, const void *sum,
                                             const void *result)
{
    ws::launch call("add_parts");
    add_parts_params p;
    call.tensor(p.tops, "tops", top, {(long)groups * (long)parts, 16}, {16, 1}, ws::loaded);
    call.tensor(p.sums, "sums", sum, {(long)groups * (long)parts, 16}, {16, 1}, ws::loaded);
    call.tensor(p.o, "o", O, {groups, parts, 16, 128}, {(long)parts * 2048, 2048, 128, 1}, ws::loaded);
    call.tensor(p.r, "r", result, {groups, 16, 128}, {2048, 128, 1}, ws::stored);
    call.place();
    p.parts = parts;
    call.grid(p.grid, {{0, groups, 1}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.o, p.r) ? add_parts_kernel_in_vectors : add_parts_kernel, p, 128, 0, ws::one_tile);
}
