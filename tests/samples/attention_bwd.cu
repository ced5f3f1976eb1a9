#include <wsrt.cuh>

// attention_bwd.c:29: prepare
struct prepare_params {
    ws::tensor<ws::f16, 3> o;
    ws::tensor<ws::f16, 3> g;
    ws::tensor<float, 2> sums;
    ws::tensor<float, 2> logs;
    ws::tensor<float, 2> powers;
    ws::tensor<float, 4> dq;
    ws::grid<2> grid;
};

template <ws::layout ws_rows>
static WS_DEVICE void prepare_all(const prepare_params &p, int group)
{
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // attention_bwd.c:29
        const int h = t.at(0);
        const int i = t.at(1);
        const auto to = ws::load<32, 128, ws_rows>(p.o, h, i, 0);
        const auto tg = ws::load<32, 128, ws_rows>(p.g, h, i, 0);
        ws::store_col(p.sums, h, i,
                      ws::row_sum(ws::mul(ws::cast<float>(to), ws::cast<float>(tg))));  // attention_bwd.c:33
        ws::store_col(p.powers, h, i,
                      ws::mul(ws::load_col<32, ws_rows>(p.logs, h, i), -1.442695f));  // attention_bwd.c:34
        ws::store(p.dq, h, i / 64, 0, i % 64, ws::full<float, 128, 32, ws_rows>(0));  // attention_bwd.c:35
    }
}

static WS_KERNEL(128, 5) void prepare_kernel_in_vectors(WS_PARAMS(prepare_params) p)
{
    ws::start();
    prepare_params q = p;
    ws::know_vectors(q.o, q.g, q.dq);
    ws::know_step(q.grid, 1, 0, 32);
    prepare_all<ws::lines_4>(q, 0);
}

static WS_KERNEL(128, 3) void prepare_kernel(WS_PARAMS(prepare_params) p)
{
    ws::start();
    prepare_all<ws::narrow(ws::lines_2)>(p, 0);
}

extern "C" void ws_launch_prepare_96b2a082(int heads, int L, const void *O, const void *dO, const void *lse,
                                           const void *delta, const void *logs2, const void *turned)
{
    ws::launch call("prepare");
    prepare_params p;
    call.tensor(p.o, "o", O, {heads, L, 128}, {(long)L * 128, 128, 1}, ws::loaded);
    call.tensor(p.g, "g", dO, {heads, L, 128}, {(long)L * 128, 128, 1}, ws::loaded);
    call.tensor(p.sums, "sums", delta, {heads, L}, {L, 1}, ws::stored);
    call.tensor(p.logs, "logs", lse, {heads, L}, {L, 1}, ws::loaded);
    call.tensor(p.powers, "powers", logs2, {heads, L}, {L, 1}, ws::stored);
    call.tensor(p.dq, "dq", turned, {heads, (L + 63) / 64, 128, 64}, {(long)((L + 63) / 64) * 8192, 8192, 64, 1},
                ws::stored);
    call.place();
    call.grid(p.grid, {{0, heads, 1}, {0, L, 32}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.o, p.g, p.dq) ? prepare_kernel_in_vectors : prepare_kernel, p, 128, 0, ws::one_tile);
}

// attention_bwd.c:52: backward
struct backward_params {
    ws::tensor<ws::f16, 3> k;
    ws::tensor<ws::f16, 3> v;
    ws::tensor<ws::f16, 3> q;
    ws::tensor<ws::f16, 3> g;
    ws::tensor<float, 2> logs;
    ws::tensor<float, 2> sums;
    ws::tensor<float, 4> dq;
    ws::tensor<ws::f16, 3> dk;
    ws::tensor<ws::f16, 3> dv;
    ws::map k_map;                       // tiles of 128 rows
    ws::map v_map;                       // tiles of 128 rows
    ws::map q_map;                       // tiles of 64 rows
    ws::map g_map;                       // tiles of 64 rows
    ws::map logs_map_lines_256;          // tiles of 1 rows
    ws::map sums_map_lines_256;          // tiles of 1 rows
    ws::map dq_map;
    ws::map dk_map;
    ws::map dv_map;
    int heads;
    int L;
    int causal;
    float scale;
    float power;
    ws::grid<3> grid;
};

