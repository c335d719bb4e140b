/* cudaDeviceSynchronize in kernels: how deep (cudaLimitDevRuntimeSyncDepth), what a child that fails does to who waits for it, and that
 * parameters are those of each launch; with time, without, and where some launches are. Which CTAs give their places to others:
 * tests/gpu/test_gpu_children.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <cuda.h>

#define OK(call) assert_int_equal(call, CUDA_SUCCESS)
enum { LEVELS = 6, TOO_DEEP = 68 /* cudaErrorSyncDepthExceeded */, STREAMS = 4, TURNS = 300 };

/* %r9 = what the call answered. */
#define LAUNCH(KERNEL, PARAMS)                                                                                                    \
  "mov.u64 %rd8, " KERNEL ";\n{ .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 r;\n" \
  "st.param.b64 [f], %rd8; st.param.b32 [g], 1; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;\n"                                  \
  "st.param.b32 [b], 1; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1; st.param.b32 [s], 0;\n"                                     \
  "call.uni (r), cudaGetParameterBufferV2, (f, g, b, s); ld.param.b64 %rd9, [r]; }\n" PARAMS                                      \
  "{ .param .b64 p; .param .b64 s; .param .b32 r; st.param.b64 [p], %rd9; st.param.b64 [s], 0;\n"                                 \
  "call.uni (r), cudaLaunchDeviceV2, (p, s); ld.param.b32 %r9, [r]; }\n"
/* The same by the entry points before those with V2, which are told the kernel only when it is launched. */
#define OLD_LAUNCH(KERNEL, BYTES, PARAMS)                                                                                         \
  "{ .param .b64 a; .param .b64 n; .param .b64 r; st.param.b64 [a], 8; st.param.b64 [n], " BYTES ";\n"                            \
  "call.uni (r), cudaGetParameterBuffer, (a, n); ld.param.b64 %rd9, [r]; }\n" PARAMS "mov.u64 %rd8, " KERNEL ";\n"                \
  "{ .param .b64 f; .param .b64 p; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 t; .param .b32 r;\n" \
  "st.param.b64 [f], %rd8; st.param.b64 [p], %rd9; st.param.b32 [g], 1; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;\n"          \
  "st.param.b32 [b], 1; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1; st.param.b32 [s], 0; st.param.b64 [t], 0;\n"                \
  "call.uni (r), cudaLaunchDevice, (f, p, g, b, s, t); ld.param.b32 %r9, [r]; }\n"
#define WAIT(NAME) "{ .param .b32 r; call.uni (r), " NAME ", (); ld.param.b32 %r9, [r]; }\n"

/* deep: answers[depth] = what waiting for a launch of its own, one level deeper, answers. fails: waits for a kernel that traps. adds:
 * n times, waits for put(at, 9999) and put(at, i), and adds what is at `at` then. */
static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".extern .func (.param .b64 r) cudaGetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12],\n"
    ".param .b32 s);\n"
    ".extern .func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 p, .param .b64 s);\n"
    ".extern .func (.param .b64 r) cudaGetParameterBuffer(.param .b64 a, .param .b64 n);\n"
    ".extern .func (.param .b32 r) cudaLaunchDevice(.param .b64 f, .param .b64 p, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12],\n"
    ".param .b32 s, .param .b64 t);\n"
    ".extern .func (.param .b32 r) cudaDeviceSynchronize();\n"
    ".extern .func (.param .b32 r) __cudaDeviceSynchronizeDeprecationAvoidance();\n"
    ".visible .entry deep(.param .u64 answers, .param .u32 depth)\n{\n.reg .pred %p; .reg .b32 %r<10>; .reg .b64 %rd<10>;\n"
    "ld.param.u64 %rd1, [answers]; ld.param.u32 %r1, [depth]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2;\n"
    "add.u32 %r2, %r1, 1; setp.ge.u32 %p, %r2, 6; @%p bra W;\n" LAUNCH("deep", "st.u64 [%rd9], %rd1; st.u32 [%rd9+8], %r2;\n")
    "W:" WAIT("cudaDeviceSynchronize") "st.global.u32 [%rd2], %r9; ret;\n}\n"
    ".visible .entry falls()\n{\ntrap; ret;\n}\n"
    ".visible .entry fails(.param .u64 answers)\n{\n.reg .b32 %r<10>; .reg .b64 %rd<10>;\n" LAUNCH("falls", "")
    WAIT("__cudaDeviceSynchronizeDeprecationAvoidance") "ld.param.u64 %rd1, [answers]; st.global.u32 [%rd1], 7; ret;\n}\n"
    ".visible .entry put(.param .u64 at, .param .u32 value)\n{\n.reg .b32 %r<2>; .reg .b64 %rd<2>;\n"
    "ld.param.u64 %rd1, [at]; ld.param.u32 %r1, [value]; st.global.u32 [%rd1], %r1; ret;\n}\n"
    ".visible .entry adds(.param .u64 at, .param .u32 n)\n{\n.reg .pred %p; .reg .b32 %r<10>; .reg .b64 %rd<10>;\n"
    "ld.param.u64 %rd1, [at]; ld.param.u32 %r1, [n]; mov.u32 %r2, 0; mov.u32 %r3, 0;\nL:\n"
    LAUNCH("put", "st.u64 [%rd9], %rd1; st.u32 [%rd9+8], 9999;\n") OLD_LAUNCH("put", "12", "st.u64 [%rd9], %rd1; st.u32 [%rd9+8], %r2;\n")
    WAIT("__cudaDeviceSynchronizeDeprecationAvoidance")
    "ld.global.u32 %r4, [%rd1]; add.u32 %r3, %r3, %r4; add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, %r1; @%p bra L;\n"
    "st.global.u32 [%rd1+4], %r3; ret;\n}\n";

