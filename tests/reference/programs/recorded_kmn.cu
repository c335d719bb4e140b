// K-means clustering without a transposition: each thread reads its point's features where they lie,
// point-major, and the centres from global memory. Loops are not unrolled, as in workloads/kmeans.
extern "C" __global__ void kmn_assign(const float *points, const float *centres, int npoints, int nclusters,
                                      int nfeatures, int *membership) {
  int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point >= npoints) return;
  int nearest = -1;
  float shortest = 3.40282347e+38f;
#pragma unroll 1
  for (int c = 0; c < nclusters; c++) {
    float distance = 0.0f;
#pragma unroll 1
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
