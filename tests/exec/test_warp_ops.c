/* shfl, vote, match, redux, activemask, elect, and the barriers of warps and CTAs. */
#include "kernel_kit.h"

#include <stdio.h>
#include <string.h>

/* ---- shfl --------------------------------------------------------------------------------------------------------- */

/* The ISA's pseudo-code. */
static unsigned source(const char *mode, unsigned lane, unsigned b, unsigned c, bool *valid) {
  int segment = (int)(c >> 8 & 31), cval = (int)(c & 31), bval = (int)(b & 31), l = (int)lane, j = 0;
  int max_lane = (l & segment) | (cval & ~segment), min_lane = l & segment;
  if (!strcmp(mode, "up")) j = l - bval, *valid = j >= max_lane;
  if (!strcmp(mode, "down")) j = l + bval, *valid = j <= max_lane;
  if (!strcmp(mode, "bfly")) j = l ^ bval, *valid = j <= max_lane;
  if (!strcmp(mode, "idx")) j = min_lane | (bval & ~segment), *valid = j <= max_lane;
  return *valid ? (unsigned)j : lane;
}

/* Values are 3 * lane; with `registers`, b and c come from registers instead of constants. */
static void check_shuffle(struct kit *k, const char *mode, unsigned b, unsigned c, bool registers) {
  const char *bc = registers ? kit_text("mov.u32 %%r12, %u; mov.u32 %%r13, %u;", b, c) : "";
  const char *operands = registers ? "%r12, %r13" : kit_text("%u, %u", b, c);
  kit_run(
      k, 32,
      kit_text("mul.lo.u32 %%r10, %%r1, 3; %s shfl.sync.%s.b32 %%r11|%%p1, %%r10, %s, -1;\n"
               "selp.u32 %%r14, 1, 0, %%p1; st.global.u32 [%%rd5], %%r11; st.global.u32 [%%rd5+128], %%r14;",
               bc, mode, operands));
  const uint32_t *out = kit_out(k);
  for (unsigned i = 0; i < 32; i++) {
    bool valid = false;
    unsigned from = source(mode, i, b, c, &valid);
    assert_int_equal(out[i], 3 * from);
    assert_int_equal(out[32 + i], valid);
  }
}

static void test_shuffles_in_every_mode_with_clamps_and_segments(void **state) {
  struct kit *k = *state;
  static const char *const modes[] = {"up", "down", "bfly", "idx"};
  static const unsigned offsets[] = {0, 1, 5, 16, 31, 35};
  static const unsigned clamps[] = {0, 31, 0x1800 | 7, 0x1000 | 31, 0x1c03, 20};
  for (unsigned m = 0; m < 4; m++)
    for (unsigned b = 0; b < 6; b++)
      for (unsigned c = 0; c < 6; c++) check_shuffle(k, modes[m], offsets[b], clamps[c], (b + c) & 1);
}

static void test_a_shuffle_may_write_its_source(void **state) {
  struct kit *k = *state;
  kit_run(k, 32, "shfl.sync.bfly.b32 %r1, %r1, 1, 31, 0xffffffff; st.global.u32 [%rd5], %r1;");
  for (unsigned i = 0; i < 32; i++) assert_int_equal(((uint32_t *)kit_out(k))[i], i ^ 1);
}

static void test_shuffles_within_a_divergent_half(void **state) {
  struct kit *k = *state;
  kit_run(k, 32,
          "setp.lt.u32 %p1, %r1, 16; mov.u32 %r10, 99; @!%p1 bra OUT;\n"
          "shfl.sync.down.b32 %r10, %r1, 4, 0x100f, 0xffff;\nOUT: st.global.u32 [%rd5], %r10;");
  for (unsigned i = 0; i < 32; i++)
    assert_int_equal(((uint32_t *)kit_out(k))[i], i < 12 ? i + 4 : i < 16 ? i : 99);
}

