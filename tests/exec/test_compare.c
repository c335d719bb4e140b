/* Comparisons and selections against a plain reference, lane by lane: every comparison of every type,
 * combined with a predicate or not, into predicates and into rows. Floats are compared by the host's own
 * comparison of the converted value, half-precision ones after conversion to double. */
#include "lanes_bench.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static enum ptx_type compared(const struct ptx_inst *pi) { return (enum ptx_type)pi->types[pi->n_types - 1]; }

/* ---- the reference ------------------------------------------------------------------------------------- */

/* A number of `exponent` and `fraction` bits as a double. */
static double small_float(uint64_t v, unsigned exponent, unsigned fraction) {
  const int bias = (1 << (exponent - 1)) - 1, e = (int)(v >> fraction & ((1u << exponent) - 1));
  const double f = ldexp((double)(v & ((1u << fraction) - 1)), -(int)fraction);
  const double sign = v >> (exponent + fraction) & 1 ? -1 : 1;
  if (e == (1 << exponent) - 1) return f != 0 ? NAN : sign * INFINITY;
  return sign * (e ? ldexp(1 + f, e - bias) : ldexp(f, 1 - bias));
}

static double value_of(uint64_t v, enum ptx_type t, bool flush) {
  double r;
  if (t == PTX_F64) {
    memcpy(&r, &v, sizeof r);
    return r;
  }
  if (t == PTX_F32)
    r = small_float(v & 0xffffffffu, 8, 23);
  else if (t == PTX_F16)
    r = small_float(v & 0xffffu, 5, 10);
  else
    r = small_float(v & 0xffffu, 8, 7);
  const double least = t == PTX_F16 ? 0x1p-14 : 0x1p-126;
  return flush && fabs(r) < least ? 0 : r;
}

enum order { LESS, EQUAL, GREATER, UNORDERED };

static enum order order_of(uint64_t x, uint64_t y, enum ptx_type t, bool flush) {
  if (ptx_type_float(t)) {
    const double a = value_of(x, t, flush), b = value_of(y, t, flush);
    return isnan(a) || isnan(b) ? UNORDERED : a < b ? LESS : a > b ? GREATER : EQUAL;
  }
  const unsigned spare = 64 - ptx_type_bits(t);
  if (ptx_type_signed(t)) {
    const int64_t a = (int64_t)(x << spare), b = (int64_t)(y << spare);
    return a < b ? LESS : a > b ? GREATER : EQUAL;
  }
  const uint64_t a = x << spare, b = y << spare;
  return a < b ? LESS : a > b ? GREATER : EQUAL;
}

/* The outcomes each comparison accepts. */
static const struct {
  const char *name;
  bool accepts[4];
} COMPARISONS[] = {
    {"eq", {0, 1, 0, 0}},  {"ne", {1, 0, 1, 0}},  {"lt", {1, 0, 0, 0}},  {"le", {1, 1, 0, 0}},
    {"gt", {0, 0, 1, 0}},  {"ge", {0, 1, 1, 0}},  {"lo", {1, 0, 0, 0}},  {"ls", {1, 1, 0, 0}},
    {"hi", {0, 0, 1, 0}},  {"hs", {0, 1, 1, 0}},  {"equ", {0, 1, 0, 1}}, {"neu", {1, 0, 1, 1}},
    {"ltu", {1, 0, 0, 1}}, {"leu", {1, 1, 0, 1}}, {"gtu", {0, 0, 1, 1}}, {"geu", {0, 1, 1, 1}},
    {"num", {1, 1, 1, 0}}, {"nan", {0, 0, 0, 1}},
};
enum { N_COMPARISONS = sizeof COMPARISONS / sizeof COMPARISONS[0] };

static bool holds(const struct ptx_inst *pi, uint64_t x, uint64_t y, enum ptx_type t) {
  const enum order o = order_of(x, y, t, ptx_has(pi, PTX_M_ftz));
  for (unsigned k = 0; k < N_COMPARISONS; k++)
    if (!strcmp(ptx_mod_name((enum ptx_mod)pi->mods[0]), COMPARISONS[k].name))
      return COMPARISONS[k].accepts[o];
  fail_msg("no comparison in the text");
  return false;
}

static bool combined(const struct ptx_inst *pi, bool t, bool c) {
  if (ptx_has(pi, PTX_M_and)) return t && c;
  if (ptx_has(pi, PTX_M_or)) return t || c;
  if (ptx_has(pi, PTX_M_xor)) return t != c;
  return t;
}

static void predicates(const struct ptx_inst *pi, struct bench_values *v) {
  const enum ptx_type t = compared(pi);
  const bool c = v->s[2] & 1;
  bool first, second;
  if (t == PTX_F16X2 || t == PTX_BF16X2) {
    const enum ptx_type half = t == PTX_F16X2 ? PTX_F16 : PTX_BF16;
    first = holds(pi, v->s[0], v->s[1], half);
    second = holds(pi, v->s[0] >> 16, v->s[1] >> 16, half);
  } else {
    first = holds(pi, v->s[0], v->s[1], t);
    second = !first;
  }
  v->d = combined(pi, first, c);
  v->second = combined(pi, second, c);
}

