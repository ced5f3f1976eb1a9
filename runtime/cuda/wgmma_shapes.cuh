/* SPDX-License-Identifier: MIT */
/*
 * wgmma_shapes.cuh - the matrix instruction, once for each N.
 *
 * An asm statement needs its accumulators spelled out: N/2 registers of each thread, four for every eight columns.  The
 * first table spells the placeholders, the second the operands; the last makes three functions of each N: both operands
 * in shared memory (shared), the first one in registers (registers), and integers (integers).  Included by wgmma.cuh
 * only.
 */

/* Placeholders of the first n fours.  */
#define WS_HOLD_1 "%0, %1, %2, %3"
#define WS_HOLD_2 WS_HOLD_1 ", %4, %5, %6, %7"
#define WS_HOLD_3 WS_HOLD_2 ", %8, %9, %10, %11"
#define WS_HOLD_4 WS_HOLD_3 ", %12, %13, %14, %15"
#define WS_HOLD_5 WS_HOLD_4 ", %16, %17, %18, %19"
#define WS_HOLD_6 WS_HOLD_5 ", %20, %21, %22, %23"
#define WS_HOLD_7 WS_HOLD_6 ", %24, %25, %26, %27"
#define WS_HOLD_8 WS_HOLD_7 ", %28, %29, %30, %31"
#define WS_HOLD_9 WS_HOLD_8 ", %32, %33, %34, %35"
#define WS_HOLD_10 WS_HOLD_9 ", %36, %37, %38, %39"
#define WS_HOLD_11 WS_HOLD_10 ", %40, %41, %42, %43"
#define WS_HOLD_12 WS_HOLD_11 ", %44, %45, %46, %47"
#define WS_HOLD_13 WS_HOLD_12 ", %48, %49, %50, %51"
#define WS_HOLD_14 WS_HOLD_13 ", %52, %53, %54, %55"
#define WS_HOLD_15 WS_HOLD_14 ", %56, %57, %58, %59"
#define WS_HOLD_16 WS_HOLD_15 ", %60, %61, %62, %63"
#define WS_HOLD_17 WS_HOLD_16 ", %64, %65, %66, %67"
#define WS_HOLD_18 WS_HOLD_17 ", %68, %69, %70, %71"
#define WS_HOLD_19 WS_HOLD_18 ", %72, %73, %74, %75"
#define WS_HOLD_20 WS_HOLD_19 ", %76, %77, %78, %79"
#define WS_HOLD_21 WS_HOLD_20 ", %80, %81, %82, %83"
#define WS_HOLD_22 WS_HOLD_21 ", %84, %85, %86, %87"
#define WS_HOLD_23 WS_HOLD_22 ", %88, %89, %90, %91"
#define WS_HOLD_24 WS_HOLD_23 ", %92, %93, %94, %95"
#define WS_HOLD_25 WS_HOLD_24 ", %96, %97, %98, %99"
#define WS_HOLD_26 WS_HOLD_25 ", %100, %101, %102, %103"
#define WS_HOLD_27 WS_HOLD_26 ", %104, %105, %106, %107"
#define WS_HOLD_28 WS_HOLD_27 ", %108, %109, %110, %111"
#define WS_HOLD_29 WS_HOLD_28 ", %112, %113, %114, %115"
#define WS_HOLD_30 WS_HOLD_29 ", %116, %117, %118, %119"
#define WS_HOLD_31 WS_HOLD_30 ", %120, %121, %122, %123"
#define WS_HOLD_32 WS_HOLD_31 ", %124, %125, %126, %127"

