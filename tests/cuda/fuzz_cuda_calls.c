/* Makes sequences of driver calls from the input's bytes: handles of every kind, live, destroyed and
 * invented; sizes at the edges; streams, events, captures and graphs in any order. Nothing may crash, hang or
 * leak, and a call never writes through a pointer it was not given. Waits for values in memory are left out,
 * since nobody would write them. */
#include "cuda_kit.h"
#include "fuzz_kit.h"

#include <stdbool.h>

enum { SLOTS = 6 };

struct pot { /* what the sequence has made */
  CUcontext ctx[SLOTS];
  CUmodule module[SLOTS];
  CUfunction function[SLOTS];
  CUstream stream[SLOTS];
  CUevent event[SLOTS];
  CUgraph graph[SLOTS];
  CUgraphNode node[SLOTS];
  CUgraphExec exec[SLOTS];
  CUarray array[SLOTS];
  CUmemoryPool pool[SLOTS];
  CUlibrary library[SLOTS];
  CUkernel kernel[SLOTS];
  CUdeviceptr memory[SLOTS];
  CUtexObject texture[SLOTS];
  CUmemGenericAllocationHandle physical[SLOTS];
  CUdeviceptr range[SLOTS];
};

struct tape {
  const uint8_t *p, *end;
};
static unsigned byte(struct tape *t) { return t->p < t->end ? *t->p++ : 0; }
static unsigned slot(struct tape *t) { return byte(t) % SLOTS; }

static size_t size(struct tape *t) {
  static const size_t sizes[] = {
      0, 1, 4, 64, 255, 256, 1000, 4096, 65536, 2097152, (size_t)1 << 40, SIZE_MAX, SIZE_MAX - 3};
  return sizes[byte(t) % (sizeof sizes / sizeof *sizes)];
}

/* A stream: none, the special ones, one that was made, or nonsense. */
static CUstream stream(struct tape *t, const struct pot *s) {
  unsigned k = byte(t) % 12;
  if (k < 3) return (CUstream)(uintptr_t)k;
  if (k == 3) return (CUstream)(uintptr_t)0x123450;
  return s->stream[k % SLOTS];
}
static CUdeviceptr address(struct tape *t, const struct pot *s) {
  CUdeviceptr p = s->memory[slot(t)];
  unsigned k = byte(t);
  return k == 0 ? 0 : k == 1 ? 0x4321 : k < 16 ? p + k : p;
}

static char host[65536];
static void quiet(void *user) { ++*(int *)user; }
static int calls;

/* A slot holds one thing: what was there before goes, so that a long run does not pile up. */
static void keep_graph(CUgraph *at, CUresult r, const CUgraph *g) {
  if (r != CUDA_SUCCESS) return;
  cuGraphDestroy(*at);
  *at = *g;
}

