/* Input values of the conformance kit: see inputs.h. Every value is a pure function of its arguments. */
#include "lane_inputs.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Integer classes, float classes with their exponent and mantissa widths, and the narrow ranges that single
 * operands such as shift counts and lane numbers take. */
#define INT(n, r, m, b, w)                                                                                   \
  { n, r, m, b, INPUT_INT, w, 0, 0, 0 }
#define FLT(n, r, m, b, w, e, f)                                                                             \
  { n, r, m, b, INPUT_FLOAT, w, e, f, 0 }
#define MODEST(n, r, m, b, w, e, f)                                                                          \
  { n, r, m, b, INPUT_MODEST, w, e, f, 0 }
#define WHOLE(n, r, m, b, w, e, f, l)                                                                        \
  { n, r, m, b, INPUT_WHOLE, w, e, f, l }
#define SPARSE(n, r, m, b, w, e, f)                                                                          \
  { n, r, m, b, INPUT_SPARSE, w, e, f, 3 }
#define RANGE(n, l)                                                                                          \
  { n, ".b32", ".b32", 4, INPUT_RANGE, 32, 0, 0, l }

static const struct operand_class CLASSES[] = {
    INT("u8", ".u32", ".u32", 4, 32),
    INT("s8", ".s32", ".s32", 4, 32),
    INT("b8", ".b32", ".b32", 4, 32),
    INT("u16", ".u16", ".u16", 2, 16),
    INT("s16", ".s16", ".s16", 2, 16),
    INT("b16", ".b16", ".b16", 2, 16),
    INT("u32", ".u32", ".u32", 4, 32),
    INT("s32", ".s32", ".s32", 4, 32),
    INT("b32", ".b32", ".b32", 4, 32),
    INT("u64", ".u64", ".u64", 8, 64),
    INT("s64", ".s64", ".s64", 8, 64),
    INT("b64", ".b64", ".b64", 8, 64),
    INT("wu16", ".u32", ".u32", 4, 32),
    INT("ws16", ".s32", ".s32", 4, 32),
    INT("wu32", ".u64", ".u64", 8, 64),
    INT("ws32", ".s64", ".s64", 8, 64),
    INT("u16x2", ".b32", ".b32", 4, 16),
    INT("s16x2", ".b32", ".b32", 4, 16),
    INT("b8x4", ".b32", ".b32", 4, 8),
    FLT("f16", ".b16", ".b16", 2, 16, 5, 10),
    FLT("bf16", ".b16", ".b16", 2, 16, 8, 7),
    FLT("f16x2", ".b32", ".b32", 4, 16, 5, 10),
    FLT("bf16x2", ".b32", ".b32", 4, 16, 8, 7),
    FLT("f32", ".f32", ".f32", 4, 32, 8, 23),
    FLT("f64", ".f64", ".f64", 8, 64, 11, 52),
    FLT("tf32", ".b32", ".b32", 4, 32, 8, 23),
    {"e4m3x2", ".b16", ".b16", 2, INPUT_BITS, 8, 0, 0, 0},
    {"e5m2x2", ".b16", ".b16", 2, INPUT_BITS, 8, 0, 0, 0},
    {"pred", ".pred", NULL, 1, INPUT_RANGE, 32, 0, 0, 2},
    {"raw32", ".b32", ".b32", 4, INPUT_BITS, 32, 0, 0, 0},
    {"raw64", ".b64", ".b64", 8, INPUT_BITS, 64, 0, 0, 0},
    {"shift", ".u32", ".u32", 4, INPUT_SHIFT, 32, 0, 0, 0},
    RANGE("bit", 2),
    RANGE("few", 4),
    RANGE("oct", 8),
    RANGE("lane", 32),
    RANGE("lane64", 64),
    RANGE("byte", 256),
    RANGE("small", 1000),
    {"few64", ".b64", ".b64", 8, INPUT_RANGE, 64, 0, 0, 4},
    {"small64", ".b64", ".b64", 8, INPUT_RANGE, 64, 0, 0, 1000},
    MODEST("mf16x2", ".b32", ".b32", 4, 16, 5, 10),
    MODEST("mbf16x2", ".b32", ".b32", 4, 16, 8, 7),
    MODEST("mf32", ".f32", ".f32", 4, 32, 8, 23),
    MODEST("mtf32", ".b32", ".b32", 4, 32, 8, 10),
    MODEST("me4m3", ".b32", ".b32", 4, 8, 4, 3),
    MODEST("mf64", ".f64", ".f64", 8, 64, 11, 52),
    WHOLE("nf16", ".b16", ".b16", 2, 16, 5, 10, 7),
    WHOLE("nbf16", ".b16", ".b16", 2, 16, 8, 7, 1),
    WHOLE("nf16x2", ".b32", ".b32", 4, 16, 5, 10, 7),
    WHOLE("nbf16x2", ".b32", ".b32", 4, 16, 8, 7, 1),
    WHOLE("kbf16x2", ".b32", ".b32", 4, 16, 8, 7, 60),
    WHOLE("nf32", ".f32", ".f32", 4, 32, 8, 23, 500),
    WHOLE("ntf32", ".b32", ".b32", 4, 32, 8, 23, 30),
    WHOLE("nf64", ".f64", ".f64", 8, 64, 11, 52, 5000),
    SPARSE("sf16x2", ".b32", ".b32", 4, 16, 5, 10),
    SPARSE("sbf16x2", ".b32", ".b32", 4, 16, 8, 7),
    SPARSE("sf32", ".f32", ".f32", 4, 32, 8, 23),
    SPARSE("stf32", ".b32", ".b32", 4, 32, 8, 23),
    SPARSE("sf64", ".f64", ".f64", 8, 64, 11, 52),
    {"kept", ".b32", ".b32", 4, INPUT_KEPT, 4, 0, 0, 0},
    {"keptpair", ".b32", ".b32", 4, INPUT_KEPT_PAIRS, 4, 0, 0, 0},
};

