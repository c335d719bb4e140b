// C = alpha A B + beta C without tiles: a thread an element. The sum is kept in memory, as the suite's code
// does, so that each step of the loop also stores.

extern "C" __global__ void gemm(const float *a, const float *b, float *c, float alpha, float beta, int ni,
                                int nj, int nk) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= ni || j >= nj) return;
  c[i * nj + j] *= beta;
#pragma unroll 1
  for (int k = 0; k < nk; k++) c[i * nj + j] += alpha * a[i * nk + k] * b[k * nj + j];
}
