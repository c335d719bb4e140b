/* Matrices of the tensor instructions: fragments to tiles and back, and products of tiles, eight columns at a time, or sixteen if the
 * host's vectors are that long. Compiled once per host instruction set.
 *
 * Products of floating-point numbers equal those of tensor_float.c bit for bit. They are formed as follows: a product of two factors is
 * exact in f32; multiplied by a power of two, it is in the unit in which the group is summed; converted to a whole number, it is truncated
 * towards zero. Cases that this cannot handle (infinities, NaN, sums near the ends of f32) are left to tensor_float.c. Whole numbers are
 * few and small enough to be summed in f32 without rounding. Not here: layouts other than blocks of 8 by 4 units, single bits, quad
 * pairs. */
#include "exec/lanes/lanes.h"
#include "exec/tensor/tensor.h"

#define INLINE inline __attribute__((always_inline))

/* Sums formed at once: of one row, or of two rows of eight columns each. */
#if defined(__AVX512F__)
enum { AT_ONCE = 16 };
#else
enum { AT_ONCE = 8 };
#endif
typedef float floats __attribute__((vector_size(4 * AT_ONCE), may_alias));
typedef int32_t wholes __attribute__((vector_size(4 * AT_ONCE), may_alias));
typedef float eight_floats __attribute__((vector_size(32), may_alias));
typedef int32_t eight_wholes __attribute__((vector_size(32), may_alias));
typedef uint32_t words __attribute__((vector_size(32), may_alias));
typedef uint32_t four_words __attribute__((vector_size(16), may_alias));
typedef uint16_t halves __attribute__((vector_size(16), may_alias));
typedef uint8_t eight_bytes __attribute__((vector_size(8), may_alias));

#define AT(type, p) (*(const type *)(const void *)(p))
#define TO(type, p) (*(type *)(void *)(p))

#define PICK __builtin_shufflevector

/* LARGER: element-wise maximum. ANY_BELOW: whether any element is below a number. TWO_ROWS: eight columns of b for both rows; PAIR: one
 * number of each of the two rows; only if AT_ONCE is more than eight. */
#if defined(__AVX512F__)
#define LARGER(x, y)     ((wholes)_mm512_max_epi32((__m512i)(x), (__m512i)(y)))
#define ANY_BELOW(x, y)  (_mm512_cmplt_epi32_mask((__m512i)(x), _mm512_set1_epi32(y)) != 0)
#define TWO_ROWS(type, v) ((type)PICK(v, v, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7))
#define PAIR(T, x, y)    ((T){x, x, x, x, x, x, x, x, y, y, y, y, y, y, y, y})
#elif defined(__AVX2__)
#define LARGER(x, y)     ((wholes)_mm256_max_epi32((__m256i)(x), (__m256i)(y)))
#define ANY_BELOW(x, y)  (_mm256_movemask_epi8((__m256i)((x) < (y))) != 0)
#else
#define LARGER(x, y)     ((((x) > (y)) & (x)) | (~((x) > (y)) & (y)))
#define ANY_BELOW(x, y)  any_of((x) < (y))
#define any_of(x)        ((x)[0] | (x)[1] | (x)[2] | (x)[3] | (x)[4] | (x)[5] | (x)[6] | (x)[7])
#endif
#if !defined(TWO_ROWS)
#define TWO_ROWS(type, v) ((type)(v))
#define PAIR(T, x, y)    ((void)(y), (T){x, x, x, x, x, x, x, x})
#endif

#if defined(__AVX2__)
#define EIGHT_BYTES(p)   ((words)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(p))))
#else
#define EIGHT_BYTES(p)   __builtin_convertvector(AT(eight_bytes, p), words)
#endif

/* ---- fragments ------------------------------------------------------------------------------------------------- */

/* A block is eight lines of four units. In registers the units of a line are in four consecutive lanes. `next`: the second register of
 * units that have two. */

static INLINE void gather_line(const uint32_t *row, const uint32_t *next, unsigned bits, uint32_t *out) {
  const unsigned char *bytes = (const unsigned char *)row;
  if (next) TO(words, out) = PICK(AT(four_words, row), AT(four_words, next), 0, 4, 1, 5, 2, 6, 3, 7);
  else if (bits == 32) TO(four_words, out) = AT(four_words, row);
  else if (bits == 16) TO(words, out) = __builtin_convertvector(AT(halves, row), words);
  else if (bits == 8)
    for (unsigned i = 0; i < 16; i += 8) TO(words, out + i) = EIGHT_BYTES(bytes + i);
  else
    for (unsigned i = 0; i < 32; i++) out[i] = bytes[i / 2] >> i % 2 * 4 & 15u;
}