/* As an H200 does; a sum over eight lanes by halves of a warp counts on it. */
static void test_a_shuffle_from_lanes_that_take_no_part_gives_zero(void **state) {
  struct kit *k = *state;
  kit_run(k, 32,
          "setp.lt.u32 %p1, %r1, 8; add.u32 %r12, %r1, 1000; mov.u32 %r10, 99; @!%p1 bra OUT;\n"
          "shfl.sync.down.b32 %r10, %r12, 6, 31, 0xff;\nOUT: st.global.u32 [%rd5], %r10;");
  for (unsigned i = 0; i < 32; i++) assert_int_equal(((uint32_t *)kit_out(k))[i], i < 2 ? 1006 + i : i < 8 ? 0 : 99);
  kit_run(k, 32,
          "setp.lt.u32 %p1, %r1, 8; add.u32 %r12, %r1, 1000; @!%p1 ret;\n"
          "shfl.sync.idx.b32 %r10, %r12, 16, 31, -1; st.global.u32 [%rd5], %r10;");
  for (unsigned i = 0; i < 8; i++) assert_int_equal(((uint32_t *)kit_out(k))[i], 0);
}

static void test_sync_waits_for_lanes_on_another_path(void **state) {
  struct kit *k = *state;
  /* Odd lanes take a detour; all lanes meet in the same shuffle although the branch was not uniform. */
  kit_run(k, 32,
          "and.b32 %r10, %r1, 1; setp.eq.u32 %p1, %r10, 0; mov.u32 %r12, 0; @%p1 bra EVEN;\n"
          "LOOP: add.u32 %r12, %r12, 1; setp.lt.u32 %p2, %r12, %r1; @%p2 bra LOOP;\n"
          "EVEN: shfl.sync.idx.b32 %r11, %r12, 31, 31, -1; st.global.u32 [%rd5], %r11;");
  for (unsigned i = 0; i < 32; i++) assert_int_equal(((uint32_t *)kit_out(k))[i], 31);
}

/* ---- vote, match, redux ------------------------------------------------------------------------------- */

static void test_votes(void **state) {
  struct kit *k = *state;
  uint32_t *out = kit_out(k);
  kit_run(
      k, 32,
      "setp.lt.u32 %p1, %r1, 10; setp.ge.u32 %p2, %r1, 0; setp.gt.u32 %p3, %r1, 40;\n"
      "vote.sync.ballot.b32 %r10, %p1, -1; vote.sync.ballot.b32 %r11, !%p1, 0xffffffff;\n"
      "vote.sync.all.pred %p4, %p1, -1; vote.sync.any.pred %p5, %p1, -1; vote.sync.uni.pred %p6, %p1, -1;\n"
      "vote.sync.all.pred %p7, %p2, -1; vote.sync.any.pred %p8, %p3, -1; vote.sync.uni.pred %p9, %p3, -1;\n"
      "mov.u32 %r12, 0; @%p4 add.u32 %r12, %r12, 1; @%p5 add.u32 %r12, %r12, 2; @%p6 add.u32 %r12, %r12, 4;\n"
      "@%p7 add.u32 %r12, %r12, 8; @%p8 add.u32 %r12, %r12, 16; @%p9 add.u32 %r12, %r12, 32;\n"
      "@%p1 vote.sync.ballot.b32 %r13, %p2, 0x3ff; @!%p1 mov.u32 %r13, 5;\n"
      "st.global.u32 [%rd5], %r10; st.global.u32 [%rd5+128], %r11; st.global.u32 [%rd5+256], %r12;\n"
      "st.global.u32 [%rd5+384], %r13;");
  for (unsigned i = 0; i < 32; i++) {
    assert_int_equal(out[i], 0x3ff);
    assert_int_equal(out[32 + i], 0xfffffc00);
    assert_int_equal(out[64 + i], 2 + 8 + 32);
    assert_int_equal(out[96 + i], i < 10 ? 0x3ff : 5);
  }
}

static void test_votes_count_only_lanes_that_exist(void **state) {
  struct kit *k = *state;
  kit_run(k, 20,
          "setp.ge.u32 %p1, %r1, 0; vote.sync.ballot.b32 %r10, %p1, -1; activemask.b32 %r11; "
          "vote.sync.all.pred %p2, %p1, -1;\n"
          "selp.u32 %r12, 1, 0, %p2; st.global.u32 [%rd2], %r10; st.global.u32 [%rd2+4], %r11; st.global.u32 "
          "[%rd2+8], %r12;");
  static const uint32_t want[] = {0xfffff, 0xfffff, 1};
  assert_memory_equal(kit_out(k), want, sizeof want);
}

