// What the map-reduce workloads share on the device: prefix sums that place the output of the map tasks, the
// bitonic sort of the records by key, and the marking of groups of equal keys.
//
// A record is an int4: key, size of the key, value, spare. With MARS_INTEGER_KEYS the key is the number x,
// otherwise it is the string of y bytes at keys + x. A record with a negative size is padding and sorts last.

enum { MARS_THREADS = 256, MARS_TILE = 512 };

static __device__ int mars_compare_keys(const unsigned char *keys, int4 a, int4 b) {
  if (a.y < 0 || b.y < 0) return (a.y < 0) - (b.y < 0);
#ifdef MARS_INTEGER_KEYS
  return (a.x > b.x) - (a.x < b.x);
#else
  int shorter = a.y < b.y ? a.y : b.y;
#pragma unroll 1
  for (int i = 0; i < shorter; i++) {
    int difference = (int)keys[a.x + i] - (int)keys[b.x + i];
    if (difference != 0) return difference;
  }
  return a.y - b.y;
#endif
}

// Equal keys are ordered by value, so that the result does not depend on the order of the tasks.
static __device__ int mars_compare(const unsigned char *keys, int4 a, int4 b) {
  int order = mars_compare_keys(keys, a, b);
  return order != 0 ? order : (a.z > b.z) - (a.z < b.z);
}

// Exclusive prefix sum of each block's items in place; the blocks' totals go to `sums`.
extern "C" __global__ void mars_scan_tile(int *data, int *sums, int n) {
  __shared__ int part[2][MARS_THREADS];
  int t = threadIdx.x, at = blockIdx.x * MARS_THREADS + t, from = 0;
  int own = at < n ? data[at] : 0;
  part[0][t] = own;
  __syncthreads();
  for (int reach = 1; reach < MARS_THREADS; reach *= 2) {
    part[1 - from][t] = part[from][t] + (t >= reach ? part[from][t - reach] : 0);
    from = 1 - from;
    __syncthreads();
  }
  if (at < n) data[at] = part[from][t] - own;
  if (t == MARS_THREADS - 1) sums[blockIdx.x] = part[from][t];
}

extern "C" __global__ void mars_scan_add(int *data, const int *sums, int n) {
  int at = blockIdx.x * MARS_THREADS + threadIdx.x;
  if (at < n) data[at] += sums[blockIdx.x];
}

// One step of the bitonic network over all records: a thread a pair that is `stride` apart.
extern "C" __global__ void mars_sort_step(int4 *records, const unsigned char *keys, int width, int stride) {
  int pair = blockIdx.x * blockDim.x + threadIdx.x;
  int low = 2 * pair - (pair & (stride - 1)), high = low + stride;
  int4 a = records[low], b = records[high];
  bool ascending = (low & width) == 0;
  if ((mars_compare(keys, a, b) > 0) != ascending) return;
  records[low] = b;
  records[high] = a;
}

// All steps of the widths `first` to `last` whose pairs lie within a tile. The records are kept in shared
// memory meanwhile; the keys are read from global memory at every comparison.
extern "C" __global__ void mars_sort_tile(int4 *records, const unsigned char *keys, int first, int last) {
  __shared__ int4 tile[MARS_TILE];
  int t = threadIdx.x, base = blockIdx.x * MARS_TILE;
  tile[t] = records[base + t];
  tile[t + MARS_THREADS] = records[base + t + MARS_THREADS];
  for (int width = first; width <= last; width *= 2) {
    for (int stride = width < MARS_TILE ? width / 2 : MARS_TILE / 2; stride > 0; stride /= 2) {
      __syncthreads();
      int low = 2 * t - (t & (stride - 1)), high = low + stride;
      int4 a = tile[low], b = tile[high];
      bool ascending = ((base + low) & width) == 0;
      if ((mars_compare(keys, a, b) > 0) == ascending) {
        tile[low] = b;
        tile[high] = a;
      }
    }
  }
  __syncthreads();
  records[base + t] = tile[t];
  records[base + t + MARS_THREADS] = tile[t + MARS_THREADS];
}

// 1 where a new key begins.
extern "C" __global__ void mars_mark(const int4 *records, const unsigned char *keys, int n, int *begins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  begins[i] = i == 0 || mars_compare_keys(keys, records[i - 1], records[i]) != 0;
}

// The first record of each group, from the prefix sum over the marks.
extern "C" __global__ void mars_starts(const int *number, int n, int *starts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && number[i] != number[i + 1]) starts[number[i]] = i;
}
