/* What overlaps in simulated time and what does not: kernels and copies in streams of every kind, events, graphs, asking
 * and waiting; and that a fault leaves the device usable. One timed GPU (gtx480) for all tests; times are those that
 * events tell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <cuda.h>

enum { CTAS = 4, ROUNDS = 2000 };
#define EVENT_MS 0.001 /* an event takes, as engine.h says */

#define OK(call) assert_int_equal(call, CUDA_SUCCESS)

/* to[cta] = from[cta] + 1: read first, then many rounds of arithmetic, then written. */
static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry step(.param .u64 to, .param .u64 from, .param .u32 rounds)\n{\n"
    ".reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
    "ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [from]; ld.param.u32 %r1, [rounds]; mov.u32 %r2, %ctaid.x;\n"
    "mul.wide.u32 %rd3, %r2, 4; add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3; ld.global.u32 %r3, [%rd2];\n"
    "mov.u32 %r4, 0;\nL: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r1; @%p1 bra L;\n"
    "add.u32 %r3, %r3, 1; st.global.u32 [%rd1], %r3; ret;\n}\n";

static CUcontext context;
static CUmodule module;
static CUfunction step;
static CUdeviceptr data; /* five arrays of CTAS numbers */
static CUevent began, ended[2];
static CUstream s[2];

static CUdeviceptr array(unsigned i) { return data + i * CTAS * sizeof(uint32_t); }

static int open_device(void **state) {
  (void)state;
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuCtxSetCurrent(context));
  OK(cuModuleLoadData(&module, ptx));
  OK(cuModuleGetFunction(&step, module, "step"));
  OK(cuMemAlloc(&data, 5 * CTAS * sizeof(uint32_t)));
  OK(cuMemsetD32(data, 0, 5 * CTAS));
  OK(cuEventCreate(&began, 0));
  for (int i = 0; i < 2; i++) OK(cuEventCreate(&ended[i], 0));
  return 0;
}

static int close_device(void **state) {
  (void)state;
  OK(cuDevicePrimaryCtxReset(0));
  return 0;
}

static void streams(unsigned flags) {
  for (int i = 0; i < 2; i++) OK(cuStreamCreate(&s[i], flags));
}
static void no_streams(void) {
  for (int i = 0; i < 2; i++) OK(cuStreamDestroy(s[i]));
}

static CUresult launch(CUstream stream, unsigned to, unsigned from, unsigned rounds) {
  CUdeviceptr t = array(to), f = array(from);
  return cuLaunchKernel(step, CTAS, 1, 1, 32, 1, 1, 0, stream, (void *[]){&t, &f, &rounds}, NULL);
}

static uint32_t value(unsigned i) {
  uint32_t v[CTAS];
  OK(cuMemcpyDtoH(v, array(i), sizeof v));
  for (unsigned k = 1; k < CTAS; k++) assert_int_equal(v[k], v[0]);
  return v[0];
}

static double between(CUevent a, CUevent b) {
  float ms;
  OK(cuEventSynchronize(b));
  OK(cuEventElapsedTime(&ms, a, b));
  return ms;
}

/* One kernel alone, with its launch and the event after it. */
static double one(unsigned rounds) {
  OK(cuEventRecord(began, NULL));
  OK(launch(NULL, 1, 0, rounds));
  OK(cuEventRecord(ended[0], NULL));
  return between(began, ended[0]);
}

/* A kernel in each of the two streams, both after `began`; the later end. */
static double both(void) {
  OK(cuEventRecord(began, s[0]));
  OK(cuStreamWaitEvent(s[1], began, 0));
  for (unsigned i = 0; i < 2; i++) {
    OK(launch(s[i], 1 + i, 0, ROUNDS));
    OK(cuEventRecord(ended[i], s[i]));
  }
  double a = between(began, ended[0]), b = between(began, ended[1]);
  return a > b ? a : b;
}

