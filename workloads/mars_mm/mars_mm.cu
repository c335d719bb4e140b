// Matrix multiplication as a map without reduction: a task an element of the product. Key: the addresses of both matrices; value: row,
// column, and the number of rows and columns. The second matrix is stored by columns, so that both are read along rows.
#include "../mars/mars_scan.cuh"
#include "../mars/mars_emit.cuh"

extern "C" __global__ void mm_map_count(mars_input in, mars_counts counts) {
  MARS_EACH(task, in.count) mars_count(counts, task, 4, 8);
}

extern "C" __global__ void mm_map(mars_input in, mars_output out) {
  int task = blockIdx.x * blockDim.x + threadIdx.x;
  if (task >= in.count) return;
  mars_begin(out, task);
  int4 own = in.records[task];
  float **matrices = (float **)(in.keys + own.x);
  int *value = (int *)(in.values + own.z);
  float *first = matrices[0];
  int cols = value[3], row = value[0];
  float4 *a = (float4 *)(first + row * cols);
  float *second = matrices[1];
  int col = value[1];
  float4 *b = (float4 *)(second + col * cols);
  float sum = 0.0f;
  for (int k = 0; k < cols / 4; k++) {
    float4 x = a[k], y = b[k];
    sum += x.x * y.x;
    sum += x.y * y.y;
    sum += x.z * y.z;
    sum += x.w * y.w;
  }
  for (int k = cols / 4 * 4; k < cols; k++) sum += first[row * cols + k] * second[col * cols + k];
  int *slot = mars_slot();
  slot[0] = __float_as_int(sum);
  slot[1] = row;
  slot[2] = col;
  mars_emit(out, task, mars_words<1>{slot}, mars_words<2>{slot + 1});
}
