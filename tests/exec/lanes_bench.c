/* See lanes_bench.h. */
#include "lanes_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define DECLARE(isa)                                                                                         \
  exec_fn exec_pick_int_##isa(const struct ptx_inst *);                                                      \
  exec_fn exec_pick_float_##isa(const struct ptx_inst *);                                                    \
  exec_fn exec_pick_half_##isa(const struct ptx_inst *);                                                     \
  exec_fn exec_pick_compare_##isa(const struct ptx_inst *);                                                  \
  exec_fn exec_pick_convert_##isa(const struct ptx_inst *);                                                  \
  static const struct exec_lanes lanes_##isa = {.name = #isa,                                                \
                                                .pick_int = exec_pick_int_##isa,                             \
                                                .pick_float = exec_pick_float_##isa,                         \
                                                .pick_half = exec_pick_half_##isa,                           \
                                                .pick_compare = exec_pick_compare_##isa,                     \
                                                .pick_convert = exec_pick_convert_##isa};
DECLARE(portable)
#ifndef EXEC_PORTABLE_ONLY
DECLARE(avx2)
DECLARE(avx512)
#endif

const struct exec_lanes *const *bench_lanes(void) {
  static const struct exec_lanes *list[4];
  unsigned n = 0;
  list[n++] = &lanes_portable;
#ifndef EXEC_PORTABLE_ONLY
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) list[n++] = &lanes_avx2;
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    list[n++] = &lanes_avx512;
#endif
  list[n] = NULL;
  return list;
}

/* ---- set-up -------------------------------------------------------------------------------------------- */

void bench_start(struct bench *b) {
  static const enum ptx_type types[] = {PTX_B32, PTX_B64, PTX_PRED, PTX_PRED};
  memset(b, 0, sizeof *b);
  for (unsigned k = 0; k < 4 * BENCH_REGS; k++) {
    const unsigned slot = k < 3 * BENCH_REGS ? k % BENCH_REGS : k - 2 * BENCH_REGS;
    b->regs[k] =
        (struct ptx_reg){.name = "%r", .type = (uint8_t)types[k / BENCH_REGS], .slot = (int32_t)slot};
  }
  b->func = (struct ptx_func){.name = "bench", .regs = b->regs, .n_regs = 4 * BENCH_REGS};
  b->module.source_name = "bench";
  b->decoder = (struct exec_decoder){.ptx = &b->module, .pf = &b->func, .arena = &b->arena, .e = &b->err};
  b->w.file[EXEC_F32] = (unsigned char *)b->r32;
  b->w.file[EXEC_F64] = (unsigned char *)b->r64;
  b->w.file[EXEC_FPRED] = (unsigned char *)b->preds;
}

void bench_end(struct bench *b) {
  arena_free(&b->arena);
  err_clear(&b->err);
}

struct ptx_opnd bench_reg(char letter, unsigned k) {
  const unsigned file = letter == 'S' ? 0 : letter == 'L' ? 1 : 2;
  return (struct ptx_opnd){.kind = PTX_O_REG, .reg = (int32_t)(file * BENCH_REGS + k), .second = -1};
}

/* A dotted word is a type if there is such a type, else a modifier. */
static void add_word(struct ptx_inst *pi, const char *word) {
  for (unsigned t = 1; t < PTX_TYPES; t++)
    if (!strcmp(ptx_type_name((enum ptx_type)t), word)) {
      pi->types[pi->n_types++] = (uint8_t)t;
      return;
    }
  for (unsigned m = 1; m < PTX_MODS; m++)
    if (!strcmp(ptx_mod_name((enum ptx_mod)m), word)) {
      pi->mods[pi->n_mods++] = (uint16_t)m;
      return;
    }
  pi->mods[pi->n_mods++] = PTX_MODS; /* unknown: refused by every decoder */
}

void bench_inst(struct bench *b, const char *text, const char *shape) {
  char copy[128], *rest = copy;
  strncpy(copy, text, sizeof copy - 1);
  copy[sizeof copy - 1] = 0;
  const char *name = strsep(&rest, ".");
  b->pi = (struct ptx_inst){.vec = 1, .ops = b->ops, .n_ops = (uint8_t)strlen(shape), .line = 1, .col = 1};
  for (unsigned op = 0; op < PTX_OPS; op++)
    if (!strcmp(ptx_op_name((enum ptx_op)op), name)) b->pi.op = (uint16_t)op;
  while (rest) add_word(&b->pi, strsep(&rest, "."));
  for (unsigned k = 0; k < b->pi.n_ops; k++) b->ops[k] = bench_reg(shape[k], k);
}

