/* What the API test programs share: checked calls, checked conditions, the kernels' PTX, a context.
 *
 * A program prints what it saw, so that its output can be compared with the one recorded on a real GPU, and
 * ends with a non-zero status if a check of its own failed. */
#ifndef CUDA_KIT_H
#define CUDA_KIT_H

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__asm__(
    ".pushsection .rodata\n.balign 16\nkit_ptx:\n.incbin \"tests/cuda/kernels.ptx\"\n.byte 0\n.popsection");
extern const char kit_ptx[];

__attribute__((unused)) static int kit_failed;

/* A call that must succeed; the program ends if it does not. */
#define CU(call)                                                                                             \
  do {                                                                                                       \
    CUresult r_ = (call);                                                                                    \
    if (r_ != CUDA_SUCCESS) {                                                                                \
      printf("%s:%d: %s answered %d\n", __FILE__, __LINE__, #call, (int)r_);                                 \
      exit(1);                                                                                               \
    }                                                                                                        \
  } while (0)
/* A call whose answer is printed. */
#define SHOW(call) printf("%s: %d\n", #call, (int)(call))
/* A condition that must hold. */
#define CHECK(condition)                                                                                     \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                         \
      kit_failed = 1;                                                                                        \
    }                                                                                                        \
  } while (0)

static CUcontext kit_context;
static CUmodule kit_module;

__attribute__((unused)) static void kit_open(void) {
  CU(cuInit(0));
  CU(cuDevicePrimaryCtxRetain(&kit_context, 0));
  CU(cuCtxSetCurrent(kit_context));
  CU(cuModuleLoadData(&kit_module, kit_ptx));
}

__attribute__((unused)) static CUfunction kit_function(const char *name) {
  CUfunction f;
  CU(cuModuleGetFunction(&f, kit_module, name));
  return f;
}

/* Launches with one block row. */
#define LAUNCH(f, blocks, threads, shared, stream, ...)                                                      \
  cuLaunchKernel(f, blocks, 1, 1, threads, 1, 1, shared, stream, (void *[]){__VA_ARGS__}, NULL)

__attribute__((unused)) static CUdeviceptr kit_ints(size_t n, int value) {
  CUdeviceptr p;
  CU(cuMemAlloc(&p, n * sizeof(int)));
  CU(cuMemsetD32(p, (unsigned)value, n));
  return p;
}

__attribute__((unused)) static long long kit_sum(CUdeviceptr p, size_t n) {
  int *h = malloc(n * sizeof *h);
  CU(cuMemcpyDtoH(h, p, n * sizeof *h));
  long long sum = 0;
  for (size_t i = 0; i < n; i++) sum += h[i];
  free(h);
  return sum;
}

#endif
