/* A program that compiles or links while it runs and launches what came out: jit_program compile ARCH... | link | lto | code. It says what
 * each step answered, and what the kernel wrote. */
#include <cuda.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int nvrtcCreateProgram(void **, const char *, const char *, int, const char *const *, const char *const *);
int nvrtcCompileProgram(void *, int, const char *const *);
int nvrtcGetProgramLogSize(void *, size_t *);
int nvrtcGetProgramLog(void *, char *);
int nvrtcGetCUBINSize(void *, size_t *);
int nvrtcGetCUBIN(void *, char *);
int nvrtcDestroyProgram(void **);
const char *nvrtcGetErrorString(int);
int __nvJitLinkCreate_13_0(void **, unsigned, const char *const *);
int __nvJitLinkAddData_13_0(void *, int, const void *, size_t, const char *);
int __nvJitLinkComplete_13_0(void *);
int __nvJitLinkGetLinkedCubinSize_13_0(void *, size_t *);
int __nvJitLinkGetLinkedCubin_13_0(void *, void *);
int __nvJitLinkGetErrorLogSize_13_0(void *, size_t *);
int __nvJitLinkGetErrorLog_13_0(void *, char *);
int __nvJitLinkDestroy_13_0(void **);

static void launch(const void *image) {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction f;
  CUdeviceptr out = 0;
  int got = 0;
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuDevicePrimaryCtxRetain(&context, device);
  cuCtxSetCurrent(context);
  CUresult r = cuModuleLoadData(&module, image);
  if (r == CUDA_SUCCESS) r = cuModuleGetFunction(&f, module, "k");
  if (r == CUDA_SUCCESS) r = cuMemAlloc(&out, 4);
  void *args[] = {&out};
  if (r == CUDA_SUCCESS) r = cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL);
  if (r == CUDA_SUCCESS) r = cuMemcpyDtoH(&got, out, 4);
  printf("launch %d, wrote %d\n", (int)r, got);
}

static void compile(int n, char **options) {
  void *p;
  size_t bytes = 0;
  char log[1024] = "";
  nvrtcCreateProgram(&p, "extern \"C\" __global__ void k(int *out) { *out = 42; }", "k.cu", 0, NULL, NULL);
  int result = nvrtcCompileProgram(p, n, (const char *const *)options);
  nvrtcGetProgramLogSize(p, &bytes);
  if (bytes <= sizeof log) nvrtcGetProgramLog(p, log);
  printf("compile %s%s%s\n", nvrtcGetErrorString(result), *log ? ": " : "", log);
  if (!result && !nvrtcGetCUBINSize(p, &bytes) && bytes) {
    char *image = malloc(bytes);
    nvrtcGetCUBIN(p, image);
    launch(image);
    free(image);
  }
  nvrtcDestroyProgram(&p);
}

#define HEAD ".version 7.0\n.target sm_80\n.address_size 64\n"
static const char caller[] = HEAD ".extern .func (.param .b32 r) value();\n.visible .entry k(.param .u64 out)\n{\n"
                                  ".reg .b64 %rd<3>; .reg .b32 %r<2>;\n"
                                  "ld.param.u64 %rd1, [out]; cvta.to.global.u64 %rd2, %rd1;\n"
                                  "{ .param .b32 got; call (got), value; ld.param.b32 %r1, [got]; }\nst.global.u32 [%rd2], %r1; ret;\n}\n";
static const char callee[] = HEAD ".visible .func (.param .b32 r) value()\n{\nst.param.b32 [r], 42; ret;\n}\n";

static void link_all(const char *const *options, unsigned n, int type) {
  void *h;
  size_t bytes = 0;
  char log[1024] = "";
  int result = __nvJitLinkCreate_13_0(&h, n, options);
  if (!result) result = __nvJitLinkAddData_13_0(h, type, caller, sizeof caller, "caller");
  if (!result) result = __nvJitLinkAddData_13_0(h, type, callee, sizeof callee, "callee");
  if (!result) result = __nvJitLinkComplete_13_0(h);
  __nvJitLinkGetErrorLogSize_13_0(h, &bytes);
  if (bytes && bytes <= sizeof log) __nvJitLinkGetErrorLog_13_0(h, log);
  printf("link %d%s%s\n", result, *log ? ": " : "", log);
  if (!result && !__nvJitLinkGetLinkedCubinSize_13_0(h, &bytes)) {
    char *image = malloc(bytes);
    __nvJitLinkGetLinkedCubin_13_0(h, image);
    launch(image);
    free(image);
  }
  __nvJitLinkDestroy_13_0(&h);
}

int main(int argc, char **argv) {
  static const char *const options[] = {"-arch=sm_90", "-lto"};
  if (argc > 1 && !strcmp(argv[1], "compile")) compile(argc - 2, argv + 2);
  if (argc > 1 && !strcmp(argv[1], "link")) link_all(options, 1, 2);
  if (argc > 1 && !strcmp(argv[1], "lto")) link_all(options, 2, 3);
  if (argc > 1 && !strcmp(argv[1], "code")) link_all(options, 1, 1);
  return 0;
}
