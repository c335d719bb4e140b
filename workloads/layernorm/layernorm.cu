// Layer normalisation: a block a row, the row kept in registers between finding its mean and deviation and
// writing it.

enum { THREADS = 256, WARPS = THREADS / 32, MOST = 4 };

static __device__ float sum_block(float x, float *part) {
  for (int mask = 16; mask > 0; mask /= 2) x += __shfl_xor_sync(0xffffffffu, x, mask);
  __syncthreads();
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
  __syncthreads();
  x = 0.0f;
  for (int w = 0; w < WARPS; w++) x += part[w];
  return x;
}

// `vectors` is the row's length in float4, at most MOST a thread.
extern "C" __global__ void layer_norm(const float4 *in, const float4 *gain, const float4 *shift, float4 *out,
                                      int vectors) {
  __shared__ float part[WARPS];
  float4 own[MOST];
  long row = (long)blockIdx.x * vectors;
  float sum = 0.0f, squares = 0.0f;
#pragma unroll
  for (int i = 0; i < MOST; i++) {
    int at = threadIdx.x + i * THREADS;
    own[i] = at < vectors ? in[row + at] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    sum += own[i].x + own[i].y + own[i].z + own[i].w;
  }
  float mean = sum_block(sum, part) / (4 * vectors);
#pragma unroll
  for (int i = 0; i < MOST; i++) {
    if (threadIdx.x + i * THREADS >= vectors) continue;
    float x = own[i].x - mean, y = own[i].y - mean, z = own[i].z - mean, w = own[i].w - mean;
    squares += x * x + y * y + z * z + w * w;
  }
  float scale = rsqrtf(sum_block(squares, part) / (4 * vectors) + 1e-5f);
#pragma unroll
  for (int i = 0; i < MOST; i++) {
    int at = threadIdx.x + i * THREADS;
    if (at >= vectors) continue;
    float4 g = gain[at], s = shift[at];
    out[row + at] = make_float4((own[i].x - mean) * scale * g.x + s.x, (own[i].y - mean) * scale * g.y + s.y,
                                (own[i].z - mean) * scale * g.z + s.z, (own[i].w - mean) * scale * g.w + s.w);
  }
}
