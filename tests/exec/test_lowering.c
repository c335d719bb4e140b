/* Values are the same with and without the lowering (src/ptx/lower/): loops with every comparison, type and step, at the ends of the
 * ranges too, loops with branches in them, branches by lane, words of shared memory; each kernel runs as it is written and as it is
 * lowered and ordered. */
#include "kernel_kit.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LOWERED = EXEC_ORDER_BLOCKS | EXEC_LOWER, THREADS = 32, MOST_TURNS = 300 };

/* The output of both, which must be equal; what they executed is left in `plain` and `lowered`. */
static void expect_same(struct kit *k, const char *lines, uint64_t *plain, uint64_t *lowered) {
  static unsigned char first[KIT_OUT_BYTES];
  k->load_flags = 0;
  memset(kit_out(k), 0, KIT_OUT_BYTES);
  kit_run(k, THREADS, lines);
  *plain = k->instructions;
  memcpy(first, kit_out(k), KIT_OUT_BYTES);
  k->load_flags = LOWERED;
  memset(kit_out(k), 0, KIT_OUT_BYTES);
  kit_run(k, THREADS, lines);
  *lowered = k->instructions;
  assert_memory_equal(first, kit_out(k), KIT_OUT_BYTES);
}

/* ---- loops ------------------------------------------------------------------------------------------------------------------ */

struct counted {
  const char *compare, *type;
  bool is_signed;
  unsigned bits;
  int64_t from, bound, step;
};

static uint64_t within(const struct counted *c, uint64_t v) { return c->bits == 32 ? (uint32_t)v : v; }

static bool goes_on(const struct counted *c, uint64_t at) {
  uint64_t bound = within(c, (uint64_t)c->bound);
  int64_t a = c->bits == 32 ? (int32_t)at : (int64_t)at, b = c->bits == 32 ? (int32_t)bound : (int64_t)bound;
  if (!strcmp(c->compare, "ne")) return at != bound;
  if (!strcmp(c->compare, "lt")) return c->is_signed ? a < b : at < bound;
  if (!strcmp(c->compare, "le")) return c->is_signed ? a <= b : at <= bound;
  if (!strcmp(c->compare, "gt")) return c->is_signed ? a > b : at > bound;
  return c->is_signed ? a >= b : at >= bound;
}

/* Whether it ends soon; an endless loop cannot be compared. */
static bool ends(const struct counted *c) {
  uint64_t at = within(c, (uint64_t)c->from);
  for (unsigned turn = 0; turn < MOST_TURNS; turn++) {
    at = within(c, at + (uint64_t)c->step);
    if (!goes_on(c, at)) return true;
  }
  return false;
}

/* A sum over all values of the counter and of a word that is loaded and stored each turn. */
static void run_counted(struct kit *k, const struct counted *c, bool known) {
  const char *r = c->bits == 32 ? "%r10" : "%rd10", *b = c->bits == 32 ? "%r11" : "%rd11";
  const char *wide = c->bits == 32 ? "cvt.u64.u32 %rd12, %r10;" : "mov.u64 %rd12, %rd10;";
  ((int64_t *)kit_in(k))[100] = c->from;
  ((int64_t *)kit_in(k))[101] = c->bound;
  char start[128], bound[32];
  if (known) snprintf(start, sizeof start, "mov.b%u %s, %" PRId64 ";", c->bits, r, c->from);
  else snprintf(start, sizeof start, "ld.global.b%u %s, [%%rd1+800];", c->bits, r);
  if (known) snprintf(bound, sizeof bound, "%" PRId64, c->bound);
  else snprintf(bound, sizeof bound, "%s", b);
  uint64_t plain, lowered;
  expect_same(k,
              kit_text("%s ld.global.b%u %s, [%%rd1+808]; mov.u64 %%rd20, %%rd6; mov.u32 %%r20, 0;\n"
                       "L: %s mad.lo.u64 %%rd20, %%rd20, 31, %%rd12; ld.global.u32 %%r21, [%%rd5]; add.u32 %%r20, %%r20, %%r21;\n"
                       "xor.b32 %%r22, %%r20, %%r1; st.global.u32 [%%rd5], %%r22;\n"
                       "add.s%u %s, %s, %" PRId64 "; setp.%s.%s%u %%p1, %s, %s; @%%p1 bra L;\n"
                       "st.global.u64 [%%rd7+1024], %%rd20; st.global.b%u [%%rd7+4096], %s;",
                       start, c->bits, b, wide, c->bits, r, r, c->step, c->compare, c->type, c->bits, r, bound, c->bits, r),
              &plain, &lowered);
}

