/* Lines of L2 that persist, as a program asks for them: the limit, the attribute of a stream, of a launch and of a graph's node, the
 * reset. One timed GPU (gtx480, of whose L2 half can be set aside); what persists shows in the time that a second reading takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <cuda.h>

enum { WINDOW = 128 << 10, STREAM = 4 << 20, THREADS = 256 };
#define OK(call) assert_int_equal(call, CUDA_SUCCESS)

/* Each thread reads one word, past L1D. */
static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry reads(.param .u64 from)\n{\n"
                          ".reg .b32 %r<8>; .reg .b64 %rd<8>;\nld.param.u64 %rd1, [from]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x;\n"
                          "mad.lo.u32 %r3, %r1, 256, %r2; mul.wide.u32 %rd2, %r3, 4; add.u64 %rd1, %rd1, %rd2;\n"
                          "ld.global.cg.u32 %r4, [%rd1]; st.global.u32 [%rd1], %r4; ret;\n}\n";

static CUcontext context;
static CUfunction reads;
static CUdeviceptr data;
static CUstream stream;
static CUevent began, ended;

static int open_device(void **state) {
  (void)state;
  CUmodule module;
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuCtxSetCurrent(context));
  OK(cuModuleLoadData(&module, ptx));
  OK(cuModuleGetFunction(&reads, module, "reads"));
  OK(cuMemAlloc(&data, WINDOW + STREAM));
  OK(cuStreamCreate(&stream, 0));
  OK(cuEventCreate(&began, 0));
  OK(cuEventCreate(&ended, 0));
  return 0;
}

static int close_device(void **state) {
  (void)state;
  OK(cuDevicePrimaryCtxReset(0));
  return 0;
}

static size_t limit(void) {
  size_t now;
  OK(cuCtxGetLimit(&now, CU_LIMIT_PERSISTING_L2_CACHE_SIZE));
  return now;
}

/* Steps and refusals as on an H200. */
static void test_the_limit_is_a_number_of_sixteenths(void **state) {
  (void)state;
  int l2, most, window;
  OK(cuDeviceGetAttribute(&l2, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 0));
  OK(cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE, 0));
  OK(cuDeviceGetAttribute(&window, CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE, 0));
  size_t part = (size_t)l2 / 16;
  assert_int_equal(most, 8 * part);
  assert_int_equal(window, 134217728);
  assert_int_equal(limit(), 0);
  OK(cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 1));
  assert_int_equal(limit(), part);
  OK(cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 2 * part + 1));
  assert_int_equal(limit(), 3 * part);
  assert_int_equal(cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 8 * part + 1), CUDA_ERROR_INVALID_VALUE);
  assert_int_equal(limit(), 3 * part);
  OK(cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0));
  assert_int_equal(limit(), 0);
}

static CUlaunchAttributeValue window(float ratio, CUaccessProperty hit) {
  CUlaunchAttributeValue v = {0};
  v.accessPolicyWindow = (CUaccessPolicyWindow){
      .base_ptr = (void *)(uintptr_t)data, .num_bytes = WINDOW, .hitRatio = ratio, .hitProp = hit};
  return v;
}

static void launch(CUdeviceptr from, unsigned bytes) {
  void *params[] = {&from};
  OK(cuLaunchKernel(reads, bytes / 4 / THREADS, 1, 1, THREADS, 1, 1, 0, stream, params, NULL));
}

enum how { NO_WINDOW, BY_STREAM, BY_LAUNCH, BY_NODE };

static void launch_with_attribute(CUlaunchAttributeValue v) {
  void *params[] = {&data};
  CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, .value = v};
  CUlaunchConfig c = {.gridDimX = WINDOW / 4 / THREADS, .gridDimY = 1, .gridDimZ = 1, .blockDimX = THREADS, .blockDimY = 1, .blockDimZ = 1,
                      .hStream = stream, .attrs = &a, .numAttrs = 1};
  OK(cuLaunchKernelEx(&c, reads, params, NULL));
}