static void test_matches(void **state) {
  struct kit *k = *state;
  uint32_t *out = kit_out(k);
  kit_run(k, 32,
          "rem.u32 %r10, %r1, 3; match.any.sync.b32 %r11, %r10, -1; st.global.u32 [%rd5], %r11;\n"
          "mul.wide.u32 %rd10, %r10, 0x80000000; match.any.sync.b64 %r12, %rd10, 0xffffffff; st.global.u32 "
          "[%rd5+128], %r12;\n"
          "match.all.sync.b32 %r13|%p1, %r10, -1; selp.u32 %r14, 1, 0, %p1; add.u32 %r14, %r14, %r13;\n"
          "st.global.u32 [%rd5+256], %r14; mov.u64 %rd11, 77; match.all.sync.b64 %r15|%p2, %rd11, -1;\n"
          "@%p2 st.global.u32 [%rd5+384], %r15;");
  for (unsigned i = 0; i < 32; i++) {
    uint32_t want = 0;
    for (unsigned j = 0; j < 32; j++) want |= (uint32_t)(j % 3 == i % 3) << j;
    assert_int_equal(out[i], want);
    assert_int_equal(out[32 + i], want);
    assert_int_equal(out[64 + i], 0);
    assert_int_equal(out[96 + i], 0xffffffff);
  }
}

/* Lanes of one remainder by three are a group: each names its own members, all in one instruction. */
static void test_groups_with_members_of_their_own(void **state) {
  struct kit *k = *state;
  uint32_t *out = kit_out(k);
  kit_run(k, 32,
          "rem.u32 %r10, %r1, 3; match.any.sync.b32 %r11, %r10, -1; redux.sync.max.u32 %r12, %r1, %r11; st.global.u32 [%rd5], %r12;\n"
          "redux.sync.add.u32 %r13, %r1, %r11; st.global.u32 [%rd5+128], %r13; setp.lt.u32 %p1, %r1, 16;\n"
          "vote.sync.ballot.b32 %r14, %p1, %r11; st.global.u32 [%rd5+256], %r14; vote.sync.all.pred %p2, %p1, %r11;\n"
          "selp.u32 %r15, 1, 0, %p2; @%p1 redux.sync.min.u32 %r15, %r1, %r14; st.global.u32 [%rd5+384], %r15;");
  for (unsigned i = 0; i < 32; i++) {
    uint32_t most = 0, sum = 0, low = 0;
    for (unsigned j = i % 3; j < 32; j += 3) most = j, sum += j, low |= (uint32_t)(j < 16) << j;
    assert_int_equal(out[i], most);
    assert_int_equal(out[32 + i], sum);
    assert_int_equal(out[64 + i], low);
    assert_int_equal(out[96 + i], i < 16 ? i % 3 : 0);
  }
}

static void test_reductions(void **state) {
  struct kit *k = *state;
  int32_t *in = kit_in(k);
  static const struct {
    const char *form;
    uint32_t members;
  } rows[] = {{"add.s32", 0xffffffff}, {"add.u32", 0x0f0f0f0f}, {"min.s32", 0xffffffff},
              {"max.s32", 0xfffffff0}, {"min.u32", 0xffffffff}, {"max.u32", 0x00ffff00},
              {"and.b32", 0xffffffff}, {"or.b32", 0x3},         {"xor.b32", 0xffffffff}};
  for (unsigned i = 0; i < 32; i++) in[i] = (int32_t)(i * 0x9e3779b9u) >> (i % 7);
  for (unsigned r = 0; r < sizeof rows / sizeof *rows; r++) {
    memset(kit_out(k), 0, 128);
    kit_run(k, 32,
            kit_text("ld.global.u32 %%r10, [%%rd4]; mov.u32 %%r11, 1; shl.b32 %%r11, %%r11, %%r1;\n"
                     "and.b32 %%r11, %%r11, 0x%x; setp.ne.u32 %%p1, %%r11, 0; @!%%p1 bra OUT;\n"
                     "redux.sync.%s %%r12, %%r10, 0x%x; st.global.u32 [%%rd5], %%r12;\nOUT:",
                     rows[r].members, rows[r].form, rows[r].members));
    uint32_t want = 0;
    bool first = true;
    for (unsigned i = 0; i < 32; i++) {
      uint32_t v = (uint32_t)in[i];
      if (!(rows[r].members >> i & 1)) continue;
      const char *f = rows[r].form;
      bool less = strstr(f, "s32") ? (int32_t)v < (int32_t)want : v < want;
      if (first)
        want = v;
      else if (!strncmp(f, "add", 3))
        want += v;
      else if (!strncmp(f, "min", 3))
        want = less ? v : want;
      else if (!strncmp(f, "max", 3))
        want = less ? want : v;
      else if (!strncmp(f, "and", 3))
        want &= v;
      else if (!strncmp(f, "or", 2))
        want |= v;
      else
        want ^= v;
      first = false;
    }
    for (unsigned i = 0; i < 32; i++)
      assert_int_equal(((uint32_t *)kit_out(k))[i], rows[r].members >> i & 1 ? want : 0);
  }
}

