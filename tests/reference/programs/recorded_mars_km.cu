// K-means as map-reduce: the map gives each point the number of its nearest centre as a key, the records are
// sorted by it, and the reduction sums the points of each centre, a thread a centre.
#define MARS_INTEGER_KEYS
#include "recorded_mars.cuh"

// Points are stored one behind the other, so lanes read `dims` numbers apart.
extern "C" __global__ void km_map(const int *points, const int *centres, int count, int dims, int clusters,
                                  int4 *records) {
  int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point >= count) return;
  int nearest = 0, shortest = 0x7fffffff;
#pragma unroll 1
  for (int c = 0; c < clusters; c++) {
    int distance = 0;
#pragma unroll 1
    for (int d = 0; d < dims; d++) {
      int difference = points[point * dims + d] - centres[c * dims + d];
      distance += difference * difference;
    }
    if (distance < shortest) {
      shortest = distance;
      nearest = c;
    }
  }
  records[point] = make_int4(nearest, 4, point, 0);
}

// Follows the records of a group to their points.
extern "C" __global__ void km_reduce(const int *points, const int4 *records, const int *starts, int groups,
                                     int dims, int *centres) {
  int group = blockIdx.x * blockDim.x + threadIdx.x;
  if (group >= groups) return;
  int first = starts[group], last = starts[group + 1], cluster = records[first].x;
  for (int d = 0; d < dims; d++) {
    int sum = 0;
#pragma unroll 1
    for (int i = first; i < last; i++) sum += points[records[i].z * dims + d];
    centres[cluster * dims + d] = sum / (last - first);
  }
}
