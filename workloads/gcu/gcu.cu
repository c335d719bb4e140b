// Minimum cut of an image grid by pushing and relabelling: each pixel holds an excess of flow, a height, and
// what its links to four neighbours and to the sink can still carry. Links are stored direction by
// direction (right, left, down, up; the opposite of d is d ^ 1).

enum { FAR = 1 << 28 };

static __device__ int neighbour(int pixel, int d, int width, int height) {
  int x = pixel % width, y = pixel / width;
  if (d == 0) return x + 1 < width ? pixel + 1 : -1;
  if (d == 1) return x > 0 ? pixel - 1 : -1;
  if (d == 2) return y + 1 < height ? pixel + width : -1;
  return y > 0 ? pixel - width : -1;
}

// Heights as distances to the sink: one step of the search.
extern "C" __global__ void gcu_distance(const int *link, const int *sink, int width, int height, int *label,
                                        int *changed) {
  int pixel = blockIdx.x * blockDim.x + threadIdx.x, pixels = width * height;
  if (pixel >= pixels) return;
  int own = label[pixel], best = sink[pixel] > 0 ? 1 : FAR;
  for (int d = 0; d < 4; d++) {
    int other = neighbour(pixel, d, width, height);
    if (other >= 0 && link[d * pixels + pixel] > 0) best = min(best, label[other] + 1);
  }
  if (best >= own) return;
  label[pixel] = best;
  *changed = 1;
}

// Pushes a pixel's excess to the sink and to neighbours that are one lower. Only its own thread takes from a
// pixel's excess and links; others may add to them meanwhile.
extern "C" __global__ void gcu_push(int *link, int *sink, int *excess, const int *label, int width,
                                    int height) {
  int pixel = blockIdx.x * blockDim.x + threadIdx.x, pixels = width * height;
  if (pixel >= pixels) return;
  int have = excess[pixel], own = label[pixel], left = have;
  if (have == 0 || own >= FAR) return;
  int amount = min(left, sink[pixel]);
  sink[pixel] -= amount;
  left -= amount;
  for (int d = 0; d < 4 && left > 0; d++) {
    int other = neighbour(pixel, d, width, height);
    if (other < 0 || label[other] != own - 1) continue;
    amount = min(left, link[d * pixels + pixel]);
    if (amount == 0) continue;
    atomicSub(&link[d * pixels + pixel], amount);
    atomicAdd(&link[(d ^ 1) * pixels + other], amount);
    atomicAdd(&excess[other], amount);
    left -= amount;
  }
  if (left != have) atomicSub(&excess[pixel], have - left);
}

// Lifts a pixel that could not push all of its excess just above its lowest neighbour.
extern "C" __global__ void gcu_lift(const int *link, const int *sink, const int *excess, const int *label,
                                    int width, int height, int *lifted, int *active) {
  int pixel = blockIdx.x * blockDim.x + threadIdx.x, pixels = width * height;
  if (pixel >= pixels) return;
  int own = label[pixel];
  lifted[pixel] = own;
  if (excess[pixel] == 0 || own >= FAR) return;
  int lowest = sink[pixel] > 0 ? 0 : FAR;
  for (int d = 0; d < 4; d++) {
    int other = neighbour(pixel, d, width, height);
    if (other >= 0 && link[d * pixels + pixel] > 0) lowest = min(lowest, label[other]);
  }
  if (lowest >= own) lifted[pixel] = min(lowest + 1, FAR);
  *active = 1;
}
