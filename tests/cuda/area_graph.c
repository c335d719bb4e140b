/* Graphs: built node by node, captured, cloned, updated, launched; memory nodes; what capture forbids. */
#include "cuda_kit.h"

static int calls;
static void call(void *by) { calls += *(int *)by; }

static CUDA_KERNEL_NODE_PARAMS add_node(CUdeviceptr *p, int *by, int *n, void **args) {
  args[0] = p;
  args[1] = by;
  args[2] = n;
  return (CUDA_KERNEL_NODE_PARAMS){.func = kit_function("add"),
                                   .gridDimX = 1,
                                   .gridDimY = 1,
                                   .gridDimZ = 1,
                                   .blockDimX = 64,
                                   .blockDimY = 1,
                                   .blockDimZ = 1,
                                   .kernelParams = args};
}

static void by_hand(void) {
  CUgraph g, clone;
  CUgraphExec e;
  CUgraphNode set, kernel, copy, host, empty, found, list[8];
  CUdeviceptr p = kit_ints(64, 0);
  static int out[64];
  int by = 5, n = 64, three = 3;
  void *args[3];
  size_t count = 8, edges = 0;
  CU(cuGraphCreate(&g, 0));
  CUDA_MEMSET_NODE_PARAMS m = {.dst = p, .value = 100, .elementSize = 4, .width = 64, .height = 1};
  CU(cuGraphAddMemsetNode(&set, g, NULL, 0, &m, kit_context));
  CUDA_KERNEL_NODE_PARAMS k = add_node(&p, &by, &n, args);
  CU(cuGraphAddKernelNode(&kernel, g, &set, 1, &k));
  CUDA_MEMCPY3D c = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                     .srcDevice = p,
                     .dstMemoryType = CU_MEMORYTYPE_HOST,
                     .dstHost = out,
                     .WidthInBytes = sizeof out,
                     .Height = 1,
                     .Depth = 1};
  CU(cuGraphAddMemcpyNode(&copy, g, &kernel, 1, &c, kit_context));
  CUDA_HOST_NODE_PARAMS h = {.fn = call, .userData = &three};
  CU(cuGraphAddHostNode(&host, g, &copy, 1, &h));
  CU(cuGraphAddEmptyNode(&empty, g, NULL, 0));
  CU(cuGraphAddDependencies(g, &empty, &set, NULL, 1));
  CU(cuGraphGetNodes(g, list, &count));
  CU(cuGraphGetEdges(g, NULL, NULL, NULL, &edges));
  printf("%zu nodes, %zu edges\n", count, edges);
  count = 0;
  CU(cuGraphGetRootNodes(g, NULL, &count));
  printf("%zu root\n", count);
  CU(cuGraphInstantiate(&e, g, 0));
  by = 77; /* the node has its own copy of the parameter */
  CU(cuGraphLaunch(e, NULL));
  CU(cuGraphLaunch(e, NULL));
  CU(cuCtxSynchronize());
  printf("%d %d, host called %d\n", out[0], out[63], calls);
  by = 9;
  CU(cuGraphExecKernelNodeSetParams(e, kernel, &k));
  CU(cuGraphLaunch(e, NULL));
  CU(cuCtxSynchronize());
  printf("after the update %d\n", out[0]);
  CU(cuGraphNodeSetEnabled(e, kernel, 0));
  CU(cuGraphLaunch(e, NULL));
  CU(cuCtxSynchronize());
  printf("without the kernel %d\n", out[0]);
  CU(cuGraphClone(&clone, g));
  CU(cuGraphNodeFindInClone(&found, kernel, clone));
  CUgraphNodeType type;
  CU(cuGraphNodeGetType(found, &type));
  printf("clone's node is of type %d\n", (int)type);
  CUgraphExecUpdateResultInfo info;
  CU(cuGraphExecUpdate(e, clone, &info));
  CU(cuGraphDestroyNode(found));
  SHOW(cuGraphExecUpdate(e, clone, &info));
  CU(cuGraphDestroy(clone));
  CU(cuGraphDestroy(g));
  CU(cuGraphLaunch(e, NULL)); /* lives on without the graph */
  CU(cuCtxSynchronize());
  CU(cuGraphExecDestroy(e));
  SHOW(cuGraphLaunch(e, NULL));
  CU(cuMemFree(p));
}

