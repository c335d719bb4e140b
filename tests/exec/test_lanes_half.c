/* f16, bf16 and packed lanes against exact references: one operand exhaustively, two and three by crossed
 * special values and random ones. */
#include "float_rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct format {
  const char *name;
  unsigned e, m;
};
static const struct format F16 = {"f16", 5, 10}, BF16 = {"bf16", 8, 7};

static bool is_nan(struct format f, uint64_t h) { return exact_is_nan(h, f.e, f.m); }
static uint64_t infinity(struct format f) { return (((uint64_t)1 << f.e) - 1) << f.m; }
static uint64_t flush(struct format f, uint64_t h) { return h & infinity(f) ? h : h & 0x8000; }

/* Modifiers a variant has. */
struct how {
  bool ftz, sat, relu, oob, nan, xorsign;
};

enum operation { ADD, SUB, MUL, FMA };
static const char *const OP_WORD[] = {"add", "sub", "mul", "fma"};

static uint64_t finish(struct format f, uint64_t h, struct how how) {
  const uint64_t one = (((uint64_t)1 << (f.e - 1)) - 1) << f.m;
  if (how.ftz) h = flush(f, h);
  if (how.sat) h = is_nan(f, h) || h & 0x8000 ? 0 : h > one ? one : h;
  if (how.relu && h & 0x8000) h = 0;
  return h;
}

static uint64_t arithmetic(enum operation op, struct format f, const uint64_t *raw, struct how how) {
  quad v[3];
  for (int i = 0; i < 3; i++) v[i] = exact_value(how.ftz ? flush(f, raw[i]) : raw[i], f.e, f.m);
  if (how.oob && ((raw[0] & 0x7ff0) == 0x7ff0 || (raw[1] & 0x7ff0) == 0x7ff0)) return 0;
  const quad product = v[0] * v[1];
  const struct exact x = op == ADD   ? exact_add(v[0], v[1])
                         : op == SUB ? exact_add(v[0], -v[1])
                         : op == MUL ? (struct exact){product, 0}
                                     : exact_add(product, v[2]);
  uint64_t r;
  if (x.s != x.s)
    r = 0x7fff;
  else if (x.s == 0)
    r = __builtin_signbit((double)x.s) ? 0x8000 : 0;
  else
    r = exact_round(x, f.e, f.m, EXEC_RN);
  return finish(f, r, how);
}

static uint64_t minmax(struct format f, const uint64_t *raw, bool max, struct how how) {
  uint64_t a = how.ftz ? flush(f, raw[0]) : raw[0], b = how.ftz ? flush(f, raw[1]) : raw[1], r;
  const uint64_t sign = (a ^ b) & 0x8000;
  if (how.xorsign) a &= 0x7fff, b &= 0x7fff;
  if ((is_nan(f, a) && is_nan(f, b)) || (how.nan && (is_nan(f, a) || is_nan(f, b)))) return 0x7fff;
  const quad x = exact_value(a, f.e, f.m), y = exact_value(b, f.e, f.m);
  const bool less = x == 0 && y == 0 ? a > b : x < y;
  if (is_nan(f, a))
    r = b;
  else if (is_nan(f, b))
    r = a;
  else
    r = less != max ? a : b;
  return how.xorsign ? r | sign : r;
}

/* ---- cases: single values, then two of them a register ------------------------------------------------- */

enum { CROSSED = RIG_SPECIALS * RIG_SPECIALS * 8, RANDOM = 40000, CASES = CROSSED + RANDOM };
static struct rig_case single[CASES], packed[CASES];

static void fill(struct format f, uint64_t seed) {
  for (unsigned i = 0; i < CASES; i++)
    for (unsigned k = 0; k < 3; k++) {
      const unsigned nth = k == 0   ? i
                           : k == 1 ? i / RIG_SPECIALS
                                    : i / (RIG_SPECIALS * RIG_SPECIALS) * 3 + i % 3;
      single[i].in[k] = i < CROSSED ? rig_special(f.e, f.m, nth % RIG_SPECIALS) : rig_float(f.e, f.m, &seed);
    }
}

