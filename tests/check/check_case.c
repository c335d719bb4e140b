/* Runs one case of the checker's tests on the driver API and exits with 0: what it did wrong is the checker's to say.
 *
 *   check_case PTX KERNEL BLOCKS THREADS COOPERATIVE     a kernel of correct.cu, faulty.cu ..., with the buffers a, b and c
 *   check_case HOST                                      one of the functions below
 *
 * Prints the addresses of the buffers. Cases of the host, in the manner of faulty.cu ("@" marks an address that is printed as a):
 *
 *= host_ok_copies
 *= host_ok_two_kernels
 *= host_leak
 *! memcheck leak host a+0x0
 *= host_leak_pinned
 *! memcheck leak host a+0x0
 *= host_double_free
 *! memcheck double-free host -
 *= host_free_inside
 *! memcheck invalid-free host -
 *= host_free_stack
 *! memcheck invalid-free host -
 *= host_copy_too_long
 *! memcheck invalid-copy host -
 *= host_copy_freed
 *! memcheck invalid-copy host -
 *= host_fill_too_long
 *! memcheck invalid-copy host -
 *= host_read_unwritten
 *! initcheck uninitialized-copy host a+0x20
 *= host_copy_unwritten
 *! initcheck uninitialized-copy host a+0x40
 *= host_kernel_after_free
 *! memcheck invalid-access A a+0x0
 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INTS = 4096, BYTES = 4 * INTS };

/* A call that must succeed. */
#define CU(call)                                                                                                       \
  do {                                                                                                                 \
    CUresult r_ = (call);                                                                                              \
    if (r_ != CUDA_SUCCESS) {                                                                                          \
      printf("%s:%d: %s answered %d\n", __FILE__, __LINE__, #call, (int)r_);                                           \
      exit(3);                                                                                                         \
    }                                                                                                                  \
  } while (0)

static CUdeviceptr allocate(char name) {
  CUdeviceptr p;
  CU(cuMemAlloc(&p, BYTES));
  if (name) printf("%c 0x%llx\n", name, (unsigned long long)p);
  return p;
}

static int host_data[INTS];

/* ---- the host's cases ------------------------------------------------------------------------------------------------ */

static void host_ok_copies(void) {
  CUdeviceptr a = allocate(0), b = allocate(0), c = allocate(0);
  CU(cuMemcpyHtoD(a, host_data, BYTES));
  CU(cuMemcpyDtoD(b, a, BYTES));
  CU(cuMemsetD32(c, 7, INTS));
  CU(cuMemcpyDtoH(host_data, b, BYTES));
  CU(cuMemcpyDtoH(host_data, c, BYTES));
  CU(cuMemFree(a));
  CU(cuMemFree(b));
  CU(cuMemFree(c));
}

static void host_leak(void) { allocate('a'); }

static void host_leak_pinned(void) {
  void *p;
  CU(cuMemAllocHost(&p, 64));
  printf("a 0x%llx\n", (unsigned long long)(size_t)p);
}

static void host_double_free(void) {
  CUdeviceptr a = allocate('a');
  CU(cuMemFree(a));
  cuMemFree(a);
}

static void host_free_inside(void) {
  CUdeviceptr a = allocate('a');
  cuMemFree(a + 256);
  CU(cuMemFree(a));
}

static void host_free_stack(void) { cuMemFree((CUdeviceptr)(size_t)host_data); }

static void host_copy_too_long(void) {
  CUdeviceptr a = allocate('a');
  cuMemcpyHtoD(a + 16, host_data, BYTES);
  CU(cuMemFree(a));
}

static void host_copy_freed(void) {
  CUdeviceptr a = allocate('a');
  CU(cuMemFree(a));
  cuMemcpyHtoD(a, host_data, BYTES);
}

static void host_fill_too_long(void) {
  CUdeviceptr a = allocate('a');
  cuMemsetD32(a, 1, INTS + 1);
  CU(cuMemFree(a));
}

static void host_read_unwritten(void) {
  CUdeviceptr a = allocate('a');
  CU(cuMemsetD32(a, 1, 8));
  CU(cuMemcpyDtoH(host_data, a, 64));
  CU(cuMemFree(a));
}

/* Copying what nobody wrote is not wrong; handing it to the host is. */
static void host_copy_unwritten(void) {
  CUdeviceptr from = allocate(0), a = allocate('a');
  CU(cuMemsetD32(from, 1, 16));
  CU(cuMemcpyDtoD(a, from, 128));
  CU(cuMemcpyDtoH(host_data, a, 128));
  CU(cuMemFree(a));
  CU(cuMemFree(from));
}

/* ---- kernels ------------------------------------------------------------------------------------------------------------ */

static CUfunction kernel(const char *ptx, const char *name) {
  CUmodule module;
  CUfunction f;
  CU(cuModuleLoad(&module, ptx));
  CU(cuModuleGetFunction(&f, module, name));
  return f;
}

static void launch(CUfunction f, unsigned blocks, unsigned threads, int cooperative, CUdeviceptr *p) {
  void *args[] = {&p[0], &p[1], &p[2]};
  if (cooperative) CU(cuLaunchCooperativeKernel(f, blocks, 1, 1, threads, 1, 1, 0, NULL, args));
  else CU(cuLaunchKernel(f, blocks, 1, 1, threads, 1, 1, 0, NULL, args, NULL));
}

static void run_kernel(char **argv) {
  CUdeviceptr p[3] = {allocate('a'), allocate('b'), allocate('c')};
  for (int i = 0; i < INTS; i++) host_data[i] = i;
  CU(cuMemcpyHtoD(p[0], host_data, BYTES));
  CU(cuMemsetD32(p[1], 0, INTS));
  launch(kernel(argv[1], argv[2]), (unsigned)atoi(argv[3]), (unsigned)atoi(argv[4]), atoi(argv[5]), p);
  if (cuCtxSynchronize() != CUDA_SUCCESS) return; /* nothing works any more after a fault */
  for (int i = 0; i < 3; i++) CU(cuMemFree(p[i]));
}

static const char *folder;

/* What one launch wrote the next may read. */
static void host_ok_two_kernels(void) {
  char ptx[1024];
  snprintf(ptx, sizeof ptx, "%s/correct.ptx", folder);
  CUfunction f = kernel(ptx, "ok_disjoint");
  CUdeviceptr p[3] = {allocate(0), allocate(0), allocate(0)};
  CU(cuMemcpyHtoD(p[0], host_data, BYTES));
  launch(f, 4, 128, 0, p);
  launch(f, 2, 256, 0, (CUdeviceptr[]){p[1], p[0], p[2]});
  for (int i = 0; i < 3; i++) CU(cuMemFree(p[i]));
}

/* Findings must survive this. */
static void crash(void) {
  char ptx[1024];
  snprintf(ptx, sizeof ptx, "%s/faulty.ptx", folder);
  CUdeviceptr p[3] = {allocate('a'), allocate('b'), allocate('c')};
  launch(kernel(ptx, "race_blocks_store"), 2, 32, 0, p);
  abort();
}

static void host_kernel_after_free(void) {
  char ptx[1024];
  snprintf(ptx, sizeof ptx, "%s/faulty.ptx", folder);
  CUdeviceptr p[3] = {allocate('a'), allocate('b'), allocate('c')};
  CU(cuMemFree(p[0]));
  launch(kernel(ptx, "mem_freed"), 1, 32, 0, p);
  cuCtxSynchronize();
  cuMemFree(p[1]);
  cuMemFree(p[2]);
}

static const struct {
  const char *name;
  void (*run)(void);
} cases[] = {
#define HOST(name) {#name, name}
    HOST(host_ok_copies),    HOST(host_ok_two_kernels), HOST(host_leak),           HOST(host_leak_pinned),
    HOST(host_double_free),  HOST(host_free_inside),    HOST(host_free_stack),     HOST(host_copy_too_long),
    HOST(host_copy_freed),   HOST(host_fill_too_long),  HOST(host_read_unwritten), HOST(host_copy_unwritten),
    HOST(host_kernel_after_free), HOST(crash)};

int main(int argc, char **argv) {
  CUcontext context;
  CU(cuInit(0));
  CU(cuDevicePrimaryCtxRetain(&context, 0));
  CU(cuCtxSetCurrent(context));
  if (argc == 6) {
    run_kernel(argv);
    return 0;
  }
  folder = argc == 3 ? argv[2] : ".";
  for (size_t i = 0; argc == 3 && i < sizeof cases / sizeof *cases; i++)
    if (!strcmp(cases[i].name, argv[1])) {
      cases[i].run();
      return 0;
    }
  return 3;
}
