/* What an SM counts of a kernel, by the names of the statistics: every figure follows from the lines of its kernel. One warp,
 * unless a test says otherwise. */
#include "sm_rig.h"

#include "test_stats.h"

static struct stats *stats_of(struct rig *r) {
  struct stats *s = stats_new();
  stats_register(s, sm_stat_defs, SM_STATS, r->s.stats, 0);
  l1_register(&r->s.l1, s, NULL, 0);
  stats_register(s, sm_ro_stat_defs[0], RO_STATS, r->s.constant.stats, 0);
  stats_register(s, sm_ro_stat_defs[1], RO_STATS, r->s.texture.stats, 0);
  stats_register(s, sm_ro_stat_defs[2], RO_STATS, r->s.instruction.stats, 0);
  return s;
}

/* The prologue loads a parameter (other, 1 written) and moves the thread's index (integer, 1 written); ret is the last (other). */
static void test_operations_and_registers_by_kind(void **state) {
  (void)state;
  static struct rig r;
  rig_open(&r,
           "mul.lo.u32 %r2, %r1, 3;"      /* multiply; 1 read, 1 written */
           "add.u32 %r3, %r2, %r1;"       /* integer; 2, 1 */
           "cvt.rn.f32.u32 %f1, %r3;"     /* special; 1, 1 */
           "mul.f32 %f2, %f1, %f1;"       /* single; one register is read once, 1 */
           "fma.rn.f32 %f3, %f1, %f2, %f2;" /* single; 2, 1 */
           "cvt.f64.f32 %fd1, %f3;"       /* special; 1, 1 */
           "add.f64 %fd2, %fd1, %fd1;"    /* double; 1, 1 */
           "st.global.f64 [%rd1], %fd2;", /* other; 2, 0 */
           32, SETTINGS("sm.schedulers=1"));
  struct stats *s = stats_of(&r);
  rig_run(&r, 1);
  expect_stats(s, {"sm.ctas", 1}, {"sm.warp_instructions", 11}, {"sm.thread_instructions", 11 * 32}, {"sm.int_operations", 2 * 32},
               {"sm.multiply_operations", 32}, {"sm.sfu_operations", 2 * 32}, {"sm.fp32_operations", 2 * 32},
               {"sm.fp64_operations", 32}, {"sm.tensor_operations", 0}, {"sm.other_operations", 3 * 32},
               {"sm.register_reads", (1 + 2 + 1 + 1 + 2 + 1 + 1 + 2) * 32}, {"sm.register_writes", (2 + 7) * 32});
  stats_delete(s);
  rig_close(&r);
}

/* Only the eight threads whose guard is true count, and the guard is a register that is read. */
static void test_a_guard_is_an_operand_of_those_it_lets_through(void **state) {
  (void)state;
  static struct rig r;
  rig_open(&r, "setp.lt.u32 %p1, %r1, 8; @%p1 mul.lo.u32 %r2, %r1, 5;", 32, SETTINGS("sm.schedulers=1"));
  struct stats *s = stats_of(&r);
  rig_run(&r, 1);
  expect_stats(s, {"sm.thread_instructions", 4 * 32 + 8}, {"sm.multiply_operations", 8}, {"sm.register_reads", 32 + 2 * 8},
               {"sm.register_writes", 3 * 32 + 8});
  stats_delete(s);
  rig_close(&r);
}

/* Two registers of A, one of B, four of C read, four of D written. */
static void test_matrix_instructions_are_their_own_kind(void **state) {
  (void)state;
  static struct rig r;
  rig_open(&r,
           "add.u32 %r2, %r1, 1; add.u32 %r3, %r1, 2; mov.f32 %f1, 0f00000000; mov.f32 %f2, 0f00000000; mov.f32 %f3, 0f00000000;"
           "mov.f32 %f4, 0f00000000; mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f5, %f6, %f7, %f8}, {%r1, %r2}, {%r3},"
           " {%f1, %f2, %f3, %f4};",
           32, SETTINGS("sm.schedulers=1"));
  struct stats *s = stats_of(&r);
  rig_run(&r, 1);
  expect_stats(s, {"sm.tensor_operations", 32}, {"sm.register_reads", (1 + 1 + 7) * 32}, {"sm.register_writes", (2 + 6 + 4) * 32});
  stats_delete(s);
  rig_close(&r);
}

