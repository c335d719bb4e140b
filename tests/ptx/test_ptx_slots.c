/* The dense register assignment: threads that walk random programs must read from slots what they would have
 * read from registers of their own; and the number of registers needed is the exact maximum of liveness. */
#include "base/rng.h"
#include "ptx_test.h"

#include <time.h>

/* ---- walking ------------------------------------------------------------------------------------------- */

struct walker {
  const struct ptx_func *f;
  struct rng *r;
  uint64_t *values; /* what each register holds, if every one had a place of its own */
  bool *written;
  uint64_t *slots[PTX_CLASSES]; /* what the shared places hold */
  uint64_t next;
};

static uint64_t *place(struct walker *w, int32_t reg) {
  return &w->slots[ptx_reg_class((enum ptx_type)w->f->regs[reg].type)][w->f->regs[reg].slot];
}

/* Results go to slots one at a time while operands of instructions with several results are still being read.
 */
static void step(struct walker *w, const struct ptx_inst *in, bool taken, const char *text) {
  struct ptx_touched t;
  ptx_touches(w->f, in, &t);
  for (uint32_t i = 0; i < t.n_writes && taken; i++) {
    if (i == 0 && t.n_writes == 1) break;
    for (uint32_t k = 0; k < t.n_reads; k++)
      if (place(w, t.writes[i]) == place(w, t.reads[k]) && t.writes[i] != t.reads[k])
        fail_msg("line %u: a result overwrites an operand\n%s", in->line, text);
  }
  for (uint32_t k = 0; k < t.n_reads; k++)
    if (w->written[t.reads[k]] && *place(w, t.reads[k]) != w->values[t.reads[k]])
      fail_msg("line %u: register %s lost its value\n%s", in->line, w->f->regs[t.reads[k]].name, text);
  for (uint32_t i = 0; i < t.n_writes && taken; i++) {
    w->values[t.writes[i]] = *place(w, t.writes[i]) = ++w->next;
    w->written[t.writes[i]] = true;
  }
}

/* Follows one thread for a while, guards and branches decided by chance. */
static void walk(struct walker *w, const char *text) {
  uint32_t pc = 0;
  for (int steps = 0; steps < 400 && pc < w->f->n_insts; steps++) {
    const struct ptx_inst *in = &w->f->insts[pc];
    bool taken = !in->guarded || rng_below(w->r, 2);
    step(w, in, taken, text);
    pc++;
    if (!taken) continue;
    if (in->op == PTX_OP_bra) pc = (uint32_t)in->ops[0].sym;
    if (in->op == PTX_OP_ret) return;
  }
}

static void walk_many(const struct ptx_func *f, struct rng *r, const char *text) {
  struct walker w = {.f = f, .r = r};
  w.values = malloc((f->n_regs + 1) * sizeof *w.values);
  w.written = malloc(f->n_regs + 1);
  for (int c = 0; c < PTX_CLASSES; c++) w.slots[c] = calloc(f->slots[c] + 1, sizeof *w.slots[c]);
  for (int i = 0; i < 12; i++) {
    memset(w.written, 0, f->n_regs + 1);
    walk(&w, text);
  }
  for (int c = 0; c < PTX_CLASSES; c++) free(w.slots[c]);
  free(w.values);
  free(w.written);
}

/* ---- random programs ----------------------------------------------------------------------------------- */

static void random_instruction(struct rng *r, struct str *text, uint32_t n, uint32_t regs, bool straight) {
  unsigned a = (unsigned)rng_below(r, regs), b = (unsigned)rng_below(r, regs),
           c = (unsigned)rng_below(r, regs);
  uint64_t which = rng_below(r, 10);
  bool leaves =
      which == 5 || which == 7; /* with `straight`, never for sure, so that everything is reachable */
  if ((straight && leaves) || rng_below(r, 4) == 0)
    str_add(text, "@%s%%p%u ", rng_below(r, 2) ? "!" : "", c % 4);
  switch (which) {
  case 0: str_add(text, "setp.lt.s32 %%p%u, %%r%u, %%r%u;\n", a % 4, b, c); break;
  case 1: str_add(text, "setp.lt.s32 %%p%u|%%p%u, %%r%u, 5;\n", a % 4, (a + 1) % 4, b); break;
  case 2: str_add(text, "mul.wide.u32 %%rd%u, %%r%u, %%r%u;\n", a, b, c); break;
  case 3: str_add(text, "ld.global.v2.u32 {%%r%u, %%r%u}, [%%rd%u];\n", a, (a + 1) % regs, b); break;
  case 4: str_add(text, "st.global.u32 [%%rd%u], %%r%u;\n", a, b); break;
  case 5: str_add(text, "bra L%u;\n", (unsigned)rng_below(r, n)); break;
  case 6: str_add(text, "mov.b64 {%%r%u, %%r%u}, %%rd%u;\n", a, (a + 1) % regs, c); break;
  case 7: str_add(text, rng_below(r, 6) ? "cvt.u32.u64 %%r%u, %%rd%u;\n" : "ret;\n", a, b); break;
  default: str_add(text, "add.s32 %%r%u, %%r%u, %%r%u;\n", a, b, c);
  }
}

