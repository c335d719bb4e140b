/* Products of tiles in f16, bf16, tf32 and the 8-bit floats, summed as by the tensor cores of an H200.
 *
 * The ISA leaves the order and the precision of the sums open. The hardware adds the products of a group of k and the sum so far at once:
 * each is exact, is truncated (towards zero) FRACTION bits below the largest exponent among them, and the remaining bits are added as whole
 * numbers. The exponent of a product is the sum of its factors' exponents, as the product of two mantissas may lie in [1, 4). The sum of a
 * group is truncated to the precision of f32. An f16 sum that stays in f16 is not truncated but rounded to nearest. An f32 sum that becomes
 * f16 is rounded at the end.
 *
 * wgmma multiplies 8-bit floats directly: all 32 products of an instruction and the sum are one group, truncated BYTE_FRACTION bits below
 * the largest exponent; an f32 result keeps as many bits, an f16 result is rounded from all of them.
 *
 * Two instructions are composed of others on the H200. 8-bit floats of mma become f16: the products of the first two of every four k form
 * one group, those of the last two another; they are summed from zero, and c is added last, rounded. With sums in f16, each group is a
 * product of its own with an f16 result. The quad pairs of m8n8k4 are sums of fused multiply-adds in f32 from zero, and c is added last
 * too. */
#include "exec/tensor/tensor.h"

#include <math.h>

#define INLINE inline __attribute__((always_inline))

enum { FRACTION = EXEC_TENSOR_FRACTION, BYTE_FRACTION = EXEC_TENSOR_BYTE_FRACTION, MOST_LINES = 32, ALL_BITS = 64 };

/* Factors, decomposed: value = (negative ? -1 : 1) * mantissa * 2^(exponent - mantissa bits). A zero has an exponent so small that it is
 * never the largest. */
struct parts {
  uint32_t mantissa[EXEC_TENSOR_TILE];
  int32_t exponent[EXEC_TENSOR_TILE];
  int32_t negative[EXEC_TENSOR_TILE]; /* 0 or -1 */
  bool special[EXEC_TENSOR_TILE];     /* infinity or NaN */
};

enum { EXPONENT_OF_ZERO = -600, LEAST_EXPONENT = -300 };

/* ---- taking apart and putting together ---------------------------------------------------------------- */

static const struct exec_format FORMAT_F32 = {8, 23, true};

static bool is_byte(uint8_t t) { return t == PTX_E4M3 || t == PTX_E5M2; }

/* The format in which a type is multiplied; 8-bit floats that are not native have become f16. */
static const struct exec_format *format_of(uint8_t t, bool native) {
  if (native && is_byte(t)) return t == PTX_E5M2 ? &EXEC_FORMAT_E5M2 : &EXEC_FORMAT_E4M3;
  switch (t) {
  case PTX_BF16: return &EXEC_FORMAT_BF16;
  case PTX_TF32: return &EXEC_FORMAT_TF32;
  case PTX_F32: return &FORMAT_F32;
  default: return &EXEC_FORMAT_F16;
  }
}

/* 8-bit floats as f16, in the order in which they are summed. */
static void widen_bytes(const uint32_t *tile, unsigned rows, unsigned k, uint8_t t, uint32_t *out) {
  const struct exec_format *f = t == PTX_E5M2 ? &EXEC_FORMAT_E5M2 : &EXEC_FORMAT_E4M3;
  for (unsigned i = 0; i < rows * k; i++) {
    unsigned q = i % k, to = i - q + (q % 4 < 2 ? 0 : k / 2) + q / 4 * 2 + q % 2;
    out[to] = exec_f16_from_float((float)exec_widen(tile[i], f));
  }
}

/* Converts a tile's elements to the format of format_of. The low 13 bits of a tf32 register are ignored. */
static void normalise(const uint32_t *tile, unsigned rows, unsigned k, uint8_t t, bool native, uint32_t *out) {
  unsigned skip = t == PTX_TF32 ? 13 : 0;
  if (is_byte(t) && !native)
    widen_bytes(tile, rows, k, t, out);
  else
    for (unsigned i = 0; i < rows * k; i++) out[i] = tile[i] >> skip;
}

