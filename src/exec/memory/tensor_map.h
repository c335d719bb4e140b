/* Tensor maps: the contents of a CUtensorMap, which is opaque to programs. Made by the CUDA layer, read by cp.async.bulk.tensor.
 *
 * A tile is a box of the tensor. With im2col a copy takes `box[1]` pixels and `box[0]` channels of each, beginning with the pixel at the
 * coordinates, in steps through a bounding box that begins at `lower` and ends `upper` after the tensor's last pixel: along the rows, then
 * to the next row and the next image. The dimensions are channels, those of a pixel, and images; of interleaved tensors those of a pixel,
 * channels by slices, and images. */
#ifndef EXEC_TENSOR_MAP_H
#define EXEC_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

enum { EXEC_TENSOR_MAP_BYTES = 128, EXEC_TENSOR_MAP_DIMS = 5, EXEC_TENSOR_MAP_MARK = 0x48544d31 };

/* As CUtensorMapDataType. Floats of the last two types are rounded when they are loaded; _FTZ: subnormals are zeros in reductions. */
enum exec_tensor_type {
  EXEC_TENSOR_U8, EXEC_TENSOR_U16, EXEC_TENSOR_U32, EXEC_TENSOR_S32, EXEC_TENSOR_U64, EXEC_TENSOR_S64, EXEC_TENSOR_F16, EXEC_TENSOR_F32,
  EXEC_TENSOR_F64, EXEC_TENSOR_BF16, EXEC_TENSOR_F32_FTZ, EXEC_TENSOR_TF32, EXEC_TENSOR_TF32_FTZ, EXEC_TENSOR_TYPES
};

struct exec_tensor_map {
  uint64_t address;                         /* of the tensor in device memory */
  uint64_t strides[EXEC_TENSOR_MAP_DIMS];   /* bytes from one element to the next, by dimension; the first is an element's size */
  uint32_t last[EXEC_TENSOR_MAP_DIMS];      /* the last coordinate that is in the tensor */
  uint32_t mark;                            /* EXEC_TENSOR_MAP_MARK */
  uint16_t box[EXEC_TENSOR_MAP_DIMS];       /* elements that are copied, by dimension */
  uint8_t steps[EXEC_TENSOR_MAP_DIMS];      /* step between the elements that are copied; the box counts the copied ones */
  uint8_t rank;
  uint8_t swizzle;                          /* mask of the address bits from bit 7 that are XORed into those from bit 4: 0, 1, 3 or 7 */
  bool nan_fill;                            /* elements outside the tensor are NaN, not zero */
  bool im2col;
  uint8_t interleave;                       /* bytes of a slice, 16 or 32, that the first dimension counts; 0: it counts elements */
  uint8_t type;                             /* enum exec_tensor_type */
  int16_t lower[EXEC_TENSOR_MAP_DIMS - 2], upper[EXEC_TENSOR_MAP_DIMS - 2];
};
_Static_assert(sizeof(struct exec_tensor_map) <= EXEC_TENSOR_MAP_BYTES, "a tensor map fits its opaque form");

#endif
