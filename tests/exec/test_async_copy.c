/* cp.async, cp.async.bulk and mbarrier. */
#include "kernel_kit.h"

#include <string.h>

static void fill_input(struct kit *k) {
  unsigned char *in = kit_in(k);
  for (unsigned i = 0; i < KIT_IN_BYTES; i++) in[i] = (unsigned char)(i * 151 + (i >> 8) + 1);
}

/* Copies the first 512 bytes of shared memory to out. */
static const char DUMP[] = "bar.sync 0; mov.u32 %r50, 0;\nDUMP: shl.b32 %r51, %r1, 2; shl.b32 %r52, %r50, 7; "
                           "add.u32 %r51, %r51, %r52;\n"
                           "mul.wide.u32 %rd50, %r51, 1; add.s64 %rd51, %rd50, %rd2; mov.u64 %rd52, sm; "
                           "add.s64 %rd52, %rd52, %rd50;\n"
                           "ld.shared.u32 %r53, [%rd52]; st.global.u32 [%rd51], %r53; add.u32 %r50, %r50, 1; "
                           "setp.lt.u32 %p50, %r50, 4;\n"
                           "@%p50 bra DUMP;\n";

/* ---- cp.async ----------------------------------------------------------------------------------------- */

static void test_copies_4_8_and_16_bytes_a_lane(void **state) {
  struct kit *k = *state;
  fill_input(k);
  for (unsigned n = 4; n <= 16; n *= 2) {
    memset(kit_out(k), 0, 512);
    kit_run(k, 32,
            kit_text("mul.wide.u32 %%rd10, %%r1, %u; add.s64 %%rd11, %%rd10, %%rd1; mov.u64 %%rd12, sm;\n"
                     "add.s64 %%rd12, %%rd12, %%rd10; cp.async.%s.shared.global [%%rd12], [%%rd11+%u], %u;\n"
                     "cp.async.commit_group; cp.async.wait_group 0; cp.async.wait_all;\n%s",
                     n, n == 16 ? "cg" : "ca", n, n, DUMP));
    assert_memory_equal(kit_out(k), (unsigned char *)kit_in(k) + n, 32 * n);
  }
}

/* Every third lane does not, and lane l reads what would be lane 31 - l's. */
static void test_copies_of_some_lanes_from_places_in_another_order(void **state) {
  struct kit *k = *state;
  const unsigned char *in = kit_in(k), *out = kit_out(k);
  fill_input(k);
  for (unsigned n = 4; n <= 16; n *= 2) {
    kit_run(k, 32,
            kit_text("mul.wide.u32 %%rd10, %%r1, %u; mov.u64 %%rd12, sm; add.s64 %%rd12, %%rd12, %%rd10; sub.u32 %%r10, 31, %%r1;\n"
                     "mul.wide.u32 %%rd11, %%r10, %u; add.s64 %%rd11, %%rd11, %%rd1; st.shared.u32 [%%rd12], 0;\n"
                     "rem.u32 %%r11, %%r1, 3; setp.ne.u32 %%p1, %%r11, 2;\n"
                     "@%%p1 cp.async.%s.shared.global [%%rd12], [%%rd11], %u; cp.async.wait_all;\n%s",
                     n, n, n == 16 ? "cg" : "ca", n, DUMP));
    for (unsigned l = 0; l < 32; l++)
      if (l % 3 == 2) assert_memory_equal(out + l * n, "\0\0\0", 4);
      else assert_memory_equal(out + l * n, in + (31 - l) * n, n);
  }
}

static void test_fills_with_zeros_what_it_does_not_read(void **state) {
  struct kit *k = *state;
  fill_input(k);
  /* Lane l reads min(l, 16) bytes. Lanes that read nothing may have any address. */
  kit_run(k, 32,
          kit_text("%s cp.async.ca.shared.global [%%rd12], [%%rd11], 16, %%r10;\n%s",
                   "mul.wide.u32 %rd10, %r1, 16; add.s64 %rd11, %rd10, %rd1; mov.u64 %rd12, sm; add.s64 "
                   "%rd12, %rd12, %rd10;\n"
                   "setp.eq.u32 %p1, %r1, 0; @%p1 mov.u64 %rd11, 0; min.u32 %r10, %r1, 16;\n",
                   DUMP));
  const unsigned char *in = kit_in(k), *out = kit_out(k);
  for (unsigned l = 0; l < 32; l++)
    for (unsigned i = 0; i < 16; i++) assert_int_equal(out[16 * l + i], i < l ? in[16 * l + i] : 0);
}

