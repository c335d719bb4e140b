// The host side of the map-reduce workloads: which kernels each phase launches, with which geometry, on which arrays.
#include "mars/mapreduce.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  TASKS = 256,         // threads of a block of tasks
  SLOTS = 20 * TASKS,  // bytes of shared memory that they emit from
  SCAN = 512,          // items that a block of the prefix sum takes
  WIDE = 512,          // blocks, and threads of a block, of a launch over all places
  MOVERS = 128,        // threads of a block that moves keys or values
  TILE = 256,          // records that a block sorts in shared memory
  TILES = 256,         // blocks of such a launch
  TILED_FROM = 262144, // more records than these are sorted by tiles
};

// Two ints as the device's int2.
struct pair {
  int x, y;
};

// ---- records ----

struct mr_records mr_room(struct wl_run *r, long count, int key_bytes, int value_bytes) {
  return (struct mr_records){.record = WL_NEW(r, struct mr_record, count),
                             .key = wl_host(r, (size_t)count, (size_t)key_bytes),
                             .value = wl_host(r, (size_t)count, (size_t)value_bytes)};
}

void mr_add(struct mr_records *to, const void *key, int key_bytes, const void *value, int value_bytes) {
  to->record[to->count++] = (struct mr_record){(int)to->key_bytes, key_bytes, (int)to->value_bytes, value_bytes};
  memcpy(to->key + to->key_bytes, key, (size_t)key_bytes);
  memcpy(to->value + to->value_bytes, value, (size_t)value_bytes);
  to->key_bytes += key_bytes;
  to->value_bytes += value_bytes;
}

struct mr_device mr_up(struct wl_run *r, const struct mr_records *from) {
  struct mr_device d = {.count = from->count, .key_bytes = (size_t)from->key_bytes, .value_bytes = (size_t)from->value_bytes};
  d.keys = WL_UP(r, from->key, from->key_bytes);
  d.values = WL_UP(r, from->value, from->value_bytes);
  d.records = WL_UP(r, from->record, from->count);
  return d;
}

void mr_release(struct wl_run *r, struct mr_device *d) {
  wl_release(r, d->keys);
  wl_release(r, d->values);
  wl_release(r, d->records);
}

struct mr_records mr_down(struct wl_run *r, const struct mr_device *from) {
  return (struct mr_records){.count = from->count,
                             .key_bytes = (long)from->key_bytes,
                             .value_bytes = (long)from->value_bytes,
                             .record = WL_DOWN(r, struct mr_record, from->records, from->count),
                             .key = WL_DOWN(r, char, from->keys, from->key_bytes),
                             .value = WL_DOWN(r, char, from->values, from->value_bytes)};
}

// ---- prefix sums ----

static bool power_of_two(int n) { return (n & (n - 1)) == 0; }

// Threads of a block that takes fewer than SCAN items: half as many as a power of two, else the next smaller power of two.
static int scan_threads(int items) {
  if (power_of_two(items)) return items > 1 ? items / 2 : 1;
  int threads = 1;
  while (2 * threads <= items) threads *= 2;
  return threads;
}

static void scan_launch(struct wl_run *r, const char *kernel, int blocks, int threads, CUdeviceptr to, CUdeviceptr from, CUdeviceptr sums,
                        int items, int first, int base) {
  size_t bytes = sizeof(int) * (size_t)(2 * threads + 2 * threads / 16);
  WL_LAUNCH(r, kernel, wl_1d(blocks), wl_1d(threads), bytes, &to, &from, &sums, &items, &first, &base);
}

// The totals of a prefix sum's blocks, and those of the blocks of their own prefix sum; 0 where there is only one block.
struct totals {
  CUdeviceptr level[2];
};

static struct totals totals_room(struct wl_run *r, int n) {
  struct totals totals = {{0}};
  for (int level = 0; level < 2 && n > SCAN; level++) {
    n = (int)wl_blocks(n, SCAN);
    totals.level[level] = WL_DEV(r, int, n);
  }
  return totals;
}

