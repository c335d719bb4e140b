// Sparse matrix times vector in jagged diagonal storage: rows sorted by length, stored column by column, so
// that neighbouring threads read neighbouring entries. Row lengths of a warp and column starts are in
// constant memory.

enum { MOST_WARPS = 5000, MOST_COLUMNS = 1000 };

__constant__ int warp_length[MOST_WARPS];
__constant__ int column_start[MOST_COLUMNS];

extern "C" __global__ void spmv_jds(float *y, const float *value, const int *index, const int *permutation,
                                    const float *x, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  int length = warp_length[row / 32];
#pragma unroll 1
  for (int k = 0; k < length; k++) {
    int at = column_start[k] + row;
    sum += value[at] * x[index[at]];
  }
  y[permutation[row]] = sum;
}