static const int64_t bounds_32[] = {0, 1, 7, -1, -9, INT32_MAX, INT32_MAX - 2, INT32_MIN, INT32_MIN + 3, 100};
static const int64_t bounds_64[] = {0, 5, -1, INT64_MAX, INT64_MAX - 2, INT64_MIN, INT64_MIN + 3, INT64_C(0xffffffff)};

static void test_counted_loops(void **state) {
  static const char *const compares[] = {"ne", "lt", "le", "gt", "ge"};
  static const int64_t steps[] = {1, -1, 3, -4};
  unsigned compared = 0;
  for (unsigned bits = 32; bits <= 64; bits += 32)
    for (unsigned type = 0; type < 2; type++)
      for (size_t i = 0; i < sizeof compares / sizeof *compares; i++)
        for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
          const int64_t *list = bits == 32 ? bounds_32 : bounds_64;
          size_t n = bits == 32 ? sizeof bounds_32 / sizeof *bounds_32 : sizeof bounds_64 / sizeof *bounds_64;
          for (size_t b = 0; b < n; b++)
            for (int turns = 0; turns < 12; turns += 1 + (turns > 4)) { /* about so many are left */
              struct counted c = {compares[i], type ? "s" : "u", type, bits, 0, list[b], steps[s]};
              c.from = (int64_t)((uint64_t)list[b] - (uint64_t)(turns * steps[s]));
              if (bits == 32) c.from = (int32_t)c.from;
              if (!ends(&c)) continue;
              run_counted(*state, &c, false);
              compared++;
            }
        }
  assert_true(compared > 2000);
}

static void test_loops_with_a_known_number_of_turns(void **state) {
  for (int64_t step = 1; step <= 3; step++)
    for (int64_t bound = 1; bound < 40; bound += 5) {
      struct counted up = {"lt", "s", true, 32, 0, bound, step}, down = {"ge", "s", true, 32, bound, 0, -step};
      run_counted(*state, &up, true);
      run_counted(*state, &down, true);
    }
}

/* Fewer instructions are executed, since tests and branches between turns are gone. */
static void test_unrolling_saves_branches(void **state) {
  uint64_t plain, lowered;
  expect_same(*state, "mov.u32 %r10, 64; mov.u32 %r11, 0;\nL: add.u32 %r11, %r11, %r10; add.s32 %r10, %r10, -1; setp.ne.s32 %p1, %r10, 0;\n"
                      "@%p1 bra L; st.global.u32 [%rd5], %r11;",
              &plain, &lowered);
  assert_int_equal(plain - lowered, 64 + 63); /* the last test stays */
}

/* ---- branches ---------------------------------------------------------------------------------------------------------------- */

static void test_branches_by_lane(void **state) {
  uint64_t plain, lowered;
  for (unsigned turns = 1; turns < 10; turns++)
    expect_same(*state,
                kit_text("mov.u32 %%r10, %u; mov.u32 %%r11, 1; mov.u32 %%r14, 3;\n"
                         "L: and.b32 %%r12, %%r11, 1; setp.eq.u32 %%p2, %%r12, 1; @%%p2 bra M;\n"
                         "add.u32 %%r11, %%r11, %%r1; ld.global.u32 %%r13, [%%rd4]; add.u32 %%r11, %%r11, %%r13;\n"
                         "st.global.u32 [%%rd5+2048], %%r11;\n"
                         "M: setp.gt.u32 %%p3, %%r11, 20; @!%%p3 bra N;\n sub.u32 %%r14, %%r14, %%r11; bra.uni O;\n"
                         "N: xor.b32 %%r14, %%r14, %%r10; add.u32 %%r11, %%r11, 5;\n"
                         "O: add.u32 %%r11, %%r11, 1; add.s32 %%r10, %%r10, -1; setp.ne.s32 %%p1, %%r10, 0; @%%p1 bra L;\n"
                         "st.global.u32 [%%rd5], %%r11; st.global.u32 [%%rd5+1024], %%r14;",
                         turns),
                &plain, &lowered);
}

