/* Memory, pools and events between processes: what one writes the other sees, who waits for a recording of another process
 * waits, and handles that cannot be opened are refused. The other process is this program again, which answers by its exit status. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <cuda.h>

#define OK(call) assert_int_equal(call, CUDA_SUCCESS)
enum { WORDS = 700000 /* more than a block of 2 MB, and not on its border */ };

/* Every word += by. */
static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry add(.param .u64 at, .param .u32 n, .param .u32 by)\n{\n.reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [at]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [by]; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %tid.x;\n"
    "mad.lo.u32 %r3, %r3, 256, %r4; setp.ge.u32 %p1, %r3, %r1; @%p1 ret;\n"
    "mul.wide.u32 %rd2, %r3, 4; add.u64 %rd1, %rd1, %rd2; ld.global.u32 %r5, [%rd1]; add.u32 %r5, %r5, %r2;\n"
    "st.global.u32 [%rd1], %r5; ret;\n}\n";

static CUmodule module;
static const char *self;

struct handles { /* what the processes know of each other */
  CUipcMemHandle memory[2];
  CUipcEventHandle event;
  int fd; /* of virtual memory, or of a pool */
  CUmemPoolPtrExportData part[2];
  volatile int step;
};
static struct handles *shared;

static void open_device(void) {
  CUcontext context;
  OK(cuInit(0));
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuCtxSetCurrent(context));
  OK(cuModuleLoadData(&module, ptx));
}

static void add(CUdeviceptr at, unsigned by, CUstream s) {
  CUfunction f;
  unsigned n = WORDS;
  OK(cuModuleGetFunction(&f, module, "add"));
  OK(cuLaunchKernel(f, (WORDS + 255) / 256, 1, 1, 256, 1, 1, 0, s, (void *[]){&at, &n, &by}, NULL));
}

static bool all(CUdeviceptr at, unsigned value) {
  static unsigned words[WORDS];
  if (cuMemcpyDtoH(words, at, sizeof words) != CUDA_SUCCESS) return false;
  for (size_t i = 0; i < WORDS; i++)
    if (words[i] != value) return false;
  return true;
}

/* ---- the other process ------------------------------------------------------------------------------------------------- */

static int see_memory(void) {
  CUdeviceptr a, again, b;
  if (cuIpcOpenMemHandle(&a, shared->memory[0], 1) || cuIpcOpenMemHandle(&b, shared->memory[1], 1)) return 2;
  if (cuIpcOpenMemHandle(&again, shared->memory[0], 1) || again != a || a == b) return 3;
  if (!all(a, 1) || !all(b, 10)) return 4;
  add(a, 100, NULL);
  if (!all(a, 101) || cuIpcCloseMemHandle(a) || !all(a, 101)) return 5; /* it was opened twice */
  if (cuIpcCloseMemHandle(a) || cuIpcCloseMemHandle(b) || cuIpcCloseMemHandle(b) != CUDA_ERROR_INVALID_VALUE) return 6;
  CUdeviceptr gone;
  return cuMemcpyDtoH(&gone, a, sizeof gone) == CUDA_ERROR_INVALID_VALUE ? 0 : 7;
}

/* Waits for what the parent records after this process has asked for it. */
static int see_event(void) {
  CUdeviceptr a;
  CUevent e;
  CUstream s;
  if (cuIpcOpenMemHandle(&a, shared->memory[0], 1) || cuIpcOpenEventHandle(&e, shared->event)) return 2;
  if (cuEventQuery(e) != CUDA_ERROR_NOT_READY || cuStreamCreate(&s, CU_STREAM_NON_BLOCKING) || cuStreamWaitEvent(s, e, 0)) return 3;
  add(a, 100, s);
  if (cuEventRecord(e, s)) return 4;
  shared->step = 1;
  if (cuStreamSynchronize(s) || !all(a, 102) || cuEventQuery(e)) return 5;
  return cuEventDestroy(e) || cuStreamDestroy(s) ? 6 : 0;
}

static int see_file(void) {
  CUmemGenericAllocationHandle h;
  CUdeviceptr at;
  CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  size_t bytes = 4 << 20;
  if (cuMemImportFromShareableHandle(&h, (void *)(intptr_t)shared->fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)) return 2;
  if (cuMemAddressReserve(&at, bytes, 0, 0, 0) || cuMemMap(at, bytes, 0, h, 0) || cuMemSetAccess(at, bytes, &access, 1)) return 3;
  if (!all(at, 7)) return 4;
  add(at, 1, NULL);
  return cuCtxSynchronize() ? 5 : 0;
}

