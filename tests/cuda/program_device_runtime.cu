// What the device runtime tells kernels: attributes, limits, occupancy, errors of launches, texts. One thread asks.
#include <cstdio>
#include <cstring>

extern __global__ void child(int *p);

struct answers {
  int n, at[64][2];
  __device__ void add(int error, int value) { at[n][0] = error, at[n++][1] = value; }
};

__global__ void questions(answers *a) {
  int v = 0;
  size_t limit = 0;
  cudaFuncAttributes f;
  cudaStream_t s;
  cudaEvent_t e;
  a->add(cudaDeviceGetAttribute(&v, cudaDevAttrMultiProcessorCount, 0), v);
  a->add(cudaDeviceGetAttribute(&v, cudaDevAttrMaxThreadsPerBlock, 0), v);
  a->add(cudaDeviceGetAttribute(&v, (cudaDeviceAttr)9999, 0), 0);
  a->add(cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 5), 0);
  a->add(cudaFuncGetAttributes(&f, child), f.maxThreadsPerBlock);
  a->add((int)f.sharedSizeBytes, f.binaryVersion);
  a->add(cudaRuntimeGetVersion(&v), v);
  a->add(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount), (int)limit);
  a->add(cudaDeviceGetLimit(&limit, cudaLimitStackSize), (int)limit);
  a->add(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&v, child, 128, 0), v);
  a->add(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), cudaGetLastError());
  a->add(cudaEventCreateWithFlags(&e, cudaEventDefault), cudaGetLastError());
  a->add(cudaEventCreateWithFlags(&e, cudaEventDisableTiming), cudaGetLastError());
  child<<<1, 2000>>>(nullptr);
  a->add(cudaPeekAtLastError(), cudaGetLastError());
  child<<<0, 1>>>(nullptr);
  a->add(cudaPeekAtLastError(), cudaGetLastError());
  child<<<1, 1, 100000>>>(nullptr);
  a->add(cudaPeekAtLastError(), cudaGetLastError());
  child<<<dim3(1, 70000), 1>>>(nullptr);
  a->add(cudaPeekAtLastError(), cudaGetLastError());
  printf("%s, %s, %s\n", cudaGetErrorString(cudaErrorInvalidValue), cudaGetErrorName(cudaErrorInvalidValue),
         cudaGetErrorString(cudaErrorNotSupported));
}

int main() {
  answers *a;
  cudaMallocManaged(&a, sizeof *a);
  memset(a, 0, sizeof *a);
  questions<<<1, 1>>>(a);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  for (int i = 0; i < a->n; i++) printf("%d: %d %d\n", i, a->at[i][0], a->at[i][1]);
  return 0;
}
