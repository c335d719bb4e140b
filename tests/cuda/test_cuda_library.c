/* What the libraries promise beyond what a GPU can show: that every entry point exists, that what is not
 * implemented says so, recovery after a fault, several threads, both runtime versions, the report. Runs on
 * the built libraries, which it opens by name, so that it sees only what they export. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <cuda.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda_kit.h"
#include "gpu/gpu.h"

static char folder[4000]; /* of the libraries */

static void *library(const char *name) {
  char path[4200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  void *l = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!l) printf("%s\n", dlerror());
  assert_non_null(l);
  return l;
}

static void test_every_entry_point_of_the_driver_exists(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int version;
  } entries[] = {
#define ENTRY(name, version, symbol) {name, version},
#include "cuda/driver/driver_versions.def"
#undef ENTRY
  };
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
    void *p = NULL;
    CUdriverProcAddressQueryResult r;
    assert_int_equal(cuGetProcAddress(entries[i].name, &p, entries[i].version, 0, &r), CUDA_SUCCESS);
    if (!p) printf("missing: %s of %d\n", entries[i].name, entries[i].version);
    assert_non_null(p);
  }
}

static void test_libraries_export_only_cuda_names(void **state) {
  (void)state;
  static const char *const ours[] = {"exec_run_grid", "cuda_say",   "ptx_read",
                                     "rt_enter",      "fatbin_ptx", "cuda"};
  static const char *const names[] = {"libcuda.so.1", "libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13"};
  for (size_t l = 0; l < sizeof names / sizeof *names; l++)
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) assert_null(dlsym(library(names[l]), ours[i]));
}

static void test_what_is_not_implemented_answers_not_supported(void **state) {
  (void)state;
  static const char *const names[] = {"cuTensorMapEncodeIm2colWide", "cuDeviceGetDevResource", "cuDevSmResourceSplitByCount",
                                      "cuDevResourceGenerateDesc",   "cuGreenCtxCreate",       "cuCtxFromGreenCtx",
                                      "cuGreenCtxStreamCreate",      "cuImportExternalMemory"};
  int (*stub)(void);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    *(void **)&stub = dlsym(library("libcuda.so.1"), names[i]);
    assert_non_null(*(void **)&stub);
    assert_int_equal(stub(), CUDA_ERROR_NOT_SUPPORTED);
  }
  *(void **)&stub = dlsym(library("libcudart.so.13"), "cudaImportExternalMemory");
  assert_non_null(*(void **)&stub);
  assert_int_equal(stub(), 801);
}

static void test_a_reset_brings_a_dead_context_back(void **state) {
  (void)state;
  CUdeviceptr null = 0, p;
  long long zero = 0;
  kit_open();
  assert_int_equal(LAUNCH(kit_function("out_of_bounds"), 1, 1, 0, NULL, &null, &zero), CUDA_SUCCESS);
  assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  assert_int_equal(cuMemAlloc(&p, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
  CU(cuDevicePrimaryCtxReset(0));
  assert_int_equal(cuMemAlloc(&p, 4), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  kit_open();
  p = kit_ints(64, 1);
  int by = 1, n = 64;
  CU(LAUNCH(kit_function("add"), 1, 64, 0, NULL, &p, &by, &n));
  assert_int_equal(kit_sum(p, 64), 128);
}

static void test_an_unknown_gpu_is_no_device(void **state) {
  (void)state;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    setenv("HEDDLE_GPU", "no-such-gpu", 1);
    if (!freopen("/dev/null", "w", stderr)) _exit(3);
    execl("/proc/self/exe", "test", "--init", (char *)NULL);
    _exit(2);
  }
  int status;
  waitpid(child, &status, 0);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), CUDA_ERROR_NO_DEVICE);
}

static void test_a_report_is_written_at_the_end(void **state) {
  (void)state;
  char path[64], text[4096] = "";
  int fd = memfd_create("report", 0);
  assert_true(fd >= 0);
  snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), fd);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    setenv("HEDDLE_REPORT", path, 1);
    execl("/proc/self/exe", "test", "--init", (char *)NULL);
    _exit(2);
  }
  int status;
  waitpid(child, &status, 0);
  ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0 && n > 0);
  assert_non_null(strstr(text, "\"warp_instructions\""));
  assert_non_null(strstr(text, "\"kernels\""));
}

static void ends_in_a_deadlock(bool functional) {
  static char text[1 << 20];
  char path[64];
  int fd = memfd_create("report", 0);
  assert_true(fd >= 0);
  snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), fd);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    if (functional) setenv("HEDDLE_FUNCTIONAL", "1", 1);
    else unsetenv("HEDDLE_FUNCTIONAL");
    setenv("HEDDLE_REPORT", path, 1);
    setenv("HEDDLE_SET", "gpu.watchdog=1000", 1);
    if (!freopen("/dev/null", "w", stderr)) _exit(3);
    execl("/proc/self/exe", "test", "--spin", (char *)NULL);
    _exit(2);
  }
  int status;
  waitpid(child, &status, 0);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), GPU_DEADLOCK_STATUS);
  ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  assert_true(n > 0);
  assert_non_null(strstr(text, "\"failures\": ["));
  assert_non_null(strstr(text, "\"error\": \"CUDA_ERROR_LAUNCH_TIMEOUT\""));
}