/* Their operands, with the constraint c: d[O], d[O + 1], ...  */
#define WS_FOUR(c, i) c(d[O + i]), c(d[O + i + 1]), c(d[O + i + 2]), c(d[O + i + 3])
#define WS_OPERANDS_1(c) WS_FOUR(c, 0)
#define WS_OPERANDS_2(c) WS_OPERANDS_1(c), WS_FOUR(c, 4)
#define WS_OPERANDS_3(c) WS_OPERANDS_2(c), WS_FOUR(c, 8)
#define WS_OPERANDS_4(c) WS_OPERANDS_3(c), WS_FOUR(c, 12)
#define WS_OPERANDS_5(c) WS_OPERANDS_4(c), WS_FOUR(c, 16)
#define WS_OPERANDS_6(c) WS_OPERANDS_5(c), WS_FOUR(c, 20)
#define WS_OPERANDS_7(c) WS_OPERANDS_6(c), WS_FOUR(c, 24)
#define WS_OPERANDS_8(c) WS_OPERANDS_7(c), WS_FOUR(c, 28)
#define WS_OPERANDS_9(c) WS_OPERANDS_8(c), WS_FOUR(c, 32)
#define WS_OPERANDS_10(c) WS_OPERANDS_9(c), WS_FOUR(c, 36)
#define WS_OPERANDS_11(c) WS_OPERANDS_10(c), WS_FOUR(c, 40)
#define WS_OPERANDS_12(c) WS_OPERANDS_11(c), WS_FOUR(c, 44)
#define WS_OPERANDS_13(c) WS_OPERANDS_12(c), WS_FOUR(c, 48)
#define WS_OPERANDS_14(c) WS_OPERANDS_13(c), WS_FOUR(c, 52)
#define WS_OPERANDS_15(c) WS_OPERANDS_14(c), WS_FOUR(c, 56)
#define WS_OPERANDS_16(c) WS_OPERANDS_15(c), WS_FOUR(c, 60)
#define WS_OPERANDS_17(c) WS_OPERANDS_16(c), WS_FOUR(c, 64)
#define WS_OPERANDS_18(c) WS_OPERANDS_17(c), WS_FOUR(c, 68)
#define WS_OPERANDS_19(c) WS_OPERANDS_18(c), WS_FOUR(c, 72)
#define WS_OPERANDS_20(c) WS_OPERANDS_19(c), WS_FOUR(c, 76)
#define WS_OPERANDS_21(c) WS_OPERANDS_20(c), WS_FOUR(c, 80)
#define WS_OPERANDS_22(c) WS_OPERANDS_21(c), WS_FOUR(c, 84)
#define WS_OPERANDS_23(c) WS_OPERANDS_22(c), WS_FOUR(c, 88)
#define WS_OPERANDS_24(c) WS_OPERANDS_23(c), WS_FOUR(c, 92)
#define WS_OPERANDS_25(c) WS_OPERANDS_24(c), WS_FOUR(c, 96)
#define WS_OPERANDS_26(c) WS_OPERANDS_25(c), WS_FOUR(c, 100)
#define WS_OPERANDS_27(c) WS_OPERANDS_26(c), WS_FOUR(c, 104)
#define WS_OPERANDS_28(c) WS_OPERANDS_27(c), WS_FOUR(c, 108)
#define WS_OPERANDS_29(c) WS_OPERANDS_28(c), WS_FOUR(c, 112)
#define WS_OPERANDS_30(c) WS_OPERANDS_29(c), WS_FOUR(c, 116)
#define WS_OPERANDS_31(c) WS_OPERANDS_30(c), WS_FOUR(c, 120)
#define WS_OPERANDS_32(c) WS_OPERANDS_31(c), WS_FOUR(c, 124)

