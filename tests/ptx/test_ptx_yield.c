/* Which loops an assembler lets other lanes run in: those that are left by what other threads write. What is expected here is
 * what NVIDIA's assembler does with the same loops. And which plain loads are looks at what other threads do. */
#include "ptx_test.h"

#include "ptx/ptx_calm.h"

/* The lines of the body that are marked are these: "2 5". */
static void expect_marks(const char *body, const char *lines, bool looks) {
  char text[4096], got[256] = "";
  snprintf(text, sizeof text, "%s%s\nret;\n}\n", HEAD ".visible .entry k(.param .u64 a, .param .u32 n) {\n" REGS, body);
  struct ptx_module m = read_text(text);
  assert_null(m.funcs[0].yields);
  assert_null(m.funcs[0].looks);
  if (looks) ptx_mark_looks(&m);
  else ptx_mark_yields(&m);
  const bool *marks = looks ? m.funcs[0].looks : m.funcs[0].yields;
  for (uint32_t i = 0; marks && i < m.funcs[0].n_insts; i++)
    if (marks[i]) snprintf(got + strlen(got), sizeof got - strlen(got), "%s%u", got[0] ? " " : "", m.funcs[0].insts[i].line - 5);
  if (strcmp(got, lines)) fail_msg("'%s' instead of '%s' in\n%s", got, lines, body);
  ptx_free(&m);
}

/* Branches that let others run. */
static void expect(const char *body, const char *lines) { expect_marks(body, lines, false); }

static void test_plain_loads_that_only_another_thread_changes_are_looks(void **state) {
  (void)state;
  expect_marks("L: ld.global.u32 %r1, [%rd1];\nmembar.gl;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;", "1", true);
  expect_marks("L: ld.u32 %r1, [%rd1];\nmembar.gl;\nadd.u32 %r2, %r2, 1;\nsetp.eq.u32 %p1, %r1, 0;\n@!%p1 bra X;\n"
               "setp.lt.u32 %p2, %r2, 99;\n@%p2 bra L;\nX: mov.u32 %r3, 1;",
               "1", true);
  expect_marks("L: ld.shared.u32 %r1, [%r9];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;", "1", true);
}

static void test_loads_of_loops_that_get_somewhere_are_not(void **state) {
  (void)state;
  expect_marks("ld.global.u32 %r1, [%rd1];", "", true);
  /* A list, an array, a bound that is read again because the loop writes, a value that decides nothing, a guarded load, local memory. */
  expect_marks("L: ld.global.u64 %rd1, [%rd1];\nsetp.ne.u64 %p1, %rd1, 0;\n@%p1 bra L;", "", true);
  expect_marks("L: ld.global.u32 %r1, [%rd1];\nadd.u64 %rd1, %rd1, 4;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;", "", true);
  expect_marks("L: st.global.u32 [%rd2], %r3;\nadd.u64 %rd2, %rd2, 4;\nadd.u32 %r3, %r3, 1;\nld.global.u32 %r1, [%rd1];\n"
               "setp.lt.u32 %p1, %r3, %r1;\n@%p1 bra L;",
               "", true);
  expect_marks("L: ld.global.u32 %r1, [%rd1];\nadd.u32 %r2, %r2, %r1;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 9;\n@%p1 bra L;", "",
               true);
  expect_marks("L: @%p2 ld.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;", "", true);
  expect_marks("L: ld.local.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;", "", true);
  /* Strong loads are known without the loop. */
  expect_marks("L: ld.volatile.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;", "", true);
}

static void test_locks_yield(void **state) {
  (void)state;
  expect("L: atom.global.cas.b32 %r1, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\nadd.u32 %r2, %r2, 1;", "3");
  expect("L: atom.shared.cas.b32 %r1, [%r9], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;", "3");
  /* With a flag: the branch round the critical section closes no loop. */
  expect("L: atom.global.cas.b32 %r1, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra N;\natom.global.exch.b32 %r2, [%rd1], 0;\n"
         "N: @%p1 bra L;",
         "5");
}

static void test_waits_for_a_value_yield_whatever_strong_load_reads_it(void **state) {
  (void)state;
  static const char *const loads[] = {"ld.volatile.global.u32", "ld.relaxed.gpu.global.u32", "ld.acquire.gpu.global.u32",
                                      "ld.global.cg.u32",       "ld.global.cv.u32",          "ld.volatile.shared.u32"};
  for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
    char body[256];
    snprintf(body, sizeof body, "L: %s %%r1, [%%rd1];\nsetp.eq.u32 %%p1, %%r1, 0;\n@%%p1 bra L;", loads[i]);
    expect(body, "3");
  }
  expect("L: mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0;\n@!%p1 bra L;", "2");
}