bool bench_decode(struct bench *b, const struct exec_lanes *lanes) {
  b->decoder.lanes = lanes;
  err_clear(&b->err);
  b->in = (struct exec_inst){.ptx = &b->pi, .vec = 1};
  b->in.d.file = b->in.a.file = b->in.b.file = b->in.c.file = EXEC_FNONE;
  switch (ptx_op_family((enum ptx_op)b->pi.op)) {
  case PTX_ARITH: return exec_decode_arith(&b->decoder, &b->pi, &b->in);
  case PTX_COMPARE: return exec_decode_compare(&b->decoder, &b->pi, &b->in);
  case PTX_VIDEO: return exec_decode_video(&b->decoder, &b->pi, &b->in);
  default: return false;
  }
}

/* ---- values -------------------------------------------------------------------------------------------- */

/* Half of the values are random; the others are where carries, signs, widths and number formats change. */
static uint64_t interesting(struct rng *random) {
  static const uint64_t edges[] = {0,
                                   1,
                                   2,
                                   3,
                                   7,
                                   8,
                                   15,
                                   16,
                                   31,
                                   32,
                                   33,
                                   63,
                                   64,
                                   65,
                                   127,
                                   128,
                                   255,
                                   256,
                                   0x7fff,
                                   0x8000,
                                   0xffff,
                                   0x10000,
                                   0x7fffffff,
                                   0x80000000,
                                   0xffffffff,
                                   0x100000000,
                                   0x7fffffffffffffff,
                                   0x8000000000000000,
                                   0xffffffffffffffff,
                                   0xfffffffffffffffe,
                                   0xffffffff80000000,
                                   0x3f800000,
                                   0x7f800000,
                                   0x7fc00000,
                                   0xff800001,
                                   0x00000001807fffff,
                                   0x00800000,
                                   0x7ff0000000000000,
                                   0x7ff8000000000001,
                                   0x0010000000000000,
                                   0x000fffffffffffff,
                                   0x3ff0000000000000,
                                   0x3c007c00,
                                   0x7e0103ff,
                                   0x04008400,
                                   0x7f803f80,
                                   0x7fc0ff80};
  const uint64_t r = rng_next(random), pick = rng_next(random);
  if (pick & 1) return r;
  const uint64_t edge = edges[(pick >> 8) % (sizeof edges / sizeof edges[0])];
  return (pick & 2) ? edge : edge ^ (r & 0xffff0000ffff0000u);
}

void bench_fill(struct bench *b, struct rng *random) {
  for (unsigned k = 0; k < BENCH_REGS; k++)
    for (unsigned i = 0; i < EXEC_LANES; i++) {
      b->r32[k][i] = (uint32_t)interesting(random);
      b->r64[k][i] = interesting(random);
      /* Equal operands now and then: comparisons and differences need them. */
      if (k && rng_next(random) % 8 == 0) b->r32[k][i] = b->r32[k - 1][i];
      if (k && rng_next(random) % 8 == 0) b->r64[k][i] = b->r64[k - 1][i];
    }
  for (unsigned k = 0; k < 2 * BENCH_REGS; k++) b->preds[k] = (uint32_t)rng_next(random);
  b->w.carry = (uint32_t)rng_next(random);
}

void bench_run(struct bench *b, uint32_t mask) {
  b->w.mask = mask;
  b->in.fn(&b->w, &b->in);
}

uint64_t bench_lane(const struct bench *b, const struct ptx_opnd *o, unsigned i) {
  const struct ptx_reg *r = &b->regs[o->reg];
  switch (r->type) {
  case PTX_B32: return b->r32[r->slot][i];
  case PTX_B64: return b->r64[r->slot][i];
  default: return b->preds[r->slot] >> i & 1;
  }
}

/* ---- comparison with a reference ----------------------------------------------------------------------- */

struct expected {
  struct bench_values lane[EXEC_LANES];
};