const struct operand_class *input_class(const char *name) {
  for (size_t i = 0; i < sizeof CLASSES / sizeof CLASSES[0]; i++)
    if (strcmp(CLASSES[i].name, name) == 0) return &CLASSES[i];
  return NULL;
}

uint64_t input_mix(uint64_t a, uint64_t b) {
  uint64_t z = a + 0x9e3779b97f4a7c15u * (b + 1);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static uint64_t mask_of(unsigned width) { return width >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << width) - 1; }

/* Integers. The special values are the ends of the signed and unsigned ranges, small counts, the middle of
 * the word (where a product overflows) and alternating bits. */
enum { INT_CROSSED = 22, INT_SPECIALS = 28 };

static uint64_t int_special(unsigned width, unsigned i) {
  uint64_t half = (uint64_t)1 << (width / 2), top = (uint64_t)1 << (width - 1);
  const uint64_t list[INT_SPECIALS] = {0,
                                       1,
                                       2,
                                       3,
                                       5,
                                       7,
                                       10,
                                       31,
                                       width,
                                       half - 1,
                                       half,
                                       half + 1,
                                       half / 2,
                                       top - 1,
                                       top,
                                       top + 1,
                                       0x5555555555555555u,
                                       0xaaaaaaaaaaaaaaaau,
                                       ~(uint64_t)0,
                                       ~(uint64_t)1,
                                       ~(uint64_t)6,
                                       ~half,
                                       0x7f,
                                       0x80,
                                       0xff,
                                       0x100,
                                       ~(uint64_t)0x7f,
                                       ~(uint64_t)0x80};
  return list[i % INT_SPECIALS] & mask_of(width);
}

/* Uniform bits, bits of a random magnitude, the same negated, or a special value. */
static uint64_t int_random(unsigned width, uint64_t r) {
  uint64_t v = input_mix(r, 1), shift = (r >> 8) % width;
  switch (r % 5) {
  case 0: v = int_special(width, (unsigned)(r >> 16)); break;
  case 1: v = (v & mask_of(width)) >> shift; break;
  case 2: v = (uint64_t)0 - ((v & mask_of(width)) >> shift); break;
  default: break;
  }
  return v & mask_of(width);
}

/* Floats of any format, from the widths of exponent and mantissa. */
enum { FLOAT_SPECIALS = 22 };

