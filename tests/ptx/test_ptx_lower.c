/* The lowering: which branches become guards, which loops are unrolled and how far, which loads come together, how many issue slots an
 * instruction takes. The limits are those of ptxas; that values stay what they are is shown in tests/exec/test_lowering.c. */
#include "ptx_test.h"

static struct ptx_module lower(const char *body) {
  char *text = malloc(1 << 16);
  snprintf(text, 1 << 16, "%s%s\nret;\n}\n",
           HEAD ".visible .entry k(.param .u64 a, .param .u32 n) {\n" REGS ".shared .align 4 .b8 sh[256];\n", body);
  struct ptx_module m = read_text(text);
  free(text);
  ptx_lower(&m);
  return m;
}

static unsigned count(const struct ptx_module *m, enum ptx_op op) {
  unsigned n = 0;
  for (uint32_t i = 0; i < m->funcs[0].n_insts; i++) n += m->funcs[0].insts[i].op == op;
  return n;
}

static unsigned count_in(const char *body, enum ptx_op op) {
  struct ptx_module m = lower(body);
  unsigned n = count(&m, op);
  ptx_free(&m);
  return n;
}

static const char *times(unsigned n, const char *line) {
  static char text[4][8192];
  static unsigned turn;
  char *to = text[turn++ % 4];
  *to = 0;
  while (n--) strcat(to, line);
  return to;
}

static const char *format(const char *fmt, const char *a) {
  static char text[2][16384];
  static unsigned turn;
  char *to = text[turn++ % 2];
  snprintf(to, sizeof text[0], fmt, a);
  return to;
}

#define FMA "fma.rn.f32 %f1, %f1, %f2, %f3;\n"

/* ---- branches -------------------------------------------------------------------------------------------------------- */

#define DIVERGENT "mov.u32 %%r1, %%tid.x; setp.gt.u32 %%p1, %%r1, 5; @%%p1 bra M;\n%sM: st.global.f32 [%%rd1], %%f1;"
#define UNIFORM "ld.param.u32 %%r1, [n]; setp.gt.u32 %%p1, %%r1, 5; @%%p1 bra M;\n%sM: st.global.f32 [%%rd1], %%f1;"

static void test_eight_instructions_are_guarded_nine_are_not(void **state) {
  (void)state;
  assert_int_equal(count_in(format(DIVERGENT, times(8, FMA)), PTX_OP_bra), 0);
  assert_int_equal(count_in(format(DIVERGENT, times(9, FMA)), PTX_OP_bra), 1);
}

static void test_a_branch_to_the_end_stays(void **state) {
  (void)state;
  assert_int_equal(count_in("mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 5; @%p1 bra M;\nst.global.f32 [%rd1], %f1;\nM:\n", PTX_OP_bra), 1);
}

static void test_six_are_where_all_lanes_go_the_same_way(void **state) {
  (void)state;
  assert_int_equal(count_in(format(UNIFORM, times(6, FMA)), PTX_OP_bra), 0);
  assert_int_equal(count_in(format(UNIFORM, times(7, FMA)), PTX_OP_bra), 1);
}

static void test_the_side_that_was_jumped_over_is_guarded_the_other_way(void **state) {
  (void)state;
  struct ptx_module m = lower(format(DIVERGENT, FMA));
  const struct ptx_inst *fma = &m.funcs[0].insts[2];
  assert_int_equal(fma->op, PTX_OP_fma);
  assert_true(fma->guarded && fma->guard_negate);
  ptx_free(&m);
}

static void test_both_sides_of_a_branch_are_guarded(void **state) {
  (void)state;
  struct ptx_module m = lower("mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 5; @%p1 bra E;\nadd.f32 %f1, %f1, %f2; bra.uni J;\n"
                              "E: mul.rn.f32 %f1, %f1, %f2;\nJ: st.global.f32 [%rd1], %f1;");
  const struct ptx_inst *in = m.funcs[0].insts;
  assert_int_equal(count(&m, PTX_OP_bra), 0);
  assert_true(in[2].op == PTX_OP_add && in[2].guarded && in[2].guard_negate);
  assert_true(in[3].op == PTX_OP_mul && in[3].guarded && !in[3].guard_negate);
  assert_false(in[4].guarded);
  ptx_free(&m);
}

static void test_what_needs_a_branch_keeps_it(void **state) {
  (void)state;
  static const char *const lines[] = {"atom.global.add.u32 %r2, [%rd1], 1;\n", "div.rn.f32 %f1, %f1, %f2;\n", "bar.sync 0;\n",
                                      "ld.volatile.shared.f32 %f1, [%r2];\n", "mov.u64 %rd2, %clock64;\n", "setp.gt.u32 %p1, %r3, 4;\n",
                                      "shfl.sync.idx.b32 %r2, %r3, 0, 31, -1;\n", "ld.global.f32 %f1, [%rd1];\n"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) assert_int_equal(count_in(format(DIVERGENT, lines[i]), PTX_OP_bra), 1);
  assert_int_equal(count_in(format(DIVERGENT, "ld.shared.f32 %f1, [%r2];\n"), PTX_OP_bra), 0);
}

/* Of the loop one branch is left. */
static void test_loads_of_global_memory_are_guarded_in_loops(void **state) {
  (void)state;
  assert_int_equal(count_in("mov.u32 %r1, %tid.x;\nL: setp.gt.u32 %p1, %r1, %r3; @%p1 bra M;\nld.global.f32 %f2, [%rd1];\n"
                            "add.f32 %f1, %f1, %f2;\nM: add.u32 %r1, %r1, %r2; setp.lt.u32 %p2, %r1, %r4; @%p2 bra L;\n",
                            PTX_OP_bra),
                   1);
}

/* Where something follows that need not wait for them, loads are guarded with up to 18 instructions; a store alone does wait. */
static void test_loads_of_global_memory_are_guarded_where_more_follows(void **state) {
  (void)state;
  static const char *const more[] = {"st.global.f32 [%rd1+4], %f3;\n", "bar.sync 0;\n", "ld.shared.f32 %f4, [%r2];\n", ""};
  for (unsigned uniform = 0; uniform < 2; uniform++)
    for (unsigned n = 17; n <= 18; n++)
      for (unsigned i = 0; i < 4; i++) {
        char body[4096];
        snprintf(body, sizeof body,
                 "%s; setp.gt.u32 %%p1, %%r1, 5; @%%p1 bra M;\nld.global.f32 %%f1, [%%rd1];\n%sM: %sst.global.f32 [%%rd1], %%f1;",
                 uniform ? "ld.param.u32 %r1, [n]" : "mov.u32 %r1, %tid.x", times(n, FMA), more[i]);
        assert_int_equal(count_in(body, PTX_OP_bra), n == 17 && i < 3 ? 0 : 1);
      }
}

