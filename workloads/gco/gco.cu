// Graph colouring by partitions: a thread gives its nodes, one after the other, the lowest colour that no neighbour has, while other threads
// colour theirs. Neighbours in different partitions that took one colour at the same time are found afterwards, and the one with the higher
// number tries again.

enum { COLOURS = 256, NONE = 0, END = -1 };

// The lowest colour from 1 on that none of a node's neighbours has. A row of the adjacency ends with END or after `width` neighbours.
static __device__ int gco_first_free(const int *adjacency, int node, int width, int *colour) {
  int taken[COLOURS];
#pragma unroll
  for (int i = 0; i < COLOURS; i++) taken[i] = 0;
#pragma unroll 1
  for (int k = 0; k < width; k++) {
    int other = adjacency[node * width + k];
    if (other == END) break;
    taken[colour[other]] = 1;
  }
#pragma unroll
  for (int i = 1; i < COLOURS; i++)
    if (taken[i] != 1) return i;
  return NONE;
}

// A partition is nodes start .. end - 1.
extern "C" __global__ void gco_assign(int *start, int *end, int *adjacency, int width, int *colour) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, first = start[t], last = end[t];
  for (int node = first; node < last; node++) colour[node] = gco_first_free(adjacency, node, width, colour);
}

// The same for the nodes that have lost their colour.
extern "C" __global__ void gco_again(int *start, int *end, int *adjacency, int width, int *colour) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, first = start[t], last = end[t];
  for (int node = first; node < last; node++)
    if (colour[node] == NONE) colour[node] = gco_first_free(adjacency, node, width, colour);
}

// A thread a node that has neighbours in other partitions.
extern "C" __global__ void gco_conflicts(int *adjacency, int width, int *colour, int *boundary, int count, int *conflict) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= count) return;
  int node = boundary[t];
#pragma unroll 1
  for (int k = 0; k < width; k++) {
    int other = adjacency[node * width + k];
    if (other == END) break;
    if (node >= other && colour[node] == colour[other]) {
      conflict[t] = node;
      colour[node] = NONE;
    }
  }
}
