/* cudaDeviceSynchronize in kernels: how deep (cudaLimitDevRuntimeSyncDepth), what a child that fails does to who waits for it, and one that
 * fails while its child runs; limits, and the checker; and that parameters are those of each launch; with time, without, and where some
 * launches are. Which CTAs give their places to others: tests/gpu/test_gpu_children.c. */
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
#define LAUNCH(KERNEL, PARAMS) LAUNCH_OF(KERNEL, "1", PARAMS)
#define LAUNCH_OF(KERNEL, CTAS, PARAMS)                                                                                           \
  "mov.u64 %rd8, " KERNEL ";\n{ .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 r;\n" \
  "st.param.b64 [f], %rd8; st.param.b32 [g], " CTAS "; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;\n"                           \
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
 * n times, waits for put(at, 9999) and put(at, i), and adds what is at `at` then. leaves: its second warp traps while the first waits for
 * turns(at, n), which counts to n there. fills: waits for 16 bytes of zeros; then at[4] = at[0] + 5. crowd: each CTA waits for a cluster
 * of four CTAs, which adds 4 to at[0]. */
static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".extern .func (.param .b64 r) cudaGetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12],\n"
    ".param .b32 s);\n"
    ".extern .func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 p, .param .b64 s);\n"
    ".extern .func (.param .b64 r) cudaGetParameterBuffer(.param .b64 a, .param .b64 n);\n"
    ".extern .func (.param .b32 r) cudaLaunchDevice(.param .b64 f, .param .b64 p, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12],\n"
    ".param .b32 s, .param .b64 t);\n"
    ".extern .func (.param .b32 r) cudaDeviceSynchronize();\n"
    ".extern .func (.param .b32 r) cudaMemsetAsync(.param .b64 p, .param .b32 v, .param .b64 n, .param .b64 s);\n"
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
    "st.global.u32 [%rd1+4], %r3; ret;\n}\n"
    ".visible .entry turns(.param .u64 at, .param .u32 n)\n{\n.reg .pred %p; .reg .b32 %r<3>; .reg .b64 %rd<2>;\n"
    "ld.param.u64 %rd1, [at]; ld.param.u32 %r1, [n]; mov.u32 %r2, 0;\n"
    "L: add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, %r1; @%p bra L; st.global.u32 [%rd1], %r2; ret;\n}\n"
    ".visible .entry leaves(.param .u64 at, .param .u32 n)\n{\n.reg .pred %p; .reg .b32 %r<10>; .reg .b64 %rd<10>;\n"
    "ld.param.u64 %rd1, [at]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; setp.ge.u32 %p, %r2, 32; @%p bra B;\n"
    "setp.ne.u32 %p, %r2, 0; @%p bra E;\n" LAUNCH("turns", "st.u64 [%rd9], %rd1; st.u32 [%rd9+8], %r1;\n")
    WAIT("cudaDeviceSynchronize") "E: ret;\nB: mov.u32 %r2, 0;\n"
    "L: add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, 3000; @%p bra L; trap; ret;\n}\n"
    ".visible .entry four(.param .u64 at) .reqnctapercluster 4, 1, 1\n{\n.reg .b64 %rd<2>;\n"
    "ld.param.u64 %rd1, [at]; red.global.add.u32 [%rd1], 1; ret;\n}\n"
    ".visible .entry crowd(.param .u64 at)\n{\n.reg .b32 %r<10>; .reg .b64 %rd<10>;\nld.param.u64 %rd1, [at];\n"
    LAUNCH_OF("four", "4", "st.u64 [%rd9], %rd1;\n") WAIT("cudaDeviceSynchronize") "ret;\n}\n"
    ".visible .entry fills(.param .u64 at)\n{\n.reg .b32 %r<10>; .reg .b64 %rd<10>;\nld.param.u64 %rd1, [at];\n"
    "{ .param .b64 p; .param .b32 v; .param .b64 n; .param .b64 s; .param .b32 r; st.param.b64 [p], %rd1; st.param.b32 [v], 0;\n"
    "st.param.b64 [n], 16; st.param.b64 [s], 0; call.uni (r), cudaMemsetAsync, (p, v, n, s); ld.param.b32 %r9, [r]; }\n"
    WAIT("cudaDeviceSynchronize") "ld.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, 5; st.global.u32 [%rd1+16], %r1; ret;\n}\n";

