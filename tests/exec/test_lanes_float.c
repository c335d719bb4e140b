/* f32 and f64 arithmetic lanes against exact 128-bit references, and the approximations against the C library
 * with the ISA's bounds. */
#include "float_rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const ROUND_WORD[] = {".rn", ".rz", ".rm", ".rp"};

/* A float format and its NaN rule. */
struct format {
  const char *name;
  unsigned e, m;
};
static const struct format F32 = {"f32", 8, 23}, F64 = {"f64", 11, 52};

static unsigned width(struct format f) { return f.e + f.m + 1; }
static uint64_t sign_of(struct format f, uint64_t x) { return x & (uint64_t)1 << (f.e + f.m); }
static bool is_nan(struct format f, uint64_t x) { return exact_is_nan(x, f.e, f.m); }
static uint64_t flush(struct format f, uint64_t x) {
  const uint64_t exponent = x >> f.m & (((uint64_t)1 << f.e) - 1);
  return exponent ? x : sign_of(f, x);
}

/* f32 has one NaN; f64 keeps an operand, made quiet: the second, else the first, else the third. */
static uint64_t nan_result(struct format f, const uint64_t *in, unsigned n) {
  static const unsigned ORDER[] = {1, 0, 2};
  if (f.e == 8) return 0x7fffffffu;
  for (unsigned i = 0; i < 3; i++)
    if (ORDER[i] < n && is_nan(f, in[ORDER[i]])) return in[ORDER[i]] | (uint64_t)1 << 51;
  return 0xfff8000000000000u;
}

enum operation { ADD, SUB, MUL, FMA, DIV, RCP, SQRT };
static const char *const OP_WORD[] = {"add", "sub", "mul", "fma", "div", "rcp", "sqrt"};
static const unsigned OPERANDS[] = {2, 2, 2, 3, 2, 1, 1};

static struct exact compute(enum operation op, quad a, quad b, quad c) {
  switch (op) {
  case ADD: return exact_add(a, b);
  case SUB: return exact_add(a, -b);
  case MUL: return (struct exact){a * b, 0};
  case FMA: return exact_add(a * b, c);
  case DIV: return exact_div(a, b);
  case RCP: return exact_div(1, a);
  default: return exact_sqrt(a);
  }
}

/* A sum that is exactly zero is -0 when rounding down, unless both terms are +0. */
static bool zero_is_negative(enum operation op, quad a, quad b, quad c, quad sum, enum exec_round round) {
  const bool plain = __builtin_signbit((double)sum);
  if (op != ADD && op != SUB && op != FMA) return plain;
  const quad first = op == FMA ? a * b : a, second = op == FMA ? c : op == SUB ? -b : b;
  const bool negative = __builtin_signbit((double)first), other = __builtin_signbit((double)second);
  if (first == 0 && second == 0 && negative == other) return negative;
  return round == EXEC_RM;
}

static uint64_t reference(enum operation op, struct format f, const uint64_t *raw, enum exec_round round,
                          bool ftz, bool sat) {
  uint64_t in[3];
  quad v[3];
  for (int i = 0; i < 3; i++) {
    in[i] = ftz ? flush(f, raw[i]) : raw[i];
    v[i] = exact_value(in[i], f.e, f.m);
  }
  const struct exact x = compute(op, v[0], v[1], v[2]);
  const uint64_t one = (((uint64_t)1 << (f.e - 1)) - 1) << f.m;
  uint64_t r;
  if (x.s != x.s) {
    const uint64_t swapped[] = {in[1], in[0]}; /* a quotient looks at its operands in the other order */
    return sat ? 0 : nan_result(f, op == DIV ? swapped : in, OPERANDS[op]);
  }
  if (x.s == 0)
    r = zero_is_negative(op, v[0], v[1], v[2], x.s, round) ? (uint64_t)1 << (f.e + f.m) : 0;
  else
    r = exact_round(x, f.e, f.m, round);
  if (ftz) r = flush(f, r);
  if (ftz && op == DIV && (x.s < 0 ? -x.s : x.s) < 0x1p-126) r = sign_of(f, r); /* before rounding */
  if (sat) r = sign_of(f, r) ? 0 : r > one ? one : r;
  return r;
}

/* Crossed special values, then random ones. */
enum { CROSSED = RIG_SPECIALS * RIG_SPECIALS, RANDOM = 3000, CASES = CROSSED + RANDOM };
static struct rig_case cases[CASES];

