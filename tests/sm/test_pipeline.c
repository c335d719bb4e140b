/* The SM stage by stage, as GPGPU-Sim has it: register banks and collectors, instruction buffers, latencies by opcode, the latency in
 * front of L1D's tags, coalescing in segments. One SM between mocks; figures are worked out in the comment above each test.
 *
 * From issue in t: a collector in t + 1, registers from t + 2 on, in front of the unit the cycle after the last, in the unit in the
 * cycle after that; the result can be used `latency` + 2 cycles later: t + 5 + reads + latency. */
#include "sm_rig.h"

#define STAGES "sm.register_banks=16", "sm.collectors=6", "sm.units=opcodes", "sm.latency.alu=4", "sm.latency.imad=5"
#define RIG(r, lines, threads, ...) rig_open(r, lines, threads, SETTINGS(__VA_ARGS__))

/* ---- collectors ---------------------------------------------------------------------------------------------------- */

/* Registers in turn: 1, 2, 1 and 3 reads. From several banks at once: a register named twice still takes two cycles. */
static void test_reads_and_latency_add_up_to_the_cycle(void **state) {
  (void)state;
  static const char lines[] = "add.u32 %r2, %r1, 1; add.u32 %r3, %r2, %r1; shl.b32 %r4, %r3, 1; mad.lo.u32 %r5, %r4, %r3, %r4;"
                              "add.u32 %r6, %r5, 1; add.u32 %r7, %r6, 1;";
  static const uint64_t one[] = {5 + 1 + 4, 5 + 2 + 4, 5 + 1 + 1, 5 + 3 + 5, 5 + 1 + 4};
  static const uint64_t several[] = {5 + 1 + 4, 5 + 1 + 4, 5 + 1 + 1, 5 + 2 + 5, 5 + 1 + 4};
  static struct rig r;
  RIG(&r, lines, 32, STAGES);
  rig_run(&r, 1);
  for (unsigned i = 0; i < 5; i++) assert_int_equal(rig_between(&r, i, i + 1), one[i]);
  rig_close(&r);
  RIG(&r, lines, 32, STAGES, "sm.parallel_reads=true");
  rig_run(&r, 1);
  for (unsigned i = 0; i < 5; i++) assert_int_equal(rig_between(&r, i, i + 1), several[i]);
  rig_close(&r);
}

/* What opcode and type do not name takes sm.latency.other; fma is a multiply-add; a remainder is no division. */
static void test_latencies_go_by_opcode(void **state) {
  (void)state;
  static struct rig r;
  RIG(&r, "setp.gt.u32 %p1, %r1, 5; selp.u32 %r2, 1, 2, %p1; rem.u32 %r3, %r2, %r1; cvt.rn.f32.u32 %f1, %r3;"
          "fma.rn.f32 %f2, %f1, 0f3f800000, 0f3f800000; ex2.approx.f32 %f3, %f2; neg.f32 %f4, %f3; add.f32 %f5, %f4, 0f3f800000;",
      32, STAGES, "sm.parallel_reads=true", "sm.latency.other=2", "sm.latency.ffma=7", "sm.latency.sfu=9", "sm.interval.sfu=1");
  rig_run(&r, 1);
  static const uint64_t latency[] = {2, 2, 2, 2, 7, 9, 2};
  for (unsigned i = 0; i < 7; i++) assert_int_equal(rig_between(&r, i, i + 1), 5 + 1 + latency[i]);
  rig_close(&r);
}

/* Two issue registers of one pipeline of interval 8, two collectors, two registers in front of it: a seventh instruction waits for the
 * unit, which takes one every 8 cycles. */
static void test_a_busy_unit_fills_the_stages_before_it(void **state) {
  (void)state;
  static struct rig r;
  struct str lines = {0};
  for (unsigned i = 2; i < 12; i++) str_add(&lines, "mul.lo.u32 %%r%u, %%r1, 3;", i);
  for (unsigned i = 2; i < 12; i += 2) str_add(&lines, "add.u32 %%r%u, %%r%u, %%r%u;", 12 + i, i, i + 1);
  RIG(&r, lines.s, 32, STAGES, "sm.imul_sfu=true", "sm.interval.imul=8", "sm.latency.imul=8", "sm.collectors_sfu=2");
  rig_run(&r, 1);
  assert_int_equal(rig_between(&r, 8, 9), 8);
  assert_true(rig_between(&r, 0, 3) < 8);
  rig_close(&r);
  str_free(&lines);
}

/* ---- loads --------------------------------------------------------------------------------------------------------- */