static uint64_t float_make(const struct operand_class *c, uint64_t sign, uint64_t exponent,
                           uint64_t mantissa) {
  uint64_t bits = sign << (c->exponent + c->mantissa) | exponent << c->mantissa | mantissa;
  return bits;
}

static uint64_t float_special(const struct operand_class *c, unsigned i) {
  uint64_t emax = mask_of(c->exponent), mmax = mask_of(c->mantissa), bias = emax / 2;
  uint64_t top = (uint64_t)1 << (c->mantissa - 1);
  switch (i % FLOAT_SPECIALS) {
  case 0: return 0;
  case 1: return float_make(c, 1, 0, 0);
  case 2: return float_make(c, 0, 0, 1);
  case 3: return float_make(c, 1, 0, 1);
  case 4: return float_make(c, 0, 0, mmax);
  case 5: return float_make(c, 1, 0, top + 1);
  case 6: return float_make(c, 0, 1, 0);
  case 7: return float_make(c, 1, 1, 0);
  case 8: return float_make(c, 0, bias, 0);
  case 9: return float_make(c, 1, bias, 0);
  case 10: return float_make(c, 0, bias, 1);
  case 11: return float_make(c, 0, bias - 1, 0);
  case 12: return float_make(c, 0, bias, top);
  case 13: return float_make(c, 1, bias + 1, top / 2);
  case 14: return float_make(c, 0, bias + 1, top);
  case 15: return float_make(c, 0, emax - 1, mmax);
  case 16: return float_make(c, 1, emax - 1, mmax);
  case 17: return float_make(c, 0, emax, 0);
  case 18: return float_make(c, 1, emax, 0);
  case 19: return float_make(c, 0, emax, top);
  case 20: return float_make(c, 1, emax, top | (mmax / 5));
  default: return float_make(c, 0, emax, 1);
  }
}

/* A mantissa whose low `tail` bits are at, or next to, a rounding tie for a narrower format. */
static uint64_t tie_mantissa(const struct operand_class *c, uint64_t r) {
  static const unsigned TAILS64[] = {29, 42, 45, 50}, TAILS32[] = {13, 16, 20, 21}, TAILS16[] = {7, 8, 3, 2};
  unsigned pick = (unsigned)(r % 4);
  unsigned tail = c->mantissa > 40   ? TAILS64[pick]
                  : c->mantissa > 20 ? TAILS32[pick]
                  : c->mantissa > 8  ? TAILS16[pick]
                                     : TAILS16[pick] / 2;
  uint64_t half = tail ? (uint64_t)1 << (tail - 1) : 0, low = mask_of(tail);
  const uint64_t tails[] = {0, half, half - 1, half + 1, low, 1};
  uint64_t head = input_mix(r, 2) & mask_of(c->mantissa) & ~low;
  return head | (tails[(r >> 2) % 6] & low);
}

/* An exponent within `span` of `centre`, kept inside the finite range. */
static uint64_t exponent_near(const struct operand_class *c, int64_t centre, uint64_t span, uint64_t r) {
  int64_t e = centre + (int64_t)(r % (2 * span + 1)) - (int64_t)span,
          last = (int64_t)mask_of(c->exponent) - 1;
  if (e < 0) e = 0;
  if (e > last) e = last;
  return (uint64_t)e;
}

static uint64_t float_random(const struct operand_class *c, uint64_t r) {
  int64_t bias = (int64_t)mask_of(c->exponent) / 2;
  uint64_t s = (r >> 4) & 1, m = input_mix(r, 3) & mask_of(c->mantissa), e = r >> 12;
  switch (r % 10) {
  case 0: return float_special(c, (unsigned)(r >> 8));
  case 1: return input_mix(r, 4) & mask_of(c->width);
  case 2: return float_make(c, s, exponent_near(c, bias + 32, 34, e), m);
  case 3:
    return float_make(c, s, exponent_near(c, bias, c->mantissa + 2u, e), m & ~(mask_of(c->mantissa) >> 4));
  case 4: return float_make(c, s, exponent_near(c, bias, 20, e), tie_mantissa(c, r >> 20));
  case 5: return float_make(c, s, exponent_near(c, 0, 3, e), m);
  case 6: return float_make(c, s, exponent_near(c, bias, (uint64_t)bias, e), m);
  case 7:
    return float_make(c, s, exponent_near(c, c->mantissa > 40 ? bias - 138 : bias - 20, 14, e),
                      tie_mantissa(c, r >> 20));
  default: return float_make(c, s, exponent_near(c, bias, 3, e), m);
  }
}