static void call_memory(struct tape *t, struct pot *s) {
  size_t bytes = size(t);
  unsigned i = slot(t);
  CUdeviceptr at = address(t, s), other = address(t, s);
  size_t some = bytes < sizeof host ? bytes : sizeof host;
  unsigned value;
  switch (byte(t) % 20) {
  case 0:
    if (bytes < 1 << 24 || bytes > (size_t)1 << 39) cuMemAlloc(&s->memory[i], bytes);
    break;
  case 1: cuMemFree(at); break;
  case 2:
    if (bytes < 1 << 24) cuMemAllocManaged(&s->memory[i], bytes, 1 + byte(t) % 3);
    break;
  case 3: cuMemcpyHtoD(at, host, some); break;
  case 4: cuMemcpyDtoH(host, at, some); break;
  case 5: cuMemcpyDtoDAsync(at, other, bytes, stream(t, s)); break;
  case 6: cuMemsetD8Async(at, (unsigned char)byte(t), bytes, stream(t, s)); break;
  case 7: cuMemsetD2D32(at, bytes, 7, byte(t), byte(t)); break;
  case 8:
    if (bytes < 1 << 24) cuMemAllocAsync(&s->memory[i], bytes, stream(t, s));
    break;
  case 9: cuMemFreeAsync(at, stream(t, s)); break;
  case 10: cuPointerGetAttribute(&(unsigned long long){0}, (CUpointer_attribute)byte(t), at); break;
  case 11: cuMemGetAddressRange(&(CUdeviceptr){0}, &(size_t){0}, at); break;
  case 12: cuMemHostRegister(host, some, byte(t)); break;
  case 13: cuMemHostUnregister(host); break;
  case 14:
    cuMemPrefetchAsync(at, bytes, (CUmemLocation){(CUmemLocationType)(byte(t) % 5), (int)byte(t) % 2}, 0,
                       stream(t, s));
    break;
  case 15:
    cuMemAdvise(at, bytes, (CUmem_advise)byte(t), (CUmemLocation){(CUmemLocationType)(byte(t) % 5), 0});
    break;
  case 16:
    if (bytes < 1 << 24) cuMemHostAlloc((void **)&s->memory[i], bytes, byte(t) % 8);
    break;
  case 17: cuMemFreeHost((void *)at); break;
  case 18: cuMemHostGetFlags(&value, (void *)at); break;
  default:
    if (bytes < 1 << 20) cuMemAllocPitch(&s->memory[i], &(size_t){0}, bytes, byte(t), 4);
    break;
  }
}

static void call_virtual(struct tape *t, struct pot *s) {
  CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                              .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
  CUmemAccessDesc access = {.location = prop.location, .flags = (CUmemAccess_flags)(byte(t) % 4)};
  size_t bytes = 2097152 * (size_t)(byte(t) % 4);
  unsigned i = slot(t);
  switch (byte(t) % 9) {
  case 0: cuMemAddressReserve(&s->range[i], bytes, 0, 0, 0); break;
  case 1: cuMemAddressFree(s->range[i], bytes); break;
  case 2:
    if (bytes) cuMemCreate(&s->physical[i], bytes, &prop, 0);
    break;
  case 3:
    cuMemRelease(s->physical[i]);
    s->physical[i] = 0;
    break;
  case 4: cuMemMap(s->range[i], bytes, 2097152 * (size_t)(byte(t) % 2), s->physical[slot(t)], 0); break;
  case 5: cuMemUnmap(s->range[i], bytes); break;
  case 6: cuMemSetAccess(s->range[i], bytes, &access, 1); break;
  case 7: s->memory[slot(t)] = s->range[i]; break;
  default: cuMemGetAccess(&(unsigned long long){0}, &prop.location, s->range[i]); break;
  }
}

static void call_stream(struct tape *t, struct pot *s) {
  unsigned i = slot(t);
  float ms;
  CUstreamCaptureStatus status;
  CUgraph made = NULL;
  switch (byte(t) % 19) {
  case 17: /* the graph of a capture that goes on, which may now be destroyed under it */
    if (cuStreamGetCaptureInfo(stream(t, s), &status, NULL, &made, NULL, NULL, NULL) == CUDA_SUCCESS &&
        made) {
      cuGraphDestroy(s->graph[i]);
      s->graph[i] = made;
    }
    break;
  case 0: cuStreamCreate(&s->stream[i], byte(t) % 3); break;
  case 1: cuStreamDestroy(s->stream[i]); break;
  case 2: cuEventCreate(&s->event[i], byte(t) % 4); break;
  case 3: cuEventDestroy(s->event[i]); break;
  case 4: cuEventRecord(s->event[i], stream(t, s)); break;
  case 5: cuStreamWaitEvent(stream(t, s), s->event[i], 0); break;
  case 6: cuEventElapsedTime(&ms, s->event[i], s->event[slot(t)]); break;
  case 7: cuEventQuery(s->event[i]); break;
  case 8: cuEventSynchronize(s->event[i]); break;
  case 9: cuStreamQuery(stream(t, s)); break;
  case 10: cuStreamSynchronize(stream(t, s)); break;
  case 11: cuStreamBeginCapture(stream(t, s), (CUstreamCaptureMode)(byte(t) % 4)); break;
  case 12: keep_graph(&s->graph[i], cuStreamEndCapture(stream(t, s), &made), &made); break;
  case 13: cuStreamIsCapturing(stream(t, s), &status); break;
  case 14: cuLaunchHostFunc(stream(t, s), quiet, &calls); break;
  case 15:
    cuStreamBeginCaptureToGraph(stream(t, s), s->graph[i], &s->node[slot(t)], NULL, byte(t) % 2,
                                (CUstreamCaptureMode)(byte(t) % 3));
    break;
  case 16:
    cuStreamUpdateCaptureDependencies(stream(t, s), &s->node[i], NULL, byte(t) % 2, byte(t) % 3);
    break;
  default: cuStreamWriteValue32(stream(t, s), address(t, s), 1, 0); break;
  }
}