static void totals_release(struct wl_run *r, const struct totals *totals) {
  for (int level = 0; level < 2; level++)
    if (totals->level[level]) wl_release(r, totals->level[level]);
}

// The exclusive prefix sum of n ints, `from` into `to`, which has room for whole blocks.
static void scan(struct wl_run *r, CUdeviceptr to, CUdeviceptr from, int n, const CUdeviceptr *totals) {
  int blocks = (int)wl_blocks(n, SCAN), full = n / SCAN, rest = n % SCAN, threads = scan_threads(rest);
  if (blocks == 1) {
    scan_launch(r, power_of_two(n) ? "mars_scan_top" : "mars_scan_top_rest", 1, scan_threads(n), to, from, 0, n, 0, 0);
    return;
  }
  CUdeviceptr sums = *totals;
  int base = full * SCAN, none = 0, items = SCAN;
  scan_launch(r, "mars_scan_blocks", full, SCAN / 2, to, from, sums, SCAN, 0, 0);
  if (rest) scan_launch(r, "mars_scan_rest", 1, threads, to, from, sums, rest, full, base);
  scan(r, sums, sums, blocks, totals + 1);
  WL_LAUNCH(r, "mars_scan_add", wl_1d(full), wl_1d(SCAN / 2), 0, &to, &sums, &items, &none, &none);
  if (rest) WL_LAUNCH(r, "mars_scan_add", wl_1d(1), wl_1d(threads), 0, &to, &sums, &rest, &full, &base);
}

// Room for the prefix sum of n ints and for what the threads of its last block reach behind them, which is zero.
static CUdeviceptr scan_room(struct wl_run *r, long n) {
  int rest = (int)(n % SCAN);
  long room = n - rest + (rest ? 2 * scan_threads(rest) : 0);
  CUdeviceptr items = WL_DEV(r, int, room);
  if (room > n) CU(r, cuMemsetD32(items + sizeof(int) * (size_t)n, 0, (size_t)(room - n)));
  return items;
}

// What the prefix sum of n ints adds up to.
static int scan_total(struct wl_run *r, CUdeviceptr sums, CUdeviceptr counts, int n) {
  int last, before;
  WL_GET(r, &last, counts + sizeof(int) * (size_t)(n - 1), 1);
  WL_GET(r, &before, sums + sizeof(int) * (size_t)(n - 1), 1);
  return last + before;
}

// ---- tasks, of map and of reduce ----

// What the kernels get: mars_counts and mars_output.
struct counts {
  CUdeviceptr each[3]; // bytes of keys, bytes of values, records
};

struct output {
  CUdeviceptr sum[3], index, written, keys, values, records;
};

// Prefix sums of the counts of `items` tasks, and room for what they add up to. What a map task writes is cleared first; a reduce task's
// sums are.
static struct mr_device place_output(struct wl_run *r, const struct counts *counts, int items, int tasks, bool reduce, struct output *out) {
  int total[3];
  for (int i = 0; i < 3; i++) {
    out->sum[i] = reduce ? WL_ZEROS(r, int, tasks) : WL_DEV(r, int, tasks);
    struct totals totals = totals_room(r, tasks);
    scan(r, out->sum[i], counts->each[i], tasks, totals.level);
    totals_release(r, &totals);
    total[i] = scan_total(r, out->sum[i], counts->each[i], tasks);
  }
  int last;
  WL_GET(r, &last, counts->each[2] + sizeof(int) * (size_t)(items - 1), 1);
  bool beyond = last == 0; // a task that emits nothing looks at the next one's first
  size_t records = sizeof(struct mr_record) * (size_t)(total[2] + beyond);
  out->keys = reduce ? wl_alloc(r, (size_t)total[0]) : wl_zeros(r, (size_t)total[0]);
  out->values = reduce ? wl_alloc(r, (size_t)total[1]) : wl_zeros(r, (size_t)total[1]);
  out->records = reduce ? wl_alloc(r, records) : wl_zeros(r, records);
  out->written = WL_ZEROS(r, struct pair, tasks);
  out->index = WL_ZEROS(r, int, tasks);
  return (struct mr_device){out->keys, out->values, out->records, total[2], (size_t)total[0], (size_t)total[1]};
}

