// Angular correlation of points on the sky: histograms of the angles between all pairs of points of the
// observed set, of each random set, and between the two. A block makes one histogram; bin borders are in
// constant memory.

enum { BINS = 20, THREADS = 256, COPIES = THREADS / 32 };

__constant__ float borders[BINS + 1]; // falling cosines

// Block 0 has observed x observed; blocks 1 .. sets random x random; the rest observed x random. Set 0 is the
// observed one. Coordinates are set after set, x, y and z of a set one after the other.
extern "C" __global__ void tpacf_histograms(const float *sky, int points, int sets, unsigned *histograms) {
  __shared__ unsigned counts[COPIES][BINS + 2];
  __shared__ float ox[THREADS], oy[THREADS], oz[THREADS];
  int t = threadIdx.x, b = blockIdx.x;
  int first = b <= sets ? b : 0, second = b <= sets ? b : b - sets;
  bool same = first == second;
  const float *one = sky + first * 3 * points, *two = sky + second * 3 * points;
  for (int i = t; i < COPIES * (BINS + 2); i += THREADS) counts[i / (BINS + 2)][i % (BINS + 2)] = 0;
  for (int from = 0; from < points; from += THREADS) {
    __syncthreads();
    if (from + t < points) {
      ox[t] = one[from + t];
      oy[t] = one[points + from + t];
      oz[t] = one[2 * points + from + t];
    }
    __syncthreads();
    int size = min((int)THREADS, points - from);
#pragma unroll 1
    for (int j = (same ? from : 0) + t; j < points; j += THREADS) {
      float x = two[j], y = two[points + j], z = two[2 * points + j];
#pragma unroll 1
      for (int i = 0; i < size; i++) {
        if (same && from + i >= j) break;
        float cosine = ox[i] * x + oy[i] * y + oz[i] * z;
        int low = 0, high = BINS + 1; // the bin is the number of borders that are larger
#pragma unroll 1
        while (low < high) {
          int middle = (low + high) / 2;
          if (cosine < borders[middle])
            low = middle + 1;
          else
            high = middle;
        }
        atomicAdd(&counts[t / 32][low], 1u);
      }
    }
  }
  __syncthreads();
  for (int i = t; i < BINS + 2; i += THREADS) {
    unsigned sum = 0;
    for (int c = 0; c < COPIES; c++) sum += counts[c][i];
    histograms[b * (BINS + 2) + i] = sum;
  }
}
