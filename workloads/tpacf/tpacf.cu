// Angular correlation of points on the sky: histograms of the angles between all pairs of points of the
// observed set, of each random set, and between the two. A block makes one histogram; bin borders are in
// constant memory.

enum { BINS = 20, THREADS = 256, COPIES = THREADS / 2 };

__constant__ float borders[BINS + 1]; // falling cosines

struct point {
  float x, y, z;
};

// Block 0 has observed x observed; blocks 1 .. sets random x random; the rest observed x random. Set 0 is the
// observed one. The sets lie one after the other in each coordinate's array. Two threads share a copy of the histogram.
extern "C" __global__ void tpacf_histograms(unsigned long long *histograms, float *all_x, float *all_y, float *all_z, int sets,
                                            int points) {
  __shared__ point tile[THREADS];
  __shared__ unsigned counts[BINS][COPIES];
  unsigned t = threadIdx.x, b = blockIdx.x;
  bool same = b <= (unsigned)sets;
  int first = same ? b : 0, second = same ? b : b - sets;
  for (unsigned i = t; i < BINS * COPIES; i += THREADS) counts[i / COPIES][i % COPIES] = 0;
  float *one_x = all_x + first * points, *one_y = all_y + first * points, *one_z = all_z + first * points;
  float *two_x = all_x + second * points, *two_y = all_y + second * points, *two_z = all_z + second * points;
  for (int i = 0; i < points; i += THREADS) {
    __syncthreads();
    if (t + i < points) {
      tile[t].x = one_x[t + i];
      tile[t].y = one_y[t + i];
      tile[t].z = one_z[t + i];
    }
    __syncthreads();
    float x = 0.0f, y = 0.0f, z = 0.0f; // a thread beyond the last point searches with the point that it had before, and counts nothing
#pragma unroll 1
    for (int j = same ? i + 1 : 0; j < points; j += THREADS) {
      if (t + j < points) {
        x = two_x[t + j];
        y = two_y[t + j];
        z = two_z[t + j];
      }
#pragma unroll 1
      for (int k = 0; k < THREADS && k + i < points; k++) {
        float dot = tile[k].x * x + tile[k].y * y + tile[k].z * z;
        unsigned low = 0, high = BINS;
#pragma unroll 1
        while (high > low + 1) {
          unsigned middle = (low + high) / 2;
          if (dot >= borders[middle])
            high = middle;
          else
            low = middle;
        }
        if (dot < borders[low] && dot >= borders[high] && (!same || t + j > i + k) && t + j < points)
          atomicAdd(&counts[high - 1][t / 2], 1u);
      }
    }
  }
  unsigned in_bin = t & (COPIES / 2 - 1);
  for (unsigned offset = COPIES / 2; offset > 0; offset /= 2) {
    for (unsigned from = 0; from < BINS; from += THREADS / (COPIES / 2)) {
      __syncthreads();
      unsigned bin = from + t / (COPIES / 2);
      if (in_bin < offset) counts[bin][in_bin] += counts[bin][in_bin + offset];
    }
  }
  __syncthreads();
  if (t < BINS) histograms[BINS * b + t] = counts[t][0];
}
