// Products of general matrices of one type.
#include "blas_product.h"

#define PRODUCTS(letter, IN, ACC, OUT)                                                                       \
  PRODUCT(gemm_middle_##letter, IN, ACC, OUT, middle, false)                                                 \
  PRODUCT(gemm_small_##letter, IN, ACC, OUT, small, false)

PRODUCT(gemm_large_s, float, float, float, large, false)
PRODUCTS(s, float, float, float)
PRODUCTS(d, double, double, double)
PRODUCTS(c, c32, c32, c32)
PRODUCTS(z, c64, c64, c64)
