// Errors through the runtime: what each mistake answers, the last error, and a context killed by a kernel.
#include <cassert>
#include <cstdio>

__global__ void nothing(int *p) {
  if (p) *p = 1;
}
__global__ void __launch_bounds__(64) bounded() {}
__global__ void wild(int *p) { p[1ll << 36] = 1; }
__global__ void wrong() { assert(blockDim.x == 7); }

#define SHOW(call) printf("%s: %s\n", #call, cudaGetErrorName(call))
#define LAST()                                                                                     \
  do {                                                                                             \
    printf("  peek %s, ", cudaGetErrorName(cudaPeekAtLastError()));                                \
    printf("last %s, ", cudaGetErrorName(cudaGetLastError()));                                     \
    printf("last %s\n", cudaGetErrorName(cudaGetLastError()));                                     \
  } while (0)

int main() {
  int n, *p = nullptr, host;
  SHOW(cudaGetDeviceCount(&n));
  SHOW(cudaSetDevice(n));
  LAST();
  SHOW(cudaSetDevice(0));
  nothing<<<0, 32>>>(p);
  LAST();
  nothing<<<1, 2048>>>(p);
  LAST();
  nothing<<<dim3(1, 70000), 1>>>(p);
  LAST();
  nothing<<<1, 32, 100000>>>(p);
  LAST();
  bounded<<<1, 128>>>();
  LAST();
  nothing<<<1, 32>>>(p);
  LAST();
  SHOW(cudaDeviceSynchronize());
  SHOW(cudaMalloc(&p, 64));
  SHOW(cudaMemcpy(&host, p, 100, cudaMemcpyDeviceToHost));
  LAST();
  SHOW(cudaMemcpy(p, &host, 4, (cudaMemcpyKind)9));
  SHOW(cudaMemcpy(&host, &n, 4, cudaMemcpyDeviceToDevice));
  SHOW(cudaMemset(p, 0, 65));
  SHOW(cudaFree(p + 1));
  SHOW(cudaFree(&host));
  LAST();
  cudaEvent_t a, b;
  float ms;
  SHOW(cudaEventCreate(&a));
  SHOW(cudaEventCreate(&b));
  SHOW(cudaEventElapsedTime(&ms, a, b));
  LAST();
  cudaFuncAttributes f;
  SHOW(cudaFuncGetAttributes(&f, bounded));
  printf("  %d threads\n", f.maxThreadsPerBlock);
  SHOW(cudaFuncGetAttributes(&f, (const void *)main));
  LAST();
  int yes = 7;
  SHOW(cudaDeviceCanAccessPeer(&yes, 0, 0));
  printf("  %d\n", yes);
  SHOW(cudaDeviceCanAccessPeer(&yes, 0, n));
  LAST();
  SHOW(cudaStreamSynchronize((cudaStream_t)0x2));
  printf("%s / %s\n", cudaGetErrorString(cudaErrorInvalidConfiguration), cudaGetErrorString((cudaError_t)4321));
  int version = 0;
  SHOW(cudaRuntimeGetVersion(&version));
  printf("  %d\n", version);
  wild<<<1, 1>>>(p);
  SHOW(cudaDeviceSynchronize());
  LAST();
  SHOW(cudaMalloc(&p, 4));
  SHOW(cudaMemcpy(&host, p, 4, cudaMemcpyDeviceToHost));
  nothing<<<1, 1>>>(nullptr);
  LAST();
  return 0;
}
