/* Products of tiles in whole numbers, single bits and f64.
 *
 * Whole numbers are summed exactly; the result wraps at 32 bits, or saturates with .satfinite. f64 sums are a
 * chain of fused multiply-adds, k upwards, each rounded in the instruction's direction. */
#include "exec/tensor/tensor.h"

#include <math.h>

static uint32_t finish(int64_t sum, bool saturate) {
  if (saturate && sum > INT32_MAX) sum = INT32_MAX;
  if (saturate && sum < INT32_MIN) sum = INT32_MIN;
  return (uint32_t)sum;
}

/* Whole numbers of 4 or 8 bits: the sign is spread, or nothing. */
static void take_whole(const uint64_t *tile, unsigned n, uint8_t type, int16_t *out) {
  const uint32_t sign =
      ptx_type_signed((enum ptx_type)type) ? 1u << (ptx_type_bits((enum ptx_type)type) - 1) : 0;
  for (unsigned i = 0; i < n; i++) out[i] = (int16_t)(((uint32_t)tile[i] ^ sign) - sign);
}

/* k is a multiple of STEP, so that the inner loop has a length the compiler knows. */
enum { STEP = 16 };

static int32_t dot(const int16_t *x, const int16_t *y, unsigned k) {
  int32_t sum = 0;
  for (unsigned q = 0; q < k; q += STEP)
    for (unsigned i = 0; i < STEP; i++) sum += x[q + i] * y[q + i];
  return sum;
}

static void multiply_whole(const struct exec_tensor_product *p, const uint64_t *a, const uint64_t *b,
                           const uint64_t *c, uint64_t *d) {
  int16_t x[EXEC_TENSOR_TILE], y[EXEC_TENSOR_TILE];
  unsigned m = p->shape.m, n = p->shape.n, k = p->shape.k;
  take_whole(a, m * k, p->a, x);
  take_whole(b, n * k, p->b, y);
  for (unsigned i = 0; i < m; i++)
    for (unsigned j = 0; j < n; j++) {
      unsigned o = i * n + j;
      d[o] = finish((int32_t)c[o] + (int64_t)dot(&x[i * k], &y[j * k], k), p->saturate);
    }
}

static void multiply_bits(const struct exec_tensor_product *p, const uint64_t *a, const uint64_t *b,
                          const uint64_t *c, uint64_t *d) {
  unsigned m = p->shape.m, n = p->shape.n, words = p->shape.k / 32;
  for (unsigned i = 0; i < m; i++)
    for (unsigned j = 0; j < n; j++) {
      uint32_t sum = (uint32_t)c[i * n + j];
      for (unsigned q = 0; q < words; q++) {
        uint64_t x = a[i * words + q], y = b[j * words + q];
        sum += (uint32_t)__builtin_popcountll(p->both ? x & y : x ^ y);
      }
      d[i * n + j] = sum;
    }
}

/* Not inlined, and through memory: see exec_round_enter. */
static __attribute__((noinline)) void multiply_double(const struct exec_tensor_product *p, const uint64_t *a,
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

void exec_tensor_multiply(const struct exec_tensor_product *p, const uint64_t *a, const uint64_t *b,
                          const uint64_t *c, uint64_t *d) {
  if (p->a == PTX_F64) {
    unsigned old = exec_round_enter((enum exec_round)p->round);
    multiply_double(p, a, b, c, d);
    exec_round_leave(old);
  } else if (p->a == PTX_B1) {
    multiply_bits(p, a, b, c, d);
  } else if (!ptx_type_float((enum ptx_type)p->a)) {
    multiply_whole(p, a, b, c, d);
  } else {
    exec_tensor_multiply_float(p, a, b, c, d);
  }
}
