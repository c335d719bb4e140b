// Products of general matrices of small types: what is read, what sums are kept in, what is written.
#include "blas_product.h"

#define PRODUCTS(letter, IN, ACC, OUT)                                                                       \
  PRODUCT(gemm_middle_##letter, IN, ACC, OUT, middle, false)                                                 \
  PRODUCT(gemm_small_##letter, IN, ACC, OUT, small, false)

PRODUCTS(hh, __half, float, __half)
PRODUCTS(hs, __half, float, float)
PRODUCTS(bb, __nv_bfloat16, float, __nv_bfloat16)
PRODUCTS(bs, __nv_bfloat16, float, float)
PRODUCTS(is, signed char, float, float)
PRODUCTS(ii, signed char, int, int)
PRODUCTS(kc, c8, c32, c32)
