/* SPDX-License-Identifier: MIT */
/*
 * ws.h - Warp-Specialized C: tiles, views of memory, and the operations on them.
 *
 * A kernel is an ordinary C function.  ws_load reads a window of memory as a tile, the elementwise operations,
 * reductions and products make new tiles of it, ws_store writes one back.  With any C compiler these are calls of the
 * sequential library, one after the other; wscc compiles the loops under `#pragma ws` for the CPU emulation or for the
 * GPU, and the result stays the same.
 *
 * A tile or tensor handle may be held in a local variable or a parameter, members of local structs and elements of
 * local arrays among them, and nowhere else: not in a static, nor on the heap.  The library reclaims what no local
 * holds any more.
 *
 * In C++ this header declares the storage types and the host functions, for callers of kernels; kernels are C.
 *
 * For readers of the compiled form.  Every operation is one call of one plain extern function whose arguments are
 * handles and scalars.  Its opcode in runtime/common/ops.def follows from its name: drop the leading "ws_", one
 * trailing "_", then a rank suffix "_2d", "_3d" or "_4d", then of a load "_or".  The exceptions are in the second half
 * of the table.
 *
 *   callee                                      opcode       operands and attributes, in argument order
 *   ws_add_ ws_sub_ ... ws_ne_                  add ...      two handles; a scalar arrives boxed by ws_scalar_*_
 *   ws_select_ ws_fma_                          select fma   three handles, the same
 *   ws_and ws_or ws_not ws_exp2 ws_trans ...    and ...      handles
 *   ws_row_sum ... ws_col_cumsum                row_sum ...  one handle
 *   ws_dot ws_dot_f32                           dot dot_f32  a, b, acc
 *   ws_cast ws_bitcast                          cast ...     handle; element type
 *   ws_full                                     full         element type, rows, cols, value
 *   ws_row_index ws_col_index                   row_index    rows, cols
 *   ws_load[_or][_3d|_4d]                       load         tensor, coordinates; rows, cols; fill after them if _or
 *   ws_load_row[_2d] ws_load_col[_2d]           load_row     tensor, coordinates; the one extent
 *   ws_store[_3d|_4d] ws_atomic_add[_3d|_4d]    store        tensor, coordinates, handle
 *   ws_store_row[_2d] ws_store_col[_2d]         store_row    tensor, coordinates, handle
 *   ws_load_box_3d ws_load_box_4d ws_store_...  box load     what these become
 *   ws_slice                                    slice        tensor, dimension, begin, end
 *   ws_box_3d ws_box_4d                         box          tensor, coordinates, extents
 *   ws_at ws_at_float                           at           tensor, index
 *   ws_load_at                                  load_at      tensor, handle of the indices
 *   ws_store_at ws_atomic_add_at                store_at     tensor, handle of the indices, handle
 *   ws_print                                    print        name, handle
 *   ws_print_value_i_ _u_ _f_ _d_               print_each   name, number: what ws_print_value becomes
 *   ws_ring_new                                 ring_new     slots
 *   ws_ring_put_ ws_ring_get_                   ring_put     handle of the ring; handle: what ws_put and ws_get become
 *
 *   ws_scalar_i_ (long)  ws_scalar_f_ (double)  splat        the scalar; an integer keeps its own conversion
 *   ws_zeros                                    full         element type, rows, cols; value 0
 *   ws_tensor_1d _2d _3d _4d                    tensor       base, element type, extents; dense strides
 *   ws_tensor_2d_ld                             tensor       base, element type, rows, cols, leading dimension
 *   ws_tensor_make_                             tensor       base, element type, rank, 4 extents, 4 strides (the first
 *                                                            `rank` of each count): what ws_tensor_strided becomes
 *                                                            when its rank is a literal; otherwise it stays a call
 *   ws_bad_*_                                   -            misuse that the header found; the declaration's error
 *                                                            attribute holds the sentence for the user
 */
#ifndef WS_H
#define WS_H

#if defined __GNUC__
#    pragma GCC system_header
#endif

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- element types ----------------------------------------------------------------------------------------------- */

/* The numbers start high, so that an extent given where an element type belongs is noticed.  */
typedef enum {
    WS_F32 = 0x5753,
    WS_F64,
    WS_F16,
    WS_BF16,
    WS_E4M3,
    WS_E5M2,
    WS_I8,
    WS_I32,
    WS_U8,
    WS_I16,
    WS_I64
} ws_dtype;

/* How arrays hold the types that C has not: the same with every compiler.  The others are float, double, signed char
   (int8_t), int (int32_t), unsigned char (uint8_t), short (int16_t) and long (int64_t), or long long.  */
