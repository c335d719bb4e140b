/* Loads and stores that leave no trace (lanes_address.c) against the long way, which an observer asks for: the same registers and the same
 * memory for every width, space, pattern of addresses and set of lanes, with every instruction set of the host; copies of rows, and of
 * their parts, likewise (lanes_warp.c). */
#include "kernel_kit.h"

#include "exec/decode.h"
#include "exec/observe.h"

#include <stdlib.h>
#include <string.h>

static const char *const ISAS[] = {"portable", "avx2", "avx512"};
enum { N_ISAS = 3, DUMP = 1024 /* bytes of registers in the output */ };

/* ---- somebody who watches and does nothing ------------------------------------------------------------------------------------ */

static void no_grid(void *u, const struct exec_grid *g) { (void)u, (void)g; }
static void no_cta(void *u, struct exec_cta *c) { (void)u, (void)c; }
static void no_touch(void *u, const struct exec_warp *w, const struct exec_inst *in, const struct exec_shown *t) {
  (void)u, (void)w, (void)in, (void)t;
}
static void no_arrival(void *u, const struct exec_warp *w, const struct exec_inst *in, unsigned id, uint32_t threads, bool wait) {
  (void)u, (void)w, (void)in, (void)id, (void)threads, (void)wait;
}
static void no_release(void *u, const struct exec_cta *c, unsigned id) { (void)u, (void)c, (void)id; }
static const struct exec_observer WATCHER = {.grid_begin = no_grid, .grid_end = no_grid,  .cta_begin = no_cta,  .cta_end = no_cta,
                                             .touch = no_touch,     .arrive = no_arrival, .release = no_release};

/* ---- kernels ------------------------------------------------------------------------------------------------------------------ */

struct form {
  const char *type, *loaded, *stored; /* registers */
  unsigned bytes;                     /* a lane */
};
static const struct form FORMS[] = {
    {"u8", "%r20", "%r30", 1},           {"s8", "%r20", "%r30", 1},
    {"u16", "%r20", "%r30", 2},          {"s16", "%r20", "%r30", 2},
    {"b32", "%r20", "%r30", 4},          {"b64", "%rd20", "%rd30", 8},
    {"v2.b32", "{%r20,%r21}", "{%r30,%r31}", 8},
    {"v2.b64", "{%rd20,%rd21}", "{%rd30,%rd31}", 16},
    {"v4.b32", "{%r20,%r21,%r22,%r23}", "{%r30,%r31,%r32,%r33}", 16},
};

struct place {
  const char *name, *space;   /* of the instruction; "" is generic */
  const char *base, *address; /* how the first lane's address is formed, and the register that has a lane's */
  unsigned second;            /* stores go so far behind loads */
  bool own;                   /* the thread's own memory: lanes stay close together */
};
static const struct place PLACES[] = {
    {"global", ".global", "mov.u64 %rd10, %rd1;", "%rd10", 2048, false},
    {"shared", ".shared", "mov.u32 %r10, sm;", "%r10", 2048, false},
    {"shared by 64 bits", ".shared", "mov.u64 %rd10, sm;", "%rd10", 2048, false},
    {"local", ".local", "mov.u64 %rd10, stack;", "%rd10", 80, true},
    {"generic global", "", "mov.u64 %rd10, %rd1;", "%rd10", 2048, false},
    {"generic shared", "", "mov.u64 %rd10, sm; cvta.shared.u64 %rd10, %rd10;", "%rd10", 2048, false},
    {"generic local", "", "mov.u64 %rd10, stack; cvta.local.u64 %rd10, %rd10;", "%rd10", 80, true},
};

#define FILL                                                                                                                \
  "mov.u32 %r9, 0; mov.u32 %r8, sm; mov.u64 %rd8, stack; mad.lo.u32 %r8, %r1, 4, %r8;\n"                                    \
  "F: mad.lo.u32 %r7, %r9, 9973, %r1; mul.lo.u32 %r7, %r7, 2654435761; st.shared.u32 [%r8], %r7; add.u32 %r8, %r8, 128;\n"   \
  "setp.lt.u32 %p3, %r9, 12; @%p3 st.local.v4.u32 [%rd8], {%r7, %r9, %r1, %r7}; @%p3 add.u64 %rd8, %rd8, 16;\n"              \
  "add.u32 %r9, %r9, 1; setp.lt.u32 %p3, %r9, 32; @%p3 bra F; bar.sync 0;\n"
#define VALUES                                                                                                              \
  "add.u32 %r20, %r1, 1000; add.u32 %r21, %r1, 2000; add.u32 %r22, %r1, 3000; add.u32 %r23, %r1, 4000;\n"                    \
  "cvt.u64.u32 %rd20, %r20; cvt.u64.u32 %rd21, %r21; mul.lo.u32 %r30, %r1, 0x9e3779b1; not.b32 %r31, %r30;\n"                \
  "add.u32 %r32, %r30, 77; xor.b32 %r33, %r30, %r20; mov.b64 %rd30, {%r30, %r31}; mov.b64 %rd31, {%r32, %r33};\n"
