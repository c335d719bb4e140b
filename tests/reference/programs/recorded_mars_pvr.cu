// Page view rank: lines of address and number of views are parsed, a line a map task, and the addresses
// sorted by their number of views, most viewed first.
#define MARS_INTEGER_KEYS
#include "recorded_mars.cuh"

// Bytes of each line's address: what the task will write.
extern "C" __global__ void pvr_map_count(const unsigned char *text, const int *start, int lines, int *bytes) {
  int line = blockIdx.x * blockDim.x + threadIdx.x;
  if (line >= lines) return;
  int at = start[line];
#pragma unroll 1
  while (text[at] != '\t') at++;
  bytes[line] = at - start[line];
}

// Copies the address and reads the number; the key is negative, so that many views sort first.
extern "C" __global__ void pvr_map(const unsigned char *text, const int *start, const int *place, int lines,
                                   unsigned char *addresses, int4 *records) {
  int line = blockIdx.x * blockDim.x + threadIdx.x;
  if (line >= lines) return;
  int at = start[line], to = place[line];
#pragma unroll 1
  for (; text[at] != '\t'; at++) addresses[to++] = text[at];
  int views = 0;
#pragma unroll 1
  for (at++; text[at] != '\n'; at++) views = 10 * views + text[at] - '0';
  records[line] = make_int4(-views, 4, place[line], to - place[line]);
}
