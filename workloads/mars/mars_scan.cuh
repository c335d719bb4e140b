// Exclusive prefix sums for the map-reduce workloads: a block takes two items a thread through a tree in shared memory. Four
// kernels of one kind: with the blocks' totals or without, for full blocks or for a rest; and the addition of the totals.

// Adds what lies before each block to its items. A second item that is not there gets nothing.
extern "C" __global__ void mars_scan_add(int *to, int *sums, int items, int first, int base) {
  __shared__ int before;
  int t = threadIdx.x, half = blockDim.x, low = __mul24(blockIdx.x, 2 * half) + base + t;
  if (t == 0) before = sums[first + blockIdx.x];
  __syncthreads();
  to[low] += before;
  to[low + half] += t + half < items ? before : 0;
}

// Every sixteen items of the tree are followed by a spare one.
static __device__ int mars_padded(int item) { return item + (item >> 4); }

// The last item under the left one of two nodes that lie `stride` items apart.
static __device__ int mars_left(int stride, int t) { return __mul24(__mul24(2, stride), t) + stride - 1; }

// Items base .. base + items - 1 of `from` into `to`; the total of block b goes to sums[first + b].
template <bool totals, bool rest>
static __device__ void mars_scan(int *to, int *from, int *sums, int items, int first, int base) {
  extern __shared__ int tree[];
  int t = threadIdx.x, half = blockDim.x;
  int low = (base == 0 ? __mul24(blockIdx.x, 2 * half) : base) + t, high = low + half;
  tree[mars_padded(t)] = from[low];
  if (!rest || t + half < items) tree[mars_padded(t + half)] = from[high];
  else tree[mars_padded(t + half)] = 0;

  int stride = 1;
  for (int active = half; active > 0; active >>= 1) {
    __syncthreads();
    if (t < active) {
      int item = mars_left(stride, t), a = mars_padded(item), b = mars_padded(item + stride);
      tree[b] += tree[a];
    }
    stride *= 2;
  }
  if (t == 0) {
    int last = mars_padded(2 * half - 1);
    if (totals) sums[first + blockIdx.x] = tree[last];
    tree[last] = 0;
  }
  for (int active = 1; active <= half; active *= 2) {
    stride >>= 1;
    __syncthreads();
    if (t < active) {
      int item = mars_left(stride, t), a = mars_padded(item), b = mars_padded(item + stride);
      int left = tree[a];
      tree[a] = tree[b];
      tree[b] += left;
    }
  }
  __syncthreads();
  to[low] = tree[mars_padded(t)];
  if (!rest || t + half < items) to[high] = tree[mars_padded(t + half)];
}

extern "C" __global__ void mars_scan_blocks(int *to, int *from, int *sums, int items, int first, int base) {
  mars_scan<true, false>(to, from, sums, items, first, base);
}

extern "C" __global__ void __maxnreg__(20) mars_scan_rest(int *to, int *from, int *sums, int items, int first, int base) {
  mars_scan<true, true>(to, from, sums, items, first, base);
}

extern "C" __global__ void mars_scan_top(int *to, int *from, int *sums, int items, int first, int base) {
  mars_scan<false, false>(to, from, sums, items, first, base);
}

extern "C" __global__ void mars_scan_top_rest(int *to, int *from, int *sums, int items, int first, int base) {
  mars_scan<false, true>(to, from, sums, items, first, base);
}
