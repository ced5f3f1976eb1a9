/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scalar.c - names, numbers and conditions of a program.
 */
#include "fuzz.h"

/* ---- names and numbers ------------------------------------------------------------------------------------------- */

char *fresh(Gen *g, const char *prefix)
{
    return text("%s%d", prefix, ++g->names);
}

char *extent(Gen *g, int value)
{
    const char *name = value == g->m ? "TM" : value == g->n ? "TN" : value == g->k ? "TK" : NULL;
    if (!name || !g->constant_style || g->in_helper)
        return text("%d", value);
    if (g->constant_style == 5)
        return text("tiles_%d.%s", g->serial, name);
    return text("%s_%d", name, g->serial);
}

void argument(Gen *g, const char *value, const char *again)
{
    add(&g->arguments, "%s%s", g->arguments.length ? ", " : "", value);
    add(&g->again, "%s%s", g->again.length ? ", " : "", again);
}

static char *new_parameter(Gen *g, const char *type, const char *name)
{
    add(&g->parameters, "%s%s %s", g->parameters.length ? ", " : "", type, name);
    return text("%s", name);
}

/* What the same parameter may be in another call: nothing larger, so that arrays and places stay what they are.  */
static long some_smaller(long value)
{
    switch (weigh((const int[]){40, 20, 15, 15, 10}, 5)) {
    case 1:
        return value > 0 ? value - 1 : 0;
    case 2:
        return value / 2;
    case 3:
        return value > 0 ? 1 : 0;
    case 4:
        return 0;
    default:
        return value;
    }
}

char *parameter(Gen *g, long value)
{
    argument(g, text("%ld", value), text("%ld", some_smaller(value)));
    return new_parameter(g, g->wide_scalars ? "long" : "int", fresh(g, "n"));
}

/* The step of a grid's loop. In another call it is no shorter: so the loop has no more iterations.  */
char *step_parameter(Gen *g, long value, int size)
{
    long other = chance(30) ? value + pick(size) : value;
    argument(g, text("%ld", value), text("%ld", other));
    return new_parameter(g, g->wide_scalars ? "long" : "int", fresh(g, "n"));
}

char *float_parameter(Gen *g, double value)
{
    argument(g, text("%.2ff", value), text("%.2ff", value / 2));
    return new_parameter(g, "float", fresh(g, "f"));
}

/* ---- scalars ----------------------------------------------------------------------------------------------------- */

void scalar_new(Gen *g, char *name, ScalarKind kind, long most, long step)
{
    if (g->nscalars < MAX_SCALARS)
        g->scalars[g->nscalars++] = (Scalar){name, kind, most, step, false};
}

static const Scalar *any_scalar(Gen *g)
{
    int found[MAX_SCALARS], n = 0;
    for (int i = g->nscalars - 1; i >= 0; i--)
        if (!g->scalars[i].is_float)
            found[n++] = i;
    return n ? &g->scalars[found[pick(n)]] : NULL;
}

char *linear_index(const Gen *g, long *count)
{
    char *index = NULL;
    *count = 1;
    for (int i = 0; i < g->ngrid; i++) {
        const GridVariable *v = &g->grid[i];
        char *part = v->by          ? text("%s / %s", v->name, v->by)
                     : v->step == 1 ? text("%s", v->name)
                                    : text("%s / %ld", v->name, v->step);
        index = index ? text("(%s) * %ld + %s", index, v->count, part) : part;
        *count *= v->count;
    }
    return index ? index : text("0");
}

/* A vector that nobody stores, for ws_at: bounds, places, flags, factors.  */
static Tensor *vector(Gen *g, Dtype dtype, long count, double low, double high)
{
    if (g->ntensors == MAX_TENSORS)
        return NULL;
    Tensor *t = &g->tensors[g->ntensors++];
    *t = (Tensor){.name = fresh(g, "t"),
                  .dtype = dtype,
                  .rank = 1,
                  .extent = {count, 1, 1, 1},
                  .stride = {1, 1, 1, 1},
                  .use = USE_SCALARS,
                  .low = low,
                  .high = high};
    add(&g->parameters, "%sconst %s *p_%s", g->parameters.length ? ", " : "", dtype_c[t->dtype], t->name);
    char *array = text("p_%s", t->name);
    argument(g, array, array);
    add(&g->arrays, "    %s *p_%s = fuzz_array(WS_%s, %ld, %d, %g, %g);\n", dtype_c[t->dtype], t->name,
        dtype_name[t->dtype], count, g->names, low, high);
    add(&g->declarations, "    ws_tensor %s = ws_tensor_1d(p_%s, WS_%s, %ld);\n", t->name, t->name,
        dtype_name[t->dtype], count);
    return t;
}

/* One whole number from memory, up to `most`.  */
char *memory_scalar(Gen *g, long most)
{
    long count;
    char *index = linear_index(g, &count);
    const Scalar *s = any_scalar(g);
    if (s && s->kind != S_GRID && chance(40)) {
        index = text("%s", s->name);
        count = s->most + 1;
    }
    Dtype dtype = most < 100 && chance(20) ? I8 : I32;
    Tensor *t = vector(g, dtype, chance(15) && count > 1 ? count - 1 : count, 0, (double)most);
    return t ? text("ws_at(%s, %s)", t->name, index) : NULL;
}

