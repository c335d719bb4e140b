/* Products of tiles: single bits and f64 here; other types are passed on.
 *
 * Whole numbers are summed exactly; the result wraps at 32 bits, or saturates with .satfinite. f64 sums are a chain of fused multiply-adds,
 * k upwards, each rounded in the instruction's direction. The loops for whole numbers, f64 and most floating-point products are in
 * lanes/lanes_tensor.c. */
#include "exec/tensor/tensor.h"

#include <math.h>

static void multiply_bits(const struct exec_tensor_product *p, const uint32_t *a, const uint32_t *b,
                          const uint32_t *c, uint32_t *d) {
  unsigned m = p->shape.m, n = p->shape.n, words = p->shape.k / 32;
  for (unsigned i = 0; i < m; i++)
    for (unsigned j = 0; j < n; j++) {
      uint32_t sum = (uint32_t)c[i * n + j];
      for (unsigned q = 0; q < words; q++) {
        uint32_t x = a[i * words + q], y = b[j * words + q];
        sum += (uint32_t)__builtin_popcount(p->both ? x & y : x ^ y);
      }
      d[i * n + j] = sum;
    }
}

/* Determines the NaN if there is one among the results. Not inlined, and through memory: see exec_round_enter. */
static __attribute__((noinline)) void multiply_nan(const struct exec_tensor_product *p, const uint64_t *a,
                                                   const uint64_t *b, const uint64_t *c, uint64_t *d) {
  unsigned m = p->shape.m, n = p->shape.n, k = p->shape.k;
  for (unsigned i = 0; i < m; i++)
    for (unsigned j = 0; j < n; j++) {
      double sum = exec_double(c[i * n + j]);
      for (unsigned q = 0; q < k; q++) {
        double x = exec_double(a[i * k + q]), y = exec_double(b[j * k + q]);
        sum = exec_nan64_3(fma(x, y, sum), x, y, sum);
      }
      d[i * n + j] = exec_bits64(sum);
    }
}

void exec_tensor_multiply_wide(const struct exec_tensor_product *p, const uint64_t *a, const uint64_t *b, const uint64_t *c, uint64_t *d) {
  unsigned old = exec_round_enter((enum exec_round)p->round);
  if (!p->lanes->tensor->doubles(p, a, b, c, d)) multiply_nan(p, a, b, c, d);
  exec_round_leave(old);
}

void exec_tensor_multiply(const struct exec_tensor_product *p, const uint32_t *a, const uint32_t *b,
                          const uint32_t *c, uint32_t *d) {
  if (p->a == PTX_B1) multiply_bits(p, a, b, c, d);
  else if (ptx_type_bits((enum ptx_type)p->a) == 8 && p->d == PTX_F16 && !p->native) exec_tensor_multiply_bytes(p, a, b, c, d);
  else if (!ptx_type_float((enum ptx_type)p->a)) p->lanes->tensor->wholes(p, a, b, c, d);
  else if (!p->lanes->tensor->floats(p, a, b, c, d)) exec_tensor_multiply_float(p, a, b, c, d);
}
