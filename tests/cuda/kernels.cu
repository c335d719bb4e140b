// Small kernels for the API tests. kernels.ptx is made from this file by tests/cuda/record_programs.sh.
#include <assert.h>
#include <stdio.h>

extern "C" {

struct Pair {
  int a;
  double b;
  char c[3];
};

__constant__ int factors[4] = {1, 2, 3, 4};
__device__ int counter = 7;
__device__ float table[16];
__managed__ int shared_with_host = 5;

__global__ void add(int *data, int value, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += value;
}
__global__ void saxpy(float a, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
__global__ void times_factor(int *data) { data[threadIdx.x] *= factors[threadIdx.x & 3]; }
__global__ void count_up(int by) { atomicAdd(&counter, by); }
__global__ void reverse(int *data) {
  extern __shared__ int copy[];
  copy[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = copy[blockDim.x - 1 - threadIdx.x];
}
__global__ void many_params(long long *out, char a, short b, int c, long long d, float e, double f, struct Pair p) {
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = d;
  out[4] = (long long)(e * 100);
  out[5] = (long long)(f * 100);
  out[6] = p.a + (long long)p.b + p.c[2];
}
__global__ void __launch_bounds__(128, 2) bounded(int *out) { out[threadIdx.x] = threadIdx.x; }
__global__ void out_of_bounds(int *p, long long i) { p[i] = 1; }
__global__ void misaligned(char *p) { *(int *)(p + 1) = 1; }
__global__ void traps() { __trap(); }
__global__ void asserts(int x) { assert(x == 3); }
__global__ void prints(int x) { printf("block %d thread %d says %d %s %.2f\n", blockIdx.x, threadIdx.x, x, "hello", 1.5); }
__global__ void allocates(int **out) {
  int *p = (int *)malloc(64);
  if (p) p[3] = 42;
  *out = p;
}
__global__ void frees(int **in, int *out) {
  *out = (*in)[3];
  free(*in);
}
__global__ void managed_add(int by) { shared_with_host += by; }
}