static void test_ignores_the_source_when_told(void **state) {
  struct kit *k = *state;
  fill_input(k);
  kit_run(k, 32,
          kit_text("%s cp.async.cg.shared.global.L2::128B [%%rd12], [%%rd11], 16, %%p1;\n%s",
                   "mul.wide.u32 %rd10, %r1, 16; add.s64 %rd11, %rd10, %rd1; mov.u64 %rd12, sm; add.s64 "
                   "%rd12, %rd12, %rd10;\n"
                   "setp.ge.u32 %p1, %r1, 30;\n",
                   DUMP));
  const unsigned char *in = kit_in(k), *out = kit_out(k);
  for (unsigned i = 0; i < 512; i++) assert_int_equal(out[i], i < 480 ? in[i] : 0);
}

static void see(const struct exec_warp *w, void *user) { *(struct exec_access *)user = w->access; }

static void test_a_copy_is_an_asynchronous_load(void **state) {
  struct kit *k = *state;
  struct exec_access a;
  kit_watch(k, "mov.u32 %r10, sm; cp.async.cg.shared.global [%r10], [%rd1+32], 16;", see, &a);
  assert_int_equal(a.op, EXEC_LOAD);
  assert_true(a.async);
  assert_int_equal(a.cache, EXEC_CACHE_GLOBAL);
  assert_int_equal(a.space, PTX_GLOBAL);
  assert_int_equal(a.bytes, 16);
  assert_int_equal(a.addr[31], k->in + 32);
}

static void test_copies_are_checked(void **state) {
  struct kit *k = *state;
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS,
             "mov.u32 %r10, sm; cp.async.cg.shared.global [%r10], [%rd1+4096], 16;",
             "16-byte load from global memory", "right past the end", NULL);
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS, "cp.async.cg.shared.global [sm+4096], [%rd1], 16;",
             "16-byte store to shared memory", NULL);
  kit_faults(k, 32, EXEC_FAULT_MISALIGNED, "cp.async.ca.shared.global [sm], [%rd1+4], 8;",
             "not a multiple of 8", NULL);
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS,
             "mov.u32 %r10, 12; cp.async.ca.shared.global [sm], [%rd1+4096], 16, %r10;", "12-byte load",
             NULL);
  kit_refuses(k, "cp.async.cg.shared.global [sm], [%rd1], 8;", "must be 16");
}

/* ---- mbarrier ----------------------------------------------------------------------------------------- */

static void test_a_phase_ends_when_all_have_arrived(void **state) {
  struct kit *k = *state;
  uint32_t *out = kit_out(k);
  /* One thread walks through two phases of a barrier for three arrivals. */
  kit_run(
      k, 1,
      "mbarrier.init.shared.b64 [sm], 3; mbarrier.arrive.shared.b64 %rd10, [sm];\n"
      "mbarrier.test_wait.shared.b64 %p1, [sm], %rd10; mbarrier.test_wait.parity.shared.b64 %p2, [sm], 0;\n"
      "mbarrier.test_wait.parity.shared.b64 %p3, [sm], 1; mbarrier.arrive.shared.b64 _, [sm], 2;\n"
      "mbarrier.test_wait.shared.b64 %p4, [sm], %rd10; mbarrier.try_wait.parity.shared.b64 %p5, [sm], 0;\n"
      "mbarrier.try_wait.parity.shared::cta.b64 %p6, [sm], 1, 1000; mbarrier.arrive.noComplete.shared.b64 "
      "%rd11, [sm], 2;\n"
      "mbarrier.pending_count.b64 %r10, %rd11; mbarrier.arrive.shared.b64 %rd12, [sm];\n"
      "mbarrier.pending_count.b64 %r11, %rd12; mbarrier.test_wait.parity.shared.b64 %p7, [sm], 1;\n"
      "mbarrier.inval.shared.b64 [sm]; selp.u32 %r20, 1, 0, %p1; selp.u32 %r21, 1, 0, %p2; selp.u32 %r22, 1, "
      "0, %p3;\n"
      "selp.u32 %r23, 1, 0, %p4; selp.u32 %r24, 1, 0, %p5; selp.u32 %r25, 1, 0, %p6; selp.u32 %r26, 1, 0, "
      "%p7;\n"
      "st.global.v4.u32 [%rd2], {%r20, %r21, %r22, %r23}; st.global.v4.u32 [%rd2+16], {%r24, %r25, %r26, "
      "%r10};\n"
      "st.global.u32 [%rd2+32], %r11;");
  static const uint32_t want[] = {0, 0, 1, 1, 1, 0, 1, 3, 1};
  assert_memory_equal(out, want, sizeof want);
}

