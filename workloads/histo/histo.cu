// A saturating two-dimensional histogram in four steps: the span of bins in use, guessed from a sample of the image; for each
// pixel the place of its bin in the shared memory of a block; the count, a byte a bin, each slice of the bins by a row of blocks of
// its own; the sum of the partial counts, limited to a byte.

enum { SLICE_ROWS = 24, ROW_WORDS = 256, SLICE_WORDS = SLICE_ROWS * ROW_WORDS, SLICE_BINS = 4 * SLICE_WORDS };
enum { SAMPLERS = 512, LINES_A_THREAD = 16, PARTIALS = 14, BIN_WORDS = 256 * 4096 / 4, MOST = 255 };

// The lowest and the highest slice in use: ten deviations to both sides of the mean of each block's sample. A thread takes the mean
// and the deviation of its own pixels, the block those of its threads.
extern "C" __global__ void histo_prescan(const unsigned *input, int stride, int sampled, unsigned *span) {
  __shared__ float means[SAMPLERS], deviations[SAMPLERS];
  int t = threadIdx.x, start = blockIdx.x * stride + t, end = blockIdx.x * stride + sampled;
  float total = 0.0f, squares = 0.0f;
  int count = 0;
#pragma unroll 1
  for (int i = start; i < end; i += SAMPLERS) {
    total += input[i];
    count++;
  }
  float mean = total / count;
#pragma unroll 1
  for (int i = start; i < end; i += SAMPLERS) {
    float away = input[i] - mean;
    squares += away * away;
  }
  means[t] = mean;
  deviations[t] = sqrtf(squares / count);
  for (int half = SAMPLERS / 2; half >= 32; half /= 2) {
    __syncthreads();
    if (t < half) {
      means[t] += means[t + half];
      deviations[t] += deviations[t + half];
    }
  }
  for (int half = 16; half >= 2; half /= 2) {
    __syncwarp();
    if (t < half) {
      means[t] += means[t + half];
      deviations[t] += deviations[t + half];
    }
  }
  __syncwarp();
  if (t == 0) {
    float middle = (means[0] + means[1]) / SAMPLERS, reach = 10.0f * ((deviations[0] + deviations[1]) / SAMPLERS);
    atomicMin(&span[0], (unsigned)(middle - reach) / SLICE_BINS);
    atomicMax(&span[1], (unsigned)(middle + reach) / SLICE_BINS);
  }
}

// Where a bin is counted: slice, row and word of the slice, bit of the word.
static __device__ uchar4 place_of(unsigned bin) {
  return make_uchar4(bin / SLICE_BINS, (bin >> 10) % SLICE_ROWS, (bin >> 2) % ROW_WORDS, bin % 4 * 8);
}

static __device__ unsigned bin_at(uchar4 place) {
  return place.x * SLICE_BINS + place.y * 4 * ROW_WORDS + place.z * 4 + place.w / 8;
}

// Bins to places, two pixels a thread in each of the block's rows; the second pixels follow the first in the row.
extern "C" __global__ void histo_intermediates(const uint2 *input, int height, int width, int pairs, uchar4 *places) {
  int t = threadIdx.x, first = blockIdx.x * LINES_A_THREAD;
  input += first * pairs + t;
  places += first * width + t;
#pragma unroll
  for (int i = 0; i < LINES_A_THREAD; i++) {
    if (first + i >= height) return;
    uint2 bins = *input;
    places[0] = place_of(bins.x);
    if (t + (int)blockDim.x < width) places[blockDim.x] = place_of(bins.y);
    input += pairs;
    places += width;
  }
}

// Counts the pixels of slice low + blockIdx.y in shared memory and stores the counts as a partial histogram. What carries out of
// a byte is taken back and goes to `overflow`; pixels of slices that no block has are counted in `rest`, 16 bits a bin.
extern "C" __global__ void histo_main(const uchar4 *places, int count, unsigned low, unsigned high, unsigned *partials, unsigned *rest,
                                      unsigned *overflow) {
  __shared__ unsigned counters[SLICE_ROWS][ROW_WORDS];
  unsigned slice = low + blockIdx.y;
  for (int i = threadIdx.x; i < SLICE_WORDS; i += blockDim.x) counters[i / ROW_WORDS][i % ROW_WORDS] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    uchar4 at = places[i];
    if (at.x == slice) {
      unsigned before = atomicAdd(&counters[at.y][at.z], 1u << at.w);
      if ((before >> at.w & MOST) == MOST) {
        atomicAdd(&overflow[bin_at(at)], MOST + 1u);
        if (at.w < 24) atomicSub(&counters[at.y][at.z], 256u << at.w);
      }
    } else if (blockIdx.y == 0 && (at.x < low || at.x > high)) {
      unsigned bin = bin_at(at), shift = bin % 2 * 16;
      if ((rest[bin / 2] >> shift & 65535u) < MOST) atomicAdd(&rest[bin / 2], 1u << shift);
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < SLICE_WORDS; i += blockDim.x)
    partials[blockIdx.x * BIN_WORDS + slice * SLICE_WORDS + i] = counters[i / ROW_WORDS][i % ROW_WORDS];
}

static __device__ void finish_rest(ushort4 *rest, uchar4 *output, unsigned i) {
  ushort4 bins = rest[i];
  rest[i] = make_ushort4(0, 0, 0, 0);
  output[i] = make_uchar4(min(bins.x, MOST), min(bins.y, MOST), min(bins.z, MOST), min(bins.w, MOST));
}

// Four bins a thread at a time: below the span, in it, above it. What is counted is cleared for the next image.
extern "C" __global__ void histo_final(unsigned low, unsigned high, const unsigned *partials, ushort4 *rest, uint4 *overflow,
                                       uchar4 *output) {
  unsigned start = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  unsigned below = low * SLICE_WORDS, above = (high + 1) * SLICE_WORDS;
  for (unsigned i = start; i < below; i += step) finish_rest(rest, output, i);
  for (unsigned i = below + start; i < above; i += step) {
    uint4 sum = overflow[i];
    overflow[i] = make_uint4(0, 0, 0, 0);
    unsigned four[PARTIALS];
#pragma unroll
    for (int part = 0; part < PARTIALS; part++) four[part] = partials[part * BIN_WORDS + i];
#pragma unroll
    for (int part = 0; part < PARTIALS; part++) {
      sum.x += four[part] & MOST;
      sum.y += four[part] >> 8 & MOST;
      sum.z += four[part] >> 16 & MOST;
      sum.w += four[part] >> 24;
    }
    output[i] = make_uchar4(min(sum.x, MOST), min(sum.y, MOST), min(sum.z, MOST), min(sum.w, MOST));
  }
  for (unsigned i = above + start; i < BIN_WORDS; i += step) finish_rest(rest, output, i);
}
