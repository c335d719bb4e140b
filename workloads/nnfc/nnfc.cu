// A small network that reads handwritten digits: two layers of maps that look at 5 x 5 windows, two apart, and two
// fully connected layers. A block is a map of one image in the first two, and a single thread, a neuron of one
// image, in the others. Where the taps of a window lie comes from constant memory. The weights of a neuron begin
// with its bias; the second layer's are tap by tap, the six maps of a tap side by side. The activation's constants
// are in double precision.

enum { IMAGE = 29, MAPS1 = 6, SIDE1 = 13, MAPS2 = 50, SIDE2 = 5, TAPS = 25, INPUTS3 = MAPS2 * SIDE2 * SIDE2 };
enum { ROOM2 = MAPS1 * (TAPS + 1) /* floats from one map's weights to the next's */ };

#define WINDOW_ROW(at) at, at + 1, at + 2, at + 3, at + 4
#define WINDOW(side)                                                                                           \
  { WINDOW_ROW(0), WINDOW_ROW(side), WINDOW_ROW(2 * side), WINDOW_ROW(3 * side), WINDOW_ROW(4 * side) }
static __constant__ int taps_of_image[TAPS] = WINDOW(IMAGE), taps_of_map[TAPS] = WINDOW(SIDE1);

static __device__ float activate(float x) { return 1.7159 * tanhf(0.66666667 * x); }

// Places of inputs are counted in unsigned ints, those of weights in ints, from the array's begin on.
extern "C" __global__ void nn_layer1(const float *images, const float *weights, float *out) {
  unsigned map = blockIdx.x, x = threadIdx.x, y = threadIdx.y;
  unsigned first = blockIdx.y * IMAGE * IMAGE + 2 * y * IMAGE + 2 * x;
  int w = map * (TAPS + 1);
  float sum = weights[w];
  for (int k = 0; k < TAPS; k++) sum += images[first + taps_of_image[k]] * weights[w + 1 + k];
  out[(blockIdx.y * MAPS1 + map) * SIDE1 * SIDE1 + y * SIDE1 + x] = activate(sum);
}

extern "C" __global__ void nn_layer2(const float *maps, const float *weights, float *out) {
  unsigned map = blockIdx.x, x = threadIdx.x, y = threadIdx.y;
  unsigned first = blockIdx.y * MAPS1 * SIDE1 * SIDE1 + 2 * y * SIDE1 + 2 * x;
  int w = map * ROOM2;
  float sum = weights[w];
  for (int k = 0; k < TAPS; k++)
    for (int m = 0; m < MAPS1; m++)
      sum += maps[first + m * SIDE1 * SIDE1 + taps_of_map[k]] * weights[w + 1 + k * MAPS1 + m];
  out[(blockIdx.y * MAPS2 + map) * SIDE2 * SIDE2 + y * SIDE2 + x] = activate(sum);
}

template <int inputs> static __device__ float neuron(const float *in, const float *weights) {
  unsigned first = blockIdx.y * inputs;
  int w = blockIdx.x * (inputs + 1);
  float sum = weights[w];
  for (int i = 0; i < inputs; i++) sum += in[first + i] * weights[w + 1 + i];
  return activate(sum);
}

extern "C" __global__ void nn_layer3(const float *in, const float *weights, float *out) {
  out[blockIdx.y * 100 + blockIdx.x] = neuron<INPUTS3>(in, weights);
}

extern "C" __global__ void nn_layer4(const float *in, const float *weights, float *out) {
  out[blockIdx.y * 10 + blockIdx.x] = neuron<100>(in, weights);
}
