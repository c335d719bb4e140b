// Sums of rows of an embedding table: a warp a bag, two numbers of the row a lane.

enum { DIM = 64, WARPS = 4 };

extern "C" __global__ void embedding_bag(const float2 *table, const int *rows, const float *weights,
                                         const int *first, int bags, float2 *out) {
  int bag = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (bag >= bags) return;
  int last = first[bag + 1];
  float2 sum = make_float2(0.0f, 0.0f);
#pragma unroll 4
  for (int i = first[bag]; i < last; i++) {
    float2 row = table[(long)rows[i] * (DIM / 2) + lane];
    float weight = weights[i];
    sum.x += weight * row.x;
    sum.y += weight * row.y;
  }
  out[bag * (DIM / 2) + lane] = sum;
}