typedef struct {
    unsigned short bits;
} ws_f16;
typedef struct {
    unsigned short bits;
} ws_bf16;
typedef struct {
    unsigned char bits;
} ws_e4m3;
typedef struct {
    unsigned char bits;
} ws_e5m2;

/* Round to nearest even.  f16 and bf16 overflow to infinity, e4m3 and e5m2 to their largest finite number.  */
ws_f16 ws_f16_from(float x);
ws_bf16 ws_bf16_from(float x);
ws_e4m3 ws_e4m3_from(float x);
ws_e5m2 ws_e5m2_from(float x);
float ws_f16_to(ws_f16 x);
float ws_bf16_to(ws_bf16 x);
float ws_e4m3_to(ws_e4m3 x);
float ws_e5m2_to(ws_e5m2 x);

/* ---- around the kernels ------------------------------------------------------------------------------------------ */

typedef enum {
    WS_OK = 0,
    WS_ERR_ARGUMENT,    /* a null or misaligned base, an extent, stride or coordinate out of bounds */
    WS_ERR_TYPE,        /* element types or shapes that do not fit each other */
    WS_ERR_OVERLAP,     /* a stored tensor overlaps another in a way that has no order */
    WS_ERR_MEMORY,      /* out of memory, here or on the device */
    WS_ERR_DEVICE,      /* no device, or not one that this kernel was compiled for */
    WS_ERR_LAUNCH,      /* the device refused or failed the launch */
    WS_ERR_UNSUPPORTED, /* valid, but not on this target */
    WS_ERR_PROTOCOL     /* emulation: roles that wait for each other, or a slot used out of turn */
} ws_status;

void *ws_alloc(size_t bytes); /* device memory where kernels run on a device; NULL and an error when none is left */
/* Memory of one of several devices: `#pragma ws devices(n)`.  */
void *ws_alloc_on(int device, size_t bytes);
int ws_devices(void); /* how many there are; a program may use more numbers than that */
/* Processes of one machine, started by mpirun, torchrun or srun, or by hand with WS_TEAM=NAME:RANK:SIZE: each carries
   out the iteration of its rank of loops over devices.  One process alone is a team that has all devices.  */
typedef struct ws_team ws_team;
ws_team *ws_team_open(const char *name); /* NULL and an error; name: NULL, or of several teams of a job */
int ws_team_rank(const ws_team *team);
int ws_team_size(const ws_team *team);                            /* iterations that a loop over devices has */
int ws_team_has(const ws_team *team, int member);                 /* is that iteration this process's? */
ws_status ws_team_alloc(ws_team *team, size_t bytes, void *to[]); /* of each member; all call it */
ws_status ws_team_wait(ws_team *team); /* until all have come here, and what they launched has ended */
void ws_team_close(ws_team *team);
void ws_free(void *p);
ws_status ws_copy(void *to, const void *from, size_t bytes); /* either side host or device */
ws_status ws_sync(void);                                     /* wait for this thread's stream */
/* This thread's first error since the last call, which it clears.  What nobody reads is a line on standard error by the
   end of the program, whose status is then 3, not 0; the environment's WS_ERRORS=abort|print|quiet says otherwise.  */
ws_status ws_last_error(void);
const char *ws_error_message(void);    /* its message; valid until this thread's next error */
void ws_or_die(ws_status s);           /* unless s is WS_OK: print the message and exit(1) */
void ws_set_stream(void *cuda_stream); /* for this thread */
void ws_set_log(void (*line)(const char *text, void *user), void *user); /* for the process; NULL: silent */

#ifdef __cplusplus
}
/* No kernel does without these two.  */
#    if (defined __clang__ || __GNUC__ >= 12) && !defined __CUDACC__
#        define WS_C_ONLY_ \
            __attribute__((unavailable("kernels are C: move this function to a .c file, and call it from here")))
typedef const struct ws_tile_only_in_c_ *ws_tile WS_C_ONLY_;
typedef const struct ws_tensor_only_in_c_ *ws_tensor WS_C_ONLY_;
#    endif
#else

/* ---- details of the C side --------------------------------------------------------------------------------------- */

#    ifndef __has_attribute
#        define __has_attribute(x) 0
#    endif
#    ifndef __GNUC__
#        error "<ws.h> needs a compiler with GNU C's statement expressions, as gcc and clang are"
#    endif

/* Without the plugin the pragma means nothing and is no mistake.  With it, unknown pragmas stay reported.  */
#    if !__has_attribute(ws_plugin)
#        pragma GCC diagnostic ignored "-Wunknown-pragmas"
#    endif

#    if __has_attribute(error)
#        define WS_BAD_(text) __attribute__((error(text)))
#    else
#        define WS_BAD_(text)
#    endif
#    define WS_USE_ __attribute__((warn_unused_result))

typedef const struct ws_tile_ *ws_tile;
typedef const struct ws_tensor_ *ws_tensor;