static void test_elects_one_lane(void **state) {
  struct kit *k = *state;
  kit_run(k, 32,
          "setp.ge.u32 %p1, %r1, 5; mov.u32 %r10, 0; @!%p1 bra OUT; elect.sync %r10|%p2, 0xffffffe0;\n"
          "@%p2 add.u32 %r10, %r10, 100; elect.sync _|%p3, 0xffffffe0; @%p3 add.u32 %r10, %r10, 100;\n"
          "OUT: st.global.u32 [%rd5], %r10;");
  for (unsigned i = 0; i < 32; i++)
    assert_int_equal(((uint32_t *)kit_out(k))[i], i < 5 ? 0 : i == 5 ? 205 : 5);
}

static void test_active_lanes(void **state) {
  struct kit *k = *state;
  kit_run(k, 32,
          "setp.lt.u32 %p1, %r1, 3; activemask.b32 %r10; @%p1 bra LESS; activemask.b32 %r11; bra OUT;\n"
          "LESS: activemask.b32 %r11;\nOUT: xor.b32 %r11, %r11, %r10; st.global.u32 [%rd5], %r11;");
  for (unsigned i = 0; i < 32; i++) assert_int_equal(((uint32_t *)kit_out(k))[i], i < 3 ? 0xfffffff8 : 7);
}

static void test_forms_without_sync_work_on_the_lanes_at_hand(void **state) {
  struct kit *k = *state;
  k->target = "sm_60";
  kit_run(k, 32,
          "setp.lt.u32 %p1, %r1, 3; mov.u32 %r10, 0; @!%p1 bra OUT; vote.ballot.b32 %r10, %p1;\nOUT:\n"
          "shfl.down.b32 %r11, %r1, 1, 31; add.u32 %r10, %r10, %r11; st.global.u32 [%rd5], %r10;");
  for (unsigned i = 0; i < 32; i++)
    assert_int_equal(((uint32_t *)kit_out(k))[i], (i < 3 ? 7 : 0) + (i < 31 ? i + 1 : 31));
}

/* ---- barriers ----------------------------------------------------------------------------------------- */

static void test_a_barrier_orders_the_warps_of_a_cta(void **state) {
  struct kit *k = *state;
  kit_run(k, 128,
          "mov.u32 %r10, sm; shl.b32 %r11, %r1, 2; add.u32 %r12, %r10, %r11; st.shared.u32 [%r12], %r1;\n"
          "barrier.sync 3; xor.b32 %r11, %r11, 508; add.u32 %r12, %r10, %r11; ld.shared.u32 %r13, [%r12];\n"
          "bar.sync 0, 128; st.shared.u32 [%r12], 0; st.global.u32 [%rd5], %r13;");
  for (unsigned i = 0; i < 128; i++) assert_int_equal(((uint32_t *)kit_out(k))[i], 127 - i);
}

static void test_producers_arrive_and_consumers_wait(void **state) {
  struct kit *k = *state;
  /* Warp 1 produces and does not wait; warp 0 waits for 64 threads. */
  kit_run(
      k, 64,
      "setp.lt.u32 %p1, %r1, 32; mov.u32 %r10, sm; shl.b32 %r11, %r1, 2; and.b32 %r11, %r11, 127; add.u32 "
      "%r10, %r10, %r11;\n"
      "@%p1 bra CONSUME; mul.lo.u32 %r12, %r1, 7; st.shared.u32 [%r10], %r12; bar.arrive 1, 64; bra OUT;\n"
      "CONSUME: bar.sync 1, 64; ld.shared.u32 %r13, [%r10]; st.global.u32 [%rd5], %r13;\nOUT:");
  for (unsigned i = 0; i < 32; i++) assert_int_equal(((uint32_t *)kit_out(k))[i], 7 * (i + 32));
}