#define SHOW                                                                                                                \
  "mul.wide.u32 %rd9, %r1, 32; add.u64 %rd9, %rd9, %rd2; st.global.v4.u32 [%rd9], {%r20, %r21, %r22, %r23};\n"               \
  "st.global.v2.u64 [%rd9+16], {%rd20, %rd21}; bar.sync 0;\n"
#define SHOW_SHARED                                                                                                         \
  "mov.u32 %r9, 0; mov.u32 %r8, sm; mad.lo.u32 %r8, %r1, 4, %r8; add.u64 %rd8, %rd5, 1024;\n"                                \
  "D: ld.shared.u32 %r7, [%r8]; st.global.u32 [%rd8], %r7; add.u32 %r8, %r8, 128; add.u64 %rd8, %rd8, 128;\n"                \
  "add.u32 %r9, %r9, 1; setp.lt.u32 %p3, %r9, 32; @%p3 bra D;\n"
#define SHOW_LOCAL                                                                                                          \
  "mov.u32 %r9, 0; mov.u64 %rd8, stack; mul.wide.u32 %rd9, %r1, 192; add.u64 %rd9, %rd9, %rd2; add.u64 %rd9, %rd9, 1024;\n"  \
  "D: ld.local.u32 %r7, [%rd8]; st.global.u32 [%rd9], %r7; add.u64 %rd8, %rd8, 4; add.u64 %rd9, %rd9, 4;\n"                  \
  "add.u32 %r9, %r9, 1; setp.lt.u32 %p3, %r9, 48; @%p3 bra D;\n"

/* Three turns, an element on each, so that the memory is known from the second on. */
static const char *kernel(const struct form *f, const struct place *p, unsigned apart, uint32_t lanes) {
  const char *bits = p->address[2] == 'd' ? "u64" : "u32", *wide = p->address[2] == 'd' ? "wide.u32 %rd11" : "lo.u32 %r11";
  const char *index = p->own ? "and.b32 %r12, %r1, 3;" : "mov.u32 %r12, %r1;";
  return kit_text("%s%smov.u32 %%r2, %u; shr.u32 %%r2, %%r2, %%r1; and.b32 %%r2, %%r2, 1; setp.ne.u32 %%p2, %%r2, 0;\n"
                  "%s %s mul.%s, %%r12, %u; add.%s %s, %s, %s; mov.u32 %%r40, 0;\n"
                  "L: @%%p2 ld%s.%s %s, [%s]; @%%p2 st%s.%s [%s+%u], %s;\n"
                  "add.%s %s, %s, %u; add.u32 %%r30, %%r30, 5; add.u32 %%r40, %%r40, 1; setp.lt.u32 %%p1, %%r40, 3;\n@%%p1 bra L;\n%s%s",
                  FILL, VALUES, lanes, index, p->base, wide, apart, bits, p->address, p->address, p->address[2] == 'd' ? "%rd11" : "%r11",
                  p->space, f->type, f->loaded, p->address, p->space, f->type, p->address, p->second, f->stored, bits, p->address,
                  p->address, f->bytes, SHOW, p->own ? SHOW_LOCAL : SHOW_SHARED);
}

/* ---- both ways ---------------------------------------------------------------------------------------------------------------- */

struct outcome {
  unsigned char in[KIT_IN_BYTES], out[KIT_OUT_BYTES];
  uint64_t instructions;
};

static void run(struct kit *k, const char *text, const struct exec_observer *o, struct outcome *r) {
  for (unsigned i = 0; i < KIT_IN_BYTES / 4; i++) ((uint32_t *)kit_in(k))[i] = i * 2246822519u;
  memset(kit_out(k), 0, KIT_OUT_BYTES);
  k->device.observer = o;
  kit_run(k, 32, text);
  memcpy(r->in, kit_in(k), sizeof r->in);
  memcpy(r->out, kit_out(k), sizeof r->out);
  r->instructions = k->instructions;
}

static void compare(struct kit *k, const struct form *f, const struct place *p, unsigned apart, uint32_t lanes) {
  struct outcome is, should;
  const char *text = kernel(f, p, apart, lanes);
  run(k, text, &WATCHER, &should);
  for (unsigned i = 0; i < N_ISAS; i++) {
    setenv("HEDDLE_ISA", ISAS[i], 1);
    run(k, text, NULL, &is);
    if (memcmp(is.in, should.in, sizeof is.in) || memcmp(is.out, should.out, sizeof is.out))
      fail_msg("%s, %s, %u apart, lanes %08x: other values with %s", p->name, f->type, apart, lanes, ISAS[i]);
    assert_int_equal(is.instructions, should.instructions);
  }
  unsetenv("HEDDLE_ISA");
}