#define NEAR(x, y) assert_true((x) > 0.97 * (y) && (x) < 1.03 * (y))

/* ---- streams ----------------------------------------------------------------------------------------------------------- */

static void test_kernels_of_two_streams_take_the_time_of_one(void **state) {
  (void)state;
  one(ROUNDS);
  double alone = one(ROUNDS);
  for (unsigned flags = 0; flags <= CU_STREAM_NON_BLOCKING; flags += CU_STREAM_NON_BLOCKING) {
    streams(flags);
    NEAR(both(), alone);
    no_streams();
  }
}

static void test_kernels_of_one_stream_take_the_sum(void **state) {
  (void)state;
  double alone = one(ROUNDS);
  streams(0);
  OK(cuEventRecord(began, s[0]));
  OK(launch(s[0], 1, 0, ROUNDS));
  OK(launch(s[0], 2, 1, ROUNDS));
  OK(cuEventRecord(ended[0], s[0]));
  NEAR(between(began, ended[0]), 2 * alone - EVENT_MS);
  assert_int_equal(value(2), 2);
  no_streams();
}

/* The first lets others begin at once; the second works before it waits for the first, and adds 1 to what that wrote. */
static const char programmatic[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry lead(.param .u64 to, .param .u64 from, .param .u32 rounds)\n{\n"
    ".reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
    "ld.param.u64 %rd1, [to]; ld.param.u32 %r1, [rounds]; mov.u32 %r2, %ctaid.x; mul.wide.u32 %rd3, %r2, 4; add.u64 %rd1, %rd1, %rd3;\n"
    "griddepcontrol.launch_dependents; mov.u32 %r4, 0;\nL: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r1; @%p1 bra L;\n"
    "st.global.u32 [%rd1], %r1; ret;\n}\n"
    ".visible .entry follow(.param .u64 to, .param .u64 from, .param .u32 rounds)\n{\n"
    ".reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
    "ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [from]; ld.param.u32 %r1, [rounds]; mov.u32 %r2, %ctaid.x;\n"
    "mul.wide.u32 %rd3, %r2, 4; add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3; mov.u32 %r4, 0;\n"
    "L: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r1; @%p1 bra L;\n"
    "griddepcontrol.wait; ld.global.u32 %r3, [%rd2]; add.u32 %r3, %r3, 1; st.global.u32 [%rd1], %r3; ret;\n}\n";

static void check_edges(CUgraph graph, bool serialization) {
  CUgraphNode from[4], to[4];
  CUgraphEdgeData edges[4];
  size_t n = 4, programmatic_edges = 0;
  OK(cuGraphGetEdges_v2(graph, from, to, edges, &n));
  for (size_t i = 0; i < n; i++) programmatic_edges += edges[i].type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC && edges[i].from_port == 1;
  assert_int_equal(n, 2);
  assert_int_equal(programmatic_edges, serialization);
}

/* What a capture has recorded, launched in its place. */
static void launch_captured(CUstream stream, bool serialization) {
  CUgraph graph;
  CUgraphExec e;
  OK(cuStreamEndCapture(stream, &graph));
  check_edges(graph, serialization);
  OK(cuGraphInstantiateWithFlags(&e, graph, 0));
  OK(cuEventRecord(began, stream));
  OK(cuGraphLaunch(e, stream));
  OK(cuEventRecord(ended[0], stream));
  OK(cuStreamSynchronize(stream));
  OK(cuGraphExecDestroy(e));
  OK(cuGraphDestroy(graph));
}

/* How long the two take in a stream or captured as a graph; what comes behind them sees both ended. */
static double programmatic_pair(CUstream stream, bool serialization, bool captured) {
  CUmodule m;
  CUfunction lead, follow;
  CUdeviceptr a = array(0), b = array(1);
  unsigned rounds = ROUNDS, none = 0;
  CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION};
  attribute.value.programmaticStreamSerializationAllowed = serialization;
  CUlaunchConfig c = {.gridDimX = CTAS, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 32, .blockDimY = 1, .blockDimZ = 1, .hStream = stream,
                      .attrs = &attribute, .numAttrs = 1};
  OK(cuModuleLoadData(&m, programmatic));
  OK(cuModuleGetFunction(&lead, m, "lead"));
  OK(cuModuleGetFunction(&follow, m, "follow"));
  OK(cuMemsetD32(data, 0, 5 * CTAS));
  if (captured) OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  else OK(cuEventRecord(began, stream));
  OK(cuLaunchKernel(lead, CTAS, 1, 1, 32, 1, 1, 0, stream, (void *[]){&a, &b, &rounds}, NULL));
  OK(cuLaunchKernelEx(&c, follow, (void *[]){&b, &a, &rounds}, NULL));
  OK(launch(stream, 2, 1, none));
  if (captured) launch_captured(stream, serialization);
  else OK(cuEventRecord(ended[0], stream));
  double ms = between(began, ended[0]);
  assert_int_equal(value(0), ROUNDS);
  assert_int_equal(value(1), ROUNDS + 1);
  assert_int_equal(value(2), ROUNDS + 2);
  OK(cuMemsetD32(data, 0, 5 * CTAS));
  OK(cuModuleUnload(m));
  return ms;
}

static void test_a_programmatic_launch_overlaps_with_the_kernel_before_it(void **state) {
  (void)state;
  streams(CU_STREAM_NON_BLOCKING);
  CUstream in[] = {NULL, s[0], s[0]};
  for (int i = 0; i < 3; i++) {
    double one_by_one = programmatic_pair(in[i], false, i == 2), together = programmatic_pair(in[i], true, i == 2);
    assert_true(together < 0.7 * one_by_one);
    assert_true(together > 0.45 * one_by_one);
  }
  no_streams();
}

static void test_an_event_orders_streams(void **state) {
  (void)state;
  double alone = one(ROUNDS);
  streams(CU_STREAM_NON_BLOCKING);
  OK(cuEventRecord(began, s[0]));
  OK(launch(s[0], 1, 0, ROUNDS));
  OK(cuEventRecord(ended[0], s[0]));
  OK(cuStreamWaitEvent(s[1], ended[0], 0));
  OK(launch(s[1], 2, 1, ROUNDS)); /* reads what the first writes at its end */
  OK(cuEventRecord(ended[1], s[1]));
  NEAR(between(began, ended[1]), 2 * alone);
  assert_int_equal(value(2), 2);
  no_streams();
}

static void test_the_legacy_stream_waits_for_blocking_streams_and_they_for_it(void **state) {
  (void)state;
  double alone = one(ROUNDS);
  streams(0);
  OK(cuEventRecord(began, s[0]));
  OK(launch(s[0], 1, 0, ROUNDS));
  OK(launch(NULL, 2, 1, ROUNDS));
  OK(launch(s[1], 3, 2, ROUNDS));
  OK(cuEventRecord(ended[1], s[1]));
  NEAR(between(began, ended[1]), 3 * alone - 2 * EVENT_MS);
  assert_int_equal(value(3), 3);
  no_streams();
  streams(CU_STREAM_NON_BLOCKING); /* these do not wait */
  OK(cuEventRecord(began, s[0]));
  OK(cuEventSynchronize(began));
  OK(launch(s[0], 1, 0, ROUNDS));
  OK(launch(NULL, 2, 0, ROUNDS));
  OK(launch(s[1], 3, 0, ROUNDS));
  OK(cuEventRecord(ended[1], s[1]));
  NEAR(between(began, ended[1]), alone);
  no_streams();
}

static void test_the_per_thread_stream_overlaps_with_others(void **state) {
  (void)state;
  double alone = one(ROUNDS);
  streams(CU_STREAM_NON_BLOCKING);
  OK(cuEventRecord(began, s[0]));
  OK(cuEventSynchronize(began));
  OK(launch(s[0], 1, 0, ROUNDS));
  OK(launch(CU_STREAM_PER_THREAD, 2, 0, ROUNDS));
  OK(cuEventRecord(ended[0], CU_STREAM_PER_THREAD));
  NEAR(between(began, ended[0]), alone);
  no_streams();
}

/* The same event is recorded again, where there is nothing to wait for. */
static void test_a_wait_is_for_the_recording_before_it(void **state) {
  (void)state;
  streams(CU_STREAM_NON_BLOCKING);
  OK(cuMemsetD32(data, 0, 5 * CTAS));
  OK(launch(s[0], 1, 0, ROUNDS));
  OK(cuEventRecord(ended[0], s[0]));
  OK(cuStreamWaitEvent(s[1], ended[0], 0));
  OK(cuEventRecord(ended[0], CU_STREAM_PER_THREAD));
  OK(launch(s[1], 2, 1, ROUNDS));
  OK(cuCtxSynchronize());
  assert_int_equal(value(2), 2);
  no_streams();
}

/* More CTAs than the GPU holds at once, in three kernels; the last is in the stream of higher priority. */
static void test_kernels_have_the_priority_of_their_stream(void **state) {
  (void)state;
  enum { MANY = 240 };
  unsigned rounds = ROUNDS;
  CUdeviceptr to, from;
  CUstream by[3];
  OK(cuMemAlloc(&to, MANY * sizeof(uint32_t)));
  OK(cuMemAlloc(&from, MANY * sizeof(uint32_t)));
  OK(cuMemsetD32(from, 0, MANY));
  OK(cuEventRecord(began, NULL));
  for (int i = 0; i < 3; i++) {
    OK(cuStreamCreateWithPriority(&by[i], 0, i == 2 ? -1 : 0));
    OK(cuLaunchKernel(step, MANY, 1, 1, 32, 1, 1, 0, by[i], (void *[]){&to, &from, &rounds}, NULL));
    if (i) OK(cuEventRecord(ended[i - 1], by[i]));
  }
  assert_true(between(began, ended[1]) < between(began, ended[0]));
  for (int i = 0; i < 3; i++) OK(cuStreamDestroy(by[i]));
  OK(cuMemFree(to));
  OK(cuMemFree(from));
}

/* A pinned buffer that takes longer to copy than the kernel runs. */
static void test_a_copy_overlaps_with_a_kernel(void **state) {
  (void)state;
  enum { BYTES = 16 << 20 };
  double alone = one(ROUNDS), copy = EVENT_MS + 0.001 + BYTES / 50.0 * 1e-6;
  void *host;
  CUdeviceptr device;
  OK(cuMemAllocHost(&host, BYTES));
  OK(cuMemAlloc(&device, BYTES));
  streams(CU_STREAM_NON_BLOCKING);
  OK(cuEventRecord(began, s[0]));
  OK(cuEventSynchronize(began));
  memset(host, 7, BYTES);
  OK(cuMemcpyHtoDAsync(device, host, BYTES, s[0]));
  OK(cuEventRecord(ended[0], s[0]));
  OK(launch(s[1], 1, 0, ROUNDS));
  OK(cuEventRecord(ended[1], s[1]));
  NEAR(between(began, ended[0]), copy);
  NEAR(between(began, ended[1]), alone);
  unsigned char last;
  OK(cuMemcpyDtoH(&last, device + BYTES - 1, 1));
  assert_int_equal(last, 7);
  no_streams();
  OK(cuMemFree(device));
  OK(cuMemFreeHost(host));
}

/* What is not pinned is staged before the call returns: the program may change it at once. */
static void test_a_pageable_buffer_may_be_changed_after_the_call(void **state) {
  (void)state;
  uint32_t from[CTAS] = {5, 5, 5, 5};
  streams(CU_STREAM_NON_BLOCKING);
  OK(launch(s[0], 1, 0, ROUNDS));
  OK(cuMemcpyHtoDAsync(array(4), from, sizeof from, s[0]));
  memset(from, 0, sizeof from);
  OK(cuStreamSynchronize(s[0]));
  assert_int_equal(value(4), 5);
  no_streams();
}

/* ---- asking --------------------------------------------------------------------------------------------------------------- */

static void test_asking_lets_time_pass(void **state) {
  (void)state;
  double alone = one(ROUNDS);
  streams(CU_STREAM_NON_BLOCKING);
  OK(cuEventRecord(began, s[0]));
  OK(cuEventSynchronize(began));
  OK(launch(s[0], 1, 0, ROUNDS));
  OK(cuEventRecord(ended[0], s[0]));
  unsigned asked = 1;
  for (CUresult r; (r = cuStreamQuery(s[0])) != CUDA_SUCCESS; asked++) assert_int_equal(r, CUDA_ERROR_NOT_READY);
  assert_int_equal(cuEventQuery(ended[0]), CUDA_SUCCESS);
  assert_in_range(asked, (unsigned)(1000 * alone), (unsigned)(1000 * alone) + 2); /* a microsecond each */
  no_streams();
}

static void raise_flag(void *flag) { *(int *)flag = 1; }

static void test_a_host_function_has_run_when_its_call_returns(void **state) {
  (void)state;
  int flag = 0;
  streams(CU_STREAM_NON_BLOCKING);
  OK(launch(s[0], 1, 0, ROUNDS));
  OK(cuLaunchHostFunc(s[0], raise_flag, &flag));
  assert_int_equal(flag, 1); /* a program may wait for it without calling us */
  no_streams();
}

/* ---- graphs --------------------------------------------------------------------------------------------------------------- */

static CUgraphNode add_kernel(CUgraph g, const CUgraphNode *after, size_t n, unsigned to, unsigned from) {
  CUdeviceptr t = array(to), f = array(from);
  unsigned rounds = ROUNDS;
  CUDA_KERNEL_NODE_PARAMS p = {.func = step, .gridDimX = CTAS, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 32,
                               .blockDimY = 1, .blockDimZ = 1, .kernelParams = (void *[]){&t, &f, &rounds}};
  CUgraphNode node;
  OK(cuGraphAddKernelNode(&node, g, after, n, &p));
  return node;
}

static void test_branches_of_a_graph_overlap_and_its_edges_hold(void **state) {
  (void)state;
  double alone = one(ROUNDS);
  CUgraph g;
  CUgraphExec e;
  OK(cuGraphCreate(&g, 0));
  CUgraphNode top = add_kernel(g, NULL, 0, 1, 0), sides[2];
  sides[0] = add_kernel(g, &top, 1, 2, 1);
  sides[1] = add_kernel(g, &top, 1, 3, 1);
  add_kernel(g, sides, 2, 4, 3);
  OK(cuGraphInstantiateWithFlags(&e, g, 0));
  OK(cuEventRecord(began, NULL));
  OK(cuGraphLaunch(e, NULL));
  OK(cuEventRecord(ended[0], NULL));
  NEAR(between(began, ended[0]), 3 * alone - 2 * EVENT_MS); /* four kernels */
  assert_int_equal(value(2), 2);
  assert_int_equal(value(4), 3);
  OK(cuGraphExecDestroy(e));
  OK(cuGraphDestroy(g));
}

static CUgraphExec instantiate(CUgraph g) {
  CUgraphExec e;
  OK(cuGraphInstantiateWithFlags(&e, g, 0));
  OK(cuGraphDestroy(g));
  return e;
}

static void test_a_wait_after_a_graph_is_for_what_the_graph_records(void **state) {
  (void)state;
  CUgraph g;
  CUgraphNode node;
  OK(cuMemsetD32(data, 0, 5 * CTAS));
  OK(cuGraphCreate(&g, 0));
  CUgraphNode kernel = add_kernel(g, NULL, 0, 1, 0);
  OK(cuGraphAddEventRecordNode(&node, g, &kernel, 1, ended[0]));
  CUgraphExec e = instantiate(g);
  streams(CU_STREAM_NON_BLOCKING);
  OK(cuGraphLaunch(e, s[0]));
  assert_int_equal(cuEventQuery(ended[0]), CUDA_ERROR_NOT_READY);
  OK(cuStreamWaitEvent(s[1], ended[0], 0));
  OK(launch(s[1], 2, 1, ROUNDS));
  OK(cuCtxSynchronize());
  assert_int_equal(value(2), 2);
  no_streams();
  OK(cuGraphExecDestroy(e));
}

static void test_a_node_waits_for_its_event(void **state) {
  (void)state;
  CUgraph g;
  CUgraphNode node;
  OK(cuMemsetD32(data, 0, 5 * CTAS));
  OK(cuGraphCreate(&g, 0));
  OK(cuGraphAddEventWaitNode(&node, g, NULL, 0, ended[0]));
  add_kernel(g, &node, 1, 2, 1);
  CUgraphExec e = instantiate(g);
  streams(CU_STREAM_NON_BLOCKING);
  OK(launch(s[0], 1, 0, ROUNDS));
  OK(cuEventRecord(ended[0], s[0]));
  OK(cuGraphLaunch(e, s[1]));
  OK(cuCtxSynchronize());
  assert_int_equal(value(2), 2);
  no_streams();
  OK(cuGraphExecDestroy(e));
}

static CUstreamBatchMemOpParams write_value(CUdeviceptr at, uint32_t v) {
  return (CUstreamBatchMemOpParams){.writeValue = {.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32, .address = at, .value = v}};
}
static CUstreamBatchMemOpParams wait_value(CUdeviceptr at, uint32_t v) {
  return (CUstreamBatchMemOpParams){
      .waitValue = {.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32, .address = at, .value = v, .flags = CU_STREAM_WAIT_VALUE_EQ}};
}

/* Behind a wait for a value nothing of the batch is written before it is there; what comes before the wait is. */
static void test_values_of_a_batch_come_one_after_the_other(void **state) {
  (void)state;
  CUdeviceptr a = array(0), b = array(1);
  OK(cuMemsetD32(data, 0, 5 * CTAS));
  streams(CU_STREAM_NON_BLOCKING);
  CUstreamBatchMemOpParams own[] = {write_value(a, 5), wait_value(a, 5), write_value(a, 6)};
  OK(cuStreamBatchMemOp(s[0], 3, own, 0));
  OK(cuStreamSynchronize(s[0]));
  CUstreamBatchMemOpParams others[] = {write_value(a, 7), wait_value(b, 1), write_value(a, 8)};
  OK(cuStreamBatchMemOp(s[0], 3, others, 0));
  assert_int_equal(cuStreamQuery(s[0]), CUDA_ERROR_NOT_READY);
  uint32_t v;
  OK(cuMemcpyDtoH(&v, a, sizeof v));
  assert_int_equal(v, 7);
  OK(cuStreamWriteValue32(s[1], b, 1, 0));
  OK(cuStreamSynchronize(s[0]));
  OK(cuMemcpyDtoH(&v, a, sizeof v));
  assert_int_equal(v, 8);
  no_streams();
}

static void test_a_node_waits_for_its_value(void **state) {
  (void)state;
  CUgraph g;
  CUgraphNode node;
  CUdeviceptr flag = array(4);
  CUstreamBatchMemOpParams items[] = {write_value(flag, 2), wait_value(flag, 3)};
  OK(cuMemsetD32(data, 0, 5 * CTAS));
  OK(cuGraphCreate(&g, 0));
  OK(cuGraphAddBatchMemOpNode(&node, g, NULL, 0, &(CUDA_BATCH_MEM_OP_NODE_PARAMS){.ctx = context, .count = 2, .paramArray = items}));
  add_kernel(g, &node, 1, 2, 1);
  CUgraphExec e = instantiate(g);
  streams(CU_STREAM_NON_BLOCKING);
  for (uint32_t turn = 1; turn <= 2; turn++) {
    OK(cuGraphLaunch(e, s[1]));
    assert_int_equal(cuStreamQuery(s[1]), CUDA_ERROR_NOT_READY);
    assert_int_equal(value(2), turn - 1);
    OK(cuStreamWriteValue32(s[0], flag, 3, 0));
    OK(cuCtxSynchronize());
    assert_int_equal(value(2), turn);
    OK(cuMemcpyDtoD(array(1), array(2), CTAS * sizeof(uint32_t))); /* one more the next time */
  }
  no_streams();
  OK(cuGraphExecDestroy(e));
}

static void test_launches_of_one_executable_graph_come_one_after_the_other(void **state) {
  (void)state;
  CUgraph g;
  OK(cuMemsetD32(data, 0, 5 * CTAS));
  OK(cuGraphCreate(&g, 0));
  add_kernel(g, NULL, 0, 1, 1); /* one more each time */
  CUgraphExec e = instantiate(g);
  streams(CU_STREAM_NON_BLOCKING);
  for (int i = 0; i < 6; i++) OK(cuGraphLaunch(e, s[i % 2]));
  OK(cuGraphExecDestroy(e)); /* launches that have not begun go on */
  OK(cuCtxSynchronize());
  assert_int_equal(value(1), 6);
  no_streams();
}

/* A wait of a graph that nobody will end. */
static void test_a_context_goes_with_a_graph_that_waits(void **state) {
  (void)state;
  CUgraph g, inner;
  CUgraphNode node;
  uint32_t *flag;
  OK(cuMemAllocHost((void **)&flag, sizeof *flag));
  *flag = 0;
  OK(cuGraphCreate(&inner, 0));
  OK(cuGraphAddEventWaitNode(&node, inner, NULL, 0, ended[0]));
  OK(cuGraphCreate(&g, 0));
  OK(cuGraphAddChildGraphNode(&node, g, NULL, 0, inner));
  OK(cuGraphDestroy(inner));
  CUgraphExec e = instantiate(g);
  streams(CU_STREAM_NON_BLOCKING);
  OK(cuStreamWaitValue32(s[0], (CUdeviceptr)flag, 1, CU_STREAM_WAIT_VALUE_EQ));
  OK(cuEventRecord(ended[0], s[0]));
  OK(cuGraphLaunch(e, s[1]));
  assert_int_equal(cuStreamQuery(s[1]), CUDA_ERROR_NOT_READY);
  close_device(NULL);
  OK(cuGraphExecDestroy(e));
  open_device(NULL);
  assert_int_equal(value(1), 0);
}

/* ---- faults --------------------------------------------------------------------------------------------------------------- */

static void test_a_fault_beside_other_kernels_is_reported_and_a_new_context_works(void **state) {
  (void)state;
  unsigned rounds = 10;
  CUdeviceptr nowhere = 16, f = array(0);
  streams(CU_STREAM_NON_BLOCKING);
  OK(launch(s[0], 1, 0, ROUNDS));
  OK(cuLaunchKernel(step, 1, 1, 1, 32, 1, 1, 0, s[1], (void *[]){&nowhere, &f, &rounds}, NULL));
  assert_int_equal(cuStreamSynchronize(s[1]), CUDA_ERROR_ILLEGAL_ADDRESS);
  assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  close_device(NULL);
  open_device(NULL);
  double alone = one(ROUNDS);
  streams(CU_STREAM_NON_BLOCKING);
  NEAR(both(), alone);
  assert_int_equal(value(2), 1);
  no_streams();
}

/* As on a GPU a fault kills its context and no other, whatever runs beside it. */
static void test_a_fault_leaves_other_contexts_alone(void **state) {
  (void)state;
  CUcontext bad;
  CUmodule m;
  CUfunction f;
  CUdeviceptr nowhere = 16, from = array(0), got;
  unsigned rounds = 10;
  streams(CU_STREAM_NON_BLOCKING);
  OK(launch(s[0], 1, 0, ROUNDS));
  OK(cuCtxCreate(&bad, NULL, 0, 0));
  OK(cuModuleLoadData(&m, ptx));
  OK(cuModuleGetFunction(&f, m, "step"));
  OK(cuLaunchKernel(f, CTAS, 1, 1, 32, 1, 1, 0, NULL, (void *[]){&nowhere, &from, &rounds}, NULL));
  assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  assert_int_equal(cuMemAlloc(&got, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
  OK(cuCtxSetCurrent(context));
  OK(cuStreamSynchronize(s[0]));
  OK(launch(s[1], 2, 1, ROUNDS));
  OK(cuCtxSynchronize());
  assert_int_equal(value(2), 2);
  OK(cuCtxSetCurrent(bad));
  assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  OK(cuCtxDestroy(bad));
  OK(cuCtxSetCurrent(context));
  no_streams();
}

static void test_work_that_nobody_waited_for_is_done_before_its_context_goes(void **state) {
  (void)state;
  streams(CU_STREAM_NON_BLOCKING);
  for (unsigned i = 0; i < 2; i++) OK(launch(s[i], 1 + i, 0, ROUNDS));
  no_streams(); /* their work goes on */
  close_device(NULL);
  open_device(NULL);
  assert_int_equal(value(1), 0);
}

int main(void) {
  setenv("HEDDLE_GPU", "gtx480", 1);
  if (cuInit(0) != CUDA_SUCCESS) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kernels_of_two_streams_take_the_time_of_one),
      cmocka_unit_test(test_kernels_of_one_stream_take_the_sum),
      cmocka_unit_test(test_a_programmatic_launch_overlaps_with_the_kernel_before_it),
      cmocka_unit_test(test_an_event_orders_streams),
      cmocka_unit_test(test_the_legacy_stream_waits_for_blocking_streams_and_they_for_it),
      cmocka_unit_test(test_the_per_thread_stream_overlaps_with_others),
      cmocka_unit_test(test_a_wait_is_for_the_recording_before_it),
      cmocka_unit_test(test_kernels_have_the_priority_of_their_stream),
      cmocka_unit_test(test_a_copy_overlaps_with_a_kernel),
      cmocka_unit_test(test_a_pageable_buffer_may_be_changed_after_the_call),
      cmocka_unit_test(test_asking_lets_time_pass),
      cmocka_unit_test(test_a_host_function_has_run_when_its_call_returns),
      cmocka_unit_test(test_branches_of_a_graph_overlap_and_its_edges_hold),
      cmocka_unit_test(test_a_wait_after_a_graph_is_for_what_the_graph_records),
      cmocka_unit_test(test_a_node_waits_for_its_event),
      cmocka_unit_test(test_values_of_a_batch_come_one_after_the_other),
      cmocka_unit_test(test_a_node_waits_for_its_value),
      cmocka_unit_test(test_launches_of_one_executable_graph_come_one_after_the_other),
      cmocka_unit_test(test_a_context_goes_with_a_graph_that_waits),
      cmocka_unit_test(test_a_fault_beside_other_kernels_is_reported_and_a_new_context_works),
      cmocka_unit_test(test_a_fault_leaves_other_contexts_alone),
      cmocka_unit_test(test_work_that_nobody_waited_for_is_done_before_its_context_goes),
  };
  return cmocka_run_group_tests(tests, open_device, close_device);
}