/* These take what they are about, whatever it is: with () where that says so, which ended with C23.  */
#    if __STDC_VERSION__ > 201710L && (defined __clang__ ? __clang_major__ >= 15 : __GNUC__ >= 13)
#        define WS_ANY_ ...
#    else
#        define WS_ANY_
#    endif
ws_tile ws_bad_operand_tensor_(WS_ANY_) WS_BAD_("a ws_tensor is memory: read a tile from it with ws_load");
ws_tile ws_bad_operand_storage_(WS_ANY_)
    WS_BAD_("a stored number is not a C number: convert it with ws_f16_to and its like");
ws_tile ws_bad_operand_pointer_(WS_ANY_) WS_BAD_("a pointer is not an operand: make a ws_tensor of it and use ws_load");
ws_tile ws_bad_operand_(WS_ANY_) WS_BAD_("an operand is a ws_tile or a number");
ws_dtype ws_bad_dtype_(void) WS_BAD_("this is not an element type: WS_F32, WS_F64, WS_F16, WS_BF16, WS_E4M3, WS_E5M2, "
                                     "WS_I8, WS_I32, WS_U8, WS_I16 or WS_I64");
ws_dtype ws_bad_base_(void) WS_BAD_("the element type is not that of the base pointer");

/* What ws_operand_ finds by its variable's name where the operand is wrong and GCC declares none: no second error.  */
ws_tile ws_v_(void);

ws_tile ws_scalar_i_(long x);
ws_tile ws_scalar_f_(double x);
static inline __attribute__((always_inline, unused)) ws_tile ws_scalar_u_(unsigned long long x)
{
    return ws_scalar_i_((long)x);
}

/* clang-format off */
#define WS_INTEGERS_(x)                                                                                                \
    _Bool: x, char: x, signed char: x, unsigned char: x, short: x, unsigned short: x, int: x, unsigned: x, long: x,    \
    long long: x
#define WS_UNSIGNED_(x) unsigned long: x, unsigned long long: x
#define WS_FLOATS_(x) float: x, double: x, long double: x
/* The operand is named once, so that nested calls do not multiply the text: a tile, or the call of what its type
   picks. */
#define ws_operand_(x)                                                                                                 \
    __extension__({                                                                                                    \
        __auto_type ws_v_ = (x);                                                                                       \
        _Generic(ws_v_,                                                                                                \
            ws_tile: ws_v_,                                                                                            \
            default: _Generic(ws_v_,                                                                                   \
                WS_INTEGERS_(ws_scalar_i_), WS_UNSIGNED_(ws_scalar_u_), WS_FLOATS_(ws_scalar_f_),                      \
                ws_tensor: ws_bad_operand_tensor_,                                                                     \
                ws_f16: ws_bad_operand_storage_, ws_bf16: ws_bad_operand_storage_,                                     \
                ws_e4m3: ws_bad_operand_storage_, ws_e5m2: ws_bad_operand_storage_,                                    \
                void *: ws_bad_operand_pointer_, const void *: ws_bad_operand_pointer_,                                \
                float *: ws_bad_operand_pointer_, const float *: ws_bad_operand_pointer_,                              \
                ws_f16 *: ws_bad_operand_pointer_, const ws_f16 *: ws_bad_operand_pointer_,                            \
                default: ws_bad_operand_)(ws_v_));                                                                     \
    })

/* Literal element types are checked here, against their range and against the base pointer's type.  */
#define ws_literal_(t) _Generic((8 ? ((void *)((long)(t)*0L)) : (int *)8), int *: 1, void *: 0)
#define ws_known_(t, otherwise) __builtin_choose_expr(ws_literal_(t), (t), otherwise)
#define ws_dtype_(t)                                                                                                   \
    __builtin_choose_expr((unsigned long)((long)ws_known_(t, WS_F32) - WS_F32) <= WS_I64 - WS_F32, (t), ws_bad_dtype_())
#define ws_base_dtype_(base, otherwise)                                                                                \
    _Generic((base),                                                                                                   \
        float *: WS_F32, const float *: WS_F32, double *: WS_F64, const double *: WS_F64,                              \
        ws_f16 *: WS_F16, const ws_f16 *: WS_F16, ws_bf16 *: WS_BF16, const ws_bf16 *: WS_BF16,                        \
        ws_e4m3 *: WS_E4M3, const ws_e4m3 *: WS_E4M3, ws_e5m2 *: WS_E5M2, const ws_e5m2 *: WS_E5M2,                    \
        signed char *: WS_I8, const signed char *: WS_I8, int *: WS_I32, const int *: WS_I32,            \
        short *: WS_I16, const short *: WS_I16, long *: WS_I64, const long *: WS_I64,                                  \
        long long *: WS_I64, const long long *: WS_I64, default: (otherwise))