static void call_graph(struct tape *t, struct pot *s) {
  unsigned i = slot(t), k = slot(t);
  size_t n = byte(t) % 2;
  CUgraph g = s->graph[i];
  CUgraphNode *node = &s->node[k], *dep = &s->node[slot(t)];
  CUdeviceptr at = address(t, s);
  int by = 1, count = 16;
  void *args[] = {&at, &by, &count};
  CUDA_KERNEL_NODE_PARAMS kernel = {.func = s->function[slot(t)],
                                    .gridDimX = 1,
                                    .gridDimY = 1,
                                    .gridDimZ = 1,
                                    .blockDimX = byte(t),
                                    .blockDimY = 1,
                                    .blockDimZ = 1,
                                    .kernelParams = args};
  CUDA_MEMSET_NODE_PARAMS fill = {
      .dst = at, .value = 1, .elementSize = byte(t) % 5, .width = byte(t), .height = 1};
  CUDA_HOST_NODE_PARAMS fn = {quiet, &calls};
  CUDA_MEM_ALLOC_NODE_PARAMS alloc = {.poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                                    .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}},
                                      .bytesize = byte(t)};
  CUgraphExecUpdateResultInfo info;
  size_t many = 3;
  CUgraphNode list[3];
  CUgraph made = NULL;
  switch (byte(t) % 22) {
  case 0: keep_graph(&s->graph[i], cuGraphCreate(&made, 0), &made); break;
  case 1: cuGraphDestroy(g); break;
  case 2: keep_graph(&s->graph[k], cuGraphClone(&made, g), &made); break;
  case 3: cuGraphAddKernelNode(node, g, dep, n, &kernel); break;
  case 4: cuGraphAddMemsetNode(node, g, dep, n, &fill, NULL); break;
  case 5: cuGraphAddHostNode(node, g, dep, n, &fn); break;
  case 6: cuGraphAddEmptyNode(node, g, dep, n); break;
  case 7: cuGraphAddChildGraphNode(node, g, dep, n, s->graph[k]); break;
  case 8: cuGraphAddEventRecordNode(node, g, dep, n, s->event[k]); break;
  case 9: cuGraphAddEventWaitNode(node, g, dep, n, s->event[k]); break;
  case 10:
    if (cuGraphAddMemAllocNode(node, g, dep, n, &alloc) == CUDA_SUCCESS) s->memory[k] = alloc.dptr;
    break;
  case 11: cuGraphAddMemFreeNode(node, g, dep, n, at); break;
  case 12: cuGraphAddDependencies(g, node, dep, NULL, 1); break;
  case 13: cuGraphRemoveDependencies(g, node, dep, NULL, 1); break;
  case 14: cuGraphDestroyNode(*node); break;
  case 15: cuGraphExecDestroy(s->exec[k]), cuGraphInstantiate(&s->exec[k], g, 0); break;
  case 16: cuGraphExecDestroy(s->exec[k]); break;
  case 17: cuGraphLaunch(s->exec[k], stream(t, s)); break;
  case 18: cuGraphExecUpdate(s->exec[k], g, &info); break;
  case 19: cuGraphExecKernelNodeSetParams(s->exec[k], *dep, &kernel); break;
  case 20: cuGraphNodeGetDependencies(*node, list, NULL, &many); break;
  default: cuGraphGetEdges(g, NULL, NULL, NULL, &many); break;
  }
}