static CUmodule module;
static CUdeviceptr answers;

static CUfunction kernel(const char *name) {
  CUfunction f;
  OK(cuModuleGetFunction(&f, module, name));
  return f;
}

static void launch(const char *name, CUstream stream, CUdeviceptr at, unsigned number) {
  OK(cuLaunchKernel(kernel(name), 1, 1, 1, 1, 1, 1, 0, stream, (void *[]){&at, &number}, NULL));
}

static void open_device(void) {
  CUcontext context;
  OK(cuInit(0));
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuCtxSetCurrent(context));
  OK(cuModuleLoadData(&module, ptx));
  OK(cuMemAlloc(&answers, 4096));
  OK(cuMemsetD32(answers, 99, 1024));
}

/* The first so many levels may wait. A level that may not does not wait; all it launches runs nevertheless. */
static void check_depth(unsigned levels) {
  int got[LEVELS];
  OK(cuMemsetD32(answers, 99, LEVELS));
  launch("deep", NULL, answers, 0);
  OK(cuCtxSynchronize());
  OK(cuMemcpyDtoH(got, answers, sizeof got));
  for (unsigned i = 0; i < LEVELS; i++) assert_int_equal(got[i], i < levels ? 0 : TOO_DEEP);
}

static void depth_is_limited(void) {
  size_t limit;
  OK(cuCtxGetLimit(&limit, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH));
  assert_int_equal(limit, 2);
  check_depth(2);
  OK(cuCtxSetLimit(CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, 4));
  check_depth(4);
  OK(cuCtxSetLimit(CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, 1));
  check_depth(1);
  assert_int_equal(cuCtxSetLimit(CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, 25), CUDA_ERROR_INVALID_VALUE);
}

static void there_is_no_limit(void) {
  size_t limit;
  assert_int_equal(cuCtxGetLimit(&limit, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH), CUDA_ERROR_UNSUPPORTED_LIMIT);
  assert_int_equal(cuCtxSetLimit(CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, 3), CUDA_ERROR_UNSUPPORTED_LIMIT);
  check_depth(LEVELS);
}

static void a_child_that_fails_takes_its_parent_with_it(void) {
  launch("fails", NULL, answers, 0);
  assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
}

/* Kernels of several streams wait for many launches each, beside one that launches without waiting. */
static void each_launch_has_its_parameters(void) {
  CUstream streams[STREAMS];
  int got[2];
  for (unsigned i = 0; i < STREAMS; i++) OK(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
  for (unsigned i = 0; i < STREAMS; i++) launch("adds", streams[i], answers + 256 * i, TURNS + i);
  OK(cuCtxSynchronize());
  for (unsigned i = 0; i < STREAMS; i++) {
    int n = TURNS + (int)i;
    OK(cuMemcpyDtoH(got, answers + 256 * i, sizeof got));
    assert_int_equal(got[0], n - 1);
    assert_int_equal(got[1], n * (n - 1) / 2);
  }
}

static const struct {
  const char *name, *capability;
  void (*run)(void);
} cases[] = {{"depth", "75", depth_is_limited},
             {"no limit", "90", there_is_no_limit},
             {"failure", "75", a_child_that_fails_takes_its_parent_with_it},
             {"parameters", "75", each_launch_has_its_parameters}};
enum { CASES = sizeof cases / sizeof *cases };

static const char *self;

static void chosen(void **state) {
  open_device();
  cases[*(const int *)*state].run();
}

enum mode { UNTIMED, TIMED, SAMPLED };

/* In a process of its own, which is the test again with the number of the case. */
static void in_process(int number, enum mode mode) {
  char set[64], which[2] = {(char)('0' + number), 0};
  snprintf(set, sizeof set, "gpu.compute_capability=%s%s", cases[number].capability, mode == SAMPLED ? ",gpu.sample=5" : "");
  pid_t child = fork();
  if (!child) {
    setenv("HEDDLE_FUNCTIONAL", mode == UNTIMED ? "1" : "0", 1);
    setenv("HEDDLE_SET", set, 1);
    execl(self, self, which, NULL);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status) fail_msg("'%s' in mode %d ended with %d", cases[number].name, mode, status);
}

static void test_depth_is_limited_as_cuda_documents(void **state) {
  (void)state;
  for (enum mode mode = UNTIMED; mode <= TIMED; mode++) {
    in_process(0, mode);
    in_process(1, mode);
  }
}

static void test_a_child_that_fails_takes_its_parent_with_it(void **state) {
  (void)state;
  for (enum mode mode = UNTIMED; mode <= TIMED; mode++) in_process(2, mode);
}

static void test_each_launch_has_its_parameters(void **state) {
  (void)state;
  for (enum mode mode = UNTIMED; mode <= SAMPLED; mode++) in_process(3, mode);
}

int main(int argc, char **argv) {
  self = argv[0];
  if (argc > 1) {
    int number = argv[1][0] - '0';
    const struct CMUnitTest one[] = {cmocka_unit_test_prestate(chosen, &number)};
    return cmocka_run_group_tests(one, NULL, NULL);
  }
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_depth_is_limited_as_cuda_documents),
      cmocka_unit_test(test_a_child_that_fails_takes_its_parent_with_it),
      cmocka_unit_test(test_each_launch_has_its_parameters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
