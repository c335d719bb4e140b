// Products with symmetric, Hermitian and triangular operands.
#include "blas_product.h"

#define VIEWED_PRODUCTS(letter, T)                                                                           \
  PRODUCT(view_middle_##letter, T, T, T, middle, true)                                                       \
  PRODUCT(view_small_##letter, T, T, T, small, true)

FOUR_TYPES(VIEWED_PRODUCTS)
