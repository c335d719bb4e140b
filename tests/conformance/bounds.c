/* Judges results: see bounds.h. The mathematical functions are computed in long double. */
#include "bounds.h"

#include <math.h>
#include <string.h>

/* The value of a float of class `c`. */
static long double decode(const struct operand_class *c, uint64_t bits) {
  uint64_t emax = ((uint64_t)1 << c->exponent) - 1, m = bits & (((uint64_t)1 << c->mantissa) - 1);
  uint64_t e = bits >> c->mantissa & emax;
  bool negative = bits >> (c->mantissa + c->exponent) & 1;
  int bias = (int)(emax / 2);
  long double v;
  if (e == emax)
    v = m ? NAN : INFINITY;
  else if (e == 0)
    v = ldexpl((long double)m, 1 - bias - (int)c->mantissa);
  else
    v = ldexpl((long double)(m | (uint64_t)1 << c->mantissa), (int)e - bias - (int)c->mantissa);
  return negative ? -v : v;
}

static int least_exponent(const struct operand_class *c) { return 2 - (1 << (c->exponent - 1)); }

/* One unit in the last place of `v` in the format of `c`. */
static long double ulp_of(const struct operand_class *c, long double v) {
  int e = v == 0 ? least_exponent(c) : ilogbl(v);
  if (e < least_exponent(c)) e = least_exponent(c);
  return ldexpl(1, e - (int)c->mantissa);
}

/* log2 and the trigonometric functions see arguments exact in long double; their own error is far below any
 * bound. */
static long double truth(enum truth t, long double a, long double b) {
  switch (t) {
  case TRUTH_DIV: return a / b;
  case TRUTH_RCP: return 1 / a;
  case TRUTH_SQRT: return sqrtl(a);
  case TRUTH_RSQRT: return 1 / sqrtl(a);
  case TRUTH_SIN: return sinl(a);
  case TRUTH_COS: return cosl(a);
  case TRUTH_LG2: return log2l(a);
  case TRUTH_EX2: return exp2l(a);
  case TRUTH_TANH: return tanhl(a);
  default: return NAN;
  }
}

/* Whether the ISA states a bound for this argument. */
static bool in_range(const struct bound *b, long double x, long double y) {
  static const long double TWO_PI = 6.283185307179586476925L;
  if (b->truth == TRUTH_SIN || b->truth == TRUTH_COS) return fabsl(x) <= TWO_PI;
  if (b->truth == TRUTH_DIV) return fabsl(y) >= ldexpl(1, -126) && fabsl(y) <= ldexpl(1, 126);
  return true;
}

static long double flushed(const struct operand_class *c, long double v) {
  return fabsl(v) < ldexpl(1, least_exponent(c)) ? copysignl(0, v) : v;
}

/* Error of `got` in the unit of the bound, or a negative number where no error can be stated. */
static double error_of(const struct bound *b, const struct operand_class *c, long double want,
                       long double got, long double argument) {
  long double least = ldexpl(1, least_exponent(c)), size = fabsl(want) < least ? least : fabsl(want);
  long double off = fabsl(got - want);
  if (!isfinite(want) || !isfinite(got)) return -1;
  switch (b->judge) {
  case JUDGE_ULP: return (double)(off / ulp_of(c, want));
  case JUDGE_RELATIVE: return (double)(off / size);
  case JUDGE_LOG: return (double)(argument > 0.5L && argument < 2 ? off : off / size);
  default: return (double)off;
  }
}

double bounds_limit(const struct variant *v) {
  return v->bound.judge == JUDGE_ULP ? v->bound.bound : exp2(v->bound.bound);
}

const char *bounds_unit(const struct variant *v) {
  switch (v->bound.judge) {
  case JUDGE_ULP: return "ulp";
  case JUDGE_RELATIVE: return "relative";
  case JUDGE_LOG: return "absolute or relative";
  default: return "absolute";
  }
}

static uint64_t take(const unsigned char *bytes, unsigned size) {
  uint64_t v = 0;
  for (unsigned i = 0; i < size; i++) v |= (uint64_t)bytes[i] << (8 * i);
  return v;
}

