/* Tensor maps for cp.async.bulk.tensor: tiles and im2col. Their contents are defined by exec (exec/memory/tensor_map.h).
 *
 * Refused: im2col of width, packed types, swizzles with wider atoms. */
#include "cuda/state.h"
#include "exec/memory/tensor_map.h"

#include <string.h>

_Static_assert((int)CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 == (int)EXEC_TENSOR_BF16 &&
                   (int)CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ == (int)EXEC_TENSOR_TF32_FTZ,
               "types are passed on as they are");

static uint32_t element_bytes(CUtensorMapDataType t) {
  static const uint8_t bytes[EXEC_TENSOR_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  return (unsigned)t < sizeof bytes ? bytes[t] : 0;
}

/* A row is no wider than the pattern of its swizzle. */
static bool row_fits(uint32_t row, CUtensorMapSwizzle swizzle) {
  return row % 16 == 0 && (swizzle == CU_TENSOR_MAP_SWIZZLE_NONE || row <= 16u << swizzle);
}

/* The lengths of dimension i. */
static bool fill_dimension(struct exec_tensor_map *m, unsigned i, const cuuint64_t *dims, const cuuint64_t *strides,
                           const cuuint32_t *steps) {
  if (!dims[i] || dims[i] > UINT64_C(1) << 32) return false;
  m->last[i] = (uint32_t)(dims[i] - 1);
  m->steps[i] = 1;
  if (!i && !m->interleave) return true; /* all elements of the first dimension are copied */
  if (!steps[i] || steps[i] > 8) return false;
  m->steps[i] = (uint8_t)steps[i];
  if (!i) return true;
  if (strides[i - 1] % (m->interleave ? m->interleave : 16) || strides[i - 1] >> 40) return false;
  m->strides[i] = strides[i - 1];
  return true;
}

static bool fill_box(struct exec_tensor_map *m, const cuuint32_t *box) {
  for (unsigned i = 0; i < m->rank; i++) {
    if (!box[i] || box[i] > 256) return false;
    m->box[i] = (uint16_t)((box[i] + m->steps[i] - 1) / m->steps[i]);
  }
  return true;
}

static bool is_known(CUtensorMapDataType type, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle) {
  return element_bytes(type) && interleave <= CU_TENSOR_MAP_INTERLEAVE_32B && swizzle <= CU_TENSOR_MAP_SWIZZLE_128B;
}

/* The fields that both kinds have. */
static CUresult begin(struct exec_tensor_map *m, CUtensorMapDataType type, cuuint32_t rank, void *address, const cuuint64_t *dims,
                      const cuuint64_t *strides, const cuuint32_t *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                      CUtensorMapFloatOOBfill fill) {
  *m = (struct exec_tensor_map){.address = (uint64_t)(uintptr_t)address, .mark = EXEC_TENSOR_MAP_MARK, .rank = (uint8_t)rank};
  if (!is_known(type, interleave, swizzle)) return CUDA_ERROR_NOT_SUPPORTED;
  m->type = (uint8_t)type;
  m->nan_fill = fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
  if (m->address % 16 || (m->nan_fill && type < CU_TENSOR_MAP_DATA_TYPE_FLOAT16)) return CUDA_ERROR_INVALID_VALUE;
  m->interleave = (uint8_t)(interleave ? 8u << interleave : 0u);
  if (m->interleave && (rank < 3 || m->address % m->interleave)) return CUDA_ERROR_INVALID_VALUE;
  m->strides[0] = element_bytes(type);
  m->swizzle = (uint8_t)((1u << swizzle) - 1);
  for (unsigned i = 0; i < rank; i++)
    if (!fill_dimension(m, i, dims, strides, steps)) return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

static CUresult finish(CUtensorMap *out, const struct exec_tensor_map *m, CUtensorMapSwizzle swizzle) {
  uint32_t row = m->box[0] * (uint32_t)m->strides[0];
  if (!row_fits(row, m->interleave ? CU_TENSOR_MAP_SWIZZLE_NONE : swizzle)) return CUDA_ERROR_INVALID_VALUE;
  *out = (CUtensorMap){.opaque = {0}};
  memcpy(out->opaque, m, sizeof *m);
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuTensorMapEncodeTiled(CUtensorMap *out, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                            const cuuint64_t *dims, const cuuint64_t *strides, const cuuint32_t *box,
                                            const cuuint32_t *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                            CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  struct exec_tensor_map m;
  (void)promotion;
  if (!out || !rank || rank > EXEC_TENSOR_MAP_DIMS || !dims || !box || !steps || (rank > 1 && !strides)) return CUDA_ERROR_INVALID_VALUE;
  CHECK(begin(&m, type, rank, address, dims, strides, steps, interleave, swizzle, fill));
  if (!fill_box(&m, box)) return CUDA_ERROR_INVALID_VALUE;
  return finish(out, &m, swizzle);
}

/* A corner of the bounding box has as many bits per dimension as fit into one word. */
static bool fill_corners(struct exec_tensor_map *m, const int *lower, const int *upper) {
  static const int16_t most[] = {INT16_MAX, INT8_MAX, 15};
  for (unsigned i = 0; i + 2 < m->rank; i++) {
    int16_t limit = most[m->rank - 3];
    if (lower[i] < -limit - 1 || lower[i] > limit || upper[i] < -limit - 1 || upper[i] > limit) return false;
    m->lower[i] = (int16_t)lower[i];
    m->upper[i] = (int16_t)upper[i];
  }
  return true;
}

CUDA_EXPORT CUresult cuTensorMapEncodeIm2col(CUtensorMap *out, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                             const cuuint64_t *dims, const cuuint64_t *strides, const int *lower, const int *upper,
                                             cuuint32_t channels, cuuint32_t pixels, const cuuint32_t *steps,
                                             CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                             CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  struct exec_tensor_map m;
  (void)promotion;
  if (!out || rank < 3 || rank > EXEC_TENSOR_MAP_DIMS || !dims || !strides || !lower || !upper || !steps) return CUDA_ERROR_INVALID_VALUE;
  CHECK(begin(&m, type, rank, address, dims, strides, steps, interleave, swizzle, fill));
  if (!channels || channels > 256 || !pixels || pixels > 1024 || !fill_corners(&m, lower, upper)) return CUDA_ERROR_INVALID_VALUE;
  m.im2col = true;
  m.box[0] = (uint16_t)channels;
  m.box[1] = (uint16_t)pixels;
  return finish(out, &m, swizzle);
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
