/* The video instructions: parts of registers, saturation, second operations and merges. SIMD forms are
 * compared with a plain reference lane by lane; scalar forms too where results stay in range, with examples
 * for what silicon does beyond. */
#include "lanes_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static int64_t number(uint64_t v, unsigned bits, bool is_signed) {
  v &= (UINT64_C(1) << bits) - 1;
  return is_signed && v >> (bits - 1) ? (int64_t)v - (INT64_C(1) << bits) : (int64_t)v;
}

static bool compared(const struct ptx_inst *pi, int64_t x, int64_t y) {
  return ptx_has(pi, PTX_M_eq)   ? x == y
         : ptx_has(pi, PTX_M_ne) ? x != y
         : ptx_has(pi, PTX_M_lt) ? x < y
         : ptx_has(pi, PTX_M_le) ? x <= y
         : ptx_has(pi, PTX_M_gt) ? x > y
                                 : x >= y;
}

static int64_t operation(const struct ptx_inst *pi, int64_t x, int64_t y) {
  switch (pi->op) {
  case PTX_OP_vadd:
  case PTX_OP_vadd2:
  case PTX_OP_vadd4: return x + y;
  case PTX_OP_vsub:
  case PTX_OP_vsub2:
  case PTX_OP_vsub4: return x - y;
  case PTX_OP_vabsdiff:
  case PTX_OP_vabsdiff2:
  case PTX_OP_vabsdiff4: return x < y ? y - x : x - y;
  case PTX_OP_vmin:
  case PTX_OP_vmin2:
  case PTX_OP_vmin4: return x < y ? x : y;
  case PTX_OP_vmax:
  case PTX_OP_vmax2:
  case PTX_OP_vmax4: return x > y ? x : y;
  case PTX_OP_vavrg2:
  case PTX_OP_vavrg4: return x + y >= 0 ? (x + y + 1) >> 1 : (x + y) >> 1;
  default: return compared(pi, x, y);
  }
}

static bool type_signed(const struct ptx_inst *pi, unsigned k) { return pi->types[k] == PTX_S32; }

/* ---- SIMD ---------------------------------------------------------------------------------------------- */

/* Digit k of a selector, from the right; `otherwise` where there is none. */
static unsigned digit(const char *select, unsigned k, unsigned otherwise) {
  return select ? (unsigned)(select[strlen(select) - 1 - k] - '0') : otherwise;
}
static bool in_mask(const char *select, unsigned k) { return !select || strchr(select + 1, (int)('0' + k)); }

static void simd(const struct ptx_inst *pi, struct bench_values *v) {
  const bool is_set = pi->op == PTX_OP_vset2 || pi->op == PTX_OP_vset4;
  const char *const name = ptx_op_name((enum ptx_op)pi->op);
  const unsigned n = name[strlen(name) - 1] == '2' ? 2 : 4, bits = 32 / n, first = is_set ? 0 : 1;
  const uint64_t both = v->s[1] << 32 | v->s[0];
  uint64_t sum = v->s[2], packed = 0;
  for (unsigned k = 0; k < n; k++) {
    const unsigned from_a = digit(pi->ops[1].select, k, k), from_b = digit(pi->ops[2].select, k, n + k);
    const int64_t x = number(both >> bits * from_a, bits, type_signed(pi, first));
    const int64_t y = number(both >> bits * from_b, bits, type_signed(pi, first + 1));
    int64_t r = operation(pi, x, y);
    const bool d_signed = !is_set && type_signed(pi, 0);
    const int64_t most = (INT64_C(1) << (bits - d_signed)) - 1, least = d_signed ? -most - 1 : 0;
    if (ptx_has(pi, PTX_M_sat)) r = r < least ? least : r > most ? most : r;
    const uint64_t element = in_mask(pi->ops[0].select, k) ? (uint64_t)r : v->s[2] >> bits * k;
    if (in_mask(pi->ops[0].select, k)) sum += (uint64_t)r;
    packed |= (element & ((UINT64_C(1) << bits) - 1)) << bits * k;
  }
  v->d = ptx_has(pi, PTX_M_add) ? sum : packed;
}

static void check(const char *text, const char *shape, const char *d, const char *a, const char *b,
                  bench_reference reference) {
  static struct bench bench;
  bench_start(&bench);
  bench_inst(&bench, text, shape);
  bench.ops[0].select = d;
  bench.ops[1].select = a;
  bench.ops[2].select = b;
  bench_compare(&bench, 32, reference);
  bench_end(&bench);
}