static void random_program(struct rng *r, struct str *text, uint32_t n, uint32_t regs, bool initialised) {
  str_add(text, "%s", HEAD ".entry k {\n.reg .pred %p<4>; .reg .b32 %r<40>; .reg .b64 %rd<40>;\n");
  for (uint32_t i = 0; initialised && i < regs; i++)
    str_add(text, "mov.u32 %%r%u, %u; mov.u64 %%rd%u, 1;%s", i, i, i, i < 4 ? "" : "\n");
  for (uint32_t i = 0; initialised && i < 4; i++) str_add(text, "setp.eq.s32 %%p%u, %%r0, 0;\n", i);
  for (uint32_t i = 0; i < n; i++) {
    str_add(text, "L%u: ", i);
    random_instruction(r, text, n, regs, initialised);
  }
  str_add(text, "ret;\n}\n");
}

static void test_no_register_loses_its_value_in_random_programs(void **state) {
  (void)state;
  struct rng r = {777};
  for (int round = 0; round < 1500; round++) {
    struct str text = {0};
    random_program(&r, &text, (uint32_t)rng_below(&r, 60) + 2, (uint32_t)rng_below(&r, 20) + 2,
                   rng_below(&r, 2));
    struct ptx_module m = read_text(text.s);
    walk_many(func_named(&m, "k"), &r, text.s);
    ptx_free(&m);
    str_free(&text);
  }
}

static void test_no_register_loses_its_value_in_compiled_code(void **state) {
  (void)state;
  static const char *const files[] = {"kernels.ptx", "math.ptx", "control.ptx", "control_debug.ptx",
                                      "clang_debug.ptx"};
  struct rng r = {5};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    struct ptx_module m = read_file(files[i]);
    for (uint32_t k = 0; k < m.n_funcs; k++) walk_many(&m.funcs[k], &r, m.funcs[k].name);
    ptx_free(&m);
  }
}

/* ---- liveness by definition ---------------------------------------------------------------------------- */

enum { MAX_REGS = 128, MAX_INSTS = 400 };

struct sets {
  bool live[MAX_INSTS + 1][MAX_REGS];    /* before the instruction */
  bool defined[MAX_INSTS + 1][MAX_REGS]; /* before the instruction, on some path */
};

static uint32_t successors(const struct ptx_func *f, uint32_t i, uint32_t *out) {
  const struct ptx_inst *in = &f->insts[i];
  uint32_t n = 0;
  bool leaves = in->op == PTX_OP_bra || in->op == PTX_OP_ret;
  if (!leaves || in->guarded) out[n++] = i + 1;
  if (in->op == PTX_OP_bra) out[n++] = (uint32_t)in->ops[0].sym;
  return n;
}

static bool flow(const struct ptx_func *f, struct sets *s, uint32_t i) {
  struct ptx_touched t;
  uint32_t succ[2], n = successors(f, i, succ);
  bool changed = false;
  ptx_touches(f, &f->insts[i], &t);
  for (uint32_t g = 0; g < f->n_regs; g++) {
    bool read = false, write = false, out = false;
    for (uint32_t k = 0; k < t.n_reads; k++) read |= t.reads[k] == (int32_t)g;
    for (uint32_t k = 0; k < t.n_writes; k++) write |= t.writes[k] == (int32_t)g;
    for (uint32_t k = 0; k < n; k++) {
      out |= s->live[succ[k]][g];
      if ((write || s->defined[i][g]) && !s->defined[succ[k]][g]) changed = s->defined[succ[k]][g] = true;
    }
    bool in = read || (out && !(write && !f->insts[i].guarded));
    if (in && !s->live[i][g]) changed = s->live[i][g] = true;
  }
  return changed;
}

