/* PTX in the manner of what Triton emits for sm_90a (triton_manner.ptx) is loaded by the driver library and computes what it should: a
 * softmax of rows by four warps that meet in shared memory, and a product of two tiles that come by tensor copies. */
#include "cuda_kit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static CUmodule load(void) {
  CUmodule m;
  CU(cuModuleLoad(&m, "tests/cuda/triton_manner.ptx"));
  return m;
}

static void test_softmax_of_rows(void **state) {
  enum { ROWS = 5, COLUMNS = 500, PITCH = 512 };
  static float in[ROWS][PITCH], out[ROWS][PITCH];
  CUdeviceptr from, to, scratch = 0;
  CUfunction f;
  int pitch = PITCH, columns = COLUMNS;
  (void)state;
  kit_open();
  CUmodule m = load();
  for (unsigned i = 0; i < ROWS * PITCH; i++) in[i / PITCH][i % PITCH] = (float)(i * 2654435761u >> 20) / 512.0f - 4.0f;
  CU(cuMemAlloc(&from, sizeof in));
  CU(cuMemAlloc(&to, sizeof out));
  CU(cuMemcpyHtoD(from, in, sizeof in));
  CU(cuMemsetD8(to, 0, sizeof out));
  CU(cuModuleGetFunction(&f, m, "softmax_kernel"));
  CU(cuLaunchKernel(f, ROWS, 1, 1, 128, 1, 1, 16, NULL, (void *[]){&to, &from, &pitch, &pitch, &columns, &scratch}, NULL));
  CU(cuMemcpyDtoH(out, to, sizeof out));
  for (unsigned row = 0; row < ROWS; row++) {
    double sum = 0;
    for (unsigned i = 0; i < COLUMNS; i++) sum += exp(in[row][i]);
    for (unsigned i = 0; i < PITCH; i++) assert_true(fabs(out[row][i] - (i < COLUMNS ? exp(in[row][i]) / sum : 0)) < 1e-6);
  }
  CU(cuMemFree(from));
  CU(cuMemFree(to));
  CU(cuModuleUnload(m));
}

/* Small whole numbers, which f16 holds. */
static int value(unsigned row, unsigned k, unsigned seed) { return (int)((row * 31 + k * 17 + seed) * 2654435761u >> 29) - 4; }

static uint16_t half(int v) {
  static const uint16_t of[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400};
  return (uint16_t)(of[v < 0 ? -v : v] | (v < 0 ? 0x8000 : 0));
}

static void test_a_product_of_tiles(void **state) {
  enum { SIZE = 64 };
  static uint16_t in[2][SIZE][SIZE];
  static float out[SIZE][SIZE];
  const cuuint64_t dims[] = {SIZE, SIZE}, stride = SIZE * 2;
  const cuuint32_t box[] = {SIZE, SIZE}, steps[] = {1, 1};
  CUtensorMap map[2];
  CUdeviceptr from, to;
  CUfunction f;
  (void)state;
  kit_open();
  CUmodule m = load();
  for (unsigned i = 0; i < 2 * SIZE * SIZE; i++)
    in[i / SIZE / SIZE][i / SIZE % SIZE][i % SIZE] = half(value(i / SIZE % SIZE, i % SIZE, i / SIZE / SIZE));
  CU(cuMemAlloc(&from, sizeof in));
  CU(cuMemAlloc(&to, sizeof out));
  CU(cuMemcpyHtoD(from, in, sizeof in));
  for (unsigned i = 0; i < 2; i++)
    CU(cuTensorMapEncodeTiled(&map[i], CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, (void *)(uintptr_t)(from + i * sizeof in[0]), dims, &stride, box,
                              steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                              CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  CU(cuModuleGetFunction(&f, m, "dot_kernel"));
  CU(cuLaunchKernel(f, 1, 1, 1, 128, 1, 1, 16384 + 16, NULL, (void *[]){&map[0], &map[1], &to}, NULL));
  CU(cuMemcpyDtoH(out, to, sizeof out));
  for (unsigned i = 0; i < SIZE; i++)
    for (unsigned j = 0; j < SIZE; j++) {
      int sum = 0;
      for (unsigned k = 0; k < SIZE; k++) sum += value(i, k, 0) * value(j, k, 1);
      assert_true(out[i][j] == (float)sum);
    }
  CU(cuMemFree(from));
  CU(cuMemFree(to));
  CU(cuModuleUnload(m));
}

int main(void) {
  setenv("HEDDLE_GPU", "h200", 1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_softmax_of_rows), cmocka_unit_test(test_a_product_of_tiles)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