/* A whole number of magnitude at most `limit` in the class's float format. */
static uint64_t whole(const struct operand_class *c, uint64_t r) {
  uint64_t v = (r >> 8) % (c->limit + 1u), s = r & 1, e = 0;
  if (v == 0) return 0;
  while (v >> (e + 1)) e++;
  uint64_t mantissa = (v << (c->mantissa - e)) & mask_of(c->mantissa);
  return float_make(c, s, mask_of(c->exponent) / 2 + e, mantissa);
}

/* Small whole numbers, seldom a negative zero, an infinity or a NaN. */
static uint64_t sparse(const struct operand_class *c, uint64_t r) {
  static const unsigned RARE[] = {1, 17, 18, 19};
  return (r >> 32) % 64 == 0 ? float_special(c, RARE[(r >> 40) % 4]) : whole(c, r);
}

static uint64_t modest(const struct operand_class *c, uint64_t r) {
  int64_t bias = (int64_t)mask_of(c->exponent) / 2;
  uint64_t v =
      float_make(c, r & 1, exponent_near(c, bias, 3, r >> 8), input_mix(r, 5) & mask_of(c->mantissa));
  return v << (c->width - 1 - c->exponent - c->mantissa);
}

static uint64_t shift_count(uint64_t r) {
  if (r % 8 == 0) return int_special(32, (unsigned)(r >> 8));
  if (r % 8 == 1) return r >> 32;
  return (r >> 8) % 71;
}

/* The special value of this position in the cross product of an instruction's operands, or random. */
static uint64_t crossed(const struct operand_class *c, unsigned position, unsigned arity, unsigned lane,
                        uint64_t r) {
  unsigned n = c->kind == INPUT_FLOAT ? FLOAT_SPECIALS : arity > 1 ? INT_CROSSED : INT_SPECIALS;
  unsigned whole_cross = arity > 1 ? n * n : n;
  bool is_float = c->kind == INPUT_FLOAT;
  if (lane < whole_cross && position < 2) {
    unsigned i = position == 0 && arity > 1 ? lane / n : lane % n;
    return is_float ? float_special(c, i) : int_special(c->width, i);
  }
  return is_float ? float_random(c, r) : int_random(c->width, r);
}

/* Two bits for the place of each of two elements out of four, the first one's below. */
static uint64_t kept(uint64_t r) {
  static const uint8_t PLACES[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
  return PLACES[(r >> 8) % sizeof PLACES];
}

static uint64_t element(const struct operand_class *c, unsigned position, unsigned arity, unsigned lane,
                        uint64_t r) {
  switch (c->kind) {
  case INPUT_INT:
  case INPUT_FLOAT: return crossed(c, position, arity, lane, r);
  case INPUT_BITS: return r & mask_of(c->width);
  case INPUT_RANGE: return (r >> 8) % c->limit;
  case INPUT_SHIFT: return shift_count(r) & mask_of(32);
  case INPUT_MODEST: return modest(c, r);
  case INPUT_SPARSE: return sparse(c, r);
  case INPUT_KEPT: return kept(r);
  case INPUT_KEPT_PAIRS: return r >> 8 & 1 ? 0xe : 0x4;
  default: return whole(c, r);
  }
}

static uint64_t class_seed(const struct operand_class *c) {
  uint64_t h = 0;
  for (const char *p = c->name; *p; p++) h = input_mix(h, (unsigned char)*p);
  return h;
}

uint64_t input_slot(const struct operand_class *cls, unsigned position, unsigned arity, unsigned lane,
                    unsigned slot) {
  uint64_t seed = input_mix(input_mix(class_seed(cls), position), (uint64_t)lane << 16 | slot), bits = 0;
  for (unsigned at = 0; at < 64; at += cls->width) {
    uint64_t r = input_mix(seed, at);
    unsigned where = at == 0 && slot == 0 ? lane : ~0u;
    bits |= element(cls, position, arity, where, r) << at;
  }
  return bits;
}
