// Gridding of magnetic resonance samples: counts the samples of each cell, sorts (cell, sample) pairs by radix sort, puts the samples
// into that order, and lets every cell gather what the samples around it contribute.

enum { BIN = 32, RADIX = 16, DIGIT = 4, SORT_ITEMS = 1024, SCAN_THREADS = 512, SCAN_ITEMS = 2 * SCAN_THREADS };
enum { CELLS_X = 8, CELLS_Y = 4, CELLS_Z = 8, LAYERS = 2, TILE = CELLS_X * CELLS_Y * LAYERS };

struct sample {
  float real, imag, x, y, z, density;
};

__constant__ float cutoff, cutoff2, inverse_cutoff2;
__constant__ int size_x, size_y, size_z, size_xy;

// Meant to keep scans from bank conflicts; the shift grows with the index, so that nothing is ever added.
static __device__ int padded(int i) { return i + ((i >> (4 + i)) >> 8); }

// Puts a sample into its cell's bin, or into none if that is full, and notes its cell and number.
extern "C" __global__ void grid_count(int count, unsigned *keys, unsigned *values, struct sample *samples, unsigned *counts, int cells) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  struct sample s = samples[i];
  int cell = (unsigned)s.z * size_xy + (unsigned)s.y * size_x + (unsigned)s.x, key = cells;
  if (counts[cell] < BIN) {
    if (atomicAdd(&counts[cell], 1u) < BIN)
      key = cell;
    else
      atomicSub(&counts[cell], 1u);
  }
  keys[i] = key;
  values[i] = i;
}

// An exclusive scan of 1,024 words in place by half as many pairs of threads; the sum is left behind them.
static __device__ void scan_items(unsigned *w) {
  int t = threadIdx.x, stride = 2;
  __syncthreads();
  w[padded(2 * t + 1)] += w[padded(2 * t)];
  w[padded(2 * (blockDim.x + t) + 1)] += w[padded(2 * (blockDim.x + t))];
  for (int d = blockDim.x; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) {
      int i = 2 * stride * t, a = i + stride - 1, b = a + stride;
      w[padded(b)] += w[padded(a)];
    }
    stride *= 2;
  }
  if (t == 0) {
    unsigned sum = w[padded(SORT_ITEMS - 1)];
    w[padded(SORT_ITEMS)] = sum;
    w[padded(SORT_ITEMS - 1)] = 0;
  }
  for (int d = 1; d <= blockDim.x; d *= 2) {
    stride >>= 1;
    __syncthreads();
    if (t < d) {
      int i = 2 * stride * t, a = i + stride - 1, b = a + stride;
      unsigned x = w[padded(a)];
      w[padded(a)] = w[padded(b)];
      w[padded(b)] += x;
    }
  }
  __syncthreads();
  unsigned x = w[padded(2 * t)];
  w[padded(2 * t)] = w[padded(2 * t + 1)];
  w[padded(2 * t + 1)] += x;
  x = w[padded(2 * (blockDim.x + t))];
  w[padded(2 * (blockDim.x + t))] = w[padded(2 * (blockDim.x + t) + 1)];
  w[padded(2 * (blockDim.x + t) + 1)] += x;
  __syncthreads();
}

static __device__ unsigned digit_of(unsigned key, int pass) { return (key & ((1u << DIGIT * (pass + 1)) - 1)) >> DIGIT * pass; }