static void test_dropping_out_lowers_the_next_phase(void **state) {
  struct kit *k = *state;
  kit_run(
      k, 1,
      "mbarrier.init.shared.b64 [sm], 2; mbarrier.arrive_drop.shared.b64 %rd10, [sm]; "
      "mbarrier.arrive.shared.b64 _, [sm];\n"
      "mbarrier.test_wait.shared.b64 %p1, [sm], %rd10; mbarrier.arrive.shared.b64 %rd11, [sm];\n"
      "mbarrier.test_wait.shared.b64 %p2, [sm], %rd11; selp.u32 %r10, 1, 0, %p1; selp.u32 %r11, 1, 0, %p2;\n"
      "st.global.v2.u32 [%rd2], {%r10, %r11};");
  assert_int_equal(((uint32_t *)kit_out(k))[0], 1);
  assert_int_equal(((uint32_t *)kit_out(k))[1], 1);
}

static void test_a_phase_waits_for_its_bytes(void **state) {
  struct kit *k = *state;
  kit_run(
      k, 1,
      "mbarrier.init.shared.b64 [sm], 1; mbarrier.arrive.expect_tx.shared.b64 %rd10, [sm], 100;\n"
      "mbarrier.test_wait.shared.b64 %p1, [sm], %rd10; mbarrier.complete_tx.relaxed.cta.shared::cta.b64 "
      "[sm], 60;\n"
      "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [sm], 8; mbarrier.complete_tx.shared.b64 [sm], 40;\n"
      "mbarrier.test_wait.shared.b64 %p2, [sm], %rd10; mbarrier.complete_tx.shared.b64 [sm], 8;\n"
      "mbarrier.test_wait.shared.b64 %p3, [sm], %rd10; mov.u32 %r10, 0; @%p1 add.u32 %r10, %r10, 1;\n"
      "@%p2 add.u32 %r10, %r10, 2; @%p3 add.u32 %r10, %r10, 4; st.global.u32 [%rd2], %r10;");
  assert_int_equal(((uint32_t *)kit_out(k))[0], 4);
}

static void test_warps_wait_for_each_other(void **state) {
  struct kit *k = *state;
  /* 64 threads write, arrive and spin until all have; then each reads what its opposite wrote. */
  kit_run(k, 64,
          "setp.ne.u32 %p1, %r1, 0; @!%p1 mbarrier.init.shared.b64 [sm], 64; bar.sync 0;\n"
          "mov.u32 %r10, sm; shl.b32 %r11, %r1, 2; add.u32 %r12, %r10, %r11; st.shared.u32 [%r12+64], %r1;\n"
          "mbarrier.arrive.shared.b64 %rd10, [sm];\nSPIN: mbarrier.try_wait.shared.b64 %p2, [sm], %rd10; "
          "@!%p2 bra SPIN;\n"
          "xor.b32 %r11, %r11, 252; add.u32 %r12, %r10, %r11; ld.shared.u32 %r13, [%r12+64]; st.global.u32 "
          "[%rd5], %r13;");
  for (unsigned i = 0; i < 64; i++) assert_int_equal(((uint32_t *)kit_out(k))[i], 63 - i);
}