static uint64_t low_bits(uint64_t v, unsigned width) {
  return width >= 64 ? v : v & (((uint64_t)1 << width) - 1);
}

/* The error of one element against the function it approximates; negative when there is none to state. */
static double approximation_error(const struct variant *v, unsigned lane, unsigned part, uint64_t bits) {
  const struct operand_class *c = v->results[0].cls;
  bool ftz = strstr(v->opcode, ".ftz") != NULL;
  long double x[2] = {0, 0};
  for (unsigned k = 0; k < v->operand_count && k < 2; k++) {
    const struct operand_class *in = v->operands[k].cls;
    uint64_t slot = input_slot(in, k, v->operand_count, lane, 0);
    x[k] = decode(in, low_bits(slot >> (part * in->width), in->width));
    if (ftz) x[k] = flushed(in, x[k]);
  }
  if (!in_range(&v->bound, x[0], x[1])) return -1;
  long double want = truth(v->bound.truth, x[0], x[1]), got = decode(c, bits);
  if (ftz && got == 0 && fabsl(want) < ldexpl(1, least_exponent(c))) return -1;
  return error_of(&v->bound, c, want, got, x[0]);
}

/* Judges one element of a register; records the errors met. */
static bool element_passes(const struct variant *v, const struct operand_class *c, unsigned lane,
                           unsigned part, uint64_t want, uint64_t got, struct verdict *verdict) {
  bool is_float = c->mantissa != 0;
  long double w = is_float ? decode(c, want) : 0, g = is_float ? decode(c, got) : 0;
  if (v->bound.judge == JUDGE_EXACT || !is_float) return want == got;
  if (v->bound.judge == JUDGE_NAN) return want == got || (isnan(w) && isnan(g));
  if (v->bound.judge == JUDGE_NEAR) {
    double off = want == got ? 0 : (double)fabsl(w - g);
    if (off > verdict->worst) verdict->worst = off;
    return off <= bounds_limit(v) || (isnan(w) && isnan(g));
  }
  double theirs = approximation_error(v, lane, part, want), ours = approximation_error(v, lane, part, got);
  if (theirs > verdict->silicon) verdict->silicon = theirs;
  if (ours > verdict->worst) verdict->worst = ours;
  if (want == got || (isnan(w) && isnan(g))) return true;
  /* Where the ISA states no bound (arguments beyond two pi, divisors out of range) the silicon's answer is the truth. */
  if (ours < 0) ours = error_of(&v->bound, c, w, g, 1);
  return ours >= 0 && ours <= bounds_limit(v);
}

static bool lane_passes(const struct variant *v, unsigned lane, const unsigned char *want,
                        const unsigned char *got, struct verdict *verdict) {
  bool good = true;
  for (unsigned k = 0; k < v->result_count; k++) {
    const struct operand *o = &v->results[k];
    unsigned parts = o->cls->mantissa ? o->cls->bytes * 8 / o->cls->width : 1;
    unsigned size = o->cls->bytes / parts;
    for (unsigned i = 0; i < o->count * parts; i++) {
      unsigned at = o->offset + i * size;
      if (!element_passes(v, o->cls, lane, i % parts, take(want + at, size), take(got + at, size), verdict))
        good = false;
    }
  }
  return good;
}

struct verdict bounds_judge(const struct variant *v, const unsigned char *expected,
                            const unsigned char *got) {
  struct verdict verdict = {.passed = true};
  size_t size = (size_t)v->lanes * v->stride;
  if (v->bound.judge <= JUDGE_NAN && memcmp(expected, got, size) == 0) return verdict;
  for (unsigned lane = 0; lane < v->lanes; lane++) {
    size_t at = (size_t)lane * v->stride;
    if (lane_passes(v, lane, expected + at, got + at, &verdict)) continue;
    if (verdict.bad++ == 0) verdict.first_bad = lane;
    verdict.passed = false;
  }
  return verdict;
}