// Sorts each block of pairs by one digit, bit by bit, in place, and counts the digits.
extern "C" __global__ void grid_split(int count, int pass, unsigned *keys, unsigned *values, unsigned *histogram) {
  __shared__ unsigned words[SORT_ITEMS + 81], digits[RADIX];
  int t = threadIdx.x, first = 4 * (blockIdx.x * blockDim.x + t);
  uint4 key = make_uint4(~0u, ~0u, ~0u, ~0u), value = key;
  if (first < count) {
    key = *(uint4 *)(keys + first);
    value = *(uint4 *)(values + first);
  }
  if (t < RADIX) digits[t] = 0;
  __syncthreads();
  atomicAdd(digits + digit_of(key.x, pass), 1u);
  atomicAdd(digits + digit_of(key.y, pass), 1u);
  atomicAdd(digits + digit_of(key.z, pass), 1u);
  atomicAdd(digits + digit_of(key.w, pass), 1u);
  uint4 at = make_uint4(4 * t, 4 * t + 1, 4 * t + 2, 4 * t + 3);
  for (int bit = DIGIT * pass; bit < DIGIT * (pass + 1); bit++) {
    unsigned x = key.x >> bit & 1, y = key.y >> bit & 1, z = key.z >> bit & 1, w = key.w >> bit & 1;
    words[padded(at.x)] = 1u << 16 * x;
    words[padded(at.y)] = 1u << 16 * y;
    words[padded(at.z)] = 1u << 16 * z;
    words[padded(at.w)] = 1u << 16 * w;
    scan_items(words);
    at.x = (words[padded(at.x)] >> 16 * x & 0xffff) + (x ? words[padded(SORT_ITEMS)] & 0xffff : 0);
    at.y = (words[padded(at.y)] >> 16 * y & 0xffff) + (y ? words[padded(SORT_ITEMS)] & 0xffff : 0);
    at.z = (words[padded(at.z)] >> 16 * z & 0xffff) + (z ? words[padded(SORT_ITEMS)] & 0xffff : 0);
    at.w = (words[padded(at.w)] >> 16 * w & 0xffff) + (w ? words[padded(SORT_ITEMS)] & 0xffff : 0);
    __syncthreads();
  }
  int base = blockIdx.x * SORT_ITEMS;
  if (first < count) {
    keys[base + at.x] = key.x;
    keys[base + at.y] = key.y;
    keys[base + at.z] = key.z;
    keys[base + at.w] = key.w;
    values[base + at.x] = value.x;
    values[base + at.y] = value.y;
    values[base + at.z] = value.z;
    values[base + at.w] = value.w;
  }
  if (t < RADIX) histogram[gridDim.x * t + blockIdx.x] = digits[t];
}

// Moves the pairs of each block to where their digits go, in their order.
extern "C" __global__ void grid_move(int count, int pass, unsigned *keys, unsigned *values, unsigned *to_keys, unsigned *to_values,
                                     unsigned *histogram) {
  __shared__ uint4 groups[RADIX / 4 + 1 + SORT_ITEMS / 4]; // starts, a digit that there is not, digits
  unsigned *starts = (unsigned *)groups;
  int t = threadIdx.x, first = 4 * (blockIdx.x * blockDim.x + t);
  if (t < RADIX) starts[t] = histogram[gridDim.x * t + blockIdx.x];
  uint4 key = make_uint4(~0u, ~0u, ~0u, ~0u), value = key, at;
  if (first < count) {
    key = *(uint4 *)(keys + first);
    value = *(uint4 *)(values + first);
  }
  uint4 digit = make_uint4(digit_of(key.x, pass), digit_of(key.y, pass), digit_of(key.z, pass), digit_of(key.w, pass));
  groups[RADIX / 4 + 1 + t] = digit;
  if (t == 0) groups[RADIX / 4].w = RADIX;
  __syncthreads();
  at = make_uint4(starts[digit.x], starts[digit.y], starts[digit.z], starts[digit.w]);
#pragma unroll 4
  for (int i = RADIX + 4 + 4 * t - 1; starts[i] == digit.x; i--) at.x++;
  if (digit.y == digit.x) at.y = at.x + 1;
  if (digit.z == digit.y) at.z = at.y + 1;
  if (digit.w == digit.z) at.w = at.z + 1;
  if (first < count) {
    to_keys[at.x] = key.x;
    to_keys[at.y] = key.y;
    to_keys[at.z] = key.z;
    to_keys[at.w] = key.w;
    to_values[at.x] = value.x;
    to_values[at.y] = value.y;
    to_values[at.z] = value.z;
    to_values[at.w] = value.w;
  }
}

// One step of a scan of items that lie in pairs: up, a sum goes to the second; down, the second gets both and the first what it was.
static __device__ void step_up(unsigned *w, int stride) {
  int a = padded(stride * (2 * threadIdx.x + 1) - 1), b = padded(stride * (2 * threadIdx.x + 2) - 1);
  w[b] += w[a];
}

static __device__ void step_down(unsigned *w, int stride) {
  int a = padded(stride * (2 * threadIdx.x + 1) - 1), b = padded(stride * (2 * threadIdx.x + 2) - 1);
  unsigned x = w[a];
  w[a] = w[b];
  w[b] += x;
}