/* ---- loops ------------------------------------------------------------------------------------------------------------ */

#define COUNTDOWN "ld.param.u32 %%r1, [n];\nL:\n%sadd.s32 %%r1, %%r1, -1; setp.ne.s32 %%p1, %%r1, 0; @%%p1 bra L;\n"

/* Four, two and one turns. */
static void test_a_loop_of_21_instructions_is_unrolled_of_22_not(void **state) {
  (void)state;
  assert_int_equal(count_in(format(COUNTDOWN, times(18, FMA)), PTX_OP_fma), 7 * 18);
  assert_int_equal(count_in(format(COUNTDOWN, times(19, FMA)), PTX_OP_fma), 19);
}

static void test_one_that_loads_may_be_larger(void **state) {
  (void)state;
  const char *load = "ld.global.f32 %f2, [%rd1]; add.s64 %rd1, %rd1, %rd2;\n", *shared = "ld.shared.f32 %f2, [%r2+4];\n";
  char body[8192];
  for (unsigned n = 44; n <= 45; n++) {
    snprintf(body, sizeof body, "%s%s", load, times(n, FMA));
    assert_int_equal(count_in(format(COUNTDOWN, body), PTX_OP_fma), n == 44 ? 7 * n : n);
  }
  for (unsigned n = 22; n <= 23; n++) {
    snprintf(body, sizeof body, "%s%s", shared, times(n, FMA));
    assert_int_equal(count_in(format(COUNTDOWN, body), PTX_OP_fma), n == 22 ? 7 * n : n);
  }
}

static void test_loops_that_stay(void **state) {
  (void)state;
  static const char *const loops[] = {
      "L:\n.pragma \"nounroll\";\n" FMA "add.s32 %r1, %r1, -1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L;",     /* as it asks */
      "L:\n" FMA "add.s32 %r1, %r1, %r2; setp.lt.s32 %p1, %r1, %r3; @%p1 bra L;",                         /* not a constant */
      "L:\n" FMA "add.s32 %r1, %r1, 1; add.s32 %r2, %r1, %r4; setp.lt.s32 %p1, %r2, %r3; @%p1 bra L;",    /* something else is compared */
      "L:\n" FMA "setp.gt.f32 %p2, %f1, %f2; @%p2 bra E; add.s32 %r1, %r1, -1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L; E:\n",
      "L:\n" FMA "sqrt.rn.f32 %f1, %f1; add.s32 %r1, %r1, -1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L;",
      "L:\n" FMA "shfl.sync.idx.b32 %r5, %r6, 0, 31, -1; add.s32 %r1, %r1, -1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L;",
      "L:\n" FMA "add.s32 %r1, %r1, 1; setp.gt.s32 %p1, %r1, %r3; @%p1 bra L;",                           /* away from the bound */
  };
  for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) assert_int_equal(count_in(loops[i], PTX_OP_fma), 1);
}

static void test_a_known_number_of_turns_is_straight_code(void **state) {
  (void)state;
  struct ptx_module m = lower("mov.u32 %r1, 0;\nL:\n" FMA "add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 12; @%p1 bra L;\n");
  assert_int_equal(count(&m, PTX_OP_fma), 12);
  assert_int_equal(count(&m, PTX_OP_bra), 0);
  ptx_free(&m);
}

#define DOWN_TO_64 "mov.u32 %%r1, 0; mov.u32 %%r4, 1;\nL:\n%sadd.s32 %%r1, %%r1, -8; setp.ne.s32 %%p1, %%r1, -64; @%%p1 bra L;\n"

/* Eight turns of 55 are worth it; of 80 only where enough is computed from the counter alone, which then takes no slot. */
static void test_how_long_straight_code_may_be_is_what_it_saves(void **state) {
  (void)state;
  char body[8192];
  assert_int_equal(count_in(format(DOWN_TO_64, times(55, FMA)), PTX_OP_fma), 8 * 55);
  assert_int_equal(count_in(format(DOWN_TO_64, times(80, FMA)), PTX_OP_fma), 80);
  snprintf(body, sizeof body, "%s%s", times(10, "shl.b32 %r5, %r4, %r1; add.s32 %r6, %r6, %r5;\n"), times(70, FMA));
  assert_int_equal(count_in(format(DOWN_TO_64, body), PTX_OP_fma), 70); /* a register that is written ten times is not known */
  snprintf(body, sizeof body, "shl.b32 %%r5, %%r4, %%r1; max.u32 %%r6, %%r5, 9; shr.u32 %%r7, %%r6, 1; min.u32 %%r8, %%r7, 99;\n"
                              "xor.b32 %%r2, %%r2, %%r8; st.shared.u32 [%%r3], %%r2;\n%s",
           times(78, FMA));
  assert_int_equal(count_in(format(DOWN_TO_64, body), PTX_OP_fma), 8 * 78);
}

/* The counter is set once before both loops: the second time the inner one has another number of turns. */
static void test_a_counter_that_goes_on_is_not_a_known_number(void **state) {
  (void)state;
  assert_int_equal(count_in("mov.u32 %r1, 0;\nO:\nL:\n.pragma \"nounroll\";\n" FMA
                            "add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 12; @%p1 bra L;\nsetp.gt.f32 %p2, %f1, %f2; @%p2 bra O;\n",
                            PTX_OP_fma),
                   1);
  assert_int_equal(count_in("mov.u32 %r1, 0;\nO: add.f32 %f2, %f2, %f3;\nL:\n" FMA
                            "add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 12; @%p1 bra L;\nsetp.gt.f32 %p2, %f1, %f2; @%p2 bra O;\n",
                            PTX_OP_fma),
                   7);
}

/* A loop around one that became straight code is an innermost one. */
static void test_the_loop_around_straight_code_is_unrolled_too(void **state) {
  (void)state;
  assert_int_equal(count_in("ld.param.u32 %r2, [n];\nO: mov.u32 %r1, 0;\nL:\n" FMA
                            "add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 4; @%p1 bra L;\n"
                            "add.s32 %r2, %r2, -1; setp.ne.s32 %p2, %r2, 0; @%p2 bra O;\n",
                            PTX_OP_fma),
                   7 * 4);
}

/* ---- loads together ---------------------------------------------------------------------------------------------------- */