#define ws_base_check_(base, t)                                                                                        \
    __builtin_choose_expr(!((long)ws_known_(t, 0) - (long)ws_base_dtype_(base, ws_known_(t, 0))) || !ws_literal_(t),   \
                          __builtin_choose_expr(ws_known_(t, 0) == WS_I8 && ws_unsigned_(base), WS_I8_OF_UNSIGNED_,    \
                                                ws_dtype_(t)),                                                         \
                          ws_bad_base_())
/* The same type, of which the compiler warns.  */
#define WS_I8_OF_UNSIGNED_ ((ws_dtype)(WS_I8 + 0x100))
#define ws_unsigned_(base) _Generic((base), unsigned char *: 1, const unsigned char *: 1, default: 0)
/* clang-format on */

/* ---- tensors: views of memory ------------------------------------------------------------------------------------ */

/* Element types of extents and strides; the innermost stride is 1.  Rows and columns are the last two dimensions.  */
ws_tensor ws_tensor_1d(const void *base, ws_dtype t, long n) WS_USE_;
ws_tensor ws_tensor_2d(const void *base, ws_dtype t, long rows, long cols) WS_USE_;
ws_tensor ws_tensor_3d(const void *base, ws_dtype t, long d0, long rows, long cols) WS_USE_;
ws_tensor ws_tensor_4d(const void *base, ws_dtype t, long d0, long d1, long rows, long cols) WS_USE_;
ws_tensor ws_tensor_2d_ld(const void *base, ws_dtype t, long rows, long cols, long ld) WS_USE_;
ws_tensor ws_tensor_make_(const void *base, ws_dtype t, int rank, long e0, long e1, long e2, long e3, long s0, long s1,
                          long s2, long s3) WS_USE_;

/* A literal rank takes one of the inline functions, so that the extents and strides are plain scalars in the caller. */
ws_tensor ws_tensor_strided(const void *base, ws_dtype t, int rank, const long *extents, const long *strides) WS_USE_;
#    define WS_INLINE_                      static inline WS_USE_ __attribute__((always_inline, unused)) ws_tensor
WS_INLINE_ ws_strided_1_(const void *base, ws_dtype t, int rank, const long *e, const long *s)
{
    return ws_tensor_make_(base, t, rank, e[0], 0, 0, 0, s[0], 0, 0, 0);
}
WS_INLINE_ ws_strided_2_(const void *base, ws_dtype t, int rank, const long *e, const long *s)
{
    return ws_tensor_make_(base, t, rank, e[0], e[1], 0, 0, s[0], s[1], 0, 0);
}
WS_INLINE_ ws_strided_3_(const void *base, ws_dtype t, int rank, const long *e, const long *s)
{
    return ws_tensor_make_(base, t, rank, e[0], e[1], e[2], 0, s[0], s[1], s[2], 0);
}
WS_INLINE_ ws_strided_4_(const void *base, ws_dtype t, int rank, const long *e, const long *s)
{
    return ws_tensor_make_(base, t, rank, e[0], e[1], e[2], e[3], s[0], s[1], s[2], s[3]);
}
#    define ws_by_rank_(rank, n, otherwise) __builtin_choose_expr(ws_known_(rank, 0) == n, ws_strided_##n##_, otherwise)

#    define ws_tensor_1d(base, t, n)                  ws_tensor_1d(base, ws_base_check_(base, t), n)
#    define ws_tensor_2d(base, t, rows, cols)         ws_tensor_2d(base, ws_base_check_(base, t), rows, cols)
#    define ws_tensor_3d(base, t, d0, rows, cols)     ws_tensor_3d(base, ws_base_check_(base, t), d0, rows, cols)
#    define ws_tensor_4d(base, t, d0, d1, rows, cols) ws_tensor_4d(base, ws_base_check_(base, t), d0, d1, rows, cols)
#    define ws_tensor_2d_ld(base, t, rows, cols, ld)  ws_tensor_2d_ld(base, ws_base_check_(base, t), rows, cols, ld)
#    define ws_tensor_strided(base, t, rank, ...)     /* extents, strides: compound literals hold commas */        \
        ws_by_rank_(rank, 1, ws_by_rank_(rank, 2, ws_by_rank_(rank, 3, ws_by_rank_(rank, 4, ws_tensor_strided))))( \
            base, ws_base_check_(base, t), rank, __VA_ARGS__)

/* The part of a tensor between begin and end along one dimension; coordinates count from begin, and what lies outside
   the part reads as 0 and is not written.  */