static void test_copies_arrive_at_an_mbarrier(void **state) {
  struct kit *k = *state;
  kit_run(k, 1,
          "mbarrier.init.shared.b64 [sm], 2; cp.async.ca.shared.global [sm+16], [%rd1], 4;\n"
          "cp.async.mbarrier.arrive.shared.b64 [sm]; cp.async.mbarrier.arrive.noinc.shared.b64 [sm];\n"
          "mbarrier.arrive.shared.b64 %rd10, [sm]; mbarrier.pending_count.b64 %r10, %rd10;\n"
          "mbarrier.test_wait.parity.shared.b64 %p1, [sm], 0; selp.u32 %r11, 1, 0, %p1; st.global.v2.u32 "
          "[%rd2], {%r10, %r11};");
  assert_int_equal(((uint32_t *)kit_out(k))[0], 1);
  assert_int_equal(((uint32_t *)kit_out(k))[1], 1);
}

static void test_wrong_use_of_an_mbarrier_is_a_fault(void **state) {
  struct kit *k = *state;
  kit_faults(k, 1, EXEC_FAULT_ILLEGAL_INSTRUCTION,
             "mbarrier.init.shared.b64 [sm], 2; mbarrier.arrive.shared.b64 _, [sm], 3;", "3 arrivals",
             "2 pending", NULL);
  kit_faults(k, 1, EXEC_FAULT_ILLEGAL_INSTRUCTION, "mbarrier.init.shared.b64 [sm], 0;", "0 arrivals", NULL);
  kit_faults(k, 1, EXEC_FAULT_ADDRESS_SPACE, "mbarrier.init.b64 [%rd2], 1;", "must be in shared memory",
             NULL);
  kit_faults(k, 1, EXEC_FAULT_MISALIGNED, "mbarrier.init.shared.b64 [sm+4], 1;", "not a multiple of 8", NULL);
}

static void test_operands_that_do_not_fit_are_refused(void **state) {
  struct kit *k = *state;
  kit_refuses(k, "mbarrier.init.shared.b64 [sm], %rd1;", "does not fit");
  kit_refuses(k, "mbarrier.arrive.shared.b64 %r10, [sm];", "does not fit");
  kit_refuses(k, "mbarrier.test_wait.shared.b64 %r10, [sm], %rd1;", "does not fit");
  kit_refuses(k, "mbarrier.test_wait.shared.b64 %p1, [sm], %r1;", "does not fit");
  kit_refuses(k, "mbarrier.pending_count.b64 %r10, %r1;", "does not fit");
  kit_refuses(k, "cp.async.ca.shared.global [sm], [%rd1], 4, %rd1;", "does not fit");
  kit_refuses(k, "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [sm], %p1;", "does not fit");
}

/* ---- bulk copies -------------------------------------------------------------------------------------- */

static void test_bulk_copies_go_both_ways(void **state) {
  struct kit *k = *state;
  fill_input(k);
  kit_run(
      k, 1,
      "mbarrier.init.shared.b64 [sm], 1; mbarrier.arrive.expect_tx.shared.b64 %rd10, [sm], 1024; mov.u32 "
      "%r10, 1024;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sm+64], [%rd1+256], %r10, [sm];\n"
      "mbarrier.try_wait.shared.b64 %p1, [sm], %rd10; @!%p1 trap; fence.proxy.async;\n"
      "cp.async.bulk.global.shared::cta.bulk_group [%rd2+16], [sm+64], %r10; cp.async.bulk.commit_group;\n"
      "cp.async.bulk.wait_group.read 0; cp.async.bulk.wait_group 0;\n"
      "cp.async.bulk.prefetch.L2.global [%rd1], 64;");
  assert_memory_equal((unsigned char *)kit_out(k) + 16, (unsigned char *)kit_in(k) + 256, 1024);
}

struct noted {
  struct exec_access access;
  struct exec_line lines[4];
  size_t n;
};

static void see_lines(const struct exec_warp *w, void *user) {
  struct noted *a = user;
  a->access = w->access;
  a->n = w->sent.n_lines;
  for (size_t i = 0; i < a->n && i < 4; i++) a->lines[i] = w->sent.lines[i];
}