static uint32_t units(const struct ptx_func *f, uint32_t g) {
  return f->regs[g].type == PTX_PRED ? 0 : ptx_type_bits((enum ptx_type)f->regs[g].type) / 32;
}

/* The most units needed at once: before an instruction, and after it with what it writes. */
static uint32_t slow_need(const struct ptx_func *f, struct sets *s, bool only_defined) {
  uint32_t most = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = f->n_insts; i-- > 0;) changed |= flow(f, s, i);
  }
  for (uint32_t i = 0; i < f->n_insts; i++) {
    struct ptx_touched t;
    uint32_t succ[2], n = successors(f, i, succ), before = 0, after = 0;
    ptx_touches(f, &f->insts[i], &t);
    for (uint32_t g = 0; g < f->n_regs; g++) {
      bool out = false;
      for (uint32_t k = 0; k < n; k++)
        out |= s->live[succ[k]][g] && (!only_defined || s->defined[succ[k]][g]);
      for (uint32_t k = 0; k < t.n_writes; k++) out |= t.writes[k] == (int32_t)g;
      if (s->live[i][g] && (!only_defined || s->defined[i][g])) before += units(f, g);
      if (out) after += units(f, g);
    }
    most = before > most ? before : most;
    most = after > most ? after : most;
  }
  return most;
}

static void test_registers_needed_are_the_exact_maximum(void **state) {
  (void)state;
  struct rng r = {99};
  struct sets *s = malloc(sizeof *s);
  for (int round = 0; round < 300; round++) {
    struct str text = {0};
    bool initialised = rng_below(&r, 2);
    random_program(&r, &text, (uint32_t)rng_below(&r, 40) + 2, (uint32_t)rng_below(&r, 12) + 2, initialised);
    struct ptx_module m = read_text(text.s);
    const struct ptx_func *f = func_named(&m, "k");
    assert_true(f->n_insts <= MAX_INSTS && f->n_regs <= MAX_REGS);
    memset(s, 0, sizeof *s);
    uint32_t least = slow_need(f, s, true);
    memset(s, 0, sizeof *s);
    uint32_t most = slow_need(f, s, false);
    if (f->regs_needed < least + 1 || f->regs_needed > most + 1 ||
        (initialised && f->regs_needed != most + 1))
      fail_msg("%u registers, not %u to %u\n%s", f->regs_needed, least + 1, most + 1, text.s);
    ptx_free(&m);
    str_free(&text);
  }
  free(s);
}

/* ---- small cases --------------------------------------------------------------------------------------- */

static void check_slots(const char *body, uint32_t r32, uint32_t r64, uint32_t pred, uint32_t needed) {
  char text[2000];
  snprintf(text, sizeof text, "%s%s%s\n}\n", HEAD ".entry k {\n", REGS, body);
  struct ptx_module m = read_text(text);
  const struct ptx_func *f = func_named(&m, "k");
  assert_int_equal(f->slots[PTX_R32], r32);
  assert_int_equal(f->slots[PTX_R64], r64);
  assert_int_equal(f->slots[PTX_RPRED], pred);
  assert_int_equal(f->regs_needed, needed);
  ptx_free(&m);
}

static void test_a_result_may_take_the_slot_of_a_dying_operand(void **state) {
  (void)state;
  check_slots("mov.u32 %r1, 1; add.s32 %r2, %r1, 1; add.s32 %r3, %r2, 1; st.global.u32 [%rd1], %r3;", 1, 1, 0,
              4);
}

static void test_several_results_do_not_take_the_slots_of_operands(void **state) {
  (void)state;
  check_slots("mov.u32 %r1, 1; ld.shared.v2.u32 {%r2, %r3}, [%r1]; st.shared.v2.u32 [%r2], {%r2, %r3};", 3, 0,
              0, 3);
}

static void test_a_result_nobody_reads_has_a_slot(void **state) {
  (void)state;
  check_slots("mov.u32 %r1, 1; mov.u32 %r2, 2; st.shared.u32 [%r1], 0;", 2, 0, 0, 3);
}

static void test_a_guarded_write_keeps_the_value_before(void **state) {
  (void)state;
  check_slots("mov.u32 %r1, 1; mov.u32 %r2, 2; @%p1 mov.u32 %r1, 3; st.shared.u32 [%r2], %r1;", 2, 0, 1, 3);
}