static void each_simd(const char *const names[], const char *more, const char *d, const char *a,
                      const char *b) {
  static const char *const types[] = {"u32.u32.u32", "s32.s32.s32", "u32.s32.s32", "s32.u32.s32",
                                      "s32.s32.u32"};
  char text[64];
  for (unsigned k = 0; names[k]; k++)
    for (unsigned t = 0; t < 5; t++) {
      snprintf(text, sizeof text, "%s.%s%s", names[k], types[t], more);
      check(text, "SSSS", d, a, b, simd);
    }
}
static const char *const TWO[] = {"vadd2", "vsub2", "vavrg2", "vabsdiff2", "vmin2", "vmax2", NULL};
static const char *const FOUR[] = {"vadd4", "vsub4", "vavrg4", "vabsdiff4", "vmin4", "vmax4", NULL};

static void test_half_words_are_computed_in_parallel(void **state) {
  (void)state;
  each_simd(TWO, "", NULL, NULL, NULL);
  each_simd(TWO, ".sat", NULL, NULL, NULL);
  each_simd(TWO, ".add", NULL, NULL, NULL);
  each_simd(TWO, "", "h0", "h13", "h02");
  each_simd(TWO, ".add", "h1", "h32", "h11");
}
static void test_bytes_are_computed_in_parallel(void **state) {
  (void)state;
  each_simd(FOUR, "", NULL, NULL, NULL);
  each_simd(FOUR, ".sat", NULL, NULL, NULL);
  each_simd(FOUR, ".add", NULL, NULL, NULL);
  each_simd(FOUR, "", "b31", "b7531", "b0246");
  each_simd(FOUR, ".add", "b210", "b0000", "b7654");
}
static void test_elements_are_compared_in_parallel(void **state) {
  (void)state;
  static const char *const comparisons[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  char text[64];
  for (unsigned k = 0; k < 6; k++) {
    snprintf(text, sizeof text, "vset2.s32.u32.%s", comparisons[k]);
    check(text, "SSSS", NULL, NULL, NULL, simd);
    snprintf(text, sizeof text, "vset4.u32.u32.%s.add", comparisons[k]);
    check(text, "SSSS", "b310", NULL, NULL, simd);
  }
}

/* ---- scalar -------------------------------------------------------------------------------------------- */

static int64_t part(uint64_t v, const char *select, bool is_signed) {
  const unsigned bits = !select ? 32 : select[0] == 'b' ? 8 : 16;
  return number(v >> (select ? (unsigned)(select[1] - '0') * bits : 0), bits, is_signed);
}

/* Of parts smaller than a word, with a word as the result: nothing leaves the range of the result. */
static void scalar(const struct ptx_inst *pi, struct bench_values *v) {
  const unsigned first = pi->op == PTX_OP_vset ? 0 : 1;
  const int64_t x = part(v->s[0], pi->ops[1].select, type_signed(pi, first));
  const int64_t y = part(v->s[1], pi->ops[2].select, type_signed(pi, first + 1));
  const int64_t r = operation(pi, x, y), c = (int32_t)v->s[2];
  v->d = (uint64_t)(ptx_has(pi, PTX_M_add)   ? r + c
                    : ptx_has(pi, PTX_M_min) ? (r < c ? r : c)
                    : ptx_has(pi, PTX_M_max) ? (r > c ? r : c)
                                             : r);
}

static void test_scalar_forms_take_parts_of_their_sources(void **state) {
  (void)state;
  static const char *const names[] = {"vadd", "vsub", "vabsdiff", "vmin", "vmax"};
  static const char *const parts[] = {"b0", "b1", "b2", "b3", "h0", "h1"};
  char text[64];
  for (unsigned n = 0; n < 5; n++)
    for (unsigned k = 0; k < 6; k++) {
      snprintf(text, sizeof text, "%s.s32.u32.s32", names[n]);
      check(text, "SSS", NULL, parts[k], parts[5 - k], scalar);
      snprintf(text, sizeof text, "%s.s32.s32.u32.sat.add", names[n]);
      check(text, "SSSS", NULL, parts[k], "b2", scalar);
      snprintf(text, sizeof text, "%s.s32.s32.s32.%s", names[n], k % 2 ? "min" : "max");
      check(text, "SSSS", NULL, parts[k], "h1", scalar);
    }
  check("vset.s32.u32.lt", "SSS", NULL, NULL, NULL, scalar);
  check("vset.u32.u32.ge.add", "SSSS", NULL, "h0", "h1", scalar);
}

static uint32_t once(const char *text, const char *shape, const char *d_part, uint32_t a, uint32_t b,
                     uint32_t c) {
  static struct bench bench;
  bench_start(&bench);
  bench_inst(&bench, text, shape);
  bench.ops[0].select = d_part;
  if (!bench_decode(&bench, *bench_lanes())) fail_msg("refused: %s", bench.err.text);
  bench.r32[1][5] = a;
  bench.r32[2][5] = b;
  bench.r32[3][5] = c;
  bench_run(&bench, 1u << 5);
  const uint32_t r = bench.r32[0][5];
  bench_end(&bench);
  return r;
}

static void test_results_merge_into_the_third_source(void **state) {
  (void)state;
  assert_int_equal(once("vadd.u32.u32.u32", "SSSS", "b2", 0x11, 0x22, 0xaabbccdd), 0xaa33ccdd);
  assert_int_equal(once("vadd.u32.u32.u32.sat", "SSSS", "b0", 0xf0, 0x20, 0xaabbccdd), 0xaabbccff);
  assert_int_equal(once("vadd.u32.u32.u32", "SSSS", "h0", 0x12345, 1, 0xaabbccdd), 0xaabb2346);
  /* Silicon takes the upper half from the upper half. */
  assert_int_equal(once("vadd.u32.u32.u32", "SSSS", "h1", 0x12340000, 1, 0xaabbccdd), 0x1234ccdd);
}
static void test_shifts_wrap_or_clamp(void **state) {
  (void)state;
  assert_int_equal(once("vshl.u32.u32.u32.wrap", "SSS", NULL, 3, 33, 0), 6);
  assert_int_equal(once("vshl.u32.u32.u32.clamp", "SSS", NULL, 3, 33, 0), 0);
  assert_int_equal(once("vshr.s32.s32.u32.clamp", "SSS", NULL, 0x80000000, 40, 0), 0xffffffff);
  assert_int_equal(once("vshr.u32.u32.u32.wrap", "SSS", NULL, 0x80000000, 32, 0), 0x80000000);
  assert_int_equal(once("vshl.u32.u32.u32.sat.clamp", "SSS", NULL, 1, 32, 0), 0xffffffff);
}
static void test_multiply_add_negates_rounds_and_scales(void **state) {
  (void)state;
  static struct bench bench;
  assert_int_equal(once("vmad.s32.s32.s32", "SSSS", NULL, 6, 7, 100), 142);
  assert_int_equal(once("vmad.u32.u32.u32.po", "SSSS", NULL, 6, 7, 100), 143);
  assert_int_equal(once("vmad.s32.s32.s32.shr7", "SSSS", NULL, 1000, 1000, 0), 7812);
  assert_int_equal(once("vmad.s32.s32.s32.sat.shr15", "SSSS", NULL, 0x7fffffff, 0x7fffffff, 0), 0x7fffffff);
  bench_start(&bench);
  bench_inst(&bench, "vmad.s32.s32.s32", "SSSS");
  bench.ops[1].negative = true;
  assert_true(bench_decode(&bench, *bench_lanes()));
  bench.r32[1][0] = 6;
  bench.r32[2][0] = 7;
  bench.r32[3][0] = 100;
  bench_run(&bench, 1);
  assert_int_equal(bench.r32[0][0], 58);
  bench_end(&bench);
}

static void refused_part(const char *text, const char *d, const char *a) {
  static struct bench bench;
  bench_start(&bench);
  bench_inst(&bench, text, "SSSS");
  bench.ops[0].select = d;
  bench.ops[1].select = a;
  if (bench_decode(&bench, *bench_lanes())) fail_msg("%s should be refused", text);
  bench_end(&bench);
}
static void test_refuses_what_the_isa_does_not_have(void **state) {
  (void)state;
  bench_refused("vadd.u32.u32.f32", "SSS");
  bench_refused("vadd.u32.u32", "SSS");
  bench_refused("vadd.u32.u32.u32.wrap", "SSS");
  bench_refused("vadd.u32.u32.u32.add", "SSS"); /* the third source is missing */
  bench_refused("vadd2.u32.u32.u32", "SSS");
  bench_refused("vadd2.u32.u32.u32.min", "SSSS");
  bench_refused("vadd2.u32.u32.u32.sat.add", "SSSS");
  bench_refused("vshl.u32.u32.u32", "SSS");
  bench_refused("vshl.u32.u32.s32.clamp", "SSS");
  bench_refused("vset.u32.u32", "SSS");
  refused_part("vadd.u32.u32.u32", "b4", NULL);
  refused_part("vadd2.u32.u32.u32", NULL, "h14");
  refused_part("vadd4.u32.u32.u32", "b00", NULL);
  refused_part("vadd.u32.u32.u32", "h10", NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_half_words_are_computed_in_parallel),
      cmocka_unit_test(test_bytes_are_computed_in_parallel),
      cmocka_unit_test(test_elements_are_compared_in_parallel),
      cmocka_unit_test(test_scalar_forms_take_parts_of_their_sources),
      cmocka_unit_test(test_results_merge_into_the_third_source),
      cmocka_unit_test(test_shifts_wrap_or_clamp),
      cmocka_unit_test(test_multiply_add_negates_rounds_and_scales),
      cmocka_unit_test(test_refuses_what_the_isa_does_not_have),
  };
  return cmocka_run_group_tests_name("video instructions", tests, NULL, NULL);
}
