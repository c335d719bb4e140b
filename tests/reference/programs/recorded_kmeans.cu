// K-means clustering: the transposition of the points from point-major to feature-major order, and the
// assignment of each point to its nearest centre. Loops of unknown length are not unrolled, as the compilers
// of the suite's time did not: the distance in time between two uses of a line is what the published results
// rest on.

// Point-major to feature-major. Neighbouring threads read `nfeatures` floats apart: each lane has a line of
// its own, of which one iteration uses four bytes.
extern "C" __global__ void invert_mapping(const float *input, float *output, int npoints, int nfeatures) {
  int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point >= npoints) return;
#pragma unroll 1
  for (int i = 0; i < nfeatures; i++) output[point + npoints * i] = input[point * nfeatures + i];
}

enum { MOST_COORDINATES = 2048 };

__constant__ float centres[MOST_COORDINATES]; // centre-major

// Nearest centre of each point. Points are fetched feature-major (coalesced) through a texture, centres from
// constant memory, as in the suite: neither goes through the L1 data cache.
extern "C" __global__ void assign_points(cudaTextureObject_t features, int npoints, int nclusters,
                                         int nfeatures, int *membership) {
  int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point >= npoints) return;
  int nearest = -1;
  float shortest = 3.40282347e+38f;
  for (int c = 0; c < nclusters; c++) {
    float distance = 0.0f;
#pragma unroll 1
    for (int f = 0; f < nfeatures; f++) {
      float d = tex1Dfetch<float>(features, point + npoints * f) - centres[c * nfeatures + f];
      distance += d * d;
    }
    if (distance < shortest) {
      shortest = distance;
      nearest = c;
    }
  }
  membership[point] = nearest;
}
