// Connected components of an image by label equivalence: pixels that touch and differ little belong together. Labels are
// pixel numbers; a label that meets a lower one refers to it, references are followed to their end, and pixels take the label there.

// Blocks lie in a square grid, numbered row by row.
static __device__ int pixel() { return blockIdx.x * blockDim.x + blockIdx.y * blockDim.x * gridDim.x + threadIdx.x; }

// The sum of the differences of three colours of a byte each.
static __device__ int difference(int a, int b) {
  return abs((a >> 16 & 255) - (b >> 16 & 255)) + abs((a >> 8 & 255) - (b >> 8 & 255)) + abs((a & 255) - (b & 255));
}

extern "C" __global__ void ccl_start(int *label, int *reference, int count) {
  int id = pixel();
  if (id >= count) return;
  label[id] = reference[id] = id;
}

// The lowest label among the pixel's neighbours that are like it.
static __device__ int lowest_neighbour(int *colour, int *label, int count, int width, int threshold, int id) {
  int own = colour[id], lowest = count;
  if (id - width >= 0 && difference(own, colour[id - width]) <= threshold) lowest = min(lowest, label[id - width]);
  if (id + width < count && difference(own, colour[id + width]) <= threshold) lowest = min(lowest, label[id + width]);
  int column = id % width;
  if (column) {
    if (difference(own, colour[id - 1]) <= threshold) lowest = min(lowest, label[id - 1]);
    if (id - width - 1 >= 0 && difference(own, colour[id - width - 1]) <= threshold) lowest = min(lowest, label[id - width - 1]);
    if (id + width - 1 < count && difference(own, colour[id + width - 1]) <= threshold) lowest = min(lowest, label[id + width - 1]);
  }
  if (column + 1 != width) {
    if (difference(own, colour[id + 1]) <= threshold) lowest = min(lowest, label[id + 1]);
    if (id - width + 1 >= 0 && difference(own, colour[id - width + 1]) <= threshold) lowest = min(lowest, label[id - width + 1]);
    if (id + width + 1 < count && difference(own, colour[id + width + 1]) <= threshold) lowest = min(lowest, label[id + width + 1]);
  }
  return lowest;
}

// Two pixels of one label may write different references; either is right, and the next round sees the other.
extern "C" __global__ void ccl_scan(int *colour, int *label, int *reference, bool *changed, int count, int width, int threshold) {
  int id = pixel();
  if (id >= count) return;
  int lowest = lowest_neighbour(colour, label, count, width, threshold, id);
  if (lowest < label[id]) {
    reference[label[id]] = lowest;
    *changed = true;
  }
}

extern "C" __global__ void ccl_analyse(int *label, int *reference, int count) {
  int id = pixel();
  if (id >= count) return;
  int at = label[id], from;
  if (at != id) return;
#pragma unroll 1
  do {
    from = at;
    at = reference[from];
  } while (from != at);
  reference[id] = at;
}

extern "C" __global__ void ccl_label(int *label, int *reference, int count) {
  int id = pixel();
  if (id >= count) return;
  label[id] = reference[reference[label[id]]];
}
