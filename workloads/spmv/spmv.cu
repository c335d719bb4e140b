// Sparse matrix times vector in jagged diagonal storage: rows sorted by length, stored column by column, so
// that neighbouring threads read neighbouring entries. Row lengths of a warp and column starts are in
// constant memory. An entry's value is fetched one turn after its index.

enum { MOST_WARPS = 5000, MOST_COLUMNS = 1000 };

__constant__ int warp_length[MOST_WARPS];
__constant__ int column_start[MOST_COLUMNS];

extern "C" __global__ void spmv_jds(float *y, float *value, int *index, int *permutation, float *x, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  int length = warp_length[row / 32], at = column_start[0] + row;
  float sum = 0.0f, entry = value[at];
  int column = index[at];
  float factor = x[column];
  if (length > 1) {
    at = column_start[1] + row;
    column = index[at];
    for (int k = 2; k < length; k++) {
      float next = value[at];
      at = column_start[k] + row;
      int next_column = index[at];
      sum += entry * factor;
      factor = x[column];
      entry = next;
      column = next_column;
    }
    float last = value[at];
    sum += entry * factor;
    factor = x[column];
    entry = last;
  }
  sum += entry * factor;
  y[permutation[row]] = sum;
}
