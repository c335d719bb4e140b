// K-means without textures and without constant memory: the assignment of each point to its nearest centre.

// Points are point-major, so that each lane reads a line of its own, and uses four bytes of it in one step of the inner loop; all
// lanes read the same coordinate of a centre. Both go through the L1 data cache, half of the loads each. Blocks are a square.
extern "C" __global__ void kmn_assign(const float *points, int nfeatures, int npoints, int nclusters, int *membership, const float *centres) {
  unsigned point = (gridDim.x * blockIdx.y + blockIdx.x) * blockDim.x + threadIdx.x;
  if (point >= npoints) return;
  int nearest = -1;
  float shortest = 3.40282347e+38f;
  for (int c = 0; c < nclusters; c++) {
    float distance = 0.0f;
    for (int f = 0; f < nfeatures; f++) {
      float d = points[point * nfeatures + f] - centres[c * nfeatures + f];
      distance += d * d;
    }
    if (distance < shortest) {
      shortest = distance;
      nearest = c;
    }
  }
  membership[point] = nearest;
}
