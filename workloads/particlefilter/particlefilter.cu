// A particle filter that follows one object through a noisy video. Per frame: move and weigh the particles,
// add up the weights, normalise them, build their cumulative distribution, and draw the next generation by a
// search in it. The video is stored with the frame as fastest index, one byte a pixel.

// Keeps the exponential of the best match within the range of a float.
#define SCALE 300.0f

static __device__ float uniform(int *seed, int i) {
  unsigned next = (1103515245u * (unsigned)seed[i] + 12345u) & 0x7fffffffu;
  seed[i] = (int)next;
  return ((float)next + 1.0f) / 2147483648.0f;
}

static __device__ float normal(int *seed, int i) {
  float u = uniform(seed, i), v = uniform(seed, i);
  return sqrtf(-2.0f * logf(u)) * cosf(6.2831853f * v);
}

// Moves each particle and weighs it by the pixels under the object's disc. `place` keeps the pixel numbers of
// each particle, particle-major.
extern "C" __global__ void pf_likelihood(float *x, float *y, const float *old_x, const float *old_y,
                                         const int *disc, int disc_points, int *place,
                                         const unsigned char *video, float *weight, float *partial, int *seed,
                                         int particles, int frame, int height, int frames, int pixels) {
  __shared__ float sums[512];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float own = 0.0f;
  if (i < particles) {
    x[i] = old_x[i] + 1.0f + 5.0f * normal(seed, i);
    y[i] = old_y[i] - 2.0f + 2.0f * normal(seed, i);
#pragma unroll 1
    for (int p = 0; p < disc_points; p++) {
      int px = (int)roundf(x[i]) + disc[2 * p + 1], py = (int)roundf(y[i]) + disc[2 * p];
      int at = abs(px * height * frames + py * frames + frame);
      place[i * disc_points + p] = at < pixels ? at : 0;
    }
    float sum = 0.0f;
#pragma unroll 1
    for (int p = 0; p < disc_points; p++) {
      float v = (float)video[place[i * disc_points + p]];
      sum += ((v - 100.0f) * (v - 100.0f) - (v - 228.0f) * (v - 228.0f)) / 50.0f;
    }
    own = expf(sum / (float)disc_points - SCALE) / (float)particles;
    weight[i] = own;
  }
  sums[threadIdx.x] = own;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = sums[0];
}

// One thread adds the sums of the blocks.
extern "C" __global__ void pf_sum(float *partial, int blocks) {
  if (threadIdx.x != 0) return;
  float sum = 0.0f;
  for (int b = 0; b < blocks; b++) sum += partial[b];
  partial[0] = sum;
}

extern "C" __global__ void pf_normalize(float *weight, const float *partial, int particles) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < particles) weight[i] = weight[i] / partial[0];
}

// One thread makes the cumulative distribution; all make the evenly spaced points at which it is searched.
extern "C" __global__ void pf_cumulate(const float *weight, float *distribution, float *u, int *seed,
                                       int particles) {
  __shared__ float first;
  if (threadIdx.x == 0) {
    first = uniform(seed, 0) / (float)particles;
    float sum = 0.0f;
#pragma unroll 1
    for (int i = 0; i < particles; i++) {
      sum += weight[i];
      distribution[i] = sum;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < particles; i += blockDim.x) u[i] = first + (float)i / (float)particles;
}

// Each thread searches the distribution from its start and copies the particle it finds.
extern "C" __global__ void pf_find_index(const float *x, const float *y, const float *distribution,
                                         const float *u, float *next_x, float *next_y, int particles) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= particles) return;
  int index = particles - 1;
  float point = u[i];
#pragma unroll 1
  for (int k = 0; k < particles; k++) {
    if (distribution[k] >= point) {
      index = k;
      break;
    }
  }
  next_x[i] = x[index];
  next_y[i] = y[index];
}