static void test_a_deadlock_ends_the_program_with_its_own_status(void **state) {
  (void)state;
  ends_in_a_deadlock(false);
  ends_in_a_deadlock(true);
}

/* ---- kernels that launch kernels ---- */

/* The exit status of this program with one argument, with time or without. */
static int status_of(const char *argument, bool functional) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    if (functional) setenv("HEDDLE_FUNCTIONAL", "1", 1);
    else unsetenv("HEDDLE_FUNCTIONAL");
    if (!freopen("/dev/null", "w", stderr)) _exit(3);
    execl("/proc/self/exe", "test", argument, (char *)NULL);
    _exit(2);
  }
  int status;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_kernels_launch_kernels(void **state) {
  (void)state;
  assert_int_equal(status_of("--nested", true), 0);
  assert_int_equal(status_of("--nested", false), 0);
  assert_int_equal(status_of("--nested-fault", true), CUDA_ERROR_LAUNCH_FAILED % 256);
  assert_int_equal(status_of("--nested-fault", false), CUDA_ERROR_LAUNCH_FAILED % 256);
}

/* ---- linking and logs ---- */

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"
static const char caller[] =
    HEAD ".extern .func (.param .b32 r) twice (.param .b32 x);\n.extern .global .u32 base;\n"
         ".visible .entry k(.param .u64 p) {\n.reg .u64 %rd<3>; .reg .u32 %r<4>;\nld.param.u64 %rd1, [p];\n"
         "mov.u32 %r1, 21;\n{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;\ncall (b), twice, (a);\n"
         "ld.param.b32 %r2, [b]; }\nld.global.u32 %r3, [base];\nadd.u32 %r2, %r2, %r3;\nst.global.u32 "
         "[%rd1], %r2;\n"
         "ret; }\n";
static const char callee[] =
    HEAD ".visible .global .u32 base = 100;\n.visible .func (.param .b32 r) twice (.param .b32 x) {\n"
         ".reg .u32 %r<3>;\nld.param.u32 %r1, [x];\nadd.u32 %r2, %r1, %r1;\nst.param.b32 [r], %r2;\nret; }\n";

static void test_links_ptx_compiled_apart(void **state) {
  (void)state;
  CUlinkState l;
  CUmodule m;
  CUfunction f;
  void *image;
  size_t bytes;
  kit_open();
  CU(cuLinkCreate(0, NULL, NULL, &l));
  CU(cuLinkAddData(l, CU_JIT_INPUT_PTX, (void *)(uintptr_t)caller, sizeof caller, "caller", 0, NULL, NULL));
  CU(cuLinkAddData(l, CU_JIT_INPUT_PTX, (void *)(uintptr_t)callee, sizeof callee, "callee", 0, NULL, NULL));
  CU(cuLinkComplete(l, &image, &bytes));
  CU(cuModuleLoadData(&m, image));
  CU(cuLinkDestroy(l));
  CU(cuModuleGetFunction(&f, m, "k"));
  CUdeviceptr p = kit_ints(1, 0);
  CU(LAUNCH(f, 1, 1, 0, NULL, &p));
  assert_int_equal(kit_sum(p, 1), 142);
  CU(cuModuleUnload(m));
}

static const char unlinked[] = HEAD ".extern .func twice ();\n.visible .entry k() { call.uni twice; ret; }\n";

/* The codes are those of NVIDIA's driver for an H200. */
static void test_a_function_that_nobody_has_is_named(void **state) {
  (void)state;
  CUlinkState l;
  CUmodule m;
  void *image;
  size_t bytes;
  char log[300] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)(uintptr_t)sizeof log};
  kit_open();
  CU(cuLinkCreate(2, options, values, &l));
  CU(cuLinkAddData(l, CU_JIT_INPUT_PTX, (void *)(uintptr_t)unlinked, sizeof unlinked, "unlinked", 0, NULL, NULL));
  assert_int_equal(cuLinkComplete(l, &image, &bytes), CUDA_ERROR_UNKNOWN);
  assert_non_null(strstr(log, "undefined reference to 'twice'"));
  CU(cuLinkDestroy(l));
  log[0] = 0;
  values[1] = (void *)(uintptr_t)sizeof log;
  assert_int_equal(cuModuleLoadDataEx(&m, unlinked, 2, options, values), CUDA_ERROR_INVALID_PTX);
  assert_non_null(strstr(log, "'twice'"));
}

