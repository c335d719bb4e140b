// A particle filter that follows one object through a noisy video, in double precision. Per frame: move and weigh the
// particles, add up the weights, normalise them and make their cumulative distribution, and draw the next generation by a
// search in it. The video is stored with the frame as fastest index, one byte a pixel. Pointers are not promised to be apart,
// so what was stored is read again.

enum { THREADS = 512 };

static __device__ double uniform(int *seed, int i) {
  int next = 1103515245 * seed[i] + 12345;
  seed[i] = next % 2147483647;
  return fabs(seed[i] / (double)2147483647);
}

static __device__ double normal(int *seed, int i) {
  double u = uniform(seed, i), v = uniform(seed, i);
  return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

// Pixels lie on whole numbers: a position is cut off.
static __device__ double pixel_of(double position) { return (double)(int)position; }

// How much brighter the pixels under the disc are than the background, by squared distances from both levels.
static __device__ double contrast(unsigned char *video, int *place, int points) {
  double sum = 0;
#pragma unroll 4
  for (int p = 0; p < points; p++)
    sum += (pow((double)(video[place[p]] - 100), 2) - pow((double)(video[place[p]] - 228), 2)) / 50.0;
  return sum;
}

// Moves each particle and weighs it by the pixels under the object's disc. `place` keeps the pixel numbers of
// each particle, particle-major.
extern "C" __global__ void pf_likelihood(double *x, double *y, double *old_x, double *old_y, int *disc, int points, int *place,
                                         unsigned char *video, double *likelihood, double *weight, double *partial, int *seed,
                                         int particles, int frame, int height, int frames, int pixels) {
  __shared__ double sums[THREADS];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < particles) {
    x[i] = old_x[i];
    y[i] = old_y[i];
    weight[i] = 1 / (double)particles;
    x[i] = x[i] + 1.0 + 5.0 * normal(seed, i);
    y[i] = y[i] - 2.0 + 2.0 * normal(seed, i);
  }
  __syncthreads();
  if (i < particles) {
    for (int p = 0; p < points; p++) {
      int column = pixel_of(x[i]) + disc[2 * p + 1], row = pixel_of(y[i]) + disc[2 * p];
      place[i * points + p] = abs(column * height * frames + row * frames + frame);
      if (place[i * points + p] >= pixels) place[i * points + p] = 0;
    }
    likelihood[i] = contrast(video, place + i * points, points);
    likelihood[i] = likelihood[i] / points;
    weight[i] = weight[i] * exp(likelihood[i]);
  }
  sums[threadIdx.x] = 0.0;
  __syncthreads();
  if (i < particles) sums[threadIdx.x] = weight[i];
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = sums[0];
  __syncthreads();
}

// One thread of the grid adds the sums of the blocks.
extern "C" __global__ void pf_sum(double *partial, int particles) {
  if (blockIdx.x * blockDim.x + threadIdx.x != 0) return;
  int blocks = ceil((double)particles / (double)THREADS);
  double sum = 0;
  for (int b = 0; b < blocks; b++) sum += partial[b];
  partial[0] = sum;
}

// Divides the weights by their sum. Then the first thread alone makes the cumulative distribution of what is there and the first
// of the evenly spaced points at which it is searched; the other block does not wait for it.
extern "C" __global__ void pf_normalize(double *weight, int particles, double *partial, double *distribution, double *u, int *seed) {
  __shared__ double sum, first;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) sum = partial[0];
  __syncthreads();
  if (i < particles) weight[i] = weight[i] / sum;
  __syncthreads();
  if (i == 0) {
    distribution[0] = weight[0];
    for (int p = 1; p < particles; p++) distribution[p] = weight[p] + distribution[p - 1];
    u[0] = 1 / (double)particles * uniform(seed, i);
  }
  __syncthreads();
  if (threadIdx.x == 0) first = u[0];
  __syncthreads();
  if (i < particles) u[i] = first + i / (double)particles;
}

// Each thread searches the distribution from its start and copies the particle it finds.
extern "C" __global__ void pf_find_index(double *x, double *y, double *distribution, double *u, double *next_x, double *next_y,
                                         int particles) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < particles) {
    int index = -1;
#pragma unroll 1
    for (int k = 0; k < particles; k++) {
      if (distribution[k] >= u[i]) {
        index = k;
        break;
      }
    }
    if (index == -1) index = particles - 1;
    next_x[i] = x[index];
    next_y[i] = y[index];
  }
  __syncthreads();
}