static void test_a_first_write_under_a_guard_starts_a_life(void **state) {
  (void)state;
  check_slots("mov.u32 %r1, 1; st.shared.u32 [%r1], 0; @%p1 mov.u32 %r2, 2; @!%p1 mov.u32 %r2, 3; "
              "st.local.u32 [0], %r2;",
              1, 0, 1, 2);
}

static void test_a_value_carried_round_a_loop_keeps_its_slot(void **state) {
  (void)state;
  check_slots("mov.u32 %r1, 0; L: add.s32 %r2, %r1, 1; mov.u32 %r3, 5; st.shared.u32 [%r3], %r3; mov.u32 "
              "%r1, %r2; @%p1 bra L;",
              3, 0, 1, 3);
}

/* An address and a value of 128 bits, and one more: two, four and four of 32 bits. */
static void test_wide_registers_need_several(void **state) {
  (void)state;
  struct ptx_module m = read_text(HEAD ".entry k { .reg .b64 a; .reg .b128 x, y; mov.u64 a, 0; ld.global.b128 x, [a];"
                                       " ld.global.b128 y, [a+16]; st.global.b128 [a], y; st.global.b128 [a+16], x; }\n");
  assert_int_equal(func_named(&m, "k")->regs_needed, 2 + 4 + 4 + 1);
  ptx_free(&m);
}

static void test_registers_never_named_have_no_slot(void **state) {
  (void)state;
  struct ptx_module m = read_text(HEAD ".entry k { .reg .b32 x, y; mov.b32 x, 0; }\n");
  const struct ptx_func *f = func_named(&m, "k");
  assert_int_equal(f->regs[0].slot, 0);
  assert_int_equal(f->regs[1].slot, -1);
  ptx_free(&m);
}

/* ---- time ---------------------------------------------------------------------------------------------- */

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A kernel as long as the largest seen in practice, with as many registers. The bound is loose: it is there
 * to notice a method that is not nearly linear, under sanitizers and on a busy machine too. */
static void test_a_kernel_of_33000_instructions_takes_little_time(void **state) {
  (void)state;
  struct rng r = {3};
  struct str text = {0};
  enum { INSTS = 33000, REGISTERS = 20000 };
  str_add(&text, "%s", HEAD ".entry k {\n.reg .pred %p<4>; .reg .b32 %r<20000>;\nmov.u32 %r0, 0;\n");
  for (unsigned i = 1; i < INSTS; i++) {
    unsigned d = i < REGISTERS ? i : (unsigned)rng_below(&r, REGISTERS), low = d > 60 ? d - 60 : 0;
    if (i % 15 == 0)
      str_add(&text, "setp.lt.s32 %%p1, %%r%u, 3; @%%p1 bra L%u;\nL%u:\n", low, (i / 15 + 1) * 15, i);
    str_add(&text, "add.s32 %%r%u, %%r%u, %%r%u;\n", d, low + (unsigned)rng_below(&r, d - low ? d - low : 1),
            low);
  }
  str_add(&text, "L%u: ret;\n}\n", (INSTS - 1) / 15 * 15 + 15);
  struct ptx_module m;
  struct err e = {0};
  double start = seconds();
  bool ok = ptx_read(&m, "big.ptx", text.s, text.n, &e);
  double took = seconds() - start;
  if (!ok) fail_msg("%s", e.text);
  print_message("33,000 instructions, 20,000 registers: %.1f ms\n", took * 1e3);
  ptx_free(&m);
  str_free(&text);
  assert_true(took < 2.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_register_loses_its_value_in_random_programs),
      cmocka_unit_test(test_no_register_loses_its_value_in_compiled_code),
      cmocka_unit_test(test_registers_needed_are_the_exact_maximum),
      cmocka_unit_test(test_a_result_may_take_the_slot_of_a_dying_operand),
      cmocka_unit_test(test_several_results_do_not_take_the_slots_of_operands),
      cmocka_unit_test(test_a_result_nobody_reads_has_a_slot),
      cmocka_unit_test(test_a_guarded_write_keeps_the_value_before),
      cmocka_unit_test(test_a_first_write_under_a_guard_starts_a_life),
      cmocka_unit_test(test_a_value_carried_round_a_loop_keeps_its_slot),
      cmocka_unit_test(test_wide_registers_need_several),
      cmocka_unit_test(test_registers_never_named_have_no_slot),
      cmocka_unit_test(test_a_kernel_of_33000_instructions_takes_little_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