static void test_bulk_copies_are_noted_line_by_line(void **state) {
  struct kit *k = *state;
  struct noted a = {.lines = {{0}}};
  kit_watch(
      k, "setp.eq.u32 %p1, %r1, 0; @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd2+112], [sm], 160;",
      see_lines, &a);
  assert_int_equal(a.access.op, EXEC_STORE);
  assert_true(a.access.async);
  assert_true(a.access.bulk);
  assert_int_equal(a.n, 3);
  for (unsigned i = 0; i < 3; i++) assert_int_equal(a.lines[i].line, k->out + 128 * i);
  assert_int_equal(a.lines[0].sectors, 8);
  assert_int_equal(a.lines[1].sectors, 15);
  assert_int_equal(a.lines[2].sectors, 1);
}

static void test_bulk_reductions_work_element_by_element(void **state) {
  struct kit *k = *state;
  uint32_t *out = kit_out(k);
  float *floats = (float *)kit_out(k) + 64;
  uint16_t *halves = (uint16_t *)kit_out(k) + 512;
  for (unsigned i = 0; i < 40; i++) out[i] = 100 + i;
  for (unsigned i = 0; i < 4; i++) floats[i] = 0.5f;
  for (unsigned i = 0; i < 8; i++) halves[i] = 0x3c00;
  kit_run(k, 32,
          "shl.b32 %r10, %r1, 2; mov.u32 %r11, sm; add.u32 %r10, %r10, %r11; st.shared.u32 [%r10], %r1;\n"
          "st.shared.u32 [%r10+128], 7; st.shared.f32 [%r10+256], 0f40000000; st.shared.u32 [%r10+384], "
          "0x40003800;\n"
          "bar.warp.sync -1; setp.eq.u32 %p1, %r1, 0; mov.u32 %r12, 160;\n"
          "@%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd2], [sm], %r12;\n"
          "@%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [%rd2], [sm+128], 16;\n"
          "@%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd2+256], [sm+256], 16;\n"
          "@%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.min.f16 [%rd2+1024], [sm+384], 16;");
  for (unsigned i = 0; i < 40; i++) assert_int_equal(out[i], 100 + i + (i < 32 ? i : 7));
  for (unsigned i = 0; i < 4; i++) assert_true(floats[i] == 2.5f);
  for (unsigned i = 0; i < 8; i++) assert_int_equal(halves[i], i & 1 ? 0x3c00 : 0x3800);
  kit_refuses(k, "cp.reduce.async.bulk.global.shared::cta.bulk_group.min.f32 [%rd2], [sm], 32;",
              "no such reduction");
}

static void test_bulk_copies_are_checked(void **state) {
  struct kit *k = *state;
  kit_faults(k, 1, EXEC_FAULT_MISALIGNED, "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [sm], 24;",
             "multiple of 16", NULL);
  kit_faults(k, 1, EXEC_FAULT_MISALIGNED, "cp.async.bulk.global.shared::cta.bulk_group [%rd2+8], [sm], 32;",
             "not a multiple of 16", NULL);
  kit_faults(k, 1, EXEC_FAULT_ILLEGAL_ADDRESS,
             "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [sm+4080], 32;",
             "32-byte load from shared memory", NULL);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)
  const struct CMUnitTest tests[] = {
      TEST(test_copies_4_8_and_16_bytes_a_lane),
      TEST(test_copies_of_some_lanes_from_places_in_another_order),
      TEST(test_fills_with_zeros_what_it_does_not_read),
      TEST(test_ignores_the_source_when_told),
      TEST(test_a_copy_is_an_asynchronous_load),
      TEST(test_copies_are_checked),
      TEST(test_a_phase_ends_when_all_have_arrived),
      TEST(test_dropping_out_lowers_the_next_phase),
      TEST(test_a_phase_waits_for_its_bytes),
      TEST(test_warps_wait_for_each_other),
      TEST(test_copies_arrive_at_an_mbarrier),
      TEST(test_wrong_use_of_an_mbarrier_is_a_fault),
      TEST(test_operands_that_do_not_fit_are_refused),
      TEST(test_bulk_copies_go_both_ways),
      TEST(test_bulk_copies_are_noted_line_by_line),
      TEST(test_bulk_reductions_work_element_by_element),
      TEST(test_bulk_copies_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