static unsigned widest(const char *body, unsigned *loads) {
  struct ptx_module m = lower(body);
  unsigned most = 0;
  *loads = count(&m, PTX_OP_ld);
  for (uint32_t i = 0; i < m.funcs[0].n_insts; i++)
    if (m.funcs[0].insts[i].op == PTX_OP_ld && m.funcs[0].insts[i].vec > most) most = m.funcs[0].insts[i].vec;
  ptx_free(&m);
  return most;
}

static void test_words_of_shared_memory_are_loaded_together(void **state) {
  (void)state;
  unsigned n;
  const char *base = "mov.u32 %%r1, %%tid.x; shl.b32 %%r2, %%r1, %s; mov.u32 %%r3, sh; add.s32 %%r4, %%r3, %%r2;\n"
                     "ld.shared.f32 %%f1, [%%r4]; ld.shared.f32 %%f2, [%%r4+4];\n"
                     "ld.shared.f32 %%f3, [%%r4+8]; ld.shared.f32 %%f4, [%%r4+12];";
  assert_int_equal(widest(format(base, "4"), &n), 4);
  assert_int_equal(n, 1);
  assert_int_equal(widest(format(base, "3"), &n), 2);
  assert_int_equal(n, 2);
  assert_int_equal(widest(format(base, "2"), &n), 1);
  assert_int_equal(n, 4);
}