// Scans 1,024 words a block in place and notes their sum.
extern "C" __global__ void grid_scan_blocks(unsigned count, unsigned *data, unsigned *sums) {
  __shared__ unsigned w[SCAN_ITEMS + 68];
  unsigned t = threadIdx.x, first = blockIdx.x * SCAN_ITEMS + t, second = first + SCAN_THREADS, stride = 1;
  unsigned *low = data + first, *high = data + second, *own_low = w + padded(t), *own_high = w + padded(t + SCAN_THREADS);
  bool low_there = first < count, high_there = second < count;
  *own_low = low_there ? *low : 0;
  *own_high = high_there ? *high : 0;
  for (unsigned d = blockDim.x; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) step_up(w, stride);
    stride *= 2;
  }
  if (t == 0) {
    sums[blockIdx.x] = w[padded(SCAN_ITEMS - 1)];
    w[padded(SCAN_ITEMS - 1)] = 0;
  }
  for (unsigned d = 1; d <= blockDim.x; d *= 2) {
    stride >>= 1;
    __syncthreads();
    if (t < d) step_down(w, stride);
  }
  __syncthreads();
  if (low_there) *low = *own_low;
  if (high_there) *high = *own_high;
}

// The scan of these sums, in place, in two halves; neighbours are `apart` words from each other. The host clears the last sum between them.
extern "C" __global__ void grid_scan_up(unsigned *sums, int apart) {
  extern __shared__ unsigned words[];
  int t = threadIdx.x, at = 2 * apart * (blockIdx.x * blockDim.x + t), stride = 1;
  words[padded(2 * t)] = sums[at + apart - 1];
  words[padded(2 * t + 1)] = sums[at + 2 * apart - 1];
  for (int d = blockDim.x; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) step_up(words, stride);
    stride *= 2;
  }
  __syncthreads();
  sums[at + apart - 1] = words[padded(2 * t)];
  sums[at + 2 * apart - 1] = words[padded(2 * t + 1)];
}

extern "C" __global__ void grid_scan_down(unsigned *sums, int apart) {
  extern __shared__ unsigned words[];
  int t = threadIdx.x, at = 2 * apart * (blockIdx.x * blockDim.x + t), stride = 2 * blockDim.x;
  words[padded(2 * t)] = sums[at + apart - 1];
  words[padded(2 * t + 1)] = sums[at + 2 * apart - 1];
  for (int d = 1; d <= blockDim.x; d *= 2) {
    stride >>= 1;
    __syncthreads();
    if (t < d) step_down(words, stride);
  }
  __syncthreads();
  sums[at + apart - 1] = words[padded(2 * t)];
  sums[at + 2 * apart - 1] = words[padded(2 * t + 1)];
}

// Adds to each block's words what comes before them.
extern "C" __global__ void grid_scan_add(int count, unsigned *data, unsigned *sums) {
  __shared__ unsigned before;
  int first = blockIdx.x * SCAN_ITEMS + threadIdx.x, second = first + SCAN_THREADS;
  if (threadIdx.x == 0) before = sums[blockIdx.x];
  __syncthreads();
  if (first < count) data[first] += before;
  if (second < count) data[second] += before;
}

// Puts the samples into the order of the sort, as pairs and quadruples of floats.
extern "C" __global__ void grid_reorder(int count, unsigned *values, struct sample *samples, float2 *data, float4 *places) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  struct sample s = samples[values[i]];
  data[i] = make_float2(s.real, s.imag);
  places[i] = make_float4(s.x, s.y, s.z, s.density);
}

// The modified Bessel function I0 of the square root of z, within 3 % up to 800.
static __device__ float kaiser(float z) {
  float p = 4.0330046e-31f;
  p = p * z - 5.8401989e-28f;
  p = p * z + 8.1614203e-25f;
  p = p * z - 4.9410473e-22f;
  p = p * z + 3.1515303e-19f;
  p = p * z - 8.961802e-17f;
  p = p * z + 3.3993747e-14f;
  p = p * z - 3.7994912e-12f;
  p = p * z + 1.113159e-9f;
  p = p * z - 1.3937443e-8f;
  p = p * z + 1.0398075e-5f;
  p = p * z + 2.4787537e-4f;
  p = p * z + 0.018271764f;
  p = p * z + 0.22518712f;
  p = p * z + 1.0286102f;
  float q = ((-2.1245624e-10f * z + 1.014258e-6f) * z - 0.0016985741f) * z + 1.0f;
  return __fdividef(p, q);
}

