// Separate compilation: a kernel that calls a function and reads a variable of another file (part_linked.cu).
#include <cstdio>

extern __device__ int square_and_one(int);
extern __device__ int offset;
extern __constant__ int table[4];

__global__ void kernel(int *p) { p[threadIdx.x] = square_and_one(threadIdx.x) + offset + table[threadIdx.x]; }

int main() {
  int *p, h[4];
  cudaMalloc(&p, sizeof h);
  kernel<<<1, 4>>>(p);
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d %d %d %d\n", h[0], h[1], h[2], h[3]);
  int thousand = 1000;
  cudaMemcpyToSymbol(offset, &thousand, sizeof thousand);
  kernel<<<1, 4>>>(p);
  cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d %d %d %d\n", h[0], h[1], h[2], h[3]);
  return 0;
}