static void fill(struct format f, uint64_t seed) {
  for (unsigned i = 0; i < CASES; i++)
    for (unsigned k = 0; k < 3; k++) {
      const unsigned nth = k == 0 ? i : k == 1 ? i / RIG_SPECIALS : i * 7 + i / 31;
      cases[i].in[k] = i < CROSSED ? rig_special(f.e, f.m, nth % RIG_SPECIALS) : rig_float(f.e, f.m, &seed);
    }
}

static struct rig_shape shape_of(struct format f, unsigned n) {
  const unsigned w = width(f);
  return (struct rig_shape){.dst = w, .src = {w, w, w}, .n_src = n};
}

static void check_variant(enum operation op, struct format f, const char *word, enum exec_round round,
                          bool ftz, bool sat) {
  char text[64];
  snprintf(text, sizeof text, "%s%s%s%s.%s", OP_WORD[op], word, ftz ? ".ftz" : "", sat ? ".sat" : "", f.name);
  for (unsigned i = 0; i < CASES; i++) cases[i].want = reference(op, f, cases[i].in, round, ftz, sat);
  rig_check(text, RIG_FLOAT, shape_of(f, OPERANDS[op]), cases, CASES);
}

static void check_exact(enum operation op, struct format f) {
  fill(f, 17 + (uint64_t)op);
  for (int r = EXEC_RN; r <= EXEC_RP; r++)
    for (int v = 0; v < (f.e == 8 ? (op <= FMA ? 4 : 2) : 1); v++)
      check_variant(op, f, ROUND_WORD[r], (enum exec_round)r, v & 1, v & 2);
  if (op < FMA) check_variant(op, f, "", EXEC_RN, false, false);
}

static void test_add_is_exact_in_every_direction(void **state) {
  (void)state;
  check_exact(ADD, F32);
  check_exact(ADD, F64);
}
static void test_sub_is_exact_in_every_direction(void **state) {
  (void)state;
  check_exact(SUB, F32);
  check_exact(SUB, F64);
}
static void test_mul_is_exact_in_every_direction(void **state) {
  (void)state;
  check_exact(MUL, F32);
  check_exact(MUL, F64);
}
static void test_fma_rounds_once_in_every_direction(void **state) {
  (void)state;
  check_exact(FMA, F32);
  check_exact(FMA, F64);
}
static void test_div_is_exact_in_every_direction(void **state) {
  (void)state;
  check_exact(DIV, F32);
  check_exact(DIV, F64);
}
static void test_rcp_and_sqrt_are_exact_in_every_direction(void **state) {
  (void)state;
  check_exact(RCP, F32);
  check_exact(RCP, F64);
  check_exact(SQRT, F32);
  check_exact(SQRT, F64);
  fill(F64, 17);
  for (unsigned i = 0; i < CASES; i++) cases[i].want = reference(RCP, F64, cases[i].in, EXEC_RZ, false, false);
  rig_check("rcp.rz.ftz.f64", RIG_FLOAT, shape_of(F64, OPERANDS[RCP]), cases, CASES); /* which keeps subnormals all the same */
}

/* The host's rounding direction is as it was after a directed operation. */
static void test_host_rounding_is_restored(void **state) {
  (void)state;
  fill(F32, 3);
  rig_isas((const struct exec_lanes *[RIG_MAX_ISAS]){0});
  volatile double third = 1.0, three = 3.0;
  const double before = third / three;
  check_variant(ADD, F32, ".rp", EXEC_RP, false, false);
  assert_true(third / three == before);
  assert_int_equal(fegetround(), FE_TONEAREST);
}

/* ---- min, max and signs -------------------------------------------------------------------------------- */

static bool below(struct format f, uint64_t a, uint64_t b) {
  const quad x = exact_value(a, f.e, f.m), y = exact_value(b, f.e, f.m);
  if (x == 0 && y == 0) return sign_of(f, a) && !sign_of(f, b);
  return x < y;
}

static uint64_t minmax(struct format f, const uint64_t *raw, bool max, bool ftz, bool nan, bool xorsign) {
  uint64_t in[2] = {ftz ? flush(f, raw[0]) : raw[0], ftz ? flush(f, raw[1]) : raw[1]};
  const uint64_t sign = sign_of(f, in[0]) ^ sign_of(f, in[1]), magnitude = ((uint64_t)1 << (f.e + f.m)) - 1;
  uint64_t a = in[0], b = in[1], r;
  if (xorsign) a &= magnitude, b &= magnitude;
  if ((is_nan(f, a) && is_nan(f, b)) || (nan && (is_nan(f, a) || is_nan(f, b)))) return nan_result(f, in, 2);
  if (is_nan(f, a))
    r = b;
  else if (is_nan(f, b))
    r = a;
  else
    r = below(f, a, b) != max ? a : b;
  return xorsign ? r | sign : r;
}

