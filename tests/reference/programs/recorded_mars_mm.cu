// Matrix multiplication as a map without reduction: one task an element of the product. The second matrix is
// stored by columns, so a task reads two contiguous vectors, but neighbouring tasks read vectors a whole
// column apart: each lane of a warp has a line of its own.

extern "C" __global__ void mm_map(const float *a, const float *b, const int2 *tasks, int count, int n,
                                  float *product) {
  int task = blockIdx.x * blockDim.x + threadIdx.x;
  if (task >= count) return;
  int2 place = tasks[task];
  const float *row = a + (long)place.x * n, *column = b + (long)place.y * n;
  float sum = 0.0f;
#pragma unroll 1
  for (int k = 0; k < n; k++) sum += row[k] * column[k];
  product[place.x * n + place.y] = sum;
}
