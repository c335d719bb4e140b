// K-means as map-reduce, on whole numbers: a map task finds the nearest centre of its point, the records are sorted by the number of
// their point's centre, and a reduce task moves a centre to the mean of its points.
#define MARS_SORT_STEP __maxnreg__(20) // enough for the assembler: six blocks an SM
#include "../mars/mars_scan.cuh"
#include "../mars/mars_emit.cuh"
#define MARS_APART 9
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

// Where the number of a key's centre is. The address is there before the point is asked for, and the place before anything else is.
static __device__ const int *km_number(const km_key *key) {
  const int *numbers = key->nearest;
  asm volatile("cvta.to.global.u64 %0, %0;" : "+l"(numbers)::"memory");
  numbers += key->point;
  asm volatile("" : "+l"(numbers)::"memory");
  return numbers;
}

static __device__ int mars_order(const char *a, const char *b) {
  const int *x = km_number((const km_key *)a), *y = km_number((const km_key *)b);
  int q = *y;
  asm volatile("" : "+r"(q)::"memory"); // loaded first
  int p = *x;
  if (p > q) return 1;
  return p < q ? -1 : 0;
}

extern "C" __global__ void km_map_count(MARS_INPUT, MARS_COUNTS) {
  mars_input in = MARS_IN;
  mars_counts counts = MARS_COUNTED;
  MARS_EACH(task, in.count) mars_count(counts, task, sizeof(km_key), sizeof(km_value));
}

static __device__ int km_distance(const int *point, const int *centre, int dims) {
  int sum = 0;
  for (int d = 0; d < dims; d++) sum += (point[d] - centre[d]) * (point[d] - centre[d]);
  return sum;
}

static __device__ void km_map_task(const mars_input &in, const mars_output &out, int task) {
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

// 64 registers are enough for the assembler: two blocks an SM.
extern "C" __global__ void __maxnreg__(64) km_map(MARS_INPUT, MARS_OUTPUT) {
  mars_input in = MARS_IN;
  mars_output out = MARS_OUT;
  MARS_EACH(task, in.count) km_map_task(in, out, task);
}

extern "C" __global__ void km_reduce_count(MARS_INPUT, MARS_COUNTS, MARS_GROUPS) {
  mars_input in = MARS_IN;
  mars_counts counts = MARS_COUNTED;
  mars_groups groups = MARS_GROUPED;
  MARS_EACH(task, groups.count) mars_count(counts, task, sizeof(km_key), sizeof(km_value));
}

// The sums are made in place of the centre. Nothing is emitted: the centres are the result.
static __device__ void km_reduce_task(const mars_input &in, const mars_output &out, const mars_groups &groups, int task) {
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

// 40 registers are enough for the assembler: three blocks an SM.
extern "C" __global__ void __maxnreg__(40) km_reduce(MARS_INPUT, MARS_OUTPUT, MARS_GROUPS) {
  mars_input in = MARS_IN;
  mars_output out = MARS_OUT;
  mars_groups groups = MARS_GROUPED;
  MARS_EACH(task, groups.count) km_reduce_task(in, out, groups, task);
}
