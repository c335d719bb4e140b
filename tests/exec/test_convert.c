/* cvt in all directions against exact references: every pair of types with every rounding and clamp the ISA
 * has, 16-bit sources exhaustively, registers wider than their type, the packed and 8-bit formats, and
 * cvt.pack. */
#include "float_rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A scalar type: an integer if e is 0. */
struct type {
  const char *name;
  unsigned bits, e, m;
  bool is_signed;
};
static const struct type U8 = {"u8", 8, 0, 0, false}, S32 = {"s32", 32, 0, 0, true},
                         F16 = {"f16", 16, 5, 10, true}, BF16 = {"bf16", 16, 8, 7, true},
                         F32 = {"f32", 32, 8, 23, true}, F64 = {"f64", 64, 11, 52, true},
                         TF32 = {"tf32", 32, 8, 10, true};
static const struct type INTS[] = {
    {"u8", 8, 0, 0, false},   {"s8", 8, 0, 0, true},   {"u16", 16, 0, 0, false}, {"s16", 16, 0, 0, true},
    {"u32", 32, 0, 0, false}, {"s32", 32, 0, 0, true}, {"u64", 64, 0, 0, false}, {"s64", 64, 0, 0, true}};
enum { N_INTS = sizeof INTS / sizeof INTS[0] };
static const char *const ROUND_WORD[] = {".rn", ".rz", ".rm", ".rp", ".rna"};
static const char *const WHOLE_WORD[] = {".rni", ".rzi", ".rmi", ".rpi"};

struct how {
  enum exec_round round;
  bool whole, ftz, sat, satfinite, relu;
};

static uint64_t ones(unsigned bits) { return bits >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1; }
static unsigned row_of(struct type t) { return t.bits == 64 ? 64 : 32; }
static bool is_nan(struct type t, uint64_t x) { return t.e && exact_is_nan(x, t.e, t.m); }
static uint64_t flush(struct type t, uint64_t x) { return x & (ones(t.e) << t.m) ? x : x & ~ones(t.e + t.m); }

/* ---- reference ----------------------------------------------------------------------------------------- */

static int64_t extended(struct type t, uint64_t x) {
  x &= ones(t.bits);
  return t.is_signed && x >> (t.bits - 1) & 1 ? (int64_t)(x | ~ones(t.bits)) : (int64_t)x;
}
static quad value_of(struct type t, uint64_t x) {
  if (t.e) return exact_value(x & ones(t.bits), t.e, t.m);
  return t.is_signed ? (quad)extended(t, x) : (quad)(x & ones(t.bits));
}

/* |x| < 2^100 */
static quad whole_of(quad x, enum exec_round round) {
  const __int128 cut = (__int128)x;
  const quad rest = x - (quad)cut, half = (quad)0.5;
  switch (round) {
  case EXEC_RZ: return (quad)cut;
  case EXEC_RM: return (quad)(cut - (rest < 0));
  case EXEC_RP: return (quad)(cut + (rest > 0));
  default: break;
  }
  const bool odd = cut & 1;
  if (rest > half || (rest == half && odd)) return (quad)(cut + 1);
  if (rest < -half || (rest == -half && odd)) return (quad)(cut - 1);
  return (quad)cut;
}

/* An integer result as the whole row: extended by its own type to the register. */
static uint64_t to_row(struct type t, unsigned row, uint64_t x) {
  return (uint64_t)extended(t, x) & ones(row);
}

static uint64_t to_integer(struct type to, struct type from, uint64_t x, struct how how, unsigned row) {
  const quad low = to.is_signed ? -(quad)((__int128)1 << (to.bits - 1)) : 0;
  const quad high = (quad)((__int128)1 << (to.is_signed ? to.bits - 1 : to.bits)) - 1;
  if (is_nan(from, x))
    return from.bits == 64 || to.bits == 64 ? to_row(to, row, (uint64_t)1 << (to.bits - 1)) : 0;
  quad v = value_of(from, how.ftz ? flush(from, x) : x);
  if (v > 0x1p80) v = 0x1p80;
  if (v < -0x1p80) v = -0x1p80;
  v = whole_of(v, how.round);
  v = v < low ? low : v > high ? high : v;
  return to_row(to, row, (uint64_t)(__int128)v);
}

/* Which NaN: f64 gives and takes what fits of a payload, and an f32 takes that of a bf16; all others are
 * canonical. */
