// Merge sort of numbers with values attached: tiles are sorted in shared memory, then pairs of sorted runs
// are merged, each run twice as long as before. Every 128th number of both runs is looked up in the other run; the places found
// cut the pair into intervals of at most 128 numbers from either run, which a block merges in shared memory.

typedef unsigned u32;

enum { TILE = 1024, SAMPLE = 128 };

// The first power of two that is not less than `length`.
static __device__ u32 search_stride(u32 length) { return 1u << (32 - __clz(length - 1)); }

// How many of the sorted data[0 .. length) come before `value`: those less, or also those equal to it.
template <bool equal> static __device__ u32 search(u32 value, u32 *data, u32 length, u32 stride) {
  if (length == 0) return 0;
  u32 at = 0;
  for (; stride > 0; stride >>= 1) {
    u32 next = min(at + stride, length);
    if (equal ? data[next - 1] <= value : data[next - 1] < value) at = next;
  }
  return at;
}

// Sorts each tile by merging runs of 1, 2, 4 .. in shared memory, two numbers a thread.
extern "C" __global__ void ms_tiles(u32 *out_keys, u32 *out_values, u32 *keys, u32 *values, u32 length) {
  __shared__ u32 key[TILE], value[TILE];
  u32 at = blockIdx.x * TILE + threadIdx.x;
  keys += at;
  values += at;
  out_keys += at;
  out_values += at;
  key[threadIdx.x] = keys[0];
  value[threadIdx.x] = values[0];
  key[threadIdx.x + TILE / 2] = keys[TILE / 2];
  value[threadIdx.x + TILE / 2] = values[TILE / 2];
#pragma unroll 1
  for (u32 run = 1; run < length; run *= 2) {
    u32 l = threadIdx.x & (run - 1);
    u32 *base_key = key + 2 * (threadIdx.x - l), *base_value = value + 2 * (threadIdx.x - l);
    __syncthreads();
    u32 key_a = base_key[l], value_a = base_value[l], key_b = base_key[l + run], value_b = base_value[l + run];
    u32 place_a = search<false>(key_a, base_key + run, run, run) + l;
    u32 place_b = search<true>(key_b, base_key, run, run) + l;
    __syncthreads();
    base_key[place_a] = key_a;
    base_value[place_a] = value_a;
    base_key[place_b] = key_b;
    base_value[place_b] = value_b;
  }
  __syncthreads();
  out_keys[0] = key[threadIdx.x];
  out_values[0] = value[threadIdx.x];
  out_keys[TILE / 2] = key[threadIdx.x + TILE / 2];
  out_values[TILE / 2] = value[threadIdx.x + TILE / 2];
}

// Where the samples of the first run of a pair lie in its second run, and the other way round.
extern "C" __global__ void ms_sample_ranks(u32 *ranks_a, u32 *ranks_b, u32 *keys, u32 run, u32 count, u32 threads) {
  u32 at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= threads) return;
  u32 i = at & (run / SAMPLE - 1), segment = (at - i) * (2 * SAMPLE);
  keys += segment;
  ranks_a += segment / SAMPLE;
  ranks_b += segment / SAMPLE;
  u32 length_a = run, length_b = min(run, count - segment - run);
  u32 samples_a = (length_a + SAMPLE - 1) / SAMPLE, samples_b = (length_b + SAMPLE - 1) / SAMPLE;
  if (i < samples_a) {
    ranks_a[i] = i * SAMPLE;
    ranks_b[i] = search<false>(keys[i * SAMPLE], keys + run, length_b, search_stride(length_b));
  }
  if (i < samples_b) {
    ranks_b[run / SAMPLE + i] = i * SAMPLE;
    ranks_a[run / SAMPLE + i] = search<true>(keys[run + i * SAMPLE], keys, length_a, search_stride(length_a));
  }
}

// Merges the samples' own places with the places found, so that they ascend: the limits of the intervals.
extern "C" __global__ void ms_merge_ranks(u32 *limits, u32 *ranks, u32 run, u32 count, u32 threads) {
  u32 at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= threads) return;
  u32 i = at & (run / SAMPLE - 1), segment = (at - i) * (2 * SAMPLE);
  ranks += (at - i) * 2;
  limits += (at - i) * 2;
  u32 length_a = run, length_b = min(run, count - segment - run);
  u32 samples_a = (length_a + SAMPLE - 1) / SAMPLE, samples_b = (length_b + SAMPLE - 1) / SAMPLE;
  if (i < samples_a) {
    u32 place = search<false>(ranks[i], ranks + samples_a, samples_b, search_stride(samples_b)) + i;
    limits[place] = ranks[i];
  }
  if (i < samples_b) {
    u32 place = search<true>(ranks[samples_a + i], ranks, samples_a, search_stride(samples_a)) + i;
    limits[place] = ranks[samples_a + i];
  }
}

// Merges one interval.
extern "C" __global__ void ms_merge(u32 *out_keys, u32 *out_values, u32 *keys, u32 *values, u32 *limits_a, u32 *limits_b,
                                    u32 run, u32 count) {
  __shared__ u32 key[2 * SAMPLE], value[2 * SAMPLE], start_a, start_b, start_out, length_a, length_b;
  u32 t = threadIdx.x, interval = blockIdx.x & (2 * run / SAMPLE - 1), segment = (blockIdx.x - interval) * SAMPLE;
  keys += segment;
  values += segment;
  out_keys += segment;
  out_values += segment;
  if (t == 0) {
    u32 all_a = run, all_b = min(run, count - segment - run);
    u32 intervals = (all_a + SAMPLE - 1) / SAMPLE + (all_b + SAMPLE - 1) / SAMPLE;
    start_a = limits_a[blockIdx.x];
    start_b = limits_b[blockIdx.x];
    u32 end_a = interval + 1 < intervals ? limits_a[blockIdx.x + 1] : all_a;
    u32 end_b = interval + 1 < intervals ? limits_b[blockIdx.x + 1] : all_b;
    length_a = end_a - start_a;
    length_b = end_b - start_b;
    start_out = start_a + start_b;
  }
  __syncthreads();
  u32 key_a, value_a, place_a, key_b, value_b, place_b;
  if (t < length_a) {
    key[t] = key_a = keys[start_a + t];
    value[t] = value_a = values[start_a + t];
  }
  if (t < length_b) {
    key[SAMPLE + t] = key_b = keys[run + start_b + t];
    value[SAMPLE + t] = value_b = values[run + start_b + t];
  }
  __syncthreads();
  if (t < length_a) {
    place_a = search<false>(key_a, key + SAMPLE, length_b, SAMPLE) + t;
  }
  if (t < length_b) {
    place_b = search<true>(key_b, key, length_a, SAMPLE) + t;
  }
  __syncthreads();
  if (t < length_a) {
    key[place_a] = key_a;
    value[place_a] = value_a;
  }
  if (t < length_b) {
    key[place_b] = key_b;
    value[place_b] = value_b;
  }
  __syncthreads();
  if (t < length_a) {
    out_keys[start_out + t] = key[t];
    out_values[start_out + t] = value[t];
  }
  if (t < length_b) {
    out_keys[start_out + length_a + t] = key[length_a + t];
    out_values[start_out + length_a + t] = value[length_a + t];
  }
}
