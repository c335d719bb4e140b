/* Records of launches beyond a limit are summed, one a kernel's name, and nothing is lost. */
#include "gpu_rig.h"

static const char store[] = "st.global.u32 [%rd1], %r1;";

static void test_no_limit(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, ONE_SM, NULL);
  for (int i = 0; i < 20; i++) rig_run(&r, store, 1, 32, 0);
  assert_int_equal(gpu_kernels(r.gpu), 20);
  assert_int_equal(gpu_folded(r.gpu), 0);
  assert_int_equal(gpu_kernel_at(r.gpu, 19)->launches, 1);
  rig_close(&r);
}

static void test_beyond_the_limit(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, ONE_SM, NULL);
  gpu_set_row_limit(r.gpu, 3);
  for (unsigned i = 0; i < 20; i++) rig_run(&r, store, 1 + i % 2, 32, 0);
  assert_int_equal(gpu_kernels(r.gpu), 4); /* three, and the newest */
  assert_int_equal(gpu_kernel_at(r.gpu, 3)->grid[0], 2);
  assert_int_equal(gpu_kernel_at(r.gpu, 3)->launches, 1);
  assert_int_equal(gpu_folded(r.gpu), 1);
  const struct gpu_kernel *sum = gpu_folded_at(r.gpu, 0);
  assert_string_equal(sum->name, "k");
  assert_int_equal(sum->launches, 16);
  uint64_t cycles = sum->cycles, instructions = sum->warp_instructions, counted[2] = {0};
  for (size_t i = 0; i < 4; i++) {
    cycles += gpu_kernel_at(r.gpu, i)->cycles;
    instructions += gpu_kernel_at(r.gpu, i)->warp_instructions;
  }
  assert_int_equal(cycles, gpu_cycles(r.gpu));
  assert_int_equal(instructions, stats_get(gpu_stats(r.gpu), "sm.warp_instructions"));
  for (size_t i = 0; i < stats_count(gpu_stats(r.gpu)); i++) {
    if (strcmp(stats_def(gpu_stats(r.gpu), i)->name, "sm.warp_instructions")) continue;
    for (size_t k = 0; k < 4; k++) counted[0] += gpu_kernel_at(r.gpu, k)->counters[i];
    counted[1] = sum->counters[i];
  }
  assert_int_equal(counted[0] + counted[1], instructions);
  rig_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_limit), cmocka_unit_test(test_beyond_the_limit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