static uint64_t hit_use(const char *a, const char *b, const char *c) {
  static struct rig r;
  const char *more[] = {a, b, c};
  const char *all[12] = {STAGES};
  unsigned n = 0;
  while (all[n]) n++;
  for (unsigned i = 0; i < 3; i++)
    if (more[i]) all[n++] = more[i];
  rig_open(&r, "ld.global.u32 %r2, [%rd1]; add.u32 %r3, %r2, 1; ld.global.u32 %r4, [%rd1]; add.u32 %r5, %r4, 1;"
               "add.u32 %r6, %r5, %r3;", 32, all);
  rig_run(&r, 1);
  uint64_t cycles = rig_between(&r, 2, 3);
  rig_close(&r);
  return cycles;
}

/* One register: at the load/store unit in t + 4, or a cycle later with a stage of its own. */
static void test_a_hit_is_there_when_the_load_store_unit_has_it(void **state) {
  (void)state;
  assert_int_equal(hit_use("l1.latency=0", NULL, NULL), 4);
  assert_int_equal(hit_use("l1.latency=3", NULL, NULL), 4 + 3);
  assert_int_equal(hit_use("l1.latency=0", "sm.memory_stage=true", NULL), 5);
  assert_int_equal(hit_use("l1.latency=10", "l1.tag_queue=true", NULL), 4 + 10);
}

/* At the load/store unit in t + 4; in the miss queue then, leaves in t + 5, is seen by the network in t + 6, answered 20 cycles later and
 * taken the cycle after: t + 27. The latency before the tags is paid by a miss too, and so is sm.reply_latency. */
static void test_a_miss_pays_what_is_before_the_tags_and_after_the_reply(void **state) {
  (void)state;
  static const char *const variants[][3] = {
      {"l1.latency=0"}, {"l1.latency=10", "l1.tag_queue=true"}, {"l1.latency=0", "sm.reply_latency=2"}};
  static const uint64_t expected[] = {27, 27 + 10, 27 + 2};
  for (unsigned v = 0; v < 3; v++) {
    static struct rig r;
    const char *all[12] = {STAGES, variants[v][0], variants[v][1]};
    rig_open(&r, "ld.global.u32 %r2, [%rd1]; add.u32 %r3, %r2, 1;", 32, all);
    rig_run(&r, 1);
    assert_int_equal(rig_between(&r, 0, 1), expected[v]);
    rig_close(&r);
  }
}

/* ---- instruction buffers ------------------------------------------------------------------------------------------- */

/* Two instructions are there at once; those after them are fetched when the second has issued, decoded in the next cycle, and issue in
 * the one after. */
static void test_a_buffer_of_two_issues_two_in_three_cycles(void **state) {
  (void)state;
  static struct rig r;
  RIG(&r, "add.u32 %r2, %r1, 1; add.u32 %r3, %r1, 2; add.u32 %r4, %r1, 3; add.u32 %r5, %r1, 4;"
          "add.u32 %r6, %r2, %r3; add.u32 %r7, %r4, %r5;",
      32, STAGES, "sm.instruction_buffer=2", "sm.pipes.sp=2");
  rig_run(&r, 1);
  assert_int_equal(rig_between(&r, 0, 1), 1);
  assert_int_equal(rig_between(&r, 1, 2), 2);
  assert_int_equal(rig_between(&r, 2, 3), 1);
  rig_close(&r);
}

/* A jump from the first place of the buffer: what is in the second is given up in the next cycle, then fetch and decode: 3. From the
 * second place: what follows was fetched meanwhile, which shows two cycles after the jump: 4. */
static void test_a_jump_gives_up_the_buffer(void **state) {
  (void)state;
  static struct rig r;
  RIG(&r, "bra L; mov.u32 %r2, 1; L: mov.u32 %r3, 2; add.u32 %r4, %r3, %r1;", 32, STAGES, "sm.instruction_buffer=2");
  rig_run(&r, 1);
  assert_int_equal(rig_between(&r, 0, 1), 3);
  rig_close(&r);
  RIG(&r, "mov.u32 %r2, 1; bra L; mov.u32 %r2, 5; L: mov.u32 %r3, 2; add.u32 %r4, %r3, %r2;", 32, STAGES,
      "sm.instruction_buffer=2");
  rig_run(&r, 1);
  assert_int_equal(rig_between(&r, 1, 2), 4);
  rig_close(&r);
}

/* ---- CTAs and caches ----------------------------------------------------------------------------------------------- */

/* The place of a CTA of all threads is free `exit_latency` cycles after its last instruction, not one earlier, and not before its
 * store is answered. */