static void call_module(struct tape *t, struct pot *s) {
  static const char *const names[] = {"add", "reverse", "count_up", "bounded", "nothing"};
  const char *name = names[byte(t) % 5];
  unsigned i = slot(t);
  CUdeviceptr at = address(t, s);
  int by = 1, n = 16, v;
  void *args[] = {&at, &by, &n};
  switch (byte(t) % 12) {
  case 0:
    if (byte(t) % 8 == 0) cuModuleLoadData(&s->module[i], kit_ptx);
    break;
  case 1: cuModuleUnload(s->module[i]); break;
  case 2: cuModuleGetFunction(&s->function[i], s->module[slot(t)], name); break;
  case 3: cuModuleGetGlobal(&s->memory[slot(t)], &(size_t){0}, s->module[i], "counter"); break;
  case 4: cuFuncGetAttribute(&v, (CUfunction_attribute)byte(t), s->function[i]); break;
  case 5: cuFuncSetAttribute(s->function[i], (CUfunction_attribute)byte(t), (int)byte(t) * 1000); break;
  case 6:
    cuLaunchKernel(s->function[i], byte(t) % 3, 1, 1, byte(t) * 5, 1, 1, byte(t) * 300, stream(t, s), args,
                   NULL);
    break;
  case 7:
    cuOccupancyMaxActiveBlocksPerMultiprocessor(&v, s->function[i], (int)byte(t) * 8, byte(t) * 1000);
    break;
  case 8:
    if (byte(t) % 8 == 0)
      cuLibraryUnload(s->library[i]),
          cuLibraryLoadData(&s->library[i], kit_ptx, NULL, NULL, 0, NULL, NULL, 0);
    break;
  case 9: cuLibraryUnload(s->library[i]); break;
  case 10: cuLibraryGetKernel(&s->kernel[i], s->library[slot(t)], name); break;
  default: cuKernelGetFunction(&s->function[i], s->kernel[slot(t)]); break;
  }
}

static void call_texture(struct tape *t, struct pot *s) {
  unsigned i = slot(t);
  CUDA_ARRAY3D_DESCRIPTOR d = {.Width = byte(t),
                               .Height = byte(t) % 9,
                               .Depth = byte(t) % 7,
                               .Format = (CUarray_format)(1u << byte(t) % 6),
                               .NumChannels = byte(t) % 5,
                               .Flags = byte(t) % 8};
  CUDA_RESOURCE_DESC r = {.resType = (CUresourcetype)(byte(t) % 2 * 2)};
  CUDA_TEXTURE_DESC x = {.filterMode = (CUfilter_mode)(byte(t) % 3), .flags = byte(t)};
  CUDA_MEMCPY3D c = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                     .srcArray = s->array[i],
                     .srcXInBytes = byte(t),
                     .srcZ = byte(t) % 4,
                     .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                     .dstArray = s->array[slot(t)],
                     .dstY = byte(t) % 4,
                     .WidthInBytes = byte(t),
                     .Height = byte(t) % 6,
                     .Depth = byte(t) % 4};
  if (r.resType == CU_RESOURCE_TYPE_ARRAY) {
    r.res.array.hArray = s->array[i];
  } else {
    r.res.linear.devPtr = address(t, s);
    r.res.linear.format = d.Format;
    r.res.linear.numChannels = d.NumChannels;
    r.res.linear.sizeInBytes = size(t);
  }
  switch (byte(t) % 6) {
  case 0: cuArray3DCreate(&s->array[i], &d); break;
  case 1: cuArrayDestroy(s->array[i]); break;
  case 2: cuTexObjectCreate(&s->texture[i], &r, &x, NULL); break;
  case 3: cuTexObjectDestroy(s->texture[i]); break;
  case 4: cuMemcpy3D(&c); break;
  default: cuArray3DGetDescriptor(&d, s->array[i]); break;
  }
}