ws_tensor ws_slice(ws_tensor t, int dim, long begin, long end) WS_USE_;
/* A matrix whose rows span the leading dimensions of a tensor: ws_box_4d(x, b, h, v, 2, 8, 16) has 256 rows, of which
   row (i * 8 + j) * 16 + k is x[b + i][h + j][v + k]; its columns are the tensor's.  What lies outside the tensor reads
   as 0 and is not written.  A tile has all its rows: ws_load(box, 0, c, 256, 64), ws_store(box, 0, f, y).  */
ws_tensor ws_box_3d(ws_tensor t, long d0, long row, int n0, int rows) WS_USE_;
ws_tensor ws_box_4d(ws_tensor t, long d0, long d1, long row, int n0, int n1, int rows) WS_USE_;
long ws_at(ws_tensor t1, long i) WS_USE_;
double ws_at_float(ws_tensor t1, long i) WS_USE_;

/* ---- tiles from memory and back ---------------------------------------------------------------------------------- */

/* Coordinates are those of the tile's first element and may be anything: elements outside the tensor read as 0, or as
   `fill`, and are not written.  */
ws_tile ws_load(ws_tensor t, long row, long col, int rows, int cols) WS_USE_;
ws_tile ws_load_3d(ws_tensor t, long d0, long row, long col, int rows, int cols) WS_USE_;
ws_tile ws_load_4d(ws_tensor t, long d0, long d1, long row, long col, int rows, int cols) WS_USE_;
ws_tile ws_load_or(ws_tensor t, long row, long col, int rows, int cols, double fill) WS_USE_;
ws_tile ws_load_or_3d(ws_tensor t, long d0, long row, long col, int rows, int cols, double fill) WS_USE_;
ws_tile ws_load_or_4d(ws_tensor t, long d0, long d1, long row, long col, int rows, int cols, double fill) WS_USE_;
ws_tile ws_load_row(ws_tensor t1, long col, int cols) WS_USE_;
ws_tile ws_load_col(ws_tensor t1, long row, int rows) WS_USE_;
ws_tile ws_load_at(ws_tensor t1, ws_tile index) WS_USE_;
ws_tile ws_load_row_2d(ws_tensor t2, long d0, long col, int cols) WS_USE_;
ws_tile ws_load_col_2d(ws_tensor t2, long d0, long row, int rows) WS_USE_;
void ws_store(ws_tensor t, long row, long col, ws_tile v);
void ws_store_3d(ws_tensor t, long d0, long row, long col, ws_tile v);
void ws_store_4d(ws_tensor t, long d0, long d1, long row, long col, ws_tile v);
void ws_store_row(ws_tensor t1, long col, ws_tile v);
void ws_store_col(ws_tensor t1, long row, ws_tile v);
void ws_store_row_2d(ws_tensor t2, long d0, long col, ws_tile v);
void ws_store_col_2d(ws_tensor t2, long d0, long row, ws_tile v);
void ws_atomic_add(ws_tensor t, long row, long col, ws_tile v);
void ws_atomic_add_3d(ws_tensor t, long d0, long row, long col, ws_tile v);
void ws_atomic_add_4d(ws_tensor t, long d0, long d1, long row, long col, ws_tile v);

/* Each element of v to that of its index, an I32; those outside are left out. ws_store_at: no index twice.  */
void ws_store_at(ws_tensor t1, ws_tile index, ws_tile v);
void ws_atomic_add_at(ws_tensor t1, ws_tile index, ws_tile v);

/* A tile of a box: so many of each dimension but the last, and columns.  */
ws_tile ws_load_box_3d(ws_tensor t, long d0, long row, long col, int n0, int rows, int cols) WS_USE_;
ws_tile ws_load_box_4d(ws_tensor t, long d0, long d1, long row, long col, int n0, int n1, int rows, int cols) WS_USE_;
void ws_store_box_3d(ws_tensor t, long d0, long row, long col, int n0, int rows, ws_tile v);
void ws_store_box_4d(ws_tensor t, long d0, long d1, long row, long col, int n0, int n1, int rows, ws_tile v);
#    define ws_load_box_3d(t, d0, row, col, n0, rows, cols) \
        ws_load(ws_box_3d(t, d0, row, n0, rows), 0, col, (n0) * (rows), cols)
#    define ws_load_box_4d(t, d0, d1, row, col, n0, n1, rows, cols) \
        ws_load(ws_box_4d(t, d0, d1, row, n0, n1, rows), 0, col, (n0) * (n1) * (rows), cols)
#    define ws_store_box_3d(t, d0, row, col, n0, rows, v) ws_store(ws_box_3d(t, d0, row, n0, rows), 0, col, v)
#    define ws_store_box_4d(t, d0, d1, row, col, n0, n1, rows, v) \
        ws_store(ws_box_4d(t, d0, d1, row, n0, n1, rows), 0, col, v)

/* ---- tiles from tiles -------------------------------------------------------------------------------------------- */