static uint64_t nan_of(struct type to, struct type from, uint64_t x, bool ftz) {
  const uint64_t quiet = (uint64_t)1 << (to.m - 1), payload = x & ones(from.m),
                 sign = x >> (from.bits - 1) & 1;
  const bool keeps = from.bits == 64 || (!ftz && (to.bits == 64 || (to.bits == 32 && from.m == 7)));
  const uint64_t moved = from.m > to.m ? payload >> (from.m - to.m) : payload << (to.m - from.m);
  if (!keeps && to.bits == 64) return 0x7fffffffe0000000u;
  if (!keeps) return ones(to.bits - 1);
  return sign << (to.bits - 1) | ones(to.e) << to.m | moved | (to.bits == 32 && from.m == 7 ? 0 : quiet);
}

static uint64_t to_float(struct type to, struct type from, uint64_t x, struct how how) {
  const uint64_t sign_bit = (uint64_t)1 << (to.e + to.m), one = ones(to.e - 1) << to.m;
  x &= ones(from.bits);
  if (how.ftz && from.bits == 32 && to.bits >= 32) x = flush(from, x); /* not for a 16-bit result */
  if (is_nan(from, x)) return how.sat ? 0 : nan_of(to, from, x, how.ftz);
  quad v = value_of(from, x);
  const bool negative = from.is_signed && x >> (from.bits - 1) & 1;
  uint64_t r;
  if (how.whole && v < 0x1p80 && v > -0x1p80) v = whole_of(v, how.round);
  if (v == 0)
    r = negative && from.e ? sign_bit : 0;
  else
    r = exact_round((struct exact){v, 0}, to.e, to.m, how.whole ? EXEC_RN : how.round);
  if (how.ftz && to.bits == 32) r = flush(to, r);
  if (how.satfinite && (r & (sign_bit - 1)) == ones(to.e) << to.m) r--;
  if (how.sat) r = r & sign_bit ? 0 : r > one ? one : r;
  if (how.relu && r & sign_bit) r = 0;
  return r;
}

/* ---- running ------------------------------------------------------------------------------------------- */

enum { CASES = 65536 };
static struct rig_case cases[CASES];
static size_t n_cases;

/* All values of up to 16 bits; specials and random ones above. The rest of the register is dirt. */
static void fill(struct type from) {
  uint64_t seed = from.bits * 7 + from.e;
  n_cases = from.bits <= 16 ? CASES : 6000;
  for (unsigned i = 0; i < n_cases; i++) {
    const uint64_t r = rig_random(&seed), edge = (uint64_t)1 << r % from.bits;
    uint64_t x = i;
    if (from.e && from.bits > 16)
      x = i < RIG_SPECIALS ? rig_special(from.e, from.m, i) : rig_float(from.e, from.m, &seed);
    if (!from.e && from.bits > 16)
      x = i % 3 == 0 ? edge - 2 + (r >> 8) % 5 : i % 3 == 1 ? r >> 32 >> r % 32 : r;
    /* floats near the ends of the integer types and between whole numbers */
    if (from.bits == 64 && from.e && i % 3 == 0)
      x = exec_bits64(ldexp((double)(int64_t)(r >> 20 & 0x3ff), -4) + (double)edge);
    if (from.m == 23 && i % 3 == 0) x = exec_bits32(ldexpf((float)(r >> 20 & 0x3ff), -4) + (float)edge);
    if (from.e && from.bits > 16 && i % 6 == 0) x ^= (uint64_t)1 << (from.bits - 1);
    cases[i].in[0] = (x & ones(from.bits)) | (r & ~ones(from.bits));
  }
}

static void check(const char *words, struct type to, struct type from, struct how how, unsigned dst_row,
                  unsigned src_row) {
  char text[80];
  snprintf(text, sizeof text, "cvt%s%s%s.%s.%s", words, how.ftz ? ".ftz" : "", how.sat ? ".sat" : "", to.name,
           from.name);
  for (size_t i = 0; i < n_cases; i++)
    cases[i].want = to.e ? to_float(to, from, cases[i].in[0], how)
                         : to_integer(to, from, cases[i].in[0] & ones(from.bits), how, dst_row);
  const struct rig_shape s = {.dst = dst_row, .src = {src_row}, .n_src = 1, .mask = to.e ? ones(to.bits) : 0};
  rig_check(text, RIG_CONVERT, s, cases, n_cases);
}
static void check_own(const char *words, struct type to, struct type from, struct how how) {
  check(words, to, from, how, row_of(to), row_of(from));
}

