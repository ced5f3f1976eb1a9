/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elements of the program's own arrays, which a variable chooses: constant and not, static, global and local, few and
   many, of every type, in structs, and through helpers. */
#include "test.h"

#include <stdbool.h>
#include <stdint.h>

enum { MANY = 40 };

static float changes[3] = {1, 2, 4}; /* which nobody changes */
static const int offsets[2][3] = {{0, 32, 64}, {64, 0, 32}};
static const struct {
    double factor;
    short shift;
    float weights[2];
} modes[3] = {{0.5, -3, {1, 2}}, {0.25, 7, {3, 4}}, {2, 0, {5, 6}}};
static struct {
    int count;
    int data[];
} behind = {5, {3, [3] = 4, 0}}; /* which goes on behind its type */
static double many[MANY];
static int64_t wide[MANY];
static uint16_t halves[MANY];
static unsigned char bytes[MANY];
static signed char small[MANY];
static unsigned words[MANY];
static bool flags[MANY];
float global[MANY];
extern const float elsewhere[];
const float elsewhere[4] = {8, 4, 2, 1};

static float choose(const float *table, long i)
{
    return table[i + 1];
}

static double filled(long i)
{
    double steps[3] = {3, 5, 7}, zeros[4] = {0};
    float large[24] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23};
    steps[1] = 6;
    return steps[i % 3] + zeros[i % 4] + large[i % 24];
}

static double constants(long i, long j)
{
    const float weights[3] = {0.25f, 0.5f, 0.125f};
    const struct {
        int from, to;
    } ranges[2] = {{1, 2}, {3, 5}};
    return (double)weights[(i + j) % 3] + offsets[i % 2][j % 3] + modes[i % 3].factor + modes[j % 3].shift +
           (double)modes[i % 3].weights[j % 2] + ranges[i % 2].to - ranges[j % 2].from + (double)elsewhere[i % 4] +
           (double)choose(changes, i % 3 - 1);
}

static double numbers(long i)
{
    return many[i] + (double)wide[i] + (double)halves[i] + (double)bytes[i] + (double)small[i] + (double)words[i] +
           (flags[i] ? 0.5 : 0) + (double)choose(global, i - 1);
}

static void kernel(int M, int N, const float *given, double *C)
{
    ws_tensor c = ws_tensor_2d(C, WS_F64, M, N);
    double local[4] = {(double)given[0], (double)given[1], (double)given[2], 1};
    const float powers[2] = {given[1], given[2]};

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 16)
        for (int j = 0; j < N; j += 16) {
            int row = i / 16, column = j / 16;
            double sum = constants(row, column) + numbers(row) + filled(row);
            static float inside[3] = {6, 5, 4}; /* which has no name outside */
            sum += (double)inside[row % 3] + behind.data[column % behind.count];
            for (int k = 0; k < column % 4; k++)
                sum += local[k] * (double)powers[k % 2];
            ws_store(c, i, j, ws_full(WS_F64, 16, 16, sum));
        }
}

static double expected(long i, long j, const float *given)
{
    double sum = constants(i, j) + numbers(i) + filled(i);
    static const int values[] = {3, 0, 0, 4, 0};
    sum += (double)(6 - i % 3) + values[j % 5];
    for (int k = 0; k < j % 4; k++)
        sum += (k < 3 ? (double)given[k] : 1) * (double)given[1 + k % 2];
    return sum;
}

int main(int argc, char **argv)
{
    check_begin("tables", argc, argv);
    static const float given[] = {1.5f, -2, 3};
    int M = 16 * MANY, N = 112;
    double *C = check_output(WS_F64, (size_t)M * N);

    for (int i = 0; i < MANY; i++) {
        many[i] = i * 0.125, wide[i] = i % 3 ? (int64_t)i << 33 : -(int64_t)i, halves[i] = (uint16_t)(65535 - i);
        bytes[i] = (unsigned char)(255 - i), small[i] = (signed char)(i - 20), words[i] = 4294967295u - (unsigned)i;
        flags[i] = i % 5 == 0, global[i] = (float)(i * i);
    }
    kernel(M, N, given, check_place(C));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++)
            check_close(C, i * N + j, expected(i / 16, j / 16, given), 0);
    return check_end();
}