static INLINE void gather_all(const struct exec_warp *w, const struct exec_tensor_fragment *f, unsigned bits, unsigned span,
                               uint32_t *tile) {
  const struct exec_tensor_layout *l = f->layout;
  for (unsigned r = l->last_copy; r < l->regs; r += span) {
    const uint32_t *row = EXEC_ROW(w, f->regs[r], uint32_t), *next = span == 2 ? EXEC_ROW(w, f->regs[r + 1], uint32_t) : NULL;
    uint32_t *out = tile + l->block[r / span];
    for (unsigned line = 0; line < 8; line++) gather_line(row + 4 * line, next ? next + 4 * line : NULL, bits, out + line * l->cols);
  }
}

static void gather(const struct exec_warp *w, const struct exec_tensor_fragment *f, uint32_t *tile) {
  switch (f->layout->bits) {
  case 4: gather_all(w, f, 4, 1, tile); break;
  case 8: gather_all(w, f, 8, 1, tile); break;
  case 16: gather_all(w, f, 16, 1, tile); break;
  default: f->layout->span == 2 ? gather_all(w, f, 32, 2, tile) : gather_all(w, f, 32, 1, tile);
  }
}

static INLINE void scatter_line(uint32_t *row, uint32_t *next, unsigned bits, const uint32_t *in) {
  if (next) {
    TO(four_words, row) = PICK(AT(words, in), AT(words, in), 0, 2, 4, 6);
    TO(four_words, next) = PICK(AT(words, in), AT(words, in), 1, 3, 5, 7);
  } else if (bits == 32) {
    TO(four_words, row) = AT(four_words, in);
  } else if (bits == 16) {
    TO(halves, row) = __builtin_convertvector(AT(words, in), halves);
  } else if (bits == 8) {
    for (unsigned i = 0; i < 16; i += 8)
      TO(eight_bytes, (unsigned char *)row + i) = __builtin_convertvector(AT(words, in + i), eight_bytes);
  } else {
    for (unsigned t = 0; t < 4; t++) {
      uint32_t x = 0;
      for (unsigned e = 0; e < 8; e++) x |= in[t * 8 + e] << e * 4;
      row[t] = x;
    }
  }
}

static INLINE void scatter_all(struct exec_warp *w, const struct exec_tensor_fragment *f, unsigned bits, unsigned span,
                                const uint32_t *tile) {
  const struct exec_tensor_layout *l = f->layout;
  uint32_t nowhere[2][EXEC_LANES] EXEC_ALIGNED;
  for (unsigned r = 0; r < l->regs; r += span) {
    uint32_t *rows[2];
    for (unsigned i = 0; i < span; i++)
      rows[i] = f->regs[r + i].file == EXEC_FNONE ? nowhere[i] : EXEC_ROW(w, f->regs[r + i], uint32_t);
    const uint32_t *in = tile + l->block[r / span];
    for (unsigned line = 0; line < 8; line++)
      scatter_line(rows[0] + 4 * line, span == 2 ? rows[1] + 4 * line : NULL, bits, in + line * l->cols);
  }
}

static void scatter(struct exec_warp *w, const struct exec_tensor_fragment *f, const uint32_t *tile) {
  switch (f->layout->bits) {
  case 4: scatter_all(w, f, 4, 1, tile); break;
  case 8: scatter_all(w, f, 8, 1, tile); break;
  case 16: scatter_all(w, f, 16, 1, tile); break;
  default: f->layout->span == 2 ? scatter_all(w, f, 32, 2, tile) : scatter_all(w, f, 32, 1, tile);
  }
}

/* ---- turning --------------------------------------------------------------------------------------------------- */

