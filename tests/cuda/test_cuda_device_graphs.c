/* Graphs that kernels launch: what runs when, without time and on a timed GPU; what is uploaded; what is refused. The orders are those
 * that CUDA's guide demands; what is refused answers cudaErrorInvalidValue. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <cuda.h>

#define OK(call) assert_int_equal(call, CUDA_SUCCESS)
#define TAIL     UINT64_C(0x0100000000000000)
#define FORGET   UINT64_C(0x0200000000000000)
#define SIBLING  UINT64_C(0x0300000000000000)
enum { REFUSED = 1 /* cudaErrorInvalidValue */, DEVICE = CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH, MOST = 600 };

/* note: log[1 + log[0]++] = value. ask: *answer = the launch of the graph. again: a launch of its own graph to the tail, unless it is
 * the n-th. who: *at = the graph that it is of. */
#define LAUNCH(graph, stream, answer)                                                                              \
  "{ .param .b64 a; .param .b64 b; .param .b32 c; st.param.b64 [a], " graph "; st.param.b64 [b], " stream ";\n" \
  "call (c), cudaGraphLaunch, (a, b); ld.param.b32 " answer ", [c]; }\n"
static const char ptx[] =
    ".version 8.0\n.target sm_70\n.address_size 64\n"
    ".extern .func (.param .b32 r) cudaGraphLaunch(.param .b64 graph, .param .b64 stream);\n"
    ".visible .entry note(.param .u64 log, .param .u32 value)\n{\n.reg .b32 %r<3>; .reg .b64 %rd<3>;\n"
    "ld.param.u64 %rd1, [log]; ld.param.u32 %r1, [value]; atom.global.add.u32 %r2, [%rd1], 1; mul.wide.u32 %rd2, %r2, 4;\n"
    "add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1+4], %r1; ret;\n}\n"
    ".visible .entry ask(.param .u64 graph, .param .u64 stream, .param .u64 answer)\n{\n.reg .b32 %r<2>; .reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [graph]; ld.param.u64 %rd2, [stream]; ld.param.u64 %rd3, [answer];\n" LAUNCH("%rd1", "%rd2", "%r1")
    "st.global.u32 [%rd3], %r1; ret;\n}\n"
    ".visible .entry again(.param .u64 turns, .param .u32 n, .param .u64 answer)\n{\n.reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<5>;\n"
    "ld.param.u64 %rd1, [turns]; ld.param.u32 %r1, [n]; ld.param.u64 %rd2, [answer]; atom.global.add.u32 %r2, [%rd1], 1;\n"
    "add.u32 %r2, %r2, 1; setp.ge.u32 %p, %r2, %r1; @%p ret; mov.u64 %rd3, %current_graph_exec; mov.u64 %rd4, 0x0100000000000000;\n"
    LAUNCH("%rd3", "%rd4", "%r3") "st.global.u32 [%rd2], %r3;\n" LAUNCH("%rd3", "%rd4", "%r3") "st.global.u32 [%rd2+4], %r3; ret;\n}\n"
    ".visible .entry who(.param .u64 at)\n{\n.reg .b64 %rd<3>;\n"
    "ld.param.u64 %rd1, [at]; mov.u64 %rd2, %current_graph_exec; st.global.u64 [%rd1], %rd2; ret;\n}\n";

static CUmodule module;
static CUstream stream;
static CUdeviceptr notes, answers; /* a count and what was noted; what launches answered */

static int open_device(void **state) {
  (void)state;
  CUcontext context;
  OK(cuInit(0));
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuCtxSetCurrent(context));
  OK(cuModuleLoadData(&module, ptx));
  OK(cuMemAlloc(&notes, 4 * MOST));
  OK(cuMemAlloc(&answers, 4 * MOST));
  OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  return 0;
}

static int close_device(void **state) {
  (void)state;
  OK(cuDevicePrimaryCtxReset(0));
  return 0;
}