/* Checks single results, with dirt in the upper halves, and pairs of neighbours. */
static void check_both(const char *text, struct format f, unsigned n_src, size_t n) {
  char twice[80];
  const struct rig_shape one = {.dst = 32, .src = {32, 32, 32}, .n_src = n_src, .mask = 0xffff};
  const struct rig_shape two = {.dst = 32, .src = {32, 32, 32}, .n_src = n_src};
  for (size_t i = 0; i < n; i++) {
    const struct rig_case *low = &single[i], *high = &single[(i * 7 + 1) % n];
    for (unsigned k = 0; k < 3; k++) packed[i].in[k] = low->in[k] | high->in[k] << 16;
    packed[i].want = low->want | high->want << 16;
  }
  snprintf(twice, sizeof twice, "%s.%sx2", text, f.name);
  rig_check(twice, RIG_HALF, two, packed, n);
  snprintf(twice, sizeof twice, "%s.%s", text, f.name);
  rig_check(twice, RIG_HALF, one, packed, n);
}

static void check_arithmetic(enum operation op, struct format f, const char *words, struct how how) {
  char text[64];
  snprintf(text, sizeof text, "%s%s", OP_WORD[op], words);
  for (unsigned i = 0; i < CASES; i++) single[i].want = arithmetic(op, f, single[i].in, how);
  check_both(text, f, op == FMA ? 3 : 2, CASES);
}

static void test_add_sub_mul_round_once(void **state) {
  (void)state;
  for (int op = ADD; op <= MUL; op++) {
    fill(F16, 40 + (uint64_t)op);
    check_arithmetic((enum operation)op, F16, "", (struct how){0});
    check_arithmetic((enum operation)op, F16, ".rn.ftz", (struct how){.ftz = true});
    check_arithmetic((enum operation)op, F16, ".sat", (struct how){.sat = true});
    check_arithmetic((enum operation)op, F16, ".rn.ftz.sat", (struct how){.ftz = true, .sat = true});
    fill(BF16, 50 + (uint64_t)op);
    check_arithmetic((enum operation)op, BF16, ".rn", (struct how){0});
  }
}

static void test_fma_rounds_once(void **state) {
  (void)state;
  fill(F16, 61);
  check_arithmetic(FMA, F16, ".rn", (struct how){0});
  check_arithmetic(FMA, F16, ".rn.ftz", (struct how){.ftz = true});
  check_arithmetic(FMA, F16, ".rn.sat", (struct how){.sat = true});
  check_arithmetic(FMA, F16, ".rn.ftz.sat", (struct how){.ftz = true, .sat = true});
  check_arithmetic(FMA, F16, ".rn.relu", (struct how){.relu = true});
  check_arithmetic(FMA, F16, ".rn.ftz.relu", (struct how){.ftz = true, .relu = true});
  check_arithmetic(FMA, F16, ".rn.oob", (struct how){.oob = true});
  check_arithmetic(FMA, F16, ".rn.oob.relu", (struct how){.oob = true, .relu = true});
  fill(BF16, 62);
  check_arithmetic(FMA, BF16, ".rn", (struct how){0});
  check_arithmetic(FMA, BF16, ".rn.relu", (struct how){.relu = true});
  check_arithmetic(FMA, BF16, ".rn.oob", (struct how){.oob = true});
  check_arithmetic(FMA, BF16, ".rn.oob.relu", (struct how){.oob = true, .relu = true});
}

/* A product exactly on a tie of the result and a tiny addend: only a single rounding sees the addend. */
static void test_fma_sees_an_addend_far_below_a_tie(void **state) {
  (void)state;
  const struct rig_case c[] = {{{0x3f81, 0x3f81, 0x0001}, 0}, {{0x3f81, 0x3f81, 0x8001}, 0},
                               {{0x3f88, 0x3f90, 0x0080}, 0}, {{0x3f88, 0x3f90, 0x8080}, 0},
                               {{0x0081, 0x3f00, 0x0000}, 0}, {{0x0083, 0x3f40, 0x8001}, 0}};
  const size_t n = sizeof c / sizeof c[0];
  for (size_t i = 0; i < n; i++) {
    single[i] = c[i];
    single[i].want = arithmetic(FMA, BF16, c[i].in, (struct how){0});
  }
  check_both("fma.rn", BF16, 3, n);
}

