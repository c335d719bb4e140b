// Merge sort of numbers with values attached: tiles are sorted in shared memory, then pairs of sorted runs
// are merged, each run twice as long as before. A pair is cut into pieces of equal output along diagonals of
// the merge, so that each block merges two pieces that fit into shared memory.

enum { TILE = 1024, THREADS = 256, EACH = TILE / THREADS };

// How many of a[0 .. an) come before the first `diagonal` items of the merge of a and b.
static __device__ int merge_path(const unsigned *a, int an, const unsigned *b, int bn, int diagonal) {
  int low = max(0, diagonal - bn), high = min(diagonal, an);
#pragma unroll 1
  while (low < high) {
    int middle = (low + high) / 2;
    if (a[middle] <= b[diagonal - 1 - middle])
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Merges EACH items from the point (ai, bi) on into registers.
static __device__ void merge_some(const unsigned *key, const unsigned *value, int ai, int an, int bi, int bn,
                                  unsigned *keys, unsigned *values) {
  for (int k = 0; k < EACH; k++) {
    bool from_a = bi >= bn || (ai < an && key[ai] <= key[bi]);
    int at = from_a ? ai++ : bi++;
    keys[k] = key[at];
    values[k] = value[at];
  }
}

// Sorts each tile: every thread sorts four items, then runs within the tile are merged in shared memory.
extern "C" __global__ void ms_tiles(unsigned *keys, unsigned *values) {
  __shared__ unsigned key[TILE], value[TILE];
  unsigned k[EACH], v[EACH];
  int t = threadIdx.x, base = blockIdx.x * TILE;
  for (int i = 0; i < EACH; i++) {
    key[i * THREADS + t] = keys[base + i * THREADS + t];
    value[i * THREADS + t] = values[base + i * THREADS + t];
  }
  __syncthreads();
  for (int i = 0; i < EACH; i++) {
    k[i] = key[t * EACH + i];
    v[i] = value[t * EACH + i];
  }
#pragma unroll
  for (int i = 1; i < EACH; i++) {
#pragma unroll
    for (int j = i; j > 0; j--) {
      if (k[j - 1] <= k[j]) continue;
      unsigned swap = k[j];
      k[j] = k[j - 1];
      k[j - 1] = swap;
      swap = v[j];
      v[j] = v[j - 1];
      v[j - 1] = swap;
    }
  }
  for (int run = EACH; run <= TILE; run *= 2) {
    __syncthreads();
    for (int i = 0; i < EACH; i++) {
      key[t * EACH + i] = k[i];
      value[t * EACH + i] = v[i];
    }
    __syncthreads();
    if (run == TILE) break;
    int pair = t * EACH / (2 * run) * (2 * run), diagonal = t * EACH - pair;
    int a = merge_path(key + pair, run, key + pair + run, run, diagonal);
    merge_some(key, value, pair + a, pair + run, pair + run + diagonal - a, pair + 2 * run, k, v);
  }
  for (int i = 0; i < EACH; i++) {
    keys[base + i * THREADS + t] = key[i * THREADS + t];
    values[base + i * THREADS + t] = value[i * THREADS + t];
  }
}

// Where each block's piece of the output begins in the first run of its pair: a thread a piece.
extern "C" __global__ void ms_partition(const unsigned *keys, int count, int run, int *cuts) {
  int piece = blockIdx.x * blockDim.x + threadIdx.x;
  if (piece * TILE >= count) return;
  int pair = piece * TILE / (2 * run) * (2 * run);
  cuts[piece] = merge_path(keys + pair, run, keys + pair + run, run, piece * TILE - pair);
}

extern "C" __global__ void ms_merge(const unsigned *keys, const unsigned *values, const int *cuts, int run,
                                    unsigned *out_keys, unsigned *out_values) {
  __shared__ unsigned key[TILE], value[TILE];
  unsigned k[EACH], v[EACH];
  int t = threadIdx.x, base = blockIdx.x * TILE, pair = base / (2 * run) * (2 * run), diagonal = base - pair;
  int a = cuts[blockIdx.x], b = diagonal - a;
  bool last = diagonal + TILE == 2 * run;
  int an = (last ? run : cuts[blockIdx.x + 1]) - a, bn = TILE - an;
  for (int i = t; i < TILE; i += THREADS) {
    int from = i < an ? pair + a + i : pair + run + b + i - an;
    key[i] = keys[from];
    value[i] = values[from];
  }
  __syncthreads();
  int own = merge_path(key, an, key + an, bn, t * EACH);
  merge_some(key, value, own, an, an + t * EACH - own, TILE, k, v);
  __syncthreads();
  for (int i = 0; i < EACH; i++) {
    key[t * EACH + i] = k[i];
    value[t * EACH + i] = v[i];
  }
  __syncthreads();
  for (int i = t; i < TILE; i += THREADS) {
    out_keys[base + i] = key[i];
    out_values[base + i] = value[i];
  }
}
