/* So many launches of a kernel of three instructions, and with a second argument a last one that waits for what nobody does:
 * many_launches N [wait]. Says what the kernels have counted, or which launch failed; the watchdog ends it. */
#include <cuda.h>

#include <stdio.h>
#include <stdlib.h>

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry count(.param .u64 at)\n{\n.reg .b64 %rd<2>;\n"
                          "ld.param.u64 %rd1, [at]; red.global.add.u32 [%rd1], 1; ret;\n}\n"
                          ".visible .entry waits(.param .u64 at)\n{\n.reg .b64 %rd<2>; .reg .b32 %r<2>; .reg .pred %p<2>;\n"
                          "ld.param.u64 %rd1, [at]; L: ld.volatile.global.u32 %r1, [%rd1+4]; setp.eq.u32 %p1, %r1, 0;\n"
                          "@%p1 bra L; ret;\n}\n";

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1;
  unsigned counted = 0;
  CUcontext context;
  CUmodule module;
  CUfunction count, waits;
  CUdeviceptr at;
  if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) || cuModuleLoadData(&module, ptx)) return 2;
  if (cuModuleGetFunction(&count, module, "count") || cuModuleGetFunction(&waits, module, "waits")) return 2;
  if (cuMemAlloc(&at, 8) || cuMemsetD32(at, 0, 2)) return 2;
  for (int i = 0; i < n + (argc > 2); i++) {
    CUresult r = cuLaunchKernel(i < n ? count : waits, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&at}, NULL);
    if (!r) r = cuCtxSynchronize();
    if (!r) continue;
    printf("launch %d: %d\n", i, (int)r);
    return 1;
  }
  if (cuMemcpyDtoH(&counted, at, sizeof counted)) return 2;
  printf("counted %u\n", counted);
  return 0;
}