static void test_barriers_reduce(void **state) {
  struct kit *k = *state;
  uint32_t *out = kit_out(k);
  kit_run(k, 96,
          "setp.lt.u32 %p1, %r1, 40; bar.red.popc.u32 %r10, 0, %p1; barrier.red.popc.u32 %r11, 1, 96, !%p1;\n"
          "bar.red.and.pred %p2, 0, %p1; bar.red.or.pred %p3, 0, %p1; setp.lt.u32 %p4, %r1, 500;\n"
          "bar.red.and.pred %p5, 2, %p4; bar.red.or.pred %p6, 0, !%p4; mov.u32 %r12, 0;\n"
          "@%p2 add.u32 %r12, %r12, 1; @%p3 add.u32 %r12, %r12, 2; @%p5 add.u32 %r12, %r12, 4; @%p6 add.u32 "
          "%r12, %r12, 8;\n"
          "st.global.u32 [%rd5], %r10; st.global.u32 [%rd5+512], %r11; st.global.u32 [%rd5+1024], %r12;");
  for (unsigned i = 0; i < 96; i++) {
    assert_int_equal(out[i], 40);
    assert_int_equal(out[128 + i], 56);
    assert_int_equal(out[256 + i], 6);
  }
}

static void test_bar_warp_joins_divergent_lanes(void **state) {
  struct kit *k = *state;
  kit_run(k, 32,
          "mov.u32 %r10, sm; add.u32 %r10, %r10, 0; and.b32 %r11, %r1, 1; setp.eq.u32 %p1, %r11, 1; @%p1 bra "
          "ODD;\n"
          "shl.b32 %r12, %r1, 2; add.u32 %r12, %r12, %r10; st.shared.u32 [%r12], %r1; bar.warp.sync "
          "0xffffffff; bra OUT;\n"
          "ODD: bar.warp.sync -1; shl.b32 %r12, %r1, 2; add.u32 %r12, %r12, %r10; ld.shared.u32 %r13, "
          "[%r12+-4];\n"
          "st.global.u32 [%rd5], %r13;\nOUT:");
  for (unsigned i = 1; i < 32; i += 2) assert_int_equal(((uint32_t *)kit_out(k))[i], i - 1);
}

/* A cluster is one CTA: every thread's store before it arrives is there after it has waited. */
static void test_a_cluster_barrier_joins_the_cta(void **state) {
  struct kit *k = *state;
  kit_run(k, 128,
          "mov.u32 %r10, sm; shl.b32 %r11, %r1, 2; add.u32 %r12, %r10, %r11; st.shared.u32 [%r12], %r1;\n"
          "barrier.cluster.arrive; barrier.cluster.wait;\n"
          "xor.b32 %r11, %r11, 508; add.u32 %r12, %r10, %r11; ld.shared.u32 %r13, [%r12]; st.global.u32 [%rd5], %r13;");
  for (unsigned i = 0; i < 128; i++) assert_int_equal(((uint32_t *)kit_out(k))[i], 127 - i);
}

static void test_barrier_numbers_are_checked(void **state) {
  struct kit *k = *state;
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_INSTRUCTION, "mov.u32 %r10, 16; barrier.sync %r10;",
             "barrier 16 does not exist: a CTA has 16", NULL);
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_INSTRUCTION, "mov.u32 %r10, 33; bar.sync 1, %r10;", "multiple of 32",
             NULL);
}

static void test_operands_that_do_not_fit_are_refused(void **state) {
  struct kit *k = *state;
  kit_refuses(k, "barrier.sync %p1;", "does not fit");
  kit_refuses(k, "barrier.sync %rd1;", "does not fit");
  kit_refuses(k, "bar.warp.sync %rd1;", "does not fit");
  kit_refuses(k, "bar.red.or.pred %p1, 0, %r1;", "does not fit");
  kit_refuses(k, "bar.red.popc.u32 %p1, 0, %p1;", "does not fit");
}