static CUDA_KERNEL_NODE_PARAMS kernel(const char *name, void **args) {
  CUfunction f;
  OK(cuModuleGetFunction(&f, module, name));
  return (CUDA_KERNEL_NODE_PARAMS){.func = f, .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1,
                                   .blockDimZ = 1, .kernelParams = args};
}

/* Behind the last of *after, which it becomes. */
static void add(CUgraph g, CUgraphNode *after, const char *name, void **args) {
  CUDA_KERNEL_NODE_PARAMS p = kernel(name, args);
  CUgraphNode node;
  OK(cuGraphAddKernelNode(&node, g, *after ? after : NULL, *after != NULL, &p));
  *after = node;
}
static void add_note(CUgraph g, CUgraphNode *after, unsigned value) { add(g, after, "note", (void *[]){&notes, &value}); }
static void add_ask(CUgraph g, CUgraphNode *after, CUgraphExec exec, uint64_t how, unsigned slot) {
  CUdeviceptr at = answers + 4 * slot;
  add(g, after, "ask", (void *[]){&exec, &how, &at});
}

static CUgraph graph(void) {
  CUgraph g;
  OK(cuGraphCreate(&g, 0));
  return g;
}
static CUgraphExec made(CUgraph g, unsigned long long flags) {
  CUgraphExec e;
  OK(cuGraphInstantiateWithFlags(&e, g, flags));
  return e;
}
static CUgraphExec noting(unsigned value, unsigned long long flags) {
  CUgraph g = graph();
  CUgraphNode last = NULL;
  add_note(g, &last, value);
  return made(g, flags);
}
static CUgraphExec uploaded(CUgraphExec e) {
  OK(cuGraphUpload(e, stream));
  return e;
}

static void run(CUgraphExec e) {
  OK(cuMemsetD32(notes, 0, MOST));
  OK(cuMemsetD32(answers, 77, MOST));
  OK(cuGraphLaunch(e, stream));
  OK(cuStreamSynchronize(stream));
}
static unsigned answer(unsigned slot) {
  unsigned v;
  OK(cuMemcpyDtoH(&v, answers + 4 * slot, sizeof v));
  return v;
}
/* What was noted, as digits. */
static unsigned noted(void) {
  static unsigned v[MOST];
  unsigned digits = 0;
  OK(cuMemcpyDtoH(v, notes, sizeof v));
  for (unsigned i = 0; i < v[0] && i < 9; i++) digits = 10 * digits + v[1 + i];
  return digits;
}

static void test_fire_and_forget_belongs_to_the_launch(void **state) {
  (void)state;
  CUgraphExec work = uploaded(noting(7, DEVICE));
  for (int beside = 0; beside < 2; beside++) {
    CUgraph g = graph();
    CUgraphNode last = NULL;
    add_ask(g, &last, work, beside ? SIBLING : FORGET, 0);
    CUgraphExec e = made(g, 0);
    for (int turn = 0; turn < 2; turn++) { /* the same graph can be launched again when it has ended */
      run(e);
      assert_int_equal(answer(0), 0);
      assert_int_equal(noted(), 7);
    }
  }
}

static void test_the_tail_comes_behind_all_of_the_launch(void **state) {
  (void)state;
  CUgraphExec three = uploaded(noting(3, DEVICE)), four = uploaded(noting(4, DEVICE)), inner = uploaded(noting(2, DEVICE));
  CUgraph tail = graph(), g = graph(), forgotten = graph();
  CUgraphNode last = NULL;
  add_note(tail, &last, 1);
  add_ask(tail, &last, three, TAIL, 0);
  CUgraphExec one = uploaded(made(tail, DEVICE));
  last = NULL;
  add_note(forgotten, &last, 6);
  add_ask(forgotten, &last, inner, TAIL, 4); /* ends before the tail of the launch that it is in */
  CUgraphExec six = uploaded(made(forgotten, DEVICE));
  last = NULL;
  add_ask(g, &last, one, TAIL, 1);
  add_ask(g, &last, four, TAIL, 2);
  add_ask(g, &last, six, FORGET, 3);
  add_note(g, &last, 5);
  run(made(g, 0));
  for (unsigned i = 0; i < 5; i++) assert_int_equal(answer(i), 0);
  unsigned order = noted(); /* 5 may come between those of the forgotten one */
  assert_true(order % 1000 == 134);
  assert_true(order / 1000 == 625 || order / 1000 == 652 || order / 1000 == 562);
}

