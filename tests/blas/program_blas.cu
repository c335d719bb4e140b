// A program as people write it: cuBLAS and the runtime, a kernel of its own before and after, an event around
// a product.
#include <cstdio>
#include <cstdlib>
#include <cublas_v2.h>
#include <vector>

#define CUDA(call)                                                                                           \
  do {                                                                                                       \
    cudaError_t e = (call);                                                                                  \
    if (e != cudaSuccess) return printf("%s: %s\n", #call, cudaGetErrorString(e)), 1;                        \
  } while (0)
#define BLAS(call)                                                                                           \
  do {                                                                                                       \
    cublasStatus_t e = (call);                                                                               \
    if (e != CUBLAS_STATUS_SUCCESS) return printf("%s: %d\n", #call, (int)e), 1;                             \
  } while (0)

__global__ void fill(float *x, int n, int seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = (float)((i * 7 + seed) % 11 - 5) / 4;
}

int main() {
  const int m = 150, n = 70, k = 90;
  float *a, *b, *c, alpha = 1.5f, beta = 0, norm;
  cudaStream_t stream;
  cublasHandle_t handle;
  int place;
  BLAS(cublasCreate(&handle));
  CUDA(cudaStreamCreate(&stream));
  BLAS(cublasSetStream(handle, stream));
  CUDA(cudaMalloc(&a, m * k * sizeof(float)));
  CUDA(cudaMalloc(&b, k * n * sizeof(float)));
  CUDA(cudaMallocManaged(&c, m * n * sizeof(float)));
  fill<<<(m * k + 255) / 256, 256, 0, stream>>>(a, m * k, 3);
  fill<<<(k * n + 255) / 256, 256, 0, stream>>>(b, k * n, 5);
  BLAS(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, m, n, k, &alpha, a, m, b, n, &beta, c, m));
  BLAS(cublasSnrm2(handle, m * n, c, 1, &norm));
  BLAS(cublasIsamax(handle, m * n, c, 1, &place));
  CUDA(cudaStreamSynchronize(stream));
  std::vector<float> ha(m * k), hb(k * n);
  BLAS(cublasGetMatrix(m, k, sizeof(float), a, m, ha.data(), m));
  BLAS(cublasGetMatrix(n, k, sizeof(float), b, n, hb.data(), n));
  int wrong = 0, largest = 0;
  double squares = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      double sum = 0;
      for (int l = 0; l < k; l++) sum += (double)ha[i + l * m] * hb[j + l * n];
      if (abs(c[i + j * m] - alpha * sum) > 1e-3) wrong++;
      squares += (double)c[i + j * m] * c[i + j * m];
      if (abs(c[i + j * m]) > abs(c[largest])) largest = i + j * m;
    }
  printf("%d wrong, norm %s, place %s\n", wrong,
         abs(norm * (double)norm / squares - 1) < 1e-4 ? "right" : "wrong",
         place == largest + 1 ? "right" : "wrong");
  BLAS(cublasDestroy(handle));
  return wrong != 0;
}