ws_tile ws_zeros(ws_dtype t, int rows, int cols) WS_USE_;
ws_tile ws_full(ws_dtype t, int rows, int cols, double v) WS_USE_;
ws_tile ws_row_index(int rows, int cols) WS_USE_;
ws_tile ws_col_index(int rows, int cols) WS_USE_;
ws_tile ws_dot(ws_tile a, ws_tile b, ws_tile acc) WS_USE_;
ws_tile ws_dot_f32(ws_tile a, ws_tile b, ws_tile acc) WS_USE_;
ws_tile ws_trans(ws_tile t) WS_USE_;
ws_tile ws_cast(ws_tile t, ws_dtype to) WS_USE_;
ws_tile ws_bitcast(ws_tile t, ws_dtype to) WS_USE_;
#    define ws_zeros(t, rows, cols)           ws_zeros(ws_dtype_(t), rows, cols)
#    define ws_full(t, rows, cols, v)         ws_full(ws_dtype_(t), rows, cols, v)
#    define ws_cast(v, to)                    ws_cast(v, ws_dtype_(to))
#    define ws_bitcast(v, to)                 ws_bitcast(v, ws_dtype_(to))

ws_tile ws_add_(ws_tile x, ws_tile y) WS_USE_;
ws_tile ws_sub_(ws_tile x, ws_tile y) WS_USE_;
ws_tile ws_mul_(ws_tile x, ws_tile y) WS_USE_;
ws_tile ws_div_(ws_tile x, ws_tile y) WS_USE_;
ws_tile ws_max_(ws_tile x, ws_tile y) WS_USE_;
ws_tile ws_min_(ws_tile x, ws_tile y) WS_USE_;
ws_tile ws_pow_(ws_tile x, ws_tile y) WS_USE_;
ws_tile ws_fmod_(ws_tile x, ws_tile y) WS_USE_;
ws_tile ws_hypot_(ws_tile x, ws_tile y) WS_USE_;
ws_tile ws_atan2_(ws_tile y, ws_tile x) WS_USE_;
ws_tile ws_copysign_(ws_tile x, ws_tile y) WS_USE_;
ws_tile ws_fdim_(ws_tile x, ws_tile y) WS_USE_;
ws_tile ws_remainder_(ws_tile x, ws_tile y) WS_USE_;
ws_tile ws_bit_and_(ws_tile x, ws_tile y) WS_USE_;
ws_tile ws_bit_or_(ws_tile x, ws_tile y) WS_USE_;
ws_tile ws_bit_xor_(ws_tile x, ws_tile y) WS_USE_;
ws_tile ws_shl_(ws_tile x, ws_tile y) WS_USE_;
ws_tile ws_shr_(ws_tile x, ws_tile y) WS_USE_;
ws_tile ws_ushr_(ws_tile x, ws_tile y) WS_USE_;
ws_tile ws_lt_(ws_tile x, ws_tile y) WS_USE_;
ws_tile ws_le_(ws_tile x, ws_tile y) WS_USE_;
ws_tile ws_gt_(ws_tile x, ws_tile y) WS_USE_;
ws_tile ws_ge_(ws_tile x, ws_tile y) WS_USE_;
ws_tile ws_eq_(ws_tile x, ws_tile y) WS_USE_;
ws_tile ws_ne_(ws_tile x, ws_tile y) WS_USE_;
ws_tile ws_select_(ws_tile mask, ws_tile x, ws_tile y) WS_USE_;
ws_tile ws_fma_(ws_tile x, ws_tile y, ws_tile z) WS_USE_;
#    define ws_add(x, y)                      ws_add_(ws_operand_(x), ws_operand_(y))
#    define ws_sub(x, y)                      ws_sub_(ws_operand_(x), ws_operand_(y))
#    define ws_mul(x, y)                      ws_mul_(ws_operand_(x), ws_operand_(y))
#    define ws_div(x, y)                      ws_div_(ws_operand_(x), ws_operand_(y))
#    define ws_max(x, y)                      ws_max_(ws_operand_(x), ws_operand_(y))
#    define ws_min(x, y)                      ws_min_(ws_operand_(x), ws_operand_(y))
#    define ws_pow(x, y)                      ws_pow_(ws_operand_(x), ws_operand_(y))
#    define ws_fmod(x, y)                     ws_fmod_(ws_operand_(x), ws_operand_(y))
#    define ws_hypot(x, y)                    ws_hypot_(ws_operand_(x), ws_operand_(y))
#    define ws_copysign(x, y)                 ws_copysign_(ws_operand_(x), ws_operand_(y))
#    define ws_fdim(x, y)                     ws_fdim_(ws_operand_(x), ws_operand_(y))
#    define ws_remainder(x, y)                ws_remainder_(ws_operand_(x), ws_operand_(y))
#    define ws_bit_and(x, y)                  ws_bit_and_(ws_operand_(x), ws_operand_(y))
#    define ws_bit_or(x, y)                   ws_bit_or_(ws_operand_(x), ws_operand_(y))
#    define ws_bit_xor(x, y)                  ws_bit_xor_(ws_operand_(x), ws_operand_(y))
#    define ws_shl(x, y)                      ws_shl_(ws_operand_(x), ws_operand_(y))
#    define ws_shr(x, y)                      ws_shr_(ws_operand_(x), ws_operand_(y))
#    define ws_ushr(x, y)                     ws_ushr_(ws_operand_(x), ws_operand_(y))
#    define ws_atan2(y, x)                    ws_atan2_(ws_operand_(y), ws_operand_(x))
#    define ws_lt(x, y)                       ws_lt_(ws_operand_(x), ws_operand_(y))
#    define ws_le(x, y)                       ws_le_(ws_operand_(x), ws_operand_(y))
#    define ws_gt(x, y)                       ws_gt_(ws_operand_(x), ws_operand_(y))
#    define ws_ge(x, y)                       ws_ge_(ws_operand_(x), ws_operand_(y))
#    define ws_eq(x, y)                       ws_eq_(ws_operand_(x), ws_operand_(y))
#    define ws_ne(x, y)                       ws_ne_(ws_operand_(x), ws_operand_(y))
#    define ws_select(mask, x, y)             ws_select_((mask), ws_operand_(x), ws_operand_(y))
#    define ws_fma(x, y, z)                   ws_fma_(ws_operand_(x), ws_operand_(y), ws_operand_(z))