static void test_a_cta_keeps_its_place_until_it_is_through(void **state) {
  (void)state;
  for (unsigned stores = 0; stores < 2; stores++) {
    static struct rig r;
    RIG(&r, stores ? "st.global.u32 [%rd1], %r1;" : "add.u64 %rd2, %rd1, 1;", 32, "sm.exit_latency=6", "sm.ctas=1");
    sm_start_cta(&r.s, &r.grid, 0, 0);
    while (r.n_issue < PROLOGUE + 2) rig_cycle(&r);
    uint64_t last = r.now;
    while (!sm_fits(&r.s, &r.grid, 0)) rig_cycle(&r);
    if (stores) assert_true(r.now > last + 6);
    else assert_int_equal(r.now, last + 6);
    while (!sm_idle(&r.s) || r.count) rig_cycle(&r);
    rig_close(&r);
  }
}

static void test_caches_keep_their_lines_if_set_to(void **state) {
  (void)state;
  static const char *const keep[] = {"sm.keep_caches=none", "sm.keep_caches=readonly", "sm.keep_caches=all"};
  for (unsigned v = 0; v < 3; v++) {
    static struct rig r;
    RIG(&r, "ld.global.u32 %r2, [%rd1]; add.u32 %r3, %r2, 1;", 32, keep[v], "sm.shared_params=true");
    rig_run(&r, 1);
    uint64_t constants = r.s.constant.stats[RO_S_MISSES], misses = r.s.l1.stats[L1_S_MISSES];
    sm_flush_caches(&r.s);
    r.grid.id = 2; /* another launch: its parameters lie where those of the first did */
    rig_run(&r, 1);
    assert_int_equal(r.s.constant.stats[RO_S_MISSES] - constants, v == 0);
    assert_int_equal(r.s.l1.stats[L1_S_MISSES] - misses, v < 2);
    rig_close(&r);
  }
}

/* Without turns scheduler 0 gets the only place of the load/store queue whenever it wants it; in turn by cycles both do. */
static void test_schedulers_alternate_by_cycle(void **state) {
  (void)state;
  struct str lines = {0};
  for (unsigned i = 0; i < 20; i++) str_add(&lines, "st.global.u32 [%%rd1], %%r1;");
  uint64_t done[2];
  for (unsigned v = 0; v < 2; v++) {
    static struct rig r;
    RIG(&r, lines.s, 64, v ? "sm.alternate_schedulers=true" : "sm.alternate_schedulers=false", "sm.lsu_queue=1");
    sm_start_cta(&r.s, &r.grid, 0, 0);
    while (r.s.live & 1) rig_cycle(&r); /* until the warp of scheduler 0 has ended */
    done[v] = r.s.warps[1].x->instructions;
    while (!sm_idle(&r.s) || r.count) rig_cycle(&r);
    rig_close(&r);
  }
  assert_true(done[0] < 6);
  assert_true(done[1] > 15);
  str_free(&lines);
}

/* ---- which pipelines ----------------------------------------------------------------------------------------------- */

/* An addition of double precision keeps its pipeline for 8 cycles: what follows waits if it needs the same one. */
static void test_double_precision_uses_the_pipeline_it_is_given(void **state) {
  (void)state;
  static const struct {
    const char *pipe;
    uint64_t function, integer;
  } cases[] = {{"sm.double_pipe=dp", 1, 1}, {"sm.double_pipe=sfu", 8, 1}, {"sm.double_pipe=sp", 1, 8}};
  for (unsigned i = 0; i < 3; i++)
    for (unsigned integer = 0; integer < 2; integer++) {
      static struct rig r;
      RIG(&r, integer ? "add.f64 %fd2, %fd1, %fd1; add.u32 %r2, %r1, 1;" : "add.f64 %fd2, %fd1, %fd1; ex2.approx.f32 %f2, %f1;", 32,
          "sm.pipes.sp=1", "sm.interval.dadd=8", "sm.interval.sfu=1", cases[i].pipe);
      rig_run(&r, 1);
      assert_int_equal(rig_between(&r, 0, 1), integer ? cases[i].integer : cases[i].function);
      rig_close(&r);
    }
}

/* ---- where code lies ----------------------------------------------------------------------------------------------- */

/* A kernel of two instructions of 64 bytes behind a function of three: on a line of its own, or on the second half of the function's
 * second line and the first of the next. */