static void take_apart(struct parts *p, const uint32_t *bits, unsigned n, const struct exec_format *f) {
  const uint32_t largest = (1u << f->exponent_bits) - 1, one = 1u << f->mantissa_bits;
  const int32_t bias = (int32_t)(largest / 2);
  const unsigned sign = f->exponent_bits + f->mantissa_bits;
  for (unsigned i = 0; i < n; i++) {
    const uint32_t x = bits[i], e = x >> f->mantissa_bits & largest;
    const uint32_t m = (x & (one - 1)) | (e ? one : 0);
    p->mantissa[i] = m;
    p->exponent[i] = m ? (int32_t)(e ? e : 1) - bias : EXPONENT_OF_ZERO;
    p->negative[i] = -(int32_t)(x >> sign & 1);
    p->special[i] = e == largest && (f->infinity || (x & (one - 1)) == one - 1);
  }
}

static bool any_special(const struct parts *p, unsigned at, unsigned n) {
  bool any = false;
  for (unsigned i = at; i < at + n; i++) any |= p->special[i];
  return any;
}

/* A sum: value = (negative ? -1 : 1) * mantissa * 2^exponent. */
struct sum {
  uint64_t mantissa;
  int exponent;
  bool negative;
};

/* Truncates a sum to so many bits (24: those of f32), towards zero; bits below 2^-149 are dropped too. */
static void cut(struct sum *s, int bits) {
  int drop = s->mantissa ? 64 - bits - __builtin_clzll(s->mantissa) : 0;
  if (drop < -149 - s->exponent) drop = -149 - s->exponent;
  if (drop <= 0) return;
  s->mantissa = drop < 64 ? s->mantissa >> drop : 0;
  s->exponent += drop;
}

static double value_of(const struct sum *s) {
  double x = (double)s->mantissa * exec_double((uint64_t)(s->exponent + 1023) << 52);
  return s->negative ? -x : x;
}

static uint32_t put_together(double x, uint8_t d) {
  if (d == PTX_F16) return x == x ? exec_narrow(x, &EXEC_FORMAT_F16, EXEC_RN, false) : EXEC_NAN16_BITS;
  return exec_bits32(exec_nan32((float)x));
}

/* ---- a group ------------------------------------------------------------------------------------------ */

struct group { /* consecutive elements of a row of a and a column of b */
  const struct parts *a, *b;
  unsigned at_a, at_b;
  unsigned up; /* brings a product's mantissa to `fraction` bits */
  int fraction, bits; /* of the sum's mantissa, that are kept */
};

/* Largest exponent of the products, at least `most`. */
static INLINE int32_t largest_exponent(const struct group *g, unsigned n, int32_t most) {
  const int32_t *a = &g->a->exponent[g->at_a], *b = &g->b->exponent[g->at_b];
  for (unsigned q = 0; q < n; q++) {
    const int32_t e = a[q] + b[q];
    most = e > most ? e : most;
  }
  return most;
}

/* The products in units of 2^(most - fraction). Each is below 2^27 - 2^17, so sixteen fit; of 8-bit floats 32 fit. */
static INLINE int32_t sum_products(const struct group *g, unsigned n, int32_t most) {
  const int32_t *ea = &g->a->exponent[g->at_a], *eb = &g->b->exponent[g->at_b];
  const int32_t *na = &g->a->negative[g->at_a], *nb = &g->b->negative[g->at_b];
  const uint32_t *a = &g->a->mantissa[g->at_a], *b = &g->b->mantissa[g->at_b];
  int32_t sum = 0;
  for (unsigned q = 0; q < n; q++) {
    const int32_t down = most - ea[q] - eb[q], sign = na[q] ^ nb[q];
    const int32_t x = (int32_t)((a[q] * b[q] << g->up) >> (down < 31 ? down : 31));
    sum += (x ^ sign) - sign;
  }
  return sum;
}