/* Eight lines of eight, `from` apart, to eight lines `to` apart. */
static INLINE void turn_eight(const uint32_t *in, unsigned from, uint32_t *out, unsigned to) {
  words r[8], s[8];
  for (unsigned i = 0; i < 8; i++) r[i] = AT(words, in + i * from);
  for (unsigned i = 0; i < 8; i += 2) {
    s[i] = PICK(r[i], r[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    s[i + 1] = PICK(r[i], r[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (unsigned k = 0; k < 4; k++) {
    unsigned i = k / 2 * 4 + k % 2;
    r[i] = PICK(s[i], s[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
    r[i + 2] = PICK(s[i], s[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
  }
  for (unsigned i = 0; i < 4; i++) {
    TO(words, out + i * to) = PICK(r[i], r[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    TO(words, out + (i + 4) * to) = PICK(r[i], r[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

/* n lines of k to k lines of n; n is a multiple of eight. */
static void turn(const uint32_t *in, unsigned n, unsigned k, uint32_t *out) {
  if (k % 8) {
    for (unsigned i = 0; i < n; i++)
      for (unsigned q = 0; q < k; q++) out[q * n + i] = in[i * k + q];
    return;
  }
  for (unsigned i = 0; i < n; i += 8)
    for (unsigned q = 0; q < k; q += 8) turn_eight(in + i * k + q, k, out + q * n + i, n);
}

/* ---- floating point -------------------------------------------------------------------------------------------- */

enum { EXPONENT_OF_ZERO = -600, ZEROS_ONLY = -300, LEAST_EXPONENT = -90, MOST_EXPONENT = 120 };

struct factors {
  float value[EXEC_TENSOR_TILE] EXEC_ALIGNED;
  int32_t exponent[EXEC_TENSOR_TILE] EXEC_ALIGNED;
};

/* Elements of one format as f32. False: an infinity or a NaN is among them. */
#define WIDEN(SPECIAL, BITS)                                                                                           \
  do {                                                                                                                 \
    uint32_t special = 0;                                                                                              \
    for (unsigned i = 0; i < n; i++) {                                                                                 \
      const uint32_t x = in[i];                                                                                        \
      special |= (x & (SPECIAL)) == (SPECIAL);                                                                         \
      out[i] = (BITS);                                                                                                 \
    }                                                                                                                  \
    return !special;                                                                                                   \
  } while (0)
#define SCALED(MAGNITUDE, SIGN, BY) (exec_bits32(exec_float(MAGNITUDE) * (BY)) | (SIGN))

static bool widen(const uint32_t *in, unsigned n, uint8_t type, uint32_t *out) {
  switch (type) {
  case PTX_F16: WIDEN(0x7c00u, SCALED((x & 0x7fff) << 13, (x & 0x8000) << 16, 0x1p112f));
  case PTX_E5M2: WIDEN(0x7cu, SCALED((x & 0x7f) << 21, (x & 0x80) << 24, 0x1p112f));
  case PTX_E4M3: WIDEN(0x7fu, SCALED((x & 0x7f) << 20, (x & 0x80) << 24, 0x1p120f));
  case PTX_BF16: WIDEN(0x7f80u, x << 16);
  case PTX_TF32: WIDEN(0x7f800000u, x & ~0x1fffu);
  default: WIDEN(0x7f800000u, x);
  }
}

/* Exponents, not below `least`. */
static void exponents(const float *value, unsigned n, int32_t least, int32_t *out) {
  for (unsigned i = 0; i < n; i++) {
    const uint32_t bits = exec_bits32(value[i]) & 0x7fffffffu;
    const int32_t e = (int32_t)(bits >> 23) - 127, own = e > least ? e : least;
    out[i] = bits ? own : EXPONENT_OF_ZERO;
  }
}

/* Exponents of the largest of some numbers and of the lowest bit that is set in any of them; zeros do not count. */
struct range {
  int32_t most, lowest;
  bool negative_zero;
};

/* The lowest bit is found by subtracting from a number the same number without that bit, which is exact. Of subnormal numbers only an upper
 * bound of it is known. */
static struct range range_of(const float *value, unsigned n) {
  enum { SUBNORMAL = -300 };
  uint32_t negative_zero = 0, largest = 0, least = UINT32_MAX;
  for (unsigned i = 0; i < n; i++) {
    const uint32_t bits = exec_bits32(value[i]), magnitude = bits & 0x7fffffffu, rest = bits & 0x7fffffu ? magnitude & (magnitude - 1) : 0;
    const uint32_t lowest = exec_bits32(exec_float(magnitude) - exec_float(rest)) - 1; /* for zero the largest value */
    largest = magnitude > largest ? magnitude : largest;
    least = lowest < least ? lowest : least;
    negative_zero |= bits == 0x80000000u;
  }
  const int32_t most = largest ? (int32_t)(largest >> 23) - 127 : EXPONENT_OF_ZERO;
  const int32_t last = (least + 1) >> 23 ? (int32_t)((least + 1) >> 23) - 127 : SUBNORMAL;
  return (struct range){most, least == UINT32_MAX ? -EXPONENT_OF_ZERO : last, negative_zero != 0};
}

/* 8-bit floats that are not native are multiplied as f16, and c is added last. */
static bool adds_last(const struct exec_tensor_product *p) { return (p->a == PTX_E4M3 || p->a == PTX_E5M2) && !p->native; }

static int32_t least_exponent(const struct exec_tensor_product *p, uint8_t type) {
  if (type == PTX_E4M3 && p->native) return -6;
  return type == PTX_BF16 || type == PTX_TF32 ? -126 : -14;
}

/* An f16 sum that stays in f16 is a single group and is rounded from all its bits. If bits are cut, the last one that is kept is set
 * (rounding to odd), which for a rounding to fewer bits is as good as all bits. */
static bool keeps_all(const struct exec_tensor_product *p) { return p->c == PTX_F16 && p->d == PTX_F16; }

/* Bits of a sum. */
static int kept_bits(const struct exec_tensor_product *p) { return p->native && p->d == PTX_F32 ? EXEC_TENSOR_BYTE_FRACTION + 1 : 24; }

struct sums {
  float value[EXEC_TENSOR_TILE] EXEC_ALIGNED; /* so far */
  int32_t most[EXEC_TENSOR_TILE] EXEC_ALIGNED;     /* its exponent, then the largest of this and the group's products' */
  int32_t products[EXEC_TENSOR_TILE] EXEC_ALIGNED; /* of the group, in units of 2^(most - fraction) */
};

/* What is known about a product before it is formed. */
struct outlook {
  int32_t bound; /* no product has a larger exponent */
  bool exact;    /* nothing is cut, and every intermediate sum is exact in f32 */
  bool whole;    /* this holds for the products, not for the sum so far */
};

/* A product is a multiple of the lowest bits of both factors, and sums of products stay below 2^top. Nothing is cut from the products if
 * that bit is not below the unit of the largest product; their sum is exact in f32 if it has no more bits than f32. The same holds with the
 * sum so far, unless that is a negative zero, which might become a positive one. */
static struct outlook look_ahead(const struct exec_tensor_product *p, const struct range *a, const struct range *b, const struct range *c) {
  const int32_t bound = a->most + b->most, low = a->lowest + b->lowest, top = bound + 2 + 32 - __builtin_clz(p->shape.k);
  const int32_t largest = bound > c->most ? bound : c->most, fraction = p->native ? EXEC_TENSOR_BYTE_FRACTION : EXEC_TENSOR_FRACTION;
  const int32_t all_low = low < c->lowest ? low : c->lowest, all_top = (top > c->most + 1 ? top : c->most + 1) + 1;
  const bool inside = all_low >= LEAST_EXPONENT && all_low >= largest - fraction && all_top <= MOST_EXPONENT;
  return (struct outlook){.bound = bound,
                          .exact = inside && !c->negative_zero && all_top <= all_low + kept_bits(p),
                          .whole = low >= LEAST_EXPONENT && low >= largest - fraction && top <= low + 24 && p->group == p->shape.k};
}

/* Columns of b from `b` on, and the numbers of a that they are multiplied by; with two rows at once, those of the second are k further
 * on. */
#define OF_B(type, eight, b, two) ((two) ? TWO_ROWS(type, AT(eight, b)) : AT(type, b))
#define OF_A(type, a, k, two)     ((two) ? PAIR(type, (a)[0], (a)[k]) : PAIR(type, (a)[0], (a)[0]))

/* Sums of which every part is exact in f32, `lines` times as many as are formed at once; two: rows have eight columns, and two rows are
 * formed at once. */
static INLINE void add_lines(const float *a, const float *b, unsigned n, unsigned k, unsigned lines, bool two, float *sums) {
  const unsigned rows = two ? 2 : 1;
  for (unsigned col = 0; col < n; col += AT_ONCE) {
    floats sum[4];
    for (unsigned r = 0; r < lines; r++) sum[r] = AT(floats, sums + r * rows * n + col);
    for (unsigned q = 0; q < k; q++) {
      const floats y = OF_B(floats, eight_floats, b + q * n + col, two);
      for (unsigned r = 0; r < lines; r++) sum[r] += y * OF_A(floats, a + r * rows * k + q, k, two);
    }
    for (unsigned r = 0; r < lines; r++) TO(floats, sums + r * rows * n + col) = sum[r];
  }
}

static void add_exactly(const struct exec_tensor_product *p, const float *a, const float *b, float *sums) {
  const unsigned m = p->shape.m, n = p->shape.n, k = p->shape.k;
  if (n < AT_ONCE)
    for (unsigned row = 0; row < m; row += 8) add_lines(a + row * k, b, n, k, 4, true, sums + row * n);
  else
    for (unsigned row = 0; row < m; row += 4) add_lines(a + row * k, b, n, k, 4, false, sums + row * n);
}

/* The products of a group for a line of sums. Consecutive k of b are n apart; a second row of a is `k` behind the first. */
static INLINE void add_products(const float *a, const int32_t *exponent_a, const float *b, const int32_t *exponent_b, unsigned n,
                                unsigned k, bool two, unsigned group, int fraction,
                                struct outlook ahead, int32_t *most_at, int32_t *sum_at) {
  const wholes lowest = PAIR(wholes, LEAST_EXPONENT, LEAST_EXPONENT);
  wholes most = AT(wholes, most_at), sum = {0};
  if (ANY_BELOW(most, ahead.bound)) {
    for (unsigned q = 0; q < group; q++) {
      const wholes e = OF_B(wholes, eight_wholes, exponent_b + q * n, two) + OF_A(wholes, exponent_a + q, k, two);
      most = LARGER(e, most);
    }
    TO(wholes, most_at) = most;
  }
  const wholes scale = (fraction + 127 - LARGER(most, lowest)) << 23;
  if (ahead.whole) {
    floats exact = {0};
    for (unsigned q = 0; q < group; q++) exact += OF_B(floats, eight_floats, b + q * n, two) * OF_A(floats, a + q, k, two);
    sum = __builtin_convertvector(exact * AT(floats, &scale), wholes);
  } else {
    for (unsigned q = 0; q < group; q++) {
      const floats product = OF_B(floats, eight_floats, b + q * n, two) * OF_A(floats, a + q, k, two);
      sum += __builtin_convertvector(product * AT(floats, &scale), wholes);
    }
  }
  TO(wholes, sum_at) = sum;
}

static INLINE void add_lines_of_group(const struct exec_tensor_product *p, const struct factors *a, const struct factors *b, unsigned at,
                                      unsigned group, bool two, struct outlook ahead, struct sums *s) {
  const unsigned m = p->shape.m, n = p->shape.n, k = p->shape.k;
  const int fraction = p->native ? EXEC_TENSOR_BYTE_FRACTION : EXEC_TENSOR_FRACTION;
  for (unsigned col = 0; col < n; col += AT_ONCE)
    for (unsigned row = 0; row < m; row += two ? 2 : 1) {
      const unsigned o = row * n + col, from_a = row * k + at, from_b = at * n + col;
      add_products(a->value + from_a, a->exponent + from_a, b->value + from_b, b->exponent + from_b, n, k, two, group, fraction, ahead,
                   s->most + o, s->products + o);
    }
}

static INLINE void add_group(const struct exec_tensor_product *p, const struct factors *a, const struct factors *b, unsigned at,
                             unsigned group, struct outlook ahead, struct sums *s) {
  if (p->shape.n < AT_ONCE) add_lines_of_group(p, a, b, at, group, true, ahead, s);
  else add_lines_of_group(p, a, b, at, group, false, ahead, s);
}

#if defined(__AVX512F__)
/* finish_group for sums that keep 24 bits, if none of them needs more than 32: the host cuts whole numbers to f32. */
static bool finished_narrow(const struct exec_tensor_product *p, struct sums *s, bool *inside) {
  const unsigned n = (unsigned)p->shape.m * p->shape.n;
  const __m512i least = _mm512_set1_epi32(LEAST_EXPONENT), up_by = _mm512_set1_epi32(EXEC_TENSOR_FRACTION + 127);
  __mmask16 outside = 0, overflow = 0;
  __m512i sums[EXEC_TENSOR_TILE / 16];
  for (unsigned i = 0; i < n; i += 16) {
    const __m512i own = _mm512_load_si512(s->most + i), most = _mm512_max_epi32(own, least), products = _mm512_load_si512(s->products + i);
    const __mmask16 low = _mm512_cmplt_epi32_mask(own, least), above = _mm512_cmpgt_epi32_mask(own, _mm512_set1_epi32(MOST_EXPONENT));
    outside |= _mm512_mask_cmpgt_epi32_mask(low, own, _mm512_set1_epi32(ZEROS_ONLY)) | above;
    const __m512 up = _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_sub_epi32(up_by, most), 23));
    const __m512i before = _mm512_cvttps_epi32(_mm512_mul_ps(_mm512_load_ps(s->value + i), up)), sum = _mm512_add_epi32(products, before);
    overflow |= _mm512_movepi32_mask(_mm512_andnot_si512(_mm512_xor_si512(products, before), _mm512_xor_si512(products, sum)));
    sums[i / 16] = sum;
  }
  if (overflow) return false;
  for (unsigned i = 0; i < n; i += 16) {
    const __m512i own = _mm512_load_si512(s->most + i), most = _mm512_max_epi32(own, least);
    const __m512i scale = _mm512_slli_epi32(_mm512_sub_epi32(most, _mm512_set1_epi32(EXEC_TENSOR_FRACTION - 127)), 23);
    __m512 cut = _mm512_cvt_roundepi32_ps(sums[i / 16], _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    const __mmask16 inexact = keeps_all(p) ? _mm512_cmpneq_epi32_mask(_mm512_cvttps_epi32(cut), sums[i / 16]) : 0;
    cut = _mm512_castsi512_ps(_mm512_mask_or_epi32(_mm512_castps_si512(cut), inexact, _mm512_castps_si512(cut), _mm512_set1_epi32(1)));
    const __mmask16 any = _mm512_cmpgt_epi32_mask(own, _mm512_set1_epi32(ZEROS_ONLY));
    _mm512_mask_store_ps(s->value + i, any, _mm512_mul_ps(cut, _mm512_castsi512_ps(scale)));
  }
  *inside = !outside;
  return true;
}
#endif

/* Adds the group's sum and truncates to the bits that are kept. False: a sum is near the ends of f32. */
static bool finish_group(const struct exec_tensor_product *p, struct sums *s) {
  const int fraction = p->native ? EXEC_TENSOR_BYTE_FRACTION : EXEC_TENSOR_FRACTION;
  const uint64_t mask = ~UINT64_C(0) << (53 - kept_bits(p)), odd = keeps_all(p) ? mask & (~mask + 1) : 0;
  const unsigned n = (unsigned)p->shape.m * p->shape.n;
  int32_t outside = 0;
#if defined(__AVX512F__)
  bool inside;
  if (!p->native && finished_narrow(p, s, &inside)) return inside;
#endif
  for (unsigned i = 0; i < n; i++) {
    const int32_t most = s->most[i] > LEAST_EXPONENT ? s->most[i] : LEAST_EXPONENT;
    outside |= ((s->most[i] < LEAST_EXPONENT) & (s->most[i] > ZEROS_ONLY)) | (s->most[i] > MOST_EXPONENT);
    const float up = exec_float((uint32_t)(fraction + 127 - most) << 23);
    const double down = exec_double((uint64_t)(uint32_t)(most - fraction + 1023) << 52);
    const double sum = (double)s->products[i] + (double)(int32_t)(s->value[i] * up);
    const uint64_t kept = (exec_bits64(sum) & mask) | (exec_bits64(sum) & ~mask ? odd : 0);
    const float cut = (float)(exec_double(kept) * down);
    s->value[i] = s->most[i] > ZEROS_ONLY ? cut : s->value[i];
  }
  return !outside;
}

static bool add_all(const struct exec_tensor_product *p, struct factors *a, struct factors *b, struct outlook ahead, struct sums *s) {
  const unsigned n = (unsigned)p->shape.m * p->shape.n;
  exponents(a->value, (unsigned)p->shape.m * p->shape.k, least_exponent(p, p->a), a->exponent);
  exponents(b->value, (unsigned)p->shape.n * p->shape.k, least_exponent(p, p->b), b->exponent);
  for (unsigned at = 0; at < p->shape.k; at += p->group) {
    exponents(s->value, n, -127, s->most);
    switch (p->group) { /* a compile-time constant, so that the loops over it are unrolled */
    case 32: add_group(p, a, b, at, 32, ahead, s); break;
    case 16: add_group(p, a, b, at, 16, ahead, s); break;
    case 8: add_group(p, a, b, at, 8, ahead, s); break;
    default: add_group(p, a, b, at, 4, ahead, s);
    }
    if (!finish_group(p, s)) return false;
  }
  return true;
}

/* The order in which 8-bit floats are summed that are not native: the first two of every four k, then the others. */
static void order_bytes(const uint32_t *in, unsigned lines, unsigned k, uint32_t *out) {
  for (unsigned i = 0; i < lines; i++)
    for (unsigned q = 0; q < k; q++) out[i * k + (q % 4 < 2 ? 0 : k / 2) + q / 4 * 2 + q % 2] = in[i * k + q];
}

/* a and b in the order in which they are summed, b transposed. False as above. */
static bool take_factors(const struct exec_tensor_product *p, const uint32_t *a, const uint32_t *b, struct factors *x, struct factors *y) {
  const unsigned m = p->shape.m, n = p->shape.n, k = p->shape.k;
  uint32_t ordered_a[EXEC_TENSOR_TILE] EXEC_ALIGNED, ordered_b[EXEC_TENSOR_TILE] EXEC_ALIGNED, wide[EXEC_TENSOR_TILE] EXEC_ALIGNED;
  if (adds_last(p)) {
    order_bytes(a, m, k, ordered_a);
    order_bytes(b, n, k, ordered_b);
    a = ordered_a, b = ordered_b;
  }
  if (!widen(a, m * k, p->a, (uint32_t *)(void *)x->value) || !widen(b, n * k, p->b, wide)) return false;
  turn(wide, n, k, (uint32_t *)(void *)y->value);
  return true;
}

static bool multiply_floats(const struct exec_tensor_product *p, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d) {
  struct factors x, y;
  struct sums s;
  uint32_t first[EXEC_TENSOR_TILE] EXEC_ALIGNED;
  const unsigned n = (unsigned)p->shape.m * p->shape.n;
  if (p->tiles > 1 || !widen(c, n, p->c, first) || !take_factors(p, a, b, &x, &y)) return false;
  if (adds_last(p)) memset(s.value, 0, n * sizeof *s.value);
  else memcpy(s.value, first, n * sizeof *s.value);
  const struct range a_range = range_of(x.value, (unsigned)p->shape.m * p->shape.k), c_range = range_of(s.value, n);
  const struct range b_range = range_of(y.value, (unsigned)p->shape.n * p->shape.k);
  const struct outlook ahead = look_ahead(p, &a_range, &b_range, &c_range);
  if (ahead.exact) add_exactly(p, x.value, y.value, s.value);
  else if (ahead.bound > MOST_EXPONENT || c_range.most > MOST_EXPONENT || !add_all(p, &x, &y, ahead, &s)) return false;
  if (adds_last(p))
    for (unsigned i = 0; i < n; i++) s.value[i] += exec_float(first[i]);
  if (p->d == PTX_F16)
    for (unsigned i = 0; i < n; i++) d[i] = exec_f16_from_float(s.value[i]);
  else memcpy(d, s.value, n * sizeof *d);
  return true;
}

/* ---- whole numbers --------------------------------------------------------------------------------------------- */

static void widen_whole(const uint32_t *in, unsigned n, uint8_t type, float *out) {
  const uint32_t sign = ptx_type_signed((enum ptx_type)type) ? 1u << (ptx_type_bits((enum ptx_type)type) - 1) : 0;
  for (unsigned i = 0; i < n; i++) out[i] = (float)(int32_t)((in[i] ^ sign) - sign);
}

static void multiply_wholes(const struct exec_tensor_product *p, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d) {
  float x[EXEC_TENSOR_TILE] EXEC_ALIGNED, y[EXEC_TENSOR_TILE] EXEC_ALIGNED, sums[EXEC_TENSOR_TILE] EXEC_ALIGNED;
  uint32_t turned[EXEC_TENSOR_TILE] EXEC_ALIGNED;
  const unsigned n = (unsigned)p->shape.m * p->shape.n;
  turn(b, p->shape.n, p->shape.k, turned);
  widen_whole(a, (unsigned)p->shape.m * p->shape.k, p->a, x);
  widen_whole(turned, (unsigned)p->shape.n * p->shape.k, p->b, y);
  memset(sums, 0, n * sizeof *sums);
  add_exactly(p, x, y, sums);
  if (!p->saturate)
    for (unsigned i = 0; i < n; i++) d[i] = (uint32_t)(int32_t)sums[i] + c[i];
  else
    for (unsigned i = 0; i < n; i++) {
      const int64_t sum = (int64_t)(int32_t)sums[i] + (int32_t)c[i], low = sum < INT32_MIN ? INT32_MIN : sum;
      d[i] = (uint32_t)(low > INT32_MAX ? INT32_MAX : low);
    }
}

/* ---- f64 ------------------------------------------------------------------------------------------------------- */

static void gather_wide(const struct exec_warp *w, const struct exec_tensor_fragment *f, uint64_t *tile) {
  const struct exec_tensor_layout *l = f->layout;
  for (unsigned r = 0; r < l->regs; r += l->span) {
    const uint64_t *row = EXEC_ROW(w, f->regs[r], uint64_t), *next = EXEC_ROW(w, f->regs[r + l->span - 1], uint64_t);
    uint64_t *out = tile + l->block[r / l->span];
    for (unsigned line = 0; line < 8; line++, out += l->cols)
      if (l->span == 1) memcpy(out, row + line * 4, 4 * sizeof *row);
      else
        for (unsigned t = 0; t < 4; t++) out[2 * t] = row[line * 4 + t], out[2 * t + 1] = next[line * 4 + t];
  }
}

static void scatter_wide(struct exec_warp *w, const struct exec_tensor_fragment *f, const uint64_t *tile) {
  const struct exec_tensor_layout *l = f->layout;
  uint64_t nowhere[EXEC_LANES] EXEC_ALIGNED;
  for (unsigned r = 0; r < l->regs; r += l->span) {
    const unsigned other = r + l->span - 1u;
    uint64_t *row = f->regs[r].file == EXEC_FNONE ? nowhere : EXEC_ROW(w, f->regs[r], uint64_t);
    uint64_t *next = f->regs[other].file == EXEC_FNONE ? nowhere : EXEC_ROW(w, f->regs[other], uint64_t);
    const uint64_t *in = tile + l->block[r / l->span];
    for (unsigned line = 0; line < 8; line++, in += l->cols)
      if (l->span == 1) memcpy(row + line * 4, in, 4 * sizeof *row);
      else
        for (unsigned t = 0; t < 4; t++) row[line * 4 + t] = in[2 * t], next[line * 4 + t] = in[2 * t + 1];
  }
}

enum { EIGHT = 8 }; /* columns */

/* One row's eight sums, k upwards. */
static INLINE void add_row(const uint64_t *a, const uint64_t *b, unsigned k, const uint64_t *c, uint64_t *d) {
#if defined(__AVX512F__)
  __m512d sum = _mm512_loadu_pd(c);
  for (unsigned q = 0; q < k; q++) sum = _mm512_fmadd_pd(_mm512_set1_pd(exec_double(a[q])), _mm512_loadu_pd(b + q * EIGHT), sum);
  _mm512_storeu_pd(d, sum);
#elif defined(__AVX2__)
  for (unsigned h = 0; h < EIGHT; h += 4) {
    __m256d sum = _mm256_loadu_pd((const double *)(const void *)(c + h));
    for (unsigned q = 0; q < k; q++)
      sum = _mm256_fmadd_pd(_mm256_set1_pd(exec_double(a[q])), _mm256_loadu_pd((const double *)(const void *)(b + q * EIGHT + h)), sum);
    _mm256_storeu_pd((double *)(void *)(d + h), sum);
  }
#else
  for (unsigned i = 0; i < EIGHT; i++) {
    double sum = exec_double(c[i]);
    for (unsigned q = 0; q < k; q++) sum = __builtin_fma(exec_double(a[q]), exec_double(b[q * EIGHT + i]), sum);
    d[i] = exec_bits64(sum);
  }
#endif
}

/* In the host's rounding direction: see exec_round_enter. False: a result is NaN; which NaN it must be is not determined here. */
static bool multiply_doubles(const struct exec_tensor_product *p, const uint64_t *a, const uint64_t *b, const uint64_t *c, uint64_t *d) {
  uint64_t turned[EXEC_TENSOR_WIDE_TILE] EXEC_ALIGNED, nan = 0;
  const unsigned m = p->shape.m, k = p->shape.k;
  for (unsigned i = 0; i < EIGHT; i++)
    for (unsigned q = 0; q < k; q++) turned[q * EIGHT + i] = b[i * k + q];
  for (unsigned row = 0; row < m; row++) add_row(a + row * k, turned, k, c + row * EIGHT, d + row * EIGHT);
  for (unsigned i = 0; i < m * EIGHT; i++) nan |= (d[i] & ~(UINT64_C(1) << 63)) > UINT64_C(0x7ff) << 52;
  return !nan;
}

typedef double four_doubles __attribute__((vector_size(32), may_alias));
typedef int64_t four_wholes __attribute__((vector_size(32), may_alias));

static INLINE void add_fused(double a, const four_doubles *b, four_doubles *sum) {
#if defined(__AVX2__)
  *sum = (four_doubles)_mm256_fmadd_pd(_mm256_set1_pd(a), (__m256d)*b, (__m256d)*sum);
#else
  for (unsigned i = 0; i < 4; i++) (*sum)[i] = __builtin_fma(a, (*b)[i], (*sum)[i]);
#endif
}

/* Lane i has row i / 4 of a at k = i % 4, column i / 4 of b at the same k, and columns 2 * (i % 4) and the next of row i / 4 of c. Even and
 * odd columns of b are therefore transposed separately. Nothing is written before it is known that no result is NaN. In the host's rounding
 * direction, as above. */
static bool multiply_small_doubles(const uint64_t *a, const uint64_t *b, const uint64_t *const c[2], uint64_t *const d[2]) {
  four_doubles sums[2][8];
  four_wholes nan = {0};
  for (unsigned odd = 0; odd < 2; odd++) {
    const four_doubles *v = (const four_doubles *)(const void *)b + odd; /* every second: its column's four k */
    const four_doubles x0 = PICK(v[0], v[2], 0, 4, 2, 6), x1 = PICK(v[0], v[2], 1, 5, 3, 7);
    const four_doubles y0 = PICK(v[4], v[6], 0, 4, 2, 6), y1 = PICK(v[4], v[6], 1, 5, 3, 7);
    const four_doubles t[4] = {PICK(x0, y0, 0, 1, 4, 5), PICK(x1, y1, 0, 1, 4, 5), PICK(x0, y0, 2, 3, 6, 7), PICK(x1, y1, 2, 3, 6, 7)};
    for (unsigned row = 0; row < 8; row++) {
      four_doubles sum = AT(four_doubles, c[odd] + 4 * row);
      for (unsigned q = 0; q < 4; q++) add_fused(exec_double(a[4 * row + q]), &t[q], &sum); /* k upwards */
      nan |= sum != sum;
      sums[odd][row] = sum;
    }
  }
  if (nan[0] | nan[1] | nan[2] | nan[3]) return false;
  for (unsigned odd = 0; odd < 2; odd++) memcpy(d[odd], sums[odd], sizeof sums[odd]);
  return true;
}

const struct exec_tensor_lanes EXEC_LANES_NAME(tensor) = {
    gather, scatter, gather_wide, scatter_wide, multiply_floats, multiply_wholes, multiply_small_doubles, multiply_doubles};