static void test_every_width_space_pattern_and_set_of_lanes(void **state) {
  static const uint32_t masks[] = {0xffffffffu, 0x55555555u, 0x00001fffu, 0x80000000u, 0x00000001u, 0x0ff0f3c8u};
  for (size_t p = 0; p < sizeof PLACES / sizeof *PLACES; p++)
    for (size_t f = 0; f < sizeof FORMS / sizeof *FORMS; f++)
      for (size_t m = 0; m < sizeof masks / sizeof *masks; m++)
        for (unsigned times = 0; times < (PLACES[p].own ? 2 : 4); times++)
          if (times != 2) compare(*state, &FORMS[f], &PLACES[p], times * FORMS[f].bytes, masks[m]);
}

/* A lane outside of what is allowed is seen if it takes part, and does no harm if it does not. */
static void test_lanes_that_do_not_take_part_may_point_anywhere(void **state) {
  struct kit *k = *state;
  static const char *const what =
      "mov.u32 %%r9, 0; setp.ne.u32 %%p2, %%r1, 31; mad.wide.u32 %%rd10, %%r1, 4, %%rd1; @!%%p2 mov.u64 %%rd10, 64; mov.u32 %%r8, 0;\n"
      "L: %s ld.global.u32 %%r4, [%%rd10]; %s st.global.u32 [%%rd10], %%r9; @%%p2 add.u32 %%r8, %%r8, %%r4; add.u32 %%r9, %%r9, 1;\n"
      "setp.lt.u32 %%p1, %%r9, 4; @%%p1 bra L; st.global.u32 [%%rd5], %%r8;";
  for (unsigned i = 0; i < N_ISAS; i++) {
    setenv("HEDDLE_ISA", ISAS[i], 1);
    memset(kit_in(k), 0, KIT_IN_BYTES);
    kit_run(k, 32, kit_text(what, "@%p2", "@%p2"));
    for (unsigned lane = 0; lane < 31; lane++) {
      assert_int_equal(((uint32_t *)kit_out(k))[lane], 0 + 0 + 1 + 2);
      assert_int_equal(((uint32_t *)kit_in(k))[lane], 3);
    }
    kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS, kit_text(what, "", "@%p2"), "thread (31,0,0)", "ld.global.u32", NULL);
    kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS, kit_text(what, "@%p2", ""), "thread (31,0,0)", "st.global.u32", NULL);
  }
  unsetenv("HEDDLE_ISA");
}

/* Behind the last lane of the part that takes part the allocation ends: what lies there is neither read nor written. */
static void test_a_part_of_the_lanes_at_the_end_of_an_allocation(void **state) {
  struct kit *k = *state;
  for (unsigned i = 0; i < N_ISAS; i++) {
    setenv("HEDDLE_ISA", ISAS[i], 1);
    for (unsigned w = 0; w < KIT_IN_BYTES / 4; w++) ((uint32_t *)kit_in(k))[w] = w;
    kit_run(k, 32,
            "mov.u32 %r9, 0; setp.lt.u32 %p2, %r1, 5; add.u64 %rd10, %rd4, 4076; mov.u32 %r4, 7;\n"
            "L: @%p2 ld.global.u32 %r4, [%rd10]; @%p2 st.global.u32 [%rd10], %r4;\n"
            "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 3; @%p1 bra L;\n"
            "st.global.u32 [%rd5], %r4;");
    for (unsigned lane = 0; lane < 32; lane++) assert_int_equal(((uint32_t *)kit_out(k))[lane], lane < 5 ? 1019 + lane : 7);
  }
  unsetenv("HEDDLE_ISA");
}

static void test_stacks_end_where_they_end(void **state) {
  struct kit *k = *state;
  static const char *const what = "mov.u64 %%rd10, stack; mov.u32 %%r9, 0;\n"
                                  "L: %s [%%rd10+%u]%s; add.u32 %%r9, %%r9, 1; setp.lt.u32 %%p1, %%r9, 3; @%%p1 bra L;";
  kit_run(k, 32, kit_text(what, "ld.local.v4.u32 {%r4,%r5,%r6,%r7},", 240, ""));
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS, kit_text(what, "ld.local.v4.u32 {%r4,%r5,%r6,%r7},", 256, ""), "thread (0,0,0)", NULL);
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS, kit_text(what, "st.local.u32", 256, ", %r9"), "thread (0,0,0)", NULL);
  kit_faults(k, 32, EXEC_FAULT_MISALIGNED, kit_text(what, "st.local.u32", 2, ", %r9"), "st.local.u32", NULL);
}

