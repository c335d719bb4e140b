// Page view rank: sorts pages by their number of views, most viewed first. A task hands its record on as it is; key is the
// number of views, value the place of the page's line in the log.
#include "../mars/mars_scan.cuh"
#include "../mars/mars_emit.cuh"
#include "../mars/mars_group.cuh"

static __device__ int mars_order(const char *a, const char *b) {
  int x = *(const int *)a, y = *(const int *)b;
  if (x > y) return -1;
  return x < y ? 1 : 0;
}

extern "C" __global__ void pvr_map_count(mars_input in, mars_counts counts) {
  MARS_EACH(task, in.count) mars_count(counts, task, 4, 4);
}

extern "C" __global__ void pvr_map(mars_input in, mars_output out) {
  int task = blockIdx.x * blockDim.x + threadIdx.x;
  if (task >= in.count) return;
  mars_begin(out, task);
  int4 own = in.records[task];
  int *slot = mars_slot();
  slot[0] = *(int *)(in.keys + own.x);
  slot[1] = *(int *)(in.values + own.z);
  mars_emit(out, task, mars_words<1>{slot}, mars_words<1>{slot + 1});
}