/* A load that misses, one that finds the line, a store, a reduction; shared memory apart. A miss is looked up in the cycle after its
 * issue, leaves in the next, is seen in the third, and its answer is taken delay and one cycles after that. */
static void test_memory_instructions_by_kind(void **state) {
  (void)state;
  static struct rig r;
  rig_open(&r,
           "ld.global.u32 %r2, [%rd1]; add.u32 %r3, %r2, 1; ld.global.u32 %r4, [%rd1+4]; add.u32 %r5, %r4, 1;"
           "st.global.u32 [%rd1+128], %r3; red.global.add.u32 [%rd1+256], %r5; st.shared.u32 [sm], %r5; ld.shared.u32 %r6, [sm+8];"
           "add.u32 %r7, %r6, 1; st.global.u32 [%rd1+512], %r7;",
           32, SETTINGS("sm.schedulers=1", "l1.latency=5"));
  struct stats *s = stats_of(&r);
  r.delay = 20;
  rig_run(&r, 1);
  expect_stats(s, {"sm.loads", 2}, {"sm.stores", 3}, {"sm.memory_instructions", 5}, {"sm.segments", 5}, {"sm.shared_accesses", 2},
               {"sm.miss_replies", 1}, {"sm.miss_latency", 3 + 20}, {"sm.load_latency", (4 + 20) + (1 + 5)});
  /* All lanes write one word: a line each. The line of code and that of the parameter are asked from below too. */
  expect_stats(s, {"l1d.accesses", 5}, {"l1d.reads", 2}, {"l1d.writes", 2}, {"l1d.atomics", 1}, {"l1d.hits", 1}, {"l1d.misses", 4},
               {"l1d.load_instructions", 2}, {"l1d.missed_instructions", 1}, {"l1d.fills", 1}, {"l1d.requests", 4 + 1 + 1});
  expect_stats(s, {"const.accesses", 1}, {"const.misses", 1}, {"const.hits", 0}, {"inst.misses", 1});
  stats_delete(s);
  rig_close(&r);
}

/* Each read-only cache by its own names: as many misses as it has places for, one that is merged, two that find no place. */
static void test_read_only_caches_count_apart(void **state) {
  (void)state;
  static struct rig r;
  rig_open(&r, "", 32, SETTINGS("l1.queue=128"));
  struct stats *s = stats_of(&r);
  struct ro_cache *caches[] = {&r.s.constant, &r.s.texture, &r.s.instruction};
  for (unsigned c = 0; c < 3; c++) {
    for (uint64_t i = 0; i < RO_MAX_MISSES; i++) assert_int_equal(ro_access(caches[c], (i + 1) << 16, 0, 0), L1_MISS);
    assert_int_equal(ro_access(caches[c], 1 << 16, 0, 0), L1_MISS);
    for (uint64_t i = 0; i < c + 2; i++) assert_int_equal(ro_access(caches[c], (i + 100) << 16, 0, 0), L1_STALL);
    for (uint64_t i = 0; i < c + 1; i++) assert_int_equal(ro_access_preloaded(caches[c], (i + 200) << 16), L1_HIT);
  }
  expect_stats(s, {"const.accesses", 33 + 1}, {"const.hits", 1}, {"const.misses", 33}, {"const.stalls", 2});
  expect_stats(s, {"tex.accesses", 33 + 2}, {"tex.hits", 2}, {"tex.misses", 33}, {"tex.stalls", 3});
  expect_stats(s, {"inst.accesses", 33 + 3}, {"inst.hits", 3}, {"inst.misses", 33}, {"inst.stalls", 4});
  expect_stats(s, {"l1d.requests", 3 * RO_MAX_MISSES}, {"l1d.accesses", 0});
  stats_delete(s);
  for (; r.s.l1.queue.count; l1_pop_request(&r.s.l1)) mem_packet_free(r.pool, l1_next_request(&r.s.l1));
  rig_close(&r);
}

/* One warp on the first of two schedulers: the second is idle in every cycle of the CTA, the first in none. */
static void test_a_scheduler_without_warps_is_idle(void **state) {
  (void)state;
  static struct rig r;
  rig_open(&r, "add.u32 %r2, %r1, 1;", 32, SETTINGS("sm.schedulers=2"));
  struct stats *s = stats_of(&r);
  rig_run(&r, 1);
  expect_stats(s, {"sm.stall_idle", r.s.stats[SM_S_CYCLES]}, {"sm.issue_slots_used", 4});
  stats_delete(s);
  rig_close(&r);
}

