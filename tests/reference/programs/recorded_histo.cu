// A saturating two-dimensional histogram in four steps: the range of rows in use; for each pixel the place of
// its bin in the shared-memory partitions; the count, each partition by its own row of blocks; the saturation
// to a byte.

enum { WIDTH = 1024, ROWS = 12, BINS = ROWS * WIDTH, OUTSIDE = 255 };

// Lowest and highest histogram row in use.
extern "C" __global__ void histo_prescan(const unsigned *input, int count, int *range) {
  __shared__ int low[512], high[512];
  int t = threadIdx.x;
  low[t] = 0x7fffffff;
  high[t] = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < count; i += gridDim.x * blockDim.x) {
    int row = input[i] / WIDTH;
    low[t] = min(low[t], row);
    high[t] = max(high[t], row);
  }
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) {
      low[t] = min(low[t], low[t + half]);
      high[t] = max(high[t], high[t + half]);
    }
    __syncthreads();
  }
  if (t == 0) {
    atomicMin(&range[0], low[0]);
    atomicMax(&range[1], high[0]);
  }
}

// Bin numbers to places: word of the partition's shared memory in x and y, half of the word in z, partition
// in w.
extern "C" __global__ void histo_intermediates(const unsigned *input, int count, int first_row,
                                               int partitions, uchar4 *places) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int bin = (int)input[i] - first_row * WIDTH;
  int partition = bin / BINS, inside = bin % BINS, word = inside / 2;
  if (bin < 0 || partition >= partitions) partition = OUTSIDE;
  places[i] = make_uchar4(word & 255, word >> 8, inside & 1, partition);
}

// Counts the pixels of partition blockIdx.y in shared memory, two 16-bit counters a word, and adds the counts
// to the histogram in global memory; pixels of no partition are counted there directly. No bin may get more
// than 65,535 of a block's pixels. With as many blocks in x as there are multiprocessors, the blocks that
// count the same pixels into different partitions run on the same one.
extern "C" __global__ void histo_main(const uchar4 *places, const unsigned *input, int count, int first_row,
                                      unsigned *histogram) {
  __shared__ unsigned counters[BINS / 2];
  for (int i = threadIdx.x; i < BINS / 2; i += blockDim.x) counters[i] = 0;
  __syncthreads();
#pragma unroll 1
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    uchar4 place = places[i];
    if (place.w == blockIdx.y)
      atomicAdd(&counters[place.x + 256 * place.y], place.z ? 65536u : 1u);
    else if (place.w == OUTSIDE && blockIdx.y == 0)
      atomicAdd(&histogram[input[i]], 1u);
  }
  __syncthreads();
  unsigned *own = histogram + (first_row + blockIdx.y * ROWS) * WIDTH;
#pragma unroll 1
  for (int i = threadIdx.x; i < BINS / 2; i += blockDim.x) {
    unsigned pair = counters[i];
    if (pair & 65535u) atomicAdd(&own[2 * i], pair & 65535u);
    if (pair >> 16) atomicAdd(&own[2 * i + 1], pair >> 16);
  }
}

// Saturates four bins a thread to bytes and clears them for the next image.
extern "C" __global__ void histo_final(uint4 *histogram, int quads, uchar4 *output) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
    uint4 bins = histogram[i];
    output[i] = make_uchar4(min(bins.x, 255u), min(bins.y, 255u), min(bins.z, 255u), min(bins.w, 255u));
    histogram[i] = make_uint4(0, 0, 0, 0);
  }
}
