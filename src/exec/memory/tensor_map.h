/* Tensor maps: what a CUtensorMap, opaque to programs, holds here. Made by the CUDA layer, read by cp.async.bulk.tensor. */
#ifndef EXEC_TENSOR_MAP_H
#define EXEC_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

enum { EXEC_TENSOR_MAP_BYTES = 128, EXEC_TENSOR_MAP_DIMS = 5, EXEC_TENSOR_MAP_MARK = 0x48544d31 };

struct exec_tensor_map {
  uint64_t address;                         /* of the tensor in device memory */
  uint64_t strides[EXEC_TENSOR_MAP_DIMS];   /* bytes from one element to the next, by dimension; the first is an element's size */
  uint32_t last[EXEC_TENSOR_MAP_DIMS];      /* the last coordinate that is in the tensor */
  uint32_t mark;                            /* EXEC_TENSOR_MAP_MARK */
  uint16_t box[EXEC_TENSOR_MAP_DIMS];       /* elements that are copied, by dimension */
  uint8_t steps[EXEC_TENSOR_MAP_DIMS];      /* every so many are taken; the box counts those that are copied */
  uint8_t rank;
  uint8_t swizzle;                          /* mask of the address bits 7 and up that are put upon bits 4 and up: 0, 1, 3 or 7 */
  bool nan_fill;                            /* elements outside the tensor are NaN, not zero */
};
_Static_assert(sizeof(struct exec_tensor_map) <= EXEC_TENSOR_MAP_BYTES, "a tensor map fits its opaque form");

#endif