static void test_packed_functions_share_lines_of_code(void **state) {
  (void)state;
  static const char text[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                             ".func f() { .reg .b32 %r<4>; mov.u32 %r1, 1; mov.u32 %r2, 2; ret; }\n"
                             ".visible .entry k() { .reg .b32 %r<4>; mov.u32 %r1, %tid.x; ret; }\n";
  for (unsigned packed = 0; packed < 2; packed++) {
    static struct rig r;
    struct err e = {0};
    RIG(&r, "", 32, "sm.instruction_bytes=64", packed ? "sm.packed_code=true" : "sm.packed_code=false");
    exec_module_unload(&r.module);
    if (!exec_module_load(&r.module, r.mem, 0, "test.ptx", text, strlen(text), &e)) fail_msg("%s", e.text);
    r.grid.kernel = &r.module.funcs[1];
    rig_run(&r, 1);
    assert_int_equal(r.requests[MEM_READ], packed ? 2 : 1);
    rig_close(&r);
  }
}

/* ---- stores of vectors --------------------------------------------------------------------------------------------- */

/* Four words a lane, 512 bytes in all; or of each lane its first word only, in the same four segments. */
static void test_a_store_of_vectors_may_count_as_first_elements(void **state) {
  (void)state;
  for (unsigned first = 0; first < 2; first++) {
    static struct rig r;
    RIG(&r, "mul.wide.u32 %rd2, %r1, 16; add.u64 %rd3, %rd1, %rd2; st.global.v4.u32 [%rd3], {%r1, %r1, %r1, %r1};", 32,
        "sm.coalesce=segments", first ? "sm.store_elements=true" : "sm.store_elements=false");
    rig_run(&r, 1);
    assert_int_equal(r.requests[MEM_WRITE], 4);
    assert_int_equal(r.written, first ? 128 : 512);
    rig_close(&r);
  }
}

/* ---- sleeping ------------------------------------------------------------------------------------------------------- */

/* Eight warps whose loads make 32 accesses each, with two MSHRs and answers that take 200 cycles: nearly always all that the stages hold
 * waits for the load/store unit, also when the second line of code comes. Counted as if visited in every cycle, with at most half of
 * the visits. */
static void test_stages_that_wait_for_the_load_store_unit_are_left_alone(void **state) {
  (void)state;
  struct str lines = {0};
  str_add(&lines, "mul.wide.u32 %%rd2, %%r1, 128; add.u64 %%rd3, %%rd1, %%rd2; ld.global.u32 %%r2, [%%rd3];");
  for (unsigned i = 0; i < 130; i++) str_add(&lines, "add.u32 %%r6, %%r2, 1;");
  str_add(&lines, "ld.global.u32 %%r3, [%%rd3 + 64]; add.u32 %%r4, %%r2, %%r3; st.global.u32 [%%rd3], %%r4;");
  for (unsigned queue = 0; queue < 2; queue++) {
    static struct rig r[2];
    for (unsigned every = 0; every < 2; every++) {
      RIG(&r[every], lines.s, 256, STAGES, "sm.instruction_buffer=2", "l1.mshrs=2", queue ? "l1.tag_queue=true" : "l1.tag_queue=false",
          "l1.latency=20");
      r[every].delay = 200;
      r[every].every_cycle = every;
      rig_run(&r[every], 1);
    }
    assert_int_equal(r[0].now, r[1].now);
    assert_memory_equal(r[0].s.stats, r[1].s.stats, sizeof r[0].s.stats);
    assert_memory_equal(r[0].s.l1.stats, r[1].s.l1.stats, sizeof r[0].s.l1.stats);
    assert_true(2 * r[0].visits <= r[1].visits);
    rig_close(&r[0]);
    rig_close(&r[1]);
  }
  str_free(&lines);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reads_and_latency_add_up_to_the_cycle),
      cmocka_unit_test(test_latencies_go_by_opcode),
      cmocka_unit_test(test_a_busy_unit_fills_the_stages_before_it),
      cmocka_unit_test(test_a_hit_is_there_when_the_load_store_unit_has_it),
      cmocka_unit_test(test_a_miss_pays_what_is_before_the_tags_and_after_the_reply),
      cmocka_unit_test(test_a_buffer_of_two_issues_two_in_three_cycles),
      cmocka_unit_test(test_a_jump_gives_up_the_buffer),
      cmocka_unit_test(test_a_cta_keeps_its_place_until_it_is_through),
      cmocka_unit_test(test_caches_keep_their_lines_if_set_to),
      cmocka_unit_test(test_schedulers_alternate_by_cycle),
      cmocka_unit_test(test_double_precision_uses_the_pipeline_it_is_given),
      cmocka_unit_test(test_packed_functions_share_lines_of_code),
      cmocka_unit_test(test_a_store_of_vectors_may_count_as_first_elements),
      cmocka_unit_test(test_stages_that_wait_for_the_load_store_unit_are_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