/* ---- tests --------------------------------------------------------------------------------------------- */

static uint64_t int_to_int(struct type to, struct type from, uint64_t x, bool sat, unsigned row) {
  if (sat) return to_integer(to, from, x, (struct how){.round = EXEC_RZ}, row);
  return to_row(to, row, (uint64_t)extended(from, x));
}

static void check_ints(struct type to, struct type from, bool sat, unsigned dst_row, unsigned src_row) {
  char text[64];
  snprintf(text, sizeof text, "cvt%s.%s.%s", sat ? ".sat" : "", to.name, from.name);
  for (size_t i = 0; i < n_cases; i++) cases[i].want = int_to_int(to, from, cases[i].in[0], sat, dst_row);
  rig_check(text, RIG_CONVERT, (struct rig_shape){.dst = dst_row, .src = {src_row}, .n_src = 1}, cases,
            n_cases);
}

static void test_integers_are_cut_extended_or_clamped(void **state) {
  (void)state;
  for (int s = 0; s < N_INTS; s++) {
    fill(INTS[s]);
    for (int d = 0; d < N_INTS; d++)
      for (int sat = 0; sat < 2; sat++) check_ints(INTS[d], INTS[s], sat, row_of(INTS[d]), row_of(INTS[s]));
  }
}

static void test_registers_may_be_wider_than_their_type(void **state) {
  (void)state;
  for (int s = 0; s < N_INTS - 2; s++) {
    fill(INTS[s]);
    n_cases = n_cases > 4096 ? 4096 : n_cases;
    for (int d = 0; d < N_INTS - 2; d++)
      for (int v = 0; v < 8; v++) check_ints(INTS[d], INTS[s], v & 1, v & 2 ? 64 : 32, v & 4 ? 64 : 32);
    check(".rn", F32, INTS[s], (struct how){.round = EXEC_RN}, 32, 64);
    check(".rz", F64, INTS[s], (struct how){.round = EXEC_RZ}, 64, 64);
  }
  fill(F32);
  check(".rzi", S32, F32, (struct how){.round = EXEC_RZ, .whole = true}, 64, 32);
  check(".rni", U8, F32, (struct how){.round = EXEC_RN, .whole = true}, 64, 32);
}

static void test_integers_become_floats_in_every_direction(void **state) {
  (void)state;
  static const struct type *const TO[] = {&F16, &BF16, &F32, &F64};
  for (int s = 0; s < N_INTS; s++) {
    fill(INTS[s]);
    n_cases = n_cases > 8192 ? 8192 : n_cases;
    for (int d = 0; d < 4; d++)
      for (int r = EXEC_RN; r <= EXEC_RP; r++)
        for (int sat = 0; sat < 2; sat++)
          check_own(ROUND_WORD[r], *TO[d], INTS[s], (struct how){.round = (enum exec_round)r, .sat = sat});
  }
}

static void test_floats_become_integers_and_saturate(void **state) {
  (void)state;
  static const struct type *const FROM[] = {&F16, &BF16, &F32, &F64};
  for (int s = 0; s < 4; s++) {
    fill(*FROM[s]);
    for (int d = 0; d < N_INTS; d++)
      for (int r = EXEC_RN; r <= EXEC_RP; r++) {
        const struct how how = {.round = (enum exec_round)r, .whole = true};
        check_own(WHOLE_WORD[r], INTS[d], *FROM[s], how);
        if (s != 2) continue;
        check_own(WHOLE_WORD[r], INTS[d], F32, (struct how){.round = how.round, .whole = true, .ftz = true});
        check_own(WHOLE_WORD[r], INTS[d], F32, (struct how){.round = how.round, .whole = true, .sat = true});
      }
  }
}

static void check_flags(const char *words, struct type to, struct type from, struct how how) {
  const bool can_ftz = to.bits == 32 || from.bits == 32;
  for (int v = 0; v < (can_ftz ? 4 : 2); v++) {
    how.sat = v & 1;
    how.ftz = v & 2;
    check_own(words, to, from, how);
  }
}