static void launch_node(CUlaunchAttributeValue v) {
  void *params[] = {&data};
  CUDA_KERNEL_NODE_PARAMS p = {.func = reads, .gridDimX = WINDOW / 4 / THREADS, .gridDimY = 1, .gridDimZ = 1, .blockDimX = THREADS,
                               .blockDimY = 1, .blockDimZ = 1, .kernelParams = params};
  CUgraph graph;
  CUgraphNode node;
  CUgraphExec exec;
  OK(cuGraphCreate(&graph, 0));
  OK(cuGraphAddKernelNode(&node, graph, NULL, 0, &p));
  OK(cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v));
  OK(cuGraphKernelNodeSetParams(node, &p)); /* attributes stay */
  OK(cuGraphInstantiate(&exec, graph, 0));
  OK(cuGraphLaunch(exec, stream));
  OK(cuStreamSynchronize(stream));
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphDestroy(graph));
}

/* Reads the window, much else, and the window again: how long the latter takes. */
static float again(enum how how, CUlaunchAttributeValue v, bool reset) {
  CUlaunchAttributeValue none = {0};
  float ms;
  OK(cuCtxResetPersistingL2Cache());
  if (how == BY_STREAM) OK(cuStreamSetAttribute(stream, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v));
  if (how == BY_LAUNCH) launch_with_attribute(v);
  else if (how == BY_NODE) launch_node(v);
  else launch(data, WINDOW);
  OK(cuStreamSetAttribute(stream, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &none));
  OK(cuStreamSynchronize(stream));
  if (reset) OK(cuCtxResetPersistingL2Cache());
  launch(data + WINDOW, STREAM);
  OK(cuEventRecord(began, stream));
  launch(data, WINDOW);
  OK(cuEventRecord(ended, stream));
  OK(cuStreamSynchronize(stream));
  OK(cuEventElapsedTime(&ms, began, ended));
  return ms;
}

static void test_a_window_survives_a_stream_whoever_asks_for_it(void **state) {
  (void)state;
  const CUlaunchAttributeValue persists = window(1, CU_ACCESS_PROPERTY_PERSISTING);
  float without = again(NO_WINDOW, persists, false);
  assert_true(again(BY_STREAM, persists, false) > 0.95f * without); /* nothing is set aside */
  OK(cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 2 * WINDOW));
  for (enum how how = BY_STREAM; how <= BY_NODE; how++) {
    assert_true(again(how, persists, false) < 0.9f * without);
    assert_true(again(how, persists, true) > 0.95f * without);
    assert_true(again(how, window(0, CU_ACCESS_PROPERTY_PERSISTING), false) > 0.95f * without);
  }
}

static void test_a_window_that_makes_no_sense_is_refused(void **state) {
  (void)state;
  CUlaunchAttributeValue v = window(1.5f, CU_ACCESS_PROPERTY_PERSISTING);
  assert_int_equal(cuStreamSetAttribute(stream, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v), CUDA_ERROR_INVALID_VALUE);
  v = window(1, CU_ACCESS_PROPERTY_PERSISTING);
  v.accessPolicyWindow.missProp = CU_ACCESS_PROPERTY_PERSISTING;
  assert_int_equal(cuStreamSetAttribute(stream, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v), CUDA_ERROR_INVALID_VALUE);
}

#define TEST(T) cmocka_unit_test_setup_teardown(T, open_device, close_device)

int main(void) {
  setenv("HEDDLE_GPU", "gtx480", 1);
  setenv("HEDDLE_SET", "l2.set_aside=8", 1);
  if (cuInit(0) != CUDA_SUCCESS) return 1;
  const struct CMUnitTest tests[] = {
      TEST(test_the_limit_is_a_number_of_sixteenths),
      TEST(test_a_window_survives_a_stream_whoever_asks_for_it),
      TEST(test_a_window_that_makes_no_sense_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