/* The end of the kernel, which alone needs the parameter, stands in front of code that jumps back to it: no loop. */
static void test_a_parameter_is_fetched_on_every_way_to_its_use(void **state) {
  uint64_t plain, lowered;
  expect_same(*state,
              "ld.param.u64 %rd10, [p_out]; setp.lt.u32 %p1, %r1, 20; @%p1 bra FAR;\n"
              "bar.warp.sync -1048576; mov.u32 %r11, 5;\n"
              "END: add.u64 %rd11, %rd10, %rd3; st.global.u32 [%rd11], %r11; ret;\n"
              "FAR: bar.warp.sync 1048575; add.u32 %r11, %r1, 100; bra.uni END;",
              &plain, &lowered);
  assert_int_equal(((const uint32_t *)kit_out(*state))[0], 100);
  assert_int_equal(((const uint32_t *)kit_out(*state))[20], 5);
}

/* ---- shared memory ------------------------------------------------------------------------------------------------------------ */

static void test_words_that_are_loaded_together(void **state) {
  uint64_t plain, lowered;
  expect_same(*state, "mov.u32 %r10, sm; shl.b32 %r11, %r1, 4; add.u32 %r12, %r10, %r11;\n"
                      "st.shared.u32 [%r12], %r1; st.shared.u32 [%r12+4], %r11; st.shared.u32 [%r12+8], %r12; st.shared.u32 [%r12+12], 7;\n"
                      "ld.shared.u32 %r13, [%r12]; ld.shared.u32 %r14, [%r12+4];\n"
                      "ld.shared.u32 %r15, [%r12+8]; ld.shared.u32 %r16, [%r12+12];\n"
                      "mad.lo.u32 %r17, %r13, 3, %r14; mad.lo.u32 %r17, %r17, 5, %r15; mad.lo.u32 %r17, %r17, 7, %r16;\n"
                      "st.global.u32 [%rd5], %r17;",
              &plain, &lowered);
  assert_int_equal(plain - lowered, 3);
}

/* ---- tiles of wmma -------------------------------------------------------------------------------------------------------------- */

struct tile_case {
  const char *shape;
  unsigned m, n;
};
static const struct tile_case SHAPES[] = {{"m16n16k16", 16, 16}, {"m32n8k16", 32, 8}, {"m8n32k16", 8, 32}};

/* Numbers of f16 between 0.5 and 4 of both signs, whose products are rounded. */
static void fill_with_halves(struct kit *k) {
  uint16_t *in = kit_in(k);
  uint32_t state = 12345;
  for (unsigned i = 0; i < KIT_IN_BYTES / 2; i++) {
    state = state * 1664525u + 1013904223u;
    in[i] = (uint16_t)((state >> 16 & 0x8000u) | (0x3800u + (state >> 20 & 0xbffu)));
  }
}

static const char *registers(const char *name, unsigned from, unsigned n) {
  static char text[8][256];
  static unsigned turn;
  char *to = text[turn++ % 8];
  int at = sprintf(to, "{");
  for (unsigned i = 0; i < n; i++) at += sprintf(to + at, "%s%%%s%u", i ? ", " : "", name, from + i);
  sprintf(to + at, "}");
  return to;
}