static void captured(void) {
  CUstream a, b;
  CUevent fork, join;
  CUgraph g, child;
  CUgraphExec e;
  CUgraphNode node;
  CUstreamCaptureStatus status;
  CUdeviceptr p = kit_ints(64, 0), q = kit_ints(64, 0), none;
  int by = 2, n = 64;
  size_t count = 0;
  CU(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
  CU(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
  CU(cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING));
  CU(cuEventCreate(&join, CU_EVENT_DISABLE_TIMING));
  SHOW(cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL));
  CU(cuStreamBeginCapture(a, CU_STREAM_CAPTURE_MODE_GLOBAL));
  CU(LAUNCH(kit_function("add"), 1, 64, 0, a, &p, &by, &n));
  CU(cuEventRecord(fork, a));
  CU(cuStreamWaitEvent(b, fork, 0));
  CU(LAUNCH(kit_function("add"), 1, 64, 0, b, &q, &by, &n));
  CU(LAUNCH(kit_function("add"), 1, 64, 0, a, &p, &by, &n));
  CU(cuEventRecord(join, b));
  CU(cuStreamWaitEvent(a, join, 0));
  CU(cuMemcpyDtoDAsync(q, p, 4, a));
  CU(cuStreamIsCapturing(b, &status));
  printf("second stream captures %d\n", (int)status);
  CU(cuStreamEndCapture(a, &g));
  CU(cuGraphGetNodes(g, NULL, &count));
  printf("%zu nodes; nothing has run: %lld\n", count, kit_sum(p, 64));
  CU(cuGraphInstantiate(&e, g, 0));
  CU(cuGraphLaunch(e, a));
  CU(cuGraphLaunch(e, a));
  CU(cuStreamSynchronize(a));
  printf("sums %lld %lld\n", kit_sum(p, 64), kit_sum(q, 64));
  CU(cuGraphCreate(&child, 0));
  CU(cuGraphAddChildGraphNode(&node, child, NULL, 0, g));
  CUgraphExec e2;
  CU(cuGraphInstantiate(&e2, child, 0));
  CU(cuGraphLaunch(e2, a));
  CU(cuStreamSynchronize(a));
  printf("sum %lld\n", kit_sum(p, 64));
  CU(cuStreamBeginCapture(a, CU_STREAM_CAPTURE_MODE_GLOBAL));
  SHOW(cuMemAlloc(&none, 4));
  SHOW(cuStreamEndCapture(a, &g));
  SHOW(cuStreamEndCapture(a, &g));
  CU(cuStreamBeginCapture(a, CU_STREAM_CAPTURE_MODE_RELAXED));
  SHOW(cuMemAlloc(&none, 4));
  SHOW(cuStreamSynchronize(a));
  SHOW(cuStreamEndCapture(a, &g));
  CU(cuStreamBeginCapture(a, CU_STREAM_CAPTURE_MODE_GLOBAL));
  CU(cuEventRecord(fork, a));
  CU(cuStreamWaitEvent(b, fork, 0));
  CU(LAUNCH(kit_function("add"), 1, 64, 0, b, &q, &by, &n));
  SHOW(cuStreamEndCapture(a, &g)); /* the other stream was not joined */
  CU(cuStreamDestroy(a));
  CU(cuStreamDestroy(b));
}

static void memory_nodes(void) {
  CUgraph g;
  CUgraphExec e;
  CUgraphNode alloc, set, kernel, copy, release;
  CUDA_MEM_ALLOC_NODE_PARAMS a = {.poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                                .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}},
                                  .bytesize = 256};
  static int out[64];
  int by = 1, n = 64;
  void *args[3];
  CU(cuGraphCreate(&g, 0));
  CU(cuGraphAddMemAllocNode(&alloc, g, NULL, 0, &a));
  CUDA_MEMSET_NODE_PARAMS m = {.dst = a.dptr, .value = 41, .elementSize = 4, .width = 64, .height = 1};
  CU(cuGraphAddMemsetNode(&set, g, &alloc, 1, &m, kit_context));
  CUDA_KERNEL_NODE_PARAMS k = add_node(&a.dptr, &by, &n, args);
  CU(cuGraphAddKernelNode(&kernel, g, &set, 1, &k));
  CUDA_MEMCPY3D c = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                     .srcDevice = a.dptr,
                     .dstMemoryType = CU_MEMORYTYPE_HOST,
                     .dstHost = out,
                     .WidthInBytes = sizeof out,
                     .Height = 1,
                     .Depth = 1};
  CU(cuGraphAddMemcpyNode(&copy, g, &kernel, 1, &c, kit_context));
  CU(cuGraphAddMemFreeNode(&release, g, &copy, 1, a.dptr));
  CU(cuGraphInstantiate(&e, g, 0));
  CU(cuGraphLaunch(e, NULL));
  CU(cuGraphLaunch(e, NULL));
  CU(cuCtxSynchronize());
  printf("from graph memory %d\n", out[5]);
  CU(cuGraphExecDestroy(e));
  CU(cuGraphDestroy(g));
}

/* A second stream takes part in a capture and is destroyed before its end: with work that nobody waits for, with work that the first
 * stream waits for, without any. */
static void side_stream_destroyed(void) {
  CUdeviceptr p = kit_ints(64, 0);
  int by = 1, n = 64;
  for (int joins = 0; joins < 3; joins++) {
    CUstream a, b;
    CUevent fork, join;
    CUgraph g = NULL;
    CUgraphExec e;
    CUstreamCaptureStatus status;
    size_t count = 0;
    CU(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
    CU(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
    CU(cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING));
    CU(cuEventCreate(&join, CU_EVENT_DISABLE_TIMING));
    CU(cuStreamBeginCapture(a, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CU(LAUNCH(kit_function("add"), 1, 64, 0, a, &p, &by, &n));
    CU(cuEventRecord(fork, a));
    CU(cuStreamWaitEvent(b, fork, 0));
    if (joins < 2) CU(LAUNCH(kit_function("add"), 1, 64, 0, b, &p, &by, &n));
    if (joins == 1) CU(cuEventRecord(join, b));
    if (joins == 1) CU(cuStreamWaitEvent(a, join, 0));
    SHOW(cuStreamDestroy(b));
    CU(cuStreamIsCapturing(a, &status));
    CU(LAUNCH(kit_function("add"), 1, 64, 0, a, &p, &by, &n));
    printf("captures %d\n", (int)status);
    SHOW(cuStreamEndCapture(a, &g));
    if (!g) continue;
    CU(cuGraphGetNodes(g, NULL, &count));
    CU(cuGraphInstantiate(&e, g, 0));
    CU(cuGraphLaunch(e, a));
    CU(cuStreamSynchronize(a));
    printf("%zu nodes, sum %lld\n", count, kit_sum(p, 64));
  }
}

int main(void) {
  kit_open();
  by_hand();
  captured();
  memory_nodes();
  side_stream_destroyed();
  return kit_failed;
}