static void check_order(struct format f, bool max, struct how how) {
  char text[64];
  snprintf(text, sizeof text, "%s%s%s%s", max ? "max" : "min", how.ftz ? ".ftz" : "", how.nan ? ".NaN" : "",
           how.xorsign ? ".xorsign.abs" : "");
  for (unsigned i = 0; i < CASES; i++) single[i].want = minmax(f, single[i].in, max, how);
  check_both(text, f, 2, CASES);
}

static void test_min_and_max_order_zeros_and_lose_nan(void **state) {
  (void)state;
  for (int bf16 = 0; bf16 < 2; bf16++) {
    fill(bf16 ? BF16 : F16, 70);
    for (int v = 0; v < 16; v++) {
      const struct how how = {.ftz = v & 1, .nan = v & 2, .xorsign = v & 4};
      if (!(bf16 && how.ftz)) check_order(bf16 ? BF16 : F16, v & 8, how);
    }
  }
  rig_refused("min.ftz.bf16", RIG_HALF);
}

/* ---- one operand: all 65,536 values -------------------------------------------------------------------- */

enum { ALL = 65536 };

static void check_all(const char *text, struct format f, uint64_t (*want)(struct format, uint64_t)) {
  struct rig_case *c = calloc(ALL, sizeof *c);
  char name[64];
  for (unsigned i = 0; i < ALL; i++) {
    const unsigned j = (i * 31u + 5) % ALL;
    c[i].in[0] = i | j << 16;
    c[i].want = want(f, i) | want(f, j) << 16;
  }
  snprintf(name, sizeof name, "%s.%sx2", text, f.name);
  rig_check(name, RIG_HALF, (struct rig_shape){.dst = 32, .src = {32}, .n_src = 1}, c, ALL);
  snprintf(name, sizeof name, "%s.%s", text, f.name);
  rig_check(name, RIG_HALF, (struct rig_shape){.dst = 32, .src = {32}, .n_src = 1, .mask = 0xffff}, c, ALL);
  free(c);
}

static uint64_t negated(struct format f, uint64_t h) { return is_nan(f, h) ? 0x7fff : h ^ 0x8000; }
static uint64_t magnitude(struct format f, uint64_t h) { return is_nan(f, h) ? 0x7fff : h & 0x7fff; }
static uint64_t flushed_negated(struct format f, uint64_t h) { return negated(f, flush(f, h)); }
static uint64_t flushed_magnitude(struct format f, uint64_t h) { return magnitude(f, flush(f, h)); }

static void test_signs_of_all_values(void **state) {
  (void)state;
  check_all("neg", F16, negated);
  check_all("abs", F16, magnitude);
  check_all("neg.ftz", F16, flushed_negated);
  check_all("abs.ftz", F16, flushed_magnitude);
  check_all("neg", BF16, negated);
  check_all("abs", BF16, magnitude);
}