/* Each lane's word of `n` registers from the input or to the output. */
static const char *words(const char *name, unsigned from, unsigned n, bool load) {
  static char text[4][2048];
  static unsigned turn;
  char *to = text[turn++ % 4];
  int at = 0;
  *to = 0;
  for (unsigned i = 0; i < n; i++)
    if (load) at += sprintf(to + at, "ld.global.b32 %%%s%u, [%%rd4+%u];\n", name, from + i, 128 * i);
    else at += sprintf(to + at, "st.global.b32 [%%rd5+%u], %%%s%u;\n", 128 * i, name, from + i);
  return to;
}

/* The input in shared memory too, from %r10 on. */
static const char *into_shared(void) {
  static char text[4096];
  int at = sprintf(text, "mov.u32 %%r10, sm; shl.b32 %%r11, %%r1, 2; add.u32 %%r11, %%r11, %%r10;\n");
  for (unsigned i = 0; i < 32; i++)
    at += sprintf(text + at, "ld.global.b32 %%r12, [%%rd4+%u]; st.shared.b32 [%%r11+%u], %%r12;\n", 128 * i, 128 * i);
  sprintf(text + at, "bar.sync 0;\n");
  return text;
}

/* A tile with a stride longer than its lines, as a literal or in a register. */
struct tile_run {
  const struct tile_case *shape;
  const char *type, *name; /* name: of the registers */
  char part;
  bool row;
  unsigned regs, stride;
};

static void load_tile(struct kit *k, const struct tile_run *t, const char *before, const char *space, const char *at, const char *step) {
  uint64_t plain, lowered;
  expect_same(k,
              kit_text("%s%s\nwmma.load.%c.sync.aligned.%s.%s%s.%s %s, [%s+32], %s;\n%s", into_shared(), before, t->part,
                       t->row ? "row" : "col", t->shape->shape, space, t->type, registers(t->name, 20, t->regs), at, step,
                       words(t->name, 20, t->regs, false)),
              &plain, &lowered);
}

static void store_tile(struct kit *k, const struct tile_run *t, const char *before, const char *space, const char *at, const char *step) {
  static const char BACK[] = "bar.sync 0; ld.shared.b32 %r30, [%r11]; st.global.b32 [%rd5], %r30; ld.shared.b32 %r30, [%r11+512];\n"
                             "st.global.b32 [%rd5+512], %r30; ld.shared.b32 %r30, [%r11+1024]; st.global.b32 [%rd5+1024], %r30;";
  bool global = !strcmp(at, "%rd1");
  uint64_t plain, lowered;
  expect_same(k,
              kit_text("%s%s%s\nwmma.store.d.sync.aligned.%s.%s%s.%s [%s+32], %s, %s;\n%s", words(t->name, 20, t->regs, true),
                       into_shared(), before, t->row ? "row" : "col", t->shape->shape, space, t->type, global ? "%rd2" : at,
                       registers(t->name, 20, t->regs), step, global ? "" : BACK),
              &plain, &lowered);
}

static void run_tile(struct kit *k, const struct tile_case *c, char part, const char *type, unsigned bits, bool row, unsigned regs) {
  static const struct {
    const char *space, *base;
  } SPACES[] = {{".global", "%rd1"}, {".shared", "%r10"}, {"", "%rd1"}, {"", "%rd20"}};
  unsigned rows = part == 'b' ? 16 : c->m, cols = part == 'a' ? 16 : c->n;
  struct tile_run t = {c, type, !strcmp(type, "f32") ? "f" : "r", part, row, regs, (row ? cols : rows) + 16 * 8 / bits};
  for (unsigned i = 0; i < 8; i++) {
    const char *generic = "mov.u32 %r10, sm; cvt.u64.u32 %rd19, %r10; cvta.shared.u64 %rd20, %rd19;\n";
    const char *before = kit_text("%smov.u32 %%r13, %u;\n", i / 2 == 3 ? generic : "", t.stride);
    const char *step = i % 2 ? "%r13" : kit_text("%u", t.stride);
    load_tile(k, &t, before, SPACES[i / 2].space, SPACES[i / 2].base, step);
    if (part == 'c') store_tile(k, &t, before, SPACES[i / 2].space, SPACES[i / 2].base, step);
  }
}