ws_tile ws_and(ws_tile x, ws_tile y) WS_USE_;
ws_tile ws_or(ws_tile x, ws_tile y) WS_USE_;
ws_tile ws_not(ws_tile x) WS_USE_;
ws_tile ws_neg(ws_tile x) WS_USE_;
ws_tile ws_abs(ws_tile x) WS_USE_;
ws_tile ws_rint(ws_tile x) WS_USE_;
ws_tile ws_floor(ws_tile x) WS_USE_;
ws_tile ws_exp(ws_tile x) WS_USE_;
ws_tile ws_exp2(ws_tile x) WS_USE_;
ws_tile ws_log(ws_tile x) WS_USE_;
ws_tile ws_log2(ws_tile x) WS_USE_;
ws_tile ws_sqrt(ws_tile x) WS_USE_;
ws_tile ws_rsqrt(ws_tile x) WS_USE_;
ws_tile ws_sin(ws_tile x) WS_USE_;
ws_tile ws_cos(ws_tile x) WS_USE_;
ws_tile ws_tanh(ws_tile x) WS_USE_;
ws_tile ws_erf(ws_tile x) WS_USE_;
ws_tile ws_sigmoid(ws_tile x) WS_USE_;
ws_tile ws_tan(ws_tile x) WS_USE_;
ws_tile ws_cbrt(ws_tile x) WS_USE_;
ws_tile ws_log1p(ws_tile x) WS_USE_;
ws_tile ws_expm1(ws_tile x) WS_USE_;
ws_tile ws_sinh(ws_tile x) WS_USE_;
ws_tile ws_cosh(ws_tile x) WS_USE_;
ws_tile ws_ceil(ws_tile x) WS_USE_;
ws_tile ws_trunc(ws_tile x) WS_USE_;
ws_tile ws_round(ws_tile x) WS_USE_;
ws_tile ws_log10(ws_tile x) WS_USE_;
ws_tile ws_asin(ws_tile x) WS_USE_;
ws_tile ws_acos(ws_tile x) WS_USE_;
ws_tile ws_atan(ws_tile x) WS_USE_;
ws_tile ws_asinh(ws_tile x) WS_USE_;
ws_tile ws_acosh(ws_tile x) WS_USE_;
ws_tile ws_atanh(ws_tile x) WS_USE_;
ws_tile ws_erfc(ws_tile x) WS_USE_;
ws_tile ws_tgamma(ws_tile x) WS_USE_;
ws_tile ws_lgamma(ws_tile x) WS_USE_;

ws_tile ws_row_sum(ws_tile x) WS_USE_;
ws_tile ws_row_max(ws_tile x) WS_USE_;
ws_tile ws_row_min(ws_tile x) WS_USE_;
ws_tile ws_col_sum(ws_tile x) WS_USE_;
ws_tile ws_col_max(ws_tile x) WS_USE_;
ws_tile ws_col_min(ws_tile x) WS_USE_;
ws_tile ws_row_argmax(ws_tile x) WS_USE_;
ws_tile ws_row_cumsum(ws_tile x) WS_USE_;
ws_tile ws_col_cumsum(ws_tile x) WS_USE_;

/* ---- queues ------------------------------------------------------------------------------------------------------ */