/* Sees what of the pool was exported, changes it and frees it, which is not the other process's free. */
static int see_pool(void) {
  CUmemoryPool pool;
  CUdeviceptr a, b, c;
  unsigned long long used;
  CUmemAllocationHandleType file = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  if (cuMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)shared->fd, file, 0)) return 2;
  if (cuMemPoolImportPointer(&a, pool, &shared->part[0]) || cuMemPoolImportPointer(&b, pool, &shared->part[1]) || a == b) return 3;
  if (!all(a, 1) || !all(b, 10)) return 4;
  add(a, 100, NULL);
  if (!all(a, 101)) return 5;
  if (cuMemAllocFromPoolAsync(&c, 64, pool, NULL) != CUDA_ERROR_INVALID_VALUE) return 6; /* it is another process's */
  if (cuDeviceSetMemPool(0, pool) != CUDA_ERROR_INVALID_VALUE) return 7;
  if (cuIpcCloseMemHandle(a) != CUDA_ERROR_INVALID_VALUE || !all(a, 101)) return 8;
  if (cuMemFreeAsync(a, NULL) || cuStreamSynchronize(NULL) || cuMemFree(b)) return 9;
  if (cuMemcpyDtoH(&c, a, sizeof c) != CUDA_ERROR_INVALID_VALUE || cuMemFree(b) != CUDA_ERROR_INVALID_VALUE) return 10;
  if (cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used) || used) return 11;
  return cuMemPoolDestroy(pool) ? 12 : 0;
}

/* ---- this one ----------------------------------------------------------------------------------------------------------- */

static pid_t begin(const char *what) {
  pid_t child = fork();
  if (child) return child;
  execl(self, self, what, NULL);
  _exit(127);
}