struct backward_shared {
    ws::shared_tile<ws::f16, 128, 128> tk[1];
    ws::shared_tile<ws::f16, 128, 128> tv[1];
    ws::shared_tile<ws::f16, 64, 128> tq[2];
    ws::shared_tile<ws::f16, 64, 128> tg[2];
    ws::shared_tile<ws::lined<float, 256>, 1, 64> log[2];
    ws::shared_tile<ws::lined<float, 256>, 1, 64> sum[2];
    ws::shared_tile<ws::f16, 128, 64> ds_gathered[2];
    ws::output<float, 64, 2> dq_out[2];  // 64 rows, 2 blocks of 128 bytes; one for each group
    ws::output<ws::f16, 64, 1> dk_out[2];  // 64 rows, 1 block of 128 bytes; one for each group
    ws::ring<1> tk_tv;
    ws::ring<2> tq_tg_log;
    ws::role_barrier<2> role_barrier;
    ws::tile_scheduler scheduler;
};
static_assert(offsetof(backward_shared, tk) == 0);
static_assert(offsetof(backward_shared, tv) == 32768);
static_assert(offsetof(backward_shared, tq) == 65536);
static_assert(offsetof(backward_shared, tg) == 98304);
static_assert(offsetof(backward_shared, log) == 131072);
static_assert(offsetof(backward_shared, sum) == 133120);
static_assert(offsetof(backward_shared, ds_gathered) == 135168);
static_assert(offsetof(backward_shared, dq_out) == 167936);
static_assert(offsetof(backward_shared, dk_out) == 200704);
static_assert(sizeof(backward_shared) == 218112);

template <bool TMA>
static WS_DEVICE void backward_producer(const backward_params &p, backward_shared &s, int group)
{
    ws::producer<1, TMA> tk_tv(s.tk_tv);
    ws::producer<2, TMA> tq_tg_log(s.tq_tg_log);
    for (ws::scheduling_tiles<3> t(p.grid, s.scheduler); t.more(); t.next()) {  // attention_bwd.c:52
        const int first = t.at(0);
        const int j = t.at(1);
        const int m = t.at(2);
        const int h = first + m;
        if (h < p.heads) {  // attention_bwd.c:57
            const int tk_tv_slot = tk_tv.put();
            ws::copy_in(tk_tv, s.tk[tk_tv_slot], p.k, p.k_map, h, j, 0);
            ws::copy_in(tk_tv, s.tv[tk_tv_slot], p.v, p.v_map, h, j, 0);
            tk_tv.put_done();
            const int i = p.causal == 0 ? 0 : j;
            for (int i_2 = i; i_2 < p.L; i_2 += 64) {  // attention_bwd.c:63
                const int tq_tg_log_slot = tq_tg_log.put();
                ws::copy_in(tq_tg_log, s.tq[tq_tg_log_slot], p.q, p.q_map, h, i_2, 0);
                ws::copy_in(tq_tg_log, s.tg[tq_tg_log_slot], p.g, p.g_map, h, i_2, 0);
                ws::copy_in(tq_tg_log, s.log[tq_tg_log_slot], p.logs, p.logs_map_lines_256, h, i_2);
                ws::copy_in(tq_tg_log, s.sum[tq_tg_log_slot], p.sums, p.sums_map_lines_256, h, i_2);
                tq_tg_log.put_done();
            }
        }
    }
}