/* Three words of 16 bytes do, in any order; of two those of 8 bytes; also by the name of a variable, but not beyond its end. */
static void test_sets_of_words_that_are_loaded_together(void **state) {
  (void)state;
  static const struct {
    unsigned words, loads;
    const char *body;
  } cases[] = {
      {4, 1, "ld.shared.f32 %f1, [sh]; ld.shared.f32 %f2, [sh+4]; ld.shared.f32 %f3, [sh+12];"},
      {4, 1, "ld.shared.f32 %f3, [sh+12]; ld.shared.f32 %f2, [sh+8]; ld.shared.f32 %f1, [sh+4];"},
      {2, 1, "ld.shared.f32 %f2, [sh+12]; ld.shared.f32 %f1, [sh+8];"},
      {1, 2, "ld.shared.f32 %f1, [sh+4]; ld.shared.f32 %f2, [sh+8];"},
      {1, 2, "ld.shared.f32 %f1, [sh]; ld.shared.f32 %f2, [sh+8];"},
      {4, 2, "ld.shared.f32 %f1, [sh+4]; ld.shared.f32 %f2, [sh+8]; ld.shared.f32 %f3, [sh+12]; ld.shared.f32 %f4, [sh+16];"},
      {2, 2, "ld.shared.f32 %f1, [odd+16]; ld.shared.f32 %f2, [odd+20]; ld.shared.f32 %f3, [odd+24];"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    unsigned n;
    assert_int_equal(widest(format(".shared .b8 odd[28]; %s", cases[i].body), &n), cases[i].words);
    assert_int_equal(n, cases[i].loads);
  }
}

static void test_not_across_what_may_change_them(void **state) {
  (void)state;
  static const char *const between[] = {"st.shared.f32 [%r9], %f5;", "bar.sync 0;", "add.s32 %r3, %r3, 16;", "mov.f32 %f2, %f5;",
                                        "add.f32 %f5, %f5, %f2;"};
  for (size_t i = 0; i < sizeof between / sizeof *between; i++) {
    unsigned n;
    assert_int_equal(widest(format("mov.u32 %%r3, sh;\nld.shared.f32 %%f1, [%%r3]; %s ld.shared.f32 %%f2, [%%r3+4];", between[i]), &n), 1);
    assert_int_equal(n, 2);
  }
}

/* ---- slots ---------------------------------------------------------------------------------------------------------------- */

/* Of the instructions in their order, "1 0 2"; ret and what every kernel begins with are left out, and the descriptor of memory is
 * fetched at the beginning. */
static void expect_slots(const char *body, const char *slots) {
  char got[256] = "", text[8192];
  snprintf(text, sizeof text, "mov.u32 %%r90, %%tid.x; ld.global.u32 %%r89, [%%rd89];\n%s", body);
  struct ptx_module m = lower(text);
  ptx_count_slots(&m);
  const struct ptx_func *f = &m.funcs[0];
  assert_int_equal(f->issue[0], 2);
  assert_int_equal(f->issue[1], 2);
  for (uint32_t i = 2; i + 1 < f->n_insts; i++)
    snprintf(got + strlen(got), sizeof got - strlen(got), "%s%u", i > 2 ? " " : "", f->issue[i]);
  assert_string_equal(got, slots);
  ptx_free(&m);
}

static void test_address_arithmetic_is_part_of_other_instructions(void **state) {
  (void)state;
  expect_slots("mul.wide.s32 %rd3, %r90, 4; add.s64 %rd4, %rd2, %rd3; add.s64 %rd5, %rd1, %rd3; st.global.u32 [%rd4], %r90;"
               "st.global.u32 [%rd5], %r90;",
               "0 1 1 1 1");
  expect_slots("add.s64 %rd4, %rd2, 16; st.global.u32 [%rd4], %r90;", "0 1");
  expect_slots("add.s64 %rd4, %rd2, 16; st.global.u64 [%rd4], %rd4;", "2 1");
  expect_slots("shl.b64 %rd3, %rd2, 3; add.s64 %rd4, %rd1, %rd3; st.global.u32 [%rd4], %r90;", "0 2 1");
  expect_slots("cvta.to.global.u64 %rd4, %rd1; cvt.s64.s32 %rd5, %r90; add.s64 %rd6, %rd4, %rd5; st.global.u32 [%rd6], %r90;", "0 0 2 1");
  expect_slots("mul.wide.s32 %rd3, %r90, 4; cvt.s64.s32 %rd5, %r89; add.s64 %rd6, %rd3, %rd5; st.global.u32 [%rd6], %r90;", "0 1 1 1");
}

static void test_two_that_make_one_take_one_slot(void **state) {
  (void)state;
  expect_slots("mul.lo.s32 %r2, %r90, %r3; add.s32 %r4, %r2, %r5; st.shared.u32 [%r6], %r4;", "0 1 1");
  expect_slots("add.s32 %r2, %r90, %r3; add.s32 %r4, %r2, %r5; add.s32 %r7, %r4, %r6; st.shared.u32 [%r6], %r7;", "0 1 1 1");
  expect_slots("and.b32 %r2, %r90, %r3; xor.b32 %r4, %r2, %r5; st.shared.u32 [%r6], %r4;", "0 1 1");
  expect_slots("mul.f32 %f2, %f1, %f3; add.f32 %f4, %f2, %f5; st.shared.f32 [%r6], %f4;", "0 1 1");
  expect_slots("mul.f32 %f2, %f1, %f3; mul.f32 %f5, %f1, %f6; sub.f32 %f4, %f2, %f5; st.shared.f32 [%r6], %f4;", "0 1 1 1");
  expect_slots("mul.lo.s32 %r2, %r90, %r3; mul.lo.s32 %r7, %r90, %r5; add.s32 %r4, %r2, %r7; st.shared.u32 [%r6], %r4;", "0 1 1 1");
  expect_slots("mul.rn.f32 %f2, %f1, %f3; add.f32 %f4, %f2, %f5; st.shared.f32 [%r6], %f4;", "1 1 1");
  expect_slots("neg.f32 %f2, %f1; abs.f32 %f3, %f2; st.shared.f32 [%r6], %f3;", "0 0 1");
  expect_slots("cvt.rn.f32.u32 %f1, %r90; sin.approx.f32 %f2, %f1; cos.approx.f32 %f3, %f1; st.shared.f32 [%r6], %f2;"
               "st.shared.f32 [%r6], %f3;",
               "1 2 1 1 1");
}

/* Halves of 64 bits that are zero, or the other operand's, take no slot. */
static void test_halves_that_are_zero_take_no_slot(void **state) {
  (void)state;
#define KEEP(reg) "st.global.u64 [%rd50], " reg ";"
  expect_slots("cvt.u64.u32 %rd1, %r90; and.b64 %rd2, %rd1, %rd60; or.b64 %rd3, %rd2, %rd60; " KEEP("%rd3"), "0 1 1 1");
  expect_slots("shl.b64 %rd1, %rd60, 40; shl.b64 %rd2, %rd60, 32; or.b64 %rd3, %rd1, %rd60; " KEEP("%rd3") KEEP("%rd2"), "1 0 1 1 1");
  expect_slots("shr.u64 %rd1, %rd60, 36; shr.u64 %rd2, %rd1, 3; shr.s64 %rd3, %rd60, 36; " KEEP("%rd2") KEEP("%rd3"), "1 1 2 1 1");
  expect_slots("and.b32 %r2, %r90, 255; mul.wide.u32 %rd1, %r2, 65536; or.b64 %rd2, %rd1, %rd60; " KEEP("%rd2"), "1 1 1 1");
  expect_slots("and.b64 %rd1, %rd60, 1095216660480; xor.b64 %rd2, %rd1, %rd61; not.b64 %rd3, %rd1; " KEEP("%rd2")
               KEEP("%rd3"), "1 1 2 1 1");
  expect_slots("and.b64 %rd1, %rd60, -256; xor.b64 %rd2, %rd1, %rd61; " KEEP("%rd2"), "1 2 1");
#undef KEEP
}

static void test_what_a_machine_has_no_single_one_for(void **state) {
  (void)state;
  expect_slots("st.global.v4.u8 [%rd1], {%rs1, %rs2, %rs3, %rs4}; st.global.v2.u16 [%rd1], {%rs1, %rs2};", "4 2");
  expect_slots("add.s64 %rd3, %rd1, %rd2; mul.lo.s64 %rd4, %rd3, %rd2; setp.lt.s64 %p1, %rd4, %rd2; selp.b64 %rd5, %rd4, %rd2, %p1;"
               "max.s64 %rd6, %rd5, %rd2; st.global.u64 [%rd1], %rd6;",
               "2 4 2 2 4 1");
  expect_slots("ex2.approx.f32 %f2, %f1; ex2.approx.ftz.f32 %f3, %f2; rcp.approx.f32 %f4, %f3; st.shared.f32 [%r6], %f4;", "4 1 7 1");
  expect_slots("bfe.u32 %r2, %r90, 8, 8; bfe.u32 %r3, %r2, 4, 8; bfe.s32 %r4, %r3, 8, 8; st.shared.u32 [%r6], %r4;", "1 2 2 1");
  expect_slots("cvt.s16.s8 %rs2, %rs1; cvt.rn.f32.s16 %f2, %rs2; st.shared.f32 [%r6], %f2;", "0 1 1");
  expect_slots("clz.b32 %r2, %r90; bfe.u32 %r3, %r2, 5, 7; bfe.u32 %r4, %r3, %r5, %r6; st.shared.u32 [%r6], %r4;", "2 2 3 1");
  expect_slots("mov.u32 %r2, sh; st.shared.u32 [%r2], %r90;", "3 1");
  expect_slots("mov.u32 %r2, 7; st.shared.u32 [%r3], %r2; mov.u32 %r4, 0; st.shared.u32 [%r3], %r4;", "1 1 0 1");
  expect_slots("cvt.s64.s32 %rd3, %r90; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3; st.global.u64 [%rd4], %rd5;", "1 2 2 1");
  expect_slots("tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r90}]; st.global.f32 [%rd2], %f1;", "2 1");
}

/* A reciprocal is computed once for a divisor; remainders and signs as ptxas writes them. */
static void test_divisions_of_integers_share_a_reciprocal(void **state) {
  (void)state;
#define OF(op, by) op " %r2, %r90, " by "; st.shared.u32 [%r6], %r2; "
  expect_slots(OF("div.u32", "%r91") OF("rem.u32", "%r91") OF("rem.u32", "%r92"), "18 1 9 1 17 1");
  expect_slots(OF("div.s32", "%r91") OF("div.s32", "%r91") OF("rem.s32", "%r92") OF("rem.s32", "%r92"), "24 1 15 1 22 1 12 1");
  expect_slots("mov.f32 %f2, 0f40000000; cvt.rzi.s32.f32 %r93, %f2; " OF("rem.s32", "%r93"), "0 1 12 1"); /* a literal's */
  expect_slots(OF("div.u32", "%r91") "add.u32 %r91, %r91, %r93; " OF("div.u32", "%r91"), "18 1 1 18 1"); /* another value */
#undef OF
}

/* In a loop of one block the first divisor's is there; the second signed division computes it again. Where the loop has branches in it, it
 * is computed in every turn, also if it was before the loop, and what follows in the turn uses it. */
static void test_reciprocals_in_loops(void **state) {
  (void)state;
#define OF(op, by) op " %r2, %r90, " by "; st.shared.u32 [%r6], %r2; "
#define LOOP(body) "ld.global.u32 %r91, [%rd5]; ld.global.u32 %r92, [%rd6]; .pragma \"nounroll\";\nL: " body "@%p1 bra L;"
#define APART(to) "@%p2 bra " to "; bar.sync 0; " to ": "
  expect_slots(LOOP(OF("rem.s32", "%r91") OF("rem.s32", "%r91") OF("rem.s32", "%r91")), "1 1 12 1 22 1 12 1 1");
  expect_slots(LOOP(OF("rem.u32", "%r91") OF("rem.u32", "%r91") OF("rem.u32", "%r92")), "1 1 9 1 9 1 17 1 1");
  expect_slots("ld.global.u32 %r91, [%rd5]; " OF("rem.u32", "%r91") ".pragma \"nounroll\";\nL: " APART("J") OF("rem.u32", "%r91") APART("M")
               OF("rem.u32", "%r91") "@%p1 bra L;",
               "1 17 1 1 1 17 1 1 1 9 1 1");
#undef APART
#undef LOOP
#undef OF
}

/* Two moves for each literal that has a lower half. */
static void test_wide_literals_are_moved(void **state) {
  (void)state;
  expect_slots("fma.rn.f64 %fd1, %fd2, 0d3FC5555555555511, %fd3; fma.rn.f64 %fd4, %fd1, 0d3FE0000000000000, 0d3F56C16C1852B7AF;"
               "st.global.f64 [%rd1], %fd4;",
               "3 3 1");
  expect_slots("fma.rn.f64 %fd1, %fd2, 0d3FC5555555555511, %fd3; fma.rn.f64 %fd4, %fd1, 0d3FC5555555555511, %fd1;"
               "st.global.f64 [%rd1], %fd4;",
               "3 1 1"); /* the same one is there */
  expect_slots("L: .pragma \"nounroll\"; fma.rn.f64 %fd1, %fd1, 0d3FC5555555555511, %fd3; add.s32 %r2, %r2, 1;\n"
               "setp.lt.s32 %p1, %r2, %r3; @%p1 bra L; st.global.f64 [%rd1], %fd1;",
               "1 1 1 1 1"); /* few stand in front of a loop */
}

/* ---- atomic operations ------------------------------------------------------------------------------------------------ */

static void expect_atomic(const char *line, enum ptx_op op, bool joined) {
  char body[512];
  snprintf(body, sizeof body,
           "ld.param.u64 %%rd1, [a]; ld.param.u32 %%r5, [n]; mov.u32 %%r1, %%tid.x; mul.wide.u32 %%rd2, %%r1, 4; add.u64 %%rd3, %%rd1, "
           "%%rd2; cvt.rn.f32.u32 %%f1, %%r1; %s",
           line);
  struct ptx_module m = lower(body);
  unsigned seen = 0;
  for (uint32_t i = 0; i < m.funcs[0].n_insts; i++) {
    const struct ptx_inst *in = &m.funcs[0].insts[i];
    if (in->op != PTX_OP_atom && in->op != PTX_OP_red) continue;
    assert_int_equal(in->op, op);
    assert_int_equal(in->joined, joined);
    seen++;
  }
  assert_int_equal(seen, 1);
  ptx_free(&m);
}

#define READ " st.global.u32 [%rd3], %r2;"

static void test_lanes_on_one_word_are_joined(void **state) {
  (void)state;
  expect_atomic("atom.global.add.u32 %r2, [%rd1], 1;" READ, PTX_OP_atom, true);
  expect_atomic("atom.global.add.u32 %r2, [%rd1], %r1;" READ, PTX_OP_atom, true);
  expect_atomic("atom.shared.add.u32 %r2, [sh], 1;" READ, PTX_OP_atom, true);
  expect_atomic("red.global.max.u32 [%rd1], %r1;", PTX_OP_red, true);
  expect_atomic("red.shared.add.u32 [sh], %r1;", PTX_OP_red, true);
  expect_atomic("red.global.add.u64 [%rd1], 1;", PTX_OP_red, true);
  expect_atomic("red.shared.add.u32 [sh], 1;", PTX_OP_red, false);          /* counts by itself */
  expect_atomic("red.global.add.u64 [%rd1], %rd2;", PTX_OP_red, false);     /* 64 bits that differ */
  expect_atomic("red.global.add.f32 [%rd1], %f1;", PTX_OP_red, false);
  expect_atomic("atom.global.max.u32 %r2, [%rd1], %r1;" READ, PTX_OP_atom, false);
  expect_atomic("atom.global.exch.b32 %r2, [%rd1], %r1;" READ, PTX_OP_atom, false);
  expect_atomic("atom.global.add.u32 %r2, [%rd3], 1;" READ, PTX_OP_atom, false); /* a word of its own for each lane */
}

static void test_an_atomic_operation_without_a_reader_is_a_reduction(void **state) {
  (void)state;
  expect_atomic("atom.global.add.u32 %r2, [%rd3], 1;", PTX_OP_red, false);
  expect_atomic("atom.global.inc.u32 %r2, [%rd3], %r5;", PTX_OP_red, false);
  expect_atomic("atom.global.exch.b32 %r2, [%rd3], %r1;", PTX_OP_atom, false);
  expect_atomic("atom.acq_rel.gpu.global.add.u32 %r2, [%rd3], 1;", PTX_OP_atom, false);
}

/* BSSY and BSYNC beside the branch, unless the sides meet at the end. */
static void test_a_branch_that_may_divide_a_warp_takes_three(void **state) {
  (void)state;
  char fmas[4096];
  snprintf(fmas, sizeof fmas, "%s", times(9, FMA));
  char body[8192], want[256] = "1 3";
  snprintf(body, sizeof body, "setp.gt.u32 %%p1, %%r90, 5; @%%p1 bra M;\n%sM: st.global.f32 [%%rd1], %%f1;", fmas);
  for (unsigned i = 0; i < 10; i++) strcat(want, " 1");
  expect_slots(body, want);
  want[2] = '1';
  snprintf(body, sizeof body, "setp.gt.u32 %%p1, %%r90, 5; @%%p1 bra M;\n%sst.global.f32 [%%rd1], %%f1;\nM:\n", fmas);
  expect_slots(body, want);
  snprintf(body, sizeof body, "setp.gt.u32 %%p1, %%r5, 5; @%%p1 bra M;\n%sM: st.global.f32 [%%rd1], %%f1;", fmas);
  expect_slots(body, want);
}

/* Sides that meet at the same place have BSSY and BSYNC once; around a loop that lanes leave one by one they stand once for all turns. */
static void test_meetings_are_counted_once(void **state) {
  (void)state;
#define WORK "atom.global.exch.b32 %r5, [%rd1], %r90; "
  expect_slots("setp.gt.u32 %p1, %r90, 5; @%p1 bra M; " WORK "setp.gt.u32 %p2, %r5, 7; @%p2 bra M; " WORK
               "\nM: st.global.u32 [%rd1], %r5;",
               "1 3 1 1 1 1 1");
  expect_slots("setp.gt.u32 %p1, %r90, 5; @%p1 bra M; " WORK "setp.gt.u32 %p2, %r5, 7; @%p2 bra N; " WORK
               "\nN: st.global.u32 [%rd1+8], %r5;\nM: st.global.u32 [%rd1], %r5;",
               "1 3 1 1 3 1 1 1");
  expect_slots("mov.u32 %r5, 0;\nL: add.s32 %r5, %r5, %r90; setp.gt.s32 %p1, %r5, 70; @%p1 bra M; xor.b32 %r5, %r5, %r90;"
               "setp.lt.s32 %p2, %r5, %r90; @%p2 bra L;\nM: st.global.u32 [%rd1], %r5;",
               "3 1 1 1 1 1 1 1");
#undef WORK
}

/* The last loop of a kernel that is left by an exit keeps its jump and copies its addresses; others do with an address used once. */
static void test_loops_copy_addresses(void **state) {
  (void)state;
#define TURN(more) "L: .pragma \"nounroll\"; ld.global.u32 %r5, [%rd1]; " more "st.global.u32 [%rd2], %r5; add.s64 %rd1, %rd1, 64;" \
                   "add.s32 %r6, %r6, 1; "
  expect_slots(TURN("ld.global.u32 %r5, [%rd1+4]; ") "setp.lt.s32 %p1, %r6, %r7; @%p1 bra L; st.global.u32 [%rd2], %r6;",
               "1 1 1 2 1 1 1 1");
  expect_slots(TURN("") "setp.lt.s32 %p1, %r6, %r7; @%p1 bra L; st.global.u32 [%rd2], %r6;", "1 1 4 1 1 1 1");
  expect_slots("st.shared.u32 [%r4], %r8; " TURN("ld.global.u32 %r5, [%rd1+4]; setp.eq.u32 %p2, %r5, 3; @%p2 bra M; ")
               "setp.lt.s32 %p1, %r6, %r7; @%p1 bra L;\n"
               "M: st.global.u32 [%rd2], %r6;",
               "3 1 1 1 1 1 4 1 1 1 1"); /* with branches */
  expect_slots(TURN("ld.global.u32 %r5, [%rd1+4]; ") "setp.ge.s32 %p1, %r6, %r7; @%p1 bra M; bra.uni L; M:", "1 1 1 4 1 1 1 1");
#undef TURN
}

/* A copy of what is written anew while the copy is needed takes a slot; one that only changes the name does not. */
static void test_copies_in_loops(void **state) {
  (void)state;
#define CHASE(use) "and.b32 %r6, %r90, 4; L: .pragma \"nounroll\"; mov.u32 %r5, %r6; ld.shared.u32 %r6, [%r5];" \
                   "setp.ne.s32 %p1, " use ", 7; @%p1 bra L; st.shared.u32 [%r4], %r6;"
  expect_slots(CHASE("%r5"), "3 1 1 1 1 1");
  expect_slots(CHASE("%r6"), "3 0 1 1 1 1");
#undef CHASE
}

/* Slots of a kernel with parameters, by block: "4 7". */
static void expect_blocks(const char *params, const char *body, const char *slots) {
  char text[4096], got[64] = "";
  snprintf(text, sizeof text, "%s.visible .entry k(%s) {\n%s%s\nret;\n}\n", HEAD, params, REGS, body);
  struct ptx_module m = read_text(text);
  ptx_lower(&m);
  ptx_count_slots(&m);
  const struct ptx_func *f = &m.funcs[0];
  for (uint32_t b = 0; b < f->n_blocks; b++) {
    unsigned n = 0;
    for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++) n += f->issue[i];
    snprintf(got + strlen(got), sizeof got - strlen(got), "%s%u", b ? " " : "", n);
  }
  assert_string_equal(got, slots);
  ptx_free(&m);
}

