/* A CUDA program for tests/cli/faults.sh: a kernel adds one to a word at a distance from the second of three allocations, while
 * other threads keep memory busy, in two streams. touch_program DISTANCE [host|freed|null|twice]. Prints what synchronising answers,
 * the word, and ends with status 3. */
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 4096, BUSY = 1 << 20 };

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n.file 1 \"touch.cu\"\n"
    ".visible .entry touch(.param .u64 p, .param .u64 distance, .param .u64 busy)\n{\n"
    ".reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %rd<12>;\n"
    "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [distance]; ld.param.u64 %rd3, [busy]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"
    "add.u64 %rd1, %rd1, %rd2; mad.lo.u32 %r3, %r2, 128, %r1; mul.wide.u32 %rd4, %r3, 4; add.u64 %rd4, %rd3, %rd4; mov.u32 %r4, 0;\n"
    "L: ld.global.u32 %r5, [%rd4]; add.u32 %r5, %r5, 1; st.global.u32 [%rd4], %r5; add.u32 %r4, %r4, 1;\n"
    "setp.lt.u32 %p1, %r4, 8; @%p1 bra L; setp.ne.u32 %p2, %r3, 300; @%p2 bra E;\n"
    ".loc 1 42 0\nld.global.u32 %r6, [%rd1]; add.u32 %r6, %r6, 1;\n.loc 1 43 0\nst.global.u32 [%rd1], %r6;\nE: ret;\n}\n";

#define OK(call)                                                                                                                 \
  do {                                                                                                                           \
    CUresult r_ = (call);                                                                                                        \
    if (r_) printf("%s: %d\n", #call, (int)r_);                                                                                  \
  } while (0)

int main(int argc, char **argv) {
  const char *how = argc > 2 ? argv[2] : "";
  CUcontext ctx;
  CUmodule module;
  CUfunction f;
  CUdeviceptr first, second, third, busy;
  CUstream other;
  OK(cuInit(0));
  OK(cuDevicePrimaryCtxRetain(&ctx, 0));
  OK(cuCtxSetCurrent(ctx));
  OK(cuModuleLoadData(&module, ptx));
  OK(cuModuleGetFunction(&f, module, "touch"));
  OK(cuMemAlloc(&busy, BUSY));
  OK(cuMemAlloc(&first, BYTES));
  OK(cuMemAlloc(&second, BYTES));
  OK(cuMemAlloc(&third, BYTES));
  OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
  uint32_t *host = calloc(1, BUSY), word = 0;
  CUdeviceptr p = !strcmp(how, "host") ? (uintptr_t)host : !strcmp(how, "null") ? 0 : second;
  long long distance = argc > 1 ? atoll(argv[1]) : 0, none = 0;
  if (!strcmp(how, "freed")) OK(cuMemFree(second));
  OK(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, other, (void *[]){&busy, &none, &busy}, NULL));
  for (int i = 0; i < (strcmp(how, "twice") ? 1 : 2); i++)
    OK(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, NULL, (void *[]){&p, &distance, &busy}, NULL));
  printf("synchronise %d\n", (int)cuCtxSynchronize());
  printf("then %d\n", (int)cuMemAlloc(&busy, 4));
  if (cuMemcpyDtoH(&word, first, 4) == CUDA_SUCCESS) printf("first %u ", word);
  if (cuMemcpyDtoH(&word, third, 4) == CUDA_SUCCESS) printf("third %u host %u\n", word, host[0]);
  return 3;
}