static void test_kernels_allocate_by_the_device_runtime(void **state) {
  (void)state;
  static const char text[] =
      HEAD ".extern .func (.param .b32 r) __cudaCDP2Malloc (.param .b64 p, .param .b64 n);\n"
           ".extern .func (.param .b32 r) __cudaCDP2Free (.param .b64 p);\n"
           ".visible .entry allocates (.param .u64 out) {\n.reg .b64 %rd<4>; .reg .b32 %r<4>;\nld.param.u64 %rd1, [out];\n"
           "add.u64 %rd2, %rd1, 8; { .param .b64 p; .param .b64 n; .param .b32 r; st.param.b64 [p], %rd2; st.param.b64 [n], 64;\n"
           "call.uni (r), __cudaCDP2Malloc, (p, n); ld.param.b32 %r1, [r]; } st.global.u32 [%rd1], %r1; ld.global.u64 %rd3, [%rd2];\n"
           "st.global.u32 [%rd3], 77; ld.global.u32 %r2, [%rd3]; st.global.u32 [%rd1+4], %r2;\n"
           "{ .param .b64 p; .param .b32 r; st.param.b64 [p], %rd3; call.uni (r), __cudaCDP2Free, (p); ld.param.b32 %r3, [r]; }\n"
           "st.global.u32 [%rd1+16], %r3; ret; }\n";
  CUmodule m;
  CUfunction f;
  int got[5];
  kit_open();
  CU(cuModuleLoadData(&m, text));
  CU(cuModuleGetFunction(&f, m, "allocates"));
  CUdeviceptr p = kit_ints(5, 9);
  CU(LAUNCH(f, 1, 1, 0, NULL, &p));
  CU(cuCtxSynchronize());
  CU(cuMemcpyDtoH(got, p, sizeof got));
  assert_int_equal(got[0], 0);
  assert_int_equal(got[1], 77);
  assert_int_equal(got[4], 0);
}

static void test_fills_the_error_log(void **state) {
  (void)state;
  CUmodule m;
  char log[300] = "", info[300] = "untouched";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_OPTIMIZATION_LEVEL};
  void *values[] = {log, (void *)(uintptr_t)sizeof log, info, (void *)(uintptr_t)sizeof info, (void *)4};
  kit_open();
  const char *broken = HEAD ".visible .entry f() { frobnicate.u32 %r1; }\n";
  assert_int_equal(cuModuleLoadDataEx(&m, broken, 5, options, values), CUDA_ERROR_INVALID_PTX);
  assert_non_null(strstr(log, "frobnicate"));
  assert_int_equal((size_t)(uintptr_t)values[1], strlen(log));
  assert_string_equal(info, "");
  char small[8];
  values[0] = small;
  values[1] = (void *)(uintptr_t)sizeof small;
  assert_int_equal(cuModuleLoadDataEx(&m, broken, 2, options, values), CUDA_ERROR_INVALID_PTX);
  assert_int_equal(strlen(small), 7);
}

/* Three kernels: one that runs, one with an instruction that is not modelled, one that calls a function with it. */
static void test_kernels_that_are_supported_run_beside_those_that_are_not(void **state) {
  (void)state;
  static const char ptx[] = ".version 8.6\n.target sm_100a\n.address_size 64\n"
                            ".func deep() { tcgen05.fence::before_thread_sync; ret; }\n"
                            ".visible .entry good(.param .u64 out) { .reg .u64 %a; .reg .u32 %r;\n"
                            "  ld.param.u64 %a, [out]; mov.u32 %r, 7; st.global.u32 [%a], %r; ret; }\n"
                            ".visible .entry bad() { tcgen05.fence::before_thread_sync; ret; }\n"
                            ".visible .entry caller() { call deep, (); ret; }\n";
  CUmodule m;
  CUfunction f;
  CUdeviceptr out;
  unsigned value = 0;
  kit_open();
  CU(cuModuleLoadData(&m, ptx));
  static const char *const refused[] = {"bad", "caller"};
  for (int i = 0; i < 2; i++) {
    CU(cuModuleGetFunction(&f, m, refused[i]));
    assert_int_equal(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_NOT_SUPPORTED);
  }
  CU(cuModuleGetFunction(&f, m, "good"));
  CU(cuMemAlloc(&out, 4));
  CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&out}, NULL));
  CU(cuMemcpyDtoH(&value, out, 4));
  assert_int_equal(value, 7);
  CU(cuMemFree(out));
  CU(cuModuleUnload(m));
  static const char alone[] = ".version 8.6\n.target sm_100a\n.address_size 64\n"
                              ".visible .entry bad() { tcgen05.fence::before_thread_sync; ret; }\n";
  int threads = 0;
  CU(cuModuleLoadData(&m, alone));
  CU(cuModuleGetFunction(&f, m, "bad"));
  CU(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
  assert_int_equal(threads, 1024);
  assert_int_equal(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_NOT_SUPPORTED);
  CU(cuModuleUnload(m));
}

/* ---- tensor maps ---- */

