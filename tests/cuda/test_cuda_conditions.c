/* Conditional nodes of graphs: which bodies run and how often, without time and on a timed GPU; defaults; what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <cuda.h>

#define OK(call) assert_int_equal(call, CUDA_SUCCESS)

/* set: the handle's value is *from. count: *at += by; less: *at -= 1, and the handle's value is what is left. */
static const char ptx[] =
    ".version 7.8\n.target sm_70\n.address_size 64\n"
    ".extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);\n"
    ".visible .entry set(.param .u64 handle, .param .u64 from)\n{\n.reg .b32 %r<2>; .reg .b64 %rd<3>;\n"
    "ld.param.u64 %rd1, [handle]; ld.param.u64 %rd2, [from]; ld.global.u32 %r1, [%rd2];\n"
    "{ .param .b64 a; .param .b32 b; st.param.b64 [a], %rd1; st.param.b32 [b], %r1; call cudaGraphSetConditional, (a, b); }\nret;\n}\n"
    ".visible .entry count(.param .u64 at, .param .u32 by)\n{\n.reg .b32 %r<3>; .reg .b64 %rd<2>;\n"
    "ld.param.u64 %rd1, [at]; ld.param.u32 %r1, [by]; red.global.add.u32 [%rd1], %r1; ret;\n}\n"
    ".visible .entry less(.param .u64 handle, .param .u64 at)\n{\n.reg .b32 %r<2>; .reg .b64 %rd<3>;\n"
    "ld.param.u64 %rd1, [handle]; ld.param.u64 %rd2, [at]; ld.global.u32 %r1, [%rd2]; sub.u32 %r1, %r1, 1; st.global.u32 [%rd2], %r1;\n"
    "{ .param .b64 a; .param .b32 b; st.param.b64 [a], %rd1; st.param.b32 [b], %r1; call cudaGraphSetConditional, (a, b); }\nret;\n}\n";

static CUmodule module;
static CUdeviceptr data; /* what decides, what is counted */

static int open_device(void **state) {
  (void)state;
  CUcontext context;
  OK(cuInit(0));
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuCtxSetCurrent(context));
  OK(cuModuleLoadData(&module, ptx));
  OK(cuMemAlloc(&data, 8));
  return 0;
}

static int close_device(void **state) {
  (void)state;
  OK(cuDevicePrimaryCtxReset(0));
  return 0;
}

static CUgraphNode add_kernel(CUgraph g, CUgraphNode after, const char *name, void **args) {
  CUfunction f;
  CUgraphNode node;
  OK(cuModuleGetFunction(&f, module, name));
  CUDA_KERNEL_NODE_PARAMS p = {.func = f, .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1,
                               .kernelParams = args};
  OK(cuGraphAddKernelNode(&node, g, after ? &after : NULL, after != NULL, &p));
  return node;
}

static void add_count(CUgraph g, unsigned by) {
  CUdeviceptr at = data + 4;
  add_kernel(g, NULL, "count", (void *[]){&at, &by});
}

static CUgraphNode add_condition(CUgraph g, CUgraphNode after, CUgraphConditionalHandle handle, CUgraphConditionalNodeType type, unsigned n,
                                 CUgraph **bodies) {
  CUgraphNode node;
  CUgraphNodeType kind;
  CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL, .conditional = {.handle = handle, .type = type, .size = n}};
  OK(cuGraphAddNode_v2(&node, g, after ? &after : NULL, NULL, after != NULL, &p));
  OK(cuGraphNodeGetType(node, &kind));
  assert_int_equal(kind, CU_GRAPH_NODE_TYPE_CONDITIONAL);
  *bodies = p.conditional.phGraph_out;
  return node;
}

static void set(unsigned value) {
  unsigned both[2] = {value, 0};
  OK(cuMemcpyHtoD(data, both, sizeof both));
}

static unsigned launch(CUgraphExec e) {
  unsigned counted;
  OK(cuGraphLaunch(e, NULL));
  OK(cuCtxSynchronize());
  OK(cuMemcpyDtoH(&counted, data + 4, sizeof counted));
  return counted;
}