static void call_context(struct tape *t, struct pot *s) {
  unsigned i = slot(t);
  CUctxCreateParams none = {0};
  CUcontext other;
  switch (byte(t) % 9) {
  case 0:
    if (s->ctx[i] != kit_context) cuCtxDestroy(s->ctx[i]);
    cuCtxCreate(&s->ctx[i], &none, 0, 0);
    break;
  case 1: cuCtxDestroy(s->ctx[i]); break;
  case 2: cuCtxPushCurrent(s->ctx[i]); break;
  case 3: cuCtxPopCurrent(&other); break;
  case 4: cuCtxSetCurrent(s->ctx[i]); break;
  case 5: cuCtxGetCurrent(&other); break;
  case 6: cuCtxSynchronize(); break;
  case 7: cuDevicePrimaryCtxReset(0); break;
  default: cuDevicePrimaryCtxRetain(&other, 0); break;
  }
}

/* Back to an empty driver: every context goes, and what belongs to none. */
static void clear(struct pot *s) {
  for (int i = 0; i < SLOTS; i++) {
    cuGraphExecDestroy(s->exec[i]);
    cuGraphDestroy(s->graph[i]);
    cuLibraryUnload(s->library[i]);
    if (s->ctx[i] != kit_context) cuCtxDestroy(s->ctx[i]);
    for (size_t n = 2097152; n <= 3 * 2097152; n += 2097152) {
      cuMemUnmap(s->range[i], n);
      cuMemAddressFree(s->range[i], n);
    }
    cuMemRelease(s->physical[i]);
  }
  while (cuCtxPopCurrent(&s->ctx[0]) == CUDA_SUCCESS) {}
  cuDevicePrimaryCtxReset(0);
}

static void open_again(struct pot *s) {
  CU(cuDevicePrimaryCtxRetain(&kit_context, 0));
  CU(cuCtxSetCurrent(kit_context));
  CU(cuModuleLoadData(&s->module[0], kit_ptx));
  CU(cuModuleGetFunction(&s->function[0], s->module[0], "add"));
  s->ctx[0] = kit_context;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  static bool started;
  if (!started) {
    if (!getenv("HEDDLE_GPU")) setenv("HEDDLE_FUNCTIONAL", "1", 1); /* HEDDLE_GPU=gtx480: with time */
    setenv("HEDDLE_MEMORY", "1073741824", 1);
    stderr = fopen("/dev/null", "w"); /* the library's sentences; a sanitizer writes past this */
    if (!stderr) return 0;
    CU(cuInit(0));
    started = true;
  }
  struct tape t = {data, data + bytes};
  struct pot s = {0};
  open_again(&s);
  while (t.p < t.end) switch (byte(&t) % 8) {
    case 0:
    case 1: call_memory(&t, &s); break;
    case 2: call_stream(&t, &s); break;
    case 3: call_graph(&t, &s); break;
    case 4: call_module(&t, &s); break;
    case 5: call_texture(&t, &s); break;
    case 6: call_virtual(&t, &s); break;
    default:
      if (byte(&t) % 16 == 0) call_context(&t, &s); /* seldom: most calls need a context */
      break;
    }
  clear(&s);
  return 0;
}

#ifndef FUZZER_MAIN
int main(int argc, char **argv) { return fuzz_main(argc, argv, 3000, NULL, 0, NULL); }
#endif
