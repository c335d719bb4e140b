/* Kernels that wait for what code of the host writes after their launch: the launch returns, and the kernel goes on when somebody waits for
 * it; and what happens where nobody writes. Each case is a process of its own, with time and without. */
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
#include <pthread.h>

enum { DEADLOCK = 4 };

/* wait: until *flag is not 0, then *out = *flag + 1. follow: *out = *out * 2. */
static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry wait(.param .u64 flag, .param .u64 out)\n{\n"
    ".reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [flag]; ld.param.u64 %rd2, [out];\n"
    "L: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;\n"
    "add.u32 %r1, %r1, 1; st.global.u32 [%rd2], %r1; ret;\n}\n"
    ".visible .entry follow(.param .u64 out)\n{\n"
    ".reg .b32 %r<2>; .reg .b64 %rd<2>;\n"
    "ld.param.u64 %rd1, [out]; ld.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, %r1; st.global.u32 [%rd1], %r1; ret;\n}\n";

static CUfunction waits, follows;
static CUdeviceptr out;

#define CU(call)                                             \
  do {                                                       \
    int r_ = (int)(call);                                    \
    if (r_) {                                                \
      fprintf(stderr, "%s answered %d\n", #call, r_);        \
      exit(50);                                              \
    }                                                        \
  } while (0)

static void open_device(void) {
  CUcontext context;
  CUmodule module;
  CU(cuInit(0));
  CU(cuDevicePrimaryCtxRetain(&context, 0));
  CU(cuCtxSetCurrent(context));
  CU(cuModuleLoadData(&module, ptx));
  CU(cuModuleGetFunction(&waits, module, "wait"));
  CU(cuModuleGetFunction(&follows, module, "follow"));
  CU(cuMemAlloc(&out, 8));
  CU(cuMemsetD32(out, 0, 2));
}

static volatile uint32_t *managed(void) {
  CUdeviceptr p;
  CU(cuMemAllocManaged(&p, 64, CU_MEM_ATTACH_GLOBAL));
  volatile uint32_t *flag = (uint32_t *)(uintptr_t)p; // NOLINT
  *flag = 0;
  return flag;
}

static void launch_wait(volatile uint32_t *flag, unsigned threads, CUstream s) {
  CUdeviceptr at = (CUdeviceptr)(uintptr_t)flag;
  CU(cuLaunchKernel(waits, 1, 1, 1, threads, 1, 1, 0, s, (void *[]){&at, &out}, NULL));
}

static uint32_t value(void) {
  uint32_t v = 0;
  CU(cuMemcpyDtoH(&v, out, sizeof v));
  return v;
}

/* ---- cases: what a process does, and its exit status ---- */

static int released_after_the_launch(void) {
  volatile uint32_t *flag = managed();
  launch_wait(flag, 96, NULL);
  *flag = 41;
  CU(cuCtxSynchronize());
  return value() != 42;
}

/* What is put into the stream behind it comes behind it. */
static int with_work_behind_it(void) {
  volatile uint32_t *flag = managed(), *copied;
  CUstream s;
  CU(cuMemAllocHost((void **)&copied, 64));
  CU(cuStreamCreate(&s, 0));
  *copied = 0;
  launch_wait(flag, 1, s);
  CU(cuLaunchKernel(follows, 1, 1, 1, 1, 1, 1, 0, s, (void *[]){&out}, NULL));
  CU(cuMemcpyDtoHAsync((void *)(uintptr_t)copied, out, 4, s)); // NOLINT
  if (cuStreamQuery(s) != CUDA_ERROR_NOT_READY || *copied != 0) return 1;
  *flag = 4;
  CU(cuStreamSynchronize(s));
  return *copied != 10;
}

static int another_stream_goes_on_meanwhile(void) {
  volatile uint32_t *flag = managed();
  CUstream s, t;
  CUdeviceptr other;
  uint32_t seen = 0;
  CU(cuMemAlloc(&other, 4));
  CU(cuMemsetD32(other, 5, 1));
  CU(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  CU(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
  launch_wait(flag, 1, s);
  CU(cuLaunchKernel(follows, 1, 1, 1, 1, 1, 1, 0, t, (void *[]){&other}, NULL));
  CU(cuStreamSynchronize(t));
  CU(cuMemcpyDtoHAsync(&seen, other, 4, t));
  CU(cuStreamSynchronize(t));
  if (seen != 10 || cuStreamQuery(s) != CUDA_ERROR_NOT_READY) return 1;
  *flag = 1;
  while (cuStreamQuery(s) == CUDA_ERROR_NOT_READY) continue;
  return value() != 2;
}

static void *write_later(void *flag) {
  usleep(100000);
  *(volatile uint32_t *)flag = 7;
  return NULL;
}

static int released_by_another_thread(void) {
  volatile uint32_t *flag;
  pthread_t thread;
  CU(cuMemAllocHost((void **)&flag, 64));
  *flag = 0;
  launch_wait(flag, 32, NULL);
  if (pthread_create(&thread, NULL, write_later, (void *)(uintptr_t)flag)) return 1; // NOLINT
  CU(cuCtxSynchronize());
  pthread_join(thread, NULL);
  return value() != 8;
}

static int never_released(void) {
  launch_wait(managed(), 64, NULL);
  fprintf(stderr, "launched\n");
  cuCtxSynchronize();
  return 1;
}

static int never_released_and_destroyed(void) {
  launch_wait(managed(), 1, NULL);
  cuDevicePrimaryCtxReset(0);
  return 1;
}

/* On the device alone nobody but the device writes. */
static int waits_for_the_device(void) {
  CUdeviceptr flag;
  CU(cuMemAlloc(&flag, 4));
  CU(cuMemsetD32(flag, 0, 1));
  cuLaunchKernel(waits, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&flag, &out}, NULL);
  return 1;
}

/* ---- running them ---- */

static char said[1 << 16];

static int run(int (*program)(void), bool functional) {
  int pipes[2], status;
  assert_int_equal(pipe(pipes), 0);
  fflush(stdout);
  pid_t child = fork();
  if (!child) {
    setenv("HEDDLE_FUNCTIONAL", functional ? "1" : "0", 1);
    setenv("HEDDLE_SET", "gpu.watchdog=2000", 1);
    dup2(pipes[1], 2);
    close(pipes[0]);
    close(pipes[1]);
    open_device();
    exit(program());
  }
  close(pipes[1]);
  size_t n = 0;
  for (ssize_t got; (got = read(pipes[0], said + n, sizeof said - 1 - n)) > 0;) n += (size_t)got;
  said[n] = 0;
  close(pipes[0]);
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

#define BOTH(name, program)                                   \
  static void name(void **state) {                            \
    (void)state;                                              \
    for (int functional = 0; functional < 2; functional++)    \
      if (run(program, functional)) fail_msg("%s", said);     \
  }
BOTH(test_a_launch_that_waits_for_the_host_returns, released_after_the_launch)
BOTH(test_what_comes_behind_it_waits_too, with_work_behind_it)
BOTH(test_other_streams_go_on_meanwhile, another_stream_goes_on_meanwhile)
BOTH(test_another_thread_may_write, released_by_another_thread)

static void test_a_wait_that_nobody_can_end_is_told_when_it_is_waited_for(void **state) {
  (void)state;
  for (int functional = 0; functional < 2; functional++) {
    assert_int_equal(run(never_released, functional), DEADLOCK);
    const char *launched = strstr(said, "launched"), *why = strstr(said, "nothing but waiting");
    assert_true(launched && why && launched < why);
    assert_non_null(strstr(why, "of kernel 'wait'"));
    assert_non_null(strstr(why, "which the host writes"));
    assert_int_equal(run(never_released_and_destroyed, functional), DEADLOCK);
  }
}

static void test_a_wait_for_the_device_is_a_deadlock_at_once(void **state) {
  (void)state;
  for (int functional = 0; functional < 2; functional++) {
    assert_int_equal(run(waits_for_the_device, functional), DEADLOCK);
    assert_null(strstr(said, "which the host writes"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_launch_that_waits_for_the_host_returns),
      cmocka_unit_test(test_what_comes_behind_it_waits_too),
      cmocka_unit_test(test_other_streams_go_on_meanwhile),
      cmocka_unit_test(test_another_thread_may_write),
      cmocka_unit_test(test_a_wait_that_nobody_can_end_is_told_when_it_is_waited_for),
      cmocka_unit_test(test_a_wait_for_the_device_is_a_deadlock_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