/* A kernel sets the handle, then the node counts: body i adds 10 to the power of i. */
static CUgraphExec choose(CUgraphConditionalNodeType type, unsigned n) {
  CUgraph g, *bodies;
  CUgraphConditionalHandle handle;
  CUgraphExec e;
  OK(cuGraphCreate(&g, 0));
  OK(cuGraphConditionalHandleCreate(&handle, g, NULL, 0, 0));
  CUgraphNode first = add_kernel(g, NULL, "set", (void *[]){&handle, &data});
  add_condition(g, first, handle, type, n, &bodies);
  for (unsigned i = 0, by = 1; i < n; i++, by *= 10) add_count(bodies[i], by);
  OK(cuGraphInstantiateWithFlags(&e, g, 0));
  OK(cuGraphDestroy(g));
  return e;
}

static void test_a_body_runs_if_its_value_says_so(void **state) {
  (void)state;
  CUgraphExec plain = choose(CU_GRAPH_COND_TYPE_IF, 1), both = choose(CU_GRAPH_COND_TYPE_IF, 2);
  CUgraphExec four = choose(CU_GRAPH_COND_TYPE_SWITCH, 4);
  static const struct {
    unsigned value, plain, both, four;
  } rows[] = {{0, 0, 10, 1}, {1, 1, 1, 10}, {3, 1, 1, 1000}, {4, 1, 1, 0}, {0, 0, 10, 1}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    set(rows[i].value);
    assert_int_equal(launch(plain), rows[i].plain);
    set(rows[i].value);
    assert_int_equal(launch(both), rows[i].both);
    set(rows[i].value);
    assert_int_equal(launch(four), rows[i].four);
  }
  OK(cuGraphExecDestroy(plain));
  OK(cuGraphExecDestroy(both));
  OK(cuGraphExecDestroy(four));
}

