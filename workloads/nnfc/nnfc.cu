// A small network that reads handwritten digits: two layers of maps that look at 5 x 5 windows, and two
// fully connected layers. A block a map of one image in the first two, a block of one thread a neuron of
// one image in the others. Weights of a neuron begin with its bias.

enum { IMAGE = 29, MAPS1 = 6, SIDE1 = 13, MAPS2 = 50, SIDE2 = 5, WINDOW = 5 };

static __device__ float activate(float x) { return 1.7159f * tanhf(0.66666667f * x); }

extern "C" __global__ void nn_layer1(const float *images, const float *weights, float *out) {
  int map = blockIdx.x, image = blockIdx.y, x = threadIdx.x, y = threadIdx.y;
  const float *w = weights + map * (1 + WINDOW * WINDOW);
  const float *in = images + image * IMAGE * IMAGE + 2 * y * IMAGE + 2 * x;
  float sum = w[0];
#pragma unroll 1
  for (int k = 0; k < WINDOW * WINDOW; k++) sum += w[1 + k] * in[k / WINDOW * IMAGE + k % WINDOW];
  out[(image * MAPS1 + map) * SIDE1 * SIDE1 + y * SIDE1 + x] = activate(sum);
}

extern "C" __global__ void nn_layer2(const float *maps, const float *weights, float *out) {
  int map = blockIdx.x, image = blockIdx.y, x = threadIdx.x, y = threadIdx.y;
  const float *w = weights + map * (1 + MAPS1 * WINDOW * WINDOW);
  const float *in = maps + image * MAPS1 * SIDE1 * SIDE1 + 2 * y * SIDE1 + 2 * x;
  float sum = w[0];
#pragma unroll 1
  for (int m = 0; m < MAPS1; m++) {
#pragma unroll 1
    for (int k = 0; k < WINDOW * WINDOW; k++)
      sum += w[1 + m * WINDOW * WINDOW + k] * in[m * SIDE1 * SIDE1 + k / WINDOW * SIDE1 + k % WINDOW];
  }
  out[(image * MAPS2 + map) * SIDE2 * SIDE2 + y * SIDE2 + x] = activate(sum);
}

extern "C" __global__ void nn_full(const float *in, const float *weights, float *out, int inputs) {
  int neuron = blockIdx.x, image = blockIdx.y;
  const float *w = weights + neuron * (1 + inputs);
  float sum = w[0];
#pragma unroll 1
  for (int i = 0; i < inputs; i++) sum += w[1 + i] * in[image * inputs + i];
  out[image * gridDim.x + neuron] = activate(sum);
}