// Gives back what the tasks have worked with, and what they have read. The order decides where later arrays lie.
static void release_tasks(struct wl_run *r, const struct counts *counts, const struct output *out, struct mr_device *in, bool reduce) {
  if (reduce) mr_release(r, in);
  for (int i = 0; i < 3; i++) wl_release(r, counts->each[i]);
  for (int i = 0; i < 3 && reduce; i++) wl_release(r, out->sum[i]);
  wl_release(r, out->written);
  wl_release(r, out->index);
  if (reduce) return;
  mr_release(r, in);
  for (int i = 0; i < 3; i++) wl_release(r, out->sum[i]);
}

// The phase's two kernels over `items` items.
static struct mr_device run_tasks(struct wl_run *r, const char *name, const char *phase, int items, struct mr_device *in,
                                  struct mr_groups *groups) {
  char count_kernel[64], kernel[64];
  snprintf(count_kernel, sizeof count_kernel, "%s_%s_count", name, phase);
  snprintf(kernel, sizeof kernel, "%s_%s", name, phase);
  int blocks = (int)wl_blocks(items, TASKS), tasks = blocks * TASKS;
  struct counts counts;
  for (int i = 0; i < 3; i++) counts.each[i] = WL_ZEROS(r, int, tasks);
  struct output out;
  struct mr_groups none = {0}, *g = groups ? groups : &none;
  void *count_args[] = {&in->keys,       &in->values,     &in->records, &in->count, &counts.each[0], &counts.each[1],
                        &counts.each[2], &g->ranges, &g->count};
  void *args[] = {&in->keys,   &in->values,  &in->records, &in->count,  &out.sum[0],  &out.sum[1], &out.sum[2],
                  &out.index, &out.written, &out.keys,    &out.values, &out.records, &g->ranges,  &g->count};
  wl_launch(r, count_kernel, wl_1d(blocks), wl_1d(TASKS), 0, count_args);
  struct mr_device result = place_output(r, &counts, items, tasks, groups != NULL, &out);
  if (result.count > 0) wl_launch(r, kernel, wl_1d(blocks), wl_1d(TASKS), SLOTS, args);
  release_tasks(r, &counts, &out, in, groups != NULL);
  return result;
}

struct mr_device mr_map(struct wl_run *r, const char *name, struct mr_device in) {
  return run_tasks(r, name, "map", in.count, &in, NULL);
}

struct mr_device mr_reduce(struct wl_run *r, const char *name, struct mr_device in, struct mr_groups groups) {
  return run_tasks(r, name, "reduce", groups.count, &in, &groups);
}

// ---- group ----

// How many blocks a launch over all places has: always the same, but at size small as few as hold them.
static int span_blocks(struct wl_run *r, int places, int threads) {
  int needed = (int)wl_blocks(places, threads);
  return r->size == WL_SMALL && needed < WIDE ? needed : WIDE;
}

// Launches of `threads` threads a block until all places have had a thread; the kernel's last argument is the first place.
#define OVER_PLACES(r, kernel, places, threads, ...)                                                                      \
  for (int base_ = 0, blocks_ = span_blocks((r), (places), (threads)); base_ < (places); base_ += blocks_ * (threads))     \
  WL_LAUNCH((r), (kernel), wl_1d(blocks_), wl_1d(threads), 0, __VA_ARGS__, &base_)