/* Behind an exit, in front of a loop, at the beginning if several blocks are the first to use it; pairs of 32 bits together. */
static void test_parameters_are_fetched_where_they_are_used(void **state) {
  (void)state;
#define FETCH "ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [t]; mov.u32 %r3, %tid.x; "
  const char *params = ".param .u64 a, .param .u32 n, .param .u32 t";
  expect_blocks(params, FETCH "setp.gt.u32 %p1, %r3, %r1; @%p1 bra M; add.s32 %r4, %r3, %r2; st.global.u32 [%rd1], %r4;\nM:", "5 5 1");
  expect_blocks(params, FETCH "add.s32 %r5, %r1, %r2; setp.gt.u32 %p1, %r3, %r5; @%p1 bra M; st.global.u32 [%rd1], %r3;\nM:", "6 3 1");
  expect_blocks(params, FETCH "add.s32 %r5, %r1, %r2; setp.gt.u32 %p1, %r3, %r5; @%p1 bra M;\n"
                "atom.global.exch.b32 %r6, [%rd1], %r3; bra E;\nM: atom.global.exch.b32 %r6, [%rd1+4], %r3;\n"
                "E: st.shared.u32 [%r3], %r6;", "10 2 1 2");
  expect_blocks(params, FETCH "L: .pragma \"nounroll\"; add.s32 %r3, %r3, %r2; st.shared.u32 [%r3], %r3; setp.lt.s32 %p1, %r3, 50;"
                "@%p1 bra L;", "3 4 1");
#undef FETCH
}

