/* The order of an assembler: what moves, what must not, and that no two instructions that depend on each other change
 * places, in the PTX of every workload and of the corpus. */
#include "ptx_test.h"

#include <glob.h>

/* ---- small bodies ----------------------------------------------------------------------------------------------------- */

/* The lines of the body in their new order, "2 1 3". */
static void expect(const char *body, const char *order) {
  char text[4096], got[256] = "";
  snprintf(text, sizeof text, "%s%s\nret;\n}\n", HEAD ".visible .entry k(.param .u64 a, .param .u32 n) {\n" REGS, body);
  struct ptx_module m = read_text(text);
  uint32_t needed = m.funcs[0].regs_needed;
  ptx_order_blocks(&m, false);
  assert_int_equal(m.funcs[0].regs_needed, needed);
  for (uint32_t i = 0; i + 1 < m.funcs[0].n_insts; i++)
    snprintf(got + strlen(got), sizeof got - strlen(got), "%s%u", i ? " " : "", m.funcs[0].insts[i].line - 5);
  assert_string_equal(got, order);
  ptx_free(&m);
}

static void test_loads_go_before_uses_of_earlier_ones(void **state) {
  (void)state;
  expect("ld.global.f32 %f1, [%rd1];\nadd.f32 %f0, %f0, %f1;\nld.global.f32 %f2, [%rd1+4];\nadd.f32 %f0, %f0, %f2;", "1 3 2 4");
}

/* Six results of four registers go ahead, then one for each that is used. */
static void test_loads_go_ahead_while_their_results_have_registers(void **state) {
  (void)state;
  char body[2048] = "";
  for (unsigned i = 0; i < 8; i++)
    snprintf(body + strlen(body), sizeof body - strlen(body),
             "ld.global.v4.f32 {%%f%u, %%f%u, %%f%u, %%f%u}, [%%rd1+%u];\nadd.f32 %%f0, %%f0, %%f%u;\n", 4 * i + 1, 4 * i + 2, 4 * i + 3,
             4 * i + 4, 16 * i, 4 * i + 1);
  expect(body, "1 3 5 7 9 11 2 13 4 15 6 8 10 12 14 16");
}

/* Loads of a space in front of the first addition of floating-point numbers, in lowered code. */
static unsigned loads_ahead(const char *bounds, const char *body, enum ptx_space space) {
  char text[16384];
  unsigned n = 0;
  snprintf(text, sizeof text, "%s.visible .entry k(.param .u64 a)%s {\n%s.shared .b8 sh[4096];\n%s\nret;\n}\n", HEAD, bounds, REGS, body);
  struct ptx_module m = read_text(text);
  ptx_lower(&m);
  ptx_order_blocks(&m, true);
  for (uint32_t i = 0; i < m.funcs[0].n_insts; i++) {
    const struct ptx_inst *in = &m.funcs[0].insts[i];
    if (in->op == PTX_OP_add && in->types[0] == PTX_F32) break;
    n += in->op == PTX_OP_ld && in->space == space;
  }
  ptx_free(&m);
  return n;
}

/* 32 registers without launch bounds, two of which are the address's, one a sum's, one nobody's; those of six CTAs an SM of which the
 * threads are known; those of as many CTAs as are asked for; as many as are allowed. */
static void test_launch_bounds_say_how_far_loads_go_ahead(void **state) {
  (void)state;
  static const struct {
    const char *bounds;
    unsigned loads;
  } cases[] = {{"", 28}, {".maxntid 1024, 1, 1", 28}, {".maxntid 256, 1, 1", 36}, {".maxntid 16, 8, 1", 76},
               {".maxntid 256, 1, 1 .minnctapersm 4", 60}, {".maxntid 256, 1, 1 .minnctapersm 8", 28}, {".maxnreg 20", 16}};
  char body[16384] = "mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; ld.param.u64 %rd1, [a]; add.s64 %rd3, %rd1, %rd2;\n"
                     "cvt.rn.f32.u32 %f0, %r1; bar.sync 0;\n";
  for (unsigned i = 1; i <= 90; i++)
    snprintf(body + strlen(body), sizeof body - strlen(body), "ld.global.f32 %%f%u, [%%rd3+%u];\nadd.f32 %%f0, %%f0, %%f%u;\n", i, 4 * i,
             i);
  strcat(body, "bar.sync 0; st.global.f32 [%rd3], %f0;\n");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_int_equal(loads_ahead(cases[i].bounds, body, PTX_GLOBAL), cases[i].loads);
}

/* A loop behind the loads has 64 values: with the address, the sum and the thread they are 68 registers, and 79 are the next limit that
 * leaves five. */