static int64_t aligned(const struct sum *c, int unit) {
  int shift = c->exponent - unit;
  if (shift <= -64) return 0;
  int64_t x = (int64_t)(shift >= 0 ? c->mantissa << shift : c->mantissa >> -shift);
  return c->negative ? -x : x;
}

static INLINE void add_group(const struct group *g, unsigned n, struct sum *c) {
  int32_t own = c->mantissa ? c->exponent + 63 - __builtin_clzll(c->mantissa) : EXPONENT_OF_ZERO;
  int32_t most = largest_exponent(g, n, own);
  if (most < LEAST_EXPONENT) return; /* zeros only */
  int unit = most - g->fraction;
  int64_t s = aligned(c, unit) + sum_products(g, n, most);
  *c = (struct sum){(uint64_t)(s < 0 ? -s : s), unit, s < 0};
  cut(c, g->bits);
}

/* ---- a sum -------------------------------------------------------------------------------------------- */

struct job {
  const struct exec_tensor_product *p;
  uint32_t raw_a[EXEC_TENSOR_TILE], raw_b[EXEC_TENSOR_TILE], raw_c[EXEC_TENSOR_TILE];
  struct parts a, b, c;
  bool special_a[MOST_LINES], special_b[MOST_LINES]; /* rows of a and columns of b with a special in them */
  unsigned up;
  int fraction, bits;
};

/* If an infinity or a NaN is among them, products and sum in double determine which of the two results. */
static double special_sum(const struct job *j, unsigned at_a, unsigned at_b, double c) {
  const struct exec_format *fa = format_of(j->p->a, j->p->native), *fb = format_of(j->p->b, j->p->native);
  for (unsigned q = 0; q < j->p->shape.k; q++)
    c += exec_widen(j->raw_a[at_a + q], fa) * exec_widen(j->raw_b[at_b + q], fb);
  return c;
}

static double chained_sum(const struct job *j, unsigned at_a, unsigned at_b, double c) {
  float x = 0.0f;
  for (unsigned q = 0; q < j->p->shape.k; q++)
    x = fmaf(exec_f16_to_float(j->raw_a[at_a + q]), exec_f16_to_float(j->raw_b[at_b + q]), x);
  return (double)(x + (float)c);
}

static INLINE double grouped_sum(const struct job *j, unsigned n, unsigned at_a, unsigned at_b, unsigned o) {
  const struct exec_tensor_product *p = j->p;
  const struct exec_format *f = format_of(p->c, false);
  bool last = is_byte(p->a) && !p->native; /* c is added last */
  struct sum s = {0};
  if (!last) s = (struct sum){j->c.mantissa[o], j->c.exponent[o] - f->mantissa_bits, j->c.negative[o] != 0};
  struct group g = {&j->a, &j->b, at_a, at_b, j->up, j->fraction, j->bits};
  for (unsigned q = 0; q < p->shape.k; q += n, g.at_a += n, g.at_b += n) add_group(&g, n, &s);
  return last ? (double)((float)value_of(&s) + (float)exec_widen(j->raw_c[o], f)) : value_of(&s);
}

/* The cases that need not be fast. */
static double rare_sum(const struct job *j, unsigned at_a, unsigned at_b, unsigned o, bool special) {
  double c = exec_widen(j->raw_c[o], format_of(j->p->c, false));
  return special ? special_sum(j, at_a, at_b, c) : chained_sum(j, at_a, at_b, c);
}

static INLINE void sum_tile(const struct job *j, unsigned n, uint32_t *d) {
  const struct exec_tensor_product *p = j->p;
  unsigned cols = p->shape.n, k = p->shape.k;
  for (unsigned row = 0; row < p->shape.m; row++)
    for (unsigned col = 0; col < cols; col++) {
      unsigned o = row * cols + col, at_a = row * k, at_b = col * k;
      bool special = j->c.special[o] | j->special_a[row] | j->special_b[col];
      double v =
          special || p->tiles > 1 ? rare_sum(j, at_a, at_b, o, special) : grouped_sum(j, n, at_a, at_b, o);
      d[o] = put_together(v, p->d);
    }
}