/* The largest relative error over all values, subnormal results counted in their spacing. */
static void check_error(const char *text, struct format f, long double (*truth)(long double), bool ftz,
                        double bound_log2) {
  const struct exec_lanes *isas[RIG_MAX_ISAS];
  const unsigned n = rig_isas(isas);
  struct rig_case *c = calloc(ALL, sizeof *c);
  double worst = 0;
  const long double smallest = (long double)exact_value((uint64_t)1 << f.m, f.e, f.m);
  for (unsigned k = 0; k < n; k++) {
    for (unsigned i = 0; i < ALL; i++) c[i].in[0] = i;
    rig_fetch(isas[k], text, RIG_HALF, (struct rig_shape){.dst = 32, .src = {32}, .n_src = 1, .mask = 0xffff},
              c, ALL);
    for (unsigned i = 0; i < ALL; i++) {
      const long double x = (long double)exact_value(ftz ? flush(f, i) : i, f.e, f.m), want = truth(x);
      const long double got = (long double)exact_value(c[i].want, f.e, f.m);
      if (isnan(want))
        assert_int_equal(c[i].want, 0x7fff);
      else if (isinf(got))
        assert_true(fabsl(want) > (long double)exact_value(infinity(f) - 1, f.e, f.m));
      else if (fabsl(want) < smallest)
        assert_true(fabsl(got - want) <= (ftz ? smallest : ldexpl(smallest, -(int)f.m)));
      else if (fabsl((got - want) / want) > worst)
        worst = (double)fabsl((got - want) / want);
    }
  }
  printf("%-24s largest error 2^%.2f, bound 2^%.2f\n", text, log2(worst), bound_log2);
  assert_true(worst <= exp2(bound_log2));
  free(c);
}

static void test_approximations_stay_within_the_isa_bounds(void **state) {
  (void)state;
  check_error("ex2.approx.f16", F16, exp2l, false, -9.9);
  check_error("ex2.approx.ftz.bf16", BF16, exp2l, true, -7);
  check_error("tanh.approx.f16", F16, tanhl, false, -10.987);
  check_error("tanh.approx.bf16", BF16, tanhl, false, -8);
}

/* ---- f32x2 --------------------------------------------------------------------------------------------- */

static uint64_t single_fma(uint64_t a, uint64_t b, uint64_t c, enum exec_round r) {
  const struct exact x = exact_add(exact_value(a, 8, 23) * exact_value(b, 8, 23), exact_value(c, 8, 23));
  if (x.s != x.s) return 0x7fffffff;
  return exact_round(x, 8, 23, r);
}

static void test_pairs_of_singles_are_two_operations(void **state) {
  (void)state;
  uint64_t seed = 80;
  for (int r = EXEC_RN; r <= EXEC_RP; r++) {
    static const char *const TEXT[] = {"fma.rn.f32x2", "fma.rz.f32x2", "fma.rm.f32x2", "fma.rp.f32x2"};
    for (unsigned i = 0; i < CASES; i++) {
      uint64_t in[2][3], want[2];
      for (int h = 0; h < 2; h++) {
        do
          for (int k = 0; k < 3; k++) in[h][k] = rig_float(8, 23, &seed);
        while (exact_add(exact_value(in[h][0], 8, 23) * exact_value(in[h][1], 8, 23),
                         exact_value(in[h][2], 8, 23))
                   .s == 0);
        want[h] = single_fma(in[h][0], in[h][1], in[h][2], (enum exec_round)r);
      }
      for (int k = 0; k < 3; k++) packed[i].in[k] = in[0][k] | in[1][k] << 32;
      packed[i].want = want[0] | want[1] << 32;
    }
    const struct rig_shape shape = {.dst = 64, .src = {64, 64, 64}, .n_src = 3};
    rig_check(TEXT[r], RIG_HALF, shape, packed, 4000);
    rig_check(TEXT[r], RIG_FLOAT, shape, packed, 4000);
  }
}

static void test_illegal_combinations_are_refused(void **state) {
  (void)state;
  rig_refused("add.sat.bf16", RIG_HALF);
  rig_refused("fma.rn.sat.relu.f16", RIG_HALF);
  rig_refused("sin.approx.f16", RIG_HALF);
  rig_refused("add.f32", RIG_HALF);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_add_sub_mul_round_once),
      cmocka_unit_test(test_fma_rounds_once),
      cmocka_unit_test(test_fma_sees_an_addend_far_below_a_tie),
      cmocka_unit_test(test_min_and_max_order_zeros_and_lose_nan),
      cmocka_unit_test(test_signs_of_all_values),
      cmocka_unit_test(test_approximations_stay_within_the_isa_bounds),
      cmocka_unit_test(test_pairs_of_singles_are_two_operations),
      cmocka_unit_test(test_illegal_combinations_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