static void test_what_one_block_needs_is_there_for_the_loads_of_all(void **state) {
  (void)state;
  char body[16384] = "mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; ld.param.u64 %rd1, [a]; add.s64 %rd3, %rd1, %rd2;\n"
                     "cvt.rn.f32.u32 %f0, %r1; bar.sync 0;\n";
  char *at = body + strlen(body);
  for (unsigned i = 1; i <= 90; i++) at += sprintf(at, "ld.global.f32 %%f%u, [%%rd3+%u];\nadd.f32 %%f0, %%f0, %%f%u;\n", i, 4 * i, i);
  at += sprintf(at, "bar.sync 0;\n");
  for (unsigned i = 2; i < 66; i++) at += sprintf(at, "mul.lo.u32 %%r%u, %%r1, %u;\n", i, 3 * i + 1);
  at += sprintf(at, "LOOP:\n");
  for (unsigned i = 2; i < 66; i++) at += sprintf(at, "mad.lo.u32 %%r%u, %%r%u, %%r%u, %%r1;\n", i, i, i < 65 ? i + 1 : 2);
  at += sprintf(at, "setp.ne.u32 %%p1, %%r2, 77;\n@%%p1 bra LOOP;\n");
  for (unsigned i = 2; i < 66; i++) at += sprintf(at, "st.global.u32 [%%rd3+%u], %%r%u;\n", 4 * i, i);
  sprintf(at, "st.global.f32 [%%rd3], %%f0;\n");
  assert_int_equal(loads_ahead("", body, PTX_GLOBAL), 75);
  assert_int_equal(loads_ahead(".maxnreg 32", body, PTX_GLOBAL), 27);
}

/* Twelve words of shared memory are on their way at most, and a load of device memory passes any number of them. */
static void test_loads_of_device_memory_pass_those_of_shared_memory(void **state) {
  (void)state;
  char body[8192] = "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r4, sh; add.s32 %r3, %r4, %r2;\nbar.sync 0;\n";
  for (unsigned i = 1; i <= 40; i++)
    snprintf(body + strlen(body), sizeof body - strlen(body), "ld.shared.f32 %%f%u, [%%r3+%u];\nadd.f32 %%f0, %%f0, %%f%u;\n", i, 64 * i,
             i);
  strcat(body, "ld.global.f32 %f50, [%rd1]; add.f32 %f0, %f0, %f50; st.global.f32 [%rd1], %f0;\n");
  assert_int_equal(loads_ahead("", body, PTX_SHARED), 12);
  assert_int_equal(loads_ahead("", body, PTX_GLOBAL), 1);
}

/* Shuffles are no borders in lowered code. */
static void test_loads_pass_shuffles(void **state) {
  (void)state;
  assert_int_equal(loads_ahead("", "ld.shared.f32 %f1, [sh]; shfl.sync.bfly.b32 %f2, %f1, 1, 31, -1; add.f32 %f3, %f1, %f2;\n"
                               "ld.shared.f32 %f4, [sh+64]; add.f32 %f3, %f3, %f4; st.shared.f32 [sh], %f3;\n", PTX_SHARED), 2);
}