static void test_results_that_nobody_reads_are_marked(void **state) {
  (void)state;
  struct ptx_module m = lower("tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}];\nst.global.f32 [%rd2], %f1;");
  ptx_count_slots(&m);
  const struct ptx_opnd *to = &m.funcs[0].insts[0].ops[0];
  for (unsigned i = 0; i < 4; i++) assert_int_equal(m.funcs[0].regs[to->elems[i].reg].unread, i > 0);
  ptx_free(&m);
}

/* Divisions with a slow path stay where they are, with what is before and behind them. */
static void test_nothing_passes_a_slow_path(void **state) {
  (void)state;
  static const char *const fixed[] = {"div.rn.f32 %f1, %f2, %f3;", "rcp.rn.f32 %f1, %f2;", "sqrt.rn.f64 %fd1, %fd2;",
                                      "rem.s64 %rd5, %rd6, %rd7;"};
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
    for (int slow = 0; slow < 2; slow++) {
      char body[1024];
      snprintf(body, sizeof body, "%smul.f32 %%f5, %%f5, %%f5;\n%s\nld.global.f32 %%f6, [%%rd1];\nadd.f32 %%f5, %%f5, %%f6;\nret;\n}\n",
               HEAD ".visible .entry k() {\n" REGS, fixed[i]);
      struct ptx_module m = read_text(body);
      ptx_order_blocks(&m, slow);
      assert_int_equal(m.funcs[0].insts[slow ? 2 : 0].op, PTX_OP_ld);
      ptx_free(&m);
    }
}