static void test_tiles(void **state) {
  fill_with_halves(*state);
  for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; i++) {
    const struct tile_case *c = &SHAPES[i];
    for (int row = 0; row < 2; row++) {
      run_tile(*state, c, 'a', "f16", 16, row, 8);
      run_tile(*state, c, 'b', "f16", 16, row, 8);
      run_tile(*state, c, 'a', "bf16", 16, row, c->m / 4);
      run_tile(*state, c, 'b', "bf16", 16, row, c->n / 4);
      run_tile(*state, c, 'a', "s8", 8, row, c->m / 8);
      run_tile(*state, c, 'b', "u8", 8, row, c->n / 8);
      run_tile(*state, c, 'c', "f16", 16, row, 4);
      run_tile(*state, c, 'c', "f32", 32, row, 8);
      run_tile(*state, c, 'c', "s32", 32, row, 8);
    }
  }
}

/* The stride is a register of the fragment: it is read before the load writes it. */
static void test_a_stride_that_the_load_writes(void **state) {
  fill_with_halves(*state);
  for (int row = 0; row < 2; row++)
    for (int i = 0; i < 8; i++) {
      const struct tile_run t = {&SHAPES[0], "s32", "r", 'c', row, 8, 24};
      load_tile(*state, &t, kit_text("mov.u32 %%r%d, 24;\n", 20 + i), ".global", "%rd1", kit_text("%%r%d", 20 + i));
    }
}

/* Every register has another number, copies too. */
static void test_products_of_tiles(void **state) {
  static const struct {
    const char *types, *sum;
    unsigned sums;
  } TYPES[] = {{"f32.f32", "f", 8}, {"f16.f16", "r", 4}, {"f32.f16", "f", 8}, {"f32.bf16.bf16.f32", "f", 8}};
  fill_with_halves(*state);
  uint64_t plain, lowered;
  for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; i++)
    for (size_t k = 0; k < sizeof TYPES / sizeof *TYPES; k++)
      for (int in_place = 0; in_place < 2; in_place++) {
        bool bf16 = k == 3, mixed = k == 2;
        unsigned a = bf16 ? SHAPES[i].m / 4 : 8, b = bf16 ? SHAPES[i].n / 4 : 8;
        const char *c = mixed ? "r" : TYPES[k].sum;
        unsigned of_c = mixed ? 4 : TYPES[k].sums, d = in_place && !mixed ? 48 : 40;
        expect_same(*state,
                    kit_text("%s%s%swmma.mma.sync.aligned.row.col.%s.%s %s, %s, %s, %s;\n%s", words("r", 20, a, true),
                             words("r", 30, b, true), words(c, 48, of_c, true), SHAPES[i].shape, TYPES[k].types,
                             registers(TYPES[k].sum, d, TYPES[k].sums), registers("r", 20, a), registers("r", 30, b),
                             registers(c, 48, of_c), words(TYPES[k].sum, d, TYPES[k].sums, false)),
                    &plain, &lowered);
        assert_int_equal(lowered, plain + !mixed);
      }
}

/* The first half's result is an operand of the second. */
static void test_a_product_that_would_be_in_its_own_way_stays(void **state) {
  uint64_t plain, lowered;
  fill_with_halves(*state);
  expect_same(*state,
              kit_text("%s%s%s"
                       "wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16 %s, %s, %s, %s;\n%s", words("r", 20, 8, true),
                       words("r", 30, 8, true), words("r", 48, 4, true), registers("r", 24, 4), registers("r", 20, 8),
                       registers("r", 30, 8), registers("r", 48, 4), words("r", 24, 4, false)),
              &plain, &lowered);
  assert_int_equal(lowered, plain);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_counted_loops, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_loops_with_a_known_number_of_turns, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_unrolling_saves_branches, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_branches_by_lane, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_a_parameter_is_fetched_on_every_way_to_its_use, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_words_that_are_loaded_together, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_tiles, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_a_stride_that_the_load_writes, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_products_of_tiles, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_a_product_that_would_be_in_its_own_way_stays, kit_setup, kit_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
