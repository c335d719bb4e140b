// Layers of convolutional networks in single precision, straight from global memory: a thread an output
// value, no tiles, no shared memory. Tensors are stored map by map, weights by output map.

// One block a tile of one output map.
extern "C" __global__ void net_conv(const float *in, const float *weights, const float *bias, float *out,
                                    int maps, int height, int width, int kernel, int stride, int pad,
                                    int out_height, int out_width, int relu) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int map = blockIdx.z;
  if (x >= out_width || y >= out_height) return;
  float sum = bias[map];
  const float *weight = weights + (long)map * maps * kernel * kernel;
#pragma unroll 1
  for (int c = 0; c < maps; c++) {
#pragma unroll 1
    for (int ky = 0; ky < kernel; ky++, weight += kernel) {
      int row = y * stride + ky - pad, column = x * stride - pad;
      if (row < 0 || row >= height) continue;
      const float *line = in + ((long)c * height + row) * width + column;
#pragma unroll 1
      for (int kx = 0; kx < kernel; kx++)
        if ((unsigned)(column + kx) < (unsigned)width) sum += line[kx] * weight[kx];
    }
  }
  out[(map * out_height + y) * out_width + x] = relu ? fmaxf(sum, 0.0f) : sum;
}

extern "C" __global__ void net_pool(const float *in, float *out, int height, int width, int kernel, int stride,
                                    int pad, int out_height, int out_width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int map = blockIdx.z;
  if (x >= out_width || y >= out_height) return;
  float most = -3.40282347e+38f;
#pragma unroll 1
  for (int ky = 0; ky < kernel; ky++) {
#pragma unroll 1
    for (int kx = 0; kx < kernel; kx++) {
      int row = y * stride + ky - pad, column = x * stride + kx - pad;
      if (row < 0 || row >= height || column < 0 || column >= width) continue;
      most = fmaxf(most, in[(map * height + row) * width + column]);
    }
  }
  out[(map * out_height + y) * out_width + x] = most;
}

// Normalises each value by the squares of up to five neighbouring maps.
extern "C" __global__ void net_normalise(const float *in, float *out, int maps, int height, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int map = blockIdx.z, plane = height * width, at = y * width + x;
  if (x >= width || y >= height) return;
  float sum = 0.0f;
#pragma unroll 1
  for (int m = max(0, map - 2); m <= min(maps - 1, map + 2); m++) {
    float value = in[m * plane + at];
    sum += value * value;
  }
  out[map * plane + at] = in[map * plane + at] * powf(1.0f + 2e-5f * sum, -0.75f);
}

// A thread an output; neighbouring threads read weights that are `inputs` apart.
extern "C" __global__ void net_full(const float *in, const float *weights, const float *bias, float *out,
                                    int inputs, int outputs, int relu) {
  int o = blockIdx.x * blockDim.x + threadIdx.x;
  if (o >= outputs) return;
  float sum = bias[o];
#pragma unroll 1
  for (int i = 0; i < inputs; i++) sum += in[i] * weights[o * inputs + i];
  out[o] = relu ? fmaxf(sum, 0.0f) : sum;
}

extern "C" __global__ void net_add(const float *a, const float *b, float *out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = fmaxf(a[i] + b[i], 0.0f);
}

// Mean of each map: a thread a map.
extern "C" __global__ void net_mean(const float *in, float *out, int maps, int plane) {
  int map = blockIdx.x * blockDim.x + threadIdx.x;
  if (map >= maps) return;
  float sum = 0.0f;
#pragma unroll 1
  for (int i = 0; i < plane; i++) sum += in[map * plane + i];
  out[map] = sum / plane;
}
