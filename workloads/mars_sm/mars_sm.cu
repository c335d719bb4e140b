// String match: a task looks for a keyword among the lines of its piece of a text, a word a line. Key: the addresses of text and
// keyword; value: the size of the keyword with its 0, place and size of the piece.
#include "../mars/mars_scan.cuh"
#include "../mars/mars_emit.cuh"

// Whether the line is the keyword.
static __device__ bool sm_matches(const char *line, const char *keyword) {
  char c = *line, k = *keyword;
  while (c == k && k != 0) {
    k = *++keyword;
    c = *++line;
  }
  return c == '\n';
}

// Walks over lines until as many bytes as the piece has have been seen; ends of lines are not counted, so that the walk goes on into the
// next piece. `found` is called with the place of each line that is the keyword, and the keyword's size.
template <class F> static __device__ void sm_walk(const mars_input &in, int task, F found) {
  int4 own = in.records[task];
  int *value = (int *)(in.values + own.z);
  char **key = (char **)(in.keys + own.x);
  int bytes = value[2], start = value[1];
  char *text = key[0], *keyword = key[1];
  int keyword_bytes = value[0], seen = 0;
  char *line = text + start, *at = line;
  while (true) {
#pragma unroll 1
    while (*at != '\n') {
      at++;
      seen++;
    }
    at++;
    if (seen >= bytes) break;
    if (at - line == keyword_bytes && sm_matches(line, keyword)) found((int)(line - text), keyword_bytes);
    line = at;
  }
}

extern "C" __global__ void sm_map_count(mars_input in, mars_counts counts) {
  int task = blockIdx.x * blockDim.x + threadIdx.x;
  if (task >= in.count) return;
  sm_walk(in, task, [&](int, int) { mars_count(counts, task, 4, 4); });
}

extern "C" __global__ void sm_map(mars_input in, mars_output out) {
  int task = blockIdx.x * blockDim.x + threadIdx.x;
  if (task >= in.count) return;
  mars_begin(out, task);
  int *slot = mars_slot();
  sm_walk(in, task, [&](int place, int bytes) {
    slot[0] = place;
    slot[1] = bytes;
    mars_emit(out, task, mars_words<1>{slot}, mars_words<1>{slot + 1});
  });
}