/* n fours; the operands after them are numbered from a on.  */
#define WS_SHAPE(n, columns, a, b, c, d_, e, f, g)                                                                 \
    template <> struct product<columns> {                                                                          \
        template <int O, typename KIND, typename MAJOR, typename D>                                                \
        static WS_DEVICE void shared(D &d, u64 x, u64 y)                                                           \
        {                                                                                                          \
            asm volatile("{.reg .pred p;\nsetp.ne.b32 p, 1, 0;\n"                                                  \
                         "wgmma.mma_async.sync.aligned.m64n" #columns "%" #c " {" WS_HOLD_##n "}, %" #a ", %" #b   \
                         ", p, 1, 1%" #d_ ";\n}"                                                                   \
                         : WS_OPERANDS_##n("+f")                                                                   \
                         : "l"(x), "l"(y), "C"(KIND::name), "C"(MAJOR::both));                                     \
        }                                                                                                          \
        template <int O, typename KIND, typename MAJOR, typename D>                                                \
        static WS_DEVICE void registers(D &d, u32 x0, u32 x1, u32 x2, u32 x3, u64 y)                               \
        {                                                                                                          \
            asm volatile("{.reg .pred p;\nsetp.ne.b32 p, 1, 0;\n"                                                  \
                         "wgmma.mma_async.sync.aligned.m64n" #columns "%" #f " {" WS_HOLD_##n "}, {%" #a ", %" #b  \
                         ", %" #c ", %" #d_ "}, %" #e ", p, 1, 1%" #g ";\n}"                                       \
                         : WS_OPERANDS_##n("+f")                                                                   \
                         : "r"(x0), "r"(x1), "r"(x2), "r"(x3), "l"(y), "C"(KIND::name), "C"(MAJOR::second));       \
        }                                                                                                          \
        template <int O, typename KIND, typename D> static WS_DEVICE void integers(D &d, u64 x, u64 y)             \
        {                                                                                                          \
            asm volatile("{.reg .pred p;\nsetp.ne.b32 p, 1, 0;\n"                                                  \
                         "wgmma.mma_async.sync.aligned.m64n" #columns "%" #c " {" WS_HOLD_##n "}, %" #a ", %" #b   \
                         ", p;\n}"                                                                                 \
                         : WS_OPERANDS_##n("+r")                                                                   \
                         : "l"(x), "l"(y), "C"(KIND::name));                                                       \
        }                                                                                                          \
    };

WS_SHAPE(1, 8, 4, 5, 6, 7, 8, 9, 10)
WS_SHAPE(2, 16, 8, 9, 10, 11, 12, 13, 14)
WS_SHAPE(3, 24, 12, 13, 14, 15, 16, 17, 18)
WS_SHAPE(4, 32, 16, 17, 18, 19, 20, 21, 22)
WS_SHAPE(5, 40, 20, 21, 22, 23, 24, 25, 26)
WS_SHAPE(6, 48, 24, 25, 26, 27, 28, 29, 30)
WS_SHAPE(7, 56, 28, 29, 30, 31, 32, 33, 34)
WS_SHAPE(8, 64, 32, 33, 34, 35, 36, 37, 38)
WS_SHAPE(9, 72, 36, 37, 38, 39, 40, 41, 42)
WS_SHAPE(10, 80, 40, 41, 42, 43, 44, 45, 46)
WS_SHAPE(11, 88, 44, 45, 46, 47, 48, 49, 50)
WS_SHAPE(12, 96, 48, 49, 50, 51, 52, 53, 54)
WS_SHAPE(13, 104, 52, 53, 54, 55, 56, 57, 58)
WS_SHAPE(14, 112, 56, 57, 58, 59, 60, 61, 62)
WS_SHAPE(15, 120, 60, 61, 62, 63, 64, 65, 66)
WS_SHAPE(16, 128, 64, 65, 66, 67, 68, 69, 70)
WS_SHAPE(17, 136, 68, 69, 70, 71, 72, 73, 74)
WS_SHAPE(18, 144, 72, 73, 74, 75, 76, 77, 78)
WS_SHAPE(19, 152, 76, 77, 78, 79, 80, 81, 82)
WS_SHAPE(20, 160, 80, 81, 82, 83, 84, 85, 86)
WS_SHAPE(21, 168, 84, 85, 86, 87, 88, 89, 90)
WS_SHAPE(22, 176, 88, 89, 90, 91, 92, 93, 94)
WS_SHAPE(23, 184, 92, 93, 94, 95, 96, 97, 98)
WS_SHAPE(24, 192, 96, 97, 98, 99, 100, 101, 102)
WS_SHAPE(25, 200, 100, 101, 102, 103, 104, 105, 106)
WS_SHAPE(26, 208, 104, 105, 106, 107, 108, 109, 110)
WS_SHAPE(27, 216, 108, 109, 110, 111, 112, 113, 114)
WS_SHAPE(28, 224, 112, 113, 114, 115, 116, 117, 118)
WS_SHAPE(29, 232, 116, 117, 118, 119, 120, 121, 122)
WS_SHAPE(30, 240, 120, 121, 122, 123, 124, 125, 126)
WS_SHAPE(31, 248, 124, 125, 126, 127, 128, 129, 130)
WS_SHAPE(32, 256, 128, 129, 130, 131, 132, 133, 134)

#undef WS_SHAPE