static void test_floats_widen_and_narrow_in_every_direction(void **state) {
  (void)state;
  static const struct type *const ALL[] = {&F16, &BF16, &F32, &F64};
  for (int s = 0; s < 4; s++) {
    fill(*ALL[s]);
    for (int d = 0; d < 4; d++) {
      const bool narrows = ALL[d]->m < ALL[s]->m || ALL[d]->e < ALL[s]->e;
      for (int r = EXEC_RN; narrows && r <= EXEC_RP; r++)
        check_flags(ROUND_WORD[r], *ALL[d], *ALL[s], (struct how){.round = (enum exec_round)r});
      if (!narrows && d != s) check_flags("", *ALL[d], *ALL[s], (struct how){.round = EXEC_RN});
    }
  }
}

static void test_floats_round_to_whole_numbers(void **state) {
  (void)state;
  static const struct type *const ALL[] = {&F16, &BF16, &F32, &F64};
  for (int t = 0; t < 4; t++) {
    fill(*ALL[t]);
    for (int r = EXEC_RN; r <= EXEC_RP; r++)
      check_flags(WHOLE_WORD[r], *ALL[t], *ALL[t], (struct how){.round = (enum exec_round)r, .whole = true});
  }
}

static void test_relu_and_satfinite(void **state) {
  (void)state;
  static const struct type *const TO[] = {&F16, &BF16};
  fill(F32);
  for (int d = 0; d < 2; d++)
    for (int v = 0; v < 8; v++) {
      char words[48];
      const struct how how = {.round = v & 1 ? EXEC_RZ : EXEC_RN, .relu = v & 2, .satfinite = v & 4};
      snprintf(words, sizeof words, "%s%s%s", ROUND_WORD[how.round], how.relu ? ".relu" : "",
               how.satfinite ? ".satfinite" : "");
      check_own(words, *TO[d], F32, how);
    }
}

/* tf32 is an f32 whose last 13 bits are zero, but for one NaN. */
static uint64_t tf32_special(uint64_t x, struct how how) {
  if (how.round == EXEC_RNA) return (x & 0xffffe000u) - (how.satfinite ? 0x2000u : 0);
  return how.satfinite ? 0x7fffffff : 0x7fffe000;
}
static void check_tf32(const char *words, struct how how) {
  char text[64];
  snprintf(text, sizeof text, "cvt%s.tf32.f32", words);
  for (size_t i = 0; i < n_cases; i++) {
    const uint64_t x = cases[i].in[0] & ones(32);
    cases[i].want = is_nan(F32, x) ? tf32_special(x, how) : to_float(TF32, F32, x, how) << 13;
  }
  rig_check(text, RIG_CONVERT, (struct rig_shape){.dst = 32, .src = {32}, .n_src = 1}, cases, n_cases);
}

static void test_tf32(void **state) {
  (void)state;
  fill(F32);
  check_tf32(".rna", (struct how){.round = EXEC_RNA});
  check_tf32(".rna.satfinite", (struct how){.round = EXEC_RNA, .satfinite = true});
  check_tf32(".rn", (struct how){.round = EXEC_RN});
  check_tf32(".rz.relu", (struct how){.round = EXEC_RZ, .relu = true});
  check_tf32(".rn.relu.satfinite", (struct how){.round = EXEC_RN, .relu = true, .satfinite = true});
}

static void test_a_type_to_itself_is_a_move(void **state) {
  (void)state;
  static const struct type *const ALL[] = {&F32, &F64};
  for (int t = 0; t < 2; t++) {
    fill(*ALL[t]);
    for (size_t i = 0; i < n_cases; i++) cases[i].want = cases[i].in[0];
    const unsigned row = row_of(*ALL[t]);
    rig_check(t ? "cvt.f64.f64" : "cvt.f32.f32", RIG_CONVERT,
              (struct rig_shape){.dst = row, .src = {row}, .n_src = 1, .mask = ones(row)}, cases, n_cases);
  }
}

/* ---- pairs --------------------------------------------------------------------------------------------- */

static void fill_pairs(void) {
  fill(F32);
  for (size_t i = 0; i < n_cases; i++) cases[i].in[1] = cases[(i * 13 + 5) % n_cases].in[0];
}

