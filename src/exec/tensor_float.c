/* Products of tiles in f16, bf16, tf32 and the 8-bit floats, summed as the tensor cores of the H200 do.
 *
 * The ISA leaves the order and the precision of the sums open. On silicon, the products of a group of k and
 * the sum so far are added at once: each is exact, is cut (towards zero) at a fixed number of bits below the
 * largest exponent among them, and what is left is added as whole numbers. An exponent is that of the factors
 * added up: a product of two mantissas may lie in [1, 4). The sum of a group is cut to the precision of f32
 * (of 8-bit floats: less); an f16 result is rounded to nearest at the end. */
#include "exec/tensor.h"

#include <stdlib.h>

/* Numbers taken apart: value = (negative ? -1 : 1) * mantissa * 2^(exponent - fraction bits). */
struct parts {
  uint32_t mantissa[TENSOR_TILE];
  int16_t exponent[TENSOR_TILE];
  uint8_t negative[TENSOR_TILE];
  bool special[TENSOR_TILE]; /* infinity or NaN */
};

struct number_format {
  uint8_t exponent_bits, mantissa_bits, skip; /* skip: low bits that are not looked at */
  bool infinity;                              /* the largest exponent holds infinity and NaN */
};

struct rule {
  uint8_t group;    /* products added at once */
  uint8_t fraction; /* bits kept below the largest exponent */
  uint8_t keep;     /* mantissa bits of the sum of a group */
};

static struct number_format format_of(enum ptx_type t) {
  switch (t) {
  case PTX_F16: return (struct number_format){5, 10, 0, true};
  case PTX_BF16: return (struct number_format){8, 7, 0, true};
  case PTX_TF32: return (struct number_format){8, 10, 13, true};
  case PTX_E4M3: return (struct number_format){4, 3, 0, false};
  case PTX_E5M2: return (struct number_format){5, 2, 0, true};
  default: return (struct number_format){8, 23, 0, true};
  }
}
