/* SPDX-License-Identifier: MIT */
/*
 * element.cuh - element types: their storage and their compute types.
 *
 * f16, bf16, e4m3, e5m2 and float compute in float and round once.  Integers compute in int, and long in long; both
 * wrap. double computes in double.  All arithmetic is in common/scalar.h, which the sequential library uses, too.
 */
#ifndef WS_EMULATE_ELEMENT_CUH
#define WS_EMULATE_ELEMENT_CUH

#include <scalar.h>
#include <ws.h>

#define WS_DEVICE inline
#define WS_UNROLL

namespace ws {

typedef ::ws_f16 f16;
typedef ::ws_bf16 bf16;
typedef ::ws_e4m3 e4m3;
typedef ::ws_e5m2 e5m2;
typedef float tf32;                          /* the product rounds */
template <typename T> using interleaved = T; /* only registers have this order */

/* ---- types that compute ------------------------------------------------------------------------------------------ */

template <typename T> struct number;

template <> struct number<float> {
    typedef float math;
    static constexpr const char *name = "f32";
    static float widen(float x)
    {
        return x;
    }
    static float narrow(float x)
    {
        return x;
    }
    static float narrow_f64(double x)
    {
        return (float)x;
    }
};
template <> struct number<double> {
    typedef double math;
    static constexpr const char *name = "f64";
    static double widen(double x)
    {
        return x;
    }
    static double narrow(double x)
    {
        return x;
    }
    static double narrow_f64(double x)
    {
        return x;
    }
};
template <> struct number<int> {
    typedef int math;
    static constexpr const char *name = "i32";
    static int widen(int x)
    {
        return x;
    }
    static int narrow(int x)
    {
        return x;
    }
    static int narrow_f64(double x)
    {
        return ws_i32_from_f64(x);
    }
};
template <> struct number<long> {
    typedef long math;
    static constexpr const char *name = "i64";
    static long widen(long x)
    {
        return x;
    }
    static long narrow(long x)
    {
        return x;
    }
    static long narrow_f64(double x)
    {
        return ws_i64_from_f64(x);
    }
};
#define WS_EMULATE_SMALL_INTEGER(type, text)       \
    template <> struct number<type> {              \
        typedef int math;                          \
        static constexpr const char *name = #text; \
        static int widen(type x)                   \
        {                                          \
            return x;                              \
        }                                          \
        static type narrow(int x)                  \
        {                                          \
            return ws_##text##_from_i32(x);        \
        }                                          \
        static type narrow_f64(double x)           \
        {                                          \
            return ws_##text##_from_f64(x);        \
        }                                          \
    };
WS_EMULATE_SMALL_INTEGER(signed char, i8)
WS_EMULATE_SMALL_INTEGER(unsigned char, u8)
WS_EMULATE_SMALL_INTEGER(short, i16)
#undef WS_EMULATE_SMALL_INTEGER
template <> struct number<bool> {
    typedef bool math;
    static constexpr const char *name = "mask";
    static bool widen(bool x)
    {
        return x;
    }
    static bool narrow(bool x)
    {
        return x;
    }
};

#define WS_EMULATE_SMALL_FLOAT(type)               \
    template <> struct number<type> {              \
        typedef float math;                        \
        static constexpr const char *name = #type; \
        static float widen(type x)                 \
        {                                          \
            return ws_f32_from_##type(x.bits);     \
        }                                          \
        static type narrow(float x)                \
        {                                          \
            return type{ws_##type##_from_f64(x)};  \
        }                                          \
        static type narrow_f64(double x)           \
        {                                          \
            return type{ws_##type##_from_f64(x)};  \
        }                                          \
    };
WS_EMULATE_SMALL_FLOAT(f16)
WS_EMULATE_SMALL_FLOAT(bf16)
WS_EMULATE_SMALL_FLOAT(e4m3)
WS_EMULATE_SMALL_FLOAT(e5m2)
#undef WS_EMULATE_SMALL_FLOAT

template <typename T> using math_of = typename number<T>::math;

/* ---- between compute types --------------------------------------------------------------------------------------- */

/* Converts a C scalar, a fill, or a (1,1) tile for such a scalar to compute type M.  */
template <typename M> struct to_math;
template <> struct to_math<float> {
    template <typename X> static float from(X x)
    {
        return (float)x;
    }
};
template <> struct to_math<double> {
    template <typename X> static double from(X x)
    {
        return (double)x;
    }
};
template <> struct to_math<int> {
    static int from(double x)
    {
        return ws_i32_from_f64(x);
    }
    static int from(float x)
    {
        return ws_i32_from_f64(x);
    }
    template <typename I> static int from(I x)
    {
        return ws_i32_from_long((long)x);
    }
};
template <> struct to_math<long> {
    static long from(double x)
    {
        return ws_i64_from_f64(x);
    }
    static long from(float x)
    {
        return ws_i64_from_f64(x);
    }
    template <typename I> static long from(I x)
    {
        return (long)x;
    }
};
template <> struct to_math<bool> {
    template <typename X> static bool from(X x)
    {
        return x != 0;
    }
};

/* Converts a number to T: to the compute type first, then rounded.  */
template <typename T, typename X> inline T element_of(X x)
{
    return number<T>::narrow(to_math<math_of<T>>::from(x));
}

/* One element of a cast.  f64 as the intermediate type holds every element of up to 32 bits exactly; integers wrap.  */
template <typename X> constexpr bool is_int = false;
template <> constexpr bool is_int<int> = true;
template <> constexpr bool is_int<long> = true;
template <typename X, typename Y> constexpr bool same_types = false;
template <typename X> constexpr bool same_types<X, X> = true;
template <typename U, typename T> constexpr bool is_long_to_few_bits = same_types<T, long> && sizeof(U) < 4;
template <typename U, typename T> struct converter {
    static U from(T x)
    {
        if constexpr (is_int<math_of<U>> && is_int<math_of<T>>)
            return number<U>::narrow(to_math<math_of<U>>::from(number<T>::widen(x)));
        else if constexpr (is_long_to_few_bits<U, T>)
            return number<U>::narrow_f64(ws_f64_odd_from_i64(x));
        else if constexpr (same_types<T, long>)
            return (U)x;
        else
            return number<U>::narrow_f64((double)number<T>::widen(x));
    }
};

/* ---- one element, each operation in the compute types that have it ----------------------------------------------- */

namespace one {

#define WS_EMULATE_FLOATS(name, parameters, arguments)  \
    static float apply WS_EMULATE_##parameters(float)   \
    {                                                   \
        return ws_f32_##name arguments;                 \
    }                                                   \
    static double apply WS_EMULATE_##parameters(double) \
    {                                                   \
        return ws_f64_##name arguments;                 \
    }
#define WS_EMULATE_INT(name, parameters, arguments) \
    static int apply WS_EMULATE_##parameters(int)   \
    {                                               \
        return ws_i32_##name arguments;             \
    }                                               \
    static long apply WS_EMULATE_##parameters(long) \
    {                                               \
        return ws_i64_##name arguments;             \
    }
#define WS_EMULATE_ONE(type)   (type x)
#define WS_EMULATE_TWO(type)   (type x, type y)
#define WS_EMULATE_THREE(type) (type x, type y, type z)

#define WS_EMULATE_ARITHMETIC(name, parameters, arguments) \
    struct name {                                          \
        WS_EMULATE_FLOATS(name, parameters, arguments)     \
        WS_EMULATE_INT(name, parameters, arguments)        \
    };
/* The kind in machine descriptions: "maths" for functions of many instructions, else "alu".  */
template <typename F> constexpr bool is_long = false;
template <typename F> constexpr const char *kind_of = is_long<F> ? "maths" : "alu";
#define MATHS(NAME, name, ...)            \
    struct name {                         \
        WS_EMULATE_FLOATS(name, ONE, (x)) \
    };                                    \
    template <> constexpr bool is_long<name> = true;
#define MATHS_OF_TWO(NAME, name, ...)        \
    struct name {                            \
        WS_EMULATE_FLOATS(name, TWO, (x, y)) \
    };                                       \
    template <> constexpr bool is_long<name> = true;
WS_EMULATE_ARITHMETIC(add, TWO, (x, y))
WS_EMULATE_ARITHMETIC(sub, TWO, (x, y))
WS_EMULATE_ARITHMETIC(mul, TWO, (x, y))
WS_EMULATE_ARITHMETIC(div, TWO, (x, y))
template <> constexpr const char *kind_of<div> = "maths";
WS_EMULATE_ARITHMETIC(max, TWO, (x, y))
WS_EMULATE_ARITHMETIC(min, TWO, (x, y))
WS_EMULATE_ARITHMETIC(fma, THREE, (x, y, z))
WS_EMULATE_ARITHMETIC(neg, ONE, (x))
WS_EMULATE_ARITHMETIC(abs, ONE, (x))
#define BITS(NAME, name)                  \
    struct name {                         \
        WS_EMULATE_INT(name, TWO, (x, y)) \
    };
WS_BITS_(BITS)
#undef BITS
struct tf32_head {
    static float apply(float x)
    {
        return ws_f32_kept(x);
    }
};
struct tf32_residual {
    static float apply(float x)
    {
        return ws_f32_rest(x);
    }
};
#include "../common/maths.def"
#define WS_EMULATE_KIND(name, kind) template <> constexpr const char *kind_of<name> = kind;
WS_EMULATE_KIND(exp2, "sfu")
WS_EMULATE_KIND(log2, "sfu")
WS_EMULATE_KIND(rsqrt, "sfu")
WS_EMULATE_KIND(exp, "sfu")
WS_EMULATE_KIND(log, "sfu")
WS_EMULATE_KIND(rint, "alu")
WS_EMULATE_KIND(floor, "alu")
#undef WS_EMULATE_KIND
#undef WS_EMULATE_ARITHMETIC
#undef WS_EMULATE_INT
#undef WS_EMULATE_FLOATS
#undef WS_EMULATE_ONE
#undef WS_EMULATE_TWO
#undef WS_EMULATE_THREE

#define WS_EMULATE_COMPARE(name)              \
    struct name {                             \
        static bool apply(float x, float y)   \
        {                                     \
            return ws_f32_##name(x, y);       \
        }                                     \
        static bool apply(double x, double y) \
        {                                     \
            return ws_f64_##name(x, y);       \
        }                                     \
        static bool apply(int x, int y)       \
        {                                     \
            return ws_i32_##name(x, y);       \
        }                                     \
        static bool apply(long x, long y)     \
        {                                     \
            return ws_i64_##name(x, y);       \
        }                                     \
    };
WS_EMULATE_COMPARE(lt)
WS_EMULATE_COMPARE(le)
WS_EMULATE_COMPARE(gt)
WS_EMULATE_COMPARE(ge)
WS_EMULATE_COMPARE(eq)
WS_EMULATE_COMPARE(ne)
#undef WS_EMULATE_COMPARE

struct mask_and {
    static bool apply(bool x, bool y)
    {
        return x && y;
    }
};
struct mask_or {
    static bool apply(bool x, bool y)
    {
        return x || y;
    }
};
struct mask_not {
    static bool apply(bool x)
    {
        return !x;
    }
};
struct select {
    template <typename M> static M apply(bool mask, M x, M y)
    {
        return mask ? x : y;
    }
};

/* Along a line, in ascending order; see scalar.h.  */
#define WS_EMULATE_REDUCTION(name, result)                               \
    struct name {                                                        \
        static result(float) apply(int n, const float *x, long stride)   \
        {                                                                \
            return ws_f32_reduce_##name(n, x, stride);                   \
        }                                                                \
        static result(double) apply(int n, const double *x, long stride) \
        {                                                                \
            return ws_f64_reduce_##name(n, x, stride);                   \
        }                                                                \
        static result(int) apply(int n, const int *x, long stride)       \
        {                                                                \
            return ws_i32_reduce_##name(n, x, stride);                   \
        }                                                                \
        static result(long) apply(int n, const long *x, long stride)     \
        {                                                                \
            return ws_i64_reduce_##name(n, x, stride);                   \
        }                                                                \
    };
#define WS_EMULATE_SAME(type)    type
#define WS_EMULATE_INTEGER(type) int
namespace along {
WS_EMULATE_REDUCTION(sum, WS_EMULATE_SAME)
WS_EMULATE_REDUCTION(max, WS_EMULATE_SAME)
WS_EMULATE_REDUCTION(min, WS_EMULATE_SAME)
WS_EMULATE_REDUCTION(argmax, WS_EMULATE_INTEGER)
} // namespace along
#undef WS_EMULATE_REDUCTION
#undef WS_EMULATE_SAME
#undef WS_EMULATE_INTEGER

inline void cumulate(int n, const float *x, float *sums, long stride)
{
    ws_f32_cumulate(n, x, sums, stride);
}
inline void cumulate(int n, const double *x, double *sums, long stride)
{
    ws_f64_cumulate(n, x, sums, stride);
}
inline void cumulate(int n, const int *x, int *sums, long stride)
{
    ws_i32_cumulate(n, x, sums, stride);
}
inline void cumulate(int n, const long *x, long *sums, long stride)
{
    ws_i64_cumulate(n, x, sums, stride);
}

} // namespace one

} // namespace ws

#endif
