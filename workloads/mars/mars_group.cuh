// Sorting and grouping for the map-reduce workloads: a bitonic network over the records, whose keys are reached through their
// places; then values and keys are moved into the new order, and the groups of equal keys are found.
//
// The workload says how two keys compare: mars_order(a, b) is 1, -1 or 0. A record without a key (place -1) sorts first.
//
// Kernels stand in the library's order: in those of one wave it matters where a line of instructions ends. The library has other and larger
// kernels before mars_pad; MARS_APART is how many moves bring it, and what follows, to the place in a line that it has there.

static __device__ int mars_order(const char *a, const char *b);

// The place of a thread in a launch over a span of places that begins at `base`.
static __device__ int mars_place(int base) {
  int thread = threadIdx.y * blockDim.x + threadIdx.x, block = blockIdx.y * gridDim.x + blockIdx.x;
  return block * blockDim.x + thread + base;
}

static __device__ int mars_compare(const char *keys, int4 a, int4 b) {
  if (a.x == -1 || b.x == -1) {
    if (a.x == b.x) return 0;
    return a.x == -1 ? -1 : 1;
  }
  return mars_order(keys + a.x, keys + b.x);
}

// One step of the network: a thread a record, of each pair the lower one compares and swaps.
#ifndef MARS_SORT_STEP
#define MARS_SORT_STEP // attributes of the kernel
#endif
extern "C" __global__ void MARS_SORT_STEP mars_sort_step(int4 *records, const char *keys, int width, int stride) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, partner = i ^ stride;
  if (partner <= i) return;
  int4 a = records[i], b = records[partner];
  if ((i & width) == 0) {
    if (mars_compare(keys, a, b) == 1) {
      records[i] = b;
      records[partner] = a;
    }
  } else {
    if (mars_compare(keys, a, b) == -1) {
      records[i] = b;
      records[partner] = a;
    }
  }
}

enum { MARS_TILE = 256 };

// The same step on a tile of records in shared memory; `place` is the record's place among all.
static __device__ void mars_tile_step(int4 *tile, const char *keys, int place, int width, int stride) {
  int t = threadIdx.x, partner = t ^ stride;
  __syncthreads();
  if (partner <= t) return;
  int wrong = (place & width) == 0 ? 1 : -1;
  int4 a = tile[t], b = tile[partner];
  if (mars_compare(keys, a, b) != wrong) return;
  tile[t] = b;
  tile[partner] = a;
}

// Sorts each tile from `base` on, every second one the other way round.
extern "C" __global__ void mars_sort_tile(int4 *records, const char *keys, int base) {
  __shared__ int4 tile[MARS_TILE];
  int t = threadIdx.x, place = base + blockIdx.x * MARS_TILE + t;
  tile[t] = records[place];
#pragma unroll 1
  for (int width = 2; width <= MARS_TILE; width *= 2)
#pragma unroll 1
    for (int stride = width / 2; stride > 0; stride /= 2) mars_tile_step(tile, keys, place, width, stride);
  __syncthreads();
  records[place] = tile[t];
}

// The steps of one width whose pairs lie within a tile.
extern "C" __global__ void mars_sort_tail(int4 *records, const char *keys, int width, int base) {
  __shared__ int4 tile[MARS_TILE];
  int t = threadIdx.x, place = base + blockIdx.x * MARS_TILE + t;
  tile[t] = records[place];
#pragma unroll 1
  for (int stride = MARS_TILE / 2; stride > 0; stride /= 2) mars_tile_step(tile, keys, place, width, stride);
  __syncthreads();
  records[place] = tile[t];
}

#ifdef MARS_APART
// Never launched.
extern "C" __global__ void mars_apart() {
  int nothing = 0;
#pragma unroll
  for (int i = 0; i < MARS_APART; i++) asm volatile("mov.u32 %0, 0;" : "=r"(nothing));
}
#endif

// Fills all places with one record, of no key.
extern "C" __global__ void mars_pad(int4 *records, int key, int key_bytes, int value, int value_bytes, int places, int base) {
  int p = mars_place(base);
  if (p < places) records[p] = make_int4(key, key_bytes, value, value_bytes);
}

// ---- values and keys in the new order; a span is a place and a number of bytes ----

extern "C" __global__ void mars_span_sizes(int2 *spans, int *sizes, int count, int base) {
  int p = mars_place(base);
  if (p < count) sizes[p] = spans[p].y;
}

extern "C" __global__ void mars_key_spans(int4 *records, int2 *spans, int count, int base) {
  int p = mars_place(base);
  if (p >= count) return;
  int4 record = records[p];
  spans[p] = make_int2(record.x, record.y);
}

extern "C" __global__ void mars_value_spans(int4 *records, int2 *spans, int count, int base) {
  int p = mars_place(base);
  if (p >= count) return;
  int4 record = records[p];
  spans[p] = make_int2(record.z, record.w);
}

extern "C" __global__ void mars_key_places(int4 *records, int2 *spans, int count, int base) {
  int p = mars_place(base);
  if (p >= count) return;
  int2 span = spans[p];
  int4 record = records[p];
  record.x = span.x;
  record.y = span.y;
  records[p] = record;
}

extern "C" __global__ void mars_value_places(int4 *records, int2 *spans, int count, int base) {
  int p = mars_place(base);
  if (p >= count) return;
  int2 span = spans[p];
  int4 record = records[p];
  record.z = span.x;
  record.w = span.y;
  records[p] = record;
}

// Copies each span to its new place, which becomes the span's.
extern "C" __global__ void mars_move(char *from, char *to, int2 *spans, int *places, int count, int base) {
  int p = mars_place(base);
  if (p >= count) return;
  int2 span = spans[p];
  int place = places[p];
  char *source = from + span.x, *target = to + place;
  for (int i = 0; i < span.y; i++) target[i] = source[i];
  spans[p] = make_int2(place, span.y);
}

// ---- groups ----

// 1 where a record's key differs from the one before it.
extern "C" __global__ void mars_mark(int4 *records, const char *keys, int *marks, int count, int base) {
  int p = mars_place(base);
  if (p >= count) return;
  if (p == 0) {
    marks[0] = 1;
    return;
  }
  int own = records[p].x, before = records[p - 1].x;
  asm volatile("" : "+r"(own), "+r"(before)); // both are loaded before either is used
  marks[p] = mars_order(keys + own, keys + before) != 0;
}

// First and last + 1 record of each group; from the starts that mars_starts finds.
extern "C" __global__ void mars_ranges(int *starts, int2 *ranges, int groups, int count, int base) {
  int p = mars_place(base);
  if (p >= groups) return;
  int first = starts[p], next = p + 1, end = count;
  if (next != groups) end = starts[next];
  ranges[p] = make_int2(first, end);
}

// The first record of each group; `numbers` is the prefix sum of the marks.
extern "C" __global__ void mars_starts(int *marks, int *numbers, int *starts, int count, int base) {
  int p = mars_place(base);
  if (p >= count) return;
  if (marks[p] == 1) starts[numbers[p]] = p;
}
