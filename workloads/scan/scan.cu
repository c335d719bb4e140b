// Exclusive prefix sum: each block scans a tile up and down a tree in shared memory (Blelloch), the tiles'
// sums are scanned the same way, and then added to the tiles.

enum { THREADS = 256, TILE = 2 * THREADS, BANKS = 32 };

// Places are spread so that the strides of the tree do not meet in one bank.
static __device__ int spread(int i) { return i + i / BANKS; }

extern "C" __global__ void scan_tiles(const unsigned *in, unsigned *out, unsigned *sums, int count) {
  __shared__ unsigned tree[TILE + TILE / BANKS];
  int t = threadIdx.x, base = blockIdx.x * TILE;
  tree[spread(t)] = base + t < count ? in[base + t] : 0;
  tree[spread(t + THREADS)] = base + t + THREADS < count ? in[base + t + THREADS] : 0;
  int distance = 1;
  for (int nodes = THREADS; nodes > 0; nodes /= 2) {
    __syncthreads();
    if (t < nodes) tree[spread(distance * (2 * t + 2) - 1)] += tree[spread(distance * (2 * t + 1) - 1)];
    distance *= 2;
  }
  if (t == 0) {
    sums[blockIdx.x] = tree[spread(TILE - 1)];
    tree[spread(TILE - 1)] = 0;
  }
  for (int nodes = 1; nodes <= THREADS; nodes *= 2) {
    distance /= 2;
    __syncthreads();
    if (t < nodes) {
      int left = spread(distance * (2 * t + 1) - 1), right = spread(distance * (2 * t + 2) - 1);
      unsigned below = tree[left];
      tree[left] = tree[right];
      tree[right] += below;
    }
  }
  __syncthreads();
  if (base + t < count) out[base + t] = tree[spread(t)];
  if (base + t + THREADS < count) out[base + t + THREADS] = tree[spread(t + THREADS)];
}

extern "C" __global__ void scan_add(unsigned *data, const unsigned *sums, int count) {
  int base = blockIdx.x * TILE + threadIdx.x;
  unsigned sum = sums[blockIdx.x];
  if (base < count) data[base] += sum;
  if (base + THREADS < count) data[base + THREADS] += sum;
}