/* As the group's size is a compile-time constant, its loops become a few vector instructions. */
static INLINE void sum_all(const struct job *j, uint32_t *d) {
  switch (j->p->group) {
  case 32: sum_tile(j, 32, d); break;
  case 16: sum_tile(j, 16, d); break;
  case 8: sum_tile(j, 8, d); break;
  default: sum_tile(j, 4, d);
  }
}

static void multiply(const struct exec_tensor_product *p, const uint32_t *a, const uint32_t *b,
                     const uint32_t *c, uint32_t *d) {
  struct job j;
  const struct exec_format *fa = format_of(p->a, p->native), *fb = format_of(p->b, p->native), *fc = format_of(p->c, false);
  unsigned m = p->shape.m, n = p->shape.n, k = p->shape.k;
  j.p = p;
  j.fraction = p->native ? BYTE_FRACTION : FRACTION;
  j.bits = p->c == PTX_F16 && p->d == PTX_F16 ? ALL_BITS : p->native ? BYTE_FRACTION + 1 : 24;
  j.up = (unsigned)(j.fraction - fa->mantissa_bits - fb->mantissa_bits);
  normalise(a, m, k, p->a, p->native, j.raw_a);
  normalise(b, n, k, p->b, p->native, j.raw_b);
  normalise(c, m, n, p->c, p->native, j.raw_c);
  take_apart(&j.a, j.raw_a, m * k, fa);
  take_apart(&j.b, j.raw_b, n * k, fb);
  take_apart(&j.c, j.raw_c, m * n, fc);
  for (unsigned i = 0; i < m; i++) j.special_a[i] = any_special(&j.a, i * k, k);
  for (unsigned i = 0; i < n; i++) j.special_b[i] = any_special(&j.b, i * k, k);
  sum_all(&j, d);
}

void exec_tensor_multiply_float(const struct exec_tensor_product *p, const uint32_t *a, const uint32_t *b,
                                const uint32_t *c, uint32_t *d) {
  unsigned m = p->shape.m, n = p->shape.n, k = p->shape.k;
  for (unsigned t = 0; t < p->tiles; t++)
    multiply(p, a + t * m * k, b + t * n * k, c + t * m * n, d + t * m * n);
}

/* Half of the columns of rows of k, from `at` on. */
static void take_half(const uint32_t *tile, unsigned rows, unsigned k, unsigned at, uint32_t *out) {
  for (unsigned i = 0; i < rows; i++)
    for (unsigned q = 0; q < k / 2; q++) out[i * k / 2 + q] = tile[i * k + at + q];
}

void exec_tensor_multiply_bytes(const struct exec_tensor_product *p, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d) {
  unsigned m = p->shape.m, n = p->shape.n, k = p->shape.k;
  uint32_t wide_a[EXEC_TENSOR_TILE], wide_b[EXEC_TENSOR_TILE];
  uint32_t half_a[EXEC_TENSOR_TILE] EXEC_ALIGNED, half_b[EXEC_TENSOR_TILE] EXEC_ALIGNED, sums[2][EXEC_TENSOR_TILE] EXEC_ALIGNED = {{0}};
  struct exec_tensor_product half = *p;
  half.a = half.b = PTX_F16;
  half.shape.k = (uint16_t)(k / 2);
  widen_bytes(a, m, k, p->a, wide_a);
  widen_bytes(b, n, k, p->b, wide_b);
  for (unsigned i = 0; i < 2; i++) {
    take_half(wide_a, m, k, i * k / 2, half_a);
    take_half(wide_b, n, k, i * k / 2, half_b);
    exec_tensor_multiply(&half, half_a, half_b, sums[i], sums[1 - i]);
  }
  for (unsigned i = 0; i < m * n; i++)
    d[i] = put_together((double)(exec_f16_to_float(sums[0][i]) + exec_f16_to_float(c[i])), PTX_F16);
}
