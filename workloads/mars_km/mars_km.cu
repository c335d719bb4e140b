// K-means as map-reduce, on whole numbers: a map task finds the nearest centre of its point, the records are sorted by the number of
// their point's centre, and a reduce task moves a centre to the mean of its points.
#include "../mars/mars_scan.cuh"
#include "../mars/mars_emit.cuh"
#include "../mars/mars_group.cuh"
#include "../mars/mars_reduce.cuh"

// Every record knows where all the data are. `nearest` holds the number of each point's centre.
struct km_key {
  int point, dims, clusters, spare;
  int *nearest;
};

struct km_value {
  int *points, *centres, *changed;
};

static __device__ int mars_order(const char *a, const char *b) {
  const km_key *x = (const km_key *)a, *y = (const km_key *)b;
  int *x_nearest = x->nearest, *y_nearest = y->nearest;
  int x_point = x->point, y_point = y->point;
  asm volatile("" : "+l"(x_nearest), "+l"(y_nearest), "+r"(x_point), "+r"(y_point)); // all are loaded before any is used
  int p = x_nearest[x_point], q = y_nearest[y_point];
  if (p > q) return 1;
  return p < q ? -1 : 0;
}

extern "C" __global__ void km_map_count(mars_input in, mars_counts counts) {
  MARS_EACH(task, in.count) mars_count(counts, task, sizeof(km_key), sizeof(km_value));
}

static __device__ int km_distance(const int *point, const int *centre, int dims) {
  int sum = 0;
  for (int d = 0; d < dims; d++) sum += (point[d] - centre[d]) * (point[d] - centre[d]);
  return sum;
}

extern "C" __global__ void km_map(mars_input in, mars_output out) {
  int task = blockIdx.x * blockDim.x + threadIdx.x;
  if (task >= in.count) return;
  mars_begin(out, task);
  int4 own = in.records[task];
  km_key *key = (km_key *)(in.keys + own.x);
  km_value *value = (km_value *)(in.values + own.z);
  int2 head = *(int2 *)key;
  int clusters = key->clusters, point = head.x, dims = head.y;
  int *mine = value->points + point * dims, *centres = value->centres, *changed = value->changed;
  int was = key->nearest[point], nearest = was;
  int shortest = km_distance(mine, centres + was * dims, dims);
  for (int c = 0; c < clusters; c++) {
    int distance = km_distance(mine, centres + c * dims, dims);
    if (distance < shortest) {
      shortest = distance;
      nearest = c;
    }
  }
  if (nearest != was) {
    *changed = 1;
    key->nearest[point] = nearest;
  }
  mars_emit(out, task, mars_bytes<sizeof(km_key)>{(char *)key}, mars_bytes<sizeof(km_value)>{(char *)value});
}

extern "C" __global__ void km_reduce_count(mars_input in, mars_counts counts, mars_groups groups) {
  MARS_EACH(task, groups.count) mars_count(counts, task, sizeof(km_key), sizeof(km_value));
}

// The sums are made in place of the centre. Nothing is emitted: the centres are the result.
extern "C" __global__ void km_reduce(mars_input in, mars_output out, mars_groups groups) {
  int task = blockIdx.x * blockDim.x + threadIdx.x;
  if (task >= groups.count) return;
  mars_reduce_begin(out, task);
  int2 range = groups.ranges[task];
  int4 first = in.records[range.x];
  char *key = in.keys + first.x;
  km_value *value = (km_value *)(in.values + first.z);
  int2 head = *(int2 *)key;
  int dims = head.y;
  int *nearest = ((km_key *)key)->nearest;
  int *centre = value->centres + nearest[head.x] * dims, *points = value->points;
  for (int d = 0; d < dims; d++) centre[d] = 0;
  for (int m = 0; m < range.y - range.x; m++) {
    int *point = points + ((km_key *)(key + m * in.records[range.x].y))->point * dims;
    for (int d = 0; d < dims; d++) centre[d] += point[d];
  }
  for (int d = 0; d < dims; d++) centre[d] /= range.y - range.x;
}
