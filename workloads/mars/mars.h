// What the map-reduce workloads share on the host: launching the kernels of mars.cuh (which their module
// must hold), and the page-view logs two of them read.
#ifndef WL_MARS_H
#define WL_MARS_H

#include "common/wl.h"

enum { MARS_THREADS = 256 };

// A record as in mars.cuh.
struct mars_record {
  int key, bytes, value, spare;
};

// Launches a kernel with a thread an item; the rest are the addresses of its arguments.
#define MARS_EACH(r, kernel, items, ...)                                                                     \
  WL_LAUNCH((r), (kernel), wl_1d(wl_blocks((items), MARS_THREADS)), wl_1d(MARS_THREADS), 0, __VA_ARGS__)

// Turns n counts into their exclusive prefix sum; the array has room for one more, which becomes the total.
// Returns the total.
int mars_scan(struct wl_run *r, CUdeviceptr counts, int n);

// Device room for `count` records plus the padding that mars_sort needs.
CUdeviceptr mars_records(struct wl_run *r, int count);
// Sorts records from mars_records() by key, then value.
void mars_sort(struct wl_run *r, CUdeviceptr records, CUdeviceptr keys, int count);
// Finds the groups of equal keys in sorted records: returns their number, and in *starts the first record of
// each and, behind the last, the count.
int mars_group(struct wl_run *r, CUdeviceptr records, CUdeviceptr keys, int count, CUdeviceptr *starts);

// Orders two strings as the device does.
int mars_string_order(const uint8_t *a, int a_bytes, const uint8_t *b, int b_bytes);

// Text of about `bytes` bytes in lines, with the place of each line (and, behind the last, the end).
struct mars_lines {
  uint8_t *text;
  int *start;
  int count;
};

// Page views: address, tab, visitor, tab, session. Some addresses are far more popular than others.
struct mars_lines mars_views(struct wl_run *r, long bytes);
// Page ranks: address, tab, number of views.
struct mars_lines mars_ranks(struct wl_run *r, long bytes);

#endif
