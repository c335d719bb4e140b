/* Contexts: the stack, the primary context, flags and limits. */
#include "cuda_kit.h"

/* What the current context answers, which is the primary one. */
static void look(const char *when) {
  CUcontext c;
  CUdevice d = -1;
  CUdeviceptr p;
  unsigned flags, version;
  unsigned long long id;
  int active;
  CU(cuCtxGetCurrent(&c));
  CU(cuDevicePrimaryCtxGetState(0, &flags, &active));
  printf("%s: active %d\n", when, active);
  SHOW(cuCtxGetDevice(&d));
  SHOW(cuMemAlloc(&p, 64));
  SHOW(cuCtxGetApiVersion(c, &version));
  SHOW(cuCtxGetFlags(&flags));
  SHOW(cuCtxGetId(c, &id));
  SHOW(cuCtxSynchronize());
}

/* The handle of the primary context is the same when it was released, or reset, and retained again; current meanwhile it knows its
 * device and nothing more. */
static void primary_again(CUcontext before) {
  CUcontext c;
  CU(cuDevicePrimaryCtxRetain(&c, 0));
  CHECK(c == before);
  CU(cuCtxSetCurrent(c));
  look("retained");
  CU(cuDevicePrimaryCtxRelease(0));
  look("released");
  CU(cuCtxPushCurrent(c));
  look("pushed");
  CU(cuCtxPopCurrent(&c));
  CHECK(c == before);
  SHOW(cuDevicePrimaryCtxRelease(0));
  CU(cuDevicePrimaryCtxRetain(&c, 0));
  CHECK(c == before);
  look("retained again");
  CU(cuDevicePrimaryCtxReset(0));
  look("reset");
  SHOW(cuDevicePrimaryCtxRelease(0));
  CU(cuDevicePrimaryCtxRetain(&c, 0));
  CHECK(c == before);
  look("after that");
}

/* Modules and functions can be asked without a current context. */
static void modules_alone(CUcontext c) {
  CUmodule m;
  CUfunction f, functions[64];
  const char *name;
  unsigned n = 0;
  int value;
  size_t offset, bytes;
  CU(cuCtxSetCurrent(c));
  CU(cuModuleLoadData(&m, kit_ptx));
  CU(cuCtxSetCurrent(NULL));
  SHOW(cuModuleGetFunctionCount(&n, m));
  CHECK(n > 0 && n <= 64);
  SHOW(cuModuleEnumerateFunctions(functions, 64, m));
  SHOW(cuModuleGetFunction(&f, m, "add"));
  SHOW(cuFuncGetName(&name, f));
  SHOW(cuFuncGetParamInfo(f, 0, &offset, &bytes));
  SHOW(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
  SHOW(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 0));
  SHOW(cuModuleUnload(m));
}

/* A call that names a stream has its context, one of the default stream the current one. */
static void streams_alone(CUcontext c) {
  CUmodule m;
  CUfunction f;
  CUstream s;
  CUevent e, g;
  CUdeviceptr p, q;
  CUgraph graph;
  float ms;
  int here[16] = {0};
  CU(cuCtxSetCurrent(c));
  CU(cuModuleLoadData(&m, kit_ptx));
  CU(cuModuleGetFunction(&f, m, "traps"));
  CU(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  CU(cuEventCreate(&e, 0));
  CU(cuEventCreate(&g, 0));
  CU(cuMemAlloc(&p, sizeof here));
  CU(cuCtxSetCurrent(NULL));
  SHOW(cuMemAllocAsync(&q, sizeof here, s));
  SHOW(cuMemsetD8Async(p, 0, sizeof here, s));
  SHOW(cuMemcpyAsync(p, q, sizeof here, s));
  SHOW(cuMemcpyHtoDAsync(p, here, sizeof here, s));
  SHOW(cuMemFreeAsync(q, s));
  SHOW(cuMemsetD8(p, 0, sizeof here));
  SHOW(cuMemcpyHtoD(p, here, sizeof here));
  SHOW(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
  SHOW(cuEventRecord(e, s));
  SHOW(cuEventRecord(g, NULL));
  SHOW(cuStreamWaitEvent(s, e, 0));
  SHOW(cuEventRecord(g, s));
  SHOW(cuStreamSynchronize(s));
  SHOW(cuEventSynchronize(g));
  SHOW(cuEventElapsedTime(&ms, e, g));
  SHOW(cuStreamQuery(s));
  SHOW(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  SHOW(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, NULL, NULL));
  SHOW(cuStreamEndCapture(s, &graph));
  SHOW(cuMemFree(p));
  SHOW(cuEventDestroy(e));
  SHOW(cuStreamDestroy(s));
}

int main(void) {
  CUcontext a, b, c;
  CUctxCreateParams none = {0};
  unsigned flags, version;
  int active, least, greatest;
  size_t limit;
  CUdevice d;
  SHOW(cuDeviceGetCount(&active));
  CU(cuInit(0));
  SHOW(cuCtxGetCurrent(&a));
  CHECK(a == NULL);
  SHOW(cuCtxGetDevice(&d));
  SHOW(cuCtxSynchronize());
  CU(cuDevicePrimaryCtxGetState(0, &flags, &active));
  printf("primary: flags %u active %d\n", flags, active);
  CU(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_SPIN));
  CU(cuDevicePrimaryCtxRetain(&a, 0));
  CU(cuDevicePrimaryCtxRetain(&b, 0));
  CHECK(a == b);
  CU(cuDevicePrimaryCtxGetState(0, &flags, &active));
  printf("primary: flags %u active %d\n", flags, active);
  CU(cuCtxSetCurrent(a));
  CU(cuCtxCreate(&b, &none, CU_CTX_SCHED_YIELD, 0));
  CU(cuCtxGetCurrent(&c));
  CHECK(c == b);
  CU(cuCtxGetFlags(&flags));
  printf("own: flags %u\n", flags & CU_CTX_SCHED_MASK);
  CU(cuCtxGetApiVersion(b, &version));
  printf("version %u\n", version);
  CU(cuCtxPopCurrent(&c));
  CHECK(c == b);
  CU(cuCtxPushCurrent(b));
  CU(cuCtxGetStreamPriorityRange(&least, &greatest));
  printf("priorities %d to %d\n", least, greatest);
  CU(cuCtxGetLimit(&limit, CU_LIMIT_STACK_SIZE));
  printf("stack %zu\n", limit);
  CU(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
  CU(cuCtxGetLimit(&limit, CU_LIMIT_STACK_SIZE));
  printf("stack %zu\n", limit);
  SHOW(cuCtxGetLimit(&limit, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH));
  SHOW(cuCtxGetLimit(&limit, 77));
  CU(cuCtxDestroy(b));
  SHOW(cuCtxDestroy(NULL));
  CU(cuCtxGetCurrent(&c));
  CHECK(c == a);
  CUdeviceptr p;
  CU(cuMemAlloc(&p, 64));
  CU(cuDevicePrimaryCtxRelease(0));
  CU(cuMemFree(p));
  CU(cuCtxSetCurrent(NULL));
  SHOW(cuMemAlloc(&p, 64));
  CU(cuDevicePrimaryCtxRelease(0));
  SHOW(cuDevicePrimaryCtxRelease(0));
  CU(cuDevicePrimaryCtxGetState(0, &flags, &active));
  printf("primary: active %d\n", active);
  SHOW(cuCtxPopCurrent(&c));
  primary_again(a);
  modules_alone(a);
  streams_alone(a);
  return kit_failed;
}