static WS_DEVICE void backward_consumer(const backward_params &p, backward_shared &s, int group)
{
    ws::consumer<1> tk_tv(s.tk_tv);
    ws::consumer<2> tq_tg_log(s.tq_tg_log);
    ws::warp_output dq_out(s.dq_out[group]);
    ws::warp_output dk_out(s.dk_out[group]);
    int ds_gathered_turn = 0;
    const long first_row = (long)group * 64;
    for (ws::dynamic_tiles<3> t(p.grid, s.scheduler); t.more(); t.next()) {  // attention_bwd.c:52
        const int first = t.at(0);
        const int j = t.at(1);
        const int m = t.at(2);
        const int h = first + m;
        if (h < p.heads) {  // attention_bwd.c:57
            const int tk_tv_slot = tk_tv.get();
            auto acc_k = ws::full<float, 64, 128, ws::frag>(0);
            auto acc_v = ws::full<float, 64, 128, ws::frag>(0);
            const bool condition = p.causal == 0;
            const int i = condition ? 0 : j;
            for (int i_2 = i; i_2 < p.L; i_2 += 64) {  // attention_bwd.c:63
                const int tq_tg_log_slot = tq_tg_log.get();
                const auto log = ws::read<ws::frag>(ws::view(s.log[tq_tg_log_slot]));
                auto t_2 = ws::full_now<float, 64, 64, ws::frag>(0);
                auto s_2 = ws::full<float, 64, 64, ws::frag>(0);
                ws::mma(s_2, ws::window<64, 128>(s.tk[tk_tv_slot], first_row, 0),
                        ws::trans(ws::view(s.tq[tq_tg_log_slot])));
                ws::commit();
                ws::mma(t_2, ws::window<64, 128>(s.tv[tk_tv_slot], first_row, 0),
                        ws::trans(ws::view(s.tg[tq_tg_log_slot])));
                ws::commit();
                const int n = condition ? p.L : i_2 - j;
                const int n_2 = p.L - i_2;
                ws::wait<1>(s_2);
                auto p_2 = ws::exp2(ws::fma(s_2, p.power, log));
                if (ws::warp_uniform(!((long)n_2 > 63
                                       && (127 - (long)n <= 0 && -(long)n >= -2147483648l)))) {  // attention_bwd.c:70
                    const auto col = ws::col_index<1, 64, ws::frag>();
                    const auto row = ws::row_index<64, 1, ws::frag>(first_row);
                    const auto seen = ws::mask_and(ws::lt(col, n_2), ws::ge(col, ws::sub(row, n)));
                    p_2 = ws::select(seen, p_2, 0);
                }
                ws::mma(acc_v, ws::cast<ws::f16>(p_2), ws::view(s.tg[tq_tg_log_slot]));
                ws::commit();
                const auto sum = ws::read<ws::frag>(ws::view(s.sum[tq_tg_log_slot]));
                ws::wait<1>(t_2);
                const auto ds = ws::cast<ws::f16>(ws::mul(p_2, ws::sub(t_2, sum)));
                auto share = ws::full<float, 64, 64, ws::frag>(0);
                const auto ds_gathered_view = ws::gather(s.ds_gathered, ds_gathered_turn, ds, first_row);
                ws::fence();
                ws::sync(s.role_barrier, group);
                ws::mma(share, ws::trans(ws::window<128, 64>(s.tk[tk_tv_slot], 0, first_row)), ds_gathered_view);
                ws::commit();
                ws::mma(acc_k, ds, ws::view(s.tq[tq_tg_log_slot]));
                ws::commit();
                ws::wait<1>(acc_v, share);
                ws::store_wait<0>();
                const auto box = ws::stage(dq_out, share);
                ws::fence();
                ws::atomic_add(dq_out, p.dq, p.dq_map, h, i_2 / 64, first_row, 0, box);  // attention_bwd.c:75
                ws::wait<0>(acc_k);
                ws::fence();
                tq_tg_log.consumed<0>();
            }
            tk_tv.consumed<0>();
            WS_UNROLL
            for (int subtile = 0; subtile < 128; subtile += 64) {  // attention_bwd.c:77
                ws::store_wait<0>();
                const auto box = ws::stage(dk_out,
                                           ws::cast<ws::f16>(ws::mul(ws::columns<64>(acc_k, subtile), p.scale)));
                ws::fence();
                ws::store(dk_out, p.dk, p.dk_map, h, j + first_row, subtile, box);  // attention_bwd.c:77
            }
            WS_UNROLL
            for (int subtile = 0; subtile < 128; subtile += 64) {  // attention_bwd.c:78
                ws::store_wait<0>();
                const auto box = ws::stage(dk_out, ws::cast<ws::f16>(ws::columns<64>(acc_v, subtile)));
                ws::fence();
                ws::store(dk_out, p.dv, p.dv_map, h, j + first_row, subtile, box);  // attention_bwd.c:78
            }
        }
    }
    ws::store_wait<0>();
}

static WS_KERNEL(384, 1) void backward_kernel(WS_PARAMS(backward_params) p)
{
    backward_shared &s = ws::shared<backward_shared>();
    if (ws::first_thread()) {
        s.tk_tv.init("tk_tv", 2);        // two groups release each slot
        s.tq_tg_log.init("tq_tg_log", 2);  // two groups release each slot
        s.role_barrier.init("role_barrier");
        s.scheduler.init("scheduler", 2);
        ws::prefetch(p.k_map);
        ws::prefetch(p.v_map);
        ws::prefetch(p.q_map);
        ws::prefetch(p.g_map);
        ws::prefetch(p.logs_map_lines_256);
        ws::prefetch(p.sums_map_lines_256);
        ws::prefetch(p.dq_map);
        ws::prefetch(p.dk_map);
        ws::prefetch(p.dv_map);
    }
    ws::start();
    if (ws::warp_group() == 0) {
        ws::registers_down<24>();
        if (ws::first_warp()) {
            if (ws::by_tma(p.k_map, p.v_map, p.q_map, p.g_map, p.logs_map_lines_256, p.sums_map_lines_256))
                backward_producer<true>(p, s, 0);
            else
                backward_producer<false>(p, s, 0);
        }
    } else {
        ws::registers_up<240>();
        backward_consumer(p, s, ws::warp_group() - 1);
    }
}

