// Page view count: how many different visitors each address had. The first pass makes a key of address and
// visitor from each line of the log and removes repeats; the second counts what is left of each address.
#include "../mars/mars.cuh"

// Bytes up to the second tab.
extern "C" __global__ void pvc_map_count(const unsigned char *text, const int *start, int lines, int *bytes) {
  int line = blockIdx.x * blockDim.x + threadIdx.x;
  if (line >= lines) return;
  int at = start[line], tabs = 0;
#pragma unroll 1
  for (;; at++) {
    if (text[at] == '\t' && ++tabs == 2) break;
  }
  bytes[line] = at - start[line];
}

// Copies the key; the value is the length of the address in it.
extern "C" __global__ void pvc_map(const unsigned char *text, const int *start, const int *place, int lines,
                                   unsigned char *keys, int4 *records) {
  int line = blockIdx.x * blockDim.x + threadIdx.x;
  if (line >= lines) return;
  int from = start[line], to = place[line], bytes = place[line + 1] - to, address = 0;
#pragma unroll 1
  for (int i = 0; i < bytes; i++) {
    unsigned char c = text[from + i];
    if (c == '\t') address = i;
    keys[to + i] = c;
  }
  records[line] = make_int4(to, bytes, address, 0);
}

// One record is left of each group, and of its key the address.
extern "C" __global__ void pvc_unique(const int4 *records, const int *starts, int groups, int4 *unique) {
  int group = blockIdx.x * blockDim.x + threadIdx.x;
  if (group >= groups) return;
  int4 record = records[starts[group]];
  unique[group] = make_int4(record.x, record.z, 1, 0);
}

extern "C" __global__ void pvc_reduce(const int4 *records, const int *starts, int groups, int *visitors) {
  int group = blockIdx.x * blockDim.x + threadIdx.x;
  if (group >= groups) return;
  int sum = 0;
#pragma unroll 1
  for (int i = starts[group]; i < starts[group + 1]; i++) sum += records[i].z;
  visitors[group] = sum;
}
