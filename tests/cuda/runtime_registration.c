/* A program as the compiler makes it, written by hand: fat binaries registered in every form (zstd, LZ4,
 * plain, machine code only), kernels and variables by host address, launches through the call-configuration
 * stack. The blobs are the output of nvcc 13 for data/registered.cu. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaUnregisterFatBinary(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, uint3 *, uint3 *, dim3 *,
                            dim3 *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, void *);
cudaError_t __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *);
cudaError_t __cudaGetKernel(cudaKernel_t *, const void *);
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void **, size_t, cudaStream_t);

#define BLOB(name)                                                                                           \
  __asm__(".pushsection .rodata\n.balign 16\n" #name ":\n.incbin \"tests/cuda/data/" #name                   \
          ".fatbin\"\n.popsection");                                                                         \
  extern const char name[]
BLOB(registered_zstd);
BLOB(registered_lz4);
BLOB(registered_plain);
BLOB(registered_machine);

struct wrapper {
  unsigned magic, version;
  const void *data;
  void *other;
};

static char base[4]; /* the host's shadow of the device variable */
static void stub(void) {}
static const char *const key = (const char *)stub;

static int failed;

static void launch(int *data, int n) {
  dim3 grid, block;
  size_t shared;
  void *stream, *args[] = {&data, &n};
  cudaKernel_t k = NULL;
  if (__cudaPushCallConfiguration((dim3){2, 1, 1}, (dim3){64, 1, 1}, 0, NULL)) failed = 1;
  printf("pop %d, ", __cudaPopCallConfiguration(&grid, &block, &shared, &stream));
  printf("kernel %d, ", __cudaGetKernel(&k, key));
  printf("launch %d, ", __cudaLaunchKernel(k, grid, block, args, shared, stream));
}

static void one(const char *name, const void *blob) {
  struct wrapper w = {0x466243b1, 1, blob, NULL};
  void **handle = __cudaRegisterFatBinary(&w);
  __cudaRegisterFunction(handle, key, "add_base", "add_base", -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterVar(handle, base, "base", "base", 0, 4, 0, 0);
  __cudaRegisterFatBinaryEnd(handle);
  int *data = NULL, out[128], thousand = 1000;
  memset(out, 0, sizeof out);
  cudaMalloc((void **)&data, sizeof out);
  cudaMemset(data, 0, sizeof out);
  printf("%s: symbol %d, ", name, cudaMemcpyToSymbol(base, &thousand, 4, 0, cudaMemcpyHostToDevice));
  launch(data, 128);
  printf("copy %d, ", cudaMemcpy(out, data, sizeof out, cudaMemcpyDeviceToHost));
  printf("first %d last %d\n", out[0], out[127]);
  cudaFree(data);
  cudaGetLastError();
  __cudaUnregisterFatBinary(handle);
}

int main(void) {
  one("zstd", registered_zstd);
  one("lz4", registered_lz4);
  one("plain, with machine code beside", registered_plain);
  one("machine code only", registered_machine);
  printf("empty stack %d\n", __cudaPopCallConfiguration(&(dim3){0}, &(dim3){0}, &(size_t){0}, &(void *){0}));
  printf("unknown stub %d\n", cudaLaunchKernel(&failed, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL));
  return failed;
}
