// Sorting of floats in two phases: a bucket sort that spreads the values over 1,024 divisions of about equal
// size, and a merge sort of each division in units of four floats. Counters in shared memory belong to a warp, which tells by a tag in
// their upper bits whose increment came through.

enum { DIVISIONS = 1024, BINS = 1024, HISTOGRAM_WARPS = 3, TAG_SHIFT = 27, MASK = (1 << TAG_SHIFT) - 1 };

// In units of four floats, in floats without padding, and the padding of each division.
__constant__ int starts[DIVISIONS + 1], final_starts[DIVISIONS + 1], holes[DIVISIONS];

// Adds one to a counter of this warp; returns what it was.
static __device__ unsigned count_one(volatile unsigned *counter, unsigned tag) {
  unsigned count;
  do {
    count = *counter & MASK;
    count = tag | (count + 1);
    *counter = count;
  } while (*counter != count);
  return (count & MASK) - 1;
}

// Counts of the values in even intervals, from which the host makes the borders of the divisions.
extern "C" __global__ void hs_histogram(float *in, float low, float high, unsigned *bins, int count) {
  __shared__ volatile unsigned own[HISTOGRAM_WARPS * BINS];
  for (int i = threadIdx.x; i < HISTOGRAM_WARPS * BINS; i += 32 * HISTOGRAM_WARPS) own[i] = 0;
  __syncthreads();
  unsigned tag = threadIdx.x << TAG_SHIFT;
  volatile unsigned *mine = own + (threadIdx.x >> 5) * BINS;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x)
    count_one(mine + ((unsigned)((in[i] - low) / (high - low) * BINS) & (BINS - 1)), tag);
  __syncthreads();
  for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
    unsigned sum = 0;
    for (int w = 0; w < HISTOGRAM_WARPS; w++) sum += own[w * BINS + bin] & MASK;
    atomicAdd(bins + bin, sum);
  }
}

// The division of each value, by a binary search in the borders, and its rank among the block's values in that
// division. A division's number is in the low ten bits, the rank above.
extern "C" __global__ void hs_bucket_count(float *in, int *place, unsigned *counts, int count, cudaTextureObject_t borders) {
  __shared__ volatile unsigned own[DIVISIONS];
  for (int i = threadIdx.x; i < DIVISIONS; i += 32) own[i] = 0;
  __syncthreads();
  unsigned tag = threadIdx.x << TAG_SHIFT;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x) {
    float x = in[i];
    int division = DIVISIONS / 2 - 1;
    float border = tex1Dfetch<float>(borders, division);
#pragma unroll
    for (int jump = DIVISIONS / 4; jump >= 1; jump /= 2) {
      division = x < border ? division - jump : division + jump;
      border = tex1Dfetch<float>(borders, division);
    }
    division = x < border ? division : division + 1;
    place[i] = (count_one(own + division, tag) << 10) + division;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < DIVISIONS; i += 32) counts[blockIdx.x * DIVISIONS + i] = own[i] & MASK;
}

// Turns the blocks' counts into offsets within the division, one thread a division, and leaves the size of the
// division.
extern "C" __global__ void hs_prefix(unsigned *counts, unsigned *sizes, int blocks) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (int i = t; i < blocks * DIVISIONS; i += DIVISIONS) {
    unsigned own = counts[i];
    counts[i] = sum;
    sum += own;
  }
  sizes[t] = sum;
}

// Sends each value to its place. The second look at the place of the division is for nobody.
extern "C" __global__ void hs_bucket_sort(float *in, int *place, float *out, int count, unsigned *counts, unsigned *begin) {
  __shared__ volatile unsigned from[DIVISIONS];
  for (int i = threadIdx.x; i < DIVISIONS; i += 32) from[i] = begin[i & (DIVISIONS - 1)] + counts[blockIdx.x * DIVISIONS + i];
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x) {
    float x = in[i];
    int id = place[i];
    out[from[id & (DIVISIONS - 1)] + (id >> 10)] = x;
    (void)from[id & (DIVISIONS - 1)];
  }
}

static __device__ void order(float &a, float &b) {
  float low = a > b ? b : a, high = b > a ? b : a;
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
extern "C" __global__ void hs_merge_first(float4 *out, int groups, cudaTextureObject_t in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < groups) out[i] = sort4(tex1Dfetch<float4>(in, i));
}

static __device__ float4 lowest(float4 a, float4 b) {
  return make_float4(a.x < b.w ? a.x : b.w, a.y < b.z ? a.y : b.z, a.z < b.y ? a.z : b.y, a.w < b.x ? a.w : b.x);
}

static __device__ float4 highest(float4 a, float4 b) {
  return make_float4(b.x > a.w ? b.x : a.w, b.y > a.z ? b.y : a.z, b.z > a.y ? b.z : a.y, b.w > a.x ? b.w : a.x);
}

// Makes sorted runs of `run` groups from two of half the length, one thread a run. Both lists are always asked for their next group.
extern "C" __global__ void hs_merge_pass(float4 *out, int run, int threads, cudaTextureObject_t in) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x, division = tid / threads;
  if (division >= DIVISIONS) return;
  int end = starts[division + 1], at = starts[division] + (tid - division * threads) * run, other = at + run / 2, to = at;
  if (at >= end) return;
  if (other >= end) {
    for (; to < end; to++) out[to] = tex1Dfetch<float4>(in, to);
    return;
  }
  float4 a = tex1Dfetch<float4>(in, at), b = tex1Dfetch<float4>(in, other);
  int i = 0, j = 0;
  while (true) {
    float4 next_a = tex1Dfetch<float4>(in, at + i + 1), next_b = tex1Dfetch<float4>(in, other + j + 1);
    float4 low = lowest(a, b), high = highest(a, b);
    out[to++] = sort4(low);
    b = sort4(high);
    bool more_a = i + 1 < run / 2, more_b = j + 1 < run / 2 && other + j + 1 < end;
    if (more_a) {
      if (more_b) {
        bool first = next_a.x < next_b.x;
        i += first;
        j += !first;
        a = first ? next_a : next_b;
      } else {
        i++;
        a = next_a;
      }
    } else if (more_b) {
      j++;
      a = next_b;
    } else {
      break;
    }
  }
  out[to] = b;
}

// Takes the padding out again, which is at the start of each division now.
extern "C" __global__ void hs_pack(float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, division = blockIdx.y;
  if (i >= final_starts[division + 1] - final_starts[division]) return;
  out[final_starts[division] + i] = in[4 * starts[division] + holes[division] + i];
}