static void row(const struct ptx_inst *pi, struct bench_values *v) {
  const enum ptx_type t = compared(pi), d = (enum ptx_type)pi->types[0];
  const bool packed = t == PTX_F16X2 || t == PTX_BF16X2;
  predicates(pi, v);
  const uint64_t yes = d == PTX_F32                             ? 0x3f800000
                       : d == PTX_F16 || d == PTX_F16X2         ? 0x3c00
                       : d == PTX_BF16 || d == PTX_BF16X2       ? 0x3f80
                       : packed || d == PTX_U16 || d == PTX_S16 ? 0xffff
                                                                : 0xffffffff;
  v->d = (v->d ? yes : 0) | (packed && v->second ? yes << 16 : 0);
}

/* ---- setp ---------------------------------------------------------------------------------------------- */

enum form { PLAIN, TWO_RESULTS, COMBINED, COMBINED_NEGATED };

static void check_setp(const char *text, const char *type, enum form form) {
  static struct bench b;
  const char letter = strstr(type, "64") ? 'L' : 'S';
  const char shape[] = {'P', letter, letter, form >= COMBINED ? 'P' : 0, 0};
  bench_start(&b);
  bench_inst(&b, text, shape);
  if (form == TWO_RESULTS || form == COMBINED_NEGATED) b.ops[0].second = bench_reg('P', 7).reg;
  if (form == COMBINED_NEGATED) b.ops[3].negate = true;
  bench_compare(&b, 1, predicates);
  bench_end(&b);
}

/* All forms of every comparison in `names` on every type; `packed` types always have two results. */
static void check_all(const char *names, const char *ftz, const char *types, bool packed) {
  static const char *const ops[] = {"", ".and", ".or", ".xor"};
  char all[64], *rest = all, text[64];
  strcpy(all, types);
  for (char *type; (type = strsep(&rest, " "));)
    for (unsigned k = 0; k < N_COMPARISONS; k++) {
      char word[8];
      snprintf(word, sizeof word, " %s ", COMPARISONS[k].name);
      if (!strstr(names, word)) continue;
      for (unsigned op = 0; op < 4; op++) {
        snprintf(text, sizeof text, "setp.%s%s%s.%s", COMPARISONS[k].name, ops[op], ftz, type);
        if (!packed) check_setp(text, type, op ? COMBINED : PLAIN);
        check_setp(text, type, op ? COMBINED_NEGATED : TWO_RESULTS);
      }
    }
}
#define FLOATS " eq ne lt le gt ge equ neu ltu leu gtu geu num nan "

static void test_setp_compares_integers(void **state) {
  (void)state;
  check_all(" eq ne lt le gt ge lo ls hi hs ", "", "u16 u32 u64", false);
  check_all(" eq ne lt le gt ge ", "", "s16 s32 s64", false);
  check_all(" eq ne ", "", "b16 b32 b64", false);
}
static void test_setp_compares_floats_ordered_and_unordered(void **state) {
  (void)state;
  check_all(FLOATS, "", "f32 f64", false);
  check_all(FLOATS, ".ftz", "f32", false);
}
static void test_setp_compares_half_precision(void **state) {
  (void)state;
  check_all(FLOATS, "", "f16 bf16", false);
  check_all(FLOATS, ".ftz", "f16", false);
}
static void test_setp_compares_both_halves_of_packed_types(void **state) {
  (void)state;
  check_all(FLOATS, "", "f16x2 bf16x2", true);
  check_all(FLOATS, ".ftz", "f16x2", true);
}

/* ---- set ----------------------------------------------------------------------------------------------- */

static void check_set(const char *dtypes, const char *stypes, const char *names, const char *more,
                      unsigned bits) {
  char d[64], s[64], text[96], name[32];
  strcpy(d, dtypes);
  for (char *d_rest = d, *dtype; (dtype = strsep(&d_rest, " "));) {
    strcpy(s, stypes);
    for (char *s_rest = s, *stype; (stype = strsep(&s_rest, " "));) {
      char all[64];
      strcpy(all, names);
      for (char *rest = all, *n; (n = strsep(&rest, " "));) {
        const char letter = strstr(stype, "64") ? 'L' : 'S';
        const char shape[] = {'S', letter, letter, strstr(more, "and") ? 'P' : 0, 0};
        snprintf(name, sizeof name, "%s%s", n, more);
        snprintf(text, sizeof text, "set.%s.%s.%s", name, dtype, stype);
        bench_check(text, shape, bits, row);
      }
    }
  }
}