static void ends_well(pid_t child) {
  int status;
  waitpid(child, &status, 0);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

static int setup(void **state) {
  (void)state;
  open_device();
  return 0;
}

static CUdeviceptr words(unsigned value) {
  CUdeviceptr at;
  OK(cuMemAlloc(&at, WORDS * sizeof(unsigned)));
  OK(cuMemsetD32(at, value, WORDS));
  return at;
}

static void test_memory_is_seen_by_both(void **state) {
  (void)state;
  CUdeviceptr a = words(1), between = words(5), b = words(10), self_opened;
  OK(cuIpcGetMemHandle(&shared->memory[0], a));
  OK(cuIpcGetMemHandle(&shared->memory[1], b));
  assert_true(all(a, 1) && all(between, 5) && all(b, 10));
  assert_int_equal(cuIpcOpenMemHandle(&self_opened, shared->memory[0], 1), CUDA_ERROR_INVALID_CONTEXT);
  ends_well(begin("memory"));
  assert_true(all(a, 101) && all(between, 5) && all(b, 10));
  OK(cuMemFree(a));
  assert_true(all(between, 5) && all(b, 10));
  OK(cuMemFree(b));
  assert_true(all(between, 5));
  OK(cuMemFree(between));
}

static void test_a_recording_is_waited_for_in_another_process(void **state) {
  (void)state;
  CUdeviceptr a = words(1);
  CUstream s;
  CUevent e, gate;
  OK(cuIpcGetMemHandle(&shared->memory[0], a));
  OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  OK(cuEventCreate(&gate, CU_EVENT_DISABLE_TIMING));
  assert_int_equal(cuEventCreate(&e, CU_EVENT_INTERPROCESS), CUDA_ERROR_INVALID_VALUE);
  assert_int_equal(cuIpcGetEventHandle(&shared->event, gate), CUDA_ERROR_INVALID_VALUE);
  OK(cuEventCreate(&e, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
  OK(cuIpcGetEventHandle(&shared->event, e));
  CUdeviceptr flag;
  OK(cuMemAlloc(&flag, 4));
  OK(cuMemsetD32(flag, 0, 1));
  OK(cuStreamWaitValue32(s, flag, 1, CU_STREAM_WAIT_VALUE_EQ));
  add(a, 1, s);
  OK(cuEventRecord(e, s)); /* behind the value, which nobody has written yet */
  assert_int_equal(cuEventQuery(e), CUDA_ERROR_NOT_READY);
  shared->step = 0;
  pid_t child = begin("event");
  while (!shared->step) usleep(1000);
  OK(cuMemsetD32(flag, 1, 1));
  OK(cuStreamSynchronize(s));
  ends_well(child);
  OK(cuEventSynchronize(e));
  assert_true(all(a, 102));
  OK(cuEventDestroy(e));
  OK(cuMemFree(a));
}

static void test_virtual_memory_goes_as_a_file(void **state) {
  (void)state;
  CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED, .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                              .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
  CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CUmemGenericAllocationHandle h, wrong;
  CUdeviceptr at;
  size_t bytes = 4 << 20;
  int fd;
  OK(cuMemCreate(&h, bytes, &prop, 0));
  OK(cuMemAddressReserve(&at, bytes, 0, 0, 0));
  OK(cuMemMap(at, bytes, 0, h, 0));
  OK(cuMemSetAccess(at, bytes, &access, 1));
  OK(cuMemsetD32(at, 7, WORDS));
  OK(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  shared->fd = dup(fd); /* is not closed by exec */
  ends_well(begin("file"));
  assert_true(all(at, 8));
  assert_int_equal(cuMemImportFromShareableHandle(&wrong, (void *)(intptr_t)-1, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
                   CUDA_ERROR_INVALID_VALUE);
}

static CUmemoryPool pool_of(CUmemAllocationHandleType type) {
  CUmemoryPool pool;
  OK(cuMemPoolCreate(&pool, &(CUmemPoolProps){.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .handleTypes = type,
                                              .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}}));
  return pool;
}

static CUdeviceptr words_of(CUmemoryPool pool, unsigned value) {
  CUdeviceptr at;
  OK(cuMemAllocFromPoolAsync(&at, WORDS * sizeof(unsigned), pool, NULL));
  OK(cuMemsetD32Async(at, value, WORDS, NULL));
  OK(cuStreamSynchronize(NULL));
  return at;
}

static void test_a_pool_is_seen_by_both(void **state) {
  (void)state;
  CUmemAllocationHandleType file = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  CUmemoryPool pool = pool_of(file), other = pool_of(file), own = pool_of(CU_MEM_HANDLE_TYPE_NONE), here, wrong;
  CUdeviceptr a = words_of(pool, 1), between = words_of(own, 5), b = words_of(pool, 10), at;
  int fd, attribute;
  OK(cuDeviceGetAttribute(&attribute, CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES, 0));
  assert_int_equal(attribute, file);
  assert_int_equal(cuMemPoolExportToShareableHandle(&fd, own, file, 0), CUDA_ERROR_INVALID_VALUE);
  assert_int_equal(cuMemPoolExportPointer(&shared->part[0], between), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemPoolExportToShareableHandle(&fd, pool, file, 0));
  shared->fd = dup(fd);
  OK(cuMemPoolExportPointer(&shared->part[0], a));
  OK(cuMemPoolExportPointer(&shared->part[1], b));
  ends_well(begin("pool"));
  assert_true(all(a, 101) && all(between, 5) && all(b, 10));
  assert_int_equal(cuMemPoolImportPointer(&at, pool, &shared->part[0]), CUDA_ERROR_INVALID_VALUE); /* has not been imported */
  OK(cuMemPoolExportToShareableHandle(&fd, other, file, 0));
  OK(cuMemPoolImportFromShareableHandle(&here, (void *)(intptr_t)fd, file, 0));
  assert_int_equal(cuMemPoolImportPointer(&at, here, &shared->part[0]), CUDA_ERROR_INVALID_VALUE); /* another pool's */
  assert_int_equal(cuMemPoolImportFromShareableHandle(&wrong, (void *)(intptr_t)-1, file, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemFreeAsync(a, NULL));
  OK(cuStreamSynchronize(NULL));
  assert_true(all(between, 5) && all(b, 10));
  OK(cuMemFree(b));
  OK(cuMemFree(between));
  OK(cuMemPoolDestroy(here));
  OK(cuMemPoolDestroy(pool));
  OK(cuMemPoolDestroy(other));
  OK(cuMemPoolDestroy(own));
}

static void test_handles_of_nothing_are_refused(void **state) {
  (void)state;
  CUipcMemHandle nothing = {{0}}, stale;
  CUdeviceptr at, a = words(1);
  CUevent e;
  assert_int_equal(cuIpcOpenMemHandle(&at, nothing, 1), CUDA_ERROR_INVALID_VALUE);
  assert_int_equal(cuIpcOpenEventHandle(&e, (CUipcEventHandle){{0}}), CUDA_ERROR_INVALID_VALUE);
  assert_int_equal(cuIpcGetMemHandle(&stale, 4096), CUDA_ERROR_INVALID_VALUE);
  OK(cuIpcGetMemHandle(&stale, a));
  ((int32_t *)(void *)&stale)[2] = 0x7ffffff0; /* a process that there is not */
  assert_int_equal(cuIpcOpenMemHandle(&at, stale, 1), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemFree(a));
}

int main(int argc, char **argv) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_memory_is_seen_by_both),
      cmocka_unit_test(test_a_recording_is_waited_for_in_another_process),
      cmocka_unit_test(test_virtual_memory_goes_as_a_file),
      cmocka_unit_test(test_a_pool_is_seen_by_both),
      cmocka_unit_test(test_handles_of_nothing_are_refused),
  };
  enum { PLACE = 100 }; /* of the file that the processes talk by */
  setenv("HEDDLE_FUNCTIONAL", "1", 1);
  self = argv[0];
  if (argc == 1) {
    int fd = memfd_create("handles", 0);
    if (fd < 0 || ftruncate(fd, sizeof *shared) != 0 || dup2(fd, PLACE) < 0) return 1;
  }
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, PLACE, 0);
  if (shared == MAP_FAILED) return 1;
  if (argc == 1) return cmocka_run_group_tests(tests, setup, NULL);
  open_device();
  return argv[1][0] == 'm' ? see_memory() : argv[1][0] == 'e' ? see_event() : argv[1][0] == 'p' ? see_pool() : see_file();
}