static void test_a_graph_launches_itself_again_and_again(void **state) {
  (void)state;
  unsigned turns = 500, count;
  CUdeviceptr answered = answers;
  CUgraph g = graph();
  CUgraphNode last = NULL;
  add(g, &last, "again", (void *[]){&notes, &turns, &answered});
  run(made(g, DEVICE));
  OK(cuMemcpyDtoH(&count, notes, sizeof count));
  assert_int_equal(count, turns);
  assert_int_equal(answer(0), 0);
  assert_int_equal(answer(1), REFUSED); /* one launch of itself at a time */
}

static void test_kernels_know_which_graph_they_are_of(void **state) {
  (void)state;
  CUgraph g = graph();
  CUgraphNode last = NULL;
  CUgraphExec device, host;
  uint64_t seen;
  add(g, &last, "who", (void *[]){&answers});
  device = made(g, DEVICE);
  host = made(g, 0);
  run(device);
  OK(cuMemcpyDtoH(&seen, answers, sizeof seen));
  assert_true(seen == (uintptr_t)device);
  run(host);
  OK(cuMemcpyDtoH(&seen, answers, sizeof seen));
  assert_true(seen == 0);
}

static void test_kernels_launch_what_was_uploaded(void **state) {
  (void)state;
  CUgraph work = graph(), g = graph();
  CUgraphNode node = NULL, last = NULL;
  unsigned value = 9;
  add_note(work, &node, 8);
  CUgraphExec e = made(work, DEVICE);
  add_ask(g, &last, e, FORGET, 0);
  CUgraphExec launcher = made(g, 0);
  run(launcher);
  assert_int_equal(answer(0), REFUSED);
  uploaded(e);
  CUDA_KERNEL_NODE_PARAMS changed = kernel("note", (void *[]){&notes, &value});
  OK(cuGraphExecKernelNodeSetParams(e, node, &changed));
  run(launcher);
  assert_int_equal(noted(), 8);
  uploaded(e);
  run(launcher);
  assert_int_equal(noted(), 9);
  CUgraphExec at_once;
  CUDA_GRAPH_INSTANTIATE_PARAMS p = {.flags = DEVICE | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD, .hUploadStream = stream};
  OK(cuGraphInstantiateWithParams(&at_once, work, &p));
  cuuint64_t flags;
  OK(cuGraphExecGetFlags(at_once, &flags));
  assert_true(flags == DEVICE);
  g = graph();
  last = NULL;
  add_ask(g, &last, at_once, FORGET, 0);
  run(made(g, 0));
  assert_int_equal(noted(), 8);
}

static void test_launches_that_cannot_be_are_refused(void **state) {
  (void)state;
  CUgraphExec good = uploaded(noting(7, DEVICE)), plain = uploaded(noting(7, 0)), gone = uploaded(noting(7, DEVICE));
  OK(cuGraphExecDestroy(gone));
  CUgraph g = graph();
  CUgraphNode last = NULL;
  add_ask(g, &last, plain, FORGET, 0);
  add_ask(g, &last, NULL, FORGET, 1);
  add_ask(g, &last, gone, TAIL, 2);
  add_ask(g, &last, good, 0, 3); /* not a stream for graphs */
  add_ask(g, &last, good, 3, 4);
  run(made(g, 0));
  for (unsigned i = 0; i < 5; i++) assert_int_equal(answer(i), REFUSED);
  assert_int_equal(noted(), 0);
  CUDA_KERNEL_NODE_PARAMS p = kernel("ask", NULL); /* not of a graph */
  uint64_t how = FORGET;
  OK(cuLaunchKernel(p.func, 1, 1, 1, 1, 1, 1, 0, stream, (void *[]){&good, &how, &answers}, NULL));
  OK(cuStreamSynchronize(stream));
  assert_int_equal(answer(0), REFUSED);
  assert_int_equal(noted(), 0);
}