static void test_min_and_max_order_zeros_and_lose_nan(void **state) {
  (void)state;
  for (int v = 0; v < 16; v++) {
    char text[64];
    fill(F32, (uint64_t)v);
    snprintf(text, sizeof text, "%s%s%s%s.f32", v & 8 ? "max" : "min", v & 1 ? ".ftz" : "",
             v & 2 ? ".NaN" : "", v & 4 ? ".xorsign.abs" : "");
    for (unsigned i = 0; i < CASES; i++) cases[i].want = minmax(F32, cases[i].in, v & 8, v & 1, v & 2, v & 4);
    rig_check(text, RIG_FLOAT, shape_of(F32, 2), cases, CASES);
  }
  for (int max = 0; max < 2; max++) {
    fill(F64, (uint64_t)max);
    for (unsigned i = 0; i < CASES; i++) cases[i].want = minmax(F64, cases[i].in, max, false, false, false);
    rig_check(max ? "max.f64" : "min.f64", RIG_FLOAT, shape_of(F64, 2), cases, CASES);
  }
  rig_refused("min.NaN.f64", RIG_FLOAT);
}

static void check_signs(struct format f, const char *word, bool negate, bool ftz) {
  char text[32];
  snprintf(text, sizeof text, "%s%s.%s", word, ftz ? ".ftz" : "", f.name);
  const uint64_t sign = (uint64_t)1 << (f.e + f.m);
  for (unsigned i = 0; i < CASES; i++) {
    const uint64_t x = ftz ? flush(f, cases[i].in[0]) : cases[i].in[0], y = negate ? x ^ sign : x & ~sign;
    cases[i].want = is_nan(f, x) ? nan_result(f, &x, 1) : y;
  }
  rig_check(text, RIG_FLOAT, shape_of(f, 1), cases, CASES);
}

static void test_signs_change_only_the_sign(void **state) {
  (void)state;
  for (int v = 0; v < 2; v++) {
    const struct format f = v ? F64 : F32;
    fill(f, 5);
    for (int ftz = 0; ftz < (v ? 1 : 2); ftz++) {
      check_signs(f, "abs", false, ftz);
      check_signs(f, "neg", true, ftz);
    }
    const uint64_t sign = (uint64_t)1 << (f.e + f.m);
    for (unsigned i = 0; i < CASES; i++) cases[i].want = (cases[i].in[0] & sign) | (cases[i].in[1] & ~sign);
    rig_check(v ? "copysign.f64" : "copysign.f32", RIG_FLOAT, shape_of(f, 2), cases, CASES);
  }
}

/* ---- approximations ------------------------------------------------------------------------------------ */

static float as_float(uint64_t u) { return exec_float((uint32_t)u); }

/* A sweep over f32 bit patterns: all exponents and signs, mantissas spread out. */
enum { SWEEP = 1 << 18 };
static struct rig_case *sweep(void) {
  struct rig_case *c = calloc(SWEEP, sizeof *c);
  uint64_t seed = 99;
  for (uint32_t i = 0; i < SWEEP; i++) {
    c[i].in[0] = i < RIG_SPECIALS ? rig_special(8, 23, i) : (i << 14) + (rig_random(&seed) & 0x3fff);
    c[i].in[1] = i < RIG_SPECIALS ? rig_special(8, 23, i * 5) : rig_float(8, 23, &seed);
  }
  return c;
}

typedef long double (*function)(long double);
/* Error of one result: negative means a wrong special value. */
typedef double (*judge)(float x, float got, long double truth);

