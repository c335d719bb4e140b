// Exclusive prefix sums of many arrays side by side. Each thread adds up four neighbouring numbers, the threads of an array
// scan their sums in shared memory by doubling distances; arrays longer than a tile of 1,024 get the sums of the tiles before.

enum { THREADS = 256, TILE = 4 * THREADS };

typedef volatile unsigned scratch[2 * THREADS];

// The sum of `value` over the threads before this one in its group of `group` threads. Zeros lie before each group.
static __device__ unsigned scan_group(unsigned value, scratch s, unsigned group) {
  unsigned at = 2 * threadIdx.x - (threadIdx.x & (group - 1));
  s[at] = 0;
  at += group;
  s[at] = value;
  for (unsigned offset = 1; offset < group; offset *= 2) {
    __syncthreads();
    unsigned sum = s[at] + s[at - offset];
    __syncthreads();
    s[at] = sum;
  }
  return s[at] - value;
}

// Scans arrays of `length` numbers, at most a tile.
extern "C" __global__ void scan_tiles(uint4 *out, uint4 *in, unsigned length) {
  __shared__ unsigned s[2 * THREADS];
  unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  uint4 own = in[at], sum = own;
  sum.y += sum.x;
  sum.z += sum.y;
  sum.w += sum.z;
  unsigned before = scan_group(sum.w, s, length / 4);
  sum.x += before - own.x;
  sum.y += before - own.y;
  sum.z += before - own.z;
  sum.w += before - own.w;
  out[at] = sum;
}

// Scans the sums of the tiles: a tile's last result and last number.
extern "C" __global__ void scan_tops(unsigned *tops, unsigned *out, unsigned *in, unsigned count, unsigned length) {
  __shared__ unsigned s[2 * THREADS];
  unsigned at = blockIdx.x * blockDim.x + threadIdx.x, value = 0;
  if (at < count) value = out[TILE - 1 + TILE * at] + in[TILE - 1 + TILE * at];
  unsigned before = scan_group(value, s, length);
  if (at < count) tops[at] = before;
}

extern "C" __global__ void scan_update(uint4 *data, unsigned *tops) {
  __shared__ unsigned before;
  unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) before = tops[blockIdx.x];
  __syncthreads();
  uint4 sum = data[at];
  sum.x += before;
  sum.y += before;
  sum.z += before;
  sum.w += before;
  data[at] = sum;
}