static void test_an_environment_has_so_many_launches(void **state) {
  (void)state;
  enum { FORGOTTEN = 120, TAILS = 255 };
  CUgraph g = graph();
  CUgraphNode last = NULL;
  for (unsigned i = 0; i <= FORGOTTEN; i++) add_ask(g, &last, uploaded(noting(7, DEVICE)), FORGET, i);
  CUgraphExec tail = uploaded(noting(8, DEVICE));
  for (unsigned i = 0; i <= TAILS; i++) add_ask(g, &last, tail, TAIL, FORGOTTEN + 1 + i);
  run(made(g, 0));
  assert_int_equal(answer(FORGOTTEN - 1), 0);
  assert_int_equal(answer(FORGOTTEN), REFUSED);
  assert_int_equal(answer(FORGOTTEN + TAILS), 0);
  assert_int_equal(answer(FORGOTTEN + 1 + TAILS), REFUSED);
  unsigned count;
  OK(cuMemcpyDtoH(&count, notes, sizeof count));
  assert_int_equal(count, FORGOTTEN + TAILS);
}

static void CUDA_CB nothing(void *user) { (void)user; }

static void test_graphs_for_kernels_hold_kernels_fills_and_copies(void **state) {
  (void)state;
  CUgraph g = graph(), inner = graph();
  CUgraphExec e;
  CUgraphNode node, last = NULL;
  CUDA_GRAPH_INSTANTIATE_PARAMS p = {.flags = DEVICE};
  static char pageable[64];
  CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = notes, .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                        .dstDevice = answers, .WidthInBytes = 64, .Height = 1, .Depth = 1};
  CUcontext context;
  OK(cuCtxGetCurrent(&context));
  assert_int_equal(cuGraphInstantiateWithFlags(&e, g, DEVICE), CUDA_ERROR_INVALID_VALUE); /* empty */
  add_note(inner, &last, 1);
  OK(cuGraphAddChildGraphNode(&node, g, NULL, 0, inner));
  OK(cuGraphAddMemcpyNode(&node, g, NULL, 0, &copy, context));
  OK(cuGraphInstantiateWithParams(&e, g, &p));
  assert_int_equal(p.result_out, CUDA_GRAPH_INSTANTIATE_SUCCESS);
  assert_int_equal(cuGraphInstantiateWithFlags(&e, g, DEVICE | CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH), CUDA_ERROR_INVALID_VALUE);
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = pageable;
  OK(cuGraphAddMemcpyNode(&node, g, NULL, 0, &copy, context));
  assert_int_equal(cuGraphInstantiateWithParams(&e, g, &p), CUDA_ERROR_INVALID_VALUE);
  assert_int_equal(p.result_out, CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED);
  assert_ptr_equal(p.hErrNode_out, node);
  OK(cuGraphDestroyNode(node));
  OK(cuGraphAddHostNode(&node, g, NULL, 0, &(CUDA_HOST_NODE_PARAMS){.fn = nothing}));
  assert_int_equal(cuGraphInstantiateWithParams(&e, g, &p), CUDA_ERROR_INVALID_VALUE);
  assert_ptr_equal(p.hErrNode_out, node);
}

/* On a timed GPU, and in a process of its own without time. */
int main(int argc, char **argv) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fire_and_forget_belongs_to_the_launch),
      cmocka_unit_test(test_the_tail_comes_behind_all_of_the_launch),
      cmocka_unit_test(test_a_graph_launches_itself_again_and_again),
      cmocka_unit_test(test_kernels_know_which_graph_they_are_of),
      cmocka_unit_test(test_kernels_launch_what_was_uploaded),
      cmocka_unit_test(test_launches_that_cannot_be_are_refused),
      cmocka_unit_test(test_an_environment_has_so_many_launches),
      cmocka_unit_test(test_graphs_for_kernels_hold_kernels_fills_and_copies),
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