/* Other bytes beside the same register are other memory; beside one that was written in between, or another, they may be the same. */
static void test_loads_pass_stores_to_other_bytes_beside_the_same_register(void **state) {
  (void)state;
  static const struct {
    const char *store, *between, *load;
    unsigned ahead;
  } cases[] = {{"[%rd1]", "", "[%rd1+4]", 2},
               {"[%rd1+4]", "", "[%rd1+2]", 1},
               {"[%rd1]", "add.s64 %rd2, %rd1, 8;", "[%rd2+-8]", 1},
               {"[%rd1]", "add.s64 %rd2, %rd1, 8;", "[%rd2+-4]", 2},
               {"[%rd1]", "add.s64 %rd1, %rd1, %rd3;", "[%rd1+4]", 1},
               {"[%rd1]", "", "[%rd2+4]", 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char body[512];
    snprintf(body, sizeof body, "ld.global.f32 %%f1, [%%rd1]; add.f32 %%f3, %%f1, %%f1; st.global.f32 %s, %%f3;\n"
             "%s ld.global.f32 %%f2, %s;\nadd.f32 %%f4, %%f2, %%f3; st.global.f32 [%%rd4], %%f4;\n",
             cases[i].store, cases[i].between, cases[i].load);
    assert_int_equal(loads_ahead("", body, PTX_GLOBAL), cases[i].ahead);
  }
}

/* Each load has a guard of its own, which what uses its result needs too: seven of ten go ahead. Guards that only loads need, and
 * predicates of shuffles that nobody reads, hold up nothing. */
static void test_a_machine_has_seven_predicates(void **state) {
  (void)state;
  char both[4096] = ".reg .pred %g<30>; mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [a];\nbar.sync 0;\n", loads[4096], unread[4096];
  strcpy(loads, both);
  strcpy(unread, both);
  for (unsigned i = 1; i <= 10; i++) {
    snprintf(both + strlen(both), sizeof both - strlen(both),
             "setp.gt.u32 %%g%u, %%r1, %u;\n@%%g%u ld.global.f32 %%f%u, [%%rd1+%u];\n@%%g%u add.f32 %%f0, %%f0, %%f%u;\n", i, i, i, i,
             4 * i, i, i);
    snprintf(loads + strlen(loads), sizeof loads - strlen(loads),
             "setp.gt.u32 %%g%u, %%r1, %u;\n@%%g%u ld.global.f32 %%f%u, [%%rd1+%u];\nadd.f32 %%f0, %%f0, %%f%u;\n", i, i, i, i, 4 * i, i);
    snprintf(unread + strlen(unread), sizeof unread - strlen(unread),
             "shfl.sync.bfly.b32 %%r%u|%%g%u, %%r1, %u, 31, -1;\nld.global.f32 %%f%u, [%%rd1+%u];\nadd.f32 %%f0, %%f0, %%f%u;\n", i + 1, i,
             i, i, 4 * i, i);
  }
  const char end[] = "st.global.f32 [%rd1], %f0;\n";
  assert_int_equal(loads_ahead("", strcat(both, end), PTX_GLOBAL), 7);
  assert_int_equal(loads_ahead("", strcat(loads, end), PTX_GLOBAL), 10);
  assert_int_equal(loads_ahead("", strcat(unread, end), PTX_GLOBAL), 10);
}

/* In lowered code, addresses that need each other: uses are no filler between the loads. */
static void test_uses_come_behind_all_loads_that_fit(void **state) {
  (void)state;
  char body[2048] = "", text[4096];
  for (unsigned i = 1; i <= 12; i++)
    snprintf(body + strlen(body), sizeof body - strlen(body),
             "ld.global.f32 %%f%u, [%%rd1];\nadd.f32 %%f0, %%f0, %%f%u;\nadd.u64 %%rd1, %%rd1, %%rd2;\n", i, i);
  for (unsigned lowered = 0; lowered < 2; lowered++) {
    snprintf(text, sizeof text, "%s%s\nst.global.f32 [%%rd3], %%f0;\nret;\n}\n",
             HEAD ".visible .entry k(.param .u64 a, .param .u32 n) {\n" REGS, body);
    struct ptx_module m = read_text(text);
    if (lowered) ptx_lower(&m);
    ptx_order_blocks(&m, lowered);
    uint32_t last_load = 0, first_use = UINT32_MAX;
    for (uint32_t i = 0; i < m.funcs[0].n_insts; i++) {
      const struct ptx_inst *in = &m.funcs[0].insts[i];
      if (in->op == PTX_OP_ld) last_load = i;
      if (in->op == PTX_OP_add && in->types[0] == PTX_F32 && first_use == UINT32_MAX) first_use = i;
    }
    assert_int_equal(first_use > last_load, lowered);
    ptx_free(&m);
  }
}

static void test_what_makes_an_address_goes_with_it(void **state) {
  (void)state;
  expect("ld.global.f32 %f1, [%rd1];\nst.shared.f32 [%r1], %f1;\nadd.u64 %rd1, %rd1, 64;\nld.global.f32 %f2, [%rd1];\n"
         "st.shared.f32 [%r1+4], %f2;",
         "1 3 4 2 5");
}

static void test_a_register_that_is_still_read_is_not_overwritten(void **state) {
  (void)state;
  expect("ld.global.f32 %f1, [%rd1];\nadd.f32 %f0, %f0, %f1;\nld.global.f32 %f1, [%rd1+4];\nadd.f32 %f0, %f0, %f1;", "1 2 3 4");
}

static void test_memory_that_may_be_the_same_keeps_its_order(void **state) {
  (void)state;
  expect("mul.f32 %f0, %f0, %f0;\nst.global.f32 [%rd1], %f0;\nld.global.f32 %f1, [%rd2];", "1 2 3");
  expect("mul.f32 %f0, %f0, %f0;\nst.f32 [%rd1], %f0;\nld.shared.f32 %f1, [%r1];", "1 2 3");
  expect("mul.f32 %f0, %f0, %f0;\nst.shared.f32 [%r1], %f0;\nld.global.f32 %f1, [%rd2];", "3 1 2");
  expect("mul.f32 %f0, %f0, %f0;\nst.global.f32 [%rd1], %f0;\nld.global.nc.f32 %f1, [%rd2];", "3 1 2");
  expect("ld.global.f32 %f1, [%rd2];\nst.global.f32 [%rd1], %f0;\nmul.f32 %f2, %f1, %f1;", "1 2 3");
}

static void test_nothing_passes_what_orders_threads_or_time(void **state) {
  (void)state;
  static const char *const fixed[] = {"bar.sync 0;", "membar.gl;", "atom.global.add.u32 %r3, [%rd3], 1;", "mov.u64 %rd9, %clock64;",
                                      "ld.volatile.global.u32 %r4, [%rd3];", "shfl.sync.idx.b32 %r5, %r6, 0, 31, -1;"};
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
    char body[256];
    snprintf(body, sizeof body, "mul.f32 %%f0, %%f0, %%f0;\n%s\nmul.f32 %%f3, %%f0, %%f0;\nld.global.f32 %%f1, [%%rd2];", fixed[i]);
    expect(body, "1 2 4 3");
  }
}

