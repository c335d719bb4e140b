/* Decoding of cvt, from PTX text: registers wider than their type, immediates, special registers, pairs and
 * cvt.pack, and what is refused. The values themselves are the matter of test_convert.c. */
#include "kernel_kit.h"

#include <string.h>

static void expect32(struct kit *k, const char *lines, uint32_t want) {
  uint32_t got;
  kit_run(k, 32, kit_text("%s st.global.u32 [%%rd5], %%r9;", lines));
  memcpy(&got, (const unsigned char *)kit_out(k) + 4 * 5, 4);
  if (got != want) fail_msg("%s gives %#x, not %#x", lines, got, want);
}
static void expect64(struct kit *k, const char *lines, uint64_t want) {
  uint64_t got;
  kit_run(k, 32, kit_text("%s st.global.u64 [%%rd7], %%rd9;", lines));
  memcpy(&got, (const unsigned char *)kit_out(k) + 8 * 5, 8);
  if (got != want)
    fail_msg("%s gives %#llx, not %#llx", lines, (unsigned long long)got, (unsigned long long)want);
}

static void test_a_register_may_be_wider_than_its_type(void **state) {
  struct kit *k = *state;
  expect32(k, "mov.u64 %rd8, 0x11223344556677f8; cvt.s32.s8 %r9, %rd8;", 0xfffffff8u);
  expect32(k, "mov.u64 %rd8, 0x11223344556677f8; cvt.u32.u16 %r9, %rd8;", 0x77f8u);
  expect64(k, "mov.u32 %r8, 0x80000000; cvt.s32.s32 %rd9, %r8;", 0xffffffff80000000u);
  expect64(k, "mov.u32 %r8, 0x1ff; cvt.u8.u32 %rd9, %r8;", 0xffu);
  expect32(k, "mov.u32 %r8, 0x1fff0; cvt.s16.s32 %r9, %r8;", 0xfffffff0u);
}

static void test_sources_may_be_immediate_or_special(void **state) {
  struct kit *k = *state;
  expect64(k, "cvt.u64.u32 %rd9, %tid.x;", 5);
  expect32(k, "cvt.u32.u16 %r9, %tid.x;", 5);
  expect32(k, "cvt.rn.f32.s32 %f9, -3; mov.b32 %r9, %f9;", 0xc0400000u);
  expect32(k, "cvt.rzi.s32.f32 %r9, 0f40600000;", 3);
}

static void test_a_partial_mask_keeps_the_other_lanes(void **state) {
  struct kit *k = *state;
  expect32(k, "mov.u32 %r9, 7; setp.ne.u32 %p1, %r1, 5; @%p1 cvt.rzi.u32.f32 %r9, 0f40600000;", 7);
  expect32(k, "mov.u32 %r9, 7; setp.eq.u32 %p1, %r1, 5; @%p1 cvt.rzi.u32.f32 %r9, 0f40600000;", 3);
}

static void test_pairs_take_two_sources(void **state) {
  struct kit *k = *state;
  expect32(k, "mov.f32 %f1, 0f3f800000; mov.f32 %f2, 0fc0000000; cvt.rn.f16x2.f32 %r9, %f1, %f2;",
           0x3c00c000u);
  expect32(k, "mov.u32 %r8, 300; mov.u32 %r7, -9; cvt.pack.sat.u8.s32.b32 %r9, %r8, %r7, 0x1234;",
           0x1234ff00u);
  kit_refuses(k, "cvt.rn.f16x2.f32 %r9, %f1;", "number of operands");
}

static void test_what_does_not_exist_is_refused(void **state) {
  struct kit *k = *state;
  kit_refuses(k, "cvt.rs.f16x2.f32 %r9, %f1, %f2;", "cvt");
  kit_refuses(k, "cvt.u32.u32 _, %r8;", "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_a_register_may_be_wider_than_its_type, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_sources_may_be_immediate_or_special, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_a_partial_mask_keeps_the_other_lanes, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_pairs_take_two_sources, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_what_does_not_exist_is_refused, kit_setup, kit_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
