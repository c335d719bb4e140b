// Sorting of floats in two phases: a bucket sort that spreads the values over 1,024 buckets of about equal
// size, and a merge sort of each bucket in units of four floats.

enum { BUCKETS = 1024, BINS = 1024, THREADS = 128 };

// Counts of the values in even intervals, from which the host makes the borders of the buckets.
extern "C" __global__ void hs_histogram(const float *in, int count, float low, float width, unsigned *bins) {
  __shared__ unsigned own[BINS];
  for (int i = threadIdx.x; i < BINS; i += blockDim.x) own[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    atomicAdd(&own[min((int)((in[i] - low) / width), BINS - 1)], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < BINS; i += blockDim.x)
    if (own[i]) atomicAdd(&bins[i], own[i]);
}

// The bucket of each value, by a binary search in the borders, and its rank among the block's values in that
// bucket. A bucket number is in the low ten bits, the rank above.
extern "C" __global__ void hs_bucket_count(const float *in, int count, const float *borders, int *place,
                                           unsigned *prefix) {
  __shared__ unsigned own[BUCKETS];
  for (int i = threadIdx.x; i < BUCKETS; i += blockDim.x) own[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    int bucket = 0;
#pragma unroll 1
    for (int step = BUCKETS / 2; step > 0; step /= 2)
      if (in[i] >= borders[bucket + step]) bucket += step;
    place[i] = (int)(atomicAdd(&own[bucket], 1u) << 10) | bucket;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < BUCKETS; i += blockDim.x) prefix[blockIdx.x * BUCKETS + i] = own[i];
}

// Turns the blocks' counts into offsets within the bucket, one thread a bucket, and leaves the size of the
// bucket.
extern "C" __global__ void hs_prefix(unsigned *prefix, unsigned *sizes, int blocks) {
  int bucket = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
#pragma unroll 1
  for (int b = 0; b < blocks; b++) {
    unsigned own = prefix[b * BUCKETS + bucket];
    prefix[b * BUCKETS + bucket] = sum;
    sum += own;
  }
  sizes[bucket] = sum;
}

// Sends each value to its place.
extern "C" __global__ void hs_bucket_sort(const float *in, int count, const int *place,
                                          const unsigned *prefix, const unsigned *start, float *out) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    int bucket = place[i] & (BUCKETS - 1), rank = place[i] >> 10;
    out[start[bucket] + prefix[blockIdx.x * BUCKETS + bucket] + rank] = in[i];
  }
}

static __device__ void order(float &a, float &b) {
  float low = fminf(a, b), high = fmaxf(a, b);
  a = low;
  b = high;
}

static __device__ float4 sort4(float4 v) {
  order(v.x, v.y);
  order(v.z, v.w);
  order(v.x, v.z);
  order(v.y, v.w);
  order(v.y, v.z);
  return v;
}

// Sorts within each group of four floats.
extern "C" __global__ void hs_merge_first(const float4 *in, float4 *out, int groups) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < groups) out[i] = sort4(in[i]);
}

// The four lowest of two sorted groups, in order; `a` gets them, `b` the four highest.
static __device__ void merge8(float4 &a, float4 &b) {
  float4 low = make_float4(fminf(a.x, b.w), fminf(a.y, b.z), fminf(a.z, b.y), fminf(a.w, b.x));
  float4 high = make_float4(fmaxf(b.x, a.w), fmaxf(b.y, a.z), fmaxf(b.z, a.y), fmaxf(b.w, a.x));
  a = sort4(low);
  b = sort4(high);
}

// Merges pairs of sorted runs of `run` groups, one thread a pair, bucket by bucket (blockIdx.y); buckets
// begin and end on whole groups.
extern "C" __global__ void hs_merge_pass(const float4 *in, float4 *out, const unsigned *start, int run) {
  int first = start[blockIdx.y] / 4, end = start[blockIdx.y + 1] / 4;
  int a = first + (blockIdx.x * blockDim.x + threadIdx.x) * 2 * run;
  if (a >= end) return;
  int end_a = min(a + run, end), b = end_a, end_b = min(b + run, end), to = a;
  if (b == end_b) {
    for (; a < end_a; a++) out[a] = in[a];
    return;
  }
  float4 low = in[a++], high = in[b++];
#pragma unroll 1
  while (true) {
    merge8(low, high);
    out[to++] = low;
    low = high;
    if (a < end_a && (b >= end_b || in[a].x < in[b].x))
      high = in[a++];
    else if (b < end_b)
      high = in[b++];
    else
      break;
  }
  out[to] = low;
}

// Takes the padding out again: buckets start at whole groups in `in`, without gaps in `out`.
extern "C" __global__ void hs_pack(const float *in, float *out, const unsigned *start, const unsigned *sizes,
                                   const unsigned *final_start) {
  int bucket = blockIdx.y;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < sizes[bucket]; i += gridDim.x * blockDim.x)
    out[final_start[bucket] + i] = in[start[bucket] + i];
}