/* A box of 16 by 4 of a tensor of 20 by 6, from (8, 4) on, to out. */
static const char copies_a_box[] =
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    ".visible .entry box(.param .align 64 .b8 map[128], .param .u64 out) {\n"
    "  .reg .b64 %m, %o, %t; .reg .b32 %r, %x, %y, %v; .reg .pred %p;\n"
    "  .shared .align 128 .b8 tile[256]; .shared .align 8 .b64 bar;\n"
    "  mov.b64 %m, map; cvta.param.u64 %m, %m; ld.param.u64 %o, [out]; mov.u32 %x, 8; mov.u32 %y, 4;\n"
    "  mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 %t, [bar], 256;\n"
    "  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%m, {%x, %y}], [bar];\n"
    "WAIT: mbarrier.try_wait.shared.b64 %p, [bar], %t; @!%p bra WAIT;\n"
    "  mov.u32 %r, tile; mov.u32 %x, 0;\n"
    "NEXT: ld.shared.u32 %v, [%r]; st.global.u32 [%o], %v; add.u32 %r, %r, 4; add.s64 %o, %o, 4; add.u32 %x, %x, 1;\n"
    "  setp.lt.u32 %p, %x, 64; @%p bra NEXT; ret; }\n";

static CUresult encode(CUtensorMap *map, CUdeviceptr tensor, cuuint64_t stride, cuuint32_t width, int interleave, int swizzle, int fill) {
  const cuuint64_t dims[] = {20, 6};
  const cuuint32_t box[] = {width, 4}, steps[] = {1, 1};
  return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, (void *)(uintptr_t)tensor, dims, &stride, box, steps,
                                (CUtensorMapInterleave)interleave, (CUtensorMapSwizzle)swizzle,
                                CU_TENSOR_MAP_L2_PROMOTION_NONE, (CUtensorMapFloatOOBfill)fill);
}

static void test_a_tensor_map_is_a_parameter_of_a_kernel(void **state) {
  (void)state;
  enum { NONE = 0 };
  CUtensorMap map;
  CUmodule m;
  CUfunction f;
  CUdeviceptr tensor, out;
  unsigned values[120], got[64];
  kit_open();
  for (unsigned i = 0; i < 120; i++) values[i] = 1000 + i;
  CU(cuMemAlloc(&tensor, sizeof values + 16));
  CU(cuMemAlloc(&out, sizeof got));
  CU(cuMemcpyHtoD(tensor + 16, values, sizeof values));
  CU(encode(&map, tensor, 80, 16, NONE, NONE, NONE));
  CU(cuTensorMapReplaceAddress(&map, (void *)(uintptr_t)(tensor + 16)));
  CU(cuModuleLoadData(&m, copies_a_box));
  CU(cuModuleGetFunction(&f, m, "box"));
  CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&map, &out}, NULL));
  CU(cuMemcpyDtoH(got, out, sizeof got));
  for (unsigned i = 0; i < 64; i++) {
    unsigned x = 8 + i % 16, y = 4 + i / 16;
    assert_int_equal(got[i], x < 20 && y < 6 ? values[y * 20 + x] : 0);
  }
  CU(cuModuleUnload(m));
  CU(cuMemFree(tensor));
  CU(cuMemFree(out));
}

