// What the map-reduce workloads share on the host: records of a key and a value each, the phases map, group and reduce as sequences of
// launches of the kernels in mars_*.cuh (which the workload's module must hold), and the comparison of their results.
#ifndef WL_MAPREDUCE_H
#define WL_MAPREDUCE_H

#include "common/wl.h"

// A record as on the device: where its key and its value begin in the buffers of bytes, and how long they are.
struct mr_record {
  int key, key_bytes, value, value_bytes;
};

// Records with their buffers, on the host and on the device.
struct mr_records {
  int count;
  long key_bytes, value_bytes;
  struct mr_record *record;
  char *key, *value;
};

struct mr_device {
  CUdeviceptr keys, values, records;
  int count;
  size_t key_bytes, value_bytes;
};

// Consecutive records first .. end - 1 that have one key.
struct mr_range {
  int first, end;
};

struct mr_groups {
  CUdeviceptr ranges;
  int count;
};

// Room on the host for `count` records whose keys and values have that many bytes each at most.
struct mr_records mr_room(struct wl_run *r, long count, int key_bytes, int value_bytes);
void mr_add(struct mr_records *to, const void *key, int key_bytes, const void *value, int value_bytes);
struct mr_device mr_up(struct wl_run *r, const struct mr_records *from);
// Gives the buffers on the device back.
void mr_release(struct wl_run *r, struct mr_device *d);
struct mr_records mr_down(struct wl_run *r, const struct mr_device *from);

// Runs the kernels NAME_map_count and NAME_map, a thread a record, and gives the input back.
struct mr_device mr_map(struct wl_run *r, const char *name, struct mr_device in);
// Sorts the records by key, brings keys and values into that order and finds the groups of equal keys.
struct mr_groups mr_group(struct wl_run *r, struct mr_device *records);
// Runs NAME_reduce_count and NAME_reduce, a thread a group, and gives the input back.
struct mr_device mr_reduce(struct wl_run *r, const char *name, struct mr_device in, struct mr_groups groups);

// Whether the device holds the records `want` (which are reordered here), in the order of the keys, and the groups are right. `order` is
// the device's comparison of two keys: 1, -1 or 0; `with` is handed to it.
typedef int mr_order(const void *with, const char *a, const char *b);
bool mr_same(struct wl_run *r, const struct mr_device *got, const struct mr_groups *groups, struct mr_records *want, mr_order *order,
             const void *with);

#endif