static void test_loops_that_no_other_thread_ends_do_not(void **state) {
  (void)state;
  expect("L: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, %r2;\n@%p1 bra L;", "");
  /* Lanes of a warp write until what they wrote stays: the assembler yields, which lets nobody pass. */
  expect("L: ld.volatile.shared.u32 %r1, [%r9];\nadd.u32 %r2, %r1, %r8;\nst.volatile.shared.u32 [%r9], %r2;\n"
         "ld.volatile.shared.u32 %r3, [%r9];\nsetp.ne.u32 %p1, %r3, %r2;\n@%p1 bra L;", "");
  /* A list walked by plain loads, a sum of volatile ones, atomics on every element: counted, or not seen by others. */
  expect("L: ld.global.u64 %rd1, [%rd1];\nsetp.ne.u64 %p1, %rd1, 0;\n@%p1 bra L;", "");
  expect("L: ld.volatile.global.u32 %r1, [%rd1];\nadd.u32 %r2, %r2, %r1;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, %r4;\n@%p1 bra L;",
         "");
  expect("L: atom.global.add.u32 %r1, [%rd1], 1;\nadd.u32 %r2, %r2, %r1;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, %r4;\n@%p1 bra L;",
         "");
  /* A lock that is tried once a turn. */
  expect("L: atom.global.cas.b32 %r1, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra N;\natom.global.exch.b32 %r2, [%rd1], 0;\n"
         "N: add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p2, %r3, %r4;\n@%p2 bra L;",
         "");
}

static void test_of_nested_loops_the_one_that_waits_yields(void **state) {
  (void)state;
  expect("O: add.u32 %r3, %r3, 1;\nL: atom.global.cas.b32 %r1, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\n"
         "atom.global.exch.b32 %r2, [%rd1], 0;\nsetp.lt.u32 %p2, %r3, %r4;\n@%p2 bra O;",
         "4");
  /* A loop that counts inside one that waits. */
  expect("O: atom.global.cas.b32 %r1, [%rd1], 0, 1;\nmov.u32 %r3, 0;\nL: add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p2, %r3, 100;\n@%p2 bra L;\n"
         "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra O;",
         "7");
}

static void test_every_way_out_counts_and_every_dependence_by_registers(void **state) {
  (void)state;
  /* Left in the middle, or by exit; the branch that closes the loop is then an unconditional one. */
  expect("L: ld.volatile.global.u32 %r1, [%rd1];\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra X;\nadd.u32 %r2, %r2, 1;\nbra L;\n"
         "X: mov.u32 %r3, 1;",
         "5");
  expect("L: ld.volatile.global.u32 %r1, [%rd1];\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 exit;\nbra L;", "4");
  /* What came in one turn decides in the next, after a detour. */
  expect("L: setp.gt.u32 %p1, %r3, 1000;\n@%p1 bra X;\natom.global.add.u32 %r1, [%rd1], 1;\nshl.b32 %r2, %r1, 1;\n"
         "add.u32 %r3, %r2, 5;\nbra L;\nX: mov.u32 %r4, 1;",
         "6");
}

/* The lines whose accesses are volatile afterwards, of a kernel or of a function that kernels call. */
static void expect_volatile(const char *head, const char *body, const char *lines) {
  char text[4096], got[256] = "";
  snprintf(text, sizeof text, "%s%s%s\nret;\n}\n", HEAD, head, body);
  struct ptx_module m = read_text(text);
  ptx_calm_volatiles(&m);
  const struct ptx_func *f = &m.funcs[m.n_funcs - 1];
  for (uint32_t i = 0; i < f->n_insts; i++)
    if (ptx_has(&f->insts[i], PTX_M_volatile))
      snprintf(got + strlen(got), sizeof got - strlen(got), "%s%u", got[0] ? " " : "", f->insts[i].line - f->insts[0].line + 1);
  if (strcmp(got, lines)) fail_msg("'%s' instead of '%s' in\n%s", got, lines, body);
  ptx_free(&m);
}

static void test_volatile_accesses_by_which_nobody_waits_become_plain(void **state) {
  static const char *const kernel = ".visible .entry k(.param .u64 a, .param .u32 n) {\n" REGS, *const called = ".func f() {\n" REGS;
  (void)state;
  expect_volatile(kernel, "ld.volatile.shared.u32 %r1, [%r9];\nst.volatile.shared.u32 [%r9], %r1;", "");
  /* A loop that counts and writes; one in which a thread may wait by what no register shows; one that waits and writes. */
  expect_volatile(kernel, "L: ld.volatile.shared.u32 %r1, [%r9];\nst.volatile.shared.u32 [%r9], %r1;\nadd.u32 %r3, %r3, 1;\n"
                          "setp.lt.u32 %p1, %r3, 9;\n@%p1 bra L;", "");
  expect_volatile(kernel, "L: ld.volatile.shared.u32 %r1, [%r9];\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 9;\n@%p1 bra L;", "1");
  expect_volatile(kernel, "L: ld.volatile.global.u32 %r1, [%rd1];\nst.volatile.global.u32 [%rd2], %r1;\nsetp.eq.u32 %p1, %r1, 0;\n"
                          "@%p1 bra L;\nld.volatile.global.u32 %r2, [%rd1];", "1");
  expect_volatile(called, "ld.volatile.shared.u32 %r1, [%r9];", "1");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_locks_yield),
      cmocka_unit_test(test_waits_for_a_value_yield_whatever_strong_load_reads_it),
      cmocka_unit_test(test_loops_that_no_other_thread_ends_do_not),
      cmocka_unit_test(test_of_nested_loops_the_one_that_waits_yields),
      cmocka_unit_test(test_every_way_out_counts_and_every_dependence_by_registers),
      cmocka_unit_test(test_plain_loads_that_only_another_thread_changes_are_looks),
      cmocka_unit_test(test_loads_of_loops_that_get_somewhere_are_not),
      cmocka_unit_test(test_volatile_accesses_by_which_nobody_waits_become_plain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