static void expect(const struct bench *b, bench_reference reference, struct expected *out) {
  for (unsigned i = 0; i < EXEC_LANES; i++) {
    struct bench_values *v = &out->lane[i];
    *v = (struct bench_values){.carry = b->w.carry >> i & 1};
    for (unsigned k = 1; k < b->pi.n_ops; k++) {
      const struct ptx_opnd *o = &b->ops[k];
      v->s[k - 1] = o->kind == PTX_O_INT ? (uint64_t)o->imm : bench_lane(b, o, i) ^ o->negate;
    }
    reference(&b->pi, v);
  }
}

static void check_lane(const struct bench *b, const struct bench *before, const struct expected *e,
                       unsigned i, unsigned bits, const char *isa) {
  const struct ptx_opnd *d = &b->ops[0];
  const struct ptx_opnd second = {.kind = PTX_O_REG, .reg = d->second};
  const bool active = b->w.mask >> i & 1, has_d = d->kind == PTX_O_REG;
  const uint64_t low = active && bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
  const uint64_t got = has_d ? bench_lane(b, d, i) : 0, was = has_d ? bench_lane(before, d, i) : 0;
  const uint64_t want = active ? e->lane[i].d : was;
  char name[128];
  ptx_inst_name(&b->pi, name, sizeof name);
  if (has_d && ((got ^ want) & low))
    fail_msg("%s (%s), mask %08x, lane %u: sources %llx %llx %llx %llx carry %d: got %llx, expected %llx",
             name, isa, b->w.mask, i, (unsigned long long)e->lane[i].s[0],
             (unsigned long long)e->lane[i].s[1], (unsigned long long)e->lane[i].s[2],
             (unsigned long long)e->lane[i].s[3], before->w.carry >> i & 1, (unsigned long long)(got & low),
             (unsigned long long)(want & low));
  const bool carry = active ? e->lane[i].carry : before->w.carry >> i & 1;
  if ((b->w.carry >> i & 1) != carry) fail_msg("%s (%s), lane %u: carry is not %d", name, isa, i, carry);
  if (d->second < 0) return;
  const uint64_t want_second = active ? e->lane[i].second : bench_lane(before, &second, i);
  if (bench_lane(b, &second, i) != want_second)
    fail_msg("%s (%s), lane %u: second result is not %llu", name, isa, i, (unsigned long long)want_second);
}

static void compare_with(struct bench *b, const struct exec_lanes *lanes, unsigned bits,
                         bench_reference reference, struct rng *random) {
  static struct expected e;
  static struct bench before;
  const uint32_t masks[] = {EXEC_ALL_LANES, (uint32_t)rng_next(random), 0,
                            UINT32_C(1) << (rng_next(random) & 31)};
  if (!bench_decode(b, lanes)) fail_msg("refused: %s", b->err.text);
  for (unsigned round = 0; round < 24; round++) {
    bench_fill(b, random);
    expect(b, reference, &e);
    before = *b;
    bench_run(b, masks[round % 4]);
    for (unsigned i = 0; i < EXEC_LANES; i++) check_lane(b, &before, &e, i, bits, lanes->name);
  }
}

void bench_compare(struct bench *b, unsigned bits, bench_reference reference) {
  struct rng random = {bits + b->pi.op};
  const struct ptx_opnd d = b->ops[0];
  for (const struct exec_lanes *const *l = bench_lanes(); *l; l++)
    for (unsigned k = 0; k < b->pi.n_ops; k++) {
      const struct ptx_opnd *o = &b->ops[k];
      if (k && (o->kind != PTX_O_REG || d.kind != PTX_O_REG || b->regs[o->reg].type != b->regs[d.reg].type))
        continue;
      b->ops[0].reg = o->reg;
      if (k == 0) b->ops[0] = d;
      compare_with(b, *l, bits, reference, &random);
      b->ops[0] = d;
    }
}

void bench_check(const char *text, const char *shape, unsigned bits, bench_reference reference) {
  static struct bench b;
  bench_start(&b);
  bench_inst(&b, text, shape);
  bench_compare(&b, bits, reference);
  bench_end(&b);
}

void bench_refused(const char *text, const char *shape) {
  static struct bench b;
  bench_start(&b);
  bench_inst(&b, text, shape);
  for (const struct exec_lanes *const *l = bench_lanes(); *l; l++)
    if (bench_decode(&b, *l)) fail_msg("%s should be refused", text);
  bench_end(&b);
}