extern "C" void ws_launch_backward_96b2a082(int heads, int L, int causal, float scale, const void *Q, const void *K,
                                            const void *V, const void *dO, const void *logs2, const void *delta,
                                            const void *turned, const void *dK, const void *dV, int section,
                                            float power)
{
    ws::launch call("backward");
    backward_params p;
    call.tensor(p.k, "k", K, {heads, L, 128}, {(long)L * 128, 128, 1}, ws::loaded);
    call.tensor(p.v, "v", V, {heads, L, 128}, {(long)L * 128, 128, 1}, ws::loaded);
    call.tensor(p.q, "q", Q, {heads, L, 128}, {(long)L * 128, 128, 1}, ws::loaded);
    call.tensor(p.g, "g", dO, {heads, L, 128}, {(long)L * 128, 128, 1}, ws::loaded);
    call.tensor(p.logs, "logs", logs2, {heads, L}, {L, 1}, ws::loaded);
    call.tensor(p.sums, "sums", delta, {heads, L}, {L, 1}, ws::loaded);
    call.tensor(p.dq, "dq", turned, {heads, (L + 63) / 64, 128, 64}, {(long)((L + 63) / 64) * 8192, 8192, 64, 1},
                ws::loaded_and_stored);
    call.tensor(p.dk, "dk", dK, {heads, L, 128}, {(long)L * 128, 128, 1}, ws::stored);
    call.tensor(p.dv, "dv", dV, {heads, L, 128}, {(long)L * 128, 128, 1}, ws::stored);
    call.place();
    call.map(p.k_map, p.k, 128);
    call.map(p.v_map, p.v, 128);
    call.map(p.q_map, p.q, 64);
    call.map(p.g_map, p.g, 64);
    call.map<ws::lined<float, 256>>(p.logs_map_lines_256, p.logs, 1);
    call.map<ws::lined<float, 256>>(p.sums_map_lines_256, p.sums, 1);
    call.map(p.dq_map, p.dq, 64);
    call.map(p.dk_map, p.dk, 64);
    call.map(p.dv_map, p.dv, 64);
    p.heads = heads;
    p.L = L;
    p.causal = causal;
    p.scale = scale;
    p.power = power;
    call.grid(p.grid, {{0, heads, section}, {0, L, 128}, {0, section, 1}}, ws::order_auto, 0);
    call.schedule(p.grid);
    call.run(backward_kernel, p, 384, sizeof(backward_shared), ws::persistent);
}

// attention_bwd.c:87: finish
struct finish_params {
    ws::tensor<float, 4> sums;
    ws::tensor<ws::f16, 3> dq;
    float scale;
    ws::grid<2> grid;
};

struct finish_shared {
    ws::scratch<16384> scratch;
};
static_assert(offsetof(finish_shared, scratch) == 0);
static_assert(sizeof(finish_shared) == 16384);

static WS_DEVICE void finish_all(const finish_params &p, finish_shared &s, int group)
{
    for (ws::tiles<2> t(p.grid); t.more(); t.next()) {  // attention_bwd.c:87
        const int h = t.at(0);
        const int i = t.at(1);
        const auto sum = ws::load<128, 32, ws::lines_4>(p.sums, h, i / 64, 0, i % 64);
        const auto x = ws::trans(sum, s.scratch);
        ws::store(p.dq, h, i, 0, ws::cast<ws::f16>(ws::mul(x, p.scale)));  // attention_bwd.c:91
    }
}

static WS_KERNEL(128, 3) void finish_kernel_in_vectors(WS_PARAMS(finish_params) p)
{
    finish_shared &s = ws::shared<finish_shared>();
    ws::start();
    finish_params q = p;
    ws::know_vectors(q.sums, q.dq);
    ws::know_step(q.grid, 1, 0, 32);
    finish_all(q, s, 0);
}

static WS_KERNEL(128, 3) void finish_kernel(WS_PARAMS(finish_params) p)
{
    finish_shared &s = ws::shared<finish_shared>();
    ws::start();
    finish_all(p, s, 0);
}

extern "C" void ws_launch_finish_96b2a082(int heads, int L, float scale, const void *turned, const void *dQ)
{
    ws::launch call("finish");
    finish_params p;
    call.tensor(p.sums, "sums", turned, {heads, (L + 63) / 64, 128, 64}, {(long)((L + 63) / 64) * 8192, 8192, 64, 1},
                ws::loaded);
    call.tensor(p.dq, "dq", dQ, {heads, L, 128}, {(long)L * 128, 128, 1}, ws::stored);
    call.place();
    p.scale = scale;
    call.grid(p.grid, {{0, heads, 1}, {0, L, 32}}, ws::order_auto, 0);
    call.run(ws::in_vectors(p.sums, p.dq) ? finish_kernel_in_vectors : finish_kernel, p, 128, sizeof(finish_shared),
             ws::one_tile);
}
