/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-nans.c - the largest and smallest of rows and columns that hold NaN, infinities and zeros of both signs, in
 * each of C's forms.
 *
 * 1 / s tells zeros apart, where the order of the loop decides which of them stays.
 *
 * finds: seed 1 of kinds=nans without the mend; where loops that begin apart had no end, seed 9
 */
#include "plain.h"

/* v is an element, s what was found.  */
static const char *update(int leaves_out)
{
    return leaves_out ? PICK("s = v > s ? v : s", "s = v >= s ? v : s", "s = s < v ? v : s", "s = v < s ? v : s",
                             "s = s > v ? v : s", "s = v <= s ? v : s", "if (v > s)\n                s = v",
                             "if (s >= v)\n                s = v")
                      : PICK("s = s > v ? s : v", "s = s >= v ? s : v", "s = v < s ? s : v", "s = s < v ? s : v",
                             "s = v >= s ? s : v", "s = s <= v ? s : v", "s = v > s ? s : v",
                             "if (!(s >= v))\n                s = v", "if (!(s < v))\n                s = v");
}

static const char *first(const char *row)
{
    static char element[60];
    snprintf(element, sizeof element, "x[%s]", row);
    return PICK("0", "-0.0f", "-INFINITY", "INFINITY", "1", "NAN", element, element);
}

static const char *value(const char *place)
{
    static char text[60];
    snprintf(text, sizeof text, PICK("x[%s]", "x[%s]", "x[%s]", "-x[%s]", "x[%s] * y[j]", "fabs(x[%s])"), place);
    return text;
}

/* for a clause: what some order gives is one number, but for zeros */
static void clause(int largest)
{
    printf("        WS(pipeline(auto)%s reduction(%s: s))\n", PICK("", " tile(16)"), largest ? "max" : "min");
}

void nans(int seed)
{
    static const char *const numbers[] = {
        "(float[]){-0.0f, 0, 1, -1, -0.0f, 3, INFINITY, -INFINITY}[r / 256 % 8]",
        "r / 64 % 5 == 0 ? NAN : (float[]){-0.0f, 0, 1, -1, -0.0f, 3, INFINITY, -INFINITY}[r / 256 % 8]",
        "r / 64 % 3 == 0 ? NAN : (float[]){-0.0f, 0}[r / 256 % 2]",
        "r / 64 % 9 == 0 ? NAN : (float)(long)(r / 256 % 99)", "i % l > i / l ? NAN : (float)(long)(r / 256 % 5) - 2"};
    const char *type = below(3) ? "float" : "double";
    int across = below(3) == 0, open = below(4) == 0, how = below(5), largest = below(2);
    whole_begin(seed);
    whole_scalar("int", "n", "%d", 1 + below(80));
    whole_scalar("int", "l", "%d", 1 + below(90));
    whole_array("const int *", "ok", 0, "n + l", "r % 3 > 0");
    whole_array(type[0] == 'f' ? "const float *" : "const double *", "x", 0, "n * l",
                numbers[below(sizeof numbers / sizeof *numbers)]);
    whole_array(type[0] == 'f' ? "const float *" : "const double *", "y", 0, "n + l", "(float[]){-1, 1, 0, 2}[r % 4]");
    whole_array(type[0] == 'f' ? "float *" : "double *", "a", 0, "n * l", "i");
    whole_array(type[0] == 'f' ? "float *" : "double *", "b", 0, "n * l", "i");
    whole_body();
    const char *place = across ? "j * n + i" : "i * l + j";
    if (below(6) == 0) {
        printf("    WS(grid(%d))\n    for (int i = 0; i < n; i++)\n        for (int j = 0; j < l; j++) {\n",
               1 + below(2));
        printf("            %s v = x[%s], s = y[%s];\n            %s;\n", type, place, PICK("i", "j", "i + j"),
               how ? update(below(2)) : PICK("s = fmax(s, v)", "s = fmin(v, s)"));
        printf("            a[i * l + j] = s;\n            b[i * l + j] = %s;\n        }\n", how ? "1 / s" : "s + 0");
        whole_end();
        return;
    }
    printf("    WS(grid(1)%s)\n    for (int i = 0; i < n; i++) {\n        %s s = %s;\n", PICK("", "", " tile(32)"),
           type, first(across ? "i" : "i * l"));
    if (open)
        clause(largest);
    else if (below(6))
        printf("        WS(pipeline(auto)%s)\n", PICK("", "", " tile(16)", " tile(64)"));
    printf("        for (int j = %s; j < %s; j++) {\n            %s v = %s;\n", PICK("0", "0", "1", "i"),
           PICK("l", "l", "l", "l - 1"), type, value(place));
    if (!open && below(4) == 0)
        printf("            if (%s)\n            ", PICK("ok[j]", "j % 3 > 0", "v == v", "j != i", "ok[i]"));
    else
        printf("            ");
    int called = how == 0;
    if (open)
        printf("%s;\n", largest ? PICK("s = v > s ? v : s", "s = s < v ? v : s", "s = fmax(s, v)")
                                : PICK("s = v < s ? v : s", "s = s > v ? v : s", "s = fmin(v, s)"));
    else
        printf("%s;\n", called ? PICK("s = fmax(s, v)", "s = fmin(v, s)") : update(below(2)));
    printf("        }\n        a[i] = s;\n        b[i] = %s;\n    }\n", open || called ? "s + 0" : "1 / s");
    whole_end();
}