static void test_fences_and_sleeps_do_nothing(void **state) {
  struct kit *k = *state;
  kit_run(k, 32,
          "membar.gl; membar.cta; membar.sys; fence.sc.cta; fence.acq_rel.gpu; fence.proxy.async; "
          "nanosleep.u32 100;\n"
          "griddepcontrol.wait; griddepcontrol.launch_dependents; setmaxnreg.dec.sync.aligned.u32 40; st.global.u32 [%rd5], 1;");
  for (unsigned i = 0; i < 32; i++) assert_int_equal(((uint32_t *)kit_out(k))[i], 1);
}

static void test_a_cta_is_rank_zero_of_its_cluster(void **state) {
  struct kit *k = *state;
  kit_run(k, 32,
          "mov.u32 %r10, sm; mov.u32 %r11, 0; cvt.u64.u32 %rd10, %r10;\n"
          "cvta.shared.u64 %rd10, %rd10; mapa.u64 %rd11, %rd10, %r11; st.u32 [%rd11], 7; ld.shared.u32 %r12, [sm];\n"
          "getctarank.u64 %r13, %rd11; getctarank.shared::cluster.u32 %r14, %r10; mapa.shared::cluster.u32 %r15, sm, 3;\n"
          "getctarank.shared::cluster.u32 %r15, %r15; mad.lo.u32 %r12, %r12, 10, %r11; mad.lo.u32 %r12, %r12, 10, %r13;\n"
          "mad.lo.u32 %r12, %r12, 10, %r14; mad.lo.u32 %r12, %r12, 10, %r15; st.global.u32 [%rd5], %r12;");
  for (unsigned i = 0; i < 32; i++) assert_int_equal(((uint32_t *)kit_out(k))[i], 70003);
  kit_faults(k, 32, EXEC_FAULT_ADDRESS_SPACE,
             "mapa.shared::cluster.u32 %r10, sm, 1; ld.shared::cluster.u32 %r11, [%r10];",
             "no such CTA in the cluster", NULL);
}

/* Halves, quarters and words; of the last three only lanes below 20 are written. */
static void test_registers_are_packed_and_taken_apart_in_the_lanes_that_run(void **state) {
  struct kit *k = *state;
  kit_run(k, 32,
          "setp.lt.u32 %p1, %r1, 20; mul.lo.u32 %r2, %r1, 2654435761; not.b32 %r3, %r2; mov.b64 %rd10, {%r2, %r3};\n"
          "mov.b32 {%h1, %h2}, %r2; mov.b32 %r10, {%h2, %h1}; mov.b64 {%h3, %h4, %h5, %h6}, %rd10; mov.b64 %rd11, {%h6, %h5, %h4, %h3};\n"
          "mov.u32 %r11, 7; @%p1 mov.b32 %r11, {%h1, %h2}; mov.u16 %h7, 8; mov.u16 %h8, 9; @%p1 mov.b32 {%h7, %h8}, %r3;\n"
          "mov.u32 %r12, 5; @%p1 mov.b64 {%r12, _}, %rd10; mov.b32 %r13, {%h7, %h8};\n"
          "mul.wide.u32 %rd8, %r1, 32; add.u64 %rd8, %rd2, %rd8; st.global.u32 [%rd8], %r10; st.global.u32 [%rd8+4], %r11;\n"
          "st.global.u64 [%rd8+8], %rd11; st.global.u32 [%rd8+16], %r12; st.global.u32 [%rd8+20], %r13;");
  for (uint32_t i = 0; i < 32; i++) {
    const uint32_t *out = (const uint32_t *)kit_out(k) + 8 * i, x = i * 2654435761u, y = ~x;
    assert_int_equal(out[0], x << 16 | x >> 16);
    assert_int_equal(out[1], i < 20 ? x : 7);
    assert_int_equal(out[2], y << 16 | y >> 16);
    assert_int_equal(out[3], x << 16 | x >> 16);
    assert_int_equal(out[4], i < 20 ? x : 5);
    assert_int_equal(out[5], i < 20 ? y : 9u << 16 | 8);
  }
}

/* Each lane names itself and all below: %r7. Lanes with equal masks are a group, so here everybody is alone; as on an H200. */
#define NAMES_BELOW "mov.u32 %r6, %laneid; mov.u32 %r7, 2; shl.b32 %r7, %r7, %r6; sub.u32 %r7, %r7, 1; and.b32 %r8, %r6, 3;\n" \
                    "setp.eq.u32 %p1, %r8, 1;\n"