/* ---- rows ----------------------------------------------------------------------------------------------------------------------- */

static const struct exec_lanes *lanes_of(unsigned isa) {
  setenv("HEDDLE_ISA", ISAS[isa], 1);
  return exec_lanes_best();
}

static uint64_t low(uint64_t v, unsigned bits) { return bits == 64 ? v : v & ((UINT64_C(1) << bits) - 1); }

/* Parts of every size that a whole can have, for some lanes and for all; the others keep what they had. */
static void test_parts_are_put_together_and_taken_apart(void **state) {
  static const struct { unsigned n, bits; } SHAPES[] = {{2, 16}, {4, 8}, {2, 32}, {4, 16}, {8, 8}};
  static const uint32_t masks[] = {EXEC_ALL_LANES, 0x0ff0f3c8u, 1};
  uint32_t rows[8][EXEC_LANES] __attribute__((aligned(64))), apart[8][EXEC_LANES] __attribute__((aligned(64)));
  uint64_t whole[EXEC_LANES] __attribute__((aligned(64)));
  (void)state;
  for (unsigned isa = 0; isa < N_ISAS; isa++)
    for (size_t s = 0; s < sizeof SHAPES / sizeof *SHAPES; s++)
      for (size_t m = 0; m < sizeof masks / sizeof *masks; m++) {
        const unsigned n = SHAPES[s].n, bits = SHAPES[s].bits, bytes = n * bits / 8;
        const struct exec_lanes *lanes = lanes_of(isa);
        const uint32_t *from[8];
        uint32_t *to[8];
        for (unsigned k = 0; k < 8; k++) {
          from[k] = rows[k];
          to[k] = k == 1 ? NULL : apart[k]; /* one is not wanted */
          for (unsigned i = 0; i < EXEC_LANES; i++) rows[k][i] = (i * 8 + k + 1) * 2654435761u, apart[k][i] = 77;
        }
        memset(whole, 0xa5, sizeof whole);
        lanes->pack(from, n, bits, whole, masks[m]);
        lanes->unpack(whole, to, n, bits, EXEC_ALL_LANES & ~4u);
        for (unsigned i = 0; i < EXEC_LANES; i++) {
          uint64_t is = 0, expected = 0;
          memcpy(&is, (unsigned char *)whole + i * bytes, bytes);
          for (unsigned k = 0; k < n; k++) expected |= low(rows[k][i], bits) << k * bits;
          assert_true(is == (masks[m] >> i & 1 ? expected : low(0xa5a5a5a5a5a5a5a5u, bytes * 8)));
          for (unsigned k = 0; k < n; k++) assert_int_equal(apart[k][i], i == 2 || k == 1 ? 77 : low(is >> k * bits, bits));
        }
      }
}

static void test_rows_are_copied_lane_by_lane(void **state) {
  static struct exec_warp w;
  uint32_t narrow[2][EXEC_LANES] __attribute__((aligned(64)));
  uint64_t wide[2][EXEC_LANES] __attribute__((aligned(64)));
  const struct exec_inst in = {.d = {.file = EXEC_F32, .off = 0}, .a = {.file = EXEC_F32, .off = sizeof narrow[0]}};
  const struct exec_inst in_wide = {.d = {.file = EXEC_F64, .off = 0}, .a = {.file = EXEC_F64, .off = sizeof wide[0]}};
  (void)state;
  w.file[EXEC_F32] = (unsigned char *)narrow;
  w.file[EXEC_F64] = (unsigned char *)wide;
  for (unsigned isa = 0; isa < N_ISAS; isa++)
    for (unsigned some = 0; some < 2; some++) {
      for (unsigned i = 0; i < EXEC_LANES; i++) {
        narrow[0][i] = 5, wide[0][i] = 5;
        narrow[1][i] = i + 100, wide[1][i] = (i + 100) * 0x100000001u;
      }
      w.mask = some ? 0x80f00f01u : EXEC_ALL_LANES;
      lanes_of(isa)->move32(&w, &in);
      lanes_of(isa)->move64(&w, &in_wide);
      for (unsigned i = 0; i < EXEC_LANES; i++) {
        assert_int_equal(narrow[0][i], w.mask >> i & 1 ? i + 100 : 5);
        assert_true(wide[0][i] == (w.mask >> i & 1 ? (i + 100) * 0x100000001u : 5));
      }
    }
  unsetenv("HEDDLE_ISA");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)
int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_every_width_space_pattern_and_set_of_lanes), TEST(test_lanes_that_do_not_take_part_may_point_anywhere),
      TEST(test_a_part_of_the_lanes_at_the_end_of_an_allocation), TEST(test_stacks_end_where_they_end),
      cmocka_unit_test(test_parts_are_put_together_and_taken_apart), cmocka_unit_test(test_rows_are_copied_lane_by_lane)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