/* Loads ahead of their uses between two barriers: all sixteen with few other values in use, five where these leave five of 31 registers,
 * twelve of 39 where they leave four. Values that all lanes share do not count. */
static void test_loads_go_ahead_as_far_as_registers_go(void **state) {
  (void)state;
  static const struct {
    unsigned values;
    const char *from;
    unsigned ahead;
  } rows[] = {{5, "%tid.x", 16}, {25, "%tid.x", 5}, {26, "%tid.x", 12}, {26, "%ctaid.x", 16}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct str text = {0};
    unsigned at = 0, ahead = 0;
    str_add(&text, "%s.visible .entry k() {\n.reg .b32 %%v<100>, %%w<100>, %%x;\n%smov.u32 %%r1, %s;\nmov.u32 %%x, %%tid.x;\n", HEAD, REGS,
            rows[i].from);
    for (unsigned k = 0; k < rows[i].values; k++) str_add(&text, "xor.b32 %%v%u, %%r1, %u;\n", k, k + 1);
    str_add(&text, "bar.sync 0;\n");
    for (unsigned k = 0; k < 16; k++) str_add(&text, "ld.global.u32 %%w%u, [%%rd1+%u];\nxor.b32 %%x, %%x, %%w%u;\n", k, 4 * k, k);
    str_add(&text, "bar.sync 0;\nst.global.u32 [%%rd1], %%x;\n");
    for (unsigned k = 0; k < rows[i].values; k++) str_add(&text, "st.global.u32 [%%rd1], %%v%u;\n", k);
    str_add(&text, "ret;\n}\n");
    struct ptx_module m = read_text(text.s);
    ptx_order_blocks(&m, true);
    const struct ptx_inst *in = m.funcs[0].insts;
    while (in[at].op != PTX_OP_bar && in[at].op != PTX_OP_barrier) at++;
    while (in[++at].op == PTX_OP_ld) ahead++;
    assert_int_equal(ahead, rows[i].ahead);
    ptx_free(&m);
    str_free(&text);
  }
}

/* ---- registers ------------------------------------------------------------------------------------------------------- */

static uint32_t registers_in(const char *bounds, const char *body) {
  char text[4096];
  snprintf(text, sizeof text, "%s %s {\n%s%s\nret;\n}\n", HEAD ".visible .entry k(.param .u64 a, .param .u32 n)", bounds, REGS, body);
  struct ptx_module m = read_text(text);
  ptx_lower(&m);
  uint32_t n = m.funcs[0].regs_needed;
  ptx_free(&m);
  return n;
}

#define HELD                                                                                                         \
  "mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2; ld.global.f32 %f1, [%rd3]; ld.global.f32 %f2, [%rd3+4];\n" \
  "ld.global.f32 %f3, [%rd3+8]; add.f32 %f4, %f1, %f2; add.f32 %f4, %f4, %f3; st.global.f32 [%rd3], %f4;"

static void test_registers_are_counted_without_parameters_and_folded_values(void **state) {
  (void)state;
  enum { OTHERS = 4, ADDRESS = 2, LOADED = 3 };
  /* the address of a thread and three words; neither the product that is added nor the parameter */
  assert_int_equal(registers_in("", "ld.param.u64 %rd1, [a];\n" HELD), ADDRESS + LOADED + OTHERS);
  /* one that is computed from the parameter is in registers until the address is there */
  assert_int_equal(registers_in("", "ld.param.u64 %rd4, [a]; shl.b64 %rd1, %rd4, 1;\n" HELD "st.global.f32 [%rd1], %f4;"),
                   2 + ADDRESS + LOADED + OTHERS);
}

static void test_launch_bounds_limit_registers(void **state) {
  (void)state;
  char body[4096] = "ld.param.u64 %rd1, [a];\n";
  for (int i = 0; i < 9; i++) snprintf(body + strlen(body), 64, "ld.global.u64 %%rd%d, [%%rd1+%d];\n", i + 2, 8 * i);
  for (int i = 0; i < 9; i++) snprintf(body + strlen(body), 64, "st.global.u64 [%%rd1+%d], %%rd%d;\n", 8 * i + 256, i + 2);
  assert_int_equal(registers_in("", body), 18 + 4);
  assert_int_equal(registers_in(".maxntid 1024, 1, 1 .minnctapersm 4", body), 16);
  assert_int_equal(registers_in(".maxntid 1024, 1, 1 .minnctapersm 2", body), 18 + 4);
}

/* ---- tiles of wmma ----------------------------------------------------------------------------------------------------- */

#define TILE(what, form, space, type, regs) "wmma." what ".sync.aligned." form ".m16n16k16" space "." type " {" regs "}, "
#define EIGHT "%r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18"
#define SUMS "%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8"
#define MULTIPLY "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {" SUMS "}, {" EIGHT "}, {" EIGHT "}, {" SUMS "};\n"
#define KEEP "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd2], {" SUMS "}, %r2;\n"

/* Loads of both kinds, transpositions, and what was written. */
static void expect_tile(const char *load, unsigned loads, unsigned by_blocks, unsigned transposed) {
  char body[1024];
  snprintf(body, sizeof body, "ld.param.u64 %%rd1, [a]; ld.param.u32 %%r2, [n]; ld.param.u64 %%rd2, [a];\n%s%s", load, MULTIPLY KEEP);
  struct ptx_module m = lower(body);
  assert_int_equal(count(&m, PTX_OP_wmma), 0);
  assert_int_equal(count(&m, PTX_OP_mma), 2);
  assert_int_equal(count(&m, PTX_OP_ld), loads + 3);
  assert_int_equal(count(&m, PTX_OP_ldmatrix), by_blocks);
  assert_int_equal(count(&m, PTX_OP_movmatrix), transposed);
  assert_int_equal(count(&m, PTX_OP_st), 4);
  ptx_free(&m);
}

