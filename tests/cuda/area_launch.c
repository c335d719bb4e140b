/* Launches: parameters in both forms, shapes that are refused, dynamic shared memory, cooperative grids,
 * attributes. */
#include "cuda_kit.h"

struct pair {
  int a;
  double b;
  char c[3];
};

static void parameters(void) {
  CUdeviceptr out;
  char a = -3;
  short b = -300;
  int c = 70000;
  long long d = 1ll << 40, got[7];
  float e = 1.25f;
  double f = -2.5;
  struct pair p = {1, 2.0, {3, 4, 5}};
  CU(cuMemAlloc(&out, sizeof got));
  CU(LAUNCH(kit_function("many_params"), 1, 1, 0, NULL, &out, &a, &b, &c, &d, &e, &f, &p));
  CU(cuMemcpyDtoH(got, out, sizeof got));
  for (int i = 0; i < 7; i++) printf("%lld ", got[i]);
  printf("\n");
  unsigned char block[64] = {0};
  size_t bytes = sizeof block;
  memcpy(block, &out, 8);
  block[8] = 9;
  memcpy(block + 10, &b, 2);
  memcpy(block + 12, &c, 4);
  memcpy(block + 16, &d, 8);
  memcpy(block + 24, &e, 4);
  memcpy(block + 32, &f, 8);
  memcpy(block + 40, &p, sizeof p);
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, block, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  CU(cuLaunchKernel(kit_function("many_params"), 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
  CU(cuMemcpyDtoH(got, out, sizeof got));
  for (int i = 0; i < 7; i++) printf("%lld ", got[i]);
  printf("\n");
  bytes = 72;
  SHOW(cuLaunchKernel(kit_function("many_params"), 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
  bytes = 56;
  SHOW(cuLaunchKernel(kit_function("many_params"), 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
  CU(cuMemFree(out));
}

static void refusals(void) {
  CUfunction f = kit_function("add");
  CUdeviceptr p = kit_ints(1024, 0);
  int one = 1, n = 1024;
  void *args[] = {&p, &one, &n};
  SHOW(cuLaunchKernel(f, 0, 1, 1, 32, 1, 1, 0, NULL, args, NULL));
  SHOW(cuLaunchKernel(f, 1, 1, 1, 0, 1, 1, 0, NULL, args, NULL));
  SHOW(cuLaunchKernel(f, 1, 1, 1, 1025, 1, 1, 0, NULL, args, NULL));
  SHOW(cuLaunchKernel(f, 1, 1, 1, 32, 33, 1, 0, NULL, args, NULL));
  SHOW(cuLaunchKernel(f, 1, 1, 1, 1, 1, 65, 0, NULL, args, NULL));
  SHOW(cuLaunchKernel(f, 1, 65536, 1, 1, 1, 1, 0, NULL, args, NULL));
  SHOW(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 49153, NULL, args, NULL));
  SHOW(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
  SHOW(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
  SHOW(cuLaunchKernel(kit_function("bounded"), 1, 1, 1, 256, 1, 1, 0, NULL, (void *[]){&p}, NULL));
  SHOW(cuLaunchCooperativeKernel(f, 1000000, 1, 1, 32, 1, 1, 0, NULL, args));
  SHOW(cuLaunchCooperativeKernel(f, 4, 1, 1, 256, 1, 1, 0, NULL, args));
  printf("sum %lld\n", kit_sum(p, 1024));
  CUlaunchAttribute a[] = {{.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1},
                           {.id = CU_LAUNCH_ATTRIBUTE_PRIORITY, .value.priority = -1}};
  CUlaunchConfig c = {.gridDimX = 2,
                      .gridDimY = 1,
                      .gridDimZ = 1,
                      .blockDimX = 512,
                      .blockDimY = 1,
                      .blockDimZ = 1,
                      .attrs = a,
                      .numAttrs = 2};
  SHOW(cuLaunchKernelEx(&c, f, args, NULL));
  printf("sum %lld\n", kit_sum(p, 1024));
  CU(cuMemFree(p));
}

static void dynamic_shared(void) {
  CUfunction f = kit_function("reverse");
  CUdeviceptr p;
  int data[1024];
  for (int i = 0; i < 1024; i++) data[i] = i;
  CU(cuMemAlloc(&p, sizeof data));
  CU(cuMemcpyHtoD(p, data, sizeof data));
  CU(LAUNCH(f, 1, 1024, 4096, NULL, &p));
  CU(cuMemcpyDtoH(data, p, sizeof data));
  printf("%d %d %d\n", data[0], data[1], data[1023]);
  SHOW(LAUNCH(f, 1, 1024, 100000, NULL, &p));
  CU(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
  SHOW(LAUNCH(f, 1, 1024, 100000, NULL, &p));
  CU(cuMemcpyDtoH(data, p, sizeof data));
  printf("%d %d %d\n", data[0], data[1], data[1023]);
  CU(cuMemFree(p));
}

static void output(void) {
  int x = 11;
  CU(LAUNCH(kit_function("prints"), 2, 2, 0, NULL, &x));
  printf("before the synchronisation\n");
  fflush(stdout);
  CU(cuCtxSynchronize());
  printf("after it\n");
}

static void device_heap(void) {
  CUdeviceptr slot = kit_ints(2, 0), out = kit_ints(1, 0);
  CU(LAUNCH(kit_function("allocates"), 1, 1, 0, NULL, &slot));
  CU(LAUNCH(kit_function("frees"), 1, 1, 0, NULL, &slot, &out));
  printf("from the device's heap: %lld\n", kit_sum(out, 1));
}

int main(void) {
  kit_open();
  parameters();
  refusals();
  dynamic_shared();
  output();
  device_heap();
  return kit_failed;
}
