// Faults through the runtime, each in a process of its own, while other blocks keep memory busy: what is answered then and
// later. What comes after a reset is left out: an H200 whose driver could not recover says that the device is unavailable.
#include <cassert>
#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>

__global__ void busy(int *p, int n, int kind) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 8; k++) {
    p[(i * 97 + k * 31) % n] = p[(i * 7919 + k) % n] + 1;
    if (i != 777 || k != 3) continue;
    if (kind == 1) *(volatile int *)16 = 1;
    if (kind == 2) p[1ll << 36] = 1;
    if (kind == 3) *(volatile int *)((char *)p + 2) = 1;
    if (kind == 4) __trap();
    if (kind == 5) assert(n == 0);
    if (kind == 6) atomicAdd((int *)0x700000000000, 1);
    if (kind == 7) p[n] = p[-1]; // inside what is mapped: nobody notices
  }
}
#define SHOW(call) printf("  %s: %s\n", #call, cudaGetErrorName(call))

static void one(int kind) {
  int *p, *q, host = 7;
  cudaStream_t s;
  cudaEvent_t e;
  cudaMalloc(&q, 4096);
  cudaMalloc(&p, 4000);
  cudaStreamCreate(&s);
  cudaEventCreate(&e);
  busy<<<64, 128, 0, s>>>(p, 1000, kind);
  cudaEventRecord(e, s); // may come before or after the fault
  SHOW(cudaDeviceSynchronize());
  SHOW(cudaPeekAtLastError());
  SHOW(cudaGetLastError());
  SHOW(cudaGetLastError());
  SHOW(cudaStreamQuery(s));
  SHOW(cudaEventQuery(e));
  SHOW(cudaMalloc(&p, 4));
  SHOW(cudaMemcpy(&host, q, 4, cudaMemcpyDeviceToHost));
  SHOW(cudaMemsetAsync(q, 0, 4, s));
  busy<<<1, 1>>>(q, 1000, 0);
  SHOW(cudaGetLastError());
  SHOW(cudaStreamSynchronize(0));
  SHOW(cudaFree(q));
  SHOW(cudaDeviceReset());
  SHOW(cudaGetLastError());
}

int main() {
  for (int kind = 1; kind <= 7; kind++) {
    printf("%d\n", kind);
    fflush(stdout);
    if (!fork()) {
      one(kind);
      fflush(stdout);
      _exit(0);
    }
    int status;
    wait(&status);
    if (status) printf("  ended with %d\n", status);
  }
}