static void test_textures_and_matrices_move_as_loads_and_arithmetic_do(void **state) {
  (void)state;
  expect("tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}];\nadd.f32 %f0, %f0, %f1;\n"
         "tex.1d.v4.f32.s32 {%f5, %f6, %f7, %f8}, [%rd1, {%r2}];\nadd.f32 %f0, %f0, %f5;",
         "1 3 2 4");
  expect("mul.f32 %f0, %f0, %f0;\nst.global.f32 [%rd2], %f0;\ntex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}];", "1 2 3");
  expect("mul.f32 %f0, %f0, %f0;\nst.shared.f32 [%r2], %f0;\ntex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}];", "3 1 2");
  expect("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3}, {%f1, %f2, %f3, %f4};\n"
         "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r5, %r6}, [%r7];",
         "2 1");
  expect("st.shared.u32 [%r8], %r1;\nldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r5, %r6}, [%r7];", "1 2");
}

static void test_a_guard_is_read(void **state) {
  (void)state;
  expect("mul.f32 %f0, %f0, %f0;\nsetp.gt.f32 %p1, %f3, %f4;\n@%p1 ld.global.f32 %f1, [%rd1];", "2 1 3");
}

static void test_what_would_wait_for_a_result_gives_way(void **state) {
  (void)state;
  expect("mul.f32 %f0, %f1, %f1;\nadd.f32 %f2, %f0, %f1;\nmul.f32 %f3, %f1, %f4;\nadd.f32 %f5, %f3, %f1;", "1 3 2 4");
}

static void test_the_condition_of_a_branch_goes_first(void **state) {
  (void)state;
  expect("mul.f32 %f0, %f1, %f1;\nmul.f32 %f2, %f1, %f3;\nsetp.gt.u32 %p1, %r1, %r2;\n@%p1 bra END;\nmul.f32 %f4, %f1, %f1;\nEND:",
         "3 1 2 4 5");
}

static void test_carries_stay_together(void **state) {
  (void)state;
  expect("add.cc.u32 %r1, %r2, %r3;\naddc.u32 %r4, %r5, %r6;\nadd.cc.u32 %r7, %r2, %r3;\naddc.u32 %r8, %r5, %r6;\ncvt.u64.u32 %rd1, %r8;\n"
         "ld.global.f32 %f1, [%rd1];",
         "1 2 3 4 5 6");
}

/* ---- everything there is ---------------------------------------------------------------------------------------------- */

static bool overlap(const int32_t *a, uint32_t n_a, const int32_t *b, uint32_t n_b) {
  for (uint32_t i = 0; i < n_a; i++)
    for (uint32_t k = 0; k < n_b; k++)
      if (a[i] == b[k]) return true;
  return false;
}

static bool loads(const struct ptx_inst *in) { return in->op == PTX_OP_ld || in->op == PTX_OP_ldmatrix || in->op == PTX_OP_tex; }

static bool depends(const struct ptx_func *f, const struct ptx_inst *a, const struct ptx_inst *b) {
  struct ptx_touched s, t;
  ptx_touches(f, a, &s);
  ptx_touches(f, b, &t);
  if (overlap(s.writes, s.n_writes, t.reads, t.n_reads) || overlap(s.reads, s.n_reads, t.writes, t.n_writes) ||
      overlap(s.writes, s.n_writes, t.writes, t.n_writes))
    return true;
  if (a->op == PTX_OP_st && b->op == PTX_OP_st) return true;
  bool a_load = loads(a), b_load = loads(b), a_store = a->op == PTX_OP_st, b_store = b->op == PTX_OP_st;
  const struct ptx_inst *load = a_load ? a : b;
  if (!((a_load && b_store) || (a_store && b_load)) || ptx_has(load, PTX_M_nc) || load->space == PTX_CONST) return false;
  if (load->op == PTX_OP_tex) return (load == a ? b : a)->space == PTX_GLOBAL || (load == a ? b : a)->space == PTX_GENERIC;
  return a->space == b->space || a->space == PTX_GENERIC || b->space == PTX_GENERIC;
}