struct cell {
  float real, imag, hits;
};

// Adds a sample at a square distance to a cell.
static __device__ void gather(struct cell *c, float distance, float real, float imag, float density, float beta) {
  if (distance < cutoff2) {
    float u = beta * sqrtf(1.0f - distance * inverse_cutoff2), w = kaiser(u * u) * density;
    c->real += w * real;
    c->imag += w * imag;
    c->hits += 1.0f;
  }
}

// A block has 8 x 4 x 8 cells, a thread four of them above each other; samples around come in rows of cells, 64 at a time.
extern "C" __global__ void grid_gather(float2 *data, float4 *places, unsigned *bins, float2 *sums, float *hits, float beta) {
  __shared__ float real[TILE], imag[TILE], sx[TILE], sy[TILE], sz[TILE], density[TILE];
  int flat = (threadIdx.z * CELLS_Y + threadIdx.y) * CELLS_X + threadIdx.x, rows = size_y / CELLS_Y;
  int z0 = CELLS_Z * (blockIdx.y / rows), y0 = CELLS_Y * (blockIdx.y % rows), x0 = CELLS_X * blockIdx.x;
  int x = x0 + threadIdx.x, y = y0 + threadIdx.y, z = z0 + threadIdx.z;
  int x_low = max(0, x0 - (int)ceilf(cutoff)), x_high = min(size_x - 1, (int)(x0 + CELLS_X + cutoff));
  int y_low = max(0, y0 - (int)ceilf(cutoff)), y_high = min(size_y - 1, (int)(y0 + CELLS_Y + cutoff));
  int z_low = max(0, z0 - (int)ceilf(cutoff)), z_high = min(size_z - 1, (int)(z0 + CELLS_Z + cutoff));
  struct cell c0 = {0}, c1 = {0}, c2 = {0}, c3 = {0};
  for (int bz = z_low; bz <= z_high; bz++)
    for (int by = y_low; by <= y_high; by++) {
      int row = bz * size_xy + by * size_x, start = bins[row + x_low], end = bins[row + x_high + 1];
      for (int from = start; from < end; from += TILE) {
        int many = min(TILE, end - from);
        __syncthreads();
        if (flat < many) {
          float2 d = data[from + flat];
          float4 p = places[from + flat];
          real[flat] = d.x;
          imag[flat] = d.y;
          sx[flat] = p.x;
          sy[flat] = p.y;
          sz[flat] = p.z;
          density[flat] = p.w;
        }
        __syncthreads();
#pragma unroll 1
        for (int j = 0; j < many; j++) {
          float re = real[j], im = imag[j], d = density[j];
          if ((re != 0.0f || im != 0.0f) && d != 0.0f) {
            float dx = sx[j] - x, dy = sy[j] - y, up = sz[j] - z, flat2 = dx * dx + dy * dy;
            gather(&c0, flat2 + up * up, re, im, d, beta);
            up = sz[j] - (z + LAYERS);
            gather(&c1, flat2 + up * up, re, im, d, beta);
            up = sz[j] - (z + 2 * LAYERS);
            gather(&c2, flat2 + up * up, re, im, d, beta);
            up = sz[j] - (z + 3 * LAYERS);
            gather(&c3, flat2 + up * up, re, im, d, beta);
          }
        }
      }
    }
  int at = z * size_xy + y * size_x + x;
  sums[at] = make_float2(c0.real, c0.imag);
  hits[at] = c0.hits;
  sums[at + LAYERS * size_xy] = make_float2(c1.real, c1.imag);
  hits[at + LAYERS * size_xy] = c1.hits;
  sums[at + 2 * LAYERS * size_xy] = make_float2(c2.real, c2.imag);
  hits[at + 2 * LAYERS * size_xy] = c2.hits;
  sums[at + 3 * LAYERS * size_xy] = make_float2(c3.real, c3.imag);
  hits[at + 3 * LAYERS * size_xy] = c3.hits;
}