static void test_set_writes_all_ones_or_one(void **state) {
  (void)state;
  check_set("u32 s32 f32", "u16 u32 u64 s16 s32 s64 f32 f64", "eq ne lt le gt ge", "", 32);
  check_set("u32 s32 f32", "f32 f64", "equ neu ltu leu gtu geu num nan", "", 32);
  check_set("u32 s32 f32", "b16 b32 b64", "eq ne", "", 32);
  check_set("u32 f32", "s32 f32 f64", "lt ge", ".and", 32);
  check_set("u32 f32", "f32", "lt gtu", ".and.ftz", 32);
  check_set("f16 bf16", "u16 s32 u64 f16 f32 f64", "eq lt", "", 16);
}
static void test_set_of_half_precision(void **state) {
  (void)state;
  check_set("f16 u16 s16", "f16 bf16", "eq ne lt gtu nan", "", 16);
  check_set("u32 s32", "f16 bf16", "eq ne lt gtu nan", "", 32);
  check_set("f16x2 u32 s32", "f16x2", "eq ne lt gtu nan", "", 32);
  check_set("bf16x2 u32 s32", "bf16x2", "eq ne lt gtu nan", "", 32);
  check_set("f16x2 u32", "f16x2", "lt gtu", ".and.ftz", 32);
}

/* ---- testp, selp, slct --------------------------------------------------------------------------------- */

static void class_of(const struct ptx_inst *pi, struct bench_values *v) {
  const double x = value_of(v->s[0], compared(pi), false),
               least = compared(pi) == PTX_F64 ? 0x1p-1022 : 0x1p-126;
  const bool subnormal = x != 0 && fabs(x) < least;
  const int is = ptx_has(pi, PTX_M_finite)       ? isfinite(x)
                 : ptx_has(pi, PTX_M_infinite)   ? isinf(x)
                 : ptx_has(pi, PTX_M_number)     ? !isnan(x)
                 : ptx_has(pi, PTX_M_notanumber) ? isnan(x)
                 : ptx_has(pi, PTX_M_normal)     ? isfinite(x) && !subnormal
                                                 : subnormal;
  v->d = is != 0;
}
static void test_testp_distinguishes_classes(void **state) {
  (void)state;
  static const char *const classes[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
  for (unsigned k = 0; k < 6; k++) {
    char text[32];
    snprintf(text, sizeof text, "testp.%s.f32", classes[k]);
    bench_check(text, "PS", 1, class_of);
    snprintf(text, sizeof text, "testp.%s.f64", classes[k]);
    bench_check(text, "PL", 1, class_of);
  }
}

static void selected(const struct ptx_inst *pi, struct bench_values *v) {
  bool first = v->s[2] & 1;
  if (pi->op == PTX_OP_slct && compared(pi) == PTX_S32) first = (int32_t)v->s[2] >= 0;
  if (pi->op == PTX_OP_slct && compared(pi) == PTX_F32)
    first = value_of(v->s[2], PTX_F32, ptx_has(pi, PTX_M_ftz)) >= 0;
  v->d = v->s[first ? 0 : 1];
}
static void test_selections_of_every_type(void **state) {
  (void)state;
  static const char *const types[] = {"b16", "u16", "s16", "b32", "u32", "s32",
                                      "f32", "b64", "u64", "s64", "f64"};
  for (unsigned k = 0; k < 11; k++) {
    const unsigned bits = strstr(types[k], "16") ? 16 : k < 7 ? 32 : 64;
    const char letter = bits == 64 ? 'L' : 'S';
    const char by_predicate[] = {letter, letter, letter, 'P', 0},
               by_sign[] = {letter, letter, letter, 'S', 0};
    char text[32];
    snprintf(text, sizeof text, "selp.%s", types[k]);
    bench_check(text, by_predicate, bits, selected);
    snprintf(text, sizeof text, "slct.%s.s32", types[k]);
    bench_check(text, by_sign, bits, selected);
    snprintf(text, sizeof text, "slct.%s.f32", types[k]);
    bench_check(text, by_sign, bits, selected);
    snprintf(text, sizeof text, "slct.ftz.%s.f32", types[k]);
    bench_check(text, by_sign, bits, selected);
  }
}

static void test_refuses_what_the_isa_does_not_have(void **state) {
  (void)state;
  bench_refused("setp.lt.b32", "PSS");
  bench_refused("setp.lo.s32", "PSS");
  bench_refused("setp.equ.s32", "PSS");
  bench_refused("setp.lt.ftz.s32", "PSS");
  bench_refused("setp.lt.ftz.f64", "PLL");
  bench_refused("setp.s32", "PSS");
  bench_refused("setp.lt.sat.s32", "PSS");
  bench_refused("setp.lt.and.s32", "PSS");
  bench_refused("set.lt.f64.s32", "LSS");
  bench_refused("set.lt.u32", "SSS");
  bench_refused("selp.b8", "SSSP");
  bench_refused("slct.f32.u32", "SSSS");
  bench_refused("testp.normal.f16", "PS");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_setp_compares_integers),
      cmocka_unit_test(test_setp_compares_floats_ordered_and_unordered),
      cmocka_unit_test(test_setp_compares_half_precision),
      cmocka_unit_test(test_setp_compares_both_halves_of_packed_types),
      cmocka_unit_test(test_set_writes_all_ones_or_one),
      cmocka_unit_test(test_set_of_half_precision),
      cmocka_unit_test(test_testp_distinguishes_classes),
      cmocka_unit_test(test_selections_of_every_type),
      cmocka_unit_test(test_refuses_what_the_isa_does_not_have),
  };
  return cmocka_run_group_tests_name("comparisons", tests, NULL, NULL);
}