/* Infinity, zero and NaN must be what the true value rounds to. */
static double relative(float x, float got, long double truth) {
  (void)x;
  const float nearest = (float)truth;
  if (isnan(got) || isnan(nearest)) return isnan(got) && isnan(nearest) ? 0 : -1;
  if (isinf(nearest) || isinf(got)) return got == nearest ? 0 : -1;
  if (fabsl(truth) < 0x1p-126L)
    return fabsl(got - truth) <= 0x1p-149L ? 0 : -1; /* the spacing of subnormals */
  return (double)fabsl((got - truth) / truth);
}
static double absolute(float x, float got, long double truth) {
  (void)x;
  return isnan(got) || isnan(truth) ? (isnan(got) && isnan(truth) ? 0 : -1) : (double)fabsl(got - truth);
}
static double of_sine(float x, float got, long double truth) {
  return fabsf(x) <= 6.2831855f || !isfinite(x) ? absolute(x, got, truth) : 0;
}
static double of_far_sine(float x, float got, long double truth) {
  return fabsf(x) <= 314.15927f ? absolute(x, got, truth) : 0;
}
static double of_logarithm(float x, float got, long double truth) {
  return x > 0.5f && x < 2.0f ? absolute(x, got, truth) : relative(x, got, truth);
}

static long double inverse(long double x) { return 1 / x; }
static long double inverse_root(long double x) { return 1 / sqrtl(x); }

/* Prints the largest error of all instruction sets, checks it, and that they all gave the same bits. */
static void check_approximation(const char *text, function f, judge error, double bound_log2) {
  const struct exec_lanes *isas[RIG_MAX_ISAS];
  const struct rig_shape shape = {.dst = 32, .src = {32}, .n_src = 1};
  const unsigned n = rig_isas(isas);
  const bool ftz = strstr(text, ".ftz");
  struct rig_case *c = sweep(), *first = sweep();
  double worst = 0;
  for (unsigned k = 0; k < n; k++) {
    rig_fetch(isas[k], text, RIG_FLOAT, shape, c, SWEEP);
    if (k == 0) memcpy(first, c, SWEEP * sizeof *c);
    for (unsigned i = 0; i < SWEEP; i++) {
      const float x = as_float(ftz ? flush(F32, c[i].in[0]) : c[i].in[0]), got = as_float(c[i].want);
      long double truth = f((long double)x);
      if (ftz && fabsl(truth) < 0x1p-126L) truth = copysignl(0, truth);
      const double e = error(x, got, truth);
      if (e < 0 || (isnan(got) && c[i].want != 0x7fffffffu) || c[i].want != first[i].want)
        fail_msg("%s on %s: %a (%#llx) gives %a (%#llx), not %La", text, isas[k]->name, (double)x,
                 (unsigned long long)c[i].in[0], (double)got, (unsigned long long)c[i].want, truth);
      if (e > worst) worst = e;
    }
  }
  printf("%-24s largest error 2^%.2f, bound 2^%.2f\n", text, log2(worst), bound_log2);
  assert_true(worst <= exp2(bound_log2));
  free(c);
  free(first);
}

static void test_approximations_stay_within_the_isa_bounds(void **state) {
  (void)state;
  check_approximation("ex2.approx.f32", exp2l, relative, -22);
  check_approximation("ex2.approx.ftz.f32", exp2l, relative, -22);
  check_approximation("lg2.approx.f32", log2l, of_logarithm, -22);
  check_approximation("lg2.approx.ftz.f32", log2l, of_logarithm, -22);
  check_approximation("sin.approx.f32", sinl, of_sine, -20.5);
  check_approximation("cos.approx.ftz.f32", cosl, of_sine, -20.5);
  check_approximation("sin.approx.ftz.f32", sinl, of_far_sine, -14.7);
  check_approximation("cos.approx.f32", cosl, of_far_sine, -14.7);
  check_approximation("tanh.approx.f32", tanhl, relative, -11);
  check_approximation("rcp.approx.f32", inverse, relative, -23);
  check_approximation("rcp.approx.ftz.f32", inverse, relative, -23);
  check_approximation("sqrt.approx.f32", sqrtl, relative, -23);
  check_approximation("sqrt.approx.ftz.f32", sqrtl, relative, -23);
  check_approximation("rsqrt.approx.f32", inverse_root, relative, -22.9);
  check_approximation("rsqrt.approx.ftz.f32", inverse_root, relative, -22.9);
}

