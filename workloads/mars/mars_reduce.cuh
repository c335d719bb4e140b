// Reduce tasks of the map-reduce workloads: a thread a group of records with equal keys. They count and emit as map tasks do
// (mars_emit.cuh, which comes before this), but field by field.

// The groups: first and last + 1 record of each.
struct mars_groups {
  int2 *ranges;
  int count;
};

static __device__ void mars_reduce_begin(const mars_output &out, int task) {
  int key = out.key_sum[task];
  out.records[out.record_sum[task]].x = key;
  int value = out.value_sum[task];
  out.records[out.record_sum[task]].z = value;
}
