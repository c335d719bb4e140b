/* Rounding to and widening from small floating-point formats, for everything that needs no vector loop. See float_bits.h. */
#include "exec/float_bits.h"

const struct exec_format EXEC_FORMAT_F16 = {5, 10, true};
const struct exec_format EXEC_FORMAT_BF16 = {8, 7, true};
const struct exec_format EXEC_FORMAT_TF32 = {8, 10, true};
const struct exec_format EXEC_FORMAT_E4M3 = {4, 3, false};
const struct exec_format EXEC_FORMAT_E5M2 = {5, 2, true};

const uint32_t exec_hidden_sign32 = 0x80000000u;
const uint64_t exec_hidden_sign64 = 0x8000000000000000u;

static uint32_t format_nan(const struct exec_format *f) {
  return (1u << (f->exponent_bits + f->mantissa_bits)) - 1;
}
static uint32_t format_infinity(const struct exec_format *f) {
  return ((1u << f->exponent_bits) - 1) << f->mantissa_bits;
}
static uint32_t format_largest(const struct exec_format *f) {
  return (f->infinity ? format_infinity(f) : format_nan(f)) - 1;
}

/* Whether a magnitude whose discarded part is `rest` (of `half` = half a unit) goes up. */
static bool goes_up(enum exec_round round, bool negative, bool odd, uint64_t rest, uint64_t half) {
  switch (round) {
  case EXEC_RZ: return false;
  case EXEC_RM: return negative && rest != 0;
  case EXEC_RP: return !negative && rest != 0;
  case EXEC_RNA: return rest >= half;
  default: return rest > half || (rest == half && odd);
  }
}

static uint32_t overflowed(const struct exec_format *f, enum exec_round round, bool negative, bool exact) {
  const bool inward = round == EXEC_RZ || (round == EXEC_RM && !negative) || (round == EXEC_RP && negative);
  if (!f->infinity || (inward && !exact)) return format_largest(f);
  return format_infinity(f);
}

uint32_t exec_narrow(double x, const struct exec_format *f, enum exec_round round, bool saturate) {
  const uint64_t u = exec_bits64(x), magnitude = u & ~(1ull << 63);
  const bool negative = u >> 63;
  const uint32_t sign = (uint32_t)negative << (f->exponent_bits + f->mantissa_bits);
  if (x != x) return format_nan(f);
  if (magnitude == 0) return sign;
  if (magnitude == 0x7ff0000000000000u)
    return sign | (saturate ? format_largest(f) : overflowed(f, round, negative, true));

  const int bias = (1 << (f->exponent_bits - 1)) - 1;
  int exponent = (int)(magnitude >> 52) - 1023 + bias; /* biased in the new format */
  uint64_t m = (magnitude & 0xfffffffffffffu) | 1ull << 52;
  int drop = 52 - f->mantissa_bits;
  if (exponent < 1) {
    drop += 1 - exponent;
    exponent = 1;
  }
  if (drop > 62) { /* far below half of the smallest number (a subnormal double also comes here) */
    m = 1;
    drop = 62;
  }
  const uint64_t kept = m >> drop, rest = m & ((1ull << drop) - 1), half = 1ull << (drop - 1);
  const uint64_t rounded = kept + goes_up(round, negative, kept & 1, rest, half);
  /* The implicit bit of a normal number adds one to the exponent field, and so does a carry out of the
   * mantissa. */
  const uint64_t bits = ((uint64_t)(exponent - 1) << f->mantissa_bits) + rounded;
  if (bits > format_largest(f))
    return sign | (saturate ? format_largest(f) : overflowed(f, round, negative, false));
  return sign | (uint32_t)bits;
}

double exec_widen(uint32_t bits, const struct exec_format *f) {
  const uint32_t magnitude = bits & format_nan(f), mantissa = magnitude & ((1u << f->mantissa_bits) - 1);
  const uint32_t exponent = magnitude >> f->mantissa_bits;
  const bool negative = bits >> (f->exponent_bits + f->mantissa_bits) & 1;
  const int bias = (1 << (f->exponent_bits - 1)) - 1;
  double v;
  if (f->infinity ? magnitude > format_infinity(f) : magnitude == format_nan(f))
    return exec_double(EXEC_NAN64_BITS);
  if (f->infinity && magnitude == format_infinity(f))
    v = __builtin_inf();
  else if (exponent == 0)
    v = __builtin_ldexp(mantissa, 1 - bias - f->mantissa_bits);
  else
    v = __builtin_ldexp(mantissa | 1u << f->mantissa_bits, (int)exponent - bias - f->mantissa_bits);
  return negative ? -v : v;
}

double exec_odd_from_u64(uint64_t v) {
  if (v >> 53) v = (v & ~0xfffull) | (v & 0xfff ? 0x800 : 0);
  return (double)v;
}
double exec_odd_from_s64(int64_t v) {
  return v < 0 ? -exec_odd_from_u64(0 - (uint64_t)v) : exec_odd_from_u64((uint64_t)v);
}
