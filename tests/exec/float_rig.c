/* See float_rig.h. The reference works on the bits of 128-bit floats and knows nothing of the code under
 * test. */
#include "float_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- instructions -------------------------------------------------------------------------------------- */

static bool find_type(const char *word, struct ptx_inst *pi) {
  for (int t = PTX_PRED; t < PTX_TYPES; t++)
    if (!strcmp(word, ptx_type_name((enum ptx_type)t))) {
      pi->types[pi->n_types++] = (uint8_t)t;
      return true;
    }
  return false;
}
static bool find_modifier(const char *word, struct ptx_inst *pi) {
  for (int m = PTX_M_none + 1; m < PTX_MODS; m++)
    if (!strcmp(word, ptx_mod_name((enum ptx_mod)m))) {
      pi->mods[pi->n_mods++] = (uint16_t)m;
      return true;
    }
  return false;
}
static bool find_opcode(const char *word, struct ptx_inst *pi) {
  for (int o = 0; o < PTX_OPS; o++)
    if (!strcmp(word, ptx_op_name((enum ptx_op)o))) {
      pi->op = (uint16_t)o;
      return true;
    }
  return false;
}

struct ptx_inst rig_instruction(const char *text) {
  struct ptx_inst pi = {.vec = 1};
  char copy[128], *rest = copy;
  snprintf(copy, sizeof copy, "%s", text);
  const char *word = strsep(&rest, ".");
  if (!find_opcode(word, &pi)) fail_msg("no opcode %s", word);
  while ((word = strsep(&rest, ".")))
    if (!find_type(word, &pi) && !find_modifier(word, &pi)) fail_msg("%s: no word .%s", text, word);
  return pi;
}

unsigned rig_isas(const struct exec_lanes *out[RIG_MAX_ISAS]) {
  static const char *const NAMES[RIG_MAX_ISAS] = {"portable", "avx2", "avx512"};
  unsigned n = 0;
  for (int i = 0; i < RIG_MAX_ISAS; i++) {
    setenv("HEDDLE_ISA", NAMES[i], 1);
    const struct exec_lanes *l = exec_lanes_best();
    if (!strcmp(l->name, NAMES[i])) out[n++] = l;
  }
  unsetenv("HEDDLE_ISA");
  return n;
}

/* ---- running ------------------------------------------------------------------------------------------- */

enum { ROW_BYTES = 8 * EXEC_LANES, ROWS = 4 };

struct rig {
  struct exec_warp w;
  struct exec_inst in;
  _Alignas(64) unsigned char rows[ROWS][ROW_BYTES];
};
static struct rig rig;

static exec_fn pick(const struct exec_lanes *isa, enum rig_family family, const struct ptx_inst *pi) {
  if (family == RIG_FLOAT) return isa->pick_float(pi);
  return family == RIG_HALF ? isa->pick_half(pi) : isa->pick_convert(pi);
}

static void put(unsigned row, unsigned bits, int lane, uint64_t v) {
  const size_t bytes = bits / 8;
  memcpy(rig.rows[row] + (size_t)lane * bytes, &v, bytes);
}
static uint64_t get(unsigned row, unsigned bits, int lane) {
  const size_t bytes = bits / 8;
  uint64_t v = 0;
  memcpy(&v, rig.rows[row] + (size_t)lane * bytes, bytes);
  return v;
}

static void prepare(const struct exec_lanes *isa, const char *text, enum rig_family family,
                    const struct ptx_inst *pi, struct rig_shape s) {
  rig.in = (struct exec_inst){.fn = pick(isa, family, pi), .ptx = pi};
  if (!rig.in.fn) fail_msg("%s: not supported on %s", text, isa->name);
  struct exec_opnd *const to[] = {&rig.in.d, &rig.in.a, &rig.in.b, &rig.in.c};
  for (unsigned r = 0; r < ROWS; r++)
    *to[r] = (struct exec_opnd){.file = r <= s.n_src ? EXEC_F32 : EXEC_FNONE, .off = r * ROW_BYTES};
  rig.w.file[EXEC_F32] = rig.rows[0];
  if (family != RIG_CONVERT) return;
  struct exec_convert c = exec_convert_of(pi);
  c.wide_src = s.src[0] == 64 && ptx_type_bits((enum ptx_type)c.src) < 64;
  c.wide_dst = s.dst == 64 && ptx_type_bits((enum ptx_type)c.dst) < 64;
  rig.in.imm = exec_convert_pack(c);
  struct ptx_inst any = *pi;
  any.vec = EXEC_CONVERT_ANY_ROWS;
  if (c.wide_src || c.wide_dst) rig.in.fn = pick(isa, family, &any);
}