static uint32_t where(const struct ptx_func *f, const struct ptx_block *b, const struct ptx_inst *in) {
  for (uint32_t i = b->first; i < b->end; i++)
    if (f->insts[i].line == in->line && f->insts[i].col == in->col) return i;
  fail_msg("line %u is not in its block any more", in->line);
  return 0;
}

/* Blocks longer than this are looked at in part. */
enum { LOOK = 300 };

static unsigned check_function(const struct ptx_func *old, const struct ptx_func *new, const char *file) {
  unsigned moved = 0;
  for (uint32_t b = 0; b < old->n_blocks; b++) {
    const struct ptx_block *k = &old->blocks[b];
    uint32_t end = k->end - k->first > LOOK ? k->first + LOOK : k->end;
    for (uint32_t i = k->first; i < end; i++) {
      uint32_t at = where(new, k, &old->insts[i]);
      moved += at != i;
      for (uint32_t j = k->first; j < i; j++)
        if (where(new, k, &old->insts[j]) > at && depends(old, &old->insts[j], &old->insts[i]))
          fail_msg("%s: line %u passed line %u", file, old->insts[i].line, old->insts[j].line);
    }
  }
  return moved;
}

static unsigned check_file(const char *path) {
  struct ptx_module old, new;
  struct err e = {0};
  FILE *f = fopen(path, "rb");
  char *text = malloc(1 << 22);
  size_t n = fread(text, 1, 1 << 22, f);
  unsigned moved = 0;
  fclose(f);
  bool ok = ptx_read(&old, path, text, n, &e);
  if (ok && ptx_read(&new, path, text, n, &e)) {
    ptx_order_blocks(&new, false);
    for (uint32_t i = 0; i < old.n_funcs; i++) moved += check_function(&old.funcs[i], &new.funcs[i], path);
    ptx_free(&new);
  }
  ptx_free(&old);
  free(text);
  return moved;
}

static void test_no_dependence_is_turned_round_in_any_ptx_there_is(void **state) {
  (void)state;
  glob_t g;
  unsigned moved = 0;
  assert_int_equal(glob(PTX_TEST_CORPUS "/*.ptx", 0, NULL, &g), 0);
  assert_int_equal(glob(PTX_TEST_DATA "/../../../workloads/*/*.ptx", GLOB_APPEND, NULL, &g), 0);
  assert_true(g.gl_pathc > 50);
  for (size_t i = 0; i < g.gl_pathc; i++) moved += check_file(g.gl_pathv[i]);
  assert_true(moved > 1000);
  globfree(&g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_loads_go_before_uses_of_earlier_ones),
      cmocka_unit_test(test_loads_go_ahead_while_their_results_have_registers),
      cmocka_unit_test(test_what_makes_an_address_goes_with_it),
      cmocka_unit_test(test_a_register_that_is_still_read_is_not_overwritten),
      cmocka_unit_test(test_memory_that_may_be_the_same_keeps_its_order),
      cmocka_unit_test(test_nothing_passes_what_orders_threads_or_time),
      cmocka_unit_test(test_textures_and_matrices_move_as_loads_and_arithmetic_do),
      cmocka_unit_test(test_a_guard_is_read),
      cmocka_unit_test(test_what_would_wait_for_a_result_gives_way),
      cmocka_unit_test(test_the_condition_of_a_branch_goes_first),
      cmocka_unit_test(test_carries_stay_together),
      cmocka_unit_test(test_uses_come_behind_all_loads_that_fit),
      cmocka_unit_test(test_launch_bounds_say_how_far_loads_go_ahead),
      cmocka_unit_test(test_what_one_block_needs_is_there_for_the_loads_of_all),
      cmocka_unit_test(test_loads_of_device_memory_pass_those_of_shared_memory),
      cmocka_unit_test(test_loads_pass_shuffles),
      cmocka_unit_test(test_a_machine_has_seven_predicates),
      cmocka_unit_test(test_loads_pass_stores_to_other_bytes_beside_the_same_register),
      cmocka_unit_test(test_no_dependence_is_turned_round_in_any_ptx_there_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
