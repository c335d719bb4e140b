/* Streams and events: order, host functions, waiting across streams, values in memory, time, default streams.
 */
#include "cuda_kit.h"

static char trace[64];
static void note(void *letter) { trace[strlen(trace)] = *(const char *)letter; }
static void noted(CUstream s, CUresult status, void *letter) {
  (void)s;
  if (status == CUDA_SUCCESS) note(letter);
}

static void order(void) {
  CUstream a, b;
  CUevent e;
  int one = 1, ten = 10, n = 64, host = 0;
  CUdeviceptr p = kit_ints(64, 0);
  CU(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
  CU(cuStreamCreateWithPriority(&b, CU_STREAM_NON_BLOCKING, -3));
  CU(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
  CU(cuLaunchHostFunc(a, note, "a"));
  CU(LAUNCH(kit_function("add"), 1, 64, 0, a, &p, &one, &n));
  CU(cuStreamAddCallback(a, noted, "b", 0));
  CU(cuEventRecord(e, a));
  CU(cuStreamWaitEvent(b, e, 0));
  CU(cuLaunchHostFunc(b, note, "c"));
  CU(LAUNCH(kit_function("add"), 1, 64, 0, b, &p, &ten, &n));
  CU(cuMemcpyDtoHAsync(&host, p, 4, b));
  CU(cuLaunchHostFunc(b, note, "d"));
  CU(cuStreamSynchronize(b));
  printf("%s %d\n", trace, host);
  SHOW(cuStreamQuery(a));
  SHOW(cuEventQuery(e));
  unsigned flags;
  int priority;
  CU(cuStreamGetFlags(b, &flags));
  CU(cuStreamGetPriority(b, &priority));
  printf("flags %u priority %d\n", flags, priority);
  SHOW(cuStreamCreate(&a, 99));
  CU(cuStreamDestroy(b));
  SHOW(cuStreamQuery(NULL));
  SHOW(cuStreamQuery(CU_STREAM_PER_THREAD));
  CU(cuEventDestroy(e));
  CU(cuMemFree(p));
}

static void values(void) {
  CUstream a, b;
  CUdeviceptr flag = kit_ints(2, 0), p = kit_ints(64, 1);
  int by = 4, n = 64;
  CU(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
  CU(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
  CU(cuStreamWaitValue32(a, flag, 5, CU_STREAM_WAIT_VALUE_GEQ)); /* not there yet */
  CU(LAUNCH(kit_function("add"), 1, 64, 0, a, &p, &by, &n));
  SHOW(cuStreamQuery(a));
  CU(cuStreamWriteValue32(b, flag, 6, 0));
  CU(cuStreamSynchronize(a));
  printf("sum %lld\n", kit_sum(p, 64));
  CU(cuStreamDestroy(a));
  CU(cuStreamDestroy(b));
}

static void times(void) {
  CUevent start, end, silent;
  float ms = -1, longer = -1;
  float a = 2;
  int n = 1 << 16;
  CUdeviceptr x = kit_ints(1 << 16, 0), y = kit_ints(1 << 16, 0);
  CU(cuEventCreate(&start, CU_EVENT_DEFAULT));
  CU(cuEventCreate(&end, CU_EVENT_DEFAULT));
  CU(cuEventCreate(&silent, CU_EVENT_DISABLE_TIMING));
  SHOW(cuEventElapsedTime(&ms, start, end));
  CU(cuEventRecord(start, NULL));
  CU(LAUNCH(kit_function("saxpy"), 16, 256, 0, NULL, &a, &x, &y, &n));
  CU(cuEventRecord(end, NULL));
  CU(cuEventSynchronize(end));
  CU(cuEventElapsedTime(&ms, start, end));
  CU(cuEventRecord(start, NULL));
  for (int i = 0; i < 50; i++) CU(LAUNCH(kit_function("saxpy"), 256, 256, 0, NULL, &a, &x, &y, &n));
  CU(cuEventRecord(end, NULL));
  CU(cuEventSynchronize(end));
  CU(cuEventElapsedTime(&longer, start, end));
  printf("time passed %d, fifty launches take longer %d\n", ms > 0, longer > ms);
  CU(cuEventRecord(silent, NULL));
  CU(cuCtxSynchronize());
  SHOW(cuEventElapsedTime(&ms, start, silent));
  SHOW(cuEventQuery(silent));
}

int main(void) {
  kit_open();
  order();
  values();
  times();
  return kit_failed;
}
