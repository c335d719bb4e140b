// Page view count, in two passes over a log of lines "address, tab, visitor, tab, session": the first finds the different lines, the
// second groups them by address, so that a group has as many records as the page has had views. Key: a line, or the address in it; value:
// the line's length with its 0 and the pass, which the reduction of the first pass moves on.
#include "../mars/mars_scan.cuh"
#include "../mars/mars_emit.cuh"
#include "../mars/mars_reduce.cuh"
#include "../mars/mars_text.cuh"
#include "../mars/mars_group.cuh"

struct pvc_value {
  int bytes, pass;
};

static __device__ int mars_order(const char *a, const char *b) {
  return mars_text_order((const mars_text_key *)a, (const mars_text_key *)b);
}

extern "C" __global__ void pvc_map_count(mars_input in, mars_counts counts) {
  MARS_EACH(task, in.count) {
    pvc_value *value = (pvc_value *)(in.values + in.records[task].z);
    if (value->pass == 0) mars_count(counts, task, sizeof(mars_text_key), sizeof(pvc_value));
    else mars_count(counts, task, sizeof(mars_text_key), 4);
  }
}

// The next tab from `at` on becomes a 0.
static __device__ char *pvc_cut(char *at) {
#pragma unroll 1
  while (*at != '\t') at++;
  *at = 0;
  return at;
}

extern "C" __global__ void pvc_map(mars_input in, mars_output out) {
  int task = blockIdx.x * blockDim.x + threadIdx.x;
  if (task >= in.count) return;
  mars_begin(out, task);
  int4 own = in.records[task];
  mars_text_key *key = (mars_text_key *)(in.keys + own.x);
  pvc_value *value = (pvc_value *)(in.values + own.z);
  char *text = key->text, *line = text + key->place;
  mars_bytes<sizeof(mars_text_key)> emitted = {(char *)key};
  if (value->pass == 0) {
    key->hash = mars_hash(line, value->bytes);
    mars_emit(out, task, emitted, mars_bytes<sizeof(pvc_value)>{(char *)value});
  } else {
    char *tab = pvc_cut(line);
    int bytes = (int)(tab - line) + 1, place = key->place;
    pvc_cut(tab);
    int *slot = mars_slot();
    *slot = place + bytes;
    key->hash = mars_hash(line, bytes);
    mars_emit(out, task, emitted, mars_words<1>{slot});
  }
}

extern "C" __global__ void pvc_reduce_count(mars_input in, mars_counts counts, mars_groups groups) {
  MARS_EACH(task, groups.count) mars_count(counts, task, sizeof(mars_text_key), sizeof(pvc_value));
}

// One record of each group goes into the second pass.
extern "C" __global__ void pvc_reduce(mars_input in, mars_output out, mars_groups groups) {
  int task = blockIdx.x * blockDim.x + threadIdx.x;
  if (task >= groups.count) return;
  mars_reduce_begin(out, task);
  int4 first = in.records[groups.ranges[task].x];
  char *value = in.values + first.z;
  ((pvc_value *)value)->pass = 1;
  mars_reduce_emit(out, task, mars_bytes<sizeof(mars_text_key)>{in.keys + first.x}, mars_bytes<sizeof(pvc_value)>{value});
}
