#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# wscc --ws-rewrite prints plain loops as C over tiles. That C compiles for emulate, and with any C compiler; what it
# computes one statement after the other is what the loops computed: it takes the place of the launchers.

. "$(dirname "$0")/../tap.sh"
here=$top_srcdir/tests/programs
cd "$work" || exit 99

if ! has_plugin; then
    skip 'plain loops as C over tiles' 'no plugin'
    done_testing
    exit
fi
plugin=$(sed -n 's/^plugin = //p' "$top_builddir/wscc.conf")
includes="-I$top_srcdir/runtime/include -I$here"

# The functions of a program, by name of their launchers.
launchers() {
    nm host.o | sed -n 's/^ *U \(ws_launch_\)\([a-z0-9_]*\)$/\1\2/p' | while read -r launcher; do
        name=$(echo "${launcher#ws_launch_}" | sed 's/_[0-9a-f]\{8\}$//')
        echo "#define ${name}_tiles $launcher"
    done
}

# The sums of a grid, in the runtime's place: they begin with nothing, which the function over tiles joins.
cat >totals.c <<'END'
#include <stdlib.h>
#include <string.h>

struct total { /* what is summed comes first: that is where its pointer goes */
    union {
        float f32;
        double f64;
        int i32;
        long i64;
    } sum;
    int operation;
};

enum { SUM, PRODUCT, LARGEST, SMALLEST, ALL };

void *ws_total_begin_(int operation, int bytes)
{
    struct total *total = calloc(1, sizeof *total);
    unsigned small = operation == LARGEST ? 0xff800000 : operation == SMALLEST ? 0x7f800000 : operation == ALL;
    unsigned long large = operation == LARGEST    ? 0xfff0000000000000
                          : operation == SMALLEST ? 0x7ff0000000000000
                                                  : operation == ALL;
    memcpy(&total->sum, bytes == 4 ? (void *)&small : (void *)&large, (size_t)bytes);
    total->operation = operation;
    return total;
}

#define JOIN(type, name)                                                                                               \
    type ws_total_##name##_(void *handle, type x)                                                                      \
    {                                                                                                                  \
        struct total *total = handle;                                                                                  \
        type y = total->sum.name;                                                                                      \
        int operation = total->operation;                                                                              \
        free(total);                                                                                                   \
        return operation == SUM        ? x + y                                                                         \
               : operation == LARGEST  ? (y > x ? y : x)                                                               \
               : operation == SMALLEST ? (y < x ? y : x)                                                               \
               : operation == ALL      ? x && y                                                                        \
                                       : x || y;                                                                       \
    }
JOIN(float, f32)
JOIN(double, f64)
JOIN(int, i32)
JOIN(long, i64)

void ws_total_into_(void *handle, void *where, int type)
{
    if (type == 0)
        *(float *)where = ws_total_f32_(handle, *(float *)where);
    else if (type == 1)
        *(double *)where = ws_total_f64_(handle, *(double *)where);
    else if (type == 2)
        *(int *)where = ws_total_i32_(handle, *(int *)where);
    else
        *(long *)where = ws_total_i64_(handle, *(long *)where);
}
END
$host_cc -O1 -w -c totals.c -o totals.o || exit 99

# as_tiles PROGRAM OPTION
as_tiles() {
    $host_cc $2 -w $includes -fplugin="$plugin" -fplugin-arg-wsc-target=emulate -fplugin-arg-wsc-dump=rewrite \
        -c "$here/$1.c" -o host.o >printed.c || return 1
    { printf '#include <math.h>\n#include <stdlib.h>\n#include <ws.h>\n' && launchers && cat printed.c; } >tiles.c
    $host_cc -O1 -w $includes -c tiles.c -o tiles.o &&
        $host_cc host.o tiles.o totals.o -o program "$top_builddir/.libs/libwsrt.a" -lm -lpthread && ./program
}

compiles() {
    { printf '#include <math.h>\n#include <stdlib.h>\n#include <ws.h>\n' && cat printed.c; } >kept.c
    "$wscc" --ws-target=emulate -w -c kept.c -o kept.o
}

# What leaves a grid is the same to the bit: of the kernel, of its function over tiles, and of that one as a kernel.
cat >sums.c <<'END'
void sums(int n, int m, const float *x, const double *y, float *s, double *d, float *most, int *count)
{
    float sum = *s, largest = *most;
    double wide = *d;
    int positive = *count;
#pragma ws grid(2) reduction(+ : sum, wide, positive) reduction(max : largest)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            sum += x[i * m + j] * x[i * m + j];
            wide += y[j] / (i + 1);
            positive += x[i * m + j] > 0;
            largest = x[i * m + j] > largest ? x[i * m + j] : largest;
        }
    *s = sum, *d = wide, *most = largest, *count = positive;
}
END
cat >main.c <<'END'
#include <stdio.h>
#include <string.h>
typedef struct {
    float sum;
    double wide;
    float largest;
    int positive;
} Sums;
void sums(int n, int m, const float *x, const double *y, float *s, double *d, float *most, int *count);
PROTOTYPE;
static float x[300 * 170];
static double y[170];
int main(int argc, char **argv)
{
    static const int extents[][2] = {{300, 170}, {1, 1}, {64, 128}, {0, 5}};
    for (int i = 0; i < 300 * 170; i++)
        x[i] = (float)(i * 7919 % 1009 - 500) / 64;
    for (int j = 0; j < 170; j++)
        y[j] = 1.0 / (j + 3);
    for (int i = 0; i < 4; i++) {
        Sums a, b;
        memset(&a, 0, sizeof a);
        a.sum = 0.3f, a.wide = 0.7, a.largest = -1000, a.positive = 5;
        b = a;
        sums(extents[i][0], extents[i][1], x, y, &a.sum, &a.wide, &a.largest, &a.positive);
        int n = extents[i][0], m = extents[i][1], *positive = &b.positive;
        float *sum = &b.sum, *largest = &b.largest;
        double *wide = &b.wide;
        CALL;
        if (memcmp(&a, &b, sizeof a))
            return printf("# %d: %a %a, %a %a\n", i, a.sum, b.sum, a.wide, b.wide), 1;
    }
    return 0;
}
END
same_sums() { # TARGET; the order of the parameters is GCC's
    "$wscc" -O1 -w --ws-target=emulate -c sums.c -o sums.o && "$wscc" -O1 --ws-rewrite -c sums.c -o other.o >printed.c &&
        { printf "#include <math.h>\n#include <stdlib.h>\n#include <ws.h>\n" && cat printed.c; } >kept.c &&
        "$wscc" -O1 -w --ws-target="$1" -c kept.c -o kept.o || return 1
    prototype=$(grep '^void sums_tiles(' printed.c)
    call=$(echo "$prototype" | sed 's/.*(//; s/[a-z]* *[a-z]* \**\([a-z]*[,)]\)/\1/g; s/^/sums_tiles(/')
    "$wscc" "-DPROTOTYPE=$prototype" "-DCALL=$call" main.c sums.o kept.o -o program && ./program
}
ok 'sums, one statement after the other' same_sums sequential
ok 'sums, emulated' same_sums emulate

for program in plain_functions plain_llm plain_polybench plain_order plain_precision plain_nothing plain_scatter \
    plain_types plain_longs plain_totals plain_around; do
    ok "$program over tiles: right" as_tiles $program -O1
    ok "$program over tiles: compiles" compiles
done
ok 'plain_order at -O0: right' as_tiles plain_order -O0
done_testing