/* Between blocks of a grid: each get has the tiles of the next put.  Where roles put and get, as many puts as `slots`
   may be ahead.  */
typedef ws_tile ws_ring;
ws_ring ws_ring_new(int slots) WS_USE_;
void ws_put(ws_ring r, ws_tile v, ...);  /* one to four tiles: macros, as the next; */
void ws_get(ws_ring r, ws_tile *v, ...); /* ws_get(r, &a, &b) */
void ws_ring_put_(ws_ring r, ws_tile v);
ws_tile ws_ring_get_(ws_ring r) WS_USE_;
#    define ws_fourth_(a, b, c, d, name, ...) name
#    define ws_of_tiles_(name, ...)           ws_fourth_(__VA_ARGS__, name##4_, name##3_, name##2_, name##1_, 0)
#    define ws_put(r, ...)                    ws_of_tiles_(ws_put_, __VA_ARGS__)(r, __VA_ARGS__)
#    define ws_get(r, ...)                    ws_of_tiles_(ws_get_, __VA_ARGS__)(r, __VA_ARGS__)
#    define ws_put_1_(r, a)                   ws_ring_put_(r, a)
#    define ws_put_2_(r, a, b)                (ws_put_1_(r, a), ws_put_1_(r, b))
#    define ws_put_3_(r, a, b, c)             (ws_put_2_(r, a, b), ws_put_1_(r, c))
#    define ws_put_4_(r, a, b, c, d)          (ws_put_3_(r, a, b, c), ws_put_1_(r, d))
#    define ws_get_1_(r, a)                   ((void)(*(a) = ws_ring_get_(r)))
#    define ws_get_2_(r, a, b)                (ws_get_1_(r, a), ws_get_1_(r, b))
#    define ws_get_3_(r, a, b, c)             (ws_get_2_(r, a, b), ws_get_1_(r, c))
#    define ws_get_4_(r, a, b, c, d)          (ws_get_3_(r, a, b, c), ws_get_1_(r, d))

/* ---- constants left open ----------------------------------------------------------------------------------------- */

/* const int BM = ws_choice(64, 128, 256): the first one; in a grid that wscc compiles for emulate or cuda any of them,
   for which there are kernels that launches choose among.  Of combinations, ws_choice_shape(ws_shape(128, 256, 64),
   ...) is one, and ws_shape_m, ws_shape_n and ws_shape_k are its numbers, from 0 to 1048575.  */
int ws_choice(int first, ...); /* macros, as the next */
long ws_choice_shape(long first, ...);
long ws_shape(int m, int n, int k);
int ws_shape_m(long shape);
int ws_shape_n(long shape);
int ws_shape_k(long shape);
#    define ws_shape(m, n, k)                 ((long)(m) | (long)(n) << 20 | (long)(k) << 40)
#    define ws_shape_m(shape)                 ((int)((shape)&0xfffff))
#    define ws_shape_n(shape)                 ((int)((shape) >> 20 & 0xfffff))
#    define ws_shape_k(shape)                 ((int)((shape) >> 40 & 0xfffff))
#    ifdef WS_CHOICES_ /* wscc's own front ends */
int ws_choice_(int first, ...) __attribute__((const, nothrow));
long ws_choice_shape_(long first, ...) __attribute__((const, nothrow));
#        define ws_choice(...)       ws_choice_(__VA_ARGS__)
#        define ws_choice_shape(...) ws_choice_shape_(__VA_ARGS__)
#    else
#        define ws_first_(first, ...) (first)
#        define ws_choice(...)        ws_first_(__VA_ARGS__, 0)
#        define ws_choice_shape(...)  ws_first_(__VA_ARGS__, 0)
#    endif

void ws_print(const char *name, ws_tile v);
void ws_print_at_(const char *format, ws_tile v, ...); /* what wscc makes of it in a grid: a long for each %ld */

/* ws_print_value("x", x): a line for each iteration that comes to it, of a number of any type.  */
void ws_print_value(const char *name, double x); /* a macro, as the next */
void ws_print_value_i_(const char *name, long x);
void ws_print_value_u_(const char *name, unsigned long x);
void ws_print_value_f_(const char *name, float x);
void ws_print_value_d_(const char *name, double x);
void ws_print_value_at_(const char *format, ...); /* what wscc makes of it in a grid: counters, and the number */
void ws_print_begin_(const char *kernel);         /* ... in front of the grid: lines are counted */
#    define WS_REALS_(f, d) float : f, double : d, long double : d
#    define ws_print_value(name, x)                                                     \
        _Generic((x), WS_INTEGERS_(ws_print_value_i_), WS_UNSIGNED_(ws_print_value_u_), \
                 WS_REALS_(ws_print_value_f_, ws_print_value_d_))(name, x)

#endif
#endif