static void test_two_singles_make_a_pair_with_the_first_on_top(void **state) {
  (void)state;
  static const struct type *const TO[] = {&F16, &BF16};
  fill_pairs();
  for (int d = 0; d < 2; d++)
    for (int v = 0; v < 8; v++) {
      char text[64];
      const struct how how = {.round = v & 1 ? EXEC_RZ : EXEC_RN, .relu = v & 2, .satfinite = v & 4};
      snprintf(text, sizeof text, "cvt%s%s%s.%sx2.f32", ROUND_WORD[how.round], how.relu ? ".relu" : "",
               how.satfinite ? ".satfinite" : "", TO[d]->name);
      for (size_t i = 0; i < n_cases; i++)
        cases[i].want =
            to_float(*TO[d], F32, cases[i].in[0], how) << 16 | to_float(*TO[d], F32, cases[i].in[1], how);
      rig_check(text, RIG_CONVERT, (struct rig_shape){.dst = 32, .src = {32, 32}, .n_src = 2}, cases,
                n_cases);
    }
}

/* The value of an 8-bit float, from its definition. */
static quad value8(unsigned b, bool e4m3) {
  if (e4m3 && (b & 0x7f) == 0x7f) return (quad)__builtin_nan("");
  if (e4m3 && (b & 0x78) == 0x78) { /* the top exponent holds numbers */
    const quad v = (quad)((8 + (b & 7)) * 32);
    return b & 0x80 ? -v : v;
  }
  return exact_value(b, e4m3 ? 4 : 5, e4m3 ? 3 : 2);
}

/* The nearest of all 256, ties to the even one, no further than the largest. */
static unsigned nearest8(quad v, bool negative, bool e4m3, bool relu) {
  const unsigned largest = e4m3 ? 0x7e : 0x7b;
  if (v != v) return 0x7f;
  if (relu && negative) return 0;
  const quad size = negative ? -v : v;
  unsigned best = 0;
  for (unsigned b = 1; b <= largest; b++) {
    const quad now = size - value8(b, e4m3), was = size - value8(best, e4m3);
    const quad a = now < 0 ? -now : now, w = was < 0 ? -was : was;
    if (a < w || (a == w && !(b & 1))) best = b;
  }
  if (size > value8(largest, e4m3)) best = largest;
  return best | (negative ? 0x80u : 0);
}

static unsigned narrow8(struct type from, uint64_t x, bool e4m3, bool relu) {
  x &= ones(from.bits);
  return nearest8(value_of(from, x), x >> (from.bits - 1) & 1, e4m3, relu);
}

static void check_narrow8(bool e4m3, bool relu) {
  char text[64];
  const char *const to = e4m3 ? "e4m3x2" : "e5m2x2", *const word = relu ? ".relu" : "";
  fill_pairs();
  for (size_t i = 0; i < n_cases; i++) /* bring most into range */
    for (int k = 0; k < 2; k++)
      if (i % 4) cases[i].in[k] = (cases[i].in[k] & 0x80ffffffu) | (0x34 + i % 16) << 24;
  for (size_t i = 0; i < n_cases; i++)
    cases[i].want = narrow8(F32, cases[i].in[0], e4m3, relu) << 8 | narrow8(F32, cases[i].in[1], e4m3, relu);
  snprintf(text, sizeof text, "cvt.rn.satfinite%s.%s.f32", word, to);
  rig_check(text, RIG_CONVERT, (struct rig_shape){.dst = 32, .src = {32, 32}, .n_src = 2, .mask = 0xffff},
            cases, n_cases);

  n_cases = CASES;
  for (unsigned i = 0; i < CASES; i++) {
    const unsigned j = (i * 31 + 7) % CASES;
    cases[i].in[0] = j << 16 | i;
    cases[i].want = narrow8(F16, j, e4m3, relu) << 8 | narrow8(F16, i, e4m3, relu);
  }
  snprintf(text, sizeof text, "cvt.rn.satfinite%s.%s.f16x2", word, to);
  rig_check(text, RIG_CONVERT, (struct rig_shape){.dst = 32, .src = {32}, .n_src = 1, .mask = 0xffff}, cases,
            n_cases);
}

static uint64_t widen8(unsigned b, bool e4m3, bool relu) {
  const quad v = value8(b, e4m3);
  if (v != v) return 0x7fff;
  if (b & 0x80 && relu) return 0;
  return v == 0 ? (b & 0x80) << 8 : exact_round((struct exact){v, 0}, 5, 10, EXEC_RN);
}