/* A loop that begins by its default, and in it one that runs as long as the outer one's count. */
static void test_loops_turn_as_long_as_kernels_say_and_may_be_nested(void **state) {
  (void)state;
  CUgraph g, *outer, *inner;
  CUgraphConditionalHandle turns, inside;
  CUgraphExec e;
  OK(cuGraphCreate(&g, 0));
  OK(cuGraphConditionalHandleCreate(&turns, g, NULL, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
  add_condition(g, NULL, turns, CU_GRAPH_COND_TYPE_WHILE, 1, &outer);
  OK(cuGraphConditionalHandleCreate(&inside, outer[0], NULL, 0, 0));
  CUgraphNode less = add_kernel(outer[0], NULL, "less", (void *[]){&turns, &data});
  CUgraphNode set_inside = add_kernel(outer[0], less, "set", (void *[]){&inside, &data});
  add_condition(outer[0], set_inside, inside, CU_GRAPH_COND_TYPE_IF, 1, &inner);
  add_count(inner[0], 1);
  add_count(outer[0], 1000000);
  OK(cuGraphInstantiateWithFlags(&e, g, 0));
  for (int i = 0; i < 2; i++) {
    set(7);
    assert_int_equal(launch(e), 7 * 1000000 + 6);
  }
  set(4000); /* many turns need no stack */
  assert_int_equal(launch(e), 4000 * 1000000u + 3999);
  OK(cuGraphExecDestroy(e));
  OK(cuGraphDestroy(g));
}

static void test_a_value_without_default_stays_from_launch_to_launch(void **state) {
  (void)state;
  CUgraph g, *body;
  CUgraphConditionalHandle handle;
  CUgraphExec e;
  OK(cuGraphCreate(&g, 0));
  OK(cuGraphConditionalHandleCreate(&handle, g, NULL, 5, 0));
  add_condition(g, NULL, handle, CU_GRAPH_COND_TYPE_IF, 1, &body);
  add_kernel(g, NULL, "set", (void *[]){&handle, &data});
  add_count(body[0], 1);
  OK(cuGraphInstantiateWithFlags(&e, g, 0));
  set(1);
  assert_int_equal(launch(e), 0); /* the node comes first */
  assert_int_equal(launch(e), 1);
  OK(cuGraphExecDestroy(e));
  OK(cuGraphDestroy(g));
}

static void test_bodies_are_captured_to(void **state) {
  (void)state;
  CUgraph g, *body;
  CUgraphConditionalHandle handle;
  CUgraphExec e;
  CUstream s;
  CUfunction count;
  CUdeviceptr at = data + 4;
  unsigned by = 3;
  OK(cuModuleGetFunction(&count, module, "count"));
  OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  OK(cuGraphCreate(&g, 0));
  OK(cuGraphConditionalHandleCreate(&handle, g, NULL, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
  add_condition(g, NULL, handle, CU_GRAPH_COND_TYPE_IF, 1, &body);
  OK(cuStreamBeginCaptureToGraph(s, body[0], NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_RELAXED));
  for (int i = 0; i < 2; i++) OK(cuLaunchKernel(count, 1, 1, 1, 1, 1, 1, 0, s, (void *[]){&at, &by}, NULL));
  OK(cuStreamEndCapture(s, NULL));
  OK(cuGraphInstantiateWithFlags(&e, g, 0));
  set(0);
  assert_int_equal(launch(e), 6);
  OK(cuGraphExecDestroy(e));
  OK(cuGraphDestroy(g));
  OK(cuStreamDestroy(s));
}

static void nothing(void *user) { (void)user; }

static void test_what_cannot_be_is_refused(void **state) {
  (void)state;
  CUgraph g, other, *body;
  CUgraphNode node;
  CUgraphConditionalHandle handle, second;
  CUgraphExec e;
  OK(cuGraphCreate(&g, 0));
  OK(cuGraphCreate(&other, 0));
  assert_int_equal(cuGraphConditionalHandleCreate(NULL, g, NULL, 0, 0), CUDA_ERROR_INVALID_VALUE);
  assert_int_equal(cuGraphConditionalHandleCreate(&handle, g, NULL, 0, 2), CUDA_ERROR_INVALID_VALUE);
  OK(cuGraphConditionalHandleCreate(&handle, g, NULL, 0, 0));
  OK(cuGraphConditionalHandleCreate(&second, g, NULL, 0, 0));
  const CUDA_CONDITIONAL_NODE_PARAMS wrong[] = {{.handle = data, .size = 1},
                                                {.handle = handle, .size = 0},
                                                {.handle = handle, .size = 3},
                                                {.handle = handle, .type = CU_GRAPH_COND_TYPE_WHILE, .size = 2},
                                                {.handle = handle, .type = (CUgraphConditionalNodeType)3, .size = 1}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL, .conditional = wrong[i]};
    assert_int_equal(cuGraphAddNode_v2(&node, g, NULL, NULL, 0, &p), CUDA_ERROR_INVALID_VALUE);
  }
  CUgraphNodeParams elsewhere = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL, .conditional = {.handle = handle, .size = 1}};
  assert_int_equal(cuGraphAddNode_v2(&node, other, NULL, NULL, 0, &elsewhere), CUDA_ERROR_INVALID_VALUE);
  add_condition(g, NULL, handle, CU_GRAPH_COND_TYPE_IF, 1, &body);
  assert_int_equal(cuGraphAddNode_v2(&node, g, NULL, NULL, 0, &elsewhere), CUDA_ERROR_INVALID_VALUE); /* a handle serves one node */
  assert_int_equal(cuGraphClone(&other, g), CUDA_ERROR_NOT_SUPPORTED);
  assert_int_equal(cuGraphAddChildGraphNode(&node, other, NULL, 0, g), CUDA_ERROR_NOT_SUPPORTED);
  assert_int_equal(cuGraphDestroy(body[0]), CUDA_ERROR_INVALID_VALUE);
  OK(cuGraphAddHostNode(&node, body[0], NULL, 0, &(CUDA_HOST_NODE_PARAMS){.fn = nothing}));
  assert_int_equal(cuGraphInstantiateWithFlags(&e, g, 0), CUDA_ERROR_NOT_SUPPORTED);
  OK(cuGraphDestroy(g));
  OK(cuGraphDestroy(other));
}

/* On a timed GPU, and in a process of its own without time. */
int main(int argc, char **argv) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_body_runs_if_its_value_says_so),
      cmocka_unit_test(test_loops_turn_as_long_as_kernels_say_and_may_be_nested),
      cmocka_unit_test(test_a_value_without_default_stays_from_launch_to_launch),
      cmocka_unit_test(test_bodies_are_captured_to),
      cmocka_unit_test(test_what_cannot_be_is_refused),
  };
  pid_t child = argc == 1 ? fork() : -1;
  if (!child) {
    setenv("HEDDLE_FUNCTIONAL", "1", 1);
    execl(argv[0], argv[0], "without time", NULL);
    _exit(127);
  }
  int status = 0;
  if (child > 0) waitpid(child, &status, 0);
  return cmocka_run_group_tests(tests, open_device, close_device) || status;
}
