// CUPTI's records and callbacks of a program on the runtime API, by the calls that they belong to, which are counted, and without times.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cupti.h>

__global__ void scale(int *p, int by) {
  __shared__ int tile[64];
  tile[threadIdx.x % 64] = by;
  p[threadIdx.x] *= tile[0];
}

enum { MOST = 1000 };
static struct { unsigned correlation, kind; char text[200]; } rows[MOST];
static int n, called;
static cudaStream_t s;

static const char *which(CUcontext c, unsigned id) {
  unsigned of_s = 0;
  cuptiGetStreamId(c, s, &of_s);
  return id == of_s ? "s" : id == 0xffffffffu ? "none" : "default";
}

static void note(CUpti_Activity *r) {
  static const char *copies[] = {"?", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH"};
  const char *name = "";
  char *t = rows[n].text;
  rows[n].kind = r->kind;
  if (r->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
    CUpti_ActivityKernel10 *k = (CUpti_ActivityKernel10 *)r;
    rows[n].correlation = k->correlationId;
    sprintf(t, "kernel %s grid %d %d %d block %d %d %d shared %d+%d stream %s %s%s%s", k->name, k->gridX, k->gridY, k->gridZ, k->blockX,
            k->blockY, k->blockZ, k->staticSharedMemory, k->dynamicSharedMemory, which(0, k->streamId), k->registersPerThread ? "registers " : "",
            k->start < k->end ? "takes time" : "takes none", k->graphId ? ", of a graph" : "");
  } else if (r->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
    CUpti_ActivityMemcpy6 *c = (CUpti_ActivityMemcpy6 *)r;
    rows[n].correlation = c->correlationId;
    sprintf(t, "copy %s %d to %d, %llu bytes, flags %d stream %s", copies[c->copyKind], c->srcKind, c->dstKind, (unsigned long long)c->bytes,
            c->flags, which(0, c->streamId));
  } else if (r->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
    CUpti_ActivityMemset4 *m = (CUpti_ActivityMemset4 *)r;
    rows[n].correlation = m->correlationId;
    sprintf(t, "fill %u, %llu bytes, flags %d memory %d stream %s", m->value, (unsigned long long)m->bytes, m->flags, m->memoryKind,
            which(0, m->streamId));
  } else if (r->kind == CUPTI_ACTIVITY_KIND_RUNTIME) {
    CUpti_ActivityAPI *a = (CUpti_ActivityAPI *)r;
    rows[n].correlation = a->correlationId;
    cuptiGetCallbackName(CUPTI_CB_DOMAIN_RUNTIME_API, a->cbid, &name);
    sprintf(t, "call %s answered %u%s", name, a->returnValue, a->start <= a->end ? "" : " before it began");
  } else if (r->kind == CUPTI_ACTIVITY_KIND_SYNCHRONIZATION) {
    CUpti_ActivitySynchronization2 *y = (CUpti_ActivitySynchronization2 *)r;
    rows[n].correlation = y->correlationId;
    sprintf(t, "synchronization %d stream %s event %s", y->type, which(0, y->streamId), y->cudaEventId == 0xffffffffu ? "none" : "e");
  } else if (r->kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION) {
    CUpti_ActivityExternalCorrelation *e = (CUpti_ActivityExternalCorrelation *)r;
    rows[n].correlation = e->correlationId;
    sprintf(t, "external %d: %llu", e->externalKind, (unsigned long long)e->externalId);
  } else {
    return;
  }
  n++;
}

static void CUPTIAPI request(uint8_t **buffer, size_t *bytes, size_t *most) {
  *buffer = (uint8_t *)aligned_alloc(8, *bytes = 4096);
  *most = 0;
}
static void CUPTIAPI complete(CUcontext, uint32_t, uint8_t *buffer, size_t, size_t valid) {
  CUpti_Activity *r = NULL;
  while (n < MOST && cuptiActivityGetNextRecord(buffer, valid, &r) == CUPTI_SUCCESS) note(r);
  free(buffer);
}
static void CUPTIAPI callback(void *, CUpti_CallbackDomain, CUpti_CallbackId id, const void *data) {
  const CUpti_CallbackData *d = (const CUpti_CallbackData *)data;
  called++;
  if (id != CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000) return;
  if (d->callbackSite == CUPTI_API_ENTER) *d->correlationData = 5;
  printf("%s %s %s %d\n", d->callbackSite == CUPTI_API_ENTER ? "enters" : "leaves", d->functionName, d->symbolName, (int)*d->correlationData);
}

static int by_correlation(const void *a, const void *b) {
  const unsigned *x = (const unsigned *)a, *y = (const unsigned *)b; // correlation, kind
  if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
  return x[1] != y[1] ? (x[1] < y[1] ? -1 : 1) : strcmp((const char *)(x + 2), (const char *)(y + 2));
}

int main() {
  static const CUpti_ActivityKind kinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET,
                                             CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
                                             CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION};
  static int plain[256];
  int *p, *pinned;
  cudaEvent_t e;
  cudaGraph_t g;
  cudaGraphExec_t x;
  CUpti_SubscriberHandle h;
  uint64_t id = 0;
  cudaFree(0);
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaHostAlloc(&pinned, 4096, 0);
  cudaEventCreate(&e);
  printf("%d %d\n", cuptiActivityRegisterCallbacks(request, complete), cuptiSubscribe(&h, callback, 0));
  for (CUpti_ActivityKind k : kinds) printf("kind %d: %d\n", k, cuptiActivityEnable(k));
  printf("both kinds of kernels: %d\n", cuptiActivityEnable(CUPTI_ACTIVITY_KIND_KERNEL));
  cudaMalloc(&p, 4096);
  cudaMemset(p, 1, 4096);
  cudaMemsetAsync(p, 2, 64, s);
  cudaMemcpy(p, plain, 1024, cudaMemcpyHostToDevice);
  cudaMemcpyAsync(p, pinned, 4096, cudaMemcpyHostToDevice, s);
  cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 41);
  cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_UNKNOWN, 42);
  scale<<<dim3(2, 3), 64, 128, s>>>(p, 2);
  printf("popped %d", cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_UNKNOWN, &id));
  printf(" %d\n", (int)id);
  cudaEventRecord(e, s);
  cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &id);
  cudaStreamWaitEvent(0, e, 0);
  scale<<<1, 32>>>(p, 3);
  cudaEventSynchronize(e);
  cudaStreamSynchronize(s);
  cudaMemcpy(plain, p, 1024, cudaMemcpyDeviceToHost);
  cudaMemcpyAsync(p + 256, p, 512, cudaMemcpyDeviceToDevice, s);
  cudaDeviceSynchronize();
  scale<<<1, 2000>>>(p, 1);
  cudaGetLastError();
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  scale<<<1, 32, 0, s>>>(p, 1);
  cudaMemsetAsync(p, 0, 64, s);
  cudaStreamEndCapture(s, &g);
  cudaGraphInstantiate(&x, g, 0);
  cudaGraphLaunch(x, s);
  cudaStreamSynchronize(s);
  printf("callbacks that nobody enabled: %d\n", called);
  printf("%d\n", cuptiEnableDomain(1, h, CUPTI_CB_DOMAIN_RUNTIME_API));
  scale<<<1, 32>>>(p, 1);
  cudaDeviceSynchronize();
  printf("%d callbacks, unsubscribed: %d\n", called, cuptiUnsubscribe(h));
  cudaFree(p);
  printf("flushed: %d\n", cuptiActivityFlushAll(1));
  size_t dropped = 9;
  cuptiActivityGetNumDroppedRecords(0, 0, &dropped);
  printf("dropped: %d\n", (int)dropped);
  qsort(rows, n, sizeof *rows, by_correlation);
  for (int i = 0, call = 0; i < n; call++) {
    int end = i;
    bool runtime = false; // what belongs to the driver alone is the driver's business
    for (; end < n && rows[end].correlation == rows[i].correlation; end++) runtime |= rows[end].kind == CUPTI_ACTIVITY_KIND_RUNTIME;
    call -= !runtime;
    for (; i < end; i++)
      if (runtime) printf("%d %s\n", call, rows[i].text);
  }
  return 0;
}