/* As an H200's driver answers. */
static void check_interleaved(void) {
  static const struct {
    int interleave, swizzle;
    uint64_t stride;
    uint32_t width;
    CUresult result;
  } cases[] = {{CU_TENSOR_MAP_INTERLEAVE_16B, 0, 32, 8, CUDA_SUCCESS},
               {CU_TENSOR_MAP_INTERLEAVE_16B, CU_TENSOR_MAP_SWIZZLE_32B, 128, 64, CUDA_SUCCESS},
               {CU_TENSOR_MAP_INTERLEAVE_16B, 0, 16, 8, CUDA_SUCCESS},
               {CU_TENSOR_MAP_INTERLEAVE_16B, 0, 32, 4, CUDA_ERROR_INVALID_VALUE},
               {CU_TENSOR_MAP_INTERLEAVE_32B, 0, 32, 16, CUDA_SUCCESS},
               {CU_TENSOR_MAP_INTERLEAVE_32B, CU_TENSOR_MAP_SWIZZLE_128B, 32, 16, CUDA_SUCCESS},
               {CU_TENSOR_MAP_INTERLEAVE_32B, 0, 16, 8, CUDA_ERROR_INVALID_VALUE}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    CUtensorMap map;
    const cuuint64_t dims[] = {64, 8, 4}, strides[] = {cases[i].stride, 1024};
    const cuuint32_t box[] = {cases[i].width, 4, 2}, steps[] = {1, 1, 1};
    assert_int_equal(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT16, 3, (void *)4096, dims, strides, box, steps,
                                            (CUtensorMapInterleave)cases[i].interleave, (CUtensorMapSwizzle)cases[i].swizzle,
                                            CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
                     cases[i].result);
  }
  for (cuuint32_t channels = 4; channels <= 16; channels += 4) { /* whole chunks of 16 bytes */
    CUtensorMap map;
    const cuuint64_t dims[] = {9, 4, 5}, strides[] = {144, 576};
    const cuuint32_t steps[] = {1, 1, 1};
    const int corner[] = {0};
    assert_int_equal(cuTensorMapEncodeIm2col(&map, CU_TENSOR_MAP_DATA_TYPE_UINT16, 3, (void *)4096, dims, strides, corner, corner, channels,
                                             16, steps, CU_TENSOR_MAP_INTERLEAVE_16B, CU_TENSOR_MAP_SWIZZLE_NONE,
                                             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
                     channels % 8 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS);
  }
}

static void test_tensor_maps_are_checked(void **state) {
  (void)state;
  enum { NONE = 0 };
  CUtensorMap map;
  assert_int_equal(encode(&map, 4096, 80, 8, NONE, CU_TENSOR_MAP_SWIZZLE_32B, NONE), CUDA_SUCCESS);
  assert_int_equal(encode(&map, 4096, 80, 16, NONE, CU_TENSOR_MAP_SWIZZLE_32B, NONE), CUDA_ERROR_INVALID_VALUE);
  assert_int_equal(encode(&map, 4096, 72, 16, NONE, NONE, NONE), CUDA_ERROR_INVALID_VALUE);
  assert_int_equal(encode(&map, 4104, 80, 16, NONE, NONE, NONE), CUDA_ERROR_INVALID_VALUE);
  assert_int_equal(encode(&map, 4096, 80, 10, NONE, NONE, NONE), CUDA_ERROR_INVALID_VALUE);
  assert_int_equal(encode(&map, 4096, 80, 260, NONE, NONE, NONE), CUDA_ERROR_INVALID_VALUE);
  assert_int_equal(encode(&map, 4096, 80, 16, NONE, NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA), CUDA_ERROR_INVALID_VALUE);
  assert_int_equal(encode(&map, 4096, 80, 16, CU_TENSOR_MAP_INTERLEAVE_16B, NONE, NONE), CUDA_ERROR_INVALID_VALUE); /* two dimensions */
  check_interleaved();
}

/* ---- memory of the host ---- */

/* As where stacks have no limit. */
static void test_host_memory_below_that_of_the_device_is_copied(void **state) {
  (void)state;
  kit_open();
  char *low = mmap((void *)0x150000000000, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  assert_ptr_equal(low, (void *)0x150000000000);
  CUdeviceptr p, freed;
  CU(cuMemAlloc(&p, 4096));
  CU(cuMemAlloc(&freed, 4096));
  strcpy(low, "host");
  CU(cuMemcpyHtoD(p, low, 4096));
  memset(low, 0, 4096);
  CU(cuMemcpyDtoH(low, p, 4096));
  assert_string_equal(low, "host");
  munmap(low, 4096);
  assert_int_equal(cuMemcpyHtoD(p, low, 4096), CUDA_ERROR_INVALID_VALUE);
  CU(cuMemFree(freed));
  assert_int_equal(cuMemcpyHtoD(p, (void *)freed, 4096), CUDA_ERROR_INVALID_VALUE);
}

/* ---- threads ---- */

static void *adds_in_its_own_stream(void *memory) {
  CUdeviceptr p = *(CUdeviceptr *)memory;
  int by = 1, n = 256;
  CUcontext none;
  if (cuCtxGetCurrent(&none) != CUDA_SUCCESS || none) return "a new thread had a context";
  if (cuCtxSetCurrent(kit_context) != CUDA_SUCCESS) return "no context";
  for (int i = 0; i < 50; i++)
    if (LAUNCH(kit_function("add"), 1, 256, 0, CU_STREAM_PER_THREAD, &p, &by, &n) != CUDA_SUCCESS)
      return "launch";
  return cuStreamSynchronize(CU_STREAM_PER_THREAD) == CUDA_SUCCESS ? NULL : "synchronise";
}

static void test_threads_have_streams_of_their_own(void **state) {
  (void)state;
  pthread_t threads[4];
  CUdeviceptr memory[4];
  kit_open();
  for (int i = 0; i < 4; i++) memory[i] = kit_ints(256, 0);
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, adds_in_its_own_stream, &memory[i]);
  for (int i = 0; i < 4; i++) {
    void *wrong;
    pthread_join(threads[i], &wrong);
    if (wrong) fail_msg("%s", (char *)wrong);
    assert_int_equal(kit_sum(memory[i], 256), 256 * 50);
  }
}

static void *writes_later(void *flag) {
  usleep(20000);
  __atomic_store_n((int *)flag, 1, __ATOMIC_SEQ_CST);
  return NULL;
}

static void test_a_stream_waits_for_a_value_another_thread_writes(void **state) {
  (void)state;
  kit_open();
  void *flag;
  CUstream s;
  pthread_t other;
  CU(cuMemHostAlloc(&flag, 4, CU_MEMHOSTALLOC_DEVICEMAP));
  *(int *)flag = 0;
  CUdeviceptr p = kit_ints(64, 0);
  int by = 3, n = 64;
  CU(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  CU(cuStreamWaitValue32(s, (CUdeviceptr)flag, 1, CU_STREAM_WAIT_VALUE_EQ));
  CU(LAUNCH(kit_function("add"), 1, 64, 0, s, &p, &by, &n));
  assert_int_equal(cuStreamQuery(s), CUDA_ERROR_NOT_READY);
  pthread_create(&other, NULL, writes_later, flag);
  CU(cuStreamSynchronize(s));
  pthread_join(other, NULL);
  assert_int_equal(kit_sum(p, 64), 64 * 3);
}

/* Work behind a wait is not ready with one value and ready with the other. */
static void test_values_that_a_stream_waits_for(void **state) {
  (void)state;
  static const struct {
    unsigned flags;
    uint32_t want, too_early, there;
  } waits[] = {{CU_STREAM_WAIT_VALUE_GEQ, 5, 4, 5},   {CU_STREAM_WAIT_VALUE_GEQ, 5, 0x80000006, 6},
               {CU_STREAM_WAIT_VALUE_EQ, 5, 6, 5},    {CU_STREAM_WAIT_VALUE_AND, 6, 9, 12},
               {CU_STREAM_WAIT_VALUE_NOR, 6, ~6u, 9}};
  kit_open();
  void *flag;
  CUstream s;
  CU(cuMemHostAlloc(&flag, 4, CU_MEMHOSTALLOC_DEVICEMAP));
  CU(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
    *(volatile uint32_t *)flag = waits[i].too_early;
    CU(cuStreamWaitValue32(s, (CUdeviceptr)flag, waits[i].want, waits[i].flags));
    if (cuStreamQuery(s) != CUDA_ERROR_NOT_READY) fail_msg("wait %zu does not wait", i);
    *(volatile uint32_t *)flag = waits[i].there;
    if (cuStreamQuery(s) != CUDA_SUCCESS) fail_msg("wait %zu waits for something else", i);
  }
  CU(cuStreamDestroy(s));
  CU(cuMemFreeHost(flag));
}

/* ---- the older runtime ---- */

/* As an H200 does; nothing is compressed here. */
static void test_compressible_memory_is_given(void **state) {
  (void)state;
  CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}}, got = {0};
  CUmemGenericAllocationHandle h;
  size_t bytes;
  int compresses;
  prop.allocFlags.compressionType = CU_MEM_ALLOCATION_COMP_GENERIC;
  CU(cuDeviceGetAttribute(&compresses, CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED, 0));
  assert_int_equal(compresses, 1);
  CU(cuMemGetAllocationGranularity(&bytes, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  CU(cuMemCreate(&h, bytes, &prop, 0));
  CU(cuMemGetAllocationPropertiesFromHandle(&got, h));
  assert_int_equal(got.allocFlags.compressionType, CU_MEM_ALLOCATION_COMP_GENERIC);
  CU(cuMemRelease(h));
}

static void test_version_12_lays_properties_out_as_version_12(void **state) {
  (void)state;
  int (*properties)(void *, int), (*attribute)(int *, int, int), (*version)(int *);
  void *l = library("libcudart.so.12");
  *(void **)&properties = dlsym(l, "cudaGetDeviceProperties_v2");
  *(void **)&attribute = dlsym(l, "cudaDeviceGetAttribute");
  *(void **)&version = dlsym(l, "cudaRuntimeGetVersion");
  struct {
    unsigned char bytes[1032];
    uint64_t after;
  } p = {.after = 0x5a5a5a5a5a5a5a5au};
  int v, sms, clock;
  assert_int_equal(version(&v), 0);
  assert_true(v / 1000 == 12);
  assert_int_equal(properties(&p, 0), 0);
  assert_true(p.after == 0x5a5a5a5a5a5a5a5au);
  assert_int_equal(strncmp((char *)p.bytes, "Heddle ", 7), 0);
  assert_int_equal(attribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0), 0);
  memcpy(&v, p.bytes + 388, 4); /* multiProcessorCount */
  assert_int_equal(v, sms);
  assert_int_equal(attribute(&clock, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 0), 0);
  memcpy(&v, p.bytes + 348, 4); /* clockRate */
  assert_int_equal(v, clock);
  assert_int_equal(properties(&p, 1), 101);
}

static void test_version_13_lays_properties_out_as_version_13(void **state) {
  (void)state;
  int (*properties)(void *, int);
  *(void **)&properties = dlsym(library("libcudart.so.13"), "cudaGetDeviceProperties");
  static unsigned char p[4096];
  assert_int_equal(properties(p, 0), 0);
  int warp;
  memcpy(&warp, p + 308, 4); /* warpSize */
  assert_int_equal(warp, 32);
}

static int only_init(void) {
  CUresult r = cuInit(0);
  if (r != CUDA_SUCCESS) return (int)r;
  kit_open();
  CUdeviceptr p = kit_ints(32, 0);
  int by = 1, n = 32;
  CU(LAUNCH(kit_function("add"), 1, 32, 0, NULL, &p, &by, &n));
  return (int)cuCtxSynchronize();
}

/* A kernel that waits for a value that nobody writes. */
static int only_spin(void) {
  static const char ptx[] = HEAD ".visible .entry spin (.param .u64 a)\n{\n.reg .pred %p<2>; .reg .b32 %r<2>; .reg .b64 %rd<2>;\n"
                                 "ld.param.u64 %rd1, [a];\nL: ld.volatile.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n"
                                 "@%p1 bra L;\nret;\n}\n";
  CUfunction f;
  kit_open();
  CU(cuModuleLoadData(&kit_module, ptx));
  CU(cuModuleGetFunction(&f, kit_module, "spin"));
  CUdeviceptr p = kit_ints(1, 0);
  CU(LAUNCH(f, 1, 32, 0, NULL, &p));
  return (int)cuCtxSynchronize();
}

/* A launch of KERNEL with GRID x BLOCK: the buffer is in %rd9, its parameters are stored by PARAMS, the stream is STREAM. */
#define LAUNCHES(KERNEL, GRID, BLOCK, PARAMS, STREAM)                                                                            \
  "mov.u64 %rd8, " KERNEL ";\n{ .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 r;\n" \
  "st.param.b64 [f], %rd8; st.param.b32 [g], " GRID "; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;\n"                          \
  "st.param.b32 [b], " BLOCK "; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1; st.param.b32 [s], 0;\n"                           \
  "call.uni (r), __cudaCDP2GetParameterBufferV2, (f, g, b, s); ld.param.b64 %rd9, [r]; }\n" PARAMS                               \
  "{ .param .b64 p; .param .b64 s; .param .b32 r; st.param.b64 [p], %rd9; st.param.b64 [s], " STREAM ";\n"                       \
  "call.uni (r), __cudaCDP2LaunchDeviceV2, (p, s); ld.param.b32 %r9, [r]; }\n"

/* child: out[at] += tid + 1, and while at < 2 its first thread launches two blocks of four for at + 1. tail: out[8] = out[2]. parent
 * launches tail behind everything, then child; copies out[0..2] to out[11..13] and fills out[14] behind that; of a launch of
 * too many threads it keeps the error in out[9]. */
static const char nested[] =
    HEAD ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2 (.param .b64 f, .param .align 4 .b8 g[12],\n"
         ".param .align 4 .b8 b[12], .param .b32 s);\n"
         ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2 (.param .b64 p, .param .b64 s);\n"
         ".extern .func (.param .b32 r) __cudaCDP2GetLastError ();\n"
         ".extern .func (.param .b32 r) __cudaCDP2MemcpyAsync (.param .b64 a, .param .b64 b, .param .b64 n, .param .b32 k,\n"
         ".param .b64 s);\n"
         ".extern .func (.param .b32 r) __cudaCDP2MemsetAsync (.param .b64 a, .param .b32 v, .param .b64 n, .param .b64 s);\n"
         ".visible .entry tail (.param .u64 out) {\n.reg .b64 %rd<4>; .reg .b32 %r<4>;\nld.param.u64 %rd1, [out];\n"
         "ld.global.u32 %r1, [%rd1+8]; st.global.u32 [%rd1+32], %r1; ret; }\n"
         ".visible .entry child (.param .u64 out, .param .u32 at) {\n.reg .pred %p<4>; .reg .b64 %rd<16>; .reg .b32 %r<16>;\n"
         "ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [at]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;\n"
         "mov.u32 %r2, %tid.x; add.u32 %r3, %r2, 1; red.global.add.u32 [%rd3], %r3;\n"
         "setp.ne.u32 %p1, %r2, 0; @%p1 bra E; setp.ge.u32 %p2, %r1, 2; @%p2 bra E; add.u32 %r4, %r1, 1;\n"
         LAUNCHES("child", "2", "4", "st.u64 [%rd9], %rd1; st.u32 [%rd9+8], %r4;\n", "0")
         "E: ret; }\n"
         ".visible .entry parent (.param .u64 out) {\n.reg .pred %p<4>; .reg .b64 %rd<16>; .reg .b32 %r<16>;\n"
         "ld.param.u64 %rd1, [out]; mov.u32 %r2, %tid.x; setp.ne.u32 %p1, %r2, 0; @%p1 bra E; st.global.u32 [%rd1+56], 9;\n"
         LAUNCHES("tail", "1", "1", "st.u64 [%rd9], %rd1;\n", "3")
         LAUNCHES("child", "1", "32", "st.u64 [%rd9], %rd1; st.u32 [%rd9+8], 0;\n", "0")
         "{ .param .b32 r; call.uni (r), __cudaCDP2GetLastError, (); ld.param.b32 %r5, [r]; } st.global.u32 [%rd1+40], %r5;\n"
         "add.u64 %rd5, %rd1, 44; { .param .b64 a; .param .b64 b; .param .b64 n; .param .b32 k; .param .b64 s; .param .b32 r;\n"
         "st.param.b64 [a], %rd5; st.param.b64 [b], %rd1; st.param.b64 [n], 12; st.param.b32 [k], 3; st.param.b64 [s], 0;\n"
         "call.uni (r), __cudaCDP2MemcpyAsync, (a, b, n, k, s); ld.param.b32 %r9, [r]; }\n"
         "add.u64 %rd5, %rd1, 56; { .param .b64 a; .param .b32 v; .param .b64 n; .param .b64 s; .param .b32 r;\n"
         "st.param.b64 [a], %rd5; st.param.b32 [v], 5; st.param.b64 [n], 4; st.param.b64 [s], 0;\n"
         "call.uni (r), __cudaCDP2MemsetAsync, (a, v, n, s); ld.param.b32 %r9, [r]; }\n"
         LAUNCHES("child", "1", "2048", "setp.eq.u64 %p3, %rd9, 0; @%p3 bra L;\n", "0")
         "L: { .param .b32 r; call.uni (r), __cudaCDP2GetLastError, (); ld.param.b32 %r5, [r]; } st.global.u32 [%rd1+36], %r5;\nE: ret; }\n"
         ".visible .entry falls () { trap; ret; }\n"
         ".visible .entry fails () {\n.reg .b64 %rd<16>; .reg .b32 %r<16>;\n" LAUNCHES("falls", "1", "1", "", "0") "ret; }\n";

static int only_nested(bool faults) {
  CUfunction f;
  int got[16];
  static const int want[16] = {528, 20, 40, 0, 0, 0, 0, 0, 40, 9, 0, 528, 20, 40, 0 /* on a GPU fills by kernels write 0 */};
  kit_open();
  CU(cuModuleLoadData(&kit_module, nested));
  CU(cuModuleGetFunction(&f, kit_module, faults ? "fails" : "parent"));
  CUdeviceptr p = kit_ints(16, 0);
  CU(faults ? LAUNCH(f, 1, 1, 0, NULL) : LAUNCH(f, 1, 32, 0, NULL, &p));
  CUresult r = cuCtxSynchronize();
  if (r != CUDA_SUCCESS) return (int)r % 256;
  CU(cuMemcpyDtoH(got, p, sizeof got));
  return memcmp(got, want, sizeof want) != 0;
}

int main(int argc, char **argv) {
  if (argc > 1 && !strncmp(argv[1], "--nested", 8)) return only_nested(argv[1][8] != 0);
  if (argc > 1 && !strcmp(argv[1], "--spin")) return only_spin();
  setenv("HEDDLE_FUNCTIONAL", "1", 1);
  if (argc > 1 && !strcmp(argv[1], "--init")) return only_init();
  Dl_info here;
  if (!dladdr((void *)(uintptr_t)cuInit, &here)) return 2;
  snprintf(folder, sizeof folder, "%s", here.dli_fname);
  *strrchr(folder, '/') = 0;
  CU(cuInit(0));
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_entry_point_of_the_driver_exists),
      cmocka_unit_test(test_libraries_export_only_cuda_names),
      cmocka_unit_test(test_what_is_not_implemented_answers_not_supported),
      cmocka_unit_test(test_a_reset_brings_a_dead_context_back),
      cmocka_unit_test(test_an_unknown_gpu_is_no_device),
      cmocka_unit_test(test_a_report_is_written_at_the_end),
      cmocka_unit_test(test_a_deadlock_ends_the_program_with_its_own_status),
      cmocka_unit_test(test_kernels_launch_kernels),
      cmocka_unit_test(test_links_ptx_compiled_apart),
      cmocka_unit_test(test_a_function_that_nobody_has_is_named),
      cmocka_unit_test(test_kernels_allocate_by_the_device_runtime),
      cmocka_unit_test(test_fills_the_error_log),
      cmocka_unit_test(test_kernels_that_are_supported_run_beside_those_that_are_not),
      cmocka_unit_test(test_a_tensor_map_is_a_parameter_of_a_kernel),
      cmocka_unit_test(test_tensor_maps_are_checked),
      cmocka_unit_test(test_host_memory_below_that_of_the_device_is_copied),
      cmocka_unit_test(test_threads_have_streams_of_their_own),
      cmocka_unit_test(test_a_stream_waits_for_a_value_another_thread_writes),
      cmocka_unit_test(test_values_that_a_stream_waits_for),
      cmocka_unit_test(test_compressible_memory_is_given),
      cmocka_unit_test(test_version_12_lays_properties_out_as_version_12),
      cmocka_unit_test(test_version_13_lays_properties_out_as_version_13),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