/* ---- slots: what a longer wait adds ---- */

struct waiting {
  const char *lines;
  unsigned threads;
  uint64_t delay;
  const char *const *settings;
};

static uint64_t slots_of(enum sm_stall why, const struct waiting *w) {
  static struct rig r;
  rig_open(&r, w->lines, w->threads, w->settings);
  r.delay = w->delay;
  rig_run(&r, 1);
  uint64_t slots = rig_stall(&r, why);
  rig_close(&r);
  return slots;
}

static void expect_more_slots(enum sm_stall why, uint64_t more, const struct waiting *little, const struct waiting *much) {
  assert_int_equal(slots_of(why, much) - slots_of(why, little), more);
}

/* Warp 1 takes a division longer to the barrier, where warp 0 and its scheduler wait: a slot for each cycle more. */
static void test_slots_at_a_barrier(void **state) {
  (void)state;
  static const char lines[] = "setp.lt.u32 %p1, %r1, 32; @%p1 bra A; div.u32 %r2, %r1, 3; add.u32 %r3, %r2, 1; A: bar.sync 0;"
                              "add.u32 %r4, %r1, 1;";
  expect_more_slots(SM_STALL_BARRIER, 100, &(struct waiting){lines, 64, 20, SETTINGS("sm.latency.idiv=200", "sm.schedulers=2")},
                    &(struct waiting){lines, 64, 20, SETTINGS("sm.latency.idiv=300", "sm.schedulers=2")});
}

/* A slower network: the line of code is waited for once, the parameter and the word that it points to one after the other. */
static void test_slots_of_memory_and_instructions(void **state) {
  (void)state;
  static const char lines[] = "ld.global.u32 %r2, [%rd1]; add.u32 %r3, %r2, 1;";
  const struct waiting little = {lines, 32, 20, SETTINGS("sm.schedulers=1")}, much = {lines, 32, 80, SETTINGS("sm.schedulers=1")};
  expect_more_slots(SM_STALL_FETCH, 60, &little, &much);
  expect_more_slots(SM_STALL_MEMORY, 2 * 60, &little, &much);
  expect_more_slots(SM_STALL_ALU, 0, &little, &much);
}

/* Two results, each used at once: the thread's index and a sum. */
static void test_slots_of_arithmetic(void **state) {
  (void)state;
  static const char lines[] = "add.u32 %r2, %r1, 1; add.u32 %r3, %r2, 1;";
  const struct waiting little = {lines, 32, 20, SETTINGS("sm.latency.alu=4", "sm.schedulers=1")},
                       much = {lines, 32, 20, SETTINGS("sm.latency.alu=14", "sm.schedulers=1")};
  expect_more_slots(SM_STALL_ALU, 2 * 10, &little, &much);
  expect_more_slots(SM_STALL_MEMORY, 0, &little, &much);
}

/* One warp at a time: the second scheduler's is held until the first has ended, a slot for each cycle that this takes longer. */
static void test_slots_of_a_warp_that_is_held(void **state) {
  (void)state;
  static const char lines[] = "setp.lt.u32 %p1, %r1, 32; @!%p1 bra A; div.u32 %r2, %r1, 3; add.u32 %r3, %r2, 1; A:";
  const char *const *short_ = SETTINGS("sm.warp_limit=1", "sm.schedulers=2", "sm.latency.idiv=200");
  const char *const *long_ = SETTINGS("sm.warp_limit=1", "sm.schedulers=2", "sm.latency.idiv=300");
  expect_more_slots(SM_STALL_HELD, 100, &(struct waiting){lines, 64, 20, short_}, &(struct waiting){lines, 64, 20, long_});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_operations_and_registers_by_kind),
      cmocka_unit_test(test_a_guard_is_an_operand_of_those_it_lets_through),
      cmocka_unit_test(test_matrix_instructions_are_their_own_kind),
      cmocka_unit_test(test_memory_instructions_by_kind),
      cmocka_unit_test(test_read_only_caches_count_apart),
      cmocka_unit_test(test_a_scheduler_without_warps_is_idle),
      cmocka_unit_test(test_slots_at_a_barrier),
      cmocka_unit_test(test_slots_of_memory_and_instructions),
      cmocka_unit_test(test_slots_of_arithmetic),
      cmocka_unit_test(test_slots_of_a_warp_that_is_held),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