/* div: 2 ulp for |b| in [2^-126, 2^126]; zero above that for div.approx, or NaN of an infinite a. */
static void check_division(const char *text, bool approx) {
  const struct exec_lanes *isas[RIG_MAX_ISAS];
  const struct rig_shape shape = {.dst = 32, .src = {32, 32}, .n_src = 2};
  const unsigned n = rig_isas(isas);
  struct rig_case *c = sweep();
  double worst = 0;
  for (unsigned k = 0; k < n; k++) {
    rig_fetch(isas[k], text, RIG_FLOAT, shape, c, SWEEP);
    for (unsigned i = 0; i < SWEEP; i++) {
      const float a = as_float(c[i].in[0]), b = as_float(c[i].in[1]), got = as_float(c[i].want);
      const long double truth = (long double)a / (long double)b, size = fabsl(truth);
      if (approx && fabsf(b) > 0x1p126f && fabsf(b) < INFINITY) {
        if (isinf(a) || isnan(a))
          assert_int_equal(c[i].want, 0x7fffffffu);
        else
          assert_true(got == 0);
        continue;
      }
      if (!(fabsf(b) >= 0x1p-126f && fabsf(b) <= 0x1p126f && size < 0x1p127L)) continue;
      const long double ulp = ldexpl(1, (size < 0x1p-126L ? -126 : ilogbl(truth)) - 23);
      const double e = (double)(fabsl(got - truth) / ulp);
      if (e > worst) worst = e;
    }
  }
  printf("%-24s largest error %.3f ulp, bound 2\n", text, worst);
  assert_true(worst <= 2);
  free(c);
}

static void test_fast_division_stays_within_two_ulp(void **state) {
  (void)state;
  check_division("div.approx.f32", true);
  check_division("div.full.f32", false);
}

/* The f64 approximations: only the upper 32 bits count, in and out. */
static void check_upper(const char *text, long double (*f)(long double), double bound_log2, bool upper_only) {
  const struct exec_lanes *isas[RIG_MAX_ISAS];
  const unsigned n = rig_isas(isas);
  double worst = 0;
  fill(F64, 8);
  for (unsigned k = 0; k < n; k++) {
    rig_fetch(isas[k], text, RIG_FLOAT, shape_of(F64, 1), cases, CASES);
    for (unsigned i = 0; i < CASES; i++) {
      const double x = exec_double(cases[i].in[0]), got = exec_double(cases[i].want);
      const long double truth = f((long double)x);
      if (upper_only) assert_int_equal(cases[i].want & 0xffffffffu, 0);
      if (upper_only && fabs(x) < 0x1p-1022)
        assert_true(isinf(got) && signbit(got) == signbit(x));
      else if (isnan(truth))
        assert_true(isnan(got));
      else if (upper_only && fabsl(truth) < 0x1p-1022L)
        assert_true(got == 0);
      else if (isinf((double)truth))
        assert_true(got == (double)truth);
      else if (truth != 0) {
        const double e = (double)fabsl((got - truth) / truth);
        if (e > worst) worst = e;
      }
    }
  }
  printf("%-24s largest error 2^%.2f, bound 2^%.2f\n", text, log2(worst), bound_log2);
  assert_true(worst <= exp2(bound_log2));
}

static void test_double_approximations_use_the_upper_half(void **state) {
  (void)state;
  check_upper("rcp.approx.ftz.f64", inverse, -19, true);
  check_upper("rsqrt.approx.ftz.f64", inverse_root, -19, true);
  check_upper("rsqrt.approx.f64", inverse_root, -52.9, false);
}

static void test_illegal_combinations_are_refused(void **state) {
  (void)state;
  rig_refused("add.sat.f64", RIG_FLOAT);
  rig_refused("add.ftz.f64", RIG_FLOAT);
  rig_refused("sin.approx.f64", RIG_FLOAT);
  rig_refused("popc.f32", RIG_FLOAT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_add_is_exact_in_every_direction),
      cmocka_unit_test(test_sub_is_exact_in_every_direction),
      cmocka_unit_test(test_mul_is_exact_in_every_direction),
      cmocka_unit_test(test_fma_rounds_once_in_every_direction),
      cmocka_unit_test(test_div_is_exact_in_every_direction),
      cmocka_unit_test(test_rcp_and_sqrt_are_exact_in_every_direction),
      cmocka_unit_test(test_host_rounding_is_restored),
      cmocka_unit_test(test_min_and_max_order_zeros_and_lose_nan),
      cmocka_unit_test(test_signs_change_only_the_sign),
      cmocka_unit_test(test_approximations_stay_within_the_isa_bounds),
      cmocka_unit_test(test_fast_division_stays_within_two_ulp),
      cmocka_unit_test(test_double_approximations_use_the_upper_half),
      cmocka_unit_test(test_illegal_combinations_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