static void test_tiles_are_moved_by_lanes(void **state) {
  (void)state;
  expect_tile(TILE("load.a", "row", ".global", "f16", EIGHT) "[%rd1], %r2;\n", 4, 0, 0);
  expect_tile(TILE("load.a", "col", ".global", "f16", EIGHT) "[%rd1], %r2;\n", 4, 0, 4);
  expect_tile(TILE("load.b", "col", ".global", "f16", EIGHT) "[%rd1], 16;\n", 4, 0, 0);
  expect_tile(TILE("load.b", "row", ".global", "f16", EIGHT) "[%rd1], 16;\n", 4, 0, 4);
  expect_tile(TILE("load.c", "row", ".global", "f32", SUMS) "[%rd1], %r2;\n", 4, 0, 0);
  expect_tile(TILE("load.c", "col", ".global", "f32", SUMS) "[%rd1], %r2;\n", 8, 0, 0);
}

static void test_tiles_of_shared_memory_are_loaded_at_once(void **state) {
  (void)state;
  expect_tile("mov.u32 %r3, sh; " TILE("load.a", "row", ".shared", "f16", EIGHT) "[%r3], 16;\n", 0, 1, 0);
  expect_tile("mov.u32 %r3, sh; " TILE("load.b", "row", ".shared", "f16", EIGHT) "[%r3], %r2;\n", 0, 1, 0);
  expect_tile("mov.u32 %r3, sh; " TILE("load.c", "row", ".shared", "f32", SUMS) "[%r3], 16;\n", 4, 0, 0);
}

static void test_a_tile_that_nobody_reads_is_not_loaded(void **state) {
  (void)state;
  expect_tile(TILE("load.c", "row", ".global", "f32", "%f11, %f12, %f13, %f14, %f15, %f16, %f17, %f18") "[%rd1], %r2;\n", 0, 0, 0);
}

/* What a lane adds to addresses is computed where the stride is. */
static void test_offsets_of_tiles_are_outside_loops(void **state) {
  (void)state;
  struct ptx_module m = lower("ld.param.u64 %rd1, [a]; ld.param.u32 %r2, [n]; ld.param.u64 %rd2, [a]; mov.u32 %r4, 0;\nL:\n"
                               ".pragma \"nounroll\";\n" TILE("load.a", "row", ".global", "f16", EIGHT) "[%rd1], %r2;\n" MULTIPLY
                               "add.s64 %rd1, %rd1, 32; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r2; @%p1 bra L;\n" KEEP);
  const struct ptx_func *f = &m.funcs[0];
  uint32_t back = 0;
  unsigned sums = 0;
  while (f->insts[back].op != PTX_OP_bra || (uint32_t)f->insts[back].ops[0].sym > back) back++;
  for (uint32_t i = (uint32_t)f->insts[back].ops[0].sym; i < back; i++) sums += f->insts[i].op == PTX_OP_mad;
  assert_int_equal(sums, 1); /* eight lines on */
  ptx_free(&m);
}

static void test_tiles_that_stay(void **state) {
  (void)state;
  assert_int_equal(count_in("ld.param.u64 %rd1, [a]; setp.eq.u32 %p1, %r1, 0; @%p1 "
                            TILE("load.a", "row", ".global", "f16", EIGHT) "[%rd1], 16;\nst.global.u32 [%rd1], %r11;",
                            PTX_OP_wmma),
                   1);
  assert_int_equal(count_in("ld.param.u64 %rd1, [a]; " TILE("load.a", "col", ".global", "s8", "%r11, %r12") "[%rd1], 16;\n"
                            "st.global.u32 [%rd1], %r11;",
                            PTX_OP_wmma),
                   1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_loads_go_ahead_as_far_as_registers_go),
      cmocka_unit_test(test_eight_instructions_are_guarded_nine_are_not),
      cmocka_unit_test(test_a_branch_to_the_end_stays),
      cmocka_unit_test(test_registers_are_counted_without_parameters_and_folded_values),
      cmocka_unit_test(test_launch_bounds_limit_registers),
      cmocka_unit_test(test_tiles_are_moved_by_lanes),
      cmocka_unit_test(test_tiles_of_shared_memory_are_loaded_at_once),
      cmocka_unit_test(test_a_tile_that_nobody_reads_is_not_loaded),
      cmocka_unit_test(test_offsets_of_tiles_are_outside_loops),
      cmocka_unit_test(test_tiles_that_stay),
      cmocka_unit_test(test_six_are_where_all_lanes_go_the_same_way),
      cmocka_unit_test(test_the_side_that_was_jumped_over_is_guarded_the_other_way),
      cmocka_unit_test(test_both_sides_of_a_branch_are_guarded),
      cmocka_unit_test(test_what_needs_a_branch_keeps_it),
      cmocka_unit_test(test_loads_of_global_memory_are_guarded_in_loops),
      cmocka_unit_test(test_loads_of_global_memory_are_guarded_where_more_follows),
      cmocka_unit_test(test_a_loop_of_21_instructions_is_unrolled_of_22_not),
      cmocka_unit_test(test_one_that_loads_may_be_larger),
      cmocka_unit_test(test_loops_that_stay),
      cmocka_unit_test(test_a_known_number_of_turns_is_straight_code),
      cmocka_unit_test(test_how_long_straight_code_may_be_is_what_it_saves),
      cmocka_unit_test(test_a_counter_that_goes_on_is_not_a_known_number),
      cmocka_unit_test(test_the_loop_around_straight_code_is_unrolled_too),
      cmocka_unit_test(test_words_of_shared_memory_are_loaded_together),
      cmocka_unit_test(test_sets_of_words_that_are_loaded_together),
      cmocka_unit_test(test_meetings_are_counted_once),
      cmocka_unit_test(test_loops_copy_addresses),
      cmocka_unit_test(test_copies_in_loops),
      cmocka_unit_test(test_parameters_are_fetched_where_they_are_used),
      cmocka_unit_test(test_not_across_what_may_change_them),
      cmocka_unit_test(test_address_arithmetic_is_part_of_other_instructions),
      cmocka_unit_test(test_two_that_make_one_take_one_slot),
      cmocka_unit_test(test_halves_that_are_zero_take_no_slot),
      cmocka_unit_test(test_what_a_machine_has_no_single_one_for),
      cmocka_unit_test(test_divisions_of_integers_share_a_reciprocal),
      cmocka_unit_test(test_reciprocals_in_loops),
      cmocka_unit_test(test_wide_literals_are_moved),
      cmocka_unit_test(test_lanes_on_one_word_are_joined),
      cmocka_unit_test(test_an_atomic_operation_without_a_reader_is_a_reduction),
      cmocka_unit_test(test_a_branch_that_may_divide_a_warp_takes_three),
      cmocka_unit_test(test_results_that_nobody_reads_are_marked),
      cmocka_unit_test(test_nothing_passes_a_slow_path),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