static CUlibrary library;
static CUmodule module;
static CUdeviceptr answers;

static CUfunction kernel(const char *name) {
  CUfunction f;
  OK(cuModuleGetFunction(&f, module, name));
  return f;
}

static void launch_of(unsigned threads, const char *name, CUstream stream, CUdeviceptr at, unsigned number) {
  OK(cuLaunchKernel(kernel(name), 1, 1, 1, threads, 1, 1, 0, stream, (void *[]){&at, &number}, NULL));
}
static void launch(const char *name, CUstream stream, CUdeviceptr at, unsigned number) { launch_of(1, name, stream, at, number); }

static void open_device(void) {
  CUcontext context;
  OK(cuInit(0));
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuCtxSetCurrent(context));
  OK(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
  OK(cuLibraryGetModule(&module, library));
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

/* The program ends as the runtime has it do: a library is unloaded while a kernel of it is on its way. */
static void a_parent_fails_before_its_child_has_ended(void) {
  launch_of(64, "leaves", NULL, answers, 20000);
  assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
  OK(cuLibraryUnload(library));
}

static void a_library_is_unloaded_behind_its_kernels(void) {
  CUstream streams[2];
  int got;
  for (unsigned i = 0; i < 2; i++) OK(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
  launch("turns", streams[0], answers, 20000);
  launch("put", streams[1], answers + 4, 1);
  OK(cuStreamSynchronize(streams[1]));
  OK(cuLibraryUnload(library));
  OK(cuCtxSynchronize());
  OK(cuMemcpyDtoH(&got, answers, sizeof got));
  assert_int_equal(got, 20000);
}

static void a_fill_is_waited_for(void) {
  int got[5];
  launch("fills", NULL, answers, 0);
  OK(cuCtxSynchronize());
  OK(cuMemcpyDtoH(got, answers, sizeof got));
  assert_int_equal(got[3], 0);
  assert_int_equal(got[4], 5);
}

/* One SM of four has room for a CTA, and a cluster needs one of each. */
static void clusters_find_room(void) {
  int got;
  OK(cuMemsetD32(answers, 0, 1));
  OK(cuLaunchKernel(kernel("crowd"), 3, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&answers}, NULL));
  OK(cuCtxSynchronize());
  OK(cuMemcpyDtoH(&got, answers, sizeof got));
  assert_int_equal(got, 12);
}

/* Whether a child or its parent comes to the limit. */
static void a_limit_ends_the_program(void) {
  launch("adds", NULL, answers, TURNS);
  cuCtxSynchronize();
  fail_msg("it went on");
}

static const struct {
  const char *name, *capability; /* and other settings */
  void (*run)(void);
} cases[] = {{"depth", "75", depth_is_limited},
             {"no limit", "90", there_is_no_limit},
             {"failure", "75", a_child_that_fails_takes_its_parent_with_it},
             {"parameters", "75", each_launch_has_its_parameters},
             {"parent's failure", "75", a_parent_fails_before_its_child_has_ended},
             {"unloading", "75", a_library_is_unloaded_behind_its_kernels},
             {"fill", "75", a_fill_is_waited_for},
             {"limit", "75", a_limit_ends_the_program},
             {"clusters", "90,gpu.sms=4,gpu.clusters=1,sm.ctas=1", clusters_find_room}};
enum { DEPTH, NO_LIMIT, FAILURE, PARAMETERS, PARENTS_FAILURE, UNLOADING, FILL, LIMIT, CLUSTERS };
enum { CASES = sizeof cases / sizeof *cases };

static const char *self;
static char found[64]; /* a file: what the checker has found */

static void chosen(void **state) {
  open_device();
  cases[*(const int *)*state].run();
}

enum mode { UNTIMED, TIMED, SAMPLED, CHECKED };

/* In a process of its own, which is the test again with the number of the case. */
static void in_process(int number, enum mode mode) {
  char set[128], which[2] = {(char)('0' + number), 0};
  snprintf(set, sizeof set, "gpu.compute_capability=%s%s", cases[number].capability, mode == SAMPLED ? ",gpu.sample=5" : "");
  pid_t child = fork();
  if (!child) {
    setenv("HEDDLE_FUNCTIONAL", mode == UNTIMED || mode == CHECKED ? "1" : "0", 1);
    if (mode == CHECKED) setenv("HEDDLE_CHECK", "all", 1), setenv("HEDDLE_CHECK_LOG", found, 1);
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
    in_process(DEPTH, mode);
    in_process(NO_LIMIT, mode);
  }
}

static void test_a_child_that_fails_takes_its_parent_with_it(void **state) {
  (void)state;
  for (enum mode mode = UNTIMED; mode <= TIMED; mode++) in_process(FAILURE, mode);
}

static void test_each_launch_has_its_parameters(void **state) {
  (void)state;
  for (enum mode mode = UNTIMED; mode <= SAMPLED; mode++) in_process(PARAMETERS, mode);
}

static void test_a_parent_may_fail_before_its_child_has_ended(void **state) {
  (void)state;
  for (enum mode mode = UNTIMED; mode <= TIMED; mode++) in_process(PARENTS_FAILURE, mode);
}

static void test_a_library_is_unloaded_behind_its_kernels(void **state) {
  (void)state;
  for (enum mode mode = UNTIMED; mode <= SAMPLED; mode++) in_process(UNLOADING, mode);
}

static void test_a_fill_is_waited_for(void **state) {
  (void)state;
  for (enum mode mode = UNTIMED; mode <= SAMPLED; mode++) in_process(FILL, mode);
}

static void test_clusters_that_are_waited_for_find_room(void **state) {
  (void)state;
  for (enum mode mode = UNTIMED; mode <= TIMED; mode++) in_process(CLUSTERS, mode);
}

static void test_limits_hold_where_kernels_wait(void **state) {
  (void)state;
  for (unsigned limit = 100; limit < 140; limit++) {
    char text[16];
    snprintf(text, sizeof text, "%u", limit);
    setenv("HEDDLE_MAX_INSTRUCTIONS", text, 1);
    in_process(LIMIT, UNTIMED);
  }
  in_process(LIMIT, TIMED);
  unsetenv("HEDDLE_MAX_INSTRUCTIONS");
}

/* How often a word is in what the checker has found. */
static unsigned count_found(const char *word) {
  static char text[1 << 16];
  FILE *f = fopen(found, "r");
  unsigned n = 0;
  assert_non_null(f);
  text[fread(text, 1, sizeof text - 1, f)] = 0;
  fclose(f);
  for (const char *at = text; (at = strstr(at, word)); at++) n++;
  return n;
}

/* The checker knows a parent again when its child has ended: what it does wrong then is its own. */
static void test_the_checker_follows_parents_and_children(void **state) {
  (void)state;
  snprintf(found, sizeof found, "/tmp/test_device_sync.XXXXXX");
  int file = mkstemp(found);
  assert_true(file >= 0);
  in_process(FAILURE, CHECKED);
  assert_int_equal(count_found("\"kernel\":\"falls\""), 1);
  assert_int_equal(count_found("\"kernel\":\"fails\""), 1);
  assert_int_equal(ftruncate(file, 0), 0);
  in_process(PARENTS_FAILURE, CHECKED);
  assert_int_equal(count_found("\"kernel\":\"leaves\""), 1);
  close(file);
  unlink(found);
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
      cmocka_unit_test(test_a_parent_may_fail_before_its_child_has_ended),
      cmocka_unit_test(test_a_library_is_unloaded_behind_its_kernels),
      cmocka_unit_test(test_a_fill_is_waited_for),
      cmocka_unit_test(test_clusters_that_are_waited_for_find_room),
      cmocka_unit_test(test_limits_hold_where_kernels_wait),
      cmocka_unit_test(test_the_checker_follows_parents_and_children),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