static void sort_steps(struct wl_run *r, CUdeviceptr records, CUdeviceptr keys, int places, int width, int last) {
  for (int stride = width / 2; stride >= last; stride /= 2)
    WL_LAUNCH(r, "mars_sort_step", wl_1d(wl_blocks(places, TASKS)), wl_1d(TASKS), 0, &records, &keys, &width, &stride);
}

static void sort_by_tiles(struct wl_run *r, CUdeviceptr records, CUdeviceptr keys, int places) {
  for (int base = 0; base < places; base += TILES * TILE)
    WL_LAUNCH(r, "mars_sort_tile", wl_1d(TILES), wl_1d(TILE), 0, &records, &keys, &base);
  for (int width = 2 * TILE; width > 0 && width <= places; width *= 2) {
    sort_steps(r, records, keys, places, width, TILE);
    for (int base = 0; base < places; base += TILES * TILE)
      WL_LAUNCH(r, "mars_sort_tail", wl_1d(TILES), wl_1d(TILE), 0, &records, &keys, &width, &base);
  }
}

// The records sorted into `sorted`; those that fill up to a power of two come first and are left out again.
static void sort(struct wl_run *r, const struct mr_device *d, CUdeviceptr sorted) {
  int places = TASKS;
  while (places < d->count) places *= 2;
  CUdeviceptr padded = WL_DEV(r, struct mr_record, places);
  struct mr_record none = {-1, -1, 0, 0};
  size_t bytes = sizeof(struct mr_record) * (size_t)d->count, spare = sizeof(struct mr_record) * (size_t)(places - d->count);
  OVER_PLACES(r, "mars_pad", places, WIDE, &padded, &none.key, &none.key_bytes, &none.value, &none.value_bytes, &places);
  CU(r, cuMemcpyDtoD(padded, d->records, bytes));
  if (d->count > TILED_FROM) {
    sort_by_tiles(r, padded, d->keys, places);
  } else {
    for (int width = 2; width <= places; width *= 2) sort_steps(r, padded, d->keys, places, width, 1);
  }
  CU(r, cuMemcpyDtoD(sorted, padded + spare, bytes));
  wl_release(r, padded);
}

// Brings values or keys into the order of the records, from one buffer into another.
static void move(struct wl_run *r, CUdeviceptr records, int n, const char *spans_of, const char *places_of, CUdeviceptr from,
                 CUdeviceptr to, CUdeviceptr spans, const struct totals *totals) {
  OVER_PLACES(r, spans_of, n, WIDE, &records, &spans, &n);
  CUdeviceptr sizes = WL_DEV(r, int, n);
  OVER_PLACES(r, "mars_span_sizes", n, WIDE, &spans, &sizes, &n);
  CUdeviceptr places = scan_room(r, n);
  scan(r, places, sizes, n, totals->level);
  wl_release(r, sizes);
  OVER_PLACES(r, "mars_move", n, MOVERS, &from, &to, &spans, &places, &n);
  wl_release(r, places);
  OVER_PLACES(r, places_of, n, WIDE, &records, &spans, &n);
}

// The groups of records with one key; their ranges go over the host.
static struct mr_groups find_groups(struct wl_run *r, CUdeviceptr records, CUdeviceptr keys, int n, const struct totals *totals) {
  CUdeviceptr marks = WL_DEV(r, int, n);
  OVER_PLACES(r, "mars_mark", n, WIDE, &records, &keys, &marks, &n);
  CUdeviceptr numbers = scan_room(r, n);
  scan(r, numbers, marks, n, totals->level);
  int groups = scan_total(r, numbers, marks, n);
  CUdeviceptr starts = WL_DEV(r, int, groups);
  OVER_PLACES(r, "mars_starts", n, WIDE, &marks, &numbers, &starts, &n);
  wl_release(r, marks);
  wl_release(r, numbers);
  CUdeviceptr ranges = WL_DEV(r, struct mr_range, groups);
  OVER_PLACES(r, "mars_ranges", groups, WIDE, &starts, &ranges, &groups, &n);
  struct mr_range *host = WL_DOWN(r, struct mr_range, ranges, groups);
  wl_release(r, starts);
  wl_release(r, ranges);
  return (struct mr_groups){WL_UP(r, host, groups), groups};
}