static void test_lanes_whose_masks_contradict_each_other_are_groups_of_equal_ones(void **state) {
  struct kit *k = *state;
  const uint32_t *out = kit_out(k);
  kit_run(k, 32, NAMES_BELOW "vote.sync.ballot.b32 %r4, %p1, %r7; st.global.u32 [%rd5], %r4;");
  for (uint32_t i = 0; i < 32; i++) assert_int_equal(out[i], i % 4 == 1 ? 1u << i : 0);
  kit_run(k, 32, NAMES_BELOW "add.u32 %r5, %r6, 100; shfl.sync.up.b32 %r4, %r5, 1, 0, %r7; st.global.u32 [%rd5], %r4;");
  for (uint32_t i = 0; i < 32; i++) assert_int_equal(out[i], i ? 0 : 100);
  kit_run(k, 32, NAMES_BELOW "match.any.sync.b32 %r4, %r8, %r7; st.global.u32 [%rd5], %r4;");
  for (uint32_t i = 0; i < 32; i++) assert_int_equal(out[i], 1u << i);
  kit_run(k, 32, NAMES_BELOW "redux.sync.add.u32 %r4, %r6, %r7; st.global.u32 [%rd5], %r4;");
  for (uint32_t i = 0; i < 32; i++) assert_int_equal(out[i], i);
}

static void test_a_lane_that_does_not_name_itself_is_at_fault(void **state) {
  struct kit *k = *state;
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_INSTRUCTION, NAMES_BELOW "shr.u32 %r7, %r7, 1; vote.sync.ballot.b32 %r4, %p1, %r7;",
             "its own member mask 0x00000000", "thread (0,0,0)", NULL);
}

/* A mask that is written in the instruction keeps nobody out who is there: what an H200 does with lanes that it does not name. */
static void test_a_constant_mask_keeps_nobody_out_who_is_there(void **state) {
  struct kit *k = *state;
  const uint32_t *out = kit_out(k);
  kit_run(k, 32, NAMES_BELOW "vote.sync.ballot.b32 %r4, %p1, 0xffff; st.global.u32 [%rd5], %r4;");
  for (uint32_t i = 0; i < 32; i++) assert_int_equal(out[i], 0x22222222);
  kit_run(k, 32, NAMES_BELOW "match.any.sync.b32 %r4, %r8, 0xffff; st.global.u32 [%rd5], %r4;");
  for (uint32_t i = 0; i < 32; i++) assert_int_equal(out[i], 0x11111111u << i % 4);
  kit_run(k, 32, NAMES_BELOW "redux.sync.add.u32 %r4, %r6, 0xffff; st.global.u32 [%rd5], %r4;");
  for (uint32_t i = 0; i < 32; i++) assert_int_equal(out[i], 0x1f0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)
  const struct CMUnitTest tests[] = {
      TEST(test_lanes_whose_masks_contradict_each_other_are_groups_of_equal_ones),
      TEST(test_a_lane_that_does_not_name_itself_is_at_fault),
      TEST(test_a_constant_mask_keeps_nobody_out_who_is_there),
      TEST(test_registers_are_packed_and_taken_apart_in_the_lanes_that_run),
      TEST(test_shuffles_in_every_mode_with_clamps_and_segments),
      TEST(test_a_shuffle_may_write_its_source),
      TEST(test_shuffles_within_a_divergent_half),
      TEST(test_a_shuffle_from_lanes_that_take_no_part_gives_zero),
      TEST(test_sync_waits_for_lanes_on_another_path),
      TEST(test_votes),
      TEST(test_votes_count_only_lanes_that_exist),
      TEST(test_matches),
      TEST(test_groups_with_members_of_their_own),
      TEST(test_reductions),
      TEST(test_elects_one_lane),
      TEST(test_active_lanes),
      TEST(test_forms_without_sync_work_on_the_lanes_at_hand),
      TEST(test_a_barrier_orders_the_warps_of_a_cta),
      TEST(test_producers_arrive_and_consumers_wait),
      TEST(test_barriers_reduce),
      TEST(test_bar_warp_joins_divergent_lanes),
      TEST(test_a_cluster_barrier_joins_the_cta),
      TEST(test_barrier_numbers_are_checked),
      TEST(test_operands_that_do_not_fit_are_refused),
      TEST(test_fences_and_sleeps_do_nothing),
      TEST(test_a_cta_is_rank_zero_of_its_cluster),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