/* 32 cases from `first` on, wrapping round; the result of lane i is then in row `to`. */
static void run_once(struct rig_shape s, const struct rig_case *cases, size_t n, size_t first, uint32_t mask,
                     unsigned to) {
  for (int i = 0; i < EXEC_LANES; i++) {
    put(0, s.dst, i, 0xa5a5a5a5a5a5a5a5u);
    for (unsigned k = 0; k < s.n_src; k++) put(k + 1, s.src[k], i, cases[(first + (size_t)i) % n].in[k]);
  }
  rig.in.d.off = to * ROW_BYTES;
  rig.w.mask = mask;
  rig.in.fn(&rig.w, &rig.in);
}

static uint64_t counted(struct rig_shape s) {
  if (s.mask) return s.mask;
  return s.dst == 64 ? ~(uint64_t)0 : 0xffffffffu;
}

static void check_run(const char *text, const char *isa, struct rig_shape s, const struct rig_case *cases,
                      size_t n, size_t first, uint32_t mask, unsigned to) {
  run_once(s, cases, n, first, mask, to);
  for (int i = 0; i < EXEC_LANES; i++) {
    const struct rig_case *c = &cases[(first + (size_t)i) % n];
    const uint64_t full = s.dst == 64 ? ~(uint64_t)0 : 0xffffffffu, got = get(to, s.dst, i);
    const uint64_t old = to == 0 ? 0xa5a5a5a5a5a5a5a5u : c->in[to - 1];
    const bool active = mask >> i & 1;
    const uint64_t which = active ? counted(s) : full, want = active ? c->want : old;
    if ((got ^ want) & which)
      fail_msg("%s on %s, lane %d (%s): %#llx, %#llx, %#llx gives %#llx, not %#llx", text, isa, i,
               active ? "active" : "inactive", (unsigned long long)c->in[0], (unsigned long long)c->in[1],
               (unsigned long long)c->in[2], (unsigned long long)(got & which),
               (unsigned long long)(want & which));
  }
}

void rig_check(const char *text, enum rig_family family, struct rig_shape shape, const struct rig_case *cases,
               size_t n) {
  const struct exec_lanes *isas[RIG_MAX_ISAS];
  const struct ptx_inst pi = rig_instruction(text);
  const unsigned n_isas = rig_isas(isas);
  uint64_t seed = 1;
  for (unsigned k = 0; k < n_isas; k++) {
    prepare(isas[k], text, family, &pi, shape);
    for (size_t first = 0, batch = 0; first < n; first += EXEC_LANES, batch++) {
      const uint32_t mask = batch % 4 == 3 ? (uint32_t)rig_random(&seed) : EXEC_ALL_LANES;
      const unsigned to = batch % 5 == 4 && shape.src[0] == shape.dst ? 1 : 0;
      check_run(text, isas[k]->name, shape, cases, n, first, mask, to);
    }
  }
}

void rig_fetch(const struct exec_lanes *isa, const char *text, enum rig_family family, struct rig_shape shape,
               struct rig_case *cases, size_t n) {
  const struct ptx_inst pi = rig_instruction(text);
  prepare(isa, text, family, &pi, shape);
  for (size_t first = 0; first < n; first += EXEC_LANES) {
    run_once(shape, cases, n, first, EXEC_ALL_LANES, 0);
    for (int i = 0; i < EXEC_LANES && first + (size_t)i < n; i++)
      cases[first + (size_t)i].want = get(0, shape.dst, i) & counted(shape);
  }
}

void rig_refused(const char *text, enum rig_family family) {
  const struct exec_lanes *isas[RIG_MAX_ISAS];
  const struct ptx_inst pi = rig_instruction(text);
  const unsigned n = rig_isas(isas);
  for (unsigned k = 0; k < n; k++)
    if (pick(isas[k], family, &pi)) fail_msg("%s should be refused on %s", text, isas[k]->name);
}

/* ---- inputs -------------------------------------------------------------------------------------------- */

