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

template <class K, class V> static __device__ void mars_reduce_emit(const mars_output &out, int task, K key, V value) {
  __syncthreads();
  char *key_to = out.keys + out.key_sum[task];
  int2 written = out.written[task];
  char *value_to = out.values + out.value_sum[task];
  key.copy(key_to + written.x);
  value.copy(value_to + written.y);
  written = out.written[task];
  out.written[task] = make_int2(written.x + key.bytes(), written.y + value.bytes());
  int index = out.index[task];
  if (index != 0) {
    int4 *record = out.records + out.record_sum[task] + index;
    record->x = record[-1].x + record[-1].y;
    record->z = record[-1].z + record[-1].w;
  }
  out.records[out.record_sum[task] + index].y = key.bytes();
  out.records[out.record_sum[task] + out.index[task]].w = value.bytes();
  out.index[task]++;
}
