// Gridding of magnetic resonance samples: samples at arbitrary places of k-space are spread over a regular
// grid with a Kaiser-Bessel window. The samples are binned by cell (count, scan, reorder); then each block
// gathers, for a brick of 8 x 8 x 4 grid points, all samples of the bins that reach it.

enum { BX = 8, BY = 8, BZ = 4, BLOCK = BX * BY * BZ };

struct sample {
  float real, imaginary, x, y, z, density;
};

static __device__ int bin_of(const sample &s, int nx, int ny) {
  return ((int)s.z * ny + (int)s.y) * nx + (int)s.x;
}

// How many samples each bin has, and the rank of each sample within its bin.
extern "C" __global__ void grid_count(const sample *samples, int count, unsigned *bins, unsigned *rank,
                                      int nx, int ny) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) rank[i] = atomicAdd(&bins[bin_of(samples[i], nx, ny)], 1u);
}

// Exclusive sum over the bins by one block, a stretch of 512 at a time.
extern "C" __global__ void grid_scan(const unsigned *bins, unsigned *start, int count) {
  __shared__ unsigned sums[512];
  unsigned before = 0;
  for (int from = 0; from < count; from += 512) {
    int i = from + threadIdx.x;
    unsigned own = i < count ? bins[i] : 0;
    sums[threadIdx.x] = own;
    __syncthreads();
    for (int step = 1; step < 512; step *= 2) {
      unsigned add = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
      __syncthreads();
      sums[threadIdx.x] += add;
      __syncthreads();
    }
    if (i < count) start[i] = before + sums[threadIdx.x] - own;
    before += sums[511];
    __syncthreads();
  }
  if (threadIdx.x == 0) start[count] = before;
}

// Samples in the order of their bins.
extern "C" __global__ void grid_reorder(const sample *samples, int count, const unsigned *start,
                                        const unsigned *rank, sample *sorted, int nx, int ny) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  sample s = samples[i];
  sorted[start[bin_of(s, nx, ny)] + rank[i]] = s;
}

// Modified Bessel function of the first kind of order zero, by its power series.
static __device__ float bessel(float x) {
  float y = 0.25f * x * x, term = 1.0f, sum = 1.0f;
#pragma unroll
  for (int k = 1; k <= 8; k++) {
    term *= y * (1.0f / (float)(k * k));
    sum += term;
  }
  return sum;
}

// The density-corrected, windowed sum of the samples around each grid point.
extern "C" __global__ void grid_gather(const sample *samples, const unsigned *start, float2 *grid,
                                       float *density, int nx, int ny, int nz, float cutoff, float beta) {
  __shared__ float real[BLOCK], imaginary[BLOCK], sx[BLOCK], sy[BLOCK], sz[BLOCK], weight[BLOCK];
  int t = threadIdx.x;
  int x0 = blockIdx.x * BX, y0 = blockIdx.y * BY, z0 = blockIdx.z * BZ;
  float px = x0 + t % BX, py = y0 + t / BX % BY, pz = z0 + t / (BX * BY);
  int reach = (int)ceilf(cutoff);
  int low_x = max(x0 - reach, 0), high_x = min(x0 + BX - 1 + reach, nx - 1);
  float sum_real = 0.0f, sum_imaginary = 0.0f, sum_weight = 0.0f;
  float limit = cutoff * cutoff;
  for (int z = max(z0 - reach, 0); z <= min(z0 + BZ - 1 + reach, nz - 1); z++)
    for (int y = max(y0 - reach, 0); y <= min(y0 + BY - 1 + reach, ny - 1); y++) {
      int first = start[(z * ny + y) * nx + low_x], end = start[(z * ny + y) * nx + high_x + 1];
#pragma unroll 1
      for (int chunk = first; chunk < end; chunk += BLOCK) {
        int size = min(end - chunk, (int)BLOCK);
        if (t < size) {
          sample s = samples[chunk + t];
          real[t] = s.real;
          imaginary[t] = s.imaginary;
          sx[t] = s.x;
          sy[t] = s.y;
          sz[t] = s.z;
          weight[t] = s.density;
        }
        __syncthreads();
#pragma unroll 1
        for (int i = 0; i < size; i++) {
          float dx = sx[i] - px, dy = sy[i] - py, dz = sz[i] - pz;
          float squared = dx * dx + dy * dy + dz * dz;
          if (squared >= limit) continue;
          float window = bessel(beta * sqrtf(1.0f - squared / limit)) * weight[i];
          sum_real += window * real[i];
          sum_imaginary += window * imaginary[i];
          sum_weight += window;
        }
        __syncthreads();
      }
    }
  int at = ((int)pz * ny + (int)py) * nx + (int)px;
  grid[at] = make_float2(sum_real, sum_imaginary);
  density[at] = sum_weight;
}