uint64_t rig_random(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static uint64_t ones(unsigned bits) { return bits >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1; }

uint64_t rig_special(unsigned e, unsigned m, unsigned k) {
  const uint64_t one = ones(e - 1) << m, infinity = ones(e) << m, quiet = (uint64_t)1 << (m - 1);
  const uint64_t list[] = {
      0,   1,       quiet + 1, ones(m),      (uint64_t)1 << m, ((uint64_t)1 << m) + 1,
      one, one + 1, one - 1,   infinity - 1, infinity,         infinity | quiet | (quiet >> 1)};
  const unsigned n = sizeof list / sizeof list[0];
  return list[k % n] | (k / n % 2 ? (uint64_t)1 << (e + m) : 0);
}

/* Often close to one or to another special value, so that sums cancel and results are near the ends of the
 * range. */
uint64_t rig_float(unsigned e, unsigned m, uint64_t *state) {
  const uint64_t r = rig_random(state), bits = rig_random(state) & ones(e + m + 1);
  const uint64_t near_one = ones(e - 1) - 3 + (r >> 8) % 7,
                 sparse = bits & ones(m) & rig_random(state) & (r >> 3);
  switch (r % 8) {
  case 0: return rig_special(e, m, (unsigned)(r >> 8));
  case 1:
  case 2: return bits;
  case 3: return (bits & (ones(m) | (uint64_t)1 << (e + m))) | ((r >> 8) % 4) << m;
  case 4: return (bits & ~(ones(e) << m)) | near_one << m;
  case 5: return (bits & ~(ones(e) << m) & ~ones(m)) | near_one << m | sparse;
  case 6: return (bits & ~(ones(e) << m)) | (ones(e - 1) + (r >> 8) % (2 * m) - m) % ones(e) << m;
  default: return (bits & ~(ones(e) << m)) | (ones(e) - 1 - (r >> 8) % 3) << m;
  }
}

/* ---- reference ----------------------------------------------------------------------------------------- */

typedef unsigned __int128 wide;

static wide quad_bits(quad x) {
  wide u;
  memcpy(&u, &x, sizeof u);
  return u;
}

struct exact exact_add(quad a, quad b) {
  const quad s = a + b, bb = s - a;
  return (struct exact){s, (a - (s - bb)) + (b - bb)};
}
/* 113 bits are enough to tell a quotient or root of two shorter numbers from any tie. */
struct exact exact_div(quad a, quad b) {
  return (struct exact){a / b, 0};
}
struct exact exact_sqrt(quad a) {
  quad r = a;
  if (a > 0 && a < (quad)__builtin_inf()) {
    r = (quad)__builtin_sqrt((double)a);
    for (int i = 0; i < 3; i++) r = (r + a / r) / 2;
  } else if (a < 0)
    r = (quad)__builtin_nan("");
  return (struct exact){r, 0};
}

static bool rounds_up(enum exec_round round, bool negative, bool odd, int against_half, bool inexact) {
  switch (round) {
  case EXEC_RZ: return false;
  case EXEC_RM: return negative && inexact;
  case EXEC_RP: return !negative && inexact;
  case EXEC_RNA: return against_half >= 0;
  default: return against_half > 0 || (against_half == 0 && odd);
  }
}

uint64_t exact_round(struct exact x, unsigned e, unsigned m, enum exec_round round) {
  const wide u = quad_bits(x.s);
  const bool negative = (bool)(u >> 127);
  const uint64_t sign = (uint64_t)negative << (e + m), infinity = ones(e) << m;
  int exponent = (int)(u >> 112 & 0x7fff);
  if (exponent == 0x7fff) return sign | infinity;
  /* The significand, with three more bits below for what is missing. */
  wide significand = ((u & (((wide)1 << 112) - 1)) | (wide)1 << 112) << 3;
  const quad missing = negative ? -x.e : x.e;
  if (missing > 0) significand += 1;
  if (missing < 0) significand -= 1;
  if (!(significand >> 115)) exponent--, significand <<= 1;

  const int bias = (int)ones(e - 1);
  int to = exponent - 16383 + bias;
  unsigned drop = 115 - m;
  if (to < 1) {
    drop = 1 - to > 120 - (int)drop ? 120 : drop + (unsigned)(1 - to);
    to = 1;
  }
  const wide kept = significand >> drop, rest = significand - (kept << drop), half = (wide)1 << (drop - 1);
  const int against_half = rest > half ? 1 : rest < half ? -1 : 0;
  const uint64_t up = rounds_up(round, negative, kept & 1, against_half, rest != 0);
  const wide bits = ((wide)(unsigned)(to - 1) << m) + kept + up;
  if (bits < infinity) return sign | (uint64_t)bits;
  const bool inward = round == EXEC_RZ || (round == EXEC_RM && !negative) || (round == EXEC_RP && negative);
  return sign | (inward ? infinity - 1 : infinity);
}

bool exact_is_nan(uint64_t bits, unsigned e, unsigned m) { return (bits & ones(e + m)) > ones(e) << m; }

quad exact_value(uint64_t bits, unsigned e, unsigned m) {
  const uint64_t exponent = bits >> m & ones(e), mantissa = bits & ones(m);
  const int scale = (exponent ? (int)exponent : 1) - (int)ones(e - 1) - (int)m;
  quad v = (quad)(exponent ? mantissa | (uint64_t)1 << m : mantissa);
  if (exponent == ones(e))
    v = mantissa ? (quad)__builtin_nan("") : (quad)__builtin_inf();
  else if (v != 0) {
    const wide u = quad_bits(v) + ((wide)(unsigned)(scale + 16384) << 112) - ((wide)16384 << 112);
    memcpy(&v, &u, sizeof v);
  }
  return bits >> (e + m) & 1 ? -v : v;
}
