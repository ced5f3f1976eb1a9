/* SPDX-License-Identifier: MIT */
/*
 * encode.cuh - tensor maps, made by the driver, of tensors that TMA can load.
 */
#ifndef WS_CUDA_ENCODE_CUH
#define WS_CUDA_ENCODE_CUH

#include "device.cuh"
#include "tensor.cuh"

namespace ws {
namespace host {

/* ---- the driver's function for tensor maps ----------------------------------------------------------------------- */

typedef CUresult (*encode_tiled)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                                 const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                                 CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
inline encode_tiled encoder;

inline encode_tiled find_encoder()
{
    if (!encoder) {
        void *function = nullptr;
        cudaDriverEntryPointQueryResult result;
        if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &result) !=
                cudaSuccess ||
            result != cudaDriverEntryPointSuccess)
            cudaGetLastError();
        else
            encoder = (encode_tiled)function;
    }
    return encoder;
}

/* ---- element types as the driver names them ---------------------------------------------------------------------- */

template <typename T> struct map_type;
template <> struct map_type<f16> {
    static constexpr CUtensorMapDataType value = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
};
template <> struct map_type<bf16> {
    static constexpr CUtensorMapDataType value = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
};
template <> struct map_type<e4m3> {
    static constexpr CUtensorMapDataType value = CU_TENSOR_MAP_DATA_TYPE_UINT8;
};
template <> struct map_type<e5m2> : map_type<e4m3> {
};
template <> struct map_type<signed char> : map_type<e4m3> {
};
template <> struct map_type<unsigned char> : map_type<e4m3> {
};
template <> struct map_type<short> {
    static constexpr CUtensorMapDataType value = CU_TENSOR_MAP_DATA_TYPE_UINT16;
};
template <> struct map_type<float> {
    static constexpr CUtensorMapDataType value = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
};
template <> struct map_type<tf32> { /* TMA rounds */
    static constexpr CUtensorMapDataType value = CU_TENSOR_MAP_DATA_TYPE_TFLOAT32;
};
template <> struct map_type<int> {
    static constexpr CUtensorMapDataType value = CU_TENSOR_MAP_DATA_TYPE_INT32;
};
template <> struct map_type<long> {
    static constexpr CUtensorMapDataType value = CU_TENSOR_MAP_DATA_TYPE_INT64;
};
template <> struct map_type<double> {
    static constexpr CUtensorMapDataType value = CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
};
template <typename T, int LINE> struct map_type<lined<T, LINE>> : map_type<T> {
};
template <typename IN, typename T> struct map_type_in {
    typedef IN type;
};
template <typename T> struct map_type_in<void, T> {
    typedef T type;
};

/* ---- boxes of a tensor ------------------------------------------------------------------------------------------- */

/* Boxes of the extents `of` in all dimensions but the last.  */
template <typename E, typename T, int N>
bool encode_box(CUtensorMap &to, const ws::tensor<T, N> &t, const int *of, int bytes)
{
    cuuint64_t extents[N], strides[N];
    cuuint32_t box[N], steps[N];
    for (int d = 0; d < N; d++) {
        int from = N - 1 - d;
        extents[d] = (cuuint64_t)t.high[from];
        box[d] = d ? (cuuint32_t)of[from] : (cuuint32_t)bytes / sizeof(T);
        steps[d] = 1;
        if (t.high[from] == 0 || box[d] > 256)
            return false;
        if (d == 0)
            continue;
        cuuint64_t bytes = (cuuint64_t)t.stride[from] * sizeof(T);
        if (t.high[from] == 1)
            bytes = (bytes + 15) / 16 * 16 + (bytes == 0 ? 16 : 0);
        if (bytes == 0 || bytes % 16 != 0 || bytes >= ((cuuint64_t)1 << 40))
            return false;
        strides[d - 1] = bytes;
    }
    if ((size_t)t.base % 16 != 0)
        return false;
    /* Rows that do not begin at L2's lines take two requests each, and a promotion to 256 bytes only costs.  */
    bool whole_lines = (size_t)t.base % 128 == 0 && (N < 2 || strides[0] % 128 == 0);
    host::encode_tiled encode_map = host::find_encoder();
    return encode_map &&
           encode_map(&to, host::map_type<E>::value, N, (void *)t.base, extents, strides, box, steps,
                      CU_TENSOR_MAP_INTERLEAVE_NONE,
                      bytes > 128    ? CU_TENSOR_MAP_SWIZZLE_NONE
                      : bytes == 128 ? CU_TENSOR_MAP_SWIZZLE_128B
                      : bytes == 64  ? CU_TENSOR_MAP_SWIZZLE_64B
                                     : CU_TENSOR_MAP_SWIZZLE_32B,
                      whole_lines ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B : CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

/* Boxes of `rows` rows and `bytes` bytes, swizzled within as many bytes; for a tensor in lines, `lines` lines of each
   row.  */
template <typename E, typename T, int N>
bool encode(CUtensorMap &to, const ws::tensor<T, N> &t, int rows, int bytes = line_bytes<E>, int lines = 0)
{
    int extents[N - 1];
    for (int d = 0; d < N - 1; d++)
        extents[d] = 1;
    extents[N - 2] = lines ? lines : rows;
    if (lines)
        extents[N > 2 ? N - 3 : 0] = rows;
    return encode_box<E>(to, t, extents, bytes);
}

/* The tensor with its rows as lines of 32 elements.  */
template <typename T, int N> ws::tensor<T, N + 1> in_lines(const ws::tensor<T, N> &t)
{
    ws::tensor<T, N + 1> lines = {t.base};
    for (int d = 0; d < N; d++) {
        lines.stride[d] = t.stride[d];
        lines.high[d] = t.high[d];
    }
    lines.stride[N - 1] = lines.high[N] = 32;
    lines.high[N - 1] = t.high[N - 1] / 32;
    lines.stride[N] = 1;
    return lines;
}

} // namespace host
} // namespace ws

#endif