/* What C does with bits and narrow types.  */
static char *bits_text(const Scalar *s, long *most)
{
    switch (pick(6)) {
    case 1:
        *most += 8;
        return text("(%s | 8)", s->name);
    case 2:
        *most += 8;
        return text("(%s ^ 8)", s->name);
    case 3:
        *most *= 2;
        return text("(%s << 1)", s->name);
    case 4:
        *most /= 4;
        return text("(%s >> 2)", s->name);
    case 5:
        *most = *most < 255 ? *most : 255;
        return text("(unsigned char)%s", s->name);
    default:
        *most = *most < 24 ? *most : 24;
        return text("(%s & 24)", s->name);
    }
}

static char *some_scalar_text(Gen *g, long *most)
{
    const Scalar *s = any_scalar(g);
    long other;
    static const int weights[] = {40, 15, 10, 10, 8, 8, 6, 6};
    *most = 8;
    if (!s)
        return text("8");
    *most = s->most;
    switch (weigh(weights, 8)) {
    case 7:
        return bits_text(s, most);
    case 1: {
        int more = 8 * between(1, 4);
        *most += more;
        return text("%s + %d", s->name, more);
    }
    case 2: {
        long by = s->step > 1 ? s->step : 8;
        *most /= by;
        return text("%s / %ld", s->name, by);
    }
    case 3: {
        int by = between(2, 40);
        *most = *most < by - 1 ? *most : by - 1;
        return text("%s %% %d", s->name, by);
    }
    case 4: {
        char *read = g->in_helper ? NULL : memory_scalar(g, 64);
        *most = read ? 64 : 3;
        return read ? read : text("3");
    }
    case 5: {
        char *x = scalar_text(g, most), *y = scalar_text(g, &other), *c = condition(g);
        *most = other > *most ? other : *most;
        return text("(%s ? %s : %s)", c, x, y);
    }
    case 6: {
        char *y = scalar_text(g, &other);
        *most += other;
        return text("(%s + %s)", s->name, y);
    }
    default:
        return text("%s", s->name);
    }
}

char *scalar_text(Gen *g, long *most)
{
    span_begin();
    char *result = some_scalar_text(g, most);
    span_end();
    return result;
}

static char *some_condition(Gen *g)
{
    const Scalar *s = any_scalar(g);
    static const int weights[] = {30, 20, 15, 12, 12, 6, 5};
    if (!s)
        return text("1");
    switch (weigh(weights, 7)) {
    case 1:
        return text("%s / %ld %% 2 == %d", s->name, s->step > 1 ? s->step : 1, pick(2));
    case 2: {
        char *read = g->in_helper ? NULL : memory_scalar(g, 2);
        return read ? text("%s != 0", read) : text("%s > 0", s->name);
    }
    case 3: {
        char *x = condition(g), *y = condition(g);
        return text("(%s && %s)", x, y);
    }
    case 4: {
        char *x = condition(g), *y = condition(g);
        return text("(%s || %s)", x, y);
    }
    case 5:
        return text("!(%s)", condition(g));
    case 6: {
        long most;
        char *x = scalar_text(g, &most);
        return text("%s >= %s", x, s->name);
    }
    default:
        return text("%s %s %ld", s->name, chance(50) ? "<" : ">=", s->most / 2 + 1);
    }
}

char *condition(Gen *g)
{
    span_begin();
    char *result = some_condition(g);
    span_end();
    return result;
}

/* A number of the region, or of the program's text.  */
char *float_text(Gen *g)
{
    static const char *const literals[] = {"0.5f", "2", "-1.25f", "0.125", "3", "-0.75f", "1.5f", "1"};
    static const int weights[] = {50, 20, 15, 15};
    int floats[MAX_SCALARS], nfloats = 0;
    for (int i = 0; i < g->nscalars; i++)
        if (g->scalars[i].is_float)
            floats[nfloats++] = i;
    switch (weigh(weights, 4)) {
    case 1:
        if (nfloats)
            return g->scalars[floats[pick(nfloats)]].name;
        break;
    case 2: {
        const Scalar *s = any_scalar(g);
        if (s && s->most < 500)
            return chance(50) ? text("(float)%s * 0.0625f", s->name) : s->name;
        break;
    }
    case 3:
        if (!g->in_helper && g->ntensors < MAX_TENSORS - 4) {
            long count;
            char *index = linear_index(g, &count);
            static const Dtype types[] = {F32, F16, F64, BF16, E4M3};
            return text("ws_at_float(%s, %s)", vector(g, types[pick(5)], count, -1, 1)->name, index);
        }
        break;
    default:
        break;
    }
    return text("%s", literals[pick(8)]);
}

/* A coordinate of a leading dimension: small, and often the same in neighbouring iterations.  */
char *leading(Gen *g, long *most)
{
    const Scalar *s = any_scalar(g);
    if (s && chance(75)) {
        if (s->most <= 8)
            return *most = s->most, text("%s", s->name);
        long by = s->step > 1 ? s->step : 16;
        *most = s->most / by;
        return *most <= 8 ? text("%s / %ld", s->name, by) : (*most = 4, text("%s %% 5", s->name));
    }
    if (chance(20)) {
        char *read = memory_scalar(g, 3);
        *most = 3;
        if (read)
            return read;
    }
    *most = pick(3);
    return text("%ld", *most);
}
