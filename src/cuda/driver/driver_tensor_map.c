/* Tensor maps for cp.async.bulk.tensor: tiles. What is in one is exec's (exec/memory/tensor_map.h).
 *
 * Refused: interleaved layouts, types that are changed on the way (flushed or rounded floats) or packed, swizzles with wider
 * atoms, and im2col. */
#include "cuda/state.h"
#include "exec/memory/tensor_map.h"

#include <string.h>

static uint32_t element_bytes(CUtensorMapDataType t) {
  static const uint8_t bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2};
  return (unsigned)t < sizeof bytes ? bytes[t] : 0;
}

static bool is_float(CUtensorMapDataType t) {
  return t == CU_TENSOR_MAP_DATA_TYPE_FLOAT16 || t == CU_TENSOR_MAP_DATA_TYPE_FLOAT32 || t == CU_TENSOR_MAP_DATA_TYPE_FLOAT64 ||
         t == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
}

/* A row is no wider than the pattern of its swizzle. */
static bool row_fits(uint32_t row, CUtensorMapSwizzle swizzle) {
  return row % 16 == 0 && (swizzle == CU_TENSOR_MAP_SWIZZLE_NONE || row <= 16u << swizzle);
}

/* The lengths of dimension i. */
static bool fill_dimension(struct exec_tensor_map *m, unsigned i, const cuuint64_t *dims, const cuuint64_t *strides, const cuuint32_t *box,
                           const cuuint32_t *steps) {
  if (!dims[i] || dims[i] > UINT64_C(1) << 32 || !box[i] || box[i] > 256) return false;
  m->last[i] = (uint32_t)(dims[i] - 1);
  m->box[i] = (uint16_t)box[i];
  if (!i) return true;
  if (strides[i - 1] % 16 || strides[i - 1] >> 40 || !steps[i] || steps[i] > 8) return false;
  m->strides[i] = strides[i - 1];
  m->steps[i] = (uint8_t)steps[i];
  m->box[i] = (uint16_t)((box[i] + steps[i] - 1) / steps[i]);
  return true;
}

static bool is_known(CUtensorMapDataType type, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle) {
  return element_bytes(type) && interleave == CU_TENSOR_MAP_INTERLEAVE_NONE && swizzle <= CU_TENSOR_MAP_SWIZZLE_128B;
}

CUDA_EXPORT CUresult cuTensorMapEncodeTiled(CUtensorMap *out, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                            const cuuint64_t *dims, const cuuint64_t *strides, const cuuint32_t *box,
                                            const cuuint32_t *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                            CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  struct exec_tensor_map m = {.address = (uint64_t)(uintptr_t)address, .mark = EXEC_TENSOR_MAP_MARK, .rank = (uint8_t)rank};
  (void)promotion;
  if (!out || !rank || rank > EXEC_TENSOR_MAP_DIMS || !dims || !box || !steps || (rank > 1 && !strides)) return CUDA_ERROR_INVALID_VALUE;
  if (!is_known(type, interleave, swizzle)) return CUDA_ERROR_NOT_SUPPORTED;
  m.nan_fill = fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
  if (m.address % 16 || (m.nan_fill && !is_float(type))) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < rank; i++)
    if (!fill_dimension(&m, i, dims, strides, box, steps)) return CUDA_ERROR_INVALID_VALUE;
  m.strides[0] = element_bytes(type);
  if (!row_fits(m.box[0] * element_bytes(type), swizzle)) return CUDA_ERROR_INVALID_VALUE;
  m.swizzle = (uint8_t)((1u << swizzle) - 1);
  *out = (CUtensorMap){.opaque = {0}};
  memcpy(out->opaque, &m, sizeof m);
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address) {
  struct exec_tensor_map m;
  if (!map || (uintptr_t)address % 16) return CUDA_ERROR_INVALID_VALUE;
  memcpy(&m, map->opaque, sizeof m);
  if (m.mark != EXEC_TENSOR_MAP_MARK) return CUDA_ERROR_INVALID_VALUE;
  m.address = (uint64_t)(uintptr_t)address;
  memcpy(map->opaque, &m, sizeof m);
  return CUDA_SUCCESS;
}