static void test_eight_bit_floats(void **state) {
  (void)state;
  for (int v = 0; v < 4; v++) {
    const bool e4m3 = v & 1, relu = v & 2;
    char text[64];
    check_narrow8(e4m3, relu);
    n_cases = CASES;
    for (unsigned i = 0; i < CASES; i++) {
      cases[i].in[0] = i | 0xabcd0000u;
      cases[i].want = widen8(i >> 8, e4m3, relu) << 16 | widen8(i & 0xff, e4m3, relu);
    }
    snprintf(text, sizeof text, "cvt.rn%s.f16x2.%s", relu ? ".relu" : "", e4m3 ? "e4m3x2" : "e5m2x2");
    rig_check(text, RIG_CONVERT, (struct rig_shape){.dst = 32, .src = {32}, .n_src = 1}, cases, n_cases);
  }
}

/* ---- cvt.pack ------------------------------------------------------------------------------------------ */

static void test_pack_clamps_and_puts_the_first_above_the_second(void **state) {
  (void)state;
  static const struct type TO[] = {{"u16", 16, 0, 0, false}, {"s16", 16, 0, 0, true}, {"u8", 8, 0, 0, false},
                                   {"s8", 8, 0, 0, true},    {"u4", 4, 0, 0, false},  {"s4", 4, 0, 0, true},
                                   {"u2", 2, 0, 0, false},   {"s2", 2, 0, 0, true}};
  fill(S32);
  for (size_t i = 0; i < n_cases; i++) {
    cases[i].in[1] = cases[(i * 7 + 3) % n_cases].in[0] & ones(32);
    cases[i].in[2] = cases[(i * 5 + 1) % n_cases].in[0] & ones(32);
  }
  for (int t = 0; t < 8; t++) {
    char text[64];
    const unsigned bits = TO[t].bits;
    snprintf(text, sizeof text, "cvt.pack.sat.%s.s32%s", TO[t].name, bits == 16 ? "" : ".b32");
    for (size_t i = 0; i < n_cases; i++) {
      const uint64_t a = int_to_int(TO[t], S32, cases[i].in[0], true, 32) & ones(bits);
      const uint64_t b = int_to_int(TO[t], S32, cases[i].in[1], true, 32) & ones(bits);
      cases[i].want = ((bits == 16 ? 0 : cases[i].in[2] << 2 * bits) | a << bits | b) & ones(32);
    }
    rig_check(text, RIG_CONVERT,
              (struct rig_shape){.dst = 32, .src = {32, 32, 32}, .n_src = bits == 16 ? 2 : 3}, cases,
              n_cases);
  }
}

static void test_illegal_combinations_are_refused(void **state) {
  (void)state;
  rig_refused("cvt.s32.f32", RIG_CONVERT);
  rig_refused("cvt.rn.e4m3x2.f32", RIG_CONVERT);
  rig_refused("cvt.rn.relu.f32.f64", RIG_CONVERT);
  rig_refused("cvt.rs.f16x2.f32", RIG_CONVERT);
  rig_refused("cvt.rn.satfinite.e2m1x2.f32", RIG_CONVERT);
  rig_refused("cvt.rn.tf32.f64", RIG_CONVERT);
}

static void test_a_description_survives_packing(void **state) {
  (void)state;
  const struct exec_convert c = {
      .dst = PTX_S16, .src = PTX_F32, .round = EXEC_RP, .whole = true, .sat = true, .wide_dst = true};
  const struct exec_convert back = exec_convert_unpack(exec_convert_pack(c));
  assert_int_equal(back.dst, PTX_S16);
  assert_int_equal(back.src, PTX_F32);
  assert_int_equal(back.round, EXEC_RP);
  assert_true(back.whole && back.sat && back.wide_dst);
  assert_false(back.ftz || back.satfinite || back.relu || back.wide_src);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_integers_are_cut_extended_or_clamped),
      cmocka_unit_test(test_registers_may_be_wider_than_their_type),
      cmocka_unit_test(test_integers_become_floats_in_every_direction),
      cmocka_unit_test(test_floats_become_integers_and_saturate),
      cmocka_unit_test(test_floats_widen_and_narrow_in_every_direction),
      cmocka_unit_test(test_floats_round_to_whole_numbers),
      cmocka_unit_test(test_a_type_to_itself_is_a_move),
      cmocka_unit_test(test_relu_and_satfinite),
      cmocka_unit_test(test_tf32),
      cmocka_unit_test(test_two_singles_make_a_pair_with_the_first_on_top),
      cmocka_unit_test(test_eight_bit_floats),
      cmocka_unit_test(test_pack_clamps_and_puts_the_first_above_the_second),
      cmocka_unit_test(test_illegal_combinations_are_refused),
      cmocka_unit_test(test_a_description_survives_packing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