// What the sort reads, the totals and the spans stay where they are until the run's end: later arrays lie behind them.
struct mr_groups mr_group(struct wl_run *r, struct mr_device *d) {
  int n = d->count;
  CUdeviceptr keys = wl_alloc(r, d->key_bytes), values = wl_alloc(r, d->value_bytes), sorted = WL_DEV(r, struct mr_record, n);
  struct totals totals = totals_room(r, n);
  sort(r, d, sorted);
  CUdeviceptr spans = WL_DEV(r, struct pair, n);
  move(r, sorted, n, "mars_value_spans", "mars_value_places", d->values, values, spans, &totals);
  move(r, sorted, n, "mars_key_spans", "mars_key_places", d->keys, keys, spans, &totals);
  d->records = sorted;
  d->values = values;
  d->keys = keys;
  return find_groups(r, sorted, keys, n, &totals);
}

// ---- comparison ----

// Any total order, so that two sets of records can be compared one by one: keys by their bytes, then values.
static int compare_bytes(const char *a, int a_bytes, const char *b, int b_bytes) {
  return a_bytes != b_bytes ? a_bytes - b_bytes : memcmp(a, b, (size_t)a_bytes);
}

struct beside {
  const struct mr_records *of_a, *of_b;
};

static int compare(const void *a, const void *b, void *beside) {
  const struct mr_record *x = a, *y = b;
  const struct mr_records *s = ((struct beside *)beside)->of_a, *t = ((struct beside *)beside)->of_b;
  int order = compare_bytes(s->key + x->key, x->key_bytes, t->key + y->key, y->key_bytes);
  return order ? order : compare_bytes(s->value + x->value, x->value_bytes, t->value + y->value, y->value_bytes);
}

// Whether the keys are in order, and the groups begin where a key is not the one before it.
static bool in_order(struct wl_run *r, const struct mr_records *got, const struct mr_groups *groups, mr_order *order,
                     const void *with) {
  const struct mr_range *ranges = WL_DOWN(r, struct mr_range, groups->ranges, groups->count);
  for (int i = 0, g = 0; i < got->count; i++) {
    int than_before = i == 0 ? 1 : order(with, got->key + got->record[i].key, got->key + got->record[i - 1].key);
    if (than_before < 0) return wl_mismatch(r, "record %d is not in order", i);
    if (than_before > 0 && (g >= groups->count || ranges[g++].first != i)) return wl_mismatch(r, "no group begins at record %d", i);
    if (ranges[g - 1].first > i || ranges[g - 1].end <= i) return wl_mismatch(r, "record %d is not in group %d", i, g - 1);
    if (i == got->count - 1 && g != groups->count) return wl_mismatch(r, "%d groups, not %d", groups->count, g);
  }
  return true;
}

bool mr_same(struct wl_run *r, const struct mr_device *device, const struct mr_groups *groups, struct mr_records *want, mr_order *order,
             const void *with) {
  struct mr_records got = mr_down(r, device);
  if (got.count != want->count) return wl_mismatch(r, "%d records, not %d", got.count, want->count);
  if (!in_order(r, &got, groups, order, with)) return false;
  struct beside beside = {&got, want};
  qsort_r(got.record, (size_t)got.count, sizeof *got.record, compare, &(struct beside){&got, &got});
  qsort_r(want->record, (size_t)want->count, sizeof *want->record, compare, &(struct beside){want, want});
  for (int i = 0; i < got.count; i++)
    if (compare(got.record + i, want->record + i, &beside)) return wl_mismatch(r, "record %d is not among those expected", i);
  return true;
}
